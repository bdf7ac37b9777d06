//! Scenarios of whole runbooks, read by the dialect as any file of a person.

use super::coverage::Coverage;
use super::front::{self, Ends};
use super::trial::{self, Trial};
use super::*;
use dialect::Document;
use proptest::prelude::*;
use std::path::Path;

/// Steps of a deployment with checks, a question and a way back; transitions stand last, as in the seed.
const STEPS: &str = "\
## 1 Checks
- PASS ALL: CONTINUE
- FAIL ANY: GOTO Recover

### 1.1 Tests
```bash
npm test
```

### 1.2 Disk
```bash
rd echo --result fail --result pass
```

- FAIL: RETRY 1 STOP

## 2 Healthy?
Look at the dashboard.

- YES: COMPLETE \"it is out\"
- NO: GOTO Recover

## Recover
```bash
rollback --now
```

- PASS: STOP \"rolled back\"
";

fn document(scenarios: &str) -> Document {
    let text = format!("---\nname: deploy\n{scenarios}---\n# Deploy\n\n{STEPS}");
    let document = Document::parse("ops/deploy.runbook.md", &text);
    assert!(
        document
            .diagnostics()
            .iter()
            .all(|d| d.severity != model::Severity::Error),
        "{:?}",
        document.diagnostics()
    );
    document
}

/// A scenario of these commands after the start.
fn scenario(start: &str, commands: &[&str], result: &str) -> String {
    let commands: String = commands.iter().map(|c| format!("      - {c}\n")).collect();
    format!("scenarios:\n  it:\n    commands:\n      - {start}\n{commands}    result: {result}\n")
}

fn tried(document: &Document) -> Vec<Trial> {
    let workflow = document.workflow();
    front::listed(workflow)
        .iter()
        .map(|one| trial::listed(workflow, &Setting::default(), document.path(), one, &|_| None))
        .collect()
}

fn check(start: &str, commands: &[&str], result: &str, passed: bool, words: &str) -> Trial {
    let document = document(&scenario(start, commands, result));
    let trial = tried(&document).remove(0);
    assert_eq!((trial.passed, trial.words.as_str()), (passed, words));
    trial
}

const PROMPTED: &str = "rd run --prompted deploy.runbook.md";

#[test]
fn blocks_run_by_themselves_and_prompts_wait() {
    let trial = check(
        "rd run deploy.runbook.md",
        &["rd yes"],
        "COMPLETE",
        true,
        "It ends with COMPLETE (“it is out”), as expected.",
    );
    let path: Vec<&str> = trial.path.iter().map(StepId::as_str).collect();
    assert_eq!(path, ["1.1", "1.2", "1.2", "2"], "the block of 1.2 fails once");
    assert_eq!(trial.stations[0].waits.as_ref().map(|at| at.step.as_str()), Some("2"));
    assert_eq!(trial.stations[0].reason.as_deref(), Some("pass:CONTINUE"));
}

#[test]
fn when_prompted_every_step_waits() {
    let trial = check(
        PROMPTED,
        &["rd pass", "rd fail", "rd fail"],
        "STOP",
        true,
        "It ends with STOP, as expected.",
    );
    assert!(trial.prompted);
    check(
        PROMPTED,
        &["rd fail", "rd pass"],
        "STOP",
        true,
        "It ends with STOP (“rolled back”), as expected.",
    );
}

#[test]
fn a_failed_scenario_says_which_command_did_what() {
    check(
        PROMPTED,
        &["rd fail", "rd pass"],
        "COMPLETE",
        false,
        "Command 3 (`rd pass`) from “Recover” ended the run with STOP (“rolled back”); COMPLETE was expected.",
    );
    check(
        PROMPTED,
        &["rd pass"],
        "STOP",
        false,
        "After the last command (2) it has not ended. It waits at “Disk” (1.2); STOP was expected.",
    );
    check(
        PROMPTED,
        &["rd fail", "rd pass", "rd pass", "rd pass"],
        "COMPLETE",
        false,
        "Command 3 (`rd pass`) from “Recover” ended the run with STOP (“rolled back”); COMPLETE was expected.",
    );
    check(
        PROMPTED,
        &["rd goto 7"],
        "STOP",
        false,
        "Command 2: `rd goto 7` at “Tests” (1.1): There is no step “7” in this runbook.",
    );
    check(
        PROMPTED,
        &["rd dance"],
        "STOP",
        false,
        "Command 2: `rd dance` says `dance`; a scenario knows run, pass, yes, fail, no, goto, stop, stash and pop.",
    );
    check("rd status", &[], "STOP", false, "No command starts the runbook.");
    check(
        "rd pass",
        &[],
        "STOP",
        false,
        "Command 1: `rd pass` comes before the runbook was started.",
    );
}

