//! What texts must not hold, what steps may do and which gates stop a run, filled in as forms: what is shown, what is written, where, and what is refused.

use crate::project::Project;
use serde_json::{Value, json};
use studio::ApiError;

const GUARDED: &str = "# ours\nversion: 1\nguardrails:\n  enabled: true\n  # customers may be named\n  pii: {patterns: {email: {on_violation: warn}, ticket: 'T-\\d+'}}   # for now\n  rules: {blocklist: [\"rm -rf\", {text: shutdown, on_violation: warn}]}\n  inputs: {max_hits: 5}\nruntime: {max_retries: 1}\n";
const RULED: &str = "permissions:\n  mode: ask   # careful\n  run:\n    # tests may run\n    allow:\n      - npm test   # all of them\n      - make\n    deny: [\"curl *\"]\n  runbooks: {releases/*.runbook.md: {mode: deny}}\nversion: 1\n";

async fn set(p: &Project, form: &str, change: Value) -> Result<Value, ApiError> {
    let mut change = change;
    change["revision"] = p.ok(&format!("{form}.get"), json!({})).await["revision"].clone();
    p.call(&format!("{form}.set"), change).await
}

async fn filled(p: &Project, id: &str, value: &str) -> Result<Value, ApiError> {
    set(p, "guardrails", json!({"values": {id: value}})).await
}

fn value(view: &Value, id: &str) -> String {
    let fields = view["fields"].as_array().expect("fields");
    let field = fields.iter().find(|field| field["id"] == id);
    field.expect(id)["value"].as_str().expect("a text").to_owned()
}

fn ids(view: &Value) -> Vec<&str> {
    let fields = view["fields"].as_array().expect("fields");
    fields.iter().filter_map(|field| field["id"].as_str()).collect()
}

fn file(p: &Project) -> String {
    std::fs::read_to_string(p.folder.path().join("gatehouse.yaml")).unwrap_or_default()
}

async fn tried(p: &Project, text: &str) -> String {
    let answer = p.ok("guardrails.try", json!({"text": text})).await;
    answer["words"].as_str().expect("words").to_owned()
}

const FAILS: &str = "A step with this text fails.";
const NOTED: &str = "A step with this text goes on, and what was found is noted.";
const NOTHING: &str = "Nothing is found in it.";

#[tokio::test]
async fn guardrails_are_shown_as_the_file_has_them() {
    let p = Project::of(&[("gatehouse.yaml", GUARDED)]);
    let view = p.ok("guardrails.get", json!({})).await;
    for (id, holds) in [
        ("enabled", "true"),
        ("on_violation", ""),
        ("pii.patterns.email", "warn"),
        ("pii.patterns.iban", ""),
        ("pii.patterns.ticket", "T-\\d+"),
        ("pii.patterns.ticket.on_violation", ""),
        ("secrets.patterns.named_value", ""),
        ("rules.blocklist", "rm -rf\nshutdown"),
        ("moderation.blocklist", ""),
        ("size.max_bytes", ""),
    ] {
        assert_eq!(value(&view, id), holds, "{id}");
    }
    assert_eq!(
        (&view["more"], &view["writable"]),
        (&json!(["inputs"]), &json!(true)),
        "{view}"
    );
    let words = view["words"].as_str().expect("words");
    assert!(words.contains("goes into every step"), "{words}");
}

#[tokio::test]
async fn what_is_filled_in_is_written_where_it_stands() {
    let p = Project::of(&[("gatehouse.yaml", GUARDED)]);
    filled(&p, "pii.patterns.email", "block").await.expect("written");
    let text = GUARDED.replace("email: {on_violation: warn}", "email: {on_violation: block}");
    assert_eq!(file(&p), text);
    let view = filled(&p, "pii.patterns.iban", "off").await.expect("written");
    assert_eq!(value(&view, "pii.patterns.iban"), "off");
    assert_eq!(file(&p), text.replace("'T-\\d+'}", "'T-\\d+', iban: null}"));
    filled(&p, "pii.patterns.iban", "").await.expect("as ever");
    assert_eq!(file(&p), text);
    // What stays of a list is not touched.
    let view = filled(&p, "rules.blocklist", "shutdown\n\n wipe \nwipe").await;
    assert_eq!(value(&view.expect("written"), "rules.blocklist"), "shutdown\nwipe");
    let text = text.replace(
        "[\"rm -rf\", {text: shutdown, on_violation: warn}]",
        "[{text: shutdown, on_violation: warn}, wipe]",
    );
    assert_eq!(file(&p), text);
    assert_eq!(tried(&p, "shutdown now").await, NOTED);
    assert_eq!(tried(&p, "wipe it").await, FAILS);
    assert_eq!(tried(&p, "rm -rf /tmp/x").await, NOTHING);
    // Empty again, ours are looked for.
    filled(&p, "rules.blocklist", "").await.expect("written");
    assert_eq!(tried(&p, "rm -rf /tmp/x").await, FAILS);
    filled(&p, "enabled", "false").await.expect("written");
    assert_eq!(
        tried(&p, "rm -rf /tmp/x").await,
        "These rules do not hold, so nothing is looked for."
    );
}

