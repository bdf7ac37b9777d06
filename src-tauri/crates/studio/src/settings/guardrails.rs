//! What texts must not hold, filled in as a form: `guardrails` of `gatehouse.yaml` (seed 000 `guardrails`).

use crate::command::Nothing;
use crate::run::lifecycle;
use crate::settings::field_view::SettingsField;
use crate::settings::guardrails_view::{GuardrailsChange, GuardrailsView, NewPattern, TextToTry, TriedText};
use crate::settings::{fields, file};
use crate::text::safe;
use crate::view::Status;
use crate::{ApiError, Studio};
use dialect::settings::Wanted;
use engine::GuardStage;
use runtime::config::Guardrails;
use runtime::config::global::Kind;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const KEY: &str = "guardrails";
/// The parts with what a person calls them.
const PARTS: [(&str, &str); 5] = [
    ("pii", "Personal data"),
    ("secrets", "Secrets"),
    ("moderation", "Words that nobody wants"),
    ("rules", "What this project forbids itself"),
    ("size", "Length"),
];
const HOLD: Kind = Kind::Choice(&[("true", "Yes, they hold"), ("false", "No, nothing is looked for")]);
const LOOKED: Kind = Kind::Choice(&[("true", "Yes"), ("false", "No")]);
const FOLLOWS: Kind = Kind::Choice(&[("block", "The step fails"), ("warn", "It is only noted")]);
const RULE: Kind = Kind::Choice(&[
    ("block", "The step fails"),
    ("warn", "It is only noted"),
    ("off", "It is not looked for"),
]);
const WORDS: Kind = Kind::Choice(&[
    ("whole", "Only where it is a whole word"),
    ("substring", "Inside of other words, too"),
]);
const BYTES: Kind = Kind::Number {
    most: None,
    whole: true,
    unit: "bytes",
};

/// Longest name of a pattern and longest text that is tried, in characters.
const LONGEST_NAME: usize = 100;
const LONGEST_TRIED: usize = 200_000;

/// A field, and how it is written.
struct Field {
    /// Its keys below `guardrails`.
    path: Vec<String>,
    section: &'static str,
    label: String,
    help: String,
    kind: Kind,
    /// What it comes to where nothing is filled in.
    unsaid: Option<String>,
    writing: Writing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// As it is filled in.
    Plain,
    /// `true` or `false`.
    Switch,
    /// What follows on one of our patterns: `{on_violation: …}`, or `null`.
    Rule,
    /// A pattern of the project: a text, or `{pattern: …}`.
    Pattern,
    /// What follows on it: `on_violation` beside the pattern.
    Follows,
    /// A list of words, each a text or `{text: …}`.
    Words,
}

impl Field {
    fn id(&self) -> String {
        let path = self.path.join(".");
        match self.writing {
            Writing::Follows => format!("{path}.on_violation"),
            _ => path,
        }
    }

    fn view(&self, written: &Value) -> SettingsField {
        let here = at(written, &self.path);
        SettingsField {
            id: self.id(),
            section: self.section.to_owned(),
            label: self.label.clone(),
            help: self.help.clone(),
            control: fields::control(self.kind, self.unsaid.clone()),
            value: match (self.writing, here) {
                (Writing::Rule, Some(Value::Null | Value::Bool(false))) => "off".to_owned(),
                (Writing::Rule | Writing::Follows, here) => here.and_then(own_word).unwrap_or_default().to_owned(),
                (Writing::Pattern, here) => here.and_then(pattern).unwrap_or_default().to_owned(),
                (Writing::Words, here) => texts(here).join("\n"),
                (Writing::Plain | Writing::Switch, here) => fields::shown(here),
            },
        }
    }

