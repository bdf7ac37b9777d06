//! The visits of two runs in pairs. A visit is its step, which instance of it and which time: whatever else went on beside it, and in what
//! order, it is the same visit in both. One at which a person refused what the step wanted to do is no time: it is paired with such a one alone.

use crate::gate::{asking, decisions};
use crate::run::compare_view::{
    Apart, ComparedFile, ComparedInside, ComparedRow, ComparedVisit, ComparedWay, MadeView, ValuesView,
};
use crate::run::history::History;
use crate::run::index::Index;
use crate::run::instances::{self, Times, Unanswered};
use crate::run::present::{self, Routes};
use crate::run::{status, step, work};
use crate::settings::keys::Keys;
use crate::text::safe;
use crate::view::Status;
use crate::words;
use crate::workflow::drawing::Drawn;
use engine::{
    At, AttemptState, Continued, Decision, GateRound, Instance, ModelName, RunCreated, RunId, RunState, StepResult,
    Visit,
};
use model::{AgentKey, Fields, GateAt, StepId};
use runtime::inside::RUNS;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use store::RunRow;

/// Which time of its step a visit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Turn {
    time: u32,
    /// Of a visit at which a person refused what the step wanted to do: which of those before this time it is.
    refused: Option<u32>,
}

/// The turns of visits; of one step they are counted in their order.
fn turns(state: &RunState, visits: &[Instance]) -> HashMap<Instance, Turn> {
    let mut in_order: Vec<&Instance> = visits.iter().collect();
    in_order.sort_unstable();
    let mut times = Times::of(state);
    let mut refusals: HashMap<(&StepId, &[u32], u32), u32> = HashMap::new();
    let mut found = HashMap::with_capacity(visits.len());
    for at in in_order {
        let time = times.nth(at);
        let refused = times.is_refused(at).then(|| {
            let count = refusals.entry((&at.step, at.path.as_slice(), time)).or_default();
            *count += 1;
            *count
        });
        found.insert(at.clone(), Turn { time, refused });
    }
    found
}

/// One of two runs, as it stands now.
pub struct Side<'a> {
    history: &'a History,
    state: RunState,
    index: Index,
    drawn: Arc<Drawn>,
    keys: &'a Keys,
    /// Everything that was begun or asked about, in order.
    order: Vec<Instance>,
    /// Which time of its step each is.
    turns: HashMap<Instance, Turn>,
    /// What people were asked about each.
    rounds: HashMap<Instance, Vec<GateRound>>,
    /// The runs that carried out each.
    inside: HashMap<Instance, Vec<RunRow>>,
}

impl<'a> Side<'a> {
    /// `inside_of`: the runs that carry out a visit.
    pub fn new(
        history: &'a History,
        drawn: Arc<Drawn>,
        keys: &'a Keys,
        inside_of: &dyn Fn(&Visit, &RunState) -> Vec<RunRow>,
    ) -> Self {
        let state = history.state(None);
        let mut rounds: HashMap<Instance, Vec<GateRound>> = HashMap::new();
        for round in state.gates.values().flatten() {
            rounds
                .entry(round.opened.instance.clone())
                .or_default()
                .push(round.clone());
        }
        for of_one in rounds.values_mut() {
            of_one.sort_by_key(|round| round.opened_at);
        }
        let mut began: HashMap<Instance, (At, u32)> = HashMap::new();
        let mut inside = HashMap::new();
        for visit in state.visits() {
            let at = visit.attempts.first().map(|first| work::began(&state, first));
            let at = at.or(state.last_at);
            began.insert(visit.instance.clone(), (at.unwrap_or_default(), visit.number));
            let runs = inside_of(visit, &state);
            if !runs.is_empty() {
                inside.insert(visit.instance.clone(), runs);
            }
        }
        // Where a person is asked before the work the run has come to it with the question, whether the work began or not.
        for (instance, of_one) in &rounds {
            let asked = of_one.first().map(|round| round.opened_at).unwrap_or_default();
            let (at, _) = began.entry(instance.clone()).or_insert((asked, u32::MAX));
            *at = asked.min(*at);
        }
        let mut order: Vec<Instance> = began.keys().cloned().collect();
        order.sort_by_key(|instance| (began[instance], instance.clone()));
        Self {
            index: history.index(None),
            turns: turns(&state, &order),
            order,
            rounds,
            inside,
            state,
            history,
            drawn,
            keys,
        }
    }

