//! What holds for any text.

use super::{inputs, rules};
use guardrail::{Report, Rules, Status};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

static ALL: LazyLock<Rules> = LazyLock::new(|| {
    rules(
        r"{enabled: true, max_hits: 5, pii: {patterns: {own: '\p{L}\d+'}}, rules: {patterns: {any: '(a|b)+c?'}}, size: {max_bytes: 500}}",
    )
});

/// Text that often nearly fits a rule.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[0-9 +().-]{1,24}",
        "[a-zA-Z0-9@._-]{1,40}",
        "[\u{200b}\u{ad}\u{300}０-９ａ-ｚ＠іаｏ]{1,9}",
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just("AKIAIOSFODNN7ABCDEFG".to_owned()),
        Just("TOKEN=".to_owned()),
        Just("rm -rf".to_owned()),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn payloads() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        texts().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((texts(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn holds(report: &Report) {
    let blocked = report.violations.iter().any(|v| v.action == guardrail::Action::Block);
    assert_eq!(report.status == Status::Failed, blocked);
    assert_eq!(report.status == Status::Passed, report.violations.is_empty());
    assert!(report.violations.len() <= 6, "the size and five others");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_payload_is_checked_and_the_same_again(payload in payloads()) {
        let report = inputs(&payload, &ALL);
        holds(&report);
        prop_assert_eq!(report, inputs(&payload, &ALL));
    }

    #[test]
    fn what_is_found_stands_in_the_text(text in texts()) {
        for violation in inputs(&json!({"x": text.clone()}), &ALL).violations {
            if violation.rule != "max_bytes" {
                prop_assert!(text.contains(violation.found.reveal()), "{violation:?} in {text:?}");
            }
        }
    }

    #[test]
    fn whatever_stands_around_it_a_key_is_found(before in texts(), behind in texts()) {
        let text = format!("{before} AKIAIOSFODNN7ABCDEFG {behind}");
        let rules = rules("{enabled: true, max_hits: 1000, pii: {enabled: false}}");
        let report = inputs(&json!({"x": text}), &rules);
        prop_assert!(report.violations.iter().any(|v| v.rule == "aws_access_key"), "{report:?}");
    }

    #[test]
    fn any_configuration_is_used_or_refused_in_words(value in payloads()) {
        if let Err(why) = Rules::read(&json!({"enabled": true, "pii": {"patterns": value.clone()}, "rules": {"blocklist": value}})) {
            prop_assert!(why.to_string().starts_with("guardrails"), "{why}");
        }
    }
}

/// Texts that make a search go back and forth. With an effort that grows with the square of the length this would not end today.
#[test]
fn nothing_makes_the_search_go_back_and_forth() {
    let rules = rules(r"{enabled: true, rules: {patterns: {far: '.*[^a-z]|[a-z]', nested: '(x+x+)+y'}}}");
    for piece in [
        "a",
        "4 ",
        "4",
        "x",
        "a@",
        "a.",
        "eyJ",
        "eyJaaaaaaaa.",
        "-----BEGIN ",
        "token",
        "token=",
        "_token=a ",
        "sk-",
        "://a:",
        "ki",
        "GB82 ",
        "GB82\n\t",
        "4\n ",
        "+1(",
        "ａ\u{200b}",
        "аa ",
        "e\u{301}",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        let report = inputs(&json!({"x": text}), &rules);
        assert!(report.violations.len() <= 26, "{piece}");
    }
}

#[test]
fn ten_megabytes_are_checked_to_the_end() {
    let mut text = "a line of prose, 42 of them; x = y(z)\n".repeat(250_000);
    text.push_str("ann@example.org");
    let report = inputs(&json!({"x": text}), &rules("enabled: true"));
    let found: Vec<&str> = report.violations.iter().map(|v| v.found.reveal()).collect();
    assert_eq!(found, ["ann@example.org"]);
}
