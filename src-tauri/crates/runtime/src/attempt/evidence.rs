//! Evidence: every step that asks for it leaves at least one record (seed 000 "Evidence").
//!
//! A record is L1 when a check of the step's own validation has passed and none is missing, else L0, whatever the agent
//! says of itself; a person makes L2. What an agent reports under `evidence` is taken as its claims; where it claims
//! nothing, the record says what was made.

use super::{Attempt, Care, Job};
use crate::brief::{Brief, beginning};
use crate::clock;
use crate::executor::Execution;
use crate::project;
use engine::evidence::{claim_errors, score};
use engine::{About, Artifact, CheckRecord, CheckStatus, Evidence, Level, RunId};
use model::{AgentKey, Fields};
use serde_json::Value;

/// How far what a passed check says is to be trusted, where nobody gives a number.
const CHECKED: (f64, &str) = (0.9, "CL3");
/// How far an agent's word alone is to be trusted.
const UNCHECKED: (f64, &str) = (0.5, "CL2");
/// What an empty word counts as (CONTRACTS "StepSpec").
const EMPTY_CONGRUENCE: &str = "CL1";
/// So much of a name that an agent gives is repeated.
const LONGEST: usize = 60;

/// Records the evidence of a step that asks for some.
///
/// # Errors
/// What an agent claims is not what the schema of evidence says.
pub(super) fn record(attempt: &mut Attempt) -> Result<(), String> {
    let Job { care, brief, .. } = &attempt.job;
    let (execution, found, held) = (&attempt.execution, &attempt.found, &mut attempt.held);
    let asked = care.step.evidence.as_deref().and_then(Level::from_word);
    let claims = claims(execution, brief);
    if asked.is_none() && (claims.is_empty() || !care.unasked) {
        return Ok(());
    }
    let several = !execution.parts.is_empty();
    let wrong = claims.iter().zip(1..).filter_map(|((agent, claim), n)| {
        let mut errors = claim_errors(claim);
        let until = claim["valid_until"]
            .as_str()
            .map(str::trim)
            .filter(|text| !text.is_empty());
        if until.is_some_and(|text| clock::moment(text).is_none()) {
            errors.push("valid_until: expected a day (2026-11-21) or a time (2026-11-21T09:00:00Z)".to_owned());
        }
        let whose = if several { format!(" ({agent})") } else { String::new() };
        (!errors.is_empty()).then(|| format!("claim {n}{whose}: {}", errors.join(", ")))
    });
    let wrong: Vec<String> = wrong.collect();
    if !wrong.is_empty() {
        return Err(format!(
            "what is claimed as evidence is not taken: {}",
            wrong.join("; ")
        ));
    }
    // What lay there before is no work of the step, and what was checked of it proves nothing about the step.
    let own = found
        .artifacts
        .iter()
        .filter(|artifact| !artifact.was_there && !found.untouched.contains(&artifact.path));
    let about: Vec<About> = own
        .map(|artifact| About {
            path: artifact.path.clone(),
            digest: artifact.digest.clone(),
        })
        .collect();
    let only_old = !found.artifacts.is_empty() && about.is_empty();
    let checks = held.validation.as_ref().map_or(&[][..], |v| v.checks.as_slice());
    let checked = held.validation.as_ref().is_some_and(|v| v.passed)
        && !checks.is_empty()
        && checks.iter().all(|check| check.status == CheckStatus::Passed)
        && !only_old;
    let unseen = unseen(checks);
    let untouched = untouched(&found.artifacts, &found.untouched);
    let unchanged = unchanged(&about, &found.unchanged);
    let claims = match claims.is_empty() {
        true => vec![(brief.agent.clone(), Value::Null)],
        false => claims,
    };
    for ((agent, claim), n) in claims.iter().zip(1..) {
        let id = format!("ev:{}:{}:{}:{n}", care.step.id, brief.visit, brief.attempt);
        let work = Work {
            made: &about,
            unchanged: &found.unchanged,
            checked,
        };
        let mut record = one(care, brief, (agent, claim), id, &work, asked);
        let overruled = overruled(claim, &record);
        let named = own_id(claim, &claims);
        record.notes = together([&record.notes, &named, &overruled, &unseen, &untouched, &unchanged]);
        held.evidence.push(record);
    }
    Ok(())
}

