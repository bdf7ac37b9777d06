//! Gestures on agent workflows: who waits for whom follows, by number, by id or by the order of the file, whatever comes, goes or moves.

use crate::untouched::touched;
use dialect::{Document, apply, invert};
use model::{Edit, FlowEdit, FormControl, Gesture, NewGate, NewStep, Place, Severity, Spot, Way};

/// One after the other, in the order of the file.
const ROW: &str = "\
workflow:
  id: row
  name: In a row
  sequence:
    # The idea.
    - id: idea
      agent: analyst
      creates: idea.md
    - id: draft
      agent: architect
      requires: idea.md
    - id: review
      agent: qa
    - workflow_end:
        action: complete
";

/// Each says by numbers what it waits for.
const NUMBERED: &str = "\
workflow: {name: numbered, type: greenfield}

sequence:
  - step: 1
    name: Idea
    agent: analyst
    task: idea

  - step: 2
    name: Pages
    agent: ux-expert
    task: pages
    depends_on: [1]

  - step: 3
    name: Services
    agent: architect
    task: services
    depends_on: [1]

  - step: 4
    name: Build
    agent: developer
    task: build
    depends_on: [2, 3] # both
    human_gate: required
    on_reject: services
";

const GROUPS: &str = "\
workflow: {name: groups}
parallel_groups:
  - group_id: ground
    agents:
      - {id: idea, agent: analyst}
      - {id: needs, agent: pm}
  - group_id: drafts
    parallel: true
    agents:
      - {id: one, agent: architect}
      - {id: two, agent: ux-expert}
  - group_id: end
    agents:
      - {id: choose, agent: pm}
";

fn after(text: &str, gesture: impl Into<Gesture>) -> Result<(String, Vec<String>), String> {
    let document = Document::parse("a.yaml", text);
    let gesture = gesture.into();
    let made = document.make(std::slice::from_ref(&gesture));
    let made = made.map_err(|refused| refused.error.to_string())?;
    assert_eq!(touched(&document, &made, &gesture), Vec::<String>::new());
    assert_eq!(apply(made.document.text(), &invert(text, &made.edits)), text);
    let errors = made.document.diagnostics().iter();
    assert_eq!(
        errors.filter(|one| one.severity == Severity::Error).count(),
        0,
        "{}",
        made.document.text()
    );
    Ok((made.document.text().to_owned(), made.entails))
}

fn done(text: &str, gesture: impl Into<Gesture>) -> String {
    after(text, gesture)
        .map(|(text, _)| text)
        .unwrap_or_else(|why| panic!("{why}"))
}

/// `id: waits, waits` of each step.
fn waits(text: &str) -> Vec<String> {
    let document = Document::parse("a.yaml", text);
    let one = |step: &model::Step| {
        let mut waits: Vec<&str> = step.depends_on.iter().map(|id| id.as_str()).collect();
        waits.sort_unstable();
        format!("{}: {}", step.id, waits.join(", ")).trim_end().to_owned()
    };
    document.workflow().steps().iter().map(one).collect()
}

fn add(name: &str, kind: &str, at: Spot) -> FlowEdit {
    let step = NewStep {
        kind: kind.to_owned(),
        name: Some(name.to_owned()),
        ..NewStep::default()
    };
    FlowEdit::Add { step, at }
}

fn between(from: &str, to: &str) -> Spot {
    let (from, to, label) = (from.into(), to.into(), None);
    Spot::Between { from, to, label }
}

fn connect(from: &str, to: &str, way: Option<Way>) -> FlowEdit {
    let (from, to) = (from.into(), to.into());
    FlowEdit::Connect { from, to, way }
}

fn set(step: usize, path: &[&str], value: impl Into<serde_json::Value>) -> Edit {
    Edit::Set {
        place: Place::step(step).path(path.iter().map(|key| (*key).to_owned())),
        value: value.into(),
    }
}

