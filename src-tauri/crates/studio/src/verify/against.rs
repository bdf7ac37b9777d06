//! A report held against the record: what it says that it was made of, its text beside the one that is made of that now, and what it tells of the
//! runs inside.

use crate::command::RunAt;
use crate::gate::asking;
use crate::report::checks::Said;
use crate::report::query::{Reach, Within, events_told};
use crate::report::record::{Differences, Mark};
use crate::run::history::History;
use crate::text::safe;
use crate::verify::view::{FindingView, VerifyView};
use crate::words::{self, count};
use crate::{ApiError, Studio};
use engine::{At, Event, Instance};
use model::Work;
use std::path::Path;

/// The code of a report that is not what is made of the record, and of one that another version says to have made.
const REPORT: &str = "report";
const OTHER_VERSION: &str = "report_version";

/// The largest report that is read back.
const LARGEST_REPORT: u64 = 512 << 20;

/// What happened in a run inside so long before a report was made stood in the record when it was, milliseconds: the time of an event is taken a
/// little before it is written.
const WRITTEN: i64 = 10_000;

/// So many differences stand where the verdict does.
const FIRST: usize = 2;

/// What holding a report against the record came to.
pub(crate) struct Against {
    pub view: VerifyView,
    /// Nothing was found of the record itself.
    pub is_record_ok: bool,
    pub beside: Beside,
    /// It says that another version made it.
    pub is_of_other_version: bool,
}

/// How a report stands beside the record. In words, a sentence, where it is not simply the same.
pub(crate) enum Beside {
    /// Word for word what is made of all that is in the record.
    Same,
    /// The same of less: what followed.
    Earlier(String),
    /// Whether it says what the record says is not known.
    Doubtful(String),
    /// It does not.
    Other(String),
}

/// What a report tells of the runs inside, beside what the record has of them.
struct ToldInside {
    /// All of them as they are now.
    all: Vec<Within>,
    /// Those that it tells of, as far as it does.
    within: Vec<Within>,
    /// It does not say of which it tells, as those of earlier versions.
    is_untold: bool,
    /// What it tells otherwise than the record had it when it was made, in sentences.
    wrong: Vec<String>,
    /// What the record had of them and has no more, in sentences.
    cut: Vec<String>,
    /// More has happened in them than the record had then, and who answered what.
    is_behind: bool,
    since: Vec<String>,
}

/// What happened after a report was made, of which it cannot tell: how many events followed in its run, how that stands now, in words, and who
/// answered what there and in the runs inside.
fn what_followed(more: u64, stands: &str, answers: &[String]) -> Option<String> {
    let decided = match answers.is_empty() {
        true => "Nobody has decided anything since.".to_owned(),
        false => format!("Decided since: {}.", words::some_of(answers)),
    };
    let followed = match more {
        0 if answers.is_empty() => return None,
        0 => return Some(format!("The report says nothing of this. {decided}")),
        1 => "1 event has followed".to_owned(),
        more => format!("{more} events have followed"),
    };
    Some(format!(
        "{followed} since, of which the report says nothing: the run is now “{stands}”. {decided}"
    ))
}

/// Who answered what in a run after one event and until another.
fn answered(history: &History, after: u64, until: u64) -> impl Iterator<Item = String> {
    let answers = history.events().iter().filter(move |e| e.seq > after && e.seq <= until);
    answers.filter_map(|e| match &e.event {
        Event::GateAnswered(decision) => {
            let (_, opened) = history.asked(decision)?;
            let said = asking::answered_in(opened, decision);
            let step = asking::step_of(history.workflow(), &opened.instance);
            Some(format!("{} {said} at {step}", words::decider(decision)))
        }
        _ => None,
    })
}

/// Whether a report says that another version made it, or says nothing of that, as those of earlier ones.
fn is_of_other_version(mark: &Mark) -> bool {
    let made = mark.made.as_ref();
    made.is_none_or(|made| made.version != env!("CARGO_PKG_VERSION"))
}

/// Until when whatever had happened in the runs inside stood in the record when a report was made: what was some time before its run's last event or
/// before the report.
fn written_until(history: &History, mark: &Mark) -> At {
    let last = history.until(Some(mark.events)).last().map_or(0, |last| last.at.0);
    let made = mark.made.as_ref().map_or(0, |made| made.at);
    At(last.max(made).saturating_sub(WRITTEN))
}

