//! Making and changing workflows in a window: [`files`]: new files, names, places; [`moves`]: where a workflow has stood; [`found`]: what
//! other programs did; [`versions`]: what was and what has changed since; here: what gestures would do, and forms.

pub(crate) mod files;
pub(crate) mod found;
pub(crate) mod moves;
pub(crate) mod versions;
pub(crate) mod view;

use crate::command::{CompleteOf, DrawnOf, FormOf, PathOf, PreviewOf, StepOf, StepsOf, TextOf};
use crate::text::safe;
use crate::workflow::authoring::view::{
    CompletionView, CompletionsView, CopiedView, DrawnView, FormView, GatesBeforeView, KnownNames, PaletteView,
    PartsView, PreviewView, RefusedGesture, ReportedView,
};
use crate::workflow::drawing::{self, Look};
use crate::workflow::{gates_before, present, problems};
use crate::{ApiError, Studio, words};
use dialect::{Document, NewId};
use engine::{Event, GateRules};
use model::{
    AgentKey, Edit, FlowEdit, FlowKind, FormControl, Gate, GateRequirement, Gesture, Place, Prose, Reference, Routing,
    Severity, Step, StepId, Work,
};
use runtime::pipeline::run;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// So many of the latest runs are asked what their steps reported, and so many events of each.
const RUNS_ASKED: usize = 3;
const EVENTS_ASKED: usize = 20_000;
/// So many values of a field are offered; a longer text is not.
const VALUES_SHOWN: usize = 12;
const LONGEST_VALUE: usize = 60;

/// Whether steps lead to each other, in the order of the file, so that a copy of them is a second structure behind the last one.
fn are_together(document: &Document, steps: &[&Step]) -> bool {
    let may = document.gestures();
    if !may.forks || !may.order {
        return false;
    }
    let flows = document.workflow().flows();
    let is_one = |step: &Step| steps.iter().any(|one| one.ordinal == step.ordinal);
    let leads = flows
        .iter()
        .any(|(from, to, _)| from.ordinal != to.ordinal && is_one(from) && is_one(to));
    // Behind a fork nothing is put: it is not said on which branch.
    let branches = |last: &Step| {
        let leaving = flows.iter().filter(|(from, ..)| from.ordinal == last.ordinal);
        leaving.filter(|(.., flow)| flow.kind == FlowKind::Next).count()
    };
    leads && steps.last().is_some_and(|last| branches(last) < 2)
}

fn no_step(id: &str) -> ApiError {
    ApiError::new("not_found", format!("There is no step “{id}” any more."))
}

/// The byte at which so many UTF-16 code units of a text end: windows count in those.
fn byte_of(text: &str, units: u32) -> usize {
    let mut left = units as usize;
    let each = text
        .char_indices()
        .find(|(_, c)| match left.checked_sub(c.len_utf16()) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        });
    each.map_or(text.len(), |(byte, _)| byte)
}

fn units_of(text: &str, byte: usize) -> u32 {
    let units = text[..byte].chars().map(char::len_utf16).sum::<usize>();
    u32::try_from(units).unwrap_or(u32::MAX)
}

/// What keeps a workflow from starting after a change and did not before, as sentences.
fn new_faults(before: &Document, after: &Document) -> Vec<String> {
    let faults = |document: &Document| -> Vec<String> {
        let all = document.diagnostics().iter();
        let errors = all.filter(|one| one.severity == Severity::Error);
        errors.map(|one| one.message.clone()).collect()
    };
    // The same words may be said of another place: of each as many are known as there were.
    let mut known = faults(before);
    let new = faults(after).into_iter().filter(|fault| {
        let at = known.iter().position(|known| known == fault);
        at.map(|at| known.swap_remove(at)).is_none()
    });
    new.map(|fault| format!("The workflow does not start then: {}.", safe::visible(&fault)))
        .collect()
}

/// Whether an edit of a value leads a fork that can be run to another step: a line that is drawn says the same.
fn adds_a_branch(document: &Document, gesture: &Gesture) -> bool {
    let Gesture::Value(Edit::Set { place, .. }) = gesture else {
        return false;
    };
    let is_branch =
        matches!(place.path.as_slice(), [routing, key, ..] if routing == "routing" && key == "fork_targets");
    let step = place.step.and_then(|step| document.workflow().steps().get(step));
    let is_whole = || {
        let mut faults = document.diagnostics().iter().filter(|one| one.code == "GH0010");
        faults.all(|one| one.place.step != place.step)
    };
    is_branch && step.is_some_and(|step| matches!(step.routing, Routing::Fork(_))) && is_whole()
}

