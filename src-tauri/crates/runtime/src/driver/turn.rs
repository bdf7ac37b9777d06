//! The select loop.

use super::commit::Log;
use super::files::Files;
use super::lease::Hold;
use super::navigator::NAVIGATOR;
use super::work::{Desk, Key, News};
use super::{Control, End, Options};
use crate::executor::end_leftovers;
use crate::{Error, clock};
use engine::{At, Effect, GateId, Instance, Intent, RunState, RunStatus, effects};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval};

pub(super) struct Turn<'a> {
    pub log: Log<'a>,
    pub desk: Desk,
    pub options: &'a Options,
    pub hold: Hold,
    /// Attempts that an earlier driver may have begun before it died.
    pub suspects: BTreeSet<Key>,
    pub files: Files,
    /// Gate rounds that the scenario has answered: it does not insist.
    pub answered: BTreeSet<(GateId, u32)>,
    /// Where scripted times pass at once: when by these times the people of a scenario answer who think for some.
    pub thinking: BTreeMap<(GateId, u32), Duration>,
    /// There too: when by these times what is due at a time of the log is due, of what is waited for now.
    pub pauses: BTreeMap<(Instance, At), Duration>,
    /// When what is due at a time of the log is due by this process's own watch ([`clock::watch`]), which no clock of the machine turns
    /// back or forward.
    pub watched: BTreeMap<At, Duration>,
    /// The last event that whoever drives was told of ([`crate::Owner::saw`]).
    pub seen: u64,
    /// What came back and could not be recorded: the run is driven no further.
    pub unrecorded: Option<News>,
    /// At which state of the run it was last said which runs inside it wait for people, and which.
    pub beside: Option<(u64, BTreeSet<Instance>)>,
}

