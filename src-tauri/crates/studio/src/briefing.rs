//! What a start would do, before anything happens.

use crate::command::PathOf;
use crate::show::workflow::agent as agent_view;
use crate::show::{faces, problems, words};
use crate::view::workflow::{AgentPlan, AskPlan, StartBrief};
use crate::{ApiError, Studio};
use model::{AgentKey, Severity};

impl Studio {
    /// What a start would do: who works with what, who is asked, what is written.
    pub(crate) async fn start_brief(&self, of: PathOf) -> Result<StartBrief, ApiError> {
        let document = self.document(&of.path)?;
        let (config, fault) = self.config();
        if let Some(fault) = fault {
            return Err(fault);
        }
        let workflow = document.workflow();
        let engines = |agent: &AgentKey| config.engine_of(agent);
        let mut agents: Vec<AgentPlan> = Vec::new();
        for step in workflow.steps() {
            let key = step.agent_key();
            let known = agents.iter_mut().find(|plan| plan.agent.name == key.as_str());
            match known {
                Some(plan) => plan.steps.push(words::of_step(step)),
                None => {
                    let agent = agent_view(&key, &engines);
                    let words = match agent.engine.as_str() {
                        "stub" => "is played by a built-in stand-in: nothing is executed".to_owned(),
                        _ => format!("runs the command  {}", agent.command),
                    };
                    agents.push(AgentPlan {
                        agent,
                        steps: vec![words::of_step(step)],
                        words,
                    });
                }
            }
        }
        let asks = workflow
            .steps()
            .iter()
            .filter_map(|step| {
                let gate = step.gate.as_ref().filter(|_| faces::blocks(step, &config.limits))?;
                Some(AskPlan {
                    step: words::of_step(step),
                    question: engine::gate::question(step, gate),
                    asks: gate.asks.iter().map(ToString::to_string).collect(),
                    at: gate.at,
                })
            })
            .collect();
        let mut writes: Vec<String> = workflow
            .steps()
            .iter()
            .flat_map(|s| s.outputs.iter().cloned())
            .collect();
        writes.sort();
        writes.dedup();
        Ok(StartBrief {
            path: of.path.clone(),
            title: workflow.title.clone(),
            errors: problems::problems(&document)
                .into_iter()
                .filter(|p| p.severity == Severity::Error)
                .collect(),
            agents,
            asks,
            writes,
            scenarios: self.scenarios(&of.path),
        })
    }
}
