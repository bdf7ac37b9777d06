//! A round beside the one before it: what was asked for then, and whether anything of what is shown has changed since.

use engine::{Answer, Artifact, GateRound};

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
