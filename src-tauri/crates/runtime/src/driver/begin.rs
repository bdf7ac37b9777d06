//! Creating a run.

use super::Options;
use super::earlier::{self, Earlier, GoOn, Point};
use crate::config::Config;
use crate::imported::{self, ImportRequest, NotTaken};
use crate::project::RUN_BASE;
use crate::scenario::Scenario;
use crate::unbound::{Start, unbound};
use crate::{
    Error, FileFault, attempt, clock, entered, flows, given, inside, kept, listed, opened, permits, raised, refusal,
    source, subject,
};
use dialect::Document;
use engine::{
    Choice, Command, Cursor, Digest, EVENT_VERSION, EngineInfo, FileRef, GateRules, Hand, Intent, ParentRun,
    RunCreated, RunId, RunState, ScenarioRef, TookPart, decide,
};
use history::{Batch, Live};
use model::{AgentKey, Fields, Question, StepId, Workflow};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use store::{Head, Store, chained};

/// What a run is created from.
#[derive(Debug, Clone, Default)]
pub struct StartRequest {
    /// Path of the workflow, relative to the project, with `/`.
    pub path: String,
    /// Its text: the version this run keeps.
    pub source: String,
    /// A rehearsal: every agent is played by the stub, no program is started and nothing of it counts.
    pub rehearse: bool,
    /// The scenario that scripts it, which makes it a rehearsal.
    pub scenario: Option<ScenarioSource>,
    /// The person who starts it.
    pub by: String,
    /// Their public key, in hexadecimal digits.
    pub key: Option<String>,
    /// Who asks for it: `desktop`, `cli`, `serve`, `test`.
    pub initiator: String,
    /// What the run is about, in the words of whoever starts it; absent: what an answer says of it.
    pub subject: Option<String>,
    /// Values given at the start.
    pub inputs: Fields,
    /// Ask a person for the outcome of every step and execute nothing (`--prompted`; runbooks).
    pub prompted: bool,
    /// Steps given to somebody: step id → agent or person, over what the workflow says. Those of the workflows inside of it too
    /// ([`inside`]).
    pub assigned: BTreeMap<StepId, AgentKey>,
    /// The person who starts it permits everything that would be asked for.
    pub permit: bool,
    /// The run's id; absent: a new one.
    pub run_id: Option<RunId>,
    /// The step of another run that this one carries out.
    pub parent: Option<ParentRun>,
    /// That other run: its policy of gates holds in this one too, and what its steps run is compared with what that was when it was begun.
    pub around: Option<Arc<RunCreated>>,
    /// Who took part in it so far, where only somebody else may approve ([`engine::RunState::hands`]).
    pub hands: Vec<TookPart>,
    /// The workflow is another one than when that other run was begun.
    pub changed_since: bool,
    /// The run that this one goes on from: its events come first, and what is completed in it is not done again.
    pub continues: Option<GoOn>,
    /// Of a rehearsal: the step at which it begins; absent: the first.
    pub begins_at: Option<StepId>,
    /// Start although the workflow has errors; the run fails where it meets one.
    pub despite_errors: bool,
}

