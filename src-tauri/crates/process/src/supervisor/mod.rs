//! The process between this program and the one it starts (Linux).
//!
//! It is forked off and never executes anything. Whatever the program starts stays below it, however it hides: it is the sub-reaper, so the
//! kernel hands every orphan to it. It ends all of them when the program ends, when it is told to, and when the pipe that leads to
//! whoever started it closes, which it does however that one dies. Then it ends as the program did.
//!
//! The whole `unsafe` of this crate stands in this folder. What runs after a fork of a process with several threads may only make system calls: no
//! memory is allocated, nothing is locked and nothing panics.
#![expect(
    unsafe_code,
    reason = "only a hook that runs between fork and exec can stay between the two"
)]

mod cage;
mod devices;
mod split;

pub(crate) use cage::{Cage, enforced};

use libc::{c_int, c_void, pid_t};
use std::io::{self, PipeReader};
use std::os::fd::{AsRawFd, RawFd};
use tokio::process::Command;

/// What is written into the pipe to have the program told to end. Closing the pipe has it killed.
pub(crate) const TERMINATE: u8 = b'T';

/// How long those that were killed may take to be gone, in seconds; whoever takes longer hangs in the kernel.
const STUCK: i64 = 10;

/// Has the command started below a supervisor that listens at `control`, which must stay open until the command was spawned, and in a cage.
/// `terminal`: its standard input is a terminal, which becomes its own.
pub(crate) fn below(command: &mut Command, control: &PipeReader, cage: Cage, terminal: bool) {
    let control = control.as_raw_fd();
    // SAFETY: `part`, `keep_no_files`, `ioctl` and `enter` are system calls alone.
    unsafe {
        command.pre_exec(move || {
            part(control)?;
            keep_no_files()?;
            if terminal {
                // The program leads a session now, so the terminal can be that session's: `/dev/tty`, Ctrl+C, jobs of a shell.
                check(libc::ioctl(0, libc::TIOCSCTTY as _, 0))?;
            }
            cage.enter()
        });
    }
}

/// Has the program begin with its standard streams and nothing else. What whoever started Gatehouse has left open (a shell's `9<file`, a
/// `flock`) leads around every mount: below the descriptor of a folder all of it can be opened.
///
/// # Safety
/// Makes system calls alone.
unsafe fn keep_no_files() -> io::Result<()> {
    const FIRST: libc::c_uint = 3;
    // SAFETY: system calls with valid arguments.
    unsafe {
        // They are closed by what is executed, and not before: what tells whoever started it that it could not be executed is one of them.
        let how = libc::CLOSE_RANGE_CLOEXEC;
        if libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, how) < 0 {
            for file in FIRST..65_536 {
                libc::fcntl(file as c_int, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
    Ok(())
}

/// Splits the new process in two: it returns in the program's; the supervisor's never returns.
///
/// # Safety
/// Must be called between fork and exec, with nothing but standard streams needed by the program.
unsafe fn part(control: RawFd) -> io::Result<()> {
    // SAFETY: system calls with valid arguments; memory is this function's own.
    unsafe {
        // Away from the terminal: its signals are for this program, which passes on what it wants.
        check(libc::setsid())?;
        check(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))?;
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        let mut before: libc::sigset_t = std::mem::zeroed();
        check(libc::sigprocmask(libc::SIG_SETMASK, &all, &mut before))?;
        let mut ends: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut ends);
        libc::sigaddset(&mut ends, libc::SIGCHLD);
        let signals = libc::signalfd(-1, &ends, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        check(signals)?;
        let supervisor = libc::getpid();
        split::split(control, signals)?;
        // A session of its own, so that nobody outside of it can be in a group of it: groups are killed whole.
        check(libc::setsid())?;
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0))?;
        if libc::getppid() != supervisor {
            libc::_exit(1);
        }
        check(libc::sigprocmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()))?;
    }
    Ok(())
}

fn check(result: c_int) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Waits for the program or for an order, ends all that is left, and ends as the program did.
///
/// # Safety
/// Must be called in a process of its own, which nothing else uses any more.
unsafe extern "C" fn supervise(program: pid_t, control: RawFd, signals: RawFd) -> ! {
    // SAFETY: system calls with valid arguments; memory is this function's own. Numbers of processes are those of children that were not
    // yet collected, so they belong to nobody else.
    unsafe {
        // Every other file is closed: a pipe that is held open here would never end for its reader.
        libc::dup2(control, 0);
        libc::dup2(signals, 1);
        if libc::syscall(libc::SYS_close_range, 2, u32::MAX, 0) < 0 {
            for file in 2..65_536 {
                libc::close(file);
            }
        }
        libc::chdir(c"/".as_ptr());
        libc::prctl(libc::PR_SET_NAME, c"gatehouse-step".as_ptr(), 0, 0, 0);
        while !has_ended(program) {
            let mut waiting = [0, 1].map(|fd| libc::pollfd {
                fd,
                events: libc::POLLIN,
                revents: 0,
            });
            libc::poll(waiting.as_mut_ptr(), 2, -1);
            let mut seen = [0u8; 512];
            if waiting[1].revents != 0 {
                while libc::read(1, seen.as_mut_ptr().cast::<c_void>(), seen.len()) > 0 {}
            }
            if waiting[0].revents != 0 {
                match libc::read(0, seen.as_mut_ptr().cast::<c_void>(), 1) {
                    1 if seen[0] == TERMINATE => {
                        libc::kill(-program, libc::SIGTERM);
                        libc::kill(-program, libc::SIGCONT);
                    }
                    _ => break,
                }
            }
        }
        end_like(end_all(program));
    }
}

