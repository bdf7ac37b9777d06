//! The oracle: recorded cases of the systems the contracts come from, run through the product's own parser, engine, driver,
//! store and renderers. The case files and what their levels mean are described in the README of the folder they lie in.
//!
//! * [`case`]: files, cases, levels and verdicts. [`tally`]: counting and printing.
//! * [`flow`]: from a recorded case to the text of a flow, and from there through the dialect.
//! * [`routing`], [`runs`], [`contract`], [`features`]: the checks of stepwise flows, by what they ask of the product.
//! * [`rundown`]: runbooks as text. [`rundown_runs`]: their traces and aggregation.
//!   [`rundown_scenarios`]: their scenarios.
//! * [`pipelines`]: pipelines as text. [`pipelines_runs`], [`pipelines_behaviour`]: carried out in a project of their own
//!   ([`pipelines_project`]).
//! * [`session`]: sessions against their schema.
//! * [`stepspec`]: StepSpecs as tables. [`stepspec_runs`]: carried out in a project of their own ([`stepspec_project`]).
//!   [`stepspec_tools`]: guardrails, the clock, timelines.

pub mod case;
mod contract;
mod features;
mod flow;
mod pipelines;
mod pipelines_behaviour;
mod pipelines_project;
mod pipelines_runs;
mod routing;
mod rundown;
mod rundown_runs;
mod rundown_scenarios;
mod runs;
mod session;
mod stepspec;
mod stepspec_project;
mod stepspec_runs;
mod stepspec_tools;
pub mod tally;

use case::{Case, CaseFile, Fault};
use std::path::{Path, PathBuf};
use tally::{FileTally, Tally};

/// What a check may use besides its case.
pub struct Context {
    /// The format's folder: recorded flows and runs lie beside the case files.
    pub folder: PathBuf,
    /// What the whole case file holds (shared graphs).
    pub file: serde_json::Value,
    /// Carries runs out.
    pub runtime: tokio::runtime::Runtime,
}

/// One case through the product: nothing, or how the answer differs.
type Check = fn(&Context, &Case) -> Result<(), Fault>;

/// The stepwise files and the check of each. A file that is not listed fails case by case: nothing is left out in silence.
const STEPWISE: &[(&str, Check)] = &[
    ("conditions_cel.json", routing::condition),
    ("decision_vocabulary.json", routing::signal_word),
    ("end_to_end.json", runs::end_to_end),
    ("event_streams.json", contract::event_stream),
    ("events_jsonl.json", contract::events_file),
    ("flow_features.json", features::key_path),
    ("graph_routing.json", routing::graph),
    ("join_status.json", routing::merged_status),
    ("microloop_termination_handoff.json", routing::termination),
    ("navigator_candidates.json", routing::candidates),
    ("real_flow_runs.json", runs::real_flow),
    ("real_run_invariants.json", contract::real_run),
    ("receipt_paths.json", contract::receipt_path),
    ("receipts.json", contract::receipt),
    ("routing_config.json", routing::config),
    ("routing_driver.json", routing::driver),
    ("routing_spec.json", routing::spec),
    ("step_results.json", contract::step_result),
    ("transcript_lines.json", contract::transcript_line),
];

/// The runbook files and the check of each.
const RUNDOWN: &[(&str, Check)] = &[
    ("aggregation.json", rundown_runs::aggregation),
    ("execution_traces.json", rundown_runs::trace),
    ("parse_cases.json", rundown::parse_case),
    ("real_runbooks.json", rundown::real_runbook),
    ("recovery_traces.json", rundown_runs::trace),
    ("scenarios.json", rundown_scenarios::scenario),
];

/// The pipeline files and the check of each.
const PIPELINES: &[(&str, Check)] = &[
    ("behaviour.json", pipelines_behaviour::behaviour),
    ("concurrency.json", pipelines_runs::concurrency),
    ("dag.json", pipelines_runs::dag),
    ("definition_forms.json", pipelines::definition),
    ("id_format.json", pipelines::id_format),
    ("id_generation.json", pipelines::id_generation),
    ("sanitize.json", pipelines::sanitized),
    ("templates.json", pipelines::template),
];

