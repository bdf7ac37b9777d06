//! Puts a process under a [`Confinement`] before it is executed: made ready by whoever starts it, entered by system calls alone.
//!
//! * **Files**: a mount namespace of its own, in which fixed paths are mounted read-only over themselves and hidden ones are covered. Only that can
//!   except single files of a folder in which new files can be made: a Landlock rule holds for all below a folder. Who is not root makes a user
//!   namespace for it. The project's folder and those around it are mount points, so that none of them can be moved away.
//! * **Landlock**: keeps everybody, root too, from changing the mounts and from reaching into processes outside, whose namespace has not changed.
//! * **seccomp**: refuses the calls that open files past the mounts, and those of the kernel's own administration.
//! * **Network**: where it is denied, a network namespace with a loopback and nothing else; seccomp keeps kinds of sockets away that know no namespaces, and
//!   every kind but local ones where no namespace can be had.
//! * **Resource limits**.

use super::devices;
use crate::confinement::{Confinement, Enforced};
use crate::leftover::mount_of;
use landlock::{
    AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
};
use libc::{c_int, c_long, c_ulong};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

/// What is done to a process, ready to be done.
#[derive(Debug)]
pub(crate) struct Cage {
    spaces: Option<Spaces>,
    rules: Option<OwnedFd>,
    filter: Vec<libc::sock_filter>,
    limits: [(u32, u64); 4],
}

/// Namespaces of its own.
#[derive(Debug, Default)]
struct Spaces {
    /// The maps of a user namespace, for whoever may make no other without one.
    user: Option<[CString; 2]>,
    /// A network of its own.
    network: bool,
    /// Mount points that are nothing else, from the outside in.
    anchors: Vec<CString>,
    links: Vec<CString>,
    /// Fixed files and folders, and with `true` those that can be changed all the same.
    files: Vec<(CString, bool)>,
    /// With whether it is a folder.
    hidden: Vec<(CString, bool)>,
    desk: Option<Desk>,
    directory: CString,
    /// The name of a mount by which [`crate::kill_marked`] knows whoever is in here, whatever they do with their environment.
    mark: Option<CString>,
}

/// A folder below a hidden one that is there all the same.
#[derive(Debug)]
struct Desk {
    hidden: CString,
    /// What is made in its place, from the outside in; the last one is the folder itself.
    way: Vec<CString>,
}

impl Cage {
    /// `directory`: where the program runs; `mark`: what it is found by.
    pub fn new(confinement: &Confinement, directory: &Path, mark: &str) -> Self {
        let limits = confinement.limits;
        let network = confinement.offline && has_networks();
        let mut held = Cow::Borrowed(confinement);
        if !confinement.links.is_empty() && !enforced().links {
            // Where the kernel mounts over no link they are not held, and that is said ([`Enforced::links`]).
            held.to_mut().links.clear();
        }
        Self {
            spaces: support().map(|user| Spaces {
                network,
                mark: CString::new(mount_of(mark))
                    .ok()
                    .filter(|name| name.count_bytes() < LONGEST_NAME),
                ..Spaces::new(&held, directory, user)
            }),
            rules: rules().map(|(rules, _)| rules),
            filter: filter(match (confinement.offline, network) {
                (false, _) => None,
                (true, true) => Some(NAMESPACED),
                (true, false) => Some(LOCAL),
            }),
            limits: [
                (libc::RLIMIT_DATA, limits.memory),
                (libc::RLIMIT_NPROC, limits.processes),
                (libc::RLIMIT_FSIZE, limits.file),
                (libc::RLIMIT_CORE, 0),
            ],
        }
    }

    /// One that keeps from nothing but core files.
    fn empty() -> Self {
        Self {
            spaces: None,
            rules: None,
            filter: Vec::new(),
            limits: [(libc::RLIMIT_CORE, 0); 4],
        }
    }

