//! Rejections that a run does not have, because it goes on from before them: whoever is asked the same again is told.

use crate::gate::asking;
use crate::run::history::History;
use crate::text::safe;
use crate::{Studio, words};
use engine::{Answer, Event, GateId, RunCreated};

impl Studio {
    /// What people had rejected in the runs that a run goes on from when it was begun, behind the moment up to which it has their logs: a sentence for
    /// each, and one for each later answer to the same question. `gate`: at this one alone.
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
            let mut rejected: Vec<&GateId> = Vec::new();
            for stored in events.from(left) {
                let Event::GateAnswered(decision) = &stored.event else {
                    continue;
                };
                let is_meant = gate.is_none_or(|gate| *gate == decision.gate) && Some(stored.at) <= begun;
                let is_rejection = decision.answer == Answer::Reject;
                if !is_meant || !is_rejection && !rejected.contains(&&decision.gate) {
                    continue;
                }
                let Some((_, opened)) = before.asked(decision) else {
                    continue;
                };
                let comment = match decision.comment.trim() {
                    "" => String::new(),
                    comment => format!(": “{}”", safe::in_quotes(comment)),
                };
                let run = safe::visible(earlier.run().as_str());
                let by = words::decider(decision);
                let question = safe::in_quotes(&opened.question);
                said.push(match is_rejection {
                    true => format!(
                        "In run {run}, from which {who} goes {}, {by} rejected “{question}”{comment}.",
                        if earlier.back_to.is_some() { "back" } else { "on" }
                    ),
                    false => format!(
                        "Later in run {run} “{question}” was answered again: {} by {by}{comment}.",
                        asking::answered_in(opened, decision)
                    ),
                });
                rejected.push(&decision.gate);
            }
        }
        said
    }
}
