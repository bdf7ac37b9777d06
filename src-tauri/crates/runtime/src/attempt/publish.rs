//! Publishing: the files of a stage that has passed become the latest. Until here nobody who reads the latest ones sees
//! any of it.

use super::collect::{Files, LIMIT};
use super::{Attempt, blocking};
use std::path::PathBuf;

/// Puts the files in the place of what was made before, where they have such a place.
///
/// # Errors
/// Why they cannot be put there.
pub(super) async fn publish(attempt: &mut Attempt) -> Result<(), String> {
    let Files::OnDisk {
        folder: Some(folder), ..
    } = &attempt.job.files
    else {
        return Ok(());
    };
    let (outputs, root) = (folder.clone(), PathBuf::from(&attempt.job.brief.project_root));
    blocking(
        "the stage's files could not be made the latest",
        LIMIT,
        &attempt.sink,
        move |off| {
            let published = outputs.work(&root, off).and_then(|working| working.publish());
            published.map_err(|error| error.to_string())
        },
    )
    .await
}
