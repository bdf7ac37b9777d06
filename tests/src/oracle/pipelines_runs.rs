//! Pipelines carried out: a file, the driver, an abort while a stage runs, resuming; what the file says afterwards is compared.

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use super::pipelines_project::{Desk, FOLDER, ID, SCRIPTED, fault, stages, text};
use dialect::Document;
use dialect::pipeline::StageDefinition;
use engine::{Choice, Event, RunId};
use model::Place;
use runtime::pipeline::list::never_begin;
use runtime::{Driver, Options, StartRequest};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use studio::Begun;

/// `dag.json`: pipeline status, error and stage states after every order, and what was carried out.
pub fn dag(context: &Context, case: &Case) -> Result<(), Fault> {
    context.runtime.block_on(async {
        let play = Play::new(case)?;
        let mut after = Vec::new();
        for op in case.get("ops").as_array().into_iter().flatten() {
            let words: Vec<&str> = op.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            play.order(&words).await?;
            after.push(play.now()?);
        }
        play.check(case, &after)
    })
}

/// A case's pipeline in a project of its own.
struct Play {
    desk: Desk,
    stages: Vec<StageDefinition>,
}

impl Play {
    fn new(case: &Case) -> Result<Self, Fault> {
        let desk = Desk::new()?;
        let mut stages = stages(&case.body);
        let held = case
            .get("ops")
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|op| op[1].as_str());
        let held: BTreeSet<&str> = held.collect();
        for stage in &mut stages {
            let outcomes = &case.get("outcomes")[&stage.name];
            if outcomes.is_null() && !held.contains(stage.name.as_str()) {
                continue;
            }
            stage.agents = vec![SCRIPTED.to_owned()];
            desk.script(&stage.name, &script(outcomes))?;
        }
        desk.put(ID, &text(ID, stages.clone(), case.get("error_handling").as_str())?)?;
        Ok(Self { desk, stages })
    }

    async fn order(&self, words: &[&str]) -> Result<(), Fault> {
        match *words {
            ["run"] => match self.begin()? {
                Some(run) => self.desk.drive(&run).await,
                None => Ok(()),
            },
            ["run", stage] => {
                let run = self.begin()?.ok_or_else(|| Fault::differs("it was not started"))?;
                self.aborted_at(&run, stage).await
            }
            ["resume", choice] => {
                let choice = match choice {
                    "retry" => Choice::Retry,
                    "skip" => Choice::Skip,
                    _ => return Err(Fault::NotImplemented("this choice is not known to the adapter")),
                };
                let run = self.desk.reopen(ID, choice).await.map_err(fault)?;
                self.desk.drive(&run).await
            }
            _ => Err(Fault::NotImplemented("this order is not known to the adapter")),
        }
    }

    /// Starts the pipeline; `None`: it is completed already, or refused because its definition is wrong. Stages that can never
    /// begin are refused by name as well, and then what the rules say of them is looked at all the same.
    fn begin(&self) -> Result<Option<RunId>, Fault> {
        let refused = match self.desk.studio.start_pipeline(ID, true, &[]) {
            Ok(Begun::Started(run)) => return Ok(Some(run)),
            Ok(Begun::Completed) => return Ok(None),
            Err(error) if error.code == "invalid_workflow" => error,
            Err(error) => return Err(fault(error)),
        };
        let path = format!("{FOLDER}/{ID}.yaml");
        let source = self.desk.text(ID);
        let document = Document::parse(&path, &source);
        let stuck = never_begin(&document);
        if stuck.is_empty() {
            return Ok(None);
        }
        let said = format!(
            "Deadlock detected (cycle or unmet dependencies). Pending stages: {}",
            stuck.join(", ")
        );
        same("what is said before the run", &json!(said), &json!(refused.message))?;
        let request = StartRequest {
            run_id: Some(runtime::pipeline::run::run_id(&path)),
            path,
            source,
            by: "oracle".to_owned(),
            initiator: "test".to_owned(),
            permit: true,
            despite_errors: true,
            ..StartRequest::default()
        };
        let options = Options {
            owner: Some(Arc::new(self.desk.studio.clone())),
            ..Options::of("test")
        };
        let store = Arc::new(self.desk.project.store()?);
        let driver = Driver::new(store, &self.desk.project.root, options).map_err(anyhow::Error::from)?;
        Ok(Some(driver.start(&request).map_err(anyhow::Error::from)?))
    }

    async fn aborted_at(&self, run: &RunId, stage: &str) -> Result<(), Fault> {
        let hold = self.desk.project.root.join("hold");
        std::fs::write(&hold, stage).map_err(anyhow::Error::from)?;
        let abort = async {
            let begun = self.desk.project.root.join(format!("begun-{stage}"));
            self.desk
                .until("the stage to be aborted runs", || Ok(begun.exists()))
                .await?;
            self.desk.abort(run).await.map_err(fault)
        };
        let (driven, aborted) = tokio::join!(self.desk.drive(run), abort);
        std::fs::remove_file(&hold).map_err(anyhow::Error::from)?;
        driven.and(aborted)
    }

    /// The pipeline's status, error and stage states: by its own file, which must say what the status command says.
    fn now(&self) -> Result<Value, Fault> {
        let view = self.desk.status(ID)?;
        let document = Document::parse(&format!("{FOLDER}/{ID}.yaml"), &self.desk.text(ID));
        let read = |place: Place| document.value(&place).unwrap_or(Value::Null);
        let status = read(Place::document().field("status"));
        same("the status command", &status, &json!(view.status_word))?;
        let mut stages = Map::new();
        for (n, stage) in view.stages.iter().enumerate() {
            let state = read(Place::step(n).field("status"));
            same("the status command", &state, &json!(stage.status_word))?;
            stages.insert(stage.step.id.clone(), state);
        }
        let error = read(Place::document().field("error"));
        Ok(json!({"status": status, "error": error, "stages": stages}))
    }

    fn check(&self, case: &Case, after: &[Value]) -> Result<(), Fault> {
        let carried_out = self.carried_out()?;
        let expected = case.expected("after").as_array().map_or(&[][..], Vec::as_slice);
        same("the number of orders", &json!(expected.len()), &json!(after.len()))?;
        let agrees = |reading: fn(&Self, &Value, &Value) -> Result<(), Fault>| {
            expected
                .iter()
                .zip(after)
                .try_for_each(|(expected, answered)| reading(self, expected, answered))
        };
        let literal = agrees(|_, expected, answered| same("it", expected, answered));
        let either = case
            .get("compare")
            .as_array()
            .into_iter()
            .flatten()
            .any(|c| c.as_str().is_some_and(|c| c.contains("either reading")));
        if !either {
            literal?;
            return same_stages(case, &carried_out);
        }
        if literal.is_ok() || agrees(Self::several_failures).is_ok() {
            return Ok(());
        }
        let accepted = case
            .get("accept")
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let last = after.last().unwrap_or(&Value::Null);
        for words in accepted {
            if self.accepts(words, last, &carried_out) {
                return Ok(());
            }
        }
        literal
    }

    /// What came to its end, well or not, in that order. What begins does so after everything it waits for, and nothing that was
    /// completed begins again.
    fn carried_out(&self) -> Result<Vec<String>, Fault> {
        let Some(run) = self.desk.status(ID)?.run_id else {
            return Ok(Vec::new());
        };
        let (mut completed, mut ended) = (BTreeSet::new(), Vec::new());
        for event in self.desk.events(&RunId::from(run))? {
            match event {
                Event::AttemptStarted(begun) => {
                    let name = begun.instance.step.to_string();
                    let stage = self.stages.iter().find(|stage| stage.name == name);
                    let met = stage.is_some_and(|stage| stage.depends_on.iter().all(|d| completed.contains(d)));
                    if !met || completed.contains(&name) {
                        return Err(Fault::differs(format!(
                            "{name} began when {completed:?} were completed"
                        )));
                    }
                }
                Event::AttemptEnded { instance, .. } => ended.push(instance.step.to_string()),
                Event::Settled(settled) if settled.status == engine::StageEnd::Completed => {
                    completed.insert(settled.step.to_string());
                }
                _ => {}
            }
        }
        Ok(ended)
    }

    /// Of several failures in one wave any may be named, and what depends on the others may be skipped too.
    fn several_failures(&self, expected: &Value, answered: &Value) -> Result<(), Fault> {
        same("the status", &expected["status"], &answered["status"])?;
        let (mut lost, mut failed) = (BTreeSet::new(), Vec::new());
        for stage in &self.stages {
            if answered["stages"][&stage.name] == "failed" {
                lost.insert(&stage.name);
                failed.push(json!(format!("Pipeline failed at stage: {}", stage.name)));
            }
        }
        while let Some(stage) = self
            .stages
            .iter()
            .find(|s| !lost.contains(&s.name) && s.depends_on.iter().any(|d| lost.contains(d)))
        {
            lost.insert(&stage.name);
        }
        if !failed.contains(&answered["error"]) {
            same("the error", &expected["error"], &answered["error"])?;
        }
        for stage in &self.stages {
            let (recorded, found) = (&expected["stages"][&stage.name], &answered["stages"][&stage.name]);
            if !(recorded == "pending" && found == "skipped" && lost.contains(&stage.name)) {
                same(&format!("stage {}", stage.name), recorded, found)?;
            }
        }
        Ok(())
    }

    /// Another accepted reading, in the words of the case: how the pipeline ends, how stages end (`c skipped`), or that the
    /// definition is refused and nothing carried out.
    fn accepts(&self, words: &str, last: &Value, carried_out: &[String]) -> bool {
        const STATES: [&str; 7] = [
            "pending",
            "queued",
            "running",
            "completed",
            "failed",
            "skipped",
            "aborted",
        ];
        const ENDS: [&str; 4] = ["completed", "completed_with_failures", "failed", "aborted"];
        if words.contains("validation error") {
            return carried_out.is_empty() && last["status"] == "pending";
        }
        if words.contains("deadlock error") {
            return last["status"] == "failed"
                && last["error"]
                    .as_str()
                    .is_some_and(|e| e.starts_with("Deadlock detected"));
        }
        let said: Vec<&str> = words.split([' ', '(', ')']).filter(|word| !word.is_empty()).collect();
        let mut claims = 0;
        for pair in said.windows(2) {
            if self.stages.iter().any(|stage| stage.name == pair[0]) && STATES.contains(&pair[1]) {
                claims += 1;
                if last["stages"][pair[0]] != pair[1] {
                    return false;
                }
            }
        }
        if let Some(end) = said.first().filter(|word| ENDS.contains(word)) {
            claims += 1;
            if last["status"] != *end {
                return false;
            }
        }
        claims > 0
    }
}

