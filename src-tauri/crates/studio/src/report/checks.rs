//! What can stand in a report among checks of the record: the sentences that Gatehouse says there, with the people of the record.
//!
//! What a check found when the report was made may be another thing now, and for another reader, so that it is not compared word for word. What
//! no check says stands there because somebody wrote it in. What a check said of damage is not among these sentences, but for the word alone and
//! for files of an earlier version: it is what a check says now as well, or it is named.

use crate::run::history::History;
use crate::settings::identity;
use crate::settings::keys::owner;
use crate::text::safe;
use engine::{Event, Order};
use std::cell::Cell;
use std::collections::BTreeSet;

/// Nothing that a check says is as long, in bytes.
const LONGEST: usize = 8_000;

/// In so many steps whatever a check says is found to be that. A text that somebody made up may take any number of them.
const STEPS: u32 = 2_000_000;

/// What is said of a key. `@` is a name of the record, `*` words of one sentence ([`safe::in_sentence`]), `#` a number, `[a|b]` one of them.
const OF_KEYS: [&str; 7] = [
    "It is the key of the account that this report was made with; nobody has confirmed that this is @.",
    "This key is revoked from * on (*); the decision was made before.",
    "This key is revoked from * on (*), and the decision was made after that. Do not rely on it.",
    "Confirmed: whoever made this report has compared the fingerprint with @.",
    "Another key than the one that whoever made this report has confirmed for @. Ask @ whether this answer is theirs.",
    "Not confirmed for @: whoever made this report has confirmed this key as *’s.",
    "Not confirmed: whoever made this report has not compared this key’s fingerprint with @.",
];

/// About what that is said, where it does not stand with the answer itself.
const ABOUT_KEYS: [&str; 2] = [
    "[|event #: ]The answer of @ to *: ",
    "[|event #: ]About the [order of @ to pause the run|order of @ to resume the run|order of @ to take up the run|order of @ to stop the run|confirmation of “*” by @]: ",
];

/// What a check counted.
const COUNTED: &str = "# [event|events], the # [text or file|texts and files] that they name[|, # file in the run's folder|, # files in the run's \
                       folder] and # [signature|signatures]";

/// What is said around that.
const COUNTING: [[&str; 2]; 3] = [
    [
        UNALTERED,
        " match the record.[| The files in the run's folder were not compared.]",
    ],
    [
        UNALTERED,
        " match the record. [The files of this run are not written yet|The files of this run are behind, at event # of #]: [they could not be \
         written (*)|the program that was to write them was ended before][; `gatehouse rebuild` finishes them.|. Nothing is written anew in what \
         was handed over: unpack its ZIP file again, or ask for another one.]",
    ],
    [
        "The record is unaltered (",
        "). The files of this run were not compared, because they say that an earlier version wrote them[; `gatehouse rebuild` writes them \
         anew.|. Nothing is written anew in what was handed over: unpack its ZIP file again, or ask for another one.]",
    ],
];
const UNALTERED: &str = "[Unaltered|Unaltered in itself, but not the log that your Gatehouse saw last|Unaltered in itself, but another log of this run \
                         had been seen before]: ";

