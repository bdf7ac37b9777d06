//! One transition: `FAIL ANY: RETRY 2 GOTO Recover` (seed 002 "Transitions", "Actions").

use super::id::{self, NoId, Part};
use crate::text::Span;
use model::{Action, Jump, Quantifier, StepId, Transition};

/// A transition with where its parts stand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Read {
    pub(super) transition: Transition,
    /// From its keyword to its end.
    pub(super) span: Span,
    /// What is done.
    pub(super) action: Span,
    /// What is done once RETRY is used up, where it is written.
    pub(super) then: Option<Span>,
    /// The identifier behind GOTO or NEXT.
    pub(super) target: Option<Span>,
    /// Later files of the family write a blank for the colon: where it would stand.
    pub(super) colon: Option<usize>,
}

/// Why a text that begins like a transition is none.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Broken {
    /// RETRY inside of RETRY: a rule of its own.
    pub(super) nested: bool,
    /// An action of later files that is not carried out.
    pub(super) later: Option<&'static str>,
    /// What is wrong, without a final stop.
    pub(super) said: String,
    pub(super) help: String,
    /// The action as it was probably meant.
    pub(super) meant: Option<String>,
    /// The action's bytes, which `meant` would replace.
    pub(super) action: Span,
}

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line {
    /// Words of the author.
    Prose,
    Transition(Read),
    Broken(Broken),
    /// A directive of later files that is not carried out, by its word.
    Later(&'static str),
}

const ACTIONS: [&str; 6] = ["CONTINUE", "COMPLETE", "STOP", "GOTO", "RETRY", "NEXT"];
const WORDS: [(&str, bool); 4] = [("PASS", true), ("FAIL", false), ("YES", true), ("NO", false)];

/// Actions of later files of the family. NEXT is one of them and is read.
const LATER_ACTIONS: [&str; 3] = ["DEFER", "BREAK", "DELEGATE"];
/// Directives of later files, each alone on its line.
const DIRECTIVES: [&str; 5] = ["DELEGATE", "DEFER", "INPUTS", "OUTPUTS", "ARTIFACTS"];

/// The directive of a later file that a list item is.
fn directive(text: &str) -> Option<&'static str> {
    let first = text.lines().next().unwrap_or("").trim_end();
    let alone = first.trim_end_matches(':');
    if let Some(word) = DIRECTIVES.into_iter().find(|word| *word == alone) {
        return Some(word);
    }
    let (name, source) = first
        .strip_prefix("FOR ")?
        .trim_start()
        .split_once(' ')
        .unwrap_or((first, ""));
    let counts = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '{');
    let ranges = source.trim_start().starts_with("IN ") || (source.is_empty() && counts(&first[4..]));
    (ranges || (counts(name) && source.trim_start().starts_with("TO "))).then_some("FOR")
}

/// Reads the words of one list item. `from`: where they stand in the file.
pub(super) fn read(text: &str, from: usize) -> Line {
    if let Some(behind) = behind_a_box(text) {
        return boxed(text, behind, from);
    }
    let mut at = Cursor { text, at: 0 };
    at.marks();
    let Some((word, passed)) = WORDS.into_iter().find(|(word, _)| at.word(word)) else {
        return directive(text).map_or(Line::Prose, Line::Later);
    };
    at.marks();
    at.blanks();
    let quantifier = [("ALL", Quantifier::All), ("ANY", Quantifier::Any)]
        .into_iter()
        .find_map(|(word, quantifier)| at.word(word).then_some(quantifier));
    at.marks();
    at.blanks();
    let divided = [":", "→", "->", "=>"].into_iter().any(|sign| at.skip(sign));
    if divided {
        at.marks();
    }
    at.blanks();
    let rest = text[at.at..].trim_end();
    let (start, rest) = match rest.strip_prefix("**").and_then(|r| r.strip_suffix("**")) {
        Some(inner) => (at.at + 2, inner),
        None => (at.at, rest),
    };
    let action = Span {
        start: from + start,
        end: from + start + rest.len(),
    };
    let mut colon = None;
    if !divided {
        let first = rest.split([' ', '\t']).next().unwrap_or("");
        if !ACTIONS.contains(&first) && !LATER_ACTIONS.contains(&first) {
            let head = Head {
                word,
                passed,
                counted: quantifier.is_some(),
            };
            return misread(&head, rest, action).map_or(Line::Prose, Line::Broken);
        }
        colon = Some(from + text[..start].trim_end().len());
    }
    match action_of(rest) {
        Ok((done, target)) => Line::Transition(Read {
            transition: Transition {
                passed,
                word: word.to_owned(),
                quantifier,
                action: done,
            },
            span: Span {
                start: from,
                end: from + text.trim_end().len(),
            },
            action,
            then: then_of(rest).map(|then| Span {
                start: action.end - then.len(),
                end: action.end,
            }),
            target: target.map(|(start, length)| Span {
                start: action.start + start,
                end: action.start + start + length,
            }),
            colon,
        }),
        Err(mut broken) => {
            broken.action = action;
            if let Some(meant) = &broken.meant {
                broken.help = format!("{} Write `{word}: {meant}`", broken.help)
                    .trim_start()
                    .to_owned();
            }
            Line::Broken(broken)
        }
    }
}

