//! One form for every spelling of a path, so that a rule means a file: from the root of the disk, with the links of its folders followed.

use crate::pattern::{self, Glob, plain};
use crate::place::{self, Place};
use crate::text::{Bit, known};

/// What the text of a path does not tell.
#[derive(Debug, Clone, Copy)]
pub struct Lookup {
    /// Where an absolute path leads, links followed as far as it is there.
    pub real: fn(&str) -> Option<String>,
    /// The absolute path of the program that is started by a bare name.
    pub program: fn(&str) -> Option<String>,
}

/// What is known of the place that paths are written for. Nothing known: paths are compared as they are written.
#[derive(Debug, Clone, Default)]
pub struct Spelling {
    root: String,
    home: Option<String>,
    lookup: Option<Lookup>,
}

impl PartialEq for Spelling {
    /// Where paths are written for; what is asked about them is the same everywhere.
    fn eq(&self, other: &Self) -> bool {
        (&self.root, &self.home) == (&other.root, &other.home)
    }
}

impl Eq for Spelling {}

/// A program of a command: its paths from the project's folder (`./x`), or from the root of the disk where it lies elsewhere.
#[derive(Debug)]
pub(crate) struct Called {
    /// With no link followed.
    pub straight: String,
    /// With the links of its folders followed.
    pub name: String,
    /// With a link to it followed too.
    pub file: String,
}

impl Called {
    /// The file at the end of all links, where it goes by the name that it is called by: one file may be many programs (`busybox`), each by a name of
    /// its own.
    pub fn file_of_that_name(&self) -> Option<&str> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        (name(&self.file) == name(&self.straight)).then_some(&*self.file)
    }
}

impl Spelling {
    /// `root`: the project's folder, absolute and without links. `home`: what `~` stands for, absolute.
    pub fn new(root: impl Into<String>, home: Option<String>, lookup: Option<Lookup>) -> Self {
        Self {
            root: root.into(),
            home,
            lookup,
        }
    }

    /// A path that stands for itself, from the root of the disk, with no link followed.
    fn straight(&self, path: &str) -> Option<String> {
        if self.root.is_empty() {
            return None;
        }
        let joined = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.home.as_ref()?),
            // The home of somebody else.
            Some(_) => return None,
            None if path.starts_with('/') => path.to_owned(),
            None => format!("{}/{path}", self.root),
        };
        known(&place::normal(&bits(&joined)))
    }

    /// The same with the links of its folders followed. `whole`: a link at its end is followed too.
    fn absolute(&self, path: &str, whole: bool) -> Option<String> {
        let straight = self.straight(path)?;
        let real = |path: &str| match self.lookup {
            Some(lookup) => (lookup.real)(path).unwrap_or_else(|| path.to_owned()),
            None => path.to_owned(),
        };
        match straight.rsplit_once('/') {
            Some((folder, name)) if !whole && !folder.is_empty() => {
                Some(format!("{}/{name}", real(folder).trim_end_matches('/')))
            }
            _ => Some(real(&straight)),
        }
    }

    /// The literal path that a rule names, in the one form; `None`: it names several, or nobody knows where it lies.
    pub(crate) fn one(&self, rule: &str) -> Option<Vec<Bit>> {
        let is_one = !rule.contains(['*', '?', '[', '\\', '{']);
        let path = is_one.then(|| self.absolute(&plain(rule), false)).flatten();
        path.map(|path| bits(&path))
    }

    /// A rule of paths in the one form: of each of its ways what comes before the first place that stands for something else is brought into it.
    pub(crate) fn glob(&self, rule: &str) -> Option<Glob> {
        let ways = pattern::alternatives(&plain(rule)).ok()?;
        let absolute = |way: &String| {
            let (beginning, rest) = pattern::beginning(way);
            Some((self.absolute(&beginning, !rest.is_empty())?, rest))
        };
        let ways: Vec<(String, String)> = ways.iter().filter_map(absolute).collect();
        Glob::below(&ways).ok().filter(|_| !ways.is_empty())
    }

    /// A [`place::normal`] path in the one form; `None`: it begins with something unknown.
    pub(crate) fn path(&self, path: &[Bit]) -> Option<Vec<Bit>> {
        const SLASH: Bit = Bit::Char('/');
        let Some(open) = path.iter().position(|bit| !matches!(bit, Bit::Char(_))) else {
            return Some(bits(&self.absolute(&known(path)?, false)?));
        };
        let (folder, rest) = match path[..open].iter().rposition(|bit| *bit == SLASH) {
            Some(0) => (vec![SLASH], &path[1..]),
            Some(slash) => (path[..slash].to_vec(), &path[slash + 1..]),
            None if path[0] == Bit::Any || path[0] == Bit::Char('~') => return None,
            None => (Vec::new(), path),
        };
        let folder = self.absolute(&known(&folder)?, true)?;
        let mut all = bits(folder.trim_end_matches('/'));
        all.push(SLASH);
        all.extend_from_slice(rest);
        Some(all)
    }

    /// A path in the one form from the project's folder, where it surely lies in it.
    pub(crate) fn inside(&self, absolute: &[Bit]) -> Option<Vec<Bit>> {
        let root = bits(&self.root);
        let inside = match absolute.strip_prefix(root.as_slice())? {
            [] => vec![Bit::Char('.')],
            [Bit::Char('/'), rest @ ..] => rest.to_vec(),
            _ => return None,
        };
        (place::place(&inside) == Place::Inside).then_some(inside)
    }

    /// The program that a name or a path in a command stands for.
    pub(crate) fn program(&self, name: &str) -> Option<Called> {
        let lookup = self.lookup?;
        let path = match name.contains('/') {
            true => name.to_owned(),
            false => (lookup.program)(name)?,
        };
        let shown = |absolute: String| {
            let inside = absolute
                .strip_prefix(&self.root)
                .and_then(|rest| rest.strip_prefix('/'));
            inside.map_or_else(|| absolute.clone(), |rest| format!("./{rest}"))
        };
        Some(Called {
            straight: shown(self.straight(&path)?),
            name: shown(self.absolute(&path, false)?),
            file: shown(self.absolute(&path, true)?),
        })
    }
}

