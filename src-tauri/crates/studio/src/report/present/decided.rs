//! What people decided: in the run that a report is about, and in the runs inside it.

use super::{Times, tone_class};
use crate::gate::decisions::{self, Signed};
use crate::gate::unasked::{self, Unasked};
use crate::gate::{people, policy};
use crate::run::instances::{self, Unanswered};
use crate::run::{lifecycle, orders};
use crate::text::safe;
use crate::verify::view::VerifyView;
use crate::view::Status;
use crate::words;
use engine::{At, Decision, Event, GateRound, Given, Order, OrderKind, Outcome, Purpose, RunState};
use history::Events;
use model::Workflow;
use serde::Serialize;
use store::Stored;

/// [`decisions::Signatures`], kept with the run that they are of.
pub type Looks<'a> = Box<dyn Fn(&Decision) -> Option<Signed> + 'a>;

/// Looks at the signature under an order to the run; `None`: the event is none, or nobody signed it.
pub type Orders<'a> = Box<dyn Fn(&Stored) -> Option<Signed> + 'a>;

/// A run whose decisions are told.
pub struct Decided<'a> {
    /// The workflow in the version the run kept.
    pub workflow: &'a Workflow,
    /// Its log, as far as it is reported on.
    pub events: Events<'a>,
    /// Its fold.
    pub state: &'a RunState,
    /// Looks at a decision's signature.
    pub signatures: Looks<'a>,
    /// Looks at the signature under an order.
    pub orders: Orders<'a>,
}

/// A run that carries out a step of the one that is reported on, or of another one inside it.
pub struct Inside<'a> {
    /// The step that it carries out, by its name.
    pub step: String,
    /// Of its workflow.
    pub title: String,
    /// Which run.
    pub run: String,
    /// What was decided in it, or why that cannot be read.
    pub decided: Result<Decided<'a>, String>,
    /// What a check of its record found when the report was made.
    pub verified: VerifyView,
}

impl Inside<'_> {
    /// That its workflow had been changed since the run around it was started, where that is so.
    pub fn changed_since(&self) -> Option<String> {
        let created = self.decided.as_ref().ok()?.state.created.as_deref()?;
        created
            .changed_since
            .then(|| lifecycle::changed_since(&self.step, &created.path))
    }
}

#[derive(Serialize)]
pub struct DecisionRow {
    question: String,
    /// What is to be said of who signed.
    remark: String,
    /// `Publish, round 2`.
    place: String,
    /// Why a person was asked.
    why: String,
    /// Of a permission: what the step wanted to do; of a tool its call.
    wants: Vec<String>,
    /// What the answer is on beside files: the arguments of a tool's call, what a step asked to be allowed.
    on: Vec<String>,
    /// The quality standards that the result does not meet, in words; empty: it meets all.
    below: String,
    /// For which role: `asked: legal`.
    asked: String,
    round: u32,
    answer: String,
    tone: &'static str,
    /// Who answered; empty: nobody has.
    by: String,
    /// By which way it was answered: ` on the command line`; empty where nobody has, or that is not known.
    way: &'static str,
    when: String,
    waited: String,
    /// That it came after it was wanted; empty: it did not, or nobody had said by when.
    late: String,
    comment: String,
    signed: String,
    /// Whose key it is, as far as whoever makes the report knows.
    whose: String,
    /// The whole public key.
    key: String,
    /// The files that the question names.
    files: Vec<FileRow>,
    /// What is known of whether anybody looked at them; empty where there are none.
    looked: &'static str,
}

/// That somebody paused the run, let it go on or stopped it, which is a decision although nobody was asked.
#[derive(Serialize)]
pub struct OrderRow {
    /// `The run was paused`.
    what: &'static str,
    tone: &'static str,
    by: String,
    /// By which way it was ordered: ` on the command line`; empty where that is not known.
    way: &'static str,
    when: String,
    reason: String,
    /// Whoever ordered it was asked for a reason.
    asks_why: bool,
    signed: &'static str,
    /// Whose key it is, as far as whoever makes the report knows.
    whose: String,
    /// The whole public key.
    key: String,
    /// What is to be said of who signed.
    remark: String,
}

