//! The engine `command`: any agent program. It reads its brief as one JSON object on standard input, writes its report as
//! one JSON object on standard output, and may talk on standard error meanwhile.

use super::environment::mark_of;
use super::{Environment, Execution, Executor, Sink, report};
use crate::brief::Brief;
use process::{Order, Talk};
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

/// Runs a program with arguments, without a shell.
#[derive(Debug)]
pub struct Command {
    words: Vec<String>,
    environment: Environment,
}

impl Command {
    /// `line` is the quoted form that [`crate::config`] records.
    pub(crate) fn new(line: &str, environment: Environment) -> Self {
        Self {
            words: shlex::split(line).unwrap_or_default(),
            environment,
        }
    }
}

impl Executor for Command {
    fn execute<'a>(&'a self, brief: &'a Brief, sink: &'a Sink) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        Box::pin(self.run(brief, sink))
    }
}

impl Command {
    async fn run(&self, brief: &Brief, sink: &Sink) -> Execution {
        let Some((program, arguments)) = self.words.split_first() else {
            return Execution::failure("the run names no program for this agent");
        };
        let order = Order {
            program,
            arguments,
            directory: Path::new(&brief.project_root),
            environment: self.environment.of(brief),
            mark: mark_of(brief),
            confinement: Arc::new(self.environment.confinement(brief)),
        };
        let talk = Talk {
            input: serde_json::to_vec(brief).expect("a brief holds nothing that JSON cannot"),
            speaks: false,
            ..Talk::default()
        };
        let ended = match process::run(order, talk, sink).await {
            Ok(ended) => ended,
            Err(error) => return Execution::failure(format!("`{program}` could not be started: {error}")),
        };
        let report = report::read(&ended.answer, "standard output", |text| sink.remark(text));
        let mut execution = match (report, ended.complaint()) {
            (Ok(execution), None) => execution,
            (Ok(execution), Some(error)) => execution.failed_by(error),
            (Err(error), None) => Execution::failure(error),
            (Err(_), Some(error)) => Execution::failure(error),
        };
        // What it talked meanwhile is what there is to read when it has nothing to say, above all when it broke.
        if execution.output.is_empty() {
            execution.output = ended.output;
        }
        execution
    }
}
