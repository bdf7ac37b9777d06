//! Fields that say two things of which a run could carry out one: what would lose a gate, an agent, a join or a condition keeps the file
//! from starting, at the field that would be passed over; the rest is named.

use dialect::{Document, apply};
use model::{Diagnostic, GateRequirement, JoinRule, Place, Routing, Severity};

fn name(document: &Document, one: &Diagnostic) -> String {
    let span = document.span(&one.place).expect("a place");
    let written = &document.text()[span.start..span.end];
    let key = one.place.path.last().cloned().unwrap_or_default();
    // Where the file has it, not only by its name.
    assert!(
        written.contains(&key) || key.parse::<usize>().is_ok(),
        "{key}: {written}"
    );
    format!("{} {key}", one.code)
}

fn of(path: &str, text: &str, severity: Severity) -> Vec<String> {
    let document = Document::parse(path, text);
    assert_eq!(document.not_a_workflow(), None, "{text}");
    let found = document.diagnostics().iter().filter(|one| one.severity == severity);
    found.map(|one| name(&document, one)).collect()
}

fn refused(path: &str, text: &str) -> Vec<String> {
    of(path, text, Severity::Error)
}

fn warned(path: &str, text: &str) -> Vec<String> {
    assert_eq!(refused(path, text), [""; 0], "{text}");
    of(path, text, Severity::Warning)
}

/// The text after the first fix of a code.
fn mended(path: &str, text: &str, code: &str) -> String {
    let document = Document::parse(path, text);
    let found = document
        .diagnostics()
        .iter()
        .find(|one| one.code == code && one.fix.is_some());
    let fix = found
        .and_then(|one| one.fix.as_ref())
        .unwrap_or_else(|| panic!("no fix: {:#?}", document.diagnostics()));
    apply(text, &document.edit(&fix.edit).expect("an edit"))
}

fn detour(fields: &str) -> String {
    format!(
        "key: f\ndetours:\n  - {{id: p, after: [a], {fields}}}\nsteps:\n  - {{id: a, role: r, agents: [w]}}\n  \
         - {{id: b, role: r, agents: [w]}}\n  - {{id: c, role: r, agents: [w]}}\n"
    )
}

const STEPS: &str = "steps: [{id: s1, role: r, agents: [w]}]";

#[test]
fn what_stands_beside_the_steps_of_a_detour_is_not_passed_over() {
    for (fields, name) in [
        ("human_gate: required", "human_gate"),
        ("agents: [q]", "agents"),
        ("agent: q", "agent"),
        ("station: q", "station"),
        ("to_station: q", "to_station"),
        ("station_id: q", "station_id"),
        ("flow: other.yaml", "flow"),
        ("workflow: other.yaml", "workflow"),
        ("retries: {max: 2}", "retries"),
        ("timeout_seconds: 1", "timeout_seconds"),
    ] {
        let text = detour(&format!("condition: 'x == 1', {fields}, {STEPS}"));
        assert_eq!(refused("f.yaml", &text), [format!("GH0501 {name}")], "{fields}");
    }
    for (fields, name) in [
        ("role: Looks again", "role"),
        ("inputs: [a.md]", "inputs"),
        ("gate_question: 'May we?'", "gate_question"),
        ("terminal: true", "terminal"),
    ] {
        let text = detour(&format!("condition: 'x == 1', {fields}, {STEPS}"));
        assert_eq!(warned("f.yaml", &text), [format!("GH0502 {name}")], "{fields}");
    }
    for fields in [
        "human_gate: none",
        "name: Aside",
        "title: Aside",
        "max_duration_seconds: 9, return: advance",
    ] {
        let text = detour(&format!("condition: 'x == 1', {fields}, {STEPS}"));
        assert_eq!(warned("f.yaml", &text), [""; 0], "{fields}");
    }
}

#[test]
fn a_detour_does_one_thing() {
    for (fields, names) in [
        ("flow: o.yaml, agents: [q]", vec!["GH0501 agents"]),
        ("flow: o.yaml, to_station: q", vec!["GH0501 to_station"]),
        ("flow: o.yaml, workflow: o2.yaml", vec!["GH0501 workflow"]),
        ("agents: [u, v], to_station: q", vec!["GH0501 to_station"]),
        ("to_station: q, station_id: r", vec!["GH0501 station_id"]),
        ("agent: w, steps: {s1: {agents: [w]}}", vec!["GH0104 steps"]),
        ("agents: [q], station: q", vec![]),
        ("agents: [q], to_station: q", vec![]),
        ("flow: o.yaml, human_gate: required", vec![]),
        ("station: q, steps: []", vec![]),
    ] {
        let text = detour(&format!("condition: 'x == 1', {fields}"));
        assert_eq!(refused("f.yaml", &text), names, "{fields}");
    }
    let step = detour("condition: 'x == 1', steps: [{id: s, role: r, agents: [w], to_station: q}]");
    assert_eq!(refused("f.yaml", &step), ["GH0501 to_station"]);
}

