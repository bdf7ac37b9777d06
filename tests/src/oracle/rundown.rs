//! Runbooks as text: what is read from a file, and whether it breaks a rule (`parse_cases.json`, `real_runbooks.json`).

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use dialect::Document;
use model::{Action, Jump, Place, Quantifier, Routing, Severity, Step, Work};
use serde_json::{Map, Value, json};

/// `parse_cases.json`: valid or not by the contract, and the tree. `md_transitions_first` is the same document in the
/// order of later files; both orders are read, so it has the same verdict.
pub fn parse_case(_: &Context, case: &Case) -> Result<(), Fault> {
    let document = Document::parse("case.runbook.md", case.text("md"));
    let tolerant = case.text("basis").contains("a tolerant reader accepts");
    verdict(&document, case.expected("valid"), tolerant)?;
    printed(&document, case.text("md"))?;
    if let Some(first) = case.get("md_transitions_first").as_str() {
        let other = Document::parse("case.runbook.md", first);
        verdict(&other, case.expected("valid"), tolerant)
            .map_err(|fault| within("with the transitions first", fault))?;
        printed(&other, first)?;
        same_model(&document, &other)?;
    }
    blocks(&document, case)?;
    tree(&document, case)
}

/// `real_runbooks.json`: files of two versions of the origin, each with the verdict of its own version. Where that version
/// refuses nothing but the order that the other version demands, a reader of both orders accepts.
pub fn real_runbook(_: &Context, case: &Case) -> Result<(), Fault> {
    let path = match case.text("file") {
        "" => "case.runbook.md",
        path => path,
    };
    let document = Document::parse(path, case.text("md"));
    printed(&document, case.text("md"))?;
    let verdicts = case.get("verdicts");
    let reads = |version: &str| verdicts[version]["ok"] == json!(true);
    let only_order = verdicts["origin_head"]["error"]
        .as_str()
        .is_some_and(|error| error.contains("Transitions must appear immediately"));
    let expected = match (reads("origin_at_seed"), reads("origin_head")) {
        (true, false) if only_order => &json!(true),
        _ => case.expected("valid"),
    };
    verdict(&document, expected, false)?;
    tree(&document, case)
}

fn within(where_: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Differs(how) => Fault::Differs(format!("{where_}: {how}")),
        other => other,
    }
}

/// Valid is what breaks no rule that stops a run. With line and column, as a person is told.
fn verdict(document: &Document, expected: &Value, either: bool) -> Result<(), Fault> {
    let found: Vec<String> = document
        .diagnostics()
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| {
            let at = document.position(document.span(&d.place).map_or(0, |span| span.start));
            format!("{} {}:{} {}", d.code, at.line, at.column, d.message)
        })
        .collect();
    if either || *expected == json!(found.is_empty()) {
        return Ok(());
    }
    Err(Fault::differs(format!("valid should be {expected}: {found:?}")))
}

fn printed(document: &Document, text: &str) -> Result<(), Fault> {
    if document.text() == text {
        return Ok(());
    }
    Err(Fault::differs("printing does not give the text back"))
}

/// Both orders of one document mean the same.
fn same_model(last: &Document, first: &Document) -> Result<(), Fault> {
    let (a, b) = (last.workflow().steps(), first.workflow().steps());
    if a == b {
        return Ok(());
    }
    let differs = a.iter().zip(b).find(|(a, b)| a != b);
    Err(Fault::differs(format!(
        "the two orders are read differently: {differs:?}"
    )))
}

/// `expected.code_blocks`: which blocks are executed. A `null` leaves it open.
fn blocks(document: &Document, case: &Case) -> Result<(), Fault> {
    let Some(blocks) = case.expected("code_blocks").as_array() else {
        return Ok(());
    };
    if blocks.iter().any(|block| block["executable"].is_null()) {
        return Ok(());
    }
    let expected = blocks.iter().filter(|block| block["executable"] == json!(true)).count();
    let steps = document.workflow().steps();
    let executed = steps.iter().filter(|s| matches!(s.work, Work::Command { .. })).count();
    same("number of executed blocks", &json!(expected), &json!(executed))
}

/// The origin's tree. Its transitions are left out where the case says that they are a quirk, its commands where the
/// contract is asked about the blocks.
fn tree(document: &Document, case: &Case) -> Result<(), Fault> {
    // Of a document that breaks a rule the origin's tree is whatever it made of it.
    let recorded = case.get("ast").as_object().filter(|_| case.expected("valid") == true);
    let Some(ast) = recorded else {
        return Ok(());
    };
    let workflow = document.workflow();
    if let Some(title) = ast.get("title") {
        same("title", title, &json!(workflow.title))?;
    }
    for field in ["version", "tags"] {
        if let Some(value) = ast.get(field) {
            same(field, value, workflow.fields.get(field).unwrap_or(&Value::Null))?;
        }
    }
    if let Some(description) = ast.get("description").and_then(Value::as_str) {
        words(
            "description",
            description,
            workflow.description.as_deref().unwrap_or(""),
        )?;
    }
    let mut tops = workflow.steps().iter().filter(|step| step.parent.is_none());
    let recorded = ast.get("steps").and_then(Value::as_array).into_iter().flatten();
    for (n, recorded) in recorded.enumerate() {
        let Some(step) = tops.next() else {
            return Err(Fault::differs(format!("there is no step {}", n + 1)));
        };
        unit(document, case, step, recorded).map_err(|fault| within(&format!("step {}", step.id), fault))?;
        let children: Vec<&Step> = workflow.children(step).collect();
        let substeps = recorded["substeps"].as_array().cloned().unwrap_or_default();
        same("number of substeps", &json!(substeps.len()), &json!(children.len()))?;
        for (child, recorded) in children.into_iter().zip(&substeps) {
            unit(document, case, child, recorded).map_err(|fault| within(&format!("substep {}", child.id), fault))?;
        }
    }
    match tops.next() {
        Some(more) => Err(Fault::differs(format!("there is a step too many: {}", more.id))),
        None => Ok(()),
    }
}

