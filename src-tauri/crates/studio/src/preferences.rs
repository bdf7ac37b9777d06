//! Settings of the person and what is known of the project.

use crate::command::Nothing;
use crate::view::notice::Notice;
use crate::view::settings::{SettingsChange, SettingsView};
use crate::{ApiError, Studio, identity};

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
            if name.chars().count() > 120 || name.chars().any(char::is_control) {
                return Err(ApiError::new(
                    "bad_name",
                    "A name has at most 120 characters and no control characters.",
                ));
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

    fn settings_now(&self) -> SettingsView {
        let person = self.0.identity.person();
        let key = self.0.identity.public();
        let (config, fault) = self.config();
        let mut config_problems: Vec<String> = fault.map(|f| f.message).into_iter().collect();
        config_problems.extend(config.notes);
        config_problems.extend(self.0.read_only.clone());
        SettingsView {
            name: person.name,
            roles: person.roles,
            key_short: identity::short(&key),
            key,
            key_kept: self.0.identity.kept_words(),
            theme: person.theme,
            notifications: person.notifications,
            auto_next: person.auto_next,
            project: self.0.root.display().to_string(),
            version: env!("CARGO_PKG_VERSION").into(),
            config_problems,
        }
    }
}

/// Roles as they are kept: trimmed, each once, in the order given.
fn roles(given: &[String]) -> Result<Vec<String>, ApiError> {
    let mut kept: Vec<String> = Vec::new();
    for role in given.iter().map(|role| role.trim()).filter(|role| !role.is_empty()) {
        if role.chars().count() > 80 || role.chars().any(char::is_control) {
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
