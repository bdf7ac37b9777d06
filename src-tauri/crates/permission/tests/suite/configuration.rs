//! Permissions in `gatehouse.yaml`.

use permission::{Mode, Permissions};

fn read(yaml: &str) -> Result<Permissions, String> {
    serde_yaml::from_str(yaml).map_err(|e| e.to_string())
}

const WHOLE: &str = r#"
mode: ask
run: {allow: ["npm test", "npm run *"], deny: ["curl *"]}
read: {allow: ["config/**"], deny: ["secrets/**"]}
write: {allow: ["dist/**"], deny: []}
env: {allow: ["CI", "MODEL_*"], deny: ["*_URL"]}
runbooks:
  "deploy/**": {mode: deny, run: {allow: ["./deploy.sh *"]}}
  "deploy/*.runbook.md": {env: {allow: [DEPLOY_TOKEN]}}
  "**/open.md": {mode: allow}
"#;

#[test]
fn the_whole_form() {
    let permissions = read(WHOLE).expect("it is good");
    let base = permissions.of("other.runbook.md");
    assert_eq!(base, permissions.base);
    assert_eq!(base.run.allow, ["npm test", "npm run *"]);
    assert_eq!(base.env.deny, ["*_URL"]);
    assert_eq!(base.mode, Mode::Ask);
}

#[test]
fn overrides_add_lists_and_replace_the_mode() {
    let permissions = read(WHOLE).expect("it is good");
    let deploy = permissions.of("deploy/prod.runbook.md");
    assert_eq!(deploy.mode, Mode::Deny);
    assert_eq!(deploy.run.allow, ["npm test", "npm run *", "./deploy.sh *"]);
    assert_eq!(deploy.run.deny, ["curl *"]);
    assert_eq!(deploy.env.allow, ["CI", "MODEL_*", "DEPLOY_TOKEN"]);
    let deeper = permissions.of("./deploy/eu/prod.runbook.md");
    assert_eq!((deeper.mode, deeper.env.allow.len()), (Mode::Deny, 2));
    let last = permissions.of("deploy/open.md");
    assert_eq!(last.mode, Mode::Allow);
    assert_eq!(permissions.of("deploy\\win.md").mode, Mode::Deny);
    assert_eq!(permissions.of("redeploy/x.md").mode, Mode::Ask);
}

#[test]
fn nothing_said_asks() {
    for yaml in [
        "",
        "{}",
        "null",
        "run:",
        "run: {allow: }",
        "runbooks:",
        "runbooks: {x: }",
    ] {
        assert_eq!(read(yaml).expect(yaml).base, permission::Policy::default(), "{yaml}");
    }
    assert_eq!(Permissions::default().of("x").mode, Mode::Ask);
}

#[test]
fn mistakes_are_said_plainly() {
    for (yaml, said) in [
        (
            "mod: ask",
            "permissions.mod: there is no such key; the keys here are mode, run, read, write, env, network, runbooks",
        ),
        (
            "run: {alow: []}",
            "permissions.run.alow: there is no such key; the keys here are allow, deny",
        ),
        (
            "mode: maybe",
            "permissions.mode: \"maybe\" is no mode: write ask, allow or deny",
        ),
        (
            "mode: true",
            "permissions.mode: true is no mode: write ask, allow or deny",
        ),
        ("run: [a]", "permissions.run: here belong keys with values"),
        (
            "run: {allow: npm test}",
            "permissions.run.allow: here belongs a list of patterns",
        ),
        (
            "env: {allow: [1]}",
            "permissions.env.allow: 1 is no text; put it in quotes",
        ),
        (
            "read: {allow: ['a[b']}",
            "permissions.read.allow: `a[b` cannot be used: a `[` is not closed",
        ),
        (
            "write: {deny: ['{a']}",
            "permissions.write.deny: `{a` cannot be used: a `{` is not closed",
        ),
        (
            "read: {deny: ['']}",
            "permissions.read.deny: `` cannot be used: it is empty",
        ),
        (
            "run: {deny: [\"a 'b\"]}",
            "permissions.run.deny: `a 'b` cannot be used: a quote is not closed",
        ),
        (
            "run: {deny: [' ']}",
            "permissions.run.deny: ` ` cannot be used: it is empty",
        ),
        (
            "env: {allow: ['A B']}",
            "permissions.env.allow: `A B` cannot be used: a variable's name has",
        ),
        (
            "runbooks: {'a[': {}}",
            "permissions.runbooks.a[: `a[` is no pattern of paths: a `[` is not closed",
        ),
        (
            "runbooks: {a: {runbooks: {}}}",
            "permissions.runbooks.a.runbooks: there is no such key; the keys here are mode, run, read, write, env",
        ),
        (
            "runbooks: {a: {mode: x}}",
            "permissions.runbooks.a.mode: \"x\" is no mode",
        ),
        ("[1]", "permissions: here belong keys with values"),
        (
            "read: {allow: ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}']}",
            "stands for more than 64 patterns",
        ),
    ] {
        let error = read(yaml).expect_err(yaml);
        assert!(error.contains(said), "{yaml}: {error}");
    }
}
