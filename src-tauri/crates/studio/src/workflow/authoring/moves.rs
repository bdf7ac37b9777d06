//! Where workflows have stood: one that is renamed or moved keeps its runs, and they lead to it.

use crate::{ApiError, Studio};
use dialect::Document;
use engine::At;
use model::WorkflowId;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::{RunFilter, RunRow, StatusWord};

/// Under which setting of the project they are kept.
const KEY: &str = "moved";
/// So many are kept; the oldest go.
const MOST: usize = 2_000;

/// A file that went from one path to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Move {
    from: String,
    to: String,
    at: i64,
}

/// Every file that went from one path to another.
pub(crate) struct Moved(Vec<Move>);

impl Moved {
    /// Where the file stands now that a run begun at this time found at this path.
    pub fn stands_at<'a>(&'a self, path: &'a str, begun: Option<At>) -> &'a str {
        begun.map_or(path, |begun| now_at(&self.0, path, begun.0))
    }
}

impl Studio {
    fn moves(&self) -> Result<Vec<Move>, ApiError> {
        let kept = self.0.store.setting(KEY)?;
        // Somebody may have written something else there.
        Ok(kept
            .and_then(|json| serde_json::from_str(&json).ok())
            .unwrap_or_default())
    }

    /// Notes that a file went to another path.
    pub(super) fn note_moved(&self, from: &str, to: &str) -> Result<(), ApiError> {
        let mut moves = self.moves()?;
        moves.push(Move {
            from: from.to_owned(),
            to: to.to_owned(),
            at: crate::studio::now().0,
        });
        moves.drain(..moves.len().saturating_sub(MOST));
        let json = serde_json::to_string(&moves).map_err(|e| ApiError::new("internal", e.to_string()))?;
        Ok(self.0.store.set_setting(KEY, &json)?)
    }

    /// Where the file stands now that a run begun at this time found at this path.
    pub(crate) fn stands_at(&self, path: &str, begun: Option<At>) -> String {
        self.moved().stands_at(path, begun).to_owned()
    }

    /// The same for many.
    pub(crate) fn moved(&self) -> Moved {
        Moved(self.moves().unwrap_or_default())
    }

    /// The latest runs of the workflow at a path, those included that it had where it stood before.
    pub(crate) fn runs_of(&self, path: &str, limit: usize) -> Result<Vec<RunRow>, ApiError> {
        let moves = self.moves()?;
        let mut rows = Vec::new();
        for span in spans(&moves, path) {
            let whole = span.since == i64::MIN && span.until == i64::MAX;
            let filter = RunFilter {
                path: Some(span.path.to_owned()),
                limit: whole.then_some(limit),
                ..RunFilter::default()
            };
            let own = self.0.store.runs(&filter)?.into_iter();
            rows.extend(own.filter(|row| (span.since..span.until).contains(&row.created_at.0)));
        }
        latest_first(&mut rows);
        rows.truncate(limit);
        Ok(rows)
    }

    /// The same of a workflow with this id: where its file has fewer runs, those count as well that lost theirs. Another program renamed it.
    pub(crate) fn runs_called(&self, path: &str, id: &WorkflowId, limit: usize) -> Result<Vec<RunRow>, ApiError> {
        let mut rows = self.runs_of(path, limit)?;
        let missing = limit.saturating_sub(rows.len());
        if missing == 0 {
            return Ok(rows);
        }
        let filter = RunFilter {
            workflow: Some(id.clone()),
            ..RunFilter::default()
        };
        let moved = self.moved();
        let mut there: HashMap<String, bool> = HashMap::new();
        let mut is_there = |path: &str| {
            let known = there.entry(path.to_owned());
            *known.or_insert_with(|| self.inside(path).is_ok_and(|file| file.exists()))
        };
        let lost = self.0.store.runs(&filter)?.into_iter().filter(|row| {
            row.status != StatusWord::Imported && !is_there(moved.stands_at(&row.path, Some(row.created_at)))
        });
        let lost: Vec<RunRow> = lost.take(missing).collect();
        rows.extend(lost);
        latest_first(&mut rows);
        Ok(rows)
    }

