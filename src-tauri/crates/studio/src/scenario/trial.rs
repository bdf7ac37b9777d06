//! Scenarios as tests: a workflow's own and those beside it, tried in memory. Nothing is started, written or recorded, so
//! that no project need be opened for it.

use crate::command::PathOf;
use crate::run::status;
use crate::scenario::view::{EdgeRef, NextTestView, ShareView, StationView, TestView, TestsView};
use crate::workflow::view::{ProblemView, ScenarioView};
use crate::{ApiError, Studio, words, workflow};
use dialect::Document;
use model::{Severity, StepId, Workflow};
use runtime::ScenarioSource;
use runtime::config::Config;
use runtime::rehearsal::Setting;
use runtime::rehearsal::coverage::Coverage;
use runtime::rehearsal::front::{self, Content, Ends};
use runtime::rehearsal::suggest::{self, Outlook};
use runtime::rehearsal::trial::{self, Trial};
use runtime::scenario::{Scenario, find};
use std::path::{Component, Path};
use store::regular::{self, LARGEST_SETTINGS, LARGEST_WORKFLOW};

/// So many steps of a path are shown.
const SHOWN: usize = 200;

/// A file, tested.
#[derive(Debug, Clone, Default)]
pub struct Tested {
    /// What its scenarios did; absent when the workflow cannot be run.
    pub tests: Option<TestsView>,
    /// Errors that forbid running it, in document order.
    pub errors: Vec<ProblemView>,
    /// Why the file, or the project's configuration, could not be read.
    pub unreadable: Option<String>,
    /// That it could not is no error: nothing says that it is a workflow.
    pub may_be_none: bool,
}

/// Tests a file without opening a project; gates and engines are those of the nearest `gatehouse.yaml` upwards. `None` for a
/// file that is no workflow, unless it was `named`.
pub fn test(file: &Path, named: bool) -> Option<Tested> {
    let unreadable = |why: String| {
        Some(Tested {
            unreadable: Some(why),
            ..Tested::default()
        })
    };
    let document = match workflow::check::read(file, named)? {
        Ok(document) => document,
        Err(unread) => {
            return Some(Tested {
                unreadable: Some(unread.why),
                may_be_none: unread.may_be_none,
                ..Tested::default()
            });
        }
    };
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let root = absolute.ancestors().skip(1).find(|f| {
        ["gatehouse.yaml", "gatehouse.yml"]
            .iter()
            .any(|name| f.join(name).is_file())
    });
    let within = root.or(absolute.parent()).and_then(|root| root.canonicalize().ok());
    let config = match root.map(Config::load).transpose() {
        Ok(config) => config.unwrap_or_default(),
        Err(fault) => return unreadable(fault.to_string()),
    };
    let errors: Vec<ProblemView> = workflow::check::problems_of(file, &document)
        .into_iter()
        .filter(|p| p.severity == Severity::Error)
        .collect();
    let whole = match within {
        Some(root) if errors.is_empty() => whole(&root, file, &document),
        _ => Ok(None),
    };
    let whole = match whole {
        Ok(whole) => whole,
        Err(why) => return unreadable(why),
    };
    let tests = errors.is_empty().then(|| {
        let display = |file: &Path| file.display().to_string();
        tests(file, &document, whole.as_ref(), &config, &display)
    });
    Some(Tested {
        tests,
        errors,
        ..Tested::default()
    })
}

impl Studio {
    /// A workflow's scenarios, tried in memory.
    pub(crate) async fn tests(&self, of: PathOf) -> Result<TestsView, ApiError> {
        let document = self.document(&of.path)?;
        let file = self.inside(&of.path)?;
        let (config, fault) = self.config();
        if let Some(fault) = fault {
            return Err(fault);
        }
        let whole = whole(&self.0.root, &file, &document).map_err(|why| {
            let message = format!("What follows “{}” cannot be tested: {why}.", of.path);
            ApiError::new("invalid_file", message).hint("Mend the flow that it names, or leave it out.")
        })?;
        Ok(tests(&file, &document, whole.as_ref(), &config, &|file| {
            self.standing(file).unwrap_or_else(|| self.relative(file))
        }))
    }

    /// In what a scenario that is made of a run of this workflow goes another way when it is played; `None`: in nothing.
    pub(crate) fn otherwise(&self, path: &str, scenario: &Scenario) -> Result<Option<String>, ApiError> {
        let document = self.document(path)?;
        let whole = whole(&self.0.root, &self.inside(path)?, &document).ok().flatten();
        let workflow = whole.as_ref().unwrap_or(&document).workflow();
        let trial = trial::scenario_of(workflow, &Setting::of(&self.config().0, workflow), scenario);
        Ok((!trial.passed).then_some(trial.words))
    }

    /// The scenarios that stand in the file itself, as something that can be started. None is tried here: what comes of one
    /// is told when it is started, or by [`Studio::tests`].
    pub(crate) fn scenarios_inside(&self, document: &Document, config: &Config) -> Vec<ScenarioView> {
        let (path, workflow) = (document.path(), document.workflow());
        let setting = Setting::of(config, workflow);
        let listed = front::listed(workflow).into_iter();
        listed
            .map(|one| ScenarioView {
                problem: trial::fault(workflow, &setting, path, &one),
                path: format!("{path}#{}", one.name),
                name: one.name,
                description: one.description,
            })
            .collect()
    }

