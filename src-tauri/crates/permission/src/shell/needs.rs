//! What is being found in a script, and what is known where the reader stands.

use super::own::{Body, Own};
use super::values::Values;
use super::word::{Piece, Word};
use crate::builtin;
use crate::need::{Kind, Need};
use crate::place::{self, Place};
use crate::text::{self, Bit, words};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A script has no more needs than these: past them it is only known then what it does.
const MOST_NEEDS: usize = 4_000;

/// As often at most a file is looked at from a folder: braces and changes of folder that may have failed make many of one.
const MOST_PLACES: usize = 100_000;

/// As many names at most are looked at because functions give them values: each call and each body that calls looks at those of the other.
const MOST_GIVEN: usize = 500_000;

/// No system takes a longer path, and a longer pattern of paths is not looked at.
const LONGEST_PATH: usize = 4_096;

/// A function, a trap or a loop: how deep the text it stands in is nested, and where in that text it begins. Two that share a place
/// share their fate.
pub(super) type Deferred = (usize, usize);

/// What holds for a script in whatever order its parts run, and is only known when all of it was read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Foreseen {
    /// Functions, traps and loops that run in a folder that is not known.
    pub adrift: BTreeSet<Deferred>,
    /// Functions that are defined anywhere.
    pub functions: BTreeSet<String>,
    /// Functions that are defined more than once: which of the bodies a call means is not looked into.
    pub ambiguous: BTreeSet<String>,
    /// Functions that are taken back anywhere.
    pub undone: BTreeSet<String>,
    /// Any function may be taken back.
    pub undoes: bool,
    /// A change of folder may lead out of the project: a folder that is not known may be anywhere.
    pub leaves: bool,
}

impl Foreseen {
    /// Whether a function may not be there any more when it is called.
    pub fn may_lose(&self, name: &str) -> bool {
        self.undoes || self.undone.contains(name)
    }

    /// Whether reading with this in mind finds nothing else than reading without it.
    pub fn is_plain(&self) -> bool {
        let moving = |name: &str| matches!(name, "cd" | "pushd" | "popd");
        let loses = self.functions.iter().any(|name| self.may_lose(name));
        self.adrift.is_empty()
            && !self.leaves
            && self.ambiguous.is_empty()
            && !loses
            && !self.functions.iter().any(|name| moving(name))
    }
}

/// The folder that relative paths start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Folder {
    /// A path, empty for the project's folder.
    Known(String),
    /// A change of folder that may have failed, or led anywhere.
    Unknown,
}

/// What a script needs, each once, in order, with what the reader knows on the way.
pub(super) struct Needs {
    list: Vec<Need>,
    seen: BTreeSet<Need>,
    /// Where relative paths start.
    pub folder: Folder,
    /// Where they start if a change of folder has failed.
    pub doubts: Vec<Folder>,
    /// Files are not noted: they will be, from where they are opened.
    pub passes_files: bool,
    /// Variables that the script has surely set by now.
    pub set: Own,
    /// How often the script has changed its folder by now.
    pub moves: usize,
    /// What runs later or again, and how often the folder had been changed before it.
    pub deferred: Vec<(Deferred, usize)>,
    /// Functions that are surely defined by now: calling one is no need.
    pub functions: BTreeSet<String>,
    /// The variables that these give a value when they are called.
    bodies: BTreeMap<String, Body>,
    /// How many bodies there were.
    numbered: usize,
    /// How many names were looked at for them.
    given: usize,
    /// Variables of functions: behind their end they hold what they held before.
    pub locals: BTreeSet<String>,
    /// In the bodies of how many functions the reader stands.
    pub functions_around: usize,
    /// What names are given, in this script and those in it.
    pub values: Values,
    /// What is found for a second reading.
    pub found: Foreseen,
    /// How often a file was looked at from a folder.
    places: usize,
    /// A part of the script was not read, for being too long or too deep.
    pub unread: bool,
}

