//! A run's folder as it grows: fed event by event, it says what becomes of the files, and never reads the log again.
//!
//! After every event the files are what [`super::render`] makes of the log up to there, byte for byte; that is the
//! measure, and the only place that knows what stands in a file stays with each file. What one event costs does not
//! depend on how many came before it: the stream of events grows at its end, a receipt is written when its attempt
//! ends, and an earlier one moves aside. A file that lists something of the whole run is put together anew when that
//! has changed, which costs what the file is long; whoever takes the changes less often has it put together less often.

use super::attempts::Attempts;
use super::names::Naming;
use super::record::{File, Record};
use super::render::{imported, transcript};
use super::{EVENTS, Files, RUN, SESSION, json, manifest, meta, receipt};
use crate::session::{file_of, is_named, turns};
use crate::vocabulary::{Renderer, Vocabulary, lines};
use crate::{Facts, Stored};
use engine::{Artifact, Digest, Event, Instance};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::take;

/// What becomes of a file. Paths are relative to the run's directory, with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It grows: these bytes, if any, stand from `at` on, which is where it ended until now.
    Append {
        /// Which file.
        path: String,
        /// Its length before.
        at: u64,
        /// What is added.
        bytes: Vec<u8>,
    },
    /// It is there, or there anew.
    Write {
        /// Which file.
        path: String,
        /// All of it.
        bytes: Vec<u8>,
    },
    /// It has another name, and nothing has the old one until it is written.
    Rename {
        /// The name until now.
        from: String,
        /// The name from now on.
        to: String,
    },
    /// It is no longer there.
    Remove {
        /// Which file.
        path: String,
    },
}

impl Change {
    /// Does it to files in memory.
    ///
    /// # Errors
    /// They are not as they were when it was said.
    pub fn apply(self, files: &mut Files) -> Result<(), String> {
        match self {
            Self::Append { path, at, bytes } => {
                let file = files.get_mut(&path).filter(|file| file.len() as u64 == at);
                file.ok_or_else(|| format!("`{path}` has not {at} bytes"))?
                    .extend(bytes);
            }
            Self::Write { path, bytes } => drop(files.insert(path, bytes)),
            Self::Rename { from, to } => {
                let bytes = files.remove(&from).ok_or_else(|| format!("there is no `{from}`"))?;
                files.insert(to, bytes);
            }
            Self::Remove { path } => drop(files.remove(&path).ok_or_else(|| format!("there is no `{path}`"))?),
        }
        Ok(())
    }
}

/// The files of one run. Feed it the log from the first event on.
#[derive(Debug)]
pub struct RunFolder {
    facts: Facts,
    begun: Option<Begun>,
}

/// The folder of a log that begins with a run.
#[derive(Debug)]
struct Begun {
    record: Record,
    words: Vocabulary,
    /// The workflow's folder.
    renderer: Renderer,
    /// The lines of the stream so far, where a file shows them again.
    stream: Vec<Value>,
    attempts: Attempts,
    naming: Naming,
    latest: Latest,
    /// Link of the last event.
    head: [u8; 32],
    /// Length of the stream's file as it was last taken.
    length: u64,
    /// Attempts whose files were taken; whether there was a transcript.
    taken: Vec<Option<bool>>,
    pending: Pending,
}

/// What has changed since the changes were last taken.
#[derive(Debug, Default)]
struct Pending {
    any: bool,
    lines: Vec<u8>,
    /// Attempts whose receipt is to be written.
    receipts: BTreeSet<usize>,
    /// Attempts that are no longer the latest of their step.
    moved: Vec<usize>,
    files: BTreeSet<File>,
    session: Option<Vec<u8>>,
    /// Sessions as they stood at checkpoints that somebody named.
    checkpoints: Vec<(String, Vec<u8>)>,
}

impl RunFolder {
    /// The folder of a log without events. `facts` are those of the version of the workflow that the run keeps.
    pub fn new(facts: Facts) -> Self {
        Self { facts, begun: None }
    }

    /// How many events it was fed.
    pub fn seq(&self) -> u64 {
        self.begun.as_ref().map_or(0, |begun| begun.record.state.seq)
    }

    /// Takes up the next event. A log that does not begin with a run has no files.
    pub fn push(&mut self, stored: &Stored) {
        self.push_before(stored, false);
    }

