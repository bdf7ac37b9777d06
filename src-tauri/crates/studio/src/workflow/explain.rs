//! Remedy pages of diagnostic codes.

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
