use super::*;
use serde_json::json;

fn value(text: &str, values: &Value) -> Result<bool, String> {
    let expression =
        Expression::parse(text).map_err(|fault| format!("{}:{} {}", fault.line, fault.column, fault.message))?;
    expression.evaluate(|name| values.get(name).cloned())
}

fn faults(text: &str) -> Vec<String> {
    let line = |f: Fault| format!("{}:{} {}", f.line, f.column, f.message);
    match Expression::parse(text) {
        Ok(expression) => expression.faults().into_iter().map(line).collect(),
        Err(fault) => vec![line(fault)],
    }
}

#[test]
fn what_was_reported_decides() {
    let values = json!({"status": "VERIFIED", "score": 5, "rate": 0.5, "help": false,
        "output": {"severity": "high"}, "findings": [{"level": 3}, {"level": 7}]});
    for (text, holds) in [
        ("status == 'VERIFIED' && score > 3", true),
        ("status == 'VERIFIED' && score > 5", false),
        ("score == 5.0", true),
        ("score + 1 == 6", true),
        ("rate < score", true),
        ("score == '5'", false),
        ("help == False", true),
        ("missing != 'x'", true),
        ("missing == null", true),
        ("output.severity in ['high', 'fatal']", true),
        ("has(output.severity) && !has(output.other)", true),
        ("findings.exists(f, f.level > 5)", true),
        ("findings.all(f, f.level > 5)", false),
        ("findings.exists_one(f, f.level > 5)", true),
        ("findings.filter(f, f.level > 5).size() == 1", true),
        ("size(findings.map(f, f.level)) == 2", true),
        (
            "status.contains('VER') && status.startsWith('V') && status.endsWith('ED')",
            true,
        ),
        ("status.matches('^VER.*D$')", true),
        (
            "string(score) == '5' && int('5') == score && double(score) == 5.0",
            true,
        ),
        ("score > 3 ? status == 'VERIFIED' : help", true),
        ("false", false),
    ] {
        assert_eq!(value(text, &values), Ok(holds), "{text}");
        assert_eq!(faults(text), [] as [&str; 0], "{text}");
    }
}

#[test]
fn what_has_no_answer_says_why() {
    let values = json!({"status": "VERIFIED", "output": {}, "list": [1]});
    for (text, why) in [
        ("missing > 3", "nothing was reported as `missing`"),
        ("output.severity == 'high'", "no field `severity`"),
        ("missing.deep == 'high'", "nothing was reported as `missing`"),
        ("status", "neither true nor false"),
        ("status > 3", ""),
        ("list[7] == 1", ""),
        ("1 / (size(list) - 1) == 1", "divides by zero"),
    ] {
        let said = value(text, &values).expect_err(text);
        assert!(said.contains(why), "{text}: {said}");
        assert!(said.len() < 300, "{said}");
    }
}

#[test]
fn what_is_wrong_is_found_before_a_run_with_its_place() {
    for (text, found) in [
        ("status == 'A' &&", "1:"),
        ("status == 'VERIFIED' || bogus bogus", "1:31"),
        ("'VERIFIED'", "neither true nor false"),
        ("score + 1", "its result is a number"),
        ("status == 'A' && 'B'", "`&&` cannot be applied to text"),
        ("!'x'", "`!` cannot be applied to text"),
        ("sise(status) == 3", "did you mean `size`?"),
        ("status.startswith('V')", "did you mean `startsWith`?"),
        ("now() > 3", "no function `now`"),
        ("'a' > 3", "text cannot be compared with a number"),
        ("3 in 'abc'", "`in` looks into a list"),
        ("size(status).x == 1", "asks for a field of a number"),
        ("status.matches('(')", "the pattern of `matches` cannot be used"),
        ("status.matches('(a{1000}){1000}')", "too large"),
        ("status ==\n  'A' && sise(x) == 1", "2:"),
    ] {
        let said = faults(text).join("\n");
        assert!(said.contains(found), "{text}: {said}");
    }
}

