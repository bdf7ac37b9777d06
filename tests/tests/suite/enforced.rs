//! What a step is kept from by the kernel, through the program: whatever language it is written in, and although nobody denied the script.

use tests::looking::can_look;
use tests::program;
use tests::project::Project;

const FLOW: &str = "id: tricks\nname: Tricks\nsteps:\n  - {id: trick, agents: [maker], routing: {kind: linear}}\n";

fn project(script: &str, permissions: &str) -> Project {
    let agents = format!(
        "version: 1\nagents:\n  \"*\": {{engine: shell, run: bash trick.sh}}\nchecks: {{prose: sh checks/prose.sh}}\n{permissions}"
    );
    let files = [
        ("flow.yaml", FLOW),
        ("gatehouse.yaml", &agents),
        ("trick.sh", script),
        ("app/.env", "TREASURE=1\n"),
        ("data/private.txt", "TREASURE=2\n"),
        ("data/fixed.txt", "kept\n"),
        ("other/more.yaml", FLOW),
        ("checks/prose.sh", "kept\n"),
        ("tools/forbidden", "#!/bin/sh\nprintf x | sha384sum\n"),
        (".git/config", "kept\n"),
        ("config/runtime.yaml", "hitl: {policy: {required_phases: [Review]}}\n"),
    ];
    let project = Project::new(&files).expect("a project");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(project.root.join("tools/forbidden"), executable).expect("set");
    project
}

fn holds() -> bool {
    can_look(
        process::Enforced::here().files,
        "the kernel here keeps programs from no file",
    )
}

/// Runs the flow; everything its step printed.
fn run(project: &Project) -> String {
    let said = project.gatehouse(&["run", "flow.yaml"]).expect("gatehouse is built");
    format!("{}{}", said.out, said.err)
}

#[test]
fn nobody_changes_what_decides_over_runs() {
    if !holds() {
        return;
    }
    let tricks = [
        "echo 'mode: allow' >> gatehouse.yaml",
        "mv gatehouse.yaml old; echo x > gatehouse.yaml",
        "perl -e 'open F, \">>\", \"gatehouse.yaml\" and print F \"x\"; unlink \"gatehouse.yaml\"'",
        "python3 -c 'open(\"gatehouse.yaml\", \"a\").write(\"x\")'",
        "echo x >> flow.yaml; rm -f flow.yaml; mv flow.yaml other.yaml",
        "echo x > .git/hooks; echo x >> .git/config; rm -rf .git; mv .git git",
        "rm -rf .gatehouse; mv .gatehouse other; : > .gatehouse/history.db; echo x > .gatehouse/new",
        "cd ..; mv project moved; mkdir project; cp moved/*.yaml project",
        "setsid env -i sh -c 'echo x >> gatehouse.yaml; rm -rf .gatehouse' & wait",
        "echo 'hitl: {policy: {required_phases: []}}' > config/runtime.yaml; rm -rf config; mv config away",
        "echo x >> other/more.yaml; rm -rf other; mv other away; echo x >> checks/prose.sh; sed -i s/kept/x/ checks/*; echo x >> trick.sh",
    ];
    for trick in tricks {
        let project = project(trick, "");
        let before = |name: &str| std::fs::read_to_string(project.root.join(name)).expect(name);
        let names = [
            "gatehouse.yaml",
            "flow.yaml",
            ".git/config",
            "other/more.yaml",
            "checks/prose.sh",
            "trick.sh",
            "config/runtime.yaml",
        ];
        let all = names.map(before);
        run(&project);
        assert_eq!(names.map(before), all, "{trick}");
        assert!(!project.root.join(".gatehouse/new").exists() && !project.root.join(".git/hooks").exists());
        let (run, _) = project.latest().expect("readable").expect("a run");
        let said = project
            .gatehouse(&["verify", run.as_str()])
            .expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{trick}: {}{}", said.out, said.err);
    }
}

