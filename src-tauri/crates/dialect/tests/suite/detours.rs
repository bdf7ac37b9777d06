//! Detours and policies as flows and graph files write them.

use dialect::Document;
use model::{Back, Condition, Escalation, Operator, Place, Routing, Severity, Step, StepId, Trigger};

fn flow(rest: &str) -> Document {
    let text = format!(
        "key: k\ntitle: T\nsteps:\n  - {{id: draft, agents: [w], role: r}}\n  - {{id: check, agents: [w], role: r}}\n{rest}"
    );
    Document::parse("k.yaml", &text)
}

fn ids(document: &Document) -> Vec<&str> {
    document
        .workflow()
        .steps()
        .iter()
        .map(|step| step.id.as_str())
        .collect()
}

fn step<'d>(document: &'d Document, id: &str) -> &'d Step {
    document.workflow().step(&StepId::from(id)).expect("a step")
}

fn codes(document: &Document) -> Vec<(String, Severity)> {
    document
        .diagnostics()
        .iter()
        .map(|d| (d.code.clone(), d.severity))
        .collect()
}

#[test]
fn a_detour_becomes_steps_behind_those_of_the_flow_for_each_that_it_leaves() {
    let document = flow(
        "detours:\n  - id: clarify\n    name: Ask the client\n    after: [draft, check]\n    \
         condition: {field: blockers, operator: contains, value: ambiguous}\n    return: resume\n    max_uses: 2\n    \
         priority: 70\n    steps:\n      - {id: ask, agents: [clerk], role: Ask, outputs: [q.md], human_gate: required}\n      \
         - {id: note, agents: [clerk], role: Note}\n",
    );
    assert_eq!(document.diagnostics(), []);
    assert_eq!(
        ids(&document),
        ["draft", "check", "ask@draft", "note@draft", "ask@check", "note@check"]
    );
    let [detour] = step(&document, "check").detours.as_slice() else {
        panic!()
    };
    assert_eq!(
        (detour.id.as_str(), detour.name.as_str()),
        ("clarify", "Ask the client")
    );
    assert_eq!((detour.max_uses, detour.priority, detour.injected), (2, 70, false));
    assert_eq!(detour.first.as_str(), "ask@check");
    let blockers = Condition::Compare {
        field: "blockers".into(),
        operator: Operator::Contains,
        value: "ambiguous".into(),
    };
    assert_eq!(detour.triggers, [Trigger::Reported(blockers)]);
    let (ask, note) = (step(&document, "ask@check"), step(&document, "note@check"));
    assert_eq!(ask.outputs, ["q.md"]);
    assert!(ask.gate.is_some());
    assert_eq!(ask.detour_from, Some("check".into()));
    let on = Routing::Linear {
        next: Some("note@check".into()),
    };
    assert_eq!(ask.routing, on);
    let back = Routing::Return {
        from: "check".into(),
        back: Back::Resume,
    };
    assert_eq!(note.routing, back);
    // The last step of the flow is still its last.
    let last = step(&document, "check");
    assert_eq!(document.workflow().step_after(last), None);
    // And each stands where the file has it.
    let span = document
        .span(&Place::step(note.ordinal).field("role"))
        .expect("a place");
    assert_eq!(&document.text()[span.start..span.end], "role: Note");
    let place = document.place_at(span.start + 2);
    assert_eq!(place, Place::step(3).field("role"), "the first of those it stands for");
}

#[test]
fn what_real_graphs_suggest_is_read() {
    let text = r#"{"id": "k", "title": "T",
      "nodes": [{"node_id": "a", "template_id": "w", "suggested_sidequests": [
                   {"station_id": "clarifier", "typical_trigger": "When unclear", "routing_type": "DETOUR", "priority": 60}]},
                {"node_id": "b", "template_id": "w"}],
      "edges": [{"edge_id": "e", "from": "a", "to": "b"}],
      "policy": {"max_depth": 3, "suggested_detours": [
          {"from_nodes": ["a", "b"], "to_station": "risk-analyst", "return_to": "next",
           "condition": {"field": "concerns", "operator": "not_equals", "value": []}}],
        "suggested_injections": [
          {"station_id": "scanner", "inject_after": ["b"], "one_shot": true, "condition": {"field": "failed", "operator": "gt", "value": 0}}]}}"#;
    let document = Document::parse("k.graph.json", text);
    assert_eq!(codes(&document), [("GH0507".to_owned(), Severity::Note)]);
    let of = |id: &str| -> Vec<(String, bool, u32, Back)> {
        let detours = step(&document, id).detours.iter();
        detours
            .map(|d| (d.id.clone(), d.injected, d.max_uses, d.back.clone()))
            .collect()
    };
    assert_eq!(
        of("a"),
        [
            ("risk-analyst".to_owned(), false, 3, Back::Advance),
            ("clarifier".to_owned(), false, 3, Back::Resume)
        ]
    );
    assert_eq!(
        of("b"),
        [
            ("risk-analyst".to_owned(), false, 3, Back::Advance),
            ("scanner".to_owned(), true, 1, Back::Advance)
        ]
    );
    assert_eq!(step(&document, "scanner@b").agents[0].as_str(), "scanner");
    assert_eq!(step(&document, "clarifier@a").name, "Clarifier");
}

