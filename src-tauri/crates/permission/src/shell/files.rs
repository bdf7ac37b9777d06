//! Which arguments of a program are files, and whether it reads or writes them.

use super::held::is_pattern;
use super::needs::Needs;
use super::usage::{self, Part, listed};
use super::word::{Piece, Word};
use crate::need::Kind;
use crate::text;

/// Programs all of whose operands are files they change.
const WRITERS: &[&str] = &[
    "rm", "rmdir", "mkdir", "touch", "truncate", "shred", "unlink", "mkfifo", "tee", "mv", "trash", "rimraf", "mkdirp",
    "mktemp",
];

/// Programs that pack each of their operands into another file, or unpack it, and take it away.
const PACKERS: &[&str] = &[
    "gzip",
    "gunzip",
    "bzip2",
    "bunzip2",
    "xz",
    "unxz",
    "lzma",
    "unlzma",
    "zstd",
    "unzstd",
    "compress",
    "uncompress",
];

/// The same, after a first operand that is none (a mode, an owner).
const WRITERS_AFTER_ONE: &[&str] = &["chmod", "chown", "chgrp", "chattr", "setfacl", "chcon"];

/// Programs that copy from all operands but the last to the last.
const COPIERS: &[&str] = &["cp", "install", "ln", "link", "rsync", "scp", "sftp", "ditto"];

/// Programs all of whose operands are files they read.
const READERS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "wc",
    "tac",
    "nl",
    "sort",
    "cut",
    "paste",
    "join",
    "comm",
    "diff",
    "cmp",
    "md5sum",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "b2sum",
    "cksum",
    "sum",
    "base32",
    "base64",
    "od",
    "hexdump",
    "hd",
    "strings",
    "less",
    "more",
    "most",
    "bat",
    "file",
    "stat",
    "du",
    "ls",
    "dir",
    "vdir",
    "tree",
    "readlink",
    "realpath",
    "rev",
    "fold",
    "fmt",
    "pr",
    "column",
    "expand",
    "unexpand",
    "tsort",
    "zcat",
    "bzcat",
    "xzcat",
    "zless",
    "view",
    "vim",
    "vi",
    "nano",
    "emacs",
    "open",
    "xdg-open",
    "xxd",
    "uniq",
    "csplit",
    "shuf",
    "iconv",
    "ptx",
    "basenc",
    "diff3",
    "sdiff",
    "lzcat",
    "zstdcat",
];

/// Programs to which `-` is what they are given or what they print. To any other it is a file of that name.
const STREAMED: &[&str] = &[
    "cat",
    "head",
    "tail",
    "wc",
    "tac",
    "nl",
    "sort",
    "cut",
    "paste",
    "join",
    "comm",
    "diff",
    "cmp",
    "md5sum",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "b2sum",
    "cksum",
    "sum",
    "base32",
    "base64",
    "od",
    "less",
    "more",
    "bat",
    "fold",
    "fmt",
    "pr",
    "expand",
    "unexpand",
    "tsort",
    "zcat",
    "bzcat",
    "xzcat",
    "uniq",
    "xxd",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "sed",
    "awk",
    "gawk",
    "mawk",
    "jq",
    "yq",
    "gzip",
    "gunzip",
    "bzip2",
    "bunzip2",
    "xz",
    "unxz",
    "zstd",
    "unzstd",
    "touch",
    "shred",
    "file",
    "stat",
    "vim",
    "vi",
    "view",
    "nano",
    "tar",
    "curl",
    "wget",
    "split",
    "shuf",
    "iconv",
    "ptx",
    "look",
    "basenc",
    "lzma",
    "unlzma",
    "lzcat",
    "zstdcat",
];

/// Programs whose first operand is a pattern or a program, and the others files they read.
const SEARCHERS: &[&str] = &[
    "grep", "egrep", "fgrep", "zgrep", "rgrep", "rg", "ag", "ack", "sed", "gsed", "awk", "gawk", "mawk", "nawk", "jq",
    "yq", "look",
];

/// Long options of these that hold a pattern or a program, or name a file that does: there is none among the operands then. May be cut short.
const PATTERN_OPTIONS: &[&str] = &["--regexp", "--expression", "--file", "--from-file"];

/// Programs that open none of their arguments.
const CLOSED: &[&str] = &[
    "echo", "printf", "test", "[", "true", "false", ":", "exit", "return", "sleep", "seq", "basename", "dirname",
    "expr", "kill", "read", "set", "type", "which", "shift", "yes",
];

