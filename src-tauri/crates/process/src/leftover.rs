//! Processes whose driver died, or that left their group: found by the mark in their environment and among their mounts.

use std::collections::BTreeSet;
use std::time::Duration;

/// The variable that marks every process, so that those of a dead driver can be found.
pub const MARK: &str = "GATEHOUSE_ATTEMPT";

/// Separates a mark from the marks of its parts; no path and no id holds it.
const PART: char = '\u{1f}';

/// The mark of something that is part of something else: [`kill_marked`] of the whole finds it, that of another part does not.
pub fn part_of(mark: &str, part: &str) -> String {
    format!("{mark}{PART}{part}")
}

/// Kills every process of ours that carries this mark or one [`part_of`] it, those that it starts meanwhile too. Returns how many
/// were killed. Only Linux shows another process's environment; elsewhere nothing is found. What has left its environment too is found by its
/// mounts, where it was confined by some; nobody gets rid of those.
pub async fn kill_marked(mark: String) -> usize {
    let mut killed = BTreeSet::new();
    // A process that forks while it is looked for is found in the next pass.
    for _ in 0..10 {
        let wanted = mark.clone();
        let found = tokio::task::spawn_blocking(move || kill_once(&wanted))
            .await
            .unwrap_or_default();
        if found.is_empty() {
            break;
        }
        killed.extend(found);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    killed.len()
}

#[cfg(target_os = "linux")]
fn kill_once(mark: &str) -> Vec<i32> {
    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};
    let needle = format!("{MARK}={mark}");
    let mount = format!(" - tmpfs {}", mount_of(mark));
    let own = rustix::process::getpid();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let numbers = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let kill = |number: i32| {
        let pid = Pid::from_raw(number).filter(|pid| *pid != own)?;
        // Held before it is looked at: its number cannot become somebody else's between the look and the kill.
        let held = pidfd_open(pid, PidfdFlags::empty());
        // Another user's process cannot be read, and one that has ended has no environment: neither is ours.
        let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        let at_start = |at: usize| at == 0 || environment[at - 1] == 0;
        let at_end = |at: usize| matches!(environment.get(at).copied().map(char::from), Some('\0' | PART));
        let mut windows = environment.windows(needle.len()).enumerate();
        let is_marked =
            windows.any(|(at, window)| window == needle.as_bytes() && at_start(at) && at_end(at + needle.len()));
        if !is_marked && !is_among(&mount, number) {
            return None;
        }
        let killed = match held {
            Ok(held) => pidfd_send_signal(held, Signal::KILL),
            Err(rustix::io::Errno::NOSYS) => kill_process(pid, Signal::KILL),
            Err(error) => Err(error),
        };
        killed.is_ok().then_some(number)
    };
    numbers.filter_map(kill).collect()
}

/// Whether a process has this mount, or that of a part of it.
#[cfg(target_os = "linux")]
fn is_among(mount: &str, process: i32) -> bool {
    let mounts = std::fs::read_to_string(format!("/proc/{process}/mountinfo")).unwrap_or_default();
    let part = written(PART);
    mounts.lines().any(|line| {
        let rest = line.find(mount).map(|at| &line[at + mount.len()..]);
        rest.is_some_and(|rest| rest.starts_with(' ') || rest.starts_with(&part))
    })
}

/// The name of the mount that marks whoever is confined: a mark without what a list of mounts writes otherwise.
#[cfg(target_os = "linux")]
pub(crate) fn mount_of(mark: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "/._-@".contains(*c);
    let one = |c: char| if is_plain(&c) { c.to_string() } else { written(c) };
    format!("gatehouse:{}", mark.chars().map(one).collect::<String>())
}

#[cfg(target_os = "linux")]
fn written(c: char) -> String {
    format!("%{:x};", u32::from(c))
}

#[cfg(not(target_os = "linux"))]
fn kill_once(_mark: &str) -> Vec<i32> {
    Vec::new()
}
