//! A program that one goes on talking with: a language server, an MCP server.

use crate::framing::{Framer, Framing, Unframed};
use crate::group::{Group, Order};
use crate::text::{Decoder, LastLine};
use crate::{DRAIN, GRACE, kill_marked, part_of};
use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How many messages wait, in each direction, before the other side has to.
const WAITING: usize = 16;
/// How much of what it complains about is kept, in bytes: the end of it.
const TAIL: usize = 8 * 1024;

/// A running program with which messages are exchanged over its standard input and output. When this is dropped, the program and all of
/// its group are killed, and whoever left the group too.
#[derive(Debug)]
pub struct Conversation {
    group: Group,
    status: Option<ExitStatus>,
    mark: String,
    speaker: Speaker,
    heard: mpsc::Receiver<Result<Vec<u8>, Silence>>,
    complaints: Arc<Mutex<Complaints>>,
    /// Changes no more once the program has closed its standard error.
    complaining: watch::Receiver<()>,
    /// Carry the three streams; they end with this.
    tasks: JoinSet<()>,
}

/// Speaks to the program of a [`Conversation`], from anywhere.
#[derive(Debug, Clone)]
pub struct Speaker {
    framing: Framing,
    said: mpsc::Sender<Vec<u8>>,
}

/// Why nothing more is to be heard or said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// The program has ended, or closed its output; in words how, and the last line that it complained.
    Ended(String),
    /// It does not read any more.
    Deaf,
    /// A message is longer than this many bytes. Where the next begins is unknown: the conversation is over.
    TooLong(usize),
    /// What arrives cannot be told apart into messages, in words. The conversation is over.
    Malformed(String),
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(how) => f.write_str(how),
            Self::Deaf => f.write_str("the program does not read its standard input any more"),
            Self::TooLong(limit) => write!(f, "the program sent a message of more than {limit} bytes"),
            Self::Malformed(what) => write!(f, "what the program sends cannot be read: {what}"),
        }
    }
}

impl std::error::Error for Silence {}

impl Speaker {
    /// Says one message. Waits while the program is behind with reading; may be dropped, and then the message is said or not, whole.
    ///
    /// # Errors
    /// [`Silence::Deaf`] when the program does not read any more, [`Silence::Malformed`] when its framing cannot carry the message.
    pub async fn say(&self, message: &[u8]) -> Result<(), Silence> {
        let wrapped = self.framing.wrap(message);
        let bytes = wrapped.map_err(|why| Silence::Malformed(why.to_owned()))?;
        self.said.send(bytes).await.map_err(|_| Silence::Deaf)
    }
}

impl Conversation {
    /// Starts the program. `limit`: its longest message, in bytes. The mark of the order becomes the whole of which this conversation's
    /// own mark is a part, so that ending it ends nobody else. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The program could not be started.
    pub fn start(mut order: Order<'_>, framing: Framing, limit: usize) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let own = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mark = part_of(&order.mark, &own);
        order.mark.clone_from(&mark);
        let mut group = Group::start(order)?;
        let (said, to_say) = mpsc::channel(WAITING);
        let (hearing, heard) = mpsc::channel(WAITING);
        let complaints = Arc::new(Mutex::new(Complaints::default()));
        let (until, complaining) = watch::channel(());
        let mut tasks = JoinSet::new();
        if let Some(stdin) = group.stdin() {
            tasks.spawn(write(stdin, to_say));
        }
        if let Some(stdout) = group.stdout() {
            tasks.spawn(read(stdout, Framer::new(framing, limit), hearing));
        }
        if let Some(stderr) = group.stderr() {
            tasks.spawn(listen(stderr, Arc::clone(&complaints), until));
        }
        Ok(Self {
            group,
            status: None,
            mark,
            speaker: Speaker { framing, said },
            heard,
            complaints,
            complaining,
            tasks,
        })
    }

    /// Whoever says something from elsewhere, while [`Conversation::hear`] waits here.
    pub fn speaker(&self) -> Speaker {
        self.speaker.clone()
    }

    /// Says one message, as [`Speaker::say`] does.
    ///
    /// # Errors
    /// See there.
    pub async fn say(&self, message: &[u8]) -> Result<(), Silence> {
        self.speaker.say(message).await
    }

