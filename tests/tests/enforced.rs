//! What a step is kept from by the kernel, through the program: whatever language it is written in, and although nobody denied the script.

use tests::project::Project;

const FLOW: &str = "id: tricks\nname: Tricks\nsteps:\n  - {id: trick, agents: [maker], routing: {kind: linear}}\n";

fn project(script: &str, permissions: &str) -> Project {
    let agents = format!("version: 1\nagents:\n  \"*\": {{engine: shell, run: bash trick.sh}}\n{permissions}");
    let files = [
        ("flow.yaml", FLOW),
        ("gatehouse.yaml", &agents),
        ("trick.sh", script),
        ("app/.env", "TREASURE=1\n"),
        ("data/private.txt", "TREASURE=2\n"),
        ("data/fixed.txt", "kept\n"),
        (".git/config", "kept\n"),
    ];
    Project::new(&files).expect("a project")
}

fn holds() -> bool {
    studio::enforced().files
}

/// Runs the flow; everything its step printed.
fn run(project: &Project) -> String {
    let said = project.gatehouse(&["run", "flow.yaml"]).expect("gatehouse is built");
    format!("{}{}", said.out, said.err)
}

#[test]
fn nobody_changes_what_decides_over_runs() {
    if !holds() {
        return;
    }
    let tricks = [
        "echo 'mode: allow' >> gatehouse.yaml",
        "mv gatehouse.yaml old; echo x > gatehouse.yaml",
        "perl -e 'open F, \">>\", \"gatehouse.yaml\" and print F \"x\"; unlink \"gatehouse.yaml\"'",
        "python3 -c 'open(\"gatehouse.yaml\", \"a\").write(\"x\")'",
        "echo x >> flow.yaml; rm -f flow.yaml; mv flow.yaml other.yaml",
        "echo x > .git/hooks; echo x >> .git/config; rm -rf .git; mv .git git",
        "rm -rf .gatehouse; mv .gatehouse other; : > .gatehouse/history.db; echo x > .gatehouse/new",
        "cd ..; mv project moved; mkdir project; cp moved/*.yaml project",
        "setsid env -i sh -c 'echo x >> gatehouse.yaml; rm -rf .gatehouse' & wait",
    ];
    for trick in tricks {
        let project = project(trick, "");
        let before = |name: &str| std::fs::read_to_string(project.root.join(name)).expect(name);
        let names = ["gatehouse.yaml", "flow.yaml", ".git/config"];
        let all = names.map(before);
        run(&project);
        assert_eq!(names.map(before), all, "{trick}");
        assert!(!project.root.join(".gatehouse/new").exists() && !project.root.join(".git/hooks").exists());
        let (run, _) = project.latest().expect("readable").expect("a run");
        let said = project
            .gatehouse(&["verify", run.as_str()])
            .expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{trick}: {}{}", said.out, said.err);
    }
}

#[test]
fn what_the_rules_deny_is_not_there() {
    if !holds() {
        return;
    }
    let rules =
        "permissions:\n  mode: allow\n  read: {deny: [\"data/private*\"]}\n  write: {deny: [\"data/fixed.txt\"]}\n";
    for trick in [
        "cat app/.e* data/p*; grep -r T.EASURE .; tar c .",
        "perl -ne print app/.env data/private.txt",
        "python3 -c 'print(open(\"data/private.txt\").read(), open(\"app/.env\").read())'",
        "cp -r data copy; cat copy/*; cat /proc/self/root$PWD/data/private.txt; cat /proc/$PPID/cwd/data/private.txt",
        "cat ../home/signing-key && printf '%s=\\n' TREASURE",
        "echo x > data/fixed.txt; perl -e 'unlink \"data/fixed.txt\"'; mv data/fixed.txt x; mv data y",
    ] {
        let project = project(trick, rules);
        let out = run(&project);
        assert!(!out.contains("TREASURE="), "{trick}: {out}");
        let fixed = std::fs::read_to_string(project.root.join("data/fixed.txt"));
        assert_eq!(fixed.expect("it is there"), "kept\n", "{trick}");
    }
}

#[test]
fn a_step_does_its_work_and_a_project_may_say_more() {
    let work = "set -e; echo made > made.txt; mkdir -p out; mv made.txt out/; echo more > $RUN_BASE/more.txt; echo x > .git/x; echo well";
    let project = project(work, "permissions:\n  write: {allow: [\".git/**\"]}\n");
    let out = run(&project);
    assert!(out.contains("well"), "{out}");
    assert!(project.root.join("out/made.txt").is_file() && project.root.join(".git/x").is_file());
}

#[test]
fn memory_is_bounded() {
    if !studio::enforced().calls {
        return;
    }
    let project = project(&format!("echo {}", "{a,b}".repeat(41)), "");
    let begun = std::time::Instant::now();
    let out = run(&project);
    assert!(out.contains("allocate") || out.contains("failed"), "{out}");
    assert!(
        begun.elapsed() < std::time::Duration::from_secs(120),
        "{:?}",
        begun.elapsed()
    );
}
