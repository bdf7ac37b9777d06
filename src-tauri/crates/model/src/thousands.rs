//! Numbers that people write in two ways: `5.000` is five thousand to some and five to others.

/// What is to be said of a text whose points or commas may stand between thousands; `None`: it can be read in one way only, or is no number.
pub fn doubt(text: &str) -> Option<String> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let mut groups = digits.split(['.', ',']);
    let first = groups.next()?;
    let groups: Vec<&str> = groups.collect();
    let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    // No number of thousands begins with a zero: `0.125` is a part of one.
    let leads = (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0');
    if !leads || groups.is_empty() || groups.iter().any(|group| group.len() != 3 || !is_digits(group)) {
        return None;
    }
    let whole = format!("{sign}{first}{}", groups.concat());
    let behind = groups[0].trim_end_matches('0');
    Some(match groups.as_slice() {
        [_] if behind.is_empty() => {
            let few = format!("{sign}{first}");
            let or = match called(&few) {
                Some(word) => format!("{few} for {word}"),
                None => format!("{few} if that is meant"),
            };
            format!("`{text}` can be read as {whole} and as {few}. Write {whole}, or {or}")
        }
        [_] => {
            let part = format!("{sign}{first}.{behind}");
            // Written with three digits behind the point it would be in doubt again.
            let plain = if behind.len() == 3 { "0" } else { "" };
            format!("`{text}` can be read as {whole} and as {part}. Write {whole}, or {part}{plain} if that is meant")
        }
        _ => format!(
            "`{text}` is no number here, because points and commas do not stand between thousands. Write {whole}"
        ),
    })
}

/// A number in words where there is a short one.
fn called(number: &str) -> Option<&'static str> {
    const WORDS: [&str; 9] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let at = number.parse::<usize>().ok()?.checked_sub(1)?;
    WORDS.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::doubt;

    #[test]
    fn what_can_be_read_in_two_ways_is_named_with_both() {
        let said = |text| doubt(text).unwrap_or_default();
        assert_eq!(
            said("5.000"),
            "`5.000` can be read as 5000 and as 5. Write 5000, or 5 for five"
        );
        assert_eq!(
            said(" 5,000 "),
            "`5,000` can be read as 5000 and as 5. Write 5000, or 5 for five"
        );
        assert_eq!(
            said("-12.500"),
            "`-12.500` can be read as -12500 and as -12.5. Write -12500, or -12.5 if that is meant"
        );
        assert_eq!(
            said("20.000"),
            "`20.000` can be read as 20000 and as 20. Write 20000, or 20 if that is meant"
        );
        assert_eq!(
            said("1.234"),
            "`1.234` can be read as 1234 and as 1.234. Write 1234, or 1.2340 if that is meant"
        );
        assert_eq!(
            said("1.234.567"),
            "`1.234.567` is no number here, because points and commas do not stand between thousands. Write 1234567"
        );
        for plain in [
            "5", "5.5", "0.25", "5.25", "0.125", "5000", "5.0000", "1.2340", "1.5.000", "v1.000", "", "-", ".000", "5.",
        ] {
            assert_eq!(doubt(plain), None, "{plain}");
        }
    }
}
