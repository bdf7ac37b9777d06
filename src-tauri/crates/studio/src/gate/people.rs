//! Who answered for whom: the roles that people are asked for, and what is to be said where one person answers for several of them
//! or a key signs under another name.

use crate::text::safe;
use crate::words;
use engine::{At, Decision, GateOpened, GateRound, Instance, Purpose, RunCreated, RunState, TookPart, is_same_name};
use model::{StepId, Workflow};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is to be said of who decides: what is to be looked into, and what only says how it is.
#[derive(Default)]
pub struct Told {
    /// Warnings.
    pub warnings: Vec<String>,
    /// Plain remarks.
    pub notes: Vec<String>,
}

/// Who reads it, as their settings have them; nobody in particular reads a document.
#[derive(Clone, Copy, Default)]
pub struct Reader<'a> {
    /// Their name.
    pub name: &'a str,
    /// The roles that they answer for.
    pub roles: &'a [String],
}

impl Reader<'_> {
    /// Whether an answer is theirs, at a gate that asks for them: of anybody else the record does not say which roles they have.
    fn was_asked(self, opened: &GateOpened, decision: &Decision) -> bool {
        !self.name.is_empty() && is_same_name(&decision.by, self.name) && asks(opened, None, self.name, self.roles)
    }
}

/// For which role a gate asks: `legal`, `legal or finance`; `None`: anyone may answer.
pub fn role(opened: &GateOpened) -> Option<String> {
    let asks: Vec<String> = opened.asks.iter().map(|ask| safe::visible(ask.as_str())).collect();
    listed(&asks, "or")
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(items: &[String], last: &str) -> Option<String> {
    match items {
        [] => None,
        [one] => Some(one.clone()),
        [rest @ .., end] => Some(format!("{} {last} {end}", rest.join(", "))),
    }
}

/// Whether a gate asks this person, who answers for these roles: it names one of them, or the person, or nobody, or whoever left the
/// step to a person when they started the run. Whoever had given no name then may be anybody.
pub fn asks(opened: &GateOpened, given_by: Option<&str>, name: &str, roles: &[String]) -> bool {
    let is_mine =
        |ask: &str| (!name.is_empty() && is_same_name(ask, name)) || roles.iter().any(|role| is_same_name(ask, role));
    let is_given = given_by.is_some_and(|by| by.trim().is_empty() || !name.is_empty() && is_same_name(by, name));
    opened.asks.is_empty() || is_given || opened.asks.iter().any(|ask| is_mine(ask.as_str()))
}

/// Who left a step to a person when they started the run: nobody did the work of the name that the workflow gives it to.
pub fn given_by<'r>(created: &'r RunCreated, workflow: &Workflow, step: &StepId) -> Option<&'r str> {
    let to = created.assigned.get(step)?;
    let is_named = workflow.step(step)?.agents.contains(to);
    is_named.then_some(created.by.as_str())
}

/// Whether somebody answered a gate that asks for others by what it says: it does not name them, and for which role they answer is on no record.
/// Whoever does a step is no matter of that, and what a scenario says nobody answered.
fn is_for_another(workflow: &Workflow, state: &RunState, round: &GateRound, decision: &Decision) -> bool {
    let opened = &round.opened;
    let created = state.created.as_deref();
    let given_by = created.and_then(|created| given_by(created, workflow, &opened.instance.step));
    let is_work = matches!(opened.purpose, Purpose::Outcome { .. });
    !is_work && !decision.is_scripted() && !asks(opened, given_by, &decision.by, &[])
}

/// Everything that was answered, in the order it was.
fn answered(state: &RunState) -> Vec<(&GateRound, &Decision, At)> {
    let rounds = state.gates.values().flatten();
    let mut all: Vec<_> = rounds
        .filter_map(|round| round.answer.as_ref().map(|(decision, at)| (round, &**decision, *at)))
        .collect();
    all.sort_by_key(|(round, _, at)| (*at, round.opened_at));
    all
}

/// The public key that signed an answer.
pub fn key(decision: &Decision) -> Option<&str> {
    decision.signature.as_ref().map(|signature| signature.key.as_str())
}

