//! A crew: who carries out a step of any format: one agent or several, together when the step is marked parallel, else one
//! after the other until one fails (seeds 001 and 004 `agents`). Each of them has the step's limit of time.

use super::{Execution, Executor, Sink, Stop};
use crate::brief::Brief;
use crate::clock;
use engine::{At, ExecutionStatus, ModelName};
use futures_util::future::join_all;
use model::AgentKey;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Carries out a step.
pub(crate) struct Crew {
    /// Who does it; one at least.
    pub members: Vec<Member>,
    /// Whether they work at the same time.
    pub together: bool,
    /// The longest time of each.
    pub limit: Duration,
    /// Tells the time.
    pub now: fn() -> At,
}

/// One of those who carry out a step.
pub(crate) struct Member {
    pub agent: AgentKey,
    /// The model that they are asked to use.
    pub wants: Option<ModelName>,
    /// What does their work.
    pub executor: Arc<dyn Executor>,
    /// A person beside one who has answered for all the people of the step: nothing is told of what they did.
    pub silent: bool,
}

/// What one of several agents did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub agent: AgentKey,
    pub started: At,
    pub ended: At,
    pub execution: Execution,
    /// See [`Member::silent`].
    pub silent: bool,
}

impl Crew {
    /// Never fails: what goes wrong is a failed execution. `says_failed`: whether the report of one whose work ended well says that it did
    /// not; nobody begins behind that one either.
    pub(crate) async fn carry_out(
        &self,
        brief: &Brief,
        sink: &Sink,
        says_failed: &(dyn Fn(&Execution) -> bool + Sync),
    ) -> Execution {
        let at_work: Vec<&Member> = self.members.iter().filter(|one| !one.silent).collect();
        if let [one] = at_work.as_slice() {
            let execution = self.within(one, brief, |stop| sink.until(stop), sink).await;
            // A file of the step may be named after the place of each.
            let said = self.members.iter().map(|member| match member.silent {
                true => (member.agent.clone(), String::new()),
                false => (member.agent.clone(), execution.output.clone()),
            });
            return Execution {
                said: said.collect(),
                ..execution
            };
        }
        let parts = match self.together {
            true => join_all(self.members.iter().map(|one| self.part(one, brief, sink))).await,
            false => self.in_order(brief, sink, says_failed).await,
        };
        as_one(parts)
    }

    /// One after the other, until one fails.
    async fn in_order(
        &self,
        brief: &Brief,
        sink: &Sink,
        says_failed: &(dyn Fn(&Execution) -> bool + Sync),
    ) -> Vec<Part> {
        let mut done: Vec<Part> = Vec::new();
        for one in &self.members {
            let part = self.part(one, brief, sink).await;
            let has_failed = match part.execution.status {
                ExecutionStatus::Failed => true,
                ExecutionStatus::Succeeded => says_failed(&part.execution),
                _ => false,
            };
            done.push(part);
            if has_failed || sink.is_stopped() {
                break;
            }
        }
        done
    }

    async fn part(&self, one: &Member, brief: &Brief, sink: &Sink) -> Part {
        let started = (self.now)();
        let brief = brief.of_agent(&one.agent, one.wants.as_ref());
        let execution = self
            .within(one, &brief, |stop| sink.of_agent(&one.agent, stop), sink)
            .await;
        Part {
            agent: one.agent.clone(),
            started,
            ended: (self.now)().max(started),
            execution,
            silent: one.silent,
        }
    }

    /// Lets one of them work until their time is over, or nobody wants it any more.
    async fn within(
        &self,
        one: &Member,
        brief: &Brief,
        own: impl FnOnce(watch::Receiver<Option<Stop>>) -> Sink,
        sink: &Sink,
    ) -> Execution {
        let (stop, stopped) = watch::channel(None);
        let own = own(stopped);
        let mut work = one.executor.execute(brief, &own);
        let limit = self.limit;
        tokio::select! {
            // Work that ends at once needs no clock.
            biased;
            execution = &mut work => execution,
            reason = sink.stopped() => {
                stop.send_replace(Some(reason));
                work.await
            }
            () = async { tokio::time::sleep(limit).await } => {
                stop.send_replace(Some(Stop::Timeout));
                let execution = work.await;
                let limit = clock::spoken(limit);
                let error = format!("the step was stopped after {limit}: it did not end within its time limit");
                Execution { status: ExecutionStatus::Failed, error: Some(error), ..execution }
            }
        }
    }
}

/// What several agents did, as one: failed when one of them failed, skipped when all did. Of a field that several report
/// the last one's counts. Nothing is kept as the part of those in whose stead another one has answered.
fn as_one(mut parts: Vec<Part>) -> Execution {
    let mut whole = Execution::success();
    if parts.iter().all(|one| one.execution.status == ExecutionStatus::Skipped) {
        whole.status = ExecutionStatus::Skipped;
    }
    let mut errors = Vec::new();
    for Part { agent, execution, .. } in &parts {
        if execution.status == ExecutionStatus::Failed {
            whole.status = ExecutionStatus::Failed;
            let why = execution.error.as_deref().unwrap_or("failed");
            errors.push(format!("{agent}: {why}"));
        } else if whole.status == ExecutionStatus::Skipped {
            errors.extend(execution.error.as_ref().map(|why| format!("{agent}: {why}")));
        }
        if !execution.output.trim().is_empty() {
            if !whole.output.is_empty() {
                whole.output.push('\n');
            }
            let said = format!("## {agent}\n\n{}\n", execution.output.trim_end());
            whole.output.push_str(&said);
        }
        whole.report.extend(execution.report.clone());
        whole.receipt_readable &= execution.receipt_readable;
        whole.tokens.add(execution.tokens);
        whole.made.extend(execution.made.iter().cloned());
        whole.tools.extend(execution.tools.iter().cloned());
        whole.said.push((agent.clone(), execution.output.clone()));
    }
    let as_whole = parts.iter().filter(|part| part.execution.status == whole.status);
    let mut alone = as_whole.filter_map(|part| part.execution.error.as_ref());
    whole.error = match errors.len() {
        0 => None,
        // Who it was stands with each of them; the reason stays as it was given.
        1 => alone.next_back().cloned().or(errors.pop()),
        _ => Some(errors.join("; ")),
    };
    parts.retain(|part| !part.silent);
    whole.parts = parts;
    whole
}
