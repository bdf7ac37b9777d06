//! Random scripts of bash and sh: made from templates, and attacks that were changed a little.

use super::attacked::{EVALUATED, FOUND, POSIX, STEERED};

/// Numbers that look random and come again with their seed.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or_default() % end.max(1)
    }

    pub fn of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

/// Commands. `%c` a command, `%q` one in single quotes, `%w` a word, `%n` a name, `%a` arithmetic, `%f` a file, `%t` a text in quotes.
const COMMANDS: &[&str] = &[
    "m1 %w",
    "m2 %w %w",
    "m3",
    "m1 %w %w",
    "echo %w",
    "%w %w",
    "%n=%w",
    "%n=%t",
    "%n=%w m1 %w",
    "%n=%t; %c",
    "%n=%w; %c",
    "%n=(%w %w)",
    "%n[%a]=%w",
    "%n+=%w",
    "export %n=%w",
    "export \"%n=%w\"",
    "declare %n=%w",
    "declare -i %n=%w",
    "declare -a '%n=(%w)'",
    "readonly z%n=%w",
    "typeset -x %n=%w",
    "local %n=%w",
    "read %n <<< %w",
    "read -a %n <<< %w",
    "printf -v %n %w",
    "printf %w %w",
    "echo %w | { read %n; %c; }",
    "mapfile %n < %f",
    "unset %n",
    "unset %w",
    "let %a",
    "let %w",
    "((%a))",
    ": $((%a))",
    ": $[%a]",
    "test -v %w",
    "[ -v %w ]",
    "[ %w ]",
    "[ %w = %w ]",
    "[ %w %w ]",
    "[ -n %w ]",
    "[ %w -eq 0 ]",
    "[[ %w -eq %w ]]",
    "[[ -v %w ]]",
    "[[ %w == %w ]]",
    "[[ -n %w && %w -lt 3 ]]",
    "[[ %w =~ %w ]]",
    "test %w -a %w",
    "eval %w",
    "eval %q",
    "eval %w %w",
    "%c; %c",
    "%c\n%c",
    "%c && %c",
    "%c || %c",
    "%c | %c",
    "{ %c; }",
    "( %c )",
    "! %c",
    "%c & wait",
    "if %c; then %c; else %c; fi",
    "while %c; do %c; break; done",
    "until %c; do %c; break; done",
    "for %n in %w %w; do %c; done",
    "for ((%n=%a;%n<1;%n++)); do %c; done",
    "select %n in %w; do %c; break; done <<< 1",
    "case %w in %w) %c;; *) %c;; esac",
    "case %w in %w) %c;& b) %c;; esac",
    "f() { %c; }; f %w",
    "f() { %c; }\n%c; f",
    "function f { %c; }; f",
    "m2() { %c; }; m2 %w",
    "sh -c %q",
    "bash -c %q",
    "bash -xc %q",
    "sh -c %w",
    "bash -c %w",
    "bash -c %q %w",
    "env %n=%w m1",
    "env %n=%w bash -c %q",
    "env m1 %w",
    "env",
    "nice m1 %w",
    "nohup m1 %w",
    "echo %w | xargs m1",
    "xargs m1 %w < %f",
    "echo %q | sh",
    "bash <<< %q",
    "cat <<E | sh\n%c\nE",
    "trap %q EXIT",
    "trap %q DEBUG; %c",
    "command m1 %w",
    "command -p m1",
    "exec m1 %w",
    "builtin echo %w",
    "builtin eval %q",
    "exec %n>%f",
    "exec {%n}>%f",
    "cat <<E\n%w\nE",
    "cat <<'E'\n%w\nE",
    "cat <<-E\n\t%w\n\tE",
    "m1 <<E\n%w $(%c)\nE",
    "%c > %f",
    "%c >> %f",
    "%c < %f",
    "%c 2>&1",
    "%c &> %f",
    "%c >& %f",
    "%c 1<> %f",
    "> %f %c",
    "%c <<< %w",
    "cat %f",
    "cat %w",
    "cat < %w",
    "set -- %w %w",
    "set -- %w; %c",
    "set -x; %c",
    "set %w",
    "shift %w",
    "shift $((%a))",
    "alias %n=%w",
    "alias m1=%t",
    "alias m1=m2\nm1",
    "shopt -s expand_aliases",
    "shopt -s expand_aliases\nalias m1=%q\nm1",
    ". ./%f",
    "source ./%f",
    "source ./%f %w",
    "cd d; %c",
    "cd d; %c > %f",
    "cd %w; %c > %f",
    "pushd d; %c",
    "hash -p ./evil/m1 m2; m2",
    "PATH=./evil %c",
    "PATH=./evil; %c",
    "export PATH=%w; %c",
    "coproc m1 %w; wait",
    "coproc { %c; }; wait",
    "time %c",
    "wait -n -p %n",
    "getopts a %n %w",
    "exit $((%a))",
    "return %w",
    "true",
    "false",
    ":",
    ": %w",
    ": ${%n:=%w}",
    ": ${%n:%a}",
    ": ${%n:0:%a}",
    ": ${%n[%a]}",
    ": ${!%n}",
    ": ${%n@P}",
    "declare -n r=%n; r=%w",
    "declare -A m; m[%w]=%w",
    "%n='%a'; : $((%n))",
    "IFS=%w; %c",
    "IFS=%w read %n <<< %w",
    "\\m1 %w",
    "\"m1\" %w",
    "m''1 %w",
    "m{1,2} %w",
    "{m1,%w}",
    "$'m1' %w",
    "$\"m1\" %w",
    "~/m1 %w",
    "./evil/m1 %w",
    "$HOME/../evil/m1",
    "m1 # %c",
    "m1 \\\n%w",
    "m1 %w \\\n; %c",
    "%c; unset -f f",
    "jobs -x m1 %w",
    "compgen -C %q",
    "compgen -W %w",
    "tee %f <<< %w",
    "echo %w | tee %f",
    "touch %f",
    "touch %w",
    "echo %w > %w",
    "PS4=%t; set -x; :",
    "BASH_ENV=%f bash -c :",
    "ENV=%f sh -c :",
    "readonly m=%w",
    "unset PATH; evil/m2",
    "echo ${V1} $V2",
    "m1 $V1",
    "printenv V1",
    "m1 \"${V1:0:2}\" $V2",
];

