//! What the steps of one run may call: the project's tools, servers and checks as they were when the run was created.

use crate::brief::Brief;
use crate::config::{Config, StepSettings};
use crate::executor::{Environment, mark_of};
use permission::Policy;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use store::Store;
use tool::mcp::Serving;
use tool::{Context, Registry, lsp, mcp};

/// One for each time that a run is driven; servers are started when they are first asked, and end with it.
pub(crate) struct Toolbox {
    /// Where what is looked up is indexed; absent in memory, where nothing is looked up.
    pub(super) store: Option<Arc<Store>>,
    pub(super) settings: StepSettings,
    pub(super) environment: Environment,
    pub(super) registry: Registry,
    pub(super) languages: Arc<lsp::Servers>,
}

impl Toolbox {
    /// The toolbox of a run; `mark`: what its servers are marked with.
    pub(crate) fn new(
        root: &Path,
        store: Option<&Arc<Store>>,
        config: Config,
        environment: &Environment,
        mark: String,
    ) -> Self {
        let mut servers = Context::new(root, environment.policy.clone(), mark);
        servers.confinement = Arc::clone(&environment.confinement);
        let languages = Arc::new(lsp::Servers::new(
            servers.clone(),
            config.around.language_servers.clone(),
        ));
        let tools = Arc::new(mcp::Servers::new(servers, config.around.mcp.clone()));
        let (registry, problems) = registry(&config, Some((&languages, tools)));
        let settings = config.around;
        // What cannot be used was refused when the configuration was read; this is about names that are taken.
        for problem in problems {
            tracing::warn!(problem, "a tool is left out");
        }
        Self {
            store: store.map(Arc::clone),
            settings,
            environment: environment.clone(),
            registry,
            languages,
        }
    }

    /// Where and within which bounds a call of this attempt happens.
    pub(super) fn context(&self, brief: &Brief) -> Context {
        let root = Path::new(&brief.project_root);
        let mut context = Context::new(root, self.environment.policy.clone(), mark_of(brief));
        context.timeout = self.settings.timeout;
        context.confinement = Arc::new(self.environment.confinement(brief));
        context.own_folder = Path::new(&brief.run_base)
            .strip_prefix(root)
            .ok()
            .map(|folder| folder.to_string_lossy().into_owned());
        context
    }
}

/// The tools of a project by name, and what is wrong with some in words. Without servers those that need one are known
/// all the same.
pub(super) fn registry(
    config: &Config,
    servers: Option<(&Arc<lsp::Servers>, Arc<mcp::Servers>)>,
) -> (Registry, Vec<String>) {
    let nobody = || Context::new(Path::new(""), Policy::default(), "");
    let around = &config.around;
    let (languages, tools) = match servers {
        Some((languages, tools)) => (Arc::clone(languages), tools),
        None => (
            Arc::new(lsp::Servers::new(nobody(), BTreeMap::new())),
            Arc::new(mcp::Servers::new(nobody(), BTreeMap::new())),
        ),
    };
    let mut registry = Registry::with_checks(around.checks.clone());
    let mut problems = registry.declare(&around.declared);
    problems.extend(registry.add(Box::new(Serving::new(tools, &around.declared))));
    problems.extend(registry.add(Box::new(languages)));
    (registry, problems)
}
