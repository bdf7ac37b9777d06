//! Where two runs part, in words, and what is to be known before one believes it.

use crate::gate::people;
use crate::run::compare_view::{Apart, ComparedRow, ComparedVisit, ValuesView};
use crate::run::history::History;
use crate::run::row_view::RunRowView;
use crate::text::safe;
use crate::words;
use crate::workflow::authoring::versions;
use crate::workflow::authoring::view::DifferenceView;
use engine::RunCreated;
use std::collections::{BTreeMap, BTreeSet};

/// Where they part; `parts_at`: the first row that is not the same in both; `but`: see [`but`].
pub fn words(rows: &[ComparedRow], parts_at: Option<usize>, runs: [&RunRowView; 2], but: &[String]) -> String {
    let open = runs.map(|run| run.ended_at.is_none());
    let open = match open {
        [false, false] => "",
        [true, false] => " The first run has not ended yet.",
        [false, true] => " The second run has not ended yet.",
        [true, true] => " Neither has ended yet.",
    };
    let Some((at, row)) = parts_at.and_then(|at| Some((at, rows.get(at)?))) else {
        let has_inside = |visit: &Option<ComparedVisit>| visit.as_ref().is_some_and(|visit| !visit.inside.is_empty());
        let inside = match rows.iter().any(|row| has_inside(&row.left) || has_inside(&row.right)) {
            true => " What people and steps did in the runs inside is compared there.",
            false => "",
        };
        let said = match (rows.is_empty(), people::listed(but, "and")) {
            (true, _) => "Neither run has begun a step.".to_owned(),
            (false, None) => "Both did the same, with the same answers, results and files.".to_owned(),
            (false, Some(but)) => format!("Both did the same, with the same answers, results and files, but {but}."),
        };
        return format!("{said}{inside}{open}");
    };
    let until = match at {
        0 => "They part at the very beginning.".to_owned(),
        1 => "The first step is the same in both.".to_owned(),
        n => format!("The first {n} rows are the same in both."),
    };
    format!("{until} {}{open}", parting(row))
}

/// What is not the same of two runs whose steps all came to the same: what they are, and what they were started with. `steps`: what became of
/// the steps from the one workflow to the other; `started`: see [`started`].
pub fn but(left: &History, right: &History, steps: &[DifferenceView], started: &[ValuesView]) -> Vec<String> {
    let (Some(one), Some(other)) = (left.created(), right.created()) else {
        return Vec::new();
    };
    let is_elsewhere =
        || one.source != other.source && !versions::elsewhere(&left.document, &right.document).is_empty();
    let rehearsals = (one.is_rehearsal(), other.is_rehearsal());
    let found = [
        (
            rehearsals == (true, false),
            "the first run is a rehearsal, in which nothing happened",
        ),
        (
            rehearsals == (false, true),
            "the second run is a rehearsal, in which nothing happened",
        ),
        (!started.is_empty(), "they were not started with the same"),
        (
            !steps.is_empty() || is_elsewhere(),
            "their workflows do not say the same",
        ),
    ];
    let found = found.into_iter().filter(|(is_so, _)| *is_so);
    found.map(|(_, what)| what.to_owned()).collect()
}

/// What is not the same at a row: of several things the one that the others come from.
fn parting(row: &ComparedRow) -> String {
    let at = place(row);
    let (Some(left), Some(right)) = (&row.left, &row.right) else {
        let which = if row.left.is_some() { "first" } else { "second" };
        return format!("Only the {which} run came to {at}.");
    };
    let to = |visit: &ComparedVisit| {
        let way = visit.way.as_ref().and_then(|way| way.to.as_ref());
        way.map_or_else(|| "ended there".to_owned(), |to| format!("went on to “{}”", to.name))
    };
    match row.apart.first() {
        Some(Apart::Asked) => match (asked(left), asked(right)) {
            (one, other) if one == other => {
                format!("About {at} people were asked at another time of the work, or others were asked.")
            }
            (one, other) => {
                format!("About {at} people were asked something else. First run: {one}. Second run: {other}.")
            }
        },
        Some(Apart::Doer) => format!("{at} was done by somebody else."),
        Some(Apart::Answers | Apart::Words) => {
            let is_answered = |visit: &ComparedVisit| visit.decisions.iter().any(|one| one.decision.answer.is_some());
            let what = match row.apart.first() {
                Some(Apart::Words) => format!("About {at} the same was decided, by somebody else or in other words."),
                _ if is_answered(left) || is_answered(right) => format!("About {at} people decided otherwise."),
                _ => format!("About {at} people were not asked alike."),
            };
            format!("{what} First run: {}. Second run: {}.", answered(left), answered(right))
        }
        Some(Apart::Outcome) if left.words == right.words => format!("{at} came to the same, for another reason."),
        Some(Apart::Outcome) => format!(
            "{at} came to “{}” in the first run and to “{}” in the second.",
            left.words, right.words
        ),
        Some(Apart::Inside) => {
            let inside: Vec<String> = row
                .inside
                .iter()
                .map(|one| format!("“{}” {}", one.title, one.words))
                .collect();
            format!(
                "What was done inside {at} came to something else: {}.",
                inside.join("; ")
            )
        }
        Some(Apart::Way) => format!("From {at} the first run {}, and the second {}.", to(left), to(right)),
        Some(Apart::Attempts) => format!(
            "{at} was tried {} in the first run and {} in the second.",
            words::count(left.attempts as usize, "time", "times"),
            words::count(right.attempts as usize, "time", "times")
        ),
        Some(Apart::Reported) => {
            let names: Vec<&str> = row.reported.iter().map(|one| one.name.as_str()).collect();
            format!("{at} reported something else: {}.", words::some_of(&names))
        }
        Some(Apart::Files) => {
            let names: Vec<&str> = row.files.iter().map(|one| one.name.as_str()).collect();
            format!("{at} made something else: {}.", words::some_of(&names))
        }
        Some(Apart::OnlyLeft | Apart::OnlyRight) | None => format!("They part at {at}."),
    }
}

