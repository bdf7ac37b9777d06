//! Of every field that a table calls carried out there is a file in which it changes what the workflow is: whoever takes the handling of
//! a field away, and leaves its entry, fails here. What a workflow is: its steps and ways as every dialect reads them, what its agents are
//! told, what stands in its record, and the scenarios it lists.

use dialect::fields::{Becomes, Level, tables};
use dialect::{Document, fields::Shape};
use engine::{AttemptStarted, EngineInfo, RunState};
use model::Severity;
use runtime::brief::Brief;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Where a block stands: the keys from the root, `true` behind those whose value is a list.
type Way = Vec<(&'static str, bool)>;

fn levels(way: Way, level: &'static Level, out: &mut Vec<(Way, &'static Level)>) {
    for field in level.fields {
        if let Some((inner, list)) = field.inside() {
            let mut way = way.clone();
            way.push((field.name, list));
            levels(way, inner, out);
        }
    }
    out.push((way, level));
}

/// Whole files of a shape: of the fields that stand in them, each changes something.
fn files(shape: Shape) -> Vec<Value> {
    let texts: &[&str] = match shape {
        Shape::Flow => &[FLOW, LOOP, FORK, PARALLEL, DETOURS, POLICY, ENDS],
        Shape::FlowList => &[
            "{title: T, flows: [{key: a, index: 2}, {key: b, index: 1}]}",
            "{name: T, flows: [{key: a}, {key: b}]}",
        ],
        Shape::Graph => &[GRAPH, GRAPH_POLICY, GRAPH_LOOP],
        Shape::Pipeline => &[PIPELINE],
        Shape::StepSpec => &[
            STEPSPEC,
            STEPSPEC_OTHERWISE,
            "{format: stepspec, workflow: k, steps: [{id: a, name: A, agent: w}]}",
        ],
        Shape::OneStepSpec => &[
            ONE_STEPSPEC,
            "{id: a, name: A, agents: [w, v], human_gate: required, description: '', phase: '', inputs: {}, outputs: [], templates: [], \
             tools: [], validation: none, evidence: '', retries: {}}",
            "{format: stepspec, workflow: k, id: a, name: A, run: make, gate: required, description: '', phase: '', inputs: {}, outputs: [], \
             templates: [], tools: [], validation: none, evidence: '', retries: {}}",
        ],
        Shape::Bmad => &[
            "{name: k, title: T, description: D, instructions: i.md, installed_path: plans, template: '{installed_path}/t.md', \
             default_output_file: '{output_folder}/o.md', variables: {x: y}, agent: w, phase: p}",
            "{name: k, agents: [w, v], standalone: true, instructions: i.md}",
            "{name: k, agent: w, installed_path: plans, instructions: i.md}",
        ],
        Shape::AgentWorkflow => &[AGENTS, AGENTS_INSIDE, AGENTS_BESIDE, AGENT_GROUPS],
        Shape::FrontMatter => &[
            "{name: k, agents: {'1': [w]}, scenarios: {one: {commands: [rd run k.runbook.md]}}}",
            "{title: k}",
        ],
    };
    let read = |text: &&str| serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut files: Vec<Value> = texts.iter().map(read).collect();
    // The same in every shape that has it.
    let root = tables().into_iter().find(|(of, _)| *of == shape);
    let has = |name: &str| root.is_some_and(|(_, root)| root.fields.iter().any(|field| field.name == name));
    if has("feedback") {
        files[0]["feedback"] = json!({"rounds": 1, "seconds": 60, "escalate_to": "Ada"});
    }
    if has("context") {
        files[0]["context"] = json!({
            "project_constraints": {"timeline": "rush"},
            "technical_preferences": {"languages": ["rust"]},
            "quality_standards": {"minimum_test_coverage": 80},
            "business_context": {"industry": "law"},
        });
    }
    files
}