/// The recorded order is one of several; the stages are the same.
fn same_stages(case: &Case, carried_out: &[String]) -> Result<(), Fault> {
    let recorded = case.expected("executed").as_array().into_iter().flatten();
    let mut recorded: Vec<&str> = recorded.filter_map(Value::as_str).collect();
    let mut found: Vec<&str> = carried_out.iter().map(String::as_str).collect();
    recorded.sort_unstable();
    found.sort_unstable();
    same("what was carried out", &json!(recorded), &json!(found))
}

/// What a scripted stage does: the first outcome the first time, the last one from then on; held as long as it is named in `hold`.
fn script(outcomes: &Value) -> String {
    let words: Vec<&str> = outcomes
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut out =
        "touch \"begun-$GATEHOUSE_STEP\"\n[ \"$(cat hold 2>/dev/null)\" = \"$GATEHOUSE_STEP\" ] && exec sleep 600\n"
            .to_owned();
    out.push_str("echo >> \"ran-$GATEHOUSE_STEP\"\ncase $(wc -l < \"ran-$GATEHOUSE_STEP\") in\n");
    for (n, word) in words.iter().enumerate() {
        let times = if n + 1 == words.len() {
            "*".to_owned()
        } else {
            (n + 1).to_string()
        };
        let code = i32::from(*word == "failed");
        out.push_str(&format!("{times}) exit {code};;\n"));
    }
    out.push_str("esac\n");
    out
}

