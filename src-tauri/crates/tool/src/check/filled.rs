//! A check's command with the file's name in it.

/// Where the name goes.
const FILE: &str = "{file}";

/// The words of a command with the file's name put in; at the end where none of them says where. The name is never more than one word
/// of whatever reads it: a name that a shell would not take as it stands only goes where it is a word of its own.
///
/// # Errors
/// Why it was not put in, in words.
pub(super) fn filled(words: &[&str], path: &str) -> Result<Vec<String>, String> {
    let mut filled: Vec<String> = Vec::with_capacity(words.len() + 1);
    let mut before = "";
    for word in words {
        if word.contains(FILE) && !is_plain(path) && (is_script(before) || !stands_alone(word)) {
            return Err(format!(
                "nothing was checked: the file is called {path:?}, and the check puts that name into `{word}`, where what it holds could be \
                 run as a command. Let the check take it as a word of its own, like `sh -c 'grep y \"$1\"' check {FILE}`, or rename the file"
            ));
        }
        filled.push(word.replace(FILE, path));
        before = word;
    }
    if !words.iter().any(|word| word.contains(FILE)) {
        if !is_plain(path) && is_script(before) {
            return Err(format!(
                "nothing was checked: the check ends with `{before}`, so the file's name {path:?} would be run as a command"
            ));
        }
        filled.push(path.to_owned());
    }
    Ok(filled)
}

/// Whether every shell takes the name as the one word that it is, in quotes and out of them.
fn is_plain(path: &str) -> bool {
    path.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '/' | '-' | '+' | ',' | '@' | '%' | ':'))
}

/// Whether what follows is read as a script: `sh -c`, `bash -lc`, `perl -e`, `node --eval`, `eval`.
fn is_script(before: &str) -> bool {
    let letters = before.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    letters.is_some_and(|letters| {
        letters.ends_with(['c', 'e', 'E', 'p']) && letters.chars().all(|c| c.is_ascii_alphabetic())
    }) || matches!(before, "eval" | "--eval" | "--command" | "--print" | "--exec" | "trap")
}

/// Whether a word is the name alone, or an option that ends with it: `{file}`, `--input={file}`.
fn stands_alone(word: &str) -> bool {
    let Some(option) = word.strip_suffix(FILE) else {
        return false;
    };
    option.is_empty()
        || (option.starts_with('-')
            && option.ends_with('=')
            && option
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=' | '.')))
}

#[cfg(test)]
mod tests {
    use super::filled;

    /// Names in which a shell finds more than a word.
    const ODD: [&str; 14] = [
        "a;touch mark.md",
        "$(touch mark).md",
        "`touch mark`.md",
        "a|touch mark",
        "a&touch mark",
        "a\ntouch mark",
        "a'b.md",
        "a\"b.md",
        "a b.md",
        "*.md",
        "~root",
        "a>b",
        "!x",
        "\u{202e}gpj.md",
    ];

    #[test]
    fn a_plain_name_goes_anywhere() {
        let line = filled(&["sh", "-c", "grep y {file} | wc -l"], "docs/ä_1-b.md").expect("filled");
        assert_eq!(line, ["sh", "-c", "grep y docs/ä_1-b.md | wc -l"]);
        assert_eq!(filled(&["lint"], "a.md").expect("filled"), ["lint", "a.md"]);
    }

    #[test]
    fn an_odd_name_is_one_word_or_is_refused() {
        for name in ODD {
            for words in [
                &["grep", "y", "{file}"][..],
                &["grep", "y"],
                &["lint", "--input={file}", "--quiet"],
                &["sh", "-c", "grep y \"$1\"", "check", "{file}"],
                &["sh", "bin/check.sh"],
            ] {
                let line = filled(words, name).expect("a word of its own");
                assert!(
                    line.iter().any(|word| word.trim_start_matches("--input=") == name),
                    "{line:?}"
                );
            }
            for words in [
                &["sh", "-c", "grep y {file}"][..],
                &["sh", "-c", "grep y '{file}'"],
                &["sh", "-c", "grep y \"{file}\""],
                &["bash", "-lc", "{file}"],
                &["sh", "-c"],
                &["env", "A=1", "sh", "-ec", "cat {file}"],
                &["perl", "-e", "{file}"],
                &["find", ".", "-name", "x{file}y"],
            ] {
                let why = filled(words, name).expect_err("refused");
                assert!(why.starts_with("nothing was checked"), "{why}");
            }
        }
    }
}
