//! The text of `$'…'`, as bash reads it.

use std::iter::Peekable;
use std::str::Chars;

/// What stands between the quotes, escapes replaced: bytes, which end at the first one that is zero. `None`: bash makes of it no text, or another
/// one in another language of its user.
pub(super) fn text(inside: &str) -> Option<String> {
    let mut out: Vec<u8> = Vec::with_capacity(inside.len());
    let mut chars = inside.chars().peekable();
    let mut letter = [0; 4];
    while let Some(c) = chars.next() {
        let byte = match c {
            '\\' => escape(&mut chars, &mut out)?,
            c => Escaped::Text(c),
        };
        match byte {
            Escaped::Byte(0) => break,
            Escaped::Byte(byte) => out.push(byte),
            Escaped::Text(c) => out.extend_from_slice(c.encode_utf8(&mut letter).as_bytes()),
        }
    }
    String::from_utf8(out).ok()
}

enum Escaped {
    Byte(u8),
    Text(char),
}

/// What a backslash and the signs behind it are. Where they are no escape the backslash stays.
fn escape(chars: &mut Peekable<Chars<'_>>, out: &mut Vec<u8>) -> Option<Escaped> {
    let Some(kind) = chars.next() else {
        return Some(Escaped::Byte(b'\\'));
    };
    let byte = match kind {
        'a' => 0x07,
        'b' => 0x08,
        'e' | 'E' => 0x1b,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' | '\'' | '"' | '?' => return Some(Escaped::Text(kind)),
        '0'..='7' => {
            let first = kind.to_digit(8).unwrap_or_default();
            low(number(chars, 8, 2, first).0)
        }
        'x' => {
            let braced = chars.next_if_eq(&'{').is_some();
            let most = if braced { usize::MAX } else { 2 };
            let (value, digits) = number(chars, 16, most, 0);
            if braced {
                chars.next_if_eq(&'}');
            } else if digits == 0 {
                out.push(b'\\');
                return Some(Escaped::Text('x'));
            }
            low(value)
        }
        'u' | 'U' => {
            let (value, digits) = number(chars, 16, if kind == 'u' { 4 } else { 8 }, 0);
            match digits {
                0 => {
                    out.push(b'\\');
                    return Some(Escaped::Text(kind));
                }
                // Beyond ASCII the language of the user says which bytes it becomes.
                _ if value > 0x7f => return None,
                _ => low(value),
            }
        }
        'c' => match chars.next() {
            None => {
                out.push(b'\\');
                return Some(Escaped::Text('c'));
            }
            Some('?') => 0x7f,
            Some(c) if c.is_ascii() => {
                if c == '\\' {
                    chars.next_if_eq(&'\\');
                }
                low(u32::from(c.to_ascii_uppercase())) & 0x1f
            }
            Some(_) => return None,
        },
        other => {
            out.push(b'\\');
            return Some(Escaped::Text(other));
        }
    };
    Some(Escaped::Byte(byte))
}

/// The digits that follow, as a number that goes on from another, and how many there were.
fn number(chars: &mut Peekable<Chars<'_>>, radix: u32, most: usize, from: u32) -> (u32, usize) {
    let (mut value, mut digits) = (from, 0);
    while digits < most
        && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
    {
        value = value.wrapping_mul(radix).wrapping_add(digit);
        digits += 1;
        chars.next();
    }
    (value, digits)
}

fn low(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn as_bash_reads_it() {
        for (inside, read) in [
            ("a\\tb", "a\tb"),
            ("\\'\\\"\\\\\\?", "'\"\\?"),
            ("a\\0b", "a"),
            ("a\\08", "a"),
            ("a\\400/b", "a"),
            ("a\\x00b", "a"),
            ("a\\x{}b", "a"),
            ("a\\x{100}b", "a"),
            ("a\\u0b", "a\u{b}"),
            ("a\\u0000b", "a"),
            ("a\\c@b", "a"),
            ("\\x41\\x{42}\\x{4143}z", "ABCz"),
            ("\\x{2e}.", ".."),
            ("a\\x{4", "a\u{4}"),
            ("\\x|\\xg|\\u|\\ug|\\U|\\c", "\\x|\\xg|\\u|\\ug|\\U|\\c"),
            ("\\ca\\c?\\c\\\\a", "\u{1}\u{7f}\u{1c}a"),
            ("s\\xc3\\xa9cret", "sécret"),
            ("\\303\\251", "é"),
            ("\\u41\\U00000041\\q", "AA\\q"),
            ("é\\é", "é\\é"),
        ] {
            assert_eq!(text(inside).as_deref(), Some(read), "{inside}");
        }
        for inside in ["\\xe9", "\\351x", "\\u00e9", "\\U1F600", "\\cé"] {
            assert_eq!(text(inside), None, "{inside}");
        }
    }
}
