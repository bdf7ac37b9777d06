//! `gatehouse compare`.

use crate::arguments::Compare;
use crate::out::{self, Exit, Failure};
use crate::project;
use std::path::Path;
use studio::Client;
use studio::command::TwoRuns;
use studio::run::compare_view::{ComparedRow, ComparedVisit, MadeView, RunsComparedView, ValuesView};
use studio::words;

/// Shows two runs beside each other.
pub async fn compare(at: Option<&Path>, a: &Compare) -> Result<Exit, Failure> {
    let studio = project::open(at, None, Client::Cli)?;
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
    for remark in &view.remarks {
        out::line(format!("remark: {remark}"));
    }
    for one in &view.started {
        out::line(format!("started with {}", values(one)));
    }
    out::line(out::in_line(&view.words));
    let shown: Vec<&ComparedRow> = view.rows.iter().filter(|row| all || !row.apart.is_empty()).collect();
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
    }
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
