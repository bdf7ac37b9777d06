//! What was found.

use serde::Serialize;

/// When a text is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// What goes into a step, before its tools run.
    Inputs,
    /// What came out of it, after its executor.
    Outputs,
}

impl Stage {
    /// The word in configuration and reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
        }
    }
}

/// What a violation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The attempt fails.
    #[default]
    Block,
    /// It is noted, and the attempt goes on.
    Warn,
}

impl Action {
    /// The word in configuration and reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warn => "warn",
        }
    }
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing was found.
    Passed,
    /// Something was found that blocks.
    Failed,
    /// Something was found, and none of it blocks.
    Warned,
}

impl Status {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Warned => "warned",
        }
    }
}

/// What sort of rule found something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Kind {
    /// Personal data.
    #[serde(rename = "pii")]
    Personal,
    /// A key, a password, a token.
    #[serde(rename = "secret")]
    Secret,
    /// A word of the moderation list.
    #[serde(rename = "moderation")]
    Moderation,
    /// A phrase of the rules' list.
    #[serde(rename = "rules_blocklist")]
    Phrase,
    /// A pattern of the rules.
    #[serde(rename = "rules_pattern")]
    Pattern,
    /// Too much.
    #[serde(rename = "size")]
    Size,
}

impl Kind {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Personal => "pii",
            Self::Secret => "secret",
            Self::Moderation => "moderation",
            Self::Phrase => "rules_blocklist",
            Self::Pattern => "rules_pattern",
            Self::Size => "size",
        }
    }
}

/// The text that a rule fitted, as it stands in the payload. It is neither serialised nor printed: a report is kept in the log, and a
/// secret that was kept out of an output must not stand there instead.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Found(String);

impl Found {
    /// Wraps what was found.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself. Not for logs, reports and windows: [`Violation::shown`] is.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Found({} bytes)", self.0.len())
    }
}

/// One thing a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// What sort of rule.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Which one: `email`, `iban`, the word of a list, the name of a pattern.
    pub rule: String,
    /// What was found, word for word.
    #[serde(skip)]
    pub found: Found,
    /// What was found, as a person may see it: personal data and secrets are cut to what tells them apart.
    #[serde(rename = "match")]
    pub shown: String,
    /// Where it stands: keys from the outside in (`contact`, `people[2].mail`); empty when the payload is one text, or for its size.
    pub source: String,
    /// What it leads to.
    pub action: Action,
}

impl Violation {
    /// What was found, in the words of a sentence, and nothing of it that must not be seen: `an account number (IBAN)`.
    pub fn in_words(&self) -> String {
        let known = match (self.kind, self.rule.as_str()) {
            (Kind::Personal, "iban") => "an account number (IBAN)",
            (Kind::Personal, "credit_card") => "the number of a card",
            (Kind::Personal, "ssn") => "a social security number",
            (Kind::Personal, "email") => "a mail address",
            (Kind::Personal, "phone") => "a telephone number",
            (Kind::Personal, rule) => return format!("personal data (`{rule}`)"),
            (Kind::Secret, rule) => return format!("a secret (`{rule}`)"),
            (Kind::Moderation | Kind::Phrase, _) => return format!("“{}”", self.shown),
            (Kind::Pattern, rule) => return format!("what the rule `{rule}` looks for"),
            (Kind::Size, _) => return self.shown.clone(),
        };
        known.to_owned()
    }
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// When it was made.
    pub stage: Stage,
    /// Of everything that was found, listed or not.
    pub status: Status,
    /// What was found: personal data, secrets, words, rules, size; of each in the order of the payload.
    pub violations: Vec<Violation>,
    /// Whether more was found than is listed (`max_hits`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}
