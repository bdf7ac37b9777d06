//! `tests/edits/*.md`: before, edit, after; byte for byte, there and back.
#![expect(
    clippy::disallowed_methods,
    reason = "tests read their fixtures and say what they skip"
)]

use dialect::{Document, apply, invert};
use model::Edit;
use std::path::Path;

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

fn fences(section: &str) -> Vec<Fence> {
    let mut out: Vec<Fence> = Vec::new();
    let mut open = false;
    for line in section.lines() {
        match line.strip_prefix("```") {
            Some(info) if !open => {
                out.push(Fence {
                    words: info.split_whitespace().map(str::to_owned).collect(),
                    content: String::new(),
                });
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let fence = out.last_mut().expect("a fence is open");
                fence.content.push_str(line);
                fence.content.push('\n');
            }
            None => {}
        }
    }
    out
}

#[test]
fn edits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/edits");
    let mut cases = 0;
    let mut failed = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("tests/edits")
        .map(|e| e.expect("entry").path())
        .collect();
    files.sort();
    for file in files.iter().filter(|f| !f.ends_with("README.md")) {
        let text = std::fs::read_to_string(file).expect("utf-8");
        for section in text.split("\n## ").skip(1) {
            let name = format!(
                "{}: {}",
                file.file_name().expect("name").display(),
                section.lines().next().unwrap_or("")
            );
            let fences = fences(section);
            let find = |word: &str| fences.iter().find(|f| f.is(word));
            let before = find("before").unwrap_or_else(|| panic!("{name}: no `before`"));
            let edit: Edit = serde_json::from_str(&find("edit").unwrap_or_else(|| panic!("{name}: no `edit`")).content)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let path = if before.is("json") { "flow.json" } else { "flow.yaml" };
            let source = before.text();
            let result = Document::parse(path, &source).edit(&edit);
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
                (None, Ok(edits)) => {
                    failed.push(format!("{name}: should be refused, gives\n{}", apply(&source, &edits)))
                }
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {cases} failed\n\n{}",
        failed.len(),
        failed.join("\n\n")
    );
    assert!(cases >= 30, "the cases are there: {cases}");
}
