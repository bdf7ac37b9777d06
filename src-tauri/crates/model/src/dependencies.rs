//! What waits for what (seed 004 `depends_on`): waves, dependents, the critical path. Every function takes time linear in steps and
//! edges, does without recursion, and bears with cycles and with dependencies that do not exist.

use crate::{FlowKind, Step, StepId, Workflow};
use petgraph::Direction;
use petgraph::visit::EdgeRef as _;

/// The steps that take longest in a row, and how long that is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CriticalPath {
    /// From the first to the last.
    pub steps: Vec<StepId>,
    /// All of them together, milliseconds.
    pub duration_ms: u64,
}

impl Workflow {
    /// The steps that wait for this one directly, in document order, each once.
    pub fn dependents(&self, step: &Step) -> Vec<&Step> {
        let edges = self
            .graph()
            .edges_directed(self.node(step.ordinal), Direction::Outgoing);
        let mut out: Vec<usize> = edges
            .filter(|edge| edge.weight().kind == FlowKind::DependsOn)
            .map(|edge| self.graph()[edge.target()])
            .collect();
        out.sort_unstable();
        out.dedup();
        out.into_iter().map(|ordinal| &self.steps()[ordinal]).collect()
    }

    /// All steps that cannot begin without this one, in document order; the step itself only when it waits for itself.
    pub fn all_dependents(&self, step: &Step) -> Vec<&Step> {
        let mut found = vec![false; self.steps().len()];
        let mut open = vec![step];
        while let Some(step) = open.pop() {
            for dependent in self.dependents(step) {
                if !std::mem::replace(&mut found[dependent.ordinal], true) {
                    open.push(dependent);
                }
            }
        }
        self.steps().iter().filter(|step| found[step.ordinal]).collect()
    }

    /// The steps that a step waits for, directly or through others, in document order; in a cycle it is one of them itself.
    pub fn all_before(&self, step: &Step) -> Vec<&Step> {
        let mut found = vec![false; self.steps().len()];
        let mut open = vec![step];
        while let Some(step) = open.pop() {
            for before in step.depends_on.iter().filter_map(|id| self.step(id)) {
                if !std::mem::replace(&mut found[before.ordinal], true) {
                    open.push(before);
                }
            }
        }
        self.steps().iter().filter(|step| found[step.ordinal]).collect()
    }

    /// The steps in the order in which they may begin: each wave waits for nothing but earlier waves (seed 004 "Find stages").
    /// Steps that can never begin (a cycle, an unknown dependency, what waits for such a step) are in none.
    pub fn waves(&self) -> Vec<Vec<&Step>> {
        let known = |id: &StepId| self.step(id).is_some();
        let mut missing: Vec<usize> = (self.steps().iter())
            .map(|step| {
                let mut ids: Vec<&StepId> = step.depends_on.iter().collect();
                ids.sort_unstable();
                ids.dedup();
                if ids.iter().all(|id| known(id)) {
                    ids.len()
                } else {
                    usize::MAX
                }
            })
            .collect();
        let mut wave: Vec<&Step> = self.steps().iter().filter(|s| missing[s.ordinal] == 0).collect();
        let mut waves = Vec::new();
        while !wave.is_empty() {
            let mut next = Vec::new();
            for step in &wave {
                for dependent in self.dependents(step) {
                    let left = &mut missing[dependent.ordinal];
                    if *left != usize::MAX {
                        *left = left.saturating_sub(1);
                        if *left == 0 {
                            next.push(dependent);
                        }
                    }
                }
            }
            next.sort_unstable_by_key(|step| step.ordinal);
            waves.push(std::mem::replace(&mut wave, next));
        }
        waves
    }

    /// The chain of dependencies that takes longest when each step takes `duration_ms` of it; steps that can never begin are left
    /// out. Of two chains of one length the one whose last step stands first.
    pub fn critical_path(&self, duration_ms: impl Fn(&Step) -> u64) -> CriticalPath {
        let mut ends = vec![0_u64; self.steps().len()];
        let mut before: Vec<Option<usize>> = vec![None; self.steps().len()];
        let mut last: Option<usize> = None;
        for step in self.waves().into_iter().flatten() {
            let here = step.ordinal;
            let dependencies = step.depends_on.iter().filter_map(|id| self.step(id)).map(|s| s.ordinal);
            before[here] = dependencies.max_by_key(|&d| (ends[d], std::cmp::Reverse(d)));
            ends[here] = before[here].map_or(0, |d| ends[d]).saturating_add(duration_ms(step));
            let beats = |l: usize| ends[here] > ends[l] || ends[here] == ends[l] && before[here] == Some(l);
            if last.is_none_or(beats) {
                last = Some(here);
            }
        }
        let duration_ms = last.map_or(0, |l| ends[l]);
        let mut steps = Vec::new();
        while let Some(here) = last {
            steps.push(self.steps()[here].id.clone());
            last = before[here];
        }
        steps.reverse();
        CriticalPath { steps, duration_ms }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Format, Routing, Step, StepId, Workflow};

