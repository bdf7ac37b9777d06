//! The seeds, the samples and what was found once, held to everything the fuzz targets demand, in every `cargo test`.
#![expect(clippy::print_stdout, reason = "what was tried is worth reading when a test fails")]

use dialect::Document;
use fuzz::input::Input;
use fuzz::{FILE, editing};
use model::Edit;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Choices made for each file.
const VARIANTS: u8 = 4;

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with(".gatehouse") {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A file's bytes with choices of its own behind them.
fn variants(path: &Path) -> impl Iterator<Item = Vec<u8>> {
    let bytes = std::fs::read(path).expect("a seed");
    (0..VARIANTS).map(move |n| {
        let mut data = bytes.clone();
        data.extend((n > 0).then_some([0xff, n]).into_iter().flatten());
        data
    })
}

#[test]
fn every_runbook_at_hand_holds_what_is_demanded() {
    let mut seeds = files("seeds/rundown", ".md");
    assert!(seeds.len() >= 20, "{} seeds", seeds.len());
    seeds.extend(files("../../workflows", ".runbook.md"));
    seeds.extend(files("../dialects/rundown", ".md"));
    for seed in seeds {
        println!("{}", seed.display());
        variants(&seed).for_each(|data| fuzz::rundown(&data));
    }
}

#[test]
fn every_pipeline_at_hand_holds_what_is_demanded() {
    let mut seeds = files("seeds/pipeline", ".yaml");
    assert!(seeds.len() >= 10, "{} seeds", seeds.len());
    seeds.extend(files("../dialects/pipeline", ".yaml"));
    seeds.extend(files("../../workflows", ".yaml"));
    for seed in seeds {
        println!("{}", seed.display());
        variants(&seed).for_each(|data| fuzz::pipeline(&data));
    }
}

#[test]
fn every_step_spec_at_hand_holds_what_is_demanded() {
    let mut seeds = files("seeds/stepspec", ".yaml");
    assert!(seeds.len() >= 10, "{} seeds", seeds.len());
    seeds.extend(files("../dialects/stepspec", ".yaml"));
    seeds.extend(files("../dialects/stepspec", ".json"));
    seeds.extend(files("../../workflows", ".yaml"));
    for seed in seeds {
        println!("{}", seed.display());
        variants(&seed).for_each(|data| fuzz::stepspec(&data));
    }
}

#[test]
fn every_script_at_hand_holds_what_is_demanded() {
    let seeds = files("seeds/script", ".sh");
    assert!(seeds.len() >= 10, "{} seeds", seeds.len());
    for seed in seeds {
        println!("{}", seed.display());
        variants(&seed).for_each(|data| fuzz::script(&data));
    }
}

/// The properties of changes say something only where changes can be made: every kind of field is changed somewhere.
#[test]
fn changes_of_every_kind_are_made() {
    let mut made: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for seed in files("seeds/rundown", ".md") {
        for data in variants(&seed) {
            let mut input = Input::of(&data);
            let document = Document::parse(FILE, &input.text);
            let mut choices = input.choices();
            for _ in 0..40 {
                let edit = editing::any(&document, &mut choices);
                let place = edit.place();
                let scope = if place.step.is_some() { "step" } else { "document" };
                let part = match place.path.as_slice() {
                    [_, n, target] if n.parse::<usize>().is_ok() => target,
                    [first, ..] => first,
                    [] => continue,
                };
                let verb = if matches!(edit, Edit::Set { .. }) {
                    "set"
                } else {
                    "remove"
                };
                let tally = made.entry(format!("{verb} {scope} {part}")).or_default();
                tally.0 += 1;
                tally.1 += usize::from(editing::one(&document, &edit));
            }
        }
    }
    println!("{made:#?}");
    let demanded = [
        "set step title",
        "set step prompt",
        "set step command",
        "set step transitions",
        "set step target",
        "set step files",
        "set step id",
        "set document title",
        "set document description",
        "set document name",
        "set document agents",
        "set document tags",
        "remove step title",
        "remove step prompt",
        "remove step command",
        "remove step transitions",
        "remove step files",
        "remove document name",
    ];
    for kind in demanded {
        assert!(
            made.get(kind).is_some_and(|(_, made)| *made > 0),
            "no change of the kind `{kind}` was made"
        );
    }
}
