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
    has("for i in $A{,_KEY}; do echo $i; done", &["env *"]);
    has("a=($A{,_KEY}); echo ${a[0]}", &["env *"]);
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

#[test]
fn a_folder_outside_of_the_project_is_part_of_what_runs_there() {
    check(
        "cd /tmp/x && make",
        &["run cd /tmp/x", "run make", "run env -C /tmp/x make"],
    );
    check(
        "env -C /tmp/x npm test",
        &["run npm test", "run env -C /tmp/x npm test"],
    );
    has("cd \"$X\"; make", &["run make", "run env -C $PWD make"]);
    has("cd /tmp/x; /usr/bin/make", &["run env -C /tmp/x /usr/bin/make"]);
    held(
        STRICT,
        &[
            "cd /tmp/x && make",
            "cd /tmp/x && npm test",
            "cd /tmp/x; git diff -- a",
            "cd /tmp/x || true; make",
            "cd ..; make",
            "cd; make",
            "cd ~/x; make",
            "cd \"$X\" && make",
            "cd $(echo /tmp/x) && make",
            "cd -; make",
            "pushd /tmp/x; make",
            "pushd -n /tmp/x; popd; make",
            "pushd docs; DIRSTACK[1]=/tmp/x; popd; make",
            "pushd docs; read 'DIRSTACK[1]' <<< /tmp/x; popd; make",
            "env -C /tmp/x make",
            "env --chdir=/tmp/x make",
            "env -C ../x make",
            "nice env -C /tmp/x make",
            "(cd /tmp/x; make)",
            "f() { make; }; cd /tmp/x; f",
            "for i in 1 2; do make; cd /tmp/x; done",
            "for i in 1 2; do make; cd ..; done",
            "cd sub && for i in 1 2; do cd ..; done; make",
            "g() { cd ..; }; g; make",
            "cd sub; cd ..; make",
            "cd sub/../.. && make",
            "if true; then cd /tmp/x; fi; make",
            "bash -c 'cd /tmp/x; make'",
            "cd /proc/self/root && make",
            "echo x | (cd /tmp/x && xargs make)",
        ],
    );
    // In the project's own folders the same rules hold, however the script goes through them.
    for script in [
        "cd sub && make",
        "cd sub; make; git diff",
        "pushd sub; make; popd; make",
        "cd a/b && make && cd ../c && make",
        "f() { make; }; cd sub; f",
        "for d in a b; do (cd sub && make); done; make",
        "if [ -d sub ]; then cd sub; fi; make",
        "cd /tmp/x; echo a",
    ] {
        let verdict = judge(STRICT, script);
        assert!(
            verdict.ask.is_empty() && verdict.denied.is_empty(),
            "{script}: {verdict:#?}"
        );
    }
    // A rule may name both.
    let named = judge(
        "{mode: deny, run: {allow: [make, 'env -C /tmp/x make']}}",
        "cd /tmp/x && make",
    );
    assert!(named.denied.is_empty(), "{named:#?}");
    let open = judge("mode: allow", "cd /tmp/x && make");
    assert!(open.ask.is_empty(), "{open:#?}");
}

