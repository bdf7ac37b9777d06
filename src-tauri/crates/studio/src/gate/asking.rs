//! What is said about asking people and about their answers: the purposes of a gate in words.

use crate::days;
use crate::gate::decision_view::AskFor;
use crate::text::safe;
use crate::view::Status;
use crate::words;
use chrono_tz::Tz;
use engine::{Answer, At, Decision, GateOpened, Instance, Lasting, Purpose, RunCreated, Way};
use history::Events;
use model::routing::DECIDES;
use model::{Fields, GateAt, Routing, Step, Workflow};
use serde_json::Value;

/// What the answer is for.
pub fn purpose(purpose: &Purpose) -> AskFor {
    match purpose {
        Purpose::Approval => AskFor::Approval,
        Purpose::Outcome { .. } => AskFor::Outcome,
        Purpose::Permission { .. } => AskFor::Permission,
        Purpose::Tool { .. } => AskFor::Tool,
        Purpose::Way { .. } => AskFor::Way,
    }
}

/// The answers that a gate takes, in the order they are offered.
pub fn offered(purpose: &Purpose) -> Vec<(Answer, Option<&Way>)> {
    let plain = |answers: &[Answer]| answers.iter().map(|answer| (*answer, None)).collect();
    match purpose {
        Purpose::Approval => plain(&[Answer::Approve, Answer::Changes, Answer::Reject]),
        Purpose::Outcome { .. } => plain(&[Answer::Pass, Answer::Fail]),
        Purpose::Permission { .. } | Purpose::Tool { .. } => plain(&[Answer::Approve, Answer::Reject]),
        Purpose::Way { ways } => {
            let ways = ways.iter().map(|way| (Answer::Choose, Some(way)));
            ways.chain([(Answer::Changes, None), (Answer::Reject, None)]).collect()
        }
    }
}

/// Whether an answer permits what a step wants to do.
pub fn permits(purpose: &Purpose, answer: Answer) -> bool {
    matches!(purpose, Purpose::Permission { .. }) && answer == Answer::Approve
}

/// Why nobody here permits what a step wants to do whose run another account carries on; `who`: who started it.
pub fn permitted_there(who: &str) -> String {
    format!(
        "Only the account that carries this run on can allow this: its programs run there. {who} started it. You can refuse it, or take the \
         run up yourself once nobody carries it on."
    )
}

/// The way that an answer names.
pub fn chosen<'p>(purpose: &'p Purpose, way: Option<&str>) -> Option<&'p Way> {
    match purpose {
        Purpose::Way { ways } => ways.iter().find(|one| way == Some(one.id.as_str())),
        _ => None,
    }
}

/// What stands on an answer's button: of an outcome the author's word.
pub fn label(purpose: &Purpose, answer: Answer) -> String {
    match (purpose, answer) {
        (Purpose::Outcome { pass, .. }, Answer::Pass) => pass.clone(),
        (Purpose::Outcome { fail, .. }, Answer::Fail) => fail.clone(),
        (Purpose::Permission { .. } | Purpose::Tool { .. }, Answer::Approve) => "Allow".to_owned(),
        (Purpose::Permission { .. } | Purpose::Tool { .. }, Answer::Reject) => "Refuse".to_owned(),
        (_, Answer::Approve) => "Approve".to_owned(),
        (_, Answer::Changes) => "Request changes".to_owned(),
        (_, Answer::Reject) => "Reject".to_owned(),
        (_, Answer::Pass) => "PASS".to_owned(),
        (_, Answer::Fail) => "FAIL".to_owned(),
        (_, Answer::Choose) => "Choose this way".to_owned(),
    }
}

/// The same of a round: where an issue is decided about, what becomes of it; where somebody carries a step out in a format that has no
/// words of its own for that, that the answer is about having done it.
pub fn label_in(workflow: &Workflow, opened: &GateOpened, answer: Answer) -> String {
    if matches!(opened.purpose, Purpose::Outcome { attempt: true, .. }) {
        let means = match answer {
            Answer::Pass => ": I did it",
            Answer::Fail => ": I could not do it",
            _ => "",
        };
        return label(&opened.purpose, answer) + means;
    }
    let again = opened.changes_to.as_ref().map(|to| words::step_ref(workflow, to).name);
    match (opened.feedback.is_empty(), answer, again) {
        (false, Answer::Approve, _) => "Accept as it is".to_owned(),
        (false, Answer::Changes, Some(name)) => format!("Do “{name}” again"),
        (false, Answer::Reject, _) => "Stop".to_owned(),
        _ => label(&opened.purpose, answer),
    }
}

