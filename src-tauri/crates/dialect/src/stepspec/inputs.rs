//! The structured inputs of a step: `inputs` with artifacts, targets of validation and settings of its context (seed 000 "Fields",
//! "TELIS context", "Validation inputs").

use super::form::{nearest, other_form, shortened, texts_of};
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Diagnostic, Edit, Fields, Place, Severity};
use serde_json::{Value, json};

/// What a setting of the context holds.
enum Holds {
    Text,
    Language,
    Method,
    /// A whole number from one on to the other.
    Count(u64, u64),
    /// From 0 to 1.
    Share,
    Tiers,
}

const LANGUAGES: &[&str] = &["python", "typescript", "javascript", "json", "yaml", "markdown"];
/// Other words for them.
const ENDINGS: [&str; 11] = ["py", "pyi", "ts", "tsx", "mts", "js", "jsx", "mjs", "cjs", "yml", "md"];
const METHODS: &[&str] = &["hover", "signatureHelp"];
const TIERS: &[&str] = &["nano", "micro", "full"];
/// So many parts of texts at most are given.
const MOST: u64 = 100;

/// The settings that the seed names.
const SETTINGS: [(&str, Holds); 11] = [
    ("telis_query", Holds::Text),
    ("telis_language", Holds::Language),
    ("telis_document_path", Holds::Text),
    ("telis_document_text", Holds::Text),
    ("telis_method", Holds::Method),
    ("telis_line", Holds::Count(0, u32::MAX as u64)),
    ("telis_character", Holds::Count(0, u32::MAX as u64)),
    ("telis_shard_limit", Holds::Count(1, MOST)),
    ("telis_min_score", Holds::Share),
    ("telis_max_phase", Holds::Count(1, MOST)),
    ("telis_phase_tiers", Holds::Tiers),
];

/// What `inputs` holds.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Everything, with lists that were written otherwise as lists.
    pub(super) parameters: Fields,
    /// `artifacts`, each with its position in the file.
    pub(super) artifacts: Vec<(usize, String)>,
    /// `validation_targets`, likewise.
    pub(super) targets: Vec<(usize, String)>,
    /// The artifacts stand in a list right under `inputs`.
    pub(super) bare: bool,
}

/// Takes `inputs`. A list, or one text, is read as the artifacts.
pub(super) fn read(context: &mut Context<'_>, step: &mut Block) -> Inputs {
    let Some(id) = step.take(context, "inputs") else {
        return Inputs::default();
    };
    let place = step.place("inputs");
    if context.is_null(id) {
        other_form(
            context,
            place,
            "`inputs` is there without fields; it counts as empty",
            Some(json!({})),
        );
        return Inputs::default();
    }
    if !context.is_map(id) {
        return bare(context, id, place);
    }
    let mut block = Block::open(context, id, place);
    let mut inputs = Inputs::default();
    let artifacts = block.take(context, "artifacts");
    let targets = block.take(context, "validation_targets");
    if let Some(id) = artifacts {
        inputs.artifacts = texts_of(context, id, block.place("artifacts"), "artifacts");
    }
    if let Some(id) = targets {
        inputs.targets = self::targets(context, id, block.place("validation_targets"));
    }
    settings(context, &block);
    let list = |list: &[(usize, String)]| list.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().into();
    if artifacts.is_some() {
        inputs
            .parameters
            .insert("artifacts".to_owned(), list(&inputs.artifacts));
    }
    if targets.is_some() {
        inputs
            .parameters
            .insert("validation_targets".to_owned(), list(&inputs.targets));
    }
    inputs.parameters.extend(block.rest(context));
    inputs
}

fn bare(context: &mut Context<'_>, id: NodeId, place: Place) -> Inputs {
    let artifacts: Vec<String> = match context.text(id) {
        Some(one) => vec![one],
        None => {
            let items = context.items(id);
            let is_text = |item: &NodeId| context.text(*item).is_some();
            let Some(items) = items.filter(|items| items.iter().all(is_text)) else {
                context.wrong_type(place, "a list of fields", "it is not used");
                return Inputs::default();
            };
            items.iter().filter_map(|item| context.text(*item)).collect()
        }
    };
    let said = "`inputs` should hold fields; it is read as the list of its `artifacts`";
    let meant = json!({"artifacts": artifacts});
    other_form(context, place, said, Some(meant.clone()));
    let parameters = match meant {
        Value::Object(map) => map.into_iter().collect(),
        _ => Fields::new(),
    };
    Inputs {
        parameters,
        artifacts: artifacts.into_iter().enumerate().collect(),
        targets: Vec::new(),
        bare: true,
    }
}

/// `validation_targets` is a list of paths. One path alone is read as a list of one.
fn targets(context: &mut Context<'_>, id: NodeId, place: Place) -> Vec<(usize, String)> {
    if context.tree.items(id).is_some() {
        return texts_of(context, id, place, "validation_targets");
    }
    let one = context.text(id);
    let said = match &one {
        Some(one) => format!(
            "`validation_targets` should be a list; it is read as the one path `{}`",
            shortened(one)
        ),
        None if context.is_null(id) => "`validation_targets` should be a list; it counts as an empty one".to_owned(),
        None => "`validation_targets` should be a list of paths; nothing of it is checked".to_owned(),
    };
    let is_read = one.is_some() || context.is_null(id);
    let severity = if is_read { Severity::Warning } else { Severity::Error };
    let found = Diagnostic::new("GH0415", severity, place.clone(), said)
        .help("Write one `- path` a line; the paths are relative to the project");
    let list: Vec<&str> = one.as_deref().into_iter().collect();
    context.push(if is_read {
        found.fix(
            "Make it a list",
            Edit::Set {
                place,
                value: list.into(),
            },
        )
    } else {
        found.fix("Remove it", Edit::Remove { place })
    });
    one.into_iter().map(|one| (0, one)).collect()
}

