//! A crew (seed 004): who carries out a stage of a pipeline: one agent or several, together when the stage is marked
//! parallel, else one after the other until one fails.

use super::{Execution, Executor, Sink};
use crate::brief::Brief;
use engine::ExecutionStatus;
use futures_util::future::join_all;
use model::AgentKey;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Carries out a stage.
pub(crate) struct Crew {
    /// Who does it, each with their engine; one at least.
    pub members: Vec<(AgentKey, Arc<dyn Executor>)>,
    /// Whether they work at the same time.
    pub together: bool,
}

impl Crew {
    async fn run(&self, brief: &Brief, sink: &Sink) -> Execution {
        let executions = self.all(brief, sink).await;
        let said = executions
            .iter()
            .map(|(agent, one)| (agent.clone(), one.output.clone()))
            .collect();
        Execution {
            said,
            ..together(executions)
        }
    }

    async fn all(&self, brief: &Brief, sink: &Sink) -> Vec<(AgentKey, Execution)> {
        let [(agent, executor)] = self.members.as_slice() else {
            let each = self.members.iter().map(|(agent, executor)| async move {
                let execution = executor.execute(&brief.of_agent(agent), &sink.of_agent(agent)).await;
                (agent.clone(), execution)
            });
            if self.together {
                return join_all(each).await;
            }
            let mut done = Vec::new();
            for one in each {
                let (agent, execution) = one.await;
                let failed = execution.status == ExecutionStatus::Failed;
                done.push((agent, execution));
                if failed || sink.is_stopped() {
                    break;
                }
            }
            return done;
        };
        vec![(agent.clone(), executor.execute(brief, sink).await)]
    }
}

/// What several agents did, as one.
fn together(executions: Vec<(AgentKey, Execution)>) -> Execution {
    if executions.len() == 1 {
        return executions
            .into_iter()
            .next()
            .map_or_else(Execution::success, |(_, one)| one);
    }
    let mut whole = Execution::success();
    if executions.iter().all(|(_, one)| one.status == ExecutionStatus::Skipped) {
        whole.status = ExecutionStatus::Skipped;
    }
    let mut errors = Vec::new();
    for (agent, one) in executions {
        if one.status == ExecutionStatus::Failed {
            whole.status = ExecutionStatus::Failed;
            let why = one.error.clone().unwrap_or_else(|| "failed".to_owned());
            errors.push(format!("{agent}: {why}"));
        } else if whole.status == ExecutionStatus::Skipped {
            errors.extend(one.error.as_ref().map(|why| format!("{agent}: {why}")));
        }
        if !one.output.trim().is_empty() {
            if !whole.output.is_empty() {
                whole.output.push('\n');
            }
            whole
                .output
                .push_str(&format!("## {agent}\n\n{}\n", one.output.trim_end()));
        }
        let report = one.report.into_iter().collect::<serde_json::Map<_, _>>();
        if !report.is_empty() {
            whole.report.insert(agent.to_string(), Value::Object(report));
        }
        whole.receipt_readable &= one.receipt_readable;
        whole.tokens.prompt += one.tokens.prompt;
        whole.tokens.completion += one.tokens.completion;
        whole.tokens.total += one.tokens.total;
        whole.made.extend(one.made);
        whole.transcript.extend(one.transcript);
        whole.tools.extend(one.tools);
    }
    whole.error = (!errors.is_empty()).then(|| errors.join("; "));
    whole
}

impl Executor for Crew {
    fn execute<'a>(&'a self, brief: &'a Brief, sink: &'a Sink) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        Box::pin(self.run(brief, sink))
    }
}