    fn visit(&self, at: &Instance) -> Option<&Visit> {
        self.state.visit(at)
    }

    fn inside(&self, at: &Instance) -> &[RunRow] {
        self.inside.get(at).map_or(&[], Vec::as_slice)
    }

    fn rounds(&self, at: &Instance) -> &[GateRound] {
        self.rounds.get(at).map_or(&[], Vec::as_slice)
    }

    /// What people were asked, when, and who.
    fn asked<'r>(&self, round: &'r GateRound) -> (String, GateAt, &'r [AgentKey]) {
        let opened = &round.opened;
        (self.unnamed(&opened.question), opened.at, opened.asks.as_slice())
    }

    /// Whose work its last attempt was, and which model answered; `None`: it was not begun.
    fn doer(&self, at: &Instance) -> Option<(&[AgentKey], Option<&ModelName>)> {
        let last = self.visit(at)?.attempts.last()?;
        let model = last.result.as_deref().and_then(|result| result.answered.as_ref());
        Some((last.started.agents.as_slice(), model))
    }

    /// What came of its last attempt.
    fn result(&self, at: &Instance) -> Option<&StepResult> {
        self.visit(at)?.attempts.last()?.result.as_deref()
    }

    /// What a visit came to, as the step's own page tells it.
    fn came_to(&self, at: &Instance) -> (Status, String) {
        let plain = |status: Status| (status, status::word(status).to_owned());
        let unanswered = self.unanswered(at);
        let Some(visit) = self.visit(at) else {
            let answered = self.rounds(at).last().and_then(|round| round.answer.as_ref());
            let not_taken = answered.and_then(|(decision, _)| words::not_taken(decision));
            let refused = not_taken.map(|words| (Status::Refused, words));
            return unanswered.or(refused).unwrap_or_else(|| plain(Status::NotStarted));
        };
        if let Some(refused) = step::refused(&self.state, visit) {
            return (refused.status, refused.words);
        }
        if self.answered_no(at) {
            return (Status::Done, "answered NO".to_owned());
        }
        // Its work may be done: what comes of it a person was to say.
        if let Some(unanswered) = unanswered {
            return unanswered;
        }
        match visit.attempts.last() {
            None => plain(Status::Queued),
            Some(attempt) => match step::attempt_status(&self.state, attempt, at) {
                Status::Aborted => (Status::Aborted, "cut off".to_owned()),
                status => plain(status),
            },
        }
    }

    /// What a visit came to about which nobody has answered what was asked last.
    fn unanswered(&self, at: &Instance) -> Option<(Status, String)> {
        let words = match instances::unanswered(&self.state, self.rounds(at).last()?)? {
            Unanswered::Waits => return Some((Status::Blocked, status::word(Status::Blocked).to_owned())),
            Unanswered::CutOff => "cut off without an answer",
            Unanswered::Left => "left without an answer",
            Unanswered::Ended => "nobody answered",
        };
        let status = match self.visit(at) {
            Some(_) => Status::Aborted,
            None => Status::NotStarted,
        };
        Some((status, words.to_owned()))
    }

    /// The run, and those whose events its log begins with: what they recorded names theirs.
    fn names(&self) -> impl Iterator<Item = &RunId> {
        let earlier = self.history.created().into_iter().flat_map(RunCreated::earlier);
        std::iter::once(self.history.id()).chain(earlier.map(Continued::run))
    }

    /// A text with the run's own id left out: each run has its own, and it tells nothing apart.
    fn unnamed(&self, text: &str) -> String {
        self.names()
            .fold(text.to_owned(), |text, id| text.replace(id.as_str(), ""))
    }

    /// A file as its author would name it. The folder of a pipeline's outputs has the pipeline's id, and each pipeline has one run.
    fn written(&self, path: &str) -> String {
        let path = self
            .names()
            .fold(path.to_owned(), |path, id| runtime::project::as_written(&path, id));
        let mut parts: Vec<&str> = path.split('/').collect();
        if self.history.workflow().contract().state_in_file && path.starts_with("pipelines/outputs/") && parts.len() > 3
        {
            parts[2] = "…";
        }
        parts.join("/")
    }

    fn answered_no(&self, at: &Instance) -> bool {
        let step = self.history.workflow().step(&at.step);
        let visit = step.zip(self.visit(at));
        let rounds = self.rounds(at);
        visit.is_some_and(|(step, visit)| instances::answered_no_in(&self.state, step, visit, rounds).is_some())
    }

    /// Which instance of its step it is and which time, where it is among those of the run.
    fn turn<'i>(&self, step: &'i StepId, at: &'i Instance) -> Option<(&'i StepId, &'i [u32], Turn)> {
        Some((step, at.path.as_slice(), *self.turns.get(at)?))
    }

    /// Which instance of its step, and which time it was done: `2 · 1, 2nd time`; `refused` where it was not.
    fn which(&self, at: &Instance) -> Option<String> {
        let time = match self.turns.get(at)? {
            Turn { refused: Some(_), .. } => Some("refused".to_owned()),
            Turn { time: 0 | 1, .. } => None,
            Turn { time, .. } => Some(words::nth_time(*time)),
        };
        let which: Vec<String> = asking::instance(&at.path).into_iter().chain(time).collect();
        (!which.is_empty()).then(|| which.join(", "))
    }

    /// What was reported last.
    fn reported(&self, at: &Instance) -> Fields {
        let mut report = self.result(at).map(|result| result.report.clone()).unwrap_or_default();
        if let Some(runs) = report.get_mut(RUNS) {
            *runs = without_ids(runs);
        }
        report
    }

    /// What its attempts made, by the name that an author has for it: the latest version of each.
    fn made(&self, at: &Instance) -> BTreeMap<String, MadeView> {
        let attempts = self.visit(at).into_iter().flat_map(|visit| &visit.attempts);
        let results = attempts.filter_map(|attempt| attempt.result.as_deref());
        let made = results
            .flat_map(|result| &result.artifacts)
            .filter(|made| !made.was_there);
        made.map(|made| {
            let name = self.written(&made.path);
            let view = MadeView {
                path: made.path.clone(),
                digest: made.digest.to_string(),
            };
            (safe::visible(&name), view)
        })
        .collect()
    }

    /// `apart`: what is not the same in the other run. Of what is the same nothing is told twice: the way and the decisions stand only where
    /// they are not.
    fn told(&self, at: &Instance, apart: &[Apart]) -> ComparedVisit {
        let alone = apart.contains(&Apart::OnlyLeft) || apart.contains(&Apart::OnlyRight);
        let is_told = |what| alone || apart.contains(&what);
        let (status, words) = self.came_to(at);
        let attempts = self.visit(at).map_or(&[][..], |visit| &visit.attempts);
        let took = attempts.iter().filter_map(|attempt| work::took(&self.state, attempt));
        // Whoever stopped to ask for permission has tried nothing yet.
        let is_tried = |attempt: &&AttemptState| step::attempt_status(&self.state, attempt, at) != Status::Paused;
        let tried = attempts.iter().filter(is_tried);
        let signed = |decision: &Decision| self.history.signed(decision, self.keys);
        let workflow = self.history.workflow();
        let of_people = [Apart::Asked, Apart::Answers, Apart::Words];
        let decisions: &[GateRound] = match of_people.into_iter().any(is_told) {
            true => self.rounds(at),
            false => &[],
        };
        ComparedVisit {
            status,
            words,
            error: match self.answered_no(at) {
                true => None,
                false => self.result(at).and_then(|result| result.error.clone()),
            },
            attempts: u32::try_from(tried.count()).unwrap_or(u32::MAX),
            duration_ms: took.reduce(|one, other| one + other),
            way: is_told(Apart::Way).then(|| self.way(at)).flatten(),
            decisions: decisions
                .iter()
                .map(|round| decisions::view(workflow, &self.state, round, &signed))
                .collect(),
            inside: self.inside(at).iter().map(|row| row.run.to_string()).collect(),
        }
    }

    /// How a visit was left.
    fn way(&self, at: &Instance) -> Option<ComparedWay> {
        let routes = Routes {
            workflow: self.history.workflow(),
            drawn: &self.drawn,
            events: self.history.events(),
            index: &self.index,
            state: &self.state,
        };
        let route = routes.at(self.visit(at)?.left_by?)?;
        Some(ComparedWay {
            to: route.to,
            why: route.why,
        })
    }

    /// Where a visit led; `None`: it has not been left.
    fn led_to(&self, at: &Instance) -> Option<Option<&StepId>> {
        let route = self.state.routes.get(self.visit(at)?.left_by?)?;
        Some(route.to.as_ref())
    }
}

