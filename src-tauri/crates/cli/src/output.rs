//! `gatehouse output`.

use crate::arguments::Output;
use crate::out::{self, Exit, Failure};
use crate::project;
use std::path::Path;

/// Prints what a step printed, and nothing else.
pub fn output(at: Option<&Path>, a: &Output) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let text = studio.output(&a.run, &a.step, a.visit, a.attempt)?;
    if !text.is_empty() {
        out::lines(text.strip_suffix('\n').unwrap_or(&text));
    }
    Ok(Exit::Done)
}
