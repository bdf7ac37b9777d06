//! `tests/edits/*.md`: before, edit, after; byte for byte, there and back.
#![expect(clippy::disallowed_methods, reason = "tests read their fixtures")]

use dialect::{Document, apply, invert};
use model::Gesture;
use std::path::{Path, PathBuf};

/// One fenced block: its info words and its content.
struct Fence {
    words: Vec<String>,
    content: String,
}

impl Fence {
    fn is(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
    }
    /// The content with what the info words ask for.
    fn text(&self) -> String {
        let mut text = self.content.clone();
        if self.is("cut") {
            text.pop();
        }
        if self.is("crlf") {
            text = text.replace('\n', "\r\n");
        }
        if self.is("bom") {
            text.insert(0, '\u{feff}');
        }
        text
    }
}

/// One case: its heading and its fenced blocks.
struct Section {
    name: String,
    fences: Vec<Fence>,
}

/// The cases of a file. A fence is closed by as many marks as opened it, so that one may hold shorter ones.
fn sections(text: &str) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    let mut open: Option<usize> = None;
    for line in text.lines() {
        let marks = line.len() - line.trim_start_matches('`').len();
        let Some(section) = out.last_mut().filter(|_| open.is_some() || !line.starts_with("## ")) else {
            if let Some(name) = line.strip_prefix("## ") {
                out.push(Section {
                    name: name.to_owned(),
                    fences: Vec::new(),
                });
            }
            continue;
        };
        match open {
            None if marks >= 3 => {
                let words = line[marks..].split_whitespace().map(str::to_owned).collect();
                section.fences.push(Fence {
                    words,
                    content: String::new(),
                });
                open = Some(marks);
            }
            None => {}
            Some(length) if marks == length && line.len() == marks => open = None,
            Some(_) => {
                let fence = section.fences.last_mut().expect("a fence is open");
                fence.content.push_str(line);
                fence.content.push('\n');
            }
        }
    }
    out
}

/// Reads, changes and undoes every case of a file. `count`: how many there are at least, so that none is lost unseen.
fn cases(file: &str, count: usize) {
    let text = std::fs::read_to_string(folder().join(file)).expect("utf-8");
    let mut cases = 0;
    let mut failed = Vec::new();
    for section in sections(&text) {
        let name = format!("{file}: {}", section.name);
        let fences = section.fences;
        let find = |word: &str| fences.iter().find(|f| f.is(word));
        let before = find("before").unwrap_or_else(|| panic!("{name}: no `before`"));
        let edit: Gesture = serde_json::from_str(&find("edit").unwrap_or_else(|| panic!("{name}: no `edit`")).content)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let names = [
            ("json", "flow.json"),
            ("runbook", "flow.runbook.md"),
            ("pipeline", "PIPE-20260131-flow-093000.yaml"),
        ];
        let named = names.iter().find(|(word, _)| before.is(word));
        let path = named.map_or("flow.yaml", |(_, path)| path);
        let source = before.text();
        let result = Document::parse(path, &source).gesture(&edit);
        cases += 1;
        match (find("after"), result) {
            (Some(after), Ok(edits)) => {
                let got = apply(&source, &edits);
                if got != after.text() {
                    failed.push(format!("{name}\n--- wanted\n{}\n--- got\n{got}", after.text()));
                }
                if apply(&got, &invert(&source, &edits)) != source {
                    failed.push(format!("{name}: undo does not give the text before"));
                }
            }
            (None, Err(error)) => {
                let wanted = find("error").unwrap_or_else(|| panic!("{name}: neither `after` nor `error`"));
                if error.to_string() != wanted.content.trim_end() {
                    failed.push(format!("{name}\n--- wanted\n{}--- got\n{error}", wanted.content));
                }
            }
            (Some(_), Err(error)) => failed.push(format!("{name}: refused: {error}")),
            (None, Ok(edits)) => failed.push(format!("{name}: should be refused, gives\n{}", apply(&source, &edits))),
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {cases} failed\n\n{}",
        failed.len(),
        failed.join("\n\n")
    );
    assert_eq!(
        cases, count,
        "{file}: the cases; a new one changes the number in `files!`"
    );
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/edits")
}

macro_rules! files {
    ($($name:ident: $count:literal,)*) => {
        /// The files, each a test of its own.
        const FILES: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            cases(concat!(stringify!($name), ".md"), $count);
        })*
    };
}

files! {
    fields: 19,
    gates: 22,
    gestures: 27,
    pipelines: 71,
    refused: 6,
    runbooks: 68,
    stepspec: 37,
}

#[test]
fn every_file_is_looked_at() {
    let entries = std::fs::read_dir(folder()).expect("tests/edits");
    let paths = entries.map(|entry| entry.expect("entry").path());
    let mut found: Vec<String> = paths
        .map(|path| path.file_stem().expect("a name").display().to_string())
        .collect();
    found.retain(|name| name != "README");
    found.sort();
    assert_eq!(found, FILES);
}
