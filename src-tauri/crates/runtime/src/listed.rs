//! The workflows that the steps of a run run, as they stood when it was begun: each is carried out as it is when its step begins, and whether
//! that is another text by then is known.

use crate::flows;
use crate::pipeline::run::{self, Owned};
use crate::pipeline::state_file;
use crate::project::{self, DEEPEST};
use dialect::Document;
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::with_states;
use engine::{Digest, RunCreated, RunId, RunState};
use model::{Fields, Question, QuestionKind, Step, Work};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use store::Store;

/// Those inside of a workflow, however deep, by path. What is not there yet is absent. `around`: the run around the one that is begun; what was
/// inside of that is as it was then.
pub(crate) fn texts(root: &Path, document: &Document, around: Option<&RunCreated>) -> BTreeMap<String, Digest> {
    if document.workflow().steps().iter().all(|step| files(step).is_empty()) {
        return BTreeMap::new();
    }
    let mut found = around.map_or_else(BTreeMap::new, |around| around.listed.clone());
    let inside = within(root, document, |path| found.contains_key(path));
    let texts = inside
        .iter()
        .map(|listed| (listed.path().to_owned(), digest(root, listed)));
    found.extend(texts);
    found
}

/// The workflows inside of one, however deep, each once and without those that are known already.
fn within(root: &Path, document: &Document, is_known: impl Fn(&str) -> bool) -> Vec<Document> {
    let mut found: Vec<Document> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![(document.clone(), 0)];
    while let Some((around, depth)) = open.pop() {
        for (path, text) in there(root, &around) {
            if is_known(&path) || !seen.insert(path.clone()) {
                continue;
            }
            let listed = Document::parse(&path, &text);
            if depth < DEEPEST {
                open.push((listed.clone(), depth + 1));
            }
            found.push(listed);
        }
    }
    found
}

/// The files that the steps of a workflow run, as far as they are there: their paths and texts.
fn there(root: &Path, around: &Document) -> Vec<(String, String)> {
    // A file below the run's own folder is made by the run.
    let no_run = RunId::from("-");
    let files = around.workflow().steps().iter().flat_map(files);
    let found = files.filter_map(|file| project::find_listed(root, around.path(), file, &no_run).ok());
    found.collect()
}

/// Goes through the workflows inside of one, however deep, each once, with what its run would be given of these answers. `begins`: with which
/// answers it would begin then, or why it cannot.
pub(crate) fn each<E>(
    root: &Path,
    document: &Document,
    answers: &Fields,
    begins: impl Fn(&Document, &Fields) -> Result<Fields, E>,
) -> Result<(), E> {
    let mut seen = BTreeSet::from([document.path().to_owned()]);
    let mut open = vec![(document.clone(), answers.clone(), 0)];
    while let Some((around, answers, depth)) = open.pop() {
        for (path, text) in there(root, &around) {
            if !seen.insert(path.clone()) {
                continue;
            }
            let listed = Document::parse(&path, &text);
            let inputs = begins(&listed, &given(root, &listed, &answers))?;
            if depth < DEEPEST {
                open.push((listed, inputs, depth + 1));
            }
        }
    }
    Ok(())
}

/// What is asked before a run of this workflow begins: by the workflow itself, and by those inside of it, whose runs are given the answers
/// by name. Of several questions of one name the first is asked.
pub fn asked(root: &Path, document: &Document) -> Vec<Question> {
    let mut asked = document.workflow().questions.clone();
    for listed in within(root, document, |path| path == document.path()) {
        for question in &listed.workflow().questions {
            if asked.iter().all(|one| one.name != question.name) {
                asked.push(question.clone());
            }
        }
    }
    asked
}

/// What two workflows of one run ask under one name, and not in the same way.
pub(crate) struct AskedTwoWays {
    /// The step that leads to the one whose question is not the one that is asked, and which of its files does.
    pub listed: (usize, usize),
    /// Which name, and how each of them asks it: a sentence.
    pub said: String,
}

/// What the workflows inside of this one ask otherwise than it is asked before a run begins ([`asked`]): one answer is given to all.
pub(crate) fn asked_two_ways(root: &Path, document: &Document) -> Vec<AskedTwoWays> {
    let inside = within(root, document, |path| path == document.path());
    let mut first: BTreeMap<&str, (&str, &Question)> = BTreeMap::new();
    let mut unlike_first = Vec::new();
    for around in std::iter::once(document).chain(&inside) {
        let path = around.path();
        for question in &around.workflow().questions {
            let (asks, one) = *first.entry(&question.name).or_insert((path, question));
            // What one file asks twice is said of that file.
            let Some((by_one, by_other)) = unlike(one, question).filter(|_| asks != path) else {
                continue;
            };
            let name = &question.name;
            let said = format!("`{name}` is asked in two ways: `{asks}` {by_one}, and `{path}` {by_other}");
            unlike_first.push((path, said));
        }
    }
    if unlike_first.is_empty() {
        return Vec::new();
    }
    let leads = leads(root, document);
    let found = unlike_first.into_iter().filter_map(|(path, said)| {
        let listed = *leads.get(path)?;
        Some(AskedTwoWays { listed, said })
    });
    found.collect()
}

