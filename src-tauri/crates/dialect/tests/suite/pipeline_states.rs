//! The state of a run in the pipeline's own file.

use dialect::Document;
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::{PipelineStatus, StageState, StageStatus, States, WriteError, instantiate, with_states};
use model::Place;

fn states(status: PipelineStatus, stages: &[(&str, StageStatus)]) -> States {
    let stage = |(name, status): &(&str, StageStatus)| StageState {
        name: (*name).to_owned(),
        status: *status,
        error: None,
    };
    States {
        status,
        error: None,
        stages: stages.iter().map(stage).collect(),
    }
}

/// Writes, and writes again: nothing changes then.
fn write(text: &str, states: &States) -> String {
    let written = with_states(text, states).expect("it can be written");
    assert_eq!(with_states(&written, states).as_ref(), Ok(&written));
    written
}

#[test]
fn missing_keys_come_in_and_the_rest_stays() {
    let text = "# ours\nname: 'R'   # short\nstages:\n  - name: a  # first\n    agents: [x]\n\n  # the second\n  - {name: b, agent: y}\n  - agent: z\n    name: \"c\"\n    depends_on:\n    - a # needed\n";
    let wanted = states(
        PipelineStatus::Running,
        &[
            ("a", StageStatus::Completed),
            ("b", StageStatus::Running),
            ("c", StageStatus::Pending),
        ],
    );
    let written = write(text, &wanted);
    assert_eq!(
        written,
        "# ours\nname: 'R'   # short\nstatus: running\nstages:\n  - name: a  # first\n    agents: [x]\n    status: completed\n\n  # the second\n  - {name: b, agent: y, status: running}\n  - agent: z\n    name: \"c\"\n    depends_on:\n    - a # needed\n    status: pending\n"
    );
    // Going back is the same text again, but for the words.
    let before = write(
        &written,
        &states(
            PipelineStatus::Pending,
            &[("a", StageStatus::Pending), ("b", StageStatus::Pending)],
        ),
    );
    assert_eq!(
        before,
        written.replace("running", "pending").replace("completed", "pending")
    );
}

/// What is valid JSON is that afterwards, whatever its file is called.
#[test]
fn a_pipeline_written_as_json_stays_json() {
    let text = "{\"name\": \"R\", \"stages\": [{\"name\": \"a\", \"agents\": [\"x\"]}, {\"name\": \"b\", \"depends_on\": [\"a\"]}]}\n";
    let mut failed = states(
        PipelineStatus::Failed,
        &[("a", StageStatus::Completed), ("b", StageStatus::Failed)],
    );
    failed.error = Some("Pipeline failed at stage: b".to_owned());
    failed.stages[1].error = Some("no".to_owned());
    let written = write(text, &failed);
    assert_eq!(
        written,
        "{\"name\": \"R\", \"stages\": [{\"name\": \"a\", \"agents\": [\"x\"], \"status\": \"completed\"}, {\"name\": \"b\", \"depends_on\": [\"a\"], \"status\": \"failed\", \"error\": \"no\"}], \"status\": \"failed\", \"error\": \"Pipeline failed at stage: b\"}\n"
    );
    let read: serde_json::Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(read["stages"][0]["status"], "completed");
    // One quoted name among others asks for none.
    let mixed = "name: R\nstages: [{\"name\": a, agent: x}]\n";
    let running = states(PipelineStatus::Running, &[("a", StageStatus::Running)]);
    assert!(write(mixed, &running).contains("agent: x, status: running}"));
}

#[test]
fn errors_come_and_go() {
    let text = "name: R\nstages:\n- name: a\n  status: running\n- name: b\n";
    let mut failed = states(
        PipelineStatus::Failed,
        &[("a", StageStatus::Failed), ("b", StageStatus::Skipped)],
    );
    failed.error = Some("Pipeline failed at stage: a".to_owned());
    failed.stages[0].error = Some("it said:\n\"no\" # really\t\u{1b}[31m".to_owned());
    let written = write(text, &failed);
    assert_eq!(
        written,
        "name: R\nstatus: failed\nerror: \"Pipeline failed at stage: a\"\nstages:\n- name: a\n  status: failed\n  error: \"it said:\\n\\\"no\\\" # really\\t\\u001b[31m\"\n- name: b\n  status: skipped\n"
    );
    let again = states(
        PipelineStatus::Running,
        &[("a", StageStatus::Queued), ("b", StageStatus::Pending)],
    );
    assert_eq!(
        write(&written, &again),
        "name: R\nstatus: running\nstages:\n- name: a\n  status: queued\n- name: b\n  status: pending\n"
    );
}

#[test]
fn what_a_hand_changed_meanwhile_stays() {
    let wanted = states(
        PipelineStatus::Running,
        &[("a", StageStatus::Completed), ("gone", StageStatus::Failed)],
    );
    let text = "stages:\r\n- name: new\r\n  agent: x\r\n- agent: x\r\n  name: a\r\n  status:   pending  # by hand\r\n- name: a\r\nname: R";
    assert_eq!(
        write(text, &wanted),
        "stages:\r\n- name: new\r\n  agent: x\r\n- agent: x\r\n  name: a\r\n  status:   completed  # by hand\r\n- name: a\r\nname: R\r\nstatus: running"
    );
    let bom = format!("\u{feff}{text}");
    assert_eq!(write(&bom, &wanted), format!("\u{feff}{}", write(text, &wanted)));
}

