//! Evidence as a table of values with commas between them, which programs for tables open.

use crate::command::{EvidenceOf, SaveEvidence};
use crate::evidence::view::EvidenceView;
use crate::report::view::SavedView;
use crate::text::csv;
use crate::{ApiError, Studio, days};
use chrono_tz::Tz;
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
        self.save_table(NAME, &table(&records, self.zone()))
    }
}

fn table(records: &[&EvidenceView], zone: Option<Tz>) -> String {
    let head = csv::row(&HEAD.map(str::to_owned));
    let rows = records.iter().map(|record| csv::row(&row(record, zone)));
    std::iter::once(head).chain(rows).collect()
}

fn row(record: &EvidenceView, zone: Option<Tz>) -> [String; HEAD.len()] {
    let confirmed: Vec<&str> = record.promotions.iter().map(|one| one.by.as_str()).collect();
    let mut remarks: Vec<&str> = record.about.iter().filter_map(|one| one.words.as_deref()).collect();
    remarks.extend(record.refused.as_deref());
    remarks.extend(record.superseded.then_some("replaced by a later visit"));
    remarks.extend(record.rehearsal.then_some("from a rehearsal"));
    remarks.extend(Some(record.notes.as_str()).filter(|notes| !notes.is_empty()));
    [
        record.name.clone(),
        record.claim.clone(),
        record.level_words.clone(),
        record.source.clone(),
        days::second(record.recorded_at, zone),
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
