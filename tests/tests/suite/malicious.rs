//! Runbooks that mean harm, given to the real program: each is stopped before anything runs, or shown inert.
//!
//! What reading a script cannot see is written here as well: where a symbolic link leads, and what a program does that the script
//! only names. Such things are asked for by what the script says, and the environment is scrubbed whatever it says.

use serde_json::{Value, json};
use studio::{Client, Identity, Studio};
use tests::program::{self, Said};
use tests::project::Project;

/// Everything is let through but what is denied: whatever stops a script here is a deny rule or holds everywhere.
const OPEN: &str = "permissions: {mode: allow, run: {deny: ['touch *']}}\n";
/// The same rule where nobody is trusted: what no rule names is asked for.
const ASKING: &str = "permissions: {mode: ask, run: {deny: ['touch *']}}\n";

fn one_step(script: &str) -> String {
    format!("# Harmless\n\n## 1 Nothing to see here\n\n````bash\n{script}\n````\n\n- FAIL: STOP stopped\n")
}

fn project(rules: &str, runbook: &str) -> Project {
    Project::new(&[("gatehouse.yaml", rules), ("a.runbook.md", runbook)]).expect("a project")
}

fn say(project: &Project, arguments: &[&str]) -> Said {
    project.gatehouse(arguments).expect("gatehouse is built")
}

/// `gatehouse` with these variables, and a home of its own for `~`.
fn say_with(project: &Project, arguments: &[&str], variables: &[(&str, &str)]) -> Said {
    let mut command = program::command(&project.root, arguments).expect("gatehouse is built");
    command.envs(variables.iter().copied()).env("HOME", project.home());
    Said::from(command.output().expect("it runs"))
}

fn there(project: &Project, file: &str) -> bool {
    project.root.join(file).symlink_metadata().is_ok()
}

/// The run failed at its step because that is not permitted, whoever permits everything: nothing of the script was run.
fn stopped(script: &str, rules: &str, why: &str) {
    let project = project(rules, &one_step(&format!("echo x > begun\n{script}")));
    let said = say_with(&project, &["run", "a.runbook.md", "--permit", "--until-blocked"], &[]);
    assert_eq!(said.code, Some(1), "`{script}` went through: {}{}", said.out, said.err);
    assert!(
        said.out.contains("Not permitted, so nothing was run"),
        "`{script}`: {}",
        said.out
    );
    assert!(
        said.out.contains(why),
        "`{script}`: it does not say `{why}`: {}",
        said.out
    );
    for file in ["begun", "marker", "../marker", "../home/marker"] {
        assert!(!there(&project, file), "`{script}` has made {file}");
    }
    let (run, state) = project.latest().expect("a history").expect("a run");
    assert_eq!(state.message.as_deref(), Some("stopped"), "the way for FAIL was taken");
    assert_eq!(say(&project, &["verify", run.as_str()]).code, Some(0));
}

