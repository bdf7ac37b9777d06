//! Branches in folders of their own (`isolation: isolated`): each works on its own copy of the project, and where they meet what they
//! changed is brought in, or named and left.

use crate::harness::{Project, ended, path, within};
use engine::{Answer, RunId, RunState};
use std::path::PathBuf;

/// Each step runs the script that lies beside the project under its name.
const WORKER: &str = r#"test -e "$GATEHOUSE_STEP.sh" && . "./$GATEHOUSE_STEP.sh"; echo done"#;

const FLOW: &str = "key: both\nsteps:\n  \
    - {id: begin, agents: [w], role: r, routing: {kind: fork, fork_targets: [left, right], \
       fork_config: {isolation: isolated}}}\n  \
    - {id: left, agents: [w], role: r, routing: {kind: linear, next: end}}\n  \
    - {id: right, agents: [w], role: r, routing: {kind: linear, next: end}}\n  \
    - {id: end, agents: [w], role: r, routing: {kind: join}}\n";

fn project(scripts: &[(&str, &str)]) -> Project {
    let quoted = serde_json::to_string(WORKER).expect("text");
    let project = Project::new(&format!("agents:\n  \"*\": {{engine: shell, run: {quoted}}}\n"));
    for (step, script) in scripts {
        put(&project, &format!("{step}.sh"), script);
    }
    project
}

fn put(project: &Project, name: &str, text: &str) {
    let file = project.root.join(name);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(file, text).expect("a file");
}

fn read(project: &Project, name: &str) -> Option<String> {
    std::fs::read_to_string(project.root.join(name)).ok()
}

fn brought(state: &RunState, step: &str) -> Vec<String> {
    let result = crate::harness::result(state, step);
    let files = result.lifecycle.iter().flat_map(|around| &around.brought_in);
    files
        .map(|file| {
            format!(
                "{}{} by {}",
                if file.removed { "-" } else { "" },
                file.path,
                file.branch
            )
        })
        .collect()
}

fn branches(project: &Project, run: &RunId) -> PathBuf {
    project.root.join(runtime::project::run_base(run)).join("branches")
}

#[tokio::test]
async fn each_branch_has_its_own_files_until_they_meet() {
    let project = project(&[
        // Both see what there was, and neither what the other writes.
        (
            "left",
            "test \"$(cat shared.md)\" = old || exit 3; echo left > shared.md; mkdir -p new/deep; echo l > new/deep/left.md; rm gone.md; sleep 1; test ! -e right.md",
        ),
        (
            "right",
            "sleep 0.5; test \"$(cat shared.md)\" = old || exit 3; test -e gone.md || exit 4; echo r > right.md; printf '#!/bin/sh\\n' > tool; chmod +x tool; git rev-parse 2>/dev/null && exit 5; true",
        ),
        (
            "end",
            "test \"$(cat shared.md)\" = left && test -e right.md && test -x tool && test ! -e gone.md && test -e new/deep/left.md",
        ),
    ]);
    for (name, text) in [
        ("shared.md", "old\n"),
        ("gone.md", "x\n"),
        ("same.md", "same\n"),
        (".git/HEAD", "ref: x\n"),
    ] {
        put(&project, name, text);
    }
    let run = project.start(FLOW, None);
    let state = project.drive(&run).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(
        brought(&state, "end"),
        [
            "-gone.md by left",
            "new/deep/left.md by left",
            "right.md by right",
            "shared.md by left",
            "tool by right"
        ]
    );
    assert_eq!(read(&project, "shared.md").as_deref(), Some("left\n"));
    assert_eq!(read(&project, "same.md").as_deref(), Some("same\n"));
}

