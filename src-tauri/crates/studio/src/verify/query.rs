//! Verifying a run: chain, blobs, files, signatures and the register.

use crate::command::RunAt;
use crate::gate::asking;
use crate::lock::lock;
use crate::run::history::History;
use crate::settings::keys::Keys;
use crate::text::safe;
use crate::verify::signatures;
use crate::verify::view::{FindingView, VerifyView};
use crate::words::{self, count};
use crate::{ApiError, Studio};
use engine::{Answer, Artifact, Event, Instance, RegisterMark, RunCreated, RunId, RunState};
use model::StepId;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::{DecidedRow, FindingKind, Stored, below};

/// What can be done about what is made from a log, where nothing is written.
const NOT_HERE: &str =
    "Nothing is written anew in what was handed over: unpack its ZIP file again, or ask for another one.";

/// So many files beside a run's record are looked for.
const MOST_BESIDE: usize = 1_000;

/// What a check of a run's record found.
#[derive(Default)]
struct Record {
    /// Something of the record itself differs, not only what is rendered from it.
    altered: bool,
    /// The project's register does not fit other runs.
    others_altered: bool,
    /// So many of the findings are about whose keys the decisions are signed with.
    doubts: usize,
    findings: Vec<FindingView>,
    notes: Vec<String>,
    /// It is whole in itself, and not the log that this person's Gatehouse saw last.
    is_another: bool,
    /// It names itself as another one than somebody had seen before they went on in it.
    names_another: bool,
    events: u64,
    blobs: u64,
    signatures: u64,
    /// The files are those of this event, because nobody has written them since.
    behind: Option<usize>,
    /// Why nobody has.
    unwritten: Option<String>,
    /// It is looked at where nothing is written.
    handed_over: bool,
}

impl Record {
    /// In words. `files`: how many files of the run were compared; absent: they were not looked at.
    fn view(self, files: Option<u64>) -> VerifyView {
        let ok = self.findings.is_empty();
        let in_doubt = !ok && self.findings.len() == self.doubts;
        let all = |kind: FindingKind| self.findings.iter().all(|f| f.code == kind.code());
        let outdated = all(FindingKind::Outdated);
        let words = if ok || outdated {
            let compared = files.filter(|_| ok && self.behind.is_none());
            let counted = format!(
                "{}, the {} that they name{} and {}",
                count(self.events as usize, "event", "events"),
                count(self.blobs as usize, "text or file", "texts and files"),
                compared.map_or_else(String::new, |files| format!(
                    ", {} in the run's folder",
                    count(files as usize, "file", "files")
                )),
                count(self.signatures as usize, "signature", "signatures")
            );
            let unaltered = match (self.is_another, self.names_another) {
                (true, _) => "Unaltered in itself, but not the log that your Gatehouse saw last",
                (false, true) => "Unaltered in itself, but another log of this run had been seen before",
                (false, false) => "Unaltered",
            };
            match (ok, self.behind) {
                (true, None) => format!(
                    "{unaltered}: {counted} match the record.{}",
                    match compared {
                        Some(_) => "",
                        None => " The files in the run's folder were not compared.",
                    }
                ),
                (true, Some(event)) => format!(
                    "{unaltered}: {counted} match the record. {}: {}{}",
                    match event {
                        0 => "The files of this run are not written yet".to_owned(),
                        event => format!("The files of this run are behind, at event {event} of {}", self.events),
                    },
                    match &self.unwritten {
                        Some(why) => format!(
                            "they could not be written ({})",
                            safe::in_sentence(why.trim_end_matches('.'))
                        ),
                        None => "the program that was to write them was ended before".to_owned(),
                    },
                    match self.handed_over {
                        true => format!(". {NOT_HERE}"),
                        false => "; `gatehouse rebuild` finishes them.".to_owned(),
                    }
                ),
                (false, _) => format!(
                    "The record is unaltered ({counted}). The files of this run were not compared, because they say that an earlier \
                     version wrote them{}",
                    match self.handed_over {
                        true => format!(". {NOT_HERE}"),
                        false => "; `gatehouse rebuild` writes them anew.".to_owned(),
                    }
                ),
            }
        } else {
            format!(
                "{} found. {}",
                count(self.findings.len(), "difference was", "differences were"),
                if in_doubt {
                    "The record is whole; who decided is in doubt."
                } else if self.altered {
                    "This run's record is not what was written down; do not rely on it."
                } else if self.findings.iter().any(|f| f.code == FindingKind::Ahead.code()) {
                    "This run's folder tells of more than its record holds: do not rely on the record."
                } else if self.others_altered {
                    "This run's record is whole in itself; the project's is not: runs were changed, cut or taken away."
                } else if all(FindingKind::Made) {
                    "The record itself is whole; what steps made in the run's folder is not as the record has it."
                } else {
                    "The record itself is whole; what was changed is rendered from it and can be rendered anew."
                }
            )
        };
        VerifyView {
            ok,
            in_doubt,
            words,
            events: self.events,
            blobs: self.blobs,
            files: files.unwrap_or(0),
            signatures: self.signatures,
            findings: self.findings,
            notes: self.notes,
        }
    }
}

