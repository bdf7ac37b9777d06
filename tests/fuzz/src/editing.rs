//! What must hold for changes: exact, or refused.

use crate::FILE;
use crate::input::Choices;
use crate::reading::{fields, with_plain_ends};
use dialect::{Document, Span, TextEdit, apply, invert};
use model::{Edit, Place};
use serde_json::{Value, json};

/// Changes tried for each input.
const CHANGES: usize = 3;

/// Words that mean something to Markdown, to YAML or to runbooks, and worse.
const WORDS: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    "\n\n",
    "Ship it",
    "é → 😀",
    "\u{feff}",
    "\u{2028}",
    "\0",
    "\\",
    "`",
    "```",
    "````\n",
    "~~~",
    "```bash\necho hi\n```",
    "# T",
    "## 9. X",
    "### 1.1 X",
    "- item",
    "- PASS: STOP",
    "* YES: CONTINUE",
    "1. one",
    "> said",
    "<!-- note -->",
    "<script>",
    "a\n---",
    "a\n===",
    "---",
    "---\na: b\n---",
    "**bold**",
    "[x](y.runbook.md)",
    "[x]: y",
    "a.runbook.md",
    "    indented",
    "\tx",
    "{N}",
    "{n}",
    "PASS",
    "FAIL: STOP",
    "x  ",
    "a\\",
    "&amp;",
    "null",
    "1",
    "- a\n- b",
    "a: b",
    "# comment",
    "'",
    "\"",
    "|",
    "|\n  a",
    "*a",
    "&a b",
    "!t",
    "%",
    "@",
    "x #y",
];

/// Lines that are transitions, some of which fit many runbooks.
const TRANSITIONS: &[&str] = &[
    "PASS: CONTINUE",
    "FAIL: STOP",
    "PASS: COMPLETE",
    "FAIL: STOP \"no way\"",
    "YES: GOTO 1",
    "NO: GOTO 2",
    "PASS ALL: CONTINUE",
    "FAIL ANY: STOP",
    "PASS ANY: COMPLETE done",
    "FAIL ALL: GOTO Fix",
    "FAIL: RETRY",
    "FAIL: RETRY 2",
    "FAIL: RETRY 3 GOTO 1",
    "PASS: RETRY 1 CONTINUE",
    "PASS: GOTO NEXT",
    "PASS: GOTO NEXT {N}",
    "FAIL: GOTO NEXT {N}.{n}",
    "PASS: GOTO {N}",
    "FAIL: GOTO {N}.1",
    "PASS: GOTO 1.{n}",
    "FAIL: RETRY 2 \"enough\"",
    "PASS: GOTO 1.2",
    "**PASS**: STOP",
    "PASS STOP",
    "PASS: JUMP",
    "FAIL: RETRY 0",
];

const IDS: &[&str] = &[
    "1",
    "2",
    "3",
    "1.1",
    "1.2",
    "{N}",
    "{n}",
    "{N}.{n}",
    "{N}.1",
    "1.{n}",
    "Fix",
    "Fix.1",
    "Rollback",
    "Fix_It",
    "STOP",
    "NEXT",
    "9999999999",
];

/// Some changes of a document, and those that its own problems propose.
pub fn check(document: &Document, choices: &mut Choices<'_>) {
    for _ in 0..CHANGES {
        one(document, &any(document, choices));
    }
    fixes(document, choices);
}

/// Any change, likely one that can be made.
pub fn any(document: &Document, choices: &mut Choices<'_>) -> Edit {
    let place = any_place(document, choices);
    if choices.one_in(5) {
        return Edit::Remove { place };
    }
    let value = any_value(document, &place, choices);
    Edit::Set { place, value }
}

fn any_place(document: &Document, choices: &mut Choices<'_>) -> Place {
    let count = document.workflow().steps().len();
    if count == 0 || choices.one_in(5) {
        let id = document
            .workflow()
            .steps()
            .get(choices.below(count))
            .map_or("1", |step| step.id.as_str());
        let fields: &[&[&str]] = &[
            &["title"],
            &["description"],
            &["name"],
            &["version"],
            &["tags"],
            &["tags", "0"],
            &["agents", id],
            &["agents"],
            &["scenarios", "0", "name"],
            &["new"],
            &["new", "deeper"],
            &["@1-2"],
            &[],
        ];
        let path = choices.of(fields);
        return Place::document().path(path.iter().map(|part| (*part).to_owned()));
    }
    // Now and then a step that is not there.
    let ordinal = if choices.one_in(32) {
        count
    } else {
        choices.below(count)
    };
    if choices.one_in(64) {
        return Place::step(ordinal).field(choices.of(&["", "human_gate", "title", "@0-3"]).to_string());
    }
    let all = fields(document, ordinal);
    Place::step(ordinal).path(choices.of(&all).clone())
}

