//! Checkpoints (seed 003): a moment of a run has a name, is compared with now and is gone back to, in a new run that begins with what had been done
//! by then. The project's files are put back only as somebody has seen it.

use serde_json::Value;
use studio::command::RunAt;
use studio::verify::view::VerifyView;
use studio::{Client, Identity, Studio};
use tests::program::Said;
use tests::project::Project;

const CONFIG: &str = "version: 1
agents:
  writer: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt; echo $GATEHOUSE_STEP-$(wc -l < worked.txt) > $GATEHOUSE_STEP.md\"}
  keeper: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt; sh report.sh\"}
";

/// A step asks for a checkpoint in its report.
const REPORT: &str = "echo '{\"checkpoint\": \"the plan stands\"}' > $GATEHOUSE_REPORT\n";

const FLOW: &str = "key: plan
title: Plan
steps:
  - {id: draft, role: Draft it, agents: [writer], outputs: [draft.md]}
  - {id: settle, role: Settle it, agents: [keeper]}
  - {id: build, role: Build it, agents: [writer], outputs: [build.md, draft.md], human_gate: required, gate_at: before, gate_question: Shall we build?}
  - {id: publish, role: Publish it, agents: [writer], outputs: [publish.md], human_gate: required, gate_at: after, gate_question: Is it well?}
";

struct Bench {
    project: Project,
}

impl Bench {
    fn new() -> Self {
        let project =
            Project::new(&[("gatehouse.yaml", CONFIG), ("plan.yaml", FLOW), ("report.sh", REPORT)]).expect("a project");
        Self { project }
    }

    fn says(&self, arguments: &[&str]) -> Said {
        self.project.gatehouse(arguments).expect("gatehouse is built")
    }

    fn well(&self, arguments: &[&str]) -> String {
        let said = self.says(arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
        said.out
    }

    fn latest(&self) -> String {
        self.project.latest().expect("readable").expect("a run").0.to_string()
    }

    fn worked(&self) -> Vec<String> {
        self.project.text("worked.txt").lines().map(ToOwned::to_owned).collect()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.well(arguments)).expect("JSON")
    }

    fn studio(&self) -> Studio {
        let identity = Identity::open_in(&self.project.home(), false).expect("an identity");
        Studio::open_as(&self.project.root, Client::Cli, identity).expect("the project opens")
    }

    fn verify(&self, run: &str) -> VerifyView {
        self.studio().verify(RunAt::live(run)).expect("it can be verified")
    }

    /// A run that waits at its first gate, where a person names the moment, and that then goes on to its end.
    fn ended(&self) -> String {
        self.well(&["run", "plan.yaml", "--until-blocked"]);
        let run = self.latest();
        self.well(&["checkpoint", &run, "before the build"]);
        self.well(&["resume", &run, "--yes", "--by", "Ada Lund"]);
        run
    }
}

#[test]
fn a_run_tells_its_checkpoints_and_what_has_been_done_since() {
    let bench = Bench::new();
    let run = bench.ended();
    let listed = bench.json(&["checkpoints", &run, "--json"]);
    let all: Vec<(String, String, String)> = listed["checkpoints"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            (text("kind"), text("name"), text("since"))
        })
        .collect();
    let told = |kind: &str, name: &str, since: &str| (kind.to_owned(), name.to_owned(), since.to_owned());
    assert_eq!(
        all,
        [
            told("step", "the plan stands", "2 steps, 2 files"),
            told("gate", "Shall we build?", "2 steps, 2 files"),
            told("person", "before the build", "2 steps, 2 files"),
            told("gate", "Is it well?", "1 decision"),
        ]
    );
    // The same in the run's session, with the seed's fields, and the file that it names is there.
    let session = bench.json(&["session", "export", &run]);
    let told = session["checkpoints"].as_array().expect("a list");
    assert_eq!(told.len(), 4);
    for (one, step) in told.iter().zip([2, 3, 3, 4]) {
        assert_eq!(one["step_id"], step, "{one}");
        assert!(one["timestamp"].is_string() && one["description"].is_string() && one["id"].is_string());
    }
    let named = told[2]["checkpoint_file"].as_str().expect("a file");
    let kept: Value =
        serde_json::from_str(&bench.project.text(format!(".gatehouse/runs/{run}/{named}"))).expect("JSON");
    assert_eq!(kept["metadata"]["events"], told[2]["event"]);
    let then = bench.json(&["session", "export", &run, "--at", &told[2]["event"].to_string()]);
    assert_eq!(kept, then);
    assert!(bench.verify(&run).ok, "{:?}", bench.verify(&run));
    // Nothing of a run that has ended is named, and a name says something.
    let late = bench.says(&["checkpoint", &run, "too late"]);
    assert_eq!(late.code, Some(3), "{}{}", late.out, late.err);
}

