//! Is this file a runbook? Conservative: a README with numbered headings is none.

use super::{blocks, front::Front, id::Part, unit};

/// True for every `*.runbook.md`; for another `.md` when a numbered or dynamic step stands in it and a transition that
/// reads as one.
pub(crate) fn detect(path: &str, text: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    if name.ends_with(".runbook.md") {
        return true;
    }
    if !name.ends_with(".md") {
        return false;
    }
    let may_have_transitions = ["PASS", "FAIL", "YES", "NO"].iter().any(|word| text.contains(word));
    if !may_have_transitions || !text.contains("##") {
        return false;
    }
    /// A runbook shows itself early; the rest of a long text is not looked at.
    const ENOUGH: usize = 10_000;
    let (_, from) = Front::read(text);
    let (_, units, _) = unit::gather(text, blocks::read(text, from), ENOUGH);
    let numbered = |unit: &unit::Unit| {
        let id = unit.heading.id.as_ref();
        unit.heading.level == 2 && id.is_ok_and(|id| id.substep.is_none() && !matches!(id.step, Part::Name(_)))
    };
    units.iter().any(numbered) && units.iter().any(|unit| !unit.transitions.is_empty())
}