const AGENTS: &str = "
workflow: {id: k, name: N, description: D, type: greenfield, category: service}
sequence:
  - {step: 1, agent: w, task: plan, creates: x.md, notes: N, instructions: I, human_gate: required, gate_at: before, gate_question: Q,
     gate_asks: [Ann], retries: {max: 2}, timeout_seconds: 9, terminal: true}
  - {id: b, name: B, agents: [w, v], description: D, updates: y.md, requires: x.md, depends_on: [1], on_reject: plan, human_gate: required, phase: P}
  - {id: c, agent: w, action: look, inputs: [x.md], condition: report.x == 3, depends_on: [b]}
  - {id: d, agent: w, optional: true, depends_on: [1], task: late}
  - {id: e, agent: w, task: last,
     execution: {timeout: 5m, retry_on_failure: 3, skip_on_failure: true, escalate_to: v}}
execution_strategy: {error_recovery: {max_retries: 4}}
";

const AGENTS_INSIDE: &str = "
workflow: {id: k, sequence: [{agent: w, creates: x.md}, {agent: v, requires: x.md}]}
";

const AGENTS_BESIDE: &str = "
workflow: {name: N}
parallel_groups: [{group_id: a, parallel: true, agents: [{step: 1, agent: w, task: t}, {step: 2, agent: v, task: u}]}]
";

const GRAPH_LOOP: &str = "
id: k
nodes: [{node_id: a, agent: w, objective: A}, {node_id: b, agent: w, objective: B, params: {max_iterations: 2}}]
edges: [{edge_id: e, from: a, to: b}, {edge_id: f, from: b, to: a, type: loop, condition: {field: x, operator: gt, value: 2}}]
";

const AGENT_GROUPS: &str = "
workflow: {name: N}
parallel_groups:
  - {group_id: a, group_name: A, parallel: true, agents: [{step: 1, agent: w, task: t}, {step: 2, agent: v, task: u}]}
  - {group_id: b, timeout: 5m, synchronization: {type: barrier, timeout: 10m, partial_completion: allow_with_one_success},
     agents: [{step: 3, agent: w, task: x}, {step: 4, agent: v, task: y}]}
  - {group_id: d, synchronization: {type: barrier, timeout: 7m}, agents: [{step: 6, agent: w, task: s}]}
  - {group_id: c, depends_on_groups: [a], optional: true, agents: [{step: 5, agent: w, task: z}]}
execution_strategy: {parallel_execution: {enabled: false}}
";

const FLOW: &str = "
key: k
title: T
steps:
  - {id: a, description: of a, agents: [w], routing: {kind: linear, next: b}}
  - {id: b, role: r, agents: [w], human_gate: true, gate_at: before, gate_question: Why?, gate_asks: [Sure?], on_reject: a,
     reversibility: one_way, teaching_notes: {look: There}, routing: {kind: branch, branch_field: of, branches: {x: c}, default: a}}
  - {id: c, role: r, agents: [w], routing: {kind: branch, when: [{condition: {field: x, operator: gt, value: 2}, next: d}], default: b}}
  - {id: d, role: r, agents: [w], routing: {kind: branch, when: [{condition: {expression: report.x == 3}, next: e}], default: b}}
  - {id: e, role: r, agents: [w], routing: {kind: linear}}
";

const LOOP: &str = "
name: k
steps:
  - {id: a, role: r, agents: [w], routing: {kind: linear, next: b}}
  - {id: b, role: r, agents: [w], routing: {kind: microloop, loop_target: a, loop_condition_field: of, loop_success_values: [GOOD],
     max_iterations: 7, next: c}}
  - {id: c, role: r, agents: [w], routing: {kind: terminal}}
";

const FORK: &str = "
key: k
steps:
  - {id: a, role: r, agents: [w], routing: {kind: fork, fork_targets: [b, c], execution_policy: batch, batch_size: 2, isolation: isolated,
     failure_policy: fail_fast, strategy: quorum, quorum: 2, aggregate_status: best, timeout_seconds: 9}}
  - {id: b, role: r, agents: [w], routing: {kind: linear, next: d}}
  - {id: c, role: r, agents: [w], routing: {kind: linear, next: d}}
  - {id: d, role: r, agents: [w], routing: {kind: fork, fork_targets: [e, f], strategy: quorum, quorum_count: 2}}
  - {id: e, role: r, agents: [w], routing: {kind: linear, next: g}}
  - {id: f, role: r, agents: [w], routing: {kind: linear, next: g}}
  - {id: g, role: r, agents: [w], routing: {kind: join, next: h}}
  - {id: h, role: r, agents: [w], routing: {kind: fork, fork_targets: [i, j], join_config: {strategy: quorum, quorum_count: 2}}}
  - {id: i, role: r, agents: [w], routing: {kind: linear, next: l}}
  - {id: j, role: r, agents: [w], routing: {kind: linear, next: l}}
  - {id: l, role: r, agents: [w], routing: {kind: join}}