/// Whether the program has ended; other children that have are collected. The program itself is not: as long as it is there, its number, which
/// is also that of its group, belongs to nobody else.
///
/// # Safety
/// `program` is a child that was not collected.
unsafe fn has_ended(program: pid_t) -> bool {
    // SAFETY: system calls with valid arguments.
    unsafe {
        loop {
            let mut one: libc::siginfo_t = std::mem::zeroed();
            let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
            if libc::waitid(libc::P_PID, program.cast_unsigned(), &mut one, how) < 0 || one.si_pid() == program {
                return true;
            }
            let mut one: libc::siginfo_t = std::mem::zeroed();
            if libc::waitid(libc::P_ALL, 0, &mut one, how) < 0 {
                return true;
            }
            match one.si_pid() {
                0 => return false,
                pid if pid == program => return true,
                pid => libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL),
            };
        }
    }
}

/// Kills everything below this process until nothing is left. Gives how the program ended.
///
/// Whoever dies leaves its children to this process, so that all of them come by. A group is killed at once and as a whole, which
/// the kernel does not let a fork slip through; whoever forks and leaves its group faster than it is seen is tried again until it is met.
///
/// # Safety
/// `program` is a child that was not collected, and this process has no other children than those of the program.
unsafe fn end_all(program: pid_t) -> c_int {
    let mut how = 0;
    let mut collected = false;
    let (mut before, mut since) = (0u64, now());
    loop {
        // SAFETY: system calls with valid arguments; `program` is not collected as long as `collected` is not set, and each other
        // number is that of a child which only this process collects.
        unsafe {
            let ended = collected || has_ended(program);
            if !collected {
                libc::kill(-program, libc::SIGKILL);
            }
            let mut list = [0u8; 4096];
            let (mut others, mut sum) = (0, 0u64);
            for child in children(&mut list) {
                if child == program && !collected {
                    continue;
                }
                others += 1;
                sum = sum.wrapping_mul(31).wrapping_add(u64::from(child.cast_unsigned()));
                let group = libc::getpgid(child);
                if group > 1 && group != libc::getpid() {
                    libc::kill(-group, libc::SIGKILL);
                }
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, std::ptr::null_mut(), libc::WNOHANG | libc::__WALL);
            }
            if ended && others == 0 {
                if !collected {
                    libc::waitpid(program, &mut how, libc::__WALL);
                    collected = true;
                }
                // The list may leave out some while others end; this does not.
                if libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG | libc::__WALL) < 0 {
                    return how;
                }
            }
            if (others, sum) == (0, 0) || sum != before {
                (before, since) = (sum, if sum == 0 { since } else { now() });
                libc::sched_yield();
            } else {
                let a_moment = libc::timespec {
                    tv_sec: 0,
                    tv_nsec: 200_000,
                };
                libc::nanosleep(&a_moment, std::ptr::null_mut());
            }
            if now() - since > STUCK {
                return if collected { how } else { libc::SIGKILL };
            }
        }
    }
}

/// The numbers of this process's children, as far as they fit.
///
/// # Safety
/// Makes system calls alone.
unsafe fn children(list: &mut [u8; 4096]) -> impl Iterator<Item = pid_t> {
    // SAFETY: the path ends with zero, and no more is read than there is room.
    let count = unsafe {
        let file = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let count = libc::read(file, list.as_mut_ptr().cast::<c_void>(), list.len());
        libc::close(file);
        usize::try_from(count).unwrap_or(0)
    };
    // A number that was cut off has no space behind it; it comes again.
    list[..count].split_inclusive(|b| *b == b' ').filter_map(|word| {
        let digits = word.strip_suffix(b" ")?;
        digits.iter().try_fold(0, |number: pid_t, digit| {
            let digit = pid_t::from(digit.checked_sub(b'0').filter(|digit| *digit < 10)?);
            number.checked_mul(10)?.checked_add(digit)
        })
    })
}

fn now() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the memory is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec
}

/// Ends this process as another one ended.
///
/// # Safety
/// Must be called in a process of its own.
unsafe fn end_like(how: c_int) -> ! {
    // SAFETY: system calls with valid arguments; memory is this function's own.
    unsafe {
        if libc::WIFEXITED(how) {
            libc::_exit(libc::WEXITSTATUS(how));
        }
        let signal = libc::WTERMSIG(how);
        // Whoever dumps its memory has done so.
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::signal(signal, libc::SIG_DFL);
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut only);
        libc::sigaddset(&mut only, signal);
        libc::kill(libc::getpid(), signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &only, std::ptr::null_mut());
        libc::_exit(128 + signal)
    }
}
