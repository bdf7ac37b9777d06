//! Texts that a shell evaluates once more, names that steer it, and what `sh` reads in another way: all of it is only known then.

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

/// What an attacker had through, and others of the same kinds.
pub const EVALUATED: &[&str] = &[
    "x='a[$(curl x)]'; : $((x))",
    "x='a[$(curl x)]'; ((x))",
    "x='a[$(curl x)]'; : $[x]",
    "x='a[$(curl x)]'; let x",
    "x='a[$(curl x)]'; let y=x",
    "x='a[$(curl x)]'; let \"y = x + 1\"",
    "x='a[$(curl x)]'; [[ x -eq 0 ]]",
    "x='a[$(curl x)]'; [[ 0 -lt $x ]]",
    "x='a[$(curl x)]'; [[ \"$x\" -ge 0 ]]",
    "x='a[$(curl x)]'; test -v \"$x\"",
    "a=1; test -v 'a[$(curl x)]'",
    "a=1; [ -v 'a[$(curl x)]' ]",
    "a=1; [[ -v 'a[$(curl x)]' ]]",
    "x='a[$(curl x)]'; a=1; [[ -v $x ]]",
    "x='-v a[$(curl${IFS}x)]'; a=1; [ $x ]",
    "x=-v y='a[$(curl x)]'; a=1; [ \"$x\" \"$y\" ]",
    "x=-v; a=1; [ \"$x\" 'a[$(curl x)]' ]",
    "x='-v a[$(curl${IFS}x)] -o z'; a=1; test $x = y",
    "printf -v 'a[$(curl x)]' y",
    "printf -v'a[$(curl x)]' y",
    "x='a[$(curl x)]'; printf -v \"$x\" y",
    "x='-va[$(curl x)]'; printf \"$x\" y",
    "read 'a[$(curl x)]' <<< y",
    "read -a 'a[$(curl x)]' <<< y",
    "echo y | { read -r 'a[$(curl x)]'; }",
    "a=(1); unset 'a[$(curl x)]'",
    "a=(1); x='a[$(curl x)]'; unset $x",
    "true & wait -n -p 'a[$(curl x)]'",
    "declare 'a[$(curl x)]=1'",
    "declare -i x='a[$(curl x)]'",
    "declare -i x; x='a[$(curl x)]'",
    "typeset -i x='a[$(curl x)]'",
    "f() { local -i x='a[$(curl x)]'; }; f",
    "declare -a 'x=([$(curl x)]=1)'",
    "declare -a 'x=($(curl x))'",
    "x='a[$(curl x)]'; declare -A m; m=1; : $((x))",
    "y='a[$(curl x)]'; z=abc; : ${z:y}",
    "y='a[$(curl x)]'; z=abc; : ${z:0:y}",
    "y='a[$(curl x)]'; a=(1 2); : ${a[y]}",
    "y='a[$(curl x)]'; a=(1 2); : ${a[$y]}",
    "y='a[$(curl x)]'; a=(1 2); : ${#a[y]}",
    "y='a[$(curl x)]'; a[y]=1",
    "y='a[$(curl x)]'; a=([y]=1)",
    "a=(['b[$(curl x)]']=1)",
    "x='a[$(curl x)]'; for ((i=x;i<1;i++)); do :; done",
    "x='a[$(curl x)]'; for ((;x;)); do :; done",
    "x='a[$(curl x)]'; set -- a; shift $((x))",
    "x='a[$(curl x)]'; exit $((x))",
    "x='$(curl x)'; : ${x@P}",
    "x='$(curl x)'; : \"${x@P}\"",
    "set -- '$(curl x)'; : ${1@P}",
    "x='a[$(curl x)]'; a=1; : ${!x}",
    "set -- 'a[$(curl x)]'; : $(($1))",
    "f() { : $(($1)); }; f 'a[$(curl x)]'",
    "f() { (( $# > 0 )) && ((x = $1)); }; f 'a[$(curl x)]'",
    ": 'a[$(curl x)]'; ((_))",
    "read <<< 'a[$(curl x)]'; ((REPLY))",
    "mapfile <<< 'a[$(curl x)]'; ((MAPFILE))",
    "[[ 'a[$(curl x)]' =~ .* ]]; ((BASH_REMATCH))",
    "x='a[$(curl x)]'; y=x; ((y))",
    "x='a[$(curl x)]'; y=$x; ((y))",
    "for x in 'a[$(curl x)]'; do ((x)); done",
    "a=('a[$(curl x)]'); ((a))",
    "read x <<< 'a[$(curl x)]'; ((x++))",
    "printf -v x '%s' 'a[$(curl x)]'; ((x))",
    "x=1; x+='+a[$(curl x)]'; ((x))",
    ": ${x:='a[$(curl x)]'}; ((x))",
    "x='a[$(curl x)]' bash -c ': $((x))'",
    "env x='a[$(curl x)]' bash -c '((x))'",
    "export x='a[$(curl x)]'; bash -c '((x))'",
    "cat <<E\n$((a[$(curl x)]))\nE",
    "x='a[$(curl x)]'; cat <<E\n$((x))\nE",
    "x='a[$(curl x)]'; echo \"${y:-$((x))}\"",
    "x='a[$(curl x)]'; echo \"${y:-$[x]}\"",
    "echo \"${y:-'$(curl x)'}\"",
    "a=1; exec {a[$(curl x)]}>/dev/null",
    "a=1; : {a[$(curl x)]}>/dev/null",
    "x='a[$(curl x)]'; mapfile -O x y <<< z",
    "declare -n r='a[$(curl x)]'; a=1; : $r",
    "x='a[$(curl x)]'; coproc { ((x)); }; wait",
];

