//! Which arguments of a program are files, and whether it reads or writes them.

use super::held::is_pattern;
use super::needs::Needs;
use super::word::{Piece, Word};
use crate::need::Kind;
use crate::text;

/// Programs all of whose operands are files they change.
const WRITERS: &[&str] = &[
    "rm",
    "rmdir",
    "mkdir",
    "touch",
    "truncate",
    "shred",
    "unlink",
    "mkfifo",
    "tee",
    "mv",
    "gzip",
    "gunzip",
    "bzip2",
    "bunzip2",
    "xz",
    "unxz",
    "zstd",
    "unzstd",
    "compress",
    "uncompress",
    "trash",
    "rimraf",
    "mkdirp",
    "mktemp",
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
];

/// Programs whose first operand is a pattern or a program, and the others files they read.
const SEARCHERS: &[&str] = &[
    "grep", "egrep", "fgrep", "zgrep", "rgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "mawk", "jq", "yq",
];

/// Long options of these that hold a pattern or a program, or name a file that does: there is none among the operands then. May be cut short.
const PATTERN_OPTIONS: &[&str] = &["--regexp", "--expression", "--file", "--from-file"];

/// The same program under other names, as far as its options go.
const ALIKE: &[(&str, &str)] = &[
    ("egrep", "grep"),
    ("fgrep", "grep"),
    ("zgrep", "grep"),
    ("gawk", "awk"),
    ("mawk", "awk"),
    ("nawk", "awk"),
];

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
    ("tar", "-C", Kind::Write),
    ("tar", "--directory", Kind::Write),
    ("unzip", "-d", Kind::Write),
    ("gpg", "-o", Kind::Write),
    ("gpg", "--output", Kind::Write),
    ("openssl", "-out", Kind::Write),
    ("openssl", "-keyout", Kind::Write),
    ("openssl", "-in", Kind::Read),
    ("openssl", "-inkey", Kind::Read),
    ("ssh-keygen", "-f", Kind::Write),
    ("cc", "-o", Kind::Write),
    ("gcc", "-o", Kind::Write),
    ("clang", "-o", Kind::Write),
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

/// Letters of options that take a value, by program: behind one of these nothing else is an option in the same word.
const VALUED: &[(&str, &str)] = &[
    ("awk", "eEfFilv"),
    ("base32", "w"),
    ("base64", "w"),
    ("cmp", "in"),
    ("column", "clos"),
    ("cp", "St"),
    ("csplit", "bfn"),
    ("curl", "AbcCdDeEFHKmoPQrtTuUwxXyYz"),
    ("cut", "bcdf"),
    ("date", "dfrs"),
    ("diff", "CDFILSUWXx"),
    ("du", "BdtX"),
    ("expand", "t"),
    ("file", "efFmP"),
    ("fmt", "gpw"),
    ("fold", "w"),
    ("grep", "ABCDdefm"),
    ("head", "cn"),
    ("hexdump", "efns"),
    ("install", "gmoSt"),
    ("join", "12aejotv"),
    ("less", "bhjkopPtTxyz"),
    ("ln", "St"),
    ("ls", "ITw"),
    ("make", "CfIjloOW"),
    ("mkdir", "m"),
    ("mktemp", "p"),
    ("mv", "St"),
    ("nl", "bdfhilnsvw"),
    ("od", "AjNSt"),
    ("paste", "d"),
    ("pr", "DhlNoWw"),
    ("sed", "efil"),
    ("sort", "kSotT"),
    ("strings", "nt"),
    ("tac", "s"),
    ("tail", "cns"),
    ("touch", "drt"),
    ("tree", "HILPTo"),
    ("unexpand", "t"),
    ("uniq", "fsw"),
    ("wc", ""),
    ("wget", "aABDeGiIlOoPQRtTUwX"),
    ("xxd", "cglnos"),
];

/// Letters of options, by program, that take a value only in the same word.
const OPTIONAL: &[(&str, &str)] = &[("date", "I"), ("od", "wS"), ("pr", "einsS"), ("ls", "C"), ("diff", "u")];

/// Long options, by program, that take the next word where they have no `=`.
const LONG_VALUED: &[(&str, &[&str])] = &[
    ("base64", &["--wrap"]),
    ("cut", &["--bytes", "--characters", "--delimiter", "--fields"]),
    ("date", &["--date", "--reference"]),
    ("du", &["--max-depth"]),
    ("fold", &["--width"]),
    (
        "grep",
        &[
            "--after-context",
            "--before-context",
            "--context",
            "--max-count",
            "--regexp",
        ],
    ),
    ("head", &["--bytes", "--lines"]),
    ("od", &["--read-bytes", "--skip-bytes"]),
    ("sort", &["--batch-size", "--buffer-size", "--key", "--parallel"]),
    ("tail", &["--bytes", "--lines", "--pid", "--sleep-interval"]),
    ("uniq", &["--check-chars", "--skip-chars", "--skip-fields"]),
];

