//! Recorded StepSpec runs: `text_rules.json` (what the seed demands), `engine.json` (longer runs of the origin), `tools.json` (the calls
//! of one step). Each is a workflow in a project of its own, carried out by the driver with a script for every attempt.

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use super::stepspec::{text, texts};
use super::stepspec_project::{Play, Script};
use engine::ToolStatus;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// `text_rules.json`.
pub fn text_rule(context: &Context, case: &Case) -> Result<(), Fault> {
    let specs = case.get("step_specs").as_array().cloned().unwrap_or_default();
    let config = case.get("config");
    let scripts = specs.iter().map(|spec| {
        let id = spec["id"].as_str().unwrap_or_default();
        let script = script(spec, config, texts(&case.get("outcomes")[id]));
        (id.to_owned(), script)
    });
    let play = Play::new(
        context,
        text(&json!({"workflow": "w"}), &specs),
        config,
        &scripts.collect(),
    )?;
    play.drive()?;
    let mut approvals = texts(case.get("approvals")).len();
    while approvals > 0 && play.approve()? {
        approvals -= 1;
        play.drive()?;
    }
    // Recorded is the state after the run was taken up again.
    if case.expected("run_status") == "completed" && play.status()? == "failed" {
        play.reopen()?;
        play.drive()?;
    }
    same("the run's status", case.expected("run_status"), &json!(play.status()?))?;
    let steps = play.steps()?;
    statuses(case.expected("step_status"), &steps)?;
    if let Some(attempts) = case.expected("attempts").as_array() {
        let answered: Vec<u32> = steps.iter().map(|(_, attempts)| *attempts).collect();
        same("attempts", &json!(attempts), &json!(answered))?;
    }
    let events = play.events()?;
    in_order(&texts(case.expected("events_in_order")), &events)?;
    if specs
        .iter()
        .any(|spec| !spec["evidence"].as_str().unwrap_or_default().is_empty())
    {
        evidence(&play)?;
    }
    once(case, &events)
}

/// What is completed is carried out once, over both runs.
fn once(case: &Case, events: &[Value]) -> Result<(), Fault> {
    for spec in case.get("step_specs").as_array().into_iter().flatten() {
        let completed = events
            .iter()
            .filter(|event| event["type"] == "WorkflowStepCompleted" && event["payload"]["step_id"] == spec["id"]);
        let times = completed.count();
        if times > 1 {
            return Err(Fault::differs(format!("{} was completed {times} times", spec["id"])));
        }
    }
    Ok(())
}

/// At least one record, each with the seed's ten fields.
fn evidence(play: &Play<'_>) -> Result<(), Fault> {
    let file = play.file("evidence.json")?;
    let records = file
        .as_array()
        .or_else(|| file["evidence"].as_array())
        .or_else(|| file["records"].as_array());
    let records = records.ok_or_else(|| Fault::differs(format!("evidence.json holds no list of records: {file}")))?;
    if records.is_empty() {
        return Err(Fault::differs("evidence.json holds no record"));
    }
    for record in records {
        let errors = engine::evidence::schema_errors(record);
        if !errors.is_empty() {
            return Err(Fault::differs(format!(
                "a record of evidence.json lacks something: {errors:?}"
            )));
        }
    }
    Ok(())
}

