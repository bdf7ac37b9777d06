//! A workflow file and its instructions in one text: what a run keeps. First the workflow file, then the instructions behind a line that
//! names them:
//!
//! ```text
//! name: plan
//! instructions: "{installed_path}/instructions.md"
//! --- # instructions: plans/instructions.md
//! <workflow>
//! …
//! ```
//!
//! Nothing of either file changes: whoever has the text has both.

use crate::text::Span;

const MARK: &str = "--- # instructions: ";

/// The two parts of a text.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    /// Where the workflow file ends.
    pub(super) own: usize,
    /// The path of the instructions, and where they stand.
    pub(super) behind: Option<(String, Span)>,
}

pub(super) fn parts(text: &str) -> Parts {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(file) = line.strip_prefix(MARK) {
            let (start, end) = (at + line.len(), text.len());
            let behind = Some((file.trim().to_owned(), Span { start, end }));
            return Parts { own: at, behind };
        }
        at += line.len();
    }
    Parts { own: at, behind: None }
}

/// Puts a workflow file and its instructions together in one text.
///
/// # Errors
/// Why that cannot be: a part of the file would be taken for its instructions.
pub fn together(text: &str, file: &str, instructions: &str) -> Result<String, String> {
    if parts(text).behind.is_some() {
        return Err(format!("the file holds a line that begins with `{MARK}` already"));
    }
    if file.trim().is_empty() || file.contains(['\n', '\r']) {
        return Err("the instructions have no name that can be written down".to_owned());
    }
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Ok(format!("{text}{end}{MARK}{file}\n{instructions}"))
}

/// What of a text stands behind the workflow file's own: the instructions, and the line before them.
pub fn behind(text: &str) -> &str {
    &text[parts(text).own..]
}

/// What of a text stands in the workflow file itself.
pub fn own(text: &str) -> &str {
    &text[..parts(text).own]
}