#[derive(Serialize)]
pub struct FileRow {
    /// `Shown in the window`, `Named, not shown`, or `Named`.
    word: &'static str,
    /// It was not shown to whoever answered.
    only_named: bool,
    /// The file's name as people say it; the run's own folder is left out.
    name: String,
    digest: String,
}

/// What was decided in a run inside.
#[derive(Serialize)]
pub struct InsideRow<'a> {
    step: &'a str,
    title: &'a str,
    run: &'a str,
    decisions: Vec<DecisionRow>,
    /// What somebody ordered it to do.
    orders: Vec<OrderRow>,
    /// The gates that asked nobody.
    unasked: Vec<Unasked>,
    /// Why it cannot be read.
    unread: Option<&'a str>,
    verified: &'a VerifyView,
}

impl InsideRow<'_> {
    /// Whether anybody was asked in it.
    pub fn was_asked(&self) -> bool {
        !self.decisions.is_empty()
    }
}

/// What was decided in the runs inside, of those in which anybody was asked or should have been, or somebody
/// stopped them, and of those that cannot be read.
pub fn inside<'a>(runs: &'a [Inside<'_>], times: Times) -> Vec<InsideRow<'a>> {
    let rows = runs.iter().map(|inside| InsideRow {
        step: &inside.step,
        title: &inside.title,
        run: &inside.run,
        decisions: match &inside.decided {
            Ok(decided) => self::rows(decided, times),
            Err(_) => Vec::new(),
        },
        orders: match &inside.decided {
            Ok(decided) => self::ordered(decided, times),
            Err(_) => Vec::new(),
        },
        unasked: match &inside.decided {
            Ok(decided) => unasked::gates(decided.workflow, decided.state),
            Err(_) => Vec::new(),
        },
        unread: inside.decided.as_ref().err().map(String::as_str),
        verified: &inside.verified,
    });
    let is_told = |row: &InsideRow<'_>| {
        let is_decided = !row.decisions.is_empty() || !row.orders.is_empty();
        row.unread.is_some() || is_decided || !row.unasked.is_empty()
    };
    rows.filter(is_told).collect()
}

/// What people ordered the run to do without being asked, in the order in which they did.
pub fn ordered(m: &Decided<'_>, times: Times) -> Vec<OrderRow> {
    let rows = m.events.iter().filter_map(|e| {
        let (order, given) = Order::of(&e.event)?;
        // Of earlier versions, and where a driver ended it with the run around it, it is told that it was stopped alone: the rest stands in its log.
        let is_told = order.kind == OrderKind::Stop || given.is_some();
        is_told.then(|| order_row(order, given, (m.orders)(e), times.moment(e.at.0)))
    });
    rows.collect()
}

