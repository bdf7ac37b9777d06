//! Several flows in one text: what a run of several flows keeps. First the list, then each flow as it stands in its file,
//! behind a line that names it:
//!
//! ```text
//! flows: [{key: plan}, {key: build}]
//! --- # flow plan: flows/plan.yaml
//! key: plan
//! …
//! ```
//!
//! Nothing of a file changes: whoever has the text has the files.

use super::Reading;
use super::list::ENDS;
use crate::document::Changed;
use crate::edit::EditError;
use crate::in_tree::InTree;
use crate::text::Span;
use crate::tree::Tree;
use crate::{Document, StepField};
use crate::{context, document};
use model::part::{behind, in_part};
use model::{
    Destination, Diagnostic, Edit, Feedback, Format, Onward, Part, Place, Severity, Step, Workflow, WorkflowId,
};
use serde_json::Value;
use std::collections::HashMap;

const MARK: &str = "--- # flow ";

/// A flow with its file, to be put together with others.
#[derive(Debug, Clone)]
pub struct Flow {
    /// What it is called in the run.
    pub key: String,
    /// Its file, relative to the project.
    pub file: String,
    /// What stands in it.
    pub text: String,
}

/// Puts a list and its flows together in one text.
///
/// # Errors
/// Why that cannot be: a name or a text would be taken for another flow.
pub fn together(list: &str, flows: &[Flow]) -> Result<String, String> {
    let mut whole = String::new();
    add(&mut whole, list, "the list of flows")?;
    for flow in flows {
        if flow.key.contains([':', '\n']) || flow.file.contains('\n') {
            return Err(format!("`{}` is no name for a flow", flow.key));
        }
        whole.push_str(&format!("{MARK}{}: {}\n", flow.key, flow.file));
        add(&mut whole, &flow.text, &format!("`{}`", flow.file))?;
    }
    Ok(whole)
}

fn add(whole: &mut String, text: &str, of: &str) -> Result<(), String> {
    if is_marked(text) {
        return Err(format!(
            "{of} holds a line that begins with `{MARK}`, as only texts of several flows do"
        ));
    }
    whole.push_str(text);
    if !text.is_empty() && !text.ends_with('\n') {
        whole.push('\n');
    }
    Ok(())
}

/// Whether a text holds several flows: a list of them stands before the first. In any other file a line that looks like a mark is a line
/// of that file.
pub(super) fn is_one(text: &str) -> bool {
    is_marked(text) && super::is_list("flows.yaml", &text[..split(text).0])
}

fn is_marked(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(MARK))
}

/// One flow of the text.
#[derive(Debug)]
struct Section {
    /// Where its text begins and ends.
    at: Span,
    /// Its first step among those of all.
    first: usize,
    key: String,
    flow: InTree<Reading>,
}

/// A text of several flows, read.
#[derive(Debug)]
pub(super) struct Several {
    list: Tree,
    sections: Vec<Section>,
    workflow: Workflow,
    own: Vec<Diagnostic>,
}

/// The parts of a text: where the list ends, and each flow with its key and file.
fn split(text: &str) -> (usize, Vec<(String, String, Span)>) {
    let mut found: Vec<(String, String, Span)> = Vec::new();
    let mut end = text.len();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(named) = line.strip_prefix(MARK) {
            match found.last_mut() {
                Some((_, _, span)) => span.end = at,
                None => end = at,
            }
            let (key, file) = named.trim_end().split_once(": ").unwrap_or((named.trim_end(), ""));
            let start = at + line.len();
            found.push((key.to_owned(), file.to_owned(), Span { start, end: text.len() }));
        }
        at += line.len();
    }
    (end, found)
}

