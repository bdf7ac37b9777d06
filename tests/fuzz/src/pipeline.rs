//! What must hold for a pipeline of any content: it is read, printed, changed, given states, and made a template.

use crate::input::{Choices, Input};
use dialect::pipeline::id::{PipelineId, stage_folders};
use dialect::pipeline::{PipelineStatus, StageState, StageStatus, States, instantiate, templates, with_states};
use dialect::{Document, PAGES, apply, invert};
use model::{Edit, Place};
use serde_json::{Value, json};

/// The name under which texts are read: it makes them pipelines.
pub const FILE: &str = "PIPE-20260131-f-093000.yaml";

/// Everything that is demanded of a pipeline of any content.
///
/// # Panics
/// Something that must hold does not.
pub fn pipeline(data: &[u8]) {
    let mut input = Input::of(data);
    let document = Document::parse(FILE, &input.text);
    reading(&document);
    let mut choices = input.choices();
    for _ in 0..4 {
        let edit = any(&document, &mut choices);
        change(&document, &edit);
    }
    fixes(&document, &mut choices);
    states(&document, &mut choices);
    template(&document);
}

/// A document is its text; what it says of itself fits the text.
fn reading(document: &Document) {
    let text = document.text();
    let again = Document::parse(FILE, text);
    assert_eq!(document.workflow().steps(), again.workflow().steps());
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
    }
    let steps = document.workflow().steps();
    for (n, step) in steps.iter().enumerate() {
        assert_eq!(step.ordinal, n);
        assert!(document.span(&Place::step(n)).is_some());
        for waits in 0..step.depends_on.len() {
            let place = Place::step(n).field("depends_on").field(waits.to_string());
            let said = document
                .value(&place)
                .and_then(|value| value.as_str().map(str::to_owned));
            if let Some(said) = said {
                assert_eq!(
                    said,
                    step.depends_on[waits].as_str(),
                    "{place:?} is the dependency it is called"
                );
            }
        }
    }
    for offset in 0..=text.len().min(1_024) {
        let place = document.place_at(offset);
        let span = document.span(&place);
        assert!(span.is_none_or(|span| text.get(span.start..span.end).is_some()));
    }
    let folders = stage_folders(steps.iter().map(|step| step.id.as_str()));
    for (folder, step) in folders.iter().zip(steps) {
        let safe = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        assert!(
            !folder.is_empty() && folder.bytes().all(safe) && folder.len() < 200,
            "{:?}: {folder}",
            step.id
        );
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
    let name = match steps.get(choices.below(steps.len() + 2)) {
        Some(step) => step.id.to_string(),
        None => {
            let part = choices.part(document.text(), 12);
            document.text()[part].to_owned()
        }
    };
    const FIELDS: [&str; 9] = [
        "name",
        "depends_on",
        "agents",
        "agent",
        "outputs",
        "parallel",
        "human_gate",
        "description",
        "run",
    ];
    let field = *choices.of(&FIELDS);
    let place = match choices.below(4) {
        0 => place,
        1 | 2 => place.field(field),
        _ => place.field(field).field(choices.below(3).to_string()),
    };
    if choices.one_in(4) {
        return Edit::Remove { place };
    }
    let value = match (place.path.len(), choices.below(3)) {
        (0, _) => json!({"name": name, "agents": ["x"]}),
        (_, 0) => json!([name]),
        (_, 1) => json!(choices.one_in(2)),
        _ => json!(name),
    };
    Edit::Set { place, value }
}

/// A change can be undone, leaves a file that can be read, and touches no other stage but for the names.
fn change(document: &Document, edit: &Edit) {
    let text = document.text();
    let Ok(edits) = document.edit(edit) else { return };
    let changed = apply(text, &edits);
    assert_eq!(
        apply(&changed, &invert(text, &edits)),
        text,
        "undone is undone: {edit:?}"
    );
    let after = Document::parse(FILE, &changed);
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
    if field.is_empty() || field == "name" {
        return;
    }
    assert_eq!(old.len(), new.len(), "{edit:?}");
    for (a, b) in old.iter().zip(new).filter(|(a, _)| Some(a.ordinal) != place.step) {
        assert_eq!(a, b, "{edit:?}\nbefore: {text:?}\nafter: {changed:?}");
    }
}

/// What a problem proposes mends it, or is refused.
fn fixes(document: &Document, choices: &mut Choices<'_>) {
    let all = document.diagnostics().iter();
    let proposed: Vec<_> = all.filter_map(|d| Some((d.code.as_str(), d.fix.as_ref()?))).collect();
    if proposed.is_empty() {
        return;
    }
    let (code, fix) = choices.of(&proposed);
    let Ok(edits) = document.edit(&fix.edit) else { return };
    let after = Document::parse(FILE, &apply(document.text(), &edits));
    let count = |document: &Document| document.diagnostics().iter().filter(|d| d.code == *code).count();
    let many = count(document) > model::rules::MOST_OF_A_CODE;
    assert!(
        many || count(&after) < count(document),
        "{code}: {fix:?} mends nothing in {:?}",
        document.text()
    );
}

/// States change nothing but states, and the same ones change nothing.
fn states(document: &Document, choices: &mut Choices<'_>) {
    let steps = document.workflow().steps();
    let stages = steps.iter().map(|step| StageState {
        name: step.id.to_string(),
        status: *choices.of(StageStatus::ALL),
        error: choices.one_in(3).then(|| {
            let part = choices.part(document.text(), 20);
            document.text()[part].to_owned()
        }),
    });
    let stages = stages.collect();
    let states = States {
        status: *choices.of(PipelineStatus::ALL),
        error: None,
        stages,
    };
    let Ok(written) = with_states(document.text(), &states) else {
        return;
    };
    assert_eq!(
        with_states(&written, &states).as_ref(),
        Ok(&written),
        "the same states change nothing"
    );
    let after = Document::parse(FILE, &written);
    assert_eq!(after.workflow().steps(), steps, "{:?}\n{written:?}", document.text());
    assert_eq!(after.workflow().fields, document.workflow().fields);
    let said = after.value(&Place::document().field("status"));
    assert_eq!(said, Some(Value::from(states.status.word())));
}

/// A pipeline of a template is what the template is; a configuration never ends the program.
fn template(document: &Document) {
    let id = PipelineId::parse("PIPE-20260131-t-093000").expect("an id");
    if let Ok(text) = instantiate(document.text(), &id, None) {
        let after = Document::parse(&id.file_name(), &text);
        assert_eq!(after.workflow().id.as_str(), id.as_str());
        assert_eq!(after.workflow().steps(), document.workflow().steps());
    }
    for template in templates(document.text()) {
        Document::parse(FILE, &template.text);
    }
}
