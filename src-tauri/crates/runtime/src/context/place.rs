//! The document that a step names: a file inside the project that may be read.

use super::scan::{denied, quoted};
use crate::project;
use permission::Policy;
use std::path::{Component, Path};

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

/// Finds a document. `root` is canonical.
///
/// # Errors
/// Why it is refused: it leads out of the project, by its text or by a link, is Gatehouse's or Git's own, may not be read by the permissions, or
/// is no text.
pub(super) fn document(root: &Path, written: &str, policy: &Policy) -> Result<Document, String> {
    let path = inside(written)?;
    allowed(written, &path, policy)?;
    let file =
        project::inside(root, &path).map_err(|escape| format!("{escape}; documents inside it can be looked at"))?;
    let real = match file.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Document { path, text: None }),
        Err(error) => return Err(format!("`{written}` cannot be read: {error}")),
    };
    // A link inside the project may lead to what is kept from steps.
    let path = real.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned);
    let path = path.ok_or_else(|| format!("`{written}` leads out of the project"))?;
    allowed(written, &path, policy)?;
    let is_file = real.metadata().is_ok_and(|meta| meta.is_file());
    if !is_file {
        return Err(format!("`{written}` is no file"));
    }
    if real.metadata().is_ok_and(|meta| meta.len() > LARGEST) {
        return Err(format!("`{written}` is larger than {LARGEST} bytes"));
    }
    match std::fs::read(&real).map(String::from_utf8) {
        Ok(Ok(text)) => Ok(Document { path, text: Some(text) }),
        Ok(Err(_)) => Err(format!("`{written}` is no text (UTF-8)")),
        Err(error) => Err(format!("`{written}` cannot be read: {error}")),
    }
}

/// A path from the project's folder, with `/`, by its text alone.
fn inside(written: &str) -> Result<String, String> {
    let unusable = written.contains(['\\', '\0']) || written.trim().is_empty();
    if unusable {
        return Err(format!(
            "`{}` is no path: parts are separated by `/`",
            written.escape_debug()
        ));
    }
    let mut parts = Vec::new();
    for part in Path::new(written).components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::CurDir => {}
            _ => {
                return Err(format!(
                    "`{written}` leads out of the project; give a path from the project's folder, without `..`"
                ));
            }
        }
    }
    Ok(parts.join("/"))
}

fn allowed(written: &str, path: &str, policy: &Policy) -> Result<(), String> {
    let own = |part: &str| {
        let plain = part.trim_end_matches(['.', ' ']).to_lowercase();
        plain == ".git" || plain == ".gatehouse"
    };
    if path.split('/').any(own) {
        return Err(format!(
            "`{written}` belongs to Gatehouse or Git and is kept from steps"
        ));
    }
    match denied(policy, std::iter::once(path)).remove(&quoted(path)) {
        Some(by) => Err(format!(
            "`{written}` is not permitted ({by}); the rules stand under `permissions` in gatehouse.yaml"
        )),
        None => Ok(()),
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
