//! Is a run still what was recorded? Every stored byte is looked at again.

use crate::chain::{Body, body_of, chain_hash, first_link};
use crate::gates::{Before, GateColumns, columns, is_open, leaves_unasked, recorded_before, text};
use crate::regular::NotRead;
use crate::run_row::{RunRow, StatusWord, find};
use crate::rundir::{self, Files};
use crate::{Error, Finding, FindingKind, Store, blobs, digest_of, entries, register};
use engine::{At, Continued, Digest, Event, RunId, RunState};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Store {
    /// Checks a run's log, lists and content: the chain from the stored bytes, gaps, a cut tail, every column against the
    /// bytes, the lists against a fresh fold, every blob that an event refers to. Nothing found: an empty list.
    ///
    /// The decisions' signatures are the façade's to check, the files [`Store::verify_files`]'s.
    ///
    /// # Errors
    /// [`Error::UnknownRun`]; [`Error::Corrupt`] when SQLite itself can no longer read the file.
    pub fn verify(&self, run: &RunId) -> Result<Vec<Finding>, Error> {
        let findings = self.sql(|c| {
            // One snapshot: a run that goes on meanwhile is checked as it stood at one moment.
            let snapshot = c.unchecked_transaction()?;
            let mut check = Check::new(run);
            let known = check.log(&snapshot)?;
            let known = check.head(&snapshot)? || known;
            if !known {
                return Ok(None);
            }
            check.lists(&snapshot)?;
            check.register(&snapshot)?;
            check.blobs(&snapshot)?;
            Ok(Some(check.findings))
        })?;
        findings.ok_or_else(|| Error::UnknownRun { run: run.to_string() })
    }

    /// The quick part of [`Store::verify`]: the chain from the stored bytes, gaps, a cut tail. Nothing is parsed.
    ///
    /// # Errors
    /// Those of [`Store::verify`].
    pub fn verify_chain(&self, run: &RunId) -> Result<Vec<Finding>, Error> {
        let findings = self.sql(|c| {
            let snapshot = c.unchecked_transaction()?;
            let mut check = Check {
                parse: false,
                ..Check::new(run)
            };
            let known = check.log(&snapshot)?;
            Ok((check.head(&snapshot)? || known).then_some(check.findings))
        })?;
        findings.ok_or_else(|| Error::UnknownRun { run: run.to_string() })
    }

    /// Writes what the lists of runs and gates show of a run anew from its log, also where they have lost it. Where the log itself is not what was
    /// recorded they stay as they are: they are evidence of it.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::ReadOnly`], [`Error::Sql`] ….
    pub fn list_anew(&self, run: &RunId) -> Result<(), Error> {
        self.write(|t| {
            let mut check = Check::new(run);
            check.log(t)?;
            // What is missing from the list is listed again, as far as the project's register knows its log.
            let is_listed = check.head(t)?;
            let is_whole = match is_listed {
                true => check.findings.is_empty(),
                false => check.findings.len() == 1 && register::fits(t, run)?,
            };
            let (row, link, gates) = (RunRow::of(run, &check.state), check.last_link, check.gates.clone());
            check.lists(t)?;
            let Some(row) = row.filter(|_| is_whole && !check.findings.is_empty()) else {
                return Ok(());
            };
            t.execute("DELETE FROM gates WHERE run_id = ?1", [run.as_str()])?;
            t.execute("DELETE FROM runs WHERE run_id = ?1", [run.as_str()])?;
            row.insert(t, &link)?;
            for (gate, round, opened_at, opened, answered_at, decision) in gates.into_values() {
                t.prepare_cached(
                    "INSERT INTO gates (run_id, gate, round, opened_at, opened, answered_at, decision) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute((run.as_str(), gate, round, opened_at, opened, answered_at, decision))?;
            }
            Ok(())
        })
    }

    /// Compares a run's files with what they should be, as [`Store::render_run`] has them. A store in memory has no files.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn verify_files(&self, run: &RunId, files: &Files) -> Result<Vec<Finding>, Error> {
        let Some(dir) = self.run_dir(run) else {
            return Ok(Vec::new());
        };
        let mut findings = Vec::new();
        let mut found = |kind, path: &str, message: String| {
            findings.push(Finding {
                kind,
                seq: None,
                subject: path.to_owned(),
                message,
            });
        };
        if rundir::is_of_earlier_version(&dir) {
            let message = "the files of this run were written by an earlier version and cannot be compared".to_owned();
            found(FindingKind::Outdated, "run.json", message);
            return Ok(findings);
        }
        // What is rendered from another log cannot be compared with this one.
        if let Some(more) = self.ahead(run, files)? {
            let told = match more {
                0 => "other events than this log has".to_owned(),
                1 => "1 event that this log does not have".to_owned(),
                more => format!("{more} events that this log does not have"),
            };
            let message =
                format!("the run's folder tells of {told}: the history was put back or cut after they were recorded");
            found(FindingKind::Ahead, "events.jsonl", message);
            return Ok(findings);
        }
        let in_the_way = rundir::in_the_way(&dir, files);
        for (path, what) in &in_the_way {
            let message = format!("{path} is {what} and not what this run wrote there; it was not opened");
            found(FindingKind::InTheWay, path, message);
        }
        let is_barred = |path: &str| {
            let mut places = path.match_indices('/').map(|(end, _)| &path[..end]).chain([path]);
            places.any(|place| in_the_way.contains_key(place))
        };
        for (path, bytes) in files.iter().filter(|(path, _)| !is_barred(path)) {
            match rundir::read_file(&dir, path) {
                Ok(there) if there == *bytes => {}
                Ok(_) => found(
                    FindingKind::Changed,
                    path,
                    format!("{path} was changed since it was written"),
                ),
                Err(NotRead::Missing) => {
                    found(FindingKind::Missing, path, format!("{path} is missing"));
                }
                Err(e) => found(FindingKind::Changed, path, format!("{path} cannot be read: {e}")),
            }
        }
        if let Some(link) = rundir::linked(&dir) {
            let message = format!(
                "{} is a link: these files lie elsewhere, and nobody writes them there",
                link.display()
            );
            found(FindingKind::InTheWay, run.as_str(), message);
        }
        for path in rundir::stray(&dir, files)? {
            let message = format!("{path} was not written by this run");
            found(FindingKind::Unexpected, &path, message);
        }
        Ok(findings)
    }
}

