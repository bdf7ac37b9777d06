//! What the steps of a workflow will call, before a run begins: so that nobody is surprised by it.

use crate::config::Config;
use model::{Risk, Step, StepId, ToolCall, ToolRefusal, Workflow};
use serde_json::{Map, Value, json};
use tool::{Call, Registry, Served, Spec, Verdict, arguments, judge};

/// A tool call as it stands in a workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCall {
    /// Which step makes it.
    pub step: StepId,
    /// Which tool.
    pub tool: String,
    /// What the tool does, where it is known.
    pub description: String,
    /// Whether its failure fails the step.
    pub required: bool,
    /// What it risks: its own word, else the tool's.
    pub risk: Risk,
    /// The call says that it risks less than its tool does.
    pub lowered: bool,
    /// What is started for it: a command line of the project, that of an MCP or a language server; absent: nothing.
    pub starts: Option<String>,
    /// The gate at which a person must approve it.
    pub gate: Option<String>,
    /// Why it will not be made: no such tool, or a list forbids it. Arguments are not looked at: they may hold
    /// placeholders.
    pub refused: Option<ToolRefusal>,
}

/// The calls of all steps, in order.
pub fn planned(workflow: &Workflow, config: &Config) -> Vec<PlannedCall> {
    let around = &config.around;
    let registry = known(config);
    let mut calls = Vec::new();
    for step in workflow.steps() {
        for call in &step.tools {
            let asked = Call {
                name: &call.name,
                args: &Value::Null,
                risk: call.risk,
                gate: call.gate.as_deref(),
                step: step.id.as_str(),
            };
            let spec = registry.lookup(&call.name);
            // What the arguments will be is known when the placeholders in them are: until then they neither fit nor
            // fail, and must not hide that a person is asked.
            let any = spec.map(|spec| Spec {
                schema: json!({}),
                required_args: Vec::new(),
                ..spec.clone()
            });
            let judged = judge(&asked, any.as_ref(), &around.tools, |_| false);
            let declared = around.declared.iter().find(|declared| declared.name == call.name);
            let starts = declared.and_then(|declared| match &declared.served {
                Served::Command(line) => Some(line.clone()),
                Served::Mcp { server, .. } => around.mcp.get(server).cloned(),
            });
            calls.push(PlannedCall {
                step: step.id.clone(),
                tool: call.name.clone(),
                description: spec.map(|spec| spec.description.clone()).unwrap_or_default(),
                required: call.required,
                risk: judged.risk,
                lowered: judged.lowered,
                starts,
                gate: match &judged.verdict {
                    Verdict::NeedsApproval { gate } => Some(gate.clone()),
                    _ => None,
                },
                refused: match judged.verdict {
                    // What its arguments are is known when it is made.
                    Verdict::Refused(ToolRefusal::Other(_)) | Verdict::Go | Verdict::NeedsApproval { .. } => None,
                    Verdict::Refused(why) => Some(why),
                },
            });
        }
    }
    calls
}

/// The names of the tools that a project has, those of language and MCP servers left out: nothing is started for it.
pub fn tool_names(config: &Config) -> Vec<String> {
    known(config).list().map(|spec| spec.name.clone()).collect()
}

/// A call that its tool would refuse because of its arguments.
pub(crate) struct Unfitting<'w> {
    /// Which step makes it.
    pub step: &'w Step,
    /// Its place in the step's list, from 0.
    pub place: usize,
    /// The call.
    pub call: &'w ToolCall,
    /// Why it is refused.
    pub why: String,
    /// What the tool takes, by name.
    pub takes: Vec<String>,
}

/// The calls that a tool of the project would refuse because of their arguments, as far as that is known before a run.
pub(crate) fn unfitting<'w>(workflow: &'w Workflow, config: &Config) -> Vec<Unfitting<'w>> {
    let registry = known(config);
    let mut found = Vec::new();
    for step in workflow.steps() {
        for (place, call) in step.tools.iter().enumerate() {
            let Some(spec) = registry.lookup(&call.name) else {
                continue;
            };
            let why = match has_placeholder(&call.args) {
                true => arguments::refused(&by_name(spec), &call.args),
                false => arguments::refused(spec, &call.args),
            };
            found.extend(why.map(|why| Unfitting {
                step,
                place,
                call,
                why,
                takes: names(spec).map(str::to_owned).collect(),
            }));
        }
    }
    found
}

/// Whether something in the arguments is filled in when the call is made.
fn has_placeholder(args: &Value) -> bool {
    match args {
        Value::String(text) => text.contains('{'),
        Value::Array(items) => items.iter().any(has_placeholder),
        Value::Object(fields) => fields.values().any(has_placeholder),
        _ => false,
    }
}

/// What a tool takes, by name.
fn names(spec: &Spec) -> impl Iterator<Item = &str> {
    let properties = spec.schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, _)| name.as_str())
}

/// A tool as far as the names of its arguments go: what they are is known when the placeholders in them are.
fn by_name(spec: &Spec) -> Spec {
    let schema = &spec.schema;
    let names: Map<String, Value> = names(spec).map(|name| (name.to_owned(), json!(true))).collect();
    let is_closed = schema["additionalProperties"] == json!(false) && schema["patternProperties"].is_null();
    Spec {
        schema: json!({"type": "object", "properties": names, "additionalProperties": !is_closed}),
        ..spec.clone()
    }
}

/// Every tool that a project has, by name; nothing is started for it.
fn known(config: &Config) -> Registry {
    super::toolbox::registry(config, None).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn what_a_step_will_call_is_known_before_it_begins() {
        let config = "tools:\n  blocklist: [writeTextFile]\n  declared: [{name: deploy, risk: high, command: sh deploy.sh, \
                      args: {type: object, required: [euros], properties: {euros: {type: string, pattern: '^[0-9]+$'}}}}, \
                      {name: find, risk: low, mcp: notes}]\nmcp: {notes: node notes.mjs}\n";
        let config = Config::parse(Path::new("gatehouse.yaml"), config).expect("it is valid");
        let text = "format: stepspec\nworkflow: w\nsteps:\n- {id: a, name: A, tools: [{name: getCurrentTime}, {name: deploy, risk: medium}, \
                    {name: deploy, args: {euros: '{{amount}}'}}, {name: find}, {name: writeTextFile}, {name: nothing}, {name: readTextFile, args: {path: a.md}, gate: legal}]}\n";
        let workflow = dialect::Document::parse("w.yaml", text).workflow().clone();
        let said: Vec<String> = planned(&workflow, &config)
            .iter()
            .map(|call| {
                let starts = call.starts.as_deref().unwrap_or("-");
                let stands = call
                    .gate
                    .as_deref()
                    .or(call.refused.as_ref().map(ToolRefusal::as_str))
                    .unwrap_or("goes");
                let lowered = if call.lowered { " lowered" } else { "" };
                format!("{} {}{lowered} [{starts}] {stands}", call.tool, call.risk.word())
            })
            .collect();
        assert_eq!(
            said,
            [
                "getCurrentTime low [-] goes",
                "deploy high lowered [sh deploy.sh] tool:deploy:a",
                "deploy high [sh deploy.sh] tool:deploy:a",
                "find low [node notes.mjs] goes",
                "writeTextFile medium [-] blocklisted tool",
                "nothing low [-] unknown tool",
                "readTextFile low [-] legal",
            ]
        );
    }
}
