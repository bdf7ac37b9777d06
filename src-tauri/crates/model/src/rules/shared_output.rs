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

/// Of so many stages it is looked at what they wait for: each look costs a walk of the pipeline. Those that meet at a folder or a pattern have as
/// many looks of their own. And against so many of one place one is held: a file that thousands share costs no more than their number.
const LOOKED: usize = 200;

/// So often somebody who names a folder or a pattern is looked at.
const LOOKED_AROUND: usize = 100_000;
/// So often a pattern is held against a file.
const HELD: usize = 20_000;
/// So many folders around a file are looked for; one that lies deeper falls under no pattern.
const DEEPEST: usize = 64;
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

/// What may still be looked at of what stands for files that others name.
struct Left {
    /// Those who name a folder or a pattern, each time.
    makers: usize,
    /// Patterns, each with a file.
    patterns: usize,
}

impl Default for Left {
    fn default() -> Self {
        Self {
            makers: LOOKED_AROUND,
            patterns: HELD,
        }
    }
}

impl Left {
    /// Whether one more maker may be looked at, which is counted.
    fn look(&mut self) -> bool {
        spend(&mut self.makers)
    }

    /// Whether one more pattern may be held against a file, which is counted.
    fn hold(&mut self) -> bool {
        spend(&mut self.patterns)
    }
}

fn spend(left: &mut usize) -> bool {
    let is_left = *left > 0;
    *left -= usize::from(is_left);
    is_left
}

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    let outputs = outputs(workflow);
    if outputs.is_empty() {
        return;
    }
    let both = shared(workflow, &outputs, &mut Left::default());
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
                    "It may be recorded as made by both, whoever made it: give each a place of its own, or let one come after the other",
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

