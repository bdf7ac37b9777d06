//! Steps that are pasted and copied: their own text stays, what has to change is changed, and what is left out is said.

use dialect::{Document, apply, invert};
use model::{FlowEdit, Gesture, NewStep, Severity, Spot, StepId};

type Made = Result<(String, Vec<String>), String>;

fn made(path: &str, text: &str, gestures: &[Gesture]) -> Made {
    let document = Document::parse(path, text);
    let made = document.make(gestures).map_err(|refused| refused.error.to_string())?;
    assert_eq!(apply(made.document.text(), &invert(text, &made.edits)), text);
    let found = made.document.diagnostics().iter();
    let errors: Vec<_> = found
        .filter(|one| ["GH0001", "GH0004", "GH0101", "GH0103"].contains(&one.code.as_str()))
        .collect();
    assert!(errors.is_empty(), "{errors:?}\n{}", made.document.text());
    Ok((made.document.text().to_owned(), made.entails))
}

fn paste(text: &str, at: Spot) -> Gesture {
    let step = NewStep {
        text: Some(text.to_owned()),
        ..NewStep::default()
    };
    FlowEdit::Add { step, at }.into()
}

fn after(step: &str) -> Spot {
    Spot::After { step: step.into() }
}

fn duplicate(step: &str) -> Gesture {
    let step = step.into();
    FlowEdit::Duplicate { step, id: None }.into()
}

/// From where a step leads where, in the order of the file.
fn ways(path: &str, text: &str) -> Vec<(String, String)> {
    let document = Document::parse(path, text);
    let flows = document.workflow().flows().into_iter();
    let mut ways: Vec<_> = flows
        .map(|(from, to, _)| (from.id.to_string(), to.id.to_string()))
        .collect();
    ways.sort();
    ways
}

const FLOW: &str = "\
key: k
steps:
  - id: draft
    agents: [w]
    role: r
  - id: tell_supplier
    agents: [w]
    role: r
";

#[test]
fn a_pasted_step_keeps_its_own_text() {
    let text = "\
# what it is for
- id: look
  agents: [w]   # whoever
  # by hand
  role: >-
    folded
    text
  version: 1.10
  mask: 0x1F
  mode: 017
  code: !!str 007
  base: &base {a: 1.0}
  same: *base
  human_gate: required
  on_reject: tell_supplier
";
    let (pasted, said) = made("k.yaml", FLOW, &[paste(text, after("draft"))]).expect("pasted");
    let indented: String = text.lines().map(|line| format!("  {line}\n")).collect();
    assert_eq!(pasted, FLOW.replace("  - id: tell", &format!("{indented}  - id: tell")));
    assert_eq!(said, Vec::<String>::new());
    // An id that is taken, and a step that is not there.
    let (pasted, said) = made(
        "k.yaml",
        FLOW,
        &[paste(
            &text.replace("look", "draft").replace("tell_supplier", "ghost"),
            Spot::End,
        )],
    )
    .expect("pasted");
    let own = indented
        .replace("look", "draft_copy")
        .replace("    on_reject: tell_supplier\n", "");
    assert_eq!(pasted, format!("{FLOW}{own}"));
    assert_eq!(
        said,
        ["the way of a rejection of “draft” is left out: there is no step `ghost` here"]
    );
}

