//! Modes, rules and grants.

use crate::{check, denials, judge, line, policy};
use permission::{Kind, Need, Uses, uses};

#[track_caller]
fn said(yaml: &str, script: &str) -> String {
    let verdict = judge(yaml, script);
    match (verdict.denied.is_empty(), verdict.ask.is_empty()) {
        (false, _) => "denied",
        (true, false) => "ask",
        (true, true) => "allowed",
    }
    .to_owned()
}

#[test]
fn modes_decide_what_no_rule_names() {
    assert_eq!(said("mode: ask", "npm publish"), "ask");
    assert_eq!(said("mode: allow", "npm publish"), "allowed");
    assert_eq!(said("mode: deny", "npm publish"), "denied");
    assert_eq!(said("{}", "npm publish"), "ask");
    assert_eq!(
        denials("mode: deny", "npm publish"),
        ["run npm publish: no rule allows it, and the mode is deny"]
    );
}

#[test]
fn patterns_of_commands() {
    let cases = [
        ("npm test", "npm test", true),
        ("npm test", "npm test -- x", false),
        ("npm run *", "npm run build --x", true),
        ("npm run *", "npm run", true),
        ("npm run *", "npm runs", false),
        ("npm run test*", "npm run test:unit", true),
        ("npm run test*", "npm run build", false),
        ("git * --force", "git push origin --force", true),
        ("git * --force", "git push --force x", false),
        ("./deploy.sh *", "./deploy.sh a b", true),
        ("./deploy.sh *", "././deploy.sh a", true),
        ("./deploy.sh *", "cd evil && ./deploy.sh a", false),
        ("./deploy.sh *", "deploy.sh a", false),
        ("scripts/x.sh", "./scripts/x.sh", true),
        ("make", "/usr/bin/make", true),
        ("make", "./make", false),
        ("make", "/tmp/make", false),
        ("echo2 'a b'", "echo2 \"a b\"", true),
        ("echo2 'a b'", "echo2 a b", false),
        ("echo2 a*", "echo2 'a b'", true),
        ("npm run build", "npm run $X", false),
        ("npm run *", "npm run $X", true),
        ("*", "anything at all", true),
        ("*", "$CMD", false),
        ("npm *", "npm test && curl x", false),
        ("npm *", "npm test | npm x", true),
        ("npm *", "npm test $(curl x)", false),
    ];
    for (pattern, script, allowed) in cases {
        let verdict = judge(&format!("{{run: {{allow: [{pattern:?}]}}}}"), script);
        let asks = verdict.ask.iter().any(|n| n.kind == Kind::Run);
        assert_eq!(!asks, allowed, "{pattern} and {script}: {verdict:#?}");
    }
}

#[test]
fn patterns_of_paths() {
    let cases = [
        ("config/**", "cat config/a/b.yaml", true),
        ("config/**", "cat config", true),
        ("config/**", "cat ./x/../config//a", true),
        ("config/**", "cat configs/a", false),
        ("config/**", "cat config/../x", false),
        ("config/*", "cat config/a/b", false),
        ("config/*.yaml", "cat config/*", false),
        ("config/*", "cat config/*.yaml", true),
        ("**/*.md", "cat a/b/c.md", true),
        ("**/*.md", "cat c.md", true),
        ("a/**/b", "cat a/b", true),
        ("a/**/b", "cat a/x/y/b", true),
        ("*.{md,txt}", "cat a.txt", true),
        ("[ab].txt", "cat b.txt", true),
        ("[!ab].txt", "cat b.txt", false),
        ("./x", "cat x", true),
        ("dist/**", "cat dist/$X", false),
        ("**", "cat $X", false),
        ("/etc/hosts", "cat /etc/hosts", true),
    ];
    for (pattern, script, allowed) in cases {
        let verdict = judge(&format!("{{read: {{allow: [{pattern:?}]}}}}"), script);
        assert_eq!(verdict.ask.is_empty(), allowed, "{pattern} and {script}: {verdict:#?}");
    }
}

