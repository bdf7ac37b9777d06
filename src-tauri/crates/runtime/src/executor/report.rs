//! What an agent program reports: one JSON object.
//!
//! | field | meaning |
//! |---|---|
//! | `status` | `succeeded`, `failed`, `skipped`: how the work went. Any other word is a reported field, e.g. `VERIFIED`; where no field chooses the way on, it and other fields, also in `report`, may say that it went badly (`attempt/verdict.rs`) |
//! | `error` | why it failed; without a `status` of the three words it means `failed`, beside `succeeded` it is a reported field, which may say there that it went badly, and so is one that says that there is none (`false`, `[]`, `none`, `no errors found`, `{"count": 0}`) |
//! | `output` | what it says, text; an object is that in JSON, and a reported field besides, up to 64 KiB, of a larger one with the beginnings of long texts: conditions may read it, and it may say how the work went |
//! | `artifacts` | list of files it made, relative to the project |
//! | `tokens` | `{prompt, completion, total}`, whole numbers up to 2⁵³; one number is the total |
//! | `model`, `provider` | which model answered and whose it is, texts: the receipt says so, and nothing else does |
//! | `transcript` | list of lines: text, or objects with `role` or `type` |
//! | `tools` | list of `{tool, input, success, output}` |
//! | `report` | object whose fields are reported as they stand, for fields that have one of the names above |
//! | anything else | a reported field: routing reads it |

use super::Execution;
use crate::brief::beginning;
use crate::clock;
use engine::{ExecutionStatus, ModelName, Standard, Tokens, ToolUse};
use serde_json::Value;

/// An `output` of fields is kept as what was said. What is reported of it besides is no larger than this, bytes of JSON.
const LARGEST_FIELDS: usize = 64 << 10;
/// Of a larger one each text is reported as far as this, bytes.
const LONGEST_TEXT: usize = 1024;

