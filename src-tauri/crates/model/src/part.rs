//! Several flows in one workflow: each is a part, one follows the other, and a run goes through them in order (seed 001
//! `run_created.flows`; CONTRACTS "Stepwise").
//!
//! The id of a step in a part is the part's key, a slash, and the id that its file gives it: two flows may use one id.

use crate::{Action, Back, Condition, Escalation, Fork, Jump, Routing, Step, StepId};
use std::ops::Range;

/// A flow of several in one workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What the list of flows calls it: `build`.
    pub key: String,
    /// What a person reads.
    pub title: String,
    /// The file that it was read from, relative to the project.
    pub file: String,
    /// Its steps, as places in [`crate::Workflow::steps`].
    pub steps: Range<usize>,
    /// A flow of the later generation ([`crate::Workflow::spec_generation`]).
    pub spec_generation: bool,
    /// Whether a report may name the step that follows ([`crate::Workflow::next_reported`]).
    pub next_reported: bool,
    /// When its policy asks a person ([`crate::Workflow::escalation`]).
    pub escalation: Escalation,
    /// It is no part of the order: another flow leads to it, and it leads back (`is_utility`).
    pub utility: bool,
    /// What follows when it has come to its end.
    pub on_complete: Onward,
    /// What follows when one of its steps has failed.
    pub on_failure: Onward,
}

/// What follows a flow.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Onward {
    /// Where it leads.
    pub to: Destination,
    /// Holds of what its last step reported, or the way of a failure is taken; absent: always.
    pub condition: Option<Condition>,
    /// Why, in the author's words.
    pub reason: Option<String>,
}

/// Where a flow leads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Destination {
    /// Nowhere: the run ends as the flow did.
    #[default]
    End,
    /// To the flow of this key.
    Part(String),
    /// Back to the flow that led here: to the step that failed there, or that a person paused before.
    Return,
    /// A person is waited for; when they let the run go on, it goes back as with [`Destination::Return`].
    Pause,
}

impl Part {
    /// The id of a step of this part, as its own file writes it.
    pub fn own_id<'a>(&self, step: &'a StepId) -> &'a str {
        let inside = step.as_str().strip_prefix(&self.key);
        inside.and_then(|rest| rest.strip_prefix('/')).unwrap_or(step.as_str())
    }

    /// Whether a name that another flow uses means this one: by its key, by the name of its file, and by either without
    /// the number in front (`6-deploy`, `deploy.yaml`, `deploy-flow.graph.json`).
    pub fn is_called(&self, name: &str) -> bool {
        is_called(&self.key, &self.file, name)
    }
}

/// Whether a name means the flow of this key and file; of a name with folders in it (`flows/deploy.yaml`) the file's have to be the same.
pub fn is_called(key: &str, file: &str, name: &str) -> bool {
    if key == name {
        return true;
    }
    let (folder, last) = file.rsplit_once('/').unwrap_or(("", file));
    match name.rsplit_once('/') {
        None => bare(key) == bare(name) || bare(last) == bare(name),
        Some((folders, wanted)) => {
            let mut inside = folders;
            while let Some(rest) = ["./", "../"].iter().find_map(|up| inside.strip_prefix(up)) {
                inside = rest;
            }
            let inside = if matches!(inside, "." | "..") { "" } else { inside };
            let is_there = inside.is_empty() || folder == inside || folder.ends_with(&format!("/{inside}"));
            is_there && bare(last) == bare(wanted)
        }
    }
}

/// A flow's name without the number in front of it and the ending of its file.
pub fn bare(name: &str) -> &str {
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_suffix("-flow").unwrap_or(stem);
    match stem.split_once('-') {
        Some((number, rest)) if !rest.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => stem,
    }
}