#[test]
fn what_is_no_step_alone_is_refused_with_the_reason() {
    let deep = format!("- id: q\n  x: {}", "[".repeat(60_000));
    let closed = format!("- id: q\n  x: {}{}", "[".repeat(600), "]".repeat(600));
    for (text, why) in [
        ("-\tid: q\n\tname: x", "cannot be read past line"),
        (deep.as_str(), "cannot be read past line"),
        (closed.as_str(), "too deep"),
        ("- id: q\n...\n- id: r\n", "something else begins on line"),
        ("- id: q\n  name: x\nname: y\n", "cannot be read past line 3"),
        ("- id: q\n- id: r\n", "2 steps; paste them one by one"),
        ("- id: q\n  id: r\n", "written twice"),
        ("hello", "no list of fields"),
        ("", "nothing in it"),
        ("a: 1", "neither an id nor a name"),
        (FLOW, "a whole workflow"),
    ] {
        let refused = made("k.yaml", FLOW, &[paste(text, Spot::End)]).expect_err(text);
        assert!(refused.contains("what was pasted is"), "{refused}");
        assert!(refused.contains(why), "{why}: {refused}");
    }
    // What is no content may stand around it.
    let (pasted, said) = made(
        "k.yaml",
        FLOW,
        &[paste("---\nid: q\nagents: [w]\n# end\n...\n", Spot::End)],
    )
    .expect("pasted");
    assert_eq!(pasted, format!("{FLOW}  - id: q\n    agents: [w]\n"));
    assert_eq!(said, ["“q”: the comments behind it are left out"]);
}

#[test]
fn json_keeps_its_text_too() {
    let json = "{\"key\": \"k\", \"steps\": [\n  {\"id\": \"a\", \"agents\": [\"w\"], \"n\": 1.10},\n  {\"id\": \"b\", \"agents\": [\"w\"]}\n]}\n";
    let copied = Document::parse("k.json", json).step_text(0).expect("copied");
    assert_eq!(copied, "{\"id\": \"a\", \"agents\": [\"w\"], \"n\": 1.10}\n");
    let (pasted, said) = made("k.json", json, &[paste(&copied, Spot::End)]).expect("pasted");
    assert_eq!(
        pasted,
        json.replace(
            "]}\n]}",
            "]},\n  {\"id\": \"a_copy\", \"agents\": [\"w\"], \"n\": 1.10}\n]}"
        )
    );
    assert_eq!(said, Vec::<String>::new());
    let (copy, _) = made("k.json", json, &[duplicate("a")]).expect("copied");
    assert!(
        copy.contains("\"n\": 1.10},\n  {\"id\": \"a_copy\", \"agents\": [\"w\"], \"n\": 1.10}"),
        "{copy}"
    );
    // Into YAML.
    let (pasted, _) = made("k.yaml", FLOW, &[paste(&copied, Spot::End)]).expect("pasted");
    assert_eq!(pasted, format!("{FLOW}  - {copied}"));
}

#[test]
fn a_copy_of_a_step_leans_on_nothing_else() {
    let text = "key: k\nagents: &us [w]\nsteps:\n  - id: a\n    agents: *us\n    role: 1.10\n";
    let copied = Document::parse("k.yaml", text).step_text(0).expect("copied");
    assert!(!copied.contains('*'), "{copied}");
    assert!(made("k.yaml", FLOW, &[paste(&copied, Spot::End)]).is_ok());
    // In its own file it can.
    let (copy, _) = made("k.yaml", text, &[duplicate("a")]).expect("copied");
    assert!(
        copy.ends_with("  - id: a_copy\n    agents: *us\n    role: 1.10\n"),
        "{copy}"
    );
}

#[test]
fn ways_to_steps_that_are_there_stay_and_others_are_named() {
    let text = "\
- id: check
  name: Check it
  agents: [w]
  role: r
  routing:
    kind: branch   # by hand
    branch_field: verdict
    branches: {BAD: draft, WORSE: ghost, AGAIN: check}
    next: elsewhere
";
    let (pasted, said) = made("k.yaml", FLOW, &[paste(text, after("draft"))]).expect("pasted");
    assert!(
        pasted.contains("    kind: branch   # by hand\n      branch_field: verdict\n      branches: {BAD: draft, AGAIN: check}\n      next: tell_supplier\n"),
        "{pasted}"
    );
    assert_eq!(
        said,
        ["the way for “WORSE” of “Check it” is left out: there is no step `ghost` here"]
    );
    let text = text.replace("branch   # by hand", "microloop").replace(
        "branches: {BAD: draft, WORSE: ghost, AGAIN: check}",
        "loop_target: ghost",
    );
    let (pasted, said) = made("k.yaml", FLOW, &[paste(&text, after("draft"))]).expect("pasted");
    assert!(!pasted.contains("routing"), "{pasted}");
    assert_eq!(
        said,
        ["the loop of “Check it” is left out: it leads to no step that is here"]
    );
}

