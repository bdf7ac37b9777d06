//! StepSpec through the program itself (seed 000): a product from its brief to an architecture, answers that come too late, a run that
//! failed and is taken up again, its files, and programs that die between any two events.

use engine::{EndStatus, Event, Purpose, RunId, RunState, RunStatus};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tests::killed::{self, Kill, Next};
use tests::program::Said;
use tests::project::Project;
use tests::samples;

const PLAN: &str = "product/plan-a-product.yaml";
const PAYMENT: &str = "compliance/payments-new-supplier.yaml";
const WISH: &str = "Say until when an order can be changed.";

/// It ended with this exit code.
fn ends(project: &Project, code: i32, arguments: &[&str]) -> Said {
    let said = project.gatehouse(arguments).expect("gatehouse is built");
    assert_eq!(said.code, Some(code), "{arguments:?}: {}{}", said.out, said.err);
    assert!(!said.err.contains("panicked"), "{}", said.err);
    said
}

/// The samples; failed attempts are tried again at once.
fn project() -> Project {
    let project = Project::in_memory(&[]).expect("a project");
    samples::copy_to(&project.root).expect("they can be copied");
    for file in [PLAN, PAYMENT] {
        let text = project.text(file).replace("backoff_seconds: 1 ", "backoff_seconds: 0 ");
        project.write(&[(file, &text)]).expect("written");
    }
    project
}

fn latest(project: &Project) -> (RunId, RunState) {
    let latest = project.latest().expect("the history can be read");
    latest.expect("there is a run")
}

#[test]
fn a_product_is_planned_from_the_command_line() {
    let project = project();
    let said = ends(
        &project,
        0,
        &["run", PLAN, "--until-blocked", "--input", "product=Bread by seven"],
    );
    assert!(
        said.out.contains("the heading `## Risks` of the template is missing"),
        "{}",
        said.out
    );
    assert!(
        said.out.contains("Are these the requirements we want to build?"),
        "{}",
        said.out
    );
    let (run, _) = latest(&project);
    let id = run.as_str();
    // What supports it is listed, and is the same for a program that reads it.
    let listed: Value = serde_json::from_str(&ends(&project, 0, &["evidence", id, "--json"]).out).expect("JSON");
    let first = listed["items"][0]["claim"].as_str().expect("a claim");
    let told = ends(&project, 0, &["evidence"]).out;
    assert!(told.contains(first) && told.contains(id), "{told}");
    let status = ends(&project, 0, &["status", id]);
    assert!(status.out.contains("Are these the requirements"), "{}", status.out);

    let changes = [
        "answer",
        id,
        "architecture",
        "changes",
        "--by",
        "Ida Moen",
        "--comment",
        WISH,
    ];
    ends(&project, 0, &changes);
    ends(&project, 0, &["resume", id, "--until-blocked"]);
    let prd = project.text("docs/product/prd.md");
    assert!(prd.contains(&format!("- **R5** {WISH}")), "{prd}");
    ends(
        &project,
        0,
        &["answer", id, "architecture", "approve", "--by", "Ida Moen"],
    );
    ends(&project, 0, &["resume", id, "--until-blocked"]);
    ends(&project, 0, &["answer", id, "handover", "approve", "--by", "Jon Vik"]);
    ends(&project, 0, &["resume", id]);

    let said = ends(&project, 0, &["verify", id]);
    assert!(said.out.contains("Unaltered: "), "{}", said.out);
    let said = ends(&project, 0, &["events", id, "--vocabulary", "bmad"]);
    let lines: Vec<Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    in_order(
        &lines,
        &[
            ("WorkflowStarted", ""),
            ("WorkflowStepStarted", "brief"),
            ("ValidationPassed", "brief"),
            ("ArtifactReady", "brief"),
            ("EvidenceRecorded", "brief"),
            ("WorkflowStepCompleted", "brief"),
            ("WorkflowStepStarted", "prd"),
            ("ValidationFailed", "prd"),
            ("ValidationPassed", "prd"),
            ("EvidenceRecorded", "prd"),
            ("WorkflowStepCompleted", "prd"),
            ("HumanGateRequired", "architecture"),
            ("ValidationPassed", "prd"),
            ("HumanGateRequired", "architecture"),
            ("HumanGateApproved", "architecture"),
            ("WorkflowStepCompleted", "architecture"),
            ("HumanGateRequired", "handover"),
            ("HumanGateApproved", "handover"),
            ("WorkflowStepCompleted", "handover"),
            ("WorkflowCompleted", ""),
        ],
    );

    let file = |name: &str| -> Value {
        let text = project.text(folder(&run).join(name));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}: {text}"))
    };
    let manifest = file("manifest.json");
    assert_eq!(manifest["run_id"], json!(run), "{manifest}");
    assert!(
        manifest.to_string().contains("Bread by seven"),
        "the answers are part of it: {manifest}"
    );
    let decisions = file("decisions.json").to_string();
    for said in ["Ida Moen", "Jon Vik", WISH] {
        assert!(decisions.contains(said), "{said} is not in {decisions}");
    }
    let approvals = file("approvals.json").to_string();
    assert!(
        approvals.contains("Ida Moen") && !approvals.contains(WISH),
        "a wish for changes is no approval: {approvals}"
    );
    let gates = file("gates.json").to_string();
    assert!(
        gates.contains("policy required phase") && gates.contains("recommended gate enforced"),
        "{gates}"
    );
    let tools = file("tool_results.json").to_string();
    assert!(
        tools.contains("getCurrentTime") && tools.contains("readTextFile"),
        "{tools}"
    );
    let evidence = file("evidence.json").to_string();
    assert!(
        evidence.contains("\"L2\"") && evidence.contains("docs/product/prd.md"),
        "{evidence}"
    );
    for name in ["decisions.json", "artifacts.json", "timeline.json"] {
        assert_ne!(file(name), Value::Null, "{name}");
    }
}

