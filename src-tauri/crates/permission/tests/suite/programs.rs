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

/// Words in the place of a value that may become several, or none.
#[test]
fn the_value_of_an_option_may_become_several_words() {
    for script in [
        "nice -n $(echo 5 curl) tr",
        "x='5 curl'; nice -n $x tr",
        "x='5 curl'; nice -n$x tr",
        "x='5 curl'; nice --adjustment=$x tr",
        "set -- 5 curl; nice -n \"$@\" tr",
        "set -- 5 curl; nice -n $* tr",
        "a=(5 curl); nice -n \"${a[@]}\" tr",
        "x='d curl'; env -C $x tr",
        "x='d curl'; env --chdir=$x tr",
        "x='1 curl'; env A=$x tr",
        "x=; env -u $x tr curl",
        "x=; env -u\"$x\" tr curl",
        "x='1 curl'; xargs -n $x tr",
        "x='1 curl'; xargs -d $x tr",
        "x='1 curl'; xargs -P $x tr",
        "x='9 5 curl'; timeout -s $x 5 tr",
        "x='1 5 curl'; timeout -k $x 5 tr",
        "x='1 5 curl'; timeout --kill-after=$x 5 tr",
        "x='1 5 curl'; timeout /$x tr",
        "x='5 curl'; timeout -- $x tr",
        "x=-k5; timeout \"$x\" 5 curl",
        "timeout \"$1\" 5 curl",
        "x='L curl'; stdbuf -o $x tr",
        "x='a curl'; exec -a $x tr",
        "x='2 curl'; ionice -c $x tr",
        "env -C d*/run tr",
        "env -u a? tr",
        "nice -n [1-9] tr",
        "x='1 curl'; flock -w $x l tr",
        "x='1 curl'; watch -n $x tr",
        "x='a curl'; sudo A=$x tr",
        "x='/ curl'; chroot -- $x tr",
        "x='me curl'; sudo -u $x tr",
        "x='1 PATH'; read -t $x y",
        "x='1 PATH'; read -t $x -r y",
        "x='1 -C curl'; mapfile -n $x y",
        "x='p PATH'; read -p$x y",
        "read -p * y",
    ] {
        let found = needs(script);
        assert!(found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
    for script in [
        "nice -n 5 tr a b",
        "nice -n \"$1\" tr a b",
        "nice -n $((1 + 2)) tr a b",
        "xargs -n $# echo",
        "env -u A B=\"$1\" echo x",
        "t=5; timeout \"$t\" echo x",
        "timeout -k 5 10 echo x",
        "timeout --kill-after=5s 10 echo x",
        "env -C \"$1\" echo x",
        "read -r -p \"$1\" -t 5 y",
    ] {
        let found = needs(script);
        assert!(!found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
}

/// An option with a part that is not known may end early and name a file, or be another option.
#[test]
fn an_option_with_an_unknown_part_may_be_more() {
    for script in [
        "x=' ../marker'; echo p | tee -a$x",
        "mkdir -m$(echo 755 ../marker)",
        "uniq -f$(echo 0 docs/a.txt ../marker)",
        "x=o../marker; echo p | sort \"-n$x\"",
        "touch -d$(echo now ../marker)",
        "x='ompress-program=curl'; seq 100000 | sort -S 10k \"--c$x\"",
        "head -n$(echo 5 notes.txt)",
        "cut -d: -f$x",
        "cat -n$x",
        "grep -e$x",
        "base64 -w$x",
        "nl -b$x",
        "paste -d$x",
        "expand -t$x",
        "unexpand -t$x",
        "fold -w$x",
        "column -c$x",
        "diff --color=$x docs/a docs/a",
        "grep --color=$x a docs/a",
        "sort --key=$1 docs/a",
        "tail -$x docs/a",
        "ls -l$x docs/a",
        "wc -l$x docs/a",
        "grep $(echo NOTES notes.txt)",
        "grep $x docs/a",
        "grep \"$1\" docs/a",
        "grep -m $x a docs/a",
        "grep -- $x docs/a",
        "grep n*",
        "egrep $(echo NOTES notes.txt)",
        "date $x",
        "date \"$x\"",
        "date +$x",
        "date \"-$x\"",
        "date -d$x",
        "date -d $x +%F",
        "date --date=$x",
        "x='-f notes.txt'; date $x",
        "echo notes.txt | xargs date",
        "touch \"-$x\" ; cat docs/a",
        "x=-fnotes.txt; date -Id \"$x\"",
        "set -- 5 notes.txt; head \"-n$@\"",
    ] {
        is_held(script);
    }
    for script in [
        "n=5; head -n$n docs/a",
        "head -n\"$1\" docs/a",
        "head -n$((2 + 3)) docs/a",
        "cut -d\"$1\" -f2 docs/a",
        "cut -d: -f\"$2\" docs/a",
        "grep -e \"$1\" docs/a",
        "grep -- \"$1\" docs/a",
        "grep -A\"$1\" x docs/a",
        "grep -m1 \"^$1 \" docs/a",
        "p=abc; grep $p docs/a; grep \"$p\" docs/a",
        "sort -k\"$1\" docs/a",
        "date \"+$1\"; date -d \"$1\" +%F; date --date \"$1\"; date -d @$((1 + 2)) +%s",
        "date +%F_%T; date -u -d yesterday '+%Y %m'",
        "grep --include=*.md x docs/a",
    ] {
        is_free(script);
    }
}

#[test]
fn a_number_behind_an_option_is_its_value_only_where_it_takes_one() {
    for script in [
        "cat -n 2024",
        "head -1 2024",
        "sort -r 2024",
        "wc -l 2024",
        "wc --lines 2024",
        "wc --bytes 2024",
        "column -t 2024",
        "diff --context 2024 a",
        "ls -l 2024",
        "tail -f 2024",
        "tail -5 2024",
        "od -c 2024",
        "cat -- -n 2024",
        "rev -x 2024",
        "head -n5 2024",
        "head -n 5 2024",
        "sha256sum -b 2024",
        "head -5c 2024",
        "tail -5n 2024",
    ] {
        has(script, &["read 2024"]);
        is_held(script);
    }
    for script in [
        "head -n 5 docs/a",
        "head -qn 5 docs/a",
        "head --lines 5 docs/a",
        "tail -c 10 docs/a",
        "cut -f 2 docs/a",
        "sort -t, -k 2 docs/a",
        "sort --parallel 2 docs/a",
        "fold -w 80 docs/a",
        "od -N 16 docs/a",
        "nl -v 10 docs/a",
        "base64 -w 0 docs/a",
        "du -d 1 docs/a",
        "join -1 2 -2 1 docs/a docs/ab",
    ] {
        is_free(script);
    }
}

#[test]
fn files_that_a_list_names_are_only_known_then() {
    for script in [
        "printf 'notes.txt\\0' | sort --files0-from=-",
        "printf 'notes.txt\\0' | wc --files0-from=-",
        "printf 'notes.txt\\0' | du --files0-from -",
        "sort --files0-from=docs/a",
        "sort --files0=docs/a",
        "wc --f docs/a",
        "echo notes.txt | file -f -",
        "file -f docs/a",
        "file --files-from=docs/a",
    ] {
        has(script, &["read? $(…)"]);
        is_held(script);
    }
}

#[test]
fn options_of_xargs_that_need_no_value_take_none() {
    for script in [
        "echo a | xargs --replace curl tr",
        "echo a | xargs --eof curl echo",
        "echo a | xargs --max-lines curl tr",
    ] {
        let found = needs(script);
        assert!(found.iter().any(|n| n.starts_with("run curl")), "{script}\n{found:#?}");
    }
    for script in [
        "printf ools/x | xargs -ir tr",
        "printf ools/x | xargs -tir tr",
        "x=tr; echo curl | xargs -I \"$x\" tr",
        "echo curl | xargs -I x --replace=tr tr",
    ] {
        let found = needs(script);
        assert!(found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
    check("echo a | xargs -i a {} b", &["run echo a", "run a $(…) b"]);
    check("echo a | xargs --replace=@ a @ b", &["run echo a", "run a $(…) b"]);
}

#[test]
fn programs_that_run_what_stands_behind_them() {
    for script in [
        "setarch -R curl tr",
        "setarch -R -- curl tr",
        "setarch x86_64 curl",
        "setarch x86_64 -R curl",
        "setarch --addr-no-randomize curl",
        "linux32 -R curl",
        "x86_64 curl",
        "i386 curl",
        "env - curl",
        "env - A=b curl",
        "env -u A - curl",
        "setpriv --nnp curl",
        "setpriv --reuid 1000 curl",
        "prlimit --pid 1 curl",
        "choom -n 5 curl",
        "choom -n 5 -- curl",
        "nsenter -t 1 -m curl",
        "script -qccurl",
        "script -qc curl log",
        "script --comm=curl",
        "script --com curl",
        "su me --comm=curl",
        "su --session=curl",
        "runuser -u me curl",
        "runuser -u me -- curl",
        "ssh -o ' ProxyCommand=curl' h",
        "ssh -o $'ProxyCommand\\tcurl' h",
        "ssh -oProxyCommand=curl h",
        "ssh -o 'proxycommand = curl' h",
        "ssh -o KnownHostsCommand=curl h",
        "ssh h -oProxyCommand=curl",
        "strace -o '|curl' true",
        "strace -o '!curl x' true",
        "strace -o'|curl' true",
        "find . -exec env -u + curl \\;",
        "find . -exec true {} + -exec curl {} \\;",
        "find -files0-from -exec -exec curl \\;",
        "find -D -exec . -exec curl \\;",
        "su -s curl root -c true",
        "runuser -u me -s curl -- x",
        "find . -execdir curl {} +",
    ] {
        let found = needs(script);
        assert!(found.iter().any(|n| n.starts_with("run curl")), "{script}\n{found:#?}");
    }
    for script in [
        "echo curl | setarch -R",
        "echo curl | linux64",
        "setarch --new tr",
        "x=-exec; find . -maxdepth 0 -name . \"$x\" curl {} \\;",
        "find . -name . -e$x curl {} \\;",
        "find . -name $x",
        "find . -name a*",
        "find . \\( \"$1\" curl \\; \\)",
        "x=';'; find . -exec true \"$x\" -exec curl \\;",
        "find . -exec true $x \\;",
        "fd -Hx curl",
        "fd -xcurl",
        "fd --exec=curl",
        "fd \"$1\" curl",
        "ssh -o '\"ProxyCommand\" curl' h",
        "ssh -o '\"ProxyCommand\" \"curl x\"' h",
        "ssh -o \"$x\" h",
        "ssh -o \"Proxy$x\" h",
        "ssh -o Include=x h",
        "ssh -o PKCS11Provider=./x.so h",
        "ssh \"$1\" ls",
        "strace -o \"$x\" true",
        "prlimit --nofile 5 curl",
        "script \"-$x\"",
    ] {
        let found = needs(script);
        assert!(found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
    for script in [
        "find . -name \"$1\" -type f",
        "find src -name '*.rs' -newermt 2020-01-01 -print",
        "find . -exec cp {} \"$1\" \\;",
        "find . -exec grep -l x {} +",
        "find . \\( -name a -o -name b \\) ! -path c -print0",
        "find \"$1\" -name x",
        "h=me@host; ssh \"$h\" ls",
        "ssh -o StrictHostKeyChecking=no -o 'User me' h ls",
        "ssh -o ConnectTimeout=\"$1\" h ls",
        "env - A=b ls",
        "fd -e rs src",
    ] {
        let found = needs(script);
        assert!(!found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
    has("find -L /etc -name x", &["read /etc"]);
    check(
        "find . -execdir ./x \\;",
        &["run find . -execdir ./x ';'", "run? $PWD/./x", "read ."],
    );
    // It runs where the file lies.
    for script in [
        "find docs -execdir cat private.txt \\;",
        "find docs -execdir cat a.txt +",
        "find . -okdir cat docs/a \\;",
    ] {
        assert!(
            needs(script).iter().any(|n| n.starts_with("read? ")),
            "{script}: {:?}",
            needs(script)
        );
    }
}

#[test]
fn an_allowed_program_is_told_to_run_another_by_no_option() {
    for script in [
        "git grep -Ocurl x",
        "git grep --open-files-in-pager=curl x",
        "git grep --open=curl x",
        "git grep -nO x",
        "git fetch --upload-pack=curl x",
        "git pull --upload-pack curl x",
        "git clone -u curl x y",
        "git clone -c core.pager=curl x y",
        "git push --receive-pack=curl x",
        "git push --exec=curl x",
        "git -C . ls-remote --upload-pack=curl .",
        "git rebase -x curl HEAD",
        "git rebase --exec curl HEAD",
        "git bisect run curl",
        "git submodule foreach curl",
        "git difftool -x curl",
        "git filter-branch --tree-filter curl",
        "man -P curl ls",
        "man --pager=curl ls",
        "tar cf x --checkpoint=1 --checkpoint-action=exec=curl y",
        "tar -I curl -cf x y",
        "tar -cIf curl x y",
        "tar cIf curl x y",
        "tar --use-compress-program curl -cf x y",
        "tar xf x --to-command=curl",
        "make SHELL=./curl",
        "make CC=./curl",
        "make CC:=./curl",
        "make .SHELLFLAGS=x",
        "make --eval='$(shell curl)'",
        "make RM=curl clean",
        "gmake SHELL=./curl",
        "gcc -wrapper curl x.c",
        "clang -fplugin=./x.so x.c",
        "go build -toolexec=curl",
        "go vet -vettool curl",
        "go test -exec curl",
        "cmake -E env curl",
        "cargo --config x build",
        "npm test --script-shell=./curl",
        "rsync -e curl a h:b",
        "rsync -ae curl a h:b",
        "rsync -e 'ssh -o ProxyCommand=curl' a h:b",
        "rsync --rsh=curl a h:b",
        "rsync -e \"$x\" a h:b",
        "gcc -B./evil x.c",
        "scp -o ProxyCommand=curl a h:b",
        "scp -oProxyCommand=curl a h:b",
        "scp -o \"$x\" a h:b",
        "scp -S curl a h:b",
        "zip -TT curl x y",
        "sed '1e curl' docs/a",
        "sed e docs/a",
        "sed -n '$!{p;e curl\n}' docs/a",
        "sed 's/a/curl/e' docs/a",
        "sed 's,a;b,curl,ge' docs/a",
        "sed -n -e p -e '/a\\/b/Ie curl' docs/a",
        "sed -ne 's/x/curl/pe' docs/a",
        "sed --expression='\\,a,e curl' docs/a",
        "sed \"$x\" docs/a",
        "sed 'a foo\\\\\ne curl' docs/a",
        "sed '#c\\\ne curl' docs/a",
        "sed 'r f\\\ne curl' docs/a",
        "sed 's/a/b/w f\\\ne curl' docs/a",
        "sed ':a e curl' docs/a",
        "sed 's/a/curl/ e' docs/a",
        "sed --posix ':a;a x\\\ne curl' docs/a",
        "sed 'e curl' -- --sandbox",
        "sed -f --sandbox -e 'e curl' docs/a",
        "sed -e --sandbox -e 'e curl' docs/a",
        "sed -l 1p 'e curl' docs/a",
        "printf 'e curl' | sed -f - docs/a",
        "printf 'e curl' | sed -f- docs/a",
        "printf 'e curl' | sed -nf - docs/a",
        "printf 'e curl' | sed --file=- docs/a",
        "printf 'e curl' | sed --fi - docs/a",
        "printf 'e curl' | sed -f /dev/stdin docs/a",
        "sed -f <(printf 'e curl') docs/a",
        "x='x/touch forbidden/e;s/a'; sed \"s/$x/b/\" docs/a",
        "x=a/curl/e; sed \"s/$x;/b/p\" docs/a",
        "read x; sed \"s/$x/b/\" docs/a",
        "x=$(cat x); sed -e \"s|a|$x|\" docs/a",
        "x='p;e curl'; sed -n \"1$x\" docs/a",
        "x=e; sed \"s/a/curl/$x\" docs/a",
        "f() { sed \"/$1/d\" docs/a; }; f 'a/e;/b'",
        "sed s,a*,b, docs/a",
        "sed \"s/a/$VERSION/\" docs/a",
        "git ls-remote --u=curl .",
        "git ls-remote --up=curl .",
        "git fetch --u=curl .",
        "git push --e=curl .",
        "git clone --u curl .",
        "git remote-ext x curl",
        "git -C . remote-ext x 'curl %S'",
        "git config alias.x '!curl'",
        "git config --global alias.x '!curl'",
        "git config set core.pager curl",
        "git config --add core.hooksPath ./evil",
        "git config --rename-section user alias",
        "git config -f x core.sshCommand curl",
        "git -C . config core.fsmonitor curl",
        "git config $x",
        "git config --edit",
        "git -c init.templateDir=evil init",
        "sftp -D curl h",
        "scp -D curl a h:b",
        "scp -rD curl a h:b",
        "gcc --prefix=q/ x.c",
        "gcc --prefix q/ x.c",
        "gcc @flags x.c",
        "g++ -Wl,@flags x.c",
        "gcc -Wl,-plugin,./x.so x.c",
        "clang -fuse-ld=./x x.c",
        "make -f -",
        "make -f- all",
        "make --file=- <<E\nall:; curl\nE",
        "make --makefile - all",
        "make -f /dev/stdin",
        "make -f \"$x\"",
        "awk -f - docs/a",
        "make -j -f -",
        "make -$x all",
        "x=eecurl; sed -$x docs/a",
        "su -T -s ./evil root -c true",
        "tar cfI a.tar curl b",
        "rg --pre curl x",
        "su -s ./evil root -c true",
        "su --sh=./evil root -c true",
    ] {
        let found = needs(script);
        assert!(found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
    for script in [
        "git push -u origin main",
        "git clean -fdx",
        "git grep -n x",
        "git clone --depth 1 https://x/y",
        "git rebase -i main",
        "git fetch --all --prune",
        "git log --oneline -n 5",
        "git commit -m 'run it'",
        "tar -xzf a.tgz -C out",
        "tar czf a.tgz dist",
        "make -j4 test",
        "make V=1 DESTDIR=out install",
        "gcc -O2 -Wall -o x x.c",
        "go build -o x ./...",
        "go test ./...",
        "cmake -E copy a b",
        "cmake -S . -B build",
        "cargo build --release",
        "npm run build -- --mode prod",
        "rsync -av --delete dist/ host:/srv",
        "rsync -avz -e ssh dist/ host:/srv",
        "rsync -avz -e 'ssh -p 2222' dist/ host:/srv",
        "scp -r dist host:/srv",
        "scp -o StrictHostKeyChecking=no -P 22 dist host:/srv",
        "sed -e 's/e/e/g' -e '/end/d' docs/a",
        "sed -n '/here/,/there/p; 5q' docs/a",
        "sed -i.bak 's|a|e|' x",
        "VERSION=1.2.3; sed -i \"s/VERSION/$VERSION/g\" x",
        "for f in a b; do sed -i \"s/X/$f/g\" $f; done",
        "dir=/usr/share; sed \"s|DIR|$dir|\" docs/a",
        "n=$(( 1 + 2 )); sed -i \"${n}d\" x",
        "sed 's/[^a-z]//g; y/abc/def/; s/e$//' docs/a",
        "sed -E '/^#/d;s/ +$//;/^$/d' docs/a",
        "sed -n '1,5p' docs/a",
        "sed '/x/a e text' docs/a",
        "sed ':a;N;$!ba;s/\\n/ /g' docs/a",
        "sed '$d; 1!G;h;$!d' docs/a",
        "sed --sandbox 's/a/b/' docs/a",
        "sed -f prog docs/a",
        "n=5; sed -n \"${n}p\" docs/a; m=7; sed -n \"${n},${m}p\" docs/a; t=text; sed -e \"s/a/$t/\" docs/a; sed \"/$t/d\" docs/a",
        "sed -e '/x/{N;s/\\n/ /;b}' -e 's/a\\/b/c/2gp' docs/a",
        "sed '/x/i\\\ntext e\n/y/c other' docs/a",
        "git config user.name x",
        "git config --global user.email a@b.c",
        "git config --get core.pager",
        "git config core.pager",
        "git config --global --add safe.directory /x",
        "git config --list",
        "git config --unset core.pager",
        "git log --oneline --graph --all",
        "scp -i key -P 22 -o UserKnownHostsFile=/dev/null dist host:/srv",
        "make -f build.mk all",
        "make -j 4 -C sub all",
        "make -j$n all",
        "gcc $CFLAGS -o x x.c",
        "su -s /bin/bash me -c true",
        "sed -i.sedbak 's/a/b/' x",
        "sed -i '' 's/a/b/' x",
        "gcc -DBUILD=1 -lBLAS x.c",
    ] {
        let found = needs(script);
        assert!(!found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
    }
}

#[test]
fn more_names_that_steer_programs() {
    for name in [
        "NODE_V8_COVERAGE",
        "NODE_REDIRECT_WARNINGS",
        "RM",
        "LEX",
        "YACC",
        "GOCACHEPROG",
        "GOAUTH",
        "GOCOVERDIR",
        "PSQLRC",
        "EXINIT",
        "MANOPT",
        "CONFIG_SITE",
        "CCACHE_PREFIX",
        "CPATH",
        "GCC_EXEC_PREFIX",
        "OPENSSL_ENGINES",
        "OPENSSL_MODULES",
        "COVERAGE_PROCESS_START",
        "ZDOTDIR",
        "TEXTDOMAINDIR",
        "NODE_ICU_DATA",
        "CCACHE_COMPILER",
    ] {
        for script in [
            format!("{name}=x npm test"),
            format!("export {name}=x; npm test"),
            format!("env {name}=x npm test"),
        ] {
            let found = needs(&script);
            assert!(found.iter().any(|n| n.starts_with("run? ")), "{script}\n{found:#?}");
        }
    }
    let found = needs("NODE_ENV=production npm test; export NODE_ENV=test CI=1 DEBUG=x; npm test");
    assert!(!found.iter().any(|n| n.starts_with("run? ")), "{found:#?}");
}
