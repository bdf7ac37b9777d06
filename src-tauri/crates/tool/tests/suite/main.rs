//! Tools are called as a step calls them, in a project on disk.

mod checking;
mod containing;
mod escaping;
mod files;
mod git;
#[path = "../../../../../tests/src/looking.rs"]
mod looking;
mod lsp;
mod mcp;
mod registry;
mod servers;

use permission::Policy;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tool::{Context, Declared, Outcome, Registry, Risk, Served};

/// A project in a folder of its own, and beside it something that is none of its business.
struct Project {
    around: tempfile::TempDir,
    context: Context,
    registry: Registry,
}

impl Project {
    fn new() -> Self {
        let around = tempfile::tempdir().expect("a folder");
        let root = around.path().canonicalize().expect("it is there").join("project");
        std::fs::create_dir(&root).expect("made");
        std::fs::write(around.path().join("outside.txt"), "not yours").expect("written");
        Self {
            context: Context::new(root, Policy::default(), format!("test {}", std::process::id())),
            registry: Registry::built_in(),
            around,
        }
    }

    fn root(&self) -> &Path {
        &self.context.root
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.context.root.join(inside)
    }

    /// Something outside of the project.
    fn outside(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    fn put(&self, inside: &str, text: &str) {
        let path = self.path(inside);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    /// Has a file kept from what steps start, as the driver of a run does.
    fn fix(&mut self, inside: &str) {
        let path = self.path(inside);
        Arc::make_mut(&mut self.context.confinement).fixed.push(path);
    }

    fn get(&self, inside: &str) -> String {
        std::fs::read_to_string(self.path(inside)).expect("a text")
    }

    fn link(&self, inside: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path(inside)).expect("a link");
    }

    fn declare(&mut self, name: &str, command: &str) {
        let declared = Declared {
            name: name.to_owned(),
            description: String::new(),
            risk: Risk::Low,
            args: None,
            timeout: None,
            served: Served::Command(command.to_owned()),
        };
        assert_eq!(self.registry.declare(&[declared]), Vec::<String>::new());
    }

    async fn call(&self, name: &str, args: Value) -> Outcome {
        self.registry
            .call(name, &args, &self.context, std::future::pending())
            .await
    }

    /// Calls a tool that must answer.
    async fn answer(&self, name: &str, args: Value) -> Value {
        let outcome = self.call(name, args).await;
        assert!(outcome.is_completed(), "{}", outcome.error);
        outcome.output
    }

    /// Calls a tool that must fail, and gives why.
    async fn fault(&self, name: &str, args: Value) -> String {
        let outcome = self.call(name, args).await;
        assert!(!outcome.is_completed(), "{}", outcome.output);
        outcome.error
    }
}

/// A program of its own making. Another process writes it: what this one has open for writing, a program that another test begins at that
/// moment has as well, and as long as it does the kernel executes no such file.
fn program(path: &Path, text: &str) {
    let made = std::process::Command::new("sh")
        .args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .arg(text)
        .status();
    assert!(made.is_ok_and(|made| made.success()), "{} is made", path.display());
}

/// Calls and checks can be made from any thread.
#[test]
fn what_is_under_way_may_move_between_threads() {
    fn moves<T: Send>(_: &T) {}
    let project = Project::new();
    let args = Value::Null;
    moves(
        &project
            .registry
            .call("getCurrentTime", &args, &project.context, std::future::pending()),
    );
    let check = tool::Check::Json;
    moves(&check.run("a.json", &project.context, std::future::pending()));
}