fn any_value(document: &Document, place: &Place, choices: &mut Choices<'_>) -> Value {
    if choices.one_in(24) {
        return choices
            .of(&[
                Value::Null,
                json!(true),
                json!(-7),
                json!(1.5),
                json!(["a", {"b": null}]),
                json!({"c": []}),
            ])
            .clone();
    }
    let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
    let fitting: &[&str] = match path.as_slice() {
        ["transitions", _] => TRANSITIONS,
        ["id"] | ["transitions", _, "target"] => IDS,
        ["files", _] => &[
            "a.runbook.md",
            "sub/b.runbook.md",
            "../c.runbook.md",
            "x y.runbook.md",
            ".runbook.md",
            "a.md",
        ],
        _ => WORDS,
    };
    let ids = document.workflow().steps();
    let text = match choices.below(8) {
        0 => document.text()[choices.part(document.text(), 80)].to_owned(),
        1 => choices.of(WORDS).to_string(),
        2 => format!(
            "{}{}{}",
            choices.of(WORDS),
            choices.of(&["\n", " ", "", "\r\n", "\n\n"]),
            choices.of(WORDS)
        ),
        3 if !ids.is_empty() => choices.of(ids).id.to_string(),
        4 if !ids.is_empty() => {
            let other = Place::step(choices.below(ids.len())).path(place.path.iter().cloned());
            document
                .value(&other)
                .and_then(|v| v.as_str().map(str::to_owned))
                .unwrap_or_default()
        }
        _ => choices.of(fitting).to_string(),
    };
    Value::from(text)
}

/// One change; whether it could be made. It is there, everything else is as it was, it can be taken back, and once made
/// there is nothing left to do.
pub fn one(document: &Document, edit: &Edit) -> bool {
    let text = document.text();
    let Ok(edits) = document.edit(edit) else { return false };
    sound(text, &edits, edit);
    let changed = apply(text, &edits);
    assert_eq!(
        apply(&changed, &invert(text, &edits)),
        text,
        "undone is undone: {edit:?}"
    );
    let after = Document::parse(FILE, &changed);
    let place = edit.place();
    if place.path.iter().any(|part| part.starts_with('@')) {
        return true;
    }
    there(document, &after, edit);
    nothing_else(document, &after, place);
    inside(document, &edits, place);
    ends(text, &changed, edit);
    // Nothing at all, set at a place in a list, takes out what has moved there.
    if matches!(edit, Edit::Set { value, .. } if !value.is_null()) {
        let again = after.edit(edit);
        assert!(
            again.as_deref() == Ok(&[][..]),
            "made twice is made once: {edit:?} in {text:?}, then {changed:?}"
        );
    }
    true
}

/// Edits stand in order, apart from each other, in the text.
fn sound(text: &str, edits: &[TextEdit], edit: &Edit) {
    let mut sorted: Vec<Span> = edits.iter().map(|e| e.span).collect();
    sorted.sort_by_key(|span| (span.start, span.end));
    let mut end = 0;
    for span in sorted {
        assert!(text.get(span.start..span.end).is_some(), "{edit:?}: {span:?}");
        assert!(span.start >= end, "{edit:?}: two edits of the same bytes");
        end = span.end;
    }
}

/// What the place says after the change.
fn there(before: &Document, after: &Document, edit: &Edit) {
    let (place, value) = match edit {
        Edit::Set { place, value } => (place, Some(value).filter(|v| !v.is_null() || place.step.is_none())),
        Edit::Remove { place } => (place, None),
        // Nothing in a runbook is moved, and its parts have no names.
        Edit::Move { .. } | Edit::Rename { .. } => unreachable!("{edit:?} was made"),
    };
    let said = |wanted: Option<Value>| {
        assert_eq!(
            after.value(place),
            wanted,
            "{edit:?}\nbefore: {:?}\nafter: {:?}",
            before.text(),
            after.text()
        );
    };
    let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
    let Some(value) = value else {
        return match path.as_slice() {
            [list, n] if place.step.is_some() => {
                let list = Place {
                    step: place.step,
                    path: vec![(*list).to_owned()],
                };
                let mut left = before.value(&list).and_then(|v| v.as_array().cloned()).expect("a list");
                left.remove(n.parse().expect("an index"));
                assert_eq!(after.value(&list), Some(Value::Array(left)), "{edit:?}");
            }
            // Of a list in the front matter the next one moves up.
            [.., n] if n.parse::<usize>().is_ok() => {}
            _ => said(None),
        };
    };
    let text = value.as_str().map(with_plain_ends);
    let text = text.as_deref();
    match (place.step, path.as_slice(), text) {
        (Some(_), ["title"], Some(text)) => said(some(text.trim())),
        (Some(_), ["prompt"], Some(text)) => said(some(text.trim_matches([' ', '\t', '\n']))),
        // The last line of a command has an end, but for one that a file breaks off in.
        (Some(_), ["command"], Some(text)) => {
            let value = after.value(place).and_then(|v| v.as_str().map(str::to_owned));
            let ended = format!(
                "{text}{}",
                if text.is_empty() || text.ends_with('\n') {
                    ""
                } else {
                    "\n"
                }
            );
            assert!(
                value.as_ref().is_some_and(|value| value == text || *value == ended),
                "{edit:?}: {value:?}"
            );
        }
        (Some(_), _, Some(text)) => said(Some(Value::from(text.trim()))),
        (None, ["title" | "description"], Some(text)) if !before.workflow().fields.contains_key(path[0]) => {
            let now = after.value(place).and_then(|v| v.as_str().map(str::to_owned));
            assert_eq!(now.unwrap_or_default(), text.trim(), "{edit:?}");
        }
        _ => said(Some(value.clone())),
    }
}

