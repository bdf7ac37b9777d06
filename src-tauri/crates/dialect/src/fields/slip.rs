//! Names that look misspelt.

use super::{Field, Level};
use model::{Diagnostic, Edit, Place, Severity};

/// A guess costs a look at every known name; past this many no guess is made.
const MOST_GUESSES: usize = 500;
/// A longer name is nobody's slip.
const LONGEST: usize = 40;

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
        if name.len() > LONGEST || self.0 >= MOST_GUESSES {
            return None;
        }
        self.0 += 1;
        let plain = plain(name);
        let near = level
            .fields
            .iter()
            .filter_map(|field| Some((distance(&plain, field.name)?, field.name)));
        let (_, known) = near.min_by_key(|(distance, _)| *distance)?;
        let is_there = there.iter().flatten().any(|field| field.name == known);
        (!is_there).then_some(known)
    }
}

/// Small letters, with `_` between words: `humanGate` and `Human-Gate` are `human_gate`.
fn plain(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    let mut before = '_';
    for c in name.trim().chars() {
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

/// How far a name is from a known one; `None` where it is too far for a slip. Short words are near to many others (`rule` and
/// `role`), so of them only letters that are missing, doubled or swapped count.
fn distance(name: &str, known: &str) -> Option<usize> {
    if name == known {
        return Some(0);
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
    (is_slip && name.chars().next() == known.chars().next()).then_some(far)
}

/// Whether a word is nearly a known one.
pub(super) fn is_near(word: &str, known: &str) -> bool {
    word.len() <= LONGEST && distance(&plain(word), known).is_some()
}

pub(super) fn found(place: Place, name: &str, known: &'static str) -> Diagnostic {
    let shown: String = name.chars().take(LONGEST).collect();
    let edit = Edit::Rename {
        place: place.clone(),
        to: known.to_owned(),
    };
    Diagnostic::new(
        "GH0503",
        Severity::Warning,
        place,
        format!("`{shown}` is not a field that is known here, so it has no effect; `{known}` is"),
    )
    .help("A field of your own is kept as it is; if this is one, give it another name")
    .fix(format!("Rename to `{known}`"), edit)
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
        ] {
            assert_eq!(meant(name), Some(known), "{name}");
        }
        for name in ["rule", "text", "owner", "ran", "note", "depth", "acquired", ""] {
            assert_eq!(meant(name), None, "{name}");
        }
        // What is there already was not meant.
        let there = [None, level.fields.iter().find(|field| field.name == "agents")];
        assert_eq!(Guesses::default().meant(&level, "agent", &there), None);
    }
}
