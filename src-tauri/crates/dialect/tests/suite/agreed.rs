//! Names that say that somebody has to agree, whatever they are called: an error beside no gate that says the same, with the line and what to
//! write; a note where they say no; and nothing of what is called nearly so is taken for one.

use dialect::Document;
use model::{Diagnostic, GateRequirement, Severity};

/// A file of each format that has steps with gates, with `FIELD` in its last step.
const FILES: [(&str, &str); 6] = [
    (
        "f.yaml",
        "id: f\nsteps:\n  - {id: a, role: r, agents: [w], routing: {kind: terminal}FIELD}\n",
    ),
    (
        "g.yaml",
        "id: g\nnodes: [{node_id: a, agents: [w]}, {node_id: b, agents: [w]FIELD}]\nedges: [{from: a, to: b}]\n",
    ),
    (
        "p.yaml",
        "name: p\nstages:\n  - {name: a, agents: [w], depends_on: []FIELD}\n",
    ),
    (
        "s.yaml",
        "format: stepspec\nworkflow: k\nsteps:\n  - {id: a, name: A, agent: wFIELD}\n",
    ),
    ("w.yaml", "workflow: {id: k}\nsequence:\n  - {agent: w, task: tFIELD}\n"),
    (
        "p.json",
        "{\"name\": \"p\", \"stages\": [{\"name\": \"a\", \"agents\": [\"w\"], \"depends_on\": []FIELD}]}",
    ),
];

/// The file with some fields, written as YAML is; JSON is given those that are one name and one word.
fn file(path: &str, text: &str, field: &str) -> Option<String> {
    let field = match path.ends_with(".json") {
        false => format!(", {field}"),
        true => {
            let (name, value) = field.split_once(": ")?;
            if value.contains([':', '[', '{', '\'', '~', ',']) {
                return None;
            }
            match ["true", "false"].contains(&value) || value.parse::<u32>().is_ok() {
                true => format!(", \"{name}\": {value}"),
                false => format!(", \"{name}\": \"{value}\""),
            }
        }
    };
    Some(text.replace("FIELD", &field))
}

fn errors(path: &str, text: &str) -> Vec<Diagnostic> {
    let document = Document::parse(path, text);
    assert_eq!(document.not_a_workflow(), None, "{text}");
    let found = document.diagnostics().iter();
    found.filter(|one| one.severity == Severity::Error).cloned().collect()
}

/// What some fields of a step are refused for in every format: the names, of which each stands at its place with what to write.
fn check(field: &str, refused: &[&str]) {
    for (path, text) in FILES {
        let Some(text) = file(path, text, field) else { continue };
        let found = errors(path, &text);
        let names: Vec<&str> = found
            .iter()
            .filter_map(|one| one.place.path.last().map(String::as_str))
            .collect();
        assert_eq!(names, refused, "{path} {field}: {found:?}");
        for one in &found {
            assert_eq!(one.code, "GH0501", "{path} {field}: {one:?}");
            let help = one.help.as_deref().unwrap_or_default();
            assert!(help.contains("`human_gate: required`"), "{path} {field}: {help}");
        }
    }
}