/// These events occur in this order; others may stand between.
fn in_order(lines: &[Value], wanted: &[(&str, &str)]) {
    let told = |line: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&line["type"]), text(&line["payload"]["step_id"]))
    };
    let told: Vec<(String, String)> = lines.iter().map(told).collect();
    let mut rest = told.iter();
    for (kind, step) in wanted {
        let found = rest.any(|(k, s)| k == kind && (step.is_empty() || s == step));
        assert!(found, "{kind} of {step} is not where it should be in {told:?}");
    }
    for line in lines {
        assert!(
            line["payload"]["run_id"].is_string() && line["payload"]["timestamp"].is_string(),
            "{line}"
        );
    }
}

fn folder(run: &RunId) -> PathBuf {
    PathBuf::from(runtime::project::run_base(run))
}

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), std::fs::read(path).expect("readable"));
        }
    }
    found
}

#[test]
fn the_files_of_a_run_are_written_anew_byte_for_byte_and_a_change_is_found() {
    let project = project();
    ends(&project, 0, &["run", PLAN, "--until-blocked"]);
    let (run, _) = latest(&project);
    let id = run.as_str();
    let at = project.root.join(folder(&run));
    let whole = files(&at);
    assert!(whole.len() >= 12, "{:?}", whole.keys());
    std::fs::remove_dir_all(&at).expect("removed");
    ends(&project, 0, &["rebuild", id]);
    let again = files(&at);
    assert_eq!(whole.keys().collect::<Vec<_>>(), again.keys().collect::<Vec<_>>());
    for (path, bytes) in &whole {
        assert!(again[path] == *bytes, "{} is not the same", path.display());
    }

    for name in [
        "evidence.json",
        "approvals.json",
        "gates.json",
        "tool_results.json",
        "manifest.json",
        "timeline.json",
    ] {
        let file = at.join(name);
        let text = std::fs::read_to_string(&file).expect(name);
        std::fs::write(&file, text.replacen('a', "e", 1)).expect("written");
        let said = ends(&project, 1, &["verify", id]);
        assert!(said.out.contains(name), "{}", said.out);
        ends(&project, 0, &["rebuild", id]);
        ends(&project, 0, &["verify", id]);
    }
}

