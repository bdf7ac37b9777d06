//! Processes whose driver died, or that left their group: found by the mark in their environment.

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
/// were killed. Only Linux shows another process's environment; elsewhere nothing is found.
pub async fn kill_marked(mark: String) -> usize {
    let mut killed = 0;
    // A process that forks while it is looked for is found in the next pass.
    for _ in 0..10 {
        let wanted = mark.clone();
        let found = tokio::task::spawn_blocking(move || kill_once(&wanted))
            .await
            .unwrap_or(0);
        if found == 0 {
            break;
        }
        killed += found;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    killed
}

#[cfg(target_os = "linux")]
fn kill_once(mark: &str) -> usize {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let needle = format!("{MARK}={mark}");
    let own = std::process::id();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != own)
        .filter(|pid| {
            // Another user's process cannot be read, and one that has ended has no environment: neither is ours.
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let at_start = |at: usize| at == 0 || environment[at - 1] == 0;
            let at_end = |at: usize| matches!(environment.get(at).copied().map(char::from), Some('\0' | PART));
            let mut windows = environment.windows(needle.len()).enumerate();
            windows.any(|(at, window)| window == needle.as_bytes() && at_start(at) && at_end(at + needle.len()))
        })
        .filter(|pid| i32::try_from(*pid).is_ok_and(|pid| kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok()))
        .count()
}

#[cfg(not(target_os = "linux"))]
fn kill_once(_mark: &str) -> usize {
    0
}
