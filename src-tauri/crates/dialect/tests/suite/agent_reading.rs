//! Agent workflows: what is read from their generations, whatever stands in them, in time that grows with their length.

use crate::damaged::damaged;
use crate::growth::{grows_evenly_from, numbered};
use dialect::{Document, apply, detect};
use model::{Edit, Failing, Format, Place, Step, Workflow};
use proptest::prelude::*;
use serde_json::json;

fn read(text: &str) -> Workflow {
    let document = Document::parse("w.yaml", text);
    assert_eq!(document.not_a_workflow(), None);
    document.workflow().clone()
}

/// `id: what it waits for`, of each step.
fn waits(workflow: &Workflow) -> Vec<String> {
    let of = |step: &Step| {
        let waits: Vec<&str> = step.depends_on.iter().map(|id| id.as_str()).collect();
        format!("{}: {}", step.id, waits.join(" "))
    };
    workflow.steps().iter().map(of).collect()
}

#[test]
fn a_sequence_is_done_in_its_order_unless_a_step_says_what_it_waits_for() {
    let inside = read(
        "workflow:\n  id: greenfield-ui\n  name: A new page\n  sequence:\n    - {agent: analyst, creates: docs/brief.md}\n    - {agent: pm, creates: prd.md (if needed), requires: brief.md}\n    - {agent: pm, creates: prd.md}\n    - {agent: po, action: check all, optional: true, condition: needs_check}\n",
    );
    assert_eq!(
        waits(&inside),
        ["brief: ", "prd: brief", "prd-3: prd", "check-all: prd-3"]
    );
    assert_eq!(
        (inside.id.as_str(), inside.title.as_str()),
        ("greenfield-ui", "A new page")
    );
    let last = &inside.steps()[3];
    let condition = last.whether.as_ref().and_then(|whether| whether.condition.as_deref());
    assert_eq!((condition, last.failing), (Some("needs_check"), Failing::Spared));
    let beside = read(
        "workflow: {name: brownfield-service, type: brownfield, category: service}\nsequence:\n- {step: 1, agent: a, task: look}\n- {step: 2, agent: b, task: plan}\n- {step: 3, agent: c, task: build, depends_on: [1]}\n- {step: 4, agent: d, task: test, depends_on: [2, build]}\n",
    );
    assert_eq!(
        waits(&beside),
        ["look: ", "plan: look", "build: look", "test: plan build"]
    );
    assert_eq!(beside.kind.as_deref(), Some("brownfield-service"));
    assert!(beside.steps().iter().all(|step| !step.parallel));
}

#[test]
fn groups_wait_for_each_other_and_their_steps_go_on_beside_each_other_or_in_a_row() {
    let workflow = read(
        "workflow: {name: w}\nparallel_groups:\n- group_id: a\n  agents: [{agent: x, task: a1}, {agent: x, task: a2}]\n- group_id: b\n  group_name: Beside\n  parallel: true\n  synchronization: {type: barrier, timeout: 2m, partial_completion: allow_with_one_success}\n  agents: [{agent: x, task: b1, execution: {timeout: 5m, retry_on_failure: true, escalate_to: y}}, {agent: x, task: b2, execution: {timeout: 90s}}]\n- group_id: c\n  optional: true\n  depends_on_groups: [a]\n  agents: [{agent: x, task: c1}]\n- group_id: d\n  depends_on_groups: [b, c]\n  agents: [{agent: x, task: d1}]\nexecution_strategy: {error_recovery: {max_retries: 3}}\n",
    );
    assert_eq!(
        waits(&workflow),
        ["a1: ", "a2: a1", "b1: a2", "b2: a2", "c1: a2", "d1: b1 b2 c1"]
    );
    let steps = workflow.steps();
    assert_eq!(
        steps.iter().map(|step| step.parallel).collect::<Vec<_>>(),
        [false, false, true, true, false, false]
    );
    assert_eq!(
        (steps[2].timeout_ms, steps[3].timeout_ms),
        (Some(120_000), Some(90_000))
    );
    assert_eq!(steps[2].retries.and_then(|retries| retries.max), Some(1));
    assert_eq!(steps[3].retries.and_then(|retries| retries.max), Some(3));
    assert_eq!(steps[2].escalate_to.as_ref().map(|agent| agent.as_str()), Some("y"));
    assert_eq!(steps[2].failing, Failing::SparedBesideAnother);
    assert_eq!((steps[4].whether.is_some(), steps[4].failing), (true, Failing::Spared));
    assert_eq!(steps[2].phase.as_deref(), Some("Beside"));
}