const WORDS: &[&str] = &[
    "a",
    "b",
    "1",
    "0",
    "x",
    "'a b'",
    "\"a b\"",
    "$x",
    "\"$x\"",
    "${x}",
    "$y",
    "\"$y\"",
    "\"${x:-%w}\"",
    "${x:-%w}",
    "${x:+%w}",
    "${x#a}",
    "${x%b}",
    "${x/a/%w}",
    "${#x}",
    "$(%c)",
    "\"$(%c)\"",
    "`m2`",
    "$((%a))",
    "f*",
    "f?",
    "f[12]",
    "{a,b}",
    "{1..3}",
    "$'a\\tb'",
    "$'\\''",
    "$'\\\\'",
    "'\\'",
    "\"\\\"\"",
    "\\'",
    "\\\"",
    "\\\\",
    "${a[0]}",
    "${a[@]}",
    "\"${a[@]}\"",
    "${!x}",
    "${x@P}",
    "${x@Q}",
    "$@",
    "\"$@\"",
    "$*",
    "$1",
    "\"$1\"",
    "$#",
    "$?",
    "$_",
    "\"$_\"",
    "<(%c)",
    ">(%c)",
    "~",
    "-v",
    "-p",
    "-x",
    "--",
    "m1",
    "m2",
    "eval",
    "PATH",
    "x=1",
    "PATH=./evil",
    "'a[$(m1)]'",
    "'-v a[$(m1)]'",
    "'m1 b'",
    "'$(m1)'",
    "./evil",
    "$V1",
    "\"$V2\"",
    "'a[$(m2>f1)]'",
    "'x=([$(m1)]=1)'",
    "$[%a]",
    "\"$[%a]\"",
    "f1",
    "./f2",
    "d/f3",
    "./d/../f1",
    "$PWD/f1",
    "$OLDPWD",
    "a\\\nb",
    "\"a\\\nb\"",
    "a'b'\"c\"",
    "\"${x:-'$(m1)'}\"",
    "\"${x:-\"$(m1)\"}\"",
    "!",
    "#",
    "a#b",
    "=",
    "!=",
    "(",
    "\\(",
    "-eq",
    "-a",
    "-o",
    "''",
    "\"\"",
];

const NAMES: &[&str] = &[
    "x", "y", "x", "y", "a", "a[0]", "a[x]", "V1", "z", "PATH", "IFS", "PS4", "HOME", "m", "REPLY",
];

const TEXTS: &[&str] = &[
    "'a[$(m1)]'",
    "'$(m1)'",
    "'m1 b'",
    "'`m2`'",
    "'a[`m2`]'",
    "./evil",
    "'-v a[$(m1)]'",
    "'-v'",
    "m1",
    "'m2;m1'",
    "'y'",
    "'x'",
    "'a[0]'",
    "5",
    "'a b'",
    "'1+a[$(m1>f1)]'",
    "'PATH'",
    "'-va[$(m1)]'",
    "'f1'",
    "'x=1 m1'",
    "'exec m1'",
    "nohup",
];

