//! One attempt, from its brief to a result that fits the contract.
//!
//! Every attempt of every step of every format goes through the same stages, in the order of [`STAGES`]. What a stage
//! does follows from the step's own fields and the project's settings ([`Care`]), never from the format; a stage that
//! has nothing to do says [`Said::Continue`]. The first one that says otherwise ends the attempt, and what did not pass
//! is not kept. Each stage bounds its own time and says in its own words when that is over.
//!
//! A rehearsal in memory goes through the same list; only who works ([`Job::crew`]) and where its files are found
//! ([`Job::files`]) are others. In a run with a scenario nothing is called or started: tools and checks come to what
//! the script says, what only reads text is done for real.
//!
//! * [`care`]: what is done around the work of a step. [`toolbox`]: the project's tools, servers and checks.
//!   [`plan`]: what a workflow's steps will call, before they do.

mod approved;
mod care;
mod collect;
mod context;
mod evidence;
mod guard;
mod permit;
mod place;
mod plan;
mod publish;
mod taken;
mod toolbox;
mod tools;
mod validate;
mod verdict;
mod work;

pub use approved::{changed_afterwards, no_more_as_approved};
pub(crate) use care::{Care, is_asked_for};
pub(crate) use collect::Files;
pub use guard::tried_text;
pub(crate) use permit::Permit;
pub(crate) use plan::unfitting;
pub use plan::{PlannedCall, planned, tool_names};
pub(crate) use toolbox::Toolbox;

use crate::artifacts::{Found, Stood};
use crate::brief::{Brief, beginning};
use crate::clock;
use crate::executor::{Crew, Execution, Sink, lines_and_bytes};
use crate::isolation::Workplace;
use crate::transcript;
use engine::{AgentResult, At, ExecutionStatus, GateReason, Lifecycle, StepResult, ToolAsk, Unkept};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tool::Leash;

/// A result's output is strictly shorter than this (seed 001 "StepResult Guarantees").
pub const OUTPUT_BYTES: usize = 51_200;

/// Why an attempt ends that nobody wants any more.
const CALLED_OFF: &str = "it was called off";

/// A stage of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Whether this step may be carried out as the log asks for it.
    Permit,
    /// The folder that it works in is there, and what branches changed that met here is brought in.
    Place,
    /// What people approved is compared with what is there, and what the step takes is looked for.
    Approved,
    /// How the step's files stand before it does anything.
    Stand,
    /// What goes in holds nothing that the project's guardrails block.
    GuardInputs,
    /// The step's own tool calls.
    Tools,
    /// What is looked up for it in the project's texts.
    Context,
    /// The work itself, by whoever does it.
    Work,
    /// The files that it made.
    Collect,
    /// What came out holds nothing that the project's guardrails block.
    GuardOutputs,
    /// The checks of what was made.
    Validate,
    /// What is claimed of it.
    Evidence,
    /// What it made takes the place of what was made before.
    Publish,
}

/// The stages, in order.
const STAGES: [Stage; 13] = [
    Stage::Permit,
    Stage::Place,
    Stage::Approved,
    Stage::Stand,
    Stage::GuardInputs,
    Stage::Tools,
    Stage::Context,
    Stage::Work,
    Stage::Collect,
    Stage::GuardOutputs,
    Stage::Validate,
    Stage::Evidence,
    Stage::Publish,
];

/// What a stage says.
enum Said {
    /// On to the next one.
    Continue,
    /// The attempt has failed, and why.
    Fail(String),
    /// A person is to decide first; the visit's next attempt follows the answer.
    Ask(Ask),
}

/// What a person is to decide.
enum Ask {
    /// A call of a tool.
    Call(Box<ToolAsk>),
    /// What the step wants to do, in words.
    Permission(Vec<String>),
}

impl From<Result<(), String>> for Said {
    fn from(done: Result<(), String>) -> Self {
        done.map_or_else(Self::Fail, |()| Self::Continue)
    }
}

/// What is to be carried out.
pub(crate) struct Job {
    /// Whether it may be.
    pub permit: Permit,
    /// What is done around the work.
    pub care: Care,
    /// Who does it.
    pub crew: Crew,
    /// What it is told.
    pub brief: Brief,
    /// Where it works, unless that is the project itself.
    pub place: Option<Workplace>,
    /// Where what it makes is found.
    pub files: Files,
    /// For how long it had been under way when this driver took it up, in milliseconds: another one had carried it on before.
    pub before_ms: u64,
}

/// An attempt under way.
struct Attempt {
    job: Job,
    sink: Sink,
    /// How it stands: well until a stage says otherwise.
    execution: Execution,
    /// How its files stood before it did anything, where that is looked at.
    stood: Option<Stood>,
    found: Found,
    held: Lifecycle,
}

