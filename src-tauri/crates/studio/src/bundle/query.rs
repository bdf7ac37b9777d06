//! Making a bundle, checking one and unpacking it.

use crate::bundle::archive::{self, NotTaken, Taken};
use crate::bundle::view::{BundleCheckView, BundleContents, BundleFile, BundleList, BundleView, UnpackedView};
use crate::command::{BundleAt, Nothing, RunAt, SaveReport, UnpackBundle};
use crate::new_file;
use crate::report::query;
use crate::report::view::SavedView;
use crate::run::history::History;
use crate::run::status;
use crate::saved;
use crate::text::safe;
use crate::verify::against::{Against, Beside, of_report};
use crate::verify::view::{FindingView, VerifyView};
use crate::words::{self, count};
use crate::{ApiError, Client, Identity, Studio};
use engine::{Artifact, Digest, Event, RunCreated, RunId};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};
use store::below::{Folder, Kind};
use store::{Excerpt, RunFilter, Store, private};

/// So often a copy is begun anew because a run has begun inside meanwhile.
const ROUNDS: usize = 10;

/// So many ZIP files of the project are offered: the latest.
const MOST_LISTED: usize = 50;

/// The longest one that is read back, and so much of a line of it is told.
const LARGEST_README: u64 = 64 << 10;
const LONGEST_LINE: usize = 160;

/// What somebody reads who opens the archive and knows nothing of Gatehouse.
fn readme(history: &History) -> String {
    let title = history.created().map(|created| safe::in_quotes(&created.title));
    format!(
        "\
Run {run} of “{title}”, handed over with the record that shows it.

report.html            What was done and decided, by whom and on what. Open it in a browser; it loads nothing from anywhere.
.gatehouse/history.db  The record itself: every event of the run and of those that belong to it, and the files that these name (SQLite).
.gatehouse/runs/       The same as files, a folder for each run: steps, decisions, evidence, what was made.

A name that begins with a dot is hidden by some programs. Whose the keys are with which people signed is not proved here: compare their
fingerprints with those people.

To check that nothing was changed, give the ZIP file to Gatehouse: `gatehouse verify FILE.zip`, or “Check a bundle” among the runs in its
window. To replay the run, unpack the file and open the folder with Gatehouse. Nothing of it is executed, and nothing is recorded in it.

Without Gatehouse: each row of the table `events` has as its `hash` the SHA-256 of three things, one behind the other: the `hash` of the row
before it of the same `run_id`, its `seq` as eight bytes with the highest first, and its `body`. Before the first row stands the SHA-256 of the text
“gatehouse-run-v1:” and the run's id. An answer is signed with Ed25519; its signature and key stand in the body of its event.
",
        run = history.id(),
        title = title.unwrap_or_default(),
    )
}

/// The code of a text that is not the one that a bundle is handed over with.
const README_CHANGED: &str = "readme";
/// The code of a report that tells of less than is handed over with it.
const EARLIER_REPORT: &str = "report_earlier";

/// The codes of a report that is not there or is none: nothing can be held against the record.
const NO_REPORT: [&str; 2] = ["unreadable", "no_report"];

/// The run that is handed over, checked with the texts of the bundle.
struct Own {
    check: BundleCheckView,
    /// Nothing was found of the record itself, whatever is wrong with the texts.
    is_record_ok: bool,
    /// The report was there to be held against the record.
    has_report: bool,
    /// Another version is said to have made it.
    is_of_other_version: bool,
    /// What is to be said of the texts first, a sentence each.
    texts: Vec<String>,
}

/// What tells the versions of the files of a run apart.
fn version(made: &Artifact) -> (&str, &Digest) {
    (made.path.as_str(), &made.digest)
}

