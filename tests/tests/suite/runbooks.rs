//! Runbooks through the program a person uses: asked and answered from another terminal, set aside and taken up again, killed
//! and finished, with every run verified at its end.

use engine::{EndStatus, RunId, RunState, RunStatus};
use store::RunFilter;
use tests::driven::{Driven, until};
use tests::program::Said;
use tests::project::Project;

fn say(project: &Project, arguments: &[&str]) -> Said {
    project.gatehouse(arguments).expect("gatehouse is built")
}

fn done(project: &Project, arguments: &[&str]) -> Said {
    let said = say(project, arguments);
    assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
    said
}

fn project(runbook: &str) -> Project {
    Project::new(&[("a.runbook.md", runbook)]).expect("a project")
}

/// The run of this workflow file, newest first.
fn run_of(project: &Project, path: &str) -> Option<(RunId, RunState)> {
    let store = project.store().expect("a history");
    let rows = store.runs(&RunFilter::default()).expect("the runs");
    rows.into_iter()
        .map(|row| {
            let (state, _) = store.load(&row.run).expect("the log");
            (row.run, state)
        })
        .find(|(_, state)| state.created.as_ref().is_some_and(|c| c.path == path))
}

fn latest(project: &Project) -> (RunId, RunState) {
    project.latest().expect("a history").expect("a run")
}

/// Waits until the run of a file asks about a step.
fn asked(project: &Project, path: &str, step: &str) -> RunId {
    until(&format!("{path} asks about {step}"), || {
        let (run, state) = run_of(project, path)?;
        let waiting = state.waiting()?;
        (waiting.opened.instance.step.as_str() == step).then_some(run)
    })
    .expect("it asks")
}

fn answer(project: &Project, run: &RunId, step: &str, word: &str) {
    done(project, &["answer", run.as_str(), step, word, "--by", "Ann"]);
}

fn verified(project: &Project) {
    let store = project.store().expect("a history");
    for row in store.runs(&RunFilter::default()).expect("the runs") {
        let said = done(project, &["verify", row.run.as_str()]);
        assert!(said.out.contains("Unaltered: "), "{}", said.out);
    }
}

fn reasons(state: &RunState) -> Vec<String> {
    state.routes.iter().map(|route| route.reason.to_string()).collect()
}

fn path(state: &RunState) -> Vec<String> {
    runtime::scenario::path(state).iter().map(ToString::to_string).collect()
}

#[test]
fn two_runs_beside_each_other_name_changed_steps_and_how_to_compare_what_lies_inside() {
    let around = "# Around\n\n## 1 Look\n\n- inner.runbook.md\n\n- PASS: COMPLETE\n- FAIL: COMPLETE\n";
    let inner = "# Inner\n\n## 1 Try\n\n```bash\ntest -e good\n```\n\n- PASS: COMPLETE\n- FAIL: STOP\n";
    let project = Project::new(&[
        ("gatehouse.yaml", "permissions: {mode: allow}\n"),
        ("around.runbook.md", around),
        ("inner.runbook.md", inner),
    ])
    .expect("a project");
    let run = || {
        done(&project, &["run", "around.runbook.md"]);
        let of = |path| run_of(&project, path).expect("a run").0;
        (of("around.runbook.md"), of("inner.runbook.md"))
    };
    let (first, first_inside) = run();
    let changed = around.replace("- FAIL: COMPLETE", "- FAIL: STOP") + "\n## 2 Never\n\nNever.\n";
    project
        .write(&[("around.runbook.md", &changed), ("good", "")])
        .expect("written");
    let (second, second_inside) = run();
    let told = done(&project, &["compare", first.as_str(), second.as_str()]).out;
    let inside = format!("gatehouse compare {first_inside} {second_inside}");
    for line in [
        "step 1 “Look”: changed (",
        "step 2 “Never”: only the second run has it",
        "inside “Inner”: failed in the first, done in the second",
        inside.as_str(),
    ] {
        let is_there = told.lines().any(|one| one.trim_start().starts_with(line));
        assert!(is_there, "`{line}` is missing: {told}");
    }
}

