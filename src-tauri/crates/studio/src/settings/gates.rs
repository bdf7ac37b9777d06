//! Which gates stop a run besides the required ones, filled in as a form: `hitl` of `gatehouse.yaml` (seed 000 "Human gates").

use crate::command::Nothing;
use crate::settings::field_view::{FormChange, SettingsField};
use crate::settings::gates_view::GatePolicyView;
use crate::settings::{fields, file};
use crate::text::safe;
use crate::{ApiError, Studio};
use runtime::config::global::Kind;
use runtime::config::{CONFIG_FILE, Config, OPERATOR_FILE, TIME_TO_ANSWER, answer_within, answer_within_written};
use serde_json::Value;

const KEY: &str = "hitl";
const POLICY: &str = "policy";
/// What else may stand there: it takes gates away, or is an older place of a field.
const MORE: [&str; 2] = ["mode", "require_conditional"];
const FOUR_EYES: &str = "four_eyes";
const ANSWER_WITHIN: &str = "answer_within";
const STOPS: Kind = Kind::Choice(&[("true", "Yes"), ("false", "No")]);

struct Field {
    key: &'static str,
    section: &'static str,
    label: &'static str,
    help: &'static str,
    kind: Kind,
}

impl Field {
    /// Where it stands in the file.
    fn path(&self) -> Vec<&'static str> {
        match self.key {
            key @ (FOUR_EYES | ANSWER_WITHIN) => vec![KEY, key],
            key => vec![KEY, POLICY, key],
        }
    }
}

static FIELDS: [Field; 8] = [
    Field {
        key: FOUR_EYES,
        section: "Who approves",
        label: "Does it take somebody else to approve?",
        help: "Whoever began a run, or carried a part of it out, then approves nothing in it. Runs that have begun keep what held then.",
        kind: STOPS,
    },
    Field {
        key: ANSWER_WITHIN,
        section: "By when an answer is wanted",
        label: "Within which time is an answer wanted?",
        help: "90m, 4h or 2d, from when it is asked. Nothing is decided by it. Runs that have begun keep what held then.",
        kind: Kind::Text,
    },
    Field {
        key: "recommended_required",
        section: "Gates that are not required",
        label: "Do recommended gates stop a run?",
        help: "",
        kind: STOPS,
    },
    Field {
        key: "conditional_required",
        section: "Gates that are not required",
        label: "Do conditional gates stop a run?",
        help: "",
        kind: STOPS,
    },
    Field {
        key: "required_phases",
        section: "Where every gate stops a run, an optional one too",
        label: "In these phases",
        help: "One a line, as steps write them.",
        kind: Kind::Texts,
    },
    Field {
        key: "high_risk_keywords",
        section: "Where every gate stops a run, an optional one too",
        label: "Where the workflow’s id holds one of these words",
        help: "One a line: payments.",
        kind: Kind::Texts,
    },
    Field {
        key: "conditional_phases",
        section: "The same, but only if conditional gates stop a run",
        label: "In these phases, if conditional gates do",
        help: "One a line, as steps write them.",
        kind: Kind::Texts,
    },
    Field {
        key: "conditional_keywords",
        section: "The same, but only if conditional gates stop a run",
        label: "Where the workflow’s id holds one of these words, if conditional gates do",
        help: "One a line: review.",
        kind: Kind::Texts,
    },
];

impl Studio {
    /// The form as the file stands now.
    pub(crate) async fn gate_policy(&self, _: Nothing) -> Result<GatePolicyView, ApiError> {
        self.gate_policy_now()
    }

