//! Evidence (QUINT; seed 000 "Evidence", CONTRACTS "StepSpec"): what a claim rests on, how strong it is and who says so.
//!
//! * L0, a conjecture: somebody says so. * L1, substantiated: a check has passed. * L2, corroborated: a person has approved
//!   what it is about. An agent records at L0 or L1; only a person makes L2.
//!
//! `score = round(clamp(reliability, 0, 1) × factor(congruence), 6)`; the assurance of several records is the weakest score.
//! Whether a record has expired depends on the day it is looked at: that is computed by whoever shows it.

use crate::{Digest, Signature};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How well a claim is founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[ts(export_to = "engine.gen.ts")]
pub enum Level {
    /// Somebody says so.
    L0,
    /// A check has passed.
    L1,
    /// A person has approved what it is about.
    L2,
}

impl Level {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::L0 => "L0",
            Self::L1 => "L1",
            Self::L2 => "L2",
        }
    }

    /// Reads the word, whatever its case.
    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim().to_uppercase().as_str() {
            "L0" => Some(Self::L0),
            "L1" => Some(Self::L1),
            "L2" => Some(Self::L2),
            _ => None,
        }
    }

    /// The level above.
    pub fn next(self) -> Option<Self> {
        match self {
            Self::L0 => Some(Self::L1),
            Self::L1 => Some(Self::L2),
            Self::L2 => None,
        }
    }
}

/// One record: the ten fields of the seed, what it is about by digest, and what the step asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Unique in the run.
    pub id: String,
    /// What is claimed, one sentence.
    pub claim: String,
    /// How well it is founded.
    pub level: Level,
    /// Who or what says so.
    pub source: String,
    /// The day it was recorded, `2026-11-21`, or a time in RFC 3339.
    pub date: String,
    /// From then on it counts no more; the same forms.
    pub valid_until: String,
    /// How close what was looked at is to what is claimed: CL1, CL2, CL3.
    pub congruence: String,
    /// How far the source is to be trusted, 0 to 1.
    pub reliability: f64,
    /// Its score when it was recorded ([`score`]).
    pub wlnk: f64,
    /// Path of what carries it, relative to the project.
    pub carrier_ref: String,
    /// What it is about, as it was then: when one of these files changes, the record has drifted.
    #[serde(default)]
    pub artifacts: Vec<About>,
    /// Anything else.
    #[serde(default)]
    pub notes: String,
    /// The level that the step asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Level>,
}

/// A file that a record is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Relative to the project, with `/`.
    pub path: String,
    /// Its bytes then.
    pub digest: Digest,
}

/// A record went up one level, and who raised it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Promotion {
    /// Which record.
    pub evidence: String,
    /// From which level.
    pub from: Level,
    /// To which.
    pub to: Level,
    /// Who.
    pub by: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// The gate whose approval did it, with its round; absent: a person did it by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<(crate::GateId, u32)>,
    /// ed25519 over [`Promotion::statement`]; absent where an approval did it, which is signed itself, and in logs of versions that
    /// did not sign it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// What the closeness of a claim and what was looked at is worth; an unknown or absent word is CL1.
pub fn factor(congruence: &str) -> f64 {
    match congruence.trim().to_uppercase().as_str() {
        "CL3" => 1.0,
        "CL2" => 0.8,
        _ => 0.5,
    }
}

/// The score of a record; without a number its reliability counts as 0.
pub fn score(reliability: Option<f64>, congruence: &str) -> f64 {
    let reliability = reliability.filter(|r| r.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0);
    (reliability * factor(congruence) * 1e6).round() / 1e6
}

/// The weakest of some scores, and which it is: of equal ones the first. `None`: there is nothing, and nothing is worth 0.
pub fn weakest<T>(scores: impl IntoIterator<Item = (T, f64)>) -> Option<(T, f64)> {
    let mut scores = scores.into_iter();
    let first = scores.next()?;
    Some(scores.fold(first, |weakest, next| if next.1 < weakest.1 { next } else { weakest }))
}

/// The level after a promotion, one at a time.
///
/// # Errors
/// Why it cannot be, in the words of the origin (`invalid promotion: L0 -> L2` …).
pub fn promote(current: &str, target: &str) -> Result<Level, String> {
    let (current, target) = (current.trim(), target.trim());
    if current.is_empty() || target.is_empty() {
        return Err("evidence level is required".to_owned());
    }
    if target.eq_ignore_ascii_case("invalid") {
        return Err("promotion target cannot be invalid".to_owned());
    }
    if current.eq_ignore_ascii_case("invalid") {
        return Err("cannot promote invalid evidence".to_owned());
    }
    let level = |word: &str| Level::from_word(word).ok_or_else(|| format!("unsupported evidence level: {word}"));
    let (from, to) = (level(current)?, level(target)?);
    if from.next() == Some(to) {
        Ok(to)
    } else {
        Err(format!("invalid promotion: {} -> {}", from.word(), to.word()))
    }
}

