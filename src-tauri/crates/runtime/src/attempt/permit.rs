//! Permission: whether a step may be carried out as the log asks for it. Nothing of it has begun by then.

use super::{Ask, Attempt, Said};

/// Whether an attempt may be carried out.
pub(crate) enum Permit {
    /// It may.
    Granted,
    /// A person must permit this first, in words.
    Needs(Vec<String>),
    /// It may not, and why.
    Refused(String),
}

pub(super) fn check(attempt: &mut Attempt) -> Said {
    match std::mem::replace(&mut attempt.job.permit, Permit::Granted) {
        Permit::Granted => Said::Continue,
        Permit::Needs(needs) => Said::Ask(Ask::Permission(needs)),
        Permit::Refused(why) => {
            attempt.sink.remark(&why);
            Said::Fail(why)
        }
    }
}
