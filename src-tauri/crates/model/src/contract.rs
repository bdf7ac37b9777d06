//! What each format's contract says: one row a format.
//!
//! Whoever needs to know how a format behaves asks its row ([`Format::contract`]), never which format it is, and what a
//! step has is asked of the step. Only this table, the dialects and the vocabularies name a format.

use serde::{Deserialize, Serialize};

/// Which contract a workflow was written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum Format {
    /// Seed 000.
    StepSpec,
    /// Seed 001.
    Stepwise,
    /// Seed 002.
    Rundown,
    /// Seed 003.
    ContextState,
    /// Seed 004.
    Pipeline,
    /// The workflow files of seed 003's family.
    AgentWorkflow,
}

/// What the contract of a format says, as answers to the questions that the rest of the program asks.
#[derive(Debug, PartialEq, Eq)]
pub struct Contract {
    /// What a person reads wherever the format is named by itself: on a badge, in a choice, above a form.
    pub label: &'static str,
    /// The same in a sentence, with its article.
    pub noun: &'static str,
    /// The format in data that is kept: the history's column, the same word as in JSON.
    pub word: &'static str,
    /// What moves a run on.
    pub control: Control,
    /// How often a run may enter steps before it counts as one that never ends.
    pub safety: Safety,
    /// What the texts for people are written in.
    pub prose: Prose,
    /// How a run that has ended is taken up again.
    pub reopening: Reopening,
    /// A person carries out what no engine is bound to, and the person's answer is the step's outcome. Elsewhere every
    /// step has an agent, and what a person does for one is checked and kept like any agent's work.
    pub by_hand: bool,
    /// A person may send a run to another step.
    pub jumps: bool,
    /// A step's report may name the step that follows, in `next_step_id`; it comes before what the file says. A workflow
    /// may say otherwise ([`crate::Workflow::next_reported`]).
    pub next_reported: bool,
    /// A step may say itself which one follows it; one that says nothing is followed by the next in the file.
    pub says_what_follows: bool,
    /// A workflow may be one of several in a run, one after the other ([`crate::Part`]).
    pub several_flows: bool,
    /// Its files hold the state of a run: they are read and checked, and nothing of them is run.
    pub state_of_run: bool,
    /// Paths and texts hold placeholders: `{output_folder}`, `{{answer}}`.
    pub placeholders: bool,
    /// Steps may name tools, context, validation and evidence, and what an agent claims is evidence without being asked
    /// for. A run always keeps the project's configuration for them. The project's guardrails hold in every format.
    pub lifecycle: bool,
    /// Whether a person is asked at a step that says nothing of a gate.
    pub silent_gate: SilentGate,
    /// Steps of one phase in a row are drawn as a lane.
    pub phase_lanes: bool,
    /// The file shows the state of its run, which a run writes into it.
    pub state_in_file: bool,
    /// What a stage makes is kept in a folder of its own, with the latest of it beside (seed 004 `outputs`). Elsewhere it stays where it is made.
    pub stage_outputs: bool,
    /// The file holds its own scenarios, and they use the contract's words. Elsewhere they lie beside it.
    pub scenarios_in_file: bool,
    /// Fields at the top of a file that are shown in a place of their own.
    pub shown_elsewhere: &'static [&'static str],
    /// The words for what happened, in a run's `events.jsonl` and its other files.
    pub vocabulary: ContractWords,
}

/// What moves a run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// One step at a time, as its routing says.
    Token,
    /// Every stage when what it depends on is completed.
    Stages,
}

/// How often a run may enter steps since a person last answered: a net under cycles that no bound ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Safety {
    /// So many times the number of steps, or as often as the bounds of the file's own loops allow, if that is more.
    TimesSteps(usize),
    /// So many times, however many steps there are: its steps are meant to turn often.
    Entries(usize),
}

impl Safety {
    /// The bound for a workflow of so many steps, whose loops may be taken so often in all.
    pub fn limit(self, steps: usize, rounds: usize) -> usize {
        match self {
            // Counters are never reset: between two rounds, of whichever loops, each step is entered once at most.
            Self::TimesSteps(factor) => steps.saturating_mul(factor.max(rounds.saturating_add(1))),
            Self::Entries(entries) => entries,
        }
    }
}

/// What descriptions and instructions are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prose {
    /// As it stands.
    Plain,
    /// The file is a Markdown document.
    Markdown,
}

/// How a run that has ended is taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reopening {
    /// A new run is started instead.
    Never,
    /// At the first step that is not completed.
    AtOpenStep,
    /// Where its token stood when it ended, or at a step before that: what comes then follows from there.
    WhereItStood,
    /// Stage by stage: a person says which are done again, skipped or left.
    ByStage,
}