/// Options that name a file, by program (empty: any).
const FILE_OPTIONS: &[(&str, &str, Kind)] = &[
    ("curl", "-o", Kind::Write),
    ("curl", "--output", Kind::Write),
    ("curl", "--output-dir", Kind::Write),
    ("curl", "-D", Kind::Write),
    ("curl", "--dump-header", Kind::Write),
    ("curl", "-c", Kind::Write),
    ("curl", "--cookie-jar", Kind::Write),
    ("curl", "--trace", Kind::Write),
    ("curl", "--trace-ascii", Kind::Write),
    ("curl", "--stderr", Kind::Write),
    ("curl", "-K", Kind::Read),
    ("curl", "--config", Kind::Read),
    ("curl", "-T", Kind::Read),
    ("curl", "--upload-file", Kind::Read),
    ("curl", "-E", Kind::Read),
    ("curl", "--cert", Kind::Read),
    ("curl", "--key", Kind::Read),
    ("curl", "--netrc-file", Kind::Read),
    ("wget", "-O", Kind::Write),
    ("wget", "--output-document", Kind::Write),
    ("wget", "-o", Kind::Write),
    ("wget", "-a", Kind::Write),
    ("wget", "-P", Kind::Write),
    ("wget", "--directory-prefix", Kind::Write),
    ("wget", "--post-file", Kind::Read),
    ("wget", "--body-file", Kind::Read),
    ("wget", "-i", Kind::Read),
    ("iconv", "-o", Kind::Write),
    ("iconv", "--output", Kind::Write),
    ("shuf", "-o", Kind::Write),
    ("shuf", "--output", Kind::Write),
    ("shuf", "--random-source", Kind::Read),
    ("ptx", "-b", Kind::Read),
    ("ptx", "--break-file", Kind::Read),
    ("ptx", "-i", Kind::Read),
    ("ptx", "--ignore-file", Kind::Read),
    ("ptx", "-o", Kind::Read),
    ("ptx", "--only-file", Kind::Read),
    ("rg", "-f", Kind::Read),
    ("rg", "--file", Kind::Read),
    ("zstd", "-o", Kind::Write),
    ("sort", "-o", Kind::Write),
    ("sort", "--output", Kind::Write),
    ("sort", "-T", Kind::Write),
    ("sort", "--temporary-directory", Kind::Write),
    ("sort", "--files0-from", Kind::Read),
    ("sort", "--random-source", Kind::Read),
    ("wc", "--files0-from", Kind::Read),
    ("du", "--files0-from", Kind::Read),
    ("du", "-X", Kind::Read),
    ("du", "--exclude-from", Kind::Read),
    ("date", "-f", Kind::Read),
    ("date", "--file", Kind::Read),
    ("touch", "-r", Kind::Read),
    ("touch", "--reference", Kind::Read),
    ("mktemp", "-p", Kind::Write),
    ("mktemp", "--tmpdir", Kind::Write),
    ("csplit", "-f", Kind::Write),
    ("csplit", "--prefix", Kind::Write),
    ("tree", "-o", Kind::Write),
    ("git", "-o", Kind::Write),
    ("grep", "--file", Kind::Read),
    ("grep", "--exclude-from", Kind::Read),
    ("file", "-f", Kind::Read),
    ("file", "--files-from", Kind::Read),
    ("file", "-m", Kind::Read),
    ("diff", "--from-file", Kind::Read),
    ("diff", "--to-file", Kind::Read),
    ("diff", "-X", Kind::Read),
    ("unzip", "-d", Kind::Write),
    ("gpg", "-o", Kind::Write),
    ("gpg", "--output", Kind::Write),
    ("openssl", "-out", Kind::Write),
    ("openssl", "-keyout", Kind::Write),
    ("openssl", "-in", Kind::Read),
    ("openssl", "-inkey", Kind::Read),
    ("ssh-keygen", "-f", Kind::Write),
    ("cc", "-o", Kind::Write),
    ("go", "-o", Kind::Write),
    ("rustc", "-o", Kind::Write),
    ("pandoc", "-o", Kind::Write),
    ("grep", "-f", Kind::Read),
    ("awk", "-f", Kind::Read),
    ("sed", "-f", Kind::Read),
    ("make", "-f", Kind::Read),
    ("make", "-C", Kind::Read),
    ("git", "-C", Kind::Read),
    ("docker", "--env-file", Kind::Read),
    ("cp", "-t", Kind::Write),
    ("mv", "-t", Kind::Write),
    ("ln", "-t", Kind::Write),
    ("install", "-t", Kind::Write),
    ("cp", "--target-directory", Kind::Write),
    ("mv", "--target-directory", Kind::Write),
];

