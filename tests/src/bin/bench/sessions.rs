//! A large session, opened as the window opens it: read, held against its schema, and made into what the page shows. The limit only parses the
//! same bytes.

use crate::{aim, fact, median};
use dialect::session::{ASIDE, Least, keeping};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Bytes of the document, about.
const BYTES: usize = 10_000_000;
/// Entries of its history of validations.
const VALIDATIONS: usize = 5_000;
/// Outputs of an agent that break the schema, in one list of fields.
const OUTPUTS: usize = 40_000;

pub fn measure(rounds: usize) -> anyhow::Result<()> {
    let sound = document(&json!({"status": "in_progress"}))?;
    let sound = opened(
        &format!(
            "a session of {:.1} MB with {VALIDATIONS} validations",
            sound.len() as f64 / 1e6
        ),
        &sound,
        rounds,
        0,
    )?;
    aim("opened", ms(sound.ours), "< 300 ms", sound.ours.as_millis() < 300);
    aim(
        "ratio, opened to the limit",
        format!("{:.1}", sound.ratio()),
        "≤ 12",
        sound.ratio() <= 12.0,
    );
    let outputs = (0..OUTPUTS).map(|n| (format!("output {n}"), json!({"quality_metrics": {"overall_score": 11}})));
    let outputs: serde_json::Map<String, Value> = outputs.collect();
    let broken = document(&json!({"status": "in_progress", "outputs": outputs}))?;
    let value: Value = serde_json::from_str(&broken)?;
    let broken = opened(
        &format!("the same with {OUTPUTS} outputs of one agent that break the schema"),
        &broken,
        rounds,
        1_000,
    )?;
    fact("opened", ms(broken.ours));
    aim(
        "ratio, opened to the limit",
        format!("{:.1}", broken.ratio()),
        "≤ 25",
        broken.ratio() <= 25.0,
    );
    let least = Least {
        session_id: "bmad-session-1731500000000-a1b2c3d4",
        name: "Shop",
        created_at: "2026-11-23T10:00:00Z",
    };
    let begun = Instant::now();
    let kept = keeping(&value, least);
    let took = begun.elapsed();
    anyhow::ensure!(
        kept.is_some_and(|kept| kept["metadata"][ASIDE].as_object().map(serde_json::Map::len) == Some(OUTPUTS)),
        "each of them is put aside"
    );
    let ratio = took.as_secs_f64() / broken.limit.as_secs_f64();
    aim(
        "ratio, put aside to the limit",
        format!("{ratio:.1}"),
        "≤ 50",
        ratio <= 50.0,
    );
    Ok(())
}

/// How long it took.
struct Took {
    ours: Duration,
    /// Parsed alone.
    limit: Duration,
}

impl Took {
    fn ratio(&self) -> f64 {
        self.ours.as_secs_f64() / self.limit.as_secs_f64()
    }
}

fn ms(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}

/// Opens a document as the window does; `problems`: how many of them are told.
fn opened(what: &str, text: &str, rounds: usize, problems: usize) -> anyhow::Result<Took> {
    println!("Opening {what}, against parsing its JSON alone (medians of {rounds} rounds, in turns)");
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("context_state.json");
    std::fs::write(&file, text)?;
    let (mut ours, mut limit) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let begun = Instant::now();
        let parsed: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
        let raw = begun.elapsed();
        drop(parsed);
        let begun = Instant::now();
        let view = studio::session::query::open(&file)?;
        let answer = serde_json::to_string(&view)?;
        let opened = begun.elapsed();
        anyhow::ensure!(
            view.problems.len() == problems,
            "{} breaks of its schema are told: {:?}",
            view.problems.len(),
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
    let took = Took {
        ours: median(ours),
        limit: median(limit),
    };
    fact("parsed alone (the limit)", ms(took.limit));
    Ok(took)
}

/// A session that keeps its schema but for what its agent says.
fn document(agent: &Value) -> anyhow::Result<String> {
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
        "agent_contexts": {"qa": agent},
        "global_context": {},
        "validation_history": (0..VALIDATIONS).map(validation).collect::<Vec<_>>(),
    }))?;
    Ok(text)
}