#[test]
fn a_second_answer_is_told_who_decided() {
    let project = project();
    ends(&project, 0, &["run", PLAN, "--until-blocked"]);
    let (run, _) = latest(&project);
    let id = run.as_str();
    ends(
        &project,
        0,
        &["answer", id, "architecture", "approve", "--by", "Ida Moen"],
    );
    let late = ends(
        &project,
        3,
        &[
            "answer",
            id,
            "architecture",
            "reject",
            "--by",
            "Jon Vik",
            "--comment",
            "No.",
        ],
    );
    assert!(
        late.err.contains("Ida Moen") || late.err.contains("not waiting"),
        "{}",
        late.err
    );
    // A change needs a word about what is to be changed.
    ends(&project, 0, &["resume", id, "--until-blocked"]);
    let silent = ends(&project, 3, &["answer", id, "handover", "changes", "--by", "Jon Vik"]);
    assert!(silent.err.contains("comment"), "{}", silent.err);
    let (_, state) = latest(&project);
    assert_eq!(
        state.waiting().expect("it still waits").opened.instance.step.as_str(),
        "handover"
    );
}

/// Three steps; the second one fails as long as something is missing.
const CHAIN: &str = r##"
format: stepspec
workflow: chain
title: A chain
phase: Work
steps:
  - {id: first, name: First, outputs: ["{output_folder}/first.md"], validation: Format validation, evidence: L1, retries: {max: 0},
     run: 'mkdir -p docs; echo first >> done; echo "# First" > docs/first.md'}
  - {id: second, name: Second, outputs: ["{output_folder}/second.md"], validation: Format validation, retries: {max: 1},
     run: 'echo second >> done; test -e mended && echo "# Second" > docs/second.md'}
  - {id: third, name: Third, retries: {max: 0}, run: 'echo third >> done'}
"##;

#[test]
fn a_run_that_failed_goes_on_where_it_failed() {
    let project = Project::new(&[("chain.yaml", CHAIN)]).expect("a project");
    ends(&project, 1, &["run", "chain.yaml", "--permit"]);
    let (run, state) = latest(&project);
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(project.text("done"), "first\nsecond\nsecond\n");
    // It fails again as long as nothing is mended, with fresh attempts.
    ends(&project, 1, &["resume", run.as_str()]);
    assert_eq!(project.text("done"), "first\nsecond\nsecond\nsecond\nsecond\n");
    project.write(&[("mended", "")]).expect("written");
    ends(&project, 0, &["resume", run.as_str()]);
    let (again, state) = latest(&project);
    assert_eq!(
        (again, state.status),
        (run.clone(), RunStatus::Ended(EndStatus::Succeeded))
    );
    assert_eq!(project.text("done").lines().filter(|line| *line == "first").count(), 1);
    assert!(
        project.text("done").ends_with("second\nthird\n"),
        "{}",
        project.text("done")
    );
    ends(&project, 0, &["verify", run.as_str()]);
    let said = ends(&project, 3, &["resume", run.as_str()]);
    assert!(said.err.contains("nothing left to resume"), "{}", said.err);
}