#[test]
fn what_the_rules_deny_is_not_there() {
    if !holds() {
        return;
    }
    let rules =
        "permissions:\n  mode: allow\n  read: {deny: [\"data/private*\"]}\n  write: {deny: [\"data/fixed.txt\"]}\n";
    for trick in [
        "cat app/.e* data/p*; grep -r T.EASURE .; tar c .",
        "perl -ne print app/.env data/private.txt",
        "python3 -c 'print(open(\"data/private.txt\").read(), open(\"app/.env\").read())'",
        "cp -r data copy; cat copy/*; cat /proc/self/root$PWD/data/private.txt; cat /proc/$PPID/cwd/data/private.txt",
        "cat ../home/signing-key && printf '%s=\\n' TREASURE",
        "echo x > data/fixed.txt; perl -e 'unlink \"data/fixed.txt\"'; mv data/fixed.txt x; mv data y",
    ] {
        let project = project(trick, rules);
        let out = run(&project);
        assert!(!out.contains("TREASURE="), "{trick}: {out}");
        let fixed = std::fs::read_to_string(project.root.join("data/fixed.txt"));
        assert_eq!(fixed.expect("it is there"), "kept\n", "{trick}");
    }
}

/// The settings in which every agent's command is this line.
fn one_line(line: &str, permissions: &str) -> String {
    format!("version: 1\nagents: {{\"*\": {{engine: shell, run: {line:?}}}}}\npermissions: {permissions}\n")
}

#[test]
fn a_rule_means_a_file_in_every_spelling() {
    let lines = [
        "echo gone > data/new.txt; cat data/new.txt",
        "cd data; echo x > new.txt",
        "echo x > ABS/data/new.txt",
        "cat data/private.txt",
    ];
    let rules = [
        "data/*.txt",
        "ABS/data/*.txt",
        "ABS/data/{new,private}.txt",
        "../NAME/data/**",
        "linked/*.txt",
    ];
    for (line, rule) in lines.iter().flat_map(|line| rules.map(|rule| (line, rule))) {
        let project = project("true", "");
        std::os::unix::fs::symlink("data", project.root.join("linked")).expect("linked");
        let whole = project.root.canonicalize().expect("it is there");
        let name = whole.file_name().expect("a name").to_string_lossy().into_owned();
        let filled = |text: &str| text.replace("ABS", &whole.to_string_lossy()).replace("NAME", &name);
        let (line, rule) = (filled(line), filled(rule));
        let rules = format!("{{mode: allow, read: {{deny: [{rule:?}]}}, write: {{deny: [{rule:?}]}}}}");
        let config = one_line(&line, &rules);
        project.write(&[("gatehouse.yaml", &config)]).expect("written");
        let out = run(&project);
        assert!(out.contains("Not permitted"), "{rule}: {line}: {out}");
        assert!(!project.root.join("data/new.txt").exists(), "{rule}: {line}: {out}");
    }
}

#[test]
fn a_program_that_a_rule_names_by_a_path_is_followed_to_its_file() {
    // Elsewhere that path is another file, or none.
    if !std::path::Path::new("/bin").is_symlink() {
        return;
    }
    let rules = "{mode: allow, run: {deny: [\"/bin/sha384sum *\"]}}";
    for name in ["sha384sum", "/usr/bin/sha384sum", "/bin/sha384sum"] {
        let project = project("true", "");
        let config = one_line(&format!("{name} trick.sh"), rules);
        project.write(&[("gatehouse.yaml", &config)]).expect("written");
        let out = run(&project);
        assert!(out.contains("Not permitted"), "{name}: {out}");
    }
    if holds() {
        let out = run(&project("printf x | sha384sum", &format!("permissions: {rules}\n")));
        assert!(!is_summed(&out), "{out}");
    }
}

