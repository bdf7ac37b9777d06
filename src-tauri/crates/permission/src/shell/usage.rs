//! How programs are called: which of their options take a value, and so which of their words are operands.

use super::word::Word;

/// The options of a program that take a value, as its manual lists them.
struct Usage {
    program: &'static str,
    /// Letters: the value stands in the same word, or is the next one.
    valued: &'static str,
    /// Letters: a value stands in the same word, or there is none.
    optional: &'static str,
    /// Names: the value stands behind `=`, or is the next word. With a `?`: behind `=`, or there is none.
    names: &'static str,
}

const fn usage(program: &'static str, valued: &'static str, optional: &'static str, names: &'static str) -> Usage {
    Usage {
        program,
        valued,
        optional,
        names,
    }
}

const USAGES: &[Usage] = &[
    usage(
        "awk",
        "eEfFilv",
        "",
        "--assign --exec --field-separator --file --include --load --source",
    ),
    usage("base32", "w", "", ""),
    usage("base64", "w", "", "--wrap"),
    usage("cmp", "in", "", ""),
    usage("column", "clos", "", ""),
    usage("cp", "St", "", ""),
    usage("csplit", "bfn", "", ""),
    usage("curl", "AbcCdDeEFHKmoPQrtTuUwxXyYz", "", ""),
    usage("cut", "bcdf", "", "--bytes --characters --delimiter --fields"),
    usage("date", "dfrs", "I", "--date --reference"),
    usage("diff", "CDFILSUWXx", "u", ""),
    usage("du", "BdtX", "", "--max-depth"),
    usage("expand", "t", "", ""),
    usage("file", "efFmP", "", ""),
    usage("fmt", "gpw", "", ""),
    usage("fold", "w", "", "--width"),
    usage(
        "git",
        "Cc",
        "",
        "--attr-source --config-env --exec-path? --git-dir --list-cmds --namespace --super-prefix --work-tree",
    ),
    usage(
        "git config",
        "f",
        "",
        "--blob --comment --default --file --type --url --value",
    ),
    usage(
        "git grep",
        "ABCefm",
        "O",
        "--after-context --before-context --context --max-count --max-depth --open-files-in-pager? --parent-basename \
        --threads",
    ),
    usage(
        "grep",
        "ABCDdefm",
        "",
        "--after-context --before-context --binary? --binary-files --context --devices --directories --exclude --exclude-dir \
        --exclude-from --file --group-separator --include --label --max-count --regexp --color? --colour?",
    ),
    usage("head", "cn", "", "--bytes --lines"),
    usage("hexdump", "efns", "", ""),
    usage("iconv", "fot", "", "--from-code --output --to-code"),
    usage("install", "gmoSt", "", ""),
    usage("join", "12aejotv", "", ""),
    usage("less", "bhjkopPtTxyz", "", ""),
    usage("ln", "St", "", ""),
    usage("ls", "ITw", "C", ""),
    usage(
        "make",
        "CEIWfo",
        "Ojl",
        "--assume-new --assume-old --directory --eval --file --include-dir --makefile --new-file --old-file --what-if",
    ),
    usage("mkdir", "m", "", ""),
    usage("mktemp", "p", "", ""),
    usage("mv", "St", "", ""),
    usage("nl", "bdfhilnsvw", "", ""),
    usage("od", "AjNSt", "w", "--read-bytes --skip-bytes"),
    usage("paste", "d", "", ""),
    usage("pr", "DhlNoWw", "einsS", ""),
    usage(
        "ptx",
        "FMSWbgiow",
        "",
        "--break-file --flag-truncation --gap-size --ignore-file --macro-name --only-file --sentence-regexp --width \
        --word-regexp",
    ),
    usage(
        "rg",
        "ABCEMTdefgjmrt",
        "",
        "--after-context --before-context --color --colors --context --context-separator --dfa-size-limit --encoding \
        --engine --field-context-separator --field-match-separator --file --generate --glob --hostname-bin \
        --hyperlink-format --iglob --ignore-file --max-columns --max-count --max-depth --max-filesize --path-separator \
        --pre --pre-glob --regex-size-limit --regexp --replace --sort --sortr --threads --type --type-add --type-clear \
        --type-not",
    ),
    usage("scp", "DFJPSXcilo", "", ""),
    usage("sed", "efl", "i", "--expression --file --line-length --in-place?"),
    usage("sftp", "BDFJPRSXbcilos", "", ""),
    usage("shuf", "ino", "", "--head-count --input-range --output --random-source"),
    usage("sort", "kSotT", "", "--batch-size --buffer-size --key --parallel"),
    usage("strings", "nt", "", ""),
    usage(
        "su",
        "Gcgsuw",
        "",
        "--command --group --session-command --shell --supp-group --user --whitelist-environment",
    ),
    usage("tac", "s", "", ""),
    usage("tail", "cns", "", "--bytes --lines --pid --sleep-interval"),
    usage(
        "tar",
        "CFHILNKTVXbfg",
        "",
        "--add-file --after-date --atime-preserve? --backup? --blocking-factor --checkpoint? --checkpoint-action \
        --clamp-mtime? --directory --exclude --exclude-from --exclude-ignore --exclude-ignore-recursive --exclude-tag \
        --exclude-tag-all --exclude-tag-under --exclude-vcs? --file --files-from --format --group --group-map --hole-detection \
        --index-file --info-script --label --level --list? --listed-incremental --mode --mtime --newer --newer-mtime \
        --new-volume-script --occurrence? --owner --owner-map --pax-option --quoting-style --record-size --rmt-command \
        --rsh-command --sort --sparse? --sparse-version --starting-file --strip-components --suffix --tape-length \
        --to-command --transform --use-compress-program --volno-file --warning --xattrs? --xattrs-exclude \
        --xattrs-include --xform",
    ),
    usage("touch", "drt", "", ""),
    usage("tree", "HILPTo", "", ""),
    usage("unexpand", "t", "", ""),
    usage("uniq", "fsw", "", "--check-chars --skip-chars --skip-fields"),
    usage("wc", "", "", ""),
    usage("wget", "aABDeGiIlOoPQRtTUwX", "", ""),
    usage("xxd", "cglnos", "", ""),
];

