//! `tests/dialects/stepwise`: valid flows break nothing; invalid ones break exactly what their first line says.
#![expect(
    clippy::disallowed_methods,
    reason = "tests read their fixtures and say what they skip"
)]

use dialect::{Document, detect};
use std::path::{Path, PathBuf};

fn files(part: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../tests/dialects/stepwise")
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

#[test]
fn valid_flows_break_nothing() {
    for (path, text) in files("valid") {
        let name = path.display().to_string();
        let document = Document::parse(&name, &text);
        assert_eq!(document.text(), text);
        assert!(
            document.diagnostics().is_empty(),
            "{name}: {:#?}",
            document.diagnostics()
        );
        assert_eq!(detect(&name, &text), Some(model::Format::Stepwise), "{name}");
    }
}

#[test]
fn invalid_flows_break_exactly_what_they_say() {
    let mut wrong = Vec::new();
    for (path, text) in files("invalid") {
        let name = path.file_name().expect("name").to_string_lossy().into_owned();
        let expect = text
            .lines()
            .next()
            .and_then(|l| l.strip_prefix("# expect: "))
            .expect("the first line says it");
        let mut expected: Vec<&str> = expect.split(' ').collect();
        let document = Document::parse(&name, &text);
        assert_eq!(document.text(), text);
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
        expected.sort_unstable();
        found.sort_unstable();
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
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