/// It waits for a person and has run nothing.
fn asked(script: &str, rules: &str, what: &str) {
    let project = project(rules, &one_step(&format!("echo x > begun\n{script}")));
    let said = say_with(&project, &["run", "a.runbook.md", "--until-blocked"], &[]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert!(state.waiting().is_some(), "`{script}` asked nobody: {}", said.out);
    assert!(
        said.out.contains(what),
        "`{script}`: it does not name `{what}`: {}",
        said.out
    );
    for file in ["begun", "marker", "../marker"] {
        assert!(!there(&project, file), "`{script}` has made {file}");
    }
}

#[test]
fn a_denied_command_is_found_wherever_it_hides() {
    for script in [
        "touch marker",
        "echo hello | touch marker",
        "true && touch marker",
        "false || touch marker",
        "true; touch marker",
        "touch marker &",
        "! touch marker",
        "sh -c 'touch marker'",
        "bash -c \"sh -c 'touch marker'\"",
        "eval 'touch marker'",
        "echo $(touch marker)",
        "echo \"now: `touch marker`\"",
        "cat <(touch marker)",
        "\"touch\" marker",
        "to'u'ch marker",
        "/usr/bin/touch marker",
        "env A=b touch marker",
        "nohup nice -n 5 touch marker",
        "timeout 5 touch marker",
        "command touch marker",
        "exec touch marker",
        "echo marker | xargs touch",
        "find . -name a.runbook.md -exec touch marker \\;",
        "if touch marker; then :; fi",
        "for i in 1 2; do touch marker; done",
        "case a in a) touch marker;; esac",
        "f() { touch marker; }; f",
        "(cd . && touch marker)",
        "trap 'touch marker' EXIT",
        "bash <<'END'\ntouch marker\nEND",
        "echo <<END\n$(touch marker)\nEND",
        "A=b touch marker",
        "true \\\n  && touch marker",
    ] {
        stopped(script, OPEN, "deny rule `touch *`");
    }
}

/// What only the run itself could tell is no way round a deny rule: a person is asked, whatever the mode.
#[test]
fn a_command_that_is_only_known_when_it_runs_is_asked_for() {
    for script in [
        "t=touch; $t marker",
        "t() { \"$@\"; }; t touch marker",
        "echo dG91Y2ggbWFya2Vy | base64 -d | sh",
        "eval \"$(printf '%s' 'touch marker')\"",
        "\\touch marker",
    ] {
        asked(script, OPEN, "Waiting for permission");
    }
}

#[test]
fn nothing_is_written_outside_the_project() {
    for script in [
        "echo x > ../marker",
        "echo x >> deep/../../marker",
        "cp a.runbook.md ../marker",
        "cd .. && echo x > marker",
        "mkdir -p ../marker",
        "echo x > ~/marker",
        "echo x > \"$HOME\"/marker",
        "echo x > /etc/marker",
        "sh -c 'echo x > ../marker'",
        "dd if=a.runbook.md of=../marker",
    ] {
        stopped(script, "permissions: {mode: allow}\n", "outside the project");
    }
}

/// Reading a script cannot tell where a link leads. Making one that leads outside is seen; one that lies there already is
/// asked for by its name, as any file is.
#[test]
fn a_link_that_leads_outside_is_not_made_unasked() {
    asked("ln -s .. out && echo x > out/marker", ASKING, "write");
    let project = project("permissions: {mode: ask}\n", &one_step("echo x > out/marker"));
    std::os::unix::fs::symlink("..", project.root.join("out")).expect("a link");
    let said = say(&project, &["run", "a.runbook.md", "--until-blocked"]);
    assert!(said.out.contains("write `out/marker`"), "{}", said.out);
    assert!(!there(&project, "../marker"));
}

#[test]
fn secrets_of_the_environment_stay_where_they_are() {
    const SECRET: &str = "correct horse battery staple";
    let secrets = [
        ("DEPLOY_TOKEN", SECRET),
        ("MY_API_KEY", SECRET),
        ("DB_PASSWORD", SECRET),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
    ];
    // A script that names one is refused.
    for script in [
        "echo $DEPLOY_TOKEN > begun",
        "echo \"${MY_API_KEY:-none}\" > begun",
        "printenv DB_PASSWORD > begun",
        "sh -c 'echo $DEPLOY_TOKEN' > begun",
        "cat /proc/self/environ > begun",
    ] {
        let project = project("permissions: {mode: allow}\n", &one_step(script));
        let said = say_with(&project, &["run", "a.runbook.md", "--permit"], &secrets);
        assert_eq!(said.code, Some(1), "`{script}` went through: {}", said.out);
        assert!(said.out.contains("Not permitted, so nothing was run"), "{}", said.out);
        assert!(!there(&project, "begun"), "`{script}` was run");
    }
    // One that prints everything finds nothing to print, and neither does a program of its own.
    for script in ["env", "printenv", "export -p", "set", "sh ./look.sh", "declare -x"] {
        let project = project("permissions: {mode: allow}\n", &one_step(script));
        project
            .write(&[("look.sh", "echo \"$DEPLOY_TOKEN$DB_PASSWORD\"\nenv\n")])
            .expect("a file");
        let ordinary = [&secrets[..], &[("ORDINARY", "is passed on")]].concat();
        let said = say_with(&project, &["run", "a.runbook.md", "--permit"], &ordinary);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
        assert!(said.out.contains("is passed on"), "`{script}`: {}", said.out);
        assert!(!said.out.contains(SECRET), "`{script}` has told it: {}", said.out);
        let (run, _) = project.latest().expect("a history").expect("a run");
        let events = say(&project, &["events", run.as_str(), "--vocabulary", "native"]);
        assert!(!events.out.contains(SECRET), "{}", events.out);
    }
}

#[test]
fn files_with_secrets_are_not_read() {
    for script in [
        "cat .env",
        "grep KEY < .env",
        ". ./.env",
        "source config/.env.production",
        "cp .env marker",
        "tar cf marker .env",
        "cat ~/.ssh/id_ed25519",
        "head -n 3 keys/server.pem",
        "cat \"$HOME/.aws/credentials\"",
        "while read -r line; do echo \"$line\"; done < .env",
        "base64 .ENV",
    ] {
        stopped(script, "permissions: {mode: allow}\n", "secrets are kept from commands");
    }
}

fn open(project: &Project) -> Studio {
    let me = Identity::open_in(&project.home(), false).expect("an identity");
    me.trust(&project.root, true).expect("trusted");
    Studio::open_as(&project.root, Client::Test, me).expect("the project")
}

/// Every text of a view, whatever it is called.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|v| texts(v, found)),
        Value::Object(all) => all.values().for_each(|v| texts(v, found)),
        _ => {}
    }
}

