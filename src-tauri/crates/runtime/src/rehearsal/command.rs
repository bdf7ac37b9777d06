//! One command of a front-matter scenario: `rd run --prompted FILE`, `rd pass`, `gatehouse goto 3` …

use model::StepId;

/// The names of the program: the original's two and ours.
pub const PROGRAMS: [&str; 3] = ["rd", "rundown", "gatehouse"];

/// What a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Starts the runbook.
    Run {
        /// As written.
        file: String,
        /// Every step waits for a command.
        prompted: bool,
    },
    /// Gives a runbook to whoever takes up this step next.
    Assign {
        /// As written.
        step: String,
        /// As written.
        file: String,
    },
    /// An agent takes up what was given out.
    TakeUp {
        /// Who.
        agent: String,
    },
    /// Says how a step went.
    Result {
        /// PASS or YES.
        passed: bool,
        /// Of whose runbook; absent: the runbook itself.
        agent: Option<String>,
    },
    /// Sends the run to a step.
    Goto {
        /// Where to.
        step: StepId,
        /// Of whose runbook.
        agent: Option<String>,
    },
    /// Ends the run.
    Stop,
    /// Sets the run aside.
    Stash,
    /// Takes it up again.
    Pop,
    /// Looks at something: changes nothing.
    Look,
}

/// Reads a command.
///
/// # Errors
/// A sentence that says what about it is not understood.
pub fn parse(text: &str) -> Result<Command, String> {
    let line = text.trim();
    let words = shlex::split(line).ok_or_else(|| format!("`{line}` has a quote that is not closed"))?;
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    if !PROGRAMS.contains(&program.as_str()) {
        return Err(format!(
            "`{line}` is no command of a scenario: commands begin with `rd` or `gatehouse`"
        ));
    }
    let what = words.next().unwrap_or_default();
    let rest = Words::of(words);
    rest.command(&what).map_err(|problem| format!("`{line}` {problem}"))
}

/// Options and the words beside them.
#[derive(Default)]
struct Words {
    plain: Vec<String>,
    prompted: bool,
    agent: Option<String>,
    step: Option<String>,
    unknown: Option<String>,
}

impl Words {
    fn of(mut words: impl Iterator<Item = String>) -> Self {
        let mut out = Self::default();
        while let Some(word) = words.next() {
            let (name, joined) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            match name {
                "--prompted" => out.prompted = true,
                "--agent" => out.agent = joined.or_else(|| words.next()),
                "--step" => out.step = joined.or_else(|| words.next()),
                name if name.starts_with('-') => out.unknown = Some(word),
                _ => out.plain.push(word),
            }
        }
        out
    }

    fn command(mut self, what: &str) -> Result<Command, String> {
        if let Some(option) = &self.unknown {
            return Err(format!("has an option that scenarios do not know: `{option}`"));
        }
        let mut next = || (!self.plain.is_empty()).then(|| self.plain.remove(0));
        let command = match what {
            "run" => match (next(), self.step.take(), self.agent.take()) {
                (Some(file), Some(step), _) => Command::Assign { step, file },
                (Some(file), None, _) => Command::Run {
                    file,
                    prompted: self.prompted,
                },
                (None, None, Some(agent)) => Command::TakeUp { agent },
                _ => return Err("names no runbook".to_owned()),
            },
            "pass" | "yes" | "fail" | "no" => Command::Result {
                passed: matches!(what, "pass" | "yes"),
                agent: self.agent.take(),
            },
            "goto" => Command::Goto {
                step: next().ok_or("names no step")?.into(),
                agent: self.agent.take(),
            },
            "stop" => Command::Stop,
            "stash" => Command::Stash,
            "pop" => Command::Pop,
            "status" | "ls" | "check" | "echo" | "prompt" => Command::Look,
            "" => return Err("says nothing to do".to_owned()),
            other => {
                return Err(format!(
                    "says `{other}`; a scenario knows run, pass, yes, fail, no, goto, stop, stash and pop"
                ));
            }
        };
        // `rd fail || rd pass` is two commands, of which the second would be passed over.
        match self.plain.first().filter(|_| command != Command::Look) {
            Some(more) => Err(format!(
                "goes on with `{more}`, which is not carried out: write one command a line"
            )),
            None => Ok(command),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let run = |file: &str, prompted| Command::Run {
            file: file.to_owned(),
            prompted,
        };
        let said = |passed, agent: Option<&str>| Command::Result {
            passed,
            agent: agent.map(str::to_owned),
        };
        for (text, command) in [
            ("rd run a.runbook.md", run("a.runbook.md", false)),
            ("  rd run --prompted 'a b.runbook.md' ", run("a b.runbook.md", true)),
            ("gatehouse run a.runbook.md --prompted", run("a.runbook.md", true)),
            ("rd pass", said(true, None)),
            ("rundown no", said(false, None)),
            ("rd yes --agent=ann", said(true, Some("ann"))),
            ("rd fail --agent ann", said(false, Some("ann"))),
            ("rd run --agent ann", Command::TakeUp { agent: "ann".into() }),
            (
                "rd run --step 1.1 b.runbook.md",
                Command::Assign {
                    step: "1.1".into(),
                    file: "b.runbook.md".into(),
                },
            ),
            (
                "rd goto {N}.1",
                Command::Goto {
                    step: "{N}.1".into(),
                    agent: None,
                },
            ),
            ("rd stash", Command::Stash),
            ("rd pop", Command::Pop),
            ("rd status", Command::Look),
            ("rd echo one two", Command::Look),
            ("rd pass # it is fine", said(true, None)),
        ] {
            assert_eq!(parse(text), Ok(command), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for (text, says) in [
            ("npm test", "commands begin with"),
            ("rd", "nothing to do"),
            ("rd pause", "says `pause`"),
            ("rd goto", "names no step"),
            ("rd run", "names no runbook"),
            ("rd pass --loud", "`--loud`"),
            ("rd goto 'x", "not closed"),
            ("rd fail || rd pass", "goes on with `||`"),
            ("rd pass && rd pass", "goes on with `&&`"),
            ("rd goto 2 3", "goes on with `3`"),
            ("rd run a.runbook.md b.runbook.md", "goes on with `b.runbook.md`"),
        ] {
            let problem = parse(text).expect_err(text);
            assert!(problem.contains(says), "{problem}");
        }
    }
}
