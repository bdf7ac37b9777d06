//! StepSpec (seed 000): what happens around a step's work, for real.

use crate::harness::{Project, ended, result};
use engine::{Answer, Choice, ExecutionStatus, Intent, Level, Lifecycle, RunId, RunState, RunStatus, ToolStatus};
use runtime::{Control, Error, Options, StartRequest};
use std::collections::BTreeMap;

const CONFIG: &str = "\
agents: {writer: {engine: shell, run: sh write.sh}}
folders: {output: papers}
tools:
  declared:
    - {name: shout, description: Says it louder, risk: low, args: {type: object, required: [text]}, command: sh shout.sh}
    - {name: deploy, description: Puts it out, risk: high, command: \"sh -c 'echo out >> deployed'\"}
";

fn project(write: &str) -> Project {
    let project = Project::new(CONFIG);
    std::fs::write(project.root.join("write.sh"), write).expect("a script");
    std::fs::write(project.root.join("shout.sh"), "tr a-z A-Z\n").expect("a script");
    project
}

fn workflow(step: &str) -> String {
    format!(
        "format: stepspec\nworkflow: prd\ntitle: PRD\nquestions:\n- {{name: product, kind: text, default: Kettle}}\nsteps:\n- id: draft\n  name: Draft\n  \
         description: Drafts it.\n  phase: Phase 2\n  agent: writer\n{step}"
    )
}

fn lifecycle(state: &RunState) -> &Lifecycle {
    result(state, "draft")
        .lifecycle
        .as_deref()
        .expect("something was done around it")
}

#[tokio::test]
async fn tools_answer_before_the_work_and_what_was_made_is_evidence() {
    let project = project("mkdir -p papers && cp \"$GATEHOUSE_BRIEF\" papers/brief.json\n");
    let state = project
        .whole(
            &workflow(
                "  outputs: ['{output_folder}/brief.json']\n  evidence: L1\n  validation: Format validation\n  tools:\n  \
                 - {name: getCurrentTime, args: {timezone: UTC}}\n  - {name: shout, args: {text: 'a {{product}}'}, required: true}\n  \
                 - {name: nothing}\n",
            ),
            None,
        )
        .await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let held = lifecycle(&state);
    let statuses: Vec<ToolStatus> = held.calls.iter().map(|call| call.status).collect();
    assert_eq!(
        statuses,
        [ToolStatus::Completed, ToolStatus::Completed, ToolStatus::Skipped]
    );
    assert_eq!(held.calls[1].output["TEXT"], "A KETTLE");
    assert_eq!(held.calls[2].error, "unknown tool");
    // What they answered stands in what the agent was told.
    let brief = std::fs::read_to_string(project.root.join("papers/brief.json")).expect("the brief");
    assert!(brief.contains("A KETTLE"), "{brief}");
    let record = &held.evidence[0];
    assert_eq!(
        (record.level, record.carrier_ref.as_str()),
        (Level::L1, "papers/brief.json")
    );
    assert_eq!(record.artifacts[0].digest, result(&state, "draft").artifacts[0].digest);
    assert_eq!(state.evidence.len(), 1);
}

#[tokio::test]
async fn a_dangerous_tool_waits_for_a_person_and_what_was_called_before_is_not_called_again() {
    let project = project("true\n");
    let flow = workflow(
        "  tools:\n  - {name: writeTextFile, args: {path: log.txt, content: x, mode: append}}\n  - {name: deploy}\n",
    );
    let run = project.start(&flow, None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    let state = project
        .until(&run, "the gate", |s| s.status == RunStatus::Blocked)
        .await;
    assert_eq!(
        state.waiting().expect("it waits").opened.gate.as_str(),
        "tool:deploy:draft"
    );
    assert!(!project.root.join("deployed").exists());
    project.answer(&run, Answer::Approve, "Ann", "").expect("it counts");
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let held = lifecycle(&state);
    assert!(held.calls[0].earlier && !held.calls[1].earlier);
    let read = |name: &str| std::fs::read_to_string(project.root.join(name)).expect("it was written");
    assert_eq!((read("log.txt").as_str(), read("deployed").as_str()), ("x", "out\n"));
}

/// An approval is for one call: what was called and answered is not called again when the work fails, and what failed is asked about again.
#[tokio::test]
async fn an_approved_call_is_made_once_whatever_is_tried_again() {
    let project = project("exit 1\n");
    let run = project.start(
        &workflow("  retries: {max: 2}\n  tools:\n  - {name: deploy, required: true}\n"),
        None,
    );
    let driving = project.driving(&run, Project::options(), &Control::default());
    project
        .until(&run, "the gate", |s| s.status == RunStatus::Blocked)
        .await;
    project.answer(&run, Answer::Approve, "Ann", "").expect("it counts");
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(ended(&state), "failed");
    assert_eq!(state.steps["draft"].visits[0].attempts.len(), 4);
    assert!(lifecycle(&state).calls[0].earlier);
    let deployed = std::fs::read_to_string(project.root.join("deployed")).expect("it was called");
    assert_eq!(deployed, "out\n");

    let config = "agents: {writer: {engine: shell, run: 'true'}}\ntools: {declared: [{name: deploy, risk: high, \
                  command: \"sh -c 'echo out >> deployed; exit 1'\"}]}\n";
    let project = Project::new(config);
    let run = project.start(
        &workflow("  retries: {max: 1}\n  tools:\n  - {name: deploy, required: true}\n"),
        None,
    );
    let driving = project.driving(&run, Project::options(), &Control::default());
    for round in [1, 2] {
        let is_asked = |s: &RunState| s.waiting().is_some_and(|waiting| waiting.opened.round == round);
        let state = project.until(&run, "the gate", is_asked).await;
        let question = state.waiting().expect("it waits").opened.question.clone();
        assert_eq!(question.contains("has failed"), round == 2, "{question}");
        project.answer(&run, Answer::Approve, "Ann", "").expect("it counts");
    }
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(ended(&state), "failed");
    let deployed = std::fs::read_to_string(project.root.join("deployed")).expect("it was called");
    assert_eq!(deployed, "out\nout\n", "once for each approval");
}

#[tokio::test]
async fn each_of_two_calls_that_are_the_same_is_asked_about() {
    let project = project("true\n");
    let run = project.start(&workflow("  tools:\n  - {name: deploy}\n  - {name: deploy}\n"), None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    for round in [1, 2] {
        let is_asked = |s: &RunState| s.waiting().is_some_and(|waiting| waiting.opened.round == round);
        project.until(&run, "the gate", is_asked).await;
        let deployed = std::fs::read_to_string(project.root.join("deployed")).unwrap_or_default();
        assert_eq!(deployed.lines().count() + 1, round as usize);
        project.answer(&run, Answer::Approve, "Ann", "").expect("it counts");
    }
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let deployed = std::fs::read_to_string(project.root.join("deployed")).expect("it was called");
    assert_eq!(deployed, "out\nout\n");
}

#[tokio::test]
async fn a_required_tool_that_fails_fails_the_attempt_and_is_tried_again() {
    let project = project("true\n");
    let state = project
        .whole(
            &workflow(
                "  retries: {max: 1}\n  tools:\n  - {name: readTextFile, args: {path: absent.md}, required: true}\n",
            ),
            None,
        )
        .await;
    assert_eq!(ended(&state), "failed");
    assert_eq!(state.steps["draft"].visits[0].attempts.len(), 2);
    assert!(
        state.error.as_deref().is_some_and(|e| e.contains("absent.md")),
        "{:?}",
        state.error
    );
}

#[tokio::test]
async fn guardrails_stop_what_must_not_go_in_or_come_out() {
    let config = format!("{CONFIG}guardrails: {{enabled: true}}\n");
    let guarded = |write: &str| {
        let project = project(write);
        std::fs::write(project.root.join("gatehouse.yaml"), &config).expect("the settings");
        project
    };
    let into = guarded("touch ran\n");
    let state = into
        .whole(
            &workflow("  inputs: {contact: ann@example.org}\n  retries: {max: 2}\n"),
            None,
        )
        .await;
    assert!(
        state
            .error
            .as_deref()
            .is_some_and(|e| e == "`contact` holds a mail address, which this project stops"),
        "{:?}",
        state.error
    );
    // What goes in is the same however often it is tried.
    assert_eq!(state.steps["draft"].visits[0].attempts.len(), 1);
    assert!(!into.root.join("ran").exists(), "nothing of it was begun");
    let out = guarded("mkdir -p papers; echo 'Call 555-123-4567' > papers/a.md\n");
    let state = out
        .whole(&workflow("  outputs: ['{output_folder}/a.md']\n"), None)
        .await;
    assert!(
        state
            .error
            .as_deref()
            .is_some_and(|e| e == "`papers/a.md` holds a telephone number, which this project stops"),
        "{:?}",
        state.error
    );
    assert!(
        result(&state, "draft").artifacts.is_empty(),
        "what did not pass is not taken"
    );
    assert!(
        !format!("{:?}", project_log(&out)).contains("555-123-4567"),
        "the log does not repeat it"
    );
}

fn project_log(project: &Project) -> Vec<engine::Event> {
    let runs = project.store.runs(&store::RunFilter::default()).expect("the runs");
    project.events(&runs[0].run)
}

#[tokio::test]
async fn a_question_left_open_is_refused_before_anything_begins() {
    let project = project("true\n");
    let flow = "format: stepspec\nworkflow: w\nquestions:\n- {name: owner, label: Owner, kind: text, required: true}\nsteps:\n- {id: draft, name: Draft, agent: writer}\n";
    match project.try_start(flow, None) {
        Err(Error::Answers { faults }) => {
            assert_eq!(faults, [("owner".to_owned(), "“Owner” needs an answer.".to_owned())]);
        }
        other => panic!("it must be refused: {other:?}"),
    }
}

/// What may not be written in a path may not be answered either: nobody would look for what is made there.
#[tokio::test]
async fn an_answer_leads_no_path_out_of_its_folder() {
    let project = project("mkdir -p papers/sub && touch papers/sub/tea.md papers/b.md\n");
    let start = |step: &str, product: &str, rehearse: bool| {
        project.driver(Project::options()).start(&StartRequest {
            path: "flow.yaml".into(),
            source: workflow(step),
            inputs: model::Fields::from_iter([("product".to_owned(), product.into())]),
            rehearse,
            by: "Ann".into(),
            initiator: "test".into(),
            ..StartRequest::default()
        })
    };
    let made = "  outputs: ['{output_folder}/{{product}}.md']\n";
    let cases: [(&str, &str, &[&str]); 3] = [
        (
            made,
            "{output_folder}/{{product}}.md",
            &["../tea", "../../../tmp/tea", "a/../../tea"],
        ),
        (
            "  inputs: {artifacts: ['{{product}}']}\n",
            "{{product}}",
            &["/etc/passwd", "../tea.md"],
        ),
        (
            "  templates: ['template:{{product}}']\n",
            "template:{{product}}",
            &["~/tea.md"],
        ),
    ];
    for (step, path, answers) in cases {
        for (product, rehearse) in answers.iter().flat_map(|answer| [(*answer, true), (*answer, false)]) {
            let said = format!("“Product” leads `{path}` of the step “Draft” out of its folder.");
            match start(step, product, rehearse) {
                Err(Error::Answers { faults }) => assert_eq!(faults, [("product".to_owned(), said)], "{product}"),
                other => panic!("{product} must be refused: {other:?}"),
            }
        }
    }
    let run = start(made, "sub/tea", false).expect("it stays inside");
    assert_eq!(ended(&project.drive(&run).await), "succeeded");
    // What is written so that nobody looks there is not taken for made.
    let run = start("  outputs: ['{output_folder}/a/../b.md']\n", "tea", false).expect("it stays inside");
    let state = project.drive(&run).await;
    assert_eq!(ended(&state), "failed");
    let why = result(&state, "draft").error.clone().unwrap_or_default();
    assert!(
        why.contains("`papers/a/../b.md`, which is no path inside the project"),
        "{why}"
    );
}

/// What a person reads, signs and finds in the record again is one text, without holes.
#[tokio::test]
async fn a_question_is_asked_with_the_answers_in_it() {
    let project = project("true\n");
    let asks = "  human_gate: required\n  gate_question: 'May {{product}} go to {output_folder}, {kettle}?'\n";
    for (step, question) in [
        (asks, "May Kettle go to papers, {kettle}?"),
        ("  human_gate: required\n", "Shall “Draft Kettle” begin?"),
    ] {
        let flow = workflow(step).replace("name: Draft", "name: 'Draft {{product}}'");
        let run = project.start(&flow, None);
        let driving = project.driving(&run, Project::options(), &Control::default());
        let state = project
            .until(&run, "the gate", |s| s.status == RunStatus::Blocked)
            .await;
        assert_eq!(state.waiting().expect("it waits").opened.question, question);
        project.answer(&run, Answer::Approve, "Ann", "").expect("it counts");
        let (_, state) = driving.await.expect("no panic").expect("driven");
        assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    }
    let in_name = workflow("  human_gate: required\n").replace("name: Draft", "name: 'Draft {{product}}'");
    for (flow, offered, said) in [
        (
            workflow(asks),
            "",
            "in the question of its gate: `{{product}}` stands for an answer",
        ),
        (
            workflow(asks),
            ", default: ' '",
            "in the question of its gate: `{{product}}` was left without an answer",
        ),
        (
            in_name,
            "",
            "in its name, which its gate asks with: `{{product}}` stands for an answer",
        ),
    ] {
        match project.try_start(&flow.replace(", default: Kettle", offered), None) {
            Err(Error::Workflow { reason, .. }) => assert!(reason.contains(said), "{reason}"),
            other => panic!("it must be refused: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_scenario_says_what_each_attempt_tool_and_check_comes_to() {
    let project = project("touch ran\n");
    let flow = workflow(
        "  retries: {max: 2}\n  validation: Format validation\n  evidence: L2\n  outputs: ['{output_folder}/a.md']\n  tools:\n  \
         - {name: shout, args: {text: a}}\n  - {name: deploy}\n",
    );
    let scenario = "steps:\n  draft:\n  - attempts:\n    - {status: failed, error: tired}\n    - {invalid: too short, artifacts: {papers/a.md: a}}\n    \
                    - {artifacts: {papers/a.md: long}, calls: {shout: {output: A!}}}\ngates:\n  'tool:deploy:draft': [{answer: approve}]\n";
    let state = project.whole(&flow, Some(scenario)).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let attempts = &state.steps["draft"].visits[0].attempts;
    let statuses: Vec<ExecutionStatus> = attempts
        .iter()
        .filter_map(|a| Some(a.result.as_ref()?.status))
        .collect();
    use ExecutionStatus::{Blocked, Failed, Succeeded};
    assert_eq!(statuses, [Blocked, Failed, Failed, Succeeded]);
    assert_eq!(lifecycle(&state).calls[0].output, "A!");
    assert!(!project.root.join("ran").exists() && !project.root.join("deployed").exists());
}

#[tokio::test]
async fn a_failed_run_goes_on_where_it_failed() {
    let project = project("test -e ready || { echo not ready >&2; exit 1; }\n");
    let flow = format!("{}- {{id: end, name: End, run: 'echo end >> ends'}}\n", workflow(""));
    let config = format!("{CONFIG}permissions: {{mode: allow}}\n");
    std::fs::write(project.root.join("gatehouse.yaml"), config).expect("the settings");
    let run = project.start(&flow, None);
    let state = project.drive(&run).await;
    assert_eq!(ended(&state), "failed");
    std::fs::write(project.root.join("ready"), "").expect("a file");
    let reopen = Intent::Reopen {
        by: "Ann".into(),
        choices: BTreeMap::from([("draft".into(), Choice::Retry)]),
    };
    project.say(&run, reopen).expect("it can be taken up");
    let state = project.drive(&run).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(state.steps["draft"].visits.len(), 2);
}

#[tokio::test]
async fn a_tool_that_hangs_is_ended_with_the_step() {
    let project = project("true\n");
    let config = "agents: {writer: {engine: shell, run: 'true'}}\ntools: {declared: [{name: hang, risk: low, command: \"sh -c 'echo $$ > pid; sleep 600'\"}]}\n";
    std::fs::write(project.root.join("gatehouse.yaml"), config).expect("the settings");
    let run = project.start(&workflow("  tools: [{name: hang}]\n"), None);
    let control = Control::default();
    let driving = project.driving(&run, Options { ..Project::options() }, &control);
    let pid = project.until_file("pid").await;
    control.stop();
    driving.await.expect("no panic").expect("driven");
    assert!(!crate::harness::alive(&pid), "nothing of it is left");
}

#[tokio::test]
async fn nothing_more_is_called_or_checked_once_a_run_is_aborted() {
    let waits = "sh -c 'echo $$ >> begun; sleep 600'";
    let config = format!(
        "agents: {{writer: {{engine: shell, run: 'true'}}}}\nchecks: {{slow: {{command: {waits:?}}}}}\n\
         tools: {{declared: [{{name: hang, risk: low, command: {waits:?}}}]}}\n"
    );
    let writes = "{name: writeTextFile, args: {path: log.txt, content: x}}";
    let calls = format!("  tools: [{{name: hang}}, {writes}]\n");
    let checks = "  validation: slow\n  outputs: ['{output_folder}/a.md', '{output_folder}/b.md']\n";
    for step in [calls.as_str(), checks] {
        let project = Project::new(&config);
        let run = project.start(&workflow(step), None);
        std::fs::create_dir(project.root.join("docs")).expect("made");
        for name in ["docs/a.md", "docs/b.md"] {
            std::fs::write(project.root.join(name), name).expect("written");
        }
        let driving = project.driving(&run, Project::options(), &Control::default());
        project.until_file("begun").await;
        let intent = Intent::Abort {
            by: "Ann".into(),
            reason: "too slow".into(),
            given: None,
        };
        project.say(&run, intent).expect("it runs");
        driving.await.expect("no panic").expect("driven");
        let begun = std::fs::read_to_string(project.root.join("begun")).expect("there");
        assert_eq!(begun.lines().count(), 1, "{step}");
        assert!(!project.root.join("log.txt").exists(), "{step}");
    }
}

#[tokio::test]
async fn what_does_not_pass_validation_is_not_taken_and_is_tried_again() {
    let project = project(
        "mkdir -p papers\nif test -e once; then printf '# Plan\\n\\n## Risks\\n\\nNone known.\\n' > papers/plan.md\n\
         else touch once; printf '# Plan\\n\\nNothing yet.\\n' > papers/plan.md; fi\n",
    );
    std::fs::create_dir(project.root.join("templates")).expect("a folder");
    std::fs::write(
        project.root.join("templates/plan.template.md"),
        "# Plan\n\n## Risks\n\n{{risks}}\n",
    )
    .expect("a template");
    let step = "  outputs: ['{output_folder}/plan.md']\n  templates: ['template:{template_folder}/plan.template.md']\n  \
                validation: Template/schema validation\n  evidence: L1\n  retries: {max: 1}\n";
    let state = project.whole(&workflow(step), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let attempts = &state.steps["draft"].visits[0].attempts;
    let first = attempts[0].result.as_ref().expect("it ended");
    assert!(
        first.error.as_deref().is_some_and(|e| e.contains("Risks")),
        "{:?}",
        first.error
    );
    assert!(first.artifacts.is_empty());
    let validation = |n: usize| {
        let result = attempts[n].result.as_ref().expect("it ended");
        let lifecycle = result.lifecycle.as_ref().expect("it was checked");
        lifecycle.validation.clone().expect("it was checked")
    };
    assert_eq!((validation(0).passed, validation(1).passed), (false, true));
    assert_eq!(state.evidence[0].record.level, Level::L1);
}

/// A template that may be missing is held against like any other where it is there.
#[tokio::test]
async fn a_template_that_may_be_missing_is_followed_where_it_is_there() {
    let step = "  outputs: ['{output_folder}/plan.md']\n  templates: ['template:{template_folder}/plan.template.md (optional)']\n  \
                validation: Format validation, Template validation\n";
    for (there, error) in [(true, "the heading `## Risks` of the template is missing"), (false, "")] {
        let project = project("mkdir -p papers && printf '# Plan\\n\\nNothing yet.\\n' > papers/plan.md\n");
        std::fs::create_dir(project.root.join("templates")).expect("a folder");
        if there {
            std::fs::write(project.root.join("templates/plan.template.md"), "# Plan\n\n## Risks\n")
                .expect("a template");
        }
        let state = project.whole(&workflow(step), None).await;
        let why = result(&state, "draft").error.clone().unwrap_or_default();
        match there {
            true => assert!(why.contains(error), "{why}"),
            false => assert!(!why.contains("plan.template.md"), "{why}"),
        }
    }
}

#[tokio::test]
async fn a_missing_runner_is_told_and_never_taken_as_a_pass() {
    let project = project("mkdir -p papers; echo 'x = 1' > papers/a.py\n");
    let config = format!("{CONFIG}checks: {{prose: no-such-program-here --check}}\n");
    std::fs::write(project.root.join("gatehouse.yaml"), config).expect("the settings");
    let step = |policy: &str| {
        workflow(&format!(
            "  outputs: ['{{output_folder}}/a.py']\n  evidence: L1\n  validation: {policy}\n"
        ))
    };
    let state = project.whole(&step("prose"), None).await;
    assert_eq!(ended(&state), "failed");
    assert!(
        state
            .error
            .as_deref()
            .is_some_and(|e| e.contains("no-such-program-here")),
        "{:?}",
        state.error
    );
    let state = project.whole(&step("Format + prose"), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(
        state.evidence[0].record.level,
        Level::L0,
        "not everything that was asked for was checked"
    );
}

/// A misspelt check beside one that passes: what it asks for was looked at by nobody, so not everything was.
#[tokio::test]
async fn a_part_of_a_policy_that_names_no_check_is_not_looked_at() {
    let project = project("mkdir -p papers; echo 'All is well.' > papers/a.md\n");
    let config = format!("{CONFIG}checks: {{prose: 'true'}}\n");
    std::fs::write(project.root.join("gatehouse.yaml"), config).expect("the settings");
    let step = |policy: &str| {
        workflow(&format!(
            "  outputs: ['{{output_folder}}/a.md']\n  evidence: L1\n  validation: \"{policy}\"\n"
        ))
    };
    let state = project.whole(&step("Format validation, prose"), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(state.evidence[0].record.level, Level::L1);
    let state = project.whole(&step("Format validation, proze"), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let held = lifecycle(&state).validation.as_ref().expect("it was checked");
    let absent: Vec<&str> = (held.checks.iter())
        .filter(|check| check.status == engine::CheckStatus::Absent)
        .map(|check| check.check.as_str())
        .collect();
    assert_eq!(absent, ["proze"]);
    let record = &state.evidence[0].record;
    assert_eq!(record.level, Level::L0);
    assert!(
        record.notes.contains("Not looked at: proze of papers/a.md"),
        "{}",
        record.notes
    );
    let state = project.whole(&step("proze"), None).await;
    assert_eq!(ended(&state), "failed");
    let why = state.error.as_deref().unwrap_or_default();
    assert!(
        why.contains("`proze` names no check") && !why.contains("names no file"),
        "{why}"
    );
}

/// A program from the npm registry, as `npm ci` installs it.
fn installed(program: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let path = root.join("node_modules/.bin").join(program);
    assert!(path.exists(), "{program} is not installed: run `npm ci`");
    path.canonicalize().expect("it exists").to_string_lossy().into_owned()
}

#[tokio::test]
async fn a_real_language_server_and_a_real_mcp_server_answer_for_a_run() {
    let project = project("mkdir -p papers && cp \"$GATEHOUSE_BRIEF\" papers/brief.json\n");
    let servers = format!(
        "mcp: {{everything: {:?}}}\nlanguage_servers: {{typescript: {:?}}}\n",
        format!("{} stdio", installed("mcp-server-everything")),
        format!("{} --stdio", installed("typescript-language-server")),
    );
    let config = CONFIG.replace(
        "  declared:\n",
        "  declared:\n    - {name: echo, risk: low, mcp: everything}\n",
    );
    std::fs::write(project.root.join("gatehouse.yaml"), format!("{config}{servers}")).expect("the settings");
    std::fs::write(
        project.root.join("price.ts"),
        "/** What a customer pays. */\nexport function total(net: number, rate: number): number {\n  return net * (1 + rate);\n}\n",
    )
    .expect("a document");
    let step = "  outputs: ['{output_folder}/brief.json']\n  inputs: {telis_method: hover, telis_document_path: price.ts, telis_line: 1, \
                telis_character: 17, telis_query: total}\n  tools: [{name: echo, args: {message: good morning}, required: true}]\n";
    let state = project.whole(&workflow(step), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let held = lifecycle(&state);
    assert!(
        held.calls[0].output.to_string().contains("good morning"),
        "{}",
        held.calls[0].output
    );
    let context = held.context.as_ref().expect("it was looked up");
    assert_eq!(context["source"], "lsp", "{context}");
    let answer = context["lsp"].to_string();
    assert!(
        answer.contains("rate: number") && answer.contains("What a customer pays"),
        "{answer}"
    );
    assert!(context["phases"].to_string().contains("price.ts"), "{context}");
    let brief = std::fs::read_to_string(project.root.join("papers/brief.json")).expect("the brief");
    assert!(brief.contains("telis_context") && brief.contains("good morning"));
}

#[tokio::test]
async fn the_agent_is_told_all_that_the_step_says_and_why_it_is_asked_again() {
    let project = project(
        "mkdir -p papers\ncp \"$GATEHOUSE_BRIEF\" brief-$(ls brief-* 2>/dev/null | wc -l).json\n\
         [ -f brief-1.json ] && echo '{\"fine\": true}' > papers/a.json || echo '{' > papers/a.json\n",
    );
    let state = project
        .whole(
            &workflow(
                "  inputs: {audience: '{{product}} buyers', max_words: 200}\n  templates: ['template:t/prd.template.md']\n  \
                 outputs: ['{output_folder}/a.json']\n  validation: Format validation\n  evidence: L1\n  \
                 retries: {max: 1, backoff_seconds: 0}\n",
            ),
            None,
        )
        .await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let told = |n: usize| -> serde_json::Value {
        let text = std::fs::read_to_string(project.root.join(format!("brief-{n}.json"))).expect("a brief");
        serde_json::from_str(&text).expect("JSON")
    };
    let first = told(0);
    assert_eq!(first["step"]["parameters"]["max_words"], 200);
    assert_eq!(first["step"]["templates"][0], "t/prd.template.md");
    let prompt = first["prompt"].as_str().expect("a prompt");
    for said in [
        "- audience: Kettle buyers",
        "- max_words: 200",
        "Templates to follow:\n- t/prd.template.md",
        "Phase:\n- Phase 2",
        "Checked before it is taken:\n- Format validation",
        "Evidence wanted:\n- L1",
    ] {
        assert!(prompt.contains(said), "{said} is missing in {prompt}");
    }
    assert_eq!(first.get("failed_before"), None);
    let second = told(1);
    let why = second["failed_before"].as_str().expect("a reason");
    assert!(why.contains("papers/a.json"), "{why}");
    assert!(second["prompt"].as_str().is_some_and(|prompt| prompt.contains(why)));
}

#[tokio::test]
async fn what_is_declared_and_not_made_fails_the_step_unless_it_is_optional() {
    let made = "  outputs: ['{output_folder}/a.md', '{output_folder}/never.md']\n  validation: none\n";
    let write = "mkdir -p papers && echo a > papers/a.md\n";
    let state = project(write).whole(&workflow(made), None).await;
    assert_eq!(ended(&state), "failed");
    let why = state.error.clone().unwrap_or_default();
    assert!(why.contains("makes `papers/never.md`, and nothing is there"), "{why}");

    let optional = made.replace("never.md'", "never.md (optional)'");
    let state = project(write).whole(&workflow(&optional), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(result(&state, "draft").artifacts.len(), 1);
    // Nor is it missed where what was made is checked.
    let checked = optional.replace("validation: none", "validation: Format validation");
    let state = project(write).whole(&workflow(&checked), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
}

#[tokio::test]
async fn source_is_read_as_its_language_and_a_check_that_nobody_makes_proves_nothing() {
    let step = "  outputs: ['{output_folder}/a.ts']\n  validation: AST + type + lint\n  evidence: L1\n";
    let broken = "mkdir -p papers && echo 'const x: = = broken(((' > papers/a.ts\n";
    let state = project(broken).whole(&workflow(step), None).await;
    assert_eq!(ended(&state), "failed");
    let why = state.error.clone().unwrap_or_default();
    assert!(why.contains("this is no TypeScript"), "{why}");

    let good = "mkdir -p papers && echo 'const x: number = 1;' > papers/a.ts\n";
    let state = project(good).whole(&workflow(step), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let held = lifecycle(&state);
    let checks: Vec<(&str, engine::CheckStatus)> = held
        .validation
        .iter()
        .flat_map(|validation| &validation.checks)
        .map(|check| (check.check.as_str(), check.status))
        .collect();
    use engine::CheckStatus::{Absent, Passed};
    assert_eq!(checks, [("ast", Passed), ("typecheck", Absent), ("lint", Absent)]);
    assert_eq!(held.evidence[0].level, Level::L0, "nobody looked at types and style");

    // The project's own programs are asked where it has some, for these files or for all.
    let own = format!("{CONFIG}checks: {{typecheck-ts: 'sh -c \"grep -q number $1\" check', lint: 'test -s'}}\n");
    let project = Project::new(&own);
    std::fs::write(project.root.join("write.sh"), good).expect("a script");
    let state = project.whole(&workflow(step), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(lifecycle(&state).evidence[0].level, Level::L1);
}

#[tokio::test]
async fn nothing_is_proven_by_a_check_that_did_not_look() {
    use engine::CheckStatus::{Absent, Passed};
    let template = "  templates: ['template:a.template.md']\n";
    let schema = "  inputs: {schema: {type: object}}\n";
    for (file, content, policy, more, checks, level) in [
        // No grammar of it is known here: it is read as text, and how it is written was not looked at.
        (
            "a.rb",
            "puts 1",
            "Format validation",
            "",
            &[("text", Passed), ("ast", Absent)][..],
            Level::L0,
        ),
        ("a.md", "# A", "Format validation", "", &[("text", Passed)], Level::L1),
        (
            "a.md",
            "# A",
            "Template/schema validation",
            "",
            &[("text", Passed), ("template", Absent)],
            Level::L0,
        ),
        (
            "a.md",
            "# A\n\nyes",
            "Template/schema validation",
            template,
            &[("text", Passed), ("template", Passed)],
            Level::L1,
        ),
        (
            "a.json",
            "{}",
            "Template/schema validation",
            "",
            &[("json", Passed), ("schema", Absent)],
            Level::L0,
        ),
        (
            "a.json",
            "{}",
            "Template/schema validation",
            schema,
            &[("json", Passed), ("schema", Passed)],
            Level::L1,
        ),
        (
            "a.txt",
            "yes",
            "Schema validation",
            schema,
            &[("text", Passed), ("schema", Absent)],
            Level::L0,
        ),
    ] {
        let project = project(&format!("mkdir -p papers && printf '{content}\\n' > papers/{file}\n"));
        std::fs::write(project.root.join("a.template.md"), "# A\n\n{{what}}\n").expect("a template");
        let step = format!("  outputs: ['{{output_folder}}/{file}']\n  validation: {policy}\n  evidence: L1\n{more}");
        let state = project.whole(&workflow(&step), None).await;
        assert_eq!(ended(&state), "succeeded", "{file}, {policy}: {:?}", state.error);
        let held = lifecycle(&state);
        let validation = held.validation.as_ref().expect("it was checked");
        let found: Vec<_> = validation
            .checks
            .iter()
            .map(|check| (check.check.as_str(), check.status))
            .collect();
        assert_eq!(found, checks, "{file}, {policy}");
        let record = &held.evidence[0];
        assert_eq!(record.level, level, "{file}, {policy}");
        let unseen = checks.iter().find(|(_, status)| *status == Absent);
        let said = unseen.map(|(check, _)| format!("Not looked at: {check} of papers/{file}."));
        assert_eq!(record.notes, said.unwrap_or_default());
    }
    // The project's own program looks where it has one.
    let project = Project::new(&format!("{CONFIG}checks: {{ast-rb: 'grep -q puts'}}\n"));
    std::fs::write(
        project.root.join("write.sh"),
        "mkdir -p papers && echo puts 1 > papers/a.rb\n",
    )
    .expect("a script");
    let step = "  outputs: ['{output_folder}/a.rb']\n  validation: Format validation\n  evidence: L1\n";
    let state = project.whole(&workflow(step), None).await;
    assert_eq!(lifecycle(&state).evidence[0].level, Level::L1, "{:?}", state.error);
}

#[tokio::test]
async fn each_of_several_agents_claims_for_itself() {
    let config = "agents:\n  ann: {engine: shell, run: sh ann.sh}\n  ben: {engine: shell, run: sh ben.sh}\nfolders: {output: papers}\n";
    let claims = |claim: &str| format!("echo '{{\"evidence\": {claim}}}' > \"$GATEHOUSE_REPORT\"\n");
    let step = "  agents: [ann, ben]\n  validation: none\n  evidence: L1\n";
    let several = workflow(step).replace("  agent: writer\n", "");
    for (ann, says) in [
        ("{\"claim\": \"Ann read it.\"}", None),
        ("{\"claim\": 7}", Some("claim 1 (ann): claim: expected string")),
    ] {
        let project = Project::new(config);
        std::fs::write(project.root.join("ann.sh"), claims(ann)).expect("a script");
        std::fs::write(project.root.join("ben.sh"), claims("{\"claim\": \"Ben read it.\"}")).expect("a script");
        let state = project.whole(&several, None).await;
        let records: Vec<(&str, &str)> = state
            .evidence
            .iter()
            .map(|entry| (entry.record.source.as_str(), entry.record.claim.as_str()))
            .collect();
        match says {
            None => assert_eq!(
                records,
                [("ann", "Ann read it."), ("ben", "Ben read it.")],
                "{:?}",
                state.error
            ),
            Some(says) => {
                let why = state.error.clone().unwrap_or_default();
                assert!(why.contains(says) && records.is_empty(), "{why}");
            }
        }
    }
}

#[tokio::test]
async fn what_an_agent_claims_is_held_against_the_schema_of_evidence() {
    let claims = |claim: &str| {
        format!("mkdir -p papers && echo a > papers/a.md; echo '{{\"evidence\": {claim}}}' > \"$GATEHOUSE_REPORT\"\n")
    };
    let step = "  outputs: ['{output_folder}/a.md']\n  validation: none\n  evidence: L1\n";
    for (claim, says) in [
        (
            "[{\"level\": \"L2\", \"reliability\": \"abc\", \"congruence\": \"CL9\"}]",
            "claim 1: reliability: expected number, congruence: expected CL0",
        ),
        (
            "[{\"claim\": \"fine\"}, {\"claim\": 7}]",
            "claim 2: claim: expected string",
        ),
        ("7", "claim 1: root: expected object"),
    ] {
        let state = project(&claims(claim)).whole(&workflow(step), None).await;
        assert_eq!(ended(&state), "failed", "{claim}");
        let why = state.error.clone().unwrap_or_default();
        assert!(why.contains(says), "{why}");
        assert_eq!(state.evidence.len(), 0);
    }
    let state = project(&claims("{\"claim\": \"It is written.\", \"level\": \"L2\"}"))
        .whole(&workflow(step), None)
        .await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(
        state.evidence[0].record.level,
        Level::L0,
        "what is claimed is not what is proven"
    );
    // What does not count as it is claimed is named, and what says the same is not.
    for (claim, notes) in [
        (
            "\"level\": \"L2\", \"date\": \"garbage\", \"wlnk\": 1",
            "Claimed, and not recorded as it was claimed: `level`, `date`, `wlnk`.",
        ),
        (
            "\"level\": \"l0\", \"id\": \"e1\", \"wlnk\": 0.5, \"valid_util\": \"2020-01-01\"",
            "Claimed as `e1`. Claimed, and not recorded as it was claimed: `valid_util`.",
        ),
        ("\"level\": \"L0\", \"notes\": \"\"", ""),
    ] {
        let claim = format!("{{\"reliability\": 0.5, \"congruence\": \"CL3\", {claim}}}");
        let state = project(&claims(&claim)).whole(&workflow(step), None).await;
        assert_eq!(ended(&state), "succeeded", "{claim}: {:?}", state.error);
        assert_eq!(state.evidence[0].record.notes, notes, "{claim}");
    }
    // Two claims may give themselves one id.
    let both =
        "[{\"id\": \"E-7\", \"reliability\": 1, \"congruence\": \"CL1\"}, {\"id\": \"E-7\", \"congruence\": \"\"}]";
    let state = project(&claims(both)).whole(&workflow(step), None).await;
    let records: Vec<_> = state.evidence.iter().map(|held| &held.record).collect();
    assert_eq!(records[0].notes, "Claimed as `E-7`, as 2 claims are.");
    assert_eq!((records[1].congruence.as_str(), records[1].wlnk), ("CL1", 0.25));
    assert_eq!(
        records[1].notes,
        "Not claimed, and assumed: reliability 0.5, congruence CL1. Claimed as `E-7`, as 2 claims are."
    );
}

#[tokio::test]
async fn a_claim_about_a_file_that_the_step_did_not_make_rests_on_no_check() {
    let step = "  outputs: ['{output_folder}/a.json']\n  validation: Format validation\n  evidence: L1\n";
    for (carrier, level, about, notes) in [
        (
            "papers/a.json",
            Level::L1,
            1,
            "Not claimed, and assumed: reliability 0.9, congruence CL3.",
        ),
        (
            "./papers/a.json#version",
            Level::L1,
            1,
            "Not claimed, and assumed: reliability 0.9, congruence CL3.",
        ),
        (
            "backup.log",
            Level::L0,
            0,
            "`backup.log` is not among what this step made, and was not looked at. Not claimed, and assumed: reliability 0.5, congruence CL2.",
        ),
    ] {
        let claim = format!("{{\"claim\": \"The backup was tested.\", \"carrier_ref\": \"{carrier}\"}}");
        let says = format!(
            "mkdir -p papers && echo '{{}}' > papers/a.json; echo '{{\"evidence\": {claim}}}' > \"$GATEHOUSE_REPORT\"\n"
        );
        let state = project(&says).whole(&workflow(step), None).await;
        assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
        let record = &state.evidence[0].record;
        assert_eq!(
            (record.level, record.artifacts.len(), record.notes.as_str()),
            (level, about, notes),
            "{carrier}"
        );
        assert_eq!(record.carrier_ref, carrier);
    }
}

#[tokio::test]
async fn an_output_whose_name_has_a_blank_is_demanded_as_any_other() {
    let step = "  outputs: ['{output_folder}/Final report.md']\n";
    let state = project("true\n").whole(&workflow(step), None).await;
    assert_eq!(ended(&state), "failed");
    let why = state.error.clone().unwrap_or_default();
    assert!(
        why.contains("makes `papers/Final report.md`, and nothing is there"),
        "{why}"
    );
    let state = project("mkdir -p 'papers/Final report.md'\n")
        .whole(&workflow(step), None)
        .await;
    let why = state.error.clone().unwrap_or_default();
    assert!(
        why.contains(
            "makes `papers/Final report.md` (where a folder without files that are kept is), and no such file is there"
        ),
        "{why}"
    );
    let made = "mkdir -p papers && echo x > 'papers/Final report.md'\n";
    let state = project(made).whole(&workflow(step), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
}

#[tokio::test]
async fn an_output_that_leads_to_what_steps_may_not_read_is_none() {
    let step = "  outputs: ['{output_folder}/plan.md']\n";
    let project = project("mkdir -p papers && ln -s ../.env papers/plan.md\n");
    std::fs::write(project.root.join(".env"), "PASSWORD=hunter2\n").expect("a secret");
    let state = project.whole(&workflow(step), None).await;
    assert_eq!(ended(&state), "failed");
    let why = state.error.clone().unwrap_or_default();
    assert!(
        why.contains("makes `papers/plan.md` (where a link to a file that steps may not read is)"),
        "{why}"
    );
    assert!(why.contains("change the rules under `permissions`"), "{why}");
    assert!(result(&state, "draft").artifacts.is_empty());
}

#[tokio::test]
async fn an_agent_cannot_skip_what_its_step_demands_nor_pass_by_the_guardrails() {
    let skips = |says: &str| {
        format!("echo '{{\"status\": \"skipped\", \"error\": \"no time\"}}' > \"$GATEHOUSE_REPORT\"; {says}\n")
    };
    for (step, says, why) in [
        ("", "true", None),
        ("  outputs: ['{output_folder}/a.md (optional)']\n", "true", None),
        (
            "  outputs: ['{output_folder}/a.md']\n",
            "true",
            Some("which demands outputs"),
        ),
        (
            "  outputs: ['{output_folder}/a.md (optional)']\n  validation: Format validation\n  evidence: L1\n",
            "true",
            Some("which demands validation and evidence"),
        ),
        (
            "",
            "echo call 555-123-4567",
            Some("holds a telephone number, which this project stops"),
        ),
    ] {
        let project = project(&skips(says));
        let config = format!("{CONFIG}guardrails: {{enabled: true}}\n");
        std::fs::write(project.root.join("gatehouse.yaml"), config).expect("the settings");
        let state = project.whole(&workflow(step), None).await;
        let done = result(&state, "draft");
        match why {
            None => assert_eq!(done.status, ExecutionStatus::Skipped, "{step}: {:?}", done.error),
            Some(why) => {
                let error = done.error.as_deref().unwrap_or_default();
                assert!(
                    done.status == ExecutionStatus::Failed && error.contains(why),
                    "{step}: {error}"
                );
            }
        }
    }
}

#[tokio::test]
async fn why_a_step_failed_is_not_hidden_by_what_its_agent_calls_an_error() {
    let says = "echo '{\"status\": \"succeeded\", \"error\": \"none at all\"}' > \"$GATEHOUSE_REPORT\"\nmkdir -p papers; echo '{' > papers/a.json\n";
    let step = "  outputs: ['{output_folder}/a.json']\n  validation: Format validation\n";
    let state = project(says).whole(&workflow(step), None).await;
    let why = result(&state, "draft").error.as_deref().unwrap_or_default();
    assert!(why.starts_with("validation failed"), "{why}");
    let state = project(says).whole(&workflow(""), None).await;
    assert_eq!(ended(&state), "succeeded");
    let work = result(&state, "draft");
    assert_eq!(
        (&work.error, &work.report["error"]),
        (&None, &"none at all".into()),
        "it is kept as what it said"
    );
}

/// Lets go of a run when its work has begun, which goes well the next time.
async fn cut_off_when_begun(project: &Project, control: &Control) {
    project.until_file("begun").await;
    control.stop();
    std::fs::write(project.root.join("go"), "").expect("written");
}

/// Takes a run up again, until it ends or waits.
async fn driven_on(project: &Project, run: &RunId) -> RunState {
    let driving = project.driving(run, Project::options(), &Control::default());
    driving.await.expect("no panic").expect("driven").1
}

#[tokio::test]
async fn what_was_called_before_an_interruption_is_not_called_again_but_after_a_failure_it_is() {
    let calls = "  tools:\n  - {name: writeTextFile, args: {path: log.txt, content: x, mode: append}}\n  - {name: deploy}\n  retries: {max: 2}\n";
    for (write, written) in [
        ("test -e go || { echo x > begun; sleep 600; }\n", "x"),
        ("test -e once || { touch once; exit 1; }\n", "xx"),
    ] {
        let project = project(write);
        let run = project.start(&workflow(calls), None);
        let control = Control::default();
        let driving = project.driving(&run, Project::options(), &control);
        project
            .until(&run, "the gate", |s| s.status == RunStatus::Blocked)
            .await;
        project.answer(&run, Answer::Approve, "Ann", "").expect("it counts");
        let state = match written {
            "x" => {
                cut_off_when_begun(&project, &control).await;
                driving.await.expect("no panic").expect("driven");
                // What the approved call came to was recorded before the work began: nobody is asked again, and it is not made again.
                let state = driven_on(&project, &run).await;
                let attempts = &state.steps["draft"].visits[0].attempts;
                assert_eq!(
                    attempts[1]
                        .interrupted
                        .as_deref()
                        .map(|why| why.contains("is not known")),
                    Some(false)
                );
                assert!(attempts[1].calls()[0].earlier && !attempts[1].calls()[1].earlier);
                assert!(lifecycle(&state).calls.iter().all(|call| call.earlier));
                state
            }
            _ => driving.await.expect("no panic").expect("driven").1,
        };
        assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
        let read = |name: &str| std::fs::read_to_string(project.root.join(name)).expect("it was written");
        assert_eq!(
            (read("log.txt").as_str(), read("deployed").as_str()),
            (written, "out\n")
        );
    }
}

#[tokio::test]
async fn what_needed_no_approval_is_not_called_again_after_an_interruption_either() {
    let calls = "  outputs: ['{output_folder}/log.txt']\n  tools:\n  \
        - {name: writeTextFile, args: {path: papers/log.txt, content: x, mode: append, create_folders: true}}\n";
    let project = project("test -e go || { echo x > begun; sleep 600; }\n");
    let run = project.start(&workflow(calls), None);
    let control = Control::default();
    let driving = project.driving(&run, Project::options(), &control);
    cut_off_when_begun(&project, &control).await;
    driving.await.expect("no panic").expect("driven");
    let state = driven_on(&project, &run).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert!(lifecycle(&state).calls.iter().all(|call| call.earlier));
    let written = std::fs::read_to_string(project.root.join("papers/log.txt")).expect("it was written");
    assert_eq!(written, "x");
    // What the call made is the work of the step all the same.
    assert_eq!(lifecycle(&state).unchanged, Vec::<String>::new());
}

#[tokio::test]
async fn a_claim_that_holds_until_no_day_is_not_taken() {
    for (until, is_taken) in [
        ("2099-01-31", true),
        ("2099-01-31T09:00:00Z", true),
        ("", true),
        ("next year", false),
        ("2026-02-30", false),
    ] {
        let project = project(&format!(
            "echo '{{\"evidence\": {{\"claim\": \"Read.\", \"valid_until\": \"{until}\"}}}}' > \"$GATEHOUSE_REPORT\"\n"
        ));
        let state = project.whole(&workflow("  evidence: L0\n"), None).await;
        let error = state.error.clone().unwrap_or_default();
        assert_eq!(
            ended(&state),
            if is_taken { "succeeded" } else { "failed" },
            "{until}: {error}"
        );
        assert_eq!(state.evidence.len(), usize::from(is_taken), "{until}");
        assert!(
            is_taken || error.contains("valid_until: expected a day"),
            "{until}: {error}"
        );
    }
}

#[tokio::test]
async fn a_report_that_says_two_things_of_the_work_is_taken_at_the_worse() {
    let said = async |report: &str| {
        let project = project(&format!("cat > \"$GATEHOUSE_REPORT\" <<'E'\n{report}\nE\n"));
        let state = project.whole(&workflow(""), None).await;
        let word = result(&state, "draft").status;
        (word, state.error.clone().unwrap_or_default())
    };
    for (report, status, why) in [
        (r#"{"status":"succeeded","error":""}"#, ExecutionStatus::Succeeded, ""),
        (
            r#"{"status":" Failed "}"#,
            ExecutionStatus::Failed,
            "the status `Failed`",
        ),
        (
            r#"{"status":"succeeded","report":{"status":"FAILED"}}"#,
            ExecutionStatus::Failed,
            "the status `FAILED`",
        ),
        (
            r#"{"status":"succeeded","error":"no network","report":{"status":"failed","error":null}}"#,
            ExecutionStatus::Failed,
            "the status `failed`: no network",
        ),
        (r#"{"status":"SKIPPED"}"#, ExecutionStatus::Skipped, ""),
        (r#"{"status":"VERIFIED"}"#, ExecutionStatus::Succeeded, ""),
        (r#"{"status":"error"}"#, ExecutionStatus::Failed, "the status `error`"),
        (
            r#"{"status":"FAILURE"}"#,
            ExecutionStatus::Failed,
            "the status `FAILURE`",
        ),
        (r#"{"status":"fail"}"#, ExecutionStatus::Failed, "the status `fail`"),
        (
            r#"{"status":"aborted"}"#,
            ExecutionStatus::Failed,
            "the status `aborted`",
        ),
        (
            r#"{"status":"Timed out"}"#,
            ExecutionStatus::Failed,
            "the status `Timed out`",
        ),
        (
            r#"{"report":{"status":"failed"}}"#,
            ExecutionStatus::Failed,
            "the status `failed`",
        ),
        (r#"{"success":false}"#, ExecutionStatus::Failed, "`success: false`"),
        (
            r#"{"success":false,"status":"done"}"#,
            ExecutionStatus::Failed,
            "`success: false`",
        ),
        (r#"{"success":true}"#, ExecutionStatus::Succeeded, ""),
        (r#"{"ok":false}"#, ExecutionStatus::Failed, "`ok: false`"),
        (r#"{"exit_code":1}"#, ExecutionStatus::Failed, "`exit_code: 1`"),
        (
            r#"{"report":{"state":"failed"}}"#,
            ExecutionStatus::Failed,
            "`state: failed`",
        ),
        (
            r#"{"failure":"disk full"}"#,
            ExecutionStatus::Failed,
            "`failure: disk full`",
        ),
        (r#"{"passed":false}"#, ExecutionStatus::Failed, "`passed: false`"),
        (
            r#"{"status":"❌ failed"}"#,
            ExecutionStatus::Failed,
            "the status `❌ failed`",
        ),
        (
            r#"{"status":"succeeded","error":"disk full"}"#,
            ExecutionStatus::Failed,
            "`error: disk full`",
        ),
        (
            r#"{"status":"succeeded","error":"none","failure":"-"}"#,
            ExecutionStatus::Succeeded,
            "",
        ),
        (r#"{"skipped":true}"#, ExecutionStatus::Skipped, ""),
        (
            r#"{"errors":[],"error":"","exit_code":0,"state":"done"}"#,
            ExecutionStatus::Succeeded,
            "",
        ),
    ] {
        let (word, error) = said(report).await;
        assert_eq!(word, status, "{report}: {error}");
        assert!(error.contains(why), "{report}: {error}");
    }
}

#[tokio::test]
async fn a_status_that_says_nothing_of_the_work_is_named() {
    let printed = async |report: &str| {
        let project = project(&format!("cat > \"$GATEHOUSE_REPORT\" <<'E'\n{report}\nE\n"));
        let run = project.start(&workflow(""), None);
        let state = project.drive(&run).await;
        assert_eq!(ended(&state), "succeeded", "{report}: {:?}", state.error);
        project.printed(&run)
    };
    let said = printed(r#"{"status":"REJECTED"}"#).await;
    assert!(said.contains("has the status `REJECTED`, which is no word"), "{said}");
    assert_eq!(printed(r#"{"status":"Done"}"#).await, "");
    assert_eq!(printed(r#"{"verdict":"REJECTED"}"#).await, "");
    let said = printed(r#"{"errors":3,"error_count":0}"#).await;
    assert!(
        said.contains("has `errors: 3`, which may be what the work found"),
        "{said}"
    );
    assert_eq!(printed(r#"{"errors":[],"failed":0}"#).await, "");
}

#[tokio::test]
async fn a_word_that_a_way_on_is_chosen_by_says_nothing_of_the_work() {
    let project =
        project(r#"if [ "$GATEHOUSE_STEP" = draft ]; then echo '{"status": "FAILED"}' > "$GATEHOUSE_REPORT"; fi"#);
    let flow = "key: k\ntitle: T\nsteps:\n- {id: draft, agents: [writer], role: A, routing: {kind: branch, branch_field: status, \
                branches: {FAILED: late}, default: draft}}\n- {id: late, agents: [writer], role: B, routing: {kind: terminal}}\n";
    let state = project.whole(flow, None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(result(&state, "draft").report["status"], "FAILED");
    let names = r#"if [ "$GATEHOUSE_STEP" = draft ]; then echo '{"status": "FAILED", "next_step_id": "late"}' > "$GATEHOUSE_REPORT"; fi"#;
    let flow = "key: k\ntitle: T\nsteps:\n- {id: draft, agents: [writer], role: A, routing: {kind: linear, next: late}}\n\
                - {id: late, agents: [writer], role: B, routing: {kind: terminal}}\n";
    let state = self::project(names).whole(flow, None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
}

/// Whoever decides over a loop and says nothing of it but that they left the work out has not done it.
#[tokio::test]
async fn a_step_that_decides_over_a_loop_is_not_done_by_leaving_it_out() {
    let flow = "key: k\ntitle: T\nsteps:\n- {id: draft, agents: [writer], role: A, routing: {kind: linear, next: check}}\n\
                - {id: check, agents: [writer], role: B, routing: {kind: microloop, loop_target: draft, loop_condition_field: verdict, \
                loop_success_values: [good], max_iterations: 1, next: end}}\n- {id: end, agents: [writer], role: C, routing: {kind: terminal}}\n";
    for (report, status) in [
        (r#"{"skipped": true}"#, ExecutionStatus::Skipped),
        (r#"{"skipped": true, "verdict": "bad"}"#, ExecutionStatus::Succeeded),
        (r#"{"ok": false}"#, ExecutionStatus::Succeeded),
    ] {
        let script = format!("if [ \"$GATEHOUSE_STEP\" = check ]; then echo '{report}' > \"$GATEHOUSE_REPORT\"; fi\n");
        let state = project(&script).whole(flow, None).await;
        assert_eq!(ended(&state), "succeeded", "{report}: {:?}", state.error);
        assert_eq!(result(&state, "check").status, status, "{report}");
        assert_eq!(state.steps["check"].visits.len(), 2, "{report}");
    }
}

#[tokio::test]
async fn in_every_format_a_report_of_failure_is_one_unless_the_workflow_reads_the_field() {
    let steps = |more: &str| {
        format!(
            "key: k\ntitle: T\nsteps:\n- {{id: draft, agents: [writer], role: A{more}}}\n\
             - {{id: late, agents: [writer], role: B, routing: {{kind: terminal}}}}\n"
        )
    };
    let pipeline = |more: &str| format!("name: P\nstages:\n- {{name: draft, agent: writer{more}}}\n");
    let agents = |condition: &str| {
        format!(
            "workflow: {{name: F}}\nsequence:\n- {{id: draft, name: Draft, agent: writer}}\n\
             - {{id: late, name: Late, agent: writer, condition: {condition}}}\n"
        )
    };
    let report = r#"{"state":"failed"}"#;
    for (file, text, status) in [
        (
            "f.yaml",
            steps(", routing: {kind: linear, next: late}"),
            ExecutionStatus::Failed,
        ),
        ("f.yaml", steps(""), ExecutionStatus::Failed),
        (
            "f.yaml",
            steps(", outputs: [state], routing: {kind: linear, next: late}"),
            ExecutionStatus::Succeeded,
        ),
        (
            "f.yaml",
            steps(", routing: {kind: branch, branch_field: verdict, branches: {GO: late}}"),
            ExecutionStatus::Succeeded,
        ),
        ("p.yaml", pipeline(""), ExecutionStatus::Failed),
        ("p.yaml", pipeline(", outputs: [state]"), ExecutionStatus::Succeeded),
        (
            "p.yaml",
            pipeline(", outputs: ['state (optional)']"),
            ExecutionStatus::Succeeded,
        ),
        ("a.yaml", agents("\"size == 'large'\""), ExecutionStatus::Failed),
        ("a.yaml", agents("\"state == 'done'\""), ExecutionStatus::Succeeded),
    ] {
        let project = project(&format!("cat > \"$GATEHOUSE_REPORT\" <<'E'\n{report}\nE\n"));
        let request = StartRequest {
            path: file.into(),
            source: text.clone(),
            by: "Ann".into(),
            permit: true,
            ..StartRequest::default()
        };
        let run = project.driver(Project::options()).start(&request).expect(&text);
        let state = project.drive(&run).await;
        assert_eq!(result(&state, "draft").status, status, "{text}: {:?}", state.error);
    }
}

#[tokio::test]
async fn a_field_that_is_read_of_one_step_says_of_another_how_its_work_went() {
    let script = r#"if [ "$GATEHOUSE_STEP" != late ]; then echo '{"state": "failed"}' > "$GATEHOUSE_REPORT"; fi"#;
    let came_to = async |file: &str, text: &str| {
        let project = project(script);
        let request = StartRequest {
            path: file.into(),
            source: text.into(),
            by: "Ann".into(),
            permit: true,
            ..StartRequest::default()
        };
        let run = project.driver(Project::options()).start(&request).expect(text);
        let state = project.drive(&run).await;
        let of = |step: &str| state.steps.contains_key(step).then(|| result(&state, step).status);
        ["draft", "late", "last"].map(of)
    };
    let (done, failed) = (Some(ExecutionStatus::Succeeded), Some(ExecutionStatus::Failed));
    // A condition reads the steps before its own.
    let text = "workflow: {name: F}\nsequence:\n- {id: draft, name: Draft, agent: writer}\n\
                - {id: late, name: Late, agent: writer, condition: \"state == 'failed'\"}\n\
                - {id: last, name: Last, agent: writer}\n";
    assert_eq!(came_to("a.yaml", text).await, [done, done, failed]);
    // A branch reads the step that it leaves.
    let text = "key: k\ntitle: T\nsteps:\n- {id: draft, agents: [writer], role: A, routing: {kind: branch, branch_field: state, \
                branches: {failed: late}}}\n- {id: late, agents: [writer], role: B, routing: {kind: linear, next: last}}\n\
                - {id: last, agents: [writer], role: C, routing: {kind: terminal}}\n";
    assert_eq!(came_to("f.yaml", text).await, [done, done, failed]);
}

/// Two steps, of which the second says that it makes what the first one has made.
const TWICE: &str = "format: stepspec\nworkflow: prd\ntitle: PRD\nsteps:\n- id: draft\n  name: Draft\n  description: Drafts it.\n  \
                     phase: Phase 2\n  agent: writer\n  outputs: ['{output_folder}/a.json']\n- id: again\n  name: Again\n  \
                     description: Drafts it.\n  phase: Phase 2\n  agent: writer\n  outputs: ['{output_folder}/a.json']\n  \
                     validation: Format validation\n  evidence: L2\n";

#[tokio::test]
async fn what_another_step_made_is_no_evidence_of_one_that_left_it_as_it_was() {
    let around = async |again: &str| {
        let script = format!(
            "mkdir -p papers\nif [ \"$GATEHOUSE_STEP\" = draft ]; then echo '{{}}' > papers/a.json; else {again}; fi\n"
        );
        let state = project(&script).whole(TWICE, None).await;
        assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
        let held = result(&state, "again").lifecycle.clone().expect("it was looked at");
        (held.evidence[0].clone(), held.unchanged)
    };
    let (left, _) = around("true").await;
    assert_eq!(left.claim, "“Again” was carried out.");
    assert_eq!((left.level, left.artifacts.len()), (Level::L0, 0));
    assert!(
        left.notes.contains("Not made here, and there before: `papers/a.json`."),
        "{}",
        left.notes
    );
    let (written, unchanged) = around("echo '{\"a\": 1}' > papers/a.json").await;
    assert_eq!(written.claim, "“Again” made papers/a.json, and no check of it failed.");
    assert_eq!((written.level, written.notes.as_str()), (Level::L1, ""));
    assert_eq!(unchanged, Vec::<String>::new());
    // What is made again with the same bytes is made, and not newly so; a file that is touched cannot be told from that.
    for again in ["echo '{}' > papers/a.json", "touch papers/a.json"] {
        let (same, unchanged) = around(again).await;
        assert_eq!(
            same.claim,
            "“Again” left the content of papers/a.json as it was, and no check of it failed."
        );
        assert_eq!((same.level, same.artifacts.len()), (Level::L1, 1), "{again}");
        assert_eq!(
            same.notes,
            "Written again or touched, with the same bytes as before: `papers/a.json`."
        );
        assert_eq!(unchanged, ["papers/a.json"], "{again}");
    }
}

#[tokio::test]
async fn what_only_a_report_names_is_no_work_of_it_where_it_was_there_before() {
    let around = async |again: &str| {
        let script = format!(
            "mkdir -p papers\nif [ \"$GATEHOUSE_STEP\" = draft ]; then echo '{{}}' > papers/a.json; sleep 0.1; else {again}\n\
             echo '{{\"artifacts\": [\"papers/a.json\"]}}' > \"$GATEHOUSE_REPORT\"; fi\n"
        );
        let text = TWICE.replace(
            "  outputs: ['{output_folder}/a.json']\n  validation: Format validation\n",
            "  validation: none\n",
        );
        let state = project(&script).whole(&text, None).await;
        assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
        let held = result(&state, "again").lifecycle.clone().expect("it was looked at");
        (held.evidence[0].clone(), held.unchanged)
    };
    let (left, unchanged) = around("true").await;
    assert_eq!(unchanged, ["papers/a.json"]);
    assert_eq!(left.artifacts.len(), 0);
    assert!(
        left.notes.contains("Not made here, and there before: `papers/a.json`."),
        "{}",
        left.notes
    );
    let (written, unchanged) = around("echo '[]' > papers/a.json").await;
    assert_eq!((written.artifacts.len(), unchanged.len()), (1, 0), "{}", written.notes);
}

#[tokio::test]
async fn what_a_failed_attempt_left_is_no_evidence_of_the_next_one() {
    let script = "mkdir -p papers\nif [ -e papers/a.json ]; then exit 0; fi\necho '{}' > papers/a.json\nexit 1\n";
    let step =
        "  retries: {max: 1}\n  outputs: ['{output_folder}/a.json']\n  validation: Format validation\n  evidence: L1\n";
    let state = project(script).whole(&workflow(step), None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let record = &state.evidence[0].record;
    assert_eq!(record.claim, "“Draft” was carried out.");
    assert_eq!(record.level, Level::L0);
}

#[tokio::test]
async fn what_was_made_right_before_the_run_is_not_its_work() {
    let project = project("true\n");
    std::fs::create_dir_all(project.root.join("papers")).expect("a folder");
    std::fs::write(project.root.join("papers/a.md"), "old\n").expect("a file");
    tokio::time::sleep(std::time::Duration::from_millis(60)).await;
    let step = "  outputs: ['{output_folder}/a.md']\n  evidence: L0\n";
    let state = project.whole(&workflow(step), None).await;
    assert!(result(&state, "draft").artifacts[0].was_there, "{state:?}");
}