/// The versions of files that an event tells of: those that a step made, and those that a person was shown of these files (`paths`). What else people
/// were shown is no earlier version of anything.
fn versions<'a>(event: &'a Event, paths: &BTreeSet<&str>) -> Vec<&'a Artifact> {
    match event {
        Event::AttemptEnded { result, .. } => {
            let of_agents = result.agents.iter().flat_map(|one| &one.result.artifacts);
            result.artifacts.iter().chain(of_agents).collect()
        }
        Event::GateOpened(opened) => {
            let shown = opened.shown.iter();
            shown.filter(|made| paths.contains(made.path.as_str())).collect()
        }
        _ => Vec::new(),
    }
}

/// What checking a bundle came to.
struct Verdict<'a> {
    title: &'a str,
    rehearsal: bool,
    stands: &'a str,
    /// How many runs are not as written down, of how many.
    wrong: usize,
    all: usize,
    in_doubt: bool,
    /// What is to be said of its report and of README.txt, a sentence each; none: they are what they were when it was handed over.
    texts: &'a [String],
    /// Why the report was not held against the record, word for word; absent: it was.
    not_compared: Option<&'a str>,
    /// What the archive holds that nobody handed over.
    added: &'a [String],
}

impl Verdict<'_> {
    /// First whether it can be relied on; last how the run stands, which may end with what somebody said.
    fn words(&self) -> String {
        let is_whole = self.wrong == 0 && self.texts.is_empty();
        let first = self.first();
        let records = match self.all {
            1 => "its record".to_owned(),
            n => format!(
                "the records of it and of {} around, inside or before it",
                count(n - 1, "run", "runs")
            ),
        };
        let checked = match self.not_compared {
            None => format!("Its report and {records} were checked."),
            Some(why) => format!(
                "Of it {records} {} checked, but not its report word for word: {why}.",
                if self.all == 1 { "was" } else { "were" }
            ),
        };
        let signed = match is_whole {
            true => " Whose keys signed is not proved by this: compare their fingerprints with those people.",
            false => "",
        };
        format!(
            "{first} {checked}{signed} The run is of “{}”{}. How it stands: {}",
            self.title,
            match self.rehearsal {
                true => ", and a rehearsal, in which nothing happened for real",
                false => "",
            },
            status::sentence(self.stands)
        )
    }

    fn first(&self) -> String {
        let texts = self.texts.join(" ");
        let runs = match (self.wrong, self.all) {
            (0, _) => String::new(),
            (_, 1) => "The run in it is not as it was written down; what is wrong is said with the run.".to_owned(),
            (wrong, all) => format!(
                "{wrong} of {all} runs in it {} not as written down; what is wrong is said with the run.",
                if wrong == 1 { "is" } else { "are" }
            ),
        };
        match (texts.is_empty(), self.wrong, self.in_doubt) {
            (true, 0, _) if !self.added.is_empty() => format!(
                "Unchanged, but something was added that no Gatehouse puts there (not opened): {}.",
                words::some_of(self.added)
            ),
            (true, 0, _) => "Unchanged since it was handed over.".to_owned(),
            (true, _, true) => {
                "In doubt, but not changed: what was recorded is whole, and what is in doubt is said with the run."
                    .to_owned()
            }
            (false, _, true) => format!("In doubt. {texts} What was recorded is whole."),
            (false, 0, false) => format!("Changed: do not rely on it. {texts}"),
            (true, _, false) => format!("Changed: do not rely on it. {runs}"),
            (false, _, false) => format!("Changed: do not rely on it. {texts} {runs}"),
        }
    }
}

impl Studio {
    /// Hands a run over: writes it with its report, and with the runs around it, inside it and before it, into one file.
    pub(crate) async fn save_bundle(&self, of: SaveReport) -> Result<SavedView, ApiError> {
        let history = self.history(&of.run_id)?;
        let name = format!("{}.zip", query::file_stem(&history));
        let (to, replaces) = match of.to {
            // The window asks where in a dialog of the system, which also asks whether to replace a file that is there.
            Some(path) if self.0.client == Client::Desktop => (PathBuf::from(path), true),
            Some(path) => (self.among_reports(&path, ".zip")?, false),
            None => (saved::free(&self.among_reports(&name, ".zip")?)?, false),
        };
        self.pack(&history, &to, replaces)
    }

