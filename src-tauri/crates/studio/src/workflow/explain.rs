//! Remedy pages of diagnostic codes: as they are for a terminal, rendered for the window.

use crate::command::CodeOf;
use crate::text::markdown;
use crate::workflow::view::ProblemPage;
use crate::{ApiError, Studio};
use model::diagnostic::CodePage;

/// All codes, in order.
pub fn pages() -> Vec<&'static CodePage> {
    let mut pages: Vec<_> = model::rules::PAGES.iter().chain(dialect::PAGES.iter()).collect();
    pages.sort_by_key(|p| p.code);
    pages
}

/// The page of a code, whatever its case.
pub fn page(code: &str) -> Option<&'static CodePage> {
    pages().into_iter().find(|p| p.code.eq_ignore_ascii_case(code.trim()))
}

impl Studio {
    /// The page of a code, rendered.
    ///
    /// # Errors
    /// `not_found`.
    pub(crate) fn explain_problem(&self, of: CodeOf) -> Result<ProblemPage, ApiError> {
        let page = page(&of.code).ok_or_else(|| unknown(&of.code))?;
        Ok(ProblemPage {
            code: page.code.to_owned(),
            title: page.title.to_owned(),
            html: markdown::html(body(page)),
        })
    }
}

/// That a code has no page.
pub fn unknown(code: &str) -> ApiError {
    ApiError::new(
        "not_found",
        format!("There is no problem with the code {}.", code.trim()),
    )
    .hint("`gatehouse explain` lists the codes.")
}

/// A page without its heading: whoever shows it has code and title on their own.
fn body(page: &CodePage) -> &str {
    match page.page.trim_start().split_once('\n') {
        Some((heading, rest)) if heading.starts_with("# ") => rest,
        _ => page.page,
    }
}

#[cfg(test)]
mod tests {
    use super::pages;

    #[test]
    fn every_code_is_explained_once() {
        let pages = pages();
        assert!(!pages.is_empty());
        for pair in pages.windows(2) {
            assert_ne!(pair[0].code, pair[1].code);
        }
        assert!(pages.iter().all(|p| p.page.contains('\n') && !p.title.is_empty()));
    }
}
