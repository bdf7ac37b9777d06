//! Why a run went where it went, in plain words: the engine's reason strings and codes become sentences here and nowhere
//! else.

use crate::gate::asking;
use crate::run::{detours, transitions};
use crate::text::safe;
use crate::words;
use engine::{
    Alternative, FeedbackGiven, FeedbackLimit, FeedbackTarget, NavigatorSaid, RouteDecision, RouteKind, RouteReason,
    RouteSource, RunState, SentBack, StepResult, WhyNotCode,
};
use model::{Destination, Routing, StepId, Workflow, cel};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Of what a person has decided.
pub const PERSON: &str = "a person’s decision";

/// Who decided: the word and what a person reads.
pub fn source(route: &RouteDecision) -> (&'static str, &'static str) {
    let (word, words) = by_source(route.source);
    (word, transitions::source(route).unwrap_or(words))
}

fn by_source(source: RouteSource) -> (&'static str, &'static str) {
    match source {
        RouteSource::FastPath => ("fast_path", "there was only one way on"),
        RouteSource::Deterministic => ("deterministic", "the workflow's own rule"),
        RouteSource::Person => ("person", PERSON),
        RouteSource::Navigator => ("navigator", "the navigator, among the possible ways"),
        RouteSource::NavigatorDetour => ("navigator_detour", "the navigator, as a detour"),
        RouteSource::EnvelopeFallback => ("envelope_fallback", "a signal in the step’s own output"),
        RouteSource::Escalate => ("escalate", "a person, because nothing else decided"),
    }
}

/// The kind of decision as a word; a rejection is none of the contract's, but it is what happened.
pub fn kind(route: &RouteDecision) -> &'static str {
    if matches!(route.reason, RouteReason::Rejected(Some(_))) {
        return "rejected";
    }
    match route.decision {
        RouteKind::Advance => "advance",
        RouteKind::Loop => "loop",
        RouteKind::Terminate => "terminate",
    }
}

/// The headline of a why-card.
pub fn headline(workflow: &Workflow, route: &RouteDecision) -> String {
    if let Some(said) = transitions::headline(workflow, route) {
        return said;
    }
    match (&route.to, route.decision) {
        (Some(to), RouteKind::Loop) => format!("Why back to “{}”?", words::step_ref(workflow, to).name),
        (Some(to), _) => format!("Why on to “{}”?", words::step_ref(workflow, to).name),
        (None, _) => "Why did the flow end here?".into(),
    }
}