/// Carries the plan to its end as its people would: one wish, then approvals.
fn carry_plan(project: &Project, kill: Option<Kill>) -> (RunId, RunState, bool) {
    let first = ["run", PLAN, "--until-blocked"];
    let ((run, state), killed) = killed::carry_out(project, &first, &[0], kill, || {
        let Some((run, state)) = project.latest().expect("the history can be read") else {
            return Next::Again; // killed before the run existed: it is started anew
        };
        let id = run.as_str();
        let opened = state
            .waiting()
            .map(|round| (round.opened.instance.step.to_string(), round.opened.round));
        match opened.as_ref().map(|(step, round)| (step.as_str(), *round)) {
            _ if state.status.ended() => Next::Done((run, state)),
            Some(("architecture", 1)) => Next::say(&[
                "answer",
                id,
                "architecture",
                "changes",
                "--by",
                "Ida Moen",
                "--comment",
                WISH,
            ]),
            Some((step, _)) => Next::say(&["answer", id, step, "approve", "--by", "Ida Moen"]),
            None => Next::say(&["resume", id, "--until-blocked"]),
        }
    });
    (run, state, killed)
}

/// What must not differ: how everything ended, what was asked and answered, what a person vouches for, what was written. The day and digests
/// of what holds it may.
fn essence(project: &Project, state: &RunState) -> Value {
    let steps: BTreeMap<&str, Vec<Value>> = state
        .steps
        .iter()
        .map(|(id, step)| {
            let visits = step.visits.iter().map(|visit| {
                let result = visit.attempts.last().and_then(|attempt| attempt.result.as_deref());
                let result = result.expect("the last attempt of a visit has ended");
                let held = result.lifecycle.as_ref();
                let calls: Vec<Value> = held
                    .map_or(&[][..], |held| held.calls.as_slice())
                    .iter()
                    .map(|call| json!([call.name, call.status]))
                    .collect();
                let made: Vec<&str> = result.artifacts.iter().map(|a| a.path.as_str()).collect();
                json!({"status": result.status, "error": result.error, "made": made, "calls": calls})
            });
            (id.as_str(), visits.collect())
        })
        .collect();
    let answers: Vec<Value> = state
        .gates
        .iter()
        .flat_map(|(gate, rounds)| rounds.iter().map(move |round| (gate, round)))
        .map(|(gate, round)| {
            let answer = round.answer.as_ref().map(|(d, _)| json!([d.answer, d.by, d.comment]));
            json!([gate, round.opened.round, round.opened.why, answer])
        })
        .collect();
    let evidence: Vec<Value> = state
        .evidence
        .iter()
        .map(|held| {
            json!([
                held.instance.step,
                held.record.level,
                held.record.carrier_ref,
                held.superseded
            ])
        })
        .collect();
    let documents: BTreeMap<String, String> = files(&project.root.join("docs"))
        .into_iter()
        .map(|(path, bytes)| {
            let name = path
                .strip_prefix(&project.root)
                .expect("inside")
                .to_string_lossy()
                .into_owned();
            (name, without_days(&String::from_utf8_lossy(&bytes)))
        })
        .collect();
    json!({
        "status": format!("{:?}", state.status), "error": state.error, "path": runtime::scenario::path(state), "steps": steps,
        "answers": answers, "evidence": evidence, "documents": documents,
    })
}

