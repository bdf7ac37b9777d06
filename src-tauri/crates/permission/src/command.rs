//! Patterns of commands: `npm run *`, `curl *`, `./deploy.sh --dry-run`.

use crate::pattern::{Fit, Glob};
use crate::place;
use crate::spelling::{Called, Spelling};
use crate::text::{Bit, known};

/// A pattern of the words of one simple command. A word `*` stands for any words, none included; `*` in a word for any part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    words: Vec<Option<Glob>>,
    /// The same for refusing: its program in small letters, and a program alone with any arguments.
    denying: Vec<Option<Glob>>,
    /// The program, where it is named by a path.
    path: Option<String>,
}

/// A deny rule of commands. A program that it names by a path is meant by every path of its file.
#[derive(Debug, Clone)]
pub(crate) struct Refusing {
    written: Pattern,
    /// With the links of the folders on the way followed.
    called: Option<Pattern>,
    /// With a link to the program itself followed too.
    file: Option<Pattern>,
}

impl Refusing {
    pub fn of(written: Pattern, spelling: &Spelling) -> Self {
        let found = written.path.as_deref().and_then(|path| spelling.program(path));
        Self {
            called: found.as_ref().map(|found| written.of_program(&found.name)),
            file: found.as_ref().map(|found| written.of_program(&found.file)),
            written,
        }
    }

    /// Whether it names its program by a path.
    pub fn names_a_path(&self) -> bool {
        self.written.path.is_some()
    }

    /// Whether it refuses a command. `called`: which program that is, where it is known.
    pub fn denies(&self, command: &[Vec<Bit>], called: Option<&Called>) -> Fit {
        let written = self.written.denies(command);
        let (Some(called), true) = (called, self.names_a_path()) else {
            return written;
        };
        let by = |pattern: Option<&Pattern>, name: &str| {
            let mut command = command.to_vec();
            command[0] = name.chars().map(Bit::Char).collect();
            pattern.map_or(Fit::No, |pattern| pattern.denies(&command))
        };
        // Not the one's file by the other's: one file may be many programs (`busybox`), each by a name of its own.
        [
            by(Some(&self.written), &called.name),
            by(self.called.as_ref(), &called.name),
            by(self.called.as_ref(), &called.file),
            by(self.file.as_ref(), &called.name),
        ]
        .into_iter()
        .fold(written, Fit::max)
    }

    /// Whether it refuses a command that is known word by word. `folded`: its program in small letters.
    pub fn denies_surely(&self, command: &[Vec<Bit>], folded: &str) -> bool {
        let all = [Some(&self.written), self.called.as_ref(), self.file.as_ref()];
        let mut all = all.into_iter().flatten();
        all.any(|pattern| pattern.may_name(folded) && pattern.denies_surely(command))
    }
}

/// An allow rule of commands. A program that it names by a path is meant by every path of its file.
#[derive(Debug, Clone)]
pub(crate) struct Allowing {
    written: Pattern,
    /// Of its program by the other paths of that file.
    others: Vec<Pattern>,
}

impl Allowing {
    pub fn of(written: Pattern, spelling: &Spelling) -> Self {
        let found = written.path.as_deref().and_then(|path| spelling.program(path));
        let names = found.iter().flat_map(|found| {
            let known = [Some(&*found.straight), Some(&*found.name), found.file_of_that_name()];
            known.into_iter().flatten()
        });
        Self {
            others: names.map(|name| written.of_program(name)).collect(),
            written,
        }
    }

    /// Whether it names its program by a path.
    pub fn names_a_path(&self) -> bool {
        self.written.path.is_some()
    }

    /// Whether it surely fits a command as it is written.
    pub fn allows(&self, command: &[Vec<Bit>]) -> bool {
        self.written.allows(command)
    }

    /// The same of a command whose program has this path.
    pub fn allows_by(&self, path: &str, command: &[Vec<Bit>]) -> bool {
        let mut command = command.to_vec();
        command[0] = path.chars().map(Bit::Char).collect();
        let mut all = std::iter::once(&self.written).chain(&self.others);
        all.any(|pattern| pattern.allows(&command))
    }
}

