//! What is looked for, at either stage.

use crate::patterns::Pattern;
use crate::report::{Action, Kind, Stage};
use crate::words::List;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::sync::Arc;

/// The value of `guardrails:` in gatehouse.yaml, read and ready. Reading is [`Rules::read`]; nothing written there means that nothing is
/// looked for.
///
/// ```yaml
/// guardrails:
///   enabled: true               # personal data, secrets, moderation and rules, each with our lists
///   on_violation: block         # or warn; also in each part, and for a single pattern or entry: {pattern: …, on_violation: warn}
///   max_hits: 25                # how many are listed; a part's own number counts those of all parts before it, too
///   pii: {patterns: {customer: 'C-\d{6}', phone: null}}   # added to iban, credit_card, ssn, email, phone; null takes one out
///   secrets: {patterns: {high_entropy: {on_violation: warn}}}
///   moderation: {blocklist: [kill], words: whole}         # a list of your own takes the place of ours; or words: substring
///   rules: {blocklist: ["rm -rf"], patterns: {ticket: 'SEC-\d+'}}
///   size: {max_bytes: 1000000}  # of the payload as JSON
///   inputs: {pii: {enabled: false}}   # what differs there; outputs likewise
/// ```
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub(crate) written: Value,
    pub(crate) inputs: Option<Arc<Checks>>,
    pub(crate) outputs: Option<Arc<Checks>>,
}

impl Rules {
    /// Whether anything is looked for at this stage.
    pub fn is_on(&self, stage: Stage) -> bool {
        self.checks(stage).is_some()
    }

    pub(crate) fn checks(&self, stage: Stage) -> Option<&Checks> {
        match stage {
            Stage::Inputs => self.inputs.as_deref(),
            Stage::Outputs => self.outputs.as_deref(),
        }
    }
}

/// Two rules are the same when the same is written.
impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

/// As written: what was read can be kept and read again.
impl Serialize for Rules {
    fn serialize<S: Serializer>(&self, into: S) -> Result<S::Ok, S::Error> {
        self.written.serialize(into)
    }
}

/// Everything that is looked for at one stage, in the order of a report.
#[derive(Debug, Clone)]
pub(crate) struct Checks {
    pub(crate) parts: Vec<Part>,
    pub(crate) size: Option<Size>,
    /// What it leads to that something is not looked at: it blocks only where that is written.
    pub(crate) unread: Action,
}

/// One kind of rules.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    pub(crate) looks_for: LooksFor,
    /// When the report holds so many, no more of these are listed.
    pub(crate) max_hits: usize,
}

#[derive(Debug, Clone)]
pub(crate) enum LooksFor {
    Patterns {
        /// Where two of ours fit the same place, the first counts.
        patterns: Vec<Pattern>,
        /// Values under the key of a secret.
        named: Option<Action>,
    },
    Words(List),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) max_bytes: u64,
    pub(crate) action: Action,
}
