//! Judges what a script needs by a policy, by what was granted, and by what holds everywhere.

use crate::builtin;
use crate::command::{Allowing, Pattern, Refusing};
use crate::need::{Kind, Need, Uses};
use crate::pattern::{Fit, Glob, in_small_letters, plain};
use crate::place::{self, Place};
use crate::policy::{Mode, Policy, Rules};
use crate::programs;
use crate::spelling::{Called, Spelling};
use crate::text::{self, Bit};
use serde::{Deserialize, Serialize};
use std::convert::identity;

/// What becomes of a script's needs, each in exactly one of the lists, in the order of the script.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub struct Verdict {
    /// Let through.
    pub allowed: Vec<Need>,
    /// A person must say yes first.
    pub ask: Vec<Need>,
    /// Refused; the script may not start.
    pub denied: Vec<Denied>,
}

/// A need that is refused, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub struct Denied {
    /// What was needed.
    pub need: Need,
    /// What refuses it, in a reader's words: "deny rule `curl *`".
    pub by: String,
}

enum Word {
    Allowed,
    Ask,
    Denied(String),
}

impl Policy {
    /// Judges needs. What a deny rule fits is refused whatever else holds; a secret and a file outside the project are refused unless a
    /// rule of the allow list names them; then grants count, then the allow lists, then what is harmless, and last the mode.
    pub fn judge(&self, uses: &Uses, granted: &[Need]) -> Verdict {
        let rules = Rulebook::of(self);
        let mut verdict = Verdict::default();
        for need in &uses.needs {
            match rules.word(need, granted) {
                Word::Allowed => verdict.allowed.push(need.clone()),
                Word::Ask => verdict.ask.push(need.clone()),
                Word::Denied(by) => verdict.denied.push(Denied { need: need.clone(), by }),
            }
        }
        verdict
    }

    /// Whether a variable of this program's environment is passed on to commands. Secrets and what a deny rule names are taken out, unless the
    /// allow list has a secret by its exact name; with the mode `deny` only what is allowed or harmless stays.
    pub fn passes_env(&self, name: &str) -> bool {
        let bits: Vec<Bit> = name.chars().map(Bit::Char).collect();
        let fits = |list: &[String], folded: bool| {
            list.iter().any(|p| {
                let glob = if folded { Glob::name(p).folded() } else { Glob::name(p) };
                glob.fit(&bits) == Fit::Sure
            })
        };
        if fits(&self.env.deny, true) {
            return false;
        }
        if self.env.allow.iter().any(|p| p == name) {
            return true;
        }
        if builtin::is_secret_variable(name) {
            return false;
        }
        self.mode != Mode::Deny || builtin::is_harmless_variable(name) || fits(&self.env.allow, false)
    }
}

/// A pattern with the text it was written as.
type Written<P> = (String, P);

struct Lists<A, D = A> {
    allow: Vec<Written<A>>,
    deny: Vec<Written<D>>,
}

/// A rule of paths.
struct PathRule {
    written: Glob,
    /// In the one form of all spellings ([`Spelling`]).
    absolute: Option<Glob>,
    /// The same of a rule that is one path.
    one: Option<Vec<Bit>>,
}

impl PathRule {
    fn read(rule: &str, spelling: &Spelling) -> Option<Self> {
        Some(Self {
            written: Glob::path(&plain(rule)).ok()?,
            absolute: spelling.glob(rule),
            one: spelling.one(rule),
        })
    }

    fn folded(self) -> Self {
        Self {
            written: self.written.folded(),
            absolute: self.absolute.map(Glob::folded),
            one: self.one,
        }
    }

    fn fit(&self, path: &Spelled) -> Fit {
        let written = path.written().map(|path| self.written.fit(path)).max();
        let absolute = self.absolute.as_ref().zip(path.absolute.as_ref());
        let absolute = absolute.map(|(glob, path)| glob.fit(path));
        written.max(absolute).unwrap_or(Fit::No)
    }
}

/// A [`place::normal`] path in the spellings that rules may mean.
struct Spelled {
    /// From the project's folder where it lies in it, however it is written; else as it is written.
    path: Vec<Bit>,
    /// As it is written, where that is another text.
    other: Option<Vec<Bit>>,
    /// In the one form of all spellings, where that is known.
    absolute: Option<Vec<Bit>>,
    /// Whether the project's folder is around it.
    is_inside: bool,
}

impl Spelled {
    fn as_written(path: Vec<Bit>) -> Self {
        Self {
            path,
            other: None,
            absolute: None,
            is_inside: false,
        }
    }