/// The StepSpec files and the check of each.
const STEPSPEC: &[(&str, Check)] = &[
    ("artifact_ids.json", stepspec_tools::artifact_id),
    ("decay.json", stepspec::decay),
    ("engine.json", stepspec_runs::engine_run),
    ("evidence_schema.json", stepspec::evidence_schema),
    ("gates.json", stepspec::gate),
    ("get_current_time.json", stepspec_tools::current_time),
    ("guardrails.json", stepspec_tools::guardrail),
    ("output_placeholders.json", stepspec::outputs),
    ("promotion.json", stepspec::promotion),
    ("resume_start.json", stepspec::resume_start),
    ("retry_policy.json", stepspec::retry),
    ("step_spec_schema.json", stepspec::schema),
    ("text_rules.json", stepspec_runs::text_rule),
    ("timeline_order.json", stepspec_tools::timeline),
    ("tools.json", stepspec_runs::tools),
    ("transitions.json", stepspec::transition),
    ("validation_policy.json", stepspec::validation),
    ("wlnk.json", stepspec::weakest),
];

/// The file of sessions.
const CONTEXT_STATE: &[(&str, Check)] = &[("cases.json", session::document)];

/// Every format that is covered: its folder, and its files.
const FORMATS: &[(&str, &[(&str, Check)])] = &[
    ("context_state", CONTEXT_STATE),
    ("pipelines", PIPELINES),
    ("rundown", RUNDOWN),
    ("stepspec", STEPSPEC),
    ("stepwise", STEPWISE),
];

/// Runs everything in a folder: a whole oracle folder, or the folder of one format.
///
/// # Errors
/// The folder or a file in it cannot be read, or holds no cases.
pub fn run(folder: &Path) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    if FORMATS.iter().any(|(name, _)| folder.join(name).is_dir()) {
        for (name, inside) in formats(folder)? {
            match FORMATS.iter().find(|(known, _)| *known == name) {
                Some((name, files)) => format(name, files, &inside, &mut tally)?,
                None => not_covered(&name, &inside, &mut tally)?,
            }
        }
    } else if let Some((name, files)) = FORMATS.iter().find(|(_, files)| folder.join(files[0].0).is_file()) {
        format(name, files, folder, &mut tally)?;
    } else {
        let name = folder.file_name().map(|n| n.to_string_lossy().into_owned());
        not_covered(&name.unwrap_or_default(), folder, &mut tally)?;
        anyhow::ensure!(
            !tally.not_covered.is_empty(),
            "{} holds no case files (*.json)",
            folder.display()
        );
    }
    Ok(tally)
}

fn formats(folder: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_dir(), path.file_name()) {
            found.push((name.to_string_lossy().into_owned(), path.clone()));
        }
    }
    found.sort();
    Ok(found)
}

fn case_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "json") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn not_covered(name: &str, folder: &Path, tally: &mut Tally) -> anyhow::Result<()> {
    let files = case_files(folder)?;
    let mut cases = 0;
    for path in &files {
        cases += CaseFile::read(path)?.cases.len();
    }
    if !files.is_empty() {
        tally.not_covered.push((name.to_owned(), cases));
    }
    Ok(())
}

fn format(format: &str, files: &[(&str, Check)], folder: &Path, tally: &mut Tally) -> anyhow::Result<()> {
    let mut context = Context {
        folder: folder.to_owned(),
        file: serde_json::Value::Null,
        runtime: tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?,
    };
    for (name, _) in files {
        // A file that went missing would lower every total without a word.
        if !folder.join(name).is_file() {
            tally.broken.push(format!("{format}/{name} is not there"));
        }
    }
    for path in case_files(folder)? {
        let mut file = CaseFile::read(&path)?;
        context.file = std::mem::take(&mut file.whole);
        let name = format!("{format}/{}", file.name);
        let check = files.iter().find(|(known, _)| *known == file.name).map(|(_, c)| *c);
        let mut counted = FileTally::new(&name);
        for case in &file.cases {
            let outcome = match check {
                Some(check) => check(&context, case),
                None => Err(Fault::NotImplemented("this file is not known to the adapter")),
            };
            counted.count(case, outcome);
        }
        if let Some(declared) = file.count.filter(|n| *n != file.entries) {
            let ran = file.entries;
            tally
                .broken
                .push(format!("{name} declares {declared} cases and holds {ran}"));
        }
        tally.files.push(counted);
    }
    Ok(())
}
