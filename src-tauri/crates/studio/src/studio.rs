//! The façade: one project, opened by one client.

use crate::evidence::known::Known;
use crate::gate::digests::Digests;
use crate::run::cache::Runs;
use crate::settings::made::Made;
use crate::terminal::screen::Terminals;
use crate::text::compared::Compared;
use crate::workflow::read::Recent;
use crate::workflow::scanned::Scanned;
use crate::{ApiError, Identity, Notice};
use chrono_tz::Tz;
use engine::{At, Digest, RunId};
use runtime::config::Config;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};
use store::Store;
use tokio::sync::broadcast;

/// Which client opened the project: names the driver of a run and the way an answer was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// The window.
    Desktop,
    /// The command line.
    Cli,
    /// The window over http.
    Serve,
    /// A test.
    Test,
}

impl Client {
    /// The word in logs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Cli => "cli",
            Self::Serve => "serve",
            Self::Test => "test",
        }
    }
}

/// A project. Cheap to clone; all clones are the same project.
#[derive(Clone)]
pub struct Studio(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub root: PathBuf,
    pub client: Client,
    pub store: Arc<Store>,
    /// What is said to whoever wants to record something here; absent: everything can be recorded.
    pub read_only: Option<ApiError>,
    pub identity: Identity,
    pub notices: broadcast::Sender<Notice>,
    /// What is known of runs.
    pub runs: Runs,
    /// What each run recorded as evidence, as far as its log was read.
    pub evidence: Mutex<HashMap<RunId, Known>>,
    /// The files of the project that may be workflows, as they were when they were last looked at.
    pub scanned: Mutex<HashMap<String, Scanned>>,
    /// What files of the project held when they were last read.
    pub digests: Digests,
    /// What changed between versions of files that were looked at last.
    pub compared: Compared,
    /// The workflows that were read last.
    pub recent: Recent,
    /// What was made here in a folder that was empty when it was opened.
    pub made: Made,
    /// The terminals of steps that run here.
    pub terminals: Mutex<Terminals>,
    /// What was saved into the folder of reports from here, by its name there.
    pub saved: Mutex<HashMap<PathBuf, Digest>>,
}

impl std::fmt::Debug for Studio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Studio")
            .field("root", &self.0.root)
            .finish_non_exhaustive()
    }
}

impl Studio {
    /// Opens a project folder for a client; makes its history when there is none. A folder that cannot be written opens
    /// for looking, and so does one on a disk that is full.
    ///
    /// # Errors
    /// `no_project` when there is no such folder; what the store reports (`locked`, `corrupt`, `newer` …).
    pub fn open(root: &Path, client: Client) -> Result<Self, ApiError> {
        Self::open_as(root, client, Identity::open()?)
    }

    /// The same with a given identity.
    ///
    /// # Errors
    /// See [`Studio::open`].
    pub fn open_as(root: &Path, client: Client, identity: Identity) -> Result<Self, ApiError> {
        Self::opened(root, client, identity, Store::open)
    }

    /// The same for whoever asks for what is recorded: where nothing is, nothing is made.
    ///
    /// # Errors
    /// See [`Studio::open`].
    pub fn open_recorded(root: &Path, client: Client) -> Result<Self, ApiError> {
        Self::opened(root, client, Identity::open()?, |root| match Store::is_there(root) {
            true => Store::open(root),
            false => Store::open_none(root),
        })
    }

    fn opened(
        root: &Path,
        client: Client,
        identity: Identity,
        open: impl FnOnce(&Path) -> Result<Store, store::Error>,
    ) -> Result<Self, ApiError> {
        let root = std::path::absolute(root)
            .ok()
            .and_then(|r| r.canonicalize().ok())
            .filter(|r| r.is_dir())
            .ok_or_else(|| {
                ApiError::new("no_project", format!("There is no folder {}.", root.display()))
                    .hint("Name a folder that holds workflows.")
            })?;
        let made = Made::of(&root);
        let (store, read_only) = match open(&root) {
            Ok(store) => (store, None),
            Err(error @ store::Error::Excerpt { .. }) => (Store::open_read_only(&root)?, Some(error.into())),
            Err(error @ store::Error::ReadOnly { .. }) => {
                let store = match Store::open_read_only(&root) {
                    Err(store::Error::Missing { .. } | store::Error::ReadOnly { .. }) => Store::open_memory()?,
                    other => other?,
                };
                (store, Some(error.into()))
            }
            // A history wants some space beside it to be opened for writing. What is in it can be read without.
            Err(error @ store::Error::DiskFull { .. }) => match Store::open_read_only(&root) {
                Ok(store) => {
                    let hint = "What is recorded can be looked at meanwhile. A window is to be opened again once there is space.";
                    (store, Some(ApiError::from(error).hint(hint)))
                }
                Err(_) => return Err(error.into()),
            },
            Err(other) => return Err(other.into()),
        };
        let (notices, _) = broadcast::channel(1024);
        Ok(Self(Arc::new(Inner {
            root,
            client,
            store: Arc::new(store),
            read_only,
            identity,
            notices,
            runs: Runs::default(),
            evidence: Mutex::default(),
            scanned: Mutex::default(),
            digests: Digests::default(),
            compared: Compared::default(),
            recent: Recent::default(),
            made,
            terminals: Mutex::default(),
            saved: Mutex::default(),
        })))
    }