#[test]
fn a_step_comes_where_it_is_put_and_nothing_else_is_written() {
    let text = done(ROW, add("Ask legal", "work", Spot::After { step: "draft".into() }));
    let new = "    - id: ask-legal\n      name: Ask legal\n      agent: architect\n      description: Ask legal\n";
    assert_eq!(text, ROW.replace("    - id: review", &format!("{new}    - id: review")));
    assert_eq!(
        waits(&text),
        ["idea:", "draft: idea", "ask-legal: draft", "review: ask-legal"]
    );
    // Where numbers are in use it has one, and those that waited for the one before it wait for it.
    let text = done(
        NUMBERED,
        add("Ask legal", "decision", Spot::After { step: "idea".into() }),
    );
    assert!(
        text.contains("  - step: 5\n    name: Ask legal\n    agent: analyst\n    task: ask-legal\n"),
        "{text}"
    );
    assert!(text.contains("depends_on: [5]"), "{text}");
    assert_eq!(
        waits(&text),
        [
            "idea:",
            "ask-legal: idea",
            "pages: ask-legal",
            "services: ask-legal",
            "build: pages, services"
        ]
    );
    // On a line, between two that stand apart.
    let text = done(NUMBERED, add("Look", "work", between("pages", "build")));
    assert_eq!(
        waits(&text),
        [
            "idea:",
            "pages: idea",
            "look: pages",
            "services: idea",
            "build: look, services"
        ]
    );
    assert!(text.contains("depends_on: [5, 3] # both"), "{text}");
    // At the end it waits for whatever ends.
    let text = done(ROW, add("Send", "optional", Spot::End));
    assert!(text.contains("optional: true\n    - workflow_end:"), "{text}");
    assert_eq!(waits(&text).last().map(String::as_str), Some("send: review"));
    // In a group it waits for what its group waits for besides.
    let text = done(GROUPS, add("Three", "work", Spot::After { step: "one".into() }));
    assert_eq!(
        waits(&text),
        [
            "idea:",
            "needs: idea",
            "one: needs",
            "three: needs, one",
            "two: needs",
            "choose: one, three, two"
        ]
    );
}

#[test]
fn what_waited_for_a_step_that_goes_waits_for_what_that_waited_for() {
    let (text, said) = after(ROW, Edit::Remove { place: Place::step(1) }).expect("it goes");
    assert_eq!(waits(&text), ["idea:", "review: idea"]);
    assert_eq!(said, ["“Review” waits for what “Draft” waited for"]);
    let text = done(NUMBERED, Edit::Remove { place: Place::step(2) });
    assert_eq!(waits(&text), ["idea:", "pages: idea", "build: idea, pages"]);
    // The way of a rejection to it goes with it.
    assert!(!text.contains("on_reject"), "{text}");
    let refused = after(GROUPS, Edit::Remove { place: Place::step(4) }).expect_err("the only one");
    assert_eq!(
        refused,
        "“Choose” is the only step of its group; change that in the source"
    );
}

#[test]
fn a_new_id_is_followed_also_where_it_is_only_called_after_what_it_does() {
    let text = done(NUMBERED, set(2, &["task"], "back_end"));
    assert_eq!(
        waits(&text),
        ["idea:", "pages: idea", "back_end: idea", "build: back_end, pages"]
    );
    assert!(text.contains("depends_on: [2, 3] # both"), "{text}");
    assert!(text.contains("on_reject: back_end"), "{text}");
    let made = Document::parse("a.yaml", NUMBERED)
        .make(&[set(2, &["task"], "back_end").into()])
        .expect("made");
    assert_eq!(made.renamed, [("services".into(), Some("back_end".into()))]);
    // A number is followed by those that name it.
    let text = done(NUMBERED, set(1, &["step"], 7));
    assert!(text.contains("depends_on: [7, 3] # both"), "{text}");
    assert_eq!(
        after(ROW, set(0, &["id"], "draft")).expect_err("taken"),
        "“Id” of “Idea” cannot hold this value: another step has the id “draft”"
    );
}