/// What a report says of the loop at its step: `status`, the value, and whether that ends it; `None`: the step turns no loop that a
/// value ends, or nothing of it was reported.
pub fn verdict<'r>(step: &Step, report: &'r Fields) -> Option<(String, &'r Value, bool)> {
    let Routing::Microloop(_) = &step.routing else {
        return None;
    };
    // As the contract compares them, not as they are told to people: `yes` is a text, and `true` is none.
    let is_one = |values: &[Value], value: &Value| {
        let said = engine::value::text(value);
        !said.is_empty() && values.iter().any(|one| engine::value::text(one) == said)
    };
    let asked = step.routing.asks_for().into_iter();
    let mut told = asked.filter_map(|one| {
        let value = report.get(&one.field)?;
        let ends = is_one(&one.values, value);
        Some((one.field, value, ends))
    });
    let first = told.next()?;
    Some(if first.2 {
        first
    } else {
        told.find(|(_, _, ends)| *ends).unwrap_or(first)
    })
}

/// What a person did: `approved`, `asked for changes`, `answered YES`, `allowed it for this run`.
pub fn answered(purpose: &Purpose, decision: &Decision) -> String {
    match (purpose, decision.answer) {
        (Purpose::Outcome { attempt, .. }, answer) => match (reported(decision), answer) {
            // A value can be PASS or FAIL itself: beside its field's name nobody takes it for the answer.
            (Some(said), _) => format!("did it; {said}"),
            (None, Answer::Pass) if *attempt => "did it".to_owned(),
            (None, Answer::Fail) if *attempt => "could not do it".to_owned(),
            (None, answer) => format!("answered {}", label(purpose, answer)),
        },
        (Purpose::Permission { .. }, Answer::Approve) => match decision.lasting {
            None | Some(Lasting::Once) => "allowed it once".to_owned(),
            Some(Lasting::Run) => "allowed it for this run".to_owned(),
            Some(Lasting::Always) => "allowed it from now on".to_owned(),
        },
        (Purpose::Tool { ask }, Answer::Approve) => format!("allowed the tool {}", ask.tool),
        (Purpose::Tool { ask }, _) => format!("refused the tool {}", ask.tool),
        (Purpose::Permission { .. }, _) => "refused it".to_owned(),
        (Purpose::Way { .. }, Answer::Choose) => match chosen(purpose, decision.way.as_deref()) {
            Some(way) => format!("chose: {}", way.label),
            None => "chose the way on".to_owned(),
        },
        (Purpose::Approval | Purpose::Way { .. }, Answer::Approve) => "approved".to_owned(),
        (Purpose::Approval | Purpose::Way { .. }, Answer::Changes) => "asked for changes".to_owned(),
        (Purpose::Approval | Purpose::Way { .. }, Answer::Reject) => "rejected".to_owned(),
        (Purpose::Approval | Purpose::Way { .. }, answer) => format!("answered {}", label(purpose, answer)),
    }
}

/// What a person reported of the step that they carried out: `status: UNVERIFIED, pages: 4`; `None`: nothing.
fn reported(decision: &Decision) -> Option<String> {
    /// A report of more fields than this is read at the step, and so is a longer value.
    const MOST: usize = 4;
    const LONGEST: usize = 60;
    let short = |text: &str| safe::shortened(&safe::visible(text.lines().next().unwrap_or_default()), LONGEST);
    let fields = &decision.report;
    let mut said: Vec<String> = words::named(fields)
        .iter()
        .take(MOST)
        .map(|field| format!("{}: {}", short(&field.name), short(&field.value)))
        .collect();
    if fields.len() > MOST {
        said.push(format!("{} more", fields.len() - MOST));
    }
    (!said.is_empty()).then(|| said.join(", "))
}

