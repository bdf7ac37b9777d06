//! Who carries the commands of a scenario out: the runbook itself, and the runbooks that agents took up.

use super::command::{self, Command};
use super::front::Ends;
use super::verdict::{Finder, Station, Trial, ending, message, nothing, place, seen};
use super::{Move, Rehearsal, Setting, Standing, script};
use model::Workflow;

/// Tries a scenario's commands, in order.
pub(super) fn commands_of(
    workflow: &Workflow,
    setting: &Setting,
    own: &str,
    name: &str,
    commands: &[String],
    result: Option<Ends>,
    find: Finder<'_>,
) -> Trial {
    let others: Vec<(String, Option<Workflow>)> = commands
        .iter()
        .filter_map(|text| match command::parse(text) {
            Ok(Command::Assign { file, .. }) => Some((file.clone(), find(&file))),
            _ => None,
        })
        .collect();
    let mut teller = Teller::of(workflow, setting, own, &others);
    let (stations, problem) = teller.tell(commands);
    let (passed, words) = match problem {
        Some(problem) => (false, problem),
        None => teller.verdict(commands, result),
    };
    teller.note_surplus(commands);
    let mut trial = match &teller.run {
        Some(rehearsal) => Trial {
            script: Some(script::text(name, None, rehearsal, result)),
            ..seen(rehearsal, passed, words)
        },
        None => nothing(words),
    };
    trial.stations = stations;
    trial.notes = teller.notes;
    trial.prompted = teller.setting.prompted;
    trial.expects = result.is_some();
    trial
}

/// Why a scenario's commands never come to start the runbook, one sentence; `None`: they do, unless the start is refused.
/// Nothing is started.
pub(super) fn before_start(workflow: &Workflow, setting: &Setting, own: &str, commands: &[String]) -> Option<String> {
    let starts = |text: &String| matches!(command::parse(text), Ok(Command::Run { .. }));
    let start = commands.iter().position(starts);
    let mut teller = Teller::of(workflow, setting, own, &[]);
    let (_, problem) = teller.tell(&commands[..start.unwrap_or(commands.len())]);
    match start {
        Some(_) => problem,
        None => problem.or_else(|| Some(teller.verdict(commands, None).1)),
    }
}

/// Who carries the commands out.
struct Teller<'a> {
    workflow: &'a Workflow,
    setting: Setting,
    own: &'a str,
    others: &'a [(String, Option<Workflow>)],
    run: Option<Rehearsal<'a>>,
    /// Runbooks given to whoever takes them up.
    given_out: Vec<String>,
    /// What agents do, by name; absent: their runbook is not at hand.
    agents: Vec<(String, Option<Rehearsal<'a>>)>,
    is_stashed: bool,
    /// The command that brought the run to its end.
    ended_by: Option<usize>,
    /// Commands that came after it.
    surplus: usize,
    notes: Vec<String>,
}

impl<'a> Teller<'a> {
    fn of(workflow: &'a Workflow, setting: &Setting, own: &'a str, others: &'a [(String, Option<Workflow>)]) -> Self {
        Self {
            workflow,
            setting: setting.clone(),
            own,
            others,
            run: None,
            given_out: Vec::new(),
            agents: Vec::new(),
            is_stashed: false,
            ended_by: None,
            surplus: 0,
            notes: Vec::new(),
        }
    }

    /// Obeys commands up to the first that cannot be: where the run stood after each, and what is wrong with the last.
    fn tell(&mut self, commands: &[String]) -> (Vec<Station>, Option<String>) {
        let mut stations = Vec::new();
        for (index, text) in commands.iter().enumerate() {
            let done = command::parse(text).and_then(|command| self.obey(index, text, command));
            stations.push(self.station(text));
            if let Err(sentence) = done {
                return (stations, Some(format!("Command {}: {sentence}.", index + 1)));
            }
        }
        (stations, None)
    }

    fn obey(&mut self, index: usize, text: &str, command: Command) -> Result<(), String> {
        match command {
            Command::Run { file, prompted } => self.start(index, text, &file, prompted),
            Command::Result { passed, agent } => {
                let to_do = if passed { Move::Pass } else { Move::Fail };
                self.feed(index, text, agent.as_deref(), to_do)
            }
            Command::Goto { step, agent } => self.feed(index, text, agent.as_deref(), Move::Goto(step)),
            Command::Stop => self.feed(index, text, None, Move::Stop),
            Command::Assign { step: _, file } => {
                self.given_out.push(file);
                Ok(())
            }
            Command::TakeUp { agent } => self.take_up(agent),
            Command::Stash => self.stash(text, true),
            Command::Pop => self.stash(text, false),
            Command::Look => Ok(()),
        }
    }

    fn start(&mut self, index: usize, text: &str, file: &str, prompted: bool) -> Result<(), String> {
        if self.run.is_some() {
            return Err(format!("`{text}` starts a runbook a second time"));
        }
        let base = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        if base(file) != base(self.own) {
            self.notes.push(format!(
                "`{text}` names another file than the one the scenario stands in; this one was run."
            ));
        }
        self.setting.prompted = prompted;
        let run = Rehearsal::begin(self.workflow, &self.setting).map_err(|refusal| said(&refusal.message))?;
        self.run = Some(run);
        self.note_end(index);
        Ok(())
    }

