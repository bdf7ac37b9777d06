//! What keeps a workflow from starting and stands in other files: those that it lists or leads to. `check` and the window say it
//! where a run would be refused ([`refusal`]).

use crate::pipeline::run;
use crate::{flows, listed, project, refusal};
use dialect::Document;
use dialect::stepwise::never_begins;
use engine::RunId;
use model::{Control, Diagnostic, Place, Severity, Step, Work};
use std::path::Path;

/// Something that keeps a workflow from starting and does not stand in its own text, or that several files say together.
#[derive(Debug, Clone, PartialEq)]
pub struct Beyond {
    /// The step that runs what is at fault, and which of its files that is; absent: it follows from the workflow as a whole.
    pub listed: Option<(usize, usize)>,
    /// Why it does not start, or what they say: a sentence.
    pub reason: String,
    /// What is to be mended in the workflow itself, at its place there: what several files of one run say together, or that it lists what
    /// has its run already; absent: what is at fault stands in another file.
    pub together: Option<Box<Diagnostic>>,
}

/// What is said of several flows together, and of none of them alone: what follows what, also past a gate, and the one context and bounds of
/// a run.
const TOGETHER: [&str; 5] = ["GH0006", "GH0505", "GH0602", "GH0603", "GH0604"];

/// What is wrong in the workflows that this one lists or leads to. What lists a file that is not there is left to whoever looks for
/// files. `root` must be canonical, `path` the workflow's from there.
pub fn beyond(root: &Path, path: &str, document: &Document) -> Vec<Beyond> {
    let no_run = RunId::from("-");
    let mut found = Vec::new();
    if document.not_a_workflow().is_some() {
        return found;
    }
    if let Some((at, reason)) = refusal::without_end(root, document) {
        found.push(Beyond {
            listed: Some(at),
            reason,
            together: None,
        });
        return found;
    }
    // It was begun with those that it runs, or does not start any more.
    let is_new = run::begun(document).is_none();
    let (mut missing, mut begun) = (false, Vec::new());
    for step in document.workflow().steps() {
        let Work::SubWorkflow { files } = &step.work else {
            continue;
        };
        for (n, file) in files.iter().enumerate() {
            let Ok((found_at, text)) = project::find_listed(root, path, file, &no_run) else {
                missing = true;
                continue;
            };
            let listed = Document::parse(&found_at, &text);
            if is_new {
                begun.extend(begun_already(document, step, n, &listed));
            }
            let reason = match listed.not_a_workflow() {
                Some(not) => Some(format!("it is no workflow: {not}")),
                None => refusal::of(&listed).or_else(|| refusal::of_listed(root, &listed, false)),
            };
            found.extend(reason.map(|reason| Beyond {
                listed: Some((step.ordinal, n)),
                reason: format!("`{found_at}`, which {} runs, cannot be run: {reason}", step.called()),
                together: None,
            }));
        }
    }
    // What several flows come to together is only asked where each of them is right.
    if found.is_empty() && !missing && refusal::of(document).is_none() {
        match flows::gathered(root, document, false) {
            Ok(Some(whole)) => found.extend(together(document, &Document::parse(path, &whole))),
            Ok(None) => {}
            Err(reason) => found.push(Beyond {
                listed: None,
                reason,
                together: None,
            }),
        }
    }
    found.extend(asked_two_ways(root, document));
    found.extend(begun);
    found
}

/// A pipeline that a step of a workflow runs and whose file says that its one run has begun: a new run of this one does not start, or fails
/// where it comes to such a step ([`listed::taken`]).
fn begun_already(document: &Document, step: &Step, n: usize, listed: &Document) -> Option<Beyond> {
    let id = run::begun(listed)?;
    let reason = format!(
        "`{}`, which {} runs, cannot be run: it is a pipeline that has begun already, as its file says, and a pipeline has one run",
        listed.path(),
        step.called()
    );
    // A rehearsal, and a run that goes on from the one that began it, start all the same.
    let then = match document.workflow().contract().control == Control::Token {
        true => "A run that comes to this step fails there",
        false => "A new run of this workflow does not start; a rehearsal does",
    };
    let help = format!(
        "{then}. Make a copy of that pipeline, with “Duplicate…” in the window or with `gatehouse pipeline create --from {id}`, and name the copy here"
    );
    let place = document.listed_file(step.ordinal, n);
    Some(Beyond {
        listed: Some((step.ordinal, n)),
        reason: reason.clone(),
        together: Some(Box::new(
            Diagnostic::new("GH0116", Severity::Warning, place, reason).help(help),
        )),
    })
}

/// What the workflows of a run ask under one name in two ways, at the file that leads to the one whose question is not asked.
fn asked_two_ways(root: &Path, document: &Document) -> impl Iterator<Item = Beyond> {
    let found = listed::asked_two_ways(root, document).into_iter();
    found.map(move |one| {
        let place = document.listed_file(one.listed.0, one.listed.1);
        let help = "It is asked once, as the first of them asks it, and all are given that answer; one that another does not take keeps the run from starting. Ask it alike, or under two names";
        Beyond {
            listed: Some(one.listed),
            reason: one.said.clone(),
            together: Some(Box::new(
                Diagnostic::new("GH0120", Severity::Warning, place, one.said).help(help),
            )),
        }
    })
}

/// What the flows of a run say together, of the file that lists or leads to them.
fn together(document: &Document, whole: &Document) -> Vec<Beyond> {
    let parts = whole.workflow().parts();
    let listed = document.flows().unwrap_or_default();
    let place = |of: &Place| match of.path.as_slice() {
        [_, key, rest @ ..] => match listed.iter().position(|flow| flow.key == *key) {
            Some(n) => Place::step(n),
            None if listed.is_empty() && parts.first().is_some_and(|part| part.key == *key) => {
                Place::document().path(rest.iter().cloned())
            }
            None => Place::document(),
        },
        _ => Place::document(),
    };
    let is_of_all = |one: &&Diagnostic| {
        let is_of_flow = one.place.step.is_none() && one.place.path.first().is_some_and(|key| key == "flows");
        is_of_flow && TOGETHER.contains(&one.code.as_str())
    };
    let said = whole.diagnostics().iter().filter(is_of_all).map(|one| Diagnostic {
        place: place(&one.place),
        ..one.clone()
    });
    // What nothing leads to is no part of the run.
    let left_out = listed
        .iter()
        .enumerate()
        .filter(|(_, flow)| !parts.iter().any(|part| part.key == flow.key));
    let left_out = left_out.map(|(n, flow)| never_begins(flow.title.as_deref().unwrap_or(&flow.key), Place::step(n)));
    let mut found: Vec<Beyond> = said
        .chain(left_out)
        .map(|one| Beyond {
            listed: None,
            reason: one.message.clone(),
            together: Some(Box::new(one)),
        })
        .collect();
    let is_error = |one: &Beyond| one.together.as_ref().is_some_and(|one| one.severity == Severity::Error);
    if !found.iter().any(is_error) {
        found.extend(refusal::of(whole).map(|reason| Beyond {
            listed: None,
            reason,
            together: None,
        }));
    }
    found
}
