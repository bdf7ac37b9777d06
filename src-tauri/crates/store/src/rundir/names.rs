//! Which attempt stands under which name.

use super::attempts::Attempt;
use crate::contract::paths;
use engine::Instance;
use std::collections::HashMap;

/// Names of one attempt's files, without folder and extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    pub receipt: String,
    pub transcript: String,
}

/// The names of every attempt, in the same order. The latest of each step and agent (for transcripts: and engine) has the
/// contract's name; an earlier one adds its visit, and its attempt when another of the same visit followed.
pub(super) fn assign(attempts: &[Attempt<'_>]) -> Vec<Names> {
    let mut stems = Stems::default();
    let bases: Vec<(String, String)> = attempts
        .iter()
        .map(|a| {
            let (step, agent) = (a.started.instance.step.as_str(), a.agent());
            let receipt = stems.of(paths::stem(step, agent), &[step, agent]);
            let short = a.started.engine.short.as_str();
            let wanted = format!("{receipt}-{}", paths::component(short));
            (
                receipt,
                stems.of(format!("/{wanted}"), &[step, agent, short])[1..].to_owned(),
            )
        })
        .collect();
    let mut latest: HashMap<&str, usize> = HashMap::new();
    let mut last_of_visit: HashMap<(&str, &Instance), usize> = HashMap::new();
    for (i, (receipt, transcript)) in bases.iter().enumerate() {
        for base in [receipt, transcript] {
            latest.insert(base, i);
            last_of_visit.insert((base, &attempts[i].started.instance), i);
        }
    }
    let name = |i: usize, base: &String| {
        let started = attempts[i].started;
        let instance = &started.instance;
        if latest.get(base.as_str()) == Some(&i) {
            return base.clone();
        }
        let path: String = instance.path.iter().map(|index| format!("-{index}")).collect();
        let path = if path.is_empty() { path } else { format!(".path{path}") };
        if last_of_visit.get(&(base.as_str(), instance)) == Some(&i) {
            format!("{base}{path}.visit-{}", instance.visit)
        } else {
            format!("{base}{path}.visit-{}.attempt-{}", instance.visit, started.attempt)
        }
    };
    (0..attempts.len())
        .map(|i| Names {
            receipt: name(i, &bases[i].0),
            transcript: name(i, &bases[i].1),
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