fn bits(text: &str) -> Vec<Bit> {
    text.chars().map(Bit::Char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Mode, Policy};

    /// `/link` leads to `/home/ann/shop/data`, `/bin` to `/usr/bin`, and there `vi` to `vim`.
    fn spelling() -> Spelling {
        let real = |path: &str| {
            let path = match path.strip_prefix("/link") {
                Some(rest) => format!("/home/ann/shop/data{rest}"),
                None => path.to_owned(),
            };
            let path = match path.strip_prefix("/bin") {
                Some(rest) => format!("/usr/bin{rest}"),
                None => path,
            };
            Some(if path == "/usr/bin/vi" {
                "/usr/bin/vim".to_owned()
            } else {
                path
            })
        };
        let program = |name: &str| Some(format!("/bin/{name}"));
        Spelling::new(
            "/home/ann/shop",
            Some("/home/ann".to_owned()),
            Some(Lookup { real, program }),
        )
    }

    #[test]
    fn every_spelling_of_a_path_has_one_form() {
        let form = |path: &str| {
            let path = spelling().path(&place::normal(&bits(path)));
            path.and_then(|path| known(&path))
        };
        for path in [
            "data/x",
            "./data/y/../x",
            "../shop/data/x",
            "~/shop/data/x",
            "/home/ann/shop//data/x",
            "/link/x",
        ] {
            assert_eq!(form(path).as_deref(), Some("/home/ann/shop/data/x"), "{path}");
        }
        assert_eq!(form("~/n.txt").as_deref(), Some("/home/ann/n.txt"));
        assert_eq!(form("~bob/n.txt"), None);
        assert_eq!(Spelling::default().path(&bits("data/x")), None);
        for path in ["/link/x", "data/x", "../shop/data/x"] {
            let absolute = spelling().path(&place::normal(&bits(path))).expect("known");
            let inside = spelling().inside(&absolute).and_then(|path| known(&path));
            assert_eq!(inside.as_deref(), Some("data/x"), "{path}");
        }
        assert_eq!(spelling().inside(&bits("/home/ann/shopping")), None);
    }

    #[test]
    fn a_program_is_known_by_every_path_of_its_file() {
        let called = |name: &str| {
            let called = spelling().program(name)?;
            Some((called.name, called.file))
        };
        let all = |name: &str, file: &str| Some((name.to_owned(), file.to_owned()));
        assert_eq!(called("vi"), all("/usr/bin/vi", "/usr/bin/vim"));
        assert_eq!(called("/usr/bin/vi"), called("vi"));
        assert_eq!(called("./tool/x"), all("./tool/x", "./tool/x"));
        assert_eq!(called("/link/x"), all("./data/x", "./data/x"));
    }

    /// Whether a rule of the policy refuses something of a script.
    fn refuses(change: impl FnOnce(&mut Policy), script: &str) -> bool {
        let mut policy = Policy {
            mode: Mode::Allow,
            spelling: spelling(),
            ..Policy::default()
        };
        change(&mut policy);
        let denied = policy.judge(&crate::uses("bash", script), &[]).denied;
        denied.iter().any(|denied| denied.by.starts_with("deny rule"))
    }

    #[test]
    fn a_rule_means_a_file_in_every_spelling() {
        let spellings = [
            "data/n",
            "/home/ann/shop/data/n",
            "~/shop/data/n",
            "../shop/data/n",
            "/link/n",
        ];
        for rule in spellings
            .into_iter()
            .chain(["/home/ann/shop/data/*", "/link/**", "../shop/{data,docs}/n"])
        {
            for path in spellings {
                let write = |policy: &mut Policy| policy.write.deny.push(rule.to_owned());
                assert!(refuses(write, &format!("echo x > {path}")), "{rule}: {path}");
                let read = |policy: &mut Policy| policy.read.deny.push(rule.to_owned());
                assert!(refuses(read, &format!("cat {path}")), "{rule}: {path}");
            }
            let write = |policy: &mut Policy| policy.write.deny.push(rule.to_owned());
            assert!(!refuses(write, "echo x > other/n"), "{rule}");
        }
        for rule in ["~/n.txt", "/home/ann/n.txt", "../n.txt"] {
            for path in ["~/n.txt", "/home/ann/n.txt", "../n.txt"] {
                let write = |policy: &mut Policy| policy.write.deny.push(rule.to_owned());
                assert!(refuses(write, &format!("echo x > {path}")), "{rule}: {path}");
            }
        }
    }

    #[test]
    fn a_path_of_a_program_in_a_rule_means_its_file() {
        for (rule, script, is) in [
            ("/bin/curl *", "curl --version", true),
            ("/bin/curl *", "/usr/bin/curl --version", true),
            ("/usr/bin/curl", "/bin/curl x", true),
            ("/usr/bin/vi *", "vim x", true),
            ("/usr/bin/vim *", "vi x", true),
            ("/bin/curl *", "wget x", false),
            ("/bin/curl x", "curl y", false),
            ("/bin/echo *", "echo x", false),
            ("/home/ann/shop/tool/x *", "./tool/x y", true),
        ] {
            let run = |policy: &mut Policy| policy.run.deny.push(rule.to_owned());
            assert_eq!(refuses(run, script), is, "{rule}: {script}");
        }
        let mut policy = Policy {
            spelling: spelling(),
            ..Policy::default()
        };
        policy.run.deny.push("/bin/vi *".to_owned());
        let denied = policy.denied_programs();
        for program in ["/usr/bin/vi", "/usr/bin/vim"] {
            assert_eq!(denied.rule(program), Some("/bin/vi *"));
        }
        assert_eq!(denied.rule("/usr/bin/ed"), None);
    }

    /// Whether nobody is asked about a script, by one rule that allows and one for writing.
    fn passes(rule: &str, write: &str, script: &str) -> bool {
        let mut policy = Policy {
            mode: Mode::Ask,
            spelling: spelling(),
            ..Policy::default()
        };
        policy.run.allow.push(rule.to_owned());
        policy.write.allow.push(write.to_owned());
        let verdict = policy.judge(&crate::uses("bash", script), &[]);
        verdict.ask.is_empty() && verdict.denied.is_empty()
    }

    #[test]
    fn a_rule_that_allows_a_path_means_its_file() {
        for (rule, script, is) in [
            ("./tool/x *", "tool/x y", true),
            ("./tool/x *", "/home/ann/shop/tool/x y", true),
            ("./tool/x *", "../shop/tool/x y", true),
            ("/home/ann/shop/tool/x *", "./tool/x y", true),
            ("./data/x *", "/link/x y", true),
            ("/link/x *", "data/x y", true),
            ("/bin/curl *", "/usr/bin/curl y", true),
            ("/usr/bin/curl *", "curl y", true),
            ("./tool/x *", "./tool/z y", false),
            ("./tool/x a", "/home/ann/shop/tool/x b", false),
            ("./tool/x *", "/link/x y", false),
            // One file, and another program by that name.
            ("/usr/bin/vim *", "/usr/bin/vi y", false),
            ("/usr/bin/vi *", "vim y", false),
        ] {
            assert_eq!(passes(rule, "out/**", script), is, "{rule}: {script}");
        }
        // Where a step may lay the link anew, nobody knows where it leads when the program starts.
        assert!(!passes("./data/x *", "/link", "/link/x y"));
        assert!(passes("./tool/x *", "/link", "/home/ann/shop/tool/x y"));
    }
}
