//! Printing, and how the program ends.

use rustix::termios::tcgetwinsize;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::sync::OnceLock;
use studio::ApiError;
use studio::text::safe;

/// How a command ended that did what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Well.
    Done,
    /// The run failed, or damage was found.
    Failed,
    /// The workflow is invalid.
    Invalid,
    /// Somebody ended this program from outside; the run has not ended.
    LetGo,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Invalid => 2,
            // As a shell tells of a program that Ctrl-C has ended; whatever else ends it from outside counts alike.
            Exit::LetGo => 130,
        })
    }
}

/// Why a command was not carried out.
#[derive(Debug)]
pub struct Failure(pub ApiError);

impl Failure {
    /// Something broke that should not.
    pub fn internal(message: impl Into<String>) -> Self {
        Self(ApiError::new("internal", message))
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

/// Why the result could not be printed, once it could not. Nothing more is printed then: whoever reads it would take what comes later for
/// what was left out.
static LOST: OnceLock<std::io::Error> = OnceLock::new();

/// Whether nobody reads what is printed, or it cannot be written. What only prints can end then; what does something goes on and ends as it would
/// have.
pub fn is_lost() -> bool {
    LOST.get().is_some()
}

/// The exit code of a command that did what it was asked; of one whose result was not written to where it should be, that it was refused. A
/// reader that went away has read enough.
pub fn end(exit: Exit) -> ExitCode {
    match LOST.get().filter(|error| error.kind() != ErrorKind::BrokenPipe) {
        Some(error) if exit == Exit::Done => {
            let message = format!("What was to be printed could not be written: {error}.");
            fail(&Failure(ApiError::new("refused:output", message)))
        }
        _ => exit.into(),
    }
}

/// Prints `error:` and `hint:` and gives the exit code.
pub fn fail(failure: &Failure) -> ExitCode {
    let error = &failure.0;
    note(format!("error: {}", error.message));
    if let Some(hint) = &error.hint {
        note(format!("hint: {hint}"));
    }
    ExitCode::from(match error.code.as_str() {
        "damaged" => 1,
        "invalid_workflow" | "invalid_file" => 2,
        "internal" | "store" | "corrupt" | "unreadable_record" | "gone" | "io" => 70,
        "bad_parameters" => 64,
        _ => 3,
    })
}

/// What would act on a terminal or turn the reading order, and no line end or tabulator.
fn acts(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || safe::deceives(c)
}

/// Text as a terminal may have it. Titles and messages come from files that anybody may have written: what would act on a
/// terminal is shown as a sign instead.
pub fn inert(text: &str) -> String {
    let sign = |c: char| match c {
        '\u{7f}' => '\u{2421}',
        c if c.is_ascii() => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        _ => '\u{fffd}',
    };
    text.chars().map(|c| if acts(c) { sign(c) } else { c }).collect()
}

/// The same on one line: a title or a question with a line break must not begin a line of its own, which looks like ours.
pub fn in_line(text: &str) -> String {
    inert(text).replace('\n', "\u{240a}").replace('\t', " ")
}

/// How many columns the terminal has that something is printed to; `None`: it is printed elsewhere.
pub fn width_of(output: impl AsFd) -> Option<usize> {
    let size = tcgetwinsize(output).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// The same in pieces that fit into so many columns, each behind the first with an indent: a terminal that breaks a line has its rest begin where
/// lines of ours do.
pub fn folded(text: &str, width: Option<usize>) -> Vec<String> {
    const INDENT: &str = "    ";
    let text = in_line(text);
    let Some(width) = width else { return vec![text] };
    let most = width.max(2 * INDENT.len());
    // How wide another character is knows the terminal alone; it is two at most.
    let columns = |c: char| if c.is_ascii() { 1 } else { 2 };
    let (mut pieces, mut piece, mut taken) = (Vec::new(), String::new(), 0);
    for c in text.chars() {
        if taken + columns(c) > most {
            pieces.push(std::mem::replace(&mut piece, INDENT.to_owned()));
            taken = INDENT.len();
        }
        piece.push(c);
        taken += columns(c);
    }
    pieces.push(piece);
    pieces
}

/// So many characters of a sentence are printed at most.
pub const LONGEST: usize = 1000;

/// A sentence that may hold what somebody entered, which may be as long as a file: not all of it is printed then, and that is said.
pub fn short(text: &str) -> String {
    let short = safe::shortened(text, LONGEST);
    match short == text {
        true => short,
        false => format!("{short} (cut here; the window and --json show all of it)"),
    }
}

/// One line on standard output, whatever stands in the names and messages in it.
pub fn line(text: impl AsRef<str>) {
    write(&in_line(text.as_ref()));
}

/// The line of a file that could not be read: an error, unless nothing says that it is a workflow (`may_be_none`).
pub fn unread(file: impl Display, why: &str, may_be_none: bool) {
    let said = match may_be_none {
        true => "not looked at",
        false => "error",
    };
    line(format!("{file}: {said}: {why}"));
}

/// Lines on standard output that nothing stands beside: those of our own, or all that a program printed, which can look like nothing else.
pub fn lines(text: impl AsRef<str>) {
    write(&inert(text.as_ref()));
}

/// One line of JSON.
pub fn json(value: &impl serde::Serialize) {
    print_json(serde_json::to_string(value));
}

/// JSON for people to read as well: a field a line.
pub fn document(value: &impl serde::Serialize) {
    print_json(serde_json::to_string_pretty(value));
}

fn print_json(text: serde_json::Result<String>) {
    match text {
        // These characters stand inside of strings alone; escaped they mean the same.
        Ok(text) if text.contains(acts) => {
            let escaped = text.chars().map(|c| match acts(c) {
                true => c
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}"))
                    .collect(),
                false => c.to_string(),
            });
            write(&escaped.collect::<String>());
        }
        Ok(text) => write(&text),
        Err(error) => note(format!("error: {error}")),
    }
}

fn write(line: &str) {
    if is_lost() {
        return;
    }
    if let Err(error) = writeln!(std::io::stdout().lock(), "{line}") {
        let _ = LOST.set(error);
    }
}

/// One line on standard error: what is not the result.
pub fn note(text: impl AsRef<str>) {
    // A terminal that was closed is no reason to end in the middle of ending.
    let _ = writeln!(std::io::stderr().lock(), "{}", in_line(text.as_ref()));
}

/// Rows in columns, the last one as long as it likes.
pub fn table(rows: &[Vec<String>]) {
    columns(rows).into_iter().for_each(line);
}

/// The lines of such a table, one for each row.
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| in_line(cell)).collect())
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|c| {
            rows.iter()
                .filter_map(|r| r.get(c))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let line = |row: Vec<String>| {
        let mut text = String::new();
        for (c, cell) in row.iter().enumerate() {
            text.push_str(cell);
            if c + 1 < row.len() {
                text.extend(std::iter::repeat_n(' ', widths[c] + 2 - cell.chars().count()));
            }
        }
        text.trim_end().to_owned()
    };
    rows.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_cut_and_says_so() {
        assert_eq!(short(&"ä".repeat(1000)), "ä".repeat(1000));
        let cut = short(&"ä".repeat(100_000));
        assert!(cut.starts_with(&"ä".repeat(1000)) && cut.len() < 2200, "{cut}");
        assert!(
            cut.ends_with("(cut here; the window and --json show all of it)"),
            "{cut}"
        );
    }

    #[test]
    fn what_a_terminal_would_break_begins_no_line() {
        let padded = format!("    {}remark: Approved", " ".repeat(76));
        assert_eq!(folded(&padded, None), std::slice::from_ref(&padded));
        for width in [1, 8, 40, 80, 81] {
            let pieces = folded(&padded, Some(width));
            assert!(
                pieces.iter().all(|piece| piece.starts_with("    ")),
                "{width}: {pieces:?}"
            );
            assert!(
                pieces.iter().all(|piece| piece.len() <= width.max(8)),
                "{width}: {pieces:?}"
            );
        }
        assert_eq!(folded("“A” is done", Some(80)), ["“A” is done"]);
        assert_eq!(folded("äöüäöü", Some(8)), ["äöüä", "    öü"]);
        assert_eq!(folded("", Some(80)), [""]);
    }

    #[test]
    fn nothing_acts_on_a_terminal() {
        assert_eq!(
            inert("a\tb\n\u{1b}[2J\u{7}\u{7f}\u{9b}\u{202e}ä"),
            "a\tb\n␛[2J␇␡\u{fffd}\u{fffd}ä"
        );
        // Every character that makes a text look like another one.
        for c in [
            '\u{200b}',
            '\u{200e}',
            '\u{200f}',
            '\u{61c}',
            '\u{2066}',
            '\u{2069}',
            '\u{2060}',
            '\u{feff}',
            '\u{e0041}',
        ] {
            assert_eq!(inert(&format!("a{c}b")), "a\u{fffd}b");
        }
        assert_eq!(
            inert("\u{1f469}\u{200d}\u{1f680} نمی\u{200c}خواهم"),
            "\u{1f469}\u{200d}\u{1f680} نمی\u{200c}خواهم"
        );
    }
}