const TOGETHER: &str = "\
key: t
steps:
  - {id: draft, agents: [w], role: r, routing: {kind: linear, next: check}}
  - {id: check, agents: [w], role: r, human_gate: required, on_reject: draft, routing: {kind: branch, branch_field: v, branches: {BAD: rework}, next: send}}
  - {id: rework, agents: [w], role: r, routing: {kind: microloop, loop_target: check, max_iterations: 2, next: send}}
  - {id: send, agents: [w], role: r, routing: {kind: linear}}
";

#[test]
fn ways_between_steps_that_are_pasted_together_stay() {
    let source = Document::parse("t.yaml", TOGETHER);
    let parts: Vec<String> = (0..3).map(|n| source.step_text(n).expect("copied")).collect();
    let reversed: Vec<Gesture> = parts.iter().rev().map(|part| paste(part, after("draft"))).collect();
    let (text, said) = made("k.yaml", &FLOW.replace("id: draft", "id: begin"), &{
        parts
            .iter()
            .rev()
            .map(|part| paste(part, after("begin")))
            .collect::<Vec<_>>()
    })
    .expect("pasted");
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(
        ways("k.yaml", &text),
        [
            pair("begin", "draft"),
            pair("check", "draft"),
            pair("check", "rework"),
            pair("check", "tell_supplier"),
            pair("draft", "check"),
            pair("rework", "check"),
            pair("rework", "tell_supplier"),
        ]
    );
    assert_eq!(said, Vec::<String>::new());
    // Where ids are taken the copies lead to each other.
    let (text, _) = made("k.yaml", TOGETHER, &reversed).expect("pasted");
    assert!(
        text.contains("id: check_copy, agents: [w], role: r, human_gate: required, on_reject: draft_copy, routing: {kind: branch, branch_field: v, branches: {BAD: rework_copy}, next: check}}"),
        "{text}"
    );
    // At the end in their order.
    let at_end: Vec<Gesture> = parts.iter().map(|part| paste(part, Spot::End)).collect();
    let (text, _) = made("k.yaml", &FLOW.replace("id: draft", "id: begin"), &at_end).expect("pasted");
    assert_eq!(ways("k.yaml", &text)[0], pair("begin", "tell_supplier"));
    assert!(
        ways("k.yaml", &text).contains(&pair("tell_supplier", "draft")),
        "{text}"
    );
    // One that cannot be read is named.
    let broken = [paste("- [", after("draft")), paste(&parts[0], after("draft"))];
    let refused = Document::parse("k.yaml", FLOW).make(&broken).expect_err("refused");
    assert_eq!(refused.index, 0);
}

#[test]
fn a_fork_is_pasted_with_what_it_begins() {
    let source = "\
key: f
steps:
  - {id: both, agents: [w], role: r, routing: {kind: fork, fork_targets: [left, right], join_point: meet}}
  - {id: left, agents: [w], role: r, routing: {kind: linear, next: meet}}
  - {id: right, agents: [w], role: r, routing: {kind: linear, next: meet}}
  - {id: meet, agents: [w], role: r, routing: {kind: linear}}
";
    let document = Document::parse("f.yaml", source);
    let part = |n: usize| paste(&document.step_text(n).expect("copied"), after("draft"));
    let (text, said) = made("k.yaml", FLOW, &[part(3), part(2), part(1), part(0)]).expect("pasted");
    assert!(text.contains("fork_targets: [left, right], join_point: meet"), "{text}");
    assert!(
        ways("k.yaml", &text).contains(&("meet".to_owned(), "tell_supplier".to_owned())),
        "{text}"
    );
    assert_eq!(said, Vec::<String>::new());
    let (text, said) = made("k.yaml", FLOW, &[part(0)]).expect("pasted");
    assert!(!text.contains("fork"), "{text}");
    assert_eq!(
        said,
        ["what begins beside each other of “both” is left out: it leads to no step that is here"]
    );
    // The copy of a fork begins what the fork began.
    let (text, said) = made("f.yaml", source, &[duplicate("both")]).expect("copied");
    assert_eq!(
        ways("f.yaml", &text).iter().filter(|(from, _)| from == "both").count(),
        1,
        "{text}"
    );
    assert!(
        text.contains("{id: both_copy, agents: [w], role: r, routing: {kind: fork, fork_targets: [left, right]"),
        "{text}"
    );
    assert_eq!(said.len(), 1);
}

