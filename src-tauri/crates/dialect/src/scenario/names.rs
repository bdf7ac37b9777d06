//! Where a scenario names steps.

use crate::edit::write::Pen;
use crate::edit::{Change, Sheet, TreeError};
use crate::text::TextEdit;
use crate::tree::{Kind, NodeId, Style, Tree, plain_value};
use serde_json::Value;

/// The blocks whose keys are steps, or the gates of steps.
const BLOCKS: [&str; 3] = ["steps", "gates", "navigator"];

/// A place that names a step.
pub(crate) struct Name {
    /// Keys from the root; the last one holds the name, or is it. It goes where the step goes.
    pub(crate) path: Vec<String>,
    pub(crate) node: NodeId,
    /// The step that is named.
    pub(crate) step: String,
    /// What stands before and behind the step in the same text.
    around: (String, String),
    /// It is where a visit or an answer leads, which is counted among others whether it leads there or not.
    leads: bool,
}

impl Name {
    fn of(path: Vec<String>, node: NodeId, text: &str) -> Self {
        Self {
            path,
            node,
            step: text.to_owned(),
            around: (String::new(), String::new()),
            leads: false,
        }
    }

    /// The whole text with this step in it.
    pub(crate) fn naming(&self, step: &str) -> String {
        format!("{}{step}{}", self.around.0, self.around.1)
    }

    /// The edit that writes another step, in the quotes of the one that is named where those can carry it.
    pub(crate) fn edit(&self, tree: &Tree, step: &str) -> TextEdit {
        let style = match &tree.node(self.node).kind {
            Kind::Scalar { style, .. } => *style,
            _ => Style::Plain,
        };
        let is_text = |text: &str| matches!(plain_value(text), Value::String(_));
        let (now, new) = (self.naming(&self.step), self.naming(step));
        let pen = |style: Style, flow: bool| Pen {
            grammar: tree.grammar,
            flow,
            newline: "\n",
            style,
        };
        // What stands without quotes may go on so, even where that is safe outside of brackets alone.
        let flow = pen(Style::Plain, true).text(&now) == now;
        let replacement = match style {
            // A number without quotes stays one: names are read as texts here.
            Style::Plain if !is_text(&now) && !is_text(&new) => new,
            Style::Plain if pen(style, flow).text(&new) != new => pen(Style::Single, flow).text(&new),
            _ => pen(style, flow).text(&new),
        };
        TextEdit {
            span: tree.node(self.node).span,
            replacement,
        }
    }
}

/// Takes out what is said of steps that are gone: entries with what they leave empty, but of a visit that led to one only where it
/// led.
pub(crate) fn take_out(sheet: &mut Sheet<'_>, names: Vec<Name>) -> Result<(), TreeError> {
    let (leading, entries): (Vec<Name>, Vec<Name>) = names.into_iter().partition(|name| name.leads);
    let paths = |names: Vec<Name>| names.into_iter().map(|name| name.path).collect::<Vec<_>>();
    let (mut leading, entries) = (paths(leading), paths(entries));
    leading.retain(|path| !entries.iter().any(|entry| path.starts_with(entry)));
    let leading: Vec<Change> = leading.into_iter().map(|path| Change { path, value: None }).collect();
    sheet.change(&leading)?;
    sheet.take_out(entries)
}

/// The keys of a mapping as names of steps.
pub(crate) fn keys_of(tree: &Tree, source: &str, map: Option<NodeId>, path: &[String]) -> Vec<Name> {
    let entries = map.and_then(|map| tree.entries(map)).unwrap_or(&[]);
    let name = |(key, _): &(NodeId, NodeId)| {
        let text = tree.key(source, *key);
        let mut own = path.to_vec();
        own.push(text.to_owned());
        Name::of(own, *key, text)
    };
    entries.iter().map(name).collect()
}

/// Every name of a step in a scenario that stands at some keys.
pub(crate) fn names_of(tree: &Tree, source: &str, scenario: NodeId, path: &[String]) -> Vec<Name> {
    let inside = |more: &[&str]| -> Vec<String> {
        let more = more.iter().map(|key| (*key).to_owned());
        path.iter().cloned().chain(more).collect()
    };
    let mut names = Vec::new();
    for block in BLOCKS {
        let Some(entries) = tree.get(source, scenario, block) else {
            continue;
        };
        let keys = keys_of(tree, source, Some(entries), &inside(&[block])).into_iter();
        names.extend(keys.map(|name| if block == "gates" { of_gate(name) } else { name }));
        for (step, visits) in tree.entries(entries).unwrap_or(&[]) {
            let step = tree.key(source, *step);
            for (n, visit) in tree.items(*visits).unwrap_or(&[]).iter().enumerate() {
                let at = |key: &str| {
                    let node = tree.get(source, *visit, key)?;
                    let path = inside(&[block, step, &n.to_string(), key]);
                    let name = Name::of(path, node, tree.text(source, node)?);
                    Some(Name { leads: true, ..name })
                };
                names.extend(at("jump"));
                // A way is called by what it does and where it leads: `advance:fix`.
                names.extend(at("way").and_then(|name| {
                    let (does, to) = name.step.rsplit_once(':')?;
                    let (before, step) = (format!("{does}:"), to.to_owned());
                    Some(Name {
                        step,
                        around: (before, String::new()),
                        ..name
                    })
                }));
            }
        }
    }
    names.extend(tree.get(source, scenario, "from").and_then(|node| {
        let name = Name::of(inside(&["from"]), node, tree.text(source, node)?);
        Some(Name { leads: true, ..name })
    }));
    let expected = tree.get(source, scenario, "expect");
    let expected = expected.and_then(|expect| tree.get(source, expect, "path"));
    let expected = expected.and_then(|list| tree.items(list)).unwrap_or(&[]);
    names.extend(expected.iter().enumerate().filter_map(|(n, item)| {
        let path = inside(&["expect", "path", &n.to_string()]);
        Some(Name::of(path, *item, tree.text(source, *item)?))
    }));
    // What stands for something written earlier is named there.
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(tree.node(name.node).span));
    names
}

/// The name of a gate names its step, alone or between the workflow and what the gate is for: `release:2:hitl`.
fn of_gate(name: Name) -> Name {
    let mut parts = name.step.rsplitn(3, ':');
    let (Some(what), Some(step), Some(workflow)) = (parts.next(), parts.next(), parts.next()) else {
        return name;
    };
    Name {
        around: (format!("{workflow}:"), format!(":{what}")),
        step: step.to_owned(),
        ..name
    }
}
