//! What a report says of how the work went: one table, for every format and whoever reports.
//!
//! Only what says that it did not go well counts here: a report that says nothing of it, or something that is not in the table, is that
//! of work that was done.

use crate::executor::{WELL, is_no_error};
use model::Fields;
use model::spelling::bare;
use serde_json::Value;

/// How a field tells how work went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tells {
    /// In a word.
    Word,
    /// By yes or no, or in a word, whatever is said behind it: that it went well.
    Well,
    /// The same, but a text may say what was done: only as a whole it is such a word.
    Done,
    /// By yes or no, or by what went wrong: that it went badly.
    Badly,
    /// By what went wrong, unless it says that nothing did.
    Wrong,
    /// By yes or no: that it was left out.
    LeftOut,
    /// By a number, which is 0 where it went well.
    Code,
}

/// The fields that tell it, by their names as [`bare`] writes them.
const FIELDS: [(&str, Tells); 20] = [
    ("status", Tells::Word),
    ("state", Tells::Word),
    ("result", Tells::Word),
    ("outcome", Tells::Word),
    ("ok", Tells::Well),
    ("success", Tells::Well),
    ("succeeded", Tells::Well),
    ("successful", Tells::Well),
    ("done", Tells::Done),
    ("completed", Tells::Done),
    ("passed", Tells::Well),
    ("pass", Tells::Well),
    ("failed", Tells::Badly),
    ("iserror", Tells::Badly),
    ("failure", Tells::Wrong),
    ("error", Tells::Wrong),
    ("skipped", Tells::LeftOut),
    ("exitcode", Tells::Code),
    ("exitstatus", Tells::Code),
    ("returncode", Tells::Code),
];

/// Words that say of work that it did not go well, as [`plain`] writes them.
const BADLY: [&str; 33] = [
    "abort",
    "aborted",
    "broken",
    "cancelled",
    "canceled",
    "crashed",
    "err",
    "error",
    "errored",
    "exception",
    "failing",
    "fatal",
    "incomplete",
    "killed",
    "nok",
    "panic",
    "fail",
    "failed",
    "failure",
    "false",
    "ko",
    "timed_out",
    "timeout",
    "unfinished",
    "unsuccessful",
    "not_done",
    "not_ok",
    "not_finished",
    "not_completed",
    "not_successful",
    "did_not_finish",
    "did_not_complete",
    "did_not_succeed",
];
/// How a status begins that says why in the same breath, as [`plain`] writes it: `failed to connect`.
const BADLY_BEGUN: [&str; 4] = ["failed_because_", "failed_due_to_", "failed_to_", "failed_with_"];
/// Words that say that it was left out.
const LEFT_OUT: [&str; 2] = ["skip", "skipped"];

/// Fields that count or list what went wrong, by their names as [`bare`] writes them: in the work, or in what was looked at.
const COUNTS: [&str; 5] = ["errors", "errorcount", "failures", "failurecount", "failed"];
/// What a report may be put into, whole: of an object of these names each field speaks as if it stood beside it. By their names as [`bare`]
/// writes them. Nothing else that is nested, and no list, speaks of the work: it may be what was looked at.
const AROUND: [&str; 5] = ["outcome", "output", "response", "result", "summary"];
/// Marks that say it without a word.
const CROSSES: [char; 4] = ['❌', '✖', '✗', '✘'];

/// What a report says of work that is reported to have gone well.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Otherwise {
    /// That it failed, and by which word.
    Failed(String),
    /// That it was left out.
    Skipped,
}

/// A field that may say how work went.
struct Said<'r> {
    /// As it is told: `status`, `result.status`.
    field: String,
    /// As [`bare`] writes it, without what it stands in.
    name: String,
    value: &'r Value,
    /// It stands in an object of the report ([`AROUND`]).
    is_inside: bool,
    /// What stands under `error` beside it, or around that.
    error: Option<&'r Value>,
}