/// The values of these fields, wherever they are in a view.
fn fields<'v>(value: &'v Value, name: &str, found: &mut Vec<&'v str>) {
    match value {
        Value::Array(all) => all.iter().for_each(|v| fields(v, name, found)),
        Value::Object(all) => {
            for (key, value) in all {
                match value {
                    Value::String(text) if key.ends_with(name) => found.push(text),
                    value => fields(value, name, found),
                }
            }
        }
        _ => {}
    }
}

const PAGE: &str = "# Harmless <script>alert(0)</script>\n\nHello <script src=\"https://evil.example/x.js\"></script> and \
<img src=x onerror=alert(1)> ![pixel](https://evil.example/p.png) [here](javascript:alert(2)) <a href=\"data:text/html,x\">or here</a>.\n\n\
<iframe src=\"https://evil.example\"></iframe><style>* { display: none }</style><form action=\"https://evil.example\"><input></form>\n\n\
## 1 Agree <img src=x onerror=alert(3)>\n\n<svg onload=alert(4)><a xlink:href=\"javascript:alert(5)\">x</a></svg> Do you agree? \
<div style=\"position:fixed\" onclick=\"alert(6)\">YES</div>\n\n- YES: COMPLETE \"<b onmouseover=alert(7)>fine</b>\"\n- NO: STOP\n";

