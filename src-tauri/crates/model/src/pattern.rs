//! Patterns of files, as the inputs and outputs of steps have them.

use crate::detour::is_like;
use std::ops::Range;

/// The signs by which a path is a pattern.
pub const SIGNS: [char; 3] = ['*', '?', '['];
/// The part of a pattern that stands for any folders, or none.
pub const ANY_FOLDERS: &str = "**";

/// Whether a path is one that a pattern stands for: each part of the pattern for one name of the path, [`ANY_FOLDERS`] for any. `from`: at which
/// names of the path it may begin. `may`: whether signs may stand for a name, which else has to be written out.
pub fn fits<'p>(
    parts: impl IntoIterator<Item = &'p str>,
    path: &[&str],
    from: Range<usize>,
    may: impl Fn(&str) -> bool,
) -> bool {
    // How many names of the path may have been gone through, from the fewest on.
    let mut through: Vec<usize> = from.collect();
    for part in parts {
        through = match part {
            ANY_FOLDERS => through_folders(&through, path, &may),
            _ => {
                let is_any = part.contains(SIGNS);
                let fits = |at: &usize| {
                    path.get(*at)
                        .is_some_and(|name| is_like(name, part) && (!is_any || may(name)))
                };
                through.into_iter().filter(fits).map(|at| at + 1).collect()
            }
        };
    }
    through.last() == Some(&path.len())
}

/// The same, and every folder that may be gone through from there.
fn through_folders(through: &[usize], path: &[&str], may: impl Fn(&str) -> bool) -> Vec<usize> {
    let mut reached: Vec<usize> = Vec::new();
    for at in 0..=path.len() {
        let goes_on = at > 0 && reached.last() == Some(&(at - 1)) && may(path[at - 1]);
        if goes_on || through.contains(&at) {
            reached.push(at);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_stands_for_a_name_and_two_stars_for_folders() {
        let takes = |pattern: &str, path: &str, from: Range<usize>| {
            let path: Vec<&str> = path.split('/').collect();
            fits(pattern.split('/'), &path, from, |name| !name.starts_with('.'))
        };
        for (pattern, path) in [
            ("out/*.md", "out/a.md"),
            ("out/?.md", "out/a.md"),
            ("out/[ab].md", "out/b.md"),
            ("**/*", "a.md"),
            ("out/**/*", "out/a.md"),
            ("out/**/*", "out/deep/er/a.md"),
            ("**/*.md", "out/deep/a.md"),
            ("out/.x/*", "out/.x/a.md"),
            ("**/.x/a.md", "out/.x/a.md"),
        ] {
            assert!(takes(pattern, path, 0..1), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("out/*.md", "out/a.txt"),
            ("out/*.md", "out/deep/a.md"),
            ("*.md", "out/a.md"),
            ("out/**/*", "out"),
            ("out/*", "out/.a.md"),
            ("**/*", "out/.x/a.md"),
            ("out/[a.md", "out/[a.md"),
        ] {
            assert!(!takes(pattern, path, 0..1), "{pattern} {path}");
        }
        assert!(takes("deep/*", "out/deep/a.md", 0..3));
    }
}
