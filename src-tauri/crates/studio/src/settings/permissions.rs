//! What the project's steps may do, filled in as a form: `permissions` of `gatehouse.yaml`.

use crate::command::Nothing;
use crate::settings::field_view::SettingsField;
use crate::settings::permissions_view::{
    CommandToTry, PermissionAnswer, PermissionKind, PermissionRule, PermissionsChange, PermissionsView, RuleOf,
    TriedCommand, TriedNeed,
};
use crate::settings::{fields, file};
use crate::text::safe;
use crate::workflow::view::UseVerdict;
use crate::{ApiError, Studio};
use runtime::config::global::Kind;
use runtime::config::{CONFIG_FILE, Config};
use runtime::permits::{self, Says};
use serde_json::json;

const KEY: &str = "permissions";
const KINDS: [PermissionKind; 4] = [
    PermissionKind::Run,
    PermissionKind::Read,
    PermissionKind::Write,
    PermissionKind::Env,
];
/// What is refused counts first.
const ANSWERS: [PermissionAnswer; 2] = [PermissionAnswer::Deny, PermissionAnswer::Allow];

/// A field: its key, what it is called, what it means, how it is filled in, what it comes to where nothing is.
const FIELDS: [(&str, &str, &str, Kind, &str); 2] = [
    (
        "mode",
        "What no rule speaks of",
        "Commands that only look or print are let through anyway, unless a rule refuses them.",
        Kind::Choice(&[
            ("ask", "A person is asked"),
            ("allow", "It is let through"),
            ("deny", "It is refused"),
        ]),
        "A person is asked (the default)",
    ),
    (
        "network",
        "Other computers, and the servers of this one",
        "",
        Kind::Choice(&[
            ("allow", "Programs reach them"),
            ("deny", "Programs reach only what they have started themselves"),
        ]),
        "Programs reach them (the default)",
    ),
];

/// Longest command that is tried, in characters.
const LONGEST: usize = 2_000;

impl Studio {
    /// The form as the file stands now.
    pub(crate) async fn permissions(&self, _: Nothing) -> Result<PermissionsView, ApiError> {
        self.permissions_now()
    }

    /// Writes what was filled in, adds a rule and takes one out: each where it stands, everything else of the file as it is.
    pub(crate) async fn change_permissions(&self, change: PermissionsChange) -> Result<PermissionsView, ApiError> {
        let text = self.settings_at(&change.revision)?;
        let config = file::parsed(&text).map_err(|fault| file::refused(file::unusable(&fault)))?;
        let mut wanted = Vec::new();
        for (id, value) in &change.values {
            let Some((key, label, _, kind, _)) = FIELDS.iter().find(|(key, ..)| key == id) else {
                return Err(ApiError::new("bad_parameters", format!("There is no field “{id}”.")));
            };
            let path = vec![KEY.to_owned(), (*key).to_owned()];
            wanted.push((path, fields::read(label, *kind, value)?));
        }
        if let Some(new) = &change.add {
            let list = rules(&config, new.of, new.answer);
            let Some(pattern) = fields::read("Rule", Kind::Text, &new.pattern)? else {
                return Err(fields::bad("Rule", "it is empty"));
            };
            if list.iter().any(|one| pattern == one.as_str()) {
                return Err(fields::bad("Rule", "it is there already"));
            }
            wanted.push(match list.len() {
                0 => (place(new), Some(json!([pattern]))),
                len => (entry(new, len), Some(pattern)),
            });
        }
        if let Some(gone) = &change.remove {
            let list = rules(&config, gone.of, gone.answer);
            let Some(at) = list.iter().position(|one| *one == gone.pattern) else {
                return Err(ApiError::new("not_found", "This rule is not there any more."));
            };
            wanted.push((entry(gone, at), None));
        }
        self.write_settings(&text, &wanted)?;
        self.permissions_now()
    }