#[test]
fn a_step_has_its_phase_and_in_a_group_it_is_the_group_s_name() {
    let step = "{agent: x, phase: Deploy, human_gate: optional}";
    let workflow = read(&format!("workflow: {{name: w, sequence: [{step}]}}\n"));
    assert_eq!(workflow.steps()[0].phase.as_deref(), Some("Deploy"));
    let codes = |group: &str, step: &str| -> Vec<String> {
        let text = format!("workflow: {{name: w}}\nparallel_groups: [{{{group}, agents: [{step}]}}]\n");
        let document = Document::parse("w.yaml", &text);
        document.diagnostics().iter().map(|found| found.code.clone()).collect()
    };
    assert_eq!(codes("group_id: g", step), ["GH0702"]);
    assert_eq!(codes("group_id: g, phase: Deploy", "{agent: x}"), ["GH0501"]);
    assert_eq!(codes("group_id: g, group_name: Deploy", step), [""; 0]);
    assert_eq!(
        codes("group_id: g, group_name: Deploy, phase: Deploy", "{agent: x}"),
        [""; 0]
    );
}

#[test]
fn other_files_with_a_sequence_are_none() {
    for text in [
        "sequence: [{agent: a}]\n",
        "workflow: {name: w}\nsequence: [{run: make}]\n",
        "workflow: w\nsequence: [{agent: a}]\n",
        "workflow: {name: w}\nparallel_groups: [{agents: [build, test]}]\n",
        "sequence:\n- step: 1\n  screen: login\n",
    ] {
        assert_eq!(detect("w.yaml", text), None, "{text}");
    }
    let said = Document::parse("w.yaml", "workflow: {name: w}\nsequence: [{run: make}]\n");
    let not = said.not_a_workflow().expect("none").to_string();
    assert_eq!(
        not,
        "This is not a workflow: the nearest format is an agent workflow, but no entry of its `sequence` names an `agent`"
    );
}

#[test]
fn a_value_is_changed_where_it_stands() {
    let text =
        "workflow:\n  id: w # ours\n  sequence:\n    - note: {for: people}\n    - {agent: a, description: one}\n";
    let document = Document::parse("w.yaml", text);
    let place = Place::step(0).field("description");
    let edits = document
        .edit(&Edit::Set {
            place: place.clone(),
            value: json!("two"),
        })
        .expect("an edit");
    assert_eq!(apply(text, &edits), text.replace("one", "two"));
    let at = text.find("one").expect("there");
    assert_eq!(document.place_at(at), place);
}

const WORKFLOW: &str = "# ours\nworkflow:\n  id: w\n  type: greenfield\n  sequence: &all\n    - {agent: a, creates: a.md, optional: true}\n    - step: two\n      agent: b\n      depends_on: [a]\n      execution: {timeout: 5m}\nx: *all\nparallel_groups:\n- {group_id: g, parallel: true, agents: [{agent: c}, {agent: d, depends_on: [1]}]}\n- {group_id: h, depends_on_groups: [g], agents: []}\ncontext: {quality_standards: {below: ask}}\n";

fn mutated() -> impl Strategy<Value = String> {
    let pieces = vec![
        "\n",
        "\t",
        "  ",
        ": ",
        "- ",
        "#",
        "'",
        "\"",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*all",
        "<<: *all\n",
        "---\n",
        "\u{feff}",
        "é",
        "\0",
        "sequence:",
        "parallel_groups:",
        "agent: ",
        "depends_on: [w, 1, 2]",
        "depends_on_groups: [h, h]",
        "timeout: -5h",
        "optional: x",
        "condition: [a]",
        "step: 1e400",
        "workflow: {}",
    ];
    damaged(Just(WORKFLOW.to_owned()), pieces, 0..9, 0..6)
}

proptest! {
    #[test]
    fn whatever_stands_there_is_read_and_printed_as_it_is(text in prop_oneof![mutated(), any::<String>()]) {
        let document = Document::parse("w.yaml", &text);
        prop_assert_eq!(document.text(), &text);
        if detect("w.yaml", &text).is_some() {
            prop_assert!(dialect::recognise("w.yaml", &text).is_ok());
        }
        for found in document.diagnostics() {
            let span = document.span(&found.place);
            prop_assert!(span.is_none_or(|span| span.start <= span.end && span.end <= text.len()));
        }
        for step in document.workflow().steps() {
            let place = Place::step(step.ordinal);
            if document.workflow().format == Format::AgentWorkflow && let Some(span) = document.value_span(&place) {
                prop_assert_eq!(document.place_at(span.start).step, Some(step.ordinal));
            }
        }
    }
}