    /// What starts a scenario that stands in the file itself (`<path>#<name>`), and whether every step waits in it; `None`
    /// when this names none.
    ///
    /// # Errors
    /// `invalid_file`: it is there and cannot be started.
    pub(crate) fn scenario_inside(
        &self,
        document: &Document,
        named: &str,
    ) -> Result<Option<(ScenarioSource, bool)>, ApiError> {
        let Some(name) = named
            .strip_prefix(document.path())
            .and_then(|rest| rest.strip_prefix('#'))
        else {
            return Ok(None);
        };
        let workflow = document.workflow();
        let Some(one) = front::listed(workflow).into_iter().find(|one| one.name == name) else {
            return Ok(None);
        };
        let setting = Setting::of(&self.config().0, workflow);
        let trial = trial::listed(workflow, &setting, document.path(), &one, &|_| None);
        let Some(text) = trial.script else {
            let message = format!("The scenario “{name}” cannot be started. {}", trial.words);
            return Err(ApiError::new("invalid_file", message).hint("Mend it in the file's front matter."));
        };
        let path = named.to_owned();
        Ok(Some((ScenarioSource { path, text }, trial.prompted)))
    }
}

/// Of a file that leads to other flows, or lists them, all of them as one, as a run takes them; `None` of any other.
///
/// # Errors
/// Which flow is not there or has an error, in words.
fn whole(root: &Path, file: &Path, document: &Document) -> Result<Option<Document>, String> {
    let absolute = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let relative = absolute.strip_prefix(root).unwrap_or(&absolute);
    let parts: Vec<_> = relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    let path = parts.join("/");
    let text = runtime::flows::gathered(root, &Document::parse(&path, document.text()), false)?;
    Ok(text.map(|text| Document::parse(&path, &text)))
}

/// Tries every scenario. `whole`: the flows that a run of the file comes to. `shown` gives the path of a file as people read it.
fn tests(
    file: &Path,
    document: &Document,
    whole: Option<&Document>,
    config: &Config,
    shown: &dyn Fn(&Path) -> String,
) -> TestsView {
    let workflow = whole.unwrap_or(document).workflow();
    let setting = Setting::of(config, workflow);
    let path = shown(file);
    let tries = Tries {
        workflow,
        ids: model::picture::edge_ids(workflow),
        drawn: whole.is_none(),
    };
    let mut seen = Coverage::default();
    let mut all = Vec::new();
    let find = |name: &str| beside(file, name);
    for one in front::listed(workflow) {
        let trial = trial::listed(workflow, &setting, &path, &one, &find);
        seen.absorb(&trial.coverage);
        let line = front::line(document.text(), &one.name).and_then(|line| u32::try_from(line).ok());
        let start =
            matches!(&one.content, Ok(Content::Commands { .. } | Content::Script { .. })) && trial.script.is_some();
        let start = start.then(|| format!("{path}#{}", one.name));
        all.push(tries.view(trial, path.clone(), line, start));
    }
    for scenario in find::beside(file).unwrap_or_default() {
        let origin = shown(&scenario);
        let trial = match read(&scenario, &origin) {
            Ok(read) => trial::scenario_of(workflow, &setting, &read),
            Err(problem) => Trial::unreadable(&origin, problem),
        };
        seen.absorb(&trial.coverage);
        let start = Some(origin.clone()).filter(|_| trial.ended.is_some() || !trial.path.is_empty());
        all.push(tries.view(trial, origin, None, start));
    }
    tries.together(path, all, &seen)
}

fn read(file: &Path, shown: &str) -> Result<Scenario, String> {
    let text =
        regular::read_text_through(file, LARGEST_SETTINGS).map_err(|e| format!("{shown} cannot be read: {e}."))?;
    Scenario::parse(Path::new(shown), &text).map_err(|fault| format!("{fault}."))
}

/// A runbook that a command names, beside the file it stands in.
fn beside(file: &Path, name: &str) -> Option<Workflow> {
    let plain = Path::new(name)
        .components()
        .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    let found = file.parent().filter(|_| plain)?.join(name);
    let text = regular::read_text_through(&found, LARGEST_WORKFLOW).ok()?;
    Some(Document::parse(name, &text).workflow().clone())
}

struct Tries<'a> {
    workflow: &'a Workflow,
    /// Of the drawn edges.
    ids: Vec<String>,
    /// The steps are those of the file's own drawing.
    drawn: bool,
}