/// Names within a sentence of which a report knows the end.
fn named<T: AsRef<str>>(names: &[T]) -> String {
    safe::in_sentence(&words::some_of(names))
}

/// Of files in a run's folder that are not of its record: a sentence. `is_all`: there are no more of them.
fn beside_record(names: &[String], is_all: bool) -> Option<String> {
    let count = match (names.len(), is_all) {
        (0, true) => return None,
        // All that were looked at are findings.
        (0, false) => return Some("There are more files in the run's folder than could be named here.".to_owned()),
        (1, true) => "1 file in the run's folder is".to_owned(),
        (n, true) => format!("{n} files in the run's folder are"),
        (n, false) => format!("{n} files or more in the run's folder are"),
    };
    Some(format!(
        "{count} not of its record: {}. No step reported to have made them; the record says nothing of what they hold or of who put them there.",
        named(names)
    ))
}

/// Of files that were put aside because they tell of another log: a sentence.
fn kept_aside(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| {
        format!(
            "{} in the run's folder told of another log than this one when others were written in their place, as after a history was put back: {}.",
            count(names.len(), "file", "files"),
            named(names)
        )
    })
}

/// Of files that Gatehouse keeps for branches with folders of their own: a sentence.
fn of_branches(names: &[String]) -> Option<String> {
    let are = match names.len() {
        0 => return None,
        1 => "1 file in the run's folder is what Gatehouse keeps".to_owned(),
        n => format!("{n} files in the run's folder are what Gatehouse keeps"),
    };
    Some(format!(
        "{are} of branches that work in folders of their own: {}. That is a branch's copy of the project, or what was brought in of one, and is not \
         of the record.",
        named(names)
    ))
}

