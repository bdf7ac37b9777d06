//! The numbers in front of paragraphs, which stand nowhere in a document: they are counted as Word counts them. People refer to clauses by them.

use crate::text::word::look::{Marks, Styles};
use crate::text::word::xml::Element;
use std::collections::{BTreeMap, BTreeSet};

/// Lists have so many levels.
const LEVELS: usize = 9;
/// No number is larger; as a letter it is none beyond that.
const LARGEST: i64 = 32_767;
const LARGEST_LETTER: i64 = 26 * 30;

/// How one level of a list is numbered.
#[derive(Debug, Clone, Default)]
struct Level {
    start: i64,
    format: String,
    /// What is printed; `%1` stands for the number of the first level.
    text: String,
    /// The level, from 1, behind which it begins anew; `0`: it never does. Nothing: behind every higher one.
    restart: Option<usize>,
    /// All numbers in it are digits.
    is_legal: bool,
    /// Nobody sees its numbers on paper.
    is_unseen: bool,
    /// The style whose paragraphs stand on this level.
    style: Option<String>,
}

type Levels = BTreeMap<usize, Level>;

/// How lists are numbered of which several may be counted together.
#[derive(Debug, Default)]
struct Plan {
    levels: Levels,
    /// The style whose list says it instead.
    link: Option<String>,
}

/// A list: its plan, and what is otherwise in it.
#[derive(Debug, Default)]
struct List {
    plan: String,
    starts: BTreeMap<usize, i64>,
    levels: Levels,
}

/// All lists of a document.
#[derive(Debug, Default)]
pub struct Lists {
    plans: BTreeMap<String, Plan>,
    lists: BTreeMap<String, List>,
}

/// How far the paragraphs so far have been counted.
#[derive(Debug, Default)]
pub struct Counted {
    at: BTreeMap<String, [Option<i64>; LEVELS]>,
    /// Lists and levels that have begun with a number of their own.
    begun: BTreeSet<(String, usize)>,
}

impl Lists {
    pub fn of(root: &Element<'_>) -> Self {
        let mut found = Self::default();
        for one in root.elements() {
            match (one.name(), one.get("abstractNumId"), one.get("numId")) {
                ("abstractNum", Some(id), _) => {
                    let plan = Plan {
                        levels: one.elements().filter_map(level).collect(),
                        link: one.said("numStyleLink"),
                    };
                    found.plans.insert(id, plan);
                }
                ("num", _, Some(id)) => {
                    let mut list = List {
                        plan: one.said("abstractNumId").unwrap_or_default(),
                        ..List::default()
                    };
                    for other in one.elements().filter(|one| one.name() == "lvlOverride") {
                        let Some(at) = place(other) else {
                            continue;
                        };
                        if let Some(start) = other.said("startOverride") {
                            list.starts.insert(at, number(&start));
                        }
                        list.levels.extend(other.elements().filter_map(level));
                    }
                    found.lists.insert(id, list);
                }
                _ => {}
            }
        }
        found
    }

    /// The list of that id, with its plan and the plan's name.
    fn list<'l>(&'l self, id: &str, styles: &Styles) -> Option<(&'l List, &'l str, &'l Plan)> {
        let list = self.lists.get(id)?;
        let plan = self.plans.get(&list.plan)?;
        let linked = plan.link.as_ref().and_then(|style| {
            let other = self.lists.get(&styles.get(style).in_list.list?)?;
            Some((other.plan.as_str(), self.plans.get(&other.plan)?))
        });
        let (name, plan) = linked.unwrap_or((list.plan.as_str(), plan));
        Some((list, name, plan))
    }

    /// The level on which paragraphs of a style stand in a list.
    pub fn level_of(&self, id: &str, style: &str, styles: &Styles) -> Option<usize> {
        let (list, _, plan) = self.list(id, styles)?;
        let mut all = list.levels.iter().chain(&plan.levels);
        let named = all.find(|(_, level)| level.style.as_deref() == Some(style));
        named.map(|(at, _)| *at)
    }

    /// What is printed in front of the next paragraph of a list.
    pub fn printed(&self, id: &str, at: usize, styles: &Styles, counted: &mut Counted) -> Option<String> {
        let (list, name, plan) = self.list(id, styles)?;
        let level = |at: usize| list.levels.get(&at).or_else(|| plan.levels.get(&at));
        let own = level(at)?;
        let numbers = counted.at.entry(name.to_owned()).or_default();
        let anew = list.starts.get(&at).copied();
        let next = match (anew, numbers[at]) {
            (Some(start), _) if counted.begun.insert((id.to_owned(), at)) => start,
            (_, Some(last)) => (last + 1).min(LARGEST),
            (_, None) => anew.unwrap_or(own.start),
        };
        numbers[at] = Some(next);
        for (below, number) in numbers.iter_mut().enumerate().skip(at + 1) {
            let restarts = match level(below).and_then(|level| level.restart) {
                Some(behind) => at < behind,
                None => true,
            };
            if restarts {
                *number = None;
            }
        }
        if own.format == "bullet" {
            return Some(own.text.chars().map(drawn).collect());
        }
        let mut out = String::new();
        let mut signs = own.text.chars().peekable();
        while let Some(sign) = signs.next() {
            let named = signs.peek().and_then(|next| next.to_digit(10)).filter(|next| *next > 0);
            let Some(named) = named.filter(|_| sign == '%') else {
                out.push(drawn(sign));
                continue;
            };
            signs.next();
            let of = named as usize - 1;
            let of_level = level(of);
            // A level that has not come yet counts as begun.
            let number = numbers[of].or_else(|| of_level.map(|level| level.start)).unwrap_or(1);
            let format = of_level.map_or("decimal", |level| level.format.as_str());
            out.push_str(&written(number, if own.is_legal { "decimal" } else { format }));
        }
        Some(match own.is_unseen && !out.is_empty() {
            true => format!("[number that nobody sees: {out}]"),
            false => out,
        })
    }
}