#[test]
fn goto_stop_stash_and_pop() {
    let trial = check(
        PROMPTED,
        &["rd goto 2", "rd goto 1.2", "rd pass", "rd yes"],
        "COMPLETE",
        true,
        "It ends with COMPLETE (“it is out”), as expected.",
    );
    let path: Vec<&str> = trial.path.iter().map(StepId::as_str).collect();
    assert_eq!(path, ["1.2", "2"]);
    check(PROMPTED, &["rd stop"], "STOP", true, "It ends with STOP, as expected.");
    check(
        PROMPTED,
        &["rd stash", "rd pop", "rd stop"],
        "STOP",
        true,
        "It ends with STOP, as expected.",
    );
    check(
        PROMPTED,
        &["rd stash", "rd pass"],
        "STOP",
        false,
        "Command 3: `rd pass` comes while the run is stashed.",
    );
    check(
        PROMPTED,
        &["rd pop"],
        "STOP",
        false,
        "Command 2: `rd pop`: nothing is stashed.",
    );
}

#[test]
fn agents_work_on_their_own_runbooks() {
    let commands = [
        "rd run --step 1.1 child.runbook.md",
        "rd run --agent ann",
        "rd fail --agent ann",
        "rd fail",
        "rd pass",
    ];
    let document = document(&scenario(PROMPTED, &commands, "STOP"));
    let workflow = document.workflow();
    let one = &front::listed(workflow)[0];
    let child = Document::parse("child.runbook.md", "## 1 Do\nIt.\n");
    let here = |file: &str| (file == "child.runbook.md").then(|| child.workflow().clone());
    let with = trial::listed(workflow, &Setting::default(), document.path(), one, &here);
    assert!(with.passed && with.notes.is_empty(), "{with:?}");
    let without = trial::listed(workflow, &Setting::default(), document.path(), one, &|_| None);
    assert!(without.passed, "{without:?}");
    assert_eq!(without.notes.len(), 1, "{without:?}");
    assert_eq!(
        with.path, without.path,
        "what an agent does moves its own runbook alone"
    );
    check(
        PROMPTED,
        &["rd pass --agent bob"],
        "STOP",
        false,
        "Command 2: `rd pass --agent bob`: bob has taken up nothing.",
    );
}

#[test]
fn our_own_form_stands_in_front_matter_too() {
    let document = document(
        "scenarios:\n  quiet:\n    description: It goes well\n    steps: {\"2\": [{status: failed}]}\n    expect: {status: failed, \
         path: [\"1.1\", \"1.2\", \"2\", Recover]}\n  wrong:\n    steps: {\"2\": [{status: succeeded}]}\n    expect: {status: failed}\n",
    );
    let trials = tried(&document);
    assert!(trials[0].passed, "{}", trials[0].words);
    assert_eq!(trials[0].description.as_deref(), Some("It goes well"));
    assert!(!trials[1].passed);
    assert_eq!(trials[1].words, "The run should end as “Failed”, and is “Done”.");
}

#[test]
fn a_runbook_that_turns_by_itself_is_noticed() {
    let text = "---\nscenarios:\n  x:\n    commands: [rd run x.runbook.md, rd pass]\n    result: STOP\n---\n## {N} Each\n```sh\ntrue\n```\n\n- PASS: GOTO NEXT\n";
    let document = Document::parse("x.runbook.md", text);
    let trial = tried(&document).remove(0);
    assert!(!trial.passed);
    assert!(
        trial.words.contains("turns by itself without an end"),
        "{}",
        trial.words
    );
}

