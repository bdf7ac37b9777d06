//! Names that say that somebody has to agree, whatever they are called: what such a name wants, whether the gate beside it says so already, and
//! what is said where it does not.
//!
//! One rule for all of them. The name has a word of agreeing and, in the end, *is* that (an `approval`, an `approver`; an `approval_rate` is a
//! rate), or says that it is wanted (`requires_…`, `…_required`, `…_by`). The value says how: it switches it on, counts or names those who
//! agree, says that nobody has to, or is something that no gate can be made of, which is named with what to write instead. The words of both
//! sides stand in `words`.

mod words;

use super::asked::shortened;
use super::elsewhere::{self, MOST_NAMES, Spot};
use super::{Shape, slip};
use crate::reading::gate::{ASKING, is_logic};
use crate::reading::{Block, Context};
use crate::said::in_a_row;
use crate::tree::NodeId;
use model::Place;
use words::{
    AROUND_WHEN, ASKING_FIRST, BEFORE_THINGS, BY_WHOM, DONE_BY_HAND, GONE_THROUGH, KINDS, KINDS_OF_ONE_WORD,
    KINDS_OF_PEOPLE, LEAVING_OUT, NAMES_OF_GATES, NAMES_OF_SEVERAL, OF_NOBODY, OF_OTHER_THINGS, OF_WHOMEVER, ONE_WORD,
    REQUIRED, SIGNED_BY_PROGRAMS, SOMEBODY, STARTED_BY_HAND, SWITCHES, THINGS, VERBS, WANTED, WANTED_OF, WANTING, WHEN,
    WHERE_WANTED, WORDS_OF_GATES, WORDS_OF_PEOPLE, WORDS_OF_SIGNING,
};

/// Whether two words that stand beside each other are of these and of those.
fn are_beside(words: &[&str], these: &[&str], those: &[&str]) -> bool {
    words
        .windows(2)
        .any(|pair| these.contains(&pair[0]) && those.contains(&pair[1]))
}

/// Whether the kind of a step or a node, as [`slip::plain`] has it, says that a person decides there.
pub(crate) fn is_of_people(kind: &str) -> bool {
    let words: Vec<&str> = kind.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |of: &[&str]| words.iter().any(|word| of.contains(word));
    let has_word = has(WORDS_OF_PEOPLE) && !has(OF_NOBODY) && !are_beside(&words, BEFORE_THINGS, THINGS);
    KINDS_OF_PEOPLE.contains(&kind) || has_word || are_beside(&words, &["manual"], DONE_BY_HAND)
}

/// Whether a field says that a person does the step, or lets it begin.
fn is_kind(context: &Context<'_>, name: &str, value: NodeId) -> bool {
    let text = context.text(value).unwrap_or_default();
    let kind = slip::plain(&text);
    let is_one = || !text.trim().contains(char::is_whitespace) && !OF_WHOMEVER.contains(&kind.as_str());
    // A model, a file or a moment between two steps may be called after a person, too.
    let is_bare = || name != "checkpoint" || text.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
    (KINDS.contains(&name) || KINDS_OF_ONE_WORD.contains(&name) && is_one() && is_bare()) && is_of_people(&kind)
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
    /// Whether it tells of what somebody has done (`reviewed_by`): of a whole file that is over.
    is_over: bool,
}

/// The words of a name without those at its end that say when: what is left is what is wanted then. Of something that is wanted at its `end` the name
/// may say no more than that; an `approval_completion` is another thing.
fn without_when<'w, 'n>(words: &'w [&'n str]) -> &'w [&'n str] {
    let is_around = |word: &&str| AROUND_WHEN.contains(word);
    let Some(at) = words.iter().rposition(|word| WHEN.contains(word)) else {
        return words;
    };
    let kept = words[..at]
        .iter()
        .rposition(|word| !is_around(word))
        .map_or(0, |last| last + 1);
    let says_when = kept < at || words[at] == "end";
    match words[at + 1..].iter().all(is_around) && kept > 0 && says_when {
        true => &words[..kept],
        false => words,
    }
}

