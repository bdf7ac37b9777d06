//! Context (TELIS): what is looked up for a step before its agent begins (seed 000 "TELIS context").

use super::Around;
use crate::brief::Brief;
use crate::executor::Sink;
use engine::Lifecycle;

/// Looks up what the step's inputs ask for. In a run with a scenario nothing is.
///
/// # Errors
/// Why it cannot be looked up.
pub(super) async fn context(
    around: &Around,
    _brief: &Brief,
    _held: &mut Lifecycle,
    _sink: &Sink,
) -> Result<(), String> {
    if around.script.is_some() || !around.step.parameters.keys().any(|key| key.starts_with("telis_")) {
        return Ok(());
    }
    Ok(())
}
