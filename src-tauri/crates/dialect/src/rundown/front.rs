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
