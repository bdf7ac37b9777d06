//! What lies between two places of a workflow: the gates that a jump would lead past.

use crate::before::before;
use crate::branches::inside;
use crate::course::{Course, flow_of, may_end};
use crate::{FlowKind, GateAt, Routing, Step, Workflow};
use petgraph::visit::EdgeRef as _;
use std::collections::VecDeque;

/// By place: whether a walk has come there, and past which gate; `Some(None)`: past none.
type Come = Vec<Option<Option<usize>>>;

/// For each step the gate that bars the way to it from where a run is: every way of the workflow there leads past one.
///
/// What counts are the ways from where the run is, through the flows of a list as well; where none leads there, those from the beginning: what
/// a person is to be asked before a step is not left out by going to it where no way leads. A way that only a failure takes counts where
/// nothing else leads there; it leads past the gate of the step that fails where that asks before the work. A fork asks where a step of its
/// branches does.
#[derive(Debug)]
pub struct Bars {
    /// What was come to, by which ways first.
    walks: Vec<Come>,
}

impl Bars {
    /// `here`: the places where the run is, each with the gate that is still to be asked before it goes on from there. `passed`: gates whose
    /// answer holds, by place. `asks`: a person is asked at this step.
    ///
    /// Costs at most four walks of the workflow, and a few more for each fork.
    pub fn of(
        workflow: &Workflow,
        here: &[(usize, Option<usize>)],
        passed: &[usize],
        asks: impl Fn(&Step) -> bool,
    ) -> Self {
        let Some(entry) = workflow.entry().filter(|_| workflow.steps().iter().any(&asks)) else {
            return Self { walks: Vec::new() };
        };
        let course = Course::of(workflow);
        let around = forks_around(workflow, here);
        let mut walks = Vec::new();
        for failing in [false, true] {
            // Without a flow that a failure leads to it would be the same once more.
            if failing && course.fails.iter().all(Vec::is_empty) {
                continue;
            }
            let from_here = Walk {
                workflow,
                course: Some(&course),
                asks: &asks,
                passed: &[],
                entered: &[],
                closed: None,
                failing,
            };
            walks.push(from_here.walk(here));
            let entered = around.as_slice();
            let anew = Walk {
                passed,
                entered,
                ..from_here
            };
            walks.push(anew.walk(&[(entry.ordinal, anew.stops(entry))]));
        }
        Self { walks }
    }

    /// The place of the gate, the nearest on one of the ways; `None`: nothing bars the way to this step.
    pub fn gate_before(&self, to: &Step) -> Option<usize> {
        self.walks.iter().find_map(|come| come[to.ordinal]).flatten()
    }

    /// Whether a way leads past none to an end of the flow in which a gate stands.
    pub fn is_end_open(&self, workflow: &Workflow, gate: &Step) -> bool {
        let own = flow_of(workflow, gate.ordinal);
        let steps = workflow.steps().iter();
        let ends: Vec<usize> = steps
            .filter(|step| ends_unasked(workflow, step) && flow_of(workflow, step.ordinal) == own)
            .map(|step| step.ordinal)
            .collect();
        let walk = self
            .walks
            .iter()
            .find(|come| ends.iter().any(|end| come[*end].is_some()));
        let is_open = |come: &Come, end: usize| end != gate.ordinal && come[end] == Some(None);
        walk.is_some_and(|come| ends.iter().any(|end| is_open(come, *end)))
    }
}

/// The forks in whose branches some of these places stand.
fn forks_around(workflow: &Workflow, here: &[(usize, Option<usize>)]) -> Vec<usize> {
    let stands = |place: usize| here.iter().any(|(here, _)| *here == place);
    let forks = workflow.steps().iter().filter(|step| match &step.routing {
        Routing::Fork(fork) => inside(workflow, fork).into_iter().flatten().any(stands),
        _ => false,
    });
    forks.map(|fork| fork.ordinal).collect()
}

