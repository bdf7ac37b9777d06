//! Names that ask for a gate, a condition, another order or another list of steps where nothing reads them. Whoever writes one expects
//! the run to heed it (CONTRACTS "Nothing is passed over in silence"), so the workflow does not start.

use super::asked::Asked;
use super::{Shape, slip};
use crate::reading::gate::{ASKING, is_logic};
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Place, Severity};

/// What such a name asks for.
#[derive(Clone, Copy, PartialEq)]
enum Wish {
    Gate,
    /// To stop for a while, or until somebody lets it go on.
    Pause,
    /// Where it goes on when somebody rejects.
    Rejection,
    Condition,
    /// More than one condition in one.
    Joined,
    /// The way to take when a condition does not hold.
    Otherwise,
    /// To be done more than once.
    Again,
    Order,
    Beginning,
    Ending,
    NextFlow,
    AtEnd,
    Failure,
    Retry,
    Standard,
    /// Steps beside the ones that are read.
    Steps,
    /// To be left out, where the value says so.
    Off,
    /// That some of what it does is not allowed.
    Permission,
}

/// Where a block stands.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Spot {
    /// The outermost one.
    Root,
    /// An entry of a list: a step, an edge, a flow that is listed.
    Entry,
    /// A condition.
    Condition,
    Inner,
    /// Questions, and what holds for everything: words of the author's own besides.
    Free,
}

/// Where a name asks for something; elsewhere it is a word like others.
#[derive(Clone, Copy, PartialEq)]
enum In {
    Any,
    /// Everywhere but among the author's own words.
    Flow,
    Root,
    Entry,
    /// Everywhere but in the outermost block, where people write what they like about the file.
    Below,
    Condition,
}

impl In {
    fn holds(self, spot: Spot) -> bool {
        match self {
            Self::Any => true,
            Self::Flow => spot != Spot::Free,
            Self::Root => spot == Spot::Root,
            Self::Entry => spot == Spot::Entry,
            Self::Below => !matches!(spot, Spot::Root | Spot::Free),
            Self::Condition => spot == Spot::Condition,
        }
    }
}

