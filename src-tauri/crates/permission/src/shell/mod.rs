//! What a script of bash or sh needs, read from its text.

use crate::need::{Kind, Need, Uses};
use crate::text;

/// What a script needs, without running it.
pub fn uses(language: &str, script: &str) -> Uses {
    let _ = language;
    Uses {
        needs: vec![Need::unclear(Kind::Run, text::first_line(script))],
    }
}