    /// `a<b,c` per step: its id and what it waits for.
    fn pipeline(steps: &[(&str, &[&str])]) -> Workflow {
        let step = |(ordinal, (id, depends_on)): (usize, &(&str, &[&str]))| Step {
            depends_on: depends_on.iter().map(|&id| id.into()).collect(),
            routing: Routing::Dependencies,
            ..Step::new(*id, ordinal)
        };
        let steps = steps.iter().enumerate().map(step).collect();
        Workflow::new("p".into(), "P".to_owned(), Format::Pipeline, steps)
    }

    fn ids(steps: &[&Step]) -> String {
        steps.iter().map(|s| s.id.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn waves(workflow: &Workflow) -> String {
        let waves = workflow.waves();
        waves.iter().map(|w| ids(w)).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn waves_wait_for_earlier_ones() {
        let diamond = pipeline(&[("d", &["b", "c"]), ("b", &["a"]), ("a", &[]), ("c", &["a", "a"])]);
        assert_eq!(waves(&diamond), "a | b c | d");
        let broken = pipeline(&[
            ("a", &[]),
            ("b", &["ghost"]),
            ("c", &["d"]),
            ("d", &["c"]),
            ("e", &["d"]),
            ("f", &["f"]),
        ]);
        assert_eq!(waves(&broken), "a");
        assert_eq!(waves(&pipeline(&[])), "");
    }

    #[test]
    fn dependents_are_transitive_and_end() {
        let workflow = pipeline(&[
            ("a", &[]),
            ("b", &["a"]),
            ("c", &["b", "b"]),
            ("d", &["c"]),
            ("x", &[]),
            ("e", &["e"]),
        ]);
        let of = |id: &str| ids(&workflow.all_dependents(workflow.step(&id.into()).expect("a step")));
        assert_eq!(of("a"), "b c d");
        assert_eq!(of("x"), "");
        assert_eq!(of("e"), "e");
        let before = |id: &str| ids(&workflow.all_before(workflow.step(&id.into()).expect("a step")));
        assert_eq!((before("d").as_str(), before("a").as_str()), ("a b c", ""));
        let cycle = pipeline(&[("a", &["b"]), ("b", &["a"])]);
        assert_eq!(ids(&cycle.all_dependents(&cycle.steps()[0])), "a b");
    }

    #[test]
    fn the_critical_path_is_the_longest_chain() {
        let workflow = pipeline(&[("a", &[]), ("b", &["a"]), ("c", &["a"]), ("d", &["b", "c"]), ("x", &[])]);
        let path = |durations: &[(&str, u64)]| {
            let took = |step: &Step| {
                durations
                    .iter()
                    .find(|(id, _)| *id == step.id.as_str())
                    .map_or(1, |d| d.1)
            };
            let path = workflow.critical_path(took);
            let names: Vec<&str> = path.steps.iter().map(StepId::as_str).collect();
            format!("{} {}", names.join(" "), path.duration_ms)
        };
        assert_eq!(path(&[("c", 5)]), "a c d 7");
        assert_eq!(path(&[("x", 50)]), "x 50");
        assert_eq!(path(&[]), "a b d 3");
        assert_eq!(path(&[("a", 0), ("b", 0), ("c", 0), ("d", 0), ("x", 0)]), "a b d 0");
        assert_eq!(path(&[("a", u64::MAX)]), format!("a b d {}", u64::MAX));
    }

    #[test]
    fn long_chains_are_no_deep_calls() {
        let names: Vec<String> = (0..20_000).map(|n| format!("s{n}")).collect();
        let steps = names.iter().enumerate().map(|(ordinal, name)| Step {
            depends_on: ordinal
                .checked_sub(1)
                .map(|n| names[n].as_str().into())
                .into_iter()
                .collect(),
            routing: Routing::Dependencies,
            ..Step::new(name.as_str(), ordinal)
        });
        let workflow = Workflow::new("p".into(), "P".to_owned(), Format::Pipeline, steps.collect());
        assert_eq!(workflow.waves().len(), 20_000);
        assert_eq!(workflow.all_dependents(&workflow.steps()[0]).len(), 19_999);
        assert_eq!(workflow.critical_path(|_| 1).duration_ms, 20_000);
    }
}
