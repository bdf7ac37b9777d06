//! The engine `shell`: a command line in the project's folder; its exit code decides. So are the code blocks of runbooks
//! carried out (seed 002 "Execution Semantics"), by the shell that the block names.

use super::environment::{desk_of, mark_of};
use super::{Environment, Execution, Executor, Sink, report};
use crate::Keyboard;
use crate::brief::Brief;
use crate::desk;
use process::{Confinement, Order, Talk};
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use store::regular::{self, NotRead};

/// Added to the complaint of a shell that did not find `rd`.
const RD_IS_MISSING: &str = "This runbook calls `rd`, which is the family's own runner: install it, or write the command itself \
    in its place";

/// Whether a shell complains that there is no program `rd`: `sh: 1: rd: not found`, `bash: line 1: rd: command not found`.
fn calls_rd(complaint: &str) -> bool {
    let parts: Vec<&str> = complaint.split(':').map(str::trim).collect();
    complaint.contains("exit code 127") && parts.windows(2).any(|p| p[0] == "rd" && p[1].ends_with("not found"))
}

/// The largest report that is read, in bytes.
const LARGEST_REPORT: u64 = 16 << 20;

/// Runs `sh -c` (or `bash -c`) with a script. The command finds its brief in the file `GATEHOUSE_BRIEF` and may write a report (see
/// `report`) to the file `GATEHOUSE_REPORT`.
#[derive(Debug)]
pub struct Shell {
    program: &'static str,
    line: String,
    environment: Environment,
    /// Whether the step asks for a terminal.
    terminal: bool,
    /// Who types into it.
    keyboard: Option<Arc<dyn Keyboard>>,
}

impl Shell {
    pub(crate) fn new(line: &str, environment: Environment) -> Self {
        Self::of("sh", line, environment)
    }

    /// `program` is a shell that takes `-c`.
    pub(crate) fn of(program: &'static str, line: &str, environment: Environment) -> Self {
        Self {
            program,
            line: line.to_owned(),
            environment,
            terminal: false,
            keyboard: None,
        }
    }

    /// The same with a terminal in place of pipes, where `wanted`, and whoever types into it.
    pub(crate) fn in_terminal(self, wanted: bool, keyboard: Option<Arc<dyn Keyboard>>) -> Self {
        Self {
            terminal: wanted,
            keyboard: keyboard.filter(|_| wanted),
            ..self
        }
    }
}

impl Executor for Shell {
    fn execute<'a>(&'a self, brief: &'a Brief, sink: &'a Sink) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        Box::pin(self.run(brief, sink))
    }
}

impl Shell {
    async fn run(&self, brief: &Brief, sink: &Sink) -> Execution {
        let failed = |what: &str, error: std::io::Error| Execution::failure(format!("{what}: {error}"));
        let mark = mark_of(brief);
        let desk = match desk::make(&desk_of(&mark)) {
            Ok(desk) => desk,
            Err(error) => return failed("no temporary folder could be made for the command", error),
        };
        let (brief_path, report_path) = (desk.path().join("brief.json"), desk.path().join("report.json"));
        let told = serde_json::to_vec_pretty(brief).expect("a brief holds nothing that JSON cannot");
        if let Err(error) = store::private::write_new(&brief_path, &told) {
            return failed("the brief could not be written", error);
        }
        let mut environment = self.environment.of(brief);
        environment.push(("GATEHOUSE_BRIEF".into(), brief_path.into()));
        environment.push(("GATEHOUSE_REPORT".into(), report_path.clone().into()));
        if self.terminal {
            // What is not set where nobody has a terminal, or says what another one can.
            environment.push(("TERM".into(), "xterm".into()));
        }
        let order = Order {
            program: self.program,
            arguments: &["-c".to_owned(), self.line.clone()],
            directory: Path::new(&brief.project_root),
            environment,
            mark,
            confinement: Arc::new(Confinement {
                desk: Some(desk.path().to_owned()),
                ..self.environment.confinement(brief)
            }),
        };
        let keyboard = self.keyboard.as_ref();
        let console =
            keyboard.and_then(|keyboard| keyboard.lend(&brief.run_id, &brief.step.id.to_string(), &brief.step.name));
        if console.is_some() {
            // What they type is not kept, what the program shows of it is.
            sink.remark("a person can type into this terminal");
        }
        let talk = Talk {
            terminal: self.terminal,
            console,
            ..Talk::default()
        };
        let ended = match process::run(order, talk, sink).await {
            Ok(ended) => ended,
            Err(error) => return failed(&format!("the shell `{}` could not be started", self.program), error),
        };
        let written = match regular::read(&report_path, LARGEST_REPORT) {
            Ok(text) => report::read(&text, "the file GATEHOUSE_REPORT", |text| sink.remark(text)),
            Err(NotRead::Missing) => Ok(Execution::success()),
            Err(error) => Err(format!("the file GATEHOUSE_REPORT could not be read: {error}")),
        };
        let mut execution = match written {
            Ok(execution) => execution,
            Err(error) if ended.status.success() => Execution::failure(error),
            // The exit code says more than a report that was cut off.
            Err(_) => Execution::success(),
        };
        if execution.output.is_empty() {
            execution.output.clone_from(&ended.output);
        }
        match ended.complaint() {
            Some(error) if calls_rd(&error) => execution.failed_by(format!("{error}. {RD_IS_MISSING}")),
            Some(error) => execution.failed_by(error),
            None => execution,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::calls_rd;

    #[test]
    fn a_shell_that_does_not_find_rd() {
        for said in [
            "sh: 1: rd: not found",
            "bash: line 1: rd: command not found",
            "sh: rd: not found",
        ] {
            assert!(calls_rd(&format!("command ended with exit code 127: {said}")), "{said}");
        }
        for other in [
            "command ended with exit code 127: sh: 1: rdx: not found",
            "command ended with exit code 1: rd: not found",
            "command ended with exit code 127",
        ] {
            assert!(!calls_rd(other), "{other}");
        }
    }
}