impl Several {
    pub(super) fn read(path: &str, text: &str) -> Self {
        let (end, found) = split(text);
        let head = &text[..end];
        let list = Tree::read("flows.yaml", head);
        let reading = super::read(path, head, &list);
        let listed = |key: &str| reading.listed.iter().find(|flow| flow.key == key);
        let found = in_order(found, &reading);
        let mut own = Vec::new();
        let mut sections: Vec<Section> = Vec::new();
        let mut steps = Vec::new();
        let mut parts: Vec<Part> = Vec::new();
        for (key, file, at) in found {
            let own_text = &text[at.start..at.end];
            let tree = Tree::read(&file, own_text);
            let flow = super::read(&file, own_text, &tree);
            let first = steps.len();
            steps.extend(flow.workflow.steps().iter().map(|step| Step {
                flow: Some(flow.workflow.id.clone()),
                ..in_part(step.clone(), &key, parts.len() + 1, first)
            }));
            let in_list = listed(&key);
            parts.push(Part {
                title: in_list
                    .and_then(|flow| flow.title.clone())
                    .unwrap_or_else(|| flow.workflow.title.clone()),
                file,
                steps: first..steps.len(),
                spec_generation: flow.workflow.spec_generation,
                next_reported: flow.workflow.next_reported,
                escalation: flow.workflow.escalation,
                utility: in_list.is_some_and(|flow| flow.utility) || flow.is_utility(),
                on_complete: flow.workflow.on_complete.clone().unwrap_or_default(),
                on_failure: flow.workflow.after_failure.clone().unwrap_or_default(),
                key: key.clone(),
            });
            let flow = InTree { tree, reading: flow };
            sections.push(Section { at, first, key, flow });
        }
        let silent: Vec<bool> = sections
            .iter()
            .map(|section| section.flow.reading.workflow.on_complete.is_none())
            .collect();
        follow(&mut parts, &silent, reading.in_order, &mut own);
        led(&parts, &mut own);
        ambiguous(&parts, &sections, &mut own);
        let id = reading.workflow.id.clone();
        let title = reading.workflow.title.clone();
        let mut workflow = Workflow::of_parts(WorkflowId::new(id.as_str()), title, Format::Stepwise, steps, parts);
        own.extend(model::rules::by_failures(&workflow));
        workflow.description = reading.workflow.description.clone();
        workflow.fields = reading.workflow.fields.clone();
        if let Some(all) = contexts(&reading.workflow, &sections, &mut own) {
            workflow.fields.insert("context".to_owned(), all);
        }
        if let Some(all) = bounds(&reading.workflow, &sections, &mut own) {
            workflow.fields.insert(Feedback::FIELD.to_owned(), all);
        }
        Self {
            list,
            sections,
            workflow,
            own,
        }
    }

    fn section(&self, place: &Place) -> Option<(&Section, Place)> {
        if let Some(step) = place.step {
            let section = self.sections.iter().rfind(|section| section.first <= step)?;
            let place = Place {
                step: Some(step - section.first),
                path: place.path.clone(),
            };
            return Some((section, place));
        }
        let [flows, key, rest @ ..] = place.path.as_slice() else {
            return None;
        };
        let section = self.sections.iter().find(|section| section.key == *key);
        let place = Place {
            step: None,
            path: rest.to_vec(),
        };
        section.filter(|_| flows == "flows").map(|section| (section, place))
    }
}

/// The flows in the order in which they begin: those that the list puts in order by `index` take each other's places, the others stay.
fn in_order(found: Vec<(String, String, Span)>, list: &Reading) -> Vec<(String, String, Span)> {
    let place = |key: &str| list.order.iter().position(|known| known == key);
    let places: Vec<usize> = (0..found.len()).filter(|n| place(&found[*n].0).is_some()).collect();
    let mut sorted = places.clone();
    sorted.sort_by_key(|n| place(&found[*n].0));
    let mut out = found.clone();
    for (to, from) in places.into_iter().zip(sorted) {
        out[to].clone_from(&found[from]);
    }
    out
}

/// The context of a run of several flows: what one of them wants holds for all of it, since they work on the same files. `None`: none says
/// anything.
fn contexts(list: &Workflow, sections: &[Section], own: &mut Vec<Diagnostic>) -> Option<Value> {
    let mut all = context::of(list);
    for section in sections {
        let (more, lower) = context::together(&all, &context::of(&section.flow.reading.workflow));
        all = more;
        own.extend(lower.into_iter().map(|one| {
            let ([value, settled], key) = (one.said, one.path.join("."));
            let path = ["flows", &section.key, "context"].map(str::to_owned);
            let place = Place::document().path(path.into_iter().chain(one.path));
            let said = format!(
                "`context.{key}` is {value} in the flow `{}`, and {settled} in one before it",
                section.key
            );
            let (code, severity, help) = match one.less {
                true => ("GH0603", Severity::Warning, "What wants more holds for the whole run"),
                false => (
                    "GH0602",
                    Severity::Error,
                    "One run has one context. Say the same in both flows, or start them one by one",
                ),
            };
            Diagnostic::new(code, severity, place, said).help(help)
        }));
    }
    if all.is_empty() {
        return None;
    }
    // What else an author keeps under `context` stays.
    let mut whole = list
        .fields
        .get("context")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    whole.extend(all);
    Some(whole.into())
}