/// Reads a report into an execution that succeeded so far.
///
/// # Errors
/// The text is no report; the sentence says why. `from` says where it came from: `standard output`. `remark`: is told what is left out.
pub(super) fn read(text: &[u8], from: &str, remark: impl FnOnce(&str)) -> Result<Execution, String> {
    let shown = || beginning(&String::from_utf8_lossy(text), 120).trim().to_owned();
    let value = tool::once::read(text).map_err(|error| {
        if text.iter().all(u8::is_ascii_whitespace) {
            format!("the command wrote no report: {from} is empty, one JSON object was expected")
        } else {
            format!("{from} is not one JSON object ({error}); it begins with `{}`", shown())
        }
    })?;
    let Value::Object(mut fields) = value else {
        return Err(format!(
            "{from} holds JSON, but not an object; it begins with `{}`",
            shown()
        ));
    };
    let mut out = Execution::success();
    let said = fields.get("status").and_then(Value::as_str).and_then(execution_status);
    if let Some(status) = said {
        out.status = status;
        fields.shift_remove("status");
    }
    // A field of this name that is no text is one of the agent's own.
    let name = |text: &Value| Some(text.as_str()?.trim().to_owned()).filter(|text| !text.is_empty());
    let mut name_of = |field: &str| {
        let found = fields.get(field).and_then(name);
        if found.is_some() {
            fields.shift_remove(field);
        }
        found
    };
    let (model, provider) = (name_of("model"), name_of("provider"));
    let wrong = |name: &str, wanted: &str| format!("{from} holds a report whose `{name}` is not {wanted}");
    // Whoever reports one of these may mean that it went badly: it is not taken for having gone well.
    let nested = fields.get("report").and_then(|report| report.get("status"));
    let is_no_word = |status: &Value| matches!(status, Value::Bool(false) | Value::Array(_) | Value::Object(_));
    if fields.get("status").into_iter().chain(nested).any(is_no_word) {
        return Err(wrong("status", "a word"));
    }
    // What says that nothing went wrong is a field like any other, and what is left empty is none.
    let says_none = fields
        .get("error")
        .is_some_and(|error| is_no_error(error) && !is_empty(error));
    let mut take = |name: &str| fields.shift_remove(name).filter(|v| !v.is_null());
    let error = if says_none { None } else { take("error") };
    out.error = error
        .filter(|error| !is_empty(error))
        .map(|e| e.as_str().map_or_else(|| e.to_string(), str::to_owned));
    // What is said in fields is reported too: whoever reads the report finds how the work went in it.
    let mut said_in_fields = None;
    if let Some(output) = take("output") {
        out.output = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
        said_in_fields = fields_of(output, out.output.len(), remark);
    }
    if let Some(made) = take("artifacts") {
        out.made = serde_json::from_value(made).map_err(|_| wrong("artifacts", "a list of paths"))?;
    }
    if let Some(tokens) = take("tokens") {
        out.tokens = tokens_of(&tokens)
            .ok_or_else(|| wrong("tokens", "`{prompt, completion, total}` in whole numbers up to 2⁵³"))?;
    }
    let unknown = || "unknown".to_owned();
    out.answered = (model.is_some() || provider.is_some()).then(|| ModelName {
        provider: provider.unwrap_or_else(unknown),
        model: model.unwrap_or_else(unknown),
    });
    if let Some(lines) = take("transcript") {
        let Value::Array(lines) = lines else {
            return Err(wrong("transcript", "a list of lines"));
        };
        out.transcript = lines;
    }
    if let Some(tools) = take("tools") {
        let Value::Array(tools) = tools else {
            return Err(wrong("tools", "a list of tool calls"));
        };
        let now = clock::now();
        for call in tools {
            let tool = call
                .get("tool")
                .and_then(Value::as_str)
                .ok_or_else(|| wrong("tools", "a list of tool calls"))?;
            out.tools.push(ToolUse {
                tool: tool.to_owned(),
                input: call.get("input").cloned().unwrap_or_default(),
                success: call.get("success").and_then(Value::as_bool).unwrap_or(true),
                output: call.get("output").cloned().unwrap_or_default(),
                started_at: now,
                ended_at: now,
            });
        }
    }
    let nested = take("report");
    out.report.extend(fields);
    out.report
        .extend(said_in_fields.map(|output| ("output".to_owned(), output)));
    match nested {
        Some(Value::Object(nested)) => {
            for (field, mut value) in nested {
                // What stands in both places is held against a standard in both: the lower one counts.
                if let (Some(standard), Some(beside)) = (Standard::of_field(&field), out.report.get(&field))
                    && !beside.is_null()
                {
                    value = standard.lower(beside, &value).clone();
                }
                out.report.insert(field, value);
            }
        }
        Some(other) => drop(out.report.insert("report".to_owned(), other)),
        None => {}
    }
    if out.error.is_some() && said.is_none() {
        out.status = ExecutionStatus::Failed;
    }
    // Work that ended well has no reason why it failed: what its report calls one is a field like any other.
    if out.status == ExecutionStatus::Succeeded
        && let Some(error) = out.error.take()
    {
        let field = out.report.entry("error".to_owned()).or_default();
        if field.is_null() {
            *field = error.into();
        }
    }
    Ok(out)
}

/// Of an object of so many bytes what is reported of it: all of it, or, with its long texts cut, those of its fields, in their order, that fit into
/// [`LARGEST_FIELDS`]. A word about the work is not lost for what is long beside it or behind it.
fn fields_of(output: Value, bytes: usize, remark: impl FnOnce(&str)) -> Option<Value> {
    let Value::Object(mut fields) = output else { return None };
    if bytes > LARGEST_FIELDS {
        fields.values_mut().for_each(shorten);
        let (mut left, mut left_out) = (LARGEST_FIELDS, Vec::new());
        fields.retain(|name, value| {
            // With quotes, colon and comma.
            let rest = left.checked_sub(name.len() + value.to_string().len() + 4);
            match rest {
                Some(rest) => left = rest,
                None => left_out.push(format!("`{name}`")),
            }
            rest.is_some()
        });
        if !left_out.is_empty() {
            remark(&format!(
                "the report's `output` is larger than {} KiB: these fields of it are in what was said alone, and no condition reads them: {}",
                LARGEST_FIELDS >> 10,
                left_out.join(", ")
            ));
        }
    }
    Some(Value::Object(fields))
}

