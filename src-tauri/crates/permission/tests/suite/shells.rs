//! What bash and sh make of a script where it looks like something else.

use crate::{check, has, judge};

/// Nothing of a script that runs `evil`, or reads what may not be read, passes without a question.
#[track_caller]
fn held(yaml: &str, scripts: &[&str]) {
    for script in scripts {
        let verdict = judge(yaml, script);
        assert!(
            !verdict.ask.is_empty() || !verdict.denied.is_empty(),
            "{script}: {verdict:#?}"
        );
    }
}

const STRICT: &str = "{mode: deny, run: {allow: ['npm test', 'git *', make], deny: ['evil *', 'git push', 'git push *']}, \
    read: {allow: ['docs/**'], deny: [secret.txt, docs/private.txt, sécret.txt]}, write: {allow: ['build/**']}}";

const OPEN: &str = "{mode: allow, run: {deny: ['evil *']}, \
    read: {deny: [secret.txt, docs/private.txt]}, write: {deny: [docs/kept.txt]}}";

#[test]
fn escapes_are_read_as_bash_reads_them() {
    check("$'evil\\0/../../usr/bin/tr' x", &["run evil x"]);
    check("$'evil\\400/../../usr/bin/tr' x", &["run evil x"]);
    check("$'evil\\x{}zzz' x; $'ev\\x{69}l'", &["run evil x", "run evil"]);
    check("cat $'s\\xc3\\xa9cret.txt'", &["run cat sécret.txt", "read sécret.txt"]);
    check("cat $'a\\x{2e}txt'", &["run cat a.txt", "read a.txt"]);
    // No text, or another one in another language.
    check("cat $'a\\xe9'", &["run cat $(…)", "read? $(…)"]);
    check("$'ev\\u00ef'l x", &["run? $'ev\\u00ef'l x"]);
    held(
        STRICT,
        &[
            "$'/usr/bin/python3\\0/../tr' -c x",
            "$'evil\\08/../tr' x",
            "$'evil\\c@/../tr' x",
            "$'evil\\u0000/../tr' x",
            "git $'push\\0' origin",
            "git $'p\\x{75}sh' origin",
            "cat $'docs/\\x{2e}\\x{2e}/../etc/passwd'",
            "cat $'secret.txt\\0/../docs/a.txt'",
            "echo x > $'build/\\x{2e}./\\x{2e}./marker'",
            "cat $'s\\xc3\\xa9cret.txt'",
            "cat $'s\\303\\251cret.txt'",
            "cat $'docs/private.txt\\x{}'",
        ],
    );
}

#[test]
fn braces_make_the_words_that_bash_makes() {
    check("xargs -E {tr,{-r,touch}}", &["run touch $(…)", "write? $(…)"]);
    check("env -u d}/{1,2} tr", &["run 'd}/2' tr"]);
    check("env -u {tr,{-v,evil}}", &["run evil"]);
    check("a {b,{c}} {d{e,f}", &["run a b '{c}' '{de' '{df'"]);
    check("cat x[{1,2}]", &["run cat x? x?", "read x?"]);
    check(
        "env -u [{x,evil}] tr",
        &["run ? tr"].map(|_| "run? env -u [{x,evil}] tr"),
    );
    check("> x env -u {tr,{-v,evil}}", &["run evil", "write x"]);
    has("echo $A{B,C}", &["env *"]);
    has("echo x$A{,_KEY}", &["env *"]);
    held(
        STRICT,
        &[
            "xargs -E {tr,{-r,evil}}",
            "env -u {tr,{-v,evil}}",
            "env -u d}/{1,evil} tr",
            "cat docs/{a}b,../../secret.txt}",
            "cat d}/../{secret.txt,docs/a.txt}",
            "grep {-e,{root,/etc/passwd}}",
        ],
    );
}

