//! Where tools come from: something that has some, and answers when one is called.

use crate::{Context, Outcome, Spec};
use process::Watch;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
