//! Simple commands: which program runs, and what it makes of its arguments.

use super::builtins;
use super::files;
use super::held;
use super::needs::Folder;
use super::options::Options;
use super::posix;
use super::reader::{Call, Input, Reader, Sets};
use super::word::{Piece, Word};
use super::wrappers;
use crate::builtin;
use crate::command::{SYSTEM_FOLDERS, program};
use crate::need::{Kind, Need};
use crate::place;
use crate::text::Bit;
use std::rc::Rc;

/// Programs that run programs are followed this far (`env env env …`).
const DEEPEST: usize = 24;

/// Shells, and those that understand enough of the same.
const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "pdksh", "yash", "rbash", "fish", "posh",
];

/// Words that steer the shell itself.
const BUILTINS: &[&str] = &[
    "eval", "source", ".", "trap", "alias", "unalias", "compgen", "fc", "history", "enable", "bind", "complete",
    "compopt", "command", "builtin", "exec", "env", "sudo", "xargs", "time",
];

/// Names that only the shell itself can mean, apart from those that are programs too.
fn is_steering(name: &str) -> bool {
    const OTHERS: &[&str] = &[
        "cd",
        "declare",
        "export",
        "getopts",
        "hash",
        "jobs",
        "let",
        "local",
        "mapfile",
        "popd",
        "pushd",
        "read",
        "readarray",
        "readonly",
        "set",
        "shopt",
        "typeset",
        "unset",
        "wait",
    ];
    let own = BUILTINS.contains(&name) && !matches!(name, "command" | "env" | "sudo" | "xargs" | "time");
    own || OTHERS.contains(&name)
}

/// Whether a name is one that the reader follows by itself.
pub(super) fn steers(name: &str) -> bool {
    BUILTINS.contains(&name) || SHELLS.contains(&name)
}

/// Programs that run a text that they are given, or their standard input.
const INTERPRETERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "pypy",
    "node",
    "nodejs",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "tclsh",
    "osascript",
    "pwsh",
    "powershell",
    "rscript",
    "julia",
    "irb",
    "groovy",
    "scala",
    "ghci",
    "swift",
    "psql",
    "mysql",
    "sqlite3",
    "bc",
    "gdb",
    "ftp",
    "sftp",
    "at",
    "batch",
];

/// Whether a name, which may be an element's or end with `+`, stands before a `=` in the source without a quote before it.
fn is_assigned(name: &str, source: &str) -> bool {
    let plain = name.trim_end_matches('+');
    if !held::is_name(plain) && !plain.ends_with(']') {
        return false;
    }
    let written = format!("{name}=");
    let quoted = |at: usize| source[..at].ends_with(['\'', '"', '\\']);
    source.match_indices(&written).any(|(at, _)| !quoted(at))
}

