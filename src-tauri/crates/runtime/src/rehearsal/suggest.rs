//! What the next test would add: commands that lead a runbook over steps and edges that no test has seen yet.

use super::coverage::Coverage;
use super::front::{self, Ends};
use super::trial::{self, Trial};
use super::{Move, Rehearsal, Setting, Standing};
use engine::{Frame, Instance, edges, runbook};
use model::{StepId, Workflow};
use serde_json::json;
use std::collections::{HashMap, VecDeque};

/// At most so many states of a runbook are looked at.
const STATES: usize = 20_000;
/// Dynamic instances beyond this one are not looked at: each further one is like it.
const INSTANCES: u32 = 3;
/// A suggestion is at most so many commands long; what it leaves out, the next one covers.
const COMMANDS: usize = 60;

/// Starting from so many steps that no answer leads to is tried.
const JUMPS: usize = 24;

/// What can still be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// The scenario to add; absent: there is nothing that one could add.
    pub next: Option<Suggestion>,
    /// What no answers lead to, but a person who sends the run elsewhere (`goto`) can reach.
    pub by_jump: Coverage,
    /// What nothing leads to.
    pub unreachable: Coverage,
    /// Everything was looked at: what is called unreachable is.
    pub complete: bool,
}

/// A scenario that nobody has written yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// A name that the file does not have yet.
    pub name: String,
    /// As a scenario's commands.
    pub commands: Vec<String>,
    /// How it ends.
    pub result: Ends,
    /// What it adds.
    pub adds: Coverage,
    /// The lines to paste below `scenarios:`.
    pub yaml: String,
}

/// Looks for a scenario that adds to what was seen; only where scenarios are written into its file.
pub fn outlook(workflow: &Workflow, own: &str, seen: &Coverage) -> Option<Outlook> {
    if !workflow.contract().scenarios_in_file {
        return None;
    }
    let missing = Coverage::whole(workflow).without(seen);
    let mut map = Map::of(workflow)?;
    let start = map.explore(None)?;
    let mut unreachable = missing.without(&map.reachable);
    let answered = missing.without(&unreachable);
    let mut by_jump = Coverage::default();
    let mut jumps: Vec<(StepId, usize)> = Vec::new();
    for target in targets(workflow, &unreachable) {
        if unreachable.is_empty() {
            break;
        }
        jumps.extend(map.explore(Some(&target)).map(|state| (target, state)));
        let left = unreachable.without(&map.reachable);
        by_jump.absorb(&unreachable.without(&left));
        unreachable = left;
    }
    map.look_back();
    let by_answers = map.walk(start, &answered);
    let next = by_answers
        .and_then(|answers| suggestion(workflow, own, seen, None, &answers))
        .or_else(|| {
            jumps.iter().find_map(|(target, state)| {
                let answers = map.walk(*state, &by_jump)?;
                suggestion(workflow, own, seen, Some(target), &answers)
            })
        });
    Some(Outlook {
        next,
        by_jump,
        unreachable,
        complete: map.complete,
    })
}

/// Where to send the run so that it comes to these steps and edges.
fn targets(workflow: &Workflow, wanted: &Coverage) -> Vec<StepId> {
    let flows = workflow.flows();
    let steps = wanted.steps.iter().filter_map(|ordinal| workflow.steps().get(*ordinal));
    let from = wanted
        .edges
        .iter()
        .filter_map(|index| flows.get(*index).map(|(from, ..)| *from));
    let mut targets: Vec<StepId> = Vec::new();
    for step in steps.chain(from) {
        if targets.len() < JUMPS && !targets.contains(&step.id) {
            targets.push(step.id.clone());
        }
    }
    targets
}