/// Ways to a program of one's own by a name that steers the shell.
pub const STEERED: &[&str] = &[
    "export \"PATH=./evil\"; ls",
    "export 'PATH=./evil'; ls",
    "declare \"PATH=./evil\"; ls",
    "declare -x \"PATH=./evil\"; ls",
    "readonly \"PATH=./evil\"; ls",
    "v=PATH; typeset $v=./evil; ls",
    "f() { local 'PATH=./evil'; ls; }; f",
    "f() { local PATH; ls; }; f",
    "unset PATH; ls",
    "read PATH <<< ./evil; ls",
    "read -r x PATH <<< '1 ./evil'; ls",
    "read -a PATH <<< ./evil; ls",
    "read -raPATH <<< ./evil; ls",
    "v=PATH; read $v <<< ./evil; ls",
    "printf -v PATH ./evil; ls",
    "printf -vPATH ./evil; ls",
    "v='-v PATH'; printf $v ./evil; ls",
    "for PATH in ./evil; do ls; done",
    "mapfile -t PATH <<< ./evil; ls",
    "readarray -t PATH <<< ./evil; ls",
    "set -- -x; getopts x PATH; ls",
    ": $((PATH=1)); ls",
    "((PATH=1)); ls",
    "let PATH=1; ls",
    "true & wait -n -p PATH; ls",
    "declare -n r=PATH; r=./evil; ls",
    "unset PATH; : ${PATH:=./evil}; ls",
    "exec {PATH}>/dev/null; ls",
    "PATH+=:./evil; ls",
    "PATH[0]=./evil; ls",
    "select PATH in ./evil; do ls; break; done <<< 1",
    "env PATH=./evil ls",
    "env -u PATH ls",
    "env --unset=PATH ls",
    "env -S 'PATH=./evil ls'",
    "sudo PATH=./evil ls",
    "BASH_CMDS[ls]=./evil; ls",
    "BASH_ENV=./evil bash -c :",
    "env BASH_ENV=./evil bash -c :",
    "export 'BASH_ENV=./evil'; bash -c :",
    "env ENV=./evil sh -c :",
    "export 'PS4=$(curl x)'; set -x; :",
    "declare 'PS4=$(curl x)'; set -x; :",
    "typeset 'PS4=$(curl x)'; set -x; :",
    "read PS4 <<< '$(curl x)'; set -x; :",
    "printf -v PS4 '%s' '$(curl x)'; set -x; :",
    "for PS4 in '$(curl x)'; do set -x; :; done",
    "env 'PS4=$(curl x)' bash -xc :",
    "env 'BASH_FUNC_ls%%=() { curl x; }' bash -c ls",
    "export -f ls",
    "CDPATH=/ cd etc",
    "IFS=x; y=curlxz; echo $y",
    "declare IFS=x",
    "HOME=. git diff",
    "cd evil; unset HOME",
    "set -k; git diff GIT_EXTERNAL_DIFF=curl",
    "set -o keyword",
    "set -a; GIT_EXTERNAL_DIFF=curl",
    "set -o posix",
    "shopt -s expand_aliases",
    "shopt -s dotglob; cat *",
    "alias ls=curl",
    "alias ls=command",
    "jobs -x curl x",
    "compgen -C 'curl x'",
    "compgen -W '$(curl x)'",
    "history -w ../x",
    "bash -O expand_aliases -c 'ls'",
    "bash --posix -c ls",
    "zsh -c ls",
    "sort --compress-program=curl x",
    "split --filter='curl x' y",
    "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
    "echo {1..1000000000}",
];

/// What `sh` may read in another way.
pub const POSIX: &[&str] = &[
    "echo $'\\'; curl x; #'",
    "sh -c \"echo $'\\\\'; curl x; #'\"",
    "[[ -n a ]] || [[ x || curl ]]",
    "[[ -n a ]]",
    "((curl -x))",
    "((1))",
    "for ((i=0;i<1;i++)); do :; done",
    "alias echo=nohup\necho curl x",
    "alias true=exec\ntrue curl x",
    "echo a &> b",
    "echo a >& b",
    "echo a |& cat",
    "cat <<< x",
    "cat <(true)",
    "echo {a,b}",
    "echo {1..3}",
    "x=(a b)",
    "x[0]=a",
    "x+=a",
    "echo ${x/a/b}",
    "echo ${x:1}",
    "echo ${x^^}",
    "echo ${!x}",
    "echo ${x@Q}",
    "function f { curl x; }",
    "select x in a; do :; done",
    "echo $\"curl\"",
    "$'curl' x",
    "source ./x",
    "let x=1",
    "declare x=1",
    "typeset x=1",
    "shopt -s nullglob",
    "builtin echo",
    "case a in a) : ;& b) : ;; esac",
    "echo $[1]",
    "y='a PATH=./evil'; local x=$y",
    "mapfile x",
    "coproc true",
    "echo a \\\r\ncurl x",
];

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
        "PYTHONUNBUFFERED=1 echo x; LC_ALL=C sort a; FOO=1 echo x",
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
