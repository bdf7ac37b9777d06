//! Programs whose arguments are another program: what they run counts as if it stood there itself.

use super::options::Options;
use super::simple::Call;
use super::steering;
use super::walk::Reader;
use super::word::{Piece, Word};
use crate::need::Kind;
use crate::text;

/// A program that runs the command behind its options and operands.
struct Wrapper {
    name: &'static str,
    /// Flags: letters (`#`: digits), then long names.
    flags: &'static str,
    /// Options with values.
    valued: &'static [&'static str],
    /// Operands before the command.
    operands: usize,
    /// It does more than to run the command: it is a need itself.
    shown: bool,
}

const fn plain(name: &'static str, flags: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper {
        name,
        flags,
        valued,
        operands,
        shown: false,
    }
}

const fn shown(name: &'static str, flags: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper {
        name,
        flags,
        valued,
        operands,
        shown: true,
    }
}

const WRAPPERS: &[Wrapper] = &[
    // Of several `!` the grammar reads the second as a program's name.
    plain("!", "", &[], 0),
    plain("nohup", "", &[], 0),
    plain("setsid", "cfw --fork --ctty --wait", &[], 0),
    plain(
        "time",
        "pavql --portability --append --verbose --quiet",
        &["-f", "-o", "--format", "--output"],
        0,
    ),
    plain("command", "p", &[], 0),
    plain("builtin", "", &[], 0),
    plain("exec", "cl", &["-a"], 0),
    plain("coproc", "", &[], 0),
    plain("nice", "#", &["-n", "--adjustment"], 0),
    plain("ionice", "t --ignore", &["-c", "-n", "--class", "--classdata"], 0),
    plain(
        "timeout",
        "vfp --foreground --preserve-status --verbose",
        &["-s", "-k", "--signal", "--kill-after"],
        1,
    ),
    plain("stdbuf", "", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    plain("chronic", "ev", &[], 0),
    plain("unbuffer", "p", &[], 0),
    plain("caffeinate", "dimsu", &["-t", "-w"], 0),
    plain("busybox", "", &[], 0),
    plain("toybox", "", &[], 0),
    plain("dbus-run-session", "", &["--config-file", "--dbus-daemon"], 0),
    plain("rlwrap", "", &[], 0),
    plain("linux64", "", &[], 0),
    plain("linux32", "", &[], 0),
    plain("setarch", "R", &[], 1),
    plain("taskset", "ac", &[], 1),
    plain("chrt", "abdfiomr", &["-T", "-P", "-D"], 1),
    plain(
        "xvfb-run",
        "al --auto-servernum --listen-tcp",
        &["-n", "-e", "-f", "-p", "-s", "-w", "--server-num", "--server-args"],
        0,
    ),
    shown(
        "sudo",
        "AbBEeHiKklnNPSsvV --preserve-env --non-interactive --login --stdin --set-home --shell --background",
        &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-r",
            "-t",
            "-U",
            "-T",
            "-D",
            "-R",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--chdir",
            "--chroot",
            "--close-from",
            "--preserve-env",
        ],
        0,
    ),
    shown("doas", "nLs", &["-u", "-C", "-a"], 0),
    shown("pkexec", "--disable-internal-agent --keep-cwd", &["--user"], 0),
    shown("chroot", "--skip-chdir", &["--userspec", "--groups"], 1),
    shown(
        "strace",
        "fFvqtTrCcyYixkznZ",
        &["-e", "-o", "-p", "-s", "-u", "-a", "-O", "-S", "-P", "-I", "-E", "-b"],
        0,
    ),
    shown(
        "ltrace",
        "fcCitrTS",
        &["-e", "-o", "-p", "-s", "-u", "-a", "-n", "-l", "-x"],
        0,
    ),
    shown("entr", "acdnprsz", &[], 0),
    shown("torsocks", "", &[], 0),
    shown("torify", "", &[], 0),
    shown("proxychains", "q", &["-f"], 0),
    shown("proxychains4", "q", &["-f"], 0),
    shown("fakeroot", "", &[], 0),
    shown(
        "unshare",
        "imnpuUCTrfcl --fork --net --mount --pid --user --uts --ipc --map-root-user",
        &[],
        0,
    ),
];

