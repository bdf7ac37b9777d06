//! What a window offers of a runbook: its kinds of step, its gestures, and the form of a step.

use super::Runbook;
use crate::form::{Entries, naming, palette, runbook as form};
use model::{DrawnWay, FormControl, FormOption, Gestures, Place, Quantifier, StepKind, Transition, Way, Work};

impl Runbook {
    pub(super) fn kinds() -> Vec<StepKind> {
        naming(palette(&form::KINDS), "runbooks", &form::FILE)
    }

    pub(super) fn offered() -> Gestures {
        Gestures {
            steps: true,
            inside: true,
            order: true,
            next: true,
            // A step that is tried again, and ways by its outcome.
            loops: true,
            branches: true,
            ..Gestures::default()
        }
    }

    /// A line follows one of the two outcomes of a step.
    pub(super) fn outcomes() -> Vec<DrawnWay> {
        let outcome = |(word, passed)| {
            let value = String::from(word);
            DrawnWay::of(Way::Value { field: None, value }, said_of(word, passed))
        };
        [("PASS", true), ("FAIL", false)].map(outcome).to_vec()
    }

    pub(super) fn form_of(&self, step: Option<usize>) -> Option<Entries> {
        let Some(ordinal) = step else {
            let mut out = Entries::new("workflow", self.workflow.format.label());
            out.rows(&Place::document(), &form::ROOT);
            return Some(out);
        };
        let found = self.workflow.steps().get(ordinal)?;
        let unit = self.units.get(ordinal)?;
        let (kind, label) = match &found.work {
            Work::Command { .. } => ("command", "Command"),
            Work::SubWorkflow { .. } => ("runbooks", "Runbooks"),
            _ if found.jump_only => ("named", "Named step"),
            Work::Group => ("group", "Step with substeps"),
            _ => ("prompt", "By hand"),
        };
        let whole = Place::step(ordinal);
        let mut out = Entries::new(kind, label);
        out.rows(&whole, [&form::ID, &form::TITLE, &form::PROMPT]);
        if !matches!(found.work, Work::Agent | Work::Group) {
            out.does(form::DOES, found, Self::does_word(found));
        }
        out.at(form::AGENT, Place::document().field("agents").field(found.id.as_str()));
        match &found.work {
            Work::Command { .. } | Work::Prompt { .. } => out.rows(&whole, [&form::COMMAND]),
            Work::SubWorkflow { files } => {
                for n in 0..=files.len() {
                    out.at(form::FILE, whole.clone().field("files").field(n.to_string()));
                }
            }
            Work::Agent | Work::Group => {}
        }
        for n in 0..=unit.transitions.len() {
            let own = unit.transitions.get(n).map(|read| &read.transition);
            let options = self.transitions(ordinal, own);
            out.filled_by(
                form::TRANSITION,
                own.map(|own| said_of(&own.word, own.passed).to_owned()),
                FormControl::Transition { options },
                whole.clone().field("transitions").field(n.to_string()),
            );
        }
        Some(out)
    }

    /// The usual lines for the outcome of one that is written, or for the outcomes that none is written for.
    fn transitions(&self, ordinal: usize, own: Option<&Transition>) -> Vec<FormOption> {
        let written = self.units[ordinal].transitions.iter().map(|read| &read.transition);
        let asks = written.clone().any(|other| matches!(other.word.as_str(), "YES" | "NO"));
        let words = if asks { ["YES", "NO"] } else { ["PASS", "FAIL"] };
        let is_open = |passed: bool| match own {
            Some(own) => own.passed == passed,
            None => !written.clone().any(|other| other.passed == passed),
        };
        let mut options: Vec<FormOption> = Vec::new();
        for passed in [true, false].into_iter().filter(|passed| is_open(*passed)) {
            let word = own.map_or(words[usize::from(!passed)], |own| &own.word);
            let when = said_of(word, passed);
            // Of a step with substeps the outcome is that of all of them, or of any.
            let quantifier = own.and_then(|own| own.quantifier).map_or("", |all| match all {
                Quantifier::All => " ALL",
                Quantifier::Any => " ANY",
            });
            // What is written stands below its outcome already, and what is not says which one it is for.
            let led = |said: String| match own {
                Some(_) => said,
                None => format!("{when}: {said}"),
            };
            let mut put = |action: String, said: String| {
                options.push(FormOption {
                    value: format!("{word}{quantifier}: {action}"),
                    label: led(said),
                });
            };
            put("CONTINUE".to_owned(), "go on to the next step".to_owned());
            if !passed {
                for (times, said) in [(1, "once"), (2, "twice"), (3, "three times")] {
                    put(format!("RETRY {times} STOP"), format!("try again {said}, then stop"));
                }
            }
            put("COMPLETE".to_owned(), "the runbook is complete".to_owned());
            put("STOP".to_owned(), "the runbook stops".to_owned());
            for step in self.workflow.steps() {
                // Which one of a template is meant is only known where it stands.
                let is_one = step.ordinal != ordinal && !step.id.as_str().contains('{');
                if is_one {
                    put(
                        format!("GOTO {}", step.id),
                        format!("go to {}", format!("{} {}", step.number, step.name).trim()),
                    );
                }
            }
        }
        options
    }
}

/// An outcome in words, by the word that it is written with.
fn said_of(word: &str, passed: bool) -> &'static str {
    match (word, passed) {
        ("YES", _) => "Yes",
        ("NO", _) => "No",
        (_, true) => "If it goes well",
        (_, false) => "If it fails",
    }
}
