//! What a command prints, reports and makes.

use crate::harness::{ONE, Project, ended, result};
use engine::{Event, ExecutionStatus};

#[tokio::test]
async fn the_exit_code_decides_and_the_last_complaint_is_the_reason() {
    let state = Project::shell("echo fine; echo working >&2").whole(ONE, None).await;
    assert_eq!(ended(&state), "succeeded");
    assert!(result(&state, "work").output.contains("fine\n") && result(&state, "work").output.contains("working\n"));
    let state = Project::shell("echo first >&2; echo 'compiler missing' >&2; echo >&2; exit 7")
        .whole(ONE, None)
        .await;
    assert_eq!(
        state.error.as_deref(),
        Some("command ended with exit code 7: compiler missing")
    );
    let state = Project::shell("kill -SEGV $$").whole(ONE, None).await;
    assert_eq!(state.error.as_deref(), Some("command was ended by signal 11 (SIGSEGV)"));
    let state = Project::command("").whole(ONE, None).await;
    assert!(
        state.error.as_deref().expect("why").contains("wrote no report"),
        "{:?}",
        state.error
    );
    let state = Project::new("agents: {worker: {engine: command, run: [/no/such/program]}}")
        .whole(ONE, None)
        .await;
    assert!(
        state
            .error
            .as_deref()
            .expect("why")
            .starts_with("`/no/such/program` could not be started"),
        "{:?}",
        state.error
    );
}

#[tokio::test]
async fn a_program_reads_its_brief_and_reports() {
    let project = Project::command(
        "cat > brief.json; echo thinking >&2; echo made > made.md
         echo '{\"status\": \"VERIFIED\", \"owner\": \"Ann\", \"output\": \"said\", \"artifacts\": [\"made.md\"], \"tokens\": {\"prompt\": 2, \"completion\": 3}}'",
    );
    let run = project.start(ONE, None);
    let state = project.drive(&run).await;
    let work = result(&state, "work");
    assert_eq!(
        (work.status, work.output.as_str(), work.tokens.total),
        (ExecutionStatus::Succeeded, "said", 5)
    );
    assert_eq!(
        (work.report["status"].as_str(), work.report["owner"].as_str()),
        (Some("VERIFIED"), Some("Ann"))
    );
    assert_eq!(project.store.blob(&work.artifacts[0].digest).expect("kept"), b"made\n");
    let brief: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(project.root.join("brief.json")).expect("it was read"))
            .expect("JSON");
    assert_eq!(brief["version"], 1);
    assert_eq!(brief["run_id"], run.as_str());
    assert_eq!(
        (&brief["step"]["id"], &brief["agent"], &brief["attempt"]),
        (&"work".into(), &"worker".into(), &1.into())
    );
    assert!(brief["prompt"].as_str().expect("text").contains("Works."));
    let printed: Vec<_> = project.events(&run).into_iter().filter_map(printed).collect();
    assert_eq!(printed, [("stderr".to_owned(), "thinking\n".to_owned())]);
}

fn printed(event: Event) -> Option<(String, String)> {
    match event {
        Event::Output { stream, text, .. } => Some((stream, text)),
        _ => None,
    }
}

#[tokio::test]
async fn a_bad_report_fails_with_what_was_wrong() {
    for (script, says) in [
        ("echo 'Sure! Here is the report: {}'", "is not one JSON object"),
        ("echo '[1, 2]'", "not an object"),
        ("echo '{\"artifacts\": [\"../secret\"]}'", "leads out of the project"),
        (
            "ln -s /etc/hostname link; echo '{\"artifacts\": [\"link\"]}'",
            "by a symbolic link",
        ),
        ("echo '{\"artifacts\": [\"none.md\"]}'", "no such file"),
        (
            "echo '{\"status\": \"failed\", \"error\": \"no network\"}'",
            "no network",
        ),
        (
            "echo '{\"status\": \"VERIFIED\"}'; echo broken >&2; exit 3",
            "exit code 3: broken",
        ),
    ] {
        let state = Project::command(&format!("cat > /dev/null; {script}"))
            .whole(ONE, None)
            .await;
        assert_eq!(ended(&state), "failed", "{script}");
        assert!(
            state.error.as_deref().expect("why").contains(says),
            "{script}: {:?}",
            state.error
        );
    }
}

#[tokio::test]
async fn a_shell_step_may_report_in_a_file() {
    let state = Project::shell("echo '{\"status\": \"VERIFIED\"}' > \"$GATEHOUSE_REPORT\"; echo talked")
        .whole(ONE, None)
        .await;
    let work = result(&state, "work");
    assert_eq!(
        (work.report["status"].as_str(), work.output.as_str()),
        (Some("VERIFIED"), "talked\n")
    );
    let state = Project::shell("echo '{' > \"$GATEHOUSE_REPORT\"")
        .whole(ONE, None)
        .await;
    assert!(
        state
            .error
            .as_deref()
            .expect("why")
            .contains("GATEHOUSE_REPORT is not one JSON object"),
        "{:?}",
        state.error
    );
}