/// What people were asked about a visit: `“May it go out?”`.
fn asked(visit: &ComparedVisit) -> String {
    let questions = visit.decisions.iter().map(|one| format!("“{}”", one.question));
    let questions: Vec<String> = questions.collect();
    questions.join(", then ")
}

/// What people said about a visit: `approved by Ada Lund`.
fn answered(visit: &ComparedVisit) -> String {
    let said = visit.decisions.iter().map(|one| {
        let round = &one.decision;
        match (&round.words, &round.by) {
            (Some(words), Some(by)) => format!("{words} by {by}"),
            _ => "nobody answered".to_owned(),
        }
    });
    let said: Vec<String> = said.collect();
    match said.is_empty() {
        true => "nobody was asked".to_owned(),
        false => said.join(", then "),
    }
}

/// What is to be known of the two before one believes what tells them apart. `steps`: what became of the steps from the one workflow to the other.
pub fn remarks(left: &History, right: &History, steps: &[DifferenceView]) -> Vec<String> {
    let mut remarks = Vec::new();
    let (Some(one), Some(other)) = (left.created(), right.created()) else {
        return remarks;
    };
    if one.path != other.path {
        remarks.push(format!(
            "They are runs of two workflows, {} and {}: steps are paired by their ids.",
            safe::visible(&one.path),
            safe::visible(&other.path)
        ));
    } else if one.source != other.source {
        let elsewhere = versions::elsewhere(&left.document, &right.document);
        let elsewhere = match (steps, elsewhere.as_slice()) {
            ([], []) => " Both versions say the same of its steps.".to_owned(),
            (_, []) => String::new(),
            (_, fields) => format!(
                " Besides its steps it says something else under: {}.",
                words::some_of(fields)
            ),
        };
        remarks.push(format!(
            "The workflow was changed between them: a step is paired with what it was in the other version.{elsewhere}"
        ));
    }
    for (which, created) in [("first", one), ("second", other)] {
        if created.imported.is_some() {
            remarks.push(format!(
                "The {which} run was imported: what was done elsewhere is not among its steps here."
            ));
        }
    }
    match (one.is_rehearsal(), other.is_rehearsal()) {
        (true, false) => remarks.push("The first run is a rehearsal: nothing of it happened.".to_owned()),
        (false, true) => remarks.push("The second run is a rehearsal: nothing of it happened.".to_owned()),
        _ => {}
    }
    if one.config != other.config && !one.is_rehearsal() && !other.is_rehearsal() {
        remarks.push("The project’s settings were changed between them.".to_owned());
    }
    remarks
}

/// What they were started with that is not the same: answers of the form, who does the work, the script.
pub fn started(left: &History, right: &History) -> Vec<ValuesView> {
    let all = |history: &History| {
        history
            .created()
            .map(|created| given(history, created))
            .unwrap_or_default()
    };
    let (mut one, mut other) = (all(left), all(right));
    let names: BTreeSet<String> = one.keys().chain(other.keys()).cloned().collect();
    let all = names.into_iter().map(|name| ValuesView {
        left: one.remove(&name),
        right: other.remove(&name),
        name,
    });
    let mut found: Vec<ValuesView> = all.filter(|value| value.left != value.right).collect();
    found.extend(engines(left, right));
    found
}

/// The agents of both whose work somebody else does.
fn engines(left: &History, right: &History) -> Vec<ValuesView> {
    let (Some(one), Some(other)) = (left.created(), right.created()) else {
        return Vec::new();
    };
    let both = one
        .engines
        .iter()
        .filter_map(|(agent, does)| Some((agent, does, other.engines.get(agent)?)));
    let differing = both.filter(|(_, one, other)| one != other);
    differing
        .map(|(agent, one, other)| ValuesView {
            name: match agent.as_str() {
                "*" => "Who does the work of every other agent".to_owned(),
                agent => format!("Who does the work of {}", safe::visible(agent)),
            },
            left: Some(words::carried_out_by(one)),
            right: Some(words::carried_out_by(other)),
        })
        .collect()
}

fn given(history: &History, created: &RunCreated) -> BTreeMap<String, String> {
    let questions = &history.workflow().questions;
    let mut given = BTreeMap::new();
    for (name, value) in &created.inputs {
        let question = questions.iter().find(|question| question.name == *name);
        let label = question.map_or(name, |question| &question.label);
        given.insert(safe::visible(label), words::value(value));
    }
    for (step, agent) in &created.assigned {
        let step = words::step_ref(history.workflow(), step).name;
        given.insert(format!("Who does “{step}”"), safe::visible(agent.as_str()));
    }
    if let Some(scenario) = &created.scenario {
        given.insert("Scenario".to_owned(), safe::visible(&scenario.name));
    }
    given
}

/// `“Review”`; of a later visit `“Review” (2nd time)`, of an instance `“Review” (2 · 1)`.
fn place(row: &ComparedRow) -> String {
    match &row.which {
        None => format!("“{}”", row.step.name),
        Some(which) => format!("“{}” ({which})", row.step.name),
    }
}
