//! What does the work of a step, as it is chosen in its form: somebody, a script, other workflows.

use dialect::{Document, apply, invert, shapes};
use model::{Edit, FormControl, Gesture, Place, Step};
use serde_json::json;

const PIPELINE: &str = "\
name: Release
stages:
  - name: plan
    agents: [pm, qa]
  - name: build
    agent: dev
    terminal: true
    depends_on: [plan]
  - name: test
    run: |
      make
      make test
    depends_on: [build]
  - {name: ship, workflows: [a.yaml, b.yaml], depends_on: [test]}
  - name: tell
    run: \"\"
    agents: [pm]
    depends_on: [ship]
";
const STEPSPEC: &str = "\
format: stepspec
workflow: news
steps:
  - {id: gather, name: Gather, agents: [scout, editor], description: Find., inputs: {}, outputs: []}
  - {id: send, name: Send, run: ./send.sh, description: Send., inputs: {}, outputs: []}
";
const RUNBOOK: &str = "\
# Deploy

## 1 Build

Build it.

```bash terminal
make
```

- PASS: CONTINUE

## 2 Look

Look at it.

- PASS: CONTINUE

## 3 Others

- one.runbook.md
- two.runbook.md

## 4 Tell

### 4.1 Call

Call them.

### 4.2 Write

```bash
mail
```
";

fn choice(step: usize, to: &str) -> Gesture {
    let place = Place::step(step).field("does");
    Edit::Set {
        place,
        value: to.into(),
    }
    .into()
}

/// What is chosen of a step, and what can be; `None`: nothing can.
fn chosen(document: &Document, step: usize) -> Option<(String, Vec<String>)> {
    let form = document.form(Some(step)).expect("a form");
    let field = form.fields.into_iter().find(|field| field.name == "does")?;
    let FormControl::Choice { options } = field.control else {
        panic!("a choice")
    };
    let now = field.value.as_str().expect("a word").to_owned();
    Some((now, options.into_iter().map(|option| option.value).collect()))
}

#[test]
fn whatever_is_chosen_is_done_and_nothing_else_changes() {
    let mut texts: Vec<(String, &str)> = Vec::new();
    for shape in shapes() {
        let path = format!("new{}", shape.ending);
        texts.push((path.clone(), shape.skeleton));
        texts.extend(shape.templates.iter().map(|template| (path.clone(), template.text)));
    }
    texts.push(("PIPE-20260131-flow-093000.yaml".to_owned(), PIPELINE));
    texts.push(("s.yaml".to_owned(), STEPSPEC));
    texts.push(("r.runbook.md".to_owned(), RUNBOOK));
    let mut made = 0;
    for (path, text) in texts {
        let document = Document::parse(&path, text);
        for step in 0..document.workflow().steps().len() {
            let Some((now, all)) = chosen(&document, step) else {
                continue;
            };
            assert!(all.contains(&now), "{path}: {now} is none of {all:?}");
            for to in all {
                let gesture = choice(step, &to);
                let edits = document.gesture(&gesture);
                let edits = edits.unwrap_or_else(|error| panic!("{path}, step {step}, {to}: {error}"));
                assert_eq!(edits.is_empty(), to == now, "{path}, step {step}, {to}");
                let changed = apply(text, &edits);
                assert_eq!(
                    apply(&changed, &invert(text, &edits)),
                    text,
                    "{path}, step {step}, {to}"
                );
                let after = Document::parse(&path, &changed);
                let is = chosen(&after, step).map(|(is, _)| is);
                assert_eq!(is.as_deref(), Some(to.as_str()), "{path}, step {step}\n{changed}");
                assert_eq!(after.gesture(&gesture), Ok(Vec::new()), "made twice is made once");
                let others = |document: &Document| -> Vec<Step> {
                    let steps = document.workflow().steps().iter();
                    steps.filter(|other| other.ordinal != step).cloned().collect()
                };
                assert_eq!(
                    others(&document),
                    others(&after),
                    "{path}, step {step}, {to}\n{changed}"
                );
                made += usize::from(to != now);
            }
        }
    }
    assert!(made > 30, "{made}");
}