#[tokio::test]
async fn a_pattern_of_the_project_comes_changes_and_goes() {
    let p = Project::of(&[("gatehouse.yaml", GUARDED)]);
    let add = json!({"name": " customer number ", "pattern": "C-\\d{6}"});
    let view = set(&p, "guardrails", json!({"values": {}, "add": add})).await;
    let id = "rules.patterns.customer number";
    assert_eq!(value(&view.expect("written"), id), "C-\\d{6}");
    assert_eq!(tried(&p, "for C-123456").await, FAILS);
    let follows = format!("{id}.on_violation");
    let both = json!({"values": {id: "K-\\d{6}", follows.as_str(): "warn"}});
    set(&p, "guardrails", both).await.expect("written");
    assert_eq!(tried(&p, "for C-123456").await, NOTHING);
    assert_eq!(tried(&p, "for K-123456").await, NOTED);
    let gone = json!({"values": {id: "", follows.as_str(): "block"}});
    let view = set(&p, "guardrails", gone).await.expect("written");
    assert!(!ids(&view).contains(&id) && file(&p) == GUARDED, "{}", file(&p));
}

#[tokio::test]
async fn where_nothing_is_written_it_is_asked_first_whether_anything_holds() {
    let p = Project::of(&[]);
    let view = p.ok("guardrails.get", json!({})).await;
    assert_eq!(ids(&view), ["enabled"]);
    assert_eq!(view["words"], "They do not hold: nothing is looked for.");
    let view = filled(&p, "enabled", "true").await.expect("written");
    assert_eq!(file(&p), "guardrails:\n  enabled: true\n");
    assert!(ids(&view).contains(&"secrets.patterns.jwt"), "{view}");
    let answer = p.ok("guardrails.try", json!({"text": "ask anna@northwind.se"})).await;
    assert_eq!(answer["words"], FAILS);
    let found = &answer["reports"][1]["findings"][0];
    assert_eq!(answer["reports"][0]["name"], "Input check");
    assert_eq!(
        (&found["kind"], &found["rule"], &found["found"], &found["source"]),
        (
            &json!("personal data"),
            &json!("email"),
            &json!("a•••@northwind.se"),
            &json!("the text")
        )
    );
}

#[tokio::test]
async fn what_cannot_be_a_rule_is_not_written() {
    let p = Project::of(&[("gatehouse.yaml", GUARDED)]);
    let add = |name: &str, pattern: &str| json!({"values": {}, "add": {"name": name, "pattern": pattern}});
    for (change, code) in [
        (add("x", "["), "edit_refused"),
        (add("x", "a*"), "edit_refused"),
        (add("x", " "), "bad_value"),
        (add(" ", "a"), "bad_value"),
        (add("a\u{202e}b", "a"), "bad_value"),
        (json!({"values": {"pii.patterns.ticket": "("}}), "edit_refused"),
        (json!({"values": {"pii.patterns.email": "sometimes"}}), "bad_value"),
        (json!({"values": {"size.max_bytes": "many"}}), "bad_value"),
        (json!({"values": {"no.such": "x"}}), "bad_parameters"),
    ] {
        let refused = set(&p, "guardrails", change.clone()).await.expect_err("refused");
        assert_eq!(refused.code, code, "{change}: {refused:?}");
        assert_eq!(file(&p), GUARDED, "{change}");
    }
    let late = json!({"revision": "another", "values": {"enabled": "false"}});
    let refused = p.refused("guardrails.set", late).await;
    assert_eq!(refused.code, "settings_changed");
}

