//! What must hold for a reading.

use crate::FILE;
use crate::input::{Choices, floor};
use dialect::{Document, PAGES, Span};
use model::layout::{Direction, draw};
use model::{Place, Severity};
use std::collections::BTreeMap;

/// Longer texts are asked for places here and there only.
const ASKED_EVERYWHERE: usize = 1_024;
/// Larger graphs are not laid out for every input.
const LAID_OUT: usize = 24;
/// Bytes of a text that grew.
const GROWN: usize = 192 * 1_024;

/// A document is its text, the same however often it is read; everything it says of itself fits the text.
pub fn check(document: &Document) {
    let text = document.text();
    let again = Document::parse(FILE, text);
    assert_eq!(again.text(), text, "printing is the text itself");
    same(document, &again);
    assert_eq!(
        dialect::detect(FILE, text),
        dialect::detect(FILE, text),
        "the same text, the same format"
    );
    diagnostics(document);
    steps(document);
    places(document);
    drawing(document);
}

/// Reading is a function of the text.
fn same(document: &Document, again: &Document) {
    let (one, two) = (document.workflow(), again.workflow());
    assert_eq!(one.steps(), two.steps());
    assert_eq!(
        (&one.id, &one.title, &one.description, &one.fields),
        (&two.id, &two.title, &two.description, &two.fields)
    );
    assert_eq!(one.flows(), two.flows());
    assert_eq!(document.diagnostics(), again.diagnostics());
}

/// A span lies in the text and between characters.
fn sound(document: &Document, span: Span, what: &dyn std::fmt::Debug) {
    assert!(span.start <= span.end, "{what:?}: {span:?} ends before it begins");
    assert!(
        document.text().get(span.start..span.end).is_some(),
        "{what:?}: {span:?} is no part of the text"
    );
    for offset in [span.start, span.end] {
        let at = document.position(offset);
        assert!(at.line >= 1 && at.column >= 1);
    }
}

fn diagnostics(document: &Document) {
    let mut of_a_code: BTreeMap<&str, usize> = BTreeMap::new();
    let mut before = 0;
    for diagnostic in document.diagnostics() {
        let code = diagnostic.code.as_str();
        let page = PAGES.iter().chain(model::rules::PAGES).any(|page| page.code == code);
        assert!(page, "{code} has a page");
        assert!(
            !diagnostic.message.is_empty() && !diagnostic.message.ends_with('.'),
            "{diagnostic:?}"
        );
        let span = document.span(&diagnostic.place);
        let start = span.map_or(0, |span| span.start);
        assert!(
            start >= before,
            "problems come in the order of the text: {diagnostic:?}"
        );
        before = start;
        let related = diagnostic.related.iter().map(|(place, _)| place);
        for place in std::iter::once(&diagnostic.place).chain(related) {
            match document.span(place) {
                Some(span) => sound(document, span, place),
                None => assert!(document.text().is_empty(), "{place:?} stands nowhere"),
            }
        }
        *of_a_code.entry(code).or_default() += 1;
    }
    for (code, count) in of_a_code {
        // One more says that there are more.
        assert!(count <= model::rules::MOST_OF_A_CODE + 1, "{code}: {count} problems");
    }
}

/// Every field of every step: where there is a value there is a span, and what is written as it stands reads so.
fn steps(document: &Document) {
    let workflow = document.workflow();
    for (ordinal, step) in workflow.steps().iter().enumerate() {
        assert_eq!(step.ordinal, ordinal);
        if let Some(parent) = &step.parent {
            assert!(
                workflow.step(parent).is_some(),
                "{} lies in a step that exists",
                step.id
            );
        }
        let whole = document.span(&Place::step(ordinal)).expect("a step has bytes");
        for path in fields(document, ordinal) {
            let place = Place::step(ordinal).path(path.iter().map(|part| (*part).to_owned()));
            let (value, span) = (document.value(&place), document.value_span(&place));
            if let Some(span) = span {
                sound(document, span, &place);
                assert!(
                    whole.start <= span.start && span.end <= whole.end,
                    "{place:?} lies in its step"
                );
            }
            match path.last().map(String::as_str) {
                // A list may be empty, and then stands nowhere.
                Some("transitions" | "files") => {}
                // Prose may be nothing but blanks or comments.
                Some("prompt") => assert!(value.is_none() || span.is_some(), "{place:?}"),
                _ => assert_eq!(value.is_some(), span.is_some(), "{place:?}"),
            }
            let written = matches!(path.last().map(String::as_str), Some("id" | "title" | "target"))
                || path.first().is_some_and(|first| first == "transitions") && path.len() == 2;
            if let (true, Some(value), Some(span)) = (written, value, span) {
                let source = &document.text()[span.start..span.end];
                assert_eq!(value.as_str(), Some(with_plain_ends(source).as_str()), "{place:?}");
            }
        }
    }
}