/// What is wrong with the settings of the context. They stay as they are: whoever looks something up fails at a value that it cannot use.
fn settings(context: &mut Context<'_>, block: &Block) {
    let asks_a_server = block.names(context).iter().any(|name| name == "telis_method");
    for name in block.names(context) {
        if !name.starts_with("telis_") {
            continue;
        }
        let Some(id) = block.peek(context, &name) else { continue };
        let place = block.place(&name);
        let Some((_, holds)) = SETTINGS.iter().find(|(known, _)| *known == name) else {
            let known = SETTINGS.map(|(name, _)| name);
            let said = format!("`{}` is no setting of the context; it has no effect", shortened(&name));
            let found = Diagnostic::new("GH0416", Severity::Warning, place.clone(), said);
            let near = nearest(&name, &known).map(|near| format!("Did you mean `{near}`?"));
            let help = near.unwrap_or_else(|| format!("Known: {}", known.join(", ")));
            context.push(found.help(help).fix("Remove it", Edit::Remove { place }));
            continue;
        };
        if context.is_null(id) {
            continue;
        }
        let Err(fault) = held(context, id, holds, asks_a_server) else {
            continue;
        };
        let (severity, said) = match fault.then {
            Then::Fails => (
                Severity::Error,
                format!("`{name}` should be {}; the step would fail", fault.wanted),
            ),
            Then::FindsNothing => (
                Severity::Warning,
                format!(
                    "`{name}` should be {}; a query finds nothing in any other",
                    fault.wanted
                ),
            ),
            Then::IsRead(as_what) => (
                Severity::Warning,
                format!("`{name}` should be {}; it is read as `{as_what}`", fault.wanted),
            ),
        };
        let found = Diagnostic::new("GH0416", severity, place.clone(), said);
        context.push(match fault.near {
            Some(near) => found.help(format!("Did you mean `{near}`?")).fix(
                format!("Change to `{near}`"),
                Edit::Set {
                    place,
                    value: near.into(),
                },
            ),
            None => found
                .help("Correct it, or remove the field")
                .fix("Remove it", Edit::Remove { place }),
        });
    }
}

/// A value that is not what a setting holds.
struct Misfit {
    wanted: String,
    then: Then,
    near: Option<&'static str>,
}

/// What follows from it.
enum Then {
    Fails,
    FindsNothing,
    IsRead(&'static str),
}

/// `asks_a_server`: a language server is asked besides.
fn held(context: &mut Context<'_>, id: NodeId, holds: &Holds, asks_a_server: bool) -> Result<(), Misfit> {
    let value = context.scalar(id);
    let word = value.as_str();
    let fails = |wanted: String| {
        Err(Misfit {
            wanted,
            then: Then::Fails,
            near: None,
        })
    };
    // What is asked for before a run is filled in then.
    if word.is_some_and(|word| word.contains("{{")) {
        return Ok(());
    }
    match holds {
        Holds::Text if word.is_some() => Ok(()),
        Holds::Text => fails("a text".to_owned()),
        Holds::Language | Holds::Method => {
            let (known, plain) = match holds {
                Holds::Language => (LANGUAGES, word.map(|word| word.trim().to_lowercase())),
                _ => {
                    let plain = word.map(|word| word.trim().trim_start_matches("textDocument/").replace('_', ""));
                    (METHODS, plain)
                }
            };
            if word.is_some_and(|word| word.trim().is_empty() || known.contains(&word)) {
                return Ok(());
            }
            // A language server may know others.
            let is_other = plain.as_deref().is_some_and(|plain| ENDINGS.contains(&plain)) || asks_a_server;
            if matches!(holds, Holds::Language) && word.is_some() && is_other {
                return Ok(());
            }
            let read = plain.and_then(|plain| known.iter().copied().find(|known| known.eq_ignore_ascii_case(&plain)));
            Err(Misfit {
                wanted: format!("one of {}", known.join(", ")),
                then: match (read, holds, word) {
                    (Some(read), ..) => Then::IsRead(read),
                    (None, Holds::Language, Some(_)) => Then::FindsNothing,
                    _ => Then::Fails,
                },
                near: read.or_else(|| word.and_then(|word| nearest(word, known))),
            })
        }
        Holds::Count(least, most) => {
            let number = match word {
                Some(word) => word.trim().parse().ok(),
                None => value.as_u64(),
            };
            match number.filter(|number| (least..=most).contains(&number)) {
                Some(_) => Ok(()),
                None if *most == MOST => fails(format!("a whole number from {least} to {most}")),
                None => fails("a whole number, 0 or more".to_owned()),
            }
        }
        Holds::Share => {
            let number = match word {
                Some(word) => word.trim().parse().ok(),
                None => value.as_f64(),
            };
            match number.filter(|share| (0.0..=1.0).contains(share)) {
                Some(_) => Ok(()),
                None => fails("a number from 0 to 1".to_owned()),
            }
        }
        Holds::Tiers => {
            let is_tier = |word: &str| TIERS.contains(&word.trim().to_lowercase().as_str());
            let is_well = match (word, context.items(id)) {
                (Some(words), _) => words.split(',').all(is_tier),
                (None, Some(items)) => {
                    let each = |item: &NodeId| context.text(*item).is_some_and(|word| is_tier(&word));
                    !items.is_empty() && items.iter().all(each)
                }
                (None, None) => false,
            };
            match is_well {
                true => Ok(()),
                false => fails(format!("a list of {}", TIERS.join(", "))),
            }
        }
    }
}