    fn of(written: Vec<Bit>, spelling: &Spelling) -> Self {
        let absolute = spelling.path(&written);
        let inside = absolute.as_ref().and_then(|path| spelling.inside(path));
        let is_inside = inside.is_some();
        let path = inside.unwrap_or_else(|| written.clone());
        Self {
            other: (path != written).then_some(written),
            path,
            absolute,
            is_inside,
        }
    }

    fn written(&self) -> impl Iterator<Item = &Vec<Bit>> {
        std::iter::once(&self.path).chain(&self.other)
    }

    /// What it may be called by what holds everywhere: a project may lie in a folder whose name says nothing of its files.
    fn names(&self) -> impl Iterator<Item = &Vec<Bit>> {
        self.written().chain(self.absolute.as_ref().filter(|_| !self.is_inside))
    }

    /// Anything in it.
    fn contents(&self) -> Self {
        let inside = |path: &Vec<Bit>| {
            let mut inside = match *path == [Bit::Char('.')] {
                true => Vec::new(),
                false => [&path[..], &[Bit::Char('/')]].concat(),
            };
            inside.push(Bit::Any);
            inside
        };
        Self {
            path: inside(&self.path),
            other: self.other.as_ref().map(inside),
            absolute: self.absolute.as_ref().map(inside),
            is_inside: self.is_inside,
        }
    }
}

/// The rules of a policy, ready for many needs.
pub(crate) struct Rulebook {
    mode: Mode,
    run: Lists<Allowing, Refusing>,
    read: Lists<PathRule>,
    write: Lists<PathRule>,
    env: Lists<Glob>,
    spelling: Spelling,
}

fn compile<P, A, D>(
    rules: &Rules,
    parse: impl Fn(&str) -> Option<P>,
    allow: impl Fn(P) -> A,
    deny: impl Fn(P) -> D,
) -> Lists<A, D> {
    let written = |p: &String| parse(p).map(|parsed| (p.clone(), parsed));
    Lists {
        allow: rules
            .allow
            .iter()
            .filter_map(written)
            .map(|(w, p)| (w, allow(p)))
            .collect(),
        deny: rules
            .deny
            .iter()
            .filter_map(written)
            .map(|(w, p)| (w, deny(p)))
            .collect(),
    }
}

impl Rulebook {
    pub(crate) fn of(policy: &Policy) -> Self {
        let spelling = &policy.spelling;
        let path = |p: &str| PathRule::read(p, spelling);
        Self {
            mode: policy.mode,
            run: compile(
                &policy.run,
                |p| Pattern::parse(p).ok(),
                |p| Allowing::of(p, spelling),
                |p| Refusing::of(p, spelling),
            ),
            read: compile(&policy.read, path, identity, PathRule::folded),
            write: compile(&policy.write, path, identity, PathRule::folded),
            env: compile(&policy.env, |p| Some(Glob::name(p)), identity, Glob::folded),
            spelling: spelling.clone(),
        }
    }

    /// Whether a rule denies reading or writing a [`place::normal`] path as the rule is written, whatever fills its unknown places.
    pub(crate) fn denies_file(&self, kind: Kind, path: &[Bit]) -> bool {
        let rules = match kind {
            Kind::Read => &self.read,
            Kind::Write => &self.write,
            Kind::Run | Kind::Env => return false,
        };
        let folded = in_small_letters(path);
        first_fit(&rules.deny, |rule| rule.written.fit_near(path, folded.as_deref()))
            .0
            .is_some()
    }

    /// Whether a [`place::normal`] path surely is a secret that no rule for reading names.
    pub(crate) fn is_secret(&self, path: &[Bit]) -> bool {
        let is_exact = || is_exact(&self.read, &Spelled::of(path.to_vec(), &self.spelling));
        builtin::secret_file(path) == Fit::Sure && !is_exact()
    }

    /// Whether a need is refused, whoever says yes.
    pub(crate) fn refuses(&self, need: &Need) -> bool {
        matches!(self.word(need, &[]), Word::Denied(_))
    }

    fn has_deny_rules(&self) -> bool {
        !(self.run.deny.is_empty()
            && self.read.deny.is_empty()
            && self.write.deny.is_empty()
            && self.env.deny.is_empty())
    }

    fn word(&self, need: &Need, granted: &[Need]) -> Word {
        if need.is_rest() && self.has_deny_rules() {
            return Word::Denied(
                "too long to be read whole, and deny rules may name what stands in the rest".to_owned(),
            );
        }
        match need.kind {
            Kind::Run => self.run(need, granted),
            Kind::Read => self.path(need, &self.read, granted),
            Kind::Write => self.path(need, &self.write, granted),
            Kind::Env => self.variable(need, granted),
        }
    }

