//! Plain words for steps, durations and values.

use crate::text::safe;
use crate::view::{FieldView, StepRef};
use engine::{AnotherLog, Decision, EngineInfo, EngineKind, Event, Instance, RunCreated, RunId, TakenOver};
use history::Events;
use model::{Feedback, Step, StepId, Workflow};
use runtime::inside::RUNS;
use serde_json::Value;
use std::ops::RangeInclusive;

/// What reading scripts alone keeps, as one sentence; nothing where the kernel holds all.
pub fn only_read(what: &[String]) -> Option<String> {
    match what.is_empty() {
        true => None,
        false => Some(format!(
            "For some rules of this project Gatehouse reads each script before it runs it, and the operating system does not help: {}. A program that hides what it does could get past these.",
            safe::visible(&what.join(", "))
        )),
    }
}

/// That a person did not take what they were shown: `rejected by Ada Lund`, `sent back by Ada Lund`; `None`: they took it.
pub fn not_taken(decision: &engine::Decision) -> Option<String> {
    let did = match decision.answer {
        engine::Answer::Reject => "rejected",
        engine::Answer::Changes => "sent back",
        _ => return None,
    };
    Some(format!("{did} by {}", decider(decision)))
}

/// That a person answered a runbook's question with NO, and what they said: `Answered NO by Ada Lund: not yet`.
pub fn answered_no(decision: &Decision) -> String {
    let by = decider(decision);
    match safe::plain(decision.comment.trim()).as_str() {
        "" => format!("Answered NO by {by}"),
        comment => format!("Answered NO by {by}: {comment}"),
    }
}

/// That somebody had seen another log of a run than the one in which they went on.
pub fn another_log(seen: &AnotherLog) -> String {
    let link: String = seen.link.chars().take(16).collect();
    format!(
        "{}’s Gatehouse had seen another log of this run, of {} (the last with the link {}…), and goes on in this one: events are missing here or \
         were replaced, as when a backup is restored or an older copy is put back.",
        safe::in_sentence(&seen.by),
        count(usize::try_from(seen.events).unwrap_or(usize::MAX), "event", "events"),
        safe::visible(&link)
    )
}

/// What a log says of being another one than somebody had seen, in sentences. `named`: the events that say it.
pub fn another_logs<'a>(events: Events<'_>, named: impl Iterator<Item = &'a u64>) -> Vec<String> {
    let said = named.filter_map(|seq| match &events.with_seq(*seq)?.event {
        Event::AnotherLog(seen) => Some(format!("Event {seq}: {}", another_log(seen))),
        _ => None,
    });
    said.collect()
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

/// [`step_ref`] as it is told of a run: what the placeholders in its name stand for there is filled in.
pub fn step_in(workflow: &Workflow, created: Option<&RunCreated>, id: &StepId) -> StepRef {
    in_run(workflow, created, step_ref(workflow, id))
}

/// The same of an instance of a dynamic step: its number stands in the place of the sign for it.
pub fn step_at(workflow: &Workflow, created: Option<&RunCreated>, at: &Instance) -> StepRef {
    let step = step_in(workflow, created, &at.step);
    StepRef {
        number: number_at(&step.number, &at.path),
        ..step
    }
}

/// `3.2` of `{N}.2` in the third instance. Where no instance is known the sign stays.
fn number_at(number: &str, path: &[u32]) -> String {
    let mut told = String::with_capacity(number.len());
    let mut rest = number;
    for at in path {
        let Some((before, sign)) = rest.split_once('{') else {
            break;
        };
        let Some((_, after)) = sign.split_once('}') else { break };
        told.push_str(before);
        told.push_str(&at.to_string());
        rest = after;
    }
    told.push_str(rest);
    told
}

/// A reference to a step as it is told of a run.
pub fn in_run(workflow: &Workflow, created: Option<&RunCreated>, step: StepRef) -> StepRef {
    StepRef {
        name: safe::visible(&engine::gate::filled(workflow, created, &step.name)),
        ..step
    }
}

/// [`step_ref`] from the step itself.
pub fn of_step(step: &Step) -> StepRef {
    StepRef {
        id: step.id.to_string(),
        number: step.number.clone(),
        name: safe::visible(&step.name),
    }
}

