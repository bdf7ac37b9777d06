//! `gatehouse test`.

use crate::arguments::Test;
use crate::out::{Exit, Failure};
use crate::{out, project};
use serde::Serialize;
use std::path::Path;
use studio::scenario;
use studio::scenario::trial::Tested;
use studio::scenario::view::{EdgeRef, TestView, TestsView};
use studio::workflow;
use studio::workflow::view::ProblemView;

/// So many steps of a path, or names of what was not seen, stand on a line.
const ON_A_LINE: usize = 30;

/// What `--json` prints for each file. Stable.
#[derive(Serialize)]
struct Line<'a> {
    path: String,
    tests: Option<&'a TestsView>,
    errors: &'a [ProblemView],
    unreadable: Option<&'a str>,
}

/// Tries the scenarios of files; folders are looked through for workflows. Nothing is started, written or recorded.
pub fn test(at: Option<&Path>, arguments: &Test) -> Result<Exit, Failure> {
    let named = project::enter(at, &arguments.files)?;
    let (mut passed, mut failed, mut open, mut invalid, mut workflows) = (0, 0, 0, 0, 0);
    let workflow::check::Meant { files, missed } = workflow::check::files(&named);
    let read = files.into_iter().filter_map(|(file, named)| {
        let tested = scenario::trial::test(&file, named)?;
        Some((file, tested))
    });
    // What cannot be looked at is said as `check` says it.
    let missed = missed.into_iter().map(|(path, checked)| {
        let tested = Tested {
            unreadable: checked.unreadable,
            may_be_none: checked.may_be_none,
            ..Tested::default()
        };
        (path, tested)
    });
    for (file, tested) in read.chain(missed) {
        workflows += usize::from(!tested.may_be_none);
        match &tested.tests {
            Some(tests) => {
                passed += tests.passed;
                failed += tests.failed;
                open += tests.tests.iter().filter(|test| test.passed && !test.expects).count();
            }
            None => invalid += usize::from(!tested.may_be_none),
        }
        if arguments.json {
            out::json(&Line {
                path: file.display().to_string(),
                tests: tested.tests.as_ref(),
                errors: &tested.errors,
                unreadable: tested.unreadable.as_deref(),
            });
        } else {
            print(&file.display().to_string(), &tested, arguments.suggest);
        }
    }
    if !arguments.json && workflows != 1 {
        let open = match open {
            0 => String::new(),
            1 => "1 expects nothing, ".to_owned(),
            n => format!("{n} expect nothing, "),
        };
        out::line(format!(
            "{workflows} workflows tested: {passed} {} passed, {failed} failed, {open}{invalid} {} invalid",
            if passed == 1 { "scenario" } else { "scenarios" },
            if invalid == 1 { "workflow" } else { "workflows" }
        ));
    }
    Ok(match (invalid, failed) {
        (0, 0) => Exit::Done,
        (0, _) => Exit::Failed,
        _ => Exit::Invalid,
    })
}

fn print(shown: &str, tested: &Tested, suggest: bool) {
    if let Some(why) = &tested.unreadable {
        out::unread(shown, why, tested.may_be_none);
    }
    for p in &tested.errors {
        out::line(format!(
            "{shown}:{}:{}: error: {} [{}]",
            p.line, p.column, p.message, p.code
        ));
    }
    let Some(tests) = &tested.tests else { return };
    out::line(format!("{shown}: {}", tests.title));
    for test in &tests.tests {
        print_test(test);
    }
    out::line(format!(
        "  steps {}/{} · edges {}/{}",
        tests.steps.seen, tests.steps.of, tests.edges.seen, tests.edges.of
    ));
    if !tests.unseen_steps.is_empty() {
        let names: Vec<String> = tests.unseen_steps.iter().map(|step| step.id.clone()).collect();
        out::line(format!("  steps not seen: {}", listed(&names)));
    }
    if !tests.unseen_edges.is_empty() {
        let names: Vec<String> = tests.unseen_edges.iter().map(edge).collect();
        out::line(format!("  edges not seen: {}", listed(&names)));
    }
    out::line(format!("  {}", tests.words));
    if let (true, Some(next)) = (suggest, &tests.next) {
        out::line(format!("  {} Below `scenarios:` in the front matter:", next.words));
        for line in next.yaml.lines() {
            out::line(line);
        }
    }
}

fn print_test(test: &TestView) {
    let mark = match (test.passed, test.expects) {
        (false, _) => '✗',
        (true, true) => '✓',
        // Nothing was checked.
        (true, false) => '–',
    };
    let mut path: Vec<&str> = test.path.iter().take(ON_A_LINE).map(|step| step.id.as_str()).collect();
    if test.path_length as usize > path.len() {
        path.push("…");
    }
    out::line(format!("  {mark} {}  {}  {}", test.name, test.result, path.join(" → ")).trim_end());
    if !(test.passed && test.expects) {
        out::line(format!("      {}", test.words));
    }
    for note in &test.notes {
        out::line(format!("      note: {note}"));
    }
}

/// The first of them, and how many more.
fn listed(names: &[String]) -> String {
    let mut said = names[..names.len().min(ON_A_LINE)].join(", ");
    if names.len() > ON_A_LINE {
        said.push_str(&format!(" and {} more", names.len() - ON_A_LINE));
    }
    said
}

/// `2 → Rollback (FAIL)`.
fn edge(edge: &EdgeRef) -> String {
    let label = edge
        .label
        .as_deref()
        .map(|label| format!(" ({label})"))
        .unwrap_or_default();
    let lost = if edge.unreachable { ", which nothing takes" } else { "" };
    format!("{} → {}{label}{lost}", edge.from.id, edge.to.id)
}
