//! How a test says that it cannot look: libtest knows only passed and failed once a test has begun.
//!
//! Tests of the crates below `tests` take this file in by its path, so that there is one way.

use std::io::Write as _;

/// Whether what a test looks at is there. Where it is not, the test ends, and `npm test` takes it off the number passed and
/// lists it with `without`: the words for what is missing.
#[must_use]
pub fn can_look(there: bool, without: &str) -> bool {
    if !there {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        // Written past the runner, which keeps what passed tests print to itself; one line in one piece, for others print too.
        let line = format!("TEST NOT RUN: {test}: {without}\n");
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    there
}
