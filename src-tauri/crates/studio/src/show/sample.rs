//! A runbook for the tests of the builders, made of the model's own structs.

use model::{Action, Format, Jump, Quantifier, Routing, Step, Transition, Work, Workflow};

pub fn on(passed: bool, word: &str, quantifier: Option<Quantifier>, action: Action) -> Transition {
    Transition {
        passed,
        word: word.to_owned(),
        quantifier,
        action,
    }
}

pub fn goto(id: &str) -> Action {
    Action::Goto(Jump::To(id.into()))
}

pub fn retry(times: u32, then: Action) -> Action {
    Action::Retry {
        times,
        then: Box::new(then),
    }
}

pub fn stop(message: &str) -> Action {
    Action::Stop {
        message: Some(message.to_owned()),
    }
}

/// A step by its id; its number is the id unless that is a name.
pub fn step(id: &str, name: &str, work: Work, transitions: Vec<Transition>) -> Step {
    let last = id.rsplit('.').next().unwrap_or(id);
    let named = last.starts_with(|c: char| c.is_ascii_alphabetic());
    Step {
        number: if named { String::new() } else { id.to_owned() },
        name: name.to_owned(),
        parent: id.split_once('.').map(|(parent, _)| parent.into()),
        dynamic: last.starts_with('{'),
        jump_only: named && !id.contains('.'),
        work,
        routing: Routing::Transitions { transitions },
        ..Step::new(id, 0)
    }
}

pub fn command(script: &str) -> Work {
    Work::Command {
        language: "bash".to_owned(),
        script: script.to_owned(),
    }
}

pub fn prompt(text: &str) -> Work {
    Work::Prompt { text: text.to_owned() }
}

pub fn runbook(steps: Vec<Step>) -> Workflow {
    let steps = steps
        .into_iter()
        .enumerate()
        .map(|(ordinal, step)| Step { ordinal, ..step });
    Workflow::new("deploy".into(), "Deploy".to_owned(), Format::Rundown, steps.collect())
}

/// Checks in a container that decides, a deployment that is retried and rolled back, a question, a recovery by name.
pub fn deployment() -> Workflow {
    runbook(vec![
        step(
            "1",
            "Checks",
            Work::Group,
            vec![
                on(true, "PASS", Some(Quantifier::All), Action::Continue),
                on(false, "FAIL", Some(Quantifier::Any), goto("Recover")),
            ],
        ),
        step("1.1", "Run the tests", command("npm test"), vec![]),
        step("1.2", "Check the disk", command("df"), vec![]),
        step(
            "2",
            "Roll out",
            command("deploy"),
            vec![on(false, "FAIL", None, retry(2, goto("Recover")))],
        ),
        step(
            "3",
            "Is it healthy?",
            prompt("Look at the dashboard."),
            vec![
                on(
                    true,
                    "YES",
                    None,
                    Action::Complete {
                        message: Some("version 3.2 is out".into()),
                    },
                ),
                on(false, "NO", None, goto("Recover")),
            ],
        ),
        step(
            "Recover",
            "Roll back",
            command("undo"),
            vec![on(true, "PASS", None, stop("rolled back"))],
        ),
    ])
}

/// A dynamic step with two substeps, the last of which asks for the next one.
pub fn each() -> Workflow {
    runbook(vec![
        step("{N}", "Each customer", Work::Group, vec![]),
        step("{N}.1", "Write", command("write"), vec![]),
        step(
            "{N}.2",
            "More?",
            prompt(""),
            vec![
                on(true, "YES", None, Action::Goto(Jump::Next(Some("{N}".into())))),
                on(false, "NO", None, Action::Complete { message: None }),
            ],
        ),
    ])
}
