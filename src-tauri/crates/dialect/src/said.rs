//! How the sentences of gestures speak of steps and places. Whoever makes a sentence marks them ([`called`], [`called_place`]); the
//! document that it is said of puts in what a person knows them by. What stands between other marks stays as it is: the words of a
//! format, an id that no step has.

use model::StepId;
use std::fmt::Display;

/// Around the id of a step, and around the keys to a place: of Unicode's private use, so that no word of a format is taken for one.
const STEP: char = '\u{f0001}';
const PLACE: char = '\u{f0002}';
const END: char = '\u{f0003}';

/// In place of the keys to a step that is not there yet.
pub(crate) const NEW: &str = "\u{f0004}";

/// A step in a sentence.
pub(crate) fn called(id: impl Display) -> String {
    format!("{STEP}{id}{END}")
}

/// A place in a sentence: the keys to it from the root of the file.
pub(crate) fn called_place(keys: &[String]) -> String {
    format!("{PLACE}{}{END}", keys.join("."))
}

/// Steps in a sentence, one after the other; `None` of none.
pub(crate) fn listed(steps: &[StepId]) -> Option<String> {
    let names: Vec<String> = steps.iter().map(called).collect();
    in_a_row(&names)
}

/// Names as they are to be read, one after the other: `a`, `b` and `c`; `None` of none.
pub fn in_a_row(names: &[String]) -> Option<String> {
    let (last, others) = names.split_last()?;
    Some(match others {
        [] => last.clone(),
        [..] => format!("{} and {last}", others.join(", ")),
    })
}

/// What a person wrote, not too long for a sentence and on one line.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let mut line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = line.by_ref().take(MOST).collect();
    if line.next().is_some() {
        short.push('…');
    }
    short
}

/// A sentence with other words for what is marked in it. `step`: for an id, `place`: for keys with dots between.
pub(crate) fn in_words(said: &str, step: impl Fn(&str) -> String, place: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(said.len());
    let mut rest = said;
    while let Some(at) = rest.find([STEP, PLACE]) {
        let (before, marked) = rest.split_at(at);
        out.push_str(before);
        let (inner, behind) = marked.split_once(END).unwrap_or((marked, ""));
        out.push_str(&match inner.strip_prefix(STEP) {
            Some(id) => step(id),
            None => place(inner.trim_start_matches(PLACE)),
        });
        rest = behind;
    }
    out.push_str(rest);
    out
}
