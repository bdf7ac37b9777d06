//! The quality standards of a project, held against what steps report (seed 003 `global_context.quality_standards`).

use model::Fields;
use model::spelling::bare;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A number that a step may report and a project may want to be at least so high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standard {
    /// `test_coverage`, per cent.
    MinimumTestCoverage,
    /// `code_quality`, 0 to 10.
    CodeQualityThreshold,
}

impl Standard {
    /// Both, as the seed lists them.
    pub const ALL: [Self; 2] = [Self::MinimumTestCoverage, Self::CodeQualityThreshold];

    /// Its name in the seed.
    pub fn key(self) -> &'static str {
        match self {
            Self::MinimumTestCoverage => "minimum_test_coverage",
            Self::CodeQualityThreshold => "code_quality_threshold",
        }
    }

    /// The field of a report that it is held against.
    pub fn field(self) -> &'static str {
        match self {
            Self::MinimumTestCoverage => "test_coverage",
            Self::CodeQualityThreshold => "code_quality",
        }
    }

    /// What it measures: `test coverage`.
    pub fn title(self) -> &'static str {
        match self {
            Self::MinimumTestCoverage => "test coverage",
            Self::CodeQualityThreshold => "code quality",
        }
    }

    /// The highest value of its scale; the lowest is 0.
    pub fn top(self) -> f64 {
        match self {
            Self::MinimumTestCoverage => 100.0,
            Self::CodeQualityThreshold => 10.0,
        }
    }

    /// A value of its scale in words: `71 %`, `7.5 of 10`.
    pub fn value(self, value: f64) -> String {
        match self {
            Self::MinimumTestCoverage => format!("{value} %"),
            Self::CodeQualityThreshold => format!("{value} of 10"),
        }
    }

    /// The standard that a field of a report is held against, in whatever letters it is written.
    pub fn of_field(field: &str) -> Option<Self> {
        let name = bare(field);
        Self::ALL.into_iter().find(|standard| bare(standard.field()) == name)
    }

    /// The lower of two reported values; what is no number of the scale is lower than all that are.
    pub fn lower<'v>(self, one: &'v Value, other: &'v Value) -> &'v Value {
        match (self.read(one), self.read(other)) {
            (Some(number), Some(than)) if number <= than => one,
            (None, _) => one,
            _ => other,
        }
    }

    /// The number that was reported, where it is one of the scale. Agents write numbers as texts too, with the sign of per cent.
    fn read(self, reported: &Value) -> Option<f64> {
        let number = match reported {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().trim_end_matches('%').trim_end().parse().ok(),
            _ => None,
        };
        number.filter(|number| (0.0..=self.top()).contains(number))
    }
}

/// What follows when a step reports less than the project wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Below {
    /// A person is asked, and may let it go on with a reason.
    #[default]
    Ask,
    /// It is said, and the run goes on.
    Warn,
    /// The attempt has failed.
    Fail,
}

impl Below {
    /// Every word for it.
    pub const ALL: [Self; 3] = [Self::Ask, Self::Warn, Self::Fail];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// The standards of a run, and what follows below them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Standards {
    /// At least so much, in the order of [`Standard::ALL`]; absent: nothing is wanted.
    least: [Option<f64>; 2],
    /// What follows below one of them.
    pub below: Below,
}

/// A standard held against a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// The standard that was not met.
    pub standard: Standard,
    /// What was reported, as it was.
    pub reported: Value,
    /// At least so much is wanted.
    pub wanted: f64,
}

impl Held {
    /// Whether as much was reported as is wanted. What cannot be read as a number of the scale is not.
    pub fn is_met(&self) -> bool {
        self.standard
            .read(&self.reported)
            .is_some_and(|number| number >= self.wanted)
    }

    /// `test coverage is 71 %, and at least 80 % is wanted`
    pub fn words(&self) -> String {
        let (title, wanted) = (self.standard.title(), self.standard.value(self.wanted));
        let joined = if self.is_met() {
            ", of at least"
        } else {
            ", and at least"
        };
        let end = if self.is_met() { "" } else { " is wanted" };
        format!("{title} is {}{joined} {wanted}{end}", self.said())
    }

    /// What was reported, in words: `71 %`; `“good”, which is no number from 0 to 100`
    pub fn said(&self) -> String {
        if let Some(number) = self.standard.read(&self.reported) {
            return self.standard.value(number);
        }
        let said = match self.reported.as_str() {
            Some(text) => format!("“{}”", text.chars().take(60).collect::<String>()),
            None => self.reported.to_string().chars().take(60).collect(),
        };
        format!("{said}, which is no number from 0 to {}", self.standard.top())
    }
}

