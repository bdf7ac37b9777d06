//! What a program is kept from, by tricks of several languages.

use process::{Confinement, Enforced, Limits, Nobody, Talk, run};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::looking::can_look;

/// What is missing where a test cannot look.
pub const FILES: &str = "the kernel here keeps programs from no file";
const CALLS: &str = "the kernel here refuses no system call";

/// A project: `rules`, `code/main` and `.git/hooks` are fixed except `.git/own`, `secret`, `keys` and `vault/inner/three` are hidden.
struct Place {
    folder: tempfile::TempDir,
    confinement: Arc<Confinement>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there").join("project");
        for (name, text) in [
            ("rules", "kept\n"),
            ("code/main", "kept\n"),
            ("code/other", "old\n"),
            (".git/config", "kept\n"),
            (".git/hooks/old", "kept\n"),
            (".git/own/mine", "old\n"),
            ("secret", "TREASURE\n"),
            ("keys/one", "TREASURE\n"),
            ("vault/inner/three", "TREASURE\n"),
        ] {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        let all = |names: &[&str]| names.iter().map(|name| root.join(name)).collect::<Vec<_>>();
        let confinement = Arc::new(Confinement {
            fixed: all(&["rules", "code/main", ".git", "is-not-there"]),
            own: all(&[".git/own"]),
            hidden: all(&["secret", "keys", "vault/inner/three", "nor-is-this"]),
            desk: None,
            links: Vec::new(),
            offline: false,
            limits: Limits {
                memory: 1 << 30,
                ..Limits::default()
            },
        });
        Self { folder, confinement }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join("project")
    }

    /// Runs a script of bash; its output, and whether it ended well.
    async fn run(&self, script: &str) -> (String, bool) {
        self.talking(script, Talk::default()).await
    }

    async fn talking(&self, script: &str, talk: Talk) -> (String, bool) {
        let root = self.root();
        let words = crate::script(script);
        let mut order = crate::order(&words, &root, &root.to_string_lossy());
        order.program = "bash";
        order.confinement = Arc::clone(&self.confinement);
        let ended = run(order, talk, &Nobody).await.expect("started");
        (ended.output, ended.status.success())
    }

    /// Whether everything that is fixed is as it was, seen from outside.
    fn is_whole(&self) -> bool {
        let root = self.root();
        let kept = ["rules", "code/main", ".git/config", ".git/hooks/old"];
        let new = [".git/new", ".git/hooks/new", ".git/HEAD"];
        kept.iter()
            .all(|name| std::fs::read_to_string(root.join(name)).is_ok_and(|text| text == "kept\n"))
            && !new.iter().any(|name| root.join(name).exists())
    }
}

fn holds() -> bool {
    let here = Enforced::here();
    if !here.files {
        // The machine says so, and so does the program: there is nothing to hold to.
        assert!(
            here.lacks(&Confinement::default())
                .contains(&"protected and secret files")
        );
    }
    can_look(here.files, FILES)
}

#[tokio::test]
async fn work_goes_on() {
    let place = Place::new();
    let script = "set -e; echo new > new; echo new > code/other; mkdir -p a/b; mv new a/b/; ln a/b/new c; ln -s c d; rm c; echo x >> .git/own/mine; \
                  cat rules .git/config; t=$(mktemp -d); echo x > $t/x; mv $t/x .; rm -r $t a; (sleep 0.01 & wait); kill -0 $$; kill -TERM $! 2>/dev/null || true; \
                  : > /dev/null; head -c 4 /dev/urandom > r; test -e /proc/self/status; cat <(echo sub); echo done";
    let (out, well) = place.run(script).await;
    assert!(well && out.ends_with("sub\ndone\n"), "{out}");
    assert!(out.starts_with("kept\nkept\n"), "{out}");
    let mine = std::fs::read_to_string(place.root().join(".git/own/mine"));
    assert_eq!(mine.expect("readable"), "old\nx\n");
    assert!(place.root().join("x").is_file() && place.is_whole());
}