/// Those of them that name a list of the files to be read, or `-` for one that comes in.
const LISTS: &[(&str, &[&str])] = &[
    ("sort", &["--files0-from"]),
    ("wc", &["--files0-from"]),
    ("du", &["--files0-from"]),
    ("file", &["-f", "--files-from"]),
];

/// Whether a program opens its operands.
pub(super) fn opens(base: &str) -> bool {
    let lists = [WRITERS, PACKERS, WRITERS_AFTER_ONE, COPIERS, READERS, SEARCHERS];
    lists.iter().any(|list| list.contains(&base)) || matches!(base, "date" | "split" | "dd")
}

/// Whether the first operand of a program is a pattern or a program.
pub(super) fn is_searcher(base: &str) -> bool {
    SEARCHERS.contains(&base)
}

/// Whether the first operand of a program is a pattern or a program, as no option brings one.
pub(super) fn takes_pattern(base: &str, rest: &[Word]) -> bool {
    let mut options = rest.iter().map(Word::rough).take_while(|text| text != "--");
    is_searcher(base) && !options.any(|text| pattern_option(listed(base), &text).is_some())
}

/// Whether an option of a program names a file.
pub(super) fn has_file_options(base: &str) -> bool {
    FILE_OPTIONS.iter().any(|(program, ..)| *program == listed(base))
}

/// Adds the files among a program's arguments.
pub(super) fn arguments(needs: &mut Needs, base: &str, rest: &[Word]) {
    if CLOSED.contains(&base) {
        return;
    }
    let recurses = recurses(base, rest);
    let base = listed(base);
    if base == "tar" {
        return archived(needs, rest);
    }
    let mut operands: Vec<&Word> = Vec::new();
    let mut only_operands = false;
    let mut target_given = false;
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let text = word.rough();
        if only_operands || !text.starts_with('-') || text == "-" {
            operands.push(word);
            continue;
        }
        // What is unknown may be nothing: then the word is `-`, an operand, or `--`, and what follows are operands.
        if word.known().is_none() && matches!(text.trim_end_matches('\u{f8ff}'), "-" | "--") {
            operands.push(word);
            operands.extend(words.clone().filter(|word| word.starts_with("-")));
        }
        if text == "--" {
            only_operands = true;
            continue;
        }
        let option = FILE_OPTIONS
            .iter()
            .filter(|(program, ..)| *program == base)
            .find_map(|(_, name, kind)| Some((*name, told(base, &text, name, *kind)?)))
            .or_else(|| Some(("", generic(base, &text)?)));
        match option {
            Some((name, (kind, value))) => {
                let is_list = LISTS
                    .iter()
                    .any(|(program, names)| *program == base && names.contains(&name));
                if is_list {
                    needs.file(Kind::Read, &Word::unknown(text::SUBSTITUTED));
                }
                let taken = match value {
                    Some(value) => Some(word.after(text.chars().count() - value.chars().count())),
                    None => words.next().cloned(),
                };
                target_given |= matches!(base, "cp" | "mv" | "ln" | "install");
                if let Some(file) = taken.filter(|f| !is_address(&f.rough()) && f.known().as_deref() != Some("-")) {
                    needs.file(kind, &file);
                }
            }
            None => {
                option_value(needs, word, &text);
                let takes_next = pattern_option(base, &text) == Some("") || usage::takes_next(base, &text);
                if SEARCHERS.contains(&base) && takes_next {
                    words.next().into_iter().for_each(|value| needs.secrets_in(value));
                }
            }
        }
    }
    if matches!(base, "curl" | "wget") {
        uploads(needs, rest);
    }
    let given = Given {
        operands: &operands,
        rest,
        recurses,
        target_given,
    };
    by_program(needs, base, &given);
}

/// Whether a word is this option, and what stands behind it in the same word.
fn told<'t>(base: &str, text: &'t str, name: &str, kind: Kind) -> Option<(Kind, Option<&'t str>)> {
    let long = name.starts_with("--") || name.len() > 2;
    if text == name {
        return Some((kind, None));
    }
    if !long
        && !text.starts_with("--")
        && let Some(value) = bundled(base, text, name)
    {
        return Some((kind, (!value.is_empty()).then_some(value)));
    }
    match long {
        // Long options may be cut short.
        true => match text.split_once('=') {
            Some((cut, value)) => (cut.len() > 2 && name.starts_with(cut)).then_some((kind, Some(value))),
            None => (text.len() > 2 && name.starts_with(text)).then_some((kind, None)),
        },
        false => text.strip_prefix(name).map(|v| (kind, Some(v))),
    }
}

