//! `tests/dialects/`: valid files break nothing; invalid ones break exactly what their first line says.
#![expect(
    clippy::disallowed_methods,
    reason = "tests read their fixtures and say what they skip"
)]

use dialect::{Document, detect};
use model::Severity;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn files(format: &str, part: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../tests/dialects")
        .join(format)
        .join(part);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the fixtures are part of the project")
        .map(|entry| entry.expect("entry").path())
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("utf-8");
            (path, text)
        })
        .collect();
    files.sort();
    assert!(files.len() >= 5, "{part}");
    files
}

/// What a file says it breaks, `GH0104@5`: in a comment on its first line, or on its second where front matter begins
/// on the first.
fn expected(text: &str) -> Option<Vec<String>> {
    let said = text.lines().take(2).find_map(|line| line.split_once(" expect: "))?.1;
    let mut expected: Vec<String> = said
        .trim_end_matches("-->")
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    expected.sort_unstable();
    Some(expected)
}

fn found(document: &Document) -> Vec<String> {
    let mut found: Vec<String> = document
        .diagnostics()
        .iter()
        .map(|d| {
            let line = document
                .span(&d.place)
                .map_or(1, |span| document.position(span.start).line);
            format!("{}@{line}", d.code)
        })
        .collect();
    found.sort_unstable();
    found
}

fn valid_files_break_nothing(folder: &str, format: model::Format) {
    for (path, text) in files(folder, "valid") {
        let name = path.display().to_string();
        let document = Document::parse(&name, &text);
        assert_eq!(document.text(), text);
        let said = expected(&text).unwrap_or_default();
        assert_eq!(found(&document), said, "{name}: {:#?}", document.diagnostics());
        let worst = document.diagnostics().iter().map(|d| d.severity).max();
        assert!(worst <= Some(Severity::Note), "{name}: a valid file has notes at most");
        assert_eq!(detect(&name, &text), Some(format), "{name}");
    }
}