/// Three branches: one is done, one has failed, one waits for a person.
const BRANCHES: &str = "key: branches
title: Branches
steps:
  - id: collect
    agents: [writer]
    routing: {kind: fork, fork_targets: [a, b, c], fork_config: {execution_policy: concurrent, isolation: shared, failure_policy: continue_all}}
  - {id: a, agents: [writer], routing: {kind: linear, next: meet}}
  - {id: b, agents: [breaker], routing: {kind: linear, next: meet}}
  - {id: c, agents: [writer], human_gate: required, routing: {kind: linear, next: meet}}
  - {id: meet, agents: [writer], routing: {kind: join, join_from: [a, b, c], join_config: {strategy: all_complete}, next: last}}
  - {id: last, agents: [writer]}
";

/// The same is said of both ways to go on: where, what may come then, what stays.
#[test]
fn what_comes_after_going_back_is_said_as_of_taking_up() {
    let config = format!("{CONFIG}  breaker: {{engine: shell, run: \"exit 1\"}}\n");
    let project = Project::new(&[("gatehouse.yaml", config.as_str()), ("branches.yaml", BRANCHES)]).expect("a project");
    let bench = Bench { project };
    bench.well(&["run", "branches.yaml", "--until-blocked"]);
    let run = bench.latest();
    bench.well(&["checkpoint", &run, "here"]);
    let said = |dry: &str| -> Vec<String> {
        let told = [
            "goes on at: ",
            "may come after it: ",
            "not done again: ",
            "failed, as it was then: ",
        ];
        let lines = dry
            .lines()
            .filter(|line| told.iter().any(|word| line.starts_with(word)));
        lines.map(str::to_owned).collect()
    };
    let back = bench.well(&["restore-checkpoint", &run, "here", "--dry-run"]);
    assert_eq!(
        said(&back),
        [
            "not done again: 1 Collect, 2 A",
            "failed, as it was then: 3 B",
            "goes on at: 4 C",
            "may come after it: 5 Meet, 6 Last",
        ]
    );
    assert!(
        back.contains("2 steps are done; they stay as they are and are not done again."),
        "{back}"
    );
    let ended = bench.says(&["resume", &run, "--yes", "--by", "Ada Lund"]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
    assert_eq!(
        said(&bench.well(&["resume", &run, "--dry-run"])),
        [
            "goes on at: 1 Collect",
            "may come after it: 3 B, 5 Meet, 6 Last",
            "not done again: 2 A, 4 C",
        ]
    );
}

#[test]
fn going_back_does_nothing_again_that_was_done_and_asks_what_was_asked_then() {
    let bench = Bench::new();
    let run = bench.ended();
    assert_eq!(bench.worked(), ["draft", "settle", "build", "publish"]);
    let draft = bench.project.text("draft.md");

    let before = bench.latest();
    let dry = bench.well(&["restore-checkpoint", &run, "before the build", "--dry-run"]);
    for line in [
        "done since then: 2 steps, 2 files",
        "not done again: 1 ",
        "deleted    build.md",
        "deleted    publish.md",
    ] {
        assert!(dry.contains(line), "{line}: {dry}");
    }
    assert_eq!(bench.latest(), before, "nothing was begun");

    let back = bench.well(&["restore-checkpoint", &run, "before the build", "--until-blocked"]);
    let second = bench.latest();
    assert_ne!(second, run);
    assert!(
        back.contains("going back to “before the build”") && back.contains("Shall we build?"),
        "{back}"
    );
    assert_eq!(
        bench.worked(),
        ["draft", "settle", "build", "publish"],
        "nothing is done before the answer"
    );
    assert_eq!(
        bench
            .project
            .text(format!(".gatehouse/runs/{second}/restored/draft.md")),
        draft
    );
    assert_eq!(
        bench.project.text("build.md"),
        "build-3\n",
        "the project is not touched"
    );

    // It is answered there, in the new run's own name, and signed for it.
    bench.well(&["resume", &second, "--yes", "--by", "Ada Lund"]);
    assert_eq!(
        bench.worked(),
        ["draft", "settle", "build", "publish", "build", "publish"]
    );
    for of in [&run, &second] {
        let verified = bench.verify(of);
        assert!(verified.ok, "{verified:?}");
        // Of two answers, and of who took it up.
        assert_eq!(verified.signatures, 3, "{verified:?}");
    }
    // Where it comes from is told everywhere.
    let list = bench.well(&["list"]);
    assert!(
        list.contains(&format!("goes back to “before the build” of {run}")),
        "{list}"
    );
    bench.well(&["report", &second, "--output", "report.html"]);
    let report = bench.project.text("report.html");
    // A report goes over an older one, and over nothing else.
    bench.well(&["report", &second, "--output", "report.html"]);
    for other in [".gatehouse/history.db", "gatehouse.yaml", "."] {
        let refused = bench.says(&["report", &second, "--output", other]);
        assert_ne!(refused.code, Some(0), "{other}: {}", refused.err);
        assert!(refused.err.contains("no report"), "{other}: {}", refused.err);
    }
    bench.well(&["list"]);
    assert!(report.contains(&format!("goes back to “before the build” of run {run}")));
    let session = bench.json(&["session", "export", &second]);
    assert_eq!(session["metadata"]["continues"]["run_id"], run.as_str());
    assert_eq!(session["metadata"]["continues"]["checkpoint"], "before the build");
    // And it can be gone back to again, also at a gate that the first run asked.
    bench.well(&[
        "restore-checkpoint",
        &second,
        "Shall we build?",
        "--yes",
        "--by",
        "Ada Lund",
    ]);
    let third = bench.verify(&bench.latest());
    assert!(third.ok && third.signatures == 2, "{third:?}");
}

#[test]
fn files_are_put_back_only_as_they_were_shown() {
    let bench = Bench::new();
    let run = bench.ended();
    let write = |path: &str, text: &str| bench.project.write(&[(path, text)]).expect("written");
    // Somebody changes one that the run made later, another is gone.
    write("publish.md", "by hand\n");
    std::fs::remove_file(bench.project.root.join("draft.md")).expect("removed");
    let view = bench.json(&["restore-checkpoint", &run, "before the build", "--dry-run", "--json"]);
    let fates: Vec<(&str, &str)> = view["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["path"].as_str().unwrap_or(""), one["fate"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(
        fates,
        [("build.md", "deleted"), ("draft.md", "written"), ("publish.md", "left")]
    );
    bench.well(&[
        "restore-checkpoint",
        &run,
        "before the build",
        "--put-back",
        "--until-blocked",
    ]);
    assert!(!bench.project.root.join("build.md").exists());
    assert_eq!(bench.project.text("draft.md"), "draft-1\n");
    assert_eq!(bench.project.text("publish.md"), "by hand\n");
    let verified = bench.verify(&bench.latest());
    assert!(verified.ok, "{verified:?}");
    // What stood there before is in the history.
    let (_, state) = bench.project.latest().expect("readable").expect("a run");
    let continued = state
        .created
        .and_then(|created| created.continues.clone())
        .expect("it goes back");
    let replaced = continued
        .put_back
        .iter()
        .find(|file| file.path == "build.md")
        .expect("it was deleted");
    let kept = bench
        .project
        .store()
        .expect("a history")
        .blob(replaced.from.as_ref().expect("it was there"));
    assert_eq!(kept.expect("kept"), b"build-3\n");
}

/// The attempt that passed found there what the one before it had made.
#[test]
fn what_an_attempt_made_that_failed_is_deleted_by_going_back_too() {
    let fails = "> $GATEHOUSE_STEP.md; test $GATEHOUSE_STEP != build || test -e again || { touch again; exit 1; }\"}";
    let config = CONFIG.replace("> $GATEHOUSE_STEP.md\"}", fails);
    let flow = FLOW.replace("[build.md, draft.md],", "[build.md, draft.md], retries: {max: 1},");
    let files = [
        ("gatehouse.yaml", config.as_str()),
        ("plan.yaml", flow.as_str()),
        ("report.sh", REPORT),
    ];
    let bench = Bench {
        project: Project::new(&files).expect("a project"),
    };
    let run = bench.ended();
    assert_eq!(bench.worked(), ["draft", "settle", "build", "build", "publish"]);
    let view = bench.json(&["restore-checkpoint", &run, "before the build", "--dry-run", "--json"]);
    let first = &view["changes"][0];
    assert_eq!(
        (first["path"].as_str(), first["fate"].as_str()),
        (Some("build.md"), Some("deleted")),
        "{view}"
    );
}

/// What an earlier run had made was there when this one began: nobody knows any more what was in it, and it is not deleted.
#[test]
fn what_was_there_before_a_run_is_not_deleted_by_going_back_in_it() {
    let bench = Bench::new();
    bench.ended();
    let run = bench.ended();
    let view = bench.json(&["restore-checkpoint", &run, "before the build", "--dry-run", "--json"]);
    let fates: Vec<(&str, &str)> = view["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["path"].as_str().unwrap_or(""), one["fate"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(
        fates,
        [("build.md", "left"), ("draft.md", "same"), ("publish.md", "left")],
        "{view}"
    );
    let why = view["changes"][0]["why"].as_str().unwrap_or_default();
    assert!(
        why.contains("it is not on record that nothing was there before"),
        "{why}"
    );
    bench.well(&[
        "restore-checkpoint",
        &run,
        "before the build",
        "--put-back",
        "--until-blocked",
    ]);
    assert_eq!(bench.project.text("build.md"), "build-7\n");
    assert_eq!(bench.project.text("publish.md"), "publish-8\n");
}

/// Whoever looks at a run that was gone back from is told which one goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_gone_back_from_names_the_one_that_goes_on() {
    let bench = Bench::new();
    bench.well(&["run", "plan.yaml", "--until-blocked"]);
    let run = bench.latest();
    bench.well(&["restore-checkpoint", &run, "Shall we build?", "--until-blocked"]);
    let second = bench.latest();
    let status = bench.well(&["status", &run]);
    let told = "goes back to “Shall we build?” of this one.";
    assert!(
        status.contains(&format!("Run {second}")) && status.contains(told),
        "{status}"
    );
    assert!(status.contains("This one has not ended"), "{status}");
    bench.well(&["report", &run, "--output", "report.html"]);
    let report = bench.project.text("report.html");
    assert!(report.contains(&second) && report.contains(told), "{report}");
    // That it says so is nobody's change.
    bench.well(&["verify", &run, "--against", "report.html"]);
    // What it asks in the Inbox says so too, and what the new one asks does not.
    let inbox = bench.studio().rpc("inbox.list", Value::Null).await.expect("the Inbox");
    let cards = inbox["waiting"].as_array().expect("cards");
    let said = |run: &str| {
        let card = cards.iter().find(|card| card["run_id"] == run);
        card.map(|card| card["gone_on_from"][0].clone())
    };
    let of_first = said(&run).expect("it asks");
    assert!(
        of_first
            .as_str()
            .is_some_and(|words| words.contains(&second) && words.contains(told)),
        "{of_first}"
    );
    assert_eq!(said(&second), Some(Value::Null));
    // The new one says whence it comes, and nothing goes on from it.
    let status = bench.well(&["status", &second]);
    assert!(!status.contains("of this one"), "{status}");
}

