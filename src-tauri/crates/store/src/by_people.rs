//! From when to when people carried a step out: from when they were asked until they said how it went. The log begins the attempt with neither: it
//! takes up what they made when somebody goes on with the run behind their answer.

use crate::Stored;
use engine::{At, Event, ExecutionStatus, GateId, Instance, Purpose};
use std::collections::BTreeMap;

/// What people were asked to carry out. Feed it the log from the first event on.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByPeople {
    asked: BTreeMap<(GateId, u32), (Instance, At)>,
    /// What they have said is done, until an attempt that takes it up comes to its end: when they were asked and when they answered. One that is cut
    /// off leaves it to the next.
    answered: BTreeMap<Instance, (At, At)>,
}

impl ByPeople {
    /// Takes up the next event. Gives the time of the work of an attempt that begins with it, where people alone carry it out.
    pub fn push(&mut self, stored: &Stored) -> Option<(At, At)> {
        match &stored.event {
            Event::GateOpened(opened) if matches!(opened.purpose, Purpose::Outcome { attempt: true, .. }) => {
                let key = (opened.gate.clone(), opened.round);
                self.asked.insert(key, (opened.instance.clone(), stored.at));
                None
            }
            Event::GateAnswered(decision) => {
                let (instance, asked) = self.asked.remove(&(decision.gate.clone(), decision.round))?;
                self.answered.insert(instance, (asked, stored.at));
                None
            }
            Event::AttemptStarted(started) => {
                let time = self.answered.get(&started.instance).copied()?;
                started.is_by_people().then_some(time)
            }
            Event::AttemptEnded { instance, result, .. } if result.status != ExecutionStatus::Blocked => {
                self.answered.remove(instance);
                None
            }
            _ => None,
        }
    }
}
