//! Commands that are printed to be pasted: what a waiting decision can be answered with.

use crate::{out, project};
use serde_json::{Value, json};
use studio::gate::decision_view::AskFor;
use studio::text::paste::{shell_word, shell_word_or};
use studio::view::FieldView;
use studio::{About, Answer, Asked, Inside, Next, OnDisk, RunId, ShownFile, Studio};

/// Says what is waited for and how it is answered. `run`: the run that was asked about; a decision in a run inside it says so.
pub fn waiting(studio: &Studio, run: &str, asked: &[Asked]) {
    for one in asked {
        let card = &one.card;
        if card.run_id == run {
            out::line(format!(
                "waits for a decision, round {}: {}",
                card.round,
                out::in_line(&out::short(&card.question))
            ));
        } else {
            out::line(format!(
                "waits for a decision in “{}”, a run inside this one ({}), round {}: {}",
                out::in_line(&card.workflow_title),
                card.run_id,
                card.round,
                out::in_line(&out::short(&card.question))
            ));
        }
        if let Some(role) = &card.role {
            out::line(format!("    it asks {}", out::in_line(role)));
        }
        if let Some(wanted) = studio.wanted(card) {
            out::line(format!("    {wanted}"));
        }
        if let Some(script) = &one.script {
            out::line("    it would run this script:");
            // A line of the script must not look like one of ours.
            for line in script.split('\n') {
                out::line(format!("    | {}", out::in_line(line)));
            }
        }
        for line in about_lines(
            &about(studio, one),
            studio.is_rehearsal(&RunId::from(card.run_id.as_str())),
        ) {
            out::line(format!("    {line}"));
        }
        let commands = commands(studio, one);
        if commands.is_empty() {
            out::line("    answer in the window");
        } else {
            out::line("    answer in the window, or with one of:");
        }
        for command in commands {
            out::line(format!("    {command}"));
        }
    }
}

/// The same for programs.
pub fn waiting_json(studio: &Studio, asked: &[Asked]) -> Vec<Value> {
    let one = |one: &Asked| {
        json!({
            "run_id": one.card.run_id,
            "gate": one.card.gate,
            "round": one.card.round,
            "question": one.card.question,
            "wanted_by": one.card.wanted_by,
            "script": one.script,
            "about": about(studio, one),
            "answer": commands(studio, one),
        })
    };
    asked.iter().map(one).collect()
}

/// What a question is about. What cannot be found out is not said.
fn about(studio: &Studio, asked: &Asked) -> About {
    let card = &asked.card;
    studio
        .asked_about(&card.run_id, &card.gate, card.round)
        .unwrap_or_default()
}

/// The same of a waiting decision of a view, among those that wait.
pub fn about_json(studio: &Studio, asked: &[Asked], card: &Value) -> Option<Value> {
    let is_it = |one: &&Asked| {
        let own = &one.card;
        card["run_id"] == own.run_id.as_str() && card["gate"] == own.gate.as_str() && card["round"] == own.round
    };
    let asked = asked.iter().find(is_it)?;
    serde_json::to_value(about(studio, asked)).ok()
}

/// What a question is about, in lines. `is_rehearsal`: what it names need not be on disk.
pub fn about_lines(about: &About, is_rehearsal: bool) -> Vec<String> {
    /// Digits of a digest: as many as tell versions of a file apart.
    const DIGITS: usize = 12;
    let file = |file: &ShownFile| {
        let digest: String = file.sha256.chars().take(DIGITS).collect();
        let bytes = match file.bytes {
            1 => "1 byte".to_owned(),
            n => format!("{n} bytes"),
        };
        let stands = match file.on_disk {
            OnDisk::Same => "",
            OnDisk::Another | OnDisk::Gone if is_rehearsal => "; a rehearsal writes no file",
            OnDisk::Another => "; on disk is another version by now (the window shows the one that is asked about)",
            OnDisk::Gone => "; it is not on disk any more (the window shows the version that is asked about)",
        };
        format!(
            "it is about {} ({bytes}, SHA-256 {digest}…){stands}",
            out::in_line(&file.path)
        )
    };
    let left_out = |said: &String| format!("not shown: {}", out::in_line(said));
    let reported = |field: &FieldView| {
        let value = out::in_line(&out::short(&field.value));
        format!("reported: {} = {value}", out::in_line(&field.name))
    };
    let shown = about.shown.iter().map(file);
    let left_out = about.left_out.iter().map(left_out);
    shown
        .chain(left_out)
        .chain(about.reported.iter().map(reported))
        .collect()
}