/// A program that a step made is one again, whether it is gone or only its right to be executed is.
#[cfg(unix)]
#[test]
fn what_could_be_executed_can_be_executed_again() {
    use std::os::unix::fs::PermissionsExt;
    let config = "version: 1
agents:
  maker: {engine: shell, run: \"echo 'echo hello' > tool.sh; chmod +x tool.sh; echo plain > plain.txt\"}
";
    let flow = "key: tools
title: Tools
steps:
  - {id: make, role: Make it, agents: [maker], outputs: [tool.sh, plain.txt]}
  - {id: ship, role: Ship it, agents: [maker], human_gate: required, gate_at: before, gate_question: Shall we?}
";
    let bench = Bench {
        project: Project::new(&[("gatehouse.yaml", config), ("tools.yaml", flow)]).expect("a project"),
    };
    bench.well(&["run", "tools.yaml", "--until-blocked"]);
    let run = bench.latest();
    bench.well(&["checkpoint", &run, "made"]);
    bench.well(&["resume", &run, "--yes", "--by", "Ada Lund"]);
    let (tool, plain) = (bench.project.root.join("tool.sh"), bench.project.root.join("plain.txt"));
    let mode = |path: &std::path::Path| path.metadata().expect("there").permissions().mode() & 0o111;
    std::fs::remove_file(&plain).expect("removed");
    for gone in [true, false] {
        match gone {
            true => std::fs::remove_file(&tool).expect("removed"),
            false => {
                std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o644)).expect("set");
                // What could not be executed cannot be again.
                std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o755)).expect("set");
            }
        }
        bench.well(&["restore-checkpoint", &run, "made", "--put-back", "--until-blocked"]);
        assert_ne!(mode(&tool), 0, "gone: {gone}");
        assert_eq!(bench.project.text("tool.sh"), "echo hello\n");
        assert_eq!(mode(&plain), 0);
    }
    let verified = bench.verify(&bench.latest());
    assert!(verified.ok, "{verified:?}");
}