#[test]
fn a_set_ends_where_bash_ends_it() {
    check("cat s[[:alpha:]]cret.txt", &["run cat s?cret.txt", "read s?cret.txt"]);
    check("cat [!][a]x", &["run cat ?x", "read ?x"]);
    check("cat []a]x []-a]", &["run cat ?x ?", "read ?x", "read ?"]);
    check("cat [[.a.]b]x [[=a=]]x", &["run cat ?x ?x", "read ?x"]);
    check("cat s[[:alpha:]x", &["run cat s*x", "read s*x"]);
    check("cat [^]a]x", &["run cat *x", "read *x"]);
    check("cat x[1][2] x[1", &["run cat x?? 'x[1'", "read x??", "read 'x[1'"]);
    held(
        OPEN,
        &[
            "cat s[[:alpha:]]cret.txt",
            "cat s[![:digit:]]cret.txt",
            "cat s[[=e=]]cret.txt",
            "cat s[[.e.]]cret.txt",
            "cat docs/[!][a]rivate.txt",
            "cat docs/[^][a]rivate.txt",
            "x='e]'; cat s[$x'cret.txt'",
            "x='[e'; cat s$x]cret.txt",
            "x='a]'; cat s[e${x}cret.txt",
        ],
    );
}

#[test]
fn a_function_behind_what_may_fail_on_its_line_is_not_surely_there() {
    for before in [
        ": $((1/0))",
        ": $((08))",
        ": $((2#9))",
        ": $((-1**-1))",
        "readonly r=1; r=2",
        "a[-9]=1",
        "x=1; echo ${x:0:-9}",
        "shopt -s failglob; : *.nope",
        "for i in $((1/0)); do :; done",
        "{ : $((1/0)); }",
        "if : $((1/0)); then :; fi",
        "g() { : $((1/0)); }; g",
        "eval ': $((1/0))'",
        "trap ': $((1/0))' DEBUG; :",
        ": $((1/0)) # a\\\n; :",
    ] {
        let script = format!("{before}; evil() {{ :; }}\nevil x");
        has(&script, &["run evil x"]);
    }
    has(": $((1/0)); \\\nevil() { :; }\nevil x", &["run evil x"]);
    has(": $((1/0)); f() { :\n}; evil() { :; }\nevil x", &["run evil x"]);
    has("cat <<E; : $((1/0)); evil() { :; }\nx\nE\nevil x", &["run evil x"]);
    // On a line of its own, or behind functions, it is.
    check("set -e\nf() { a; }\nf x", &["run set -e", "run a"]);
    check("f() { a; }; g() { b; }; f; g", &["run a", "run b"]);
    check("cat <<E\nx\nE\nf() { a; }\nf", &["run cat", "run a"]);
    check(
        "b # x\n# y\nf() {\n  a\n}; g() { c; }\nf; g",
        &["run b", "run a", "run c"],
    );
}

#[test]
fn a_function_that_is_taken_back_anywhere_is_not_surely_there() {
    for script in [
        "evil() { :; }\nfor i in 1 2; do evil x; unset -f evil; done",
        "f() { unset -f evil; }\nevil() { :; }\nf\nevil x",
        "f() { unset evil; }; evil() { :; }; f; evil x",
        "evil() { unset evil; }; evil; evil x",
        "evil() { unset -f -- \"$0\" evil; }; evil; evil x",
        "n=evil\nevil() { :; }\nunset -f $n\nevil x",
        "evil() { :; }\neval 'unset -f evil'\nevil x",
        "evil() { :; }\ntrap 'unset -f evil' USR1\nkill -USR1 $$\nevil x",
        "evil() { :; }\nbuiltin unset evil\nevil x",
        "evil() { :; }\nwhile true; do evil x; command unset -f evil; done",
    ] {
        has(script, &["run evil x"]);
    }
    check(
        "f() { a; }\nunset x\nunset -v f\nf",
        &["run a", "run unset -v f", "run unset x"],
    );
}
