//! What reading takes that every format of YAML and JSON shares: fields taken by name and type, gates, problems.

mod block;
pub(crate) mod gate;
mod paths;

use crate::tree::NodeId;
#[cfg(test)]
pub(crate) use block::ASKED;
pub(crate) use block::{Block, Context, texts};
use model::{Place, Severity};
pub use paths::leaves;
pub(crate) use paths::{leads_out, made_inside};

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

/// Steps past this many are not read: a step takes some hundred times the memory of `- x`.
const MOST_STEPS: usize = 500_000;

/// Leaves out the steps past the bound, and says so.
pub(crate) fn bounded(context: &mut Context<'_>, items: &mut Vec<NodeId>) {
    if items.len() > MOST_STEPS {
        let said = format!("This flow has {} steps; the first {MOST_STEPS} are read", items.len());
        context.report(
            "GH0113",
            Severity::Error,
            Place::document(),
            said,
            Some("Split the file"),
        );
        items.truncate(MOST_STEPS);
    }
}

/// The file's name without folder and endings: `flows/build-flow.graph.json` → `build-flow`.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = ["yaml", "yml", "json"]
        .iter()
        .find_map(|end| name.strip_suffix(end)?.strip_suffix('.'))
        .unwrap_or(name);
    let stem = stem.strip_suffix(".graph").unwrap_or(stem);
    if stem.is_empty() { "flow" } else { stem }
}