#[test]
fn triggers_of_every_kind_and_every_way_back() {
    let document = flow(
        "detours:\n  - id: a\n    after: draft\n    station: s\n    trigger_mode: all\n    return_behavior: {mode: bounce_to, target_node: check}\n    \
         triggers:\n      - {condition_type: field_check, field: kind, operator: equals, value: env}\n      \
         - {condition_type: stall, field: stall_count, operator: gte, value: 2}\n      \
         - {condition_type: path_pattern, pattern: 'auth/**'}\n      - {condition_type: iteration_count, value: 4}\n  \
         - {id: b, after: draft, station: s, condition: 'score > 3', return: halt}\n  \
         - {id: c, after: draft, station: s, condition: 'score > 3', return_to: check}\n  \
         - {id: d, after: draft, flow: reset.yaml, condition: 'score > 3', injection_type: INJECT_FLOW}\n",
    );
    assert_eq!(document.diagnostics(), []);
    let detours = &step(&document, "draft").detours;
    let when = "kind is env and rounds without a change ≥ 2 and files like auth/** and rounds ≥ 4";
    assert_eq!(detours[0].when().as_deref(), Some(when));
    let back: Vec<&Back> = detours.iter().map(|detour| &detour.back).collect();
    let check = Back::To("check".into());
    assert_eq!(back, [&check, &Back::Halt, &check, &Back::Advance]);
    let model::Work::SubWorkflow { files } = &step(&document, "d@draft").work else {
        panic!("{:?}", ids(&document))
    };
    assert_eq!(files, &["reset.yaml"]);
    assert!(detours[3].injected);
}

#[test]
fn fields_that_say_the_same_of_the_way_back_are_one() {
    for (said, back) in [
        ("return: resume, return_to: source", Back::Resume),
        ("return: bounce_to, return_to: check", Back::To("check".into())),
        (
            "return_to: check, return_behavior: {mode: bounce_to, target_node: check}",
            Back::To("check".into()),
        ),
    ] {
        let document = flow(&format!(
            "detours: [{{after: draft, station: s, condition: 'a > 1', {said}}}]\n"
        ));
        assert_eq!(document.diagnostics(), [], "{said}");
        assert_eq!(step(&document, "draft").detours[0].back, back, "{said}");
    }
}

#[test]
fn what_cannot_be_taken_keeps_the_flow_from_starting() {
    for (rest, said) in [
        ("detours: [{station: s}]\n", "does not say which steps it leaves"),
        (
            "detours: [{after: drfat, station: s, condition: 'a > 1'}]\n",
            "a step that does not exist: `drfat`",
        ),
        ("detours: [{after: draft, condition: 'a > 1'}]\n", "nothing to do"),
        (
            "detours: [{after: draft, station: s, condition: 'a > 1', return: chekc}]\n",
            "leads back to a step that does not exist: `chekc`",
        ),
        (
            "detours: [{after: draft, station: s, condition: 'a > 1', return: advance, return_to: check}]\n",
            "`return_to` and `return` of this detour say differently where it leads back to",
        ),
        (
            "detours: [{after: draft, station: s, triggers: [{condition_type: moon}]}]\n",
            "The trigger `moon` is not known",
        ),
        (
            "detours: [{after: draft, station: s, triggers: [{condition_type: path_pattern, pattern: 'a[' }]}]\n",
            "The pattern `a[` cannot be used",
        ),
        (
            "detours:\n  - {id: x, after: [draft, y], station: x, condition: 'a > 1'}\n  - {id: y, after: x, station: y, condition: 'a > 1'}\n",
            "deeper than 3: `x` → `y` → `x` → `y`",
        ),
        (
            "detours: [{after: draft, station: s, triggers: [{type: stall, field: stalled, operator: gte, value: 3}]}]\n",
            "what it is compared with would be passed over",
        ),
        (
            "policy: {max_depth: 1}\ndetours:\n  - {id: x, after: draft, station: x, condition: 'a > 1'}\n  - {id: y, after: x, station: y, condition: 'a > 1'}\n",
            "deeper than 1: `x` → `y`",
        ),
    ] {
        let document = flow(rest);
        let found = document.diagnostics().iter().find(|d| d.code == "GH0506");
        let found = found.unwrap_or_else(|| panic!("{rest}: {:?}", document.diagnostics()));
        assert!(found.message.contains(said), "{}", found.message);
        assert_eq!(found.severity, Severity::Error);
    }
}

