//! Points in time as the contracts write them.

use chrono::{DateTime, SecondsFormat, TimeDelta, TimeZone, Utc};
use engine::At;
use std::collections::BTreeMap;

/// RFC 3339 in UTC with microseconds and one offset: `2025-01-15T10:00:00.000000Z`. A time outside the calendar's range is
/// written as its nearest end.
pub fn rfc3339(at: At) -> String {
    later(at, 0)
}

/// The same, so many microseconds later.
fn later(at: At, micros: u32) -> String {
    let end = if at.0 < 0 {
        DateTime::<Utc>::MIN_UTC
    } else {
        DateTime::<Utc>::MAX_UTC
    };
    let time = Utc.timestamp_millis_opt(at.0).single().unwrap_or(end);
    let time = time
        .checked_add_signed(TimeDelta::microseconds(i64::from(micros)))
        .unwrap_or(end);
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// Times of the lines of one stream: the log knows milliseconds, and readers take the time of two lines for what tells them
/// apart, so each line of a millisecond is a microsecond after the one before it. The same lines always get the same times.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    /// Lines so far of each millisecond: tools tell their own times, which need not come in order.
    lines: BTreeMap<i64, u32>,
}

impl Clock {
    /// The time of the next line.
    pub fn stamp(&mut self, at: At) -> String {
        let lines = self.lines.entry(at.0).or_default();
        // More lines than a millisecond has microseconds share its last one: none may stand after what happened later.
        let text = later(at, (*lines).min(999));
        *lines = lines.saturating_add(1);
        text
    }
}

/// Reads an RFC 3339 timestamp, the real calendar and an offset demanded; the originals' `…+00:00Z` is read as well.
pub(crate) fn parse(text: &str) -> Option<DateTime<Utc>> {
    let text = match text.strip_suffix('Z') {
        Some(rest) if has_numeric_offset(rest) => rest,
        _ => text,
    };
    strict(text)
}

/// The same without that leniency.
pub(crate) fn strict(text: &str) -> Option<DateTime<Utc>> {
    // Seed 001 asks for a date and a time; chrono would let a space part them.
    if text.as_bytes().get(10).is_none_or(|b| !matches!(b, b'T' | b't')) {
        return None;
    }
    DateTime::parse_from_rfc3339(text).ok().map(|t| t.with_timezone(&Utc))
}

fn has_numeric_offset(text: &str) -> bool {
    let tail = text.as_bytes().last_chunk::<6>();
    tail.is_some_and(|t| matches!(t[0], b'+' | b'-') && t[3] == b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_offset_and_microseconds() {
        assert_eq!(rfc3339(At(0)), "1970-01-01T00:00:00.000000Z");
        assert_eq!(rfc3339(At(1_736_935_200_123)), "2025-01-15T10:00:00.123000Z");
        assert!(parse(&rfc3339(At(i64::MAX))).is_none() || rfc3339(At(i64::MAX)).starts_with('+'));
    }

    #[test]
    fn lines_of_one_millisecond_differ() {
        let mut clock = Clock::default();
        let told: Vec<String> = [5, 5, 9, 5].iter().map(|at| clock.stamp(At(*at))).collect();
        let micros: Vec<&str> = told.iter().map(|text| &text[20..26]).collect();
        assert_eq!(micros, ["005000", "005001", "009000", "005002"]);
        assert!(!clock.stamp(At(i64::MAX)).is_empty() && !clock.stamp(At(i64::MIN)).is_empty());
    }

    #[test]
    fn reads_what_the_originals_wrote_and_nothing_impossible() {
        for good in [
            "2025-01-15T10:00:00Z",
            "2025-01-15T10:00:00.123456Z",
            "2025-01-15T11:00:00+01:00",
            "2025-12-10T17:18:51.123456+00:00Z",
        ] {
            assert!(parse(good).is_some(), "{good}");
        }
        for bad in [
            "yesterday",
            "2025-02-30T10:00:00Z",
            "2025-01-15",
            "2025-01-15 10:00:00Z",
            "2025-01-15T10:00:00",
            "2025-01-15T10:00:00ZZ",
            "",
        ] {
            assert!(parse(bad).is_none(), "{bad}");
        }
        assert_eq!(parse("2025-01-15T11:00:00+01:00"), parse("2025-01-15T10:00:00Z"));
    }
}