/// Words that are read as a text and were probably meant as a transition: `Yes: CONTINUE`, `pass: GOTO 2`. With the transition that
/// was meant, where it can be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slip {
    pub(super) word: &'static str,
    /// The whole transition as it was probably meant.
    pub(super) meant: Option<String>,
}

/// Looks for one in the words of a list item that are no transition.
pub(super) fn slipped(text: &str) -> Option<Slip> {
    let Slip { word, meant } = misspelt(text).or_else(|| astray(text))?;
    // What stands on other lines would go with the change.
    let meant = meant.filter(|_| text.lines().count() == 1);
    Some(Slip { word, meant })
}

/// What people write for how a step ended, and the word of the format. `false`: what they mean by it is not sure.
fn outcome_of(said: &str) -> Option<(&'static str, bool)> {
    Some(match said.to_uppercase().as_str() {
        "FAIL" | "FAILS" | "FAILED" | "FAILURE" | "FAILURES" | "FAILING" | "ERROR" | "ERRORS" => ("FAIL", true),
        "PASS" | "PASSES" | "PASSED" | "SUCCESS" | "SUCCEEDS" | "SUCCEEDED" | "OK" => ("PASS", true),
        "YES" => ("YES", true),
        "NO" => ("NO", true),
        "ELSE" | "OTHERWISE" => ("FAIL", false),
        _ => return None,
    })
}

/// A whole action in capitals behind another word for an outcome, or behind another sign than a colon: `On failure: GOTO 2`,
/// `FAILED - STOP`, `FAIL, GOTO 2`. An action in small letters, or with more words behind it, is a sentence.
pub(super) fn astray(text: &str) -> Option<Slip> {
    const MARKS: [char; 3] = ['*', '_', '`'];
    /// What may stand before the outcome.
    const BEFORE: [&str; 15] = [
        "on", "if", "when", "upon", "in", "case", "of", "it", "the", "a", "an", "any", "this", "step", "command",
    ];
    /// So many words may stand before the action.
    const MOST: usize = 5;
    let line = bare(text.lines().next().unwrap_or(""));
    // Nearly every line of a text ends here.
    let may_be_one = |word: &str| ACTIONS.contains(&word.trim_matches(|c: char| MARKS.contains(&c) || c == '.'));
    if !line.split_whitespace().skip(1).take(MOST).any(may_be_one) {
        return None;
    }
    let starts = line
        .char_indices()
        .filter(|(at, c)| !c.is_whitespace() && line[..*at].ends_with(char::is_whitespace));
    let (at, action) = starts.take(MOST).find_map(|(at, _)| {
        let action = line[at..].trim_matches(MARKS).trim_end_matches('.').trim_end();
        let first = action.split_whitespace().next()?;
        (first != "NEXT" && ACTIONS.contains(&first) && action_of(action).is_ok()).then_some((at, action))
    })?;
    let head = line[..at].trim_end();
    let bare = head.trim_end_matches([
        ':', ',', ';', '.', '-', '–', '—', '=', '>', '→', ' ', '\t', '*', '_', '`',
    ]);
    let mut words = bare
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .rev();
    let last = words.next()?;
    let (word, is_sure) = outcome_of(last)?;
    // Without a sign between them the outcome is a word of the format, or it belongs to a sentence.
    let is_divided = bare.len() < head.len() || WORDS.iter().any(|(word, _)| *word == last);
    if !is_divided || !words.all(|before| BEFORE.contains(&before.to_lowercase().as_str())) {
        return None;
    }
    let meant = is_sure.then(|| format!("{word}: {action}"));
    Some(Slip { word, meant })
}

