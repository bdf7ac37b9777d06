//! What happens after a step: which step is next, and why.
//!
//! Routing holds *targets as written* ([`StepId`]); the graph's edges are derived from it, so that a target that does not
//! exist stays visible (rule GH0001) and fails the run the way the contract says.

use crate::cel::Expression;
use crate::{Asked, Fields, Fork, StepId};
use indexmap::IndexMap;
use serde_json::Value;

/// The rule that picks a step's successor.
#[derive(Debug, Clone, PartialEq)]
pub enum Routing {
    /// No routing written: the next step in document order (seed 001; reason `linear_default`).
    Sequence,
    /// `next`, or the flow ends (seed 001 "Routing Contract").
    Linear {
        /// The successor; absent: the flow ends here.
        next: Option<StepId>,
    },
    /// Back to `loop_target` until an exit condition holds (seed 001 "Microloop Exit Conditions").
    Microloop(Microloop),
    /// A value picks the successor (seed 001; `branch`).
    Branch(Branch),
    /// Guards are tried in order, the first that holds wins (spec flows `when[]`, graph files).
    Guarded {
        /// Tried in order.
        guards: Vec<Guard>,
        /// Taken when none holds.
        next: Option<StepId>,
    },
    /// Several branches follow, each on its own, until they meet again.
    Fork(Box<Fork>),
    /// The last step of a detour: back to where its file says.
    Return {
        /// The step that the detour left.
        from: StepId,
        /// Where it leads.
        back: Back,
    },
    /// The flow ends here on purpose (spec flows).
    Terminal,
    /// PASS / FAIL transitions of a runbook (seed 002 "Transitions").
    Transitions {
        /// In document order.
        transitions: Vec<Transition>,
    },
    /// The step waits for its dependencies and has no successor of its own (seed 004 `depends_on`).
    Dependencies,
    /// A kind this reader does not know (a misspelling, a fork that names no branches): goes on to `next` as the origin does.
    Unknown {
        /// The word in the file.
        kind: String,
        /// The successor, if one is written.
        next: Option<StepId>,
        /// Everything else that stood in the routing block, kept and shown.
        fields: Fields,
    },
}

impl Routing {
    /// Where the branches meet that begin here; absent: none do, or they do not meet.
    pub fn join(&self) -> Option<&StepId> {
        match self {
            Self::Fork(fork) => fork.join.as_ref(),
            _ => None,
        }
    }

    /// What a report has to say so that it decides the way on.
    pub fn asks_for(&self) -> Vec<Asked> {
        let apart = |field: &str, values: Vec<Value>| Asked {
            values,
            other: true,
            ..Asked::of(field)
        };
        let asked: Vec<Asked> = match self {
            Self::Microloop(microloop) => {
                let words = microloop.success_values.iter().map(|value| value.as_str().into());
                let own = microloop.condition_field.as_deref();
                let own = own.map(|field| apart(field, words.collect())).into_iter();
                let exits = microloop.exit_on.iter();
                own.chain(exits.map(|(field, values)| apart(field, values.clone())))
                    .collect()
            }
            Self::Branch(branch) => {
                let values = branch.branches.keys().map(|value| value.as_str().into());
                vec![apart(branch.field.as_deref().unwrap_or(DECIDES), values.collect())]
            }
            Self::Guarded { guards, .. } => guards.iter().flat_map(|guard| guard.condition.asks_for()).collect(),
            _ => Vec::new(),
        };
        Asked::together(asked)
    }
}

/// Where a detour leads back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Back {
    /// To the step that it left, which is done again with what was found.
    Resume,
    /// To where the step would have led: it is left with the result that it had.
    Advance,
    /// To another step.
    To(StepId),
    /// Nowhere: the flow has failed.
    Halt,
}

impl Back {
    /// The word in the file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Resume => "resume",
            Self::Advance => "advance",
            Self::To(_) => "bounce_to",
            Self::Halt => "halt",
        }
    }
}