/// The same of a round: who lets a result go on below the project's standards has approved exactly that.
pub fn answered_in(opened: &GateOpened, decision: &Decision) -> String {
    let words = answered(&opened.purpose, decision);
    if !opened.feedback.is_empty() {
        return match decision.answer {
            Answer::Approve => "accepted it as it is".to_owned(),
            Answer::Changes => "sent the work back".to_owned(),
            _ => "stopped it".to_owned(),
        };
    }
    match opened.overrides(decision.answer) {
        true => format!("{words} below the project's standard"),
        false => words,
    }
}

/// How an answer looks. A report that its step is not verified is no good end, however well the work itself went; nor is one that sends a
/// loop back, or a result that is let go on below the project's standards.
pub fn look(workflow: &Workflow, opened: &GateOpened, decision: &Decision) -> Status {
    match decision.answer {
        Answer::Changes => Status::Waiting,
        Answer::Reject => Status::Refused,
        Answer::Fail if is_question(&opened.purpose) => Status::Done,
        Answer::Fail => Status::Failed,
        answer if opened.overrides(answer) => Status::Waiting,
        Answer::Pass if is_open(workflow, opened, decision) => Status::Waiting,
        Answer::Approve | Answer::Pass | Answer::Choose => Status::Done,
    }
}

/// Whether a report says that the step is not verified, or nothing that ends its loop.
fn is_open(workflow: &Workflow, opened: &GateOpened, decision: &Decision) -> bool {
    /// What agents report in place of VERIFIED (seed 001 "status").
    const NOT_VERIFIED: [&str; 3] = ["UNVERIFIED", "PARTIAL", "BLOCKED"];
    let status = decision.report.get(DECIDES).and_then(Value::as_str);
    let step = workflow.step(&opened.instance.step);
    let verdict = step.and_then(|step| verdict(step, &decision.report));
    let goes_back = verdict.is_some_and(|(_, _, ends)| !ends);
    status.is_some_and(|status| NOT_VERIFIED.contains(&status)) || goes_back
}

/// `Alice approved this on 2026-11-21 at 08:30 UTC.`
pub fn decided(purpose: &Purpose, decision: &Decision, at: At, zone: Option<Tz>) -> String {
    let what = match (purpose, decision.answer) {
        (Purpose::Approval, Answer::Approve) => "approved this".to_owned(),
        (Purpose::Approval, Answer::Reject) => "rejected this".to_owned(),
        _ => answered(purpose, decision),
    };
    let when = days::told(at.0, zone);
    format!("{} {what} on {when}.", crate::words::decider(decision))
}

/// Whether it is a question of a runbook, answered YES or NO: nothing is carried out, and NO is no failure.
pub fn is_question(purpose: &Purpose) -> bool {
    matches!(purpose, Purpose::Outcome { fail, .. } if fail == engine::gate::NO)
}

/// A line of the log: what is waited for.
pub fn waits(workflow: &Workflow, opened: &GateOpened) -> String {
    let step = step_of(workflow, &opened.instance);
    match &opened.purpose {
        Purpose::Approval => format!("Waiting for a decision: {}", opened.question),
        Purpose::Outcome { pass, fail, .. } if is_question(&opened.purpose) => {
            format!("Waiting for an answer to {step}: {pass} or {fail}?")
        }
        Purpose::Outcome { pass, fail, .. } => format!("Waiting for a person to carry out {step}: {pass} or {fail}?"),
        Purpose::Tool { ask } => format!("Waiting for approval: {step} wants to use the tool {}.", ask.tool),
        Purpose::Permission { needs } => {
            format!("Waiting for permission: {step} wants to {}.", needs.join(", "))
        }
        Purpose::Way { .. } if opened.at == GateAt::Before => format!("Waiting for a person: {}", opened.question),
        Purpose::Way { .. } => format!("Waiting for a person to choose the way on from {step}."),
    }
}