    /// What is to be written of what was filled in. `filled`: of every field.
    fn wanted(&self, value: &str, filled: &BTreeMap<String, String>, written: &Value) -> Result<Vec<Wanted>, ApiError> {
        let here = at(written, &self.path);
        let path = below(&self.path);
        let inner = |key: &str| [path.clone(), vec![key.to_owned()]].concat();
        let is_block = here.is_some_and(Value::is_object);
        if self.writing == Writing::Words {
            let old = here.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            return fields::list(&self.label, path, value, old);
        }
        let read = fields::read(&self.label, self.kind, value)?;
        Ok(vec![match (self.writing, read) {
            (Writing::Switch, read) => (path, read.map(|word| Value::Bool(word == "true"))),
            (Writing::Rule, Some(word)) if word == "off" => (path, Some(Value::Null)),
            (Writing::Rule, Some(word)) if is_block => (inner("on_violation"), Some(word)),
            (Writing::Rule, Some(word)) => (path, Some(json!({"on_violation": word}))),
            (Writing::Pattern, Some(text)) if is_block => (inner("pattern"), Some(text)),
            (Writing::Follows, word) => {
                // The pattern itself may be filled in anew, or taken out.
                let anew = filled.get(&self.path.join(".")).map(|text| text.trim());
                let pattern = anew.or_else(|| here.and_then(pattern)).unwrap_or_default();
                match word {
                    _ if pattern.is_empty() => return Ok(Vec::new()),
                    word if is_block => (inner("on_violation"), word),
                    None => return Ok(Vec::new()),
                    Some(word) => (path, Some(json!({"pattern": pattern, "on_violation": word}))),
                }
            }
            (_, read) => (path, read),
        }])
    }
}

impl Studio {
    /// The form as the file stands now.
    pub(crate) async fn guardrails(&self, _: Nothing) -> Result<GuardrailsView, ApiError> {
        self.guardrails_now()
    }

    /// Writes what was filled in: each value where it stands, everything else of the file as it is.
    pub(crate) async fn change_guardrails(&self, change: GuardrailsChange) -> Result<GuardrailsView, ApiError> {
        let text = self.settings_at(&change.revision)?;
        let config = file::parsed(&text).map_err(|fault| file::refused(file::unusable(&fault)))?;
        let written = as_written(&config.around.guardrails);
        let all = all(&written);
        let known = |id: &String| all.iter().any(|field| field.id() == *id);
        if let Some(id) = change.values.keys().find(|id| !known(id)) {
            return Err(ApiError::new("bad_parameters", format!("There is no field “{id}”.")));
        }
        // In the order of the form.
        let mut wanted = Vec::new();
        for field in &all {
            if let Some(value) = change.values.get(&field.id()) {
                wanted.extend(field.wanted(value, &change.values, &written)?);
            }
        }
        if let Some(new) = &change.add {
            wanted.push(added(new, &written)?);
        }
        self.write_settings(&text, &wanted)?;
        self.guardrails_now()
    }

    /// Holds a text against the rules as the file has them. Nothing of it is kept.
    pub(crate) async fn try_text(&self, of: TextToTry) -> Result<TriedText, ApiError> {
        if of.text.chars().count() > LONGEST_TRIED {
            return Err(fields::bad("The text", "it is longer than 200000 characters"));
        }
        let (config, fault) = self.config();
        if let Some(fault) = fault {
            return Err(fault);
        }
        let reports = runtime::tried_text(&of.text, &config.around.guardrails);
        let reports: Vec<_> = reports.iter().map(lifecycle::tried).collect();
        let is = |status: Status| reports.iter().any(|report| report.status == status);
        let words = match () {
            () if reports.is_empty() => "These rules do not hold, so nothing is looked for.",
            () if is(Status::Failed) => "A step with this text fails.",
            () if is(Status::Waiting) => "A step with this text goes on, and what was found is noted.",
            () => "Nothing is found in it.",
        };
        Ok(TriedText {
            words: words.to_owned(),
            reports,
        })
    }

    fn guardrails_now(&self) -> Result<GuardrailsView, ApiError> {
        let text = self.settings_text()?;
        let parsed = file::parsed(&text);
        let rules = parsed.as_ref().ok().map(|config| &config.around.guardrails);
        let written = rules.map(as_written).unwrap_or_default();
        let all = all(&written);
        let fields = all.iter().map(|field| field.view(&written)).collect();
        Ok(GuardrailsView {
            words: rules.map(hold).unwrap_or_default(),
            form: self.settings_form(&text, &parsed, fields, more(&written, &all)),
        })
    }
}

/// The value of `guardrails:`; null where there is none.
fn as_written(rules: &Guardrails) -> Value {
    serde_json::to_value(rules).unwrap_or_default()
}

/// Whether anything is looked for.
fn hold(rules: &Guardrails) -> String {
    let looked = runtime::tried_text("", rules);
    let stages: Vec<&GuardStage> = looked.iter().map(|report| &report.stage).collect();
    match stages[..] {
        [] => "They do not hold: nothing is looked for.",
        [GuardStage::Inputs] => "They hold for what goes into a step; what comes out of it is not looked at.",
        [_] => "They hold for what comes out of a step; what goes into it is not looked at.",
        _ => "They hold for what goes into every step and for what comes out of it.",
    }
    .to_owned()
}