/// A message as a sentence begins; the path of a file stays as it is.
fn sentence(message: &str) -> String {
    let first = message.split_whitespace().next().unwrap_or_default();
    if first.contains(['.', '/']) {
        return message.to_owned();
    }
    let mut chars = message.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A finding with what to do. `altered`: the log is not what was written down. `handed_over`: nothing is written where it is looked at.
fn finding(f: store::Finding, altered: bool, handed_over: bool) -> FindingView {
    let place = match f.seq {
        Some(seq) if f.subject.is_empty() => format!("event {seq}"),
        Some(seq) => format!("event {seq}, {}", f.subject),
        None => f.subject,
    };
    let what_to_do = match f.kind {
        FindingKind::Made => String::new(),
        FindingKind::Ahead => {
            " What the folder holds may be all that is left of them: keep a copy of it, and compare the history with a backup.".to_owned()
        }
        FindingKind::InTheWay if !handed_over => {
            " The history that these files are made from is whole; remove it, then `gatehouse rebuild` writes them anew.".to_owned()
        }
        FindingKind::Unanswered | FindingKind::BehindEnd => {
            " No Gatehouse writes that: somebody put it into the log. Compare it with a copy.".to_owned()
        }
        kind if kind.is_evidence() => " The record itself was changed; compare it with a copy.".to_owned(),
        _ if altered => {
            " It is made from the log, which is not what was written down: compare both with a copy.".to_owned()
        }
        _ if handed_over => format!(" The history that it is made from is whole. {NOT_HERE}"),
        _ => " The history that it is made from is whole; `gatehouse rebuild` writes it anew.".to_owned(),
    };
    FindingView {
        code: f.kind.code().into(),
        place,
        message: format!("{}.{what_to_do}", sentence(&f.message)),
    }
}

/// How many contents the log refers to.
fn referenced(history: &History) -> u64 {
    let mut digests = BTreeSet::new();
    for e in history.events() {
        match &e.event {
            Event::RunCreated(c) => {
                digests.insert(&c.source);
                digests.extend(c.instructions.as_ref().map(|file| &file.source));
                digests.extend(c.scenario.as_ref().map(|s| &s.source));
            }
            Event::AttemptEnded { result, .. } => {
                digests.extend(result.digests().into_iter().map(|(_, digest)| digest));
            }
            Event::GateOpened(opened) => digests.extend(opened.shown.iter().map(|a| &a.digest)),
            _ => {}
        }
    }
    digests.len() as u64
}

impl Studio {
    /// Verifies a run as it is now: chain, blobs, files, signatures.
    ///
    /// # Errors
    /// `not_found`, and what the store reports. Damage is not an error here: it is what is looked for.
    pub fn verify(&self, of: RunAt) -> Result<VerifyView, ApiError> {
        let run = self.find_logged(&of.run_id)?;
        let history = self.history(run.as_str());
        let keys = self.0.identity.keys();
        let mut found = self.checked(&run, history.as_ref().map(AsRef::as_ref), &keys)?;
        // No part of the record, and of no report.
        found.notes.extend(self.unshown(&run));
        let (missing, left) = self.missing_and_left()?;
        found.notes.extend(missing.into_iter().chain(left));
        Ok(found)
    }

    /// What `verify`, the report and the window say of a run: its record, and the files in its folder beside it.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) fn checked(
        &self,
        run: &RunId,
        history: Result<&History, &ApiError>,
        keys: &Keys,
    ) -> Result<VerifyView, ApiError> {
        let mut record = self.record_of(run, history, keys)?;
        let mut files = None;
        // Files can only be compared with a log that is whole; those of a run that is being driven follow it a little later. Of a run that
        // has ended nobody drives anything, whatever the project's history says.
        let driven = |history: &History| !history.state(None).status.ended() && self.driver_of(run).is_some();
        if let Ok(history) = history
            && !record.altered
            && driven(history)
        {
            record.notes.push(
                "The run's files were not compared: a program has this run open, and writes them a little later."
                    .to_owned(),
            );
        } else if let Ok(history) = history
            && !record.altered
        {
            let facts = history.facts();
            // A driver that died has not written the files to the end. That is nobody's change, and it is not mended here: looking leaves
            // everything as it is.
            let unwritten = self.0.store.unwritten(run)?;
            let left = self.0.store.lease(run)?.is_some() || unwritten.is_some();
            record.behind = self.0.store.files_are_behind(run, &facts, left)?;
            record.unwritten = unwritten.filter(|_| record.behind.is_some());
            let rendered = self.0.store.render_run(run, &facts)?;
            let found = match record.behind {
                Some(_) => Vec::new(),
                None => self.0.store.verify_files(run, &rendered)?,
            };
            if record.behind.is_none() && found.iter().all(|f| f.kind != FindingKind::Outdated) {
                let state = history.state(None);
                let called = |step: &StepId| format!("“{}”", words::step_ref(history.workflow(), step).name);
                let (made, changed) = self.0.store.verify_made(run, &state, called)?;
                files = Some(rendered.len() as u64 + made);
                let changed = changed.into_iter().map(|f| finding(f, false, record.handed_over));
                record.findings.extend(changed);
                record.notes.extend(self.made_in_project(&state));
                record.notes.extend(self.added_to_approved(history, &state));
                record.notes.extend(self.changed_afterwards(&state));
                let mut beside = self.0.store.beside_record(run, &state, &rendered, MOST_BESIDE)?;
                let is_all = beside.len() < MOST_BESIDE;
                // What stands among receipts is a finding already.
                beside.retain(|name| found.iter().all(|f| f.subject != *name));
                let (aside, beside): (Vec<String>, Vec<String>) =
                    beside.into_iter().partition(|name| store::rundir::is_aside(name));
                let (branches, beside): (Vec<String>, Vec<String>) = beside
                    .into_iter()
                    .partition(|name| runtime::is_of_branches(&state, name));
                record.notes.extend(kept_aside(&aside));
                record.notes.extend(of_branches(&branches));
                record.notes.extend(beside_record(&beside, is_all));
            }
            let found = found.into_iter().map(|f| finding(f, false, record.handed_over));
            record.findings.extend(found);
        }
        let mut known = lock(&self.0.runs.altered);
        match record.altered {
            true => known.insert(run.clone()),
            // What was changed may have been put back.
            false => known.remove(run),
        };
        drop(known);
        Ok(record.view(files))
    }

    /// What verifying a run finds of its record, in a sentence or two; `None`: it is unaltered. Its files are not looked at.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) fn found_of_record(&self, history: &History, keys: &Keys) -> Result<Option<String>, ApiError> {
        let view = self.record_of(history.id(), Ok(history), keys)?.view(None);
        Ok((!view.ok).then_some(view.words))
    }

    /// What of what steps made in the project, outside the run's folder, is no longer there as they made it: a sentence. Whoever works in the project
    /// may change it, so that it is no finding. A rehearsal makes nothing there.
    fn made_in_project(&self, state: &RunState) -> Option<String> {
        // Of what was handed over the project is not here.
        if state.is_rehearsal() || !matches!(self.0.store.excerpt(), Ok(None)) {
            return None;
        }
        let made = state.artifacts().into_iter();
        let made = made.filter(|(_, artifact)| !artifact.path.starts_with(".gatehouse/"));
        let as_made = |(at, artifact): &(&Instance, &Artifact)| {
            let folder = self.folder_for(state, &at.step);
            let path = format!("{folder}{}", artifact.path);
            let there = self.inside(&path).ok();
            let there = there.and_then(|_| below::read(&self.0.root, &path, artifact.bytes).ok());
            there.is_some_and(|bytes| store::digest_of(&bytes) == artifact.digest)
        };
        let (kept, other): (Vec<_>, Vec<_>) = made.partition(as_made);
        let files = |n| count(n, "file", "files");
        let names: Vec<&str> = other.iter().map(|(_, artifact)| artifact.path.as_str()).collect();
        Some(match (kept.len(), other.len()) {
            (_, 0) => return None,
            (kept, n) => format!(
                "Of {} of the project that this run's steps made or showed {n} {} now: {}. Whoever works in the project may change them; the \
                 record holds what each of them was.",
                files(kept + n),
                if n == 1 {
                    "is another one or gone"
                } else {
                    "are others or gone"
                },
                named(&names)
            ),
        })
    }

    /// What lies beside the files that people have approved and was not among them, a sentence for each gate. Whoever works in the project may add
    /// files, so that it is no finding.
    fn added_to_approved(&self, history: &History, state: &RunState) -> Vec<String> {
        // Of what was handed over the project is not here.
        if !matches!(self.0.store.excerpt(), Ok(None)) {
            return Vec::new();
        }
        let last = |gate| {
            let mut rounds = state.rounds_of(gate).rev();
            rounds.find_map(|round| Some((&round.opened, &round.answer.as_ref()?.0)))
        };
        let answered = state.gates.keys().filter_map(last);
        let approved = answered.filter(|(_, decision)| decision.answer == Answer::Approve);
        let said = approved.filter_map(|(opened, decision)| {
            let added = self.added_since(history, state, opened);
            let lies = match added.len() {
                0 => return None,
                1 => "1 file lies that was not shown and that no step of this run made".to_owned(),
                n => format!("{n} files lie that were not shown and that no step of this run made"),
            };
            Some(format!(
                "Beside what {} approved at {} {lies}: {}. The approval is not about that, and \
                 nothing of the record has changed.",
                words::decider(decision),
                safe::in_sentence(&asking::step_of(history.workflow(), &opened.instance)),
                named(&added)
            ))
        });
        said.collect()
    }

    /// The register of the project's runs: what is wrong with other runs is named too, for whoever looks at one may hold the only later decision.
    fn check_register(&self, run: &RunId, decided: &[DecidedRow], record: &mut Record) -> Result<(), ApiError> {
        // Every decision of the project was signed over the register as it stood: one that contradicts it now names what was done to any run.
        let mut said = BTreeSet::new();
        for row in decided {
            let signed = row.decision.signature.as_ref().and_then(|s| s.grounds.as_ref());
            let Some(mark) = signed
                .and_then(|grounds| grounds.register.as_ref())
                .filter(|_| row.run != *run)
            else {
                continue;
            };
            if !self.0.store.register_continues(mark)? && said.insert(row.run.clone()) {
                record.others_altered = true;
                record.findings.push(FindingView {
                    code: "register".into(),
                    place: "project".into(),
                    message: format!(
                        "The answer of {} in run {} was signed over another register of the project's runs: runs were taken away, cut or computed anew, this one perhaps. Compare it with a copy.",
                        row.decision.by, row.run
                    ),
                });
            }
        }
        for found in self.0.store.verify_register()? {
            let is_own = found.subject == run.as_str();
            if !found.kind.is_evidence() {
                // What the list shows of this run has been held against its log already.
                if !is_own {
                    record.findings.push(FindingView {
                        code: found.kind.code().into(),
                        place: "project".into(),
                        message: format!(
                            "{}. {}",
                            sentence(&found.message),
                            match record.handed_over {
                                true => NOT_HERE.to_owned(),
                                false => format!("`gatehouse rebuild {}` writes it anew.", found.subject),
                            }
                        ),
                    });
                }
                continue;
            }
            record.altered |= is_own;
            record.others_altered |= !is_own;
            record.findings.push(FindingView {
                code: found.kind.code().into(),
                place: "project".into(),
                message: format!("{}. Compare it with a copy.", sentence(&found.message)),
            });
        }
        Ok(())
    }

    /// Checks the record of a run: chain, contents, the project's register of runs and, where the log can be read, signatures. Nothing is
    /// written.
    fn record_of(&self, run: &RunId, history: Result<&History, &ApiError>, keys: &Keys) -> Result<Record, ApiError> {
        let found = self.0.store.verify(run)?;
        let mut record = Record {
            altered: found.iter().any(|f| f.kind.is_evidence()),
            handed_over: self.is_handed_over(),
            ..Record::default()
        };
        let (altered, handed_over) = (record.altered, record.handed_over);
        record.findings = found.into_iter().map(|f| finding(f, altered, handed_over)).collect();
        let decided = self.0.store.decided(usize::MAX).unwrap_or_else(|error| {
            record.altered = true;
            record.findings.push(FindingView {
                code: "index".into(),
                place: "index of decisions".into(),
                message: format!(
                    "It cannot be read: {error}. The logs hold every decision. {}",
                    match handed_over {
                        true => NOT_HERE,
                        false => "`gatehouse rebuild` makes it anew.",
                    }
                ),
            });
            Vec::new()
        });
        match history {
            Ok(history) => {
                self.check_signatures(history, keys, &decided, &mut record);
                self.check_earlier(history, &mut record)?;
            }
            Err(error) if record.findings.is_empty() => {
                record.altered = true;
                record.findings.push(FindingView {
                    code: error.code.clone(),
                    place: "log".into(),
                    message: error.message.clone(),
                });
            }
            Err(_) => {}
        }
        let created = history.ok().and_then(History::created);
        if created.is_some_and(|created| created.imported.is_some()) {
            record.notes.push(
                "This run was imported: what is checked is that its document is the one that was taken in. Nothing of what that says was executed or signed here."
                    .to_owned(),
            );
        }
        let taken = history.ok().and_then(|history| {
            let mut events = history.events().iter();
            events.find_map(|stored| match &stored.event {
                Event::TakenOver(taken) => Some((history.workflow(), taken)),
                _ => None,
            })
        });
        if let Some((workflow, taken)) = taken {
            record.notes.push(format!(
                "{} taken over from an imported session: nothing of that was done here, and it supports nothing.{}",
                count(taken.completed.len() + taken.skipped.len(), "step was", "steps were"),
                crate::words::gates_taken_over(workflow, taken)
            ));
        }
        self.check_register(run, &decided, &mut record)?;
        if let Ok(history) = history {
            self.check_left_out(history, &mut record)?;
            record.notes.extend(self.went_on_behind(history));
            let named = words::another_logs(history.events(), history.index(None).other_logs.iter());
            record.names_another = !named.is_empty();
            record.notes.extend(named);
        }
        let another = self.another_log(run);
        record.is_another = another.is_some();
        record.notes.extend(another);
        Ok(record)
    }

    /// Of a run whose step of the run around it was completed, and in which more happened after that: a sentence. What the run around it went on with
    /// is what stood there before.
    fn went_on_behind(&self, history: &History) -> Option<String> {
        let parent = history.created()?.parent.as_ref()?;
        let around = self.history(parent.run.as_str()).ok()?;
        let ended = around.events().iter().rev().find_map(|e| match &e.event {
            Event::AttemptStarted(started) if started.instance == parent.instance => Some(None),
            Event::AttemptEnded { instance, result, .. } if *instance == parent.instance => {
                Some(result.status.completes().then_some(e.at))
            }
            _ => None,
        })??;
        // What its evidence supports is raised at any time.
        let behind =
            |e: &&Stored| e.at > ended && !matches!(e.event, Event::EvidencePromoted(_) | Event::AnotherLog(_));
        let more = history.events().iter().filter(behind).count();
        (more > 0).then(|| {
            format!(
                "{} of this run came after the step of the run around it that it carries out was completed: that run did not go on with what was done in them.",
                count(more, "event", "events")
            )
        })
    }

    /// The run that was handed over with those inside it. It is asked for with every run that is checked, and gathered once.
    fn inside_handed_over(&self, run: &RunId) -> Result<Arc<BTreeSet<RunId>>, ApiError> {
        let version = self.0.store.data_version()?;
        let known = lock(&self.0.runs.handed_over).clone();
        if let Some((_, inside)) = known.filter(|(of, _)| *of == version) {
            return Ok(inside);
        }
        let inside = Arc::new(self.with_inside(run)?);
        *lock(&self.0.runs.handed_over) = Some((version, Arc::clone(&inside)));
        Ok(inside)
    }

    /// Of a part of a history that was handed over: what of the project is not in it, and whether that belongs to this run.
    fn check_left_out(&self, history: &History, record: &mut Record) -> Result<(), ApiError> {
        let Some(excerpt) = self.0.store.excerpt()? else {
            return Ok(());
        };
        let left_out = self.0.store.left_out()?;
        let mut found = |code: &str, place: &str, message: String| {
            record.others_altered = true;
            record.findings.push(FindingView {
                code: code.into(),
                place: place.into(),
                message,
            });
        };
        // Where somebody works nothing is handed over to them: the mark would hide that runs were taken away.
        if self.is_trusted() {
            let message = "It says that it is a part that was handed over, and you have said that you trust this folder, as one in which you work: other runs \
                           may have been taken away from it. What was unpacked from a bundle is checked by its ZIP file.";
            found("excerpt", "history", message.to_owned());
        }
        // Around the run that was handed over other runs may lie, which are no part of it.
        if self.inside_handed_over(&excerpt.run)?.contains(history.id()) {
            for step in self.carried_out_by_none(history) {
                let message = format!(
                    "“{step}” was carried out by a run inside this one, and that is not here: what was done and decided in it is not known. Ask for all of it."
                );
                found("left_out", "runs inside", message);
            }
            for run in self.inside_among(history, &left_out) {
                let message = format!(
                    "Run {run}, which carried out a step of this one, was left out of what was handed over: what was done and decided in it is not here. Ask for all of it."
                );
                found("left_out", "runs inside", message);
            }
        }
        // A run that another one goes on from may lie in one that is no part of this.
        let is_part = *history.id() == excerpt.run || self.around(&excerpt.run)?.contains(history.id());
        let created = history.created();
        let around = created
            .and_then(|created| created.parent.as_ref())
            .map(|parent| &parent.run)
            .filter(|_| is_part);
        let earlier = created
            .into_iter()
            .flat_map(RunCreated::earlier)
            .map(engine::Continued::run);
        for run in around.into_iter().chain(earlier).filter(|run| left_out.contains(*run)) {
            let message = format!(
                "Run {run}, which this one is a part of or goes on from, was left out of what was handed over: what was decided there is not here. Ask for all of it."
            );
            found("left_out", "runs around", message);
        }
        record.notes.push(match left_out.len() {
            0 => "This is a part of a project's history that was handed over; the project had no other runs then.".to_owned(),
            n => format!(
                "This is a part of a project's history that was handed over. Of {} of the project only the entries in its register are here, not what happened in them.",
                count(n, "other run", "other runs")
            ),
        });
        Ok(())
    }

    /// Whether the runs that this one goes on from still have the logs that it says.
    fn check_earlier(&self, history: &History, record: &mut Record) -> Result<(), ApiError> {
        for earlier in history.created().into_iter().flat_map(RunCreated::earlier) {
            let run = earlier.run();
            let there = self.0.store.events(run, earlier.events.saturating_sub(1), 1)?;
            match there.first().map(|last| hex::encode(last.hash)) {
                Some(link) if link == earlier.link => {}
                None if self.0.store.head(run)?.is_none() => record.notes.push(format!(
                    "Run {run}, from which this one goes on, is not in this project; what it had done stands in this log."
                )),
                _ => {
                    record.others_altered = true;
                    record.findings.push(FindingView {
                        code: "continues".into(),
                        place: format!("events 2 to {}", earlier.events),
                        message: format!(
                            "Run {run}, from which this one goes on, has another log now than this one begins with: one of the two was changed."
                        ),
                    });
                }
            }
        }
        Ok(())
    }

    fn check_signatures(&self, history: &History, keys: &Keys, decided: &[DecidedRow], record: &mut Record) {
        record.events = history.events().len() as u64;
        record.blobs = referenced(history);
        let continues = |mark: &RegisterMark| self.0.store.register_continues(mark).unwrap_or(false);
        let signatures = signatures::check(history, keys, &continues);
        record.signatures = signatures.held;
        record.notes = signatures.notes;
        record.notes.extend(signatures::several_keys(history, decided));
        record.altered |= !signatures.findings.is_empty();
        record.doubts = signatures.doubts.len();
        for (code, seq, message) in signatures.findings.into_iter().chain(signatures.doubts) {
            record.findings.push(FindingView {
                code: code.into(),
                place: format!("event {seq}"),
                message,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Record, beside_record, finding, kept_aside, of_branches};
    use crate::report::checks::Said;
    use store::{Finding, FindingKind};

    #[test]
    fn what_was_counted_is_said_with_where_it_lies() {
        let record = || Record {
            events: 20,
            blobs: 9,
            signatures: 1,
            ..Record::default()
        };
        assert_eq!(
            record().view(Some(12)).words,
            "Unaltered: 20 events, the 9 texts and files that they name, 12 files in the run's folder and 1 signature match the record."
        );
        assert_eq!(
            record().view(None).words,
            "Unaltered: 20 events, the 9 texts and files that they name and 1 signature match the record. The files in the run's folder were not compared."
        );
    }

    /// A report in which one of these stands is not taken for one that somebody has changed.
    #[test]
    fn what_a_check_says_is_known_where_a_report_is_held_against_the_record() {
        let said = Said {
            events: [20].into(),
            ..Said::default()
        };
        let names = ["1. Brief.md".to_owned(), "b/c.txt".to_owned()];
        let mut sentences: Vec<String> = Vec::new();
        for names in [&names[..], &names[..1], &names[..0]] {
            sentences.extend(beside_record(names, true));
            sentences.extend(beside_record(names, false));
            sentences.extend(kept_aside(names));
            sentences.extend(of_branches(names));
        }
        for (is_another, names_another, handed_over) in
            [(false, false, false), (true, false, true), (false, true, false)]
        {
            for (behind, unwritten) in [
                (None, None),
                (Some(0), None),
                (Some(9), Some("Dr. Berg's disk is full. No space is left.")),
            ] {
                for (files, is_outdated) in [(None, false), (Some(1), false), (Some(12), true)] {
                    let outdated = Finding {
                        kind: FindingKind::Outdated,
                        seq: None,
                        subject: "run.json".to_owned(),
                        message: "the files of this run were written by an earlier version and cannot be compared"
                            .to_owned(),
                    };
                    let outdated = finding(outdated, false, handed_over);
                    sentences.push(format!("{}: {}", outdated.place, outdated.message));
                    let record = Record {
                        events: 20,
                        blobs: 9,
                        signatures: 1,
                        is_another,
                        names_another,
                        handed_over,
                        behind,
                        unwritten: unwritten.map(str::to_owned),
                        findings: is_outdated.then_some(outdated).into_iter().collect(),
                        ..Record::default()
                    };
                    sentences.push(record.view(files).words);
                }
            }
        }
        for sentence in sentences {
            assert!(said.can_be(&sentence, &[]), "{sentence}");
        }
    }
}
