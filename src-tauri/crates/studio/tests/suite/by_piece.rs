//! A run told by piece: what was known of its picture, its decisions and its course, and what is told besides, are the whole of it. Every
//! sample is rehearsed with scenarios that it has, and looked at from one moment to another.

use crate::project::Project;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Each of so many moments, as far apart as the run is long, is known, and each is asked for.
const MOMENTS: u64 = 6;
/// Of each workflow so many scenarios, the first by name.
const SCENARIOS: usize = 2;

/// A project of a sample workflow with everything beside it.
fn project(sample: &Path) -> Project {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy(sample, folder.path());
    Project::over(folder)
}

impl Project {
    /// Rehearses a workflow until it has ended or a person is asked, and what was known of it over time on the way; `None`: it did not
    /// begin.
    async fn rehearsed(&self, path: &str, scenario: &str) -> Option<(String, Vec<Value>)> {
        let begun = self
            .studio
            .rpc("run.start", json!({"path": path, "scenario": scenario}))
            .await;
        let run = begun.ok()?["run_id"].as_str().expect("an id").to_owned();
        let mut known: Vec<Value> = Vec::new();
        for _ in 0..6_000 {
            let timeline = self.ok("run.timeline", json!({"run_id": run})).await;
            if known.last().is_none_or(|last| last["at"] != timeline["at"]) {
                known.push(timeline);
            }
            let head = self.ok("run.overlay", json!({"run_id": run})).await["head"].clone();
            let status = head["status"].as_str().expect("a status");
            if !["running", "not_started"].contains(&status) {
                return Some((run, known));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{path} with {scenario} never comes to an end");
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("made");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type().expect("a type").is_dir() {
            true if entry.file_name() == ".gatehouse" => {}
            true => copy(&from, &to),
            false => drop(std::fs::copy(&from, &to).expect("copied")),
        }
    }
}

/// The scenarios below a folder, relative to it, each with the workflow that it is of.
fn scenarios(root: &Path, folder: &Path, out: &mut Vec<(String, String)>) {
    let relative = |path: &Path| path.strip_prefix(root).expect("inside").to_string_lossy().into_owned();
    let mut entries: Vec<PathBuf> = (std::fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for entry in entries.iter().filter(|entry| entry.is_dir()) {
        let Some(stem) = entry.to_string_lossy().strip_suffix(".scenarios").map(str::to_owned) else {
            scenarios(root, entry, out);
            continue;
        };
        let endings = [".yaml", ".yml", ".runbook.md", ".json"];
        let found = endings.iter().map(|ending| PathBuf::from(format!("{stem}{ending}")));
        let Some(workflow) = found.into_iter().find(|path| path.is_file()) else {
            continue;
        };
        let mut beside: Vec<PathBuf> = (std::fs::read_dir(entry).expect("a folder"))
            .map(|scenario| scenario.expect("an entry").path())
            .collect();
        beside.sort();
        let some = beside.iter().take(SCENARIOS);
        out.extend(some.map(|scenario| (relative(&workflow), relative(scenario))));
    }
}

/// What is known of a run's picture, and what came since, put together as a window does it.
fn together(known: &Value, overlay: &Value) -> (Vec<Value>, Vec<Value>) {
    let all = |of: &Value, what: &str| of[what].as_array().cloned().unwrap_or_default();
    let among = |of: &[Value], id: &Value| of.iter().find(|one| one["id"] == *id).cloned();
    let changed = all(overlay, "steps");
    let steps = all(known, "steps").into_iter();
    let steps = steps.map(|step| among(&changed, &step["id"]).unwrap_or(step)).collect();
    let changed = all(overlay, "edges");
    let edges = all(known, "edges").into_iter().map(|edge| {
        let mut taken = all(&edge, "taken");
        taken.retain(|number| number.as_u64() <= overlay["numbers"].as_u64());
        let mut edge = match among(&changed, &edge["id"]) {
            Some(changed) => {
                taken.extend(all(&changed, "taken"));
                changed
            }
            None => edge,
        };
        edge["taken"] = taken.into();
        edge
    });
    (steps, edges.collect())
}

/// What is known of a timeline: its lanes, and of each event its number, its time and its lane.
#[derive(Debug, Clone, PartialEq)]
struct Course {
    lanes: Vec<Value>,
    ticks: Vec<(i64, i64, Value)>,
    rest: Value,
}

impl Course {
    fn of(told: &Value) -> Self {
        let nothing = Self {
            lanes: Vec::new(),
            ticks: Vec::new(),
            rest: Value::Null,
        };
        nothing.grown(told)
    }

    /// With what came since, put together as a window does it.
    fn grown(&self, told: &Value) -> Self {
        let all = |of: &Value| of.as_array().cloned().unwrap_or_default();
        let mut lanes = self.lanes.clone();
        for lane in all(&told["lanes"]) {
            let before = lanes.iter().position(|one| one["place"] == lane["place"]);
            let mut bars = before.map_or_else(Vec::new, |at| all(&lanes.remove(at)["bars"]));
            bars.truncate(usize::try_from(number(&lane["from"])).expect("small"));
            bars.extend(all(&lane["bars"]));
            let mut lane = lane.clone();
            (lane["bars"], lane["from"]) = (bars.into(), 0.into());
            lanes.push(lane);
        }
        lanes.sort_by_key(|lane| lane["place"].as_u64());
        let mut ticks = self.ticks.clone();
        let columns = &told["ticks"];
        let (mut seq, mut at) = (0, 0);
        for (place, lane) in all(&columns["lane"]).into_iter().enumerate() {
            seq += number(&columns["seq"][place]);
            at += number(&columns["at"][place]);
            ticks.push((seq, at, lane));
        }
        let rest = json!([told["start"], told["last"], told["queued"], told["gaps"], told["rests"]]);
        Self { lanes, ticks, rest }
    }
}

/// The steps that may matter most, by how each of them stands: where a person is waited for, what is at work, where it went wrong.
fn matters(whole: &Value) -> Vec<&str> {
    if let Some(step) = whole["waiting"]["step"]["id"].as_str() {
        return vec![step];
    }
    let all = |list: &'static str| whole[list].as_array().into_iter().flatten();
    let alone = all("faces").map(|face| face["kind"] != "group");
    let steps: Vec<(&Value, bool)> = all("steps").zip(alone).collect();
    let standing = |status: &str| -> Vec<&str> {
        let so = steps.iter().filter(|(step, alone)| *alone && step["status"] == status);
        so.filter_map(|(step, _)| step["id"].as_str()).collect()
    };
    let at_work = ["blocked", "running", "waiting"].map(standing);
    if let Some(steps) = at_work.into_iter().find(|steps| !steps.is_empty()) {
        return steps;
    }
    let ended = whole["status"].as_str().unwrap_or_default();
    if ended == "refused" {
        return whole["outcome"]["step"]["id"].as_str().into_iter().collect();
    }
    let wrong = ["failed", "aborted"].into_iter().filter(|status| *status == ended);
    let mut wrong = wrong.chain(["refused", "failed", "aborted"]).map(standing);
    wrong.find(|steps| !steps.is_empty()).unwrap_or_default()
}

/// The step that the last decision left; of a pipeline no decision does.
fn left(whole: &Value) -> Option<&str> {
    whole["routes"].as_array()?.last()?["from"]["id"].as_str()
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_known_and_what_is_told_besides_are_the_whole_of_it() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../workflows");
    let project = Arc::new(project(&samples));
    let mut all = Vec::new();
    scenarios(project.folder.path(), project.folder.path(), &mut all);
    let (mut told, mut whole_ones, mut runs, mut courses) = (0, 0, 0, 0);
    // Beside each other: some wait between two attempts.
    let mut rehearsals = tokio::task::JoinSet::new();
    for (path, scenario) in all.clone() {
        let project = Arc::clone(&project);
        rehearsals.spawn(async move {
            let seen = project.rehearsed(&path, &scenario).await;
            (path, scenario, seen)
        });
    }
    for (path, scenario, seen) in rehearsals.join_all().await {
        let Some((run, course)) = seen else {
            continue;
        };
        runs += 1;
        let last = project.ok("run.view", json!({"run_id": run})).await["last"]
            .as_u64()
            .expect("a number");
        let mut views = Vec::new();
        for at in (1..=last).step_by(usize::try_from(last.div_ceil(MOMENTS)).expect("small")) {
            views.push(project.ok("run.view", json!({"run_id": run, "at": at})).await);
        }
        for known in &views {
            for whole in &views {
                let (at, since) = (&whole["at"], &known["at"]);
                let asked = json!({"run_id": run, "at": at, "since": since});
                let overlay = project.ok("run.overlay", asked).await;
                let (steps, edges) = together(known, &overlay);
                assert_eq!(
                    json!(steps),
                    whole["steps"],
                    "{path}, {scenario}: steps at {at} since {since}"
                );
                // Ways that people and reports sent the run come with the picture.
                let drawn = |edges: &Value| -> Vec<Value> {
                    let drawn = edges.as_array().cloned().unwrap_or_default();
                    let known = known["edges"].as_array().cloned().unwrap_or_default();
                    (drawn.into_iter())
                        .filter(|edge| known.iter().any(|known| known["id"] == edge["id"]))
                        .collect()
                };
                let (edges, wanted) = (drawn(&json!(edges)), drawn(&whole["edges"]));
                let told_of = |edge: &Value| wanted.iter().any(|wanted| wanted["id"] == edge["id"]);
                let edges: Vec<Value> = edges.into_iter().filter(told_of).collect();
                assert_eq!(edges, wanted, "{path}, {scenario}: edges at {at} since {since}");
                assert_eq!(overlay["head"]["status_words"], whole["status_words"]);
                let active = overlay["active"].as_str();
                assert!(
                    match matters(whole) {
                        steps if steps.is_empty() => left(whole).is_none_or(|left| active == Some(left)),
                        steps => active.is_some_and(|active| steps.contains(&active)),
                    },
                    "{path}, {scenario}: {active:?} at {at} is none of {:?}",
                    matters(whole)
                );
                told += overlay["steps"].as_array().map_or(0, Vec::len);
                whole_ones += whole["steps"].as_array().map_or(0, Vec::len);
            }
        }
        let routes = project
            .ok("run.routes", json!({"run_id": run, "at": last, "from": 1}))
            .await;
        let all = project.ok("run.view", json!({"run_id": run, "at": last})).await["routes"].clone();
        let mut behind = all.as_array().expect("routes").clone();
        behind.retain(|route| route["number"].as_u64() > Some(1));
        assert_eq!(json!(behind), routes["routes"], "{path}, {scenario}");

        // As it was seen while the run went on: its bars had not ended then.
        for known in &course {
            // A scenario may answer what was asked a moment ago: both are to tell the same.
            let (whole, told) = loop {
                let whole = project.ok("run.timeline", json!({"run_id": run})).await;
                let after = json!({"run_id": run, "after": known["at"]});
                let told = project.ok("run.timeline", after).await;
                if told["at"] == whole["at"] {
                    break (whole, told);
                }
            };
            assert_eq!(
                Course::of(known).grown(&told),
                Course::of(&whole),
                "{path}, {scenario}: over time since {}",
                known["at"]
            );
        }
        courses += course.len();
        // How it stands now, as a window asks for it that knows how it stood.
        let overlay = project
            .ok("run.overlay", json!({"run_id": run, "since": last / 2}))
            .await;
        let known = project.ok("run.view", json!({"run_id": run, "at": last / 2})).await;
        let now = project.ok("run.view", json!({"run_id": run})).await;
        if overlay["head"]["at"] == now["at"] {
            let statuses = |steps: &[Value]| -> Vec<Value> { steps.iter().map(|one| one["status"].clone()).collect() };
            let (steps, _) = together(&known, &overlay);
            let now = now["steps"].as_array().expect("steps");
            assert_eq!(statuses(&steps), statuses(now), "{path}, {scenario}: now");
        }
    }
    assert!(courses > runs, "no run was seen on its way");
    assert!(runs >= 30, "only {runs} of {} scenarios were rehearsed", all.len());
    assert!(
        told * 2 < whole_ones,
        "much is told that was known: {told} of {whole_ones}"
    );
}