#[test]
fn names_are_those_from_outside() {
    let expression =
        Expression::parse("findings.exists(f, f.level > limit) && report.x == 'y'").expect("an expression");
    let names: Vec<(String, usize)> = expression.names().into_iter().map(|n| (n.name, n.column)).collect();
    let expected = [("findings", 1), ("limit", 30), ("report", 40)];
    assert_eq!(names, expected.map(|(name, column)| (name.to_owned(), column)));
}

#[test]
fn what_an_expression_reads_of_a_report_is_asked_for_with_what_it_is_held_against() {
    let asked = |text: &str| {
        let all = Expression::parse(text).expect("an expression").asks_for();
        let told = all.into_iter().map(|one| {
            let kinds = [(one.number, "number"), (one.other, "other"), (one.optional, "optional")];
            let kinds: Vec<&str> = kinds.iter().filter(|(is, _)| *is).map(|(_, kind)| *kind).collect();
            format!("{} {} {}", one.field, json!(one.values), kinds.join("+"))
        });
        told.collect::<Vec<_>>().join("; ")
    };
    for (text, told) in [
        (
            "viscosity < 2 && colour == 'red'",
            r#"viscosity [] number; colour ["red"] other"#,
        ),
        ("-5 <= heat", "heat [] number"),
        (
            "report.grade in ['A', 'B'] || report['grade'] != 'C'",
            r#"grade ["A","B","C"] other"#,
        ),
        (
            "ready && !(late || done == True)",
            "ready [true,false] other; late [true,false] other; done [true] other",
        ),
        (
            "size(notes) > 3 ? ok : count == 3",
            "notes [] other; ok [true,false] other; count [3] number",
        ),
        (
            "note == null || has(report.mark)",
            "note [] other+optional; mark [] other+optional",
        ),
        (
            "viscosity > 5 || viscosity == 'unknown'",
            r#"viscosity ["unknown"] number+other"#,
        ),
        // What is known without a report, and what nobody says in a word.
        (
            "iteration_count > 1 && loops['a:b'] > 0 && run.step_id == 'x' && duration_ms > 5",
            "",
        ),
        ("findings.exists(f, f.level > 3) && output.score > 2", ""),
    ] {
        assert_eq!(asked(text), told, "{text}");
    }
}

#[test]
fn no_expression_takes_long() {
    let list: Vec<u32> = (0..2000).collect();
    let values = json!({"list": list, "text": "a".repeat(40_000)});
    let nested = "list.exists(a, list.exists(b, list.exists(c, a + b + c < 0)))";
    let texts = [
        format!("{}true{}", "(".repeat(2000), ")".repeat(2000)),
        format!("{}true", "!".repeat(4000)),
        format!("{}1 > 0", "-".repeat(4000)),
        vec!["true"; 800].join("&&"),
        format!("list{}", ".a".repeat(2000)),
        "true ? ".repeat(300),
        format!("[{}1] == 1", "[1],".repeat(2000)),
        nested.to_owned(),
        "list.map(a, list.map(b, list)) == list".to_owned(),
        "text.matches('(a*)*(a*)*(a*)*b')".to_owned(),
        "list.all(a, text.matches('(a*)*b'))".to_owned(),
        "x".repeat(5000),
        format!("{}1 > 0", "1 + ".repeat(190)),
        format!("{}true", "!".repeat(190)),
    ];
    for text in texts {
        // Each would take hours, or overflow the stack, without the bounds.
        let answer = value(&text, &values);
        let short: String = text.chars().take(60).collect();
        assert!(answer.err().is_none_or(|why| !why.is_empty()), "{short}");
    }
    assert!(value(nested, &values).expect_err("too much").contains("too long"));
    let deep = format!("{}true{}", "(".repeat(30), ")".repeat(30));
    assert!(value(&deep, &values).expect_err("too deep").contains("nested deeper"));
}

