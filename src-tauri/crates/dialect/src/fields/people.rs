//! Names that say that somebody has to agree, whatever they are called: what such a name wants, whether the gate beside it says so already, and
//! what is said where it does not.
//!
//! One rule for all of them. The name has a word of agreeing and, in the end, *is* that (an `approval`, an `approver`; an `approval_rate` is a
//! rate), or says that it is wanted (`requires_…`, `…_required`, `…_by`). The value says how: it switches it on, counts or names those who
//! agree, says that nobody has to, or is something that no gate can be made of, which is named with what to write instead.

use super::asked::shortened;
use super::elsewhere::{self, MOST_NAMES, Spot};
use super::{Shape, slip};
use crate::reading::Context;
use crate::reading::gate::ASKING;
use crate::said::in_a_row;
use crate::tree::NodeId;

/// What says what kind of thing a step is, in files of other programs, and what of it says that a person decides.
const KINDS: [&str; 8] = [
    "kind",
    "node_kind",
    "node_type",
    "step_kind",
    "step_type",
    "task_kind",
    "task_type",
    "type",
];
const KINDS_OF_PEOPLE: [&str; 10] = [
    "confirm",
    "confirmation",
    "gate",
    "manual",
    "manual_gate",
    "people",
    "person",
    "sign_off",
    "user",
    "user_task",
];
/// Words of which one in a name says that a person decides there.
const WORDS_OF_PEOPLE: [&str; 6] = ["approval", "approve", "approver", "hitl", "human", "signoff"];
/// Such words in the names of fields, beside those.
const WORDS_OF_GATES: [&str; 11] = [
    "approvals",
    "approvers",
    "approves",
    "confirm",
    "confirmation",
    "confirms",
    "gate",
    "gates",
    "reviewer",
    "reviewers",
    "signoffs",
];
/// Words that say so where the name says that it is wanted (`must_be_approved`, `needs_ok`, `agreed_by`); alone they tell of something else.
const WHERE_WANTED: [&str; 15] = [
    "agree",
    "agreed",
    "agrees",
    "approved",
    "authorised",
    "authorized",
    "confirmed",
    "consent",
    "endorsed",
    "ok",
    "okay",
    "ratified",
    "ratify",
    "review",
    "reviewed",
];
/// With one of these it says the opposite, or what something is like.
const OF_NOBODY: [&str; 24] = [
    "auto", "bypass", "bypasses", "cannot", "disable", "disabled", "disables", "dont", "exempt", "friendly", "ignore",
    "ignores", "never", "no", "non", "none", "not", "optional", "readable", "skip", "skipped", "skips", "waived",
    "without",
];
/// With one of these it is of something that was decided, or that no person does.
const OF_OTHER_THINGS: [&str; 17] = [
    "booking", "cookie", "delivery", "email", "feature", "given", "granted", "logic", "mail", "obtained", "order",
    "passed", "payment", "quality", "receipt", "send", "toll",
];
/// Whole names that say so.
const NAMES_OF_GATES: [&str; 2] = ["human_in_the_loop", "review_by"];