    /// What handing a run over would put into the file: whoever gets it gets all of that.
    pub(crate) fn bundle_contents(&self, of: RunAt) -> Result<BundleContents, ApiError> {
        let history = self.history(&of.run_id)?;
        let mut contents = BundleContents::default();
        for run in self.connected(history.id())? {
            contents.runs += 1;
            // What cannot be read is handed over as well, and counted by nobody.
            let Ok(history) = self.history(run.as_str()) else {
                continue;
            };
            if let Some(said) = self.altered_words(&history) {
                contents.warning.get_or_insert(said);
            }
            contents.events += history.last();
            let state = history.state(None);
            let last_made = || state.artifacts().into_iter().map(|(_, made)| made);
            let latest: BTreeSet<(&str, &Digest)> = last_made().map(version).collect();
            let paths: BTreeSet<&str> = latest.iter().map(|(path, _)| *path).collect();
            // The record keeps every version that a step made or that somebody was shown, whatever became of the file.
            let kept: BTreeMap<(&str, &Digest), u64> = history
                .events()
                .iter()
                .flat_map(|stored| versions(&stored.event, &paths))
                .chain(last_made())
                .map(|made| (version(made), made.bytes))
                .collect();
            contents.files += latest.len() as u64;
            contents.earlier += kept.keys().filter(|version| !latest.contains(*version)).count() as u64;
            contents.bytes += kept.values().sum::<u64>();
        }
        Ok(contents)
    }

    /// The ZIP files in the project's folder of reports: handed over from here, or put there to be checked. A browser has no other way to a file
    /// of this computer.
    pub(crate) fn bundle_list(&self, _: Nothing) -> Result<BundleList, ApiError> {
        let unreadable = |error: io::Error| {
            ApiError::new("io", format!("The folder reports cannot be read: {error}.")).hint("Check its permissions.")
        };
        let root = Folder::open(self.root()).map_err(unreadable)?;
        // What a link leads to is none of the project's.
        if root.kind("reports").map_err(unreadable)? != Some(Kind::Folder) {
            return Ok(BundleList { files: Vec::new() });
        }
        let folder = root.enter("reports").map_err(unreadable)?;
        let entries = folder.entries().map_err(unreadable)?;
        let packed = entries.into_iter().filter_map(|(name, kind)| {
            let shown = name.to_string_lossy().into_owned();
            if kind != Kind::File || !shown.to_lowercase().ends_with(".zip") {
                return None;
            }
            let there = folder.file(&name).ok()?.metadata().ok()?;
            let file = BundleFile {
                path: self.root().join("reports").join(&name).display().to_string(),
                bytes: there.len(),
                name: shown,
            };
            Some((there.modified().ok(), file))
        });
        let mut found: Vec<_> = packed.collect();
        found.sort_by(|(one, _), (other, _)| other.cmp(one));
        found.truncate(MOST_LISTED);
        let files = found.into_iter().map(|(_, file)| file).collect();
        Ok(BundleList { files })
    }

    /// The same, into a file of one's choice that is not there yet.
    ///
    /// # Errors
    /// `not_found`, `exists`, `disk_full`, `io`; what the store reports.
    pub fn write_bundle(&self, id: &str, to: &Path) -> Result<SavedView, ApiError> {
        let history = self.history(id)?;
        self.pack(&history, to, false)
    }

