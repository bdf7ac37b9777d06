//! The run's log as its driver sees it: decide, append in one commit, apply; and read what others have appended.
//!
//! Steps of a rehearsal that writes no files touch nothing outside, so that nobody can tell whether one was synced before the next began:
//! what is decided of them waits a moment for more, and shares one synced commit with it ([`Log::soon`]). Whatever is to be seen or done
//! outside (a gate, the end, a run inside it) waits until what led to it is synced ([`Log::flush`]). A run that is cut off loses at most
//! such a moment, which is rehearsed again.

use super::lease::ousted;
use crate::{Error, Owner, clock};
use engine::{
    Command, Cursor, Event, Intent, Refusal, RefusalCode, RunId, RunState, RunStatus, apply, decide, follows, said,
};
use history::{Batch, Live};
use model::Workflow;
use store::Store;
use tokio::time::{Duration, Instant};

/// No more events than these wait for more.
const MOST_TOGETHER: usize = 512;

/// What was decided and is not appended yet.
struct Ahead {
    /// What it was decided of, in case somebody else is faster.
    intents: Vec<Intent>,
    blobs: Vec<Vec<u8>>,
    batch: Batch,
    /// When it is appended at the latest.
    due: Instant,
}

pub(super) struct Log<'a> {
    pub store: &'a Store,
    pub workflow: &'a Workflow,
    pub live: Live,
    /// Who says whether what others append is followed; absent: it is taken as it stands.
    pub owner: Option<&'a dyn Owner>,
    /// The state after what was written here, or was found good.
    pub known: RunState,
    ahead: Option<Ahead>,
    /// How often the state has become another one.
    changes: u64,
    /// [`super::Options::together`], where the run does nothing outside.
    together: Option<Duration>,
}

impl<'a> Log<'a> {
    pub fn new(
        store: &'a Store,
        workflow: &'a Workflow,
        live: Live,
        owner: Option<&'a dyn Owner>,
        together: Option<Duration>,
    ) -> Self {
        Self {
            together: together.filter(|together| !together.is_zero()),
            store,
            workflow,
            known: live.state().clone(),
            live,
            owner,
            ahead: None,
            changes: 0,
        }
    }

    /// The run's state, with what is not appended yet.
    pub fn state(&self) -> &RunState {
        match &self.ahead {
            Some(ahead) => ahead.batch.state(),
            None => self.live.state(),
        }
    }

    /// Grows whenever the state becomes another one. A number of events does not tell: what was decided again may be as long.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Up to which event the log is durable.
    pub fn synced(&self) -> u64 {
        self.live.state().seq
    }

    /// When what was decided and not appended is to be appended.
    pub fn due(&self) -> Option<Instant> {
        self.ahead.as_ref().map(|ahead| ahead.due)
    }

    /// [`Log::commit`] in a moment, together with what else comes until then, where the run does nothing outside and goes on. Any other is
    /// about to do something there.
    pub fn soon(&mut self, intents: &[Intent], blobs: &[Vec<u8>]) -> Result<(), Error> {
        let Some(together) = self.together else {
            return self.commit(intents, blobs);
        };
        let mut ahead = self.ahead.take().unwrap_or_else(|| Ahead {
            intents: Vec::new(),
            blobs: Vec::new(),
            batch: Batch::on(self.live.state()),
            due: Instant::now() + together,
        });
        let before = ahead.batch.events().len();
        decided(self.live.run(), self.workflow, &mut ahead.batch, intents);
        let now = ahead.batch.events().len();
        if now > before {
            self.changes += 1;
            ahead.intents.extend_from_slice(intents);
            ahead.blobs.extend_from_slice(blobs);
        }
        // A gate is open before it is answered, though other branches go on.
        let mut new = ahead.batch.events()[before..].iter();
        let asks = new.any(|(_, event)| matches!(event, Event::GateOpened(_)));
        let goes_on = !asks && ahead.batch.state().status == RunStatus::Running;
        if now > 0 {
            self.ahead = Some(ahead);
        }
        match goes_on && now < MOST_TOGETHER {
            true => Ok(()),
            false => self.flush(),
        }
    }

