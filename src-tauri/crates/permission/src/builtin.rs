//! What holds in every project before anybody wrote a rule: secrets are kept, and nobody is asked about `echo`.

use crate::pattern::{Fit, Glob, fold, in_small_letters};
use crate::text::Bit;
use std::sync::LazyLock;

/// Files that hold secrets, wherever they lie; letters of either case, since many disks do not tell them apart.
const SECRET_FILES: &[&str] = &[
    "**/.env",
    "**/.env.*",
    "**/.envrc",
    "**/*.env",
    "**/.ssh/**",
    "**/id_rsa*",
    "**/id_dsa*",
    "**/id_ecdsa*",
    "**/id_ed25519*",
    "**/*.pem",
    "**/*.p12",
    "**/*.pfx",
    "**/*.key",
    "**/*.jks",
    "**/*.keystore",
    "**/*.kdbx",
    "**/.netrc",
    "**/_netrc",
    "**/.npmrc",
    "**/.pypirc",
    "**/.pgpass",
    "**/.my.cnf",
    "**/.htpasswd",
    "**/.aws/**",
    "**/.azure/**",
    "**/.config/gcloud/**",
    "**/.config/gh/**",
    "**/.kube/**",
    "**/.docker/config.json",
    "**/.gnupg/**",
    "**/.git-credentials",
    "**/.cargo/credentials*",
    "**/.password-store/**",
    "**/.vault-token",
    "**/.terraform.d/credentials.tfrc.json",
    "**/.config/rclone/rclone.conf",
    "**/.local/share/keyrings/**",
    "**/.bash_history",
    "**/.zsh_history",
    "/etc/shadow*",
    "/etc/gshadow*",
    "/etc/sudoers*",
    "/proc/*/environ",
    "/proc/*/task/*/environ",
    "/proc/*/mem",
];

/// The folders in which [`SECRET_FILES`] lie most: in a home (`~`, `~/.config`) and in the system.
pub fn secret_folders() -> Vec<String> {
    let parent = |path: &str| {
        path.rsplit_once('/')
            .map_or(String::new(), |(parent, _)| parent.to_owned())
    };
    let places = SECRET_FILES.iter().filter(|path| !path.starts_with("/proc/"));
    let mut all: Vec<String> = places
        .map(|path| match path.strip_prefix("**/") {
            Some(rest) => parent(&format!("~/{}", rest.trim_end_matches("/**"))),
            None => parent(path),
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Names that such files have: a pattern that meets one of them may meet a secret.
const TYPICAL_SECRETS: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "server.pem",
    "server.key",
    "private.pem",
    "private.key",
    "key.pem",
    "cert.p12",
    "cert.pfx",
    "store.jks",
    "release.keystore",
    "passwords.kdbx",
    "_netrc",
    "prod.env",
    "credentials",
    "shadow",
    "sudoers",
];

/// What belongs to the version control, to this program and to its rules: what runs tomorrow is written there.
const KEPT_FILES: &[&str] = &["**/.git/**", ".gatehouse/**", "gatehouse.{yaml,yml}"];

/// Where runs have their own files.
const RUN_FILES: &[&str] = &[".gatehouse/runs/*/**"];

/// Files of an example's kind: they look like secrets and are made to be read.
const NO_SECRET_FILES: &[&str] = &["**/.env.{example,sample,template,dist}", "**/*.pub"];

/// Where everybody may write.
const FREE_FILES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/tty",
    "/dev/fd/*",
    "/dev/random",
    "/dev/urandom",
];

/// Where temporary files lie.
const TEMPORARY: &[&str] = &["/tmp/?**", "/var/tmp/?**"];

/// Commands that only print, test or steer the shell, or read the files that are listed as needs of their own. None of them writes, whatever its
/// arguments (`sort -o` and the like are needs of their own), starts another program or reaches the network.
const HARMLESS_COMMANDS: &[&str] = &[
    ":",
    "[",
    "[[",
    "arch",
    "base32",
    "base64",
    "basename",
    "break",
    "caller",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "continue",
    "cut",
    "date",
    "declare",
    "df",
    "diff",
    "dirname",
    "dirs",
    "disown",
    "du",
    "echo",
    "egrep",
    "exit",
    "export",
    "expr",
    "factor",
    "false",
    "fg",
    "fgrep",
    "file",
    "fold",
    "getconf",
    "getopts",
    "grep",
    "groups",
    "head",
    "hostname",
    "id",
    "jobs",
    "join",
    "let",
    "local",
    "logname",
    "ls",
    "md5sum",
    "nl",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readlink",
    "readonly",
    "realpath",
    "return",
    "rev",
    "seq",
    "set",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shift",
    "shopt",
    "sleep",
    "sort",
    "stat",
    "sum",
    "tac",
    "tail",
    "test",
    "times",
    "touch",
    "tr",
    "true",
    "tsort",
    "tty",
    "type",
    "typeset",
    "umask",
    "uname",
    "unexpand",
    "expand",
    "uniq",
    "unset",
    "uptime",
    "wait",
    "wc",
    "which",
    "who",
    "whoami",
    "yes",
    "mapfile",
    "readarray",
    "tee",
    "mkdir",
    "rmdir",
    "mktemp",
    "printenv",
    "hash",
];

/// Variables that say who, where and how, and hold no secret.
const HARMLESS_VARIABLES: &[&str] = &[
    "HOME",
    "PWD",
    "OLDPWD",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TERM",
    "COLORTERM",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "HOSTNAME",
    "HOSTTYPE",
    "OSTYPE",
    "MACHTYPE",
    "UID",
    "EUID",
    "GROUPS",
    "PPID",
    "SHLVL",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "LINENO",
    "COLUMNS",
    "LINES",
    "IFS",
    "OPTARG",
    "OPTIND",
    "OPTERR",
    "REPLY",
    "PIPESTATUS",
    "FUNCNAME",
    "DIRSTACK",
    "NO_COLOR",
    "FORCE_COLOR",
    "EDITOR",
    "PAGER",
    "DISPLAY",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH",
    "BASHPID",
    "BASH_*",
    "RUN_BASE",
    "GATEHOUSE_*",
    "SYSTEMROOT",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "XDG_*",
    "_",
];

struct Tables {
    secret: Vec<Glob>,
    no_secret: Vec<Glob>,
    free: Vec<Glob>,
    temporary: Vec<Glob>,
    kept: Vec<Glob>,
    runs: Vec<Glob>,
    variables: Vec<Glob>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let paths = |list: &[&str]| {
        let glob = |p: &&str| Glob::path(p).expect("the built-in patterns are tested").folded();
        list.iter().map(glob).collect()
    };
    Tables {
        secret: paths(SECRET_FILES),
        no_secret: paths(NO_SECRET_FILES),
        free: paths(FREE_FILES),
        temporary: paths(TEMPORARY),
        kept: paths(KEPT_FILES),
        runs: paths(RUN_FILES),
        variables: HARMLESS_VARIABLES.iter().map(|n| Glob::name(n)).collect(),
    }
});