impl Standards {
    /// Those of a context as it stands in a run; values that a context cannot have count for nothing.
    pub fn of(context: Option<&Fields>) -> Self {
        let Some(written) = context.and_then(|context| context.get("quality_standards")) else {
            return Self::default();
        };
        let below = written.get("below").and_then(Value::as_str);
        Self {
            least: Standard::ALL.map(|standard| written.get(standard.key()).and_then(Value::as_f64)),
            below: Below::ALL
                .into_iter()
                .find(|one| below == Some(one.word()))
                .unwrap_or_default(),
        }
    }

    /// What reports say of each standard; what they do not speak of is absent, and `null` is no number. Of several the lowest number counts:
    /// none of them makes good what another one says.
    pub fn held(&self, reports: &[&Fields]) -> Vec<Held> {
        let pairs = Standard::ALL.into_iter().zip(self.least);
        pairs
            .filter_map(|(standard, least)| {
                // Most projects want nothing, and reports may be long.
                let wanted = least?;
                let fields = reports.iter().flat_map(|report| report.iter());
                let said = fields
                    .filter(|(field, _)| Standard::of_field(field) == Some(standard))
                    .map(|(_, value)| value);
                Some(Held {
                    standard,
                    reported: said.reduce(|one, other| standard.lower(one, other))?.clone(),
                    wanted,
                })
            })
            .collect()
    }
}

/// Several in one sentence: `test coverage is 71 %, and at least 80 % is wanted; code quality …`
pub fn all_words(held: &[Held]) -> String {
    held.iter().map(Held::words).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn standards(written: Value) -> Standards {
        let context: Fields = serde_json::from_value(json!({"quality_standards": written})).expect("an object");
        Standards::of(Some(&context))
    }

    fn said(standards: &Standards, report: Value) -> Vec<String> {
        let report: Fields = serde_json::from_value(report).expect("an object");
        let held = standards.held(&[&report]).into_iter();
        held.filter(|held| !held.is_met()).map(|held| held.words()).collect()
    }

    #[test]
    fn a_number_below_its_standard_is_missed_and_so_is_what_is_no_number_of_the_scale() {
        let both = standards(json!({"minimum_test_coverage": 80, "code_quality_threshold": 7.5}));
        assert_eq!(both.below, Below::Ask);
        let nothing: [&str; 0] = [];
        assert_eq!(said(&both, json!({})), nothing, "nobody spoke of it");
        assert_eq!(said(&both, json!({"test_coverage": 80, "code_quality": 7.5})), nothing);
        assert_eq!(
            said(&both, json!({"test_coverage": " 80.5 % ", "code_quality": " 7.5 "})),
            nothing
        );
        assert_eq!(
            said(&both, json!({"test_coverage": 71, "code_quality": "7"})),
            [
                "test coverage is 71 %, and at least 80 % is wanted",
                "code quality is 7 of 10, and at least 7.5 of 10 is wanted"
            ]
        );
        assert_eq!(
            said(&both, json!({"test_coverage": "good"})),
            ["test coverage is “good”, which is no number from 0 to 100, and at least 80 % is wanted"]
        );
        assert_eq!(
            said(&both, json!({"test_coverage": null})),
            ["test coverage is null, which is no number from 0 to 100, and at least 80 % is wanted"]
        );
        for field in ["testCoverage", "Test_Coverage", "test-coverage", "TEST COVERAGE"] {
            assert_eq!(said(&both, json!({field: 20})).len(), 1, "{field}");
            assert_eq!(
                said(&both, json!({field: 90, "test_coverage": 20})).len(),
                1,
                "the lower counts"
            );
        }
        for strange in [
            json!(800),
            json!(-1),
            json!([80]),
            json!("inf"),
            json!("NaN"),
            json!(true),
        ] {
            assert_eq!(said(&both, json!({"test_coverage": strange})).len(), 1, "{strange}");
        }
    }

    #[test]
    fn a_standard_that_is_not_written_is_not_held() {
        let quality = standards(json!({"code_quality_threshold": 8, "below": "fail"}));
        assert_eq!(quality.below, Below::Fail);
        assert_eq!(said(&quality, json!({"test_coverage": 1})).len(), 0);
        assert_eq!(Standards::of(None), Standards::default());
    }
}