/// A pattern that is added to the project's own.
fn added(new: &NewPattern, written: &Value) -> Result<Wanted, ApiError> {
    let name = new.name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || !fields::is_plain(name) {
        let why = "it has 1 to 100 characters, and none that act on a screen";
        return Err(fields::bad("What it is called", why));
    }
    let path = ["rules", "patterns", name].map(str::to_owned);
    if at(written, &path).is_some() {
        return Err(fields::bad("What it is called", "there is a pattern of that name"));
    }
    match fields::read("Pattern", Kind::Text, &new.pattern)? {
        Some(pattern) => Ok((below(&path), Some(pattern))),
        None => Err(fields::bad("Pattern", "it is empty, so nothing would be looked for")),
    }
}

/// The fields, for what is written.
fn all(written: &Value) -> Vec<Field> {
    let whole = Of {
        part: None,
        section: "All of it",
    };
    let mut fields = vec![Field {
        unsaid: unless_set("No"),
        ..whole.field(&["enabled"], "Do these rules hold?", HOLD, Writing::Switch)
    }];
    // Whoever writes more has to say whether it holds.
    if written.as_object().is_none_or(Map::is_empty) {
        return fields;
    }
    let label = "What follows on something that is found";
    fields.push(Field {
        help: "Unless it is said otherwise below.".to_owned(),
        unsaid: unless_set("The step fails"),
        ..whole.field(&["on_violation"], label, FOLLOWS, Writing::Plain)
    });
    let outer = own_word(written).unwrap_or("block");
    for (part, section) in PARTS {
        let of = Of {
            part: Some(part),
            section,
        };
        fields.extend(of.fields(written.get(part).unwrap_or(&Value::Null), outer));
    }
    fields
}

/// Where fields belong: to a part, or to all of it.
struct Of {
    part: Option<&'static str>,
    section: &'static str,
}

impl Of {
    fn field(&self, keys: &[&str], label: &str, kind: Kind, writing: Writing) -> Field {
        let path = self.part.iter().chain(keys).map(|key| (*key).to_owned());
        Field {
            path: path.collect(),
            section: self.section,
            label: label.to_owned(),
            help: String::new(),
            kind,
            unsaid: None,
            writing,
        }
    }

    /// `outer`: what follows where the part says nothing of it.
    fn fields(&self, own: &Value, outer: &str) -> Vec<Field> {
        let mut fields = vec![
            Field {
                unsaid: unless_set("Yes"),
                ..self.field(&["enabled"], "Looked for", LOOKED, Writing::Switch)
            },
            Field {
                unsaid: as_above(outer),
                ..self.field(&["on_violation"], "What follows", FOLLOWS, Writing::Plain)
            },
        ];
        if self.part == Some("size") {
            fields.push(Field {
                help: "All that is checked at once, with the names of its fields. Empty: any size.".to_owned(),
                ..self.field(&["max_bytes"], "Largest text", BYTES, Writing::Plain)
            });
        }
        fields.extend(self.words(own));
        fields.extend(self.patterns(own, own_word(own).unwrap_or(outer)));
        fields
    }

    fn words(&self, own: &Value) -> Vec<Field> {
        let ours = Guardrails::words_of(self.part.unwrap_or_default());
        let list = own.get("blocklist");
        // What does not fit on a line is changed in the file.
        if ours.is_empty() || !texts(list).iter().all(|text| fields::is_plain(text)) {
            return Vec::new();
        }
        let help = match list.and_then(Value::as_array).is_some_and(Vec::is_empty) {
            true => "One a line. The file has an empty list: no word is looked for.".to_owned(),
            false => format!(
                "One a line. Where none is given, ours are looked for: {}.",
                ours.join(", ")
            ),
        };
        let found = match self.part {
            Some("moderation") => "Only where it is a whole word",
            _ => "Inside of other words, too",
        };
        vec![
            Field {
                help,
                ..self.field(&["blocklist"], "Words", Kind::Texts, Writing::Words)
            },
            Field {
                unsaid: unless_set(found),
                ..self.field(&["words"], "Where a word is found", WORDS, Writing::Plain)
            },
        ]
    }