/// The fields of a report, and of what it is put into, but for those that are values.
fn fields(report: &Fields, is_value: impl Fn(&str) -> bool) -> Vec<Said<'_>> {
    let error = report.get("error");
    let mut found = Vec::new();
    for (field, value) in report.iter().filter(|(field, _)| !is_value(field)) {
        let name = bare(field);
        match value {
            Value::Object(inside) if AROUND.contains(&name.as_str()) => {
                let error = inside.get("error").or(error);
                let own = inside.iter().filter(|(inner, _)| !is_value(inner));
                found.extend(own.map(|(inner, value)| Said {
                    field: format!("{field}.{inner}"),
                    name: bare(inner),
                    value,
                    is_inside: true,
                    error,
                }));
            }
            _ => found.push(Said {
                field: field.clone(),
                name,
                value,
                is_inside: false,
                error,
            }),
        }
    }
    found
}

/// A report that says of the same work that it went well and that it did not: it is taken at the worse word. `is_value`: whether a field is
/// a value with a meaning of its own in this workflow.
pub(super) fn otherwise(report: &Fields, is_value: impl Fn(&str) -> bool) -> Option<Otherwise> {
    let mut skipped = false;
    // What says why is looked at last: what says that it failed comes before it.
    let (why_it_failed, said): (Vec<_>, Vec<_>) = fields(report, is_value)
        .into_iter()
        .partition(|said| said.name == "error");
    for said in said.into_iter().chain(why_it_failed) {
        let tells = FIELDS.iter().find(|(known, _)| *known == said.name);
        match tells.and_then(|(_, tells)| went(&said, *tells)) {
            Some(Went::Badly) => return Some(Otherwise::Failed(why(&said))),
            Some(Went::Past) => skipped = true,
            None => {}
        }
    }
    skipped.then_some(Otherwise::Skipped)
}

/// The status in a report that is no word for how work went.
pub(super) fn unknown(report: &Fields) -> Option<String> {
    match report.get("status")? {
        Value::Null | Value::Bool(true) => None,
        Value::String(text) => {
            let word = word_of(text);
            let mut words = WELL.iter().chain(&BADLY).chain(&LEFT_OUT);
            let is_known = text.trim().is_empty() || words.any(|known| *known == word) || is_badly_begun(&word);
            (!is_known).then(|| text.trim().to_owned())
        }
        other => Some(other.to_string()),
    }
}

/// A field that counts or lists what went wrong, as it is told, where it may be what the work has found. `is_value`: see [`otherwise`].
pub(super) fn counted(report: &Fields, is_value: impl Fn(&str) -> bool) -> Option<String> {
    let is_counted =
        |said: &Said<'_>| COUNTS.contains(&said.name.as_str()) && !is_no_error(said.value) && yes(said.value).is_none();
    let Said { field, value, .. } = fields(report, is_value).into_iter().find(is_counted)?;
    Some(match value {
        Value::Array(list) => format!("`{field}` with {} in it", list.len()),
        Value::Object(_) => format!("`{field}` with something in it"),
        _ => format!("`{field}: {}`", shown(value)),
    })
}

/// What one field may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Went {
    Badly,
    /// It was left out.
    Past,
}