/// Ways to what rules deny outside of the project and behind links, with nothing in the script that says so.
const OUTSIDE: &[&str] = &[
    "up=..; cat $up/out/one.txt $up/sib.txt $up/home-of/.netrc 2>&1; grep -rh T.EASURE $up/out $up/*.txt",
    "python3 -c 'import os; print([open(p).read() for p in [\"../sib\" + \".txt\", \"../out/one\" + \".txt\"]])'",
    "perl -e '@ARGV = map { glob } (\"../ou*/*\", \"../si*\", \"../*.txt\", \"data/li*\", \"./*odd*\"); print <>'",
    "cat data/li*; python3 -c 'print(open(\"data/link\" + \"ed\").read())'; cp -L data/linked mine; cat mine",
    "cat ./*odd*; tar c --exclude=.gatehouse . .. 2>/dev/null; find .. -path '*/.gatehouse' -prune -o -type f -exec cat {} +",
    "up=..; mv $up/out $up/moved; cat $up/moved/*; ln $up/sib.txt mine; cat mine; ln -s $up/sib.txt two; cat two",
    "up=..; echo x > $up/kept.txt; echo x >> data/kept/also; rm -f data/kept/also; echo x > data/kept/also; perl -e 'unlink \"../kept\" . \".txt\"'; mv $up/kept.txt $up/away",
    "up=..; (sleep 0.1; cat $up/late/*) & mkdir -p $up/out/new; echo TREASURE= > $up/out/new/file && cat $up/out/new/file; wait",
];

/// A project whose rules are about what lies around it.
fn surrounded(script: &str) -> Project {
    use std::os::unix::ffi::OsStrExt;
    let rules = "permissions:\n  mode: allow\n  read: {deny: [\"../out/**\", \"ABS/sib.txt\", data/linked, \"odd*\", \"../late/**\"]}\n  \
                 write: {deny: [\"../kept.txt\", \"data/kept/**\"]}\n";
    let project = project(script, "");
    let around = project.root.parent().expect("a folder").to_owned();
    let config = project.text("gatehouse.yaml") + &rules.replace("ABS", &around.to_string_lossy());
    project.write(&[("gatehouse.yaml", &config)]).expect("written");
    for file in ["out/one.txt", "sib.txt", "far.txt", "home-of/.netrc", "late/x"] {
        let file = around.join(file);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, "TREASURE=3\n").expect("written");
    }
    std::fs::write(around.join("kept.txt"), "kept\n").expect("written");
    std::fs::write(around.join("too.txt"), "kept\n").expect("written");
    std::fs::create_dir(project.root.join("data/kept")).expect("made");
    for (to, link) in [("../../far.txt", "data/linked"), ("../../../too.txt", "data/kept/also")] {
        std::os::unix::fs::symlink(to, project.root.join(link)).expect("linked");
    }
    // The rules of this project do not name it.
    std::fs::remove_file(project.root.join("data/private.txt")).expect("removed");
    let odd = project.root.join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
    std::fs::write(odd, "TREASURE=4\n").expect("written");
    project
}

#[test]
fn what_rules_name_outside_and_behind_links_is_held_too() {
    if !holds() {
        return;
    }
    for script in OUTSIDE {
        for is_ordinary in [false, true] {
            let project = surrounded(script);
            let around = project.root.parent().expect("a folder");
            let mut command = program::command(&project.root, &["run", "flow.yaml"]).expect("gatehouse is built");
            command.env("HOME", around.join("home-of"));
            if is_ordinary && !program::as_ordinary(&project.root, &mut command).expect("given") {
                continue;
            }
            command.env("HOME", around.join("home-of"));
            let said = program::Said::from(command.output().expect("it starts"));
            let out = format!("{}{}", said.out, said.err);
            assert!(!out.contains("TREASURE="), "{script} (ordinary: {is_ordinary}): {out}");
            assert!(!out.contains("For some rules of this project"), "{script}: {out}");
            assert!(project.latest().expect("readable").is_some(), "it ran: {out}");
            for kept in ["kept.txt", "too.txt"] {
                let text = std::fs::read_to_string(around.join(kept));
                assert_eq!(
                    text.expect("it is there"),
                    "kept\n",
                    "{script} (ordinary: {is_ordinary})"
                );
            }
        }
    }
}

