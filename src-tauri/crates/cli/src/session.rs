//! `gatehouse session`: a session for somebody who has never seen its document, and a run as one.

use crate::arguments::{ImportSession, Session, ShowSession};
use crate::out;
use crate::out::{Exit, Failure};
use crate::project;
use std::path::Path;
use studio::Client;
use studio::session::view::{AgentContext, SessionView};
use studio::text::paste::shell_word_or;

/// Carries one of them out.
pub fn session(at: Option<&Path>, a: &Session) -> Result<Exit, Failure> {
    match a {
        Session::Show(a) => show(a),
        Session::Import(a) => import(at, a),
        Session::Schema => {
            out::lines(studio::session::query::SCHEMA.trim_end());
            Ok(Exit::Done)
        }
        Session::Export(a) => {
            let studio = project::recorded(at)?;
            out::document(&studio.session_of(&a.run, a.at)?);
            Ok(Exit::Done)
        }
    }
}

fn show(a: &ShowSession) -> Result<Exit, Failure> {
    let view = studio::session::query::open(&a.file)?;
    if a.json {
        out::json(&view);
    } else {
        print(&view);
    }
    let well = view
        .problems
        .iter()
        .all(|problem| problem.severity != studio::Severity::Error);
    Ok(if well { Exit::Done } else { Exit::Invalid })
}

fn import(at: Option<&Path>, a: &ImportSession) -> Result<Exit, Failure> {
    let studio = project::open(at, Some(&a.file), Client::Cli)?;
    let path = project::relative(&studio, &a.file).unwrap_or_else(|_| a.file.display().to_string());
    let run = studio.import(&path, studio::session::query::text_of(&a.file)?)?;
    if a.json {
        out::json(&serde_json::json!({"run_id": run.to_string()}));
        return Ok(Exit::Done);
    }
    out::line(format!("run {run}"));
    out::line("imported: nothing of it was executed here, and nobody signed it");
    studio.imported_as(&run)?.iter().for_each(out::line);
    let view = studio.session_view(run.as_str())?;
    if !view.problems.is_empty() {
        let places = match view.problems.len() {
            1 => "one place".to_owned(),
            n => format!("{n} places"),
        };
        out::line(format!(
            "it breaks the schema of sessions in {places}: gatehouse session show {}",
            shell_word_or(&path, "FILE")
        ));
    }
    out::line(format!(
        "go on from it with its workflow: gatehouse resume {run} --workflow FILE"
    ));
    Ok(Exit::Done)
}

/// Two columns: what, and what is said of it. Nothing is printed of what is not said.
struct Rows(Vec<Vec<String>>);

impl Rows {
    fn add(&mut self, what: &str, said: Option<&str>) {
        if let Some(said) = said.filter(|said| !said.is_empty()) {
            self.0.push(vec![what.to_owned(), said.to_owned()]);
        }
    }

    fn print(self, title: &str) {
        if !self.0.is_empty() {
            if !title.is_empty() {
                out::line("");
                out::line(title);
            }
            out::table(&self.0);
        }
    }
}

fn joined(parts: &[Option<&str>], between: &str) -> String {
    let said: Vec<&str> = parts.iter().flatten().copied().collect();
    said.join(between)
}

fn again(times: &str) -> Option<String> {
    match times {
        "0" => None,
        "1" => Some("tried again once".to_owned()),
        times => Some(format!("tried again {times} times")),
    }
}

