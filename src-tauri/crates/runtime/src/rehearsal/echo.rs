//! Code blocks that stand for a command: `rd echo TEXT --result pass --result fail` prints its text and ends as it says.

/// The results a block lists, PASS as `true`, in order; none listed: it passes. `None`: the block is another command.
pub(super) fn results(script: &str) -> Option<Vec<bool>> {
    let mut lines = script
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    let (line, more) = (lines.next()?, lines.next());
    let words = shlex::split(line)?;
    let program = words.first().map(String::as_str)?;
    if more.is_some()
        || !super::command::PROGRAMS.contains(&program)
        || words.get(1).map(String::as_str) != Some("echo")
    {
        return None;
    }
    let mut results = Vec::new();
    let mut rest = words.iter().skip(2);
    while let Some(word) = rest.next() {
        let value = match word.strip_prefix("--result") {
            Some("") => rest.next().map(String::as_str),
            Some(joined) => joined.strip_prefix('='),
            None => continue,
        };
        match value.map(str::to_ascii_lowercase).as_deref() {
            Some("pass" | "yes") => results.push(true),
            Some("fail" | "no") => results.push(false),
            _ => {}
        }
    }
    Some(results)
}

#[cfg(test)]
mod tests {
    use super::results;

    #[test]
    fn results_are_listed_in_order() {
        for (script, listed) in [
            ("rd echo --result fail --result pass", Some(vec![false, true])),
            ("rd echo \"git commit -m 'x'\" --result=no\n", Some(vec![false])),
            (
                "# a remark\nrd echo --result pass npm run deploy --production",
                Some(vec![true]),
            ),
            ("gatehouse echo done", Some(vec![])),
            ("npm test", None),
            ("rd echo one\nrd echo two", None),
            ("rd pass", None),
            ("rd echo \"unfinished", None),
            ("", None),
        ] {
            assert_eq!(results(script), listed, "{script}");
        }
    }
}