/// What two steps make that can run at the same time.
fn shared<'m>(workflow: &Workflow, outputs: &'m [(Maker, Stands<'m>)], left: &mut Left) -> BTreeSet<Both<'m>> {
    let mut both = BTreeSet::new();
    match workflow.contract().control {
        Control::Stages => stages(workflow, outputs, left, &mut both),
        Control::Token => {
            for step in workflow.steps() {
                if let Routing::Fork(fork) = &step.routing {
                    branches_of(workflow, fork, outputs, left, &mut both);
                }
            }
        }
    }
    both
}

/// What the steps say that they make, in document order. Of two steps of one id the second is never reached.
fn outputs(workflow: &Workflow) -> Vec<(Maker, Stands<'_>)> {
    let mut outputs = Vec::new();
    let first = |step: &&Step| {
        workflow
            .step(&step.id)
            .is_some_and(|first| first.ordinal == step.ordinal)
    };
    for step in workflow.steps().iter().filter(first) {
        for (output, written) in step.outputs.iter().enumerate() {
            let Some(stands) = stands(workflow, written) else {
                continue;
            };
            let maker = Maker {
                step: step.ordinal,
                output,
                is_wide: !matches!(stands, Stands::File(_)),
            };
            outputs.push((maker, stands));
        }
    }
    outputs
}

/// Who makes something: the first of each part of a workflow, which is a branch of a fork, or a stage.
type Firsts = BTreeMap<usize, Maker>;

/// What may stand for files that others name.
#[derive(Default)]
struct Around<'m> {
    /// By batch and path; of files too, which are folders where others make something in them.
    folders: BTreeMap<(usize, &'m str), Firsts>,
    /// By batch and by their parts.
    patterns: BTreeMap<usize, BTreeMap<&'m [&'m str], Firsts>>,
}

impl<'m> Around<'m> {
    /// `batch`: what is of another one is not at work meanwhile. `part`: what is of the same one is not told apart.
    fn add(&mut self, batch: usize, part: usize, maker: Maker, stands: &'m Stands<'m>) {
        let firsts = match stands {
            Stands::File(path) | Stands::Folder(path) => self.folders.entry((batch, path.as_str())).or_default(),
            Stands::Pattern(parts) => {
                let of_batch = self.patterns.entry(batch).or_default();
                of_batch.entry(parts.as_slice()).or_default()
            }
        };
        firsts.entry(part).or_insert(Maker { is_wide: true, ..maker });
    }

    /// Who is picked of those who stand for this file, but do not name it: by its folders from the nearest on, then by patterns.
    fn find(
        &self,
        batch: usize,
        file: &'m str,
        left: &mut Left,
        mut pick: impl FnMut(&Firsts, &mut Left) -> Option<Maker>,
    ) -> Option<Maker> {
        let mut inside = file.len();
        for (end, _) in file.rmatch_indices('/').take(DEEPEST) {
            // What is hidden in a folder is none of its files.
            if file[end + 1..inside].starts_with('.') {
                break;
            }
            inside = end;
            let firsts = self.folders.get(&(batch, &file[..end]));
            if let Some(picked) = firsts.and_then(|firsts| pick(firsts, left)) {
                return Some(picked);
            }
        }
        let patterns = self.patterns.get(&batch)?;
        let may = |name: &str| !name.starts_with('.') && !name.contains('{') && name != OF_RUN;
        let path: Vec<&str> = file.split('/').take(DEEPEST + 2).collect();
        if path.len() > DEEPEST + 1 {
            return None;
        }
        for (parts, firsts) in patterns {
            if !left.hold() {
                break;
            }
            if pattern::fits(parts.iter().copied(), &path, 0..1, may)
                && let Some(picked) = pick(firsts, left)
            {
                return Some(picked);
            }
        }
        None
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
    outputs: &'m [(Maker, Stands<'m>)],
    left: &mut Left,
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
    let mut named: BTreeMap<(usize, &'m str), Firsts> = BTreeMap::new();
    let mut names: BTreeSet<(usize, &'m str)> = BTreeSet::new();
    let mut around = Around::default();
    for (maker, stands) in outputs {
        let Some(branch) = owner[maker.step] else { continue };
        around.add(branch / batch, branch, *maker, stands);
        let Stands::File(file) = stands else { continue };
        if !names.insert((maker.step, file.as_str())) {
            continue;
        }
        let firsts = named.entry((branch / batch, file.as_str())).or_default();
        if let Some((_, other)) = firsts.iter().find(|(of, _)| **of != branch) {
            both.insert((*maker, file.as_str(), *other));
        }
        firsts.entry(branch).or_insert(*maker);
    }
    // In a copy of its own a branch finds nothing of what another one makes.
    if fork.rules.isolated {
        return;
    }
    for (maker, stands) in outputs {
        let (Some(branch), Stands::File(file)) = (owner[maker.step], stands) else {
            continue;
        };
        let beside = |firsts: &Firsts, left: &mut Left| {
            let others = firsts.iter().filter(|(of, _)| **of != branch).map(|(_, wide)| *wide);
            let mut looked_at = others.take(LOOKED).take_while(|_| left.look());
            looked_at.find(|wide| !names.contains(&(wide.step, file.as_str())))
        };
        if let Some(wide) = around.find(branch / batch, file, left, beside) {
            both.insert((wide.max(*maker), file.as_str(), wide.min(*maker)));
        }
    }
}

/// Stages of which neither waits for the other, directly or through others.
fn stages<'m>(workflow: &Workflow, outputs: &'m [(Maker, Stands<'m>)], left: &mut Left, both: &mut BTreeSet<Both<'m>>) {
    let mut named: BTreeMap<&'m str, Vec<Maker>> = BTreeMap::new();
    let mut around = Around::default();
    for (maker, stands) in outputs {
        // Where stages have folders of their own nothing of one lies in a folder of another.
        if !workflow.contract().stage_outputs {
            around.add(0, maker.step, *maker, stands);
        }
        let Stands::File(file) = stands else { continue };
        let makers = named.entry(file.as_str()).or_default();
        if makers.last().is_none_or(|last| last.step != maker.step) {
            makers.push(*maker);
        }
    }
    let mut order = Order::of(workflow);
    for (&file, makers) in &named {
        for (n, maker) in makers.iter().enumerate().skip(1) {
            let before = &makers[n.saturating_sub(LOOKED)..n];
            if let Some(other) = order.beside(*maker, before.iter().copied()) {
                both.insert((*maker, file, other));
            }
        }
    }
    order.known.clear();
    for (&file, makers) in &named {
        let names = |step: usize| makers.binary_search_by_key(&step, |maker| maker.step).is_ok();
        for maker in makers {
            let beside = |firsts: &Firsts, left: &mut Left| {
                let others = firsts.values().filter(|wide| wide.step != maker.step);
                let looked_at = others.take(LOOKED).take_while(|_| left.look());
                order.beside(*maker, looked_at.filter(|wide| !names(wide.step)).copied())
            };
            if let Some(wide) = around.find(0, file, left, beside) {
                both.insert((wide.max(*maker), file, wide.min(*maker)));
            }
        }
    }
}

/// In which order stages are done, as far as it is asked.
struct Order<'w> {
    workflow: &'w Workflow,
    /// The wave of each stage, by its place; of one that can never begin none.
    waves: Vec<Option<usize>>,
    /// By the place of a stage: those that it waits for, directly or through others, and those that wait for it.
    known: BTreeMap<usize, BTreeSet<usize>>,
}

impl<'w> Order<'w> {
    fn of(workflow: &'w Workflow) -> Self {
        let mut waves: Vec<Option<usize>> = vec![None; workflow.steps().len()];
        for (n, wave) in workflow.waves().into_iter().enumerate() {
            wave.into_iter().for_each(|step| waves[step.ordinal] = Some(n));
        }
        Self {
            workflow,
            waves,
            known: BTreeMap::new(),
        }
    }

    /// The first of these that can be under way at the same time as this one. Of no more than [`LOOKED`] stages it is told.
    fn beside(&mut self, maker: Maker, others: impl Iterator<Item = Maker>) -> Option<Maker> {
        if self.known.len() >= LOOKED && !self.known.contains_key(&maker.step) {
            return None;
        }
        let (workflow, waves) = (self.workflow, &self.waves);
        let steps = workflow.steps();
        let step = &steps[maker.step];
        let mut others = others
            .filter(|other| may_meet(workflow, waves, step, &steps[other.step]))
            .peekable();
        others.peek()?;
        let ordered = self.known.entry(maker.step).or_insert_with(|| {
            let ordered = workflow.all_before(step).into_iter();
            let ordered = ordered.chain(workflow.all_dependents(step));
            ordered.map(|step| step.ordinal).collect()
        });
        others.find(|other| !ordered.contains(&other.step))
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
    fn who_names_the_file_itself_is_not_named_for_the_folder_around_it_too() {
        let workflow = |third: &str| {
            flow(vec![
                step("a", fork(&["b", "c", "d"], ForkRules::default())),
                making(step("b", to("e")), &["out/", "out/x.md"]),
                making(step("c", to("e")), &["out/x.md"]),
                making(step("d", to("e")), &[third]),
                step("e", end()),
            ])
        };
        assert_eq!(count(&workflow("other/")), 1);
        assert_eq!(count(&workflow("out/")), 3, "the third with each of the two");
    }

    /// How much is found, how often somebody was looked at for it who names a folder or a pattern, and how often a pattern was held against a file.
    fn looked(workflow: &Workflow) -> (usize, usize, usize) {
        let (outputs, mut left) = (super::outputs(workflow), super::Left::default());
        let both = super::shared(workflow, &outputs, &mut left).len();
        (both, super::LOOKED_AROUND - left.makers, super::HELD - left.patterns)
    }

    #[test]
    fn a_folder_that_many_branches_share_costs_no_more_than_their_number() {
        const MANY: usize = 300;
        let ids: Vec<String> = (0..MANY).map(|n| format!("s{n}")).collect();
        let heads: Vec<&str> = ids.iter().map(String::as_str).collect();
        let each = |rules: ForkRules, wide: &str| {
            let mut steps = vec![step("a", fork(&heads, rules))];
            for id in &heads {
                let own = format!("out/{id}.md");
                steps.push(making(step(id, to("z")), &[wide, own.as_str()]));
            }
            steps.push(step("z", end()));
            looked(&flow(steps))
        };
        assert_eq!(each(ForkRules::default(), "out/"), (MANY, MANY, 0));
        assert_eq!(each(ForkRules::default(), "out/**"), (MANY, MANY, MANY));
        let one_by_one = ForkRules {
            batch: Some(1),
            ..ForkRules::default()
        };
        assert_eq!(each(one_by_one, "out/"), (0, 0, 0));
    }

    #[test]
    fn branches_one_after_the_other_and_copies_of_which_one_counts_share_nothing() {
        let batch = |batch: u32| ForkRules {
            batch: Some(batch),
            ..ForkRules::default()
        };
        assert_eq!(count(&forked(batch(1), "a.md", "a.md")), 0);
        assert_eq!(count(&forked(batch(2), "a.md", "a.md")), 1);
        assert_eq!(count(&forked(batch(1), "out/", "out/a.md")), 0);
        assert_eq!(count(&forked(batch(2), "out/", "out/a.md")), 1);
        let isolated = |join: JoinRule| ForkRules {
            isolated: true,
            join,
            ..ForkRules::default()
        };
        assert_eq!(count(&forked(isolated(JoinRule::FirstComplete), "a.md", "a.md")), 0);
        assert_eq!(count(&forked(isolated(JoinRule::AllComplete), "a.md", "a.md")), 1);
        for wide in ["out/", "out", "out/*.md", "**"] {
            let forked = forked(isolated(JoinRule::AllComplete), wide, "out/a.md");
            assert_eq!(count(&forked), 0, "{wide}: each makes what is in its own copy");
        }
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
        staged(Format::Pipeline, on_failure, stages)
    }

    fn staged(format: Format, on_failure: OnFailure, stages: Vec<Step>) -> Workflow {
        let stages = stages
            .into_iter()
            .enumerate()
            .map(|(ordinal, stage)| Step { ordinal, ..stage });
        let mut workflow = Workflow::new("p".into(), "P".to_owned(), format, stages.collect());
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
    fn stages_without_folders_of_their_own_may_make_a_file_in_a_folder_of_others() {
        let two = |wide: &str, on: &[&str]| {
            let stages = vec![
                making(stage("a", &[], true), &[wide]),
                making(stage("b", on, true), &["out/x.md"]),
            ];
            count(&staged(Format::AgentWorkflow, OnFailure::Halt, stages))
        };
        for wide in ["out/", "out", "out/*.md"] {
            assert_eq!((two(wide, &[]), two(wide, &["a"])), (1, 0), "{wide}");
        }
    }

    #[test]
    fn stages_that_share_a_folder_use_up_no_looks_at_those_that_make_one_file() {
        let mut stages: Vec<Step> = (0..super::LOOKED + 100)
            .map(|n| {
                let own = format!("out/{n}.md");
                making(stage(&format!("s{n}"), &[], true), &["out/", own.as_str()])
            })
            .collect();
        stages.extend(["y", "z"].map(|id| making(stage(id, &[], true), &["zzz.md"])));
        let workflow = staged(Format::AgentWorkflow, OnFailure::Halt, stages);
        assert_eq!(looked(&workflow), (super::LOOKED + 1, super::LOOKED, 0));
        let said = "`y` and `z` can run at the same time, and both make `zzz.md`";
        assert!(found(&workflow, "GH0012").iter().any(|(_, one)| one == said));
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
