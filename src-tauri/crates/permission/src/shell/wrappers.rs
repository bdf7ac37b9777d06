//! Programs whose arguments are another program: what they run counts as if it stood there itself.

use super::held::{is_pattern, may_vanish};
use super::needs::Folder;
use super::options::Options;
use super::reader::{Call, Reader};
use super::steering;
use super::usage::{self, Part};
use super::word::{Piece, Word};
use crate::command::SYSTEM_FOLDERS;
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
        "setpriv",
        "d --dump --nnp --no-new-privs --clear-groups --keep-groups --init-groups --reset-env",
        &[
            "--ambient-caps",
            "--inh-caps",
            "--bounding-set",
            "--ruid",
            "--euid",
            "--rgid",
            "--egid",
            "--reuid",
            "--regid",
            "--groups",
            "--securebits",
            "--pdeathsig",
            "--selinux-label",
            "--apparmor-profile",
        ],
        0,
    ),
    shown(
        "prlimit",
        "--verbose --raw --noheadings",
        &["-p", "--pid", "-o", "--output"],
        0,
    ),
    shown("choom", "", &["-n", "--adjust", "-p", "--pid"], 0),
    shown(
        "nsenter",
        "amuinpCUTrwFZ --all --mount --uts --ipc --net --pid --cgroup --user --time --root --wd --no-fork --preserve-credentials",
        &["-t", "--target", "-S", "--setuid", "-G", "--setgid"],
        0,
    ),
    shown(
        "runcon",
        "c --compute",
        &["-t", "-u", "-r", "-l", "--type", "--user", "--role", "--range"],
        0,
    ),
    shown("numactl", "", &[], 0),
    shown("valgrind", "", &[], 0),
    shown("gosu", "", &[], 1),
    shown("su-exec", "", &[], 1),
    shown("tini", "gsvw", &["-p", "-e"], 0),
    shown("dumb-init", "cv", &["-r"], 0),
    shown("catchsegv", "", &[], 0),
    shown("eatmydata", "", &[], 0),
    shown("faketime", "fm", &[], 1),
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
        "setarch" | "linux32" | "linux64" | "x86_64" | "i386" | "i486" | "i586" | "i686" | "uname26" => {
            setarch(reader, base, words, &behind)
        }
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
                if base == "strace" && name == "-o" {
                    piped(reader, file, &behind);
                }
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
            let is_program = matches!(base, "sudo" | "doas");
            let words_of_it = sets.iter().filter(|_| is_program);
            let sets = settings(reader, sets, &inside);
            words_of_it
                .take(sets)
                .for_each(|word| reader.one_word(word, call.source));
            follow(reader, words, wrapper.operands + sets, &options, &inside);
        }
    }
    true
}

/// A file that is a command where its name begins with one of these signs.
fn piped(reader: &mut Reader<'_>, file: &Word, call: &Call<'_>) {
    let command = file.after(1);
    match file.pieces.first() {
        Some(Piece::Char('|' | '!')) => match command.known() {
            Some(text) => reader.other_shell(&text, true),
            None => reader.partly(&[command], call, Some(true)),
        },
        Some(Piece::Any(_)) => reader.unclear(call.source),
        _ => {}
    }
}