    /// `outer`: what follows where a pattern says nothing of it.
    fn patterns(&self, own: &Value, outer: &str) -> Vec<Field> {
        let none = Map::new();
        let written = own.get("patterns").and_then(Value::as_object).unwrap_or(&none);
        let of_project = |name: &str| written.get(name).and_then(pattern).is_some();
        let ours = Guardrails::patterns_of(self.part.unwrap_or_default()).into_iter();
        let ours = ours.filter(|name| !of_project(name)).map(|name| Field {
            unsaid: as_above(outer),
            ..self.field(&["patterns", name], &rule(name), RULE, Writing::Rule)
        });
        let theirs = written.keys().filter(|name| of_project(name)).flat_map(|name| {
            let keys = ["patterns", name.as_str()];
            let shown = safe::in_quotes(name);
            let label = format!("Pattern “{shown}”");
            let follows = format!("What follows on “{shown}”");
            [
                Field {
                    help: "A regular expression. Empty: the pattern is taken out.".to_owned(),
                    ..self.field(&keys, &label, Kind::Text, Writing::Pattern)
                },
                Field {
                    unsaid: as_above(outer),
                    ..self.field(&keys, &follows, FOLLOWS, Writing::Follows)
                },
            ]
        });
        ours.chain(theirs).collect()
    }
}

/// What else the file says, which is changed in the file.
fn more(written: &Value, all: &[Field]) -> Vec<String> {
    let is_shown = |path: &[&str]| all.iter().any(|field| field.path == path);
    let mut more = Vec::new();
    for (key, value) in written.as_object().into_iter().flatten() {
        if PARTS.iter().any(|(part, _)| part == key) {
            let inner = value.as_object().into_iter().flat_map(Map::keys);
            let inner = inner.filter(|inner| *inner != "patterns" && !is_shown(&[key.as_str(), inner.as_str()]));
            more.extend(inner.map(|inner| safe::visible(&format!("{key}.{inner}"))));
        } else if !is_shown(&[key.as_str()]) {
            more.push(safe::visible(key));
        }
    }
    more
}

fn below(path: &[String]) -> Vec<String> {
    std::iter::once(KEY.to_owned()).chain(path.iter().cloned()).collect()
}

fn at<'v>(written: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(written, |value, key| value.get(key.as_str()))
}

/// What it says itself of what follows, `block` or `warn`.
fn own_word(value: &Value) -> Option<&str> {
    value.get("on_violation")?.as_str()
}

/// What holds where nothing is chosen.
fn unless_set(comes_to: &str) -> Option<String> {
    Some(format!("{comes_to} (the default)"))
}

/// What follows where nothing is chosen: what was said of all of it, or of the part.
fn as_above(word: &str) -> Option<String> {
    let follows = match word {
        "warn" => "it is only noted",
        _ => "the step fails",
    };
    Some(format!("As above ({follows})"))
}

/// The pattern of an entry that has one of its own.
fn pattern(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("pattern")?.as_str())
}

fn texts(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(fields::text)
        .collect()
}

/// What one of our patterns looks for, in words.
fn rule(name: &str) -> String {
    match name {
        "iban" => "Numbers of bank accounts (IBAN)",
        "credit_card" => "Numbers of payment cards",
        "ssn" => "Social security numbers",
        "email" => "Mail addresses",
        "phone" => "Telephone numbers",
        "private_key" => "Private keys",
        "jwt" => "Signed tokens (JWT)",
        "llm_api_key" => "Keys of language models",
        "url_password" => "Passwords in web addresses",
        "assigned_secret" => "Values that are given to a secret’s name (password=…)",
        "named_value" => "Values that stand under a secret’s name",
        "high_entropy" => "Long texts that look like chance",
        "aws_access_key" => "Keys of AWS",
        "github_token" => "Tokens of GitHub",
        "gitlab_token" => "Tokens of GitLab",
        "slack_token" => "Tokens of Slack",
        "slack_webhook" => "Web hooks of Slack",
        "google_api_key" => "Keys of Google",
        "stripe_key" => "Keys of Stripe",
        "npm_token" => "Tokens of npm",
        "pypi_token" => "Tokens of PyPI",
        "hugging_face_token" => "Tokens of Hugging Face",
        "sendgrid_key" => "Keys of SendGrid",
        other => return model::step::humanise(other),
    }
    .to_owned()
}
