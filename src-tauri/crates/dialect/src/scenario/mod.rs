//! Scenarios that stand beside a workflow, or in the front matter of a runbook (CONTRACTS "Scenarios").
//!
//! * `names`: where a scenario names steps. [`following`]: how it follows when steps get other ids.
//! * [`forms`]: what can be filled in of each visit and each answer.

mod following;
mod forms;
mod names;

use crate::text::Lines;
use crate::tree::Tree;
pub use following::{NewId, renamed_in_scenario};
pub use forms::{ScenarioPart, scenario_forms};
pub(crate) use names::{Name, keys_of, names_of, take_out};

/// A scenario that can be read to its end.
///
/// # Errors
/// Where it cannot be, as the end of a sentence.
fn whole(path: &str, text: &str) -> Result<Tree, String> {
    let tree = Tree::read(path, text);
    match tree.broken() {
        None => Ok(tree),
        Some(fault) => {
            let at = Lines::of(text).position(text, fault.at);
            Err(format!("it cannot be read past line {}", at.line))
        }
    }
}