/// Whether an edit of a value leads a rejection to a step: a line that is drawn says the same.
fn leads_a_rejection(gesture: &Gesture) -> bool {
    let Gesture::Value(Edit::Set { place, .. }) = gesture else {
        return false;
    };
    place.step.is_some() && matches!(place.path.as_slice(), [only] if only == "on_reject")
}

/// The id that a step has after a change; `None`: it is gone.
fn called_then<'a>(id: &'a StepId, renamed: &'a [NewId]) -> Option<&'a StepId> {
    let new = renamed.iter().find(|(was, _)| was == id);
    new.map_or(Some(id), |(_, now)| now.as_ref())
}

/// The steps to which no way leads any more after a change (GH0002), as sentences: whoever moves a step sees where it stands, and not that nothing
/// comes there. `renamed`: steps that have another id by then.
///
/// `seen`: the steps of which nothing has to be said.
fn no_longer_reached(
    before: &Document,
    after: &Document,
    renamed: &[NewId],
    seen: impl Fn(&Step) -> bool,
) -> Vec<String> {
    let unreached = |document: &'_ Document| -> Vec<StepId> {
        let all = document.diagnostics().iter().filter(|one| one.code == "GH0002");
        let steps = all.filter_map(|one| document.workflow().steps().get(one.place.step?));
        steps.map(|step| step.id.clone()).collect()
    };
    let now = unreached(after);
    let known = unreached(before);
    let was_reached = before
        .workflow()
        .steps()
        .iter()
        .filter(|step| !known.contains(&step.id) && !seen(step));
    let lost = was_reached.filter(|step| {
        let id = called_then(&step.id, renamed);
        id.is_some_and(|id| now.contains(id))
    });
    lost.map(|step| format!("No way leads to “{}” any more.", safe::visible(&step.name)))
        .collect()
}

/// The ways around gates that a change makes (GH0006), and the steps that then follow a rejection and an approval alike (GH0011), as
/// sentences: nobody sees from the picture what a gate guarded. `renamed`: steps that have another id by then.
fn new_ways_around(before: &Document, after: &Document, renamed: &[NewId]) -> Vec<String> {
    const TOLD: [&str; 2] = ["GH0006", "GH0011"];
    let ways = |document: &'_ Document| -> Vec<((&'static str, StepId, StepId), String)> {
        let steps = document.workflow().steps();
        let id = |place: &Place| Some(steps.get(place.step?)?.id.clone());
        let all = document.diagnostics().iter();
        let ways = all.filter(|one| one.severity == Severity::Warning);
        ways.filter_map(|one| {
            let code = TOLD.into_iter().find(|code| one.code == *code)?;
            let gate = one.related.first().and_then(|related| id(&related.0))?;
            Some(((code, id(&one.place)?, gate), one.message.clone()))
        })
        .collect()
    };
    let now = |id: StepId| called_then(&id, renamed).cloned().unwrap_or(id);
    let known = ways(before).into_iter();
    let known: BTreeSet<_> = known
        .map(|((code, step, gate), _)| (code, now(step), now(gate)))
        .collect();
    let new = ways(after).into_iter().filter(|(way, _)| !known.contains(way));
    new.map(|(_, said)| format!("Then {}.", safe::visible(&said))).collect()
}

/// The steps at which nobody, or not everywhere somebody, is asked any more after a change, as sentences: a gate is somebody's promise, and no click
/// takes it away unseen. A step that goes takes its gate along, and says so by going.
///
/// `rules`: what makes an optional gate binding in this project.
fn gates_weakened(before: &Document, after: &Document, renamed: &[NewId], rules: GateRules<'_>) -> Vec<String> {
    let gated = before.workflow().steps().iter().filter(|step| {
        let asks = |gate: &Gate| gate.requirement != GateRequirement::Optional;
        step.gate.as_ref().is_some_and(asks) || drawing::blocks(before.workflow(), step, rules)
    });
    let weaker = gated.filter_map(|step| {
        let id = called_then(&step.id, renamed);
        let now = id.and_then(|id| after.workflow().step(id))?.gate.as_ref();
        let was = step.gate.as_ref().map(|gate| gate.requirement)?;
        let said = match now.map(|gate| gate.requirement) {
            None => "goes: nobody decides there any more",
            Some(now) if now <= was => return None,
            Some(GateRequirement::Optional) => {
                "becomes optional: no run stops there, unless the project’s policy demands it"
            }
            Some(_) => "is weaker than it was: whether a run stops there is up to the project’s policy",
        };
        Some(format!("The gate at “{}” {said}.", safe::visible(&step.name)))
    });
    weaker.collect()
}