fn best(globs: &[Glob], word: &[Bit]) -> Fit {
    let folded = in_small_letters(word);
    let fits = globs.iter().map(|glob| glob.fit_near(word, folded.as_deref()));
    fits.max().unwrap_or(Fit::No)
}

/// Whether a normal path names a file of secrets. What the shell fills in counts for no letter of a name: a path with such a place is
/// unclear anyhow. A pattern may mean a secret if what is known of it says so (`.e*`, `*.p?m`); `*` and `src*` do not.
pub(crate) fn secret_file(path: &[Bit]) -> Fit {
    let telling = |part: &[Bit]| {
        let dot = part.iter().position(|b| *b == Bit::Char('.'));
        dot.is_some_and(|d| d == 0 || part[d..].iter().any(|b| matches!(b, Bit::Star | Bit::One)))
    };
    let mut known: Vec<Bit> = Vec::with_capacity(path.len());
    for (i, part) in path.split(|b| *b == Bit::Char('/')).enumerate() {
        if i > 0 {
            known.push(Bit::Char('/'));
        }
        let is_telling = telling(part);
        known.extend(part.iter().map(|bit| match bit {
            Bit::Char(c) => Bit::Char(*c),
            Bit::Any => Bit::Char('\u{0}'),
            bit if is_telling => *bit,
            _ => Bit::Char('\u{0}'),
        }));
    }
    match best(&TABLES.secret, &known) {
        Fit::No => Fit::No,
        _ if best(&TABLES.no_secret, &known) == Fit::Sure => Fit::No,
        fit => fit,
    }
}

/// Whether a pattern in a normal path may meet a file that is named as secrets are: `keys/*`, `id_rs?`, `/etc/sh*w`.
pub(crate) fn may_meet_secret(path: &[Bit]) -> bool {
    // More patterns in one path are not looked at: each is tried with all of the path.
    const MOST: usize = 8;
    let parts: Vec<&[Bit]> = path.split(|b| *b == Bit::Char('/')).collect();
    let is_pattern = |part: &[Bit]| part.iter().any(|b| matches!(b, Bit::Star | Bit::One));
    if parts.iter().filter(|part| is_pattern(part)).count() > MOST {
        return true;
    }
    let met = |at: usize, name: &str| {
        let mut known: Vec<Bit> = Vec::with_capacity(path.len());
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                known.push(Bit::Char('/'));
            }
            match i == at {
                true => known.extend(name.chars().map(Bit::Char)),
                false => known.extend_from_slice(part),
            }
        }
        secret_file(&known) != Fit::No
    };
    parts
        .iter()
        .enumerate()
        .filter(|(_, part)| is_pattern(part))
        .any(|(at, part)| {
            let names = TYPICAL_SECRETS.iter().filter(|name| fits_pattern(part, name));
            names.into_iter().any(|name| met(at, name))
        })
}

