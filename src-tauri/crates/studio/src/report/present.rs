//! The report: one HTML page that needs nothing else. It says what was asked, what was decided by whom, what happened and
//! why, and what it rests on.

mod around;
mod decided;
mod print;

pub use decided::{Decided, Inside};

use crate::evidence::present::{Of, OnDisk};
use crate::gate::view::ArtifactKind;
use crate::gate::{asking, decisions, people, rounds, unasked};
use crate::run::index::Index;
use crate::run::open_work::{LEFT_OFF, OpenWork};
use crate::run::present::Routes;
use crate::run::step::Blobs;
use crate::run::view::StepOverlay;
use crate::run::{self, log, reasons, status, waiting};
use crate::text::{artifact, markdown, safe};
use crate::verify::view::VerifyView;
use crate::view::Status;
use crate::workflow::drawing::Look;
use crate::workflow::prose;
use crate::{ApiError, words, workflow};
use dialect::Document;
use engine::{Answer, At, Choice, EndStatus, EngineKind, Event, RunState};
use history::Events;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, context};
use model::layout::svg::{self, Decorate, EdgeText, NodeText, Tone};
use model::{StepId, Workflow};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use store::Stored;

/// What a report is made from.
pub struct Material<'a> {
    /// The workflow in the version the run kept.
    pub document: &'a Document,
    /// The log, up to the event reported on.
    pub events: Events<'a>,
    /// Its index.
    pub index: &'a Index,
    /// Its fold.
    pub state: &'a RunState,
    /// When the report is made.
    pub now: At,
    /// Blobs.
    pub blobs: Blobs<'a>,
    /// The project's files as they are when the report is made.
    pub on_disk: OnDisk<'a>,
    /// Looks at a decision's signature.
    pub signatures: decisions::Signatures<'a>,
    /// Looks at the signature under an order to the run.
    pub orders: &'a dyn Fn(&Stored) -> Option<decisions::Signed>,
    /// The runs inside it, in the order of its steps.
    pub inside: &'a [Inside<'a>],
    /// Last event of the whole log.
    pub last: u64,
    /// What the run is about.
    pub subject: Option<String>,
    /// Where the report's readers are; absent: UTC.
    pub zone: Option<chrono_tz::Tz>,
    /// What a check of the record found when the report was made.
    pub verified: &'a VerifyView,
    /// Who makes the report; empty: nobody has given a name.
    pub maker: &'a str,
    /// Of Gatehouse.
    pub version: &'a str,
    /// Where it stands, when nobody carries it on.
    pub undriven: Option<status::Undriven>,
    /// What was rejected in the runs that it goes on from, which it has not in its log.
    pub rejected_before: &'a [String],
    /// The runs that go on from it.
    pub gone_on_from: &'a [String],
    /// What it is made of, to be held against the record later.
    pub mark: Option<String>,
}

#[derive(Serialize)]
struct RouteRow {
    /// Of a decision; empty where a run ended or was gone on with without one.
    number: String,
    #[serde(skip)]
    seq: u64,
    when: String,
    from: String,
    to: String,
    why: String,
    source: String,
    alternatives: Vec<(String, String)>,
}

#[derive(Serialize)]
struct StepRow {
    title: String,
    intent: String,
    /// The same as HTML, of a workflow that is written as a document.
    prose: Option<String>,
    status: &'static str,
    words: String,
    visits: Vec<VisitRow>,
}

#[derive(Serialize)]
struct VisitRow {
    title: String,
    when: String,
    took: String,
    engine: String,
    /// What each of several agents came to.
    each: Vec<String>,
    /// A command of several lines, as it ran.
    command: String,
    error: String,
    said: String,
    report: Vec<(String, String)>,
    comments: Vec<String>,
    around: Vec<around::Line>,
    made: Vec<MadeRow>,
}