    /// The same; `turns_again`: the run is known to turn later ([`turns`]) before the changes are taken, so that its session of this event is not put
    /// together.
    pub fn push_before(&mut self, stored: &Stored, turns_again: bool) {
        match &mut self.begun {
            Some(begun) => {
                begun.record.push(stored);
                begun.note(stored, &self.facts);
            }
            None => {
                let record = Record::begin(stored);
                self.begun = record.map(|record| Begun::of(record, stored, &self.facts));
            }
        }
        if let Some(begun) = self.begun.as_mut().filter(|_| !turns_again && turns(&stored.event)) {
            begun.pending.session = Some(begun.record.session(&self.facts));
        }
        if let Some(begun) = self.begun.as_mut().filter(|_| is_named(&stored.event)) {
            let then = begun.record.session(&self.facts);
            begun.pending.checkpoints.push((file_of(stored.seq), then));
        }
    }

    /// What has become of the files since this was last asked, in an order in which it can be done: `run.json`, which
    /// says what event the files are of, comes last. `blob` gives the bytes of a transcript; one it does not have is
    /// left out.
    pub fn changes(&mut self, blob: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Vec<Change> {
        match &mut self.begun {
            Some(begun) if begun.pending.any => begun.changes(&self.facts, blob),
            _ => Vec::new(),
        }
    }

    /// Of that what is of single events: the stream, the receipts and the transcripts. What lists something of the whole run stays for
    /// [`RunFolder::changes`].
    pub fn changes_of_events(&mut self, blob: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Vec<Change> {
        match &mut self.begun {
            Some(begun) if begun.pending.any => begun.changes_of_events(blob),
            _ => Vec::new(),
        }
    }

    /// Names that files have had, and none has now.
    pub fn abandoned(&self) -> Vec<String> {
        self.begun.as_ref().map(Begun::abandoned).unwrap_or_default()
    }
}

impl Begun {
    fn of(record: Record, first: &Stored, facts: &Facts) -> Self {
        let created = &record.created;
        let words = Vocabulary::of(created.format);
        let mut begun = Self {
            words,
            renderer: Renderer::new(words, &created.run_id, facts.clone()),
            stream: Vec::new(),
            attempts: Attempts::default(),
            naming: Naming::default(),
            latest: Latest::default(),
            head: first.hash,
            length: 0,
            taken: Vec::new(),
            pending: Pending::default(),
            record,
        };
        begun.note(first, facts);
        begun
    }

    /// Notes what an event changes that the record has taken up.
    fn note(&mut self, stored: &Stored, facts: &Facts) {
        let Self { record, pending, .. } = self;
        pending.any = true;
        self.head = stored.hash;
        let mut new = self.renderer.push(stored);
        pending.lines.extend(lines(&new));
        if record.is_whole() {
            self.stream.append(&mut new);
        }
        for place in self.attempts.push(stored, facts) {
            pending.receipts.insert(place);
            if place == self.taken.len() {
                self.taken.push(None);
                let before = self.naming.push(&record.created, &self.attempts.all, place);
                pending.receipts.extend(&before);
                pending.moved.extend(before);
            }
        }
        pending.files.extend(record.changed_by(&stored.event));
        if let Event::AttemptEnded { instance, attempt, .. } = &stored.event {
            self.latest.push(record, instance, *attempt);
        }
    }

    fn changes_of_events(&mut self, blob: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Vec<Change> {
        let mut moved = take(&mut self.pending.moved);
        // Who has lost the plain name before anybody saw it under that has left nothing.
        moved.retain(|place| self.taken[*place].is_some());
        let mut changes = Vec::new();
        let lines = take(&mut self.pending.lines);
        let grown = self.ended_in(lines);
        let (path, at) = (EVENTS.to_owned(), self.length);
        self.length += grown.len() as u64;
        match at {
            0 => changes.push(Change::Write { path, bytes: grown }),
            // Where nothing is added, too: whether the files are still there is seen by it.
            _ => changes.push(Change::Append { path, at, bytes: grown }),
        }
        self.moves(&moved, &mut changes);
        for place in take(&mut self.pending.receipts) {
            let names = &self.naming.names[place];
            let at = names.transcript_in_flow();
            let receipt = receipt::receipt(&self.record.created, &self.attempts.all[place], &at);
            changes.push(Change::Write {
                path: names.receipt_path(),
                bytes: self.ended_in(json::file(receipt)),
            });
            if self.taken[place].is_none() {
                let kept = transcript(&self.attempts.all[place], blob);
                self.taken[place] = Some(kept.is_some());
                let path = names.transcript_path();
                changes.extend(kept.map(|bytes| Change::Write { path, bytes }));
            }
        }
        self.removes(&moved, &mut changes);
        changes
    }

    fn changes(&mut self, facts: &Facts, blob: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Vec<Change> {
        let is_new = self.length == 0;
        let mut changes = self.changes_of_events(blob);
        let pending = take(&mut self.pending);
        let mut put = |path: &str, bytes: Vec<u8>| {
            changes.push(Change::Write {
                path: path.to_owned(),
                bytes: self.ended_in(bytes),
            });
        };
        if let Some(bytes) = pending.session {
            put(SESSION, imported(&self.record.created, blob).unwrap_or(bytes));
        }
        for (path, bytes) in pending.checkpoints {
            put(&path, bytes);
        }
        for file in pending.files {
            if let Some(bytes) = self.record.file(file, facts, &self.stream) {
                put(file.name(), bytes);
            }
        }
        if self.words == Vocabulary::Stepwise {
            put("meta.json", json::file(meta::meta(&self.record, facts)));
            if is_new {
                put("spec.json", json::file(meta::spec(&self.record.created, facts)));
            }
        }
        let manifest = manifest::manifest(&self.record, self.latest.iter(), &self.head);
        put(RUN, json::file(manifest));
        changes
    }

    /// The bytes of a file that is no transcript, in the characters of the run's words.
    fn ended_in(&self, bytes: Vec<u8>) -> Vec<u8> {
        match self.words {
            Vocabulary::Bmad => json::ascii(bytes),
            _ => bytes,
        }
    }

    /// Transcripts that move aside. A receipt names its transcript, so it is written anew.
    fn moves(&self, moved: &[usize], changes: &mut Vec<Change>) {
        let with_transcript = moved.iter().filter(|place| self.taken[**place] == Some(true));
        changes.extend(with_transcript.map(|place| Change::Rename {
            from: self.naming.plain[*place].transcript_path(),
            to: self.naming.names[*place].transcript_path(),
        }));
    }

    /// Receipts whose names no later attempt of the step has taken.
    fn removes(&self, moved: &[usize], changes: &mut Vec<Change>) {
        for place in moved {
            let plain = &self.naming.plain[*place];
            let step = &self.attempts.all[*place].started.instance.step;
            if self.naming.latest(step).all(|names| names.receipt != plain.receipt) {
                let path = plain.receipt_path();
                changes.push(Change::Remove { path });
            }
        }
    }

    fn abandoned(&self) -> Vec<String> {
        let Naming { names, plain, .. } = &self.naming;
        let receipts: BTreeSet<String> = names.iter().map(|names| names.receipt_path()).collect();
        let transcripts: BTreeSet<String> = names.iter().map(|names| names.transcript_path()).collect();
        let mut paths = Vec::new();
        for names in plain {
            paths.extend(Some(names.receipt_path()).filter(|path| !receipts.contains(path)));
            paths.extend(Some(names.transcript_path()).filter(|path| !transcripts.contains(path)));
        }
        paths
    }
}

/// The latest artifact of each path, in the order they were last made: that of [`engine::RunState::artifacts`].
#[derive(Debug, Default)]
struct Latest {
    made: BTreeMap<Made, (Instance, Artifact)>,
    of_path: HashMap<String, Made>,
}

/// When something was made: in which visit, in which attempt of it, as the how-manieth.
type Made = (u32, usize, usize);

impl Latest {
    fn push(&mut self, record: &Record, instance: &Instance, attempt: u32) {
        let Some(visit) = record.state.visit(instance) else {
            return;
        };
        let Some(place) = visit.attempts.iter().position(|a| a.started.attempt == attempt) else {
            return;
        };
        let Some(result) = &visit.attempts[place].result else {
            return;
        };
        for (n, artifact) in result.artifacts.iter().enumerate() {
            let made = (visit.number, place, n);
            match self.of_path.get(&artifact.path) {
                Some(earlier) if *earlier > made => continue,
                Some(earlier) => drop(self.made.remove(earlier)),
                None => {}
            }
            self.of_path.insert(artifact.path.clone(), made);
            self.made.insert(made, (instance.clone(), artifact.clone()));
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&Instance, &Artifact)> {
        self.made.values().map(|(instance, artifact)| (instance, artifact))
    }
}
