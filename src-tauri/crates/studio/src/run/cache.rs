//! What is known of runs, so that no log is read twice.

use crate::gate::view::{DecidedCard, GateCard};
use crate::run::drawing::Pictures;
use crate::run::history::History;
use crate::run::row_view::RunRowView;
use crate::settings::identity::Person;
use crate::settings::keys::Keys;
use crate::view::StepRef;
use engine::{At, GateId, GateRound, Instance, ParentRun, RunId, TookPart};
use runtime::Control;
use runtime::executor::InnerRuns;
use runtime::pipeline::estimate::{Past, Reach};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

/// What is known of the runs of a project.
#[derive(Default)]
pub(crate) struct Runs {
    /// The logs that were looked at last.
    pub histories: Mutex<HashMap<RunId, Arc<History>>>,
    pub pictures: Pictures,
    /// The runs that this process drives.
    pub driving: Mutex<HashMap<RunId, Driving>>,
    /// At which event this process let go of runs that it drove and that had not ended, and why, in a sentence.
    pub let_go: Mutex<HashMap<RunId, (u64, String)>>,
    /// What past runs say of a pipeline's run, and how far those went.
    pub pasts: Mutex<HashMap<RunId, (Reach, Past)>>,
    /// What lists say of each run, as of its last event.
    pub rows: Mutex<HashMap<RunId, (u64, RunRowView)>>,
    /// Of which runs it is in doubt who decided.
    pub in_doubt: Mutex<InDoubt>,
    /// The runs whose record is known not to be what was written down: by a look at their log, or because they were verified.
    pub altered: Mutex<BTreeSet<RunId>>,
    /// The cards of what people are asked, each round of a gate by itself.
    pub cards: Mutex<HashMap<(RunId, GateId, u32), Card>>,
    /// What lists say of each decision.
    pub decided: Mutex<Decided>,
    /// Of which run each is part.
    pub parents: Mutex<HashMap<RunId, Option<ParentRun>>>,
    /// How much of its time each run that has ended waited for people, in words, as of its last event.
    pub waited: Mutex<HashMap<RunId, (u64, Option<String>)>>,
    /// When each visit that is over waited for people in the runs inside it, by its run, with how many attempts it had.
    pub waits_of_visits: Mutex<HashMap<(RunId, Instance), (usize, Spans)>>,
    /// When each run inside another one that has ended waited for people, with those inside it, as of its last event.
    pub waits_of_ended: Mutex<HashMap<RunId, (u64, Spans)>>,
    /// Who carried steps out in each run that wants four eyes, or lies beside one.
    pub worked: Mutex<HashMap<RunId, Worked>>,
    /// From which run each goes on, and back to which checkpoint of it.
    pub origins: Mutex<HashMap<RunId, Option<Origin>>>,
    /// What each run is about, as far as its log was read.
    pub subjects: Mutex<HashMap<RunId, Subject>>,
    /// Of a part of a history that was handed over: the run that is meant with those inside it, as of a version of the file.
    pub handed_over: Mutex<Option<(i64, Arc<BTreeSet<RunId>>)>>,
}

/// The run that another one goes on from, and the name of the checkpoint that it went back to.
pub(crate) type Origin = (RunId, Option<String>);

/// From when to when, in order.
pub(crate) type Spans = Vec<(At, At)>;

/// Who carried steps out in a run.
#[derive(Debug, Clone)]
pub(crate) struct Worked {
    /// As of which event.
    pub seq: u64,
    pub by: Arc<[TookPart]>,
    /// Its visits that other runs carry out, each with how many workflows its step lists: which have begun stands in no event of its own.
    pub inside: Arc<[(InnerRuns, u32)]>,
}

/// Of which runs it is in doubt who decided, each as of its last event.
#[derive(Debug, Default)]
pub(crate) struct InDoubt {
    /// By what was known of keys then.
    pub keys: Keys,
    pub runs: HashMap<RunId, (u64, bool)>,
}

/// What lists say of decisions: what was decided stays so.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    /// By what was known of keys then.
    pub keys: Keys,
    pub cards: HashMap<(RunId, GateId, u32), DecidedCard>,
}

/// The card of a gate, as whoever was at this window saw it.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    /// As of which event of the run.
    pub seq: u64,
    /// Who.
    pub person: Arc<Person>,
    /// Who worked beside it then.
    pub beside: Arc<[TookPart]>,
    /// What no later event changes.
    pub asking: StepAsking,
    pub card: Arc<GateCard>,
}

/// A step of a run that asks a person, as the run's log has it.
#[derive(Debug, Clone)]
pub(crate) struct StepAsking {
    /// What is asked, and since when.
    pub asked: GateRound,
    /// The workflow's title when the run began, and who started it.
    pub title: String,
    pub started_by: String,
    /// What it is called.
    pub step: StepRef,
    /// Nothing of its run happens for real.
    pub rehearsal: bool,
    /// Who left it to a person when they started the run.
    pub given_by: Option<String>,
    /// By when an answer is wanted, where the project said so.
    pub wanted_by: Option<At>,
    /// Whoever had a hand in its run approves nothing there.
    pub four_eyes: bool,
    /// The same, and other runs are a part of the same work: who has a hand in them changes without an event in its own.
    pub has_others_beside: bool,
}

/// A run that this process drives.
pub(crate) struct Driving {
    pub control: Control,
    pub task: tokio::task::JoinHandle<()>,
}

/// What is known of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subject {
    /// Up to which event its log was read.
    pub seq: u64,
    /// Its workflow's title: a heading that repeats it tells nothing.
    pub title: String,
    pub found: Option<String>,
}
