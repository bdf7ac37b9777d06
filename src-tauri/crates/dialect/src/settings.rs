//! Values of a YAML file that is no workflow, such as `gatehouse.yaml`, changed one by one: everything else of the text stays as it is.

use crate::edit::{EditError, Habit, Writer, tree_edit};
use crate::text::{Lines, Position, TextEdit, apply};
use crate::tree::{Kind, NodeId, Tree};
use model::{Edit, Place};
use serde_json::{Map, Value};

/// A value to write: keys from the root of the file, and what is to stand there; `None` takes it out, and with it what it leaves empty.
pub type Wanted = (Vec<String>, Option<Value>);

/// Where a value's key stands, or the entry of a list: the last on the way that there is, and whether that is the whole way. `None` where not
/// even the first is there.
pub fn place(name: &str, text: &str, path: &[&str]) -> Option<(Position, bool)> {
    let tree = Tree::read(name, text);
    let used = tree.walk(text, path.iter().copied()).1;
    let (last, around) = path.get(..used)?.split_last()?;
    let parent = tree.walk(text, around.iter().copied()).0?;
    let node = match tree.entry(text, tree.resolve(parent), last) {
        Some((key, _)) => key,
        None => tree.walk(text, path.iter().copied()).0?,
    };
    let at = Lines::of(text).position(text, tree.node(node).span.start);
    Some((at, used == path.len()))
}

/// The text with every change made. Takes time linear in the length times the number of changes.
///
/// # Errors
/// The file is broken, or a change cannot be written without changing something else. Nothing is changed then.
pub fn changed(name: &str, text: &str, changes: &[Wanted]) -> Result<String, EditError> {
    changes
        .iter()
        .try_fold(text.to_owned(), |text, change| one(name, &text, change))
}

fn one(name: &str, text: &str, (path, value): &Wanted) -> Result<String, EditError> {
    let tree = Tree::read(name, text);
    if let Some(fault) = tree.broken() {
        return Err(crate::edit::TreeError::Broken(fault.at).at(text, 0));
    }
    let root = tree.root.filter(|root| !is_nothing(&tree, *root));
    match (root, value) {
        (None, None) => Ok(text.to_owned()),
        // Nothing stands there but words for people.
        (None, Some(value)) => {
            let whole = path.iter().rev().fold(value.clone(), |inner, key| {
                Value::Object(Map::from_iter([(key.clone(), inner)]))
            });
            let end = if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            Ok(format!(
                "{text}{end}{}",
                Writer {
                    plainly: true,
                    habit: Habit::default(),
                }
                .file(&whole)
            ))
        }
        (Some(_), Some(value)) => {
            let place = Place::document().path(path.iter().cloned());
            let edit = Edit::Set {
                place,
                value: value.clone(),
            };
            written(name, text, &tree, path, &edit)
        }
        (Some(_), None) => taken_out(name, text, &tree, path),
    }
}

/// The text with edits made, each on what those before it have left: the places are keys from the root of the file.
///
/// # Errors
/// As [`changed`].
pub fn edited(name: &str, text: &str, edits: &[Edit]) -> Result<String, EditError> {
    edits.iter().try_fold(text.to_owned(), |text, edit| {
        let path = &edit.place().path;
        match edit {
            Edit::Set { value, .. } => one(name, &text, &(path.clone(), Some(value.clone()))),
            Edit::Remove { .. } => one(name, &text, &(path.clone(), None)),
            Edit::Move { .. } | Edit::Rename { .. } => {
                let tree = Tree::read(name, &text);
                match tree.broken() {
                    Some(fault) => Err(crate::edit::TreeError::Broken(fault.at).at(&text, 0)),
                    None => written(name, &text, &tree, path, edit),
                }
            }
        }
    })
}

fn written(name: &str, text: &str, tree: &Tree, path: &[String], edit: &Edit) -> Result<String, EditError> {
    let edits: Vec<TextEdit> = tree_edit(name, text, tree, path, edit).map_err(|error| error.at(text, 0))?;
    Ok(apply(text, &edits))
}