/// What is claimed, each with who claims it: of several agents each one's own report counts, for in the report of all of them the last
/// one's field stands alone.
fn claims(execution: &Execution, brief: &Brief) -> Vec<(AgentKey, Value)> {
    let of = |agent: &AgentKey, report: &Fields| -> Vec<(AgentKey, Value)> {
        let claims = match report.get("evidence") {
            Some(Value::Array(claims)) => claims.clone(),
            None | Some(Value::Null) => Vec::new(),
            Some(claim) => vec![claim.clone()],
        };
        claims.into_iter().map(|claim| (agent.clone(), claim)).collect()
    };
    match execution.parts.as_slice() {
        [] => of(&brief.agent, &execution.report),
        parts => parts
            .iter()
            .flat_map(|part| of(&part.agent, &part.execution.report))
            .collect(),
    }
}

/// What was asked for and not looked at, as a sentence; empty: all of it was.
fn unseen(checks: &[CheckRecord]) -> String {
    let absent: Vec<String> = checks
        .iter()
        .filter(|check| check.status == CheckStatus::Absent)
        .map(|check| format!("{} of {}", check.check, check.target))
        .collect();
    match absent.is_empty() {
        true => String::new(),
        false => format!("Not looked at: {}.", absent.join(", ")),
    }
}

/// What another step, an earlier attempt or a person has made in this run, as a sentence; empty: there is nothing of that kind.
fn untouched(found: &[Artifact], untouched: &[String]) -> String {
    let of_the_run = found
        .iter()
        .filter(|artifact| !artifact.was_there && untouched.contains(&artifact.path));
    let named: Vec<String> = of_the_run.map(|artifact| format!("`{}`", artifact.path)).collect();
    match named.is_empty() {
        true => String::new(),
        false => format!("Not made here, and there before: {}.", named.join(", ")),
    }
}

/// What the step left with the bytes that it had found there, as a sentence: written again or only touched, which nobody can tell.
fn unchanged(made: &[About], unchanged: &[String]) -> String {
    let same = made.iter().filter(|about| unchanged.contains(&about.path));
    let named: Vec<String> = same.map(|about| format!("`{}`", about.path)).collect();
    match named.is_empty() {
        true => String::new(),
        false => format!(
            "Written again or touched, with the same bytes as before: {}.",
            named.join(", ")
        ),
    }
}

/// What came of the work, as far as a record can rest on it.
struct Work<'a> {
    made: &'a [About],
    /// What of it holds the bytes that it held before.
    unchanged: &'a [String],
    /// Every check that was asked for has passed.
    checked: bool,
}

fn one(
    care: &Care,
    brief: &Brief,
    (agent, claim): (&AgentKey, &Value),
    id: String,
    work: &Work<'_>,
    asked: Option<Level>,
) -> Evidence {
    let text = |key: &str| claim[key].as_str().map(str::trim).filter(|text| !text.is_empty());
    let carrier = text("carrier_ref").map(str::to_owned);
    // What rests on a file that this step did not make rests on nothing that was checked here.
    let artifacts: Vec<About> = match &carrier {
        Some(path) => named(path, work.made, &RunId::from(brief.run_id.as_str())),
        None => work.made.to_vec(),
    };
    let rests_elsewhere = carrier.is_some() && artifacts.is_empty();
    let checked = work.checked && !rests_elsewhere;
    let elsewhere = carrier
        .as_ref()
        .filter(|_| rests_elsewhere)
        .map(|path| format!("`{path}` is not among what this step made, and was not looked at."));
    let carrier = carrier
        .or_else(|| artifacts.first().map(|about| about.path.clone()))
        .unwrap_or_else(|| format!("{}#{}", brief.run_id, care.step.id));
    let (reliability, congruence) = if checked { CHECKED } else { UNCHECKED };
    let reliability = claim["reliability"].as_f64().unwrap_or(reliability).clamp(0.0, 1.0);
    let congruence = match claim["congruence"].as_str().map(str::trim) {
        Some("") => EMPTY_CONGRUENCE.to_owned(),
        Some(word) => word.to_uppercase(),
        None => congruence.to_owned(),
    };
    let assumed = assumed(claim, reliability, &congruence);
    let (now, days) = (
        clock::now().max(care.since),
        i64::from(care.toolbox.settings.evidence_days),
    );
    Evidence {
        claim: text("claim").map_or_else(
            || said_of(care, &artifacts, work.unchanged, checked, brief.began.is_none()),
            str::to_owned,
        ),
        level: if checked { Level::L1 } else { Level::L0 },
        source: text("source").map_or_else(|| agent.to_string(), str::to_owned),
        date: clock::day(now, 0),
        valid_until: text("valid_until").map_or_else(|| clock::day(now, days), str::to_owned),
        wlnk: score(Some(reliability), &congruence),
        congruence,
        reliability,
        carrier_ref: carrier,
        artifacts,
        notes: together([
            text("notes").unwrap_or_default(),
            &elsewhere.unwrap_or_default(),
            &assumed,
        ]),
        asked,
        id,
    }
}

