//! Deny rules of files as a kernel can hold them: which paths they name, and where those lie.

use crate::judge::Rulebook;
use crate::need::{Kind, Need};
use crate::pattern::{self, plain};
use crate::place;
use crate::policy::{Mode, Policy};
use crate::text::Bit;

/// What a policy denies of files, ready for many paths.
pub struct DeniedFiles {
    rules: Rulebook,
    places: Vec<NamedPlace>,
}

/// A place that a deny rule names; a rule with alternatives names several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPlace {
    /// Whether it may not be read or not be written.
    pub kind: Kind,
    /// The rule as it is written.
    pub rule: String,
    /// What it begins with before anything that stands for something else: a file, or the folder around all that it names. Empty for the
    /// project's folder.
    pub beginning: String,
    /// It names nothing but this one path.
    pub is_one: bool,
}

impl Policy {
    /// What this policy denies of files.
    pub fn denied_files(&self) -> DeniedFiles {
        let named = |kind, rules: &[String]| {
            let places = |rule: &String| places(kind, rule);
            rules.iter().flat_map(places).collect::<Vec<_>>()
        };
        let mut places = named(Kind::Read, &self.read.deny);
        places.extend(named(Kind::Write, &self.write.deny));
        // What no rule names is not denied: the mode is for scripts.
        let rules = Policy {
            mode: Mode::Allow,
            ..self.clone()
        };
        DeniedFiles {
            rules: Rulebook::of(&rules),
            places,
        }
    }
}

impl DeniedFiles {
    /// The places that rules name.
    pub fn places(&self) -> &[NamedPlace] {
        &self.places
    }

    /// Whether a rule denies reading or writing a file of this name.
    pub fn names(&self, kind: Kind, path: &str) -> bool {
        self.rules.denies_file(kind, &place::normal(&bits(path)))
    }

    /// Whether a rule denies all that may come to lie in a folder of this name.
    pub fn names_all_in(&self, kind: Kind, folder: &str) -> bool {
        self.rules.denies_file(kind, &inside(folder))
    }

    /// Whether steps may not read a file: a rule denies it in whatever spelling, or it is a secret that no rule gives free. `path`: where the file
    /// really lies, from the project's folder or from the root of the disk.
    pub fn keeps(&self, path: &str) -> bool {
        self.rules.refuses(&Need::known(Kind::Read, path))
    }

    /// Whether a file of this name is a secret that no rule gives free.
    pub fn is_secret(&self, path: &str) -> bool {
        self.rules.is_secret(&place::normal(&bits(path)))
    }

    /// Whether all that may come to lie in a folder of this name is secret.
    pub fn is_secret_folder(&self, folder: &str) -> bool {
        self.rules.is_secret(&inside(folder))
    }
}

fn places(kind: Kind, rule: &str) -> Vec<NamedPlace> {
    let ways = pattern::alternatives(&plain(rule)).unwrap_or_default();
    let place = |way: String| {
        let (beginning, rest) = pattern::beginning(&way);
        NamedPlace {
            kind,
            rule: rule.to_owned(),
            beginning,
            is_one: rest.is_empty(),
        }
    };
    ways.into_iter().map(place).collect()
}

/// Anything in a folder.
fn inside(folder: &str) -> Vec<Bit> {
    let mut path = place::normal(&bits(folder));
    path.extend([Bit::Char('/'), Bit::Any]);
    path
}

fn bits(text: &str) -> Vec<Bit> {
    text.chars().map(Bit::Char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::Spelling;

    #[test]
    fn a_rule_names_places_and_what_lies_in_them() {
        let mut policy = Policy::default();
        policy.read.deny = ["{~/a,x/../b//c}/**", "/etc/../etc/x/", "*.pem", "d/[!e]*/**"]
            .map(str::to_owned)
            .into();
        policy.read.allow = vec!["keys/.env".to_owned()];
        let denied = policy.denied_files();
        let places = denied.places().iter();
        let mut places: Vec<(&str, bool)> = places.map(|place| (place.beginning.as_str(), place.is_one)).collect();
        places.sort_unstable();
        assert_eq!(
            places,
            [
                ("", false),
                ("/etc/x", true),
                ("b/c", false),
                ("d", false),
                ("~/a", false)
            ]
        );
        assert!(denied.names(Kind::Read, "b/./c/f") && !denied.names(Kind::Write, "b/c/f"));
        assert!(denied.names_all_in(Kind::Read, "b/c") && denied.names_all_in(Kind::Read, "B/c/d"));
        assert!(!denied.names_all_in(Kind::Read, "b") && !denied.names_all_in(Kind::Read, "d"));
        assert!(denied.is_secret("x/.env") && !denied.is_secret("keys/.env"));
        assert!(denied.is_secret_folder("/home/me/.ssh") && !denied.is_secret_folder("/home/me"));
    }

    #[test]
    fn what_steps_may_not_read_is_known_in_every_spelling() {
        let mut policy = Policy {
            mode: Mode::Deny,
            spelling: Spelling::new("/work/shop", Some("/home/ann".to_owned()), None),
            ..Policy::default()
        };
        policy.read.deny = ["private/**", "/work/shop/abs/**", "../shop/up.txt", "~/notes/**"]
            .map(str::to_owned)
            .into();
        policy.read.allow = ["keys/test.pem", "**/*.key"].map(str::to_owned).into();
        let denied = policy.denied_files();
        for path in [
            "private/a.md",
            "PRIVATE/a.md",
            "abs/a.md",
            "up.txt",
            "/home/ann/notes/a.md",
            ".env",
            "a/b/.env.local",
            "keys/other.pem",
            "keys/server.key",
            "it's [a] $HOME/.env",
        ] {
            assert!(denied.keeps(path), "{path}");
        }
        for path in ["docs/a.md", "keys/test.pem", ".env.example", "it's $HOME.md", "[x]*.md"] {
            assert!(!denied.keeps(path), "{path}");
        }
    }
}
