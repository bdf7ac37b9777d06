//! Sessions of elsewhere (seed 003): taking one in as a run to look at, and finding out which steps of a workflow it says are done.
//!
//! A session knows steps by their numbers alone, so that what it says is held against the workflow's own numbers, and whatever does not fit is said
//! before anything begins. Nothing that was done elsewhere counts for more here than that it is not done again.
//!
//! * `stands`: at which step its work goes on, by the ways that it took; [`inputs`]: what of the inputs of the steps to come is not here.

pub mod inputs;
mod stands;

use crate::{Error, clock};
use dialect::session::{Least, Session, breaks, keeping};
use engine::gate::asked_at;
use engine::{At, GateRules, Imported, RunCreated, RunId, TakenOver};
use model::beginning::{Amid, amid};
use model::between::Bars;
use model::{Control, Diagnostic, Severity, Step, StepId, Workflow, WorkflowId, before};
use serde_json::Value;
use stands::Said;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{Store, digest_of, rfc3339};

/// So many of the gates that were not passed are named of an imported run.
const MOST_NAMED: usize = 12;

/// A session that is to be taken in.
#[derive(Debug, Clone, Default)]
pub struct ImportRequest {
    /// Its path, relative to the project, or as it was given.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Who takes it in.
    pub by: String,
    /// `desktop`, `cli`, `serve`, `test`.
    pub initiator: String,
}

/// Why a text is not taken in.
#[derive(Debug, Clone)]
pub enum NotTaken {
    /// It is no session.
    NoSession,
    /// It cannot be read as one document: what is wrong, with its place.
    Broken(Box<Diagnostic>),
    /// So much of it breaks the schema that nothing is left.
    Nothing,
}

/// What a run of a session is created from, with the contents that it names.
///
/// # Errors
/// [`NotTaken`].
pub(crate) fn created(request: &ImportRequest, run: &RunId, at: At) -> Result<(RunCreated, Vec<Vec<u8>>), NotTaken> {
    let session = Session::read(&request.path, &request.text).ok_or(NotTaken::NoSession)?;
    // What breaks the schema opens all the same; what is no document does not.
    let broken = session.document().diagnostics().iter();
    let mut broken = broken.filter(|one| one.severity == Severity::Error && one.code != "GH0601");
    if let Some(one) = broken.next() {
        return Err(NotTaken::Broken(Box::new(one.clone())));
    }
    let is_json = serde_json::from_str::<Value>(&request.text).is_ok();
    let document = session.value();
    let found = breaks(document);
    let text = |value: &Value| value.as_str().unwrap_or_default().trim().to_owned();
    let project = &document["project_metadata"];
    let stem = request.path.rsplit(['/', '\\']).next().unwrap_or(&request.path);
    let title = Some(text(&project["name"])).filter(|name| !name.is_empty());
    let title = title.unwrap_or_else(|| stem.to_owned());
    let mut blobs = vec![request.text.clone().into_bytes()];
    let mut kept = None;
    if !is_json || !found.is_empty() {
        let digits: String = digest_of(run.as_str().as_bytes())
            .to_string()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(8)
            .collect();
        let least = Least {
            session_id: &format!("bmad-session-{:013}-{digits}", at.0.clamp(0, 9_999_999_999_999)),
            name: &title,
            created_at: &rfc3339(at),
        };
        let whole = keeping(document, least).ok_or(NotTaken::Nothing)?;
        let mut bytes = serde_json::to_vec_pretty(&whole).map_err(|_| NotTaken::Nothing)?;
        bytes.push(b'\n');
        kept = Some(digest_of(&bytes));
        blobs.push(bytes);
    }
    let workflow = [text(&project["workflow"]), text(&project["workflow_type"])];
    let workflow = workflow.into_iter().find(|name| !name.is_empty());
    let created = RunCreated {
        workflow: WorkflowId::new(workflow.unwrap_or_else(|| "session".to_owned())),
        title,
        by: request.by.clone(),
        imported: Some(Arc::new(Imported {
            session: text(&document["session_id"]),
            breaks: u32::try_from(found.len()).unwrap_or(u32::MAX),
            kept,
        })),
        ..RunCreated::new(
            run.clone(),
            session.document().workflow(),
            request.path.clone(),
            digest_of(request.text.as_bytes()),
            request.initiator.clone(),
        )
    };
    Ok((created, blobs))
}