    fn pack(&self, history: &History, to: &Path, replaces: bool) -> Result<SavedView, ApiError> {
        let failed = |error: std::io::Error| saved::failed("bundle", to, &error);
        if !replaces && to.symlink_metadata().is_ok() {
            return Err(saved::taken(to));
        }
        if !self.is_report(to) {
            self.make_folder_of("bundle", to)?;
        }
        let work = runtime::desk::of_bundle("bundle-").map_err(failed)?;
        private::make_folder(&work.path().join(".gatehouse")).map_err(failed)?;
        let excerpt = self.take_excerpt(history.id(), &work.path().join(".gatehouse").join("history.db"))?;
        // The files of the runs and the report are made of what was handed over, so that they fit it whatever became of them here, and whatever
        // happens here meanwhile.
        let copy = Self::open_as(work.path(), self.0.client, self.0.identity.clone())?;
        for run in &excerpt.runs {
            let Ok(history) = copy.history(run.as_str()) else {
                continue;
            };
            copy.0.store.write_run_dir(run, &history.facts())?;
            copy.0.store.put_back_made(run, &history.state(None))?;
        }
        let copied = copy.history(history.id().as_str())?;
        let report = copy.render_in(&copied, None, self.zone())?;
        std::fs::write(work.path().join(archive::REPORT), &report.html).map_err(failed)?;
        std::fs::write(work.path().join(archive::README), readme(&copied)).map_err(failed)?;
        drop((copied, copy));
        // It is packed where no step can reach it, so that it is known what is handed over.
        let mut packed = tempfile::tempfile_in(work.path()).map_err(failed)?;
        archive::write(work.path(), &query::file_stem(history), &mut packed).map_err(failed)?;
        packed.rewind().map_err(failed)?;
        let digest = store::digest_of_all(&packed).map_err(failed)?;
        packed.rewind().map_err(failed)?;
        let bytes = packed.metadata().map_err(failed)?.len();
        let done = match self.is_report(to) && !replaces {
            true => self.put_report(to, |file| io::copy(&mut packed, file).map(drop)),
            // Where a person has chosen to have it.
            false => put(to, &mut packed, replaces),
        };
        done.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => saved::taken(to),
            _ => failed(error),
        })?;
        self.remember_saved(to, digest);
        Ok(SavedView {
            path: to.display().to_string(),
            bytes,
            warning: report.warning,
        })
    }

    /// Copies a run with those that belong to it into a history of its own.
    fn take_excerpt(&self, run: &RunId, to: &Path) -> Result<Excerpt, ApiError> {
        for _ in 0..ROUNDS {
            let runs = self.connected(run)?;
            if !runs.contains(run) {
                let what = format!("The list of runs has lost run {run}, so it was not handed over.");
                return Err(ApiError::new("unlisted", what)
                    .hint(format!("Write the list anew, then repeat it: gatehouse rebuild {run}")));
            }
            let excerpt = Excerpt {
                run: run.clone(),
                driven: self.driven(&runs)?,
                runs,
            };
            let copied = self.0.store.take_excerpt(&excerpt, to);
            copied.map_err(|error| not_copied(run, error))?;
            // One may have begun inside it before the copy was made, and one may have been taken up or let go.
            if self.connected(run)? == excerpt.runs && self.driven(&excerpt.runs)? == excerpt.driven {
                return Ok(excerpt);
            }
            std::fs::remove_file(to).map_err(|error| saved::failed("bundle", to, &error))?;
        }
        let what = format!("Runs inside run {run} begin faster than they can be copied, so it was not handed over.");
        Err(ApiError::new("busy", what).hint("Pause the run, or wait until it has ended, and repeat it."))
    }

    /// Those of some runs that somebody is carrying on.
    fn driven(&self, runs: &BTreeSet<RunId>) -> Result<BTreeSet<RunId>, ApiError> {
        let mut driven = BTreeSet::new();
        for run in runs {
            if let Ok(history) = self.history(run.as_str())
                && self.goes_on(&history)?
            {
                driven.insert(run.clone());
            }
        }
        Ok(driven)
    }

    /// A run with those that belong to it, as far as they are here: see [`Studio::with_inside`], and the runs around it with those that they go on
    /// from. What else lies inside those is no part of it.
    fn connected(&self, run: &RunId) -> Result<BTreeSet<RunId>, ApiError> {
        let mut found = self.with_inside(run)?;
        for around in self.around(run)? {
            let history = self.history(around.as_str()).ok();
            let created = history.as_ref().and_then(|history| history.created());
            let earlier = created.into_iter().flat_map(RunCreated::earlier);
            let earlier: Vec<RunId> = earlier.map(|earlier| earlier.run().clone()).collect();
            for run in earlier.into_iter().chain([around]) {
                if self.0.store.head(&run)?.is_some() {
                    found.insert(run);
                }
            }
        }
        Ok(found)
    }

    /// Checks a bundle that somebody handed over.
    pub(crate) async fn check_bundle(&self, of: BundleAt) -> Result<BundleView, ApiError> {
        Self::verify_bundle(Path::new(&of.path), self.0.client, self.0.identity.clone())
    }

    /// Checks a bundle: the record of each run in it, the files of the runs, and its report. Nothing is executed or kept. `identity`: whose
    /// knowledge of keys counts.
    ///
    /// # Errors
    /// `no_bundle`; `damaged` where the archive itself is not whole; what the store reports of a history that it cannot read. Whatever else is
    /// damaged is no error: it is what is looked for.
    pub fn verify_bundle(path: &Path, client: Client, identity: Identity) -> Result<BundleView, ApiError> {
        let folder = runtime::desk::of_bundle("check-").map_err(|error| not_unpacked(path, &error.to_string()))?;
        let read = archive::read(path, folder.path()).map_err(|why| not_taken(path, why))?;
        // Whoever reads it knows the archive, not where it was unpacked for a moment.
        let told = |mut error: ApiError| -> ApiError {
            if let Ok(place) = folder.path().canonicalize() {
                error.message = error.message.replace(&format!("{}/", place.display()), "");
            }
            error.message = format!("Of the bundle {}: {}", path.display(), error.message);
            error
        };
        let studio = Self::open_as(folder.path(), client, identity).map_err(told)?;
        let excerpt = studio.0.store.excerpt().map_err(|error| told(error.into()))?;
        let excerpt = excerpt.ok_or_else(|| no_bundle(path, NOT_MADE_FOR_IT))?;
        studio.bundle_view(&excerpt, folder.path(), read).map_err(told)
    }

    fn bundle_view(&self, excerpt: &Excerpt, folder: &Path, read: Taken) -> Result<BundleView, ApiError> {
        let listed = self.0.store.runs(&RunFilter::default())?;
        let mut strange = read.strange;
        let known = |run: &String| excerpt.runs.iter().any(|known| known.as_str() == run);
        strange.extend(
            read.runs
                .into_iter()
                .filter(|run| !known(run))
                .map(|run| format!("the files of a run {}", safe::visible(&run))),
        );
        let others = listed
            .into_iter()
            .map(|row| row.run)
            .chain(excerpt.runs.iter().cloned());
        let others: BTreeSet<RunId> = others.filter(|run| *run != excerpt.run).collect();
        strange.extend(self.0.store.not_handed_over()?);
        let mut own = self.check_with_report(&excerpt.run, folder);
        let history = self.history(excerpt.run.as_str());
        if let Ok(history) = &history
            && let Some(message) = readme_changed(history, folder, own.is_of_other_version)
        {
            let found = FindingView {
                code: README_CHANGED.into(),
                place: archive::README.into(),
                message: message.clone(),
            };
            own.check
                .verified
                .speaks_against(own.is_of_other_version, None, [found]);
            own.texts.push(message);
        }
        let mut checks = vec![own.check];
        checks.extend(others.iter().map(|run| self.check_run(run)));
        // Of what is unchanged the first sentence names them.
        if !strange.is_empty() && checks.iter().any(|check| !check.verified.ok) {
            checks[0].verified.notes.push(format!(
                "The archive also holds what no Gatehouse puts there; it was not opened: {}.",
                words::some_of(&strange)
            ));
        }
        if !read.alike.is_empty() {
            checks[0].verified.notes.push(format!(
                "Of names in the archive only capital letters tell others apart, so that on some computers one file takes the place of another: {}.",
                words::some_of(&read.alike)
            ));
        }
        let stands = match &history {
            Ok(history) => self.stands(history, &self.that_wait())?.1,
            Err(_) => "its record cannot be read".to_owned(),
        };
        let created = history.as_ref().ok().and_then(|history| history.created());
        let ok = checks.iter().all(|check| check.verified.ok);
        let in_doubt = !ok && checks.iter().all(|check| check.verified.ok || check.verified.in_doubt);
        // What is wrong with the texts alone is no matter of what was recorded.
        let others = checks.iter().skip(1).map(|check| check.verified.ok);
        let wrong = std::iter::once(own.is_record_ok).chain(others).filter(|ok| !ok);
        let (wrong, all) = (wrong.count(), checks.len());
        let title = checks[0].title.clone();
        let rehearsal = created.is_some_and(RunCreated::is_rehearsal);
        let words = Verdict {
            title: &title,
            rehearsal,
            stands: &stands,
            wrong,
            all,
            in_doubt,
            texts: &own.texts,
            not_compared: if !own.has_report {
                Some("it is not there, or is none")
            } else if own.is_of_other_version && !own.texts.is_empty() {
                Some("another version of Gatehouse is said to have made that")
            } else {
                None
            },
            added: &strange,
        }
        .words();
        let stands = match rehearsal {
            true => format!("a rehearsal, in which nothing happened for real: {stands}"),
            false => stands,
        };
        Ok(BundleView {
            ok,
            in_doubt,
            added: strange,
            words,
            run_id: excerpt.run.to_string(),
            title,
            stands,
            rehearsal,
            checks,
        })
    }

    /// Of the run that is handed over, with its report.
    fn check_with_report(&self, run: &RunId, folder: &Path) -> Own {
        let held = self.held_against(run.as_str(), &folder.join(archive::REPORT));
        let is_of_other_version = held.as_ref().is_ok_and(|held| held.is_of_other_version);
        let mut is_record_ok = held.as_ref().is_ok_and(|held| held.is_record_ok);
        let (mut has_report, mut texts) = (true, Vec::new());
        let verified = held.map(|held| {
            let Against { mut view, beside, .. } = held;
            match beside {
                Beside::Same => {}
                Beside::Doubtful(what) | Beside::Other(what) => texts.push(what),
                // Whoever hands a run over hands over the report of all that is in it.
                Beside::Earlier(what) => {
                    let message =
                        format!("The report in it is an earlier one of this run, which somebody put there: {what}");
                    let words = "The report does not tell all that is in the record.";
                    view.speaks_against(false, Some(words), [of_report(EARLIER_REPORT, message.clone())]);
                    texts.push(message);
                }
            }
            view
        });
        let verified = verified.or_else(|mut error| {
            error.message = error.message.replace(&format!("{}/", folder.display()), "");
            if !NO_REPORT.contains(&error.code.as_str()) {
                return Err(error);
            }
            // Without its report the run is what it is.
            let mut view = self.verify(RunAt::live(run.as_str()))?;
            (is_record_ok, has_report) = (view.ok, false);
            let words = "There is no report that could be held against the record.";
            let found = of_report(&error.code, error.message.clone());
            view.speaks_against(false, Some(words), [found]);
            texts.push(error.message);
            Ok(view)
        });
        Own {
            check: self.check_view(run, verified),
            is_record_ok,
            has_report,
            is_of_other_version,
            texts,
        }
    }

    /// Of another run in it.
    fn check_run(&self, run: &RunId) -> BundleCheckView {
        self.check_view(run, self.verify(RunAt::live(run.as_str())))
    }

    fn check_view(&self, run: &RunId, verified: Result<VerifyView, ApiError>) -> BundleCheckView {
        let title = self.history(run.as_str()).ok();
        let title = title.and_then(|history| Some(history.created()?.title.clone()));
        BundleCheckView {
            run_id: run.to_string(),
            title: title.map_or_else(|| run.to_string(), |title| safe::visible(&title)),
            verified: verified.unwrap_or_else(|error| VerifyView {
                ok: false,
                in_doubt: false,
                words: "It could not be checked.".into(),
                events: 0,
                blobs: 0,
                files: 0,
                signatures: 0,
                findings: vec![FindingView {
                    code: error.code,
                    place: "bundle".into(),
                    message: error.message,
                }],
                notes: Vec::new(),
            }),
        }
    }

    /// Unpacks a bundle into a new folder, in which its runs can be looked at and replayed.
    pub(crate) async fn unpack_bundle(&self, of: UnpackBundle) -> Result<UnpackedView, ApiError> {
        if !matches!(self.0.client, Client::Desktop | Client::Test) {
            return Err(ApiError::new(
                "window_only",
                "A bundle is unpacked in the window, or with any program for ZIP files.",
            ));
        }
        let path = Path::new(&of.path);
        let into = Path::new(&of.into);
        let failed = |error: &dyn std::fmt::Display| {
            ApiError::new(
                "io",
                format!("{} was not unpacked into {}: {error}.", path.display(), into.display()),
            )
            .hint("Choose another folder.")
        };
        let beside = tempfile::Builder::new()
            .prefix(".gatehouse-")
            .tempdir_in(into)
            .map_err(|e| failed(&e))?;
        let read = archive::read(path, beside.path()).map_err(|why| not_taken(path, why))?;
        if Store::open_read_only(beside.path())
            .and_then(|store| store.excerpt())?
            .is_none()
        {
            return Err(no_bundle(path, NOT_MADE_FOR_IT));
        }
        let folder = into.join(&read.name);
        if folder.symlink_metadata().is_ok() {
            return Err(
                ApiError::new("exists", format!("There is a folder {} already.", folder.display()))
                    .hint("Choose another place, or open that folder."),
            );
        }
        std::fs::rename(beside.path(), &folder).map_err(|e| failed(&e))?;
        Ok(UnpackedView {
            folder: folder.display().to_string(),
        })
    }
}