#[test]
fn a_detour_s_triggers_are_all_asked() {
    for (fields, names) in [
        (
            "triggers: {field: x, operator: equals, value: 3}",
            vec!["GH0104 triggers"],
        ),
        (
            "trigger_mode: every, triggers: [{field: x, value: 3}]",
            vec!["GH0506 trigger_mode"],
        ),
        (
            "trigger_mode: ALL, triggers: [{field: x, value: 3}]",
            vec!["GH0506 trigger_mode"],
        ),
        (
            "triggers: [{condition_type: iteration_count, operator: atleast, value: 1}]",
            vec!["GH0110 operator"],
        ),
        (
            "triggers: [{condition_type: iteration_count, value: one}]",
            vec!["GH0506 value"],
        ),
        (
            "triggers: [{condition_type: iteration_count, value: 1, expression: 'need == 7'}]",
            vec!["GH0501 expression"],
        ),
        (
            "triggers: [{condition_type: iteration_count, value: 1, field: need}]",
            vec!["GH0501 field"],
        ),
        (
            "triggers: [{condition_type: path_pattern, pattern: 'x/**', field: need, value: 1}]",
            vec!["GH0501 field", "GH0501 value"],
        ),
        (
            "triggers: [{condition_type: stall, pattern: 'x/**'}]",
            vec!["GH0501 pattern"],
        ),
        ("triggers: [{condition_type: stall, field: need}]", vec!["GH0501 field"]),
        (
            "triggers: [{condition_type: stall, field: stall_count, operator: gte, value: 2}]",
            vec![],
        ),
        (
            "triggers: [{condition_type: iteration_count, field: iteration_count, value: 2}]",
            vec![],
        ),
        ("trigger_mode: any, triggers: [{field: x, value: 3}]", vec![]),
    ] {
        let text = detour(&format!("station: q, {fields}"));
        assert_eq!(refused("f.yaml", &text), names, "{fields}");
    }
    let every = detour("station: q, trigger_mode: every, triggers: [{field: x, value: 3}]");
    assert_eq!(refused("f.yaml", &mended("f.yaml", &every, "GH0506")), [""; 0]);
    // How often it stalled, said without its field.
    let document = Document::parse(
        "f.yaml",
        &detour("station: q, triggers: [{condition_type: stall, operator: gt, value: 2}]"),
    );
    let when = document.workflow().steps()[0].detours[0].when();
    assert_eq!(when.as_deref(), Some("rounds without a change > 2"));
}

#[test]
fn a_detour_leads_back_to_one_place_and_as_often_as_it_says() {
    for (fields, names) in [
        ("return: advance, target_node: c", vec!["GH0506 target_node"]),
        ("return: c, target_node: b", vec!["GH0506 target_node"]),
        (
            "return_behavior: {mode: bounce_to, target_node: c, bounce_to: b}",
            vec!["GH0506 bounce_to"],
        ),
        ("return: bounce_to, target_node: c", vec![]),
        ("return: c, target_node: c", vec![]),
    ] {
        let text = detour(&format!("condition: 'x == 1', station: q, {fields}"));
        assert_eq!(refused("f.yaml", &text), names, "{fields}");
    }
    for (fields, names) in [
        ("one_shot: true, max_uses: 3", vec!["GH0502 max_uses"]),
        ("max_uses: 1, max_uses_per_run: 2", vec!["GH0502 max_uses_per_run"]),
        ("one_shot: true, max_uses: 1", vec![]),
        ("max_uses: 2, max_uses_per_run: 2", vec![]),
    ] {
        let text = detour(&format!("condition: 'x == 1', station: q, {fields}"));
        assert_eq!(warned("f.yaml", &text), names, "{fields}");
    }
    let high = detour("condition: 'x == 1', station: q, priority: high");
    assert_eq!(refused("f.yaml", &high), ["GH0104 priority"]);
}

fn pipeline(stage: &str) -> String {
    format!("name: p\nstages:\n  - {{name: a, {stage}}}\n  - {{name: b, agents: [w], depends_on: [a]}}\n")
}

#[test]
fn a_stage_has_one_gate_and_one_work() {
    for (stage, names) in [
        ("agents: [w], human_gate: none, gate: required", vec!["GH0501 gate"]),
        ("agents: [w], human_gate: optional, gate: required", vec!["GH0501 gate"]),
        (
            "agents: [w], human_gate: ~, gate: required",
            vec!["GH0109 human_gate", "GH0501 gate"],
        ),
        ("agents: [w], human_gate: required, gate: required", vec![]),
        ("agents: [w], human_gate: required, gate: none", vec![]),
        ("agents: [w], run: make", vec!["GH0308 run"]),
        ("agent: w, run: make", vec!["GH0308 run"]),
        ("agents: [w], workflow: o.yaml", vec!["GH0308 workflow"]),
        ("agents: [], run: make", vec![]),
        ("agents: [w], max_retries: 3", vec!["GH0501 max_retries"]),
    ] {
        assert_eq!(refused("p.yaml", &pipeline(stage)), names, "{stage}");
    }
    let spec =
        |step: &str| format!("format: stepspec\nworkflow: s\ntitle: T\nsteps:\n  - {{id: a, name: A, {step}}}\n");
    assert_eq!(refused("s.yaml", &spec("agent: w, run: make")), ["GH0501 run"]);
    assert_eq!(refused("s.yaml", &spec("run: make")), [""; 0]);
    for (gates, names) in [
        ("human_gate: optional, gate: required", vec!["GH0501 gate"]),
        ("human_gate: none, gate: required", vec!["GH0501 gate"]),
        ("human_gate: \"no\", gate: required", vec!["GH0501 gate"]),
        ("human_gate: \"\", gate: required", vec!["GH0501 gate"]),
        ("human_gate: conditional, gate: required", vec!["GH0501 gate"]),
        ("human_gate: required, gate: required", vec![]),
        ("human_gate: required, gate: none", vec![]),
        ("gate: required", vec![]),
        ("human_gate: required, gate: {question: 'May we?'}", vec![]),
    ] {
        assert_eq!(
            refused("s.yaml", &spec(&format!("agent: w, {gates}"))),
            names,
            "{gates}"
        );
    }
}

