//! An entry of a list as it is written: copied out of a file, and put into the same one or another with its own text.

use super::entry::keys;
use super::{EditError, Habit, Source, TreeError, entry_lines};
use crate::text::{Lines, TextEdit};
use crate::tree::{Budget, FaultKind, Grammar, NodeId, Tree};
use serde_json::{Map, Value};

/// The name under which a text that was pasted is read.
const PASTED: &str = "pasted.yaml";

/// What is to be said of a text that could not be kept.
pub(super) const ANEW: &str = "its text is written anew, without its comments";

/// Fields that say what an entry is called, what people read first.
const NAMING: [&str; 5] = ["name", "title", "id", "node_id", "step_id"];

/// What came of entries that were put in with their own texts.
pub(crate) struct Pasted {
    pub(crate) edits: Vec<TextEdit>,
    /// What is to be said of it, a sentence each, without a final stop.
    pub(crate) said: Vec<String>,
}

/// What came of entries that were pasted; `Err`: which of them cannot be put in, and why.
pub(crate) type Put<E> = Result<Pasted, (usize, E)>;

/// An entry that is put into a list.
#[derive(Debug, Clone)]
pub(crate) struct Copied {
    /// Its fields.
    pub(crate) map: Map<String, Value>,
    /// Its text, the first line with its dash and the others two blanks deeper; comments above it come first. `None` where it has no lines
    /// of its own: it is written anew.
    pub(crate) lines: Option<Vec<String>>,
    /// Its text says all of it, without the rest of its file.
    is_whole: bool,
    /// A file that holds the list with this entry alone.
    pub(crate) alone: Alone,
    /// What is lost of what was pasted, as a sentence.
    pub(crate) left_out: Option<&'static str>,
}

/// A file of one entry.
#[derive(Debug, Clone)]
pub(crate) struct Alone {
    pub(crate) text: String,
    pub(crate) tree: Tree,
}

impl Copied {
    /// What was pasted, as an entry of the list `key` of a file of this grammar. `what`: what an entry is called.
    ///
    /// # Errors
    /// The text is none, or not one alone, or cannot be read to its end.
    pub(crate) fn read(text: &str, what: &str, key: &str, grammar: Grammar) -> Result<Self, TreeError> {
        let refused = |why: &str| TreeError::unfit(format!("what was pasted is no {what}: {why}"));
        // What is JSON already goes into JSON as it is.
        let json =
            Some(Tree::read("pasted.json", text)).filter(|tree| grammar == Grammar::Json && tree.faults.is_empty());
        let tree = json.unwrap_or_else(|| Tree::read(PASTED, text));
        let several = |many: usize| Err(EditError::several_pasted(many, what).into());
        if let Some(fault) = tree.faults.first() {
            match json_parts(text).len() {
                0 | 1 => {}
                many => return several(many),
            }
            let at = Lines::of(text).position(text, fault.at);
            let place = format!("line {}, column {}", at.line, at.column);
            return Err(refused(&match fault.what {
                FaultKind::Syntax => format!("it cannot be read past {place}: {}", fault.in_words()),
                FaultKind::SecondDocument => format!("something else begins on line {}", at.line),
                FaultKind::DuplicateKey => format!("the field `{}` is written twice, again on {place}", fault.detail),
            }));
        }
        let root = tree.root.ok_or_else(|| refused("there is nothing in it"))?;
        let item = match tree.items(root) {
            Some([item]) => *item,
            Some(items) if items.len() > 1 => return several(items.len()),
            _ => root,
        };
        let mut budget = Budget::of(&tree);
        let Value::Object(map) = tree.value(text, item, &mut budget) else {
            return Err(refused("it is no list of fields"));
        };
        if budget.spent {
            return Err(refused("its fields lie too deep in each other, or are too many"));
        }
        if map.contains_key(key) {
            return Err(refused("it is a whole workflow"));
        }
        if !NAMING.iter().any(|key| map.contains_key(*key)) {
            return Err(refused("it has neither an id nor a name"));
        }
        let end = line_end(text, tree.node(item).span.end);
        let behind = text[end..].lines().any(|line| line.trim_start().starts_with('#'));
        let mut copied = Self::of(text, &tree, item, map, key);
        copied.lines.take_if(|_| !copied.is_whole);
        copied.left_out = match (&copied.lines, behind) {
            (None, _) => Some(ANEW),
            (Some(_), true) => Some("the comments behind it are left out"),
            (Some(_), false) => None,
        };
        if let Some(lines) = &mut copied.lines {
            let start = tree.node(item).span.start;
            lines.splice(0..0, comments(&text[..start]));
        }
        Ok(copied)
    }

