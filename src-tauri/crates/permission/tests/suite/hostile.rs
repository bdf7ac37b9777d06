//! Texts made to break or to delay the reader.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the crate knows no clock; its tests measure it with one"
)]

use permission::{Kind, uses};
use std::time::Instant;

/// Far above what is measured, also without optimisation and on a busy machine; a reader that were quadratic would take hours.
const PATIENCE_S: u64 = 30;

#[track_caller]
fn reads(name: &str, script: &str) {
    let start = Instant::now();
    drop(uses("bash", script));
    let took = start.elapsed();
    assert!(took.as_secs() < PATIENCE_S, "{name} took {took:?}");
}

#[test]
fn deep_nesting() {
    const DEPTH: usize = 10_000;
    for (open, close) in [
        ("(", ")"),
        ("( ", " )"),
        ("$(", ")"),
        ("echo $(", ")"),
        ("{ ", "; }"),
        ("${a:-", "}"),
        ("\"$(", ")\""),
        ("if a; then ", "; fi"),
        ("`", "`"),
        ("$((", "))"),
        ("((", "))"),
        ("<(", ")"),
        ("[[ ( ", " ) ]]"),
        ("while a; do ", "; done"),
        ("case a in a) ", ";; esac"),
        ("f() { ", "; }"),
        ("a && ", ""),
        ("! ", ""),
        ("a | ", ""),
        ("x=$(", ")"),
        ("{a,", "}"),
        ("a > ", ""),
        ("sudo ", ""),
        ("env ", ""),
        ("time ", ""),
        ("eval ", ""),
        ("cat <<E;", "\nE"),
        ("xargs ", ""),
        ("$'", "'"),
        ("\\", ""),
        ("a[", "]=1"),
    ] {
        reads(open, &format!("{}x{}", open.repeat(DEPTH), close.repeat(DEPTH)));
        reads(open, &open.repeat(DEPTH));
    }
}

#[test]
fn scripts_in_scripts() {
    let mut script = "curl x".to_owned();
    for _ in 0..6 {
        script = format!("sh -c '{}'", script.replace('\'', "'\\''"));
    }
    let found = uses("bash", &script);
    assert!(found.needs.iter().any(|n| n.what == "curl x"), "{found:?}");
    let mut deeper = "curl x".to_owned();
    for _ in 0..14 {
        deeper = format!("eval {}", deeper.replace('\\', "\\\\").replace(' ', "\\ "));
    }
    let found = uses("bash", &deeper[..deeper.len().min(1 << 20)]);
    assert!(found.needs.iter().any(|n| n.kind == Kind::Run), "{found:?}");
}

#[test]
fn long_scripts() {
    const SIZE: usize = 1 << 20;
    for (name, line) in [
        (
            "ordinary",
            "npm test && curl https://x -d \"$(cat config/a)\" | grep foo > out.txt; X=${Y:-z} ./run.sh 'a b' # c\n",
        ),
        ("semicolons", "a;"),
        ("words", "a "),
        ("one word", "a"),
        ("quotes", "'\""),
        ("pipes", "a|"),
        ("braces", "{a,b}"),
        ("stars", "*?"),
        ("blank", " "),
        ("lines", "\n"),
        ("dollars", "$"),
        ("documents", "cat <<E\nx $(y)\nE\n"),
        ("broken", "${ ( ' "),
        ("comments", "# a\n"),
        ("backslashes", "\\\n"),
        ("files", "rm a/../b/./c "),
        ("variables", "$A "),
        ("secrets", "x=.env:"),
        ("redirections", "> a "),
        ("sets", "[a]"),
        ("nul", "\u{0}"),
        ("expansions", "${"),
        ("dots", "../"),
    ] {
        let many = line.repeat(SIZE / line.len());
        reads(name, &many);
        reads(name, &format!("rm {many}"));
    }
    let found = uses("bash", &"a\n".repeat(SIZE));
    assert!(found.needs.iter().all(|n| n.unclear), "too long to be read");
}

/// Where the parser's share of reads is used up, the text seems to end: between two characters, never inside one.
#[test]
fn wide_characters_where_reading_ends() {
    let part = "rl x\r\n\u{a0}\u{202e} \u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}";
    for size in [16, 32, 64] {
        reads("wide", &part.repeat(size * 1_024 / part.len()));
    }
}

#[test]
fn judging_is_not_slow_either() {
    let policy = crate::policy(
        "{run: {allow: ['*a*a*a*a*a* *b*b*b*'], deny: ['* *a*a*a*b *']}, read: {deny: ['**/a*/**/*a*a*b']}}",
    );
    let script = format!("x {}; cat {}", "aaaaaaaa".repeat(20_000), "a/".repeat(20_000));
    let start = Instant::now();
    let verdict = policy.judge(&uses("bash", &script), &[]);
    assert_eq!(verdict.denied, []);
    assert!(start.elapsed().as_secs() < PATIENCE_S, "{:?}", start.elapsed());
}