/// Whether a name says that a person is to decide: it ends with a word of that, or says that one is wanted. What such a thing is like, or what
/// became of it (`approval_received`, `human_written`, `bypass_gate`), is something else. `is_required`: whether its value says that it is wanted.
fn of_words(name: &str, spot: Spot, is_required: bool) -> Option<Name> {
    let written = name;
    let name = ONE_WORD
        .iter()
        .fold(name.to_owned(), |name, (words, one)| name.replace(words, one));
    let all: Vec<&str> = name.split('_').collect();
    let words = without_when(&all);
    let name = words.join("_");
    let has = |of: &[&str]| words.iter().any(|word| of.contains(word));
    let (first, last) = (
        words.first().copied().unwrap_or_default(),
        words.last().copied().unwrap_or_default(),
    );
    let is_whole = NAMES_OF_GATES.contains(&name.as_str());
    if !is_whole && is_of_a_thing(words, spot) {
        return None;
    }
    let by_hand = first == "manual" && (DONE_BY_HAND.contains(&last) || all.len() == 1)
        || spot == Spot::Entry && first == "manual" && STARTED_BY_HAND.contains(&last)
        || name == "is_manual";
    // `can_be_approved` tells what is possible.
    let is_to_be = has(&["must"]) || has(&["be"]) && !has(&["can", "could", "may"]);
    let is_wanting = WANTING.contains(&first) || is_to_be;
    let is_wanted = is_wanting
        || has(&["after", "before"])
        || has(REQUIRED)
        || is_of_gates(last)
        || WANTED.contains(&last)
        || WANTED_OF.contains(&last);
    let is_strong = is_wanted && words.iter().any(|word| is_of_gates(word));
    // What stands before `by`, `from` and `required`, of `signature_required_from` as of `agreed_by`.
    let behind = |word: &&&str| matches!(**word, "by" | "from") || REQUIRED.contains(*word);
    let asked_for = words
        .iter()
        .rev()
        .find(|word| !behind(word))
        .copied()
        .unwrap_or_default();
    let is_by = matches!(last, "by" | "from") && BY_WHOM.contains(&asked_for);
    // `require_review_from_code_owners`.
    let is_wanted_of = || is_wanting && are_beside(words, WHERE_WANTED, &["by", "from"]);
    let is_timed = words.len() < all.len();
    let is_weak = (is_wanting || is_required && (spot == Spot::Entry || is_timed)) && WHERE_WANTED.contains(&last)
        || is_wanted_of()
        || (REQUIRED.contains(&last) || matches!(last, "by" | "from")) && WHERE_WANTED.contains(&asked_for)
        || first == "who" && VERBS.contains(&last)
        || is_by;
    let is_found = by_hand || is_whole || is_strong || is_weak || is_asking(words) || SWITCHES.contains(&name.as_str());
    let is_done = written.ends_with("ed_by") || written.ends_with("ed_off_by");
    is_found.then(|| Name {
        says_who: is_whole || is_weak || is_of_gates(last) && last != "human" || is_strong && WANTED_OF.contains(&last),
        counts: is_weak
            || is_whole && last == "count"
            || is_strong && REQUIRED.contains(&last)
            || is_of_gates(last) && !matches!(last, "gate" | "gates" | "human"),
        is_over: is_done && !is_wanting && !has(REQUIRED),
    })
}

/// Whether the words of a name make it one of something else, or say that nobody has to agree.
fn is_of_a_thing(words: &[&str], spot: Spot) -> bool {
    let has = |of: &[&str]| words.iter().any(|word| of.contains(word));
    let is_of_people = spot == Spot::Entry && has(WORDS_OF_PEOPLE);
    // What comes behind an approval is none.
    words.first() == Some(&"after")
        || has(OF_NOBODY)
        || has(OF_OTHER_THINGS) && !is_of_people
        || has(SIGNED_BY_PROGRAMS) && has(WORDS_OF_SIGNING)
        || are_beside(words, BEFORE_THINGS, THINGS)
}