#[test]
fn prompts_are_answered_from_another_terminal() {
    let project = project(
        "# Two questions\n\n## 1 Is the kettle on?\n\n- YES: CONTINUE\n- NO: STOP \"No tea.\"\n\n## 2 Milk?\n\n\
         - YES: COMPLETE \"With milk.\"\n- NO: COMPLETE \"Without.\"\n",
    );
    let mut driver = Driven::start(&project, &["run", "a.runbook.md"]).expect("it starts");
    let run = asked(&project, "a.runbook.md", "1");
    assert!(driver.goes_on(), "it waits with the run");
    // The commands to be pasted say it in the words of the question.
    let told = done(&project, &["status", run.as_str()]).out;
    assert!(
        told.contains(" yes ") && told.contains(" no ") && !told.contains(" pass "),
        "{told}"
    );
    let near = project
        .gatehouse(&["answer", run.as_str(), "11", "yes", "--by", "Ann"])
        .expect("gatehouse is built");
    assert!(
        near.code == Some(3) && near.err.contains("Did you mean “1”?"),
        "{}",
        near.err
    );
    answer(&project, &run, "1", "yes");
    asked(&project, "a.runbook.md", "2");
    answer(&project, &run, "2", "no");
    let said = driver.end().expect("it ends");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("Ann answered NO"), "{}", said.out);
    assert!(said.out.contains("Without."), "{}", said.out);
    let (_, state) = latest(&project);
    assert_eq!(state.message.as_deref(), Some("Without."));
    let status = done(&project, &["status", run.as_str()]);
    assert!(status.out.contains("Without."), "{}", status.out);
    verified(&project);
}

#[test]
fn what_a_runbook_says_at_its_end_is_status_and_exit_code() {
    for (action, code, end, message) in [
        ("COMPLETE", 0, EndStatus::Succeeded, None),
        ("COMPLETE \"All told.\"", 0, EndStatus::Succeeded, Some("All told.")),
        ("STOP", 1, EndStatus::Failed, None),
        ("STOP RECOVERED", 1, EndStatus::Failed, Some("RECOVERED")),
    ] {
        let project = project(&format!("# A\n\n## 1 Do\n\n```bash\ntrue\n```\n\n- PASS: {action}\n"));
        let said = say(&project, &["run", "a.runbook.md"]);
        assert_eq!(said.code, Some(code), "{action}: {}{}", said.out, said.err);
        let (run, state) = latest(&project);
        assert_eq!(state.status, RunStatus::Ended(end), "{action}");
        assert_eq!(state.message.as_deref(), message, "{action}");
        let status = done(&project, &["status", run.as_str()]);
        assert!(status.out.contains(message.unwrap_or_default()), "{}", status.out);
        verified(&project);
    }
}

/// A complaint on standard error changes nothing (seed 002 "Execution Semantics").
#[test]
fn the_exit_code_decides_and_nothing_else() {
    let project = project(
        "# A\n\n## 1 Complain\n\n```sh\necho 'this looks bad' >&2\n```\n\n- FAIL: STOP wrong\n\n## 2 Smile\n\n```sh\necho fine; exit 3\n```\n\n\
         - FAIL: COMPLETE right\n",
    );
    done(&project, &["run", "a.runbook.md"]);
    let (_, state) = latest(&project);
    assert_eq!(state.message.as_deref(), Some("right"));
    verified(&project);
}

#[test]
fn a_step_is_tried_again_and_then_given_up() {
    let counting = "```bash\necho x >> tries\ntest $(wc -l < tries) -ge NEEDED\n```\n\n- FAIL: RETRY 2 GOTO Rescue\n\n## Rescue\n\n\
                    ```bash\ntouch rescued\n```\n\n- PASS: STOP \"Rescued.\"\n";
    for (needed, code, tries, rescued) in [("3", 0, 3, false), ("9", 1, 3, true)] {
        let text = format!("# A\n\n## 1 Try\n\n{}", counting.replace("NEEDED", needed));
        let project = project(&text);
        let said = say(&project, &["run", "a.runbook.md", "--permit"]);
        assert_eq!(said.code, Some(code), "{}{}", said.out, said.err);
        assert_eq!(project.text("tries").lines().count(), tries);
        assert_eq!(project.root.join("rescued").exists(), rescued);
        let (_, state) = latest(&project);
        assert_eq!(
            reasons(&state)[..2],
            ["fail:RETRY (1/2)", "fail:RETRY (2/2)"],
            "the counter is shown"
        );
        assert_eq!(state.message.as_deref(), rescued.then_some("Rescued."));
        verified(&project);
    }
}

