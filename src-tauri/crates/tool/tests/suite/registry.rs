//! Which tools there are, and what is declared.

use crate::Project;
use model::ToolRefusal;
use serde_json::{Value, json};
use tool::{Call, Declared, Registry, Risk, Rules, Served, Verdict};

fn declared(name: &str, served: Served) -> Declared {
    Declared {
        name: name.to_owned(),
        description: "Does it".to_owned(),
        risk: Risk::High,
        args: Some(json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})),
        timeout: None,
        served,
    }
}

fn command(line: &str) -> Served {
    Served::Command(line.to_owned())
}

#[test]
fn what_is_built_in_is_there_with_its_risk_and_a_schema_that_can_be_used() {
    let registry = Registry::built_in();
    for (name, risk, required) in [
        ("getCurrentTime", Risk::Low, &[][..]),
        ("readTextFile", Risk::Low, &["path"]),
        ("writeTextFile", Risk::Medium, &["path", "content"]),
        ("listFiles", Risk::Low, &["path"]),
        ("repoStatus", Risk::Low, &[]),
    ] {
        let spec = registry.lookup(name).expect(name);
        assert_eq!(spec.risk, risk, "{name}");
        assert_eq!(spec.required_args, required, "{name}");
    }
    for spec in registry.list() {
        assert!(
            spec.description.ends_with('.') && spec.schema["type"] == "object",
            "{}",
            spec.name
        );
        let fault = tool::arguments::refused(spec, &json!({"no such argument": 1}));
        assert!(
            fault.is_some_and(|fault| !fault.contains("cannot be used")),
            "{}",
            spec.name
        );
    }
    assert!(registry.lookup("GetCurrentTime").is_none());
}

#[tokio::test]
async fn arguments_are_checked_by_the_schema_of_the_declaration() {
    let mut project = Project::new();
    assert!(
        project
            .registry
            .declare(&[declared("count", command("cat"))])
            .is_empty()
    );
    assert_eq!(project.fault("count", json!({})).await, "missing required args: n");
    let fault = project.fault("count", json!({"n": "three"})).await;
    assert!(fault.starts_with("argument `n`: "), "{fault}");
    assert_eq!(project.answer("count", json!({"n": 3})).await, json!({"n": 3}));
    assert_eq!(project.fault("zap", json!({})).await, "unknown tool");
}

#[test]
fn what_cannot_be_used_is_left_out_and_told() {
    let mut registry = Registry::built_in();
    let mut odd = declared("odd", command("cat"));
    odd.args = Some(json!({"type": "no such type"}));
    let problems = registry.declare(&[
        declared("good", command("cat -")),
        odd,
        declared("quote", command("cat 'x")),
        declared("empty", command("  ")),
        declared(" ", command("cat")),
        declared("readTextFile", command("cat")),
        declared("good", command("tac")),
    ]);
    for (problem, part) in problems.iter().zip([
        "`odd`",
        "a quote does not end",
        "is empty",
        "without a name",
        "two tools `readTextFile`",
        "two tools `good`",
    ]) {
        assert!(problem.contains(part), "{problem}");
    }
    assert_eq!(problems.len(), 6, "{problems:?}");
    let names: Vec<&str> = registry.list().map(|spec| spec.name.as_str()).collect();
    assert!(
        names.contains(&"good") && !names.contains(&"odd") && !names.contains(&"quote"),
        "{names:?}"
    );
    assert_eq!(
        registry.lookup("readTextFile").map(|spec| spec.risk),
        Some(Risk::Low),
        "what is built in stays"
    );
}

#[test]
fn a_call_is_judged_by_the_tool_of_its_name() {
    let mut registry = Registry::built_in();
    assert!(registry.declare(&[declared("deploy", command("cat"))]).is_empty());
    let judged = |name: &str, args: Value| {
        let call = Call {
            name,
            args: &args,
            risk: None,
            gate: None,
            step: "s1",
        };
        registry.judge(&call, &Rules::default(), |_| false).verdict
    };
    assert_eq!(judged("getCurrentTime", json!({})), Verdict::Go);
    let gate = "tool:deploy:s1".to_owned();
    assert_eq!(judged("deploy", json!({"n": 1})), Verdict::NeedsApproval { gate });
    let missing = ToolRefusal::Other("missing required args: n".to_owned());
    assert_eq!(judged("deploy", json!({})), Verdict::Refused(missing));
    assert_eq!(judged("zap", json!({})), Verdict::Refused(ToolRefusal::Unknown));
}

#[tokio::test]
async fn the_clock_is_the_system_s() {
    let project = Project::new();
    let before = chrono::Utc::now();
    let answer = project
        .answer("getCurrentTime", json!({"timezone": "Europe/Paris"}))
        .await;
    let told: chrono::DateTime<chrono::FixedOffset> = answer.as_str().and_then(|t| t.parse().ok()).expect("a time");
    let after = chrono::Utc::now();
    assert!(
        told.timestamp() >= before.timestamp() && told.timestamp() <= after.timestamp(),
        "{answer}"
    );
    let default = project.answer("getCurrentTime", Value::Null).await;
    let default = default.as_str().expect("a text");
    assert!(default.ends_with("-05:00") || default.ends_with("-04:00"), "{default}");
    let fault = project
        .fault("getCurrentTime", json!({"timezone": "Mars/Olympus"}))
        .await;
    assert!(fault.contains("no time zone"), "{fault}");
}