pub fn rows(m: &Decided<'_>, times: Times) -> Vec<DecisionRow> {
    let workflow = m.workflow;
    let run = m
        .state
        .created
        .as_deref()
        .map(|c| c.run_id.to_string())
        .unwrap_or_default();
    let own = format!(".gatehouse/runs/{run}/");
    let mut rounds: Vec<_> = m.state.gates.values().flatten().collect();
    rounds.sort_by_key(|r| r.opened_at);
    let answers = rounds.into_iter().map(|round| {
        let view = decisions::round(workflow, m.state, round, &*m.signatures);
        let tone = view.status.map_or("gate", tone_class);
        let answer = view.words.unwrap_or_else(|| unanswered(m, round));
        let given = round.answer.as_ref().map(|(decision, _)| &**decision);
        let row = DecisionRow {
            question: round.opened.question.clone(),
            remark: view.remark.unwrap_or_default(),
            place: {
                let created = m.state.created.as_deref();
                let step = words::step_in(workflow, created, &round.opened.instance.step).name;
                match view.instance {
                    Some(which) => format!("{step} ({which}), round {}", view.round),
                    None => format!("{step}, round {}", view.round),
                }
            },
            why: why(m, round),
            below: engine::standards::all_words(&round.opened.below),
            wants: wants(&round.opened.purpose),
            on: on(&round.opened.purpose),
            asked: match people::role(&round.opened) {
                Some(role) => format!("asked: {role}"),
                None => "anyone may answer".to_owned(),
            },
            round: view.round,
            answer,
            tone,
            by: view.by.unwrap_or_default(),
            way: given.map_or("", |decision| words::way(&decision.via)),
            when: view.answered_at.map(|at| times.moment(at)).unwrap_or_default(),
            waited: view
                .answered_at
                .map(|at| words::duration(u64::try_from(at - view.opened_at).unwrap_or(0)))
                .unwrap_or_default(),
            late: people::late(m.state, round).unwrap_or_default(),
            comment: view.comment.unwrap_or_default(),
            signed: match (&view.key_short, view.signature_valid) {
                (Some(_), Some(true)) => "signed; the signature holds; key".into(),
                (Some(_), _) => "THE SIGNATURE DOES NOT HOLD; key".into(),
                (None, _) if view.answer.is_none() => String::new(),
                (None, _) if view.via.as_deref() == Some("scenario") => "scripted by a scenario, not signed".into(),
                (None, _) => "NOT SIGNED: nobody can tell who gave this answer".into(),
            },
            whose: view.whose.map(|whose| whose.words).unwrap_or_default(),
            key: round
                .answer
                .as_ref()
                .and_then(|(decision, _)| decision.signature.as_ref())
                .map(|signature| signature.key.clone())
                .unwrap_or_default(),
            looked: match given {
                _ if round.opened.shown.is_empty() => "",
                None => "The question names these files; nobody has answered it, and they count as shown to nobody.",
                Some(decision) => looked(decision),
            },
            files: round
                .opened
                .shown
                .iter()
                .map(|a| FileRow {
                    word: match given {
                        Some(decision) if decisions::is_only_named(decision, &a.digest) => "Named, not shown",
                        Some(decision) => shown(&decision.via),
                        None => "Named",
                    },
                    only_named: given.is_some_and(|decision| decisions::is_only_named(decision, &a.digest)),
                    name: a.path.strip_prefix(&own).unwrap_or(&a.path).to_owned(),
                    digest: a.digest.to_string(),
                })
                .collect(),
        };
        // What nobody has answered stands last.
        let decided = round.answer.as_ref().map(|(_, at)| *at);
        ((decided.is_none(), decided.unwrap_or(round.opened_at)), row)
    });
    let mut rows: Vec<((bool, At), DecisionRow)> = answers.collect();
    rows.sort_by_key(|(when, _)| *when);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// What became of a question that nobody has answered. A run that has gone on since is not over, and one that is over may have gone on first.
fn unanswered(m: &Decided<'_>, round: &GateRound) -> String {
    let (opened, gates) = (&round.opened, &m.state.gates);
    let next = gates.get(&opened.gate).into_iter().flatten();
    let next = next
        .map(|later| later.opened.round)
        .filter(|later| *later > opened.round)
        .min();
    let why = match (instances::unanswered(m.state, round), next) {
        (Some(Unanswered::Waits), _) => return "waits for an answer".to_owned(),
        (_, Some(next)) => return format!("not answered: it was asked again in round {next}"),
        (Some(Unanswered::CutOff), None) => "its branch was cut off",
        (Some(Unanswered::Left), None) => "somebody sent the run to another step",
        (None, None) => "the work went on without it",
        (Some(Unanswered::Ended), None) if is_taken_up_after(m.events, round) => {
            "the run ended, and was taken up again without it"
        }
        (Some(Unanswered::Ended), None) if m.state.status.ended() && m.state.outcome() != Some(Outcome::Done) => {
            "the run is over"
        }
        (Some(Unanswered::Ended), None) => "the run went on without it",
    };
    format!("not answered: {why}")
}

/// Whether the run ended after it had asked this, and was taken up again.
fn is_taken_up_after(events: Events<'_>, round: &GateRound) -> bool {
    let (gate, asked) = (&round.opened.gate, round.opened.round);
    let is_it = |event: &Event| match event {
        Event::GateOpened(opened) => opened.gate == *gate && opened.round == asked,
        _ => false,
    };
    let mut after = events.iter().skip_while(|e| !is_it(&e.event));
    after.any(|e| matches!(e.event, Event::Reopened { .. }))
}

fn order_row(order: Order<'_>, given: Option<&Given>, signed: Option<Signed>, when: String) -> OrderRow {
    let (what, status) = match order.kind {
        OrderKind::Pause => ("The run was paused", Status::Paused),
        OrderKind::Resume => ("The run was resumed", Status::Running),
        OrderKind::TakeUp => ("The run was taken up", Status::Running),
        OrderKind::Stop => ("The run was stopped", Status::Aborted),
    };
    OrderRow {
        what,
        tone: tone_class(status),
        by: safe::visible(order.by),
        way: given.map_or("", |given| words::way(&given.via)),
        when,
        reason: safe::visible_text(order.reason),
        asks_why: order.kind == OrderKind::Stop,
        signed: match &signed {
            Some(Signed { holds: true, .. }) => "signed; the signature holds; key",
            Some(_) => "THE SIGNATURE DOES NOT HOLD; key",
            None => "not signed: the name is what was given",
        },
        whose: signed
            .filter(|signed| signed.holds)
            .map(|signed| signed.whose.words)
            .unwrap_or_default(),
        key: given
            .and_then(|given| given.signature.as_ref())
            .map(|signature| signature.key.clone())
            .unwrap_or_default(),
        remark: orders::for_another(order, given).unwrap_or_default(),
    }
}

/// What an answer given that way says of a file that it is bound to.
fn shown(via: &str) -> &'static str {
    match via {
        "desktop" => "Shown in the window",
        "serve" => "Shown in the browser",
        _ => "Named",
    }
}

