//! GH0012: two steps that can run at the same time make the same file.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::step::Output;
use crate::{Control, Diagnostic, Fork, JoinRule, OnFailure, Place, Routing, Severity, Step, Work, Workflow, branches};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0012",
    title: "One file of two steps at a time",
    page: include_str!("shared_output.md"),
};

/// Of so many stages that share a file it is looked at what they wait for: each look costs a walk of the pipeline. And against so many before it
/// one is held: a file that thousands share costs no more than their number.
const LOOKED: usize = 200;

/// Where a step says that it makes a file: its place, and that of the file among its outputs.
type Maker = (usize, usize);

/// Two that make one: the later of them, which file, the other.
type Both<'m> = (Maker, &'m str, Maker);

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    let made = made(workflow);
    if made.is_empty() {
        return;
    }
    let mut both = BTreeSet::new();
    match workflow.contract().control {
        Control::Stages => stages(workflow, &made, &mut both),
        Control::Token => {
            for step in workflow.steps() {
                if let Routing::Fork(fork) = &step.routing {
                    branches_of(workflow, fork, &made, &mut both);
                }
            }
        }
    }
    for ((later, output), file, (earlier, first)) in both {
        let steps = workflow.steps();
        let place = |step: usize, output: usize| Place::step(step).field("outputs").field(output.to_string());
        let (one, other) = (steps[earlier].called(), steps[later].called());
        let said = format!("{one} and {other} can run at the same time, and both make `{file}`");
        let help =
            "The later one takes the other's place: give each a file of its own, or let one come after the other";
        found.push(
            Diagnostic::new(PAGE.code, Severity::Warning, place(later, output), said)
                .related(place(earlier, first), "is made here too")
                .help(help),
        );
    }
}

/// The files that more than one step makes, each with those steps in document order. Of two steps of one id the second is never reached.
fn made(workflow: &Workflow) -> BTreeMap<String, Vec<Maker>> {
    let mut made: BTreeMap<String, Vec<Maker>> = BTreeMap::new();
    let first = |step: &&Step| {
        workflow
            .step(&step.id)
            .is_some_and(|first| first.ordinal == step.ordinal)
    };
    for step in workflow.steps().iter().filter(first) {
        for (n, output) in step.outputs.iter().enumerate() {
            let Some(file) = file(workflow, output) else { continue };
            let makers = made.entry(file).or_default();
            if makers.last().is_none_or(|(last, _)| *last != step.ordinal) {
                makers.push((step.ordinal, n));
            }
        }
    }
    made.retain(|_, makers| makers.len() > 1);
    made
}

/// The file that an output names, however its path is written. A folder and a pattern may stand for other files in each step, an address is no
/// file here, and what is said in words is nobody's file. Where stages have folders of their own, a bare name is what is kept there.
fn file(workflow: &Workflow, written: &str) -> Option<String> {
    let path = Output::of(written).path;
    let is_one = !path.contains("://") && !path.ends_with('/') && !path.contains(['*', '?', '[']);
    let is_word = !path.contains(char::is_whitespace) && (path.contains('.') || !workflow.contract().stage_outputs);
    let is_named = path.contains('/') || is_word;
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    (is_one && is_named && !parts.is_empty()).then(|| parts.join("/"))
}

/// Steps in different branches of a fork. In copies of their own the one that comes first is brought in alone where it ends the others.
fn branches_of<'m>(
    workflow: &Workflow,
    fork: &Fork,
    made: &'m BTreeMap<String, Vec<Maker>>,
    both: &mut BTreeSet<Both<'m>>,
) {
    if fork.rules.isolated && fork.rules.join == JoinRule::FirstComplete {
        return;
    }
    let mut owner: Vec<Option<usize>> = vec![None; workflow.steps().len()];
    for (branch, inside) in branches::inside(workflow, fork).into_iter().enumerate() {
        inside.into_iter().for_each(|step| owner[step] = Some(branch));
    }
    // The branches of a batch begin when those of the one before have ended.
    let batch = fork.rules.batch.map_or(usize::MAX, |batch| batch.max(1) as usize);
    for (file, makers) in made {
        let mut first: BTreeMap<usize, Maker> = BTreeMap::new();
        for maker in makers {
            let Some(branch) = owner[maker.0] else { continue };
            let beside = |other: &usize| *other != branch && other / batch == branch / batch;
            if let Some((_, other)) = first.iter().find(|(other, _)| beside(other)) {
                both.insert((*maker, file.as_str(), *other));
            }
            first.entry(branch).or_insert(*maker);
        }
    }
}

