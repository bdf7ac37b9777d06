//! The harness: checks that need more than one crate, or the finished programs.
//!
//! * [`oracle`]: the recorded cases of other systems, run through the product's own code (`npm run oracle`).
//! * [`program`]: the built `gatehouse`, as a person would start it; [`project`]: a folder to start it in;
//!   [`driven`]: one that goes on in the background; [`killed`]: one that dies between two events.
//! * [`forger`]: a history that somebody computes anew.
//! * [`samples`]: the workflows that ship, to work in.
//! * [`ajv`]: a second validator of sessions.
//! * [`looking`]: what a test says that cannot look.
//! * [`mounted`]: a disk that is full, or can only be read.
//! * [`many`]: runbooks of average size for the benchmark.
//! * `tests/`: what must hold between crates and across crashes, tampering and bad input. `bin/bench/`: `npm run bench`.

pub mod ajv;
pub mod driven;
pub mod forger;
pub mod killed;
pub mod looking;
pub mod many;
pub mod mounted;
pub mod oracle;
pub mod program;
pub mod project;
pub mod samples;
