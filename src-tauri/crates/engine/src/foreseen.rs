//! What an answer would lead to: the machine does it on a copy of the state, and nothing is kept.

use crate::control::commit::Commit;
use crate::cursor::Cursor;
use crate::{Answer, Decided, Decision, ExecutionStatus, GateOpened, Purpose, RunState, StepResult, Way};
use model::{Fields, Workflow};
use std::sync::Arc;

/// A step that may be tried again more often than this is not followed to its end.
const MOST_TRIES: usize = 1_000;

/// What a person's answer would lead to as the run stands, the attempt of a step that they carry out included: it ends as they say, with
/// this report, and so do those that the run would make after it by itself. A pause is left out of account. `None` where this is not asked.
pub fn foreseen(
    workflow: &Workflow,
    state: &RunState,
    opened: &GateOpened,
    (answer, way): (Answer, Option<&Way>),
    report: Fields,
) -> Option<Decided> {
    let created = state.created.as_ref()?;
    let mut asked = state.open_gates().into_iter().map(|round| &round.opened);
    asked.find(|asked| asked.gate == opened.gate && asked.round == opened.round)?;
    let mut before = state.clone();
    before.paused = false;
    let mut commit = Commit::new(workflow, &before, created, state.last_at?);
    let decision = Decision {
        way: way.map(|way| way.id.clone()),
        ..Decision::considered(opened, answer)
    };
    commit.answer(opened, &Arc::new(decision));
    if matches!(opened.purpose, Purpose::Outcome { attempt: true, .. }) {
        let status = match answer {
            Answer::Pass => ExecutionStatus::Succeeded,
            _ => ExecutionStatus::Failed,
        };
        let result = StepResult {
            report,
            ..StepResult::new(status)
        };
        attempted(&mut commit, opened, &Arc::new(result))?;
    }
    Some(commit.settled().into())
}

/// The attempt that an answer is about, and those after it, end with this.
fn attempted(commit: &mut Commit<'_>, opened: &GateOpened, result: &Arc<StepResult>) -> Option<()> {
    let of = &opened.instance;
    let runs = matches!(commit.now.cursor_of(&of.step), Cursor::Running { instance, .. } if instance == of);
    if !runs {
        // There is no room for it yet.
        let attempt = commit.now.next_attempt(of);
        commit.begin(of.clone(), attempt, Vec::new());
    }
    for _ in 0..MOST_TRIES {
        match commit.now.cursor_of(&of.step).clone() {
            Cursor::Running { instance, attempt } if instance == *of => commit.finish(of, attempt, result),
            Cursor::Retrying { instance, attempt, .. } if instance == *of => commit.retry(of, attempt),
            _ => return Some(()),
        }
    }
    None
}
