//! A run that failed goes on with its mended file: a new run that begins with what the old one has done, so that nothing completed is done
//! again and what was signed still holds.

use serde_json::Value;
use studio::command::RunAt;
use studio::verify::view::VerifyView;
use studio::{Client, Identity, Studio};
use tests::forger::Forger;
use tests::project::Project;

const CONFIG: &str = "version: 1
agents:
  worker: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt; echo done > memo.md\"}
  checker: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt; test -f licence.txt\"}
";

/// A person approves what is written; the check fails.
const FLOW: &str = "key: release
title: Release
steps:
  - {id: write, role: Write it, agents: [worker], outputs: [memo.md], human_gate: required, gate_at: after, gate_question: Is it well written?}
  - {id: check, role: Check it, agents: [checker]}
  - {id: publish, role: Publish it, agents: [worker]}
";

fn project(file: &str, text: &str) -> Project {
    Project::new(&[("gatehouse.yaml", CONFIG), (file, text)]).expect("a project")
}

fn worked(project: &Project) -> Vec<String> {
    project.text("worked.txt").lines().map(ToOwned::to_owned).collect()
}

fn latest(project: &Project) -> String {
    project.latest().expect("readable").expect("a run").0.to_string()
}

/// Runs the file to its failure, every gate approved and signed.
fn failed(project: &Project, file: &str) -> String {
    let run = project.gatehouse(&["run", file, "--yes", "--by", "Ada Lund"]);
    let run = run.expect("gatehouse is built");
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    latest(project)
}

fn mend(project: &Project, file: &str, from: &str, to: &str) {
    let text = project.text(file);
    assert!(text.contains(from), "{from} in {text}");
    project.write(&[(file, &text.replace(from, to))]).expect("written");
}

fn verify(project: &Project, run: &str) -> VerifyView {
    let identity = Identity::open_in(&project.home(), false).expect("an identity");
    let studio = Studio::open_as(&project.root, Client::Cli, identity).expect("the project opens");
    studio.verify(RunAt::live(run)).expect("it can be verified")
}