/// `4 Publish`; a step without a number by its name alone.
pub fn numbered(step: &Step) -> String {
    match step.number.as_str() {
        "" => step.name.clone(),
        number => format!("{number} {}", step.name),
    }
}

/// What a workflow is by its format, without an article: `pipeline`, `agent workflow`.
pub fn noun(workflow: &Workflow) -> &'static str {
    let noun = workflow.contract().noun;
    noun.split_once(' ').map_or(noun, |(_, noun)| noun)
}

/// What a step is called in a list; of several with one name, with the number that the picture shows.
pub fn told_apart(step: &Step, all: &[Step]) -> String {
    let is_alone = all.iter().filter(|other| other.name == step.name).count() == 1;
    match is_alone {
        true => step.name.clone(),
        false => format!("{} ({})", step.name, step.number),
    }
}

/// An engine's name for people: what was simulated is called that, and who is a person.
pub fn by_engine(engine: &EngineInfo) -> &str {
    match &engine.engine {
        EngineKind::Stub => "simulated",
        EngineKind::Person => "a person",
        EngineKind::Shell => "a command",
        EngineKind::Runbook => "a run of its own",
        other => other.as_str(),
    }
}

/// What carried an attempt out, in words: `simulated`, `a person`, `command: sh checks/prose.sh`, `claude (claude-4)`.
pub fn carried_out_by(engine: &EngineInfo) -> String {
    match (&engine.engine, engine.command.as_str()) {
        (EngineKind::Stub | EngineKind::Person, _) | (EngineKind::Shell, "") => by_engine(engine).to_owned(),
        (EngineKind::Runbook, files) => format!("workflow: {}", files.replace('\n', ", ")),
        (kind, "") => format!("{} ({})", kind.short(), engine.model),
        (_, command) => format!("command: {}", safe::visible_text(command)),
    }
}

/// Who decided. A name that a scenario gives is nobody's own: it says so wherever it stands.
pub fn decider(decision: &Decision) -> String {
    let by = safe::visible(decision.by.trim());
    match decision.via.as_str() {
        Decision::SCENARIO => format!("{by} (by the script)"),
        Decision::YES => format!("{by} (by --yes)"),
        _ => by,
    }
}

/// By which way something was said.
pub fn way(via: &str) -> &'static str {
    match via {
        "desktop" => "in the window",
        "serve" => "in a browser",
        "cli" => "on the command line",
        Decision::YES => "by --yes on the command line, before anybody could look",
        _ => "",
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
    safe::visible(name)
}

/// How many files in a run's folder that no step of it has named another one finds that goes on from it, behind another sentence; empty: none.
pub fn taken_along(taken: usize) -> String {
    match taken {
        0 => String::new(),
        1 => " Its steps find 1 working file of this run, which has not been written since.".to_owned(),
        n => format!(" Its steps find {n} working files of this run, which have not been written since."),
    }
}

/// Which files of a run's folder it does not get, each with the reason; absent: it gets all.
pub fn left_behind(left: &[(String, String)]) -> Option<String> {
    let named: Vec<String> = left
        .iter()
        .map(|(name, why)| format!("{}: {why}", safe::visible(name)))
        .collect();
    (!named.is_empty()).then(|| format!("Not taken along: {}.", some_of(&named)))
}

/// Some names, and how many more there are.
pub fn some_of<T: AsRef<str>>(names: &[T]) -> String {
    /// So many of them are named.
    const NAMED: usize = 5;
    let named: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

/// Sentences without those that were told already.
pub fn told_once(mut said: Vec<String>) -> Vec<String> {
    let mut told = std::collections::HashSet::new();
    said.retain(|one| told.insert(one.clone()));
    said
}

/// `1 step`, `3 steps`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `2nd time`.
pub fn nth_time(n: u32) -> String {
    let end = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{n}{end} time")
}

/// A value as a person reads it: text as is, lists and blocks as indented lines.
pub fn value(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, 0, &mut out);
    out.trim_end().to_owned()
}

