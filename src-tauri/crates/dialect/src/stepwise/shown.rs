//! What a window offers of a flow or a graph file: its kinds of step, its gestures, and the form of a step.

use super::{Generation, Reading};
use crate::document::StepField;
use crate::form::{Entries, flow, palette};
use crate::in_tree::TreeReading;
use crate::tree::{NodeId, Tree};
use model::{Gestures, Place, Routing, StepKind};

impl Reading {
    pub(super) fn kinds(&self) -> Vec<StepKind> {
        match self.generation {
            Generation::List => Vec::new(),
            _ => palette(&flow::KINDS),
        }
    }

    pub(super) fn offered(&self) -> Gestures {
        if self.generation == Generation::List {
            return Gestures {
                order: true,
                ..Gestures::default()
            };
        }
        let graph = self.generation == Generation::Graph;
        Gestures {
            steps: true,
            inside: false,
            order: !graph,
            next: true,
            waits: false,
            loops: true,
            branches: true,
            forks: true,
            gates: true,
            rejections: true,
        }
    }

    /// The edges that leave a node: each one's position and where it leads.
    fn leaving(&self, text: &str, tree: &Tree, id: &str) -> Vec<(usize, String)> {
        let edges = tree.root.and_then(|root| tree.get(text, root, "edges"));
        let items = edges.and_then(|edges| tree.items(edges)).unwrap_or(&[]);
        let end = |item: NodeId, key| tree.text_at(text, item, key);
        let leaving = |(n, item): (usize, &NodeId)| {
            let from = end(*item, "from")?;
            (from == id).then_some((n, end(*item, "to")?.to_owned()))
        };
        items.iter().enumerate().filter_map(leaving).collect()
    }

    pub(super) fn form_of(&self, text: &str, tree: &Tree, step: Option<usize>) -> Option<Entries> {
        let Some(ordinal) = step else {
            let mut out = Entries::new("workflow", self.label());
            let named = |key: &str| tree.root.is_some_and(|root| tree.get(text, root, key).is_some());
            // What a file calls its title it keeps calling so.
            for row in &flow::ROOT {
                let otherwise = row.name == "title" && !named("title") && named("name");
                let key = if otherwise { "name" } else { row.name };
                out.at(*row, Place::document().field(key));
            }
            return Some(out);
        };
        let found = self.workflow.steps().get(ordinal)?;
        if self.generation == Generation::List || self.detour(ordinal).is_some() {
            return None;
        }
        let whole = Place::step(ordinal);
        let has = |path: &[&str]| {
            let keys = self.file_path(&whole.clone().path(path.iter().map(|key| (*key).to_owned())));
            let (node, used) = tree.walk(text, keys.iter().map(String::as_str));
            node.is_some() && used == keys.len()
        };
        let (kind, label) = match &found.gate {
            Some(_) => ("decision", "Decision"),
            None => ("work", "Work"),
        };
        let mut out = Entries::new(kind, label);
        let graph = self.generation == Generation::Graph;
        match graph {
            true if has(&["node_id"]) => out.rows(&whole, [&flow::NODE_ID]),
            _ => out.rows(&whole, [&flow::STEP_ID]),
        }
        out.at(flow::STEP_NAME, self.field(ordinal, StepField::Name)?);
        out.at(flow::INTENT, self.field(ordinal, StepField::Intent)?);
        if has(&["station"]) {
            out.rows(&whole, [&flow::STATION]);
        }
        out.rows(
            &whole,
            flow::BEFORE
                .iter()
                .filter(|row| row.name != "parallel" || found.agents.len() > 1),
        );
        out.rows(&whole, &flow::AFTER);
        // What follows a node is said by the edges.
        if graph {
            for (index, to) in self.leaving(text, tree, found.id.as_str()) {
                let to = self
                    .workflow
                    .step(&to.as_str().into())
                    .map_or(to.as_str(), |step| &step.name);
                let place = Place::document().path(["edges".to_owned(), index.to_string(), flow::LINE.name.to_owned()]);
                out.labelled(flow::LINE, format!("Goes to “{to}” when"), place);
            }
        } else {
            let spec = self.generation == Generation::Spec;
            let by_conditions = matches!(found.routing, Routing::Guarded { .. });
            // Conditions make a file one of the later generation, which reads its loops otherwise.
            let is_loop = |step: &model::Step| step.ordinal != ordinal && matches!(step.routing, Routing::Microloop(_));
            let help = match !spec && self.workflow.steps().iter().any(is_loop) {
                true => flow::CONDITIONS_BESIDE_LOOPS,
                false => "",
            };
            let kind = by_conditions.then(|| flow::BY_CONDITIONS.into());
            out.told(flow::KIND, &whole, help.to_owned(), kind);
            match &found.routing {
                Routing::Microloop(_) if spec && !has(&["routing", "loop_condition_field"]) => {
                    out.rows(&whole, &flow::LOOP_SPEC);
                }
                Routing::Microloop(_) if spec => out.rows(&whole, &flow::LOOP_IN_SPEC),
                Routing::Microloop(_) => out.rows(&whole, &flow::LOOP),
                Routing::Branch(_) => out.rows(&whole, &flow::BRANCH),
                Routing::Guarded { .. } => out.rows(&whole, &flow::WHEN),
                Routing::Fork(_) => out.rows(&whole, &flow::FORK),
                Routing::Unknown { kind, .. } if kind == flow::FORK_KIND => out.rows(&whole, &flow::FORK),
                _ => {}
            }
            let leads_on = match &found.routing {
                Routing::Terminal | Routing::Fork(_) | Routing::Guarded { .. } => false,
                Routing::Unknown { kind, .. } => kind != flow::FORK_KIND,
                _ => true,
            };
            if leads_on {
                let own = self.workflow.steps().len() - self.detours.len();
                let following = self.workflow.steps()[..own].get(ordinal + 1);
                let (help, default) = match (&found.routing, following) {
                    (Routing::Sequence, Some(next)) => (
                        format!("Without one, the next step in the file follows: “{}”.", next.name),
                        Some(next.id.as_str().into()),
                    ),
                    (Routing::Branch(_), _) => (flow::NEXT_OF_BRANCH.to_owned(), None),
                    (Routing::Microloop(_), _) => (flow::NEXT_OF_LOOP.to_owned(), None),
                    _ => (flow::NEXT_OF_ALL.to_owned(), None),
                };
                out.holding(flow::NEXT, &whole, help, default);
            }
        }
        Some(out)
    }
}