const MEETING: &str = "\
key: q
steps:
  - id: ask
    agents: [w]
    role: r
    routing:
      kind: fork
      fork_targets: [a, b, c]
  - {id: a, agents: [w], role: r, routing: {kind: linear, next: meet}}
  - {id: b, agents: [w], role: r, routing: {kind: linear, next: meet}}
  - {id: c, agents: [w], role: r}
  - id: meet
    agents: [w]
    role: r
    routing:
      kind: join   # two are enough
      join_from: [a, b, c]
      join_config: {strategy: quorum, quorum: 2, timeout_seconds: 60}
      next: pay
  - {id: pay, agents: [w], role: r}
";

#[test]
fn where_branches_meet_is_pasted_with_them() {
    let document = Document::parse("q.yaml", MEETING);
    let part = |n: usize| paste(&document.step_text(n).expect("copied"), after("draft"));
    let all: Vec<Gesture> = [4, 3, 2, 1, 0].map(part).to_vec();
    let (text, said) = made("k.yaml", FLOW, &all).expect("pasted");
    let own = MEETING.strip_prefix("key: q\nsteps:\n").expect("its steps");
    let own = own
        .replace("next: pay", "next: tell_supplier")
        .replace("  - {id: pay, agents: [w], role: r}\n", "");
    assert_eq!(text, FLOW.replace("  - id: tell", &format!("{own}  - id: tell")));
    assert_eq!(said, Vec::<String>::new());
    // A join that does not say what follows gets it from its place; the copies meet at the copy.
    let silent = MEETING.replace("      next: pay\n", "");
    let document = Document::parse("q.yaml", &silent);
    let part = |n: usize| paste(&document.step_text(n).expect("copied"), after("pay"));
    let all: Vec<Gesture> = [4, 3, 2, 1, 0].map(part).to_vec();
    let (text, said) = made("q.yaml", &silent, &all).expect("pasted");
    assert!(
        text.contains("join_from: [a_copy, b_copy, c_copy]\n      join_config: {strategy: quorum, quorum: 2"),
        "{text}"
    );
    assert!(!text.contains("      next:"), "{text}");
    assert_eq!(said, Vec::<String>::new());
    let found = Document::parse("q.yaml", &text);
    assert!(
        found.diagnostics().iter().all(|one| one.code != "GH0115"),
        "{:?}",
        found.diagnostics()
    );
    // Without a fork nothing would be waited for.
    let alone = paste(&document.step_text(4).expect("copied"), after("draft"));
    let (text, said) = made("k.yaml", FLOW, &[alone]).expect("pasted");
    assert!(!text.contains("join"), "{text}");
    assert_eq!(
        said,
        ["how branches meet at “meet” is left out: no branches are put in with it"]
    );
}

#[test]
fn a_branch_without_its_ways_leads_to_what_is_pasted_behind_it() {
    let sort = "\
- id: sort
  agents: [w]
  role: r
  routing:
    kind: branch
    when:
      - condition: {field: size, operator: gt, value: 100}
        next: experts
    default: small
";
    let both = [
        paste(sort, Spot::End),
        paste("- {id: tidy, agents: [w], role: r}\n", Spot::End),
    ];
    let (text, said) = made("k.yaml", FLOW, &both).expect("pasted");
    assert!(!text.contains("routing"), "{text}");
    assert!(
        ways("k.yaml", &text).contains(&("sort".to_owned(), "tidy".to_owned())),
        "{text}"
    );
    let [said] = said.as_slice() else { panic!("{said:?}") };
    assert!(
        said.starts_with("the branch of “sort” is left out, with what it says for “size"),
        "{said}"
    );
    assert!(
        said.contains("100") && said.ends_with("it leads to no step that is here"),
        "{said}"
    );
}

