//! One mapping of the file while it is read: fields are taken by name and type, what is left over is kept.

use crate::tree::{Budget, Kind, NodeId, Tree};
use model::rules::MOST_OF_A_CODE;
use model::{Diagnostic, Edit, Fields, Place, Retries, Severity};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

/// What reading needs and gathers.
pub(crate) struct Context<'a> {
    text: &'a str,
    pub(crate) tree: &'a Tree,
    budget: Budget,
    /// Of what `<<` may take over, so that a large mapping shared by many is not copied without end.
    merges: RefCell<Budget>,
    diagnostics: Vec<Diagnostic>,
    /// How often each code was reported: of one code only the first few hundred are kept.
    counts: BTreeMap<String, (usize, Severity)>,
}

#[cfg(test)]
thread_local! {
    /// Every field that was asked for: all of them stand in the tables of [`crate::fields`].
    pub(crate) static ASKED: RefCell<std::collections::BTreeSet<String>> = const { RefCell::new(std::collections::BTreeSet::new()) };
}

/// A mapping's fields, each taken at most once.
pub(crate) struct Block {
    entries: Vec<(NodeId, NodeId, bool)>,
    /// Keys of what it takes over by `<<` that count for nothing here: another one stands before them.
    covered: Vec<NodeId>,
    place: Place,
}

impl<'a> Context<'a> {
    pub(crate) fn new(text: &'a str, tree: &'a Tree) -> Self {
        Self {
            text,
            tree,
            budget: Budget::of(tree),
            merges: RefCell::new(Budget::of(tree)),
            diagnostics: Vec::new(),
            counts: BTreeMap::new(),
        }
    }

    pub(crate) fn report(
        &mut self,
        code: &str,
        severity: Severity,
        place: Place,
        message: impl Into<String>,
        help: Option<&str>,
    ) {
        let diagnostic = Diagnostic::new(code, severity, place, message);
        self.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    /// Whether something was reported of a place already.
    pub(crate) fn is_named(&self, place: &Place) -> bool {
        self.diagnostics.iter().any(|said| said.place == *place)
    }

    /// Keeps a problem; of one code only the first ones.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let counts = self.counts.entry(diagnostic.code.clone());
        let (count, _) = counts.or_insert((0, diagnostic.severity));
        *count += 1;
        if *count <= MOST_OF_A_CODE {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Everything that was found, with what was left out said.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        if self.budget.spent || self.merges.borrow().spent {
            self.report(
                "GH0113",
                Severity::Error,
                Place::document(),
                "This file repeats or nests its parts so much that some were left out",
                Some("Write out what the aliases (`*name`) stand for, or split the file"),
            );
        }
        for (code, (count, severity)) in std::mem::take(&mut self.counts) {
            if count > MOST_OF_A_CODE {
                let said = format!("The same was found {} times more", count - MOST_OF_A_CODE);
                self.diagnostics
                    .push(Diagnostic::new(&code, severity, Place::document(), said));
            }
        }
        self.diagnostics
    }

    /// The text of a scalar as written (a number's digits, a boolean's word); `None` for null, lists and mappings.
    pub(crate) fn text(&self, id: NodeId) -> Option<String> {
        if self.is_null(id) {
            None
        } else {
            self.tree.text(self.text, id).map(str::to_owned)
        }
    }

    pub(crate) fn is_null(&self, id: NodeId) -> bool {
        let id = self.tree.resolve(id);
        matches!(self.tree.node(id).kind, Kind::Scalar { .. }) && self.tree.scalar(self.text, id).is_null()
    }

    pub(crate) fn scalar(&self, id: NodeId) -> Value {
        self.tree.scalar(self.text, id)
    }

    pub(crate) fn value(&mut self, id: NodeId) -> Value {
        self.tree.value(self.text, id, &mut self.budget)
    }

    /// The text of the file.
    pub(crate) fn source(&self) -> &'a str {
        self.text
    }

