//! Every dialect, and the one ladder that tells what a file is: a workflow of a format, or no workflow, with the format
//! that it comes nearest to and what it lacks of that. A format is told by what it demands of its steps, never by one key:
//! `steps` stands in build files too.

use crate::dialect::{Dialect, File, is_markdown};
use crate::document::Document;
use crate::not_a_workflow::NotAWorkflow;
use crate::other_files::{SESSION, looks_like};
use crate::{agent_workflow, bmad, held, pipeline, rundown, session, stepspec, stepwise};
use model::{Diagnostic, Format, Place, Severity};

/// The dialects, the most demanding first: a file is what the first one recognises.
const DIALECTS: [&dyn Dialect; 6] = [
    &rundown::Rundown,
    &stepspec::StepSpec,
    &bmad::Bmad,
    &agent_workflow::AgentWorkflow,
    &pipeline::Pipeline,
    &stepwise::Stepwise,
];

fn dialects() -> impl DoubleEndedIterator<Item = &'static dyn Dialect> {
    DIALECTS.into_iter()
}

/// Whoever reads a format; what nobody reads is read as a flow.
fn of(format: Format) -> &'static dyn Dialect {
    let own = dialects().find(|dialect| dialect.format() == format);
    own.unwrap_or(&stepwise::Stepwise)
}

fn by_name(path: &str) -> Option<&'static dyn Dialect> {
    dialects().find(|dialect| dialect.is_named(path))
}

/// The ladder: the name, then what the file holds.
fn of_file(file: &File<'_>) -> Result<&'static dyn Dialect, NotAWorkflow> {
    let named = by_name(file.path);
    if named.is_none() && stepwise::holds_several(file.text) {
        return Ok(&stepwise::Stepwise);
    }
    let found = named.or_else(|| dialects().find(|dialect| dialect.holds(file)));
    found.ok_or_else(|| nearest(file))
}

/// What a file is, by its name and text. A Markdown file is a runbook by its name alone: who opens another one says so.
///
/// # Errors
/// Why it is no workflow.
pub fn recognise(path: &str, text: &str) -> Result<Format, NotAWorkflow> {
    of_file(&File::of(path, text)).map(Dialect::format)
}

/// Which contract a file of a folder is written to; `None` where it is no workflow (a registry of flows, a scenario, a build
/// file, anything else), and for Markdown without a runbook's name. What cannot be one by its ending or by the words in it is
/// not read. Never fails; [`recognise`] says why.
pub fn detect(path: &str, text: &str) -> Option<Format> {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit(['/', '\\']).next().unwrap_or("");
    let known = [".yaml", ".yml", ".json", ".md"].iter().any(|end| name.ends_with(end));
    if name.contains('.') && !known {
        return None;
    }
    if let Some(dialect) = by_name(path) {
        return Some(dialect.format());
    }
    let mut words = dialects().flat_map(Dialect::words);
    if is_markdown(path) || !words.any(|word| text.contains(word)) {
        return None;
    }
    recognise(path, text).ok()
}

/// What a file that is no workflow comes nearest to: the least demanding format first, and a flow where none is near.
fn nearest(file: &File<'_>) -> NotAWorkflow {
    let looks_like = file.root().and_then(|(context, root)| looks_like(&context, &root));
    if looks_like == Some(SESSION) {
        return NotAWorkflow {
            looks_like,
            ..NotAWorkflow::new(Format::ContextState, session::LACKS)
        };
    }
    let near = dialects()
        .rev()
        .find_map(|dialect| Some((dialect.format(), dialect.lacks(file)?)));
    let (format, lacks) = near.unwrap_or_else(|| (Format::Stepwise, stepwise::lacks_of_a_flow(file)));
    NotAWorkflow {
        looks_like,
        ..NotAWorkflow::new(format, lacks)
    }
}

impl Document {
    /// Reads a text of any content: it never fails and never panics, and takes time linear in the length. `path` gives
    /// the id of a flow that has none, and tells JSON from YAML.
    /// Where somebody holds the same text read, it is shared with them.
    pub fn parse(path: &str, text: &str) -> Self {
        if let Some(read) = held::find(path, text) {
            return Self::of(read);
        }
        let file = File::of(path, text);
        let recognised = of_file(&file);
        // What is no workflow is read as what it comes nearest to: runs of former versions began with such texts.
        let (dialect, not) = match recognised {
            Ok(dialect) => (dialect, None),
            Err(not) => (of(not.nearest), Some(not)),
        };
        let reading = dialect.read(file);
        let not_a_workflow = not.filter(|_| !reading.may_be_one(path));
        let diagnostics = match &not_a_workflow {
            Some(not) => {
                let said = not.to_string();
                vec![Diagnostic::new("GH0105", Severity::Error, Place::document(), said)]
            }
            None => {
                let mut found = reading.diagnostics(text);
                // Of a file that breaks off it is not known what stands behind.
                if found.iter().all(|one| one.code != "GH0101") {
                    found.extend(crate::context::check(reading.workflow()));
                    found.extend(crate::feedback::check(reading.workflow()));
                }
                found
            }
        };
        let document = Self::read(path, text, reading, diagnostics, not_a_workflow);
        held::share(document.as_read());
        document
    }
}