#[test]
fn what_goes_with_another_choice_is_said_before() {
    let said = |path: &str, text: &str, step: usize, to: &str| -> Vec<String> {
        let found = Document::parse(path, text).consequences(&choice(step, to));
        found.into_iter().map(|one| one.said).collect()
    };
    let pipeline = |step: usize, to: &str| said("PIPE-20260131-flow-093000.yaml", PIPELINE, step, to);
    assert_eq!(pipeline(0, "work"), Vec::<String>::new());
    assert_eq!(pipeline(0, "script"), ["“Who does it” of “plan” goes: “pm” and “qa”"]);
    assert_eq!(
        pipeline(1, "workflow"),
        [
            "“Needs a terminal” of “build” goes",
            "“Who does it” of “build” goes: “dev”"
        ]
    );
    assert_eq!(
        pipeline(2, "work"),
        ["“Script” of “test” goes: “make make test”", "“test” is done by “dev”"]
    );
    assert_eq!(
        pipeline(3, "script"),
        ["“Workflow” of “ship” goes: “a.yaml” and “b.yaml”"]
    );
    // A script that is still to be written is no loss, and whoever is named already does it.
    assert_eq!(pipeline(4, "work"), Vec::<String>::new());
    assert_eq!(
        said("s.yaml", STEPSPEC, 1, "work"),
        ["“Script” of “Send” goes: “./send.sh”", "“Send” is done by “scout”"]
    );
    let runbook = |step: usize, to: &str| said("r.runbook.md", RUNBOOK, step, to);
    assert_eq!(runbook(0, "work"), ["“Command” of “Build” goes: “make”"]);
    assert_eq!(runbook(1, "script"), Vec::<String>::new());
    assert_eq!(
        runbook(2, "work"),
        ["“Runbook” of “Others” goes: “one.runbook.md” and “two.runbook.md”"]
    );
    // A substep holds what is to be done or a list of runbooks; a step can hold both.
    assert_eq!(runbook(1, "workflow"), Vec::<String>::new());
    assert_eq!(runbook(4, "workflow"), ["“Instructions” of “Call” goes: “Call them.”"]);
}

#[test]
fn a_choice_that_a_format_does_not_have_is_refused() {
    let refused = |path: &str, text: &str, step: usize, to: &str| {
        let made = Document::parse(path, text).gesture(&choice(step, to));
        made.expect_err("it is refused").to_string()
    };
    let why = "what does “Send” cannot be changed to this here; change it in the source";
    assert_eq!(refused("s.yaml", STEPSPEC, 1, "workflow"), why);
    assert_eq!(refused("s.yaml", STEPSPEC, 1, "magic"), why);
    // What a step with substeps does they say.
    assert_eq!(
        chosen(&Document::parse("r.runbook.md", RUNBOOK), 3),
        None,
        "a step with substeps"
    );
    assert!(refused("r.runbook.md", RUNBOOK, 3, "script").contains("there is no"));
    assert!(refused("r.runbook.md", RUNBOOK, 1, "magic").contains("change it in the source"));
}

#[test]
fn the_form_says_who_does_a_step_as_the_file_has_it() {
    let who = |path: &str, text: &str, step: usize| {
        let form = Document::parse(path, text).form(Some(step)).expect("a form");
        let mut fields = form.fields.into_iter().filter(|field| field.label == "Who does it");
        let found = fields.next().map(|field| (field.name, field.value, field.place));
        assert_eq!(fields.next(), None, "one field says it");
        found
    };
    let place = |step: usize, field: &str| Place::step(step).field(field);
    assert_eq!(
        who("s.yaml", STEPSPEC, 0),
        Some(("agents".to_owned(), json!(["scout", "editor"]), place(0, "agents")))
    );
    assert_eq!(who("s.yaml", STEPSPEC, 1), None, "a script does it");
    let one = STEPSPEC.replace("agents: [scout, editor]", "agent: scout");
    assert_eq!(
        who("s.yaml", &one, 0),
        Some(("agent".to_owned(), json!("scout"), place(0, "agent")))
    );
    // A runbook says it above its steps.
    let named = format!("---\nagents:\n  '2': ann\n---\n\n{RUNBOOK}");
    let at = |id: &str| Place::document().field("agents").field(id);
    assert_eq!(
        who("r.runbook.md", &named, 1),
        Some(("agents".to_owned(), json!("ann"), at("2")))
    );
    let document = Document::parse("r.runbook.md", RUNBOOK);
    let edit = Edit::Set {
        place: at("4.1"),
        value: "ann".into(),
    };
    let edits = document.edit(&edit).expect("it is written above the steps");
    let after = Document::parse("r.runbook.md", &apply(RUNBOOK, &edits));
    let agents: Vec<&str> = after.workflow().steps()[4]
        .agents
        .iter()
        .map(|agent| agent.as_str())
        .collect();
    assert_eq!(agents, ["ann"]);
}

