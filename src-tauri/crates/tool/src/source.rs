//! Where tools come from: something that has some, and answers when one is called.

use crate::{Context, Outcome, Spec};
use process::Watch;
use serde_json::Value;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::sync::watch;

/// An answer that is being made.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;

/// Has tools, and answers their calls.
pub trait Source: Send + Sync + std::fmt::Debug {
    /// Its tools.
    fn specs(&self) -> Vec<Spec>;

    /// Answers a call to one of them, whose arguments fit its schema (no arguments are an empty object). Never panics. When the
    /// [`Leash`] says so it ends what it started and returns; whoever does not is dropped a little later.
    fn call<'a>(&'a self, name: &'a str, args: &'a Value, context: &'a Context, leash: &'a Leash) -> Answer<'a>;
}

/// What several hold is a source for each of them.
impl<T: Source + ?Sized> Source for Arc<T> {
    fn specs(&self) -> Vec<Spec> {
        (**self).specs()
    }

    fn call<'a>(&'a self, name: &'a str, args: &'a Value, context: &'a Context, leash: &'a Leash) -> Answer<'a> {
        (**self).call(name, args, context, leash)
    }
}

/// Tells a call under way that nobody waits for its answer any more.
#[derive(Debug, Clone)]
pub struct Leash {
    pulled: watch::Receiver<bool>,
    flag: Arc<AtomicBool>,
}

/// Pulls a [`Leash`].
#[derive(Debug)]
pub struct Hand {
    pull: watch::Sender<bool>,
    flag: Arc<AtomicBool>,
}

impl Leash {
    /// A leash and the hand that holds it.
    pub fn new() -> (Hand, Self) {
        let (pull, pulled) = watch::channel(false);
        let flag = Arc::new(AtomicBool::new(false));
        let hand = Hand {
            pull,
            flag: Arc::clone(&flag),
        };
        (hand, Self { pulled, flag })
    }

    /// Resolves when the call is to end; may be dropped and called again.
    pub async fn pulled(&self) {
        let mut pulled = self.pulled.clone();
        // Whoever let go of the hand does not wait either.
        let _ = pulled.wait_for(|pulled| *pulled).await;
    }

    /// Set when the call is to end: for what cannot wait, but can look.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Works until it is done or the call is to end; what is not done then is dropped.
    pub async fn within<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.pulled() => None,
        }
    }

    /// Does what blocks where that is allowed. What is still blocked when the call is to end is left to itself.
    pub async fn blocking(&self, work: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
        match self.within(tokio::task::spawn_blocking(work)).await {
            Some(Ok(outcome)) => outcome,
            Some(Err(error)) => Outcome::failed(format!("the tool broke; that is a fault of Gatehouse: {error}")),
            None => Outcome::failed("the call was called off"),
        }
    }
}

impl Hand {
    /// Tells the call to end.
    pub fn pull(&self) {
        self.flag.store(true, Ordering::Relaxed);
        self.pull.send_replace(true);
    }
}

/// Why work was ended before it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It took longer than this, in words.
    Late(String),
    /// Nobody wants it any more.
    Off,
}

/// How long work that was told to end may take for it: programs get [`process::GRACE`], and a little to be collected.
const ENDING: Duration = Duration::from_secs(process::GRACE.as_secs() + 2);

/// Works until it is done, for `limit` at most, or until `stopped` resolves. Then the leash is pulled, and who does not end is dropped.
///
/// # Errors
/// Why it was ended, and what it still gave when it was told to.
pub(crate) async fn held<T>(
    limit: Duration,
    stopped: impl Future<Output = ()> + Send,
    work: impl AsyncFnOnce(&Leash) -> T,
) -> Result<T, (Cut, Option<T>)> {
    let mut stopped = pin!(stopped);
    // What nobody wants any more is not begun.
    if poll_fn(|context| Poll::Ready(stopped.as_mut().poll(context).is_ready())).await {
        return Err((Cut::Off, None));
    }
    let (hand, leash) = Leash::new();
    let mut working = pin!(work(&leash));
    let why = tokio::select! {
        biased;
        () = stopped => Cut::Off,
        done = &mut working => return Ok(done),
        () = tokio::time::sleep(limit) => Cut::Late(words(limit)),
    };
    hand.pull();
    let last = tokio::time::timeout(ENDING, working).await.ok();
    Err((why, last))
}

/// A duration in words: `30 s`, `1.5 s`, `250 ms`.
fn words(duration: Duration) -> String {
    match duration.as_secs() {
        0 => format!("{} ms", duration.as_millis()),
        _ => format!("{} s", duration.as_secs_f64()),
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.flag.store(true, Ordering::Relaxed);
    }
}

/// A program started for a call ends with it; what it prints for people nobody reads.
impl Watch for Leash {
    fn print(&self, _stream: &'static str, _text: &str) {}

    async fn stopped(&self) {
        self.pulled().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_called_off_before_it_begins_is_not_begun() {
        let begun = AtomicBool::new(false);
        for _ in 0..20 {
            let work = async |_: &Leash| begun.store(true, Ordering::Relaxed);
            let ended = held(Duration::from_secs(60), std::future::ready(()), work).await;
            assert_eq!(ended, Err((Cut::Off, None)));
        }
        assert!(!begun.into_inner());
    }
}