/// Prose is the author's, and what the window renders of it can neither act nor fetch.
#[tokio::test(flavor = "multi_thread")]
async fn html_and_script_in_prose_are_inert() {
    let project = project("", PAGE);
    let studio = open(&project);
    say(&project, &["run", "a.runbook.md", "--until-blocked"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let mut rendered = 0;
    for (command, parameters) in [
        ("workflow.open", json!({"path": "a.runbook.md"})),
        ("workflow.document", json!({"path": "a.runbook.md"})),
        ("run.view", json!({"run_id": run})),
        ("run.document", json!({"run_id": run})),
        ("gate.brief", json!({"run_id": run, "gate": "a:1:hitl"})),
        ("run.step", json!({"run_id": run, "step": "1"})),
    ] {
        let view = match studio.rpc(command, parameters).await {
            Ok(view) => view,
            Err(error) => panic!("{command}: {error:?}"),
        };
        let mut pages = Vec::new();
        fields(&view, "html", &mut pages);
        rendered += pages.len();
        for page in pages {
            let lower = page.to_lowercase();
            for bad in [
                "<script",
                "<img",
                "<iframe",
                "<style",
                "<form",
                "<input",
                "<svg",
                "javascript:",
                "data:text",
                "onerror=",
                "onload=",
                "onclick=",
                "onmouseover=",
                "style=",
                "evil.example",
            ] {
                // Escaped text may say anything; a tag may not.
                let acts = lower.split('<').skip(1).any(|tag| {
                    let tag = tag.split('>').next().unwrap_or_default();
                    format!("<{tag}").contains(bad)
                });
                assert!(!acts, "{command} renders {bad}: {page}");
            }
        }
    }
    assert!(rendered >= 4, "only {rendered} pieces were rendered");
    // The report is a page too.
    let report = project.root.join("report.html");
    say(&project, &["report", run.as_str(), "-o", &report.to_string_lossy()]);
    let page = std::fs::read_to_string(&report).expect("a report").to_lowercase();
    for bad in [
        "<script src",
        "alert(0)</script>",
        "<img src=x",
        "<iframe",
        "<svg onload",
        "<b onmouseover",
    ] {
        assert!(!page.contains(bad), "the report has {bad}");
    }
}

const ESCAPES: [char; 6] = ['\u{1b}', '\u{7}', '\u{8}', '\u{9b}', '\u{202e}', '\u{7f}'];

fn inert(what: &str, text: &str) {
    for escape in ESCAPES {
        assert!(!text.contains(escape), "{what} holds {escape:?}: {text:?}");
    }
}

/// Colours, titles, cursor moves, bells and reordering, in the output of a command and in the file itself.
#[tokio::test(flavor = "multi_thread")]
async fn terminal_escapes_reach_no_terminal() {
    let nasty = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31m\u{9b}1m\u{202e}\u{8}\u{7f}";
    let runbook = format!(
        "# Title {nasty}\n\nProse {nasty}\n\n## 1 Print {nasty}\n\n```bash\nprintf '\\033]0;owned\\007\\033[2J\\033[31mred\\n\\302\\2331m \\342\\200\\256 \\010 \\177\\n'\n\
         printf '\\033[2Jcomplaint\\n' >&2\n```\n\n## 2 Ask {nasty}\n\nWell {nasty}?\n\n- YES: COMPLETE \"fine {nasty}\"\n- NO: STOP \"bad {nasty}\"\n"
    );
    let project = project("", &runbook);
    let run_said = say(&project, &["run", "a.runbook.md", "--permit", "--until-blocked"]);
    assert!(run_said.out.contains("red"), "{}", run_said.out);
    let (run, state) = project.latest().expect("a history").expect("a run");
    assert!(state.waiting().is_some(), "{}{}", run_said.out, run_said.err);
    let run = run.to_string();
    inert("run", &(run_said.out + &run_said.err));
    let answered = |said: Said, what: &str| {
        assert_ne!(said.code, Some(64), "{what}: {}", said.err);
        inert(what, &(said.out + &said.err));
    };
    answered(say(&project, &["check", "a.runbook.md"]), "check");
    answered(say(&project, &["test", "a.runbook.md"]), "test");
    answered(say(&project, &["status", &run]), "status");
    answered(say(&project, &["list"]), "list");
    answered(say(&project, &["list", "--json"]), "list --json");
    answered(say(&project, &["events", &run, "--vocabulary", "native"]), "events");
    answered(say(&project, &["goto", &run, nasty]), "goto");
    answered(say(&project, &["answer", &run, "2", "no", "--by", "Ann"]), "answer");
    answered(say(&project, &["status", &run]), "status at the end");
    answered(say(&project, &["pause", &run]), "pause at the end");
    let studio = open(&project);
    let log = studio.rpc("run.log", json!({"run_id": run})).await.expect("the log");
    let step = studio
        .rpc("run.step", json!({"run_id": run, "step": "1"}))
        .await
        .expect("the step");
    let mut all = Vec::new();
    texts(&log, &mut all);
    for text in all {
        inert("the log", &text);
    }
    // What the agent was told is kept to the letter; what the step printed is for reading.
    let mut printed = Vec::new();
    for name in ["output", "tail", "text"] {
        fields(&step, name, &mut printed);
    }
    assert!(printed.iter().any(|text| text.contains("red")), "{step}");
    for text in printed {
        inert("the step", text);
    }
}

/// Blocks that are only shown stay so, however they are tagged (an original executed `bash prompt`).
#[test]
fn what_is_only_shown_is_never_executed() {
    for tag in [
        "prompt",
        "bash prompt",
        "sh prompt",
        "json",
        "python",
        "BASH",
        "console",
        "",
    ] {
        let text = format!("# A\n\n## 1 Read this\n\n```{tag}\ntouch marker\n```\n\n- YES: COMPLETE\n- NO: STOP\n");
        let project = project("permissions: {mode: allow}\n", &text);
        say(&project, &["run", "a.runbook.md", "--permit", "--until-blocked"]);
        let (_, state) = project.latest().expect("a history").expect("a run");
        assert!(state.waiting().is_some(), "`{tag}` is asked about");
        assert!(!there(&project, "marker"), "`{tag}` was executed");
    }
}

#[test]
fn a_runbook_that_lists_itself_does_not_begin() {
    let project = project(
        "",
        "# Mirror\n\n## 1 Look\n\n- a.runbook.md\n- a.runbook.md\n\n- PASS: CONTINUE\n- FAIL: CONTINUE\n",
    );
    let said = say(&project, &["run", "a.runbook.md"]);
    assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
    assert!(
        said.err
            .contains("`a.runbook.md` runs itself in “Look” (`1`): it would never come to an end"),
        "{}",
        said.err
    );
    let store = project.store().expect("a history");
    let runs = store.runs(&store::RunFilter::default()).expect("the runs");
    assert_eq!(runs.len(), 0, "nothing has begun");
}

#[test]
fn a_runbook_from_outside_the_project_is_not_run() {
    for list in [
        "../outside.runbook.md",
        "../project/../outside.runbook.md",
        "deep/../../outside.runbook.md",
        "link.runbook.md",
    ] {
        let project = project(
            "permissions: {mode: allow}\n",
            &format!("# A\n\n## 1 Inside\n\n- {list}\n\n- FAIL: STOP \"stopped\"\n"),
        );
        let outside = one_step("echo x > marker");
        project.write(&[("../outside.runbook.md", &outside)]).expect("a file");
        std::os::unix::fs::symlink("../outside.runbook.md", project.root.join("link.runbook.md")).expect("a link");
        let said = say(&project, &["run", "a.runbook.md", "--permit"]);
        assert_ne!(said.code, Some(0), "{list}: {}", said.out);
        assert!(
            !there(&project, "marker") && !there(&project, "../marker"),
            "{list} was run"
        );
        let all = said.out + &said.err;
        assert!(
            ["outside", "out of the project", "not in this project"]
                .iter()
                .any(|w| all.contains(w)),
            "{list}: {all}"
        );
    }
}

/// Reads and begins a text of some ten million bytes; a person is asked before anything of it runs.
fn is_read_and_begun(text: &str, to_run: &str) {
    assert!(text.len() > 9_000_000, "{}", text.len());
    for (arguments, text) in [
        (&["check", "a.runbook.md"][..], text),
        (&["run", "a.runbook.md", "--until-blocked"], to_run),
    ] {
        let project = project("", text);
        let said = say(&project, arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {}", said.err);
        assert!(!said.err.contains("panicked"), "{}", said.err);
        if arguments[0] == "run" {
            let (_, state) = project.latest().expect("a history").expect("a run");
            assert!(state.waiting().is_some(), "a person is asked before anything runs");
        }
    }
}

#[test]
fn ten_megabytes_of_prose_are_read() {
    let text = format!(
        "# Long\n\n## 1 Read\n\n{}\n- YES: COMPLETE\n- NO: STOP\n",
        "All work and no play. ".repeat(480_000)
    );
    is_read_and_begun(&text, &text);
}

#[test]
fn ten_megabytes_of_steps_are_read() {
    // Its first step asks, so that the run waits there instead of carrying out all of it.
    let steps = |most: u32| -> String {
        let asks = "## 1 Begin?\n\n- YES: CONTINUE\n- NO: STOP\n\n".to_owned();
        let others =
            (2..=most).map(|n| format!("## {n} Step number {n}\n\n```bash\ntrue {n}\n```\n\n- FAIL: RETRY 2 STOP\n\n"));
        std::iter::once(asks).chain(others).collect()
    };
    // That a run of many begins takes time linear to them, which a third of them shows as well.
    is_read_and_begun(&steps(130_000), &steps(40_000));
}

#[test]
fn ten_megabytes_of_nested_lists_and_of_brackets_are_read() {
    let nested = format!("# Deep\n\n## 1 A\n\n{}\n", "> * ".repeat(2_500_000));
    is_read_and_begun(&nested, &nested);
    let script = format!(
        "# Script\n\n## 1 A\n\n```bash\n{}\n```\n",
        "echo $(( ( ".repeat(900_000)
    );
    is_read_and_begun(&script, &script);
}

/// Jumps that never end are stopped by the engine. In a rehearsal, so that ten thousand steps do not start ten thousand
/// programs: the limit is the engine's and the same.
#[test]
fn jumps_without_end_are_stopped() {
    let project = project(
        "",
        "---\nscenarios:\n  round: {steps: {'1': [{status: succeeded}]}, expect: {status: failed, error: Safety limit reached}}\n---\n\
         # Round\n\n## 1 Tick\n\n```bash\ntrue\n```\n\n- PASS: GOTO 2\n\n## 2 Tock\n\n```bash\ntrue\n```\n\n- PASS: GOTO 1\n",
    );
    let said = say(&project, &["test", "a.runbook.md"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("✓ round"), "{}", said.out);
}

const ASKED: &str = "# A\n\n## 1 Write\n\n```bash\necho x > marker\n```\n\n- PASS: COMPLETE written\n- FAIL: GOTO Without\n\n\
                     ## Without\n\n- YES: STOP refused\n- NO: STOP refused\n";

#[test]
fn a_person_who_refuses_sends_the_run_the_way_of_fail() {
    let project = project("", ASKED);
    let said = say(&project, &["run", "a.runbook.md", "--until-blocked"]);
    assert!(said.out.contains("write `marker`"), "{}", said.out);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let refused = say(
        &project,
        &[
            "answer",
            run.as_str(),
            "1",
            "reject",
            "--by",
            "Ann",
            "--comment",
            "why?",
        ],
    );
    assert_eq!(refused.code, Some(0), "{}{}", refused.out, refused.err);
    say(&project, &["resume", run.as_str(), "--until-blocked"]);
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert_eq!(
        state.waiting().map(|w| w.opened.instance.step.as_str()),
        Some("Without"),
        "{:?}",
        state.routes
    );
    assert!(!there(&project, "marker"));
    assert_eq!(say(&project, &["verify", run.as_str()]).code, Some(0));
}

#[test]
fn what_is_permitted_for_good_is_not_asked_again_until_a_rule_denies_it() {
    let project = project("", ASKED);
    let begin = || {
        say(&project, &["run", "a.runbook.md", "--until-blocked"]);
        project.latest().expect("a history").expect("a run")
    };
    // Once is once.
    let (run, _) = begin();
    say(&project, &["answer", run.as_str(), "1", "approve", "--by", "Ann"]);
    say(&project, &["resume", run.as_str()]);
    assert!(there(&project, "marker"));
    let (run, state) = begin();
    assert!(state.waiting().is_some(), "it is asked again");
    // Always is always.
    say(
        &project,
        &[
            "answer",
            run.as_str(),
            "1",
            "approve",
            "--by",
            "Ann",
            "--lasting",
            "always",
        ],
    );
    say(&project, &["resume", run.as_str()]);
    let (_, state) = begin();
    assert_eq!(state.message.as_deref(), Some("written"), "nobody is asked");
    // Until a rule says no.
    std::fs::remove_file(project.root.join("marker")).expect("it was there");
    project
        .write(&[("gatehouse.yaml", "permissions: {write: {deny: [marker]}}\n")])
        .expect("a file");
    let (_, state) = begin();
    assert_eq!(
        state.waiting().map(|w| w.opened.instance.step.as_str()),
        Some("Without")
    );
    assert!(!there(&project, "marker"), "deny wins over what was permitted");
}

/// Where the mode is `deny`, what no rule allows is neither run nor asked for; an override counts for its runbooks alone.
#[test]
fn where_nothing_is_allowed_nothing_is_run() {
    let rules = "permissions: {mode: allow, runbooks: {strict/**: {mode: deny, run: {allow: ['mkdir made*']}, write: {allow: ['made*']}}}}\n";
    let project = Project::new(&[
        ("gatehouse.yaml", rules),
        ("strict/a.runbook.md", &one_step("echo x > marker")),
        ("strict/b.runbook.md", &one_step("mkdir made-by-b")),
        ("free.runbook.md", &one_step("echo x > marker")),
    ])
    .expect("a project");
    let said = say(&project, &["run", "strict/a.runbook.md", "--permit", "--until-blocked"]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.out.contains("the mode is deny"), "{}", said.out);
    assert!(!there(&project, "marker"));
    let said = say(&project, &["run", "strict/b.runbook.md"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(there(&project, "made-by-b"));
    let said = say(&project, &["run", "free.runbook.md"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(there(&project, "marker"));
}

/// A parent that may do all it wants opens no door for the runbooks it lists.
#[test]
fn a_child_is_asked_for_itself() {
    let project = Project::new(&[
        (
            "a.runbook.md",
            "# A\n\n## 1 Greet\n\n```bash\necho hello\n```\n\n## 2 Inside\n\n- deep.runbook.md\n",
        ),
        ("deep.runbook.md", "# Deep\n\n## 1 Inside\n\n- child.runbook.md\n"),
        ("child.runbook.md", &one_step("echo x > marker")),
    ])
    .expect("a project");
    let said = say(&project, &["run", "a.runbook.md", "--until-blocked"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(!there(&project, "marker"), "nobody was asked");
    let store = project.store().expect("a history");
    let waits = store
        .runs(&store::RunFilter::default())
        .expect("the runs")
        .into_iter()
        .any(|row| {
            let (state, _) = store.load(&row.run).expect("the log");
            state.created.as_ref().is_some_and(|c| c.path == "child.runbook.md") && state.waiting().is_some()
        });
    assert!(waits, "the child's own step waits for permission");
    // With everything permitted from outside, the child may too.
    let said = say(&project, &["run", "a.runbook.md", "--permit"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(there(&project, "marker"));
}

/// Nothing is carried out where nothing should be: in a scripted run, in a test, under `--prompted`.
#[test]
fn rehearsals_run_nothing() {
    let project = project("permissions: {mode: allow}\n", &one_step("touch marker"));
    project
        .write(&[("a.scenario.yaml", "name: dry\nexpect: {status: succeeded}\n")])
        .expect("a file");
    for arguments in [
        &["test", "a.runbook.md"][..],
        &["run", "a.runbook.md", "--scenario", "a.scenario.yaml"],
        &["run", "a.runbook.md", "--prompted", "--until-blocked"],
    ] {
        let said = say(&project, arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
        assert!(!there(&project, "marker"), "{arguments:?}");
    }
}

/// The first lines are the same; what was permitted is the script that was shown.
#[test]
fn a_permission_for_the_run_is_for_the_script_that_was_shown() {
    let steps = |second: &str| {
        format!(
            "# Twice\n\n## 1 One\n\n````bash\n\"$SHELL\" -c \"\necho one > one\"\n````\n\n## 2 Two\n\n````bash\n{second}\n````\n"
        )
    };
    let hidden = "\"$SHELL\" -c \"\necho two > marker\"";
    let project = project("permissions: {mode: ask}\n", &steps(hidden));
    let said = say_with(
        &project,
        &["run", "a.runbook.md", "--until-blocked"],
        &[("SHELL", "/bin/sh")],
    );
    assert!(
        said.out.contains("    | echo one > one\""),
        "the whole script is shown: {}",
        said.out
    );
    let (run, _) = project.latest().expect("a history").expect("a run");
    let permit = [
        "answer",
        run.as_str(),
        "1",
        "approve",
        "--by",
        "Ada",
        "--lasting",
        "run",
    ];
    let said = say(&project, &permit);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let said = say_with(
        &project,
        &["resume", run.as_str(), "--until-blocked"],
        &[("SHELL", "/bin/sh")],
    );
    assert!(there(&project, "one"), "{}{}", said.out, said.err);
    assert!(!there(&project, "marker"), "another script ran unasked");
    assert!(
        said.out.contains("    | echo two > marker\""),
        "it is asked about: {}",
        said.out
    );
}