/// Folders whose programs are meant by their bare names.
pub(crate) const SYSTEM_FOLDERS: [&str; 5] = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"];

impl Pattern {
    /// Reads a pattern; quotes as in a shell, for a `*` or a blank that is meant as it stands.
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut words = split(source)?;
        if words.is_empty() {
            return Err("it is empty".to_owned());
        }
        let globs = |words: &[Vec<Part>], fold: bool| -> Vec<Option<Glob>> {
            let glob = |(i, word): (usize, &Vec<Part>)| match word[..] {
                [Part::Any] => None,
                _ => {
                    let glob = Glob::parts(word.iter().map(|p| match p {
                        Part::Any => None,
                        Part::Char(c) => Some(*c),
                    }));
                    Some(if fold && i == 0 { glob.folded() } else { glob })
                }
            };
            words.iter().enumerate().map(glob).collect()
        };
        let known = parts_known(&words[0]).map(|known| program(&known));
        if let Some(known) = &known {
            words[0] = known.chars().map(Part::Char).collect();
        }
        let mut denying = globs(&words, true);
        if denying.len() == 1 {
            denying.push(None);
        }
        Ok(Self {
            words: globs(&words, false),
            denying,
            path: known.filter(|known| known.contains('/')),
        })
    }

    /// The same pattern of another program.
    fn of_program(&self, name: &str) -> Self {
        let glob = Glob::parts(program(name).chars().map(Some));
        let mut other = self.clone();
        other.words[0] = Some(glob.clone());
        other.denying[0] = Some(glob.folded());
        other
    }

    /// Whether refusing by it refuses a program, whatever its arguments are.
    pub fn is_of_a_program(&self) -> bool {
        self.denying[0].is_some() && self.denying[1..].iter().all(Option::is_none)
    }

    /// Whether the pattern surely fits a command as it is written. A program in one of the system's folders goes by its bare name too.
    pub fn allows(&self, command: &[Vec<Bit>]) -> bool {
        let Some(first) = command.first() else {
            return false;
        };
        let name = known(first).map(|n| program(&n));
        let bare = name.as_deref().and_then(|n| {
            let folder = SYSTEM_FOLDERS.iter().find(|f| n.starts_with(**f))?;
            let rest = &n[folder.len()..];
            (!rest.contains('/')).then(|| rest.to_owned())
        });
        let names = [name, bare];
        let mut tried = names.into_iter().flatten().map(|n| n.chars().map(Bit::Char).collect());
        tried.any(|first: Vec<Bit>| fit(&self.words, &first, &command[1..]) == Fit::Sure)
    }

    /// Whether the pattern fits a command, whatever folder its program is named with and in whichever case.
    pub fn denies(&self, command: &[Vec<Bit>]) -> Fit {
        self.speaks_of(command, true)
    }

    /// Whether a command that is known word by word is refused. Says the same as [`Self::denies`] where that is sure, and asks for less.
    pub fn denies_surely(&self, command: &[Vec<Bit>]) -> bool {
        self.speaks_of(command, false) == Fit::Sure
    }

    /// Whether the pattern may name a program whose name or path is known, in small letters ([`Glob::may_fit`]).
    pub fn may_name(&self, folded: &str) -> bool {
        let program = self.denying.first().and_then(Option::as_ref);
        program.is_none_or(|glob| glob.may_fit(folded))
    }

    fn speaks_of(&self, command: &[Vec<Bit>], maybe: bool) -> Fit {
        let Some(first) = command.first() else {
            return Fit::No;
        };
        let slash = first.iter().rposition(|b| matches!(b, Bit::Char('/' | '\\')));
        let bare: Vec<Bit> = first[slash.map_or(0, |s| s + 1)..].to_vec();
        let without_exe = match known(&bare) {
            Some(name) if name.to_ascii_lowercase().ends_with(".exe") => &bare[..bare.len() - 4],
            _ => &bare,
        };
        let whole = match known(first) {
            Some(name) => program(&name).chars().map(Bit::Char).collect(),
            None => first.clone(),
        };
        let tried = [&whole[..], &bare, without_exe];
        let fits = tried.iter().map(|first| fit(&self.denying, first, &command[1..]));
        match fits.max().unwrap_or(Fit::No) {
            Fit::No if maybe && tried.iter().any(|first| self.may_mean(first, &command[1..])) => Fit::Maybe,
            fit => fit,
        }
    }

    /// Whether the pattern may speak of a command with something in between that is not written in it: `git -C . push`, `touch -- ./a`.
    fn may_mean(&self, first: &[Bit], rest: &[Vec<Bit>]) -> bool {
        let named: Vec<&Glob> = self.denying[1..].iter().flatten().collect();
        let Some(Some(program)) = self.denying.first() else {
            return false;
        };
        if named.is_empty() || program.fit(first) == Fit::No {
            return false;
        }
        let mut named = named.into_iter().peekable();
        for word in rest {
            let plain = match word[..] {
                [Bit::Char('.'), Bit::Char('/'), ref plain @ ..] => plain,
                _ => word,
            };
            if named.peek().is_some_and(|glob| glob.fit(plain) != Fit::No) {
                named.next();
            }
        }
        named.peek().is_none()
    }
}