#[tokio::test]
async fn a_flood_is_bounded_in_the_log_and_kept_whole() {
    let project = Project::shell("head -c 10000000 /dev/zero | tr '\\0' x; echo; echo end");
    let run = project.start(ONE, None);
    let begun = std::time::Instant::now();
    let state = project.drive(&run).await;
    assert!(
        begun.elapsed() < std::time::Duration::from_secs(120),
        "{:?}",
        begun.elapsed()
    );
    let work = result(&state, "work");
    assert!(work.output.len() < 51_200 && work.output.len() > 51_000);
    assert!(work.output.contains("\n… ") && work.output.contains(" bytes left out here …\n"));
    assert!(work.output.ends_with("x\nend\n"), "what it ended with is there");
    let whole = project
        .store
        .blob(work.whole_output.as_ref().expect("it was cut"))
        .expect("kept");
    assert_eq!(whole.len(), 10_000_005);
    let inline: usize = project
        .events(&run)
        .into_iter()
        .filter_map(printed)
        .map(|(_, text)| text.len())
        .sum();
    assert!(inline <= 256 * 1024 && inline > 200 * 1024, "{inline}");
    let last = project.events(&run).into_iter().filter_map(printed).next_back();
    assert!(last.is_some_and(|(_, text)| text.ends_with("end\n")), "its end is told");
}

#[tokio::test]
async fn output_arrives_while_the_step_runs() {
    let project = Project::shell("echo early; while [ ! -e go ]; do sleep 0.02; done; echo late");
    let run = project.start(ONE, None);
    let driving = project.driving(&run, Project::options(), &Default::default());
    let begun = std::time::Instant::now();
    while !project
        .events(&run)
        .into_iter()
        .filter_map(printed)
        .any(|(_, text)| text.contains("early"))
    {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60));
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    std::fs::write(project.root.join("go"), "").expect("a file");
    let (_, state) = crate::harness::within(20, driving)
        .await
        .expect("no panic")
        .expect("driven");
    assert_eq!(result(&state, "work").output, "early\nlate\n");
}

#[test]
fn commands_get_what_they_need_and_no_secrets() {
    // The environment of this process cannot be changed safely while other tests run: another one is started.
    let inner = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["attempts::inner_environment", "--exact", "--ignored"])
        .envs([
            ("PROBE_TOKEN", "1"),
            ("PROBE_API_KEY", "2"),
            ("PROBE_PLAIN", "3"),
            ("MODEL_API_KEY", "4"),
        ])
        .status()
        .expect("it can be started");
    assert!(inner.success());
}

#[tokio::test]
#[ignore = "started by the test above, with an environment of its own"]
async fn inner_environment() {
    if std::env::var_os("PROBE_TOKEN").is_none() {
        return;
    }
    let project =
        Project::shell("env > seen.txt; pwd > where.txt; test -f \"$GATEHOUSE_BRIEF\" && test -d \"$RUN_BASE\"");
    let run = project.start(ONE, None);
    let options = runtime::Options {
        pass: vec!["MODEL_API_KEY".into()],
        ..Project::options()
    };
    let (_, state) = project
        .driver(options)
        .drive(&run, &Default::default())
        .await
        .expect("driven");
    assert_eq!(ended(&state), "succeeded");
    let seen = std::fs::read_to_string(project.root.join("seen.txt")).expect("written");
    for there in ["GATEHOUSE_STEP=work\n", "PATH=", "PROBE_PLAIN=3\n", "MODEL_API_KEY=4\n"] {
        assert!(seen.contains(there), "{there} is missing in {seen}");
    }
    for secret in ["PROBE_TOKEN", "PROBE_API_KEY"] {
        assert!(!seen.contains(secret), "{secret} is in {seen}");
    }
    assert_eq!(
        std::fs::read_to_string(project.root.join("where.txt"))
            .expect("written")
            .trim(),
        project.root.to_string_lossy()
    );
}

/// A run that begins in the middle has no earlier step that would have made them. A link that stands in the way is not followed.
#[tokio::test]
async fn the_folders_of_what_a_step_makes_in_the_folder_of_the_run_are_there() {
    let project = Project::shell("echo a > \"$RUN_BASE/desk/in/note.md\" && test ! -e \"$RUN_BASE/every\"");
    let flow = "id: f
steps:
  - id: work
    role: Work
    agents: [worker]
    outputs: [RUN_BASE/desk/in/note.md, \"RUN_BASE/every/*/one.md (optional)\", RUN_BASE/out/far/note.md (optional)]
    routing: {kind: terminal}
";
    let run = project.start(flow, None);
    let base = project.root.join(runtime::project::run_base(&run));
    std::fs::create_dir_all(&base).expect("made");
    std::os::unix::fs::symlink("../..", base.join("out")).expect("linked");
    let (_, state) = project
        .driver(Project::options())
        .drive(&run, &Default::default())
        .await
        .expect("driven");
    assert!(base.join("desk/in/note.md").is_file(), "{:?}", state.error);
    assert!(!project.root.join(".gatehouse/far").exists());
}
