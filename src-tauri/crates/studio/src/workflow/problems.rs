//! Diagnostics with their place in the source.

use crate::text::safe;
use crate::words;
use crate::workflow::labels::Labels;
use crate::workflow::view::{ElsewhereView, ProblemView};
use dialect::Document;
use model::{Diagnostic, Place, Severity, Work};
use runtime::Beyond;

/// The document's problems, in document order.
pub fn problems(document: &Document) -> Vec<ProblemView> {
    views(document, document.diagnostics().iter())
}

/// The same, and the workflows that it lists and that are not there, or that cannot be run. `is_there`: whether a listed file
/// exists. `beyond`: what is wrong in those that do.
pub fn with_listed(document: &Document, is_there: &dyn Fn(&str) -> bool, beyond: &[Beyond]) -> Vec<ProblemView> {
    let mut found = match document.not_a_workflow() {
        None => missing(document, is_there),
        Some(_) => Vec::new(),
    };
    found.extend(beyond.iter().map(|beyond| {
        if let Some(one) = &beyond.together {
            return Diagnostic {
                message: safe::visible(&one.message),
                ..(**one).clone()
            };
        }
        let place = beyond
            .listed
            .map_or(Place::document(), |(step, n)| document.listed_file(step, n));
        Diagnostic::new("GH0116", Severity::Error, place, safe::visible(&beyond.reason))
            .help("This workflow does not start before that file is mended: `gatehouse check` of it says all that is wrong there")
    }));
    views(document, document.diagnostics().iter().chain(&found))
}

fn missing(document: &Document, is_there: &dyn Fn(&str) -> bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for step in document.workflow().steps() {
        let Work::SubWorkflow { files } = &step.work else {
            continue;
        };
        for (n, file) in files.iter().enumerate().filter(|(_, file)| !is_there(file)) {
            let place = document.listed_file(step.ordinal, n);
            let said = format!(
                "There is no file `{}` in the project, which {} lists",
                safe::visible(file),
                step.called()
            );
            // A run begins where it says itself that it makes the file.
            let (severity, help) = match runtime::is_made(document.workflow(), file) {
                true => (
                    Severity::Warning,
                    "This workflow says that its run makes it: should it not be there by then, the step fails",
                ),
                false => (
                    Severity::Error,
                    "Correct the name, or write the file. It is looked for beside this one, then from the project's folder",
                ),
            };
            found.push(Diagnostic::new("GH0114", severity, place, said).help(help));
        }
    }
    found
}

/// What keeps a text from being read as a workflow to its end: of its steps nothing is known then, or not all.
pub fn breaks_off(document: &Document) -> Option<&Diagnostic> {
    let mut errors = document
        .diagnostics()
        .iter()
        .filter(|found| found.severity == Severity::Error);
    match document.workflow().steps().is_empty() {
        true => errors.next(),
        false => errors.find(|found| found.code == "GH0101"),
    }
}

fn views<'d>(document: &Document, found: impl Iterator<Item = &'d Diagnostic>) -> Vec<ProblemView> {
    let mut labels = Labels::of(document);
    let breaks_off = breaks_off(document);
    let mut out: Vec<ProblemView> = found
        .map(|d| {
            let span = document.span(&d.place).or_else(|| document.span(&Place::document()));
            let (start, end) = span.map_or((0, 0), |s| (s.start, s.end));
            let (from, to) = (document.position(start), document.position(end));
            let field = labels.at(&d.place).map(str::to_owned);
            ProblemView {
                code: d.code.clone(),
                severity: d.severity,
                breaks_off: breaks_off.is_some_and(|one| std::ptr::eq(one, d)),
                message: d.message.clone(),
                help: d.help.clone(),
                line: from.line as u32,
                column: from.column as u32,
                end_line: to.line as u32,
                end_column: to.column as u32,
                elsewhere: document.elsewhere(start).map(|(file, at)| ElsewhereView {
                    file: file.to_owned(),
                    line: at.line as u32,
                    column: at.column as u32,
                }),
                step: d
                    .place
                    .step
                    .and_then(|i| document.workflow().steps().get(i))
                    .map(words::of_step),
                at: field.is_some().then(|| d.place.clone()),
                field,
                fix: d.fix.clone(),
            }
        })
        .collect();
    out.sort_by(|a, b| (a.line, a.column, &a.code).cmp(&(b.line, b.column, &b.code)));
    out
}