/// What a program is called where its options are listed.
fn listed(base: &str) -> &str {
    let alike = ALIKE.iter().find(|(name, _)| *name == base);
    alike.map_or(base, |(_, as_name)| as_name)
}

/// Whether a program opens its operands.
pub(super) fn opens(base: &str) -> bool {
    let lists = [WRITERS, WRITERS_AFTER_ONE, COPIERS, READERS, SEARCHERS];
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

/// What stands behind the letter of a short option that takes a value, if one is among these.
pub(super) fn ends_in_value<'t>(base: &str, text: &'t str) -> Option<&'t str> {
    let (_, valued) = VALUED.iter().find(|(program, _)| *program == listed(base))?;
    let letters = text.strip_prefix('-')?;
    letters.find(|c| valued.contains(c)).map(|at| &letters[at + 1..])
}

/// Whether the word behind an option is its value.
pub(super) fn takes_next(base: &str, text: &str) -> bool {
    match text.starts_with("--") {
        true => LONG_VALUED
            .iter()
            .any(|(program, names)| *program == listed(base) && names.contains(&text)),
        false => {
            // Digits begin an old form, and of some letters what follows is the value.
            let optional = OPTIONAL.iter().find(|(program, _)| *program == listed(base));
            let is_flag =
                |c: char| c.is_ascii_alphabetic() && !optional.is_some_and(|(_, letters)| letters.contains(c));
            let letters = text.strip_prefix('-').unwrap_or_default();
            ends_in_value(base, text) == Some("") && letters.chars().rev().skip(1).all(is_flag)
        }
    }
}

/// Adds the files among a program's arguments.
pub(super) fn arguments(needs: &mut Needs, base: &str, rest: &[Word]) {
    if CLOSED.contains(&base) {
        return;
    }
    let base = listed(base);
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
                if SEARCHERS.contains(&base) && pattern_option(base, &text) == Some("") {
                    words.next();
                }
            }
        }
    }
    if matches!(base, "curl" | "wget") {
        uploads(needs, rest);
    }
    by_program(needs, base, &operands, rest, target_given);
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
    let Some((_, valued)) = VALUED.iter().find(|(program, _)| *program == base) else {
        let all = letters.len() > 1 && letters.chars().all(|c| c.is_ascii_alphabetic());
        return (all && letters.ends_with(&name[1..])).then_some("");
    };
    let end = letters.find(|c| valued.contains(c))?;
    let rest = &letters[end..];
    rest.strip_prefix(&name[1..])
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
    let valued = VALUED.iter().find(|(program, _)| *program == base);
    match valued {
        Some(_) => ["-e", "-f"].iter().find_map(|name| bundled(base, text, name)),
        // Of a program whose options are not known any such letter may be one.
        None => letters.find(['e', 'f']).map(|at| &letters[at + 1..]),
    }
}

fn by_program(needs: &mut Needs, base: &str, operands: &[&Word], rest: &[Word], target_given: bool) {
    let recurses = recurses(base, rest);
    let each = |needs: &mut Needs, kind: Kind, list: &[&Word]| {
        let is_stream = |word: &Word| word.known().as_deref() == Some("-") && STREAMED.contains(&base);
        for word in list.iter().filter(|word| !is_stream(word)) {
            match recurses {
                true => needs.tree(kind, word),
                false => needs.file(kind, word),
            }
        }
    };
    let in_place = |short: &str| rest.iter().any(|w| w.starts_with(short) || w.starts_with("--in-place"));
    match base {
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
        "tar" => archived(needs, operands, rest),
        "git" => {
            operands.iter().for_each(|w| looks(needs, w));
            let compares = |w: &&Word| matches!(w.known().as_deref(), Some("diff" | "grep"));
            if let Some(at) = operands.iter().position(compares) {
                compared(needs, &operands[at + 1..], rest);
            }
        }
        "uniq" | "xxd" => {
            each(needs, Kind::Read, operands.get(..1).unwrap_or_default());
            each(needs, Kind::Write, operands.get(1..).unwrap_or_default());
        }
        "sed" | "perl" | "ruby"
            if in_place("-i")
                || rest
                    .iter()
                    .any(|w| w.rough().starts_with("-pi") || w.rough().starts_with("-ni")) =>
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
            // Without a file a search in folders begins in the one it runs in.
            if recurses && files.iter().all(|word| word.splits && word.known().is_none()) {
                needs.tree(Kind::Read, &Word::of("."));
            }
            // `sed 'w file'` and `awk '… > "file"'` hold names in their programs.
            if !given && !matches!(base, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "zgrep") {
                operands.iter().take(1).for_each(|w| needs.secrets_in(w));
            }
        }
        _ if READERS.contains(&base) => {
            // `-n 3`: a number behind an option that takes a value is that. `tail +3` is an old form of one.
            let is_number = |w: &Word| w.rough().chars().all(|c| c.is_ascii_digit() || c == '+');
            let values: Vec<&Word> = rest
                .windows(2)
                .take_while(|two| two[0].rough() != "--")
                .filter(|two| two[0].starts_with("-") && takes_next(base, &two[0].rough()) && is_number(&two[1]))
                .map(|two| &two[1])
                .collect();
            let is_value = |w: &Word| values.iter().any(|v| std::ptr::eq(*v, w)) || w.starts_with("+") && is_number(w);
            let files: Vec<&Word> = operands.iter().filter(|w| !is_value(w)).copied().collect();
            each(needs, Kind::Read, &files);
        }
        _ => operands.iter().for_each(|w| looks(needs, w)),
    }
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
];