/// An option that names a file to be written in most programs: `--output=file`, `--out=file`, `--output-file file`.
fn generic<'t>(base: &str, text: &'t str) -> Option<(Kind, Option<&'t str>)> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let names = [
        "--ou",
        "--log-file",
        "--logfile",
        "--dump-to",
        "--report-file",
        "--save",
        "--write-to",
        "--dest",
    ];
    let is_git = base == "git" && name == "--output";
    (names.iter().any(|n| name.starts_with(n)) && (value.is_some() || is_git)).then_some((Kind::Write, value))
}

/// What follows an option among short ones that are written as one: `-sSo` holds `-o` last, `-rofile` holds it with its value.
fn bundled<'t>(base: &str, text: &'t str, name: &str) -> Option<&'t str> {
    let letters = &text[1..];
    if !usage::is_known(base) {
        let all = letters.len() > 1 && letters.chars().all(|c| c.is_ascii_alphabetic());
        return (all && letters.ends_with(&name[1..])).then_some("");
    }
    let (letters, value) = usage::letters(base, letters);
    value.filter(|_| letters.ends_with(&name[1..]))
}

/// What an option of a searcher that holds its pattern or program, or names a file that does, has behind it in the same word; `None`: it
/// is another option.
fn pattern_option<'t>(base: &str, text: &'t str) -> Option<&'t str> {
    if text.starts_with("--") {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let is_one = name.len() > 2 && PATTERN_OPTIONS.iter().any(|option| option.starts_with(name));
        return is_one.then_some(value);
    }
    let letters = text.strip_prefix('-')?;
    match usage::is_known(base) {
        true => ["-e", "-f"].iter().find_map(|name| bundled(base, text, name)),
        // Of a program whose options are not known any such letter may be one.
        false => letters.find(['e', 'f']).map(|at| &letters[at + 1..]),
    }
}

/// What a program is given.
struct Given<'w> {
    operands: &'w [&'w Word],
    rest: &'w [Word],
    /// It takes folders with everything in them.
    recurses: bool,
    /// An option says where it writes.
    target_given: bool,
}