const SUMS: &[&str] = &[
    "x",
    "y",
    "1",
    "x + 1",
    "$x",
    "${y}",
    "a[0]",
    "a[x]",
    "x = 1",
    "x++",
    "$((%a))",
    "%a + %a",
    "$(m1)",
    "$1",
    "$#",
    "${#x}",
    "V1",
    "a[$(m2)]",
    "x ? y : 1",
    "(x)",
    "PATH = 1",
    "'x'",
    "\"x\"",
    "z",
    "REPLY",
    "_",
];

const FILES: &[&str] = &[
    "f1",
    "f2",
    "f3",
    "d/f4",
    "f$x",
    "\"$y\"",
    "$d/f1",
    "f{1,2}",
    "f?",
    "/dev/null",
    "d/../f2",
    "./f1",
    "$(echo f1)",
    "f1",
    "f2",
];

/// A script, and the shell that is to run it.
pub fn script(dice: &mut Dice) -> (&'static str, String) {
    let mut text = match dice.below(4) {
        0 => attack(dice),
        1 => format!("{}\n{}", attack(dice), command(dice, 2)),
        _ => {
            let lines: Vec<String> = (0..=dice.below(4)).map(|_| command(dice, 3)).collect();
            lines.join(dice.of(&["\n", "; ", "\n"]))
        }
    };
    for _ in 0..dice.below(4) {
        text = changed(dice, &text);
    }
    let shell = if dice.one_in(3) { "sh" } else { "bash" };
    // Nobody but the world's own processes may be ended.
    if text.contains("kill") || text.contains("/proc") || text.contains("/sys") {
        text = "m1".to_owned();
    }
    (shell, text)
}

fn attack(dice: &mut Dice) -> String {
    let list = [EVALUATED, STEERED, POSIX, FOUND][dice.below(4)];
    let text = dice.of(list).replace("curl x", "m1").replace("curl", "m1");
    text.replace("ls", "m2").replace("git diff", "m3").replace("../x", "f1")
}

fn command(dice: &mut Dice, depth: usize) -> String {
    let template = match depth {
        0 => dice.of(&["m1", "m2 a", "m1 $x", "echo $x", "x=1", ":"]),
        _ => dice.of(COMMANDS),
    };
    fill(dice, template, depth.saturating_sub(1))
}

fn word(dice: &mut Dice, depth: usize) -> String {
    let template = match depth {
        0 => dice.of(&["a", "$x", "1", "\"$y\"", "b"]),
        _ => dice.of(WORDS),
    };
    fill(dice, template, depth.saturating_sub(1))
}

fn fill(dice: &mut Dice, template: &str, depth: usize) -> String {
    let mut out = String::new();
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' || !chars.peek().is_some_and(|k| "cqwnatf".contains(*k)) {
            out.push(c);
            continue;
        }
        let part = match chars.next().unwrap_or_default() {
            'c' => command(dice, depth),
            'q' => format!("'{}'", command(dice, depth).replace('\'', "'\\''")),
            'w' => word(dice, depth),
            'n' => dice.of(NAMES).to_owned(),
            't' => dice.of(TEXTS).to_owned(),
            'a' if depth == 0 => "x".to_owned(),
            'a' => {
                let sum = dice.of(SUMS);
                fill(dice, sum, depth - 1)
            }
            _ => {
                let file = dice.of(FILES);
                file.to_owned()
            }
        };
        out.push_str(&part);
    }
    out
}

/// The text with one small change.
fn changed(dice: &mut Dice, text: &str) -> String {
    const SIGNS: &[&str] = &[
        "'", "\"", "`", "\\", "$", "(", ")", "{", "}", "[", "]", ";", "&", "|", "<", ">", "\n", " ", "=", "!", "#",
        "\\\n", "$(", "${", "((", "))", "\r", "\t", "*", "?", "~", "-", "+", "@", ",", "x", "m1", " m1 ", "\nm1\n",
        ";m1;", "$'", "$\"", "<<", "<<E\n", "E\n", "&&", "||",
    ];
    let places: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
    let at = places[dice.below(places.len())];
    let to = places[dice.below(places.len())];
    let (from, to) = (at.min(to), at.max(to));
    match dice.below(6) {
        0 | 1 => format!("{}{}{}", &text[..at], dice.of(SIGNS), &text[at..]),
        2 => {
            let next = text[at..].chars().next().map_or(0, char::len_utf8);
            format!("{}{}", &text[..at], &text[at + next..])
        }
        3 => {
            let next = text[at..].chars().next().map_or(0, char::len_utf8);
            format!("{}{}{}", &text[..at], dice.of(SIGNS), &text[at + next..])
        }
        4 if to - from < 20 => format!("{}{}{}", &text[..to], &text[from..to], &text[to..]),
        5 if to - from < 20 => format!("{}{}", &text[..from], &text[to..]),
        _ => text.replacen(
            dice.of(&["x", "y", "'", "\"", "m1", " "]),
            dice.of(&["y", "\"", "'", "m2", "", "\t"]),
            1,
        ),
    }
}
