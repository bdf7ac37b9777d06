//! The common cases, one a line: what a project switches on, and what comes of a payload.

use super::{inputs, rules};
use guardrail::{Stage, Status, check};
use serde_json::{Value, json};

/// Violations as `type rule match source`.
fn of(payload: Value, yaml: &str) -> (Status, Vec<String>) {
    let report = inputs(&payload, &rules(yaml));
    let said = report.violations.iter();
    let said = said.map(|v| format!("{} {} {} {}", v.kind.word(), v.rule, v.found.reveal(), v.source));
    (report.status, said.collect())
}

#[test]
fn nothing_written_is_nothing_looked_for() {
    for yaml in ["null", "{}", "enabled: false", "{enabled: false, pii: {enabled: true}}"] {
        assert_eq!(
            check(Stage::Inputs, &json!({"x": "me@example.org"}), &rules(yaml)),
            None,
            "{yaml}"
        );
    }
}

#[test]
fn each_part_finds_its_own() {
    for (key, text, violation) in [
        (
            "mail",
            "write to ann@example.org today",
            "pii email ann@example.org mail",
        ),
        ("tel", "ring 212-555-0187", "pii phone 212-555-0187 tel"),
        ("tel", "2125550187", "pii phone 2125550187 tel"),
        ("id", "219-09-9999", "pii ssn 219-09-9999 id"),
        (
            "to",
            "DE89 3704 0044 0532 0130 00",
            "pii iban DE89 3704 0044 0532 0130 00 to",
        ),
        (
            "card",
            "4242 4242 4242 4242 12/30",
            "pii credit_card 4242 4242 4242 4242 card",
        ),
        ("plan", "we KILL it", "moderation kill KILL plan"),
        ("plan", "sudo rm  -RF ~", "rules_blocklist rm -rf rm  -RF plan"),
    ] {
        assert_eq!(
            of(json!({key: text}), "enabled: true"),
            (Status::Failed, vec![violation.to_owned()])
        );
    }
}

#[test]
fn plain_values_pass() {
    let payload = json!({"x": "hello", "n": 5, "at": 1_712_345_678, "digits": 5_551_234_567_u64, "b": true, "z": null});
    assert_eq!(of(payload, "enabled: true"), (Status::Passed, vec![]));
    assert_eq!(of(json!({}), "enabled: true"), (Status::Passed, vec![]));
    // Keys are names, not contents.
    assert_eq!(
        of(json!({"ann@example.org": "x"}), "enabled: true"),
        (Status::Passed, vec![])
    );
}

#[test]
fn a_number_may_be_a_card() {
    let (status, said) = of(json!({"n": 4_242_424_242_424_242_u64}), "enabled: true");
    assert_eq!(
        (status, said),
        (Status::Failed, vec!["pii credit_card 4242424242424242 n".to_owned()])
    );
}

#[test]
fn lists_take_the_place_of_ours_and_patterns_are_added() {
    let yaml = r"{enabled: true, moderation: {blocklist: []}, pii: {patterns: {customer: 'C-\d+', phone: null}}}";
    assert_eq!(of(json!({"x": "murder, 212-555-0187"}), yaml), (Status::Passed, vec![]));
    let (_, said) = of(json!({"x": "C-1 of ann@example.org"}), yaml);
    assert_eq!(said, ["pii customer C-1 x", "pii email ann@example.org x"]);
}

#[test]
fn the_number_of_hits_counts_all_parts_together() {
    let yaml = "{enabled: true, pii: {max_hits: 2}, moderation: {max_hits: 3}, rules: {max_hits: 3}}";
    let report = inputs(&json!({"x": "a@b.co c@d.co e@f.co kill murder"}), &rules(yaml));
    let said: Vec<&str> = report.violations.iter().map(|v| v.found.reveal()).collect();
    assert_eq!(said, ["a@b.co", "c@d.co", "kill"]);
    assert!(report.more);
}

#[test]
fn words_are_whole_unless_the_project_says_otherwise() {
    assert_eq!(of(json!({"x": "skillful"}), "enabled: true").1, [""; 0]);
    let (_, said) = of(
        json!({"x": "skillful"}),
        "{enabled: true, moderation: {words: substring}}",
    );
    assert_eq!(said, ["moderation kill kill x"]);
}

#[test]
fn a_warning_does_not_block_and_never_hides_what_does() {
    let yaml = "{enabled: true, on_violation: warn}";
    assert_eq!(of(json!({"x": "ann@example.org"}), yaml).0, Status::Warned);
    let yaml =
        "{enabled: true, max_hits: 1, pii: {on_violation: warn}, secrets: {patterns: {jwt: {on_violation: warn}}}}";
    let (status, said) = of(json!({"x": "ann@example.org", "y": "we kill it"}), yaml);
    assert_eq!(
        (status, said),
        (Status::Failed, vec!["moderation kill kill y".to_owned()])
    );
    let yaml = "{enabled: true, moderation: {blocklist: [{text: kill, on_violation: warn}, bomb]}}";
    assert_eq!(of(json!({"x": "kill"}), yaml).0, Status::Warned);
    assert_eq!(of(json!({"x": "kill bomb"}), yaml).0, Status::Failed);
}

#[test]
fn a_stage_says_only_what_differs() {
    let rules =
        rules("{enabled: true, pii: {max_hits: 3}, inputs: {pii: {enabled: false}}, outputs: {on_violation: warn}}");
    let payload = json!({"x": "ann@example.org"});
    let status = |stage| check(stage, &payload, &rules).expect("on").status;
    assert_eq!(
        (status(Stage::Inputs), status(Stage::Outputs)),
        (Status::Passed, Status::Warned)
    );
    let rules = self::rules("{enabled: true, outputs: {enabled: false}}");
    assert_eq!((rules.is_on(Stage::Inputs), rules.is_on(Stage::Outputs)), (true, false));
}

#[test]
fn size_is_measured_as_json() {
    let yaml = "{enabled: true, size: {max_bytes: 20}}";
    assert_eq!(of(json!({"x": "123456"}), yaml).0, Status::Passed);
    let (status, said) = of(json!({"x": "123456789012345"}), yaml);
    assert_eq!(
        (status, said),
        (
            Status::Failed,
            vec!["size max_bytes 23 bytes, 20 are allowed ".to_owned()]
        )
    );
}

#[test]
fn places_are_told_by_keys_and_numbers() {
    let (_, said) = of(
        json!({"people": [{"name": "Ann"}, {"mail": "ann@example.org"}]}),
        "enabled: true",
    );
    assert_eq!(said, ["pii email ann@example.org people[1].mail"]);
    assert_eq!(
        of(json!("ann@example.org"), "enabled: true").1,
        ["pii email ann@example.org "]
    );
}