impl Reader<'_> {
    /// A command is run.
    pub fn call(&mut self, words: &[Word], call: &Call<'_>) {
        let Some(first) = words.first() else { return };
        if call.level >= DEEPEST {
            return self.unread(call.source);
        }
        // `$HOME/bin/x` and `$PWD/x` are known as far as it matters.
        let name = first.known().or_else(|| self.needs.located(first.clone()).known());
        let name = name.filter(|n| !n.is_empty());
        // A bare brace or bracket may make another word of it, `~` and `$X` do.
        let Some(name) = name.filter(|_| !(first.bare && first.known_is_odd())) else {
            self.unclear(call.source);
            words.iter().for_each(|w| self.needs.secrets_in(w));
            return;
        };
        // What the grammar takes for a program the shell may take for an assignment, and the word behind it for the program.
        if name
            .split_once('=')
            .is_some_and(|(name, _)| is_assigned(name, call.source))
        {
            self.unclear(call.source);
        }
        let base = base(&name);
        if call.functions && self.needs.functions.contains(&name) {
            words[1..].iter().for_each(|w| self.needs.secrets_in(w));
            self.sets.extend(self.needs.body(&name).map(Sets::Body));
            return;
        }
        let rest = &words[1..];
        let found = Found::of(&name);
        match found {
            Found::ByName if self.steers_shell(&base, rest, call) => return,
            // The same under a path that each process reads for itself.
            _ if self.is_of_a_process(first) => self.unclear(call.source),
            _ => {}
        }
        // What lies elsewhere is only called so: it is listed, and what it starts if it is what its name says is read besides.
        if found == Found::Elsewhere {
            self.run(words, call);
        }
        if found == Found::System && base == "printenv" {
            self.needs.every_variable();
        }
        // A program of this name hands on to the builtin.
        if found == Found::System && is_steering(&base) {
            self.unclear(call.source);
        }
        if wrappers::unwrap(self, &base, words, call) {
            return;
        }
        if SHELLS.contains(&base.as_str()) {
            return self.shell(words, call);
        }
        self.run(words, call);
        if wrappers::starts_another(&base, rest) {
            self.unclear(call.source);
        }
        self.told(&base, rest, call.source);
        if matches!(base.as_str(), "sort" | "split") {
            rest.iter().for_each(|w| self.no_option(w, call.source));
        }
        self.option_words(&base, rest, call.source);
        files::arguments(self.needs, &base, rest);
        if is_interpreter(&base) {
            self.interpreter(&base, rest, call);
        }
    }

    /// Adds a command as a need; where a change of folder may have failed, also as what it is then.
    pub fn run(&mut self, words: &[Word], call: &Call<'_>) {
        let is_there = |name: String| name.contains('/') && !name.starts_with('/');
        if words.first().and_then(Word::known).is_some_and(is_there) {
            let folder = self.needs.folder.clone();
            for other in self.needs.doubts.clone() {
                self.needs.folder = other;
                self.run_here(words, call);
            }
            self.needs.folder = folder;
        }
        self.run_here(words, call);
        self.run_elsewhere(words, call);
    }

    /// What a program does depends on the folder it runs in (`make`, `npm test`): outside of the project, or where that may be, it is a need of
    /// its own. A program that is named from there says so itself.
    fn run_elsewhere(&mut self, words: &[Word], call: &Call<'_>) {
        let name = words.first().and_then(Word::known);
        if name.is_none_or(|n| builtin::is_harmless_command(&n) || n.contains('/') && !n.starts_with('/')) {
            return;
        }
        for folder in self.needs.elsewhere(&self.foreseen) {
            let there = [Word::of("env"), Word::of("-C"), folder];
            self.run_here(&[&there, words].concat(), call);
        }
    }

    fn run_here(&mut self, words: &[Word], call: &Call<'_>) {
        let Some(first) = words.first() else { return };
        let mut shown: Vec<String> = Vec::with_capacity(words.len());
        let mut unclear = false;
        match first.known() {
            name if name.as_ref().is_none_or(|n| n.contains('/')) => {
                let located = self.needs.located(first.clone());
                match located.known() {
                    Some(path) => shown.push(Word::of(&program(&path)).shown_first()),
                    None => {
                        unclear = true;
                        shown.push(located.shown());
                    }
                }
            }
            Some(name) => shown.push(Word::of(&name).shown_first()),
            None => return self.unclear(call.source),
        }
        shown.extend(words[1..].iter().map(Word::shown));
        // `[` is a program whose last argument is `]`.
        if shown[0] == "["
            && let Some(last) = shown.last_mut().filter(|l| *l == "']'")
        {
            last.replace_range(.., "]");
        }
        self.needs.add(Need {
            kind: Kind::Run,
            what: shown.join(" "),
            unclear,
            script: None,
        });
    }

    /// What changes the shell itself or runs text in it. Returns whether the command was one of these.
    fn steers_shell(&mut self, base: &str, rest: &[Word], call: &Call<'_>) -> bool {
        // A program of that name, if there is one.
        if self.posix && posix::BUILTINS.contains(&base) {
            self.unclear(call.source);
        }
        let all_known: Option<Vec<String>> = rest.iter().map(Word::known).collect();
        match base {
            "eval" => {
                // It takes no options, and `--` ends them.
                let dashes = usize::from(rest.first().is_some_and(|w| w.known().as_deref() == Some("--")));
                match all_known {
                    Some(words) => self.script(&words[dashes..].join(" ")),
                    None => self.partly(&rest[dashes..], call, None),
                }
            }
            "source" | "." => {
                let file = rest.iter().find(|w| !w.starts_with("--"));
                match (file, call.input) {
                    (Some(file), _) if self.is_of_a_process(file) && !file.known().is_some_and(|f| from_input(&f)) => {
                        self.unclear(call.source);
                    }
                    (Some(file), _) if file.known().is_some_and(|f| !from_input(&f)) => {
                        let mut words = vec![Word::of("source")];
                        words.extend_from_slice(rest);
                        self.run(&words, call);
                        self.needs.file(Kind::Read, file);
                        rest[1..].iter().for_each(|w| self.needs.secrets_in(w));
                    }
                    (Some(file), Input::Text(text)) if file.known().is_some() => self.script(&Rc::clone(text)),
                    (Some(_), _) => self.unclear(call.source),
                    (None, _) => {}
                }
            }
            "trap" => {
                let action = rest
                    .iter()
                    .find(|w| !w.starts_with("-") && w.known().as_deref() != Some("--"));
                match action.map(Word::known) {
                    Some(Some(action)) => {
                        // Behind every place of a text, so that it is taken for nothing else.
                        let own = (self.depth, usize::MAX - action.len());
                        self.needs.deferred.push((own, self.needs.moves));
                        let folder = self.needs.folder.clone();
                        if self.foreseen.adrift.contains(&own) {
                            self.needs.folder = Folder::Unknown;
                        }
                        // It may never run.
                        let moment = self.needs.set.moment();
                        self.script(&action);
                        self.needs.set.back_to(moment);
                        self.needs.folder = folder;
                    }
                    Some(None) => self.unclear(call.source),
                    None => {}
                }
            }
            "alias" => {
                // Whether it counts, and where, depends on the shell: what it stands for is read, and what it changes is not known.
                if rest.iter().any(|w| w.known().is_none_or(|w| w.contains('='))) {
                    self.unclear(call.source);
                }
                for word in rest {
                    match word.known() {
                        Some(text) => {
                            if let Some((_, value)) = text.split_once('=') {
                                self.script(value);
                            }
                        }
                        None => self.unclear(call.source),
                    }
                }
            }
            "cd" | "pushd" => {
                let before = self.needs.folder.clone();
                let own = call.functions && self.foreseen.functions.contains(base);
                match destination(rest).map(|w| (w.known(), w)) {
                    // A function of the script goes where it goes.
                    _ if own => self.needs.wander(),
                    None if base == "cd" => self.needs.enter(&Word::of("~")),
                    None => self.needs.wander(),
                    Some((Some(to), _)) if base == "pushd" && is_place(&to) => self.needs.wander(),
                    Some((Some(to), word)) if to != "-" => self.needs.enter(word),
                    Some((None, word)) if !word.pieces.is_empty() => self.needs.enter(word),
                    _ => self.needs.enter(&Word::unknown("$OLDPWD")),
                }
                self.needs.doubt(before);
                self.command_line(base, rest, call);
            }
            "popd" => {
                self.needs.wander();
                self.command_line(base, rest, call);
            }
            "printenv" => {
                let names = rest.iter().filter(|w| !w.starts_with("-")).collect::<Vec<_>>();
                for name in &names {
                    match name.known() {
                        Some(name) => self.needs.variable(&name),
                        None => self.needs.every_variable(),
                    }
                }
                if names.is_empty() {
                    self.needs.every_variable();
                }
                self.command_line(base, rest, call);
            }
            "export" | "declare" | "typeset" | "readonly" | "local" | "set" | "compgen" => {
                let flags = |w: &&Word| w.starts_with("-") || w.starts_with("+");
                let names = rest.iter().any(|w| !flags(&w));
                let ends = rest.iter().all(|w| w.known().as_deref() == Some("--"));
                let prints = rest
                    .iter()
                    .filter(flags)
                    .any(|w| w.rough().contains(['p', 'x', 'v', 'e']));
                let lists = match base {
                    // Words that come to nothing are none.
                    "set" => rest.iter().all(|w| w.known().is_none() && (w.splits || w.bare)),
                    "local" | "readonly" => false,
                    "compgen" => prints,
                    _ => !names && (prints || ends),
                };
                if lists {
                    self.needs.every_variable();
                }
                match base {
                    "set" => self.shell_options(base, rest, call),
                    "compgen" => {
                        let runs = |w: &Word| {
                            w.known()
                                .is_none_or(|w| w.starts_with('-') && w.contains(['C', 'F', 'W']))
                        };
                        if rest.iter().any(runs) {
                            self.unclear(call.source);
                        }
                    }
                    _ => self.declared(base, rest, call),
                }
                self.command_line(base, rest, call);
            }
            "shopt" => {
                self.shell_options(base, rest, call);
                self.command_line(base, rest, call);
            }
            "test" | "[" => {
                let last = if base == "[" {
                    rest.len().saturating_sub(1)
                } else {
                    rest.len()
                };
                self.tested(&rest[..last], call.source);
                return false;
            }
            "jobs" if rest.iter().any(|w| w.known().is_none_or(|w| w.contains('x'))) => self.unclear(call.source),
            "unset" => {
                self.takes_back(rest);
                // Unset, the name is the environment's no more either.
                for word in rest.iter().filter(|w| !w.starts_with("-")) {
                    // Without `IFS` words are split at blanks.
                    if word.known().as_deref() != Some("IFS") {
                        self.named(word, None, call.source);
                        let name = word.known().unwrap_or_default();
                        self.gives(&name, None, false, call.source);
                    }
                }
                self.command_line(base, rest, call);
            }
            "read" | "mapfile" | "readarray" | "getopts" | "printf" | "wait" | "let" => {
                self.sets(base, rest, call);
                self.command_line(base, rest, call);
            }
            "hash" | "enable" | "bind" | "complete" | "compopt" | "fc" | "history" if !rest.is_empty() => {
                self.unclear(call.source)
            }
            _ => return false,
        }
        true
    }

    /// `unset`: functions of these names may be gone, wherever the script calls them.
    fn takes_back(&mut self, rest: &[Word]) {
        let variables = rest
            .first()
            .and_then(Word::known)
            .is_some_and(|w| w == "-v" || w == "-n");
        for word in rest {
            match word.known() {
                None => self.needs.found.undoes = true,
                Some(_) if variables => {}
                Some(name) => drop(self.needs.found.undone.insert(name)),
            }
        }
    }

    /// Adds a builtin command as it stands.
    fn command_line(&mut self, base: &str, rest: &[Word], call: &Call<'_>) {
        let mut words = vec![Word::of(base)];
        words.extend_from_slice(rest);
        self.run(&words, call);
    }

    /// A shell is started.
    fn shell(&mut self, words: &[Word], call: &Call<'_>) {
        const VALUED: &[&str] = &["-o", "+o", "-O", "+O", "--rcfile", "--init-file", "--startup-file"];
        let rest = &words[1..];
        let options = Options::of(rest, VALUED, None);
        let name = words[0].known().map(|n| base(&n)).unwrap_or_default();
        let posix = name != "bash";
        // Others read the same text in ways of their own, and some options change what is read.
        let letters = |f: &String| {
            f.starts_with("--")
                && !matches!(
                    f.as_str(),
                    "--version" | "--help" | "--norc" | "--noprofile" | "--login" | "--"
                )
                || !f.starts_with("--") && f.chars().skip(1).any(|c| !"bcefhlnsuvxCEo".contains(c))
        };
        if !matches!(name.as_str(), "bash" | "sh" | "dash" | "ash") || options.flags.iter().any(letters) {
            self.unclear(call.source);
        }
        for (name, value) in &options.valued {
            if matches!(name.as_str(), "-o" | "+o" | "-O" | "+O")
                && !value.known().is_some_and(|v| builtins::is_calm(&v))
            {
                self.unclear(call.source);
            }
        }
        for (name, file) in &options.valued {
            if name.starts_with("--") {
                self.unclear(call.source);
                self.needs.file(Kind::Read, file);
            }
        }
        let commands = options
            .flags
            .iter()
            .any(|f| !f.starts_with("--") && f.starts_with('-') && f.contains('c'));
        let from_stdin = options
            .flags
            .iter()
            .any(|f| !f.starts_with("--") && f.starts_with('-') && f.contains('s'));
        // A `-` alone ends the options as `--` does; behind that it is a file.
        let is = |at: usize, text: &str| rest.get(at).is_some_and(|w| w.known().as_deref() == Some(text));
        let dash = is(options.end, "-") && !options.end.checked_sub(1).is_some_and(|last| is(last, "--"));
        let end = options.end + usize::from(dash);
        let operand = rest.get(end);
        self.settled(&options, call.source);
        match operand {
            Some(text) if commands => {
                match text.known() {
                    Some(text) => self.other_shell(&text, posix),
                    None => self.partly(std::slice::from_ref(text), call, Some(posix)),
                }
                rest[end + 1..].iter().for_each(|w| self.needs.secrets_in(w));
            }
            None if commands => {}
            Some(file) if !from_stdin && file.known().is_none_or(|f| !from_input(&f)) => {
                if file.known().is_none() || self.is_of_a_process(file) {
                    return self.unclear(call.source);
                }
                self.run(words, call);
                self.needs.file(Kind::Read, file);
                rest[end + 1..].iter().for_each(|w| self.needs.secrets_in(w));
            }
            None if options
                .flags
                .iter()
                .any(|f| matches!(f.as_str(), "--version" | "--help")) =>
            {
                self.run(words, call)
            }
            _ => match call.input {
                Input::Text(text) => self.other_shell(&Rc::clone(text), posix),
                Input::Partly(text) => {
                    self.unclear(call.source);
                    self.other_shell(&Rc::clone(text), posix);
                }
                Input::Unknown => self.unclear(call.source),
            },
        }
    }

    /// Whether a file is one of those that each process finds its own in: what it has open, its program, a connection.
    pub fn is_of_a_process(&self, file: &Word) -> bool {
        const PLACES: [&str; 7] = [
            "/proc/",
            "/dev/fd/",
            "/dev/std",
            "/dev/tty",
            "/dev/pts/",
            "/dev/tcp/",
            "/dev/udp/",
        ];
        let path = place::normal(&self.needs.located(file.clone()).bits());
        PLACES.iter().any(|place| {
            let mut begins = path.iter();
            place.chars().all(|c| begins.next() == Some(&Bit::Char(c)))
        })
    }

    /// Text that a shell runs, of which only a part is known: that part is read, and the whole is unclear.
    ///
    /// `other`: another shell runs it, which may be no bash.
    pub fn partly(&mut self, words: &[Word], call: &Call<'_>, other: Option<bool>) {
        self.unclear(call.source);
        let mut script = String::new();
        for word in words {
            for piece in &word.pieces {
                match piece {
                    Piece::Char(c) | Piece::Brace(c) => script.push(*c),
                    Piece::Star => script.push('*'),
                    Piece::One => script.push('?'),
                    Piece::Any(_) => script.push_str("${_}"),
                }
            }
            script.push(' ');
        }
        if script.replace("${_}", "").trim().is_empty() {
            return;
        }
        match other {
            None => self.script(&script),
            Some(posix) => self.other_shell(&script, posix),
        }
    }

    /// A program that runs text of another language: its text names secrets, or comes from somewhere else.
    fn interpreter(&mut self, base: &str, rest: &[Word], call: &Call<'_>) {
        rest.iter().for_each(|w| self.needs.secrets_in(w));
        if let Input::Text(text) | Input::Partly(text) = call.input {
            self.needs.secrets_in(&Word::of(text));
        }
        let waits = matches!(base, "psql" | "mysql" | "sqlite3" | "ftp" | "sftp");
        let operands = rest
            .iter()
            .filter(|w| !w.starts_with("-") || w.known().as_deref() == Some("-"));
        let is_input = |w: &Word| w.known().is_some_and(|w| w == "-" || from_input(&w));
        if operands.clone().any(|w| !is_input(w) && self.is_of_a_process(w)) {
            self.unclear(call.source);
        }
        let from_input = operands.clone().all(is_input);
        let asks = rest
            .iter()
            .any(|w| matches!(w.known().as_deref(), Some("--version" | "-V" | "-v" | "--help" | "-h")));
        let code = rest
            .iter()
            .any(|w| w.starts_with("-e") || w.starts_with("-c") || w.starts_with("-m") || w.starts_with("-r"));
        if from_input && !asks && !code && !waits && matches!(call.input, Input::Unknown) {
            self.unclear(call.source);
        }
    }
}

