//! Texts made to break or to delay the reader. No clock is held against them: a reader whose time grew with the square of the text
//! would not come back from the long ones before the day is over.

use permission::{Kind, uses};

#[track_caller]
fn reads(script: &str) {
    let found = uses("bash", script);
    assert!(found.needs.iter().all(|n| n.unclear || !n.what.is_empty()), "{found:?}");
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
        reads(&format!("{}x{}", open.repeat(DEPTH), close.repeat(DEPTH)));
        reads(&open.repeat(DEPTH));
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
    const SIZE: usize = 1 << 18;
    for line in [
        "npm test && curl https://x -d \"$(cat config/a)\" | grep foo > out.txt; X=${Y:-z} ./run.sh 'a b' # c\n",
        "a;",
        "a ",
        "a",
        "'\"",
        "a|",
        "{a,b}",
        "*?",
        " ",
        "\n",
        "$",
        "cat <<E\nx $(y)\nE\n",
        "${ ( ' ",
        "# a\n",
        "\\\n",
        "rm a/../b/./c ",
        "$A ",
        "x=.env:",
        "> a ",
        "[a]",
        "\u{0}",
        "${",
        "../",
    ] {
        let many = line.repeat(SIZE / line.len());
        reads(&many);
        reads(&format!("rm {many}"));
    }
    let found = uses("bash", &"a\n".repeat(1 << 20));
    assert!(
        found.needs.iter().all(|n| n.unclear || n.what == "*"),
        "too long to be read"
    );
}

/// A mistake that is mended word by word takes time that grows with the square of the text, while some other reading of it stands: such a
/// text is not read to its end, and says so, at any length above the bound.
#[test]
fn mistakes_that_are_mended_again_and_again() {
    for size in [32, 64, 256] {
        let found = uses("bash", &"<> ".repeat(size * 1_024 / 3));
        let whatever = |need: &permission::Need| need.kind == permission::Kind::Env && need.what == "*";
        assert!(found.needs.iter().any(whatever), "{size} KB: {found:?}");
    }
}

/// What stands around a command is handed down to it. Asked of the tree it would take time that grows with the square of the lines.
#[test]
fn redirections_by_the_thousand() {
    for script in [
        "a && b <x &&> y # \u{0}\n".repeat(2_000),
        "a <x\n".repeat(40_000),
        "f() { local a\n}\n".repeat(10_000),
    ] {
        reads(&script);
    }
}

/// Where the parser's share of reads is used up, the text seems to end: between two characters, never inside one.
#[test]
fn wide_characters_where_reading_ends() {
    let part = "rl x\r\n\u{a0}\u{202e} \u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}";
    for size in [16, 32, 64] {
        reads(&part.repeat(size * 1_024 / part.len()));
    }
}

/// The scanner of the grammar asks C whether the character after a brace is a digit, and C looks it up in a table that ends at 255.
#[test]
fn wide_characters_after_a_brace() {
    for wide in ["é", "\u{e014c}", "😀", "\u{10ffff}"] {
        for start in ["{", "{1", "{1..", "{1..2", "a{", "\"{", "{ a; {"] {
            let script = format!("curl x; {start}{wide}");
            let found = uses("bash", &script);
            assert!(found.needs.iter().any(|n| n.unclear), "{script}: {found:?}");
        }
        let found = uses("bash", &format!("curl x; echo {{ {wide}"));
        assert!(found.needs.iter().any(|n| n.what == "curl x"), "{found:?}");
    }
}

#[test]
fn judging_is_not_slow_either() {
    let policy = crate::policy(
        "{run: {allow: ['*a*a*a*a*a* *b*b*b*'], deny: ['* *a*a*a*b *']}, read: {deny: ['**/a*/**/*a*a*b']}}",
    );
    let script = format!("x {}; cat {}", "aaaaaaaa".repeat(20_000), "a/".repeat(20_000));
    let verdict = policy.judge(&uses("bash", &script), &[]);
    assert_eq!(verdict.denied, []);
}

/// Functions that call each other, and functions that give many names a value, cost no more than the text is long.
#[test]
fn functions_that_set_many_names() {
    let chain = |count: usize| {
        let body = |n: usize| format!("f{n}() {{ X{n}=1; f{}; }}\n", n.saturating_sub(1));
        (1..count).map(body).collect::<String>()
    };
    let sets: String = (0..8_000).map(|n| format!("X{n}=1; ")).collect();
    let cases = [
        (
            "a chain",
            format!("f0() {{ :; }}\n{}{}", chain(8_000), "f7999\n".repeat(8_000)),
        ),
        (
            "one that is called often",
            format!("f() {{ {sets} }}\n{}", "f\n".repeat(20_000)),
        ),
        (
            "one that is called in shells of their own",
            format!("f() {{ {sets} }}\n{}", "(f)\n".repeat(20_000)),
        ),
    ];
    for (what, script) in cases {
        let hidden = format!("{script}curl x\n");
        let found = uses("bash", &hidden);
        let verdict = crate::policy("{mode: allow, run: {deny: ['curl *']}}").judge(&found, &found.needs);
        assert!(!verdict.denied.is_empty(), "{what}");
    }
    // What it sets is the script's own, what another body of its name sets is maybe not.
    let own = |script: &str| !crate::needs(script).contains(&"env X".to_owned());
    assert!(own("f() { X=1; }; f; f; echo $X"));
    assert!(own("f() { X=1; }; g() { f; }\n(f; g)\ng; echo $X"));
    assert!(!own("f() { X=1; }\n(f)\necho $X"));
    assert!(!own("f() { :; }\n(f() { X=1; })\nf; echo $X"));
    assert!(!own("f() { X=1; }; g() { f; }; f() { :; }\ng; echo $X"));
    assert!(!own("f() { :; }\nbash -c 'f() { X=1; }'\nf; echo $X"));
}