/// At the end of a name: what comes before it is wanted, of those or before that which the value names.
const WANTED_OF: [&str; 8] = [
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
const REQUIRED: [&str; 3] = ["mandatory", "needed", "required"];
/// At the end of a name: what comes before it is wanted.
const WANTED: [&str; 20] = [
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
/// At the beginning of one.
const WANTING: [&str; 15] = [
    "ask", "asks", "await", "awaits", "must", "need", "needs", "pause", "require", "required", "requires", "shall",
    "should", "wait", "waits",
];
/// Behind `manual`: what a person does there.
const DONE_BY_HAND: [&str; 9] = [
    "approval",
    "check",
    "confirmation",
    "decision",
    "gate",
    "intervention",
    "review",
    "step",
    "task",
];

fn has_word_of_people(name: &str) -> bool {
    let words = || name.split('_');
    words().any(|word| WORDS_OF_PEOPLE.contains(&word)) && !words().any(|word| OF_NOBODY.contains(&word))
}

/// Whether the kind of a step or a node, as [`slip::plain`] has it, says that a person decides there.
pub(crate) fn is_of_people(kind: &str) -> bool {
    KINDS_OF_PEOPLE.contains(&kind) || has_word_of_people(kind)
}

/// What a name wants that says that somebody has to agree.
pub(super) enum Wanted {
    /// It says what kind of thing a step is (`type: approval`): any gate is that.
    Kind,
    /// A gate that asks so (`requires_user_approval: true`, `approval_gate: optional`).
    Gate(&'static str),
    /// Those that it names (`release_gate: ada`); none of them where a block says who.
    People(Vec<String>),
    /// More than one of them (`min_approvals: 2`).
    Several,
    /// Somebody whom its value does not name yet (`approver: tbd`).
    Unnamed(String),
    /// What its value tells in words (`approval: given by board`).
    Told(String),
}

/// What the value of such a name says.
enum Says {
    On(&'static str),
    Count(u32),
    People(Vec<String>),
    Unnamed(String),
    /// Words of which no gate can be made.
    Words(String),
    /// A day, a number, a file, a state that is over: it tells of something, and asks nobody.
    Remark(String),
}

fn is_of_gates(word: &str) -> bool {
    WORDS_OF_GATES.contains(&word) || WORDS_OF_PEOPLE.contains(&word)
}

/// What a name says in its words, where it says that somebody has to agree.
struct Name {
    /// Whether those whom the value names are the ones who do: `requires_human: ada` says what is wanted, and not of whom.
    says_who: bool,
    /// Whether a number counts them.
    counts: bool,
}

/// Whether a name says that a person is to decide: it ends with a word of that, or says that one is wanted. What such a thing is like, or what
/// became of it (`approval_received`, `human_written`, `bypass_gate`), is something else. `is_required`: whether its value says that it is wanted.
fn of_words(name: &str, spot: Spot, is_required: bool) -> Option<Name> {
    let name = ["sign_off", "signs_off", "signed_off"]
        .into_iter()
        .fold(name.to_owned(), |name, words| name.replace(words, "signoff"));
    let words: Vec<&str> = name.split('_').collect();
    let has = |of: &[&str]| words.iter().any(|word| of.contains(word));
    let (first, last) = (
        words.first().copied().unwrap_or_default(),
        words.last().copied().unwrap_or_default(),
    );
    let is_of_people = spot == Spot::Entry && has(&WORDS_OF_PEOPLE);
    // What comes behind an approval is none.
    if first == "after" || has(&OF_NOBODY) || has(&OF_OTHER_THINGS) && !is_of_people {
        return None;
    }
    let by_hand = spot == Spot::Entry && (first == "manual" && DONE_BY_HAND.contains(&last) || name == "is_manual");
    let is_whole = NAMES_OF_GATES.contains(&name.as_str());
    // `can_be_approved` tells what is possible.
    let is_to_be = has(&["must"]) || has(&["be"]) && !has(&["can", "could", "may"]);
    let is_wanting = WANTING.contains(&first) || is_to_be;
    let is_wanted = is_wanting
        || has(&["after", "before"])
        || has(&REQUIRED)
        || is_of_gates(last)
        || WANTED.contains(&last)
        || WANTED_OF.contains(&last);
    let is_strong = is_wanted && words.iter().any(|word| is_of_gates(word));
    let is_end = |word: &str| WHERE_WANTED.contains(&word);
    let before_last = words.iter().rev().nth(1).copied().unwrap_or_default();
    let is_weak = (is_wanting || is_required && spot == Spot::Entry) && is_end(last)
        || (REQUIRED.contains(&last) || matches!(last, "by" | "from")) && is_end(before_last);
    (by_hand || is_whole || is_strong || is_weak).then(|| Name {
        says_who: is_whole || is_weak || is_of_gates(last) && last != "human" || is_strong && WANTED_OF.contains(&last),
        counts: is_weak
            || is_strong && REQUIRED.contains(&last)
            || is_of_gates(last) && !matches!(last, "gate" | "gates" | "human"),
    })
}

/// What a name of a person's own wants where its words say that somebody has to agree, or that a step is of that kind. `name`: as
/// [`slip::plain`] has it.
pub(super) fn wanted(context: &Context<'_>, spot: Spot, name: &str, value: NodeId) -> Option<Wanted> {
    if matches!(spot, Spot::Free | Spot::Condition) {
        return None;
    }
    if KINDS.contains(&name) {
        let kind = slip::plain(&context.text(value).unwrap_or_default());
        // The kind of a whole file is no kind of step.
        return (spot == Spot::Entry && is_of_people(&kind)).then_some(Wanted::Kind);
    }
    let is_required = context
        .text(value)
        .is_some_and(|text| REQUIRED.contains(&text.trim().to_lowercase().as_str()));
    let name = of_words(name, spot, is_required)?;
    match says(context, value)? {
        Says::On(word) => Some(Wanted::Gate(word)),
        Says::People(names) if names.is_empty() => name.says_who.then_some(Wanted::People(names)),
        // Who is named beside the steps has looked at the file.
        _ if spot != Spot::Entry => None,
        Says::Count(count) => name.counts.then(|| of_count(count)),
        Says::People(names) => name.says_who.then_some(Wanted::People(names)),
        Says::Unnamed(text) => name.says_who.then_some(Wanted::Unnamed(text)),
        Says::Words(text) => name.says_who.then_some(Wanted::Told(text)),
        Says::Remark(_) => None,
    }
}

/// What a field wants that other programs have for a gate: whatever its value is, it asks.
pub(super) fn of_field(context: &Context<'_>, name: &str, value: NodeId) -> Option<Wanted> {
    if matches!(name, "dual_control" | "four_eyes") {
        return Some(Wanted::Several);
    }
    Some(match says(context, value)? {
        Says::On(word) => Wanted::Gate(word),
        Says::Count(count) => of_count(count),
        Says::People(names) => Wanted::People(names),
        Says::Unnamed(text) => Wanted::Unnamed(text),
        Says::Words(text) | Says::Remark(text) => Wanted::Told(text),
    })
}

fn of_count(count: u32) -> Wanted {
    match count {
        1 => Wanted::Gate("required"),
        _ => Wanted::Several,
    }
}

/// What a value says; absent: that nobody has to agree.
fn says(context: &Context<'_>, value: NodeId) -> Option<Says> {
    if elsewhere::says_no(context, value) {
        return None;
    }
    if context.is_map(value) {
        return Some(Says::People(Vec::new()));
    }
    let Some(items) = context.tree.items(value) else {
        return of_text(&context.text(value)?);
    };
    let mut names = Vec::new();
    let mut told = None;
    for item in items.iter().take(MOST_NAMES) {
        let Some(text) = context.text(*item) else {
            return Some(Says::People(Vec::new()));
        };
        match of_text(&text) {
            None => {}
            Some(Says::People(more)) => names.extend(more),
            Some(Says::Unnamed(text)) => return Some(Says::Unnamed(text)),
            Some(other) => told = Some(other),
        }
    }
    match told {
        None if names.is_empty() => None,
        None => Some(Says::People(names)),
        Some(Says::Remark(text)) if names.is_empty() => Some(Says::Remark(text)),
        Some(Says::Words(text) | Says::Remark(text)) => Some(Says::Words(text)),
        // `[true]`, `[2]`.
        Some(other) => Some(other),
    }
}

/// What a text says.
fn of_text(written: &str) -> Option<Says> {
    const SWITCHED_ON: [&str; 3] = ["blocking", "enabled", "manual"];
    let text = written.trim().to_lowercase();
    if elsewhere::asks_nobody(&text) {
        return None;
    }
    if elsewhere::is_on(&text) || SWITCHED_ON.contains(&text.as_str()) {
        let word = ASKING.into_iter().find(|word| *word == text);
        return Some(Says::On(word.unwrap_or("required")));
    }
    if let Ok(count) = text.parse() {
        return Some(Says::Count(count));
    }
    let written = shortened(written.trim());
    Some(if is_placeholder(&text) {
        Says::Unnamed(written)
    } else if is_remark(&text) {
        Says::Remark(written)
    } else if is_name(&text) {
        Says::People(vec![text])
    } else {
        Says::Words(written)
    })
}

/// Whether words stand where somebody's name is to come.
fn is_placeholder(text: &str) -> bool {
    const OPEN: [&str; 14] = [
        "fixme",
        "later",
        "n.n.",
        "pending",
        "placeholder",
        "somebody",
        "someone",
        "tba",
        "tbc",
        "tbd",
        "to do",
        "todo",
        "undecided",
        "unknown",
    ];
    let is_empty = !text.contains(char::is_alphanumeric);
    let is_framed = text.starts_with('<') && text.ends_with('>');
    OPEN.contains(&text) || is_empty || is_framed || text.starts_with("to be ") || text.ends_with(" yet")
}

/// Whether a value tells of something and asks nobody: a day, a sum, a file, a version, a state that is over.
fn is_remark(text: &str) -> bool {
    const OVER: [&str; 13] = [
        "approved",
        "closed",
        "complete",
        "completed",
        "done",
        "draft",
        "given",
        "granted",
        "locked",
        "obtained",
        "open",
        "passed",
        "received",
    ];
    const OTHER: [&str; 7] = ["and", "nand", "nor", "not", "or", "waived", "xor"];
    // What stands in brackets is what it is without them.
    let bare = text.trim_matches(['(', ')', '[', ']']).trim();
    let is_one = !text.contains(char::is_whitespace);
    let is_version = is_one && !is_name(bare) && bare.contains(|c: char| c.is_ascii_digit());
    // `2/3 of the board` are people.
    let counts_words = bare.starts_with(|c: char| c.is_ascii_digit())
        && bare
            .split_whitespace()
            .skip(1)
            .any(|word| word.starts_with(char::is_alphabetic));
    let is_file = text.contains('/') && !counts_words || bare.starts_with("see ");
    is_figures(bare) || is_version || is_file || OVER.contains(&bare) || OTHER.contains(&text)
}

/// Whether a text is a number, a day or a sum of money. A number of something else (`2 directors`) says who.
fn is_figures(text: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    const BESIDE: [&str; 18] = [
        "am", "chf", "dollar", "dollars", "eur", "euro", "euros", "francs", "gbp", "gmt", "jpy", "million", "pm",
        "pounds", "thousand", "usd", "utc", "yen",
    ];
    const SIGNS: &str = "+-–.,:/'%€$£¥";
    let is_month = |word: &str| {
        let word = word.trim_end_matches(['.', ',']);
        word == "sept"
            || MONTHS
                .iter()
                .any(|month| word == *month || month.get(..3) == Some(word))
    };
    let is_figure = |word: &str| {
        let mut ends = ["st", "nd", "rd", "th", "z"].into_iter();
        let word = ends.find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        let mut parts = word.split('t');
        parts.all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || SIGNS.contains(c)))
    };
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    let mut words = text.split_whitespace();
    !text.starts_with(char::is_alphabetic)
        && has_digit
        && words.all(|word| is_figure(word) || is_month(word) || BESIDE.contains(&word))
}

/// Whether a text is the name of somebody: no sentence, no file, no day, and no word for how far something is.
fn is_name(text: &str) -> bool {
    const NO_NAMES: [&str; 22] = [
        "after", "as", "at", "before", "by", "from", "given", "granted", "if", "in", "must", "no", "none", "not", "on",
        "only", "per", "should", "until", "via", "when", "with",
    ];
    let is_plain = text.contains('@') || !text.contains(['.', '/', ':', '{', '$']);
    let mut words = text.split_whitespace();
    text.starts_with(|c: char| c.is_alphabetic() || c == '@')
        && is_plain
        && words.clone().count() <= 3
        && words.next().is_none_or(|first| !NO_NAMES.contains(&first))
}

/// Whether the gate beside such a name says already what it wants. `read`: the fields beside it that this block reads.
pub(super) fn is_said(context: &Context<'_>, read: &[(&str, NodeId)], wanted: &Wanted) -> bool {
    let beside = |name: &str| {
        let found = read.iter().rev().find(|(key, _)| *key == name);
        found.map(|(_, id)| *id).filter(|id| !elsewhere::says_no(context, *id))
    };
    let gates: Vec<NodeId> = ["human_gate", "gate"].into_iter().filter_map(beside).collect();
    // A word that is not known counts as `required`.
    let word = |id: NodeId| {
        let text = context.text(id)?.trim().to_lowercase();
        Some(ASKING.into_iter().find(|word| *word == text).unwrap_or("required"))
    };
    let says = |wanted: &str| gates.iter().any(|id| word(*id) == Some(wanted));
    let asked = || {
        let id = beside("gate_asks")?;
        let alone = [id];
        let each = context.tree.items(id).unwrap_or(&alone);
        let name = |id: &NodeId| Some(context.text(*id)?.trim().to_lowercase());
        Some(each.iter().take(MOST_NAMES).filter_map(name).collect::<Vec<_>>())
    };
    match wanted {
        Wanted::Kind => !gates.is_empty(),
        Wanted::Gate(wanted) => says("required") || says(wanted),
        Wanted::People(names) => {
            says("required") && asked().is_some_and(|asked| names.iter().all(|name| asked.contains(name)))
        }
        Wanted::Several => false,
        // Somebody is asked, and nobody else is named.
        Wanted::Unnamed(_) => says("required"),
        Wanted::Told(_) => says("required") && asked().is_some(),
    }
}

/// What is said of a name that no gate makes good: the message and what to write instead.
pub(super) fn said(shape: Shape, name: &str, wanted: &Wanted) -> (String, String) {
    const STARTS_NOT: &str = "This workflow does not start. Write `human_gate: required`";
    const WHERE: &str = "on the step where a person is to be asked";
    let (follows, usual) = elsewhere::words_of_gate(shape);
    let why = match wanted {
        Wanted::Unnamed(text) => format!("`{text}` names nobody, and {follows}"),
        Wanted::Told(text) => format!("`{text}` is a text to be read, and {follows}"),
        Wanted::Several => format!("one person answers a gate, and {follows}"),
        Wanted::Kind | Wanted::Gate(_) | Wanted::People(_) => follows.to_owned(),
    };
    let help = match wanted {
        // It has no such fields.
        _ if shape == Shape::FrontMatter => usual.to_owned(),
        Wanted::People(names) if !names.is_empty() => {
            let quoted: Vec<String> = names
                .iter()
                .take(4)
                .map(|name| format!("`{}`", shortened(name)))
                .collect();
            let all = in_a_row(&quoted).unwrap_or_default();
            format!("{STARTS_NOT} and `gate_asks` with {all} {WHERE}, or remove it")
        }
        Wanted::Unnamed(_) => format!(
            "{STARTS_NOT} {WHERE}, and `gate_asks` with who it is once that is known. Write `none` here where nobody has to agree, or remove it"
        ),
        Wanted::Told(_) => format!(
            "{STARTS_NOT} {WHERE} (`gate_asks` names who). What is only to be read goes under a name that begins with `x-`"
        ),
        Wanted::Several => format!(
            "{STARTS_NOT} on as many steps behind each other as people have to agree (`gate_asks` names who), or remove it"
        ),
        Wanted::Kind | Wanted::Gate(_) | Wanted::People(_) => usual.to_owned(),
    };
    (format!("`{}` is not carried out here: {why}", slip::shown(name)), help)
}
