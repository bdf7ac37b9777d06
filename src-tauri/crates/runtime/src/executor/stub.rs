//! The engine `stub`, which plays every agent of a rehearsal: offline, deterministic. It follows a scenario; without
//! one, every step succeeds. In a run for real it stands for nobody, and nothing is played.

use super::{Execution, Executor, Sink};
use crate::brief::Brief;
use crate::scenario::{Entry, Receipt, Scenario};
use crate::{clock, kept, project};
use engine::{ExecutionStatus, RunId, ToolUse};
use model::{Step, Work};
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Plays a scenario.
#[derive(Debug)]
pub struct Stub {
    scenario: Option<Arc<Scenario>>,
    /// Whether scripted times really pass.
    fast: bool,
    /// The workflows in place of which it plays.
    workflows: Vec<String>,
}

impl Stub {
    /// `fast` plays without waiting.
    pub fn new(scenario: Option<Arc<Scenario>>, fast: bool, work: &Work) -> Self {
        let workflows = workflows(work).to_vec();
        Self {
            scenario,
            fast,
            workflows,
        }
    }
}

impl Executor for Stub {
    fn execute<'a>(&'a self, brief: &'a Brief, sink: &'a Sink) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        let scripted = self
            .scenario
            .as_ref()
            .and_then(|s| s.attempt(&brief.step.id, brief.visit, brief.tries).cloned());
        let entry = scripted.unwrap_or_else(Entry::success).of_agent(&brief.agent);
        let remark = remark(&brief.step.name, &self.workflows, entry.status);
        Box::pin(play(entry, remark, brief, sink, self.fast))
    }
}

/// The workflows that a step runs.
fn workflows(work: &Work) -> &[String] {
    match work {
        Work::SubWorkflow { files } => files,
        _ => &[],
    }
}

/// Whether this is what is said of a step that was only played.
pub(crate) fn is_remark(said: &str, step: &Step, status: ExecutionStatus) -> bool {
    // Earlier versions said the same of every step.
    let all = [workflows(&step.work), &[]];
    all.into_iter().any(|files| said == remark(&step.name, files, status))
}

/// What is said of a step that is only played and for which the scenario has no words.
fn remark(name: &str, workflows: &[String], status: ExecutionStatus) -> String {
    match status {
        ExecutionStatus::Succeeded if !workflows.is_empty() => {
            let files: Vec<String> = workflows.iter().map(|file| format!("`{file}`")).collect();
            let (were, they) = match files.len() {
                1 => ("was", "it asks"),
                _ => ("were", "they ask"),
            };
            format!(
                "A rehearsal of “{name}”: it ends well, as the scenario has it. {} {were} not gone through, so nobody was asked what {they}.\n",
                files.join(", ")
            )
        }
        ExecutionStatus::Succeeded => {
            format!("A rehearsal of “{name}”: nobody was called and nothing was changed.\n")
        }
        ExecutionStatus::Failed => format!("A rehearsal of “{name}”: it fails, as the scenario says.\n"),
        ExecutionStatus::Skipped => format!("A rehearsal of “{name}”: it is skipped, as the scenario says.\n"),
        ExecutionStatus::Blocked => format!("A rehearsal of “{name}”: it waits, as the scenario says.\n"),
    }
}

async fn play(entry: Entry, remark: String, brief: &Brief, sink: &Sink, fast: bool) -> Execution {
    let said = entry.output.clone().unwrap_or(remark);
    let takes = if fast { Duration::ZERO } else { entry.takes };
    // What is said appears while the step runs, so that a window shows life; our own remark on a step that takes no
    // time stands in its result and is not worth an event.
    if entry.output.is_some() || !takes.is_zero() {
        sink.print("stdout", &said);
    }
    if !takes.is_zero() {
        tokio::select! {
            () = tokio::time::sleep(takes) => {}
            _ = sink.stopped() => return Execution { output: said, ..Execution::failure("it was stopped") },
        }
    }
    let mut made = Vec::new();
    for (path, text) in &entry.artifacts {
        match write(brief, path, text) {
            Ok(written) => made.push(written),
            Err(error) => {
                return Execution {
                    output: said,
                    ..Execution::failure(error)
                };
            }
        }
    }
    let now = clock::now();
    let tools = entry.tools.into_iter().map(|call| ToolUse {
        tool: call.tool,
        input: call.input,
        success: call.success,
        output: call.output,
        started_at: now,
        ended_at: now,
    });
    Execution {
        status: entry.status,
        error: match entry.status {
            ExecutionStatus::Succeeded => None,
            _ => entry.error,
        },
        report: entry.report,
        receipt_readable: entry.receipt == Receipt::Readable,
        output: said,
        said: Vec::new(),
        parts: Vec::new(),
        tokens: entry.tokens,
        made,
        transcript: Vec::new(),
        tools: tools.collect(),
        answered: None,
        ended_inside: None,
        hands: Vec::new(),
    }
}

/// Writes a scripted file below the run's own folder. Gives its path, relative to the project.
fn write(brief: &Brief, path: &str, text: &str) -> Result<String, String> {
    let refused = |why: String| format!("the scenario's file was not written: {why}");
    let run = RunId::from(brief.run_id.as_str());
    let (root, own) = (Path::new(&brief.project_root), project::run_base(&run));
    let to_write = |relative: &str| kept::to_write(root, relative, &own).map_err(|e| refused(e.to_string()));
    // What a run for real could not write is refused here too: that is what a rehearsal is for.
    to_write(&project::relative(path, &run).map_err(|e| refused(e.to_string()))?)?;
    let relative = project::rehearsed(path, &run).map_err(|e| refused(e.to_string()))?;
    let file = to_write(&relative)?;
    // Writing to a pipe would wait for somebody who reads it.
    if file.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(refused(format!("{path} is there and is not a file")));
    }
    let written = kept::write(root, &relative, text.as_bytes(), None);
    written.map_err(|error| refused(format!("{path}: {error}")))?;
    Ok(relative)
}