/// Whether one of the ways on from a step leads past a gate at which another of them stops: what that other one comes to past a gate alone is come
/// to past none. A way that goes back passes nothing, and nor does one to a step that asks before its work. `way` and `others`: the steps that they
/// lead to; absent: the flow's end.
pub fn leads_past(
    workflow: &Workflow,
    from: &Step,
    way: Option<&Step>,
    others: &[Option<&Step>],
    asks: impl Fn(&Step) -> bool,
) -> bool {
    let before = before(workflow, from);
    if way.is_some_and(|to| before[to.ordinal]) || !workflow.steps().iter().any(&asks) {
        return false;
    }
    let course = Course::of(workflow);
    let walk = Walk {
        workflow,
        course: Some(&course),
        asks: &asks,
        passed: &[],
        entered: &[],
        // Whatever comes back here is chosen anew.
        closed: Some(from.ordinal),
        failing: false,
    };
    let own = flow_of(workflow, from.ordinal).unwrap_or_default();
    let free = walk.by_way(&course, own, way);
    let counts = |place: usize| {
        let step = workflow.steps().get(place);
        step.is_none_or(|step| !(before[place] || asks(step) && asks_before(step)))
    };
    others.iter().any(|other| {
        let come = walk.by_way(&course, own, *other);
        let mut both = free.iter().zip(&come).enumerate();
        both.any(|(place, (free, come))| *free == Some(None) && matches!(come, Some(Some(_))) && counts(place))
    })
}

/// The failures in a list that lead past a gate: where a flow fails another one begins that it else leads to past a gate alone. For each the
/// flow that fails, by its place in the list, and the places of the step that follows and of the gate.
pub fn passed_by_failures(workflow: &Workflow, asks: impl Fn(&Step) -> bool) -> Vec<(usize, usize, usize)> {
    let course = Course::of(workflow);
    let all = Walk {
        workflow,
        course: Some(&course),
        asks: &asks,
        passed: &[],
        entered: &[],
        closed: None,
        failing: false,
    };
    let entry = |flow: usize| workflow.entry_of(&workflow.parts()[flow].key);
    let mut found = Vec::new();
    for (own, leads) in course.fails.iter().enumerate() {
        let Some(first) = entry(own).filter(|_| !leads.is_empty()) else {
            continue;
        };
        // What was approved before the flow began says nothing of what lies behind it.
        let come = all.walk(&[(first.ordinal, all.stops(first))]);
        let mut steps = workflow.steps()[workflow.parts()[own].steps.clone()].iter();
        let free = steps.any(|step| come[step.ordinal] == Some(None) && !(asks(step) && asks_before(step)));
        for begins in leads.iter().filter(|_| free).filter_map(|to| entry(*to)) {
            if let Some(Some(gate)) = come[begins.ordinal] {
                found.push((own, begins.ordinal, gate));
            }
        }
    }
    found
}

/// Whether the flow can end at a step by itself: where none of the conditions of a step holds a person is asked.
fn ends_unasked(workflow: &Workflow, step: &Step) -> bool {
    may_end(workflow, step) && !matches!(step.routing, Routing::Guarded { .. })
}

/// Whether the gate of a step stands before its work: what fails there has been approved.
fn asks_before(step: &Step) -> bool {
    step.gate.as_ref().is_some_and(|gate| gate.at == GateAt::Before)
}

/// A walk along the ways of a workflow: first to what is come to past no gate, then to the rest.
struct Walk<'w, A> {
    workflow: &'w Workflow,
    /// How the flows of a list follow each other; absent: it stays within one.
    course: Option<&'w Course>,
    asks: &'w A,
    /// Gates that stop nobody.
    passed: &'w [usize],
    /// Forks in whose branches the run is: what the others ask is no matter of the one that it stands in.
    entered: &'w [usize],
    /// A step behind which it does not go on.
    closed: Option<usize>,
    /// The ways that a failure takes count too.
    failing: bool,
}

