//! What must hold for a StepSpec workflow of any content: it is read, printed, drawn in lanes and changed.

use crate::input::{Choices, Input};
use dialect::stepspec::{leaves, output_issues, schema_errors, validation_checks};
use dialect::{Document, PAGES, apply, detect, invert};
use model::layout::{Direction, draw};
use model::{Edit, Folders, Format, Place, placeholder};
use serde_json::{Value, json};

/// Larger graphs are not laid out for every input.
const LAID_OUT: usize = 24;

/// Everything that is demanded of a StepSpec workflow of any content. What begins with a brace is JSON, anything else YAML; a text
/// that does not say what it is says so first.
///
/// # Panics
/// Something that must hold does not.
pub fn stepspec(data: &[u8]) {
    let mut input = Input::of(data);
    let file = if input.text.trim_start().starts_with('{') {
        "f.json"
    } else {
        "f.yaml"
    };
    if detect(file, &input.text) != Some(Format::StepSpec) && file == "f.yaml" {
        input.text.insert_str(0, "format: stepspec\n");
    }
    let document = Document::parse(file, &input.text);
    reading(&document);
    drawing(&document);
    rules(&document);
    let mut choices = input.choices();
    if document.workflow().format != Format::StepSpec {
        return;
    }
    for _ in 0..4 {
        let edit = any(&document, &mut choices);
        change(&document, &edit);
    }
    fixes(&document, &mut choices);
}

/// A document is its text; what it says of itself fits the text.
fn reading(document: &Document) {
    let text = document.text();
    let again = Document::parse(document.path(), text);
    assert_eq!(document.workflow().steps(), again.workflow().steps());
    assert_eq!(document.workflow().questions, again.workflow().questions);
    assert_eq!(document.diagnostics(), again.diagnostics());
    let mut before = 0;
    for diagnostic in document.diagnostics() {
        let code = diagnostic.code.as_str();
        let page = PAGES.iter().chain(model::rules::PAGES).any(|page| page.code == code);
        assert!(page, "{code} has a page");
        let span = document.span(&diagnostic.place).unwrap_or_default();
        assert!(text.get(span.start..span.end).is_some(), "{diagnostic:?}");
        assert!(span.start >= before, "in the order of the text: {diagnostic:?}");
        before = span.start;
        assert!(
            !diagnostic.message.is_empty() && !diagnostic.message.ends_with('.'),
            "{diagnostic:?}"
        );
        let one_line = !code.starts_with("GH04") || !diagnostic.message.contains(char::is_control);
        assert!(one_line, "{diagnostic:?}");
    }
    for (n, step) in document.workflow().steps().iter().enumerate() {
        assert_eq!(step.ordinal, n);
        assert!(document.span(&Place::step(n)).is_some());
    }
    for offset in 0..=text.len().min(1_024) {
        let place = document.place_at(offset);
        let span = document.span(&place);
        assert!(span.is_none_or(|span| text.get(span.start..span.end).is_some()));
    }
}

/// Every step has a box, and no box reaches into another phase's lane.
fn drawing(document: &Document) {
    let workflow = document.workflow();
    if workflow.steps().len() > LAID_OUT {
        return;
    }
    for direction in [Direction::Right, Direction::Down] {
        let drawing = draw(&model::picture::input(workflow, direction));
        assert_eq!(drawing.nodes.len(), workflow.steps().len());
        let along = |x: f64, y: f64| if direction == Direction::Right { x } else { y };
        let mut last = 0.0;
        for lane in &drawing.lanes {
            let (start, length) = (along(lane.x, lane.y), along(lane.width, lane.height));
            assert!(start >= last && length > 0.0, "lanes overlap");
            last = start + length;
            for node in &drawing.nodes {
                let (from, size) = (along(node.x, node.y), along(node.width, node.height));
                let inside = start < from && from + size < last;
                let outside = from + size < start || last < from;
                assert!(
                    if lane.nodes.contains(&node.id) { inside } else { outside },
                    "{} {lane:?}",
                    node.id
                );
            }
        }
    }
}

/// The rules as data, on what the file holds.
fn rules(document: &Document) {
    let folders = Folders::default();
    for step in document.workflow().steps() {
        let whole = document.value(&Place::step(step.ordinal)).unwrap_or(Value::Null);
        schema_errors(&whole);
        let issues = output_issues(&step.outputs);
        assert!(issues.len() <= step.outputs.len());
        validation_checks(step.validation.as_deref().unwrap_or_default());
        for path in step.outputs.iter().chain(&step.inputs).chain(&step.templates) {
            let resolved = placeholder::resolve(path, &folders, &step.parameters);
            if let Ok(resolved) = resolved
                && !leaves(path)
                && placeholder::placeholders(path).all(|found| matches!(found, model::Placeholder::Folder(_)))
            {
                let path = resolved.strip_prefix("template:").unwrap_or(&resolved);
                assert!(!path.starts_with('/'), "{path}");
            }
        }
    }
}