/// Why a route was taken, in plain words, from the contract's reason string (seed 001, CONTRACTS "Stepwise"). `is_rehearsal`: what the workflow says
/// at its end has not happened.
pub fn why(workflow: &Workflow, route: &RouteDecision, is_rehearsal: bool) -> String {
    if let Some(said) = transitions::why(workflow, route, is_rehearsal) {
        return said;
    }
    let from = words::step_ref(workflow, &route.from.step).name;
    let to = route
        .to
        .as_ref()
        .map(|to| format!("“{}”", words::step_ref(workflow, to).name));
    let onwards = match &to {
        Some(to) => format!("so the flow went on to {to}"),
        None => "so the flow ended".into(),
    };
    let round = |n: &Option<u32>| n.map(|n| n.to_string()).unwrap_or_default();
    let by_condition = workflow
        .step(&route.from.step)
        .is_some_and(|step| matches!(step.routing, model::Routing::Guarded { .. }));
    match &route.reason {
        RouteReason::LinearDefault => format!("{} comes after “{from}” in the file.", to.unwrap_or_default()),
        RouteReason::CompleteTerminal => format!("“{from}” is where this flow ends."),
        RouteReason::ExplicitNextStep => format!(
            "“{from}” itself named {} as the next step, which comes before what the file says.",
            to.unwrap_or_default()
        ),
        RouteReason::LinearExplicit => format!("After “{from}” comes {}.", to.unwrap_or_default()),
        RouteReason::CompleteNoRouting | RouteReason::CompleteLinear => {
            let left = workflow.step(&route.from.step);
            let is_last = left.is_some_and(|step| workflow.step_after(step).is_none());
            let what = ended(workflow);
            match is_last {
                true => format!("“{from}” was the last step, so the {what} ended."),
                false => format!("“{from}” names no next step, so the {what} ended."),
            }
        }
        RouteReason::MicroloopNoTarget | RouteReason::CompleteMicroloopFallback => {
            format!("The loop at “{from}” names no step to go back to, {onwards}.")
        }
        RouteReason::MaxIterationsReached(n) | RouteReason::CompleteMaxIterations(n) => format!(
            "The loop had already gone round {}, the most it may, {onwards}, whatever was reported last.",
            words::count(*n as usize, "time", "times")
        ),
        RouteReason::LoopExitConditionMet(detail) | RouteReason::CompleteConditionMet(detail) => {
            format!("“{from}” reported {detail}, which ends the loop, {onwards}.")
        }
        RouteReason::LoopExitNoFurtherHelp | RouteReason::CompleteNoFurtherHelp => {
            format!("“{from}” said that another round would not help, {onwards}.")
        }
        RouteReason::LoopIteration(detail) => {
            let max = route
                .loop_count
                .map_or_else(String::new, |c| format!(" of at most {}", c.max));
            let back = to.unwrap_or_else(|| "an earlier step".into());
            let said = match route.looked_at.iter().find(|(_, v)| !v.is_null()) {
                None => format!("“{from}” was not satisfied"),
                // How the work itself went is no verdict on what it looked at.
                Some((_, v)) if v.as_str().is_some_and(is_how_it_went) => {
                    format!("“{from}” reported nothing that ends the loop")
                }
                Some((name, v)) => format!("“{from}” was not satisfied (its {name} was {})", in_a_loop(v)),
            };
            format!("{said}, so the flow went back to {back} (time {detail}{max}).")
        }
        RouteReason::Branch(detail) if by_condition => match detail.as_str() {
            "always" => format!(
                "No condition stands on the way to {}.",
                to.unwrap_or_else(|| "the end".into())
            ),
            _ => format!(
                "This condition holds: {detail}. It leads to {}.",
                to.unwrap_or_else(|| "the end".into())
            ),
        },
        RouteReason::BranchFallback if by_condition => format!(
            "None of the conditions of “{from}” holds, {onwards}.{}",
            unanswered(route)
        ),
        RouteReason::Branch(detail) => format!(
            "The value “{detail}” leads to {}.",
            to.unwrap_or_else(|| "the end".into())
        ),
        RouteReason::BranchFallback => format!("No branch of “{from}” matched, {onwards}."),
        RouteReason::CompleteBranch => {
            format!("No branch of “{from}” matched and none is given for that case, so the flow ended.")
        }
        RouteReason::UnknownKindFallback => {
            format!("The routing of “{from}” is of a kind Gatehouse does not carry out, {onwards}.")
        }
        // Of a graph's node no edge leads on from (a kind that is not carried out does not start).
        RouteReason::CompleteUnknown => format!("No way leads on from “{from}”, so the {} ended.", ended(workflow)),
        RouteReason::Navigator(_) => {
            let reasons = route.looked_at.get("navigator").map(words::value);
            let reasons = reasons.map_or_else(String::new, |reasons| format!(" Its reasons: {reasons}"));
            format!("The navigator chose this way, {onwards}.{reasons}")
        }
        RouteReason::Detour(id) | RouteReason::Injection(id) => crate::run::detours::taken(workflow, route, id),
        RouteReason::Feedback(_) => reported(workflow, route),
        RouteReason::Returned(_) => crate::run::detours::returned(workflow, route),
        RouteReason::Signal(_) => format!("The report of “{from}” asks for this way, {onwards}."),
        RouteReason::WayChosen(_) => {
            let by = route
                .looked_at
                .get("by")
                .map_or_else(|| "a person".to_owned(), words::value);
            match &to {
                Some(to) => format!("A person was asked where to go on: {by} chose {to}."),
                None => format!("A person was asked where to go on: {by} chose to end here."),
            }
        }
        RouteReason::ChangesRequested(n) => changes_requested(*n),
        RouteReason::Rejected(n) => match to {
            Some(to) => format!(
                "A person rejected round {}. The workflow goes to {to} in that case.",
                round(n)
            ),
            None => format!("A person rejected round {}, so the run ended.", round(n)),
        },
        RouteReason::Fork { nth, of } => format!(
            "Branch {nth} of {of} begins with {}; they run beside each other.",
            to.unwrap_or_default()
        ),
        RouteReason::Joined { .. } => {
            let count = route.looked_at.get("count").and_then(Value::as_str);
            format!(
                "The branches of “{from}” have met ({}), {onwards}.",
                count.unwrap_or("all that is asked for")
            )
        }
        RouteReason::Approved(_) | RouteReason::Outcome { .. } | RouteReason::Jump(_) | RouteReason::Other(_) => {
            route.reason.to_string().replace('_', " ")
        }
    }
}