#[test]
fn stepwise_flows_are_rehearsed_with_their_scenarios() {
    let flow = "key: f\ntitle: F\nsteps:\n- id: write\n  agents: [a]\n- id: check\n  agents: [b]\n  routing:\n    kind: microloop\n    loop_target: \
                write\n    loop_condition_field: status\n    loop_success_values: [VERIFIED]\n    max_iterations: 3\n    next: sign\n- id: sign\n  \
                agents: [c]\n  human_gate: required\n";
    let document = Document::parse("f.yaml", flow);
    let workflow = document.workflow();
    let script = "steps:\n  check: [{report: {status: UNVERIFIED}}, {report: {status: VERIFIED}}]\ngates:\n  sign: [{answer: approve}]\n\
                  expect: {status: succeeded, path: [write, check, write, check, sign]}\n";
    let scenario = Scenario::parse(Path::new("f.scenario.yaml"), script).expect("a scenario");
    let setting = Setting::of(&Config::default(), workflow);
    let trial = trial::scenario_of(workflow, &setting, &scenario);
    assert!(trial.passed, "{}", trial.words);
    assert_eq!(trial.coverage, Coverage::whole(workflow));
}

/// An answer that nobody asked for proves nothing of the gate that it is about.
#[test]
fn what_is_scripted_and_never_asked_for_fails_where_nothing_can_follow() {
    let flow = |gate: &str| {
        format!(
            "key: f\ntitle: F\nsteps:\n- {{id: a, agents: [w]{gate}, routing: {{kind: linear, next: ship}}}}\n- {{id: ship, agents: [w]}}\n"
        )
    };
    let tried = |gate: &str, script: &str| {
        let document = Document::parse("f.yaml", &flow(gate));
        let scenario = Scenario::parse(Path::new("f.scenario.yaml"), script).expect("a scenario");
        let setting = Setting::of(&Config::default(), document.workflow());
        trial::scenario_of(document.workflow(), &setting, &scenario)
    };
    let asked = ", human_gate: required";
    let once = "gates: {a: [{answer: approve}]}\nexpect: {status: succeeded}\n";
    let trial = tried(asked, once);
    assert!(trial.passed && trial.notes.is_empty(), "{trial:?}");
    // What may be asked for a standard stands where no gate is.
    let reports = "steps: {a: [{report: {test_coverage: 90}}]}\n";
    let trial = tried("", &format!("{reports}{once}"));
    assert!(!trial.passed);
    assert_eq!(
        trial.words,
        "The gate of `a` was never asked, and the scenario answers it."
    );
    let twice = once.replace("}]", "}, {answer: approve}]");
    let trial = tried(asked, &twice);
    assert!(!trial.passed);
    assert_eq!(
        trial.words,
        "The scenario answers the gate of `a` 2 times, and it was asked 1 of them."
    );
    // What waits, or failed and can be taken up again, may still come to it.
    let stops = "steps: {a: [{status: failed, error: e}, {}], ship: [{}]}\ngates: {a: [{answer: approve}]}\nexpect: {status: failed}\n";
    let trial = tried(asked, stops);
    assert!(trial.passed, "{}", trial.words);
    assert_eq!(
        trial.notes,
        [
            "The gate of `a` was never asked, and the scenario answers it.",
            "The step `ship` was never reached, and the scenario says what it does.",
            "The scenario says what `a` does at 2 visits, and it came to 1."
        ]
    );
    // Visits beyond those there were are said; a step that was never reached is no step that went as the script says.
    let visits = "steps: {a: [{}, {}]}\nexpect: {status: succeeded}\n";
    let trial = tried("", visits);
    assert!(trial.passed && trial.notes.len() == 1, "{trial:?}");
    let branch = "key: f\ntitle: F\nsteps:\n- {id: a, agents: [w], routing: {kind: branch, branches: {BAD: mend}, next: ship}}\n\
                  - {id: ship, agents: [w], routing: {kind: terminal}}\n- {id: mend, agents: [w], routing: {kind: terminal}}\n";
    let script = "steps: {mend: [{status: failed}]}\nexpect: {status: succeeded}\n";
    let tried = |flow: &str| {
        let document = Document::parse("f.yaml", flow);
        let scenario = Scenario::parse(Path::new("f.scenario.yaml"), script).expect("a scenario");
        let setting = Setting::of(&Config::default(), document.workflow());
        trial::scenario_of(document.workflow(), &setting, &scenario)
    };
    let trial = tried(branch);
    assert!(!trial.passed);
    assert_eq!(
        trial.words,
        "The step `mend` was never reached, and the scenario says what it does."
    );
    // A step is called by its name as well, where that says more than its id.
    assert_eq!(
        tried(&branch.replace("id: mend,", "id: mend, name: Repair the build,")).words,
        "The step “Repair the build” (`mend`) was never reached, and the scenario says what it does."
    );
}

