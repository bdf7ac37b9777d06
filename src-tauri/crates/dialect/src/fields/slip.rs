//! Names that look misspelt.

use super::{Field, Level};
use model::{Diagnostic, Edit, Place, Severity, is_unseen};

/// A guess costs a look at every known name; past this many no guess is made.
const MOST_GUESSES: usize = 500;
/// A longer name is nobody's slip.
const LONGEST: usize = 40;

/// Fields that say where a run goes, whom it asks and who works. A run that passed one of them over would do something else than
/// its file says, so a slip in one keeps it from starting (CONTRACTS "Nothing is passed over in silence").
const CONTROL: [&str; 35] = [
    "human_gate",
    "gate",
    "gate_at",
    "gate_asks",
    "on_reject",
    "routing",
    "next",
    "when",
    "condition",
    "branches",
    "branch_field",
    "loop_target",
    "loop_condition_field",
    "loop_success_values",
    "exit_on",
    "max_iterations",
    "parallel",
    "fork_point",
    "fork_targets",
    "fork_config",
    "join_point",
    "join_config",
    "depends_on",
    "agent",
    "agents",
    "station",
    "workflow",
    "workflows",
    "on_complete",
    "on_failure",
    "next_flow",
    "detours",
    "suggested_detours",
    "suggested_injections",
    "suggested_sidequests",
];

/// How many guesses were made in a file.
#[derive(Debug, Default)]
pub(super) struct Guesses(usize);

impl Guesses {
    /// The field that a name probably means. `there`: the fields that are in the block already, so that they cannot be meant.
    pub(super) fn meant(
        &mut self,
        level: &Level,
        name: &str,
        there: &[Option<&'static Field>],
    ) -> Option<&'static str> {
        let plain = plain(name);
        if plain.len() > LONGEST {
            return None;
        }
        self.0 = self.0.saturating_add(1);
        // However many names a file has, those that a run must not pass over are looked for.
        let looks_for = |name: &str| self.0 <= MOST_GUESSES || CONTROL.contains(&name);
        let near = level
            .fields
            .iter()
            .filter(|field| looks_for(field.name))
            .filter_map(|field| Some((distance(&plain, field.name)?, field.name)));
        let (_, known) = near.min_by_key(|(distance, _)| *distance)?;
        let is_there = there.iter().flatten().any(|field| field.name == known);
        (!is_there).then_some(known)
    }
}

/// A known field of control that a longer name begins or ends with: `routing M1`, `routing2`, `my_routing` are all `routing`. Such a
/// name is an author's own as often as a slip, so what stands behind it decides: see [`Likeness`].
pub(super) fn within(level: &Level, name: &str) -> Option<(&'static Field, Likeness)> {
    let whole = plain(name);
    if whole.len() > LONGEST {
        return None;
    }
    let rest = |field: &Field| -> Option<(bool, usize)> {
        let behind = whole
            .strip_prefix(field.name)
            .filter(|rest| rest.starts_with(|c: char| c == '_' || c.is_ascii_digit()));
        let before = || whole.strip_suffix(field.name).filter(|rest| rest.ends_with('_'));
        let rest = behind.or_else(before)?;
        let is_counted = rest.chars().all(|c| c == '_' || c.is_ascii_digit());
        Some((
            is_counted || behind.is_some() && name.trim().contains(' '),
            field.name.len(),
        ))
    };
    level
        .fields
        .iter()
        .filter(|field| CONTROL.contains(&field.name))
        .filter_map(|field| Some((field, rest(field)?)))
        .max_by_key(|(_, (_, length))| *length)
        .map(|(field, (is_close, _))| match is_close {
            true => (field, Likeness::Close),
            false => (field, Likeness::InAWord),
        })
}

/// How a longer name is like the known one in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The known name and a word or a number behind it: hardly anybody's own.
    Close,
    /// The known name is one word of it (`agent_notes`): it is meant only where its value is one that the known field takes.
    InAWord,
}

/// Small letters, with `_` between words: `humanGate` and `Human-Gate` are `human_gate`. What leaves no trace on a screen is no part of it.
pub(super) fn plain(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    let mut before = '_';
    for c in name.trim().chars().filter(|c| !is_unseen(*c)) {
        if c.is_uppercase() && before.is_lowercase() {
            out.push('_');
        }
        match c {
            '-' | ' ' => out.push('_'),
            c => out.extend(c.to_lowercase()),
        }
        before = c;
    }
    out
}

/// A name as it is quoted in a message: not longer than a line takes, and nothing in it hides.
pub(super) fn shown(name: &str) -> String {
    let seen = |c: char| if is_unseen(c) { '\u{fffd}' } else { c };
    name.chars().take(LONGEST).map(seen).collect()
}

