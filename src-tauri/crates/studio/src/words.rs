//! Plain words for steps, statuses, durations and values.

use crate::gate::asking;
use crate::run::view::{ContinuesView, OutcomeView};
use crate::run::{log, transitions};
use crate::view::{FieldView, Status, StepRef};
use engine::{
    Continued, EndStatus, EngineInfo, Imported, Outcome, Refused, RunCreated, RunState, RunStatus, StepStatus,
};
use model::{Feedback, Step, StepId, Workflow};
use serde_json::Value;

/// That a run goes on from another.
pub fn continues(earlier: &Continued) -> ContinuesView {
    let (run_id, events) = (earlier.run().to_string(), earlier.events);
    let words = match &earlier.back_to {
        None if earlier.created.imported.is_some() => format!(
            "It goes on from the imported session {run_id}. What that says was completed elsewhere was not done again, and nothing of it was done here."
        ),
        None => format!(
            "It goes on from run {run_id} with the file as it was mended since. Events 2 to {events} were recorded there, with the file as it was then; \
             what is completed in them was not done again."
        ),
        Some(checkpoint) => {
            let files = match earlier.put_back.len() {
                0 => "The project’s files stayed as they were.".to_owned(),
                n => format!(
                    "{} of the project put back to what {} then.",
                    count(n, "file was", "files were"),
                    if n == 1 { "it was" } else { "they were" }
                ),
            };
            format!(
                "It goes back to “{}” of run {run_id}. Events 2 to {events} were recorded there; what is completed in them was not done again. {files}",
                log::visible(checkpoint)
            )
        }
    };
    ContinuesView {
        words,
        checkpoint: earlier.back_to.clone(),
        run_id,
        events,
    }
}

/// That a rehearsal began in the middle.
pub fn begins(created: &RunCreated, workflow: &Workflow) -> Option<String> {
    let at = created.begins_at.as_ref()?;
    let name = workflow.step(at).map_or(at.as_str(), |step| step.name.as_str());
    Some(format!(
        "The rehearsal began at “{}”: what does not follow it was not rehearsed.",
        log::visible(name)
    ))
}

/// That a run is a session of elsewhere.
pub fn imported(imported: &Imported) -> String {
    let breaks = match imported.breaks {
        0 => String::new(),
        1 => " It breaks the schema of sessions in one place, which its page lists.".to_owned(),
        n => format!(" It breaks the schema of sessions in {n} places, which its page lists."),
    };
    format!(
        "Imported: nothing of it was executed here, and nobody signed it here. What it says is the claim of whoever wrote it, and counts for nothing until it is done here.{breaks}"
    )
}

/// What reading scripts alone keeps, as one sentence; nothing where the kernel holds all.
pub fn only_read(what: &[String]) -> Option<String> {
    match what.is_empty() {
        true => None,
        false => Some(format!(
            "Only read in scripts, not enforced by the kernel: {}.",
            crate::run::log::visible(&what.join(", "))
        )),
    }
}

/// A step as a reference; one that the workflow does not know keeps its id as its name.
pub fn step_ref(workflow: &Workflow, id: &StepId) -> StepRef {
    match workflow.step(id) {
        Some(step) => of_step(step),
        None => StepRef {
            id: id.to_string(),
            number: "?".into(),
            name: id.to_string(),
        },
    }
}

/// What a step is for as sanitised HTML, where the format is Markdown.
pub fn intent_html(workflow: &Workflow, step: &Step) -> Option<String> {
    let intent = step
        .intent
        .as_deref()
        .filter(|_| workflow.contract().prose == model::Prose::Markdown)?;
    Some(crate::text::artifact::markdown(intent))
}

/// The same from the step itself.
pub fn of_step(step: &Step) -> StepRef {
    StepRef {
        id: step.id.to_string(),
        number: step.number.clone(),
        name: crate::run::log::visible(&step.name),
    }
}

/// `4 Publish`; a step without a number by its name alone.
pub fn numbered(step: &Step) -> String {
    match step.number.as_str() {
        "" => step.name.clone(),
        number => format!("{number} {}", step.name),
    }
}

/// The product's one status list.
pub fn step_status(status: StepStatus) -> Status {
    match status {
        StepStatus::NotStarted => Status::NotStarted,
        StepStatus::Queued => Status::Queued,
        StepStatus::Running => Status::Running,
        StepStatus::Retrying => Status::Waiting,
        StepStatus::Blocked => Status::Blocked,
        StepStatus::Succeeded => Status::Done,
        StepStatus::Failed => Status::Failed,
        StepStatus::Refused => Status::Refused,
        StepStatus::Skipped => Status::Skipped,
        StepStatus::Interrupted => Status::Aborted,
    }
}