#[test]
fn whatever_says_that_somebody_has_to_agree_is_an_error_where_no_gate_says_so() {
    for field in [
        "approval: required",
        "approval: true",
        "approval: given by board",
        "approval: tbd",
        "approval: 'not optional, required'",
        "approval: not optional but required",
        "approval: not without approval required",
        "approval: no - required",
        "approvals: 2",
        "approval_by: cfo",
        "approval_by: the CFO and the board of directors",
        "approval_from: board",
        "approval_before: deploy",
        "approval_needed: from the board",
        "approval_required_for: true",
        "approvals_required: 2",
        "approver: tbd",
        "approver: none yet",
        "approver: to be decided",
        "approver: ada",
        "approvers: [ada, tbd]",
        "approved_by: ada",
        "approved_by: 2 directors",
        "approved_by: 2 of 3",
        "approved_by: 2/3 of the board",
        "approver: (Ada Lund)",
        "approver: (ada)",
        "approval_from: (legal and 2 others)",
        "must_be_approved: true",
        "needs_to_be_approved: yes",
        "to_be_approved_by: ada",
        "requires_sign_off: true",
        "requiresSignOff: true",
        "sign-off-required: true",
        "needs_signoff_from: legal",
        "signed_off_by: ada",
        "sign_off: pending",
        "who_signs_off: ada",
        "who_must_agree: board",
        "must_agree: [ada, bert]",
        "agreed_by: board",
        "needs_ok: true",
        "needs_ok_from: ada",
        "wait_for_ok: true",
        "requires_consent: true",
        "legal_review: required",
        "legal_review_required: true",
        "must_be_reviewed: true",
        "reviewed_by: ada",
        "lead_reviewer: ada",
        "review_gate: tbd",
        "release_gate: after the audit of the books",
        "should_confirm: true",
        "confirmed_by: ada",
        "human_supervision: true",
        "human_review: true",
        "hitl: enabled",
        "manual_approval: true",
        "four_eyes: true",
        // Who signs, permits or decides.
        "countersigned_by: cfo",
        "counter_signed_by: cfo",
        "countersign: cfo",
        "signatory: ada",
        "signatories: [ada, bert]",
        "signed_by: cfo",
        "signature: required",
        "signature_required: true",
        "requiresSignature: true",
        "needs_signature_from: cfo",
        "authorization_required: true",
        "requires_authorization: true",
        "authorisation_needed_from: legal",
        "permission_from: legal",
        "needs_permission: true",
        "clearance_required: true",
        "cleared_by: legal",
        "vetted_by: legal",
        "sanctioned_by: board",
        "witnessed_by: notary",
        "accepted_by: customer",
        "acceptance_required: true",
        "acknowledged_by: ada",
        "requires_acknowledgement: true",
        "decision_maker: ada",
        "decision_by: board",
        "decision_required: true",
        "who_decides: ada",
        "go_no_go: required",
        "goNoGo: ada",
        "needs_go_ahead: true",
        "requires_person: true",
        // Who is asked, or waited for.
        "ask_user: true",
        "ask_owner: yes",
        "ask_first: true",
        "ask_before_run: true",
        "ask: ada",
        "ask: 'May we pay?'",
        "gate_options: [ship, hold]",
        "checkpoint: human",
        // At the end of something.
        "human_gate_at_end: required",
        "approval_at_end: required",
        "approve_at_end: [ada]",
        "gate_end: required",
        "review_at_end: required",
        "sign_off_at_the_end_of_the_run: true",
        "ask_user_on_completion: true",
        "confirm_with_user: true",
        "prompt_user: true",
        "wait_for_user: true",
        "wait_for_input: true",
        "user_input: true",
        "approval_policy: on-request",
        // As files of other programs have it.
        "required_reviewers: [ada]",
        "min_reviewers: 2",
        "required_approving_review_count: 2",
        "require_code_owner_reviews: true",
        "two_person_rule: true",
        "maker_checker: true",
        "candidate_users: [ada]",
        "candidateGroups: [board]",
        "user_task: true",
        "manual_judgment: true",
        "manual_trigger: true",
        "trigger: manual",
        "mode: manual",
        "actor: human",
        "assigned_to: human",
        "operator: ApprovalOperator",
        "operator: HITLOperator",
        "operation: sendAndWait",
        "type: userTask",
        "type: manualJudgment",
        "type: human_task",
        "suspend: {}",
        "suspend: true",
        "pause: {}",
        "input: {message: Deploy?, ok: Go, submitter: ada}",
        // In a lawyer's words and in an engineer's; and what leaves agreement out, switched off.
        "sign_off_by: general counsel",
        "requires_attorney_review: true",
        "partner_sign_off: required",
        "client_approval: required",
        "requires_client_consent: true",
        "must_be_signed_by: notary",
        "ratified_by: board",
        "endorsed_by: partner",
        "authorized_signatory: ada",
        "cab_approval: required",
        "release_manager_approval: true",
        "required_approvals: 1",
        "humanInTheLoop: true",
        "manual_intervention: required",
        "wait_for_approval: true",
        "pause_for_review: true",
        "approve_before_merge: true",
        "final_approval: board",
        "subject_to_approval: true",
        "approval: 'no, ask ada'",
        "needs_approval: 'no, until the audit is over'",
        "approver: escrow agent",
        "approver: head-of-ai",
        "approver: human-agent",
        "approver: ada@acme.ai",
        "decided_by: board",
        "decided_by: majority rule",
        "type: approval_step",
        "breakpoint: true",
        "breakpoint: before",
        "auto_approve: false",
        "autoApprove: false",
        "auto_approve: never",
        "auto_confirm: no",
        "skip_approval: false",
        "skip_human_review: false",
        "bypass_approval: false",
        "no_approval_required: false",
        "approval_optional: false",
        "disable_approval: off",
        "ask_counsel: true",
        "ask_partner: true",
        "ask_lawyer: true",
        "notarized_by: notary",
        "approving_partner: ada",
        "approving_manager: ada",
        "approval_authority: cfo",
        "change_approval_board: required",
        "require_review_from_code_owners: true",
    ] {
        let (name, _) = field.split_once(':').expect("a field");
        check(field, &[name]);
    }
}