impl Needs {
    pub fn new() -> Self {
        Self {
            list: Vec::new(),
            seen: BTreeSet::new(),
            folder: Folder::Known(String::new()),
            doubts: Vec::new(),
            passes_files: false,
            set: Own::default(),
            moves: 0,
            deferred: Vec::new(),
            functions: BTreeSet::new(),
            bodies: BTreeMap::new(),
            numbered: 0,
            given: 0,
            locals: BTreeSet::new(),
            functions_around: 0,
            values: Values::default(),
            found: Foreseen::default(),
            places: 0,
            unread: false,
        }
    }

    /// What is known now that all was read: what runs later or again may do so in another folder than where it stands, too.
    pub fn foreseen(&mut self) -> Foreseen {
        let moved = self.deferred.iter().filter(|(_, before)| *before < self.moves);
        self.found.adrift = moved.map(|(own, _)| *own).collect();
        std::mem::take(&mut self.found)
    }

    /// All that was found. What the values of names leave open is an unclear need.
    pub fn done(mut self) -> Vec<Need> {
        for source in std::mem::take(&mut self.values).unmet() {
            self.add(Need::unclear(Kind::Run, text::first_line(&source)));
        }
        // What stands behind the last of too many may be anything.
        if self.is_full() || self.unread {
            let kinds = [Kind::Run, Kind::Read, Kind::Write];
            self.list.extend(kinds.map(Need::rest));
            self.list.push(Need::new(Kind::Env, "*"));
        }
        self.list
    }

    pub fn add(&mut self, need: Need) {
        if !self.is_full() && self.seen.insert(need.clone()) {
            self.list.push(need);
        }
    }