/// Stages of which neither waits for the other, directly or through others.
fn stages<'m>(workflow: &Workflow, made: &'m BTreeMap<String, Vec<Maker>>, both: &mut BTreeSet<Both<'m>>) {
    let steps = workflow.steps();
    let mut waves: Vec<Option<usize>> = vec![None; steps.len()];
    for (n, wave) in workflow.waves().into_iter().enumerate() {
        wave.into_iter().for_each(|step| waves[step.ordinal] = Some(n));
    }
    let mut looked = 0;
    for (file, makers) in made {
        for (n, maker) in makers.iter().enumerate().skip(1) {
            let step = &steps[maker.0];
            let may = |other: &&Maker| may_meet(workflow, &waves, step, &steps[other.0]);
            let before = &makers[n.saturating_sub(LOOKED)..n];
            let mut others = before.iter().filter(may).peekable();
            if others.peek().is_none() {
                continue;
            }
            looked += 1;
            if looked > LOOKED {
                return;
            }
            let ordered = workflow
                .all_before(step)
                .into_iter()
                .chain(workflow.all_dependents(step));
            let ordered: BTreeSet<usize> = ordered.map(|step| step.ordinal).collect();
            if let Some(other) = others.find(|other| !ordered.contains(&other.0)) {
                both.insert((*maker, file.as_str(), *other));
            }
        }
    }
}

