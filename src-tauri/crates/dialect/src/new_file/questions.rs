//! A first workflow out of some answers: what is decided, what is done before, and what comes of it.

use crate::document::Document;
use crate::edit::EditError;
use crate::gestures::Refused;
use model::{Edit, FlowEdit, Gesture, NewGate, NewStep, Place, Spot, StepId, Way};

/// So many steps one answer makes at most; who has more to say draws them.
pub const MOST_STEPS: usize = 20;

/// What is done where nothing is said of it: somebody lays out what is decided.
const LAID_OUT: (&str, &str) = ("Decide", "Sum up what is to be decided.");

/// What somebody answered who never saw a workflow.
#[derive(Debug, Clone, Copy, Default)]
pub struct Answers<'a> {
    /// What the person is asked; empty: a question is made of the step's name.
    pub asked: &'a str,
    /// What is done before they are asked, a step each, in this order.
    pub before: &'a [String],
    /// What is done after a yes, a step each, in this order.
    pub after: &'a [String],
    /// Whether a no leads back to the first step; otherwise the run ends with it.
    pub again: bool,
}

impl Answers<'_> {
    /// What answers make, as [`super::shape`] names it.
    pub const SHAPE: &'static str = "flow";
}

/// The flow that these answers describe, made by the gestures that a person would make at the picture. Empty lines count for nothing.
///
/// # Errors
/// [`Refused`]: an answer has more than [`MOST_STEPS`] lines, or cannot be written down as what it is meant as.
pub fn flow_of(answers: &Answers<'_>) -> Result<Document, Refused> {
    // What a step is called is what is to be done in it.
    let lines = |all: &[String]| -> Vec<(String, Option<&str>)> {
        let said = all.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
        said.map(|line| (line.to_owned(), None)).collect()
    };
    let mut before = lines(answers.before);
    if before.is_empty() {
        before.push((LAID_OUT.0.to_owned(), Some(LAID_OUT.1)));
    }
    let after = lines(answers.after);
    if before.len().max(after.len()) > MOST_STEPS {
        let why = format!("an answer makes at most {MOST_STEPS} steps; more are added at the picture");
        return Err(Refused {
            index: 0,
            error: EditError::unfit(why),
        });
    }
    let decided = before.len() - 1;
    let add = |(name, role): (String, Option<&str>)| {
        let step = NewStep {
            name: Some(name),
            fields: role.into_iter().map(|role| ("role".to_owned(), role.into())).collect(),
            ..NewStep::default()
        };
        Gesture::from(FlowEdit::Add { step, at: Spot::End })
    };
    let mut gestures: Vec<Gesture> = before.into_iter().chain(after).map(add).collect();
    // The skeleton's own step is none of the answers.
    gestures.push(Edit::Remove { place: Place::step(0) }.into());
    // No id that is made of a name begins with `_`: none is another one because of the step that goes.
    let skeleton = super::SHAPES[0].skeleton.replace("id: first\n", "id: _not_answered\n");
    let steps = Document::parse("new.yaml", &skeleton).make(&gestures)?.document;

    let id = |at: usize| -> StepId { steps.workflow().steps()[at].id.clone() };
    let asked = answers.asked.trim();
    let gate = NewGate {
        requirement: model::GateRequirement::Required,
        at: None,
        question: (!asked.is_empty()).then(|| asked.to_owned()),
        asks: None,
    };
    let mut gestures: Vec<Gesture> = vec![
        FlowEdit::Gate {
            step: id(decided),
            gate: Some(gate),
        }
        .into(),
    ];
    if answers.again {
        gestures.push(
            FlowEdit::Connect {
                from: id(decided),
                to: id(0),
                way: Some(Way::Rejected),
            }
            .into(),
        );
    }
    let flow = steps.make(&gestures)?.document;
    // Nobody has said yet how this file is spaced. Values are quoted on one line, so that none can look like the head of a step.
    let spaced = flow.text().replace("\n  - id: ", "\n\n  - id: ");
    Ok(Document::parse(
        flow.path(),
        &spaced.replacen("steps:\n\n", "steps:\n", 1),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Severity;
    use proptest::prelude::*;

    const WRITTEN: &str = r#"key: new-flow
title: "New flow"

steps:
  - id: write_the_offer
    name: "Write the offer"
    agents: [author]
    role: "Write the offer"

  - id: check_the_numbers
    name: "Check the numbers"
    agents: [author]
    role: "Check the numbers"
    human_gate: required
    gate_question: "May the offer go out?"
    on_reject: write_the_offer

  - id: send_the_offer
    name: "Send the offer"
    agents: [author]
    role: "Send the offer"
"#;

    fn lines(all: &[&str]) -> Vec<String> {
        all.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn three_answers_are_a_file_as_a_person_would_write_it() {
        let made = flow_of(&Answers {
            asked: "May the offer go out?",
            before: &lines(&["Write the offer", " ", "Check the numbers"]),
            after: &lines(&["Send the offer"]),
            again: true,
        });
        assert_eq!(made.expect("a flow").text(), WRITTEN);
    }

    #[test]
    fn an_answer_that_is_too_long_is_refused_whole() {
        let many: Vec<String> = (0..=MOST_STEPS).map(|n| format!("Step {n}")).collect();
        let of = |after| {
            flow_of(&Answers {
                after,
                ..Answers::default()
            })
        };
        assert!(of(&many).is_err());
        let made = of(&many[1..]).expect("as many as there may be");
        assert_eq!(made.workflow().steps().len(), 1 + MOST_STEPS);
    }

    #[test]
    fn the_step_that_goes_takes_no_id() {
        let made = flow_of(&Answers {
            before: &lines(&["First", "First"]),
            ..Answers::default()
        });
        let made = made.expect("a flow");
        let ids: Vec<&str> = made.workflow().steps().iter().map(|step| step.id.as_str()).collect();
        assert_eq!(ids, ["first", "first_2"]);
    }

    #[test]
    fn who_says_nothing_gets_a_decision() {
        let made = flow_of(&Answers::default()).expect("a flow");
        let [step] = made.workflow().steps() else {
            panic!("one step: {}", made.text())
        };
        assert_eq!(step.name, "Decide");
        assert!(step.gate.is_some());
    }

    proptest! {
        #[test]
        fn whatever_is_answered_becomes_steps_in_their_order(
            asked in any::<String>(),
            before in proptest::collection::vec(any::<String>(), 0..5),
            after in proptest::collection::vec(any::<String>(), 0..4),
            again: bool,
        ) {
            let said = |all: &[String]| -> Vec<String> {
                all.iter().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
            };
            let wanted: Vec<String> = match said(&before) {
                none if none.is_empty() => vec!["Decide".to_owned()],
                some => some,
            };
            let decided = wanted.len() - 1;
            let wanted: Vec<String> = wanted.into_iter().chain(said(&after)).collect();
            let made = flow_of(&Answers { asked: &asked, before: &before, after: &after, again }).expect("a flow");
            let made = Document::parse("new.yaml", made.text());
            let steps = made.workflow().steps();
            let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
            prop_assert_eq!(&names, &wanted.iter().map(String::as_str).collect::<Vec<_>>(), "{}", made.text());
            prop_assert!(made.diagnostics().iter().all(|found| found.severity == Severity::Note), "{}", made.text());
            let gates: Vec<usize> = (0..steps.len()).filter(|n| steps[*n].gate.is_some()).collect();
            prop_assert_eq!(gates, vec![decided]);
            let question = steps[decided].gate.as_ref().and_then(|gate| gate.question.clone());
            if !asked.trim().is_empty() {
                prop_assert_eq!(question.as_deref(), Some(asked.trim()), "{}", made.text());
            }
            let rejected = steps[decided].gate.as_ref().and_then(|gate| gate.on_reject.clone());
            prop_assert_eq!(rejected, again.then(|| steps[0].id.clone()), "{}", made.text());
        }
    }
}
