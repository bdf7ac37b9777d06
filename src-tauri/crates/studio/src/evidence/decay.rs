//! Whether a record of evidence still holds (seed 000 "Evidence", `valid_until`). A pure function of the record and a moment.

use runtime::clock::moment;
use serde::Serialize;
use ts_rs::TS;

/// What has become of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decay {
    /// Whether it holds.
    pub status: Validity,
    /// Why.
    pub reason: Reason,
}

/// Whether a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum Validity {
    /// It does.
    Active,
    /// Its time has passed, or nobody said how long it holds.
    Expired,
    /// It was withdrawn: its level is `invalid`.
    Invalid,
}

/// Why a record holds or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its time has not passed.
    Valid,
    /// Its time has passed.
    Expired,
    /// Nobody said how long it holds.
    MissingValidUntil,
    /// What stands there is no day and no time.
    InvalidValidUntil,
    /// It was withdrawn.
    AlreadyInvalid,
}

impl Validity {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Invalid => "invalid",
        }
    }
}

impl Reason {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Expired => "expired",
            Self::MissingValidUntil => "missing_valid_until",
            Self::InvalidValidUntil => "invalid_valid_until",
            Self::AlreadyInvalid => "already_invalid",
        }
    }
}

/// What has become of a record of this level that is valid until then. `now`: milliseconds since 1970, UTC. The very moment
/// counts as passed (CONTRACTS "StepSpec": `valid_until ≤ now` → expired).
pub fn decay(level: &str, valid_until: &str, now: i64) -> Decay {
    let says = |status, reason| Decay { status, reason };
    if level.trim().eq_ignore_ascii_case("invalid") {
        return says(Validity::Invalid, Reason::AlreadyInvalid);
    }
    let valid_until = valid_until.trim();
    if valid_until.is_empty() {
        return says(Validity::Expired, Reason::MissingValidUntil);
    }
    match moment(valid_until) {
        None => says(Validity::Expired, Reason::InvalidValidUntil),
        Some(until) if until <= now => says(Validity::Expired, Reason::Expired),
        Some(_) => says(Validity::Active, Reason::Valid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_holds_until_its_moment_and_no_longer() {
        let now = moment("2026-11-21T00:00:00Z").expect("a time");
        for (level, until, expected) in [
            ("L1", "2026-11-22", "active valid"),
            ("L1", "2026-11-21", "expired expired"),
            ("L1", "2026-11-21T00:00:01Z", "active valid"),
            ("L1", "2026-11-21 00:00:01", "active valid"),
            ("L1", "2026-11-21T00:01", "active valid"),
            ("L1", "2026-11-20T20:00:01-04:00", "active valid"),
            ("L1", "2026-11-21T03:00:00+03:30", "expired expired"),
            ("L2", "2026-11-21T00:00:00.001Z", "active valid"),
            ("L1", "", "expired missing_valid_until"),
            ("L1", "  ", "expired missing_valid_until"),
            ("L1", "next year", "expired invalid_valid_until"),
            ("L1", "2026-02-30", "expired invalid_valid_until"),
            ("L2", "2027-01-01T00:00:00z", "expired invalid_valid_until"),
            (" Invalid ", "2027-01-01", "invalid already_invalid"),
            ("", "2027-01-01", "active valid"),
        ] {
            let Decay { status, reason } = decay(level, until, now);
            assert_eq!(format!("{} {}", status.word(), reason.word()), expected, "{until}");
        }
    }
}