/// A scenario's file.
#[derive(Debug, Clone, Default)]
pub struct ScenarioSource {
    /// Its path, for its name and for messages.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// The flows of a run of several that stand in its order.
fn keys(workflow: &Workflow) -> Vec<String> {
    workflow.parts().iter().map(|part| part.key.clone()).collect()
}

/// What a run of a file would run: the text with the other flows and the instructions that it names.
///
/// # Errors
/// [`Error::Workflow`]: what it names cannot be brought together.
pub fn to_run(root: &Path, path: &str, source: &str, despite_errors: bool) -> Result<Document, Error> {
    let one = Document::parse(path, source);
    let several = flows::gathered(root, &one, despite_errors).map_err(|reason| Error::Workflow {
        path: path.to_owned(),
        reason,
    })?;
    let read = |text: &str| match text == one.text() {
        true => one.clone(),
        false => Document::parse(path, text),
    };
    Ok(opened::document_by(
        root,
        path,
        several.as_deref().unwrap_or(source),
        read,
    ))
}

pub(super) fn start(store: &Store, root: &Path, options: &Options, request: &StartRequest) -> Result<RunId, Error> {
    let rehearsal = request.rehearse || request.scenario.is_some();
    if options.restricted && !rehearsal {
        return Err(Error::Restricted);
    }
    let unusable = |reason| Error::Workflow {
        path: request.path.clone(),
        reason,
    };
    let document = match &request.continues {
        Some(go_on) if matches!(go_on.at, Point::Checkpoint { .. }) => earlier::kept(store, &go_on.run)?,
        _ => to_run(root, &request.path, &request.source, request.despite_errors)?,
    };
    let text = document.text();
    if !request.despite_errors {
        refusal::startable(root, &document, rehearsal)?;
    }
    let workflow = document.workflow();
    let config = Config::load(root)?;
    let limits_of_file = config.limits_of(workflow, rehearsal);
    let rules = GateRules {
        policy: &config.policy,
        limits: &limits_of_file,
    };
    let hand = Hand {
        name: &request.by,
        key_name: None,
        key: request.key.as_deref(),
        unseen: false,
    };
    let gone_on = match &request.continues {
        Some(go_on) => Some((go_on, earlier::earlier(store, root, go_on, workflow, rules, hand)?)),
        None => None,
    };
    // A scenario says what a step comes to that runs a workflow, and a run that goes on was begun with answers.
    let asks_for_all = request.parent.is_none() && request.continues.is_none() && request.scenario.is_none();
    let asked = match asks_for_all {
        true => listed::asked(root, &document),
        false => workflow.questions.clone(),
    };
    let inputs = answers(workflow, &asked, &request.inputs)?;
    source::resolved(workflow, &config.folders, &inputs).map_err(unusable)?;
    source::asks_in_full(workflow, &inputs).map_err(unusable)?;
    if asks_for_all && !request.despite_errors {
        each_inside_begins(root, &document, &config, &inputs)?;
    }
    // A run inside another one is told what was said of others too, and a mended workflow may have lost a step.
    if request.parent.is_none() && request.continues.is_none() {
        let subject = request.subject.as_deref();
        entered::allowed(&config.around.guardrails, workflow, &inputs, subject, &request.assigned)?;
        given::known(root, &request.path, workflow, &request.assigned)?;
    }
    // What is said of a step inside says nothing of an agent of the same name here.
    let own = inside::own(workflow, &request.assigned);
    let mut engines = config.engines(workflow, &own);
    if rehearsal {
        engines.values_mut().for_each(|engine| *engine = EngineInfo::stub());
    }
    let (scenario, script_begins_at) = match &request.scenario {
        Some(source) => scripted(store, workflow, source)?,
        None => (None, None),
    };
    let nobody = unbound(
        &request.path,
        workflow,
        Start {
            root,
            config: &config,
            assigned: &request.assigned,
            prompted: request.prompted,
        },
    );
    if !rehearsal && !nobody.is_empty() {
        return Err(Error::Unbound(nobody));
    }
    let policy = permits::policy(&config.permissions, &config.pass, &request.path);
    let only_read = match rehearsal {
        true => None,
        false => {
            let starts = !request.prompted
                && (engine::doer::may_start_programs(workflow, &engines)
                    || config.choosing_of(workflow).navigator.is_some());
            Some(only_read(root, &config, &policy, &request.path, starts)?)
        }
    };
    // What is rehearsed or asked of a person runs nothing, so it needs no permission.
    let permissions = if rehearsal || request.prompted || request.permit {
        BTreeMap::new()
    } else {
        let verdicts = permits::verdicts(workflow, &own, &policy, &options.granted);
        permits::asked(&permits::asking_first(&request.path, verdicts))
    };
    let instructions = match document.behind() {
        Some((path, text)) => Some(FileRef {
            path: path.to_owned(),
            source: store.put_blob(text.as_bytes())?,
        }),
        None => None,
    };
    let settings = kept_config(store, root, workflow, &config)?;
    let run = request.run_id.clone().unwrap_or_else(|| RunId::from(clock::new_id()));
    let choosing = config.choosing_of(workflow);
    let mut limits = limits_of_file;
    let mut policy_of_gates = config.policy.clone();
    if let Some(around) = request.around.as_deref() {
        // What asks people in it is settled with the run around it, whatever the settings have become.
        policy_of_gates.clone_from(&around.policy);
        limits.conditional_required = around.limits.conditional_required;
        limits.recommended_required = around.limits.recommended_required;
    }
    // Going on with a run is no way around what was to hold in it.
    let earlier = gone_on.as_ref().map(|(_, earlier)| &earlier.continued.created);
    policy_of_gates.four_eyes |= earlier.is_some_and(|created| created.policy.four_eyes);
    let key = request.key.clone();
    let created = RunCreated {
        version: EVENT_VERSION,
        run_id: run.clone(),
        workflow: workflow.id.clone(),
        flows: keys(workflow),
        title: workflow.title.clone(),
        format: workflow.format,
        path: request.path.clone(),
        source: store.put_blob(text.as_bytes())?,
        instructions,
        initiator: request.initiator.clone(),
        by: request.by.clone(),
        begun_with: key.filter(|_| policy_of_gates.four_eyes && !rehearsal),
        hands: request.hands.clone(),
        subject: subject::of_start(request.subject.as_deref(), workflow, &request.inputs),
        inputs,
        engines,
        scenario,
        rehearsal,
        limits,
        policy: policy_of_gates,
        folders: if rehearsal {
            own_outputs(config.folders)
        } else {
            config.folders
        },
        config: settings,
        global_context: raised::context_of(config.around.global.as_ref(), workflow),
        kind: workflow.kind.clone(),
        parent: request.parent.clone(),
        prompted: request.prompted,
        permitted: request.permit,
        choosing,
        assigned: request.assigned.clone(),
        permissions,
        only_read,
        listed: listed::texts(root, &document, request.around.as_deref()),
        changed_since: request.changed_since,
        begins_at: request.begins_at.clone().or(script_begins_at),
        imported: None,
        continues: gone_on.as_ref().map(|(_, earlier)| Arc::clone(&earlier.continued)),
    };
    // Of a run inside another one its step asks.
    if !rehearsal
        && request.parent.is_none()
        && !request.despite_errors
        && let Some(why) = listed::taken(store, root, &document, &created)?
    {
        return Err(unusable(why));
    }
    recorded(store, options, request, workflow, created, gone_on.as_ref())?;
    tracing::info!(%run, workflow = %workflow.id, "run created");
    Ok(run)
}

/// A run's scenario, kept with it, and the step at which that begins.
fn scripted(
    store: &Store,
    workflow: &Workflow,
    source: &ScenarioSource,
) -> Result<(Option<ScenarioRef>, Option<StepId>), Error> {
    let script = Scenario::parse(Path::new(&source.path), &source.text)?;
    if let Some(stranger) = script.strangers(workflow).into_iter().next() {
        return Err(FileFault::new(&source.path, stranger)
            .hint("Mend the name, or choose a scenario that was written for this workflow.")
            .into());
    }
    let kept = ScenarioRef {
        name: script.name,
        source: store.put_blob(source.text.as_bytes())?,
    };
    Ok((Some(kept), script.from))
}

/// What the programs of a run cannot change. `starts`: it may start some.
///
/// # Errors
/// The project demands what this machine cannot hold.
fn only_read(
    root: &Path,
    config: &Config,
    policy: &permission::Policy,
    path: &str,
    starts: bool,
) -> Result<Vec<String>, Error> {
    let kept = kept::kept(root, policy, config.bounds, path);
    if config.enforced {
        kept::demanded(&kept)?;
    }
    // What starts no program needs none to be kept from anything.
    Ok(if starts { kept.only_read } else { Vec::new() })
}

/// Writes how a run begins into the history, with what it goes on from.
fn recorded(
    store: &Store,
    options: &Options,
    request: &StartRequest,
    workflow: &Workflow,
    created: RunCreated,
    gone_on: Option<&(&GoOn, Earlier)>,
) -> Result<(), Error> {
    let at = clock::now();
    let run = created.run_id.clone();
    let created = Arc::new(created);
    let parent = request.parent.as_ref().map(|parent| &parent.run);
    let began = |events: &[_]| {
        if let (Some(owner), Ok(head)) = (&options.owner, chained(Head::first(&run), events)) {
            owner.began(&run, head, parent, request.permit);
        }
    };
    let mut batch = Vec::new();
    Live::new(run.clone()).commit(store, &[], |state| {
        // Another program began the same run meanwhile.
        if state.seq > 0 {
            return Err(store::Error::Conflict {
                run: run.clone(),
                expected: 0,
                actual: state.seq,
            }
            .into());
        }
        let intent = Intent::Create(Arc::clone(&created));
        let mut first = Batch::on(state);
        first.add(at, decide(workflow, state, &Command { at, intent })?);
        if let Some((go_on, earlier)) = gone_on {
            first.carry(earlier.events.iter().cloned());
            for intent in onwards(go_on, earlier, first.state()) {
                first.add(at, decide(workflow, first.state(), &Command { at, intent })?);
            }
        }
        // Before it is there: whoever dies in between has begun it all the same. What cannot be written is refused below.
        began(first.events());
        batch = first.events().to_vec();
        Ok::<_, Error>(first)
    })?;
    // Another program that began the same run meanwhile was refused.
    began(&batch);
    Ok(())
}

/// Takes a session in as a run: one event, and nothing to be carried out.
pub(super) fn import(store: &Store, options: &Options, request: &ImportRequest) -> Result<RunId, Error> {
    let (run, at) = (RunId::from(clock::new_id()), imported::now());
    let (created, blobs) = imported::created(request, &run, at).map_err(|why| Error::Workflow {
        path: request.path.clone(),
        reason: match why {
            NotTaken::NoSession => "it is no session".to_owned(),
            NotTaken::Broken(one) => one.message,
            NotTaken::Nothing => "nothing of it keeps the schema of sessions".to_owned(),
        },
    })?;
    let workflow = Workflow::new(
        created.workflow.clone(),
        created.title.clone(),
        created.format,
        Vec::new(),
    );
    let created = Arc::new(created);
    Live::new(run.clone()).commit(store, &blobs, |state| {
        let intent = Intent::Create(Arc::clone(&created));
        let mut batch = Batch::on(state);
        batch.add(at, decide(&workflow, state, &Command { at, intent })?);
        if let (Some(owner), Ok(head)) = (&options.owner, chained(Head::first(&run), batch.events())) {
            owner.began(&run, head, None, false);
        }
        Ok::<_, Error>(batch)
    })?;
    tracing::info!(%run, "session taken in");
    Ok(run)
}

/// What takes up the run that another one has become: it is opened again; or, in the middle of it, what was under way then is cut off, and it goes on
/// also where it had been set aside; and what its log says of other logs of that run is said in this one too.
fn onwards(go_on: &GoOn, earlier: &Earlier, state: &RunState) -> Vec<Intent> {
    let by = go_on.by.clone();
    match &go_on.at {
        Point::End(from) => {
            let at = from.iter().chain(&earlier.new_step);
            vec![Intent::Reopen {
                by,
                choices: at.map(|step| (step.clone(), Choice::Retry)).collect(),
            }]
        }
        Point::Import(_) => earlier
            .taken
            .as_ref()
            .map(|taken| Intent::TakeOver(Arc::clone(taken)))
            .into_iter()
            .collect(),
        Point::Checkpoint { .. } => {
            let under_way = state.cursors().filter_map(|cursor| match cursor {
                Cursor::Running { instance, attempt } => Some(Intent::Interrupt {
                    instance: instance.clone(),
                    attempt: *attempt,
                    reason: "it was under way at the moment that was gone back to".to_owned(),
                    let_go: true,
                    seen: None,
                }),
                _ => None,
            });
            let set_aside = state.paused.then_some(Intent::Resume { by, given: None });
            let other_logs = earlier.other_logs.iter().cloned().map(Intent::AnotherLog);
            under_way.chain(set_aside).chain(other_logs).collect()
        }
    }
}

/// The folders of a rehearsal: what it makes lies in its own folder, so that it does not take the place of what was
/// really made.
fn own_outputs(mut folders: BTreeMap<String, String>) -> BTreeMap<String, String> {
    for name in ["output_folder", "bmb_creations_output_folder"] {
        if let Some(folder) = folders.get_mut(name) {
            *folder = format!("{RUN_BASE}/{folder}");
        }
    }
    folders
}

/// The project's configuration, kept with a run around whose steps something of it is done.
fn kept_config(store: &Store, root: &Path, workflow: &Workflow, config: &Config) -> Result<Option<Digest>, Error> {
    if !workflow.contract().lifecycle && !attempt::is_asked_for(workflow, &config.around) {
        return Ok(None);
    }
    match Config::text(root) {
        Ok(text) => Ok(Some(store.put_blob(text.as_bytes())?)),
        // There is none, or it went away a moment ago: then its defaults were read.
        Err(_) => Ok(None),
    }
}

/// What the run is given: the answers, and of questions left open what the author offers. `asked`: with what the workflows inside ask.
fn answers(workflow: &Workflow, asked: &[Question], given: &Fields) -> Result<Fields, Error> {
    let mut inputs = given.clone();
    let mut faults = Vec::new();
    for question in asked {
        let open = inputs.get(&question.name).is_none_or(Value::is_null);
        if let Some(offered) = question.default.as_ref().filter(|_| open) {
            // A run inside takes what its own author offers.
            if !workflow.questions.contains(question) {
                continue;
            }
            inputs.insert(question.name.clone(), offered.clone());
        }
        let answer = inputs.get(&question.name).unwrap_or(&Value::Null);
        faults.extend(question.fault(answer).map(|why| (question.name.clone(), why)));
    }
    faults.extend(source::led_out(workflow, &inputs));
    if faults.is_empty() {
        Ok(inputs)
    } else {
        Err(Error::Answers { faults })
    }
}

/// Whether each workflow inside could begin with what its run would be given: what could only fail is not begun.
fn each_inside_begins(root: &Path, document: &Document, config: &Config, inputs: &Fields) -> Result<(), Error> {
    listed::each(root, document, inputs, |listed, given| {
        let workflow = listed.workflow();
        let inputs = answers(workflow, &workflow.questions, given)?;
        // Those of the BMAD method are told as they are written, and read with their instructions.
        if !workflow.verbatim {
            let unusable = |reason| Error::Workflow {
                path: listed.path().to_owned(),
                reason,
            };
            source::resolved(workflow, &config.folders, &inputs).map_err(unusable)?;
            source::asks_in_full(workflow, &inputs).map_err(unusable)?;
        }
        Ok(inputs)
    })
}