/// Follows a program into the command that it runs. Returns whether it was one of these.
pub(super) fn unwrap(reader: &mut Reader<'_>, base: &str, words: &[Word], call: &Call<'_>) -> bool {
    let rest = &words[1..];
    let behind = call.behind();
    if base == "git" {
        git(reader, rest, call);
        return false;
    }
    match base {
        "env" => env(reader, words, &behind),
        "xargs" => xargs(reader, words, &behind),
        "parallel" => parallel(reader, words, &behind),
        "find" | "fd" | "fdfind" => find(reader, words, &behind),
        "ssh" => ssh(reader, words, &behind),
        "su" | "runuser" | "sg" | "script" | "newgrp" => dash_c(reader, words, &behind),
        "flock" => flock(reader, words, &behind),
        "watch" => watch(reader, words, &behind),
        "command" if looks_up(rest) => {}
        "then" | "do" | "else" | "elif" | "fi" | "done" | "if" | "while" | "until" | "for" | "case" | "esac"
        | "function" | "{" | "}"
            if words[0].bare =>
        {
            // A word of the grammar where a command should stand: the tree is not what the shell will see.
            reader.unclear(call.source);
            reader.call(rest, &behind);
        }
        _ if base.starts_with("ld-linux") || base.starts_with("ld-musl") || base == "ld.so" => {
            reader.run(words, call);
            follow(
                reader,
                words,
                0,
                &Options::of(rest, &["--library-path", "--preload", "--audit", "--argv0"], Some("")),
                &behind,
            );
        }
        _ => {
            let Some(wrapper) = WRAPPERS.iter().find(|w| w.name == base) else {
                return false;
            };
            let options = Options::of(rest, wrapper.valued, Some(wrapper.flags));
            if wrapper.shown {
                reader.run(words, call);
            }
            for (name, file) in &options.valued {
                if matches!(
                    (base, name.as_str()),
                    ("time", "-o" | "--output") | ("strace" | "ltrace", "-o")
                ) {
                    reader.needs.file(Kind::Write, file);
                }
            }
            // Only `!`, `builtin`, `command` and `coproc` stay in this shell; of these `builtin` and `command` pass functions by.
            let inside = Call {
                functions: call.functions && matches!(base, "!" | "coproc" | "time"),
                ..behind
            };
            // Words of the shell itself: a whole command stands behind them, with what it sets.
            let grammar = matches!(base, "!" | "coproc" | "time" | "sudo" | "doas");
            let sets = rest.get(options.end..).filter(|_| grammar).unwrap_or_default();
            let sets = settings(reader, sets, &inside);
            follow(reader, words, wrapper.operands + sets, &options, &inside);
        }
    }
    true
}

/// Runs what stands behind options and operands.
fn follow(reader: &mut Reader<'_>, words: &[Word], operands: usize, options: &Options, call: &Call<'_>) {
    if options.odd {
        reader.unclear(call.source);
    }
    let rest = &words[1..];
    if let Some(command) = rest.get(options.end + operands..) {
        reader.call(command, call);
    }
}

/// Options by which programs that only read and print start another, or change more than files: `sort --compress-program`.
const STARTING: &[(&str, &[&str])] = &[
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("date", &["-s", "--set"]),
    ("hostname", &["-F", "--file", "-b", "--boot"]),
    ("file", &["-C", "--compile", "-z", "-Z"]),
];

/// Whether a program is told to do more than its name says.
pub(super) fn starts_another(base: &str, rest: &[Word]) -> bool {
    let Some((_, options)) = STARTING.iter().find(|(name, _)| *name == base) else {
        return false;
    };
    let told = |word: &Word| {
        let text = word.rough();
        let name = text.split('=').next().unwrap_or_default();
        // A long option may be cut short, one letter stand among others.
        options.iter().any(|option| match option.starts_with("--") {
            true => name.len() > 2 && option.starts_with(name) || text.starts_with(option),
            false => text.starts_with('-') && !text.starts_with("--") && text.contains(&option[1..]),
        })
    };
    rest.iter().any(told) || base == "hostname" && rest.iter().any(|w| !w.starts_with("-"))
}

fn looks_up(rest: &[Word]) -> bool {
    rest.first()
        .and_then(Word::known)
        .is_some_and(|o| matches!(o.as_str(), "-v" | "-V" | "-pv" | "-pV"))
}