impl Turn<'_> {
    /// Drives, then clears the desk and gives the lease back, whatever happened.
    pub async fn run(mut self, control: &Control) -> Result<(End, RunState), Error> {
        let end = self.turns(control).await;
        // A step that is a run of its own is not cut off by letting go: whoever drives on finds that run.
        let cut_off = self
            .desk
            .wanted()
            .into_iter()
            // Nothing is lost of a navigator: it is asked again.
            .filter(|key| !self.is_a_run(key) && key.1 != NAVIGATOR)
            .collect::<Vec<_>>();
        self.desk.stop_all_but(&BTreeSet::new());
        // Whoever waits for it has been told to stop by now.
        let unrecorded = self.unrecorded.take().map(|news| news.intents).unwrap_or_default();
        // What was called meanwhile was called, whatever becomes of the attempt.
        let is_call = |intent: &Intent| matches!(intent, Intent::Called { .. });
        let mut called: Vec<Intent> = unrecorded.iter().filter(|intent| is_call(intent)).cloned().collect();
        while !self.desk.is_clear() {
            let last = self.desk.next().await.intents.into_iter();
            called.extend(last.filter(is_call));
        }
        // One that failed behind its commit is recorded.
        called.retain(|intent| !self.is_recorded(intent));
        match end {
            // Whoever has the run now goes on from the log.
            Err(ousted @ Error::Ousted { .. }) => return Err(ousted),
            // Nothing is written behind what is not followed. Where that is a run inside, its log is not this one.
            Err(Error::Unvouched { run, why }) if run == *self.log.run() => {
                // Whoever took the run over meanwhile writes into its log too.
                self.hold.renew(self.log.store)?;
                // The files say what the log says, whether it is followed or not; whoever wrote into it has left them to the driver.
                self.files.finish(self.log.synced()).await;
                self.hold.release(self.log.store)?;
                self.finish_files().await;
                return Err(Error::Unvouched { run, why });
            }
            _ => {}
        }
        let told = self.log.commit(&called, &[]);
        let in_order = told.and_then(|()| match &end {
            Ok(_) => self.interrupt(&cut_off, "the program that drove the run let go of it", true),
            Err(error) => {
                // It has left the desk and is in flight in the log: nobody else would know that it was begun.
                let lost = unrecorded.iter().filter_map(|intent| match intent {
                    Intent::Finish { instance, attempt, .. } => Some((instance.clone(), *attempt)),
                    _ => None,
                });
                let lost: Vec<Key> = lost.filter(|key| !self.is_a_run(key)).collect();
                let unrecorded = format!("the work came to its end, and that could not be recorded: {error}");
                self.interrupt(&lost, &unrecorded, false)
                    .and_then(|()| self.interrupt(&cut_off, &format!("driving the run failed: {error}"), false))
            }
        });
        self.files.finish(self.log.synced()).await;
        self.tell_owner();
        // A lease that stays tells the next driver that an attempt may have been begun.
        match in_order.and_then(|()| self.hold.release(self.log.store)) {
            Err(error) if end.is_ok() => Err(error),
            released => {
                if released.is_ok() {
                    self.finish_files().await;
                }
                end.map(|end| (end, self.log.live.into_state()))
            }
        }
    }

    /// Whoever says something to a run leaves its files to the driver. What was said when this one had written them and had not let go of the
    /// run is written behind that, unless somebody else drives it already.
    async fn finish_files(&mut self) {
        let (store, run) = (self.log.store, self.log.run());
        let last = store.head(run).ok().flatten().map_or(0, |head| head.seq);
        if last > self.log.synced() && matches!(super::driven_by(store, run), Ok(None)) {
            self.files.finish(last).await;
        }
    }

    /// What was recorded by now is what whoever drives has seen.
    fn tell_owner(&mut self) {
        let known = self.log.known.seq;
        if let Some(owner) = self.options.owner.as_ref().filter(|_| self.seen < known) {
            owner.saw(self.log.run(), known);
            self.seen = known;
        }
    }

    fn is_a_run(&self, (instance, _): &Key) -> bool {
        let last = self.log.state().visit(instance).and_then(|v| v.attempts.last());
        last.is_some_and(|attempt| attempt.started.engine.is_run())
    }

    fn interrupt(&mut self, keys: &[Key], reason: &str, let_go: bool) -> Result<(), Error> {
        let intents: Vec<Intent> = keys
            .iter()
            .map(|(instance, attempt)| Intent::Interrupt {
                instance: instance.clone(),
                attempt: *attempt,
                reason: reason.to_owned(),
                let_go,
                seen: None,
            })
            .collect();
        self.log.commit(&intents, &[])
    }

    /// Whether the log has what a call came to.
    fn is_recorded(&self, intent: &Intent) -> bool {
        let Intent::Called {
            instance,
            attempt,
            call,
        } = intent
        else {
            return false;
        };
        let one = self.log.state().attempt(instance, *attempt);
        one.is_some_and(|one| one.calls().contains(call))
    }

    /// Records what came back, and lets go on who waits for that.
    fn record(&mut self, news: News) -> Result<(), Error> {
        let recorded = self.log.soon(&news.intents, &news.blobs);
        match recorded {
            Ok(()) => {
                for waiting in news.waiting {
                    // Nobody waits where the attempt was told to stop.
                    let _ = waiting.send(());
                }
            }
            Err(_) => self.unrecorded = Some(news),
        }
        recorded
    }

    async fn turns(&mut self, control: &Control) -> Result<End, Error> {
        let mut heartbeat = ticks(Duration::from_millis(self.options.lease_ms / 5));
        let mut watch = ticks(self.options.watch);
        let mut version = self.log.store.data_version()?;
        // What was appended between loading the run and taking its lease.
        self.log.begin()?;
        loop {
            let wake = self.settle().await?;
            if self.log.state().status.ended() && self.desk.is_clear() {
                return Ok(End::Ended);
            }
            if let Some(news) = self.pass_time() {
                self.record(news)?;
                continue;
            }
            if self.begin_beside()? {
                continue;
            }
            let waits = wake.is_none() && self.only_waits();
            control.waits(waits);
            // The step around it has not failed: it is gone on with once that is settled, as the run inside is.
            if waits && let Some(unvouched) = self.desk.unvouched_inside() {
                return Err(unvouched);
            }
            if waits && self.options.until_blocked {
                return Ok(End::Blocked);
            }
            self.files
                .refresh(self.log.synced(), self.log.state().status == RunStatus::Blocked);
            let due = self.log.due();
            tokio::select! {
                () = control.stopped() => return Ok(End::Stopped),
                () = ring(due) => self.log.flush()?,
                news = self.desk.next() => self.record(news)?,
                _ = heartbeat.tick() => {
                    self.hold.renew(self.log.store)?;
                    self.tell_owner();
                }
                _ = watch.tick() => {
                    let now = self.log.store.data_version()?;
                    if now != version {
                        version = now;
                        self.log.catch_up()?;
                    }
                }
                () = ring(wake) => {}
            }
        }
    }

    /// Whether a person is waited for, in this run or in one inside it, and nothing else goes on. Where nothing is in flight or due, a stage
    /// that is queued waits for one in front of a person.
    fn only_waits(&self) -> bool {
        if !self.desk.is_clear() {
            return self.desk.only_waits();
        }
        let state = self.log.state();
        matches!(state.status, RunStatus::Blocked | RunStatus::Paused) || state.waiting().is_some()
    }

    /// Lets stages begin that wait for no stage in which a run inside waits for a person. Whether any do.
    fn begin_beside(&mut self) -> Result<bool, Error> {
        let visits = self.desk.asked_inside();
        let said = (self.log.changes(), visits);
        if said.1.is_empty() || !self.log.state().has_stages() || self.beside.as_ref() == Some(&said) {
            return Ok(false);
        }
        let visits = said.1.clone();
        let before = said.0;
        self.log.soon(&[Intent::AskedInside { visits }], &[])?;
        self.beside = Some(said);
        Ok(self.log.changes() != before)
    }

    /// Brings what is in flight in line with what should be: starts what is missing, cancels what is no longer wanted,
    /// commits what is due. Returns when something falls due by itself.
    async fn settle(&mut self) -> Result<Option<Instant>, Error> {
        loop {
            let mut wanted = effects(self.log.workflow, self.log.state());
            // A run inside this one has a log of its own.
            if self.log.due().is_some() && wanted.iter().filter_map(execution).any(|key| self.is_a_run(&key)) {
                self.log.flush()?;
                wanted = effects(self.log.workflow, self.log.state());
            }
            let keep = wanted.iter().filter_map(execution).collect();
            self.desk.stop_all_but(&keep);
            let mut wake: Option<Instant> = None;
            let mut due = Vec::new();
            let mut pauses = BTreeMap::new();
            for effect in wanted {
                let (at, intent) = match effect {
                    Effect::Execute { instance, attempt } => {
                        let key = (instance, attempt);
                        if self.suspects.remove(&key) && !self.is_a_run(&key) {
                            due.push(self.bury(key).await);
                        } else if !self.desk.has(&key) {
                            self.desk.start(self.log.workflow, self.log.state(), &key);
                        }
                        continue;
                    }
                    Effect::Navigate { instance } => {
                        if self.log.state().created.as_ref().is_some_and(|c| c.is_rehearsal()) {
                            // Nothing is executed in a rehearsal.
                            let script = self.desk.scenario();
                            let said = script.map_or_else(crate::scenario::unscripted, |script| {
                                script.navigates(&instance.step, instance.visit)
                            });
                            let said = Arc::new(said);
                            due.push(Intent::Navigated { instance, said });
                            continue;
                        }
                        let key = (instance, NAVIGATOR);
                        if self.suspects.remove(&key) {
                            end_leftovers(&self.desk.root(), self.log.run(), &key.0, NAVIGATOR).await;
                        }
                        if !self.desk.has(&key) {
                            self.desk.navigate(self.log.workflow, self.log.state(), &key.0);
                        }
                        continue;
                    }
                    Effect::WaitUntil { instance, at } => {
                        let over = self.pause_over(&instance, at);
                        let now = self.desk.passed();
                        pauses.extend(over.map(|over| ((instance.clone(), at), over)));
                        let is_over = over.is_some_and(|over| over <= now);
                        (if is_over { At(i64::MIN) } else { at }, Intent::Retry { instance })
                    }
                    Effect::Proceed => (At(i64::MIN), Intent::Proceed),
                    Effect::Ask { gate, round } => match self.scripted(&gate, round) {
                        Some((at, intent)) => {
                            if self.left(at).is_none() {
                                self.answered.insert((gate, round));
                            }
                            (at, intent)
                        }
                        None => continue,
                    },
                };
                match self.left(at) {
                    None => due.push(intent),
                    Some(at) => wake = Some(wake.map_or(at, |earlier| earlier.min(at))),
                }
            }
            self.pauses = pauses;
            let before = self.log.changes();
            self.log.soon(&due, &[])?;
            if self.log.changes() == before {
                return Ok(wake);
            }
        }
    }

    /// Until when something that is due at a time of the log is waited for; `None`: it is due.
    fn left(&mut self, at: At) -> Option<Instant> {
        let last = self.log.state().last_at.unwrap_or_default();
        left(&mut self.watched, at, clock::now(), last, clock::watch())
    }

    /// Ends what a dead driver may have left of an attempt.
    async fn bury(&self, (instance, attempt): Key) -> Intent {
        let killed = end_leftovers(&self.desk.root(), self.log.run(), &instance, attempt).await;
        tracing::warn!(step = %instance.step, attempt, killed, "an attempt was in flight when its driver died");
        // It may have been at its end, which a full disk would not take in.
        let reason = "the program that drove the run ended before it had recorded the end of this attempt".to_owned();
        let begun = self
            .log
            .state()
            .visit(&instance)
            .and_then(|visit| visit.attempts.last());
        let seen = begun.zip(self.hold.last_seen()).map(|(begun, seen)| {
            let now = clock::now().max(begun.started_at);
            // It was at work for as long as its calls answered.
            let answered = begun
                .calls()
                .iter()
                .filter(|call| !call.earlier)
                .map(|call| call.ended_at);
            answered.fold(seen, Ord::max).clamp(begun.started_at, now)
        });
        Intent::Interrupt {
            instance,
            attempt,
            reason,
            let_go: false,
            seen,
        }
    }

    /// Where scripted times pass at once and nothing goes on before the next of them is over: what ends then. So what takes less ends first,
    /// as it does where they pass.
    fn pass_time(&mut self) -> Option<News> {
        if !self.desk.sleeps() {
            return None;
        }
        let passed = self.desk.passed();
        let waited = self.thinking.values().chain(self.pauses.values());
        let waited = waited.filter(|at| **at > passed).min();
        let next = self.desk.next_end().into_iter().chain(waited.copied()).min()?;
        Some(self.desk.pass_until(next))
    }

    /// In a rehearsal whose scripted times pass at once: when by these times something is due that is waited for until a time of the log, the
    /// pause before another attempt or the time of a fork. For real it is waited for, however fast the rest goes.
    fn pause_over(&self, instance: &Instance, at: At) -> Option<Duration> {
        let state = self.log.state();
        let is_rehearsal = state.created.as_ref().is_some_and(|created| created.is_rehearsal());
        if !self.options.fast || !is_rehearsal {
            return None;
        }
        let begun = self.pauses.get(&(instance.clone(), at)).copied();
        let wait = Duration::from_millis(at.since_ms(state.last_at.unwrap_or_default()));
        Some(begun.unwrap_or_else(|| self.desk.passed().saturating_add(wait)))
    }

    /// What the scenario says to a gate's round, and when; where scripted times pass at once, once it is time.
    fn scripted(&mut self, gate: &GateId, round: u32) -> Option<(At, Intent)> {
        if self.answered.contains(&(gate.clone(), round)) {
            return None;
        }
        let open = self.log.state().open_gates();
        let waiting = open
            .into_iter()
            .find(|r| r.opened.gate == *gate && r.opened.round == round)?;
        let (thinks, intent) = self.desk.scenario()?.says(waiting)?;
        if self.options.fast {
            let since = waiting.since;
            let passed = self.desk.passed();
            let key = (gate.clone(), round);
            let at = *self.thinking.entry(key).or_insert(passed.saturating_add(thinks));
            return (at <= passed).then_some((since, intent));
        }
        let thinks = i64::try_from(thinks.as_millis()).unwrap_or(i64::MAX);
        Some((At(waiting.since.0.saturating_add(thinks)), intent))
    }
}