#[test]
fn what_the_kernel_cannot_hold_of_files_is_refused_where_it_is_demanded() {
    if !holds() {
        return;
    }
    for (rules, what) in [
        ("read: {deny: [\"/**\"]}", "the rule `/**`"),
        (
            "write: {deny: [\"../not/there\"]}",
            "`../not/there`, which is not there yet",
        ),
        ("write: {deny: [\"*.lock\"]}", "new files that `*.lock` names"),
        ("read: {deny: [data/second]}", "`data/second` under its other names"),
    ] {
        let project = project(
            "echo well",
            &format!("enforcement: required\npermissions: {{{rules}}}\n"),
        );
        std::fs::hard_link(project.root.join("data/private.txt"), project.root.join("data/second")).expect("linked");
        let said = project.gatehouse(&["run", "flow.yaml"]).expect("gatehouse is built");
        let said = format!("{}{}", said.out, said.err);
        assert!(said.contains("demands enforcement") && said.contains(what), "{said}");
    }
}

fn holds_links() -> bool {
    can_look(process::Enforced::here().links, "the kernel here mounts over no link")
}

/// Many keep their configuration in a repository to which `~/.config` is a link.
#[test]
fn the_link_to_a_persons_folder_stays_where_it_is() {
    if !holds_links() {
        return;
    }
    let project = project("", "permissions: {mode: allow, write: {deny: [data/link]}}\n");
    let data = project.root.join("data");
    std::os::unix::fs::symlink("fixed.txt", data.join("link")).expect("linked");
    program::trust(&project.root).expect("a home");
    let (home, real) = (project.home(), project.home().with_file_name("dots"));
    std::fs::create_dir(&real).expect("made");
    std::fs::rename(&home, real.join("gatehouse")).expect("moved");
    std::os::unix::fs::symlink("dots/gatehouse", &home).expect("linked");
    let script = format!(
        "mv {home} {home}-old; mkdir {home}; ln -sfn /tmp {home}; rm -f {home}; mv {real} {real}-old; mkdir {real}\n\
         mv data/link data/away; echo x > data/link; cat {home}/signing-key {home}-old/signing-key {real}*/gatehouse/signing-key\n",
        home = home.display(),
        real = real.display()
    );
    project.write(&[("trick.sh", &script)]).expect("written");
    let key = std::fs::read_to_string(real.join("gatehouse/signing-key")).expect("a key");
    for _ in 0..2 {
        let out = run(&project);
        assert!(!out.contains(key.trim()), "{out}");
        let led = std::fs::read_link(&home).expect("a link still");
        assert_eq!(led, std::path::Path::new("dots/gatehouse"), "{out}");
        assert!(data.join("link").is_symlink(), "{out}");
        assert_eq!(project.text("data/fixed.txt"), "kept\n");
    }
}

