//! Making and writing reports.

use crate::command::{RunAt, SaveReport};
use crate::report::present;
use crate::report::record::{Made, Mark};
use crate::report::view::{ReportView, SavedView};
use crate::run::history::History;
use crate::saved;
use crate::settings::keys::Keys;
use crate::studio::now;
use crate::text::safe;
use crate::verify::view::VerifyView;
use crate::{ApiError, Client, Studio};
use engine::{At, Decision, Digest, Instance, RunId, RunState};
use model::{Step, Work};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use store::{RunRow, Stored};

impl Studio {
    /// The report of a run as of an event.
    pub(crate) async fn report(&self, of: RunAt) -> Result<ReportView, ApiError> {
        let history = self.history(&of.run_id)?;
        self.render(&history, of.at)
    }

    pub(crate) fn render(&self, history: &History, at: Option<u64>) -> Result<ReportView, ApiError> {
        self.render_in(history, at, self.zone())
    }

    /// The same with its times in a zone.
    pub(crate) fn render_in(
        &self,
        history: &History,
        at: Option<u64>,
        zone: Option<chrono_tz::Tz>,
    ) -> Result<ReportView, ApiError> {
        // Before anything is read: what happens inside meanwhile is later than the report.
        let made_at = now().0;
        let within = match at {
            None => self.within(history, None, Reach::Now),
            // Of a report on what was, what others have decided inside since is no part.
            Some(_) => {
                let until = history.until(at).last().map(|last| last.at).unwrap_or_default();
                self.within(history, at, Reach::Until(until))
            }
        };
        let made = Made {
            at: made_at,
            zone,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            maker: self.0.identity.person().name,
            key: self.0.identity.public(),
            undriven: match at {
                None => self.undriven_now(history, &self.that_wait())?,
                Some(_) => None,
            },
            inside: Some(within.iter().map(Within::told).collect()),
        };
        let mark = Mark::of_run(history, at, self.0.store.register()?);
        let mark = mark.map(|mark| mark.made(made.clone()));
        self.render_as(history, at, history.last(), &made, &within, mark)
    }

    /// A report of the events up to `at`, of so many that there were, and of these runs inside, made like this and with this mark.
    pub(crate) fn render_as(
        &self,
        history: &History,
        at: Option<u64>,
        last: u64,
        made: &Made,
        within: &[Within],
        mark: Option<Mark>,
    ) -> Result<ReportView, ApiError> {
        let state = history.state(at);
        let blobs = |digest: &Digest| self.0.store.blob(digest).ok();
        let on_disk = |path: &str| self.digest_on_disk(path);
        // Of what was handed over the project is not here, and a rehearsal makes nothing there.
        let has_files = !state.is_rehearsal() && matches!(self.0.store.excerpt(), Ok(None));
        let keys = self.0.identity.keys().told_with(&made.key);
        let signatures = |d: &Decision| history.signed(d, &keys);
        let orders = |order: &Stored| history.signed_order(order, &keys);
        let verified = self.checked(history.id(), Ok(history), &keys)?;
        let inside = within.iter().map(|within| {
            let read = within.read.as_ref();
            let verified = self.checked(&within.run, read.map(|read| &*read.history), &keys)?;
            Ok(within.material(&keys, verified))
        });
        let inside: Vec<_> = inside.collect::<Result<_, ApiError>>()?;
        let warning = warning(&verified, &inside);
        let html = present::html(&present::Material {
            document: &history.document,
            events: history.until(at),
            index: &history.index(at),
            state: &state,
            inside: &inside,
            now: At(made.at),
            blobs: &blobs,
            on_disk: match has_files {
                true => Some(&on_disk),
                false => None,
            },
            signatures: &signatures,
            orders: &orders,
            last,
            subject: self.subject_as_of(history.id(), history.until(at).iter()),
            zone: made.zone,
            verified: &verified,
            mark: mark.map(|mark| mark.to_string()),
            maker: &made.maker,
            version: &made.version,
            undriven: made.undriven,
            rejected_before: &self.rejected_before(history, None),
            gone_on_from: &self.gone_on_from(history, &state),
        })?;
        let html = safe::inert(&html);
        Ok(ReportView {
            html,
            title: history
                .created()
                .map(|created| created.title.clone())
                .unwrap_or_default(),
            file_name: format!("{}.html", file_stem(history)),
            rehearsal: history.created().is_some_and(engine::RunCreated::is_rehearsal),
            warning,
        })
    }

    /// A run with the runs inside it, and those that any of them goes on from with what lies inside those, as far as they are here.
    pub(crate) fn with_inside(&self, run: &RunId) -> Result<BTreeSet<RunId>, ApiError> {
        let mut found = BTreeSet::new();
        let mut open = vec![run.clone()];
        while let Some(run) = open.pop() {
            if self.0.store.head(&run)?.is_none() || !found.insert(run.clone()) {
                continue;
            }
            // Of one that cannot be read nothing more is known.
            let Ok(history) = self.history(run.as_str()) else {
                continue;
            };
            let mut earlier = |history: &History| {
                let earlier = history.created().into_iter().flat_map(engine::RunCreated::earlier);
                open.extend(earlier.map(|earlier| earlier.run().clone()));
            };
            earlier(&history);
            for within in self.within(&history, None, Reach::Now) {
                if let Ok(read) = &within.read {
                    earlier(&read.history);
                }
                found.insert(within.run);
            }
        }
        Ok(found)
    }