#[test]
fn many_detours_of_many_steps_are_bounded() {
    let mut text = "key: k\nsteps:\n".to_owned();
    for n in 0..400 {
        text.push_str(&format!("  - {{id: s{n}, agents: [w], role: r}}\n"));
    }
    text.push_str("detours:\n");
    let all: Vec<String> = (0..400).map(|n| format!("s{n}")).collect();
    for n in 0..400 {
        text.push_str(&format!(
            "  - {{id: d{n}, after: [{}], station: w, condition: 'a > 1'}}\n",
            all.join(", ")
        ));
    }
    let document = Document::parse("k.yaml", &text);
    assert!(document.workflow().steps().len() <= 400 + 5_000);
    let said = document.diagnostics().iter().find(|d| d.severity == Severity::Error);
    let said = said.expect("what is not made is not passed over");
    assert!(
        said.message.contains("come to more than 5000 steps"),
        "{}",
        said.message
    );
}

#[test]
fn a_policy_bounds_loops_and_says_when_a_person_is_asked() {
    let document = flow(
        "policy:\n  max_loop_iterations: 2\n  escalation: {on_blocked: pause_for_human, max_unverified_streak: 3, escalate_on_unverified_streak: human_review}\n  \
         routing_decisions: {default_decision: CONTINUE, signal_interpretation: {on_verified: CONTINUE, on_unverified_cannot_iterate: PAUSE}}\n",
    );
    assert_eq!(document.diagnostics(), []);
    let expected = Escalation {
        blocked: true,
        stuck: true,
        unverified: Some(3),
    };
    assert_eq!(document.workflow().escalation, expected);
    let text = r#"{"id": "k", "nodes": [{"node_id": "a", "template_id": "w"}, {"node_id": "b", "template_id": "w"}],
      "edges": [{"edge_id": "e", "from": "a", "to": "b"},
                {"edge_id": "f", "from": "b", "to": "a", "type": "loop", "condition": {"field": "status", "operator": "equals", "value": "NO"}}],
      "policy": {"max_loop_iterations": 4}}"#;
    let document = Document::parse("k.graph.json", text);
    let Routing::Guarded { guards, .. } = &step(&document, "b").routing else {
        panic!()
    };
    assert_eq!(guards[0].most, 4);
    let document = flow("policy: {escalation: {on_blocked: shrug}}\n");
    assert_eq!(codes(&document), [("GH0501".to_owned(), Severity::Error)]);
    let document = flow("policy: {routing_decisions: {signal_interpretation: {on_verified: PAUSE}}}\n");
    assert_eq!(codes(&document), [("GH0501".to_owned(), Severity::Error)]);
}

/// How long a detour may last, and how often the loops that leave a node of a graph turn.
#[test]
fn bounds_are_read() {
    let text = "id: g\nnodes:\n  - {node_id: a, template_id: w}\n  - {node_id: b, template_id: w, params: {max_iterations: 2}}\n  \
                - {node_id: c, template_id: w, params: {max_iterations: 3}}\nedges:\n  - {edge_id: e, from: a, to: b}\n  \
                - {edge_id: l, from: b, to: a, type: loop, condition: {field: status, operator: equals, value: AGAIN}}\n  \
                - {edge_id: f, from: b, to: c, priority: 1}\npolicy: {max_loop_iterations: 7}\n\
                detours: [{id: d, after: a, station: s, condition: x, max_duration_seconds: 1.5}]\n";
    let document = Document::parse("g.graph.yaml", text);
    let workflow = document.workflow();
    let model::Routing::Guarded { guards, .. } = &workflow.steps()[1].routing else {
        panic!("{:?}", workflow.steps()[1].routing)
    };
    // Its own bound comes before that of the policy.
    assert_eq!((guards[0].back, guards[0].most), (true, 2));
    assert_eq!(workflow.steps()[0].detours[0].max_duration_ms, Some(1_500));
    let said: Vec<_> = document
        .diagnostics()
        .iter()
        .map(|d| (d.code.as_str(), d.place.clone()))
        .collect();
    let place = model::Place::step(2).field("params").field("max_iterations");
    assert_eq!(
        said,
        [("GH0502", place)],
        "no loop leaves c: {:#?}",
        document.diagnostics()
    );
}
