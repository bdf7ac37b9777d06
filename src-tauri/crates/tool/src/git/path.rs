//! Paths as they are given and shown (from the project's folder) and as Git knows them (from the repository's).

use super::{Error, View};
use gix::bstr::{BStr, BString, ByteSlice};
use permission::{Kind, Need, Uses};

/// A path from the project's folder as parts, without `.` and `..`.
///
/// # Errors
/// It leads out of the project.
pub(super) fn inside(path: &str) -> Result<String, Error> {
    let outside = || Error::Outside(path.to_owned());
    let slashes = if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    };
    let drive = slashes.as_bytes().get(1) == Some(&b':') && slashes.as_bytes()[0].is_ascii_alphabetic();
    if slashes.starts_with('/') || drive || slashes.contains('\0') {
        return Err(outside());
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in slashes.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop().ok_or_else(outside)?),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// Why the permissions keep the contents of a path (from the project's folder), if they do.
pub(super) fn kept(view: &View<'_>, path: &BStr) -> Option<String> {
    let uses = Uses {
        needs: vec![Need::known(Kind::Read, &path.to_str_lossy())],
    };
    let verdict = view.policy.judge(&uses, &[]);
    verdict.denied.into_iter().next().map(|denied| denied.by)
}

/// A path to a file, checked: inside the project and not kept.
///
/// # Errors
/// It is outside, or the permissions keep it.
pub(super) fn permitted(view: &View<'_>, path: &str) -> Result<String, Error> {
    let inside = inside(path)?;
    match kept(view, inside.as_bytes().as_bstr()) {
        Some(by) => Err(Error::Denied {
            path: path.to_owned(),
            by,
        }),
        None => Ok(inside),
    }
}

/// The project's folder as the repository sees it: empty at its top, else `sub/folder`.
#[derive(Debug, Clone)]
pub(super) struct Prefix(pub String);

impl Prefix {
    /// A path from the project's folder, as the repository knows it.
    pub fn join(&self, path: &str) -> String {
        match (self.0.is_empty(), path.is_empty()) {
            (true, _) => path.to_owned(),
            (false, true) => self.0.clone(),
            (false, false) => format!("{}/{path}", self.0),
        }
    }

    /// A path of the repository, from the project's folder; none: it lies above the project.
    pub fn strip<'p>(&self, path: &'p BStr) -> Option<&'p BStr> {
        if self.0.is_empty() {
            return Some(path);
        }
        let rest = path.strip_prefix(self.0.as_bytes())?;
        Some(rest.strip_prefix(b"/")?.as_bstr())
    }

    /// What limits a search of the repository to a path of the project, taken by the letter.
    pub fn pattern(&self, path: &str) -> Vec<BString> {
        match self.join(path) {
            whole if whole.is_empty() => Vec::new(),
            part => vec![BString::from(format!(":(top,literal){part}"))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        assert_eq!(inside("a/./b//c").as_deref(), Ok("a/b/c"));
        assert_eq!(inside("a/../b").as_deref(), Ok("b"));
        assert_eq!(inside(".").as_deref(), Ok(""));
        for path in ["..", "../x", "a/../../x", "/etc/passwd", "C:/x", "a\0b"] {
            assert_eq!(inside(path), Err(Error::Outside(path.to_owned())));
        }
    }

    #[test]
    fn a_prefix_is_a_whole_folder() {
        let prefix = Prefix("sub".to_owned());
        assert_eq!(prefix.strip(b"sub/a".as_bstr()), Some(b"a".as_bstr()));
        assert_eq!(prefix.strip(b"subway/a".as_bstr()), None);
        assert_eq!(prefix.join(""), "sub");
        assert_eq!(Prefix(String::new()).join("x"), "x");
    }

    #[test]
    fn secrets_are_kept_whatever_they_are_called() {
        let policy = permission::Policy::default();
        let view = View::new(std::path::Path::new("."), &policy);
        for path in [".env", "deep/er/.env.production", "it's/.env", "A B/ID_RSA"] {
            assert!(kept(&view, path.as_bytes().as_bstr()).is_some(), "{path}");
        }
        for path in ["readme.md", "$HOME", "*", ".env.example"] {
            assert_eq!(kept(&view, path.as_bytes().as_bstr()), None, "{path}");
        }
    }
}
