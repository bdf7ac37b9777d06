//! Diagnostics with their place in the source.

use super::words;
use crate::view::workflow::ProblemView;
use dialect::Document;
use model::Place;

/// The document's problems, in document order.
pub fn problems(document: &Document) -> Vec<ProblemView> {
    let mut out: Vec<ProblemView> = document
        .diagnostics()
        .iter()
        .map(|d| {
            let span = document.span(&d.place).or_else(|| document.span(&Place::document()));
            let (start, end) = span.map_or((0, 0), |s| (s.start, s.end));
            let (from, to) = (document.position(start), document.position(end));
            ProblemView {
                code: d.code.clone(),
                severity: d.severity,
                message: d.message.clone(),
                help: d.help.clone(),
                line: from.line as u32,
                column: from.column as u32,
                end_line: to.line as u32,
                end_column: to.column as u32,
                step: d
                    .place
                    .step
                    .and_then(|i| document.workflow().steps().get(i))
                    .map(words::of_step),
                fix: d.fix.clone(),
            }
        })
        .collect();
    out.sort_by(|a, b| (a.line, a.column, &a.code).cmp(&(b.line, b.column, &b.code)));
    out
}
