//! Validation: what a step made is checked before it is taken (seed 000 "Validation gates").
//!
//! Checked are the step's `validation_targets`, else the files it declares as outputs; a file that is not there has not
//! passed. Which checks are made follows from the words of the policy and the kind of each file; a check whose program
//! is missing, or that nothing here makes of such a file, is put down as absent, and so is a part of the policy that names no
//! check. Where nothing else could be checked the step has not passed.

use super::{Attempt, CALLED_OFF, Care};
use crate::artifacts::{Found, is_address};
use crate::brief::template_path;
use dialect::stepspec::{checks_nothing, policy_words, unnamed, validation_checks};
use engine::{CheckRecord, CheckStatus, Validation};
use model::step::Output;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tool::{Check, SourceLanguage};

/// Checks what was made, as the step's policy asks, each check within its own time.
///
/// # Errors
/// What did not pass.
pub(super) async fn validate(attempt: &mut Attempt) -> Result<(), String> {
    let (care, found, sink) = (&attempt.job.care, &attempt.found, &attempt.sink);
    let policy = care.step.validation.as_deref().unwrap_or_default();
    if checks_nothing(policy) {
        return Ok(());
    }
    let own = &care.toolbox.settings.checks;
    let unnamed = unnamed(policy, |word| own.contains_key(word));
    let checks = match &care.script {
        Some(script) => {
            let made = scripted(care, policy, found, script.invalid.as_ref());
            let target = made.target.clone();
            std::iter::once(made).chain(not_looked_at(&unnamed, &target)).collect()
        }
        None => {
            let mut checks = Vec::new();
            let context = care.toolbox.context(&attempt.job.brief);
            let root = Path::new(&attempt.job.brief.project_root);
            for target in targets(care, found) {
                for check in checks_of(care, root, policy, &target) {
                    if sink.is_stopped() {
                        return Err(CALLED_OFF.to_owned());
                    }
                    let stopped = async {
                        sink.stopped().await;
                    };
                    let outcome = check.run(&target, &context, stopped).await;
                    checks.push(CheckRecord {
                        check: check.name().to_owned(),
                        target: target.clone(),
                        status: status(outcome.status),
                        line: outcome.places.first().and_then(|place| place.line),
                        message: outcome.message,
                    });
                }
                checks.extend(not_looked_at(&unnamed, &target));
            }
            checks
        }
    };
    let verdict = verdict(&checks);
    attempt.held.validation = Some(Validation {
        policy: policy.to_owned(),
        passed: verdict.is_none(),
        checks,
    });
    match verdict {
        None => Ok(()),
        Some(why) => {
            sink.remark(&why);
            Err(why)
        }
    }
}

/// The parts of a policy that name no check: nobody has looked at what they ask for.
fn not_looked_at(unnamed: &[String], target: &str) -> impl Iterator<Item = CheckRecord> {
    unnamed.iter().map(|part| CheckRecord {
        check: part.clone(),
        target: target.to_owned(),
        status: CheckStatus::Absent,
        line: None,
        message: format!("`{part}` names no check, neither one of Gatehouse nor one under `checks` in gatehouse.yaml"),
    })
}

/// Why it has not passed.
fn verdict(checks: &[CheckRecord]) -> Option<String> {
    let of = |wanted: CheckStatus| checks.iter().filter(move |check| check.status == wanted);
    let list = |wanted| -> Vec<String> { of(wanted).map(|c| format!("{}: {}", c.target, c.message)).collect() };
    let failed = list(CheckStatus::Failed);
    if !failed.is_empty() {
        return Some(format!("validation failed: {}", failed.join("; ")));
    }
    if of(CheckStatus::Passed).next().is_some() {
        return None;
    }
    let absent = list(CheckStatus::Absent);
    if absent.is_empty() {
        return Some("validation failed: the step names no file that could be checked".to_owned());
    }
    Some(format!(
        "validation failed: nothing could be checked: {}",
        absent.join("; ")
    ))
}

fn status(status: tool::CheckStatus) -> CheckStatus {
    match status {
        tool::CheckStatus::Passed => CheckStatus::Passed,
        tool::CheckStatus::Failed => CheckStatus::Failed,
        tool::CheckStatus::Absent => CheckStatus::Absent,
    }
}

