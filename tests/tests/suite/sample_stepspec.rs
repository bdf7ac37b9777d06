//! The StepSpec workflows that ship: from a brief to an architecture, a payment that must not go out by itself, and a review that asks
//! because the project's policy says so. Rehearsed, and carried out for real.

use dialect::{Document, stepspec};
use engine::{EndStatus, ExecutionStatus, Level, Purpose, RunId, RunState, RunStatus, StepResult, StepStatus};
use model::{Format, Workflow};
use runtime::config::Config;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use store::Store;
use studio::command::{ActOn, AnswerOf, RunAt, StartOf};
use studio::run::view::RunAction;
use studio::{Answer, Client, Identity, Studio};
use tests::samples;

const PLAN: &str = "product/plan-a-product";
const PAYMENT: &str = "compliance/payments-new-supplier";
const ACCESS: &str = "compliance/access-review";

#[test]
fn the_files_hold_all_of_a_stepspec() {
    for name in [PLAN, PAYMENT, ACCESS] {
        let document = document(name);
        assert_eq!(document.diagnostics(), [], "{name} has problems");
        let whole: Value = serde_yaml::from_str(document.text()).expect("YAML");
        for step in whole["steps"].as_array().expect("steps") {
            assert_eq!(stepspec::schema_errors(step), [] as [String; 0], "{name}");
        }
        for step in document.workflow().steps() {
            assert_eq!(stepspec::output_issues(&step.outputs), [] as [String; 0], "{name}");
        }
    }
}

