//! Paths as text: where they lead without looking at the disk.

use crate::text::Bit;

/// Where a path leads, as far as its text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Below the project's folder.
    Inside,
    /// An absolute path, one of a home folder, or one that `..` leads out of the project.
    Outside,
    /// It begins with something unknown, or `..` follows something unknown.
    Unknown,
}

/// Takes `.`, `//` and `x/..` out of a path, and backslashes as separators never (they are characters here). What follows `..` after an
/// unknown part stays as it is. Linear in the length of the path.
pub(crate) fn normal(path: &[Bit]) -> Vec<Bit> {
    const SLASH: Bit = Bit::Char('/');
    const UP: [Bit; 2] = [Bit::Char('.'); 2];
    let absolute = path.first() == Some(&SLASH);
    let mut parts: Vec<&[Bit]> = Vec::new();
    for part in path.split(|b| *b == SLASH) {
        if part.is_empty() || part == [Bit::Char('.')] {
            continue;
        }
        // `~/..`, `$X/..` and `../..` lead somewhere that text alone does not tell.
        let firm =
            |p: &&[Bit]| *p != UP && !p.contains(&Bit::Any) && p.first() != Some(&Bit::Char('~')) && !may_lead_up(p);
        match (part == UP, parts.last()) {
            (true, Some(last)) if firm(last) => drop(parts.pop()),
            (true, None) if absolute => {}
            _ => parts.push(part),
        }
    }
    let mut out = Vec::with_capacity(path.len());
    if absolute {
        out.push(SLASH);
    }
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            out.push(SLASH);
        }
        out.extend_from_slice(part);
    }
    if out.is_empty() && !path.is_empty() {
        out.push(Bit::Char('.'));
    }
    out
}

/// Where a [`normal`] path leads.
pub(crate) fn place(path: &[Bit]) -> Place {
    match path {
        [Bit::Any, ..] => Place::Unknown,
        [Bit::Char('/' | '~'), ..] => Place::Outside,
        [Bit::Char('.'), Bit::Char('.')] | [Bit::Char('.'), Bit::Char('.'), Bit::Char('/'), ..] => Place::Outside,
        // C:\x and C:/x
        [Bit::Char(c), Bit::Char(':'), Bit::Char('/' | '\\'), ..] if c.is_ascii_alphabetic() => Place::Outside,
        // `*` may be `..` only when it is written with dots, but `$X` may hold `../..`.
        _ if path.contains(&Bit::Any) => Place::Unknown,
        _ if path.split(|b| *b == Bit::Char('/')).any(may_lead_up) => Place::Unknown,
        _ => Place::Inside,
    }
}

/// Whether a pattern of names (`.?`, `.*`) may mean `..`, as it does to some shells.
fn may_lead_up(part: &[Bit]) -> bool {
    let [Bit::Char('.'), rest @ ..] = part else {
        return false;
    };
    let wild = |b: &Bit| matches!(b, Bit::One | Bit::Star);
    let letters = rest.iter().filter(|b| !matches!(b, Bit::Star)).count();
    rest.iter().any(wild) && rest.iter().all(|b| wild(b) || *b == Bit::Char('.')) && letters <= 1
}