impl Studio {
    /// What gestures would make of a workflow. Nothing is written.
    pub(crate) async fn preview_workflow(&self, of: PreviewOf) -> Result<PreviewView, ApiError> {
        let base = match (&of.text, &of.revision) {
            (Some(text), _) => self.0.recent.read(&of.path, text),
            (None, Some(revision)) => self.version(&of.path, revision)?,
            (None, None) => self.document(&of.path)?,
        };
        let opened = (of.text.is_none() && of.revision.is_none()).then(|| base.text().to_owned());
        let (config, _) = self.config();
        let rules = config.gate_rules();
        let (document, entails, refused) = match self.0.recent.make(&base, &of.edits) {
            Ok(made) => {
                let told = made.entails.iter().map(|said| crate::error::sentence(said));
                let missing = self.not_there(&of.path, &base, &made.document);
                // Who draws a line sees where it leads; a step that is being filled in lacks things for a while.
                let draws = |edit: &Gesture| {
                    matches!(edit, Gesture::Flow(FlowEdit::Connect { .. }))
                        || adds_a_branch(&base, edit)
                        || leads_a_rejection(edit)
                };
                let takes_away = |edit: &Gesture| matches!(edit, Gesture::Flow(FlowEdit::Disconnect { .. }));
                let mut faults = gates_weakened(&base, &made.document, &made.renamed, rules);
                faults.extend(new_ways_around(&base, &made.document, &made.renamed));
                if of.edits.iter().any(draws) {
                    faults.extend(new_faults(&base, &made.document));
                }
                // Whoever takes a line away sees where it led, and not always that somebody was asked there.
                let seen = |step: &Step| of.edits.iter().all(takes_away) && step.gate.is_none();
                faults.extend(no_longer_reached(&base, &made.document, &made.renamed, seen));
                let told = told.chain(self.told(&of.path, &made.renamed));
                let entails = told.chain(missing).chain(faults).collect();
                (made.document, entails, None)
            }
            Err(refused) => {
                let refused = RefusedGesture {
                    index: u32::try_from(refused.index).unwrap_or(u32::MAX),
                    code: refused.error.code().to_owned(),
                    message: crate::error::sentence(&refused.error.to_string()),
                };
                (base, Vec::new(), Some(refused))
            }
        };
        // What a text lacks beside the project is said of it before it is written, too.
        let document = match opened.as_deref() == Some(document.text()) {
            true => document,
            false => runtime::opened::around(&self.0.root, document),
        };
        let workflow = document.workflow();
        let engines = |agent: &AgentKey| config.engine_of(agent);
        let drawn = drawing::picture(
            workflow,
            document.diagnostics(),
            rules,
            &Look::new(of.collapsed, of.room),
        );
        Ok(PreviewView {
            steps: present::steps(&document, &engines, rules, &runtime::planned(workflow, &config)),
            drawing: drawn.drawing,
            faces: drawn.faces,
            problems: problems::problems(&document),
            entails,
            refused,
            source: document.text().to_owned(),
        })
    }

    /// What a change names that is not in the project, as sentences. What named it before is a problem of the file already.
    fn not_there(&self, path: &str, before: &Document, after: &Document) -> Vec<String> {
        let listed = |document: &Document| -> BTreeSet<String> {
            let files = document.workflow().steps().iter().filter_map(|step| match &step.work {
                Work::SubWorkflow { files } => Some(files.clone()),
                _ => None,
            });
            files.flatten().collect()
        };
        let (known, now) = (listed(before), listed(after));
        let new = now.difference(&known).filter(|file| !self.is_listed(path, file));
        new.map(|file| {
            format!(
                "There is no file “{}” in this project: nothing of this workflow starts before it is there.",
                safe::visible(file)
            )
        })
        .collect()
    }

    /// What can be added to a workflow, and which gestures mean something in it.
    pub(crate) async fn workflow_palette(&self, of: PathOf) -> Result<PaletteView, ApiError> {
        let document = self.document(&of.path)?;
        let kinds = document.palette();
        let named = kinds.iter().filter_map(|kind| kind.names.as_ref()?.of);
        Ok(PaletteView {
            known: named
                .map(|of| KnownNames {
                    of,
                    names: self.known(&document, of, &[]),
                })
                .collect(),
            kinds,
            gestures: document.gestures(),
        })
    }

    /// What a line that is drawn between two steps can mean. Nothing is written.
    pub(crate) async fn drawn_line(&self, of: DrawnOf) -> Result<DrawnView, ApiError> {
        let document = self.document(&of.path)?;
        Ok(DrawnView {
            ways: document.drawn(&of.from.as_str().into(), &of.to.as_str().into()),
        })
    }