/// Runs what stands behind options and operands.
fn follow(reader: &mut Reader<'_>, words: &[Word], operands: usize, options: &Options, call: &Call<'_>) {
    reader.settled(options, call.source);
    let rest = &words[1..];
    let before = rest.iter().skip(options.end).take(operands);
    for word in before.filter(|word| word.rough().find('=').is_none_or(|at| at == 0)) {
        reader.one_word(word, call.source);
        if is_pattern(word) || word.splits && may_vanish(word) {
            reader.unclear(call.source);
        }
    }
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

/// Whether an option may tell a program to do more than its name says.
pub(super) fn has_starting_options(base: &str) -> bool {
    STARTING.iter().any(|(name, _)| *name == base)
}

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
        reader.settled(&options, call.source);
        if round == ROUNDS {
            reader.unread(call.source);
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
    // The same as `-i`; no option follows it.
    if rest.first().is_some_and(|word| word.known().as_deref() == Some("-")) {
        clean = true;
        rest.remove(0);
    }
    let start = settings(reader, &rest, call);
    rest[..start].iter().for_each(|word| reader.one_word(word, call.source));
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
        "--max-args",
        "--max-procs",
        "--max-chars",
        "--delimiter",
        "--arg-file",
        "--process-slot-var",
    ];
    // These take a value only behind `=`, or in the same word.
    const FLAGS: &str =
        "0prtxoie --null --no-run-if-empty --verbose --exit --open-tty --interactive --replace --max-lines --eof";
    let rest = &words[1..];
    let options = Options::of(rest, VALUED, Some(FLAGS));
    reader.settled(&options, call.source);
    let has_value =
        |flag: &String| !flag.starts_with("--") && flag.find(['i', 'e']).is_some_and(|at| at + 1 < flag.len());
    let marks = |name: &str| matches!(name, "-I" | "-J" | "--replace");
    let replaces = |flag: &&String| *flag == "--replace" || !flag.starts_with("--") && flag.contains('i');
    let given = options.valued.iter().filter(|(name, _)| marks(name));
    let is_known = given.clone().all(|(_, mark)| mark.known().is_some());
    let flagged = options.flags.iter().filter(replaces).count();
    // Which of several marks counts is not looked into.
    if options.flags.iter().any(has_value) || !is_known || given.count() + flagged > 1 {
        reader.unclear(call.source);
    }
    let mut mark = (flagged > 0).then(|| "{}".to_owned());
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
    reader.settled(&options, call.source);
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

/// What makes `find` and `fd` run a program.
const STARTS: &[&str] = &[
    "-exec",
    "-execdir",
    "-ok",
    "-okdir",
    "-x",
    "-X",
    "--exec",
    "--exec-batch",
];

/// Tests and actions of `find` that take a value.
const FIND_VALUED: &[&str] = &[
    "-D",
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-context",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];

/// Where the command of `-exec` ends: `+` ends it behind `{}` alone.
fn command_end(words: &[Word]) -> Option<usize> {
    let is = |at: usize, text: &str| words[at].known().as_deref() == Some(text);
    (0..words.len()).find(|at| is(*at, ";") || *at > 0 && is(*at, "+") && is(*at - 1, "{}"))
}

/// What is not known in the command of `-exec` may end it, and another one may begin behind it.
fn ends_early(reader: &mut Reader<'_>, command: &[Word], call: &Call<'_>) {
    let is_open = |word: &Word| {
        !word
            .pieces
            .iter()
            .any(|p| matches!(p, Piece::Char(_) | Piece::Brace(_)))
    };
    let Some(first) = command.iter().position(is_open) else {
        return;
    };
    let begins = |word: &Word| {
        word.known()
            .is_none_or(|text| text.starts_with('-') && STARTS.contains(&&*text))
    };
    let last = command.len() - 1;
    if command[first + 1..last.max(first + 1)].iter().any(begins) {
        reader.unclear(call.source);
    }
    for word in command {
        reader.one_word(word, call.source);
    }
}

/// Whether an option of `fd` runs a program.
fn tells_fd(option: &str) -> bool {
    match option.starts_with("--") {
        true => option.starts_with("--exec"),
        false => option.contains(['x', 'X']),
    }
}

fn find(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    reader.run(words, call);
    let rest = &words[1..];
    let starts = rest
        .iter()
        .position(|w| w.starts_with("-") || w.starts_with("(") || w.starts_with("!"))
        .unwrap_or(rest.len());
    /// What may stand among the tests, and ends a command that was not seen to its end.
    const SIGNS: &[&str] = &["(", ")", "!", ",", ";", "+", "{}"];
    let is_fd = words[0]
        .known()
        .is_some_and(|name| name.rsplit('/').next() != Some("find"));
    let mut writes = false;
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        at += 1;
        match word.known().as_deref() {
            Some(option) if STARTS.contains(&option) => {
                let end = command_end(&rest[at..]).map_or(rest.len(), |e| at + e);
                let mut command = rest[at..end].to_vec();
                ends_early(reader, &command, call);
                command.iter_mut().for_each(|w| replace(w, "{}"));
                let folder = reader.needs.folder.clone();
                // It runs where the file lies.
                if option.ends_with("dir") {
                    reader.needs.folder = Folder::Unknown;
                }
                match command.is_empty() {
                    true => reader.unclear(call.source),
                    false => reader.call(&command, call),
                }
                reader.needs.folder = folder;
                at = end;
            }
            Some("-delete") => writes = true,
            Some("-fprint" | "-fprint0" | "-fls" | "-fprintf") => {
                if let Some(file) = rest.get(at) {
                    reader.needs.file(Kind::Write, file);
                }
                at += 1 + usize::from(word.known().as_deref() == Some("-fprintf"));
            }
            Some("-files0-from") => {
                reader.needs.file(Kind::Read, &fed());
                let list = rest.get(at).filter(|list| list.known().as_deref() != Some("-"));
                list.into_iter().for_each(|list| reader.needs.file(Kind::Read, list));
                at += 1;
            }
            // Options of the other program, with their value in the same word or among others.
            Some(option) if is_fd && option.starts_with('-') && tells_fd(option) => reader.unclear(call.source),
            // What a folder's search may find by name is not opened, but the name says what is looked for.
            Some(option) if (FIND_VALUED.contains(&option) || option.starts_with("-newer")) && !is_fd => {
                if let Some(value) = rest.get(at) {
                    reader.one_word(value, call.source);
                    if is_pattern(value) || value.splits && may_vanish(value) {
                        reader.unclear(call.source);
                    }
                }
                at += 1;
            }
            // Behind `-L` and its like folders follow.
            Some(folder) if at > starts && !is_fd && !folder.starts_with('-') && !SIGNS.contains(&folder) => {
                reader.needs.file(Kind::Read, word)
            }
            Some(_) => {}
            None if word.starts_with("-") => reader.unclear(call.source),
            // A folder to begin in is a file that is only known then.
            None if at <= starts && !is_fd => {}
            None => match is_pattern(word) {
                true => reader.unclear(call.source),
                false => reader.no_option(word, call.source),
            },
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
const HARMLESS: [&str; 20] = [
    "user.",
    "color.",
    "advice.",
    "i18n.",
    "init.defaultbranch",
    "safe.",
    "pull.",
    "push.",
    "fetch.prune",
    "rebase.auto",
    "merge.conflictstyle",
    "core.autocrlf",
    "core.bare",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.longpaths",
    "core.quotepath",
    "http.postbuffer",
    "status.",
];

/// Whether a word begins with such a setting.
pub(super) fn is_harmless_setting(setting: &Word) -> bool {
    let text = setting.rough().to_lowercase();
    HARMLESS.iter().any(|name| text.starts_with(name))
}

/// What stands between `git` and its command: settings may make any word another command (`-c alias.p=push p`), or start a program; and a rule
/// for `git push` is one for `git -C there push` too.
fn git(reader: &mut Reader<'_>, rest: &[Word], call: &Call<'_>) {
    let is_harmless = |setting: Option<&Word>| setting.is_some_and(|s| s.known().is_some() && is_harmless_setting(s));
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
    const FLAGS: &str = "46AaCfGgKkMNnqsTtVvXxYy";
    let options = Options::of(rest, VALUED, Some(FLAGS));
    reader.settled(&options, call.source);
    // Options may stand behind the host, too.
    let more = rest.get(options.end + 1..).unwrap_or_default();
    let again = Options::of(more, VALUED, Some(FLAGS));
    for (name, value) in options.valued.iter().chain(&again.valued) {
        match name.as_str() {
            "-i" | "-F" => reader.needs.file(Kind::Read, value),
            "-E" => reader.needs.file(Kind::Write, value),
            "-o" => ssh_setting(reader, value, call),
            _ => {}
        }
    }
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

/// A setting of `ssh -o`: some of them hold a command that runs here.
fn ssh_setting(reader: &mut Reader<'_>, setting: &Word, call: &Call<'_>) {
    // What loads a library, runs a program or reads more settings.
    const OTHERS: &[&str] = &[
        "match",
        "include",
        "pkcs11provider",
        "securitykeyprovider",
        "xauthlocation",
    ];
    let text = setting.rough();
    let blank = |c: char| c.is_whitespace() || matches!(c, '"' | '=');
    let begin = text.len() - text.trim_start_matches(blank).len();
    let end = text[begin..]
        .find(|c: char| !c.is_ascii_alphanumeric())
        .map_or(text.len(), |at| begin + at);
    let name = text[begin..end].to_ascii_lowercase();
    let is_odd = name.is_empty() || text[end..].starts_with(|c| !blank(c)) || OTHERS.contains(&name.as_str());
    if is_odd {
        return reader.unclear(call.source);
    }
    if name.ends_with("command") {
        match setting.known() {
            Some(_) if text[end..].contains('"') => reader.unclear(call.source),
            Some(_) => reader.other_shell(text[end..].trim_start_matches(blank), true),
            None => reader.unclear(call.source),
        }
    }
}

/// The program that `su` is told to start as the shell, if it is none of the system's.
fn shell_given(reader: &mut Reader<'_>, rest: &[Word], call: &Call<'_>) {
    const SHELLS: [&str; 3] = ["sh", "bash", "dash"];
    let is_shell = |path: &str| {
        let name = SYSTEM_FOLDERS.iter().find_map(|folder| path.strip_prefix(folder));
        name.is_some_and(|name| SHELLS.contains(&name))
    };
    for part in usage::parts("su", rest, true) {
        match part {
            Part::Option(name, Some(shell))
                if matches!(name.as_str(), "-s" | "--shell") && !shell.known().is_some_and(|path| is_shell(&path)) =>
            {
                reader.unclear(call.source);
                reader.call(&[shell], call);
            }
            _ => {}
        }
    }
}

fn dash_c(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    reader.run(words, call);
    shell_given(reader, &words[1..], call);
    let mut rest = words[1..].iter();
    while let Some(word) = rest.next() {
        let text = word.rough();
        if !text.starts_with('-') {
            continue;
        }
        if word.known().is_none() {
            reader.unclear(call.source);
        }
        if text == "--" && words[0].known().is_some_and(|name| name.ends_with("script")) {
            return reader.partly(rest.as_slice(), call, Some(true));
        }
        let (name, value) = text
            .split_once('=')
            .map_or((&*text, None), |(name, value)| (name, Some(value)));
        let is_long = |option: &str| name.len() > 2 && option.starts_with(name);
        let letter = text.find('c').filter(|_| !text.starts_with("--"));
        let attached = match letter {
            Some(at) => Some(&text[at + 1..]).filter(|rest| !rest.is_empty()),
            None => value,
        };
        let is_told = letter.is_some() || is_long("--command") || is_long("--session-command");
        let script = match attached {
            _ if !is_told => None,
            Some(script) => Some(word.after(text.chars().count() - script.chars().count())),
            None => rest.next().cloned(),
        };
        match script.map(|s| (s.known(), s)) {
            Some((Some(text), _)) => reader.other_shell(&text, true),
            Some((None, word)) => reader.partly(&[word], call, Some(true)),
            None => {}
        }
    }
    // With a user `runuser` is given a program.
    let options = Options::of(&words[1..], &["-u", "--user"], None);
    if options.valued.iter().any(|(name, _)| name == "-u" || name == "--user") {
        return follow(reader, words, 0, &options, call);
    }
    // Without a command a shell reads its input.
    if !words.iter().any(|w| w.rough().contains('c') && w.starts_with("-"))
        && words[0].known().is_some_and(|n| n != "script")
    {
        reader.unclear(call.source);
    }
}

/// The architecture that `setarch` is given first may be left out; without a program a shell runs.
fn setarch(reader: &mut Reader<'_>, base: &str, words: &[Word], call: &Call<'_>) {
    const FLAGS: &str = "BFILRSTXZ3v --32bit --fdpic-funcptrs --short-inode --addr-compat-layout --addr-no-randomize --whole-seconds \
        --sticky-timeouts --read-implies-exec --mmap-page-zero --3gb --4gb --uname-2.6 --verbose --list";
    let is_architecture = |word: &Word| !word.starts_with("-") && word.known().is_some();
    let skipped = usize::from(base == "setarch" && words.get(1).is_some_and(is_architecture));
    let rest = &words[1 + skipped..];
    let options = Options::of(rest, &[], Some(FLAGS));
    if options.end == rest.len() && !options.flags.iter().any(|f| f == "--list") {
        reader.unclear(call.source);
    }
    follow(reader, &words[skipped..], 0, &options, call);
}

fn flock(reader: &mut Reader<'_>, words: &[Word], call: &Call<'_>) {
    let rest = &words[1..];
    let options = Options::of(
        rest,
        &["-w", "-E", "--timeout", "--conflict-exit-code"],
        Some("sxeunoFv --shared --exclusive --nonblock --unlock --close"),
    );
    reader.settled(&options, call.source);
    if let Some(file) = rest.get(options.end) {
        reader.one_word(file, call.source);
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
    reader.settled(&options, call.source);
    let command = rest.get(options.end..).unwrap_or_default();
    let known: Option<Vec<String>> = command.iter().map(Word::known).collect();
    match known {
        Some(words) => reader.other_shell(&words.join(" "), true),
        None => reader.partly(command, call, Some(true)),
    }
}