/// A copy stands in line, wherever it comes from.
#[test]
fn a_copy_stands_in_line_as_what_is_pasted() {
    let document = Document::parse("t.yaml", TOGETHER);
    for step in document.workflow().steps() {
        let id = step.id.as_str();
        let (copied, _) = made("t.yaml", TOGETHER, &[duplicate(id)]).expect("copied");
        let text = document.step_text(step.ordinal).expect("copied");
        assert_eq!(
            made("t.yaml", TOGETHER, &[paste(&text, after(id))]).expect("pasted").0,
            copied
        );
        assert!(
            ways("t.yaml", &copied).contains(&(id.to_owned(), format!("{id}_copy"))),
            "{copied}"
        );
        let found = Document::parse("t.yaml", &copied);
        assert!(
            found.diagnostics().iter().all(|one| one.code != "GH0002"),
            "{:?}\n{copied}",
            found.diagnostics()
        );
    }
    let graph = "\
id: g
nodes:
  - {node_id: a, template_id: w}   # first
  - {node_id: b, template_id: w}
edges:
  - {edge_id: a-b, from: a, to: b}
";
    let (text, _) = made("g.graph.yaml", graph, &[duplicate("a")]).expect("copied");
    assert_eq!(
        ways("g.graph.yaml", &text),
        [
            ("a".to_owned(), "a_copy".to_owned()),
            ("a_copy".to_owned(), "b".to_owned())
        ]
    );
    assert!(
        text.contains("  - {node_id: a_copy, template_id: w}   # first\n"),
        "{text}"
    );
}

const STAGES: &str = "\
name: Release
stages:
  - name: fetch
    agents: [a]
    depends_on: []
  - name: Sanctions check
    agents: [a]   # legal
    limit: 1.10
    depends_on: [fetch]
  - name: ship
    agents: [a]
    depends_on: [Sanctions check]
";

#[test]
fn stages_are_called_and_wait_alike_wherever_they_are_copied() {
    let path = "PIPE-20260131-new-093000.yaml";
    let own = "    agents: [a]   # legal\n    limit: 1.10\n";
    let (text, said) = made(path, STAGES, &[duplicate("Sanctions check")]).expect("copied");
    assert!(
        text.contains(&format!(
            "  - name: Sanctions check copy\n{own}    depends_on: [fetch]\n"
        )),
        "{text}"
    );
    assert!(
        text.contains("depends_on: [Sanctions check, Sanctions check copy]"),
        "{text}"
    );
    assert_eq!(said, ["“ship” waits for the copy, too"]);
    let copied = Document::parse(path, STAGES).step_text(1).expect("copied");
    let (text, said) = made(path, STAGES, &[paste(&copied, after("ship"))]).expect("pasted");
    assert!(
        text.contains(&format!(
            "  - name: Sanctions check copy\n{own}    depends_on: [ship]\n"
        )),
        "{text}"
    );
    assert_eq!(said, Vec::<String>::new());
    let (text, said) = made(path, STAGES, &[paste(&copied.replace("fetch", "ghost"), Spot::End)]).expect("pasted");
    assert!(text.ends_with("depends_on: [ship]\n"), "{text}");
    assert_eq!(said, ["“Sanctions check” does not wait for `ghost`, which is not here"]);
    // Together they wait for each other as they did.
    let part = |n: usize| paste(&Document::parse(path, STAGES).step_text(n).expect("copied"), Spot::End);
    let (text, _) = made(path, STAGES, &[part(0), part(1)]).expect("pasted");
    let document = Document::parse(path, &text);
    let waits = |id: &str| {
        document
            .workflow()
            .step(&StepId::new(id))
            .expect("a stage")
            .depends_on
            .clone()
    };
    assert_eq!(waits("fetch-copy"), [StepId::new("ship")]);
    assert_eq!(waits("Sanctions check copy"), [StepId::new("fetch-copy")]);
}