/// The same program under other names, as far as its options go.
const ALIKE: &[(&str, &str)] = &[
    ("egrep", "grep"),
    ("fgrep", "grep"),
    ("zgrep", "grep"),
    ("rgrep", "grep"),
    ("gawk", "awk"),
    ("mawk", "awk"),
    ("nawk", "awk"),
    ("gsed", "sed"),
    ("gmake", "make"),
    ("gcc", "cc"),
    ("g++", "cc"),
    ("c++", "cc"),
    ("clang", "cc"),
    ("clang++", "cc"),
    ("gtar", "tar"),
    ("bsdtar", "tar"),
    ("runuser", "su"),
];

/// What a program is called where its options are listed.
pub(super) fn listed(base: &str) -> &str {
    let alike = ALIKE.iter().find(|(name, _)| *name == base);
    alike.map_or(base, |(_, as_name)| as_name)
}

fn of(base: &str) -> Option<&'static Usage> {
    let base = listed(base);
    USAGES.iter().find(|usage| usage.program == base)
}

impl Usage {
    /// The option that a long name means, which may be cut short, and whether it takes the next word where it has no `=`.
    fn name(&self, written: &str) -> Option<(&'static str, bool)> {
        let names = || self.names.split_ascii_whitespace();
        let plain = |name: &'static str| name.trim_end_matches('?');
        let exact = names().find(|name| plain(name) == written);
        let cut = || names().find(|name| written.len() > 2 && name.starts_with(written));
        exact.or_else(cut).map(|name| (plain(name), !name.ends_with('?')))
    }

    /// The letter of an option with a value among short ones that are written as one word: where it stands.
    fn letter(&self, letters: &str) -> Option<(usize, char)> {
        let takes = |c: &char| self.valued.contains(*c) || self.optional.contains(*c);
        letters.char_indices().find(|(_, c)| takes(c))
    }
}

/// Whether anything is known of the options of a program.
pub(super) fn is_known(base: &str) -> bool {
    of(base).is_some()
}

/// The letters among short options of a program that are written as one word, up to the first that takes a value, and what stands behind that.
pub(super) fn letters<'t>(base: &str, letters: &'t str) -> (&'t str, Option<&'t str>) {
    match of(base).and_then(|usage| usage.letter(letters)) {
        Some((at, c)) => (&letters[..at + c.len_utf8()], Some(&letters[at + c.len_utf8()..])),
        None => (letters, None),
    }
}

/// What stands behind the letter of a short option that takes a value, if one is among these.
pub(super) fn ends_in_value<'t>(base: &str, text: &'t str) -> Option<&'t str> {
    letters(base, text.strip_prefix('-')?).1
}

/// Whether the word behind an option is its value.
pub(super) fn takes_next(base: &str, text: &str) -> bool {
    let Some(usage) = of(base) else { return false };
    if text.starts_with("--") {
        return usage.name(text).is_some_and(|(_, takes)| takes);
    }
    let letters = text.strip_prefix('-').unwrap_or_default();
    // Digits begin an old form.
    usage.letter(letters).is_some_and(|(at, c)| {
        usage.valued.contains(c)
            && at + c.len_utf8() == letters.len()
            && letters[..at].chars().all(|c| c.is_ascii_alphabetic())
    })
}

/// A part of what a program is given.
pub(super) enum Part<'w> {
    /// An option, `-x` or `--name`, by its whole name where it may take a value; with the value.
    Option(String, Option<Word>),
    Operand(&'w Word),
}

/// What a program is given, in order, as `getopt` tells it apart; `permutes`: options may stand behind operands.
pub(super) fn parts<'w>(base: &str, words: &'w [Word], permutes: bool) -> Vec<Part<'w>> {
    const NONE: Usage = usage("", "", "", "");
    let usage = of(base).unwrap_or(&NONE);
    let mut parts = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.rough();
        if text == "--" {
            break;
        }
        if !text.starts_with('-') || text == "-" {
            parts.push(Part::Operand(word));
            if permutes {
                continue;
            }
            break;
        }
        if text.starts_with("--") {
            let (written, value) = match text.split_once('=') {
                Some((written, _)) => (written, Some(word.after(written.chars().count() + 1))),
                None => (text.as_str(), None),
            };
            let (name, takes) = usage.name(written).unwrap_or((written, false));
            let value = value.or_else(|| takes.then(|| words.next().cloned()).flatten());
            parts.push(Part::Option(name.to_owned(), value));
            continue;
        }
        let mut rest: &str = &text[1..];
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            let value = match (usage.valued.contains(c), usage.optional.contains(c)) {
                (true, _) if rest.is_empty() => words.next().cloned(),
                (false, true) if rest.is_empty() => None,
                (true, _) | (_, true) => {
                    let behind = std::mem::take(&mut rest);
                    Some(word.after(text.chars().count() - behind.chars().count()))
                }
                _ => None,
            };
            parts.push(Part::Option(format!("-{c}"), value));
        }
    }
    parts.extend(words.map(Part::Operand));
    parts
}
