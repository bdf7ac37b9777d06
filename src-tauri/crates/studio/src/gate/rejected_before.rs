//! Rejections that a run does not have, because it goes on from before them: whoever is asked the same again is told.

use crate::run::history::History;
use crate::text::safe;
use crate::{Studio, words};
use engine::{Answer, Event, GateId, RunCreated};

impl Studio {
    /// What people had rejected in the runs that a run goes on from when it was begun, behind the moment up to which it has their logs: a sentence for
    /// each. `gate`: at this one alone.
    pub(crate) fn rejected_before(&self, history: &History, gate: Option<&GateId>) -> Vec<String> {
        let mut said = Vec::new();
        let begun = history.events().first().map(|first| first.at);
        // Each goes on from the one before it.
        let mut later = None;
        for earlier in history.created().into_iter().flat_map(RunCreated::earlier) {
            let who = match later.replace(earlier.run()) {
                None => "this one".to_owned(),
                Some(run) => format!("run {}", safe::visible(run.as_str())),
            };
            // What is not in this project says nothing.
            let Ok(before) = self.history(earlier.run().as_str()) else {
                continue;
            };
            let events = before.events();
            let left = events.count(|stored| stored.seq <= earlier.events);
            for stored in events.from(left) {
                let Event::GateAnswered(decision) = &stored.event else {
                    continue;
                };
                let is_meant = gate.is_none_or(|gate| *gate == decision.gate) && Some(stored.at) <= begun;
                if decision.answer != Answer::Reject || !is_meant {
                    continue;
                }
                let Some((_, opened)) = before.asked(decision) else {
                    continue;
                };
                let comment = match decision.comment.trim() {
                    "" => String::new(),
                    comment => format!(": “{}”", safe::in_quotes(comment)),
                };
                said.push(format!(
                    "In run {}, from which {who} goes {}, {} rejected “{}”{comment}.",
                    safe::visible(earlier.run().as_str()),
                    if earlier.back_to.is_some() { "back" } else { "on" },
                    words::decider(decision),
                    safe::in_quotes(&opened.question)
                ));
            }
        }
        said
    }
}