#[test]
fn a_stepspec_step_keeps_its_text_and_lacks_nothing() {
    let skeleton = dialect::shape("stepspec").expect("a format").templates[0].text;
    let document = Document::parse("new.yaml", skeleton);
    let copied = document.step_text(0).expect("copied");
    let lines: Vec<&str> = copied.lines().collect();
    let with_comment = copied.replacen(lines[1], &format!("{}   # by hand", lines[1]), 1);
    let (text, said) = made("new.yaml", skeleton, &[paste(&with_comment, Spot::End)]).expect("pasted");
    assert!(text.contains("   # by hand"), "{text}");
    assert_eq!(said, Vec::<String>::new());
    let (text, _) = made(
        "new.yaml",
        skeleton,
        &[paste("- id: only\n  name: Only 1.10\n", Spot::End)],
    )
    .expect("pasted");
    let found = Document::parse("new.yaml", &text);
    assert_eq!(found.workflow().steps().len(), document.workflow().steps().len() + 1);
    let own = found.workflow().steps().last().map(|step| step.ordinal);
    assert!(
        found
            .diagnostics()
            .iter()
            .all(|one| one.place.step != own || one.severity == Severity::Note),
        "{:?}",
        found.diagnostics()
    );
    let (text, _) = made(
        "new.yaml",
        skeleton,
        &[duplicate(document.workflow().steps()[0].id.as_str())],
    )
    .expect("copied");
    assert!(
        text.contains(&lines[1..].iter().map(|line| format!("  {line}\n")).collect::<String>()),
        "{text}"
    );
}

/// In every template every step can be copied and pasted behind every other one, and only what names it or follows it is another.
#[test]
fn what_is_pasted_differs_in_its_id_and_in_what_follows_alone() {
    for shape in dialect::shapes().iter().filter(|shape| shape.name != "runbook") {
        let path = match shape.name {
            "pipeline" => "PIPE-20260131-new-093000.yaml".to_owned(),
            _ => format!("new{}", shape.ending),
        };
        let texts = shape.templates.iter().map(|template| template.text);
        for text in texts.chain([shape.skeleton]) {
            let document = Document::parse(&path, text);
            let steps = document.workflow().steps();
            for (step, behind) in steps
                .iter()
                .flat_map(|step| steps.iter().map(move |other| (step, other)))
            {
                let copied = document.step_text(step.ordinal).expect("copied");
                let Ok((pasted, _)) = made(&path, text, &[paste(&copied, after(behind.id.as_str()))]) else {
                    // What begins beside each other says on which branch.
                    continue;
                };
                let found = Document::parse(&path, &pasted);
                let new = found.workflow().steps().iter();
                let new = new
                    .filter(|new| steps.iter().all(|old| old.id != new.id))
                    .collect::<Vec<_>>();
                let [new] = new.as_slice() else {
                    panic!("{} new steps\n{pasted}", new.len());
                };
                let now = found.step_text(new.ordinal).expect("copied");
                let ways = [
                    "id:",
                    "name:",
                    "routing",
                    "kind:",
                    "next:",
                    "depends_on",
                    "fork_",
                    "loop_",
                    "join_",
                    "max_",
                    "branch",
                ];
                // A list of names may stand below its key.
                let names = |line: &str| steps.iter().any(|step| line.trim() == format!("- {}", step.id));
                let rest = |text: &str| {
                    let lines = text
                        .lines()
                        .filter(|line| ways.iter().all(|way| !line.contains(way)) && !names(line));
                    lines.map(str::to_owned).collect::<Vec<_>>()
                };
                assert_eq!(rest(&now), rest(&copied), "{} behind {}\n{pasted}", step.id, behind.id);
            }
        }
    }
}