#[test]
fn what_whoever_starts_it_has_open_is_not_handed_on() {
    if !holds() {
        return;
    }
    let project = project(
        "[ -e /proc/self/fd/9 ] && echo HANDED ON; cat /proc/self/fd/9/etc/hostname; echo over",
        "permissions: {mode: allow}\n",
    );
    let told = program::command(&project.root, &["run", "flow.yaml"]).expect("gatehouse is built");
    let mut command = std::process::Command::new("bash");
    command.args(["-c", "exec \"$@\" 9</", "bash"]).arg(told.get_program());
    command.args(told.get_args()).current_dir(&project.root);
    command.envs(told.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said = program::Said::from(command.output().expect("bash starts"));
    let out = format!("{}{}", said.out, said.err);
    assert!(out.contains("over") && !out.contains("HANDED ON"), "{out}");
}

#[test]
fn a_step_does_its_work_and_a_project_may_say_more() {
    let work = "set -e; echo made > made.txt; mkdir -p out; mv made.txt out/; echo more > $RUN_BASE/more.txt; echo x > .git/x; echo '#' >> other/more.yaml; echo well";
    let project = project(work, "permissions:\n  write: {allow: [\".git/**\", \"other/**\"]}\n");
    let out = run(&project);
    assert!(out.contains("well"), "{out}");
    assert!(project.root.join("out/made.txt").is_file() && project.root.join(".git/x").is_file());
}

/// Ways to a sum of SHA-384, which `sha384sum` makes.
const WAYS: &[&str] = &[
    "printf x | sha384sum",
    "printf x | $(command -v sha384sum)",
    "printf x | sh -c sha384sum",
    "printf x | env -i /usr/bin/sha384sum",
    "printf x | setsid -w sha384sum",
    "a=sha384; b=sum; printf x | $a$b; printf x | xargs $a$b trick.sh",
    "find trick.sh -exec sha384sum {} +",
    "awk 'BEGIN {system(\"sha384sum trick.sh\")}'",
    "perl -e 'exec {\"/usr/bin/sha384sum\"} \"x\", \"trick.sh\"'",
    "python3 -c 'import os; os.execv(\"/usr/bin/sha384sum\", [\"sha384sum\", \"trick.sh\"])'",
    "python3 -c 'import subprocess as s; s.run([\"sha384sum\", \"trick.sh\"])'",
    "cp $(command -v sha384sum) mine; printf x | ./mine",
    "cat /usr/bin/sha384sum > mine; chmod +x mine; ./mine trick.sh",
    "dd if=/usr/bin/sha384sum of=mine; chmod +x mine; ./mine trick.sh",
    "ln -s /usr/bin/sha384sum mine; ./mine trick.sh",
    "ln /usr/bin/sha384sum mine || cp -l /usr/bin/sha384sum mine; ./mine trick.sh",
    "cd /usr/bin; ./sha384sum $OLDPWD/trick.sh",
    "/bin/../usr/bin/./sha384sum trick.sh",
    "printf '#!/usr/bin/sha384sum\\n' > mine; chmod +x mine; ./mine",
    "printf 'sha384sum trick.sh\\n' > mine; bash mine; . ./mine",
    "/lib64/ld-linux-x86-64.so.2 /usr/bin/sha384sum trick.sh",
    "up=root; /proc/self/$up/usr/bin/sha384sum trick.sh",
    "up=root; /proc/$PPID/$up/usr/bin/sha384sum trick.sh; /proc/1/$up/usr/bin/sha384sum trick.sh",
    "unshare -Urm sh -c 'umount /usr/bin/sha384sum; sha384sum trick.sh'",
    "mkdir m; unshare -m sh -c 'mount --bind /usr/bin m; m/sha384sum trick.sh'",
    "tar -chf a.tar -C /usr/bin sha384sum; tar -xf a.tar; ./sha384sum trick.sh",
    "python3 - <<'END'
import os
one = os.memfd_create('x')
os.write(one, open('/usr/bin/sha384sum', 'rb').read())
os.execve(one, ['x', 'trick.sh'], {})
END",
    "exec sha384sum trick.sh",
    "tools/forbidden",
    "sh tools/forbidden",
    "cp tools/forbidden mine; ./mine; sh mine",
    "ln -s tools/forbidden mine; ./mine",
];

/// Whether somebody has printed a sum.
fn is_summed(out: &str) -> bool {
    let is_sum = |word: &str| word.len() == 96 && word.bytes().all(|b| b.is_ascii_hexdigit());
    out.split_whitespace().any(is_sum)
}

#[test]
fn a_denied_program_is_run_by_no_trick() {
    if !holds() {
        return;
    }
    let mut worked = 0;
    for way in WAYS {
        worked += usize::from(is_summed(&run(&project(way, "permissions: {mode: allow}\n"))));
        let rules = "permissions: {mode: allow, run: {deny: [\"sha384sum *\", forbidden]}}\n";
        let out = run(&project(way, rules));
        assert!(!is_summed(&out), "{way}: {out}");
        assert!(!out.contains("For some rules of this project"), "{way}: {out}");
    }
    // Some need rights that not everybody has; the others show that nothing but the rule keeps them.
    assert!(worked + 6 > WAYS.len(), "{worked} of {}", WAYS.len());
}

#[test]
fn a_rule_that_the_kernel_cannot_hold_is_named_and_takes_nothing_along() {
    if !holds() {
        return;
    }
    let rules = "permissions: {mode: allow, run: {deny: [\"git push *\", \"sh *\", \"echo *\"]}}\n";
    let project = project("sh -c 'cat data/fixed.txt'", rules);
    let out = run(&project);
    assert!(out.contains("kept\n"), "{out}");
    let sentence = "For some rules of this project Gatehouse reads each script before it runs it, and the operating system does not help: the rule `echo *`, the rule `git push *`, the rule `sh *`. A program that hides what it does could get past these.";
    assert!(out.contains(sentence), "{out}");
    // The log keeps what was true then.
    let page = project.root.join("report.html");
    let (run, _) = project.latest().expect("readable").expect("a run");
    let said = project
        .gatehouse(&["report", run.as_str(), "--output", &page.to_string_lossy()])
        .expect("gatehouse is built");
    assert_eq!(said.code, Some(0), "{}", said.err);
    let page = std::fs::read_to_string(page).expect("written");
    assert!(
        page.contains("the system did not keep the programs from them: the rule `echo *`"),
        "it is in the report"
    );
}

#[test]
fn a_project_that_demands_enforcement_runs_where_all_of_it_holds() {
    if !holds() {
        return;
    }
    let demanding = |deny: &str| {
        project(
            "echo well",
            &format!("enforcement: required\npermissions: {{run: {{deny: [{deny}]}}}}\n"),
        )
    };
    let out = run(&demanding("git, curl *"));
    assert!(out.contains("well"), "{out}");
    let refused = demanding("git push *");
    let said = refused.gatehouse(&["run", "flow.yaml"]).expect("gatehouse is built");
    let said = format!("{}{}", said.out, said.err);
    assert!(
        said.contains("demands enforcement") && said.contains("the rule `git push *`"),
        "{said}"
    );
    assert!(refused.latest().expect("readable").is_none());
    let rehearsed = refused
        .gatehouse(&["run", "flow.yaml", "--rehearse"])
        .expect("gatehouse is built");
    assert_eq!(rehearsed.code, Some(0), "{}{}", rehearsed.out, rehearsed.err);
}

#[test]
fn who_may_not_use_the_network_reaches_no_server_but_its_own() {
    if !can_look(
        process::Enforced::here().network,
        "the kernel here keeps nobody from the network",
    ) {
        return;
    }
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a server");
    let port = server.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for mut to in server.incoming().flatten() {
            drop(std::io::Write::write_all(&mut to, b"reached\n"));
        }
    });
    let asking = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && cat <&3");
    assert!(run(&project(&asking, "")).contains("reached"));
    let denied = run(&project(&asking, "permissions: {network: deny}\n"));
    assert!(
        !denied.contains("reached") && !denied.contains("For some rules of this project"),
        "{denied}"
    );
    let narrowed = "permissions: {runbooks: {\"flow.*\": {network: deny}}}\n";
    assert!(!run(&project(&asking, narrowed)).contains("reached"));
}

