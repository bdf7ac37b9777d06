//! Every row of the routing table (CONTRACTS "Stepwise"): routing, report, loops taken → successor, decision, reason.

use crate::play::{microloop, steps, workflow};
use engine::routing::{loop_key, route};
use engine::{ExecutionStatus, RouteSource, StepResult};
use indexmap::IndexMap;
use model::{Branch, Condition, Guard, Microloop, Operator, Routing, StepId};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The case flow: author, critic (the step under test), done. A report of null is a receipt that cannot be read.
fn decided(routing: Routing, report: Value, taken: u32, spec: bool) -> engine::RouteDecision {
    let mut steps = steps(&["author", "critic", "done"]);
    steps[1].routing = routing;
    let mut workflow = workflow(steps);
    workflow.spec_generation = spec;
    let step = workflow.step(&"critic".into()).unwrap();
    let mut result = StepResult::new(ExecutionStatus::Succeeded);
    result.receipt_readable = !report.is_null();
    result.report = serde_json::from_value(if report.is_null() { json!({}) } else { report }).unwrap();
    let key = loop_key(&"critic".into(), &"author".into());
    let counters = if taken == 0 {
        BTreeMap::new()
    } else {
        BTreeMap::from([(key, taken)])
    };
    route(step, &workflow, &result, &counters)
}

fn line(d: &engine::RouteDecision) -> String {
    let to = d.to.as_ref().map_or("-", StepId::as_str);
    format!(
        "{to} {} {}",
        serde_json::to_value(d.decision).unwrap().as_str().unwrap(),
        d.reason
    )
}

#[track_caller]
fn check(routing: Routing, report: Value, taken: u32, expect: &str) {
    assert_eq!(line(&decided(routing, report, taken, false)), expect);
}

#[track_caller]
fn check_spec(routing: Routing, report: Value, taken: u32, expect: &str) {
    assert_eq!(line(&decided(routing, report, taken, true)), expect);
}

#[track_caller]
fn alternatives(routing: Routing, report: Value, taken: u32) -> Vec<String> {
    let way = |a: &engine::Alternative| format!("{} {}", a.to.as_ref().map_or("-", StepId::as_str), a.why_not);
    decided(routing, report, taken, false)
        .alternatives
        .iter()
        .map(way)
        .collect()
}

fn looping() -> Microloop {
    microloop(3)
}

fn without_next() -> Routing {
    Routing::Microloop(Microloop {
        next: None,
        ..looping()
    })
}

#[test]
fn no_routing_goes_on_in_document_order() {
    check(Routing::Sequence, json!({}), 0, "done advance linear_default");
    let last = workflow(steps(&["only"]));
    let decision = route(
        &last.steps()[0],
        &last,
        &StepResult::new(ExecutionStatus::Succeeded),
        &BTreeMap::new(),
    );
    assert_eq!(line(&decision), "- terminate flow_complete_no_routing");
    assert_eq!(decision.source, RouteSource::FastPath);
}

#[test]
fn linear() {
    check(
        Routing::Linear {
            next: Some("author".into()),
        },
        json!({}),
        0,
        "author advance linear_explicit",
    );
    check(
        Routing::Linear { next: None },
        json!({"status": "UNVERIFIED"}),
        0,
        "- terminate flow_complete_linear",
    );
    check(
        Routing::Linear {
            next: Some("nowhere".into()),
        },
        json!({}),
        0,
        "nowhere advance linear_explicit",
    );
}

#[test]
fn microloop_without_a_target_goes_on() {
    let broken = Microloop {
        loop_target: None,
        ..looping()
    };
    check(
        Routing::Microloop(broken.clone()),
        json!({}),
        0,
        "done advance microloop_no_target",
    );
    let ends = Microloop { next: None, ..broken };
    check(
        Routing::Microloop(ends),
        json!({}),
        0,
        "- terminate flow_complete_microloop_fallback",
    );
}

#[test]
fn microloop_reads_its_bound_first() {
    let routing = || Routing::Microloop(looping());
    check(
        routing(),
        json!({"status": "VERIFIED"}),
        3,
        "done advance max_iterations_reached:3",
    );
    check(
        routing(),
        json!({"status": "VERIFIED"}),
        4,
        "done advance max_iterations_reached:3",
    );
    check(
        without_next(),
        json!({}),
        3,
        "- terminate flow_complete_max_iterations:3",
    );
    check(
        Routing::Microloop(microloop(0)),
        json!({}),
        0,
        "done advance max_iterations_reached:0",
    );
    assert_eq!(alternatives(routing(), json!({}), 3), ["author loop_bound_reached:3"]);
}