/// A text without days and digests.
fn without_days(text: &str) -> String {
    let changing = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let digest = word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let day = word.len() == 10 && word.split('-').count() == 3 && word != "2027-03-01";
        digest || day
    };
    let words = text.split(' ').map(|word| if changing(word) { "…" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn killed_at_event_boundaries_a_plan_ends_the_same() {
    let whole = project();
    let (_, state, _) = carry_plan(&whole, None);
    let expected = essence(&whole, &state);
    assert_eq!(
        expected["path"],
        json!(["brief", "prd", "prd", "architecture", "handover"])
    );
    assert_eq!(
        state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        state.error
    );
    killed::each(killed::thirds(killed::boundaries(1..=state.seq, 0)), |kill| {
        let what = kill.to_string();
        let project = project();
        let (run, state, killed) = carry_plan(&project, Some(kill));
        assert!(killed, "{what}: nothing was killed");
        assert_eq!(essence(&project, &state), expected, "{what}");
        completed_once(&project, &run, &what);
        killed::verified(&project, &run, &what);
    });
}

/// Each visit has one result that it was left with, and one death cuts off one attempt at most.
fn completed_once(project: &Project, run: &RunId, what: &str) {
    let store = project.store().expect("the history");
    let events = store.events(run, 0, usize::MAX).expect("the log");
    let (mut completed, mut cut_off) = (BTreeMap::<String, usize>::new(), 0);
    for stored in &events {
        match &stored.event {
            Event::AttemptEnded { instance, result, .. } if result.status.completes() => {
                *completed
                    .entry(format!("{} {}", instance.step, instance.visit))
                    .or_default() += 1;
            }
            Event::AttemptInterrupted { .. } => cut_off += 1,
            _ => {}
        }
    }
    assert!(completed.values().all(|times| *times == 1), "{what}: {completed:?}");
    assert!(cut_off <= 1, "{what}: {cut_off} attempts were cut off");
}

/// A payment whose call waits for a person: whoever dies, it is asked about before it is made, and where the program died while it may have been
/// made it is asked about again, and says so.
#[test]
fn killed_at_every_event_boundary_a_payment_is_not_made_unasked() {
    let first = ["run", PAYMENT, "--until-blocked"];
    let carry = |project: &Project, kill: Option<Kill>| {
        killed::carry_out(project, &first, &[0], kill, || {
            let Some((run, state)) = project.latest().expect("the history can be read") else {
                return Next::Again;
            };
            let queue = project.text("docs/compliance/bank-queue.txt").lines().count();
            match state.waiting().map(|round| round.opened.clone()) {
                _ if state.status.ended() => Next::Done((run, state)),
                Some(opened) => {
                    let is_told = opened.question.contains("may have been made already");
                    assert!(queue == 0 || is_told, "asked after the payment: {}", opened.question);
                    Next::say(&[
                        "answer",
                        run.as_str(),
                        opened.gate.as_str(),
                        "approve",
                        "--by",
                        "Tone Dahl",
                    ])
                }
                None => Next::say(&["resume", run.as_str(), "--until-blocked"]),
            }
        })
    };
    let whole = project();
    let ((run, state), _) = carry(&whole, None);
    assert_eq!(
        state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        state.error
    );
    let asked = |state: &RunState| {
        let rounds = state.gates.values().flatten();
        rounds
            .filter(|round| matches!(round.opened.purpose, Purpose::Tool { .. }))
            .count()
    };
    assert_eq!(asked(&state), 1);
    let expected: Vec<&str> = vec!["intake", "screening", "assessment", "payment"];
    // What stands before the payment is as in any plan.
    let events = whole
        .store()
        .and_then(|store| Ok(store.events(&run, 0, usize::MAX)?))
        .expect("the log");
    let begins = events.iter().find(|stored| match &stored.event {
        Event::GateOpened(opened) => opened.instance.step.as_str() == "payment",
        _ => false,
    });
    let begins = begins.expect("the payment is asked about").seq;
    killed::each(killed::boundaries(begins..=state.seq, 0), |kill| {
        let what = kill.to_string();
        let project = project();
        let ((run, state), killed) = carry(&project, Some(kill));
        assert!(killed, "{what}: nothing was killed");
        assert_eq!(
            state.status,
            RunStatus::Ended(EndStatus::Succeeded),
            "{what}: {:?}",
            state.error
        );
        let path: Vec<String> = runtime::scenario::path(&state)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(path, expected, "{what}");
        let cut_off = state.steps["payment"].visits.iter().flat_map(|v| &v.attempts);
        let cut_off = cut_off.filter(|attempt| attempt.result.is_none()).count();
        let (asked, paid) = (
            asked(&state),
            project.text("docs/compliance/bank-queue.txt").lines().count(),
        );
        assert!(
            (1..=1 + cut_off).contains(&asked) && (1..=asked).contains(&paid),
            "{what}: asked {asked} times, paid {paid} times, {cut_off} attempts cut off"
        );
        completed_once(&project, &run, &what);
        killed::verified(&project, &run, &what);
    });
}
