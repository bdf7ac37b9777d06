//! A project folder on disk with a history of its own, opened as a window opens it. Each file of tests has more to ask of it.

use serde_json::{Value, json};
use std::time::Duration;
use studio::{ApiError, Client, Identity, Studio};
use tempfile::TempDir;

/// How often it is looked whether a run has come somewhere, and how many times at most.
const LOOK: Duration = Duration::from_millis(25);
const LOOKS: usize = 2_400;

pub struct Project {
    pub studio: Studio,
    pub folder: TempDir,
    pub home: TempDir,
}

impl Project {
    /// An empty folder of which nobody has said that they trust it.
    pub fn new() -> Self {
        Self::opened(folder(), false)
    }

    /// Files by their relative paths; whoever opens it trusts it.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let folder = folder();
        for (path, text) in files {
            write(&folder, path, text);
        }
        Self::over(folder)
    }

    /// A folder that was filled already; whoever opens it trusts it.
    pub fn over(folder: TempDir) -> Self {
        Self::opened(folder, true)
    }

    fn opened(folder: TempDir, is_trusted: bool) -> Self {
        let home = self::folder();
        let me = Identity::open_in(home.path(), false).expect("an identity");
        if is_trusted {
            me.trust(folder.path(), true).expect("trusted");
        }
        let studio = Studio::open_as(folder.path(), Client::Test, me).expect("a project");
        Self { studio, folder, home }
    }

    /// With a name under which decisions are signed.
    pub async fn signed_by(self, name: &str) -> Self {
        self.ok("settings.set", json!({"name": name})).await;
        self
    }

    /// The program is closed and opened again.
    pub fn reopen(&mut self) {
        self.studio = self.opened_again();
    }

    /// The same project opened by another program of the same person.
    pub fn opened_again(&self) -> Studio {
        let me = Identity::open_in(self.home.path(), false).expect("an identity");
        Studio::open_as(self.folder.path(), Client::Test, me).expect("a project")
    }

    pub async fn call(&self, method: &str, params: Value) -> Result<Value, ApiError> {
        self.studio.rpc(method, params).await
    }

    #[track_caller]
    pub fn ok(&self, method: &str, params: Value) -> impl Future<Output = Value> {
        let at = std::panic::Location::caller();
        async move {
            let answer = self.call(method, params.clone()).await;
            answer.unwrap_or_else(|e| panic!("{at}: {method} {params}: {} {e}", e.code))
        }
    }

    pub async fn refused(&self, method: &str, params: Value) -> ApiError {
        match self.call(method, params).await {
            Ok(answer) => panic!("{method} was not refused: {answer}"),
            Err(error) => error,
        }
    }

    /// The run once this holds of its view.
    pub async fn until(&self, run: &str, is: impl Fn(&Value) -> bool) -> Value {
        let mut view = Value::Null;
        for _ in 0..LOOKS {
            view = self.ok("run.view", json!({"run_id": run})).await;
            if is(&view) {
                return view;
            }
            tokio::time::sleep(LOOK).await;
        }
        panic!("the run never came there: {} {}", view["status"], view["status_words"]);
    }

    /// The run once it has this status, and no driver any more where it has ended.
    pub async fn wait(&self, run: &str, status: &str) -> Value {
        let is_left = |view: &Value| view["ended_at"].is_null() || view["driver"].is_null();
        self.until(run, |view| view["status"] == status && is_left(view)).await
    }

    pub fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).expect("readable")
    }

    pub fn write(&self, path: &str, text: &str) {
        write(&self.folder, path, text);
    }

    pub fn is_there(&self, path: &str) -> bool {
        self.folder.path().join(path).exists()
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn write(folder: &TempDir, path: &str, text: &str) {
    let file = folder.path().join(path);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(file, text).expect("written");
}

/// Waits until it is told that a workflow's file changed.
pub async fn noticed_at(notices: &mut tokio::sync::broadcast::Receiver<studio::Notice>, path: &str) {
    let is_it = |notice: &studio::Notice| matches!(notice, studio::Notice::Workflow { path: of } if of == path);
    let told = async { while !is_it(&notices.recv().await.expect("a notice")) {} };
    tokio::time::timeout(std::time::Duration::from_secs(60), told)
        .await
        .expect("noticed");
}
