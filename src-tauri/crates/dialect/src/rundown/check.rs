//! The rules of seed 002 "Conformance" and what its sections demand besides, as far as one step or the list of steps
//! shows it. The numbers of a level are in `levels`, ordering is in `order`, jumps are in `jump`.

use super::build::{agents, has_children};
use super::flow_edit::TO_BE_WRITTEN;
use super::front::{self, Front, NotRead};
use super::glued::Glued;
use super::html::{self, Holds, Why};
use super::id::{Id, NoId, Part};
use super::order::{is_broken_by_slips, is_in_no_order};
use super::place::raw;
use super::report::Report;
use super::transition::{Read, begins_like_one};
use super::unit::{Fence, Idle, Meant, PartKind, Preamble, Unit};
use crate::fields::{ends_with_failure, is_no};
use crate::said::shortened;
use crate::text::{Lines, Span};
use crate::tree::FaultKind;
use model::{Action, Diagnostic, Edit, Place, Quantifier, Severity, Work, Workflow};
use serde_json::Value;

/// What is looked at.
pub(super) struct Subject<'a> {
    pub(super) text: &'a str,
    pub(super) front: Option<&'a Front>,
    pub(super) preamble: &'a Preamble,
    pub(super) units: &'a [Unit],
    pub(super) workflow: &'a Workflow,
    /// Steps that were not read.
    pub(super) left_out: usize,
}

pub(super) fn all(subject: &Subject<'_>, report: &mut Report) {
    let units = subject.units;
    front_matter(subject, report);
    headings(subject, report);
    if units.is_empty() {
        report.error(
            "GH0216",
            Place::document(),
            "This runbook has no steps",
            "Write `## 1. Title` for the first step",
        );
    }
    if subject.left_out > 0 {
        let said = format!(
            "This runbook has {} steps; the first {} are read",
            units.len() + subject.left_out,
            units.len()
        );
        report.error("GH0113", Place::document(), said, "Split the file");
    }
    super::levels::check(units, report);
    preamble(subject, report);
    let has_children = has_children(units);
    for (ordinal, unit) in units.iter().enumerate() {
        identifier(subject, ordinal, unit, report);
        body(ordinal, unit, has_children[ordinal], report);
        fences(subject.text, ordinal, unit, report);
        in_html(&Place::step(ordinal), &unit.html, report);
        gates(&Place::step(ordinal), &unit.gates, report);
        idle(&Place::step(ordinal), &unit.idle, report);
        // What stands below a heading that is none belongs to another step.
        if unit.glued.is_empty() {
            answers(subject, ordinal, unit, report);
        }
        given_away(subject, ordinal, unit, report);
        transitions(subject.text, ordinal, unit, report);
        of_one(ordinal, unit, report);
        super::later::check(subject.text, ordinal, unit, report);
    }
    super::later::front_matter(&subject.workflow.fields, report);
    without_colons(subject.text, units, report);
}

/// What stands before the first step is read and nothing of it carried out.
fn preamble(subject: &Subject<'_>, report: &mut Report) {
    let (place, preamble) = (Place::document(), subject.preamble);
    in_html(&place, &preamble.html, report);
    gates(&place, &preamble.gates, report);
    idle(&place, &preamble.idle, report);
    for fence in &preamble.fences {
        if let Some(found) = missed_end(subject.text, fence, &place) {
            report.push(found);
        } else if !fence.closed {
            report.push(never_closed(fence, raw(place.clone(), fence.span)));
        }
    }
}

/// A gate that is written as other formats have it, in the words of a step.
fn gates(place: &Place, found: &[(Span, String)], report: &mut Report) {
    for (span, name) in found {
        let said = format!("`{name}` is words in a runbook, not carried out: nobody would be asked because of it");
        let help = "This runbook does not start. Make the question a step of its own: a step without a command asks a person, and `- YES: CONTINUE` and `- NO: STOP` say what follows. Or remove the line";
        report.error("GH0501", raw(place.clone(), *span), said, help);
    }
}

fn idle(place: &Place, found: &[(Span, Idle)], report: &mut Report) {
    for (span, what) in found {
        let (said, help) = match what {
            Idle::Command => (
                "This block stands before the first step, so it is not executed",
                "Put it below a heading of its own, `## 1 Prepare`. Where it is only to be read, write `prompt` behind its language",
            ),
            Idle::Transition => (
                "This transition stands before the first step, so nothing follows from it",
                "Put it below the heading of the step that it belongs to",
            ),
            Idle::File => (
                "This runbook is listed before the first step, so it is not run",
                "Put it below a heading of its own, `## 1 Prepare`",
            ),
            Idle::Inner => (
                "This block stands in a list or a quotation, so it is not executed",
                "Put it at the margin, below the heading of its step. Where it is only to be read, write `prompt` behind its language",
            ),
        };
        report.push(Diagnostic::new("GH0502", Severity::Warning, raw(place.clone(), *span), said).help(help));
    }
}