#[test]
fn the_agents_of_a_whole_stepspec_workflow_do_not_take_a_step_s_script_over() {
    let text = "format: stepspec\nworkflow: s\ntitle: T\nagent: w\nsteps:\n  - {id: a, name: A, run: make}\n  - {id: b, name: B}\n";
    let document = Document::parse("s.yaml", text);
    let agents: Vec<usize> = document
        .workflow()
        .steps()
        .iter()
        .map(|step| step.agents.len())
        .collect();
    assert_eq!(agents, [0, 1], "the script is run, whatever carries out what `w` does");
}

fn fork(fork: &str, join: &str) -> String {
    format!(
        "key: f\nsteps:\n  - {{id: a, role: r, agents: [w], routing: {{kind: fork, {fork}}}}}\n  \
         - {{id: x, role: r, agents: [w], routing: {{kind: linear, next: j}}}}\n  \
         - {{id: y, role: r, agents: [w], routing: {{kind: linear, next: j}}}}\n  \
         - {{id: j, role: r, agents: [w], routing: {{kind: {join}}}}}\n"
    )
}

#[test]
fn a_fork_and_its_join_say_one_thing() {
    let all = "fork_targets: [x, y]";
    for (fork_says, join_says, names) in [
        (
            format!("{all}, join_config: {{strategy: all_verified}}"),
            "join, join_config: {strategy: all_complete}",
            vec!["GH0115 strategy"],
        ),
        (
            all.to_owned(),
            "join, strategy: all_verified, join_strategy: all_complete",
            vec!["GH0115 join_strategy"],
        ),
        (
            format!("{all}, failure_policy: fail_fast, fork_config: {{failure_policy: best_effort}}"),
            "terminal",
            vec!["GH0115 failure_policy"],
        ),
        (
            all.to_owned(),
            "join, strategy: quorum, quorum: 2, quorum_count: 1",
            vec!["GH0115 quorum_count"],
        ),
        (
            format!("{all}, fork_config: {{targets: [x]}}"),
            "join",
            vec!["GH0115 targets"],
        ),
        (
            all.to_owned(),
            "join, join_config: {strategy: quorum, quorum: 0}",
            vec!["GH0115 quorum"],
        ),
        (
            format!("{all}, execution_policy: batch, batch_size: 0"),
            "join",
            vec!["GH0115 batch_size"],
        ),
        (all.to_owned(), "join, join_config: quorum", vec!["GH0104 join_config"]),
        (
            all.to_owned(),
            "join, join_config: [{strategy: all_verified}]",
            vec!["GH0104 join_config"],
        ),
        (
            format!("{all}, fork_config: fail_fast"),
            "join",
            vec!["GH0104 fork_config"],
        ),
        (
            all.to_owned(),
            "join, join_config: {strategy: quorum, quorum: 1, timeout_seconds: 1, on_timeout: fail}",
            vec!["GH0501 on_timeout"],
        ),
        (
            all.to_owned(),
            "join, join_config: {timeout: 5}",
            vec!["GH0501 timeout"],
        ),
        (
            all.to_owned(),
            "join, join_config: {strategy: quorum, min_success: 2}",
            vec!["GH0501 min_success"],
        ),
        (
            format!("{all}, fork_config: {{fail_fast: true}}"),
            "join",
            vec!["GH0501 fail_fast"],
        ),
        (
            format!("{all}, join_config: {{strategy: all_verified}}"),
            "join, join_config: {strategy: all_verified, timeout_seconds: 5}",
            vec![],
        ),
        (
            format!("{all}, execution_policy: batch, fork_config: {{batch_size: 1}}"),
            "join",
            vec![],
        ),
    ] {
        assert_eq!(
            refused("f.yaml", &fork(&fork_says, join_says)),
            names,
            "{fork_says} {join_says}"
        );
    }
    for (fork_says, join_says, names) in [
        (format!("{all}, batch_size: 1"), "join", vec!["GH0115 batch_size"]),
        (
            all.to_owned(),
            "join, join_config: {merge_artifacts: false}",
            vec!["GH0115 merge_artifacts"],
        ),
        (
            all.to_owned(),
            "join, join_config: {merge_artifacts: overwrite}",
            vec!["GH0115 merge_artifacts"],
        ),
        (
            all.to_owned(),
            "join, join_config: {merge_artifacts: true, merge_concerns: true}",
            vec![],
        ),
    ] {
        assert_eq!(
            warned("f.yaml", &fork(&fork_says, join_says)),
            names,
            "{fork_says} {join_says}"
        );
    }
}

