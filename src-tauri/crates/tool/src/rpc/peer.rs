//! A program to which questions are put, and the task that hears it.

use super::{Error, Manners, brief};
use process::{Confinement, Conversation, Framing, Order, Speaker};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The longest message that is taken, in bytes.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;
/// How many bytes the program may say without answering anything.
const CHATTER: usize = 64 * 1024 * 1024;
/// How many messages it may send that are none.
const GARBAGE: u32 = 200;
/// How many questions in a row may stay unanswered before the program counts as stuck.
const STUCK: u32 = 2;
/// How long a message that nobody waits for may take to be said.
const ASIDE: Duration = Duration::from_secs(1);

/// How a program is started.
pub(crate) struct Start<'a> {
    /// The command as a line: no shell reads it, quotes hold words together.
    pub line: &'a str,
    pub directory: &'a Path,
    pub environment: Vec<(OsString, OsString)>,
    pub mark: String,
    pub confinement: Arc<Confinement>,
    pub framing: Framing,
}

/// A program to which questions are put. When this is dropped, it is killed with all that it started.
#[derive(Debug)]
pub(crate) struct Peer {
    speaker: Speaker,
    shared: Arc<Shared>,
    withdrawal: fn(i64) -> (&'static str, Value),
    end: Option<oneshot::Sender<()>>,
    pump: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    next: AtomicI64,
    /// Questions in a row that were not answered in time.
    late: AtomicU32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<i64, oneshot::Sender<Reply>>,
    /// Why the conversation is over.
    over: Option<String>,
    strays: u32,
}

type Reply = Result<Value, (i64, String)>;

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, why: String) {
        let mut state = self.state();
        state.over.get_or_insert(why);
        state.waiting.clear();
    }
}

impl Peer {
    /// Starts a program and listens to it. Must be called within a tokio runtime.
    pub fn start<M: Manners>(start: Start<'_>, manners: M) -> Result<Self, Error> {
        let no_command = || Error::NoCommand(start.line.to_owned());
        let mut words = shlex::split(start.line).ok_or_else(no_command)?;
        if words.first().is_none_or(String::is_empty) {
            return Err(no_command());
        }
        let program = words.remove(0);
        // A path is one from the project's folder, wherever this program happens to stand.
        let path = match program.contains('/') {
            true => start.directory.join(&program).to_string_lossy().into_owned(),
            false => program.clone(),
        };
        let order = Order {
            program: &path,
            arguments: &words,
            directory: start.directory,
            environment: start.environment,
            mark: start.mark,
            confinement: start.confinement,
        };
        let conversation = Conversation::start(order, start.framing, LONGEST).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => Error::Absent(program.clone()),
            _ => Error::NotStarted {
                program: program.clone(),
                why: e.to_string(),
            },
        })?;
        let shared = Arc::new(Shared::default());
        let speaker = conversation.speaker();
        let (end, ended) = oneshot::channel();
        let pump = tokio::spawn(pump(conversation, Arc::clone(&shared), manners, ended));
        Ok(Self {
            speaker,
            shared,
            withdrawal: M::withdrawal,
            end: Some(end),
            pump,
        })
    }

    /// Puts a question and waits for its answer, at most this long. When the answer is not waited for any more, the program is told.
    pub async fn ask(&self, method: &str, params: Value, within: Duration) -> Result<Value, Error> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed) + 1;
        let (answer, answered) = oneshot::channel();
        let strays = {
            let mut state = self.shared.state();
            if let Some(why) = &state.over {
                return Err(Error::Over(why.clone()));
            }
            state.waiting.insert(id, answer);
            state.strays
        };
        let question = Question { peer: self, id };
        let exchange = async {
            if let Err(silence) = self.say(message(Some(id), method, params)).await {
                // Its end says more than that it does not listen.
                let _ = timeout(ASIDE, answered).await;
                return Err(Error::Over(self.why().unwrap_or(silence)));
            }
            match answered.await {
                Ok(Ok(value)) => Ok(value),
                Ok(Err((code, message))) => Err(Error::Refused {
                    method: method.to_owned(),
                    code,
                    message,
                }),
                Err(_) => Err(Error::Over(self.why().unwrap_or_default())),
            }
        };
        let result = timeout(within, exchange).await;
        match result {
            Ok(result) => {
                self.shared.late.store(0, Ordering::Relaxed);
                question.forget();
                result
            }
            Err(_) => Err(Error::Late {
                method: method.to_owned(),
                after: within,
                strays: self.shared.state().strays - strays,
            }),
        }
    }

    /// Tells the program something, waiting at most this long until it can be said.
    pub async fn tell(&self, method: &str, params: Value, within: Duration) -> Result<(), Error> {
        match timeout(within, self.say(message(None, method, params))).await {
            Ok(said) => said.map_err(|silence| Error::Over(self.why().unwrap_or(silence))),
            Err(_) => Err(Error::Late {
                method: method.to_owned(),
                after: within,
                strays: 0,
            }),
        }
    }

    /// Whether it is of no more use: it has ended, or does not answer.
    pub fn is_worn(&self) -> bool {
        self.why().is_some() || self.shared.late.load(Ordering::Relaxed) >= STUCK
    }

    /// Ends it: its input is closed, and it is killed when it does not end by itself.
    pub async fn end(mut self) {
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
        let _ = (&mut self.pump).await;
    }

    fn why(&self) -> Option<String> {
        self.shared.state().over.clone()
    }

    async fn say(&self, message: Value) -> Result<(), String> {
        let said = self.speaker.say(message.to_string().as_bytes()).await;
        said.map_err(|silence| silence.to_string())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

/// A question that is being waited for; dropped, it is withdrawn, and counts as not answered in time.
struct Question<'a> {
    peer: &'a Peer,
    id: i64,
}

