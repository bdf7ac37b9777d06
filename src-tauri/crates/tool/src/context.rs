//! Where and within which bounds a call happens.

use permission::Policy;
use process::Confinement;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The project a call happens in, and what it may use of it.
#[derive(Debug, Clone)]
pub struct Context {
    /// The project's folder, absolute. No tool reads or writes anything outside of it.
    pub root: PathBuf,
    /// The one folder below `.gatehouse` that tools may use, relative to the project, with `/`: that of the run.
    pub own_folder: Option<String>,
    /// Which files and variables may be used, and which commands run.
    pub policy: Policy,
    /// The whole environment of programs that are started. See [`Context::inherited`].
    pub environment: Vec<(OsString, OsString)>,
    /// The mark of programs that are started ([`process::MARK`]).
    pub mark: String,
    /// How long a call may take whose tool says nothing ([`crate::TIMEOUT`]).
    pub timeout: Duration,
    /// What programs that are started are kept from by the kernel.
    pub confinement: Arc<Confinement>,
}

impl Context {
    /// A context for a project: the default timeout, what holds always ([`crate::confinement::always`]), and of this program's environment what the policy passes on.
    pub fn new(root: impl Into<PathBuf>, policy: Policy, mark: impl Into<String>) -> Self {
        let root = root.into();
        Self {
            confinement: Arc::new(crate::confinement::always(&root)),
            root,
            own_folder: None,
            environment: Self::inherited(&policy),
            policy,
            mark: mark.into(),
            timeout: crate::TIMEOUT,
        }
    }

    /// The variables of this program that a policy passes on to programs it starts: no secrets, and none of Gatehouse's own unless a rule
    /// names it.
    pub fn inherited(policy: &Policy) -> Vec<(OsString, OsString)> {
        let named = |name: &str| policy.env.allow.iter().any(|allowed| allowed == name);
        std::env::vars_os()
            .filter(|(name, _)| {
                let name = name.to_string_lossy();
                policy.passes_env(&name) && (named(&name) || !name.starts_with("GATEHOUSE_"))
            })
            .collect()
    }
}