impl Attempt {
    async fn pass(&mut self, stage: Stage) -> Said {
        match stage {
            Stage::Permit => permit::check(self),
            Stage::Place => place::prepare(self).await.into(),
            Stage::Approved => {
                approved::compare(self).await;
                taken::look(self);
                Said::Continue
            }
            Stage::Stand => collect::stand(self).await.into(),
            Stage::GuardInputs => guard::inputs(self).await.into(),
            Stage::Tools => tools::call(self).await,
            Stage::Context => context::look_up(self).await.into(),
            Stage::Work => work::carry_out(self).await,
            Stage::Collect => collect::collect(self).await.into(),
            Stage::GuardOutputs => guard::outputs(self).await.into(),
            Stage::Validate => validate::validate(self).await.into(),
            Stage::Evidence => evidence::record(self).into(),
            Stage::Publish => publish::publish(self).await.into(),
        }
    }
}

/// What an attempt came to.
pub(crate) struct Passed {
    pub brief: Brief,
    pub execution: Execution,
    pub found: Found,
    pub held: Lifecycle,
}

/// Goes through the stages. Never fails: what goes wrong is a failed execution.
pub(crate) async fn pass(job: Job, sink: Sink) -> Passed {
    let mut attempt = Attempt {
        job,
        sink,
        execution: Execution::success(),
        stood: None,
        found: Found::default(),
        held: Lifecycle::default(),
    };
    for stage in STAGES {
        // Work that was skipped made nothing; what its agent said is looked at all the same.
        if attempt.execution.status == ExecutionStatus::Skipped && stage != Stage::GuardOutputs {
            continue;
        }
        // Whoever works may end well although they were told to stop: what they made is half of it.
        let said = match attempt.sink.is_stopped() {
            true => Said::Fail(CALLED_OFF.to_owned()),
            false => attempt.pass(stage).await,
        };
        let held = &mut attempt.held;
        let execution = &mut attempt.execution;
        match said {
            Said::Continue => {}
            Said::Fail(why) => {
                execution.status = ExecutionStatus::Failed;
                execution.error = Some(why);
            }
            Said::Ask(ask) => {
                execution.status = ExecutionStatus::Blocked;
                let why = match ask {
                    Ask::Call(call) => {
                        held.asks = Some(*call);
                        GateReason::ToolApproval
                    }
                    Ask::Permission(needs) => {
                        held.needs = needs;
                        GateReason::Permission
                    }
                };
                execution.error = Some(why.to_string());
            }
        }
        if matches!(
            attempt.execution.status,
            ExecutionStatus::Failed | ExecutionStatus::Blocked
        ) {
            // What did not pass is not kept. That nothing stood in its place before is: the next attempt finds it there.
            attempt.found = Found {
                appeared: collect::risen(&attempt),
                ..Found::default()
            };
            attempt.held.evidence.clear();
            // What was said of it is recorded all the same.
            if attempt.execution.status == ExecutionStatus::Failed
                && (Stage::Tools..Stage::GuardOutputs).contains(&stage)
            {
                guard::failed(&mut attempt).await;
            }
            break;
        }
    }
    Passed {
        brief: attempt.job.brief,
        execution: attempt.execution,
        found: attempt.found,
        held: attempt.held,
    }
}

impl Passed {
    /// What of it stands in the log, as it was said: nothing cut, and no time measured. The bytes behind its digests go
    /// with it.
    pub fn into_result(self) -> (StepResult, Vec<Vec<u8>>) {
        let mut held = self.held;
        let too_large = self.found.too_large.into_iter();
        let unnamed = self.found.unnamed.into_iter();
        let unkept = |unnamed: bool| move |(path, bytes): (String, u64)| Unkept { path, bytes, unnamed };
        held.unkept = too_large.map(unkept(false)).chain(unnamed.map(unkept(true))).collect();
        // What its agent left out makes nothing, and says so.
        if self.execution.status == ExecutionStatus::Succeeded {
            held.unmade = self.found.unmade;
            held.unchanged = self.found.unchanged_at;
        }
        let mut result = said(self.execution);
        result.artifacts = self.found.artifacts;
        result.appeared = self.found.appeared;
        result.lifecycle = (!held.is_empty()).then(|| Box::new(held));
        (result, self.found.blobs)
    }
}

/// An execution as it was said; of several agents each one's, too.
fn said(execution: Execution) -> StepResult {
    let mut result = StepResult::new(execution.status);
    result.error = execution.error;
    result.report = execution.report;
    result.receipt_readable = execution.receipt_readable;
    result.output = execution.output;
    result.tokens = execution.tokens;
    result.tools = execution.tools;
    result.answered = execution.answered;
    result.ended_inside = execution.ended_inside;
    result.hands = execution.hands;
    let parts = execution.parts.into_iter().map(|part| AgentResult {
        agent: part.agent,
        started_at: part.started,
        ended_at: part.ended,
        result: said(part.execution),
    });
    result.agents = parts.collect();
    result
}