/// When a run had heard the end of the runs inside it, as of an event: what had happened in those stood in the record by then.
fn heard(history: &History, at: u64) -> Vec<(Instance, At)> {
    let is_inside = |instance: &Instance| {
        let step = history.workflow().step(&instance.step);
        step.is_some_and(|step| matches!(step.work, Work::SubWorkflow { .. }))
    };
    let heard = history.until(Some(at)).iter().filter_map(|e| match &e.event {
        Event::AttemptEnded { instance, .. } if is_inside(instance) => Some((instance.clone(), e.at)),
        _ => None,
    });
    heard.collect()
}

/// What a report that tells of so many events of a run inside leaves out of what the record had of it, in a sentence.
fn left_out(had: &Within, told: u64) -> String {
    let inside = safe::in_quotes(&had.step);
    let answers: Vec<String> = match &had.read {
        Ok(read) => answered(&read.history, told, had.events).collect(),
        Err(_) => Vec::new(),
    };
    match answers.is_empty() {
        true => format!(
            "It leaves out {} of the run inside “{inside}” that stood in the record when it was made.",
            count(had.events.saturating_sub(told) as usize, "event", "events")
        ),
        false => format!(
            "It leaves out what had been decided inside “{inside}” when it was made: {}.",
            words::some_of(&answers)
        ),
    }
}

/// What is found of a report.
pub(crate) fn of_report(code: &str, message: String) -> FindingView {
    FindingView {
        code: code.into(),
        place: "report".into(),
        message,
    }
}

impl Studio {
    /// Verifies a run, and holds it against a report that was written of it earlier: the log must still begin with what the report
    /// was made of, and the project's register must go on from where it was then.
    ///
    /// # Errors
    /// `unreadable`, `no_report`: the file is none; those of [`Studio::verify`].
    pub fn verify_against(&self, id: &str, report: &Path) -> Result<VerifyView, ApiError> {
        Ok(self.held_against(id, report)?.view)
    }

    /// The run that a report says it is of; `None`: it is none, or cannot be read.
    pub fn run_of_report(report: &Path) -> Option<String> {
        let text = store::regular::read_text_through(report, LARGEST_REPORT).ok()?;
        Some(Mark::of_report(&text)?.run)
    }

    /// What [`Studio::verify_against`] finds, with how the report stands beside the record.
    pub(crate) fn held_against(&self, id: &str, report: &Path) -> Result<Against, ApiError> {
        let mut view = self.verify(RunAt::live(id))?;
        let text = store::regular::read_text_through(report, LARGEST_REPORT).map_err(|e| {
            ApiError::new(
                "unreadable",
                format!("The report {} cannot be read: {e}.", report.display()),
            )
            .hint("Check the path.")
        })?;
        let mark = Mark::of_report(&text).ok_or_else(|| {
            ApiError::new(
                "no_report",
                format!("{} says of no record what it was made of.", report.display()),
            )
            .hint("Give a report that this version or a later one has written.")
        })?;
        let history = self.history(id)?;
        let mut differs = Vec::new();
        if mark.run != history.id().as_str() {
            differs.push(format!("The report is of run {}, not of this one.", mark.run));
        } else if history.link(mark.events).as_deref() != Some(mark.link.as_str()) {
            differs.push(format!(
                "The first {} events of this run are not those that the report was made of.",
                mark.events
            ));
        }
        if let Some(register) = &mark.register
            && !self.0.store.register_continues(register)?
        {
            differs.push(
                "The project's register of runs is not the one that the report was made over: runs were taken away, cut or computed anew."
                    .into(),
            );
        }
        if differs.is_empty() {
            view.notes.push(format!(
                "The report belongs to this record: it was made of the first {} of the run.",
                count(mark.events as usize, "event", "events")
            ));
            return self.text_against(&history, &mark, &text, view);
        }
        let is_record_ok = view.ok;
        let beside = Beside::Other(safe::visible(&differs.join(" ")));
        let found = differs.into_iter().map(|message| of_report(REPORT, message));
        view.speaks_against(false, Some("The report does not fit the record."), found);
        Ok(Against {
            view,
            is_record_ok,
            beside,
            is_of_other_version: false,
        })
    }

