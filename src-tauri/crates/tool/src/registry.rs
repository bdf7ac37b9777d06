//! All tools that a project has, by name, and calling them.

use crate::check::Checks;
use crate::clock::Clock;
use crate::declared::{Commands, KEPT};
use crate::files::Files;
use crate::repository::Repository;
use crate::source::{Cut, held};
use crate::{Context, Declared, Judgement, Outcome, Rules, Served, Source, Spec, arguments, judge};
use model::ToolRefusal;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::future::Future;

/// The tools of a project.
#[derive(Debug)]
pub struct Registry {
    tools: BTreeMap<String, (Spec, usize)>,
    sources: Vec<Box<dyn Source>>,
}

impl Registry {
    /// The tools that every project has.
    pub fn built_in() -> Self {
        Self::with_checks(BTreeMap::new())
    }

    /// The same, with the checks that a project declares under `checks`: name → command line ([`crate::Check`]).
    pub fn with_checks(checks: BTreeMap<String, String>) -> Self {
        let mut registry = Self {
            tools: BTreeMap::new(),
            sources: Vec::new(),
        };
        registry.take(Box::new(Clock));
        registry.take(Box::new(Files));
        registry.take(Box::new(Repository));
        registry.take(Box::new(Checks(checks)));
        registry
    }

    /// Adds the tools that a project declares as commands. What cannot be used is left out and told, in words for whoever wrote it.
    pub fn declare(&mut self, declared: &[Declared]) -> Vec<String> {
        let mut problems: Vec<String> = declared.iter().filter_map(Declared::problem).collect();
        let usable = declared.iter().filter(|d| d.problem().is_none());
        let commands = usable.filter(|d| matches!(d.served, Served::Command(_)));
        problems.extend(self.add(Box::new(Commands(commands.cloned().collect()))));
        problems
    }

    /// Adds the tools of a source. A tool whose name is taken is left out and told.
    pub fn add(&mut self, source: Box<dyn Source>) -> Vec<String> {
        let taken = self.take(source);
        let problem =
            |name: String| format!("there are two tools `{name}`; the first one counts, the other needs another name");
        taken.into_iter().map(problem).collect()
    }

    fn take(&mut self, source: Box<dyn Source>) -> Vec<String> {
        let mut taken = Vec::new();
        for spec in source.specs() {
            match self.tools.contains_key(&spec.name) {
                true => taken.push(spec.name),
                false => drop(self.tools.insert(spec.name.clone(), (spec, self.sources.len()))),
            }
        }
        self.sources.push(source);
        taken
    }

    /// The tool of this name.
    pub fn lookup(&self, name: &str) -> Option<&Spec> {
        self.tools.get(name).map(|(spec, _)| spec)
    }

    /// All tools, in the order of their names.
    pub fn list(&self) -> impl Iterator<Item = &Spec> {
        self.tools.values().map(|(spec, _)| spec)
    }

    /// What becomes of a call ([`judge()`]).
    pub fn judge(&self, call: &crate::Call<'_>, rules: &Rules, approved: impl FnOnce(&str) -> bool) -> Judgement {
        judge(call, self.lookup(call.name), rules, approved)
    }

    /// Calls a tool and waits for its answer, for its timeout at most, or until `stopped` resolves. What it started is ended when this returns;
    /// dropping this kills it. Whether the call may be made at all is for [`Registry::judge`]; arguments that do not fit are refused
    /// here too. Never panics; answers are bounded.
    pub async fn call(
        &self,
        name: &str,
        args: &Value,
        context: &Context,
        stopped: impl Future<Output = ()> + Send,
    ) -> Outcome {
        let Some((spec, source)) = self.tools.get(name) else {
            return Outcome::failed(ToolRefusal::Unknown.as_str());
        };
        if let Some(why) = arguments::refused(spec, args) {
            return Outcome::failed(why);
        }
        let none = Value::Object(Map::new());
        let args = if args.is_null() { &none } else { args };
        let limit = spec.timeout.unwrap_or(context.timeout);
        let source = &self.sources[*source];
        let answer = held(limit, stopped, async |leash| {
            source.call(name, args, context, leash).await
        })
        .await;
        let (why, last) = match answer {
            Ok(outcome) => return bounded(outcome),
            Err((Cut::Late(limit), last)) => (format!("`{name}` did not answer within {limit}, and was ended"), last),
            Err((Cut::Off, last)) => (format!("`{name}` was called off"), last),
        };
        // What it said until then is worth keeping; why it failed is known better here.
        let said = last.map(|outcome| outcome.output).unwrap_or_default();
        bounded(Outcome::failed(why).with(said))
    }
}

/// An answer that is too long is cut, and says so.
fn bounded(mut outcome: Outcome) -> Outcome {
    // A text may be as long as what was kept of it, and the sentence that says how much was not.
    let room = KEPT + 100;
    match &mut outcome.output {
        Value::String(text) => cut(text, room),
        Value::Array(_) | Value::Object(_) => {
            let mut text = outcome.output.to_string();
            // JSON writes some characters in six.
            if text.len() > 6 * room {
                cut(&mut text, KEPT);
                outcome.output = json!({"cut": true, "beginning": text});
            }
        }
        _ => {}
    }
    if outcome.error.len() > 10_000 {
        cut(&mut outcome.error, 10_000);
    }
    outcome
}

fn cut(text: &mut String, room: usize) {
    if text.len() <= room {
        return;
    }
    let mut end = room;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let dropped = text.len() - end;
    text.truncate(end);
    text.push_str(&format!("\n[{dropped} more bytes were not kept]"));
}
