//! The one place that reads the clock. Everything below this crate gets its time with a command.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime};
use engine::At;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

/// The last moment of the year 9999: what lies behind it can be written in no date.
const LATEST: i64 = 253_402_300_799_999;

/// The wall clock, in milliseconds.
pub fn now() -> At {
    of(SystemTime::now())
}

/// A clock that was never set may lie before 1970: that counts as the first moment of it, and the log's own order goes on from there.
fn of(time: SystemTime) -> At {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    At(i64::try_from(since.as_millis()).unwrap_or(i64::MAX).min(LATEST))
}

/// The time since a moment that stays the same for this process. Nobody sets this clock; on Linux it goes on while the machine sleeps.
pub(crate) fn watch() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    #[cfg(target_os = "linux")]
    {
        if let Ok(now) = nix::time::ClockId::CLOCK_BOOTTIME.now() {
            return Duration::from(now);
        }
    }
    BEGAN.elapsed()
}

/// Tells runs apart and orders them by their time.
pub(crate) fn new_id() -> String {
    let at = u64::try_from(now().0).unwrap_or_default();
    let nanoseconds = u32::try_from(at % 1000 * 1_000_000).unwrap_or_default();
    uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, at / 1000, nanoseconds)).to_string()
}

/// The day, `2026-11-21`, so many days after a time, UTC.
pub fn day(at: At, days: i64) -> String {
    let then = DateTime::from_timestamp_millis(at.0).unwrap_or_default();
    let day = then.checked_add_signed(chrono::Duration::days(days.clamp(-1_000_000, 1_000_000)));
    day.unwrap_or(then).format("%Y-%m-%d").to_string()
}

/// A day or a time as evidence gives it, in milliseconds since 1970 (UTC): a day is its first moment, a time without an offset is
/// UTC, `T` or a space stands between day and time, and `Z` is a capital letter.
pub fn moment(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis());
    }
    if text.ends_with('z') {
        return None;
    }
    for separator in ["T", " "] {
        for time in ["%H:%M:%S%.f", "%H:%M"] {
            let zoned = format!("%Y-%m-%d{separator}{time}%#z");
            let at = text.strip_suffix('Z').map(|text| format!("{text}+00:00"));
            if let Ok(at) = DateTime::<FixedOffset>::parse_from_str(at.as_deref().unwrap_or(text), &zoned) {
                return Some(at.timestamp_millis());
            }
            let plain = format!("%Y-%m-%d{separator}{time}");
            if let Ok(at) = NaiveDateTime::parse_from_str(text, &plain) {
                return Some(at.and_utc().timestamp_millis());
            }
        }
    }
    None
}

/// `850 ms`, `12 s`, `3 min 20 s`: a length of time as a person reads it.
pub fn spoken(length: Duration) -> String {
    let seconds = length.as_secs();
    match seconds {
        0 => format!("{} ms", length.as_millis()),
        1..60 => format!("{seconds} s"),
        _ if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_clock_is_too_early_or_too_late() {
        let day = Duration::from_secs(86_400);
        for (time, at) in [
            (SystemTime::UNIX_EPOCH, 0),
            (SystemTime::UNIX_EPOCH - day, 0),
            (SystemTime::UNIX_EPOCH - 36_525 * day, 0),
            (SystemTime::UNIX_EPOCH + day, 86_400_000),
            (SystemTime::UNIX_EPOCH + 36_525_000 * day, LATEST),
        ] {
            assert_eq!(of(time), At(at));
        }
        assert_ne!(new_id(), new_id());
        assert!(store::rfc3339(At(LATEST)).starts_with("9999-12-31"));
    }

    #[test]
    fn lengths_are_spoken() {
        for (ms, words) in [
            (850, "850 ms"),
            (12_400, "12 s"),
            (1_800_000, "30 min"),
            (200_000, "3 min 20 s"),
        ] {
            assert_eq!(spoken(Duration::from_millis(ms)), words);
        }
    }
}
