//! What the steps of a workflow may do: the rules of `gatehouse.yaml`, what people have permitted for good, and what they
//! are to be asked before a step begins. The same rules stand before every program of every format.
//!
//! A script that stands in a workflow is judged whole: what no rule names is asked for. A command line of `gatehouse.yaml`
//! was written beside the rules by the same hand, so only what a rule (or a secret) denies is kept from it.

use engine::{Answer, Decision, EngineInfo, EngineKind, Instance, Lasting, Purpose, RunCreated, RunState};
use model::{AgentKey, Step, StepId, Work, Workflow};
pub use permission::Need;
use permission::{Kind, Mode, Permissions, Policy, Uses, Verdict, uses};
use std::collections::{BTreeMap, BTreeSet};

/// The rules for one workflow. Variables that `environment.pass` names are allowed by their exact name.
pub fn policy(permissions: &Permissions, pass: &[String], workflow_path: &str) -> Policy {
    let mut policy = permissions.of(workflow_path);
    policy.env.allow.extend(pass.iter().cloned());
    policy
}

/// What the steps want to do by what stands in the workflow itself, and what the rules say to it. Absent are steps whose own
/// script does not run: those without one, and those of a runbook that are given to somebody, by the workflow or `assigned` at
/// the start: the engine that this agent is bound to takes the script's place, or a person does. `granted`: what was permitted for all runs.
pub fn verdicts(
    workflow: &Workflow,
    assigned: &BTreeMap<StepId, AgentKey>,
    policy: &Policy,
    granted: &[Need],
) -> Vec<(StepId, Verdict)> {
    let steps = workflow.steps().iter();
    let is_given = |step: &Step| !step.agents.is_empty() || assigned.contains_key(&step.id);
    let own = steps.filter(|step| !workflow.contract().by_hand || !is_given(step));
    let scripts = own.filter_map(|step| Some((step, of_step(step)?)));
    scripts
        .map(|(step, uses)| (step.id.clone(), policy.judge(&uses, granted)))
        .collect()
}

/// Of a Markdown file that only a person's word makes a runbook: nothing of it runs unasked, not even what rules allow (CONTRACTS "What
/// is a workflow"). Other verdicts stay as they are.
pub fn asking_first(path: &str, mut verdicts: Vec<(StepId, Verdict)>) -> Vec<(StepId, Verdict)> {
    if dialect::is_unnamed_runbook(path) {
        verdicts.iter_mut().for_each(|(_, verdict)| ask_all(verdict));
    }
    verdicts
}

fn ask_all(verdict: &mut Verdict) {
    let mut all = std::mem::take(&mut verdict.allowed);
    all.append(&mut verdict.ask);
    verdict.ask = all;
}

/// What an engine of a step needs a person's permission for, in words, whatever the log says was asked before it: the script that stands
/// in the workflow, and a command line that `named`, those of gatehouse.yaml as it is now, does not have. What is denied is not asked for.
pub(crate) fn needed(
    created: &RunCreated,
    step: &Step,
    engine: &EngineInfo,
    policy: &Policy,
    granted: &[Need],
    named: &[String],
) -> Vec<String> {
    let of_workflow = || of_step(step).unwrap_or_else(|| uses("sh", &engine.command));
    let uses = match engine.engine {
        EngineKind::Bash | EngineKind::Sh => of_workflow(),
        EngineKind::Shell | EngineKind::Command if !named.contains(&engine.command) => uses("sh", &engine.command),
        _ => return Vec::new(),
    };
    let mut verdict = policy.judge(&uses, granted);
    if dialect::is_unnamed_runbook(&created.path) {
        ask_all(&mut verdict);
    }
    match verdict.denied.is_empty() {
        true => verdict.ask.iter().map(Need::sentence).collect(),
        false => Vec::new(),
    }
}

/// Of what a visit needs, what no answer permits that counts: one for this visit, or for the whole run.
pub(crate) fn unpermitted(
    needs: Vec<String>,
    state: &RunState,
    instance: &Instance,
    counts: &dyn Fn(&Decision) -> bool,
) -> Vec<String> {
    let permitted: BTreeSet<&String> = state
        .gates
        .values()
        .flatten()
        .filter_map(|round| {
            let (Purpose::Permission { needs }, Some((decision, _))) = (&round.opened.purpose, &round.answer) else {
                return None;
            };
            let lasts = matches!(decision.lasting, Some(Lasting::Run | Lasting::Always));
            let is_here = lasts || round.opened.instance == *instance;
            (decision.answer == Answer::Approve && is_here && counts(decision)).then_some(needs)
        })
        .flatten()
        .collect();
    needs.into_iter().filter(|need| !permitted.contains(need)).collect()
}

/// What a step's own script uses.
pub fn of_step(step: &Step) -> Option<Uses> {
    match &step.work {
        Work::Command { language, script } => Some(uses(language, script)),
        _ => None,
    }
}

