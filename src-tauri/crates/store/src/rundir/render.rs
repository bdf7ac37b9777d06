//! From the log to the files; pure.

use super::attempts::{Attempt, Attempts, Outcome};
use super::names::Naming;
use super::record::Record;
use super::{Files, RUN, SESSION, json, manifest, meta, receipt};
use crate::session::{file_of, is_named, turns};
use crate::vocabulary::{Vocabulary, lines};
use crate::{Facts, Stored, rfc3339};
use engine::{Digest, RunCreated};
use serde_json::json;

/// The files of a run. `blob` gives the bytes of a transcript; one it does not have is left out. No events, no files.
pub fn render(events: &[Stored], facts: &Facts, blob: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Files {
    let mut files = Files::new();
    let turned = events.iter().rposition(|stored| turns(&stored.event));
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return files;
    };
    let Some(mut record) = Record::begin(first) else {
        return files;
    };
    for (place, stored) in events.iter().enumerate() {
        if place > 0 {
            record.push(stored);
        }
        if turned == Some(place) {
            files.insert(SESSION.to_owned(), record.session(facts));
        }
        if is_named(&stored.event) {
            files.insert(file_of(stored.seq), record.session(facts));
        }
    }
    let created = &record.created;
    if let Some(document) = imported(created, blob) {
        files.insert(SESSION.to_owned(), document);
    }
    let manifest = manifest::manifest(&record, record.state.artifacts(), &last.hash);
    files.insert(RUN.to_owned(), json::file(manifest));
    let words = Vocabulary::of(created.format);
    if words == Vocabulary::Stepwise {
        files.insert("meta.json".to_owned(), json::file(meta::meta(&record, facts)));
        files.insert("spec.json".to_owned(), json::file(meta::spec(created, facts)));
    }
    let stream = crate::vocabulary::render(words, &created.run_id, events, facts);
    files.insert("events.jsonl".to_owned(), lines(&stream));
    record.render(facts, &stream, &mut files);
    drop(stream);

    let attempts = Attempts::of(events, facts).all;
    let mut transcripts = Files::new();
    for (attempt, names) in attempts.iter().zip(Naming::of(created, &attempts)) {
        let value = receipt::receipt(created, attempt, &names.transcript_in_flow());
        files.insert(names.receipt_path(), json::file(value));
        if let Some(bytes) = transcript(attempt, blob) {
            transcripts.insert(names.transcript_path(), bytes);
        }
    }
    if words == Vocabulary::Bmad {
        files = files
            .into_iter()
            .map(|(path, bytes)| (path, json::ascii(bytes)))
            .collect();
    }
    // A transcript is what the executor kept, byte for byte.
    files.extend(transcripts);
    files
}

/// Of a session that was taken in its document, as it keeps the schema.
pub(super) fn imported(created: &RunCreated, blob: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let imported = created.imported.as_ref()?;
    blob(imported.kept.as_ref().unwrap_or(&created.source))
}

/// The transcript as the executor kept it; where it kept none, one line that says so, so that the file a receipt names
/// is always there. `None` when the kept one is missing or changed.
pub(super) fn transcript(attempt: &Attempt, blob: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let said = match &attempt.outcome {
        Outcome::Ended(result) => match &result.transcript {
            Some(digest) => return blob(digest),
            None => "No conversation was recorded for this attempt.".to_owned(),
        },
        Outcome::Interrupted(reason) => format!("This attempt was cut off: {reason}"),
    };
    let line = json!({"timestamp": rfc3339(attempt.ended_at), "role": "system", "content": said});
    Some(lines(&[line]))
}
