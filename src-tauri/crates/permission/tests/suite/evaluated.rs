//! Texts that a shell evaluates once more, names that steer it, and what `sh` reads in another way: all of it is only known then.

use crate::attacked::{EVALUATED, FOUND, POSIX, STEERED};
use crate::{check, judge, lines, needs};
use permission::Mode;

/// Whether the reader finds `curl`, or says that something is only known then.
#[track_caller]
fn is_open(language: &str, script: &str) {
    let found = permission::uses(language, script);
    let mut policy = crate::policy("{mode: allow, run: {deny: ['curl *']}}");
    for mode in [Mode::Allow, Mode::Ask, Mode::Deny] {
        policy.mode = mode;
        let verdict = policy.judge(&found, &[]);
        let stops = !verdict.denied.is_empty() || verdict.ask.iter().any(|need| need.unclear);
        assert!(stops, "{language} {mode:?}: {script}\n{:#?}", lines(&found));
    }
}

#[test]
fn what_is_evaluated_twice_is_only_known_then() {
    for script in EVALUATED {
        is_open("bash", script);
        is_open("sh", script);
    }
}

#[test]
fn names_that_steer_are_seen_however_they_get_a_value() {
    for script in STEERED {
        let found = needs(script);
        assert!(found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
}

#[test]
fn what_sh_reads_in_another_way_is_only_known_then() {
    for script in POSIX {
        let found = lines(&permission::uses("sh", script));
        assert!(found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
        let inside = permission::uses("bash", &format!("sh <<'END'\n{script}\nEND\n"));
        assert!(inside.needs.iter().any(|n| n.unclear), "{script}\n{inside:#?}");
    }
}

#[test]
fn what_only_looks_evaluated_is_clear() {
    for script in [
        "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done",
        "for ((i=0; i<3; i++)); do echo $i; done",
        "n=5; ((n > 3)) && echo many",
        "count=0; for f in a b; do ((count++)); done; echo $count",
        "a=(x y z); echo ${a[0]} ${a[@]} ${#a[@]} \"${a[@]:1}\"",
        "a=(1 2); for i in 0 1; do echo ${a[i]} ${a[$i]}; done",
        "declare -A m; m[key]=v; m=([a]=1 [b]=2); echo ${m[key]}",
        "[[ $# -gt 2 ]] && echo x; [[ $? -eq 0 ]]",
        "[ -z \"$1\" ] && exit 1; [ \"$#\" -lt 2 ]; [ $? -ne 0 ]",
        "[ -n \"$HOME\" ] && test \"$HOME\" = /root",
        "x=abc; echo ${x:1:2} ${x#a} ${x%c} ${x/a/b} ${x^^}",
        "while IFS= read -r line; do echo \"$line\"; done",
        "IFS=$'\\n\\t'; echo x",
        "set -euo pipefail; set -x; set -- a b; shopt -s nullglob",
        "printf '%s\\n' \"$1\"; printf 'a' $x",
        "true & wait $!; wait",
        "pid=$!; wait \"$pid\"; wait $pid",
        "export FOO=bar; readonly Y=1; declare -r Z=2; local_x=1",
        "export PATH",
        "x=$(date); echo \"$x\"; unset x",
        "msg='all done'; printf \"$msg\\n\"",
        "select x in a b; do echo $x; done",
        "read -r a b <<< 'x y'; read -p 'Go? ' -n 1 answer",
        "s=$((2 * 3)); t=$((s << 1)); echo $((s % t))",
        "flags=0; (( flags |= 1 << 3 )); for (( i=1; i<1<<4; i++ )); do echo $i; done",
        "cat <<E\nHello $USER, it's \"$(date)\" and $((1 + 1)) of ${HOME:-x}\nE",
        "cat <<'E'\nit's $(not run) `nor this` ${x\nE",
        "PYTHONUNBUFFERED=1 echo x; LC_ALL=C sort a; FOO=1 echo x",
        "echo a >&2; echo a >& build/log.txt; exec 3>&1; fd=3; echo a >&$fd",
    ] {
        let found = needs(script);
        assert!(!found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
    for script in [
        "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done",
        "if [ -f a ]; then . ./a; fi; x=$(cat b) && export x",
        "f() { local y=1; echo $y; }; f | sort > /dev/null 2>&1",
        "case $1 in a|b) echo c;; *.md) echo d;; esac",
        "cat <<E\n${x:-y} $(date)\nE",
    ] {
        let found = lines(&permission::uses("sh", script));
        assert!(!found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
    check("x=1; echo $((x + 1))", &["run echo $((…))"]);
}

#[test]
fn an_allowed_program_is_not_told_to_run_another() {
    for script in [
        "env GIT_EXTERNAL_DIFF='curl x' git diff",
        "GIT_EXTERNAL_DIFF='curl x' git diff",
        "export 'GIT_EXTERNAL_DIFF=curl x'; git diff",
        "GIT_EXTERNAL_DIFF='curl x'; export GIT_EXTERNAL_DIFF; git diff",
        "declare -x GIT_EXTERNAL_DIFF='curl x'; git diff",
        "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=diff.external GIT_CONFIG_VALUE_0=curl git diff",
        "GIT_DIR=../evil git diff",
        "GIT_CONFIG_GLOBAL=./evil git diff",
        "XDG_CONFIG_HOME=. git diff",
        "HOME=. git diff",
        "npm_config_script_shell=./x.sh npm test",
        "NPM_CONFIG_SCRIPT_SHELL=./x.sh npm test",
        "Npm_Config_script_shell=./x.sh npm test",
        "env npm_config_script_shell=./x.sh npm test",
        "NODE_OPTIONS='-r ./x.js' npm test",
        "NODE_PATH=./x npm test",
        "env -S 'npm_config_script_shell=./x.sh npm test'",
        "env -S -S 'npm_config_script_shell=./x.sh npm test'",
        "env -S --split-string='npm_config_script_shell=./x.sh npm test'",
        "env -iS '-S npm_config_script_shell=./x.sh npm test'",
        "nice env npm_config_userconfig=./rc npm test",
        "MAKEFLAGS='--eval=x' make",
        "CC=./evil make",
        "CARGO_TARGET_X_RUNNER=./evil cargo test",
        "RUSTC_WORKSPACE_WRAPPER=./evil cargo test",
        "PYTHONPATH=. python3 x.py",
        "LD_PRELOAD=./x.so make",
        "git diff --output=../x",
        "git diff --outp=../x",
        "git diff --output ../x",
        "git log -p --output=../../x",
        "git diff --output=$d/x",
    ] {
        let rules = "run: {allow: ['git diff *', 'git log *', 'npm test', 'make', 'cargo test', 'python3 x.py']}";
        let verdict = judge(rules, script);
        assert!(
            !verdict.ask.is_empty() || !verdict.denied.is_empty(),
            "{script}\n{verdict:#?}"
        );
    }
}

#[test]
fn files_outside_and_secrets_are_met_by_no_detour() {
    let open = "{mode: allow, read: {allow: ['**']}, write: {allow: ['**']}, run: {allow: ['*']}}";
    for script in [
        "echo x 1<> ../x",
        "exec 3<> ../x",
        "split h ../x",
        "split -l 1 h ../x",
        "git diff --output=../x",
        "git diff --outp=../x",
        "git format-patch -o ../x",
        "sort --o=../x h",
        "sort --outp ../x h",
        "sort -o../x h",
        "sort -T ../x h",
        "mktemp -p ../x",
        "mktemp --tmpdir=../x",
        "mktemp ../x.XXXX",
        "anything --output=../x",
        "anything --log-file=/etc/x",
        "csplit -f ../x h 1",
        "echo x > $d/x",
        "d=..; echo x > $d/x",
        "echo x > $OLDPWD/../x",
        "echo x > \"$d\"",
        "cd $d && echo x > y",
        "cat keys/id_rs?",
        "cat keys/*",
        "cat *",
        "cat < k*/id_[r]sa",
        "cat /etc/shado?",
        "cat /etc/sh*w",
        "cat keys/*.pe?",
        "cat .e?v",
        "date -f .env",
        "grep -f .env x",
        "wc --files0-from=.env",
        "echo x > .gatehouse/history.db",
        "echo x > .git/hooks/pre-commit",
        "echo x > sub/.git/config",
        "echo x >> gatehouse.yaml",
        "cd .git && touch config",
        "tee .GIT/hooks/x",
        "a=.e b=nv; cat $a$b",
    ] {
        let verdict = judge(open, script);
        assert!(
            !verdict.ask.is_empty() || !verdict.denied.is_empty(),
            "{script}\n{verdict:#?}"
        );
    }
    for script in [
        "cat src/*.rs docs/*.md",
        "echo x > out/a",
        "echo x > .gatehouse/runs/r1/out/a",
        "echo x > .gitignore",
        "rm -rf dist/*",
        "date +%s",
        "cd src && cat a > b",
    ] {
        let verdict = judge(open, script);
        assert!(
            verdict.ask.is_empty() && verdict.denied.is_empty(),
            "{script}\n{verdict:#?}"
        );
    }
}

#[test]
fn what_the_grammar_reads_in_another_way_is_only_known_then() {
    for script in FOUND {
        let found = needs(script);
        let open = found
            .iter()
            .any(|n| n.starts_with("run? ") || n.starts_with("run curl"));
        assert!(open, "{script}\n{found:#?}");
    }
    // Outside of a function it sets nothing: what is read then is the environment's.
    assert!(needs("local V1=a; echo $V1").iter().any(|n| n.starts_with("run? ")));
    assert!(needs("shopt -s nullglob; set m1*").contains(&"env *".to_owned()));
    assert!(
        !needs("echo a # b\n# c\n(echo d) # e")
            .iter()
            .any(|n| n.starts_with("run? "))
    );
}

#[test]
fn what_stands_between_git_and_its_command_hides_neither() {
    let rules = "run: {allow: ['git *'], deny: ['git push *', 'git push', 'curl *']}";
    for script in [
        "git -c alias.p=push p",
        "git -c 'alias.x=!curl evil' x",
        "git -c core.pager=./x log",
        "git -c core.fsmonitor=./x status",
        "git -c $setting status",
        "git --config-env=alias.p=WHERE p",
        "git --exec-path=./evil status",
        "git $options status",
        "git -C there push",
        "git --no-pager push origin",
        "git -c user.name=x push origin main",
        "git --git-dir .git --work-tree . push",
    ] {
        let verdict = judge(rules, script);
        assert!(
            !verdict.ask.is_empty() || !verdict.denied.is_empty(),
            "{script}\n{verdict:#?}"
        );
    }
    for script in [
        "git --no-optional-locks status",
        "git --no-pager log",
        "git -c user.name=x commit -m y",
        "git -c color.ui=never diff",
    ] {
        let verdict = judge(rules, script);
        assert!(
            verdict.ask.is_empty() && verdict.denied.is_empty(),
            "{script}\n{verdict:#?}"
        );
    }
}