/// A value as it was reported. To a reader a yes or no is `yes`, and a list is what stands in it; what decides is the value itself, and of
/// `yes` and `true` one may lead on and the other not.
fn as_reported(value: &Value) -> String {
    match value {
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
        other => words::value(other),
    }
}

/// The same where a loop decides by it, which knows a yes or no by the origin's word for it.
fn in_a_loop(value: &Value) -> String {
    match value {
        Value::Bool(_) => format!("{value}, which counts as “{}”", engine::value::text(value)),
        other => as_reported(other),
    }
}

/// That a loop was left although nobody was satisfied, with what was reported and said last: `The loop at “Check” is used up (3 times back,
/// the most it may go): the last status was FAIL. “Rent is wrong in clause 3.”`; `None`: it was not.
pub fn used_up(workflow: &Workflow, route: &RouteDecision, result: &StepResult) -> Option<String> {
    let step = workflow.step(&route.from.step)?;
    let name = &step.name;
    let verdict = asking::verdict(step, &result.report);
    // A bound can be read before the value that would have ended the loop.
    if verdict.as_ref().is_some_and(|(_, _, ends)| *ends) {
        return None;
    }
    let bound = route
        .alternatives
        .iter()
        .find(|other| other.why_not.code == WhyNotCode::LoopBoundReached);
    let bound = bound.map(|other| {
        other
            .why_not
            .value
            .as_deref()
            .and_then(|most| most.parse().ok())
            .unwrap_or(0)
    });
    let how = match (&route.reason, bound) {
        (RouteReason::LoopExitNoFurtherHelp | RouteReason::CompleteNoFurtherHelp, _) => {
            format!("“{name}” said that another round would not help")
        }
        (_, Some(most)) => format!(
            "The loop at “{name}” is used up ({} back, the most it may go)",
            words::count(most, "time", "times")
        ),
        _ => return None,
    };
    let verdict = match (verdict, &step.routing) {
        (Some((field, value, _)), _) => {
            format!(
                ": the last {} was {}",
                safe::visible(&field),
                safe::visible(&in_a_loop(value))
            )
        }
        // A loop that only its number of rounds ends has come to its end as it should.
        (None, Routing::Microloop(_)) if step.routing.asks_for().is_empty() => return None,
        (None, Routing::Microloop(_)) => ": nothing was reported that ends it".to_owned(),
        (None, _) => String::new(),
    };
    /// What was said longer than this is read at the step.
    const LONGEST: usize = 300;
    let said = safe::plain(result.output.trim());
    let said = match said.trim() {
        "" => String::new(),
        said => format!(" “{}”", safe::shortened(said, LONGEST)),
    };
    Some(format!("{how}{verdict}.{said}"))
}