struct Check<'a> {
    run: &'a RunId,
    /// Look into the bodies as well.
    parse: bool,
    findings: Vec<Finding>,
    state: RunState,
    /// Every event could be read, in order: the fold can be trusted.
    whole: bool,
    last_seq: u64,
    last_link: [u8; 32],
    referred: BTreeMap<Digest, (u64, &'static str)>,
    gates: BTreeMap<(String, i64), GateColumns>,
    /// How far the log is that of the run that this one goes on from.
    before: Before,
    /// The logs of the runs that it goes on from, as they follow from what stands in this one.
    earlier: Vec<(Continued, [u8; 32])>,
    /// The last event that is entered in the project's register whenever it is recorded.
    entered: u64,
}

/// Rows of a log, read without trusting any type: a damaged one is a finding, not an error.
#[derive(Default)]
struct Part {
    rows: Vec<Row>,
    /// Of each row its body and its link, one behind the other.
    bytes: Vec<u8>,
    /// Nothing follows.
    is_last: bool,
}

struct Row {
    seq: Option<i64>,
    at: Option<i64>,
    /// Length of the body.
    body: usize,
    /// Length of the link.
    hash: usize,
    /// It says that it is this run's: a row can be found under a key that it does not have.
    is_own: bool,
}

impl Part {
    /// So many rows at most; few where the tests look at logs of several parts.
    const MOST: usize = if cfg!(test) { 3 } else { 512 };
    /// No more rows behind so many bytes.
    const MOST_BYTES: usize = 1 << 20;

    fn read(rows: &mut rusqlite::Rows<'_>, run: &RunId) -> rusqlite::Result<Self> {
        let mut part = Self::default();
        while part.rows.len() < Self::MOST && part.bytes.len() < Self::MOST_BYTES {
            let Some(row) = rows.next()? else {
                part.is_last = true;
                break;
            };
            let (body, hash) = (bytes(row.get_ref(2)?), bytes(row.get_ref(3)?));
            part.bytes.extend_from_slice(body);
            part.bytes.extend_from_slice(hash);
            part.rows.push(Row {
                seq: integer(row.get_ref(0)?),
                at: integer(row.get_ref(1)?),
                body: body.len(),
                hash: hash.len(),
                is_own: bytes(row.get_ref(4)?) == run.as_str().as_bytes(),
            });
        }
        Ok(part)
    }
}