/// Everything else. `&` is people with their keys.
const NOTED: [&str; 25] = [
    "Verified",
    "In doubt",
    "Altered",
    "[# difference was|# differences were] found. The record is whole; who decided is in doubt.",
    "Whose key it is was not confirmed for &. `gatehouse people` shows the fingerprints to compare.",
    "[1 order to pause, resume or stop the run is|# orders to pause, resume or stop the run are|1 order to pause, resume, take up or stop the run \
     is|# orders to pause, resume, take up or stop the run are] not signed: the name is what was given.",
    "[1 signature was|# signatures were] made by an earlier version, which signed run, gate, answer, name, comment and files, but neither the \
     question nor the time.",
    "@ signed with # keys in this project: *. Ask whether all of them are theirs.",
    "The run's files were not compared: a program has this run open, and writes them a little later.",
    "Of # [file|files] of the project that this run's steps made or showed # [is another one or gone|are others or gone] now: *. Whoever works in \
     the project may change them; the record holds what each of them was.",
    "Beside what @[| (by the script)| (by --yes)] approved at * [1 file lies that was not shown and that no step of this run made|# files lie \
     that were not shown and that no step of this run made]: *. The approval is not about that, and nothing of the record has changed.",
    "* was approved by @ as *… and [changed afterwards: it is *… now|is gone now, or cannot be read]. The record holds what was approved.",
    "# [file|files] in the run's folder told of another log than this one when others were written in their place, as after a history was put \
     back: *.",
    "[# file in the run's folder is|# files in the run's folder are] what Gatehouse keeps of branches that work in folders of their own: *. That is \
     a branch's copy of the project, or what was brought in of one, and is not of the record.",
    "[# file in the run's folder is|# files in the run's folder are|# files or more in the run's folder are] not of its record: *. No step reported \
     to have made them; the record says nothing of what they hold or of who put them there.",
    "There are more files in the run's folder than could be named here.",
    "This is a part of a project's history that was handed over; the project had no other runs then.",
    "This is a part of a project's history that was handed over. Of # [other run|other runs] of the project only the entries in its register are \
     here, not what happened in them.",
    "Run *, from which this one goes on, is not in this project; what it had done stands in this log.",
    "# [event|events] of this run came after the step of the run around it that it carries out was completed: that run did not go on with what was \
     done in them.",
    "Event #: *’s Gatehouse had seen another log of this run, of # [event|events] (the last with the link *…), and goes on in this one: events are \
     missing here or were replaced, as when a backup is restored or an older copy is put back.",
    "This log is not the one that your Gatehouse wrote last: events of it are missing or were replaced. Restoring a backup does that, and so does \
     whoever puts an older copy back.",
    "run.json: The files of this run were written by an earlier version and cannot be compared. The history that it is made from is whole[; \
     `gatehouse rebuild` writes it anew.|. Nothing is written anew in what was handed over: unpack its ZIP file again, or ask for another one.]",
    "* has changed since. [What it held is kept in the record.|What it held is not kept: the record has its digest alone.]",
    "* is not there any more. [What it held is kept in the record.|What it held is not kept: the record has its digest alone.]",
];

/// What the record knows of what a check may say.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// How many events were checked, of the run or of one inside it.
    pub events: BTreeSet<u64>,
    /// What is said among checks and follows from the record: the report lacks it where somebody took it out.
    pub always: Vec<String>,
    /// Who decided or ordered something, by the names that are shown.
    pub people: BTreeSet<String>,
    /// `Ann Lund (7F3A…C2)`
    pub keyed: BTreeSet<String>,
}

impl Said {
    /// Takes in the people of a run.
    pub fn take_in(&mut self, history: &History) {
        for stored in history.events() {
            match &stored.event {
                Event::GateAnswered(decision) => {
                    let owner = owner(decision);
                    self.name(&decision.by);
                    self.name(owner);
                    let key = decision.signature.as_ref().map(|signed| identity::short(&signed.key));
                    self.keyed
                        .insert(format!("{} ({})", safe::visible(owner), key.unwrap_or_default()));
                }
                Event::EvidencePromoted(promotion) => self.name(&promotion.by),
                other => {
                    if let Some((order, given)) = Order::of(other) {
                        self.name(order.by);
                        let key_name = given.and_then(|given| given.key_name.as_deref());
                        self.name(key_name.unwrap_or(order.by));
                    }
                }
            }
        }
    }

    fn name(&mut self, name: &str) {
        self.people.insert(safe::visible(name));
        self.people.insert(safe::visible(name.trim()));
    }

