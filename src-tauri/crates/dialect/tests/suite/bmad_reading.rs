//! BMAD workflow files: what is read from one and its instructions, and what is refused.

use crate::growth::{grows_evenly_from, numbered};
use dialect::bmad::{instructions_of, own, together};
use dialect::{Document, StepField, apply, detect, recognise};
use model::{Edit, Format, GateAt, GateRequirement, Place, QuestionKind, Severity};
use serde_json::json;

const PATH: &str = "plans/week/workflow.yaml";
const FILE: &str = "\
name: weekly-plan
description: Plans a week
config_source: \"{project-root}/config.yaml\"
user_name: \"{config_source}:user_name\"
output_folder: \"{config_source}:output_folder\"
date: system-generated
tone: plain
installed_path: \"{project-root}/plans/week\"
instructions: \"{installed_path}/instructions.md\"
template: \"{installed_path}/template.md\"
default_output_file: \"{output_folder}/week-{{date}}.md\"
agent: planner
";
const INSTRUCTIONS: &str = "\
# Weekly plan

<critical>Be brief, {user_name}</critical>

<workflow>
<step n=\"1\" goal=\"Look at the week\">
<ask>What must &lt;not&gt; be forgotten?</ask>
<action>Read the calendar in a {tone} tone</action>
<template-output>week</template-output>
</step>

<step n=\"2\" goal=\"Write the plan\">
<action>Write it, a < b</action>
<template-output file=\"{output_folder}/plan.md\">plan</template-output>
</step>

<step n=\"3\" goal=\"Show it\" optional=\"true\">
<template-output>summary</template-output>
<ask>Is it right?</ask>
</step>

<step n=\"4\">
Tidy up.
</step>
</workflow>
";

fn whole(file: &str, instructions: &str) -> Document {
    let text = together(file, "plans/week/instructions.md", instructions).expect("one text");
    let document = Document::parse(PATH, &text);
    assert_eq!(document.text(), text);
    document
}

/// Code, severity, file and place there of everything that is said.
fn said(document: &Document) -> Vec<(String, Severity, String)> {
    let shown = |one: &model::Diagnostic| {
        let start = document.span(&one.place).map_or(0, |span| span.start);
        let (file, at) = document.elsewhere(start).unwrap_or(("", document.position(start)));
        let words = format!("{file}:{}:{} {}", at.line, at.column, one.message);
        (one.code.clone(), one.severity, words)
    };
    document.diagnostics().iter().map(shown).collect()
}

fn errors(document: &Document) -> Vec<String> {
    let errors = said(document)
        .into_iter()
        .filter(|(_, severity, _)| *severity == Severity::Error);
    errors.map(|(code, _, words)| format!("{code} {words}")).collect()
}