/// The document of an imported run, as a value.
///
/// # Errors
/// What the store says.
pub fn document(store: &Store, created: &RunCreated) -> Result<Value, Error> {
    let text = crate::source::text(store, &created.run_id, &created.source)?;
    // Not as JSON alone reads it, which rounds large numbers.
    let session = Session::read(&created.path, &text);
    Ok(session.map(|session| session.value().clone()).unwrap_or_default())
}

/// How the steps of a workflow stand by what a session says.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// What is taken over, and where the run begins.
    pub taken: TakenOver,
    /// What does not stand in the way and is to be known all the same.
    pub notes: Vec<String>,
}

/// Which steps of a workflow a session says are done. `from`: at this step it is to go on; absent: where the ways that were taken have come to.
///
/// # Errors
/// Why what it says does not fit the workflow, that nothing is left to be done, or that it does not tell which way was taken, in words.
pub fn matched(document: &Value, workflow: &Workflow, from: Option<&StepId>, by: &str) -> Result<Matched, String> {
    if workflow.contract().control == Control::Stages {
        return Err(match workflow.contract().state_in_file {
            true => {
                "A pipeline keeps the state of its stages in its own file: write what is completed there, and run it."
            }
            false => {
                "Steps that wait for each other cannot be gone on with from a session yet: start a run of the workflow."
            }
        }
        .to_owned());
    }
    let mut notes = Vec::new();
    let project = &document["project_metadata"];
    if let Some(named) = project["workflow"]
        .as_str()
        .filter(|named| *named != workflow.id.as_str())
    {
        return Err(format!(
            "The session is of the workflow “{named}”, and this file holds “{}”.",
            workflow.id
        ));
    }
    let state = &document["workflow_state"];
    let completed = steps(workflow, &state["completed_steps"], "completed")?;
    let skipped = steps(workflow, &state["skipped_steps"], "skipped")?;
    if let Some(both) = completed.intersection(&skipped).next() {
        return Err(format!("Step {} is completed and skipped at once.", both + 1));
    }
    let failed: BTreeSet<usize> = list(&state["failed_steps"])
        .filter_map(|failed| place(workflow, &failed["step_id"]))
        .collect();
    if let Some(failed) = failed.intersection(&completed).next() {
        return Err(format!(
            "Step {} is completed and failed at once: nobody can tell whether it is to be done.",
            failed + 1
        ));
    }
    agents(document, workflow, &mut notes);
    let at = match from {
        Some(from) => workflow
            .step(from)
            .ok_or_else(|| format!("There is no step `{from}` in this file."))?,
        None => {
            let said = Said {
                document,
                workflow,
                completed: &completed,
                skipped: &skipped,
                failed: &failed,
            };
            said.stands_at()?
        }
    };
    fits(workflow, at)?;
    // A step that was chosen is done again, and so is what lies behind it.
    let (leads_here, comes) = (before(workflow, at), workflow.behind(at));
    let stays = |place: &usize| *place != at.ordinal && (from.is_none() || leads_here[*place] || !comes[*place]);
    let (completed, skipped): (BTreeSet<usize>, BTreeSet<usize>) = (
        completed.into_iter().filter(stays).collect(),
        skipped.into_iter().filter(stays).collect(),
    );
    let unasked: BTreeSet<usize> = completed
        .union(&skipped)
        .copied()
        .filter(|place| workflow.steps()[*place].gate.is_some())
        .collect();
    let counts = |place: &usize| completed.contains(place) || skipped.contains(place);
    let not_passed: Vec<(usize, String)> = gates_not_passed(state)
        .filter_map(|(step, words)| Some((usize::try_from(step).ok()?.checked_sub(1)?, words)))
        .filter(|(place, _)| counts(place))
        .collect();
    notes.extend(not_passed.iter().map(|(place, words)| {
        format!(
            "“{}” counts as done, and the session says that {words}. Go on at that step to have it done and decided again.",
            workflow.steps()[*place].name
        )
    }));
    let not_passed: BTreeSet<usize> = not_passed.into_iter().map(|(place, _)| place).collect();
    notes.extend(unasked.difference(&not_passed).map(|place| {
        format!(
            "“{}” has a gate, and nobody is asked there: the session says that it is done, and shows nobody's answer. Go on at that step to be asked.",
            workflow.steps()[*place].name
        )
    }));
    if project["workflow"].as_str().is_none() {
        notes.push("The session does not say of which workflow it is: that it is this one, you say.".to_owned());
    }
    let ids = |places: &BTreeSet<usize>| places.iter().map(|place| workflow.steps()[*place].id.clone()).collect();
    Ok(Matched {
        taken: TakenOver {
            by: by.to_owned(),
            session: document["session_id"].as_str().unwrap_or_default().to_owned(),
            completed: ids(&completed),
            skipped: ids(&skipped),
            unasked: ids(&unasked),
            not_passed: ids(&not_passed),
            at: at.id.clone(),
        },
        notes,
    })
}