/// The driver waits with the first line already printed, so output is not held back to the step's end.
#[test]
fn output_is_shown_as_it_comes_and_kept() {
    let project = project(
        "# A\n\n## 1 Talk\n\n```bash\necho the first line\nwhile ! test -e go; do sleep 0.05; done\necho the last line\n```\n",
    );
    let mut driver = Driven::start(&project, &["run", "a.runbook.md", "--permit"]).expect("it starts");
    until("the first line", || {
        driver.said().contains("the first line").then_some(())
    })
    .expect("it is shown");
    assert!(driver.goes_on());
    assert!(!driver.said().contains("the last line"));
    project.write(&[("go", "")]).expect("a file");
    let said = driver.end().expect("it ends");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("the last line"), "{}", said.out);
    let (_, state) = latest(&project);
    let result = state.steps["1"].visits[0].attempts[0].result.clone();
    assert_eq!(
        result.map(|r| r.output.clone()).as_deref(),
        Some("the first line\nthe last line\n"),
        "both lines are kept"
    );
    verified(&project);
}

/// Code blocks may take as long as they like, whatever limit the project gives to agents (seed 002 "Execution Semantics").
#[test]
fn code_blocks_have_no_timeout_and_run_where_the_project_is() {
    let project = Project::new(&[
        ("gatehouse.yaml", "runtime: {step_timeout_seconds: 0.5}\n"),
        (
            "deep/a.runbook.md",
            "# A\n\n## 1 Sleep\n\n```bash\nsleep 1.5\npwd\necho \"hello $GREETING_OF_THE_HOUSE\"\n```\n",
        ),
    ])
    .expect("a project");
    let mut command =
        tests::program::command(&project.root, &["run", "deep/a.runbook.md", "--permit"]).expect("gatehouse is built");
    command.env("GREETING_OF_THE_HOUSE", "from the terminal");
    let said = Said::from(command.output().expect("it runs"));
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let root = project.root.to_string_lossy().into_owned();
    assert!(said.out.contains(&root), "it runs in {root}: {}", said.out);
    assert!(
        said.out.contains("hello from the terminal"),
        "the environment is inherited: {}",
        said.out
    );
    verified(&project);
}

#[test]
fn a_run_is_set_aside_and_taken_up_again_by_other_programs() {
    let project = project(
        "# A\n\n## 1 Long\n\n```bash\necho begun > begun\nwhile ! test -e go; do sleep 0.05; done\n```\n\n## 2 Next\n\n```bash\necho next > next\n```\n\n\
         ## 3 Well?\n\n- YES: COMPLETE \"Well.\"\n- NO: STOP\n",
    );
    let driver = Driven::start(&project, &["run", "a.runbook.md", "--permit"]).expect("it starts");
    until("the first step runs", || {
        project.root.join("begun").exists().then_some(())
    })
    .expect("it runs");
    let (run, _) = latest(&project);
    // What is under way finishes; nothing further starts.
    done(&project, &["stash", run.as_str()]);
    project.write(&[("go", "")]).expect("a file");
    until("it is set aside", || {
        (latest(&project).1.status == RunStatus::Paused).then_some(())
    })
    .expect("it is");
    drop(driver);
    assert!(!project.root.join("next").exists(), "step 2 has not begun");
    let shown = done(&project, &["status", run.as_str()]);
    assert!(shown.out.to_lowercase().contains("pause"), "{}", shown.out);
    done(&project, &["pop", run.as_str(), "--until-blocked"]);
    assert_eq!(project.text("next"), "next\n");
    // While a person is waited for, too; and the answer is still taken afterwards.
    done(&project, &["stash", run.as_str()]);
    done(&project, &["pop", run.as_str(), "--until-blocked"]);
    answer(&project, &run, "3", "yes");
    let (_, state) = latest(&project);
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(path(&state), ["1", "2", "3"]);
    assert_eq!(state.steps["1"].visits.len(), 1, "the step that was under way ran once");
    verified(&project);
}

const AROUND: &str = "# Around\n\n## 1 Before\n\n```bash\necho before >> order\n```\n\n## 2 Inside\n\n- child.runbook.md\n\n\
                      - PASS: CONTINUE\n- FAIL: STOP \"The child failed.\"\n\n## 3 After\n\n```bash\necho after >> order\n```\n";