/// A level of a list with its place.
fn level(element: &Element<'_>) -> Option<(usize, Level)> {
    if element.name() != "lvl" {
        return None;
    }
    let said = |name: &str| element.said(name);
    let is_legal = element
        .child("isLgl")
        .is_some_and(|one| !matches!(one.val().as_deref(), Some("0" | "false" | "off")));
    let level = Level {
        start: said("start").map_or(0, |start| number(&start)),
        format: said("numFmt").unwrap_or_else(|| "decimal".to_owned()),
        text: said("lvlText").unwrap_or_default(),
        restart: said("lvlRestart").and_then(|behind| behind.parse().ok()),
        is_legal,
        is_unseen: Marks::of(element.child("rPr")).are_unseen(),
        style: said("pStyle"),
    };
    Some((place(element)?, level))
}

fn place(element: &Element<'_>) -> Option<usize> {
    let at = element.get("ilvl")?.parse().ok()?;
    (at < LEVELS).then_some(at)
}

fn number(text: &str) -> i64 {
    text.parse().unwrap_or(1).clamp(0, LARGEST)
}

/// A sign of a font of signs, which has no letter of its own, as a bullet.
fn drawn(sign: char) -> char {
    match sign {
        '\u{f0a7}' => '▪',
        '\u{f0fc}' => '✓',
        '\u{f000}'..='\u{f0ff}' => '•',
        sign => sign,
    }
}

/// A number as it is printed. A way of counting that is not known here is named behind it.
pub fn written(number: i64, format: &str) -> String {
    let letters = |first: u8| {
        let at = (number - 1).rem_euclid(26) as u8;
        let times = (number - 1) / 26 + 1;
        char::from(first + at).to_string().repeat(times.max(0) as usize)
    };
    match format {
        "decimal" => number.to_string(),
        "decimalZero" => format!("{number:02}"),
        "none" => String::new(),
        "lowerLetter" if (1..=LARGEST_LETTER).contains(&number) => letters(b'a'),
        "upperLetter" if (1..=LARGEST_LETTER).contains(&number) => letters(b'A'),
        "lowerRoman" if (1..4_000).contains(&number) => roman(number).to_lowercase(),
        "upperRoman" if (1..4_000).contains(&number) => roman(number),
        "ordinal" => {
            let ending = match (number % 100, number % 10) {
                (11..=13, _) => "th",
                (_, 1) => "st",
                (_, 2) => "nd",
                (_, 3) => "rd",
                _ => "th",
            };
            format!("{number}{ending}")
        }
        _ => format!("{number} [{format}]"),
    }
}

fn roman(mut number: i64) -> String {
    const SIGNS: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut out = String::new();
    for (worth, sign) in SIGNS {
        while number >= worth {
            out.push_str(sign);
            number -= worth;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn numbers_are_written_as_they_are_printed() {
        for (number, format, printed) in [
            (4, "decimal", "4"),
            (4, "decimalZero", "04"),
            (1, "lowerLetter", "a"),
            (26, "lowerLetter", "z"),
            (27, "lowerLetter", "aa"),
            (54, "upperLetter", "BBB"),
            (4, "lowerRoman", "iv"),
            (1999, "upperRoman", "MCMXCIX"),
            (11, "ordinal", "11th"),
            (22, "ordinal", "22nd"),
            (0, "lowerLetter", "0 [lowerLetter]"),
            (32_767, "upperLetter", "32767 [upperLetter]"),
            (3, "chicago", "3 [chicago]"),
            (3, "none", ""),
        ] {
            assert_eq!(written(number, format), printed, "{number} {format}");
        }
    }
}
