//! Days as people write them and times as they read them, where this program runs.

use crate::ApiError;
use crate::settings::keys;
use chrono::{DateTime, Days, Local, NaiveTime, SecondsFormat, TimeDelta};
use engine::At;

/// From the beginning of the first of these days to the end of the last one.
///
/// # Errors
/// `bad_date`.
pub(crate) fn span(since: Option<&str>, until: Option<&str>) -> Result<(Option<At>, Option<At>), ApiError> {
    let moment = |day: Option<&str>, later| day.map(|day| begins(day, later)).transpose();
    Ok((moment(since, 0)?, moment(until, 1)?))
}

/// When a day begins, or one so many days later.
fn begins(day: &str, later: u64) -> Result<At, ApiError> {
    let date = keys::date(day)?;
    let midnight = date
        .checked_add_days(Days::new(later))
        .unwrap_or(date)
        .and_time(NaiveTime::MIN);
    let here = |time: chrono::NaiveDateTime| time.and_local_timezone(Local).earliest();
    // Where clocks are put on at midnight the day begins an hour later.
    let moment = here(midnight).or_else(|| here(midnight.checked_add_signed(TimeDelta::hours(1))?));
    let at = moment.map_or_else(
        || midnight.and_utc().timestamp_millis(),
        |moment| moment.timestamp_millis(),
    );
    Ok(At(at))
}

fn here(at: i64) -> Option<DateTime<Local>> {
    DateTime::from_timestamp_millis(at).map(|moment| moment.with_timezone(&Local))
}

/// `2026-03-01 09:30`.
pub fn minute(at: i64) -> String {
    here(at).map_or_else(String::new, |at| at.format("%Y-%m-%d %H:%M").to_string())
}

/// `2026-03-01T09:30:12+01:00`: the day is the one that is asked for, and the moment is the same everywhere.
pub(crate) fn second(at: i64) -> String {
    here(at).map_or_else(String::new, |at| at.to_rfc3339_opts(SecondsFormat::Secs, false))
}
