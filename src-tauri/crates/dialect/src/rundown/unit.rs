//! A step or substep as the file has it: its heading and, in the order written, its parts.

use super::blocks::{Block, BlockKind, Item};
use super::front::lines;
use super::glued::{Glued, glued};
use super::heading::{self, Heading};
use super::html::{self, Holds};
use super::name::ENDINGS;
use super::transition::{self, Broken, Line, Read, Slip};
use crate::fields::is_gate;
use crate::text::Span;

/// One step or substep.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Where it begins: at the comments directly above its heading.
    pub(super) head: usize,
    pub(super) heading: Heading,
    /// The end of its own part, without the comments above the next heading: of a step with substeps, before the first of them.
    pub(super) own_end: usize,
    /// The end with everything in it.
    pub(super) end: usize,
    /// The step around a substep, by position.
    pub(super) parent: Option<usize>,
    pub(super) parts: Vec<Part>,
    pub(super) transitions: Vec<Read>,
    pub(super) broken: Vec<(Span, Broken)>,
    /// Directives of later files, which are not carried out.
    pub(super) later: Vec<(Span, &'static str)>,
    pub(super) files: Vec<(Span, String)>,
    /// Items and lines that are read as text and were probably meant as more.
    pub(super) meant: Vec<(Span, Meant)>,
    pub(super) fences: Vec<Fence>,
    /// HTML blocks that hold more than was probably meant.
    pub(super) html: Vec<Holds>,
    /// Lines of its text that are written like the field of a gate, by its name.
    pub(super) gates: Vec<(Span, String)>,
    pub(super) idle: Vec<(Span, Idle)>,
    /// Headings of a level that there is none of.
    pub(super) deeper: Vec<(Span, u8)>,
    /// Lines of its text that were probably meant as headings.
    pub(super) glued: Vec<Glued>,
}

/// What would be carried out elsewhere, and is a text where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Idle {
    /// A block before the first step.
    Command,
    /// A transition before the first step.
    Transition,
    /// The name of a runbook in a list before the first step.
    File,
    /// A block in a list or a quotation.
    Inner,
}

/// What an item or a line that is read as text was probably meant to be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Meant {
    Transition(Slip),
    /// A transition in a paragraph that holds other words too, by what it begins with.
    InWords(&'static str),
    /// A transition in an item of a list, below its own words, or in a quotation.
    Inner,
    /// A transition for an outcome that no step has, by its first word: `MAYBE: STOP`.
    Outcome(String),
    /// A runbook in a list, by its name, with words behind it.
    File(String),
}

/// A run of blocks that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) kind: PartKind,
    pub(super) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    Prose,
    /// A fence that is shown and does not count as the step's command (`json`, no language).
    Shown,
    /// A fence that counts as the step's command, by its position in `fences`.
    Code(usize),
    Files,
    Transitions,
}

/// A fenced block.
#[derive(Debug, Clone)]
pub(super) struct Fence {
    pub(super) span: Span,
    /// The info string as written.
    pub(super) info: String,
    /// Between the fences, line ends included.
    pub(super) body: Span,
    pub(super) code: String,
    pub(super) closed: bool,
}

/// Languages that are executed, compared exactly (seed 002 "Code Blocks"; `BASH` is not one of them).
const EXECUTED: [&str; 3] = ["bash", "sh", "shell"];

/// The language in the words behind a fence.
fn language(info: &str) -> &str {
    info.split_whitespace().next().unwrap_or("")
}

/// Whether a block with these words behind its fence is executed in a step. One that is marked as a prompt is shown and never executed, in
/// whatever case the mark is written.
fn is_executed(info: &str) -> bool {
    let mut words = info.split_whitespace();
    EXECUTED.contains(&language(info)) && !words.any(|word| word.eq_ignore_ascii_case("prompt"))
}

