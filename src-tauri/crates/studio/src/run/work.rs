//! Who did the work of an attempt, and how long it took: of what people carry out, who answered, and the time from when they were asked. And how
//! much of the time of a run was none of it.

use crate::words;
use engine::state::AttemptState;
use engine::{At, Decision, GateId, Instance, ParentRun, Purpose, RunState, waited_ms};

/// From so many hundredths of its time on a run waited nearly all of it.
const NEARLY_ALL: u64 = 98;

/// Of a run that has ended: how much of its time it waited for people, in the runs inside it too, in words, behind how long it took. `None`:
/// less than a second.
pub fn waited(state: &RunState, inside: &[&RunState]) -> Option<String> {
    let ended = state.ended_at?;
    let waited = waited_ms(state, inside, ended);
    let took = state.created_at.map_or(waited, |created| ended.since_ms(created));
    share(waited, took)
}

/// Of a visit of a run that runs inside have carried out: how much of what it `took`, in milliseconds, people were waited for in them, in words.
/// `inside`: the runs inside that run, however deep they lie. `None`: less than a second.
pub fn waited_inside(state: &RunState, visit: &Instance, inside: &[&RunState], took: u64) -> Option<String> {
    let own = &state.created.as_deref()?.run_id;
    let carries = inside.iter().copied().filter(|one| {
        let parent = parent_of(one);
        parent.is_some_and(|parent| parent.run == *own && parent.instance == *visit)
    });
    let waited = carries.filter_map(|one| Some(waited_ms(one, &below(one, inside), one.ended_at?)));
    share(waited.fold(0, u64::saturating_add), took)
}

/// The runs inside a run, however deep they lie.
fn below<'s>(of: &RunState, inside: &[&'s RunState]) -> Vec<&'s RunState> {
    let mut found: Vec<&'s RunState> = Vec::new();
    let mut open = vec![of];
    while let Some(run) = open.pop().and_then(|one| one.created.as_deref()) {
        for one in inside.iter().copied() {
            let lies_in = parent_of(one).is_some_and(|parent| parent.run == run.run_id);
            // What a log says of its parent may be made up, and lead round in a circle.
            if lies_in && !found.iter().any(|known| std::ptr::eq(*known, one)) {
                found.push(one);
                open.push(one);
            }
        }
    }
    found
}

/// The run that a run lies in, and where.
pub(crate) fn parent_of(run: &RunState) -> Option<&ParentRun> {
    run.created.as_deref()?.parent.as_ref()
}

/// How much of `took` was waited, in words; nearly the same length twice would say less.
fn share(waited: u64, took: u64) -> Option<String> {
    let much = match waited.saturating_mul(100) >= took.saturating_mul(NEARLY_ALL) {
        true => "nearly all".to_owned(),
        false => words::duration(waited),
    };
    (waited >= 1000).then(|| format!("{much} of it waiting for people"))
}

/// What people were asked for an attempt, and what came of it.
struct Asked<'s> {
    asked: At,
    answered: At,
    decision: &'s Decision,
}

/// How long the work of an attempt took: that of people from when they were asked until they said how it went, and where agents work with them
/// until the last of them was done. In milliseconds; `None`: it has not ended.
pub fn took(state: &RunState, attempt: &AttemptState) -> Option<u64> {
    let measured = attempt.result.as_deref()?.duration_ms;
    Some(by_people(state, attempt).map_or(measured, |people| {
        let with_agents = attempt.ended_at.filter(|_| !attempt.started.is_by_people());
        with_agents.unwrap_or(people.answered).since_ms(people.asked)
    }))
}

/// When the work of an attempt began: that of people when they were asked, although the log begins the attempt with their answer.
pub fn began(state: &RunState, attempt: &AttemptState) -> At {
    by_people(state, attempt).map_or(attempt.started_at, |people| people.asked)
}

/// What was answered of the people's part of an attempt; `None`: no person does any of it.
pub fn answered<'s>(state: &'s RunState, attempt: &AttemptState) -> Option<&'s Decision> {
    by_people(state, attempt).map(|people| people.decision)
}

fn by_people<'s>(state: &'s RunState, attempt: &AttemptState) -> Option<Asked<'s>> {
    if attempt.started.people().is_empty() && !attempt.started.is_by_people() {
        return None;
    }
    // Asked of every step that is drawn: a run may have very many gates.
    let (workflow, step) = (&state.created.as_deref()?.workflow, &attempt.started.instance.step);
    let gates = [GateId::outcome(workflow, step), GateId::of(workflow, step)];
    let rounds = gates.iter().filter_map(|gate| state.gates.get(gate)).flatten();
    let asked = rounds.filter(|round| {
        matches!(round.opened.purpose, Purpose::Outcome { .. })
            && round.opened.instance == attempt.started.instance
            && round.opened_at <= attempt.started_at
    });
    let people = asked.filter_map(|round| {
        let (decision, answered) = round.answer.as_ref()?;
        Some(Asked {
            asked: round.since,
            answered: *answered,
            decision,
        })
    });
    people.max_by_key(|people| people.answered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_did_nearly_nothing_but_wait_says_so() {
        let cases = [
            (999, 999, None),
            (10_000, 60_000, Some("10 s of it waiting for people")),
            (315_800, 316_000, Some("nearly all of it waiting for people")),
        ];
        for (waited, took, words) in cases {
            assert_eq!(share(waited, took).as_deref(), words, "{waited} of {took}");
        }
    }
}