/// How a run goes on.
pub fn resume(run: &RunId) -> String {
    format!("gatehouse resume {}", shell_word_or(run.as_str(), "RUN"))
}

/// What is to be known of a run inside another one, and the command that does something about it.
pub fn inside(inside: &Inside) -> String {
    let run = shell_word_or(inside.run.as_str(), "RUN");
    let words = out::in_line(&inside.words);
    match inside.next {
        Next::Resume => format!("{words} Go on with: {}", resume(&inside.run)),
        Next::Pause => format!("{words} To hold that one too: gatehouse pause {run}"),
        Next::Verify => format!("{words} To see what is wrong with it: gatehouse verify {run}"),
    }
}

/// The same for programs.
pub fn inside_json(inside: &[Inside]) -> Vec<Value> {
    let one = |one: &Inside| json!({ "run_id": one.run.as_str(), "words": one.words });
    inside.iter().map(one).collect()
}

/// One command an answer, each a line that a shell takes as it is printed. None where a name cannot be typed.
fn commands(studio: &Studio, asked: &Asked) -> Vec<String> {
    let card = &asked.card;
    let mut begin = vec!["gatehouse".to_owned()];
    if !project::is_found(studio) {
        begin.extend(["-C".to_owned(), studio.root().display().to_string()]);
    }
    begin.extend(["answer".to_owned(), card.run_id.clone(), card.gate.clone()]);
    let mut end = Vec::new();
    if studio.identity().person().name.is_empty() {
        end.extend(["--by".to_owned(), "NAME".to_owned()]);
    }
    // Pasted late it must not answer another round.
    end.extend(["--round".to_owned(), card.round.to_string()]);
    let line = |word: &str, more: &[&str]| {
        let words = begin.iter().map(String::as_str).chain([word]);
        let words = words.chain(end.iter().map(String::as_str)).chain(more.iter().copied());
        let quoted: Option<Vec<String>> = words.map(shell_word).collect();
        quoted.map(|words| words.join(" "))
    };
    let mut lines = Vec::new();
    for possible in &asked.answers {
        let mut more: Vec<&str> = Vec::new();
        if let Some((way, _)) = &possible.way {
            more.extend(["--way", way]);
        }
        if possible.needs_comment {
            more.extend(["--comment", "TEXT"]);
        }
        // One line for each value that leads elsewhere; of several fields each is filled in by hand.
        let reports = match (possible.answer, asked.reports.as_slice()) {
            (Answer::Pass, [one]) if !one.options.is_empty() => {
                let value = |option: &studio::gate::view::ReportOption| match &option.value {
                    _ if option.any_other => format!("{}=VALUE", one.field),
                    Value::String(text) => format!("{}={text}", one.field),
                    value => format!("{}={value}", one.field),
                };
                one.options.iter().map(|option| vec![value(option)]).collect()
            }
            (Answer::Pass, several) => vec![several.iter().map(|one| format!("{}=VALUE", one.field)).collect()],
            _ => vec![Vec::new()],
        };
        for report in &reports {
            let report = report.iter().flat_map(|said| ["--report", said.as_str()]);
            let more: Vec<&str> = more.iter().copied().chain(report).collect();
            lines.push(line(word(possible.answer, card.is_question), &more));
        }
        if possible.answer == Answer::Approve && card.purpose == AskFor::Permission {
            lines.extend(["run", "always"].map(|lasting| line("approve", &["--lasting", lasting])));
        }
    }
    lines.into_iter().flatten().collect()
}

/// The word of an answer: a question of a runbook is answered in its own.
fn word(answer: Answer, is_question: bool) -> &'static str {
    match answer {
        Answer::Approve => "approve",
        Answer::Changes => "changes",
        Answer::Reject => "reject",
        Answer::Pass if is_question => "yes",
        Answer::Pass => "pass",
        Answer::Fail if is_question => "no",
        Answer::Fail => "fail",
        Answer::Choose => "choose",
    }
}
