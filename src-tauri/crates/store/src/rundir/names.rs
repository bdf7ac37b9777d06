//! Which attempt stands under which name.

use super::attempts::Attempt;
use crate::contract::paths;
use model::StepId;
use std::collections::HashMap;

/// Names of one attempt's files, below the folder of their kind and without extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    pub receipt: String,
    pub transcript: String,
}

/// The names of every attempt, in the same order. The latest of each step has the contract's name. An earlier one lies in a folder
/// below it, and its name begins with its visit and attempt: readers ask for a step by the pattern `<step>-*` and take the first
/// file they find. `=` stands in no name of a step ([`paths::component`]), so that no such pattern meets an earlier one.
pub(super) fn assign(attempts: &[Attempt<'_>]) -> Vec<Names> {
    let mut latest: HashMap<&StepId, usize> = HashMap::new();
    for (i, attempt) in attempts.iter().enumerate() {
        latest.insert(&attempt.started.instance.step, i);
    }
    let mut stems = Stems::default();
    attempts
        .iter()
        .enumerate()
        .map(|(i, attempt)| {
            let started = attempt.started;
            let instance = &started.instance;
            let (step, agent, short) = (instance.step.as_str(), attempt.agent(), started.engine.short.as_str());
            let receipt = stems.of(paths::stem(step, agent), &[step, agent]);
            let wanted = format!("/{receipt}-{}", paths::component(short));
            let transcript = stems.of(wanted, &[step, agent, short])[1..].to_owned();
            if latest.get(&instance.step) == Some(&i) {
                return Names { receipt, transcript };
            }
            let path: Vec<String> = instance.path.iter().map(ToString::to_string).collect();
            let path = match path.is_empty() {
                true => String::new(),
                false => format!("path={}.", path.join("-")),
            };
            let earlier = format!("earlier/{path}visit={}.attempt={}.", instance.visit, started.attempt);
            Names {
                receipt: format!("{earlier}{receipt}"),
                transcript: format!("{earlier}{transcript}"),
            }
        })
        .collect()
}

/// `a-b` + `c` and `a` + `b-c` have one name by the contract's rule: the one that came second gets `~2`.
#[derive(Default)]
struct Stems {
    owners: HashMap<String, Vec<String>>,
}

impl Stems {
    fn of(&mut self, wanted: String, owner: &[&str]) -> String {
        let owner: Vec<String> = owner.iter().map(|s| (*s).to_owned()).collect();
        let mut n = 1_u32;
        loop {
            let candidate = if n == 1 {
                wanted.clone()
            } else {
                format!("{wanted}~{n}")
            };
            match self.owners.get(&candidate) {
                None => {
                    self.owners.insert(candidate.clone(), owner);
                    return candidate;
                }
                Some(other) if *other == owner => return candidate,
                Some(_) => n += 1,
            }
        }
    }
}
