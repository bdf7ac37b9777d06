//! What the rules of one part find in one text, each place once.

use crate::leaves::Leaf;
use crate::patterns::Pattern;
use crate::plain::Plain;
use crate::report::{Action, Kind, Violation};
use crate::rules::{LooksFor, Part};
use crate::secrets::NAMED;
use crate::{personal, report::Found, secrets};
use std::collections::BTreeMap;
use std::ops::Range;

/// Longest text of a violation that is kept, in bytes.
const FOUND_BYTES: usize = 4_096;
/// Longest text of a violation that is shown, in characters.
const SHOWN_CHARS: usize = 120;

/// How often each rule of a part may still be found.
#[derive(Debug)]
pub(crate) struct Left(Vec<usize>);

impl Left {
    pub(crate) fn of(part: &Part) -> Self {
        let rules = match &part.looks_for {
            LooksFor::Patterns { patterns, .. } => patterns.len() + 1,
            LooksFor::Words(list) => list.entries.len(),
        };
        // One more than is listed: that there was more is worth knowing.
        Self(vec![part.max_hits + 1; rules])
    }

    fn take(&mut self, rule: usize) -> bool {
        let left = self.0[rule] > 0;
        self.0[rule] = self.0[rule].saturating_sub(1);
        left
    }

    fn none(&self, rule: usize) -> bool {
        self.0[rule] == 0
    }
}

struct Hit<'r> {
    place: Range<usize>,
    rule: &'r str,
    action: Action,
}

/// Adds what a part finds in a text, in the order of the text.
pub(crate) fn hits(part: &Part, leaf: &Leaf<'_>, plain: Option<&Plain>, left: &mut Left, into: &mut Vec<Violation>) {
    let mut found: Vec<Hit<'_>> = Vec::new();
    match &part.looks_for {
        LooksFor::Words(list) => list.find(leaf.text(), |entry, place| {
            let (rule, action) = &list.entries[entry];
            if left.take(entry) {
                found.push(Hit {
                    place,
                    rule,
                    action: *action,
                });
            }
            left.0.iter().any(|left| *left > 0)
        }),
        LooksFor::Patterns { patterns, named } => {
            let mut taken = Places::default();
            for (index, pattern) in patterns.iter().enumerate() {
                if leaf.is_number() && !pattern.takes_numbers() || left.none(index) {
                    continue;
                }
                let mut own = Places::default();
                let taken = if pattern.is_own() { &mut own } else { &mut taken };
                for place in places(pattern, leaf.text(), plain, taken, index, left) {
                    found.push(Hit {
                        place,
                        rule: &pattern.name,
                        action: pattern.action,
                    });
                }
            }
            let whole = 0..leaf.text().len();
            let is_named = !leaf.is_number() && secrets::is_named(leaf.key, leaf.text());
            if let Some(action) = named.filter(|_| is_named && taken.take(&whole) && left.take(patterns.len())) {
                found.push(Hit {
                    place: whole,
                    rule: NAMED,
                    action,
                });
            }
        }
    }
    found.sort_by_key(|hit| hit.place.start);
    into.extend(found.into_iter().map(|hit| violation(part.kind, leaf, hit)));
}

/// Where a pattern fits, in the text as it is or made plain. The plain form comes first: what is found in it is found whole.
fn places(
    pattern: &Pattern,
    text: &str,
    plain: Option<&Plain>,
    taken: &mut Places,
    rule: usize,
    left: &mut Left,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut add = |place: Range<usize>| {
        if taken.take(&place) && left.take(rule) {
            found.push(place);
        }
        !left.none(rule)
    };
    if let Some(plain) = plain {
        pattern.find(&plain.text, |place| place.is_empty() || add(plain.original(&place)));
    }
    pattern.find(text, add);
    found
}

/// Places of a text that do not overlap, by where they begin.
#[derive(Debug, Default)]
struct Places(BTreeMap<usize, usize>);

impl Places {
    /// Takes a place; `false` where it overlaps one that is taken.
    fn take(&mut self, place: &Range<usize>) -> bool {
        let before = self.0.range(..place.end.max(place.start + 1)).next_back();
        let free = before.is_none_or(|(start, end)| *end <= place.start && *start != place.start);
        if free {
            self.0.insert(place.start, place.end);
        }
        free
    }
}

fn violation(kind: Kind, leaf: &Leaf<'_>, hit: Hit<'_>) -> Violation {
    let found = &leaf.text()[hit.place];
    let shown = match kind {
        Kind::Personal => personal::shown(found),
        Kind::Secret => secrets::shown(hit.rule, found),
        _ => found.to_owned(),
    };
    Violation {
        kind,
        rule: hit.rule.to_owned(),
        found: Found::new(cut(found, FOUND_BYTES)),
        shown: short(&shown),
        source: leaf.source.clone(),
        action: hit.action,
    }
}

fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