#[derive(Serialize)]
struct MadeRow {
    path: String,
    /// No step of this run made it: it was there before.
    was_there: bool,
    bytes: u64,
    digest: String,
    html: Option<String>,
    /// What of it is not drawn.
    remark: Option<&'static str>,
    /// Why nothing of it stands here.
    not_shown: Option<String>,
}

/// Height of a piece of the picture, as a part of its width: small, so that little of a sheet stays empty where a piece goes to the
/// next one. Pieces on one sheet lie close together and are one picture.
const PIECE: f64 = 0.4;

/// Longest content of an artifact inside a report, in bytes of HTML.
const LONGEST: usize = 200_000;

/// What the picture is to fit into, px: somewhat more than the width of a printed A4 page between its margins, where it is scaled down
/// a little. It is as high as it needs to be: it is cut between rows.
const PAGE: (f64, f64) = (760.0, 1e6);

/// The page.
///
/// # Errors
/// `internal` when the template cannot be rendered.
pub fn html(m: &Material<'_>) -> Result<String, ApiError> {
    let workflow = m.document.workflow();
    let created = m.state.created.as_deref();
    let rules = engine::GateRules::of(created);
    let drawn = workflow::drawing::picture(workflow, &[], rules, &Look::within(PAGE.0, PAGE.1));
    let drawn = run::present::with_sent(workflow, Arc::new(drawn), m.index);
    let routes = Routes {
        workflow,
        drawn: &drawn,
        events: m.events,
        index: m.index,
        state: m.state,
    };
    let routes = routes.after(0);
    let drawing = &drawn.drawing;
    let now = m.state.ended_at.or(m.state.moved_at).unwrap_or(m.now).0;
    let overlays = run::present::edges(workflow, &drawn, m.index, m.state, 0, None);
    let inside_states = m.inside.iter().filter_map(|one| Some(one.decided.as_ref().ok()?.state));
    let inside_states: Vec<&RunState> = inside_states.collect();
    let open = Open {
        undriven: m.undriven,
        // Of a moment that is past it is not told who was asked then.
        waiting: match m.state.seq == m.last {
            true => waiting::only_at(m.state, &waiting::waiting_visits(m.state, &inside_states)),
            false => BTreeSet::new(),
        },
    };
    let painted = Painted::new((workflow, m.state, &open), &overlays, drawing, now);
    let pictures = svg::pieces(drawing, &painted, &print::pieces(drawing, drawing.width * PIECE));
    let times = Times(m.zone.unwrap_or(chrono_tz::UTC));
    let decided = Decided {
        workflow,
        events: m.events,
        state: m.state,
        signatures: Box::new(m.signatures),
        orders: Box::new(m.orders),
    };
    let decisions = decided::rows(&decided, times);
    let orders = decided::ordered(&decided, times);
    let inside = decided::inside(m.inside, times);
    let of = Of {
        workflow,
        state: m.state,
        now: m.now.0,
        on_disk: m.on_disk,
    };
    let evidence = around::evidence(&of, m.blobs, &|at| times.moment(at));
    let rehearsed = run::present::rehearsed(workflow, m.state);
    let steps: Vec<StepRow> = workflow
        .steps()
        .iter()
        .map(|step| {
            step_row(
                m,
                step,
                (&open, inside_states.as_slice()),
                rehearsed.as_deref(),
                (now, times),
            )
        })
        .collect();
    let decided = routes.into_iter().map(|r| RouteRow {
        number: r.number.to_string(),
        seq: r.seq,
        when: times.clock(r.at),
        from: r.from.name,
        to: r.to.map_or_else(|| "the end".into(), |t| t.name),
        why: r.why,
        source: r.source_words,
        alternatives: r
            .alternatives
            .into_iter()
            .map(|a| (a.to.map_or_else(|| "the end".into(), |t| t.name), a.why_not))
            .collect(),
    });
    let mut routes: Vec<RouteRow> = decided.chain(turns(workflow, m.events, times)).collect();
    routes.sort_by_key(|row| row.seq);
    let mut begun = run::instances::Times::of(m.state);
    let log: Vec<(u64, String, String)> = m
        .events
        .iter()
        .enumerate()
        .filter(|(_, e)| !matches!(e.event, Event::Output { .. }))
        .map(|(i, e)| {
            (
                e.seq,
                times.clock(e.at.0),
                log::line(workflow, m.events.prefix(i), log::nth(&mut begun, &e.event), e)
                    + &answered_what(m.events.prefix(i), &e.event),
            )
        })
        .collect();
    let status = status::run_status(m.state);
    let undriven = m.undriven.filter(|_| status == Status::Running);
    let status = undriven.map_or(status, status::Undriven::status);
    // What was taken in has no step of its own: its document tells all that there is.
    let session = created
        .filter(|created| created.imported.is_some())
        .and_then(|created| crate::session::present::read(&created.path, m.document.text()).ok());
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("css", |text: String| print::css(&text));
    environment.add_filter("parts", |text: String| print::parts(&text));
    environment
        .add_template("report", include_str!("report.html.j2"))
        .map_err(|e| ApiError::new("internal", format!("The report's template is broken: {e}.")))?;
    let page = environment.get_template("report").and_then(|t| {
        t.render(context! {
            title => match created.filter(|created| created.imported.is_some()) {
                Some(created) => created.title.clone(),
                None => workflow.title.clone(),
            },
            description => workflow.description.as_deref().map(|text| match workflow.contract().prose {
                model::Prose::Markdown => markdown::plain(text),
                model::Prose::Plain => text.to_owned(),
            }),
            message => status::message(m.state),
            subject => m.subject.clone(),
            remarks => {
                let differing = m.index.differing.iter();
                // A document is the same for everybody, and is made of the record of its run.
                let told = people::of_run(workflow, m.state, people::Reader::default(), &[]);
                let mut remarks = told.warnings;
                remarks.extend(run::lifecycle::deviations(workflow, m.state, m.events, differing));
                remarks.extend(run::lifecycle::without_files(workflow, m.state, None));
                remarks.extend(m.inside.iter().filter_map(Inside::changed_since));
                remarks.extend(unasked::remarks(workflow, m.state));
                remarks.extend(words::another_logs(m.events, m.index.other_logs.iter()));
                if m.state.status.ended() {
                    let unmet = reasons::unmet(workflow, m.state).into_iter();
                    remarks.extend(unmet.map(|unmet| unmet.words));
                }
                remarks.extend(told.notes);
                remarks
            },
            before_this => m.rejected_before.to_vec(),
            after_this => m.gone_on_from.to_vec(),
            run => created.map(|c| c.run_id.to_string()),
            path => created.map(|c| c.path.clone()),
            source_digest => created.map(|c| c.source.to_string()),
            source => m.document.text(),
            by => created.map(|c| c.by.clone()).filter(|b| !b.is_empty()),
            initiator => created.map(|c| c.initiator.clone()),
            scenario => created.and_then(|c| c.scenario.as_ref()).map(|s| s.name.clone()),
            status => run::status::word(status),
            tone => tone_class(status),
            refusal => Serde(&status::outcome(workflow, m.state)),
            error => m.state.error.as_deref().map(|error| match status::stopped_by(error) {
                Some(who) => format!("by {who}"),
                None => error.to_owned(),
            }),
            started => m.state.created_at.map(|t| times.moment(t.0)),
            ended => m.state.ended_at.map(|t| times.moment(t.0)),
            // What was taken in from elsewhere took no time here.
            took => {
                let began = m.state.created_at.filter(|_| status != Status::Imported);
                began.map(|began| words::duration(At(now).since_ms(began)))
            },
            waited => run::work::waited(m.state, &inside_states),
            made => times.moment(m.now.0),
            partial => m.state.seq < m.last,
            events => m.state.seq,
            head => m.events.last().map(|e| hex::encode(e.hash)),
            executed => rounds_done(m.state),
            version => m.version,
            zone => times.0.name(),
            pictures,
            feedback => crate::run::feedback::all(workflow, m.state),
            verified => Serde(m.verified),
            maker => m.maker,
            mark => m.mark.clone(),
            mark_name => crate::report::record::NAME,
            rehearsal => created.is_some_and(engine::RunCreated::is_rehearsal),
            begins => created.and_then(|created| status::begins(created, workflow)),
            continues => created.and_then(|created| Some(status::continues(created.continues.as_deref()?).words)),
            imported => created.and_then(|created| Some(status::imported(created.imported.as_deref()?))),
            session => Serde(&session),
            only_read => created
                .and_then(|created| created.only_read.as_deref())
                .filter(|what| !what.is_empty())
                .map(|what| safe::visible(&what.join(", "))),
            outcome => match undriven {
                Some(left) => left.words(Some((workflow, m.state))),
                None => status::run_status_words(workflow, m.state),
            },
            before => m.state.refused_before().map(|before| {
                let words = status::refused(workflow, &before).words;
                format!("Resumed after it was {}", status::sentence(&words))
            }),
            decisions => Serde(&decisions),
            orders => Serde(&orders),
            unasked => Serde(&unasked::gates(workflow, m.state)),
            asked_inside => inside.iter().any(decided::InsideRow::was_asked),
            inside => Serde(&inside),
            evidence => Serde(&evidence),
            inputs => words::entered(workflow, m.state.created.as_deref()),
            routes => Serde(&routes),
            steps => Serde(&steps),
            log => Serde(&log),
        })
    });
    page.map_err(|e| ApiError::new("internal", format!("The report could not be rendered: {e:#}.")))
}