    /// Appends what waits for more.
    pub fn flush(&mut self) -> Result<(), Error> {
        let Some(ahead) = self.ahead.take() else {
            return Ok(());
        };
        self.append(&ahead.intents, &ahead.blobs, Some(ahead.batch))
    }

    /// Which run.
    pub fn run(&self) -> &RunId {
        self.live.run()
    }

    /// Decides these intents one after the other and appends what comes of them in one commit. Intents that no longer fit
    /// are left out: the run moved on. The blobs that they name are part of the commit.
    pub fn commit(&mut self, intents: &[Intent], blobs: &[Vec<u8>]) -> Result<(), Error> {
        self.flush()?;
        self.append(intents, blobs, None)
    }

    /// `ready`: what the intents come to on the state as it is known, where that is known already.
    fn append(&mut self, intents: &[Intent], blobs: &[Vec<u8>], mut ready: Option<Batch>) -> Result<(), Error> {
        let (run, workflow) = (self.run().clone(), self.workflow);
        let (from, mut anew) = (self.synced(), false);
        let own = self.live.commit(self.store, blobs, |state| {
            Ok::<_, Error>(ready.take().unwrap_or_else(|| {
                anew = true;
                let mut batch = Batch::on(state);
                decided(&run, workflow, &mut batch, intents);
                batch
            }))
        });
        let own = own.map_err(|error| match error {
            Error::Store(store::Error::LeaseLost { run }) => ousted(self.store, run),
            error => error,
        })?;
        if anew && self.synced() > from {
            self.changes += 1;
        }
        // Somebody else may have been faster.
        let before = own.first().map_or(self.synced(), |first| first.seq - 1);
        self.vouch(before)?;
        self.known = self.live.state().clone();
        self.go_on(before > from)
    }

    /// What others said, `is_new`, may have left what follows to whoever drives, and of stages nobody looks while others are at work.
    fn go_on(&mut self, is_new: bool) -> Result<(), Error> {
        match is_new && self.live.state().has_stages() {
            true => self.append(&[Intent::Proceed], &[], None),
            false => Ok(()),
        }
    }

    /// Applies what others have appended.
    pub fn catch_up(&mut self) -> Result<(), Error> {
        self.flush()?;
        let is_new = self.live.catch_up(self.store)?;
        if is_new {
            self.changes += 1;
        }
        self.vouch(self.synced())?;
        self.go_on(is_new)
    }

    /// The same before anything is done: nobody has watched what was appended since whoever drives saw the log last. What a dead driver of theirs
    /// wrote is among it, so that answers alone are looked at.
    pub fn begin(&mut self) -> Result<(), Error> {
        self.live.catch_up(self.store)?;
        if let Some(owner) = self.owner {
            let mut answers = Vec::new();
            self.store.each_event(self.run(), owner.seen(self.run()), |stored| {
                if matches!(stored.event, Event::GateAnswered(_)) {
                    answers.push(stored.seq);
                }
            })?;
            for answer in answers {
                self.ask(owner, answer)?;
            }
        }
        self.known = self.state().clone();
        // What a person's answer leads to is due, and stages beside that one are at work.
        self.go_on(true)
    }