impl<'a> Check<'a> {
    fn new(run: &'a RunId) -> Self {
        Self {
            run,
            parse: true,
            findings: Vec::new(),
            state: RunState::default(),
            whole: true,
            last_seq: 0,
            last_link: first_link(run),
            referred: BTreeMap::new(),
            gates: BTreeMap::new(),
            before: Before::default(),
            earlier: Vec::new(),
            entered: 0,
        }
    }

    /// Follows the logs of the runs that this one goes on from: each ends with the link that is said of it.
    fn earlier(&mut self, seq: u64, body: &[u8], event: &Event) {
        if let (1, Event::RunCreated(created)) = (seq, event) {
            for earlier in created.earlier() {
                let own = Event::RunCreated(Arc::clone(&earlier.created));
                let first = body_of(earlier.at, &own).unwrap_or_default();
                let link = chain_hash(&first_link(earlier.run()), 1, &first);
                self.earlier.push((earlier.clone(), link));
            }
        }
        let mut broken = Vec::new();
        for (earlier, link) in &mut self.earlier {
            if seq > 1 && seq <= earlier.events {
                *link = chain_hash(link, seq, body);
            }
            if seq == earlier.events && hex::encode(*link) != earlier.link {
                broken.push(format!(
                    "the events up to {seq} are not those of run {}, from which this one is said to go on",
                    earlier.run()
                ));
            }
        }
        for message in broken {
            self.found(FindingKind::Chain, Some(seq), "continues", message);
        }
    }

    fn found(&mut self, kind: FindingKind, seq: Option<u64>, subject: &str, message: String) {
        self.findings.push(Finding {
            kind,
            seq,
            subject: subject.to_owned(),
            message,
        });
    }

    /// Returns whether there is any event. One part of a long log is checked while the next one is read.
    fn log(&mut self, c: &Connection) -> rusqlite::Result<bool> {
        let mut query = c.prepare("SELECT seq, at, body, hash, run_id FROM events WHERE run_id = ?1 ORDER BY seq")?;
        let mut rows = query.query([self.run.as_str()])?;
        let run = self.run;
        let mut part = Part::read(&mut rows, run)?;
        let any = !part.rows.is_empty();
        if part.is_last {
            self.part(&part);
            return Ok(any);
        }
        let check = &mut *self;
        std::thread::scope(|scope| {
            let (send, parts) = std::sync::mpsc::sync_channel::<Part>(2);
            scope.spawn(move || parts.iter().for_each(|part| check.part(&part)));
            loop {
                let is_last = part.is_last;
                // Nobody takes it only where the check has panicked, which ends this as well.
                if send.send(part).is_err() || is_last {
                    return Ok(any);
                }
                part = Part::read(&mut rows, run)?;
            }
        })
    }

    fn part(&mut self, part: &Part) {
        let mut rest = part.bytes.as_slice();
        for row in &part.rows {
            let (body, behind) = rest.split_at(row.body);
            let (hash, behind) = behind.split_at(row.hash);
            rest = behind;
            self.event(row.seq, row.at, body, hash);
            if !row.is_own {
                let message = format!("event {} is kept under the name of another run", self.last_seq);
                self.found(FindingKind::Column, Some(self.last_seq), "run_id", message);
            }
        }
    }

    fn event(&mut self, seq: Option<i64>, at: Option<i64>, body: &[u8], hash: &[u8]) {
        let expected = self.last_seq + 1;
        let Some(seq) = seq.and_then(|s| u64::try_from(s).ok()) else {
            self.whole = false;
            let message = "an event's number is not a number that this run can have".to_owned();
            return self.found(FindingKind::Gap, Some(expected), "seq", message);
        };
        if seq != expected {
            self.whole = false;
            let message = format!(
                "event {expected} is missing: event {seq} follows event {}",
                self.last_seq
            );
            self.found(FindingKind::Gap, Some(expected), "seq", message);
        }
        let link = chain_hash(&self.last_link, seq, body);
        if hash != link {
            let message = format!("event {seq} was changed, or one before it: its link does not match its bytes");
            self.found(FindingKind::Chain, Some(seq), "hash", message);
        }
        self.last_seq = seq;
        // Going on from the stored link names the place of the change and nothing behind it.
        self.last_link = hash.try_into().unwrap_or(link);
        if self.parse {
            self.body(seq, at, body);
        }
    }

