//! When a file was changed, by the clock of its file system.

use engine::At;
use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

/// A moment in milliseconds; one before 1970 as the last there is, so that nothing is taken for old by mistake.
pub(crate) fn at(time: SystemTime) -> At {
    let since = time.duration_since(UNIX_EPOCH).ok();
    At(since.map_or(i64::MAX, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}

/// When a file was written or put in its place, whatever its own time of change says, which may be copied. Where the system does not keep it: that
/// own time.
pub(crate) fn put_there(about: &Metadata) -> At {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let parts = about.ctime_nsec() / 1_000_000;
        At(about.ctime().saturating_mul(1000).saturating_add(parts))
    }
    #[cfg(not(unix))]
    about.modified().map_or(At(i64::MAX), at)
}