impl Tries<'_> {
    fn view(&self, trial: Trial, origin: String, line: Option<u32>, start: Option<String>) -> TestView {
        let result = match (trial.ended, self.workflow.contract().scenarios_in_file) {
            (None, _) if trial.unreadable => "unreadable",
            (None, _) => "waits",
            (Some(end), true) => Ends::of(end).word(),
            (Some(_), false) if trial.refused => "rejected",
            (Some(end), false) => status::end(end),
        };
        let step = |id: &StepId| words::step_ref(self.workflow, id);
        TestView {
            passed: trial.passed,
            expects: trial.expects,
            words: trial.words,
            notes: trial.notes,
            result: result.to_owned(),
            path: trial.path.iter().take(SHOWN).map(step).collect(),
            path_length: count(trial.path.len()),
            steps: self.ordinals(&trial.coverage),
            edges: self.edge_ids(&trial.coverage),
            stations: trial
                .stations
                .into_iter()
                .map(|station| StationView {
                    at: station.waits.as_ref().map(|at| step(&at.step)),
                    command: station.command,
                })
                .collect(),
            name: trial.name,
            description: trial.description,
            origin,
            line,
            start,
        }
    }

    fn together(&self, path: String, tests: Vec<TestView>, seen: &Coverage) -> TestsView {
        let whole = Coverage::whole(self.workflow);
        let missing = whole.without(seen);
        let outlook = suggest::outlook(self.workflow, &path, seen);
        let steps = self.workflow.steps();
        let failed = tests.iter().filter(|t| !t.passed).count();
        let flows = self.workflow.flows();
        TestsView {
            title: self.workflow.title.clone(),
            passed: count(tests.iter().filter(|t| t.passed && t.expects).count()),
            failed: count(failed),
            steps: share(&whole.steps, &missing.steps),
            edges: share(&whole.edges, &missing.edges),
            unseen_steps: missing
                .steps
                .iter()
                .map(|ordinal| words::of_step(&steps[*ordinal]))
                .collect(),
            unseen_edges: missing
                .edges
                .iter()
                .map(|index| {
                    let (from, to, flow) = flows[*index];
                    EdgeRef {
                        id: self.ids[*index].clone(),
                        from: words::of_step(from),
                        to: words::of_step(to),
                        label: flow.label.clone(),
                        unreachable: outlook.as_ref().is_some_and(|o| o.unreachable.edges.contains(index)),
                    }
                })
                .collect(),
            words: self.said(&tests, &missing, outlook.as_ref()),
            next: outlook.and_then(|outlook| outlook.next).map(|next| NextTestView {
                words: format!(
                    "Adds {} and ends with {}.",
                    parts(&next.adds).unwrap_or_else(|| "nothing".to_owned()),
                    next.result.word()
                ),
                result: next.result.word().to_owned(),
                yaml: next.yaml,
                steps: self.ordinals(&next.adds),
                edges: self.edge_ids(&next.adds),
                name: next.name,
            }),
            tests,
            path,
        }
    }

    /// What is covered and what can be added, in words.
    fn said(&self, tests: &[TestView], missing: &Coverage, outlook: Option<&Outlook>) -> String {
        let mut said = match tests {
            [] => "There is no scenario yet.".to_owned(),
            _ if missing.is_empty() => "The scenarios see every step and every edge.".to_owned(),
            _ => {
                let is_one = missing.steps.len() + missing.edges.len() == 1;
                let are = if is_one { "is" } else { "are" };
                format!("{} {are} seen by no scenario.", parts(missing).unwrap_or_default())
            }
        };
        let Some(outlook) = outlook else { return said };
        if let Some(next) = outlook.next.as_ref().and_then(|next| parts(&next.adds)) {
            said.push_str(&format!(" One more scenario would add {next}."));
        }
        if let Some(rest) = parts(&outlook.by_jump) {
            said.push_str(&format!(
                " No answer leads to {rest}: only a person who sends the run elsewhere (goto) gets there."
            ));
        }
        match parts(&outlook.unreachable) {
            Some(rest) if outlook.complete => said.push_str(&format!(
                " Nothing leads to {rest}: what stands before always goes elsewhere."
            )),
            Some(rest) => said.push_str(&format!(
                " For {rest} nothing was found: the runbook has more states than are looked at."
            )),
            None => {}
        }
        said
    }

    fn ordinals(&self, coverage: &Coverage) -> Vec<u32> {
        let drawn = coverage.steps.iter().filter(|_| self.drawn);
        drawn.map(|ordinal| count(*ordinal)).collect()
    }

    fn edge_ids(&self, coverage: &Coverage) -> Vec<String> {
        let drawn = coverage.edges.iter().filter(|_| self.drawn);
        drawn.map(|index| self.ids[*index].clone()).collect()
    }
}

fn share<T>(whole: &std::collections::BTreeSet<T>, missing: &std::collections::BTreeSet<T>) -> ShareView {
    ShareView {
        seen: count(whole.len() - missing.len()),
        of: count(whole.len()),
    }
}

/// `2 steps and 1 edge`; `None`: nothing.
fn parts(coverage: &Coverage) -> Option<String> {
    let steps = words::count(coverage.steps.len(), "step", "steps");
    let edges = words::count(coverage.edges.len(), "edge", "edges");
    match (coverage.steps.is_empty(), coverage.edges.is_empty()) {
        (true, true) => None,
        (false, true) => Some(steps),
        (true, false) => Some(edges),
        (false, false) => Some(format!("{steps} and {edges}")),
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