/// What a scenario says of the step's validation.
fn scripted(care: &Care, policy: &str, found: &Found, invalid: Option<&String>) -> CheckRecord {
    let target = found.artifacts.first().map(|artifact| artifact.path.clone());
    CheckRecord {
        check: validation_checks(policy)
            .first()
            .copied()
            .unwrap_or("policy")
            .to_owned(),
        target: target.or(care.step.outputs.first().cloned()).unwrap_or_default(),
        status: match invalid {
            Some(_) => CheckStatus::Failed,
            None => CheckStatus::Passed,
        },
        message: invalid.cloned().unwrap_or_default(),
        line: None,
    }
}

/// The files that are checked, each once: relative to the project.
fn targets(care: &Care, found: &Found) -> Vec<String> {
    let step = &care.step;
    let named: Vec<String> = match step.parameters.get("validation_targets") {
        Some(Value::Array(targets)) => targets.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => {
            // What was declared as it stands, and whatever a pattern or a folder gave.
            let outputs = step.outputs.iter().map(|output| Output::of(output));
            let plain = outputs.filter(|output| !output.optional && !output.path.contains(['*', '?', '[']));
            let plain = plain.filter(|output| Path::new(output.path).extension().is_some());
            let made = found.artifacts.iter().map(|artifact| artifact.path.as_str());
            plain.map(|output| output.path).chain(made).map(str::to_owned).collect()
        }
    };
    let mut targets: Vec<String> = Vec::new();
    for target in named {
        let target = target.trim().trim_start_matches("./").to_owned();
        if !target.is_empty() && !targets.contains(&target) {
            targets.push(target);
        }
    }
    targets
}