/// A block of a step that nobody reads holds such names as well.
#[test]
fn what_says_so_within_a_block_of_the_author_s_own_is_an_error_too() {
    for (field, name) in [
        ("environment: {name: production, reviewers: [ada]}", "reviewers"),
        ("environment: {required_reviewers: 2}", "required_reviewers"),
        ("with: {approvers: ada}", "approvers"),
        ("settings: {human_gate: required}", "human_gate"),
        ("settings: {requires_approval: true}", "requires_approval"),
        ("settings: [{name: a}, {gate_asks: [ada]}]", "gate_asks"),
        ("settings: {ask_user: true}", "ask_user"),
    ] {
        check(field, &[name]);
    }
    for field in [
        "environment: {name: production, url: example.com}",
        "environment: {approved_by: ada}",
        "metadata: {reviewers: [ada]}",
        "labels: {approver: ada}",
        "settings: {human_gate: none}",
        "settings: {requires_approval: false}",
        "x-environment: {reviewers: [ada]}",
        "human_gate: required, gate_asks: [ada], environment: {reviewers: [ada]}",
        "human_gate: required, settings: {requires_approval: true}",
    ] {
        check(field, &[]);
    }
    // Of what a step is given, only what nobody writes by chance.
    for (path, text) in FILES.into_iter().filter(|(path, _)| !path.starts_with('w')) {
        for (field, expected) in [
            ("inputs: {human_gate: required}", vec!["human_gate"]),
            ("inputs: {gate_asks: [ada]}", vec!["gate_asks"]),
            ("inputs: {human_gate: none}", vec![]),
            ("inputs: {reviewers: [ada]}", vec![]),
        ] {
            let Some(text) = file(path, text, field) else { continue };
            let found = errors(path, &text);
            let names: Vec<&str> = found
                .iter()
                .filter_map(|one| one.place.path.last().map(String::as_str))
                .collect();
            assert_eq!(names, expected, "{path} {field}: {found:?}");
        }
    }
}

