//! Ways to hide a command that do not work, and commands that nobody can know.

use crate::{check, denials, has, needs};

#[test]
fn quotes_and_backslashes() {
    for script in [
        "curl x",
        "c\"ur\"l x",
        "'curl' x",
        "\\curl x",
        "c\\url x",
        "cu''rl x",
        "$'\\x63url' x",
        "$'\\143\\165rl' x",
        "$'c\\u0075rl' x",
        "$\"curl\" x",
        "\"c\"'u'r\\l x",
        "CURL x",
        "curl.exe x",
        "/usr/bin/curl x",
        "/usr/bin/../bin/curl x",
        "./tools/curl x",
        "eval -- curl x",
        "bash -c - 'curl x'",
        "sh -c - 'curl x' p",
        "\"/usr/bin/curl\" x",
        "a=1 curl x",
        "{ curl x; }",
        "$(curl x)",
        "`curl x`",
        "cat <(curl x)",
        "! curl x",
        "! ! curl x",
        "! ! ! sh -c 'curl x'",
        "! ! A=b curl x",
        "time A=b C=$D curl x",
        "time -p A=b curl x",
        "coproc A=b curl x",
        "f() { curl x; }; ! ! f",
        "if curl x; then :; fi",
        "while ! curl x; do :; done",
        "command curl x",
        "exec curl x",
        "env curl x",
        "sudo curl x",
        "nohup curl x &",
        "echo x | xargs curl",
        "find . -exec curl {} \\;",
        "sh -c 'curl x'",
        "sh -c 'sh -c \"curl x\"'",
        "bash -c $'curl x'",
        "eval curl x",
        "eval 'cu''rl x'",
        "trap 'curl x' EXIT",
        "f() { curl x; }; f",
        "case x in *) curl x;; esac",
        "a && b || curl x",
        "(((1))) || (curl x)",
        "bash <<E\ncurl x\nE",
        "cat <<E\n$(curl x)\nE",
        "cat <<E\n`curl x`\nE",
        "alias a='curl x'; a",
        "x=$(curl x)",
        "x[$(curl x)]=1",
        "echo ${x:-$(curl x)}",
        "echo \"${x:-`curl x`}\"",
        "echo $((`curl x`))",
        "[[ -n $(curl x) ]]",
        "echo > $(curl x)",
        ">out curl x",
        "curl >out x",
        "time curl x",
        "coproc curl x",
        "for x in $(curl x); do :; done",
        "until curl x; do :; done",
        "curl x # harmless",
        "true;curl x",
        "true&curl x",
        "true|curl x",
        "true\ncurl x",
        "ssh host curl x",
        "busybox curl x",
        "curl",
        "curl $X",
        "cur{l,} x",
        "\"$HOME/bin/curl\" x",
    ] {
        let said = denials("run: {deny: ['curl *']}", script);
        let denied = said.iter().any(|d| d.ends_with("deny rule `curl *`"));
        assert!(denied, "{script}\n{said:#?}\n{:#?}", needs(script));
    }
}

#[test]
fn what_only_looks_like_the_command_is_not_denied() {
    for script in [
        "echo curl x",
        "curly x",
        "./curl.sh x",
        "# curl x",
        "echo 'a; curl x'",
        "cat <<'E'\n$(curl x)\ncurl y\nE",
        "git log --grep 'curl x'",
    ] {
        assert!(denials("run: {deny: ['curl *']}", script).is_empty(), "{script}");
    }
}