/// The answers as a scenario, once the engine itself has carried it out.
fn suggestion(
    workflow: &Workflow,
    own: &str,
    seen: &Coverage,
    jump: Option<&StepId>,
    answers: &[bool],
) -> Option<Suggestion> {
    let file = own.rsplit(['/', '\\']).next().unwrap_or(own);
    let mut commands = vec![format!("rd run --prompted {}", shlex::try_quote(file).ok()?)];
    if let Some(to) = jump {
        commands.push(format!("rd goto {}", shlex::try_quote(to.as_str()).ok()?));
    }
    let said = answers.iter().map(|passed| if *passed { "rd pass" } else { "rd fail" });
    commands.extend(said.map(str::to_owned));
    let taken: Vec<String> = front::listed(workflow).into_iter().map(|listed| listed.name).collect();
    let numbered = |n: u32| match n {
        1 => "untested-ways".to_owned(),
        n => format!("untested-ways-{n}"),
    };
    let name = (1..).map(numbered).find(|name| !taken.contains(name))?;
    let tried = |result: Ends| -> Trial {
        let listed = front::Listed {
            name: name.clone(),
            description: None,
            content: Ok(front::Content::Commands {
                commands: commands.clone(),
                result: Some(result),
            }),
        };
        trial::listed(workflow, &Setting::default(), own, &listed, &|_| None)
    };
    let (result, trial) = [Ends::Complete, Ends::Stop]
        .into_iter()
        .map(|result| (result, tried(result)))
        .find(|(_, trial)| trial.passed)?;
    let adds = trial.coverage.without(seen);
    if adds.is_empty() {
        return None;
    }
    let entry = json!({&name: {
        "description": "Goes where no other scenario goes",
        "commands": commands,
        "result": result.word(),
    }});
    let yaml = serde_yaml::to_string(&entry).ok()?;
    let yaml: String = yaml.lines().map(|line| format!("  {line}\n")).collect();
    Some(Suggestion {
        name,
        commands,
        result,
        adds,
        yaml,
    })
}

/// Where PASS or FAIL leads from a state.
#[derive(Debug, Clone, Copy, Default)]
struct Way {
    /// The state; absent: the end, or not looked at.
    to: Option<usize>,
    /// The run ends here as the runbook says.
    ends: bool,
    edge: Option<usize>,
}

/// The states that answers lead to.
struct Map<'w> {
    workflow: &'w Workflow,
    /// A run that waits at its first step.
    begun: Rehearsal<'w>,
    /// By what the next transition depends on.
    known: HashMap<String, usize>,
    open: VecDeque<Place>,
    /// The step of each state, by ordinal.
    steps: Vec<usize>,
    ways: Vec<[Way; 2]>,
    /// Whether an end can be reached from there.
    ends: Vec<bool>,
    reachable: Coverage,
    complete: bool,
}

/// What a runbook's next transition depends on.
type Place = (Instance, Frame);

impl<'w> Map<'w> {
    /// Nothing looked at yet; `None` when the workflow cannot be run.
    fn of(workflow: &'w Workflow) -> Option<Self> {
        let setting = Setting {
            prompted: true,
            ..Setting::default()
        };
        Some(Self {
            workflow,
            begun: Rehearsal::begin(workflow, &setting).ok()?,
            known: HashMap::new(),
            open: VecDeque::new(),
            steps: Vec::new(),
            ways: Vec::new(),
            ends: Vec::new(),
            reachable: Coverage::default(),
            complete: true,
        })
    }

    /// Looks at everything that follows from the beginning, or from where a person sends the run from there; the state it
    /// begins in.
    fn explore(&mut self, jump: Option<&StepId>) -> Option<usize> {
        let mut begun = self.begun.clone();
        if let Some(to) = jump {
            begun.feed(Move::Goto(to.clone())).ok()?;
        }
        let Standing::Waits(start) = begun.standing() else {
            return None;
        };
        let start = self.place((start.clone(), Frame::clone(&begun.state().frame)))?;
        while let Some((from, frame)) = self.open.pop_front() {
            let ways = [true, false].map(|passed| self.way(&from, &frame, passed));
            self.ways.push(ways);
        }
        Some(start)
    }

    fn way(&mut self, from: &Instance, frame: &Frame, passed: bool) -> Way {
        let route = runbook::route(self.workflow, from, frame, passed);
        let mut way = Way {
            edge: edges::taken(self.workflow, &route),
            ..Way::default()
        };
        let moved = route.runbook.as_deref().cloned().unwrap_or_default();
        match route.to {
            None => way.ends = true,
            // A target that is not there: checking says so.
            Some(step) if self.workflow.step(&step).is_none() => {}
            Some(step) => {
                let path = moved.path;
                way.to = self.place((Instance { step, visit: 1, path }, Frame::clone(&moved.frame)));
            }
        }
        if way.to.is_some() || way.ends {
            self.reachable.edges.extend(way.edge);
        }
        way
    }

