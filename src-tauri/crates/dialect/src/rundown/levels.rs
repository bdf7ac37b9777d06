//! Rules 2 and 3: on each level either numbered steps in order or one dynamic template.

use super::id::{Id, Part};
use super::report::Report;
use super::unit::Unit;
use model::{Diagnostic, Edit, Place, Severity};
use std::collections::{HashMap, HashSet};

pub(super) fn check(units: &[Unit], report: &mut Report) {
    let mut top = Level::default();
    let mut inside: HashMap<usize, Level> = HashMap::new();
    let known: HashSet<String> = units
        .iter()
        .filter_map(|unit| unit.heading.id.as_ref().ok())
        .map(Id::to_string)
        .collect();
    for (ordinal, unit) in units.iter().enumerate() {
        let Ok(id) = &unit.heading.id else { continue };
        match (unit.heading.level, unit.parent) {
            (2, _) if id.substep.is_none() => top.next(ordinal, id, &known, report),
            (3, Some(parent)) => inside.entry(parent).or_default().next(ordinal, id, &known, report),
            _ => {}
        }
    }
}

#[derive(Default)]
struct Level {
    numbers: u32,
    first_number: Option<usize>,
    first_dynamic: Option<usize>,
    first_name: Option<usize>,
    mixed: bool,
}

impl Level {
    fn next(&mut self, ordinal: usize, id: &Id, known: &HashSet<String>, report: &mut Report) {
        let place = Place::step(ordinal).field("id");
        let sub = id.substep.is_some();
        let word = if sub { "substep" } else { "step" };
        match id.last() {
            Part::Number(number) => {
                self.numbers = self.numbers.saturating_add(1);
                self.first_number = self.first_number.or(Some(ordinal));
                let expected = self.numbers;
                if *number != expected {
                    let wanted = match &id.substep {
                        Some(_) => Id {
                            step: id.step.clone(),
                            substep: Some(Part::Number(expected)),
                        },
                        None => Id {
                            step: Part::Number(expected),
                            substep: None,
                        },
                    };
                    let said = format!("This {word} should be number `{wanted}`, but it is `{id}`");
                    let mut diagnostic = Diagnostic::new("GH0203", Severity::Error, place.clone(), said)
                        .help(format!("Number every {word} in order, beginning at 1"));
                    if !known.contains(&wanted.to_string()) {
                        let edit = Edit::Set {
                            place,
                            value: wanted.to_string().into(),
                        };
                        diagnostic = diagnostic.fix(format!("Number it `{wanted}`"), edit);
                    }
                    report.push(diagnostic);
                }
            }
            Part::Dynamic => {
                if let Some(first) = self.first_dynamic {
                    let said = format!("A second dynamic {word}: `{id}` is written twice on this level");
                    report.push(
                        Diagnostic::new("GH0202", Severity::Error, place, said)
                            .related(Place::step(first).field("id"), "the first one")
                            .help(
                                "A level holds one dynamic template. Make this a named one, or a substep of the first",
                            ),
                    );
                    return;
                }
                self.first_dynamic = Some(ordinal);
            }
            Part::Name(_) => self.first_name = self.first_name.or(Some(ordinal)),
        }
        // Named steps stand beside either kind; named substeps beside numbered ones.
        let beside = self.first_number.or(self.first_name.filter(|_| sub));
        if let (Some(dynamic), Some(other), false) = (self.first_dynamic, beside, self.mixed) {
            self.mixed = true;
            let at = dynamic.max(other);
            let said = format!("Dynamic and other {word}s are mixed on one level");
            report.push(
                Diagnostic::new("GH0202", Severity::Error, Place::step(at).field("id"), said)
                    .related(Place::step(dynamic.min(other)).field("id"), "the other kind")
                    .help(format!(
                        "A level holds either numbered {word}s or exactly one dynamic {word}"
                    )),
            );
        }
    }
}
