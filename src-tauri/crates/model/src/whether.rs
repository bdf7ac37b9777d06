//! Steps that are not always done, and steps that a run can do without (seed 003 `skipped_steps`: "optional steps").

use crate::cel::Expression;

/// Whether a step is done at all is decided when its turn comes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Whether {
    /// When it is to be done, in the author's words: a condition in CEL over what was reported, or prose that a person answers. Absent: the
    /// step is optional, and a person says.
    pub condition: Option<String>,
    /// The step is optional: a person says whether it is done, also where its condition holds.
    pub optional: bool,
}

impl Whether {
    /// The condition where it is an expression, which what was reported decides. Of any other words a person is asked whether they hold.
    pub fn expression(&self) -> Option<Expression> {
        let parsed = Expression::parse(self.condition.as_deref()?.trim()).ok()?;
        parsed.faults().is_empty().then_some(parsed)
    }
}

/// What follows when a step has failed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Failing {
    /// The run ends.
    #[default]
    Stops,
    /// What waits for it goes on without it, and the run ends as completed with failures.
    Spared,
    /// The same as long as another step of its phase has not failed (seed 003's family, `allow_with_one_success`).
    SparedBesideAnother,
}