/// Leaves the beginning of each long text.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            let end = beginning(text, LONGEST_TEXT).len();
            text.truncate(end);
        }
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn execution_status(word: &str) -> Option<ExecutionStatus> {
    [
        ExecutionStatus::Succeeded,
        ExecutionStatus::Failed,
        ExecutionStatus::Skipped,
    ]
    .into_iter()
    .find(|s| s.word() == word)
}

/// Words that say of work that it went well.
pub(crate) const WELL: [&str; 14] = [
    "approved",
    "complete",
    "completed",
    "done",
    "finished",
    "ok",
    "okay",
    "pass",
    "passed",
    "succeeded",
    "success",
    "successful",
    "true",
    "verified",
];
/// How a text begins that says that there is none.
const NONE: [&str; 5] = ["0", "no", "none", "nothing", "without"];
/// What else such a text is made of. With any other word it may say what is wrong: `no error handler`.
const OF_NONE: [&str; 20] = [
    "all",
    "any",
    "and",
    "at",
    "been",
    "detected",
    "encountered",
    "error",
    "errors",
    "failed",
    "failure",
    "failures",
    "found",
    "have",
    "occurred",
    "reported",
    "warning",
    "warnings",
    "was",
    "were",
];
/// Signs that say without a word that there is none, or stand around nothing. Any others say that something is wrong: `❌`, `!!!`.
const NO_SIGN: &str = "-–—._,;:…~*`\"'()[]{}/✅✓✔☑\u{fe0f}";

/// Whether what stands under `error` says that there is none.
pub(crate) fn is_no_error(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(code) => code.as_f64() == Some(0.0),
        Value::String(text) => says_none(text),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.values().all(is_no_error),
    }
}

/// Whatever stands around it: `None.`, `-`, `No errors found`.
fn says_none(text: &str) -> bool {
    let text = text.to_lowercase();
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() {
        return text.chars().all(|c| c.is_whitespace() || NO_SIGN.contains(c));
    }
    let is_of_none = |word: &str| NONE.contains(&word) || OF_NONE.contains(&word);
    let mut words = bare
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    matches!(bare, "null" | "nil" | "n/a" | "false")
        || (bare != "true" && WELL.contains(&bare))
        || (words.next().is_some_and(|first| NONE.contains(&first)) && words.all(is_of_none))
}