/// Why a run does not go on from a session where a second person is to approve: by what the session says is done it would come past a gate, and what
/// somebody wrote is nobody's approval. `rules`: what decides in the run whether a gate asks.
pub fn past_gate(workflow: &Workflow, taken: &TakenOver, rules: GateRules<'_>) -> Option<String> {
    if !rules.policy.four_eyes {
        return None;
    }
    let asks = |step: &Step| asked_at(&workflow.id, step, rules).is_some();
    let bars = Bars::of(workflow, &[], &[], asks);
    let done = taken.completed.iter().chain(&taken.skipped);
    let mut done = done.filter_map(|step| workflow.step(step));
    let of_done = done.find_map(|step| match asks(step) {
        true => Some(step.ordinal),
        false => bars.gate_before(step),
    });
    let before = || bars.gate_before(workflow.step(&taken.at)?);
    let gate = &workflow.steps()[of_done.or_else(before)?];
    Some(format!(
        "By what the session says it would go on past the gate at “{}”, and the project wants four eyes (`hitl.four_eyes`): what stands in a session approves nothing. Go on at “{}” (`{}`) or before it, so that somebody is asked there.",
        gate.name, gate.name, gate.id
    ))
}

/// Gates that a session says were not passed, of steps that it says are done: a sentence each.
pub fn contradictions(document: &Value) -> Vec<String> {
    let state = &document["workflow_state"];
    let done: BTreeSet<u64> = ["completed_steps", "skipped_steps"]
        .into_iter()
        .flat_map(|key| list(&state[key]))
        .filter_map(Value::as_u64)
        .collect();
    gates_not_passed(state)
        .filter(|(step, _)| done.contains(step))
        .take(MOST_NAMED)
        .map(|(step, words)| format!("The session says that step {step} is done, and that {words}."))
        .collect()
}

/// The gates that a session says were not passed: the numbers of their steps, and the end of a sentence about each.
fn gates_not_passed(state: &Value) -> impl Iterator<Item = (u64, String)> {
    let text = |value: &Value| -> String {
        let text = value.as_str().unwrap_or_default().trim();
        let seen = |c: char| if c.is_control() { ' ' } else { c };
        text.chars().take(200).map(seen).collect()
    };
    list(&state["quality_gates_failed"]).filter_map(move |gate| {
        let (name, reason) = (text(&gate["gate_name"]), text(&gate["reason"]));
        let named = if name.is_empty() {
            String::new()
        } else {
            format!(" `{name}`")
        };
        let why = if reason.is_empty() {
            String::new()
        } else {
            format!(" (“{reason}”)")
        };
        Some((
            gate["step_id"].as_u64()?,
            format!("its gate{named} was not passed{why}"),
        ))
    })
}

