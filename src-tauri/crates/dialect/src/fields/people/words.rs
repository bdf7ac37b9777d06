//! The words by which a name, or the kind of a thing, says that a person decides, and beside them those that look like it and do not. All
//! are written as `slip::plain` has them: in small letters, with `_` between words.

/// What says what kind of thing a step is, in files of other programs.
pub(super) const KINDS: &[&str] = &[
    "kind",
    "node_kind",
    "node_type",
    "step_kind",
    "step_type",
    "task_kind",
    "task_type",
    "type",
];
/// What says with what it is done, by whom, or who lets it begin; more than one word there tells what is to be done.
pub(super) const KINDS_OF_ONE_WORD: &[&str] = &[
    "action",
    "actor",
    "assigned_to",
    "assignee",
    "checkpoint",
    "component",
    "done_by",
    "executed_by",
    "execution_mode",
    "executor",
    "hand_off_to",
    "handled_by",
    "handoff",
    "handoff_to",
    "mode",
    "operation",
    "operator",
    "performed_by",
    "performer",
    "plugin",
    "run_mode",
    "start_mode",
    "task",
    "trigger",
    "uses",
];
/// Words there of what is done to a thing, by whomever.
pub(super) const OF_WHOMEVER: &[&str] = &["approve", "confirm", "confirmation", "gate"];
/// Kinds of things that a person does.
pub(super) const KINDS_OF_PEOPLE: &[&str] = &[
    "confirm",
    "confirmation",
    "gate",
    "hitlbranch_operator",
    "hitlentry_operator",
    "hitloperator",
    "manual",
    "manual_gate",
    "people",
    "person",
    "send_and_wait",
    "sign_off",
    "user",
    "user_task",
];

/// Words that are written in several ways, each with the one that is looked for.
pub(super) const ONE_WORD: &[(&str, &str)] = &[
    ("sign_off", "signoff"),
    ("signs_off", "signoff"),
    ("signed_off", "signoff"),
    ("counter_sign", "countersign"),
    ("decision_maker", "decider"),
    ("go_ahead", "goahead"),
    ("approval_authority", "approver"),
    ("approval_board", "approver"),
    ("approval_committee", "approver"),
    ("approving_authority", "approver"),
    ("approving_manager", "approver"),
    ("approving_partner", "approver"),
    ("go_no_go", "gonogo"),
    ("go_nogo", "gonogo"),
];
/// Words of which one in a name says that a person decides there.
pub(super) const WORDS_OF_PEOPLE: &[&str] = &["approval", "approve", "approver", "hitl", "human", "signoff"];
/// Such words in the names of fields, beside those.
pub(super) const WORDS_OF_GATES: &[&str] = &[
    "approvals",
    "approvers",
    "approves",
    "authoriser",
    "authorizer",
    "confirm",
    "confirmation",
    "confirms",
    "countersign",
    "countersignature",
    "countersigner",
    "decider",
    "deciders",
    "gate",
    "gates",
    "gonogo",
    "reviewer",
    "reviewers",
    "signatories",
    "signatory",
    "signoffs",
];
/// Words that say so where the name says that it is wanted (`must_be_approved`, `needs_ok`, `agreed_by`); alone they tell of something else.
pub(super) const WHERE_WANTED: &[&str] = &[
    "acceptance",
    "acknowledgement",
    "acknowledgment",
    "agree",
    "agreed",
    "agrees",
    "approved",
    "authorisation",
    "authorise",
    "authorised",
    "authorization",
    "authorize",
    "authorized",
    "blessing",
    "clearance",
    "confirmed",
    "consent",
    "countersigned",
    "decision",
    "endorsed",
    "endorsement",
    "goahead",
    "ok",
    "okay",
    "permission",
    "person",
    "ratified",
    "ratify",
    "review",
    "reviewed",
    "reviews",
    "signature",
    "signatures",
];
/// Words that say so before `by` or `from` alone; `must_be_cleared` is said of many a thing.
pub(super) const BY_WHOM: &[&str] = &[
    "accepted",
    "acknowledged",
    "cleared",
    "decided",
    "notarised",
    "notarized",
    "permitted",
    "sanctioned",
    "signed",
    "vetted",
    "witnessed",
];
/// Behind `who`.
pub(super) const VERBS: &[&str] = &[
    "accepts",
    "agrees",
    "authorises",
    "authorizes",
    "countersigns",
    "decides",
    "reviews",
    "signs",
];
/// With one of these it says the opposite, or what something is like.
pub(super) const OF_NOBODY: &[&str] = &[
    "auto", "bypass", "bypasses", "cannot", "disable", "disabled", "disables", "dont", "exempt", "friendly", "ignore",
    "ignores", "never", "no", "non", "none", "not", "optional", "readable", "skip", "skipped", "skips", "waived",
    "without",
];
/// Of those: what leaves agreement out, or has it given by itself. Where that is switched off (`auto_approve: false`) somebody has to agree.
pub(super) const LEAVING_OUT: &[&str] = &[
    "auto", "bypass", "bypasses", "disable", "disables", "dont", "exempt", "ignore", "ignores", "never", "no",
    "optional", "skip", "skips", "without",
];
/// With one of these it is of something that was decided, or that no person does.
pub(super) const OF_OTHER_THINGS: &[&str] = &[
    "airport", "boarding", "booking", "cookie", "delivery", "email", "feature", "given", "granted", "logic", "mail",
    "obtained", "order", "passed", "payment", "quality", "receipt", "send", "toll",
];
/// Right behind one of these words, one of those below makes a thing of both: `human_resources`, `approval_email`.
pub(super) const BEFORE_THINGS: &[&str] = &["approval", "confirmation", "human", "review", "signature", "signoff"];
pub(super) const THINGS: &[&str] = &[
    "anatomy",
    "body",
    "capital",
    "email",
    "emails",
    "error",
    "errors",
    "factors",
    "genome",
    "history",
    "language",
    "letter",
    "log",
    "mail",
    "metric",
    "metrics",
    "notification",
    "notifications",
    "rate",
    "readable",
    "report",
    "resource",
    "resources",
    "rights",
    "score",
    "statistics",
    "template",
    "voice",
    "written",
];
/// What programs sign (`git_signoff`), and the words of signing.
pub(super) const SIGNED_BY_PROGRAMS: &[&str] = &[
    "artifact",
    "artifacts",
    "binary",
    "code",
    "commit",
    "commits",
    "cosign",
    "dco",
    "git",
    "gpg",
    "image",
    "jwt",
    "package",
    "request",
    "token",
    "webhook",
];
pub(super) const WORDS_OF_SIGNING: &[&str] = &["signature", "signatures", "signed", "signoff", "signoffs"];
/// Whole names that say so.
pub(super) const NAMES_OF_GATES: &[&str] = &[
    "candidate_groups",
    "candidate_users",
    "human_in_the_loop",
    "required_approving_review_count",
    "review_by",
];
/// Whole names that say so where they are switched on.
pub(super) const SWITCHES: &[&str] = &[
    "ask_before",
    "ask_first",
    "confirm_first",
    "user_in_the_loop",
    "user_input",
    "user_task",
];
/// Whole names that want more than one person, where they are switched on.
pub(super) const NAMES_OF_SEVERAL: &[&str] = &[
    "dual_authorisation",
    "dual_authorization",
    "four_eyes_check",
    "four_eyes_principle",
    "maker_checker",
    "second_pair_of_eyes",
    "two_man_rule",
    "two_person_control",
    "two_person_integrity",
    "two_person_rule",
];