    /// Whether a value is there and says nothing: null, false, an empty text, list or mapping.
    pub(crate) fn says_nothing(&self, id: NodeId) -> bool {
        match (self.tree.items(id), self.tree.entries(id)) {
            (Some(items), _) => items.is_empty(),
            (_, Some(entries)) => entries.is_empty(),
            _ => {
                self.is_null(id)
                    || self.scalar(id) == Value::Bool(false)
                    || self.text(id).is_some_and(|text| text.is_empty())
            }
        }
    }

    pub(crate) fn is_map(&self, id: NodeId) -> bool {
        self.tree.entries(id).is_some()
    }

    /// The items of a list; `None` for anything else, and for a list that is repeated past all measure.
    pub(crate) fn items(&mut self, id: NodeId) -> Option<&'a [NodeId]> {
        let items = self.tree.items(id)?;
        self.budget.spend(items.len()).then_some(items)
    }

    /// An entry of a list that holds nothing, once: a list may be read by several.
    fn empty_entry(&mut self, list: &Place, index: usize) {
        let place = list.clone().field(index.to_string());
        if self.is_named(&place) {
            return;
        }
        let said = format!(
            "Entry {} of `{}` holds nothing, so that what is meant by it would be passed over",
            index + 1,
            field_of(list)
        );
        // Where dependencies are edited by what they mean, one that means nothing has no place: it is taken out by hand.
        let help = "This workflow does not start. Write what is meant, or remove the entry";
        self.report("GH0104", Severity::Error, place, said, Some(help));
    }

    /// A field that has another type than it should.
    pub(crate) fn wrong_type(&mut self, place: Place, wanted: &str, then: &str) {
        let name = field_of(&place).to_owned();
        self.report(
            "GH0104",
            Severity::Error,
            place,
            format!("`{name}` should be {wanted}; {then}"),
            None,
        );
    }
}

/// The field that a place lies in, whichever of its entries it is.
fn field_of(place: &Place) -> &str {
    let mut names = place.path.iter().rev();
    names
        .find(|part| part.parse::<usize>().is_err())
        .map_or("", String::as_str)
}

impl Block {
    /// The fields of a mapping, those merged into it (`<<: *defaults`) included. Empty for anything else.
    pub(crate) fn open(context: &Context<'_>, id: NodeId, place: Place) -> Self {
        let mut entries: Vec<(NodeId, NodeId, bool)> = Vec::new();
        let mut own = context.tree.entries(id).unwrap_or(&[]);
        let repeated = matches!(context.tree.node(id).kind, Kind::Alias { .. });
        if repeated && !context.merges.borrow_mut().spend(own.len()) {
            own = &[];
        }
        let mut merged = Vec::new();
        for (key, value) in own {
            if context.tree.key(context.text, *key) == "<<" {
                merged.push(*value);
            } else {
                entries.push((*key, *value, false));
            }
        }
        // A merge counts where the mapping has no key of its own. Bounded: a chain of merges could be built to explode.
        let mut names: HashSet<&str> = HashSet::new();
        if !merged.is_empty() {
            names.extend(own.iter().map(|(key, _)| context.tree.key(context.text, *key)));
        }
        let mut covered = Vec::new();
        let mut rounds = 0;
        while let Some(from) = merged.pop() {
            rounds += 1;
            if rounds > 64 {
                break;
            }
            if let Some(items) = context.tree.items(from) {
                merged.extend(items.iter().rev().take(64));
            }
            let taken_over = context.tree.entries(from).unwrap_or(&[]);
            if !context.merges.borrow_mut().spend(taken_over.len()) {
                break;
            }
            for (key, value) in taken_over {
                let name = context.tree.key(context.text, *key);
                if name == "<<" {
                    merged.push(*value);
                } else if names.insert(name) {
                    entries.push((*key, *value, false));
                } else {
                    covered.push(*key);
                }
            }
        }
        Self {
            entries,
            covered,
            place,
        }
    }

    /// Whether a field stands here in place of one that would be taken over by `<<`.
    pub(crate) fn covers(&self, context: &Context<'_>, key: &str) -> bool {
        self.covered.iter().any(|id| context.tree.key(context.text, *id) == key)
    }