#[test]
fn a_fork_leads_to_one_join_and_a_time_of_asking_needs_a_gate() {
    let other = fork("fork_targets: [x, y], join_point: j, next: x", "terminal");
    assert_eq!(refused("f.yaml", &other), ["GH0115 next"]);
    let same = fork("fork_targets: [x, y], join_point: j, next: j", "terminal");
    assert_eq!(refused("f.yaml", &same), [""; 0]);
    let asked = FLOW.replace("agents: [w]", "agents: [w], gate_at: before");
    assert_eq!(warned("f.yaml", &asked), ["GH0111 gate_at"]);
    assert_eq!(
        warned("f.yaml", &asked.replace("gate_at", "human_gate: required, gate_at")),
        [""; 0]
    );
}

#[test]
fn a_gate_left_empty_is_refused_and_a_question_without_one_is_named() {
    let question = "gate_question: Really?";
    let flow = FLOW.replace("agents: [w]", "agents: [w], GATE");
    let stages = pipeline("agents: [w], GATE");
    let agents = "workflow: {id: k, sequence: [{agent: w, creates: x.md, GATE}]}\n".to_owned();
    for text in [flow, stages, agents] {
        let asked = text.replace("GATE", question);
        assert_eq!(warned("f.yaml", &asked), ["GH0111 gate_question"], "{asked}");
        for gate in [
            "human_gate: , ",
            "human_gate: '', ",
            "human_gate: '  ', ",
            "human_gate: ~, ",
            "human_gate: null, ",
        ] {
            let asked = text.replace("GATE", &format!("{gate}{question}"));
            assert_eq!(refused("f.yaml", &asked), ["GH0109 human_gate"], "{asked}");
            assert!(of("f.yaml", &asked, Severity::Warning).is_empty(), "{asked}");
            let step = Document::parse("f.yaml", &asked).workflow().steps()[0].clone();
            let gate = step.gate.expect("a gate");
            assert_eq!(gate.requirement, GateRequirement::Required, "{asked}");
        }
        for gate in ["human_gate: none, ", "human_gate: false, ", "human_gate: optional, "] {
            let asked = text.replace("GATE", &format!("{gate}{question}"));
            assert_eq!(warned("f.yaml", &asked), [""; 0], "{asked}");
        }
    }
}

/// Programs write null in JSON for what is not there, and `~` takes back a gate that is taken over.
#[test]
fn a_null_that_says_none_is_no_gate_left_empty() {
    let gate = |path: &str, text: &str| {
        assert_eq!(refused(path, text), [""; 0], "{text}");
        let document = Document::parse(path, text);
        document.workflow().steps().last().expect("a step").gate.clone()
    };
    let json =
        "{\"key\": \"f\", \"steps\": [{\"id\": \"a\", \"role\": \"r\", \"agents\": [\"w\"], \"human_gate\": null}]}";
    assert_eq!(gate("f.json", json), None);
    let asked = json.replace("null", "null, \"gate_question\": \"Really?\"");
    assert_eq!(warned("f.json", &asked), ["GH0111 gate_question"]);
    assert_eq!(refused("f.json", &json.replace("null", "\"\"")), ["GH0109 human_gate"]);
    let merged = "key: f\nsteps:\n  - &one\n    id: b\n    role: r\n    agents: [w]\n    human_gate: required\n  - <<: *one\n    id: a\n    human_gate: GATE\n";
    assert_eq!(gate("f.yaml", &merged.replace("GATE", "~")), None);
    assert_eq!(gate("f.yaml", &merged.replace("GATE", "null")), None);
    assert_eq!(refused("f.yaml", &merged.replace(" GATE", "")), ["GH0109 human_gate"]);
    let none = FLOW.replace("agents: [w]", "agents: [w], human_gate: ~");
    assert!(mended("f.yaml", &none, "GH0109").contains("human_gate: required"));
}

/// The rules of the first step that forks.
fn rules(path: &str, text: &str) -> model::ForkRules {
    let document = Document::parse(path, text);
    assert_eq!(document.diagnostics(), [], "{text}");
    let forks = document
        .workflow()
        .steps()
        .iter()
        .filter_map(|step| match &step.routing {
            Routing::Fork(fork) => Some(fork.rules.clone()),
            _ => None,
        });
    forks.into_iter().next().expect("a fork")
}

fn graph(edges: &str) -> String {
    let node = |id: &str| format!("  - {{node_id: {id}, agents: [w]}}\n");
    format!(
        "id: g\ntitle: T\nnodes:\n{}edges:\n{edges}",
        ["a", "b", "c", "d"].map(node).concat()
    )
}