/// Writes what was packed where a person has chosen to have it, whole or not at all. `replaces`: over what is there, too.
fn put(to: &Path, packed: &mut File, replaces: bool) -> io::Result<()> {
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = new_file::beside(folder)?;
    io::copy(packed, file.as_file_mut())?;
    file.as_file().sync_all()?;
    match replaces {
        true => file.persist(to).map(drop).map_err(|error| error.error),
        false => new_file::keep(file, to),
    }
}

/// Why a run was not copied into a history of its own.
fn not_copied(run: &RunId, error: store::Error) -> ApiError {
    let store::Error::ReadOnly { path } = error else {
        return error.into();
    };
    let what = format!(
        "{} is of an earlier version, which kept no register of the project's runs: whoever got run {run} could not tell whether others were taken \
         away, so it was not handed over.",
        path.display()
    );
    ApiError::new("read_only", what).hint(
        "Give yourself write permission for the folder, or copy the project to a folder of your own, and open it there once: that makes the register.",
    )
}

/// Why a project that somebody packed is none.
const NOT_MADE_FOR_IT: &str = "its history was not made to be handed over";

/// What is to be said of README.txt in a bundle; `None`: it is the text that a bundle is handed over with, byte for byte.
fn readme_changed(history: &History, folder: &Path, is_of_other_version: bool) -> Option<String> {
    let Ok(told) = store::regular::read(&folder.join(archive::README), LARGEST_README) else {
        return Some("README.txt, with which every bundle is handed over, is not in it or cannot be read.".to_owned());
    };
    let written = readme(history);
    if told == written.as_bytes() {
        return None;
    }
    let told = String::from_utf8_lossy(&told);
    let is_other = |line: &&str| !line.trim().is_empty() && !written.lines().any(|known| known == *line);
    let says = match told.lines().find(is_other) {
        Some(line) => format!(
            "it says “{}”",
            safe::in_quotes(&safe::shortened(line.trim(), LONGEST_LINE))
        ),
        None => "something was taken out of it, or moved".to_owned(),
    };
    let who = match is_of_other_version {
        true => "this Gatehouse writes; another version may have written it",
        false => "Gatehouse writes",
    };
    Some(format!(
        "The text README.txt in the archive is not the one that {who}: {says}."
    ))
}

