//! What is done around the work of a step, whatever its format: guardrails of the project, files that are taken only
//! when they have passed, and a time of its own for everything that may hang.

use crate::harness::{ONE, Project, ended, path, result};
use engine::{Answer, EndStatus, Event, Level, RunId, RunState, RunStatus};
use runtime::{Control, StartRequest};
use std::time::{Duration, Instant};

const GUARDED: &str = "guardrails: {enabled: true}\n";

async fn run(project: &Project, path: &str, text: &str) -> RunState {
    let run = start(project, path, text);
    project.drive(&run).await
}

fn start(project: &Project, path: &str, text: &str) -> RunId {
    let file = project.root.join(path);
    std::fs::create_dir_all(file.parent().expect("inside")).expect("made");
    std::fs::write(&file, text).expect("written");
    let request = StartRequest {
        path: path.into(),
        source: text.into(),
        by: "Ann".into(),
        initiator: "test".into(),
        permit: true,
        ..StartRequest::default()
    };
    project
        .driver(Project::options())
        .start(&request)
        .expect("it can be run")
}

fn with_worker(config: &str, line: &str) -> Project {
    Project::new(&format!(
        "{config}agents: {{worker: {{engine: shell, run: {line:?}}}}}\n"
    ))
}

#[tokio::test]
async fn guardrails_look_at_what_a_step_of_any_format_says() {
    const SAYS: &str = "echo call 555-123-4567";
    let formats = [
        ("flow.yaml", ONE.to_owned(), "work"),
        (
            "w.yaml",
            "format: stepspec\nworkflow: w\nsteps:\n- {id: work, name: Work, agent: worker}\n".to_owned(),
            "work",
        ),
        (
            "pipelines/PIPE-20260102-release-030405.yaml",
            "pipeline_id: PIPE-20260102-release-030405\nname: R\nstatus: pending\nstages:\n  - {name: work, agent: worker}\n".to_owned(),
            "work",
        ),
        (
            "book.runbook.md",
            format!("# Book\n\n## 1 Work\n- PASS: COMPLETE\n- FAIL: STOP\n\n```bash\n{SAYS}\n```\n"),
            "1",
        ),
    ];
    for (file, text, step) in formats {
        let state = run(&with_worker(GUARDED, SAYS), file, &text).await;
        let found = result(&state, step).error.clone().unwrap_or_default();
        assert!(
            found.contains("`output` holds a telephone number, which this project stops"),
            "{file}: {found}"
        );
        assert_ne!(state.status, RunStatus::Ended(EndStatus::Succeeded), "{file}");
        // Without guardrails the same run goes well, and its log holds nothing of them.
        let state = run(&with_worker("", SAYS), file, &text).await;
        assert_eq!(state.status, RunStatus::Ended(EndStatus::Succeeded), "{file}");
        assert_eq!(result(&state, step).lifecycle, None, "{file}");
    }
}

