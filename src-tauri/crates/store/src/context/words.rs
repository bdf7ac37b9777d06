//! Words as they are looked for: those of a name are found one by one.

use std::collections::BTreeSet;

/// So many words of a query count.
const MOST_WORDS: usize = 32;

/// Words that say nothing of what is looked for.
const EMPTY: [&str; 40] = [
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how",
    "i", "in", "into", "is", "it", "its", "me", "of", "on", "or", "that", "the", "this", "to", "was", "we", "what",
    "when", "where", "which", "who", "why", "with",
];

/// The words inside the names of a text (`parseConfigFile`: parse, config, file), each once, in order; words that stand alone anyway are
/// not repeated.
pub(super) fn terms(texts: &[&str]) -> String {
    let mut found = BTreeSet::new();
    for text in texts {
        for word in words(text) {
            let parts = parts(word);
            if parts.len() > 1 {
                found.extend(parts.into_iter().map(str::to_lowercase));
            }
        }
    }
    found.into_iter().collect::<Vec<_>>().join(" ")
}

/// The words of a query, each once, in order; those that say nothing are left out unless there are no others.
pub(super) fn of_query(query: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words(query) {
        let parts = parts(word);
        let whole = (parts.len() > 1).then_some(word);
        for part in whole.into_iter().chain(parts) {
            let part = part.to_lowercase();
            if !found.contains(&part) && found.len() < MOST_WORDS {
                found.push(part);
            }
        }
    }
    if found.iter().any(|word| !EMPTY.contains(&word.as_str())) {
        found.retain(|word| !EMPTY.contains(&word.as_str()));
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// `parseHTMLFile2`: parse, HTML, File2.
fn parts(word: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    for at in 1..chars.len() {
        let (before, here) = (chars[at - 1].1, chars[at].1);
        let behind = chars.get(at + 1).map(|(_, c)| *c);
        let begins = here.is_uppercase() && (!before.is_uppercase() || behind.is_some_and(char::is_lowercase));
        if begins {
            starts.push(chars[at].0);
        }
    }
    let ends = starts.iter().copied().skip(1).chain([word.len()]);
    starts.iter().zip(ends).map(|(start, end)| &word[*start..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_words() {
        assert_eq!(parts("parseHTMLFile2"), ["parse", "HTML", "File2"]);
        assert_eq!(parts("x"), ["x"]);
        assert_eq!(terms(&["readAll plain", "src/aB.py"]), "a all b read");
        assert_eq!(
            of_query("How does parseConfig work?"),
            ["parseconfig", "parse", "config", "work"]
        );
        assert_eq!(of_query("what is it"), ["what", "is", "it"]);
        assert_eq!(of_query(" ?! "), [""; 0]);
        assert_eq!(of_query(&"wort ".repeat(9)), ["wort"]);
    }
}