/// Whether a program takes the folders among its operands with everything in them.
fn recurses(base: &str, rest: &[Word]) -> bool {
    if FOLDER_SEARCHERS.contains(&base) || matches!(base, "ditto" | "rimraf") {
        return true;
    }
    let Some((_, letters, names)) = RECURSIVE.iter().find(|(name, ..)| *name == base) else {
        return false;
    };
    let valued = VALUED.iter().find(|(name, _)| *name == base).map_or("", |(_, v)| v);
    let mut words = rest.iter().map(Word::rough).take_while(|text| text != "--").peekable();
    while let Some(text) = words.next() {
        let Some(option) = text.strip_prefix('-') else { continue };
        let told = match option.starts_with('-') {
            // They may be cut short.
            true => text.len() > 3 && names.iter().any(|name| name.starts_with(text.as_str())),
            false => {
                let end = option.find(|c| valued.contains(c)).unwrap_or(option.len());
                option[..end].contains(|c| letters.contains(c))
            }
        };
        let by_action = base == "grep"
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

/// What `tar` puts into an archive, or holds against one.
fn archived(needs: &mut Needs, operands: &[&Word], rest: &[Word]) {
    const LONG: [&str; 4] = ["--create", "--append", "--update", "--diff"];
    let creates = |(at, word): (usize, &Word)| {
        let text = word.rough();
        match text.strip_prefix('-') {
            Some(option) if option.starts_with('-') => {
                LONG.iter().any(|name| name.starts_with(&*text) && text.len() > 3)
            }
            Some(letters) => letters.contains(['c', 'r', 'u', 'd']),
            None => at == 0 && text.contains(['c', 'r', 'u', 'd']),
        }
    };
    let creates = rest.iter().enumerate().any(creates);
    // The letters that stand first without a dash are no file, and the archive behind `f` is none that is put in.
    let mut skipped: Vec<&Word> = rest.iter().take(1).filter(|word| !word.starts_with("-")).collect();
    for (at, two) in rest.windows(2).enumerate() {
        let text = two[0].rough();
        if text == "--file" || (at == 0 || text.starts_with('-') && !text.starts_with("--")) && text.ends_with('f') {
            looks(needs, &two[1]);
            skipped.push(&two[1]);
        }
    }
    for word in operands
        .iter()
        .filter(|word| !skipped.iter().any(|s| std::ptr::eq(*s, **word)))
    {
        match creates && !is_address(&word.rough()) && word.known().as_deref() != Some("-") {
            true => needs.tree(Kind::Read, word),
            false => looks(needs, word),
        }
    }
}

/// `git diff` of files that are none of the repository's (`--no-index`, or one that lies outside), and `git grep` in such.
fn compared(needs: &mut Needs, operands: &[&Word], rest: &[Word]) {
    let told = rest.iter().any(|word| {
        let text = word.rough();
        text.len() > 4 && "--no-index".starts_with(text.as_str())
            || text == "--untracked"
            || text.starts_with("-\u{f8ff}")
    });
    let outside = |word: &&Word| {
        let text = word.rough();
        text.starts_with(['/', '~', '\u{f8ff}']) || text == ".." || text.starts_with("../") || text.contains("/../")
    };
    if told || operands.iter().any(outside) {
        operands.iter().for_each(|word| needs.tree(Kind::Read, word));
    }
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