/// Another name that the key of a decision signed with first in the run.
fn first_name(state: &RunState, decision: &Decision) -> Option<String> {
    let key_of = key(decision)?;
    // Looked for without ordering all of them: a long run has many, and every one of them is asked about.
    let rounds = state.gates.values().flatten();
    let signed = rounds.filter_map(|round| {
        let (other, at) = round.answer.as_ref()?;
        (key(other) == Some(key_of)).then_some((*at, round.opened_at, other))
    });
    let (_, _, first) = signed.min_by_key(|(at, opened_at, _)| (*at, *opened_at))?;
    Some(name_of_key(first)).filter(|name| *name != decision.by)
}

/// The name that an answer shows its key to belong to.
fn name_of_key(decision: &Decision) -> String {
    decision.key_name.clone().unwrap_or_else(|| decision.by.clone())
}

/// What is to be said of one answer: that it is signed with somebody else's key, as was recorded with it; else that its key has signed under
/// another name before, which says nothing of whose it is.
pub fn of_answer(state: &RunState, decision: &Decision) -> Option<String> {
    signed_for(decision).or_else(|| {
        let name = first_name(state, decision)?;
        Some(signed_before(&decision.by, &name))
    })
}

fn signed_before(by: &str, name: &str) -> String {
    format!(
        "The key of {} has signed as {} before.",
        safe::visible(by),
        safe::visible(name)
    )
}

/// The same by what was recorded with the answer alone.
pub fn signed_for(decision: &Decision) -> Option<String> {
    let name = decision.key_name.as_deref().filter(|name| *name != decision.by)?;
    Some(signed_as(&decision.by, name))
}

fn signed_as(by: &str, name: &str) -> String {
    format!(
        "{} answered with the key of {}.",
        safe::visible(by),
        safe::visible(name)
    )
}

/// Who answered for which role, as a sentence.
pub fn answered_for(who: &str, role: &str) -> String {
    format!("{} answered for {role}.", safe::visible(who))
}

/// How long after it was wanted an answer came, as a sentence; `None`: it came in time, or nobody has said by when it was wanted.
pub fn late(state: &RunState, round: &GateRound) -> Option<String> {
    let (_, at) = round.answer.as_ref()?;
    let after = at.since_ms(state.wanted_by(round)?);
    (after > 0).then(|| format!("Answered {} after it was wanted.", words::duration(after)))
}

/// What whoever decides this round should know of it: that they have answered for another role in this run, or that their key has
/// signed under another name. Of a round that was answered: of who answered it, and for whom the gate does not name them.
pub fn of_round(workflow: &Workflow, state: &RunState, round: &GateRound, reader: Reader<'_>, signing: &str) -> Told {
    let answer = round.answer.as_ref().map(|(decision, at)| (decision, *at));
    let before = |at: At| answer.is_none_or(|(_, own)| at < own);
    let who = answer.map_or(reader.name, |(decision, _)| decision.by.as_str());
    let mut told = Told {
        warnings: Vec::new(),
        notes: late(state, round).into_iter().collect(),
    };
    let said = &mut told.warnings;
    let own = role(&round.opened);
    let for_another = answer.is_some_and(|(decision, _)| is_for_another(workflow, state, round, decision));
    if let Some(role) = own.as_ref().filter(|_| for_another) {
        let is_asked = answer.is_some_and(|(decision, _)| reader.was_asked(&round.opened, decision));
        let said = if is_asked { &mut told.notes } else { &mut *said };
        said.push(answered_for(who, role));
    }
    if own.is_some() && !who.is_empty() {
        let mut others: Vec<String> = Vec::new();
        for (other, decision, at) in answered(state) {
            let for_other = role(&other.opened).filter(|role| Some(role) != own.as_ref());
            if let Some(role) = for_other.filter(|role| decision.by == who && before(at) && !others.contains(role)) {
                others.push(role);
            }
        }
        if let Some(others) = listed(&others, "and") {
            said.push(format!(
                "{} has also answered for {others} in this run.",
                safe::visible(who)
            ));
        }
    }
    if !who.is_empty() && is_of_own_work(&work(&answered(state)), round, who) {
        said.push(format!("{} has carried out this step as well.", safe::visible(who)));
    }
    if let Some(own) = answer.and_then(|(decision, _)| of_answer(state, decision)) {
        said.push(own);
        return told;
    }
    let signing = answer.map_or(Some(signing), |(decision, _)| key(decision));
    let all = answered(state);
    let names: BTreeSet<String> = all
        .iter()
        .filter(|(_, decision, at)| signing.is_some() && key(decision) == signing && decision.by != who && before(*at))
        .map(|(_, decision, _)| format!("“{}”", safe::visible(&decision.by)))
        .collect();
    let names: Vec<String> = names.into_iter().collect();
    if let Some(names) = listed(&names, "and") {
        let whose = match answer {
            Some(_) => format!("The key of {}", safe::visible(who)),
            None => "Your key".to_owned(),
        };
        said.push(format!("{whose} has also signed as {names} in this run."));
    }
    told
}