/// However a file is written, what comes is written as it was, at the depth of the others.
#[test]
fn the_depth_and_the_line_ends_are_those_of_the_file() {
    let text = "- id: look\r\n  agents: [w]   # whoever\r\n  role: |\r\n    one\r\n\r\n      two\r\n";
    let flat = "key: k\nsteps:\n- id: a\n  agents: [w]\n  role: r\n\n# the second\n- id: b\n  agents: [w]\n  role: r\n";
    let own = "- id: look\n  agents: [w]   # whoever\n  role: |\n    one\n\n      two\n";
    for (before, newline) in [(flat.to_owned(), "\n"), (flat.replace('\n', "\r\n"), "\r\n")] {
        let (pasted, said) = made("k.yaml", &before, &[paste(text, after("a"))]).expect("pasted");
        let wanted = flat.replace("\n# the second", &format!("\n{own}\n# the second"));
        assert_eq!(pasted, wanted.replace('\n', newline));
        assert_eq!(said, Vec::<String>::new());
    }
    let wide = "key: k\nsteps:\n  -   id: a\n      agents: [w]\n      role: 1.10   # so\n";
    let (copy, _) = made("k.yaml", wide, &[duplicate("a")]).expect("copied");
    assert!(copy.contains("id: a_copy"), "{copy}");
    // In brackets.
    let short = "key: k\nsteps: [{id: a, agents: [w], role: r, version: 1.10}]\n";
    let (copy, _) = made("k.yaml", short, &[duplicate("a")]).expect("copied");
    assert_eq!(copy.matches("version: 1.10").count(), 2, "{copy}");
}

/// Whatever is copied together: a sound file, in which those lead to each other that did, and one that says nothing of what follows it
/// to the next one.
#[test]
fn steps_that_are_pasted_together_lead_to_each_other_where_they_did() {
    let flow = dialect::shape("flow").expect("a format");
    let texts = flow.templates.iter().map(|template| template.text);
    for text in texts.chain([TOGETHER]) {
        let document = Document::parse("k.yaml", text);
        let steps = document.workflow().steps();
        let before = ways("k.yaml", text);
        let count = steps.len();
        let chosen = (1usize..1 << count).filter(|chosen| chosen.count_ones() <= 3);
        for chosen in chosen {
            let chosen: Vec<usize> = (0..count).filter(|n| chosen & (1 << n) != 0).collect();
            let parts = chosen.iter().map(|n| document.step_text(*n).expect("copied"));
            let parts: Vec<String> = parts.collect();
            for behind in (0..count).map(Some).chain([None]) {
                let gestures: Vec<Gesture> = match behind {
                    Some(n) => parts
                        .iter()
                        .rev()
                        .map(|part| paste(part, after(steps[n].id.as_str())))
                        .collect(),
                    None => parts.iter().map(|part| paste(part, Spot::End)).collect(),
                };
                let Ok((pasted, _)) = made("k.yaml", text, &gestures) else {
                    continue;
                };
                let found = Document::parse("k.yaml", &pasted);
                let new = found.workflow().steps().iter();
                let new = new.filter(|new| steps.iter().all(|old| old.id != new.id));
                let new: Vec<&str> = new.map(|step| step.id.as_str()).collect();
                assert_eq!(new.len(), parts.len());
                let copied = |id: &str| Some(&steps[chosen[new.iter().position(|one| *one == id)?]]);
                for (from, to) in ways("k.yaml", &pasted) {
                    let (Some(a), Some(b)) = (copied(&from), copied(&to)) else {
                        continue;
                    };
                    let did = before.contains(&(a.id.to_string(), b.id.to_string()));
                    // Of a fork none of whose branches came along nothing is left, so that it says nothing of what follows.
                    let is_among = |to: &StepId| chosen.iter().any(|n| steps[*n].id == *to);
                    let says_nothing = match &a.routing {
                        model::Routing::Sequence => true,
                        model::Routing::Fork(fork) => !fork.targets.iter().any(is_among),
                        _ => false,
                    };
                    assert!(did || says_nothing, "{from} to {to}\n{pasted}");
                }
                // The first of them is come by.
                let first = new.first().copied().unwrap_or_default();
                assert!(
                    ways("k.yaml", &pasted).iter().any(|(_, to)| to == first),
                    "{first}\n{pasted}"
                );
            }
        }
    }
}

