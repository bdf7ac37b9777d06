//! The orders to end that a program gets from outside.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C, the order to end (SIGTERM), and the end of the terminal or the session (SIGHUP). From its making on these end the program in order
/// instead of at once, so it is made before anything is started that must not stay behind.
#[derive(Debug)]
pub struct Stop(Vec<Signal>);

impl Stop {
    /// Listens. Whoever was started to outlive its terminal (`nohup`) goes on ignoring its end.
    pub fn listen() -> Self {
        let wanted = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let wanted = wanted
            .into_iter()
            .filter(|kind| *kind != SignalKind::hangup() || !ignored(kind.as_raw_value()));
        // What cannot be listened to ends the program at once, as it would without this.
        Self(wanted.filter_map(|kind| signal(kind).ok()).collect())
    }

    /// Resolves at the first of them. May be dropped and called again, none is lost.
    pub async fn wanted(&mut self) {
        std::future::poll_fn(
            |context| match self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready()) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            },
        )
        .await;
    }
}

/// Whether this program ignores a signal; only Linux says so.
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