fn by_program(needs: &mut Needs, base: &str, given: &Given<'_>) {
    let Given {
        operands,
        rest,
        recurses,
        target_given,
    } = *given;
    let each = |needs: &mut Needs, kind: Kind, list: &[&Word]| {
        let is_stream = |word: &Word| word.known().as_deref() == Some("-") && STREAMED.contains(&base);
        for word in list.iter().filter(|word| !is_stream(word)) {
            match recurses {
                true => needs.tree(kind, word),
                false => needs.file(kind, word),
            }
        }
    };
    match base {
        _ if PACKERS.contains(&base) => {
            let is_told = |letters: &[char], names: &[&str]| {
                rest.iter()
                    .map(Word::rough)
                    .take_while(|text| text != "--")
                    .any(|text| match text.starts_with("--") {
                        true => text.len() > 2 && names.iter().any(|name| name.starts_with(text.as_str())),
                        false => text.starts_with('-') && text.contains(letters),
                    })
            };
            // What is packed lies under another name then; what is only printed stays as it is.
            each(needs, Kind::Read, operands);
            if !is_told(&['c', 'l', 't'], &["--stdout", "--to-stdout", "--list", "--test"]) {
                each(needs, Kind::Write, operands);
            }
        }
        _ if WRITERS.contains(&base) => each(needs, Kind::Write, operands),
        _ if WRITERS_AFTER_ONE.contains(&base) => each(needs, Kind::Write, operands.get(1..).unwrap_or_default()),
        _ if COPIERS.contains(&base) => {
            let local: Vec<&Word> = operands.iter().copied().filter(|w| !is_remote(&w.rough())).collect();
            match operands.split_last() {
                Some((last, _)) if !target_given && !is_remote(&last.rough()) => {
                    each(needs, Kind::Read, &local[..local.len() - 1]);
                    // What is copied to is written, not what lies in it already.
                    local[local.len() - 1..]
                        .iter()
                        .for_each(|word| needs.file(Kind::Write, word));
                }
                _ => each(needs, Kind::Read, &local),
            }
        }
        "dd" => {
            for word in operands {
                let text = word.rough();
                match text.split_once('=') {
                    Some(("of", _)) => needs.file(Kind::Write, &word.after(3)),
                    Some(("if", _)) => needs.file(Kind::Read, &word.after(3)),
                    _ => {}
                }
            }
        }
        "split" => {
            // Values of options stand among the operands: each may be the prefix that names are made of.
            each(needs, Kind::Read, operands);
            let given = operands.iter().skip(1).map(|p| (*p).clone());
            for mut prefix in given.chain([Word::of("x")]) {
                prefix.pieces.push(Piece::Star);
                needs.file(Kind::Write, &prefix);
            }
        }
        "date" => {}
        "git" => {
            operands.iter().for_each(|w| looks(needs, w));
            compared(needs, rest);
        }
        "zip" => zipped(needs, given),
        // Its operands are words where it is told so.
        "shuf"
            if rest
                .iter()
                .any(|word| matches!(word.known().as_deref(), Some("-e" | "--echo"))) =>
        {
            operands.iter().for_each(|word| looks(needs, word));
        }
        "ptx"
            if rest.iter().any(|word| {
                word.starts_with("-") && !word.starts_with("--") && word.rough().contains(['G', '\u{f8ff}'])
            }) =>
        {
            each(needs, Kind::Read, operands);
            each(needs, Kind::Write, operands.get(1..).unwrap_or_default());
        }
        "uniq" | "xxd" => {
            each(needs, Kind::Read, operands.get(..1).unwrap_or_default());
            each(needs, Kind::Write, operands.get(1..).unwrap_or_default());
        }
        "sed" if is_in_place(rest) => {
            let from = usize::from(takes_pattern(base, rest));
            each(needs, Kind::Write, operands.get(from..).unwrap_or_default());
            operands.iter().take(from).for_each(|w| needs.secrets_in(w));
        }
        "perl" | "ruby"
            if ["-i", "-pi", "-ni"]
                .iter()
                .any(|begin| rest.iter().any(|w| w.starts_with(begin))) =>
        {
            each(needs, Kind::Write, operands.get(1..).unwrap_or_default());
            operands.iter().take(1).for_each(|w| needs.secrets_in(w));
        }
        _ if SEARCHERS.contains(&base) => {
            let options = rest.iter().map(Word::rough).take_while(|text| text != "--");
            let given = options.into_iter().any(|text| pattern_option(base, &text).is_some());
            // Of a pattern of files the first is what is searched for, and the others are searched.
            let first = operands.first().filter(|word| is_pattern(word));
            let from = usize::from(!given && first.is_none());
            let files = operands.get(from..).unwrap_or_default();
            each(needs, Kind::Read, files);
            // Without a file a search in folders begins in the one it runs in; what may come to nothing is maybe none.
            let stays = |word: &&&Word| !word.splits && !is_pattern(word);
            let sure = operands.iter().filter(stays).count();
            if recurses && sure < 1 + usize::from(!given) {
                needs.tree(Kind::Read, &Word::of("."));
            }
            // `sed 'w file'` and `awk '… > "file"'` hold names in their programs.
            if !given && !matches!(base, "grep" | "rg" | "ag" | "ack" | "look") {
                operands.iter().take(1).for_each(|w| needs.secrets_in(w));
            }
        }
        _ if READERS.contains(&base) => {
            // `-n 3`: a number behind an option that takes a value is that. `tail +3` is an old form of one.
            let is_number = |w: &Word| w.rough().chars().all(|c| c.is_ascii_digit() || c == '+');
            let values: Vec<&Word> = rest
                .windows(2)
                .take_while(|two| two[0].rough() != "--")
                .filter(|two| two[0].starts_with("-") && usage::takes_next(base, &two[0].rough()) && is_number(&two[1]))
                .map(|two| &two[1])
                .collect();
            let is_value = |w: &Word| values.iter().any(|v| std::ptr::eq(*v, w)) || w.starts_with("+") && is_number(w);
            let files: Vec<&Word> = operands.iter().filter(|w| !is_value(w)).copied().collect();
            each(needs, Kind::Read, &files);
        }
        _ => operands.iter().for_each(|w| looks(needs, w)),
    }
}

/// Whether `sed` changes the files it is given.
fn is_in_place(rest: &[Word]) -> bool {
    let parts = usage::parts("sed", rest, true);
    parts.iter().any(|part| match part {
        Part::Option(name, _) => name == "-i" || name == "--in-place" || name.contains('\u{f8ff}'),
        Part::Operand(_) => false,
    })
}

/// Programs that search all of a folder without being told to.
const FOLDER_SEARCHERS: &[&str] = &["rg", "ag", "ack", "rgrep"];