#[test]
fn each_step_is_a_stepspec_step() {
    let document = whole(FILE, INSTRUCTIONS);
    assert_eq!(detect(PATH, document.text()), Some(Format::StepSpec));
    assert_eq!(errors(&document), [] as [String; 0]);
    let workflow = document.workflow();
    assert_eq!(
        (
            workflow.id.as_str(),
            workflow.title.as_str(),
            workflow.description.as_deref()
        ),
        ("weekly-plan", "Weekly plan", Some("Plans a week"))
    );
    let steps = workflow.steps();
    let named: Vec<(&str, &str, &str)> = steps
        .iter()
        .map(|step| (step.id.as_str(), step.number.as_str(), step.name.as_str()))
        .collect();
    assert_eq!(
        named,
        [
            ("step-1", "1", "Look at the week"),
            ("step-2", "2", "Write the plan"),
            ("step-3", "3", "Show it"),
            ("step-4", "4", "Step 4"),
        ]
    );
    assert_eq!(steps[0].intent.as_deref(), Some("Look at the week"));
    assert!(
        steps
            .iter()
            .all(|step| step.agents.len() == 1 && step.agents[0].as_str() == "planner")
    );
    // What is to be done stands in the brief as it is written, with what is told to every step.
    let told = steps[0].parameters["instructions"].as_str().expect("a text");
    assert!(
        told.starts_with("<ask>What must &lt;not&gt;") && told.ends_with("</template-output>"),
        "{told}"
    );
    assert_eq!(
        steps[3].parameters["for_every_step"],
        json!("# Weekly plan\n\n<critical>Be brief, {user_name}</critical>")
    );
    // Of the names in it those that the workflow file says itself.
    assert_eq!(steps[0].parameters["variables"], json!({"tone": "plain"}));
    assert!(!steps[3].parameters.contains_key("variables"));
    // Outputs with their template; what an optional step makes may be missing.
    let outputs: Vec<&[String]> = steps.iter().map(|step| step.outputs.as_slice()).collect();
    assert_eq!(outputs[0], ["{output_folder}/week-{{date}}.md"]);
    assert_eq!(outputs[1], ["{output_folder}/plan.md"]);
    assert_eq!(outputs[2], ["{output_folder}/week-{{date}}.md (optional)"]);
    assert!(outputs[3].is_empty());
    assert_eq!(steps[0].templates, ["template:plans/week/template.md"]);
    assert!(steps[1].templates.is_empty());
    assert!(steps[2].parameters.contains_key("optional"));
    // What a path needs and nothing says is asked before the run.
    let [question] = workflow.questions.as_slice() else {
        panic!("{:?}", workflow.questions)
    };
    assert_eq!(
        (question.name.as_str(), question.kind, question.required),
        ("date", QuestionKind::Date, true)
    );
}

#[test]
fn what_a_step_asks_is_its_gate() {
    let document = whole(FILE, INSTRUCTIONS);
    let gates = document.workflow().steps().iter();
    let gates: Vec<_> = gates
        .map(|step| step.gate.clone().expect("a gate"))
        .map(|gate| (gate.requirement, gate.at, gate.question.unwrap_or_default()))
        .collect();
    assert_eq!(
        gates,
        [
            (
                GateRequirement::Required,
                GateAt::Before,
                "What must <not> be forgotten?".to_owned()
            ),
            (GateRequirement::Recommended, GateAt::After, String::new()),
            (GateRequirement::Required, GateAt::After, "Is it right?".to_owned()),
            (GateRequirement::Optional, GateAt::Before, String::new()),
        ]
    );
    let both = "<step n=\"1\"><ask>a</ask><template-output>x</template-output><ask>b</ask></step>";
    let document = whole(FILE, both);
    let gate = document.workflow().steps()[0].gate.clone().expect("a gate");
    assert_eq!((gate.at, gate.question.as_deref()), (GateAt::Before, Some("a\n\nb")));
    let named = said(&document);
    assert!(
        named.iter().any(|(code, severity, words)| {
            code == "GH0502"
                && *severity == Severity::Warning
                && words.contains("instructions.md:1:61 This is asked with the first")
        }),
        "{named:?}"
    );
}

#[test]
fn a_file_is_one_by_what_it_holds() {
    for (file, is_one) in [
        (FILE, true),
        ("name: a\ninstructions: steps.XML\nstandalone: true\n", true),
        ("name: a\ninstructions: steps.md\n", false),
        ("instructions: steps.md\nstandalone: true\n", false),
        ("name: a\ninstructions: Do it well\ntemplate: x\n", false),
        ("name: a\ninstructions: [a.md]\ntemplate: x\n", false),
        ("name: a\ninstructions: a.md\ntemplate: x\njobs: {}\n", false),
        ("name: a\ninstructions: a.md\ntemplate: x\nsteps: []\n", false),
    ] {
        let known = recognise(PATH, file).is_ok_and(|format| format == Format::StepSpec);
        assert_eq!((known, detect(PATH, file).is_some()), (is_one, is_one), "{file}");
    }
    let near = "name: a\ninstalled_path: x\nconfig_source: y\n";
    let said = recognise(PATH, near).expect_err("it names none").to_string();
    assert!(said.contains("it names no `instructions`"), "{said}");
    // The name of the file says nothing; in JSON nothing can stand behind it.
    let json = "{\"name\": \"a\", \"standalone\": true, \"instructions\": \"a.md\"}";
    assert_eq!(
        (detect("workflow.json", json), instructions_of("workflow.json", json)),
        (None, None)
    );
    assert_eq!(detect("x/anything.yml", FILE), Some(Format::StepSpec));
    assert_eq!(
        detect("workflow.yaml", "name: ci\non: push\njobs: {a: {steps: [{run: x}]}}\n"),
        None
    );
}