/// The settings before a command (`A=b make`): how many there are. Those that decide what runs make it unclear.
fn settings(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) -> usize {
    let is_set = |w: &Word| w.rough().contains('=');
    let count = words.iter().position(|w| !is_set(w)).unwrap_or(words.len());
    for set in &words[..count] {
        reader.needs.secrets_in(set);
        reader.setting(set, true, call.source);
    }
    count
}

fn env(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    const VALUED: &[&str] = &["-u", "-C", "-S", "-P", "--unset", "--chdir", "--split-string"];
    /// How often words may be put in for a text; whoever nests deeper is not read.
    const ROUNDS: usize = 8;
    let folder = reader.needs.folder.clone();
    let mut rest = words[1..].to_vec();
    let mut clean = false;
    // The words of a text stand in its place and are read as if they had been given: they may be options, another `-S` too, and what
    // stands behind them is an option only where they are.
    for round in 0.. {
        let read = |words: &[Word]| Options::of(words, VALUED, Some("i0v --ignore-environment --null --debug"));
        let mut options = read(&rest);
        let split = options
            .valued
            .iter()
            .position(|(name, _)| name == "-S" || name == "--split-string")
            .map(|found| options.behind[found]);
        if let Some(end) = split {
            options = read(&rest[..end]);
        }
        if options.odd || round == ROUNDS {
            reader.unclear(call.source);
        }
        clean |= options.flags.iter().any(|f| f == "-i" || f == "--ignore-environment");
        for (name, value) in &options.valued {
            match name.as_str() {
                "-C" | "--chdir" => reader.needs.enter(value),
                "-u" | "--unset" if value.known().is_none_or(|n| steering::shell(&n)) => reader.unclear(call.source),
                _ => {}
            }
        }
        let Some(end) = split.filter(|_| round < ROUNDS) else {
            rest.drain(..options.end);
            break;
        };
        let text = options.valued.last().and_then(|(_, text)| text.known());
        // It knows quotes, backslashes and variables of its own.
        let words: Vec<Word> = match text.filter(|t| !t.contains(['$', '\\', '"', '\'', '#'])) {
            Some(text) => text.split_whitespace().map(Word::of).collect(),
            None => {
                reader.unclear(call.source);
                Vec::new()
            }
        };
        rest.splice(..end, words);
    }
    let start = settings(reader, &rest, call);
    match &rest[start..] {
        [] if clean => {}
        [] => {
            reader.run(words, call);
            reader.needs.every_variable();
        }
        command => reader.call(command, call),
    }
    reader.needs.folder = folder;
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What a program puts in where its input says.
fn fed() -> Word {
    Word::unknown(text::SUBSTITUTED)
}

fn xargs(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    const VALUED: &[&str] = &[
        "-I",
        "-n",
        "-P",
        "-L",
        "-s",
        "-d",
        "-E",
        "-a",
        "-J",
        "-R",
        "-S",
        "--replace",
        "--max-args",
        "--max-procs",
        "--max-lines",
        "--max-chars",
        "--delimiter",
        "--eof",
        "--arg-file",
    ];
    let rest = &words[1..];
    let options = Options::of(
        rest,
        VALUED,
        Some("0prtxoie --null --no-run-if-empty --verbose --exit --open-tty --interactive"),
    );
    if options.odd {
        reader.unclear(call.source);
    }
    let mut mark = options.flags.iter().any(|f| f == "-i").then(|| "{}".to_owned());
    for (name, value) in &options.valued {
        match name.as_str() {
            "-a" | "--arg-file" => reader.needs.file(Kind::Read, value),
            "-I" | "-J" | "--replace" => mark = value.known().filter(|m| !m.is_empty()).or(Some("{}".to_owned())),
            _ => {}
        }
    }
    let Some(command) = rest.get(options.end..).filter(|c| !c.is_empty()) else {
        return;
    };
    let mut command: Vec<Word> = command.to_vec();
    match mark {
        Some(mark) => command.iter_mut().for_each(|w| replace(w, &mark)),
        None => command.push(fed()),
    }
    reader.call(&command, call);
}

/// Puts the unknown where a mark stands in a word.
fn replace(word: &mut Word, mark: &str) {
    let mark: Vec<char> = mark.chars().collect();
    let is = |at: usize| {
        let piece = |i: usize| word.pieces.get(at + i);
        mark.iter()
            .enumerate()
            .all(|(i, c)| matches!(piece(i), Some(Piece::Char(p) | Piece::Brace(p)) if p == c))
    };
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut found = false;
    while at < word.pieces.len() {
        if is(at) {
            pieces.push(Piece::Any(text::SUBSTITUTED.to_owned()));
            at += mark.len();
            found = true;
        } else {
            pieces.push(word.pieces[at].clone());
            at += 1;
        }
    }
    if found {
        word.pieces = pieces;
    }
}

fn parallel(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    reader.run(words, call);
    const VALUED: &[&str] = &[
        "-j",
        "-P",
        "-n",
        "-N",
        "-I",
        "-S",
        "-a",
        "-d",
        "--jobs",
        "--sshlogin",
        "--arg-file",
        "--delay",
        "--joblog",
        "--results",
    ];
    let rest = &words[1..];
    let options = Options::of(rest, VALUED, None);
    let command = rest.get(options.end..).unwrap_or_default();
    let end = command
        .iter()
        .position(|w| w.starts_with(":::"))
        .unwrap_or(command.len());
    if end == 0 {
        return reader.unclear(call.source);
    }
    // A shell runs the words, joined.
    let mut command = command[..end].to_vec();
    command.iter_mut().for_each(|w| replace(w, "{}"));
    command.push(fed());
    match command[0].known() {
        Some(text) if text.contains(char::is_whitespace) => reader.partly(&command, call, Some(true)),
        _ => reader.call(&command, call),
    }
}

fn find(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    reader.run(words, call);
    let rest = &words[1..];
    let starts = rest
        .iter()
        .position(|w| w.starts_with("-") || w.starts_with("(") || w.starts_with("!"))
        .unwrap_or(rest.len());
    let mut writes = false;
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        at += 1;
        match word.known().as_deref() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch") => {
                let is_end = |w: &Word| matches!(w.known().as_deref(), Some(";" | "+"));
                let end = rest[at..].iter().position(is_end).map_or(rest.len(), |e| at + e);
                let mut command = rest[at..end].to_vec();
                command.iter_mut().for_each(|w| replace(w, "{}"));
                match command.is_empty() {
                    true => reader.unclear(call.source),
                    false => reader.call(&command, call),
                }
                at = end;
            }
            Some("-delete") => writes = true,
            Some("-fprint" | "-fprint0" | "-fls" | "-fprintf") => {
                if let Some(file) = rest.get(at) {
                    reader.needs.file(Kind::Write, file);
                }
            }
            // What a folder's search may find by name is not opened, but the name says what is looked for.
            Some(_) => {}
            None if !word.starts_with("-") && at > starts && word.bare => reader.unclear(call.source),
            None => {}
        }
    }
    let here = [Word::of(".")];
    let folders = if starts == 0 { &here[..] } else { &rest[..starts] };
    for folder in folders {
        match writes {
            true => reader.needs.tree(Kind::Write, folder),
            false => reader.needs.file(Kind::Read, folder),
        }
    }
}