/// What a field says of the work; nothing where it says that it went well, or speaks of something else.
fn went(said: &Said<'_>, tells: Tells) -> Option<Went> {
    let (name, value) = (said.name.as_str(), said.value);
    match (tells, value) {
        (Tells::Word, Value::String(text)) => {
            let word = word_of(text);
            // Under a name that is not for the work alone a no is an answer, and what begins with the word may speak of something else.
            let is_badly = BADLY.contains(&word.as_str()) && (name == "status" || word != "false");
            if is_badly || (["status", "state"].contains(&name) && is_badly_begun(&word)) {
                return Some(Went::Badly);
            }
            LEFT_OUT.contains(&word.as_str()).then_some(Went::Past)
        }
        (Tells::Word, Value::Bool(false)) => (name == "status").then_some(Went::Badly),
        // Under other names a number counts something, and so does one in a summary.
        (Tells::Well | Tells::Done, Value::Number(number)) => {
            let is_no = !said.is_inside && ["ok", "success"].contains(&name) && number.as_f64() == Some(0.0);
            is_no.then_some(Went::Badly)
        }
        (Tells::Well | Tells::Done, Value::String(text)) => {
            let word = match tells {
                Tells::Done => whole_word(text),
                _ => word_of(text),
            };
            let is_no = yes(value) == Some(false) || BADLY.contains(&word.as_str());
            is_no.then_some(Went::Badly)
        }
        (Tells::Well | Tells::Done, said) => (!yes(said)?).then_some(Went::Badly),
        (Tells::Badly, Value::String(text)) => {
            let is_badly = yes(value).unwrap_or_else(|| !is_no_error(value) && !is_count(text));
            is_badly.then_some(Went::Badly)
        }
        (Tells::Badly, said) => yes(said)?.then_some(Went::Badly),
        // A code, as in a report without a status; under the other name, and in a summary, it counts something.
        (Tells::Wrong, Value::Number(_)) if said.is_inside || name != "error" => None,
        (Tells::Wrong, said) => (!is_no_error(said)).then_some(Went::Badly),
        (Tells::LeftOut, said) => yes(said)?.then_some(Went::Past),
        (Tells::Code, Value::Number(code)) => (code.as_f64() != Some(0.0)).then_some(Went::Badly),
        (Tells::Code, Value::String(text)) => {
            let is_bad = text.trim().parse::<i64>().is_ok_and(|code| code != 0);
            (is_bad || BADLY.contains(&word_of(text).as_str())).then_some(Went::Badly)
        }
        (Tells::Word | Tells::Code, _) => None,
    }
}

/// A yes or a no, also as a word.
fn yes(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(said) => Some(*said),
        Value::String(text) => match plain(text).as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a status, as [`plain`] writes it, begins with the word for failure and goes on with why.
fn is_badly_begun(status: &str) -> bool {
    BADLY_BEGUN.iter().any(|begun| status.starts_with(begun))
}

/// Whether a text counts: `3`, `3 of 40`.
fn is_count(text: &str) -> bool {
    text.trim().starts_with(|c: char| c.is_ascii_digit())
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), |text| text.trim().to_owned())
}

fn why(said: &Said<'_>) -> String {
    let shown = shown(said.value);
    let told = match said.field.as_str() {
        "status" => format!("its report has the status `{shown}`"),
        field => format!("its report says `{field}: {shown}`"),
    };
    let error = said.error.filter(|error| said.name != "error" && !is_no_error(error));
    match error.and_then(Value::as_str) {
        None => told,
        Some(why) => format!("{told}: {}", why.trim()),
    }
}

/// A word in lower case, without the signs around it and what separates: `❌ Timed out`.
fn plain(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.to_lowercase().replace([' ', '-'], "_")
}

/// The word of a status as [`plain`] writes it, without what is said behind it: `failed: no space left`, `[failed] no space left`.
fn word_of(status: &str) -> String {
    let parts = status
        .split(" - ")
        .flat_map(|part| part.split([':', '.', '!', ',', ';', '(', ')', '[', ']', '–', '—', '\n']));
    let word = parts.map(plain).find(|word| !word.is_empty());
    word.unwrap_or_else(|| word_of_signs(status))
}

/// The same of a text that is one word as a whole; of any other one all of it.
fn whole_word(text: &str) -> String {
    match plain(text) {
        word if word.is_empty() => word_of_signs(text),
        word => word,
    }
}

