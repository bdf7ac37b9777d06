//! What the steps of one run may call: the project's tools, servers and checks as they were when the run was created.

use crate::brief::Brief;
use crate::config::{Around as Settings, Config};
use crate::executor::{Environment, mark_of};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Store;
use tool::{Context, Registry};

/// One for each time that a run is driven; servers that it started end with it.
pub(crate) struct Toolbox {
    pub(super) root: PathBuf,
    pub(super) store: Arc<Store>,
    pub(super) settings: Settings,
    pub(super) environment: Environment,
    pub(super) registry: Registry,
}

impl Toolbox {
    /// The toolbox of a run.
    pub(crate) fn new(root: &Path, store: &Arc<Store>, config: Config, environment: &Environment) -> Self {
        let mut registry = Registry::built_in();
        // What cannot be used was refused when the configuration was read.
        for problem in registry.declare(&config.around.declared) {
            tracing::warn!(problem, "a tool is left out");
        }
        Self {
            registry,
            root: root.to_owned(),
            store: Arc::clone(store),
            settings: config.around,
            environment: environment.clone(),
        }
    }

    /// Where and within which bounds a call of this attempt happens.
    pub(super) fn context(&self, brief: &Brief) -> Context {
        let mut context = Context::new(&self.root, self.environment.policy.clone(), mark_of(brief));
        context.timeout = self.settings.timeout;
        context.own_folder = Path::new(&brief.run_base)
            .strip_prefix(&self.root)
            .ok()
            .map(|folder| folder.to_string_lossy().into_owned());
        context
    }
}