    /// What to do where no file is at a path. One that bears the id of the workflow that stood there is named: it may be that file.
    pub(crate) fn where_gone(&self, path: &str) -> String {
        let run = self.runs_of(path, 1).unwrap_or_default().pop();
        let id = run.map(|row| row.workflow).or_else(|| self.id_noted(path));
        let called = |id: &WorkflowId| self.workflows().into_iter().find(|other| other.workflow().id == *id);
        match id.as_ref().and_then(called) {
            Some(other) => format!(
                "{} has the same id, {}: it may be this workflow under another name.",
                other.path(),
                other.workflow().id
            ),
            None => "Check the path; the file may have been moved or deleted.".to_owned(),
        }
    }

    /// The id in the last text that was noted of a file.
    fn id_noted(&self, path: &str) -> Option<WorkflowId> {
        let digest = self.0.store.journal_known(path).ok().flatten()?;
        let text = String::from_utf8(self.0.store.blob(&digest).ok()?).ok()?;
        Some(Document::parse(path, &text).workflow().id.clone())
    }
}

fn latest_first(rows: &mut [RunRow]) {
    rows.sort_by(|a, b| (b.created_at, &b.run).cmp(&(a.created_at, &a.run)));
}

/// A time in which a file stood at a path: from `since` up to `until`.
#[derive(Debug, PartialEq, Eq)]
struct Span<'a> {
    path: &'a str,
    since: i64,
    until: i64,
}

/// Where the file that stands at a path has stood, the last place first.
fn spans<'a>(moves: &'a [Move], path: &'a str) -> Vec<Span<'a>> {
    let mut found = Vec::new();
    let (mut path, mut until) = (path, i64::MAX);
    loop {
        // What went away from there before is another file.
        let left = moves
            .iter()
            .filter(|one| one.from == path && one.at < until)
            .map(|one| one.at);
        let since = left.max().unwrap_or(i64::MIN);
        found.push(Span { path, since, until });
        let came = moves
            .iter()
            .rfind(|one| one.to == path && one.at < until && one.at >= since);
        match came {
            Some(came) => (path, until) = (&came.from, came.at),
            None => return found,
        }
    }
}

fn now_at<'a>(moves: &'a [Move], path: &'a str, begun: i64) -> &'a str {
    let (mut path, mut at) = (path, begun);
    for one in moves.iter().filter(|one| one.at >= begun) {
        if one.from == path && one.at >= at {
            (path, at) = (&one.to, one.at);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(all: &[(&str, &str, i64)]) -> Vec<Move> {
        let one = |(from, to, at): &(&str, &str, i64)| Move {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            at: *at,
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn a_file_is_followed_back_and_forth() {
        let moves = moves(&[("a", "b", 10), ("b", "c", 20), ("x", "a", 30)]);
        let at: Vec<(&str, i64)> = spans(&moves, "c").iter().map(|span| (span.path, span.until)).collect();
        assert_eq!(at, [("c", i64::MAX), ("b", 20), ("a", 10)]);
        // Another file stands at `a` now, which came from `x`.
        let now = spans(&moves, "a");
        assert_eq!((now[0].since, now[1].path), (10, "x"));
        assert_eq!(now_at(&moves, "a", 5), "c");
        assert_eq!(now_at(&moves, "a", 15), "a");
        assert_eq!(now_at(&moves, "b", 15), "c");
    }

    #[test]
    fn to_and_fro_ends() {
        let moves = moves(&[("a", "b", 10), ("b", "a", 20), ("a", "b", 30)]);
        let at: Vec<(&str, i64, i64)> = spans(&moves, "b").iter().map(|s| (s.path, s.since, s.until)).collect();
        assert_eq!(
            at,
            [
                ("b", 20, i64::MAX),
                ("a", 10, 30),
                ("b", i64::MIN, 20),
                ("a", i64::MIN, 10)
            ]
        );
        assert_eq!(now_at(&moves, "a", 5), "b");
    }
}