";

const PARALLEL: &str = "
key: k
steps:
  - {id: a, role: r, agents: [w]}
  - {id: b, role: r, agents: [w], routing: {kind: linear, next: d}}
  - {id: c, role: r, agents: [w], routing: {kind: linear, next: d}}
  - {id: d, role: r, agents: [w]}
parallel:
  fork_point: a
  fork_config: {targets: [b, c], execution_policy: batch, batch_size: 2, isolation: isolated, failure_policy: fail_fast}
  join_point: d
  join_config: {strategy: quorum, quorum: 2, timeout_seconds: 9, aggregate_status: best}
";

const DETOURS: &str = "
key: k
steps:
  - id: a
    role: r
    agents: [w]
    detours: [{id: own, station: s1}]
    routing: {kind: linear, next: b}
  - id: b
    role: r
    agents: [w]
    suggested_detours: [{id: own2, station: s2}]
    suggested_sidequests: [{id: own3, station: s3}]
    sidequests: [{id: own4, station: s4}]
    routing: {kind: linear}
sidequests: [{sidequest_id: old, from_nodes: [a], to_station: s5}]
suggested_injections: [{id: in, inject_after: [a], station_id: s6}]
suggested_detours: [{id: ours, from: [a], template_id: s7}]
detours:
  - {id: one, name: N, after: [a], agents: [x, y], parallel: true, role: R, inputs: [i], outputs: [o], human_gate: true, gate_at: before,
     gate_question: Q, gate_asks: [Sure?], on_reject: a, retries: {max: 2, backoff_seconds: 3}, timeout_seconds: 9, terminal: true,
     condition: {field: x, operator: gt, value: 2}, return: advance, max_uses: 2, priority: 7}
  - {id: two, title: N, after: [a], agent: x, objective: O, when: {expression: report.x == 3}, return_to: advance, max_uses_per_run: 2}
  - {id: three, after: [a], station: s, objective_template: O, return_behavior: {mode: bounce_to, target_node: b}, one_shot: true,
     trigger_mode: all, triggers: [{condition_type: field_check, field: x, operator: gt, value: 2}, {type: path_pattern, pattern: '*.md'},
     {type: field_check, expression: report.x == 3}]}
  - {id: four, after: [a], station: s, return: bounce_to, target_node: b, routing_type: INJECT_NODE}
  - {id: five, after: [a], station: s, return_behavior: {mode: bounce_to, bounce_to: b}, injection_type: INJECT}
  - {id: six, after: [a], flow: other.yaml}
  - {id: ten, after: [a], station: s, return_behavior: {mode: advance}, triggers: [{condition_type: stall, operator: gt, value: 2},
     {type: iteration_count, operator: gt, value: 2}]}
  - {id: seven, after: [a], flow_id: other}
  - {id: eight, after: [a], workflow: other.yaml}
  - id: nine
    after: [a]
    steps:
      - {id: p, name: N, agents: [x, y], parallel: true, role: R, inputs: [i], outputs: [o], human_gate: true, gate_at: before,
         gate_question: Q, gate_asks: [Sure?], on_reject: a, retries: {max: 2, backoff_seconds: 3}, timeout_seconds: 9, terminal: true}
      - {step_id: q, title: N, template_id: t, objective: O}
      - {id: r, station: s, objective_override: O}
      - {id: t, agent: s, description: O}
";

const POLICY: &str = "
key: k
steps:
  - {id: a, role: r, agents: [w], routing: {kind: linear, next: b}}
  - {id: b, role: r, agents: [w], routing: {kind: microloop, loop_target: a}}
policy:
  max_loop_iterations: 7
  escalation: {on_blocked: pause, max_unverified_streak: 2, escalate_on_unverified_streak: pause}
  routing_decisions: {signal_interpretation: {on_unverified_cannot_iterate: pause}}
  detours: [{id: one, after: [a], station: s}]
  suggested_detours: [{id: two, after: [a], station: s}]
  suggested_injections: [{id: three, inject_after: [a], station: s}]
  sidequests: [{id: four, after: [a], station: s}]
