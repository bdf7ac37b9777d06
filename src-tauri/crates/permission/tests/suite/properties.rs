//! What holds for any script.

use crate::policy;
use permission::{Kind, uses};
use proptest::prelude::*;

/// Ways to wrap a command so that it still runs.
fn wrap(how: u8, command: &str) -> String {
    let quoted = command.replace('\'', "'\\''");
    match how % 18 {
        0 => format!("echo a | {command}"),
        1 => format!("true && {command}"),
        2 => format!("false || {{ {command}\n}}"),
        3 => format!("( {command}\n)"),
        4 => format!("sh -c '{quoted}'"),
        5 => format!("f() {{\n{command}\n}}; f"),
        6 => format!("x=$( {command}\n)"),
        7 => format!("if true; then {command}\nfi"),
        8 => format!("for i in 1 2; do {command}\ndone"),
        9 => format!("case a in *) {command}\n;; esac"),
        10 => format!("eval '{quoted}'"),
        11 => format!("while {command}\ndo break; done"),
        12 => format!("trap '{quoted}' EXIT"),
        13 => format!("echo \"a $( {command}\n) b\" > out"),
        14 => format!("cat <( {command}\n)"),
        15 => format!("ssh host '{quoted}'"),
        16 => format!("# a comment\n{command}\necho b"),
        _ => format!("timeout 5 bash -ec '{quoted}'"),
    }
}

/// The program's name with quotes that change nothing.
fn disguise(name: &str, how: u8) -> String {
    let (a, b) = name.split_at(usize::from(how) % (name.len() + 1));
    match how % 5 {
        0 => format!("{a}''{b}"),
        1 => format!("\"{a}\"{b}"),
        2 => format!("\\{name}"),
        3 => format!("/usr/bin/{name}"),
        _ => format!("{a}'{b}'"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let found = uses("bash", &text);
        let _ = policy("{run: {deny: ['a *']}}").judge(&found, &[]);
    }

    #[test]
    fn any_signs_of_the_shell_are_read(text in "[a-c \\n;|&<>(){}$`'\"\\\\*?\\[\\]#=~!.,/:@^%+0-9-]{0,60}") {
        let found = uses("bash", &text);
        let verdict = policy("{mode: allow, run: {deny: ['a *']}}").judge(&found, &[]);
        prop_assert_eq!(verdict.allowed.len() + verdict.ask.len() + verdict.denied.len(), found.needs.len());
    }

    #[test]
    fn words_of_the_grammar_in_any_order_are_read(words in proptest::collection::vec(prop_oneof![
        Just("if"), Just("then"), Just("fi"), Just("a"), Just(";"), Just("do"), Just("done"), Just("for"), Just("in"), Just("case"), Just("esac"), Just("("), Just(")"), Just("{"),
        Just("}"), Just("|"), Just("&&"), Just("<<E"), Just("\n"), Just("E"), Just("$("), Just("`"), Just("\""), Just("'"), Just("${x"), Just("[["), Just("]]"), Just("=~"), Just(">"),
    ], 0..40)) {
        let _ = uses("bash", &words.join(" "));
    }

    #[test]
    fn a_denied_program_stays_denied(ways in proptest::collection::vec(any::<u8>(), 0..4), how in any::<u8>()) {
        let mut script = format!("{} https://x -d y", disguise("curl", how));
        for way in &ways {
            script = wrap(*way, &script);
        }
        let found = uses("bash", &script);
        let verdict = policy("{mode: allow, run: {allow: ['*', 'curl *'], deny: ['curl *']}}").judge(&found, &found.needs);
        prop_assert!(verdict.denied.iter().any(|d| d.by == "deny rule `curl *`"), "{script}\n{found:#?}");
    }

    #[test]
    fn a_secret_stays_kept(ways in proptest::collection::vec(any::<u8>(), 0..4), file in prop_oneof![Just(".env"), Just("~/.ssh/id_rsa"), Just("a/../server.pem")]) {
        let mut script = format!("cat {file}");
        for way in &ways {
            script = wrap(*way, &script);
        }
        let found = uses("bash", &script);
        let verdict = policy("{mode: allow, read: {allow: ['**']}}").judge(&found, &found.needs);
        prop_assert!(verdict.denied.iter().any(|d| d.need.kind == Kind::Read), "{script}\n{found:#?}");
    }

    #[test]
    fn what_is_shown_stands_for_what_runs(words in proptest::collection::vec("[a-z $'\"*\\\\{}~]{1,8}", 1..4)) {
        let words: Vec<String> = words.iter().map(|w| quoted(w)).collect();
        check_shown(&format!("program {}", words.join(" ")))?;
    }

    #[test]
    fn every_sign_is_shown_as_it_was_meant(
        name in prop_oneof![
            "[a-c{}!#=,.%@+^:_-]{1,3}".prop_filter("no builtin", |n| !matches!(n.as_str(), "." | ":" | "!")),
            proptest::sample::select(vec!["if", "then", "fi", "do", "done", "case", "esac", "in", "select", "function", "A=b", "A+=b", "[[", "]]"]).prop_map(str::to_owned),
        ],
        words in proptest::collection::vec(proptest::collection::vec(prop_oneof![
            4 => "[a-c0-9 {}!#,.=%@+^:;|&()<>\\[\\]\\n_-]{1,5}".prop_map(|w| quoted(&w)),
            1 => proptest::sample::select(vec!["\"$X\"", "\"${X}\"", "*", "?", "{}", "[", "if", "}"]).prop_map(str::to_owned),
        ], 1..4), 0..4),
    ) {
        let words: Vec<String> = words.iter().map(|w| w.concat()).collect();
        check_shown(&format!("{} {}", quoted(&name), words.join(" ")))?;
    }
}

/// Found by the search above.
#[test]
fn a_dash_alone_before_a_number_is_no_operator() {
    check_shown("'-' '1%'").expect("the same command");
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// What is shown of the first command is the same command again, for the reader of scripts and for the rules.
fn check_shown(script: &str) -> Result<(), TestCaseError> {
    let found = uses("bash", script);
    let run = found.of(Kind::Run).next().expect("a command");
    // Of what is unclear a line of the script is shown.
    prop_assume!(!run.unclear);
    let again = uses("bash", &run.what);
    // Of another script it is bound to that one.
    let words = |need: &permission::Need| (need.what.clone(), need.unclear, need.script.is_some());
    prop_assert_eq!(again.of(Kind::Run).next().map(words), Some(words(run)), "{}", script);
    Ok(())
}
