//! What can be typed.

pub mod pipeline;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Run workflows that people approve, replay them, and prove what happened.
#[derive(Debug, Parser)]
#[command(name = "gatehouse", version, propagate_version = true, max_term_width = 100)]
pub struct Arguments {
    /// The project's folder. Without it: the nearest folder upwards that has a `gatehouse.yaml` or a history, else this one.
    #[arg(long, short = 'C', global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check workflow files for problems.
    Check(Check),
    /// Try a workflow's scenarios in memory, without side effects, and say what they cover.
    Test(Test),
    /// Run a workflow, and wait with it for the people it asks.
    Run(Run),
    /// Create, run, watch, stop and resume pipelines of stages that wait for each other.
    #[command(subcommand)]
    Pipeline(pipeline::Pipeline),
    /// Say that you trust whoever made this project: until then it can be looked at and rehearsed, and nothing of it runs.
    Trust(Trust),
    /// Show who decided with which key; confirm a key that you compared with its owner, or revoke one.
    People(People),
    /// List runs, latest first.
    List(List),
    /// Show where a run stands.
    Status(OfRun),
    /// Show two runs beside each other: what each did, and where they part.
    Compare(Compare),
    /// List who decided what, latest first.
    Decisions(Decisions),
    /// List what supports what was made, what expires soonest first.
    Evidence(Evidence),
    /// Answer a gate.
    Answer(Answer),
    /// Let no further step of a run start: it is set aside until it is resumed.
    #[command(visible_alias = "stash")]
    Pause(OfRun),
    /// Take a run up again: after a pause, a crash, or when nobody drives it.
    #[command(visible_alias = "pop")]
    Resume(Resume),
    /// Name the moment at which a run stands, so that one can go back to it.
    Checkpoint(MakeCheckpoint),
    /// List the moments of a run that one can go back to, each with what has been done since.
    Checkpoints(OfRun),
    /// Go back to a checkpoint: a new run begins with what the run had done by then.
    #[command(name = "restore-checkpoint")]
    RestoreCheckpoint(RestoreCheckpoint),
    /// Send a runbook that waits to another step.
    Goto(Goto),
    /// Stop a run: it ends, with everything that it started.
    Abort(Abort),
    /// Print the events of a run, one JSON object a line.
    Events(Events),
    /// Print what a step printed, whole as far as it is kept.
    Output(Output),
    /// Verify that nothing of a run, or of a bundle, was changed: chain, contents, files, signatures, the project's register of runs.
    Verify(Verify),
    /// Write the report of a run as one HTML page.
    Report(Report),
    /// Hand a run over: write its report and its record into one ZIP file that anybody can check.
    Bundle(Report),
    /// Delete the files of a run and write them anew from its log.
    Rebuild(OfRun),
    /// Copy the history into one complete file, while runs go on, and check the copy.
    Backup(OneFile),
    /// Put a backup in the place of the history; the one that was there is kept beside it.
    Restore(OneFile),
    /// Look at a session: the state of a run of several agents, in one document.
    #[command(subcommand)]
    Session(Session),
    /// Explain a problem's code.
    Explain(Explain),
    /// Show the window in a browser on this machine.
    Serve(Serve),
    /// Print completions for a shell.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
}

/// `backup`, `restore`.
#[derive(Debug, Args)]
pub struct OneFile {
    /// The backup.
    pub file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Files, or folders to look through.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Print one JSON object a file.
    #[arg(long)]
    pub json: bool,
}

/// `test`.
#[derive(Debug, Args)]
pub struct Test {
    /// Files, or folders to look through.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Print one JSON object a file.
    #[arg(long)]
    pub json: bool,
    /// Print a scenario that covers what none does yet, to paste into the front matter.
    #[arg(long)]
    pub suggest: bool,
}

/// `verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// Which run, and how it is printed.
    #[command(flatten)]
    pub of: OfRun,
    /// A report of this run that was written earlier: the record must still be what it was made of.
    #[arg(long, value_name = "REPORT")]
    pub against: Option<PathBuf>,
}

/// `trust`.
#[derive(Debug, Args)]
pub struct Trust {
    /// Take it back.
    #[arg(long)]
    pub revoke: bool,
}

