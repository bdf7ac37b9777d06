//! `gatehouse evidence`.

use crate::arguments::Evidence;
use crate::out::{self, Exit, Failure};
use crate::project;
use std::path::Path;
use studio::command::EvidenceOf;
use studio::evidence::view::EvidenceView;

/// Lists what supports what was made.
pub async fn evidence(at: Option<&Path>, a: &Evidence) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let of = EvidenceOf { run_id: a.run.clone() };
    let list = studio.evidence_list(of).await?;
    if a.json {
        out::json(&list);
    } else if list.items.is_empty() {
        out::line("no evidence has been recorded");
    } else {
        let rows: Vec<Vec<String>> = list.items.iter().map(columns).collect();
        out::table(&rows);
    }
    Ok(Exit::Done)
}

fn columns(record: &EvidenceView) -> Vec<String> {
    vec![
        record.name.clone(),
        record.claim.clone(),
        record.level_words.clone(),
        record.holds.clone(),
        format!("{}{}", record.step.name, remark(record)),
        record.run_id.clone(),
    ]
}

/// Why it counts for nothing, that a person did not take what it is about, or what has become of that since.
fn remark(record: &EvidenceView) -> String {
    let replaced = record.superseded.then_some("replaced");
    let rehearsal = record.rehearsal.then_some("rehearsal");
    let since = record.about.iter().filter_map(|about| about.words.as_deref());
    let said: Vec<&str> = [rehearsal, replaced, record.refused.as_deref()]
        .into_iter()
        .flatten()
        .chain(since.map(|words| words.trim_end_matches('.')))
        .collect();
    match said.is_empty() {
        true => String::new(),
        false => format!(" ({})", said.join(", ")),
    }
}