/// Words without what stands before them for a bullet or a mark: a dash without its blank, a box, the marks of bold text.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let line = behind_a_box(line).unwrap_or(line);
    line.trim_start_matches(['-', '–', '—', '•', '·', '*', '_', '`', ' ', '\t'])
}

/// Whether a line that is no transition begins like one: with a word of the format in its letters, and names an action behind it in its letters. A
/// sentence has the one or the other by chance: `NO network: stop`.
pub(super) fn begins_like_one(line: &str) -> bool {
    let mut at = Cursor {
        text: bare(line),
        at: 0,
    };
    let begins = WORDS.into_iter().any(|(word, _)| at.word(word));
    begins && names_an_action(&at.text[at.at..])
}

/// Whether an action stands among words, in its letters.
pub(super) fn names_an_action(words: &str) -> bool {
    words
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| ACTIONS.contains(&word))
}

/// The word of the format in other letters, or with words behind it.
fn misspelt(text: &str) -> Option<Slip> {
    let line = text.lines().next().unwrap_or("").trim();
    let (head, behind) = line.split_once(':')?;
    let first: String = head
        .trim_start_matches(['*', '_', '`'])
        .chars()
        .take_while(|c| c.is_alphabetic())
        .collect();
    let (word, _) = WORDS.into_iter().find(|(word, _)| first.eq_ignore_ascii_case(word))?;
    // The last colon before an action: `Yes, it is good: CONTINUE`.
    let action = match behind.rsplit_once(": ") {
        Some((_, last)) if is_action(last) => last,
        _ => behind,
    };
    let action = action.trim().trim_matches(['*', '_', '`']).trim();
    let named = action.split_whitespace().next()?;
    let upper = named.to_uppercase();
    let known = ACTIONS.contains(&upper.as_str()) || LATER_ACTIONS.contains(&upper.as_str());
    let meant = format!("{upper}{}", &action[named.len()..]);
    let is_whole = action_of(&meant).is_ok();
    // A sentence may begin with such a word in small letters: `No: stop when it rains`.
    if !known || !(named == upper || is_whole) {
        return None;
    }
    let quantifier = head[head.find(&first)? + first.len()..]
        .trim()
        .trim_matches(['*', '_'])
        .trim();
    let quantifier = match quantifier.to_uppercase().as_str() {
        "" => Some(""),
        "ALL" => Some(" ALL"),
        "ANY" => Some(" ANY"),
        _ => None,
    };
    let meant = quantifier.filter(|_| is_whole).map(|q| format!("{word}{q}: {meant}"));
    Some(Slip { word, meant })
}

/// The first word of a line that is written like a transition, where no step has such an outcome: `MAYBE: STOP`.
pub(super) fn for_no_outcome(text: &str) -> Option<&str> {
    let line = text.lines().next().unwrap_or("").trim();
    let (head, action) = line.split_once(':')?;
    let word = head.trim_matches(['*', '_', '`']);
    // `Note: CONTINUE` may be a text; the words of transitions are written in capitals.
    let is_word = !word.is_empty() && word.chars().all(char::is_uppercase);
    let action = action.trim_matches(['*', '_', '`', ' ', '\t']);
    (is_word && action_of(action).is_ok()).then_some(word)
}

fn is_action(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("");
    ACTIONS.contains(&first.trim_matches(['*', '_', '`']).to_uppercase().as_str())
}

/// What stands behind the box of a list of things to do: `[ ] PASS: CONTINUE`.
fn behind_a_box(text: &str) -> Option<&str> {
    let boxes = ["[ ]", "[x]", "[X]"];
    let behind = boxes
        .into_iter()
        .find_map(|mark| text.trim_start().strip_prefix(mark))?;
    let words = behind.trim_start_matches([' ', '\t']);
    (words.len() < behind.len()).then_some(words)
}

/// A transition behind a box would be taken for words.
fn boxed(text: &str, behind: &str, from: usize) -> Line {
    let written = behind.trim_end();
    match read(behind, from) {
        Line::Prose => Line::Prose,
        Line::Later(word) => Line::Later(word),
        line => Line::Broken(Broken {
            action: Span {
                start: from,
                end: from + text.trim_end().len(),
            },
            ..broken(
                "A box for ticking stands before this transition",
                format!("Write `{written}` without the box"),
                matches!(line, Line::Transition(_)).then(|| written.to_owned()),
            )
        }),
    }
}