impl Fence {
    pub(super) fn language(&self) -> &str {
        language(&self.info)
    }
    /// Asks for a terminal: `bash terminal`.
    pub(super) fn wants_terminal(&self) -> bool {
        self.info
            .split_whitespace()
            .skip(1)
            .any(|word| word.eq_ignore_ascii_case("terminal"))
    }
    /// The first word behind the language of a block that is executed which means nothing.
    pub(super) fn strange(&self) -> Option<&str> {
        let mut words = self.info.split_whitespace().skip(1);
        let found = words.find(|word| !word.eq_ignore_ascii_case("terminal"));
        found.filter(|_| self.is_executed())
    }
    pub(super) fn is_executed(&self) -> bool {
        is_executed(&self.info)
    }
    /// Counts as the step's one command. `json prompt` is shown like `json`: only what could be a command counts.
    pub(super) fn counts(&self) -> bool {
        let language = self.language();
        EXECUTED.contains(&language) || language.eq_ignore_ascii_case("prompt")
    }
}

impl Unit {
    /// Its text up to a place, with the comments that speak of it: what is copied or goes elsewhere takes them along.
    pub(super) fn up_to<'t>(&self, text: &'t str, end: usize) -> &'t str {
        &text[self.head..end]
    }
    /// The fence that is executed.
    pub(super) fn command(&self) -> Option<&Fence> {
        self.fences.iter().find(|fence| fence.is_executed())
    }
    /// Prose and shown blocks as regions of the text, those that touch put together.
    pub(super) fn shown(&self) -> Vec<Span> {
        let mut out: Vec<Span> = Vec::new();
        let mut touching = false;
        for part in &self.parts {
            let shown = match part.kind {
                PartKind::Prose | PartKind::Shown => true,
                PartKind::Code(n) => !self.fences[n].is_executed(),
                PartKind::Files | PartKind::Transitions => false,
            };
            match out.last_mut() {
                Some(last) if shown && touching => last.end = part.span.end,
                _ if shown => out.push(part.span),
                _ => {}
            }
            touching = shown;
        }
        out
    }
}

/// What stands before the first step.
#[derive(Debug, Clone, Default)]
pub(super) struct Preamble {
    /// The first H1: the whole heading, its words as written, and as they read.
    pub(super) title: Option<(Span, Span, String)>,
    /// The prose below it (or before the first step where there is no title).
    pub(super) description: Option<Span>,
    /// H1 headings: the whole, the marks (none when underlined), the words as written.
    pub(super) tops: Vec<(Span, Option<Span>, Span)>,
    pub(super) deeper: Vec<(Span, u8)>,
    /// Lines that were probably meant as headings.
    pub(super) glued: Vec<Glued>,
    /// HTML blocks that hold more than was probably meant.
    pub(super) html: Vec<Holds>,
    pub(super) fences: Vec<Fence>,
    /// Lines that are written like the field of a gate, by its name.
    pub(super) gates: Vec<(Span, String)>,
    pub(super) idle: Vec<(Span, Idle)>,
}