/// The name of a program without its folder, version and case.
pub(super) fn base(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    last.strip_suffix(".exe").map_or(last.clone(), ToOwned::to_owned)
}

fn is_interpreter(base: &str) -> bool {
    let plain = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&base) || INTERPRETERS.contains(&plain)
}

/// Where `cd` or `pushd` is told to go.
fn destination(rest: &[Word]) -> Option<&Word> {
    let mut words = rest.iter();
    words
        .find_map(|word| match word.known().as_deref() {
            Some("--") => Some(None),
            Some(text) if text.starts_with('-') && text != "-" && !is_place(text) => None,
            _ => Some(Some(word)),
        })?
        .or_else(|| words.next())
}

/// A place of the stack of folders: `+1`, `-0`.
fn is_place(text: &str) -> bool {
    let number = text.strip_prefix(['+', '-']);
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a name of a file means the standard input.
fn from_input(name: &str) -> bool {
    matches!(name, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// Where a program is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// By its name: the shell's own, or where `PATH` leads.
    ByName,
    /// In a folder of the system.
    System,
    /// In another folder, or by a name that only looks like one that is known.
    Elsewhere,
}

impl Found {
    fn of(name: &str) -> Self {
        let name = program(name);
        let folder = SYSTEM_FOLDERS.iter().find_map(|folder| name.strip_prefix(folder));
        match folder {
            Some(rest) if base(rest) == rest => Self::System,
            None if base(&name) == name => Self::ByName,
            _ => Self::Elsewhere,
        }
    }
}

impl Word {
    /// Whether a known, bare word may still turn into another: a brace left over.
    fn known_is_odd(&self) -> bool {
        self.pieces.len() > 1 && self.pieces.iter().any(|p| matches!(p, Piece::Brace('{' | '}')))
    }
}
