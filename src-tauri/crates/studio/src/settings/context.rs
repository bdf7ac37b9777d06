//! What holds for everything that the project does, filled in as a form: `context` of `gatehouse.yaml` (seed 003 `global_context`).

use crate::command::Nothing;
use crate::settings::field_view::{FormChange, SettingsField, SettingsForm};
use crate::settings::{fields, file};
use crate::{ApiError, Studio};
use runtime::config::global::{ContextField, FIELDS};

impl Studio {
    /// The form as the file stands now.
    pub(crate) async fn context(&self, _: Nothing) -> Result<SettingsForm, ApiError> {
        self.context_now()
    }

    /// Writes what was filled in: each value where it stands, everything else of the file as it is.
    pub(crate) async fn change_context(&self, change: FormChange) -> Result<SettingsForm, ApiError> {
        let text = self.settings_at(&change.revision)?;
        if let Some(name) = change
            .values
            .keys()
            .find(|name| FIELDS.iter().all(|field| id(field) != **name))
        {
            return Err(ApiError::new("bad_parameters", format!("There is no field “{name}”.")));
        }
        // In the order of the form.
        let filled = FIELDS
            .iter()
            .filter_map(|field| Some((field, change.values.get(&id(field))?)));
        let wanted = filled.map(|(field, value)| {
            let path = vec!["context".to_owned(), field.section.to_owned(), field.key.to_owned()];
            Ok((path, fields::read(field.label, field.kind, value)?))
        });
        let wanted = wanted.collect::<Result<Vec<_>, ApiError>>()?;
        self.write_settings(&text, &wanted)?;
        self.context_now()
    }

    fn context_now(&self) -> Result<SettingsForm, ApiError> {
        let text = self.settings_text()?;
        let parsed = file::parsed(&text);
        let held = parsed.as_ref().ok().and_then(|config| config.around.global.clone());
        let value = |field: &ContextField| held.as_ref()?.get(field.section)?.get(field.key).cloned();
        let fields: Vec<SettingsField> = FIELDS
            .iter()
            .map(|field| SettingsField {
                id: id(field),
                section: model::step::humanise(field.section),
                label: field.label.to_owned(),
                help: field.help.to_owned(),
                control: fields::control(field.kind, None),
                value: fields::shown(value(field).as_ref()),
            })
            .collect();
        let sections = held.iter().flat_map(|held| held.iter());
        let more = sections.flat_map(|(section, held)| {
            let keys = held.as_object().into_iter().flat_map(|held| held.keys());
            let own = keys.filter(|key| !FIELDS.iter().any(|field| field.section == section && field.key == *key));
            own.map(|key| format!("{section}.{key}")).collect::<Vec<_>>()
        });
        Ok(self.settings_form(&text, &parsed, fields, more))
    }
}

fn id(field: &ContextField) -> String {
    format!("{}.{}", field.section, field.key)
}