/// What a transition begins with.
struct Head {
    word: &'static str,
    passed: bool,
    /// ALL or ANY has been read.
    counted: bool,
}

/// A line that begins like a transition and is none: `PASS SOME: …`, `PASS all: …`, `PASS - …`. `None`: words of the author, `NO problem`.
/// `action`: where what stands behind the keyword is, which a correction replaces.
fn misread(head: &Head, rest: &str, action: Span) -> Option<Broken> {
    let begins = |text: &str| ACTIONS.contains(&text.split_whitespace().next().unwrap_or(""));
    let word = head.word;
    let wrong = |said: String, help: &str, meant: Option<String>| {
        Some(Broken {
            action,
            ..broken(said, help, meant)
        })
    };
    if let Some(behind) = rest.strip_prefix(['-', '–', '—']) {
        let behind = behind.trim_start();
        // `YES - it is done` is what people write; PASS and FAIL are words of the format.
        let prose = matches!(word, "YES" | "NO") && !behind.is_empty() && !begins(behind);
        if prose {
            return None;
        }
        let usual = if head.passed { "CONTINUE" } else { "STOP" };
        let meant = if behind.is_empty() { usual } else { behind };
        let meant = action_of(meant).is_ok().then(|| format!(": {meant}"));
        let said = format!("A dash stands between `{word}` and its action, where a colon belongs");
        let help = format!("Write `{word}: {usual}`, or another action behind the colon");
        return wrong(said, &help, meant);
    }
    let (given, behind) = rest.split_once(':')?;
    let given = given.trim_end();
    if head.counted || given.is_empty() || given.contains(char::is_whitespace) {
        return None;
    }
    let upper = given.to_uppercase();
    let quantifier = match upper.as_str() {
        "ALL" | "EVERY" | "EACH" | "BOTH" => Some("ALL"),
        "ANY" | "SOME" | "ONE" | "EITHER" => Some("ANY"),
        other => ["ALL", "ANY"]
            .into_iter()
            .find(|known| strsim::osa_distance(known, other) <= 1),
    };
    let behind = behind.trim();
    if matches!(word, "YES" | "NO") && quantifier.is_none() && !begins(behind) {
        return None;
    }
    let meant = match quantifier {
        Some(quantifier) => format!("{quantifier}: {behind}"),
        None => format!(": {behind}"),
    };
    let said = format!("`{}` is no quantifier: there are ALL and ANY", short(given));
    let help = match quantifier {
        Some(quantifier) => format!("Write `{word} {quantifier}: {behind}`"),
        None if begins(behind) => format!("Write `{word}: {behind}`, or ALL or ANY before the colon"),
        None => format!(
            "If it is no transition, begin the line with another word; a transition names an action behind the colon, as in `{word}: CONTINUE`"
        ),
    };
    let can_be_read = action_of(behind).is_ok();
    wrong(said, &help, can_be_read.then_some(meant))
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl Cursor<'_> {
    fn skip(&mut self, what: &str) -> bool {
        let found = self.text[self.at..].starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }
    /// A keyword that no further letter follows: PASSWORD is no PASS.
    fn word(&mut self, word: &str) -> bool {
        let rest = &self.text[self.at..];
        let ends = rest.strip_prefix(word).is_some_and(|after| {
            !after.starts_with(|c: char| c.is_alphanumeric() || c == '_' && !after.starts_with("__"))
        });
        ends && self.skip(word)
    }
    /// The marks of bold text around a keyword.
    fn marks(&mut self) {
        let _ = self.skip("**") || self.skip("__");
    }
    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }
}

type Target = Option<(usize, usize)>;

fn broken(said: impl Into<String>, help: impl Into<String>, meant: Option<String>) -> Broken {
    Broken {
        nested: false,
        later: None,
        said: said.into(),
        help: help.into(),
        meant,
        action: Span::default(),
    }
}

const FORMS: &str = "The actions are CONTINUE, COMPLETE, STOP, GOTO and RETRY";