/// Gathers blocks into units. `end`: the length of the text.
pub(super) fn gather(text: &str, blocks: Vec<Block>, most: usize) -> (Preamble, Vec<Unit>, usize) {
    let mut preamble = Preamble::default();
    let mut units: Vec<Unit> = Vec::new();
    let mut step: Option<usize> = None;
    let mut left_out = 0;
    let mut above: Option<Above> = None;
    for block in blocks {
        above = match (
            &block.kind,
            above.filter(|above| touches(&text[above.end..block.span.start])),
        ) {
            (BlockKind::Comment, Some(above)) => Some(Above {
                end: block.span.end,
                ..above
            }),
            (BlockKind::Comment, None) => Some(Above {
                start: block.span.start,
                end: block.span.end,
                before: units.last().map(|unit| unit.own_end),
            }),
            (_, above) => above,
        };
        if let BlockKind::Heading {
            level: level @ (2 | 3),
            content,
            words,
            ..
        } = &block.kind
        {
            if units.len() == most {
                left_out += 1;
                continue;
            }
            if *level == 2 {
                step = Some(units.len());
            }
            let above = above.take();
            if let (Some(unit), Some(own_end)) = (units.last_mut(), above.as_ref().and_then(|above| above.before)) {
                unit.own_end = own_end;
            }
            units.push(Unit {
                head: above.map_or(block.span.start, |above| above.start),
                heading: heading::read(text, *level, block.span, *content, words),
                own_end: block.span.end,
                end: block.span.end,
                parent: step.filter(|_| *level == 3),
                parts: Vec::new(),
                transitions: Vec::new(),
                broken: Vec::new(),
                later: Vec::new(),
                files: Vec::new(),
                meant: Vec::new(),
                fences: Vec::new(),
                html: Vec::new(),
                gates: Vec::new(),
                idle: Vec::new(),
                deeper: Vec::new(),
                glued: Vec::new(),
            });
            continue;
        }
        if left_out > 0 {
            continue;
        }
        if let BlockKind::Heading {
            level: 1,
            content,
            marks,
            words,
        } = &block.kind
        {
            preamble.tops.push((block.span, *marks, *content));
            if units.is_empty() && preamble.title.is_none() {
                preamble.title = Some((block.span, *content, words.trim().to_owned()));
                preamble.description = None;
                continue;
            }
        }
        if matches!(block.kind, BlockKind::Comment | BlockKind::Html)
            && let Some(found) = html::holds(text, block.span)
        {
            match units.last_mut() {
                Some(unit) => unit.html.push(found),
                None => preamble.html.push(found),
            }
        }
        match units.last_mut() {
            Some(unit) => unit.take(text, block),
            None => preamble.take(text, block),
        }
    }
    ends(&mut units);
    (preamble, units, left_out)
}

/// Comments one directly below the other, and perhaps directly above a heading.
struct Above {
    start: usize,
    end: usize,
    /// The end of what stands above them in the same step.
    before: Option<usize>,
}

/// Whether no blank line stands between two blocks.
fn touches(between: &str) -> bool {
    between.trim().is_empty() && between.replace("\r\n", "\n").matches(['\n', '\r']).count() <= 1
}

fn ends(units: &mut [Unit]) {
    for n in 0..units.len() {
        let end = units[n].own_end;
        units[n].end = units[n].end.max(end);
        if let Some(parent) = units[n].parent {
            units[parent].end = units[parent].end.max(end);
        }
    }
}

impl Preamble {
    fn take(&mut self, text: &str, block: Block) {
        self.gates.extend(gates_in(text, &block));
        self.glued.extend(glued(text, &block));
        self.idle.extend(inner_commands(&block));
        match block.kind {
            BlockKind::Comment => return,
            BlockKind::Heading { level: level @ 4.., .. } => self.deeper.push((block.span, level)),
            BlockKind::Paragraph if transitions_of(text, block.span).is_some() => {
                self.idle.push((block.span, Idle::Transition));
            }
            BlockKind::List { items } => {
                let idle = items
                    .iter()
                    .filter_map(|item| Some((item.inline, idle_item(text, item)?)));
                self.idle.extend(idle);
            }
            BlockKind::Fence {
                info,
                body,
                code,
                closed,
            } => {
                let fence = Fence {
                    span: block.span,
                    info,
                    body,
                    code,
                    closed,
                };
                if fence.is_executed() {
                    self.idle.push((block.span, Idle::Command));
                }
                self.fences.push(fence);
            }
            _ => {}
        }
        match &mut self.description {
            Some(description) => description.end = block.span.end,
            None => self.description = Some(block.span),
        }
    }
}

/// What an item before the first step would be in a step.
fn idle_item(text: &str, item: &Item) -> Option<Idle> {
    let words = &text[item.inline.start..item.inline.end];
    match transition::read(words, item.inline.start) {
        Line::Transition(_) | Line::Broken(_) | Line::Later(_) => Some(Idle::Transition),
        Line::Prose => file_of(words, item).map(|_| Idle::File),
    }
}