/// What an answer is about; its words alone say only how it was answered.
fn answered_what(before: Events<'_>, event: &Event) -> String {
    let Event::GateAnswered(decision) = event else {
        return String::new();
    };
    asking::asked_before(before, decision).map_or_else(String::new, |opened| {
        let round = match opened.round {
            1 => String::new(),
            round => format!(", round {round}"),
        };
        format!(" (asked: “{}”{round})", safe::visible(&opened.question))
    })
}

/// How many rounds of steps have begun, and how many of them have come to their end without a failure.
fn rounds_done(state: &RunState) -> String {
    let visits = state.steps.values().flat_map(|step| &step.visits);
    let completed = visits.filter(|visit| {
        let last = visit.attempts.last().and_then(|attempt| attempt.result.as_deref());
        last.is_some_and(|result| result.status.completes())
    });
    let rehearsed = state.is_rehearsal();
    let (count, what) = (completed.count(), if rehearsed { " in the rehearsal" } else { "" });
    format!("{} begun{what}, {count} completed", state.executed)
}

/// What a run's course follows from besides the decisions about ways: that it ended badly, and that somebody went on with it.
fn turns(workflow: &Workflow, events: Events<'_>, times: Times) -> Vec<RouteRow> {
    let (mut last, mut failed): (Option<&StepId>, Option<&StepId>) = (None, None);
    // Of a pipeline: what comes after it in the log was left out because of it.
    let mut rejected: Option<&StepId> = None;
    // Of such an end its decision tells.
    let mut led_to_end = false;
    let mut rows = Vec::new();
    for (i, e) in events.iter().enumerate() {
        let name = |step: Option<&StepId>| step.map_or_else(String::new, |step| words::step_ref(workflow, step).name);
        let ends = match &e.event {
            Event::Routed(route) => {
                led_to_end = route.to.is_none();
                None
            }
            Event::RunCompleted(end) if end.status != EndStatus::Succeeded && !led_to_end => {
                let (from, source) = match end.status {
                    EndStatus::Aborted => (last, reasons::PERSON),
                    _ if log::refused(workflow, events.prefix(i), &e.event).is_some() => {
                        (rejected.or(last), reasons::PERSON)
                    }
                    EndStatus::CompletedWithFailures => (failed.or(last), "some of its work failed"),
                    _ => (failed.or(last), "the run could not go on"),
                };
                Some((name(from), "the end".to_owned(), source))
            }
            Event::Reopened { choices, at, reset, .. } => {
                (failed, rejected, led_to_end) = (None, None, false);
                let to = at.as_ref().map(|place| &place.step);
                let first = choices.keys().find(|step| choices[*step] == Choice::Retry);
                Some((
                    "the end".to_owned(),
                    name(to.or(first).or(reset.first())),
                    reasons::PERSON,
                ))
            }
            Event::AttemptStarted(_) | Event::FlowEnded(_) | Event::BranchEnded(_) => {
                led_to_end = false;
                None
            }
            Event::Settled(settled) if settled.rejected => {
                rejected = Some(&settled.step);
                None
            }
            Event::AttemptEnded { instance, result, .. } => {
                failed = match result.status.completes() {
                    true => failed.filter(|step| **step != instance.step),
                    false => Some(&instance.step),
                };
                None
            }
            _ => None,
        };
        last = log::kind(&e.event).1.or(last);
        rows.extend(ends.map(|(from, to, source)| RouteRow {
            number: String::new(),
            seq: e.seq,
            when: times.clock(e.at.0),
            from,
            to,
            // None of these begins the work of a step.
            why: log::words(workflow, events.prefix(i), 0, &e.event),
            source: source.to_owned(),
            alternatives: Vec::new(),
        }));
    }
    rows
}