#[test]
fn microloop_ends_when_the_condition_is_met() {
    let routing = || Routing::Microloop(looping());
    check(
        routing(),
        json!({"status": "VERIFIED"}),
        2,
        "done advance loop_exit_condition_met:VERIFIED",
    );
    check(
        without_next(),
        json!({"status": "VERIFIED"}),
        0,
        "- terminate flow_complete_condition_met:VERIFIED",
    );
    check(
        routing(),
        json!({"status": "verified"}),
        0,
        "author loop loop_iteration:1",
    );
    check(
        routing(),
        json!({"status": "VERIFIED "}),
        0,
        "author loop loop_iteration:1",
    );
    assert_eq!(
        alternatives(routing(), json!({"status": "VERIFIED"}), 0),
        ["author exit_condition_met:VERIFIED"]
    );
}

#[test]
fn values_are_compared_as_text_and_empty_text_never_matches() {
    let accepts = |values: &[&str]| {
        let success_values = values.iter().map(|v| (*v).to_owned()).collect();
        Routing::Microloop(Microloop {
            success_values,
            condition_field: Some("n".into()),
            ..looping()
        })
    };
    check(
        accepts(&["0"]),
        json!({"n": 0}),
        0,
        "done advance loop_exit_condition_met:0",
    );
    check(accepts(&["0"]), json!({"n": 0.0}), 0, "author loop loop_iteration:1");
    check(
        accepts(&["0.0"]),
        json!({"n": 0.0}),
        0,
        "done advance loop_exit_condition_met:0.0",
    );
    check(
        accepts(&["True", "true"]),
        json!({"n": true}),
        0,
        "done advance loop_exit_condition_met:True",
    );
    check(
        accepts(&["true"]),
        json!({"n": true}),
        0,
        "author loop loop_iteration:1",
    );
    check(
        accepts(&["[1,2]"]),
        json!({"n": [1, 2]}),
        0,
        "done advance loop_exit_condition_met:[1,2]",
    );
    check(
        accepts(&["", "None", "null"]),
        json!({"n": null}),
        0,
        "author loop loop_iteration:1",
    );
    check(accepts(&[""]), json!({"n": ""}), 0, "author loop loop_iteration:1");
}

#[test]
fn microloop_ends_when_no_further_help_is_possible() {
    let routing = || Routing::Microloop(looping());
    let help = |word: Value| json!({"status": "UNVERIFIED", "can_further_iteration_help": word});
    check(
        routing(),
        help(json!("no")),
        0,
        "done advance loop_exit_no_further_help",
    );
    check(
        routing(),
        help(json!("NO")),
        1,
        "done advance loop_exit_no_further_help",
    );
    check(
        without_next(),
        help(json!("No")),
        0,
        "- terminate flow_complete_no_further_help",
    );
    check(routing(), help(json!("yes")), 0, "author loop loop_iteration:1");
    check(routing(), help(json!("false")), 0, "author loop loop_iteration:1");
    check(routing(), help(json!(false)), 0, "author loop loop_iteration:1");
    assert_eq!(
        alternatives(routing(), help(json!("no")), 0),
        ["author further_help_refused"]
    );
    // Without a condition field neither exit is looked at: only the bound ends the loop.
    let blind = Routing::Microloop(Microloop {
        condition_field: None,
        ..looping()
    });
    check(
        blind.clone(),
        json!({"status": "VERIFIED", "can_further_iteration_help": "no"}),
        0,
        "author loop loop_iteration:1",
    );
    assert_eq!(alternatives(blind, json!({}), 0), ["done no_exit_condition"]);
}

#[test]
fn microloop_turns_and_counts() {
    let decision = decided(Routing::Microloop(looping()), json!({"status": "UNVERIFIED"}), 2, false);
    assert_eq!(line(&decision), "author loop loop_iteration:3");
    assert_eq!(*decision.loop_state, BTreeMap::from([("critic:author".to_owned(), 3)]));
    assert_eq!(decision.loop_count, Some(engine::LoopCount { taken: 2, max: 3 }));
    assert_eq!(decision.looked_at["status"], json!("UNVERIFIED"));
    assert_eq!(decision.looked_at["can_further_iteration_help"], Value::Null);
    let why_not = alternatives(Routing::Microloop(looping()), json!({"status": "UNVERIFIED"}), 2);
    assert_eq!(why_not, ["done value_not_matched:UNVERIFIED"]);
}