/// `“Build” (developer) reports to “Design”: constraint, error; 1 of 3: Too slow.`
pub fn issue(workflow: &Workflow, given: &FeedbackGiven) -> String {
    let from = asking::step_of(workflow, &given.from);
    let agent = given.agent.as_ref();
    let agent = agent.map_or_else(String::new, |agent| format!(" ({})", safe::visible(agent.as_str())));
    let to: Vec<String> = given.targets.iter().map(|to| target(workflow, to)).collect();
    let to = if to.is_empty() {
        "nobody".to_owned()
    } else {
        to.join(" and ")
    };
    let kind = safe::visible(&given.kind.title().to_lowercase());
    let severity = safe::visible(given.severity.as_str());
    let message = safe::visible(&given.message);
    let mut why: Vec<String> = given.fault.iter().map(|fault| fault.words("")).collect();
    let faults = given
        .targets
        .iter()
        .filter_map(|to| Some(to.fault.as_ref()?.words(&to.named)));
    why.extend(faults.map(|fault| safe::visible(&fault)));
    why.extend(given.limit.as_ref().map(|limit| match limit {
        FeedbackLimit::Time => match given.within_ms {
            Some(ms) => format!("its {} are over", words::duration(ms)),
            None => "its time is over".to_owned(),
        },
        _ => format!(
            "it has sent work back {}, the most it may",
            words::count(given.most as usize, "time", "times")
        ),
    }));
    let round = match why.is_empty() {
        true => {
            let within = given.within_ms.map(|ms| format!(" within {}", words::duration(ms)));
            format!(
                "; {} of at most {}{}",
                given.round,
                given.most,
                within.unwrap_or_default()
            )
        }
        false => format!("; a person decides: {}", why.join("; ")),
    };
    format!("{from}{agent} reports to {to}: {kind}, {severity}{round}. {message}")
}

/// The step, and the agent where it was named so.
fn target(workflow: &Workflow, target: &FeedbackTarget) -> String {
    let named = safe::visible(&target.named);
    match &target.step {
        Some(step) => {
            let name = words::step_ref(workflow, step).name;
            match target.named == step.as_str() || target.named == name {
                true => format!("“{name}”"),
                false => format!("“{name}” ({named})"),
            }
        }
        None => format!("“{named}”"),
    }
}

/// Why work is done again that a person asked to be changed.
pub fn changes_requested(round: Option<u32>) -> String {
    let round = round.map(|n| n.to_string()).unwrap_or_default();
    format!("A person asked for changes in round {round}, so the work is done again.")
}

/// What follows when stages are done again because of a report or a rejection: `“D” reported an issue, so “A” is done again, and what lies
/// between.`
pub fn sent_back(workflow: &Workflow, sent: &SentBack) -> String {
    let name = |id: &StepId| format!("“{}”", words::step_ref(workflow, id).name);
    let to: Vec<String> = sent.to.iter().map(name).collect();
    let verb = if to.len() == 1 { "is" } else { "are" };
    let between = if sent.again.len() > 1 {
        ", and so is what lies between"
    } else {
        ""
    };
    let why = match (sent.rejected, sent.by_person) {
        (true, _) => "was rejected",
        (false, true) => "reported an issue with earlier work; a person decided so",
        (false, false) => "reported an issue with earlier work",
    };
    format!(
        "{} {why}: {} {verb} done again{between}.",
        asking::step_of(workflow, &sent.from),
        to.join(" and ")
    )
}

/// Why a route leads back: what was reported.
fn reported(workflow: &Workflow, route: &RouteDecision) -> String {
    let from = asking::step_of(workflow, &route.from);
    let said: Vec<String> = route.looked_at.values().map(words::value).collect();
    let to = route
        .to
        .as_ref()
        .map(|to| format!("“{}”", words::step_ref(workflow, to).name));
    let round = route.loop_count.map_or_else(String::new, |count| {
        format!(": {} of at most {}", count.taken + 1, count.max)
    });
    format!(
        "{from} reported an issue with earlier work, so it went back to {}{round}. {}",
        to.unwrap_or_else(|| "nowhere".to_owned()),
        said.join(" ")
    )
}

/// What a navigator said, or why it does not count.
pub fn navigator(step: &str, said: &NavigatorSaid) -> String {
    let reasons = match said.reasons.trim() {
        "" => String::new(),
        reasons => format!(" Its reasons: {}", safe::visible(reasons)),
    };
    match (&said.refused, &said.way) {
        (Some(why), _) => format!(
            "The navigator’s answer about {step} does not count: {}{reasons}",
            safe::visible(why)
        ),
        (None, Some(way)) => format!("The navigator chose {} after {step}.{reasons}", safe::visible(way)),
        (None, None) => format!("The navigator named no way on from {step}.{reasons}"),
    }
}

