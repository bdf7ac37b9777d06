//! Processes of an attempt whose driver died, or that left their group: found by the mark in their environment.

use std::time::Duration;

/// Kills every process of ours that carries this mark, those that it starts meanwhile too. Returns how many were killed.
/// Only Linux shows another process's environment; elsewhere nothing is found.
pub(crate) async fn kill_marked(mark: String) -> usize {
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
    let needle = format!("{}={mark}\0", super::environment::MARK);
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
            let mut windows = environment.windows(needle.len()).enumerate();
            windows.any(|(at, window)| window == needle.as_bytes() && at_start(at))
        })
        .filter(|pid| i32::try_from(*pid).is_ok_and(|pid| kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok()))
        .count()
}

#[cfg(not(target_os = "linux"))]
fn kill_once(_mark: &str) -> usize {
    0
}
