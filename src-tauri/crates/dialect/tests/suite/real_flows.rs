//! The real flow files beside the project: all open and print as they are, and those that ask for what is not carried out are
//! refused for that and nothing else.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests read their fixtures and say what they skip"
)]

use dialect::Document;
use model::{Place, Severity};
use std::path::{Path, PathBuf};

fn oracle() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/oracle/stepwise");
    crate::looking::can_look(folder.is_dir(), "the recorded cases are not beside the project").then_some(folder)
}

fn flows(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in ["flows", "spec_flows"] {
        let entries = std::fs::read_dir(folder.join(part)).expect("the oracle has this folder");
        for entry in entries {
            let path = entry.expect("readable").path();
            let text = std::fs::read_to_string(&path).expect("utf-8");
            found.push((path.display().to_string(), text));
        }
    }
    found.sort();
    assert!(found.len() > 20, "the oracle holds the real flows");
    found
}

#[test]
fn every_real_flow_opens_and_starts() {
    let Some(folder) = oracle() else { return };
    for (path, text) in flows(&folder) {
        let is_registry = path.ends_with("_registry.yaml");
        assert_eq!(dialect::detect(&path, &text), Some(model::Format::Stepwise), "{path}");
        let document = Document::parse(&path, &text);
        assert_eq!(document.text(), text);
        if is_registry {
            assert_eq!(document.workflow().steps().len(), 9, "each flow is drawn as a step");
            continue;
        }
        let errors: Vec<_> = document
            .diagnostics()
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "{path}: {errors:#?}");
        for diagnostic in document.diagnostics() {
            eprintln!(
                "{path}: {} {:?} {}",
                diagnostic.code, diagnostic.severity, diagnostic.message
            );
        }
        assert!(document.workflow().steps().len() >= 5, "{path}");
        for step in document.workflow().steps() {
            let span = document.span(&Place::step(step.ordinal)).expect("a step has a span");
            assert!(text[span.start..span.end].contains(own_id(step)), "{path}: {}", step.id);
            // A detour that leaves several steps stands in the file once.
            if step.detour_from.is_some() {
                continue;
            }
            let inside = document.place_at(span.start);
            assert_eq!(inside.step, Some(step.ordinal), "{path}: {inside:?}");
            for (target_path, to) in step.routing.targets() {
                let place = Place::step(step.ordinal).path(target_path);
                let written = document.value(&place);
                // Where branches meet is not written at the fork.
                if !matches!(step.routing, model::Routing::Fork(_)) || place.path.len() > 2 {
                    assert_eq!(written, Some(serde_json::json!(to.as_str())), "{path}: {place:?}");
                }
            }
        }
    }
}

#[test]
fn values_agree_with_the_yaml_library() {
    let Some(folder) = oracle() else { return };
    for (path, text) in flows(&folder) {
        let document = Document::parse(&path, &text);
        let expected: serde_json::Value = serde_yaml::from_str(&text).expect("the library reads it");
        assert_eq!(document.value(&Place::document()).expect("a value"), expected, "{path}");
    }
}

/// The id in the file: of a step of a detour without the step that it leaves, and without a number for a second one.
fn own_id(step: &model::Step) -> &str {
    let Some(_) = &step.detour_from else {
        return step.id.as_str();
    };
    let own = step.id.as_str().split('@').next().unwrap_or_default();
    own.strip_suffix("-2").unwrap_or(own)
}
