//! BMAD workflow files, for real: their instructions are read once, kept by the run, and told to whoever does the steps.

use crate::harness::{Project, ended, result};
use engine::{Answer, RunId, RunStatus};
use runtime::{Control, Error, StartRequest};
use std::path::Path;

const PATH: &str = "plans/week/workflow.yaml";
const STEPS: &str = "plans/week/instructions.md";
const FILE: &str = "\
name: weekly-plan
description: Plans a week
config_source: \"{project-root}/config.yaml\"
tone: plain
installed_path: \"{project-root}/plans/week\"
instructions: \"{installed_path}/instructions.md\"
template: \"{installed_path}/template.md\"
default_output_file: \"{output_folder}/week-{{week}}.md\"
agent: writer
";
const INSTRUCTIONS: &str = "\
# Weekly plan of {{week}}
<critical>Answer {user_name} in {{language}}</critical>
<workflow>
<step n=\"1\" goal=\"Look at week {{week}} of {user_name}\">
<ask>What must not be forgotten?</ask>
<action>Write to {output_folder} in a {tone} tone</action>
<template-output>week</template-output>
</step>
<step n=\"2\" goal=\"Tell\" optional=\"true\">
<template-output file=\"{output_folder}/told.md\">told</template-output>
</step>
</workflow>
";

fn project() -> Project {
    let project = Project::new("agents: {writer: {engine: shell, run: sh write.sh}}\nfolders: {output: papers}\n");
    let script = "mkdir -p papers && cp \"$GATEHOUSE_BRIEF\" papers/brief-$GATEHOUSE_STEP.json\n[ -f papers/week-7.md ] || echo plan > papers/week-7.md\n";
    std::fs::write(project.root.join("write.sh"), script).expect("a script");
    std::fs::create_dir_all(project.root.join("plans/week")).expect("made");
    for (file, text) in [
        (PATH, FILE),
        (STEPS, INSTRUCTIONS),
        ("plans/week/template.md", "# Week\n"),
    ] {
        std::fs::write(project.root.join(file), text).expect("written");
    }
    project
}

fn start(project: &Project, file: &str) -> Result<RunId, Error> {
    let inputs = [("week".to_owned(), "7".into())];
    project.driver(Project::options()).start(&StartRequest {
        path: PATH.into(),
        source: file.into(),
        by: "Ann".into(),
        initiator: "test".into(),
        inputs: inputs.into_iter().collect(),
        ..StartRequest::default()
    })
}

fn refused(project: &Project, file: &str) -> String {
    start(project, file).expect_err("it does not start").to_string()
}

#[tokio::test]
async fn a_run_keeps_the_instructions_and_tells_them() {
    let project = project();
    let run = start(&project, FILE).expect("it starts");
    // What is changed later does not touch the run.
    std::fs::write(project.root.join(STEPS), "<step n=\"1\" goal=\"Else\"/>").expect("written");
    let driving = project.driving(&run, Project::options(), &Control::default());
    let state = project
        .until(&run, "the question", |state| state.status == RunStatus::Blocked)
        .await;
    assert_eq!(
        state.waiting().expect("it waits").opened.question,
        "What must not be forgotten?"
    );
    project
        .answer(&run, Answer::Approve, "Ann", "the dentist")
        .expect("it counts");
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);

    let created = state.created.as_deref().expect("its beginning");
    let kept = created.instructions.as_ref().expect("they are kept");
    assert_eq!(
        (kept.path.as_str(), &kept.source),
        (STEPS, &store::digest_of(INSTRUCTIONS.as_bytes()))
    );
    assert_eq!(
        project.store.blob(&kept.source).expect("their text"),
        INSTRUCTIONS.as_bytes()
    );
    let source = String::from_utf8(project.store.blob(&created.source).expect("the text")).expect("text");
    assert!(source.starts_with(FILE) && source.ends_with(INSTRUCTIONS), "{source}");
    assert_eq!(project.store.verify(&run).expect("it can be checked"), []);

    assert_eq!(result(&state, "step-1").artifacts[0].path, "papers/week-7.md");
    let brief = std::fs::read_to_string(project.root.join("papers/brief-step-1.json")).expect("the brief");
    let brief: serde_json::Value = serde_json::from_str(&brief).expect("JSON");
    let step = &brief["step"];
    // What is known is put in, and what stands for nothing is told as it is written.
    assert_eq!(step["intent"], "Look at week 7 of {user_name}");
    let told = step["parameters"]["instructions"].as_str().expect("a text");
    assert!(
        told.contains("<action>Write to papers in a {tone} tone</action>"),
        "{told}"
    );
    assert_eq!(step["parameters"]["variables"]["tone"], "plain");
    let every = step["parameters"]["for_every_step"].as_str().expect("a text");
    assert_eq!(
        every,
        "# Weekly plan of 7\n<critical>Answer {user_name} in {{language}}</critical>"
    );
    assert_eq!(step["templates"], serde_json::json!(["plans/week/template.md"]));
    assert_eq!(brief["decisions"][0]["comment"], "the dentist");
    let prompt = brief["prompt"].as_str().expect("a text");
    assert!(
        prompt.contains("<template-output>week</template-output>") && prompt.contains("the dentist"),
        "{prompt}"
    );
}