/// By place: the flows that may follow this one, which has come to its end, where the one that it led to leads back: the next in the list, and behind
/// one beside the order what follows those that lead to it. `but`: not this one.
pub fn behind(parts: &[Part], own: usize, but: Option<usize>) -> Vec<usize> {
    let next = |own: usize| (own + 1..parts.len()).find(|place| !parts[*place].utility && Some(*place) != but);
    let leads = |from: &Part, to: &Part| matches!(&from.on_complete.to, Destination::Part(key) if *key == to.key);
    let mut found = Vec::new();
    let mut seen = vec![false; parts.len()];
    let mut open = vec![own];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        // With the first one a run begins, whatever leads there.
        if at == 0 || !parts[at].utility {
            found.extend(next(at));
        }
        if parts[at].utility {
            open.extend((0..parts.len()).filter(|from| leads(&parts[*from], &parts[at])));
        }
    }
    found
}

/// A step as it stands in a part: its id and those that it names begin with the part's key, its number with the part's.
#[must_use]
pub fn in_part(mut step: Step, key: &str, number: usize, first: usize) -> Step {
    // A step of a detour has none.
    if !step.number.is_empty() {
        step.number = format!("{number}.{}", step.number);
    }
    let mut put = |id: &mut StepId| *id = StepId::from(format!("{key}/{id}"));
    put(&mut step.id);
    step.ordinal += first;
    step.parent.iter_mut().for_each(&mut put);
    step.depends_on.iter_mut().for_each(&mut put);
    step.detour_from.iter_mut().for_each(&mut put);
    step.detours.iter_mut().for_each(|detour| put(&mut detour.first));
    if let Some(gate) = &mut step.gate {
        gate.on_reject.iter_mut().for_each(&mut put);
    }
    targets(&mut step.routing, &mut put);
    step
}

fn targets(routing: &mut Routing, put: &mut impl FnMut(&mut StepId)) {
    match routing {
        Routing::Sequence | Routing::Terminal | Routing::Dependencies => {}
        Routing::Linear { next } | Routing::Unknown { next, .. } => next.iter_mut().for_each(put),
        Routing::Microloop(microloop) => {
            microloop.loop_target.iter_mut().for_each(&mut *put);
            microloop.next.iter_mut().for_each(put);
        }
        Routing::Return { from, back } => {
            put(from);
            if let Back::To(to) = back {
                put(to);
            }
        }
        Routing::Branch(branch) => {
            branch.branches.values_mut().for_each(&mut *put);
            branch.next.iter_mut().for_each(put);
        }
        Routing::Guarded { guards, next } => {
            guards.iter_mut().for_each(|guard| put(&mut guard.to));
            next.iter_mut().for_each(put);
        }
        Routing::Fork(fork) => {
            let Fork { targets, join, .. } = fork.as_mut();
            targets.iter_mut().for_each(&mut *put);
            join.iter_mut().for_each(put);
        }
        Routing::Transitions { transitions } => transitions.iter_mut().for_each(|t| of_action(&mut t.action, put)),
    }
}

