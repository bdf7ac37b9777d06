//! `gatehouse.yaml` as forms write it: each value where it stands, everything else of the file as it is.

use crate::error::sentence;
use crate::notice::Notice;
use crate::settings::field_view::{SettingsField, SettingsForm};
use crate::text::safe;
use crate::{ApiError, Studio};
use dialect::settings::Wanted;
use runtime::FileFault;
use runtime::config::{CONFIG_FILE, Config, OPERATOR_FILE};
use runtime::pipeline::{Folder, template};
use runtime::unmet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use store::regular::{LARGEST_SETTINGS, NotRead};

/// What a text says as the project's settings.
pub(crate) fn parsed(text: &str) -> Result<Config, FileFault> {
    Config::parse(Path::new(CONFIG_FILE), text)
}

/// Tells one version of the file from another.
pub(crate) fn revision(text: &str) -> String {
    store::digest_of(text.as_bytes()).to_string()
}

/// Why the file cannot be used, with the place: `gatehouse.yaml cannot be used: line 4: …`.
pub(crate) fn unusable(fault: &FileFault) -> String {
    // By whatever ending it is called.
    let is_operators = fault
        .path
        .with_extension("")
        .ends_with(Path::new(OPERATOR_FILE).with_extension(""));
    let name = match is_operators {
        true => OPERATOR_FILE,
        false => CONFIG_FILE,
    };
    format!("{name} cannot be used: {}.", said_at(fault))
}

/// What the project's settings say that means nothing to Gatehouse, names what is not there, or takes gates away. `root`: the project's canonical folder.
pub(crate) fn notes(root: &Path, config: &Config) -> Vec<FileFault> {
    let of_pipelines = Folder::of(root, config).map(|folder| template::without_effect(&folder));
    let notes = config.notes.iter().cloned().chain(unmet::names(root, config));
    notes.chain(of_pipelines.unwrap_or_default()).collect()
}

/// The same as a sentence: `gatehouse.yaml: line 4: …`.
pub(crate) fn in_words(note: &FileFault) -> String {
    format!("{}: {}", note.path.display(), said_at(note))
}

fn said_at(fault: &FileFault) -> String {
    let line = fault.line.map_or_else(String::new, |line| format!("line {line}: "));
    line + &crate::text::safe::visible(fault.message.trim_end_matches('.'))
}

/// Why nothing was written.
pub(crate) fn refused(why: String) -> ApiError {
    ApiError::new("edit_refused", why).hint("Change it in the file itself.")
}

/// Why what was filled in is not kept: the file could not be used with it. Keys mean nothing to whoever has filled in a form, and what
/// is said of their values names the values.
fn not_kept(wanted: &[Wanted], fault: &FileFault) -> ApiError {
    let mut filled = wanted.iter().flat_map(|(path, _)| {
        let ends = (2..=path.len()).rev();
        ends.map(move |end| format!("{}: ", path[..end].join(".")))
    });
    match filled.find_map(|place| fault.message.strip_prefix(place.as_str())) {
        Some(why) => ApiError::new("edit_refused", sentence(why)).hint("Nothing was changed. Fill it in otherwise."),
        None => refused(format!("{CONFIG_FILE} was not changed: {}.", fault.message)),
    }
}

impl Studio {
    /// The text of the settings; empty where there is no such file.
    pub(crate) fn settings_text(&self) -> Result<String, ApiError> {
        self.inside(CONFIG_FILE)?;
        match self.text_in(CONFIG_FILE, LARGEST_SETTINGS) {
            Ok(text) => Ok(text),
            Err(NotRead::Missing) => Ok(String::new()),
            Err(error) => Err(
                ApiError::new("unreadable", format!("{CONFIG_FILE} cannot be read: {error}."))
                    .hint("Put an ordinary file there that you may read."),
            ),
        }
    }

    /// The same, to be changed: it is the version that somebody has seen.
    pub(crate) fn settings_at(&self, seen: &str) -> Result<String, ApiError> {
        self.writable()?;
        let text = self.settings_text()?;
        if revision(&text) == seen {
            return Ok(text);
        }
        Err(ApiError::new(
            "settings_changed",
            format!("{CONFIG_FILE} was changed meanwhile, so nothing was written."),
        )
        .hint("Look at what it says now, and fill in again what is still wanted."))
    }

    /// A form of the file as it stands: `text`, read as `parsed`.
    pub(crate) fn settings_form(
        &self,
        text: &str,
        parsed: &Result<Config, FileFault>,
        fields: Vec<SettingsField>,
        more: impl IntoIterator<Item = String>,
    ) -> SettingsForm {
        SettingsForm {
            revision: revision(text),
            fields,
            more: more.into_iter().map(|name| safe::visible(&name)).collect(),
            writable: self.writable().is_ok() && parsed.is_ok(),
            fault: parsed.as_ref().err().map(unusable),
        }
    }

    /// Writes what was filled in, unless the file could not be used then.
    pub(crate) fn write_settings(&self, text: &str, wanted: &[Wanted]) -> Result<(), ApiError> {
        static WRITING: Mutex<()> = Mutex::new(());
        // Of two at once on one version of the file the second is told that it has changed.
        let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        self.settings_at(&revision(text))?;
        let after = dialect::settings::changed(CONFIG_FILE, text, wanted)
            .map_err(|error| refused(format!("This cannot be written into {CONFIG_FILE}: {error}.")))?;
        if after != text {
            parsed(&after).map_err(|fault| not_kept(wanted, &fault))?;
            self.write_text(CONFIG_FILE, &after)?;
            self.notify(Notice::Settings);
        }
        Ok(())
    }
}