    /// The number of a state, a new one when it was not met yet; `None` beyond the bounds.
    fn place(&mut self, place: Place) -> Option<usize> {
        let (at, frame) = &place;
        if frame.instances.values().any(|index| *index > INSTANCES) {
            return None;
        }
        let key = json!([at.step, at.path, frame]).to_string();
        if let Some(number) = self.known.get(&key) {
            return Some(*number);
        }
        if self.steps.len() >= STATES {
            self.complete = false;
            return None;
        }
        let ordinal = self.workflow.step(&at.step)?.ordinal;
        let number = self.steps.len();
        self.steps.push(ordinal);
        self.reachable.steps.insert(ordinal);
        self.known.insert(key, number);
        self.open.push_back(place);
        Some(number)
    }

    /// From which states an end can be reached.
    fn look_back(&mut self) {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.ways.len()];
        let mut open = VecDeque::new();
        self.ends = vec![false; self.ways.len()];
        for (state, ways) in self.ways.iter().enumerate() {
            for way in ways {
                if let Some(to) = way.to {
                    before[to].push(state);
                }
                if way.ends && !self.ends[state] {
                    self.ends[state] = true;
                    open.push_back(state);
                }
            }
        }
        while let Some(state) = open.pop_front() {
            for &earlier in &before[state] {
                if !self.ends[earlier] {
                    self.ends[earlier] = true;
                    open.push_back(earlier);
                }
            }
        }
    }

    /// Answers from a state to an end: always to the nearest thing that was not seen yet, and at last to the nearest
    /// end. `None` when that sees nothing new.
    fn walk(&self, from: usize, missing: &Coverage) -> Option<Vec<bool>> {
        let mut missing = missing.clone();
        let mut answers = Vec::new();
        let mut at = from;
        let mut gained = missing.steps.remove(&self.steps[from]);
        loop {
            let nearest = |wanted: &dyn Fn(&Way) -> bool| self.nearest(at, wanted);
            let found = nearest(&|way| {
                way.edge.is_some_and(|edge| missing.edges.contains(&edge))
                    || way.to.is_some_and(|to| missing.steps.contains(&self.steps[to]))
            });
            let found = found.filter(|leg| answers.len() + leg.len() <= COMMANDS);
            gained |= found.is_some();
            let is_last = found.is_none();
            for passed in found.or_else(|| nearest(&|way| way.ends))? {
                let way = self.ways[at][usize::from(!passed)];
                answers.push(passed);
                missing.edges.retain(|edge| Some(*edge) != way.edge);
                match way.to {
                    Some(to) => {
                        missing.steps.remove(&self.steps[to]);
                        at = to;
                    }
                    None => return gained.then_some(answers),
                }
            }
            if is_last {
                return None;
            }
        }
    }

    /// The shortest answers that lead over a way like this; only over states from which an end can be reached.
    fn nearest(&self, from: usize, wanted: &dyn Fn(&Way) -> bool) -> Option<Vec<bool>> {
        let mut came: HashMap<usize, (usize, bool)> = HashMap::new();
        let mut open = VecDeque::from([from]);
        while let Some(state) = open.pop_front() {
            for (way, passed) in self.ways[state].iter().zip([true, false]) {
                let leads_on = way.to.is_some_and(|to| self.ends[to]);
                if wanted(way) && (leads_on || way.ends) {
                    let mut answers = vec![passed];
                    let mut at = state;
                    while at != from {
                        let (earlier, answer) = came[&at];
                        answers.push(answer);
                        at = earlier;
                    }
                    answers.reverse();
                    return Some(answers);
                }
                if let Some(to) = way.to.filter(|to| leads_on && *to != from && !came.contains_key(to)) {
                    came.insert(to, (state, passed));
                    open.push_back(to);
                }
            }
        }
        None
    }
}