    /// Enters it, for good.
    ///
    /// Must be called between fork and exec: it makes system calls alone.
    pub fn enter(&self) -> io::Result<()> {
        if let Some(spaces) = &self.spaces {
            spaces.enter()?;
        }
        // SAFETY: system calls; what they point to lives as long as `self`.
        unsafe {
            for (what, most) in self.limits {
                let mut now: libc::rlimit = std::mem::zeroed();
                check(libc::getrlimit(what, &mut now))?;
                let most = now.rlim_max.min(most);
                let lower = libc::rlimit {
                    rlim_cur: now.rlim_cur.min(most),
                    rlim_max: most,
                };
                check(libc::setrlimit(what, &lower))?;
            }
            for power in POWERS {
                // Whoever is not root has none to lose.
                libc::prctl(libc::PR_CAPBSET_DROP, c_ulong::from(*power), 0, 0, 0);
            }
            check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
            if let Some(rules) = &self.rules {
                check_long(libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0))?;
            }
            if !self.filter.is_empty() {
                let program = libc::sock_fprog {
                    len: self.filter.len() as u16,
                    filter: self.filter.as_ptr().cast_mut(),
                };
                check(libc::prctl(
                    libc::PR_SET_SECCOMP,
                    libc::SECCOMP_MODE_FILTER,
                    &raw const program,
                    0,
                    0,
                ))?;
            }
        }
        Ok(())
    }
}

impl Spaces {
    fn new(confinement: &Confinement, directory: &Path, user: bool) -> Self {
        let written = |path: &Path| CString::new(path.as_os_str().as_bytes()).ok();
        // In this order what lies in another path comes after that, and counts.
        let mut files: Vec<(&Path, bool)> = confinement.fixed.iter().map(|path| (path.as_path(), false)).collect();
        files.extend(confinement.own.iter().map(|path| (path.as_path(), true)));
        files.sort_unstable();
        // What lies around the working folder cannot be hidden without hiding that too.
        let hidden = confinement.hidden.iter().filter(|path| !directory.starts_with(path));
        // Of several around the desk the outermost hides the others too.
        let holds = |path: &Path| confinement.desk.as_deref().is_some_and(|desk| desk.starts_with(path));
        let around_desk = hidden
            .clone()
            .filter(|path| holds(path))
            .min_by_key(|path| path.components().count());
        let hidden = hidden.filter(|path| !holds(path) || Some(*path) == around_desk);
        // A folder around something fixed or hidden could be moved away: another one made in its place, or what is hidden found under another
        // path by the next program.
        let kept = confinement.fixed.iter().chain(&confinement.hidden);
        let around = kept.chain(&confinement.links).filter_map(|path| path.parent());
        let around = around.chain(std::iter::once(directory)).flat_map(Path::ancestors);
        let around: BTreeSet<&Path> = around.filter(|path| path.parent().is_some()).collect();
        // In this order a folder comes before those in it. Without anything to protect nothing is mounted.
        let is_root = !user && rustix::process::getuid().is_root();
        let kernel = KERNEL.iter().filter(|_| is_root && !confinement.fixed.is_empty());
        // Whoever opens a disk reads and writes around every mount. A group of this account may open it too, so not for root alone.
        let disks = match confinement.fixed.is_empty() {
            true => Vec::new(),
            false => devices::past_files(),
        };
        let anchors = match confinement.fixed.is_empty() && confinement.hidden.is_empty() {
            true => Vec::new(),
            false => around.into_iter().filter_map(written).collect(),
        };
        let desk = confinement.desk.as_deref().and_then(|desk| {
            let hidden = around_desk?;
            let mut way: Vec<&Path> = desk.ancestors().take_while(|folder| *folder != hidden).collect();
            way.reverse();
            Some(Desk {
                hidden: written(hidden)?,
                way: way.into_iter().map(written).collect::<Option<_>>()?,
            })
        });
        let uid = rustix::process::getuid().as_raw();
        let gid = rustix::process::getgid().as_raw();
        let map = |id: u32| CString::new(format!("{id} {id} 1")).unwrap_or_default();
        Self {
            user: user.then(|| [map(uid), map(gid)]),
            network: false,
            anchors,
            links: confinement.links.iter().filter_map(|path| written(path)).collect(),
            files: files
                .into_iter()
                .filter_map(|(path, is_own)| Some((written(path)?, is_own)))
                .chain(kernel.map(|path| (CString::from(*path), false)))
                .collect(),
            hidden: hidden
                .filter_map(|path| Some((written(path)?, path.is_dir())))
                .chain(disks.iter().filter_map(|path| Some((written(path)?, false))))
                .collect(),
            desk,
            directory: written(directory).unwrap_or_default(),
            mark: None,
        }
    }