    /// Writes what was filled in: each value where it stands, everything else of the file as it is.
    pub(crate) async fn change_gate_policy(&self, change: FormChange) -> Result<GatePolicyView, ApiError> {
        let text = self.settings_at(&change.revision)?;
        let config = file::parsed(&text).map_err(|fault| file::refused(file::unusable(&fault)))?;
        let mut wanted = Vec::new();
        for (id, value) in &change.values {
            let known = FIELDS.iter().find(|field| field.key == id);
            let Some(field) = known.filter(|field| is_shown(&config, field)) else {
                return Err(ApiError::new("bad_parameters", format!("There is no field “{id}”.")));
            };
            let path = field.path().iter().map(|&part| part.to_owned()).collect();
            match list(&config, field.key) {
                Some(old) => {
                    let old: Vec<Value> = old.iter().map(|one| Value::from(one.as_str())).collect();
                    wanted.extend(fields::list(field.label, path, value, &old)?);
                }
                None => {
                    let read = fields::read(field.label, field.kind, value)?;
                    let is_a_time = |text: &Value| text.as_str().and_then(answer_within).is_some();
                    wanted.push((
                        path,
                        match (field.key, read) {
                            (ANSWER_WITHIN, Some(text)) if !is_a_time(&text) => {
                                return Err(fields::bad(field.label, TIME_TO_ANSWER));
                            }
                            (ANSWER_WITHIN, read) => read,
                            (_, read) => read.map(|word| Value::Bool(word == "true")),
                        },
                    ));
                }
            }
        }
        self.write_settings(&text, &wanted)?;
        self.gate_policy_now()
    }

    fn gate_policy_now(&self) -> Result<GatePolicyView, ApiError> {
        let text = self.settings_text()?;
        let parsed = file::parsed(&text);
        let config = parsed.as_ref().ok();
        let silenced = config.and_then(|config| config.policy.silences());
        let operators = self.0.root.join(OPERATOR_FILE).exists();
        let operators =
            operators.then(|| format!("{OPERATOR_FILE} may speak of gates too; what is said here counts before it."));
        let words = silenced.map(|said| safe::visible(&format!("{said}.")));
        let more = MORE.iter().filter(|key| is_written(&text, &[KEY, **key]));
        let more = more.map(|key| format!("{KEY}.{key}"));
        let unshown = config
            .into_iter()
            .flat_map(|config| FIELDS.iter().filter(move |field| !is_shown(config, field)));
        let unshown = unshown.map(|field| field.path().join("."));
        let fields = config.map(|config| filled(&text, config)).unwrap_or_default();
        Ok(GatePolicyView {
            words: words.into_iter().chain(operators).collect(),
            form: self.settings_form(&text, &parsed, fields, more.chain(unshown)),
        })
    }
}

fn filled(text: &str, config: &Config) -> Vec<SettingsField> {
    let view = |field: &Field| SettingsField {
        id: field.key.to_owned(),
        section: field.section.to_owned(),
        label: field.label.to_owned(),
        help: field.help.to_owned(),
        control: fields::control(field.kind, None),
        value: match (list(config, field.key), field.key) {
            (Some(list), _) => list.join("\n"),
            (None, _) if !is_written(text, &field.path()) => String::new(),
            (None, FOUR_EYES) => config.policy.four_eyes.to_string(),
            // What cannot be read of it is named by the check of the file; what is filled in stands in its place.
            (None, ANSWER_WITHIN) => config
                .policy
                .answer_within_ms
                .map_or_else(String::new, answer_within_written),
            (None, "recommended_required") => config.limits.recommended_required.to_string(),
            (None, _) => config.limits.conditional_required.to_string(),
        },
    };
    let shown = FIELDS.iter().filter(|field| is_shown(config, field));
    shown.map(view).collect()
}

/// What does not fit on a line is changed in the file.
fn is_shown(config: &Config, field: &Field) -> bool {
    let list = list(config, field.key).unwrap_or_default();
    list.iter().all(|one| fields::is_plain(one))
}

fn is_written(text: &str, path: &[&str]) -> bool {
    dialect::settings::place(CONFIG_FILE, text, path).is_some_and(|(_, whole)| whole)
}

/// What a field holds that is a list.
fn list<'c>(config: &'c Config, key: &str) -> Option<&'c [String]> {
    let policy = &config.policy;
    match key {
        "required_phases" => Some(&policy.required_phases),
        "high_risk_keywords" => Some(&policy.high_risk_keywords),
        "conditional_phases" => Some(&policy.conditional_phases),
        "conditional_keywords" => Some(&policy.conditional_keywords),
        _ => None,
    }
}