impl Question<'_> {
    fn forget(self) {
        self.peer.shared.state().waiting.remove(&self.id);
        std::mem::forget(self);
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.peer.shared.late.fetch_add(1, Ordering::Relaxed);
        self.peer.shared.state().waiting.remove(&self.id);
        let (method, params) = (self.peer.withdrawal)(self.id);
        let bytes = message(None, method, params).to_string();
        let speaker = self.peer.speaker.clone();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                let _ = timeout(ASIDE, speaker.say(bytes.as_bytes())).await;
            });
        }
    }
}

fn message(id: Option<i64>, method: &str, params: Value) -> Value {
    let mut message = Map::new();
    message.insert("jsonrpc".to_owned(), json!("2.0"));
    if let Some(id) = id {
        message.insert("id".to_owned(), json!(id));
    }
    message.insert("method".to_owned(), json!(method));
    if !params.is_null() {
        message.insert("params".to_owned(), params);
    }
    Value::Object(message)
}

/// Hears the program until it is over, or told to end.
async fn pump<M: Manners>(
    mut conversation: Conversation,
    shared: Arc<Shared>,
    mut manners: M,
    mut ended: oneshot::Receiver<()>,
) {
    let speaker = conversation.speaker();
    let mut chatter = 0;
    let mut garbage = 0;
    let why = loop {
        let heard = tokio::select! {
            biased;
            _ = &mut ended => return leave(conversation, &shared).await,
            heard = conversation.hear() => heard,
        };
        let bytes = match heard {
            Ok(bytes) => bytes,
            Err(silence) => break silence.to_string(),
        };
        chatter += bytes.len();
        let whole = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let messages = match whole {
            Value::Array(batch) => batch,
            one => vec![one],
        };
        for message in messages {
            match hear(&message, &shared, &mut manners) {
                Heard::Answer => chatter = 0,
                Heard::Reply(reply) => {
                    // Who asks without listening blocks its own questions, not ours: their deadlines run on.
                    let reply = reply.to_string();
                    tokio::select! {
                        biased;
                        _ = &mut ended => return leave(conversation, &shared).await,
                        // That it does not read any more is noticed where it is asked something.
                        _ = speaker.say(reply.as_bytes()) => {}
                    }
                }
                Heard::Nothing => {}
                Heard::Garbage => garbage += 1,
            }
        }
        if garbage > GARBAGE {
            break "what it sends is not JSON-RPC".to_owned();
        }
        if chatter > CHATTER {
            break format!("it sent more than {CHATTER} bytes without answering");
        }
    };
    shared.finish(why);
    // Dropped here: killed, with all that it started.
    drop(conversation);
}

/// Ends the program because it was told to.
async fn leave(conversation: Conversation, shared: &Shared) {
    shared.finish("it was told to end".to_owned());
    conversation.end().await;
}

enum Heard {
    Answer,
    Reply(Value),
    Nothing,
    Garbage,
}

fn hear<M: Manners>(message: &Value, shared: &Shared, manners: &mut M) -> Heard {
    let params = message.get("params").unwrap_or(&Value::Null);
    match (message["method"].as_str(), message.get("id")) {
        (Some(method), Some(id)) => {
            let reply = match manners.asked(method, params) {
                Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                Err((code, message)) => {
                    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
                }
            };
            Heard::Reply(reply)
        }
        (Some(method), None) => {
            manners.told(method, params);
            Heard::Nothing
        }
        (None, Some(id)) if message.get("result").is_some() || message["error"].is_object() => {
            let mut state = shared.state();
            let asked = id.as_i64().and_then(|id| state.waiting.remove(&id));
            let Some(asked) = asked else {
                state.strays = state.strays.saturating_add(1);
                return Heard::Nothing;
            };
            let error = &message["error"];
            let reply = match error.is_object() {
                true => Err((
                    error["code"].as_i64().unwrap_or_default(),
                    brief(error["message"].as_str().unwrap_or("it does not say why")),
                )),
                false => Ok(message["result"].clone()),
            };
            // Whoever asked may have left this instant.
            let _ = asked.send(reply);
            Heard::Answer
        }
        _ => Heard::Garbage,
    }
}