/// Where a walk goes on, each place with the gate that lies before it.
#[derive(Default)]
struct Open {
    free: VecDeque<usize>,
    barred: VecDeque<(usize, usize)>,
}

impl Open {
    fn put(&mut self, place: usize, past: Option<usize>) {
        match past {
            None => self.free.push_back(place),
            Some(gate) => self.barred.push_back((place, gate)),
        }
    }

    fn take(&mut self) -> Option<(usize, Option<usize>)> {
        let free = self.free.pop_front().map(|place| (place, None));
        free.or_else(|| self.barred.pop_front().map(|(place, gate)| (place, Some(gate))))
    }
}

impl<A: Fn(&Step) -> bool> Walk<'_, A> {
    /// What is come to from places, each with the gate that is to be asked before it is left.
    fn walk(&self, places: &[(usize, Option<usize>)]) -> Come {
        let mut come: Come = vec![None; self.workflow.steps().len()];
        let mut open = Open::default();
        for (place, past) in places {
            come[*place] = Some(None);
            self.leave(*place, None, *past, &mut open);
        }
        self.go_on(come, open)
    }

    fn go_on(&self, mut come: Come, mut open: Open) -> Come {
        let steps = self.workflow.steps();
        if let Some(closed) = self.closed {
            come[closed] = Some(None);
        }
        while let Some((place, by)) = open.take() {
            if come[place].is_none() {
                come[place] = Some(by);
                let past = by.or_else(|| self.stops(&steps[place]));
                self.leave(place, by, past, &mut open);
            }
        }
        come
    }

    /// What one way leads to, and behind the steps the ends of the flows. `own`: the flow that it leaves; `to`: the step that it leads to, absent: it
    /// ends that flow.
    fn by_way(&self, course: &Course, own: usize, to: Option<&Step>) -> Come {
        let steps = self.workflow.steps();
        let parts = self.workflow.parts().len();
        let mut ends: Come = vec![None; parts.max(1)];
        let mut open = Open::default();
        match to {
            Some(step) => open.put(step.ordinal, None),
            None => {
                ends[own] = Some(None);
                self.end(course, own, None, &mut open);
            }
        }
        let mut come = self.go_on(vec![None; steps.len()], open);
        for step in steps
            .iter()
            .filter(|step| ends_unasked(self.workflow, step))
            .filter(|step| self.closed != Some(step.ordinal))
        {
            let Some(by) = come[step.ordinal] else { continue };
            let end = &mut ends[flow_of(self.workflow, step.ordinal).unwrap_or_default()];
            *end = match (*end, by.or_else(|| self.stops(step))) {
                (Some(None), _) | (_, None) => Some(None),
                (_, past) => Some(past),
            };
        }
        come.extend(ends);
        come
    }

    /// Leaves a step that was come to past one gate, if any, on all its ways, which lead past its own; a failure's only where that asks before
    /// the work.
    fn leave(&self, place: usize, by: Option<usize>, past: Option<usize>, open: &mut Open) {
        let graph = self.workflow.graph();
        for edge in graph.edges(self.workflow.node(place)) {
            let leads = match edge.weight().kind {
                FlowKind::DependsOn => false,
                // By an answer at the gate alone.
                FlowKind::Reject => past.is_some(),
                _ => true,
            };
            if leads {
                open.put(graph[edge.target()], past);
            }
        }
        let Some((course, flow)) = self.course.zip(flow_of(self.workflow, place)) else {
            return;
        };
        let step = &self.workflow.steps()[place];
        if may_end(self.workflow, step) {
            self.end(course, flow, past, open);
        }
        if self.failing {
            // Of a fork it may be the gate of another step.
            let own = past.filter(|gate| *gate == place && asks_before(step));
            for flow in &course.fails[flow] {
                self.begin(*flow, by.or(own), open);
            }
        }
    }

    /// Where a flow leads that has come to its end.
    fn end(&self, course: &Course, flow: usize, past: Option<usize>, open: &mut Open) {
        let leads = course.ends.get(flow).into_iter().flatten();
        for lead in leads {
            let between = || lead.by_way_of.and_then(|flow| self.gate_within(flow));
            self.begin(lead.to, past.or_else(between), open);
        }
    }

    fn begin(&self, flow: usize, past: Option<usize>, open: &mut Open) {
        if let Some(entry) = self.workflow.entry_of(&self.workflow.parts()[flow].key) {
            open.put(entry.ordinal, past);
        }
    }

    /// The gate at which the way on from a step stops; of a fork one in its branches.
    fn stops(&self, step: &Step) -> Option<usize> {
        let steps = self.workflow.steps();
        let asks = |step: &Step| (self.asks)(step) && !self.passed.contains(&step.ordinal);
        match &step.routing {
            _ if asks(step) => Some(step.ordinal),
            Routing::Fork(fork) if !self.entered.contains(&step.ordinal) => {
                let mut inner = inside(self.workflow, fork).into_iter().flatten();
                inner.find(|place| asks(&steps[*place]))
            }
            _ => None,
        }
    }

    /// The gate that every way through a flow, from its beginning to an end, leads past.
    fn gate_within(&self, flow: usize) -> Option<usize> {
        let part = &self.workflow.parts()[flow];
        let entry = self.workflow.entry_of(&part.key)?;
        let come = Walk { course: None, ..*self }.walk(&[(entry.ordinal, self.stops(entry))]);
        let steps = self.workflow.steps()[part.steps.clone()].iter();
        let ends = steps.filter(|step| may_end(self.workflow, step));
        let past: Vec<Option<usize>> = ends
            .filter_map(|end| come[end.ordinal].map(|by| by.or_else(|| self.stops(end))))
            .collect();
        match past.iter().all(Option::is_some) {
            true => past.first().copied().flatten(),
            false => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Destination;
    use crate::rules::testing::{branch, end, flow, gated, list, microloop, step, to};

    /// The gate before a step, from where a run is; `passed`: gates that it has passed.
    fn bar(workflow: &Workflow, from: &str, to: &str, passed: &[&str]) -> Option<String> {
        let at = |id: &str| workflow.step(&id.into()).expect("a step");
        let passed: Vec<usize> = passed.iter().map(|gate| at(gate).ordinal).collect();
        let bars = Bars::of(workflow, &[(at(from).ordinal, None)], &passed, |step| {
            step.gate.is_some()
        });
        bars.gate_before(at(to))
            .map(|gate| workflow.steps()[gate].id.to_string())
    }

    fn between(steps: Vec<Step>, from: &str, to: &str) -> Option<String> {
        bar(&flow(steps), from, to, &[])
    }

    #[test]
    fn only_what_every_way_leads_through_is_passed_by() {
        let line = || {
            vec![
                step("draft", to("approve")),
                gated("approve", to("publish")),
                step("publish", end()),
            ]
        };
        assert_eq!(between(line(), "draft", "publish").as_deref(), Some("approve"));
        assert_eq!(between(line(), "draft", "approve"), None);
        assert_eq!(between(line(), "publish", "draft"), None, "nothing stands before it");
        let around = vec![
            step("triage", branch(&[("small", "publish")], Some("approve"))),
            gated("approve", to("publish")),
            step("publish", end()),
        ];
        assert_eq!(between(around, "triage", "publish"), None);
        let back = vec![
            step("draft", to("judge")),
            gated("judge", Routing::Microloop(microloop("draft", Some("publish")))),
            step("publish", end()),
        ];
        assert_eq!(between(back, "draft", "publish").as_deref(), Some("judge"));
    }

    #[test]
    fn a_way_leads_past_a_gate_at_which_another_one_stops() {
        let workflow = flow(vec![
            step("draft", to("triage")),
            step(
                "triage",
                branch(&[("small", "publish"), ("odd", "note")], Some("approve")),
            ),
            gated("approve", to("publish")),
            step("publish", end()),
            step("note", end()),
        ]);
        let at = |id: &str| workflow.step(&id.into());
        let past = |way: Option<&str>, others: &[&str]| {
            let others: Vec<Option<&Step>> = others.iter().map(|&id| at(id)).collect();
            let from = at("triage").expect("a step");
            leads_past(&workflow, from, way.and_then(at), &others, |step| step.gate.is_some())
        };
        assert!(past(Some("publish"), &["approve"]), "the step behind the gate");
        assert!(past(Some("note"), &["approve"]), "the end");
        assert!(past(None, &["approve"]), "the end at once");
        assert!(!past(Some("approve"), &["publish", "note"]));
        assert!(!past(Some("draft"), &["approve"]), "it goes back");
        assert!(!past(Some("triage"), &["approve"]), "the same once more");
        assert!(!past(Some("publish"), &["note"]), "no gate is left out");
        // Of two gates either is one.
        let two = flow(vec![
            step("triage", branch(&[("legal", "lawyer")], Some("boss"))),
            gated("lawyer", to("publish")),
            gated("boss", to("publish")),
            step("publish", end()),
        ]);
        let step = |id: &str| two.step(&id.into());
        let from = step("triage").expect("a step");
        assert!(!leads_past(&two, from, step("lawyer"), &[step("boss")], |step| step
            .gate
            .is_some()));
    }

    #[test]
    fn where_no_way_leads_from_here_those_from_the_beginning_count() {
        let workflow = flow(vec![
            step("triage", branch(&[("large", "approve")], Some("note"))),
            step("note", end()),
            gated("approve", to("publish")),
            step("publish", end()),
            step("lost", end()),
        ]);
        assert_eq!(bar(&workflow, "note", "publish", &[]).as_deref(), Some("approve"));
        assert_eq!(bar(&workflow, "note", "publish", &["approve"]), None, "it was answered");
        assert_eq!(bar(&workflow, "note", "triage", &[]), None);
        assert_eq!(bar(&workflow, "note", "lost", &[]), None, "nothing leads there at all");
    }

    fn then(key: &str) -> Destination {
        Destination::Part(key.to_owned())
    }

    #[test]
    fn a_gate_in_another_flow_of_a_list_bars_what_follows_it() {
        let three = |failure: Destination| {
            list(vec![
                ("one", vec![step("a", end())], then("two"), failure),
                (
                    "two",
                    vec![gated("b", to("d")), step("d", end())],
                    then("three"),
                    Destination::End,
                ),
                ("three", vec![step("c", end())], Destination::End, Destination::End),
            ])
        };
        let workflow = three(Destination::End);
        for to in ["two/d", "three/c"] {
            assert_eq!(bar(&workflow, "one/a", to, &[]).as_deref(), Some("two/b"), "{to}");
        }
        assert_eq!(bar(&workflow, "one/a", "two/b", &[]), None);
        assert_eq!(bar(&workflow, "two/d", "three/c", &[]), None);
        assert_eq!(bar(&workflow, "three/c", "two/d", &[]).as_deref(), Some("two/b"));
        assert_eq!(bar(&workflow, "three/c", "two/d", &["two/b"]), None);
        let gated = |step: &Step| step.gate.is_some();
        assert_eq!(passed_by_failures(&workflow, gated), []);
        // What a failure would lead to is no way for whoever has not failed.
        let workflow = three(then("three"));
        assert_eq!(bar(&workflow, "one/a", "three/c", &[]).as_deref(), Some("two/b"));
        assert_eq!(passed_by_failures(&workflow, gated), [(0, 3, 1)]);
    }

    /// A step that asks a person before its work.
    fn asked_first(id: &str, routing: Routing) -> Step {
        let mut step = gated(id, routing);
        step.gate.as_mut().expect("it is gated").at = GateAt::Before;
        step
    }

    #[test]
    fn what_fails_behind_a_gate_before_the_work_has_passed_it() {
        let mended = |one: Step, two: Vec<Step>| {
            list(vec![
                ("one", vec![one], then("two"), Destination::End),
                ("two", two, then("three"), then("mend")),
                ("three", vec![step("c", end())], Destination::End, Destination::End),
                ("mend", vec![step("m", end())], Destination::Return, Destination::End),
            ])
        };
        let a = || step("a", end());
        let before = mended(a(), vec![asked_first("b", end())]);
        assert_eq!(bar(&before, "one/a", "mend/m", &[]).as_deref(), Some("two/b"));
        assert_eq!(bar(&before, "two/b", "mend/m", &[]), None, "it was approved");
        let after = mended(a(), vec![gated("b", end())]);
        assert_eq!(bar(&after, "one/a", "mend/m", &[]), None, "it fails before it is asked");
        let later = mended(a(), vec![step("w", to("b")), asked_first("b", end())]);
        assert_eq!(bar(&later, "one/a", "mend/m", &[]), None, "the first step may fail");
        // From the beginning of the list as well.
        let early = mended(asked_first("a", end()), vec![step("b", end())]);
        assert_eq!(bar(&early, "three/c", "mend/m", &[]).as_deref(), Some("one/a"));
        assert_eq!(bar(&early, "three/c", "mend/m", &["one/a"]), None);
    }

    #[test]
    fn a_failure_behind_a_gate_before_the_work_passes_nothing_by() {
        let found = |two: Vec<Step>| {
            let workflow = list(vec![
                ("one", vec![step("a", end())], then("two"), Destination::End),
                ("two", two, then("three"), then("three")),
                ("three", vec![step("c", end())], Destination::End, Destination::End),
            ]);
            passed_by_failures(&workflow, |step| step.gate.is_some())
        };
        assert_eq!(found(vec![asked_first("b", end())]), []);
        assert_eq!(found(vec![asked_first("b", to("d")), step("d", end())]), []);
        assert_eq!(found(vec![gated("b", end())]), [(1, 2, 1)]);
        assert_eq!(found(vec![step("w", to("b")), asked_first("b", end())]), [(1, 3, 2)]);
    }

    #[test]
    fn an_earlier_gate_excuses_no_failure_that_leads_past_a_later_one() {
        let workflow = list(vec![
            ("plan", vec![gated("write", end())], then("release"), Destination::End),
            (
                "release",
                vec![step("build", to("sign")), gated("sign", end())],
                then("announce"),
                then("announce"),
            ),
            (
                "announce",
                vec![step("post", end())],
                Destination::End,
                Destination::End,
            ),
        ]);
        assert_eq!(passed_by_failures(&workflow, |step| step.gate.is_some()), [(1, 3, 2)]);
    }

    #[test]
    fn a_flow_that_leads_back_is_gone_through_by_whoever_led_there() {
        let workflow = |sign: Step| {
            list(vec![
                ("one", vec![step("a", end())], then("sign"), Destination::End),
                ("two", vec![gated("b", end())], then("three"), Destination::End),
                ("three", vec![step("c", end())], then("sign"), then("mend")),
                ("four", vec![step("d", end())], Destination::End, Destination::End),
                ("sign", vec![sign], Destination::Return, Destination::End),
                (
                    "mend",
                    vec![gated("m", to("n")), step("n", end())],
                    Destination::Return,
                    Destination::End,
                ),
            ])
        };
        let gate = workflow(gated("s", end()));
        assert_eq!(bar(&gate, "three/c", "four/d", &[]).as_deref(), Some("sign/s"));
        let free = workflow(step("s", end()));
        assert_eq!(bar(&free, "three/c", "four/d", &[]), None);
        assert_eq!(bar(&free, "one/a", "four/d", &[]).as_deref(), Some("two/b"));
        assert_eq!(bar(&free, "three/c", "mend/n", &[]).as_deref(), Some("mend/m"));
        assert_eq!(bar(&free, "three/c", "mend/m", &[]), None, "a failure leads there");
        assert_eq!(bar(&free, "one/a", "mend/m", &[]).as_deref(), Some("two/b"));
    }
}
