//! What is looked up for a step: on real projects in temporary folders, with the real index.

mod properties;
mod resolving;
mod splitting;

use model::Fields;
use permission::Policy;
use runtime::context::{Ask, Resolved, Settings, resolve};
use serde_json::Value;
use std::path::Path;
use store::Store;
use tempfile::TempDir;

/// A project with files, and its history.
struct Project {
    folder: TempDir,
    store: Store,
    settings: Settings,
    policy: Policy,
}

impl Project {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("a store");
        let project = Self {
            folder,
            store,
            settings: Settings::default(),
            policy: Policy::default(),
        };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().expect("it lies in the project")).expect("a folder");
        std::fs::write(file, text).expect("written");
    }

    fn ask(&self, inputs: Value, lsp: Option<&mut Ask<'_>>) -> Result<Option<Resolved>, String> {
        let Value::Object(inputs) = inputs else {
            unreachable!("inputs are a map")
        };
        let inputs: Fields = inputs.into_iter().collect();
        resolve(self.root(), &self.store, &inputs, &self.settings, &self.policy, lsp)
    }

    fn payload(&self, inputs: Value) -> Value {
        self.ask(inputs, None)
            .expect("resolved")
            .expect("something is asked for")
            .payload
    }

    /// Names of the shards of the first phase.
    fn found(&self, inputs: Value) -> Vec<String> {
        names(&self.payload(inputs), 0)
    }
}

/// `path:name` of the shards of a phase.
fn names(payload: &Value, phase: usize) -> Vec<String> {
    let shards = payload["phases"][phase]["shards"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    shards
        .map(|s| format!("{}:{}", text(&s["path"]), text(&s["name"])))
        .collect()
}
