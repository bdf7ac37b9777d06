//! What a run would pass over keeps it from starting, in every format: a gate, an order, a list of steps where nothing reads it; groups
//! and entries without an agent; a text where a block alone is read. What is no more than words does not.

use dialect::Document;
use model::{Diagnostic, Severity};

/// What a file is refused for: `GH0501 name`, the name of the field at its place.
fn refused(path: &str, text: &str) -> Vec<String> {
    of(path, text, Severity::Error)
}

fn of(path: &str, text: &str, severity: Severity) -> Vec<String> {
    let document = Document::parse(path, text);
    assert_eq!(document.not_a_workflow(), None, "{text}");
    let found = document.diagnostics().iter().filter(|one| one.severity == severity);
    let name = |one: &Diagnostic| one.place.path.last().cloned().unwrap_or_default();
    found.map(|one| format!("{} {}", one.code, name(one))).collect()
}

fn sequence(entries: &str) -> String {
    format!("workflow: {{id: k}}\nsequence:\n  - {{agent: w, task: first}}\n{entries}")
}

fn groups(group: &str) -> String {
    format!(
        "workflow: {{id: k}}\nparallel_groups:\n  - {{group_id: a, agents: [{{agent: w, task: first}}]}}\n  - {{{group}}}\n"
    )
}

#[test]
fn a_group_without_steps_that_are_read_is_refused() {
    let inner = "[{agent: w, task: t, human_gate: required}]";
    for (group, expected) in [
        ("group_id: b".to_owned(), vec!["GH0702 1"]),
        ("group_id: b, agents: []".to_owned(), vec!["GH0702 1"]),
        ("group_id: b, agents: ~".to_owned(), vec!["GH0702 1"]),
        ("group_id: b, agents: {agent: w, task: t}".to_owned(), vec!["GH0702 1"]),
        (format!("group_id: b, steps: {inner}"), vec!["GH0702 1", "GH0501 steps"]),
        (
            format!("group_id: b, sequence: {inner}"),
            vec!["GH0702 1", "GH0501 sequence"],
        ),
        (
            format!("group_id: b, agents: [{{agent: w}}], parallel_groups: [{{group_id: c, agents: {inner}}}]"),
            vec!["GH0501 parallel_groups"],
        ),
        ("group_id: a, agents: [{agent: w}]".to_owned(), vec!["GH0702 group_id"]),
        ("group_id: b, agents: [{agent: w}]".to_owned(), vec![]),
    ] {
        assert_eq!(refused("w.yaml", &groups(&group)), expected, "{group}");
    }
}

#[test]
fn an_entry_without_an_agent_is_words_only_where_it_asks_for_nothing() {
    for more in [
        "human_gate: required",
        "gate_asks: [ada]",
        "condition: x",
        "decision: {if: x}",
        "person: ada",
        "depends_on: [first]",
        "creates: a.md",
        "guidance: {agent: w}",
    ] {
        let text = sequence(&format!("  - {{action: look, {more}}}\n  - {{agent: v}}\n"));
        assert_eq!(refused("w.yaml", &text), ["GH0702 1"], "{more}");
    }
    for more in [
        "parallel: [{agent: x}]",
        "approval: required",
        "human_gat: required",
        "guidance: {action: guide, human_gate: required}",
    ] {
        let text = sequence(&format!("  - {{action: look, {more}}}\n  - {{agent: v}}\n"));
        let said = refused("w.yaml", &text);
        assert!(said.contains(&"GH0702 1".to_owned()), "{more}: {said:?}");
    }
    for more in [
        "notes: Look around.",
        "human_gate: none",
        "guidance: {action: guide, condition: there are pages}",
    ] {
        let text = sequence(&format!("  - {{action: look, {more}}}\n  - {{agent: v}}\n"));
        assert_eq!(refused("w.yaml", &text), Vec::<String>::new(), "{more}");
        assert_eq!(of("w.yaml", &text, Severity::Note), ["GH0702 1"], "{more}");
    }
}

#[test]
fn the_end_of_a_workflow_is_its_end_and_nothing_else() {
    for end in [
        "  - workflow_end: {action: complete}\n  - {agent: v}\n",
        "  - workflow_end: {action: complete, condition: x}\n",
        "  - workflow_end: {action: complete, human_gate: required}\n",
        "  - {workflow_end: {action: complete}, human_gate: required}\n",
        "  - workflow_end: {action: ask_the_board}\n",
    ] {
        assert_eq!(refused("w.yaml", &sequence(end)), ["GH0702 workflow_end"], "{end}");
    }
    for end in [
        "  - workflow_end: {action: complete, notes: Done.}\n",
        "  - workflow_end: {action: project_complete}\n",
        "  - workflow_end: ~\n",
    ] {
        assert_eq!(refused("w.yaml", &sequence(end)), Vec::<String>::new(), "{end}");
    }
}

const FLOW: &str = "id: f\nsteps:\n  - {id: a, role: r, agents: [w], routing: {kind: terminal}}\n";
const GRAPH: &str = "id: g\nnodes: [{node_id: a, agents: [w]}, {node_id: b, agents: [w]}]\nedges: [{from: a, to: b}]\n";
const LIST: &str = "title: t\nflows: [{key: a}, {key: b}]\n";
const PIPELINE: &str = "name: p\nstages:\n  - {name: a, agents: [w]}\n";
const STEPSPEC: &str = "format: stepspec\nworkflow: k\nsteps:\n  - {id: a, name: A, agent: w}\n";
const SEQUENCE: &str = "workflow: {id: k}\nsequence:\n  - {agent: w, task: t}\n";
const FRONT: &str = "---\nname: k\n";
const BODY: &str = "---\n\n# T\n\n## 1 One\n\nDo it.\n";

#[test]
fn a_second_list_of_steps_is_refused() {
    let step = "[{id: q, role: r, agents: [w], human_gate: required}]";
    let all: [(&str, &str, &[&str]); 6] = [
        (
            "f.yaml",
            FLOW,
            &[
                "nodes",
                "edges",
                "sequence",
                "stages",
                "flows",
                "parallel_groups",
                "finally",
                "on_reject",
            ],
        ),
        ("g.yaml", GRAPH, &["sequence", "stages", "parallel_groups", "finally"]),
        ("l.yaml", LIST, &["sequence", "detours", "on_complete", "on_failure"]),
        ("p.yaml", PIPELINE, &["sequence", "parallel_groups"]),
        ("s.yaml", STEPSPEC, &["step_specs", "stages", "sequence"]),
        ("w.yaml", SEQUENCE, &["steps", "stages", "flows", "detours"]),
    ];
    for (path, text, names) in all {
        assert_eq!(refused(path, text), Vec::<String>::new(), "{path}");
        for name in names {
            let more = format!("{text}{name}: {step}\n");
            assert_eq!(refused(path, &more), [format!("GH0501 {name}")], "{path} {name}");
            // Nothing is listed.
            let none = format!("{text}{name}: []\n");
            assert_eq!(refused(path, &none), Vec::<String>::new(), "{path} {name}");
        }
    }
    // Beside `steps` it is the other list that is not read.
    let graph = format!("{GRAPH}steps: {step}\n");
    assert_eq!(refused("g.yaml", &graph), ["GH0501 nodes", "GH0501 edges"]);
    let pipeline = format!("pipeline_id: PIPE-20260101-p-000000\n{PIPELINE}steps: {step}\n");
    let said = refused("PIPE-20260101-p-000000.yaml", &pipeline);
    assert!(said.len() == 1 && said[0].starts_with("GH0501"), "{said:?}");
    let list = format!("{LIST}steps: {step}\n");
    assert_eq!(refused("l.yaml", &list), ["GH0501 flows"]);
}

#[test]
fn steps_inside_of_a_step_are_refused() {
    let inner = "[{id: q, agents: [w], human_gate: required}]";
    for (path, text, names) in [
        ("f.yaml", FLOW, ["steps", "sequence"]),
        ("g.yaml", GRAPH, ["nodes", "steps"]),
        ("l.yaml", LIST, ["steps", "stages"]),
        ("p.yaml", PIPELINE, ["steps", "stages"]),
        ("s.yaml", STEPSPEC, ["steps", "substeps"]),
        ("w.yaml", SEQUENCE, ["steps", "sequence"]),
    ] {
        for name in names {
            assert_eq!(
                refused(path, &into(text, &format!("{name}: {inner}"))),
                [format!("GH0501 {name}")],
                "{path} {name}"
            );
            // Words are for the agent.
            let words = into(text, &format!("{name}: [look, write]"));
            assert_eq!(refused(path, &words), Vec::<String>::new(), "{path} {name}");
        }
    }
}

/// The file with a field in its last step or node, or listed flow.
fn into(text: &str, field: &str) -> String {
    let list = ["steps:", "nodes:", "flows:", "stages:", "sequence:"];
    let start = list.into_iter().find_map(|name| text.find(name)).expect("a list");
    let line = if text[start..].starts_with("nodes") {
        "}]\nedges"
    } else {
        "}"
    };
    let rest = text[start..].find('\n').expect("a line");
    let at = match text[start..start + rest].contains('{') {
        true if line == "}" => start + text[start..start + rest].rfind(line).expect("its end"),
        true => start + text[start..].find(line).expect("its end"),
        false => text.trim_end().rfind('}').expect("its end"),
    };
    format!("{}, {field}{}", &text[..at], &text[at..])
}

#[test]
fn words_of_control_are_refused_in_steps_of_every_format() {
    let words = [
        "review: required",
        "reviewers: [ada]",
        "confirm: true",
        "sign_off: ada",
        "approve: true",
        "gate_human: required",
        "manual: true",
        "hold: true",
        "pause: true",
        "wait: 5m",
        "min_approvals: 2",
        "gate_timeout: 1h",
        "gate_on_timeout: reject",
        "requires_review: true",
        "until: x",
        "loop: {to: a}",
        "repeat: 3",
        "for_each: files",
        "matrix: {a: [1]}",
        "goto: a",
        "needs: [a]",
        "wait_for: [a]",
        "after: a",
        "only_if: x",
        "run_when: x",
        "else: a",
        "otherwise: a",
        "active: false",
        "guard: x",
        "bidirectional: true",
        "escalate_to: boss",
        "fallback: {agent: x}",
        "fallback_agent: x",
        "on_error: a",
        "on_failure: a",
        "on_success: a",
        "skip_on_failure: true",
        "allow_failure: true",
        "continue_on_error: true",
        "retry: 3",
        "quality_gates: [x]",
        "quality_standards: {minimum_test_coverage: 90}",
        "context: {quality_standards: {minimum_test_coverage: 90}}",
        "pause_for_human: true",
        "human_in_the_loop: true",
        "hitlRequired: required",
        "human_signoff: always",
        "four_eyes: true",
        "authorization: required",
        "approval_type: required",
        "block_until: approved",
        "breakpoint: true",
        "interrupt_before: true",
        "times: 2",
        "with_items: [1, 2]",
        "catch: {step: a}",
        "rollback: {step: a}",
        "permissions: {run: {deny: [rm]}}",
    ];
    let others = ["optional: true", "requires: [a]", "execution: {skip_on_failure: true}"];
    for (path, text) in [
        ("f.yaml", FLOW),
        ("g.yaml", GRAPH),
        ("l.yaml", LIST),
        ("p.yaml", PIPELINE),
        ("s.yaml", STEPSPEC),
        ("w.yaml", SEQUENCE),
    ] {
        // An agent workflow reads these.
        let own = if path == "w.yaml" { &[][..] } else { &others };
        for word in words.iter().chain(own) {
            let (name, _) = word.split_once(':').expect("a field");
            let said = refused(path, &into(text, word));
            assert_eq!(said, [format!("GH0501 {name}")], "{path} {word}");
        }
    }
    for word in [
        "guard: x",
        "active: false",
        "bidirectional: true",
        "requires_review: true",
        "until: x",
    ] {
        let (name, _) = word.split_once(':').expect("a field");
        let text = GRAPH.replace("to: b", &format!("to: b, {word}"));
        assert_eq!(refused("g.yaml", &text), [format!("GH0501 {name}")], "{word}");
    }
    for (word, name) in [
        ("entry_node: b", "entry_node"),
        ("start_node: b", "start_node"),
        ("exit: a", "exit"),
    ] {
        assert_eq!(
            refused("g.yaml", &format!("{GRAPH}{word}\n")),
            [format!("GH0501 {name}")]
        );
    }
    let params = GRAPH.replace("node_id: b", "node_id: b, params: {human_gate: required, goto: Berlin}");
    assert_eq!(refused("g.yaml", &params), ["GH0501 human_gate"]);
    let joined = GRAPH.replace(
        "to: b}",
        "to: b, condition: {field: x, operator: exists, and: {field: y, operator: exists}}}",
    );
    assert_eq!(refused("g.yaml", &joined), ["GH0501 and"]);
}

