//! The programs that a StepSpec run starts beside its agents and tools: checks of the project, runners for Python, language servers.
//! So that nobody is surprised by one (seed 000 "Validation gates", "TELIS context").

use crate::text::safe;
use crate::words;
use crate::workflow::view::ProgramPlan;
use dialect::stepspec::{policy_words, validation_checks};
use model::{Step, Workflow};
use runtime::config::Config;
use serde_json::Value;

/// Tools that ask a language server.
const ASK_SERVERS: [&str; 2] = ["lspHover", "lspSignatureHelp"];

/// Each program once, with what it is for and the steps that start it, in the order of the steps.
pub fn programs(workflow: &Workflow, config: &Config) -> Vec<ProgramPlan> {
    let mut plans: Vec<ProgramPlan> = Vec::new();
    if !workflow.contract().lifecycle {
        return plans;
    }
    for step in workflow.steps() {
        for (command, purpose) in checks(step, config).into_iter().chain(servers(step, config)) {
            match plans
                .iter_mut()
                .find(|plan| plan.command == command && plan.words == purpose)
            {
                Some(plan) => plan.steps.push(words::of_step(step)),
                None => plans.push(ProgramPlan {
                    command,
                    words: purpose,
                    steps: vec![words::of_step(step)],
                    inside: Vec::new(),
                }),
            }
        }
    }
    plans
}

/// What checks what the step makes.
fn checks(step: &Step, config: &Config) -> Vec<(String, String)> {
    let Some(policy) = step.validation.as_deref() else {
        return Vec::new();
    };
    let asked = validation_checks(policy);
    let makes_python = step.outputs.iter().any(|output| output.ends_with(".py"));
    let runner = |check: &str, command: &str, purpose: &str| {
        (makes_python && asked.contains(&check)).then(|| (command.to_owned(), purpose.to_owned()))
    };
    let runners = [
        runner(
            "ast",
            "python3",
            "reads the Python that was made, where it is installed",
        ),
        runner("typecheck", "mypy", "checks its types, where it is installed"),
        runner("lint", "ruff", "checks its style, where it is installed"),
    ];
    let own = policy_words(policy).filter_map(|word| Some((word, config.around.checks.get(word)?)));
    let own = own.map(|(word, command)| {
        (
            safe::visible(command),
            format!("is the project's check “{}”", safe::visible(word)),
        )
    });
    runners.into_iter().flatten().chain(own).collect()
}

/// The language servers that are asked for the step; where nobody says which language, any of them may be.
fn servers(step: &Step, config: &Config) -> Vec<(String, String)> {
    let word = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let looked_up = step
        .parameters
        .contains_key("telis_method")
        .then(|| word(step.parameters.get("telis_language")));
    let called = step
        .tools
        .iter()
        .filter(|call| ASK_SERVERS.contains(&call.name.as_str()));
    let asked: Vec<Option<String>> = looked_up
        .into_iter()
        .chain(called.map(|call| word(call.args.get("language"))))
        .collect();
    let servers = config.around.language_servers.iter();
    servers
        .filter(|(language, _)| {
            asked
                .iter()
                .any(|asked| asked.as_ref().is_none_or(|asked| asked == *language))
        })
        .map(|(language, server)| {
            let purpose = format!("is the language server for {}", safe::visible(language));
            (safe::visible(&server.command), purpose)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_program_is_named_once_with_the_steps_that_start_it() {
        let config = "checks: {prose: {command: sh prose.sh}}\n\
                      language_servers: {python: {command: pyright --stdio}, json: {command: json-server}}\n";
        let config = Config::parse(Path::new("gatehouse.yaml"), config).expect("it is valid");
        let text = "format: stepspec\nworkflow: w\nsteps:\n\
                    - {id: a, name: A, outputs: ['{output_folder}/a.py'], validation: AST + type + lint + prose}\n\
                    - {id: b, name: B, outputs: ['{output_folder}/b.md'], validation: prose check, inputs: {telis_method: hover, telis_language: python}}\n\
                    - {id: c, name: C, validation: none, tools: [{name: lspHover, args: {path: a}}]}\n";
        let document = dialect::Document::parse("w.yaml", text);
        let said: Vec<String> = programs(document.workflow(), &config)
            .iter()
            .map(|plan| {
                let steps: Vec<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
                format!("{}: {} [{}]", plan.command, plan.words, steps.join(" "))
            })
            .collect();
        assert_eq!(
            said,
            [
                "python3: reads the Python that was made, where it is installed [a]",
                "mypy: checks its types, where it is installed [a]",
                "ruff: checks its style, where it is installed [a]",
                "sh prose.sh: is the project's check “prose” [a b]",
                "pyright --stdio: is the language server for python [b c]",
                "json-server: is the language server for json [c]",
            ]
        );
    }
}