/// What is said without a word: a cross is one for failure.
fn word_of_signs(text: &str) -> String {
    match text.contains(CROSSES) {
        true => "failed".to_owned(),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(report: Value, values: &[&str]) -> Option<Otherwise> {
        let report: Fields = serde_json::from_value(report).expect("an object");
        otherwise(&report, |field| values.contains(&field))
    }

    #[test]
    fn whatever_says_that_work_went_badly_is_heard() {
        for (report, says) in [
            (json!({"ok": false}), "`ok: false`"),
            (json!({"OK": "no"}), "`OK: no`"),
            (json!({"success": "False"}), "`success: False`"),
            (json!({"done": false}), "`done: false`"),
            (json!({"ok": 0}), "`ok: 0`"),
            (json!({"exit_status": "failure"}), "`exit_status: failure`"),
            (json!({"exit_code": 1}), "`exit_code: 1`"),
            (json!({"exitCode": "137"}), "`exitCode: 137`"),
            (json!({"is_error": true}), "`is_error: true`"),
            (json!({"failed": true}), "`failed: true`"),
            (json!({"state": "Failed"}), "`state: Failed`"),
            (json!({"result": "error: no disk"}), "`result: error: no disk`"),
            (json!({"outcome": "timed out"}), "`outcome: timed out`"),
            (json!({"status": "not done"}), "the status `not done`"),
            (json!({"failure": "disk full"}), "`failure: disk full`"),
            (json!({"failed": "disk full"}), "`failed: disk full`"),
            (json!({"is_error": "disk full"}), "`is_error: disk full`"),
            (json!({"passed": false}), "`passed: false`"),
            (json!({"pass": "no"}), "`pass: no`"),
            (json!({"status": "done", "error": "disk full"}), "`error: disk full`"),
            (json!({"failure": "disk", "error": "full"}), "`failure: disk`: full"),
            (json!({"status": "❌ failed"}), "the status `❌ failed`"),
            (json!({"status": "❌"}), "the status `❌`"),
            (json!({"failed": "❌"}), "`failed: ❌`"),
            (json!({"status": "done", "error": "!!!"}), "`error: !!!`"),
            (json!({"status": "did not finish"}), "the status `did not finish`"),
            (
                json!({"status": "**FAILED** (disk full)"}),
                "the status `**FAILED** (disk full)`",
            ),
            (
                json!({"status": "[failed] disk full"}),
                "the status `[failed] disk full`",
            ),
            (
                json!({"status": "Failed — disk full"}),
                "the status `Failed — disk full`",
            ),
            (
                json!({"state": "timed out - no answer"}),
                "`state: timed out - no answer`",
            ),
            (
                json!({"skipped": true, "ok": false, "error": "no net"}),
                "`ok: false`: no net",
            ),
            (json!({"status": "failed to connect"}), "the status `failed to connect`"),
            (json!({"passed": "❌"}), "`passed: ❌`"),
            (json!({"done": "✗"}), "`done: ✗`"),
            (json!({"completed": "❌ Failed."}), "`completed: ❌ Failed.`"),
            (json!({"completed": "timed out"}), "`completed: timed out`"),
            (json!({"success": "failed: disk full"}), "`success: failed: disk full`"),
            (json!({"success": "false"}), "`success: false`"),
            (
                json!({"status": "done", "error": {"message": "disk full"}}),
                "`error: {\"message\":\"disk full\"}`",
            ),
        ] {
            let Some(Otherwise::Failed(why)) = of(report.clone(), &[]) else {
                panic!("{report}");
            };
            assert!(why.ends_with(says), "{report}: {why}");
        }
        for report in [
            json!({"skipped": true}),
            json!({"state": "SKIPPED"}),
            json!({"status": "skip"}),
        ] {
            assert_eq!(of(report.clone(), &[]), Some(Otherwise::Skipped), "{report}");
        }
    }

    #[test]
    fn what_a_report_is_put_into_is_heard() {
        for (report, says) in [
            (json!({"result": {"status": "failed"}}), "`result.status: failed`"),
            (
                json!({"status": "done", "outcome": {"state": "ERROR"}}),
                "`outcome.state: ERROR`",
            ),
            (json!({"response": {"success": false}}), "`response.success: false`"),
            (json!({"output": {"exitCode": 1}}), "`output.exitCode: 1`"),
            (json!({"output": {"error": "disk full"}}), "`output.error: disk full`"),
            (json!({"Summary": {"passed": "no"}}), "`Summary.passed: no`"),
            (json!({"result": {"status": false}}), "`result.status: false`"),
            (
                json!({"result": {"outcome": "❌ failed"}}),
                "`result.outcome: ❌ failed`",
            ),
            (json!({"result": {"error": "disk full"}}), "`result.error: disk full`"),
            (
                json!({"result": {"error": {"message": "disk full"}}}),
                "`result.error: {\"message\":\"disk full\"}`",
            ),
            (
                json!({"result": {"ok": false, "error": "no net"}, "error": "none"}),
                "`result.ok: false`: no net",
            ),
            (
                json!({"result": {"ok": false}, "error": "no net"}),
                "`result.ok: false`: no net",
            ),
        ] {
            let Some(Otherwise::Failed(why)) = of(report.clone(), &[]) else {
                panic!("{report}");
            };
            assert!(why.ends_with(says), "{report}: {why}");
        }
        assert_eq!(
            of(json!({"result": {"status": "skipped"}}), &[]),
            Some(Otherwise::Skipped)
        );
        for report in [
            json!({"result": {"status": "done", "errors": [], "error": null, "failure": 0}}),
            json!({"result": {"error": "none", "exit_code": 0}, "outcome": {}}),
            json!({"summary": {"ok": 0, "success": 0, "error": 3, "failure": 2, "failed": 3, "passed": 0}}),
            json!({"results": [{"status": "done"}, {"status": "failed"}], "result": [{"status": "failed"}]}),
            json!({"build": {"status": "failed"}, "ticket": {"state": "aborted"}}),
            json!({"result": {"build": {"status": "failed"}, "finding": "failed"}}),
            json!({"response": {"status": 404}}),
            json!({"result": {"outcome": false, "state": "Failed logins are locked out"}}),
        ] {
            assert_eq!(of(report.clone(), &[]), None, "{report}");
        }
        // Whichever of both names is read by a condition, it is a value.
        let report = json!({"result": {"status": "failed"}});
        assert_eq!(of(report.clone(), &["result"]), None);
        assert_eq!(of(report, &["status"]), None);
    }

    #[test]
    fn what_says_nothing_of_the_work_does_no_harm() {
        for report in [
            json!({}),
            json!({"ok": true, "success": "yes", "failed": false, "skipped": "no", "exit_code": 0, "returncode": "0"}),
            json!({"errors": [], "error": null, "warnings": ["slow"]}),
            json!({"status": "done", "error": "no errors detected", "failed": "0 failures"}),
            json!({"error": {"code": 0, "message": ""}, "failure": "ok"}),
            json!({"result": "did not find anything"}),
            json!({"error": "", "failure": "none", "failed": "No failures.", "is_error": "-"}),
            json!({"errors": 3, "error_count": 3, "failures": ["a"], "failed": "3 of 40", "failure": 3, "passed": 37, "pass": 0}),
            json!({"status": "✅ done", "passed": true, "result": "failed-over to the second disk"}),
            json!({"state": "done", "result": "passed", "outcome": "ok", "status": "VERIFIED"}),
            json!({"failed": 0, "skipped": 3, "completed": ["a"], "done": 0, "success": 12, "ok": {}, "exit_code": "none"}),
            json!({"result": "false", "outcome": false, "state": {"failed": true}}),
            json!({"result": "Failed logins are locked out after three attempts"}),
            json!({"status": "failed-over", "result": "failed to find any flaw", "completed": "errors of last week"}),
            json!({"done": "Timeout, retries, logging", "completed": "Error: handling added"}),
            json!({"done": "failure, fallback", "completed": "Exception (typed) thrown", "result": {"done": "Timeout; retries"}}),
        ] {
            assert_eq!(of(report.clone(), &[]), None, "{report}");
        }
        let report = json!({"state": "failed", "result": "error", "ok": false});
        assert_eq!(of(report, &["state", "result", "ok"]), None);
    }

    #[test]
    fn what_is_counted_may_be_a_finding() {
        let told = |report: Value, values: &[&str]| {
            let report: Fields = serde_json::from_value(report).expect("an object");
            counted(&report, |field| values.contains(&field))
        };
        for (report, says) in [
            (json!({"errors": 3}), "`errors: 3`"),
            (json!({"errorCount": "2"}), "`errorCount: 2`"),
            (json!({"errors": ["a", "b"]}), "`errors` with 2 in it"),
            (json!({"failed": "3 of 40"}), "`failed: 3 of 40`"),
            (json!({"summary": {"failed": 3}}), "`summary.failed: 3`"),
        ] {
            assert_eq!(told(report.clone(), &[]).as_deref(), Some(says), "{report}");
        }
        let none = json!({"errors": [], "error_count": 0, "failures": "none", "failed": false});
        assert_eq!(told(none, &[]), None);
        assert_eq!(told(json!({"errors": 3}), &["errors"]), None);
    }
}
