//! The pipelines that ship: the five templates as they are filled with work, resumed after a failure, and one that shows the rest,
//! carried out for real.

use engine::{EndStatus, RunId, RunState, RunStatus, StepStatus};
use model::{Format, Step, Workflow};
use runtime::config::Config;
use runtime::pipeline::{Folder, template};
use serde_json::json;
use std::collections::BTreeMap;
use store::{RunFilter, Store};
use studio::command::{ActOn, StartOf};
use studio::run::view::RunAction;
use studio::{Choice, Client, Identity, Studio};
use tests::driven::{Driven, until};
use tests::project::Project;
use tests::samples;

const SDLC: &str = "PIPE-20260112-full-sdlc-gift-vouchers-090000";
const QUICK: &str = "PIPE-20260112-quick-flow-holiday-hours-090100";
const ANALYSIS: &str = "PIPE-20260112-analysis-only-bicycle-delivery-090200";
const DESIGN: &str = "PIPE-20260112-design-review-loyalty-card-090300";
const TESTS: &str = "PIPE-20260112-test-suite-checkout-090400";
const WINTER: &str = "PIPE-20260112-winter-season-090500";

/// What a template says of a stage, and what it must be called by here.
type Shape<'a> = (&'a str, Vec<&'a str>, bool, Vec<&'a str>, &'a [String]);

fn shape(step: &Step) -> Shape<'_> {
    let agents = step.agents.iter().map(|agent| agent.as_str()).collect();
    let depends_on = step.depends_on.iter().map(|id| id.as_str()).collect();
    (step.id.as_str(), agents, step.parallel, depends_on, &step.outputs)
}

#[test]
fn the_five_templates_are_there_as_real_pipelines() {
    let folder = Folder::of(&samples::folder(), &Config::default()).expect("the plain one");
    for (name, id) in [
        ("full_sdlc", SDLC),
        ("quick_flow", QUICK),
        ("analysis_only", ANALYSIS),
        ("design_review", DESIGN),
        ("test_suite", TESTS),
    ] {
        let template = template::find(&folder, name).expect(name);
        let sample = sample(id);
        let shapes = |workflow: &Workflow| format!("{:?}", workflow.steps().iter().map(shape).collect::<Vec<_>>());
        assert_eq!(shapes(template.document.workflow()), shapes(&sample), "{name}");
        assert_eq!(sample.id.as_str(), id);
        assert!(
            sample.steps().iter().all(|step| step.intent.is_some()),
            "{id} says of a stage not what it is for"
        );
    }
    // Between design and build a person is asked.
    let sdlc = sample(SDLC);
    let gates: Vec<&str> = sdlc
        .steps()
        .iter()
        .filter(|s| s.gate.is_some())
        .map(|s| s.id.as_str())
        .collect();
    assert_eq!(gates, ["implementation"]);
}