fn of_action(action: &mut Action, put: &mut impl FnMut(&mut StepId)) {
    match action {
        Action::Goto(Jump::To(to)) => put(to),
        Action::Goto(Jump::Next(to)) => to.iter_mut().for_each(put),
        Action::Retry { then, .. } => of_action(then, put),
        Action::Continue | Action::Complete { .. } | Action::Stop { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Microloop, Workflow};

    fn flow(key: &str, steps: usize, first: usize) -> Part {
        Part {
            key: key.to_owned(),
            title: key.to_owned(),
            file: format!("flows/{key}.yaml"),
            steps: first..first + steps,
            spec_generation: false,
            next_reported: true,
            escalation: Default::default(),
            utility: false,
            on_complete: Onward::default(),
            on_failure: Onward::default(),
        }
    }

    #[test]
    fn a_flow_is_known_by_its_key_its_file_and_both_without_a_number() {
        let part = flow("deploy", 1, 0);
        for name in ["deploy", "6-deploy", "deploy.yaml", "deploy-flow"] {
            assert!(part.is_called(name), "{name}");
        }
        let graph = Part {
            file: "flows/deploy-flow.graph.json".to_owned(),
            ..flow("the-end", 1, 0)
        };
        assert!(graph.is_called("6-deploy"));
        assert!(!graph.is_called("redeploy"));
        for (name, is_it) in [
            ("flows/deploy.yaml", true),
            ("./flows/6-deploy", true),
            ("../deploy.yaml", true),
            ("other/deploy.yaml", false),
            ("flows/redeploy.yaml", false),
        ] {
            assert_eq!(part.is_called(name), is_it, "{name}");
        }
        assert_eq!(bare("7-"), "7-");
    }

    #[test]
    fn behind_a_flow_beside_the_order_follows_what_follows_those_that_lead_to_it() {
        let leads = |key: &str, to: Destination, utility: bool| Part {
            utility,
            on_complete: Onward {
                to,
                ..Onward::default()
            },
            ..flow(key, 1, 0)
        };
        let to = |key: &str| Destination::Part(key.to_owned());
        let parts = [
            leads("plan", to("tidy"), false),
            leads("build", Destination::End, false),
            leads("send", Destination::End, false),
            leads("tidy", to("sweep"), true),
            leads("sweep", Destination::Return, true),
        ];
        assert_eq!(behind(&parts, 0, None), [1]);
        assert_eq!(behind(&parts, 0, Some(1)), [2]);
        assert_eq!(behind(&parts, 3, Some(4)), [1]);
        assert_eq!(behind(&parts, 4, None), [1]);
        assert_eq!(behind(&parts, 2, None), [0; 0]);
    }

    #[test]
    fn steps_of_one_id_in_two_flows_are_told_apart_and_a_flow_ends_at_its_last_step() {
        let loops = Routing::Microloop(Microloop {
            loop_target: Some("write".into()),
            condition_field: None,
            success_values: Vec::new(),
            max_iterations: 2,
            next: Some("check".into()),
            exit_on: indexmap::IndexMap::new(),
        });
        let own = |number: usize, first: usize, key: &str| {
            let write = Step {
                routing: loops.clone(),
                ..Step::new("write", 0)
            };
            [write, Step::new("check", 1)].map(|step| in_part(step, key, number, first))
        };
        let steps = own(1, 0, "plan").into_iter().chain(own(2, 2, "build")).collect();
        let parts = vec![flow("plan", 2, 0), flow("build", 2, 2)];
        let workflow = Workflow::of_parts("all".into(), "All".to_owned(), Format::Stepwise, steps, parts);
        let ids: Vec<&str> = workflow.steps().iter().map(|step| step.id.as_str()).collect();
        assert_eq!(ids, ["plan/write", "plan/check", "build/write", "build/check"]);
        assert_eq!(workflow.steps()[3].number, "2.2");
        let check = workflow.step(&"plan/check".into()).expect("a step");
        assert_eq!(workflow.step_after(check), None, "the next flow begins by itself");
        let part = workflow.part_of(check).expect("a part");
        assert_eq!((part.key.as_str(), part.own_id(&check.id)), ("plan", "check"));
        let write = workflow.step(&"build/write".into()).expect("a step");
        let targets: Vec<String> = write.routing.targets().iter().map(|(_, to)| to.to_string()).collect();
        assert_eq!(targets, ["build/write", "build/check"]);
        assert_eq!(
            workflow.entry_of("build").map(|step| step.id.as_str()),
            Some("build/write")
        );
        let led: Vec<(usize, usize)> = workflow
            .flows()
            .iter()
            .map(|(a, b, _)| (a.ordinal, b.ordinal))
            .collect();
        assert!(
            led.iter().all(|(a, b)| (*a < 2) == (*b < 2)),
            "no edge leads from one flow to another: {led:?}"
        );
    }
}