/// Settings of git that start nothing and rename no command.
const HARMLESS: [&str; 5] = ["user.", "color.", "advice.", "i18n.", "init."];

/// What stands between `git` and its command: settings may make any word another command (`-c alias.p=push p`), or start a program; and a rule
/// for `git push` is one for `git -C there push` too.
fn git(reader: &mut Reader<'_>, rest: &[Word], call: &Call<'_>) {
    let is_harmless = |setting: Option<&Word>| {
        let setting = setting.and_then(Word::known);
        setting.is_some_and(|setting| HARMLESS.iter().any(|name| setting.to_lowercase().starts_with(name)))
    };
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        if !word.starts_with("-") {
            break;
        }
        at += 1;
        match word.known().as_deref() {
            Some("-c") => {
                if !is_harmless(rest.get(at)) {
                    reader.unclear(call.source);
                }
                at += 1;
            }
            Some(
                "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--attr-source" | "--list-cmds",
            ) => at += 1,
            Some(option) if option.starts_with("--config-env") || option.starts_with("--exec-path") => {
                reader.unclear(call.source);
                at += usize::from(option == "--config-env");
            }
            Some(_) => {}
            None => reader.unclear(call.source),
        }
    }
    if at > 0
        && let Some(command) = rest.get(at..).filter(|command| !command.is_empty())
    {
        let plain: Vec<Word> = std::iter::once(Word::of("git"))
            .chain(command.iter().cloned())
            .collect();
        reader.run(&plain, call);
    }
}