/// YES and NO where a command decides.
fn answers(subject: &Subject<'_>, ordinal: usize, unit: &Unit, report: &mut Report) {
    let step = subject.workflow.steps().get(ordinal);
    // Somebody who does the step in place of the command is asked.
    let is_command = step.is_some_and(|step| matches!(step.work, Work::Command { .. }) && step.agents.is_empty());
    let mut words = unit.transitions.iter().map(|read| read.transition.word.as_str());
    let Some(n) = words
        .position(|word| matches!(word, "YES" | "NO"))
        .filter(|_| is_command)
    else {
        return;
    };
    let place = Place::step(ordinal).field("transitions").field(n.to_string());
    let said = "`YES` and `NO` are a person's answers, and nobody is asked here: the exit code of the command decides";
    let help = "Write `PASS` and `FAIL` for how the command ends. To ask a person, make the question a step of its own";
    report.push(Diagnostic::new("GH0502", Severity::Warning, place, said).help(help));
}

/// A command, or a list of runbooks, that is not executed because the front matter gives its step to somebody.
fn given_away(subject: &Subject<'_>, ordinal: usize, unit: &Unit, report: &mut Report) {
    let Some(step) = subject.workflow.steps().get(ordinal) else {
        return;
    };
    let (span, what) = match &step.work {
        Work::Command { .. } => (unit.command().map(|fence| fence.span), "This block is not executed"),
        Work::SubWorkflow { .. } => (unit.files.first().map(|(span, _)| *span), "This runbook is not run"),
        Work::Agent | Work::Prompt { .. } | Work::Group => return,
    };
    let (Some(span), Some(who)) = (span, step.agents.first()) else {
        return;
    };
    let said = format!(
        "{what}: `agents` gives the step to `{}`, whose word alone decides how it went",
        shortened(who.as_str())
    );
    let help = "An agent finds a script in its brief, a person in the question, and each carries it out or not. Where Gatehouse is to do it, take the step out of `agents`";
    report.push(Diagnostic::new("GH0502", Severity::Warning, raw(Place::step(ordinal), span), said).help(help));
}

/// Transitions with a blank for the colon, as later files of the family have them: one note and one change for all of a file.
fn without_colons(text: &str, units: &[Unit], report: &mut Report) {
    let read = units.iter().flat_map(|unit| &unit.transitions);
    let mut colons: Vec<usize> = read.filter_map(|read| read.colon).collect();
    colons.sort_unstable();
    let (Some(&first), Some(&last)) = (colons.first(), colons.last()) else {
        return;
    };
    let mut with = String::new();
    let mut at = first;
    for colon in &colons {
        with.push_str(&text[at..*colon]);
        with.push(':');
        at = *colon;
    }
    let place = raw(
        Place::document(),
        Span {
            start: first,
            end: last,
        },
    );
    let edit = Edit::Set {
        place: place.clone(),
        value: with.into(),
    };
    let said = match colons.len() {
        1 => "A transition of this runbook has no colon, as in later files; it is read all the same".to_owned(),
        n => format!("{n} transitions of this runbook have no colon, as in later files; they are read all the same"),
    };
    report.push(
        Diagnostic::new("GH0223", Severity::Note, place, said)
            .help("Write `PASS: CONTINUE`, so that other programs read it too")
            .fix("Write the colons", edit),
    );
}

fn front_matter(subject: &Subject<'_>, report: &mut Report) {
    let Some(front) = subject.front else {
        return unread(subject, report);
    };
    let not_fields = front.tree.root.is_some_and(|root| front.tree.entries(root).is_none());
    if let Some(fault) = front.tree.broken() {
        let at = front.inner.start + fault.at.min(front.inner.end - front.inner.start);
        let place = raw(Place::document(), Span { start: at, end: at });
        let said = "The front matter cannot be read past this point";
        // Where it says who does a step, a program would do it in their place.
        let gives = super::front::lines(front.source(subject.text)).any(super::front::gives_steps);
        let (severity, help) = match gives {
            true => (
                Severity::Error,
                "This runbook does not start: whom it names in `agents` would be passed over. Mend the YAML between the two `---` lines",
            ),
            false => (
                Severity::Warning,
                "Mend the YAML between the two `---` lines. The steps are read all the same",
            ),
        };
        report.push(Diagnostic::new("GH0217", severity, place, said).help(help));
    } else if not_fields {
        let place = raw(Place::document(), front.span);
        let said = "The front matter is not a list of fields";
        let help = "Write `name: …`, one field a line, between the two `---` lines";
        let gives = super::front::lines(front.source(subject.text)).any(super::front::gives_steps);
        let severity = if gives { Severity::Error } else { Severity::Warning };
        report.push(Diagnostic::new("GH0217", severity, place, said).help(help));
    }
    let twice = front
        .tree
        .faults
        .iter()
        .filter(|fault| fault.what == FaultKind::DuplicateKey);
    let mut lines = None;
    for fault in twice {
        let at = front.inner.start + fault.at.min(front.inner.end - front.inner.start);
        let lines = lines.get_or_insert_with(|| Lines::of(subject.text));
        let line = lines.position(subject.text, at).line;
        let said = format!(
            "The field `{}` is written twice in the front matter; line {line} is the one that counts",
            fault.detail
        );
        report.error(
            "GH0103",
            raw(Place::document(), Span { start: at, end: at }),
            said,
            "Keep one of the two",
        );
    }
    who_is_named(&subject.workflow.fields, report);
    stops(subject, report);
    for id in agents(&subject.workflow.fields).keys() {
        if subject.workflow.step(&id.as_str().into()).is_none() {
            let place = Place::document().field("agents").field(id.clone());
            let said =
                format!("`agents` names a step that does not exist: `{id}`; whoever is meant would be passed over");
            let help = "This runbook does not start. Name a step or substep by its identifier, `1`, `2.1` or `Recover` (quote `'{N}'`), or remove it";
            report.error("GH0218", place, said, help);
        }
    }
}

