//! The remedy pages of this crate's own codes.

use model::diagnostic::CodePage;

macro_rules! page {
    ($code:literal, $title:literal, $file:literal) => {
        CodePage {
            code: $code,
            title: $title,
            page: include_str!(concat!("pages/", $file, ".md")),
        }
    };
}

/// Every code this crate reports, in order.
pub static PAGES: &[CodePage] = &[
    page!("GH0101", "Text that cannot be read", "syntax"),
    page!("GH0102", "More than one document in a file", "second_document"),
    page!("GH0103", "A field written twice", "duplicate_key"),
    page!("GH0104", "A field of another type", "wrong_type"),
    page!("GH0105", "A flow without steps", "no_steps"),
    page!("GH0106", "A step without an id", "step_without_id"),
    page!("GH0107", "Routing without a kind", "routing_without_kind"),
    page!("GH0108", "Routing that is not carried out", "unknown_kind"),
    page!("GH0109", "A gate that is not understood", "gate_word"),
    page!("GH0110", "A comparison that is not known", "unknown_comparison"),
    page!("GH0111", "A question that nobody is asked", "gate_without_effect"),
    page!("GH0112", "An edge that leaves nothing", "stray_edge"),
    page!("GH0113", "Repetition past all measure", "too_much"),
];

#[cfg(test)]
mod tests {
    use super::PAGES;

    #[test]
    fn every_page_has_its_parts() {
        for (n, page) in PAGES.iter().enumerate() {
            assert_eq!(page.code, format!("GH01{:02}", n + 1));
            assert!(
                page.page.starts_with(&format!("# {}: {}\n", page.code, page.title)),
                "{}",
                page.code
            );
            assert!(page.page.contains("```yaml"), "{} shows an example", page.code);
            assert!(page.page.contains("## Mend it"), "{} says what to do", page.code);
        }
    }
}