    /// The next message. Waits without end: a deadline is for the caller. May be dropped and called again, nothing is lost.
    ///
    /// # Errors
    /// Nothing more will be heard, and why.
    pub async fn hear(&mut self) -> Result<Vec<u8>, Silence> {
        if self.status.is_none() {
            tokio::select! {
                biased;
                message = self.heard.recv() => if let Some(message) = message {
                    return message;
                },
                ended = self.group.wait() => self.status = ended.ok(),
            }
        }
        // What it said before it ended is still heard; who holds its pipe open after that is not waited for.
        if let Ok(Some(message)) = timeout(DRAIN, self.heard.recv()).await {
            return message;
        }
        if self.status.is_none()
            && let Ok(ended) = timeout(DRAIN, self.group.wait()).await
        {
            self.status = ended.ok();
        }
        if self.status.is_some() {
            // Its last complaint may still be on its way; that the sender is gone is what is waited for.
            let _ = timeout(DRAIN, self.complaining.changed()).await;
        }
        Err(Silence::Ended(self.how()))
    }

    /// The end of what it printed on standard error, at most 8 KiB.
    pub fn complaints(&self) -> String {
        lock(&self.complaints).tail.clone()
    }

    /// Ends it: closes its standard input, waits, tells it to end, waits, kills it; [`GRACE`] for each. Gives its exit status.
    pub async fn end(mut self) -> Option<ExitStatus> {
        // Closes both its streams, so that neither side waits for the other.
        self.tasks.shutdown().await;
        for tell in [Group::terminate as fn(&Group), |_| {}] {
            if self.status.is_some() {
                break;
            }
            match timeout(GRACE, self.group.wait()).await {
                Ok(ended) => self.status = ended.ok(),
                Err(_) => tell(&self.group),
            }
        }
        self.group.kill();
        if self.status.is_none() {
            self.status = self.group.wait().await.ok();
        }
        kill_marked(self.mark.clone()).await;
        self.status
    }

    fn how(&self) -> String {
        let how = match self.status.map(crate::run::unwell) {
            Some(Some(how)) => how.replacen("command", "the program", 1),
            Some(None) => "the program has ended".to_owned(),
            None => "the program has closed its standard output".to_owned(),
        };
        match lock(&self.complaints).last.clone().get() {
            Some(line) => format!("{how}: {line}"),
            None => how,
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.group.kill();
        // Without a runtime (it is shutting down) only the group can be killed.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(kill_marked(std::mem::take(&mut self.mark)));
        }
    }
}

async fn write(mut stdin: ChildStdin, mut messages: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        // Whoever does not read any more is noticed by the closed channel.
        if stdin.write_all(&message).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn read(mut stdout: ChildStdout, mut framer: Framer, heard: mpsc::Sender<Result<Vec<u8>, Silence>>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        // A stream that cannot be read any more has ended.
        let count = stdout.read(&mut buffer).await.unwrap_or(0);
        if count == 0 {
            break;
        }
        framer.push(&buffer[..count]);
        loop {
            let (message, over) = match framer.next() {
                Ok(None) => break,
                Ok(Some(message)) => (Ok(message), false),
                Err(Unframed::TooLong(limit)) => (Err(Silence::TooLong(limit)), true),
                Err(Unframed::Malformed(what)) => (Err(Silence::Malformed(what.to_owned())), true),
            };
            if heard.send(message).await.is_err() || over {
                return;
            }
        }
    }
    if let Some(rest) = framer.finish() {
        let _ = heard.send(Ok(rest)).await;
    }
}

#[derive(Debug, Default)]
struct Complaints {
    tail: String,
    last: LastLine,
}

async fn listen(mut stderr: ChildStderr, complaints: Arc<Mutex<Complaints>>, _until: watch::Sender<()>) {
    let mut buffer = vec![0; 16 * 1024];
    let mut decoder = Decoder::default();
    loop {
        let count = stderr.read(&mut buffer).await.unwrap_or(0);
        let text = match count {
            0 => decoder.finish(),
            _ => decoder.push(&buffer[..count]),
        };
        let mut kept = lock(&complaints);
        kept.last.add(&text);
        kept.tail.push_str(&text);
        let mut cut = kept.tail.len().saturating_sub(TAIL);
        while !kept.tail.is_char_boundary(cut) {
            cut += 1;
        }
        kept.tail.drain(..cut);
        if count == 0 {
            return;
        }
    }
}

/// Whoever panicked with it had only added text.
fn lock(complaints: &Mutex<Complaints>) -> std::sync::MutexGuard<'_, Complaints> {
    complaints.lock().unwrap_or_else(PoisonError::into_inner)
}