#[test]
fn commands_without_a_result_expect_nothing() {
    let text = scenario(PROMPTED, &["rd pass", "rd fail", "rd fail"], "STOP").replace("    result: STOP\n", "");
    let trial = tried(&document(&text)).remove(0);
    assert!(trial.passed && !trial.expects, "{trial:?}");
    assert!(trial.words.contains("nothing is expected of it"), "{}", trial.words);
}

#[test]
fn a_run_that_is_rejected_and_has_a_way_for_that_can_be_expected_as_rejected() {
    let flow = "key: f\ntitle: F\nsteps:\n- {id: sign, agents: [a], human_gate: required, on_reject: tell, routing: {kind: terminal}}\n- {id: \
                tell, agents: [b], routing: {kind: terminal}}\n";
    let document = Document::parse("f.yaml", flow);
    let workflow = document.workflow();
    let setting = Setting::of(&Config::default(), workflow);
    let tried = |answer: &str, wanted: &str| {
        let script = format!("gates:\n  sign: [{{answer: {answer}}}]\nexpect: {{status: {wanted}}}\n");
        let scenario = Scenario::parse(Path::new("f.scenario.yaml"), &script).expect("a scenario");
        trial::scenario_of(workflow, &setting, &scenario)
    };
    for wanted in ["rejected", "refused"] {
        let trial = tried("reject", wanted);
        assert!(trial.passed && trial.refused, "{}", trial.words);
        assert_eq!(trial.words, "It is rejected, as expected.");
    }
    // By the word of its format it went well: who expects that expects no rejection.
    for (wanted, words) in [("succeeded", "Done"), ("failed", "Failed")] {
        let trial = tried("reject", wanted);
        assert!(!trial.passed);
        assert_eq!(
            trial.words,
            format!("The run should end as “{words}”, and is “Rejected”.")
        );
    }
    assert!(!tried("approve", "rejected").passed);
}

#[test]
fn coverage_grows_and_the_next_scenario_is_named() {
    let document = document(&scenario("rd run deploy.runbook.md", &["rd yes"], "COMPLETE"));
    let workflow = document.workflow();
    let mut seen = Coverage::default();
    for trial in tried(&document) {
        seen.absorb(&trial.coverage);
    }
    let whole = Coverage::whole(workflow);
    assert_eq!((seen.steps.len(), whole.steps.len()), (3, 4));
    let mut rounds = 0;
    let outlook = loop {
        let outlook = suggest::outlook(workflow, document.path(), &seen).expect("a runbook");
        let Some(next) = &outlook.next else { break outlook };
        let pasted: serde_json::Value = serde_yaml::from_str(&format!("scenarios:\n{}", next.yaml)).expect("YAML");
        let mut with = workflow.clone();
        with.fields.insert("scenarios".to_owned(), pasted["scenarios"].clone());
        let one = &front::listed(&with)[0];
        let trial = trial::listed(&with, &Setting::default(), document.path(), one, &|_| None);
        assert!(trial.passed, "{}: {}", next.yaml, trial.words);
        assert_eq!(trial.coverage.without(&seen), next.adds);
        seen.absorb(&trial.coverage);
        rounds += 1;
        assert!(rounds < 10);
    };
    assert!(outlook.complete);
    assert_eq!(whole.without(&seen), outlook.unreachable, "everything else was covered");
    assert!(rounds >= 1);
}

