//! Case files, cases, levels and verdicts.

use anyhow::Context as _;
use serde_json::{Map, Value};
use std::path::Path;

/// How binding a case is (`enforce`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It passes, or the oracle fails.
    Must,
    /// It passes, or the difference is argued in `tests/dialects/<format>/README.md`.
    Should,
    /// It is reported.
    May,
}

impl Level {
    /// All of them, most binding first.
    pub const ALL: [Self; 3] = [Self::Must, Self::Should, Self::May];

    /// The word of the case files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
        }
    }
}

/// Why a case did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The product answers something else.
    Differs(String),
    /// The product has no answer to this yet.
    NotImplemented(&'static str),
}

impl Fault {
    /// A difference in words.
    pub fn differs(text: impl Into<String>) -> Self {
        Self::Differs(text.into())
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        Self::Differs(format!("{error:#}"))
    }
}

/// One recorded case.
#[derive(Debug, Clone)]
pub struct Case {
    /// Unique in its file.
    pub id: String,
    /// How binding it is. Cases that say nothing (recorded real runs, key paths of real files) count as `should`.
    pub level: Level,
    /// The whole case.
    pub body: Value,
}

impl Case {
    /// A field of the case, null where it is absent.
    pub fn get(&self, field: &str) -> &Value {
        self.body.get(field).unwrap_or(&Value::Null)
    }
    /// A field as text.
    pub fn text(&self, field: &str) -> &str {
        self.get(field).as_str().unwrap_or_default()
    }
    /// A field of `expected`, null where it is absent.
    pub fn expected(&self, field: &str) -> &Value {
        self.get("expected").get(field).unwrap_or(&Value::Null)
    }
    /// Whether a field of `expected` takes part in the comparison (`compare`; all do where it is absent).
    pub fn compares(&self, field: &str) -> bool {
        match self.get("compare").as_array() {
            Some(fields) => fields.iter().any(|f| f == field),
            None => self.get("expected").get(field).is_some(),
        }
    }
}

/// A file of cases.
#[derive(Debug)]
pub struct CaseFile {
    /// Its file name.
    pub name: String,
    /// How many cases it says it holds.
    pub count: Option<usize>,
    /// How many entries it holds; a runbook with its traces is one entry and many cases.
    pub entries: usize,
    /// The cases.
    pub cases: Vec<Case>,
    /// Everything in it.
    pub whole: Value,
}

impl CaseFile {
    /// Reads a file. `flow_features.json` holds groups of key paths instead of cases: each path of a group is one.
    ///
    /// # Errors
    /// It cannot be read, is no JSON or holds no cases.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let bytes = std::fs::read(path).with_context(|| format!("{shown} cannot be read"))?;
        let whole: Value = serde_json::from_slice(&bytes).with_context(|| format!("{shown} is no JSON"))?;
        let name = path
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        let cases = match whole.get("cases").and_then(Value::as_array) {
            Some(cases) => cases
                .iter()
                .enumerate()
                .flat_map(|(i, body)| expanded(i, body))
                .collect(),
            None => key_paths(&whole),
        };
        anyhow::ensure!(!cases.is_empty(), "{shown} holds no cases");
        let entries = whole
            .get("cases")
            .and_then(Value::as_array)
            .map_or(cases.len(), Vec::len);
        let count = whole
            .get("count")
            .and_then(Value::as_u64)
            .and_then(|n| usize::try_from(n).ok());
        Ok(Self {
            name,
            count,
            entries,
            cases,
            whole,
        })
    }
}

/// An entry's cases: itself, or each of its `traces` beside what they share.
fn expanded(index: usize, body: &Value) -> Vec<Case> {
    let Some(traces) = body.get("traces").and_then(Value::as_array) else {
        return vec![case(index, body)];
    };
    let id = case(index, body).id;
    let merged = |trace: &Value| {
        let mut merged = body.as_object().cloned().unwrap_or_default();
        merged.remove("traces");
        merged.extend(trace.as_object().cloned().unwrap_or_default());
        let mut case = case(index, &Value::Object(merged));
        let sequence = trace.get("sequence").and_then(Value::as_str).unwrap_or_default();
        case.id = format!("{id}/{sequence}");
        case
    };
    traces.iter().map(merged).collect()
}

fn case(index: usize, body: &Value) -> Case {
    let level = match body.get("enforce").and_then(Value::as_str) {
        Some("must") => Level::Must,
        Some("may") => Level::May,
        _ => Level::Should,
    };
    let id = body.get("id").and_then(Value::as_str);
    Case {
        id: id.map_or_else(|| format!("#{}", index + 1), str::to_owned),
        level,
        body: body.clone(),
    }
}

fn key_paths(whole: &Value) -> Vec<Case> {
    let groups = whole.as_object().into_iter().flatten();
    let mut cases = Vec::new();
    for (group, content) in groups {
        let paths = content
            .get("paths")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys);
        for path in paths {
            let body = serde_json::json!({"group": group, "path": path, "files": content["files"]});
            cases.push(Case {
                id: format!("{group}{path}"),
                level: Level::Should,
                body,
            });
        }
    }
    cases
}
