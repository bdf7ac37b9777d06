//! A large session, opened as the window opens it: read, held against its schema, and made into what the page shows. The limit only parses the
//! same bytes.

use crate::{aim, fact, median};
use serde_json::{Value, json};
use std::time::Instant;

/// Bytes of the document, about.
const BYTES: usize = 10_000_000;
/// Entries of its history of validations.
const VALIDATIONS: usize = 5_000;

pub fn measure(rounds: usize) -> anyhow::Result<()> {
    let text = document()?;
    println!(
        "Opening a session of {:.1} MB with {VALIDATIONS} validations, against parsing its JSON alone (medians of {rounds} rounds, in turns)",
        text.len() as f64 / 1e6
    );
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("context_state.json");
    std::fs::write(&file, &text)?;
    let (mut ours, mut limit) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let begun = Instant::now();
        let parsed: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
        let raw = begun.elapsed();
        drop(parsed);
        let begun = Instant::now();
        let view = studio::session::open(&file)?;
        let answer = serde_json::to_string(&view)?;
        let opened = begun.elapsed();
        anyhow::ensure!(
            view.problems.is_empty(),
            "it breaks its schema: {:?}",
            view.problems.first()
        );
        anyhow::ensure!(
            view.checks.len() == VALIDATIONS && !answer.is_empty(),
            "not all of it was read"
        );
        if round > 0 {
            limit.push(raw);
            ours.push(opened);
        }
    }
    let (ours, limit) = (median(ours), median(limit));
    let ms = |time: std::time::Duration| format!("{:.0} ms", time.as_secs_f64() * 1e3);
    let ratio = ours.as_secs_f64() / limit.as_secs_f64();
    fact("parsed alone (the limit)", ms(limit));
    aim("opened", ms(ours), "< 300 ms", ours.as_millis() < 300);
    aim(
        "ratio, opened to the limit",
        format!("{ratio:.1}"),
        "≤ 12",
        ratio <= 12.0,
    );
    Ok(())
}

/// A session that keeps its schema.
fn document() -> anyhow::Result<String> {
    const FINDINGS: usize = 20;
    let finding = "A finding in words, as checks write them. "
        .repeat((BYTES / VALIDATIONS / FINDINGS).saturating_sub(40) / 42 + 1);
    let details: serde_json::Map<String, Value> = (0..FINDINGS)
        .map(|n| (format!("finding_{n}"), json!(finding)))
        .collect();
    let validation = |n: usize| {
        json!({"timestamp": "2026-11-23T10:00:00Z", "step_id": n % 40, "agent": "qa", "validation_type": "schema",
            "passed": !n.is_multiple_of(7), "details": details})
    };
    let text = serde_json::to_string_pretty(&json!({
        "session_id": "bmad-session-1731500000000-a1b2c3d4",
        "schema_version": "2.0.0",
        "project_metadata": {"name": "Shop", "workflow_type": "greenfield-ui", "created_at": "2026-11-23T10:00:00Z"},
        "workflow_state": {"current_step": 3, "completed_steps": [1, 2]},
        "agent_contexts": {"qa": {"status": "in_progress"}},
        "global_context": {},
        "validation_history": (0..VALIDATIONS).map(validation).collect::<Vec<_>>(),
    }))?;
    Ok(text)
}