/// Somebody called a stage otherwise while it was at work: its state is of no stage that the file has now.
#[test]
fn a_stage_that_the_run_does_not_have_keeps_no_state_of_one() {
    let text = "status: running\nstages:\n- name: a\n  status: completed\n- name: called anew\n  status: running\n  agent: x\n- name: failed once\n  status: failed\n  error: \"no\"\n- {name: flow, status: queued}\n- name: added\n  status: pending\n";
    let wanted = states(
        PipelineStatus::Completed,
        &[("a", StageStatus::Completed), ("b", StageStatus::Completed)],
    );
    assert_eq!(
        write(text, &wanted),
        "status: completed\nstages:\n- name: a\n  status: completed\n- name: called anew\n  agent: x\n- name: failed once\n- {name: flow}\n- name: added\n  status: pending\n"
    );
}

#[test]
fn odd_forms() {
    let wanted = states(
        PipelineStatus::Completed,
        &[("a", StageStatus::Completed), ("b", StageStatus::Aborted)],
    );
    for (text, after) in [
        (
            "{name: R, stages: [{name: a}, {name: b}]}",
            "{name: R, stages: [{name: a, status: completed}, {name: b, status: aborted}], status: completed}",
        ),
        (
            "status:\nstages:\n- name: a\n  status:\n- name: b\n  status: ~\n",
            "status: completed\nstages:\n- name: a\n  status: completed\n- name: b\n  status: aborted\n",
        ),
        (
            "x: &s pending\nstatus: *s\nstages:\n- name: a\n  status: *s\n- <<: {status: pending}\n  name: b\n",
            "x: &s pending\nstatus: completed\nstages:\n- name: a\n  status: completed\n- <<: {status: pending}\n  name: b\n  status: aborted\n",
        ),
        (
            "status: 'pending'\nstages:\n- name: a\n  status: \"pending\"\n",
            "status: 'completed'\nstages:\n- name: a\n  status: \"completed\"\n",
        ),
        (
            "stages:\n- name: a\n  run: |\n    make\n\n    make test\n\n- name: b\n  run: >-\n    x\n\n\n",
            "stages:\n- name: a\n  run: |\n    make\n\n    make test\n  status: completed\n\n- name: b\n  run: >-\n    x\n  status: aborted\nstatus: completed\n\n\n",
        ),
    ] {
        let written = write(text, &wanted);
        assert_eq!(written, after);
        let read = |text: &str| Document::parse("p.yaml", text).workflow().steps().to_vec();
        if text.starts_with("status") {
            assert_eq!(read(text), read(&written));
        }
    }
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let wanted = states(PipelineStatus::Completed, &[("a", StageStatus::Completed)]);
    let broken = with_states("stages:\n- name: \"a\n", &wanted).expect_err("a quote is open");
    assert!(matches!(broken, WriteError::Broken { .. }), "{broken}");
    for text in ["", "- a\n", "name: x\n", "stages: none\n"] {
        assert_eq!(with_states(text, &wanted), Err(WriteError::NoPipeline), "{text}");
    }
    let shared = "s: &a {name: a}\nstages: [*a]\n";
    let refused = with_states(shared, &wanted).expect_err("a stage that is written elsewhere");
    assert!(refused.to_string().contains("shared"), "{refused}");
}

/// A state that could not be written is told of before the run, and not when the run has ended and its file says that it goes on.
#[test]
fn what_another_part_takes_over_is_said_before_a_run() {
    const NAMED: &str = "PIPE-20260131-p-093000.yaml";
    let said = |path: &str, text: &str| {
        let found = Document::parse(path, text).diagnostics().to_vec();
        let shared = found.into_iter().filter(|one| one.code == "GH0312");
        shared.map(|one| one.place).collect::<Vec<Place>>()
    };
    let stage = "stages:\n- &x {name: a, run: 'exit 1'}\n- {<<: *x, name: b, depends_on: [a]}\n";
    let mut failed = states(
        PipelineStatus::Failed,
        &[("a", StageStatus::Failed), ("b", StageStatus::Skipped)],
    );
    failed.stages[0].error = Some("no".to_owned());
    assert!(
        with_states(stage, &failed).is_err(),
        "`error` of the one is the other's, too"
    );
    let list = "s: &s [{name: a, agent: x}]\nstages: *s\n";
    let status = "status: &p pending\nstages:\n- {name: a, agent: x, status: *p}\n";
    for (text, place) in [
        (stage, Place::step(0)),
        (list, Place::document().field("stages")),
        (status, Place::document().field("status")),
    ] {
        assert_eq!(said(NAMED, text), [place], "{text}");
        assert!(said("release.yaml", text).is_empty(), "no state is kept there: {text}");
        let id = PipelineId::parse("PIPE-20260131-p-093000").expect("an id");
        let refused = instantiate(text, &id, None).expect_err("no pipeline comes of it that could run");
        assert!(refused.to_string().contains("shared"), "{refused}");
    }
    // What is shared from outside of the stages has no state.
    let common = "common: &x {agent: x}\nstages:\n- &unused {<<: *x, name: a}\n- {<<: *x, name: b, depends_on: [a]}\n";
    assert!(said(NAMED, common).is_empty());
    assert!(with_states(common, &failed).is_ok());
}

#[test]
fn ten_thousand_stages() {
    let mut text = "name: R\nstages:\n".to_owned();
    let mut all = Vec::new();
    for n in 0..10_000 {
        text.push_str(&format!(
            "  - name: s{n}\n    agents: [x]\n    depends_on: [s{}]\n",
            n / 2
        ));
        all.push((format!("s{n}"), StageStatus::Queued));
    }
    let all: Vec<(&str, StageStatus)> = all.iter().map(|(name, status)| (name.as_str(), *status)).collect();
    let written = write(&text, &states(PipelineStatus::Running, &all));
    assert_eq!(written.matches("    status: queued\n").count(), 10_000);
    assert_eq!(
        written
            .replace("    status: queued\n", "")
            .replace("status: running\n", ""),
        text
    );
}