/// What looks like front matter and is none: nothing of it holds, also not who does a step.
fn unread(subject: &Subject<'_>, report: &mut Report) {
    let Some((span, why)) = front::not_read(subject.text) else {
        return;
    };
    let (said, help) = match why {
        NotRead::NotFirst => (
            "What looks like front matter here is not read: it begins with `---` at the very beginning of the file",
            "This runbook does not start. Remove what stands in front of its first `---`, be it an empty line or a blank",
        ),
        NotRead::Open => (
            "What looks like front matter here is not read: no line `---` closes it in front of the steps",
            "This runbook does not start. Write `---` on a line of its own behind its last field",
        ),
        NotRead::OtherFence => (
            "What looks like front matter here is not read: `+++` stands around it",
            "This runbook does not start. Write its fields in YAML, `name: value`, between two lines `---`",
        ),
    };
    report.error("GH0217", raw(Place::document(), span), said, help);
}

/// A field that says that a failure ends the run (`on_failure: abort`), where a transition leads on.
fn stops(subject: &Subject<'_>, report: &mut Report) {
    let says = |(name, value): &(&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        ends_with_failure(name, &text)
    };
    // NO is an answer, unless something is run there that can fail.
    let fails = |unit: &Unit, read: &Read| {
        let runs = || !unit.files.is_empty() || unit.command().is_some();
        !read.transition.passed && (read.transition.word != "NO" || runs())
    };
    let leads_on = |unit: &Unit| {
        let mut read = unit.transitions.iter();
        read.position(|read| fails(unit, read) && !is_stop(&read.transition.action))
    };
    let Some((name, _)) = subject.workflow.fields.iter().find(says) else {
        return;
    };
    let mut units = subject.units.iter().enumerate();
    let found = units.find_map(|(ordinal, unit)| Some((ordinal, leads_on(unit)?)));
    let Some((ordinal, n)) = found else { return };
    let said = format!("`{name}` is not carried out here: a transition says that the run goes on after a failure");
    let help = "This runbook does not start. Say with the transitions what follows a failure, and remove it";
    let transition = Place::step(ordinal).field("transitions").field(n.to_string());
    report.push(
        Diagnostic::new("GH0501", Severity::Error, Place::document().field(name.as_str()), said)
            .related(transition, "the transition")
            .help(help),
    );
}

/// Whether an action ends the run as failed, at once or when its retries are used up.
fn is_stop(action: &Action) -> bool {
    match action {
        Action::Stop { .. } => true,
        Action::Retry { then, .. } => is_stop(then),
        Action::Continue | Action::Complete { .. } | Action::Goto(_) => false,
    }
}

/// `agents` that name nobody, or no step: who is meant there would be passed over, and a program would run in their place.
fn who_is_named(fields: &model::Fields, report: &mut Report) {
    let is_name = |value: &Value| value.is_null() || value.is_string();
    let is_nobody = |value: &Value| value.as_str().is_none_or(|name| name.trim().is_empty());
    let agents = Place::document().field("agents");
    let help = "Write the name of who does the step behind its identifier, `'1': ann`. To ask a person, make the step a question";
    let wrong = |place: Place, said: String, report: &mut Report| {
        report.push(Diagnostic::new("GH0104", Severity::Error, place, said).help(help));
    };
    let no_names =
        || "`agents` should name who does each step; what stands here is no name, and would be passed over".to_owned();
    match fields.get("agents") {
        Some(Value::Object(map)) => {
            for (id, value) in map {
                let names = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let place = agents.clone().field(id.clone());
                if !names.iter().all(is_name) {
                    wrong(place, no_names(), report);
                } else if names.is_empty() || names.iter().any(is_nobody) {
                    let said =
                        format!("`agents` names nobody for `{id}`: the step would be done as if nothing stood here");
                    wrong(place, said, report);
                }
            }
        }
        Some(Value::String(name)) if name.trim().is_empty() || is_no(name.trim()) => {}
        Some(Value::Array(list)) if list.is_empty() => {}
        Some(Value::Null | Value::Bool(false)) | None => {}
        Some(Value::Array(list)) if list.iter().any(Value::is_object) => wrong(agents, no_names(), report),
        Some(_) => {
            let said = "`agents` should say of each step who does it; what stands here names no step, and would be passed over";
            wrong(agents, said.to_owned(), report);
        }
    }
}

