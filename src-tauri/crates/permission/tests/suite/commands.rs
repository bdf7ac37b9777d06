//! Commands are found wherever a script runs them.

use crate::{check, has};

#[test]
fn pipes_and_lists() {
    check(
        "npm ci && npm test || exit 1; git status &",
        &["run npm ci", "run npm test", "run exit 1", "run git status"],
    );
    check("a | b |& c | d", &["run a", "run b", "run c", "run d"]);
    check("! a && ! b | c", &["run a", "run b", "run c"]);
    check("a\nb;c\n\n# d\ne # f", &["run a", "run b", "run c", "run e"]);
    check("a \\\n  b \\\n  c", &["run a b c"]);
}

#[test]
fn compound_commands() {
    check("(a; b) | { c; d; }", &["run a", "run b", "run c", "run d"]);
    check(
        "if a; then b; elif c; then d; else e; fi",
        &["run a", "run b", "run c", "run d", "run e"],
    );
    check(
        "while a; do b; done; until c; do d; done",
        &["run a", "run b", "run c", "run d"],
    );
    check("for x in 1 2; do a $x; done", &["run a $x"]);
    check("for ((i=0; i<3; i++)); do a $i; done", &["run a $i"]);
    check("case $1 in a|b) c;; *) d;; esac", &["run c", "run d"]);
    check("select x in a b; do c; done", &["run c"]);
    check("time a; coproc b", &["run a", "run b"]);
    check("[[ -n $(a) ]] && [ -f b ] && test -d c", &["run a", "run test -d c"]);
    check(
        "echo $((1 + $(a)))",
        &["run echo $((…))", "run a", "run? $((1 + $(a)))"],
    );
}

#[test]
fn substitutions() {
    check(
        "echo $(a $(b `c`)) \"x $(d)\"",
        &["run echo $(…) 'x '$(…)", "run a $(…)", "run b $(…)", "run c", "run d"],
    );
    check(
        "diff <(a) >(b)",
        &["run diff $(…) $(…)", "read? $(…)", "run a", "run b"],
    );
    check(
        "x=$(a) y=(1 $(b)) z[$(c)]=1",
        &["run a", "run b", "run c", "run? z[$(c)]"],
    );
    check(
        "echo ${x:-$(a)} ${y/b/$(c)}",
        &["run echo $(…) $(…)", "env x", "env y", "run a", "run c"],
    );
    check("x <<E\n$(a) `b` \\$(c) \\`d\\`\nE", &["run x", "run a", "run b"]);
    check("x <<'E'\n$(a) `b`\nE", &["run x"]);
    check("x <<< \"$(a)\"", &["run x", "run a"]);
    check("x > \"$(a)\"", &["run x", "run a", "write? $(…)"]);
}

#[test]
fn shells_in_shells() {
    check("sh -c 'a | b'", &["run a", "run b"]);
    check(
        "bash -lc \"a && sh -c 'b; bash -ec \\\"c\\\"'\"",
        &["run a", "run b", "run c"],
    );
    check("bash -o pipefail -c 'a' x y", &["run a"]);
    check(
        "/bin/sh -c 'a'; env -i sh -c b; sudo sh -c c",
        &["run a", "run b", "run sudo sh -c c", "run c"],
    );
    check("bash <<E\na\nE", &["run a"]);
    check("bash -s <<'E'\na | b\nE", &["run a", "run b"]);
    check("sh <<< 'a b'", &["run a b"]);
    check("eval 'a; b' \"c\"", &["run a", "run b c"]);
    check("trap 'a; b' EXIT", &["run a", "run b"]);
    check("alias x='a | b'", &["run a", "run b", "run? alias x='a | b'"]);
    check(
        "sh ./x.sh 1; bash x.sh",
        &["run sh ./x.sh 1", "read x.sh", "run bash x.sh"],
    );
    check(
        "source ./env.sh; . lib.sh",
        &["run source ./env.sh", "read env.sh", "run source lib.sh", "read lib.sh"],
    );
}