/// Whether two stages may be under way at once, as far as it does not depend on what they wait for. Of two conditions it is not known whether
/// both can hold.
fn may_meet(workflow: &Workflow, waves: &[Option<usize>], one: &Step, other: &Step) -> bool {
    let condition = |step: &Step| step.whether.as_ref().and_then(|whether| whether.condition.clone());
    let (if_one, if_other) = (condition(one), condition(other));
    let excluded = if_one.is_some() && if_other.is_some() && if_one != if_other;
    let at_once = match (waves[one.ordinal], waves[other.ordinal]) {
        (Some(of_one), Some(of_other)) if workflow.on_failure == OnFailure::Halt && of_one != of_other => {
            // A wave begins when the one before has ended, but for those of which somebody is asked, in a run inside them too.
            let before = if of_one < of_other { one } else { other };
            before.gate.is_some() || matches!(before.work, Work::SubWorkflow { .. })
        }
        (Some(_), Some(_)) => true,
        // One of them can never begin.
        _ => false,
    };
    at_once && !excluded && (one.parallel || other.parallel)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{branch, end, flow, found, gated, microloop, step, to};
    use crate::{Fork, ForkRules, Format, JoinRule, OnFailure, Routing, Step, Whether, Work, Workflow};

    fn making(step: Step, outputs: &[&str]) -> Step {
        Step {
            outputs: outputs.iter().map(|output| (*output).to_owned()).collect(),
            ..step
        }
    }

    fn fork(targets: &[&str], rules: ForkRules) -> Routing {
        Routing::Fork(Box::new(Fork {
            targets: targets.iter().map(|to| (*to).into()).collect(),
            join: None,
            rules,
        }))
    }

    fn count(workflow: &Workflow) -> usize {
        found(workflow, "GH0012").len()
    }

    fn forked(rules: ForkRules, one: &str, other: &str) -> Workflow {
        flow(vec![
            step("a", fork(&["b", "c"], rules)),
            making(step("b", to("d")), &["notes.md", one]),
            making(step("c", to("d")), &[other]),
            making(step("d", end()), &[one]),
        ])
    }

    #[test]
    fn two_branches_that_make_one_file_are_named_both() {
        let workflow = forked(ForkRules::default(), "out/plan.md", "./out//plan.md (optional)");
        let said = "`b` and `c` can run at the same time, and both make `out/plan.md`".to_owned();
        assert_eq!(found(&workflow, "GH0012"), [(Some(2), said)]);
        let all = super::super::check(&workflow);
        let both = all.iter().find(|one| one.code == "GH0012").expect("it is named");
        assert_eq!(both.place.path, ["outputs", "0"]);
        let (place, _) = &both.related[0];
        assert_eq!(
            (place.step, place.path.as_slice()),
            (Some(1), &["outputs".to_owned(), "1".to_owned()][..])
        );
    }

    #[test]
    fn what_is_no_file_is_not_shared() {
        for output in ["out/", "out/*.md", "https://example.org/plan.md", "a plan, in words"] {
            assert_eq!(count(&forked(ForkRules::default(), output, output)), 0, "{output}");
        }
        assert_eq!(count(&forked(ForkRules::default(), "plan", "plan")), 1);
    }

    #[test]
    fn branches_one_after_the_other_and_copies_of_which_one_counts_share_nothing() {
        let batch = |batch: u32| ForkRules {
            batch: Some(batch),
            ..ForkRules::default()
        };
        assert_eq!(count(&forked(batch(1), "a.md", "a.md")), 0);
        assert_eq!(count(&forked(batch(2), "a.md", "a.md")), 1);
        let isolated = |join: JoinRule| ForkRules {
            isolated: true,
            join,
            ..ForkRules::default()
        };
        assert_eq!(count(&forked(isolated(JoinRule::FirstComplete), "a.md", "a.md")), 0);
        assert_eq!(count(&forked(isolated(JoinRule::AllComplete), "a.md", "a.md")), 1);
    }

    #[test]
    fn a_loop_and_two_ways_of_a_decision_make_one_file_at_different_times() {
        let workflow = flow(vec![
            making(step("draft", to("judge")), &["a.md"]),
            making(
                step("judge", Routing::Microloop(microloop("draft", Some("triage")))),
                &["a.md"],
            ),
            step("triage", branch(&[("small", "short")], Some("long"))),
            making(step("short", end()), &["b.md"]),
            making(step("long", end()), &["b.md"]),
        ]);
        assert_eq!(count(&workflow), 0);
    }

    fn stage(id: &str, on: &[&str], parallel: bool) -> Step {
        Step {
            depends_on: on.iter().map(|id| (*id).into()).collect(),
            parallel,
            ..making(step(id, Routing::Dependencies), &["docs/plan.md"])
        }
    }

    fn pipeline(on_failure: OnFailure, stages: Vec<Step>) -> Workflow {
        let stages = stages
            .into_iter()
            .enumerate()
            .map(|(ordinal, stage)| Step { ordinal, ..stage });
        let mut workflow = Workflow::new("p".into(), "P".to_owned(), Format::Pipeline, stages.collect());
        workflow.on_failure = on_failure;
        workflow
    }

    #[test]
    fn stages_share_what_they_make_when_they_can_run_at_once() {
        let two = |stages: Vec<Step>| count(&pipeline(OnFailure::Halt, stages));
        assert_eq!(two(vec![stage("a", &[], true), stage("b", &[], true)]), 1);
        assert_eq!(two(vec![stage("a", &[], true), stage("b", &[], false)]), 1);
        assert_eq!(
            two(vec![stage("a", &[], false), stage("b", &[], false)]),
            0,
            "one by one"
        );
        assert_eq!(two(vec![stage("a", &[], true), stage("b", &["a"], true)]), 0);
        let own = |id: &str| making(stage(id, &[], true), &["plan"]);
        assert_eq!(two(vec![own("a"), own("b")]), 0, "each is kept in its stage's folder");
        let when = |id: &str, condition: &str| Step {
            whether: Some(Whether {
                condition: Some(condition.to_owned()),
                optional: false,
            }),
            ..stage(id, &[], true)
        };
        assert_eq!(two(vec![when("a", "size == 1"), when("b", "size != 1")]), 0);
        assert_eq!(two(vec![when("a", "size == 1"), when("b", "size == 1")]), 1);
    }

    #[test]
    fn a_later_wave_waits_where_a_failure_halts_all_but_not_for_a_person() {
        let first = || making(stage("first", &[], false), &[]);
        let stages = |a: Step| vec![first(), a, stage("b", &["first"], true)];
        let count = |on_failure, a| count(&pipeline(on_failure, stages(a)));
        assert_eq!(count(OnFailure::Halt, stage("a", &[], true)), 0);
        assert_eq!(count(OnFailure::SkipDependents, stage("a", &[], true)), 1);
        let asked = Step {
            gate: gated("a", Routing::Dependencies).gate,
            ..stage("a", &[], true)
        };
        assert_eq!(count(OnFailure::Halt, asked), 1);
        // The run inside it may ask.
        let inside = Step {
            work: Work::SubWorkflow {
                files: vec!["flow.yaml".to_owned()],
            },
            ..stage("a", &[], true)
        };
        assert_eq!(count(OnFailure::Halt, inside), 1);
    }
}
