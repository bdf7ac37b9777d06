//! The rules of seed 004 "PIPELINE RUN" by the letter, stage after stage and wave after wave, without the engine: what a pipeline's
//! stages and the pipeline itself must come to. Slow and plain on purpose.

use engine::{EndStatus, Settled, StageEnd};
use model::OnFailure;
use std::collections::BTreeMap;

/// Where a stage stands when nothing runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    Pending,
    Completed,
    Failed,
    /// `true`: a person left it out; else it waited for something that did not come.
    Skipped(bool),
    /// Its agent left it out.
    LeftOut,
    Aborted,
}

impl Stands {
    /// As an event says it. What a person lets go on counts as completed.
    pub fn of(settled: &Settled) -> Self {
        match settled.status {
            StageEnd::Completed => Self::Completed,
            StageEnd::Failed => Self::Failed,
            StageEnd::Skipped if settled.spared.is_some() => Self::Completed,
            StageEnd::Skipped if settled.is_left_out_by_agent() => Self::LeftOut,
            StageEnd::Skipped => Self::Skipped(settled.because.is_none()),
            StageEnd::Aborted => Self::Aborted,
        }
    }
}

/// What the rules know of a stage: its name and what it waits for. In document order.
pub struct Plan {
    pub stages: Vec<(String, Vec<String>)>,
    pub on_failure: OnFailure,
}

/// How a run ends.
#[derive(Debug, PartialEq)]
pub struct End {
    pub status: EndStatus,
    pub error: Option<String>,
    pub stages: BTreeMap<String, Stands>,
}

impl Plan {
    /// Carries the pipeline on from `stages` to its end; `ends` says of a stage how it ends once it runs.
    pub fn run(&self, mut stages: BTreeMap<String, Stands>, ends: impl Fn(&str) -> Stands) -> End {
        self.skip_dependents(&mut stages);
        loop {
            let eligible: Vec<&String> = self
                .stages
                .iter()
                .filter(|(name, waits)| {
                    let met = |d: &String| stages.get(d) == Some(&Stands::Completed);
                    stages[name] == Stands::Pending && waits.iter().all(met)
                })
                .map(|(name, _)| name)
                .collect();
            if eligible.is_empty() {
                break;
            }
            let mut failed = None;
            for name in eligible {
                let ended = ends(name);
                if ended == Stands::Failed {
                    failed = failed.or(Some(name.clone()));
                }
                stages.insert(name.clone(), ended);
            }
            self.skip_dependents(&mut stages);
            if let (Some(name), OnFailure::Halt) = (failed, self.on_failure) {
                let error = Some(format!("Pipeline failed at stage: {name}"));
                let status = EndStatus::Failed;
                return End { status, error, stages };
            }
        }
        let any = |which: fn(&Stands) -> bool| stages.values().any(which);
        let pending = self.named(&stages, Stands::Pending);
        if !pending.is_empty() {
            let names = pending.join(", ");
            let error = format!("Deadlock detected (cycle or unmet dependencies). Pending stages: {names}");
            return End {
                status: EndStatus::Failed,
                error: Some(error),
                stages,
            };
        }
        let status = if any(|s| *s != Stands::Completed) {
            EndStatus::CompletedWithFailures
        } else {
            EndStatus::Succeeded
        };
        End {
            status,
            error: None,
            stages,
        }
    }

    /// What a person says of the stages that failed, were aborted or left out by their agents, before the pipeline goes on; `retry`: they run again.
    pub fn resume(
        &self,
        mut stages: BTreeMap<String, Stands>,
        retry: impl Fn(&str) -> bool,
    ) -> BTreeMap<String, Stands> {
        for (name, stands) in &mut stages {
            *stands = match *stands {
                Stands::Failed | Stands::Aborted | Stands::LeftOut if retry(name) => Stands::Pending,
                Stands::Failed | Stands::Aborted | Stands::LeftOut => Stands::Skipped(true),
                // Whether it can run is found out anew.
                Stands::Skipped(false) => Stands::Pending,
                other => other,
            };
        }
        stages
    }

    /// The names of the stages that stand so, in document order.
    pub fn named(&self, stages: &BTreeMap<String, Stands>, stands: Stands) -> Vec<String> {
        let names = self.stages.iter().map(|(name, _)| name);
        names.filter(|name| stages[*name] == stands).cloned().collect()
    }

    fn skip_dependents(&self, stages: &mut BTreeMap<String, Stands>) {
        loop {
            let lost = self.stages.iter().find(|(name, waits)| {
                let gone = |d: &String| {
                    matches!(
                        stages.get(d),
                        Some(Stands::Failed | Stands::Skipped(_) | Stands::LeftOut)
                    )
                };
                stages[name] == Stands::Pending && waits.iter().any(gone)
            });
            let Some((name, _)) = lost else { return };
            stages.insert(name.clone(), Stands::Skipped(false));
        }
    }
}