fn step_row(
    m: &Material<'_>,
    step: &model::Step,
    (open, inside): (&Open, &[&RunState]),
    rehearsed: Option<&[bool]>,
    (now, times): (i64, Times),
) -> StepRow {
    let overlay = run::present::overlay(m.document.workflow(), m.state, step, &[], rehearsed, now);
    let overlay = open.stands(overlay);
    let mut rows = Vec::new();
    let mut before: Option<At> = None;
    for visit in m.state.visits_of(&step.id) {
        let began = visit.attempts.first().map(|first| first.started_at);
        let sent = began.and_then(|began| rounds::sent_to(m.state, &step.id, before, began));
        // What was asked for is handed to the step, and stands among what it was told.
        let rejected = sent.filter(|sent| sent.answer.as_ref().is_some_and(|(d, _)| d.answer == Answer::Reject));
        let rejected = rejected.and_then(|sent| rounds::sent_words(sent, ""));
        before = began.or(before);
        let answered_no = run::instances::answered_no(m.state, step, visit).map(words::answered_no);
        for attempt in &visit.attempts {
            let result = attempt.result.as_deref();
            let mut title = words::nth_time(run::instances::times(m.state, &visit.instance));
            if attempt.started.attempt > 1 {
                title.push_str(&format!(", attempt {}", attempt.started.attempt));
            }
            let engine = &attempt.started.engine;
            rows.push(VisitRow {
                title,
                when: times.clock(run::work::began(m.state, attempt).0),
                took: run::work::took(m.state, attempt)
                    .map(|took| {
                        // Of several attempts nothing tells in which of them a run inside waited.
                        let waited = (visit.attempts.len() == 1)
                            .then(|| run::work::waited_inside(m.state, &visit.instance, inside, took))
                            .flatten();
                        let waited = waited.map(|waited| format!(", {waited}"));
                        words::duration(took) + &waited.unwrap_or_default()
                    })
                    .unwrap_or_default(),
                engine: match engine.command.trim_end().contains('\n') && engine.engine != EngineKind::Runbook {
                    true => "a command of several lines".to_owned(),
                    false => words::carried_out_by(engine),
                },
                each: result
                    .map(|result| run::crew::parts(m.events, &attempt.started, result))
                    .unwrap_or_default()
                    .into_iter()
                    .map(|part| part.words)
                    .collect(),
                command: match engine.engine {
                    EngineKind::Runbook => String::new(),
                    _ => Some(safe::visible_text(engine.command.trim_end()))
                        .filter(|command| command.contains('\n'))
                        .unwrap_or_default(),
                },
                // Of a tool that was held back its own line tells.
                error: result
                    .filter(|r| {
                        let around = r.lifecycle.as_deref();
                        !around.is_some_and(|around| around.calls.iter().any(engine::ToolRecord::waits))
                    })
                    .and_then(|r| r.error.clone())
                    .or_else(|| attempt.interrupted.clone())
                    .filter(|_| answered_no.is_none())
                    .unwrap_or_default(),
                said: answered_no
                    .clone()
                    .or_else(|| result.map(|r| safe::visible_text(r.output.trim_start())))
                    .unwrap_or_default(),
                report: result
                    .map(|r| {
                        let told = words::reported(&r.report).into_iter();
                        told.map(|field| (field.name, field.value)).collect()
                    })
                    .unwrap_or_default(),
                comments: {
                    let asked = attempt.started.comments.iter();
                    let asked = asked.map(|comment| format!("Asked to change: {comment}"));
                    rejected.iter().cloned().chain(asked).collect()
                },
                around: attempt
                    .around()
                    .map(|lifecycle| {
                        let made = result.map_or(&[][..], |r| r.artifacts.as_slice());
                        around::lines(m.state, &visit.instance, lifecycle, made)
                    })
                    .unwrap_or_default(),
                made: result
                    .map(|r| {
                        r.artifacts
                            .iter()
                            .map(|a| {
                                let view = artifact::view(a, m.blobs, None, false);
                                let is_long = view.html.as_ref().is_some_and(|html| html.len() > LONGEST);
                                let why = match view.kind {
                                    ArtifactKind::Pdf => {
                                        Some("This is a PDF document: a report names it and does not draw it.")
                                    }
                                    ArtifactKind::Picture => {
                                        Some("This is a picture: a report names it and does not draw it.")
                                    }
                                    _ => is_long.then_some("This file is too long for a report."),
                                };
                                MadeRow {
                                    not_shown: view.not_shown.or(why.map(str::to_owned)),
                                    path: safe::visible(&view.path),
                                    was_there: view.was_there,
                                    bytes: view.bytes,
                                    digest: view.digest,
                                    remark: (view.kind == ArtifactKind::Word && !is_long).then_some(
                                        "This is a Word document, as its words: layout, fonts and pictures are not drawn.",
                                    ),
                                    html: view.html.filter(|h| h.len() <= LONGEST).map(|h| print::headings(&h, 5)),
                                }
                            })
                            .collect()
                    })
                    .unwrap_or_default(),
            });
        }
    }
    let (workflow, created) = (m.document.workflow(), m.state.created.as_deref());
    StepRow {
        title: words::numbered(&engine::gate::as_asked(workflow, created, step)),
        intent: engine::gate::filled(workflow, created, step.intent.as_deref().unwrap_or_default()),
        prose: prose::intent_html(m.document.workflow(), step).map(|html| print::headings(&html, 4)),
        status: tone_class(overlay.status),
        words: overlay.words,
        visits: rows,
    }
}