/// Whether a person is asked at a step that says nothing of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SilentGate {
    /// Nobody is.
    Nobody,
    /// The project's policy decides; only an outspoken `none` keeps everybody away.
    Policy,
}

/// Whose words a run's files use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContractWords {
    /// Those of seed 001.
    Stepwise,
    /// Those of seed 000, with the whole record of each step.
    StepSpec,
}

/// The usual answers; each row says where its format differs.
const USUAL: Contract = Contract {
    label: "",
    noun: "",
    word: "",
    control: Control::Token,
    safety: Safety::TimesSteps(10),
    prose: Prose::Plain,
    reopening: Reopening::Never,
    by_hand: false,
    jumps: false,
    next_reported: false,
    says_what_follows: false,
    several_flows: false,
    state_of_run: false,
    placeholders: false,
    lifecycle: false,
    silent_gate: SilentGate::Nobody,
    phase_lanes: false,
    state_in_file: false,
    stage_outputs: false,
    scenarios_in_file: false,
    shown_elsewhere: &[],
    vocabulary: ContractWords::Stepwise,
};

const STEP_SPEC: Contract = Contract {
    label: "StepSpec",
    noun: "a StepSpec workflow",
    word: "step_spec",
    reopening: Reopening::AtOpenStep,
    placeholders: true,
    lifecycle: true,
    silent_gate: SilentGate::Policy,
    phase_lanes: true,
    vocabulary: ContractWords::StepSpec,
    ..USUAL
};

const STEPWISE: Contract = Contract {
    label: "Flow",
    noun: "a stepwise flow",
    word: "stepwise",
    next_reported: true,
    says_what_follows: true,
    several_flows: true,
    reopening: Reopening::WhereItStood,
    ..USUAL
};

const RUNDOWN: Contract = Contract {
    label: "Runbook",
    noun: "a runbook",
    word: "rundown",
    safety: Safety::Entries(10_000),
    reopening: Reopening::WhereItStood,
    prose: Prose::Markdown,
    by_hand: true,
    jumps: true,
    scenarios_in_file: true,
    shown_elsewhere: &["name", "agents", "scenarios"],
    ..USUAL
};

/// The state of a run; read and checked, never run.
const CONTEXT_STATE: Contract = Contract {
    label: "Session",
    noun: "a session",
    word: "context_state",
    state_of_run: true,
    ..USUAL
};

const PIPELINE: Contract = Contract {
    label: "Pipeline",
    noun: "a pipeline",
    word: "pipeline",
    control: Control::Stages,
    reopening: Reopening::ByStage,
    state_in_file: true,
    stage_outputs: true,
    ..USUAL
};

/// Steps in a sequence or in groups, which wait for each other as stages do.
const AGENT_WORKFLOW: Contract = Contract {
    label: "Agent workflow",
    noun: "an agent workflow",
    word: "agent_workflow",
    control: Control::Stages,
    reopening: Reopening::ByStage,
    phase_lanes: true,
    ..USUAL
};

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::StepSpec,
        Self::Stepwise,
        Self::Rundown,
        Self::ContextState,
        Self::Pipeline,
        Self::AgentWorkflow,
    ];

    /// What the format's contract says.
    pub fn contract(self) -> &'static Contract {
        match self {
            Self::StepSpec => &STEP_SPEC,
            Self::Stepwise => &STEPWISE,
            Self::Rundown => &RUNDOWN,
            Self::ContextState => &CONTEXT_STATE,
            Self::Pipeline => &PIPELINE,
            Self::AgentWorkflow => &AGENT_WORKFLOW,
        }
    }

    /// The format that data calls by this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.contract().word == word)
    }

    /// What a person reads wherever the format is named by itself.
    pub fn label(self) -> &'static str {
        self.contract().label
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_names_and_the_word_that_json_has() {
        for format in Format::ALL {
            let row = format.contract();
            assert_eq!(serde_json::json!(format), row.word);
            assert_eq!(Format::of_word(row.word), Some(format));
            assert!(!row.label.is_empty());
            assert!(
                row.noun.starts_with("a ") || row.noun.starts_with("an "),
                "{}",
                row.noun
            );
        }
        assert_eq!(Format::of_word("Stepwise"), None);
    }

    #[test]
    fn only_stages_are_taken_up_stage_by_stage() {
        for row in Format::ALL.map(Format::contract) {
            let by_stage = row.reopening == Reopening::ByStage;
            assert!(!by_stage || row.control == Control::Stages, "{}", row.label);
        }
    }
}