/// Conditions that have no answer for what was reported, or compare a number of it with text: they do not hold, but nobody has said that they do
/// not.
fn unanswered(route: &RouteDecision) -> String {
    let cannot_hold = |alternative: &&Alternative| {
        let why = &alternative.why_not;
        let said = why.value.as_deref().unwrap_or_default();
        why.code == WhyNotCode::ConditionFailed || why.code == WhyNotCode::ConditionNotMet && cel::says_unlike(said)
    };
    let all: Vec<String> = route.alternatives.iter().filter(cannot_hold).map(why_not).collect();
    match all.split_first() {
        None => String::new(),
        Some((one, [])) => format!(" Of one way {one}."),
        Some((one, more)) => format!(
            " Of {} ways the condition cannot be met by what was reported; of the first {one}.",
            more.len() + 1
        ),
    }
}

/// Whether a value says how a step's work went, as it counts where the step reported no status of its own.
fn is_how_it_went(value: &str) -> bool {
    value == engine::ExecutionStatus::Succeeded.word()
}

/// A condition that only compares, in words: `fault is “ours” and repair_cost is at most 80`. `None`: it is more than that, and is shown as it is
/// written.
fn condition(text: &str) -> Option<String> {
    let together = |sign: &str, word: &str| {
        let parts: Option<Vec<String>> = text.split(sign).map(comparison).collect();
        Some(parts?.join(word))
    };
    together("&&", " and ").or_else(|| together("||", " or "))
}

/// `fault == 'ours'` in words.
fn comparison(text: &str) -> Option<String> {
    const SIGNS: [(&str, &str); 6] = [
        ("==", "is"),
        ("!=", "is not"),
        ("<=", "is at most"),
        (">=", "is at least"),
        ("<", "is less than"),
        (">", "is more than"),
    ];
    let (at, sign, word) = SIGNS
        .iter()
        .find_map(|(sign, word)| Some((text.find(sign)?, sign, word)))?;
    let (name, value) = (text[..at].trim(), text[at + sign.len()..].trim());
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let quoted = ['\'', '"'].iter().find_map(|quote| {
        let inner = value.strip_prefix(*quote)?.strip_suffix(*quote)?;
        (!inner.contains(['\'', '"', '\\'])).then(|| format!("“{inner}”"))
    });
    let plain = matches!(value, "true" | "false") || value.parse::<f64>().is_ok_and(f64::is_finite);
    let value = quoted.or_else(|| plain.then(|| value.to_owned()))?;
    is_name.then(|| format!("{name} {word} {value}"))
}

/// Why another way was not taken.
pub fn why_not(alternative: &Alternative) -> String {
    use WhyNotCode as C;
    let why = &alternative.why_not;
    let value = why.value.as_deref().unwrap_or_default();
    let times = || words::count(value.parse().unwrap_or(0), "time", "times");
    match &why.code {
        C::LoopBoundReached => format!("the loop had already gone round {}, the most it may", times()),
        C::ExitConditionMet => format!("{value} ends the loop"),
        C::FurtherHelpRefused => "another round was said not to help".into(),
        C::ValueNotMatched if is_how_it_went(value) => "nothing was reported that ends the loop".into(),
        C::ValueNotMatched => format!("the value was {value}, which does not end the loop"),
        C::ValueMissing => format!("nothing was reported as {value}"),
        C::NoExitCondition => "nothing but its number of rounds ends this loop".into(),
        C::OtherValueNeeded => format!("it is taken for {value} only"),
        C::BranchMatched => format!("the value {value} has a branch of its own"),
        C::ConditionNotMet => match condition(value) {
            Some(words) => format!("it is taken only where {words}"),
            None => format!("its condition does not hold: {value}"),
        },
        C::EarlierConditionMet => format!("an earlier condition held: {value}"),
        C::FeedbackGiven => "the step reported issues with earlier work, which is done again first".into(),
        C::NavigatorChose => "the navigator chose another way".into(),
        C::SignalFollowed => "the step’s own report asks for another way".into(),
        C::WayChosen => "a person chose another way".into(),
        C::NextStepApart => "the step’s own report named it, but it is not of the same branch: only the file leads into and out of branches".into(),
        C::NextStepInDetour => "the step’s own report named it, but it is a step of a detour, which begins only where the file says".into(),
        C::NextStepReported => "the step's own report named another step".into(),
        C::ConditionFailed => format!("its condition has no answer for what was reported: {value}"),
        C::CelNotSupported => "its condition is an expression that this version cannot evaluate".into(),
        C::PersonDecided => match value {
            "approve" => "a person approved".into(),
            "changes" => "a person asked for changes".into(),
            "reject" => "a person rejected".into(),
            _ => "a person decided otherwise".into(),
        },
        C::DetourTaken => "a detour is taken first".into(),
        C::DetourNotDue => format!("what the detour waits for was not so: {value}"),
        C::DetourOffered => "a detour is taken here when somebody chooses it".into(),
        C::DetourUsedUp => {
            let often = detours::times(value.parse().unwrap_or(0));
            format!("the detour had been taken {often}, the most it may")
        }
        C::OtherResultNeeded => format!("it is taken when the result is {value}"),
        C::RetriesLeft => {
            let (taken, most) = value.split_once('/').unwrap_or((value, "?"));
            format!("there were retries left ({taken} of {most} used)")
        }
        C::RetriesUsedUp => match value {
            "1" => "its one retry was used".into(),
            most => format!("all {most} retries were used"),
        },
        C::Other(_) => why.to_string().replace('_', " "),
    }
}