    /// There are more needs than anybody can answer for: no other one is found.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MOST_NEEDS || self.places > MOST_PLACES || self.given > MOST_GIVEN
    }

    /// The body of a function ends: these variables it gives a value.
    pub fn defined(&mut self, name: String, mut given: Vec<Rc<str>>) {
        given.retain(|name| !self.locals.contains(&**name));
        self.given += given.len();
        self.numbered += 1;
        self.bodies.insert(name, Body::new(self.numbered, given));
    }

    /// What a function gives values.
    pub fn body(&self, name: &str) -> Option<Body> {
        self.bodies.get(name).cloned()
    }

    /// A function was called.
    pub fn called(&mut self, body: &Body) {
        self.given += self.set.call(body);
    }

    /// A variable is used. One that the script set itself, and the shell's own (`$1`, `$?`), are none of the environment.
    pub fn variable(&mut self, name: &str) {
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if named && !self.set.contains(name) {
            self.add(Need::new(Kind::Env, name));
        }
    }

    /// All variables are seen.
    pub fn every_variable(&mut self) {
        self.add(Need::new(Kind::Env, "*"));
    }

    /// A file is read or written.
    pub fn file(&mut self, kind: Kind, word: &Word) {
        if self.passes_files {
            return;
        }
        for word in word.clone().unbraced() {
            self.one_file(kind, word);
        }
    }

    /// A file, or a folder with everything in it: its need ends with a slash.
    pub fn tree(&mut self, kind: Kind, word: &Word) {
        for mut word in word.clone().unbraced() {
            if !word.pieces.is_empty() && word.pieces.last() != Some(&Piece::Char('/')) {
                word.pieces.push(Piece::Char('/'));
            }
            self.file(kind, &word);
        }
    }

    fn one_file(&mut self, kind: Kind, word: Word) {
        if word.pieces.is_empty() {
            return;
        }
        let folder = self.folder.clone();
        for other in self.doubts.clone() {
            self.folder = other;
            let mut there = self.located(word.clone());
            if place::place(&place::normal(&there.bits())) == Place::Outside {
                // It leads out only where the change of folder failed: that is asked about, and no reason to refuse what the script means.
                self.folder = Folder::Unknown;
                there = self.located(word.clone());
            }
            self.one_place(kind, there);
        }
        self.folder = folder;
        self.one_place(kind, self.located(word));
    }

    /// A change of folder may have failed: relative paths may also start there.
    pub fn doubt(&mut self, folder: Folder) {
        const MOST: usize = 8;
        if folder == self.folder || self.doubts.contains(&folder) {
            return;
        }
        match self.doubts.len() < MOST {
            true => self.doubts.push(folder),
            false => self.folder = Folder::Unknown,
        }
    }

    fn one_place(&mut self, kind: Kind, mut word: Word) {
        self.places += 1;
        if self.is_full() {
            return;
        }
        if word.pieces.len() > LONGEST_PATH {
            const SHOWN: usize = 80;
            word.pieces.splice(SHOWN.., [Piece::Any(text::SUBSTITUTED.to_owned())]);
        }
        let bits = word.bits();
        let is_known = bits.iter().all(|b| matches!(b, Bit::Char(_)));
        let shown = match is_known {
            true => {
                let normal: String = place::normal(&bits).iter().filter_map(char_of).collect();
                // The mark of a folder is for the reader.
                let slash = word.pieces.last() == Some(&Piece::Char('/')) && !normal.ends_with('/');
                Word::of(&if slash { normal + "/" } else { normal }).shown()
            }
            false => word.shown(),
        };
        let unknown = place::place(&place::normal(&words(&shown).into_iter().next().unwrap_or_default()));
        if matches_environ(&word) {
            self.every_variable();
        }
        self.add(Need {
            kind,
            what: shown,
            unclear: unknown == Place::Unknown,
            script: None,
        });
    }

    /// The word as a path from the project's folder.
    pub fn located(&self, mut word: Word) -> Word {
        if let Some(end) = open_beginning(&word) {
            word.pieces.splice(..end, [Piece::Any("$PWD".to_owned())]);
            return word;
        }
        let (place, rest) = match word.pieces.first() {
            Some(Piece::Any(place)) => (place.as_str(), word.after(1)),
            _ => ("", Word::default()),
        };
        let rest_is_path = matches!(rest.pieces.first(), None | Some(Piece::Char('/')));
        match place {
            "$HOME" | "${HOME}" if rest_is_path && !self.set.contains("HOME") => {
                word = rest;
                word.pieces.insert(0, Piece::Char('~'));
                return word;
            }
            "$PWD" | "${PWD}" if rest_is_path && !self.set.contains("PWD") => {
                word = rest;
                word.pieces.insert(0, Piece::Char('.'));
            }
            _ => {}
        }
        let relative = !matches!(word.pieces.first(), None | Some(Piece::Any(_)))
            && !word.starts_with("/")
            && !word.starts_with("~");
        match &self.folder {
            Folder::Known(folder) if relative && !folder.is_empty() => {
                let before = folder.chars().chain(['/']).map(Piece::Char);
                word.pieces.splice(0..0, before);
            }
            Folder::Unknown if relative => {
                let before = [Piece::Any("$PWD".to_owned()), Piece::Char('/')];
                word.pieces.splice(0..0, before);
            }
            _ => {}
        }
        word
    }

    /// The folder changes to where a word leads.
    pub fn enter(&mut self, word: &Word) {
        self.moves += 1;
        let located = self.located(word.clone());
        let path: Vec<Bit> = place::normal(&located.bits());
        let up = word.rough().split('/').any(|part| part == "..");
        let known: Option<String> = path.iter().map(char_of).collect();
        let place = place::place(&path);
        // Down from a folder of the project it stays there; up it does where every step down before was taken.
        self.found.leaves |= match up {
            true => place != Place::Inside || !self.doubts.is_empty(),
            false => place::place(&place::normal(&word.bits())) != Place::Inside && place != Place::Inside,
        };
        self.folder = match (known, place) {
            (Some(path), Place::Outside) => Folder::Known(path),
            // A step up is only where it seems if every step down before it was taken.
            (Some(path), Place::Inside) if !up => Folder::Known(if path == "." { String::new() } else { path }),
            _ => Folder::Unknown,
        };
    }

    /// The folder changes to one where the script was before, or where it may go itself.
    pub fn wander(&mut self) {
        self.moves += 1;
        self.folder = Folder::Unknown;
    }

    /// The folders outside of the project in which a command may run, as far as they are known.
    pub fn elsewhere(&self, foreseen: &Foreseen) -> Vec<Word> {
        let outside = |folder: &Folder| match folder {
            Folder::Known(path) => {
                let bits: Vec<Bit> = path.chars().map(Bit::Char).collect();
                (place::place(&bits) == Place::Outside).then(|| Word::of(path))
            }
            Folder::Unknown => foreseen.leaves.then(|| Word::unknown("$PWD")),
        };
        self.doubts.iter().chain([&self.folder]).filter_map(outside).collect()
    }

    /// Looks for names of secret files in a word that some program takes: `@.env`, `file=~/.ssh/id_rsa`, `$HOME/.ssh:/keys`.
    pub fn secrets_in(&mut self, word: &Word) {
        let between = |p: &Piece| match p {
            Piece::Char(c) => c.is_whitespace() || "=@:,;\"'`()<>|&".contains(*c),
            Piece::Brace(_) => true,
            _ => false,
        };
        for part in word.pieces.split(between) {
            if part.is_empty() || part.len() > 4096 {
                continue;
            }
            let part = Word {
                pieces: part.to_vec(),
                ..Word::default()
            };
            let path = place::normal(&part.bits());
            if builtin::secret_file(&path) != crate::pattern::Fit::No {
                self.one_file(Kind::Read, part);
            }
        }
    }
}