#[test]
fn an_unreadable_receipt_offers_no_values() {
    check(
        Routing::Microloop(looping()),
        Value::Null,
        0,
        "author loop loop_iteration:1",
    );
    assert_eq!(
        alternatives(Routing::Microloop(looping()), Value::Null, 0),
        ["done value_missing:status"]
    );
    check(
        Routing::Microloop(looping()),
        Value::Null,
        3,
        "done advance max_iterations_reached:3",
    );
}

#[test]
fn the_receipt_is_read_where_the_report_is_silent() {
    let on = |field: &str, value: &str| {
        let (condition_field, success_values) = (Some(field.to_owned()), vec![value.to_owned()]);
        Routing::Microloop(Microloop {
            condition_field,
            success_values,
            ..looping()
        })
    };
    check(
        on("status", "succeeded"),
        json!({}),
        0,
        "done advance loop_exit_condition_met:succeeded",
    );
    check(
        on("duration_ms", "0"),
        json!({}),
        0,
        "done advance loop_exit_condition_met:0",
    );
    check(
        on("review.verdict", "ok"),
        json!({"review": {"verdict": "ok"}}),
        0,
        "done advance loop_exit_condition_met:ok",
    );
}

fn branch(field: Option<&str>, next: Option<&str>) -> Routing {
    let branches = [
        ("MERGE", "done"),
        ("BOUNCE", "author"),
        ("succeeded", "done"),
        ("True", "author"),
    ];
    Routing::Branch(Branch {
        field: field.map(str::to_owned),
        branches: branches
            .into_iter()
            .map(|(value, to)| (value.to_owned(), to.into()))
            .collect(),
        next: next.map(Into::into),
    })
}

#[test]
fn branch_by_value() {
    check(
        branch(None, None),
        json!({"status": "BOUNCE"}),
        0,
        "author advance branch:BOUNCE",
    );
    check(branch(None, None), json!({}), 0, "done advance branch:succeeded");
    check(branch(None, None), Value::Null, 0, "done advance branch:succeeded");
    check(
        branch(Some("verdict"), None),
        json!({"verdict": "MERGE", "status": "BOUNCE"}),
        0,
        "done advance branch:MERGE",
    );
    check(
        branch(Some("verdict"), None),
        json!({"verdict": true}),
        0,
        "author advance branch:True",
    );
    check(
        branch(Some("verdict"), Some("author")),
        json!({"status": "MERGE"}),
        0,
        "author advance branch_fallback",
    );
    check(
        branch(None, None),
        json!({"status": "merge"}),
        0,
        "- terminate flow_complete_branch",
    );
    // A yes or no is the same answer, whether a person chose its word or an agent reported it.
    let written = Routing::Branch(Branch {
        field: Some("verdict".to_owned()),
        branches: [("true", "done"), ("false", "author"), ("1", "done")]
            .into_iter()
            .map(|(value, to)| (value.to_owned(), to.into()))
            .collect(),
        next: None,
    });
    for (verdict, expected) in [
        (json!(true), "done advance branch:true"),
        (json!("true"), "done advance branch:true"),
        (json!(false), "author advance branch:false"),
        (json!("false"), "author advance branch:false"),
        (json!(1), "done advance branch:1"),
        // A number is the same however it is written; a text is none.
        (json!(1.0), "done advance branch:1"),
        (json!("1.0"), "- terminate flow_complete_branch"),
        (json!(1.5), "- terminate flow_complete_branch"),
        (json!("maybe"), "- terminate flow_complete_branch"),
    ] {
        check(written.clone(), json!({"verdict": verdict}), 0, expected);
    }
    assert_eq!(
        alternatives(branch(None, Some("done")), json!({"status": "BOUNCE"}), 0),
        [
            "done other_value_needed:MERGE",
            "done other_value_needed:succeeded",
            "author other_value_needed:True",
            "done branch_matched:BOUNCE"
        ]
    );
}

#[test]
fn unknown_kinds_and_terminals() {
    let unknown = |next: Option<&str>| Routing::Unknown {
        kind: "fork".into(),
        next: next.map(Into::into),
        fields: Default::default(),
    };
    check(
        unknown(Some("done")),
        json!({}),
        0,
        "done advance unknown_kind_fallback",
    );
    check(unknown(None), json!({}), 0, "- terminate flow_complete_unknown");
    check(Routing::Terminal, json!({}), 0, "- terminate flow_complete_unknown");
    check_spec(Routing::Terminal, json!({}), 0, "- terminate flow_complete_terminal");
}

