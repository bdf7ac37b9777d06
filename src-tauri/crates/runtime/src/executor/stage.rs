//! A stage of a pipeline (seed 004): one agent or several, together when the stage is marked parallel, else one after the other;
//! what they make goes into the stage's folder.

use super::{Execution, Executor, Sink};
use crate::brief::Brief;
use crate::pipeline::outputs::{self, Outputs};
use engine::{ExecutionStatus, RunId};
use futures_util::future::join_all;
use model::AgentKey;
use serde_json::Value;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

/// Carries out a stage.
pub(crate) struct Stage {
    /// Who does it, each with their engine; one at least.
    pub members: Vec<(AgentKey, Arc<dyn Executor>)>,
    /// Whether they work at the same time.
    pub together: bool,
    /// What the workflow says it makes.
    pub declared: Vec<String>,
    /// Whether there can be anything to keep.
    pub writes: bool,
    /// Where it goes.
    pub outputs: Outputs,
}

impl Stage {
    async fn run(&self, brief: &Brief, sink: &Sink) -> Execution {
        if !self.writes {
            return together(self.all(brief, sink).await);
        }
        let root = PathBuf::from(&brief.project_root);
        let prepared = self.on_disk(&root, Outputs::prepare).await;
        let folder = match prepared {
            Ok(folder) => folder,
            Err(error) => return Execution::failure(error),
        };
        let mut brief = brief.clone();
        brief.output_folder = Some(folder.to_string_lossy().into_owned());
        let executions = self.all(&brief, sink).await;
        let texts: Vec<(String, String)> = executions
            .iter()
            .map(|(agent, execution)| (self.text_name(agent, executions.len()), execution.output.clone()))
            .collect();
        let mut whole = together(executions);
        if whole.status != ExecutionStatus::Succeeded {
            return whole;
        }
        let (run, declared) = (RunId::from(brief.run_id.as_str()), self.declared.clone());
        let made = std::mem::take(&mut whole.made);
        let kept = self.on_disk(&root, move |outputs, root| {
            keep(outputs, root, &run, &declared, &made, &texts)
        });
        match kept.await {
            Ok((files, notes)) => {
                for note in notes {
                    sink.print("stderr", &format!("gatehouse: {note}\n"));
                }
                whole.made = files;
                whole
            }
            Err(error) => whole.failed_by(error),
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
                let ended = execution.status != ExecutionStatus::Succeeded;
                done.push((agent, execution));
                if ended {
                    break;
                }
            }
            return done;
        };
        vec![(agent.clone(), executor.execute(brief, sink).await)]
    }

    /// What an agent's text is called: the declared output when there is one for each agent, else the agent's name.
    fn text_name(&self, agent: &AgentKey, members: usize) -> String {
        let place = self.members.iter().position(|(member, _)| member == agent);
        match (place, self.declared.as_slice()) {
            (Some(place), declared) if declared.len() == members => outputs::file_name(&declared[place]),
            _ => outputs::file_name(agent.as_str()),
        }
    }

    async fn on_disk<T: Send + 'static>(
        &self,
        root: &Path,
        work: impl FnOnce(&Outputs, &Path) -> Result<T, outputs::Error> + Send + 'static,
    ) -> Result<T, String> {
        let (outputs, root) = (self.outputs.clone(), root.to_owned());
        match tokio::task::spawn_blocking(move || work(&outputs, &root)).await {
            Ok(done) => done.map_err(|error| error.to_string()),
            Err(error) => Err(format!("the stage's files could not be kept: {error}")),
        }
    }
}

/// Brings everything that the stage made into its folder: files that it wrote elsewhere, and what it said where it declares
/// outputs and wrote none. Gives the files and what is to be said about them.
fn keep(
    outputs: &Outputs,
    root: &Path,
    run: &RunId,
    declared: &[String],
    made: &[String],
    texts: &[(String, String)],
) -> Result<(Vec<String>, Vec<String>), outputs::Error> {
    let mut notes = outputs.gather(root, run, declared)?;
    notes.extend(outputs.gather(root, run, made)?);
    if !declared.is_empty() && outputs.files(root)?.is_empty() {
        for (name, text) in texts.iter().filter(|(_, text)| !text.trim().is_empty()) {
            outputs.keep(root, name, text)?;
        }
    }
    let files = outputs.files(root)?;
    outputs.publish(root)?;
    Ok((files, notes))
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
    let mut errors = Vec::new();
    for (agent, one) in executions {
        if one.status == ExecutionStatus::Failed {
            whole.status = ExecutionStatus::Failed;
            let why = one.error.clone().unwrap_or_else(|| "failed".to_owned());
            errors.push(format!("{agent}: {why}"));
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

impl Executor for Stage {
    fn execute<'a>(&'a self, brief: &'a Brief, sink: &'a Sink) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        Box::pin(self.run(brief, sink))
    }
}
