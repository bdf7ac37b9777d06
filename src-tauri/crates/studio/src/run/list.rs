//! Lists of runs.

use crate::command::{FindRuns, Nothing, RunsOf};
use crate::gate::view::GateCard;
use crate::lock::lock;
use crate::run::row_view::{OutcomeView, RunPeopleView, RunRowView, RunsView, UnlistedView};
use crate::run::status::Undriven;
use crate::run::waiting::Waiting;
use crate::run::{present, reasons, status, transitions};
use crate::settings::keys::Keys;
use crate::studio::now;
use crate::text::safe;
use crate::view::Status;
use crate::workflow::authoring::moves::Moved;
use crate::{ApiError, Studio, days};
use dialect::Document;
use engine::{Outcome, Refused, RunCreated, RunId};
use model::{Control, Prose};
use std::sync::Arc;
use store::{RunFilter, RunRow, StatusWord};

/// What is said of a run that failed, before what it said itself.
const FAILED: &str = "failed";

/// Adds what is to be known of a run's end to how it ended.
fn add(view: &mut RunRowView, what: &str) {
    let ended = view.outcome.iter_mut().map(|outcome| &mut outcome.words);
    for words in std::iter::once(&mut view.status_words).chain(ended) {
        words.push_str("; ");
        words.push_str(what);
    }
}

impl Studio {
    /// The runs of some days and of somebody, or all of them, latest first.
    ///
    /// # Errors
    /// `bad_date`, and what the store reports.
    pub async fn runs(&self, of: RunsOf) -> Result<RunsView, ApiError> {
        let (since, until) = days::span(self.zone(), of.since.as_deref(), of.until.as_deref())?;
        let rows = self.0.store.runs(&RunFilter {
            since,
            until,
            by: of.by,
            ..RunFilter::default()
        })?;
        Ok(RunsView {
            runs: self.rows(rows.iter()),
        })
    }

    /// Whether anybody of that name started a run or answered in one.
    ///
    /// # Errors
    /// What the store reports.
    pub fn is_in_the_record(&self, name: &str) -> Result<bool, ApiError> {
        Ok(!self.0.store.written(name)?.is_empty())
    }

    /// Whether the record has a run of a workflow of this title or id, or of this file.
    ///
    /// # Errors
    /// What the store reports.
    pub fn has_run_of(&self, named: &str) -> Result<bool, ApiError> {
        let rows = self.0.store.runs(&RunFilter::default())?;
        let is_named = |row: &RunRow| row.title == named || row.workflow.as_str() == named || row.path == named;
        Ok(rows.iter().any(is_named))
    }

    /// Who started runs or answered in them.
    pub(crate) fn people_of_runs(&self, _: Nothing) -> Result<RunPeopleView, ApiError> {
        Ok(RunPeopleView {
            names: self.0.store.people()?,
        })
    }

    /// The runs that are there and missing from that list.
    pub(crate) fn unlisted_runs(&self, _: Nothing) -> Result<UnlistedView, ApiError> {
        self.unlisted()
    }

    /// The runs that fit some words, latest first.
    pub(crate) async fn find_runs(&self, of: FindRuns) -> Result<RunsView, ApiError> {
        let words: Vec<String> = of.query.split_whitespace().map(str::to_lowercase).collect();
        let rows = self.0.store.runs(&RunFilter::default())?;
        let fits = |row: &&RunRow| {
            let subject = self.subject(&row.run, row.seq).unwrap_or_default();
            let said = [
                row.title.as_str(),
                &subject,
                &row.path,
                present::word_in_words(row.status),
                &row.by,
                row.run.as_str(),
            ];
            let said = said.join(" ").to_lowercase();
            words.iter().all(|word| said.contains(word))
        };
        let found = rows.iter().filter(fits).take(of.limit as usize);
        Ok(RunsView { runs: self.rows(found) })
    }

    /// A run as a row of a table.
    pub(crate) fn row(&self, row: &RunRow) -> RunRowView {
        self.row_now(row, &self.moved(), &self.that_wait(), &self.0.identity.keys())
    }