    /// The runs that carry out the steps of a run as of an event, and of those inside them, each once, as far as is told of them.
    pub(crate) fn within(&self, of: &History, at: Option<u64>, reach: Reach<'_>) -> Vec<Within> {
        // What a log says of the runs around it may be made up.
        let mut seen = BTreeSet::from([of.id().clone()]);
        let mut found = Vec::new();
        self.gather(of, &of.state(at), reach, &mut seen, &mut found);
        found
    }

    /// `seen`: the runs that are told of already, and the one that all are inside of.
    fn gather(
        &self,
        of: &History,
        state: &RunState,
        reach: Reach<'_>,
        seen: &mut BTreeSet<RunId>,
        found: &mut Vec<Within>,
    ) {
        let inside = |step: &&Step| matches!(step.work, Work::SubWorkflow { .. });
        for step in of.workflow().steps().iter().filter(inside) {
            for visit in state.visits_of(&step.id) {
                let reach = reach.inside(&visit.instance);
                let rows = match reach {
                    Reach::Own => self.inner_runs(of, state, visit),
                    _ => self.begun_inside(of, state, visit),
                };
                for row in rows {
                    if seen.contains(&row.run) {
                        continue;
                    }
                    let history = self.history(row.run.as_str());
                    let events = match &history {
                        Ok(history) => reach.events(history),
                        Err(_) => reach.unread(&row),
                    };
                    // Another visit may reach it later than this one.
                    let Some(events) = events else { continue };
                    seen.insert(row.run.clone());
                    let read = history.map(|history| Read {
                        state: history.state(Some(events)),
                        history,
                    });
                    let mut below = Vec::new();
                    if let Ok(read) = &read {
                        self.gather(&read.history, &read.state, reach, seen, &mut below);
                    }
                    found.push(Within {
                        step: step.name.clone(),
                        title: row.title,
                        run: row.run,
                        events,
                        read,
                    });
                    found.append(&mut below);
                }
            }
        }
    }

    /// Writes the report of a run as it is now.
    pub(crate) async fn save_report(&self, of: SaveReport) -> Result<SavedView, ApiError> {
        let history = self.history(&of.run_id)?;
        let report = self.render(&history, None)?;
        let of_own_name = of.to.is_none();
        let to = match of.to {
            // The window asks where in a dialog of the system, which also asks whether to replace a file that is there.
            Some(path) if self.0.client == Client::Desktop => {
                write_report(Path::new(&path), &report.html)?;
                return Ok(SavedView {
                    path,
                    bytes: report.html.len() as u64,
                    warning: report.warning,
                });
            }
            Some(path) => self.among_reports(&path, ".html")?,
            None => self.among_reports(&report.file_name, ".html")?,
        };
        let saved = self.save_new("report", &to, report.html.as_bytes(), of_own_name)?;
        Ok(SavedView {
            warning: report.warning,
            ..saved
        })
    }

    /// The report as HTML written to a file of one's choice, over an older report. Nobody was asked whether anything else may be replaced,
    /// so it stays.
    ///
    /// # Errors
    /// `not_found`, `exists`, `no_folder`, `disk_full`, `io`.
    pub fn write_report(&self, id: &str, to: &Path) -> Result<SavedView, ApiError> {
        let history = self.history(id)?;
        if let Some(there) = other_than_a_report(to) {
            let what = format!("{} is {there}, so that no report was written over it.", to.display());
            return Err(ApiError::new("exists", what).hint("Choose another name, or move what is there away."));
        }
        self.make_folder_of("report", to)?;
        let report = self.render(&history, None)?;
        write_report(to, &report.html)?;
        Ok(SavedView {
            path: to.display().to_string(),
            bytes: report.html.len() as u64,
            warning: report.warning,
        })
    }
}

/// How far a report reaches in the runs inside the one that it is about.
#[derive(Clone, Copy)]
pub(crate) enum Reach<'a> {
    /// To where they are.
    Now,
    /// The same, of those alone that began under the run's own name: not what was done in a run that it goes on from.
    Own,
    /// To where they were then.
    Until(At),
    /// The same, and in those that carry out one of these visits to when the run around them had heard their end.
    Heard { then: At, ends: &'a [(Instance, At)] },
    /// Of these runs alone so many events, as another report did.
    Told(&'a [(String, u64)]),
}

impl Reach<'_> {
    /// In the runs that carry out a visit, and in those inside them.
    fn inside(self, visit: &Instance) -> Self {
        match self {
            Self::Heard { then, ends } => {
                let heard = ends.iter().filter(|(of, _)| of == visit).map(|(_, at)| *at);
                Self::Until(heard.max().unwrap_or_default().max(then))
            }
            Self::Now | Self::Own | Self::Until(_) | Self::Told(_) => self,
        }
    }

    /// How many events of a run; `None`: nothing is told of it.
    fn events(self, of: &History) -> Option<u64> {
        match self {
            Self::Now | Self::Own => Some(of.last()),
            Self::Until(then) | Self::Heard { then, .. } => {
                of.events().iter().rev().find(|e| e.at <= then).map(|e| e.seq)
            }
            Self::Told(runs) => events_told(runs, of.id()).map(|events| events.min(of.last())),
        }
    }

    /// The same of one that cannot be read: how far it was then nobody knows, only whether it had begun.
    fn unread(self, row: &RunRow) -> Option<u64> {
        match self {
            Self::Now | Self::Own => Some(row.seq),
            Self::Until(then) | Self::Heard { then, .. } => (row.created_at <= then).then_some(row.seq),
            Self::Told(runs) => events_told(runs, &row.run),
        }
    }
}