/// Whether the words of a name say that somebody is asked or waited for: `ask_user`, `wait_for_input`, `ask_before_run`, `confirm_with_lead`.
fn is_asking(words: &[&str]) -> bool {
    let [first, .., last] = words else { return false };
    let whom = SOMEBODY.contains(last) || *last == "input" && !first.starts_with("ask");
    ASKING_FIRST.contains(first) && (whom || first.starts_with("ask") && words[1] == "before")
        || GONE_THROUGH.contains(first) && words[1] == "with" && SOMEBODY.contains(last)
}

/// What a name of a person's own wants where its words say that somebody has to agree, or that a step is of that kind. `name`: as
/// [`slip::plain`] has it.
pub(super) fn wanted(context: &Context<'_>, spot: Spot, name: &str, value: NodeId) -> Option<Wanted> {
    if matches!(spot, Spot::Free | Spot::Condition) {
        return None;
    }
    // The kind of a whole file is no kind of step.
    if spot == Spot::Entry && (is_kind(context, name, value) || name == "input" && is_question(context, value)) {
        return Some(Wanted::Kind);
    }
    let is_required = context
        .text(value)
        .is_some_and(|text| REQUIRED.contains(&text.trim().to_lowercase().as_str()));
    if NAMES_OF_SEVERAL.contains(&name) {
        return matches!(says(context, value), Some(Says::On(_))).then_some(Wanted::Several);
    }
    if is_left_out_no_more(context, spot, name, value) {
        return Some(Wanted::Gate("required"));
    }
    let name = of_words(name, spot, is_required)?;
    match says(context, value)? {
        Says::On(word) => Some(Wanted::Gate(word)),
        Says::People(names) if names.is_empty() => name.says_who.then_some(Wanted::People(names)),
        // Who is named beside the steps for what is over has looked at the file.
        _ if spot != Spot::Entry && name.is_over => None,
        Says::Count(count) => name.counts.then(|| of_count(count)),
        Says::People(names) => name.says_who.then_some(Wanted::People(names)),
        // What is still to be filled in there, and what is told, is about the file.
        _ if spot != Spot::Entry => None,
        Says::Unnamed(text) => name.says_who.then_some(Wanted::Unnamed(text)),
        Says::Words(text) => name.says_who.then_some(Wanted::Told(text)),
        Says::Remark(_) => None,
    }
}

/// Whether a name says that agreement is left out or given by itself, and its value that this is not so (`auto_approve: false`).
fn is_left_out_no_more(context: &Context<'_>, spot: Spot, name: &str, value: NodeId) -> bool {
    const OFF: [&str; 4] = ["false", "never", "no", "off"];
    let is_off = |text: String| OFF.contains(&text.trim().to_lowercase().as_str());
    if !context.text(value).is_some_and(is_off) {
        return false;
    }
    let (left_out, rest): (Vec<&str>, Vec<&str>) = name.split('_').partition(|word| LEAVING_OUT.contains(word));
    !left_out.is_empty() && of_words(&rest.join("_"), spot, false).is_some()
}

/// Whether a block is a question to a person, as the `input` of a Jenkins stage is.
fn is_question(context: &Context<'_>, value: NodeId) -> bool {
    let block = Block::open(context, value, Place::document());
    let has = |name: &str| block.peek(context, name).is_some();
    context.is_map(value) && (has("submitter") || has("message") && has("ok"))
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
    const SWITCHED_ON: [&str; 5] = ["ask", "blocking", "enabled", "manual", "on-request"];
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
    const OTHER: [&str; 2] = ["not", "waived"];
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
    is_figures(bare) || is_version || is_file || OVER.contains(&bare) || OTHER.contains(&text) || is_logic(text)
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
    let joins = |id: NodeId| context.text(id).is_some_and(|text| is_logic(&text));
    let gate = beside("gate").filter(|id| !joins(*id));
    let gates: Vec<NodeId> = beside("human_gate").into_iter().chain(gate).collect();
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
