//! Random runs of every format, driven by the machine itself: what happens, and in which order, follows from a seed.

use super::*;
use model::{Action, Gate, Microloop, Retries, Routing, Step, Transition, Work, Workflow};
use serde_json::json;

/// The shape of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seed(pub u64);

impl Seed {
    /// A number below `n`; another one each time (SplitMix64).
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn gate(&mut self) -> Option<Gate> {
        self.one_in(3).then(|| Gate {
            requirement: GateRequirement::Required,
            at: [GateAt::Before, GateAt::After][self.below(2) as usize],
            question: None,
            asks: Vec::new(),
            on_reject: None,
        })
    }

    fn workflow(&mut self, format: Format) -> Workflow {
        let count = 2 + self.below(4) as usize;
        let steps = (0..count).map(|n| {
            let name = |n: usize| match format {
                Format::Rundown => (n + 1).to_string(),
                _ => format!("s{n}"),
            };
            let mut step = Step::new(name(n).as_str(), n);
            step.agents = (0..self.below(4))
                .map(|n| AgentKey::new(format!("agent-{n}")))
                .collect();
            step.phase = self.one_in(2).then(|| "Phase 1".to_owned());
            step.retries = self.one_in(2).then_some(Retries {
                max: Some(2),
                backoff_ms: 500,
            });
            match format {
                Format::Pipeline => {
                    step.routing = Routing::Dependencies;
                    step.parallel = self.one_in(2);
                    step.gate = self.gate();
                    step.depends_on = (0..n)
                        .filter(|_| self.one_in(2))
                        .map(|n| name(n).as_str().into())
                        .collect();
                }
                Format::Rundown => {
                    step.work = match self.below(2) {
                        0 => Work::Prompt { text: "Is it?".into() },
                        _ => Work::Command {
                            language: "bash".into(),
                            script: "true".into(),
                        },
                    };
                    let transition = |passed, action| Transition {
                        passed,
                        word: if passed { "PASS" } else { "FAIL" }.into(),
                        quantifier: None,
                        action,
                    };
                    let fail = match self.below(2) {
                        0 => Action::Stop { message: None },
                        _ => Action::Continue,
                    };
                    step.routing = Routing::Transitions {
                        transitions: vec![transition(true, Action::Continue), transition(false, fail)],
                    };
                }
                _ => {
                    step.gate = self.gate();
                    step.evidence = self.one_in(2).then(|| "L2".to_owned());
                    if n > 0 && self.one_in(2) {
                        step.routing = Routing::Microloop(Microloop {
                            loop_target: Some(name(self.below(n as u64) as usize).as_str().into()),
                            condition_field: Some("status".into()),
                            success_values: vec!["VERIFIED".into()],
                            max_iterations: 1 + self.below(3) as u32,
                            next: None,
                            exit_on: Default::default(),
                        });
                    }
                }
            }
            step
        });
        let steps = steps.collect();
        Workflow::new("signal".into(), "Signal".into(), format, steps)
    }