/// What a person is asked for at each step, in words. About a step to which something is denied nobody is asked: it is
/// not run, whatever is permitted.
pub(crate) fn asked(verdicts: &[(StepId, Verdict)]) -> BTreeMap<StepId, Vec<String>> {
    let asked = verdicts
        .iter()
        .filter(|(_, v)| !v.ask.is_empty() && v.denied.is_empty());
    asked
        .map(|(step, verdict)| (step.clone(), verdict.ask.iter().map(Need::sentence).collect()))
        .collect()
}

/// Why an engine's command is not started, in words; `None`: nothing is denied to it. `granted`: what was permitted for all runs.
pub(crate) fn refused(engine: &EngineInfo, policy: &Policy, granted: &[Need]) -> Option<String> {
    // What stands in the workflow is also denied what no rule allows, where the mode says so.
    let (language, of_workflow) = match engine.engine {
        EngineKind::Bash => ("bash", true),
        EngineKind::Sh => ("sh", true),
        EngineKind::Shell | EngineKind::Command => ("sh", false),
        _ => return None,
    };
    let uses = uses(language, &engine.command);
    let granted = if of_workflow { granted } else { &uses.needs };
    let denied = policy.judge(&uses, granted).denied;
    let said: Vec<String> = denied
        .iter()
        .map(|d| format!("{} ({})", d.need.sentence(), d.by))
        .collect();
    if said.is_empty() {
        return None;
    }
    Some(format!(
        "Not permitted, so nothing was run: {}. The rules stand under `permissions` in gatehouse.yaml",
        said.join("; ")
    ))
}

/// Of what a step's script needs, what these sentences name and can be permitted for later runs too.
pub fn lasting(step: &Step, sentences: &[String]) -> Vec<Need> {
    let needs = of_step(step).map(|uses| uses.needs).unwrap_or_default();
    // What is not known before it runs would permit something else tomorrow.
    let named = |need: &Need| !need.unclear && sentences.contains(&need.sentence());
    needs.into_iter().filter(named).collect()
}

/// A need of a command that somebody tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The need.
    pub need: Need,
    /// What the rules say to it.
    pub says: Says,
    /// What decides that, in a reader's words: "deny rule `curl *`".
    pub by: String,
}

/// What the rules say to a need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// It is refused: the step is not run.
    Refused,
    /// A person is asked first.
    Asks,
    /// It is let through.
    Allowed,
}

/// What would happen if a step ran a command, each need with what decides; what is refused first. Nothing is run.
pub fn tried(command: &str, policy: &Policy, granted: &[Need]) -> Vec<Tried> {
    let verdict = policy.judge(&uses("bash", command), granted);
    let refused = verdict.denied.into_iter().map(|denied| Tried {
        need: denied.need,
        says: Says::Refused,
        by: denied.by,
    });
    let asked = verdict.ask.into_iter().map(|need| Tried {
        by: why_asked(&need, policy).to_owned(),
        need,
        says: Says::Asks,
    });
    let allowed = verdict.allowed.into_iter().map(|need| Tried {
        by: why_allowed(&need, policy),
        need,
        says: Says::Allowed,
    });
    refused.chain(asked).chain(allowed).collect()
}

fn why_asked(need: &Need, policy: &Policy) -> &'static str {
    match policy.mode {
        _ if need.unclear => "it is only known when it happens",
        Mode::Allow => "it may be a secret, or what a rule refuses",
        _ => "no rule lets it through for certain",
    }
}

