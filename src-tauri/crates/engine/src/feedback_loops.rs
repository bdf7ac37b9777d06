//! The feedback loops of a run as they stand (seed 003 `feedback_loops`).

use crate::{Answer, At, Decision, FeedbackAcknowledged, FeedbackGiven, GateOpened, Instance};
use imbl::{OrdMap, Vector};
use model::StepId;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All loops that were opened, and how often each step has sent work back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FeedbackLoops {
    all: Vector<Arc<FeedbackLoop>>,
    /// How often a step has sent work back since a person last decided about what it reports.
    sent: OrdMap<StepId, u32>,
}

/// One loop.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedbackLoop {
    /// Each report of it, the first opened it.
    pub given: Vec<(Arc<FeedbackGiven>, At)>,
    /// Where it stands.
    pub status: FeedbackStatus,
    /// Steps that it was sent back to and that have not begun again.
    pub awaits: BTreeSet<StepId>,
    /// Who left their work as it is, and why.
    pub acknowledged: Vec<(Arc<FeedbackAcknowledged>, At)>,
    /// How it ended, in words, and when.
    pub ended: Option<(String, At)>,
}

/// Where a loop stands (seed 003 `status`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackStatus {
    /// Those it was reported to are to do their work again, or have done it.
    Pending,
    /// One of them leaves it as it is; whoever reported it has not said anything yet.
    Acknowledged,
    /// It is not reported any more.
    Resolved,
    /// A person is asked, or has ended the run over it.
    Escalated,
    /// A person lets it go on as it is.
    Ignored,
}

impl FeedbackStatus {
    /// The word of the seed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Acknowledged => "acknowledged",
            Self::Resolved => "resolved",
            Self::Escalated => "escalated",
            Self::Ignored => "ignored",
        }
    }
}

impl FeedbackLoop {
    /// As it was reported last.
    pub fn last(&self) -> &Arc<FeedbackGiven> {
        &self.given[self.given.len() - 1].0
    }

    /// When it was opened.
    pub fn opened_at(&self) -> At {
        self.given[0].1
    }

    /// Whether it has not come to its end.
    pub fn is_open(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether its issue is what this step is to look at now: it was sent back to it.
    pub fn is_for(&self, step: &StepId) -> bool {
        self.is_open() && self.status != FeedbackStatus::Escalated && self.last().steps().any(|target| target == step)
    }
}

impl FeedbackLoops {
    /// All loops, in the order opened.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &FeedbackLoop> {
        self.all.iter().map(|one| &**one)
    }

    /// Whether nobody has reported anything.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// One loop.
    pub fn get(&self, id: &str) -> Option<&FeedbackLoop> {
        self.all().find(|one| one.last().id == id)
    }

