//! Programs of `sed`, as far as it matters whether they run another: the command `e`, and the flag `e` of `s`.

/// Whether a program runs another, or cannot be read.
pub(super) fn runs_another(program: &str) -> bool {
    let mut rest = program;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
        if rest.is_empty() {
            return false;
        }
        let Some(command) = addressed(rest) else { return true };
        let mut chars = command.chars();
        let after = match chars.next() {
            Some('s') => match sections(chars.as_str()) {
                Some(flags) => {
                    let end = flags.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(flags.len());
                    // Behind `w` stands the name of a file.
                    let (given, more) = flags.split_at(flags[..end].find('w').unwrap_or(end));
                    if given.contains('e') {
                        return true;
                    }
                    if more.starts_with('w') { line(more) } else { more }
                }
                None => return true,
            },
            Some('y') => match sections(chars.as_str()) {
                Some(more) => more,
                None => return true,
            },
            Some('a' | 'i' | 'c' | 'r' | 'R' | 'w' | 'W' | '#') => line(command),
            Some(':' | 'b' | 't' | 'T') => command.find([';', '\n', '}']).map_or("", |end| &command[end..]),
            Some(
                'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'q' | 'Q' | 'l' | 'L' | '=' | 'z'
                | 'F',
            ) => {
                let more = chars.as_str();
                more.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')
            }
            // An address alone is an error; `e` runs a program, and what is not known may.
            Some('{') => chars.as_str(),
            _ => return true,
        };
        // A command ends with its line or with a sign.
        if !after.is_empty() && !after.starts_with([';', '}', '\n', '{', ' ', '#']) && !command.starts_with('{') {
            return true;
        }
        rest = after;
    }
}

/// What stands behind the addresses of a command.
fn addressed(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = match rest.chars().next()? {
            '0'..='9' | '$' | ',' | '~' | '+' | '!' | ' ' | '\t' => &rest[1..],
            // Something unknown with a command behind it is an address.
            unknown @ '\u{f8ff}' => &rest[unknown.len_utf8()..],
            '/' => closed(&rest[1..], '/')?.trim_start_matches(['I', 'M']),
            '\\' => {
                let sign = rest[1..].chars().next()?;
                closed(&rest[1 + sign.len_utf8()..], sign)?.trim_start_matches(['I', 'M'])
            }
            _ => return Some(rest),
        };
    }
}

/// What stands behind the two sections of `s` and `y`.
fn sections(text: &str) -> Option<&str> {
    let sign = text.chars().next()?;
    closed(closed(&text[sign.len_utf8()..], sign)?, sign)
}

/// What stands behind the next sign that is not escaped.
fn closed(text: &str, sign: char) -> Option<&str> {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c == sign => return Some(chars.as_str()),
            '\\' => drop(chars.next()),
            _ => {}
        }
    }
    None
}

/// What stands behind this line; one that ends with a backslash goes on in the next.
fn line(text: &str) -> &str {
    let mut ends = text.match_indices('\n').map(|(at, _)| at);
    ends.find(|at| !text[..*at].ends_with('\\'))
        .map_or("", |at| &text[at..])
}