#[test]
fn the_places_of_the_instructions_stay_where_they_are_named() {
    let places = |path: &str, named: &str| {
        let file =
            format!("name: a\nstandalone: true\nx: y.md\ninstalled_path: elsewhere\ninstructions: \"{named}\"\n");
        instructions_of(path, &file).expect("one")
    };
    for (path, named, expected) in [
        (PATH, "{installed_path}/i.md", &["plans/week/i.md"][..]),
        (PATH, "{project-root}/x/i.md", &["x/i.md"]),
        (PATH, "i.md", &["plans/week/i.md", "i.md"]),
        ("w.yaml", "{installed_path}/i.md", &["i.md"]),
        ("w.yaml", "i.xml", &["i.xml"]),
        (PATH, "{installed_path}/../i.md", &["plans/week/../i.md"]),
        (PATH, "/etc/i.md", &["plans/week//etc/i.md", "/etc/i.md"]),
    ] {
        assert_eq!(places(path, named), expected, "{named}");
    }
    assert_eq!(instructions_of(PATH, "name: a\nsteps: []\ninstructions: i.md\n"), None);
    assert_eq!(instructions_of(PATH, whole(FILE, INSTRUCTIONS).text()), None);
}

#[test]
fn without_its_instructions_it_does_not_start() {
    let document = Document::parse(PATH, FILE);
    let [error] = errors(&document)
        .try_into()
        .unwrap_or_else(|all: Vec<String>| panic!("{all:?}"));
    assert!(
        error.starts_with("GH0420 :9:1 The instructions `{installed_path}/instructions.md` were not read"),
        "{error}"
    );
    let [error] = errors(&document.lacking("it is a pipe")).try_into().expect("one");
    assert!(error.ends_with(": it is a pipe"), "{error}");
    let [error] = errors(&whole(FILE, "Nothing.\n")).try_into().expect("one");
    assert!(error.starts_with("GH0401"), "{error}");
}

/// What no run carries out keeps the workflow from starting, with file, line and column; what has no effect is named.
#[test]
fn what_is_not_carried_out_is_refused_where_it_stands() {
    let step = |inside: &str| {
        format!("# Plan\r\n<workflow>\r\n<step n=\"1\" goal=\"é\">\r\n{inside}\r\n</step>\r\n</workflow>\r\n")
    };
    for (inside, expected) in [
        (
            "é <goto step=\"1\"/>",
            "GH0501 plans/week/instructions.md:4:3 `<goto>` is not carried out",
        ),
        (
            "<check if=\"x\"><action>y</action></check>",
            "GH0501 plans/week/instructions.md:4:1 `<check>`",
        ),
        (
            "<invoke-workflow path=\"x\"/>",
            "GH0501 plans/week/instructions.md:4:1 `<invoke-workflow>`",
        ),
        (
            "<action if=\"x\">y</action>",
            "GH0501 plans/week/instructions.md:4:1 `if` of `<action>`",
        ),
        (
            "<action if=\"false\">y</action>",
            "GH0501 plans/week/instructions.md:4:1 `if` of `<action>`",
        ),
        ("<repeat>", "GH0501 plans/week/instructions.md:4:1 `<repeat>`"),
        (
            "<require-approval/>",
            "GH0501 plans/week/instructions.md:4:1 `<require-approval>`",
        ),
        (
            "<action enabled=\"false\">y</action>",
            "GH0501 plans/week/instructions.md:4:1 `enabled` of `<action>`",
        ),
        (
            "x <ask>y",
            "GH0421 plans/week/instructions.md:4:3 `<ask>` is opened here and not closed",
        ),
    ] {
        for mark in ["", "\u{feff}"] {
            let document = whole(FILE, &format!("{mark}{}", step(inside)));
            let [error] = errors(&document)
                .try_into()
                .unwrap_or_else(|all: Vec<String>| panic!("{all:?}"));
            assert!(error.starts_with(expected), "{error}");
            let place = &document
                .diagnostics()
                .iter()
                .find(|one| one.severity == Severity::Error)
                .expect("one")
                .place;
            assert_eq!(place.step, Some(0));
        }
    }
    let document = whole(
        &format!("{FILE}validation: \"{{installed_path}}/checklist.md\"\n"),
        INSTRUCTIONS,
    );
    let named: Vec<(String, Severity)> = said(&document)
        .into_iter()
        .map(|(code, severity, _)| (code, severity))
        .collect();
    let expected = [("GH0502", Severity::Note), ("GH0502", Severity::Warning)];
    assert_eq!(named, expected.map(|(code, severity)| (code.to_owned(), severity)));
    let nowhere = FILE.replace("default_output_file", "output_file");
    assert!(
        said(&whole(&nowhere, INSTRUCTIONS))
            .iter()
            .any(|(_, severity, words)| { *severity == Severity::Warning && words.contains("This names no file") })
    );
}