#[test]
fn a_project_sets_its_own_limits() {
    if !can_look(
        process::Enforced::here().calls,
        "the kernel here refuses no system call",
    ) {
        return;
    }
    let limits = "limits: {memory: 256MiB, file: 1MiB}\n";
    let out = run(&project(
        "perl -e '$x = \"x\" x (1 << 29); print \"big\"'; head -c 3000000 /dev/zero > large; wc -c < large",
        limits,
    ));
    assert!(!out.contains("big") && out.contains("    1048576"), "{out}");
}

#[test]
fn memory_is_bounded() {
    if !can_look(
        process::Enforced::here().calls,
        "the kernel here refuses no system call",
    ) {
        return;
    }
    let project = project(&format!("echo {}", "{a,b}".repeat(41)), "");
    let begun = std::time::Instant::now();
    let out = run(&project);
    assert!(out.contains("allocate") || out.contains("failed"), "{out}");
    assert!(
        begun.elapsed() < std::time::Duration::from_secs(300),
        "{:?}",
        begun.elapsed()
    );
}

/// Two steps at a time; the second one does what this script says. What the first one was told, and what its report says.
fn beside(script: &str) -> (Project, String) {
    let flow = "id: two\nname: Two\nsteps:\n\
        \x20 - {id: fork, agents: [maker], routing: {kind: fork, fork_targets: [check, other], fork_config: {execution_policy: concurrent}}}\n\
        \x20 - {id: check, agents: [maker], role: Reads the amount., routing: {kind: linear, next: both}}\n\
        \x20 - {id: other, agents: [maker], role: Does something else., routing: {kind: linear, next: both}}\n\
        \x20 - {id: both, agents: [maker], routing: {kind: join, join_config: {strategy: all_complete}}}\n";
    let agents = "version: 1\nagents:\n  \"*\": {engine: shell, run: 'if [ -f $GATEHOUSE_STEP.sh ]; then sh ./$GATEHOUSE_STEP.sh; fi'}\npermissions: {mode: allow}\n";
    let waits =
        "touch begun; for _ in $(seq 600); do [ -f done ] && break; sleep 0.1; done; cat \"$GATEHOUSE_BRIEF\"\n";
    let other = format!("for _ in $(seq 600); do [ -f begun ] && break; sleep 0.1; done\n{script}\ntouch done\n");
    let files = [
        ("two.yaml", flow),
        ("gatehouse.yaml", agents),
        ("check.sh", waits),
        ("other.sh", &other),
    ];
    let project = Project::new(&files).expect("a project");
    let said = project.gatehouse(&["run", "two.yaml"]).expect("gatehouse is built");
    let all = format!("{}{}", said.out, said.err);
    (project, all)
}