/// Who is asked, and why, by the project's policy. It touches no sample of another format.
#[test]
fn the_policy_says_who_is_asked() {
    let config = Config::load(&samples::folder()).expect("gatehouse.yaml");
    assert!(config.notes.is_empty(), "{:?}", config.notes);
    let asked = |workflow: &Workflow| -> Vec<(String, bool, String)> {
        let steps = workflow.steps().iter();
        steps
            .map(|step| {
                let verdict = config.policy.judge(step, &workflow.id, &config.limits);
                (step.id.to_string(), verdict.blocks, verdict.reason.to_string())
            })
            .collect()
    };
    for (name, expected) in [
        (
            PLAN,
            &[
                ("brief", false, "no blocking gate"),
                ("prd", false, "no blocking gate"),
                ("architecture", true, "policy required phase"),
                ("handover", true, "recommended gate enforced"),
            ][..],
        ),
        (
            PAYMENT,
            &[
                ("intake", false, "gate disabled"),
                ("screening", true, "high-risk workflow"),
                ("assessment", true, "high-risk workflow"),
                ("payment", true, "high-risk workflow"),
            ],
        ),
        (
            ACCESS,
            &[
                ("collect", false, "no blocking gate"),
                ("compare", true, "conditional gate enforced"),
                ("decide", true, "recommended gate enforced"),
            ],
        ),
    ] {
        let expected: Vec<_> = expected
            .iter()
            .map(|(id, asks, why)| ((*id).to_owned(), *asks, (*why).to_owned()))
            .collect();
        assert_eq!(asked(document(name).workflow()), expected, "{name}");
    }
    for file in files(&samples::folder()) {
        let text = std::fs::read_to_string(&file).expect("readable");
        let path = file
            .strip_prefix(samples::folder())
            .expect("a sample")
            .to_string_lossy()
            .into_owned();
        if dialect::detect(&path, &text).is_none_or(|format| format == Format::StepSpec) {
            continue;
        }
        for (step, _, why) in asked(Document::parse(&path, &text).workflow()) {
            let by_policy = [
                "policy required phase",
                "high-risk workflow",
                "conditional gate enforced",
                "conditional risk gate",
            ];
            assert!(!by_policy.contains(&why.as_str()), "{path}, {step}: {why}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scenarios_see_all_of_every_workflow() {
    let desk = Desk::new();
    for name in [PLAN, PAYMENT, ACCESS] {
        let path = json!({"path": format!("{name}.yaml")});
        let tests = desk
            .studio
            .rpc("workflow.tests", path)
            .await
            .expect("they can be tried");
        assert_eq!(tests["failed"], 0, "{name}: {tests}");
        assert!(tests["passed"].as_u64() >= Some(2), "{name}: {tests}");
        for what in ["unseen_steps", "unseen_edges"] {
            assert_eq!(tests[what], json!([]), "{name}: {what}");
        }
    }
}

/// What a scenario makes lies in the folder of its run, and what was really made stays as it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsal_leaves_the_documents_alone() {
    let desk = Desk::new();
    desk.write("docs/product/prd.md", "really made\n");
    let (run, state) = desk
        .scripted(PLAN, "1-a-section-is-missing-and-a-wish-is-worked-in")
        .await;
    assert_eq!(
        state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        state.error
    );
    assert_eq!(desk.text("docs/product/prd.md"), "really made\n");
    let base = runtime::project::run_base(&run);
    for file in ["brief", "prd", "architecture", "handover"] {
        let text = desk.text(&format!("{base}/docs/product/{file}.md"));
        assert!(text.starts_with("# ") && text.lines().count() > 6, "{file}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_in_a_scenario_can_be_resumed_there() {
    let desk = Desk::new();
    let (run, failed) = desk.scripted(PLAN, "4-the-requirements-never-pass").await;
    assert_eq!(failed.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(failed.step_status(&"prd".into()), StepStatus::Failed);
    assert_eq!(attempts(&failed, "prd"), [3]);
    let done = desk.resumed(&run).await;
    assert_eq!(done.status, RunStatus::Ended(EndStatus::Succeeded), "{:?}", done.error);
    assert_eq!(
        (attempts(&done, "brief"), attempts(&done, "prd")),
        (vec![1], vec![3, 1])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_number_never_becomes_an_artifact() {
    let desk = Desk::new();
    let (run, state) = desk.scripted(PAYMENT, "3-an-account-number-is-stopped").await;
    let first = &state.steps["assessment"].visits[0].attempts[0];
    let first = first.result.as_ref().expect("it ended");
    let report = first
        .lifecycle
        .as_ref()
        .and_then(|held| held.guardrail(engine::GuardStage::Outputs))
        .expect("a report");
    assert_eq!(
        (&report.status, report.violations[0].rule.as_str()),
        (&engine::GuardStatus::Failed, "iban")
    );
    assert_eq!((first.status, first.artifacts.len()), (ExecutionStatus::Failed, 0));
    // What was found is not kept either: neither in the log nor in anything that is read from it.
    let events = desk.history().events(&run, 0, usize::MAX).expect("the log");
    let log = serde_json::to_string(&events.iter().map(|stored| &stored.event).collect::<Vec<_>>()).expect("JSON");
    assert!(!log.contains("8601 1117") && !log.contains("86011117"), "{log}");
}

/// The whole story without a scenario: shell scripts write the documents, the check sends the first draft back, the phase's policy
/// stops the run, a wish is worked in, and an approval turns what was checked into what a person vouches for.
#[tokio::test(flavor = "multi_thread")]
async fn a_product_is_planned_for_real() {
    let desk = Desk::new();
    let run = desk
        .started(PLAN, json!({"product": "Bread by seven", "orders_an_hour": 80}))
        .await;
    let state = desk.state(&run);
    let waiting = state.waiting().expect("it waits for the product owner").opened.clone();
    assert_eq!(
        (waiting.instance.step.as_str(), waiting.why.as_str()),
        ("architecture", "policy required phase")
    );
    assert_eq!(waiting.question, "Are these the requirements we want to build?");
    let shown: Vec<&str> = waiting.shown.iter().map(|a| a.path.as_str()).collect();
    assert_eq!(shown, ["docs/product/prd.md"]);

    // The first draft lacked a section; nothing of it was taken.
    let results = results(&state, "prd");
    let [first, second] = results.as_slice() else {
        panic!("two attempts: {results:?}")
    };
    assert_eq!(first.status, ExecutionStatus::Failed);
    assert!(
        first.error.as_deref().is_some_and(|why| why.contains("Risks")),
        "{:?}",
        first.error
    );
    let checks = |result: &StepResult| {
        let held = result.lifecycle.as_ref().expect("a lifecycle");
        held.validation.clone().expect("it was validated")
    };
    assert!(!checks(first).passed && checks(second).passed);
    let tools = &second.lifecycle.as_ref().expect("a lifecycle").calls;
    let said: Vec<_> = tools.iter().map(|call| (call.name.as_str(), call.status)).collect();
    let completed = engine::ToolStatus::Completed;
    assert_eq!(said, [("getCurrentTime", completed), ("readTextFile", completed)]);
    let prd = desk.text("docs/product/prd.md");
    assert!(prd.starts_with("# Product requirements: Bread by seven\n"), "{prd}");
    assert!(prd.contains("80 orders an hour") && prd.contains("## Risks"), "{prd}");

    // A wish sends the requirements back, and is worked in.
    let wish = "Say until when an order can be changed.";
    desk.answer(&run, Answer::Changes, wish).await;
    let state = desk.state(&run);
    assert_eq!(state.waiting().expect("again").opened.round, 2);
    assert_eq!(attempts(&state, "prd").len(), 2);
    let prd = desk.text("docs/product/prd.md");
    assert!(
        prd.contains(&format!("- **R5** {wish}")) && prd.contains("## Risks"),
        "{prd}"
    );
    let level = |state: &RunState, step: &str| -> Vec<Level> {
        let records = state
            .evidence
            .iter()
            .filter(|e| e.instance.step.as_str() == step && !e.superseded);
        records.map(|e| e.record.level).collect()
    };
    assert_eq!(level(&state, "prd"), [Level::L1], "a check has passed");

    desk.answer(&run, Answer::Approve, "").await;
    let state = desk.state(&run);
    assert_eq!(
        level(&state, "prd"),
        [Level::L2],
        "a person has approved what was shown"
    );
    let waiting = state
        .waiting()
        .expect("it waits for the head of development")
        .opened
        .clone();
    assert_eq!(
        (waiting.instance.step.as_str(), waiting.why.as_str()),
        ("handover", "recommended gate enforced")
    );
    desk.answer(&run, Answer::Approve, "").await;
    let state = desk.state(&run);
    assert_eq!(
        state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        state.error
    );
    assert_eq!(level(&state, "architecture"), [Level::L2]);
    let handover = desk.text("docs/product/handover.md");
    let digest = store::digest_of(prd.as_bytes());
    assert!(handover.contains(digest.as_str()), "{handover}");
    desk.verified(&run);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_waits_for_people_and_for_the_call_itself() {
    let desk = Desk::new();
    let run = desk.started(PAYMENT, json!({})).await;
    for step in ["screening", "assessment", "payment"] {
        let state = desk.state(&run);
        let waiting = state.waiting().expect(step).opened.clone();
        assert_eq!(
            (waiting.instance.step.as_str(), waiting.why.as_str()),
            (step, "high-risk workflow")
        );
        desk.answer(&run, Answer::Approve, "").await;
    }
    let state = desk.state(&run);
    let asked = state.waiting().expect("the call").opened.clone();
    assert_eq!(asked.gate.as_str(), "tool:schedulePayment:payment");
    let Purpose::Tool { ask } = &asked.purpose else {
        panic!("{asked:?}")
    };
    assert_eq!(ask.args, json!({"supplier": "Hedda Mill AS", "amount_eur": "4800"}));
    assert!(!desk.exists("docs/compliance/bank-queue.txt"), "nothing is paid before");
    // The report says what was decided on: the arguments of the call, in the row of the question.
    let report = studio::dispatch(&desk.studio, "report.view", json!({"run_id": run.as_str()})).await;
    let report: Value = serde_json::from_str(report.expect("a report").get()).expect("JSON");
    let page = report["html"].as_str().expect("a page");
    let rows = page.split("<h2 style=").nth(1).expect("what was decided");
    for argument in ["supplier: Hedda Mill AS", "amount_eur: 4800"] {
        let on = format!("<span class=\"file\">{argument}</span>");
        assert!(rows.contains(&on), "{rows}");
    }
    desk.answer(&run, Answer::Approve, "").await;
    let state = desk.state(&run);
    assert_eq!(
        state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        state.error
    );
    let queue = desk.text("docs/compliance/bank-queue.txt");
    assert_eq!(queue.lines().count(), 1, "{queue}");
    let receipt = queue.split(' ').next().expect("a receipt");
    assert!(desk.text("docs/compliance/payment.md").contains(receipt));
    // The clock had answered before the person was asked: it is not called again.
    let last = results(&state, "payment").pop().expect("it was carried out");
    let calls = &last.lifecycle.as_ref().expect("a lifecycle").calls;
    assert!(calls[0].earlier && !calls[1].earlier, "{calls:?}");
    desk.verified(&run);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_number_in_an_answer_stops_the_run_before_anything_reads_it() {
    let desk = Desk::new();
    let purpose = "Flour. Please pay to NO93 8601 1117 947.";
    let start = StartOf {
        path: format!("{PAYMENT}.yaml"),
        inputs: serde_json::from_value(json!({"purpose": purpose})).expect("answers"),
        ..StartOf::default()
    };
    let refused = desk.studio.create_run(&start).expect_err("it holds an account number");
    assert_eq!(refused.code, "refused:guardrail");
    let why = refused.fields.get("purpose").expect("said of the question");
    assert!(
        why.contains("holds an account number") && !why.contains("8601"),
        "{why}"
    );
    // Nothing is begun, and the number is kept nowhere.
    assert_eq!(desk.history().runs(&store::RunFilter::default()).expect("the runs"), []);
    // A telephone number is pointed out and goes on.
    let run = desk
        .started(PAYMENT, json!({"purpose": "Flour. Questions: +47 22 12 34 56."}))
        .await;
    let state = desk.state(&run);
    assert!(state.waiting().is_some(), "{:?}", state.error);
    let first = results(&state, "intake").pop().expect("it was carried out");
    let report = first
        .lifecycle
        .as_ref()
        .and_then(|held| held.guardrail(engine::GuardStage::Inputs))
        .cloned();
    assert_eq!(report.expect("a report").status, engine::GuardStatus::Warned);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_stands_on_a_list_is_found() {
    let desk = Desk::new();
    let run = desk
        .started(
            PAYMENT,
            json!({"supplier": "Grey Harbour Shipping", "country": "Panama"}),
        )
        .await;
    desk.answer(&run, Answer::Approve, "").await;
    let screening = desk.text("docs/compliance/screening.md");
    assert!(
        screening.contains("European Union: financial sanctions") && screening.contains("Must not be paid."),
        "{screening}"
    );
    desk.answer(&run, Answer::Reject, "Nobody pays them.").await;
    let state = desk.state(&run);
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Failed));
    assert!(!desk.exists("docs/compliance/bank-queue.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_access_review_finds_who_has_left() {
    let desk = Desk::new();
    let run = desk.started(ACCESS, json!({"quarter": "Q3"})).await;
    for (step, why) in [
        ("compare", "conditional gate enforced"),
        ("decide", "recommended gate enforced"),
    ] {
        let waiting = desk.state(&run).waiting().expect(step).opened.clone();
        assert_eq!((waiting.instance.step.as_str(), waiting.why.as_str()), (step, why));
        desk.answer(&run, Answer::Approve, "").await;
    }
    assert_eq!(desk.state(&run).status, RunStatus::Ended(EndStatus::Succeeded));
    let withdrawn = desk.text("docs/compliance/withdrawn.md");
    assert!(
        withdrawn.starts_with("# Withdrawn: Q3\n\n## Closed\n\n- `s.berg` (orders, write): left on 2026-09-30\n"),
        "{withdrawn}"
    );
    desk.verified(&run);
}

/// Attempts of each visit of a step.
fn attempts(state: &RunState, step: &str) -> Vec<usize> {
    let visits = state.steps.get(step).into_iter().flat_map(|step| &step.visits);
    visits.map(|visit| visit.attempts.len()).collect()
}

/// What every attempt of a step came to.
fn results(state: &RunState, step: &str) -> Vec<StepResult> {
    let visits = state.steps.get(step).into_iter().flat_map(|step| &step.visits);
    let attempts = visits.flat_map(|visit| &visit.attempts);
    attempts
        .filter_map(|attempt| attempt.result.as_deref().cloned())
        .collect()
}

/// A copy of the samples, and somebody who works in it.
struct Desk {
    folder: tempfile::TempDir,
    _home: tempfile::TempDir,
    studio: Studio,
}

impl Desk {
    fn new() -> Self {
        let (folder, home) = (tempfile::tempdir(), tempfile::tempdir());
        let (folder, home) = (folder.expect("a temporary folder"), home.expect("another one"));
        samples::copy_to(folder.path()).expect("copied");
        let me = Identity::open_in(home.path(), false).expect("an identity");
        me.trust(folder.path(), true).expect("trusted");
        // Like the command line it drives in the foreground alone.
        let studio = Studio::open_as(folder.path(), Client::Cli, me).expect("a project");
        Self {
            folder,
            _home: home,
            studio,
        }
    }

    /// Starts a workflow with these answers and drives it until it needs a person.
    async fn started(&self, name: &str, answers: Value) -> RunId {
        let start = StartOf {
            path: format!("{name}.yaml"),
            inputs: serde_json::from_value(answers).expect("answers"),
            ..StartOf::default()
        };
        let run = self.studio.create_run(&start).expect(name);
        self.studio.drive(&run, false, true).await.expect(name);
        run
    }

    async fn scripted(&self, name: &str, scenario: &str) -> (RunId, RunState) {
        let start = StartOf {
            path: format!("{name}.yaml"),
            scenario: Some(format!("{name}.scenarios/{scenario}.yaml")),
            ..StartOf::default()
        };
        let run = self.studio.create_run(&start).expect(scenario);
        self.studio.drive(&run, true, true).await.expect(scenario);
        let state = self.state(&run);
        (run, state)
    }

    /// Answers the gate that waits, and drives on.
    async fn answer(&self, run: &RunId, answer: Answer, comment: &str) {
        let state = self.state(run);
        let waiting = &state.waiting().expect("a gate waits").opened;
        let of = AnswerOf {
            run_id: run.to_string(),
            gate: waiting.gate.to_string(),
            round: waiting.round,
            answer,
            comment: comment.to_owned(),
            seen: waiting.shown.iter().map(|a| a.digest.to_string()).collect(),
            undrawn: None,
            lasting: None,
            way: None,
            report: Default::default(),
            by: None,
        };
        self.studio.decide(of, "Ida Moen").await.expect("it is taken");
        self.studio.drive(run, false, true).await.expect("it goes on");
    }

    async fn resumed(&self, run: &RunId) -> RunState {
        let order = ActOn::new(run.to_string(), RunAction::Reopen);
        self.studio.act(order).await.expect("it can be resumed");
        self.studio.drive(run, true, true).await.expect("it goes on");
        self.state(run)
    }

    fn history(&self) -> Store {
        Store::open(self.studio.root()).expect("the history")
    }

    fn state(&self, run: &RunId) -> RunState {
        self.history().load(run).expect("the log").0
    }

    fn verified(&self, run: &RunId) {
        let verified = self
            .studio
            .verify(RunAt::live(run.as_str()))
            .expect("it can be verified");
        assert!(verified.ok, "{:?}", verified.findings);
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).unwrap_or_default()
    }

    fn exists(&self, path: &str) -> bool {
        self.folder.path().join(path).exists()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.folder.path().join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, text).expect("written");
    }
}

fn document(name: &str) -> Document {
    let path = format!("{name}.yaml");
    let text = std::fs::read_to_string(samples::folder().join(&path)).expect("readable");
    let document = Document::parse(&path, &text);
    assert_eq!(document.workflow().format, Format::StepSpec, "{name}");
    document
}

/// Every file below a folder that is no leftover of a run.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with(".gatehouse") && !name.ends_with(".scenarios") {
            found.extend(files(&path));
        } else if name.ends_with(".yaml") || name.ends_with(".runbook.md") {
            found.push(path);
        }
    }
    found
}
