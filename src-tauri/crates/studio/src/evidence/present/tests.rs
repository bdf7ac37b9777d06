use super::*;
use crate::run::sample::Play;
use engine::Answer;

const DAY: i64 = DAY_MS;

#[test]
fn the_weakest_support_is_named_with_its_level_and_its_time() {
    let play = Play::at_the_gate();
    let support = of_run(&play.evidence(DAY)).expect("evidence was recorded");
    assert_eq!(
        support.words,
        "Weakest evidence: prd.md, checked automatically, valid for 59 days."
    );
    assert_eq!(support.formula, "min(0.72, 0.4) = 0.4");
    // A file goes by its name, also where it is claimed something of.
    let prd = &all(&play.evidence(DAY))[1];
    assert_eq!(
        (prd.name.as_str(), prd.claim.as_str()),
        ("prd.md", "“prd.md” is complete.")
    );
    assert_eq!(prd.about[0].path, "docs/prd.md");
    assert_eq!((support.assurance, support.weakest.as_deref()), (0.4, Some("ev:prd:1")));
    assert_eq!(support.parts[1].formula, "0.5 × 0.8 (CL2) = 0.4");
    assert_eq!((support.expired, support.soon, support.drifted), (0, 1, 0));
}

#[test]
fn what_has_expired_counts_for_nothing() {
    let play = Play::at_the_gate();
    let support = of_run(&play.evidence(30 * DAY)).expect("evidence was recorded");
    assert_eq!((support.assurance, support.expired), (0.0, 1));
    assert_eq!(support.weakest.as_deref(), Some("ev:brief:1"));
    assert!(support.words.ends_with("expired 11 days ago."), "{}", support.words);
    assert_eq!(
        support.parts[0].formula,
        "0.9 × 0.8 (CL2) = 0.72, expired 11 days ago: 0"
    );
    // None at all is worth nothing, and says so.
    let nothing = super::support([]);
    assert_eq!((nothing.assurance, nothing.weakest), (0.0, None));
    assert_eq!(nothing.words, "Nothing supports it: no evidence was recorded.");
}

#[test]
fn how_long_it_holds_is_said_in_words() {
    let play = Play::at_the_gate();
    let mut record = play.state.evidence[0].record.clone();
    let until = moment("1970-01-20").expect("a day");
    for (now, words, soon) in [
        (until - 40 * DAY, "expires in 40 days", false),
        (until - 2 * DAY, "expires in 2 days", true),
        (until - DAY, "expires in 24 hours", true),
        (until - 1, "expires within the hour", true),
        (until - 2 * DAY - DAY / 4, "expires in 3 days", true),
        (until - 364 * DAY - DAY / 4, "expires in 365 days", false),
        (until - 364 * DAY - DAY + 1, "expires in 365 days", false),
        (until, "expired when 1970-01-20 began (UTC)", false),
        (until + DAY - 1, "expired when 1970-01-20 began (UTC)", false),
        (until + 3 * DAY, "expired 3 days ago", false),
    ] {
        let view = validity(&record, now);
        assert_eq!((view.words.as_str(), view.soon), (words, soon));
    }
    record.valid_until = String::new();
    assert_eq!(
        validity(&record, 0).words,
        "counts as expired: it does not say until when it holds"
    );
    record.valid_until = "soon".to_owned();
    assert_eq!(validity(&record, 0).words, "counts as expired: “soon” is no day");
}

#[test]
fn a_file_that_changed_is_told_from_one_that_is_gone() {
    let play = Play::at_the_gate();
    let on_disk = |path: &str| (path == "docs/brief.md").then(|| Digest::from("b2"));
    let of = Of {
        on_disk: Some(&on_disk),
        ..play.evidence(0)
    };
    let all = all(&of);
    assert_eq!(all[0].about[0].words.as_deref(), Some("brief.md has changed since."));
    assert_eq!(
        (all[0].about[0].drift, all[1].about[0].drift),
        (Drift::Changed, Drift::Gone)
    );
    assert_eq!(support(&all).drifted, 2);
    let same = |path: &str| Some(Digest::from(if path == "docs/brief.md" { "b1" } else { "p1" }));
    let of = Of {
        on_disk: Some(&same),
        ..play.evidence(0)
    };
    assert!(
        super::all(&of)
            .iter()
            .all(|record| record.about[0].drift == Drift::Same)
    );
}

#[test]
fn an_approval_stands_in_the_history_of_what_it_raised() {
    let mut play = Play::at_the_gate();
    play.answer(Answer::Approve, "read every line");
    let all = all(&play.evidence(0));
    let prd = &all[1];
    assert_eq!(
        (prd.level, prd.level_words.as_str()),
        (Level::L2, "confirmed by a person")
    );
    let one = &prd.promotions[0];
    assert_eq!((one.by.as_str(), one.reason.as_str()), ("Ada", "read every line"));
    let gate = one.gate.as_ref().expect("a gate did it");
    assert_eq!((gate.round, gate.question.as_str()), (1, "Shall “Architecture” begin?"));
    assert!(prd.promote.to.is_none() && prd.promote.refusal.is_some());
    // The brief was not shown, and asks for no more than it has.
    assert_eq!((all[0].level, all[0].promote.to), (Level::L1, Some(Level::L2)));
}

#[test]
fn what_needs_somebody_stands_first_and_what_was_replaced_last() {
    let mut play = Play::at_the_gate();
    play.answer(Answer::Changes, "name the owner");
    play.made("docs/prd.md", "p2", "1970-01-05", 0.5);
    let mut all = all(&play.evidence(6 * DAY));
    sort(&mut all);
    let order: Vec<(&str, bool)> = all
        .iter()
        .map(|record| (record.id.as_str(), record.superseded))
        .collect();
    assert_eq!(order, [("ev:prd:2", false), ("ev:brief:1", false), ("ev:prd:1", true)]);
    assert!(all[2].promote.refusal.is_some());
}

#[test]
fn what_a_person_raised_is_not_said_to_have_been_checked() {
    let mut play = Play::at_the_gate();
    let held = &mut std::sync::Arc::make_mut(&mut play.state.evidence)[0];
    assert_eq!(standing(held), "checked automatically");
    held.record.level = Level::L0;
    assert_eq!(standing(held), "only claimed");
    held.record.level = Level::L1;
    held.promotions.push((
        engine::Promotion {
            evidence: held.record.id.clone(),
            from: Level::L0,
            to: Level::L1,
            by: "Ada".to_owned(),
            reason: "read it".to_owned(),
            gate: None,
            signature: None,
        },
        engine::At(1),
    ));
    assert_eq!(standing(held), "confirmed once by a person");
    // An hour before its end it is still said in words.
    let view = view(
        &play.evidence(moment("1970-01-20").expect("a day") - 1),
        &play.state.evidence[0],
    );
    assert_eq!(view.holds, "valid for less than an hour");
}
