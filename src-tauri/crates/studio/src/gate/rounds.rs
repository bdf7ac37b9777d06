//! What was asked for before: a round beside the one before it, with whether anything of what is shown has changed since, and the
//! answer that begins a step's work again.

use crate::run::instances;
use crate::text::safe;
use crate::words;
use engine::{Answer, Artifact, At, GateRound, RunState};
use model::{StepId, Workflow};

/// The last answer that sent the run to a step between two moments: a request for changes to it, or a rejection that leads there.
pub fn sent_to<'s>(state: &'s RunState, step: &StepId, since: Option<At>, until: At) -> Option<&'s GateRound> {
    let answered = state.gates.values().flatten().filter_map(|round| {
        let (decision, at) = round.answer.as_ref()?;
        let to = match decision.answer {
            Answer::Changes => &round.opened.changes_to,
            Answer::Reject => &round.opened.reject_to,
            _ => return None,
        };
        let leads_here = to.as_ref() == Some(step) && *at <= until && since.is_none_or(|since| *at > since);
        leads_here.then_some((*at, round))
    });
    answered.max_by_key(|(at, _)| *at).map(|(_, round)| round)
}

/// Why a person is asked to do a step's work again: `Ada asked for changes at “May we sign?”: “Name the owner.” This is the 2nd time
/// that “Draft” is done.` `shown`: of the rounds in which they were asked for it. `signer` is the person who looks.
pub fn again(
    workflow: &Workflow,
    state: &RunState,
    rounds: &[GateRound],
    shown: usize,
    signer: &str,
) -> Option<String> {
    let now = rounds.get(shown)?;
    let at = &now.opened.instance;
    let earlier = shown.checked_sub(1).and_then(|before| rounds.get(before));
    let sent = sent_to(state, &at.step, earlier.map(|round| round.opened_at), now.opened_at)?;
    let said = sent_words(sent, signer)?;
    let time = match instances::times(state, at) {
        0 | 1 => String::new(),
        n => format!(
            " This is the {} that “{}” is done.",
            words::nth_time(n),
            words::step_ref(workflow, &at.step).name
        ),
    };
    Some(format!("{said}{time}"))
}

/// Why the same question is asked once more, where its last answer sent the work back; `None` where that did not.
pub fn sent_back(rounds: &[GateRound], shown: usize, signer: &str) -> Option<String> {
    let before = rounds.get(shown.checked_sub(1)?)?;
    let (decision, _) = before.answer.as_ref()?;
    match decision.answer {
        Answer::Changes | Answer::Reject => sent_words(before, signer),
        _ => None,
    }
}

/// `Ada rejected “May we sign?”: “The rent is wrong.”`
pub fn sent_words(sent: &GateRound, signer: &str) -> Option<String> {
    let (decision, _) = sent.answer.as_ref()?;
    let who = if decision.by == signer {
        "You".to_owned()
    } else {
        words::decider(decision)
    };
    let did = match decision.answer {
        Answer::Changes => "asked for changes at",
        _ => "rejected",
    };
    let which = match sent.opened.round {
        1 => String::new(),
        round => format!(" (round {round})"),
    };
    let question = &sent.opened.question;
    Some(match safe::plain(decision.comment.trim()).as_str() {
        "" => format!("{who} {did} “{question}”{which}."),
        comment => format!("{who} {did} “{question}”{which}: “{comment}”"),
    })
}

/// Words for a round in which nothing changed although changes were asked for; `None` when something did, or when there is
/// nothing to compare. `signer` is the person who looks.
pub fn unchanged(rounds: &[GateRound], shown: usize, signer: &str) -> Option<String> {
    let now = &rounds.get(shown)?.opened;
    let before = rounds.get(shown.checked_sub(1)?)?;
    let (asked, _) = before.answer.as_ref().filter(|(d, _)| d.answer == Answer::Changes)?;
    let same = |one: &Artifact| {
        let then = &before.opened.shown;
        then.iter().any(|b| b.path == one.path && b.digest == one.digest)
    };
    if now.shown.is_empty() || now.shown.len() != before.opened.shown.len() || !now.shown.iter().all(same) {
        return None;
    }
    let who = if asked.by == signer { "You" } else { asked.by.as_str() };
    let files = match now.shown.len() {
        1 => "The file has not changed".to_owned(),
        2 => "Neither file has changed".to_owned(),
        n => format!("None of the {n} files has changed"),
    };
    let round = before.opened.round;
    // One full stop is enough.
    Some(match asked.comment.trim().trim_end_matches('.') {
        "" => format!("{who} asked for changes. {files} since round {round}."),
        comment => format!("{who} asked: “{comment}”. {files} since round {round}."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::At;
    use serde_json::json;

    /// A round with these files (path, digest); as the log holds it.
    fn round(number: u32, files: &[(&str, &str)], answer: Option<&str>) -> GateRound {
        let shown: Vec<_> = files
            .iter()
            .map(|(path, digest)| json!({"path": path, "digest": digest, "bytes": 1}))
            .collect();
        let opened = json!({
            "gate": "g", "instance": {"step": "s", "path": [], "visit": 1}, "round": number, "at": "after",
            "requirement": "required", "question": "May it?", "why": "explicit human gate", "shown": shown,
        });
        let decided = |answer: &str| {
            json!({"gate": "g", "round": number, "answer": answer, "by": "Ada", "comment": "a line of its own",
                   "seen": [], "via": "desktop"})
        };
        GateRound {
            opened: serde_json::from_value(opened).expect("a gate"),
            opened_at: At(0),
            since: At(0),
            answer: answer.map(|answer| (serde_json::from_value(decided(answer)).expect("a decision"), At(1))),
        }
    }

    #[test]
    fn a_round_in_which_nothing_changed_says_so_and_what_was_asked() {
        let one = [("a.md", "1")];
        let two = [("a.md", "1"), ("b.md", "2")];
        let words = |files: &[(&str, &str)], signer: &str| {
            unchanged(&[round(1, files, Some("changes")), round(2, files, None)], 1, signer)
        };
        assert_eq!(
            words(&one, "Ada").as_deref(),
            Some("You asked: “a line of its own”. The file has not changed since round 1.")
        );
        assert_eq!(
            words(&two, "Bo").as_deref(),
            Some("Ada asked: “a line of its own”. Neither file has changed since round 1.")
        );
    }

    #[test]
    fn a_first_round_and_one_with_any_change_say_nothing() {
        let before = round(1, &[("a.md", "1"), ("b.md", "2")], Some("changes"));
        for files in [
            &[("a.md", "1"), ("b.md", "3")][..],
            &[("a.md", "1")],
            &[("a.md", "1"), ("c.md", "2")],
            &[],
        ] {
            assert_eq!(
                unchanged(&[before.clone(), round(2, files, None)], 1, "Ada"),
                None,
                "{files:?}"
            );
        }
        assert_eq!(unchanged(std::slice::from_ref(&before), 0, "Ada"), None);
        let approved = round(1, &[("a.md", "1")], Some("approve"));
        assert_eq!(unchanged(&[approved, round(2, &[("a.md", "1")], None)], 1, "Ada"), None);
    }
}