fn invalid_files_break_exactly_what_they_say(folder: &str) -> BTreeSet<String> {
    let mut wrong = Vec::new();
    let mut codes = BTreeSet::new();
    for (path, text) in files(folder, "invalid") {
        let name = path.file_name().expect("name").to_string_lossy().into_owned();
        let expected = expected(&text).expect("the first line says it");
        let document = Document::parse(&name, &text);
        assert_eq!(document.text(), text);
        let found = found(&document);
        if found != expected {
            let said: Vec<&str> = document.diagnostics().iter().map(|d| d.message.as_str()).collect();
            wrong.push(format!("{name}\n  says  {expected:?}\n  found {found:?}\n  {said:#?}"));
        }
        for diagnostic in document.diagnostics() {
            let pages = model::rules::PAGES.iter().chain(dialect::PAGES);
            assert!(
                pages.into_iter().any(|page| page.code == diagnostic.code),
                "{} has a page",
                diagnostic.code
            );
            codes.insert(diagnostic.code.clone());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    codes
}

#[test]
fn valid_flows() {
    valid_files_break_nothing("stepwise", model::Format::Stepwise);
}

#[test]
fn invalid_flows() {
    invalid_files_break_exactly_what_they_say("stepwise");
}

#[test]
fn valid_runbooks() {
    valid_files_break_nothing("rundown", model::Format::Rundown);
}

#[test]
fn invalid_runbooks() {
    let codes = invalid_files_break_exactly_what_they_say("rundown");
    // Every rule of runbooks is broken somewhere; the one that notes the other order stands in a valid file.
    let all = dialect::PAGES.iter().map(|page| page.code);
    let untried: Vec<&str> = all
        .filter(|code| code.starts_with("GH02") && *code != "GH0221" && !codes.contains(*code))
        .collect();
    assert!(untried.is_empty(), "{untried:?}");
}

#[test]
fn valid_pipelines() {
    valid_files_break_nothing("pipeline", model::Format::Pipeline);
}

#[test]
fn invalid_pipelines() {
    let codes = invalid_files_break_exactly_what_they_say("pipeline");
    // Every rule of pipelines is broken somewhere; the notes stand in valid files.
    let all = dialect::PAGES.iter().map(|page| page.code);
    let untried: Vec<&str> = all
        .filter(|code| code.starts_with("GH03") && !["GH0311", "GH0313"].contains(code) && !codes.contains(*code))
        .collect();
    assert!(untried.is_empty(), "{untried:?}");
}

#[test]
fn valid_step_specs() {
    valid_files_break_nothing("stepspec", model::Format::StepSpec);
}

#[test]
fn invalid_step_specs() {
    let codes = invalid_files_break_exactly_what_they_say("stepspec");
    // Every rule of StepSpec is broken somewhere; the notes stand in valid files, and which tools and templates there are, and what tools take, is known outside of them.
    let all = dialect::PAGES.iter().map(|page| page.code);
    let untried: Vec<&str> = all
        .filter(|code| {
            code.starts_with("GH04")
                && !["GH0412", "GH0417", "GH0423", "GH0424", "GH0425"].contains(code)
                && !codes.contains(*code)
        })
        .collect();
    assert!(untried.is_empty(), "{untried:?}");
}

#[test]
fn valid_agent_workflows() {
    valid_files_break_nothing("agent-workflow", model::Format::AgentWorkflow);
}

#[test]
fn invalid_agent_workflows() {
    let codes = invalid_files_break_exactly_what_they_say("agent-workflow");
    // A file without any step is none; what a project wants stands outside of the file.
    let all = dialect::PAGES.iter().map(|page| page.code);
    let own = all.filter(|code| (code.starts_with("GH07") && *code != "GH0701") || ["GH0602", "GH0604"].contains(code));
    let untried: Vec<&str> = own.filter(|code| !codes.contains(*code)).collect();
    assert!(untried.is_empty(), "{untried:?}");
}

/// Files of other programs, in their real shapes: what each is taken for, and what it lacks of the format that it comes nearest to.
const NOTHING: [(&str, Option<&str>, model::Format, &str); 23] = {
    use model::Format::{ContextState, Pipeline, Rundown, StepSpec, Stepwise};
    const BUILD: Option<&str> = Some("a build file");
    const SIGNS: &str = "no step has one of `agents`";
    const NO_IDS: &str = "no step has an `id` and one of `agents`";
    [
        ("README.md", None, Rundown, "neither a numbered step"),
        ("agents-by-number.yaml", None, Stepwise, NO_IDS),
        ("azure-pipelines.yml", BUILD, Stepwise, NO_IDS),
        ("azure-stages.yml", None, Pipeline, "its stages have no `name`"),
        ("buildkite.yml", BUILD, Stepwise, SIGNS),
        ("cloud-build.yaml", BUILD, Stepwise, SIGNS),
        ("compose.yaml", Some("a Compose file"), Stepwise, "no list `steps`"),
        ("composite-action.yml", None, Stepwise, "no list `steps`"),
        ("drawing.json", None, Stepwise, "`from` where `to` where"),
        ("github-actions.yml", BUILD, Stepwise, "no list `steps`"),
        ("gitlab-ci.yml", BUILD, Pipeline, "its stages have no `name`"),
        ("half-a-step.json", None, StepSpec, "it lacks `templates`, `validation`"),
        (
            "kubernetes.yaml",
            Some("a Kubernetes object"),
            Stepwise,
            "no list `steps`",
        ),
        ("list.yaml", None, Stepwise, "outermost level is not a list of fields"),
        ("openapi.json", Some("an API description"), Stepwise, "no list `steps`"),
        ("package.json", Some("a package manifest"), Stepwise, "no list `steps`"),
        ("recipe.yaml", None, Stepwise, NO_IDS),
        (
            "registry.yaml",
            Some("a register of flows"),
            Stepwise,
            "no list `steps`",
        ),
        (
            "scripted.scenario.yaml",
            Some("a scenario"),
            Stepwise,
            "`steps` are not a list",
        ),
        ("session.json", Some("a session"), ContextState, "the state of a run"),
        ("station.yaml", Some("a station"), Stepwise, "no list `steps`"),
        ("step.schema.json", Some("a JSON schema"), Stepwise, "no list `steps`"),
        ("woodpecker.yaml", BUILD, Stepwise, NO_IDS),
    ]
};

#[test]
fn files_of_other_programs_are_no_workflows_and_say_why_in_one_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/dialects/nothing");
    let mut there: Vec<String> = std::fs::read_dir(&folder)
        .expect("the fixtures are part of the project")
        .map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned())
        .collect();
    there.sort();
    assert_eq!(there, NOTHING.map(|(name, ..)| name));
    for (name, looks_like, nearest, lacks) in NOTHING {
        let text = std::fs::read_to_string(folder.join(name)).expect("utf-8");
        assert_eq!(detect(name, &text), None, "{name}");
        let document = Document::parse(name, &text);
        let not = document.not_a_workflow().expect(name);
        assert_eq!((not.looks_like, not.nearest), (looks_like, nearest), "{name}: {not}");
        assert_eq!(dialect::recognise(name, &text).as_ref(), Err(not), "{name}");
        let [only] = document.diagnostics() else {
            panic!("{name}: {:#?}", document.diagnostics());
        };
        assert_eq!(
            (only.code.as_str(), only.severity),
            ("GH0105", Severity::Error),
            "{name}"
        );
        assert!(only.message.contains(lacks), "{name}: {}", only.message);
        assert!(!only.message.contains('\n'), "{name}");
    }
}
