//! Numbers as SQLite keeps them (signed) and as we use them (mostly not).

use engine::At;

/// A count; a negative one, which only a damaged file holds, reads as 0.
pub(crate) fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// A small count.
pub(crate) fn small(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

/// An optional point in time.
pub(crate) fn at(value: Option<i64>) -> Option<At> {
    value.map(At)
}