    /// Whether a check of this record can say this. `now`: what one says in this place now.
    pub fn can_be(&self, text: &str, now: &[String]) -> bool {
        // Behind a key stands a sentence that ends the one before it.
        let text = text.trim();
        let text = text.strip_prefix(". ").unwrap_or(text);
        if text.len() > LONGEST {
            return false;
        }
        let left = Cell::new(STEPS);
        let fits = |pattern: &str| self.fits(pattern, text, &left);
        if NOTED.iter().chain(&OF_KEYS).any(|pattern| fits(pattern)) {
            return true;
        }
        let mut about = ABOUT_KEYS
            .iter()
            .flat_map(|about| OF_KEYS.map(|said| format!("{about}{said}")));
        if about.any(|pattern| fits(&pattern)) {
            return true;
        }
        let mut counting = COUNTING
            .map(|[before, behind]| format!("{before}{COUNTED}{behind}"))
            .into_iter();
        counting.any(|pattern| fits(&pattern)) && self.is_counted(text, now)
    }

    /// Whether what a check counted is what the record had then: of as many events as now the same, and of fewer no more.
    fn is_counted(&self, text: &str, now: &[String]) -> bool {
        let Some(then) = counted(text) else { return false };
        let is_possible = |now: [u64; 3]| match then[0] == now[0] {
            true => then == now,
            false => then.iter().zip(now).all(|(then, now)| *then <= now),
        };
        let now = now.iter().find_map(|text| counted(text));
        self.events.contains(&then[0]) && now.is_none_or(is_possible)
    }

    /// `left`: so many steps may still be taken; none is what does not fit.
    fn fits(&self, pattern: &str, text: &str, left: &Cell<u32>) -> bool {
        let Some(fewer) = left.get().checked_sub(1) else {
            return false;
        };
        left.set(fewer);
        let mut signs = pattern.chars();
        let Some(sign) = signs.next() else {
            return text.is_empty();
        };
        let rest = signs.as_str();
        match sign {
            '#' => {
                let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
                behind.len() < text.len() && self.fits(rest, behind, left)
            }
            '@' => {
                let mut people = self.people.iter();
                people.any(|name| {
                    text.strip_prefix(name.as_str())
                        .is_some_and(|text| self.fits(rest, text, left))
                })
            }
            '&' => self.keyed.iter().any(|one| {
                text.strip_prefix(one.as_str()).is_some_and(|text| {
                    let more = text.strip_prefix(", ");
                    self.fits(rest, text, left) || more.is_some_and(|text| self.fits(pattern, text, left))
                })
            }),
            '*' => {
                let end = text.find(". ").unwrap_or(text.len());
                let mut ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
                ends.any(|at| at <= end && self.fits(rest, &text[at..], left))
            }
            '[' => rest.split_once(']').is_some_and(|(some, rest)| {
                let mut some = some.split('|');
                some.any(|one| self.fits(&format!("{one}{rest}"), text, left))
            }),
            _ => text.strip_prefix(sign).is_some_and(|text| self.fits(rest, text, left)),
        }
    }
}

