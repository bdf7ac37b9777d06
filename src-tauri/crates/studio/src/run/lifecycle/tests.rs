use super::*;
use engine::{At, CheckRecord, Violation};
use model::Risk;
use serde_json::json;

fn call(status: ToolStatus, error: &str) -> ToolRecord {
    ToolRecord {
        name: "readTextFile".to_owned(),
        args: json!({"path": "notes\u{1b}.md"}),
        required: true,
        risk: Risk::Low,
        status,
        error: error.to_owned(),
        output: json!({"text": "one\ntwo"}),
        gate: None,
        earlier: false,
        started_at: At(1_000),
        ended_at: At(1_240),
    }
}

fn rehearsal() -> RunState {
    let workflow = crate::run::sample::deployment();
    let mut created = engine::RunCreated::new("r", &workflow, "d.runbook.md", "0", "test");
    created.rehearsal = true;
    RunState {
        created: Some(std::sync::Arc::new(created)),
        ..RunState::default()
    }
}

#[test]
fn a_call_says_how_it_went_and_what_it_was_given() {
    let view = tool(&call(ToolStatus::Completed, ""), None, false);
    assert_eq!(
        (view.words.as_str(), view.duration_ms, view.error),
        ("answered", Some(240), None)
    );
    // Nothing that a tool is given or answers can steer a terminal or a page.
    assert!(
        !view.args.contains('\u{1b}') && view.args.starts_with("path: "),
        "{}",
        view.args
    );
    let asks = tool(&call(ToolStatus::Blocked, "approval required"), None, false);
    assert_eq!(
        (asks.words.as_str(), asks.duration_ms, asks.error),
        ("waits for a person", None, None)
    );
    let listed = tool(&call(ToolStatus::Blocked, "blocklisted tool"), None, false);
    assert_eq!(listed.words, "may not be used here");
    assert_eq!(listed.error.as_deref(), Some("blocklisted tool"));
    let unknown = tool(&call(ToolStatus::Skipped, "unknown tool"), None, false);
    assert_eq!(
        (unknown.status, unknown.words.as_str()),
        (Status::Skipped, "is not known here")
    );
    let earlier = ToolRecord {
        earlier: true,
        ..call(ToolStatus::Completed, "")
    };
    let again = tool(&earlier, None, false);
    assert!(again.words.contains("not called again"));
}

#[test]
fn a_call_waits_only_as_long_as_somebody_can_answer() {
    let held = call(ToolStatus::Blocked, "approval required");
    let opened = json!({"gate": "w:pay:tool", "round": 1, "instance": {"step": "pay", "path": [], "visit": 1}, "at": "before",
        "requirement": "required", "question": "Pay?", "why": "explicit human gate", "purpose": {"kind": "tool", "ask": {"gate": "w:pay:tool", "tool": held.name, "args": held.args, "risk": "high", "call": "00"}}});
    let round = |answer: &str| {
        let decision = json!({"gate": "w:pay:tool", "round": 1, "answer": answer, "by": "Ada Lund"});
        GateRound {
            opened: serde_json::from_value(opened.clone()).expect("a gate"),
            opened_at: At(2_000),
            since: At(2_000),
            answer: Some((serde_json::from_value(decision).expect("a decision"), At(3_000))),
        }
    };
    let said = |round: Option<&GateRound>, over| {
        let view = tool(&held, round, over);
        (view.status, view.words)
    };
    assert_eq!(said(None, false).1, "waits for a person");
    assert_eq!(
        said(None, true).1,
        "was not called: the run ended before anybody answered"
    );
    assert_eq!(
        said(Some(&round("reject")), true),
        (Status::Refused, "was not called: Ada Lund did not allow it".to_owned())
    );
    assert_eq!(
        said(Some(&round("approve")), true).1,
        "waited for a person; Ada Lund allowed it after that"
    );
    // What was never held back is as it was, whoever has answered what.
    let done = call(ToolStatus::Completed, "");
    assert_eq!(tool(&done, Some(&round("reject")), true).words, "answered");
}

#[test]
fn a_guardrail_tells_what_stops_from_what_warns() {
    let report = |status: &str, action: &str| GuardrailReport {
        stage: "outputs".into(),
        status: status.into(),
        violations: vec![Violation {
            kind: "pii".into(),
            rule: "iban".to_owned(),
            found: "NO93…".to_owned(),
            source: "docs/prd.md".to_owned(),
            action: action.into(),
        }],
    };
    let stops = guardrail(&RunState::default(), &report("failed", "block"), &[]);
    assert_eq!((stops.status, stops.name.as_str()), (Status::Failed, "Output check"));
    assert_eq!(stops.words, "1 thing was found that may not stand there");
    assert!(stops.findings[0].blocks && stops.findings[0].kind == "personal data");
    let warns = guardrail(&RunState::default(), &report("warned", "warn"), &[]);
    assert_eq!((warns.status, warns.findings[0].blocks), (Status::Waiting, false));
    let clean = guardrail(
        &RunState::default(),
        &GuardrailReport {
            stage: "inputs".into(),
            status: "passed".into(),
            violations: vec![],
        },
        &[],
    );
    assert_eq!(
        (clean.status, clean.words.as_str()),
        (Status::Done, "nothing was found")
    );
    let rehearsed = rehearsal();
    let passed = GuardrailReport {
        stage: "outputs".into(),
        status: "passed".into(),
        violations: vec![],
    };
    assert_eq!(guardrail(&rehearsed, &passed, &[]).status, Status::Skipped);
    // What goes in is looked at in a rehearsal as in any run.
    let looked_at = GuardrailReport {
        stage: "inputs".into(),
        ..passed.clone()
    };
    assert_eq!(guardrail(&rehearsed, &looked_at, &[]).status, Status::Done);
    assert_eq!(
        guardrail(&rehearsed, &report("failed", "block"), &[]).status,
        Status::Failed
    );
    // Of a file that was there before it is not said that a step made it.
    let file = |path: &str, was_there| Artifact {
        path: path.to_owned(),
        digest: "1".into(),
        bytes: 1,
        was_there,
        executable: None,
    };
    let one = guardrail(
        &RunState::default(),
        &report("warned", "warn"),
        &[file("docs/prd.md", true)],
    );
    assert_eq!(
        (one.name.as_str(), one.findings[0].source.as_str()),
        ("Check of files that no step of this run made", "docs/prd.md")
    );
    let made = [file("docs/prd.md", true), file("docs/new.md", false)];
    let both = guardrail(&RunState::default(), &report("warned", "warn"), &made);
    assert_eq!(both.name, "Output check");
    assert_eq!(both.findings[0].source, "docs/prd.md, which no step of this run made");
}