    fn enter(&self) -> io::Result<()> {
        let has_mounts = !(self.files.iter().all(|(_, is_own)| *is_own) && self.hidden.is_empty());
        let own = |when: bool, what: c_int| if when { what } else { 0 };
        let spaces = own(has_mounts, libc::CLONE_NEWNS) | own(self.network, libc::CLONE_NEWNET);
        if spaces == 0 {
            return Ok(());
        }
        // SAFETY: system calls; what they point to lives as long as `self`.
        unsafe {
            let user = self.user.as_ref().map_or(0, |_| libc::CLONE_NEWUSER);
            check(libc::unshare(spaces | user))?;
            if let Some([uid, gid]) = &self.user {
                write(c"/proc/self/setgroups", c"deny")?;
                write(c"/proc/self/gid_map", gid)?;
                write(c"/proc/self/uid_map", uid)?;
            }
            if self.network {
                raise_loopback()?;
            }
            if !has_mounts {
                return Ok(());
            }
            // What is mounted outside later is seen, what is mounted here is not seen outside.
            mount(None, c"/", None, libc::MS_REC | libc::MS_SLAVE)?;
            for path in &self.anchors {
                there(path, || mount(Some(path), path, None, libc::MS_BIND | libc::MS_REC))?;
            }
            for path in &self.links {
                there(path, || pin(path))?;
            }
            for (path, is_own) in &self.files {
                there(path, || cover(path, !is_own))?;
            }
            for (path, is_folder) in &self.hidden {
                let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV;
                let desk = self.desk.as_ref().filter(|desk| desk.hidden == *path);
                there(path, || match (is_folder, desk) {
                    (true, Some(desk)) => cover_but(desk),
                    (true, None) => mount(Some(c"none"), path, Some(c"tmpfs"), flags),
                    (false, _) => mount(Some(c"/dev/null"), path, None, libc::MS_BIND | libc::MS_REC),
                })?;
            }
            terminals()?;
            if let Some(mark) = &self.mark {
                let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV;
                // Without it the mark in the environment is left.
                let _ = mount(Some(mark), MARKED, Some(c"tmpfs"), flags);
            }
            if !self.directory.is_empty() {
                check(libc::chdir(self.directory.as_ptr()))?;
            }
        }
        Ok(())
    }
}

/// Terminals of its own in the place of the person's: into those it could write what acts on them, and read what is typed. The one it has
/// been given it finds as `/dev/tty`.
///
/// # Safety
/// Makes system calls alone.
unsafe fn terminals() -> io::Result<()> {
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    // SAFETY: every text ends with zero.
    unsafe {
        let options = c"newinstance,ptmxmode=0666,mode=0620";
        let own = libc::mount(
            c"devpts".as_ptr(),
            TERMINALS.as_ptr(),
            c"devpts".as_ptr(),
            flags,
            options.as_ptr().cast(),
        );
        if check(own).is_err() {
            there(TERMINALS, || {
                mount(Some(c"none"), TERMINALS, Some(c"tmpfs"), flags | libc::MS_RDONLY)
            })?;
        }
    }
    Ok(())
}

/// # Safety
/// Makes system calls alone.
unsafe fn mount(from: Option<&CStr>, to: &CStr, kind: Option<&CStr>, flags: c_ulong) -> io::Result<()> {
    let text = |text: Option<&CStr>| text.map_or(std::ptr::null(), CStr::as_ptr);
    let size = kind.map_or(std::ptr::null(), |_| c"size=4k,mode=500".as_ptr().cast());
    // SAFETY: every text ends with zero.
    check(unsafe { libc::mount(text(from), to.as_ptr(), text(kind), flags, size) })
}

/// Mounts over a path, unless it is gone: what is not there needs no protection.
///
/// Another program may put another file in its place at any moment. The kernel then says that the path found is no more, where the name has
/// long been another file's; that one is to be protected as well. Or it has taken away the mount on which the path was found, and calls that
/// mount nobody's (`EINVAL`).
fn there(path: &CStr, mount: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let mut last = libc::EBUSY;
    for _ in 0..REPLACED {
        let failed = match mount() {
            Err(error) => error.raw_os_error(),
            done => return done,
        };
        match failed {
            // SAFETY: the path ends with zero.
            Some(libc::ENOENT | libc::ENOTDIR) if unsafe { libc::access(path.as_ptr(), libc::F_OK) } != 0 => {
                return Ok(());
            }
            Some(libc::ENOENT | libc::ENOTDIR) => last = libc::EBUSY,
            Some(libc::EINVAL) => last = libc::EINVAL,
            other => return Err(io::Error::from_raw_os_error(other.unwrap_or(libc::EIO))),
        }
    }
    Err(io::Error::from_raw_os_error(last))
}