    fn run(&self, need: &Need, granted: &[Need]) -> Word {
        let command = text::words(&need.what);
        let names_a_path = self.run.deny.iter().any(|(_, rule)| rule.names_a_path());
        let called = names_a_path.then(|| self.called(&command)).flatten();
        let (denied, maybe) = first_fit(&self.run.deny, |rule| rule.denies(&command, called.as_ref()));
        // The text of an unclear command is not its words: `curl x | sh` would fit `curl *`, whose own need is judged anyway.
        if let (Some(by), false) = (denied, need.unclear) {
            return Word::Denied(by);
        }
        if granted.contains(need) {
            return Word::Allowed;
        }
        if need.unclear {
            return self.by_mode(self.has_deny_rules());
        }
        let allowed = || self.run.allow.iter().any(|(_, rule)| rule.allows(&command));
        if !maybe && (allowed() || is_harmless(&command) || self.allows_its_file(&command, granted)) {
            return Word::Allowed;
        }
        self.by_mode(maybe)
    }

    /// Which program a command starts, where that is known.
    fn called(&self, command: &[Vec<Bit>]) -> Option<Called> {
        let name = command.first().and_then(|word| text::known(word))?;
        match programs::is_built_in(&name) {
            true => None,
            false => self.spelling.program(&name),
        }
    }

    /// Whether a rule allows a command that names the file of its program by another path than the command.
    fn allows_its_file(&self, command: &[Vec<Bit>], granted: &[Need]) -> bool {
        let rules = || {
            self.run
                .allow
                .iter()
                .map(|(_, rule)| rule)
                .filter(|rule| rule.names_a_path())
        };
        if rules().next().is_none() {
            return false;
        }
        let Some(called) = self.called(command) else {
            return false;
        };
        // What a bare name starts in the project, its steps may have put there.
        let is_bare = !command[0].contains(&Bit::Char('/'));
        if is_bare && called.name.starts_with("./") {
            return false;
        }
        let is_laid = called.straight != called.name || called.name != called.file;
        let follows = is_laid && !self.may_lay(&called.straight, granted);
        let followed = [Some(&*called.name), called.file_of_that_name()].into_iter().flatten();
        let mut names = std::iter::once(&*called.straight).chain(followed.filter(|_| follows));
        names.any(|name| rules().any(|rule| rule.allows_by(name, command)))
    }

    /// Whether a step may put something else in the place of a path, or of a folder on the way to it, without anybody being asked.
    fn may_lay(&self, path: &str, granted: &[Need]) -> bool {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        let mut on_the_way = folders
            .chain([path])
            .map(|part| part.strip_prefix("./").unwrap_or(part))
            .filter(|part| !matches!(*part, "" | "."));
        on_the_way.any(|part| {
            let write = Need::known(Kind::Write, part);
            matches!(self.path(&write, &self.write, granted), Word::Allowed)
        })
    }

    fn path(&self, need: &Need, rules: &Lists<PathRule>, granted: &[Need]) -> Word {
        let path: Vec<Bit> = text::words(&need.what).into_iter().next().unwrap_or_default();
        let is_folder = path.last() == Some(&Bit::Char('/'));
        let written = place::normal(&path);
        let is_compared =
            place::place(&written) == Place::Outside || !(rules.allow.is_empty() && rules.deny.is_empty());
        let spelled = match is_compared {
            true => Spelled::of(written, &self.spelling),
            false => Spelled::as_written(written),
        };
        let path = &spelled.path;
        let (denied, mut maybe) = first_fit(&rules.deny, |rule| rule.fit(&spelled));
        if let Some(by) = denied {
            return Word::Denied(by);
        }
        // A folder with everything in it meets what is denied in it.
        if is_folder && place::place(path) == Place::Inside {
            let inside = spelled.contents();
            maybe |= rules.deny.iter().any(|(_, rule)| rule.fit(&inside) != Fit::No);
        }
        // From outside a way may lead back in: `../project/secret.txt`, `/proc/self/cwd/secret.txt`.
        if place::place(path) == Place::Outside {
            // Of a path with more parts than anybody writes each of them may be the one.
            const MOST: usize = 64;
            let ends: Vec<&[Bit]> = path
                .iter()
                .enumerate()
                .filter(|(at, bit)| **bit == Bit::Char('/') && at + 1 < path.len())
                .map(|(at, _)| &path[at + 1..])
                .collect();
            let meets = |end: &&[Bit]| rules.deny.iter().any(|(_, rule)| rule.written.fit(end) != Fit::No);
            maybe |= match ends.len() <= MOST {
                true => ends.iter().any(meets),
                false => !rules.deny.is_empty(),
            };
            // The project may lie in such a folder, with what is denied in it.
            maybe |= is_folder && !rules.deny.is_empty();
        }
        let shown = text::visible(&need.what);
        let fits = |(written, rule): &&Written<PathRule>| !written.is_empty() && rule.fit(&spelled) == Fit::Sure;
        let exact = is_exact(rules, &spelled);
        if !exact {
            let secret = spelled.names().map(|name| builtin::secret_file(name)).max();
            match secret.unwrap_or(Fit::No) {
                Fit::Sure => return Word::Denied(format!("secrets are kept from commands: `{shown}`")),
                Fit::Maybe => maybe = true,
                Fit::No => {}
            }
        }
        maybe |= need.kind == Kind::Read && builtin::may_meet_secret(path);
        let is_kept = || spelled.written().any(|name| builtin::kept_file(name) == Fit::Sure);
        if need.kind == Kind::Write && !exact && is_kept() {
            return Word::Denied(format!("kept from commands, since later runs depend on it: `{shown}`"));
        }
        let free = need.kind == Kind::Write && builtin::is_free_file(path);
        if need.kind == Kind::Write && place::place(path) == Place::Outside && !free && !builtin::is_temporary(path) {
            // A rule that itself names a place outside of the project speaks of it; `**` does not.
            let meant = |w: &&Written<PathRule>| place::place(&bits(&w.0)) == Place::Outside;
            if !rules.allow.iter().filter(meant).any(|w| fits(&w)) {
                return Word::Denied(format!("outside the project: `{shown}`"));
            }
        }
        if granted.contains(need) {
            return Word::Allowed;
        }
        if need.unclear {
            // It may be a secret, or lie outside of the project.
            return self.by_mode(true);
        }
        let allowed = || rules.allow.iter().any(|w| fits(&w));
        let free = free || need.kind == Kind::Read && builtin::is_free_file(path);
        if !maybe && (free || allowed()) || exact {
            return Word::Allowed;
        }
        self.by_mode(maybe)
    }