    /// Key and value of every field, taken or not, in document order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        self.entries.iter().map(|(key, value, _)| (*key, *value))
    }

    fn find(&self, context: &Context<'_>, key: &str) -> Option<usize> {
        #[cfg(test)]
        ASKED.with_borrow_mut(|asked| asked.insert(key.to_owned()));
        self.entries
            .iter()
            .rposition(|(k, _, _)| context.tree.key(context.text, *k) == key)
    }

    /// The names of the fields that are left, each once, in document order.
    pub(crate) fn names(&self, context: &Context<'_>) -> Vec<String> {
        let left = self.entries.iter().filter(|(_, _, taken)| !taken);
        let mut seen = HashSet::new();
        left.map(|(key, _, _)| context.tree.key(context.text, *key))
            .filter(|name| seen.insert(*name))
            .map(str::to_owned)
            .collect()
    }

    /// Name and value of every field, taken or not, in document order.
    pub(crate) fn all_fields(&self, context: &Context<'_>) -> Vec<(String, NodeId)> {
        self.entries()
            .map(|(key, value)| (context.tree.key(context.text, key).to_owned(), value))
            .collect()
    }

    /// Takes everything that is left: the fields as they are written, in document order.
    pub(crate) fn all(self, context: &Context<'_>) -> Vec<(String, NodeId)> {
        let left = self.entries.into_iter().filter(|(_, _, taken)| !taken);
        left.map(|(key, value, _)| (context.tree.key(context.text, key).to_owned(), value))
            .collect()
    }

    pub(crate) fn has(&self, context: &Context<'_>, key: &str) -> bool {
        self.find(context, key).is_some()
    }

    /// The nodes of all fields, taken or not.
    pub(crate) fn values(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.entries.iter().map(|(_, value, _)| *value)
    }

    pub(crate) fn place(&self, key: &str) -> Place {
        self.place.clone().field(key)
    }

    /// A field's node, taken or not.
    pub(crate) fn peek(&self, context: &Context<'_>, key: &str) -> Option<NodeId> {
        self.find(context, key).map(|at| self.entries[at].1)
    }

    /// Takes a field: it will not be among the rest.
    pub(crate) fn take(&mut self, context: &Context<'_>, key: &str) -> Option<NodeId> {
        let at = self.find(context, key)?;
        self.entries[at].2 = true;
        Some(self.entries[at].1)
    }

    /// Takes a text; null is absent, a list or mapping is reported.
    pub(crate) fn text(&mut self, context: &mut Context<'_>, key: &str) -> Option<String> {
        let id = self.take(context, key)?;
        if context.is_null(id) {
            return None;
        }
        let text = context.text(id);
        if text.is_none() {
            context.wrong_type(self.place(key), "a text", "it is not used");
        }
        text
    }

    /// Takes the id of a step: a text that is not empty.
    pub(crate) fn target(&mut self, context: &mut Context<'_>, key: &str) -> Option<model::StepId> {
        self.text(context, key)
            .filter(|text| !text.is_empty())
            .map(model::StepId::new)
    }

    /// Takes a list of texts; one text counts as a list of one.
    pub(crate) fn texts(&mut self, context: &mut Context<'_>, key: &str) -> Vec<String> {
        let Some(id) = self.take(context, key) else {
            return Vec::new();
        };
        let place = self.place(key);
        texts(context, id, place)
    }

    /// Takes a yes or no; absent and null are no.
    pub(crate) fn flag(&mut self, context: &mut Context<'_>, key: &str) -> bool {
        let Some(id) = self.take(context, key) else {
            return false;
        };
        match context.scalar(id) {
            Value::Bool(flag) => flag,
            Value::Null if context.is_null(id) => false,
            _ => {
                context.wrong_type(self.place(key), "true or false", "it counts as false");
                false
            }
        }
    }

    /// A whole number, taken or not; anything else is reported.
    pub(crate) fn whole(&self, context: &mut Context<'_>, key: &str, then: &str) -> Option<i64> {
        let id = self.peek(context, key).filter(|id| !context.is_null(*id))?;
        let whole = context.scalar(id).as_i64();
        if whole.is_none() {
            let place = self.place(key);
            let found = Diagnostic::new(
                "GH0104",
                Severity::Error,
                place.clone(),
                format!("`{key}` should be a whole number; {then}"),
            );
            let meant = context.text(id).and_then(|text| text.trim().parse::<i64>().ok());
            context.push(match meant {
                Some(value) => found.fix(
                    format!("Change to {value}"),
                    Edit::Set {
                        place,
                        value: value.into(),
                    },
                ),
                None => found,
            });
        }
        whole
    }

    /// Takes `retries: {max, backoff_seconds}`, or just the number of extra attempts.
    pub(crate) fn retries(&mut self, context: &mut Context<'_>, key: &str) -> Option<Retries> {
        let id = self.peek(context, key)?;
        if !context.is_map(id) {
            let max = self.count(context, key, "the project's own number is used")?;
            return Some(Retries {
                max: Some(max),
                backoff_ms: 0,
            });
        }
        self.take(context, key);
        let mut inner = Block::open(context, id, self.place(key));
        let max = inner.count(context, "max", "the project's own number is used");
        let pause = inner.number(context, "backoff_seconds", "there is no pause");
        if max.is_none() && pause.is_none() {
            return None;
        }
        Some(Retries {
            max,
            backoff_ms: (pause.unwrap_or(0.0) * 1000.0).min(u64::MAX as f64) as u64,
        })
    }

    /// Takes a span of time in seconds; gives milliseconds.
    pub(crate) fn seconds(&mut self, context: &mut Context<'_>, key: &str, otherwise: &str) -> Option<u64> {
        let seconds = self.number(context, key, otherwise)?;
        Some((seconds * 1000.0).min(u64::MAX as f64) as u64)
    }

    /// Takes a number that is not negative and may have a fraction.
    pub(crate) fn number(&mut self, context: &mut Context<'_>, key: &str, otherwise: &str) -> Option<f64> {
        let id = self.take(context, key)?;
        if context.is_null(id) {
            return None;
        }
        let number = context.scalar(id).as_f64().filter(|n| *n >= 0.0);
        if number.is_none() {
            context.wrong_type(self.place(key), "a number, 0 or more", otherwise);
        }
        number
    }

    /// Takes a whole number that is not negative.
    pub(crate) fn count(&mut self, context: &mut Context<'_>, key: &str, otherwise: &str) -> Option<u32> {
        let id = self.take(context, key)?;
        if context.is_null(id) {
            return None;
        }
        let written = context.scalar(id).as_u64();
        let number = written.and_then(|n| u32::try_from(n).ok());
        if number.is_none() {
            let wanted = match written {
                Some(_) => "a whole number below 4294967296",
                None => "a whole number, 0 or more",
            };
            context.wrong_type(self.place(key), wanted, otherwise);
        }
        number
    }

    /// Everything that was not taken, in document order.
    pub(crate) fn rest(self, context: &mut Context<'_>) -> Fields {
        let tree = context.tree;
        let mut fields = Fields::new();
        for (key, value, taken) in self.entries {
            if !taken {
                let name = tree.key(context.text, key).to_owned();
                let value = context.value(value);
                fields.insert(name, value);
            }
        }
        fields
    }
}

/// The texts of a list; items that are empty, lists or mappings are reported and left out. An empty one is an error like a wrong one:
/// of what a step waits for, nobody knows what was meant to stand there.
pub(crate) fn texts(context: &mut Context<'_>, id: NodeId, place: Place) -> Vec<String> {
    if context.is_null(id) {
        return Vec::new();
    }
    let Some(items) = context.items(id) else {
        return match context.text(id) {
            Some(one) => vec![one],
            None if context.tree.items(id).is_some() => Vec::new(),
            None => {
                context.wrong_type(place, "a list of texts", "it is not used");
                Vec::new()
            }
        };
    };
    let mut out = Vec::with_capacity(items.len());
    for (n, item) in items.iter().enumerate() {
        match context.text(*item) {
            Some(text) => out.push(text),
            None if context.is_null(*item) => context.empty_entry(&place, n),
            None => context.wrong_type(
                place.clone().field(n.to_string()),
                "a list of texts",
                "one entry is left out",
            ),
        }
    }
    out
}