    fn body(&mut self, seq: u64, at: Option<i64>, body: &[u8]) {
        let event = match serde_json::from_slice::<Body>(body) {
            Ok(Body { at: inner, event }) => {
                if at != Some(inner.0) {
                    let message = format!("the time of event {seq} was changed");
                    self.found(FindingKind::Column, Some(seq), "at", message);
                }
                self.earlier(seq, body, &event);
                self.apply(seq, inner, &event);
                event
            }
            Err(error) => {
                self.whole = false;
                return self.found(
                    FindingKind::Unreadable,
                    Some(seq),
                    "body",
                    format!("event {seq} cannot be read: {error}"),
                );
            }
        };
        if let Event::RunCreated(created) = &event
            && created.run_id != *self.run
        {
            let message = format!("event {seq} belongs to run {}", created.run_id);
            self.found(FindingKind::Unreadable, Some(seq), "run_id", message);
        }
    }

    /// No Gatehouse records that a run goes on from where somebody is asked, unless they have answered.
    fn passed(&mut self, seq: u64, event: &Event) {
        // What is missing or cannot be read may be the answer.
        if !self.whole {
            return;
        }
        let passed = engine::passed(&self.state, event).into_iter();
        let passed: Vec<(String, String)> = passed
            .map(|round| {
                let opened = &round.opened;
                let message = format!(
                    "event {seq} leads past a gate: at step `{}` somebody was asked (round {}), and nobody had answered",
                    opened.instance.step, opened.round
                );
                (opened.gate.to_string(), message)
            })
            .collect();
        for (gate, message) in passed {
            self.found(FindingKind::Unanswered, Some(seq), &gate, message);
        }
    }

    fn apply(&mut self, seq: u64, at: At, event: &Event) {
        self.passed(seq, event);
        if self.whole && engine::is_behind_end(&self.state, event) {
            let message =
                format!("event {seq} stands behind the end of the run, and nobody had taken the run up again");
            self.found(FindingKind::BehindEnd, Some(seq), "", message);
        }
        if entries::is_entered(event) {
            self.entered = seq;
        }
        engine::apply(&mut self.state, at, event);
        for (what, digest) in blobs::referred(event) {
            self.referred.entry(digest.clone()).or_insert((seq, what));
        }
        if seq == 1 {
            self.before = recorded_before(event);
        }
        match event {
            _ if seq <= self.before.events && !self.before.asks => {}
            Event::GateAnswered(decision) if seq <= self.before.events => {
                self.gates
                    .remove(&(decision.gate.to_string(), i64::from(decision.round)));
            }
            Event::Reopened { .. } if seq <= self.before.events => self.gates.clear(),
            Event::GateOpened(opened) => {
                let (gate, round) = (opened.gate.to_string(), i64::from(opened.round));
                let row = (gate.clone(), round, at.0, text(opened).unwrap_or_default(), None, None);
                self.gates.entry((gate, round)).or_insert(row);
            }
            Event::GateAnswered(decision) => {
                if let Some(row) = self
                    .gates
                    .get_mut(&(decision.gate.to_string(), i64::from(decision.round)))
                    && row.4.is_none()
                {
                    row.4 = Some(at.0);
                    row.5 = text(decision).ok();
                }
            }
            event if leaves_unasked(event) => {
                let unasked =
                    |(round, row): &(&(String, i64), &mut GateColumns)| row.4.is_none() && !is_open(&self.state, round);
                for (_, row) in self.gates.iter_mut().filter(unasked) {
                    row.4 = Some(at.0);
                }
            }
            Event::Reopened { .. } => {
                for row in self.gates.values_mut().filter(|row| row.4.is_none()) {
                    row.4 = Some(at.0);
                }
            }
            _ => {}
        }
    }

    /// The run's row remembers where the log ends: a tail that was cut off is missed. Returns whether there is a row.
    fn head(&mut self, c: &Connection) -> rusqlite::Result<bool> {
        let row = c
            .prepare("SELECT seq, head FROM runs WHERE run_id = ?1")?
            .query_row([self.run.as_str()], |row| {
                Ok((integer(row.get_ref(0)?), bytes(row.get_ref(1)?).to_vec()))
            })
            .optional()?;
        let Some((seq, head)) = row else {
            self.found(
                FindingKind::Head,
                None,
                "runs",
                "the run is missing from the list of runs".to_owned(),
            );
            return Ok(false);
        };
        let seq = seq.and_then(|s| u64::try_from(s).ok());
        if seq != Some(self.last_seq) {
            let recorded = seq.map_or("an impossible number of".to_owned(), |s| s.to_string());
            let message = format!("the log holds {} events, {recorded} were recorded", self.last_seq);
            self.found(FindingKind::Head, Some(self.last_seq), "seq", message);
        } else if head != self.last_link {
            let message = "the last link of the log is not the one that was recorded".to_owned();
            self.found(FindingKind::Head, Some(self.last_seq), "head", message);
        }
        Ok(true)
    }