#[test]
fn what_a_join_asks_is_read_wherever_it_stands() {
    let text = "key: f\nparallel: {fork_point: a, fork_config: {targets: [x, y]}, join_config: {strategy: all_verified}}\nsteps:\n  \
                - {id: a, role: r, agents: [w]}\n  - {id: x, role: r, agents: [w], routing: {kind: linear, next: j}}\n  \
                - {id: y, role: r, agents: [w], routing: {kind: linear, next: j}}\n  - {id: j, role: r, agents: [w]}\n";
    assert_eq!(rules("f.yaml", text).join, JoinRule::AllVerified);
    assert_eq!(
        refused("f.yaml", &text.replace("{strategy: all_verified}", "quorum")),
        ["GH0104 join_config"]
    );
    let both = graph(
        "  - {from: a, to: b, type: fork, fork_config: {failure_policy: fail_fast}, join_config: {strategy: all_verified}}\n  \
         - {from: a, to: c, type: fork}\n  - {from: b, to: d}\n  - {from: c, to: d}\n",
    );
    let found = rules("g.yaml", &both);
    assert_eq!(
        (found.join, found.on_failure),
        (JoinRule::AllVerified, model::BranchFailure::FailFast)
    );
    for (edges, names) in [
        (
            "  - {from: a, to: b, type: fork}\n  - {from: a, to: c, type: fork}\n  - {from: b, to: d, join_config: {strategy: all_verified}}\n  - {from: c, to: d}\n",
            vec!["GH0115 join_config"],
        ),
        (
            "  - {from: a, to: b, fork_config: {targets: [b, c]}}\n  - {from: b, to: c}\n  - {from: c, to: d}\n",
            vec!["GH0115 fork_config"],
        ),
        (
            "  - {from: a, to: b, type: fork}\n  - {from: a, to: c, type: fork}\n  - {from: b, to: d, type: join, join_config: {strategy: all_verified}}\n  - {from: c, to: d, type: join, join_config: {strategy: all_complete}}\n",
            vec!["GH0115 strategy"],
        ),
        (
            "  - {from: a, to: b, type: fork, fork_config: {failure_policy: fail_fast}}\n  - {from: a, to: c, type: fork, fork_config: {failure_policy: best_effort}}\n  - {from: b, to: d}\n  - {from: c, to: d}\n",
            vec!["GH0115 failure_policy"],
        ),
        (
            "  - {from: a, to: b, type: fork, condition: 'x == 1'}\n  - {from: a, to: c, type: fork}\n  - {from: b, to: d}\n  - {from: c, to: d}\n",
            vec!["GH0501 0"],
        ),
        (
            "  - {from: a, to: b, type: sequence, kind: fork}\n  - {from: b, to: c}\n  - {from: c, to: d}\n",
            vec!["GH0501 kind"],
        ),
        (
            "  - {from: a, to: b, priority: 90}\n  - {from: a, to: c, priority: 10, condition: 'x == 1'}\n  - {from: b, to: d}\n  - {from: c, to: d}\n",
            vec!["GH0501 1"],
        ),
        (
            "  - {from: a, to: b, priority: 10}\n  - {from: a, to: c, priority: 90, condition: 'x == 1'}\n  - {from: b, to: d}\n  - {from: c, to: d}\n",
            vec![],
        ),
        (
            "  - {from: a, to: b, priority: high, condition: 'x == 1'}\n  - {from: a, to: c}\n  - {from: b, to: d}\n  - {from: c, to: d, priority: 60.5}\n",
            vec!["GH0104 priority", "GH0104 priority"],
        ),
    ] {
        assert_eq!(refused("g.yaml", &graph(edges)), names, "{edges}");
    }
    let text = graph("  - {from: a, to: b, priority: '90'}\n  - {from: b, to: c}\n  - {from: c, to: d}\n");
    assert_eq!(refused("g.yaml", &text), ["GH0104 priority"]);
    assert_eq!(refused("g.yaml", &mended("g.yaml", &text, "GH0104")), [""; 0]);
    let node = graph("  - {from: a, to: b}\n  - {from: b, to: c}\n  - {from: c, to: d}\n")
        .replace("node_id: d,", "node_id: d, join_config: {strategy: all_verified},");
    assert_eq!(refused("g.yaml", &node), ["GH0501 join_config"]);
}

#[test]
fn a_node_is_a_step_and_says_who_works_once() {
    let with = |fields: &str| {
        graph("  - {from: a, to: b}\n  - {from: b, to: c}\n  - {from: c, to: d}\n")
            .replace("node_id: b, agents: [w]", &format!("node_id: b, {fields}"))
    };
    for kind in [
        "human",
        "gate",
        "human_gate",
        "approval",
        "manual",
        "HumanTask",
        "user-task",
    ] {
        let said = refused("g.yaml", &with(&format!("agents: [w], type: {kind}")));
        assert_eq!(said, ["GH0501 type"], "{kind}");
        let asks = refused(
            "g.yaml",
            &with(&format!("agents: [w], kind: {kind}, human_gate: required")),
        );
        assert_eq!(asks, [""; 0], "{kind}");
    }
    for kind in ["decision", "wait", "condition", "loop", "end", "switch", "for_each"] {
        let said = refused("g.yaml", &with(&format!("agents: [w], kind: {kind}")));
        assert_eq!(said, ["GH0501 kind"], "{kind}");
    }
    for kind in ["step", "task", "agent", "llm", "test"] {
        assert_eq!(
            refused("g.yaml", &with(&format!("agents: [w], type: {kind}"))),
            [""; 0],
            "{kind}"
        );
    }
    assert_eq!(refused("g.yaml", &with("agents: [w], ui: {type: gate}")), ["GH0501 ui"]);
    assert_eq!(
        refused("g.yaml", &with("agents: [w], overrides: {station_id: critic}")),
        ["GH0501 station_id"]
    );
    for fields in [
        "template_id: w, overrides: {station_id: critic}",
        "agents: [critic], overrides: {station_id: critic}",
        "agents: [w], template_id: t",
    ] {
        assert_eq!(refused("g.yaml", &with(fields)), [""; 0], "{fields}");
    }
}