#[test]
fn order_counts_where_nothing_else_is_said() {
    let to = |step: usize, to: usize| Edit::Move {
        place: Place::step(step),
        to,
    };
    let text = done(ROW, to(2, 1));
    assert_eq!(waits(&text), ["idea:", "review: idea", "draft: review"]);
    let text = done(NUMBERED, to(2, 1));
    assert_eq!(
        waits(&text),
        ["idea:", "services: idea", "pages: idea", "build: pages, services"]
    );
    assert_eq!(
        after(GROUPS, to(0, 3)).expect_err("another group"),
        "that place is in another group; a step is moved among those of its own group"
    );
}

#[test]
fn lines_are_drawn_and_cut() {
    // Whoever waits for the one before it says so once there is another one.
    let text = done(ROW, connect("idea", "review", None));
    assert!(
        text.contains("- id: review\n      agent: qa\n      depends_on:\n        - draft\n        - idea\n"),
        "{text}"
    );
    let text = done(NUMBERED, connect("pages", "services", None));
    assert!(text.contains("task: services\n    depends_on: [1, 2]\n"), "{text}");
    assert_eq!(
        after(ROW, connect("review", "idea", None)).expect_err("a ring"),
        "“Review” waits for “Idea”, so neither could begin"
    );
    let cut = |from: &str, to: &str| FlowEdit::Disconnect {
        from: from.into(),
        to: to.into(),
        label: None,
    };
    let text = done(ROW, cut("idea", "draft"));
    assert_eq!(waits(&text), ["idea:", "draft:", "review: draft"]);
    let text = done(NUMBERED, cut("pages", "build"));
    assert!(text.contains("depends_on: [3] # both"), "{text}");
    assert_eq!(
        after(GROUPS, cut("needs", "one")).expect_err("the groups say it"),
        "“One” waits for “Needs” because of the groups that they stand in; change those in the source"
    );
    let text = done(NUMBERED, connect("build", "idea", Some(Way::Rejected)));
    assert_eq!(text, NUMBERED.replace("on_reject: services", "on_reject: idea"));
}

#[test]
fn the_form_fills_in_what_stands_there() {
    let document = Document::parse("a.yaml", NUMBERED);
    let form = document.form(Some(3)).expect("a form");
    let field = |name: &str| form.fields.iter().find(|field| field.name == name).expect("the field");
    assert_eq!(field("id").value, "build");
    assert_eq!(field("depends_on").value, serde_json::json!(["pages", "services"]));
    // By its item, whatever it is called by in the file.
    let text = done(NUMBERED, set(3, &["depends_on", "1"], "idea"));
    assert!(text.contains("depends_on: [2, 1] # both"), "{text}");
    let text = done(
        NUMBERED,
        Edit::Remove {
            place: Place::step(3).field("depends_on").field("0"),
        },
    );
    assert!(text.contains("depends_on: [3] # both"), "{text}");
    let text = done(ROW, set(2, &["condition"], "size == 'large'"));
    assert!(
        text.contains("agent: qa\n      condition: \"size == 'large'\"\n"),
        "{text}"
    );
    let text = done(ROW, set(2, &["execution", "escalate_to"], "ada"));
    assert!(
        text.contains("execution: {escalate_to: ada}") || text.contains("execution:\n        escalate_to: ada"),
        "{text}"
    );
    let gate = FlowEdit::Gate {
        step: "draft".into(),
        gate: Some(NewGate {
            requirement: model::GateRequirement::Required,
            at: None,
            question: Some("Is it right?".to_owned()),
            asks: None,
        }),
    };
    let text = done(ROW, gate);
    assert!(
        text.contains("requires: idea.md\n      human_gate: required\n      gate_question: \"Is it right?\"\n"),
        "{text}"
    );
    let root = document.form(None).expect("the workflow's own");
    let named = root
        .fields
        .iter()
        .find(|field| field.name == "workflow.type")
        .expect("the kind");
    assert_eq!(named.value, "greenfield");
}