/// Whether a pattern of the shell fits a name.
fn fits_pattern(pattern: &[Bit], name: &str) -> bool {
    let mut now = vec![false; pattern.len() + 1];
    now[0] = true;
    let skip = |now: &mut Vec<bool>| {
        for i in 0..pattern.len() {
            if now[i] && matches!(pattern[i], Bit::Star | Bit::Any) {
                now[i + 1] = true;
            }
        }
    };
    skip(&mut now);
    for c in name.chars() {
        let mut next = vec![false; now.len()];
        for i in (0..pattern.len()).filter(|i| now[*i]) {
            match pattern[i] {
                Bit::Star | Bit::Any => next[i] = true,
                Bit::One => next[i + 1] = true,
                Bit::Char(p) => next[i + 1] |= fold(p) == c,
            }
        }
        now = next;
        skip(&mut now);
    }
    now.last().copied().unwrap_or_default()
}

/// Whether a normal path is one that no script writes: what the next run does depends on it.
pub(crate) fn kept_file(path: &[Bit]) -> Fit {
    match best(&TABLES.runs, path) {
        Fit::Sure => Fit::No,
        _ => best(&TABLES.kept, path),
    }
}

/// Whether a known piece of text names a file of secrets.
#[cfg(test)]
fn is_secret_file(text: &str) -> bool {
    let bits: Vec<Bit> = text.chars().map(Bit::Char).collect();
    secret_file(&crate::place::normal(&bits)) == Fit::Sure
}

/// Whether everybody may write there.
pub(crate) fn is_free_file(path: &[Bit]) -> bool {
    best(&TABLES.free, path) == Fit::Sure
}

/// Whether a path lies where temporary files lie.
pub(crate) fn is_temporary(path: &[Bit]) -> bool {
    best(&TABLES.temporary, path) == Fit::Sure
}

/// Whether a variable's name looks like a secret: `*_TOKEN`, `*_SECRET`, `*_KEY`, `*PASSWORD*` (and words for the same).
pub(crate) fn is_secret_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let whole_or_ending = |word: &str| {
        let rest = name.strip_suffix(word);
        rest.is_some_and(|r| r.is_empty() || r.ends_with('_'))
    };
    const ENDINGS: [&str; 9] = [
        "TOKEN",
        "SECRET",
        "KEY",
        "TOKENS",
        "SECRETS",
        "KEYS",
        "CREDENTIALS",
        "PASSWD",
        "PASSPHRASE",
    ];
    ENDINGS.into_iter().any(whole_or_ending) || name.contains("PASSWORD")
}

/// Whether a variable says only who, where and how.
pub(crate) fn is_harmless_variable(name: &str) -> bool {
    let bits: Vec<Bit> = name.chars().map(Bit::Char).collect();
    !is_secret_variable(name) && best(&TABLES.variables, &bits) == Fit::Sure
}

/// Whether a command is harmless whatever its arguments.
pub(crate) fn is_harmless_command(program: &str) -> bool {
    HARMLESS_COMMANDS.contains(&program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "GITHUB_TOKEN",
            "aws_secret",
            "OPENAI_API_KEY",
            "DB_PASSWORD_FILE",
            "TOKEN",
            "PGPASSWORD",
        ] {
            assert!(is_secret_variable(name), "{name}");
        }
        for name in ["PATH", "HOME", "KEYBOARD", "TOKENIZER", "MONKEY"] {
            assert!(!is_secret_variable(name), "{name}");
        }
    }

    #[test]
    fn files_of_secrets() {
        for path in [
            ".env",
            "./.env",
            "a/../.ENV",
            ".env.local",
            "~/.ssh/config",
            "/home/me/.ssh/id_rsa",
            ".ssh",
            "keys/server.PEM",
            ".npmrc",
            "/proc/self/environ",
            "/proc/123/environ",
            "~/.aws/credentials",
            "prod.env",
        ] {
            assert!(is_secret_file(path), "{path}");
        }
        for path in [
            "env",
            "environment.md",
            ".env.example",
            "ssh/config",
            "key",
            "keys/readme.md",
            "id_rsa.pub",
            "/proc/cpuinfo",
        ] {
            assert!(!is_secret_file(path), "{path}");
        }
    }
}
