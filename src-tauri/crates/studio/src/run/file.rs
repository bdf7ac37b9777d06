//! Files of a run, looked at one by one: what its steps made, in the version that is meant, and what they read.

use crate::command::{FileOf, SaveFile};
use crate::gate::view::{ArtifactView, FileBytes};
use crate::report::view::SavedView;
use crate::run::history::History;
use crate::saved;
use crate::text::{artifact, media};
use crate::{ApiError, Client, Studio};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::{Artifact, Digest, Event};
use std::io::Read;
use std::path::Path;

/// Of a larger file only its beginning is looked at; it is named, not shown.
const MOST_BYTES: u64 = 64 << 20;

impl Studio {
    /// A file that the run made, or that one of its steps reads. Others are not its to show.
    pub(crate) async fn file_of_run(&self, of: FileOf) -> Result<ArtifactView, ApiError> {
        let (made, bytes) = self.version_of_run(&of)?;
        let blobs = |_: &Digest| bytes.clone();
        Ok(artifact::view(&made, &blobs, None, false))
    }

    /// What it holds, for a page that draws it.
    ///
    /// # Errors
    /// `not_found`: the run has no such file, or its content is gone; `not_drawn`: it is none that a page draws.
    pub(crate) async fn bytes_of_run(&self, of: FileOf) -> Result<FileBytes, ApiError> {
        let (made, bytes) = self.version_of_run(&of)?;
        let bytes = bytes.ok_or_else(|| unknown(&made.path))?;
        match media::of(&bytes) {
            Some(media) if bytes.len() as u64 <= media::LARGEST => Ok(FileBytes {
                media: media.name().to_owned(),
                base64: STANDARD.encode(&bytes),
            }),
            _ => {
                let what = format!("{} is no PDF document and no picture of at most 32 MiB.", made.path);
                Err(ApiError::new("not_drawn", what).hint("Save a copy of it to look at it."))
            }
        }
    }

    /// Writes a copy of it, byte for byte, or of what is attached to it, for the programs that show what a page cannot.
    ///
    /// # Errors
    /// `not_found`: the run has no such file, or its content is gone; `too_large`; `no_place`: nobody has said where what is attached is to be;
    /// those of writing.
    pub(crate) async fn save_file_of_run(&self, of: SaveFile) -> Result<SavedView, ApiError> {
        let SaveFile {
            run_id,
            path,
            digest,
            to,
            attached,
        } = of;
        let (made, bytes) = self.version_of_run(&FileOf { run_id, path, digest })?;
        let bytes = bytes.ok_or_else(|| unknown(&made.path))?;
        if bytes.len() as u64 >= MOST_BYTES && self.0.store.blob(&made.digest).is_err() {
            // Only its beginning was read.
            let what = format!("{} is too large to be copied from here.", made.path);
            return Err(ApiError::new("too_large", what).hint("Take it from the project."));
        }
        let to = to.filter(|_| self.0.client == Client::Desktop);
        // What is attached the window alone reads: it is no file of the run, and goes nowhere but where the person says.
        let bytes = match attached.map(|base64| STANDARD.decode(base64)) {
            None => bytes,
            Some(Ok(attached)) if to.is_some() => attached,
            Some(_) => {
                let what = format!(
                    "What is attached to {} was not written: it is no Base64, or nobody has said where to.",
                    made.path
                );
                return Err(ApiError::new("no_place", what).hint("Save it from the window."));
            }
        };
        if let Some(to) = to {
            saved::over("copy", Path::new(&to), &bytes)?;
            return Ok(SavedView {
                path: to,
                bytes: bytes.len() as u64,
                warning: None,
            });
        }
        let name = made.path.rsplit(['/', '\\']).next().unwrap_or(&made.path);
        self.save_new("copy", &self.among_reports(name, "")?, &bytes, true)
    }

    /// The version of a file that is meant, with what it holds as far as it can be read.
    fn version_of_run(&self, of: &FileOf) -> Result<(Artifact, Option<Vec<u8>>), ApiError> {
        let history = self.history(&of.run_id)?;
        let unknown = || unknown(&of.path);
        match &of.digest {
            Some(digest) => match made(&history, &of.path, digest) {
                Some(made) => {
                    let bytes = self.0.store.blob(&made.digest).ok();
                    Ok((made, bytes))
                }
                // What a step reads, as long as it is still what was looked at.
                None => {
                    let on_disk = self.on_disk(&history, &of.path);
                    let same = on_disk.filter(|(there, _)| there.digest.as_str() == digest);
                    same.ok_or_else(unknown)
                }
            },
            None => self.on_disk(&history, &of.path).ok_or_else(unknown),
        }
    }

    /// A file that a step reads, as it is on disk now.
    fn on_disk(&self, history: &History, path: &str) -> Option<(Artifact, Option<Vec<u8>>)> {
        let inputs = history.workflow().steps().iter().flat_map(|step| &step.inputs);
        let mut read = inputs.filter_map(|input| self.read_by_a_step(history, input));
        let path = read.find(|known| known == path)?;
        let mut bytes = Vec::new();
        self.inside(&path).ok()?;
        let file = store::below::open(&self.0.root, &path).ok()?;
        file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        let made = Artifact {
            digest: store::digest_of(&bytes),
            bytes: bytes.len() as u64,
            path,
            was_there: false,
            executable: None,
        };
        Some((made, Some(bytes)))
    }

    /// What a step reads, relative to the project; `None` where no such file is there.
    pub(crate) fn read_by_a_step(&self, history: &History, input: &str) -> Option<String> {
        let path = runtime::project::relative(input, history.id()).ok()?;
        let file = self.inside(&path).ok()?;
        file.is_file().then_some(path)
    }
}

/// The version of a file that some step of the run made, or some gate showed.
pub(crate) fn made(history: &History, path: &str, digest: &str) -> Option<Artifact> {
    let is_it = |made: &&Artifact| made.path == path && made.digest.as_str() == digest;
    history.events().iter().find_map(|e| match &e.event {
        Event::AttemptEnded { result, .. } => result.artifacts.iter().find(is_it).cloned(),
        Event::GateOpened(opened) => opened.shown.iter().find(is_it).cloned(),
        _ => None,
    })
}

/// That a run has no such file.
pub(crate) fn unknown(path: &str) -> ApiError {
    ApiError::new("not_found", format!("This run knows no such file: {path}.")).hint("It may belong to another run.")
}
