//! A flow of a thousand steps under one gesture of each kind, through the façade as the window makes them: from the gesture to the answer
//! that holds the new picture, written and kept for undo. The limit reads the same text and lays it out.

use crate::{aim, fact, flow, median};
use dialect::Document;
use model::layout::Direction;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use studio::command::dispatch;
use studio::{Client, Identity, Studio};

/// Steps of the flow.
const STEPS: usize = 1_000;
/// From the gesture to the picture, for every kind of gesture.
const MOST: Duration = Duration::from_millis(100);

pub fn measure(rounds: usize) -> anyhow::Result<()> {
    println!(
        "Editing a flow of {STEPS} steps, from a gesture to the new picture (medians of {rounds} rounds, in turns)"
    );
    let text = flow(STEPS, false);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let mut limit = Vec::new();
    let mut seen: Vec<(&str, Vec<Duration>)> = Vec::new();
    for round in 0..=rounds {
        let begun = Instant::now();
        let read = Document::parse("bench.yaml", &text);
        let drawn = model::layout::draw(&model::picture::input(read.workflow(), Direction::Down));
        let raw = begun.elapsed();
        drop((read, drawn));
        let once = runtime.block_on(gestures(&text))?;
        // The first round warms the caches.
        if round == 0 {
            seen = once.iter().map(|(name, _)| (*name, Vec::new())).collect();
            continue;
        }
        limit.push(raw);
        for ((_, all), (_, took)) in seen.iter_mut().zip(once) {
            all.push(took);
        }
    }
    let ms = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1e3);
    fact("read and laid out (the limit)", ms(median(limit)));
    for (name, times) in seen {
        let took = median(times);
        aim(name, ms(took), "≤ 100 ms", took <= MOST);
    }
    Ok(())
}

/// Every kind of gesture once, one after the other on one file, with the time from its call to its answer.
async fn gestures(text: &str) -> anyhow::Result<Vec<(&'static str, Duration)>> {
    let folder = tempfile::tempdir()?;
    let home = tempfile::tempdir()?;
    std::fs::write(folder.path().join("bench.yaml"), text)?;
    let studio = Studio::open_as(folder.path(), Client::Test, Identity::open_in(home.path(), false)?)?;
    let opened = call(&studio, "workflow.open", json!({"path": "bench.yaml"})).await?;
    let mut revision = read(&opened)?["revision"].clone();
    let mut took = Vec::new();
    let room = json!({"width": 1_000, "height": 700});
    for (name, gesture) in [
        (
            "a value changed",
            json!({"kind": "set", "place": {"step": 500, "path": ["role"]}, "value": "Looks again."}),
        ),
        (
            "a step renamed, with all that names it",
            json!({"kind": "set", "place": {"step": 500, "path": ["id"]}, "value": "renamed"}),
        ),
        (
            "a step added behind another",
            json!({"kind": "add", "step": {"name": "New"}, "at": {"where": "after", "step": "s400"}}),
        ),
        (
            "two steps connected",
            json!({"kind": "connect", "from": "s300", "to": "s310"}),
        ),
        ("a gate put in", json!({"kind": "gate", "step": "s200", "gate": {}})),
        (
            "a step moved",
            json!({"kind": "move", "place": {"step": 100, "path": []}, "to": 120}),
        ),
        (
            "a step removed",
            json!({"kind": "remove", "place": {"step": 600, "path": []}}),
        ),
    ] {
        let edits = json!([gesture]);
        // The window asks what follows from it before it is made, and draws what comes back.
        let begun = Instant::now();
        let preview = json!({"path": "bench.yaml", "revision": revision, "edits": edits, "room": room});
        call(&studio, "workflow.preview", preview).await?;
        let previewed = begun.elapsed();
        let edit = json!({"path": "bench.yaml", "revision": revision, "edits": edits, "room": room});
        let answer = call(&studio, "workflow.edit", edit).await?;
        took.push((name, begun.elapsed()));
        let answer = read(&answer)?;
        if name == "a step removed" {
            took.push(("its consequences shown before", previewed));
        }
        anyhow::ensure!(answer["outcome"] == "saved", "{name}: it was not saved: {answer}");
        revision = answer["view"]["revision"].clone();
    }
    let typed = std::fs::read_to_string(folder.path().join("bench.yaml"))?.replace("Looks again.", "Looks once more.");
    let begun = Instant::now();
    let preview = json!({"path": "bench.yaml", "text": typed, "edits": [], "room": room});
    call(&studio, "workflow.preview", preview).await?;
    took.push(("text typed in the source, drawn", begun.elapsed()));
    Ok(took)
}

/// A call of the façade, its answer as the bytes that a window gets.
async fn call(studio: &Studio, method: &str, params: Value) -> anyhow::Result<Box<RawValue>> {
    let answer = dispatch(studio, method, params).await;
    answer.map_err(|error| anyhow::anyhow!("{method}: {} {error}", error.code))
}

fn read(answer: &RawValue) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(answer.get())?)
}