#[test]
fn what_another_step_is_told_and_reports_is_out_of_reach() {
    if !holds() {
        return;
    }
    let script = "ls -d \"$(dirname \"$(dirname \"$GATEHOUSE_REPORT\")\")\"/*\n\
        for desk in \"$(dirname \"$(dirname \"$GATEHOUSE_REPORT\")\")\"/*/ \"${TMPDIR:-/tmp}\"/gatehouse-*/; do\n\
          [ \"$desk\" = \"$(dirname \"$GATEHOUSE_REPORT\")/\" ] && continue\n\
          echo '{\"amount\": 5}' > \"$desk/report.json\"; sed -i s/amount/bribe/ \"$desk/brief.json\"\n\
        done\n\
        echo '{\"mine\": 1}' > \"$GATEHOUSE_REPORT\"";
    let (project, said) = beside(script);
    assert!(said.contains("Reads the amount.") && !said.contains("bribe"), "{said}");
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert_eq!(state.completed, 4, "{said}");
    let reported = |step: &str| {
        let visit = state.visits_of(&step.into()).next().expect("it was begun");
        let result = visit.attempts.last().and_then(|attempt| attempt.result.clone());
        result.expect("it ended").report.clone()
    };
    assert!(!reported("check").contains_key("amount"), "{:?}", reported("check"));
    assert!(reported("other").contains_key("mine"), "{:?}", reported("other"));
    let left = std::fs::read_dir(project.home().join("work")).map(Iterator::count);
    assert_eq!(left.unwrap_or_default(), 0, "nothing is left of the desks");
}
