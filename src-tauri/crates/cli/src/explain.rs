//! `gatehouse explain`.

use crate::arguments::Explain;
use crate::out;
use crate::out::{Exit, Failure};

/// Prints the page of a code, or lists them.
pub fn explain(a: &Explain) -> Result<Exit, Failure> {
    match &a.code {
        None => {
            let rows: Vec<Vec<String>> = studio::workflow::explain::pages()
                .iter()
                .map(|p| vec![p.code.to_owned(), p.title.to_owned()])
                .collect();
            out::table(&rows);
        }
        Some(code) => match studio::workflow::explain::page(code) {
            Some(page) => out::lines(page.page.trim_end()),
            None => return Err(Failure(studio::workflow::explain::unknown(code))),
        },
    }
    Ok(Exit::Done)
}