/// A change that a person might make.
fn any(document: &Document, choices: &mut Choices<'_>) -> Edit {
    let steps = document.workflow().steps();
    let n = choices.below(steps.len() + 1);
    let place = Place::step(n);
    if choices.one_in(6) {
        let to = choices.below(steps.len());
        return Edit::Move { place, to };
    }
    let word = match steps.get(choices.below(steps.len() + 2)) {
        Some(step) => step.id.to_string(),
        None => {
            let part = choices.part(document.text(), 12);
            document.text()[part].to_owned()
        }
    };
    const FIELDS: [&str; 20] = [
        "id",
        "name",
        "description",
        "phase",
        "inputs",
        "outputs",
        "templates",
        "tools",
        "validation",
        "evidence",
        "human_gate",
        "retries",
        "agents",
        "agent",
        "gate_question",
        "gate_asks",
        "gate_at",
        "on_reject",
        "timeout_seconds",
        "run",
    ];
    const INNER: [&str; 6] = [
        "max",
        "backoff_seconds",
        "artifacts",
        "validation_targets",
        "risk",
        "args",
    ];
    const WORDS: [&str; 8] = [
        "required",
        "none",
        "before",
        "L1",
        "high",
        "{output_folder}/x.md",
        "a b",
        "",
    ];
    let field = *choices.of(&FIELDS);
    let place = match choices.below(6) {
        0 => place,
        1 | 2 => place.field(field),
        3 => place.field(field).field(choices.below(3).to_string()),
        4 => place.field(field).field(*choices.of(&INNER)),
        _ => place
            .field(field)
            .field(choices.below(3).to_string())
            .field(*choices.of(&INNER)),
    };
    if choices.one_in(4) {
        return Edit::Remove { place };
    }
    let word = if choices.one_in(2) {
        (*choices.of(&WORDS)).to_owned()
    } else {
        word
    };
    let value = match (place.path.len(), choices.below(6)) {
        (0, 0) => json!({"phase": word, "tools": []}),
        (0, _) => json!({"id": word, "name": "x"}),
        (_, 0) => json!([word]),
        (_, 1) => json!(choices.one_in(2)),
        (_, 2) => json!(choices.below(4)),
        (_, 3) => json!({"name": word}),
        _ => json!(word),
    };
    Edit::Set { place, value }
}

/// A change can be undone, leaves a file that can be read, and touches no other step but for the ids.
fn change(document: &Document, edit: &Edit) {
    let text = document.text();
    let Ok(edits) = document.edit(edit) else { return };
    let changed = apply(text, &edits);
    assert_eq!(
        apply(&changed, &invert(text, &edits)),
        text,
        "undone is undone: {edit:?}"
    );
    let after = Document::parse(document.path(), &changed);
    let broken = after.diagnostics().iter().any(|d| d.code == "GH0101");
    assert!(!broken, "{edit:?}\nbefore: {text:?}\nafter: {changed:?}");
    assert_eq!(
        text.starts_with('\u{feff}'),
        changed.starts_with('\u{feff}'),
        "{edit:?}"
    );
    let (old, new) = (document.workflow().steps(), after.workflow().steps());
    let place = edit.place();
    let field = place.path.first().map_or("", String::as_str);
    if field.is_empty() || field == "id" {
        return;
    }
    assert_eq!(old.len(), new.len(), "{edit:?}");
    for (a, b) in old.iter().zip(new).filter(|(a, _)| Some(a.ordinal) != place.step) {
        assert_eq!(a, b, "{edit:?}\nbefore: {text:?}\nafter: {changed:?}");
    }
}

/// What a problem proposes mends it, or is refused. Another problem may come to light behind it.
fn fixes(document: &Document, choices: &mut Choices<'_>) {
    let all = document.diagnostics().iter();
    let proposed: Vec<_> = all.filter_map(|d| Some((d, d.fix.as_ref()?))).collect();
    if proposed.is_empty() {
        return;
    }
    let (mended, fix) = choices.of(&proposed);
    let Ok(edits) = document.edit(&fix.edit) else { return };
    let after = Document::parse(document.path(), &apply(document.text(), &edits));
    let alike = |document: &Document| document.diagnostics().iter().filter(|d| d.code == mended.code).count();
    let is_there = after
        .diagnostics()
        .iter()
        .any(|d| (&d.code, &d.place, &d.message) == (&mended.code, &mended.place, &mended.message));
    let many = alike(document) > model::rules::MOST_OF_A_CODE;
    assert!(
        many || !is_there || alike(&after) < alike(document),
        "{mended:?} is not mended in {:?}\nafter: {:?}",
        document.text(),
        after.text()
    );
}