const FLOW: &str = "key: f\nsteps:\n  - {id: a, role: r, agents: [w]}\n";

#[test]
fn what_is_to_hold_for_all_steps_is_no_note_where_it_is_a_gate() {
    let of_graph = graph("  - {from: a, to: b}\n  - {from: b, to: c}\n  - {from: c, to: d}\n");
    for (path, text) in [("f.yaml", FLOW), ("g.yaml", of_graph.as_str())] {
        for (defaults, names) in [
            ("{human_gate: required}", vec!["GH0501 human_gate"]),
            ("{agents: [q]}", vec!["GH0501 agents"]),
            ("{step: {when: 'x == 1'}}", vec!["GH0501 when"]),
            (
                "{context_pack: {max_envelopes: 8}, sdk: {model: inherit, max_turns: 20}}",
                vec![],
            ),
            ("{human_gate: none}", vec![]),
        ] {
            assert_eq!(
                refused(path, &format!("{text}defaults: {defaults}\n")),
                names,
                "{path} {defaults}"
            );
        }
    }
    for (subflow, names) in [
        ("{id: z, nodes: [{node_id: q, agents: [w]}]}", vec!["GH0501 nodes"]),
        (
            "{id: z, contained_nodes: [a], condition: 'x == 1'}",
            vec!["GH0501 condition"],
        ),
        (
            "{id: z, contained_nodes: [a], human_gate: required}",
            vec!["GH0501 human_gate"],
        ),
        (
            "{subflow_id: z, title: T, entry_node: a, exit_nodes: [b], contained_nodes: [a, b], ui: {color: red}}",
            vec![],
        ),
    ] {
        assert_eq!(
            refused("g.yaml", &format!("{of_graph}subflows: [{subflow}]\n")),
            names,
            "{subflow}"
        );
    }
}

#[test]
fn a_policy_asks_when_it_says_when() {
    let policy = |escalation: &str| format!("{FLOW}policy: {{escalation: {{{escalation}}}}}\n");
    for escalation in [
        "escalate_on_unverified_streak: pause",
        "escalate_on_unverified_streak: pause, max_unverified_streak: 0",
    ] {
        assert_eq!(
            refused("f.yaml", &policy(escalation)),
            ["GH0501 escalate_on_unverified_streak"],
            "{escalation}"
        );
    }
    assert_eq!(
        warned("f.yaml", &policy("max_unverified_streak: 2")),
        ["GH0111 max_unverified_streak"]
    );
    for escalation in [
        "escalate_on_unverified_streak: pause, max_unverified_streak: 2",
        "escalate_on_unverified_streak: continue, max_unverified_streak: 2",
        "escalate_on_unverified_streak: continue",
    ] {
        assert_eq!(warned("f.yaml", &policy(escalation)), [""; 0], "{escalation}");
    }
}

fn routed(routing: &str) -> String {
    let step = |id: &str| format!("  - {{id: {id}, role: r, agents: [w], routing: {{kind: terminal}}}}\n");
    format!(
        "key: f\nsteps:\n  - {{id: a, role: r, agents: [w], routing: {{{routing}}}}}\n{}",
        ["b", "c", "d"].map(step).concat()
    )
}

#[test]
fn every_condition_is_asked() {
    let when =
        |conditions: &str, more: &str| refused("f.yaml", &routed(&format!("kind: branch, when: [{conditions}]{more}")));
    let both = "{condition: {field: f, operator: equals, value: 1, expression: 'g == 2'}, next: b}";
    assert_eq!(when(both, ", default: c"), ["GH0504 field"]);
    assert_eq!(
        when("{next: b}, {condition: 'x == 1', next: c}", ", default: d"),
        ["GH0501 0"]
    );
    assert_eq!(when("{next: b}", ", default: c"), ["GH0501 0"]);
    assert_eq!(when("{condition: ~, next: b}", ", default: c"), ["GH0501 0"]);
    assert_eq!(when("{condition: 'x == 1', next: b}, {next: c}", ""), [""; 0]);
    assert_eq!(
        when("{condition: 'x == 1', next: b}", ", default: c, next: d"),
        ["GH0501 next"]
    );
    assert_eq!(
        when("{condition: {field: f, operator: equals}, next: b}", ", default: c"),
        ["GH0504 condition"]
    );
    assert_eq!(
        when(
            "{condition: {field: f, operator: gt, value: abc}, next: b}",
            ", default: c"
        ),
        ["GH0504 value"]
    );
    assert_eq!(
        when(
            "{condition: {field: f, operator: gt, value: '3'}, next: b}",
            ", default: c"
        ),
        [""; 0]
    );
    assert_eq!(
        when("{condition: {field: f, operator: exists}, next: b}", ", default: c"),
        [""; 0]
    );
    let branch = |more: &str| refused("f.yaml", &routed(&format!("kind: branch, branch_field: v, {more}")));
    assert_eq!(branch("branches: {x: b}, default: c, next: d"), ["GH0501 default"]);
    assert_eq!(branch("branches: {x: b}, default: c, next: c"), [""; 0]);
    let bare = routed("kind: branch, branch_field: v, branches: {true: b, no: c}, next: d");
    assert_eq!(of("f.yaml", &bare, Severity::Warning), [""; 0]);
    for name in ["to", "target", "then"] {
        let text = routed(&format!("kind: linear, {name}: c"));
        assert_eq!(refused("f.yaml", &text), [format!("GH0501 {name}")]);
        assert_eq!(refused("f.yaml", &mended("f.yaml", &text, "GH0501")), [""; 0]);
    }
}