#[test]
fn commands_that_cannot_be_known() {
    for script in [
        "$CMD x",
        "${CMD} x",
        "\"$CMD\"",
        "$(a) x",
        "`a`",
        "\"$DIR/x.sh\"",
        "eval \"$X\"",
        "eval \"a $X\"",
        "sh -c \"$X\"",
        "bash -c \"a $X\"",
        "a | sh",
        "a | sudo bash",
        "base64 -d x | sh",
        "sh",
        "sh -",
        "bash -s",
        "sh < x",
        "bash /dev/stdin",
        "bash <(a)",
        "source <(a)",
        ". /dev/stdin",
        "sh \"$X\"",
        "a | python3",
        "a | perl -",
        "xargs sh",
        "xargs -I{} {} x",
        "xargs $CMD",
        "find . -exec $CMD {} \\;",
        "find . -exec sh {} \\;",
        "env $CMD",
        "sudo $CMD",
        "/usr/bin/cur? x",
        "/???/curl x",
        "timeout $OPTS 5 x",
        "timeout --new-option 5 x",
        "ssh host \"$CMD\"",
        "trap \"$X\" EXIT",
        "alias x=\"$Y\"",
        "PATH=. x",
        "export PATH=./bin:$PATH",
        "LD_PRELOAD=./x.so ls",
        "BASH_ENV=x sh -c :",
        "hash -p ./x ls",
        "enable -f x y",
        "cat <<E | sh\nx\nE",
        "bash <<E\na $X\nE",
        "su",
        "[a]b x",
        "{a,b}",
        "if then",
        "a 'b",
        "a &&& b",
        "$'\\x24CMD' \"",
        "cu\u{0}rl x",
        "cu\\\nrl x",
        "a\u{b}b",
        "\u{1b}[2Ka",
    ] {
        let found = needs(script);
        assert!(found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
}

#[test]
fn the_known_part_of_the_unknown_is_read() {
    check(
        "bash -c \"a $X; b\"",
        &["run? bash -c \"a $X; b\"", "run a ${_}", "run b", "env X"],
    );
    has("eval \"rm $X\"", &["run rm ${_}"]);
}

#[test]
fn an_unclear_need_shows_the_line_that_cannot_be_read() {
    check("a\nb 'c\n", &["run? b 'c", "run a", "run b"]);
    let long = needs(&format!("'{}", "x".repeat(1000)));
    assert!(long.iter().all(|n| n.chars().count() < 250), "{long:?}");
}

#[test]
fn direction_marks_are_written_out() {
    let uses = permission::uses("bash", "rm 'a\u{202e}b' \u{200b}");
    let said: Vec<String> = uses.needs.iter().map(permission::Need::sentence).collect();
    assert!(
        said.iter().any(|s| s.contains("\\u{202e}") && s.contains("\\u{200b}")),
        "{said:?}"
    );
    assert!(!said.iter().any(|s| s.contains(['\u{202e}', '\u{200b}'])), "{said:?}");
}

/// A name counts as a function's only where it is surely one: what another text defines may never be defined in this shell.
#[test]
fn a_function_that_may_not_be_defined_hides_nothing() {
    for before in [
        "trap 'curl() { :; }' EXIT",
        "(eval 'curl() { :; }')",
        "eval 'curl() { :; }' &",
        "eval 'curl() { :; }' | cat",
        "coproc eval 'curl() { :; }'",
        "! eval 'curl() { :; }' | :",
        "command eval 'curl() { :; }' | :",
        "false && eval 'curl() { :; }'",
        "true || eval 'curl() { :; }'",
        "if false; then eval 'curl() { :; }'; fi",
        "while false; do eval 'curl() { :; }'; done",
        "case a in b) eval 'curl() { :; }';; esac",
        "g() { eval 'curl() { :; }'; }",
        "x=$(eval 'curl() { :; }')",
        "echo $(eval 'curl() { :; }')",
        ": <(eval 'curl() { :; }')",
        "cat <<E\n`curl() { :; }`\nE",
        "mapfile -c 999 -C 'curl() { :; };' a </dev/null",
        "curl() { :; } &",
        "curl() { :; } | cat",
        "false && curl() { :; }",
        "alias a='curl() { :; }'",
        ". /dev/stdin <<'E'\ncurl() { :; }\nE",
        "(curl() { :; })",
    ] {
        let script = format!("{before}\ncurl x");
        assert!(
            !denials("{run: {deny: [curl *]}}", &script).is_empty() || has_unclear(&script),
            "{script}: {:?}",
            needs(&script)
        );
    }
}

/// What a command gets of a here-document is not what stands there, nor is it surely all of it.
#[test]
fn a_here_document_is_what_the_command_gets() {
    for script in [
        "sh <<E\necho \"\\$(curl x)\"\nE",
        "bash <<-E\n\techo \"\\$(curl x)\"\nE",
        "bash <<E\necho \"\\`curl x\\`\"\nE",
        "bash <<E\n: \"\\${a:-}\" \"\\$(curl y)\"\nE",
        ". /dev/stdin <<E\necho \"\\$(curl x)\"\nE",
        "echo curl x | sh 3<<'E'\n:\nE",
        "echo curl x | sh 3<<< :",
        "sh 3<<'E' < <(echo curl x)\n:\nE",
        "printf 'curl x\\n' | sh 4<&0 <<'A' <&4\n:\nA",
        "while read -r l; do bash; done <<'E'\ncat <<'X'\ncurl x\nX\nE",
        "{ read -r -n 6 _; bash; } <<'E'\necho '\ncurl x\n: '\nE",
        "if read -r x; then sh; fi <<'A'\n: '\ncurl x\n: '\nA",
        "(read x; sh) <<'A'\n: '\ncurl x\n: '\nA",
        "sh && cat <<'A'\n:\nA",
        "mapfile -t -c 1 -C 'eval :' a <<< '; curl x'",
        "readarray -C eval a <<< 'curl x'",
    ] {
        assert!(
            !denials("{run: {deny: [curl *]}}", script).is_empty() || has_unclear(script),
            "{script}: {:?}",
            needs(script)
        );
    }
}

fn has_unclear(script: &str) -> bool {
    needs(script).iter().any(|need| need.starts_with("run?"))
}
