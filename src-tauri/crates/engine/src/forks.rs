//! The forks of a run as they stand: what each branch is doing, and which token stands at which step.

use crate::cursor::{Cursor, Due};
use crate::{At, BranchEnd, BranchEnded, BranchId, Forked, Joined};
use imbl::{OrdMap, OrdSet, Vector};
use model::StepId;
use std::sync::Arc;

/// All forks that have begun, and the tokens of their branches.
///
/// Which token an instance belongs to follows from the log alone: a branch begins with the route to its first step, every route says which
/// token it moves, and a step is in one branch only (`model::branches::faults`), so at most one of them stands there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forks {
    all: Vector<Arc<Fork>>,
    /// Those whose branches have not met.
    open: OrdSet<u32>,
    /// Branches that are cut off and whose attempt in flight has not been put down yet.
    cutting: OrdSet<BranchId>,
    /// The steps at which tokens of branches stand.
    at: OrdMap<StepId, BranchId>,
}

/// A fork that has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct Fork {
    /// The event with which it began: branches, rules, deadline.
    pub forked: Arc<Forked>,
    /// When it began: its deadline counts from here.
    pub forked_at: At,
    /// Its branches, in the order written.
    pub branches: Vec<Branch>,
    /// How long people have been waited for in its branches, milliseconds: that is not the branches' time.
    pub waited_ms: u64,
    /// Since when one is.
    pub asks_since: Option<At>,
    /// The count, when they met.
    pub joined: Option<(Arc<Joined>, At)>,
}

/// One branch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Branch {
    /// Where its token is.
    pub cursor: Cursor,
    /// When it began; a batch begins when the one before has ended.
    pub began_at: Option<At>,
    /// The last route it took, as an index into the run's routes.
    pub last: Option<usize>,
    /// How it ended.
    pub ended: Option<(Arc<BranchEnded>, At)>,
}

