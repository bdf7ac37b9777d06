//! The report's rows for what happens around the work of a step: tools, guardrails, checks, and the evidence that came of it.

use crate::evidence::present::{Of, is_day};
use crate::evidence::view::{AboutView, EvidenceView, SupportView};
use crate::gate::people;
use crate::run::lifecycle;
use crate::run::lifecycle_view::GuardrailView;
use crate::run::step::Blobs;
use crate::settings::keys;
use crate::text::safe;
use crate::view::Status;
use crate::{evidence, words};
use engine::{Artifact, Digest, GuardStage, Instance, Lifecycle, RunState};
use model::Risk;
use serde::Serialize;

/// One line: what it is, how it went, and what is to be said of it.
#[derive(Serialize)]
pub struct Line {
    name: String,
    tone: &'static str,
    word: String,
    detail: String,
}

/// Everything around one attempt, in the order it happened. `made`: the files that it named.
pub fn lines(state: &RunState, of: &Instance, around: &Lifecycle, made: &[Artifact]) -> Vec<Line> {
    let report = |stage| {
        around
            .guardrail(stage)
            .map(|report| lifecycle::guardrail(state, report, made))
    };
    let brought = (!around.brought_in.is_empty()).then(|| Line {
        name: "Brought in from the branches".to_owned(),
        tone: super::tone_class(Status::Done),
        word: words::count(around.brought_in.len(), "file", "files"),
        detail: around
            .brought_in
            .iter()
            .map(|file| {
                let removed = if file.removed { ", removed" } else { "" };
                format!("{} ({}{removed})", file.path, file.branch)
            })
            .collect::<Vec<_>>()
            .join(" · "),
    });
    let mut out: Vec<Line> = brought
        .into_iter()
        .chain(report(GuardStage::Inputs).into_iter().map(guardrail))
        .collect();
    for view in lifecycle::tools(state, of, &around.calls) {
        let mut detail = vec![view.args.replace('\n', ", ")];
        detail.extend(view.error);
        detail.retain(|text| !text.is_empty());
        out.push(Line {
            name: match view.risk {
                Risk::Low => format!("Tool {}", view.name),
                risk => format!("Tool {} ({} risk)", view.name, risk.word()),
            },
            tone: super::tone_class(view.status),
            word: view.words,
            detail: detail.join(" · "),
        });
    }
    if let Some(context) = around.context.as_ref().and_then(lifecycle::context) {
        out.push(Line {
            name: "Looked up".to_owned(),
            tone: super::tone_class(Status::Done),
            word: context.words,
            detail: String::new(),
        });
    }
    let differing = around.not_as_approved.iter();
    let differing = differing.map(|file| (lifecycle::not_as_approved(state, file), "not as approved"));
    let unkept = around.unkept.iter().map(|file| (lifecycle::unkept(file), "not kept"));
    let unchanged = lifecycle::unchanged(state, of, around, made).into_iter();
    let unchanged = unchanged.map(|view| (view, "the same as before"));
    let unmade = around
        .unmade
        .iter()
        .map(|path| (lifecycle::unmade(state, path), "not made"));
    let untaken = around.untaken.iter();
    let untaken = untaken.map(|path| (lifecycle::untaken(state, path), "not there"));
    let all = differing.chain(unkept).chain(untaken).chain(unmade).chain(unchanged);
    out.extend(all.map(|(view, word)| Line {
        name: view.name,
        tone: super::tone_class(view.status),
        word: word.to_owned(),
        detail: view.detail,
    }));
    out.extend(report(GuardStage::Outputs).map(guardrail));
    if let Some(validation) = &around.validation {
        let checks = lifecycle::validation(state, validation).checks;
        out.extend(checks.into_iter().map(|check| {
            Line {
                name: check.name,
                tone: super::tone_class(check.status),
                word: match check.status {
                    Status::Done => "passed",
                    Status::Failed => "failed",
                    _ => "not looked at",
                }
                .to_owned(),
                detail: check.detail,
            }
        }));
    }
    out
}

fn guardrail(view: GuardrailView) -> Line {
    let found = view.findings.iter().map(|one| {
        let which = format!("{} ({}) in {}", one.kind, one.rule, one.source);
        if one.found.is_empty() {
            which
        } else {
            format!("{which}: {}", one.found)
        }
    });
    Line {
        name: format!("Guardrail: {}", view.name.to_lowercase()),
        tone: super::tone_class(view.status),
        word: view.words,
        detail: found.collect::<Vec<_>>().join("; "),
    }
}

/// The evidence of a run.
#[derive(Serialize)]
pub struct Evidence {
    words: String,
    /// What they come to together; empty of a rehearsal, whose evidence counts for nothing.
    together: String,
    records: Vec<Record>,
}