/// Letters and long names of options by which a program takes folders with everything in them.
const RECURSIVE: &[(&str, &str, &[&str])] = &[
    ("grep", "rR", &["--recursive", "--dereference-recursive"]),
    ("cp", "rRa", &["--recursive", "--archive"]),
    ("rsync", "ra", &["--recursive", "--archive"]),
    ("scp", "r", &[]),
    ("rm", "rR", &["--recursive"]),
    ("chmod", "R", &["--recursive"]),
    ("chown", "R", &["--recursive"]),
    ("chgrp", "R", &["--recursive"]),
    ("diff", "r", &["--recursive"]),
    ("gzip", "r", &["--recursive"]),
    ("gunzip", "r", &["--recursive"]),
    ("zstd", "r", &[]),
    ("zip", "rR", &["--recurse-paths", "--recurse-patterns"]),
];

/// Whether a program takes the folders among its operands with everything in them.
fn recurses(base: &str, rest: &[Word]) -> bool {
    if FOLDER_SEARCHERS.contains(&base) || matches!(base, "ditto" | "rimraf") {
        return true;
    }
    let Some((_, letters, names)) = RECURSIVE.iter().find(|(name, ..)| *name == listed(base)) else {
        return false;
    };
    let mut words = rest.iter().map(Word::rough).take_while(|text| text != "--").peekable();
    while let Some(text) = words.next() {
        let Some(option) = text.strip_prefix('-') else { continue };
        let told = match option.starts_with('-') {
            // They may be cut short.
            true => text.len() > 3 && names.iter().any(|name| name.starts_with(text.as_str())),
            false => usage::letters(base, option).0.contains(|c| letters.contains(c)),
        };
        let by_action = listed(base) == "grep"
            && match text.split_once('=') {
                Some((name, value)) => {
                    name.len() > 3 && "--directories".starts_with(name) && "recurse".starts_with(value)
                }
                None if text.len() > 3 && "--directories".starts_with(text.as_str()) || text.ends_with('d') => words
                    .peek()
                    .is_some_and(|value| !value.is_empty() && "recurse".starts_with(value.as_str())),
                None => !option.starts_with('-') && option.contains("drecurse"),
            };
        // What is unknown may be such an option.
        if told || by_action || text.contains('\u{f8ff}') && !option.starts_with('-') {
            return true;
        }
    }
    false
}

/// A path from a folder that a program was told to begin in.
fn joined(folder: Option<&Word>, word: &Word) -> Word {
    let stands_alone =
        word.starts_with("/") || word.starts_with("~") || matches!(word.pieces.first(), Some(Piece::Any(_)));
    match folder.filter(|_| !stands_alone) {
        Some(folder) => {
            let mut path = folder.clone();
            path.pieces.push(Piece::Char('/'));
            path.pieces.extend_from_slice(&word.pieces);
            path.splits |= word.splits;
            path
        }
        None => word.clone(),
    }
}

/// What `tar` puts into an archive, or holds against one, and the archive.
fn archived(needs: &mut Needs, rest: &[Word]) {
    let parts = tar_parts(rest);
    // Options that read what is named, by their letters and names; what is not known may be one.
    const READING: [&str; 5] = ["-c", "-r", "-u", "-d", "-A"];
    const NAMES: [&str; 7] = [
        "--create",
        "--append",
        "--update",
        "--diff",
        "--compare",
        "--catenate",
        "--concatenate",
    ];
    let is = |name: &String, letters: &[&str], names: &[&str]| match name.starts_with("--") {
        true => name.len() > 2 && names.iter().any(|full| full.starts_with(name.as_str())),
        false => letters.contains(&name.as_str()) || name.contains('\u{f8ff}'),
    };
    let any = |letters: &[&str], names: &[&str]| {
        parts
            .iter()
            .any(|part| matches!(part, Part::Option(name, _) if is(name, letters, names)))
    };
    let reads_files = any(&READING, &NAMES);
    let reads_archive = !any(&["-c"], &NAMES[..1]) || any(&["-r", "-u", "-d", "-A"], &NAMES[1..]);
    let writes_archive = any(
        &["-c", "-r", "-u", "-A"],
        &[
            "--create",
            "--append",
            "--update",
            "--catenate",
            "--concatenate",
            "--delete",
        ],
    );
    let is_stream = |word: &Word| word.known().as_deref() == Some("-");
    let mut folder: Option<Word> = None;
    for part in &parts {
        match part {
            Part::Operand(word) if reads_files => needs.tree(Kind::Read, &joined(folder.as_ref(), word)),
            Part::Operand(word) => looks(needs, word),
            Part::Option(name, Some(value)) => match name.as_str() {
                // What follows lies there; it is changed where something is taken out of an archive.
                "-C" | "--directory" => {
                    let there = joined(folder.as_ref(), value);
                    if !reads_files {
                        needs.file(Kind::Write, &there);
                    }
                    folder = Some(there);
                }
                "-f" | "--file" if !is_stream(value) && !is_remote(&value.rough()) => {
                    if reads_archive {
                        needs.file(Kind::Read, value);
                    }
                    if writes_archive {
                        needs.file(Kind::Write, value);
                    }
                }
                "--add-file" => needs.tree(Kind::Read, &joined(folder.as_ref(), value)),
                "-T" | "--files-from" => {
                    if reads_files {
                        needs.file(Kind::Read, &Word::unknown(text::SUBSTITUTED));
                    }
                    if !is_stream(value) {
                        needs.file(Kind::Read, value);
                    }
                }
                "-X" | "--exclude-from" | "--group-map" | "--owner-map" if !is_stream(value) => {
                    needs.file(Kind::Read, value)
                }
                "-g" | "--listed-incremental" | "--index-file" | "--volno-file" => {
                    needs.file(Kind::Read, value);
                    needs.file(Kind::Write, value);
                }
                _ => needs.secrets_in(value),
            },
            Part::Option(..) => {}
        }
    }
}

