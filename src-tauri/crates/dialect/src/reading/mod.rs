//! What reading takes that every format of YAML and JSON shares: fields taken by name and type, gates, problems.

mod block;
pub(crate) mod gate;

#[cfg(test)]
pub(crate) use block::ASKED;
pub(crate) use block::{Block, Context, texts};

/// The word of a list that was probably meant: the same but for case and blanks, else one that is a slip away.
pub(crate) fn nearest<'w>(word: &str, known: &[&'w str]) -> Option<&'w str> {
    let word = word.trim().to_lowercase().replace([' ', '_'], "-");
    if word.len() > 64 {
        return None;
    }
    let distance = |other: &&&'w str| strsim::osa_distance(&word, &other.to_lowercase().replace('_', "-"));
    let near = known.iter().min_by_key(distance)?;
    (distance(&near) <= (near.len() / 3).max(1)).then_some(*near)
}