";

const ENDS: &str = "
key: k
steps: [{id: a, role: r, agents: [w]}]
on_complete: {next_flow: b, reason: because, condition: {field: x, operator: gt, value: 2}}
on_failure: {next_flow: c, reason: because}
";

const GRAPH: &str = "
id: k
title: T
nodes:
  - {node_id: a, template_id: w, params: {objective: O}, overrides: {station_id: s}, gate_at: before, human_gate: true,
     gate_question: Q, gate_asks: [Sure?], on_reject: b, reversibility: one_way, teaching_notes: {look: There},
     detours: [{id: one, station: s}], suggested_detours: [{id: two, station: s}], sidequests: [{id: three, station: s}],
     suggested_sidequests: [{id: four, station: s}]}
  - {node_id: b, template_id: w, role: r}
  - {node_id: c, station: w, objective: O}
  - {node_id: d, agent: w, description: O}
edges:
  - {edge_id: e, from: a, to: b, type: branch, priority: 7, condition: {field: x, operator: gt, value: 2}}
  - {edge_id: f, from: a, to: c, type: branch, priority: 9, condition: {expression: report.x == 3}}
  - {edge_id: q, from: b, to: c, type: branch, condition: {field: x, operator: gt, value: 2}}
  - {edge_id: p, from: b, to: d, type: branch, condition: {field: y, operator: gt, value: 2}}
  - {id: s, from: c, to: d, type: branch, condition: {field: x, operator: gt, value: 2}}
  - {id: r, from: c, to: a, type: branch, condition: {field: y, operator: gt, value: 2}}
";

const GRAPH_POLICY: &str = "
key: k
name: T
nodes: [{id: a, template_id: w}, {id: b, template_id: w}, {id: c, template_id: w}, {id: d, template_id: w}]
edges:
  - {edge_id: e, from: a, to: b, type: fork, fork_config: {targets: [b, c], execution_policy: batch, batch_size: 2, isolation: isolated,
     failure_policy: fail_fast}}
  - {edge_id: f, from: b, to: d, type: join, join_config: {strategy: quorum, quorum: 2, timeout_seconds: 9, aggregate_status: best}}
  - {edge_id: g, from: c, to: d, type: join}
policy: {max_loop_iterations: 7, escalation: {on_blocked: pause}}
detours: [{id: one, after: [a], station: s}]
suggested_detours: [{id: two, after: [a], station: s}]
suggested_injections: [{id: three, inject_after: [a], station: s}]
sidequests: [{id: four, after: [a], station: s}]
on_complete: {next_flow: b, reason: because, condition: {field: x, operator: gt, value: 2}}
on_failure: {next_flow: c, reason: because}
";

const PIPELINE: &str = "
pipeline_id: PIPE-20260102-abc-030405
name: T
error_handling: retry
max_retries: 4
retry_delay_seconds: 7
stages:
  - {name: a, agents: [w]}
  - {name: b, agent: w, depends_on: [a], human_gate: required, gate_at: before, gate_question: Q, gate_asks: [Ann], on_reject: a,
     reversibility: one_way}
  - {name: c, run: make}
  - {name: d, workflow: other.yaml}
  - {name: e, workflows: [one.yaml, other.yaml]}
";

const STEPSPEC: &str = "
format: stepspec
workflow: k
title: T
phase: all
agent: w
steps:
  - {id: a, name: A, description: D, phase: p, inputs: {artifacts: [x.md], validation_targets: [y.md]}, outputs: ['{output_folder}/z.md'], templates: [t.md],
     tools: [{name: n, args: {x: 1}, required: true, risk: high, gate: g}], validation: format check, evidence: L1, human_gate: required,
     gate_at: after, retries: {max: 2}}
  - {id: b, name: A, description: D, phase: '', inputs: {}, outputs: [], templates: [], tools: [], validation: none, evidence: '',
     gate: required, retries: {}}
  - {id: c, name: A, description: D, phase: '', inputs: {}, outputs: [], templates: [], tools: [], validation: none, evidence: '',
     human_gate: optional, retries: {}, run: make}
