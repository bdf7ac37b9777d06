//! Reports: one page that says what was asked, decided and done.
//!
//! * `query`: making and writing one; `present`: the page. `record`: what it says of the record it was made of, and its text beside the one
//!   made of that record once more; `checks`: what can stand there of checks of the record.

pub(crate) mod checks;
pub(crate) mod present;
pub(crate) mod query;
pub(crate) mod record;
pub mod view;