/// What joins stages in other programs is a gate of logic.
#[test]
fn a_gate_of_logic_is_named_and_asks_nobody() {
    for (path, text) in FILES {
        let text = file(path, text, "gate: AND").expect("a file");
        let document = Document::parse(path, &text);
        let is_named = |one: &&Diagnostic| one.code == "GH0502" && one.message.contains("`gate");
        assert_eq!(document.diagnostics().iter().filter(is_named).count(), 1, "{path}");
        let asks = document.workflow().steps().iter().filter_map(|step| step.gate.as_ref());
        let required = asks.filter(|gate| gate.requirement == GateRequirement::Required);
        assert_eq!(required.count(), 0, "{path}");
    }
}

#[test]
fn what_says_no_or_is_called_nearly_so_is_none() {
    for field in [
        // No.
        "approval: none",
        "approval: false",
        "approval: not required",
        "approval: no approval needed",
        "approval: no longer required",
        "approval: none needed",
        "approvals: 0",
        "approver: nobody",
        "approval_by: none",
        "requires_sign_off: false",
        "requires_sign_off: unnecessary",
        "must_be_approved: no",
        "must_be_approved: not needed",
        "human_review: n/a",
        "review_gate: off",
        "no_approval_required: true",
        "cannot_be_approved: true",
        "auto_approve: true",
        // What something is like, or what became of it.
        "approved: true",
        "approved_vendors: [acme, initech]",
        "approved_at: 2026-12-01",
        "approval_rate: 0.8",
        "approval_status: pending",
        "approval_notes: The board wants to see the totals.",
        "approval_form: required",
        "approval_workflow: see docs/approval.md",
        "approval_by: 2026-12-01",
        "approval_by: 2026-12-01 10:00",
        "approval_by: 1 December 2026",
        "approval_by: 1st Dec. 2026",
        "approval_by: (2026-12-01)",
        "approval_before: 12/01/2026",
        "approval_for: 500 EUR",
        "approval_for: 1.500 €",
        "approval_for: €500",
        "release_gate: 80 %",
        "release_gate: (see docs/release.md)",
        "release_gate: passed",
        "release_gate: see docs/release.md",
        "review_notes: Look at the second page before anything else.",
        "approval_end: 2026-12-01",
        "gate_end: '17:30'",
        "approval_form_at_end: required",
        "front_end_reviews: true",
        "checkpoint: true",
        "checkpoint: after the tests",
        "question: What is to be done?",
        "reviewers_guide: docs/guide.md",
        "last_reviewed: true",
        "can_be_reviewed: true",
        "reviewing: required",
        "peer_review: true",
        "signature_algorithm: ed25519",
        "signoff_template: docs/signoff.md",
        "sign_off_sheet: required",
        "consent_form: docs/consent.md",
        "cookie_consent: required",
        "confirmation_number: 12",
        "needs_confirmation_email: true",
        "agreement: signed",
        "human_resources: ada",
        "human_readable: true",
        "gateway: north",
        "gate_width: 3",
        "logic_gate: nand",
        "okay_to_merge: true",
        "must_be_idempotent: true",
        "to_be_reviewed_later: true",
        "requires_gpu: true",
        "x-approver: tbd",
        // Of logic, of Git, of other things that are called so.
        "gate: AND",
        "gate: xor",
        "git_signoff: true",
        "commit_signoff: true",
        "web_commit_signoff_required: true",
        "require_signed_commits: true",
        "artifact_signature_required: true",
        "code_signature: required",
        "signature: ed25519",
        "signer: cosign",
        "must_be_signed: true",
        "should_be_cleared: true",
        "type: human resources",
        "type: human_error",
        "type: approval_email",
        "requires_human_resources: true",
        "acceptance_criteria: [it runs]",
        "acceptance_tests: required",
        "decision_log: docs/decisions.md",
        "permissions_needed: [read]",
        "verified_by: tests",
        "approval: automatic",
        "approver: auto",
        "ask_user: false",
        "ask_llm: true",
        "ask_questions: true",
        "check_with_linter: true",
        "wait_for_files: [a]",
        "prompt_template: docs/prompt.md",
        "assignee: ada",
        "assigned_to: ada",
        "owner: ada",
        "user: ada",
        "user_story: 12",
        "user_agent: curl",
        "mode: release",
        "trigger: push",
        "operation: approve",
        "operation: approve the plan",
        "interactive: true",
        "environment: production",
        "input: {message: hello}",
        "signatory: none",
        "two_person_rule: false",
        "suspend: false",
        // A program, a width, the same said twice, and what is called so in law and in programs.
        "decided_by: rule",
        "decided_by: the classifier",
        "reviewer: critic-bot",
        "reviewers: [lint-bot, sec-agent]",
        "approver: bot",
        "approver: policy-engine",
        "approved_by: automation",
        "reviewed_by: linter",
        "signed_by: ci",
        "type: approval_rate",
        "type: approval_report",
        "type: human_score",
        "breakpoint: 768px",
        "breakpoint: 48em",
        "breakpoint: 0",
        "needs_approval: 'no, automatic'",
        "needs_approval: 'no (automatic)'",
        "approval: 'none, not needed'",
        "approval: automatically",
        "airport_gate: B12",
        "auto_approve: ~",
        "auto_merge: false",
        "auto_retry: false",
        "human_readable: false",
        "user_friendly: false",
        "skip_quality_gates: false",
        "approval_skipped: false",
        "go_no_go: false",
        "approval_limit: 5000",
        "approval_threshold: 0.8",
        "approval_code: A12",
        "approval_matrix: docs/matrix.md",
        "approval_authority_matrix: docs/matrix.md",
        "signature_page: 12",
        "review_period: 30 days",
        "client_consent_form: docs/c.md",
        "permission_set: admin",
        "manual_page: docs/manual.md",
        "hold_harmless: true",
        "gate_count: 12",
        "counsel: Ada Lund",
        "partner: ada",
        "authority: court",
        "decision_table: docs/t.dmn",
        "agreement_type: nda",
        // A file, a moment, and what is called after what comes to its end.
        "checkpoint: models/human-pose.ckpt",
        "checkpoint: post-approval",
        "checkpoint: approval-classifier.pt",
        "approval_completion: 80",
        "confirm_close: true",
        "gate_close: 30 minutes",
    ] {
        check(field, &[]);
    }
}