#[test]
fn paths_that_lead_out_are_errors() {
    for (output, code) in [
        ("{output_folder}/../../x.md", "GH0408"),
        ("{project-root}/x.md", "GH0405"),
        ("/etc/passwd", "GH0405"),
    ] {
        let file = FILE.replace("{output_folder}/week-{{date}}.md", output);
        let found = errors(&whole(&file, INSTRUCTIONS));
        assert!(
            found
                .iter()
                .any(|error| error.starts_with(code) && error.contains(":11:")),
            "{output}: {found:?}"
        );
        let instructions = INSTRUCTIONS.replace("{output_folder}/plan.md", output);
        let found = errors(&whole(FILE, &instructions));
        assert!(
            found
                .iter()
                .any(|error| error.starts_with(code) && error.contains("instructions.md:14:1")),
            "{output}: {found:?}"
        );
    }
    let file = FILE.replace("{installed_path}/template.md", "../template.md");
    assert!(
        errors(&whole(&file, INSTRUCTIONS))
            .iter()
            .any(|error| error.starts_with("GH0408"))
    );
}

/// HTML, code and tags in examples are text.
#[test]
fn what_only_looks_like_a_tag_is_told_as_it_stands() {
    let body = "<b onclick=\"x()\">a</b> <script>alert(1)</script> 1 < 2\n`<goto step=\"1\"/>`\n```\n<check if=\"x\">\n```\n<example><step n=\"9\"></example>";
    let document = whole(FILE, &format!("<step n=\"1\" goal=\"<b>&amp;\">\n{body}\n</step>"));
    assert_eq!(errors(&document), [] as [String; 0]);
    let [step] = document.workflow().steps() else {
        panic!("one step")
    };
    assert_eq!(
        (step.parameters["instructions"].as_str(), step.name.as_str()),
        (Some(body), "<b>&")
    );
    let named = said(&document);
    assert!(
        named
            .iter()
            .any(|(_, _, words)| words.ends_with("Not known here, and told as it stands: `<b>`, `<script>`")),
        "{named:?}"
    );
}

#[test]
fn the_workflow_file_s_own_fields_can_be_changed_and_the_steps_cannot() {
    let document = whole(FILE, INSTRUCTIONS);
    assert_eq!(document.field(0, StepField::Name), None);
    let edit = Edit::Set {
        place: Place::document().field("description"),
        value: "Plans my week".into(),
    };
    let after = apply(document.text(), &document.edit(&edit).expect("it can be changed"));
    assert_eq!(own(&after), FILE.replace("Plans a week", "Plans my week"));
    assert!(after.ends_with(INSTRUCTIONS));
    let edit = Edit::Set {
        place: Place::step(0).field("name"),
        value: "x".into(),
    };
    let refused = document.edit(&edit).expect_err("it stands elsewhere").to_string();
    assert!(refused.contains("its file of instructions"), "{refused}");
    let at = document.text().find("Read the calendar").expect("there");
    assert_eq!(document.place_at(at), Place::step(0));
    assert_eq!(document.place_at(8), Place::document().field("name"));
    assert_eq!(document.behind(), Some(("plans/week/instructions.md", INSTRUCTIONS)));
}