#[test]
fn functions() {
    check("f() { a; }\nf x && b", &["run a", "run b"]);
    check("function f { a; }; f", &["run a"]);
    // Another process knows no functions, and neither does a shell before the definition or after its end.
    has(
        "f() { a; }\nsudo f; command f y; sh -c 'f z'",
        &["run f", "run f y", "run f z"],
    );
    has("curl x; curl() { :; }", &["run curl x"]);
    has("(curl() { :; }); curl x", &["run curl x"]);
    has("curl() { :; } & curl x", &["run curl x"]);
    has("if false; then curl() { :; }; fi; curl x", &["run curl x"]);
    has("sh -c 'curl() { :; }'; curl x", &["run curl x"]);
    has("curl() { :; }; unset -f curl; curl x", &["run curl x"]);
    has("/usr/bin/curl() { :; }; env /usr/bin/curl x", &["run /usr/bin/curl x"]);
}

#[test]
fn programs_that_run_programs() {
    for (script, inner) in [
        ("nohup a b &", "run a b"),
        ("time -p a b", "run a b"),
        ("timeout -k 1 5s a b", "run a b"),
        ("timeout --signal=KILL 5 a b", "run a b"),
        ("nice -n 5 a b", "run a b"),
        ("nice -5 a b", "run a b"),
        ("env -u Y X=1 a b", "run a b"),
        ("env -S 'a b'", "run a b"),
        ("env -S -S 'a b'", "run a b"),
        ("env -S '-u Y X=1 a' b", "run a b"),
        ("env -iS 'X=1 a' -i b", "run a -i b"),
        ("stdbuf -oL a b", "run a b"),
        ("setsid -w a b", "run a b"),
        ("command a b", "run a b"),
        ("exec a b", "run a b"),
        ("exec -a name a b", "run a b"),
        ("builtin echo b", "run echo b"),
        ("busybox a b", "run a b"),
        ("xargs a b", "run a b $(…)"),
        ("xargs -0 -n 1 -P4 a b", "run a b $(…)"),
        ("xargs -I{} a {} b", "run a $(…) b"),
        ("xargs -I % sh -c 'a %'", "run a ${_}"),
        ("find . -name x -exec a b {} \\;", "run a b $(…)"),
        ("find . -execdir a b {} +", "run a b $(…)"),
        ("find . -ok a {} ';' -exec a b \\;", "run a b"),
        ("sudo -nu root a b", "run a b"),
        ("sudo -u root -- a b", "run a b"),
        ("sudo sudo nohup time a b", "run a b"),
        ("doas a b", "run a b"),
        ("chroot /x a b", "run a b"),
        ("strace -f -o log a b", "run a b"),
        ("su me -c 'a b'", "run a b"),
        ("flock lock a b", "run a b"),
        ("flock -n lock -c 'a b'", "run a b"),
        ("watch -n 1 'a b | c'", "run a b"),
        ("parallel a b ::: 1 2", "run a b $(…)"),
        ("ssh -p 22 -i key host 'a b; c'", "run a b"),
        ("ssh host a b", "run a b"),
        ("ssh -o ProxyCommand='a b' host", "run a b"),
        ("mapfile -C 'a b' x", "run a b"),
        ("/lib64/ld-linux-x86-64.so.2 a b", "run a b"),
        ("FOO=1 BAR=2 a b", "run a b"),
        (">out a b <in", "run a b"),
        ("a >out b <in", "run a b"),
    ] {
        has(script, &[inner]);
    }
}

#[test]
fn a_sign_that_was_quoted_is_shown_quoted() {
    for (script, shown) in [
        ("program '}' '}'", "program '}' '}'"),
        ("program '{a,b}' {}", "program '{a,b}' {}"),
        ("program '#' x", "program '#' x"),
        ("program '[a]'*", "program '[a]'*"),
        ("program \"$X\"abc", "program $X'abc'"),
        ("'if' x", "'if' x"),
        ("'A=b' curl", "'A=b' curl"),
        ("'{' curl", "'{' curl"),
        ("'[' ']' a ']'", "[ ']' a ]"),
    ] {
        let found = permission::uses("bash", script);
        let run = found.of(permission::Kind::Run).next();
        assert_eq!(run.map(|n| (&*n.what, n.unclear)), Some((shown, false)), "{script}");
    }
}

#[test]
fn other_languages_are_unclear() {
    let uses = permission::uses("python", "\n  import os\nos.remove('x')");
    assert_eq!(crate::lines(&uses), ["run? import os"]);
    assert!(permission::uses("bash", " \n").needs.is_empty());
    assert_eq!(permission::uses("Shell", "a").needs, permission::uses("", "a").needs);
}

#[test]
fn line_ends_of_another_system() {
    // The shell takes the return for a letter, so a continued line is none.
    has("a\r\nb \\\r\ncurl\r\n", &["run? a"]);
}