/// What a record holds stays in it: what is entered is looked at before there is one, for real and in a rehearsal.
#[tokio::test]
async fn what_is_entered_at_a_start_is_held_against_the_guardrails_before_anything_is_recorded() {
    const NUMBER: &str = "DE89370400440532013000";
    const ASKS: &str = "format: stepspec\nworkflow: w\nquestions:\n- {name: purpose, label: What is it for?, kind: long_text, required: true}\n\
                        steps:\n- {id: work, name: Work, agent: worker}\n";
    let project = with_worker(GUARDED, "touch ran");
    let typed = |name: &str| model::Fields::from_iter([(name.to_owned(), format!("Rye, IBAN {NUMBER}").into())]);
    for rehearse in [false, true] {
        let start = |source: &str, inputs: model::Fields, subject: Option<&str>| {
            let request = StartRequest {
                path: "flow.yaml".into(),
                source: source.into(),
                inputs,
                subject: subject.map(str::to_owned),
                rehearse,
                by: "Ann".into(),
                permit: true,
                ..StartRequest::default()
            };
            project.driver(Project::options()).start(&request)
        };
        let refused = |started: Result<RunId, runtime::Error>| match started {
            Err(error @ runtime::Error::Guardrail { .. }) => error.to_string(),
            other => panic!("it must be refused: {other:?}"),
        };
        assert_eq!(
            refused(start(ASKS, typed("purpose"), None)),
            "“What is it for?” holds an account number (IBAN), which this project stops. Take it out and start again."
        );
        let flour = model::Fields::from_iter([("purpose".to_owned(), "Rye flour".into())]);
        let about = refused(start(ASKS, flour.clone(), Some(&format!("Rye {NUMBER}"))));
        assert!(
            about.starts_with("“What is this about?” holds an account number (IBAN)"),
            "{about}"
        );
        // What no question asks for, and its name, are no way around it.
        for (source, inputs) in [
            (ONE, typed("to")),
            (
                ONE,
                typed("to").into_keys().map(|_| (NUMBER.to_owned(), 1.into())).collect(),
            ),
        ] {
            let said = refused(start(source, inputs, None));
            assert!(
                said.contains("holds an account number (IBAN)") && !said.contains(NUMBER),
                "{said}"
            );
        }
        // Nor is the name of whoever is to do a step.
        let request = StartRequest {
            path: "flow.yaml".into(),
            source: ONE.into(),
            assigned: [("work".into(), NUMBER.into())].into(),
            rehearse,
            by: "Ann".into(),
            permit: true,
            ..StartRequest::default()
        };
        assert_eq!(
            refused(project.driver(Project::options()).start(&request)),
            "The name of whoever does `work` holds an account number (IBAN), which this project stops. Take it out and start again."
        );
        let recorded = project.store.runs(&store::RunFilter::default()).expect("the runs");
        assert!(recorded.is_empty(), "nothing is written");
        assert!(!project.root.join("ran").exists());
        // Without it the run begins, and the rules are those of its start.
        let other = Project::new(&format!(
            "{GUARDED}agents: {{worker: {{engine: shell, run: 'true'}}}}\n"
        ));
        let request = StartRequest {
            path: "flow.yaml".into(),
            source: ASKS.into(),
            inputs: flour,
            rehearse,
            by: "Ann".into(),
            permit: true,
            ..StartRequest::default()
        };
        let run = other.driver(Project::options()).start(&request).expect("it begins");
        let state = other.drive(&run).await;
        assert_eq!(
            state.status,
            RunStatus::Ended(EndStatus::Succeeded),
            "{:?}",
            state.error
        );
        assert!(state.created.as_deref().expect("created").config.is_some());
    }
}

/// What somebody says to a run stays in its record, too: it is held against the rules that the run began with.
#[tokio::test]
async fn what_is_said_to_a_run_is_held_against_its_guardrails() {
    const NUMBER: &str = "555-123-4567";
    let said = |text: &str, is_output| runtime::Said {
        field: "comment",
        name: "Your comment",
        value: text.into(),
        is_output,
    };
    let out_alone = "guardrails: {enabled: true, inputs: {pii: {enabled: false}}}\n";
    for (config, of_answer, of_outcome) in [("", true, true), (GUARDED, false, false), (out_alone, true, false)] {
        let project = with_worker(config, "true");
        let state = run(&project, "flow.yaml", ONE).await;
        let created = state.created.expect("it was created");
        // What the project wants now is no matter of a run that has begun.
        std::fs::write(project.root.join("gatehouse.yaml"), "version: 1\n").expect("other settings");
        for (is_output, goes) in [(false, of_answer), (true, of_outcome)] {
            let number = said(&format!("Call {NUMBER}"), is_output);
            let fine = said("Call later", is_output);
            runtime::may_be_said(&project.store, &created, std::slice::from_ref(&fine)).expect("it holds nothing");
            match runtime::may_be_said(&project.store, &created, &[fine, number]) {
                Ok(warned) => assert!(goes && warned.is_empty(), "{config} {is_output}"),
                Err(error) => {
                    let why = "Your comment holds a telephone number, which this project stops. Take it out and say it again.";
                    assert_eq!(error.to_string(), why);
                    assert!(!goes, "{config} {is_output}");
                }
            }
        }
    }
}

