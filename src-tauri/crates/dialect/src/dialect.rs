//! What a format has to answer, to be one that this crate reads.

use crate::document::Reading;
use crate::reading::{Block, Context};
use crate::tree::Tree;
use model::{Format, Place};

/// A format with all that reading its files takes. [`crate::registry`] lists them.
pub(crate) trait Dialect: Sync {
    /// The format that its files are written in.
    fn format(&self) -> Format;

    /// Whether a name alone makes a file one of this format.
    fn is_named(&self, _path: &str) -> bool {
        false
    }

    /// Words of which one stands in every file that is recognised by what it holds.
    fn words(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a file is one by what it holds.
    fn holds(&self, file: &File<'_>) -> bool;

    /// What a file that is no workflow lacks of this format, as the end of a sentence; `None` where it does not come near.
    fn lacks(&self, file: &File<'_>) -> Option<String>;

    /// Reads a file as one of this format, or as far as it is one.
    fn read(&self, file: File<'_>) -> Box<dyn Reading>;
}

/// A file before anybody knows what it is.
pub(crate) struct File<'a> {
    /// As given.
    pub(crate) path: &'a str,
    /// What stands in it.
    pub(crate) text: &'a str,
    /// Its YAML or JSON; `None` for Markdown.
    pub(crate) tree: Option<Tree>,
}

impl<'a> File<'a> {
    /// Reads YAML and JSON as far as they are that, and nothing of Markdown.
    pub(crate) fn of(path: &'a str, text: &'a str) -> Self {
        let tree = (!is_markdown(path)).then(|| Tree::read(path, text));
        Self { path, text, tree }
    }

    /// The fields of the outermost level, where it is a list of fields.
    pub(crate) fn root(&self) -> Option<(Context<'_>, Block)> {
        let context = Context::new(self.text, self.tree.as_ref()?);
        let root = context.tree.root.filter(|root| context.is_map(*root))?;
        let block = Block::open(&context, root, Place::document());
        Some((context, block))
    }
}

/// Files that are read as Markdown; everything else is YAML or JSON.
pub(crate) fn is_markdown(path: &str) -> bool {
    path.len() > 3 && path.as_bytes()[path.len() - 3..].eq_ignore_ascii_case(b".md")
}
