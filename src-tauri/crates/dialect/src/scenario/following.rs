//! Scenarios follow when the steps of their workflow get other ids, or go.

use super::{Name, names_of, take_out, whole};
use crate::edit::{Sheet, TreeError};
use crate::text::{TextEdit, apply, compose};
use crate::tree::{FaultKind, Tree};
use model::StepId;
use std::collections::HashMap;

/// The id of a step before a change, and its id behind it; `None`: the step is gone, and with it what is said of it.
pub type NewId = (StepId, Option<StepId>);

/// The edits that let a scenario follow: all ids change at once, so that `2` becomes `3` while `3` becomes `4`. Empty where it names
/// none of them.
///
/// # Errors
/// Why it cannot follow, as the end of a sentence: it cannot be read, or two steps would have one name in it.
pub fn renamed_in_scenario(path: &str, text: &str, ids: &[NewId]) -> Result<Vec<TextEdit>, String> {
    let tree = whole(path, text)?;
    let ids: HashMap<&str, Option<&str>> = ids
        .iter()
        .map(|(old, new)| (old.as_str(), new.as_ref().map(StepId::as_str)))
        .collect();
    let is_gone = |name: &Name| ids.get(name.step.as_str()) == Some(&None);
    let gone: Vec<Name> = names(&tree, text).into_iter().filter(is_gone).collect();
    let mut sheet = Sheet::new(path, text);
    let taken = take_out(&mut sheet, gone);
    taken.map_err(|error: TreeError| error.at(sheet.text(), 0).to_string())?;
    let left = sheet.text().to_owned();
    let taken = sheet.finish();
    let renamed = renamed(path, &left, &ids)?;
    Ok(compose(text, &taken, &renamed))
}

fn names(tree: &Tree, text: &str) -> Vec<Name> {
    tree.root.map_or_else(Vec::new, |root| names_of(tree, text, root, &[]))
}

/// The edits that write new ids, proved to change nothing else.
fn renamed(path: &str, text: &str, ids: &HashMap<&str, Option<&str>>) -> Result<Vec<TextEdit>, String> {
    let tree = whole(path, text)?;
    let old = names(&tree, text);
    let new = |name: &Name| ids.get(name.step.as_str()).copied().flatten().map(str::to_owned);
    let edits = old
        .iter()
        .filter_map(|name| Some(name.edit(&tree, &new(name)?)))
        .collect::<Vec<_>>();
    let changed = apply(text, &edits);
    let after = Tree::read(path, &changed);
    let doubled = after.faults.iter().find(|fault| fault.what == FaultKind::DuplicateKey);
    if let Some(doubled) = doubled.filter(|_| after.faults.len() > tree.faults.len()) {
        return Err(format!("two steps would be `{}` in it", doubled.detail));
    }
    let wanted = old
        .iter()
        .map(|name| name.naming(&new(name).unwrap_or_else(|| name.step.clone())));
    let now = names(&after, &changed);
    let is_exact = after.faults.len() <= tree.faults.len()
        && after.nodes.len() == tree.nodes.len()
        && wanted.eq(now.iter().map(|name| name.naming(&name.step)));
    match is_exact {
        true => Ok(edits),
        false => Err("no way of writing the new ids leaves everything else as it is".to_owned()),
    }
}