/// What `tar` is given: letters that stand first need no dash, and their values are the words behind them.
fn tar_parts(rest: &[Word]) -> Vec<Part<'_>> {
    let Some((first, behind)) = rest.split_first().filter(|(first, _)| !first.starts_with("-")) else {
        return usage::parts("tar", rest, true);
    };
    let mut behind = behind.iter();
    let mut parts = Vec::new();
    for letter in first.rough().chars() {
        let value = match usage::takes_next("tar", &format!("-{letter}")) {
            true => behind.next().cloned(),
            false => None,
        };
        parts.push(Part::Option(format!("-{letter}"), value));
    }
    parts.extend(usage::parts("tar", behind.as_slice(), true));
    parts
}

/// `zip`: the archive comes first, and may come to hold a list of files that is given.
fn zipped(needs: &mut Needs, given: &Given<'_>) {
    let Some((archive, files)) = given.operands.split_first() else {
        return;
    };
    let is_stream = |word: &Word| word.known().as_deref() == Some("-");
    if !is_stream(archive) {
        let mut archive = (*archive).clone();
        // It gives a name without an ending its own.
        if !archive.rough().rsplit('/').next().unwrap_or_default().contains('.') {
            archive.pieces.extend(Word::of(".zip").pieces);
        }
        needs.file(Kind::Read, &archive);
        needs.file(Kind::Write, &archive);
    }
    let moves = |word: &Word| {
        let text = word.rough();
        text.starts_with('-') && !text.starts_with("--") && text.contains('m')
            || text.len() > 2 && "--move".starts_with(text.as_str())
    };
    let moves = given.rest.iter().any(moves);
    for file in files.iter().filter(|file| !is_stream(file)) {
        match given.recurses {
            true => needs.tree(Kind::Read, file),
            false => needs.file(Kind::Read, file),
        }
        if moves {
            needs.tree(Kind::Write, file);
        }
    }
    if given
        .rest
        .iter()
        .any(|word| matches!(word.known().as_deref(), Some("-@" | "--names-stdin")))
    {
        needs.file(Kind::Read, &Word::unknown(text::SUBSTITUTED));
    }
}

