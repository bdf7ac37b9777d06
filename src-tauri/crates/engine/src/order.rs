//! What a person orders a run to do without being asked: to pause, to go on, to be carried on, to stop. What is signed of it.

use crate::created::RunCreated;
use crate::{Digest, Event, Given, Grounds, Intent, RunId};
use serde::Serialize;

/// What is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderKind {
    /// No new attempt begins.
    Pause,
    /// It goes on.
    Resume,
    /// Nobody carried it on: the program of whoever gives the order does.
    TakeUp,
    /// It ends.
    Stop,
}

/// An order, as somebody gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order<'a> {
    /// What.
    pub kind: OrderKind,
    /// The name that it is given in.
    pub by: &'a str,
    /// Why, in their words; may be empty.
    pub reason: &'a str,
}

/// What is signed of an order, in the order signed.
#[derive(Serialize)]
struct Statement<'a> {
    run: &'a RunId,
    workflow: &'a str,
    /// Digest of the workflow's text.
    source: &'a Digest,
    order: OrderKind,
    by: &'a str,
    reason: &'a str,
    key: &'a str,
    key_of: Option<&'a str>,
    via: &'a str,
    grounds: &'a Grounds,
}

impl<'a> Order<'a> {
    /// An order that needs no reason.
    pub fn to(kind: OrderKind, by: &'a str) -> Self {
        Self { kind, by, reason: "" }
    }

    /// The order that an event records, and how it was given; `None`: it records none.
    pub fn of(event: &'a Event) -> Option<(Self, Option<&'a Given>)> {
        let (kind, by, reason, given) = match event {
            Event::Paused { by, given } => (OrderKind::Pause, by, "", given),
            Event::Resumed { by, given } => (OrderKind::Resume, by, "", given),
            Event::TakenUp { by, given } => (OrderKind::TakeUp, by, "", given),
            Event::Aborted { by, reason, given } => (OrderKind::Stop, by, reason.as_str(), given),
            _ => return None,
        };
        Some((Self { kind, by, reason }, given.as_deref()))
    }

    /// The order to a run.
    pub fn intent(self, given: Given) -> Intent {
        let (by, given) = (self.by.to_owned(), Some(Box::new(given)));
        match self.kind {
            OrderKind::Pause => Intent::Pause { by, given },
            OrderKind::Resume => Intent::Resume { by, given },
            OrderKind::TakeUp => Intent::TakeUp { by, given },
            OrderKind::Stop => Intent::Abort {
                by,
                reason: self.reason.to_owned(),
                given,
            },
        }
    }

    /// The bytes that are signed: the run, what is ordered, by whom and why, the way, the time, and by its link everything recorded before.
    /// `None`: it carries no signature, or one without grounds. What is signed in a rehearsal says so.
    pub fn statement(self, of: &RunCreated, given: &Given) -> Option<String> {
        let signature = given.signature.as_ref()?;
        let kind = match of.rehearsal {
            true => "gatehouse-order-v1-rehearsal",
            false => "gatehouse-order-v1",
        };
        let statement = Statement {
            run: &of.run_id,
            workflow: of.workflow.as_str(),
            source: &of.source,
            order: self.kind,
            by: self.by,
            reason: self.reason,
            key: &signature.key,
            key_of: given.key_name.as_deref(),
            via: &given.via,
            grounds: signature.grounds.as_ref()?,
        };
        Some(serde_json::to_string(&(kind, statement)).expect("a statement is text and numbers"))
    }
}
