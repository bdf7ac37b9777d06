//! The one place that reads the clock. Everything below this crate gets its time with a command.

use chrono::DateTime;
use engine::At;
use std::time::{Duration, SystemTime};

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

/// Tells runs apart and orders them by their time.
pub(crate) fn new_id() -> String {
    let at = u64::try_from(now().0).unwrap_or_default();
    let nanoseconds = u32::try_from(at % 1000 * 1_000_000).unwrap_or_default();
    uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, at / 1000, nanoseconds)).to_string()
}

/// The day, `2026-11-21`, so many days from now, UTC.
pub fn day(days: i64) -> String {
    let today = DateTime::from_timestamp_millis(now().0).unwrap_or_default();
    let day = today.checked_add_signed(chrono::Duration::days(days.clamp(-1_000_000, 1_000_000)));
    day.unwrap_or(today).format("%Y-%m-%d").to_string()
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