#[test]
fn a_rehearsal_says_of_no_tool_that_it_answered_and_of_no_check_that_it_passed() {
    let rehearsed = rehearsal();
    let of = engine::Instance {
        step: "pay".into(),
        path: vec![],
        visit: 1,
    };
    let words = |status, output: serde_json::Value| {
        let call = ToolRecord {
            output,
            ..call(status, "")
        };
        let view = tools(&rehearsed, &of, &[call]).remove(0);
        (view.status, view.words)
    };
    let (status, said) = words(ToolStatus::Completed, Value::Null);
    assert_eq!(
        (status, said.as_str()),
        (Status::Skipped, "rehearsed: it was not called")
    );
    let (_, said) = words(ToolStatus::Completed, json!({"text": "one"}));
    assert!(said.ends_with("its answer stands in the scenario"), "{said}");
    let check = |status| CheckRecord {
        check: "ast".to_owned(),
        target: "a.py".to_owned(),
        status,
        message: String::new(),
        line: None,
    };
    let of = |passed, status| Validation {
        policy: "AST".to_owned(),
        passed,
        checks: vec![check(status)],
    };
    let passed = validation(&rehearsed, &of(true, CheckStatus::Passed));
    assert_eq!(passed.words, "a rehearsal: nothing was checked");
    assert_eq!(passed.checks[0].status, Status::Skipped);
    let failed = validation(&rehearsed, &of(false, CheckStatus::Failed));
    assert_eq!(failed.words, "the scenario says so: 1 of 1 check failed");
    let real = validation(&RunState::default(), &of(true, CheckStatus::Passed));
    assert_eq!(real.words, "1 check passed");
}

#[test]
fn a_check_without_a_runner_is_no_pass() {
    let check = |status, message: &str| CheckRecord {
        check: "typecheck".to_owned(),
        target: "src/a.py".to_owned(),
        status,
        message: message.to_owned(),
        line: (status == CheckStatus::Failed).then_some(3),
    };
    let with = |checks: Vec<CheckRecord>| {
        checked(&Validation {
            policy: "AST + type".to_owned(),
            passed: false,
            checks,
        })
    };
    let absent = with(vec![check(CheckStatus::Absent, "")]);
    assert_eq!(absent.words, "nothing was checked, 1 not looked at");
    assert_eq!(
        (absent.checks[0].status, absent.checks[0].detail.as_str()),
        (Status::Skipped, "its runner is not on this machine")
    );
    let mixed = with(vec![
        check(CheckStatus::Failed, "no such name"),
        check(CheckStatus::Passed, ""),
        check(CheckStatus::Absent, "mypy is not on this machine"),
    ]);
    assert_eq!(mixed.words, "1 of 3 checks failed, 1 not looked at");
    assert_eq!(
        (mixed.checks[0].name.as_str(), mixed.checks[0].detail.as_str()),
        ("Types: src/a.py", "line 3: no such name")
    );
    assert_eq!(mixed.checks[2].detail, "mypy is not on this machine");
    assert_eq!(with(vec![]).words, "nothing was checked");
}

#[test]
fn what_was_looked_up_is_named_by_place_and_tier() {
    let view = context(&json!({
        "query": "parse config", "language": "python", "source": "lsp",
        "lsp": {"method": "hover", "path": "src/a.py", "line": 2, "character": 4, "answer": {"contents": "def parse(path)"}},
        "phases": [{"phase": 1, "tier": "nano", "budget": 200, "tokens": 31, "left_out": 1, "shards": [
            {"path": "src/a.py", "language": "python", "kind": "function", "name": "parse", "first_line": 3, "last_line": 9,
             "score": 0.93, "tokens": 9, "digest": "0", "text": "def parse(path)"}]}],
        "tokens": 31, "notes": ["nothing else fits"],
    }));
    let view = view.expect("a context");
    assert_eq!(view.words, "2 passages, 31 tokens, from a language server");
    let titles: Vec<&str> = view.passages.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, ["hover of src/a.py, line 3", "src/a.py, lines 3 to 9: parse"]);
    assert_eq!(
        (view.passages[1].tier.as_str(), view.passages[1].tokens),
        ("nano", Some(9))
    );
    let tiers = view.fields.iter().find(|field| field.name == "tiers").expect("tiers");
    assert_eq!(tiers.value, "nano: 31 of 200 tokens, 1 left out");
    assert_eq!(context(&json!({})), None);
    assert_eq!(context(&json!("odd")), None);
}
