//! What would be passed over does not start, by itself or inside of another workflow.

use crate::harness::Project;
use engine::RunId;
use runtime::{Error, StartRequest};

const FORK: &str = "key: gate\nsteps:\n  - {id: a, agents: [worker], role: r, routing: {kind: fork, fork_targets: [b, c]}}\n  - {id: b, agents: [worker], role: r}\n  - {id: c, agents: [worker], role: r}\n";

/// A field that asks in vain, and where: each by itself keeps the flow from starting.
const ASKED: [(&str, &str); 5] = [
    (FORK, "line 3, column 62: The branches of `a` never meet"),
    (
        "key: k\non_complete: {next_flow: deploy}\nsteps:\n  - {id: a, agents: [worker], role: r}\n",
        "`flow.yaml` leads to the flow `deploy`",
    ),
    (
        "id: k\nsteps:\n  - id: a\n    station: worker\n    routing:\n      kind: branch\n      when: [{next: a, condition: score >}]\n",
        "line 7, column ",
    ),
    (
        "id: k\nnodes: [{node_id: a, template_id: worker}, {node_id: b, template_id: worker}, {node_id: c, template_id: worker}]\nedges: [{from: a, to: b}, {from: a, to: c}]\n",
        "line 3, column 27: 2 edges without a condition leave `a`",
    ),
    (
        "id: k\npolicy: {escalation: {on_blocked: shrug}}\nnodes: [{node_id: a, template_id: worker}, {node_id: b, template_id: worker}]\nedges: [{from: a, to: b}]\n",
        "line 2, column 23: `shrug` is not carried out here",
    ),
];