/// `concurrency.json`: which stages were in flight together.
pub fn concurrency(context: &Context, case: &Case) -> Result<(), Fault> {
    context.runtime.block_on(async {
        let desk = Desk::new()?;
        let mut stages = stages(&case.body);
        for stage in &mut stages {
            stage.agents = vec![SCRIPTED.to_owned()];
            desk.script(&stage.name, "sleep 0.1\n")?;
        }
        desk.put(ID, &text(ID, stages, None)?)?;
        let Begun::Started(run) = desk.studio.start_pipeline(ID, true, &[]).map_err(fault)? else {
            return Err(Fault::differs("it counts as completed"));
        };
        desk.drive(&run).await?;
        same("the status", &json!("completed"), &json!(desk.status(ID)?.status_word))?;
        let (mut flying, mut together) = (Vec::new(), BTreeSet::new());
        for event in desk.events(&run)? {
            match event {
                Event::AttemptStarted(begun) => {
                    let name = begun.instance.step.to_string();
                    together.extend(flying.iter().map(|other: &String| pair(other, &name)));
                    flying.push(name);
                }
                Event::AttemptEnded { instance, .. } => flying.retain(|name| *name != instance.step.as_str()),
                _ => {}
            }
        }
        let may = case.expected("may_overlap").as_array().into_iter().flatten();
        let may: BTreeSet<_> = may
            .map(|p| pair(p[0].as_str().unwrap_or_default(), p[1].as_str().unwrap_or_default()))
            .collect();
        if together.is_subset(&may) {
            return Ok(());
        }
        Err(Fault::differs(format!(
            "together were {together:?}, recorded is {may:?}"
        )))
    })
}

fn pair(a: &str, b: &str) -> (String, String) {
    if a < b {
        (a.to_owned(), b.to_owned())
    } else {
        (b.to_owned(), a.to_owned())
    }
}
