//! Printing, and how the program ends.

#![expect(clippy::print_stderr, reason = "this is where the command line speaks")]

use std::io::Write;
use std::process::ExitCode;
use studio::ApiError;

/// How a command ended that did what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Well.
    Done,
    /// The run failed, or damage was found.
    Failed,
    /// The workflow is invalid.
    Invalid,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Invalid => 2,
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

/// Prints `error:` and `hint:` and gives the exit code.
pub fn fail(failure: &Failure) -> ExitCode {
    let error = &failure.0;
    eprintln!("error: {}", error.message);
    if let Some(hint) = &error.hint {
        eprintln!("hint: {hint}");
    }
    ExitCode::from(match error.code.as_str() {
        "invalid_workflow" | "invalid_file" => 2,
        "internal" | "store" | "corrupt" | "io" => 70,
        "bad_parameters" => 64,
        _ => 3,
    })
}

/// One line on standard output. A reader that went away ends the program quietly.
pub fn line(text: impl AsRef<str>) {
    if writeln!(std::io::stdout().lock(), "{}", text.as_ref()).is_err() {
        std::process::exit(0);
    }
}

/// One line of JSON.
pub fn json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => line(text),
        Err(error) => eprintln!("error: {error}"),
    }
}

/// One line on standard error: what is not the result.
pub fn note(text: impl AsRef<str>) {
    eprintln!("{}", text.as_ref());
}

/// Rows in columns, the last one as long as it likes.
pub fn table(rows: &[Vec<String>]) {
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
    for row in rows {
        let mut text = String::new();
        for (c, cell) in row.iter().enumerate() {
            text.push_str(cell);
            if c + 1 < row.len() {
                text.extend(std::iter::repeat_n(' ', widths[c] + 2 - cell.chars().count()));
            }
        }
        line(text.trim_end());
    }
}
