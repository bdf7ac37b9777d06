//! The visits of two runs in pairs. A visit is its step, which instance of it and which time: whatever else went on beside it, and in what
//! order, it is the same visit in both.

use crate::gate::{asking, decisions};
use crate::run::compare_view::{Apart, ComparedFile, ComparedRow, ComparedVisit, ComparedWay, MadeView, ValuesView};
use crate::run::history::History;
use crate::run::index::Index;
use crate::run::present::{self, Routes};
use crate::run::{instances, status, step};
use crate::settings::keys::Keys;
use crate::text::safe;
use crate::view::Status;
use crate::words;
use crate::workflow::drawing::Drawn;
use engine::{At, Decision, GateRound, Instance, RunState, StepResult, Visit};
use model::{Fields, StepId};
use runtime::inside::RUNS;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// One of two runs, as it stands now.
pub struct Side<'a> {
    history: &'a History,
    state: RunState,
    index: Index,
    drawn: Arc<Drawn>,
    keys: &'a Keys,
    /// Everything that was begun or asked about, in order.
    order: Vec<Instance>,
    /// What people were asked about each.
    rounds: HashMap<Instance, Vec<GateRound>>,
    /// The runs that carried out each.
    inside: HashMap<Instance, Vec<String>>,
}

impl<'a> Side<'a> {
    /// `inside_of`: names the runs that carry out a visit.
    pub fn new(
        history: &'a History,
        drawn: Arc<Drawn>,
        keys: &'a Keys,
        inside_of: &dyn Fn(&Visit, &RunState) -> Vec<String>,
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
            let at = visit.attempts.first().map(|first| present::began(&state, first));
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

    fn rounds(&self, at: &Instance) -> &[GateRound] {
        self.rounds.get(at).map_or(&[], Vec::as_slice)
    }

    /// What came of its last attempt.
    fn result(&self, at: &Instance) -> Option<&StepResult> {
        self.visit(at)?.attempts.last()?.result.as_deref()
    }

    /// What a visit came to, as the step's own page tells it.
    fn came_to(&self, at: &Instance) -> (Status, String) {
        let plain = |status: Status| (status, status::word(status).to_owned());
        let Some(visit) = self.visit(at) else {
            let answered = self.rounds(at).last().and_then(|round| round.answer.as_ref());
            return match answered {
                None if self.state.status.ended() => (Status::NotStarted, "nobody answered".to_owned()),
                None => plain(Status::Blocked),
                Some((decision, _)) => match words::not_taken(decision) {
                    Some(words) => (Status::Refused, words),
                    None => plain(Status::NotStarted),
                },
            };
        };
        if let Some(refused) = step::refused(&self.state, visit) {
            return (refused.status, refused.words);
        }
        if self.answered_no(at) {
            return (Status::Done, "answered NO".to_owned());
        }
        // Its work may be done: what comes of it a person is still to say.
        let waits = |round: &GateRound| round.answer.is_none() && !self.state.status.ended();
        if self.rounds(at).last().is_some_and(waits) {
            return plain(Status::Blocked);
        }
        match visit.attempts.last() {
            None => plain(Status::Queued),
            Some(attempt) => plain(step::attempt_status(&self.state, attempt, at)),
        }
    }

    /// A text with the run's own id left out: each run has its own, and it tells nothing apart.
    fn unnamed(&self, text: &str) -> String {
        text.replace(self.history.id().as_str(), "")
    }

    /// A file as its author would name it. The folder of a pipeline's outputs has the pipeline's id, and each pipeline has one run.
    fn written(&self, path: &str) -> String {
        let path = runtime::project::as_written(path, self.history.id());
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

    /// Which instance of its step, and which time it was done: `2 · 1, 2nd time`.
    fn which(&self, at: &Instance) -> Option<String> {
        let time = match instances::times(&self.state, at) {
            0 | 1 => None,
            n => Some(words::nth_time(n)),
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
        let took = attempts
            .iter()
            .filter_map(|attempt| present::took(&self.state, attempt));
        let signed = |decision: &Decision| self.history.signed(decision, self.keys);
        let workflow = self.history.workflow();
        let decisions: &[GateRound] = match is_told(Apart::Answers) || is_told(Apart::Words) {
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
            attempts: u32::try_from(attempts.len()).unwrap_or(u32::MAX),
            duration_ms: took.reduce(|one, other| one + other),
            way: is_told(Apart::Way).then(|| self.way(at)).flatten(),
            decisions: decisions
                .iter()
                .map(|round| decisions::view(workflow, &self.state, round, &signed))
                .collect(),
            inside: self.inside.get(at).cloned().unwrap_or_default(),
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
        let place: HashMap<&Instance, usize> = left.iter().enumerate().map(|(at, one)| (one, at)).collect();
        let mut pairs: Vec<Option<&Instance>> = vec![None; left.len()];
        let mut alone: BTreeMap<Option<usize>, Vec<&Instance>> = BTreeMap::new();
        let mut behind = None;
        for one in right {
            match self.in_left(one).and_then(|one| place.get(&one)) {
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
    fn in_left(&self, one: &Instance) -> Option<Instance> {
        let step = self.same.get(&one.step)?.clone()?;
        Some(Instance { step, ..one.clone() })
    }

    fn row(&self, left: Option<&Instance>, right: Option<&Instance>) -> ComparedRow {
        let (own, at) = match (left, right) {
            (Some(at), _) => (self.left, at),
            (None, Some(at)) => (self.right, at),
            (None, None) => unreachable!("a row is of one run at least"),
        };
        let (reported, files) = match (left, right) {
            (Some(left), Some(right)) => (self.reported(left, right), self.files(left, right)),
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
        }
    }

    /// What people and rules made of the same visit otherwise.
    fn apart(&self, left: &Instance, right: &Instance) -> Vec<Apart> {
        let mut apart = Vec::new();
        let (one, other) = (self.left.rounds(left), self.right.rounds(right));
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
