//! The one command and the one channel between the window's pages and the studio.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use studio::{ApiError, Client, Notice, Studio};
use tauri::ipc::Channel;
use tokio::sync::SetOnce;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// How long notices are gathered before they are sent together. One message at a time stalls the window at a few
/// thousand a second; a batch per frame does not.
const GATHER: Duration = Duration::from_millis(25);

/// The most notices in one batch, so that a burst reaches the page in pieces it can draw.
const LARGEST_BATCH: usize = 1_000;

/// The project this window shows, or why it could not be opened: then every call is answered with that reason.
/// The window is painted while the project is still being opened; calls that come early wait.
#[derive(Default)]
pub struct Project(SetOnce<Result<Studio, ApiError>>);

impl Project {
    /// Opens the folder and watches it. Called once, inside the async runtime.
    pub fn open(&self, folder: &Path) {
        let opened = Studio::open(folder, Client::Desktop);
        match &opened {
            Ok(studio) => studio.watch(),
            Err(error) => tracing::error!(folder = %folder.display(), code = %error.code, "{}", error.message),
        }
        // A second opening is impossible by construction, and would change nothing.
        let _ = self.0.set(opened);
    }

    /// Lets go of what this window drives, as it closes.
    pub async fn close(&self) {
        if let Some(Ok(studio)) = self.0.get() {
            studio.close().await;
            studio.put_away();
        }
    }

    /// The studio, as soon as it is open.
    pub async fn studio(&self) -> Result<&Studio, ApiError> {
        self.0.wait().await.as_ref().map_err(ApiError::clone)
    }
}

/// Calls one method of the studio with its parameters as JSON.
#[tauri::command]
pub async fn rpc(
    project: tauri::State<'_, Arc<Project>>,
    method: String,
    params: serde_json::Value,
) -> Result<Box<serde_json::value::RawValue>, ApiError> {
    studio::command::dispatch(project.studio().await?, &method, params).await
}

/// Sends what changes from now on to the page, in batches, until the page is gone.
#[tauri::command]
pub async fn subscribe(project: tauri::State<'_, Arc<Project>>, channel: Channel<Vec<Notice>>) -> Result<(), ApiError> {
    let notices = project.studio().await?.subscribe();
    tauri::async_runtime::spawn(async move {
        forward(notices, |batch| channel.send(batch).is_ok()).await;
    });
    Ok(())
}

/// Gathers notices into batches and hands them on, until there are no more or `send` says that nobody listens.
async fn forward(mut notices: Receiver<Notice>, send: impl Fn(Vec<Notice>) -> bool) {
    loop {
        let mut batch = match notices.recv().await {
            Ok(notice) => vec![notice],
            Err(RecvError::Lagged(missed)) => vec![behind(missed)],
            Err(RecvError::Closed) => return,
        };
        tokio::time::sleep(GATHER).await;
        while batch.len() < LARGEST_BATCH {
            match notices.try_recv() {
                Ok(notice) => batch.push(notice),
                Err(TryRecvError::Lagged(missed)) => batch.push(behind(missed)),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        if !send(batch) {
            return;
        }
    }
}

/// Which of them were lost nobody knows: the window asks for all that it shows.
fn behind(missed: u64) -> Notice {
    tracing::warn!(missed, "the window did not keep up with what happened");
    Notice::Missed
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::sync::broadcast;

    use super::*;

    /// The sizes of the batches in which `count` notices arrive, sent in one burst.
    async fn batches(count: usize) -> Vec<usize> {
        let (sender, receiver) = broadcast::channel(4_096);
        for _ in 0..count {
            sender.send(Notice::Library).expect("the receiver lives");
        }
        drop(sender);
        let sizes = Mutex::new(Vec::new());
        forward(receiver, |batch| {
            sizes.lock().expect("no test panicked").push(batch.len());
            true
        })
        .await;
        sizes.into_inner().expect("no test panicked")
    }

    #[tokio::test]
    async fn a_burst_arrives_together_and_in_pieces_of_bounded_size() {
        assert_eq!(batches(3).await, [3]);
        assert_eq!(batches(LARGEST_BATCH + 5).await, [LARGEST_BATCH, 5]);
        assert_eq!(batches(0).await, [0; 0]);
    }

    #[tokio::test]
    async fn forwarding_ends_when_nobody_listens() {
        let (sender, receiver) = broadcast::channel(8);
        sender.send(Notice::Library).expect("the receiver lives");
        forward(receiver, |_| false).await;
        assert_eq!(sender.receiver_count(), 0);
    }

    #[tokio::test]
    async fn of_a_gap_the_page_is_told() {
        let (sender, receiver) = broadcast::channel(2);
        for _ in 0..5 {
            sender.send(Notice::Settings).expect("the receiver lives");
        }
        drop(sender);
        let seen = Mutex::new(Vec::new());
        forward(receiver, |batch| {
            seen.lock().expect("no test panicked").extend(batch);
            true
        })
        .await;
        let seen = seen.into_inner().expect("no test panicked");
        assert_eq!(seen, [Notice::Missed, Notice::Settings, Notice::Settings]);
    }
}