/// Whether a run can begin at this step.
fn fits(workflow: &Workflow, at: &Step) -> Result<(), String> {
    match amid(workflow, at) {
        None => Ok(()),
        Some(Amid::Branch(fork)) => Err(format!(
            "“{}” stands in a branch of “{}”, and a session does not say how far each branch was. Choose that step to go on at, or one behind the branches.",
            at.name, fork.name
        )),
        Some(Amid::Inside(parent)) => Err(format!(
            "“{}” stands within “{}”, whose outcome depends on the steps before it. Choose the first of them to go on at.",
            at.name, parent.name
        )),
        Some(Amid::Detour(from)) => Err(format!(
            "“{}” is of a detour from “{}”. Choose that step to go on at.",
            at.name, from.name
        )),
    }
}

/// The places of the steps of a list of numbers.
fn steps(workflow: &Workflow, numbers: &Value, word: &str) -> Result<BTreeSet<usize>, String> {
    list(numbers)
        .map(|number| {
            place(workflow, number).ok_or_else(|| {
                format!(
                    "The session says that step {number} is {word}, and the workflow has steps 1 to {}.",
                    workflow.steps().len()
                )
            })
        })
        .collect()
}

fn place(workflow: &Workflow, number: &Value) -> Option<usize> {
    let place = usize::try_from(number.as_u64()?).ok()?.checked_sub(1)?;
    (place < workflow.steps().len()).then_some(place)
}

/// Agents of the session that do no step of the workflow.
fn agents(document: &Value, workflow: &Workflow, notes: &mut Vec<String>) {
    let known: BTreeSet<&str> = workflow
        .steps()
        .iter()
        .flat_map(|step| &step.agents)
        .map(|agent| agent.as_str())
        .collect();
    let named = document["agent_contexts"].as_object().into_iter().flatten();
    let strangers: Vec<&str> = named
        .map(|(name, _)| name.as_str())
        .filter(|name| *name != "unnamed" && !known.contains(name))
        .take(12)
        .collect();
    if !strangers.is_empty() {
        notes.push(format!("No step of the workflow is done by {}.", strangers.join(", ")));
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// When a session is taken in.
pub(crate) fn now() -> At {
    clock::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_gate_that_was_not_passed_is_named_where_its_step_counts_as_done() {
        let flow = "id: f\nsteps:\n  - {id: a, role: A, agents: [x], routing: {kind: linear, next: b}}\n  \
                    - {id: b, role: B, agents: [x], human_gate: required, routing: {kind: linear, next: c}}\n  \
                    - {id: c, role: C, agents: [x], routing: {kind: terminal}}\n";
        let workflow = dialect::Document::parse("f.yaml", flow).workflow().clone();
        let session = json!({"project_metadata": {"workflow": "f"}, "workflow_state": {"completed_steps": [1, 2],
            "quality_gates_failed": [{"gate_name": "f:b:hitl", "step_id": 2, "reason": "A: reject: never ship this"}]}});
        let words = "its gate `f:b:hitl` was not passed (“A: reject: never ship this”)";
        assert_eq!(
            contradictions(&session),
            [format!("The session says that step 2 is done, and that {words}.")]
        );
        let matched = matched(&session, &workflow, None, "ada").expect("it fits");
        assert_eq!(matched.taken.not_passed, [StepId::from("b")]);
        assert_eq!(matched.notes.len(), 1, "{:#?}", matched.notes);
        assert!(matched.notes[0].contains(words), "{}", matched.notes[0]);
        // Who goes on at that step is asked there.
        let again = super::matched(&session, &workflow, Some(&StepId::from("b")), "ada").expect("it fits");
        assert_eq!((again.taken.not_passed, again.notes), (Vec::new(), Vec::new()));
        let failed = json!({"workflow_state": {"completed_steps": [1], "quality_gates_failed": [{"gate_name": "g", "step_id": 2}]}});
        assert_eq!(contradictions(&failed), Vec::<String>::new());
    }
}
