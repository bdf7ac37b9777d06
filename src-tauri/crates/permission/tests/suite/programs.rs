//! Which program a name means, and what it makes of its words.

use crate::{check, denials, has, needs, passes};

/// Nothing is allowed but what only looks or prints, and a folder to be read.
const CLOSED: [&str; 2] = [
    "{mode: deny, read: {allow: ['docs/a*']}}",
    "{mode: ask, read: {allow: ['docs/a*']}}",
];

#[track_caller]
fn is_held(script: &str) {
    for rules in CLOSED {
        assert!(!passes(rules, script), "{rules}: {script}\n{:#?}", needs(script));
    }
}

#[track_caller]
fn is_free(script: &str) {
    for rules in CLOSED {
        assert!(passes(rules, script), "{rules}: {script}\n{:#?}", needs(script));
    }
}

#[test]
fn a_program_with_a_folder_is_no_builtin_and_no_wrapper() {
    for name in [
        "eval", "nohup", "bash", "sh", "env", "nice", "time", "timeout", "xargs", "trap", "alias", "command", "cd",
        "set", "export", "read", "unset", "printf", "shopt", "popd", "exec", "builtin", "setsid", "stdbuf", "declare",
        "let", "test", "true", "echo", "flock", "watch", "wait", "mapfile", "printenv", "busybox", "setarch",
    ] {
        for folder in [
            "tools/",
            "./",
            "./tools/",
            "../tools/",
            "/opt/x/",
            "/usr/bin/../../tmp/",
            "~/bin/",
        ] {
            let script = format!("{folder}{name} :");
            is_held(&script);
            is_held(&format!("{script}; echo x"));
            is_held(&format!("nice {script}"));
        }
    }
    assert_eq!(denials("run: {deny: ['./tools/nohup *']}", "tools/nohup :").len(), 1);
    assert_eq!(denials("run: {deny: ['tools/eval']}", "cd tools; ./eval :").len(), 1);
    // Names that only look like those.
    for script in ["NOHUP :", "Eval :", "'x\\nohup' :", "nohup.exe :", "/usr/bin/NICE tr"] {
        is_held(script);
    }
    // What it starts if it is what it is called is read too.
    has("./tools/nohup curl x", &["run tools/nohup curl x", "run curl x"]);
    has("/opt/bin/bash -c 'curl x'", &["run curl x"]);
    // The system's own are meant by their names.
    check("/usr/bin/nice -n 5 a b", &["run a b"]);
    check("/usr/bin/env FOO=1 /bin/sh -c a", &["run a"]);
    has("/usr/bin/jobs -x curl x", &["run? /usr/bin/jobs -x curl x"]);
    is_free("/usr/bin/printf x; /bin/echo x; /usr/bin/test a = b");
}

#[test]
fn what_a_process_has_open_is_only_known_then() {
    for script in [
        "exec 3< <(echo curl x); bash /dev/fd/3 <<< :",
        "exec 3<<E\ncurl x\nE\nsh /dev/fd/3 <<B\n:\nB",
        "{ . /dev/fd/3 <<< :; } 3<<< 'curl x'",
        "{ source /dev/fd/3 <<< :; } 3<<< 'curl x'",
        "if bash /dev/fd/3 <<< :; then :; fi 3<<< 'curl x'",
        "bash /dev/./fd/3 <<< :",
        "bash /dev//fd/9 <<< :",
        "bash /proc/self/fd/3 <<< :",
        "bash /proc/thread-self/fd/3 <<< :",
        "bash /dev/tty <<< :",
        "bash -x /dev/fd/63 <<< :",
        "cd /dev/fd; bash 3 <<< :",
        "cd /dev && . fd/3 <<< :",
        "python3 /dev/fd/3 <<< :",
        "/proc/self/exe -c curl",
        "/proc/self/cwd/tools/x",
        "cd /proc/self; ./exe -c curl",
        "/dev/fd/3 x",
    ] {
        let found = needs(script);
        assert!(found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
    // A file of that name.
    for script in [". - <<< :", "bash -- - <<< :", "bash - - <<< :"] {
        has(script, &["read '-'"]);
    }
    check("bash - <<< a", &["run a"]);
    check("bash /dev/stdin <<< a; . /dev/fd/0 <<< b", &["run a", "run b"]);
    check(
        "python3 x.py /dev/null",
        &["run python3 x.py /dev/null", "read /dev/null"],
    );
}
