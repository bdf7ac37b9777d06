//! Personal data: mail addresses, telephone numbers, numbers of persons, accounts and cards.

use crate::iban;
use crate::patterns::{BuiltIn, Look, around, is_apart, is_joined, is_own_number};
use std::ops::Range;
use std::sync::OnceLock;

/// In the order in which they are believed: where two fit the same place, the first counts.
pub(crate) static PERSONAL: [BuiltIn; 5] = [
    BuiltIn {
        name: "iban",
        // In groups, and perhaps broken at the end of a line, whose next one may be indented.
        pattern: r"(?i)(?-u:\b)[a-z]{2}[0-9]{2}(?:(?:[ \t.-]|[ \t.-]?\r?\n[ \t]{0,24})?[a-z0-9]){11,30}",
        look: bank_account,
        numbers: false,
        regex: OnceLock::new(),
    },
    BuiltIn {
        name: "credit_card",
        pattern: r"(?-u:\b)[2-6](?:(?:[ -]|[ -]?\r?\n[ \t]{0,24})?[0-9]){12,18}",
        look: card,
        numbers: true,
        regex: OnceLock::new(),
    },
    BuiltIn {
        name: "ssn",
        pattern: r"(?-u:\b)[0-9]{3}(?:-[0-9]{2}-| [0-9]{2} )[0-9]{4}",
        look: person,
        numbers: false,
        regex: OnceLock::new(),
    },
    BuiltIn {
        name: "email",
        pattern: r"[A-Za-z0-9._%+'-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}",
        look: mail,
        numbers: false,
        regex: OnceLock::new(),
    },
    BuiltIn {
        name: "phone",
        pattern: r"\+[1-9](?:[ ().-]{0,2}[0-9]){7,14}|(?:(?-u:\b)1[-. ]?)?(?:\([2-9][0-9]{2}\) ?|(?-u:\b)[2-9][0-9]{2}[-. ]?)[0-9]{3}[-. ]?[0-9]{4}",
        look: telephone,
        numbers: false,
        regex: OnceLock::new(),
    },
];

fn bank_account(text: &str, place: Range<usize>) -> Look {
    let Some(length) = iban::length(&text[place.clone()]) else {
        return Look::NotHere;
    };
    let place = place.start..place.start + length;
    // Of a longer chain that such signs join (a UUID) some part has the right check digits now and then.
    let is_part = text[place.clone()].contains(['-', '.']) && is_joined(text, &place);
    Look::when(is_apart(text, &place) && !is_part, place)
}

fn person(text: &str, place: Range<usize>) -> Look {
    let number = &text[place.clone()];
    let (area, group, serial) = (&number[..3], &number[4..6], &number[7..]);
    let issued = !matches!(area, "000" | "666") && group != "00" && serial != "0000";
    Look::when(issued && is_own_number(text, &place), place)
}

/// `git@host:path` is where code lies, and `scheme://name:password@host` is for the secrets: neither is anybody's address.
fn mail(text: &str, place: Range<usize>) -> Look {
    let (_, behind) = around(text, &place);
    let is_code = text[place.clone()].starts_with("git@") && matches!(behind, Some(':' | '/'));
    let mut before = text[..place.start].chars().rev().take(100);
    let _ = before.find(|c| matches!(c, '/' | ' ' | '\n'));
    let is_password = text[..place.start].ends_with(':') && before.next() == Some('/') && before.next() == Some(':');
    // `icon@2x.png` is a picture for screens of twice the points.
    let is_picture = text[place.clone()]
        .rsplit_once('@')
        .and_then(|(_, host)| host.split_once("x."))
        .is_some_and(|(scale, ending)| {
            scale.bytes().all(|b| b.is_ascii_digit()) && ["gif", "jpg", "png", "svg", "webp"].contains(&ending)
        });
    if is_code || is_password || is_picture {
        Look::NotInside
    } else {
        Look::Counts(place)
    }
}

fn telephone(text: &str, place: Range<usize>) -> Look {
    Look::when(is_own_number(text, &place), place)
}