const WISHES: [(Wish, In, &[&str]); 30] = [
    (
        Wish::Gate,
        In::Any,
        &[
            "human_gate",
            "gate",
            "gates",
            "gate_asks",
            "gate_at",
            "gate_human",
            "gate_options",
            "gate_question",
            "gate_timeout",
            "gate_on_timeout",
            "min_approvals",
            "hitl",
            "approval",
            "approvals",
            "approvers",
            "approval_required",
            "requires_approval",
            "requires_review",
            "require_human",
            "requires_human",
            "needs_approval",
            "needs_human",
            "needs_review",
            "human_approval",
            "human_review",
            "manual_approval",
            "review_required",
            "guards",
            "policy",
            "policies",
        ],
    ),
    (
        Wish::Gate,
        In::Entry,
        &[
            "approve",
            "approved_by",
            "approver",
            "ask",
            "authorization",
            "authorize",
            "confirm",
            "confirmation",
            "decided_by",
            "dual_control",
            "four_eyes",
            "gatekeeper",
            "human",
            "interactive",
            "manual",
            "question",
            "review",
            "reviewer",
            "reviewers",
            "sign_off",
            "signoff",
        ],
    ),
    (
        Wish::Pause,
        In::Entry,
        &[
            "await",
            "block_until",
            "breakpoint",
            "halt",
            "hold",
            "interrupt",
            "interrupt_after",
            "interrupt_before",
            "pause",
            "pause_after",
            "pause_before",
            "stop_after",
            "stop_before",
            "stop_for",
            "suspend",
            "wait",
        ],
    ),
    (Wish::Rejection, In::Flow, &["on_reject"]),
    (
        Wish::Condition,
        In::Any,
        &[
            "when",
            "if",
            "unless",
            "condition",
            "conditions",
            "only_if",
            "only_when",
            "run_if",
            "run_when",
            "skip_if",
            "skip_when",
            "negate",
        ],
    ),
    (Wish::Condition, In::Below, &["guard"]),
    (Wish::Condition, In::Entry, &["precondition", "preconditions"]),
    (Wish::Joined, In::Condition, &["and", "or", "not", "all", "any"]),
    (Wish::Otherwise, In::Below, &["else", "otherwise"]),
    (Wish::Again, In::Flow, &["max_iterations"]),
    (
        Wish::Again,
        In::Below,
        &[
            "for_each",
            "foreach",
            "loop",
            "loop_target",
            "matrix",
            "repeat",
            "repeats",
            "until",
            "while",
        ],
    ),
    (
        Wish::Order,
        In::Below,
        &[
            "bidirectional",
            "branches",
            "depends",
            "depends_on",
            "goto",
            "needs",
            "next",
            "parallel",
            "routing",
            "run_after",
            "wait_for",
            "waits_for",
        ],
    ),
    (Wish::Again, In::Entry, &["times", "with_items"]),
    (
        Wish::Order,
        In::Entry,
        &["after", "before", "dependencies", "downstream", "requires", "upstream"],
    ),
    (
        Wish::Beginning,
        In::Root,
        &["entry", "entry_point", "entry_node", "start", "start_at", "start_node"],
    ),
    (
        Wish::Ending,
        In::Root,
        &["end", "end_node", "exit", "exit_node", "exit_nodes", "terminal_nodes"],
    ),
    (Wish::NextFlow, In::Any, &["next_flow"]),
    (Wish::AtEnd, In::Flow, &["finally", "on_complete", "on_success"]),
    (
        Wish::Failure,
        In::Flow,
        &[
            "continue_on_error",
            "continue_on_failure",
            "error_handling",
            "on_error",
            "on_fail",
            "on_failure",
            "on_timeout",
        ],
    ),
    (
        Wish::Failure,
        In::Below,
        &[
            "allow_failure",
            "escalate_to",
            "escalation",
            "execution",
            "fail_ok",
            "fallback",
            "fallback_agent",
            "ignore_error",
            "ignore_errors",
            "ignore_failure",
            "ignore_failures",
            "skip_on_failure",
            "soft_fail",
        ],
    ),
    (
        Wish::Failure,
        In::Entry,
        &["catch", "compensate", "compensation", "optional", "rollback"],
    ),
    (Wish::Permission, In::Entry, &["permissions", "sandbox"]),
    (Wish::Retry, In::Below, &["retries", "retry", "retry_on_failure"]),
    (
        Wish::Standard,
        In::Flow,
        &["quality_gate", "quality_gates", "quality_standards"],
    ),
    (Wish::Standard, In::Entry, &["context"]),
    (
        Wish::Steps,
        In::Flow,
        &[
            "edges",
            "flows",
            "nodes",
            "parallel_groups",
            "sequence",
            "stages",
            "steps",
        ],
    ),
    (Wish::Steps, In::Flow, &["step_specs", "sub_steps", "substeps"]),
    (
        Wish::Steps,
        In::Flow,
        &[
            "detours",
            "sidequests",
            "suggested_detours",
            "suggested_injections",
            "suggested_sidequests",
        ],
    ),
    (Wish::Off, In::Any, &["enabled", "disabled", "skip"]),
    (Wish::Off, In::Below, &["active"]),
];

/// Words that are a person's notes as often as not: a text of several words, or the name of a file, asks for nothing.
const NOTES: [&str; 12] = [
    "await",
    "confirm",
    "confirmation",
    "hold",
    "human",
    "manual",
    "pause",
    "precondition",
    "preconditions",
    "review",
    "wait",
    "sign_off",
];

/// Whether a name is looked at here. `level_is_free`: names of the block are the author's own.
pub(super) fn is_meant(shape: Shape, name: &str, spot: Spot, level_is_free: bool) -> bool {
    if wish(name, spot).is_none() {
        return false;
    }
    match shape {
        // What is nested in front matter is the author's own besides: only what nobody writes by chance.
        Shape::FrontMatter if spot != Spot::Root => UNMISTAKABLE.contains(&name),
        _ if level_is_free => UNMISTAKABLE.contains(&name),
        _ => true,
    }
}

/// Whether a value of front matter tells of the file: a day, a time, or how far something has come (`approval: pending`).
pub(super) fn is_remark(asked: &Asked<'_>) -> bool {
    const STATES: [&str; 8] = [
        "approved", "done", "draft", "given", "granted", "obtained", "open", "pending",
    ];
    let text = asked.text().unwrap_or_default().trim().to_lowercase();
    // One fraction (`2/3`) is none: so many of them have to agree.
    let is_time = text.starts_with(|c: char| c.is_ascii_digit())
        && text.matches(['-', ':', '.', '/']).count() > usize::from(!text.contains(['-', ':']))
        && text.chars().all(|c| c.is_ascii_digit() || "-:./tz+ ".contains(c));
    let word = slip::plain(asked.name);
    // The number of a request (`approval: CAB-113`), and a condition in plain words.
    let has = |is: fn(char) -> bool| text.contains(is);
    let is_number = word.starts_with("approv") && has(|c| c.is_ascii_digit()) && has(|c| c.is_ascii_alphabetic());
    let is_words = is_condition(&word) && has(char::is_whitespace) && !text.contains(['=', '<', '>', '!', '{', '$']);
    is_time || is_number || is_words || STATES.contains(&text.as_str())
}