/// How each of two questions is asked, where an answer to the one may be none to the other, or not the one that is offered there.
fn unlike(one: &Question, other: &Question) -> Option<(String, String)> {
    let kind = |question: &Question| match question.kind {
        QuestionKind::Text | QuestionKind::LongText => "asks for text",
        QuestionKind::Number => "asks for a number",
        QuestionKind::Flag => "asks for yes or no",
        QuestionKind::Choice => "asks for a choice",
        QuestionKind::Date => "asks for a day",
    };
    if kind(one) != kind(other) {
        return Some((kind(one).to_owned(), kind(other).to_owned()));
    }
    let options = |question: &Question| question.options.iter().cloned().collect::<BTreeSet<String>>();
    if options(one) != options(other) {
        let offers = |question: &Question| {
            let options: Vec<String> = question.options.iter().map(|option| format!("`{option}`")).collect();
            format!("lets choose from {}", options.join(", "))
        };
        return Some((offers(one), offers(other)));
    }
    match (&one.default, &other.default) {
        (Some(of_one), Some(of_other)) if of_one != of_other => Some((
            format!("offers `{}`", shown(of_one)),
            format!("offers `{}`", shown(of_other)),
        )),
        (None, None) if !one.required && other.required => {
            Some(("lets it be left open".to_owned(), "wants an answer".to_owned()))
        }
        _ => None,
    }
}

fn shown(answer: &Value) -> String {
    answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)
}

/// The first step of a workflow that runs each of those inside of it, itself or inside of what it runs, and which of its files that is; by the
/// paths of those inside. Each is read as a workflow once, however often it is listed.
fn leads(root: &Path, document: &Document) -> BTreeMap<String, (usize, usize)> {
    let no_run = RunId::from("-");
    let mut leads: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for step in document.workflow().steps() {
        for (n, file) in files(step).iter().enumerate() {
            let found = project::find_listed(root, document.path(), file, &no_run).ok();
            let Some((path, text)) = found.filter(|(path, _)| !leads.contains_key(path)) else {
                continue;
            };
            let listed = Document::parse(&path, &text);
            let inside = within(root, &listed, |known| known == path || leads.contains_key(known));
            let paths = inside.iter().map(|inside| inside.path().to_owned());
            leads.extend(paths.chain([path]).map(|path| (path, (step.ordinal, n))));
        }
    }
    leads
}

/// The answers that a run inside another one is given: those to what its workflow asks, and the workflows inside of that.
pub(crate) fn given(root: &Path, document: &Document, answers: &Fields) -> Fields {
    let mut given = Fields::new();
    for question in asked(root, document) {
        if let Some(answer) = answers.get(&question.name) {
            given.insert(question.name, answer.clone());
        }
    }
    given
}

/// Whether a workflow that a run lists is another one than when that was begun; what was not there then is none.
pub(crate) fn has_changed(root: &Path, created: &RunCreated, path: &str, text: &str) -> bool {
    let then = created.listed.get(path);
    then.is_some_and(|then| *then != digest(root, &Document::parse(path, text)))
}

/// The workflows that a step of a run runs and that are others now than when the run was begun, by path.
pub fn changed(root: &Path, created: &RunCreated, step: &Step) -> Vec<String> {
    let found = files(step)
        .iter()
        .filter_map(|file| project::find_listed(root, &created.path, file, &created.run_id).ok());
    let changed = found.filter(|(path, text)| has_changed(root, created, path, text));
    changed.map(|(path, _)| path).collect()
}

/// Why a run is not begun: one of its steps runs a pipeline's file that has a run already, which was begun for something else.
///
/// # Errors
/// What the store reports.
pub(crate) fn taken(
    store: &Store,
    root: &Path,
    document: &Document,
    created: &RunCreated,
) -> Result<Option<String>, store::Error> {
    // A token may never come to such a step, which asks by itself.
    if document.workflow().contract().control == model::Control::Token {
        return Ok(None);
    }
    for step in document.workflow().steps() {
        let by = Owned {
            created,
            step: &step.id,
        };
        for file in files(step) {
            let Ok((path, text)) = project::find_listed(root, document.path(), file, &created.run_id) else {
                continue;
            };
            if PipelineId::of_file(&path).is_none() {
                continue;
            }
            if let Some(why) = run::taken(store, &Document::parse(&path, &text), &by)? {
                return Ok(Some(format!("its step “{}” runs `{file}`, but {why}", step.name)));
            }
        }
    }
    Ok(None)
}

fn files(step: &Step) -> &[String] {
    match &step.work {
        Work::SubWorkflow { files } => files,
        _ => &[],
    }
}

/// Of what would be carried out: with the flows that a file leads to, and without the states that a run writes into a pipeline's file.
fn digest(root: &Path, document: &Document) -> Digest {
    let whole = flows::gathered(root, document, true).ok().flatten();
    let workflow = document.workflow();
    let text = whole.as_deref().unwrap_or_else(|| document.text());
    let fresh = match workflow.contract().state_in_file {
        true => with_states(text, &state_file::states(workflow, &RunState::default())).ok(),
        false => None,
    };
    store::digest_of(fresh.as_deref().unwrap_or(text).as_bytes())
}