/// A microloop: `count` = loops already taken from this step to its target (seed 001; CONTRACTS "Stepwise").
#[derive(Debug, Clone, PartialEq)]
pub struct Microloop {
    /// The step to go back to; absent: the loop is broken and goes on to `next`.
    pub loop_target: Option<StepId>,
    /// Which reported value decides.
    pub condition_field: Option<String>,
    /// Values that end the loop, compared as text, case-sensitive.
    pub success_values: Vec<String>,
    /// Largest number of loops; the format's default is already applied (5; spec flows 3).
    pub max_iterations: u32,
    /// The successor after the loop; absent: the flow ends.
    pub next: Option<StepId>,
    /// Spec flows: field → accepted values, `exit_on`; read before `max_iterations`. Empty in config flows.
    pub exit_on: IndexMap<String, Vec<Value>>,
}

/// The reported field that decides where nobody names another (seed 001).
pub const DECIDES: &str = "status";

/// Default of `max_iterations` in config flows (seed 001).
pub const DEFAULT_MAX_ITERATIONS: u32 = 5;
/// Default of `max_iterations` in spec flows (CONTRACTS "Stepwise").
pub const DEFAULT_MAX_ITERATIONS_SPEC: u32 = 3;

/// Bound of a loop edge that the author drew without one (graph files).
pub const BACK_EDGE_BOUND: u32 = 10;

/// A branch by value.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Which reported value decides; absent: the result's status.
    pub field: Option<String>,
    /// Value → successor, in document order.
    pub branches: IndexMap<String, StepId>,
    /// Taken when no value matches; absent: the flow ends.
    pub next: Option<StepId>,
}

/// One guarded successor.
#[derive(Debug, Clone, PartialEq)]
pub struct Guard {
    /// When it is taken.
    pub condition: Condition,
    /// Where it leads.
    pub to: StepId,
    /// Whether this edge is a loop by the author's word (graph files `type: loop`).
    pub back: bool,
    /// Of a loop: how often it may be taken.
    pub most: u32,
}

impl Guard {
    /// One guard always holds, or two of them are complementary: both booleans of a field, equal and not equal, below or at and above.
    pub fn cover_everything(guards: &[Self]) -> bool {
        let compares: Vec<(&str, &Operator, &Value)> = guards
            .iter()
            .filter_map(|guard| match &guard.condition {
                Condition::Compare { field, operator, value } => Some((field.as_str(), operator, value)),
                _ => None,
            })
            .collect();
        let opposite = |a: &(&str, &Operator, &Value), b: &(&str, &Operator, &Value)| {
            a.0 == b.0
                && match (a.1, b.1) {
                    (Operator::Equals, Operator::Equals) => a.2.is_boolean() && b.2.is_boolean() && a.2 != b.2,
                    (Operator::Equals, Operator::NotEquals)
                    | (Operator::In, Operator::NotIn)
                    | (Operator::Gt, Operator::Lte)
                    | (Operator::Gte, Operator::Lt) => a.2 == b.2,
                    // Counts: none, or more.
                    (Operator::Gt, Operator::Equals) => a.2 == b.2 && a.2.as_f64() == Some(0.0),
                    _ => false,
                }
        };
        guards.iter().any(|guard| guard.condition == Condition::Always)
            // Bounded: nobody writes by hand what would make this long.
            || compares.iter().take(64).any(|a| compares.iter().take(64).any(|b| opposite(a, b)))
    }
}

/// A condition on what a step reported.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Holds always.
    Always,
    /// `field operator value`, the form of the spec flows.
    Compare {
        /// The reported field; dots reach into objects.
        field: String,
        /// How it is compared.
        operator: Operator,
        /// What it is compared with.
        value: Value,
    },
    /// A Common Expression Language expression.
    Cel {
        /// As written.
        expression: String,
    },
}