/// A program's name with its folder made plain: `scripts/../x.sh` is `./x.sh`, `./a/b` is `a/b`, and `x` stays what PATH finds.
pub(crate) fn program(name: &str) -> String {
    if !name.contains('/') {
        return name.to_owned();
    }
    let bits: Vec<Bit> = name.chars().map(Bit::Char).collect();
    let normal = known(&place::normal(&bits)).unwrap_or_else(|| name.to_owned());
    if normal.contains('/') || normal.starts_with('~') {
        normal
    } else {
        format!("./{normal}")
    }
}

/// Matches words against a pattern, the states of which move word by word: pattern × words steps, each as long as the word.
fn fit(pattern: &[Option<Glob>], first: &[Bit], rest: &[Vec<Bit>]) -> Fit {
    let words = || std::iter::once(first).chain(rest.iter().map(Vec::as_slice));
    let run = |least: Fit| {
        let mut now = vec![false; pattern.len() + 1];
        now[0] = true;
        skip(pattern, &mut now);
        for word in words() {
            let mut next = vec![false; now.len()];
            // An unquoted place or pattern may turn out to be several words, or none.
            let many = least == Fit::Maybe && word.iter().any(|bit| !matches!(bit, Bit::Char(_)));
            for i in (0..now.len()).filter(|i| now[*i]) {
                match pattern.get(i) {
                    _ if many => next[i..].fill(true),
                    Some(None) => next[i] = true,
                    Some(Some(glob)) => next[i + 1] |= glob.fit(word) >= least,
                    None => {}
                }
            }
            now = next;
            skip(pattern, &mut now);
            if !now.contains(&true) {
                return false;
            }
        }
        now[pattern.len()]
    };
    match run(Fit::Sure) {
        true => Fit::Sure,
        false if run(Fit::Maybe) => Fit::Maybe,
        false => Fit::No,
    }
}

fn skip(pattern: &[Option<Glob>], now: &mut [bool]) {
    for i in 0..pattern.len() {
        if now[i] && pattern[i].is_none() {
            now[i + 1] = true;
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Char(char),
    Any,
}

fn parts_known(parts: &[Part]) -> Option<String> {
    let char = |p: &Part| match p {
        Part::Char(c) => Some(*c),
        Part::Any => None,
    };
    parts.iter().map(char).collect()
}

fn split(source: &str) -> Result<Vec<Vec<Part>>, String> {
    let mut words = Vec::new();
    let mut word: Option<Vec<Part>> = None;
    let mut rest = source.chars();
    while let Some(c) = rest.next() {
        if c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_with(Vec::new);
        match c {
            '\'' | '"' => loop {
                match rest.next() {
                    None => return Err("a quote is not closed".to_owned()),
                    Some(end) if end == c => break,
                    Some(c) => word.push(Part::Char(c)),
                }
            },
            '\\' => word.extend(rest.next().map(Part::Char)),
            '*' => word.push(Part::Any),
            c => word.push(Part::Char(c)),
        }
    }
    words.extend(word);
    Ok(words)
}