/// In what the run waits, for its status: `waits for a decision at “Approve the plan”`.
pub fn status(workflow: &Workflow, opened: &GateOpened) -> String {
    let step = step_of(workflow, &opened.instance);
    match &opened.purpose {
        Purpose::Approval => format!("waits for a decision at {step}"),
        Purpose::Outcome { .. } if is_question(&opened.purpose) => format!("asks {step}"),
        Purpose::Outcome { .. } => format!("asks a person to carry out {step}"),
        Purpose::Permission { .. } => format!("asks for permission for {step}"),
        Purpose::Tool { ask } => format!("asks whether {step} may use the tool {}", ask.tool),
        Purpose::Way { .. } if opened.at == GateAt::Before => format!("asks whether {step} is to be done"),
        Purpose::Way { .. } => format!("asks for the way on from {step}"),
    }
}

/// What was answered, from the events before the answer.
pub fn asked_before<'a>(events: Events<'a>, decision: &Decision) -> Option<&'a GateOpened> {
    events.iter().rev().find_map(|e| match &e.event {
        engine::Event::GateOpened(opened) if opened.gate == decision.gate && opened.round == decision.round => {
            Some(&**opened)
        }
        _ => None,
    })
}

/// Which instance of a dynamic step (or of a step inside one): `3`, `2 · 4`; `None` where there is only one.
pub fn instance(path: &[u32]) -> Option<String> {
    let parts: Vec<String> = path.iter().map(ToString::to_string).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// `“Notify the customer”`, of a dynamic step `“Notify the customer” (2 · 4)`.
pub fn step_of(workflow: &Workflow, at: &Instance) -> String {
    quoted(&words::step_ref(workflow, &at.step).name, at)
}

/// The same as it is told of a run ([`words::step_in`]).
pub fn step_in(workflow: &Workflow, created: Option<&RunCreated>, at: &Instance) -> String {
    quoted(&words::step_in(workflow, created, &at.step).name, at)
}

fn quoted(name: &str, at: &Instance) -> String {
    match instance(&at.path) {
        Some(which) => format!("“{name}” ({which})"),
        None => format!("“{name}”"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(answer: Answer, lasting: Option<Lasting>) -> Decision {
        Decision {
            gate: "w:1:hitl".into(),
            round: 1,
            answer,
            by: "Ada".into(),
            comment: String::new(),
            seen: Vec::new(),
            undrawn: Vec::new(),
            via: "desktop".into(),
            lasting,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: None,
        }
    }

    #[test]
    fn every_purpose_has_words_of_its_own() {
        let outcome = Purpose::Outcome {
            pass: "YES".into(),
            fail: "NO".into(),
            attempt: false,
        };
        let permission = Purpose::Permission {
            needs: vec!["run rm".into()],
        };
        for (purpose, answer, lasting, label_, words) in [
            (&Purpose::Approval, Answer::Approve, None, "Approve", "approved"),
            (
                &Purpose::Approval,
                Answer::Changes,
                None,
                "Request changes",
                "asked for changes",
            ),
            (&outcome, Answer::Pass, None, "YES", "answered YES"),
            (&outcome, Answer::Fail, None, "NO", "answered NO"),
            (&permission, Answer::Approve, None, "Allow", "allowed it once"),
            (
                &permission,
                Answer::Approve,
                Some(Lasting::Run),
                "Allow",
                "allowed it for this run",
            ),
            (&permission, Answer::Reject, None, "Refuse", "refused it"),
        ] {
            assert_eq!(label(purpose, answer), label_);
            assert_eq!(answered(purpose, &decision(answer, lasting)), words);
            assert!(offered(purpose).iter().any(|(one, _)| *one == answer));
        }
    }

    #[test]
    fn a_verdict_ends_a_loop_where_the_contract_says_so() {
        let ends = |accepted: &str, said: Value| {
            let microloop = model::Microloop {
                loop_target: Some("a".into()),
                condition_field: Some("v".to_owned()),
                success_values: vec![accepted.to_owned()],
                max_iterations: 1,
                next: None,
                exit_on: Default::default(),
            };
            let step = Step {
                routing: Routing::Microloop(microloop),
                ..Step::new("b", 1)
            };
            let report = Fields::from_iter([("v".to_owned(), said)]);
            verdict(&step, &report).map(|(_, _, ends)| ends)
        };
        assert_eq!(ends("yes", true.into()), Some(false));
        assert_eq!(ends("True", true.into()), Some(true));
        assert_eq!(ends("yes", serde_json::json!(["yes"])), Some(false));
        assert_eq!(ends("yes", "yes".into()), Some(true));
    }

    #[test]
    fn what_was_reported_stands_beside_the_answer() {
        let outcome = Purpose::Outcome {
            pass: "PASS".into(),
            fail: "FAIL".into(),
            attempt: true,
        };
        let mut decision = decision(Answer::Pass, None);
        assert_eq!(answered(&outcome, &decision), "did it");
        decision.answer = Answer::Fail;
        assert_eq!(answered(&outcome, &decision), "could not do it");
        decision.answer = Answer::Pass;
        decision.report = [
            ("status".to_owned(), "UNVERIFIED".into()),
            ("why".to_owned(), format!("{}\nand more", "a".repeat(70)).into()),
        ]
        .into_iter()
        .collect();
        assert_eq!(
            answered(&outcome, &decision),
            format!("did it; status: UNVERIFIED, why: {}…", "a".repeat(60))
        );
        let many = (0..7).map(|n| (format!("f{n}"), n.into())).collect();
        decision.report = many;
        assert!(answered(&outcome, &decision).ends_with("f3: 3, 3 more"));
    }

    #[test]
    fn an_answer_looks_as_good_as_what_it_says() {
        let text = "key: w\ntitle: W\nsteps:\n  - {id: plain, agents: [a], routing: {kind: linear}}\n  \
                    - {id: turns, agents: [a], routing: {kind: microloop, loop_target: plain, loop_condition_field: verdict, loop_success_values: [good]}}\n";
        let document = dialect::Document::parse("w.yaml", text);
        let opened = |step: &str| {
            serde_json::from_value::<GateOpened>(serde_json::json!({
                "gate": format!("w:{step}:outcome"), "round": 1, "at": "before", "question": "?", "requirement": "required", "why": "step_requires",
                "instance": {"step": step, "visit": 1},
                "purpose": {"kind": "outcome", "pass": "PASS", "fail": "FAIL", "attempt": true},
            }))
        };
        for (step, field, value, status) in [
            ("plain", "status", "VERIFIED", Status::Done),
            ("plain", "status", "UNVERIFIED", Status::Waiting),
            ("plain", "pages", "4", Status::Done),
            ("turns", "verdict", "good", Status::Done),
            ("turns", "verdict", "bad", Status::Waiting),
        ] {
            let opened = opened(step).expect("a gate");
            let report = [(field.to_owned(), value.into())].into_iter().collect();
            let said = Decision {
                report,
                ..decision(Answer::Pass, None)
            };
            assert_eq!(
                look(document.workflow(), &opened, &said),
                status,
                "{step} {field} {value}"
            );
            assert_eq!(
                look(document.workflow(), &opened, &decision(Answer::Fail, None)),
                Status::Failed
            );
        }
    }

    #[test]
    fn no_is_an_answer_and_no_failure() {
        let document =
            dialect::Document::parse("r.runbook.md", "# R\n\n## 1 Is it up?\n\n- YES: CONTINUE\n- NO: STOP\n");
        let opened = |pass: &str, fail: &str| {
            serde_json::from_value::<GateOpened>(serde_json::json!({
                "gate": "r:1:hitl", "round": 1, "at": "before", "question": "Is it up?", "requirement": "required", "why": "step_requires",
                "instance": {"step": "1", "visit": 1},
                "purpose": {"kind": "outcome", "pass": pass, "fail": fail, "attempt": true},
            }))
            .expect("a gate")
        };
        let no = decision(Answer::Fail, None);
        let (asked, work) = (opened("YES", "NO"), opened("PASS", "FAIL"));
        assert_eq!(look(document.workflow(), &asked, &no), Status::Done);
        assert_eq!(look(document.workflow(), &work, &no), Status::Failed);
        assert_eq!(status(document.workflow(), &asked), "asks “Is it up?”");
        assert_eq!(
            status(document.workflow(), &work),
            "asks a person to carry out “Is it up?”"
        );
        assert!(waits(document.workflow(), &asked).ends_with(": YES or NO?"));
    }

    #[test]
    fn instances_are_named_by_their_indices() {
        assert_eq!(instance(&[]), None);
        assert_eq!(instance(&[3]), Some("3".into()));
        assert_eq!(instance(&[2, 4]), Some("2 · 4".into()));
    }
}