/// What is known of whether whoever answered looked at the files.
fn looked(decision: &Decision) -> &'static str {
    match decision.via.as_str() {
        "desktop" | "serve" if !decision.undrawn.is_empty() => {
            "The answer is bound to these files as they were then. The page shows what changed in those that are said to be shown, or all of them; \
             the others it named: it could not show them, or not all of each was on the screen. Nobody can know what was read, there or in a copy."
        }
        "desktop" | "serve" => {
            "The answer is bound to these files as they were then. The page shows what changed in them, or all of them; nobody can know what of it was read."
        }
        "cli" => {
            "Answered on the command line, which names the files and does not show them: nobody can know whether they were opened. The answer is \
             bound to them all the same."
        }
        Decision::YES => {
            "Approved by --yes, which shows nothing to anybody: the answer is bound to these files, and nobody has looked at them for it."
        }
        "scenario" => "The question names these files; a script has answered it, and they were shown to nobody.",
        _ => "The question names these files; whether they were shown is not recorded.",
    }
}

fn why(m: &Decided<'_>, round: &engine::GateRound) -> String {
    let workflow = m.workflow;
    let step = workflow.step(&round.opened.instance.step);
    let rules = engine::GateRules::of(m.state.created.as_deref());
    policy::tool(&round.opened.purpose, step)
        .unwrap_or_else(|| policy::words(&round.opened.why, step, &workflow.id, rules.policy))
}

/// What a step asks to be allowed to do; empty where the question is another one.
fn wants(purpose: &Purpose) -> Vec<String> {
    match purpose {
        Purpose::Permission { needs } => needs.clone(),
        Purpose::Tool { ask } => vec![tool_wanted(ask)],
        _ => Vec::new(),
    }
}

/// What the answer is on beside files: the tool is named by the answer, so that its arguments are left to say.
fn on(purpose: &Purpose) -> Vec<String> {
    match purpose {
        Purpose::Permission { needs } => needs.clone(),
        Purpose::Tool { ask } => in_short(&lifecycle::readable(&ask.args)),
        _ => Vec::new(),
    }
}

/// The first lines of a text, none of them long; all of it stands with the decision in full.
fn in_short(text: &str) -> Vec<String> {
    const LINES: usize = 8;
    const LONG: usize = 120;
    let mut lines: Vec<String> = text.lines().map(|line| safe::shortened(line, LONG)).collect();
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("…".to_owned());
    }
    lines
}

/// `use the tool deploy (high risk) with target: production`
fn tool_wanted(ask: &engine::ToolAsk) -> String {
    let args = lifecycle::readable(&ask.args).replace('\n', ", ");
    let with = if args.is_empty() {
        String::new()
    } else {
        format!(" with {args}")
    };
    format!(
        "use the tool {} ({} risk){with}",
        safe::visible(&ask.tool),
        ask.risk.word()
    )
}