    /// The loops that have not come to their end.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &FeedbackLoop> {
        self.all().filter(|one| one.is_open())
    }

    /// What this step is to look at now.
    pub fn for_step<'a>(&'a self, step: &'a StepId) -> impl Iterator<Item = &'a FeedbackLoop> {
        self.all().filter(move |one| one.is_for(step))
    }

    /// How often a step has sent work back since a person last decided about what it reports.
    pub fn sent(&self, step: &StepId) -> u32 {
        self.sent.get(step).copied().unwrap_or_default()
    }

    /// The same of all steps together.
    pub(crate) fn sent_by_all(&self) -> u32 {
        self.sent.values().fold(0, |sum, sent| sum.saturating_add(*sent))
    }

    /// The steps that are to be done again and have not begun.
    pub(crate) fn awaited(&self) -> BTreeSet<&StepId> {
        self.open().flat_map(|one| &one.awaits).collect()
    }

    /// The same of some loops, by their ids.
    pub(crate) fn awaited_by<'a>(&'a self, ids: &'a [String]) -> impl Iterator<Item = &'a StepId> {
        let meant = self.open().filter(|one| ids.contains(&one.last().id));
        meant.flat_map(|one| &one.awaits)
    }

    /// The id of the loop that a step would open next: the same whichever branch is quicker.
    pub(crate) fn next_id(&self, step: &StepId) -> String {
        let opened = self.all().filter(|one| one.last().from.step == *step).count();
        format!("{step}:{}", opened.saturating_add(1))
    }

    /// The loops that this visit reported last.
    pub(crate) fn of_visit<'a>(&'a self, visit: &'a Instance) -> impl Iterator<Item = &'a FeedbackLoop> {
        self.all().filter(move |one| one.last().from == *visit)
    }

    pub(crate) fn give(&mut self, given: &Arc<FeedbackGiven>, at: At) {
        let known = self.all.iter().position(|one| one.last().id == given.id);
        match known.and_then(|place| self.all.get_mut(place)) {
            Some(one) => {
                let one = Arc::make_mut(one);
                one.given.push((Arc::clone(given), at));
                one.status = FeedbackStatus::Pending;
                one.awaits.clear();
                one.ended = None;
            }
            None => self.all.push_back(Arc::new(FeedbackLoop {
                given: vec![(Arc::clone(given), at)],
                status: FeedbackStatus::Pending,
                awaits: BTreeSet::new(),
                acknowledged: Vec::new(),
                ended: None,
            })),
        }
    }

    pub(crate) fn acknowledge(&mut self, said: &Arc<FeedbackAcknowledged>, at: At) {
        self.change(
            |one| one.last().id == said.id,
            |one| {
                one.status = FeedbackStatus::Acknowledged;
                one.acknowledged.push((Arc::clone(said), at));
            },
        );
    }

    pub(crate) fn resolve(&mut self, id: &str, at: At) {
        self.change(
            |one| one.last().id == id,
            |one| {
                one.status = FeedbackStatus::Resolved;
                let why = one.acknowledged.last().map(|(said, _)| said.reason.as_str());
                let said = match why {
                    Some(reason) => format!("acknowledged ({reason}), and not reported any more"),
                    None => "not reported any more".to_owned(),
                };
                one.awaits.clear();
                one.ended = Some((said, at));
            },
        );
    }

    /// What a visit reported leads back to those it reported it to.
    pub(crate) fn send(&mut self, from: &Instance) {
        self.change(|one| one.last().from == *from && one.is_open(), to_be_done_again);
        let sent = self.sent.entry(from.step.clone()).or_default();
        *sent = sent.saturating_add(1);
    }

    /// A step has begun: what it was to look at stands in its brief.
    pub(crate) fn begin(&mut self, step: &StepId) {
        self.change(
            |one| one.awaits.contains(step),
            |one| {
                one.awaits.remove(step);
            },
        );
    }

    pub(crate) fn ask(&mut self, ids: &[String]) {
        self.change(
            |one| ids.contains(&one.last().id),
            |one| one.status = FeedbackStatus::Escalated,
        );
    }

    /// A person has decided what becomes of the loops that they were asked about.
    pub(crate) fn answer(&mut self, opened: &GateOpened, decision: &Decision, at: At) {
        let by = decision.by.trim();
        let said = match decision.comment.trim() {
            "" => by.to_owned(),
            comment => format!("{by}: {comment}"),
        };
        self.change(
            |one| opened.feedback.contains(&one.last().id),
            |one| match decision.answer {
                Answer::Approve => {
                    one.status = FeedbackStatus::Ignored;
                    one.ended = Some((format!("accepted as it is by {said}"), at));
                }
                Answer::Changes => to_be_done_again(one),
                _ => one.ended = Some((format!("stopped by {said}"), at)),
            },
        );
        // What those who reported them may do by themselves counts anew.
        let asked = self.all.iter().filter(|one| opened.feedback.contains(&one.last().id));
        for step in asked.map(|one| one.last().from.step.clone()).collect::<Vec<_>>() {
            self.sent.remove(&step);
        }
    }

    fn change(&mut self, which: impl Fn(&FeedbackLoop) -> bool, change: impl Fn(&mut FeedbackLoop)) {
        for one in self.all.iter_mut().filter(|one| which(one)) {
            change(Arc::make_mut(one));
        }
    }
}

fn to_be_done_again(one: &mut FeedbackLoop) {
    one.status = FeedbackStatus::Pending;
    one.awaits = one.last().steps().cloned().collect();
}
