//! Checks by programs that may be on this machine or not.

use super::filled::filled;
use super::lines::places;
use super::{CheckOutcome, CheckPlace, CheckStatus, LARGEST, failed, found, passed};
use crate::declared::{NotRun, run};
use crate::files::{self, text_of};
use crate::{Context, Leash};
use permission::Kind;
use process::{Ended, Talk};
use serde_json::Value;

/// How much of what a program prints is read, in bytes.
const KEPT: usize = 256 * 1024;
/// What a shell says of a program that is not there, and a stand-in (pyenv) of one that no version has.
const NOT_FOUND: i32 = 127;

/// Reads Python from standard input and answers with the place where it cannot be read, as JSON. Isolated (`-I`): no module of the project
/// takes the place of `ast`.
const AST: &str = "import ast, json, sys
try:
    ast.parse(sys.stdin.buffer.read(), sys.argv[1])
except SyntaxError as e:
    print(json.dumps({'line': e.lineno, 'column': e.offset, 'text': e.msg}))
except (ValueError, RecursionError, MemoryError) as e:
    print(json.dumps({'line': None, 'column': None, 'text': str(e) or type(e).__name__}))
";

/// Whether a file is Python that can be read.
pub(super) async fn ast(target: &str, context: &Context, leash: &Leash) -> CheckOutcome {
    let text = match text_of(context, target, LARGEST) {
        Ok(text) => text.text,
        Err(refusal) => return failed(refusal.to_string()),
    };
    let talk = Talk {
        input: text.into_bytes(),
        speaks: false,
        kept: KEPT,
        ..Talk::default()
    };
    let words = ["python3", "-I", "-c", AST, target].map(str::to_owned);
    let ended = match start(&words, talk, context, leash).await {
        Ok(ended) => ended,
        Err(outcome) => return outcome,
    };
    if let Some(why) = ended.complaint() {
        return failed(format!("python3 could not read the file: {why}"));
    }
    let number = |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    match serde_json::from_slice::<Value>(&ended.answer) {
        Ok(fault) => found(vec![CheckPlace {
            line: number(&fault["line"]),
            column: number(&fault["column"]),
            text: format!(
                "this is no Python: {}",
                fault["text"].as_str().unwrap_or("it cannot be read")
            ),
        }]),
        Err(_) if ended.answer.is_empty() => passed(),
        Err(_) => failed("python3 answered with something that is not its answer"),
    }
}

/// Whether Python types fit.
pub(super) async fn mypy(target: &str, context: &Context, leash: &Leash) -> CheckOutcome {
    let words = [
        "mypy",
        "--no-error-summary",
        "--no-pretty",
        "--no-color-output",
        "--show-column-numbers",
        // Nothing is left in the project.
        "--cache-dir=/dev/null",
        "--",
    ];
    with_path(&words, target, context, leash).await
}

/// Whether the linter has nothing to say.
pub(super) async fn ruff(target: &str, context: &Context, leash: &Leash) -> CheckOutcome {
    let words = [
        "ruff",
        "check",
        "--quiet",
        "--no-cache",
        "--no-fix",
        "--output-format=concise",
        "--",
    ];
    with_path(&words, target, context, leash).await
}

/// Whether a command line of the project ends with exit code 0.
pub(super) async fn command(line: &str, target: &str, context: &Context, leash: &Leash) -> CheckOutcome {
    match shlex::split(line) {
        Some(words) if !words.is_empty() => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            with_path(&words, target, context, leash).await
        }
        _ => failed(format!("the command of the check cannot be split into words: `{line}`")),
    }
}

async fn with_path(words: &[&str], target: &str, context: &Context, leash: &Leash) -> CheckOutcome {
    // What a tool may not read is not shown by a program either.
    let path = match files::place(context, target, Kind::Read).and_then(|place| place.open().map(|_| place.shown())) {
        Ok(path) => path,
        Err(refusal) => return failed(refusal.to_string()),
    };
    // A name that begins with a dash would be an option.
    let path = if path.starts_with('-') {
        format!("./{path}")
    } else {
        path
    };
    let filled = match filled(words, &path) {
        Ok(filled) => filled,
        Err(why) => return failed(why),
    };
    let talk = Talk {
        kept: KEPT,
        ..Talk::default()
    };
    let ended = match start(&filled, talk, context, leash).await {
        Ok(ended) => ended,
        Err(outcome) => return outcome,
    };
    let Some(why) = ended.complaint() else {
        return passed();
    };
    let seen = places(&ended.output, &path);
    if !seen.is_empty() {
        return found(seen);
    }
    // The last line of what it said is more than an exit code.
    let last = ended.output.lines().rev().find(|line| !line.trim().is_empty());
    let said: String = last.unwrap_or_default().trim().chars().take(500).collect();
    match said.is_empty() || why.contains(&said) {
        true => failed(why),
        false => failed(format!("{why}: {said}")),
    }
}

async fn start(words: &[String], talk: Talk, context: &Context, leash: &Leash) -> Result<Ended, CheckOutcome> {
    match run(words, &[], talk, context, leash).await {
        Ok(ended) if ended.status.code() == Some(NOT_FOUND) => {
            let why = ended.complaint().unwrap_or_default();
            Err(absent(&words[0], &format!(" ({why})")))
        }
        Ok(ended) => Ok(ended),
        Err(NotRun::Absent(program)) => Err(absent(&program, "")),
        Err(other) => Err(failed(other.to_string())),
    }
}

fn absent(program: &str, why: &str) -> CheckOutcome {
    CheckOutcome {
        status: CheckStatus::Absent,
        message: format!("nothing was checked: the program `{program}` was looked for and is not on this machine{why}"),
        places: Vec::new(),
    }
}