#[test]
fn a_change_of_folder_leads_where_the_shell_goes() {
    check("cd -- -x && cat a", &["run cd -- -x", "run cat a", "read -x/a"]);
    has("cd nodir || cd docs; cat a", &["read? $PWD/a"]);
    check(
        "cd a || exit 1\ncat b",
        &["run cd a", "run exit 1", "run cat b", "read a/b", "read b"],
    );
    has("cd docs && cat ~+/a ~-/a ~0/a", &["read? $PWD/a"]);
    held(
        OPEN,
        &[
            "cd -- docs; cat private.txt",
            "cd -L -- docs; cat private.txt",
            "cd nodir || cd docs; cat private.txt",
            "cd docs && false && cd sub; cat private.txt",
            "cd docs && false && cd a && cd b\ncat private.txt",
            "{ cd docs && false && cd sub; } || cat private.txt",
            "cd nodir || cd nodir || cd docs; cat private.txt",
            "true || cd docs; cd docs || true; cat private.txt",
            "cd() { :; }; cd docs && cat secret.txt",
            "pushd() { :; }; pushd docs && cat secret.txt",
            "popd() { :; }; pushd docs; popd && cat private.txt",
            "f() { cd docs && cat secret.txt; }; cd() { :; }; f",
            "cd docs; cat ~+/private.txt",
            "cd docs; cd ..; cat ~-/private.txt",
            "cd docs; cat ~0/private.txt",
            "cd docs; cat /proc/self/cwd/private.txt",
            "cd docs; cat /proc/thread-self/cwd/private.txt",
            "cd docs; cat /proc/$$/cwd/private.txt",
            "cd docs; cat /proc/self/c?d/private.txt",
            "cd docs; cat /proc/self/task/1/cwd/private.txt",
            "cd docs; cat /dev/fd/../cwd/private.txt",
            "cat /dev/fd/3/private.txt 3<docs",
            "cat /dev/stdin/private.txt <docs",
            "cat /proc/self/fd/3/private.txt 3<docs",
        ],
    );
    check(
        "cat /dev/fd/3 /dev/stdin /proc/self/fd/0 /proc/self/status",
        &[
            "run cat /dev/fd/3 /dev/stdin /proc/self/fd/0 /proc/self/status",
            "read /dev/fd/3",
            "read /dev/stdin",
            "read /proc/self/fd/0",
            "read /proc/self/status",
        ],
    );
}

#[test]
fn a_folder_that_is_taken_whole_meets_what_is_denied_in_it() {
    check("grep -r x src", &["run grep -r x src", "read src/"]);
    check("cp -r docs d1", &["run cp -r docs d1", "read docs/", "write d1"]);
    check("grep x src", &["run grep x src", "read src"]);
    check(
        "tar czf a.tgz docs",
        &["run tar czf a.tgz docs", "write a.tgz", "read docs/"],
    );
    held(
        OPEN,
        &[
            "grep -r x .",
            "grep -rh x",
            "grep -R x docs",
            "grep --recursive x docs",
            "grep --rec x docs",
            "grep --directories=recurse x",
            "grep -d recurse x docs",
            "grep -drecurse x docs",
            "grep -hnr x docs",
            "rgrep x",
            "rg x",
            "rg x docs",
            "cd docs && grep -r x",
            "tar c .",
            "tar -cf - docs",
            "tar --create docs",
            "tar czf a.tgz docs",
            "tar cf a.tar -C docs private.txt",
            "tar cf a.tar -C docs .",
            "tar cf a.tar -T list",
            "ls docs | tar cf a.tar --files-from=-",
            "tar cf a.tar --add-file=secret.txt",
            "tar cf docs/kept.txt src",
            "zip x secret.txt",
            "zip -r x docs",
            "echo secret.txt | zip -@ x",
            "gzip -c secret.txt",
            "bzip2 -k secret.txt",
            "shuf secret.txt",
            "iconv secret.txt",
            "ptx secret.txt",
            "look a secret.txt",
            // A folder outside that may hold the project.
            "grep -r x ..",
            "grep -rs x /p",
            "tar cf - /p",
            "cd ..; grep -r x p",
            "cp -r ../p d1",
            "cp -r ~ d1",
            "cp -r docs d1",
            "cp -r docs/ d1/",
            "cp -a . d1",
            "cp -R {docs,src} d1",
            "rsync -a docs d1",
            "rm -rf docs",
            "chmod -R 755 docs",
            "find . -name 'p*' -delete",
            "find docs -delete",
        ],
    );
    for script in [
        "grep -r x src",
        "grep x README.md",
        "cp -r src d1",
        "tar czf a.tgz src",
        "rm -rf build",
        "mv a b",
        "find . -name x",
        "cp docs/a docs/b",
        "ls docs",
    ] {
        let verdict = judge(OPEN, script);
        assert!(
            verdict.ask.is_empty() && verdict.denied.is_empty(),
            "{script}: {verdict:#?}"
        );
    }
}