fn is_empty(error: &Value) -> bool {
    error.is_null() || error.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Some languages write the whole number 3 as `3.0`. What is beyond these bounds is no count: whoever reads it elsewhere would read another one.
fn whole(number: &Value) -> Option<u64> {
    /// Up to here every whole number has a form of its own.
    const EXACT: u64 = 1 << 53;
    let counted = number.as_u64().or_else(|| {
        let number = number.as_f64()?;
        // In these bounds nothing is lost by it.
        ((0.0..=EXACT as f64).contains(&number) && number.fract() == 0.0).then_some(number as u64)
    });
    counted.filter(|counted| *counted <= EXACT)
}

/// What is not counted is 0; what is no count is none.
fn tokens_of(tokens: &Value) -> Option<Tokens> {
    let count = |count: Option<&Value>| match count {
        None | Some(Value::Null) => Some(0),
        Some(count) => whole(count),
    };
    let Some(fields) = tokens.as_object() else {
        let total = whole(tokens)?;
        return Some(Tokens {
            total,
            ..Tokens::default()
        });
    };
    let number = |name: &str| count(fields.get(name));
    let (prompt, completion) = (number("prompt")?, number("completion")?);
    Some(Tokens {
        prompt,
        completion,
        total: number("total")?.max(prompt.saturating_add(completion)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], from: &str) -> Result<Execution, String> {
        super::read(text, from, |_| {})
    }

    fn good(text: &str) -> Execution {
        read(text.as_bytes(), "standard output").expect(text)
    }

    #[test]
    fn of_a_number_that_stands_twice_the_lower_is_held_against_its_standard() {
        let lower = |text: &str| good(text).report["test_coverage"].clone();
        assert_eq!(lower(r#"{"test_coverage":60,"report":{"test_coverage":95}}"#), 60);
        assert_eq!(lower(r#"{"test_coverage":95,"report":{"test_coverage":60}}"#), 60);
        assert_eq!(
            lower(r#"{"test_coverage":"none","report":{"test_coverage":95}}"#),
            "none"
        );
        assert_eq!(lower(r#"{"test_coverage":null,"report":{"test_coverage":95}}"#), 95);
        let other = good(r#"{"verdict":"no","report":{"verdict":"yes"}}"#);
        assert_eq!(
            other.report["verdict"], "yes",
            "of any other field that in `report` counts"
        );
    }

    #[test]
    fn what_is_no_count_of_tokens_is_no_report() {
        let total = |text: &str| good(text).tokens.total;
        assert_eq!(total(r#"{"tokens":{"prompt":3,"completion":null}}"#), 3);
        assert_eq!(total(r#"{"tokens":12}"#), 12);
        assert_eq!(total(r#"{"tokens":null}"#), 0);
        assert_eq!(total(r#"{"tokens":{"prompt":3.0,"completion":4.0}}"#), 7);
        for tokens in [
            "-5",
            "1.5",
            "1e30",
            "9007199254740993",
            "18446744073709551615",
            "\"12\"",
            "[12]",
            r#"{"prompt":-1}"#,
            r#"{"total":"many"}"#,
        ] {
            let text = format!(r#"{{"tokens":{tokens}}}"#);
            let error = read(text.as_bytes(), "standard output").expect_err(tokens);
            assert!(error.contains("`tokens` is not"), "{tokens}: {error}");
        }
        assert_eq!(total(r#"{"tokens":9007199254740992}"#), 1 << 53);
        let mut most = Tokens {
            total: u64::MAX,
            ..Tokens::default()
        };
        most.add(most);
        assert_eq!(most.total, u64::MAX);
    }

    #[test]
    fn a_field_that_stands_twice_is_no_report() {
        for (text, name) in [
            (r#"{"status":"VERIFIED","status":"REJECTED"}"#, "status"),
            (r#"{"report":[{"a":1,"b":2,"a":1}]}"#, "a"),
            (r#"{"status":"failed","\u0073tatus":"succeeded"}"#, "status"),
        ] {
            let error = read(text.as_bytes(), "standard output").expect_err(text);
            assert!(
                error.contains(&format!("`{name}` stands twice in one object")),
                "{error}"
            );
        }
        let same = good(r#"{"a":{"b":[1,-2,0.5,true,null,"c"]},"b":{}}"#).report;
        assert_eq!(
            serde_json::Value::from_iter(same),
            serde_json::json!({"a": {"b": [1, -2, 0.5, true, null, "c"]}, "b": {}})
        );
    }

    #[test]
    fn fields_are_reported_and_reserved_ones_are_not() {
        let out = good(
            r#"{"status":"VERIFIED","can_further_iteration_help":"no","output":"said","artifacts":["a.md"],
                "tokens":{"prompt":3,"completion":4},"tools":[{"tool":"Read","input":{"p":1}}],"transcript":["hello"]}"#,
        );
        assert_eq!(out.status, ExecutionStatus::Succeeded);
        assert_eq!(
            out.report.keys().collect::<Vec<_>>(),
            ["status", "can_further_iteration_help"]
        );
        assert_eq!(
            (out.output.as_str(), out.made.len(), out.tokens.total, out.tools.len()),
            ("said", 1, 7, 1)
        );
    }

    #[test]
    fn an_output_with_fields_is_said_and_reported() {
        let out = good(r#"{"output":{"status":"failed"}}"#);
        assert_eq!(out.output, r#"{"status":"failed"}"#);
        assert_eq!(out.report["output"]["status"], "failed");
        let out = good(r#"{"output":["a"]}"#);
        assert_eq!((out.output.as_str(), out.report.len()), (r#"["a"]"#, 0));
        let long = "x".repeat(LARGEST_FIELDS);
        let out = good(&format!(
            r#"{{"output":{{"log":"{long}","status":"failed","of":[1]}}}}"#
        ));
        assert!(out.output.len() > LARGEST_FIELDS, "all of it is said");
        assert_eq!(
            out.report["output"],
            serde_json::json!({"log": "x".repeat(LONGEST_TEXT), "status": "failed", "of": [1]}),
            "of what is long the beginning is kept twice"
        );
        let (errors, numbers) = (
            format!("{{\"deep\":[\"{long}\"]}}"),
            vec!["1"; LARGEST_FIELDS].join(","),
        );
        let text = format!(r#"{{"output":{{"list":[{numbers}],"errors":{errors},"error":"{long}"}}}}"#);
        let mut said = String::new();
        let out = super::read(text.as_bytes(), "standard output", |remark| said.push_str(remark)).expect("a report");
        let short = &long[..LONGEST_TEXT];
        assert_eq!(
            out.report["output"],
            serde_json::json!({"errors": {"deep": [short]}, "error": short})
        );
        assert!(said.ends_with(": `list`"), "{said}");
    }

    #[test]
    fn the_three_words_are_the_executions() {
        let out = good(r#"{"status":"failed","error":"no network","report":{"status":"failed","error":"kept"}}"#);
        assert_eq!(
            (out.status, out.error.as_deref()),
            (ExecutionStatus::Failed, Some("no network"))
        );
        assert_eq!(out.report["status"], "failed");
        assert_eq!(out.report["error"], "kept");
        assert_eq!(good(r#"{"error":"rate limited"}"#).status, ExecutionStatus::Failed);
        assert_eq!(good(r#"{"error":true}"#).status, ExecutionStatus::Failed);
    }

    #[test]
    fn an_error_that_says_there_is_none_is_no_failure() {
        for none in [
            "\"\"",
            "\" \"",
            "null",
            "false",
            "0",
            "[]",
            "{}",
            "\"none\"",
            "\"N/A\"",
            "\"No errors found\"",
            "\"None.\"",
            "\"-\"",
            "\"✅\"",
            "\"no errors detected\"",
            "\"0 errors, 0 warnings\"",
            "\"Without any error.\"",
            "\"none at all\"",
            "\"ok\"",
            r#"{"count":0}"#,
            r#"{"code":0,"message":"","of":{"list":[]}}"#,
        ] {
            let out = good(&format!(r#"{{"error":{none},"errors":[]}}"#));
            assert_eq!((out.status, out.error), (ExecutionStatus::Succeeded, None), "{none}");
            let failed = good(&format!(r#"{{"status":"failed","error":{none}}}"#));
            assert_eq!((failed.status, failed.error), (ExecutionStatus::Failed, None), "{none}");
        }
        for some in [
            "\"true\"",
            "\"❌\"",
            "\"!!!\"",
            "\"no network\"",
            "\"no error handler\"",
            "\"0 errors, 2 failures\"",
            "\"errors found\"",
            "\"not ok\"",
            "1",
            r#"{"code":0,"message":"disk full"}"#,
        ] {
            let out = good(&format!(r#"{{"error":{some}}}"#));
            assert_eq!(out.status, ExecutionStatus::Failed, "{some}");
        }
        assert_eq!(good(r#"{"error":false}"#).report["error"], false);
        assert!(!good(r#"{"error":""}"#).report.contains_key("error"));
    }

    #[test]
    fn anything_else_is_refused_in_words() {
        for (text, says) in [
            ("", "is empty"),
            ("Thinking…\n{}", "not one JSON object"),
            ("{} {}", "not one JSON object"),
            ("[1]", "not an object"),
            (r#"{"artifacts":"a.md"}"#, "a list of paths"),
            (r#"{"transcript":{}}"#, "a list of lines"),
            (r#"{"status":false}"#, "`status` is not a word"),
            (r#"{"status":["failed"]}"#, "`status` is not a word"),
            (r#"{"status":{"a":1}}"#, "`status` is not a word"),
            (r#"{"report":{"status":false}}"#, "`status` is not a word"),
        ] {
            let error = read(text.as_bytes(), "standard output").expect_err(text);
            assert!(error.contains(says), "{error}");
        }
    }
}