/// The bounds of feedback in a run of several flows: the tightest that one of them has, and one person for all. `None`: none says anything,
/// or the list does not say it so that it can be used.
fn bounds(list: &Workflow, sections: &[Section], own: &mut Vec<Diagnostic>) -> Option<Value> {
    let mut all = Feedback::of(list);
    for section in sections {
        let flow = &section.flow.reading.workflow;
        let Some(written) = flow.fields.get(Feedback::FIELD) else {
            continue;
        };
        let around = Place::document().path(["flows", &section.key].map(str::to_owned));
        own.extend(crate::feedback::faults(written, &around));
        let said = Feedback::of(flow);
        if let (Some(one), Some(other)) = (&all.escalate_to, &said.escalate_to)
            && one != other
        {
            let place = around.path([Feedback::FIELD, "escalate_to"].map(str::to_owned));
            let said = format!(
                "`feedback.escalate_to` is {other} in the flow `{}`, and {one} in one before it",
                section.key
            );
            let help = "One run asks one person. Say the same in both flows, or start them one by one";
            own.push(Diagnostic::new("GH0604", Severity::Error, place, said).help(help));
        }
        all = all.together(said);
    }
    let there = list.fields.get(Feedback::FIELD);
    let is_sound = there.is_none_or(|written| Feedback::read(written).1.is_empty());
    let said = all.written().filter(|_| is_sound)?;
    // What else an author keeps there stays.
    let mut whole = there.and_then(Value::as_object).cloned().unwrap_or_default();
    whole.extend(said.as_object().cloned().unwrap_or_default());
    Some(whole.into())
}

/// Finds the flow that each one leads to. `silent`: those that say nothing of it; `in_order`: they lead to the next.
fn follow(parts: &mut [Part], silent: &[bool], in_order: bool, own: &mut Vec<Diagnostic>) {
    let names: Vec<Part> = parts.to_vec();
    for (n, part) in parts.iter_mut().enumerate() {
        if silent[n] && in_order && !part.utility {
            let next = names[n + 1..].iter().find(|part| !part.utility);
            part.on_complete = Onward {
                to: next.map_or(Destination::End, |next| Destination::Part(next.key.clone())),
                ..Onward::default()
            };
        }
        for (word, onward) in [
            ("on_complete", &mut part.on_complete),
            ("on_failure", &mut part.on_failure),
        ] {
            let Destination::Part(name) = &onward.to else { continue };
            let exact = names.iter().find(|part| part.key == *name);
            match exact.or_else(|| names.iter().find(|part| part.is_called(name))) {
                Some(meant) => onward.to = Destination::Part(meant.key.clone()),
                None => {
                    let place = Place::document().path(["flows", &part.key, word, "next_flow"].map(str::to_owned));
                    let said = format!(
                        "The flow `{name}`, which is to follow “{}”, is not among these",
                        part.title
                    );
                    own.push(
                        Diagnostic::new("GH0505", Severity::Error, place, said)
                            .help("Name a flow of this project, or write `next_flow: null` to let the run end here"),
                    );
                    onward.to = Destination::End;
                }
            }
        }
    }
}