/// What a route to nowhere ends: the run does not end with its only flow where somebody is waited for behind that, or it is to be asked whether
/// it leads on.
fn ended(workflow: &Workflow) -> &'static str {
    let mut onward = workflow.on_complete.iter();
    let is_all = onward.all(|onward| onward.to != Destination::Pause && onward.condition.is_none());
    match workflow.parts().is_empty() && is_all {
        true => "run",
        false => "flow",
    }
}

/// That a flow ended, or a loop was left, although nothing that was reported says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// In sentences.
    pub words: String,
    /// In a few words, for a list.
    pub brief: String,
}

/// What a decision of a run tells of that; `None`: what was reported led there.
fn unmet_at(workflow: &Workflow, state: &RunState, route: &RouteDecision) -> Option<Unmet> {
    let step = workflow.step(&route.from.step)?;
    let name = &step.name;
    if matches!(route.reason, RouteReason::CompleteBranch) && matches!(step.routing, Routing::Branch(_)) {
        let said = route.looked_at.iter().filter(|(_, value)| !value.is_null());
        let said: Vec<String> = said
            .map(|(field, value)| format!("{} was {}", safe::visible(field), safe::visible(&as_reported(value))))
            .collect();
        let said = match said.as_slice() {
            [] => String::new(),
            said => format!(" ({})", said.join(", ")),
        };
        return Some(Unmet {
            words: format!(
                "No branch of “{name}” matched what was reported{said} and none is given for that case, so the flow ended there."
            ),
            brief: format!("no branch of “{name}” matched"),
        });
    }
    let words = used_up(workflow, route, state.visit(&route.from)?.result()?)?;
    Some(Unmet {
        words,
        brief: format!("the loop at “{name}” ended without its condition"),
    })
}

/// Where a run ended, or left a loop, without what was to be reported there: of each step as it was left last, in the order of the file.
pub fn unmet(workflow: &Workflow, state: &RunState) -> Vec<Unmet> {
    let mut seen = BTreeSet::new();
    let mut found: Vec<(usize, Unmet)> = Vec::new();
    for route in state.routes.iter().rev() {
        if !seen.insert(&route.from.step) {
            continue;
        }
        let Some(step) = workflow.step(&route.from.step) else {
            continue;
        };
        found.extend(unmet_at(workflow, state, route).map(|unmet| (step.ordinal, unmet)));
    }
    found.sort_by_key(|(ordinal, _)| *ordinal);
    found.into_iter().map(|(_, unmet)| unmet).collect()
}