/// What plainly says that a person decides is no name of the author's own, whatever it is called: by its words, and by a value that switches it
/// on, names somebody or is a block.
#[test]
fn a_name_that_says_that_a_person_decides_does_not_start() {
    let words = [
        "wait_for_approval: true",
        "requires_user_approval: true",
        "approval_gate: required",
        "must_approve: true",
        "must_approve: [ada, bert]",
        "must_approve: 2",
        "who_approves: Ada Lund",
        "who_approves: ada@example.org",
        "review_gate: required",
        "release_gate: {approvers: [ada]}",
        "releaseGate: ada",
        "gate_required: true",
        "user_confirmation: required",
        "confirm_before: yes",
        "manual_step: true",
        "hitl_enabled: true",
        "approval_before_deploy: true",
        "confirm_before_delete: true",
        "human_gate_after: true",
        "dual_control: true",
        "review_by: ada",
        "pause_after: true",
    ];
    let quiet = [
        "review_gate: none",
        "gate_required: false",
        "must_approve: 0",
        "must_approve: 'no'",
        "who_approves: ~",
        "manual_step: off",
        "approval_received: true",
        "after_approval: true",
        "bypass_gate: true",
        "human_written: true",
        "order_confirmation: true",
        "logic_gate: nand",
        "release_gate: passed",
        "release_gate: see docs/release.md",
        "review_by: 2026-12-01",
        "gate_description: The board looks at it",
        "gate_criteria: [it is good]",
        "approval_email: sent",
        "confirmation_email: required",
        "feature_gate: true",
        "user_manual: required",
        "x-review_gate: required",
        "_manual_step: true",
    ];
    for (path, text) in [
        ("f.yaml", FLOW),
        ("g.yaml", GRAPH),
        ("l.yaml", LIST),
        ("p.yaml", PIPELINE),
        ("s.yaml", STEPSPEC),
        ("w.yaml", SEQUENCE),
    ] {
        for word in words {
            let (name, _) = word.split_once(':').expect("a field");
            assert_eq!(
                refused(path, &into(text, word)),
                [format!("GH0501 {name}")],
                "{path} {word}"
            );
        }
        for word in quiet {
            assert_eq!(refused(path, &into(text, word)), Vec::<String>::new(), "{path} {word}");
        }
    }
    // Of the whole file as well; who has done so by what stands there has looked at the file.
    for (word, names) in [
        ("requires_user_approval: true", vec!["GH0501 requires_user_approval"]),
        ("release_gate: {approvers: [ada]}", vec!["GH0501 release_gate"]),
        ("type: approval", vec![]),
        ("release_approver: ada", vec!["GH0501 release_approver"]),
        ("release_approved_by: ada", vec![]),
        ("approval_granted: true", vec![]),
    ] {
        for (path, text) in [("f.yaml", FLOW), ("p.yaml", PIPELINE), ("s.yaml", STEPSPEC)] {
            assert_eq!(refused(path, &format!("{text}{word}\n")), names, "{path} {word}");
        }
    }
    let routing = FLOW.replace("kind: terminal", "kind: terminal, requires_user_approval: true");
    assert_eq!(refused("f.yaml", &routing), ["GH0501 requires_user_approval"]);
}

/// Two words about one gate say the same, or the workflow does not start.
#[test]
fn a_gate_beside_another_word_for_it_has_to_say_the_same() {
    for (path, text) in [
        ("f.yaml", FLOW),
        ("p.yaml", PIPELINE),
        ("s.yaml", STEPSPEC),
        ("w.yaml", SEQUENCE),
    ] {
        for (gate, word, is_refused) in [
            ("optional", "wait_for_approval: true", true),
            ("optional", "requires_user_approval: true", true),
            ("conditional", "approval_gate: required", true),
            ("recommended", "approval_gate: optional", true),
            ("none", "human_in_the_loop: true", true),
            ("none", "type: approval", true),
            ("required", "who_approves: ada", true),
            ("required", "release_gate: {approvers: [ada]}", true),
            ("required, gate_asks: [ada]", "who_approves: ada", false),
            ("required", "wait_for_approval: true", false),
            ("required", "approval_gate: optional", false),
            ("optional", "approval_gate: optional", false),
            ("optional", "type: approval", false),
            ("optional", "approval_gate: none", false),
        ] {
            let (name, _) = word.split_once(':').expect("a field");
            let names = [format!("GH0501 {name}")];
            let text = into(text, &format!("human_gate: {gate}, {word}"));
            let expected = if is_refused { &names[..] } else { &[] };
            assert_eq!(refused(path, &text), expected, "{path} {gate} {word}");
        }
    }
}

/// Where an agent works, a script beside it is not run.
#[test]
fn a_script_beside_an_agent_of_an_agent_workflow_does_not_start() {
    assert_eq!(refused("w.yaml", &into(SEQUENCE, "run: make")), ["GH0501 run"]);
    assert_eq!(refused("w.yaml", &into(SEQUENCE, "run: ''")), Vec::<String>::new());
}

/// That one step of a group may fail is read in its `synchronization`; right on the group it is named.
#[test]
fn what_may_fail_in_a_group_is_said_in_its_synchronization() {
    let group = |more: &str| groups(&format!("group_id: b, {more}, agents: [{{agent: w}}]"));
    let word = "partial_completion: allow_with_one_success";
    let warned = |text: &str| of("w.yaml", text, Severity::Warning);
    assert_eq!(warned(&group(word)), ["GH0502 partial_completion"]);
    assert_eq!(warned(&group(&format!("synchronization: {{{word}}}"))), [""; 0]);
}

#[test]
fn what_asks_for_nothing_starts() {
    for (path, text) in [
        ("f.yaml", FLOW),
        ("g.yaml", GRAPH),
        ("l.yaml", LIST),
        ("p.yaml", PIPELINE),
        ("s.yaml", STEPSPEC),
        ("w.yaml", SEQUENCE),
    ] {
        for word in [
            "review: none",
            "confirm: false",
            "retry: 0",
            "active: true",
            "on_failure: stop",
            "on_success: continue",
            "on_error: ~",
            "needs: []",
            "station_notes: quiet",
            "reviewing: required",
            "owner: ada",
        ] {
            assert_eq!(refused(path, &into(text, word)), Vec::<String>::new(), "{path} {word}");
        }
        // Notes are named, and no more.
        let notes = into(text, "review: see docs/handbook.md");
        assert_eq!(refused(path, &notes), Vec::<String>::new(), "{path}");
        assert_eq!(
            of(path, &notes, Severity::Warning)
                .into_iter()
                .filter(|said| said == "GH0502 review")
                .count(),
            1,
            "{path}"
        );
    }
    // Of the whole file these are the author's own, and so is what others take over.
    let own = format!("{FLOW}review: 2026-03-01\nend: 2027-01-01\nneeds: a quiet room\n");
    assert_eq!(refused("f.yaml", &own), Vec::<String>::new());
    let shared = format!("retry: &again {{max: 2}}\n{}", into(FLOW, "retries: *again"));
    assert_eq!(refused("f.yaml", &shared), Vec::<String>::new());
}

#[test]
fn a_misspelt_gate_is_refused_where_no_gate_is_known() {
    for name in ["human_gat", "humanGate", "human-gates", "approval_requird"] {
        let list = into(LIST, &format!("{name}: required"));
        assert_eq!(refused("l.yaml", &list), [format!("GH0501 {name}")]);
        let edge = GRAPH.replace("to: b", &format!("to: b, {name}: required"));
        assert_eq!(refused("g.yaml", &edge), [format!("GH0501 {name}")]);
        let group = groups(&format!("group_id: b, agents: [{{agent: w}}], {name}: required"));
        assert_eq!(refused("w.yaml", &group), [format!("GH0501 {name}")]);
    }
}