#[test]
fn what_nothing_leads_to_is_said() {
    // An outcome of its own is written for every step in 2, so that 2 itself never decides.
    let text = "## 1 One\nDo.\n\n- PASS: COMPLETE\n\n## 2 Two\n- PASS: STOP\n- FAIL: RETRY 2\n\n### 2.1 In\nDo.\n\n- PASS: STOP\n- FAIL: \
                STOP\n\n## Lost\nDo.\n";
    let document = Document::parse("x.runbook.md", text);
    let workflow = document.workflow();
    let outlook = suggest::outlook(workflow, "x.runbook.md", &Coverage::default()).expect("a runbook");
    let next = outlook.next.expect("one to begin with");
    assert_eq!(next.commands[1..], ["rd pass"]);
    assert_eq!(next.result, Ends::Complete);
    let mut seen = next.adds;
    let mut sent = Vec::new();
    let outlook = loop {
        let outlook = suggest::outlook(workflow, "x.runbook.md", &seen).expect("a runbook");
        let Some(next) = &outlook.next else { break outlook };
        sent.push(next.commands[1].clone());
        seen.absorb(&next.adds);
    };
    assert_eq!(sent, ["rd goto 2.1", "rd goto Lost"]);
    let flows = workflow.flows();
    let lost: Vec<&str> = outlook
        .unreachable
        .edges
        .iter()
        .map(|edge| flows[*edge].0.id.as_str())
        .collect();
    assert_eq!(lost, ["2"], "the retry of 2");
    assert!(outlook.complete && outlook.unreachable.steps.is_empty());
}