    /// Refuses what others have appended, up to this event, unless it is what people say to runs, with all that follows from it and nothing else,
    /// and every answer is somebody's.
    fn vouch(&mut self, to: u64) -> Result<(), Error> {
        let Some(owner) = self.owner.filter(|_| to > self.known.seq) else {
            return Ok(());
        };
        let count = usize::try_from(to - self.known.seq).unwrap_or(usize::MAX);
        let others = self.store.events(self.run(), self.known.seq, count)?;
        let mut rest = others.as_slice();
        while let [first, ..] = rest {
            let said = rest.iter().find_map(|stored| Some((stored, said(&stored.event)?)));
            match &said {
                Some((answer, Intent::Answer(_))) => self.ask(owner, answer.seq)?,
                // It leads past gates, and nobody signs it.
                Some((moved, Intent::Jump { by, .. } | Intent::Reopen { by, .. }))
                    if !is_seen(owner, self.run(), moved.seq) =>
                {
                    let why = format!(
                        "Event {} sends it to another step in the name of {by}, and you did not do that here.",
                        moved.seq
                    );
                    return Err(self.unvouched(why));
                }
                _ => {}
            }
            let events: Vec<_> = rest.iter().map(|stored| (stored.at, &stored.event)).collect();
            match follows(self.workflow, &self.known, &events) {
                Some(count) => {
                    let (followed, more) = rest.split_at(count);
                    for stored in followed {
                        apply(&mut self.known, stored.at, &stored.event);
                    }
                    rest = more;
                }
                None => {
                    tracing::warn!(event = ?first.event, cursor = ?self.known.cursor, "not what people say");
                    let why = format!(
                        "Event {} does not follow from anything that people say to runs.",
                        first.seq
                    );
                    return Err(self.unvouched(why));
                }
            }
        }
        Ok(())
    }

    fn ask(&self, owner: &dyn Owner, answer: u64) -> Result<(), Error> {
        match owner.doubt(self.run(), answer) {
            None => Ok(()),
            Some(why) => Err(self.unvouched(why)),
        }
    }

    fn unvouched(&self, why: String) -> Error {
        Error::Unvouched {
            run: self.run().clone(),
            why,
        }
    }
}

/// Whether whoever drives has said what stands there themselves: it is kept a moment after it was recorded.
fn is_seen(owner: &dyn Owner, run: &RunId, seq: u64) -> bool {
    (0..20).any(|nth| {
        if nth > 0 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        owner.seen(run) >= seq
    })
}