/// What a claim leaves out of how far it is to be trusted, and what counts in its place; empty: nothing was claimed, or all of it is said.
fn assumed(claim: &Value, reliability: f64, congruence: &str) -> String {
    let given = |key: &str| match &claim[key] {
        Value::String(word) => !word.trim().is_empty(),
        value => !value.is_null(),
    };
    let mut filled = Vec::new();
    if !given("reliability") {
        filled.push(format!("reliability {reliability}"));
    }
    if !given("congruence") {
        filled.push(format!("congruence {congruence}"));
    }
    match claim.is_null() || filled.is_empty() {
        true => String::new(),
        false => format!("Not claimed, and assumed: {}.", filled.join(", ")),
    }
}

/// The id that a claim gives itself, as a sentence: a record is named by where it comes from, for two claims may have one id.
fn own_id(claim: &Value, claims: &[(AgentKey, Value)]) -> String {
    fn id(claim: &Value) -> Option<&str> {
        claim["id"].as_str().map(str::trim).filter(|id| !id.is_empty())
    }
    let Some(own) = id(claim) else {
        return String::new();
    };
    let same = claims.iter().filter(|(_, other)| id(other) == Some(own)).count();
    let shown = beginning(own, LONGEST);
    match same {
        0 | 1 => format!("Claimed as `{shown}`."),
        _ => format!("Claimed as `{shown}`, as {same} claims are."),
    }
}

/// What of a claim is not recorded as it is claimed, as a sentence: fields that are found here, and those that no claim has. Its id is told apart
/// ([`own_id`]).
fn overruled(claim: &Value, record: &Evidence) -> String {
    /// So many are named.
    const NAMED: usize = 10;
    let is_taken = |name: &str, value: &Value| match name {
        _ if value.is_null() || *value == "" => true,
        "id" | "claim" | "source" | "valid_until" | "congruence" | "reliability" | "carrier_ref" | "notes" => true,
        "level" => value.as_str().and_then(Level::from_word) == Some(record.level),
        "date" => value.as_str().map(str::trim) == Some(record.date.as_str()),
        "wlnk" => value.as_f64().is_some_and(|wlnk| (wlnk - record.wlnk).abs() < 1e-6),
        _ => false,
    };
    let fields = claim.as_object().into_iter().flatten();
    let others = fields.filter(|(name, value)| !is_taken(name, value)).take(NAMED);
    let named: Vec<String> = others
        .map(|(name, _)| format!("`{}`", beginning(name, LONGEST)))
        .collect();
    match named.is_empty() {
        true => String::new(),
        false => format!("Claimed, and not recorded as it was claimed: {}.", named.join(", ")),
    }
}

/// Remarks after each other, of which each may be missing.
fn together<const N: usize>(remarks: [&str; N]) -> String {
    let said: Vec<&str> = remarks.into_iter().filter(|remark| !remark.is_empty()).collect();
    said.join(" ")
}

/// What a claim is about: a file that was made, as it is written or without the `#part` behind it.
fn named(carrier: &str, made: &[About], run: &RunId) -> Vec<About> {
    let whole = carrier.split('#').next().unwrap_or_default();
    let found = [carrier, whole].into_iter().find_map(|written| {
        let path = project::relative(written.trim(), run).ok()?;
        made.iter().find(|about| about.path == path)
    });
    found.into_iter().cloned().collect()
}

/// What is claimed where the agent claims nothing.
fn said_of(care: &Care, made: &[About], unchanged: &[String], checked: bool, rehearsed: bool) -> String {
    if rehearsed {
        return format!("“{}” was rehearsed; nothing was made or checked.", care.step.name);
    }
    let name = &care.step.name;
    let files = match made {
        [] => String::new(),
        [one] => one.path.clone(),
        [one, rest @ ..] => format!("{} and {} more", one.path, rest.len()),
    };
    let what = match made.iter().all(|about| unchanged.contains(&about.path)) {
        _ if made.is_empty() => format!("“{name}” was carried out"),
        true => format!("“{name}” left the content of {files} as it was"),
        false => format!("“{name}” made {files}"),
    };
    if checked {
        format!("{what}, and no check of it failed.")
    } else {
        format!("{what}.")
    }
}
