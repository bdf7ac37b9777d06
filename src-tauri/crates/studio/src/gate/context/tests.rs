use super::*;
use crate::run::sample::Play;
use engine::{ExecutionStatus, Level, StepResult, ToolAsk};
use serde_json::json;

#[test]
fn a_gate_before_the_work_shows_what_was_done_around_what_it_shows() {
    let play = Play::at_the_gate();
    let round = play.state.waiting().expect("a person is asked");
    let around = beside(&play.workflow, &play.state, round);
    let checks: Vec<&str> = around.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(checks, ["Template: docs/prd.md"]);
    assert_eq!((around.tools.len(), around.guardrails.len()), (1, 1));
    let (support, records) = support(&play.evidence(0), round);
    assert_eq!(records.len(), 1);
    assert_eq!(support.expect("evidence").weakest.as_deref(), Some("ev:prd:1"));
}

#[test]
fn an_approval_raises_what_it_saw_and_nothing_else_does() {
    let mut play = Play::at_the_gate();
    let raised = |play: &Play, answer| raised(&play.state, play.state.waiting().expect("a person is asked"), answer);
    let one = &raised(&play, Answer::Approve)[0];
    assert_eq!((one.from, one.to), (Level::L1, Level::L2));
    assert_eq!(one.words, "prd.md then counts as confirmed by a person.");
    assert!(raised(&play, Answer::Changes).is_empty() && raised(&play, Answer::Reject).is_empty());
    // Made anew, it is the new record that is raised.
    play.answer(Answer::Changes, "name the owner");
    play.made("docs/prd.md", "p2", "1970-03-02", 0.5);
    let ids: Vec<String> = raised(&play, Answer::Approve)
        .into_iter()
        .map(|one| one.evidence)
        .collect();
    assert_eq!(ids, ["ev:prd:2"]);
    play.answer(Answer::Approve, "");
    let evidence = &play.state.evidence;
    let levels: Vec<Level> = evidence.iter().map(|held| held.record.level).collect();
    assert_eq!(levels, [Level::L1, Level::L1, Level::L2]);
}

#[test]
fn a_tool_is_asked_about_with_its_arguments_and_what_allowing_means() {
    let mut play = Play::at_the_gate();
    play.answer(Answer::Approve, "");
    let mut result = StepResult::new(ExecutionStatus::Blocked);
    result.lifecycle = Some(Box::new(Lifecycle {
        asks: Some(ToolAsk {
            gate: "tool:deploy:architecture".to_owned(),
            tool: "deploy".to_owned(),
            args: json!({"target": "production"}),
            risk: Risk::High,
            call: "1".into(),
            place: 0,
        }),
        ..Lifecycle::default()
    }));
    play.finish(result);
    let round = play.state.waiting().expect("a person is asked");
    let asked = tool(&play.workflow, &round.opened, false).expect("it is a tool's gate");
    let rehearsed = tool(&play.workflow, &round.opened, true).expect("it is a tool's gate");
    assert!(rehearsed.means.contains("the call is not made"), "{}", rehearsed.means);
    assert_eq!(
        (asked.name.as_str(), asked.args.as_str()),
        ("deploy", "target: production")
    );
    assert!(asked.means.contains("make this call once") && asked.means.contains("may not be possible to take back"));
    let step = play.workflow.step(&"architecture".into());
    let why = crate::gate::policy::tool(&round.opened.purpose, step).expect("why");
    assert_eq!(
        why,
        "A call of deploy is of high risk, and those are never made unasked."
    );
    let record = record(&play.workflow, &round.opened).expect("it is recorded");
    let options: Vec<&str> = record.options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(options, ["Allow", "Refuse"]);
    assert_eq!(record.options[0].reversibility, "final once it is called");
    // A rejection that leads back is asked again; one that leads on is not.
    let ids: Vec<_> = play.workflow.steps().iter().map(|step| &step.id).collect();
    let (first, last) = (ids[0], ids[ids.len() - 1]);
    for (from, to, said, for_good) in [
        (
            last,
            first,
            "counts for this round; the run goes back, and the question is asked again",
            false,
        ),
        (
            first,
            last,
            "final; the run goes on where the workflow leads after a rejection",
            true,
        ),
    ] {
        let mut opened = GateOpened::clone(&round.opened);
        opened.instance.step = from.clone();
        (opened.purpose, opened.reject_to) = (Purpose::Approval, Some(to.clone()));
        let record = super::record(&play.workflow, &opened).expect("it is recorded");
        let reject = record.options.iter().find(|option| option.answer == Answer::Reject);
        assert_eq!(reject.expect("it can be rejected").reversibility, said);
        let mut approve = record.options.iter().filter(|option| option.answer == Answer::Approve);
        let said = "cannot be taken back in this run; a new run can go back to this question";
        assert!(approve.all(|option| option.reversibility.starts_with(said)));
        assert_eq!(rejects_for_good(&play.workflow, &opened), for_good);
    }
    assert!(raised(&play.state, round, Answer::Approve).is_empty());
}