/// Whether words are the field of a gate: `human_gate: required`. Of a name that is a word like others the value has to switch it on.
pub(crate) fn is_gate(name: &str, value: &str) -> bool {
    /// A longer name is nobody's slip.
    const LONGEST: usize = 40;
    let value = value.trim().to_lowercase();
    if name.len() > LONGEST || value.is_empty() || is_no(&value) {
        return false;
    }
    let word = slip::plain(name);
    let known = near(&word).unwrap_or(word.as_str());
    // Of other names a form has such lines, which somebody fills in (`approved_by: …`).
    let is_field = word.contains('_') && !name.trim().contains(char::is_whitespace)
        || ["gate", "approval"].contains(&word.as_str());
    let asks = UNMISTAKABLE.contains(&known) || is_field && is_on(&value);
    asks && wish(known, Spot::Entry) == Some(Wish::Gate)
}

/// What is said of a name that nobody writes by chance, in a block that is read by nobody: the message and the help.
pub(super) fn in_own_block(shape: Shape, name: &str) -> Option<(String, &'static str)> {
    let word = slip::plain(name);
    if !UNMISTAKABLE.contains(&word.as_str()) {
        return None;
    }
    let (follows, help) = words(shape, wish(&word, Spot::Entry)?);
    let said = format!("`{}` is not carried out here: {follows}", slip::shown(name));
    Some((said, help))
}

const UNMISTAKABLE: [&str; 10] = [
    "human_gate",
    "approval_required",
    "requires_approval",
    "requires_review",
    "require_human",
    "requires_human",
    "run_if",
    "skip_if",
    "gate_asks",
    "next_flow",
];

/// The name that a misspelt one was meant to be, of those that keep a run from passing over a gate or a condition.
pub(super) fn near(name: &str) -> Option<&'static str> {
    UNMISTAKABLE.into_iter().find(|known| slip::is_near(name, known))
}

/// Whether an entry that nobody does would be missed: a name of its fields asks for a gate, a condition, an order or steps.
pub(crate) fn is_control(name: &str) -> bool {
    const OF_STEPS: [&str; 12] = [
        "human_gate",
        "gate_at",
        "gate_asks",
        "gate_question",
        "decision",
        "decisions",
        "person",
        "people",
        "terminal",
        "creates",
        "run",
        "workflow",
    ];
    let plain = slip::plain(name);
    OF_STEPS.contains(&plain.as_str()) || wish(&plain, Spot::Entry).is_some() || near(&plain).is_some()
}

/// The ids of the steps or nodes, seen from a field of the outermost block.
fn ids(asked: &Asked<'_>) -> impl Iterator<Item = String> {
    let list = ["nodes", "steps", "stages"]
        .into_iter()
        .find_map(|name| asked.beside(name));
    let items = list.and_then(|list| asked.tree().items(list)).unwrap_or(&[]);
    items.iter().filter_map(|item| {
        let block = Block::open(asked.context, *item, Place::document());
        let id = ["node_id", "id", "name"]
            .into_iter()
            .find_map(|name| block.peek(asked.context, name))?;
        asked.context.text(id)
    })
}

fn wish(name: &str, spot: Spot) -> Option<Wish> {
    // Front matter has `next` at its root.
    let wishes = WISHES.into_iter().filter(|(_, _, names)| names.contains(&name));
    let is_here = |place: In| place.holds(spot) || spot == Spot::Root && name == "next";
    wishes
        .into_iter()
        .find(|(_, place, _)| is_here(*place))
        .map(|(wish, ..)| wish)
}

/// Whether a value switches something on.
pub(super) fn is_on(text: &str) -> bool {
    const ON: [&str; 7] = ["true", "yes", "on", "always", "mandatory", "needed", "required"];
    ON.contains(&text) || ASKING.contains(&text)
}

/// Words that stand in files for all kinds of things: what stands behind them decides.
pub(super) fn is_common(word: &str) -> bool {
    const COMMON: [&str; 9] = [
        "authorization",
        "authorize",
        "before",
        "catch",
        "compensate",
        "compensation",
        "rollback",
        "sandbox",
        "times",
    ];
    COMMON.contains(&word)
}

/// Whether it is a gate of logic (`gate: AND`), which is a name like others.
pub(super) fn joins(word: &str, text: &str) -> bool {
    matches!(word, "gate" | "gates") && is_logic(text)
}

/// Conditions that leave out what they stand on where they hold: of these `false` asks for nothing.
const TURNED: [&str; 4] = ["unless", "skip_if", "skip_when", "negate"];