/// The run's status.
pub fn run_status(state: &RunState) -> Status {
    match state.outcome() {
        Some(outcome) => outcome_status(outcome),
        None => match state.status {
            RunStatus::New => Status::NotStarted,
            RunStatus::Blocked => Status::Blocked,
            RunStatus::Paused => Status::Paused,
            RunStatus::Imported => Status::Imported,
            RunStatus::Running | RunStatus::Ended(_) => Status::Running,
        },
    }
}

fn outcome_status(outcome: Outcome<'_>) -> Status {
    match outcome {
        Outcome::Done => Status::Done,
        Outcome::Refused(_) => Status::Refused,
        Outcome::Failed => Status::Failed,
        Outcome::Stopped => Status::Stopped,
        Outcome::Aborted => Status::Aborted,
        Outcome::CompletedWithFailures => Status::Partly,
    }
}

/// How a run ended, in a few words; of a refused one these are `refused`.
pub fn end(end: EndStatus) -> &'static str {
    match end {
        EndStatus::Succeeded => "done",
        EndStatus::Failed => "failed",
        EndStatus::Aborted => "stopped",
        EndStatus::CompletedWithFailures => "completed with failures",
        EndStatus::Stopped => "stopped: no way led on",
    }
}

/// What a run came to; `None` while it has not ended.
pub fn outcome(workflow: &Workflow, state: &RunState) -> Option<OutcomeView> {
    let outcome = state.outcome()?;
    Some(match outcome {
        Outcome::Refused(refused) => self::refused(workflow, &refused),
        other => OutcomeView {
            words: run_status_words(workflow, state),
            ..ended_as(outcome_status(other), "")
        },
    })
}

/// An end of which there is nothing to say but how.
pub fn ended_as(kind: Status, words: &str) -> OutcomeView {
    OutcomeView {
        kind,
        words: words.to_owned(),
        by: None,
        step: None,
        comment: None,
        at: None,
    }
}

/// Who decided. A name that a scenario gives is nobody's own: it says so wherever it stands.
pub fn decider(decision: &engine::Decision) -> String {
    let by = crate::run::log::visible(decision.by.trim());
    match decision.via == "scenario" {
        true => format!("{by} (by the script)"),
        false => by,
    }
}

/// A refusal: by whom, of what, in what words.
pub fn refused(workflow: &Workflow, refused: &Refused<'_>) -> OutcomeView {
    let at = asking::step_of(workflow, &refused.opened.instance);
    let (by, comment) = (decider(refused.decision), refused.decision.comment.trim());
    OutcomeView {
        kind: Status::Refused,
        words: match brief(comment) {
            said if said.is_empty() => format!("refused by {by} at {at}"),
            said => format!("refused by {by} at {at}: {said}"),
        },
        by: Some(by),
        step: Some(step_ref(workflow, &refused.opened.instance.step)),
        comment: Some(crate::run::log::visible_text(comment)).filter(|c| !c.is_empty()),
        at: Some(refused.at.0),
    }
}

/// `Ada Lund: Not this quarter`
pub fn said_by(refused: &Refused<'_>) -> String {
    let by = decider(refused.decision);
    match brief(refused.decision.comment.trim()) {
        said if said.is_empty() => by,
        said => format!("{by}: {said}"),
    }
}

/// The first line of what somebody said, as long as a line of a list can be.
fn brief(text: &str) -> String {
    const LONGEST: usize = 160;
    let line = crate::run::log::visible(text.lines().next().unwrap_or_default().trim());
    let cut: String = line.chars().take(LONGEST).collect();
    let more = cut.len() < line.len() || text.lines().nth(1).is_some();
    if more { format!("{} …", cut.trim_end()) } else { cut }
}

/// What is said of a session that was taken in.
pub const IMPORTED: &str = "imported: not executed here";

/// What is said of a run that has not ended and that nobody carries on.
pub const LEFT_OPEN: &str = "left open: nobody carries it on";

