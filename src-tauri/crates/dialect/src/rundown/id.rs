//! Identifiers of steps and substeps, as headings and GOTO write them (seed 002 "Identifiers").

use std::fmt;

/// Words that name no step (seed 002 "Named Steps"); compared with case.
pub(super) const RESERVED: [&str; 12] = [
    "NEXT", "CONTINUE", "COMPLETE", "STOP", "GOTO", "RETRY", "PASS", "FAIL", "YES", "NO", "ALL", "ANY",
];

/// One part of an identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// `3`.
    Number(u32),
    /// `{N}` of a step, `{n}` of a substep.
    Dynamic,
    Name(String),
}

/// A whole identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Id {
    pub(super) step: Part,
    pub(super) substep: Option<Part>,
}

impl Id {
    /// The part that tells it from its siblings.
    pub(super) fn last(&self) -> &Part {
        self.substep.as_ref().unwrap_or(&self.step)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.step {
            Part::Number(n) => write!(f, "{n}")?,
            Part::Dynamic => f.write_str("{N}")?,
            Part::Name(name) => f.write_str(name)?,
        }
        match &self.substep {
            None => Ok(()),
            Some(Part::Number(n)) => write!(f, ".{n}"),
            Some(Part::Dynamic) => f.write_str(".{n}"),
            Some(Part::Name(name)) => write!(f, ".{name}"),
        }
    }
}

/// Why a text is no identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoId {
    /// A name that is a word of the format.
    Reserved(&'static str),
    /// A number that is larger than any that is counted with.
    TooLarge,
    /// Nothing that could be one.
    Shape,
}

/// Reads one part from the beginning of a text; gives it and its length in bytes.
fn part(text: &str, dynamic: &str) -> Result<(Part, usize), NoId> {
    if text.starts_with(dynamic) {
        return Ok((Part::Dynamic, dynamic.len()));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let number = text[..digits].parse().map_err(|_| NoId::TooLarge)?;
        return Ok((Part::Number(number), digits));
    }
    let length = text
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    let name = &text[..length];
    if name.is_empty() {
        return Err(NoId::Shape);
    }
    match RESERVED.iter().find(|word| **word == name) {
        Some(word) => Err(NoId::Reserved(word)),
        None => Ok((Part::Name(name.to_owned()), length)),
    }
}

/// Reads an identifier from the beginning of a text; gives it and its length in bytes. What follows is the caller's.
pub(super) fn prefix(text: &str) -> Result<(Id, usize), NoId> {
    let (step, mut at) = part(text, "{N}")?;
    let mut substep = None;
    if let Some(rest) = text[at..].strip_prefix('.') {
        match part(rest, "{n}") {
            Ok((part, length)) => {
                substep = Some(part);
                at += 1 + length;
            }
            Err(why @ (NoId::Reserved(_) | NoId::TooLarge)) => return Err(why),
            Err(NoId::Shape) => {}
        }
    }
    Ok((Id { step, substep }, at))
}

/// Reads a text that is an identifier and nothing else. Numbers begin at 1 and carry no zeros in front.
pub(super) fn whole(text: &str) -> Result<Id, NoId> {
    let (id, length) = prefix(text)?;
    if length != text.len()
        || id.to_string() != text
        || [Some(&id.step), id.substep.as_ref()].contains(&Some(&Part::Number(0)))
    {
        return Err(NoId::Shape);
    }
    Ok(id)
}

/// The rest of an identifier behind that of the step that it is, or lies in.
pub(super) fn inside<'i>(id: &'i str, around: &str) -> Option<&'i str> {
    let rest = id.strip_prefix(around)?;
    (rest.is_empty() || rest.starts_with('.')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_the_table_is_read_and_written() {
        for text in [
            "1",
            "1.1",
            "1.{n}",
            "{N}",
            "{N}.1",
            "{N}.{n}",
            "Name",
            "1.Name",
            "{N}.Name",
            "Name.Name",
            "_a1.2",
        ] {
            assert_eq!(whole(text).map(|id| id.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn what_is_none_is_told_why() {
        for text in [
            "",
            "0",
            "01",
            "1.0",
            "1.1.1",
            "{n}",
            "{ N }",
            "1.{N}",
            "a-b",
            "١",
            "NEXT.1x.y",
        ] {
            assert!(whole(text).is_err(), "{text}");
        }
        for text in ["4294967296", "1.4294967296", "99999999999999999999", "{N}.4294967296"] {
            assert_eq!(whole(text), Err(NoId::TooLarge), "{text}");
        }
        assert!(whole("4294967295").is_ok());
        assert_eq!(whole("STOP"), Err(NoId::Reserved("STOP")));
        assert_eq!(whole("1.STOP"), Err(NoId::Reserved("STOP")));
        assert!(whole("Stop").is_ok());
    }
}
