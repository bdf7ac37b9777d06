//! Evidence as a table of values with commas between them, which programs for tables open.

use crate::command::{EvidenceOf, SaveEvidence};
use crate::evidence::view::EvidenceView;
use crate::report::view::SavedView;
use crate::saved;
use crate::text::safe;
use crate::{ApiError, Studio};
use std::collections::HashSet;

const NAME: &str = "evidence.csv";
const HEAD: [&str; 18] = [
    "about",
    "claim",
    "level",
    "says so",
    "recorded",
    "valid until",
    "validity",
    "counts",
    "score",
    "congruence",
    "reliability",
    "confirmed by",
    "remark",
    "step",
    "workflow",
    "run is about",
    "run",
    "id",
];

impl Studio {
    /// Writes evidence into a new file of the project's folder of reports.
    pub(crate) async fn save_evidence(&self, of: SaveEvidence) -> Result<SavedView, ApiError> {
        let shown: Option<HashSet<String>> = of.shown.map(|keys| keys.into_iter().collect());
        let list = self.evidence_list(EvidenceOf { run_id: of.run_id }).await?;
        let is_shown = |record: &&EvidenceView| {
            let key = format!("{}/{}", record.run_id, record.id);
            shown.as_ref().is_none_or(|keys| keys.contains(&key))
        };
        let records: Vec<&EvidenceView> = list.items.iter().filter(is_shown).collect();
        let table = safe::honest(&table(&records));
        let to = saved::new("table", &self.among_reports(NAME, ".csv")?, &table, true)?;
        Ok(SavedView {
            path: to.display().to_string(),
            bytes: table.len() as u64,
        })
    }
}

fn table(records: &[&EvidenceView]) -> String {
    let head = line(HEAD.map(str::to_owned));
    let rows = records.iter().map(|record| line(row(record)));
    std::iter::once(head).chain(rows).collect()
}

fn row(record: &EvidenceView) -> [String; HEAD.len()] {
    let confirmed: Vec<&str> = record.promotions.iter().map(|one| one.by.as_str()).collect();
    let mut remarks: Vec<&str> = record.about.iter().filter_map(|one| one.words.as_deref()).collect();
    remarks.extend(record.refused.as_deref());
    remarks.extend(record.superseded.then_some("replaced by a later visit"));
    remarks.extend(record.rehearsal.then_some("from a rehearsal"));
    remarks.extend(Some(record.notes.as_str()).filter(|notes| !notes.is_empty()));
    let recorded = chrono::DateTime::from_timestamp_millis(record.recorded_at);
    [
        record.name.clone(),
        record.claim.clone(),
        record.level_words.clone(),
        record.source.clone(),
        recorded.map(|at| at.to_rfc3339()).unwrap_or_default(),
        record.validity.until.clone(),
        record.holds.clone(),
        record.counts.to_string(),
        record.score.to_string(),
        record.congruence.clone(),
        record.reliability.to_string(),
        confirmed.join("; "),
        remarks.join("; "),
        record.step.name.clone(),
        record.workflow_title.clone(),
        record.subject.clone().unwrap_or_default(),
        record.run_id.clone(),
        record.id.clone(),
    ]
}

fn line(cells: [String; HEAD.len()]) -> String {
    format!("{}\r\n", cells.map(|one| cell(&one)).join(","))
}

/// One value. What begins like a formula would be computed by the program that opens the table: it stays a text.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    match text.contains([',', ';', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_value_stays_one_value_and_is_never_computed() {
        assert_eq!(cell("a claim"), "a claim");
        assert_eq!(cell("He said “yes”, and left"), "\"He said “yes”, and left\"");
        assert_eq!(cell("a \"b\"\nc"), "\"a \"\"b\"\"\nc\"");
        assert_eq!(cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(cell("-1+2,3"), "\"'-1+2,3\"");
    }
}