#[test]
fn a_copy_waits_for_the_same_and_is_waited_for_too() {
    let copy = |step: &str| FlowEdit::Duplicate {
        step: step.into(),
        id: None,
    };
    let text = done(NUMBERED, copy("pages"));
    assert!(text.contains("step: 5"), "{text}");
    let waits = waits(&text);
    assert_eq!(
        waits[4],
        format!(
            "build: pages, {}, services",
            waits[2].split(':').next().unwrap_or_default()
        )
    );
    let text = done(ROW, copy("draft"));
    assert_eq!(
        self::waits(&text),
        ["idea:", "draft: idea", "draft-copy: idea", "review: draft, draft-copy"]
    );
}

#[test]
fn a_step_between_two_is_no_matter_of_a_third() {
    let new = "      - id: look\n        name: Look\n        agent: architect\n        description: Look\n        \
               depends_on:\n          - needs\n";
    // Between steps of two groups it stands before the second: whoever else is in that group does not wait for it.
    let beside = GROUPS.replace(
        "{id: two, agent: ux-expert}",
        "{id: two, agent: ux-expert, depends_on: [idea]}",
    );
    let text = done(&beside, add("Look", "work", between("needs", "one")));
    assert_eq!(
        waits(&text),
        [
            "idea:",
            "needs: idea",
            "look: needs",
            "one: look, needs",
            "two: idea, needs",
            "choose: look, one, two"
        ]
    );
    assert!(
        text.contains("{id: two, agent: ux-expert, depends_on: [idea]}"),
        "{text}"
    );
    assert!(!text.contains(new), "what its group says is not said again: {text}");
    // Where the next one waits by its place alone.
    let row = ROW.replace("agent: qa\n", "agent: qa\n      depends_on: [idea]\n");
    let text = done(&row, add("Look", "work", between("idea", "review")));
    assert_eq!(waits(&text), ["idea:", "draft: idea", "look: idea", "review: look"]);
    assert!(
        text.contains("- id: draft\n      agent: architect\n      requires: idea.md\n    - id: look"),
        "{text}"
    );
}

#[test]
fn what_is_pasted_takes_no_other_steps_name() {
    let step = NewStep {
        text: Some("- step: 9\n  name: Build\n  agent: developer\n  task: build\n".to_owned()),
        ..NewStep::default()
    };
    let at = Spot::After { step: "idea".into() };
    let made = Document::parse("a.yaml", NUMBERED)
        .make(&[FlowEdit::Add { step, at }.into()])
        .expect("it is put in");
    assert!(made.renamed.is_empty(), "{:?}", made.renamed);
    let ids: Vec<&str> = made
        .document
        .workflow()
        .steps()
        .iter()
        .map(|step| step.id.as_str())
        .collect();
    assert_eq!(ids, ["idea", "build-copy", "pages", "services", "build"]);
}

#[test]
fn a_step_that_goes_leaves_its_name_to_nobody() {
    let text = "workflow: {name: w}\nsequence:\n  - {id: a, agent: x}\n  - {agent: w}\n  - {agent: w}\n";
    let document = Document::parse("a.yaml", text);
    let made = document
        .make(&[Edit::Remove { place: Place::step(1) }.into()])
        .expect("it goes");
    // What named it means nobody, though another one is called so now.
    assert!(made.renamed.contains(&("w".into(), None)), "{:?}", made.renamed);
}

