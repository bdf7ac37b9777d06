//! Which attempt stands under which name.

use super::attempts::Attempt;
use crate::contract::paths;
use engine::RunCreated;
use imbl::{HashMap, Vector};
use model::StepId;
use std::sync::Arc;

/// Names of one attempt's files, below the folder of their kind and without extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    /// The folder of the step's flow.
    flow: Arc<str>,
    pub receipt: String,
    pub transcript: String,
}

impl Names {
    /// The receipt, from the run's folder on.
    pub fn receipt_path(&self) -> String {
        format!("{}/receipts/{}.json", self.flow, self.receipt)
    }

    /// The transcript, from the flow's folder on, as its receipt names it.
    pub fn transcript_in_flow(&self) -> String {
        format!("llm/{}.jsonl", self.transcript)
    }

    /// The transcript, from the run's folder on.
    pub fn transcript_path(&self) -> String {
        format!("{}/{}", self.flow, self.transcript_in_flow())
    }
}

/// The names of the attempts of a run: feed it each attempt, in the order in which they ended.
///
/// The latest of each step has the contract's name. An earlier one lies in a folder below it, and its name begins with
/// its visit and attempt: readers ask for a step by the pattern `<step>-*` and take the first file they find. `=`
/// stands in no name of a step ([`paths::component`]), so that no such pattern meets an earlier one.
#[derive(Debug, Clone, Default)]
pub(super) struct Naming {
    /// Those of each attempt now.
    pub names: Vector<Arc<Names>>,
    /// Those that each has while it is the latest of its step.
    pub plain: Vector<Arc<Names>>,
    /// Of several agents that of each.
    latest: HashMap<StepId, Vec<usize>>,
    stems: Stems,
}

impl Naming {
    /// The names of all attempts, in the same order.
    pub fn of(created: &RunCreated, attempts: &Vector<Attempt>) -> Vector<Arc<Names>> {
        let mut naming = Self::default();
        for place in 0..attempts.len() {
            naming.push(created, attempts, place);
        }
        naming.names
    }

    /// The names of the latest attempt of a step, of each of its agents.
    pub fn latest(&self, step: &StepId) -> impl Iterator<Item = &Names> {
        let places = self.latest.get(step).map_or(&[][..], Vec::as_slice);
        places.iter().map(|place| &*self.names[*place])
    }

    /// Names the attempt at the next place. Gives the places of those that are no longer the latest of its step.
    pub fn push(&mut self, created: &RunCreated, attempts: &Vector<Attempt>, place: usize) -> Vec<usize> {
        let attempt = &attempts[place];
        let started = &attempt.started;
        let (flow, step) = attempt.in_flow(created);
        let (agent, short) = (attempt.agent(), attempt.engine().short.as_str());
        let folder = paths::component(flow);
        let same_agent = |other: usize| {
            let other = &attempts[other];
            (other.in_flow(created), other.agent()) == ((flow, step), agent)
        };
        let same_engine = |other: usize| same_agent(other) && attempts[other].engine().short == short;
        let mut name = |wanted: String, is_own: &dyn Fn(usize) -> bool| {
            let within = self.stems.of(format!("{folder}/{wanted}"), place, is_own);
            within[folder.len() + 1..].to_owned()
        };
        let receipt = name(paths::stem(step, agent), &same_agent);
        let wanted = format!("/{receipt}-{}", paths::component(short));
        let transcript = name(wanted, &same_engine)[1..].to_owned();
        let before = self.plain.last().map(|before| &before.flow);
        let same = before.filter(|before| ***before == *folder).cloned();
        let plain = Arc::new(Names {
            flow: same.unwrap_or_else(|| folder.into()),
            receipt,
            transcript,
        });
        self.names.push_back(Arc::clone(&plain));
        self.plain.push_back(plain);
        let latest = self.latest.entry(started.instance.step.clone()).or_default();
        let is_same = |before: &usize| {
            let one = &attempts[*before].started;
            (&one.instance, one.attempt) == (&started.instance, started.attempt)
        };
        if latest.iter().all(is_same) {
            latest.push(place);
            return Vec::new();
        }
        let before = std::mem::replace(latest, vec![place]);
        for before in &before {
            let (names, prefix) = (Arc::make_mut(&mut self.names[*before]), earlier(&attempts[*before]));
            names.receipt.insert_str(0, &prefix);
            names.transcript.insert_str(0, &prefix);
        }
        before
    }
}

/// What the names of an earlier attempt begin with.
fn earlier(attempt: &Attempt) -> String {
    let instance = &attempt.started.instance;
    let path: Vec<String> = instance.path.iter().map(ToString::to_string).collect();
    let path = match path.is_empty() {
        true => String::new(),
        false => format!("path={}.", path.join("-")),
    };
    format!(
        "earlier/{path}visit={}.attempt={}.",
        instance.visit, attempt.started.attempt
    )
}

/// `a-b` + `c` and `a` + `b-c` have one name by the contract's rule: the one that came second gets `~2`.
#[derive(Debug, Clone, Default)]
struct Stems {
    /// Whose each is: the place of the attempt that came first.
    owners: HashMap<Box<str>, usize>,
}

impl Stems {
    /// The name of the attempt at a place; `is_own`: whether the one at another place has the same.
    fn of(&mut self, wanted: String, place: usize, is_own: &dyn Fn(usize) -> bool) -> String {
        let mut n = 1_u32;
        loop {
            let candidate = if n == 1 {
                wanted.clone()
            } else {
                format!("{wanted}~{n}")
            };
            match self.owners.get(candidate.as_str()) {
                None => {
                    self.owners.insert(candidate.as_str().into(), place);
                    return candidate;
                }
                Some(other) if is_own(*other) => return candidate,
                Some(_) => n += 1,
            }
        }
    }
}