/// What is wrong with a record that an agent reports, in the words of the origin's schema; empty: nothing. Only the seed's ten
/// fields are demanded.
pub fn schema_errors(record: &Value) -> Vec<String> {
    let Some(fields) = record.as_object() else {
        return vec!["root: expected object".to_owned()];
    };
    let mut errors = Vec::new();
    let texts = [
        "id",
        "claim",
        "level",
        "source",
        "date",
        "valid_until",
        "congruence",
        "carrier_ref",
    ];
    let numbers = ["reliability", "wlnk"];
    for name in texts.iter().chain(&numbers) {
        if !fields.contains_key(*name) {
            errors.push(format!("root: missing required field '{name}'"));
        }
    }
    for (name, value) in fields {
        let wanted = match name.as_str() {
            name if texts.contains(&name) || name == "notes" => (!value.is_string()).then_some("string"),
            name if numbers.contains(&name) => (!value.is_number()).then_some("number"),
            "artifacts" => (!value.is_array()).then_some("array"),
            _ => None,
        };
        errors.extend(wanted.map(|wanted| format!("{name}: expected {wanted}")));
    }
    errors
}

/// What is wrong with what an agent claims; empty: nothing. Fields that it leaves out are filled in and are no fault; those
/// that it gives must be what the schema says ([`schema_errors`]), within their bounds.
pub fn claim_errors(claim: &Value) -> Vec<String> {
    let missing = |error: &String| error.contains(": missing required field ");
    let mut errors: Vec<String> = schema_errors(claim)
        .into_iter()
        .filter(|error| !missing(error))
        .collect();
    let word = |name: &str| claim[name].as_str().map(|word| word.trim().to_uppercase());
    // An empty one is one that is not said (CONTRACTS "StepSpec").
    if word("congruence").is_some_and(|word| !["", "CL0", "CL1", "CL2", "CL3"].contains(&word.as_str())) {
        errors.push("congruence: expected CL0, CL1, CL2 or CL3".to_owned());
    }
    if word("level").is_some_and(|word| Level::from_word(&word).is_none() && word != "INVALID") {
        errors.push("level: expected L0, L1 or L2".to_owned());
    }
    for name in ["reliability", "wlnk"] {
        if claim[name]
            .as_f64()
            .is_some_and(|number| !(0.0..=1.0).contains(&number))
        {
            errors.push(format!("{name}: expected a number from 0 to 1"));
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_weakest_link_decides() {
        for (reliability, congruence, expected) in [
            (Some(0.9), "CL3", 0.9),
            (Some(0.6), "CL2", 0.48),
            (Some(5.0), "CL3", 1.0),
            (Some(-1.0), "CL3", 0.0),
            (Some(0.8), "", 0.4),
            (Some(0.8), "cl2", 0.64),
            (Some(f64::NAN), "CL3", 0.0),
            (None, "CL3", 0.0),
            (Some(1.0 / 3.0), "CL3", 0.333_333),
        ] {
            assert!(
                (score(reliability, congruence) - expected).abs() < 1e-9,
                "{reliability:?} {congruence}"
            );
        }
        assert_eq!(weakest([("a", 0.8), ("b", 0.4), ("c", 0.4)]), Some(("b", 0.4)));
        assert_eq!(weakest::<&str>([]), None);
    }

    #[test]
    fn promotion_is_one_step_at_a_time() {
        assert_eq!(promote("l0", "L1"), Ok(Level::L1));
        assert_eq!(promote("L1", "L2"), Ok(Level::L2));
        for (from, to, says) in [
            ("L0", "L2", "invalid promotion: L0 -> L2"),
            ("L2", "L2", "invalid promotion: L2 -> L2"),
            ("", "L1", "evidence level is required"),
            ("invalid", "", "evidence level is required"),
            ("invalid", "L1", "cannot promote invalid evidence"),
            ("invalid", "invalid", "promotion target cannot be invalid"),
            ("L3", "L1", "unsupported evidence level: L3"),
        ] {
            assert_eq!(promote(from, to), Err(says.to_owned()));
        }
    }

    #[test]
    fn reported_records_are_held_against_the_ten_fields() {
        let whole = json!({"id": "e", "claim": "c", "level": "L1", "source": "s", "date": "2026-01-01", "valid_until": "2027-01-01",
            "congruence": "CL2", "reliability": 0.9, "wlnk": 0.72, "carrier_ref": "a.md"});
        assert_eq!(schema_errors(&whole), Vec::<String>::new());
        let mut broken = whole;
        broken["reliability"] = json!("0.9");
        broken.as_object_mut().expect("an object").remove("claim");
        assert_eq!(
            schema_errors(&broken),
            ["root: missing required field 'claim'", "reliability: expected number"]
        );
        assert_eq!(schema_errors(&json!([])), ["root: expected object"]);
    }

    #[test]
    fn a_claim_may_leave_fields_out_and_may_not_give_wrong_ones() {
        for good in [
            json!({}),
            json!({"claim": "c", "reliability": 0, "congruence": "cl3", "level": "l2"}),
            json!({"congruence": ""}),
        ] {
            assert_eq!(claim_errors(&good), Vec::<String>::new(), "{good}");
        }
        for (bad, says) in [
            (json!([]), "root: expected object"),
            (json!({"claim": 7}), "claim: expected string"),
            (
                json!({"congruence": "CL9"}),
                "congruence: expected CL0, CL1, CL2 or CL3",
            ),
            (json!({"reliability": "abc"}), "reliability: expected number"),
            (
                json!({"reliability": 1.5}),
                "reliability: expected a number from 0 to 1",
            ),
            (json!({"level": "gold"}), "level: expected L0, L1 or L2"),
        ] {
            assert_eq!(claim_errors(&bad), [says], "{bad}");
        }
    }
}