/// Whether it is a condition that leaves out what it stands on where it does not hold: `false` and `never` are such, and ask for that.
fn is_condition(word: &str) -> bool {
    let mut conditions = WISHES.iter().filter(|(wish, ..)| *wish == Wish::Condition);
    conditions.any(|(.., words)| words.contains(&word)) && !TURNED.contains(&word)
}

/// Whether the value of a field asks for what the field is there for. A condition asks unless nothing stands there, or `true`; what is
/// switched on asks for nothing; anything else asks unless it says no.
pub(crate) fn asks_for(context: &Context<'_>, name: &str, id: NodeId) -> bool {
    let word = slip::plain(name);
    match word.as_str() {
        "enabled" | "active" => !context.is_null(id) && is_off(context, id),
        "disabled" | "skip" => !is_off(context, id),
        word if is_condition(word) => may_not_hold(context, id),
        _ => !says_no(context, id),
    }
}

/// Whether a condition may leave out what it stands on: neither nothing nor a plain `true`.
pub(super) fn may_not_hold(context: &Context<'_>, id: NodeId) -> bool {
    if context.tree.items(id).is_some() || context.is_map(id) {
        return !context.says_nothing(id);
    }
    let text = context.text(id).unwrap_or_default().trim().to_lowercase();
    !matches!(text.as_str(), "" | "true")
}

/// Whether a switch is off.
fn is_off(context: &Context<'_>, id: NodeId) -> bool {
    says_no(context, id) || context.text(id).is_some_and(|text| text.trim() == "0")
}

/// Whether a value says no.
pub(crate) fn says_no(context: &Context<'_>, id: NodeId) -> bool {
    let text = context.text(id).unwrap_or_default().trim().to_lowercase();
    context.says_nothing(id) || is_no(&text)
}

/// Whether a word says no.
pub(crate) fn is_no(word: &str) -> bool {
    ["no", "none", "n/a", "off", "false", "never"].contains(&word)
}

/// Words for a failure that ends everything, as it does where nothing else is said.
const ENDS: [&str; 4] = ["halt", "stop", "fail", "abort"];

/// Whether a field says that a failure ends everything: `on_failure: abort`, `continue_on_error: false`. It asks for nothing where that is
/// so anyway, and contradicts a file that goes on.
pub(crate) fn ends_with_failure(name: &str, text: &str) -> bool {
    let text = text.trim().to_lowercase();
    match slip::plain(name).as_str() {
        "on_error" | "on_fail" | "on_failure" | "error_handling" => ENDS.contains(&text.as_str()),
        "continue_on_error" | "continue_on_failure" => is_no(&text) || text == "0",
        _ => false,
    }
}