/// Mounts a path over itself, read-only or not. It is made so before it stands anywhere: where another file takes the path's place in between, the
/// kernel takes the mount away.
///
/// # Safety
/// Makes system calls alone.
unsafe fn cover(path: &CStr, is_fixed: bool) -> io::Result<()> {
    // SAFETY: the path ends with zero.
    unsafe {
        let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_RECURSIVE as libc::c_uint;
        let tree = libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags);
        check_long(tree)?;
        let tree = tree as c_int;
        let result = writable(tree, !is_fixed).and_then(|()| attach(tree, path, libc::MOVE_MOUNT_T_SYMLINKS));
        libc::close(tree);
        result
    }
}

/// Mounts a link over itself: it leads where it led, and the kernel moves and removes no mount point.
///
/// # Safety
/// Makes system calls alone.
unsafe fn pin(link: &CStr) -> io::Result<()> {
    // SAFETY: the path ends with zero.
    unsafe {
        let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_SYMLINK_NOFOLLOW as libc::c_uint;
        let tree = libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, link.as_ptr(), flags);
        check_long(tree)?;
        let tree = tree as c_int;
        let result = attach(tree, link, 0);
        libc::close(tree);
        result
    }
}

/// Covers a folder but for one that lies in it.
///
/// # Safety
/// Makes system calls alone.
unsafe fn cover_but(desk: &Desk) -> io::Result<()> {
    let Some(own) = desk.way.last() else {
        return Ok(());
    };
    // SAFETY: every path ends with zero.
    unsafe {
        // Before it is covered.
        let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC;
        let tree = libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, own.as_ptr(), flags);
        check_long(tree)?;
        let tree = tree as c_int;
        let flags = libc::MS_NOSUID | libc::MS_NODEV;
        // It is a rule of its own: what fixes a folder around it is not about it.
        let made = writable(tree, true)
            .and_then(|()| mount(Some(c"none"), &desk.hidden, Some(c"tmpfs"), flags))
            .and_then(|()| {
                for folder in &desk.way {
                    check(libc::mkdir(folder.as_ptr(), 0o700))?;
                }
                attach(tree, own, libc::MOVE_MOUNT_T_SYMLINKS)?;
                let closed = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY;
                mount(None, &desk.hidden, None, flags | closed)
            });
        libc::close(tree);
        made
    }
}

/// Says of a tree of mounts whether it may be written.
///
/// # Safety
/// Makes system calls alone.
unsafe fn writable(tree: c_int, may: bool) -> io::Result<()> {
    let flag = |when: bool| if when { libc::MOUNT_ATTR_RDONLY } else { 0 };
    let change = libc::mount_attr {
        attr_set: flag(!may),
        attr_clr: flag(may),
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: the size is that of the structure.
    check_long(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree,
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    })
}

/// Puts a tree of mounts at a path. `how`: `MOVE_MOUNT_T_SYMLINKS` for where it leads, nothing for the link itself.
///
/// # Safety
/// Makes system calls alone.
unsafe fn attach(tree: c_int, path: &CStr, how: libc::c_uint) -> io::Result<()> {
    let flags = libc::MOVE_MOUNT_F_EMPTY_PATH | how;
    // SAFETY: the path ends with zero.
    check_long(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree,
            c"".as_ptr(),
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
        )
    })
}

/// Has the loopback of a new network namespace carry what is sent on it.
///
/// # Safety
/// Makes system calls alone.
unsafe fn raise_loopback() -> io::Result<()> {
    // SAFETY: the request is this function's own, and its name ends with zero.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        check(socket)?;
        let result = check(libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request));
        libc::close(socket);
        result
    }
}

/// # Safety
/// Makes system calls alone.
unsafe fn write(file: &CStr, text: &CStr) -> io::Result<()> {
    // SAFETY: the texts end with zero, and no more is read than is there.
    unsafe {
        let file = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        check(file)?;
        let written = libc::write(file, text.as_ptr().cast(), text.count_bytes());
        let result = check_long(written as c_long);
        libc::close(file);
        result
    }
}