    /// The entry at a node of a file, with its fields.
    pub(crate) fn of(text: &str, tree: &Tree, item: NodeId, map: Map<String, Value>, key: &str) -> Self {
        let lines = lines_at(text, tree, item);
        let is_json = tree.grammar == Grammar::Json;
        let alone = lines.as_deref().and_then(|lines| Alone::of(lines, &map, key, is_json));
        Self {
            lines,
            is_whole: alone.is_some(),
            alone: alone.unwrap_or_else(|| Alone::anew(&map, key)),
            map,
            left_out: None,
        }
    }

    /// Its text, to be read by itself: where it leans on other parts of its file (an alias), it is written anew.
    pub(crate) fn by_itself(&self) -> String {
        let anew = || entry_lines(&self.map, Habit::default());
        let lines = self.lines.clone().filter(|_| self.is_whole).unwrap_or_else(anew);
        match self.alone.tree.grammar == Grammar::Json && self.is_whole {
            true => without_dash(&lines).join("\n") + "\n",
            false => lines.join("\n") + "\n",
        }
    }

    /// What a person calls it.
    pub(crate) fn called(&self, list: &str) -> &str {
        let named = NAMING.into_iter();
        let mut named = named.filter_map(|key| self.alone.text_of(list, key));
        named.find(|name| !name.trim().is_empty()).unwrap_or("it")
    }

    /// Keys from the file of this entry alone, as keys from another file where it stands at a position.
    pub(crate) fn moved(path: &[String], to: usize) -> Vec<String> {
        let mut path = path.to_vec();
        if let Some(index) = path.get_mut(1) {
            *index = to.to_string();
        }
        path
    }
}

impl Alone {
    /// Lines below the name of their list; `None` where they read as something else there.
    fn of(lines: &[String], map: &Map<String, Value>, key: &str, is_json: bool) -> Option<Self> {
        let (name, text) = match is_json {
            true => (
                "alone.json",
                format!("{{\"{key}\": [{}]}}", without_dash(lines).join("\n")),
            ),
            false => ("alone.yaml", format!("{key}:\n  {}\n", lines.join("\n  "))),
        };
        let alone = Self::read(name, text);
        (alone.tree.faults.is_empty() && alone.value(key).as_ref() == Some(map)).then_some(alone)
    }

    fn anew(map: &Map<String, Value>, key: &str) -> Self {
        let list = Value::from(vec![Value::Object(map.clone())]);
        Self::read("alone.json", Value::from_iter([(key, list)]).to_string())
    }

    fn read(name: &str, text: String) -> Self {
        let tree = Tree::read(name, &text);
        Self { text, tree }
    }

    fn value(&self, key: &str) -> Option<Map<String, Value>> {
        let list = self.tree.get(&self.text, self.tree.root?, key)?;
        let item = self.tree.items(list)?.first()?;
        match self.tree.value(&self.text, *item, &mut Budget::of(&self.tree)) {
            Value::Object(map) => Some(map),
            _ => None,
        }
    }

    /// What is written in a field, as it is written where that is one word.
    pub(crate) fn text_of(&self, list: &str, field: &str) -> Option<&str> {
        let (found, used) = self.tree.walk(&self.text, [list, "0", field].into_iter());
        self.tree.text(&self.text, found.filter(|_| used == 3)?)
    }
}

/// The entries in a text that was copied out of a list, each as it would stand by itself, with the comments above it: a list of them, or
/// one or several of JSON one behind the other, with or without commas.
pub(crate) fn parts_of(text: &str) -> Vec<String> {
    let tree = Tree::read(PASTED, text);
    let Some(root) = tree.root.filter(|_| tree.broken().is_none()) else {
        return json_parts(text);
    };
    let Some(items) = tree.items(root) else {
        let is_one = tree.faults.iter().all(|fault| fault.what != FaultKind::SecondDocument);
        return match is_one && tree.entries(root).is_some() {
            true => vec![format!("{}\n", text.trim_end())],
            false => json_parts(text),
        };
    };
    if items.iter().all(|item| tree.entries(*item).is_none()) {
        return Vec::new();
    }
    let mut parts = Vec::with_capacity(items.len());
    let mut above = 0;
    for item in items {
        let span = tree.node(*item).span;
        let start = text[..span.start].rfind(['\n', '\r']).map_or(0, |n| n + 1);
        let is_dashed = text[start..span.start].trim_start().starts_with('-');
        let mut lines: Vec<String> = Vec::new();
        if is_dashed {
            lines.extend(comments(text.get(above..start).unwrap_or_default()));
        }
        match lines_at(text, &tree, *item) {
            Some(own) if is_dashed => lines.extend(own),
            Some(own) => lines.extend(without_dash(&own).into_iter().map(str::to_owned)),
            None => {
                let dash = if is_dashed { "- " } else { "" };
                lines.push(format!("{dash}{}", &text[span.start..span.end]));
            }
        }
        parts.push(lines.join("\n") + "\n");
        above = line_end(text, span.end);
    }
    // What is behind the last one is told to whoever pastes it.
    if let Some(last) = parts.last_mut() {
        comments(&text[above..]).for_each(|line| last.push_str(&(line + "\n")));
    }
    parts
}