#[test]
fn a_search_in_folders_reads_the_one_it_runs_in() {
    check("grep -rh x", &["run grep -rh x", "read ./"]);
    check(
        "cd /etc && grep -rh root:",
        &["run cd /etc", "run grep -rh root:", "read /etc/"],
    );
    check("a | grep x", &["run a", "run grep x"]);
    check("grep -e x -r", &["run grep -e x -r", "read ./"]);
    check("grep -d skip x", &["run grep -d skip x"]);
    // The value of an option is no file.
    for options in [
        "-r -A 1",
        "-rm 1",
        "-rC 1",
        "-r -D skip",
        "-r --max-count 1",
        "-r --max-c 1",
        "-r --include '*.txt'",
        "-r --incl x",
        "-r --exclude-dir x",
        "-r --label x",
        "-r --binary-files text",
        "-r --group-separator x",
    ] {
        let script = format!("grep {options} token");
        check(&script, &[&format!("run {script}"), "read ./"]);
        let script = format!("grep {options} token src");
        check(&script, &[&format!("run {script}"), "read src/"]);
    }
    check("rgrep -A 1 token", &["run rgrep -A 1 token", "read ./"]);
    check("rg -A 1 token", &["run rg -A 1 token", "read ./"]);
    check(
        "rg --glob '*.rs' token src",
        &["run rg --glob '*.rs' token src", "read src/"],
    );
    has("x=; grep -r $x src", &["read src/", "read ./"]);
    has("grep -r x $y", &["read ./"]);
    has("rg token $y", &["read ./"]);
    held(
        STRICT,
        &[
            "grep -rh x",
            "cd /etc && grep -rh root:",
            "grep -R x",
            "grep --directories=recurse x",
            "grep -rf docs/a",
        ],
    );
}

#[test]
fn what_git_compares_outside_of_its_repository_is_read() {
    has("git diff --no-index /dev/null notes.txt", &["read notes.txt/"]);
    has("git diff --no-ind a b", &["read a/", "read b/"]);
    has("git diff /dev/null notes.txt", &["read notes.txt/"]);
    has("git diff -- ../x notes.txt", &["read notes.txt/"]);
    has(
        "git -C . diff --no-index a b",
        &["read a/"].map(|_| "run git diff --no-index a b"),
    );
    check("git diff main feature", &["run git diff main feature"]);
    check("git diff HEAD -- a", &["run git diff HEAD -- a"]);
    check("git diff HEAD -- a.txt", &["run git diff HEAD -- a.txt"]);
    check("git diff HEAD~1 v1.2.3", &["run git diff HEAD~1 v1.2.3"]);
    check("git diff a1b2c3d main", &["run git diff a1b2c3d main"]);
    check("git diff --stat main..feature", &["run git diff --stat main..feature"]);
    check("git grep token", &["run git grep token"]);
    // There may be no repository.
    has("git diff f secret.txt", &["read f/", "read secret.txt/"]);
    has("git diff -- f secret.txt", &["read f/", "read secret.txt/"]);
    has("git diff HEAD secret.txt", &["read secret.txt/"]);
    has("git -C hidden diff f g", &["read hidden/f/", "read hidden/g/"]);
    has("git --git-dir=/x diff f secret.txt", &["read secret.txt/"]);
    has("git --git-dir /x diff f secret.txt", &["read secret.txt/"]);
    // What is searched for is no file.
    check(
        "git grep --no-index token",
        &["run git grep --no-index token", "read ./"],
    );
    check(
        "git grep --no-index -A 1 token src",
        &["run git grep --no-index -A 1 token src", "read src/"],
    );
    has("git grep --no-index -e token", &["read ./"]);
    has("git -C hidden grep --no-index token", &["read hidden/"]);
    has("git grep --untracked token secret.txt", &["read secret.txt/"]);
    held(
        STRICT,
        &[
            "git diff --no-index /dev/null notes.txt",
            "git diff --no-index docs/a secret.txt",
            "git diff /dev/null notes.txt",
            "git diff ~/x notes.txt",
            "git -C . diff --no-index /dev/null notes.txt",
            "git grep --no-index x notes.txt",
            "git -c color.ui=false diff --no-index /dev/null notes.txt",
            "git --no-pager diff --no-index /dev/null notes.txt",
        ],
    );
}