fn not_taken(path: &Path, why: NotTaken) -> ApiError {
    match why {
        NotTaken::Other(why) => no_bundle(path, &why),
        NotTaken::Failed(why) => not_unpacked(path, &why),
        NotTaken::Damaged(why) => ApiError::new(
            "damaged",
            format!(
                "{} is damaged, or was changed since it was handed over: do not rely on it. What is wrong with it: {why}.",
                path.display()
            ),
        )
        .hint("Ask whoever handed it over for it again."),
    }
}

fn not_unpacked(path: &Path, why: &str) -> ApiError {
    ApiError::new(
        "io",
        format!("{} could not be unpacked to be checked: {why}.", path.display()),
    )
    .hint("Free some space on the disk of your home folder.")
}

fn no_bundle(path: &Path, why: &str) -> ApiError {
    ApiError::new("no_bundle", format!("{} is no bundle of a run: {why}.", path.display()))
        .hint("Give the ZIP file that `gatehouse bundle` or the window's “Hand over” has written.")
}

#[cfg(test)]
mod tests {
    use super::Verdict;

    /// Whoever reads no further than the first sentence knows whether to rely on it.
    #[test]
    fn the_verdict_on_a_bundle_comes_first_and_what_somebody_said_last() {
        let of = |texts: &[String], added: &[String], wrong, all, in_doubt| {
            Verdict {
                title: "Review a supplier contract",
                rehearsal: true,
                stands: "rejected by Ada Lund: Our partner is the GmbH.",
                wrong,
                all,
                in_doubt,
                texts,
                not_compared: None,
                added,
            }
            .words()
        };
        let words = |wrong, all, in_doubt| of(&[], &[], wrong, all, in_doubt);
        assert_eq!(
            words(0, 1, false),
            "Unchanged since it was handed over. Its report and its record were checked. Whose keys signed is not proved by this: compare their \
             fingerprints with those people. The run is of “Review a supplier contract”, and a rehearsal, in which nothing happened for real. How it \
             stands: rejected by Ada Lund: Our partner is the GmbH."
        );
        assert!(
            words(1, 1, false).starts_with("Changed: do not rely on it. The run in it is not as it was written down;")
        );
        assert!(
            words(1, 2, false).starts_with("Changed: do not rely on it. 1 of 2 runs in it is not as written down;")
        );
        assert!(words(1, 1, true).starts_with("In doubt, but not changed: "));
        let added = ["a/evil.txt".to_owned(), "b.txt".to_owned()];
        assert!(of(&[], &added, 0, 1, false).starts_with(
            "Unchanged, but something was added that no Gatehouse puts there (not opened): a/evil.txt, b.txt. "
        ));
        let report = ["The report in it is an earlier one.".to_owned()];
        let missing = Verdict {
            title: "Review a supplier contract",
            rehearsal: false,
            stands: "approved",
            wrong: 0,
            all: 1,
            in_doubt: false,
            texts: &["The report report.html cannot be read.".to_owned()],
            not_compared: Some("it is not there, or is none"),
            added: &[],
        };
        assert!(missing.words().starts_with(
            "Changed: do not rely on it. The report report.html cannot be read. Of it its record was checked, but not its report word for word: it \
             is not there, or is none."
        ));
        assert!(
            of(&report, &added, 0, 1, false).starts_with(
                "Changed: do not rely on it. The report in it is an earlier one. Its report and its record"
            )
        );
        assert!(
            of(&report, &[], 1, 1, false)
                .starts_with("Changed: do not rely on it. The report in it is an earlier one. The run in it is not as")
        );
        assert!(
            of(&report, &[], 0, 1, true)
                .starts_with("In doubt. The report in it is an earlier one. What was recorded is whole.")
        );
    }
}