/// The fields of an object have no order: what would depend on one has no answer, everything else has the same each time.
#[test]
fn nothing_depends_on_the_order_of_fields() {
    let values =
        json!({"by_name": {"a": 1, "b": 2, "c": 3}, "list": [3, 1], "rows": [{"n": 1, "of": {"x": 1, "y": 2}}]});
    for (text, holds) in [
        ("by_name.all(name, by_name[name] < 4)", true),
        ("by_name.filter(name, by_name[name] > 1).size() == 2", true),
        ("'b' in by_name.map(name, name)", true),
        (
            "by_name.filter(name, by_name[name] > 1).exists(name, name == 'c')",
            true,
        ),
        ("list.map(n, n + 1)[0] == 4", true),
        ("rows.map(row, row.n) == [1]", true),
    ] {
        assert_eq!(value(text, &values), Ok(holds), "{text}");
    }
    for text in [
        "by_name.map(name, name)[0] == 'a'",
        "rows.map(row, row.of.map(k, k)[0]) == ['x']",
    ] {
        assert!(value(text, &values).expect_err(text).contains("order"), "{text}");
    }
}

/// `['x'].map(a, a + a)` and so on: each turn doubles.
fn doubling(seed: &str, doubled: &str, turns: usize) -> String {
    format!("{seed}{}[0].size() >= 0", format!(".map(a, {doubled})").repeat(turns))
}

#[test]
fn what_would_double_with_every_macro_is_refused_before_it_is_made() {
    for seed in ["['x']", "[[1]]"] {
        for doubled in [
            "a + a",
            "dyn(a + a)",
            "[a + a][0]",
            "{'k': a + a}.k",
            "(true ? a + a : a)",
        ] {
            let small = Expression::parse(&doubling(seed, doubled, 6)).expect("it is an expression");
            assert_eq!(small.evaluate(|_| None), Ok(true), "{seed} {doubled}");
            assert_eq!(small.faults(), [], "{seed} {doubled}");
            let mut bombs = 0;
            for turns in [27, 28, 31, 60] {
                let Ok(bomb) = Expression::parse(&doubling(seed, doubled, turns)) else {
                    continue;
                };
                bombs += 1;
                let refused = bomb.evaluate(|_| None).expect_err("it is refused");
                assert!(refused.contains("the most is"), "{seed} {doubled} {turns}: {refused}");
                assert!(!bomb.faults().is_empty(), "{seed} {doubled} {turns}");
            }
            assert!(bombs > 1, "{seed} {doubled}");
        }
    }
    let text = format!("['x']{}[0].size() >= 0", ".map(a, string(bytes(a + a)))".repeat(28));
    let bomb = Expression::parse(&text).expect("it is an expression");
    assert!(bomb.evaluate(|_| None).is_err());
}

#[test]
fn what_doubles_what_was_reported_is_refused_by_its_size() {
    let text =
        "[log].map(a, a + a).map(a, a + a).map(a, a + a).map(a, a + a).map(a, a + a).map(a, a + a)[0].contains('x')";
    let expression = Expression::parse(text).expect("it is an expression");
    assert_eq!(expression.faults(), []);
    let with = |bytes: usize| expression.evaluate(|_| Some(serde_json::Value::from("y".repeat(bytes))));
    assert_eq!(with(1_000), Ok(false));
    assert!(with(4_000_000).is_err());
}

#[test]
fn what_was_made_larger_is_gone_through_as_large_as_it_is() {
    // The list inside has 2^16 items, and is gone through inside of another macro.
    let text = format!(
        "[1, 2, 3, 4].all(n, [[1]]{}[0].exists(y, y == 2))",
        ".map(a, a + a)".repeat(16)
    );
    let expression = Expression::parse(&text).expect("it is an expression");
    let refused = expression.evaluate(|_| None).expect_err("it is refused");
    assert!(refused.contains("too long"), "{refused}");
}

