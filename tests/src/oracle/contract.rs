//! What the contract demands of its files: receipts, transcripts, event streams, results, and whole recorded runs.

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use serde_json::{Value, json};
use store::contract::{
    event_stream, events_file, paths, receipt as receipts, run_folder, step_result as results, transcript,
};

/// `event_streams.json`: valid or not by the seed's sequencing rules.
pub fn event_stream(_: &Context, case: &Case) -> Result<(), Fault> {
    let events = case.get("events").as_array().cloned().unwrap_or_default();
    let violations = event_stream::check(&events);
    let answered = event_stream::is_valid(&violations);
    same("valid", case.expected("valid"), &json!(answered)).map_err(|fault| match fault {
        Fault::Differs(how) => Fault::Differs(format!("{how} ({violations:?})")),
        other => other,
    })
}

/// `events_jsonl.json`: readable events and bad lines of a raw file.
pub fn events_file(_: &Context, case: &Case) -> Result<(), Fault> {
    let file = events_file::read(case.text("text").as_bytes());
    same("events", case.expected("events"), &json!(file.events.len()))?;
    same("errors", case.expected("errors"), &json!(file.bad.len()))
}

/// `receipts.json`: which fields break the schema.
pub fn receipt(_: &Context, case: &Case) -> Result<(), Fault> {
    let broken = receipts::check(case.get("receipt"));
    same("valid", case.expected("valid"), &json!(broken.is_empty()))?;
    let mut recorded: Vec<&str> = texts(case.expected("fields"));
    recorded.sort_unstable();
    same("fields", &json!(recorded), &json!(broken))
}

/// `receipt_paths.json`: where receipts and transcripts stand.
pub fn receipt_path(_: &Context, case: &Case) -> Result<(), Fault> {
    let (flow, step, agent) = (case.text("flow_key"), case.text("step_id"), case.text("agent_key"));
    same(
        "receipt",
        case.expected("receipt"),
        &json!(paths::receipt(flow, step, agent)),
    )?;
    let transcript = paths::transcript(flow, step, agent, case.text("engine"));
    same("transcript", case.expected("transcript"), &json!(transcript))
}

/// `step_results.json`: the guarantees of a result. `output_repeat: [text, n]` stands for a long output.
pub fn step_result(_: &Context, case: &Case) -> Result<(), Fault> {
    let mut result = case.get("result").clone();
    if let Some((text, times)) = repeated(&result["output_repeat"]) {
        result["output"] = json!(text.repeat(times));
    }
    let broken = results::check(&result, case.text("context_step_id"));
    same("valid", case.expected("valid"), &json!(broken.is_empty()))?;
    let recorded = texts(case.expected("violations"));
    same("violations", &json!(recorded), &json!(broken))?;
    let Some(output) = result["output"].as_str().filter(|_| broken == ["output"]) else {
        return Ok(());
    };
    // What the product makes of such an output fits, and is its longest such beginning.
    let cut = results::cut(output, results::OUTPUT_LIMIT);
    let next = output[cut.len()..].chars().next().map_or(0, char::len_utf8);
    if output.starts_with(cut) && cut.len() < results::OUTPUT_LIMIT && cut.len() + next >= results::OUTPUT_LIMIT {
        return Ok(());
    }
    Err(Fault::differs(format!("the output was cut to {} bytes", cut.len())))
}

fn repeated(written: &Value) -> Option<(&str, usize)> {
    let parts = written.as_array()?;
    let times = usize::try_from(parts.get(1)?.as_u64()?).ok()?;
    Some((parts.first()?.as_str()?, times))
}

/// `transcript_lines.json`: single lines.
pub fn transcript_line(_: &Context, case: &Case) -> Result<(), Fault> {
    let broken = transcript::check(case.text("line"));
    same("valid", case.expected("valid"), &json!(broken.is_empty()))
}

/// `real_run_invariants.json`: a recorded run's directory, read by the product; every figure is computed again. What the
/// origin's own checker found is not ours to reproduce.
pub fn real_run(context: &Context, case: &Case) -> Result<(), Fault> {
    let folder = context.folder.join("runs").join(&case.id);
    if !folder.is_dir() {
        return Err(Fault::differs(format!("{} is not there", folder.display())));
    }
    let read = run_folder::RunFolder::read(&folder).map_err(|e| Fault::differs(e.to_string()))?;
    let answered = read.summary();
    let recorded = case.body.as_object().into_iter().flatten();
    for (field, expected) in recorded {
        if field == "id" || field.starts_with("origin_validator") {
            continue;
        }
        let answer = answered.get(field).unwrap_or(&Value::Null);
        match (expected.as_object(), answer.as_object()) {
            (Some(parts), Some(answers)) => {
                for (name, part) in parts {
                    same(
                        &format!("{field}.{name}"),
                        part,
                        answers.get(name).unwrap_or(&Value::Null),
                    )?;
                }
                same(
                    &format!("number of {field}"),
                    &json!(parts.len()),
                    &json!(answers.len()),
                )?;
            }
            _ => same(field, expected, answer)?,
        }
    }
    Ok(())
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}
