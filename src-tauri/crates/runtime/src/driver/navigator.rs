//! A navigator: an agent of gatehouse.yaml that chooses among the ways on from a step, and nothing else (CONTRACTS "Stepwise",
//! `routing_source`). It is told all that the step's own agent was, what came of it, and the ways; it reports `way` and `reasons`.

use engine::{AttemptStarted, ExecutionStatus, NavigatorAsked, NavigatorSaid, StepResult};
use model::{Fields, Routing, Step, Work};
use serde_json::Value;

/// The number that its work has among the attempts of the visit, which begin with 1.
pub(super) const NAVIGATOR: u32 = 0;

/// Its work as a step and an attempt of it: nothing is made, called or checked.
pub(super) fn work(step: &Step, asked: &NavigatorAsked) -> (Step, AttemptStarted) {
    let of_step = Step {
        intent: Some(format!("Choose which way on the workflow takes after “{}”.", step.name)),
        work: Work::Agent,
        agents: vec![asked.navigator.clone()],
        outputs: Vec::new(),
        gate: None,
        routing: Routing::Sequence,
        retries: None,
        timeout_ms: None,
        templates: Vec::new(),
        tools: Vec::new(),
        validation: None,
        evidence: None,
        parameters: Fields::new(),
        ..step.clone()
    };
    let started = AttemptStarted {
        instance: asked.instance.clone(),
        attempt: NAVIGATOR,
        agents: vec![asked.navigator.clone()],
        engine: asked.engine.clone(),
        crew: Vec::new(),
        comments: Vec::new(),
    };
    (of_step, started)
}

/// What it said. `brief`: what it was asked, as bytes that are kept.
pub(super) fn said(result: StepResult, brief: &[u8]) -> NavigatorSaid {
    let text = |names: [&str; 2]| {
        let found = names
            .iter()
            .find_map(|name| result.report.get(*name).and_then(Value::as_str));
        found.map(|text| text.trim().to_owned())
    };
    let refused = match result.status {
        ExecutionStatus::Succeeded => None,
        _ => Some(
            result
                .error
                .clone()
                .unwrap_or_else(|| "It failed without saying why.".to_owned()),
        ),
    };
    NavigatorSaid {
        way: text(["way", "chosen_candidate_id"]).filter(|way| !way.is_empty()),
        reasons: text(["reasons", "reasoning"]).unwrap_or_else(|| result.output.trim().to_owned()),
        refused,
        brief: Some(store::digest_of(brief)),
        transcript: result.transcript,
        duration_ms: result.duration_ms,
        tokens: result.tokens,
        answered: result.answered,
    }
}