/// Of a run that came to its limit of steps: which way back it took over and over, as a sentence. Going on takes it again.
pub fn circled(workflow: &Workflow, state: &RunState) -> Option<String> {
    state.error.as_deref().filter(|error| error.starts_with(LIMIT))?;
    let mut taken: BTreeMap<(&StepId, &StepId), usize> = BTreeMap::new();
    for route in &state.routes {
        let back = route.to.as_ref().filter(|to| {
            let [from, to] = [&route.from.step, *to].map(|id| workflow.step(id).map(|step| step.ordinal));
            from.zip(to).is_some_and(|(from, to)| to <= from)
        });
        if let Some(to) = back {
            *taken.entry((&route.from.step, to)).or_default() += 1;
        }
    }
    let ((from, to), times) = taken.into_iter().max_by_key(|(_, times)| *times)?;
    let [from, to] = [from, to].map(|id| words::step_ref(workflow, id).name);
    let times = words::count(times, "time", "times");
    Some(format!(
        "“{from}” led back to “{to}” {times}, until the run came to its limit of steps."
    ))
}

/// How the machine says that a run came to it (`control/token.rs`).
const LIMIT: &str = "Safety limit reached";

#[cfg(test)]
mod tests {
    use super::{as_reported, condition, in_a_loop, unanswered};
    use crate::run::sample;
    use engine::{Alternative, Frame, Instance, RouteReason, WhyNotCode, runbook};
    use serde_json::json;

    #[test]
    fn a_condition_that_compares_a_number_with_text_is_told_where_none_holds() {
        let from = Instance {
            step: "2".into(),
            visit: 1,
            path: Vec::new(),
        };
        let mut route = runbook::jump(&sample::deployment(), &from, &Frame::default(), &"3".into());
        let mut told = |why_not: &[&str]| {
            let ways = why_not.iter().map(|why_not| Alternative {
                to: None,
                why_not: (*why_not).into(),
            });
            route.alternatives = ways.collect();
            unanswered(&route)
        };
        let unlike = "condition_not_met:count == '3': `count` is a number, and a number never equals text";
        assert_eq!(told(&["condition_not_met:count == 4"]), "");
        assert_eq!(
            told(&["condition_not_met:count == 4", unlike]),
            " Of one way its condition does not hold: count == '3': `count` is a number, and a number never equals text."
        );
        assert!(told(&[unlike, unlike]).starts_with(" Of 2 ways the condition cannot be met"));
    }

    #[test]
    fn a_value_that_decided_is_told_as_it_was_reported() {
        for (value, said, of_loop) in [
            (json!("yes"), "yes", "yes"),
            (json!(true), "true", "true, which counts as “True”"),
            (json!(["yes"]), "[\"yes\"]", "[\"yes\"]"),
            (json!(3), "3", "3"),
        ] {
            assert_eq!(
                (as_reported(&value).as_str(), in_a_loop(&value).as_str()),
                (said, of_loop)
            );
        }
    }

    #[test]
    fn the_words_that_are_looked_for_are_those_of_the_record() {
        let [bound, no_help, no_branch] = store::UNMET;
        assert_eq!(WhyNotCode::LoopBoundReached.to_string(), bound);
        for reason in [RouteReason::LoopExitNoFurtherHelp, RouteReason::CompleteNoFurtherHelp] {
            assert!(reason.to_string().ends_with(no_help), "{reason}");
        }
        assert_eq!(RouteReason::CompleteBranch.to_string(), no_branch);
    }

    #[test]
    fn a_condition_that_only_compares_is_told_in_words_and_any_other_as_it_is_written() {
        for (written, words) in [
            (
                "fault == 'ours' && repair_cost <= 80",
                Some("fault is “ours” and repair_cost is at most 80"),
            ),
            (
                "a != \"b\" || report.n > 1.5",
                Some("a is not “b” or report.n is more than 1.5"),
            ),
            ("done == true", Some("done is true")),
            ("a == 1 && b == 2 || c == 3", None),
            ("size(names) > 2", None),
            ("a == b", None),
            ("a == 'x && y'", Some("a is “x && y”")),
            ("always", None),
        ] {
            assert_eq!(condition(written).as_deref(), words, "{written}");
        }
    }
}