/// Adds what the intents come to, one after the other.
fn decided(run: &RunId, workflow: &Workflow, batch: &mut Batch, intents: &[Intent]) {
    let mut at = clock::now().max(batch.state().last_at.unwrap_or_default());
    for intent in intents {
        // The driver has waited for it, whatever the clock of the machine has done meanwhile.
        if let Intent::Retry { instance } = intent {
            let due = match batch.state().cursor_of(&instance.step) {
                Cursor::Retrying { at, .. } => Some(*at),
                Cursor::AtJoin { fork } => batch.state().forks.get(*fork).and_then(|fork| fork.deadline()),
                _ => None,
            };
            at = at.max(due.unwrap_or(at));
        }
        let intent = intent.clone();
        match decide(workflow, batch.state(), &Command { at, intent }) {
            Ok(decided) => batch.add(at, decided),
            Err(Refusal {
                code: RefusalCode::StaleAttempt | RefusalCode::RunEnded | RefusalCode::NothingDue,
                message,
            }) => {
                tracing::debug!(%run, %message, "nothing follows from it any more");
            }
            Err(Refusal { message, .. }) => tracing::warn!(%run, %message, "refused"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Driver, Options, StartRequest, source};
    use engine::{ExecutionStatus, Instance, StepResult, fold};
    use std::sync::Arc;

    /// Two steps, the first with one more field.
    fn steps(field: &str) -> String {
        format!(
            "key: short\ntitle: Short\nsteps:\n  - {{id: one, agents: [a], role: Does nothing., {field}}}\n  - {{id: two, agents: [a], role: Does nothing.}}\n"
        )
    }

    struct Rehearsed {
        _kept: tempfile::TempDir,
        store: Arc<Store>,
        workflow: source::RunWorkflow,
        run: RunId,
    }

    fn rehearsed(field: &str) -> Rehearsed {
        let kept = tempfile::tempdir().expect("a folder");
        let store = Arc::new(Store::open(kept.path()).expect("a history"));
        let driver = Driver::new(Arc::clone(&store), kept.path(), Options::of("test")).expect("the folder is there");
        let request = StartRequest {
            path: "short.yaml".to_owned(),
            source: steps(field),
            by: "Ada".to_owned(),
            initiator: "test".to_owned(),
            rehearse: true,
            ..StartRequest::default()
        };
        let run = driver.start(&request).expect("it can be rehearsed");
        let created = Live::open(&store, &run)
            .ok()
            .and_then(|live| live.into_state().created)
            .expect("it begins");
        let workflow = source::workflow(&store, &created).expect("its workflow");
        Rehearsed {
            _kept: kept,
            store,
            workflow,
            run,
        }
    }

    impl Rehearsed {
        fn log(&self) -> Log<'_> {
            let live = Live::open(&self.store, &self.run).expect("the run");
            Log::new(&self.store, &self.workflow, live, None, Some(Duration::from_secs(60)))
        }

        fn stored(&self) -> RunState {
            let events = self.store.events(&self.run, 0, usize::MAX).expect("its log");
            fold(events.iter().map(|stored| (stored.at, &stored.event)))
        }
    }

    fn at(step: &str) -> Instance {
        Instance {
            step: step.into(),
            visit: 1,
            path: Vec::new(),
        }
    }

    fn done(step: &str) -> Intent {
        Intent::Finish {
            instance: at(step),
            attempt: 1,
            result: Arc::new(StepResult::new(ExecutionStatus::Succeeded)),
        }
    }

    #[test]
    fn steps_of_a_rehearsal_share_a_commit() {
        let of = rehearsed("phase: Work");
        let mut log = of.log();
        let before = log.synced();
        log.soon(&[Intent::Proceed], &[]).expect("decided");
        log.soon(&[done("one")], &[b"what one said".to_vec()]).expect("decided");
        assert_eq!(log.synced(), before, "nothing is appended yet");
        assert_eq!(of.stored().seq, before);
        assert!(log.state().seq > before + 1);
        assert!(log.due().is_some());
        let ahead = log.state().clone();
        log.flush().expect("appended");
        assert_eq!((log.state(), log.due()), (&ahead, None));
        assert_eq!(of.stored(), ahead);
        assert_eq!(
            of.store.blob(&store::digest_of(b"what one said")).expect("kept"),
            b"what one said"
        );
    }

    #[test]
    fn its_end_waits_for_nothing_more() {
        let of = rehearsed("phase: Work");
        let mut log = of.log();
        for intent in [Intent::Proceed, done("one"), done("two")] {
            log.soon(&[intent], &[]).expect("decided");
        }
        assert!(log.state().status.ended());
        assert_eq!(of.stored(), *log.state());
    }

    #[test]
    fn a_gate_is_open_before_it_can_be_answered() {
        let of = rehearsed("human_gate: required");
        let mut log = of.log();
        for intent in [Intent::Proceed, done("one")] {
            log.soon(&[intent], &[]).expect("decided");
        }
        assert_eq!(log.state().open_gates().len(), 1);
        assert_eq!(of.stored(), *log.state());
    }

    #[test]
    fn what_somebody_else_appends_first_holds() {
        let of = rehearsed("phase: Work");
        let mut log = of.log();
        log.soon(&[Intent::Proceed], &[]).expect("decided");
        log.soon(&[done("one")], &[]).expect("decided");
        let pause = Intent::Pause {
            by: "Ada".to_owned(),
            given: None,
        };
        let mut other = of.log();
        other.commit(std::slice::from_ref(&pause), &[]).expect("paused");
        log.flush().expect("decided again");
        assert!(log.state().paused);
        assert_eq!(of.stored(), *log.state());
        assert!(log.state().visit(&at("two")).is_none());
        // Another one ahead of it goes on from there.
        let resume = Intent::Resume {
            by: "Ada".to_owned(),
            given: None,
        };
        log.soon(&[resume, Intent::Proceed], &[]).expect("decided");
        log.flush().expect("appended");
        assert!(log.state().visit(&at("one")).is_some());
        assert_eq!(of.stored(), *log.state());
    }
}