/// How far a name is from a known one; `None` where it is too far for a slip. Short words are near to many others (`rule` and
/// `role`), so of them only letters that are missing, doubled or swapped count.
fn distance(name: &str, known: &str) -> Option<usize> {
    if name == known {
        return Some(0);
    }
    if name.chars().next() != known.chars().next() || name.len().abs_diff(known.len()) > 2 {
        return None;
    }
    let far = strsim::osa_distance(name, known);
    let swapped = || {
        let sorted = |word: &str| {
            let mut letters: Vec<char> = word.chars().collect();
            letters.sort_unstable();
            letters
        };
        sorted(name) == sorted(known)
    };
    let is_slip = match known.len() {
        0..=3 => false,
        4..=6 => far == 1 && (name.len() != known.len() || swapped()),
        7..=9 => far == 1,
        _ => far <= 2,
    };
    is_slip.then_some(far)
}

/// Whether a word is nearly a known one.
pub(super) fn is_near(word: &str, known: &str) -> bool {
    word.len() <= LONGEST && distance(&plain(word), known).is_some()
}

/// `asks`: whether the field says anything, so that a run would pass it over. `is_there`: whether the block has the known one besides.
pub(super) fn found(place: Place, name: &str, known: &'static str, asks: bool, is_there: bool) -> Diagnostic {
    let shown = shown(name);
    let edit = Edit::Rename {
        place: place.clone(),
        to: known.to_owned(),
    };
    let beside = if is_there {
        ", and it stands beside it already"
    } else {
        ""
    };
    let said = format!("`{shown}` is not a field that is known here, so it has no effect; `{known}` is{beside}");
    let (severity, help) = match asks && CONTROL.contains(&known) {
        true => (
            Severity::Error,
            "This workflow does not start: a run would pass over what is meant. If this is a field of your own, give it another name",
        ),
        false => (
            Severity::Warning,
            "A field of your own is kept as it is; if this is one, give it another name",
        ),
    };
    let found = Diagnostic::new("GH0503", severity, place, said).help(help);
    match is_there {
        true => found,
        false => found.fix(format!("Rename to `{known}`"), edit),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{done, level};
    use super::*;

    static KNOWN: [Field; 9] = [
        done("max_iterations"),
        done("human_gate"),
        done("depends_on"),
        done("required"),
        done("role"),
        done("next"),
        done("title"),
        done("run"),
        done("agents"),
    ];

    #[test]
    fn a_slip_is_told_from_a_word_of_the_author_s_own() {
        let level = level(&KNOWN);
        let meant = |name: &str| Guesses::default().meant(&level, name, &[]);
        for (name, known) in [
            ("max_iteration", "max_iterations"),
            ("maxIterations", "max_iterations"),
            ("human_gat", "human_gate"),
            ("human-gate", "human_gate"),
            ("depend_on", "depends_on"),
            ("requird", "required"),
            ("titel", "title"),
            ("rol", "role"),
            ("agent", "agents"),
            ("Run", "run"),
            ("human_gate\u{200b}", "human_gate"),
            ("h\u{2060}uman\u{3164}_gate", "human_gate"),
        ] {
            assert_eq!(meant(name), Some(known), "{name}");
        }
        for name in ["rule", "text", "owner", "ran", "note", "depth", "acquired", ""] {
            assert_eq!(meant(name), None, "{name}");
        }
        // In a file of many names only what a run must not pass over is still looked for.
        let mut many = Guesses(MOST_GUESSES);
        assert_eq!(many.meant(&level, "humanGate", &[]), Some("human_gate"));
        assert_eq!(many.meant(&level, "titel", &[]), None);
        // What is there already was not meant.
        let there = [None, level.fields.iter().find(|field| field.name == "agents")];
        assert_eq!(Guesses::default().meant(&level, "agent", &there), None);
    }

    #[test]
    fn a_known_name_is_found_in_a_longer_one() {
        let level = level(&KNOWN);
        let found =
            |name: &str| within(&level, name).map(|(field, likeness)| (field.name, likeness == Likeness::Close));
        for (name, known) in [
            ("human_gate M1", Some(("human_gate", true))),
            ("human gate 2", Some(("human_gate", true))),
            ("next2", Some(("next", true))),
            ("next_2", Some(("next", true))),
            ("Next Step", Some(("next", true))),
            ("next_steps", Some(("next", false))),
            ("my_next", Some(("next", false))),
            ("agents_notes", Some(("agents", false))),
            ("nextly", None),
            ("context", None),
            ("title page", None),
            ("unagents", None),
        ] {
            assert_eq!(found(name), known, "{name}");
        }
    }
}