/// A runbook of a few steps with random transitions.
fn runbooks() -> impl Strategy<Value = String> {
    let action = prop_oneof![
        Just("CONTINUE".to_owned()),
        Just("COMPLETE".to_owned()),
        Just("STOP \"enough\"".to_owned()),
        Just("GOTO 1".to_owned()),
        Just("GOTO 2".to_owned()),
        Just("GOTO 2.2".to_owned()),
        Just("GOTO Fix".to_owned()),
        Just("GOTO NEXT 3.{n}".to_owned()),
        Just("RETRY 2 GOTO Fix".to_owned()),
        Just("RETRY".to_owned()),
    ];
    let words = prop_oneof![
        4 => Just(("PASS", "FAIL")),
        1 => Just(("PASS ANY", "FAIL ALL")),
        1 => Just(("PASS ALL", "FAIL ANY")),
    ];
    let written = prop::collection::vec(
        (
            prop::option::of(action.clone()),
            prop::option::of(action),
            any::<bool>(),
            words,
        ),
        7,
    );
    written.prop_map(|written| {
        let heads = [
            "## 1 A",
            "## 2 B",
            "### 2.1 C",
            "### 2.2 D",
            "## 3 E",
            "### 3.{n} F",
            "## Fix G",
        ];
        let mut text = String::from("# T\n\n");
        for (head, (pass, fail, is_block, (on_pass, on_fail))) in heads.iter().zip(written) {
            text.push_str(head);
            text.push('\n');
            let is_group = matches!(*head, "## 2 B" | "## 3 E");
            if is_block && !is_group {
                text.push_str("```sh\nrd echo --result fail --result pass\n```\n");
            } else if !is_group {
                text.push_str("Do it.\n");
            }
            text.push('\n');
            for (word, action) in [(on_pass, pass), (on_fail, fail)] {
                if let Some(action) = action {
                    text.push_str(&format!("- {word}: {action}\n"));
                }
            }
            text.push('\n');
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// What commands do, the scenario made from it does too, and what is put together from the log is what happened.
    #[test]
    fn a_mapped_scenario_goes_the_same_way(
        text in runbooks(),
        moves in prop::collection::vec(prop_oneof![
            4 => Just("rd pass"), 4 => Just("rd fail"), 1 => Just("rd goto 2.1"), 1 => Just("rd goto Fix"), 1 => Just("rd goto 3"),
        ], 0..14),
        prompted in any::<bool>(),
    ) {
        let document = Document::parse("r.runbook.md", &text);
        let workflow = document.workflow();
        let start = if prompted { "rd run --prompted r.runbook.md" } else { "rd run r.runbook.md" };
        let commands = std::iter::once(start).chain(moves).map(str::to_owned).collect();
        let one = front::Listed {
            name: "it".to_owned(),
            description: None,
            content: Ok(front::Content::Commands { commands, result: None }),
        };
        let trial = trial::listed(workflow, &Setting::default(), "r.runbook.md", &one, &|_| None);
        prop_assume!(trial.ended.is_some());
        let script = trial.script.expect("it was started");
        let scenario = Scenario::parse(Path::new("it"), &script).expect("a scenario");
        prop_assert_eq!(scenario.strangers(workflow), Vec::<String>::new());
        let setting = Setting { prompted: trial.prompted, ..Setting::default() };
        let played = Rehearsal::play(workflow, &setting, &scenario).expect("it runs");
        prop_assert_eq!(crate::scenario::path(played.state()), trial.path);
        prop_assert_eq!(played.standing(), Standing::Ended(trial.ended.expect("as assumed")));
        prop_assert_eq!(scenario.check(workflow, played.state()), Vec::<String>::new());
        prop_assert_eq!(Coverage::of(workflow, played.state()), trial.coverage);
        // The drawing has an edge for every way that a run takes.
        for route in played.state().routes.iter().filter(|r| r.to.is_some() && !matches!(r.reason, engine::RouteReason::Jump(_))) {
            let drawn = engine::edges::taken(workflow, route);
            prop_assert!(drawn.is_some(), "no edge for {} of {} to {:?}", route.reason, route.from.step, route.to);
        }
    }

}

proptest! {
    // Each case looks through a whole runbook some dozens of times.
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// A suggestion is carried out by the engine as it says, and nothing reachable stays uncovered for ever.
    #[test]
    fn suggestions_cover_what_can_be_reached(text in runbooks()) {
        let document = Document::parse("r.runbook.md", &text);
        let workflow = document.workflow();
        let mut seen = Coverage::default();
        for _ in 0..40 {
            let outlook = suggest::outlook(workflow, "r.runbook.md", &seen).expect("a runbook");
            let Some(next) = outlook.next else { break };
            prop_assert!(!next.adds.is_empty());
            prop_assert!(next.adds.without(&outlook.unreachable) == next.adds, "what cannot be reached was reached");
            prop_assert!(next.commands[1].starts_with("rd goto") || next.adds.without(&outlook.by_jump) == next.adds);
            seen.absorb(&next.adds);
        }
        let after = suggest::outlook(workflow, "r.runbook.md", &seen).expect("a runbook");
        prop_assert!(after.next.is_none());
    }
}

#[test]
fn what_can_never_be_started_is_told_without_trying_it() {
    let told = |scenarios: &str| {
        let document = document(&format!("scenarios:\n  it:\n{scenarios}"));
        let workflow = document.workflow();
        let setting = Setting::of(&Config::default(), workflow);
        let one = &front::listed(workflow)[0];
        let trial = trial::listed(workflow, &setting, document.path(), one, &|_| None);
        let fault = trial::fault(workflow, &setting, document.path(), one);
        assert_eq!(fault, trial.script.is_none().then_some(trial.words));
        fault
    };
    let started = "    commands:\n      - rd run deploy.runbook.md\n      - rd nothing\n";
    assert_eq!(told(started), None, "what comes later is found when it is tried");
    assert_eq!(
        told("    commands:\n      - rd status\n").as_deref(),
        Some("No command starts the runbook.")
    );
    let early = told("    commands:\n      - rd pass\n      - rd run deploy.runbook.md\n");
    assert!(early.is_some_and(|words| words.starts_with("Command 1: ")));
    assert!(told("    result: COMPLETE\n").is_some());
    assert!(told("    steps: {}\n").is_none());
}