/// The checks of a file, by the words of the policy and the kind of the file.
fn checks_of(care: &Care, root: &Path, policy: &str, target: &str) -> Vec<Check> {
    let asked = validation_checks(policy);
    let kind = Path::new(target)
        .extension()
        .map(|end| end.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let own = &care.toolbox.settings.checks;
    let mut checks = Vec::new();
    if asked.contains(&"ast") {
        checks.extend(syntax_of(&kind, target, own));
    }
    // Where both are asked for, each kind of file has the one that fits it.
    let (template, schema) = (asked.contains(&"template"), asked.contains(&"schema"));
    let is_markdown = MARKDOWN.contains(&kind.as_str());
    let is_data = DATA.contains(&kind.as_str());
    if template && (is_markdown || !(schema && is_data)) {
        checks.push(template_of(care, root, target).map_or_else(
            || {
                unset(
                    "template",
                    match is_markdown {
                        true => "the step names no Markdown template for it under `templates`",
                        false => "only Markdown files are held against a template",
                    },
                )
            },
            Check::Template,
        ));
    }
    if schema && (is_data || !(template && is_markdown)) {
        checks.push(schema_of(care).filter(|_| is_data).unwrap_or_else(|| {
            unset(
                "schema",
                match is_data {
                    true => {
                        "the step names no schema for it: write it, or the path of its file, as `schema` under `inputs`"
                    }
                    false => "only JSON and YAML files are held against a schema",
                },
            )
        }));
    }
    for check in ["typecheck", "lint"].into_iter().filter(|check| asked.contains(check)) {
        checks.extend(check_of_source(check, &kind, own));
    }
    let words = policy_words(policy).filter(|word| own.contains_key(*word));
    for check in words.filter_map(|word| Check::of_word(word, own)) {
        if !checks.contains(&check) {
            checks.push(check);
        }
    }
    checks
}

/// Kinds of files that are held against a template, and against a schema.
const MARKDOWN: [&str; 2] = ["md", "markdown"];
const DATA: [&str; 3] = ["json", "yaml", "yml"];

/// The checks of how a file is written, by its kind: the project's own (`ast-rb` under `checks:`), else what is known here. Where nothing
/// knows its kind it is read as text, and how it is written counts as not looked at.
fn syntax_of(kind: &str, target: &str, own: &BTreeMap<String, String>) -> Vec<Check> {
    /// Any text is a right one.
    const PROSE: [&str; 10] = [
        "md", "markdown", "txt", "text", "rst", "adoc", "org", "csv", "tsv", "log",
    ];
    /// No text at all.
    const BINARY: [&str; 11] = [
        "pdf", "png", "jpg", "jpeg", "gif", "webp", "zip", "gz", "docx", "xlsx", "pptx",
    ];
    /// Files without an ending that are read by people alone.
    const FOR_PEOPLE: [&str; 7] = [
        "readme",
        "license",
        "licence",
        "notice",
        "changelog",
        "authors",
        "copying",
    ];
    if kind.is_empty() {
        let name = Path::new(target)
            .file_name()
            .map(|name| name.to_string_lossy().to_lowercase());
        if name.is_some_and(|name| FOR_PEOPLE.contains(&name.as_str())) {
            return vec![Check::Text];
        }
        return vec![
            Check::Text,
            unset("ast", "the file’s name has no ending that says how it is written"),
        ];
    }
    let of_kind = format!("ast-{kind}");
    if let Some(check) = own.get(&of_kind).and_then(|_| Check::of_word(&of_kind, own)) {
        return vec![check];
    }
    let known = match kind {
        "json" => Some(Check::Json),
        "yaml" | "yml" => Some(Check::Yaml),
        "py" => Some(Check::Ast),
        kind if PROSE.contains(&kind) => Some(Check::Text),
        kind => SourceLanguage::of_ending(kind).map(Check::Syntax),
    };
    match known {
        Some(known) => vec![known],
        None => {
            let why = format!(
                "nothing here reads how a `.{kind}` file is written: name a command for it under `checks:` in gatehouse.yaml, as `{of_kind}`"
            );
            let text = (!BINARY.contains(&kind)).then_some(Check::Text);
            text.into_iter().chain([unset("ast", why)]).collect()
        }
    }
}

fn unset(name: &str, why: impl Into<String>) -> Check {
    Check::Unset {
        name: name.to_owned(),
        why: why.into(),
    }
}

/// The check of types or of style of a file, where it is source: the project's own for such files (`lint-ts` under `checks:`), else
/// its own for all (`lint`), else for Python the usual program; where there is none it is absent.
fn check_of_source(check: &str, kind: &str, own: &BTreeMap<String, String>) -> Option<Check> {
    /// Data, prose and pictures have neither types nor style.
    const NO_SOURCE: [&str; 16] = [
        "", "json", "yaml", "yml", "toml", "md", "markdown", "txt", "csv", "html", "xml", "pdf", "png", "jpg", "svg",
        "log",
    ];
    if NO_SOURCE.contains(&kind) {
        return None;
    }
    let of_kind = format!("{check}-{kind}");
    let declared = [of_kind.as_str(), check]
        .into_iter()
        .find(|name| own.contains_key(*name));
    Some(
        match (declared.and_then(|name| Check::of_word(name, own)), kind, check) {
            (Some(own), ..) => own,
            (None, "py", "typecheck") => Check::Typecheck,
            (None, "py", _) => Check::Lint,
            (None, ..) => unset(
                check,
                format!(
                    "nothing here checks it in `.{kind}` files: name a command for it under `checks:` in gatehouse.yaml, as `{of_kind}`"
                ),
            ),
        },
    )
}

/// The step's template for a file: the one of the same name (`prd.template.md` for `prd.md`), else its only one. One that may be missing, and is,
/// is none.
fn template_of(care: &Care, root: &Path, target: &str) -> Option<String> {
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default().to_lowercase()
    };
    let end = |path: &str| path.rsplit('.').next().unwrap_or_default().to_lowercase();
    let named = care.step.templates.iter().filter_map(|template| {
        let written = template_path(template);
        let file = Output::of(&written);
        (!file.optional || root.join(file.path).exists()).then(|| file.path.to_owned())
    });
    let templates: Vec<String> = named
        .filter(|template| end(template) == end(target) && end(target) == "md" && !is_address(template))
        .collect();
    let of_name = templates.iter().find(|template| stem(template) == stem(target));
    let only = (templates.len() == 1).then(|| templates.first()).flatten();
    of_name.or(only).cloned()
}

/// The schema that the step's inputs name: a file of the project, or the schema itself.
fn schema_of(care: &Care) -> Option<Check> {
    match care.step.parameters.get("schema")? {
        Value::String(path) => Some(Check::SchemaFile(path.clone())),
        schema @ Value::Object(_) => Some(Check::Schema(schema.clone())),
        _ => None,
    }
}
