//! The place: a branch with a folder of its own has it, and where such branches met what they changed is in the project.

use super::collect::LIMIT;
use super::{Attempt, blocking};

/// Makes the folder and brings in, where there is anything to make or bring in.
///
/// # Errors
/// Why it cannot be done.
pub(super) async fn prepare(attempt: &mut Attempt) -> Result<(), String> {
    let Some(place) = attempt.job.place.take() else {
        return Ok(());
    };
    let confinement = attempt.job.care.toolbox.environment.confinement(&attempt.job.brief);
    let prepared = blocking(
        "the branches' folders could not be prepared",
        LIMIT,
        &attempt.sink,
        move |off| place.prepare(&confinement, off),
    );
    attempt.held.brought_in = prepared.await?;
    Ok(())
}
