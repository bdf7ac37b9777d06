//! What can break while a run is carried out. A refusal of the engine is not among it: nothing broke.

use crate::file_fault::FileFault;
use crate::unbound::Unbound;
use engine::{Refusal, RunId};

/// Something broke.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The history could not be read or written.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The engine said no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// `gatehouse.yaml` or a scenario cannot be used as it is written.
    #[error(transparent)]
    File(#[from] FileFault),
    /// Somebody else drives this run.
    #[error("run {run} is already driven by {owner}, so it cannot be driven here too")]
    Driven {
        /// Which run.
        run: RunId,
        /// Who: `cli 4711@host`.
        owner: String,
    },
    /// The lease went to another process while this one was driving (it slept longer than the lease lasts).
    #[error("this process lost its hold on run {run}; {owner} drives it now")]
    Ousted {
        /// Which run.
        run: RunId,
        /// Who has it now.
        owner: String,
    },
    /// The workflow cannot be run as it is written.
    #[error("`{path}` cannot be run: {reason}")]
    Workflow {
        /// Its path.
        path: String,
        /// The first problem that prevents it.
        reason: String,
    },
    /// The run has gone on since the answer was signed: it is to be signed again.
    #[error("the run went on while the answer was signed; nothing of it was recorded, so give it again")]
    Moved,
    /// What another program wrote into the log of a run is not followed ([`crate::Owner::doubt`]).
    #[error("nothing of run {run} is carried on, because of what another program wrote into its log: {why}")]
    Unvouched {
        /// Which run.
        run: RunId,
        /// What is wrong with it, in a sentence.
        why: String,
    },
    /// Programs of the project would run, and the person has not said that they trust it ([`crate::Options::restricted`]).
    #[error("nothing of this project is run, because you have not said yet that you trust whoever made it")]
    Restricted,
    /// The project demands that the kernel holds what its steps are kept from, and it does not hold these.
    #[error("the project demands enforcement, and here nothing but reading scripts keeps: {}", .0.join(", "))]
    OnlyRead(Vec<String>),
    /// Nobody is bound to some of its agents, and it is no rehearsal.
    #[error("the run cannot begin for real: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Unbound(Vec<Unbound>),
    /// A start gives somebody a step that is not there, or that nobody does.
    #[error("{why}")]
    Given {
        /// Which.
        why: String,
        /// What can be given to somebody.
        instead: String,
    },
    /// What the run asks at its start was not answered, or not so that it can be used (seed 000 `inputs`).
    #[error("the run cannot begin: {}", .faults.iter().map(|(_, why)| why.as_str()).collect::<Vec<_>>().join(" "))]
    Answers {
        /// Name of each question that is not answered well, and why not.
        faults: Vec<(String, String)>,
    },
    /// What was entered at the start, or said to a run, holds what the project's guardrails stop. Nothing of it was recorded.
    #[error("{} {again}", .faults.iter().map(|(_, why)| why.as_str()).collect::<Vec<_>>().join(" "))]
    Guardrail {
        /// Name of the question whose answer it is, or of the field, where it stands in one, and what it holds.
        faults: Vec<(Option<String>, String)>,
        /// What to do with it, in a sentence.
        again: &'static str,
    },
    /// The log holds no such run, or one that cannot be driven.
    #[error("run {run} cannot be driven: {reason}")]
    Unusable {
        /// Which run.
        run: RunId,
        /// Why.
        reason: String,
    },
    /// The operating system said no.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What it said.
        source: std::io::Error,
    },
}

impl Error {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Driven { .. } => {
                Some("You can watch the run and answer its gates here; stop the other program to drive it here.".into())
            }
            Self::Unvouched { run, .. } => Some(format!(
                "No step began because of it. See what stands there: gatehouse verify {run}. If it is the answer of somebody whose key you have not confirmed, compare their fingerprint (gatehouse people) and go on with: gatehouse resume {run}. Otherwise stop the run: gatehouse abort {run}."
            )),
            Self::Ousted { .. } => Some("Nothing is lost: the run goes on in the other program.".into()),
            Self::File(fault) => fault.hint.clone(),
            Self::Given { instead, .. } => Some(instead.clone()),
            Self::Workflow { .. } => Some("Mend that, then start the run again; `gatehouse check` says where in a file it stands.".into()),
            Self::Restricted => Some(
                "Look at it first: workflows can be read and rehearsed. If you trust whoever made it, say so in the window, or: gatehouse trust".into(),
            ),
            Self::OnlyRead(_) => Some(
                "Deny whole programs (`git *`) where a rule is about arguments, use a machine whose kernel holds the rest (docs/confinement.md), or remove `enforcement: required` from gatehouse.yaml.".into(),
            ),
            Self::Unbound(all) if all.iter().all(|one| one.decides) => {
                let who = all.iter().find_map(|one| one.agent.as_ref())?;
                Some(format!(
                    "Write `{who}: person` under `agents` in gatehouse.yaml, or name another person under `feedback.escalate_to`."
                ))
            }
            Self::Unbound(all) if all.iter().all(|one| one.decides || one.takes_over) => {
                let who = all.iter().find(|one| one.takes_over)?.agent.as_ref()?;
                Some(format!(
                    "Write `{who}: person` under `agents` in gatehouse.yaml, or bind it to a program, for example `{who}: {{engine: shell, run: \"sh work.sh\"}}`; name another one under `escalate_to`; or rehearse: --rehearse."
                ))
            }
            Self::Unbound(all) => {
                let all: Vec<&Unbound> = all.iter().filter(|one| !one.decides).collect();
                let agent = all
                    .iter()
                    .find_map(|one| one.agent.as_ref())
                    .map_or("*", |agent| agent.as_str());
                let step = all.iter().find_map(|one| one.places().next());
                let assign = step.map_or_else(String::new, |step| {
                    format!(", or give the step to one: --assign {step}=NAME")
                });
                Some(format!(
                    "Bind it under `agents` in gatehouse.yaml, for example `{agent}: {{engine: shell, run: \"sh work.sh\"}}`; let a person do it (`{agent}: person`{assign}); or rehearse: --rehearse."
                ))
            }
            _ => None,
        }
    }
}

impl From<history::Error> for Error {
    fn from(error: history::Error) -> Self {
        match error {
            history::Error::Store(error) => Self::Store(error),
            history::Error::Contended(run) => Self::Unusable {
                run,
                reason: "other programs keep writing to it; try again".into(),
            },
        }
    }
}