/// Flows that no flow leads to, and flows that lead back where nobody came from.
fn led(parts: &[Part], own: &mut Vec<Diagnostic>) {
    let leads_to = |part: &Part| {
        let others = parts.iter().filter(|other| other.key != part.key);
        let mut ways = others.flat_map(|other| [&other.on_complete, &other.on_failure]);
        ways.any(|onward| matches!(&onward.to, Destination::Part(key) if *key == part.key))
    };
    let place = |part: &Part, more: &[&str]| {
        let keys = ["flows", part.key.as_str()].into_iter().chain(more.iter().copied());
        Place::document().path(keys.map(str::to_owned))
    };
    let begins = begins(parts);
    for (n, part) in parts.iter().enumerate() {
        let is_led = leads_to(part);
        if !begins[n] {
            let unled = never_begins(&part.title, place(part, &[]));
            let said = format!("“{}” never begins, because no flow that leads to it does", part.title);
            own.push(match is_led {
                true => Diagnostic { message: said, ..unled },
                false => unled,
            });
        }
        if begins[n] && part.on_failure.to == Destination::Return && !may_go_back(parts, part) {
            let place = place(part, &["on_failure", "next_flow"]);
            own.push(nowhere_to_return(&part.title, place, is_led));
        }
        if is_led {
            continue;
        }
        let follows = parts[n + 1..].iter().any(|other| !other.utility && !leads_to(other));
        if part.on_complete.to == Destination::Return && follows {
            let said = format!(
                "No flow leads to “{}”, so there is nowhere to return to: the run would end with it",
                part.title
            );
            let help = "This workflow does not start. Remove `next_flow: return`, so that the next flow of the list follows, or write `next_flow: null`";
            let place = place(part, &["on_complete", "next_flow"]);
            own.push(Diagnostic::new("GH0505", Severity::Error, place, said).help(help));
        }
    }
}

/// What is said of a flow that leads back where it fails, and nothing is there. `is_led`: another flow leads to it.
fn nowhere_to_return(title: &str, place: Place, is_led: bool) -> Diagnostic {
    let said = format!("Where “{title}” fails, there is nowhere to return to");
    let (severity, why, then) = match is_led {
        true => (
            Severity::Error,
            "each flow that leads to it had come to its end, so it would begin again itself for as long as it fails",
            "This workflow does not start",
        ),
        false => (Severity::Warning, "no flow leads to it", "The run ends as failed there"),
    };
    let help = format!(
        "{then}. Name the flow that is to follow, write `next_flow: pause` where a person is to let it try again, or remove `on_failure`"
    );
    Diagnostic::new("GH0505", severity, place, format!("{said}: {why}")).help(help)
}

/// Whether something else than this flow itself can follow where it fails and leads back: the step that failed in a flow that leads to it, or
/// what follows one in the list that had come to its end.
fn may_go_back(parts: &[Part], part: &Part) -> bool {
    let leads = |onward: &Onward| matches!(&onward.to, Destination::Part(key) if *key == part.key);
    parts.iter().enumerate().any(|(n, other)| {
        let behind = behind(parts, n, None);
        let comes_again = !behind.is_empty() && behind.iter().all(|next| parts[*next].key == part.key);
        other.key != part.key && (leads(&other.on_failure) || leads(&other.on_complete) && !comes_again)
    })
}

/// Which flows a run can come to: the first, those that one of them leads to, and, behind a flow that pauses or leads to another which
/// goes back, the next in the list.
fn begins(parts: &[Part]) -> Vec<bool> {
    let goes_back = |onward: &Onward| matches!(onward.to, Destination::Return | Destination::Pause);
    let by_key: HashMap<&str, usize> = parts
        .iter()
        .enumerate()
        .map(|(n, part)| (part.key.as_str(), n))
        .collect();
    let target = |onward: &Onward| match &onward.to {
        Destination::Part(key) => by_key.get(key.as_str()).copied(),
        _ => None,
    };
    let mut begins = vec![false; parts.len()];
    let mut open: Vec<usize> = (0..parts.len().min(1)).collect();
    while let Some(n) = open.pop() {
        if std::mem::replace(&mut begins[n], true) {
            continue;
        }
        let part = &parts[n];
        open.extend(target(&part.on_complete).into_iter().chain(target(&part.on_failure)));
        let back = target(&part.on_complete)
            .filter(|to| goes_back(&parts[*to].on_complete) || goes_back(&parts[*to].on_failure));
        if back.is_some() || part.on_complete.to == Destination::Pause {
            // The one that leads back may be the next one itself, which does not begin once more.
            open.extend(behind(parts, n, back));
        }
    }
    begins
}