#[test]
fn a_child_runbook_is_a_run_of_its_own_linked_both_ways() {
    for (ends, code, message) in [("COMPLETE", 0, None), ("STOP", 1, Some("The child failed."))] {
        let project = Project::new(&[
            ("runs/around.runbook.md", AROUND),
            (
                "runs/child.runbook.md",
                &format!("# Child\n\n## 1 Work\n\n```bash\necho child >> order\n```\n\n- PASS: {ends}\n"),
            ),
        ])
        .expect("a project");
        let said = say(&project, &["run", "runs/around.runbook.md", "--permit"]);
        assert_eq!(said.code, Some(code), "{}{}", said.out, said.err);
        let (around, state) = run_of(&project, "runs/around.runbook.md").expect("the run");
        let (child, inside) = run_of(&project, "runs/child.runbook.md").expect("the child's run");
        assert_eq!(state.message.as_deref(), message);
        let parent = inside
            .created
            .and_then(|c| c.parent.clone())
            .expect("the child knows its parent");
        assert_eq!((&parent.run, parent.instance.step.as_str()), (&around, "2"));
        let result = state.steps["2"].visits[0].attempts[0].result.clone();
        let runs = result.expect("a result").report["runbooks"].clone();
        assert_eq!(runs[0]["run"], child.as_str(), "the parent names its child: {runs}");
        assert_eq!(runs[0]["result"], if code == 0 { "PASS" } else { "FAIL" });
        verified(&project);
    }
}

#[test]
fn a_child_is_finished_after_its_driver_was_killed_in_the_middle_of_it() {
    let project = Project::new(&[
        ("around.runbook.md", AROUND),
        (
            "child.runbook.md",
            "# Child\n\n## 1 First\n\n```bash\necho first >> order\n```\n\n## 2 Long\n\n```bash\necho long >> order\nwhile ! test -e go; do sleep 0.05; \
             done\n```\n\n## 3 Well?\n\n- YES: COMPLETE\n- NO: STOP\n",
        ),
    ])
    .expect("a project");
    let driver = Driven::start(&project, &["run", "around.runbook.md", "--permit"]).expect("it starts");
    until("the child is at its long step", || {
        project.text("order").contains("long").then_some(())
    })
    .expect("it is");
    driver.kill();
    let (around, state) = run_of(&project, "around.runbook.md").expect("the run");
    assert!(!state.status.ended());
    project.write(&[("go", "")]).expect("a file");
    let second = Driven::start(&project, &["resume", around.as_str()]).expect("it starts");
    let child = asked(&project, "child.runbook.md", "3");
    answer(&project, &child, "3", "yes");
    let said = second.end().expect("it ends");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let store = project.store().expect("a history");
    assert_eq!(
        store.runs(&RunFilter::default()).expect("the runs").len(),
        2,
        "the same child was taken up, not another one begun"
    );
    let order = project.text("order");
    let lines: Vec<&str> = order.lines().collect();
    assert_eq!(
        lines.iter().filter(|l| **l == "first").count(),
        1,
        "what had ended is not run again: {order}"
    );
    assert_eq!(
        (lines.first(), lines.last()),
        (Some(&"before"), Some(&"after")),
        "{order}"
    );
    verified(&project);
}

#[test]
fn prompted_runs_ask_about_everything_and_execute_nothing() {
    let project = project(
        "# A\n\n## 1 Break things\n\n```bash\ntouch broken\n```\n\n## 2 Break more\n\n```bash\ntouch broken\n```\n\n- FAIL: GOTO Mend\n\n## Mend\n\n\
         ```bash\ntouch broken\n```\n\n- PASS: COMPLETE \"Mended.\"\n",
    );
    done(&project, &["run", "a.runbook.md", "--prompted", "--until-blocked"]);
    let (run, _) = latest(&project);
    for (step, word) in [("1", "pass"), ("2", "fail"), ("Mend", "pass")] {
        asked(&project, "a.runbook.md", step);
        answer(&project, &run, step, word);
        if !latest(&project).1.status.ended() {
            done(&project, &["resume", run.as_str(), "--until-blocked"]);
        }
    }
    let (_, state) = latest(&project);
    assert_eq!(path(&state), ["1", "2", "Mend"]);
    assert_eq!(state.message.as_deref(), Some("Mended."));
    assert!(!project.root.join("broken").exists(), "nothing was executed");
    verified(&project);
}