#[test]
fn a_rejection_goes_back_to_what_was_waited_for_alone() {
    let later = NUMBERED.replace("on_reject: services", "on_reject: build");
    let document = Document::parse("a.yaml", &later);
    let [found] = document.diagnostics() else {
        panic!("one: {:?}", document.diagnostics())
    };
    assert_eq!((found.code.as_str(), found.severity), ("GH0502", Severity::Warning));
    let said = "`on_reject` has no effect: no step waits for itself, so a rejection ends the run";
    assert_eq!(found.message, said);
    let gate = document.workflow().steps()[3].gate.as_ref().expect("a gate");
    assert_eq!(gate.on_reject, None);
    // What it says by itself goes on naming the step.
    let text = done(&later, set(3, &["task"], "make"));
    assert!(text.contains("on_reject: make"), "{text}");
    let asking = GROUPS.replace(
        "{id: one, agent: architect}",
        "{id: one, agent: architect, human_gate: required}",
    );
    let refused = after(&asking, connect("one", "two", Some(Way::Rejected))).expect_err("beside it");
    assert_eq!(
        refused,
        "“One” does not wait for “Two”, so what is rejected cannot go back to it"
    );
    let text = done(&asking, connect("one", "idea", Some(Way::Rejected)));
    assert!(text.contains("on_reject: idea"), "{text}");
    let form = Document::parse("a.yaml", NUMBERED).form(Some(3)).expect("a form");
    let field = form
        .fields
        .iter()
        .find(|field| field.name == "on_reject")
        .expect("the field");
    let FormControl::Choice { options } = &field.control else {
        panic!("a choice")
    };
    let values: Vec<&str> = options.iter().map(|one| one.value.as_str()).collect();
    assert_eq!(values, ["", "idea", "pages", "services"]);
}

#[test]
fn a_single_equals_sign_is_named_where_an_expression_is_meant() {
    let with = |condition: &str| {
        let step = format!("    - id: review\n      condition: \"{condition}\"\n      agent: qa\n");
        let text = ROW.replace("    - id: review\n      agent: qa\n", &step);
        Document::parse("a.yaml", &text).diagnostics().to_vec()
    };
    for words in [
        "the customer has a contract",
        "size == 'large'",
        "needs_check",
        "cost = what it takes",
    ] {
        assert_eq!(with(words), [], "{words}");
    }
    let found = with("size = 'large' and cost > 5");
    let [found] = found.as_slice() else {
        panic!("one: {found:?}")
    };
    assert_eq!((found.code.as_str(), found.severity), ("GH0504", Severity::Note));
    assert_eq!(
        found.help.as_deref(),
        Some("For an expression write `==`: `size == 'large' && cost > 5`")
    );
}

#[test]
fn an_approval_goes_with_its_step_and_that_is_said() {
    let (_, said) = after(NUMBERED, Edit::Remove { place: Place::step(3) }).expect("it goes");
    assert_eq!(said, ["with “Build” goes a person's approval"]);
    let asking = ROW.replace(
        "requires: idea.md",
        "human_gate: required\n      gate_question: \"Is it right?\"",
    );
    let (_, said) = after(&asking, Edit::Remove { place: Place::step(1) }).expect("it goes");
    assert_eq!(
        said,
        ["“Review” waits for what “Draft” waited for, and with “Draft” goes a person's approval: “Is it right?”"]
    );
    // The gate alone is taken out: what was written at it is not there any more.
    let document = Document::parse("hire.yaml", &asking);
    let step = document.workflow().steps()[1].id.clone();
    let ungate = Gesture::Flow(FlowEdit::Gate { step, gate: None });
    let said: Vec<String> = document.consequences(&ungate).into_iter().map(|one| one.said).collect();
    assert_eq!(said, ["the question “Is it right?” goes with it"]);
}

#[test]
fn an_id_that_others_name_is_not_taken_away() {
    let named = ROW.replace(
        "agent: qa\n",
        "agent: qa\n      depends_on: [idea]\n      human_gate: required\n      on_reject: draft\n",
    );
    let document = Document::parse("row.yaml", &named);
    let id = |step: usize| Edit::Remove {
        place: Place::step(step).field("id"),
    };
    for step in [0, 1] {
        let refused = document.edit(&id(step)).expect_err("others name it");
        assert!(
            refused.to_string().contains("others name the step by its id"),
            "{refused}"
        );
    }
    // Nobody names the last one.
    document.edit(&id(2)).expect("it can go without");
}