/// `engine.json`: the run after every order. An approval is only noted in the origin, and the run stays blocked until it is resumed; here it
/// goes on as soon as somebody drives it, so that what is compared after an approval is that nothing has been carried out yet.
pub fn engine_run(context: &Context, case: &Case) -> Result<(), Fault> {
    let after = case.expected("after").as_array().cloned().unwrap_or_default();
    let mut config = case.get("config").clone();
    if config.get("automation").is_some_and(|a| a["override"] != true) {
        return Err(Fault::NotImplemented(
            "no phase is kept from running by itself: each gate says when a person is asked",
        ));
    }
    declare(&mut config, case.get("registry"));
    let (workflow, scripts) = recorded_workflow(case, &config, &after);
    let play = Play::new(context, workflow, &config, &scripts)?;
    let either = case.get("text_expected");
    let every = compares(case, "after[*].status");
    for (n, recorded) in after.iter().enumerate() {
        let last = n + 1 == after.len();
        match recorded["op"][0].as_str() {
            Some("run" | "resume") => play.drive()?,
            Some("approve") => {
                let asked = play.gate()?;
                let wanted = recorded["op"][1].as_str().map(str::to_owned);
                if wanted.is_some() && wanted != asked {
                    same("the gate", &json!(wanted), &json!(asked))?;
                }
                let before = carried_out(&play)?;
                if !play.approve()? {
                    return Err(Fault::differs("nothing waits for an approval"));
                }
                if !play.is_due()? || carried_out(&play)? != before {
                    return Err(Fault::differs("an approval did more than let the run go on"));
                }
                continue;
            }
            _ => return Err(Fault::NotImplemented("this order is not known to the adapter")),
        }
        if every || last {
            same("the run's status", &recorded["status"], &json!(play.status()?))?;
        }
        if every && recorded["status"] == "blocked" && carried_out(&play)? > 0 {
            return Err(Fault::differs("something was carried out in front of a gate"));
        }
    }
    let Some(recorded) = after.last() else { return Ok(()) };
    let steps = play.steps()?;
    if either.is_object() {
        same("the run's status", &either["final"], &json!(play.status()?))?;
        return statuses(&either["steps"], &steps);
    }
    let recorded = recorded["steps"].as_array().cloned().unwrap_or_default();
    if compares(case, "steps[].status") {
        let words: Vec<&Value> = recorded.iter().map(|step| &step["status"]).collect();
        statuses(&json!(words), &steps)?;
    }
    if compares(case, "steps[].attempts") {
        let words: Vec<&Value> = recorded.iter().map(|step| &step["attempts"]).collect();
        let answered: Vec<u32> = steps.iter().map(|(_, attempts)| *attempts).collect();
        same("attempts", &json!(words), &json!(answered))?;
    }
    play.events().map(drop)
}

/// How many attempts have come to an end in which the work could have begun.
fn carried_out(play: &Play<'_>) -> Result<usize, Fault> {
    let state = play.state()?;
    let attempts = state.steps.values().flat_map(|s| &s.visits).flat_map(|v| &v.attempts);
    let ended = attempts.filter_map(|attempt| attempt.result.as_ref());
    Ok(ended
        .filter(|result| result.status != engine::ExecutionStatus::Blocked)
        .count())
}

/// The workflow of a case, and what its first order scripts.
fn recorded_workflow(case: &Case, config: &Value, after: &[Value]) -> (String, BTreeMap<String, Script>) {
    let top = case.get("workflow");
    let mut specs = case.get("step_specs").as_array().cloned().unwrap_or_default();
    if specs.is_empty() {
        specs.push(json!({"id": "execute", "name": "execute"}));
    }
    for (n, spec) in specs.iter_mut().enumerate() {
        // The origin has one gate a run, before its first step.
        if let Some(spec) = spec.as_object_mut() {
            let gate = if n == 0 {
                top["human"].clone()
            } else {
                json!("optional")
            };
            spec.insert("human_gate".to_owned(), gate);
        }
    }
    let said = |spec: &Value| {
        let name = spec["name"].as_str().unwrap_or_default();
        let outcomes = after.iter().flat_map(|after| texts(&after["op"][1]["steps"][name]));
        let mut script = script(spec, config, outcomes.collect());
        for after in after {
            script
                .tools
                .extend(after["op"][1]["tools"].as_object().cloned().unwrap_or_default());
        }
        (spec["id"].as_str().unwrap_or_default().to_owned(), script)
    };
    let scripts = specs.iter().map(said).collect();
    let file = json!({"workflow": top["workflow"], "module": top["module"], "phase": top["phase"]});
    (text(&file, &specs), scripts)
}