/// How what has begun and not ended stands beyond what the log says.
struct Open {
    undriven: Option<status::Undriven>,
    /// Steps of which all that is at work are runs inside that wait for people.
    waiting: BTreeSet<StepId>,
}

impl Open {
    /// How a step stands: where the run was left open it is not at work, nor where a run inside waits for people.
    fn stands(&self, overlay: StepOverlay) -> StepOverlay {
        if !OpenWork::concerns(overlay.status) {
            return overlay;
        }
        let (status, words) = match self.undriven {
            Some(status::Undriven::LeftOpen) => (Status::LeftOpen, LEFT_OFF),
            _ if self.waiting.iter().any(|step| step.as_str() == overlay.id) => (Status::Blocked, status::WAITS),
            _ => return overlay,
        };
        StepOverlay {
            status,
            words: words.to_owned(),
            ..overlay
        }
    }
}

/// Times as the report's readers have them.
#[derive(Clone, Copy)]
struct Times(chrono_tz::Tz);

impl Times {
    fn local(self, at: i64) -> Option<chrono::DateTime<chrono_tz::Tz>> {
        chrono::DateTime::from_timestamp_millis(at).map(|t| t.with_timezone(&self.0))
    }

    /// `21 Nov 2026, 10:20:33`: a document is read on other days.
    fn clock(self, at: i64) -> String {
        self.local(at)
            .map(|t| t.format("%-d %b %Y, %H:%M:%S").to_string())
            .unwrap_or_default()
    }