/// What an audit reports: findings of which one has a long text, files of hunks of lines, some 120 KB in all.
fn audit() -> serde_json::Value {
    let findings: Vec<_> = (0..500)
        .map(|n| {
            let snippet = "x".repeat(if n == 7 { 8_000 } else { 40 });
            let severity = if n % 50 == 0 { "high" } else { "low" };
            serde_json::json!({"file": format!("src/module_{n}.rs"), "line": n, "severity": severity, "snippet": snippet})
        })
        .collect();
    let files: Vec<_> = (0..500).map(|n| format!("src/module_{n}.rs")).collect();
    let hunks: Vec<_> = (0..30)
        .map(|n| serde_json::json!({"hunks": (0..n % 7).map(|_| vec!["line"; n * 3]).collect::<Vec<_>>()}))
        .collect();
    serde_json::json!({"status": "VERIFIED", "findings": findings, "files_changed": files, "files": hunks})
}

#[test]
fn ordinary_conditions_over_large_reports_stay_within_the_bounds() {
    let report = audit();
    for (text, holds) in [
        ("report.status == 'VERIFIED'", true),
        ("size(report.findings) == 500", true),
        ("report.findings.filter(f, f.severity == 'high').size() == 10", true),
        ("report.findings.exists(f, f.severity == 'critical')", false),
        ("report.findings.all(f, f.file in report.files_changed)", true),
        (
            "report.findings.map(f, f.file + ':' + string(f.line)).exists(n, n.startsWith('src'))",
            true,
        ),
        ("report.files.all(f, f.hunks.all(h, h.size() < 100))", true),
        (
            "report.findings.filter(f, f.severity == 'high').map(f, f.file).exists(n, n.contains('module_50'))",
            true,
        ),
    ] {
        let expression = Expression::parse(text).expect("it is an expression");
        assert_eq!(expression.evaluate(|_| Some(report.clone())), Ok(holds), "{text}");
    }
}

#[test]
fn what_never_is_equal_is_told_where_somebody_may_have_meant_it_to_be() {
    let values = json!({"count": 3, "score": "8", "status": "FAIL", "output": {"level": 2}});
    let unlike = |text: &str| {
        let expression = Expression::parse(text).expect("an expression");
        expression.unlike(|name| values.get(name).cloned())
    };
    let number = |name: &str| format!("`{name}` is a number, and a number never equals text");
    for (text, said) in [
        ("count == '3'", vec![number("count")]),
        ("'3' != count || count == '4'", vec![number("count")]),
        ("output.level == '2'", vec![number("output.level")]),
        ("count in [1, '3']", vec![number("count")]),
        (
            "score == 8",
            vec!["`score` is text, and text never equals a number".to_owned()],
        ),
        ("count == 3 && score == '8'", vec![]),
        // Nobody takes these for one.
        (
            "count == 'many' || status == 8 || missing == '3' || string(count) == '3'",
            vec![],
        ),
        // That it has no answer is said anyway.
        ("score > 7", vec![]),
    ] {
        assert_eq!(unlike(text), said, "{text}");
    }
    let kinds = |text: &str| -> Vec<String> {
        let expression = Expression::parse(text).expect("an expression");
        let known = |path: &[&str]| (path == ["receipt", "duration_ms"]).then_some(true);
        let found = expression.unlike_kinds(known).into_iter();
        found.map(|fault| format!("{}:{}", fault.line, fault.message)).collect()
    };
    let said = format!("1:{}", number("receipt.duration_ms"));
    assert_eq!(kinds("receipt.duration_ms == '100'"), [said]);
    let said = "1:`receipt.duration_ms` is a number, and a number cannot be compared with text";
    assert_eq!(kinds("receipt.duration_ms > '100'"), [said]);
    assert_eq!(
        kinds("receipt.duration_ms > 100 && duration_ms == '1'"),
        [] as [String; 0]
    );
}
