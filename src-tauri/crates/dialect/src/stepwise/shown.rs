//! What a window offers of a flow or a graph file: its kinds of step, its gestures, and the form of a step.

use super::{Generation, Reading, fork};
use crate::document::StepField;
use crate::form::{Entries, Row, flow, palette};
use crate::in_tree::TreeReading;
use crate::tree::{Budget, NodeId, Tree};
use model::{Gestures, Place, Routing, StepKind};
use serde_json::Value;

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
        let leading = edges_at(text, tree, ("from", id)).into_iter();
        let leading = leading.filter_map(|(n, item)| Some((n, tree.text_at(text, item, "to")?.to_owned())));
        leading.collect()
    }

    /// The edges of a kind that begin or end at a node. `end`: the field with the id, and the id.
    fn edges(&self, text: &str, tree: &Tree, end: (&str, &str), kind: &str) -> Vec<Place> {
        let is_one = |item: NodeId| {
            let own = |key| tree.text_at(text, item, key);
            own("type").or_else(|| own("kind")) == Some(kind)
        };
        let found = edges_at(text, tree, end).into_iter().filter(|(_, item)| is_one(*item));
        let place = |(n, _)| Place::document().path(["edges".to_owned(), usize::to_string(&n)]);
        found.map(place).collect()
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
        let node = |path: &[&str]| {
            let keys = self.file_path(&whole.clone().path(path.iter().map(|key| (*key).to_owned())));
            crate::in_tree::node(text, tree, &keys)
        };
        let has = |path: &[&str]| node(path).is_some();
        let (kind, label) = match &found.gate {
            Some(_) => ("decision", "Decision"),
            None => ("work", "Work"),
        };
        let mut out = Entries::new(kind, label);
        out.gated(found);
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
        let one = has(&["agent"]) && !has(&["agents"]);
        out.rows(&whole, one.then_some(&flow::ONE));
        out.rows(
            &whole,
            flow::BEFORE.iter().filter(|row| match row.name {
                "agents" => !one,
                "parallel" => found.agents.len() > 1,
                _ => true,
            }),
        );
        out.rows(&whole, &flow::AFTER);
        let written = |place: &Place| {
            let found = crate::in_tree::node(text, tree, &self.file_path(place))?;
            Some(tree.value(text, found, &mut Budget::of(tree)))
        };
        // What follows a node is said by the edges.
        if graph {
            let id = found.id.as_str();
            let [begin, meet] =
                [("from", "fork"), ("to", "join")].map(|(end, kind)| self.edges(text, tree, (end, id), kind));
            let counts = |edge: &Place| written(&edge.clone().field("join_config")).is_some();
            if !begin.is_empty() {
                rules(&mut out, &|name| on_edges(name, &begin), &flow::FORK_RULES, &written);
                if begin.iter().any(counts) {
                    rules(&mut out, &|name| on_edges(name, &begin), &flow::JOIN_RULES, &written);
                }
            }
            if !meet.is_empty() {
                rules(&mut out, &|name| on_edges(name, &meet), &flow::JOIN_RULES, &written);
            }
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
            let is_join = node(&["routing", "kind"]).and_then(|kind| tree.text(text, kind)) == Some("join");
            let of_step = |name: &str| places_of_rule(name, &whole);
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
                Routing::Fork(_) => {
                    out.rows(&whole, &flow::FORK);
                    rules(&mut out, &of_step, &flow::FORK_RULES, &written);
                    // It may say of its join what is asked for there.
                    if has(&["routing", "join_config"]) {
                        rules(&mut out, &of_step, &flow::JOIN_RULES, &written);
                    }
                }
                Routing::Linear { .. } if is_join => {
                    rules(&mut out, &of_step, &flow::JOIN_RULES, &written);
                }
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

/// The rows of how the branches of a fork are carried out, or of what is asked for where they meet, each where the file has it. A number
/// that counts beside one word alone is shown with that word, and where it is written.
///
/// `places`: where each can stand, the usual place first.
fn rules(
    out: &mut Entries,
    places: &dyn Fn(&str) -> Vec<Place>,
    rows: &[Row],
    written: &dyn Fn(&Place) -> Option<Value>,
) {
    let found = |row: &Row| {
        let all = places(row.name);
        let own = all
            .iter()
            .find_map(|place| Some((place.clone(), Some(written(place)?))));
        own.or_else(|| Some((all.into_iter().next()?, None)))
    };
    let found: Vec<(Row, Place, Option<Value>)> = rows
        .iter()
        .filter_map(|row| found(row).map(|(place, value)| (*row, place, value)))
        .collect();
    let says = |word: &str| {
        let mut values = found.iter().filter_map(|(.., value)| value.as_ref());
        values.any(|value| value.as_str() == Some(word))
    };
    for (row, place, value) in &found {
        let counts = match row.name {
            flow::BATCH_SIZE => says("batch"),
            flow::QUORUM => says("quorum"),
            _ => true,
        };
        if counts || value.is_some() {
            out.at(*row, place.clone());
        }
    }
}

/// The edges of a graph that have an id at one of their ends, each with its position. `end`: the field with the id, and the id.
fn edges_at(text: &str, tree: &Tree, (end, id): (&str, &str)) -> Vec<(usize, NodeId)> {
    let edges = tree.root.and_then(|root| tree.get(text, root, "edges"));
    let items = edges.and_then(|edges| tree.items(edges)).unwrap_or(&[]);
    let all = items.iter().copied().enumerate();
    all.filter(|(_, item)| tree.text_at(text, *item, end) == Some(id))
        .collect()
}

/// The block of a rule, and its two names; they may be one.
fn names_of_rule(name: &str) -> (&str, [&str; 2]) {
    let path = name.strip_prefix("routing.").unwrap_or(name);
    let (block, key) = path.split_once('.').unwrap_or(("", path));
    let two = fork::TWO_NAMES.iter().find(|(usual, _)| *usual == key);
    (block, [key, two.map_or(key, |(_, other)| *other)])
}

/// Where a rule can stand in the edges of a graph: in its block on one of them.
fn on_edges(name: &str, edges: &[Place]) -> Vec<Place> {
    let (block, keys) = names_of_rule(name);
    let places = edges
        .iter()
        .flat_map(|edge| keys.map(|key| edge.clone().field(block).field(key)));
    places.collect()
}

/// Where a rule can stand in a step: in its block or beside the kind, under either of its names; the usual place first.
fn places_of_rule(name: &str, whole: &Place) -> Vec<Place> {
    let (config, keys) = names_of_rule(name);
    let routing = whole.clone().field("routing");
    let blocks = [routing.clone().field(config), routing];
    let places = blocks.iter().flat_map(|block| keys.map(|key| block.clone().field(key)));
    places.collect()
}