#[test]
fn what_follows_a_flow_follows_as_it_says() {
    for (more, names) in [
        (
            "on_complete: {condition: 'x == 1', reason: r}",
            vec!["GH0505 condition"],
        ),
        (
            "on_failure: {next_flow: b, condition: 'x == 1'}",
            vec!["GH0501 condition"],
        ),
        ("on_complete: {next_flow: b, condition: 'x == 1'}", vec![]),
        ("on_complete: {next_flow: ~, reason: r}", vec![]),
    ] {
        assert_eq!(refused("f.yaml", &format!("{FLOW}{more}\n")), names, "{more}");
    }
    let kept = format!("{FLOW}on_complete: {{next_flow: b, pass_artifacts: false}}\n");
    assert_eq!(warned("f.yaml", &kept), ["GH0502 pass_artifacts"]);
    let of_pipeline = format!("{}on_complete: {{condition: 'x == 1'}}\n", pipeline("agents: [w]"));
    assert_eq!(refused("p.yaml", &of_pipeline), ["GH0505 condition"]);
    let listed = |more: &str| format!("title: T\nflows:\n  - {{key: a, {more}}}\n  - {{key: b}}\n");
    assert_eq!(refused("l.yaml", &listed("agents: [q]")), ["GH0501 agents"]);
    assert_eq!(
        warned("l.yaml", &listed("timeout_seconds: 3")),
        ["GH0502 timeout_seconds"]
    );
    assert_eq!(warned("l.yaml", &listed("index: 3")), ["GH0505 index"]);
}

#[test]
fn steps_that_stand_in_no_fork_are_named() {
    let text = "key: f\nsteps:\n  - {id: a, role: r, agents: [w]}\n  - {id: b, role: r, agents: [w], parallel_branch: one}\n  \
                - {id: c, role: r, agents: [w], parallel_branch: two}\n  - {id: d, role: r, agents: [w], join_point: true}\n";
    assert_eq!(warned("f.yaml", text), ["GH0115 parallel_branch", "GH0115 join_point"]);
    assert_eq!(
        warned(
            "f.yaml",
            &fork("fork_targets: [x, y]", "join").replace("id: x,", "id: x, parallel_branch: true,")
        ),
        [""; 0]
    );
}

#[test]
fn another_word_for_retries_is_no_silence() {
    for (retries, names) in [
        ("{attempts: 3}", vec!["GH0501 attempts"]),
        ("{maximum: 3}", vec!["GH0501 maximum"]),
        ("{count: 2}", vec!["GH0501 count"]),
        ("{max: 2, backoff_seconds: 1}", vec![]),
        ("2", vec![]),
    ] {
        for (path, text) in [
            (
                "f.yaml",
                FLOW.replace("agents: [w]", &format!("agents: [w], retries: {retries}")),
            ),
            ("p.yaml", pipeline(&format!("agents: [w], retries: {retries}"))),
            (
                "w.yaml",
                format!("workflow: {{id: k}}\nsequence:\n  - {{agent: w, task: t, retries: {retries}}}\n"),
            ),
        ] {
            assert_eq!(refused(path, &text), names, "{path} {retries}");
        }
    }
    let text = FLOW.replace("agents: [w]", "agents: [w], retries: {maximum: 3}");
    assert!(mended("f.yaml", &text, "GH0501").contains("retries: {max: 3}"));
    let limit = "workflow: {id: k}\nsequence:\n  - {agent: w, task: t, timeout: 1s}\n";
    assert_eq!(warned("w.yaml", limit), ["GH0502 timeout"]);
}