/// Whoever fills in a form has not seen the keys of the file.
#[tokio::test]
async fn why_something_is_not_kept_is_said_of_what_was_filled_in() {
    let p = Project::of(&[("gatehouse.yaml", GUARDED)]);
    let rule = json!({"of": "env", "answer": "allow", "pattern": "TWO WORDS"});
    for (form, change, why) in [
        (
            "guardrails",
            json!({"values": {}, "add": {"name": "x", "pattern": "["}}),
            "`[` is no pattern that can be used: unclosed character class.",
        ),
        (
            "guardrails",
            json!({"values": {"pii.patterns.ticket": "("}}),
            "`(` is no pattern that can be used: unclosed group.",
        ),
        (
            "permissions",
            json!({"values": {}, "add": rule}),
            "`TWO WORDS` cannot be used: a variable's name has letters, digits and `_`, and `*` for any of them.",
        ),
    ] {
        let refused = set(&p, form, change).await.expect_err("refused");
        assert_eq!(refused.message, why);
        assert_eq!(
            refused.hint.as_deref(),
            Some("Nothing was changed. Fill it in otherwise.")
        );
    }
}

#[tokio::test]
async fn permissions_are_a_line_a_rule() {
    let p = Project::of(&[("gatehouse.yaml", RULED)]);
    let view = p.ok("permissions.get", json!({})).await;
    let words = |view: &Value| {
        let rules = view["rules"].as_array().expect("rules").iter();
        let words = rules.map(|rule| rule["words"].as_str().expect("words").to_owned());
        words.collect::<Vec<_>>()
    };
    assert_eq!(
        words(&view),
        [
            "Running `curl *` is refused, whoever says yes.",
            "Running `npm test` is let through.",
            "Running `make` is let through."
        ]
    );
    assert_eq!(
        (value(&view, "mode"), value(&view, "network")),
        ("ask".into(), "".into())
    );
    assert_eq!(view["more"], json!(["runbooks.releases/*.runbook.md"]));
    let rule = |of: &str, answer: &str, pattern: &str| json!({"of": of, "answer": answer, "pattern": pattern});
    let gone = json!({"values": {}, "remove": rule("run", "allow", "npm test")});
    set(&p, "permissions", gone).await.expect("taken out");
    let text = RULED.replace("      - npm test   # all of them\n", "");
    assert_eq!(file(&p), text);
    let new = json!({"values": {"mode": "deny"}, "add": rule("write", "deny", " docs/** ")});
    let view = set(&p, "permissions", new).await.expect("added");
    assert_eq!(value(&view, "mode"), "deny");
    assert!(words(&view).contains(&"Writing `docs/**` is refused, whoever says yes.".to_owned()));
    assert!(file(&p).contains("mode: deny   # careful\n"), "{}", file(&p));
    // One that is exchanged for another, and the last one of a list.
    let other = json!({"values": {}, "add": rule("run", "deny", "wget *"), "remove": rule("run", "deny", "curl *")});
    let view = set(&p, "permissions", other).await.expect("exchanged");
    assert_eq!(words(&view)[0], "Running `wget *` is refused, whoever says yes.");
    let last = json!({"values": {}, "remove": rule("write", "deny", "docs/**")});
    set(&p, "permissions", last).await.expect("taken out");
    assert!(!file(&p).contains("write"), "{}", file(&p));
    let before = file(&p);
    for (change, code) in [
        (json!({"remove": rule("run", "allow", "npm test")}), "not_found"),
        (json!({"add": rule("run", "allow", "make")}), "bad_value"),
        (json!({"add": rule("run", "allow", "")}), "bad_value"),
        (json!({"add": rule("env", "allow", "TWO WORDS")}), "edit_refused"),
        (json!({"values": {"runbooks": "x"}}), "bad_parameters"),
    ] {
        let mut change = change;
        if change["values"].is_null() {
            change["values"] = json!({});
        }
        let refused = set(&p, "permissions", change.clone()).await.expect_err("refused");
        assert_eq!(refused.code, code, "{change}: {refused:?}");
        assert_eq!(file(&p), before, "{change}");
    }
}

async fn judged(p: &Project, command: &str) -> Value {
    p.ok("permissions.try", json!({"command": command})).await
}

#[tokio::test]
async fn a_command_is_tried_and_the_rule_that_decides_is_named() {
    let p = Project::of(&[("gatehouse.yaml", RULED)]);
    let answer = judged(&p, "npm test && curl x.org").await;
    assert_eq!(answer["verdict"], "refused");
    assert_eq!(answer["words"], "The step fails, and nothing of it is run.");
    assert_eq!(
        answer["needs"][0],
        json!({"words": "run `curl x.org`", "verdict": "refused", "by": "deny rule `curl *`"})
    );
    let answer = judged(&p, "make").await;
    let needs = answer["needs"].as_array().expect("needs");
    let by = |need: &Value| need["words"] == "run `make`" && need["by"] == "allow rule `make`";
    assert!(needs.iter().any(by), "{answer}");
    assert_eq!(judged(&p, "npm publish").await["verdict"], "asks");
    assert_eq!(
        judged(&p, "echo hi").await["words"],
        "The step runs, and nobody is asked."
    );
    assert_eq!(file(&p), RULED, "nothing is written");
}

