//! The document that a step names: a file inside the project that may be read.

use permission::Policy;
use std::path::Path;
use tool::files::{Refusal, Text, text_of};

/// The largest document, in bytes.
const LARGEST: u64 = 2 * 1024 * 1024;

/// A document of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    /// Where it really is, from the project's folder, with `/`.
    pub(super) path: String,
    /// What stands in it; `None` when there is no such file.
    pub(super) text: Option<String>,
}

/// Finds a document, as a tool would. `root` is canonical.
///
/// # Errors
/// Why it is refused: it leads out of the project, by its text or by a link, is Gatehouse's or Git's own, may not be read by the permissions, or
/// is no text.
pub(super) fn document(root: &Path, written: &str, policy: &Policy) -> Result<Document, String> {
    let context = tool::Context::new(root, policy.clone(), "");
    match text_of(&context, written, LARGEST) {
        Ok(Text { path, text, .. }) => Ok(Document { path, text: Some(text) }),
        Err(Refusal::Missing(path)) => Ok(Document { path, text: None }),
        Err(Refusal::NoPath) => Err(format!("`{written}` is no path: one inside the project is needed")),
        Err(Refusal::Reserved(path)) => Err(format!("`{path}` belongs to Gatehouse or Git and is kept from steps")),
        Err(Refusal::Folder(path) | Refusal::Special(path)) => Err(format!("`{path}` is no file")),
        Err(refusal) => Err(refusal.to_string()),
    }
}

/// The name at a place of a text: the letters, digits and underscores around it. `character`: in UTF-16 units, as language servers count.
pub(super) fn name_at(text: &str, line: u32, character: u32) -> Option<&str> {
    let line = text.lines().nth(usize::try_from(line).ok()?)?;
    let mut units = 0;
    let wanted = usize::try_from(character).ok()?;
    let at = line.char_indices().find_map(|(at, c)| {
        units += c.len_utf16();
        (units > wanted).then_some(at)
    });
    let at = at.unwrap_or(line.len());
    let belongs = |c: char| c.is_alphanumeric() || c == '_';
    let start = line[..at]
        .char_indices()
        .rev()
        .take_while(|(_, c)| belongs(*c))
        .last()
        .map_or(at, |(start, _)| start);
    let end = line[at..].find(|c| !belongs(c)).map_or(line.len(), |end| at + end);
    Some(&line[start..end]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_at_a_place() {
        let text = "x = 1\nreader.read_all(𝒳é)\n";
        assert_eq!(name_at(text, 1, 0), Some("reader"));
        assert_eq!(name_at(text, 1, 6), Some("reader"), "right behind it");
        assert_eq!(name_at(text, 1, 9), Some("read_all"));
        assert_eq!(name_at(text, 1, 18), Some("𝒳é"));
        assert_eq!(name_at(text, 0, 3), None);
        assert_eq!(name_at(text, 9, 0), None);
    }

    #[test]
    fn what_leads_out_or_is_kept_away_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("another");
        let root = folder.path().canonicalize().expect("it exists");
        for (path, text) in [("a.py", "x"), (".env", "KEY=1"), ("notes/b.md", "b"), ("src/c.md", "c")] {
            std::fs::create_dir_all(root.join(path).parent().expect("a folder")).expect("made");
            std::fs::write(root.join(path), text).expect("written");
        }
        std::fs::create_dir_all(root.join(".git")).expect("made");
        std::fs::write(root.join(".git/config"), "x").expect("written");
        std::fs::write(root.join("raw.py"), [0xff, 0xfe]).expect("written");
        std::os::unix::fs::symlink(outside.path(), root.join("out")).expect("a link");
        std::os::unix::fs::symlink(root.join(".git/config"), root.join("harmless.md")).expect("a link");
        std::os::unix::fs::symlink(root.join(".env"), root.join("plain.md")).expect("a link");
        std::os::unix::fs::symlink(root.join("a.py"), root.join("same.py")).expect("a link");
        let mut policy = Policy::default();
        policy.read.deny.push("notes/**".to_owned());
        let found = |path: &str| document(&root, path, &policy);
        let text = |path: &str, text: Option<&str>| {
            Ok(Document {
                path: path.to_owned(),
                text: text.map(str::to_owned),
            })
        };
        assert_eq!(found("./a.py"), text("a.py", Some("x")));
        assert_eq!(found("same.py"), text("a.py", Some("x")));
        assert_eq!(found("new.py"), text("new.py", None));
        for (path, says) in [
            ("../a.py", "leads out"),
            ("/etc/passwd", "leads out"),
            ("a\\b.py", "is no path"),
            ("", "is no path"),
            ("out/x.py", "leads out of the project by a symbolic link"),
            (".git/config", "kept from steps"),
            (".GatehousE/history.db", "kept from steps"),
            ("x/.git./y", "kept from steps"),
            ("harmless.md", "kept from steps"),
            (".env", "not permitted"),
            ("plain.md", "not permitted"),
            ("notes/b.md", "deny rule `notes/**`"),
            ("src", "is no file"),
            ("raw.py", "no text"),
        ] {
            let said = found(path).expect_err(path);
            assert!(said.contains(says), "{path}: {said}");
        }
    }
}