fn unit(document: &Document, case: &Case, step: &Step, recorded: &Value) -> Result<(), Fault> {
    let id = step.id.as_str();
    let own = match &step.parent {
        Some(parent) => id.strip_prefix(&format!("{parent}.")).unwrap_or(id),
        None => id,
    };
    let number = recorded["id"].as_str().unwrap_or("").trim_start_matches('0');
    same("id", &json!(number), &json!(own))?;
    same("dynamic", &recorded["dynamic"], &json!(step.dynamic))?;
    if recorded["title"] != json!("") {
        same("title", &recorded["title"], &json!(step.name))?;
    }
    // Behind front matter the origin counts from an accident of its own; a person counts from the first line.
    let line = recorded["line"]
        .as_u64()
        .filter(|_| !document.text().starts_with("---"));
    if let (Some(line), Some(span)) = (line, document.span(&Place::step(step.ordinal))) {
        same("line", &json!(line), &json!(document.position(span.start).line))?;
    }
    if let Some(prompt) = recorded["prompt"].as_str() {
        words("prompt", prompt, step.intent.as_deref().unwrap_or(""))?;
    }
    if case.expected("code_blocks").is_null() {
        let command = match &step.work {
            Work::Command { script, .. } => json!(script.trim_end_matches('\n')),
            _ => Value::Null,
        };
        let expected = recorded["command"]
            .as_str()
            .map(|text| text.trim_end_matches('\n').to_owned());
        same("command", &json!(expected), &command)?;
    }
    let files = match &step.work {
        Work::SubWorkflow { files } => json!(files),
        _ => Value::Null,
    };
    same("runbooks", &recorded["runbooks"], &files)?;
    if case.get("ast_quirk").is_null() {
        same("transitions", &recorded["transitions"], &transitions(step))?;
    }
    Ok(())
}

/// White space and marks are not normative, and the origin drops the text of inline code and links: what it kept must be
/// there in order.
fn words(what: &str, recorded: &str, answered: &str) -> Result<(), Fault> {
    let letters = |text: &str| -> Vec<char> { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let mut rest = letters(answered).into_iter();
    if letters(recorded).into_iter().all(|c| rest.any(|other| other == c)) {
        return Ok(());
    }
    Err(Fault::differs(format!(
        "{what} is {answered:?}, recorded is {recorded:?}"
    )))
}

/// The transitions in the origin's form: with defaults filled in, none at all where the author wrote none.
fn transitions(step: &Step) -> Value {
    let Routing::Transitions { transitions } = &step.routing else {
        return Value::Null;
    };
    if transitions.is_empty() {
        return Value::Null;
    }
    let find = |passed: bool| transitions.iter().find(|t| t.passed == passed);
    let action_of = |passed: bool, default: Action| find(passed).map_or(default, |t| t.action.clone());
    // One modifier fixes the mode; without any it is the pessimistic one.
    let optimistic = |passed: bool| {
        find(passed)
            .and_then(|t| t.quantifier)
            .map(|q| (q == Quantifier::Any) == passed)
    };
    let all = !optimistic(true).or(optimistic(false)).unwrap_or(false);
    let kind = |passed: bool, default: &str| find(passed).map_or(default.to_owned(), |t| t.word.to_lowercase());
    json!({
        "aggregation": if all { "pessimistic(PASS ALL/FAIL ANY)" } else { "optimistic(PASS ANY/FAIL ALL)" },
        "all": all,
        "pass": {"kind": kind(true, "pass"), "action": action(&action_of(true, Action::Continue))},
        "fail": {"kind": kind(false, "fail"), "action": action(&action_of(false, Action::Stop { message: None }))},
    })
}

fn action(action: &Action) -> Value {
    let mut out = Map::new();
    let mut say = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    match action {
        Action::Continue => say("type", json!("CONTINUE")),
        Action::Complete { message } | Action::Stop { message } => {
            let word = if matches!(action, Action::Stop { .. }) {
                "STOP"
            } else {
                "COMPLETE"
            };
            say("type", json!(word));
            if let Some(message) = message {
                say("message", json!(message));
            }
        }
        Action::Goto(jump) => {
            say("type", json!("GOTO"));
            say("target", target(jump));
        }
        Action::Retry { times, then } => {
            say("type", json!("RETRY"));
            say("max", json!(times));
            say("then", self::action(then));
        }
    }
    Value::Object(out)
}

fn target(jump: &Jump) -> Value {
    let parts = |id: &str| match id.split_once('.') {
        Some((step, substep)) => json!({"step": step, "substep": substep}),
        None => json!({"step": id}),
    };
    match jump {
        Jump::To(id) => parts(id.as_str()),
        Jump::Next(None) => json!({"step": "NEXT"}),
        Jump::Next(Some(id)) => json!({"step": "NEXT", "qualifier": parts(id.as_str())}),
    }
}