/// Until when something that is due at a time of the log is waited for; `None`: it is due. Once it is waited for, this process's own watch
/// says so, whatever the clock of the machine does meanwhile. Never longer than the log itself says, the last event of which is of `last`:
/// where the machine's clock ran ahead when the log was written, nobody waits until it is that late again. The moment that it gives stands still
/// while the machine sleeps, so that it is asked again with every beat of the lease.
fn left(watched: &mut BTreeMap<At, Duration>, at: At, now: At, last: At, watch: Duration) -> Option<Instant> {
    if at <= now && !watched.contains_key(&at) {
        return None;
    }
    let wait = Duration::from_millis(at.since_ms(last).min(at.since_ms(now)));
    let until = *watched.entry(at).or_insert_with(|| watch.saturating_add(wait));
    let left = until.saturating_sub(watch);
    (!left.is_zero()).then(|| Instant::now() + left)
}

fn execution(effect: &Effect) -> Option<Key> {
    match effect {
        Effect::Execute { instance, attempt } => Some((instance.clone(), *attempt)),
        Effect::Navigate { instance } => Some((instance.clone(), NAVIGATOR)),
        _ => None,
    }
}

fn ticks(period: Duration) -> tokio::time::Interval {
    let mut ticks = interval(period.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Resolves at that time; never when there is none.
async fn ring(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_waited_for_comes_neither_sooner_nor_later_because_somebody_sets_the_clock() {
        let (mut watched, at) = (BTreeMap::new(), At(100_000_000));
        let (last, began) = (At(99_940_000), Duration::from_secs(7));
        assert!(left(&mut watched, at, last, last, began).is_some(), "a minute");
        for set in [At(99_941_000), At(107_200_000), At(0)] {
            let later = began + Duration::from_secs(59);
            assert!(left(&mut watched, at, set, last, later).is_some(), "{set:?}");
        }
        // A machine that sleeps meanwhile waits no longer for it.
        assert_eq!(
            left(&mut watched, at, At(0), last, began + Duration::from_secs(60)),
            None
        );
        // What nobody has waited for here is due by the clock, which may have run ahead when the log was written.
        assert_eq!(left(&mut watched, At(5), At(5), At(0), began), None);
        let soon = left(&mut watched, At(90_000_000), At(0), At(89_999_999), began).expect("a moment");
        assert!(soon <= Instant::now() + Duration::from_millis(1));
    }
}