/// `people`.
#[derive(Debug, Args)]
pub struct People {
    /// What to do; without it: show them.
    #[command(subcommand)]
    pub act: Option<PeopleAct>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What can be said of a key. It is kept with you, outside of every project.
#[derive(Debug, Subcommand)]
pub enum PeopleAct {
    /// You compared the whole fingerprint with its owner: say whose it is.
    Confirm {
        /// All of its 64 digits, in groups or not.
        #[arg(required = true, num_args = 1..)]
        fingerprint: Vec<String>,
        /// Whose it is.
        #[arg(long, allow_hyphen_values = true)]
        name: String,
    },
    /// What the key signs counts no more.
    Revoke {
        /// All of its 64 digits, in groups or not.
        #[arg(required = true, num_args = 1..)]
        fingerprint: Vec<String>,
        /// From which day on, as YYYY-MM-DD (UTC); else from now on.
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// Why.
        #[arg(long, allow_hyphen_values = true)]
        why: String,
    },
}

/// `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The workflow.
    pub file: PathBuf,
    /// Rehearse it: every agent is simulated, nothing is executed and nothing of it counts; people answer the gates.
    #[arg(long)]
    pub rehearse: bool,
    /// The scenario that scripts a rehearsal: steps answer and gates are answered as it says.
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// Of a rehearsal: the step at which it begins. What does not follow it is not rehearsed.
    #[arg(long, value_name = "STEP", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// In a rehearsal, let scripted times and the pauses before another attempt pass at once.
    #[arg(long, requires = "scenario")]
    pub fast: bool,
    /// Print the events as JSON lines, and a summary as the last one.
    #[arg(long)]
    pub json: bool,
    /// Approve every gate and permit what is asked in your own name, signed; what you carry out yourself is still asked.
    #[arg(long)]
    pub yes: bool,
    /// Your name, under what `--yes` approves; else the one in the settings.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub by: Option<String>,
    /// Return when the run waits for a person.
    #[arg(long)]
    pub until_blocked: bool,
    /// Ask for the outcome of every step and execute nothing.
    #[arg(long)]
    pub prompted: bool,
    /// Permit everything that this run would ask permission for; what a rule denies stays denied.
    #[arg(long)]
    pub permit: bool,
    /// Give a step to a person or an agent: STEP=NAME. May be given again.
    #[arg(long, value_name = "STEP=NAME", value_parser = assignment, allow_hyphen_values = true)]
    pub assign: Vec<(String, String)>,
    /// What this run is about, in one line: it stands on its decisions, in lists and in the report.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub subject: Option<String>,
    /// Answer what the workflow asks before it begins: NAME=VALUE. May be given again.
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub input: Vec<String>,
}

/// `2.1=anna`.
fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=').map(|(step, name)| (step.trim(), name.trim())) {
        Some((step, name)) if !step.is_empty() && !name.is_empty() => Ok((step.to_owned(), name.to_owned())),
        _ => Err("write the step and the name as STEP=NAME, for example 2.1=anna".to_owned()),
    }
}

/// How a run that goes on is followed.
#[derive(Debug, Args)]
pub struct Follow {
    /// Print the events as JSON lines, and a summary as the last one; with `--dry-run` what would follow.
    #[arg(long)]
    pub json: bool,
    /// Approve every gate in your own name, signed.
    #[arg(long)]
    pub yes: bool,
    /// Your name, under what `--yes` approves; else the one in the settings.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub by: Option<String>,
    /// In a rehearsal, let scripted times and the pauses before another attempt pass at once.
    #[arg(long)]
    pub fast: bool,
    /// Return when the run waits for a person.
    #[arg(long)]
    pub until_blocked: bool,
}

/// `resume`.
#[derive(Debug, Args)]
pub struct Resume {
    /// The run, or the beginning of its id.
    pub run: String,
    /// Go on at this step, which the run has reached before, instead of where it stood when it ended.
    #[arg(long, value_name = "STEP", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Go on with the file as it is now, in a new run that begins with what this one has done. Every step that is completed and does not run
    /// again must be as it was.
    #[arg(long)]
    pub mended: bool,
    /// Of an imported session: the workflow that it is of. A new run does the steps that are left.
    #[arg(long, value_name = "FILE", conflicts_with = "mended")]
    pub workflow: Option<PathBuf>,
    /// Say at which step it would go on, which may come after it and which are not done again; change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// How the run is followed.
    #[command(flatten)]
    pub follow: Follow,
}

