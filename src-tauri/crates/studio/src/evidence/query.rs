//! The evidence of a project: looking it over, and promoting it.

use crate::command::{EvidenceOf, PromoteOf};
use crate::evidence::present;
use crate::evidence::view::{EvidenceList, RunSupport};
use crate::studio::now;
use crate::{ApiError, Studio, words};
use engine::{Digest, Intent, RunState};
use model::Workflow;
use std::cell::RefCell;
use std::collections::HashMap;

impl Studio {
    /// The evidence of all runs, or of one.
    pub(crate) async fn evidence_list(&self, of: EvidenceOf) -> Result<EvidenceList, ApiError> {
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
        self.promote_as(&of, &by).await?;
        self.evidence_list(EvidenceOf {
            run_id: of.within.then_some(of.run_id),
        })
        .await
    }

    /// The same in a given name.
    ///
    /// # Errors
    /// `refused:cannot_promote`, `refused:comment_required`, `refused:name_required`; `not_found`; what the store reports.
    pub async fn promote_as(&self, of: &PromoteOf, by: &str) -> Result<(), ApiError> {
        self.writable()?;
        let history = self.history(&of.run_id)?;
        let intent = Intent::Promote {
            by: by.to_owned(),
            evidence: of.evidence.clone(),
            to: of.to.word().to_owned(),
            reason: of.reason.clone(),
        };
        self.submit(&history, intent).await
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
        entry.or_insert_with(|| self.studio.digest_on_disk(path)).clone()
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
        status: words::run_status(state),
        created_at: state.created_at.map_or(0, |at| at.0),
        rehearsal: created.is_rehearsal(),
        support: present::support(records.iter().filter(|record| !record.superseded)),
    });
    list.items.extend(records);
}
