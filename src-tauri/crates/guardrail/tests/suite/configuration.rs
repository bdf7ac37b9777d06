//! What is wrong in gatehouse.yaml is said with its place, and nothing is left out silently.

use super::{refused, rules};
use guardrail::{Rules, Stage};

#[test]
fn faults_name_their_place() {
    for (yaml, place, says) in [
        ("[1]", "guardrails", "keys with values"),
        ("{pii: {}}", "guardrails", "enabled: true"),
        ("{enabled: 1}", "guardrails.enabled", "neither true nor false"),
        ("{enabled: true, pi: {}}", "guardrails.pi", "no such key"),
        (
            "{enabled: true, on_violation: stop}",
            "guardrails.on_violation",
            "block or warn",
        ),
        ("{enabled: true, max_hits: 0}", "guardrails.max_hits", "from 1 to"),
        (
            "{enabled: true, pii: {max_hits: many}}",
            "guardrails.pii.max_hits",
            "from 1 to",
        ),
        (
            "{enabled: true, pii: {pattern: {}}}",
            "guardrails.pii.pattern",
            "no such key",
        ),
        (
            "{enabled: true, pii: {patterns: {a: 'C-(\\d+'}}}",
            "guardrails.pii.patterns.a",
            "unclosed group",
        ),
        (
            "{enabled: true, rules: {patterns: {b: '(?<!x)y'}}}",
            "guardrails.rules.patterns.b",
            "look-around",
        ),
        (
            "{enabled: true, rules: {patterns: {c: 'x*'}}}",
            "guardrails.rules.patterns.c",
            "empty text",
        ),
        (
            "{enabled: true, rules: {patterns: {d: '(\\w{1000}){1000}'}}}",
            "guardrails.rules.patterns.d",
            "too large",
        ),
        (
            "{enabled: true, rules: {patterns: {e: 5}}}",
            "guardrails.rules.patterns.e",
            "in quotes",
        ),
        (
            "{enabled: true, rules: {patterns: {f: {on_violation: warn}}}}",
            "guardrails.rules.patterns.f",
            "needs a `pattern`",
        ),
        (
            "{enabled: true, rules: {blocklist: kill}}",
            "guardrails.rules.blocklist",
            "a list of texts",
        ),
        (
            "{enabled: true, rules: {blocklist: [a, ' ']}}",
            "guardrails.rules.blocklist",
            "entry 2 is empty",
        ),
        (
            "{enabled: true, rules: {blocklist: [7]}}",
            "guardrails.rules.blocklist[0]",
            "in quotes",
        ),
        (
            "{enabled: true, moderation: {words: some}}",
            "guardrails.moderation.words",
            "whole or substring",
        ),
        (
            "{enabled: true, size: {max_bytes: -1}}",
            "guardrails.size.max_bytes",
            "number of bytes",
        ),
        (
            "{enabled: true, inputs: {inputs: {}}}",
            "guardrails.inputs.inputs",
            "no such key",
        ),
        (
            "{enabled: true, outputs: {pii: {patterns: {g: '['}}}}",
            "guardrails.outputs.pii.patterns.g",
            "unclosed",
        ),
        // Also where it is switched off: it would fail on the day somebody switches it on.
        (
            "{enabled: false, pii: {patterns: {h: '['}}}",
            "guardrails.pii.patterns.h",
            "unclosed",
        ),
    ] {
        let said = refused(yaml);
        assert!(
            said.contains(&format!("{place}: ")) && said.contains(says),
            "{yaml}: {said}"
        );
    }
}

#[test]
fn whatever_is_looked_for_by_itself_has_a_name_by_which_it_can_be_changed() {
    for (part, some) in [("pii", "email"), ("secrets", "named_value")] {
        let names = Rules::patterns_of(part);
        assert!(names.contains(&some), "{names:?}");
        for name in names {
            // What is none of ours would need a pattern.
            rules(&format!(
                "{{enabled: true, {part}: {{patterns: {{{name}: {{on_violation: warn}}}}}}}}"
            ));
        }
    }
    assert!(Rules::patterns_of("rules").is_empty() && Rules::words_of("pii").is_empty());
    assert!(Rules::words_of("rules").contains(&"rm -rf") && Rules::words_of("moderation").contains(&"kill"));
}

#[test]
fn rules_can_be_kept_and_read_again() {
    let rules = rules("{enabled: true, inputs: {enabled: false}, pii: {patterns: {a: 'x+'}}}");
    let kept = serde_json::to_string(&rules).expect("JSON");
    let again: Rules = serde_json::from_str(&kept).expect("the same rules");
    assert_eq!(rules, again);
    assert!(!again.is_on(Stage::Inputs) && again.is_on(Stage::Outputs));
}
