//! The tool calls of a workflow before anything is called: what each risks and what comes of it, in words.

use crate::run::lifecycle;
use crate::run::lifecycle_view::{ToolPlan, ToolVerdict};
use crate::text::safe;
use crate::words;
use crate::workflow::view::StepTools;
use model::{Risk, Step, ToolCall, ToolRefusal, Workflow};
use runtime::PlannedCall;

/// The calls of one step, in order. `planned`: those of the whole workflow.
pub fn of_step(step: &Step, planned: &[PlannedCall]) -> Vec<ToolPlan> {
    let judged = planned.iter().filter(|call| call.step == step.id);
    step.tools
        .iter()
        .zip(judged)
        .map(|(call, judged)| plan(call, judged))
        .collect()
}

/// The calls of every step that makes some.
pub fn of_workflow(workflow: &Workflow, planned: &[PlannedCall]) -> Vec<StepTools> {
    let steps = workflow.steps().iter().filter(|step| !step.tools.is_empty());
    steps
        .map(|step| StepTools {
            of: None,
            step: words::of_step(step),
            tools: of_step(step, planned),
        })
        .collect()
}

fn plan(call: &ToolCall, judged: &PlannedCall) -> ToolPlan {
    let verdict = match (&judged.refused, &judged.gate) {
        (Some(ToolRefusal::Unknown), _) => ToolVerdict::Unknown,
        (Some(_), _) => ToolVerdict::Refused,
        (None, Some(_)) => ToolVerdict::Asks,
        (None, None) => ToolVerdict::Called,
    };
    let own_gate = call.gate.as_deref().is_some_and(|gate| !gate.trim().is_empty());
    let mut said = match (verdict, &judged.refused) {
        (ToolVerdict::Called, _) => "it is used without asking".to_owned(),
        (ToolVerdict::Asks, _) if own_gate => "a person is asked first: the workflow says so".to_owned(),
        (ToolVerdict::Asks, _) => match judged.risk {
            Risk::High => "a person is asked first: it is of high risk".to_owned(),
            _ => format!(
                "a person is asked first: the project asks for calls of {} risk",
                judged.risk.word()
            ),
        },
        (ToolVerdict::Unknown, _) => "there is no such tool here".to_owned(),
        (ToolVerdict::Refused, Some(ToolRefusal::Blocklisted)) => {
            "the project's list of forbidden tools names it".to_owned()
        }
        (ToolVerdict::Refused, Some(ToolRefusal::NotListed)) => {
            "the project's list of allowed tools does not name it".to_owned()
        }
        (ToolVerdict::Refused, why) => why.as_ref().map(ToString::to_string).unwrap_or_default(),
    };
    if matches!(verdict, ToolVerdict::Unknown | ToolVerdict::Refused) {
        said.push_str(if call.required {
            "; the step fails"
        } else {
            "; it is left out"
        });
    }
    if judged.lowered {
        said.push_str("; that the workflow calls it less risky than the project does changes nothing");
    }
    ToolPlan {
        name: safe::visible(&call.name),
        description: Some(safe::visible(&judged.description)).filter(|text| !text.trim().is_empty()),
        args: lifecycle::readable(&call.args),
        required: call.required,
        risk: judged.risk,
        verdict,
        words: said,
        starts: judged.starts.as_deref().map(safe::visible),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const CONFIG: &str = "tools: {blocklist: [writeTextFile], declared: [{name: deploy, risk: high, description: Ships it., command: sh deploy.sh}]}\n";
    const TEXT: &str = "format: stepspec\nworkflow: w\nsteps:\n- {id: a, name: A, tools: [{name: getCurrentTime}, {name: deploy, args: {to: here}}, \
                        {name: deploy, risk: low}, {name: writeTextFile, required: true}, {name: nothing}, {name: getCurrentTime, gate: legal}]}\n- {id: b, name: B}\n";

    #[test]
    fn what_comes_of_each_call_is_said_before_anything_is_called() {
        let config = runtime::config::Config::parse(Path::new("gatehouse.yaml"), CONFIG).expect("it is valid");
        let document = dialect::Document::parse("w.yaml", TEXT);
        let steps = of_workflow(document.workflow(), &runtime::planned(document.workflow(), &config));
        assert_eq!(steps.len(), 1);
        let said: Vec<String> = steps[0]
            .tools
            .iter()
            .map(|tool| format!("{} {}: {}", tool.name, tool.risk.word(), tool.words))
            .collect();
        assert_eq!(
            said,
            [
                "getCurrentTime low: it is used without asking",
                "deploy high: a person is asked first: it is of high risk",
                "deploy high: a person is asked first: it is of high risk; that the workflow calls it less risky than the project does changes nothing",
                "writeTextFile medium: the project's list of forbidden tools names it; the step fails",
                "nothing low: there is no such tool here; it is left out",
                "getCurrentTime low: a person is asked first: the workflow says so",
            ]
        );
        let deploy = &steps[0].tools[1];
        assert_eq!(
            (deploy.args.as_str(), deploy.starts.as_deref()),
            ("to: here", Some("sh deploy.sh"))
        );
        assert_eq!(deploy.description.as_deref(), Some("Ships it."));
    }
}