/// At the end of a name: what comes before it is wanted, of those or before that which the value names.
pub(super) const WANTED_OF: &[&str] = &[
    "after",
    "before",
    "by",
    "for",
    "from",
    "mandatory",
    "needed",
    "required",
];
/// Of those, and as a value: it is wanted, whatever it is of.
pub(super) const REQUIRED: &[&str] = &["mandatory", "needed", "required"];
/// At the end of a name: what comes before it is wanted.
pub(super) const WANTED: &[&str] = &[
    "active",
    "check",
    "checkpoint",
    "decision",
    "enable",
    "enabled",
    "input",
    "intervention",
    "loop",
    "mode",
    "oversight",
    "policy",
    "review",
    "step",
    "supervision",
    "task",
    "type",
    "validation",
    "verification",
    "wanted",
];
/// Words that say when, behind what is wanted then (`approval_at_end`), and those around them (`gate_at_the_end_of_each_flow`). What somebody
/// starts (`manual_start`) is something else.
pub(super) const WHEN: &[&str] = &["close", "completion", "end", "ending", "finish"];
pub(super) const AROUND_WHEN: &[&str] = &[
    "at", "each", "every", "flow", "in", "of", "on", "pipeline", "run", "the", "workflow",
];
/// At the beginning of one.
pub(super) const WANTING: &[&str] = &[
    "ask", "asks", "await", "awaits", "must", "need", "needs", "pause", "require", "required", "requires", "shall",
    "should", "wait", "waits",
];
/// At the beginning, where somebody is asked or waited for (`ask_user`, `wait_for_input`), or something is gone through with somebody
/// (`confirm_with_user`).
pub(super) const ASKING_FIRST: &[&str] = &[
    "ask", "asks", "await", "awaits", "consult", "consults", "pause", "prompt", "prompts", "stop", "wait", "waits",
];
pub(super) const GONE_THROUGH: &[&str] = &["agree", "check", "clear", "confirm", "verify"];
/// Who is asked.
pub(super) const SOMEBODY: &[&str] = &[
    "admin",
    "attorney",
    "boss",
    "counsel",
    "customer",
    "lawyer",
    "lead",
    "maintainer",
    "maintainers",
    "manager",
    "owner",
    "owners",
    "partner",
    "people",
    "person",
    "somebody",
    "someone",
    "supervisor",
    "user",
    "users",
];
/// Behind `manual`: what a person does there.
pub(super) const DONE_BY_HAND: &[&str] = &[
    "action",
    "approval",
    "check",
    "confirmation",
    "decision",
    "gate",
    "input",
    "intervention",
    "judgement",
    "judgment",
    "review",
    "step",
    "task",
    "validation",
    "verification",
];
/// Behind it, of a step; a whole workflow is started by hand anyway.
pub(super) const STARTED_BY_HAND: &[&str] = &["start", "trigger"];

#[cfg(test)]
mod tests {
    use super::*;

    /// A word of both kinds would be taken for the one or the other by chance.
    #[test]
    fn no_word_stands_on_both_sides() {
        for words in [WORDS_OF_PEOPLE, WORDS_OF_GATES, WHERE_WANTED, BY_WHOM, SOMEBODY] {
            for word in words {
                let is_harmless = [OF_NOBODY, OF_OTHER_THINGS, THINGS, SIGNED_BY_PROGRAMS]
                    .iter()
                    .any(|harmless| harmless.contains(word));
                assert!(!is_harmless, "{word}");
            }
        }
        assert!(LEAVING_OUT.iter().all(|word| OF_NOBODY.contains(word)));
        for names in [KINDS, KINDS_OF_ONE_WORD, NAMES_OF_GATES, SWITCHES, NAMES_OF_SEVERAL] {
            for name in names {
                assert_eq!(*name, super::super::slip::plain(name), "{name}");
            }
        }
    }
}
