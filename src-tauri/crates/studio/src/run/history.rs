//! Runs as the window looks at them: read once, and then only what is new.

use crate::ApiError;
use crate::error::UNREADABLE;
use crate::gate::decisions::Signed;
use crate::lock::lock;
use crate::run::index::Index;
use crate::run::timeline::{PIECE, Timeline};
use crate::run::view::TimelineView;
use crate::settings::identity;
use crate::settings::keys::Keys;
use dialect::Document;
use dialect::session::Session;
use engine::{
    At, Decision, Digest, Event, GateId, GateOpened, GateRound, Order, Promotion, RunCreated, RunId, RunState,
    Signature, Visit,
};
use history::{Events, Folded, Live, Run};
use model::{StepId, Work, Workflow};
use runtime::RunWorkflow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use store::rundir::Receipts;
use store::{Facts, Store, Stored};

/// The environment of a session of which nothing was carried out.
const REHEARSAL: &str = "rehearsal";

/// What was said of a text, by its digest.
pub(crate) type Told = (Digest, Vec<String>);

#[cfg(test)]
thread_local! {
    /// How many logs were opened on this thread: no look reads again what it has read.
    pub(crate) static OPENED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A run with the workflow it runs: the version it started with, not the file as it is now.
#[derive(Clone)]
pub(crate) struct History {
    run: Run,
    pub document: Arc<Document>,
    index: Folded<Index>,
    /// Made when somebody looks at it, and grown then. It only grows, so the copies of a history share it.
    timeline: Arc<Mutex<Option<Timeline>>>,
    /// These are shared too.
    receipts: Arc<Mutex<Option<Folded<Receipts>>>>,
    /// The links of the logs of the runs that this one goes on from.
    earlier: Arc<Vec<(RunId, Vec<[u8; 32]>)>>,
    /// Of an imported run: what its document says against itself, once somebody has asked.
    pub contradicted: Arc<OnceLock<Vec<String>>>,
    /// Of a pipeline: how the stages of its file differ from those of the run, and of which text that was said last.
    pub stages_changed: Arc<Mutex<Option<Told>>>,
}

impl History {
    /// Which run.
    pub fn id(&self) -> &RunId {
        self.run.id()
    }

    /// It at the end of its log, for whoever adds to it.
    pub fn live(&self) -> Live {
        self.run.live().clone()
    }

    /// The workflow.
    pub fn workflow(&self) -> &Workflow {
        self.document.workflow()
    }

    /// What its files take from the workflow.
    pub fn facts(&self) -> Facts {
        Facts::of(RunWorkflow::Written(Document::clone(&self.document)))
    }

    /// How many workflows the step of a visit lists.
    pub fn files_inside(&self, visit: &Visit) -> u32 {
        let files = match self.workflow().step(&visit.instance.step).map(|step| &step.work) {
            Some(Work::SubWorkflow { files }) => files.len(),
            _ => 0,
        };
        u32::try_from(files).unwrap_or(u32::MAX)
    }

    /// Its events.
    pub fn events(&self) -> Events<'_> {
        self.run.events()
    }

    /// What the run was created from.
    pub fn created(&self) -> Option<&RunCreated> {
        match &self.events().first()?.event {
            Event::RunCreated(created) => Some(created),
            _ => None,
        }
    }

    /// Of an imported session: whether it says itself that it was a rehearsal.
    pub fn says_rehearsal(&self) -> bool {
        let text = self.document.text();
        let imported = self.created().filter(|created| created.imported.is_some());
        // Most say nothing of it, and need not be read again.
        let session = imported
            .filter(|_| text.contains(REHEARSAL))
            .and_then(|created| Session::read(&created.path, text));
        session.is_some_and(|session| session.value()["metadata"]["environment"] == REHEARSAL)
    }

    /// Refuses to take up what was never carried out here, and says what is done instead.
    pub fn to_be_taken_up(&self) -> Result<(), ApiError> {
        if self.created().is_none_or(|created| created.imported.is_none()) {
            return Ok(());
        }
        let message = "This run is an imported session: nothing of it was carried out here, so there is nothing in it to take up.";
        Err(ApiError::new("refused:cannot_reopen", message).hint(format!(
            "Go on from it with the workflow that it is of, in a new run: `gatehouse resume {} --workflow FILE`, or Go on with its workflow… in the window.",
            self.id()
        )))
    }

    /// The first event that is not what was written down, or behind which others are missing, as far as the chain of its own log tells.
    pub fn altered(&self) -> Option<u64> {
        self.index.now().altered
    }

    /// What a decision answers: the round as it was asked, and the event that asked.
    pub fn asked(&self, decision: &Decision) -> Option<(&Stored, &GateOpened)> {
        let seq = self.index.now().asked(&decision.gate, decision.round)?;
        let stored = self.events().with_seq(seq)?;
        match &stored.event {
            Event::GateOpened(opened) => Some((stored, opened.as_ref())),
            _ => None,
        }
    }

    /// A round as the log has it: as it was asked, and as it was answered. What lists show of it can have been changed, and is not what an
    /// answer signs.
    ///
    /// # Errors
    /// `corrupt`: the log has no such round.
    pub fn round(&self, gate: &GateId, round: u32) -> Result<GateRound, ApiError> {
        let mut rounds = self.run.live().state().gates.get(gate).into_iter().flatten();
        let found = rounds.find(|one| one.opened.round == round);
        found.cloned().ok_or_else(|| {
            let run = self.id();
            let why = format!(
                "The list of questions shows one of run {run} that its log does not have. `gatehouse verify {run}` says what differs, and `gatehouse rebuild {run}` writes the list anew."
            );
            ApiError::new("corrupt", why)
        })
    }

    /// By when an answer to a round was wanted ([`RunState::wanted_by`]).
    pub fn wanted_by(&self, round: &GateRound) -> Option<At> {
        self.run.live().state().wanted_by(round)
    }

    /// Whether a decision's signature holds: for this run, for what was asked in it, and for all that was recorded before it was made.
    /// `None` when it carries none.
    pub fn valid(&self, decision: &Decision) -> Option<bool> {
        let asked = self.asked(decision);
        let opened = asked.map(|(_, opened)| opened);
        // What was signed in an earlier run was signed over its log.
        let answered = self.index.now().answered_by(&decision.gate, decision.round);
        let recorded = self
            .created()
            .map(|created| created.recorded(answered.unwrap_or(u64::MAX)));
        let holds = identity::valid(recorded, opened, decision)?;
        let grounds = decision.signature.as_ref().and_then(|s| s.grounds.as_ref());
        let link = |seq| recorded.and_then(|recorded| self.link_in(&recorded.run_id, seq));
        Some(holds && grounds.is_none_or(|grounds| link(grounds.after) == Some(grounds.link.clone())))
    }

    /// The same of a promotion that stands in the log at `seq`.
    pub fn valid_promotion(&self, promotion: &Promotion, seq: u64) -> Option<bool> {
        let recorded = self.created().map(|created| created.recorded(seq));
        let evidence = &self.run.live().state().evidence;
        let held = evidence.iter().find(|held| held.record.id == promotion.evidence);
        let holds = identity::valid_promotion(recorded, held.map(|held| &held.record), promotion)?;
        Some(holds && self.is_behind(recorded, promotion.signature.as_ref()?))
    }

    /// The same of an order to the run; `None`: the event is none, or nobody signed it.
    pub fn valid_order(&self, stored: &Stored) -> Option<bool> {
        let (order, given) = Order::of(&stored.event)?;
        let given = given?;
        let recorded = self.created().map(|created| created.recorded(stored.seq));
        let holds = identity::valid_order(recorded, order, given)?;
        Some(holds && self.is_behind(recorded, given.signature.as_ref()?))
    }

    /// What is known of the signature under an order, and of whoever it is by.
    pub fn signed_order(&self, stored: &Stored, keys: &Keys) -> Option<Signed> {
        let holds = self.valid_order(stored)?;
        let (order, given) = Order::of(&stored.event)?;
        let given = given?;
        let owner = given.key_name.as_deref().unwrap_or(order.by).trim();
        Some(Signed {
            holds,
            whose: keys.standing_of(owner, &given.signature.as_ref()?.key, stored.at),
        })
    }

    /// Whether the log is still the one that was signed, up to the event behind which it was.
    fn is_behind(&self, recorded: Option<&RunCreated>, signature: &Signature) -> bool {
        let link = |seq| recorded.and_then(|recorded| self.link_in(&recorded.run_id, seq));
        let grounds = signature.grounds.as_ref();
        grounds.is_some_and(|grounds| link(grounds.after) == Some(grounds.link.clone()))
    }

    /// The link of an event in the log of this run, or of one that it goes on from.
    fn link_in(&self, run: &RunId, seq: u64) -> Option<String> {
        if run == self.id() {
            return self.link(seq);
        }
        let (_, links) = self.earlier.iter().find(|(earlier, _)| earlier == run)?;
        let at = usize::try_from(seq.checked_sub(1)?).ok()?;
        Some(hex::encode(links.get(at)?))
    }

    /// What is known of a decision's signature, and of whoever it is by; `None`: it has none.
    pub fn signed(&self, decision: &Decision, keys: &Keys) -> Option<Signed> {
        Some(Signed {
            holds: self.valid(decision)?,
            whose: keys.standing(decision, self.made_at(decision))?,
        })
    }

    /// When a decision was made, by the times and by the order of the log: never before anything that was recorded earlier.
    pub fn made_at(&self, decision: &Decision) -> At {
        self.index.now().answered(&decision.gate, decision.round)
    }

    /// The chain's link of an event, in hexadecimal digits.
    pub fn link(&self, seq: u64) -> Option<String> {
        let at = usize::try_from(seq.checked_sub(1)?).ok()?;
        Some(hex::encode(self.events().get(at)?.hash))
    }

    /// Sequence number of the last event.
    pub fn last(&self) -> u64 {
        self.events().last().map_or(0, |e| e.seq)
    }

    /// The events up to and including `at`; all of them when it is absent.
    pub fn until(&self, at: Option<u64>) -> Events<'_> {
        self.run.until(at)
    }

    /// The state as of `at`.
    pub fn state(&self, at: Option<u64>) -> RunState {
        self.run.at(at)
    }

    /// Where what stands in the log up to `at`.
    pub fn index(&self, at: Option<u64>) -> Index {
        self.index.at(self.until(at))
    }

    /// Whether the piece of what is new since the event `after` is the last one.
    pub fn is_last_piece(&self, after: Option<u64>) -> bool {
        self.last() <= after.unwrap_or(0).saturating_add(PIECE)
    }

    /// It over time: a piece of what is new since the event `after`; absent: the first piece. `waits`: by step, when the runs inside waited for
    /// people, which the last piece tells.
    pub fn timeline(&self, after: Option<u64>, now: i64, waits: &BTreeMap<StepId, Vec<(At, At)>>) -> TimelineView {
        let mut known = lock(&self.timeline);
        let timeline = known.get_or_insert_with(|| Timeline::new(self.workflow(), self.created()));
        timeline.catch_up(self.workflow(), self.events());
        timeline.waited_inside(waits);
        timeline.piece(after, PIECE, now)
    }

    /// The receipts as of `at`.
    pub fn receipts(&self, at: Option<u64>) -> Receipts {
        let mut known = lock(&self.receipts);
        let receipts = known.get_or_insert_with(|| Folded::new(Receipts::new(self.facts())));
        receipts.catch_up(self.events());
        receipts.at(self.until(at))
    }

    /// The log of a run, read whole.
    pub fn open(store: &Store, run: &RunId) -> Result<Self, ApiError> {
        #[cfg(test)]
        OPENED.set(OPENED.get() + 1);
        let read = Run::open(store, run)?;
        let document = Arc::new(document_of(store, &read)?);
        Ok(Self::new(read, document))
    }

    /// Reads what came since.
    pub fn catch_up(&mut self, store: &Store) -> Result<(), ApiError> {
        self.run.catch_up(store)?;
        self.fold();
        Ok(())
    }

    fn new(run: Run, document: Arc<Document>) -> Self {
        let mut history = Self {
            index: Folded::new(Index::new(Arc::clone(&document))),
            run,
            document,
            timeline: Arc::default(),
            receipts: Arc::default(),
            earlier: Arc::default(),
            contradicted: Arc::default(),
            stages_changed: Arc::default(),
        };
        history.earlier = Arc::new(history.links_before());
        history.fold();
        history
    }

    fn links_before(&self) -> Vec<(RunId, Vec<[u8; 32]>)> {
        let Some(created) = self.created().filter(|created| created.continues.is_some()) else {
            return Vec::new();
        };
        let log: Vec<&Stored> = self.events().iter().collect();
        let links = |earlier| store::links_of(earlier, &log).unwrap_or_default();
        created
            .earlier()
            .map(|earlier| (earlier.run().clone(), links(earlier)))
            .collect()
    }

    /// Takes in the events that came since.
    fn fold(&mut self) {
        self.index.catch_up(self.run.events());
    }
}

/// The workflow in the version that the run keeps.
fn document_of(store: &Store, run: &Run) -> Result<Document, ApiError> {
    let Some(Event::RunCreated(created)) = run.events().first().map(|e| &e.event) else {
        return Err(ApiError::new(
            UNREADABLE,
            format!("The log of run {} does not begin with its creation.", run.id()),
        )
        .hint("Verify the run to see what is damaged."));
    };
    let source = store.blob(&created.source)?;
    let text = String::from_utf8_lossy(&source);
    // Whatever a session holds, it is no workflow.
    let session = created
        .imported
        .as_ref()
        .and_then(|_| Session::read(&created.path, &text));
    Ok(session.map_or_else(
        || Document::parse(&created.path, &text),
        |session| session.document().clone(),
    ))
}
