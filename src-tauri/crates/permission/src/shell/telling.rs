//! Options by which programs that are known for something else are told to run another.

use super::reader::Reader;
use super::usage::{self, Part};
use super::word::Word;
use super::{sed, steering, wrappers};
use crate::need::Kind;

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
    ("git", "remote-ext", "remote-ext"),
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
    (
        "cc",
        "",
        "-wrapper -fplugin -specs --specs --prefix -plugin --plugin --ld-path",
    ),
    ("ld", "", "-plugin --plugin"),
    ("cmake", "env", "-E"),
    ("cmake", "time", "-E"),
    ("cargo", "", "--config"),
    ("npm", "", "--script-shell --node-options --userconfig --globalconfig"),
    ("rsync", "", "--rsync-path"),
    ("rg", "", "--pre --hostname-bin"),
    ("scp", "", "-D -S -F"),
    ("sftp", "", "-D -S -F"),
    ("zip", "", "-TT --unzip-command"),
    ("install", "", "--strip-program"),
    ("tcpdump", "", "-z"),
    ("cpio", "", "--rsh-command"),
];

/// Options by which a program is given a program of its own in a file: `sed -f`.
const SCRIPTS: &[(&str, &[&str])] = &[
    ("awk", &["-f", "--file", "-E", "--exec", "-i", "--include"]),
    ("make", &["-f", "--file", "--makefile"]),
    ("sed", &["-f", "--file"]),
];

impl Reader<'_> {
    /// What a program is told to do besides what its name says: to run another makes it unclear.
    pub fn told(&mut self, base: &str, rest: &[Word], source: &str) {
        let base = usage::listed(base);
        let mut told = is_told(base, rest) || self.is_given_input(base, rest);
        if base == "sed" {
            told |= !self.edits(rest, source);
        }
        if told {
            self.unclear(source);
        }
    }

    /// Whether a program of its own comes to a program with its input, or from what a process has open.
    fn is_given_input(&self, base: &str, rest: &[Word]) -> bool {
        let Some((_, options)) = SCRIPTS.iter().find(|(program, _)| *program == base) else {
            return false;
        };
        usage::parts(base, rest, true).iter().any(|part| match part {
            Part::Option(name, Some(file)) if options.contains(&name.as_str()) => {
                file.known().is_none_or(|name| name == "-") || self.is_of_a_process(file)
            }
            // It may be one of them.
            Part::Option(name, _) => name.contains('\u{f8ff}'),
            Part::Operand(_) => false,
        })
    }

    /// Reads the programs of `sed`: the files they name are needs. `false`: one of them runs another program, or cannot be read.
    fn edits(&mut self, rest: &[Word], source: &str) -> bool {
        let parts = usage::parts("sed", rest, true);
        let given = |part: &Part<'_>| matches!(part, Part::Option(name, _) if matches!(name.as_str(), "-e" | "--expression" | "-f" | "--file"));
        let by_option = parts.iter().any(given);
        let mut programs = Vec::new();
        for part in &parts {
            match part {
                Part::Option(name, Some(program)) if matches!(name.as_str(), "-e" | "--expression") => {
                    programs.push(program.clone());
                }
                // With it a name ends elsewhere.
                Part::Option(name, _) if name.len() > 2 && "--posix".starts_with(name.as_str()) => return false,
                _ => {}
            }
        }
        if !by_option {
            programs.extend(parts.iter().find_map(|part| match part {
                Part::Operand(program) => Some((*program).clone()),
                Part::Option(..) => None,
            }));
        }
        for program in &programs {
            let Some(found) = sed::read(program) else { return false };
            for (place, class) in &found.demands {
                self.holds(place, *class, source);
            }
            found.reads.iter().for_each(|file| self.needs.file(Kind::Read, file));
            found.writes.iter().for_each(|file| self.needs.file(Kind::Write, file));
        }
        true
    }
}

