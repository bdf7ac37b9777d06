//! `gatehouse compare`.

use crate::arguments::Compare;
use crate::out::{self, Exit, Failure};
use crate::project;
use std::path::Path;
use studio::command::TwoRuns;
use studio::run::compare_view::{
    ComparedRow, ComparedVisit, DifferenceView, MadeView, RunsComparedView, StepDifference, ValuesView,
};
use studio::words;

/// Shows two runs beside each other.
pub async fn compare(at: Option<&Path>, a: &Compare) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let of = TwoRuns {
        left: a.first.clone(),
        right: a.second.clone(),
    };
    let view = studio.compare_runs(of).await?;
    if a.json {
        out::json(&view);
    } else {
        print(&view, a.all);
    }
    Ok(Exit::Done)
}

fn print(view: &RunsComparedView, all: bool) {
    for (which, side) in [("first: ", &view.left), ("second:", &view.right)] {
        let run = &side.run;
        let rehearsal = if run.rehearsal { "rehearsal: " } else { "" };
        let about = run.subject.iter().map(|subject| format!(" ({subject})"));
        out::line(format!(
            "{which} {} {}{}: {rehearsal}{}, {}",
            run.run_id,
            out::in_line(&run.workflow_title),
            out::in_line(&about.collect::<String>()),
            out::in_line(&run.status_words),
            words::duration(run.duration_ms)
        ));
    }
    for (which, side) in [("first", &view.left), ("second", &view.right)] {
        if let Some(found) = &side.found {
            out::line(format!(
                "record of the {which}: {} More says: gatehouse verify {}",
                out::in_line(found),
                side.run.run_id
            ));
        }
    }
    for remark in &view.remarks {
        out::line(format!("remark: {remark}"));
    }
    for step in &view.steps {
        out::line(format!("step {}", out::in_line(&differs(step))));
    }
    for one in &view.started {
        out::line(format!("started with {}", values(one)));
    }
    out::line(out::in_line(&view.words));
    // What was done inside is compared by itself, whatever it came to.
    let is_shown = |row: &&ComparedRow| all || !row.apart.is_empty() || !row.inside.is_empty();
    let shown: Vec<&ComparedRow> = view.rows.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return;
    }
    out::line("");
    let table: Vec<Vec<String>> = shown.iter().map(|row| columns(row)).collect();
    for (row, line) in shown.iter().zip(out::columns(&table)) {
        out::line(line);
        for (what, values) in apart(row) {
            out::line(format!("    {}", out::in_line(what)));
            for (which, value) in ["first: ", "second:"].iter().zip(values) {
                out::line(format!(
                    "      {which} {}",
                    out::in_line(&value.unwrap_or_else(|| "–".to_owned()))
                ));
            }
        }
        for one in &row.inside {
            out::line(format!("    inside “{}”: {}", out::in_line(&one.title), one.words));
            out::line(format!("      gatehouse compare {} {}", one.left, one.right));
        }
    }
}

/// What became of a step from the first run's workflow to the second's: `2 “Review it”: changed (Agents, What this step does)`.
fn differs(one: &DifferenceView) -> String {
    let what = one.what.iter().map(|what| match what {
        StepDifference::Added => "only the second run has it".to_owned(),
        StepDifference::Removed => "only the first run has it".to_owned(),
        StepDifference::Renamed => match &one.before {
            Some(before) => format!("called {before} in the first run"),
            None => "called otherwise".to_owned(),
        },
        StepDifference::Changed => format!("changed ({})", one.fields.join(", ")),
        StepDifference::Moved => "in another place".to_owned(),
    });
    let what: Vec<String> = what.collect();
    let number = match one.step.number.as_str() {
        "" => String::new(),
        number => format!("{number} "),
    };
    format!("{number}“{}”: {}", one.step.name, what.join(", "))
}

fn columns(row: &ComparedRow) -> Vec<String> {
    let mark = if row.apart.is_empty() { "=" } else { "≠" };
    let name = match &row.which {
        None => row.step.name.clone(),
        Some(which) => format!("{} ({which})", row.step.name),
    };
    vec![
        mark.to_owned(),
        row.step.number.clone(),
        name,
        told(row.left.as_ref()),
        told(row.right.as_ref()),
    ]
}

/// What is not the same at a row, each with what it is in either run.
fn apart(row: &ComparedRow) -> Vec<(&str, [Option<String>; 2])> {
    let sides = [&row.left, &row.right].map(Option::as_ref);
    let said = |of: fn(&ComparedVisit) -> Option<String>| sides.map(|visit| visit.and_then(of));
    let digest = |made: &Option<MadeView>| made.as_ref().map(|made| made.digest.chars().take(12).collect());
    let mut found = vec![
        ("error", said(|visit| visit.error.clone())),
        ("asked", said(asked)),
        ("decided", said(decided)),
        ("then", said(way)),
    ];
    let values = row.reported.iter();
    found.extend(values.map(|one| (one.name.as_str(), [one.left.clone(), one.right.clone()])));
    let files = row.files.iter();
    found.extend(files.map(|file| (file.name.as_str(), [digest(&file.left), digest(&file.right)])));
    found.retain(|(_, [left, right])| left != right);
    found
}

/// What a visit came to: `done, 12 s`.
fn told(visit: Option<&ComparedVisit>) -> String {
    let Some(visit) = visit else {
        return "–".to_owned();
    };
    let often = match visit.attempts {
        0 | 1 => String::new(),
        n => format!(", {}", words::count(n as usize, "attempt", "attempts")),
    };
    let took = visit.duration_ms.map(|ms| format!(", {}", words::duration(ms)));
    format!("{}{often}{}", visit.words, took.unwrap_or_default())
}

fn asked(visit: &ComparedVisit) -> Option<String> {
    let questions: Vec<&str> = visit.decisions.iter().map(|one| one.question.as_str()).collect();
    (!questions.is_empty()).then(|| questions.join("; "))
}

fn decided(visit: &ComparedVisit) -> Option<String> {
    let said = visit.decisions.iter().map(|one| {
        let round = &one.decision;
        let comment = round.comment.iter().map(|comment| format!(": {comment}"));
        let by = round.by.iter().map(|by| format!(" by {by}"));
        let words = round.words.clone().unwrap_or_else(|| "not answered".to_owned());
        by.chain(comment).fold(words, |words, more| words + &more)
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// Where it led, and why: `Publish: …`.
fn way(visit: &ComparedVisit) -> Option<String> {
    let way = visit.way.as_ref()?;
    Some(match &way.to {
        Some(to) => format!("{}: {}", to.name, way.why),
        None => way.why.clone(),
    })
}

/// `Audience: “staff” in the first, “clients” in the second`.
fn values(one: &ValuesView) -> String {
    let said = |value: &Option<String>| match value {
        Some(value) => format!("“{}”", out::in_line(value)),
        None => "nothing".to_owned(),
    };
    format!(
        "{}: {} in the first, {} in the second",
        out::in_line(&one.name),
        said(&one.left),
        said(&one.right)
    )
}