    /// Holds a report's text against the one that is made of the same events, in the same way, now.
    fn text_against(
        &self,
        history: &History,
        mark: &Mark,
        text: &str,
        mut view: VerifyView,
    ) -> Result<Against, ApiError> {
        let is_record_ok = view.ok;
        let inside = self.told_inside(history, mark);
        let mut answers: Vec<String> = answered(history, mark.events, history.last()).collect();
        answers.extend(inside.since.iter().cloned());
        let (_, stands) = self.stands(history, &self.that_wait())?;
        let more = history.last().saturating_sub(mark.events);
        let followed = what_followed(more, &stands, &answers);
        // Of a report that tells nothing of them nobody knows what was decided since.
        if !inside.is_untold {
            view.notes.extend(followed.clone());
        }
        let now = match &mark.made {
            Some(made) => self.render_as(
                history,
                Some(mark.events),
                mark.events,
                made,
                &inside.within,
                Some(mark.clone()),
            )?,
            None => self.render(history, Some(mark.events))?,
        };
        let found = Differences::between(text, &now.html, &self.said_in_checks(history, mark, &inside));
        let is_of_other_version = is_of_other_version(mark);
        let beside = if !inside.cut.is_empty() {
            cut_off(&mut view, &inside.cut)
        } else if !inside.wrong.is_empty() || !found.record.is_empty() {
            differing(&mut view, mark, &inside.wrong, &found.record, is_of_other_version)
        } else if inside.is_untold {
            untold(&mut view)
        } else {
            let checks = match found.check.is_empty() {
                true => "",
                false => {
                    " Of what it says of checks, which may find something else by now, only the wording was looked at."
                }
            };
            view.notes.push(format!(
                "The report says, word for word, what Gatehouse makes of the record now.{checks} When the report was made, and by whom, it says itself: \
                 the record does not say it."
            ));
            match more > 0 || inside.is_behind {
                true => Beside::Earlier(
                    followed.unwrap_or_else(|| "More has happened in the runs inside since.".to_owned()),
                ),
                false => Beside::Same,
            }
        };
        // Where it was handed over other things are checked than where it was made.
        if !found.check.is_empty() && matches!(self.0.store.excerpt(), Ok(None)) {
            view.notes.push(format!(
                "What it says of checks when it was made, beside checks now and here: {}.",
                Differences::words(&found.check)
            ));
        }
        Ok(Against {
            view,
            is_record_ok,
            beside,
            is_of_other_version,
        })
    }

    /// What a check can have said in a report of these runs.
    fn said_in_checks(&self, history: &History, mark: &Mark, inside: &ToldInside) -> Said {
        let rejected = self.rejected_before(history, None).into_iter();
        let mut said = Said {
            events: inside
                .within
                .iter()
                .map(|one| one.events)
                .chain([mark.events])
                .collect(),
            always: rejected.map(|one| safe::inert(&one).trim().to_owned()).collect(),
            ..Said::default()
        };
        said.take_in(history);
        for read in inside.all.iter().filter_map(|one| one.read.as_ref().ok()) {
            said.take_in(&read.history);
        }
        said
    }