/// Whoever is refused mends all of it at once.
#[tokio::test]
async fn everything_that_the_guardrails_stop_is_named_at_once() {
    let project = with_worker(GUARDED, "true");
    let state = run(&project, "flow.yaml", ONE).await;
    let created = state.created.expect("it was created");
    let said = runtime::Said {
        field: "comment",
        name: "Your comment",
        value: "Pay to DE89370400440532013000, call 555-123-4567, write to ada@example.org or bob@example.org".into(),
        is_output: true,
    };
    let error = runtime::may_be_said(&project.store, &created, &[said]).expect_err("it is stopped");
    assert_eq!(
        error.to_string(),
        "Your comment holds an account number (IBAN), a telephone number and a mail address, which this project stops. \
         Take it out and say it again."
    );
}

/// What the rules let pass is recorded, and whoever says it is told what they found.
#[tokio::test]
async fn what_the_guardrails_only_warn_of_is_told_to_whoever_says_it() {
    let warning = "guardrails: {enabled: true, on_violation: warn, rules: {blocklist: [kettle]}}\n";
    let project = with_worker(warning, "true");
    let state = run(&project, "flow.yaml", ONE).await;
    let created = state.created.expect("it was created");
    let said = runtime::Said {
        field: "comment",
        name: "Your comment",
        value: "The kettle boils".into(),
        is_output: false,
    };
    let warned = runtime::may_be_said(&project.store, &created, &[said]).expect("it passes");
    assert_eq!(warned, ["Your comment holds “kettle”, of which this project warns."]);
}

#[tokio::test]
async fn guardrails_look_at_files_and_inputs_whatever_they_are_called() {
    let making = |name: &str| ONE.replace("    routing", &format!("    outputs: [{name}]\n    routing"));
    for (file, text, line) in [
        (
            "flow.yaml",
            making("output"),
            "echo 'Call 555-123-4567' > output; echo fine",
        ),
        (
            "flow.yaml",
            making("report"),
            r#"echo 'Call 555-123-4567' > report; echo '{"owner": "Ann"}' > "$GATEHOUSE_REPORT""#,
        ),
        (
            "w.yaml",
            "format: stepspec\nworkflow: w\nsteps:\n- {id: work, name: Work, agent: worker, inputs: {tools: ann@example.org}, \
             tools: [{name: getCurrentTime, args: {timezone: UTC}}]}\n"
                .to_owned(),
            "true",
        ),
    ] {
        let state = run(&with_worker(GUARDED, line), file, &text).await;
        let why = result(&state, "work").error.as_deref().unwrap_or_default();
        assert!(why.contains("which this project stops"), "{line}: {why}");
    }
}