/// The text without the value, and without what only held it: those are keys, never an entry of a list, whose place counts.
fn taken_out(name: &str, text: &str, tree: &Tree, path: &[String]) -> Result<String, EditError> {
    let (found, used) = tree.walk(text, path.iter().map(String::as_str));
    if used < path.len() || found.is_none() {
        return Ok(text.to_owned());
    }
    let mut whole = path;
    while let Some((_, around)) = whole.split_last() {
        let parent = tree.walk(text, around.iter().map(String::as_str)).0;
        let alone = parent.is_some_and(|parent| {
            let held = tree.entries(parent).map(<[_]>::len);
            held.or_else(|| tree.items(parent).map(<[_]>::len)) == Some(1)
        });
        let is_entry = around
            .split_last()
            .and_then(|(_, list)| tree.walk(text, list.iter().map(String::as_str)).0)
            .is_some_and(|list| tree.entries(list).is_none());
        if around.is_empty() || !alone || is_entry {
            break;
        }
        whole = around;
    }
    let place = Place::document().path(whole.iter().cloned());
    written(name, text, tree, whole, &Edit::Remove { place })
}

/// Whether a file that is read holds no value: it is empty, or all of it is comments.
fn is_nothing(tree: &Tree, root: NodeId) -> bool {
    match &tree.node(root).kind {
        Kind::Map { .. } => false,
        _ => tree.node(root).span.start == tree.node(root).span.end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with(text: &str, path: &[&str], value: Option<Value>) -> String {
        let path = path.iter().map(|key| (*key).to_owned()).collect();
        changed("gatehouse.yaml", text, &[(path, value)]).expect("it can be written")
    }

    #[test]
    fn a_value_is_written_where_it_stands_and_where_nothing_stands_yet() {
        let own = "# ours\nversion: 1   # the only one\ncontext:\n  # high, on purpose\n  quality_standards: {minimum_test_coverage: 80}\nagents: {}\n";
        let path = ["context", "quality_standards", "minimum_test_coverage"];
        assert_eq!(with(own, &path, Some(json!(75))), own.replace("80", "75"));
        let more = with(own, &["context", "project_constraints", "team_size"], Some(json!(3)));
        assert!(
            more.starts_with("# ours\nversion: 1   # the only one\ncontext:\n  # high, on purpose\n"),
            "{more}"
        );
        assert!(
            more.contains("project_constraints") && more.ends_with("agents: {}\n"),
            "{more}"
        );
        assert_eq!(
            with("# nothing yet\n", &path, Some(json!(80))),
            "# nothing yet\ncontext:\n  quality_standards:\n    minimum_test_coverage: 80\n"
        );
        assert_eq!(with("", &["timezone"], Some(json!("UTC"))), "timezone: UTC\n");
        assert_eq!(
            with("version: 1\n", &path, Some(json!(80))),
            "version: 1\ncontext:\n  quality_standards:\n    minimum_test_coverage: 80\n"
        );
    }

    #[test]
    fn what_is_taken_out_leaves_nothing_empty_behind() {
        let own = "version: 1\ncontext:\n  quality_standards:\n    minimum_test_coverage: 80\nagents: {}\n";
        let path = ["context", "quality_standards", "minimum_test_coverage"];
        assert_eq!(with(own, &path, None), "version: 1\nagents: {}\n");
        assert_eq!(with(own, &["context", "nothing"], None), own);
        let two = own.replace("agents", "    code_quality_threshold: 7\nagents");
        assert_eq!(
            with(&two, &path, None),
            own.replace("minimum_test_coverage: 80", "code_quality_threshold: 7")
        );
    }

    #[test]
    fn an_entry_of_a_list_stays_where_all_that_it_says_is_taken_out() {
        let own = "steps:\n  draft:\n    - report: {verdict: BAD}\n    - status: failed\n";
        let path = ["steps", "draft", "0", "report", "verdict"];
        assert_eq!(
            with(own, &path, None),
            "steps:\n  draft:\n    - {}\n    - status: failed\n"
        );
        let answers = "gates: {check: [{answer: approve}]}\n";
        assert_eq!(
            with(answers, &["gates", "check", "0", "answer"], None),
            "gates: {check: [{}]}\n"
        );
        // Whoever takes out the entry itself means it, and what only held it.
        assert_eq!(
            with(own, &["steps", "draft", "0"], None),
            "steps:\n  draft:\n    - status: failed\n"
        );
        assert_eq!(
            with(&format!("name: x\n{answers}"), &["gates", "check", "0"], None),
            "name: x\n"
        );
    }

    #[test]
    fn a_broken_file_is_left_alone() {
        let refused = changed("gatehouse.yaml", "a: [1\n", &[(vec!["b".to_owned()], Some(json!(1)))]);
        assert!(matches!(refused, Err(EditError::Broken { .. })), "{refused:?}");
    }
}
