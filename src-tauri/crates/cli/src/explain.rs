//! `gatehouse explain`.

use crate::arguments::Explain;
use crate::out;
use crate::out::{Exit, Failure};
use studio::ApiError;

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
            Some(page) => out::line(page.page.trim_end()),
            None => {
                return Err(Failure(
                    ApiError::new("not_found", format!("There is no problem with the code {code}."))
                        .hint("`gatehouse explain` lists the codes."),
                ));
            }
        },
    }
    Ok(Exit::Done)
}