#[test]
fn a_gate_beside_it_that_says_the_same_is_enough() {
    let gate = "human_gate: required";
    for (beside, field, is_refused) in [
        (gate, "human_review: true", false),
        (gate, "approval: required", false),
        (gate, "requires_sign_off: true", false),
        (gate, "must_be_approved: true", false),
        (gate, "approvals: 1", false),
        // Somebody is asked, and nobody else is named.
        (gate, "approver: tbd", false),
        (gate, "ask_user: true", false),
        (gate, "auto_approve: false", false),
        ("human_gate: optional", "auto_approve: false", true),
        (gate, "type: userTask", false),
        (gate, "signatory: tbd", false),
        (gate, "gate: AND", false),
        ("gate: AND", "requires_sign_off: true", true),
        (gate, "signatory: ada", true),
        (gate, "two_person_rule: true", true),
        ("human_gate: required, gate_asks: [cfo]", "countersigned_by: cfo", false),
        (gate, "approver: ada", true),
        (gate, "approval: given by board", true),
        (gate, "approvals: 2", true),
        (gate, "four_eyes: true", true),
        (gate, "gate_timeout: 1h", true),
        ("human_gate: required, gate_asks: [Ada]", "approver: ada", false),
        (
            "human_gate: required, gate_asks: [ada, bert]",
            "approvers: [bert, ada]",
            false,
        ),
        ("human_gate: required, gate_asks: [ada]", "approver: bert", true),
        ("human_gate: required, gate_asks: [ada]", "approval_by: ada", false),
        (
            "human_gate: required, gate_asks: [board]",
            "approval: given by board",
            false,
        ),
        ("human_gate: required, gate_asks: [ada]", "min_approvals: 2", true),
        ("human_gate: optional", "human_review: true", true),
        ("human_gate: optional", "approval: optional", false),
        ("human_gate: none", "requires_sign_off: true", true),
        ("human_gate: none", "approver: tbd", true),
        ("human_gate: none", "approval: none", false),
    ] {
        let (name, _) = field.split_once(':').expect("a field");
        let refused: &[&str] = if is_refused { &[name] } else { &[] };
        check(&format!("{beside}, {field}"), refused);
    }
}