/// `\n` for every line end: so values of the model are.
pub(crate) fn with_plain_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The fields that a step has, and some that it might have.
pub(crate) fn fields(document: &Document, ordinal: usize) -> Vec<Vec<String>> {
    let path = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
    let mut out: Vec<Vec<String>> = ["heading", "id", "title", "prompt", "command", "transitions", "files"]
        .into_iter()
        .map(|name| path(&[name]))
        .collect();
    for list in ["transitions", "files"] {
        let value = document.value(&Place::step(ordinal).field(list));
        let length = value.as_ref().and_then(|v| v.as_array()).map_or(0, Vec::len);
        for n in 0..=length.min(8) {
            out.push(path(&[list, &n.to_string()]));
            if list == "transitions" {
                out.push(path(&[list, &n.to_string(), "target"]));
            }
        }
    }
    out
}

/// Every offset belongs to a place, and that place to bytes around it.
fn places(document: &Document) {
    let text = document.text();
    let stride = 1 + text.len() / ASKED_EVERYWHERE;
    // Past the end too: the text may have become shorter than the cursor's place.
    for offset in (0..=text.len() + 1).step_by(stride) {
        let place = document.place_at(offset);
        let Some(span) = document.span(&place) else {
            assert!(text.is_empty(), "{place:?} stands nowhere");
            continue;
        };
        sound(document, span, &place);
        if place.step.is_none() {
            continue;
        }
        // Empty lines behind a step belong to it; a command's value lies between its fences, the cursor may stand on them.
        let reaches = match place.path.last().map(String::as_str) {
            None => span.start <= offset,
            Some("command") => true,
            Some(_) => span.start <= offset && offset <= span.end,
        };
        assert!(reaches, "{offset} is not in {place:?} {span:?}");
    }
}

/// The drawing of a small graph: every step has a box, every number is one.
fn drawing(document: &Document) {
    let workflow = document.workflow();
    let flows = workflow.flows();
    if workflow.steps().len() > LAID_OUT || flows.len() > 4 * LAID_OUT {
        return;
    }
    let input = model::picture::input(workflow, Direction::Right);
    assert_eq!(input.nodes.len(), workflow.steps().len());
    let drawing = draw(&input);
    assert_eq!(drawing.nodes.len(), input.nodes.len());
    assert_eq!(drawing.edges.len(), input.edges.len());
    let size = [drawing.width, drawing.height];
    let boxes = drawing.nodes.iter().flat_map(|b| [b.x, b.y, b.width, b.height]);
    let points = drawing
        .edges
        .iter()
        .flat_map(|edge| &edge.points)
        .flat_map(|at| [at.x, at.y]);
    for number in size.into_iter().chain(boxes).chain(points) {
        assert!(number.is_finite(), "{number} in the drawing");
    }
}

/// A part of the text, over and over: what takes more than linear time runs into libFuzzer's time limit.
pub fn grown(document: &Document, choices: &mut Choices<'_>) {
    let text = document.text();
    let part = &text[choices.part(text, 256)];
    if part.is_empty() {
        return;
    }
    let start = floor(text, choices.below(text.len().min(512) + 1));
    let long = format!(
        "{}{}{}",
        &text[..start],
        part.repeat(GROWN / part.len()),
        &text[start..]
    );
    let read = Document::parse(FILE, &long);
    assert_eq!(read.text(), long);
    let place = read.place_at(long.len() / 2);
    assert!(read.span(&place).is_some());
    let bound = model::rules::MOST_OF_A_CODE + 1;
    let errors = read.diagnostics().iter().filter(|d| d.severity == Severity::Error);
    assert!(errors.count() <= bound * (PAGES.len() + model::rules::PAGES.len()));
}