/// Objects of JSON one behind the other.
fn json_parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while rest.starts_with('{') {
        let mut found = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
        let Some(Ok(_)) = found.next() else { return Vec::new() };
        let (own, behind) = rest.split_at(found.byte_offset());
        parts.push(format!("{own}\n"));
        rest = behind.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
    }
    match rest {
        "" => parts,
        _ => Vec::new(),
    }
}

/// The comments of lines that hold nothing else.
fn comments(text: &str) -> impl Iterator<Item = String> + '_ {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| line.starts_with('#')).map(str::to_owned)
}

/// The lines of a mapping as they are, the first one with a dash, the others two blanks deeper; `None` where it has none of its own.
pub(crate) fn lines_at(text: &str, tree: &Tree, item: NodeId) -> Option<Vec<String>> {
    tree.entries(item)?;
    let span = tree.node(item).span;
    let start = text[..span.start].rfind(['\n', '\r']).map_or(0, |n| n + 1);
    let before = text[start..span.start].trim_start_matches('\u{feff}');
    let blank = |text: &str| text.trim_matches(' ').is_empty();
    let in_braces = text[span.start..].starts_with('{');
    let dash = before
        .find('-')
        .filter(|n| blank(&before[..*n]) && blank(&before[*n + 1..]) && before.len() > n + 1);
    let (first, indent, deeper) = match dash {
        Some(n) => (&before[n..], &before[..n], ""),
        // In brackets, or by itself.
        None if in_braces => (
            "- ",
            &before[..before.len() - before.trim_start_matches(' ').len()],
            "  ",
        ),
        None if blank(before) => ("- ", before, "  "),
        None => return None,
    };
    let end = match dash {
        None if in_braces => span.end,
        _ => line_end(text, span.end),
    };
    let own = text.get(span.start..end)?.trim_end_matches(['\n', '\r']);
    let mut lines = own.lines();
    let mut all = vec![format!("{first}{}", lines.next()?)];
    for line in lines {
        all.push(match line.strip_prefix(indent) {
            _ if line.trim().is_empty() => String::new(),
            Some(rest) => format!("{deeper}{rest}"),
            None => return None,
        });
    }
    Some(all)
}

/// The same lines without the dash.
pub(crate) fn without_dash(lines: &[String]) -> Vec<&str> {
    let stripped = lines.iter().filter(|line| !line.starts_with('#'));
    let stripped = stripped.map(|line| line.strip_prefix("- ").or(line.strip_prefix("  ")).unwrap_or(line));
    stripped.collect()
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |n| at + n)
}

impl Source<'_> {
    /// An entry of the list `key` (keys from the top, with dots between), as it is written.
    pub(crate) fn copied(&self, key: &str, index: usize, map: &Map<String, Value>) -> Option<Copied> {
        let (found, used) = self.tree.walk(self.text, keys(key));
        let list = found.filter(|_| used == keys(key).count())?;
        let item = *self.tree.items(list)?.get(index)?;
        let name = keys(key).last()?;
        Some(Copied::of(self.text, self.tree, item, map.clone(), name))
    }
}

/// The name that a copy has where its own is taken: the same one wherever it comes from.
pub(crate) fn name_of_copy(own: &str, joint: &str, is_free: impl Fn(&str) -> bool) -> String {
    if is_free(own) {
        return own.to_owned();
    }
    let joint = if own.contains(' ') { " " } else { joint };
    let copy = format!("{own}{joint}copy");
    let counted = (2..).map(|n| format!("{copy}{joint}{n}"));
    let mut names = std::iter::once(copy.clone()).chain(counted);
    names.find(|name| is_free(name)).unwrap_or(copy)
}