#[test]
fn a_text_where_a_block_alone_is_read_is_a_wrong_type() {
    let group = |more: &str| groups(&format!("group_id: b, {more}, agents: [{{agent: w}}]"));
    for (path, text, name) in [
        ("w.yaml", group("synchronization: barrier"), "synchronization"),
        ("w.yaml", group("synchronization: [barrier]"), "synchronization"),
        ("w.yaml", into(SEQUENCE, "execution: retry 3"), "execution"),
        (
            "w.yaml",
            format!("{SEQUENCE}execution_strategy: sequential\n"),
            "execution_strategy",
        ),
        (
            "w.yaml",
            format!("{SEQUENCE}execution_strategy: {{parallel_execution: false}}\n"),
            "parallel_execution",
        ),
        (
            "w.yaml",
            format!("{SEQUENCE}execution_strategy: {{parallel_execution: {{enabled: 'no'}}}}\n"),
            "enabled",
        ),
        (
            "w.yaml",
            format!("{SEQUENCE}execution_strategy: {{error_recovery: 3}}\n"),
            "error_recovery",
        ),
        ("w.yaml", format!("{SEQUENCE}context: [1, 2]\n"), "context"),
        ("f.yaml", format!("{FLOW}context: [1, 2]\n"), "context"),
        ("w.yaml", into(SEQUENCE, "condition: ''"), "condition"),
        ("w.yaml", into(SEQUENCE, "condition: ~"), "condition"),
        ("f.yaml", format!("{FLOW}policy: ask somebody\n"), "policy"),
        (
            "f.yaml",
            format!("{FLOW}policy: {{escalation: on_blocked}}\n"),
            "escalation",
        ),
        (
            "g.yaml",
            format!("{GRAPH}policy: {{escalation: on_blocked}}\n"),
            "escalation",
        ),
    ] {
        assert_eq!(refused(path, &text), [format!("GH0104 {name}")], "{text}");
    }
    for text in [
        group("synchronization: ~"),
        format!("{SEQUENCE}context: words for people\n"),
        format!("{SEQUENCE}execution_strategy: {{parallel_execution: {{enabled: ~}}}}\n"),
    ] {
        assert_eq!(refused("w.yaml", &text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn front_matter_that_asks_for_control_is_refused() {
    for (more, expected) in [
        ("steps: [{id: x, human_gate: required}]", "GH0501 steps"),
        ("gates: [1]", "GH0501 gates"),
        ("hitl: required", "GH0501 hitl"),
        ("policy: {approve: true}", "GH0501 policy"),
        ("next: other.runbook.md", "GH0501 next"),
        ("on_failure: x", "GH0501 on_failure"),
        ("gate: required", "GH0501 gate"),
        ("approval: required", "GH0501 approval"),
        ("approval: ada", "GH0501 approval"),
        ("enabled: false", "GH0501 enabled"),
        ("skip: true", "GH0501 skip"),
        ("when: never", "GH0501 when"),
        ("on_reject: '1'", "GH0501 on_reject"),
        ("defaults: {human_gate: required}", "GH0501 human_gate"),
        ("agents: {'1': {name: ada, gate: required}}", "GH0104 1"),
        ("agents: {'1': ''}", "GH0104 1"),
        ("agents: {'1': ' '}", "GH0104 1"),
        ("agents: {'1': null}", "GH0104 1"),
        ("agents: {'1': []}", "GH0104 1"),
        ("agents: ada", "GH0104 agents"),
        ("agents: [ada]", "GH0104 agents"),
    ] {
        assert_eq!(
            refused("k.runbook.md", &format!("{FRONT}{more}\n{BODY}")),
            [expected],
            "{more}"
        );
    }
    for more in [
        "policy: HR-7",
        "next: ask again in the spring",
        "on_failure: stop",
        "gates: none",
        "review: 2026-03-01",
        "approval: pending",
        "when: 2026-03-01",
        "enabled: true",
        "defaults: {human_gate: none, tone: kind}",
        "agents: {'1': [ada, ben]}",
        "agents: ~",
        "agents: {}",
        "agents: []",
        "agents: none",
    ] {
        let said = refused("k.runbook.md", &format!("{FRONT}{more}\n{BODY}"));
        assert_eq!(said, Vec::<String>::new(), "{more}");
    }
}

#[test]
fn a_second_document_with_steps_is_refused() {
    for second in [
        "id: g\nsteps:\n  - {id: b, agents: [w]}\n",
        "{id: g, steps: [{id: b, agents: [w]}]}\n",
        "\"human_gate\": required\n",
    ] {
        let text = format!("{FLOW}---\n{second}");
        let said = refused("f.yaml", &text);
        assert!(said.len() == 1 && said[0].starts_with("GH0102"), "{second}: {said:?}");
    }
    for second in ["notes: the steps are above\n", "# steps: none\nowner: ada\n"] {
        let text = format!("{FLOW}---\n{second}");
        assert_eq!(refused("f.yaml", &text), Vec::<String>::new(), "{second}");
        assert_eq!(of("f.yaml", &text, Severity::Warning).len(), 1, "{second}");
    }
}

fn in_routing(routing: &str) -> String {
    format!(
        "key: k\ntitle: T\nsteps:\n  - {{id: a, agents: [w], role: r, routing: {{{routing}}}}}\n  - {{id: b, agents: [w], role: r}}\n"
    )
}

#[test]
fn what_another_kind_of_routing_reads_is_named_and_where_it_leads_somewhere_refused() {
    for (routing, refusals, remarks) in [
        (
            "kind: linear, next: b, max_iterations: 3, loop_condition_field: x, loop_success_values: [y]",
            vec![],
            vec!["GH0502 max_iterations"],
        ),
        (
            "kind: branch, branches: {x: b}, next: b, max_iterations: 3",
            vec![],
            vec!["GH0502 max_iterations"],
        ),
        ("kind: linear, branch_field: x", vec![], vec!["GH0502 branch_field"]),
        (
            "kind: linear, batch_size: 2, isolation: shared",
            vec![],
            vec!["GH0502 batch_size"],
        ),
        (
            "kind: linear, quorum: 2, timeout_seconds: 5",
            vec![],
            vec!["GH0502 quorum"],
        ),
        ("kind: linear, default: b", vec!["GH0501 default"], vec![]),
        (
            "kind: microloop, loop_target: a, default: b",
            vec!["GH0501 default"],
            vec![],
        ),
        (
            "kind: branch, when: [{condition: 'x > 1', next: b}], branches: {x: b}, branch_field: x, default: b",
            vec!["GH0501 branches"],
            vec!["GH0502 branch_field"],
        ),
        (
            "kind: branch, when: [{condition: 'x > 1', next: b}], default: b",
            vec![],
            vec![],
        ),
        (
            "kind: branch, branch_field: x, branches: {x: a}, default: b",
            vec![],
            vec![],
        ),
        (
            "kind: microloop, loop_target: a, max_iterations: 3, loop_condition_field: x",
            vec![],
            vec![],
        ),
    ] {
        let text = in_routing(routing);
        let found = refused("k.yaml", &text);
        assert_eq!(found, refusals, "{routing}");
        let of_fields = of("k.yaml", &text, Severity::Warning).into_iter();
        let of_fields: Vec<String> = of_fields.filter(|said| said.starts_with("GH0502")).collect();
        assert_eq!(of_fields, remarks, "{routing}");
    }
}

#[test]
fn a_group_that_would_be_left_before_all_have_ended_says_that_it_is_not() {
    for (said, remarks) in [
        (
            "synchronization: {type: barrier, mode: any, minimum: 1}",
            vec!["GH0502 mode"],
        ),
        ("synchronization: {quorum: 2}", vec!["GH0502 quorum"]),
        ("synchronization: {type: barrier}", vec![]),
    ] {
        let text = groups(&format!("group_id: b, {said}, agents: [{{agent: w}}]"));
        assert_eq!(refused("w.yaml", &text), Vec::<String>::new(), "{said}");
        assert_eq!(of("w.yaml", &text, Severity::Warning), remarks, "{said}");
    }
}

#[test]
fn a_group_bounds_the_work_of_its_steps_wherever_it_says_so() {
    for (said, limit) in [
        ("timeout: 2m", 120_000),
        ("timeout: 2m, synchronization: {timeout: 90s}", 90_000),
        ("timeout: 60s, synchronization: {timeout: 90s}", 60_000),
    ] {
        let text = groups(&format!("group_id: b, {said}, agents: [{{agent: w}}]"));
        let document = Document::parse("w.yaml", &text);
        assert_eq!(document.diagnostics(), [], "{said}");
        assert_eq!(document.workflow().steps()[1].timeout_ms, Some(limit), "{said}");
    }
}

/// A condition that says no never holds: what it stands on would be done all the same.
#[test]
fn a_condition_that_says_no_is_one() {
    let all = [
        ("f.yaml", FLOW),
        ("g.yaml", GRAPH),
        ("p.yaml", PIPELINE),
        ("s.yaml", STEPSPEC),
    ];
    for (path, text) in all {
        for name in ["condition", "when", "if", "only_if", "run_when"] {
            for word in ["false", "never", "\"no\"", "none", "off", "\"x == 1\""] {
                let said = refused(path, &into(text, &format!("{name}: {word}")));
                assert_eq!(said, [format!("GH0501 {name}")], "{path} {name}: {word}");
            }
            for word in ["~", "''", "true", "[]", "\"True\""] {
                let said = refused(path, &into(text, &format!("{name}: {word}")));
                assert_eq!(said, Vec::<String>::new(), "{path} {name}: {word}");
            }
        }
        for word in [
            "unless: false",
            "skip_if: never",
            "enabled: 1",
            "skip: 0",
            "disabled: 0",
            "active: yes",
        ] {
            assert_eq!(refused(path, &into(text, word)), Vec::<String>::new(), "{path} {word}");
        }
        for word in ["enabled: 0", "active: 0", "enabled: off", "skip: 1", "unless: x"] {
            let (name, _) = word.split_once(':').expect("a field");
            assert_eq!(
                refused(path, &into(text, word)),
                [format!("GH0501 {name}")],
                "{path} {word}"
            );
        }
        // Misspelt it is one, too.
        if path == "s.yaml" {
            assert_eq!(refused(path, &into(text, "conditon: false")), ["GH0503 conditon"]);
        }
    }
    let call = |more: &str| into(STEPSPEC, &format!("tools: [{{name: getCurrentTime, {more}}}]"));
    assert_eq!(refused("s.yaml", &call("when: false")), ["GH0501 when"]);
    assert_eq!(refused("s.yaml", &call("if: never")), ["GH0501 if"]);
    assert_eq!(refused("s.yaml", &call("when: true")), Vec::<String>::new());
    let routing = "key: k\nsteps:\n  - {id: a, role: r, agents: [w], routing: {kind: linear, next: b, condition: false}}\n  - {id: b, role: r, agents: [w]}\n";
    assert_eq!(refused("f.yaml", routing), ["GH0501 condition"]);
    for (end, expected) in [
        ("on_failure: {next_flow: g, condition: false}", vec!["GH0501 condition"]),
        ("on_failure: {next_flow: g, condition: true}", vec![]),
        ("on_complete: {condition: false}", vec!["GH0505 condition"]),
        ("on_complete: {next_flow: ''}", vec!["GH0505 next_flow"]),
        ("on_failure: {next_flow: ' '}", vec!["GH0505 next_flow"]),
        ("on_complete: {next_flow: null}", vec![]),
        ("on_complete: {next_flow: g, condition: false}", vec![]),
        ("defaults: {condition: false}", vec!["GH0501 condition"]),
        ("defaults: {enabled: false}", vec!["GH0501 enabled"]),
    ] {
        assert_eq!(refused("f.yaml", &format!("{FLOW}{end}\n")), expected, "{end}");
    }
    let subflow = format!("{GRAPH}subflows: [{{id: z, contained_nodes: [a], condition: false}}]\n");
    assert_eq!(refused("g.yaml", &subflow), ["GH0501 condition"]);
    let entry = sequence("  - {action: look, condition: never}\n  - {agent: v}\n");
    assert_eq!(refused("w.yaml", &entry), ["GH0702 1"]);
    // An agent workflow leaves the step out.
    assert_eq!(
        refused("w.yaml", &into(SEQUENCE, "condition: false")),
        Vec::<String>::new()
    );
}

#[test]
fn near_words_are_said_like_those_that_they_stand_for() {
    let steps = [
        ("f.yaml", FLOW),
        ("g.yaml", GRAPH),
        ("p.yaml", PIPELINE),
        ("s.yaml", STEPSPEC),
    ];
    for (path, text) in steps {
        for word in [
            "depends: [q]",
            "ignore_failure: true",
            "soft_fail: true",
            "fail_ok: true",
            "precondition: \"x == 1\"",
            "dependencies: [a]",
            "upstream: a",
            "await: human",
            "human: true",
            "attempts: 3",
            "max_retries: 3",
            "retries: {max_attempts: 3}",
        ] {
            let (name, inner) = word.split_once(':').expect("a field");
            let name = if inner.contains("max_attempts") {
                "max_attempts"
            } else {
                name
            };
            let said = refused(path, &into(text, word));
            assert_eq!(said, [format!("GH0501 {name}")], "{path} {word}");
        }
        for word in [
            "timeout: 1",
            "deadline: 2026-03-01",
            "time_limit: 5",
            "retry_delay_seconds: 1",
            "retries: {max: 1, backoff: 5}",
            "retries: {max: 1, strategy: exponential}",
            "retries: {max: 1, max_retries: 4}",
            "precondition: the plan has been read and agreed on",
        ] {
            let (name, inner) = word.split_once(':').expect("a field");
            let inside = ["backoff", "strategy", "max_retries"]
                .into_iter()
                .find(|word| inner.contains(word));
            let text = into(text, word);
            assert_eq!(refused(path, &text), Vec::<String>::new(), "{path} {word}");
            let said = of(path, &text, Severity::Warning);
            assert!(
                said.contains(&format!("GH0502 {}", inside.unwrap_or(name))),
                "{path} {word}: {said:?}"
            );
        }
        // What a project is made with, and words for people.
        for word in [
            "dependencies: [serde, tokio]",
            "upstream: the sales team",
            "human: ada looks at it afterwards, perhaps",
        ] {
            let (name, _) = word.split_once(':').expect("a field");
            let text = into(text, word);
            assert_eq!(refused(path, &text), Vec::<String>::new(), "{path} {word}");
            let said = of(path, &text, Severity::Warning);
            assert!(said.contains(&format!("GH0502 {name}")), "{path} {word}: {said:?}");
        }
    }
    for (more, refusals, remarks) in [
        ("fail_fast: true", vec![], vec!["GH0502 fail_fast"]),
        ("fail_fast: false", vec!["GH0501 fail_fast"], vec![]),
        (
            "error_handling: skip_dependents\nfail_fast: true",
            vec!["GH0501 fail_fast"],
            vec![],
        ),
        (
            "error_handling: skip_dependents\nhalt_on_failure: false",
            vec![],
            vec!["GH0502 halt_on_failure"],
        ),
        ("halt_on_failure: true", vec![], vec!["GH0502 halt_on_failure"]),
        ("max_parallel: 3", vec![], vec!["GH0502 max_parallel"]),
        ("concurrency: 2", vec![], vec!["GH0502 concurrency"]),
        ("timeout: 5", vec![], vec!["GH0502 timeout"]),
        ("retries: 2", vec![], vec!["GH0502 retries"]),
        (
            "error_handling: retry\nretry_delay_seconds: 1e12",
            vec!["GH0104 retry_delay_seconds"],
            vec![],
        ),
    ] {
        let text = format!("{PIPELINE}{more}\n");
        assert_eq!(refused("p.yaml", &text), refusals, "{more}");
        assert_eq!(of("p.yaml", &text, Severity::Warning), remarks, "{more}");
    }
    let top = format!("{STEPSPEC}timeout_seconds: 5\n");
    assert!(of("s.yaml", &top, Severity::Warning).contains(&"GH0502 timeout_seconds".to_owned()));
    let call = into(
        STEPSPEC,
        "tools: [{name: getCurrentTime, args: {}, timeout_seconds: 3}]",
    );
    assert!(of("s.yaml", &call, Severity::Warning).contains(&"GH0502 timeout_seconds".to_owned()));
}

/// The codes of a runbook, each with how bad it is.
fn of_runbook(text: &str) -> Vec<String> {
    let document = Document::parse("k.runbook.md", text);
    let found = document.diagnostics().iter();
    found.map(|one| format!("{} {:?}", one.code, one.severity)).collect()
}

/// Nothing of it holds: a program would run where a person is named.
#[test]
fn front_matter_that_is_not_read_keeps_a_runbook_from_starting() {
    let steps = "# T\n\n## 1 One\n\n```bash\ntrue\n```\n";
    let said = |front: &str| -> Vec<String> {
        let document = Document::parse("t.runbook.md", &format!("{front}{steps}"));
        let errors = document.diagnostics().iter();
        let errors = errors.filter(|one| one.severity == Severity::Error);
        errors.map(|one| format!("{} {}", one.code, one.message)).collect()
    };
    let agents = "agents: {'1': ada}\n";
    for (front, expected) in [
        (format!("---\n{agents}...\n"), "closes it"),
        (format!("---\n{agents}\n"), "closes it"),
        ("---\n# who\nagents:\n  '1': ada\n".to_owned(), "closes it"),
        (format!("\u{feff}---\r\n{agents}"), "closes it"),
        (format!("\n---\n{agents}---\n\n"), "at the very beginning"),
        (format!(" ---\n{agents}---\n\n"), "at the very beginning"),
        (format!("+++\n{agents}+++\n\n"), "`+++`"),
        ("+++\nagents = {\"1\" = \"ada\"}\n+++\n\n".to_owned(), "`+++`"),
        ("\n+++\n[agents]\n1 = \"ada\"\n+++\n\n".to_owned(), "`+++`"),
    ] {
        let errors = said(&front);
        let [only] = errors.as_slice() else {
            panic!("{front:?}: {errors:?}")
        };
        assert!(
            only.starts_with("GH0217 ") && only.contains(expected),
            "{front:?}: {only}"
        );
    }
    for prose in [
        "",
        "---\n\n",
        "---\nIt sweeps.\n\n",
        "---\n\nNote: it sweeps.\n\n---\n\n",
        "---\nhttps://example.com\n\n",
        "\n---\n\n- one: two\n\n",
        "+++\nIt sweeps.\n+++\n\n",
        "---\nagents: {'1': ada}\n---\n\n",
        "Words.\n\n---\n\nname: it\n\n",
    ] {
        assert_eq!(said(prose), Vec::<String>::new(), "{prose:?}");
    }
}

#[test]
fn front_matter_says_nothing_twice_and_nothing_in_vain() {
    for front in [
        "agents: {'1': ada}\nagents: {}\n",
        "agents:\n  '1': ada\n  '1': bob\n",
        "title: A\ntitle: B\n",
    ] {
        let text = format!("{FRONT}{front}{BODY}");
        assert_eq!(of_runbook(&text), ["GH0103 Error"], "{front}");
        let document = Document::parse("k.runbook.md", &text);
        let found = &document.diagnostics()[0];
        let line = document
            .position(document.span(&found.place).expect("a place").start)
            .line;
        assert!(
            found.message.contains(&format!("line {line} is the one that counts")),
            "{}",
            found.message
        );
    }
    for (more, expected) in [
        ("on_error: stop the pump", "GH0501 Error"),
        ("on_fail: next", "GH0501 Error"),
        ("timeout: 5", "GH0502 Warning"),
        ("mode: prompted", "GH0502 Warning"),
        ("env: {A: b}", "GH0502 Warning"),
        ("shell: zsh", "GH0502 Warning"),
        ("cwd: sub", "GH0502 Warning"),
        ("retries: 3", "GH0502 Warning"),
        ("depends_on: [x]", "GH0502 Warning"),
        ("needs: [x]", "GH0502 Warning"),
        // Names of somebody's own are named in one note.
        ("mode: draft", "GH0502 Note"),
        ("env: production", "GH0502 Note"),
        ("team: billing\nreviewed_by: [ada]", "GH0502 Note"),
        ("reviewers: [ada]", "GH0501 Error"),
        ("approval: pending", "GH0502 Note"),
        ("agents: {'1': [ada, '']}", "GH0104 Error"),
    ] {
        assert_eq!(of_runbook(&format!("{FRONT}{more}\n{BODY}")), [expected], "{more}");
    }
    for more in [
        "on_error: stop",
        "timeout: ~",
        "shell: ''",
        "x-team: billing",
        "_team: b",
    ] {
        assert_eq!(
            of_runbook(&format!("{FRONT}{more}\n{BODY}")),
            Vec::<String>::new(),
            "{more}"
        );
    }
}

#[test]
fn all_and_any_behind_a_substep_count_for_it_alone_and_are_named() {
    let all = "- PASS ALL: CONTINUE\n- FAIL ANY: GOTO Mend\n\n";
    let runbook = |around: &str, last: &str| {
        format!(
            "# T\n\n## 1 One\n\n{around}### 1.1 A\n\nx\n\n### 1.2 B\n\ny\n\n{last}## 2 Two\n\nz\n\n## Mend\n\nw\n\n- PASS: GOTO 2\n- FAIL: STOP\n"
        )
    };
    assert_eq!(of_runbook(&runbook("", all)), ["GH0502 Warning"]);
    assert_eq!(of_runbook(&runbook(all, "")), Vec::<String>::new());
    assert_eq!(
        of_runbook(&runbook("", "- PASS: CONTINUE\n- FAIL: GOTO Mend\n\n")),
        Vec::<String>::new()
    );
}

#[test]
fn a_line_of_a_runbook_that_was_meant_as_more_is_named() {
    let runbook = |items: &str| format!("# T\n\n## 1 One\n\nIs it good?\n\n{items}\n\n## 2 Two\n\nDo it.\n");
    for (item, mended) in [
        ("- Yes: CONTINUE", Some("- YES: CONTINUE")),
        ("- No: COMPLETE", Some("- NO: COMPLETE")),
        ("- pass: GOTO 2", Some("- PASS: GOTO 2")),
        ("- pass all: goto 2", Some("- PASS ALL: GOTO 2")),
        ("- fail: stop", Some("- FAIL: STOP")),
        ("- **Yes**: CONTINUE", Some("- YES: CONTINUE")),
        ("- Yes, it is good: CONTINUE", None),
        ("- No: STOP the pump", None),
        ("- NO, it is broken: STOP", None),
        ("- FAILED: GOTO 2", Some("- FAIL: GOTO 2")),
        ("- On FAIL: GOTO 2", Some("- FAIL: GOTO 2")),
        ("- ERROR: STOP", Some("- FAIL: STOP")),
        ("- FAIL, GOTO 2", Some("- FAIL: GOTO 2")),
        ("- [ ] if it fails - RETRY 2 GOTO 2", Some("- FAIL: RETRY 2 GOTO 2")),
        ("- **Success** → CONTINUE", Some("- PASS: CONTINUE")),
        ("- ELSE: GOTO 2", None),
        ("– FAIL: GOTO 2", Some("\nFAIL: GOTO 2\n")),
        ("- Yes: CONTINUE\n  if it is", None),
        ("- Yes: CONTINUE\n  - at once", None),
        ("Look at it.\nFAIL: GOTO 2", None),
    ] {
        let text = runbook(item);
        // What begins with a word of the format is never words.
        let begins = ["- NO, ", "- FAIL, ", "– FAIL", "Look at it.\nFAIL"];
        let severity = match begins.into_iter().any(|begin| item.starts_with(begin)) {
            true => "GH0214 Error",
            false => "GH0214 Warning",
        };
        assert_eq!(of_runbook(&text), [severity], "{item}");
        let document = Document::parse("k.runbook.md", &text);
        let fix = document.diagnostics()[0].fix.as_ref();
        assert_eq!(fix.is_some(), mended.is_some(), "{item}");
        if let (Some(fix), Some(mended)) = (fix, mended) {
            let after = dialect::apply(&text, &document.edit(&fix.edit).expect("an edit"));
            assert!(after.contains(mended), "{after}");
            assert_eq!(of_runbook(&after), Vec::<String>::new(), "{after}");
        }
    }
    // A sentence may begin with such a word; then the action is in small letters.
    for item in ["- NO network: stop", "- YES to both: continue"] {
        assert_eq!(of_runbook(&runbook(item)), ["GH0214 Warning"], "{item}");
    }
    // Without bullets as well: with the last one mended it is a paragraph of transitions.
    assert_eq!(of_runbook(&runbook("YES: CONTINUE\nNo: STOP")), ["GH0214 Warning"]);
    let text = runbook("Yes: CONTINUE\nNo: STOP");
    assert_eq!(of_runbook(&text), ["GH0214 Warning", "GH0214 Warning"]);
    let document = Document::parse("k.runbook.md", &text);
    let fixes = document.diagnostics().iter().filter_map(|found| found.fix.as_ref());
    let edits: Vec<_> = fixes
        .flat_map(|fix| document.edit(&fix.edit).expect("an edit"))
        .collect();
    assert_eq!(of_runbook(&dialect::apply(&text, &edits)), Vec::<String>::new());
    for item in [
        "- Yes: it is good",
        "- No: stop when it rains",
        "- Yesterday: CONTINUE",
        "- Passing: GOTO 2",
        "- Note: CONTINUE",
        "- On error: stop the pump",
        "- On error: STOP the pump",
        "- The login has failed. CONTINUE with the next one",
        "- Where it fails GOTO is of no use",
        "On failure you GOTO 2",
        "- Yes",
    ] {
        assert_eq!(of_runbook(&runbook(item)), Vec::<String>::new(), "{item}");
    }
    for item in [
        "- sub.runbook.md (the important one)",
        "- `sub.runbook.md`: look",
        "- [sub](sub.runbook.md) first",
    ] {
        let text = runbook(item);
        assert_eq!(of_runbook(&text), ["GH0502 Warning"], "{item}");
    }
    assert_eq!(of_runbook(&runbook("- See sub.runbook.md")), Vec::<String>::new());
    let often = "# T\n\n## 1 One\n\n```bash\ntrue\n```\n\n- FAIL: RETRY 4294967296 CONTINUE\n";
    assert_eq!(of_runbook(often), ["GH0214 Warning"]);
    for (number, expected) in [("4294967295", vec!["GH0214 Warning"]), ("9999", vec![])] {
        assert_eq!(of_runbook(&often.replace("4294967296", number)), expected, "{number}");
    }
    let large = "# T\n\n## 1 One\n\nx\n\n- PASS: GOTO 4294967296\n- FAIL: STOP\n\n## 99999999999 Two\n\ny\n";
    let document = Document::parse("k.runbook.md", large);
    let said = document
        .diagnostics()
        .iter()
        .filter(|one| one.message.contains("larger than any"));
    assert_eq!(said.count(), 2, "{:?}", document.diagnostics());
}

/// A question with a third answer, and one whose NO is written small: the line itself is named, and not where its neighbours stand.
#[test]
fn a_transition_that_is_none_is_named_and_not_its_neighbours() {
    let runbook = |items: &str| format!("# T\n\n## 1 One\n\nIs it good?\n\n{items}\n\n## 2 Two\n\nDo it.\n");
    for (items, line) in [
        ("- YES: CONTINUE\n- NO: STOP\n- MAYBE: STOP", "- MAYBE: STOP"),
        ("- YES: CONTINUE\n- No: GOTO 2", "- No: GOTO 2"),
        ("```bash\ntrue\n```\n\n- Pass: CONTINUE", "- Pass: CONTINUE"),
        ("- YES: CONTINUE\n\nSo far.\nNO: STOP\n\n- NO: GOTO 2", "- NO: STOP"),
    ] {
        let text = runbook(items);
        assert_eq!(of_runbook(&text), ["GH0214 Error"], "{items}");
        let document = Document::parse("k.runbook.md", &text);
        let span = document.span(&document.diagnostics()[0].place).expect("a place");
        assert_eq!(&text[span.start..span.end], &line[2..]);
    }
    // Where nothing else is out of place it is a text that somebody may have meant.
    assert_eq!(of_runbook(&runbook("- MAYBE: STOP")), ["GH0214 Warning"]);
}

/// Markdown reads them as text; whoever writes one means that it is followed.
#[test]
fn a_transition_in_a_list_or_a_quotation_keeps_a_runbook_from_starting() {
    let runbook = |words: &str| format!("# T\n\n## 1 One\n\n{words}\n\n```bash\ntrue\n```\n\n## 2 Two\n\nDo it.\n");
    for (words, line) in [
        ("- open the log\n  - PASS: GOTO 2", "PASS: GOTO 2"),
        ("- open the log\n  1. look\n     - **FAIL**: STOP", "**FAIL**: STOP"),
        ("- open the log\n\n  - PASS: goto 2", "PASS: goto 2"),
        ("- open the log\n  PASS: GOTO 2", "PASS: GOTO 2"),
        ("1. look\n   -FAIL: GOTO 2", "FAIL: GOTO 2"),
        ("> - FAIL: GOTO 2", "FAIL: GOTO 2"),
        ("> Where it fails:\n> FAIL: GOTO 2", "FAIL: GOTO 2"),
        ("- > PASS: GOTO 2", "PASS: GOTO 2"),
        ("- open the log\n  - FAIL: STOP the pump", "FAIL: STOP the pump"),
        (
            "- open the log\n\n  ```\n  x\n  ```\n\n  - FAIL: GOTO 2",
            "FAIL: GOTO 2",
        ),
    ] {
        for text in [runbook(words), runbook(words).replace('\n', "\r\n")] {
            assert_eq!(of_runbook(&text), ["GH0214 Error"], "{words}");
            let document = Document::parse("k.runbook.md", &text);
            let span = document.span(&document.diagnostics()[0].place).expect("a place");
            assert_eq!(&text[span.start..span.end], line);
        }
    }
    // Behind the body as well it is the line that is named, and not the list that it stands in.
    let behind = "# T\n\n## 1 One\n\n```bash\ntrue\n```\n\n- what follows:\n  - FAIL: GOTO 2\n\n## 2 Two\n\nDo it.\n";
    assert_eq!(of_runbook(behind), ["GH0214 Error"]);
    for words in [
        "- open the log\n  - it says PASS",
        "> FAIL: 3 of 20 tests",
        "- as here:\n\n  ```\n  - FAIL: GOTO 2\n  ```\n\n  and so on",
        "> NO: nobody is there",
        "- open the log\n  - PASS: all green\n  - FAIL: 3 of 20 tests",
        "> - FAIL: 3 of 20 tests",
        "- as here:\n\n      FAIL: GOTO 2",
        "> as here:\n>\n>     - FAIL: GOTO 2",
        "- one\n  <!--\n  - FAIL: GOTO 2\n  -->\n  two",
    ] {
        assert_eq!(of_runbook(&runbook(words)), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn a_transition_without_the_blank_behind_its_dash_keeps_a_runbook_from_starting() {
    let runbook = |words: &str| format!("# T\n\n## 1 One\n\n{words}\n\n```bash\ntrue\n```\n\n## 2 Two\n\nDo it.\n");
    let both = runbook("-FAIL: GOTO 2\n-PASS: COMPLETE \"fine\"");
    assert_eq!(of_runbook(&both), ["GH0214 Error", "GH0214 Error"]);
    let document = Document::parse("k.runbook.md", &both);
    let fixes = document.diagnostics().iter().filter_map(|found| found.fix.as_ref());
    let edits: Vec<_> = fixes
        .flat_map(|fix| document.edit(&fix.edit).expect("an edit"))
        .collect();
    let after = dialect::apply(&both, &edits);
    assert!(after.contains("\nFAIL: GOTO 2\nPASS: COMPLETE \"fine\"\n"), "{after}");
    assert!(
        !of_runbook(&after).iter().any(|found| found.ends_with("Error")),
        "{after}"
    );
    assert_eq!(of_runbook(&runbook("Look.\n-FAIL: GOTO 2")), ["GH0214 Error"]);
}

#[test]
fn a_heading_without_a_blank_is_named() {
    let text = "# T\n\n## 1 Back up\n\nMake it, as #12 says.\n\n##2 Ask the owner\n\n```bash\ntrue\n```\n\nIs it good?\n\n- YES: CONTINUE\n\n## 2 Delete\n\nDo it.\n";
    assert_eq!(of_runbook(text), ["GH0201 Error"]);
    let document = Document::parse("k.runbook.md", text);
    let fix = document.diagnostics()[0].fix.clone().expect("a change");
    let after = dialect::apply(text, &document.edit(&fix.edit).expect("an edit"));
    assert!(after.contains("\n## 2 Ask the owner\n"), "{after}");
    // A word may be a text; a blank that does not break is none.
    let word = "# T\n\n## 1 Back up\n\nMake it.\n\n##Ask the owner\n\nIs it good?\n\n- YES: CONTINUE\n";
    assert_eq!(of_runbook(word), ["GH0201 Warning"]);
    // In small letters it is one, unless something below it would be carried out.
    let small = "# T\n\n## 1 Back up\n\nMake it.\n\n##todo later\n\nOr never.\n";
    assert_eq!(of_runbook(small), Vec::<String>::new());
    assert_eq!(of_runbook(&word.replace("##Ask", "##ask")), ["GH0201 Warning"]);
    let command = small.replace("Or never.", "```bash\ntrue\n```");
    assert_eq!(of_runbook(&command), ["GH0201 Warning"]);
    assert_eq!(of_runbook(&text.replace("##2 Ask", "##ask")), ["GH0201 Error"]);
    // Not where the step above would execute what stands below it.
    assert_eq!(of_runbook(&text.replace("##2 Ask", "##Ask")), ["GH0201 Error"]);
    assert_eq!(of_runbook(&text.replace("##2 Ask", "##\u{a0}2 Ask")), ["GH0201 Error"]);
    // Before the first step a substep is wrong with a blank as well.
    let before = Document::parse("k.runbook.md", "# T\n\n###1.1 Look\n\n## 1 Do\n\nDo it.\n");
    let found = before.diagnostics().iter().find(|one| one.code == "GH0201");
    assert!(found.is_some_and(|found| found.fix.is_none()), "{found:?}");
    let escaped = text.replace("##2 Ask the owner\n\n```bash\ntrue\n```\n\n", "\\##2 Ask the owner. ");
    assert_eq!(of_runbook(&escaped), Vec::<String>::new());
}

#[test]
fn a_gate_in_the_words_of_a_runbook_keeps_it_from_starting() {
    let runbook = |words: &str| format!("# T\n\n## 1 One\n\nIs it good?\n\n{words}\n\n## 2 Two\n\nDo it.\n");
    for words in [
        "- human_gate: required",
        "human_gate: required",
        "Ada looks at it.\nhuman_gate: required",
        "- [ ] gate: required",
        "* **Approval:** required",
        "1. requires_approval: true",
        "- one\n  - gate_asks: ada",
        "- one\n\n  ```\n  x\n  ```\n\n  - gate_asks: ada",
    ] {
        assert_eq!(of_runbook(&runbook(words)), ["GH0501 Error"], "{words}");
    }
    for words in [
        "- Gate: B 12",
        "- Review: the change",
        "- human_gate: none",
        "Write `human_gate: required` there.",
        "- As here:\n\n  ```yaml\n  human_gate: required\n  ```",
        "```yaml\nhuman_gate: required\n```",
        "> human_gate: required",
        "- one\n  <!--\n  human_gate: required\n  -->",
    ] {
        assert_eq!(of_runbook(&runbook(words)), Vec::<String>::new(), "{words}");
    }
    let above = "# T\n\nhuman_gate: required\n\n## 1 One\n\nDo it.\n";
    assert_eq!(of_runbook(above), ["GH0501 Error"]);
}

#[test]
fn a_question_beside_a_command_is_named() {
    let steps =
        |info: &str| format!("# T\n\n## 1 One\n\nIs it good?\n\n```{info}\ntrue\n```\n\n- YES: CONTINUE\n- NO: STOP\n");
    assert_eq!(of_runbook(&steps("bash")), ["GH0502 Warning"]);
    assert_eq!(of_runbook(&steps("bash prompt")), Vec::<String>::new());
    // Whoever is named does the step in place of the command, and the command is named then.
    let named = format!("---\nagents: {{'1': ada}}\n---\n\n{}", steps("bash"));
    assert_eq!(of_runbook(&named), ["GH0502 Warning"]);
}

/// Somebody who is named for a step does it: its command, or the runbook that it lists, is not carried out by itself.
#[test]
fn a_command_whose_step_is_given_to_somebody_is_named() {
    let runbook = |agents: &str, body: &str| format!("---\nagents: {{{agents}}}\n---\n\n# T\n\n## 1 One\n\n{body}\n");
    let block = "```bash\nexit 3\n```";
    for (agents, body) in [
        ("'1': bot", block),
        ("'1': bot", "- sub.runbook.md"),
        ("'1': bot", "### 1.1 A\n\n```bash\nexit 3\n```"),
    ] {
        let text = runbook(agents, body);
        assert_eq!(of_runbook(&text), ["GH0502 Warning"], "{body}");
        let document = Document::parse("k.runbook.md", &text);
        let found = &document.diagnostics()[0];
        assert!(found.message.contains("`bot`"), "{}", found.message);
        let span = document.span(&found.place).expect("a place");
        assert!(body.contains(&text[span.start..span.end]), "{body}");
    }
    for (agents, body) in [("'1': bot", "Do it."), ("'1': bot", "```bash prompt\nexit 3\n```")] {
        assert_eq!(of_runbook(&runbook(agents, body)), Vec::<String>::new(), "{body}");
    }
}

/// A word for what happens anyway asks for nothing; where the file says something else it is no such word.
#[test]
fn what_says_that_a_failure_ends_the_run_is_refused_where_the_run_goes_on() {
    let runbook = |front: &str, fails: &str| {
        format!(
            "---\n{front}\n---\n\n# T\n\n## 1 One\n\n```bash\nfalse\n```\n\n- FAIL: {fails}\n\n## 2 Two\n\nDo it.\n"
        )
    };
    for front in ["on_failure: abort", "on_error: stop", "continue_on_error: false"] {
        for fails in ["CONTINUE", "RETRY 2 CONTINUE", "GOTO 2", "COMPLETE"] {
            assert_eq!(of_runbook(&runbook(front, fails)), ["GH0501 Error"], "{front} {fails}");
        }
    }
    // NO is an answer where a person is asked, and a failure where something is run.
    let asked = "---\non_failure: abort\n---\n\n# T\n\n## 1 One\n\nIs it good?\n\n- YES: CONTINUE\n- NO: GOTO 3\n\n## 2 Two\n\nDo it.\n\n## 3 Three\n\nDo it.\n";
    assert_eq!(of_runbook(asked), Vec::<String>::new());
    let run = asked.replace("Is it good?", "```bash\ntrue\n```");
    assert!(of_runbook(&run).contains(&"GH0501 Error".to_owned()));
    for fails in ["STOP", "RETRY 2", "RETRY 2 STOP \"it fails\""] {
        assert_eq!(
            of_runbook(&runbook("on_failure: abort", fails)),
            Vec::<String>::new(),
            "{fails}"
        );
    }
    let goes_on = "error_handling: skip_dependents\n";
    for word in [
        "on_failure: halt",
        "on_failure: abort",
        "on_error: abort",
        "continue_on_failure: false",
    ] {
        let (name, _) = word.split_once(':').expect("a field");
        let expected = [format!("GH0501 {name}")];
        assert_eq!(
            refused("p.yaml", &format!("{PIPELINE}{goes_on}{word}\n")),
            expected,
            "{word}"
        );
        let of_stage = into(PIPELINE, word);
        // Of one stage that is what such a pipeline does: what waits for it does not begin.
        let expected = match name {
            "continue_on_failure" => Vec::new(),
            _ => expected.to_vec(),
        };
        assert_eq!(refused("p.yaml", &format!("{of_stage}{goes_on}")), expected, "{word}");
        assert_eq!(refused("p.yaml", &of_stage), Vec::<String>::new(), "{word}");
        for (path, text) in [("p.yaml", PIPELINE), ("s.yaml", STEPSPEC)] {
            assert_eq!(refused(path, &format!("{text}{word}\n")), [""; 0], "{path} {word}");
        }
    }
    let of_stage = into(PIPELINE, "errorHandling: halt");
    assert_eq!(refused("p.yaml", &format!("{of_stage}{goes_on}")), [""; 0]);
}

/// Under another name nothing of it would be handed to the tool.
#[test]
fn what_a_tool_is_called_with_is_renamed_to_its_field() {
    let edit = |tool: &str, name: &str| {
        let text = into(STEPSPEC, &format!("tools: [{{name: getCurrentTime, {tool}}}]"));
        let document = Document::parse("s.yaml", &text);
        let is_it = |one: &&Diagnostic| one.code == "GH0502" && one.message.starts_with(&format!("`{name}`"));
        let found = document.diagnostics().iter().find(is_it).expect("a warning");
        let fix = found.fix.as_ref()?;
        Some(dialect::apply(&text, &document.edit(&fix.edit).expect("an edit")))
    };
    for name in ["arg", "arguments", "params", "parameters"] {
        let given = format!("{name}: {{timezone: UTC}}");
        let after = edit(&given, name).expect("a fix");
        assert!(after.contains("getCurrentTime, args: {timezone: UTC}"), "{after}");
        assert_eq!(edit(&format!("args: {{}}, {given}"), name), None);
    }
}

/// What is mended in a message leaves the attempts before it.
#[test]
fn a_mended_message_keeps_what_is_tried_again_before_it() {
    let text = "# T\n\n## 1 One\n\n```bash\ntrue\n```\n\n- FAIL: RETRY 2 \"a\" extra\n";
    let document = Document::parse("k.runbook.md", text);
    let fix = document.diagnostics()[0].fix.as_ref().expect("a fix");
    let after = dialect::apply(text, &document.edit(&fix.edit).expect("an edit"));
    assert!(after.contains("- FAIL: RETRY 2 STOP \"a extra\"\n"), "{after}");
}

/// A pipeline reads `agents` alone where both stand; elsewhere both work.
#[test]
fn two_fields_for_who_works_and_a_name_that_stands_twice_are_named() {
    let note = |path: &str, text: &str| of(path, text, Severity::Note).contains(&"GH0307 agent".to_owned());
    for (path, text) in [("f.yaml", FLOW), ("g.yaml", GRAPH)] {
        assert!(note(path, &into(text, "agent: x")), "{path}");
        assert!(!note(path, &into(text, "agent: w")), "{path}");
        let twice = text.replacen("agents: [w]", "agents: [w, w]", 1);
        assert_eq!(of(path, &twice, Severity::Warning), ["GH0502 agents"], "{path}");
    }
    assert!(note("s.yaml", &into(STEPSPEC, "agents: [x]")));
}

#[test]
fn what_would_be_carried_out_elsewhere_in_a_runbook_is_named() {
    let above = |words: &str| format!("# T\n\n{words}\n\n## 1 One\n\nDo it.\n");
    for words in [
        "```bash\ntrue\n```",
        "- FAIL: STOP",
        "PASS: CONTINUE",
        "- sub.runbook.md",
        "- one\n\n  ```sh\n  true\n  ```",
    ] {
        let text = above(words);
        assert_eq!(of_runbook(&text), ["GH0502 Warning"], "{words}");
        let document = Document::parse("k.runbook.md", &text);
        let place = &document.diagnostics()[0].place;
        let line = document.position(document.span(place).expect("a place").start).line;
        assert_eq!(line, if words.starts_with("- one") { 5 } else { 3 }, "{words}");
    }
    let mistyped = above("```bash\ntrue\n```bash\n\n## 1 Zero\n\n```");
    assert_eq!(of_runbook(&mistyped), ["GH0502 Warning", "GH0222 Error"]);
    for words in [
        "```bash prompt\ntrue\n```",
        "```json\n{}\n```",
        "- See sub.runbook.md",
        "- one",
    ] {
        assert_eq!(of_runbook(&above(words)), Vec::<String>::new(), "{words}");
    }
    for words in ["- one\n\n  ```bash\n  true\n  ```", "> ```sh\n> true\n> ```"] {
        let text = format!("# T\n\n## 1 One\n\nDo it.\n\n{words}\n");
        assert_eq!(of_runbook(&text), ["GH0502 Warning"], "{words}");
        let shown = text.replace("bash\n", "bash prompt\n").replace("sh\n>", "json\n>");
        assert_eq!(of_runbook(&shown), Vec::<String>::new(), "{words}");
    }
    let never = "# T\n\n## 1 One\n\nDo it.\n\n## Approval\n\nIs it good?\n";
    assert_eq!(of_runbook(never), ["GH0219 Warning"]);
    let first = "# T\n\n## Approval\n\nIs it good?\n";
    assert_eq!(of_runbook(first), Vec::<String>::new());
}

/// A question that every way leads past is asked of nobody, whatever the number of its step.
#[test]
fn a_step_of_a_runbook_to_which_no_way_leads_is_named() {
    let said = |text: &str| -> Vec<String> {
        let document = Document::parse("k.runbook.md", text);
        let found = document.diagnostics().iter().filter(|one| one.code == "GH0219");
        found.map(|one| one.message.clone()).collect()
    };
    let no_way = |id: &str| format!("No way leads to `{id}`, so it runs only when a person sends the run there");
    let step = |id: &str, ways: &str| format!("## {id}\n\nDo it.\n\n{ways}\n\n");
    let runbook = |first: &str, last: &str| {
        let second = step("2 Ask", "- YES: CONTINUE\n- NO: STOP");
        format!("# T\n\n{}{second}{}", step("1 Do", first), step("3 End", last))
    };
    let end = "- PASS: COMPLETE";
    assert_eq!(said(&runbook("- PASS: COMPLETE", end)), [no_way("2"), no_way("3")]);
    assert_eq!(said(&runbook("- PASS: GOTO 3\n- FAIL: STOP", end)), [no_way("2")]);
    // Each of these leads there after all.
    for (first, last) in [
        ("- PASS: CONTINUE", end),
        ("- FAIL: STOP", end),
        ("- PASS: GOTO 3\n- FAIL: CONTINUE", end),
        ("- PASS: GOTO 3\n- FAIL: RETRY 1 CONTINUE", end),
        ("- PASS: GOTO 3", "- PASS: COMPLETE\n- FAIL: GOTO 2"),
    ] {
        assert_eq!(said(&runbook(first, last)), Vec::<String>::new(), "{first} {last}");
    }
    // A named step to which only such a step jumps; and one in another.
    let named = format!(
        "# T\n\n{}{}{}",
        step("1 Do", "- PASS: COMPLETE"),
        step("2 Ask", "- YES: COMPLETE\n- NO: GOTO Mend"),
        step("Mend", "- PASS: GOTO 1")
    );
    assert_eq!(said(&named), [no_way("2"), no_way("Mend")]);
    let inside = "# T\n\n## 1 All\n\n### 1.1 Do\n\nDo it.\n\n- PASS: GOTO 1.3\n- FAIL: STOP\n\n### 1.2 Ask\n\nDo it.\n\n### 1.3 End\n\nDo it.\n\n\
        ## 2 Then\n\nDo it.\n";
    assert_eq!(said(inside), [no_way("1.2")]);
    // What decides for the substeps leads on from the last of them, and an instance to the next one.
    let around = "# T\n\n## 1 All\n- PASS ALL: GOTO 3\n- FAIL ANY: CONTINUE\n\n### 1.1 Do\n\nDo it.\n\n## 2 Mend\n\nDo it.\n\n## 3 End\n\nDo it.\n";
    assert_eq!(said(around), Vec::<String>::new());
    let dynamic = "# T\n\n## {N} Each\n\n### {N}.1 Do\n\nDo it.\n\n### {N}.2 More\n\nMore?\n\n- YES: GOTO NEXT {N}\n- NO: COMPLETE\n";
    assert_eq!(said(dynamic), Vec::<String>::new());
    // What cannot be read may have been meant to lead anywhere.
    let broken = runbook("- PASS: COMPLETE\n- FAIL: GOTO", end);
    assert_eq!(said(&broken), Vec::<String>::new());
    let unknown = runbook("- PASS: COMPLETE\n- FAIL: GOTO 9", end);
    assert_eq!(said(&unknown), Vec::<String>::new());
}

/// What a list waits for is not known where an entry holds nothing: a gate before it would be passed.
#[test]
fn an_empty_entry_of_a_list_is_no_entry_less() {
    let waits = "group_id: b, agents: [{agent: w}], depends_on_groups: [~]";
    assert_eq!(refused("w.yaml", &groups(waits)), ["GH0104 0"]);
    let own_line = "workflow: {id: k}\nparallel_groups:\n  - {group_id: a, agents: [{agent: w}]}\n  - group_id: b\n    agents: [{agent: w}]\n    \
                    depends_on_groups:\n      -\n";
    assert_eq!(refused("w.yaml", own_line), ["GH0104 0"]);
    let entry = sequence("  - {agent: v, id: v, depends_on: [~]}\n");
    assert_eq!(refused("w.yaml", &entry), ["GH0104 0"]);
    let stages = "name: p\nstages:\n  - {name: a, agents: [w]}\n  - {name: b, agents: [w], depends_on: [~]}\n";
    assert_eq!(refused("p.yaml", stages), ["GH0309 0"]);
    let fork = "id: f\nsteps:\n  - {id: s, agents: [w], routing: {kind: fork, fork_targets: [a, ~, b], next: j}}\n  \
                - {id: a, agents: [w], routing: {kind: linear, next: j}}\n  \
                - {id: b, agents: [w], routing: {kind: linear, next: j}}\n  \
                - {id: j, agents: [w], routing: {kind: join, join_from: [a, b]}}\n";
    assert!(
        refused("f.yaml", fork).contains(&"GH0104 1".to_owned()),
        "{:?}",
        refused("f.yaml", fork)
    );
    let whole = fork.replace("~, ", "");
    assert!(!refused("f.yaml", &whole).contains(&"GH0104 1".to_owned()));
    for field in [
        "inputs: [~]",
        "outputs: [a.md, ~]",
        "gate_asks: [~], human_gate: required",
    ] {
        let said = refused("f.yaml", &into(FLOW, field));
        assert!(said.len() == 1 && said[0].starts_with("GH0104"), "{field}: {said:?}");
    }
    // It is named where it stands.
    let text = into(FLOW, "outputs: [a.md, ~]");
    let document = Document::parse("f.yaml", &text);
    let found = document.diagnostics().iter().find(|one| one.code == "GH0104");
    let span = document
        .span(&found.expect("it is named").place)
        .expect("it stands there");
    assert_eq!(&text[span.start..span.end], "~");
}

#[test]
fn who_works_and_what_is_run_is_no_nothing() {
    for (path, text) in [("f.yaml", FLOW), ("g.yaml", GRAPH), ("p.yaml", PIPELINE)] {
        let with = |agents: &str| text.replacen("agents: [w]", &format!("agents: {agents}"), 1);
        assert_eq!(refused(path, &with("[w, \"\"]")), ["GH0501 1"], "{path}");
        assert_eq!(refused(path, &with("[w, ~]")), ["GH0104 1"], "{path}");
        assert_eq!(refused(path, &with("[1]")), Vec::<String>::new(), "{path}");
        assert_eq!(of(path, &with("[1]"), Severity::Warning), ["GH0104 0"], "{path}");
        assert_eq!(refused(path, &with("[w]")), Vec::<String>::new(), "{path}");
        let no_time = into(text, "timeout_seconds: 0");
        assert_eq!(refused(path, &no_time), ["GH0104 timeout_seconds"], "{path}");
        let no_limit = into(text, "timeout_seconds: 1e12");
        assert_eq!(refused(path, &no_limit), Vec::<String>::new(), "{path}");
        let said = of(path, &no_limit, Severity::Warning);
        assert!(said.contains(&"GH0502 timeout_seconds".to_owned()), "{path}: {said:?}");
        let never = into(text, "retries: {max: 1, backoff_seconds: 1e300}");
        assert_eq!(refused(path, &never), ["GH0104 backoff_seconds"], "{path}");
    }
    for run in ["\"\"", "\" \"", "\"a\\0b\""] {
        let stage = format!("name: p\nstages:\n  - {{name: a, run: {run}, depends_on: []}}\n");
        assert!(refused("p.yaml", &stage).contains(&"GH0501 run".to_owned()), "{run}");
        let is_empty = !run.contains('a');
        let beside = format!("name: p\nstages:\n  - {{name: a, run: {run}, agents: [w]}}\n");
        assert_eq!(
            refused("p.yaml", &beside).contains(&"GH0501 run".to_owned()),
            !is_empty,
            "{run}"
        );
        let step = format!("format: stepspec\nworkflow: k\nsteps:\n  - {{id: a, name: A, run: {run}}}\n");
        assert!(refused("s.yaml", &step).contains(&"GH0501 run".to_owned()), "{run}");
    }
    for block in ["", "\n", "# later\n  # more\n"] {
        let runbook = format!("# R\n\n## 1 A\n\n```bash\n{block}```\n");
        let said = of("r.runbook.md", &runbook, Severity::Warning);
        assert!(said.iter().any(|one| one.starts_with("GH0502")), "{block:?}: {said:?}");
    }
    for tag in ["!!binary ZWNobyBoaQ==", "!include other.sh", "!env HOME"] {
        let stage = format!("name: p\nstages:\n  - {{name: a, run: {tag}, depends_on: []}}\n");
        let said = refused("p.yaml", &stage);
        assert!(said.len() == 1 && said[0].starts_with("GH0104"), "{tag}: {said:?}");
    }
    for tag in ["!include [a]", "!!set {w}"] {
        let stage = format!("name: p\nstages:\n  - {{name: a, agents: [w], depends_on: [], notes: {tag}}}\n");
        let said = refused("p.yaml", &stage);
        assert!(said.len() == 1 && said[0].starts_with("GH0104"), "{tag}: {said:?}");
    }
    let blocks = "!!map\nname: p\nstages: !!seq\n  - !!map {name: a, agents: !!seq [w], depends_on: []}\n";
    assert_eq!(refused("p.yaml", blocks), Vec::<String>::new());
    for tag in ["!!str 5", "! 5", "!!int 5"] {
        let stage = format!("name: p\nstages:\n  - {{name: a, run: {tag}, depends_on: []}}\n");
        assert_eq!(refused("p.yaml", &stage), Vec::<String>::new(), "{tag}");
    }
}

/// A state that nobody wrote here, in a file that keeps none.
#[test]
fn a_state_that_is_not_kept_is_named() {
    for word in ["completed", "skipped", "failed", "running"] {
        let text = into(PIPELINE, &format!("status: {word}"));
        assert_eq!(of("p.yaml", &text, Severity::Warning), ["GH0502 status"], "{word}");
        // In a file that is named by its id a run has written it, or the start is refused.
        let named = of("PIPE-20260101-p-000000.yaml", &text, Severity::Warning);
        assert_eq!(named, Vec::<String>::new(), "{word}");
    }
    assert_eq!(
        of("p.yaml", &format!("{PIPELINE}status: completed\n"), Severity::Warning),
        ["GH0502 status"]
    );
    assert_eq!(
        of("p.yaml", &into(PIPELINE, "status: pending"), Severity::Warning),
        Vec::<String>::new()
    );
}

/// A file that is one StepSpec is held against the fields of a step, like the entries of a list.
#[test]
fn one_step_alone_is_looked_through_too() {
    let one = "format: stepspec\nworkflow: k\nid: a\nname: A\ndescription: D\nphase: p\ninputs: {}\noutputs: []\ntemplates: []\ntools: []\n\
               validation: Format validation\nevidence: L0\nretries: {}\nagent: w\n";
    assert_eq!(refused("s.yaml", one), Vec::<String>::new());
    for (field, expected) in [
        ("requires_approval: true", "GH0501 requires_approval"),
        ("detours: [{to: b}]", "GH0501 detours"),
        ("human_gat: required", "GH0503 human_gat"),
    ] {
        assert_eq!(refused("s.yaml", &format!("{one}{field}\n")), [expected], "{field}");
    }
    let said = of("s.yaml", &format!("{one}validators: [x]\n"), Severity::Warning);
    assert!(said.contains(&"GH0502 validators".to_owned()), "{said:?}");
}

/// What nobody has thought of is named all the same: a note tells that it has no effect.
#[test]
fn a_name_of_the_author_s_own_is_named() {
    let notes = |path: &str, text: &str| of(path, text, Severity::Note);
    for (path, text) in [
        ("f.yaml", FLOW),
        ("g.yaml", GRAPH),
        ("p.yaml", PIPELINE),
        ("s.yaml", STEPSPEC),
        ("w.yaml", SEQUENCE),
    ] {
        let before = notes(path, text);
        let more = |word: &str| {
            let mut found = notes(path, &into(text, word));
            for known in &before {
                found.remove(found.iter().position(|one| one == known).expect("it is still said"));
            }
            found
        };
        assert_eq!(more("colour: blue"), ["GH0502 colour"], "{path}");
        // A person's words about people are no switch.
        assert_eq!(more("human_contact: ada"), ["GH0502 human_contact"], "{path}");
        assert_eq!(more("x-colour: blue"), Vec::<String>::new(), "{path}");
        assert_eq!(more("colour:"), Vec::<String>::new(), "{path}");
    }
    let many = Document::parse("f.yaml", &into(FLOW, "colour: blue, owner: ada, shade: dark"));
    let said = many
        .diagnostics()
        .iter()
        .find(|one| one.code == "GH0502")
        .expect("a note");
    assert_eq!(
        said.message,
        "`colour`, `owner` and `shade` are names of your own: they are kept, and a run goes on as if they were not there"
    );
}

/// A name with a character in it that nobody sees is the name without it.
#[test]
fn a_character_that_is_not_seen_hides_no_gate() {
    for unseen in [
        '\u{200b}', '\u{200d}', '\u{2060}', '\u{202e}', '\u{3164}', '\u{fe0f}', '\u{ad}',
    ] {
        for name in [format!("human_gate{unseen}"), format!("{unseen}human{unseen}_gate")] {
            for (path, text) in [("f.yaml", FLOW), ("p.yaml", PIPELINE), ("w.yaml", SEQUENCE)] {
                let said = refused(path, &into(text, &format!("\"{name}\": required")));
                assert_eq!(said, [format!("GH0503 {name}")], "{path} {unseen:?}");
            }
        }
    }
}

/// What kind of thing a step is says in other programs that a person decides.
#[test]
fn a_step_of_the_kind_of_an_approval_is_no_step_like_others() {
    for word in [
        "type: approval",
        "step_type: human",
        "kind: gate",
        "stepKind: human-review",
    ] {
        let (name, _) = word.split_once(':').expect("a field");
        assert_eq!(
            refused("f.yaml", &into(FLOW, word)),
            [format!("GH0501 {name}")],
            "{word}"
        );
    }
    for word in [
        "type: report",
        "type: review",
        "test_type: manual",
        "human_readable: true",
        "auto_approve: true",
        "skip_approval: true",
        "compensation: 80k EUR",
        "rollback: see the handbook",
        "catch: bugs early",
        "times: 09:00",
        "authorization: none needed",
        "before: Monday",
        "sandbox: true",
        "type: approval, human_gate: required",
    ] {
        let (name, _) = word.split_once(':').expect("a field");
        assert_eq!(refused("f.yaml", &into(FLOW, word)), Vec::<String>::new(), "{word}");
        let notes = of("f.yaml", &into(FLOW, word), Severity::Note);
        assert!(notes.contains(&format!("GH0502 {name}")), "{word}: {notes:?}");
    }
}

#[test]
fn front_matter_that_names_people_and_cannot_be_read_keeps_a_runbook_from_starting() {
    let runbook = |front: &str| format!("---\n{front}\n---\n\n# T\n\n## 1 One\n\n```bash\necho one\n```\n");
    let broken = runbook("agents: {\"1\": ada\ntags: [a");
    let document = Document::parse("t.runbook.md", &broken);
    let codes = |severity| {
        let found = document
            .diagnostics()
            .iter()
            .filter(move |one| one.severity == severity);
        found.map(|one| one.code.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(codes(Severity::Error), ["GH0217"]);
    for text in [
        "# T\n\n---\nagents: {\"1\": ada}\n---\n\n## 1 One\n\n```bash\necho one\n```\n",
        "<!-- ours -->\n---\nname: t\nagents: {\"1\": ada}\n---\n\n# T\n\n## 1 One\n\n```bash\necho one\n```\n",
        "---\nAgents: {\"1\": ada}\n\n# T\n\n## 1 One\n\n```bash\necho one\n```\n",
        "---\n{agents: {\"1\": ada}}\n\n# T\n\n## 1 One\n\n```bash\necho one\n```\n",
        "---\ntags: [ops\nagents: {\"1\": ada}\n---\n\n# T\n\n## 1 One\n\n```bash\necho one\n```\n",
    ] {
        let refused = refused("t.runbook.md", text);
        assert!(
            refused.iter().any(|one| one.starts_with("GH0217")),
            "{text}: {refused:?}"
        );
    }
    let rule = "# T\n\n---\n\nWords below a line.\n\n## 1 One\n\nLook.\n";
    assert_eq!(refused("t.runbook.md", rule), Vec::<String>::new());
    let words = Document::parse("t.runbook.md", &runbook("tags: [a"));
    let worst = words.diagnostics().iter().map(|one| one.severity).max();
    assert_eq!(worst, Some(Severity::Warning));
}

/// The kind of a node that says that a person decides there, or where the run goes on, is refused; one that nobody knows is named.
#[test]
fn the_kind_of_a_node_is_not_passed_over() {
    for name in ["type", "kind"] {
        let of_kind = |kind: &str| GRAPH.replace("node_id: b,", &format!("node_id: b, {name}: {kind},"));
        for kind in [
            "human_approval",
            "manual_approval",
            "human-approval",
            "approval_gate",
            "manual_gate",
            "signoff",
            "person",
            "hitl",
            "human_in_the_loop",
            "exclusive_gateway",
            "sub_workflow",
            "disabled",
        ] {
            assert_eq!(refused("g.yaml", &of_kind(kind)), [format!("GH0501 {name}")], "{kind}");
        }
        for kind in ["review", "checkpoint"] {
            let warned = of("g.yaml", &of_kind(kind), Severity::Warning);
            assert_eq!(warned, [format!("GH0502 {name}")], "{kind}");
        }
        for kind in ["task", "Agent", "step", "auto_step"] {
            assert!(refused("g.yaml", &of_kind(kind)).is_empty(), "{kind}");
        }
    }
}

/// A field that was written one level too deep is a line of a text: that nobody is asked because of it is said.
#[test]
fn a_field_in_a_text_is_named() {
    let text = |line: &str| {
        format!(
            "id: f\nsteps:\n  - id: a\n    agents: [w]\n    role: |\n      Publishes.\n      {line}\n    routing: {{kind: terminal}}\n"
        )
    };
    for line in [
        "human_gate: required",
        "- human_gate: required",
        "approval_required: true",
    ] {
        let warned = of("f.yaml", &text(line), Severity::Warning);
        assert_eq!(warned, ["GH0502 role"], "{line}");
    }
    for line in [
        "approved_by: name",
        "human_gate: none",
        "Ask whether a human_gate: would help",
    ] {
        let warned = of("f.yaml", &text(line), Severity::Warning);
        assert!(warned.is_empty(), "{line}: {warned:?}");
    }
}

/// A StepSpec step that says what to ask and not how strongly asks nobody unless the project has it so.
#[test]
fn a_question_without_a_gate_is_named() {
    for (field, is_named) in [
        ("gate_question: Ok?", true),
        ("gate_asks: [legal]", true),
        ("gate_question: Ok?, human_gate: ~", true),
        ("gate_question: Ok?, human_gate: optional", false),
        ("gate_question: Ok?, human_gate: required", false),
    ] {
        let warned = of("s.yaml", &into(STEPSPEC, field), Severity::Warning);
        let found = warned.iter().any(|one| one.starts_with("GH0111"));
        assert_eq!(found, is_named, "{field}: {warned:?}");
    }
}

/// A path from the root of a file system is no path that climbs out, and words behind a slash are none at all.
#[test]
fn an_absolute_output_is_said_to_be_one() {
    for (output, said) in [
        ("/project/x.md", vec!["is an absolute path"]),
        ("C:\\x.md", vec!["is an absolute path"]),
        ("../x.md", vec!["leads out of its folder"]),
        ("/summary of the plan", vec![]),
        ("docs/x.md", vec![]),
    ] {
        let text = format!("id: f\ntitle: F\nsteps:\n  - {{id: a, agents: [x], outputs: ['{output}']}}\n");
        let document = Document::parse("f.yaml", &text);
        let found = document.diagnostics().iter().filter(|one| one.code == "GH0408");
        let found: Vec<&str> = found.map(|one| one.message.as_str()).collect();
        assert_eq!(found.len(), said.len(), "{output}: {found:?}");
        assert!(
            found.iter().zip(said).all(|(found, said)| found.contains(said)),
            "{output}: {found:?}"
        );
    }
}

/// What is no list of paths is named, and so is what is read as one otherwise than it looks.
#[test]
fn inputs_and_outputs_that_are_no_list_of_paths_are_named() {
    let graph =
        "id: g\nnodes: [{node_id: a, agents: [w]}, {node_id: b, agents: [w]FIELD}]\nedges: [{from: a, to: b}]\n";
    let flow = "id: f\nsteps:\n  - {id: a, role: r, agents: [w], routing: {kind: terminal}FIELD}\n";
    let pipeline = "name: p\nstages:\n  - {name: a, agents: [w], depends_on: []FIELD}\n";
    for (path, text) in [("g.yaml", graph), ("f.yaml", flow), ("p.yaml", pipeline)] {
        for name in ["inputs", "outputs"] {
            for (value, expected) in [
                ("{x: y}", vec![format!("GH0502 {name}")]),
                ("5", vec![format!("GH0104 {name}")]),
                ("true", vec![format!("GH0104 {name}")]),
                ("'a, b'", vec![format!("GH0104 {name}")]),
                ("[5, a.md]", vec!["GH0104 0".to_owned()]),
                ("{}", vec![]),
                ("~", vec![]),
                ("a.md", vec![]),
                ("[a.md, 'b, c.md']", vec![]),
            ] {
                let text = text.replace("FIELD", &format!(", {name}: {value}"));
                assert_eq!(refused(path, &text), Vec::<String>::new(), "{path} {name}: {value}");
                assert_eq!(of(path, &text, Severity::Warning), expected, "{path} {name}: {value}");
            }
        }
    }
}

/// One value that ends a loop, written without a list, is read as one and named, like what a stage waits for.
#[test]
fn a_value_that_ends_a_loop_is_made_a_list() {
    let flow = |values: &str| {
        format!(
            "id: f\nsteps:\n  - {{id: a, role: r, agents: [w]}}\n  - {{id: b, role: r, agents: [w], routing: {{kind: microloop, \
             loop_target: a, loop_condition_field: status, loop_success_values: {values}}}}}\n"
        )
    };
    let text = flow("VERIFIED");
    assert_eq!(of("f.yaml", &text, Severity::Warning), ["GH0104 loop_success_values"]);
    assert_eq!(of("f.yaml", &flow("[VERIFIED]"), Severity::Warning), [""; 0]);
    let document = Document::parse("f.yaml", &text);
    let fix = document
        .diagnostics()
        .iter()
        .find_map(|one| one.fix.as_ref())
        .expect("a fix");
    let mended = dialect::apply(&text, &document.edit(&fix.edit).expect("an edit"));
    assert_eq!(of("f.yaml", &mended, Severity::Warning), [""; 0], "{mended}");
}

/// A limit by another name is named with the right one, and a field of another form is what it is in its own.
#[test]
fn a_limit_by_another_name_is_named() {
    for name in [
        "step_timeout_seconds",
        "step_timeout",
        "timeout_in_seconds",
        "time-limit",
    ] {
        let warned = of("f.yaml", &into(FLOW, &format!("{name}: 1")), Severity::Warning);
        assert_eq!(warned, [format!("GH0502 {name}")]);
    }
    let pipeline = "name: p\nFIELD: true\nstages:\n  - {name: a, agents: [w], depends_on: []}\n";
    for name in ["fail_fast", "fail-fast", "failFast"] {
        let warned = of("p.yaml", &pipeline.replace("FIELD", name), Severity::Warning);
        assert_eq!(warned, [format!("GH0502 {name}")]);
        let goes_on = pipeline.replace("FIELD", &format!("error_handling: skip_dependents\n{name}"));
        assert_eq!(refused("p.yaml", &goes_on), [format!("GH0501 {name}")]);
    }
}