#[tokio::test]
async fn which_gates_stop_a_run_is_filled_in_and_what_takes_them_away_is_said() {
    let text = "hitl:\n  mode: off   # for the fair\n  policy:\n    required_phases: [Plan, 'Ship it']\n    conditional_required: true\nversion: 1\n";
    let p = Project::of(&[("gatehouse.yaml", text)]);
    let view = p.ok("gates.get", json!({})).await;
    for (id, holds) in [
        ("required_phases", "Plan\nShip it"),
        ("conditional_required", "true"),
        ("recommended_required", ""),
        ("high_risk_keywords", ""),
    ] {
        assert_eq!(value(&view, id), holds, "{id}");
    }
    let said = view["words"][0].as_str().expect("a sentence");
    assert!(said.contains("takes every gate away"), "{said}");
    assert_eq!(view["more"], json!(["hitl.mode"]));
    let values = json!({"values": {"required_phases": "Ship it", "conditional_required": "false"}});
    set(&p, "gates", values).await.expect("written");
    let text = text
        .replace("[Plan, 'Ship it']", "['Ship it']")
        .replace("true", "false");
    assert_eq!(file(&p), text);
    let values = json!({"values": {"required_phases": "", "conditional_required": ""}});
    set(&p, "gates", values).await.expect("taken out");
    assert_eq!(file(&p), "hitl:\n  mode: off   # for the fair\nversion: 1\n");
    let values = json!({"values": {"high_risk_keywords": "payments\nrefunds"}});
    let view = set(&p, "gates", values).await.expect("written");
    assert_eq!(value(&view, "high_risk_keywords"), "payments\nrefunds");
    let view = set(&p, "gates", json!({"values": {"four_eyes": "true"}}))
        .await
        .expect("written");
    assert_eq!(value(&view, "four_eyes"), "true");
    assert!(file(&p).contains("four_eyes: true"), "{}", file(&p));
    for values in [json!({"mode": "blocking"}), json!({"recommended_required": "perhaps"})] {
        set(&p, "gates", json!({"values": values})).await.expect_err("refused");
    }
}

#[tokio::test]
async fn within_which_time_an_answer_is_wanted_is_filled_in_and_what_is_no_time_is_refused() {
    let text = "hitl:\n  answer_within: soon   # after the fair\nversion: 1\n";
    let p = Project::of(&[("gatehouse.yaml", text)]);
    let view = p.ok("gates.get", json!({})).await;
    assert_eq!(value(&view, "answer_within"), "");
    assert_eq!(view["writable"], json!(true), "it keeps nothing from being used");
    for no in ["2", "soon", "400d"] {
        let refused = set(&p, "gates", json!({"values": {"answer_within": no}}))
            .await
            .expect_err("no time");
        assert!(refused.message.contains("90m, 4h, 2d"), "{}", refused.message);
    }
    assert_eq!(file(&p), text);
    let view = set(&p, "gates", json!({"values": {"answer_within": "36h"}}))
        .await
        .expect("written");
    assert_eq!(value(&view, "answer_within"), "36h");
    assert_eq!(file(&p), text.replace("soon", "36h"));
    set(&p, "gates", json!({"values": {"answer_within": ""}}))
        .await
        .expect("taken out");
    assert!(!file(&p).contains("answer_within"), "{}", file(&p));
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_only_read() {
    let text = "version: 1\npermissions: {mode: sometimes}\n";
    let p = Project::of(&[("gatehouse.yaml", text)]);
    for (form, change) in [
        ("guardrails", json!({"values": {"enabled": "true"}})),
        ("permissions", json!({"values": {"mode": "ask"}})),
        ("gates", json!({"values": {"recommended_required": "true"}})),
    ] {
        let view = p.ok(&format!("{form}.get"), json!({})).await;
        assert_eq!(view["writable"], json!(false));
        let fault = view["fault"].as_str().expect("a fault");
        assert!(fault.contains("line 2"), "{fault}");
        assert!(set(&p, form, change).await.is_err());
        assert_eq!(file(&p), text);
    }
    p.refused("guardrails.try", json!({"text": "x"})).await;
    p.refused("permissions.try", json!({"command": "x"})).await;
}
