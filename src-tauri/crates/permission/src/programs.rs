//! Deny rules of commands as a kernel can hold them: whole programs, without looking at arguments.

use crate::command::{Pattern, Refusing};
use crate::need::{Kind, Need, Uses};
use crate::policy::{Mode, Policy};
use crate::text::Bit;

/// Shells by which scripts are carried out, whatever rules say of commands in them.
const SHELLS: [&str; 2] = ["sh", "bash"];
/// Commands that the shells hold themselves: what is refused is no file, or not it alone.
const BUILT_IN: &[&str] = &[
    "alias",
    "bg",
    "bind",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
    ":",
    ".",
    "[",
];

/// Whether a bare name is a command that shells hold themselves: they start no program then.
pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name)
}

/// The deny rules of commands: those that refuse programs, and those that only reading can keep.
#[derive(Debug, Clone)]
pub struct DeniedPrograms {
    programs: Vec<(String, Refusing)>,
    /// Rules about arguments (`git push *`), of any program (`*`), and of what a shell does itself (`echo *`), as they are written.
    pub only_read: Vec<String>,
}

impl Policy {
    /// The deny rules of commands, told apart.
    pub fn denied_programs(&self) -> DeniedPrograms {
        let mut all = DeniedPrograms {
            programs: Vec::new(),
            only_read: Vec::new(),
        };
        for rule in &self.run.deny {
            let Ok(pattern) = Pattern::parse(rule) else { continue };
            let is_built_in = || {
                BUILT_IN
                    .iter()
                    .any(|name| pattern.denies(&[bits(name)]) == crate::pattern::Fit::Sure)
            };
            match pattern.is_of_a_program() && !is_built_in() {
                true => all.programs.push((rule.clone(), Refusing::of(pattern, &self.spelling))),
                false => all.only_read.push(rule.clone()),
            }
        }
        all
    }

    /// Whether steps need a program of this name whatever is refused to them: a shell that carries out scripts, or what goes unasked.
    pub fn is_needed(&self, program: &str) -> bool {
        if SHELLS.contains(&program) {
            return true;
        }
        let need = Need::known(Kind::Run, program);
        let asking = Self {
            mode: Mode::Ask,
            ..self.clone()
        };
        !asking.judge(&Uses { needs: vec![need] }, &[]).allowed.is_empty()
    }
}

impl DeniedPrograms {
    /// Whether no rule refuses a program.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// The rule that refuses a program, by its path from the project's folder (`./x.sh`) or its absolute one.
    pub fn rule(&self, program: &str) -> Option<&str> {
        let command = [bits(program)];
        let folded: String = program.chars().map(crate::pattern::fold).collect();
        let refuses = |(_, rule): &&(String, Refusing)| rule.denies_surely(&command, &folded);
        self.programs.iter().find(refuses).map(|(rule, _)| rule.as_str())
    }
}

fn bits(text: &str) -> Vec<Bit> {
    text.chars().map(Bit::Char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(deny: &[&str], allow: &[&str]) -> Policy {
        let mut policy = Policy::default();
        policy.run.deny = deny.iter().map(ToString::to_string).collect();
        policy.run.allow = allow.iter().map(ToString::to_string).collect();
        policy
    }

    #[test]
    fn a_rule_is_about_a_program_or_only_read() {
        let denied = policy(
            &[
                "curl *",
                "wget",
                "git push *",
                "*",
                "git-*",
                "./tool/x.sh *",
                "echo *",
                "e*",
            ],
            &[],
        )
        .denied_programs();
        assert_eq!(denied.only_read, ["git push *", "*", "echo *", "e*"]);
        for (program, rule) in [
            ("/usr/bin/curl", Some("curl *")),
            ("/opt/x/CURL", Some("curl *")),
            ("./wget", Some("wget")),
            ("/usr/bin/git", None),
            ("/usr/bin/git-upload-pack", Some("git-*")),
            ("./tool/x.sh", Some("./tool/x.sh *")),
            ("./x.sh", None),
            ("/usr/bin/curlie", None),
        ] {
            assert_eq!(denied.rule(program), rule, "{program}");
        }
    }

    #[test]
    fn shells_and_what_goes_unasked_are_needed() {
        let policy = policy(&["ls *", "bash *"], &["make *"]);
        for (program, is) in [
            ("sh", true),
            ("bash", true),
            ("cat", true),
            ("make", true),
            ("ls", false),
            ("rm", false),
        ] {
            assert_eq!(policy.is_needed(program), is, "{program}");
        }
    }
}