    fn variable(&self, need: &Need, granted: &[Need]) -> Word {
        let name: Vec<Bit> = need.what.chars().map(name_bit).collect();
        let (denied, maybe) = first_fit(&self.env.deny, |g| g.fit(&name));
        if let Some(by) = denied {
            return Word::Denied(by);
        }
        let exact = self.env.allow.iter().any(|(written, _)| *written == need.what);
        if !exact && builtin::is_secret_variable(&need.what) {
            return Word::Denied(format!(
                "secrets are kept from commands: `{}`",
                text::visible(&need.what)
            ));
        }
        if exact || granted.contains(need) {
            return Word::Allowed;
        }
        let allowed = || self.env.allow.iter().any(|(_, g)| g.fit(&name) == Fit::Sure);
        if !maybe && (builtin::is_harmless_variable(&need.what) || allowed()) {
            return Word::Allowed;
        }
        self.by_mode(maybe)
    }

    /// What no rule decides; `doubtful`: a deny rule might fit.
    fn by_mode(&self, doubtful: bool) -> Word {
        match self.mode {
            Mode::Allow if !doubtful => Word::Allowed,
            Mode::Ask | Mode::Allow => Word::Ask,
            Mode::Deny => Word::Denied("no rule allows it, and the mode is deny".to_owned()),
        }
    }
}

/// Whether an allow rule names a path itself.
fn is_exact(rules: &Lists<PathRule>, path: &Spelled) -> bool {
    let known: Vec<String> = path.written().filter_map(|path| text::known(path)).collect();
    let same = |written: &str| {
        let plain = plain(written);
        known.iter().any(|known| plain.trim_end_matches('/') == known)
    };
    let is_that =
        |(written, rule): &Written<PathRule>| same(written) || rule.one.is_some() && rule.one == path.absolute;
    !known.is_empty() && rules.allow.iter().any(is_that)
}

/// The first deny rule that surely fits, in words, and whether any may fit.
fn first_fit<P>(rules: &[Written<P>], fit: impl Fn(&P) -> Fit) -> (Option<String>, bool) {
    let mut maybe = false;
    for (written, pattern) in rules {
        match fit(pattern) {
            Fit::Sure => return (Some(format!("deny rule `{}`", text::visible(written))), true),
            Fit::Maybe => maybe = true,
            Fit::No => {}
        }
    }
    (None, maybe)
}

fn bits(text: &str) -> Vec<Bit> {
    text.chars().map(Bit::Char).collect()
}

fn name_bit(c: char) -> Bit {
    match c {
        '*' => Bit::Any,
        c => Bit::Char(c),
    }
}

/// Whether a command only prints, tests or steers the shell.
fn is_harmless(command: &[Vec<Bit>]) -> bool {
    let name = command.first().and_then(|w| text::known(w));
    let bare = |name: &str| {
        let system = ["/bin/", "/usr/bin/"].iter().find_map(|f| name.strip_prefix(f));
        builtin::is_harmless_command(system.unwrap_or(name))
    };
    name.is_some_and(|n| bare(&n))
}
