//! The flows of one run, found: those that a list names, and those that a flow leads to (CONTRACTS "Stepwise"). What is
//! found becomes one text ([`dialect::stepwise::together`]), which the run keeps.

use crate::{project, refusal};
use dialect::stepwise::{Flow, key_of, together};
use dialect::{Document, ListedFlow};
use engine::RunId;
use model::part::{self, bare};
use model::{Destination, Onward, Workflow};
use std::path::Path;

/// The most flows of one run.
const MOST: usize = 100;
/// How the file of a flow may be called.
const ENDINGS: [&str; 6] = [
    ".yaml",
    ".yml",
    ".json",
    ".graph.json",
    "-flow.graph.json",
    "-flow.yaml",
];

/// The text that a run of a file keeps: the file's own, or with it all the flows that the run may come to. `root` must be
/// canonical; the document's path is relative to it, with `/`. `despite_errors`: whatever is wrong in a flow. `None`: the run is one flow.
///
/// # Errors
/// Which flow is not there, has an error, or cannot be one of several, in words.
pub fn gathered(root: &Path, document: &Document, despite_errors: bool) -> Result<Option<String>, String> {
    let (path, text, workflow) = (document.path(), document.text(), document.workflow());
    if !workflow.contract().several_flows || !workflow.parts().is_empty() {
        return Ok(None);
    }
    let list = document.flows();
    if list.is_none() && next_of(workflow).next().is_none() {
        return Ok(None);
    }
    // What a list says is carried out or refused as what a flow says; the text of all of them keeps none of its errors.
    if list.is_some()
        && !despite_errors
        && let Some(reason) = refusal::of(document)
    {
        return Err(reason);
    }
    let mut found: Vec<(Flow, bool)> = Vec::new();
    let head = match list {
        Some(list) => {
            for flow in list {
                let gathered = find(root, path, flow)?;
                found.push((gathered, flow.utility));
            }
            text.to_owned()
        }
        None => {
            found.push((
                Flow {
                    key: key_of(workflow.id.as_str()),
                    file: path.to_owned(),
                    text: text.to_owned(),
                },
                false,
            ));
            String::new()
        }
    };
    let mut at = 0;
    while at < found.len() {
        let (flow, _) = &found[at];
        let read = (at > 0 || list.is_some()).then(|| Document::parse(&flow.file, &flow.text));
        let (around, document) = (flow.file.clone(), read.as_ref().unwrap_or(document));
        usable(document)?;
        if let Some(reason) = refusal::of(document).filter(|_| !despite_errors) {
            return Err(match found.len() {
                1 if list.is_none() => reason,
                _ => format!("`{}`: {reason}", document.path()),
            });
        }
        for name in next_of(document.workflow()) {
            if found.iter().any(|(flow, _)| is_called(flow, &name)) {
                continue;
            }
            if found.len() >= MOST {
                return Err(format!("more than {MOST} flows lead to each other"));
            }
            let named = ListedFlow {
                key: name.clone(),
                ..ListedFlow::default()
            };
            let next =
                find(root, &around, &named).map_err(|why| format!("`{around}` leads to the flow `{name}`: {why}"))?;
            // Under another name it may be among them already.
            if !found.iter().any(|(flow, _)| flow.file == next.file) {
                let key = free_key(&name, &found);
                found.push((Flow { key, ..next }, false));
            }
        }
        at += 1;
    }
    // Where nothing leads to a flow that is no part of the order, it is no part of the run.
    let led: Vec<String> = found
        .iter()
        .flat_map(|(flow, _)| next_of(Document::parse(&flow.file, &flow.text).workflow()).collect::<Vec<_>>())
        .collect();
    found.retain(|(flow, utility)| !utility || led.iter().any(|name| is_called(flow, name)));
    let flows: Vec<Flow> = found.into_iter().map(|(flow, _)| flow).collect();
    let head = match list {
        Some(_) => head,
        None => head_of(workflow, &flows)?,
    };
    together(&head, &flows).map(Some)
}

/// The list of flows that belong to one that was started by itself: it leads on only where the files say so.
fn head_of(workflow: &Workflow, flows: &[Flow]) -> Result<String, String> {
    let flows: Vec<_> = flows
        .iter()
        .map(|flow| serde_json::json!({"key": flow.key, "file": flow.file}))
        .collect();
    let head = serde_json::json!({
        "key": workflow.id,
        "title": workflow.title,
        "description": workflow.description,
        "in_order": false,
        "flows": flows,
    });
    serde_yaml::to_string(&head).map_err(|error| error.to_string())
}

/// The flows that one leads to, as it names them.
fn next_of(workflow: &Workflow) -> impl Iterator<Item = String> + use<> {
    let name = |onward: &Onward| match &onward.to {
        Destination::Part(name) => Some(name.clone()),
        _ => None,
    };
    let both = [&workflow.on_complete, &workflow.after_failure].map(|onward| onward.as_ref().and_then(name));
    both.into_iter().flatten()
}

fn is_called(flow: &Flow, name: &str) -> bool {
    part::is_called(&flow.key, &flow.file, name)
}

/// The key of a flow that another one leads to by this name: it becomes a folder of the run, so that no two have the same.
fn free_key(name: &str, found: &[(Flow, bool)]) -> String {
    let key = key_of(name);
    let is_taken = |key: &str| found.iter().any(|(flow, _)| flow.key == key);
    if !is_taken(&key) {
        return key;
    }
    let mut counted = (2_usize..).map(|n| format!("{key}-{n}"));
    counted.find(|other| !is_taken(other)).unwrap_or_default()
}

/// A flow by its file, or by a file that is called like it: beside the file that names it, in a folder `flows` there, and
/// from the project's folder on.
fn find(root: &Path, around: &str, flow: &ListedFlow) -> Result<Flow, String> {
    let no_run = RunId::from("-");
    let key = flow.key.as_str();
    let names: Vec<String> = match &flow.file {
        Some(file) => vec![file.clone()],
        None => {
            let mut stems = vec![key.to_owned()];
            stems.extend(Some(bare(key).to_owned()).filter(|bare| bare != key));
            let all = stems
                .iter()
                .flat_map(|stem| ENDINGS.map(|ending| format!("{stem}{ending}")));
            all.flat_map(|name| [name.clone(), format!("flows/{name}")]).collect()
        }
    };
    for name in &names {
        if let Ok((file, text)) = project::find_listed(root, around, name, &no_run) {
            let key = key.to_owned();
            return Ok(Flow { key, file, text });
        }
    }
    Err(match &flow.file {
        Some(file) => format!("the flow `{key}` has no file `{file}` in this project"),
        None => {
            format!("the flow `{key}` is not in this project: there is no `{key}.yaml` beside it, and none in `flows`")
        }
    })
}

/// Whether a file can be one of several flows.
fn usable(document: &Document) -> Result<(), String> {
    let path = document.path();
    if let Some(not) = document.not_a_workflow() {
        return Err(format!("`{path}` is no flow: {not}"));
    }
    let of = document.workflow().contract();
    match of.several_flows {
        true => Ok(()),
        false => Err(format!(
            "`{path}` is {}, and only flows can follow each other in one run",
            of.noun
        )),
    }
}