    fn told_inside(&self, history: &History, mark: &Mark) -> ToldInside {
        let all = self.within(history, None, Reach::Now);
        let told = mark.made.as_ref().and_then(|made| made.inside.as_ref());
        let known = told.map(Vec::as_slice).unwrap_or_default();
        let told_of = |one: &Within| events_told(known, &one.run).unwrap_or(0);
        let ends = heard(history, mark.events);
        let reach = Reach::Heard {
            then: written_until(history, mark),
            ends: &ends,
        };
        // Earlier versions told of none.
        let had = match told.is_some() || !is_of_other_version(mark) {
            true => self.within(history, Some(mark.events), reach),
            false => Vec::new(),
        };
        let (mut wrong, mut cut) = (Vec::new(), Vec::new());
        for one in &had {
            let told = told_of(one);
            // How far one was that cannot be read is not known.
            let is_told = match &one.read {
                Ok(_) => told >= one.events,
                Err(_) => told > 0,
            };
            if !is_told {
                wrong.push(left_out(one, told));
            }
        }
        let (mut is_behind, mut since) = (false, Vec::new());
        for one in &all {
            let told = told_of(one);
            if told > one.events {
                cut.push(format!(
                    "The record of a run inside has less than the report was made of: of “{}” the report tells {}, and the record has {}. Compare it \
                     with a copy.",
                    safe::in_quotes(&one.step),
                    count(told as usize, "event", "events"),
                    one.events
                ));
            }
            let had = had.iter().find(|had| had.run == one.run).map_or(0, |had| had.events);
            let before = told.max(had);
            is_behind |= before < one.events;
            let Ok(read) = &one.read else { continue };
            let answers = answered(&read.history, before, one.events);
            since.extend(answers.map(|said| format!("{said}, inside “{}”", safe::visible(&one.step))));
        }
        ToldInside {
            within: match told {
                Some(told) => self.within(history, None, Reach::Told(told)),
                None => Vec::new(),
            },
            // Whoever takes out of a report what it tells of the runs inside has not made it an earlier one that is whole.
            is_untold: told.is_none() && !all.is_empty(),
            all,
            wrong,
            cut,
            is_behind,
            since,
        }
    }
}

/// Of a report that is another one than what is made of the record.
fn differing(
    view: &mut VerifyView,
    mark: &Mark,
    wrong: &[String],
    differences: &[(String, String)],
    is_of_other_version: bool,
) -> Beside {
    let first = Differences::words(&differences[..differences.len().min(FIRST)]);
    // Another version has the same runs inside to tell of.
    let is_doubtful = is_of_other_version && wrong.is_empty();
    let this = env!("CARGO_PKG_VERSION");
    let version = mark
        .made
        .as_ref()
        .map_or("an earlier version", |made| made.version.as_str());
    let version = safe::visible(version);
    let words = match (is_doubtful, wrong.is_empty()) {
        (true, _) => "Whether the report's text is what the record says could not be told.",
        (false, true) => "The report's text is not what the record says.",
        (false, false) => "The report does not tell what the record had when it was made.",
    };
    let mut found: Vec<FindingView> = wrong.iter().map(|message| of_report(REPORT, message.clone())).collect();
    if !differences.is_empty() {
        let (code, why) = match is_of_other_version {
            false => (
                REPORT,
                "The report's text is not what is made of the same events. Somebody changed the file, or what the report tells of the project is \
                 another by now. Rely on the record, not on the report."
                    .to_owned(),
            ),
            true => (
                OTHER_VERSION,
                format!(
                    "The report says that Gatehouse {version} made it, and this is {this}, which may word and draw things otherwise: its text could not be compared word for word."
                ),
            ),
        };
        let message = format!("{why} What differs: {}", Differences::words(differences));
        found.push(of_report(code, message));
    }
    view.speaks_against(is_doubtful, Some(words), found);
    match is_doubtful {
        true => Beside::Doubtful(format!(
            "The report in it is not what this Gatehouse makes of the record, and says that Gatehouse {version} made it, which may word things \
             otherwise: {first}."
        )),
        false if wrong.is_empty() => Beside::Other(format!("The report in it is not what the record says: {first}.")),
        false => Beside::Other(format!("Of the report in it: {}", wrong.join(" "))),
    }
}

/// Of a report that tells more of the runs inside than the record has: whatever else its text says cannot be compared.
fn cut_off(view: &mut VerifyView, cut: &[String]) -> Beside {
    let words = "The record of a run inside has less than the report was made of.";
    let found = cut.iter().map(|message| of_report(REPORT, message.clone()));
    view.speaks_against(false, Some(words), found);
    Beside::Other(cut.join(" "))
}

/// Of a report that does not say of which runs inside it tells.
fn untold(view: &mut VerifyView) -> Beside {
    let what = "It says nothing of the runs inside this one: an earlier version made it, or somebody took that out.";
    let words = "Whether the report tells all that it told when it was made is not known.";
    view.speaks_against(
        true,
        Some(words),
        [of_report(REPORT, format!("{what} Make a new one."))],
    );
    Beside::Doubtful(format!("Of the report in it: {what}"))
}