/// A file may say of one in `agent` what it says of several in `agents`: the form shows who does it, and changes that.
#[test]
fn the_form_shows_one_agent_as_it_shows_several() {
    let path = "PIPE-20260131-flow-093000.yaml";
    let document = Document::parse(path, PIPELINE);
    let form = document.form(Some(1)).expect("a form");
    let field = form.fields.iter().find(|field| field.label == "Who does it");
    let field = field.expect("who does it");
    assert_eq!(field.value, json!(["dev"]));
    let edit = Edit::Set {
        place: field.place.clone().field("1"),
        value: "qa".into(),
    };
    let edits = document.edit(&edit).expect("another one");
    assert_eq!(
        apply(PIPELINE, &edits),
        PIPELINE.replace("agent: dev", "agents: [dev, qa]")
    );
    let flow = "key: k\nsteps:\n  - {id: a, agent: w, role: r}\n  - {id: b, agents: [x], role: r}\n";
    let names = |step: usize| {
        let form = Document::parse("k.yaml", flow).form(Some(step)).expect("a form");
        let found = form.fields.into_iter().filter(|field| field.label == "Who does it");
        found.map(|field| (field.name, field.value)).collect::<Vec<_>>()
    };
    assert_eq!(names(0), [("agent".to_owned(), json!("w"))]);
    assert_eq!(names(1), [("agents".to_owned(), json!(["x"]))]);
}

/// Who is named above the steps of a runbook does a step whatever it holds: the form says so, and both ways are said before.
#[test]
fn who_is_named_in_a_runbook_goes_where_something_else_does_the_step() {
    let path = "r.runbook.md";
    let named = format!("---\nagents:\n  '1': ann\n---\n\n{RUNBOOK}");
    let document = Document::parse(path, &named);
    assert_eq!(chosen(&document, 0).map(|(now, _)| now).as_deref(), Some("work"));
    let says = |document: &Document, gesture: &Gesture| -> Vec<String> {
        let found = document.consequences(gesture).into_iter();
        found.map(|one| one.said).collect()
    };
    // Nothing else stands above the steps: all of it goes.
    let script = choice(0, "script");
    assert_eq!(says(&document, &script), ["“Who does it” of “Build” goes: “ann”"]);
    let edits = document.gesture(&script).expect("a command");
    assert_eq!(apply(&named, &edits), RUNBOOK);
    // Something else stays, and no empty block does.
    let titled = named.replace("---\nagents", "---\nname: ship\nagents");
    let other = Document::parse(path, &titled);
    let edits = other.gesture(&choice(0, "workflow")).expect("runbooks");
    let changed = apply(&titled, &edits);
    assert!(changed.starts_with("---\nname: ship\n---\n\n# Deploy\n"), "{changed}");
    let after = Document::parse(path, &changed);
    assert_eq!(chosen(&after, 0).map(|(now, _)| now).as_deref(), Some("workflow"));
    // A name that is filled in keeps the command, or the runbooks, from being run.
    let place = |id: &str| Place::document().field("agents").field(id);
    let set = |id: &str| -> Gesture {
        let place = place(id);
        Edit::Set {
            place,
            value: "ann".into(),
        }
        .into()
    };
    let plain = Document::parse(path, RUNBOOK);
    assert_eq!(
        says(&plain, &set("1")),
        ["“Build” is done by “ann”: its command is not run any more"]
    );
    assert_eq!(
        says(&plain, &set("3")),
        ["“Others” is done by “ann”: its runbooks are not run any more"]
    );
    assert_eq!(says(&plain, &set("2")), Vec::<String>::new());
    // Who does a step with substeps does them, too.
    assert_eq!(
        says(&plain, &set("4")),
        ["“Write” is done by “ann”: its command is not run any more"]
    );
    let gone: Gesture = Edit::Remove { place: place("1") }.into();
    assert_eq!(
        says(&document, &gone),
        ["nobody does “Build” any more: its command is run"]
    );
}