    /// Hints that something changed; [`Studio::watch`] makes them flow.
    pub fn subscribe(&self) -> broadcast::Receiver<Notice> {
        self.0.notices.subscribe()
    }

    /// The project's folder.
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Who signs.
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// `gatehouse.yaml`; the defaults where it cannot be used, with why.
    pub(crate) fn config(&self) -> (Config, Option<ApiError>) {
        match Config::load(&self.0.root) {
            Ok(config) => (config, None),
            Err(fault) => (Config::default(), Some(runtime::Error::from(fault).into())),
        }
    }

    /// The project's time zone, where it has one: one clock for its window, its refusals, its lists and its reports.
    pub fn zone(&self) -> Option<Tz> {
        self.config().0.timezone
    }

    /// Sends a notice; nobody listening is fine.
    pub(crate) fn notify(&self, notice: Notice) {
        let _ = self.0.notices.send(notice);
    }

    /// An absolute path for a relative one, inside the project.
    ///
    /// # Errors
    /// `outside_project` for anything that would leave it.
    pub(crate) fn inside(&self, path: &str) -> Result<PathBuf, ApiError> {
        let outside = || {
            ApiError::new("outside_project", format!("“{path}” is not a file inside the project."))
                .hint("Give a path relative to the project's folder.")
        };
        let relative = Path::new(path);
        let plain = relative
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if path.is_empty() || path.contains('\0') || !plain {
            return Err(outside());
        }
        let whole = self.0.root.join(relative);
        // A link inside the project may lead out of it, also one on the way to a file that is not there yet.
        let real = whole.ancestors().find_map(|there| there.canonicalize().ok());
        match real {
            Some(real) if !real.starts_with(&self.0.root) => Err(outside()),
            _ => Ok(whole),
        }
    }

    /// Path relative to the project, with `/`; absolute when it lies outside.
    pub fn relative(&self, path: &Path) -> String {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let absolute = absolute.canonicalize().unwrap_or(absolute);
        let relative = absolute.strip_prefix(&self.0.root).unwrap_or(&absolute);
        relative
            .components()
            .map(|c| c.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/")
    }

    /// The same without following links; nothing when it lies outside.
    pub(crate) fn standing(&self, path: &Path) -> Option<String> {
        let parts = path.strip_prefix(&self.0.root).ok()?.components();
        let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
        Some(parts.join("/"))
    }

    /// Whether this is a part of a project's history that was handed over: it is looked at, and nothing of it goes on here.
    pub(crate) fn is_handed_over(&self) -> bool {
        self.0.store.is_excerpt().unwrap_or(false)
    }

    /// Why nothing can be recorded here and what can be done all the same, for every page; `None`: everything can be.
    pub(crate) fn read_only_words(&self) -> Option<String> {
        if self.is_handed_over() {
            return Some(HANDED_OVER.to_owned());
        }
        let refusal = self.0.read_only.as_ref()?;
        Some(match &refusal.hint {
            Some(hint) => format!("{} {hint}", refusal.message),
            None => refusal.message.clone(),
        })
    }

    /// Refuses when nothing can be recorded here.
    pub(crate) fn writable(&self) -> Result<(), ApiError> {
        match &self.0.read_only {
            None => Ok(()),
            Some(refusal) => Err(refusal.clone()),
        }
    }
}

/// What a window says that shows what was handed over.
const HANDED_OVER: &str = "This was handed over: its runs can be looked at, replayed and checked. Nothing of it runs here, and nothing new is \
     recorded; that is done in the project where they were recorded.";

/// Now.
pub(crate) fn now() -> At {
    runtime::clock::now()
}