#[tokio::test]
async fn what_is_fixed_stays_as_it_is() {
    if !holds() {
        return;
    }
    let place = Place::new();
    let tricks = [
        "echo x > rules",
        "echo x >> rules",
        "echo x 1<> rules",
        "rm -f rules",
        "mv rules old; echo x > rules",
        "echo x > new; mv -f new rules",
        "echo x > new; ln -f new rules",
        "ln rules other; echo x > other",
        "ln -s rules other; echo x > other",
        "cp --remove-destination /dev/null rules",
        "dd if=/dev/zero of=rules bs=1 count=1 conv=notrunc",
        "truncate -s 0 rules",
        "sed -i s/kept/x/ rules",
        "chmod 777 rules; echo x > rules",
        "echo x > /proc/self/cwd/rules",
        "echo x > /proc/self/root$PWD/rules",
        "echo x > /proc/$PPID/cwd/rules; echo x > /proc/$PPID/root$PWD/rules; echo x > /proc/1/root$PWD/rules",
        "umount rules; umount -l rules; echo x > rules",
        "mount -o remount,rw,bind rules rules; echo x > rules",
        "mount --bind /tmp $PWD; echo x > rules",
        "unshare -m sh -c 'umount rules; echo x > rules'",
        "unshare -Urm sh -c 'umount rules; mount -o remount,rw,bind rules; echo x > rules'",
        "nsenter -t 1 -m sh -c \"echo x > $PWD/rules\"; nsenter -t $PPID -m sh -c \"echo x > $PWD/rules\"",
        "chroot / sh -c \"echo x > $PWD/rules\"",
        "cd ..; mv project away; mkdir project; cp -r away/. project; echo x > project/rules",
        "cd /; d=$(dirname $OLDPWD); mv $d $d-away && mkdir -p $OLDPWD && echo x > $OLDPWD/rules",
        "rm -rf .git; mkdir .git; echo x > .git/config",
        "mv .git git; mkdir .git; echo x > .git/config",
        "echo x > .git/new; echo x > .git/hooks/new; touch .git/HEAD; mkdir .git/hooks/new",
        "cd .git; echo x > new; echo x > config",
        "echo x > .git/own/../config; mv .git/own/mine .git/hooks/new; ln .git/own/mine .git/new; ln -s x .git/HEAD",
        "rm -rf code; mkdir code; echo x > code/main",
        "mv code old; mkdir code; echo x > code/main",
        "perl -e 'open F, \"+<\", \"rules\" and print F \"x\"; unlink \"rules\"; rename \"code/other\", \"rules\"; truncate \"rules\", 0'",
        "python3 -c 'import os; os.replace(\"code/other\", \"rules\")'; python3 -c 'open(\"rules\", \"w\").write(\"x\")'",
        "node -e 'require(\"fs\").writeFileSync(\"rules\", \"x\")'",
        "git config --local a.b c; git init -q .",
        // open_by_handle_at, open_tree: past the mounts.
        "perl -e 'my $h = pack(\"II\", 128, 0) . (\"\\0\" x 128); my $m = 0; my $p = \"rules\"; syscall(303, -100, $p, $h, $m, 0); my $f = syscall(304, 3, $h, 1); open F, \">&=\", $f and syswrite F, \"x\" if $f >= 0'",
        "perl -e 'my $p = \".\"; my $t = syscall(428, -100, $p, 1); my $r = \"rules\"; my $f = syscall(257, $t, $r, 1) if $t >= 0; syscall(1, $f, $p, 1) if defined $f && $f >= 0'",
        "setsid env -i sh -c 'sleep 0.1; echo x > rules' & sleep 0.3",
    ];
    for trick in tricks {
        let said = place.run(trick).await;
        assert!(place.is_whole(), "{trick}: {said:?}");
    }
}