    /// Holds a command against the rules for every workflow, and what this person has permitted. Nothing is run.
    pub(crate) async fn try_command(&self, of: CommandToTry) -> Result<TriedCommand, ApiError> {
        if of.command.chars().count() > LONGEST {
            return Err(fields::bad("The command", "it is longer than 2000 characters"));
        }
        let (config, fault) = self.config();
        if let Some(fault) = fault {
            return Err(fault);
        }
        let policy = permits::policy(&config.permissions, &config.pass, "");
        let needs = permits::tried(&of.command, &policy, &self.rights().granted);
        let needs: Vec<TriedNeed> = needs
            .into_iter()
            .map(|tried| TriedNeed {
                words: tried.need.sentence(),
                verdict: match tried.says {
                    Says::Refused => UseVerdict::Refused,
                    Says::Asks => UseVerdict::Asks,
                    Says::Allowed => UseVerdict::Allowed,
                },
                by: safe::visible(&tried.by),
            })
            .collect();
        let is = |verdict: UseVerdict| needs.iter().any(|need| need.verdict == verdict);
        let (verdict, words) = match () {
            () if is(UseVerdict::Refused) => (UseVerdict::Refused, "The step fails, and nothing of it is run."),
            () if is(UseVerdict::Asks) => (UseVerdict::Asks, "A person is asked before the step begins."),
            () if needs.is_empty() => (
                UseVerdict::Allowed,
                "There is nothing in it that a rule could speak of.",
            ),
            () => (UseVerdict::Allowed, "The step runs, and nobody is asked."),
        };
        Ok(TriedCommand {
            words: words.to_owned(),
            verdict,
            needs,
        })
    }

    fn permissions_now(&self) -> Result<PermissionsView, ApiError> {
        let text = self.settings_text()?;
        let parsed = file::parsed(&text);
        let config = parsed.as_ref().ok();
        let overrides = config.map(|config| config.permissions.overrides.iter());
        let more = overrides
            .into_iter()
            .flatten()
            .map(|one| format!("runbooks.{}", one.workflows));
        let fields = config.map(|config| filled(&text, config)).unwrap_or_default();
        Ok(PermissionsView {
            rules: config.map(listed).unwrap_or_default(),
            form: self.settings_form(&text, &parsed, fields, more),
        })
    }
}

fn filled(text: &str, config: &Config) -> Vec<SettingsField> {
    let base = &config.permissions.base;
    let field = |(key, label, help, kind, unsaid): (&str, &str, &str, Kind, &str)| {
        let is_written = dialect::settings::place(CONFIG_FILE, text, &[KEY, key]).is_some_and(|(_, whole)| whole);
        let value = match key {
            "mode" => serde_json::to_value(base.mode),
            _ => serde_json::to_value(base.network),
        };
        SettingsField {
            id: key.to_owned(),
            section: "Where no rule says anything".to_owned(),
            label: label.to_owned(),
            help: help.to_owned(),
            control: fields::control(kind, Some(unsaid.to_owned())),
            value: fields::shown(value.ok().filter(|_| is_written).as_ref()),
        }
    };
    FIELDS.map(field).into()
}

fn listed(config: &Config) -> Vec<PermissionRule> {
    let lists = KINDS.into_iter().flat_map(|of| ANSWERS.map(|answer| (of, answer)));
    let rules = lists.flat_map(|(of, answer)| {
        let rule = move |pattern: &String| PermissionRule {
            of,
            answer,
            pattern: pattern.clone(),
            words: sentence(of, answer, pattern),
        };
        rules(config, of, answer).iter().map(rule)
    });
    rules.collect()
}

fn sentence(of: PermissionKind, answer: PermissionAnswer, pattern: &str) -> String {
    let what = match of {
        PermissionKind::Run => "Running",
        PermissionKind::Read => "Reading",
        PermissionKind::Write => "Writing",
        PermissionKind::Env => "Using the variable",
    };
    let says = match answer {
        PermissionAnswer::Allow => "is let through",
        PermissionAnswer::Deny => "is refused, whoever says yes",
    };
    format!("{what} `{}` {says}.", safe::visible(pattern))
}

/// The rules of one kind that say the same.
fn rules(config: &Config, of: PermissionKind, answer: PermissionAnswer) -> &[String] {
    let base = &config.permissions.base;
    let rules = match of {
        PermissionKind::Run => &base.run,
        PermissionKind::Read => &base.read,
        PermissionKind::Write => &base.write,
        PermissionKind::Env => &base.env,
    };
    match answer {
        PermissionAnswer::Allow => &rules.allow,
        PermissionAnswer::Deny => &rules.deny,
    }
}

/// Where the list of a rule stands.
fn place(rule: &RuleOf) -> Vec<String> {
    let of = match rule.of {
        PermissionKind::Run => "run",
        PermissionKind::Read => "read",
        PermissionKind::Write => "write",
        PermissionKind::Env => "env",
    };
    let answer = match rule.answer {
        PermissionAnswer::Allow => "allow",
        PermissionAnswer::Deny => "deny",
    };
    [KEY, of, answer].map(str::to_owned).into()
}

/// Where a rule stands in its list.
fn entry(rule: &RuleOf, at: usize) -> Vec<String> {
    [place(rule), vec![at.to_string()]].concat()
}
