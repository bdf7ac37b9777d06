//! GH0012: two steps that can run at the same time make the same file.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::pattern::{self, ANY_FOLDERS, SIGNS};
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

/// So often a pattern is held against a file.
const HELD: usize = 20_000;
/// How a path begins that lies in the run's own folder, where signs do not lead.
const OF_RUN: &str = "RUN_BASE";

/// Where a step says that it makes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Maker {
    /// Its place.
    step: usize,
    /// The place of what says so among its outputs.
    output: usize,
    /// That is a folder or a pattern, which may stand for other files.
    is_wide: bool,
}

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
    let steps = workflow.steps();
    let place = |maker: Maker| {
        let output = maker.output.to_string();
        Place::step(maker.step).field("outputs").field(output)
    };
    // Of what falls under one folder or pattern the first file is told.
    let mut told = BTreeSet::new();
    for (later, file, earlier) in both {
        let (one, other) = (steps[earlier.step].called(), steps[later.step].called());
        let at_once = format!("{one} and {other} can run at the same time, and");
        let wide = [(earlier, later), (later, earlier)]
            .into_iter()
            .find(|(maker, _)| maker.is_wide);
        let (said, help) = match wide {
            None => (
                format!("{at_once} both make `{file}`"),
                "The later one takes the other's place: give each a file of its own, or let one come after the other",
            ),
            Some((around, by)) => {
                if !told.insert((around, by.step)) {
                    continue;
                }
                let whole = &steps[around.step];
                let under = Output::of(&whole.outputs[around.output]).path;
                let (by, whole) = (steps[by.step].called(), whole.called());
                (
                    format!("{at_once} `{file}`, which {by} makes, falls under `{under}` of {whole}"),
                    "It is recorded as made by both, whoever made it: give each a place of its own, or let one come after the other",
                )
            }
        };
        let too = match earlier.is_wide {
            true => "falls under this",
            false => "is made here too",
        };
        found.push(
            Diagnostic::new(PAGE.code, Severity::Warning, place(later), said)
                .related(place(earlier), too)
                .help(help),
        );
    }
}

/// The files that more than one step makes, each with those steps in document order. Of two steps of one id the second is never reached.
fn made(workflow: &Workflow) -> BTreeMap<String, Vec<Maker>> {
    let mut made: BTreeMap<String, Vec<Maker>> = BTreeMap::new();
    let mut around = Around::default();
    let first = |step: &&Step| {
        workflow
            .step(&step.id)
            .is_some_and(|first| first.ordinal == step.ordinal)
    };
    for step in workflow.steps().iter().filter(first) {
        for (output, written) in step.outputs.iter().enumerate() {
            let maker = |is_wide: bool| Maker {
                step: step.ordinal,
                output,
                is_wide,
            };
            match stands(workflow, written) {
                Some(Stands::File(file)) => {
                    // Should other steps make something in it, it is a folder.
                    if !workflow.contract().stage_outputs {
                        around.folders.entry(file.clone()).or_default().push(maker(true));
                    }
                    let makers = made.entry(file).or_default();
                    if makers.last().is_none_or(|last| last.step != step.ordinal) {
                        makers.push(maker(false));
                    }
                }
                Some(Stands::Folder(folder)) => around.folders.entry(folder).or_default().push(maker(true)),
                Some(Stands::Pattern(parts)) => around.patterns.push((parts, maker(true))),
                None => {}
            }
        }
    }
    let mut left = HELD;
    for (file, makers) in &mut made {
        for wide in around.of(file, &mut left) {
            if makers.iter().all(|maker| maker.step != wide.step) {
                makers.push(wide);
            }
        }
        makers.sort_unstable();
    }
    made.retain(|_, makers| makers.len() > 1);
    made
}

/// What may stand for files that others name.
#[derive(Default)]
struct Around<'w> {
    /// By their paths; of files too, which are folders where others make something in them.
    folders: BTreeMap<String, Vec<Maker>>,
    /// By their parts.
    patterns: Vec<(Vec<&'w str>, Maker)>,
}

impl Around<'_> {
    /// Whatever stands for this file, but what names it. `left`: so often a pattern may still be held against one.
    fn of(&self, file: &str, left: &mut usize) -> Vec<Maker> {
        let may = |name: &str| !name.starts_with('.') && !name.contains('{') && name != OF_RUN;
        let mut found: Vec<Maker> = Vec::new();
        for (end, _) in file.match_indices('/') {
            // What is hidden in a folder is none of its files.
            if file[end + 1..].split('/').all(|name| !name.starts_with('.')) {
                found.extend(self.folders.get(&file[..end]).into_iter().flatten());
            }
        }
        let path: Vec<&str> = file.split('/').collect();
        for (parts, maker) in &self.patterns {
            let Some(fewer) = left.checked_sub(1) else { break };
            *left = fewer;
            if pattern::fits(parts.iter().copied(), &path, 0..1, may) {
                found.push(*maker);
            }
        }
        found
    }
}

