//! Options by which programs that are known for something else are told to run another.

use super::word::Word;
use super::{sed, steering};

/// Programs, `git` and `go` with one of their commands, and the words: a long option may be cut short, a letter stand among others, and
/// any other word begin so.
const TOLD: &[(&str, &str, &str)] = &[
    ("git", "archive", "--exec"),
    ("git", "bisect", "run"),
    ("git", "clone", "-u -c --upload-pack --config --template"),
    ("git", "difftool", "-x --extcmd"),
    ("git", "fetch", "--upload-pack"),
    ("git", "fetch-pack", "--upload-pack --exec"),
    ("git", "filter-branch", "--"),
    ("git", "grep", "-O --open-files-in-pager"),
    ("git", "init", "--template"),
    ("git", "ls-remote", "--upload-pack --exec"),
    ("git", "pull", "--upload-pack"),
    ("git", "push", "--receive-pack --exec"),
    ("git", "rebase", "-x --exec"),
    ("git", "send-pack", "--receive-pack --exec"),
    ("git", "submodule", "foreach"),
    ("go", "", "-toolexec --toolexec -exec --exec -vettool --vettool"),
    ("man", "", "-P -H --pager --html"),
    (
        "tar",
        "",
        "-I -F --checkpoint-action --use-compress-program --to-command --info-script --new-volume-script --rsh-command --rmt-command",
    ),
    ("make", "", "-E --eval"),
    ("cc", "", "-wrapper -fplugin -specs --specs"),
    ("ld", "", "-plugin --plugin"),
    ("cmake", "env", "-E"),
    ("cmake", "time", "-E"),
    ("cargo", "", "--config"),
    ("npm", "", "--script-shell --node-options --userconfig --globalconfig"),
    ("rsync", "", "--rsync-path"),
    ("scp", "", "-S -F"),
    ("sftp", "", "-S -F"),
    ("zip", "", "-TT --unzip-command"),
    ("install", "", "--strip-program"),
    ("tcpdump", "", "-z"),
    ("cpio", "", "--rsh-command"),
];

/// Names under which the same options are understood.
const ALIKE: &[(&str, &str)] = &[
    ("gmake", "make"),
    ("gcc", "cc"),
    ("g++", "cc"),
    ("c++", "cc"),
    ("clang", "cc"),
    ("clang++", "cc"),
    ("gtar", "tar"),
    ("bsdtar", "tar"),
];

/// Whether the words of a program tell it to run another.
pub(super) fn is_told(base: &str, rest: &[Word]) -> bool {
    let base = ALIKE
        .iter()
        .find(|(name, _)| *name == base)
        .map_or(base, |(_, as_name)| as_name);
    let texts = || rest.iter().map(Word::rough);
    let has = |command: &str| command.is_empty() || texts().any(|text| text == command);
    let rows = TOLD
        .iter()
        .filter(|(program, command, _)| *program == base && has(command));
    let mut words = rows.flat_map(|(.., words)| words.split_ascii_whitespace());
    // The letters of `tar` need no dash where they come first.
    let bundle = || {
        (base == "tar")
            .then(|| rest.first().map(|word| format!("-{}", word.rough())))
            .flatten()
    };
    let sets = |text: &str| text.split_once('=').is_some_and(|(name, _)| steers_make(name));
    let told = words.any(|word| texts().chain(bundle()).any(|text| fits(word, &text)));
    told || match base {
        "sed" | "gsed" => edits_by_programs(rest),
        "make" => texts().any(|text| sets(&text)),
        "cc" => texts().any(|text| text.starts_with("-B")),
        "rsync" => !values(rest, 'e', "--rsh").all(|value| is_plain_ssh(&value)),
        "scp" | "sftp" => !values(rest, 'o', "--").all(|value| is_plain_setting(&value)),
        _ => false,
    }
}

/// Whether a program of `sed` runs another. A part that is not known is taken for what usually stands there: a text, or an address.
fn edits_by_programs(rest: &[Word]) -> bool {
    // Behind `i` stands a suffix, whatever its letters are.
    let letter = |text: &str| {
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.and_then(|letters| letters.chars().find(|c| "efil".contains(*c)))
    };
    let texts: Vec<String> = rest.iter().map(Word::rough).collect();
    if texts.iter().any(|text| text == "--sandbox") {
        return false;
    }
    let is_program = |text: &&Word| {
        let text = text.rough();
        letter(&text) == Some('e') || text.len() > 3 && text.starts_with("--e")
    };
    let is_file = |text: &String| letter(text) == Some('f') || text.starts_with("--fi");
    let mut given = false;
    for (at, _) in rest.iter().enumerate().filter(|(_, word)| is_program(word)) {
        given = true;
        let both = &rest[at..rest.len().min(at + 2)];
        let found = values(both, 'e', "--expression").next();
        if found.is_none_or(|program| sed::runs_another(&program.rough())) {
            return true;
        }
    }
    let first = texts.iter().find(|text| !text.starts_with('-'));
    !given && !texts.iter().any(is_file) && first.is_some_and(|program| sed::runs_another(program))
}

/// The values of an option, by its letter and its name.
fn values<'w>(rest: &'w [Word], letter: char, name: &'w str) -> impl Iterator<Item = Word> + 'w {
    rest.iter().enumerate().filter_map(move |(at, word)| {
        let text = word.rough();
        let behind = match text.strip_prefix('-')? {
            long if long.starts_with('-') => {
                let (written, value) = text.split_once('=').unwrap_or((&text, ""));
                (written.len() > 3 && name.starts_with(written)).then(|| value.to_owned())?
            }
            letters => letters.split_once(letter)?.1.to_owned(),
        };
        match behind.is_empty() {
            true => rest.get(at + 1).cloned(),
            false => Some(word.after(text.chars().count() - behind.chars().count())),
        }
    })
}

/// `ssh`, at most told a port, a user or a key.
fn is_plain_ssh(value: &Word) -> bool {
    let text = value.known().unwrap_or_default();
    let plain = |word: &str| !word.starts_with('-') || matches!(word, "-p" | "-l" | "-i" | "-q" | "-T" | "-x");
    let mut words = text.split_ascii_whitespace();
    words.next() == Some("ssh") && words.all(plain)
}

/// A setting of `ssh` that runs nothing.
fn is_plain_setting(value: &Word) -> bool {
    const TELLING: [&str; 5] = ["command", "match", "include", "provider", "xauth"];
    let text = value.known().map(|text| text.to_ascii_lowercase());
    text.is_some_and(|text| !TELLING.iter().any(|part| text.contains(part)))
}

/// Whether a variable of `make` decides what it runs, whichever way it is assigned.
fn steers_make(name: &str) -> bool {
    let name = name.trim_end_matches([':', '+', '?', '!']);
    name == ".SHELLFLAGS" || name.contains('\u{f8ff}') || steering::programs(name)
}

fn fits(word: &str, text: &str) -> bool {
    // As short as `--ex`: what is shorter programs refuse for meaning several.
    const SHORTEST: usize = 4;
    let name = text.split('=').next().unwrap_or_default();
    match (word.strip_prefix("--"), word.strip_prefix('-')) {
        (Some(""), _) => true,
        (Some(_), _) => name.len() >= SHORTEST && word.starts_with(name),
        (_, Some(letter)) if letter.len() == 1 => {
            let letters = text.strip_prefix('-').unwrap_or_default();
            !letters.starts_with('-')
                && letters
                    .chars()
                    .take_while(|c| c.is_ascii_alphabetic())
                    .any(|c| letter.starts_with(c))
        }
        (_, Some(_)) => text.starts_with(word),
        (_, None) => text == word,
    }
}