#[test]
fn a_text_that_has_its_instructions_takes_no_others() {
    let text = together(FILE, "a.md", INSTRUCTIONS).expect("one text");
    assert!(together(&text, "b.md", INSTRUCTIONS).is_err());
    assert!(together(FILE, "a\n.md", INSTRUCTIONS).is_err());
    // A file without a last line end, and instructions that look like another file's.
    let text = together(FILE.trim_end(), "a.md", "--- # instructions: b.md\n<step n=\"1\"/>").expect("one text");
    let document = Document::parse(PATH, &text);
    assert_eq!(
        (
            document.workflow().steps().len(),
            document.behind().map(|(file, _)| file)
        ),
        (1, Some("a.md"))
    );
}

/// However it is made, reading it takes time that grows with its length, and ends.
#[test]
fn hostile_instructions_cost_no_more_than_they_are_long() {
    type Piece = fn(usize) -> String;
    let pieces: [(&str, Piece); 15] = [
        ("outputs", |n| {
            format!("<template-output file=\"{{output_folder}}/{{x{n}}}\"/>")
        }),
        ("steps", |n| {
            format!("<step n=\"{n}\" goal=\"g\">a {{x{n}}} <ask>b</ask></step>\n")
        }),
        ("open steps", |n| format!("<step n=\"{n}\">")),
        ("open asks", |_| "<ask>".to_owned()),
        ("closing", |_| "</ask></step>".to_owned()),
        ("workflows", |_| "<workflow>".to_owned()),
        ("half tags", |_| "<step n=\"".to_owned()),
        ("half quotes", |_| "<a b='\" c=\"'".to_owned()),
        ("angles", |_| "<".to_owned()),
        ("backticks", |n| format!("{} ", "`".repeat(n % 50 + 1))),
        ("fences", |_| "```\n<step>\n".to_owned()),
        ("comments", |_| "<!--".to_owned()),
        ("examples", |_| "<example>".to_owned()),
        ("unknown", |n| format!("<t{n} a{n}>")),
        ("refused", |_| "<goto/>".to_owned()),
    ];
    for (name, piece) in pieces {
        for head in ["", "<step n=\"1\">"] {
            grows_evenly_from(
                4_000,
                name,
                |size| numbered(head, piece, size),
                |text| {
                    let document = whole(FILE, text);
                    assert!(document.diagnostics().len() < 5_000);
                },
            );
        }
    }
    let values: String = (0..20)
        .map(|n| format!("v{n}: \"{{v{}}}{{v{}}}{}\"\n", n + 1, n + 1, "x".repeat(3_000)))
        .collect();
    let names: String = (0..20).map(|n| format!("{{v{n}}}")).collect();
    let steps: String = (1..900)
        .map(|n| format!("<step n=\"{n}\">{names}<template-output file=\"{{v0}}\"/></step>"))
        .collect();
    let document = whole(&format!("{FILE}{values}"), &steps);
    assert!(errors(&document).iter().any(|error| error.starts_with("GH0113")));
    let many: String = (1..1_200).map(|n| format!("<step n=\"{n}\"/>")).collect();
    let document = whole(FILE, &many);
    assert_eq!(document.workflow().steps().len(), 1_000);
    assert!(errors(&document)[0].starts_with("GH0113"));
    let agents: String = (0..100).map(|n| format!("  - a{n}\n")).collect();
    let document = whole(
        &format!("{}agents:\n{agents}", FILE.replace("agent: planner\n", "")),
        &many,
    );
    assert_eq!(document.workflow().steps()[999].agents.len(), 32);
    let document = whole(&format!("{FILE}long: {}\n", "x".repeat(70_000)), INSTRUCTIONS);
    assert!(errors(&document)[0].starts_with("GH0113") && document.workflow().steps().is_empty());
    let document = whole(FILE, &format!("{}<step n=\"1\"/>", "x".repeat(20_000)));
    assert!(errors(&document)[0].starts_with("GH0113"));
}
