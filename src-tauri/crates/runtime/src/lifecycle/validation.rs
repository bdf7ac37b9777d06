//! Validation: what a step made is checked before it is taken (seed 000 "Validation gates").

use super::Around;
use crate::artifacts::Found;
use crate::brief::Brief;
use crate::executor::Sink;
use dialect::stepspec::{checks_nothing, validation_checks};
use engine::{CheckRecord, CheckStatus, Lifecycle, Validation};

/// Checks what was made, as the step's policy asks.
///
/// # Errors
/// What did not pass.
pub(super) async fn validate(
    around: &Around,
    _brief: &Brief,
    found: &Found,
    held: &mut Lifecycle,
    _sink: &Sink,
) -> Result<(), String> {
    let policy = around.step.validation.as_deref().unwrap_or_default();
    if checks_nothing(policy) {
        return Ok(());
    }
    let mut checks = Vec::new();
    if let Some(script) = &around.script {
        let target = found.artifacts.first().map(|a| a.path.clone());
        checks.push(CheckRecord {
            check: validation_checks(policy)
                .first()
                .copied()
                .unwrap_or("scenario")
                .to_owned(),
            target: target.or(around.step.outputs.first().cloned()).unwrap_or_default(),
            status: if script.invalid.is_some() {
                CheckStatus::Failed
            } else {
                CheckStatus::Passed
            },
            message: script.invalid.clone().unwrap_or_default(),
            line: None,
        });
    }
    let failed: Vec<String> = checks
        .iter()
        .filter(|check| check.status == CheckStatus::Failed)
        .map(|check| format!("{}: {}", check.target, check.message))
        .collect();
    let passed = failed.is_empty() && checks.iter().any(|check| check.status == CheckStatus::Passed);
    held.validation = Some(Validation {
        policy: policy.to_owned(),
        passed,
        checks,
    });
    if passed {
        return Ok(());
    }
    Err(format!("validation failed: {}", failed.join("; ")))
}