/// The blocks in a list or a quotation that would be executed at the margin.
fn inner_commands(block: &Block) -> impl Iterator<Item = (Span, Idle)> {
    let executed = block.inner.iter().filter(|(_, info)| is_executed(info));
    executed.map(|(span, _)| (*span, Idle::Inner))
}

/// The transitions of a paragraph without bullets, where every line of it is one.
fn transitions_of(text: &str, span: Span) -> Option<Vec<Read>> {
    let mut found = Vec::new();
    let mut at = span.start;
    for line in text[span.start..span.end].split_inclusive(['\n', '\r']) {
        let words = line.trim();
        let from = at + (line.len() - line.trim_start().len());
        at += line.len();
        if words.is_empty() {
            continue;
        }
        match transition::read(words, from) {
            Line::Transition(read) => found.push(read),
            _ => return None,
        }
    }
    Some(found)
}

/// The lines of a paragraph or a list that are written like the field of a gate: `human_gate: required`, also behind a bullet or a box. Not
/// those of a block that an item shows.
fn gates_in(text: &str, block: &Block) -> Vec<(Span, String)> {
    let spans: Vec<Span> = match &block.kind {
        BlockKind::Paragraph => vec![block.span],
        BlockKind::List { items } => items.iter().map(|item| item.span).collect(),
        _ => Vec::new(),
    };
    let each = spans.into_iter();
    each.flat_map(|span| gates(text, span, &block.inner)).collect()
}

fn gates(text: &str, span: Span, shown: &[(Span, String)]) -> Vec<(Span, String)> {
    const MARKS: [char; 8] = [' ', '\t', '-', '*', '+', '_', '`', '>'];
    let mut found = Vec::new();
    for (from, line) in read_lines(text, span, shown) {
        let is_bullet = |c: char| MARKS.contains(&c) || c.is_ascii_digit() || matches!(c, '.' | ')');
        // What begins with a mark of code speaks of the field.
        let item = line.trim_start_matches(|c| is_bullet(c) && c != '`');
        let boxed = ["[ ]", "[x]", "[X]"]
            .into_iter()
            .find_map(|mark| item.strip_prefix(mark));
        let words = boxed
            .unwrap_or(item)
            .trim_start_matches(|c| MARKS.contains(&c) && c != '`');
        let start = from + (line.len() - words.len());
        let words = words.trim_end();
        let Some((name, value)) = words.split_once(':') else {
            continue;
        };
        let name = name.trim_end_matches(MARKS);
        let value = value.trim_matches(['*', '_', '`', '"', '\'', '.', ' ', '\t']);
        let is_name = name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
        if is_name && !value.contains('`') && is_gate(name, value) {
            let end = start + words.len();
            found.push((Span { start, end }, name.to_owned()));
        }
    }
    found
}

impl Unit {
    fn take(&mut self, text: &str, block: Block) {
        self.own_end = self.own_end.max(block.span.end);
        self.gates.extend(gates_in(text, &block));
        self.glued.extend(glued(text, &block));
        self.idle.extend(inner_commands(&block));
        match block.kind {
            BlockKind::Comment => {}
            BlockKind::Heading { level, .. } => {
                if level > 3 {
                    self.deeper.push((block.span, level));
                }
                self.add(PartKind::Prose, block.span);
            }
            BlockKind::Html | BlockKind::Other => self.add(PartKind::Prose, block.span),
            BlockKind::Quotation => {
                self.meant.extend(inner_transitions(text, block.span, &block.inner));
                self.add(PartKind::Prose, block.span);
            }
            BlockKind::Paragraph => self.paragraph(text, block.span),
            BlockKind::List { items } => {
                for item in &items {
                    self.item(text, item, &block.inner);
                }
            }
            BlockKind::Fence {
                info,
                body,
                code,
                closed,
            } => {
                let fence = Fence {
                    span: block.span,
                    info,
                    body,
                    code,
                    closed,
                };
                let kind = if fence.counts() {
                    PartKind::Code(self.fences.len())
                } else {
                    PartKind::Shown
                };
                self.fences.push(fence);
                self.add(kind, block.span);
            }
        }
    }