impl Condition {
    /// What a report has to say so that it holds or not.
    pub fn asks_for(&self) -> Vec<Asked> {
        let (field, operator, value) = match self {
            Self::Always => return Vec::new(),
            Self::Cel { expression } => {
                let parsed = Expression::parse(expression);
                return parsed.map(|parsed| parsed.asks_for()).unwrap_or_default();
            }
            Self::Compare { field, operator, value } => (field, operator, value),
        };
        let asked = Asked::of(field.as_str());
        let list = || value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        vec![match operator {
            Operator::Equals => asked.among(value.clone()),
            Operator::In => list().iter().cloned().fold(asked, Asked::among),
            Operator::NotEquals | Operator::NotIn => list().iter().fold(asked, Asked::against),
            // Only numbers are larger or smaller.
            Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte => Asked { number: true, ..asked },
            Operator::Exists => Asked {
                other: true,
                optional: true,
                ..asked
            },
            Operator::Contains | Operator::Matches | Operator::Other(_) => Asked { other: true, ..asked },
        }]
    }
}

/// Comparison words of the spec flows and graph files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operator {
    /// equal
    Equals,
    /// not equal
    NotEquals,
    /// member of a list
    In,
    /// not a member of a list
    NotIn,
    /// text or list contains
    Contains,
    /// greater
    Gt,
    /// greater or equal
    Gte,
    /// less
    Lt,
    /// less or equal
    Lte,
    /// present and not null
    Exists,
    /// text in which a regular expression finds something
    Matches,
    /// a word this reader does not know: never holds, reported by the dialect
    Other(String),
}

/// A runbook transition: `- PASS ALL: CONTINUE` (seed 002 "Transitions").
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// PASS (or YES) or FAIL (or NO).
    pub passed: bool,
    /// The author's word, for display: PASS, FAIL, YES, NO.
    pub word: String,
    /// ALL / ANY when written.
    pub quantifier: Option<Quantifier>,
    /// What happens.
    pub action: Action,
}

/// How results of several units are put together (seed 002).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// Every unit has the outcome.
    All,
    /// At least one unit has it.
    Any,
}

/// A runbook action (seed 002 "Actions").
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Next unit in sequence.
    Continue,
    /// The runbook ends well.
    Complete {
        /// Said at the end.
        message: Option<String>,
    },
    /// The runbook ends badly.
    Stop {
        /// Said at the end.
        message: Option<String>,
    },
    /// Jump.
    Goto(Jump),
    /// Again, then something else.
    Retry {
        /// Extra attempts, at least 1.
        times: u32,
        /// When they are used up.
        then: Box<Action>,
    },
}

/// Where a GOTO leads (seed 002 "GOTO").
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Jump {
    /// To a step or substep, a dynamic one in its current instance: `3`, `2.1`, `Recover`, `{N}`, `{N}.2`, `1.{n}`.
    To(StepId),
    /// To the next instance of a dynamic step or substep; absent: of the innermost one around.
    Next(Option<StepId>),
}

impl Jump {
    /// The step it names.
    pub fn target(&self) -> Option<&StepId> {
        match self {
            Self::To(id) => Some(id),
            Self::Next(id) => id.as_ref(),
        }
    }
}

impl std::fmt::Display for Jump {
    /// As an author writes it after `GOTO`: `3`, `NEXT`, `NEXT {N}`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::To(id) => write!(f, "{id}"),
            Self::Next(None) => f.write_str("NEXT"),
            Self::Next(Some(id)) => write!(f, "NEXT {id}"),
        }
    }
}

impl Action {
    /// What happens at last: of a RETRY the action after it.
    pub fn last(&self) -> &Action {
        let mut action = self;
        while let Action::Retry { then, .. } = action {
            action = then;
        }
        action
    }
}

impl Routing {
    /// Whether it may come to pass that no way that the file names is open and the flow does not end either: a person is asked
    /// which way it takes (CONTRACTS "Stepwise", `escalate`). Where only loops are guarded, the flow ends when none is taken.
    pub fn may_ask_the_way(&self) -> bool {
        match self {
            Self::Guarded { guards, next: None } => {
                guards.iter().any(|guard| !guard.back) && !Guard::cover_everything(guards)
            }
            _ => false,
        }
    }