/// Two runs.
pub struct Beside<'a> {
    /// The first.
    pub left: &'a Side<'a>,
    /// The second.
    pub right: &'a Side<'a>,
    /// Which step of the first each step of the second is.
    pub same: &'a HashMap<StepId, Option<StepId>>,
}

impl Beside<'_> {
    /// In the order of the first run; what the second alone came to stands behind what it had come to before.
    pub fn rows(&self) -> Vec<ComparedRow> {
        let (left, right) = (&self.left.order, &self.right.order);
        let turns = left.iter().enumerate();
        let place: HashMap<_, usize> = turns
            .filter_map(|(at, one)| Some((self.left.turn(&one.step, one)?, at)))
            .collect();
        let mut pairs: Vec<Option<&Instance>> = vec![None; left.len()];
        let mut alone: BTreeMap<Option<usize>, Vec<&Instance>> = BTreeMap::new();
        let mut behind = None;
        for one in right {
            match self.in_left(one).and_then(|turn| place.get(&turn)) {
                Some(at) => {
                    pairs[*at] = Some(one);
                    behind = Some(*at);
                }
                None => alone.entry(behind).or_default().push(one),
            }
        }
        let mut rows = Vec::with_capacity(left.len());
        let mut add = |rows: &mut Vec<ComparedRow>, behind: Option<usize>| {
            let alone = alone.remove(&behind).unwrap_or_default();
            rows.extend(alone.into_iter().map(|one| self.row(None, Some(one))));
        };
        add(&mut rows, None);
        for (at, (one, other)) in left.iter().zip(&pairs).enumerate() {
            rows.push(self.row(Some(one), *other));
            add(&mut rows, Some(at));
        }
        rows
    }

    /// A visit of the second run as the first one would name it; `None`: the first has no such step.
    fn in_left<'i>(&'i self, one: &'i Instance) -> Option<(&'i StepId, &'i [u32], Turn)> {
        let step = self.same.get(&one.step)?.as_ref()?;
        self.right.turn(step, one)
    }

    fn row(&self, left: Option<&Instance>, right: Option<&Instance>) -> ComparedRow {
        let (own, at) = match (left, right) {
            (Some(at), _) => (self.left, at),
            (None, Some(at)) => (self.right, at),
            (None, None) => unreachable!("a row is of one run at least"),
        };
        let (reported, files, inside) = match (left, right) {
            (Some(left), Some(right)) => (
                self.reported(left, right),
                self.files(left, right),
                self.inside(left, right),
            ),
            _ => Default::default(),
        };
        let mut apart = match (left, right) {
            (_, None) => vec![Apart::OnlyLeft],
            (None, _) => vec![Apart::OnlyRight],
            (Some(left), Some(right)) => self.apart(left, right),
        };
        let one = left.map(|at| self.left.told(at, &apart));
        let other = right.map(|at| self.right.told(at, &apart));
        let found = [
            (!reported.is_empty(), Apart::Reported),
            (!files.is_empty(), Apart::Files),
            (
                inside.iter().any(|(one, other)| one.status != other.status),
                Apart::Inside,
            ),
        ];
        apart.extend(found.into_iter().filter_map(|(is_so, what)| is_so.then_some(what)));
        if let (Some(one), Some(other)) = (&one, &other) {
            let error =
                |side: &Side<'_>, visit: &ComparedVisit| visit.error.as_deref().map(|error| side.unnamed(error));
            let came_to_another = (one.status, &one.words) != (other.status, &other.words)
                || error(self.left, one) != error(self.right, other);
            let what = [
                (came_to_another, Apart::Outcome),
                (
                    one.attempts.min(other.attempts) > 0 && one.attempts != other.attempts,
                    Apart::Attempts,
                ),
            ];
            apart.extend(what.into_iter().filter_map(|(is_so, what)| is_so.then_some(what)));
        }
        apart.sort_unstable();
        ComparedRow {
            step: words::step_ref(own.history.workflow(), &at.step),
            which: own.which(at),
            apart,
            left: one,
            right: other,
            reported,
            files,
            inside: inside.into_iter().map(|(one, other)| told_inside(one, other)).collect(),
        }
    }

    /// The runs that carried out the same visit, in pairs: of each file the last one with the last one, as earlier ones stand before those that were
    /// begun anew.
    fn inside(&self, left: &Instance, right: &Instance) -> Vec<(&RunRow, &RunRow)> {
        let (one, other) = (self.left.inside(left), self.right.inside(right));
        let mut free: Vec<&RunRow> = other.iter().collect();
        let pairs = one.iter().rev().filter_map(|row| {
            let at = free.iter().rposition(|other| other.path == row.path)?;
            Some((row, free.remove(at)))
        });
        let mut pairs: Vec<(&RunRow, &RunRow)> = pairs.collect();
        pairs.reverse();
        match (pairs.as_slice(), one, other) {
            // The one file has another name by now.
            ([], [one], [other]) => vec![(one, other)],
            _ => pairs,
        }
    }

    /// What people and rules made of the same visit otherwise.
    fn apart(&self, left: &Instance, right: &Instance) -> Vec<Apart> {
        let mut apart = Vec::new();
        let (one, other) = (self.left.rounds(left), self.right.rounds(right));
        // That one of them was not asked at all their answers tell.
        if (one.iter().zip(other)).any(|(one, other)| self.left.asked(one) != self.right.asked(other)) {
            apart.push(Apart::Asked);
        }
        if let (Some(one), Some(other)) = (self.left.doer(left), self.right.doer(right)) {
            let model = one.1.zip(other.1).is_some_and(|(one, other)| one != other);
            if one.0 != other.0 || model {
                apart.push(Apart::Doer);
            }
        }
        if answers(one) != answers(other) {
            apart.push(Apart::Answers);
        } else if said(one) != said(other) {
            apart.push(Apart::Words);
        }
        // A run that has not left it yet may still go the same way.
        if let (Some(one), Some(other)) = (self.left.led_to(left), self.right.led_to(right)) {
            let other = other.map(|step| self.same.get(step).and_then(Option::as_ref));
            if one.map(Some) != other {
                apart.push(Apart::Way);
            }
        }
        apart
    }

    fn reported(&self, left: &Instance, right: &Instance) -> Vec<ValuesView> {
        let (one, other) = (self.left.reported(left), self.right.reported(right));
        let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        let value = |side: &Side<'_>, of: &Fields, name: &str| Some(side.unnamed(&of.get(name)?.to_string()));
        let differs = |name: &&String| value(self.left, &one, name) != value(self.right, &other, name);
        let differing = names.into_iter().filter(differs);
        let differing = differing.map(|name| ValuesView {
            name: safe::visible(name),
            left: one.get(name).map(words::value),
            right: other.get(name).map(words::value),
        });
        differing.collect()
    }

    fn files(&self, left: &Instance, right: &Instance) -> Vec<ComparedFile> {
        let (mut one, mut other) = (self.left.made(left), self.right.made(right));
        let names: BTreeSet<String> = one.keys().chain(other.keys()).cloned().collect();
        let files = names.into_iter().map(|name| ComparedFile {
            left: one.remove(&name),
            right: other.remove(&name),
            name,
        });
        let digest = |made: &Option<MadeView>| made.as_ref().map(|made| made.digest.clone());
        files.filter(|file| digest(&file.left) != digest(&file.right)).collect()
    }
}