fn check(result: c_int) -> io::Result<()> {
    check_long(c_long::from(result))
}

fn check_long(result: c_long) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// The Landlock rules, and whether they hold signals too. Renaming from one folder to another stays possible everywhere; what is handled and not
/// granted, the making of devices, is refused. That there are rules at all is what keeps the mounts and the processes outside.
fn rules() -> Option<(OwnedFd, bool)> {
    let made = |signals: bool| -> Option<OwnedFd> {
        let handled = AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::Refer;
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let mut ruleset = ruleset.handle_access(handled).ok()?;
        if signals {
            ruleset = ruleset.scope(Scope::Signal).ok()?;
        }
        let root = PathBeneath::new(PathFd::new("/").ok()?, AccessFs::Refer);
        ruleset.create().ok()?.add_rule(root).ok()?.into()
    };
    made(true)
        .map(|rules| (rules, true))
        .or_else(|| Some((made(false)?, false)))
}

/// So often a file may be replaced while it is being protected.
const REPLACED: u32 = 10_000;

/// A folder that nobody needs and every kernel has.
const TERMINALS: &CStr = c"/dev/pts";
const MARKED: &CStr = c"/proc/tty/driver";
/// The kernel takes names of mounts up to a page.
const LONGEST_NAME: usize = 4000;

/// Where root sets how the kernel works.
const KERNEL: [&CStr; 3] = [c"/proc/sys", c"/proc/sysrq-trigger", c"/sys"];

/// What root may do that leads around the rest: `CAP_NET_ADMIN`, `CAP_DAC_READ_SEARCH`, `CAP_SYS_MODULE`, `CAP_SYS_RAWIO`, `CAP_SYS_PTRACE`, `CAP_SYS_ADMIN`,
/// `CAP_SYS_BOOT`, `CAP_SYS_RESOURCE`, `CAP_SYS_TIME`, `CAP_MAC_OVERRIDE`, `CAP_MAC_ADMIN`, `CAP_PERFMON`, `CAP_BPF`, `CAP_CHECKPOINT_RESTORE`.
const POWERS: &[u32] = &[2, 12, 16, 17, 19, 21, 22, 24, 25, 32, 33, 38, 39, 40];

/// `open_tree_attr`: the same number on every processor.
const OPEN_TREE_ATTR: c_long = 467;

/// Calls that open files by other ways than paths, change what is mounted, or administrate the kernel.
const REFUSED: &[c_long] = &[
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: Option<u32> = None;

/// Kinds of sockets that belong to a network namespace. Others (`AF_VSOCK`, `AF_BLUETOOTH` …) lead out of it.
const NAMESPACED: &[c_int] = &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// Kinds of sockets that reach no network.
const LOCAL: &[c_int] = &[libc::AF_UNIX];

/// The filter of system calls; empty on processors whose numbers are not known here. `sockets`: the kinds that may be made, absent for all.
fn filter(sockets: Option<&[c_int]>) -> Vec<libc::sock_filter> {
    let Some(architecture) = ARCHITECTURE else {
        return Vec::new();
    };
    let statement = |code: u32, k: u32| libc::sock_filter {
        code: code as u16,
        jt: 0,
        jf: 0,
        k,
    };
    let jump = |test: u32, k: u32, jt: usize, jf: usize| libc::sock_filter {
        code: (libc::BPF_JMP | test | libc::BPF_K) as u16,
        jt: jt as u8,
        jf: jf as u8,
        k,
    };
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    // What is asked of a socket, in front of the two last statements: let it be, or refuse.
    let mut asked = Vec::new();
    if let Some(kinds) = sockets {
        asked.push(jump(libc::BPF_JEQ, libc::SYS_socket as u32, 0, kinds.len() + 1));
        // The lower half of the first argument stands at 16.
        asked.push(statement(load, 16));
        for (i, kind) in kinds.iter().enumerate() {
            let after = kinds.len() - 1 - i;
            asked.push(jump(libc::BPF_JEQ, *kind as u32, after, usize::from(after == 0)));
        }
    }
    // The limits of another process than oneself (0) are not one's to set.
    let others = [
        jump(libc::BPF_JEQ, libc::SYS_prlimit64 as u32, 0, 2),
        statement(load, 16),
        jump(libc::BPF_JEQ, 0, asked.len(), asked.len() + 1),
    ];
    let count = REFUSED.len() + others.len() + asked.len();
    let mut program = vec![
        // In `seccomp_data` the processor stands at 4, the number of the call at 0.
        statement(load, 4),
        jump(libc::BPF_JEQ, architecture, 0, count + 3),
        statement(load, 0),
        // The calls of x32 have numbers of their own.
        jump(libc::BPF_JGE, 0x4000_0000, count + 1, 0),
    ];
    for (i, call) in REFUSED.iter().enumerate() {
        program.push(jump(libc::BPF_JEQ, *call as u32, count - i, 0));
    }
    program.extend(others);
    program.extend(asked);
    program.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW));
    let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    program.push(statement(libc::BPF_RET | libc::BPF_K, refuse));
    program
}