#[derive(Serialize)]
struct Record {
    claim: String,
    level: String,
    tone: &'static str,
    from: String,
    validity: String,
    strength: String,
    /// Each file by its path, with its digest and what has become of it since.
    about: Vec<(String, String, String)>,
    notes: String,
    promotions: Vec<String>,
    superseded: bool,
    refused: Option<String>,
}

/// What a run recorded, as strong as it is at the moment the report is made; absent: nothing.
pub fn evidence(of: &Of<'_>, blobs: Blobs<'_>, moment: &dyn Fn(i64) -> String) -> Option<Evidence> {
    let support = evidence::present::of_run(of)?;
    let records = evidence::present::all(of);
    Some(Evidence {
        together: match of.state.is_rehearsal() {
            true => String::new(),
            false => together(&support),
        },
        words: match records
            .iter()
            .find(|one| Some(&one.id) == support.weakest.as_ref() && !one.rehearsal)
        {
            Some(weakest) => format!(
                "Weakest evidence: {}, {}, {}.",
                weakest.name,
                weakest.level_words,
                until(weakest, moment)
            ),
            None => support.words,
        },
        records: records.iter().map(|record| row(record, blobs, moment)).collect(),
    })
}

fn together(support: &SupportView) -> String {
    let counts: Vec<String> = support.parts.iter().map(|part| part.counts.to_string()).collect();
    match people::listed(&counts, "and") {
        Some(all) if counts.len() > 1 => format!("The weakest of {all} is {}.", support.assurance),
        _ => format!("It is {}.", support.assurance),
    }
}

/// Until when a record holds, as a day: a document is read on other days, too.
fn until(record: &EvidenceView, moment: &dyn Fn(i64) -> String) -> String {
    use crate::evidence::decay::Validity;
    // A day alone is written as its first moment in UTC.
    let when = |until| match is_day(&record.validity.until) {
        true => keys::day(until),
        false => moment(until),
    };
    match (record.validity.status, record.validity.until_at) {
        (Validity::Active, Some(until)) => format!("until {}", when(until)),
        (Validity::Expired, Some(until)) => format!("expired on {}", when(until)),
        _ => record.validity.words.clone(),
    }
}

/// What has become of a file that a record rests on, and whether the history still has what it held; empty: it is the same.
fn since(about: &AboutView, blobs: Blobs<'_>) -> String {
    let Some(words) = &about.words else {
        return String::new();
    };
    let kept = match blobs(&Digest::from(about.digest.clone())) {
        Some(_) => "What it held is kept in the record.",
        None => "What it held is not kept: the record has its digest alone.",
    };
    format!("{words} {kept}")
}

fn row(record: &EvidenceView, blobs: Blobs<'_>, moment: &dyn Fn(i64) -> String) -> Record {
    use crate::evidence::decay::Validity;
    let holds = record.validity.status == Validity::Active && !record.superseded;
    Record {
        claim: record.claim.clone(),
        level: record.level_words.clone(),
        tone: match record.rehearsal {
            true => super::tone_class(Status::Skipped),
            false if holds => super::tone_class(Status::Done),
            false => super::tone_class(Status::Waiting),
        },
        from: format!(
            "{}, “{}”, {}",
            record.source,
            record.step.name,
            words::nth_time(record.visit)
        ),
        validity: match record.rehearsal {
            true => "counts for nothing".to_owned(),
            false => until(record, moment),
        },
        strength: match record.rehearsal {
            true => "nothing that was made or checked".to_owned(),
            false => format!(
                "reliability {} × {} for congruence {} ({}) = {}",
                record.reliability.clamp(0.0, 1.0),
                record.factor,
                record.congruence,
                record.congruence_words,
                record.score
            ),
        },
        about: record
            .about
            .iter()
            .map(|a| (safe::visible(&a.path), a.digest.clone(), since(a, blobs)))
            .collect(),
        notes: record.notes.clone(),
        promotions: record
            .promotions
            .iter()
            .map(|p| {
                let by = match &p.gate {
                    Some(gate) => format!("{} by approving “{}”", p.by, gate.question),
                    None => p.by.clone(),
                };
                let why = if p.reason.is_empty() {
                    String::new()
                } else {
                    format!(": {}", p.reason)
                };
                let signed = match (&p.gate, &p.key_short) {
                    (Some(_), _) => String::new(),
                    (None, Some(key)) => format!(" (signed with key {key})"),
                    (None, None) => " (not signed: nobody can tell who said it)".to_owned(),
                };
                format!("confirmed by {by}, {}{signed}{why}", moment(p.at))
            })
            .collect(),
        superseded: record.superseded,
        refused: record.refused.clone(),
    }
}