    /// `21 November 2026, 10:20:33 CET`
    fn moment(self, at: i64) -> String {
        self.local(at)
            .map(|t| t.format("%-d %B %Y, %H:%M:%S %Z").to_string())
            .unwrap_or_default()
    }
}

fn tone_class(status: Status) -> &'static str {
    match status {
        Status::NotStarted | Status::Imported => "pending",
        Status::Running => "running",
        Status::Queued | Status::Waiting | Status::Paused | Status::LeftOpen => "waiting",
        Status::Blocked => "gate",
        Status::Done => "done",
        Status::Failed | Status::Partly | Status::Refused | Status::Stopped | Status::Aborted => "failed",
        Status::Skipped => "skipped",
    }
}

/// The run painted onto the drawing.
struct Painted {
    title: String,
    nodes: HashMap<String, NodeText>,
    edges: HashMap<String, EdgeText>,
}

impl Painted {
    fn new(
        (workflow, state, open): (&Workflow, &RunState, &Open),
        overlays: &[crate::run::view::EdgeOverlay],
        drawing: &model::layout::Drawing,
        now: i64,
    ) -> Self {
        let rehearsed = run::present::rehearsed(workflow, state);
        let nodes = workflow
            .steps()
            .iter()
            .zip(&drawing.nodes)
            .map(|(step, node)| {
                let overlay = run::present::overlay(workflow, state, step, &[], rehearsed.as_deref(), now);
                let overlay = open.stands(overlay);
                let tone = match overlay.status {
                    Status::NotStarted | Status::Imported => Tone::Pending,
                    Status::Running => Tone::Running,
                    Status::Queued | Status::Waiting | Status::Paused | Status::LeftOpen => Tone::Waiting,
                    Status::Blocked => Tone::Gate,
                    Status::Done => Tone::Done,
                    Status::Failed | Status::Partly | Status::Refused | Status::Stopped | Status::Aborted => {
                        Tone::Failed
                    }
                    Status::Skipped => Tone::Skipped,
                };
                (
                    node.id.clone(),
                    NodeText {
                        title: words::numbered(step),
                        sub: overlay.words,
                        tone,
                    },
                )
            })
            .collect();
        let edges = overlays
            .iter()
            .map(|overlay| {
                let numbers: Vec<String> = overlay.taken.iter().map(ToString::to_string).collect();
                let drawn = drawing.edges.iter().find(|edge| edge.id == overlay.id);
                // Of a retry the author's word stands before how often it was taken.
                let word = drawn
                    .and_then(|edge| edge.label.as_deref())
                    .and_then(|label| label.split_once('↻'))
                    .map_or("", |(word, _)| word);
                let label = overlay.loop_badge.as_ref().map(|badge| format!("{word}↻ {badge}"));
                (
                    overlay.id.clone(),
                    EdgeText {
                        label,
                        dim: numbers.is_empty(),
                        numbers: numbers.join(", "),
                    },
                )
            })
            .collect();
        Self {
            title: format!("What happened in “{}”", workflow.title),
            nodes,
            edges,
        }
    }
}

impl Decorate for Painted {
    fn node(&self, id: &str) -> NodeText {
        self.nodes.get(id).cloned().unwrap_or_default()
    }
    fn edge(&self, id: &str) -> EdgeText {
        self.edges.get(id).cloned().unwrap_or_default()
    }
    fn title(&self) -> String {
        self.title.clone()
    }
}