/// Whether words say that nobody has to agree (`not required`, `0` of them). `none yet` says that it is not known who.
pub(super) fn asks_nobody(text: &str) -> bool {
    const NOBODY: [&str; 11] = [
        "0",
        "auto",
        "automated",
        "automatic",
        "automatically",
        "n/a",
        "no one",
        "nobody",
        "unneeded",
        "unnecessary",
        "not applicable",
    ];
    const UNWANTED: [&str; 4] = ["mandatory", "necessary", "needed", "required"];
    /// Behind such a word what was turned is turned back, or something is left over.
    const TURNED_BACK: [&str; 11] = [
        "but", "except", "never", "no", "nobody", "none", "not", "optional", "unless", "waived", "without",
    ];
    // `no, automatic`: each of its parts says so.
    let mut parts = text
        .split([',', ';', '(', ')'])
        .map(str::trim)
        .filter(|part| !part.is_empty());
    if text.contains([',', ';', '(']) && text.starts_with(char::is_alphanumeric) {
        return parts.all(asks_nobody);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_turned = matches!(words.first(), Some(&("no" | "not" | "none")))
        && !text.contains([',', ';', ':', '('])
        // A dash between them begins another thought.
        && words.iter().skip(1).all(|word| word.contains(char::is_alphanumeric) && !TURNED_BACK.contains(word));
    let is_short = words.len() <= 4 && words.last().is_some_and(|last| UNWANTED.contains(last));
    is_no(text) || NOBODY.contains(&text) || is_program(text) || is_turned && is_short
}

/// Whether a text is what a program is called (`rule`, `critic-bot`, `the classifier`). Two words may be a person's: an escrow agent is one, and so is
/// a `head-of-ai`.
pub(super) fn is_program(text: &str) -> bool {
    const PROGRAMS: [&str; 26] = [
        "agent",
        "ai",
        "algorithm",
        "automation",
        "bot",
        "ci",
        "classifier",
        "cosign",
        "engine",
        "lint",
        "linter",
        "llm",
        "machine",
        "model",
        "pipeline",
        "program",
        "router",
        "rule",
        "rules",
        "script",
        "software",
        "system",
        "test",
        "tests",
        "tool",
        "validator",
    ];
    const PERSONS: [&str; 5] = ["chief", "head", "human", "of", "vp"];
    let name = text.strip_prefix("the ").unwrap_or(text);
    let is_key = name.chars().all(|c| c.is_alphanumeric() || "-_[]".contains(c));
    let mut words = name
        .rsplit(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    is_key && words.next().is_some_and(|last| PROGRAMS.contains(&last)) && !words.any(|word| PERSONS.contains(&word))
}

/// The texts of a list, or the one text.
fn names<'a>(asked: &'a Asked<'_>) -> impl Iterator<Item = String> + 'a {
    let items = asked.tree().items(asked.id);
    let alone = items.is_none().then_some(asked.id);
    let each = items.unwrap_or(&[]).iter().copied().take(MOST_NAMES).chain(alone);
    each.filter_map(|id| asked.context.text(id))
}

/// Of a list that many share no more is looked through.
pub(super) const MOST_NAMES: usize = 200;

/// Whether a value is a list of blocks or a block, not merely words.
fn holds_blocks(asked: &Asked<'_>) -> bool {
    let tree = asked.tree();
    let no_text = |id: &NodeId| asked.context.text(*id).is_none();
    match tree.items(asked.id) {
        Some(items) => items.iter().any(no_text),
        None => asked.context.is_map(asked.id),
    }
}

/// What is said of a name that asks for something.
pub(super) struct Said {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) message: String,
    pub(super) help: &'static str,
}

/// What follows when it is passed over, and what to do; `None`: it asks for nothing. `word`: the name as [`is_meant`] has it.
/// `is_step`: whether a text is the id of a step.
pub(super) fn asks(
    shape: Shape,
    spot: Spot,
    asked: &Asked<'_>,
    (name, word): (&str, &str),
    is_step: &dyn Fn(&str) -> bool,
) -> Option<Said> {
    let wish = wish(word, spot)?;
    if shape == Shape::FrontMatter && is_remark(asked) {
        return None;
    }
    if let Some(said) = not_asked(asked, (name, word)) {
        return Some(said);
    }
    let text = asked.text().unwrap_or_default().trim().to_lowercase();
    let says_no = says_no(asked.context, asked.id);
    let is_block = asked.context.is_map(asked.id) || asked.tree().items(asked.id).is_some();
    let is_usual = |usual: &[&str]| usual.contains(&text.as_str());
    let asks = match (word, wish) {
        ("times", _) => text.parse::<u32>().is_ok_and(|times| times > 1),
        ("authorization" | "authorize", _) => is_block && !says_no || is_on(&text),
        ("sandbox", _) => !says_no && text != "true",
        // A day, a sum, the name of a plan: words, where no step is named.
        (word, _) if is_common(word) => holds_blocks(asked) || names(asked).any(|name| is_step(name.trim())),
        (_, Wish::Off) => asks_for(asked.context, word, asked.id),
        (_, Wish::Condition) => asks_for(asked.context, word, asked.id),
        ("dependencies" | "upstream" | "downstream", _) if !says_no => {
            // What a project is made with is called so, too.
            if !names(asked).any(|name| is_step(name.trim())) {
                return Some(Said {
                    code: "GH0502",
                    severity: Severity::Warning,
                    message: format!("`{name}` is kept, not carried out: nothing waits because of it"),
                    help: "What a step or a stage waits for is said by its steps' ids. Nothing is lost: the file keeps the words",
                });
            }
            true
        }
        // Words about a policy are words.
        ("policy" | "policies" | "guards", _) => is_block && !says_no,
        // Beside a gate somebody is asked, and in a terminal somebody talks with it.
        ("interactive", _) => false,
        (word, Wish::Gate) => !says_no && !asks_nobody(&text) && !joins(word, &text),
        // In Argo an empty one waits until somebody lets it go on.
        ("pause" | "suspend", _) => !says_no || asked.context.is_map(asked.id),
        // The width of a page (`768px`).
        ("breakpoint", _) => !says_no && (text == "1" || !text.starts_with(|c: char| c.is_ascii_digit())),
        ("context", _) => {
            let block = Block::open(asked.context, asked.id, Place::document());
            block.peek(asked.context, "quality_standards").is_some()
        }
        ("next", _) if shape == Shape::FrontMatter => !text.contains(char::is_whitespace) && !says_no,
        // What happens anyway.
        ("on_success", _) => !says_no && !is_usual(&["continue", "next"]),
        ("on_timeout", _) => !says_no && !is_usual(&ENDS),
        (_, Wish::Failure) => !says_no && !is_usual(&ENDS) && text != "0",
        (_, Wish::Retry | Wish::Again) => !says_no && !is_usual(&["0"]),
        (_, Wish::Steps) => !says_no && (holds_blocks(asked) || spot == Spot::Root && is_block),
        // Where a run begins anyway.
        (_, Wish::Beginning) => {
            let is_first = asked.text().is_some_and(|text| ids(asked).next() == Some(text));
            !says_no && !is_first
        }
        // A day is the end of something else.
        ("end" | "exit", _) => is_block || asked.text().is_some_and(|text| ids(asked).any(|id| id == text)),
        _ => !says_no,
    };
    if !asks {
        return None;
    }
    let is_note =
        NOTES.contains(&word) && (text.contains('/') || text.contains(". ") || text.split_whitespace().count() > 3);
    if is_note {
        return Some(Said {
            code: "GH0502",
            severity: Severity::Warning,
            message: match wish {
                Wish::Condition => {
                    format!("`{name}` is kept, not carried out: what it stands on is done whether it holds or not")
                }
                _ => format!("`{name}` is kept, not carried out: the run does not stop for it, and nobody is asked"),
            },
            help: match wish {
                Wish::Condition => {
                    "Write it as a condition where this format asks for one, or let a person see to it with `human_gate: required`. Nothing is lost: the file keeps the words"
                }
                _ => {
                    "Write `human_gate: required` on the step where a person is to be asked. Nothing is lost: the file keeps the words"
                }
            },
        });
    }
    let (follows, help) = match word {
        "gate_options" if is_on_beside(asked, "human_gate") => (
            "a gate is answered with approve or reject, and these answers would not be offered",
            "This workflow does not start. Make it a step whose report decides, with one way for each answer, or remove it",
        ),
        _ => words(shape, wish),
    };
    Some(Said {
        code: "GH0501",
        severity: Severity::Error,
        message: format!("`{name}` is not carried out here: {follows}"),
        help,
    })
}

/// Whether a field stands beside it and does not say no.
fn is_on_beside(asked: &Asked<'_>, name: &str) -> bool {
    asked.beside(name).is_some_and(|id| !says_no(asked.context, id))
}

/// What is said of words that a step is to ask, and of a step that is to be talked with: an agent may be meant as well as a person.
fn not_asked(asked: &Asked<'_>, (name, word): (&str, &str)) -> Option<Said> {
    if says_no(asked.context, asked.id) {
        return None;
    }
    let has_gate = is_on_beside(asked, "human_gate");
    let is_question = || asked.text().is_some_and(|text| text.trim_end().ends_with('?'));
    // What an agent is asked for in words.
    let is_told = || asked.text().is_some_and(|text| text.split_whitespace().count() > 3) && !is_question();
    let (follows, help) = match word {
        "interactive" if !has_gate && !is_on_beside(asked, "terminal") => (
            "nobody is asked because of it",
            "Write `human_gate: required` where a person is to be asked, and `terminal: true` where one is to talk with the step's program. Nothing is lost: the file keeps the word",
        ),
        "ask" | "question" if has_gate && (word == "question" || is_question()) => (
            "the gate beside it asks another question",
            "Write it as `gate_question`. Nothing is lost: the file keeps the words",
        ),
        "ask" | "question" if word == "question" || is_told() => (
            "nobody is asked it, and agents are not told it",
            "Write it as `gate_question` beside `human_gate: required` where a person is to answer it. Nothing is lost: the file keeps the words",
        ),
        _ => return None,
    };
    Some(Said {
        code: "GH0502",
        severity: Severity::Warning,
        message: format!("`{name}` is kept, not carried out: {follows}"),
        help,
    })
}

/// Whether a name is the field of a gate that says that somebody has to agree, or who. What else such fields say (when, how long, what is asked)
/// no gate beside them makes good.
pub(super) fn is_agreement(word: &str, spot: Spot) -> bool {
    const OF_MORE: [&str; 9] = [
        "gate_asks",
        "gate_at",
        "gate_on_timeout",
        "gate_options",
        "gate_question",
        "gate_timeout",
        "guards",
        "policies",
        "policy",
    ];
    wish(word, spot) == Some(Wish::Gate) && !OF_MORE.contains(&word)
}

/// What follows when a gate is passed over, and what to do.
pub(super) fn words_of_gate(shape: Shape) -> (&'static str, &'static str) {
    words(shape, Wish::Gate)
}

/// What follows when a wish is passed over, and what to do.
fn words(shape: Shape, wish: Wish) -> (&'static str, &'static str) {
    let (follows, help) = words_of_fields(wish);
    match shape {
        Shape::FrontMatter => (follows, help_of_runbook(wish).unwrap_or(help)),
        _ => (follows, help),
    }
}

/// What to do in a runbook, which asks by its steps and goes on by its transitions.
fn help_of_runbook(wish: Wish) -> Option<&'static str> {
    match wish {
        Wish::Gate | Wish::Pause | Wish::Rejection => Some(
            "This runbook does not start. Make the question a step of its own: a step without a command asks a person, and `- YES: CONTINUE` and `- NO: STOP` say what follows. Or remove it",
        ),
        Wish::Condition
        | Wish::Joined
        | Wish::Otherwise
        | Wish::Again
        | Wish::Order
        | Wish::AtEnd
        | Wish::Failure
        | Wish::Retry => Some(
            "This runbook does not start. Say it with the transitions of a step, `- PASS: GOTO 3` or `- FAIL: RETRY 2 STOP`, or remove it",
        ),
        Wish::Beginning
        | Wish::Ending
        | Wish::NextFlow
        | Wish::Standard
        | Wish::Steps
        | Wish::Off
        | Wish::Permission => None,
    }
}