#[test]
fn deny_wins() {
    let all = "{mode: allow, run: {allow: ['curl *', 'curl x'], deny: ['curl *']}}";
    assert_eq!(denials(all, "curl x"), ["run curl x: deny rule `curl *`"]);
    let granted = [
        Need::new(Kind::Run, "curl x"),
        Need::new(Kind::Read, ".env"),
        Need::new(Kind::Write, "/etc/x"),
        Need::new(Kind::Env, "A_TOKEN"),
    ];
    let verdict = policy(all).judge(&uses("bash", "curl x; cat .env > /etc/x; echo $A_TOKEN"), &granted);
    assert_eq!(verdict.denied.len(), 4, "{verdict:#?}");
    assert_eq!(
        denials(
            "{read: {allow: ['secrets/a'], deny: ['secrets/**']}}",
            "cat secrets/a secrets"
        )
        .len(),
        2
    );
    assert_eq!(
        denials("{read: {deny: ['secrets/**']}}", "cat SECRETS/a x/../secrets/b").len(),
        2
    );
    assert_eq!(
        denials("{write: {allow: ['dist/**'], deny: ['dist/keep']}}", "rm dist/keep").len(),
        1
    );
    assert_eq!(denials("{run: {deny: ['git push *']}}", "git push").len(), 1);
    assert_eq!(denials("{run: {deny: ['echo *']}}", "echo harmless").len(), 1);
    assert_eq!(denials("{env: {deny: [HOME]}}", "echo $HOME").len(), 1);
}

#[test]
fn what_a_deny_rule_may_fit_is_never_allowed_unseen() {
    assert_eq!(said("{mode: allow, run: {deny: ['git push *']}}", "git $X"), "ask");
    assert_eq!(
        said("{mode: ask, run: {allow: ['git *'], deny: ['git push *']}}", "git $X"),
        "ask"
    );
    assert_eq!(
        said(
            "{mode: ask, run: {allow: ['git *'], deny: ['git push *']}}",
            "git status"
        ),
        "allowed"
    );
    assert_eq!(said("{mode: allow, read: {deny: ['secrets/**']}}", "cat se*/x"), "ask");
    assert_eq!(
        said("{mode: allow, read: {deny: ['secrets/**']}}", "cat docs/*.md"),
        "allowed"
    );
}

#[test]
fn unclear_needs() {
    // A file that is only known then may be a secret.
    assert_eq!(said("{mode: allow}", "cat $DIR/x"), "ask");
    assert_eq!(said("{mode: allow}", "echo a > $OLDPWD/x"), "ask");
    for script in ["$CMD", "curl x | sh"] {
        assert_eq!(
            said(
                "{mode: ask, run: {allow: ['*']}, read: {allow: ['**']}, env: {allow: ['*']}}",
                script
            ),
            "ask",
            "{script}"
        );
        assert_eq!(said("{mode: allow}", script), "allowed", "{script}");
        for rule in [
            "run: {deny: [x]}",
            "read: {deny: [x]}",
            "write: {deny: [x]}",
            "env: {deny: [x]}",
        ] {
            assert_eq!(
                said(&format!("{{mode: allow, {rule}}}"), script),
                "ask",
                "{script} {rule}"
            );
        }
        assert_eq!(
            said("{mode: deny, run: {allow: ['*']}, env: {allow: ['*']}}", script),
            "denied",
            "{script}"
        );
    }
}

#[test]
fn grants() {
    let uses = uses("bash", "npm publish; $CMD x; cat a; echo $Y");
    let policy = policy("mode: ask");
    let asked = policy.judge(&uses, &[]).ask;
    assert_eq!(
        asked.iter().map(line).collect::<Vec<_>>(),
        ["run npm publish", "run? $CMD x", "env CMD", "read a", "env Y"]
    );
    let verdict = policy.judge(&uses, &asked);
    assert_eq!((verdict.ask.len(), verdict.denied.len()), (0, 0));
    // A grant is for exactly what was asked.
    let other = [
        Need::new(Kind::Run, "npm publish --force"),
        Need::new(Kind::Run, "$CMD x"),
    ];
    assert_eq!(policy.judge(&uses, &other).ask.len(), asked.len());
}

#[test]
fn every_need_is_in_exactly_one_list() {
    let uses = uses("bash", "echo a; npm test; curl x; cat .env; $X; rm y");
    let verdict = policy("{run: {allow: ['npm test'], deny: ['curl *']}}").judge(&uses, &[]);
    assert_eq!(
        verdict.allowed.len() + verdict.ask.len() + verdict.denied.len(),
        uses.needs.len()
    );
    assert_eq!(
        policy("{}").judge(&Uses::default(), &[]),
        permission::Verdict::default()
    );
}