#[tokio::test]
async fn guardrails_look_at_all_that_is_reported_wherever_it_stands() {
    const NUMBER: &str = "DE89370400440532013000";
    let making = ONE.replace("    routing", "    outputs: [out.md]\n    routing");
    for report in [
        format!(r#"{{"{NUMBER}": 1}}"#),
        format!(r#"{{"people": [{{"{NUMBER}": "paid"}}]}}"#),
        format!(r#"{{"artifacts": ["{NUMBER}.md"]}}"#),
        format!(r#"{{"transcript": ["Paid to {NUMBER}."]}}"#),
        format!(r#"{{"tools": [{{"tool": "pay", "input": {{"to": "{NUMBER}"}}}}]}}"#),
        format!(r#"{{"tools": [{{"tool": "pay", "output": "{NUMBER}"}}]}}"#),
        format!(r#"{{"status": "skipped", "error": "no right to {NUMBER}"}}"#),
        format!(r#"{{"model": "{NUMBER}"}}"#),
        r#"{"note": "DE89 3704 0044\n0532 0130 00"}"#.to_owned(),
    ] {
        let line = format!("touch out.md {NUMBER}.md; cp said.json \"$GATEHOUSE_REPORT\"");
        let project = with_worker(GUARDED, &line);
        std::fs::write(project.root.join("said.json"), &report).expect("what it reports");
        let state = run(&project, "flow.yaml", &making).await;
        let done = result(&state, "work");
        let why = done.error.as_deref().unwrap_or_default();
        assert!(
            why.contains("holds an account number (IBAN), which this project stops"),
            "{report}: {why}"
        );
        assert!(!why.contains(NUMBER), "{why}");
    }
    let fine = r#"{"status": "skipped", "error": "nothing to do", "model": "m", "transcript": ["Fine."]}"#;
    let project = with_worker(GUARDED, "cp said.json \"$GATEHOUSE_REPORT\"");
    std::fs::write(project.root.join("said.json"), fine).expect("what it reports");
    let state = run(&project, "flow.yaml", ONE).await;
    assert_eq!(
        state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        state.error
    );
}

#[tokio::test]
async fn guardrails_look_at_what_is_recorded_of_work_that_failed() {
    const NUMBER: &str = "DE89370400440532013000";
    const FOUND: &str = "holds an account number (IBAN), which this project stops";
    let reports = "cp said.json \"$GATEHOUSE_REPORT\"";
    for (report, line, why) in [
        (
            format!(r#"{{"status": "failed", "error": "no right to {NUMBER}"}}"#),
            reports.to_owned(),
            "`".to_owned(),
        ),
        (
            format!(r#"{{"status": "failed", "error": "no network", "to": "{NUMBER}"}}"#),
            reports.to_owned(),
            "no network; `".to_owned(),
        ),
        (
            String::new(),
            format!("echo {NUMBER}; exit 3"),
            "command ended with exit code 3; `".to_owned(),
        ),
        (
            String::new(),
            format!("echo {NUMBER}; sleep 600"),
            "the step was stopped after 5 s: it did not end within its time limit; `".to_owned(),
        ),
    ] {
        // On a busy machine the others take a while.
        let limit = if line.contains("sleep") { 5 } else { 300 };
        let project = with_worker(&format!("{GUARDED}runtime: {{step_timeout_seconds: {limit}}}\n"), &line);
        std::fs::write(project.root.join("said.json"), &report).expect("what it reports");
        let state = run(&project, "flow.yaml", ONE).await;
        let work = result(&state, "work");
        let error = work.error.as_deref().unwrap_or_default();
        let said = error.starts_with(&why) && error.contains(FOUND);
        assert!(said && !error.contains(NUMBER), "{line}: {error}");
        let held = work.lifecycle.as_deref().expect("it was looked at");
        let found = held.guardrail(engine::GuardStage::Outputs).expect("what was said, too");
        assert_eq!(found.status.as_str(), "failed", "{line}");
    }
    // What holds nothing of it failed for its own reason alone.
    let state = run(&with_worker(GUARDED, "echo fine; exit 3"), "flow.yaml", ONE).await;
    let work = result(&state, "work");
    assert_eq!(work.error.as_deref(), Some("command ended with exit code 3"));
    let held = work.lifecycle.as_deref().expect("it was looked at");
    let stages: Vec<&str> = held.guardrails.iter().map(|report| report.status.as_str()).collect();
    assert_eq!(stages, ["passed", "passed"]);
}

#[tokio::test]
async fn guardrails_say_what_they_did_not_look_at_and_look_at_what_is_no_text() {
    let making = ONE.replace("    routing", "    outputs: [made]\n    routing");
    let kept = "head -c 5000000 /dev/zero > made";
    let too_large = "truncate -s 21M made";
    for (rules, line, word) in [
        ("", kept, "warned"),
        ("", too_large, "warned"),
        (", on_violation: block", kept, "failed"),
        (", outputs: {on_violation: block}", too_large, "failed"),
        (
            ", on_violation: warn, size: {max_bytes: 1000, on_violation: block}",
            too_large,
            "failed",
        ),
    ] {
        let config = format!("guardrails: {{enabled: true{rules}}}\n");
        let state = run(&with_worker(&config, line), "flow.yaml", &making).await;
        let work = result(&state, "work");
        let held = work.lifecycle.as_deref().expect("it was looked at");
        let report = held
            .guardrail(engine::GuardStage::Outputs)
            .expect("what came out was looked at");
        assert_eq!(report.status.as_str(), word, "{rules}: {:?}", report.violations);
        let said = &report.violations[0];
        assert_eq!(
            (said.rule.as_str(), said.source.as_str()),
            ("unread", "made"),
            "{rules}"
        );
        assert_eq!(work.error.is_some(), word == "failed", "{:?}", work.error);
        // What did not pass is no work of the step.
        let unkept: Vec<(&str, u64)> = held.unkept.iter().map(|one| (one.path.as_str(), one.bytes)).collect();
        let expected = [("made", 21 << 20)];
        let is_unkept = line == too_large && word == "warned";
        assert_eq!(unkept, if is_unkept { &expected[..] } else { &[] }, "{rules}");
    }
    let binary = r"printf '\377\376 call 555-123-4567 \000' > made";
    let state = run(&with_worker(GUARDED, binary), "flow.yaml", &making).await;
    let why = result(&state, "work").error.as_deref().unwrap_or_default();
    assert!(why.starts_with("`made` holds a telephone number"), "{why}");
}

const ID: &str = "PIPE-20260102-release-030405";

fn pipeline(stages: &str) -> String {
    format!("pipeline_id: {ID}\nname: R\nstatus: pending\nstages:\n{stages}")
}

#[tokio::test]
async fn a_stage_s_files_become_the_latest_only_when_they_have_passed() {
    let project = Project::new(GUARDED);
    let latest = project.root.join("pipelines/outputs/report");
    std::fs::create_dir_all(&latest).expect("made");
    std::fs::write(latest.join("report.md"), "the last one that passed\n").expect("written");
    let stages = pipeline(
        "  - {name: report, run: 'echo call 555-123-4567 > \"$GATEHOUSE_OUTPUT_FOLDER/report.md\"', outputs: [report.md]}\n",
    );
    let state = run(&project, &format!("pipelines/{ID}.yaml"), &stages).await;
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Failed));
    assert!(
        result(&state, "report").artifacts.is_empty(),
        "what did not pass is not taken"
    );
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).expect("there");
    assert_eq!(read(latest.join("report.md")), "the last one that passed\n");
    let own = project.root.join(format!("pipelines/outputs/{ID}/report/report.md"));
    assert!(read(own).contains("555"), "it stays where it was made, to be looked at");

    let project = Project::new(GUARDED);
    let stages = pipeline(
        "  - {name: report, run: 'echo fine > \"$GATEHOUSE_OUTPUT_FOLDER/report.md\"', outputs: [report.md]}\n",
    );
    run(&project, &format!("pipelines/{ID}.yaml"), &stages).await;
    assert_eq!(read(project.root.join("pipelines/outputs/report/report.md")), "fine\n");
}

#[tokio::test]
async fn what_a_person_has_carried_out_passes_the_same_stages() {
    let config = format!("{GUARDED}agents: {{worker: person}}\n");
    let flow = ONE.replace("    routing", "    outputs: [report.md]\n    routing");
    let stages = pipeline("  - {name: work, agent: worker, outputs: [report.md]}\n");
    let steps = "format: stepspec\nworkflow: w\nsteps:\n- {id: work, name: Work, agent: worker, outputs: ['{output_folder}/report.md'], \
                 validation: Format validation, evidence: L1}\n";
    for (file, text, made) in [
        ("flow.yaml".to_owned(), flow.as_str(), "report.md"),
        (format!("pipelines/{ID}.yaml"), stages.as_str(), "report.md"),
        ("w.yaml".to_owned(), steps, "docs/report.md"),
    ] {
        for (content, passes) in [("fine\n", true), ("call 555-123-4567\n", false)] {
            let project = Project::new(&config);
            let run = start(&project, &file, text);
            let driving = project.driving(&run, Project::options(), &Control::default());
            project
                .until(&run, "the question", |s| s.status == RunStatus::Blocked)
                .await;
            let report = project.root.join(made);
            std::fs::create_dir_all(report.parent().expect("inside")).expect("made");
            std::fs::write(report, content).expect("written");
            project.answer(&run, Answer::Pass, "Ann", "").expect("it counts");
            let (_, state) = driving.await.expect("no panic").expect("driven");
            let done = result(&state, "work");
            assert_eq!(done.error.is_none(), passes, "{file}: {:?}", done.error);
            assert_eq!(
                done.artifacts.len(),
                usize::from(passes),
                "{file}: {:?}",
                done.artifacts
            );
            assert_eq!(state.evidence.len(), usize::from(passes && file == "w.yaml"), "{file}");
        }
    }
}

#[tokio::test]
async fn what_a_person_has_made_by_hand_is_checked_as_any_work() {
    let steps = "format: stepspec\nworkflow: w\nsteps:\n- {id: work, name: Work, agent: worker, outputs: ['{output_folder}/a.ts', \
                 '{output_folder}/b.md (optional)'], validation: AST + type + lint, evidence: L1}\n";
    let own = "checks: {typecheck-ts: grep -q number, lint: test -s}\n";
    for (checks, content, says, level) in [
        ("", None, "makes `docs/a.ts`, and nothing is there", None),
        ("", Some("const x: = = broken(((\n"), "this is no TypeScript", None),
        ("", Some("const x: number = 1;\n"), "", Some(Level::L0)),
        (own, Some("const x: string = '';\n"), "docs/a.ts: ", None),
        (own, Some("const x: number = 1;\n"), "", Some(Level::L1)),
    ] {
        let project = Project::new(&format!(
            "agents: {{worker: person}}\nfolders: {{output: docs}}\n{checks}"
        ));
        let run = start(&project, "w.yaml", steps);
        let driving = project.driving(&run, Project::options(), &Control::default());
        project
            .until(&run, "the question", |s| s.status == RunStatus::Blocked)
            .await;
        if let Some(content) = content {
            std::fs::create_dir_all(project.root.join("docs")).expect("made");
            std::fs::write(project.root.join("docs/a.ts"), content).expect("written");
        }
        project.answer(&run, Answer::Pass, "Ann", "").expect("it counts");
        let (_, state) = driving.await.expect("no panic").expect("driven");
        let why = result(&state, "work").error.clone().unwrap_or_default();
        assert_eq!(why.is_empty(), level.is_some(), "{content:?}: {why}");
        assert!(why.contains(says), "{content:?}: {why}");
        let records: Vec<_> = state.evidence.iter().map(|entry| &entry.record).collect();
        assert_eq!(records.first().map(|record| record.level), level, "{content:?}");
        if let (Some(record), "") = (records.first(), checks) {
            assert_eq!(
                record.notes,
                "Not looked at: typecheck of docs/a.ts, lint of docs/a.ts."
            );
        }
    }
}

/// How a step ended around which something hangs, and how long that took.
async fn hanging(config: &str, step: &str) -> (RunState, Duration) {
    let project = with_worker(config, "touch ran");
    std::fs::write(project.root.join("hang.sh"), "sleep 600\n").expect("a script");
    std::fs::write(project.root.join("hang.py"), "wait = 600\n").expect("a document");
    let flow = format!(
        "format: stepspec\nworkflow: w\nsteps:\n- id: work\n  name: Work\n  agent: worker\n  outputs: ['{{output_folder}}/a.md']\n{step}"
    );
    std::fs::create_dir_all(project.root.join("docs")).expect("made");
    std::fs::write(project.root.join("docs/a.md"), "x").expect("written");
    let begun = Instant::now();
    let state = run(&project, "w.yaml", &flow).await;
    (state, begun.elapsed())
}

#[tokio::test]
async fn everything_that_hangs_ends_in_its_own_time_and_says_so_in_its_own_words() {
    let tools = "tools: {timeout_seconds: 0.5, declared: [{name: wait, risk: low, command: sh hang.sh}]}\nchecks: {slow: {command: sh hang.sh}}\n";
    let call = "  tools: [{name: wait, required: true}]\n";
    let (state, took) = hanging(tools, call).await;
    assert_eq!(
        result(&state, "work").error.as_deref(),
        Some("`wait` did not answer within 500 ms, and was ended")
    );
    assert!(took < Duration::from_secs(120), "{took:?}");

    let (state, took) = hanging(tools, "  validation: slow\n").await;
    let why = result(&state, "work").error.clone().unwrap_or_default();
    assert!(
        why.starts_with("validation failed")
            && why.contains("the check `slow` did not end within 500 ms, and was ended"),
        "{why}"
    );
    assert!(took < Duration::from_secs(120), "{took:?}");

    // A language server that never says anything: the call to it ends first, and then what is given to all of looking
    // up.
    let asks = "  inputs: {telis_method: hover, telis_document_path: hang.py, telis_line: 0, telis_character: 0}\n";
    let servers = "language_servers: {python: {command: sh hang.sh}}\ncontext: {timeout_seconds: 0.5}\ntools: {timeout_seconds: 20}\n";
    let (state, took) = hanging(servers, asks).await;
    assert_eq!(
        result(&state, "work").error.as_deref(),
        Some("the step's context cannot be looked up: that took longer than 500 ms")
    );
    assert!(took < Duration::from_secs(120), "{took:?}");
}

#[tokio::test]
async fn time_that_tools_take_is_not_taken_from_the_work_and_work_that_hangs_says_so() {
    let slow = "runtime: {step_timeout_seconds: 3}\ntools: {declared: [{name: wait, risk: low, command: sleep 4}]}\n";
    let (state, _) = hanging(slow, "  tools: [{name: wait, required: true}]\n").await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(path(&state), "work");

    let project = with_worker("runtime: {step_timeout_seconds: 1}\n", "sleep 600");
    let state = project.whole(ONE, None).await;
    assert_eq!(
        state.error.as_deref(),
        Some("the step was stopped after 1 s: it did not end within its time limit")
    );
}

#[tokio::test]
async fn what_an_agent_of_a_flow_says_of_evidence_stays_its_report() {
    let report = r#"echo '{"evidence": [{"claim": "It was read twice"}]}' > "$GATEHOUSE_REPORT""#;
    let state = Project::shell(report).whole(ONE, None).await;
    let work = result(&state, "work");
    assert!(work.report.contains_key("evidence"));
    assert_eq!((&work.lifecycle, state.evidence.len()), (&None, 0));
}

#[tokio::test]
async fn a_run_around_which_nothing_is_done_keeps_no_settings() {
    let state = with_worker("tools: {timeout_seconds: 5}\n", "true")
        .whole(ONE, None)
        .await;
    assert_eq!(state.created.as_deref().expect("created").config, None);
    let project = with_worker(GUARDED, "echo fine");
    let run = project.start(ONE, None);
    let state = project.drive(&run).await;
    let held = result(&state, "work").lifecycle.as_deref().expect("it was looked at");
    let stages: Vec<&str> = held.guardrails.iter().map(|report| report.stage.as_str()).collect();
    assert_eq!(stages, ["inputs", "outputs"]);
    assert!(
        project
            .events(&run)
            .iter()
            .any(|event| matches!(event, Event::AttemptEnded { .. }))
    );
}