/// Only an ordinary text of the project, reached through no link, is read; whatever is wrong is said, and nothing starts.
#[test]
fn instructions_are_read_inside_of_the_project_only() {
    let project = project();
    let at = |file: &str| project.root.join(file);
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("i.md"), INSTRUCTIONS).expect("written");
    std::os::unix::fs::symlink(at(STEPS), at("plans/week/link.md")).expect("linked");
    std::os::unix::fs::symlink(outside.path(), at("plans/week/out")).expect("linked");
    std::fs::write(at("plans/week/large.md"), "x".repeat((1 << 20) + 1)).expect("written");
    std::fs::write(at("plans/week/bytes.md"), [0xff, 0xfe]).expect("written");
    std::fs::create_dir(at("plans/week/folder.md")).expect("made");
    let made = std::process::Command::new("mkfifo")
        .arg(at("plans/week/pipe.md"))
        .status()
        .expect("mkfifo");
    assert!(made.success());
    let named = |file: &str| FILE.replace("{installed_path}/instructions.md", file);
    for (file, why) in [
        ("{installed_path}/none.md", "there is no such file"),
        ("{installed_path}/link.md", "by a symbolic link"),
        ("{installed_path}/out/i.md", "by a symbolic link"),
        ("{installed_path}/pipe.md", "it is a named pipe"),
        ("{installed_path}/folder.md", "a folder"),
        ("{installed_path}/large.md", "it is larger than 1"),
        ("{installed_path}/bytes.md", "not UTF-8"),
        ("{installed_path}/../../../i.md", "leads out of the project"),
        ("{project-root}/../i.md", "leads out of the project"),
        ("{project-root}/.gatehouse/i.md", "belongs to Gatehouse"),
    ] {
        let said = refused(&project, &named(file));
        assert!(said.contains("GH0420") && said.contains(why), "{file}: {said}");
    }
    // A name alone is looked for beside the file, then from the project's folder.
    std::fs::rename(at(STEPS), at("i.md")).expect("moved");
    start(&project, &named("i.md")).expect("it is found");
}

#[test]
fn what_is_not_carried_out_keeps_it_from_starting() {
    let project = project();
    for (inside, why) in [
        (
            "<goto step=\"1\"/>",
            "`plans/week/instructions.md`, line 9, column 1: `<goto>` is not carried out",
        ),
        (
            "<check if=\"x\">y</check>",
            "line 9, column 1: `<check>` is not carried out",
        ),
        ("x <invoke-workflow/>", "line 9, column 3: `<invoke-workflow>`"),
        ("<ask>", "line 9, column 1: `<ask>` is opened here and not closed"),
    ] {
        let text = INSTRUCTIONS.replace(
            "</step>\n<step n=\"2\"",
            &format!("</step>\n<step n=\"1a\">\n{inside}\n</step>\n<step n=\"2\""),
        );
        let text = text
            .replacen("# Weekly", "\u{feff}# Weekly", 1)
            .replace('\n', "\r\n")
            .replacen("# Weekly plan of {{week}}\r\n", "", 1);
        std::fs::write(project.root.join(STEPS), text).expect("written");
        let said = refused(&project, FILE);
        assert!(said.contains(why), "{inside}: {said}");
    }
    // Nor does a pipeline that runs it.
    let pipeline = "name: weeks\nstages:\n  - {name: plan, workflow: plans/week/workflow.yaml}\n";
    let request = StartRequest {
        path: "PIPE-20260101-weeks-000000.yaml".into(),
        source: pipeline.into(),
        ..StartRequest::default()
    };
    let said = project
        .driver(Project::options())
        .start(&request)
        .expect_err("refused")
        .to_string();
    assert!(
        said.contains("`plans/week/workflow.yaml`") && said.contains("instructions.md"),
        "{said}"
    );
}

/// Who could write the instructions would say what the next run does.
#[test]
fn no_step_writes_instructions() {
    let project = project();
    let own = ".gatehouse/runs/1";
    assert!(runtime::to_write(&project.root, STEPS, own).is_err());
    assert!(runtime::to_write(&project.root, "plans/week/template.md", own).is_ok());
    let kept = runtime::kept(
        &project.root,
        &permission::Policy::default(),
        process::Limits::default(),
        PATH,
    );
    let shown = format!("{kept:?}");
    assert!(shown.contains(&*Path::new(STEPS).to_string_lossy()), "{shown}");
}