fn print(view: &SessionView) {
    let mut rows = Rows(Vec::new());
    rows.add("project", view.project.as_deref());
    rows.add("workflow", view.workflow_type.as_deref());
    rows.add("session", view.session_id.as_deref());
    rows.add("run", view.run.as_deref());
    let environment = view.environment.as_deref().map(|said| match said {
        "rehearsal" => "rehearsal: nothing of it was carried out",
        said => said,
    });
    rows.add("environment", environment);
    rows.add("status", view.status.as_deref());
    rows.add("began", view.created_at.as_deref());
    rows.add("last written", view.updated_at.as_deref());
    let at = view.current_step.as_deref().map(|step| match step {
        "0" => "no step has begun".to_owned(),
        step => joined(&[Some(step), view.current_group.as_deref()], ", in group "),
    });
    rows.add("at step", at.as_deref());
    rows.add("done", Some(&view.completed_steps.join(", ")));
    rows.add("skipped", Some(&view.skipped_steps.join(", ")));
    let paused = view.paused.as_deref();
    rows.add("paused", paused.map(|why| if why.is_empty() { "yes" } else { why }));
    let score = view
        .quality_score
        .as_deref()
        .map(|score| format!("{score} of 10, as reported"));
    rows.add("quality", score.as_deref());
    rows.print("");

    let mut rows = Rows(Vec::new());
    for step in &view.failed_steps {
        let retries = step.retries.as_deref().and_then(again);
        let said = joined(
            &[step.agent.as_deref(), step.error.as_deref(), retries.as_deref()],
            "; ",
        );
        rows.add(step.step.as_deref().unwrap_or("?"), Some(&said));
    }
    rows.print("Failed steps");

    let mut rows = Rows(Vec::new());
    for gate in &view.quality_gates {
        let said = match gate.passed {
            true => "passed".to_owned(),
            false => joined(&[Some("failed"), gate.reason.as_deref()], ": "),
        };
        rows.add(gate.name.as_deref().unwrap_or("?"), Some(&said));
    }
    rows.print("Quality gates");

    let mut rows = Rows(Vec::new());
    for agent in &view.agents {
        of_agent(agent, &mut rows);
    }
    rows.print("Agents");

    let mut rows = Rows(Vec::new());
    for one in &view.decisions {
        let what = joined(&[one.kind.as_deref(), one.decision.as_deref()], ": ");
        let said = joined(&[Some(&what), one.maker.as_deref(), one.reasoning.as_deref()], "; ");
        rows.add(one.at.as_deref().unwrap_or("?"), Some(&said));
    }
    rows.print("Decisions");

    let mut rows = Rows(Vec::new());
    for one in &view.feedback {
        let to = one.to.join(", ");
        let between = joined(
            &[
                one.from.as_deref(),
                Some(&to).filter(|to| !to.is_empty()).map(|to| &**to),
            ],
            " to ",
        );
        let said = [
            one.status.as_deref(),
            one.kind.as_deref(),
            one.description.as_deref(),
            one.resolution.as_deref(),
        ];
        rows.add(&between, Some(&joined(&said, "; ")));
    }
    rows.print("Feedback");

    let mut rows = Rows(Vec::new());
    for one in &view.checkpoints {
        let step = one.step.as_deref().map(|step| format!("at step {step}"));
        let said = joined(&[one.at.as_deref(), step.as_deref(), one.description.as_deref()], "; ");
        rows.add(one.id.as_deref().unwrap_or("?"), Some(&said));
    }
    rows.print("Checkpoints");

    if !view.problems.is_empty() {
        out::line("");
        out::line("It breaks the schema of sessions:");
    }
    for problem in &view.problems {
        out::line(format!(
            "  {}:{}: {} [{}]",
            problem.line, problem.column, problem.message, problem.code
        ));
    }
}

fn of_agent(agent: &AgentContext, rows: &mut Rows) {
    let time = joined(&[agent.started.as_deref(), agent.ended.as_deref()], " to ");
    let retries = agent.retries.as_deref().and_then(again);
    let other = agent.escalated_to.as_deref().map(|who| format!("taken over by {who}"));
    let time = Some(time).filter(|time| !time.is_empty());
    let parts = [
        Some(agent.status.as_deref().unwrap_or("no status")),
        time.as_deref(),
        retries.as_deref(),
        other.as_deref(),
    ];
    rows.add(&agent.name, Some(&joined(&parts, "; ")));
    for output in &agent.outputs {
        let scores: Vec<String> = output
            .scores
            .iter()
            .map(|(name, score)| format!("{name} {score}"))
            .collect();
        let scores = Some(scores.join(", ")).filter(|scores| !scores.is_empty());
        let valid = output
            .valid
            .map(|valid| if valid { "kept its schema" } else { "broke its schema" });
        let said = [
            Some(output.name.as_str()),
            // Sessions that Gatehouse writes call a file by its path.
            output.file.as_deref().filter(|file| *file != output.name),
            scores.as_deref(),
            valid,
        ];
        // Without a file it is what was reported of a step.
        let what = if output.file.is_some() { "  made" } else { "  reported" };
        rows.add(what, Some(&joined(&said, "; ")));
    }
    for said in &agent.feedback {
        rows.add("  was told", Some(said));
    }
}