/// The flows of a list begin in the order of their `index`, wherever they stand.
#[test]
fn a_list_of_flows_is_gone_through_by_its_index() {
    let flow = |key: &str| dialect::stepwise::Flow {
        key: key.to_owned(),
        file: format!("{key}.yaml"),
        text: format!("key: {key}\nsteps:\n  - {{id: {key}1, role: r, agents: [w]}}\n"),
    };
    let list = "title: T\nflows:\n  - {key: a, index: 3}\n  - {key: u, is_utility: true}\n  - {key: b, index: 2}\n  - {key: c, index: 1}\n";
    let flows = ["a", "u", "b", "c"].map(flow);
    let text = dialect::stepwise::together(list, &flows).expect("together");
    let document = Document::parse("flows.yaml", &text);
    let parts: Vec<(&str, String)> = document
        .workflow()
        .parts()
        .iter()
        .map(|part| (part.key.as_str(), format!("{:?}", part.on_complete.to)))
        .collect();
    let part = |key: &str| format!("Part(\"{key}\")");
    assert_eq!(
        parts,
        [
            ("c", part("b")),
            ("u", "End".to_owned()),
            ("b", part("a")),
            ("a", "End".to_owned())
        ]
    );
    assert_eq!(document.workflow().entry().expect("a step").id.as_str(), "c/c1");
    let warned: Vec<&str> = document.diagnostics().iter().map(|one| one.message.as_str()).collect();
    assert_eq!(warned, ["No flow leads to “U”, so it never begins"]);
    // Each step is still found where its flow stands.
    for step in document.workflow().steps() {
        let span = document.span(&Place::step(step.ordinal)).expect("a place");
        assert!(document.text()[span.start..span.end].contains(step.id.as_str().rsplit('/').next().expect("an id")));
        assert_eq!(document.place_at(span.start).step, Some(step.ordinal));
    }
    let returning = "key: c\non_complete: {next_flow: return}\nsteps:\n  - {id: c1, role: r, agents: [w]}\n";
    let mut flows = ["a", "u", "b", "c"].map(flow);
    flows[3].text = returning.to_owned();
    let text = dialect::stepwise::together(list, &flows).expect("together");
    let document = Document::parse("flows.yaml", &text);
    let found = document
        .diagnostics()
        .iter()
        .filter(|one| one.severity == Severity::Error);
    assert_eq!(found.map(|one| one.code.as_str()).collect::<Vec<_>>(), ["GH0505"]);
}

/// A way into a branch that the fork does not begin, or past it to a join that counts.
#[test]
fn a_way_around_a_fork_is_found_where_it_leaves() {
    let text = |first: &str, detours: &str| {
        format!(
            "key: f\n{detours}steps:\n  - {{id: s, role: r, agents: [w], routing: {{kind: branch, branch_field: v, branches: {{q: {first}}}, next: a}}}}\n{}",
            fork("fork_targets: [x, y]", "join, join_config: {strategy: all_verified}")
                .strip_prefix("key: f\nsteps:\n")
                .expect("its steps")
        )
    };
    let places = |text: &str| -> Vec<Option<usize>> {
        let document = Document::parse("f.yaml", text);
        let found = document.diagnostics().iter().filter(|one| one.code == "GH0010");
        found.map(|one| one.place.step).collect()
    };
    let known = |n: usize| Place::step(n).step;
    assert_eq!(places(&text("x", "")), [known(0)]);
    assert_eq!(places(&text("j", "")), [known(0)]);
    assert_eq!(places(&text("a", "")), []);
    for (back, found) in [("x", 1), ("j", 1), ("resume", 0), ("advance", 0), ("s", 0)] {
        let detours = format!("detours: [{{after: a, station: q, condition: 'x == 1', return: {back}}}]\n");
        assert_eq!(places(&text("a", &detours)).len(), found, "{back}");
    }
}

#[test]
fn a_transition_behind_a_box_is_no_prose_and_words_behind_a_language_are_named() {
    let runbook = |item: &str, info: &str| {
        format!("# R\n\n## 1 One\n\n```{info}\ntrue\n```\n\n{item}\n\n## 2 Two\n\nDo it.\n\n## 3 Three\n\nDo it.\n")
    };
    let codes = |text: &str| -> Vec<String> {
        let found = Document::parse("r.runbook.md", text);
        found
            .diagnostics()
            .iter()
            .map(|one| format!("{} {:?}", one.code, one.severity))
            .collect()
    };
    for mark in ["[ ]", "[x]"] {
        let text = runbook(&format!("- {mark} PASS: GOTO 3"), "bash");
        assert_eq!(codes(&text), ["GH0214 Error"], "{mark}");
        let after = mended("r.runbook.md", &text, "GH0214");
        assert!(after.contains("\n- PASS: GOTO 3\n"), "{after}");
        // Nothing leads to the second step any more.
        assert_eq!(codes(&after), ["GH0219 Warning"]);
    }
    assert!(!codes(&runbook("- [ ] Look around", "bash")).contains(&"GH0214 Error".to_owned()));
    for info in ["bash {timeout=3}", "bash retries=3"] {
        assert_eq!(codes(&runbook("- PASS: CONTINUE", info)), ["GH0502 Warning"], "{info}");
    }
    for info in ["bash", "bash terminal", "json {a=1}"] {
        assert_eq!(codes(&runbook("- PASS: CONTINUE", info)), [""; 0], "{info}");
    }
}

/// A way under `null` looks as if it were taken when null is reported.
#[test]
fn a_way_that_no_value_takes_is_named() {
    let flow = |key: &str| {
        format!(
            "key: f\ntitle: F\nsteps:\n  - {{id: a, agents: [x], role: R, routing: {{kind: branch, branch_field: v, branches: {{{key}: b, ok: c}}, next: c}}}}\n  \
             - {{id: b, agents: [x], role: R, routing: {{kind: terminal}}}}\n  - {{id: c, agents: [x], role: R, routing: {{kind: terminal}}}}\n"
        )
    };
    assert_eq!(warned("f.yaml", &flow("null")), ["GH0502 null"]);
    for value in ["'null'", "none", "1", "true"] {
        assert_eq!(warned("f.yaml", &flow(value)), [""; 0], "{value}");
    }
}