/// The same of a program in the run's own folder, which the run that goes on finds in its own: one that is gone, and one that stands there changed.
#[cfg(unix)]
#[test]
fn what_could_be_executed_in_the_folder_of_a_run_can_be_in_that_of_the_next() {
    use std::os::unix::fs::PermissionsExt;
    let config = "version: 1
agents:
  maker:
    engine: shell
    run: |
      mkdir -p \"$RUN_BASE/desk\"
      cd \"$RUN_BASE/desk\"
      for name in tool.sh plain.txt; do echo \"echo hello\" > $name; done
      chmod +x tool.sh
";
    let flow = "key: tools
title: Tools
steps:
  - {id: make, role: Make it, agents: [maker], outputs: [RUN_BASE/desk/tool.sh, RUN_BASE/desk/plain.txt]}
  - {id: ship, role: Ship it, agents: [maker], human_gate: required, gate_at: before, gate_question: Shall we?}
";
    let bench = Bench {
        project: Project::new(&[("gatehouse.yaml", config), ("tools.yaml", flow)]).expect("a project"),
    };
    bench.well(&["run", "tools.yaml", "--until-blocked"]);
    let run = bench.latest();
    bench.well(&["checkpoint", &run, "made"]);
    let at = |run: &str, name: &str| bench.project.root.join(format!(".gatehouse/runs/{run}/desk/{name}"));
    let mode = |path: &std::path::Path| path.metadata().expect("there").permissions().mode() & 0o111;
    assert_ne!(mode(&at(&run, "tool.sh")), 0, "the step has made a program");
    for gone in [false, true] {
        for name in ["tool.sh", "plain.txt"] {
            let path = at(&run, name);
            std::fs::remove_file(&path).expect("it is there");
            if !gone {
                std::fs::write(&path, "something else\n").expect("written");
                let other = if name == "tool.sh" { 0o644 } else { 0o755 };
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(other)).expect("set");
            }
        }
        bench.well(&["restore-checkpoint", &run, "made", "--until-blocked"]);
        let next = bench.latest();
        let (tool, plain) = (at(&next, "tool.sh"), at(&next, "plain.txt"));
        assert_eq!(std::fs::read_to_string(&tool).expect("there"), "echo hello\n");
        assert_ne!(mode(&tool), 0, "gone: {gone}");
        assert_eq!(mode(&plain), 0, "gone: {gone}");
    }
}

