//! A tool that hangs, floods or dies does no harm.

use crate::Project;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tool::{Declared, Risk, Served};

async fn number(file: &Path) -> u32 {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let (true, Ok(number)) = (text.ends_with('\n'), text.trim().parse()) {
            return number;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{} was not written",
            file.display()
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn gone(pid: u32) {
    let begun = Instant::now();
    loop {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if status.is_empty()
            || status
                .rsplit(')')
                .next()
                .unwrap_or_default()
                .trim_start()
                .starts_with('Z')
        {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "process {pid} is still there"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_command_reads_its_arguments_and_answers() {
    let mut project = Project::new();
    project.declare(
        "echo",
        "sh -c 'printf %s \"{\\\"name\\\": \\\"$GATEHOUSE_TOOL\\\", \\\"args\\\": \"; cat; printf }'",
    );
    let answer = project.answer("echo", json!({"a": [1, "zwei"]})).await;
    assert_eq!(answer, json!({"name": "echo", "args": {"a": [1, "zwei"]}}));
    project.declare("text", "sh -c 'echo one; echo two'");
    assert_eq!(project.answer("text", Value::Null).await, json!("one\ntwo\n"));
    project.declare("twofold", r#"echo '{"risk": "low", "risk": "high"}'"#);
    let kept = "{\"risk\": \"low\", \"risk\": \"high\"}\n";
    assert_eq!(
        project.answer("twofold", Value::Null).await,
        json!(kept),
        "as a value it would hold one of the two"
    );
    project.declare("silent", "true");
    assert_eq!(project.answer("silent", json!({})).await, Value::Null);
    project.declare("deaf", "sh -c 'exec <&-; pwd'");
    let root = project.root().display().to_string();
    let answer = project.answer("deaf", json!({"long": "x".repeat(1_000_000)})).await;
    assert_eq!(
        answer.as_str().map(str::trim),
        Some(root.as_str()),
        "it runs in the project's folder"
    );
}

#[tokio::test]
async fn a_dying_tool_says_how() {
    let mut project = Project::new();
    project.declare("dying", "sh -c 'echo half; echo \"first\nno licence\" >&2; exit 7'");
    let outcome = project.call("dying", json!({})).await;
    assert_eq!(outcome.error, "command ended with exit code 7: no licence");
    assert_eq!(outcome.output, json!("half\n"), "what it said is kept");
    project.declare("shot", "sh -c 'kill -SEGV $$'");
    assert_eq!(
        project.fault("shot", json!({})).await,
        "command was ended by signal 11 (SIGSEGV)"
    );
    project.declare("nowhere", "no-program-of-this-name --version");
    let fault = project.fault("nowhere", json!({})).await;
    assert!(fault.contains("`no-program-of-this-name` was not found"), "{fault}");
    project.put("notes.txt", "");
    project.declare("broken", "./notes.txt");
    let fault = project.fault("broken", json!({})).await;
    assert!(fault.contains("`./notes.txt` could not be started"), "{fault}");
}

#[tokio::test]
async fn a_flood_is_cut_and_says_so() {
    let mut project = Project::new();
    project.declare("flood", "sh -c 'head -c 20000000 /dev/zero | tr \"\\000\" x'");
    let answer = project.answer("flood", json!({})).await;
    let text = answer.as_str().expect("a text");
    assert!(text.len() < 2_000_000, "{}", text.len());
    assert!(
        text.ends_with("more bytes were not kept]"),
        "{}",
        &text[text.len() - 80..]
    );
    project.declare(
        "loud",
        "sh -c 'head -c 20000000 /dev/zero | tr \"\\000\" x >&2; exit 1'",
    );
    let fault = project.fault("loud", json!({})).await;
    assert!(fault.len() < 1000, "{}", fault.len());
}

#[tokio::test]
async fn an_endless_flood_ends_with_its_time() {
    let mut project = Project::new();
    // As long as a busy machine may take to begin it.
    project.context.timeout = Duration::from_secs(3);
    project.declare("endless", "sh -c 'echo $$ > own; exec yes'");
    let outcome = project.call("endless", json!({})).await;
    assert_eq!(outcome.error, "`endless` did not answer within 3 s, and was ended");
    assert!(
        outcome.output.as_str().is_some_and(|text| text.starts_with("y\ny\n")),
        "what it said is kept"
    );
    gone(number(&project.path("own")).await).await;
}

#[tokio::test]
async fn a_hanging_tool_ends_with_its_whole_family() {
    let mut project = Project::new();
    project.declare(
        "hanging",
        "sh -c 'trap \"\" TERM; (sleep 1000 & echo $! > inner; wait) & setsid sh -c \"echo \\$\\$ > stray; exec sleep 1000\" & echo $$ > own; while true; do sleep 0.1; done'",
    );
    project.context.timeout = Duration::from_secs(5);
    let fault = project.fault("hanging", json!({})).await;
    assert_eq!(fault, "`hanging` did not answer within 5 s, and was ended");
    for name in ["own", "inner", "stray"] {
        gone(number(&project.path(name)).await).await;
    }
}

#[tokio::test]
async fn a_call_that_nobody_wants_any_more_is_ended() {
    let mut project = Project::new();
    project.declare("waiting", "sh -c 'echo $$ > own; exec sleep 1000'");
    let file = project.path("own");
    let stopped = async {
        number(&file).await;
    };
    let outcome = project
        .registry
        .call("waiting", &json!({}), &project.context, stopped)
        .await;
    assert_eq!(outcome.error, "`waiting` was called off");
    gone(number(&file).await).await;
    // And one that is simply dropped.
    std::fs::remove_file(&file).expect("removed");
    let pid = tokio::select! {
        outcome = project.call("waiting", json!({})) => panic!("{outcome:?}"),
        pid = number(&file) => pid,
    };
    gone(pid).await;
}

#[tokio::test]
async fn ending_one_call_leaves_another_alone() {
    let mut project = Project::new();
    project.declare("short", "sleep 1000");
    project.declare(
        "long",
        "sh -c 'echo $$ > own; while [ ! -e over ]; do sleep 0.05; done; echo done'",
    );
    let long = project.call("long", json!({}));
    let other = async {
        number(&project.path("own")).await;
        let stopped = tokio::time::sleep(Duration::from_millis(50));
        let outcome = project
            .registry
            .call("short", &json!({}), &project.context, stopped)
            .await;
        assert_eq!(outcome.error, "`short` was called off");
        project.put("over", "");
    };
    let (long, ()) = tokio::join!(long, other);
    assert_eq!(long.output, json!("done\n"), "{long:?}");
}

#[tokio::test]
async fn a_tool_s_own_time_counts_before_the_project_s() {
    let mut project = Project::new();
    let declared = Declared {
        name: "slow".to_owned(),
        description: String::new(),
        risk: Risk::Low,
        args: None,
        timeout: Some(Duration::from_millis(200)),
        served: Served::Command("sleep 1000".to_owned()),
    };
    assert!(project.registry.declare(&[declared]).is_empty());
    assert_eq!(
        project.fault("slow", json!({})).await,
        "`slow` did not answer within 200 ms, and was ended"
    );
}

#[tokio::test]
async fn what_the_rules_deny_is_not_run_and_secrets_are_not_passed_on() {
    let mut project = Project::new();
    project.context.policy.run.deny.push("touch *".to_owned());
    project.declare("denied", "sh -c 'touch made'");
    let fault = project.fault("denied", json!({})).await;
    assert!(
        fault.starts_with("not permitted, so nothing was run: run `touch made` (deny rule `touch *`)"),
        "{fault}"
    );
    assert!(!project.path("made").exists());
    project.context.environment.push(("SHOWN".into(), "1".into()));
    project.declare("env", "env");
    let shown = project.answer("env", json!({})).await;
    let shown = shown.as_str().expect("a text");
    assert!(
        shown.contains("SHOWN=1\n") && shown.contains("GATEHOUSE_TOOL=env\n"),
        "{shown}"
    );
}
