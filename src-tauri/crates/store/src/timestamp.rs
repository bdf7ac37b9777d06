//! Points in time as the contracts write them.

use chrono::{DateTime, SecondsFormat, TimeZone, Utc};
use engine::At;

/// RFC 3339 in UTC with milliseconds and one offset: `2025-01-15T10:00:00.000Z`. A time outside the calendar's range is
/// written as its nearest end.
pub fn rfc3339(at: At) -> String {
    let time: DateTime<Utc> = Utc.timestamp_millis_opt(at.0).single().unwrap_or(if at.0 < 0 {
        DateTime::<Utc>::MIN_UTC
    } else {
        DateTime::<Utc>::MAX_UTC
    });
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
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
    fn one_offset_and_milliseconds() {
        assert_eq!(rfc3339(At(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(At(1_736_935_200_123)), "2025-01-15T10:00:00.123Z");
        assert!(parse(&rfc3339(At(i64::MAX))).is_none() || rfc3339(At(i64::MAX)).starts_with('+'));
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