    /// How often the loops of this routing may be taken in all, by their own bounds.
    pub fn rounds(&self) -> u64 {
        match self {
            Self::Microloop(m) if m.loop_target.is_some() => u64::from(m.max_iterations),
            Self::Guarded { guards, .. } => {
                let back = guards.iter().filter(|guard| guard.back);
                back.map(|guard| u64::from(guard.most)).sum()
            }
            _ => 0,
        }
    }

    /// The reported fields that it reads by name, as they are written; those of expressions are not among them.
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Self::Microloop(m) => {
                let own = m.condition_field.iter();
                own.chain(m.exit_on.keys()).map(String::as_str).collect()
            }
            Self::Branch(b) => b.field.iter().map(String::as_str).collect(),
            Self::Guarded { guards, .. } => {
                let named = guards.iter().filter_map(|guard| match &guard.condition {
                    Condition::Compare { field, .. } => Some(field.as_str()),
                    Condition::Always | Condition::Cel { .. } => None,
                });
                named.collect()
            }
            _ => Vec::new(),
        }
    }

    /// What it reads of reports: names of fields, and expressions as they are written. The branches of a fork are put together by
    /// their status.
    pub fn reads(&self) -> Vec<&str> {
        let mut read = self.fields();
        match self {
            Self::Branch(Branch { field: None, .. }) | Self::Fork(_) => read.push(DECIDES),
            Self::Guarded { guards, .. } => read.extend(guards.iter().filter_map(|guard| match &guard.condition {
                Condition::Cel { expression } => Some(expression.as_str()),
                Condition::Always | Condition::Compare { .. } => None,
            })),
            _ => {}
        }
        read
    }

    /// Whether what the step reports chooses the way on from it.
    pub fn is_chosen_by_report(&self) -> bool {
        match self {
            Self::Microloop(_) | Self::Branch(_) => true,
            Self::Guarded { guards, .. } => guards.iter().any(|guard| guard.condition != Condition::Always),
            _ => false,
        }
    }

    /// Every target this routing names, in the order written, with the path of the field that names it.
    pub fn targets(&self) -> Vec<(Vec<String>, &StepId)> {
        let path = |parts: &[&str]| parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        let mut out = Vec::new();
        match self {
            Self::Return { back: Back::To(to), .. } => out.push((path(&["target_node"]), to)),
            Self::Sequence | Self::Terminal | Self::Dependencies | Self::Return { .. } => {}
            Self::Linear { next } => out.extend(next.iter().map(|to| (path(&["routing", "next"]), to))),
            Self::Microloop(m) => {
                out.extend(m.loop_target.iter().map(|to| (path(&["routing", "loop_target"]), to)));
                out.extend(m.next.iter().map(|to| (path(&["routing", "next"]), to)));
            }
            Self::Branch(b) => {
                out.extend(b.branches.iter().map(|(v, to)| (path(&["routing", "branches", v]), to)));
                out.extend(b.next.iter().map(|to| (path(&["routing", "next"]), to)));
            }
            Self::Guarded { guards, next } => {
                out.extend(
                    guards
                        .iter()
                        .enumerate()
                        .map(|(i, g)| (path(&["routing", "when", &i.to_string(), "next"]), &g.to)),
                );
                out.extend(next.iter().map(|to| (path(&["routing", "default"]), to)));
            }
            Self::Fork(fork) => {
                let targets = fork.targets.iter().enumerate();
                out.extend(targets.map(|(n, to)| (path(&["routing", "fork_targets", &n.to_string()]), to)));
                out.extend(fork.join.iter().map(|to| (path(&["routing", "next"]), to)));
            }
            Self::Unknown { next, .. } => out.extend(next.iter().map(|to| (path(&["routing", "next"]), to))),
            Self::Transitions { transitions } => {
                for (i, t) in transitions.iter().enumerate() {
                    if let Action::Goto(jump) = t.action.last() {
                        out.extend(
                            jump.target()
                                .map(|to| (path(&["transitions", &i.to_string(), "target"]), to)),
                        );
                    }
                }
            }
        }
        out
    }
}