questions:
  - {name: q, label: L, help: H, required: true, options: [x, y], default: x}
  - {name: r, label: L, kind: number}
";

const ONE_STEPSPEC: &str = "
{format: stepspec, workflow: k, id: a, name: A, description: D, phase: p, agent: w, inputs: {artifacts: [x.md], validation_targets: [y.md]},
 outputs: ['{output_folder}/z.md'], templates: [t.md], tools: [{name: n, args: {x: 1}, required: true, risk: high, gate: g}],
 validation: format check, evidence: L1, human_gate: required, gate_at: after, retries: {max: 2}}
";

const STEPSPEC_OTHERWISE: &str = "
id: k
name: T
agents: [w]
run_inputs: [{name: q, label: L, type: number}]
step_specs:
  - {id: a, name: A, description: D, phase: p, inputs: {}, outputs: [], templates: [], tools: [], validation: none, evidence: '',
     human_gate: optional, retries: {}}
";

fn values() -> Vec<Value> {
    vec![
        json!("x"),
        json!("b"),
        json!("a"),
        json!(2),
        json!(true),
        json!(false),
        json!(["x", "y"]),
        json!(["b", "c"]),
    ]
}

/// The block at a way, made where it is not there.
fn at<'f>(file: &'f mut Value, way: &Way) -> &'f mut Value {
    let mut here = file;
    for (key, list) in way {
        let map = here.as_object_mut().expect("a block");
        let empty = if *list { json!([{}]) } else { json!({}) };
        let slot = map.entry(*key).or_insert_with(|| empty.clone());
        if slot.is_array() != *list {
            *slot = empty;
        }
        here = slot;
        if *list {
            let items = here.as_array_mut().expect("a list");
            if items.is_empty() {
                items.push(json!({}));
            }
            here = &mut items[0];
        }
        if !here.is_object() {
            *here = json!({});
        }
    }
    here
}

fn document(shape: Shape, file: &Value) -> Document {
    let text = serde_json::to_string_pretty(file).expect("JSON");
    match shape {
        Shape::FrontMatter => {
            let text = serde_yaml::to_string(file).expect("YAML");
            Document::parse("k.runbook.md", &format!("---\n{text}---\n\n## 1. A\n\nDo it.\n"))
        }
        Shape::Graph => Document::parse("k.graph.json", &text),
        Shape::Bmad => {
            let text = serde_yaml::to_string(file).expect("YAML");
            let steps = "<step n=\"1\" goal=\"A\">Do {x}.<template-output>a</template-output></step>\n";
            Document::parse(
                "k.yaml",
                &dialect::bmad::together(&text, "i.md", steps).expect("a whole"),
            )
        }
        _ => Document::parse("k.json", &text),
    }
}

/// Everything that a workflow is, but for what its author wrote besides.
fn meaning(document: &Document) -> String {
    let workflow = document.workflow();
    let steps = workflow.steps().iter().map(|step| {
        let mut step = step.clone();
        step.fields.clear();
        format!("{step:#?}\n")
    });
    let told = workflow.steps().iter().map(|step| {
        let started = json!({"instance": {"step": step.id, "visit": 1}, "attempt": 1, "agents": [], "engine": EngineInfo::stub()});
        let started: AttemptStarted = serde_json::from_value(started).expect("an attempt");
        Brief::of(workflow, &RunState::default(), step, &started, Path::new("/")).prompt
    });
    let told: String = told.collect();
    let flows = workflow
        .flows()
        .into_iter()
        .map(|(from, to, flow)| format!("{} {} {flow:?}\n", from.id, to.id));
    format!(
        "{} {} {:?} {:?} {:?} {:?} {} {:?} {:?} {:?} {:?} {:?} {:?} {}\n{}{}{told}{:#?}{:?}",
        workflow.id,
        workflow.title,
        workflow.description,
        workflow.kind,
        dialect::context::of(workflow),
        model::Feedback::of(workflow),
        workflow.spec_generation,
        workflow.questions,
        workflow.on_failure,
        workflow.on_complete,
        workflow.after_failure,
        workflow.escalation,
        workflow.parts(),
        workflow.next_reported,
        steps.collect::<String>(),
        flows.collect::<String>(),
        workflow
            .steps()
            .iter()
            .map(|step| format!("{} {:?} {:?}", step.id, step.fields.get("reversibility"), step.routing))
            .collect::<Vec<_>>(),
        runtime::rehearsal::front::listed(workflow),
    )
}

