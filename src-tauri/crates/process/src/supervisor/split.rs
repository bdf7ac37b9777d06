//! The supervisor's process becomes two: the supervisor, and the one that executes the program.

#[cfg(not(target_arch = "x86_64"))]
use super::check;
use super::supervise;
use libc::{c_long, pid_t};
use std::io;
use std::os::fd::RawFd;

/// What the supervisor keeps on its stack is some kilobytes.
#[cfg(target_arch = "x86_64")]
const STACK: usize = 128 * 1024;

/// Splits this process in two: it returns in the program's; the supervisor's never returns.
///
/// As with `vfork`, the program's works in the supervisor's memory, which waits until it has executed the program: copying that memory, only to
/// throw it away at once, would take as long as all the rest together. The program's goes on upon the stack that is there, and returns over it, so the
/// supervisor gets another one. Until the program is executed, or has failed to be, the supervisor hears no order: where a file system hangs in
/// between, as whoever starts the program does.
///
/// # Safety
/// Must be called between fork and exec, in a process of one thread; see [`supervise`].
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn split(control: RawFd, signals: RawFd) -> io::Result<()> {
    // SAFETY: new memory, of which nobody else knows.
    let stack = unsafe {
        let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK;
        libc::mmap(
            std::ptr::null_mut(),
            STACK,
            libc::PROT_READ | libc::PROT_WRITE,
            how,
            -1,
            0,
        )
    };
    if stack == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let top = stack.cast::<u8>().wrapping_add(STACK);
    let flags = c_long::from(libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD);
    let result: c_long;
    // SAFETY: where the call returns in the supervisor's process, that one goes on upon a stack of its own (whose end is aligned as a call wants
    // it) and never comes back; nothing of what the program's has done to the old one meanwhile is looked at. In the program's, and where there is
    // none, it is a system call like any other.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jle 2f",
            "mov rsp, {top}",
            "mov rdi, rax",
            "mov esi, {control:e}",
            "mov edx, {signals:e}",
            "xor ebp, ebp",
            "call {supervise}",
            "ud2",
            "2:",
            top = in(reg) top,
            control = in(reg) control,
            signals = in(reg) signals,
            supervise = sym supervise,
            inout("rax") libc::SYS_clone => result,
            in("rdi") flags,
            in("rsi") 0_u64,
            in("rdx") 0_u64,
            in("r10") 0_u64,
            in("r8") 0_u64,
            out("rcx") _,
            out("r11") _,
        );
    }
    match pid_t::try_from(result) {
        Ok(0) => Ok(()),
        _ => Err(io::Error::from_raw_os_error(
            i32::try_from(-result).unwrap_or(libc::EIO),
        )),
    }
}

/// The same with a copy of the memory.
///
/// # Safety
/// See above.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn split(control: RawFd, signals: RawFd) -> io::Result<()> {
    // SAFETY: system calls with valid arguments. The bare one: `fork` would take the locks of the C library, which another thread may have held.
    unsafe {
        let program = libc::syscall(libc::SYS_clone, c_long::from(libc::SIGCHLD), 0, 0, 0, 0) as pid_t;
        check(program)?;
        if program > 0 {
            supervise(program, control, signals);
        }
    }
    Ok(())
}