/// What is said of a flow that no other one leads to.
pub fn never_begins(title: &str, place: Place) -> Diagnostic {
    let said = format!("No flow leads to “{title}”, so it never begins");
    let help = "Name it in the `next_flow` of another one, or take it out of the list";
    Diagnostic::new("GH0505", Severity::Warning, place, said).help(help)
}

/// Words of `next_flow` for an end or a way back that one of the flows is called by: nobody can tell which is meant.
fn ambiguous(parts: &[Part], sections: &[Section], own: &mut Vec<Diagnostic>) {
    for section in sections {
        let fields = &section.flow.reading.workflow.fields;
        for key in ["on_complete", "on_failure"] {
            let word = fields.get(key).and_then(|onward| onward["next_flow"].as_str());
            let Some(word) = word.map(str::trim).filter(|word| ENDS.contains(word)) else {
                continue;
            };
            if !parts.iter().any(|part| part.key == word) {
                continue;
            }
            let place = Place::document().path(["flows", &section.key, key, "next_flow"].map(str::to_owned));
            let said = format!(
                "`next_flow: {word}` of the flow `{}` leads to no flow, and one of these is called `{word}`: it would not begin because of it",
                section.key
            );
            let help = "This workflow does not start. Give that flow another key; where the run is to end, `next_flow: null` says so too";
            own.push(Diagnostic::new("GH0505", Severity::Error, place, said).help(help));
        }
    }
}

/// A place of one flow as a place of all of them.
fn outward(section: &Section, place: Place) -> Place {
    match (place.step, place.path.as_slice()) {
        (Some(step), _) => Place {
            step: Some(section.first + step),
            path: place.path,
        },
        (None, [only]) if only.starts_with('@') => {
            let at: usize = only[1..].parse().unwrap_or_default();
            Place::document().field(format!("@{}", section.at.start + at))
        }
        (None, path) => {
            let own = ["flows".to_owned(), section.key.clone()];
            Place::document().path(own.into_iter().chain(path.iter().cloned()))
        }
    }
}

fn shifted(section: &Section, span: Span) -> Span {
    Span {
        start: span.start + section.at.start,
        end: span.end + section.at.start,
    }
}

impl document::Reading for Several {
    fn workflow(&self) -> &Workflow {
        &self.workflow
    }

    fn may_be_one(&self, _path: &str) -> bool {
        self.list.broken().is_some()
    }

    fn diagnostics(&self, text: &str) -> Vec<Diagnostic> {
        let mut found = self.own.clone();
        for section in &self.sections {
            let own = &text[section.at.start..section.at.end];
            found.extend(section.flow.diagnostics(own).into_iter().map(|mut one| {
                one.place = outward(section, one.place);
                one
            }));
        }
        found
    }

    fn span(&self, text: &str, place: &Place) -> Option<Span> {
        let (section, place) = self.section(place)?;
        let own = &text[section.at.start..section.at.end];
        section.flow.span(own, &place).map(|span| shifted(section, span))
    }

    fn value_span(&self, text: &str, place: &Place) -> Option<Span> {
        let (section, place) = self.section(place)?;
        let own = &text[section.at.start..section.at.end];
        section.flow.value_span(own, &place).map(|span| shifted(section, span))
    }

    fn place_at(&self, text: &str, offset: usize) -> Place {
        // They stand in the order of the run, which need not be that of the text.
        let begun = self.sections.iter().filter(|section| section.at.start <= offset);
        match begun.max_by_key(|section| section.at.start) {
            None => Place::document(),
            Some(section) => {
                let own = &text[section.at.start..section.at.end];
                outward(section, section.flow.place_at(own, offset - section.at.start))
            }
        }
    }

    fn value(&self, text: &str, place: &Place) -> Option<Value> {
        let (section, place) = self.section(place)?;
        section.flow.value(&text[section.at.start..section.at.end], &place)
    }

    fn field(&self, step: usize, field: StepField) -> Option<Place> {
        let (section, place) = self.section(&Place::step(step))?;
        let place = section.flow.field(place.step?, field)?;
        Some(outward(section, place))
    }

    fn edit(&self, _document: &Document, _edit: &Edit) -> Result<Changed, EditError> {
        Err(EditError::Several)
    }
}