#[test]
fn harmless_commands_are_asked_about_by_nobody() {
    for script in [
        "echo hi; printf '%s\\n' a",
        "true && false || :",
        "[ -n x ] && test 1 = 1 && [[ a == b ]]",
        "cd sub && pwd",
        "exit 1",
        "sleep 1",
        "set -euo pipefail",
        "export CI=true",
        "f() { local x=1; }; declare -a y",
        "date +%s; basename a/b; dirname a/b",
        "ls",
        "x=1; y=$((x + 1)); echo $y",
        "echo $HOME $PATH $USER $LANG",
        "while true; do break; done",
        "f() { return 0; }; f",
        "echo a | grep a | wc -l | tr a b",
        "if command -v npm >/dev/null 2>&1; then echo yes; fi",
        "unset X; shift; wait",
        "for i in 1 2 3; do echo $i; done",
        "/usr/bin/printf x",
        "cat <<E\nhello\nE",
        "uname -a; whoami; id",
    ] {
        for mode in ["ask", "deny"] {
            assert_eq!(
                said(&format!("mode: {mode}"), script),
                "allowed",
                "{script} {:#?}",
                judge("mode: ask", script)
            );
        }
    }
    assert_eq!(said("mode: ask", "./echo x"), "ask");
    assert_eq!(said("mode: ask", "/tmp/ls"), "ask");
}

/// A grant is for the script that was shown, wherever more than the words decides what happens.
#[test]
fn what_is_granted_of_an_unclear_script_is_that_script() {
    for (shown, other) in [
        ("\"$SHELL\" -c \"\necho a\"", "\"$SHELL\" -c \"\ncurl x\""),
        ("$0 <<EOF\necho a\nEOF", "$0 <<EOF\ncurl x\nEOF"),
        ("X=a; rm -r $X", "X=/; rm -r $X"),
        ("d=a; echo x > $d/b", "d=..; echo x > $d/b"),
        ("eval \"$a\" # 1", "eval \"$a\" # 2"),
        ("x=1; ((x + y))", "y='a[$(curl)]'; ((x + y))"),
        ("a | sh", "b | sh"),
        ("PATH=./a; ls", "PATH=./a; ls; touch ls"),
    ] {
        let granted = uses("bash", shown).needs;
        let policy = policy("mode: ask");
        assert!(policy.judge(&uses("bash", shown), &granted).ask.is_empty(), "{shown}");
        let open = policy.judge(&uses("bash", other), &granted).ask;
        assert!(
            open.iter().any(|need| need.script.is_some()),
            "{shown} and {other}: {open:#?}"
        );
        let sentences: Vec<String> = granted.iter().map(Need::sentence).collect();
        assert!(
            open.iter().any(|need| !sentences.contains(&need.sentence())),
            "{open:#?}"
        );
        // The same text for another shell is another script.
        let dash = policy.judge(&uses("sh", shown), &granted).ask;
        assert!(!dash.is_empty(), "{shown}: {dash:#?}");
    }
    // What was kept before needs had a script.
    let old: Need = serde_json::from_str(r#"{"kind": "run", "what": "rm $X"}"#).expect("a need");
    assert!(!policy("mode: ask").judge(&uses("bash", "rm $X"), &[old]).ask.is_empty());
}

#[test]
fn sentences() {
    for (script, sentence) in [
        ("npm publish", "run `npm publish`"),
        ("cat config/x.yaml", "read `config/x.yaml`"),
        ("mkdir dist/", "write `dist/`"),
        ("echo $CI", "use the variable `CI`"),
    ] {
        let said: Vec<String> = uses("bash", script).needs.iter().map(Need::sentence).collect();
        assert!(said.iter().any(|s| s == sentence), "{said:?}");
    }
    for (script, sentence) in [
        (
            "curl x | sh",
            "run something that is only known then: `sh` (in the script ",
        ),
        ("rm $X", "run `rm $X` (in the script "),
    ] {
        let said: Vec<String> = uses("bash", script).needs.iter().map(Need::sentence).collect();
        assert!(said.iter().any(|s| s.starts_with(sentence)), "{said:?}");
    }
    check("npm publish --tag next", &["run npm publish --tag next"]);
}