#[test]
fn spec_flows_read_success_before_the_bound() {
    let exit_on = IndexMap::from([
        ("status".to_owned(), vec![json!("VERIFIED"), json!("verified")]),
        ("can_further_iteration_help".to_owned(), vec![json!(false)]),
    ]);
    let spec = || {
        Routing::Microloop(Microloop {
            exit_on: exit_on.clone(),
            condition_field: None,
            success_values: Vec::new(),
            ..looping()
        })
    };
    check_spec(
        spec(),
        json!({"status": "verified"}),
        3,
        "done advance loop_exit_condition_met:verified",
    );
    check_spec(
        spec(),
        json!({"status": "X"}),
        3,
        "done advance max_iterations_reached:3",
    );
    check_spec(spec(), json!({"status": "X"}), 2, "author loop loop_iteration:3");
    let help = |word: Value| json!({"status": "X", "can_further_iteration_help": word});
    check_spec(spec(), help(json!(false)), 0, "done advance loop_exit_no_further_help");
    check_spec(spec(), help(json!("no")), 0, "done advance loop_exit_no_further_help");
    check_spec(spec(), help(json!(true)), 0, "author loop loop_iteration:1");
    // `exit_on` alone makes a loop one of the later generation.
    check(
        spec(),
        json!({"status": "VERIFIED"}),
        3,
        "done advance loop_exit_condition_met:VERIFIED",
    );
    // A later file with the earlier fields.
    check_spec(
        Routing::Microloop(looping()),
        json!({"status": "VERIFIED"}),
        3,
        "done advance loop_exit_condition_met:VERIFIED",
    );
}

fn guard(field: &str, operator: Operator, value: Value, to: &str) -> Guard {
    let condition = Condition::Compare {
        field: field.into(),
        operator,
        value,
    };
    Guard {
        condition,
        to: to.into(),
        back: false,
        most: model::routing::BACK_EDGE_BOUND,
    }
}

#[test]
fn the_first_guard_that_holds_wins() {
    let guards = || {
        vec![
            guard("passed", Operator::Equals, json!(true), "done"),
            guard("survivors", Operator::Gt, json!(0), "author"),
        ]
    };
    let routing = |next: Option<&str>| Routing::Guarded {
        guards: guards(),
        next: next.map(Into::into),
    };
    check(
        routing(None),
        json!({"passed": true, "survivors": 2}),
        0,
        "done advance branch:passed is true",
    );
    check(
        routing(None),
        json!({"passed": false, "survivors": 2}),
        0,
        "author advance branch:survivors > 0",
    );
    check(routing(Some("done")), json!({}), 0, "done advance branch_fallback");
    check(routing(None), json!({}), 0, "- terminate flow_complete_branch");
    assert_eq!(
        alternatives(routing(Some("done")), json!({"survivors": 1}), 0),
        [
            "done condition_not_met:passed is true",
            "done earlier_condition_met:survivors > 0"
        ]
    );
    let cel = Guard {
        condition: Condition::Cel {
            expression: "survivors > 2 && passed".into(),
        },
        to: "author".into(),
        back: false,
        most: model::routing::BACK_EDGE_BOUND,
    };
    let always = Guard {
        condition: Condition::Always,
        to: "done".into(),
        back: false,
        most: model::routing::BACK_EDGE_BOUND,
    };
    let routing = Routing::Guarded {
        guards: vec![cel, always],
        next: None,
    };
    let label = "survivors > 2 && passed";
    let report = json!({"survivors": 3, "passed": true});
    check(
        routing.clone(),
        report.clone(),
        0,
        &format!("author advance branch:{label}"),
    );
    let decision = decided(routing.clone(), report, 0, false);
    assert_eq!(json!(decision.looked_at), json!({"survivors": 3, "passed": true}));
    check(routing.clone(), json!({}), 0, "done advance branch:always");
    assert_eq!(
        alternatives(routing.clone(), json!({"survivors": 1, "passed": true}), 0),
        [
            &format!("author condition_not_met:{label}"),
            "- earlier_condition_met:always"
        ]
    );
    let failed = alternatives(routing, json!({}), 0);
    assert!(
        failed[0].starts_with(&format!("author condition_failed:{label}: ")),
        "{failed:?}"
    );
    assert!(failed[0].contains("nothing was reported as `survivors`"), "{failed:?}");
    // Nobody looks for it where the number is written as text: it is said why it does not hold.
    let text = Guard {
        condition: Condition::Cel {
            expression: "survivors == '3'".into(),
        },
        to: "author".into(),
        back: false,
        most: model::routing::BACK_EDGE_BOUND,
    };
    let routing = Routing::Guarded {
        guards: vec![text],
        next: Some("done".into()),
    };
    assert_eq!(
        alternatives(routing.clone(), json!({"survivors": 3}), 0),
        ["author condition_not_met:survivors == '3': `survivors` is a number, and a number never equals text"]
    );
    assert_eq!(
        alternatives(routing, json!({"survivors": "4"}), 0),
        ["author condition_not_met:survivors == '3'"]
    );
}