#[test]
fn what_cannot_be_gone_back_to_is_refused_and_begins_nothing() {
    let bench = Bench::new();
    let run = bench.ended();
    for (checkpoint, code) in [("nowhere", "no checkpoint"), ("1", "no checkpoint")] {
        let said = bench.says(&["restore-checkpoint", &run, checkpoint]);
        assert_ne!(said.code, Some(0));
        assert!(said.err.contains(code), "{}", said.err);
    }
    assert_eq!(bench.latest(), run);
    bench.well(&["run", "plan.yaml", "--until-blocked"]);
    let other = bench.latest();
    for (name, why) in [("", "needs a name"), ("  ", "needs a name"), ("a\nb", "one line")] {
        let said = bench.says(&["checkpoint", &other, name]);
        assert_eq!(said.code, Some(3), "{}{}", said.out, said.err);
        assert!(said.err.contains(why), "{}", said.err);
    }
    bench.well(&["checkpoint", &other, "twice"]);
    bench.well(&["checkpoint", &other, "twice"]);
    let said = bench.says(&["restore-checkpoint", &other, "twice"]);
    assert_eq!(said.code, Some(3), "{}{}", said.out, said.err);
    assert!(said.err.contains("Several checkpoints"), "{}", said.err);
    let outer = "# Outer\n\n## 1 All of it\n\n- inner.runbook.md\n\n- PASS: COMPLETE\n- FAIL: STOP\n";
    let inner = "# Inner\n\n## 1 Look at it\n\nIs it fine?\n\n- YES: COMPLETE\n- NO: STOP\n";
    let files = [("outer.runbook.md", outer), ("inner.runbook.md", inner)];
    bench.project.write(&files).expect("written");
    let said = bench.well(&["run", "outer.runbook.md", "--until-blocked"]);
    let inside = said.split("a run inside this one (").nth(1).expect("a run inside");
    let inside = inside.split(')').next().expect("its id");
    bench.well(&["checkpoint", inside, "here"]);
    let why = "This run is a part of the run";
    for dry in [&["--dry-run"][..], &[]] {
        let said = bench.says(&[&["restore-checkpoint", inside, "here"][..], dry].concat());
        assert_eq!(said.code, Some(3), "{}{}", said.out, said.err);
        assert!(
            said.out.is_empty() && said.err.contains(why),
            "{}{}",
            said.out,
            said.err
        );
    }
}