/// `checkpoint`.
#[derive(Debug, Args)]
pub struct MakeCheckpoint {
    /// The run, or the beginning of its id.
    pub run: String,
    /// What the moment is called, one line.
    #[arg(allow_hyphen_values = true)]
    pub name: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `restore-checkpoint`.
#[derive(Debug, Args)]
pub struct RestoreCheckpoint {
    /// The run, or the beginning of its id.
    pub run: String,
    /// The checkpoint: its number as `gatehouse checkpoints` lists it, its id or its name.
    #[arg(allow_hyphen_values = true)]
    pub checkpoint: String,
    /// Say what would follow, and what putting the files of that moment back would do to the project; change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Put the files of that moment back into the project, as `--dry-run` lists them; without it the project stays as it is.
    #[arg(long)]
    pub put_back: bool,
    /// How the run is followed.
    #[command(flatten)]
    pub follow: Follow,
}

/// `list`.
#[derive(Debug, Args)]
pub struct List {
    /// Only runs that have not ended.
    #[arg(long)]
    pub open: bool,
    /// Only runs that a person refused.
    #[arg(long)]
    pub refused: bool,
    /// Only runs that began on this day or later, as YYYY-MM-DD.
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only runs that began on this day or earlier.
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// Only runs that this person started or answered in.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub by: Option<String>,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

/// Commands that take a run.
#[derive(Debug, Args)]
pub struct OfRun {
    /// The run, or the beginning of its id.
    pub run: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `goto`.
#[derive(Debug, Args)]
pub struct Goto {
    /// The run, or the beginning of its id.
    pub run: String,
    /// The step: `3`, `2.1`, `Recover`.
    #[arg(allow_hyphen_values = true)]
    pub step: String,
}

/// `abort`.
#[derive(Debug, Args)]
pub struct Abort {
    /// The run, or the beginning of its id.
    pub run: String,
    /// Why.
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    pub reason: String,
}

/// `answer`.
#[derive(Debug, Args)]
pub struct Answer {
    /// The run, or the beginning of its id.
    pub run: String,
    /// The gate: its id, or the id of its step.
    #[arg(allow_hyphen_values = true)]
    pub gate: String,
    /// The answer.
    #[arg(value_enum)]
    pub answer: Word,
    /// Your name; else the one in the settings.
    #[arg(long, allow_hyphen_values = true)]
    pub by: Option<String>,
    /// Why; needed for changes and reject, and where work that a person carries out has failed.
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    pub comment: String,
    /// Answer this round and no other; else the one that waits.
    #[arg(long)]
    pub round: Option<u32>,
    /// Of a permission: for how long it is given.
    #[arg(long, value_enum, default_value = "once")]
    pub lasting: Lasting,
    /// Of choose: which way, as the question names it.
    #[arg(long, value_name = "WAY", allow_hyphen_values = true)]
    pub way: Option<String>,
    /// Of a step that you carried out: a value that decides where it goes on. Can be repeated.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = reported, allow_hyphen_values = true)]
    pub report: Vec<(String, String)>,
}

fn reported(text: &str) -> Result<(String, String), String> {
    let (field, value) = text
        .split_once('=')
        .ok_or("a field and its value are wanted: verdict=good")?;
    match field.trim() {
        "" => Err("the field has no name".to_owned()),
        field => Ok((field.to_owned(), value.to_owned())),
    }
}

/// For how long a permission is given.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Lasting {
    /// For this visit of the step, with its retries.
    Once,
    /// To the end of this run.
    Run,
    /// For later runs of this project too.
    Always,
}

/// The answers. A gate takes approve, changes or reject; a step that a person carries out pass or fail, a question of a
/// runbook yes or no; a permission approve or reject; a question for the way on choose, changes or reject.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Word {
    /// Go on.
    Approve,
    /// Again, with the comment.
    Changes,
    /// Not at all.
    Reject,
    /// It went well.
    Pass,
    /// It did not.
    Fail,
    /// The answer to a question: the same as pass.
    Yes,
    /// The answer to a question: the same as fail.
    No,
    /// On along one of the ways: `--way` says which.
    Choose,
}

/// `events`.
#[derive(Debug, Args)]
pub struct Events {
    /// The run, or the beginning of its id.
    pub run: String,
    /// In whose words; those of the run's own format where nothing is said.
    #[arg(long, value_enum)]
    pub vocabulary: Option<Words>,
    /// Go on as long as the run does.
    #[arg(long, short)]
    pub follow: bool,
}

/// `output`.
#[derive(Debug, Args)]
pub struct Output {
    /// The run, or the beginning of its id.
    pub run: String,
    /// The step: its id, or its number.
    #[arg(allow_hyphen_values = true)]
    pub step: String,
    /// Which time that the run did the step, counted from 1; else the latest.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub visit: Option<u32>,
    /// Which attempt of that time, counted from 1; else the latest.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub attempt: Option<u32>,
}

/// Vocabularies of events.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Words {
    /// `run_created`, `step_start` …
    Stepwise,
    /// `WorkflowStarted`, `HumanGateRequired` …
    Bmad,
    /// As they are stored.
    Native,
}