/// What two runs inside came to.
fn told_inside(one: &RunRow, other: &RunRow) -> ComparedInside {
    let [left, right] = [one, other].map(|row| present::word_in_words(row.status));
    ComparedInside {
        title: safe::visible(&one.title),
        left: one.run.to_string(),
        right: other.run.to_string(),
        words: match one.status == other.status {
            true => format!("{left} in both"),
            false => format!("{left} in the first, {right} in the second"),
        },
    }
}

/// What was answered, for how long, and with which way.
type Answered = (engine::Answer, Option<engine::Lasting>, Option<String>);

/// Nothing where nobody has answered.
fn answers(rounds: &[GateRound]) -> Vec<Option<Answered>> {
    let answers = rounds.iter().map(|round| {
        let (decision, _) = round.answer.as_ref()?;
        Some((decision.answer, decision.lasting, decision.way.clone()))
    });
    answers.collect()
}

/// Who answered, and in what words.
fn said(rounds: &[GateRound]) -> Vec<Option<(String, &str)>> {
    let said = rounds.iter().map(|round| {
        let (decision, _) = round.answer.as_ref()?;
        Some((words::decider(decision), decision.comment.trim()))
    });
    said.collect()
}

/// What is reported of the runs inside a step without their ids, which no two of them share.
fn without_ids(runs: &Value) -> Value {
    match runs {
        Value::Array(all) => all.iter().map(without_ids).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "run");
            Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}