/// Whether the words of a program tell it to run another.
fn is_told(base: &str, rest: &[Word]) -> bool {
    let texts = || rest.iter().map(Word::rough);
    let has = |command: &str| command.is_empty() || texts().any(|text| text == command);
    let rows = TOLD
        .iter()
        .filter(|(program, command, _)| *program == base && has(command));
    let mut words = rows.flat_map(|(.., words)| words.split_ascii_whitespace());
    // The letters of `tar` need no dash where they come first, and each takes its value from the words behind them.
    let first = rest.first().map(Word::rough).filter(|_| base == "tar");
    let bundle = first.filter(|text| !text.starts_with('-')).unwrap_or_default();
    let sets = |text: &str| text.split_once('=').is_some_and(|(name, _)| steers_make(name));
    let told = words.any(|word| {
        let letter = word.strip_prefix('-').filter(|letter| letter.len() == 1);
        texts().any(|text| fits(base, word, &text)) || letter.is_some_and(|letter| bundle.contains(letter))
    });
    told || match base {
        "make" => texts().any(|text| sets(&text)),
        "cc" => texts().any(|text| is_of_linker(&text)),
        "rsync" => !values(rest, 'e', "--rsh").all(|value| is_plain_ssh(&value)),
        "scp" | "sftp" => !values(rest, 'o', "--").all(|value| is_plain_setting(&value)),
        "git" => configures(rest),
        _ => false,
    }
}

/// Whether an option of a compiler says where its programs lie, hands one on to another of them, or stands in a file.
fn is_of_linker(text: &str) -> bool {
    let handed_on = text.starts_with("-W") && (text.contains("plugin") || text.contains(",@"));
    let elsewhere = text.starts_with("-fuse-ld=") && text.contains(['/', '\u{f8ff}']);
    handed_on || elsewhere || text.starts_with('@') || text.starts_with("-B")
}

/// Whether `git config` gives a setting a value by which `git` may run a program later.
fn configures(rest: &[Word]) -> bool {
    let parts = usage::parts("git", rest, false);
    let mut words = parts.iter().filter_map(|part| match part {
        Part::Operand(word) => Some(*word),
        Part::Option(..) => None,
    });
    if words.next().and_then(Word::known).as_deref() != Some("config") {
        return false;
    }
    let given: Vec<Word> = words.cloned().collect();
    let parts = usage::parts("git config", &given, true);
    let mut operands = Vec::new();
    for part in &parts {
        match part {
            Part::Option(name, _) if name.starts_with("--get") || matches!(name.as_str(), "--list" | "-l") => {
                return false;
            }
            Part::Option(name, _) if name.starts_with("--e") || name == "-e" || name.contains('\u{f8ff}') => {
                return true;
            }
            Part::Operand(word) => operands.push(*word),
            Part::Option(..) => {}
        }
    }
    let first = operands.first().and_then(|word| word.known());
    let named = match first.as_deref() {
        Some("get" | "list") => return false,
        Some("edit") => return true,
        Some("set" | "rename-section") => operands.get(1..).unwrap_or_default(),
        _ => &operands[..],
    };
    let splits = operands.iter().any(|word| word.splits);
    (named.len() > 1 || splits)
        && !named
            .first()
            .is_some_and(|setting| wrappers::is_harmless_setting(setting))
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

fn fits(base: &str, word: &str, text: &str) -> bool {
    // As short as `--u`: some programs have no other option that begins so.
    const SHORTEST: usize = 3;
    let name = text.split('=').next().unwrap_or_default();
    match (word.strip_prefix("--"), word.strip_prefix('-')) {
        (Some(""), _) => true,
        (Some(_), _) => name.len() >= SHORTEST && word.starts_with(name),
        (_, Some(letter)) if letter.len() == 1 => {
            let letters = text.strip_prefix('-').unwrap_or_default();
            !letters.starts_with('-')
                && usage::letters(base, letters)
                    .0
                    .chars()
                    .take_while(|c| c.is_ascii_alphabetic())
                    .any(|c| letter.starts_with(c))
        }
        (_, Some(_)) => text.starts_with(word),
        (_, None) => text == word,
    }
}