/// Rule 1: headings of a level that there is none of.
fn headings(subject: &Subject<'_>, report: &mut Report) {
    let deeper = |place: Place, span: Span, level: u8, report: &mut Report| {
        let said = format!("A heading of level {level}: a runbook has steps (##) and substeps (###) only");
        let help = "Make it a substep, or plain text";
        report.error("GH0201", raw(place, span), said, help);
    };
    for (span, level) in &subject.preamble.deeper {
        deeper(Place::document(), *span, *level, report);
    }
    glued(subject.text, &Place::document(), &subject.preamble.glued, None, report);
    for (ordinal, unit) in subject.units.iter().enumerate() {
        glued(subject.text, &Place::step(ordinal), &unit.glued, Some(unit), report);
        for (span, level) in &unit.deeper {
            deeper(Place::step(ordinal), *span, *level, report);
        }
        if unit.heading.level == 3 && unit.parent.is_none() {
            let said = "This substep stands before the first step";
            let help = "Put it below the step (##) that it belongs to";
            report.error("GH0201", Place::step(ordinal).field("heading"), said, help);
        }
    }
    for (n, (span, marks, content)) in subject.preamble.tops.iter().enumerate() {
        let place = raw(Place::document(), *span);
        if looks_like_step(&subject.text[content.start..content.end]) {
            let mut diagnostic = Diagnostic::new(
                "GH0201",
                Severity::Error,
                place,
                "A heading of level 1 looks like a step; steps are headings of level 2",
            )
            .help("Write `##` for a step. One `#` is the runbook's title");
            if let Some(marks) = marks {
                let edit = Edit::Set {
                    place: raw(Place::document(), *marks),
                    value: "##".into(),
                };
                diagnostic = diagnostic.fix("Make it a step", edit);
            }
            report.push(diagnostic);
        } else if n > 0
            && subject
                .units
                .first()
                .is_some_and(|unit| unit.heading.span.start < span.start)
        {
            let said = "A second title stands among the steps; it is read as text of the step above it";
            let help = "A runbook has one title, above its first step";
            report.push(Diagnostic::new("GH0201", Severity::Warning, place, said).help(help));
        }
    }
}