    /// The text of steps, in the order of the file.
    ///
    /// # Errors
    /// `not_found`: there is no such step. `edit_refused`: a step cannot be copied by itself.
    pub(crate) async fn copied_steps(&self, of: StepsOf) -> Result<CopiedView, ApiError> {
        let document = self.document(&of.path)?;
        let workflow = document.workflow();
        let mut steps = Vec::new();
        for id in &of.steps {
            let step = workflow.step(&StepId::new(id.as_str()));
            let step = step.ok_or_else(|| no_step(id))?;
            steps.push(step);
        }
        steps.sort_by_key(|step| step.ordinal);
        steps.dedup_by_key(|step| step.ordinal);
        let mut parts = Vec::new();
        for step in &steps {
            let text = document.step_text(step.ordinal);
            parts.push(text.ok_or_else(|| {
                let message = format!("“{}” cannot be copied as one step.", step.name);
                ApiError::new("edit_refused", message).hint("Copy what stands inside of it, or copy it in the source.")
            })?);
        }
        let between = match workflow.format.contract().prose {
            Prose::Markdown => "\n",
            Prose::Plain => "",
        };
        Ok(CopiedView {
            format: workflow.format,
            text: parts.join(between),
            parts,
            together: are_together(&document, &steps),
        })
    }

    /// A text from elsewhere as the steps that it holds.
    pub(crate) async fn pasted_parts(&self, of: TextOf) -> Result<PartsView, ApiError> {
        let document = self.document(&of.path)?;
        Ok(PartsView {
            parts: document.parts_of(&of.text),
        })
    }

