//! What can be typed behind `gatehouse pipeline`.

use clap::{ArgGroup, Args, Subcommand};
use std::path::PathBuf;

/// `pipeline`.
#[derive(Debug, Subcommand)]
pub enum Pipeline {
    /// Create a pipeline from a template, a file or another pipeline.
    Create(Create),
    /// Run a pipeline, and wait with it for the people it asks.
    Run(Run),
    /// Show where a pipeline stands.
    Status(Status),
    /// List templates and pipelines.
    List(List),
    /// Stop a pipeline that runs, here or in another program.
    Abort(Abort),
    /// Go on with a pipeline that failed, was stopped or was interrupted.
    Resume(Resume),
}

/// `pipeline create`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("source").args(["template", "file", "from"])))]
pub struct Create {
    /// The template it is made of.
    #[arg(long, short, value_name = "NAME")]
    pub template: Option<String>,
    /// The file it is made of: a pipeline without an id.
    #[arg(long, short, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The pipeline it is made of; all its stages are pending again.
    #[arg(long, value_name = "ID")]
    pub from: Option<String>,
    /// Its name; else that of what it is made of.
    #[arg(long, short, allow_hyphen_values = true)]
    pub name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `pipeline run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The pipeline: PIPE-YYYYMMDD-name-HHmmss.
    #[arg(allow_hyphen_values = true)]
    pub id: String,
    /// Rehearse it in a run of its own: every agent is simulated, nothing is executed, and the pipeline stays as it is.
    #[arg(long)]
    pub rehearse: bool,
    /// The scenario that scripts a rehearsal.
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<std::path::PathBuf>,
    /// Approve every gate and permit what is asked in your own name, signed.
    #[arg(long)]
    pub yes: bool,
    /// Your name, under what `--yes` approves; else the one in the settings.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub by: Option<String>,
    /// Permit everything that this run would ask permission for; what a rule denies stays denied.
    #[arg(long)]
    pub permit: bool,
    /// Return when the pipeline waits for a person.
    #[arg(long)]
    pub until_blocked: bool,
    /// Answer what the workflows of its stages ask before it begins: NAME=VALUE. May be given again.
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `pipeline status`.
#[derive(Debug, Args)]
pub struct Status {
    /// The pipeline; without it the one that was started last.
    #[arg(allow_hyphen_values = true)]
    pub id: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `pipeline list`.
#[derive(Debug, Args)]
pub struct List {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `pipeline abort`.
#[derive(Debug, Args)]
pub struct Abort {
    /// The pipeline; without it the one that was started last.
    #[arg(allow_hyphen_values = true)]
    pub id: Option<String>,
    /// Why.
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    pub reason: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `pipeline resume`. Without choices it asks for each stage.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("rest").args(["retry_all", "skip_all"])))]
pub struct Resume {
    /// The pipeline.
    #[arg(allow_hyphen_values = true)]
    pub id: String,
    /// Stages that run again.
    #[arg(long, value_delimiter = ',', value_name = "STAGES", allow_hyphen_values = true)]
    pub retry: Vec<String>,
    /// Stages that are left out, and with them what waits for them.
    #[arg(long, value_delimiter = ',', value_name = "STAGES", allow_hyphen_values = true)]
    pub skip: Vec<String>,
    /// Every other stage that failed or was cut off runs again.
    #[arg(long)]
    pub retry_all: bool,
    /// Every other stage that failed or was cut off is left out.
    #[arg(long)]
    pub skip_all: bool,
    /// Approve every gate in your own name, signed.
    #[arg(long)]
    pub yes: bool,
    /// Your name, under what `--yes` approves; else the one in the settings.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub by: Option<String>,
    /// Return when the pipeline waits for a person.
    #[arg(long)]
    pub until_blocked: bool,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub json: bool,
}