    fn result(&mut self, store: &Store, instance: &Instance) -> StepResult {
        let status = match self.below(8) {
            0 => ExecutionStatus::Failed,
            1 => ExecutionStatus::Skipped,
            2 => ExecutionStatus::Blocked,
            _ => ExecutionStatus::Succeeded,
        };
        let mut result = StepResult::new(status);
        result.output = "Said, and in no file.".into();
        result.error = (status == ExecutionStatus::Failed).then(|| "Größe".to_owned());
        let word = ["VERIFIED", "UNVERIFIED"][self.below(2) as usize];
        result.report.insert("status".into(), json!(word));
        if let Some(score) = [json!(7.5), json!(0), json!(11), json!("high")].get(self.below(6) as usize) {
            result.report.insert("overall_score".into(), score.clone());
        }
        let to = [
            json!("s0"),
            json!(["s1", "s2"]),
            json!("nobody"),
            json!("unnamed"),
            json!(null),
        ];
        if let Some(to) = to.get(self.below(12) as usize) {
            let kind = ["constraint", "suggestion", "missing_requirement", "odd"][self.below(4) as usize];
            let severity = ["info", "critical", "dire"][self.below(3) as usize];
            let issue = json!({"to": to, "type": kind, "severity": severity, "message": "<b>No.</b>"});
            result.report.insert("feedback".into(), json!([issue]));
        }
        if self.below(6) == 0 {
            result.report.insert("acknowledged".into(), "It is meant so.".into());
        }
        if self.0.is_multiple_of(5) {
            result.report.insert("checkpoint".into(), json!("what is drawn holds"));
        }
        result.transcript = match self.below(4) {
            0 => None,
            1 => Some(crate::digest_of(b"nobody has kept this")),
            _ => Some(
                store
                    .put_blob(format!("“{}” {}\n", instance.step, self.0).as_bytes())
                    .unwrap(),
            ),
        };
        if status == ExecutionStatus::Succeeded {
            result.artifacts = (0..self.below(3))
                .map(|n| Artifact {
                    path: format!("docs/{n}.md"),
                    digest: crate::digest_of(&self.0.to_be_bytes()),
                    bytes: n,
                    was_there: self.one_in(4),
                    executable: None,
                })
                .collect();
        }
        let call = || ToolRecord {
            name: "publish".into(),
            args: json!({"to": "wiki"}),
            required: true,
            risk: model::Risk::High,
            status: if status == ExecutionStatus::Blocked {
                ToolStatus::Blocked
            } else {
                ToolStatus::Completed
            },
            error: String::new(),
            output: json!("Ja"),
            gate: None,
            earlier: false,
            started_at: At(1),
            ended_at: At(2),
        };
        let mut held = Lifecycle::default();
        if status == ExecutionStatus::Blocked || self.one_in(4) {
            held.calls.push(call());
        }
        if status == ExecutionStatus::Blocked {
            held.asks = Some(ToolAsk {
                gate: format!("tool:publish:{}", instance.step),
                tool: "publish".into(),
                args: json!({"to": "wiki"}),
                risk: model::Risk::High,
                call: crate::digest_of(b"publish"),
                place: 0,
            });
        }
        if let Some(artifact) = result.artifacts.first().filter(|_| self.one_in(2)) {
            held.evidence.push(Evidence {
                id: format!("ev:{}:{}", instance.step, instance.visit),
                claim: "It is whole.".into(),
                level: Level::L0,
                source: "agent".into(),
                date: "2025-01-15".into(),
                valid_until: "2026-01-15".into(),
                congruence: "CL2".into(),
                reliability: 0.9,
                wlnk: 0.72,
                carrier_ref: artifact.path.clone(),
                artifacts: vec![About {
                    path: artifact.path.clone(),
                    digest: artifact.digest.clone(),
                }],
                notes: String::new(),
                asked: Some(Level::L2),
            });
        }
        result.lifecycle = (!held.is_empty()).then(|| Box::new(held));
        result
    }