/// `git diff` and `git grep` of files that are none of the repository's: they are told so (`--no-index`), the files lie outside, or there
/// may be no repository.
fn compared(needs: &mut Needs, rest: &[Word]) {
    let mut folder: Option<Word> = None;
    let mut words: Vec<Word> = Vec::new();
    for part in usage::parts("git", rest, false) {
        match part {
            Part::Option(name, Some(value)) if name == "-C" => folder = Some(joined(folder.as_ref(), &value)),
            Part::Option(..) => {}
            Part::Operand(word) => words.push(word.clone()),
        }
    }
    let Some((command, given)) = words.split_first() else {
        return;
    };
    let command = command.known().unwrap_or_default();
    let told = given.iter().any(|word| {
        let text = word.rough();
        text.len() > 4 && "--no-index".starts_with(text.as_str())
            || text.len() > 3 && "--untracked".starts_with(text.as_str())
            || text.starts_with("-\u{f8ff}")
    });
    let outside = |word: &&Word| {
        let text = word.rough();
        text.starts_with(['/', '~', '\u{f8ff}']) || text == ".." || text.starts_with("../") || text.contains("/../")
    };
    let there = |word: &Word| joined(folder.as_ref(), word);
    match command.as_str() {
        "diff" => {
            let is_operand = |word: &&Word| !word.starts_with("-") || word.known().as_deref() == Some("-");
            let files: Vec<&Word> = given.iter().filter(is_operand).collect();
            let all = told || files.iter().any(outside);
            // Outside of a repository two files are compared. Inside of one they may be revisions, as what stands before `--` always is.
            let behind = given.iter().skip_while(|word| word.known().as_deref() != Some("--"));
            let behind = behind.filter(is_operand).count();
            let is_pair = files.len() == 2 && (behind == 0 || behind == 2);
            let revisions = files.iter().any(|word| is_revision(&word.rough()));
            let is_file = |text: &str| !is_revision(text) && (!revisions || text.contains(['.', '/']));
            for file in files.iter().filter(|word| all || is_pair && is_file(&word.rough())) {
                needs.tree(Kind::Read, &there(file));
            }
        }
        "grep" => {
            let mut operands: Vec<&Word> = Vec::new();
            let mut is_given = false;
            let parts = usage::parts("git grep", given, true);
            for part in &parts {
                match part {
                    Part::Operand(word) => operands.push(word),
                    Part::Option(name, value) => {
                        is_given |= matches!(name.as_str(), "-e" | "-f");
                        let list = value.as_ref().filter(|_| name == "-f");
                        list.into_iter().for_each(|list| needs.file(Kind::Read, &there(list)));
                    }
                }
            }
            let files = operands.get(usize::from(!is_given)..).unwrap_or_default();
            if told || files.iter().any(outside) {
                files.iter().for_each(|file| needs.tree(Kind::Read, &there(file)));
            }
            if told && !files.iter().any(|word| !word.splits && !is_pattern(word)) {
                needs.tree(Kind::Read, &there(&Word::of(".")));
            }
        }
        _ => {}
    }
}

/// Whether a text names a revision to `git`, as far as it says so itself.
fn is_revision(text: &str) -> bool {
    const BRANCHES: [&str; 6] = ["@", "HEAD", "main", "master", "develop", "trunk"];
    const BEGINNINGS: [&str; 3] = ["origin/", "upstream/", "refs/"];
    let is_name = text.len() >= 7 && text.bytes().all(|c| c.is_ascii_hexdigit());
    let is_version = text
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_name
        || is_version
        || text.ends_with("_HEAD")
        || BRANCHES.contains(&text)
        || BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || text.contains("..")
        || text.contains(['~', '^', ':'])
        || text.contains("@{")
}

/// The value of an option that is not known to be a file.
fn option_value(needs: &mut Needs, word: &Word, text: &str) {
    needs.secrets_in(word);
    if let Some(at) = text.find('=').filter(|_| text.starts_with("--")) {
        looks(needs, &word.after(text[..=at].chars().count()));
    }
}

/// An argument of a program of which nothing is known: a file if it looks like one.
fn looks(needs: &mut Needs, word: &Word) {
    let text = word.rough();
    if text.starts_with("--") {
        return option_value(needs, word, &text);
    }
    let blank = text.chars().any(char::is_whitespace);
    // `@scope/package` is a name; `origin/main` cannot be told from a path and counts as one.
    let path = text.contains('/') || text.starts_with('~') || text == "..";
    if path && !blank && !is_address(&text) && !text.starts_with('@') {
        needs.file(Kind::Read, word);
    }
    if !blank {
        needs.secrets_in(word);
    }
}

/// Files that are sent: `-d @file`, `-F name=@file`, `-F name=<file`.
fn uploads(needs: &mut Needs, rest: &[Word]) {
    for word in rest {
        for (at, piece) in word.pieces.iter().enumerate().take(256) {
            let before = at.checked_sub(1).map(|b| &word.pieces[b]);
            let begins = matches!(before, None | Some(Piece::Char('=' | 'd' | 'F')));
            let is_mark = *piece == Piece::Char('@') || *piece == Piece::Char('<') && before == Some(&Piece::Char('='));
            if begins && is_mark {
                let mut file = word.after(at + 1);
                if let Some(end) = file.pieces.iter().position(|p| *p == Piece::Char(';')) {
                    file.pieces.truncate(end);
                }
                if file.known().as_deref() != Some("-") {
                    needs.file(Kind::Read, &file);
                }
                break;
            }
        }
    }
}

/// `https://…`, `git@host:…`
fn is_address(text: &str) -> bool {
    text.contains("://") && !text.starts_with("file:") || is_remote(text)
}

/// `host:path`
fn is_remote(text: &str) -> bool {
    let colon = text.find(':');
    colon.is_some_and(|c| c > 1 && !text[..c].contains('/') && !text[c..].starts_with(":\\"))
}