fn errors(document: &Document) -> BTreeSet<String> {
    let found = document.diagnostics().iter().filter(|d| d.severity == Severity::Error);
    found.map(|d| format!("{} {}", d.code, d.message)).collect()
}

/// Every block at a way that a file has.
fn blocks(file: &Value, way: &Way) -> Vec<String> {
    let mut pointers = vec![String::new()];
    for (key, list) in way {
        let here = pointers.into_iter().map(|pointer| format!("{pointer}/{key}"));
        pointers = here
            .flat_map(|pointer| match (file.pointer(&pointer), list) {
                (Some(Value::Array(items)), true) => (0..items.len()).map(|n| format!("{pointer}/{n}")).collect(),
                (Some(Value::Object(_)), false) => vec![pointer],
                _ => Vec::new(),
            })
            .collect();
    }
    pointers
}

fn block<'f>(file: &'f mut Value, pointer: &str) -> &'f mut serde_json::Map<String, Value> {
    let found = file.pointer_mut(pointer).expect("it is there");
    found.as_object_mut().expect("a block")
}

/// Whether a field that stands in the file changes what the workflow is.
fn tells(shape: Shape, file: &Value, way: &Way, name: &str) -> bool {
    let whole = document(shape, file);
    blocks(file, way).iter().any(|pointer| {
        let mut without = file.clone();
        block(&mut without, pointer).remove(name).is_some() && meaning(&document(shape, &without)) != meaning(&whole)
    })
}

/// Whether some value of a field does, put into the first such block.
fn tells_by_itself(shape: Shape, file: &Value, way: &Way, name: &str) -> bool {
    let mut without = file.clone();
    at(&mut without, way).as_object_mut().expect("a block").remove(name);
    let before = document(shape, &without);
    values().into_iter().any(|value| {
        let mut with = without.clone();
        at(&mut with, way)
            .as_object_mut()
            .expect("a block")
            .insert(name.to_owned(), value);
        let after = document(shape, &with);
        errors(&after).is_subset(&errors(&before)) && meaning(&after) != meaning(&before)
    })
}

#[test]
fn every_field_that_is_carried_out_changes_what_the_workflow_is() {
    let wrong = tables().into_iter().flat_map(|(shape, _)| {
        let files = files(shape).into_iter().enumerate();
        files.flat_map(move |(n, file)| {
            errors(&document(shape, &file))
                .into_iter()
                .map(move |error| format!("{shape:?} {n}: {error}"))
        })
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut silent = Vec::new();
    // What stands in several places is read by one piece: it has to tell in one of them.
    let mut told: Vec<(&Level, &str)> = Vec::new();
    for (shape, root) in tables() {
        let mut all = Vec::new();
        levels(Vec::new(), root, &mut all);
        for (way, level) in all {
            for field in level
                .fields
                .iter()
                .filter(|field| matches!(field.becomes, Becomes::CarriedOut))
            {
                if told
                    .iter()
                    .any(|(other, name)| std::ptr::eq(*other, level) && *name == field.name)
                {
                    continue;
                }
                let files = files(shape);
                if files.iter().any(|file| tells(shape, file, &way, field.name))
                    || way.len() < 2 && files.iter().any(|file| tells_by_itself(shape, file, &way, field.name))
                {
                    told.push((level, field.name));
                } else {
                    silent.push((shape, level, way.clone(), field.name));
                }
            }
        }
    }
    silent.retain(|(_, level, _, name)| {
        !told
            .iter()
            .any(|(other, told)| std::ptr::eq(*other, *level) && told == name)
    });
    let list: BTreeSet<String> = silent
        .iter()
        .map(|(shape, _, way, name)| format!("{shape:?} {:?} {name}", way.iter().map(|w| w.0).collect::<Vec<_>>()))
        .collect();
    assert!(
        list.is_empty(),
        "{} of {}:\n{}",
        list.len(),
        told.len(),
        list.into_iter().collect::<Vec<_>>().join("\n")
    );
}