/// Reads an action; the target is where its identifier stands in the text: (first byte, length).
fn action_of(text: &str) -> Result<(Action, Target), Broken> {
    let word_end = text.find([' ', '\t', '\n', '\r']).unwrap_or(text.len());
    let (word, behind) = text.split_at(word_end);
    let rest = behind.trim();
    let offset = text.len() - behind.trim_start().len();
    match word {
        "CONTINUE" if rest.is_empty() => Ok((Action::Continue, None)),
        "CONTINUE" => Err(broken(
            format!("CONTINUE takes nothing behind it, but `{}` stands there", short(rest)),
            "",
            Some("CONTINUE".to_owned()),
        )),
        "COMPLETE" => Ok((
            Action::Complete {
                message: message("COMPLETE", rest)?,
            },
            None,
        )),
        "STOP" => Ok((
            Action::Stop {
                message: message("STOP", rest)?,
            },
            None,
        )),
        "NEXT" if rest.is_empty() => Ok((Action::Goto(Jump::Next(None)), None)),
        "NEXT" => {
            let id = target(rest)?;
            Ok((Action::Goto(Jump::Next(Some(id))), Some((offset, rest.len()))))
        }
        "GOTO" => goto(rest, offset),
        "RETRY" => retry(rest, offset),
        "" => Err(broken("This transition has no action", FORMS, None)),
        later if LATER_ACTIONS.contains(&later) => Err(Broken {
            later: LATER_ACTIONS.into_iter().find(|word| *word == later),
            ..broken(
                format!("`{later}` is an action of later runbooks and is not carried out here"),
                format!("{FORMS}."),
                None,
            )
        }),
        _ => Err(unknown(text, word)),
    }
}

fn goto(rest: &str, offset: usize) -> Result<(Action, Target), Broken> {
    if rest.is_empty() {
        return Err(broken(
            "GOTO does not say where to",
            "Name a step or substep behind it, or NEXT",
            None,
        ));
    }
    let Some(behind) = rest
        .strip_prefix("NEXT")
        .filter(|b| b.is_empty() || b.starts_with([' ', '\t']))
    else {
        let id = target(rest)?;
        return Ok((Action::Goto(Jump::To(id)), Some((offset, rest.len()))));
    };
    let named = behind.trim_start();
    if named.is_empty() {
        return Ok((Action::Goto(Jump::Next(None)), None));
    }
    let id = target(named)?;
    let at = offset + rest.len() - named.len();
    Ok((Action::Goto(Jump::Next(Some(id))), Some((at, named.len()))))
}

/// How often RETRY tries again, from what stands behind it, and what stands behind that.
fn counted(rest: &str) -> (u32, &str) {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let counts = digits > 0 && !rest[digits..].starts_with(|c: char| !matches!(c, ' ' | '\t' | '\n' | '\r'));
    match counts {
        true => (rest[..digits].parse().unwrap_or(u32::MAX), rest[digits..].trim_start()),
        false => (1, rest.trim_start()),
    }
}

/// The number behind RETRY that is more than can be counted, as it is written.
pub(super) fn uncounted(action: &str) -> Option<&str> {
    let rest = action.strip_prefix("RETRY")?.trim_start();
    let digits = &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()];
    (!digits.is_empty() && digits.parse::<u32>().is_err()).then_some(digits)
}

/// What a good action does once its RETRY is used up, where it is written.
fn then_of(action: &str) -> Option<&str> {
    let (_, then) = counted(action.strip_prefix("RETRY")?.trim_start());
    Some(then).filter(|then| !then.is_empty())
}

fn retry(rest: &str, offset: usize) -> Result<(Action, Target), Broken> {
    let (times, after) = counted(rest);
    if times == 0 {
        return Err(broken(
            "RETRY 0 tries nothing again",
            "Retry at least once, or leave RETRY out",
            Some(format!("RETRY 1 {after}").trim_end().to_owned()),
        ));
    }
    if after.is_empty() {
        let then = Box::new(Action::Stop { message: None });
        return Ok((Action::Retry { times, then }, None));
    }
    // What is mended behind it leaves RETRY where it is.
    let behind_retry = |mut fault: Broken| {
        let head = &rest[..rest.len() - after.len()];
        fault.meant = fault.meant.map(|meant| format!("RETRY {head}{meant}"));
        fault
    };
    if after.starts_with('"') {
        let message = message("STOP", after).map_err(behind_retry)?;
        let then = Box::new(Action::Stop { message });
        return Ok((Action::Retry { times, then }, None));
    }
    if after.split_whitespace().next() == Some("RETRY") {
        // The innermost action is what the author wants at last.
        let mut last = after;
        while let Some(deeper) = last.strip_prefix("RETRY") {
            last = deeper
                .trim_start()
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .trim_start();
        }
        let mut fault = broken(
            "RETRY stands inside of RETRY",
            "One RETRY counts, and one action follows when it is used up.",
            action_of(last)
                .is_ok()
                .then(|| format!("RETRY {times} {last}"))
                .or(last.is_empty().then(|| format!("RETRY {times}"))),
        );
        fault.nested = true;
        return Err(fault);
    }
    let behind_at = offset + rest.len() - after.len();
    match action_of(after) {
        Ok((then, target)) => Ok((
            Action::Retry {
                times,
                then: Box::new(then),
            },
            target.map(|(at, length)| (behind_at + at, length)),
        )),
        Err(fault) => Err(behind_retry(fault)),
    }
}