fn reason(started: Result<RunId, Error>) -> String {
    match started {
        Err(Error::Workflow { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_flow_that_asks_in_vain_does_not_start_nor_does_its_scenario() {
    let project = Project::shell("true");
    for (flow, said) in ASKED {
        for scenario in [None, Some("name: s\nsteps: {}\n")] {
            let reason = reason(project.try_start(flow, scenario));
            assert!(reason.starts_with(said), "{reason}");
        }
    }
    let filter = store::RunFilter::default();
    assert_eq!(
        project.store.runs(&filter).expect("a list").len(),
        0,
        "nothing has begun"
    );
}

#[test]
fn nor_does_what_contains_it_however_deep() {
    let project = Project::shell("true");
    let file = |path: &str, text: &str| {
        let path = project.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    file("flows/gate.yaml", FORK);
    file("inner.runbook.md", "# Inner\n\n## 1. Deeper\n\n- deepest.runbook.md\n");
    file(
        "deepest.runbook.md",
        "# Deepest\n\n## 1. Ask\n\nIs it done?\n\n- PASS: GOTO 9\n",
    );
    let runbook = "# Outer\n\n## 1. First\n\n```bash\ntouch begun\n```\n\n## 2. Inside\n\n- inner.runbook.md\n";
    let pipeline = "name: p\nstages:\n  - {name: a, run: touch begun}\n  - {name: b, workflow: flows/gate.yaml, depends_on: [a]}\n";
    let start = |path: &str, source: &str| {
        project.driver(Project::options()).start(&StartRequest {
            path: path.into(),
            source: source.into(),
            by: "Ann".into(),
            initiator: "test".into(),
            permit: true,
            ..StartRequest::default()
        })
    };
    for (path, source, expected) in [
        (
            "outer.runbook.md",
            runbook,
            "`deepest.runbook.md`, which `inner.runbook.md` runs, cannot be run: line 7, column ",
        ),
        (
            "p.yaml",
            pipeline,
            "`flows/gate.yaml`, which the step “b” runs, cannot be run: line 3, column 62: The branches of `a` never meet",
        ),
    ] {
        let said = reason(start(path, source));
        assert!(said.starts_with(expected), "{said}");
    }
    assert!(!project.root.join("begun").exists(), "nothing was run");
    // Once they can be carried out, both start.
    file(
        "flows/gate.yaml",
        "key: gate\nsteps:\n  - {id: a, agents: [worker], role: r}\n",
    );
    file("deepest.runbook.md", "# Deepest\n\n## 1. Ask\n\nIs it done?\n");
    assert!(start("outer.runbook.md", runbook).is_ok());
    assert!(start("p.yaml", pipeline).is_ok());
}

#[test]
fn what_runs_itself_does_not_start_and_the_circle_is_named() {
    let project = Project::shell("true");
    let file = |path: &str, text: &str| std::fs::write(project.root.join(path), text).expect("write");
    let refused = |path: &str, source: &str| {
        file(path, source);
        let started = project.driver(Project::options()).start(&StartRequest {
            path: path.into(),
            source: source.into(),
            ..StartRequest::default()
        });
        let reason = reason(started);
        let document = dialect::Document::parse(path, source);
        let beyond = runtime::beyond(&project.root, path, &document);
        assert_eq!(beyond[0].reason, reason, "`check` says the same");
        assert_eq!(beyond[0].listed, Some((0, 0)));
        reason
    };
    assert_eq!(
        refused("circle.runbook.md", "# Circle\n\n## 1. Again\n\n- circle.runbook.md\n"),
        "`circle.runbook.md` runs itself in “Again” (`1`): it would never come to an end"
    );
    file("b.runbook.md", "# B\n\n## 1. On\n\n- a.runbook.md\n");
    assert_eq!(
        refused("a.runbook.md", "# A\n\n## 1. On\n\n- b.runbook.md\n"),
        "`a.runbook.md` and `b.runbook.md` run each other in a circle (`a.runbook.md` → `b.runbook.md` → `a.runbook.md`): they would never \
         come to an end"
    );
    // No circle, and yet 4^8 runs.
    for level in 1..8 {
        let on = format!("- {}.runbook.md\n", level + 1).repeat(4);
        file(&format!("{level}.runbook.md"), &format!("# Level\n\n## 1. On\n\n{on}"));
    }
    file("8.runbook.md", "# Last\n\n## 1. Ask\n\nIs it done?\n");
    let many = refused(
        "0.runbook.md",
        &format!("# First\n\n## 1. On\n\n{}", "- 1.runbook.md\n".repeat(4)),
    );
    assert!(many.ends_with("would come to more than 10000 runs"), "{many}");
}

#[tokio::test]
async fn what_runs_itself_only_where_something_failed_is_run_and_comes_to_an_end() {
    let project = Project::shell("true");
    let file = |path: &str, text: &str| std::fs::write(project.root.join(path), text).expect("write");
    let source = "# Deploy\n\n## 1. Build\n\n```bash\nfalse\n```\n\n- PASS: COMPLETE\n- FAIL: GOTO Recover\n\n## Recover\n\n- deploy.runbook.md\n";
    file("deploy.runbook.md", source);
    let document = dialect::Document::parse("deploy.runbook.md", source);
    assert_eq!(runtime::beyond(&project.root, "deploy.runbook.md", &document), []);
    let driver = project.driver(Project::options());
    let run = driver
        .start(&StartRequest {
            path: "deploy.runbook.md".into(),
            source: source.into(),
            by: "Ann".into(),
            initiator: "test".into(),
            permit: true,
            ..StartRequest::default()
        })
        .expect("it begins");
    driver
        .drive(&run, &runtime::Control::default())
        .await
        .expect("it is driven");
    let runs = project.store.runs(&store::RunFilter::default()).expect("a list");
    assert_eq!(runs.len(), 3, "each of them once more, and no further");
    let errors = |run: &RunId| -> Vec<String> {
        let live = history::Live::open(&project.store, run).expect("its log");
        let results = live.state().results();
        results
            .into_iter()
            .filter_map(|(_, result)| result.error.clone())
            .collect()
    };
    let said: Vec<String> = runs.iter().flat_map(|row| errors(&row.run)).collect();
    assert!(
        said.iter()
            .any(|said| said.contains("run each other over and over: `deploy.runbook.md` → `deploy.runbook.md`")),
        "{said:?}"
    );
}

#[test]
fn a_rehearsal_of_what_lists_a_file_that_is_not_there_does_not_begin() {
    let project = Project::shell("true");
    let runbook =
        "# Outer\n\n## 1. First\n\n```bash\nmake inner.runbook.md\n```\n\n## 2. Inside\n\n- inner.runbook.md\n";
    let start = |rehearse: bool, scenario: Option<&str>| {
        project.driver(Project::options()).start(&StartRequest {
            path: "outer.runbook.md".into(),
            source: runbook.into(),
            by: "Ann".into(),
            initiator: "test".into(),
            rehearse,
            scenario: scenario.map(|text| runtime::ScenarioSource {
                path: "s.scenario.yaml".into(),
                text: text.into(),
            }),
            permit: true,
            ..StartRequest::default()
        })
    };
    for scenario in [None, Some("name: s\nsteps: {}\n")] {
        let said = reason(start(true, scenario));
        assert_eq!(
            said,
            "the step “Inside” runs `inner.runbook.md`, and there is no such file in this project (GH0114)"
        );
    }
    // For real its first step may make it.
    assert!(start(false, None).is_ok());
    std::fs::write(project.root.join("inner.runbook.md"), "# Inner\n\n## 1. Do\n\nDo it.\n").expect("a file");
    assert!(start(true, None).is_ok());
}

/// What `check` calls an error is none that is found when the stages before it are done.
#[test]
fn what_lists_a_file_that_nothing_makes_does_not_start() {
    let project = Project::shell("touch begun");
    let start = |stages: &str| {
        project.driver(Project::options()).start(&StartRequest {
            path: "p.yaml".into(),
            source: format!("name: p\nstages:\n{stages}"),
            by: "Ann".into(),
            initiator: "test".into(),
            permit: true,
            ..StartRequest::default()
        })
    };
    let ship = "  - {name: ship, agents: [worker]}\n";
    let sub = "  - {name: sub, workflow: nothere.yaml, depends_on: [ship]}\n";
    assert_eq!(
        reason(start(&format!("{ship}{sub}"))),
        "the step “sub” runs `nothere.yaml`, and there is no such file in this project (GH0114)"
    );
    // Inside of another one too.
    std::fs::write(
        project.root.join("mid.yaml"),
        format!("name: mid\nstages:\n{ship}{sub}"),
    )
    .expect("a file");
    let said = reason(start("  - {name: mid, workflow: mid.yaml}\n"));
    assert_eq!(
        said,
        "`mid.yaml` runs `nothere.yaml`, and there is no such file in this project (GH0114)"
    );
    // Where the workflow says that it is made, the run finds out.
    for made in [
        ship.replace("]}", "], outputs: [nothere.yaml]}"),
        "  - {name: ship, run: cp old.yaml nothere.yaml}\n".to_owned(),
    ] {
        assert!(start(&format!("{made}{sub}")).is_ok(), "{made}");
    }
    let in_run = sub.replace("nothere", "RUN_BASE/nothere");
    assert!(start(&format!("{ship}{in_run}")).is_ok());
    assert!(!project.root.join("begun").exists(), "nothing was done");
}

#[test]
fn a_listed_file_without_a_name_is_no_step_that_is_done() {
    let project = Project::shell("true");
    let start = |path: &str, source: &str, rehearse: bool| {
        project.driver(Project::options()).start(&StartRequest {
            path: path.into(),
            source: source.into(),
            by: "Ann".into(),
            initiator: "test".into(),
            rehearse,
            permit: true,
            ..StartRequest::default()
        })
    };
    let stage = |files: &str| format!("name: p\nstages:\n  - {{name: a, workflow: {files}}}\n");
    let detour = "key: k\nsteps:\n  - {id: a, agents: [worker], role: r}\ndetours:\n  - {id: d, from: a, when: x == 1, flow: ''}\n";
    for (path, source, of) in [
        ("p.yaml", stage("''"), "`a`"),
        ("p.yaml", stage("' '"), "`a`"),
        ("p.yaml", stage("['']"), "`a`"),
        ("k.yaml", detour.to_owned(), "“D” (`d@a`)"),
    ] {
        for rehearse in [false, true] {
            let said = reason(start(path, &source, rehearse));
            assert!(
                said.starts_with("line ")
                    && said.contains("There is no file `")
                    && said.ends_with(&format!("which {of} lists (GH0114)")),
                "{said}"
            );
        }
    }
    // Inside of another one too.
    std::fs::write(project.root.join("inner.yaml"), stage("''")).expect("a file");
    let said = reason(start("p.yaml", &stage("inner.yaml"), false));
    assert!(
        said.starts_with("`inner.yaml`, which the step “a” runs, cannot be run: line 3, column 5: There is no file ``"),
        "{said}"
    );
}

#[test]
fn what_is_wrong_in_listed_workflows_is_told_before_a_start() {
    let project = Project::shell("true");
    let file = |path: &str, text: &str| std::fs::write(project.root.join(path), text).expect("a file");
    file("broken.yaml", FORK);
    file(
        "fine.yaml",
        "key: fine\nsteps:\n  - {id: a, agents: [worker], role: r}\n",
    );
    let told = |path: &str, text: &str| -> Vec<String> {
        let found = runtime::beyond(&project.root, path, &dialect::Document::parse(path, text));
        found
            .into_iter()
            .map(|one| format!("{:?} {}", one.listed, one.reason))
            .collect()
    };
    let list = |second: &str| format!("title: T\nflows: [{{key: fine, file: fine.yaml}}, {{key: other, {second}}}]\n");
    let [only] = <[String; 1]>::try_from(told("flows.yaml", &list("file: broken.yaml"))).expect("one");
    assert!(
        only.starts_with("Some((1, 0)) `broken.yaml`, which `other` runs, cannot be run: line 3, column 62: "),
        "{only}"
    );
    // A flow that the list only names is found by its key; what is not there is said as a start says it.
    assert_eq!(
        told("flows.yaml", &list("title: Gone")),
        ["None the flow `other` is not in this project: there is no `other.yaml` beside it, and none in `flows`"]
    );
    // Files that are not there are looked for by whoever asks.
    assert_eq!(told("flows.yaml", &list("file: gone.yaml")), Vec::<String>::new());
    let leads = |to: &str| {
        format!("key: k\non_complete: {{next_flow: {to}}}\nsteps:\n  - {{id: a, agents: [worker], role: r}}\n")
    };
    let [only] = <[String; 1]>::try_from(told("k.yaml", &leads("broken"))).expect("one");
    assert!(only.starts_with("None `broken.yaml`: line 3"), "{only}");
    assert_eq!(told("k.yaml", &leads("fine")), Vec::<String>::new());
}