/// Whoever types it may mean either: both are offered, and neither is taken.
#[test]
fn what_is_the_number_of_one_checkpoint_and_the_name_of_another_is_refused() {
    let bench = Bench::new();
    bench.well(&["run", "plan.yaml", "--until-blocked"]);
    let run = bench.latest();
    let of = |name: &str| {
        let all = bench.json(&["checkpoints", &run, "--json"]);
        let all = all["checkpoints"].as_array().expect("a list").clone();
        all.into_iter().find(|one| one["name"] == name).expect("it is there")["seq"].to_string()
    };
    let gate = of("Shall we build?");
    bench.well(&["checkpoint", &run, &gate]);
    bench.well(&["checkpoint", &run, "2026"]);
    let goes = |to: &str| bench.json(&["restore-checkpoint", &run, to, "--dry-run", "--json"])["checkpoint"].clone();
    let named = format!("checkpoint#{}", of(&gate));
    for dry in [&["--dry-run"][..], &[]] {
        let said = bench.says(&[&["restore-checkpoint", &run, &gate][..], dry].concat());
        assert_eq!(said.code, Some(3), "{}{}", said.out, said.err);
        assert!(said.err.contains("the name of another"), "{}", said.err);
        assert!(said.err.contains(&named) && said.err.contains("#1, "), "{}", said.err);
    }
    assert_eq!(bench.latest(), run, "nothing has begun");
    assert_eq!(goes(&named)["name"], gate.as_str());
    assert_eq!(goes(&of(&gate))["name"], gate.as_str());
    assert_eq!(goes("2026")["kind"], "person");
}

/// The log says what was put back before it is: if it is cut off between the two, nothing of the new run begins before it is true.
#[test]
fn what_the_log_says_was_put_back_is_so_before_anything_begins() {
    let bench = Bench::new();
    let run = bench.ended();
    bench.well(&[
        "restore-checkpoint",
        &run,
        "before the build",
        "--put-back",
        "--until-blocked",
    ]);
    let second = bench.latest();
    let write = |path: &str, text: &str| bench.project.write(&[(path, text)]).expect("written");
    // As it stood before, where the power goes between the two; somebody has made another of them their own.
    write("build.md", "build-3\n");
    write("publish.md", "by hand\n");
    bench.well(&["resume", &second, "--until-blocked"]);
    assert!(!bench.project.root.join("build.md").exists());
    assert_eq!(bench.project.text("publish.md"), "by hand\n");
    // Once its steps are at work, the project is theirs.
    bench.well(&["resume", &second, "--yes", "--by", "Ada Lund"]);
    assert_eq!(bench.project.text("build.md"), "build-5\n");
}

/// The log is the truth of a checkpoint too: one that was slipped in is found.
#[test]
fn a_run_that_goes_back_says_what_it_took_over_and_no_more() {
    let bench = Bench::new();
    let run = bench.ended();
    bench.well(&["restore-checkpoint", &run, "before the build", "--until-blocked"]);
    let second = bench.latest();
    let forger = tests::forger::Forger::of(&bench.project.root);
    forger.rewrite(&second, &|seq, event| {
        if seq == 2 {
            event["at"] = (event["at"].as_i64().unwrap_or_default() + 1).into();
        }
        true
    });
    let found = bench.verify(&second);
    assert!(!found.ok, "{found:?}");
}

/// Steps hand each other files in the run's folder that none of them names.
const DESK: &str = "key: desk
title: Desk
steps:
  - {id: collect, agents: [collector], human_gate: required, gate_at: after, gate_question: Is it all?}
  - {id: count, agents: [counter], human_gate: required, gate_at: after, gate_question: Is it right?}
  - {id: publish, agents: [publisher]}
";