/// How many events, contents and signatures a check counted.
fn counted(text: &str) -> Option<[u64; 3]> {
    let (before, _) = text.split_once(" signature")?;
    let numbers = before.split(|c: char| !c.is_ascii_digit());
    let numbers: Vec<u64> = numbers.filter_map(|number| number.parse().ok()).collect();
    Some([*numbers.first()?, *numbers.get(1)?, *numbers.last()?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::keys::{Keys, KnownKey, Revoked};
    use engine::At;

    fn said() -> Said {
        let mut said = Said {
            events: [7].into(),
            ..Said::default()
        };
        said.name("Ann Lund");
        said.keyed.insert("Ann Lund (7F3A…C2)".to_owned());
        said.keyed.insert("Bo (00AA…11)".to_owned());
        said
    }

    #[test]
    fn what_a_check_says_can_stand_among_checks_and_nothing_else() {
        let now = [
            "Unaltered: 9 events, the 3 texts and files that they name and 2 signatures match the record.".to_owned(),
        ];
        for good in [
            "Verified",
            "Unaltered: 7 events, the 2 texts and files that they name, 10 files in the run's folder and 1 signature match the record.",
            ". Not confirmed: whoever made this report has not compared this key’s fingerprint with Ann Lund.",
            "Whose key it is was not confirmed for Bo (00AA…11), Ann Lund (7F3A…C2). `gatehouse people` shows the fingerprints to compare.",
            "event 5: The answer of Ann Lund to “A”: This key is revoked from 1 March 2026 on (lost); the decision was made before.",
            "About the order of Ann Lund to stop the run: Confirmed: whoever made this report has compared the fingerprint with Ann Lund.",
            "event 5: The answer of Ann Lund to “1.\u{a0}Review”: This key is revoked from 1 March 2026 on (Laptop lost.\u{a0}Told IT.), and the \
             decision was made after that. Do not rely on it.",
            "docs/plan.md was approved by Ann Lund as 0011aabb2233… and changed afterwards: it is 445566778899… now. The record holds what was \
             approved.",
            "docs/plan.md was approved by Ann Lund as 0011aabb2233… and is gone now, or cannot be read. The record holds what was approved.",
            "2 files in the run's folder are not of its record: a.txt, b.txt. No step reported to have made them; the record says nothing of what \
             they hold or of who put them there.",
        ] {
            assert!(said().can_be(good, &now), "{good}");
        }
        for bad in [
            "approved",
            "Correction: the board overruled this rejection. The payment may be made.",
            // Another number of events, and more signatures than there are.
            "Unaltered: 8 events, the 2 texts and files that they name, 10 files in the run's folder and 1 signature match the record.",
            "Unaltered: 7 events, the 2 texts and files that they name, 10 files in the run's folder and 3 signatures match the record.",
            "Unaltered: 7 events, the 2 texts and files that they name and 1 signature match the record. Ann Lund has approved it.",
            "docs/plan.md was approved by Eve as 0011aabb2233… and changed afterwards: it is 445566778899… now. The record holds what was approved.",
            ". Confirmed: whoever made this report has compared the fingerprint with Eve.",
            "Whose key it is was not confirmed for nobody. `gatehouse people` shows the fingerprints to compare.",
            "1 file in the run's folder is not of its record: a.txt. The board approved it. No step reported to have made them; the record says \
             nothing of what they hold or of who put them there.",
        ] {
            assert!(!said().can_be(bad, &now), "{bad}");
        }
    }

    /// A text can be made so that it nearly fits in very many ways.
    #[test]
    fn what_takes_too_many_steps_is_nothing_that_a_check_says() {
        let said = said();
        assert!(said.fits("* is here", "a b is here", &Cell::new(100)));
        assert!(!said.fits("* is here", "a b is here", &Cell::new(5)));
        let nearly = "The answer of Ann Lund to A".to_owned() + &": This key is revoked from A on (B)".repeat(200);
        assert!(!said.can_be(&nearly, &[]));
    }

    /// Everything that is said of a key in a report.
    #[test]
    fn what_is_said_of_a_key_can_stand_among_checks() {
        let (key, other) = ("ab".repeat(32), "cd".repeat(32));
        let known = |key: &str, name: &str, revoked: Option<i64>| KnownKey {
            key: key.to_owned(),
            name: name.to_owned(),
            confirmed: Some(At(0)),
            revoked: revoked.map(|from| Revoked {
                from: At(from),
                why: "Lost (in a train). Told IT.".to_owned(),
            }),
        };
        for (own, known) in [
            (&other, None),
            (&key, None),
            (&other, Some(known(&key, "Ann Lund", None))),
            (&other, Some(known(&key, "Dr. Ann Berg", None))),
            (&other, Some(known(&other, "Ann Lund", None))),
            (&other, Some(known(&key, "Ann Lund", Some(5)))),
            (&other, Some(known(&key, "Ann Lund", Some(20)))),
        ] {
            let mut keys = Keys::default();
            keys.known.extend(known);
            let words = keys.told_with(own).standing_of("Ann Lund", &key, At(10)).words;
            for text in [
                format!(". {words}"),
                format!("The answer of Ann Lund to “A”: {words}"),
                format!("event 3: About the confirmation of “a b” by Ann Lund: {words}"),
            ] {
                assert!(said().can_be(&text, &[]), "{text}");
            }
        }
    }
}