#[test]
fn time_grows_with_the_length() {
    let grows = |name: &str, head: &str, piece: &dyn Fn(usize) -> String| {
        let read = |text: &str| drop(Document::parse("w.yaml", text));
        grows_evenly_from(12_000, name, |size| numbered(head, piece, size), read);
    };
    let sequence = "workflow:\n  id: w\n  sequence:\n";
    grows("a row", sequence, &|n| {
        format!("  - {{agent: a{n}, creates: f{n}.md, requires: f{}.md}}\n", n + 7)
    });
    grows("one name", sequence, &|_| "  - {agent: a}\n".to_owned());
    grows("no steps", sequence, &|_| "  - x\n".to_owned());
    let groups = "workflow: {id: w}\nparallel_groups:\n";
    grows("groups", groups, &|n| {
        format!(
            "- {{group_id: g{n}, parallel: true, agents: [{{agent: a}}, {{agent: b}}], depends_on_groups: [g{}]}}\n",
            n / 2
        )
    });
    let all = |size: usize| {
        let members: Vec<String> = (0..size / 60)
            .map(|n| format!("- {{group_id: g{n}, parallel: true, agents: [{{agent: a}}]}}\n"))
            .collect();
        let names: Vec<String> = (0..size / 60).map(|n| format!("g{n}")).collect();
        let last = "- {group_id: z, parallel: true, depends_on_groups: [";
        let steps = "{agent: q},".repeat(200);
        format!(
            "{groups}{}{last}{}], agents: [{steps}]}}\n",
            members.concat(),
            names.join(", ")
        )
    };
    grows_evenly_from(12_000, "everybody waits for everybody", all, |text| {
        drop(Document::parse("w.yaml", text))
    });
}

#[test]
fn waits_that_are_left_out_are_named_also_where_the_last_one_that_fits_is_the_last_of_a_step() {
    let groups = |count: usize| {
        let agents: Vec<String> = (0..100).map(|n| format!("{{agent: x, id: s{n}}}")).collect();
        let group = |g: usize| {
            let agents = agents.join(", ").replace("id: s", &format!("id: g{g}s"));
            format!("- {{group_id: g{g}, parallel: true, agents: [{agents}]}}\n")
        };
        let all: String = (0..count).map(group).collect();
        Document::parse("w.yaml", &format!("workflow: {{name: w}}\nparallel_groups:\n{all}"))
    };
    let told = |document: &Document| document.diagnostics().iter().filter(|one| one.code == "GH0113").count();
    // Each group of a hundred waits for the hundred before it: fifty times ten thousand ways fill the bound exactly.
    assert_eq!(told(&groups(51)), 0);
    let over = groups(52);
    assert_eq!(told(&over), 1, "{:?}", over.diagnostics());
}

#[test]
fn what_a_step_does_not_set_itself_is_said_as_it_is() {
    let text = "workflow:\n  id: w\n  sequence:\n    - {agent: a, execution: {checkpoint_on_completion: true, feedback_loop: {enabled: true}}}\n";
    let document = Document::parse("w.yaml", text);
    let said: Vec<&str> = document.diagnostics().iter().map(|one| one.message.as_str()).collect();
    let of = |field: &str| {
        said.iter()
            .find(|said| said.contains(field))
            .copied()
            .unwrap_or_default()
    };
    assert!(of("`feedback_loop`").contains("is heard all the same"), "{said:?}");
    assert!(
        of("`checkpoint_on_completion`").contains("whenever a person is asked"),
        "{said:?}"
    );
}

#[test]
fn a_condition_that_was_meant_as_an_expression_and_is_none_says_so() {
    let of = |condition: &str| {
        let text = format!(
            "workflow:\n  id: row\n  sequence:\n    - id: idea\n      agent: analyst\n    - id: draft\n      agent: qa\n      condition: {condition}\n"
        );
        let document = Document::parse("a.yaml", &text);
        let found = document.diagnostics().iter().filter(|one| one.code == "GH0504");
        found.map(|one| one.message.clone()).collect::<Vec<_>>()
    };
    for broken in ["\"size == 'large\"", "\"size == 'large' &&\"", "\"lenght(size) >= 2\""] {
        let said = of(broken);
        let [said] = said.as_slice() else {
            panic!("{broken}: {said:?}")
        };
        assert!(
            said.contains("is no expression (") && said.ends_with("so a person is asked whether it holds"),
            "{said}"
        );
    }
    for fine in ["\"size == 'large'\"", "if the team says so", "\"it's large & heavy\""] {
        assert_eq!(of(fine), Vec::<String>::new(), "{fine}");
    }
}