/// The run that went on without an answer is no run that is over without one.
#[test]
fn of_a_gate_that_was_taken_away_the_report_says_that_the_run_went_on_without_it() {
    let project = project("release.yaml", FLOW);
    project.write(&[("licence.txt", "MIT\n")]).expect("written");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let told = |run: &str| {
        let report = said(&["report", run, "--output", "report.html"]);
        assert_eq!(report.code, Some(0), "{}{}", report.out, report.err);
        project.text("report.html")
    };
    said(&["run", "release.yaml", "--until-blocked"]);
    let first = latest(&project);
    assert_eq!(said(&["abort", &first]).code, Some(0));
    assert!(told(&first).contains("not answered: the run is over"));

    mend(&project, "release.yaml", "human_gate: required, ", "");
    let on = said(&["resume", &first, "--mended"]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    let second = told(&latest(&project));
    // The record of the new run names what nobody is asked any more.
    assert!(second.contains("The gate at “Write”"), "{second}");
    assert!(
        second.contains("not answered: the run ended, and was taken up again without it"),
        "{second}"
    );
    assert!(!second.contains("not answered: the run is over"), "{second}");
}

#[test]
fn what_is_completed_is_not_done_again_and_what_was_signed_holds() {
    let project = project("release.yaml", FLOW);
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let first = failed(&project, "release.yaml");
    let before = project.text(format!(".gatehouse/runs/{first}/events.jsonl"));
    mend(&project, "release.yaml", "agents: [checker]", "agents: [worker]");
    let announce = "  - {id: announce, role: Announce it, agents: [worker]}\n";
    mend(
        &project,
        "release.yaml",
        "  - {id: publish",
        &format!("{announce}  - {{id: publish"),
    );

    let dry = said(&["resume", &first, "--mended", "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{}{}", dry.out, dry.err);
    for line in [
        "A new run begins with what this one has done, and goes on with the file as it is now: “Check”",
        "goes on at: 2 ",
        "not done again: 1 ",
        "changed in the file: 2 Check",
        "new in the file: 3 Announce",
    ] {
        assert!(dry.out.contains(line), "{line}: {}", dry.out);
    }
    assert_eq!(latest(&project), first, "nothing was begun");

    let on = said(&["resume", &first, "--mended"]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    assert_eq!(worked(&project), ["write", "check", "check", "announce", "publish"]);
    let second = latest(&project);
    assert_ne!(second, first);
    assert!(on.out.contains(&second) && on.out.contains(&first), "{}", on.out);
    assert_eq!(project.text(format!(".gatehouse/runs/{first}/events.jsonl")), before);
    assert!(said(&["status", &first]).out.contains("failed"));

    let verified = verify(&project, &second);
    assert!(verified.ok, "{verified:?}");
    assert_eq!(verified.signatures, 1, "{verified:?}");
    let report = said(&["report", &second, "--output", "report.html"]);
    assert_eq!(report.code, Some(0), "{}{}", report.out, report.err);
    let report = project.text("report.html");
    assert!(report.contains(&format!("goes on from run {first}")), "{report}");
    assert!(
        report.contains("Is it well written?"),
        "what was asked and answered is told"
    );
    let against = said(&["verify", &second, "--against", "report.html"]);
    assert_eq!(against.code, Some(0), "{}{}", against.out, against.err);
    let meta: Value = serde_json::from_str(&project.text(format!(".gatehouse/runs/{second}/meta.json"))).expect("JSON");
    assert_eq!(meta["continues"]["run_id"], first.as_str());
    // The one answer was given in the first run alone.
    let decided = project.store().expect("a history").decided(10).expect("readable");
    assert_eq!(decided.len(), 1);
    assert_eq!(decided[0].run.as_str(), first);
}

#[test]
fn it_goes_on_again_and_again() {
    let project = project("release.yaml", FLOW);
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let first = failed(&project, "release.yaml");
    mend(&project, "release.yaml", "role: Check it", "role: Check it twice");
    let second = said(&["resume", &first, "--mended"]);
    assert_eq!(second.code, Some(1), "{}{}", second.out, second.err);
    let second = latest(&project);
    mend(&project, "release.yaml", "agents: [checker]", "agents: [worker]");
    let third = said(&["resume", &second, "--mended"]);
    assert_eq!(third.code, Some(0), "{}{}", third.out, third.err);
    let third = latest(&project);
    assert_eq!(worked(&project), ["write", "check", "check", "check", "publish"]);
    for run in [&first, &second, &third] {
        let verified = verify(&project, run);
        assert!(verified.ok, "{verified:?}");
        assert_eq!(verified.signatures, 1, "{verified:?}");
    }
    let visits = project.latest().expect("readable").expect("a run").1;
    let visits: Vec<u32> = visits
        .visits_of(&"check".into())
        .map(|visit| visit.instance.visit)
        .collect();
    assert_eq!(visits, [1, 2, 3]);
}

#[test]
fn a_completed_step_that_was_changed_is_named_and_runs_again_where_that_is_said() {
    let project = project("release.yaml", FLOW);
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let first = failed(&project, "release.yaml");
    mend(&project, "release.yaml", "role: Write it", "role: Write it anew");
    for more in [&["--dry-run"][..], &[]] {
        let on = said(&[&["resume", &first, "--mended"][..], more].concat());
        assert_ne!(on.code, Some(0), "{}{}", on.out, on.err);
        assert!(
            on.err.contains("“Write") && on.err.contains("was changed in the file"),
            "{}",
            on.err
        );
    }
    assert_eq!(latest(&project), first, "nothing was begun");
    std::fs::write(project.root.join("licence.txt"), "ours").expect("written");
    let on = said(&[
        "resume", &first, "--mended", "--from", "write", "--yes", "--by", "Ada Lund",
    ]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    assert_eq!(worked(&project), ["write", "check", "write", "check", "publish"]);
    let verified = verify(&project, &latest(&project));
    assert!(verified.ok, "{verified:?}");
    assert_eq!(verified.signatures, 2, "{verified:?}");
}

#[test]
fn what_is_gone_from_the_file_or_stands_in_another_one_is_refused() {
    let project = project("release.yaml", FLOW);
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let first = failed(&project, "release.yaml");
    for (from, to, why) in [
        ("id: check", "id: inspect", "is not in the file any more"),
        ("id: write", "id: draft", "is not in the file any more"),
        ("key: release", "key: other", "another workflow"),
    ] {
        mend(&project, "release.yaml", from, to);
        let on = said(&["resume", &first, "--mended"]);
        assert_ne!(on.code, Some(0), "{}{}", on.out, on.err);
        assert!(on.err.contains(why), "{why}: {}", on.err);
        mend(&project, "release.yaml", to, from);
    }
    mend(&project, "release.yaml", "steps:", "steps: [");
    let on = said(&["resume", &first, "--mended"]);
    assert_ne!(on.code, Some(0), "{}{}", on.out, on.err);
    assert_eq!(latest(&project), first, "nothing was begun");
    assert_eq!(worked(&project), ["write", "check"]);
}

const LEGAL: &str =
    "  - {id: legal, role: Look at it, agents: [worker], human_gate: required, gate_question: Is it lawful?}\n";

#[test]
fn a_new_step_before_where_it_stood_is_not_passed_by() {
    let project = project("release.yaml", FLOW);
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let first = failed(&project, "release.yaml");
    mend(
        &project,
        "release.yaml",
        "  - {id: check",
        &format!("{LEGAL}  - {{id: check"),
    );
    let dry = said(&["resume", &first, "--mended", "--dry-run"]);
    for line in [
        "goes on at: 2 Legal",
        "may come after it: 3 Check",
        "not done again: 1 ",
    ] {
        assert!(dry.out.contains(line), "{line}: {}{}", dry.out, dry.err);
    }
    // Behind its gate it does not go on.
    for more in [&["--dry-run"][..], &[]] {
        let around = said(&[&["resume", first.as_str(), "--mended", "--from", "check"][..], more].concat());
        let why = "“Check” lies behind the gate at “Legal”, which is new there in the file and at which a person is still to be asked";
        assert!(
            around.code == Some(3) && around.err.contains(why),
            "{}{}",
            around.out,
            around.err
        );
    }
    assert!(
        dry.out.contains("with --from STEP it goes on elsewhere: write\n"),
        "{}",
        dry.out
    );
    std::fs::write(project.root.join("licence.txt"), "ours").expect("written");
    let on = said(&["resume", &first, "--mended", "--until-blocked"]);
    assert!(on.out.contains("Is it lawful?"), "{}{}", on.out, on.err);
    assert_eq!(worked(&project), ["write", "check", "legal"]);
    let second = latest(&project);
    let on = said(&["resume", &second, "--yes", "--by", "Ada Lund"]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    assert_eq!(worked(&project), ["write", "check", "legal", "check", "publish"]);
    let verified = verify(&project, &second);
    assert!(verified.ok, "{verified:?}");
}

#[test]
fn a_new_step_before_a_completed_one_is_left_to_a_person_and_gates_that_are_gone_are_named() {
    let project = project("release.yaml", FLOW);
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let first = failed(&project, "release.yaml");
    mend(
        &project,
        "release.yaml",
        "  - {id: write",
        &format!("{LEGAL}  - {{id: write"),
    );
    let on = said(&["resume", &first, "--mended"]);
    assert_ne!(on.code, Some(0), "{}{}", on.out, on.err);
    assert!(
        on.err.contains("“Legal” is new in the file and comes before “Write”"),
        "{}",
        on.err
    );
    for (from, code) in [("legal", 0), ("check", 3)] {
        let dry = said(&["resume", &first, "--mended", "--from", from, "--dry-run"]);
        assert_eq!(dry.code, Some(code), "{from}: {}{}", dry.out, dry.err);
    }
    mend(&project, "release.yaml", LEGAL, "");
    mend(
        &project,
        "release.yaml",
        ", human_gate: required, gate_at: after, gate_question: Is it well written?",
        "",
    );
    let dry = said(&["resume", &first, "--mended", "--from", "write", "--dry-run"]);
    assert!(
        dry.out.contains("The gate at “Write” is gone."),
        "{}{}",
        dry.out,
        dry.err
    );
}

#[test]
fn stepspec_workflows_and_runbooks_go_on_too() {
    let spec = "format: stepspec\nworkflow: release\nsteps:\n\
        - {id: write, name: Write, agent: worker, human_gate: none}\n\
        - {id: check, name: Check, agent: checker, human_gate: none, retries: {max: 0}}\n\
        - {id: publish, name: Publish, agent: worker, human_gate: none}\n";
    let runbook = "# Release\n\n## 1. Write\n\n- PASS: CONTINUE\n- FAIL: STOP\n\n```bash\necho write >> worked.txt\n```\n\n\
        ## 2. Check\n\n- PASS: CONTINUE\n- FAIL: STOP\n\n```bash\necho check >> worked.txt; test -f licence.txt\n```\n\n\
        ## 3. Publish\n\n- PASS: COMPLETE\n- FAIL: STOP\n\n```bash\necho publish >> worked.txt\n```\n";
    for (file, text, from, to) in [
        ("release.yaml", spec, "agent: checker", "agent: worker"),
        ("release.runbook.md", runbook, "; test -f licence.txt", ""),
    ] {
        let project = project(file, text);
        let first = failed(&project, file);
        mend(&project, file, from, to);
        let on = project.gatehouse(&["resume", &first, "--mended", "--yes", "--by", "Ada Lund"]);
        let on = on.expect("gatehouse is built");
        assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
        assert_eq!(worked(&project), ["write", "check", "check", "publish"], "{file}");
        let verified = verify(&project, &latest(&project));
        assert!(verified.ok, "{file}: {verified:?}");
    }
}

/// Neither the file nor the settings take back what a person has rejected.
#[test]
fn a_rejection_is_not_washed_off_by_an_edit() {
    let spec = "format: stepspec\nworkflow: release\nsteps:\n\
        - {id: write, name: Write, agent: worker, human_gate: none}\n\
        - {id: check, name: Check, agent: worker, human_gate: required}\n\
        - {id: publish, name: Publish, agent: worker, human_gate: none}\n";
    let project = project("release.yaml", spec);
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "release.yaml", "--until-blocked"]);
    let first = latest(&project);
    let no = ["--by", "Ada Lund", "--comment", "not like this"];
    said(&[&["answer", &first, "check", "reject"][..], &no[..]].concat());
    let refused = || {
        for more in [&["--dry-run"][..], &[]] {
            let on = said(&[&["resume", &first, "--mended"][..], more].concat());
            assert_ne!(on.code, Some(0), "{}{}", on.out, on.err);
            let why = "Ada Lund rejected at the gate of “Check” (“not like this”)";
            assert!(on.err.contains(why), "{}", on.err);
        }
    };
    mend(&project, "release.yaml", "human_gate: required", "human_gate: none");
    refused();
    mend(
        &project,
        "release.yaml",
        "name: Check, agent: worker, human_gate: none",
        "name: Check, agent: worker, human_gate: required",
    );
    mend(
        &project,
        "gatehouse.yaml",
        "version: 1\n",
        "version: 1\nhitl: {mode: advisory}\n",
    );
    refused();
    assert_eq!(latest(&project), first, "nothing was begun");
    assert_eq!(worked(&project), ["write"]);
    mend(&project, "gatehouse.yaml", "hitl: {mode: advisory}\n", "");
    let on = said(&["resume", &first, "--mended", "--until-blocked"]);
    assert!(
        on.out.contains("waits for a decision"),
        "it is asked again: {}{}",
        on.out,
        on.err
    );
}

#[test]
fn what_was_taken_over_cannot_be_changed_afterwards() {
    let project = project("release.yaml", FLOW);
    let first = failed(&project, "release.yaml");
    mend(&project, "release.yaml", "agents: [checker]", "agents: [worker]");
    let on = project
        .gatehouse(&["resume", &first, "--mended"])
        .expect("gatehouse is built");
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    let second = latest(&project);
    let forger = Forger::of(&project.root);
    // An event that was taken over, with the new run's chain computed anew.
    forger.rewrite(&second, &|seq, event| {
        if seq == 2 {
            event["at"] = (event["at"].as_i64().unwrap_or_default() + 1).into();
        }
        true
    });
    let found = verify(&project, &second);
    assert!(!found.ok, "{found:?}");
    for code in ["chain", "signature_invalid"] {
        assert!(found.findings.iter().any(|f| f.code == code), "no {code}: {found:?}");
    }
    assert!(verify(&project, &first).findings.iter().all(|f| f.place == "project"));
}

/// What the steps of a run left in its folder is there in that of the run that goes on with its mended file, and in that of the next one: as it stands,
/// also what a step named and a later one changed.
#[test]
fn steps_find_what_the_steps_before_left_in_the_runs_folder() {
    let agents = "version: 1
agents:
  worker: {engine: shell, run: \"mkdir -p $RUN_BASE/desk; cd $RUN_BASE/desk; echo ready > ready.txt; echo one > made.txt; echo 'echo ran' > tool; chmod +x tool\"}
  adder: {engine: shell, run: \"echo two >> $RUN_BASE/desk/made.txt\"}
  checker: {engine: shell, run: \"test -f licence.txt\"}
  reader: {engine: shell, run: \"cat $RUN_BASE/desk/ready.txt\"}
  publisher: {engine: shell, run: \"$RUN_BASE/desk/tool && cat $RUN_BASE/desk/ready.txt $RUN_BASE/desk/made.txt > published.txt\"}
";
    let flow = "key: desk\ntitle: Desk\nsteps:\n  - {id: write, agents: [worker], outputs: [RUN_BASE/desk/made.txt]}\n  \
                - {id: add, agents: [adder]}\n  - {id: check, agents: [checker]}\n  - {id: look, agents: [checker]}\n  \
                - {id: publish, agents: [publisher]}\n";
    let project = Project::new(&[("gatehouse.yaml", agents), ("desk.yaml", flow)]).expect("a project");
    let first = failed(&project, "desk.yaml");
    project
        .write(&[(&format!(".gatehouse/runs/{first}/desk/.git/HEAD"), "x\n")])
        .expect("written");
    mend(
        &project,
        "desk.yaml",
        "id: check, agents: [checker]",
        "id: check, agents: [reader]",
    );
    let dry = project
        .gatehouse(&["resume", &first, "--mended", "--dry-run"])
        .expect("gatehouse is built");
    let left = "Not taken along: desk/.git/HEAD: it belongs to Git.";
    assert!(dry.out.contains(left), "{}", dry.out);
    let on = project
        .gatehouse(&["resume", &first, "--mended"])
        .expect("gatehouse is built");
    assert_eq!(on.code, Some(1), "{}{}", on.out, on.err);
    let second = latest(&project);
    assert_ne!(second, first);
    mend(
        &project,
        "desk.yaml",
        "id: look, agents: [checker]",
        "id: look, agents: [reader]",
    );
    let on = project
        .gatehouse(&["resume", &second, "--mended"])
        .expect("gatehouse is built");
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    let third = latest(&project);
    assert_eq!(project.text("published.txt"), "ready\none\ntwo\n");
    assert_eq!(
        project.text(format!(".gatehouse/runs/{third}/desk/.git/HEAD")),
        "",
        "Git's is left alone"
    );
    let verified = verify(&project, &third);
    assert!(verified.ok, "{verified:?}");
    // What it brought is told from what somebody has made of it since.
    let told = |verified: &VerifyView| verified.notes.join(" ").contains("desk/ready.txt");
    assert!(!told(&verified), "{verified:?}");
    project
        .write(&[(&format!(".gatehouse/runs/{third}/desk/ready.txt"), "another\n")])
        .expect("written");
    let verified = verify(&project, &third);
    assert!(told(&verified), "{verified:?}");
}

#[test]
fn a_gate_that_was_moved_before_the_failed_step_is_asked() {
    let config = "version: 1\nagents:\n  worker: {engine: shell, run: \"true\"}\n  sender: {engine: shell, run: \"test -f ok\"}\n";
    let flow = |order: [&str; 4]| {
        let step = |id: &str| match id {
            "sign" => "  - {id: sign, agents: [worker], human_gate: required, gate_question: Signed?}\n".to_owned(),
            "send" => "  - {id: send, agents: [sender]}\n".to_owned(),
            other => format!("  - {{id: {other}, agents: [worker]}}\n"),
        };
        format!("id: f\ntitle: F\nsteps:\n{}", order.map(step).concat())
    };
    let before = flow(["build", "send", "sign", "tell"]);
    let project = Project::new(&[("gatehouse.yaml", config), ("f.yaml", &before)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "f.yaml"]);
    let (id, _) = project.latest().expect("readable").expect("a run");
    std::fs::write(project.root.join("ok"), "").expect("written");
    std::fs::write(project.root.join("f.yaml"), flow(["build", "sign", "send", "tell"])).expect("written");
    let on = said(&["resume", id.as_str(), "--mended", "--until-blocked"]);
    assert!(on.out.contains("Signed?"), "{}{}", on.out, on.err);
}