/// More needs than anybody answers for: what is not told is only known then, in every mode, and refused where rules may name it.
#[test]
fn of_too_many_needs_the_rest_is_only_known_then() {
    let cases: [(&str, String); 4] = [
        ("many programs", (0..9_000).map(|n| format!("./x{n} y\n")).collect()),
        ("many files", (0..9_000).map(|n| format!("cat x{n}\n")).collect()),
        (
            "files in many folders",
            "cd a; cd b; cd c; cd d; cd e; cd f; cd g; cd h\n".to_owned()
                + &"cat {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}\n".repeat(1_500),
        ),
        (
            "files of all kinds",
            (0..3_000).map(|n| format!("cat {{a,b}}{{a,b}}{{a,b}}x{n}\n")).collect(),
        ),
    ];
    for (what, script) in cases {
        let hidden = format!("{script}curl x; cat .env; echo $VERY_OWN\n");
        let found = uses("bash", &hidden);
        assert!(found.needs.len() < 5_000, "{what}: {}", found.needs.len());
        for kind in [Kind::Run, Kind::Read, Kind::Write] {
            let open = |n: &permission::Need| n.kind == kind && n.unclear && n.what == "…";
            assert!(found.needs.iter().any(open), "{what}");
        }
        for rules in [
            "run: {deny: ['curl *']}",
            "read: {deny: [x]}",
            "write: {deny: [x]}",
            "env: {deny: [X]}",
        ] {
            // Whoever says yes to all of it, as `--permit` does.
            let policy = crate::policy(&format!("{{mode: allow, {rules}}}"));
            let verdict = policy.judge(&found, &found.needs);
            assert!(!verdict.denied.is_empty(), "{what}: {rules}");
        }
        assert!(
            !crate::policy("mode: allow").judge(&found, &[]).ask.is_empty(),
            "{what}"
        );
        let permitted = crate::policy("mode: ask").judge(&found, &found.needs);
        let secret = |d: &permission::Denied| d.by.starts_with("secrets are kept");
        assert!(
            permitted.ask.is_empty() && permitted.denied.iter().all(secret),
            "{what}"
        );
    }
}

/// Texts of which a part is not looked at for its length or its depth: what a rule names may stand there, and nobody can permit that.
#[test]
fn what_is_too_long_or_too_deep_to_be_read_is_refused_by_any_rule() {
    let mut deep = "curl x".to_owned();
    for _ in 0..14 {
        deep = format!("eval {}", deep.replace('\\', "\\\\").replace(' ', "\\ "));
        if deep.len() > 1 << 19 {
            break;
        }
    }
    for script in [
        format!("curl x # {}", "a".repeat(1 << 20)),
        format!("curl x; : '{}'", "|".repeat(3_000)),
        format!("bash -c 'curl x # {}'", "|".repeat(3_000)),
        format!("{} curl x", "nice ".repeat(40)),
        format!("{}env curl x", "env -S ".repeat(20)),
        deep,
    ] {
        let found = uses("bash", &script);
        let verdict = crate::policy("{mode: allow, run: {deny: ['curl *']}}").judge(&found, &found.needs);
        assert!(!verdict.denied.is_empty(), "{:.60}: {found:?}", script);
        let verdict = crate::policy("{mode: ask}").judge(&found, &found.needs);
        assert!(verdict.ask.is_empty() && verdict.denied.is_empty(), "{:.60}", script);
    }
}

#[test]
fn long_paths_are_judged_soon() {
    let policy =
        crate::policy("{mode: allow, read: {deny: [secret.txt, 'secret/**', '**/private/**', '**/*.{a,b,c}']}}");
    for part in [
        "*/",
        "../",
        "/a",
        "?/",
        ".e*/",
        "$x/",
        "~/a",
        "[a]/",
        "[[:",
        "[",
        "{a,",
        "/proc/",
        "/dev/fd/../",
    ] {
        for script in [
            format!("cat {}secret.txt", part.repeat(50_000)),
            format!("cat {}secret.txt\n", part.repeat(40)).repeat(500),
        ] {
            let uses = uses("bash", &script);
            let verdict = policy.judge(&uses, &[]);
            let judged = verdict.allowed.len() + verdict.ask.len() + verdict.denied.len();
            assert_eq!(judged, uses.needs.len(), "{part}");
        }
    }
    for script in [
        format!("cat {}secret.txt", "*/".repeat(50_000)),
        format!("cat {}secret.txt", "../".repeat(50_000)),
    ] {
        assert!(!policy.judge(&uses("bash", &script), &[]).ask.is_empty());
    }
}
