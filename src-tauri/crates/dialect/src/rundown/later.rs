//! What later files of the family have and nobody carries out here: loops, delegation, inputs and outputs, variables. A run of such a
//! runbook would end as done although its file asked for more, so it does not start.

use super::place::raw;
use super::report::Report;
use super::unit::{PartKind, Unit};
use crate::fields::is_of_later_runbooks;
use crate::text::Span;
use model::{Diagnostic, Fields, Place, Severity};
use serde_json::Value;

/// Directives and variables of one step.
pub(super) fn check(text: &str, ordinal: usize, unit: &Unit, report: &mut Report) {
    for (span, word) in &unit.later {
        let said = format!("`{word}` is a directive of later runbooks and is not carried out here");
        refused(raw(Place::step(ordinal), *span), said, help_of(word), report);
    }
    let parts = unit.parts.iter().filter(|part| match part.kind {
        PartKind::Prose => true,
        PartKind::Code(fence) => unit.fences[fence].is_executed(),
        PartKind::Shown | PartKind::Files | PartKind::Transitions => false,
    });
    let mut first = None;
    let mut names: Vec<&str> = Vec::new();
    for span in std::iter::once(unit.heading.title_span).chain(parts.map(|part| part.span)) {
        for (variable, name) in variables(text, span) {
            first = first.or(Some(variable));
            if !names.contains(&name) && names.len() < MOST_NAMES {
                names.push(name);
            }
        }
    }
    if let Some(first) = first {
        let named: Vec<String> = names.iter().map(|name| format!("`{{{{ {name} }}}}`")).collect();
        let (word, is) = match named.len() {
            1 => ("variable", "is"),
            _ => ("variables", "are"),
        };
        let said = format!(
            "The {word} {} of later runbooks {is} not filled in here",
            named.join(", ")
        );
        refused(
            raw(Place::step(ordinal), first),
            said,
            "Write what it stands for",
            report,
        );
    }
}

/// More names are not listed in one sentence.
const MOST_NAMES: usize = 8;

/// Inputs and outputs in the front matter.
pub(super) fn front_matter(fields: &Fields, report: &mut Report) {
    for (key, value) in fields {
        let asks = match value {
            Value::Array(list) => !list.is_empty(),
            other => !other.is_null(),
        };
        if is_of_later_runbooks(key) && asks {
            let said = format!("`{key}` in the front matter belongs to later runbooks and is not carried out here");
            refused(
                Place::document().field(key.as_str()),
                said,
                help_of(&key.to_uppercase()),
                report,
            );
        }
    }
}

fn refused(place: Place, said: String, help: &str, report: &mut Report) {
    report.push(Diagnostic::new("GH0224", Severity::Error, place, said).help(help));
}

fn help_of(word: &str) -> &'static str {
    match word {
        "FOR" => "Write a dynamic step, `## {N} Each item`, with `GOTO NEXT`",
        "DELEGATE" => "Name who does the step under `agents` in the front matter, or list the runbook below it",
        "DEFER" => "Leave it out: a substep without a transition of its own leaves its outcome to the step around it",
        _ => "Write the values where they are used, and leave this out",
    }
}

/// `{{ name }}` in a part of the text. What templates of other programs write is none: `${{ x }}`, `{{.Name}}`, `{{end}}`.
fn variables(text: &str, span: Span) -> impl Iterator<Item = (Span, &str)> {
    let part = &text[span.start..span.end];
    part.match_indices("{{").filter_map(move |(at, _)| {
        let inner = part[at + 2..].split_once("}}")?.0;
        let name = inner.trim_matches([' ', '\t']);
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(letters);
        let elsewhere = part[..at].ends_with(['$', '{']) || matches!(name, "end" | "else");
        let found = Span {
            start: span.start + at,
            end: span.start + at + inner.len() + 4,
        };
        (is_name && !elsewhere).then_some((found, name))
    })
}