#[test]
fn steps_are_given_to_people_and_to_agents() {
    let project = Project::new(&[
        (
            "gatehouse.yaml",
            "agents: {robot: {engine: shell, run: 'echo \"$GATEHOUSE_STEP\" >> robot'}}\n",
        ),
        (
            "a.runbook.md",
            "---\nagents:\n  '1': robot\n---\n# A\n\n## 1 Sweep the floor\n\n- YES: CONTINUE\n- NO: STOP\n\n## 2 Count the chairs\n\n\
             - YES: CONTINUE\n- NO: STOP\n\n## 3 Lock the door\n\n- YES: COMPLETE\n- NO: STOP\n",
        ),
    ])
    .expect("a project");
    let arguments = ["--assign", "2=robot", "--assign", "3=anna", "--until-blocked"];
    done(&project, &[&["run", "a.runbook.md"][..], &arguments].concat());
    let (run, state) = latest(&project);
    assert_eq!(project.text("robot"), "1\n2\n", "by front matter and by --assign");
    assert_eq!(state.waiting().map(|w| w.opened.instance.step.as_str()), Some("3"));
    let created = state.created.expect("created");
    assert_eq!(created.assigned["3"].as_str(), "anna");
    answer(&project, &run, "3", "yes");
    assert_eq!(latest(&project).1.status, RunStatus::Ended(EndStatus::Succeeded));
    verified(&project);
}

#[test]
fn a_run_that_waits_is_sent_elsewhere() {
    let project = project(
        "# A\n\n## 1 Wait\n\n- YES: CONTINUE\n- NO: STOP\n\n## 2 Never\n\n```bash\ntouch never\n```\n\n- PASS: STOP\n\n## 3 Work\n\n\
         ### 3.1 One\n\n```bash\ntouch one\n```\n\n### 3.2 Two\n\n```bash\ntouch two\n```\n",
    );
    done(&project, &["run", "a.runbook.md", "--permit", "--until-blocked"]);
    let (run, _) = latest(&project);
    let refused = say(&project, &["goto", run.as_str(), "4"]);
    assert_eq!(refused.code, Some(3), "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("error: "), "{}", refused.err);
    done(&project, &["goto", run.as_str(), "3.2"]);
    done(&project, &["resume", run.as_str()]);
    let there = |name: &str| project.root.join(name).exists();
    assert_eq!((there("never"), there("one"), there("two")), (false, false, true));
    let (_, state) = latest(&project);
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert!(
        reasons(&state).iter().any(|r| r.starts_with("jump:")),
        "{:?}",
        reasons(&state)
    );
    verified(&project);
    // Kept as a scenario, where the person sent it stands in the place of what they would have said of the step.
    let document = dialect::Document::parse("a.runbook.md", &project.text("a.runbook.md"));
    let of = runtime::scenario::Recorded {
        run: &run,
        workflow: document.workflow(),
        state: &state,
        overtaken: &runtime::scenario::Overtaken::default(),
        text_of: &|_| None,
    };
    let kept = runtime::scenario::recorded("Sent elsewhere", &of);
    assert_eq!(kept["steps"]["1"], serde_json::json!([{"jump": "3.2"}]), "{kept:?}");
}

#[test]
fn a_dynamic_step_goes_on_until_its_own_check_finds_nothing_left() {
    let project = project(
        "# A\n\n## {N} For each job\n\n### {N}.1 Is one left?\n\n```bash\ntest $(ls done | wc -l) -lt 3\n```\n\n- FAIL: COMPLETE \"Three were done.\"\n\n\
         ### {N}.2 Do it\n\n```bash\ntouch done/$(ls done | wc -l)\n```\n\n- PASS: GOTO NEXT {N}\n",
    );
    project.write(&[("done/0", "")]).expect("a file");
    done(&project, &["run", "a.runbook.md", "--permit"]);
    let (_, state) = latest(&project);
    assert_eq!(path(&state), ["{N}.1", "{N}.2", "{N}.1", "{N}.2", "{N}.1"]);
    let instances: Vec<Vec<u32>> = state.steps["{N}.1"]
        .visits
        .iter()
        .map(|v| v.instance.path.clone())
        .collect();
    assert_eq!(instances, [vec![1], vec![2], vec![3]]);
    assert_eq!(state.message.as_deref(), Some("Three were done."));
    verified(&project);
}

#[test]
fn the_outcome_of_a_step_is_that_of_its_substeps() {
    for (modes, ends, second) in [
        ("- PASS ALL: COMPLETE all\n- FAIL ANY: STOP some\n", "some", false),
        ("- PASS ANY: COMPLETE one\n- FAIL ALL: STOP none\n", "one", true),
    ] {
        let project = project(&format!(
            "# A\n\n## 1 Both\n\n{modes}\n### 1.1 Bad\n\n```bash\nfalse\n```\n\n### 1.2 Good\n\n```bash\ntouch second\n```\n"
        ));
        say(&project, &["run", "a.runbook.md", "--permit"]);
        let (_, state) = latest(&project);
        assert_eq!(state.message.as_deref(), Some(ends));
        assert_eq!(project.root.join("second").exists(), second, "{modes}");
        verified(&project);
    }
}