impl Forks {
    /// All forks, in the order they began: number = place + 1.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &Fork> {
        self.all.iter().map(|fork| &**fork)
    }

    /// One fork by its number.
    pub fn get(&self, fork: u32) -> Option<&Fork> {
        self.all.get((fork as usize).checked_sub(1)?).map(|fork| &**fork)
    }

    /// One branch.
    pub fn branch(&self, id: BranchId) -> Option<&Branch> {
        self.get(id.fork)?.branches.get((id.branch as usize).checked_sub(1)?)
    }

    /// The forks whose branches have not met, those that began first first.
    pub fn open(&self) -> impl Iterator<Item = &Fork> {
        self.open.iter().filter_map(|fork| self.get(*fork))
    }

    /// Whether branches are under way.
    pub fn is_forked(&self) -> bool {
        !self.open.is_empty() || !self.cutting.is_empty()
    }

    /// The branch whose token stands at this step; of the main token and of steps where none stands none.
    pub fn token(&self, step: &StepId) -> Option<BranchId> {
        self.at.get(step).copied()
    }

    /// The branches with folders of their own in which a branch lies, itself included, outermost first.
    pub fn folders(&self, branch: Option<BranchId>) -> Vec<BranchId> {
        let mut folders = Vec::new();
        let mut around = branch;
        while let Some((id, fork)) = around.and_then(|id| Some((id, self.get(id.fork)?))) {
            if fork.forked.rules.isolated {
                folders.insert(0, id);
            }
            around = fork.forked.within;
        }
        folders
    }

    /// Whether a file that lay in one branch is the file of its name that another one finds, or its copy: it lay in a folder around that
    /// one, or was brought there where its branches met. `None`: the run's own token.
    pub(crate) fn is_found(&self, lay: Option<BranchId>, finds: Option<BranchId>) -> bool {
        let mut folders = self.folders(lay);
        while folders.last().is_some_and(|id| self.is_brought_in(*id)) {
            folders.pop();
        }
        self.folders(finds).starts_with(&folders)
    }

    /// Whether what a branch changed has its place where its fork's branches have met.
    fn is_brought_in(&self, id: BranchId) -> bool {
        let has_met = |fork: &Fork| fork.joined.as_ref().is_some_and(|(joined, _)| joined.met);
        let ended = self.branch(id).and_then(|branch| branch.ended.as_ref());
        self.get(id.fork).is_some_and(has_met) && ended.is_some_and(|(ended, _)| ended.end == BranchEnd::Completed)
    }

    /// Where the token of the branch stands whose token stands at this step.
    pub(crate) fn branch_at(&self, step: &StepId) -> Option<&Cursor> {
        Some(&self.branch(self.token(step)?)?.cursor)
    }

    /// The branches that go on, with their cursors.
    pub fn going(&self) -> impl Iterator<Item = (BranchId, &Branch)> {
        let open = self.open().flat_map(|fork| fork.ids().zip(&fork.branches));
        let cutting = self.cutting.iter().filter_map(|id| Some((*id, self.branch(*id)?)));
        open.filter(|(_, branch)| branch.ended.is_none()).chain(cutting)
    }

    /// The number that the next fork has.
    pub(crate) fn next(&self) -> u32 {
        u32::try_from(self.all.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// Moves the token that stands at a step; `false` when none of a branch does.
    pub(crate) fn go(&mut self, step: &StepId, cursor: Cursor) -> bool {
        let Some(id) = self.token(step) else { return false };
        self.set(id, |branch| branch.cursor = cursor);
        true
    }

    /// A fork begins.
    pub(crate) fn begin(&mut self, forked: &Arc<Forked>, at: At) {
        self.open.insert(forked.fork);
        self.all.push_back(Arc::new(Fork {
            forked: Arc::clone(forked),
            forked_at: at,
            branches: vec![Branch::default(); forked.heads.len()],
            waited_ms: 0,
            asks_since: None,
            joined: None,
        }));
    }

    /// A route moves the token of a branch, or begins the branch.
    pub(crate) fn route(&mut self, id: BranchId, from: &StepId, to: Option<&StepId>, route: usize, at: At) {
        if self.token(from) == Some(id) {
            self.at.remove(from);
        }
        let join = self.get(id.fork).map(|fork| fork.forked.join.clone());
        let cursor = match to {
            Some(step) if join.as_ref() != Some(step) => {
                self.at.insert(step.clone(), id);
                Cursor::Ready {
                    step: step.clone(),
                    path: Vec::new(),
                }
            }
            _ => Cursor::Between(Due::EndBranch { branch: id }),
        };
        self.set(id, |branch| {
            branch.began_at.get_or_insert(at);
            branch.last = Some(route);
            branch.cursor = cursor;
        });
    }

    /// A branch ends by itself.
    pub(crate) fn end(&mut self, ended: &Arc<BranchEnded>, at: At) {
        self.leave(ended.branch);
        self.set(ended.branch, |branch| {
            branch.cursor = Cursor::Nowhere;
            branch.ended = Some((Arc::clone(ended), at));
        });
    }

    /// The branches of a fork have met: what had not ended is cut off.
    pub(crate) fn join(&mut self, joined: &Arc<Joined>, at: At) {
        for id in &joined.cut_off {
            self.open.remove(&id.fork);
            let ended = Arc::new(BranchEnded {
                branch: *id,
                end: BranchEnd::CutOff,
                status: String::new(),
                error: None,
            });
            let mut in_flight = false;
            self.set(*id, |branch| {
                branch.cursor = match std::mem::take(&mut branch.cursor) {
                    Cursor::Running { instance, attempt } => {
                        in_flight = true;
                        Cursor::Between(Due::CutOff { instance, attempt })
                    }
                    _ => Cursor::Nowhere,
                };
                branch.ended = Some((ended, at));
            });
            if in_flight {
                self.cutting.insert(*id);
            } else {
                self.leave(*id);
            }
        }
        self.open.remove(&joined.fork);
        if let Some(fork) = (joined.fork as usize).checked_sub(1).and_then(|n| self.all.get_mut(n)) {
            Arc::make_mut(fork).joined = Some((Arc::clone(joined), at));
        }
    }

    /// The attempt of a branch that was cut off has been put down; `false` when the step has none.
    pub(crate) fn cut(&mut self, step: &StepId) -> bool {
        let Some(id) = self.token(step).filter(|id| self.cutting.contains(id)) else {
            return false;
        };
        self.cutting.remove(&id);
        self.leave(id);
        self.set(id, |branch| branch.cursor = Cursor::Nowhere);
        true
    }

    /// A run is taken up again at a fork: the branches that have not come to their end by themselves go on where they
    /// stood, and with them the forks in them. `to`: where a route led.
    pub(crate) fn reopen(&mut self, fork: u32, at: At, to: &impl Fn(usize) -> Option<StepId>) {
        let Some(opened) = self.get(fork).cloned() else { return };
        self.open.insert(fork);
        for (id, branch) in opened.ids().zip(&opened.branches) {
            let goes_on = branch
                .ended
                .as_ref()
                .is_none_or(|(ended, _)| ended.end != BranchEnd::Completed);
            let place = branch.last.and_then(to).filter(|_| goes_on);
            // What the branch stood at is a fork of its own where that had begun and not met.
            let inner = self.all().rfind(|inner| inner.forked.within == Some(id));
            let inner = inner.filter(|inner| place.as_ref() == Some(&inner.forked.from.step));
            let inner = inner.filter(|inner| inner.joined.as_ref().is_none_or(|(joined, _)| !joined.met));
            let inner = inner.map(|inner| inner.forked.fork);
            if goes_on {
                self.set(id, |branch| {
                    branch.ended = None;
                    branch.cursor = match (inner, &place) {
                        (Some(fork), _) => Cursor::AtJoin { fork },
                        (None, Some(step)) if *step != opened.forked.join => Cursor::Ready {
                            step: step.clone(),
                            path: Vec::new(),
                        },
                        // It had arrived, or it has not begun.
                        (None, Some(_)) => Cursor::Between(Due::EndBranch { branch: id }),
                        (None, None) => Cursor::Nowhere,
                    };
                });
                if let Some(step) = place.filter(|step| *step != opened.forked.join) {
                    self.at.insert(step, id);
                }
            }
            if let Some(inner) = inner {
                self.reopen(inner, at, to);
            }
        }
        if let Some(fork) = (fork as usize).checked_sub(1).and_then(|n| self.all.get_mut(n)) {
            let fork = Arc::make_mut(fork);
            // Its time begins anew.
            fork.forked_at = at;
            fork.waited_ms = 0;
            fork.asks_since = None;
            fork.joined = None;
        }
    }

    /// Somebody has been asked or has answered, or a branch goes on no further: the time of the forks stands still while a person is
    /// asked in one of their branches.
    pub(crate) fn note_asking(&mut self, at: At) {
        let asks = self.open().map(|fork| {
            let ids = self.unended(fork.forked.fork);
            let mut cursors = ids.into_iter().filter_map(|id| Some(&self.branch(id)?.cursor));
            (
                fork.forked.fork,
                cursors.any(|cursor| matches!(cursor, Cursor::AtGate { .. })),
            )
        });
        for (number, asks) in asks.collect::<Vec<_>>() {
            let fork = (number as usize).checked_sub(1).and_then(|n| self.all.get_mut(n));
            let Some(fork) = fork.filter(|fork| fork.asks_since.is_some() != asks) else {
                continue;
            };
            let fork = Arc::make_mut(fork);
            match fork.asks_since.take() {
                Some(since) => fork.waited_ms = fork.waited_ms.saturating_add(at.since_ms(since)),
                None => fork.asks_since = Some(at),
            }
        }
    }

    /// The run has ended: nothing goes on.
    pub(crate) fn stop(&mut self) {
        let going: Vec<BranchId> = self.going().map(|(id, _)| id).collect();
        for id in going {
            self.set(id, |branch| branch.cursor = Cursor::Nowhere);
        }
        self.open.clear();
        self.cutting.clear();
        self.at.clear();
    }

    /// The outermost fork around a branch, or the fork itself.
    pub(crate) fn outermost(&self, fork: u32) -> u32 {
        let mut at = fork;
        while let Some(within) = self.get(at).and_then(|fork| fork.forked.within) {
            at = within.fork;
        }
        at
    }

    /// The branches of a fork that have not ended, and those of forks inside of them.
    pub(crate) fn unended(&self, fork: u32) -> Vec<BranchId> {
        let inside = |forked: &Forked| {
            let mut at = forked.within;
            while let Some(id) = at {
                if id.fork == fork {
                    return true;
                }
                at = self.get(id.fork).and_then(|around| around.forked.within);
            }
            forked.fork == fork
        };
        let open = self.open().filter(|open| inside(&open.forked));
        let branches = open.flat_map(|fork| fork.ids().zip(&fork.branches));
        branches.filter(|(_, b)| b.ended.is_none()).map(|(id, _)| id).collect()
    }

    fn leave(&mut self, id: BranchId) {
        let step = self.at.iter().find(|(_, at)| **at == id).map(|(step, _)| step.clone());
        if let Some(step) = step {
            self.at.remove(&step);
        }
    }

    fn set(&mut self, id: BranchId, change: impl FnOnce(&mut Branch)) {
        let fork = (id.fork as usize).checked_sub(1).and_then(|n| self.all.get_mut(n));
        let place = (id.branch as usize).checked_sub(1);
        if let (Some(fork), Some(place)) = (fork, place)
            && let Some(branch) = Arc::make_mut(fork).branches.get_mut(place)
        {
            change(branch);
        }
    }
}

impl Fork {
    /// The ids of its branches, in order.
    pub fn ids(&self) -> impl Iterator<Item = BranchId> + use<> {
        let fork = self.forked.fork;
        let count = u32::try_from(self.branches.len()).unwrap_or(u32::MAX);
        (1..=count).map(move |branch| BranchId { fork, branch })
    }

    /// When its branches are cut off that have not ended. `None`: never, or not while a person is waited for in one of them.
    pub fn deadline(&self) -> Option<At> {
        let ms = self.forked.rules.timeout_ms.filter(|_| self.asks_since.is_none())?;
        Some(At(self
            .forked_at
            .0
            .saturating_add_unsigned(ms.saturating_add(self.waited_ms))))
    }

    /// The branches that may have begun by now: those of the first batch that has not ended, and those before.
    pub(crate) fn due(&self) -> usize {
        let size = self
            .forked
            .rules
            .batch
            .map_or(self.branches.len(), |n| n.max(1) as usize)
            .max(1);
        let open = self.branches.iter().position(|branch| branch.ended.is_none());
        open.map_or(0, |first| ((first / size + 1) * size).min(self.branches.len()))
    }
}