/// Headings without the blank behind their marks, which would be steps. `above`: the step or substep in whose text they stand.
fn glued(text: &str, place: &Place, found: &[Glued], above: Option<&Unit>, report: &mut Report) {
    if found.is_empty() {
        return;
    }
    // Where what stands below leaves the parts of the step in no order, a mere word is no text either.
    let is_broken = above.is_some_and(is_in_no_order);
    let is_in_step = above.is_some_and(|unit| unit.heading.level == 2 || unit.parent.is_some());
    // `##todo` is a text like others, unless something stands below it that would be carried out.
    let is_followed = |line: &Glued| {
        let mut parts = above.into_iter().flat_map(|unit| &unit.parts);
        parts.any(|part| part.span.start > line.span.start && !matches!(part.kind, PartKind::Prose | PartKind::Shown))
    };
    let is_small = |line: &Glued| text[line.marks.end..].starts_with(char::is_lowercase);
    for line in found {
        if is_small(line) && !is_broken && !is_followed(line) {
            continue;
        }
        let (marks, kind) = match line.level {
            2 => ("##", "step"),
            _ => ("###", "substep"),
        };
        let severity = match line.is_numbered || is_broken {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let said = format!("This line is read as text and begins no {kind}: no blank stands behind `{marks}`");
        let words = shortened(&text[line.marks.end..line.span.end]);
        let help = format!(
            "Write `{marks} {words}`; without the blank it belongs to what stands above it. If it is text, write `\\` before it"
        );
        let edit = Edit::Set {
            place: raw(place.clone(), line.marks),
            value: format!("{marks} ").into(),
        };
        let problem = Diagnostic::new("GH0201", severity, raw(place.clone(), line.span), said).help(help);
        // A substep before the first step is wrong as well.
        report.push(match line.level == 2 || is_in_step {
            true => problem.fix("Write the blank", edit),
            false => problem,
        });
    }
}

/// `1. Build`, `{N} Each`: a number needs a separator behind it, `2024 plan` is a title.
fn looks_like_step(words: &str) -> bool {
    if words.starts_with("{N}") {
        return true;
    }
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && words[digits..].starts_with(['.', ':', ')']) && words[digits + 1..].starts_with([' ', '\t'])
}

/// Names, shapes, prefixes, titles.
fn identifier(subject: &Subject<'_>, ordinal: usize, unit: &Unit, report: &mut Report) {
    let heading = &unit.heading;
    let place = Place::step(ordinal).field("heading");
    let (kind, forms) = match heading.level {
        2 => ("step", "`1`, `{N}` or a name"),
        _ => ("substep", "`1.1`, `1.{n}`, `{N}.1` or `Name.1`"),
    };
    let written = &subject.text[heading.id_span.start..heading.id_span.end];
    let id = match &heading.id {
        Ok(id) => id,
        Err(NoId::Reserved(word)) => {
            let said = format!("`{word}` is a word of the format and cannot name a {kind}");
            report.error(
                "GH0208",
                place,
                said,
                "Choose another name; `Stop` or `next_one` are fine",
            );
            return;
        }
        Err(NoId::TooLarge) => {
            let said = format!("The number of this {kind} is larger than any that is counted with");
            report.error("GH0209", place, said, "Number every step in order, beginning at 1");
            return;
        }
        Err(NoId::Shape) => {
            let said = format!("This heading has no identifier of a {kind}");
            let help = format!("Begin it with {forms}: letters, digits and `_`, no digit first");
            report.error("GH0209", place, said, &help);
            return;
        }
    };
    if heading.level == 2 && id.substep.is_some() {
        let said = format!("`{written}` is a substep, but its heading is that of a step");
        let help = "Write it with `###` below the step it belongs to";
        report.error("GH0201", place, said, help);
        return;
    }
    if heading.level == 2 && heading.title_span.start == heading.title_span.end && !matches!(id.step, Part::Name(_)) {
        report.error(
            "GH0209",
            place.clone(),
            format!("Step `{id}` has no title"),
            "Say behind the number what is done: `## 1. Build the package`",
        );
    }
    let dot = subject.text[heading.separator.start..heading.separator.end]
        .trim_start()
        .starts_with('.');
    if heading.level == 3 && dot {
        let edit = Edit::Set {
            place: raw(Place::step(ordinal), heading.separator),
            value: if heading.title_span.start == heading.title_span.end {
                ""
            } else {
                " "
            }
            .into(),
        };
        report.push(
            Diagnostic::new(
                "GH0209",
                Severity::Error,
                place.clone(),
                format!("A dot follows `{id}`, as if a third number came"),
            )
            .help(format!("Write `### {id} Title`"))
            .fix("Take the dot out", edit),
        );
    }
    if let (Some(parent), Some(_)) = (unit.parent, &id.substep)
        && let Ok(around) = &subject.units[parent].heading.id
        && around.step != id.step
    {
        let wanted = Id {
            step: around.step.clone(),
            substep: id.substep.clone(),
        };
        let said = format!("Substep `{id}` stands in step `{around}`, so it should begin with `{around}.`");
        let edit = Edit::Set {
            place: raw(Place::step(ordinal), heading.id_span),
            value: wanted.to_string().into(),
        };
        let mut diagnostic = Diagnostic::new("GH0210", Severity::Error, Place::step(ordinal).field("id"), said)
            .related(Place::step(parent).field("heading"), "the step around it")
            .help("Mend the first part, or move the substep below its own step");
        if subject.workflow.step(&wanted.to_string().as_str().into()).is_none() {
            diagnostic = diagnostic.fix(format!("Change to `{wanted}`"), edit);
        }
        report.push(diagnostic);
    }
}

/// Rules 5 and 6: one kind of body, one command.
fn body(ordinal: usize, unit: &Unit, has_children: bool, report: &mut Report) {
    let codes: Vec<_> = unit
        .parts
        .iter()
        .filter(|part| matches!(part.kind, PartKind::Code(_)))
        .collect();
    let files = unit.parts.iter().find(|part| part.kind == PartKind::Files);
    let place = Place::step(ordinal);
    if let [first, second, ..] = codes[..] {
        report.push(
            Diagnostic::new(
                "GH0206",
                Severity::Error,
                raw(place.clone(), second.span),
                "A second command in one step",
            )
            .related(raw(place.clone(), first.span), "the first one")
            .help("Give it a step or substep of its own; `json` and other shown blocks do not count"),
        );
    }
    let kinds = [
        codes.first().map(|part| (part.span, "a command")),
        files.map(|part| (part.span, "a list of runbooks")),
        has_children.then_some((unit.heading.span, "substeps")),
    ];
    let text = unit
        .parts
        .iter()
        .find(|part| matches!(part.kind, PartKind::Prose | PartKind::Shown));
    if let (3, Some(files), Some(text)) = (unit.heading.level, files, text) {
        report.push(
            Diagnostic::new(
                "GH0205",
                Severity::Error,
                raw(place.clone(), text.span),
                "This substep has a prompt and a list of runbooks; it may have one of the two",
            )
            .related(raw(place.clone(), files.span), "the list")
            .help("Put the text into the step around it, or into a substep of its own"),
        );
    }
    let bare = unit.parts.iter().all(|part| part.kind == PartKind::Transitions);
    if bare && !has_children && unit.heading.id.is_ok() {
        report.push(
            Diagnostic::new(
                "GH0225",
                Severity::Note,
                place.clone().field("heading"),
                "Nothing stands below this heading: a person is asked by its title alone",
            )
            .help("Write what is to be done: a prompt, a command, substeps or a list of runbooks"),
        );
    }
    let mut found = kinds.into_iter().flatten();
    if let (Some((first, one)), Some((_, other))) = (found.next(), found.next()) {
        let said = format!("This step has {one} and {other}; it may have one kind of body");
        let help = "Make a substep of each";
        report.error("GH0205", raw(place, first), said, help);
    }
}

fn fences(text: &str, ordinal: usize, unit: &Unit, report: &mut Report) {
    for fence in &unit.fences {
        let place = raw(Place::step(ordinal), fence.span);
        let first = fence.language();
        let separators = [';', ',', ':', '|', '/', '&'];
        if first.contains(separators) {
            let words: Vec<&str> = fence
                .info
                .split(|c: char| c.is_whitespace() || separators.contains(&c))
                .filter(|w| !w.is_empty())
                .collect();
            let spaced = words.join(" ");
            let said = format!(
                "The words behind a fence are separated by blanks alone, not as in `{}`",
                fence.info
            );
            let help = format!("Write `{spaced}`. As it stands the block is shown and not executed");
            report.error("GH0215", place.clone(), said, &help);
        }
        if fence.wants_terminal() && !fence.is_executed() {
            let said = "`terminal` has no effect on a block that is shown and not executed";
            let help = "Remove the word, or make the block a `bash` or `sh` one that is executed";
            report.push(Diagnostic::new("GH0502", Severity::Warning, place.clone(), said).help(help));
        }
        let is_idle = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        if fence.is_executed() && fence.code.lines().all(is_idle) {
            let said = "This block holds no command: the step goes well without anything being done";
            let help = "Write the command into the block, or remove the block and say in words what a person does";
            report.push(Diagnostic::new("GH0502", Severity::Warning, place.clone(), said).help(help));
        }
        if fence.is_executed() && fence.code.trim().lines().eq(TO_BE_WRITTEN.lines()) {
            let said = "The command of this step is still to be written: until then the step fails";
            let help =
                "Write what is to be run in place of `exit 1`, or remove the block and say in words what a person does";
            report.push(Diagnostic::new("GH0502", Severity::Warning, place.clone(), said).help(help));
        }
        if let Some(word) = fence.strange() {
            let said = format!(
                "`{word}` behind the language of this block has no effect: the block is executed as if it were not there"
            );
            let help = "Behind the language stands `prompt` or `terminal`, and nothing else. How long a step may take and how often it is tried again is said in gatehouse.yaml and by RETRY";
            report.push(Diagnostic::new("GH0502", Severity::Warning, place.clone(), said).help(help));
        }
        if let Some(found) = missed_end(text, fence, &Place::step(ordinal)) {
            report.push(found);
        } else if !fence.closed {
            report.push(never_closed(fence, place));
        }
    }
}

fn never_closed(fence: &Fence, place: Place) -> Diagnostic {
    let said = "This code block is never closed: everything below it belongs to it";
    let help = "Write a line of the same marks at its end";
    // A shell is not given the rest of a runbook.
    let swallows = fence.is_executed() && fence.code.lines().any(html::is_heading);
    let severity = if swallows { Severity::Error } else { Severity::Warning };
    Diagnostic::new("GH0222", severity, place, said).help(help)
}

/// A line with so many blanks before it begins and ends no block.
const SET_IN: usize = 4;

/// A line in a block that looks like its end and is none, so that what stands below it belongs to the block: to the command of one that
/// is executed. What is only shown is named where it takes in a step.
fn missed_end(text: &str, fence: &Fence, place: &Place) -> Option<Diagnostic> {
    let source = &text[fence.span.start..fence.span.end];
    let mark = source.chars().next()?;
    let length = source.len() - source.trim_start_matches(mark).len();
    let mut at = fence.body.start;
    let mut rest = front::lines(&text[fence.body.start..fence.body.end]);
    // A text that the block holds may have blocks of its own, set in.
    let mut is_inner = false;
    let (span, behind) = rest.by_ref().find_map(|line| {
        let words = line.trim();
        let indent = line.len() - line.trim_start().len();
        let start = at + indent;
        at += line.len();
        let behind = words.trim_start_matches(mark);
        let end = start + words.len();
        let is_mark = words.len() - behind.len() >= length && !behind.contains(mark);
        if is_mark && indent >= SET_IN && (is_inner || !behind.is_empty()) {
            is_inner = !is_inner;
            return None;
        }
        is_mark.then_some((Span { start, end }, behind))
    })?;
    // Where no step stands below it nothing is taken in.
    if !rest.any(html::is_heading) {
        return None;
    }
    let why = match behind.is_empty() {
        false => "words stand behind its marks",
        true => "it is set in by four blanks or more",
    };
    let said = format!("This line looks like the end of the code block and is none: {why}");
    let (severity, help) = match fence.is_executed() {
        true => (
            Severity::Error,
            "This runbook does not start: what stands below this line would be executed. Write the marks alone and at the margin; where the line belongs to the command, open and close the block with more marks",
        ),
        false => (
            Severity::Warning,
            "The steps below this line belong to the block and are not read. Write the marks alone and at the margin; where the line belongs to the block, open and close it with more marks",
        ),
    };
    Some(Diagnostic::new("GH0222", severity, raw(place.clone(), span), said).help(help))
}

/// HTML that takes in steps, which are not read then.
fn in_html(place: &Place, found: &[Holds], report: &mut Report) {
    for Holds { span, why } in found {
        let (severity, said, help) = match why {
            Why::Open { steps: true } => (
                Severity::Error,
                "This HTML is never closed: everything below it belongs to it, also steps",
                "This runbook does not start: the steps below are not read. Close it, a comment with `-->`, anything else with its tag in small letters",
            ),
            Why::Open { steps: false } => (
                Severity::Warning,
                "This HTML is never closed: everything below it belongs to it",
                "What stands below is not carried out. Close it, a comment with `-->`",
            ),
            Why::Twice => (
                Severity::Error,
                "This heading stands in a comment that is not closed before the next one begins",
                "This runbook does not start: the step is not read. Close the comment above it with `-->`; where the step is to be left out, take the comments inside away",
            ),
            Why::Heading => (
                Severity::Error,
                "This heading stands in HTML, where no step is read",
                "This runbook does not start: the step is not read. Close the HTML before it, or write an empty line above the heading where that ends it; what is to be shown stands in a code block, and a step that is to be left out stands in a comment `<!-- … -->`",
            ),
        };
        report.push(Diagnostic::new("GH0222", severity, raw(place.clone(), *span), said).help(help));
    }
}

/// A run that takes so many steps without a person is stopped.
const MOST_TIMES: u32 = 10_000;
const OFTEN_HELP: &str = "Write how often it is tried again. A run that takes 10 000 steps without a person is stopped";

/// A number behind RETRY that no run comes to.
fn retried_too_often(text: &str, unit: &Unit, at: impl Fn(usize) -> Place, report: &mut Report) {
    for (n, read) in unit.transitions.iter().enumerate() {
        let said = if let Some(number) = super::transition::uncounted(&text[read.action.start..read.action.end]) {
            let number = number.get(..20).unwrap_or(number);
            format!(
                "RETRY {number} is more than can be counted; it is read as RETRY {}",
                u32::MAX
            )
        } else if let Action::Retry {
            times: times @ MOST_TIMES..,
            ..
        } = read.transition.action
        {
            format!("RETRY {times} is never used up: a run that goes on so long by itself is stopped")
        } else {
            continue;
        };
        report.push(Diagnostic::new("GH0214", Severity::Warning, at(n), said).help(OFTEN_HELP));
    }
}

/// ALL and ANY behind a substep that has nothing of which all or any could be asked: they were probably meant for the step around it.
fn of_one(ordinal: usize, unit: &Unit, report: &mut Report) {
    if unit.parent.is_none() || !unit.files.is_empty() {
        return;
    }
    let mut read = unit.transitions.iter().map(|read| &read.transition).enumerate();
    let found = read.find_map(|(n, transition)| Some((n, transition.quantifier?, &transition.word)));
    let Some((n, quantifier, word)) = found else {
        return;
    };
    let all = match quantifier {
        Quantifier::All => "ALL",
        Quantifier::Any => "ANY",
    };
    let place = Place::step(ordinal).field("transitions").field(n.to_string());
    let said = format!("`{word} {all}` stands in a substep, so it counts for this substep alone");
    let help = "Where it is to count for all substeps of the step, put it above the first one of them; otherwise leave ALL or ANY out";
    report.push(Diagnostic::new("GH0502", Severity::Warning, place, said).help(help));
}

/// Items and lines that are read as text and were probably meant as more.
fn meant_otherwise(text: &str, step: &Place, unit: &Unit, report: &mut Report) {
    // What stands where no text may would else be called a misplaced text.
    let is_broken = is_broken_by_slips(unit);
    for (span, meant) in &unit.meant {
        // What begins like a transition is never words (CONTRACTS "Rundown").
        let (severity, then) = match is_broken || begins_like_one(&text[span.start..span.end]) {
            true => (Severity::Error, "This runbook does not start"),
            false => (Severity::Warning, "The run goes on as if it were not there"),
        };
        let place = raw(step.clone(), *span);
        let whole = |text: &str| Edit::Set {
            place: place.clone(),
            value: text.into(),
        };
        report.push(match meant {
            Meant::Transition(slip) => {
                let said = format!(
                    "This line is read as text: a transition begins with `{}`, a colon and an action in capitals",
                    slip.word
                );
                let found = Diagnostic::new("GH0214", severity, place.clone(), said)
                    .help(format!("{then}. Write it as a transition, or begin the line with another word"));
                match &slip.meant {
                    Some(meant) => found.fix(format!("Write `{meant}`"), whole(meant)),
                    None => found,
                }
            }
            Meant::InWords(word) => {
                let said = "This line is read as text: a transition is an item of a list, or stands in a paragraph of nothing else";
                let help = format!(
                    "{then}. Write `- {word}: …` for it, or begin the line with another word"
                );
                Diagnostic::new("GH0214", severity, place.clone(), said).help(help)
            }
            Meant::Inner => {
                let said = "This transition stands in a list or a quotation, so nothing follows from it";
                let help = "This runbook does not start. Write it at the margin, below the text and the body of its step; what is only to be read stands in a code block";
                Diagnostic::new("GH0214", Severity::Error, place.clone(), said).help(help)
            }
            Meant::Outcome(word) => {
                let said = format!(
                    "This line is read as text: `{word}` is no outcome. A step ends in PASS or FAIL, a question in YES or NO"
                );
                Diagnostic::new("GH0214", severity, place.clone(), said)
                    .help(format!("{then}. For a third answer ask a second question, in a step of its own that NO leads to"))
            }
            Meant::File(file) => {
                let said = format!("This line is read as text, so `{file}` is not run: words stand beside its name");
                Diagnostic::new("GH0502", Severity::Warning, place.clone(), said)
                    .help("A list of runbooks has a name on each line and nothing else. Begin the line with another word if it is none")
                    .fix(format!("Write `{file}`"), whole(file))
            }
        });
    }
}

/// Rule 7 and the rest of "Transitions".
fn transitions(text: &str, ordinal: usize, unit: &Unit, report: &mut Report) {
    let step = Place::step(ordinal);
    for (span, broken) in &unit.broken {
        let code = match (broken.nested, broken.later) {
            (true, _) => "GH0207",
            (false, Some(_)) => "GH0224",
            (false, None) => "GH0214",
        };
        let mut diagnostic = Diagnostic::new(code, Severity::Error, raw(step.clone(), *span), broken.said.clone());
        if !broken.help.is_empty() {
            diagnostic = diagnostic.help(broken.help.trim_end().to_owned());
        }
        if let Some(meant) = &broken.meant {
            let edit = Edit::Set {
                place: raw(step.clone(), broken.action),
                value: meant.clone().into(),
            };
            let label = format!("Write `{}`", meant.trim_start_matches([':', ' ']));
            diagnostic = diagnostic.fix(label, edit);
        }
        report.push(diagnostic);
    }
    meant_otherwise(text, &step, unit, report);
    let at = |n: usize| step.clone().field("transitions").field(n.to_string());
    retried_too_often(text, unit, at, report);
    let mut seen: [Option<usize>; 2] = [None, None];
    for (n, read) in unit.transitions.iter().enumerate() {
        let outcome = usize::from(read.transition.passed);
        match seen[outcome] {
            None => seen[outcome] = Some(n),
            Some(first) => {
                let said = format!("A second transition for {}; the first one counts", read.transition.word);
                report.push(
                    Diagnostic::new("GH0213", Severity::Error, at(n), said)
                        .related(at(first), "the one that counts")
                        .help("Keep one of the two")
                        .fix("Remove this one", Edit::Remove { place: at(n) }),
                );
            }
        }
    }
    if let [Some(fail), Some(pass)] = seen {
        let (fail_of, pass_of) = (&unit.transitions[fail].transition, &unit.transitions[pass].transition);
        if let (Some(a), Some(b)) = (pass_of.quantifier, fail_of.quantifier)
            && a == b
        {
            let (word, other) = match a {
                Quantifier::All => ("ALL", "ANY"),
                Quantifier::Any => ("ANY", "ALL"),
            };
            let said = format!(
                "`{} {word}` and `{} {word}` contradict each other",
                pass_of.word, fail_of.word
            );
            let help = format!(
                "Write `{} ALL` with `{} ANY`, or `{} ANY` with `{} ALL`; one `{other}` is enough to fix both",
                pass_of.word, fail_of.word, pass_of.word, fail_of.word
            );
            report.push(
                Diagnostic::new("GH0212", Severity::Error, at(pass.max(fail)), said)
                    .related(at(pass.min(fail)), "the other one")
                    .help(help),
            );
        }
    }
}