/// What one output of a step stands for.
enum Stands<'w> {
    /// One file, by its path.
    File(String),
    /// Whatever is in a folder, by its path.
    Folder(String),
    /// Whatever fits a pattern, in its parts.
    Pattern(Vec<&'w str>),
}

/// What an output stands for, however its path is written. An address is no file here, and what is said in words is nobody's file. Where stages
/// have folders of their own, a bare name is what is kept there, and a folder or a pattern brings nothing from elsewhere.
fn stands<'w>(workflow: &Workflow, written: &'w str) -> Option<Stands<'w>> {
    let path = Output::of(written).path;
    let in_own = workflow.contract().stage_outputs;
    let is_word = !path.contains(char::is_whitespace) && (path.contains('.') || !in_own);
    let is_named = path.contains('/') || is_word;
    let mut parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if path.contains("://") || !is_named || parts.is_empty() {
        return None;
    }
    match (path.contains(SIGNS), path.ends_with('/')) {
        (false, false) => Some(Stands::File(parts.join("/"))),
        _ if in_own => None,
        (false, true) => Some(Stands::Folder(parts.join("/"))),
        (true, _) => {
            // At the end they stand for everything in them.
            if parts.last() == Some(&ANY_FOLDERS) {
                parts.push("*");
            }
            Some(Stands::Pattern(parts))
        }
    }
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
        // Of each branch the first that names the file, and the first of which it is among others.
        let mut first: BTreeMap<(usize, bool), Maker> = BTreeMap::new();
        for maker in makers {
            let Some(branch) = owner[maker.step] else { continue };
            let beside = |other: usize| other != branch && other / batch == branch / batch;
            let mut others = first.iter().filter(|((other, _), _)| beside(*other));
            if let Some((_, other)) = others.find(|(_, other)| one_names_it(maker, other)) {
                both.insert((*maker, file.as_str(), *other));
            }
            first.entry((branch, maker.is_wide)).or_insert(*maker);
        }
    }
}

/// Whether at least one of two names the file: what both have as a folder or a pattern may be other files of each.
fn one_names_it(one: &Maker, other: &Maker) -> bool {
    !one.is_wide || !other.is_wide
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
            let step = &steps[maker.step];
            let may =
                |other: &&Maker| one_names_it(maker, other) && may_meet(workflow, &waves, step, &steps[other.step]);
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
            if let Some(other) = others.find(|other| !ordered.contains(&other.step)) {
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
        for output in [
            "out/",
            "out/*.md",
            "out/**",
            "https://example.org/plan.md",
            "a plan, in words",
        ] {
            assert_eq!(count(&forked(ForkRules::default(), output, output)), 0, "{output}");
        }
        assert_eq!(count(&forked(ForkRules::default(), "plan", "plan")), 1);
    }

    #[test]
    fn a_file_may_fall_under_the_folder_or_the_pattern_of_another_step() {
        for (wide, file) in [
            ("out/", "out/a.md"),
            ("./out/", "out/deep/a.md (optional)"),
            ("out", "out/a.md"),
            ("out/*.md", "out/a.md"),
            ("out/?.md (optional)", "./out/a.md"),
            ("out/**", "out/deep/er/a.md"),
            ("out/**/a.*", "out/a.md"),
            ("**", "a.md"),
            ("**/*.md", "out/a.md"),
            ("RUN_BASE/out/", "RUN_BASE/out/a.md"),
        ] {
            for (one, other) in [(wide, file), (file, wide)] {
                assert_eq!(count(&forked(ForkRules::default(), one, other)), 1, "{one} {other}");
            }
        }
        for (wide, file) in [
            ("out/", "output/a.md"),
            ("out/", "out"),
            ("out/", "out/.hidden/a.md"),
            ("out/*.md", "out/a.txt"),
            ("out/*.md", "out/deep/a.md"),
            ("*.md", "out/a.md"),
            ("out/**", "other/a.md"),
            ("**", "out/.hidden/a.md"),
            ("**", "RUN_BASE/a.md"),
            ("out/", "out/*.md"),
            ("out/*.md", "out/a*"),
            ("out/[a.md", "out/[a.md"),
        ] {
            assert_eq!(count(&forked(ForkRules::default(), wide, file)), 0, "{wide} {file}");
        }
    }

    #[test]
    fn what_falls_under_a_folder_is_told_once_with_both() {
        let workflow = flow(vec![
            step("a", fork(&["b", "c"], ForkRules::default())),
            making(step("b", to("d")), &["out/"]),
            making(step("c", to("d")), &["out/x.md", "out/y.md"]),
            step("d", end()),
        ]);
        let said = "`b` and `c` can run at the same time, and `out/x.md`, which `c` makes, falls under `out/` of `b`";
        assert_eq!(found(&workflow, "GH0012"), [(Some(2), said.to_owned())]);
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
        for wide in ["docs/", "docs/*.md", "**", "docs"] {
            let around = making(stage("a", &[], true), &[wide]);
            assert_eq!(
                two(vec![around, stage("b", &[], true)]),
                0,
                "it brings nothing from elsewhere"
            );
        }
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
