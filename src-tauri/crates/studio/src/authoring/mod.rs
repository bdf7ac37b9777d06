//! Making and changing workflows in a window: [`files`]: new files, names, places; here: what gestures would do, and forms.

mod files;

use crate::command::{FormOf, PathOf, PreviewOf};
use crate::show::faces::{self, Look};
use crate::show::{problems, workflow as show};
use crate::view::authoring::{FormView, KnownNames, PaletteView, PreviewView, RefusedGesture};
use crate::{ApiError, Studio};
use dialect::Document;
use model::{AgentKey, FormControl, Reference};
use std::collections::BTreeMap;

impl Studio {
    /// What gestures would make of a workflow. Nothing is written.
    pub(crate) async fn preview_workflow(&self, of: PreviewOf) -> Result<PreviewView, ApiError> {
        let base = match (&of.text, &of.revision) {
            (Some(text), _) => Document::parse(&of.path, text),
            (None, Some(revision)) => self.version(&of.path, revision)?,
            (None, None) => self.document(&of.path)?,
        };
        let (document, entails, refused) = match base.make(&of.edits) {
            Ok(made) => (made.document, made.entails, None),
            Err(refused) => {
                let refused = RefusedGesture {
                    index: u32::try_from(refused.index).unwrap_or(u32::MAX),
                    code: refused.error.code().to_owned(),
                    message: crate::error::sentence(&refused.error.to_string()),
                };
                (base, Vec::new(), Some(refused))
            }
        };
        let (config, _) = self.config();
        let rules = config.gate_rules();
        let workflow = document.workflow();
        let engines = |agent: &AgentKey| config.engine_of(agent);
        let drawn = faces::picture(
            workflow,
            document.diagnostics(),
            rules,
            &Look::new(of.collapsed, of.room),
        );
        Ok(PreviewView {
            steps: show::steps(&document, &engines, rules, &runtime::planned(workflow, &config)),
            drawing: drawn.drawing,
            faces: drawn.faces,
            problems: problems::problems(&document),
            entails: entails.iter().map(|said| crate::error::sentence(said)).collect(),
            refused,
            source: document.text().to_owned(),
        })
    }

    /// What can be added to a workflow, and which gestures mean something in it.
    pub(crate) async fn workflow_palette(&self, of: PathOf) -> Result<PaletteView, ApiError> {
        let document = self.document(&of.path)?;
        Ok(PaletteView {
            kinds: document.palette(),
            gestures: document.gestures(),
        })
    }

    /// What can be filled in of a step, or of the workflow itself.
    pub(crate) async fn workflow_form(&self, of: FormOf) -> Result<FormView, ApiError> {
        let document = self.document(&of.path)?;
        let form = document.form(of.step.map(|step| step as usize));
        let mut wanted: Vec<Reference> = Vec::new();
        for field in form.iter().flat_map(|form| &form.fields) {
            match field.control {
                FormControl::Reference { to } => wanted.push(to),
                FormControl::Several { of: Some(of) } => wanted.push(of),
                FormControl::ToolCalls => wanted.push(Reference::Tool),
                FormControl::Ways | FormControl::Transition => wanted.push(Reference::Step),
                _ => {}
            }
        }
        let names = |of: Reference| KnownNames {
            names: self.known(&document, of),
            of,
        };
        let mut known: Vec<KnownNames> = Vec::new();
        for of in wanted {
            if !known.iter().any(|there| there.of == of) {
                known.push(names(of));
            }
        }
        let revision = match self.0.read_only {
            // Kept, so that an edit made on this version can be merged with whatever the file becomes.
            None => self.0.store.put_blob(document.text().as_bytes())?,
            Some(_) => store::digest_of(document.text().as_bytes()),
        };
        Ok(FormView {
            revision: revision.to_string(),
            form,
            known,
        })
    }

    /// The names there are of something, with what a person reads.
    fn known(&self, document: &Document, of: Reference) -> Vec<(String, String)> {
        let (config, _) = self.config();
        let workflow = document.workflow();
        let steps = workflow.steps();
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        let mut put = |name: &str| {
            found.entry(name.to_owned()).or_insert_with(|| name.to_owned());
        };
        match of {
            // In the order of the file.
            Reference::Step => {
                let own = steps.iter().filter(|step| step.detour_from.is_none());
                return own.map(|step| (step.id.to_string(), step.name.clone())).collect();
            }
            Reference::Agent => {
                config.bound().for_each(|(agent, _)| put(agent.as_str()));
                steps
                    .iter()
                    .flat_map(|step| &step.agents)
                    .for_each(|agent| put(agent.as_str()));
            }
            Reference::File => steps.iter().flat_map(|step| &step.outputs).for_each(|file| put(file)),
            Reference::Workflow => {
                let files = runtime::workflows::files(&self.0.root);
                files
                    .iter()
                    .filter(|file| *file != document.path())
                    .for_each(|file| put(file));
            }
            Reference::Tool => {
                runtime::tool_names(&config).iter().for_each(|tool| put(tool));
                steps
                    .iter()
                    .flat_map(|step| &step.tools)
                    .for_each(|call| put(&call.name));
            }
            Reference::Template => steps.iter().flat_map(|step| &step.templates).for_each(|file| put(file)),
            Reference::Person => {
                let gates = steps.iter().filter_map(|step| step.gate.as_ref());
                gates.flat_map(|gate| &gate.asks).for_each(|who| put(who.as_str()));
            }
        }
        found.into_iter().collect()
    }
}
