//! The evidence of a project: looking it over, and promoting it.

use crate::command::{EvidenceOf, PromoteOf};
use crate::evidence::known::{Known, Recorded};
use crate::evidence::present;
use crate::evidence::view::{EvidenceList, RunSupport};
use crate::lock::lock;
use crate::run::history::History;
use crate::run::status;
use crate::settings::query::still_called;
use crate::studio::now;
use crate::view::Refused;
use crate::{ApiError, Studio};
use engine::{Digest, Intent, Promotion, RefusalCode, RunState, Signature};
use model::Workflow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use store::{RunFilter, RunRow};

impl Studio {
    /// The runs that recorded evidence, latest first; or the one that is named, if it did.
    fn recorded(&self, named: Option<&str>) -> Result<Vec<Recorded>, ApiError> {
        let named = named.map(|id| self.find_run(id)).transpose()?;
        let mut rows = self.0.store.runs(&RunFilter::default())?;
        rows.retain(|row| row.format.contract().lifecycle && named.as_ref().is_none_or(|run| *run == row.run));
        let all = rows.iter().map(|row| self.recorded_by(row));
        all.filter_map(Result::transpose).collect()
    }

    fn recorded_by(&self, row: &RunRow) -> Result<Option<Recorded>, ApiError> {
        let known = lock(&self.0.evidence).get(&row.run).cloned();
        if let Some(known) = known.filter(|known| known.seq == row.seq) {
            return Ok(known.recorded);
        }
        let history = self.history(row.run.as_str())?;
        let mut state = history.state(None);
        state.steps.clear();
        state.routes.clear();
        let seq = state.seq;
        let recorded = (!state.evidence.is_empty()).then(|| Recorded {
            document: Arc::clone(&history.document),
            state: Arc::new(state),
        });
        let known = Known {
            seq,
            recorded: recorded.clone(),
        };
        lock(&self.0.evidence).insert(row.run.clone(), known);
        Ok(recorded)
    }
}

impl Studio {
    /// The evidence of all runs, or of one.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub async fn evidence_list(&self, of: EvidenceOf) -> Result<EvidenceList, ApiError> {
        let now = now().0;
        let mut list = EvidenceList {
            now,
            items: Vec::new(),
            runs: Vec::new(),
            signer: self.0.identity.person().name,
        };
        let files = Files::of(self);
        for recorded in self.recorded(of.run_id.as_deref())? {
            let state = &recorded.state;
            let run = state.created.as_deref().map(|created| &created.run_id);
            let subject = run.and_then(|run| self.subject(run, state.seq));
            add(
                &mut list,
                recorded.document.workflow(),
                state,
                &files,
                subject.as_deref(),
            );
        }
        if let Some(message) = self.read_only_words() {
            for item in &mut list.items {
                item.promote.to = None;
                item.promote.refusal.get_or_insert_with(|| Refused {
                    code: RefusalCode::CannotPromote,
                    message: message.clone(),
                });
            }
        }
        present::sort(&mut list.items);
        Ok(list)
    }

    /// A person raises a record by one level and says what that is founded on.
    pub(crate) async fn promote(&self, of: PromoteOf) -> Result<EvidenceList, ApiError> {
        let by = self.0.identity.person().name;
        if by.is_empty() {
            return Err(ApiError::new(
                "refused:name_required",
                "Enter your name first. It is kept with every confirmation.",
            )
            .hint("Give your name in the settings, then promote."));
        }
        still_called(&by, of.by.as_deref())?;
        self.writable()?;
        let history = self.history(&of.run_id)?;
        self.reason_may_be_said(&history, &of.reason)?;
        let signed = |history: &History| {
            self.may_raise(history, &by)?;
            Ok(Intent::Promote {
                by: by.clone(),
                evidence: of.evidence.clone(),
                to: of.to.word().to_owned(),
                reason: of.reason.clone(),
                signature: self.signed(history, &by, &of)?,
            })
        };
        self.submit_signed(history, signed).await?;
        self.evidence_list(EvidenceOf {
            run_id: of.within.then_some(of.run_id),
        })
        .await
    }

    /// The signature under a promotion as it is going to be recorded; none where there is no such record, which is refused.
    fn signed(&self, history: &History, by: &str, of: &PromoteOf) -> Result<Option<Signature>, ApiError> {
        let state = history.state(None);
        let held = state.evidence.iter().find(|held| held.record.id == of.evidence);
        let (Some(created), Some(held)) = (history.created(), held) else {
            return Ok(None);
        };
        let mut promotion = Promotion {
            evidence: of.evidence.clone(),
            from: held.record.level,
            to: of.to,
            by: by.trim().to_owned(),
            reason: of.reason.trim().to_owned(),
            gate: None,
            signature: None,
        };
        let grounds = self.grounds(history)?;
        self.0
            .identity
            .sign_promotion(created, &held.record, grounds, &mut promotion);
        Ok(promotion.signature)
    }
}

/// The project's files as they are now, each read once.
struct Files<'a> {
    studio: &'a Studio,
    read: RefCell<HashMap<String, Option<Digest>>>,
}

impl<'a> Files<'a> {
    fn of(studio: &'a Studio) -> Self {
        let read = RefCell::default();
        Self { studio, read }
    }

    fn digest(&self, path: &str) -> Option<Digest> {
        let mut read = self.read.borrow_mut();
        let entry = read.entry(path.to_owned());
        entry.or_insert_with(|| self.studio.remembered_digest(path)).clone()
    }
}

/// Adds what a run recorded.
fn add(list: &mut EvidenceList, workflow: &Workflow, state: &RunState, files: &Files<'_>, subject: Option<&str>) {
    let on_disk = |path: &str| files.digest(path);
    let of = present::Of {
        workflow,
        state,
        now: list.now,
        on_disk: Some(&on_disk),
    };
    let mut records = present::all(&of);
    for record in &mut records {
        record.subject = subject.map(str::to_owned);
    }
    let Some(created) = state.created.as_deref() else {
        return;
    };
    list.runs.push(RunSupport {
        run_id: created.run_id.to_string(),
        workflow_title: created.title.clone(),
        subject: subject.map(str::to_owned),
        status: status::run_status(state),
        created_at: state.created_at.map_or(0, |at| at.0),
        rehearsal: created.is_rehearsal(),
        support: present::support(records.iter().filter(|record| !record.superseded)),
    });
    list.items.extend(records);
}