/// Of each of them some scenario sees every stage and every dependency.
#[tokio::test(flavor = "multi_thread")]
async fn the_scenarios_see_all_of_every_pipeline() {
    let (_project, studio) = studio();
    for id in [SDLC, QUICK, ANALYSIS, DESIGN, TESTS, WINTER] {
        let path = json!({"path": format!("pipelines/{id}.yaml")});
        let tests = studio.rpc("workflow.tests", path).await.expect("they can be tried");
        for what in ["unseen_steps", "unseen_edges"] {
            assert_eq!(tests[what], json!([]), "{id}: {what}");
        }
        assert_eq!(tests["failed"], 0, "{id}");
        assert!(tests["edges"]["of"].as_u64() > Some(0), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsed_pipeline_leaves_something_to_read() {
    let (project, studio) = studio();
    let (run, _) = scripted(&studio, SDLC, "2-built-and-reviewed").await;
    for file in [
        "analysis/product_brief.md",
        "requirements/prd.md",
        "design/architecture.md",
        "design/ux_design.md",
        "planning/epics_and_stories.md",
        "implementation/code.md",
        "implementation/tests.md",
        "review/review_report.md",
    ] {
        let path = project
            .path()
            .join(runtime::project::run_base(&run))
            .join("outputs")
            .join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(text.starts_with("# ") && text.lines().count() > 6, "{file}: {text}");
    }
    // A rehearsal says nothing of the pipeline itself and leaves alone what was really made.
    assert!(!project.path().join("pipelines/outputs").exists());
    let unchanged = std::fs::read(samples::folder().join(format!("pipelines/{SDLC}.yaml"))).expect("readable");
    let after = std::fs::read(project.path().join(format!("pipelines/{SDLC}.yaml"))).expect("readable");
    assert!(unchanged == after);
}

/// Where a scenario fails its script holds the second attempt, so that a newcomer sees resuming.
#[tokio::test(flavor = "multi_thread")]
async fn what_fails_in_a_scenario_can_be_resumed_there() {
    let (_project, studio) = studio();
    for (id, scenario, stage) in [
        (SDLC, "5-the-build-fails-once", "implementation"),
        (QUICK, "2-the-calendar-is-missing", "implement"),
        (ANALYSIS, "2-too-few-answers", "research"),
        (DESIGN, "2-no-design-to-review", "ux"),
        (TESTS, "2-a-way-in-is-found", "security"),
        (WINTER, "3-a-price-is-missing", "prices"),
    ] {
        let (run, failed) = scripted(&studio, id, scenario).await;
        assert_eq!(failed.step_status(&stage.into()), StepStatus::Failed, "{scenario}");
        let visits = |state: &RunState| -> BTreeMap<String, usize> {
            state
                .steps
                .iter()
                .map(|(id, step)| (id.to_string(), step.visits.len()))
                .collect()
        };
        let before = visits(&failed);
        let done = resumed(&studio, &run, stage, Choice::Retry).await;
        assert_eq!(
            done.status,
            RunStatus::Ended(EndStatus::Succeeded),
            "{scenario}: {:?}",
            done.error
        );
        for (step, visits) in visits(&done) {
            let again = u32::from(step == stage) as usize;
            let expected = before.get(&step).map_or(1, |visits| visits + again);
            assert_eq!(visits, expected, "{scenario}: {step}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_can_be_left_out_and_what_waits_for_it_with_it() {
    let (_project, studio) = studio();
    let (run, _) = scripted(&studio, ANALYSIS, "2-too-few-answers").await;
    let done = resumed(&studio, &run, "research", Choice::Skip).await;
    assert_eq!(done.status, RunStatus::Ended(EndStatus::CompletedWithFailures));
    for stage in ["research", "brief", "requirements"] {
        assert_eq!(done.step_status(&stage.into()), StepStatus::Skipped, "{stage}");
    }
}

/// The winter season without a scenario: the script reads the prices, the runbook and the workflow become runs of their own, and
/// people do the rest and answer from another terminal. The first time a price is missing.
#[test]
fn the_winter_season_is_carried_out_for_real() {
    let project = samples::project().expect("a project");
    let prices = project.text("releases/season/prices.txt");
    let gap = prices.replace("12.00", "?");
    assert_ne!(gap, prices);
    project.write(&[("releases/season/prices.txt", &gap)]).expect("written");
    let path = format!("pipelines/{WINTER}.yaml");
    let said = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        format!("{}{}", said.out, said.err)
    };
    let answer = |run: &RunId, step: &str, word: &str| {
        let text = said(&["answer", run.as_str(), step, word, "--by", "Tone Dahl"]);
        assert!(text.contains("signed by Tone Dahl"), "{text}");
    };

    let driver = Driven::start(&project, &["pipeline", "run", WINTER]).expect("it starts");
    let whole = asked(&project, &path, "texts");
    answer(&whole, "texts", "pass");
    let stock = asked(&project, "operations/stocktaking.runbook.md", "{N}.{n}");
    answer(&stock, "{N}.{n}", "no");
    let stock = asked(&project, "operations/stocktaking.runbook.md", "Shelf");
    answer(&stock, "Shelf", "no");
    asked(&project, &path, "order");
    answer(&whole, "order", "pass");
    let end = driver.end().expect("it ends");
    assert_eq!(end.code, Some(1), "{}{}", end.out, end.err);
    assert!(
        end.out.contains(&format!("Pipeline completed_with_failures: {WINTER}")),
        "{}",
        end.out
    );
    assert!(end.out.contains("Honey cake      ?"), "{}", end.out);
    let (run, state) = run_of(&project, &path).expect("its run");
    let status = |state: &RunState| -> Vec<(String, StepStatus)> {
        sample(WINTER)
            .steps()
            .iter()
            .map(|s| (s.id.to_string(), state.step_status(&s.id)))
            .collect()
    };
    use StepStatus::{Failed, Skipped, Succeeded};
    let expected = [
        ("prices", Failed),
        ("texts", Succeeded),
        ("stock", Succeeded),
        ("documents", Skipped),
        ("leaflet", Skipped),
        ("order", Succeeded),
        ("announce", Skipped),
    ];
    assert_eq!(status(&state), expected.map(|(id, status)| (id.to_owned(), status)));

    project
        .write(&[("releases/season/prices.txt", &prices)])
        .expect("written");
    let driver = Driven::start(&project, &["pipeline", "resume", WINTER, "--retry", "prices"]).expect("it starts");
    let documents = asked(&project, "documents/publish-a-folder.yaml", "publish");
    let parent = |run: &RunId| {
        project
            .store()
            .expect("a history")
            .load(run)
            .expect("its log")
            .0
            .created
    };
    for child in [&stock, &documents] {
        let parent = parent(child)
            .expect("created")
            .parent
            .clone()
            .expect("it is inside the pipeline's run");
        assert_eq!(parent.run, run);
    }
    answer(&documents, "publish", "approve");
    asked(&project, &path, "leaflet");
    answer(&run, "leaflet", "pass");
    asked_for(&project, &path, "Approval");
    answer(&run, "leaflet", "approve");
    let end = driver.end().expect("it ends");
    assert_eq!(end.code, Some(0), "{}{}", end.out, end.err);
    assert!(
        end.out.contains(&format!("Pipeline completed: {WINTER}")),
        "{}",
        end.out
    );
    let (again, state) = run_of(&project, &path).expect("its run");
    assert_eq!(again, run, "it is the same run");
    assert!(
        status(&state).iter().all(|(_, status)| *status == Succeeded),
        "{:?}",
        status(&state)
    );
    assert_eq!(
        state.steps["stock"].visits.len(),
        1,
        "what was completed is not done again"
    );
    for folder in [format!("pipelines/outputs/{WINTER}"), "pipelines/outputs".to_owned()] {
        let text = project.text(format!("{folder}/announce/announcement.md"));
        assert!(
            text.contains("# The winter season begins") && text.contains("Honey cake"),
            "{folder}: {text}"
        );
    }
    let file = project.text(&path);
    assert_eq!(file.matches("status: completed\n").count(), 8, "{file}");
    let original = std::fs::read_to_string(samples::folder().join(&path)).expect("readable");
    assert_eq!(
        file.replace("status: completed\n", "status: pending\n"),
        original,
        "nothing else was touched"
    );
    for row in project
        .store()
        .expect("a history")
        .runs(&RunFilter::default())
        .expect("the runs")
    {
        let text = said(&["verify", row.run.as_str()]);
        assert!(text.contains("Unaltered: "), "{text}");
    }
}

fn sample(id: &str) -> Workflow {
    let path = format!("pipelines/{id}.yaml");
    let text = std::fs::read_to_string(samples::folder().join(&path)).expect("readable");
    let document = dialect::Document::parse(&path, &text);
    assert_eq!(document.diagnostics(), [], "{path} has problems");
    assert_eq!(document.workflow().format, Format::Pipeline);
    document.workflow().clone()
}

/// A copy of the samples, and somebody who works in it.
fn studio() -> (tempfile::TempDir, Studio) {
    let (project, home) = (tempfile::tempdir(), tempfile::tempdir());
    let (project, home) = (project.expect("a temporary folder"), home.expect("another one"));
    samples::copy_to(project.path()).expect("copied");
    let me = Identity::open_in(home.path(), false).expect("an identity");
    me.trust(project.path(), true).expect("trusted");
    // Like the command line it drives in the foreground alone.
    let studio = Studio::open_as(project.path(), Client::Cli, me).expect("a project");
    (project, studio)
}

async fn scripted(studio: &Studio, id: &str, scenario: &str) -> (RunId, RunState) {
    let start = StartOf {
        path: format!("pipelines/{id}.yaml"),
        scenario: Some(format!("pipelines/{id}.scenarios/{scenario}.yaml")),
        ..StartOf::default()
    };
    let run = studio.create_run(&start).expect(scenario);
    studio.drive(&run, true, true).await.expect(scenario);
    let (state, _) = Store::open(studio.root())
        .expect("the history")
        .load(&run)
        .expect("the log");
    (run, state)
}

async fn resumed(studio: &Studio, run: &RunId, stage: &str, choice: Choice) -> RunState {
    let order = ActOn {
        choices: [(stage.to_owned(), choice)].into(),
        ..ActOn::new(run.to_string(), RunAction::Reopen)
    };
    studio.act(order).await.expect("it can be resumed");
    studio.drive(run, true, true).await.expect("it goes on");
    Store::open(studio.root())
        .expect("the history")
        .load(run)
        .expect("the log")
        .0
}

fn run_of(project: &Project, path: &str) -> Option<(RunId, RunState)> {
    let store = project.store().ok()?;
    let rows = store.runs(&RunFilter::default()).ok()?;
    let row = rows.into_iter().find(|row| row.path == path)?;
    let (state, _) = store.load(&row.run).ok()?;
    Some((row.run, state))
}

/// Waits until the run of a file asks for something: `Approval`, `Outcome`.
fn asked_for(project: &Project, path: &str, purpose: &str) {
    until(&format!("{path} asks for {purpose}"), || {
        let (_, state) = run_of(project, path)?;
        let asks = |round: &&engine::GateRound| format!("{:?}", round.opened.purpose).starts_with(purpose);
        state.open_gates().iter().any(asks).then_some(())
    })
    .expect("it asks");
}

/// Waits until the run of a file asks about a step.
fn asked(project: &Project, path: &str, step: &str) -> RunId {
    until(&format!("{path} asks about {step}"), || {
        let (run, state) = run_of(project, path)?;
        let asks = |round: &&engine::GateRound| round.opened.instance.step.as_str() == step;
        state.open_gates().iter().any(asks).then_some(run)
    })
    .expect("it asks")
}