fn ssh(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    const VALUED: &[&str] = &[
        "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-P", "-p", "-Q",
        "-R", "-S", "-W", "-w",
    ];
    reader.run(words, call);
    let rest = &words[1..];
    let options = Options::of(rest, VALUED, Some("46AaCfGgKkMNnqsTtVvXxYy"));
    for (name, value) in &options.valued {
        match name.as_str() {
            "-i" | "-F" => reader.needs.file(Kind::Read, value),
            "-E" => reader.needs.file(Kind::Write, value),
            "-o" => {
                let text = value.rough();
                let split = text.find(['=', ' ']).map(|at| (text[..at].to_ascii_lowercase(), at));
                if let Some((name, at)) = split.filter(|(n, _)| n.ends_with("command")) {
                    let _ = name;
                    match value.known() {
                        Some(_) => reader.other_shell(text[at + 1..].trim(), true),
                        None => reader.unclear(call.source),
                    }
                }
            }
            _ => {}
        }
    }
    // Options may stand behind the host, too.
    let more = rest.get(options.end + 1..).unwrap_or_default();
    let again = Options::of(more, VALUED, None);
    let remote = more.get(again.end..).unwrap_or_default();
    if remote.is_empty() {
        return;
    }
    let known: Option<Vec<String>> = remote.iter().map(Word::known).collect();
    match known {
        Some(words) => reader.other_shell(&words.join(" "), true),
        None => reader.partly(remote, call, Some(true)),
    }
}

fn dash_c(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    reader.run(words, call);
    let mut rest = words[1..].iter();
    while let Some(word) = rest.next() {
        let text = word.rough();
        let attached = text
            .strip_prefix("--command=")
            .or_else(|| text.strip_prefix("--session-command="));
        let script = match attached {
            Some(script) => Some(word.after(text.chars().count() - script.chars().count())),
            None if text == "--command" || text.starts_with('-') && !text.starts_with("--") && text.ends_with('c') => {
                rest.next().cloned()
            }
            None => None,
        };
        match script.map(|s| (s.known(), s)) {
            Some((Some(text), _)) => reader.other_shell(&text, true),
            Some((None, word)) => reader.partly(&[word], call, Some(true)),
            None => {}
        }
    }
    // Without a command a shell reads its input.
    if !words.iter().any(|w| w.rough().contains('c') && w.starts_with("-"))
        && words[0].known().is_some_and(|n| n != "script")
    {
        reader.unclear(call.source);
    }
}

fn flock(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    let rest = &words[1..];
    let options = Options::of(
        rest,
        &["-w", "-E", "--timeout", "--conflict-exit-code"],
        Some("sxeunoFv --shared --exclusive --nonblock --unlock --close"),
    );
    if options.odd {
        reader.unclear(call.source);
    }
    if let Some(file) = rest.get(options.end) {
        reader.needs.file(Kind::Write, file);
    }
    match rest.get(options.end + 1..) {
        Some([c, script]) if matches!(c.known().as_deref(), Some("-c" | "--command")) => match script.known() {
            Some(text) => reader.other_shell(&text, true),
            None => reader.partly(std::slice::from_ref(script), call, Some(true)),
        },
        Some(command) => reader.call(command, call),
        None => {}
    }
}

fn watch(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    let rest = &words[1..];
    let options = Options::of(
        rest,
        &["-n", "-q", "--interval", "--equexit"],
        Some("bcdegptwxC --beep --color --differences --errexit --chgexit --no-title --exec"),
    );
    if options.odd {
        reader.unclear(call.source);
    }
    let command = rest.get(options.end..).unwrap_or_default();
    let known: Option<Vec<String>> = command.iter().map(Word::known).collect();
    match known {
        Some(words) => reader.other_shell(&words.join(" "), true),
        None => reader.partly(command, call, Some(true)),
    }
}
