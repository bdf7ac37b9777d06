//! What pipelines are made of (seed 004 "List templates from config"): five that Gatehouse brings, and the project's own.
//!
//! The project's own are the files `*.yaml` in `templates/` of the folder of pipelines and the mapping `templates` of
//! `_bmad/core/pipeline/pipeline-config.yaml`. One of a name that Gatehouse uses too takes its place: what a project says counts.

use super::{Error, Folder};
use crate::file_fault::FileFault;
use dialect::Document;
use indexmap::IndexMap;
use model::Severity;
use store::below;
use store::regular::LARGEST_SETTINGS;

/// Gatehouse's own, in the seed's order.
const BUILT_IN: [(&str, &str); 5] = [
    ("full_sdlc", include_str!("templates/full_sdlc.yaml")),
    ("quick_flow", include_str!("templates/quick_flow.yaml")),
    ("analysis_only", include_str!("templates/analysis_only.yaml")),
    ("design_review", include_str!("templates/design_review.yaml")),
    ("test_suite", include_str!("templates/test_suite.yaml")),
];
/// Where other programs keep the templates of a project (seed 004 `config/source`).
const CONFIG: &str = "_bmad/core/pipeline/pipeline-config.yaml";
/// Below the folder of pipelines.
const OWN: &str = "templates";

/// A template.
#[derive(Debug, Clone)]
pub struct Template {
    /// What it is called by: `full_sdlc`.
    pub name: String,
    /// The file it stands in, relative to the project; absent: Gatehouse brings it.
    pub path: Option<String>,
    /// It as a file of its own, read.
    pub document: Document,
    /// Why no pipeline can be made of it.
    pub problem: Option<String>,
}

/// All templates of a project, Gatehouse's own first.
///
/// # Errors
/// [`Error::Escape`] when a folder leads out of the project.
pub fn all(folder: &Folder) -> Result<Vec<Template>, Error> {
    let mut found: IndexMap<String, Template> = IndexMap::new();
    let mut put = |template: Template| found.insert(template.name.clone(), template);
    for (name, text) in BUILT_IN {
        put(of(name, None, text));
    }
    if let Some(text) = config(folder) {
        for template in dialect::pipeline::templates(&text) {
            put(of(&template.key, Some(CONFIG.to_owned()), &template.text));
        }
    }
    for file in folder.names(OWN)? {
        let Some(name) = file.strip_suffix(".yaml").filter(|name| !name.starts_with('.')) else {
            continue;
        };
        let path = format!("{}/{OWN}/{file}", folder.relative());
        match folder.text(&format!("{OWN}/{file}")) {
            Ok(Some(text)) => put(of(name, Some(path), &text)),
            Ok(None) => continue,
            Err(error) => put(Template {
                problem: Some(error.to_string()),
                ..of(name, Some(path), "")
            }),
        };
    }
    Ok(found.into_values().collect())
}

/// The template of this name.
///
/// # Errors
/// [`Error::NoTemplate`] with those there are; [`Error::Unreadable`] when no pipeline can be made of it; those of [`all`].
pub fn find(folder: &Folder, name: &str) -> Result<Template, Error> {
    let templates = all(folder)?;
    let found = templates.iter().find(|template| template.name == name);
    let found = found.ok_or_else(|| Error::NoTemplate {
        name: name.to_owned(),
        known: templates.iter().map(|template| template.name.clone()).collect(),
    })?;
    match &found.problem {
        Some(reason) => Err(Error::Unreadable {
            path: found.path.clone().unwrap_or_else(|| name.to_owned()),
            reason: reason.clone(),
        }),
        None => Ok(found.clone()),
    }
}

fn of(name: &str, path: Option<String>, text: &str) -> Template {
    // A template has no id, so it is read under a name that is none.
    let document = Document::parse("template.yaml", text);
    let fault = document.diagnostics().iter().find(|d| d.severity == Severity::Error);
    let problem = match fault {
        Some(fault) => Some(fault.message.clone()),
        None if document.workflow().steps().is_empty() => Some("it has no stages".to_owned()),
        None => None,
    };
    Template {
        name: name.to_owned(),
        path,
        problem,
        document,
    }
}