/// Gatehouse writes a pipeline's file anew while its stages begin, an editor any other.
#[tokio::test]
async fn a_program_starts_while_others_replace_what_is_fixed() {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    if !holds() {
        return;
    }
    let mut place = Place::new();
    let rules = place.root().join("rules");
    // Many times over: it can be replaced in a short moment of each only.
    let mut confinement = (*place.confinement).clone();
    confinement.fixed.extend(std::iter::repeat_n(rules.clone(), 100));
    place.confinement = Arc::new(confinement);
    let (done, times) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let replacing = std::thread::spawn({
        let (done, times, next) = (Arc::clone(&done), Arc::clone(&times), place.root().join("next"));
        move || {
            while !done.load(Ordering::Relaxed) {
                std::fs::write(&next, "kept\n").expect("written");
                std::fs::rename(&next, &rules).expect("replaced");
                times.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    // Until both have happened often enough to mean something.
    let mut started = 0;
    while started < 200 || times.load(Ordering::Relaxed) <= 1_000 {
        started += 1;
        assert!(started < 20_000, "replaced all the while: {times:?}");
        let (out, well) = place.run("cat rules").await;
        assert!(well && out == "kept\n", "{out}");
    }
    done.store(true, Ordering::Relaxed);
    replacing.join().expect("it ends");
}

#[tokio::test]
async fn what_is_hidden_is_not_read() {
    if !holds() {
        return;
    }
    let place = Place::new();
    for trick in [
        "cat secret keys/*",
        "a=sec; b=ret; cat $a$b; cat k*/o*; ls keys",
        "grep -r T . ; tar c . ; find . -type f -exec cat {} +",
        "cp secret s; cat s; mv secret t; cat t; ln secret u; cat u; ln -s secret v; cat v",
        "perl -e 'local @ARGV = (\"secret\", \"keys/one\"); print <>'",
        "python3 -c 'print(open(\"secret\").read(), open(\"keys/one\").read())'",
        "cat /proc/self/root$PWD/secret /proc/$PPID/root$PWD/secret /proc/1/root$PWD/secret /proc/$PPID/cwd/secret",
        "umount secret; umount -l keys; cat secret keys/one",
        "unshare -Urm sh -c 'umount secret keys; cat secret keys/one'",
        "nsenter -t $PPID -m cat $PWD/secret; nsenter -t 1 -m cat $PWD/secret",
        "mkdir m; mount --bind . m; cat m/secret; mount --bind -o ro / m; cat m$PWD/secret",
        "perl -e 'my $p = \".\"; my $t = syscall(428, -100, $p, 1); my $r = \"secret\"; my $f = syscall(257, $t, $r, 0) if $t >= 0; my $b = \" \" x 99; syscall(0, $f, $b, 99) if defined $f && $f >= 0; print $b'",
    ] {
        let (out, _) = place.run(trick).await;
        assert!(!out.contains("TREASURE"), "{trick}: {out}");
    }
    let root = place.root();
    for name in ["secret", "keys/one"] {
        // From outside it is as it was.
        let text = std::fs::read_to_string(root.join(name));
        assert!(
            text.is_ok_and(|text| text == "TREASURE\n") || !root.join(name).exists(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn links_to_what_is_kept_stay_where_they_are() {
    if !can_look(Enforced::here().links, "the kernel here mounts over no link") {
        return;
    }
    let mut place = Place::new();
    let root = place.root();
    std::fs::create_dir(root.join("dots")).expect("made");
    std::fs::rename(root.join("keys"), root.join("dots/keys")).expect("moved");
    std::os::unix::fs::symlink("dots/keys", root.join("keys")).expect("linked");
    let mut confinement = Confinement::clone(&place.confinement);
    confinement.hidden.retain(|path| !path.ends_with("keys"));
    confinement.hidden.push(root.join("dots/keys"));
    confinement.links = vec![root.join("keys"), root.join("no-such-link")];
    place.confinement = Arc::new(confinement);
    for trick in [
        "mv keys away; mkdir keys; cat away/one keys/one dots/keys/one",
        "rm -f keys; ln -s code keys; cat dots/keys/one",
        "ln -sfn code keys; mv dots others; cat others/keys/one",
        "python3 -c 'import os; os.symlink(\"code\", \"new\"); os.replace(\"new\", \"keys\")'",
    ] {
        let (out, _) = place.run(trick).await;
        assert!(!out.contains("TREASURE"), "{trick}: {out}");
        let led = std::fs::read_link(root.join("keys")).expect("a link still");
        assert_eq!(led, Path::new("dots/keys"), "{trick}: {out}");
        assert!(root.join("dots/keys/one").exists(), "{trick}");
    }
    let (out, _) = place.run("readlink keys; ls -A keys; echo well").await;
    assert_eq!(out, "dots/keys\nwell\n", "it leads where it led");
}

#[tokio::test]
async fn of_a_hidden_folder_its_own_desk_is_there_and_nothing_beside_it() {
    if !holds() {
        return;
    }
    let mut place = Place::new();
    let root = place.root();
    for desk in ["mine", "other"] {
        let folder = root.join("keys/desks").join(desk);
        std::fs::create_dir_all(&folder).expect("made");
        std::fs::write(folder.join("brief"), format!("TREASURE of {desk}\n")).expect("written");
    }
    let mut confinement = Confinement::clone(&place.confinement);
    confinement.desk = Some(root.join("keys/desks/mine"));
    // Rules of the project may be about the folders around it, and about one of those again.
    confinement.fixed.push(root.join("keys"));
    confinement.hidden.insert(0, root.join("keys/desks"));
    confinement.hidden.push(root.join("keys/desks/mine"));
    place.confinement = Arc::new(confinement);
    let all = "cat keys/desks/mine/brief; echo done > keys/desks/mine/report; find keys | sort; cat keys/one keys/desks/other/brief";
    let (out, _) = place.run(all).await;
    assert!(
        out.starts_with(
            "TREASURE of mine\nkeys\nkeys/desks\nkeys/desks/mine\nkeys/desks/mine/brief\nkeys/desks/mine/report\n"
        ),
        "{out}"
    );
    assert!(
        !out.contains("TREASURE of other") && !out.contains("TREASURE\n"),
        "{out}"
    );
    let report = std::fs::read_to_string(root.join("keys/desks/mine/report"));
    assert_eq!(report.expect("it is there outside"), "done\n");

    for trick in [
        "echo x > keys/new; echo x > keys/desks/new; mkdir keys/desks/other; echo x > keys/desks/other/report",
        "mv keys/desks/mine keys/desks/yours; rm -rf keys/desks; umount keys/desks/mine; umount -l keys",
        "echo x > keys/desks/mine/../other/report; ln -s ../other keys/desks/mine/l; echo x > keys/desks/mine/l/report",
    ] {
        let (out, _) = place.run(trick).await;
        assert!(!out.contains("TREASURE"), "{trick}: {out}");
    }
    let there = |name: &str| root.join("keys").join(name).exists();
    assert!(!there("new") && !there("desks/new") && !there("desks/yours") && !there("desks/other/report"));
    assert!(there("desks/other/brief") && there("one"), "what is not its own stays");
    assert!(!there("desks/mine/brief"), "what is its own it may change");
}

#[tokio::test]
async fn what_is_hidden_is_not_found_elsewhere_by_the_next_program() {
    if !holds() {
        return;
    }
    let place = Place::new();
    let moves = "mv vault open; mv vault/inner vault/open; cp -r vault v; mv vault/inner/three vault/inner/four; true";
    place.run(moves).await;
    let (out, _) = place.run("grep -r T . ; find . -type f -exec cat {} +").await;
    assert!(!out.contains("TREASURE"), "{out}");
    let kept = std::fs::read_to_string(place.root().join("vault/inner/three"));
    assert_eq!(kept.expect("where it was"), "TREASURE\n");
}

#[tokio::test]
async fn the_kernel_and_the_limits_of_others_stay_as_they_are() {
    if !holds() || !can_look(Enforced::here().calls, CALLS) {
        return;
    }
    let place = Place::new();
    let mut other = std::process::Command::new("sleep")
        .arg("1000")
        .spawn()
        .expect("started");
    let limits = |id: u32| std::fs::read_to_string(format!("/proc/{id}/limits")).expect("it is there");
    let before = limits(other.id());
    let (out, _) = place
        .run(&format!(
            "prlimit --pid {0} --fsize=1; perl -e 'my $l = pack(\"QQ\", 0, 0); print syscall(302, {0}, 1, $l, 0)'; ulimit -n 64 && ulimit -n",
            other.id()
        ))
        .await;
    assert_eq!(limits(other.id()), before, "{out}");
    assert!(out.ends_with("64\n"), "one's own can be lowered: {out}");
    let settings = "/proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /proc/sysrq-trigger";
    let (out, _) = place
        .run(&format!(
            "for file in {settings}; do (: >> $file) && echo open; done 2>&1; grep CapBnd /proc/self/status"
        ))
        .await;
    assert!(!out.contains("open\n"), "{out}");
    let powers = out
        .split_whitespace()
        .next_back()
        .and_then(|hex| u64::from_str_radix(hex, 16).ok());
    assert_eq!(
        powers.expect("a number") & (1 << 12),
        0,
        "networks are not administered: {out}"
    );
    other.kill().expect("it is there");
    other.wait().expect("it ends");
}

#[tokio::test]
async fn disks_and_memory_are_not_read_or_written_past_the_files() {
    if !holds() {
        return;
    }
    // Listed from outside; what is covered is `/dev/null`: a character device, empty, that takes everything.
    let listed = "find /dev -type b -o -name mem -o -name kmem -o -name port -o -name 'sg[0-9]*' -o -name loop-control";
    let listed = std::process::Command::new("sh").args(["-c", listed]).output();
    let listed = String::from_utf8(listed.expect("sh starts").stdout).expect("names of devices");
    let script = listed.lines().map(|one| format!("echo {one} $(stat -c %t:%T {one})\n"));
    let (out, well) = Place::new().run(&script.collect::<String>()).await;
    assert_eq!(out.lines().count(), listed.lines().count(), "{out}");
    assert!(well && out.lines().all(|line| line.ends_with(" 1:3")), "{out}");
}

#[tokio::test]
async fn nobody_outside_is_signalled() {
    if !can_look(Enforced::here().signals, "the kernel here refuses no signal") {
        return;
    }
    let place = Place::new();
    let mut other = std::process::Command::new("sleep")
        .arg("1000")
        .spawn()
        .expect("started");
    let driver = std::process::id();
    let script = format!(
        "kill -9 $PPID; kill -9 {0}; kill {driver}; kill -9 -{driver}; echo still here",
        other.id()
    );
    let (out, well) = place.run(&script).await;
    assert!(well && out.contains("still here\n"), "{out}");
    assert!(other.try_wait().expect("a child").is_none());
    other.kill().expect("it is there");
    other.wait().expect("it ends");
}

#[tokio::test]
async fn nobody_outside_is_read() {
    if !can_look(
        Enforced::here().outside,
        "the kernel here keeps nobody from processes outside",
    ) {
        return;
    }
    let script = format!(
        "tr '\\0' ' ' < /proc/{}/environ; ls -l /proc/{0}/fd",
        std::process::id()
    );
    let (out, _) = Place::new().run(&script).await;
    assert!(!out.contains("PATH="), "{out}");
}

/// Asks the servers on this machine by every way a shell and Python have; prints `reached` when one answers.
const ASKING: &str = r#"
    (exec 3<>/dev/tcp/127.0.0.1/$tcp && cat <&3) 2>&1
    (exec 3<>/dev/tcp/::1/$six && cat <&3) 2>&1
    setsid env -i bash -c "exec 3<>/dev/tcp/127.0.0.1/$tcp && cat <&3" 2>&1
    unshare -Urn bash -c "exec 3<>/dev/tcp/127.0.0.1/$tcp && cat <&3" 2>&1
    nsenter -t 1 -n bash -c "exec 3<>/dev/tcp/127.0.0.1/$tcp && cat <&3" 2>&1
    nsenter -t $PPID -n bash -c "exec 3<>/dev/tcp/127.0.0.1/$tcp && cat <&3" 2>&1
    echo asked > /dev/udp/127.0.0.1/$udp
    python3 - 2>&1 <<'END'
import os, socket
for kind, to in [(socket.AF_INET, ("127.0.0.1", int(os.environ["tcp"]))), (socket.AF_UNIX, "\0" + os.environ["name"])]:
    try:
        one = socket.socket(kind, socket.SOCK_STREAM)
        one.connect(to)
        print(one.recv(9).decode())
    except OSError as error:
        print(error)
try:
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    print("reached")
except OSError as error:
    print(error)
END
    true"#;

#[tokio::test]
async fn who_is_offline_reaches_its_own_servers_alone() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener};
    let here = Enforced::here();
    if !can_look(here.network, "the kernel here keeps nobody from the network") {
        assert!(!here.lacks(&offline()).is_empty());
        return;
    }
    let answer = |mut to: Box<dyn std::io::Write>| drop(to.write_all(b"reached\n"));
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").expect("a server");
    let port = tcp.local_addr().expect("bound").port();
    let six = std::net::TcpListener::bind("[::1]:0");
    let six_port = six.as_ref().map_or(port, |six| six.local_addr().expect("bound").port());
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").expect("a server");
    udp.set_read_timeout(Some(std::time::Duration::from_secs(60)))
        .expect("set");
    let name = format!("gatehouse-{}", std::process::id());
    let unix = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).expect("a name")).expect("a server");
    std::thread::spawn(move || tcp.incoming().flatten().for_each(|to| answer(Box::new(to))));
    if let Ok(six) = six {
        std::thread::spawn(move || six.incoming().flatten().for_each(|to| answer(Box::new(to))));
    }
    std::thread::spawn(move || unix.incoming().flatten().for_each(|to| answer(Box::new(to))));
    let asked = format!(
        "export tcp={port} six={six_port} udp={} name={name}; {ASKING}",
        udp.local_addr().expect("bound").port()
    );
    // Whoever is not offline reaches them, so the servers are there.
    let mut place = Place::new();
    let (out, _) = place.run(&asked).await;
    assert!(out.matches("reached").count() >= 3, "{out}");
    let mut bytes = [0; 9];
    assert!(udp.recv(&mut bytes).is_ok());
    udp.set_nonblocking(true).expect("set");
    for protected in [true, false] {
        let confinement = if protected {
            Confinement::clone(&place.confinement)
        } else {
            Confinement::default()
        };
        place.confinement = Arc::new(Confinement {
            offline: true,
            ..confinement
        });
        let (out, _) = place.run(&asked).await;
        assert!(!out.contains("reached") && !out.is_empty(), "{out}");
        assert!(udp.recv(&mut bytes).is_err());
        let own = "python3 -c '
import socket, threading
s = socket.create_server((\"127.0.0.1\", 0))
threading.Thread(target=lambda: s.accept()[0].send(b\"its own\")).start()
print(socket.create_connection(s.getsockname()).recv(9).decode())'";
        if here.files {
            let (out, well) = place.run(own).await;
            assert!(well && out == "its own\n", "{out}");
        }
    }
}

fn offline() -> Confinement {
    Confinement {
        offline: true,
        ..Confinement::default()
    }
}

#[tokio::test]
async fn memory_and_rights_are_bounded() {
    if !can_look(Enforced::here().calls, CALLS) {
        return;
    }
    let place = Place::new();
    let (out, well) = place.run("perl -e '$x = \"x\" x (1 << 31); print \"big\"'").await;
    assert!(!well && !out.contains("big"), "{out}");
    let many = "{a,b}".repeat(41);
    let (out, well) = place
        .run(&format!("echo {many} | wc -c; echo ${{PIPESTATUS[0]}}"))
        .await;
    assert!(!well || !out.ends_with("\n0\n"), "{out}");
    let (out, _) = place
        .run("grep NoNewPrivs /proc/self/status; grep Seccomp: /proc/self/status; ulimit -c")
        .await;
    assert_eq!(
        out.split_whitespace().collect::<Vec<_>>(),
        ["NoNewPrivs:", "1", "Seccomp:", "2", "0"],
        "{out}"
    );
}

#[tokio::test]
async fn what_does_not_start_says_so_all_the_same() {
    let place = Place::new();
    let root = place.root();
    let mut order = crate::order(&[], &root, "m");
    order.program = "./rules";
    order.confinement = Arc::clone(&place.confinement);
    let error = run(order, Talk::default(), &Nobody).await.expect_err("no program");
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    let mut order = crate::order(&[], Path::new("/is-not-there"), "m");
    order.confinement = Arc::clone(&place.confinement);
    let error = run(order, Talk::default(), &Nobody).await.expect_err("no folder");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[tokio::test]
async fn in_a_terminal_nothing_else_is_allowed() {
    if !holds() {
        return;
    }
    let place = Place::new();
    let tricks = [
        "echo x > rules; echo x > .git/config; rm -rf code/main .git",
        "mv code other; cat secret keys/* vault/inner/three",
        "exec < /dev/tty > /dev/tty; echo x > rules; cat secret; mount -t tmpfs none code; unshare -m true && echo left",
        "setsid sh -c 'echo x >> rules; cat secret' & wait; sudo -n cat secret",
    ];
    for trick in tricks {
        let talk = Talk {
            terminal: true,
            ..Talk::default()
        };
        let (out, _) = place.talking(trick, talk).await;
        assert!(place.is_whole() && !out.contains("TREASURE"), "{trick}: {out}");
    }
}

/// A terminal of somebody else: what types into it, and its name. What other tests start meanwhile inherits nothing of it.
fn terminal() -> (nix::pty::PtyMaster, String) {
    use nix::fcntl::OFlag;
    let keys = nix::pty::posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).expect("a terminal");
    nix::pty::grantpt(&keys).expect("granted");
    nix::pty::unlockpt(&keys).expect("unlocked");
    let name = nix::pty::ptsname_r(&keys).expect("it has a name");
    (keys, name)
}

/// What is typed in the person's terminals is not read, and nothing is written there; a program may have terminals of its own.
#[tokio::test]
async fn the_terminals_of_others_are_not_there() {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    if !holds() {
        return;
    }
    let (mut keys, name) = terminal();
    let _theirs = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(nix::fcntl::OFlag::O_NOCTTY.bits())
        .open(&name)
        .expect("their end");
    keys.write_all(b"hunter2\n").expect("typed");
    let place = Place::new();
    let script = format!(
        "echo evil > {name} && echo WRITTEN; python3 -c 'import os; print(os.read(os.open(\"{name}\", os.O_RDWR | os.O_NOCTTY), 9))'; \
         for t in /dev/pts/*; do case $t in */ptmx | */\\*) ;; *) echo OTHERS $t ;; esac; done; \
         for n in 0 1 2 3; do echo evil > /proc/self/fd/$n/../pts/0 2>/dev/null && echo WRITTEN; done; \
         python3 -c 'import os, pty; m, s = pty.openpty(); os.write(s, b\"own\"); print(os.read(m, 9))'"
    );
    for terminal in [false, true] {
        let talk = Talk {
            terminal,
            ..Talk::default()
        };
        let (said, _) = place.talking(&script, talk).await;
        for never in ["WRITTEN", "hunter2", "OTHERS"] {
            assert!(!said.contains(never), "{never}, terminal {terminal}: {said}");
        }
        assert!(
            said.contains("b'own'"),
            "a terminal of its own, terminal {terminal}: {said}"
        );
    }
}

/// What is fixed below what may be changed stays fixed.
#[tokio::test]
async fn the_nearest_rule_counts() {
    if !holds() {
        return;
    }
    let place = Place::new();
    let mut nested = Confinement::clone(&place.confinement);
    nested.fixed.push(place.root().join(".git/own/mine"));
    nested.own.push(place.root().join("code"));
    let place = Place {
        confinement: Arc::new(nested),
        ..place
    };
    let script = "exec 2> /dev/null; echo new > .git/own/mine; echo new > .git/own/other; echo new > code/main; echo new > code/other; \
                  cat .git/own/mine .git/own/other code/main code/other";
    let (said, _) = place.run(script).await;
    assert!(said.ends_with("old\nnew\nkept\nnew\n"), "{said}");
}