/// `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The first run, or the beginning of its id.
    pub first: String,
    /// The second run.
    pub second: String,
    /// Also show what is the same in both.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `decisions`. Without options: the latest that were made for real.
#[derive(Debug, Args)]
pub struct Decisions {
    /// Only those made on this day or later, as YYYY-MM-DD.
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only those made on this day or earlier.
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// Only those of this person.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub by: Option<String>,
    /// Only those that answered this.
    #[arg(long)]
    pub answer: Option<Word>,
    /// Only those in runs of this workflow: its title, or its file.
    #[arg(long, value_name = "WORKFLOW", allow_hyphen_values = true)]
    pub workflow: Option<String>,
    /// Only those with all of these words in the comment or the question.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub words: Option<String>,
    /// Those made in rehearsals too.
    #[arg(long)]
    pub rehearsals: bool,
    /// At most so many, 5000 at most; without it the latest hundred.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=5_000))]
    pub limit: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `evidence`.
#[derive(Debug, Args)]
pub struct Evidence {
    /// Of this run alone, or the beginning of its id.
    pub run: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `report`, `bundle`.
#[derive(Debug, Args)]
pub struct Report {
    /// The run, or the beginning of its id.
    pub run: String,
    /// Where to write it.
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

/// `session`.
#[derive(Debug, Subcommand)]
pub enum Session {
    /// Show what a session says, and what of it breaks the schema of sessions.
    Show(ShowSession),
    /// Print the state of a run as a session.
    Export(ExportSession),
    /// Take a session in as a run to look at; nothing of it is executed.
    Import(ImportSession),
    /// Print the schema that sessions keep (JSON Schema, draft-07), for editors.
    Schema,
}

/// `session show`.
#[derive(Debug, Args)]
pub struct ShowSession {
    /// The session.
    pub file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `session import`.
#[derive(Debug, Args)]
pub struct ImportSession {
    /// The session.
    pub file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `session export`.
#[derive(Debug, Args)]
pub struct ExportSession {
    /// The run, or the beginning of its id.
    pub run: String,
    /// As it stood after the event of this number, 1 or more; without it: as it stands now.
    #[arg(long, value_name = "EVENT", value_parser = clap::value_parser!(u64).range(1..))]
    pub at: Option<u64>,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The code, such as GH0001; without it all codes are listed.
    pub code: Option<String>,
}

/// `serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Port on this machine; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    pub port: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was typed, as the program's name and the words behind it.
    fn typed(words: &[&str]) -> Command {
        let words = std::iter::once("gatehouse").chain(words.iter().copied());
        Arguments::try_parse_from(words).expect("taken").command
    }

    #[test]
    fn a_text_may_begin_with_a_dash() {
        for said in ["- § 11 missing", "-1+2", "--no-signature"] {
            let Command::Answer(answer) = typed(&["answer", "01", "gate", "changes", "--comment", said, "--by", "Ann"])
            else {
                panic!("an answer");
            };
            assert_eq!((answer.comment.as_str(), answer.by.as_deref()), (said, Some("Ann")));
            let Command::Abort(abort) = typed(&["abort", "01", "--reason", said]) else {
                panic!("an end");
            };
            assert_eq!(abort.reason, said);
            let Command::Run(run) = typed(&[
                "run",
                "a.yaml",
                "--subject",
                said,
                "--input",
                "-x=1",
                "--fast",
                "--scenario",
                "b",
            ]) else {
                panic!("a run");
            };
            assert_eq!(
                (run.subject.as_deref(), run.input, run.fast),
                (Some(said), vec!["-x=1".to_owned()], true)
            );
            let Command::Decisions(decisions) = typed(&["decisions", "--words", said, "--json"]) else {
                panic!("decisions");
            };
            assert_eq!((decisions.words.as_deref(), decisions.json), (Some(said), true));
        }
        // A word that no option takes is still named as one that there is not.
        assert!(Arguments::try_parse_from(["gatehouse", "answer", "01", "gate", "approve", "--coment", "x"]).is_err());
    }
}