fn words_of_fields(wish: Wish) -> (&'static str, &'static str) {
    match wish {
        Wish::Gate => (
            "nobody would be asked because of it",
            "This workflow does not start. Write `human_gate: required` on the step where a person is to be asked (`gate_asks` names who; at the end of a flow or a run that is its last step), or remove it",
        ),
        Wish::Pause => (
            "the run would not stop for it",
            "This workflow does not start. Write `human_gate: required` on the step after which a person lets the run go on, or remove it",
        ),
        Wish::Rejection => (
            "the run would end when somebody rejects",
            "This workflow does not start. Write it on the step that has the `human_gate`, or remove it",
        ),
        Wish::Condition => (
            "what it stands on would run whether it holds or not",
            "This workflow does not start. Write the condition in the `routing` of a flow's step or on an edge of a graph, or remove it",
        ),
        Wish::Joined => (
            "it would not be asked together with the rest of the condition",
            "This workflow does not start. Write the whole condition as one `expression`, `a == 1 && b == 2` for example",
        ),
        Wish::Otherwise => (
            "the way that it names would not be taken",
            "This workflow does not start. Write `default` in the `routing` of a flow's step, or remove it",
        ),
        Wish::Again => (
            "what it stands on would not be done again because of it",
            "This workflow does not start. Write a loop: `routing: {kind: microloop, loop_target: …}` on a flow's step or an edge back in a graph, or remove it",
        ),
        Wish::Order => (
            "the run would go another way than it says",
            "This workflow does not start. Say what follows in the `routing` of a flow's step, with an edge of a graph or in the `depends_on` of a stage (`inputs` names what a step takes), or remove it",
        ),
        Wish::Beginning => (
            "the run would begin at the first step of the file",
            "This workflow does not start. Put the step that is to begin first, and remove it",
        ),
        Wish::Ending => (
            "the run ends where no step follows, not there",
            "This workflow does not start. Let nothing follow the step that is to be the last, and remove it",
        ),
        Wish::NextFlow => (
            "the next flow would not begin",
            "This workflow does not start. Remove it and start the next flow by hand, or call both from a runbook or a pipeline",
        ),
        Wish::AtEnd => (
            "nothing happens when what it stands on ends",
            "This workflow does not start. Make what it asks for a step of the workflow, or remove it",
        ),
        Wish::Failure => (
            "a failure would be met as if it were not there",
            "This workflow does not start. Write `retries` on the step, or `error_handling` in a pipeline, or ask a person with `human_gate`, or remove it",
        ),
        Wish::Retry => (
            "no attempt would be made because of it",
            "This workflow does not start. Write `retries: {max: 2}` on the step, or remove it",
        ),
        Wish::Standard => (
            "nothing would be held against it",
            "This workflow does not start. Write what is wanted at least in the `context.quality_standards` of the whole workflow, or `human_gate: required` on the step",
        ),
        Wish::Steps => (
            "what it lists would not be done",
            "This workflow does not start. Make one list of all steps, or a file of its own for each list",
        ),
        Wish::Permission => (
            "nothing would be kept from the step because of it",
            "This workflow does not start. Write what agents may do as `permissions` in gatehouse.yaml, or remove it",
        ),
        Wish::Off => (
            "what it stands on would run all the same",
            "This workflow does not start. Remove the step, or remove this",
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::Document;

    /// The messages of GH0501 about a file.
    fn refused(path: &str, text: &str) -> Vec<String> {
        let document = Document::parse(path, text);
        let found = document.diagnostics().iter().filter(|one| one.code == "GH0501");
        found.map(|one| one.message.clone()).collect()
    }

    #[test]
    fn a_line_of_a_text_is_the_field_of_a_gate_where_it_switches_one_on() {
        for (name, value) in [
            ("human_gate", "required"),
            ("humanGate", "conditional"),
            ("human_gat", "required"),
            ("gate_asks", "ada"),
            ("gate", "required"),
            ("Approval", "required"),
            ("Human gate", "required"),
            ("approved_by", "yes"),
        ] {
            assert!(super::is_gate(name, value), "{name}: {value}");
        }
        for (name, value) in [
            ("approved_by", "ada"),
            ("human_gate", "none"),
            ("human_gate", ""),
            ("Gate", "B 12"),
            ("Review", "the change"),
            ("Manual approval", "call Ada"),
            ("note", "required"),
            ("max_iterations", "3"),
        ] {
            assert!(!super::is_gate(name, value), "{name}: {value}");
        }
    }

    #[test]
    fn what_asks_for_something_where_nothing_reads_it_does_not_start() {
        let step = |more: &str| format!("id: f\nsteps:\n  - {{id: a, agents: [w], routing: {{kind: linear}}{more}}}\n");
        for (name, more) in [
            ("approvers", ", approvers: [ada]"),
            ("requires_approval", ", requires_approval: true"),
            ("when", ", when: \"x == 1\""),
            ("skip_if", ", skip_if: \"x == 1\""),
            ("enabled", ", enabled: false"),
            ("requiresApproval", ", requiresApproval: true"),
            ("Approval", ", Approval: the lead"),
            ("human-approval", ", human-approval: required"),
        ] {
            let said = refused("f.yaml", &step(more));
            assert!(
                said.len() == 1 && said[0].contains(&format!("`{name}` is not carried out here")),
                "{name}: {said:?}"
            );
        }
        for more in [
            "",
            ", enabled: true",
            ", skip: false",
            ", skip: \"no\"",
            ", gate: none",
            ", requiresApproval: false",
            ", policy: \"Handbook, section 4\"",
            ", station: w, agent: w",
            ", human_gate: required",
        ] {
            assert_eq!(refused("f.yaml", &step(more)), Vec::<String>::new(), "{more}");
        }
        let inner = "id: f\nsteps:\n  - {id: a, agents: [w], routing: {kind: linear, human_gate: required}}\n";
        assert_eq!(refused("f.yaml", inner).len(), 1);
        let root = "id: f\nnext_flow: g\nsteps:\n  - {id: a, agents: [w], routing: {kind: linear}}\n";
        assert_eq!(refused("f.yaml", root).len(), 1);
        let graph = "key: g\nentry: b\nnodes: [{node_id: a, agents: [w]}, {node_id: b, agents: [w]}]\nedges: [{from: a, to: b, when: \"x\", human_gate: required}]\n";
        assert_eq!(refused("g.yaml", graph).len(), 3);
        let usual = "key: g\nentry: a\nnodes: [{node_id: a, agents: [w]}, {node_id: b, agents: [w]}]\nedges: [{from: a, to: b}]\n";
        assert_eq!(refused("g.yaml", usual), Vec::<String>::new());
        let notes = "---\npolicy: HR-7\napproval: pending\nwhen: 2026-02-01\n---\n\n# N\n\n## 1 Scope\n\nRead it.\n";
        assert_eq!(refused("n.runbook.md", notes), Vec::<String>::new());
        for (more, name) in [
            ("gate: required", "gate"),
            ("approval: required", "approval"),
            ("approvers: [ada]", "approvers"),
            ("enabled: false", "enabled"),
            ("skip: true", "skip"),
            ("when: never", "when"),
            ("on_reject: '1'", "on_reject"),
            ("defaults: {human_gate: required}", "human_gate"),
        ] {
            let front = format!("---\n{more}\n---\n\n# N\n\n## 1 Scope\n\nRead it.\n");
            let said = refused("n.runbook.md", &front);
            assert!(
                said.len() == 1 && said[0].contains(&format!("`{name}` is not carried out here")),
                "{more}: {said:?}"
            );
        }
        let notes = "---\nhumanGate: required\n---\n\n# N\n\n## 1 Scope\n\nRead it.\n";
        assert_eq!(refused("n.runbook.md", notes).len(), 1);
        let pipeline = "name: p\nhuman_gate: required\nstages: [{name: a, agents: [w], if: x, approval: required}]\n";
        assert_eq!(refused("PIPE-20260101-p-000000.yaml", pipeline).len(), 3);
    }
}