/// What the project's pipeline configuration says that means nothing to Gatehouse.
pub fn without_effect(folder: &Folder) -> Vec<FileFault> {
    let text = config(folder).unwrap_or_default();
    let said = match text.trim().is_empty() {
        true => Vec::new(),
        false => dialect::pipeline::without_effect(&text),
    };
    let placed = |said| FileFault::new(CONFIG, said).placed(&text);
    said.into_iter().map(placed).collect()
}

/// The project's pipeline configuration, where it has one that can be read.
fn config(folder: &Folder) -> Option<String> {
    below::read_text(folder.root(), CONFIG, LARGEST_SETTINGS).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn project() -> (tempfile::TempDir, Folder) {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        let folder = Folder::of(&root, &Config::default()).expect("the plain one");
        (project, folder)
    }

    #[test]
    fn gatehouses_own_have_nothing_wrong_with_them() {
        let (_keep, folder) = project();
        let templates = all(&folder).expect("listed");
        let stages: Vec<(&str, usize)> = templates
            .iter()
            .map(|t| (t.name.as_str(), t.document.workflow().steps().len()))
            .collect();
        assert_eq!(
            stages,
            [
                ("full_sdlc", 6),
                ("quick_flow", 2),
                ("analysis_only", 3),
                ("design_review", 3),
                ("test_suite", 4)
            ]
        );
        for template in &templates {
            assert_eq!(template.document.diagnostics(), &[], "{}", template.name);
            assert_eq!(
                dialect::detect("x.yaml", template.document.text()),
                Some(model::Format::Pipeline)
            );
        }
    }

    #[test]
    fn the_projects_own_join_and_replace_them() {
        let (_keep, folder) = project();
        let root = folder.root();
        std::fs::create_dir_all(root.join("pipelines/templates")).expect("made");
        std::fs::create_dir_all(root.join("_bmad/core/pipeline")).expect("made");
        let mine = "name: Mine\nstages:\n  - name: a\n    agents: [dev]\n";
        std::fs::write(root.join("pipelines/templates/mine.yaml"), mine).expect("written");
        std::fs::write(root.join("pipelines/templates/broken.yaml"), "{{{{").expect("written");
        std::fs::write(root.join("pipelines/templates/notes.txt"), "x").expect("written");
        let config = "templates:\n  quick_flow:\n    name: Quick\n    stages:\n      - {name: only, agents: [dev]}\n  house:\n    stages:\n      - {name: b, agents: [dev]}\n";
        std::fs::write(root.join(CONFIG), config).expect("written");
        let said = |folder: &Folder| {
            without_effect(folder)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(said(&folder), [""; 0]);
        std::fs::write(root.join(CONFIG), format!("{config}  odd: 3\nerror_handling: halt\n")).expect("written");
        assert_eq!(
            said(&folder),
            [
                "_bmad/core/pipeline/pipeline-config.yaml:9:3: `templates.odd` has no list of stages and is no template",
                "_bmad/core/pipeline/pipeline-config.yaml:10:1: `error_handling` has no effect; `templates` is what is read here"
            ]
        );
        let templates = all(&folder).expect("listed");
        let names: Vec<&str> = templates.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "full_sdlc",
                "quick_flow",
                "analysis_only",
                "design_review",
                "test_suite",
                "house",
                "broken",
                "mine"
            ]
        );
        assert_eq!(templates[1].path.as_deref(), Some(CONFIG));
        assert_eq!(templates[1].document.workflow().steps().len(), 1);
        assert!(find(&folder, "mine").is_ok());
        assert!(matches!(find(&folder, "broken"), Err(Error::Unreadable { .. })));
        let Err(Error::NoTemplate { known, .. }) = find(&folder, "../mine") else {
            panic!("there is none of that name")
        };
        assert_eq!(known.len(), 8);
    }

    #[cfg(unix)]
    #[test]
    fn a_template_behind_a_link_that_leads_out_is_refused() {
        let (_keep, folder) = project();
        let elsewhere = tempfile::tempdir().expect("a folder");
        let text = "stages:\n  - {name: a, agents: [dev]}\n";
        std::fs::write(elsewhere.path().join("x.yaml"), text).expect("written");
        std::fs::create_dir_all(folder.root().join("pipelines/templates")).expect("made");
        let link = folder.root().join("pipelines/templates/x.yaml");
        std::os::unix::fs::symlink(elsewhere.path().join("x.yaml"), link).expect("linked");
        let found = find(&folder, "x").expect_err("refused");
        assert!(found.to_string().contains("symbolic link"), "{found}");
    }
}
