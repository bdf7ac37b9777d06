//! Tools: the explicit calls of a step, in order, before its work (seed 000 "Tool calls"; CONTRACTS "StepSpec").

use super::care::digest;
use super::{Ask, Attempt, CALLED_OFF, Care, Job, Said};
use crate::clock;
use crate::executor::Sink;
use engine::{At, ToolAsk, ToolRecord, ToolStatus};
use model::ToolCall;
use serde_json::Value;
use tool::{Call, Context, Judgement, Verdict};

/// Makes the calls, each within its own time. A call that failed ends the step only if it is required; one that a
/// person must approve waits for them whether it is required or not, and what comes after it is not called.
pub(super) async fn call(attempt: &mut Attempt) -> Said {
    let Job { care, brief, .. } = &mut attempt.job;
    let (held, sink) = (&mut attempt.held, &attempt.sink);
    if care.step.tools.is_empty() {
        return Said::Continue;
    }
    let context = care.toolbox.context(brief);
    for (place, call) in care.step.tools.iter().enumerate() {
        if sink.is_stopped() {
            return Said::Fail(CALLED_OFF.to_owned());
        }
        let before = care
            .earlier
            .get(&place)
            .filter(|before| before.name == call.name && before.args == call.args);
        if let Some(before) = before {
            let record = ToolRecord {
                earlier: true,
                ..before.clone()
            };
            tell(care, &record, sink).await;
            held.calls.push(record);
            continue;
        }
        let asked = Call {
            name: &call.name,
            args: &call.args,
            risk: call.risk,
            gate: call.gate.as_deref(),
            step: care.step.id.as_str(),
        };
        let (registry, rules) = (&care.toolbox.registry, &care.toolbox.settings.tools);
        let approved = care.approved.contains(&place);
        let judged = registry.judge(&asked, rules, |_| approved);
        let mut record = ToolRecord {
            name: call.name.clone(),
            args: call.args.clone(),
            required: call.required,
            risk: judged.risk,
            status: ToolStatus::Blocked,
            error: judged.verdict.refusal().map(ToString::to_string).unwrap_or_default(),
            output: Value::Null,
            gate: gate_of(&judged, &asked, approved),
            earlier: false,
            started_at: clock::now(),
            ended_at: At(0),
        };
        match judged.verdict {
            Verdict::Go => carry_out(care, &context, call, &mut record, sink).await,
            Verdict::Refused(why) => record.status = ToolStatus::of(&why),
            Verdict::NeedsApproval { gate } => {
                record.ended_at = record.started_at;
                let risk = record.risk;
                held.calls.push(record);
                return Said::Ask(Ask::Call(Box::new(ToolAsk {
                    gate,
                    tool: call.name.clone(),
                    args: call.args.clone(),
                    risk,
                    call: digest(call),
                    place,
                })));
            }
        }
        record.ended_at = clock::now().max(record.started_at);
        let failed = record.status != ToolStatus::Completed;
        if failed {
            sink.remark(&format!("tool {}: {}", record.name, record.error));
        }
        tell(care, &record, sink).await;
        let error = record.error.clone();
        held.calls.push(record);
        if failed && call.required {
            return Said::Fail(error);
        }
    }
    brief.tools.clone_from(&held.calls);
    brief.address();
    Said::Continue
}

/// Has it recorded before anything else is done. Of a call that was called off nobody knows what it came to, and nothing of a script is called.
async fn tell(care: &Care, record: &ToolRecord, sink: &Sink) {
    let is_known = record.status == ToolStatus::Completed || !sink.is_stopped();
    if is_known && !care.is_scripted() {
        sink.called(record.clone()).await;
    }
}

async fn carry_out(care: &Care, context: &Context, call: &ToolCall, record: &mut ToolRecord, sink: &Sink) {
    if let Some(script) = &care.script {
        let said = script.calls.get(&call.name).cloned().unwrap_or_default();
        record.status = if said.error.is_some() {
            ToolStatus::Failed
        } else {
            ToolStatus::Completed
        };
        record.error = said.error.unwrap_or_default();
        record.output = said.output;
        return;
    }
    let stopped = async {
        sink.stopped().await;
    };
    let registry = &care.toolbox.registry;
    let outcome = registry.call(&call.name, &call.args, context, stopped).await;
    record.status = if outcome.is_completed() {
        ToolStatus::Completed
    } else {
        ToolStatus::Failed
    };
    record.output = outcome.output;
    record.error = outcome.error;
}

fn gate_of(judged: &Judgement, call: &Call<'_>, approved: bool) -> Option<String> {
    match &judged.verdict {
        Verdict::NeedsApproval { gate } => Some(gate.clone()),
        _ if approved => Some(call.gate_name()),
        _ => None,
    }
}