/// From which run events of a log were taken over: `Taken over from run 01a2 (events 2 to 26)`.
pub fn taken_over_from(run: &RunId, events: &RangeInclusive<u64>) -> String {
    let run = safe::visible(run.as_str());
    match (events.start(), events.end()) {
        (first, last) if first == last => format!("Taken over from run {run} (event {first})"),
        (first, last) => format!("Taken over from run {run} (events {first} to {last})"),
    }
}

/// What is to be known of the gates of steps that an imported session says are done: that nobody was asked there, and which it says were not
/// passed; empty where there are none.
pub fn gates_taken_over(workflow: &Workflow, taken: &TakenOver) -> String {
    let names = |steps: &[StepId]| -> String {
        let names = steps.iter().map(|step| format!("“{}”", step_ref(workflow, step).name));
        names.collect::<Vec<_>>().join(", ")
    };
    let mut said = String::new();
    if !taken.unasked.is_empty() {
        said.push_str(&format!(" Nobody was asked at the gate of {}.", names(&taken.unasked)));
    }
    if !taken.not_passed.is_empty() {
        said.push_str(&format!(
            " The session says that a gate was not passed, and counts the step as done all the same: {}.",
            names(&taken.not_passed)
        ));
    }
    said
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

/// What a step reported, for people: of the runs that carried it out a line each, how it ended.
pub fn reported(fields: &model::Fields) -> Vec<FieldView> {
    let told = |field: FieldView| match fields.get(&field.name).and_then(runs_inside) {
        Some(value) if field.name == RUNS => FieldView {
            name: "runs of its own".to_owned(),
            value,
        },
        _ => field,
    };
    named(fields).into_iter().map(told).collect()
}

/// `wf/ask.yaml: rejected`; `None`: it is no list of runs.
fn runs_inside(value: &Value) -> Option<String> {
    let lines: Option<Vec<String>> = value
        .as_array()?
        .iter()
        .map(|run| {
            let file = safe::visible(run.get("file")?.as_str()?);
            let ended = match (run.get("refused"), run.get("result")?.as_str()?) {
                (Some(_), _) => "rejected",
                (None, "PASS") => "ended well",
                (None, _) => "did not end well",
            };
            Some(format!("{file}: {ended}"))
        })
        .collect();
    Some(lines?.join("\n"))
}

/// What was entered at the start of a run, by the questions that asked for it.
pub fn entered(workflow: &Workflow, created: Option<&RunCreated>) -> Vec<(String, String)> {
    let label = |name: &String| {
        let question = workflow.questions.iter().find(|question| question.name == *name);
        question.map_or_else(|| name.clone(), |question| question.label.clone())
    };
    let answers = created.into_iter().flat_map(|created| &created.inputs);
    answers.map(|(name, given)| (label(name), value(given))).collect()
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
    fn an_instance_of_a_dynamic_step_has_its_own_number() {
        let told = |number: &str, path: &[u32]| number_at(number, path);
        assert_eq!(told("{N}", &[3]), "3");
        assert_eq!(told("{N}.2", &[3]), "3.2");
        assert_eq!(told("{N}.{n}", &[3, 4]), "3.4");
        assert_eq!(told("5.{n}", &[2]), "5.2");
        // Which one is not known.
        assert_eq!(told("{N}.{n}", &[3]), "3.{n}");
        assert_eq!(told("{N}.2", &[]), "{N}.2");
        assert_eq!(told("4", &[1]), "4");
    }

    #[test]
    fn the_runs_that_carried_a_step_out_are_a_line_each() {
        let runs = serde_json::json!([
            {"file": "ask.yaml", "run": "a", "result": "FAIL", "refused": "In `ask.yaml` Ada refused"},
            {"file": "b.yaml", "run": "b", "result": "PASS"},
            {"file": "c.yaml", "run": "c", "result": "FAIL"},
        ]);
        let said = |value: &Value| {
            let fields = [(RUNS.to_owned(), value.clone())].into_iter().collect();
            let told = reported(&fields).into_iter();
            told.map(|field| format!("{}: {}", field.name, field.value))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            said(&runs),
            ["runs of its own: ask.yaml: rejected\nb.yaml: ended well\nc.yaml: did not end well"]
        );
        // What an agent reports under that name is its own.
        assert_eq!(said(&serde_json::json!("two")), ["runbooks: two"]);
    }

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
