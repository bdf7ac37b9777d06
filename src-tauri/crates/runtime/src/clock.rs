//! The one place that reads the clock. Everything below this crate gets its time with a command.

use chrono::Utc;
use engine::At;
use std::time::Duration;

/// The wall clock, in milliseconds.
pub fn now() -> At {
    At(Utc::now().timestamp_millis())
}

/// The day, `2026-11-21`, so many days from now, UTC.
pub fn day(days: i64) -> String {
    (Utc::now() + chrono::Duration::days(days.clamp(-1_000_000, 1_000_000)))
        .format("%Y-%m-%d")
        .to_string()
}

/// How long it is from now until `at`; zero when it has passed.
pub fn until(at: At) -> Duration {
    Duration::from_millis(at.since_ms(now()))
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
