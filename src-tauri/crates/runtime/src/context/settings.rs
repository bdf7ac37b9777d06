//! `context:` in gatehouse.yaml.

use super::split::Language;
use super::tier::Tier;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// How much is put together for a step, and from which files.
///
/// ```yaml
/// context:
///   budgets: {nano: 200, micro: 800, full: 4000}   # tokens; 0: this tier is not used
///   languages: [python, markdown]                  # absent: every language that is known
///   ignore: ["docs/old/**", "*.min.js"]            # as in .gitignore, besides .gitignore itself
///   max_phase: 3
///   timeout_seconds: 300                           # the longest time of looking something up for one step
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Tokens of each phase, by its tier: nano, micro, full.
    pub budgets: [usize; 3],
    /// Files of these languages are indexed.
    pub languages: Vec<Language>,
    /// Patterns of files that are not, in the words of `.gitignore`.
    pub ignore: Vec<String>,
    /// How many phases there are unless a step says less.
    pub max_phase: usize,
    /// The longest time of looking something up for one step; a first time, all of the project is read.
    pub limit: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            budgets: [200, 800, 4_000],
            languages: Language::ALL.to_vec(),
            ignore: Vec::new(),
            max_phase: Tier::ALL.len(),
            limit: Duration::from_secs(300),
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, expecting = "a block of keys")]
struct Raw {
    budgets: RawBudgets,
    languages: Option<Vec<String>>,
    ignore: Vec<String>,
    max_phase: Option<usize>,
    timeout_seconds: Option<f64>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, expecting = "a block such as `nano: 200`")]
struct RawBudgets {
    nano: Option<usize>,
    micro: Option<usize>,
    full: Option<usize>,
}

/// No tier is larger: what an agent reads must fit into what it can read.
const MOST_TOKENS: usize = 200_000;

impl Settings {
    /// Reads the value of `context:`; null means the defaults.
    ///
    /// # Errors
    /// A sentence about what is wrong, with its place.
    pub fn read(written: &Value) -> Result<Self, String> {
        let defaults = Self::default();
        if written.is_null() {
            return Ok(defaults);
        }
        let raw = Raw::deserialize(written).map_err(|e| format!("context: {e}"))?;
        let [nano, micro, full] = defaults.budgets;
        let budgets = [
            raw.budgets.nano.unwrap_or(nano),
            raw.budgets.micro.unwrap_or(micro),
            raw.budgets.full.unwrap_or(full),
        ];
        if let Some(large) = budgets.iter().find(|tokens| **tokens > MOST_TOKENS) {
            return Err(format!(
                "context.budgets: {large} tokens are more than {MOST_TOKENS}, which is the most"
            ));
        }
        let languages = match raw.languages {
            None => defaults.languages,
            Some(words) => {
                let known = |word: &String| {
                    Language::of_word(word).ok_or_else(|| {
                        format!(
                            "context.languages: `{word}` is not known; known are {}",
                            Language::words()
                        )
                    })
                };
                let mut languages = words.iter().map(known).collect::<Result<Vec<_>, _>>()?;
                languages.sort();
                languages.dedup();
                languages
            }
        };
        for pattern in &raw.ignore {
            if let Err(why) = ignoring(pattern) {
                return Err(format!(
                    "context.ignore: `{pattern}` is no pattern that can be used: {why}"
                ));
            }
        }
        let max_phase = raw.max_phase.unwrap_or(defaults.max_phase);
        if max_phase == 0 {
            return Err("context.max_phase: 0 phases would look nothing up; write 1 or more".to_owned());
        }
        let limit = match raw.timeout_seconds {
            None => defaults.limit,
            Some(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Duration::from_secs_f64(seconds),
            Some(seconds) => {
                return Err(format!(
                    "context.timeout_seconds: {seconds}: looking something up takes more than nothing and less than a day"
                ));
            }
        };
        Ok(Self {
            budgets,
            languages,
            ignore: raw.ignore,
            max_phase,
            limit,
        })
    }

    /// Tokens of a phase of this tier.
    pub fn budget(&self, tier: Tier) -> usize {
        self.budgets[tier as usize]
    }
}

/// Whether a pattern of `context.ignore` can be used.
fn ignoring(pattern: &str) -> Result<(), ignore::Error> {
    ignore::gitignore::GitignoreBuilder::new("")
        .add_line(None, pattern)
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_key_is_read() {
        let read = Settings::read(&json!({
            "budgets": {"micro": 10}, "languages": ["ts", "python", "py"], "ignore": ["old/**"], "max_phase": 2,
            "timeout_seconds": 0.5,
        }));
        let settings = Settings {
            budgets: [200, 10, 4_000],
            languages: vec![Language::Python, Language::Typescript],
            ignore: vec!["old/**".to_owned()],
            max_phase: 2,
            limit: Duration::from_millis(500),
        };
        assert_eq!(read, Ok(settings));
        assert_eq!(Settings::read(&Value::Null), Ok(Settings::default()));
        assert_eq!(Settings::read(&json!({})), Ok(Settings::default()));
    }

    #[test]
    fn faults_name_their_place() {
        for (written, says) in [
            (json!({"budget": {}}), "context: unknown field `budget`"),
            (json!({"budgets": {"huge": 1}}), "context: unknown field `huge`"),
            (json!({"budgets": {"nano": -1}}), "context: invalid value"),
            (json!({"budgets": {"full": 900_000}}), "context.budgets: 900000 tokens"),
            (
                json!({"languages": ["cobol"]}),
                "context.languages: `cobol` is not known",
            ),
            (json!({"ignore": ["a{"]}), "context.ignore: `a{`"),
            (json!({"max_phase": 0}), "context.max_phase: 0 phases"),
            (json!({"timeout_seconds": 0}), "context.timeout_seconds: 0"),
        ] {
            let said = Settings::read(&written).expect_err("refused");
            assert!(said.contains(says), "{said}");
        }
    }
}