    fn add(&mut self, kind: PartKind, span: Span) {
        match self.parts.last_mut() {
            Some(last) if last.kind == kind && !matches!(kind, PartKind::Code(_)) => last.span.end = span.end,
            _ => self.parts.push(Part { kind, span }),
        }
    }

    /// Lines without bullets are transitions when every one of them is; else they are prose.
    fn paragraph(&mut self, text: &str, span: Span) {
        match transitions_of(text, span) {
            Some(found) => {
                self.transitions.extend(found);
                self.add(PartKind::Transitions, span);
            }
            None => {
                self.meant.extend(meant_in(text, span));
                self.add(PartKind::Prose, span);
            }
        }
    }

    /// `shown`: the blocks that stand in the list.
    fn item(&mut self, text: &str, item: &Item, shown: &[(Span, String)]) {
        let words = &text[item.inline.start..item.inline.end];
        match transition::read(words, item.inline.start) {
            Line::Transition(_) if item.more => {
                let broken = Broken {
                    nested: false,
                    later: None,
                    said: "Something stands under this transition, and nothing may".to_owned(),
                    help: "A transition is one line. Give what stands under it a place of its own".to_owned(),
                    meant: None,
                    action: item.span,
                };
                self.broken.push((item.inline, broken));
                self.add(PartKind::Transitions, item.span);
            }
            Line::Transition(read) => {
                self.transitions.push(read);
                self.add(PartKind::Transitions, item.span);
            }
            Line::Broken(broken) => {
                self.broken.push((item.inline, broken));
                self.add(PartKind::Transitions, item.span);
            }
            Line::Later(word) => {
                self.later.push((item.inline, word));
                self.add(PartKind::Transitions, item.span);
            }
            Line::Prose => match file_of(words, item) {
                Some(file) => {
                    self.files.push((item.inline, file));
                    self.add(PartKind::Files, item.span);
                }
                None => {
                    if let Some(mut meant) = meant_by(words) {
                        // Nothing may stand under a transition.
                        if let Meant::Transition(slip) = &mut meant
                            && item.more
                        {
                            slip.meant = None;
                        }
                        self.meant.push((item.inline, meant));
                    }
                    let below = below_own_words(text, item);
                    self.meant.extend(inner_transitions(text, below, shown));
                    self.add(PartKind::Prose, item.span);
                }
            },
        }
    }
}

