//! Settings of the person and what is known of the project.

use crate::command::{Nothing, RevokeOf};
use crate::notice::Notice;
use crate::settings::view::{SettingsChange, SettingsView};
use crate::settings::{file, identity};
use crate::text::safe;
use crate::{ApiError, Studio};
use runtime::config::{CONFIG_FILE, Config};

/// Whether a name can stand under a decision: it can be read, on one line, and says what it looks as if it said.
///
/// # Errors
/// `bad_name`.
pub fn good_name(name: &str) -> Result<(), ApiError> {
    // Between two scripts' letters these say how they are written: joiners, and which form of a character is meant.
    let is_of_script = |c: char| matches!(c, '\u{200c}' | '\u{200d}' | '\u{180b}'..='\u{180d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    // Joiners and the look of signs belong to scripts and signs; what else nobody sees only makes one name look like another.
    let hides = |c: char| model::is_unseen(c) && !is_of_script(c);
    let acts = safe::visible(name) != name || name.contains('\t') || name.contains(hides);
    let is_seen = name.chars().any(char::is_alphanumeric);
    if name.chars().count() <= 120 && !acts && is_seen {
        return Ok(());
    }
    Err(ApiError::new(
        "bad_name",
        "A name has at most 120 characters, at least one letter or digit, and none that act on a screen.",
    )
    .hint("Write the name as it is to stand under the decision."))
}

/// Holds the name that somebody saw as theirs when they said something against the one that their settings hold by now: what is recorded bears no name
/// that nobody saw.
///
/// # Errors
/// `refused:shown_changed`.
pub(crate) fn still_called(name: &str, seen: Option<&str>) -> Result<(), ApiError> {
    match seen.map(str::trim).filter(|seen| *seen != name.trim()) {
        None => Ok(()),
        Some(seen) => Err(ApiError::new(
            "refused:shown_changed",
            format!(
                "Your name has become {} in the meantime, and this said {}: nothing was recorded.",
                safe::visible(name),
                safe::visible(seen)
            ),
        )
        .hint("Say it again in that name, or change it in the settings first.")),
    }
}

impl Studio {
    /// Settings.
    pub(crate) async fn settings(&self, _: Nothing) -> Result<SettingsView, ApiError> {
        Ok(self.settings_now())
    }

    /// Changes settings; absent fields stay.
    pub(crate) async fn change_settings(&self, change: SettingsChange) -> Result<SettingsView, ApiError> {
        let mut person = self.0.identity.person();
        if let Some(name) = change.name {
            let name = name.trim();
            if !name.is_empty() {
                good_name(name)?;
            }
            person.name = name.to_owned();
        }
        if let Some(roles) = change.roles {
            person.roles = self::roles(&roles)?;
        }
        if let Some(theme) = change.theme {
            if !["system", "light", "dark"].contains(&theme.as_str()) {
                return Err(ApiError::new("bad_theme", format!("There is no theme “{theme}”."))
                    .hint("Themes are system, light and dark."));
            }
            person.theme = theme;
        }
        if let Some(on) = change.notifications {
            person.notifications = on;
        }
        if let Some(on) = change.auto_next {
            person.auto_next = on;
        }
        self.0.identity.save(&person)?;
        self.notify(Notice::Settings);
        Ok(self.settings_now())
    }

    /// Takes back what was permitted for all later runs.
    pub(crate) async fn revoke(&self, of: RevokeOf) -> Result<SettingsView, ApiError> {
        let mut taken = false;
        self.change_rights(|rights| {
            let before = rights.granted.len();
            rights
                .granted
                .retain(|need| safe::visible(&need.sentence()) != of.permission);
            taken = rights.granted.len() < before;
        })?;
        if !taken {
            return Err(ApiError::new("not_found", "This permission is not given any more."));
        }
        self.notify(Notice::Settings);
        Ok(self.settings_now())
    }

    /// What the project's settings say that means nothing to Gatehouse, or takes gates away: one sentence each with the file's name.
    pub fn config_notes(&self) -> Vec<String> {
        let notes = file::notes(&self.0.root, &self.config().0);
        notes.iter().map(file::in_words).collect()
    }

    pub(crate) fn settings_now(&self) -> SettingsView {
        let person = self.0.identity.person();
        let key = self.0.identity.public();
        let (notes, timezone, fault) = match Config::load(&self.0.root) {
            Ok(config) => (file::notes(&self.0.root, &config).len(), config.timezone, None),
            Err(fault) => (0, None, Some(file::unusable(&fault))),
        };
        let config_words = config_words(self.0.root.join(CONFIG_FILE).exists(), fault.is_some(), notes);
        let mut config_problems: Vec<String> = fault.iter().cloned().collect();
        let rights = self.rights();
        config_problems.extend(self.config_notes());
        SettingsView {
            name: person.name,
            roles: person.roles,
            key_short: identity::short(&key),
            key,
            key_kept: self.0.identity.kept_words(),
            theme: person.theme,
            notifications: person.notifications,
            auto_next: person.auto_next,
            timezone: timezone.map(|zone| zone.name().to_owned()),
            project: self.0.root.display().to_string(),
            version: env!("CARGO_PKG_VERSION").into(),
            trust: self.trust_view(&rights),
            granted: rights
                .granted
                .iter()
                .map(|need| safe::visible(&need.sentence()))
                .collect(),
            read_only: self.read_only_words(),
            config_words,
            config_problems,
            config_fault: fault.map(|fault| {
                format!("{fault} Until it is mended no run starts, and what it says of gates, agents and rules is not shown.")
            }),
        }
    }
}

/// Roles as they are kept, whatever a person has put between them: trimmed, each once, in the order given.
fn roles(given: &[String]) -> Result<Vec<String>, ApiError> {
    let mut kept: Vec<String> = Vec::new();
    let each = given.iter().flat_map(|given| given.split([',', ';', '\n', '\r']));
    for role in each.map(str::trim).filter(|role| !role.is_empty()) {
        if role.chars().count() > 80 || safe::visible(role) != role || role.contains('\t') {
            return Err(ApiError::new(
                "bad_role",
                "A role has at most 80 characters and no control characters.",
            ));
        }
        if !kept.iter().any(|one| one.to_lowercase() == role.to_lowercase()) {
            kept.push(role.to_owned());
        }
    }
    if kept.len() > 40 {
        return Err(ApiError::new("bad_role", "A person can answer for at most 40 roles."));
    }
    Ok(kept)
}

/// In what state `gatehouse.yaml` is.
fn config_words(exists: bool, unusable: bool, notes: usize) -> String {
    match (exists, unusable, notes) {
        (_, true, _) => {
            "gatehouse.yaml cannot be used as it is, and no run can start until it is corrected.".to_owned()
        }
        (false, ..) => "There is no gatehouse.yaml in this folder, so no agent is set up yet.".to_owned(),
        (true, _, 0) => "gatehouse.yaml was read; nothing in it is wrong.".to_owned(),
        (true, ..) => "gatehouse.yaml was read; parts of it mean nothing to Gatehouse.".to_owned(),
    }
}