fn char_of(bit: &Bit) -> Option<char> {
    match bit {
        Bit::Char(c) => Some(*c),
        _ => None,
    }
}

/// How much of a path begins where only the shell or the system knows: `~+/x`, `/proc/self/cwd/x`, `/dev/fd/3/x`.
fn open_beginning(word: &Word) -> Option<usize> {
    match &word.pieces[..] {
        [Piece::Char('~'), Piece::Char('+' | '-' | '0'..='9'), ..] => {
            let end = word.pieces.iter().position(|p| *p == Piece::Char('/'));
            return Some(end.unwrap_or(word.pieces.len()));
        }
        [Piece::Char('/'), ..] => {}
        _ => return None,
    }
    let text: String = word.rough().chars().take(LONGEST_PATH).collect();
    let mut names = Vec::new();
    let mut at = 0;
    for part in text.split('/') {
        at += part.chars().count();
        match (part, &names[..]) {
            ("" | ".", _) => {}
            // Where it leads from one of the others is not known either.
            ("..", ["proc"] | ["dev"] | []) => drop(names.pop()),
            ("..", [first, ..]) if !matches!(*first, "proc" | "dev") => drop(names.pop()),
            _ => names.push(part),
        }
        let of_process = |name: &str| {
            matches!(name, "cwd" | "root" | "fd" | "task" | "map_files") || name.contains(['*', '?', '\u{f8ff}'])
        };
        let ends = match names[..] {
            ["dev", "stdin" | "stdout" | "stderr"] => true,
            ["dev", "fd", _] | ["proc", _, "fd", _] => true,
            ["proc", _, name] => name != "fd" && of_process(name),
            ["proc" | "dev", .., ".."] => true,
            _ => false,
        };
        let is_folder = matches!(names[..], ["proc", _, "cwd" | "root"]);
        if ends && (is_folder || text.chars().count() > at + 1) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Whether a path is the environment of a process.
fn matches_environ(word: &Word) -> bool {
    let path = word.rough();
    path.starts_with("/proc/") && path.ends_with("/environ")
}
