//! `gatehouse list` and `gatehouse status`.

use crate::arguments::{List, OfRun};
use crate::out::{self, Exit, Failure};
use crate::{hint, project};
use std::path::Path;
use studio::RunId;
use studio::command::{RunAt, RunsOf};
use studio::run::row_view::ContinuesView;
use studio::run::row_view::RunRowView;
use studio::text::safe;
use studio::view::Status;
use studio::words;

/// Lists runs.
pub async fn list(at: Option<&Path>, a: &List) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let narrowed = a.since.is_some() || a.until.is_some() || a.by.is_some();
    let of = RunsOf {
        since: a.since.clone(),
        until: a.until.clone(),
        by: a.by.clone(),
    };
    let mut runs = studio.runs(of).await?.runs;
    let any = !runs.is_empty();
    if a.open {
        runs.retain(|r| r.ended_at.is_none());
    }
    if a.refused {
        runs.retain(|r| r.status == Status::Refused);
    }
    let unknown = match &a.by {
        Some(by) if !studio.is_in_the_record(by)? => {
            Some(format!("nobody of the name “{}” is in the record", out::in_line(by)))
        }
        _ => None,
    };
    if a.json {
        out::json(&runs);
        if let Some(unknown) = &unknown {
            out::note(format!("note: {unknown}"));
        }
    } else if let Some(unknown) = &unknown {
        out::line(format!("no run fits what was asked for: {unknown}"));
    } else if runs.is_empty() {
        out::line(match (any, a.refused, a.open) {
            _ if narrowed => "no run fits what was asked for",
            (false, ..) => "no runs yet; start one with: gatehouse run FILE",
            (true, true, _) => "no run stands as rejected; one that was resumed since is listed by how it stands now",
            (true, false, _) => "no run is open",
        });
    } else {
        let rows: Vec<Vec<String>> = runs
            .iter()
            .map(|r| {
                vec![
                    r.run_id.clone(),
                    match &r.subject {
                        Some(subject) => format!("{}: {subject}", r.workflow_title),
                        None => r.workflow_title.clone(),
                    },
                    match r.status {
                        // What was taken in from elsewhere took no time here.
                        Status::Imported => "–".to_owned(),
                        _ => words::duration(r.duration_ms),
                    },
                    told(r),
                ]
            })
            .collect();
        out::table(&rows);
    }
    let unlisted = studio.unlisted()?;
    for said in unlisted.words.iter().chain(&unlisted.notes) {
        out::note(format!("note: {said}"));
    }
    for r in &runs {
        if let Some(sentence) = studio.unshown(&RunId::from(r.run_id.as_str())) {
            out::note(format!("note: run {}: {sentence}", r.run_id));
        }
    }
    Ok(Exit::Done)
}

/// How a run stands, and where it comes from.
fn told(r: &RunRowView) -> String {
    let status = match r.rehearsal {
        true => format!("rehearsal: {}", r.status_words),
        false => r.status_words.clone(),
    };
    match &r.continues {
        None => status,
        Some(ContinuesView { run_id, checkpoint, .. }) => match checkpoint {
            Some(checkpoint) => format!("{status}; goes back to “{checkpoint}” of {run_id}"),
            None => format!("{status}; goes on from {run_id}"),
        },
    }
}

/// Shows where a run stands.
pub async fn status(at: Option<&Path>, a: &OfRun) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let view = studio
        .view(RunAt {
            run_id: a.run.clone(),
            at: None,
        })
        .await?;
    project::say_missing(&studio)?;
    let run = RunId::from(view.run_id.as_str());
    let asked = studio.asked(&run)?;
    if a.json {
        let mut view = serde_json::to_value(&view).map_err(|e| Failure::internal(e.to_string()))?;
        if let Some(about) = hint::about_json(&studio, &asked, &view["waiting"]) {
            view["waiting"]["about"] = about;
        }
        let inside = asked
            .into_iter()
            .filter(|asked| view["run_id"] != asked.card.run_id.as_str());
        let inside: Vec<_> = inside.collect();
        view["waiting_inside"] = hint::waiting_json(&studio, &inside).into();
        view["kept_inside"] = hint::inside_json(&studio.kept_inside(&run)?).into();
        out::json(&view);
    } else {
        let kind = if view.rehearsal { "rehearsal: " } else { "" };
        let title = out::in_line(&view.workflow_title);
        out::line(format!("{title}: {kind}{}", out::in_line(&view.status_words)));
        if let Some(subject) = &view.subject {
            out::line(format!("about {}", out::in_line(subject)));
        }
        out::line(format!("run {}", view.run_id));
        if view.rehearsal {
            out::line(crate::run::REHEARSAL);
        }
        for remark in view.remarks.iter().chain(&view.notes) {
            out::line(format!("remark: {}", out::in_line(remark)));
        }
        if let Some(error) = &view.error {
            out::line(format!("error: {}", out::in_line(error)));
        }
        if let Some(ended) = view.ended_at.filter(|_| view.status != Status::Imported) {
            let took = words::duration(u64::try_from(ended - view.created_at).unwrap_or(0));
            let waited = view.waited.as_ref().map(|waited| format!(", {waited}"));
            out::line(format!("took {took}{}", waited.unwrap_or_default()));
        }
        if let Some(driver) = &view.driver {
            out::line(format!("driven by {driver}"));
        }
        let rows: Vec<Vec<String>> = view
            .faces
            .iter()
            .zip(&view.steps)
            .map(|(face, step)| {
                vec![
                    mark(step.status).into(),
                    face.step.number.clone(),
                    face.step.name.clone(),
                    step.words.clone(),
                ]
            })
            .collect();
        out::table(&rows);
        for (step, why) in studio.failures(&run)? {
            // What the run has failed with stands above.
            if view.error.as_deref() != Some(why.as_str()) {
                let name = safe::in_quotes(&step.name);
                out::line(format!("“{name}” failed: {}", out::in_line(&why)));
            }
        }
        hint::waiting(&studio, &view.run_id, &asked);
    }
    Ok(Exit::Done)
}

fn mark(status: Status) -> &'static str {
    match status {
        Status::Done => "✓",
        Status::Failed | Status::Aborted => "✗",
        Status::Refused => "⊘",
        Status::Partly | Status::Stopped => "!",
        Status::Queued => "…",
        Status::Running | Status::Waiting => "▸",
        Status::Blocked | Status::Paused | Status::LeftOpen => "?",
        Status::Skipped => "–",
        Status::NotStarted | Status::Imported => "·",
    }
}