    fn feed(&mut self, index: usize, text: &str, agent: Option<&str>, to_do: Move) -> Result<(), String> {
        if let Some(agent) = agent {
            return self.feed_agent(text, agent, to_do);
        }
        let Some(run) = self.run.as_mut() else {
            return Err(format!("`{text}` comes before the runbook was started"));
        };
        if self.is_stashed {
            return Err(format!("`{text}` comes while the run is stashed"));
        }
        if self.ended_by.is_some() {
            self.surplus += 1;
            return Ok(());
        }
        let at = match run.standing() {
            Standing::Waits(at) => place(self.workflow, at),
            Standing::Turns(_) => return Err(format!("`{text}` is never reached. {}", ending(run))),
            Standing::Ended(_) => String::new(),
        };
        run.feed(to_do)
            .map_err(|refusal| format!("`{text}` at {at}: {}", said(&refusal.message)))?;
        self.note_end(index);
        Ok(())
    }

    fn note_end(&mut self, index: usize) {
        if let Some(Standing::Ended(_)) = self.run.as_ref().map(Rehearsal::standing) {
            self.ended_by.get_or_insert(index);
        }
    }

    fn take_up(&mut self, agent: String) -> Result<(), String> {
        let Some(file) = self.given_out.pop() else {
            let note = format!("`{agent}` took up work that was not given out; what it does is not part of this test.");
            self.notes.push(note);
            self.agents.push((agent, None));
            return Ok(());
        };
        let child = self.others.iter().find(|(name, _)| *name == file);
        let run = match child.and_then(|(_, workflow)| workflow.as_ref()) {
            Some(workflow) => {
                let begun = Rehearsal::begin(workflow, &self.setting);
                Some(begun.map_err(|refusal| format!("`{file}` for {agent}: {}", said(&refusal.message)))?)
            }
            None => {
                let note =
                    format!("The runbook `{file}` of {agent} is not here; what it does is not part of this test.");
                self.notes.push(note);
                None
            }
        };
        self.agents.push((agent, run));
        Ok(())
    }

    fn feed_agent(&mut self, text: &str, agent: &str, to_do: Move) -> Result<(), String> {
        let found = self.agents.iter_mut().rev().find(|(name, _)| name == agent);
        match found {
            Some((_, Some(run))) => run
                .feed(to_do)
                .map_err(|refusal| format!("`{text}`: {}", said(&refusal.message))),
            Some((_, None)) => Ok(()),
            None => Err(format!("`{text}`: {agent} has taken up nothing")),
        }
    }

    fn stash(&mut self, text: &str, aside: bool) -> Result<(), String> {
        match (self.run.is_some(), self.is_stashed == aside) {
            (false, _) => Err(format!("`{text}` comes before the runbook was started")),
            (true, true) if aside => Err(format!("`{text}`: the run is stashed already")),
            (true, true) => Err(format!("`{text}`: nothing is stashed")),
            (true, false) => {
                self.is_stashed = aside;
                Ok(())
            }
        }
    }

    fn station(&self, command: &str) -> Station {
        let run = self.run.as_ref();
        Station {
            command: command.to_owned(),
            waits: match run.map(Rehearsal::standing) {
                Some(Standing::Waits(at) | Standing::Turns(at)) => Some(at.clone()),
                _ => None,
            },
            reason: run.and_then(|run| run.state().routes.last().map(|r| r.reason.to_string())),
        }
    }

    /// Commands after the end change nothing, as in the format's own runner; whoever wrote them may have meant something else.
    fn note_surplus(&mut self, commands: &[String]) {
        let by = self.ended_by.unwrap_or_default();
        let command = commands.get(by).map_or("", String::as_str).trim();
        let more = match self.surplus {
            0 => return,
            1 => "the command after it has no effect".to_owned(),
            n => format!("the {n} commands after it have no effect"),
        };
        self.notes
            .push(format!("Command {} (`{command}`) ended the run; {more}.", by + 1));
    }

    fn verdict(&self, commands: &[String], result: Option<Ends>) -> (bool, String) {
        let Some(run) = &self.run else {
            return (false, "No command starts the runbook.".to_owned());
        };
        let state = run.state();
        let wanted = result.map_or(String::new(), |ends| format!("; {} was expected", ends.word()));
        let Standing::Ended(end) = run.standing() else {
            let after = commands.len();
            return (
                false,
                format!(
                    "After the last command ({after}) it has not ended. {}{wanted}.",
                    ending(run)
                ),
            );
        };
        let by = self.ended_by.unwrap_or_default();
        let command = commands.get(by).map_or("", String::as_str).trim();
        let from = state.routes.last().map_or(String::new(), |route| {
            format!(" from {}", place(self.workflow, &route.from))
        });
        if let Some(broken) = state.error.as_deref().filter(|error| is_broken(error)) {
            return (
                false,
                format!(
                    "Command {} (`{command}`) broke the run off{from}: {broken}{wanted}.",
                    by + 1
                ),
            );
        }
        let came = Ends::of(end);
        if result.is_some_and(|ends| ends != came) {
            return (
                false,
                format!(
                    "Command {} (`{command}`){from} ended the run with {}{}{wanted}.",
                    by + 1,
                    came.word(),
                    message(state)
                ),
            );
        }
        let words = match result {
            Some(_) => format!("{}, as expected.", ending(run)),
            None => format!(
                "{}; nothing is expected of it: the scenario says no result.",
                ending(run)
            ),
        };
        (true, words)
    }
}

/// Ends of a run that no runbook asks for.
fn is_broken(error: &str) -> bool {
    error.starts_with("Invalid routing") || error.starts_with("Safety limit reached")
}

/// A refusal's message as a part of a sentence.
fn said(message: &str) -> String {
    message.trim_end_matches('.').to_owned()
}