/// Who carried out which visit, and when they said how it went. What a scenario says nobody did.
fn work<'a>(answered: &[(&'a GateRound, &'a Decision, At)]) -> HashMap<(&'a Instance, &'a str), At> {
    let work = answered.iter().filter(|(round, decision, _)| {
        matches!(round.opened.purpose, Purpose::Outcome { .. }) && !decision.is_scripted()
    });
    work.map(|(round, decision, at)| ((&round.opened.instance, decision.by.as_str()), *at))
        .collect()
}

/// Whether a round is to approve what a visit came to, and this is who carried it out before: who approves that a step begins approves no work.
fn is_of_own_work(work: &HashMap<(&Instance, &str), At>, round: &GateRound, who: &str) -> bool {
    let done = work.get(&(&round.opened.instance, who));
    round.opened.purpose == Purpose::Approval && done.is_some_and(|done| *done <= round.opened_at)
}

/// What holds for approvals in a run, and held in one that has ended.
fn four_eyes(is_over: bool) -> String {
    match is_over {
        true => "Four eyes were wanted: whoever began this run, or carried out a step of its own, could approve at none of its gates.",
        false => "Four eyes are wanted: whoever began this run, or carries out a step of its own, can approve at none of its gates.",
    }
    .to_owned()
}

/// What is to be said of a round that was answered, wherever it stands without its run: of who answered it, that it came late, and that four eyes
/// were wanted for it.
pub fn of_answered(workflow: &Workflow, state: &RunState, round: &GateRound) -> Vec<String> {
    let is_of_four_eyes = round.opened.purpose == Purpose::Approval && state.wants_four_eyes();
    let told = of_round(workflow, state, round, Reader::default(), "");
    let of_all = is_of_four_eyes.then(|| four_eyes(state.status.ended()));
    told.warnings
        .into_iter()
        .chain(late(state, round))
        .chain(of_all)
        .collect()
}

/// Who else could approve at none of its gates, because of what they did in the runs around, inside and beside it.
fn with_others(state: &RunState, beside: &[TookPart]) -> Option<String> {
    let created = state.created.as_deref()?;
    let took = state.hands().into_iter().chain(beside.iter().cloned());
    // A run inside is begun in the same name as the one around it.
    let others = took.filter(|one| one.run != created.run_id && !is_same_name(&one.name, &created.by));
    let others: BTreeSet<String> = others
        .filter(|one| !created.earlier().any(|earlier| *earlier.run() == one.run))
        .map(|one| safe::visible(&one.name))
        .collect();
    let others: Vec<String> = others.into_iter().collect();
    Some(format!(
        "The same {} for {}, because of what they did in a run around, inside or beside this one.",
        if state.status.ended() { "held" } else { "holds" },
        listed(&others, "and")?
    ))
}