/// Whether this program may mount, and whether it needs a user namespace for it; tried once.
fn support() -> Option<bool> {
    static FOUND: OnceLock<Option<bool>> = OnceLock::new();
    *FOUND.get_or_init(|| [false, true].into_iter().find(|user| can_mount(*user)))
}

/// Whether this program may make a network of its own; tried once.
fn has_networks() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        support().is_some_and(|user| {
            can_enter(Cage {
                spaces: Some(Spaces {
                    network: true,
                    ..Spaces::new(&Confinement::default(), Path::new("/"), user)
                }),
                ..Cage::empty()
            })
        })
    })
}

/// What the kernel enforces of a cage.
pub(crate) fn enforced() -> Enforced {
    static FOUND: OnceLock<Enforced> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let rules = rules();
        let here = Cage::new(&Confinement::default(), Path::new("/"), "");
        let calls = !here.filter.is_empty() && can_enter(here);
        Enforced {
            // Without Landlock whoever may mount could unmount.
            files: support().is_some() && rules.is_some() && calls,
            links: support().is_some_and(can_pin) && rules.is_some() && calls,
            signals: rules.as_ref().is_some_and(|(_, signals)| *signals) && calls,
            outside: rules.is_some() && calls,
            calls,
            // The filter alone holds it where no namespace can be had.
            network: calls,
        }
    })
}

fn can_mount(user: bool) -> bool {
    let here = Confinement {
        fixed: vec!["/dev/null".into()],
        hidden: vec!["/dev/null".into(), "/proc/self/fdinfo".into()],
        ..Confinement::default()
    };
    can_enter(Cage {
        spaces: Some(Spaces::new(&here, Path::new("/"), user)),
        ..Cage::empty()
    })
}

/// Whether links can be held: not every kernel mounts over one.
fn can_pin(user: bool) -> bool {
    let here = Confinement {
        fixed: vec!["/dev/null".into()],
        links: vec!["/proc/mounts".into()],
        ..Confinement::default()
    };
    can_enter(Cage {
        spaces: Some(Spaces::new(&here, Path::new("/"), user)),
        ..Cage::empty()
    })
}

/// Whether a process comes into a cage; it ends there.
fn can_enter(cage: Cage) -> bool {
    use std::os::unix::process::CommandExt;
    let mut command = std::process::Command::new("/");
    // SAFETY: `enter` makes system calls alone.
    unsafe {
        command.pre_exec(move || {
            cage.enter()?;
            Err(io::Error::from_raw_os_error(libc::ECANCELED))
        });
    }
    command
        .spawn()
        .is_err_and(|error| error.raw_os_error() == Some(libc::ECANCELED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    #[test]
    fn without_a_namespace_the_filter_leaves_local_sockets_alone() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a server");
        let port = server.local_addr().expect("bound").port();
        let reach = |cage: Option<Cage>| {
            let mut command = std::process::Command::new("bash");
            command.args(["-c", &format!("exec 3<>/dev/tcp/127.0.0.1/{port}")]);
            // SAFETY: `enter` makes system calls alone.
            unsafe { command.pre_exec(move || cage.as_ref().map_or(Ok(()), Cage::enter)) };
            command.output().expect("bash starts").status.success()
        };
        let filtered = |kinds| Cage {
            filter: filter(Some(kinds)),
            ..Cage::empty()
        };
        if ARCHITECTURE.is_none() {
            return;
        }
        assert!(reach(None) && reach(Some(filtered(NAMESPACED))));
        assert!(!reach(Some(filtered(LOCAL))));
    }
}