    /// Whoever puts a decision, an end or a new beginning behind what the project's register knows of the run has it contradicted by that. Of a run
    /// that it does not know at all the register itself is in doubt.
    fn register(&mut self, c: &Connection) -> rusqlite::Result<()> {
        if !register::is_kept(c)? {
            return Ok(());
        }
        let last: Option<i64> = c
            .prepare("SELECT max(seq) FROM register WHERE run_id = ?1")?
            .query_row([self.run.as_str()], |row| row.get(0))?;
        if let Some(last) = last
            && u64::try_from(last).is_ok_and(|last| last < self.entered)
        {
            let message = format!(
                "event {} is of those that are entered in the project's register when they are recorded, and it knows this run up to event {last} alone",
                self.entered
            );
            self.found(FindingKind::Register, Some(self.entered), "", message);
        }
        Ok(())
    }

    fn lists(&mut self, c: &Connection) -> rusqlite::Result<()> {
        if !self.whole {
            // What cannot be folded cannot be compared; the cause has been named above.
            return Ok(());
        }
        let stored = find(c, self.run.as_str());
        let mut expected = RunRow::of(self.run, &self.state);
        if let Some(expected) = expected.as_mut().filter(|_| !names_refusals(c)) {
            (expected.status, expected.refused) = (self.state.status.into(), None);
        }
        let stored = stored.ok().flatten();
        // What a run was resumed after is told by no list of earlier versions.
        if let (Some(stored), Some(expected)) = (&stored, &mut expected)
            && stored.refused.is_none()
            && expected.status != StatusWord::Refused
        {
            expected.refused = None;
        }
        // Earlier versions listed the time of the order that takes a run up.
        if let (Some(stored), Some(expected)) = (&stored, &mut expected)
            && Some(stored.last_at) == self.state.last_at
        {
            expected.last_at = stored.last_at;
        }
        if stored != expected {
            let message = "the list of runs shows something else than the run's events say".to_owned();
            self.found(FindingKind::Projection, None, "runs", message);
        }
        // When nobody waited for an unanswered question any more is told by no list, and earlier versions did not note it.
        let state = &self.state;
        let shown = |mut row: GateColumns| {
            let round = (row.0.clone(), row.1);
            if row.5.is_none() && !is_open(state, &round) {
                row.4 = None;
            }
            row
        };
        let expected: Vec<GateColumns> = std::mem::take(&mut self.gates).into_values().map(shown).collect();
        let listed = columns(c, self.run).ok();
        if listed.map(|rows| rows.into_iter().map(shown).collect()) != Some(expected) {
            let message = "the list of gates shows something else than the run's events say".to_owned();
            self.found(FindingKind::Projection, None, "gates", message);
        }
        Ok(())
    }

    fn blobs(&mut self, c: &Connection) -> rusqlite::Result<()> {
        // By its place, the table's own name of it is read, and not that of the list by which it was found.
        let mut query = c.prepare(
            "SELECT bytes, (SELECT own.digest FROM blobs own WHERE own.rowid = blobs.rowid) FROM blobs WHERE digest = ?1",
        )?;
        for (digest, (seq, what)) in std::mem::take(&mut self.referred) {
            let matches = query
                .query_row([digest.as_str()], |row| {
                    let is_named = bytes(row.get_ref(1)?) == digest.as_str().as_bytes();
                    Ok(is_named && digest_of(bytes(row.get_ref(0)?)) == digest)
                })
                .optional()?;
            match matches {
                Some(true) => {}
                Some(false) => {
                    let message = format!("{what} of event {seq} was changed: its bytes no longer match their digest");
                    self.found(FindingKind::BlobChanged, Some(seq), digest.as_str(), message);
                }
                None => {
                    let message = format!("{what} of event {seq} is missing");
                    self.found(FindingKind::BlobMissing, Some(seq), digest.as_str(), message);
                }
            }
        }
        Ok(())
    }
}

/// Whether the list tells refused runs apart: that of the first version, which may only be looked at, does not.
fn names_refusals(c: &Connection) -> bool {
    c.prepare("SELECT refused_gate FROM main.runs").is_ok()
}

fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(i) => Some(i),
        _ => None,
    }
}

fn bytes(value: ValueRef<'_>) -> &[u8] {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        _ => &[],
    }
}