/// The run's status in words: `waits for a decision at “Approve the plan”`.
pub fn run_status_words(workflow: &Workflow, state: &RunState) -> String {
    if let Some(Outcome::Refused(refused)) = state.outcome() {
        return self::refused(workflow, &refused).words;
    }
    if let Some(said) = transitions::ended(state) {
        return said;
    }
    let at = |instance| asking::step_of(workflow, instance);
    match state.status {
        RunStatus::New => "not started".into(),
        RunStatus::Paused => "paused".into(),
        RunStatus::Imported => IMPORTED.into(),
        RunStatus::Blocked if state.paused => match state.waiting() {
            Some(round) => format!("paused; {}", asking::status(workflow, &round.opened)),
            None => "paused".into(),
        },
        RunStatus::Blocked => match state.waiting() {
            Some(round) => asking::status(workflow, &round.opened),
            None => "waits".into(),
        },
        RunStatus::Running if state.has_stages() => stages_at_work(workflow, state),
        RunStatus::Running => match &state.cursor {
            engine::Cursor::Running { instance, .. } => format!("running {}", at(instance)),
            engine::Cursor::Retrying { instance, attempt, .. } => {
                format!("will try {} again (attempt {attempt})", at(instance))
            }
            engine::Cursor::AtJoin { fork } => branches_at_work(workflow, state, *fork),
            _ => "running".into(),
        },
        RunStatus::Ended(EndStatus::Stopped) => stopped(state.error.as_deref()),
        RunStatus::Ended(EndStatus::Aborted) => aborted(state.error.as_deref()),
        RunStatus::Ended(end) => self::end(end).into(),
    }
}

/// `2 of 4 branches have ended; running “Contract” and “Security”`
fn branches_at_work(workflow: &Workflow, state: &RunState, fork: u32) -> String {
    let at_work = state.cursors().filter_map(|cursor| match cursor {
        engine::Cursor::Running { instance, .. } | engine::Cursor::Retrying { instance, .. } => {
            Some(asking::step_of(workflow, instance))
        }
        _ => None,
    });
    let at_work: Vec<String> = at_work.collect();
    let so_far = state
        .forks
        .get(fork)
        .map_or_else(|| "running".to_owned(), branches_ended);
    match at_work.as_slice() {
        [] => so_far,
        [one] => format!("{so_far}; running {one}"),
        [one, two] => format!("{so_far}; running {one} and {two}"),
        more => format!("{so_far}; running {} steps", more.len()),
    }
}

/// `2 of 4 branches have ended`
pub fn branches_ended(fork: &engine::forks::Fork) -> String {
    let ended = fork.branches.iter().filter(|branch| branch.ended.is_some()).count();
    let have = if ended == 1 { "has" } else { "have" };
    format!("{ended} of {} branches {have} ended", fork.branches.len())
}

/// `stopped by Ada Lund: wrong month`
pub fn aborted(error: Option<&str>) -> String {
    match error.and_then(|error| error.strip_prefix("Aborted by ")) {
        Some(who) => format!("stopped by {}", brief(who)),
        None => end(EndStatus::Aborted).into(),
    }
}

/// `stopped: no way led on from “Test”: …`
pub fn stopped(error: Option<&str>) -> String {
    let Some(error) = error else {
        return end(EndStatus::Stopped).to_owned();
    };
    let mut rest = error.chars();
    let first = rest.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    crate::run::log::visible(&format!("stopped: {first}{}", rest.as_str()))
}

/// `running “Design”`, `running “Design” and “Docs”`, `running 7 stages`.
fn stages_at_work(workflow: &Workflow, state: &RunState) -> String {
    use engine::StepStatus::{Retrying, Running};
    let at_work = |step: &&Step| matches!(state.step_status(&step.id), Running | Retrying);
    let names: Vec<String> = workflow
        .steps()
        .iter()
        .filter(at_work)
        .map(|s| format!("“{}”", s.name))
        .collect();
    match names.as_slice() {
        [] => "running".to_owned(),
        [one] => format!("running {one}"),
        [one, two] => format!("running {one} and {two}"),
        more => format!("running {} stages", more.len()),
    }
}

/// An engine's name for people: what was simulated is called that, and who is a person.
pub fn by_engine(engine: &EngineInfo) -> &str {
    match engine.engine.as_str() {
        "stub-step" => "simulated",
        "person-step" => "a person",
        other => other,
    }
}

/// What carried an attempt out, in words: `simulated`, `a person`, `command: sh checks/prose.sh`, `claude (claude-4)`.
pub fn carried_out_by(engine: &EngineInfo) -> String {
    let kind = engine.engine.strip_suffix("-step").unwrap_or(&engine.engine);
    match (kind, engine.command.as_str()) {
        ("stub" | "person", _) => by_engine(engine).to_owned(),
        ("runbook", files) => format!("workflow: {}", files.replace('\n', ", ")),
        (_, "") => format!("{kind} ({})", engine.model),
        (_, command) => format!("command: {}", log::visible_text(command)),
    }
}

