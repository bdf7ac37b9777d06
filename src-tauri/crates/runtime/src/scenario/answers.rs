//! What the scripted people of a scenario say to a gate that waits.

use super::Scenario;
use engine::{Answer, Decision, ExecutionStatus, GateRound, Intent, Purpose};
use std::sync::Arc;
use std::time::Duration;

impl Scenario {
    /// What a gate's round receives, and how long the person thinks; nothing when the script does not say, or is used up.
    /// The outcome of a step that a person carries out stands among the steps, like that of any other.
    pub fn says(&self, waiting: &GateRound) -> Option<(Duration, Intent)> {
        let opened = &waiting.opened;
        if let Some(reply) = self.reply(opened) {
            return Some((
                reply.takes,
                answer(waiting, reply.answer, reply.way.as_ref(), &reply.by, &reply.comment),
            ));
        }
        if !matches!(opened.purpose, Purpose::Outcome { .. }) {
            return None;
        }
        // Whoever was sent elsewhere from here has made no visit, but has been asked.
        let asked = opened.round.max(opened.instance.visit);
        let entry = self.entry(&opened.instance.step, asked)?;
        let by = super::scenario();
        if let Some(to) = &entry.jump {
            return Some((entry.takes, Intent::Jump { by, to: to.clone() }));
        }
        let word = match entry.status {
            ExecutionStatus::Failed | ExecutionStatus::Blocked => Answer::Fail,
            ExecutionStatus::Succeeded | ExecutionStatus::Skipped => Answer::Pass,
        };
        let comment = entry.error.as_ref().or(entry.output.as_ref());
        let comment = comment.map_or("", String::as_str);
        Some((entry.takes, answer(waiting, word, None, &by, comment)))
    }
}

fn answer(waiting: &GateRound, answer: Answer, way: Option<&String>, by: &str, comment: &str) -> Intent {
    let opened = &waiting.opened;
    // A script need not say more than its answer.
    let comment = match comment.trim() {
        "" if opened.needs_comment(answer) => "as the scenario says",
        comment => comment,
    };
    Intent::Answer(Arc::new(Decision {
        gate: opened.gate.clone(),
        round: opened.round,
        answer,
        by: by.to_owned(),
        comment: comment.to_owned(),
        seen: opened.shown.iter().map(|artifact| artifact.digest.clone()).collect(),
        undrawn: Vec::new(),
        via: Decision::SCENARIO.to_owned(),
        lasting: None,
        way: way.cloned(),
        report: Default::default(),
        key_name: None,
        signature: None,
    }))
}
