//! What a text is called where a name takes letters, digits and hyphens alone: files, and the ids of steps.

/// The name of a file for a title: lower case, words with `-` between. `None` where nothing of it can stand in a name.
pub fn name_of_file(title: &str) -> Option<String> {
    const MOST: usize = 60;
    let mut out = String::new();
    for c in title.trim().chars() {
        let c: String = match c {
            'ä' | 'Ä' => "ae".to_owned(),
            'ö' | 'Ö' => "oe".to_owned(),
            'ü' | 'Ü' => "ue".to_owned(),
            'ß' => "ss".to_owned(),
            c if c.is_alphanumeric() => c.to_lowercase().collect(),
            _ => "-".to_owned(),
        };
        if c != "-" || !(out.is_empty() || out.ends_with('-')) {
            out.push_str(&c);
        }
        if out.chars().count() >= MOST {
            break;
        }
    }
    let out = out.trim_matches('-');
    (!out.is_empty()).then(|| out.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_a_name() {
        assert_eq!(
            name_of_file(" Review by legal: Äpfel & Öl "),
            Some("review-by-legal-aepfel-oel".to_owned())
        );
        assert_eq!(name_of_file("../.."), None);
        assert_eq!(name_of_file(""), None);
    }
}