#[test]
fn a_back_edge_is_bounded() {
    let back = || {
        let guard = Guard {
            back: true,
            ..guard("status", Operator::Equals, json!("UNVERIFIED"), "author")
        };
        Routing::Guarded {
            guards: vec![guard],
            next: Some("done".into()),
        }
    };
    let report = || json!({"status": "UNVERIFIED"});
    let decision = decided(back(), report(), 9, false);
    assert_eq!(line(&decision), "author loop loop_iteration:10");
    assert_eq!(decision.loop_state["critic:author"], 10);
    check(back(), report(), 10, "done advance branch_fallback");
    assert_eq!(alternatives(back(), report(), 10), ["author loop_bound_reached:10"]);
}

#[test]
fn operators() {
    use Operator::*;
    let holds = |reported: Value, operator: Operator, wanted: Value| {
        let reported = Some(reported).filter(|v| !v.is_null());
        engine::value::holds(reported.as_ref(), &operator, &wanted)
    };
    for (reported, operator, wanted, expect) in [
        (json!(1), Equals, json!(1.0), true),
        (json!("1"), Equals, json!(1), true),
        (json!("true"), Equals, json!(true), false),
        (Value::Null, Equals, json!("x"), false),
        (Value::Null, NotEquals, json!("x"), true),
        (json!("x"), NotEquals, json!("x"), false),
        (json!("b"), In, json!(["a", "b"]), true),
        (json!("b"), In, json!("b"), true),
        (Value::Null, In, json!(["a"]), false),
        (Value::Null, NotIn, json!(["a"]), true),
        (json!("a"), NotIn, json!(["a"]), false),
        (json!("abc"), Contains, json!("b"), true),
        (json!("abc"), Contains, json!(""), false),
        (json!(["a", "b"]), Contains, json!("b"), true),
        (json!(["ab"]), Contains, json!("b"), false),
        (json!(2), Equals, json!(2.0), true),
        (
            json!(9_007_199_254_740_993_u64),
            Equals,
            json!(9_007_199_254_740_993_u64),
            true,
        ),
        (
            json!(9_007_199_254_740_993_u64),
            Equals,
            json!(9_007_199_254_740_992_u64),
            false,
        ),
        (json!(2), Gt, json!(1), true),
        (json!(1), Gt, json!(1), false),
        (json!("2"), Gte, json!(2), true),
        (json!(0), Lt, json!(1), true),
        (json!(1.5), Lte, json!(1), false),
        (json!("many"), Gt, json!(1), false),
        (Value::Null, Lt, json!(1), false),
        (json!(false), Exists, Value::Null, true),
        (Value::Null, Exists, Value::Null, false),
        (json!("x"), Other("resembles".into()), json!("x"), false),
    ] {
        assert_eq!(
            holds(reported.clone(), operator.clone(), wanted.clone()),
            expect,
            "{reported} {operator:?} {wanted}"
        );
    }
}

/// The report's own `next_step_id` comes before the rules, and is said to (seed 001 `fast_path`).
#[test]
fn a_report_may_name_the_next_step() {
    let linear = || Routing::Linear {
        next: Some("done".into()),
    };
    let decision = decided(linear(), json!({"next_step_id": "author"}), 0, false);
    assert_eq!(line(&decision), "author advance explicit_next_step_id");
    assert_eq!(decision.source, engine::RouteSource::FastPath);
    assert_eq!(
        alternatives(linear(), json!({"next_step_id": "author"}), 0),
        ["done next_step_reported:author"]
    );
    // It is not checked: the run fails as for any step that does not exist.
    check(
        linear(),
        json!({"next_step_id": "zzz"}),
        0,
        "zzz advance explicit_next_step_id",
    );
    for nothing in [json!({"next_step_id": null}), json!({"next_step_id": ""})] {
        check(linear(), nothing, 0, "done advance linear_explicit");
    }
}