/// What ended the flow, and what only a rejection leads to, are not led to each other.
#[test]
fn steps_that_did_not_lead_to_each_other_do_not_where_they_are_pasted() {
    let source = "\
key: s
steps:
  - {id: check, agents: [w], role: r, human_gate: required, on_reject: move_out, routing: {kind: linear, next: sign}}
  - {id: sign, agents: [w], role: r, routing: {kind: linear}}
  - {id: move_out, agents: [w], role: r, routing: {kind: linear}}
";
    let document = Document::parse("s.yaml", source);
    let part = |n: usize| document.step_text(n).expect("copied");
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    let (text, said) = made(
        "k.yaml",
        FLOW,
        &[paste(&part(2), after("draft")), paste(&part(1), after("draft"))],
    )
    .expect("pasted");
    assert_eq!(
        ways("k.yaml", &text),
        [pair("draft", "sign"), pair("sign", "tell_supplier")],
        "{text}"
    );
    assert_eq!(said, Vec::<String>::new());
    let found = Document::parse("k.yaml", &text);
    let unreached = found.diagnostics().iter().filter(|one| one.code == "GH0002");
    assert_eq!(unreached.count(), 1, "{text}");
    // With the step that leads to both of them nothing is left apart.
    let all: Vec<Gesture> = (0..3).rev().map(|n| paste(&part(n), after("draft"))).collect();
    let (text, _) = made("k.yaml", FLOW, &all).expect("pasted");
    assert_eq!(
        ways("k.yaml", &text),
        [
            pair("check", "move_out"),
            pair("check", "sign"),
            pair("draft", "check"),
            pair("sign", "tell_supplier")
        ],
        "{text}"
    );
}

#[test]
fn parts_of_a_text_keep_their_comments() {
    let flow = Document::parse("k.yaml", FLOW);
    let text = "# first\n- id: a\n  agents: [w]\n\n  # second\n- id: b   # named\n  agents: [w]\n# behind\n";
    let parts = flow.parts_of(text);
    assert_eq!(
        parts,
        [
            "# first\n- id: a\n  agents: [w]\n",
            "# second\n- id: b   # named\n  agents: [w]\n# behind\n"
        ]
    );
    for part in &parts {
        assert_eq!(flow.parts_of(part), std::slice::from_ref(part));
    }
    let gestures: Vec<Gesture> = parts.iter().map(|part| paste(part, Spot::End)).collect();
    let (pasted, said) = made("k.yaml", FLOW, &gestures).expect("pasted");
    assert!(
        pasted.ends_with("  # first\n  - id: a\n    agents: [w]\n  # second\n  - id: b   # named\n    agents: [w]\n"),
        "{pasted}"
    );
    assert_eq!(said, ["“b”: the comments behind it are left out"]);
}

#[test]
fn what_is_pasted_together_leaves_ids_to_what_comes_before_and_behind() {
    let rename = |from: usize, to: &str| {
        let place = model::Place::step(from).field("id");
        let value = to.into();
        Gesture::from(model::Edit::Set { place, value })
    };
    let gestures = [
        rename(0, "sketch"),
        paste("- id: sketch\n  agents: [w]\n", after("sketch")),
        paste("- id: look\n  agents: [w]\n  on_reject: ghost\n", after("sketch")),
        rename(3, "tell"),
    ];
    let document = Document::parse("k.yaml", FLOW);
    let made = document.make(&gestures).expect("made");
    let ids: Vec<&str> = made
        .document
        .workflow()
        .steps()
        .iter()
        .map(|step| step.id.as_str())
        .collect();
    assert_eq!(ids, ["sketch", "look", "sketch_copy", "tell"]);
    let renamed: Vec<(StepId, Option<StepId>)> = [("draft", "sketch"), ("tell_supplier", "tell")]
        .map(|(old, new)| (old.into(), Some(new.into())))
        .to_vec();
    assert_eq!(made.renamed, renamed);
    assert_eq!(
        made.entails,
        ["the way of a rejection of “look” is left out: there is no step `ghost` here"]
    );
}