    /// Runs as rows of a table.
    pub(crate) fn rows<'a>(&self, rows: impl Iterator<Item = &'a RunRow>) -> Vec<RunRowView> {
        let (moved, waiting, keys) = (self.moved(), self.that_wait(), self.0.identity.keys());
        rows.map(|row| self.row_now(row, &moved, &waiting, &keys)).collect()
    }

    fn row_now(&self, row: &RunRow, moved: &Moved, waiting: &Waiting<'_>, keys: &Keys) -> RunRowView {
        let known = lock(&self.0.runs.rows).get(&row.run).cloned();
        let mut view = match known {
            Some((seq, view)) if seq == row.seq => view,
            _ => {
                let (view, whole) = self.row_of(row);
                if whole {
                    lock(&self.0.runs.rows).insert(row.run.clone(), (row.seq, view.clone()));
                }
                view
            }
        };
        let may_be_doubted = row.status.ended() && row.gates_asked > 0 && !view.rehearsal;
        if may_be_doubted && self.is_in_doubt(row, keys) {
            add(&mut view, "who decided is in doubt");
        }
        view.altered = self.is_known_altered(&row.run);
        if view.altered {
            add(&mut view, "its record was changed");
        }
        view.duration_ms = present::lasted(row, now().0);
        view.workflow_path = moved.stands_at(&view.workflow_path, Some(row.created_at)).to_owned();
        if view.status == Status::Running {
            let now = match self.is_left(&row.run, row.status.ended()) {
                true => self.undriven(&row.run, waiting).map(Some),
                // Its history is opened for that, so only where it may be.
                false => waiting.has(&row.run).and_then(|may| match may {
                    true => self.undriven_now(&*self.history(row.run.as_str())?, waiting),
                    false => Ok(None),
                }),
            };
            // Where it cannot be looked up, what its log says stands.
            if let Ok(Some(now)) = now {
                // Only of stages it is known from the log that nothing more begins.
                let history = match row.format.contract().control {
                    Control::Stages if status::may_be_halted(&view.status_words) => self.history(row.run.as_str()).ok(),
                    Control::Stages | Control::Token => None,
                };
                let state = history.as_ref().map(|history| history.state(None));
                let log = history.as_ref().zip(state.as_ref());
                view.status = now.status();
                if now != Undriven::Waits {
                    view.duration_ms = present::lasted(row, row.last_at.0);
                }
                view.status_words = now.words(log.map(|(history, state)| (history.workflow(), state)));
                // The chip alone says no more than that it waits. What the run asks itself stands in its own words.
                let waits = row.waiting.is_none() && view.status_words.starts_with(status::WAITS);
                if let Some(card) = waits.then(|| self.first_asked_inside(&row.run)).flatten() {
                    let asks = format!("waits for a decision in “{}”", safe::in_quotes(&card.workflow_title));
                    view.status_words = view.status_words.replacen(status::WAITS, &asks, 1);
                }
            }
        }
        view
    }

    /// The decision that the runs inside one have waited for the longest; `None`: they wait for none, or cannot be read.
    fn first_asked_inside(&self, run: &RunId) -> Option<Arc<GateCard>> {
        self.asked_inside(run).ok()?.into_iter().next()
    }

    /// What its log says, and whether all of it could be read. Read once: a list is looked at often, and most of its runs do not change.
    fn row_of(&self, row: &RunRow) -> (RunRowView, bool) {
        // Only what has not ended needs its log for words such as “waits for a decision at …”.
        let open = (!row.status.ended())
            .then(|| self.history(row.run.as_str()).ok())
            .flatten();
        let state = open.as_ref().map(|h| h.state(None));
        let seen = open.as_ref().zip(state.as_ref()).map(|(h, s)| (h.workflow(), s));
        let subject = self.subject(&row.run, row.seq);
        let created = self.created(&row.run);
        let refused = created.as_deref().and_then(|created| self.refusal_of(row, created));
        let whole =
            created.is_some() && (open.is_some() || row.status.ended()) && refused.is_some() == row.refused.is_some();
        let mut view = present::row(row, seen, refused, created.as_deref(), subject);
        view.rehearsal |= row.status == StatusWord::Imported
            && self
                .history(row.run.as_str())
                .is_ok_and(|history| history.says_rehearsal());
        if let Some(said) = self.stopped_with(row).filter(|_| view.status_words == FAILED) {
            if let Some(outcome) = &mut view.outcome {
                outcome.words.clone_from(&said);
            }
            view.status_words = said;
        }
        if let Some(unmet) = self.unmet(row) {
            add(&mut view, &unmet);
        }
        (view, whole)
    }

    /// Of a run that ended as done and came to its end, or out of a loop, without what it was to report: that, in a few words. Its events are
    /// read one by one only where they hold such a thing at all.
    fn unmet(&self, row: &RunRow) -> Option<String> {
        if row.status != StatusWord::Succeeded || !self.0.store.may_be_unmet(&row.run).ok()? {
            return None;
        }
        let history = self.history(row.run.as_str()).ok()?;
        let unmet = reasons::unmet(history.workflow(), &history.state(None)).into_iter();
        let brief: Vec<String> = unmet.map(|unmet| unmet.brief).collect();
        (!brief.is_empty()).then(|| brief.join("; "))
    }

    /// Of a runbook that stopped as failed and said why: that, in the words of its page. Its events are read only where it may have said it.
    fn stopped_with(&self, row: &RunRow) -> Option<String> {
        if row.status != StatusWord::Failed || row.error.is_none() || row.format.contract().prose != Prose::Markdown {
            return None;
        }
        let history = self.history(row.run.as_str()).ok()?;
        transitions::ended(&history.state(None))
    }

    /// By whom a run was refused, where and in what words.
    fn refusal_of(&self, row: &RunRow, created: &RunCreated) -> Option<OutcomeView> {
        let (gate, round) = row.refused.as_ref()?;
        let mut inside = None;
        let (opened, decision, at) = match self.0.store.answered(&row.run, gate, *round).ok()? {
            Some(found) => found,
            // It was refused in a run that this one goes on from, or in one inside it.
            None => {
                let history = self.history(row.run.as_str()).ok()?;
                let state = history.state(None);
                let refused = match state.outcome() {
                    Some(Outcome::Refused(refused)) => refused,
                    _ => state.refused_before()?,
                };
                inside = refused.inside.cloned();
                (refused.opened.clone(), refused.decision.clone(), refused.at)
            }
        };
        let source = self.0.store.blob(&created.source).ok()?;
        let document = Document::parse(&created.path, &String::from_utf8_lossy(&source));
        let refused = Refused {
            opened: &opened,
            decision: &decision,
            at,
            inside: inside.as_ref(),
        };
        Some(status::refused(document.workflow(), &refused))
    }
}
