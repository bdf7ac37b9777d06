//! `getCurrentTime`: the time as the system's clock has it (seed 000), never as a model remembers it.

use crate::{Answer, Context, Leash, Outcome, Risk, Source, Spec};
use chrono::{DateTime, SecondsFormat, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};
use std::time::SystemTime;

/// The zone of a call that names none (seed 000).
const ZONE: &str = "America/Toronto";

/// Now; a clock that was never set, before 1970, counts as the first moment of it.
fn now() -> DateTime<Utc> {
    DateTime::from(SystemTime::now().max(SystemTime::UNIX_EPOCH))
}

/// Reads the clock.
#[derive(Debug)]
pub(crate) struct Clock;

impl Source for Clock {
    fn specs(&self) -> Vec<Spec> {
        let schema = json!({
            "type": "object",
            "properties": {
                "timezone": {"type": "string", "description": "IANA name of a time zone, or UTC", "default": ZONE},
            },
            "additionalProperties": false,
        });
        vec![Spec::new(
            "getCurrentTime",
            "The current time by the system's clock, as ISO 8601 in whole seconds.",
            Risk::Low,
            schema,
        )]
    }

    fn call<'a>(&'a self, _name: &'a str, args: &'a Value, _context: &'a Context, _leash: &'a Leash) -> Answer<'a> {
        let zone = args["timezone"].as_str().unwrap_or(ZONE);
        let answer = Outcome::from(written(now(), zone).map(Value::String));
        Box::pin(std::future::ready(answer))
    }
}

/// A moment in a zone: `Z` for UTC, else the zone's offset at that moment, in whole seconds.
fn written(moment: DateTime<Utc>, zone: &str) -> Result<String, String> {
    let zone = zone.trim();
    if ["UTC", "Z"].iter().any(|utc| utc.eq_ignore_ascii_case(zone)) {
        return Ok(moment.to_rfc3339_opts(SecondsFormat::Secs, true));
    }
    let known: Tz = zone.parse().map_err(|_| {
        format!("`{zone}` is no time zone; zones have IANA names like `America/Toronto` or `Europe/Paris`, or `UTC`")
    })?;
    Ok(moment.with_timezone(&known).to_rfc3339_opts(SecondsFormat::Secs, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(moment: &str, zone: &str) -> String {
        let moment = moment.parse().expect("a moment");
        written(moment, zone).expect("a zone")
    }

    #[test]
    fn each_zone_has_its_offset_of_the_season_and_utc_has_a_z() {
        for (moment, zone, expected) in [
            ("2026-01-15T12:00:00.999Z", "UTC", "2026-01-15T12:00:00Z"),
            ("2026-01-15T12:00:00Z", "z", "2026-01-15T12:00:00Z"),
            ("2026-01-15T12:00:00Z", "Etc/UTC", "2026-01-15T12:00:00+00:00"),
            ("2026-01-15T12:00:00Z", ZONE, "2026-01-15T07:00:00-05:00"),
            ("2026-07-15T12:00:00Z", ZONE, "2026-07-15T08:00:00-04:00"),
            ("2026-01-15T12:00:00Z", "Europe/Paris", "2026-01-15T13:00:00+01:00"),
            ("2026-07-15T23:30:00Z", "Europe/Paris", "2026-07-16T01:30:00+02:00"),
            ("2026-01-15T12:00:00Z", "Asia/Kathmandu", "2026-01-15T17:45:00+05:45"),
            (
                "2026-01-15T12:00:00Z",
                " America/St_Johns ",
                "2026-01-15T08:30:00-03:30",
            ),
        ] {
            assert_eq!(at(moment, zone), expected, "{zone}");
        }
    }

    #[test]
    fn a_zone_that_nobody_knows_is_named() {
        for zone in ["Mars/Olympus", "", "+02:00", "EST5EDT4"] {
            let error = written(Utc::now(), zone).expect_err("no zone");
            assert!(error.starts_with(&format!("`{zone}` is no time zone")), "{error}");
        }
    }
}