/// The lines of a paragraph that are read as text and were probably meant as transitions. Where nothing else stands in it, those that are written as
/// transitions are none only because of the others.
fn meant_in(text: &str, span: Span) -> Vec<(Span, Meant)> {
    let whole = &text[span.start..span.end];
    let mut found = Vec::new();
    let mut at = span.start;
    for line in lines(whole) {
        let words = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        if let Some(slip) = transition::astray(words) {
            let end = start + words.len();
            found.push((Span { start, end }, slip));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let is_read = |words: &str| matches!(transition::read(words, 0), Line::Transition(_));
    let mut texts = lines(whole).map(str::trim).filter(|words| !words.is_empty());
    let is_alone = texts.all(|words| is_read(words) || transition::astray(words).is_some());
    let meant = |(span, slip): (Span, Slip)| match (is_alone, is_read(&text[span.start..span.end])) {
        (true, true) => None,
        (true, false) => Some((span, Meant::Transition(slip))),
        (false, _) => Some((span, Meant::InWords(slip.word))),
    };
    found.into_iter().filter_map(meant).collect()
}

/// What stands in an item below the line of its own words; all of one that has none.
fn below_own_words(text: &str, item: &Item) -> Span {
    let Span { start, end } = item.span;
    let first = match item.inline.start < item.inline.end {
        true => lines(&text[item.inline.start..end])
            .next()
            .map_or(end, |line| item.inline.start + line.len()),
        false => start,
    };
    Span { start: first, end }
}

/// The lines of an item of a list or a quotation, each with where it begins, without those of a block that is shown there. `shown`: the blocks,
/// in their order.
fn read_lines<'t>(text: &'t str, span: Span, shown: &[(Span, String)]) -> Vec<(usize, &'t str)> {
    let mut shown = &shown[shown.partition_point(|(block, _)| block.end <= span.start)..];
    let mut found = Vec::new();
    let mut at = span.start;
    for line in lines(&text[span.start..span.end]) {
        let from = at;
        at += line.len();
        while let [(block, _), rest @ ..] = shown
            && block.end <= from
        {
            shown = rest;
        }
        if shown.first().is_none_or(|(block, _)| block.start >= at) {
            found.push((from, line));
        }
    }
    found
}

/// The transitions in an item of a list or a quotation, where they are a text to Markdown. Not those of a block that is shown there; `shown`: the
/// blocks, in their order.
fn inner_transitions(text: &str, span: Span, shown: &[(Span, String)]) -> Vec<(Span, Meant)> {
    let mut found = Vec::new();
    for (from, line) in read_lines(text, span, shown) {
        let (behind, is_item) = behind_marks(line);
        let start = from + (line.len() - behind.len());
        let words = behind.trim_end();
        let is_one = match transition::read(words, start) {
            Line::Transition(_) => true,
            // Words may begin like one: `- FAIL: 3 of 20 tests`.
            Line::Broken(broken) => {
                let is_meant = broken.meant.is_some() || broken.later.is_some() || broken.nested;
                is_item && (is_meant || transition::names_an_action(words))
            }
            Line::Prose | Line::Later(_) => false,
        };
        if is_one {
            let end = start + words.len();
            found.push((Span { start, end }, Meant::Inner));
        }
    }
    found
}

/// A line without the marks of lists and quotations before its words, and whether it is an item of a list.
fn behind_marks(line: &str) -> (&str, bool) {
    let mut words = line.trim_start();
    let mut is_item = false;
    loop {
        let unnumbered = words.trim_start_matches(|c: char| c.is_ascii_digit());
        let bullet = match unnumbered.len() < words.len() {
            true => unnumbered.strip_prefix(['.', ')']),
            false => words.strip_prefix(['-', '*', '+']),
        };
        // `-FAIL: STOP`: the blank was forgotten.
        let is_bullet = |behind: &&str| {
            behind.starts_with([' ', '\t']) || words.starts_with('-') && behind.starts_with(char::is_uppercase)
        };
        let item = bullet.filter(is_bullet);
        let Some(behind) = item.or_else(|| words.strip_prefix('>')) else {
            return (words, is_item);
        };
        is_item |= item.is_some();
        words = behind.trim_start();
    }
}

/// What was probably meant by an item that is read as text.
fn meant_by(words: &str) -> Option<Meant> {
    if let Some(slip) = transition::slipped(words) {
        return Some(Meant::Transition(slip));
    }
    if let Some(word) = transition::for_no_outcome(words) {
        return Some(Meant::Outcome(word.to_owned()));
    }
    let words = words.trim_start();
    let link = words.strip_prefix('[').and_then(|behind| behind.split_once("]("));
    let first = match link.and_then(|(_, behind)| behind.split_once(')')) {
        Some((address, _)) => address,
        None => words.split_whitespace().next()?.trim_matches(['`', ':', ',', '*']),
    };
    is_file(first).then(|| Meant::File(first.to_owned()))
}

/// Whether a word is the name of a runbook.
fn is_file(named: &str) -> bool {
    let ends = |ending: &str| named.ends_with(ending) && named.len() > ending.len();
    ENDINGS.into_iter().any(ends) && !named.contains(char::is_whitespace)
}

/// The runbook that an item names: its only word, or the address of its only link.
fn file_of(words: &str, item: &Item) -> Option<String> {
    if item.more {
        return None;
    }
    let named = match &item.link {
        Some(link) => link.clone(),
        None => words.trim_matches('`').to_owned(),
    };
    is_file(&named).then_some(named)
}
