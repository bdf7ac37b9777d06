//! `gatehouse decisions`.

use crate::arguments::Decisions;
use crate::out::{self, Exit, Failure};
use crate::project;
use std::path::Path;
use studio::command::DecisionsOf;
use studio::gate::view::DecidedCard;
use studio::text::safe;
use studio::{Studio, days};

/// Longer questions and comments are cut in the table; JSON has them whole.
const LONGEST: usize = 60;

/// Lists who decided what.
pub async fn decisions(at: Option<&Path>, a: &Decisions) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let workflow = a.workflow.as_deref().map(|named| as_recorded(&studio, named));
    let view = studio
        .decisions(DecisionsOf {
            since: a.since.clone(),
            until: a.until.clone(),
            by: a.by.clone(),
            answer: a.answer.map(Into::into),
            workflow: workflow.clone(),
            words: a.words.clone(),
            rehearsals: a.rehearsals,
            most: a.limit,
        })
        .await?;
    let unknown = match view.total {
        0 => unknown(&studio, a.by.as_deref(), workflow.as_deref())?,
        _ => None,
    };
    project::say_missing(&studio)?;
    if a.json {
        out::json(&view);
        if let Some(unknown) = &unknown {
            out::note(format!("note: {unknown}"));
        }
        return Ok(Exit::Done);
    }
    if view.total == 0 {
        out::line(match unknown {
            Some(unknown) => format!("no decision fits what was asked for: {unknown}"),
            None => "no decision fits what was asked for".to_owned(),
        });
    }
    let zone = studio.zone();
    let minute = |at| days::minute(at, zone);
    let rows: Vec<Vec<String>> = view.decisions.iter().map(|one| columns(one, minute)).collect();
    out::table(&rows);
    let listed = view.decisions.len();
    if (listed as u64) < u64::from(view.total) && view.unread.is_empty() {
        out::note(format!(
            "note: these are the latest {listed} of {}; --limit N lists more of them",
            view.total
        ));
    }
    match view.rehearsals {
        0 => {}
        1 => out::note("note: 1 that was made in a rehearsal is left out; --rehearsals lists it too"),
        n => out::note(format!(
            "note: {n} that were made in rehearsals are left out; --rehearsals lists them too"
        )),
    }
    for one in &view.unread {
        out::note(format!("note: {}", one.words));
    }
    Ok(Exit::Done)
}

/// A workflow by its file as the record has it, however the file is named here; else as it is written: its title or id.
fn as_recorded(studio: &Studio, named: &str) -> String {
    let path = Path::new(named);
    match path.is_file() || studio.root().join(path).is_file() {
        true => project::relative(studio, path).unwrap_or_else(|_| named.to_owned()),
        false => named.to_owned(),
    }
}

/// Which of the names that were asked for the record does not have: nothing can fit them.
fn unknown(studio: &Studio, by: Option<&str>, workflow: Option<&str>) -> Result<Option<String>, Failure> {
    if let Some(by) = by
        && !studio.is_in_the_record(by)?
    {
        return Ok(Some(format!(
            "nobody of the name “{}” is in the record",
            out::in_line(by)
        )));
    }
    if let Some(workflow) = workflow
        && !studio.has_run_of(workflow)?
    {
        return Ok(Some(format!(
            "no workflow “{}” has a run; its title, its id or its file is meant",
            out::in_line(workflow)
        )));
    }
    Ok(None)
}

fn columns(one: &DecidedCard, minute: impl Fn(i64) -> String) -> Vec<String> {
    let said = &one.decision;
    let short = |text: &str| safe::shortened(&safe::visible(text), LONGEST);
    let of = match &one.subject {
        Some(subject) => format!("{}: {subject}", one.workflow_title),
        None => one.workflow_title.clone(),
    };
    let unsound = (said.signature_valid == Some(false)).then(|| "its signature does not hold".to_owned());
    let remarks: Vec<String> = [
        said.comment.as_deref().map(|comment| format!("“{}”", short(comment))),
        said.remark.clone(),
        (!said.not_shown.is_empty()).then(|| format!("named, not shown: {}", said.not_shown.join(", "))),
        unsound,
    ]
    .into_iter()
    .flatten()
    .collect();
    let words = said.words.as_deref().unwrap_or_default();
    vec![
        said.answered_at.map(minute).unwrap_or_default(),
        match &one.role {
            Some(role) => format!("{} for {role}", said.by.as_deref().unwrap_or_default()),
            None => said.by.clone().unwrap_or_default(),
        },
        match one.rehearsal {
            true => format!("rehearsal: {words}"),
            false => words.to_owned(),
        },
        short(&one.question),
        format!("{of}, “{}”", one.step.name),
        remarks.join("; "),
        one.run_id.clone(),
    ]
}
