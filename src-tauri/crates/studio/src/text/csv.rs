//! Tables of values with commas between them, which programs for tables open.

/// One row.
pub(crate) fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|one| cell(one)).collect();
    format!("{}\r\n", cells.join(","))
}

/// One value. What begins like a formula would be computed by the program that opens the table: it stays a text.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    match text.contains([',', ';', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_value_stays_one_value_and_is_never_computed() {
        assert_eq!(cell("a claim"), "a claim");
        assert_eq!(cell("He said “yes”, and left"), "\"He said “yes”, and left\"");
        assert_eq!(cell("a \"b\"\nc"), "\"a \"\"b\"\"\nc\"");
        assert_eq!(cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(cell("-1+2,3"), "\"'-1+2,3\"");
    }
}