/// A message: one word, or anything in double quotes; `None` where there is none.
fn message(word: &str, text: &str) -> Result<Option<String>, Broken> {
    if text.is_empty() {
        return Ok(None);
    }
    let quoted = text.strip_prefix('"');
    if let Some(inner) = quoted.and_then(|t| t.strip_suffix('"')) {
        return Ok(Some(inner.to_owned()));
    }
    if let Some(inner) = quoted {
        let (said, meant) = match inner.contains('"') {
            true => (
                format!("Words stand behind the quoted message of {word}; a message stands in one pair of quotes"),
                format!("{word} \"{}\"", inner.replace('"', "")),
            ),
            false => (
                format!("The message behind {word} opens a quote and does not close it"),
                format!("{word} {text}\""),
            ),
        };
        return Err(broken(said, "", Some(meant)));
    }
    let mut chars = text.chars();
    let one_word = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    if one_word {
        return Ok(Some(text.to_owned()));
    }
    // A message goes to the last of the double quotes: one inside would end it for other readers.
    let plain = unquoted(text).replace('"', "'");
    let can_be_quoted = !plain.contains(['\n', '\r']);
    Err(broken(
        format!("The message behind {word} needs double quotes: `{}`", short(text)),
        "A message of one word may stand without quotes, a longer one may not.",
        can_be_quoted.then(|| format!("{word} \"{plain}\"")),
    ))
}

/// A text without the quotation marks around it that are none here.
fn unquoted(text: &str) -> &str {
    const MARKS: [(char, &[char]); 5] = [
        ('\'', &['\'']),
        ('“', &['”']),
        ('„', &['“', '”']),
        ('‘', &['’']),
        ('«', &['»']),
    ];
    let mut inner = MARKS
        .into_iter()
        .filter_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    inner.next().unwrap_or(text)
}

/// The identifier behind GOTO, in its canonical form. One with zeros in front stays as it is: no step has it.
fn target(text: &str) -> Result<StepId, Broken> {
    let nothing = |said: String| {
        Err(broken(
            said,
            "Behind GOTO stand a step (`3`, `Recover`, `{N}`), a substep (`2.1`, `1.{n}`) or NEXT",
            None,
        ))
    };
    match id::whole(text) {
        Ok(id) => Ok(StepId::new(id.to_string())),
        Err(NoId::Reserved(word)) => nothing(format!("`{word}` is a word of the format and names no step")),
        Err(NoId::TooLarge) => nothing(format!(
            "`{}` is larger than any number that a step can have",
            short(text)
        )),
        Err(NoId::Shape) => match id::prefix(text) {
            Ok((id, length))
                if length == text.len()
                    && text.starts_with('0')
                    && id.step != Part::Number(0)
                    && id.substep.is_none() =>
            {
                Ok(StepId::new(text))
            }
            _ => nothing(format!("`{}` is no identifier of a step", short(text))),
        },
    }
}

fn unknown(text: &str, word: &str) -> Broken {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let upper = bare.to_uppercase();
    let meant = ACTIONS.contains(&upper.as_str()).then(|| {
        let inner = text.trim_matches('`');
        let rest = inner[inner.len().min(word.trim_matches('`').len())..].trim();
        format!("{upper} {rest}").trim_end().to_owned()
    });
    let meant = meant.filter(|meant| action_of(meant).is_ok());
    broken(format!("`{}` is no action", short(word)), FORMS.to_owned() + ".", meant)
}

fn short(text: &str) -> String {
    const MOST: usize = 40;
    let line = text.lines().next().unwrap_or("");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