/// Whoever reads it is told what is wrong with the value, where it stands, and what to write.
#[test]
fn what_to_write_instead_is_said() {
    for (field, message, help) in [
        (
            "approver: tbd",
            "`approver` is not carried out here: `tbd` names nobody, and nobody would be asked because of it",
            "Write `none` here where nobody has to agree",
        ),
        (
            "approval: given by board",
            "`approval` is not carried out here: `given by board` is a text to be read, and nobody would be asked because of it",
            "goes under a name that begins with `x-`",
        ),
        (
            "approval_by: CFO",
            "`approval_by` is not carried out here: nobody would be asked because of it",
            "and `gate_asks` with `cfo` on the step",
        ),
        (
            "approvals: 2",
            "`approvals` is not carried out here: one person answers a gate, and nobody would be asked because of it",
            "on as many steps behind each other as people have to agree",
        ),
    ] {
        let (path, text) = FILES[0];
        let text = file(path, text, field).expect("YAML");
        let document = Document::parse(path, &text);
        let found = errors(path, &text);
        let [one] = found.as_slice() else {
            panic!("{field}: {found:?}")
        };
        assert_eq!(one.message, message);
        assert!(
            one.help.as_deref().is_some_and(|said| said.contains(help)),
            "{field}: {one:?}"
        );
        let span = document.span(&one.place).expect("a place");
        assert_eq!(document.position(span.start).line, 3, "{field}");
    }
}

/// Of the whole file, and in what a runbook says before its text, nobody is named who would be asked.
#[test]
fn what_is_said_of_the_whole_file_is_about_the_file() {
    for (field, is_refused) in [
        ("requires_sign_off: true", true),
        ("approval: tbd", true),
        ("must_be_approved: true", true),
        // Who is to agree; who has agreed, and what is still to be filled in, is about the file.
        ("approval_by: cfo", true),
        ("approver: cfo", true),
        ("reviewers: [ada]", true),
        ("signatory: ada", true),
        ("requires_approval_from: [cfo]", true),
        ("manual: true", true),
        ("ask_user: true", true),
        ("auto_approve: false", true),
        ("auto_approve: true", false),
        ("approver: tbd", false),
        ("reviewed_by: ada", false),
        ("countersigned_by: cfo", false),
        ("signed_off_by: cfo", false),
        ("manual: docs/manual.md", false),
        ("trigger: manual", false),
        ("manual_trigger: true", false),
        ("type: human resources", false),
        ("gate: AND", false),
        ("git_signoff: true", false),
        ("approved_vendors: [acme]", false),
        ("review_notes: Look at it.", false),
        ("signoff_template: docs/signoff.md", false),
    ] {
        let (name, _) = field.split_once(':').expect("a field");
        let expected: &[&str] = if is_refused { &[name] } else { &[] };
        let runbook = format!("---\nname: k\n{field}\n---\n\n# T\n\n## 1 One\n\nDo it.\n");
        let pipeline = format!("name: p\n{field}\nstages:\n  - {{name: a, agents: [w], depends_on: []}}\n");
        for (path, text) in [("k.runbook.md", runbook), ("p.yaml", pipeline)] {
            let found = errors(path, &text);
            let names: Vec<&str> = found
                .iter()
                .filter_map(|one| one.place.path.last().map(String::as_str))
                .collect();
            assert_eq!(names, expected, "{path} {field}: {found:?}");
        }
    }
}

