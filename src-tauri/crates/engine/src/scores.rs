//! How good a step finds what it made, 0 to 10 (seed 003 `quality_metrics`). A score is a claim of whoever did the work, and counts for nothing by
//! itself.

use crate::{RunState, StepStatus};
use model::{Fields, StepId};
use serde::Serialize;

/// What is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Whether nothing is missing.
    Completeness,
    /// Whether it can be understood.
    Clarity,
    /// Whether it can be done.
    Feasibility,
    /// All in all.
    Overall,
}

impl Score {
    /// All, as the seed lists them.
    pub const ALL: [Self; 4] = [Self::Completeness, Self::Clarity, Self::Feasibility, Self::Overall];

    /// The field of a report that states it.
    pub fn field(self) -> &'static str {
        match self {
            Self::Completeness => "completeness_score",
            Self::Clarity => "clarity_score",
            Self::Feasibility => "feasibility_score",
            Self::Overall => "overall_score",
        }
    }
}

/// The scores of a report. What is no number of the scale is no score.
pub fn of(report: &Fields) -> Vec<(Score, f64)> {
    Score::ALL
        .into_iter()
        .filter_map(|score| Some((score, report.get(score.field())?.as_f64()?)))
        .filter(|(_, value)| (0.0..=10.0).contains(value))
        .collect()
}

/// All in all: as it is stated, else the mean of what is.
pub fn overall(report: &Fields) -> Option<f64> {
    let scores = of(report);
    let stated = scores.iter().find(|(score, _)| *score == Score::Overall);
    stated
        .map(|(_, value)| *value)
        .or_else(|| mean(scores.iter().map(|(_, value)| *value)))
}

/// The mean over the completed ones of these steps that state anything (seed 003 `overall_quality_score`).
pub fn of_run<'a>(state: &RunState, steps: impl IntoIterator<Item = &'a StepId>) -> Option<f64> {
    let completed = steps
        .into_iter()
        .filter(|step| state.step_status(step) == StepStatus::Succeeded);
    mean(completed.filter_map(|step| overall(&state.latest_result(step)?.1.report)))
}

/// To a tenth of a hundredth: what is claimed is no more exact.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    (count > 0.0).then(|| (sum / count * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_stated_counts_and_else_the_mean_of_what_is() {
        let all = |report| overall(&serde_json::from_value(report).expect("an object"));
        assert_eq!(all(json!({"overall_score": 7.5, "clarity_score": 1})), Some(7.5));
        assert_eq!(
            all(json!({"completeness_score": 8, "clarity_score": 9, "feasibility_score": 8})),
            Some(8.333)
        );
        assert_eq!(
            all(json!({"clarity_score": 9, "overall_score": 11})),
            Some(9.0),
            "no number of the scale"
        );
        assert_eq!(all(json!({"overall_score": "9", "clarity_score": null})), None);
    }
}
