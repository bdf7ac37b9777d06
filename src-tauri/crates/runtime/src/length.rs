//! Lengths of time as people write them: `150ms`, `2s`, `3m`, `1h`, `2d`, or a bare number of seconds.

use serde::de::{self, Deserializer, Visitor};
use std::fmt;
use std::time::Duration;

const DAY: f64 = 24.0 * 3600.0;
/// The longest that anything takes in a scenario, in days.
const LONGEST: u16 = 7;

/// Reads a length; at most so many days.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn parse(text: &str, days: u16) -> Result<Duration, String> {
    let text = text.trim();
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let wrong = || format!("`{text}` is not a length of time; write `150ms`, `2s`, `3m`, `1h` or `2d`");
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit.trim() {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        "d" => number * DAY,
        _ => return Err(wrong()),
    };
    if seconds > f64::from(days) * DAY {
        return Err(format!("`{text}` is longer than {days} days"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// For `#[serde(deserialize_with)]`.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<Duration, D::Error> {
    struct Reader;
    impl Visitor<'_> for Reader {
        type Value = Duration;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a length of time such as `150ms` or `2s`")
        }
        fn visit_str<E: de::Error>(self, text: &str) -> Result<Duration, E> {
            parse(text, LONGEST).map_err(E::custom)
        }
        fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Duration, E> {
            self.visit_str(&seconds.to_string())
        }
        fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<Duration, E> {
            self.visit_str(&seconds.to_string())
        }
    }
    reader.deserialize_any(Reader)
}

/// For `#[serde(deserialize_with)]` where a length may be absent.
pub(crate) fn maybe<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Duration>, D::Error> {
    deserialize(reader).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        for (text, ms) in [
            ("150ms", 150),
            ("2s", 2000),
            ("0.5s", 500),
            ("3m", 180_000),
            ("1h", 3_600_000),
            ("0.5d", 43_200_000),
            ("2", 2000),
        ] {
            assert_eq!(parse(text, LONGEST), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "soon", "2 weeks", "-1s", "1.2.3s", "9999h", "8d"] {
            assert!(parse(text, LONGEST).is_err(), "{text}");
        }
    }
}
