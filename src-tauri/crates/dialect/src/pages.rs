//! The remedy pages of this crate's own codes.

use model::diagnostic::CodePage;

/// Every code this crate reports, in order.
pub static PAGES: &[CodePage] = &[];