/// `820 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`.
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..=59 => format!("{seconds} s"),
        60..=3599 => two(seconds / 60, "min", seconds % 60, "s"),
        3600..=86_399 => two(seconds / 3600, "h", seconds % 3600 / 60, "min"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3600, "h"),
    }
}

fn two(large: u64, large_unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large} {large_unit}")
    } else {
        format!("{large} {large_unit} {small} {small_unit}")
    }
}

/// `letter.md`: what a person calls a file; control characters are made visible.
pub fn file_name(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    crate::run::log::visible(name)
}

/// `1 step`, `3 steps`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A value as a person reads it: text as is, lists and blocks as indented lines.
pub fn value(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, 0, &mut out);
    out.trim_end().to_owned()
}

/// That nobody was asked at the gates of these steps; empty where there are none.
pub fn unasked(workflow: &Workflow, steps: &[StepId]) -> String {
    let names: Vec<String> = steps
        .iter()
        .map(|step| format!("“{}”", step_ref(workflow, step).name))
        .collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!(" Nobody was asked at the gate of {}.", names.join(", ")),
    }
}

/// The top-level fields of a workflow that are worth a line; without those that are shown elsewhere.
pub fn top_level(workflow: &Workflow) -> Vec<FieldView> {
    let mut written = workflow.fields.clone();
    // Its sections hold for the run and are shown as that.
    if let Some(context) = written.get_mut("context")
        && !dialect::context::taken(context).is_empty()
        && context.as_object().is_some_and(serde_json::Map::is_empty)
    {
        written.shift_remove("context");
    }
    let is_bounds = |held: &Value| {
        let keys = held.as_object().into_iter().flat_map(serde_json::Map::keys);
        keys.clone().all(|key| Feedback::KEYS.contains(&key.as_str())) && keys.count() > 0
    };
    if written.get(Feedback::FIELD).is_some_and(is_bounds) {
        written.shift_remove(Feedback::FIELD);
    }
    let mut fields = named(&written);
    let elsewhere = workflow.contract().shown_elsewhere;
    fields.retain(|field| !elsewhere.contains(&field.name.as_str()));
    fields
}

/// Named values for display.
pub fn named(fields: &model::Fields) -> Vec<FieldView> {
    fields
        .iter()
        .map(|(name, v)| FieldView {
            name: name.clone(),
            value: value(v),
        })
        .collect()
}

fn write_value(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let plain =
        |v: &Value| !matches!(v, Value::Array(a) if !a.is_empty()) && !matches!(v, Value::Object(o) if !o.is_empty());
    match value {
        Value::String(text) => out.push_str(text.trim_end()),
        Value::Null => out.push_str("not given"),
        Value::Bool(true) => out.push_str("yes"),
        Value::Bool(false) => out.push_str("no"),
        Value::Array(items)
            if items
                .iter()
                .all(|v| plain(v) && v.as_str().is_none_or(|s| s.len() <= 24)) =>
        {
            let items: Vec<String> = items.iter().map(self::value).collect();
            out.push_str(&items.join(", "));
        }
        Value::Array(items) => {
            for item in items {
                out.push_str(&format!("{indent}– "));
                // A record begins beside its dash; its other lines stand below its first one.
                let lines = self::value(item);
                out.push_str(&lines.replace('\n', &format!("\n{indent}  ")));
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                out.push_str(&format!("{indent}{name}: "));
                if !plain(item) {
                    out.push('\n');
                }
                write_value(item, depth + 1, out);
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
        }
        Value::Number(number) => out.push_str(&number.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        for (ms, expect) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1 s"),
            (61_000, "1 min 1 s"),
            (3_600_000, "1 h"),
            (7_860_000, "2 h 11 min"),
            (90_000_000, "1 d 1 h"),
        ] {
            assert_eq!(duration(ms), expect);
        }
    }

    #[test]
    fn values_read_like_text() {
        use serde_json::json;
        for (given, expect) in [
            (json!("VERIFIED"), "VERIFIED"),
            (json!(0), "0"),
            (json!(false), "no"),
            (json!(["a", "b"]), "a, b"),
            (json!([]), ""),
            (
                json!({"goal": "short", "open": ["a long line of text that wants a line of its own"]}),
                "goal: short\nopen: \n  – a long line of text that wants a line of its own",
            ),
            (
                json!([{"kind": "damage", "cost": 5}, {"kind": "injury"}]),
                "– kind: damage\n  cost: 5\n– kind: injury",
            ),
        ] {
            assert_eq!(value(&given), expect);
        }
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(count(1, "step", "steps"), "1 step");
        assert_eq!(count(0, "step", "steps"), "0 steps");
    }
}
