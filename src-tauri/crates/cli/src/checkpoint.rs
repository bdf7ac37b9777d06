//! `gatehouse checkpoint`, `checkpoints`, `restore-checkpoint`: the moments of a run that one can go back to.

use crate::arguments::{MakeCheckpoint, OfRun, RestoreCheckpoint};
use crate::out;
use crate::out::{Exit, Failure};
use crate::project;
use crate::run::{Manner, REHEARSAL, follow, going_on, list, so_far};
use std::path::Path;
use studio::checkpoint::view::{CheckpointKind, CheckpointsView, FileFate, GoBackView};
use studio::command::{BackTo, CheckpointOf, GoBackTo, RunAt};

/// Names the moment at which a run stands.
pub async fn make(at: Option<&Path>, a: &MakeCheckpoint) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let of = CheckpointOf {
        run_id: a.run.clone(),
        name: a.name.clone(),
    };
    print(&studio.make_checkpoint(of).await?, a.json);
    Ok(Exit::Done)
}

/// Lists the checkpoints of a run.
pub async fn all(at: Option<&Path>, a: &OfRun) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let of = RunAt {
        run_id: a.run.clone(),
        at: None,
    };
    print(&studio.checkpoints(of).await?, a.json);
    Ok(Exit::Done)
}

fn print(view: &CheckpointsView, json: bool) {
    if json {
        return out::json(view);
    }
    if view.checkpoints.is_empty() {
        return out::line("no checkpoints yet; name this moment with: gatehouse checkpoint RUN NAME");
    }
    let rows = view.checkpoints.iter().map(|one| {
        let made = match (one.kind, &one.by) {
            (CheckpointKind::Person, Some(by)) => format!("named by {by}"),
            (CheckpointKind::Person, None) => "named".to_owned(),
            (CheckpointKind::Step, _) => "asked for by its step".to_owned(),
            (CheckpointKind::Gate, _) => "a person was asked".to_owned(),
        };
        let step = one.step.as_ref().map(|step| {
            let visit = one.visit.filter(|visit| *visit > 1);
            let visit = visit.map(|visit| format!(", visit {visit}")).unwrap_or_default();
            format!("{} {}{visit}", step.number, step.name)
        });
        let since = match &one.refusal {
            None => format!("{} since", one.since),
            Some(why) => format!("{} since; cannot be gone back to: {why}", one.since),
        };
        vec![
            one.seq.to_string(),
            one.name.clone(),
            made,
            step.unwrap_or_default(),
            since,
        ]
    });
    out::table(&rows.collect::<Vec<_>>());
}

/// Goes back to a checkpoint, and carries the new run out.
pub async fn restore(at: Option<&Path>, a: &RestoreCheckpoint) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let to = BackTo {
        run_id: a.run.clone(),
        checkpoint: a.checkpoint.clone(),
    };
    studio.means_one(&to)?;
    if a.dry_run {
        // Looking at it says no more than doing it.
        studio.could_go_back(&to)?;
    }
    let view = studio.going_back(to).await?;
    if a.dry_run {
        match a.follow.json {
            true => out::json(&view),
            false => preview(&view),
        }
        return Ok(Exit::Done);
    }
    let manner = Manner::of(&studio, &a.follow)?;
    if a.put_back && !a.follow.json {
        files(&view);
    }
    let barred = studio.barred_behind(&a.run, Some(view.checkpoint.seq))?;
    let went = studio.go_back(&GoBackTo {
        run_id: a.run.clone(),
        // The very one that was looked at.
        checkpoint: view.checkpoint.seq.to_string(),
        put_back: a.put_back.then(|| view.mark.clone()),
    })?;
    if !a.follow.json {
        out::line(format!(
            "run {}, going back to “{}” of {}",
            went.run, view.checkpoint.name, a.run
        ));
        if let Some((folder, count)) = &went.folder {
            let files = if *count == 1 { "file" } else { "files" };
            out::line(format!("{count} {files} of that moment: {folder}"));
        }
        not_taken(&view);
        barred.iter().for_each(out::line);
        if went.put_back > 0 {
            let files = if went.put_back == 1 { "file" } else { "files" };
            out::line(format!(
                "{} {files} of the project are as they were then",
                went.put_back
            ));
        }
        if studio.is_rehearsal(&went.run) {
            out::line(REHEARSAL);
        }
    }
    // What it begins with was told when it happened.
    let after = so_far(&studio, went.run.as_str()).await?;
    follow(&studio, &went.run, &Manner { after, ..manner }).await
}

/// Says which files do not go along.
fn not_taken(view: &GoBackView) {
    view.not_taken.iter().for_each(out::line);
}

fn preview(view: &GoBackView) {
    out::line(&view.words);
    view.barred.iter().for_each(out::line);
    not_taken(view);
    out::line(format!("done since then: {}", view.checkpoint.since));
    list("not done again", &view.kept);
    list("left out, as it was then", &view.left_out);
    list("failed, as it was then", &view.failed);
    list("done again from its beginning", &view.again);
    going_on(&view.at, &view.then);
    if view.changes.is_empty() {
        return out::line("no file of the project would be put back");
    }
    out::line("with --put-back, in the project:");
    files(view);
}

/// What putting the files back does, file by file.
fn files(view: &GoBackView) {
    for file in &view.changes {
        let fate = match file.fate {
            FileFate::Written => "written",
            FileFate::Changed => "changed",
            FileFate::Deleted => "deleted",
            FileFate::Same => "as it was",
            FileFate::Left => "left alone",
        };
        let why = file.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        out::line(format!(
            "  {fate:<10} {}{}",
            out::in_line(&file.path),
            out::in_line(&why)
        ));
    }
}