/// Who could approve nothing in a run that somebody of this name begins by going on from another one, as a sentence; `None`: one person may do
/// it all. `wanted`: the project wants four eyes by now.
pub fn going_on(state: &RunState, wanted: bool, name: &str) -> Option<String> {
    let created = state.created.as_deref()?;
    let is_wanted = wanted || state.wants_four_eyes();
    if !is_wanted || created.is_rehearsal() {
        return None;
    }
    let began = std::iter::once(created).chain(created.earlier().map(|earlier| &*earlier.created));
    let began = began.map(|created| created.by.clone());
    let took_part = began.chain(state.worked().into_iter().map(|one| one.name));
    let others: BTreeSet<String> = took_part
        .filter(|other| !other.trim().is_empty() && !is_same_name(other, name))
        .map(|other| safe::visible(&other))
        .collect();
    let others: Vec<String> = others.into_iter().collect();
    let who = match listed(&others, "and") {
        None => "you begin the new run, so somebody else has".to_owned(),
        Some(others) => format!(
            "you begin the new run, and {others} began the one that it goes on from, or worked in it, so somebody who is none of you has"
        ),
    };
    Some(format!(
        "The project wants four eyes (`hitl.four_eyes`): {who} to approve, with a key of their own."
    ))
}

/// Somebody who answered in a run.
struct Answerer<'a> {
    name: &'a str,
    /// The roles that they answered for.
    roles: Vec<String>,
    /// A gate did not name them.
    for_another: bool,
    /// Each of these gates asked for the person who reads this, and they are that person.
    was_asked: bool,
}

/// For which roles people answered who answered for several, or for one that the gate did not name them by.
fn of_roles(
    workflow: &Workflow,
    state: &RunState,
    answered: &[(&GateRound, &Decision, At)],
    reader: Reader<'_>,
    told: &mut Told,
) {
    let mut people: Vec<Answerer<'_>> = Vec::new();
    for (round, decision, _) in answered {
        let Some(role) = role(&round.opened) else {
            continue;
        };
        let for_another = is_for_another(workflow, state, round, decision);
        let was_asked = reader.was_asked(&round.opened, decision);
        match people.iter_mut().find(|one| one.name == decision.by) {
            Some(one) => {
                one.for_another |= for_another;
                one.was_asked &= was_asked;
                if !one.roles.contains(&role) {
                    one.roles.push(role);
                }
            }
            None => people.push(Answerer {
                name: &decision.by,
                roles: vec![role],
                for_another,
                was_asked,
            }),
        }
    }
    for one in people.iter().filter(|one| one.roles.len() > 1 || one.for_another) {
        let roles = listed(&one.roles, "and").unwrap_or_default();
        let said = match one.was_asked {
            true => &mut told.notes,
            false => &mut told.warnings,
        };
        said.push(answered_for(one.name, &roles));
    }
}

/// The same of the whole run, one sentence each. `beside`: who worked in other runs of the same work, as far as their logs are looked at.
pub fn of_run(workflow: &Workflow, state: &RunState, reader: Reader<'_>, beside: &[TookPart]) -> Told {
    let all = answered(state);
    let rule = state.wants_four_eyes().then(|| four_eyes(state.status.ended()));
    let mut told = Told {
        warnings: Vec::new(),
        notes: rule.into_iter().chain(with_others(state, beside)).collect(),
    };
    of_roles(workflow, state, &all, reader, &mut told);
    let said = &mut told.warnings;
    let work = work(&all);
    let own = all
        .iter()
        .filter(|(round, decision, _)| is_of_own_work(&work, round, &decision.by));
    let own: BTreeSet<&str> = own.map(|(_, decision, _)| decision.by.as_str()).collect();
    said.extend(own.into_iter().map(|by| {
        format!(
            "{} decided about work that they had carried out themselves.",
            safe::visible(by)
        )
    }));
    // Of every key the name that it signed with first: looked for once, for a long run has many answers.
    let mut first: BTreeMap<&str, String> = BTreeMap::new();
    for (_, decision, _) in &all {
        let Some(key) = key(decision) else { continue };
        let name = first.entry(key).or_insert_with(|| name_of_key(decision));
        let remark = signed_for(decision).or_else(|| (*name != decision.by).then(|| signed_before(&decision.by, name)));
        said.extend(remark.filter(|remark| !said.contains(remark)));
    }
    told
}