#[tokio::test]
async fn a_branch_cannot_write_into_the_project_itself() {
    let project = project(&[(
        "left",
        "home=$(cd ../../../../.. && pwd); echo x > \"$home/shared.md\" 2>/dev/null; echo x > \"$home/escaped\" 2>/dev/null; \
         echo x >> gatehouse.yaml 2>/dev/null && exit 3; true",
    )]);
    put(&project, "shared.md", "old\n");
    let state = project.whole(FLOW, None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    if !crate::looking::can_look(
        process::Enforced::here().files,
        "the kernel here keeps programs from no file",
    ) {
        return;
    }
    assert_eq!(read(&project, "shared.md").as_deref(), Some("old\n"));
    assert_eq!(read(&project, "escaped"), None);
    assert!(!read(&project, "gatehouse.yaml").expect("there").contains('x'));
}

#[tokio::test]
async fn what_two_branches_changed_differently_is_named_and_nothing_is_brought_in() {
    let project = project(&[
        ("left", "echo left > both.md; echo l > left.md; echo same > equal.md"),
        (
            "right",
            "echo right > both.md; echo same > equal.md; ln -s both.md link.md; echo 'format: stepspec' > flow2.yaml",
        ),
    ]);
    put(&project, "both.md", "old\n");
    let run = project.start(FLOW, None);
    let state = project.drive(&run).await;
    assert_eq!(ended(&state), "failed");
    let error = state.error.clone().expect("it says why");
    for said in [
        "`both.md` was changed by the branches `left` and `right`",
        "`link.md` is a link",
    ] {
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(read(&project, "both.md").as_deref(), Some("old\n"));
    assert_eq!((read(&project, "left.md"), read(&project, "equal.md")), (None, None));
    // Somebody puts together what belongs together, and the run goes on where it failed.
    let folder = branches(&project, &run);
    std::fs::write(folder.join("1-1/both.md"), "both\n").expect("written");
    std::fs::write(folder.join("1-2/both.md"), "both\n").expect("written");
    std::fs::remove_file(folder.join("1-2/link.md")).expect("removed");
    project
        .say(
            &run,
            engine::Intent::Reopen {
                by: "Ann".into(),
                choices: Default::default(),
            },
        )
        .expect("it is taken up");
    let state = project.drive(&run).await;
    assert_eq!(
        (ended(&state), read(&project, "both.md").as_deref()),
        ("succeeded", Some("both\n")),
        "{:?}",
        state.error
    );
}

/// What was approved in a branch is compared in that branch, and in the project once it is brought in there.
#[tokio::test]
async fn what_a_branch_brings_in_is_compared_with_what_was_approved_in_it() {
    let flow = FLOW.replace(
        "- {id: left, agents: [w], role: r, routing: {kind: linear, next: end}}",
        "- {id: left, agents: [w], role: r, outputs: [plan.md], human_gate: required, routing: {kind: linear, next: more}}\n  \
         - {id: more, agents: [w], role: r, inputs: [plan.md], routing: {kind: linear, next: end}}",
    );
    let flow = flow.replace(
        "{id: end, agents: [w], role: r,",
        "{id: end, agents: [w], role: r, inputs: [plan.md],",
    );
    // A step of the branch changes it and says nothing of it; somebody does, in the branch's folder; nobody does.
    let cases = [
        ("echo other > plan.md", false, (false, true)),
        ("true", true, (true, true)),
        ("true", false, (false, false)),
    ];
    for (more, edited, named) in cases {
        let project = project(&[
            ("left", "echo approved > plan.md"),
            // The other branch has none.
            ("right", "cp plan.md seen.md 2>/dev/null; true"),
            ("more", more),
        ]);
        let run = project.start(&flow, None);
        let driving = project.driving(&run, Project::options(), &Default::default());
        project.until(&run, "the gate", |state| state.waiting().is_some()).await;
        if edited {
            std::fs::write(branches(&project, &run).join("1-1/plan.md"), "other\n").expect("written");
        }
        project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
        let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
        assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
        let differs = |step: &str| {
            let around = crate::harness::result(&state, step).lifecycle.as_ref();
            let files = around.map_or(&[][..], |around| around.not_as_approved.as_slice());
            files
                .iter()
                .any(|file| file.path == "plan.md" && file.found == Some(store::digest_of(b"other\n")))
        };
        assert_eq!((differs("more"), differs("end")), named, "{more} {edited}");
        assert_eq!(read(&project, "seen.md"), None);
    }
}

#[tokio::test]
async fn only_branches_that_came_to_their_end_count() {
    let project = project(&[("left", "echo l > left.md; exit 1"), ("right", "echo r > right.md")]);
    let flow = FLOW.replace(
        "isolation: isolated",
        "isolation: isolated, failure_policy: best_effort",
    );
    let state = project.whole(&flow, None).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(brought(&state, "end"), ["right.md by right"]);
    assert_eq!(read(&project, "left.md"), None);
}

#[tokio::test]
async fn branches_in_branches_and_the_next_round() {
    let flow = "key: nested\nsteps:\n  \
        - {id: begin, agents: [w], role: r, routing: {kind: fork, fork_targets: [left, right], fork_config: {isolation: isolated}}}\n  \
        - {id: left, agents: [w], role: r, routing: {kind: fork, fork_targets: [one, two], fork_config: {isolation: isolated}}}\n  \
        - {id: one, agents: [w], role: r, routing: {kind: linear, next: inner}}\n  \
        - {id: two, agents: [w], role: r, routing: {kind: linear, next: inner}}\n  \
        - {id: inner, agents: [w], role: r, routing: {kind: join, next: end}}\n  \
        - {id: right, agents: [w], role: r, routing: {kind: linear, next: end}}\n  \
        - {id: end, agents: [w], role: r, routing: {kind: join}}\n";
    let project = project(&[
        ("left", "echo 1 >> rounds.md"),
        (
            "one",
            "test -e rounds.md || exit 3; echo one > one.md; echo more > $RUN_BASE/notes.md",
        ),
        ("two", "echo two > two.md; test ! -e one.md"),
        (
            "inner",
            "test -e one.md && test -e two.md && test -e $RUN_BASE/notes.md",
        ),
        ("right", "sleep 0.3; test ! -e one.md && test ! -e rounds.md"),
        (
            "end",
            "test -e one.md && test -e rounds.md && test -e $RUN_BASE/notes.md",
        ),
    ]);
    let state = project.whole(flow, None).await;
    assert_eq!(ended(&state), "succeeded", "{:?} {}", state.error, path(&state));
    assert_eq!(brought(&state, "inner").len(), 3);
    assert_eq!(brought(&state, "end").len(), 4);
}

#[tokio::test]
async fn another_workflow_does_not_work_behind_a_branchs_back() {
    let project = project(&[]);
    put(
        &project,
        "reset.yaml",
        "key: reset\nsteps:\n  - {id: clean, agents: [w], role: r}\n",
    );
    let flow = format!(
        "{FLOW}detours:\n  - {{id: reset, after: [left], flow: reset.yaml, return: advance, condition: '!has(report.nothing)'}}\n"
    );
    let state = project.whole(&flow, None).await;
    assert_eq!(ended(&state), "failed", "{}", path(&state));
    assert!(
        state
            .error
            .as_ref()
            .is_some_and(|error| error.contains("works in the project itself")),
        "{:?}",
        state.error
    );
}
