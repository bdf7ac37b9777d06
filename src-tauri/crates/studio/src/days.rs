//! Days as people write them and times as they read them: in the project's time zone where it has one, else where this program runs.

use crate::ApiError;
use crate::settings::keys;
use crate::words;
use chrono::{DateTime, Days, FixedOffset, Local, NaiveDateTime, NaiveTime, SecondsFormat, TimeDelta, TimeZone};
use chrono_tz::Tz;
use engine::At;

/// From the beginning of the first of these days to the end of the last one.
///
/// # Errors
/// `bad_date`.
pub(crate) fn span(
    zone: Option<Tz>,
    since: Option<&str>,
    until: Option<&str>,
) -> Result<(Option<At>, Option<At>), ApiError> {
    let moment = |day: Option<&str>, later| day.map(|day| begins(zone, day, later)).transpose();
    Ok((moment(since, 0)?, moment(until, 1)?))
}

/// When a day begins, or one so many days later.
fn begins(zone: Option<Tz>, day: &str, later: u64) -> Result<At, ApiError> {
    let date = keys::date(day)?;
    let midnight = date
        .checked_add_days(Days::new(later))
        .unwrap_or(date)
        .and_time(NaiveTime::MIN);
    let here = |time: NaiveDateTime| match zone {
        Some(zone) => first(time, zone),
        None => first(time, Local),
    };
    // Where clocks are put on at midnight the day begins an hour later.
    let moment = here(midnight).or_else(|| here(midnight.checked_add_signed(TimeDelta::hours(1))?));
    Ok(At(moment.unwrap_or_else(|| midnight.and_utc().timestamp_millis())))
}

/// The first moment at which clocks of a zone tell a time.
fn first(time: NaiveDateTime, zone: impl TimeZone) -> Option<i64> {
    Some(time.and_local_timezone(zone).earliest()?.timestamp_millis())
}

fn here(at: i64, zone: Option<Tz>) -> Option<DateTime<FixedOffset>> {
    let moment = DateTime::from_timestamp_millis(at)?;
    Some(match zone {
        Some(zone) => moment.with_timezone(&zone).fixed_offset(),
        None => moment.with_timezone(&Local).fixed_offset(),
    })
}

/// `2026-03-01 09:30`.
pub fn minute(at: i64, zone: Option<Tz>) -> String {
    here(at, zone).map_or_else(String::new, |at| at.format("%Y-%m-%d %H:%M").to_string())
}

/// `2026-03-01T09:30:12+01:00`: the day is the one that is asked for, and the moment is the same everywhere.
pub(crate) fn second(at: i64, zone: Option<Tz>) -> String {
    here(at, zone).map_or_else(String::new, |at| at.to_rfc3339_opts(SecondsFormat::Secs, false))
}

/// `2026-11-21 at 09:30 CET`: in a sentence, which is read elsewhere too; in UTC where the project has no time zone.
pub(crate) fn told(at: i64, zone: Option<Tz>) -> String {
    DateTime::from_timestamp_millis(at).map_or_else(String::new, |moment| {
        let there = moment.with_timezone(&zone.unwrap_or(chrono_tz::UTC));
        there.format("%Y-%m-%d at %H:%M %Z").to_string()
    })
}

/// By when an answer is wanted, as a terminal says it: `an answer is wanted by 2026-03-01 09:30`, and once that has passed how long ago it was.
pub(crate) fn wanted(by: At, now: At, zone: Option<Tz>) -> String {
    let moment = minute(by.0, zone);
    match now.0 < by.0 {
        true => format!("an answer is wanted by {moment}"),
        false => format!(
            "overdue: an answer was wanted by {moment} ({} ago)",
            words::duration(now.since_ms(by))
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_when_an_answer_is_wanted_is_said_and_that_it_has_passed() {
        // 2026-11-30T23:30:00Z.
        let by = At(1_796_081_400_000);
        let said = |now: i64| wanted(by, At(by.0 + now), Some(chrono_tz::UTC));
        assert_eq!(said(-1), "an answer is wanted by 2026-11-30 23:30");
        assert_eq!(said(0), "overdue: an answer was wanted by 2026-11-30 23:30 (0 ms ago)");
        let later = said(2 * 86_400_000 + 3 * 3_600_000);
        assert_eq!(later, "overdue: an answer was wanted by 2026-11-30 23:30 (2 d 3 h ago)");
    }

    #[test]
    fn days_and_times_are_those_of_the_project() {
        // 2026-11-30T23:30:00Z: the next day in Zurich.
        let at = 1_796_081_400_000;
        let zurich = Some(chrono_tz::Europe::Zurich);
        assert_eq!(minute(at, zurich), "2026-12-01 00:30");
        assert_eq!(second(at, zurich), "2026-12-01T00:30:00+01:00");
        assert_eq!(told(at, zurich), "2026-12-01 at 00:30 CET");
        assert_eq!(told(at, None), "2026-11-30 at 23:30 UTC");
        let (since, until) = span(zurich, Some("2026-12-01"), Some("2026-12-01")).expect("days");
        let inside = |at: i64| since.is_some_and(|since| since.0 <= at) && until.is_some_and(|until| at < until.0);
        assert!(inside(at) && !inside(at - 3_600_000) && !inside(at + 86_400_000));
    }
}