/// What came of an attempt.
pub(crate) struct Outcome {
    /// For the log.
    pub result: StepResult,
    /// The bytes behind the digests in it.
    pub blobs: Vec<Vec<u8>>,
}

/// Carries out an attempt and measures it against the contract: its time taken, its output cut, its transcript kept.
/// Never fails, what goes wrong is a failed result.
pub(crate) async fn carry_out(job: Job, sink: Sink) -> Outcome {
    let (started, begun, before_ms) = (clock::now(), Instant::now(), job.before_ms);
    let printing = sink.again();
    let passed = pass(job, sink).await;
    printing.end();
    let ended = clock::now().max(started);
    let measured = measured(&passed.brief, &passed.execution, started, ended);
    let parts = passed.execution.parts.iter();
    let each: Vec<Measured> = parts
        .map(|part| {
            self::measured(
                &passed.brief.of_agent(&part.agent, None),
                &part.execution,
                part.started,
                part.ended,
            )
        })
        .collect();
    let (mut result, mut blobs) = passed.into_result();
    for (one, measured) in result.agents.iter_mut().zip(each) {
        one.result.duration_ms = one.ended_at.since_ms(one.started_at);
        measured.put(&mut one.result, &mut blobs);
    }
    let measured_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    result.duration_ms = before_ms.saturating_add(measured_ms);
    measured.put(&mut result, &mut blobs);
    Outcome { result, blobs }
}

/// A text as it is where it has at most so many bytes, else its beginning and its end with how much is left out between them: a program that fails
/// says why at the end. It is cut where lines end, unless they are long.
fn shortened(said: &str, most: usize) -> String {
    /// For what is said of what is left out.
    const REMARK: usize = 96;
    /// No more of either part is given up for a whole line.
    const LINE: usize = 4 * 1024;
    if said.len() <= most {
        return said.to_owned();
    }
    let half = most.saturating_sub(REMARK) / 2;
    let head = beginning(said, half);
    let head = match head.rfind('\n') {
        Some(at) if head.len() - at <= LINE => &head[..=at],
        _ => head,
    };
    let mut from = said.len() - half;
    while !said.is_char_boundary(from) {
        from += 1;
    }
    let tail = &said[from..];
    let tail = match tail.find('\n') {
        Some(at) if at < LINE && at + 1 < tail.len() => &tail[at + 1..],
        _ => tail,
    };
    let left_out = &said[head.len()..said.len() - tail.len()];
    let left_out = lines_and_bytes(left_out.matches('\n').count(), left_out.len());
    let end = if head.ends_with('\n') { "" } else { "\n" };
    format!("{head}{end}… {left_out} left out here …\n{tail}")
}

/// What was said, as the contract keeps it.
struct Measured {
    /// Its beginning and its end, where it is longer.
    output: String,
    /// All of it, where it was cut.
    whole: Option<Vec<u8>>,
    transcript: Option<Vec<u8>>,
}

/// Of several agents each has a transcript, and the attempt none beside them.
fn measured(brief: &Brief, execution: &Execution, started: At, ended: At) -> Measured {
    let said = &execution.output;
    let output = shortened(said, OUTPUT_BYTES - 1);
    Measured {
        whole: (output.len() < said.len()).then(|| said.clone().into_bytes()),
        transcript: execution
            .parts
            .is_empty()
            .then(|| transcript::lines(brief, execution, &output, started, ended)),
        output,
    }
}

impl Measured {
    /// Puts it into the result, and the bytes behind its digests to the others.
    fn put(self, result: &mut StepResult, blobs: &mut Vec<Vec<u8>>) {
        result.output = self.output;
        result.whole_output = self.whole.as_deref().map(store::digest_of);
        result.transcript = self.transcript.as_deref().map(store::digest_of);
        blobs.extend(self.whole);
        blobs.extend(self.transcript);
    }
}

/// Does what blocks on a thread of its own, for `limit` at most and until the attempt is called off; what still blocks
/// then is left to itself, and told by a flag that nobody wants it any more.
///
/// # Errors
/// What was to be done and did not end, or broke: a sentence that begins with `what`.
async fn blocking<T: Send + 'static>(
    what: &str,
    limit: Duration,
    sink: &Sink,
    work: impl FnOnce(&AtomicBool) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    // Letting go of the hand tells it, too.
    let (_hand, leash) = Leash::new();
    let off = leash.flag();
    let working = tokio::task::spawn_blocking(move || work(&off));
    tokio::select! {
        biased;
        _ = sink.stopped() => Err(format!("{what}: {CALLED_OFF}")),
        done = tokio::time::timeout(limit, working) => match done {
            Ok(Ok(done)) => done,
            Ok(Err(error)) => Err(format!("{what}: {error}")),
            Err(_) => Err(format!("{what}: that took longer than {}", clock::spoken(limit))),
        },
    }
}
