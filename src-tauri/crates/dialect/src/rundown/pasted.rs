//! The text of a step that is put into a runbook once more: under another identifier, and with jumps that lead where they led.

use super::id::{self, Part};
use super::lines::{Lines, Saying, passes};
use super::transition::Read;
use super::unit::Unit;
use super::{Runbook, read};
use crate::document::Document;
use crate::edit::EditError;
use crate::text::{Span, TextEdit, apply};
use model::{Action, Jump};

/// The name under which the text of a step alone is read.
const PASTED: &str = "pasted.runbook.md";

/// The text of one step, with the substeps that stand in it.
pub(super) struct Block {
    runbook: Runbook,
    document: Document,
}

/// Where it goes.
pub(super) struct Goal<'a> {
    pub(super) id: &'a str,
    /// The level of its heading.
    pub(super) level: usize,
    /// It stands where something is repeated.
    pub(super) repeated: bool,
}

/// A step as it is put in.
pub(super) struct Put {
    pub(super) text: String,
    /// The jumps that are left out.
    pub(super) lost: Vec<Lost>,
}

/// A jump that would not lead where it led.
pub(super) struct Lost {
    /// Of which outcome.
    pub(super) passed: bool,
    /// Where it led; `None`: to the next round of what is repeated.
    to: Option<String>,
}

impl Lost {
    /// One sentence without a final stop. `is_there`: whether a step here has the identifier.
    pub(super) fn said(&self, is_there: impl Fn(&str) -> bool) -> String {
        let when = format!("when the new step {}", passes(self.passed));
        match &self.to {
            Some(to) if is_there(to) => {
                format!("the jump to “{to}” {when} is left out: “{to}” may be another step here")
            }
            Some(to) => format!("the jump to “{to}” {when} is left out: no such step is here"),
            None => format!("the jump to the next round {when} is left out: nothing is repeated here"),
        }
    }
}

/// The texts of the steps in a text, each with the substeps that are its own.
pub(super) fn parts_of(text: &str) -> Vec<String> {
    let found = read(PASTED, text);
    let id = |unit: &Unit| &text[unit.heading.id_span.start..unit.heading.id_span.end];
    let mut parts: Vec<(&Unit, usize)> = Vec::new();
    for unit in &found.units {
        let own_end = unit.own_end;
        let around = unit.parent.map(|parent| id(&found.units[parent]));
        match parts.last_mut() {
            Some((head, end))
                if around.is_some_and(|around| around == id(head) && super::id::inside(id(unit), around).is_some()) =>
            {
                *end = own_end;
            }
            _ => parts.push((unit, own_end)),
        }
    }
    let text_of = |(head, end): &(&Unit, usize)| head.up_to(text, *end).trim_end().to_owned() + "\n";
    parts.iter().map(text_of).collect()
}

impl Block {
    /// # Errors
    /// The text is none, or several.
    pub(super) fn of(text: &str) -> Result<Self, EditError> {
        match parts_of(text).as_slice() {
            [] => Err(EditError::unfit("what was pasted is no step")),
            [one] => Ok(Self {
                runbook: read(PASTED, one),
                document: Document::parse(PASTED, one),
            }),
            several => Err(EditError::several_pasted(several.len(), "step")),
        }
    }

    pub(super) fn text(&self) -> &str {
        self.document.text()
    }

    fn slice(&self, span: Span) -> &str {
        &self.text()[span.start..span.end]
    }

    /// The step as it stands at its new place. `target`: where a jump to a step around it leads there; `None`: that is not known, and
    /// the step goes on when it passes, or stops the runbook when it fails.
    pub(super) fn put(&self, goal: &Goal<'_>, target: impl Fn(&str) -> Option<String>) -> Result<Put, EditError> {
        let units = &self.runbook.units;
        let own = units.first().map_or("", |head| self.slice(head.heading.id_span));
        if goal.level == 3 && units.len() > 1 {
            return Err(EditError::unfit("a substep holds no other steps"));
        }
        let new = |id: &str| super::id::inside(id, own).map(|rest| format!("{}{rest}", goal.id));
        let mut edits: Vec<TextEdit> = Vec::new();
        let mut lost = Vec::new();
        edits.extend(self.level(goal.level)?);
        for unit in units {
            let id = self.slice(unit.heading.id_span);
            edits.extend(new(id).map(|new| TextEdit {
                span: unit.heading.id_span,
                replacement: new,
            }));
            let repeated = goal.repeated || id != own && id.contains('{');
            for read in &unit.transitions {
                let Action::Goto(jump) = read.transition.action.last() else {
                    continue;
                };
                let leads = match (jump, read.target.map(|span| (span, self.slice(span)))) {
                    (Jump::Next(None), _) => repeated.then_some(None),
                    (_, Some((span, to))) => {
                        // The copy of a template has no rounds: what leads to the next one leads to that of the template.
                        let own = new(to).filter(|_| to != own || !own.contains('{'));
                        own.or_else(|| target(to)).map(|to| Some((span, to)))
                    }
                    (_, None) => None,
                };
                match leads {
                    Some(None) => {}
                    Some(Some((span, replacement))) => edits.push(TextEdit { span, replacement }),
                    None => {
                        edits.push(self.without_jump(read));
                        lost.push(Lost {
                            passed: read.transition.passed,
                            to: jump.target().map(ToString::to_string),
                        });
                    }
                }
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        Ok(Put {
            text: apply(self.text(), &edits),
            lost,
        })
    }

    /// The marks of the heading for another level.
    fn level(&self, level: usize) -> Result<Option<TextEdit>, EditError> {
        let Some(head) = self
            .runbook
            .units
            .first()
            .filter(|head| usize::from(head.heading.level) != level)
        else {
            return Ok(None);
        };
        leveled(self.text(), head, level).map(Some)
    }

    /// What stands for a jump that is left out.
    fn without_jump(&self, read: &Read) -> TextEdit {
        let word = if read.transition.passed { "CONTINUE" } else { "STOP" };
        TextEdit {
            span: read.action,
            replacement: Lines::of(&self.runbook, &self.document).with_last(Some(read), word),
        }
    }
}

/// The marks of a step's heading for another level.
///
/// # Errors
/// The heading has none.
pub(super) fn leveled(text: &str, unit: &Unit, level: usize) -> Result<TextEdit, EditError> {
    let start = unit.heading.span.start;
    match text[start..].bytes().take_while(|byte| *byte == b'#').count() {
        0 => Err(EditError::unfit(
            "the heading of this step is underlined, which no substep can have; write it with `###`",
        )),
        marks => Ok(TextEdit {
            span: Span {
                start,
                end: start + marks,
            },
            replacement: "#".repeat(level),
        }),
    }
}

/// Whether an identifier begins with a name, which says the same in every runbook.
pub(super) fn is_by_name(id: &str) -> bool {
    matches!(id::whole(id).map(|id| id.step), Ok(Part::Name(_)))
}

/// The text of one step that does something else when it passes.
pub(super) fn leading(block: &str, action: &str) -> Result<String, EditError> {
    let (runbook, document) = (read(PASTED, block), Document::parse(PASTED, block));
    let passes = Saying {
        step: 0,
        passed: true,
        action: Some(action.to_owned()),
    };
    Ok(apply(block, &Lines::of(&runbook, &document).say(&passes)?))
}