const DESK_AGENTS: &str = "version: 1
agents:
  collector: {engine: shell, run: \"mkdir -p $RUN_BASE/desk; echo a > $RUN_BASE/desk/list.txt; echo 1 > $RUN_BASE/desk/count.txt; echo draft > $RUN_BASE/desk/note.md\"}
  counter: {engine: shell, run: \"sleep 0.02; echo 2 > $RUN_BASE/desk/count.txt\"}
  publisher: {engine: shell, run: \"cat $RUN_BASE/desk/list.txt $RUN_BASE/desk/note.md $RUN_BASE/desk/count.txt > published.txt\"}
";

#[test]
fn the_working_files_of_a_run_go_with_it_as_far_as_they_are_known_to_be_as_they_were() {
    let desk = DESK.replace(
        "agents: [collector],",
        "agents: [collector], outputs: [RUN_BASE/desk/note.md],",
    );
    let files = [("gatehouse.yaml", DESK_AGENTS), ("desk.yaml", desk.as_str())];
    let bench = Bench {
        project: Project::new(&files).expect("a project"),
    };
    bench.well(&["run", "desk.yaml", "--yes", "--by", "Ada Lund"]);
    let run = bench.latest();
    let of = |run: &str, name: &str| bench.project.text(format!(".gatehouse/runs/{run}/desk/{name}"));

    // At the second gate nothing had been written that was not there at its end.
    let dry = bench.well(&["restore-checkpoint", &run, "Is it right?", "--dry-run"]);
    assert!(
        dry.contains("Its steps find 2 working files of this run, which have not been written since."),
        "{dry}"
    );
    assert!(!dry.contains("Not taken along"), "{dry}");
    assert!(
        !dry.contains("left alone"),
        "the run's own folder is not the project's: {dry}"
    );
    bench.well(&["restore-checkpoint", &run, "Is it right?", "--yes", "--by", "Ada Lund"]);
    let second = bench.latest();
    assert_ne!(second, run);
    assert_eq!(bench.project.text("published.txt"), "a\ndraft\n2\n");
    for name in ["list.txt", "note.md", "count.txt"] {
        assert_eq!(of(&second, name), of(&run, name), "{name}");
    }
    let verified = bench.verify(&second);
    assert!(verified.ok, "{verified:?}");
    assert!(
        !verified.notes.iter().any(|note| note.contains("not of its record")),
        "{:?}",
        verified.notes
    );

    // At the first one the count was another, and nobody knows which.
    let dry = bench.well(&["restore-checkpoint", &run, "Is it all?", "--dry-run"]);
    assert!(
        dry.contains("Its steps find 1 working file of this run, which has not been written since."),
        "{dry}"
    );
    assert!(
        dry.contains("Not taken along: desk/count.txt: it was written later."),
        "{dry}"
    );
    let told = bench.well(&["restore-checkpoint", &run, "Is it all?", "--until-blocked"]);
    assert!(
        told.contains("Not taken along: desk/count.txt: it was written later."),
        "{told}"
    );
    let third = bench.latest();
    assert_eq!(of(&third, "list.txt"), "a\n");
    assert_eq!(of(&third, "count.txt"), "", "it is not there");

    // And from there once more, also to a moment of its own: what the first run made stands in the folder of each.
    bench.well(&["checkpoint", &third, "here"]);
    bench.well(&["restore-checkpoint", &third, "here", "--until-blocked"]);
    let fourth = bench.latest();
    assert_ne!(fourth, third);
    assert_eq!(
        (of(&fourth, "list.txt"), of(&fourth, "note.md")),
        ("a\n".into(), "draft\n".into())
    );
    let restored = bench
        .project
        .text(format!(".gatehouse/runs/{fourth}/restored/desk/note.md"));
    assert_eq!(restored, "draft\n");
    assert!(bench.verify(&fourth).ok, "{:?}", bench.verify(&fourth));

    // What was named is known, whatever stands in its place by now.
    let named = bench.project.root.join(format!(".gatehouse/runs/{run}/desk/note.md"));
    std::fs::remove_file(&named).expect("it is there");
    std::os::unix::fs::symlink("/etc/hostname", &named).expect("a link");
    bench.well(&["restore-checkpoint", &run, "Is it right?", "--until-blocked"]);
    let fifth = bench.latest();
    assert_ne!(fifth, fourth);
    assert_eq!(of(&fifth, "note.md"), "draft\n");
    let there = bench.project.root.join(format!(".gatehouse/runs/{fifth}/desk/note.md"));
    let mode = std::os::unix::fs::PermissionsExt::mode(&there.metadata().expect("it is there").permissions());
    assert_eq!(mode & 0o111, 0, "a link may be executed, a note not: {mode:o}");
}

#[test]
fn a_rejection_does_not_go_away_by_going_back_to_its_question() {
    let bench = Bench::new();
    bench.well(&["run", "plan.yaml", "--until-blocked"]);
    let first = bench.latest();
    bench.well(&[
        "answer",
        &first,
        "build",
        "reject",
        "--by",
        "Ada Lund",
        "--comment",
        "too dear",
    ]);
    bench.well(&["restore-checkpoint", &first, "Shall we build?", "--until-blocked"]);
    let second = bench.latest();
    assert_ne!(first, second);
    let said =
        format!("In run {first}, from which this one goes back, Ada Lund rejected “Shall we build?”: “too dear”.");
    let status = bench.well(&["status", &second]);
    assert!(status.contains(&said), "{status}");
    bench.well(&["answer", &second, "build", "approve", "--by", "Bo"]);
    bench.well(&["report", &second, "-o", "report.html"]);
    let report = bench.project.text("report.html");
    assert!(report.contains("goes back, Ada Lund rejected"), "{}", report.len());
    bench.well(&["verify", &second, "--against", "report.html"]);
    // The run itself has it in its log.
    assert!(
        !bench
            .well(&["status", &first])
            .contains("from which this one goes back")
    );
}

/// Whoever rejected and then approved has said both.
#[test]
fn of_a_rejection_that_was_taken_back_both_answers_are_told() {
    let bench = Bench::new();
    bench.well(&["run", "plan.yaml", "--until-blocked"]);
    let first = bench.latest();
    let answer = |answer: &str, comment: &str| {
        let about = [
            "answer",
            first.as_str(),
            "build",
            answer,
            "--by",
            "Ada Lund",
            "--comment",
            comment,
        ];
        bench.well(&about)
    };
    answer("reject", "too dear");
    bench.says(&["resume", &first, "--until-blocked"]);
    answer("approve", "all the same");
    bench.well(&["restore-checkpoint", &first, "plan:build:hitl#1", "--until-blocked"]);
    let second = bench.latest();
    assert_ne!(first, second);
    let status = bench.well(&["status", &second]);
    for said in [
        format!("In run {first}, from which this one goes back, Ada Lund rejected “Shall we build?”: “too dear”."),
        format!("Later in run {first} “Shall we build?” was answered again: approved by Ada Lund: “all the same”."),
    ] {
        assert!(status.contains(&said), "{said}: {status}");
    }
}

/// The files of its steps lie in the run's own folder.
const OWN: &str = "key: note
title: Note
steps:
  - {id: write, role: Write it, agents: [noter], outputs: [RUN_BASE/write.md]}
  - {id: check, role: Check it, agents: [noter], outputs: [RUN_BASE/check.md], human_gate: required, gate_at: after, gate_question: Is it well?}
";

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_goes_back_parts_from_the_other_one_where_people_decide_otherwise_and_waits_since_it_began() {
    let config =
        "version: 1\nagents:\n  noter: {engine: shell, run: \"echo $GATEHOUSE_STEP > $RUN_BASE/$GATEHOUSE_STEP.md\"}\n";
    let files = [("gatehouse.yaml", config), ("note.yaml", OWN)];
    let bench = Bench {
        project: Project::new(&files).expect("a project"),
    };
    bench.well(&["run", "note.yaml", "--until-blocked"]);
    let first = bench.latest();
    bench.well(&["restore-checkpoint", &first, "Is it well?", "--until-blocked"]);
    let second = bench.latest();
    assert_ne!(first, second);
    bench.well(&["answer", &first, "check", "approve", "--by", "Ada Lund"]);
    bench.well(&[
        "answer",
        &second,
        "check",
        "changes",
        "--by",
        "Ada Lund",
        "--comment",
        "shorter",
    ]);
    bench.well(&["resume", &second, "--yes", "--by", "Ada Lund"]);
    let view = bench.json(&["compare", &first, &second, "--json"]);
    let words = view["words"].as_str().expect("words");
    assert!(
        words.starts_with("The first step is the same in both. About ") && words.contains("people decided otherwise"),
        "{words}"
    );
    assert_eq!(
        (&view["rows"][0]["apart"], &view["parts_at"]),
        (&Value::Array(Vec::new()), &Value::from(1))
    );
    let files = view["rows"][1]["files"].as_array();
    assert!(files.is_none_or(Vec::is_empty), "{view}");
    // The event has its own time, and nobody waited in the second run before there was one.
    let began = view["right"]["run"]["created_at"].as_i64().expect("a time");
    let asked = |side: &str| view["rows"][1][side]["decisions"][0]["decision"]["opened_at"].as_i64();
    assert_eq!(asked("right"), Some(began), "{view}");
    assert!(asked("left").is_some_and(|asked| asked < began), "{view}");
    let studio = bench.studio();
    let stored = studio.checkpoints(RunAt::live(&second)).await.expect("checkpoints");
    assert_eq!(Some(stored.checkpoints[0].at), asked("left"), "the log tells the truth");
}