/// The longest number of a card that begins here: a prefix and a length that are given out, and the check digit.
fn card(text: &str, place: Range<usize>) -> Look {
    let (mut digits, mut ends, mut count) = ([0_u32; 19], [0_usize; 19], 0);
    for (at, c) in text[place.clone()].char_indices() {
        if let Some(digit) = c.to_digit(10) {
            (digits[count], ends[count]) = (digit, place.start + at + 1);
            count += 1;
        }
    }
    let fits = |length: &usize| {
        let number = &digits[..*length];
        let place = place.start..ends[length - 1];
        is_issued(number)
            && luhn(number)
            && is_own_number(text, &place)
            && is_grouped(&text[place.clone()])
            && is_no_column(text, &place)
    };
    match (13..=count).rev().find(fits) {
        Some(length) => Look::Counts(place.start..ends[length - 1]),
        None => Look::NotHere,
    }
}

/// Whether the blanks in a number stand where they do on a card, or behind every digit: of what stands in a row of numbers one in ten has the
/// right check digit.
fn is_grouped(number: &str) -> bool {
    if number.contains('\n') || !number.contains(' ') {
        return true;
    }
    let groups: Vec<usize> = number.split([' ', '-']).map(str::len).collect();
    let fours = groups
        .split_last()
        .is_some_and(|(last, rest)| *last <= 4 && rest.iter().all(|length| *length == 4));
    fours || groups == [4, 6, 5] || groups == [4, 6, 4] || groups.iter().all(|length| *length == 1)
}

/// Whether a number is not made of those that stand below each other: the end of a line breaks it once at most, between groups of four, and
/// a word stands before it in its line. One check digit says little against a table of numbers.
fn is_no_column(text: &str, place: &Range<usize>) -> bool {
    let Some((first, rest)) = text[place.clone()].split_once('\n') else {
        return true;
    };
    let fours = |part: &str| {
        let mut groups = part.split([' ', '-', '\t', '\r']).filter(|group| !group.is_empty());
        groups.all(|group| group.len() == 4)
    };
    let line = text[..place.start].chars().rev().take(200);
    !rest.contains('\n') && fours(first) && fours(rest) && line.take_while(|c| *c != '\n').any(char::is_alphabetic)
}

fn is_issued(number: &[u32]) -> bool {
    let head = |n: usize| number[..n].iter().fold(0, |sum, digit| sum * 10 + digit);
    match (head(1), number.len()) {
        (4, 13 | 16 | 19) => true,
        (2, 16) => (2221..=2720).contains(&head(4)) || (2200..=2204).contains(&head(4)),
        (3, 15) => matches!(head(2), 34 | 37),
        (3, 14) => matches!(head(2), 36 | 38 | 39) || (300..=305).contains(&head(3)),
        (3, 16..=19) => (3528..=3589).contains(&head(4)),
        (5, 16) => (51..=55).contains(&head(2)),
        (5 | 6, 13..=19) => {
            matches!(head(4), 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763 | 6011)
                || matches!(head(2), 62 | 64 | 65)
        }
        _ => false,
    }
}

fn luhn(number: &[u32]) -> bool {
    let sum: u32 = number
        .iter()
        .rev()
        .enumerate()
        .map(|(i, digit)| {
            if i % 2 == 0 {
                *digit
            } else {
                digit * 2 - if *digit > 4 { 9 } else { 0 }
            }
        })
        .sum();
    sum.is_multiple_of(10) && number.iter().any(|d| *d != 0)
}

/// What may be seen of personal data: enough to find it, too little to use it.
pub(crate) fn shown(found: &str) -> String {
    if let Some((name, host)) = found.split_once('@').filter(|(name, _)| !name.is_empty()) {
        let first: String = name.chars().take(1).collect();
        return format!("{first}•••@{}", host.chars().take(80).collect::<String>());
    }
    let count = found.chars().count();
    let last: String = found.chars().skip(count.saturating_sub(2)).collect();
    if count < 6 {
        "•••".to_owned()
    } else {
        format!("•••{last}")
    }
}