/// Of how many events of a run a report tells.
pub(crate) fn events_told(runs: &[(String, u64)], of: &RunId) -> Option<u64> {
    runs.iter()
        .find(|(run, _)| run == of.as_str())
        .map(|(_, events)| *events)
}

/// A run inside the one that is reported on, as far as the report reaches.
pub(crate) struct Within {
    /// The step that it carries out, by its name.
    pub step: String,
    /// Of its workflow.
    title: String,
    pub run: RunId,
    pub events: u64,
    /// Or why it cannot be read.
    pub read: Result<Read, ApiError>,
}

pub(crate) struct Read {
    pub history: Arc<History>,
    /// As of the last of its events that are told.
    pub state: RunState,
}

impl Within {
    fn told(&self) -> (String, u64) {
        (self.run.to_string(), self.events)
    }

    fn material<'a>(&'a self, keys: &'a Keys, verified: VerifyView) -> present::Inside<'a> {
        let decided = |read: &'a Read| present::Decided {
            workflow: read.history.workflow(),
            events: read.history.until(Some(self.events)),
            state: &read.state,
            signatures: Box::new(|decision| read.history.signed(decision, keys)),
            orders: Box::new(|order| read.history.signed_order(order, keys)),
        };
        present::Inside {
            step: self.step.clone(),
            title: self.title.clone(),
            run: self.run.to_string(),
            decided: self.read.as_ref().map(decided).map_err(|error| error.message.clone()),
            verified,
        }
    }
}

/// What the file of a report is called, without its ending.
pub(crate) fn file_stem(history: &History) -> String {
    let run = history.id().as_str().chars().filter(char::is_ascii_alphanumeric);
    let run: String = run.collect();
    // The end of a version 7 UUID is what tells two runs of one minute apart.
    let tail = &run[run.len().saturating_sub(8)..];
    format!("{}-{tail}", slug(history.workflow().id.as_str()))
}

/// Why nobody is to rely on a run and those inside it. Whose keys signed is no matter of what was written down: the report says it.
fn warning(verified: &VerifyView, inside: &[present::Inside<'_>]) -> Option<String> {
    let is_wrong = |found: &VerifyView| !found.ok && !found.in_doubt;
    let own = is_wrong(verified).then(|| verified.words.clone());
    let inside = inside.iter().filter(|one| is_wrong(&one.verified)).map(|one| {
        format!(
            "Of “{}”, a run inside: {}",
            safe::in_quotes(&one.title),
            one.verified.words
        )
    });
    let said: Vec<String> = own.into_iter().chain(inside).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

fn write_report(to: &Path, html: &str) -> Result<(), ApiError> {
    saved::over("report", to, html.as_bytes())
}

/// What stands in a place that is no report.
fn other_than_a_report(at: &Path) -> Option<&'static str> {
    // Within it stands a line that every report has.
    const HEAD: u64 = 2_000;
    const MARK: &str = "<meta name=\"generator\" content=\"Gatehouse ";
    let found = std::fs::symlink_metadata(at).ok()?;
    if found.is_dir() {
        return Some("a folder");
    }
    if !found.is_file() {
        return Some("no ordinary file");
    }
    let mut head = Vec::new();
    let read = std::fs::File::open(at).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let is_report = read.is_ok() && String::from_utf8_lossy(&head).contains(MARK);
    (found.len() > 0 && !is_report).then_some("a file that is no report")
}

/// A name as part of a file name.
fn slug(name: &str) -> String {
    let slug: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
                c
            } else {
                '-'
            }
        })
        .take(60)
        .collect();
    if slug.is_empty() { "run".into() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of one run inside says nothing of when another one was written.
    #[test]
    fn what_a_run_had_heard_the_end_of_is_told_for_each_visit() {
        let visit = |visit| Instance {
            step: "review".into(),
            visit,
            path: Vec::new(),
        };
        let ends = [(visit(1), At(50)), (visit(1), At(70)), (visit(3), At(5))];
        let reach = Reach::Heard {
            then: At(20),
            ends: &ends,
        };
        let until = |of: u32| match reach.inside(&visit(of)) {
            Reach::Until(at) => at,
            _ => unreachable!("it is until a time"),
        };
        assert_eq!([until(1), until(2), until(3)], [At(70), At(20), At(20)]);
    }
}