fn some(text: &str) -> Option<Value> {
    Some(text).filter(|text| !text.is_empty()).map(Value::from)
}

/// Everything but the place is as it was. A new identifier also changes jumps, substeps, `agents` and scenarios.
fn nothing_else(before: &Document, after: &Document, place: &Place) {
    let first = place.path.first().map_or("", String::as_str);
    let renamed = place.step.is_some() && first == "id";
    let (old, new) = (before.workflow(), after.workflow());
    let shown = || format!("{place:?}\nbefore: {:?}\nafter: {:?}", before.text(), after.text());
    assert_eq!(old.steps().len(), new.steps().len(), "{}", shown());
    for ordinal in 0..old.steps().len() {
        let all = |document: &Document| {
            let mut value = document.value(&Place::step(ordinal)).expect("a step has a value");
            let fields = value.as_object_mut().expect("a mapping");
            if renamed {
                fields.shift_remove("id");
                fields.shift_remove("transitions");
                // Behind an identifier that is one, `-` and its like divide it from the title.
                if place.step == Some(ordinal) {
                    fields.shift_remove("title");
                }
            } else if place.step == Some(ordinal) {
                fields.shift_remove(first);
            }
            value
        };
        assert_eq!(all(before), all(after), "{}", shown());
    }
    for field in ["title", "description"] {
        let field_place = Place::document().field(field);
        if place.step.is_some() || first != field {
            assert_eq!(before.value(&field_place), after.value(&field_place), "{}", shown());
        }
    }
    let fields = |document: &Document| {
        let mut fields = document.workflow().fields.clone();
        if renamed {
            fields.shift_remove("agents");
            fields.shift_remove("scenarios");
        } else if place.step.is_none() {
            fields.shift_remove(first);
        }
        fields
    };
    assert_eq!(fields(before), fields(after), "{}", shown());
}

/// The bytes that change belong to the step that was meant, of a title to its heading.
fn inside(document: &Document, edits: &[TextEdit], place: &Place) {
    let Some(ordinal) = place.step else { return };
    let first = place.path.first().map_or("", String::as_str);
    if first == "id" {
        return;
    }
    let heading = |n: usize| document.span(&Place::step(n).field("heading"));
    let Some(own) = heading(ordinal) else { return };
    let end = if first == "title" {
        own.end
    } else {
        let next = heading(ordinal + 1).filter(|_| ordinal + 1 < document.workflow().steps().len());
        next.map_or(document.text().len(), |next| next.start)
    };
    for edit in edits {
        let span = edit.span;
        assert!(
            own.start <= span.start && span.end <= end,
            "{place:?}: {span:?} is outside of the step in {:?}",
            document.text()
        );
    }
}

/// A file has its line ends and its byte order mark as before.
fn ends(before: &str, after: &str, edit: &Edit) {
    let only_crlf = |text: &str| !text.replace("\r\n", "").contains(['\r', '\n']);
    if before.contains("\r\n") && only_crlf(before) {
        assert!(
            only_crlf(after),
            "{edit:?}: other line ends in {after:?}, before {before:?}"
        );
    }
    assert_eq!(
        before.starts_with('\u{feff}'),
        after.starts_with('\u{feff}'),
        "{edit:?}"
    );
}

/// What a problem proposes can be done and mends it, or is refused.
fn fixes(document: &Document, choices: &mut Choices<'_>) {
    let proposed: Vec<_> = document
        .diagnostics()
        .iter()
        .filter_map(|d| Some((d.code.as_str(), d.fix.as_ref()?)))
        .collect();
    if proposed.is_empty() {
        return;
    }
    let (code, fix) = choices.of(&proposed);
    let text = document.text();
    let Ok(edits) = document.edit(&fix.edit) else { return };
    sound(text, &edits, &fix.edit);
    let changed = apply(text, &edits);
    assert_eq!(apply(&changed, &invert(text, &edits)), text);
    let after = Document::parse(FILE, &changed);
    let count = |document: &Document| document.diagnostics().iter().filter(|d| d.code == *code).count();
    assert!(
        count(&after) < count(document) || count(document) > model::rules::MOST_OF_A_CODE,
        "{code}: {fix:?} mends nothing in {text:?}"
    );
}