fn script(spec: &Value, config: &Value, outcomes: Vec<String>) -> Script {
    let extra = spec["retries"]["max"]
        .as_u64()
        .or(config["runtime"]["max_retries"].as_u64());
    Script {
        outcomes,
        attempts: usize::try_from(extra.unwrap_or(0)).unwrap_or(0) + 1,
        outputs: texts(&spec["outputs"]),
        tools: Map::new(),
    }
}

/// Tools of the case that the product has not got itself, as a project would declare them.
fn declare(config: &mut Value, registry: &Value) {
    let own = ["getCurrentTime", "readTextFile", "writeTextFile"];
    let declared: Vec<Value> = registry
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !own.contains(&name.as_str()))
        .map(|(name, tool)| json!({"name": name, "risk": tool["risk"], "command": "true"}))
        .collect();
    if config.is_null() {
        *config = json!({});
    }
    let mut tools = config["tools"].as_object().cloned().unwrap_or_default();
    tools.insert("declared".to_owned(), json!(declared));
    config["tools"] = Value::Object(tools);
}

/// `tools.json`: what became of each call of one step, and what stopped it.
pub fn tools(context: &Context, case: &Case) -> Result<(), Fault> {
    let mut config = json!({"tools": case.get("tools_config")});
    declare(&mut config, case.get("registry"));
    let spec = json!({
        "id": "step-1", "name": "a", "tools": case.get("tools"), "outputs": [], "human_gate": "none", "retries": {"max": 0},
    });
    let mut script = script(&spec, &config, Vec::new());
    script.tools = case.get("tool_outcomes").as_object().cloned().unwrap_or_default();
    let scripts = BTreeMap::from([("step-1".to_owned(), script)]);
    let play = Play::new(context, text(&json!({"workflow": "w"}), &[spec]), &config, &scripts)?;
    play.drive()?;
    let approvals = texts(case.get("approvals"));
    while let Some(asked) = play.gate()?.filter(|gate| approvals.contains(gate)) {
        play.approve()?;
        play.drive()?;
        if play.gate()?.as_ref() == Some(&asked) {
            return Err(Fault::differs(format!("{asked} is asked again after its approval")));
        }
    }
    let (result, held) = play.last_result("step-1")?;
    let results: Vec<Value> = held
        .calls
        .iter()
        .map(|call| json!({"name": call.name, "status": call.status, "risk": call.risk, "error": call.error}))
        .collect();
    let raised = match (&held.asks, held.calls.last()) {
        (Some(ask), _) => json!({"kind": "approval_required", "gate": ask.gate, "tool": ask.tool}),
        (None, Some(call))
            if call.status != ToolStatus::Completed && result.status == engine::ExecutionStatus::Failed =>
        {
            json!({"kind": "tool_error", "message": result.error})
        }
        _ => Value::Null,
    };
    same(
        "it",
        case.get("expected"),
        &json!({"results": results, "raised": raised}),
    )
}

fn compares(case: &Case, what: &str) -> bool {
    let list = texts(case.get("compare"));
    list.is_empty() || list.iter().any(|said| said == what)
}

/// Statuses of steps, of which each may be one of several.
fn statuses(recorded: &Value, steps: &[(&str, u32)]) -> Result<(), Fault> {
    let recorded = texts(recorded);
    let fits = recorded.len() == steps.len()
        && recorded
            .iter()
            .zip(steps)
            .all(|(words, (word, _))| words.split('|').any(|w| w == *word));
    let answered: Vec<&str> = steps.iter().map(|(word, _)| *word).collect();
    if fits {
        return Ok(());
    }
    Err(Fault::differs(format!(
        "the steps are {answered:?}, recorded is {recorded:?}"
    )))
}

/// These events occur in this order; others may stand between.
fn in_order(wanted: &[String], events: &[Value]) -> Result<(), Fault> {
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    let mut rest = kinds.iter();
    for kind in wanted {
        if !rest.any(|found| found == kind) {
            return Err(Fault::differs(format!("{kind} is not where it should be in {kinds:?}")));
        }
    }
    Ok(())
}
