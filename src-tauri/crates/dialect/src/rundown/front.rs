//! Front matter: YAML between two `---` lines at the very beginning. Optional metadata, never a heading.

use crate::text::Span;
use crate::tree::{Budget, Tree};
use model::Fields;
use serde_json::Value;

/// The front matter of a file.
#[derive(Debug, Clone)]
pub(crate) struct Front {
    /// With both `---` lines, without the last line end.
    pub(super) span: Span,
    /// Between them; the tree's spans count from its start.
    pub(crate) inner: Span,
    pub(crate) tree: Tree,
}

/// The name under which front matter is read: YAML, whatever the runbook's own name.
pub(crate) const NAME: &str = "front-matter.yaml";

impl Front {
    /// The front matter and where the Markdown behind it begins.
    pub(super) fn read(text: &str) -> (Option<Self>, usize) {
        let start = if text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        let Some(front) = Self::find(text, start) else {
            return (None, start);
        };
        let behind = front.span.end;
        (Some(front), behind)
    }

    fn find(text: &str, start: usize) -> Option<Self> {
        let mut at = start;
        let mut inner = None;
        for line in lines(&text[start..]) {
            let end = at + line.len();
            let fence = line.trim_end() == "---";
            match inner {
                None if !fence => return None,
                None => inner = Some(end),
                Some(from) if fence => {
                    let inner = Span { start: from, end: at };
                    let tree = Tree::read(NAME, &text[from..at]);
                    let front = Self {
                        span: Span {
                            start,
                            end: at + line.trim_end().len(),
                        },
                        inner,
                        tree,
                    };
                    return front.is_metadata(text).then_some(front);
                }
                Some(_) => {}
            }
            at = end;
        }
        None
    }

    /// A rule at the beginning and another one later is no front matter when what stands between is a runbook's text.
    fn is_metadata(&self, text: &str) -> bool {
        let source = &text[self.inner.start..self.inner.end];
        match self.tree.root {
            Some(root) if self.tree.broken().is_none() && self.tree.entries(root).is_some() => true,
            // Nothing, or nothing that can be read. `# words` is a comment of YAML; `## 1. Build` is a step.
            _ => !lines(source).any(|line| line.starts_with("## ")),
        }
    }

    /// Every field, in document order.
    pub(super) fn fields(&self, text: &str) -> Fields {
        let Some(root) = self.tree.root else {
            return Fields::new();
        };
        match self.tree.value(self.source(text), root, &mut Budget::of(&self.tree)) {
            Value::Object(map) => map.into_iter().collect(),
            _ => Fields::new(),
        }
    }

    pub(crate) fn source<'t>(&self, text: &'t str) -> &'t str {
        &text[self.inner.start..self.inner.end]
    }
}

/// Why what looks like front matter is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotRead {
    /// Something stands in front of its first line, be it an empty line.
    NotFirst,
    /// No `---` ends it.
    Open,
    /// `+++` stands around it, as where it is written in TOML.
    OtherFence,
}

/// What looks like front matter at the beginning of a text that has none: a rule with a field of YAML or TOML below it. Below a rule of
/// Markdown stands prose.
pub(super) fn not_read(text: &str) -> Option<(Span, NotRead)> {
    let mark = '\u{feff}';
    let mut at = text.len() - text.trim_start_matches(mark).len();
    let mut fence: Option<(Span, bool)> = None;
    let mut is_first = at <= mark.len_utf8();
    let mut gap = false;
    let mut below_words = false;
    for line in lines(&text[at..]) {
        let words = line.trim();
        let is_empty = words.is_empty();
        match fence {
            None if is_empty => is_first = false,
            None if words == "---" || words == "+++" => {
                let start = at + (line.len() - line.trim_start().len());
                is_first &= start == at;
                let end = start + words.len();
                fence = Some((Span { start, end }, words == "+++"));
            }
            // Below a title or a comment a rule is a rule, but for one that names who does a step.
            None if words.starts_with("# ") || words.starts_with("<!--") && words.ends_with("-->") => {
                is_first = false;
                below_words = true;
            }
            None => return None,
            Some((span, _)) if below_words => {
                let goes_on = |line: &&str| !line.trim().is_empty() && line.trim_end() != "---";
                let gives = lines(&text[at..]).take_while(goes_on).any(gives_steps);
                return gives.then_some((span, NotRead::NotFirst));
            }
            Some(_) if is_empty => gap = true,
            // A comment of YAML; below an empty line a title.
            Some(_) if words.starts_with('#') && !gap => {}
            Some((span, other)) => {
                let why = match (other, is_first) {
                    (true, _) => NotRead::OtherFence,
                    (false, false) => NotRead::NotFirst,
                    (false, true) => NotRead::Open,
                };
                return (is_field(words, other) || gives_steps(line)).then_some((span, why));
            }
        }
        at += line.len();
    }
    None
}

/// Whether a line says who does steps: the field `agents`, in whatever case, by itself or in a block of one line.
pub(super) fn gives_steps(line: &str) -> bool {
    let (name, _) = line.split_once(':').unwrap_or_default();
    let name = name.trim_start_matches(['{', ' ']).trim_end().trim_matches(['"', '\'']);
    name.eq_ignore_ascii_case("agents")
}

/// Whether a line is a field of front matter: a name and a colon; of TOML a name and `=`, or the name of a table. No sentence begins so.
fn is_field(line: &str, toml: bool) -> bool {
    let is_name = |name: &str| {
        let name = name.trim_end().trim_matches(['"', '\'']);
        name.starts_with(|c: char| c.is_lowercase() || c == '_')
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    let yaml = line.split_once(':').is_some_and(|(name, value)| {
        let ends = value.is_empty() || value.starts_with([' ', '\t']);
        ends && is_name(name)
    });
    let table = || line.strip_prefix('[').is_some_and(|rest| rest.ends_with(']'));
    let is_toml = || table() || line.split_once('=').is_some_and(|(name, _)| is_name(name));
    yaml || toml && is_toml()
}

/// Lines with their ends; `\n`, `\r\n` and a lone `\r` end one.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = match rest.find(['\n', '\r']) {
            Some(at) if rest[at..].starts_with("\r\n") => at + 2,
            Some(at) => at + 1,
            None => rest.len(),
        };
        let (line, behind) = rest.split_at(end);
        rest = behind;
        Some(line)
    })
}