    /// What somebody may do now, in a random order; some of it is refused.
    fn intents(&mut self, store: &Store, workflow: &Workflow, state: &RunState) -> Vec<Intent> {
        let by = || "Grace".to_owned();
        let mut all = Vec::new();
        for effect in effects(workflow, state) {
            match effect {
                Effect::Execute { instance, attempt } if self.one_in(8) => {
                    all.push(Intent::Interrupt {
                        instance,
                        attempt,
                        reason: "the driver died".into(),
                        let_go: false,
                        seen: None,
                    });
                }
                Effect::Execute { instance, attempt } if self.one_in(6) => {
                    all.push(Intent::Output {
                        instance,
                        attempt,
                        stream: "stdout".into(),
                        text: "…\n".into(),
                    });
                }
                Effect::Execute { instance, attempt } => {
                    let mut result = self.result(store, &instance);
                    let started = state.attempt(&instance, attempt);
                    let agents = started.filter(|one| !one.started.crew.is_empty());
                    let agents = agents.map_or(&[][..], |one| one.started.agents.as_slice());
                    // Of several agents each has a result; who did not begin has none.
                    let began = agents.len() - usize::from(self.one_in(3) && !agents.is_empty());
                    result.agents = (agents.iter().take(began))
                        .map(|agent| AgentResult {
                            agent: agent.clone(),
                            started_at: At(1),
                            ended_at: At(2),
                            result: self.result(store, &instance),
                        })
                        .collect();
                    let result = Arc::new(result);
                    all.push(Intent::Finish {
                        instance,
                        attempt,
                        result,
                    });
                }
                Effect::WaitUntil { instance, .. } => all.push(Intent::Retry { instance }),
                Effect::Navigate { instance } => {
                    let navigation = state.visit(&instance).and_then(|visit| visit.navigation.as_ref());
                    let ways = navigation.map_or(&[][..], |navigation| navigation.asked.ways.as_slice());
                    let drawn = self.below(1 + ways.len() as u64) as usize;
                    let said = engine::NavigatorSaid {
                        way: ways.get(drawn).map(|way| way.id.clone()),
                        reasons: "as drawn".into(),
                        ..engine::NavigatorSaid::default()
                    };
                    let said = Arc::new(said);
                    all.push(Intent::Navigated { instance, said });
                }
                Effect::Proceed => all.push(Intent::Proceed),
                Effect::Ask { .. } => {}
            }
        }
        for round in state.open_gates() {
            let opened = &round.opened;
            let answers = [
                Answer::Approve,
                Answer::Approve,
                Answer::Changes,
                Answer::Reject,
                Answer::Pass,
                Answer::Fail,
            ];
            let ways = match &opened.purpose {
                engine::Purpose::Way { ways } => ways.as_slice(),
                _ => &[],
            };
            let way = ways
                .get(self.below(1 + ways.len() as u64) as usize)
                .map(|way| way.id.clone());
            let answer = answers[self.below(6) as usize];
            all.push(Intent::Answer(Arc::new(Decision {
                gate: opened.gate.clone(),
                round: opened.round,
                answer: way.as_ref().map_or(answer, |_| Answer::Choose),
                by: by(),
                comment: "because".into(),
                seen: opened.shown.iter().map(|a| a.digest.clone()).collect(),
                undrawn: Vec::new(),
                via: "desktop".into(),
                lasting: None,
                way,
                report: Default::default(),
                key_name: None,
                signature: None,
            })));
        }
        for held in state.evidence.iter().filter(|held| !held.superseded).take(1) {
            if self.one_in(4) {
                let (evidence, to) = (held.record.id.clone(), "L1".to_owned());
                all.push(Intent::Promote {
                    by: by(),
                    evidence,
                    to,
                    reason: "seen".into(),
                    signature: None,
                });
            }
        }
        match self.below(30) {
            0 => all.push(Intent::Pause { by: by(), given: None }),
            1 => all.push(Intent::Abort {
                by: by(),
                reason: "enough".into(),
                given: None,
            }),
            2 | 3 => all.push(Intent::Checkpoint {
                by: by(),
                name: "before the <b>rest</b>".into(),
            }),
            _ if state.paused => all.push(Intent::Resume { by: by(), given: None }),
            _ => {}
        }
        if state.status.ended() && self.one_in(2) {
            let failed = state.stages.keys().map(|step| (step.clone(), Choice::Retry)).collect();
            all.push(Intent::Reopen {
                by: by(),
                choices: failed,
            });
        }
        for place in (1..all.len()).rev() {
            all.swap(place, self.below(place as u64 + 1) as usize);
        }
        all
    }

    /// A run of a format: its log, saved.
    pub(super) fn run(mut self, store: &Store, format: Format, run: &str) -> (Script, Facts) {
        let workflow = self.workflow(format);
        let mut first = Script::new(run);
        first.create(store.put_blob(b"").unwrap());
        let Some((_, Event::RunCreated(created))) = first.batch.first().cloned() else {
            unreachable!("it begins with it")
        };
        let created = RunCreated {
            format,
            ..RunCreated::clone(&created)
        };
        let mut script = Script::new(run);
        assert!(
            script.send(&workflow, Intent::Create(Arc::new(created))),
            "the run begins"
        );
        for _ in 0..60 {
            let intents = self.intents(store, &workflow, &script.state);
            let done = intents.into_iter().any(|intent| script.send(&workflow, intent));
            if !done && script.state.status.ended() {
                break;
            }
        }
        let facts = Facts::of(Box::new(workflow));
        (script, facts)
    }
}