/// A whole number that no 64 bits hold is not rounded: it is kept digit for digit, and that is said.
#[test]
fn a_number_that_would_be_rounded_is_kept_as_text() {
    let of = |number: &str| {
        let text = format!(
            "format: stepspec\nworkflow: k\nquestions: [{{name: budget, default: {number}}}]\nsteps:\n  - {{id: a, name: A, agent: w}}\n"
        );
        let document = Document::parse("s.yaml", &text);
        let notes = document.diagnostics().iter();
        let is_named = notes.filter(|one| one.message.contains("digit for digit")).count() == 1;
        (document.workflow().questions[0].default.clone(), is_named)
    };
    for large in ["99999999999999999999", "-9223372036854775809"] {
        assert_eq!(of(large), (Some(large.into()), true));
    }
    assert!(!of("18446744073709551615").1);
    assert_eq!(
        of("'99999999999999999999'"),
        (Some("99999999999999999999".into()), false)
    );
}

/// A step that asks in its own words, and one that is to be talked with: an agent may be meant, so the workflow starts, and the warning stands
/// before the run.
#[test]
fn a_question_in_other_words_is_named() {
    for (path, text) in FILES {
        for (field, said) in [
            ("question: What is to be done?", vec!["nobody is asked it"]),
            (
                "human_gate: required, question: May we pay?",
                vec!["asks another question"],
            ),
            ("human_gate: required, ask: May we pay?", vec!["asks another question"]),
            ("human_gate: none, question: May we pay?", vec!["nobody is asked it"]),
            ("ask: Summarise the notes in two pages", vec!["nobody is asked it"]),
            ("interactive: true", vec!["nobody is asked because of it"]),
            ("terminal: true, interactive: true", vec![]),
            ("human_gate: required, interactive: true", vec![]),
            ("human_gate: optional, interactive: true", vec![]),
            ("question: none", vec![]),
            ("interactive: false", vec![]),
        ] {
            let Some(text) = file(path, text, field) else { continue };
            let refused = errors(path, &text);
            assert!(refused.is_empty(), "{path} {field}: {refused:?}");
            let document = Document::parse(path, &text);
            let found: Vec<&str> = document
                .diagnostics()
                .iter()
                .filter(|one| one.code == "GH0502" && one.severity == Severity::Warning)
                .map(|one| one.message.as_str())
                .collect();
            assert_eq!(found.len(), said.len(), "{path} {field}: {found:?}");
            assert!(
                found.iter().zip(said).all(|(found, said)| found.contains(said)),
                "{path} {field}: {found:?}"
            );
        }
    }
}

/// A gate has two answers: beside one it is said what becomes of others.
#[test]
fn other_answers_than_those_of_a_gate_are_refused() {
    for (path, text) in FILES {
        let Some(text) = file(path, text, "human_gate: required, gate_options: [ship, hold]") else {
            continue;
        };
        let found = errors(path, &text);
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        assert!(found[0].message.contains("approve or reject"), "{path}: {found:?}");
    }
}

/// At the top of a file such a name stands for the whole run, whose end is asked about at its last step.
#[test]
fn a_gate_at_the_end_of_a_run_is_no_name_of_ones_own() {
    for name in [
        "human_gate_at_end",
        "approval_at_end",
        "approve_at_end",
        "gate_end",
        "final_approval",
    ] {
        for (path, text) in FILES.into_iter().filter(|(path, _)| path.ends_with(".yaml")) {
            let text = format!("{name}: required\n{}", text.replace("FIELD", ""));
            let found = errors(path, &text);
            let names: Vec<&str> = found
                .iter()
                .filter_map(|one| one.place.path.last().map(String::as_str))
                .collect();
            assert_eq!(names, [name], "{path}: {found:?}");
            let help = found[0].help.as_deref().unwrap_or_default();
            assert!(help.contains("its last step"), "{path}: {help}");
        }
    }
}
