//! Recorded sessions (seed 003) and what other validators say of each.

use super::Context;
use super::case::{Case, Fault};
use dialect::session::{Session, breaks};
use serde_json::Value;
use std::collections::BTreeSet;

/// Whether a document keeps the schema, with and without formats, and which rule each break is of: as a value, and as the text of a file that is
/// recognised as a session.
pub fn document(_: &Context, case: &Case) -> Result<(), Fault> {
    let document = case.get("document");
    let found = breaks(document);
    agree("valid", case.expected("valid"), found.is_empty())?;
    let kept = found.iter().all(|one| one.keyword == "format");
    agree(
        "valid without formats",
        case.expected("valid_without_format_assertion"),
        kept,
    )?;
    let pairs = |path: &str, keyword: &str| (path.to_owned(), keyword.to_owned());
    let wanted: BTreeSet<_> = case
        .expected("errors")
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| {
            pairs(
                one["path"].as_str().unwrap_or("?"),
                one["keyword"].as_str().unwrap_or("?"),
            )
        })
        .collect();
    let got: BTreeSet<_> = found.iter().map(|one| pairs(&one.pointer(), &one.keyword)).collect();
    if got != wanted {
        return Err(Fault::differs(format!("breaks {got:?}, recorded {wanted:?}")));
    }
    let wanted: BTreeSet<_> = case
        .expected("errors")
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["missing"].as_str())
        .collect();
    let got: BTreeSet<_> = found.iter().filter_map(|one| one.missing.as_deref()).collect();
    if got != wanted {
        return Err(Fault::differs(format!("missing {got:?}, recorded {wanted:?}")));
    }
    // Read from text each break stands somewhere, and nothing else is found.
    let text = serde_json::to_string_pretty(document).map_err(anyhow::Error::from)?;
    let Some(session) = Session::read("context_state.json", &text) else {
        let keys = document.as_object().map_or(0, serde_json::Map::len);
        return match keys < 3 {
            true => Ok(()),
            false => Err(Fault::differs("the text is not recognised as a session")),
        };
    };
    let said = session.document().diagnostics().len();
    if said != found.len() {
        return Err(Fault::differs(format!(
            "{said} problems in the text, {} breaks",
            found.len()
        )));
    }
    Ok(())
}

fn agree(what: &str, wanted: &Value, got: bool) -> Result<(), Fault> {
    match wanted.as_bool() {
        Some(wanted) if wanted != got => Err(Fault::differs(format!("{what}: {got}, recorded {wanted}"))),
        _ => Ok(()),
    }
}