    /// What can be written where the cursor stands in a source.
    pub(crate) async fn completions(&self, of: CompleteOf) -> Result<CompletionsView, ApiError> {
        self.inside(&of.path)?;
        let (at, units) = (byte_of(&of.text, of.at), |byte: usize| units_of(&of.text, byte));
        let Some(found) = dialect::completion::complete(&of.path, &of.text, at) else {
            return Ok(CompletionsView {
                from: of.at,
                to: of.at,
                options: Vec::new(),
            });
        };
        let reported = match found.names {
            Some(Reference::Field) => self.reported(&of.path, None)?,
            _ => Vec::new(),
        };
        let names = found.names.map(|names| self.known(&found.document, names, &reported));
        let others = names
            .into_iter()
            .flatten()
            .filter(|(name, _)| !found.is_placeholder(name));
        let named = others
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(text, label)| CompletionView {
                detail: if label == text { String::new() } else { label },
                label: text.clone(),
                text,
            });
        let written = found.options.into_iter().map(|one| CompletionView {
            label: one.label,
            text: one.text,
            detail: one.detail,
        });
        Ok(CompletionsView {
            from: units(found.from),
            to: units(found.to),
            options: written.chain(named).collect(),
        })
    }

    /// Which gates stand before a step, under the project's policy.
    ///
    /// # Errors
    /// `not_found`: there is no such step.
    pub(crate) async fn gates_before(&self, of: StepOf) -> Result<GatesBeforeView, ApiError> {
        let document = self.document(&of.path)?;
        let step = document.workflow().step(&StepId::new(of.step.as_str()));
        let step = step.ok_or_else(|| no_step(&of.step))?;
        let (config, _) = self.config();
        Ok(gates_before::gates_before(
            document.workflow(),
            step,
            config.gate_rules(),
        ))
    }

    /// What can be filled in of a step, or of the workflow itself.
    pub(crate) async fn workflow_form(&self, of: FormOf) -> Result<FormView, ApiError> {
        let document = self.document(&of.path)?;
        let form = document.form(of.step.map(|step| step as usize));
        let mut wanted: Vec<Reference> = Vec::new();
        for field in form.iter().flat_map(|form| &form.fields) {
            match field.control {
                FormControl::Reference { to } => wanted.push(to),
                FormControl::Several { of: Some(of), .. } => wanted.push(of),
                FormControl::ToolCalls => wanted.push(Reference::Tool),
                FormControl::Ways { .. } | FormControl::Guards { .. } => {
                    wanted.extend([Reference::Step, Reference::Field])
                }
                FormControl::Condition { .. } => wanted.push(Reference::Field),
                _ => {}
            }
        }
        // What follows a step is decided by what the step itself reported.
        let own = of.step.and_then(|step| document.workflow().steps().get(step as usize));
        let own = own.map(|step| &step.id);
        let reported = match wanted.contains(&Reference::Field) {
            true => self.reported(&of.path, own)?,
            false => Vec::new(),
        };
        let workflow = document.workflow();
        // Where steps wait for each other, none waits for itself or for what waits for it.
        let waiting = own
            .and_then(|own| workflow.step(own))
            .filter(|_| document.gestures().waits);
        let waiting = waiting.map(|step| [vec![step], workflow.all_dependents(step)].concat());
        let is_waiting = |id: &str| waiting.iter().flatten().any(|step| step.id.as_str() == id);
        let names = |of: Reference| {
            let mut names = self.known(&document, of, &reported);
            names.retain(|(id, _)| of != Reference::Step || !is_waiting(id));
            KnownNames { names, of }
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
            reported,
        })
    }

    /// What one step, or every step, reported in the latest runs of a workflow, the fields in the order of their names.
    fn reported(&self, path: &str, step: Option<&StepId>) -> Result<Vec<ReportedView>, ApiError> {
        let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in self.runs_of(path, RUNS_ASKED)? {
            // A run that cannot be read says nothing here; opening it says why.
            let Ok(history) = self.history(row.run.as_str()) else {
                continue;
            };
            for stored in history.events().iter().take(EVENTS_ASKED) {
                let Event::AttemptEnded { instance, result, .. } = &stored.event else {
                    continue;
                };
                if step.is_some_and(|step| instance.step != *step) {
                    continue;
                }
                for (field, value) in &result.report {
                    let values = fields.entry(field.clone()).or_default();
                    let text = match value {
                        Value::String(text) => text.clone(),
                        Value::Bool(_) | Value::Number(_) => value.to_string(),
                        _ => continue,
                    };
                    // A long text is no value that somebody chooses by.
                    let is_short = text.chars().count() <= LONGEST_VALUE;
                    if is_short && values.len() < VALUES_SHOWN && !values.contains(&text) {
                        values.push(text);
                    }
                }
            }
        }
        let view = |(field, values)| ReportedView { field, values };
        Ok(fields.into_iter().map(view).collect())
    }

    /// The names there are of something, with what a person reads.
    fn known(&self, document: &Document, of: Reference, reported: &[ReportedView]) -> Vec<(String, String)> {
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
                return own
                    .map(|step| (step.id.to_string(), words::told_apart(step, steps)))
                    .collect();
            }
            Reference::Agent => {
                config.bound().for_each(|(agent, _)| put(agent.as_str()));
                steps
                    .iter()
                    .flat_map(|step| &step.agents)
                    .for_each(|agent| put(agent.as_str()));
            }
            Reference::File => steps.iter().flat_map(|step| &step.outputs).for_each(|file| put(file)),
            Reference::Workflow | Reference::Runbook => {
                let mut others = runtime::workflows::files(&self.0.root);
                others.retain(|file| {
                    file != document.path() && (of == Reference::Workflow || dialect::is_runbook_name(file))
                });
                others.sort();
                let named: Vec<&str> = steps
                    .iter()
                    .filter_map(|step| match &step.work {
                        Work::SubWorkflow { files } => Some(files),
                        _ => None,
                    })
                    .flatten()
                    .map(String::as_str)
                    .collect();
                // By their titles, in the order of their paths. The files that one leads to are no workflows by themselves.
                let title = |file: &String| {
                    let other = self.document_if_there(file).ok()?;
                    // A pipeline that has its one run is run by no other workflow any more; what names it already keeps its name.
                    let is_over = run::begun(&other).is_some() && !named.contains(&file.as_str());
                    let is_one = other.not_a_workflow().is_none() && !is_over;
                    is_one.then(|| other.workflow().title.clone())
                };
                return others
                    .into_iter()
                    .filter_map(|file| Some((file.clone(), title(&file)?)))
                    .collect();
            }
            Reference::Tool => {
                runtime::tool_names(&config).iter().for_each(|tool| put(tool));
                steps
                    .iter()
                    .flat_map(|step| &step.tools)
                    .for_each(|call| put(&call.name));
            }
            Reference::Template => steps.iter().flat_map(|step| &step.templates).for_each(|file| put(file)),
            Reference::Field => {
                put("status");
                reported.iter().for_each(|one| put(&one.field));
                let routings = steps.iter().map(|step| &step.routing);
                routings.flat_map(Routing::fields).for_each(put);
            }
            Reference::Person => {
                let gates = steps.iter().filter_map(|step| step.gate.as_ref());
                gates.flat_map(|gate| &gate.asks).for_each(|who| put(who.as_str()));
            }
        }
        found.into_iter().collect()
    }
}