/// What lets a need through: asked of the policy itself, with one rule at a time.
fn why_allowed(need: &Need, policy: &Policy) -> String {
    let alone = Uses {
        needs: vec![need.clone()],
    };
    let lets = |policy: &Policy| !policy.judge(&alone, &[]).allowed.is_empty();
    if !lets(policy) {
        return "you have permitted it for all later runs".to_owned();
    }
    let mut bare = Policy {
        mode: Mode::Deny,
        spelling: policy.spelling.clone(),
        ..Policy::default()
    };
    if lets(&bare) {
        return "it is harmless, so nobody is asked".to_owned();
    }
    let rules = match need.kind {
        Kind::Run => &policy.run,
        Kind::Read => &policy.read,
        Kind::Write => &policy.write,
        Kind::Env => &policy.env,
    };
    let deciding = rules.allow.iter().find(|rule| {
        let only = match need.kind {
            Kind::Run => &mut bare.run,
            Kind::Read => &mut bare.read,
            Kind::Write => &mut bare.write,
            Kind::Env => &mut bare.env,
        };
        only.allow = vec![(*rule).clone()];
        lets(&bare)
    });
    match deciding {
        Some(rule) => format!("allow rule `{rule}`"),
        None => "no rule names it, and the mode is allow".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Format;

    fn workflow(script: &str) -> Workflow {
        let step = Step {
            work: Work::Command {
                language: "bash".to_owned(),
                script: script.to_owned(),
            },
            ..Step::new("1", 0)
        };
        Workflow::new("w".into(), "W".to_owned(), Format::Rundown, vec![step])
    }

    #[test]
    fn what_was_permitted_for_good_is_not_asked_again_but_what_is_denied_stays_denied() {
        let workflow = workflow("npm publish && curl https://example.org");
        let mut policy = policy(&Permissions::default(), &[], "w.runbook.md");
        let nobody = BTreeMap::new();
        let asked_now = asked(&verdicts(&workflow, &nobody, &policy, &[]));
        let sentences = &asked_now[&StepId::from("1")];
        assert_eq!(sentences.len(), 2, "{sentences:?}");
        let granted = lasting(&workflow.steps()[0], sentences);
        assert!(asked(&verdicts(&workflow, &nobody, &policy, &granted)).is_empty());
        let left = lasting(&workflow.steps()[0], &sentences[1..]);
        assert_eq!(
            asked(&verdicts(&workflow, &nobody, &policy, &left))[&StepId::from("1")],
            sentences[..1]
        );
        policy.run.deny.push("curl *".to_owned());
        let judged = verdicts(&workflow, &nobody, &policy, &granted);
        assert_eq!(judged[0].1.denied.len(), 1, "{judged:?}");
        let engine = EngineInfo::script("bash", "npm publish && curl https://example.org");
        assert!(refused(&engine, &policy, &granted).is_some_and(|said| said.contains("curl")));
        assert_eq!(refused(&EngineInfo::stub(), &policy, &granted), None);
    }

    #[test]
    fn a_script_that_somebody_stands_in_for_needs_no_permission() {
        let policy = policy(&Permissions::default(), &[], "w.runbook.md");
        let judged = |workflow: &Workflow, assigned: &BTreeMap<StepId, AgentKey>| {
            verdicts(workflow, assigned, &policy, &[]).len()
        };
        let own = workflow("npm publish");
        assert_eq!(judged(&own, &BTreeMap::new()), 1);
        assert_eq!(judged(&own, &[("1".into(), "robot".into())].into()), 0);
        let mut steps = own.steps().to_vec();
        steps[0].agents = vec!["robot".into()];
        let given = Workflow::new("w".into(), "W".to_owned(), Format::Rundown, steps);
        assert_eq!(judged(&given, &BTreeMap::new()), 0);
    }

    #[test]
    fn a_file_without_a_runbook_s_name_asks_for_what_rules_allow() {
        let workflow = workflow("echo hello && npm test");
        let policy = Policy {
            mode: permission::Mode::Allow,
            ..Policy::default()
        };
        let asked_in = |path: &str| {
            let judged = verdicts(&workflow, &BTreeMap::new(), &policy, &[]);
            asked(&asking_first(path, judged)).remove(&StepId::from("1"))
        };
        assert_eq!(asked_in("deploy.runbook.md"), None);
        assert_eq!(asked_in("ops/deploy.workflow.md"), None);
        let asked = asked_in("README.md").expect("it asks");
        assert!(asked.iter().any(|need| need.contains("npm test")), "{asked:?}");
        assert!(asked.iter().any(|need| need.contains("echo")), "{asked:?}");
    }

    #[test]
    fn what_is_tried_names_what_decides() {
        let mut policy = Policy::default();
        policy.run.allow = vec!["npm *".to_owned(), "npm test".to_owned()];
        policy.run.deny = vec!["curl *".to_owned()];
        let said = |policy: &Policy, granted: &[Need]| {
            let tried = tried("npm test; make all; curl x.org; echo hi", policy, granted);
            let runs = tried.into_iter().filter(|tried| tried.need.kind == Kind::Run);
            runs.map(|tried| (tried.need.what, tried.says, tried.by))
                .collect::<Vec<_>>()
        };
        let of = |what: &str, says: Says, by: &str| (what.to_owned(), says, by.to_owned());
        let refused = of("curl x.org", Says::Refused, "deny rule `curl *`");
        let allowed = of("npm test", Says::Allowed, "allow rule `npm *`");
        let harmless = of("echo hi", Says::Allowed, "it is harmless, so nobody is asked");
        let asked = of("make all", Says::Asks, "no rule lets it through for certain");
        assert_eq!(
            said(&policy, &[]),
            [refused.clone(), asked, allowed.clone(), harmless.clone()]
        );
        let permitted = of("make all", Says::Allowed, "you have permitted it for all later runs");
        assert_eq!(
            said(&policy, &[Need::new(Kind::Run, "make all")]),
            [refused.clone(), allowed.clone(), permitted, harmless.clone()]
        );
        policy.mode = Mode::Allow;
        let unnamed = of("make all", Says::Allowed, "no rule names it, and the mode is allow");
        assert_eq!(said(&policy, &[]), [refused, allowed, unnamed, harmless]);
    }

    #[test]
    fn the_mode_deny_holds_for_scripts_and_not_for_the_configuration_s_own_commands() {
        let policy = Policy {
            mode: permission::Mode::Deny,
            ..Policy::default()
        };
        let script = EngineInfo::script("bash", "echo a; npm install");
        let why = refused(&script, &policy, &[]).expect("refused");
        assert!(why.contains("npm install") && !why.contains("echo"), "{why}");
        let needs = uses("bash", &script.command).needs;
        assert_eq!(refused(&script, &policy, &needs), None, "what was permitted for good");
        let configured = EngineInfo {
            engine: EngineKind::Shell,
            ..script
        };
        assert_eq!(refused(&configured, &policy, &[]), None);
    }
}
