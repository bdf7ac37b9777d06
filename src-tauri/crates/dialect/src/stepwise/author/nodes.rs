//! The gestures on graph files: a node and its edges together.

use super::super::graph::DEFAULT_PRIORITY;
use super::connect::meets;
use super::lines::Line;
use super::mentions::Named;
use super::{Author, Edits, Plan};
use crate::edit::{Sheet, TreeError};
use crate::said::{called, called_place};
use model::fork::VERIFIED;
use model::routing::DECIDES;
use model::{NewStep, Route, Spot, Step, StepId, Way};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// An edge as it is written.
pub(super) struct Edge<'v> {
    pub(super) index: usize,
    from: String,
    pub(super) to: String,
    value: &'v Map<String, Value>,
}

impl Edge<'_> {
    fn kind(&self) -> &str {
        let word = self.value.get("type").or_else(|| self.value.get("kind"));
        word.and_then(Value::as_str).unwrap_or("sequence")
    }

    /// It is taken whenever it is reached.
    fn is_plain(&self) -> bool {
        !self.value.contains_key("condition") && !matches!(self.kind(), "loop" | "fork")
    }

    /// As it is read: one that is no number counts as none.
    fn priority(&self) -> i64 {
        let written = self.value.get("priority").and_then(Value::as_i64);
        written.unwrap_or(DEFAULT_PRIORITY)
    }

    fn end(&self, key: &str) -> Vec<String> {
        end(self.index, key)
    }

    fn whole(&self) -> Vec<String> {
        vec!["edges".to_owned(), self.index.to_string()]
    }
}

/// Keys from the root to an end of an edge.
fn end(edge: usize, key: &str) -> Vec<String> {
    vec!["edges".to_owned(), edge.to_string(), key.to_owned()]
}

/// An edge that is to be: where it leaves, where it leads, and what it says besides.
pub(super) type NewEdge = (String, String, Map<String, Value>);

impl<'a> Author<'a> {
    fn edges(&self) -> Vec<Edge<'_>> {
        let list = self.root.get("edges").and_then(Value::as_array).into_iter().flatten();
        let text = |value: Option<&Value>| match value {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        list.enumerate()
            .filter_map(|(index, edge)| {
                let value = edge.as_object()?;
                Some(Edge {
                    index,
                    from: text(value.get("from"))?,
                    to: text(value.get("to"))?,
                    value,
                })
            })
            .collect()
    }

    pub(super) fn leaving(&self, step: &Step) -> Vec<Edge<'_>> {
        let edges = self.edges().into_iter();
        edges.filter(|edge| edge.from == step.id.as_str()).collect()
    }

    /// New edges, with ids where the others have some.
    pub(super) fn new_edges(&self, wanted: impl IntoIterator<Item = NewEdge>) -> Vec<Map<String, Value>> {
        let edges = self.edges();
        let key = ["edge_id", "id"]
            .into_iter()
            .find(|key| edges.iter().any(|edge| edge.value.contains_key(*key)));
        let key = key.or_else(|| edges.is_empty().then_some("edge_id"));
        let ids = edges.iter().filter_map(|edge| edge.value.get(key?)?.as_str());
        let mut taken: HashSet<String> = ids.map(str::to_owned).collect();
        let made = wanted.into_iter().map(|(from, to, more)| {
            let mut map = Map::new();
            if let Some(key) = key {
                let stem = format!("{from}-{to}");
                let counted = (2..).map(|n| format!("{stem}-{n}"));
                let mut ids = std::iter::once(stem.clone()).chain(counted);
                let id = ids.find(|id| !taken.contains(id)).unwrap_or(stem);
                taken.insert(id.clone());
                map.insert(key.to_owned(), id.into());
            }
            map.insert("from".to_owned(), from.into());
            map.insert("to".to_owned(), to.into());
            map.extend(more);
            map
        });
        made.collect()
    }

    pub(super) fn put_edge(&self, sheet: &mut Sheet<'_>, edge: &Map<String, Value>) -> Result<(), TreeError> {
        let count = sheet.root().get("edges").and_then(Value::as_array).map_or(0, Vec::len);
        sheet.insert("edges", count, edge)
    }

    /// An edge that is called after its ends is called so again where it leads elsewhere. Of edges that leave a node with one priority the
    /// ids decide which is tried first, so that they stay.
    fn called_after(&self, plan: &mut Plan, edge: usize, now: &str) {
        let edges = self.edges();
        let Some(own) = edges.iter().find(|other| other.index == edge) else {
            return;
        };
        let mut beside = edges
            .iter()
            .filter(|other| other.from == own.from && other.index != own.index);
        if beside.any(|other| other.priority() == own.priority()) {
            return;
        }
        let is_taken = |id: &str| {
            let ids = edges
                .iter()
                .flat_map(|other| ["edge_id", "id"].map(|key| other.value.get(key)));
            ids.flatten().any(|other| *other == id)
        };
        let (old, new) = (format!("{}-{}", own.from, own.to), format!("{}-{now}", own.from));
        for key in ["edge_id", "id"] {
            if own.value.get(key).is_some_and(|id| *id == old) && !is_taken(&new) {
                plan.set(own.end(key), new.as_str());
            }
        }
    }

    pub(super) fn add_node(&self, new: &NewStep, at: &Spot) -> Edits {
        // Whom it is bound to and where its edges lead are asked for one after the other.
        let map = self.body(new, self.node_behind(at)?)?;
        let id = map.get("node_id").or_else(|| map.get("id")).and_then(Value::as_str);
        let id = id.unwrap_or_default();
        let (mut plan, behind) = self.node_slot(at, id, id)?;
        let edges = std::mem::take(&mut plan.edges);
        let mut sheet = Sheet::of(self.source());
        sheet.change(&plan.ordered())?;
        let index = behind.map_or(self.steps().len(), |step| step.ordinal + 1);
        sheet.insert("nodes", index, &map)?;
        for edge in &edges {
            self.put_edge(&mut sheet, edge)?;
        }
        Ok(sheet.finish())
    }

    fn node_behind(&self, at: &Spot) -> Result<Option<&'a Step>, TreeError> {
        Ok(match at {
            Spot::Inside { .. } => return Err(TreeError::unfit("a node of a graph holds no other nodes")),
            Spot::Alone => None,
            Spot::End => self.steps().iter().rev().find(|step| self.leaving(step).is_empty()),
            Spot::After { step } | Spot::Between { from: step, .. } => Some(self.step(step)?),
        })
    }

    /// What leads to the first of new nodes, what the last one leads to, and behind which node they stand in the file.
    pub(super) fn node_slot(&self, at: &Spot, first: &str, last: &str) -> Result<(Plan, Option<&'a Step>), TreeError> {
        let mut plan = Plan::default();
        let behind = self.node_behind(at)?;
        let mut edges: Vec<NewEdge> = Vec::new();
        let on = |to: &str| (last.to_owned(), to.to_owned(), Map::new());
        let come = |from: &Step| (from.id.to_string(), first.to_owned(), Map::new());
        match (at, behind) {
            (Spot::Between { to, label, .. }, Some(from)) => {
                let to = self.step(to)?;
                match self.line(from, to, label.as_deref())? {
                    Line::Edge(edge) => {
                        plan.set(end(edge, "to"), first);
                        self.called_after(&mut plan, edge, first);
                        self.branches_follow(&mut plan, to.id.as_str(), first, edge);
                    }
                    Line::Field(mention) => plan.set(mention.path, first),
                    // The order of nodes leads nowhere.
                    Line::Order => {}
                }
                edges.push(on(to.id.as_str()));
            }
            (Spot::After { .. }, Some(from)) => {
                let leaving = self.leaving(from);
                let plain: Vec<&Edge<'_>> = leaving.iter().filter(|edge| edge.is_plain()).collect();
                match plain.as_slice() {
                    [edge] => {
                        plan.set(edge.end("to"), first);
                        self.called_after(&mut plan, edge.index, first);
                        edges.push(on(&edge.to));
                    }
                    [] if leaving.iter().all(|edge| edge.kind() == "loop") => edges.push(come(from)),
                    [] if leaving.iter().all(|edge| matches!(edge.kind(), "loop" | "fork")) => {
                        let (own, to, mut more) = come(from);
                        more.insert("type".to_owned(), "fork".into());
                        edges.push((own, to, more));
                        if let Some(join) = from.routing.join() {
                            edges.push(on(join.as_str()));
                        }
                    }
                    _ => {
                        return Err(TreeError::unsound(format!(
                            "{} leads to several nodes; say on which way",
                            called(&from.id)
                        )));
                    }
                }
            }
            (Spot::End, Some(from)) => edges.push(come(from)),
            _ => {}
        }
        plan.edges = self.new_edges(edges);
        Ok((plan, behind))
    }

    /// The copy of a node behind it: it leads where the node led, and the node leads to it whenever no condition holds.
    pub(super) fn copied_node(&self, node: &Step, copy: &str) -> Plan {
        let mut plan = Plan::default();
        let leaving = self.leaving(node);
        let more = |edge: &Edge<'_>| {
            let more = edge.value.iter();
            let more = more.filter(|(key, _)| !matches!(key.as_str(), "edge_id" | "id" | "from" | "to"));
            more.map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        let is_fork = |edge: &&Edge<'_>| edge.kind() == "fork";
        let target = |edge: &Edge<'_>| {
            if edge.to == node.id.as_str() {
                copy.to_owned()
            } else {
                edge.to.clone()
            }
        };
        let copies = leaving.iter().filter(|edge| !is_fork(edge));
        let mut edges: Vec<NewEdge> = copies.map(|edge| (copy.to_owned(), target(edge), more(edge))).collect();
        // What begins beside each other begins after the copy.
        for edge in leaving.iter().filter(is_fork) {
            plan.set(edge.end("from"), copy);
        }
        match leaving.iter().find(|edge| edge.is_plain()) {
            Some(edge) => {
                plan.set(edge.end("to"), copy);
                self.called_after(&mut plan, edge.index, copy);
            }
            None => edges.push((node.id.to_string(), copy.to_owned(), Map::new())),
        }
        plan.edges = self.new_edges(edges);
        plan
    }

    /// The targets that an edge lists besides its own.
    fn branches_follow(&self, plan: &mut Plan, old: &str, new: &str, edge: usize) {
        let own = ["edges".to_owned(), edge.to_string()];
        for mention in self.mentions() {
            if mention.what == Named::Branch && mention.to == old && mention.path.starts_with(&own) {
                plan.set(mention.path, new);
            }
        }
    }

    /// The label of an edge as it is drawn: that of the route that it makes.
    pub(super) fn label_of(&self, from: &Step, edge: usize) -> Option<String> {
        let (place, _) = self
            .reading
            .routes
            .iter()
            .find(|(place, at)| place.step == Some(from.ordinal) && **at == edge)?;
        let model::Routing::Guarded { guards, .. } = &from.routing else {
            return None;
        };
        match place.path.get(1).map(String::as_str) {
            Some("default") => Some("otherwise".to_owned()),
            Some("when") => guards.get(place.path.get(2)?.parse::<usize>().ok()?)?.condition.label(),
            _ => None,
        }
    }

    pub(super) fn remove_node(&self, step: &'a Step) -> Result<Plan, TreeError> {
        if self.steps().len() == 1 {
            return Err(TreeError::unsound("a workflow needs a step"));
        }
        let mut plan = Plan::default();
        plan.take(self.path(step.ordinal, ""));
        if self.step(&step.id)?.ordinal != step.ordinal {
            return Ok(plan);
        }
        let all = self.edges();
        let own = step.id.as_str();
        let leaving: Vec<&Edge<'_>> = all.iter().filter(|edge| edge.from == own && edge.to != own).collect();
        let coming: Vec<&Edge<'_>> = all.iter().filter(|edge| edge.to == own && edge.from != own).collect();
        let on: Vec<&&Edge<'_>> = leaving.iter().filter(|edge| edge.kind() != "loop").collect();
        let follower = match on.as_slice() {
            [] => None,
            [edge] if edge.is_plain() => Some(edge.to.clone()),
            _ if coming.is_empty() && step.ordinal > 0 => None,
            _ => {
                let why = format!(
                    "{} leads to several nodes; say first where what leads to it is to go",
                    called(own)
                );
                return Err(TreeError::unsound(why));
            }
        };
        let begins = self.following(step).map(StepId::as_str);
        if step.ordinal == 0 && follower.as_deref() != begins {
            let begins = begins.unwrap_or_default();
            return Err(TreeError::unsound(format!(
                "the flow would begin at {}, where {} does not lead",
                called(begins),
                called(own)
            )));
        }
        let mut led: Vec<StepId> = Vec::new();
        for edge in &coming {
            let others = all
                .iter()
                .filter(|other| other.from == edge.from && other.index != edge.index);
            match &follower {
                Some(to) if edge.from == *to || others.clone().any(|other| other.to == *to && other.is_plain()) => {
                    plan.take(edge.whole());
                }
                Some(to) => {
                    plan.set(edge.end("to"), to.as_str());
                    self.called_after(&mut plan, edge.index, to);
                    led.push(StepId::new(edge.from.as_str()));
                }
                None if edge.is_plain() && others.clone().count() == 0 => {
                    plan.take(edge.whole());
                    led.push(StepId::new(edge.from.as_str()));
                }
                None => {
                    return Err(TreeError::unsound(format!(
                        "a way of {} would lead nowhere without {}",
                        called(&edge.from),
                        called(own)
                    )));
                }
            }
        }
        for edge in all.iter().filter(|edge| edge.from == own) {
            plan.take(edge.whole());
        }
        let follows = follower.map(StepId::new);
        for mention in self.naming(step) {
            match (mention.what, &follows) {
                (Named::Edge, _) => {}
                (Named::Rejected, to) => {
                    match to {
                        Some(to) => plan.set(mention.path, to.as_str()),
                        None => plan.take(mention.path),
                    }
                    if let Some(owner) = mention.owner.and_then(|n| self.steps().get(n)) {
                        plan.rejected_on(owner, to.as_ref());
                    }
                }
                _ => {
                    return Err(TreeError::unsound(format!(
                        "{} names it; change that first",
                        called_place(&mention.path)
                    )));
                }
            }
        }
        plan.led_on(led, follows.as_ref());
        Ok(plan)
    }

    pub(super) fn connect_nodes(&self, from: &'a Step, to: &'a Step, way: &Way) -> Result<Plan, TreeError> {
        let mut plan = Plan::default();
        let leaving = self.leaving(from);
        // One more way on from a node after which several begin is one more of these.
        let forks = leaving.iter().any(|edge| edge.kind() == "fork");
        let more = match way {
            Way::Waits | Way::Rejected => {
                return Err(TreeError::unfit(
                    "nodes of a graph follow each other; none waits for another",
                ));
            }
            Way::Next if from.routing.join() == Some(&to.id) => return Err(meets(from, to)),
            Way::Next if !forks => {
                if let Some(edge) = leaving.iter().find(|edge| edge.is_plain()) {
                    if edge.to != to.id.as_str() {
                        plan.set(edge.end("to"), to.id.as_str());
                        self.called_after(&mut plan, edge.index, to.id.as_str());
                        let said = format!("{} does not lead to {} any more", called(&from.id), called(&edge.to));
                        plan.say(&from.id, said);
                    }
                    return Ok(plan);
                }
                json!({})
            }
            Way::Back { most, until } => {
                let loops = leaving.iter().filter(|edge| edge.kind() == "loop");
                let (own, others): (Vec<_>, Vec<_>) = loops.partition(|edge| edge.to == to.id.as_str());
                if !own.is_empty() && until.is_some() {
                    return Err(TreeError::unsound(format!(
                        "{} leads back to {} already; what ends that loop is changed in the form of the step",
                        called(&from.id),
                        called(&to.id)
                    )));
                }
                if let Some(most) = most {
                    self.bounded(&mut plan, from, *most);
                    if !others.is_empty() {
                        let said = format!("every loop that leaves {} turns {most} times at most", called(&from.id));
                        plan.say(&from.id, said);
                    }
                }
                if !own.is_empty() {
                    return Ok(plan);
                }
                json!({"type": "loop", "priority": 60, "condition": {"field": DECIDES, "operator": "not_equals", "value": until.as_deref().unwrap_or(VERIFIED)}})
            }
            Way::Value { field, value } => {
                let field = field.as_deref().unwrap_or(DECIDES);
                json!({"priority": 60, "condition": {"field": field, "operator": "equals", "value": value}})
            }
            Way::Next | Way::Beside => {
                let is_on = |edge: &&Edge<'_>| edge.is_plain() || edge.kind() == "fork";
                let on: Vec<&Edge<'_>> = leaving.iter().filter(is_on).collect();
                if on.iter().any(|edge| edge.to == to.id.as_str() && edge.kind() == "fork") {
                    return Ok(plan);
                }
                if on.iter().all(|edge| edge.to == to.id.as_str()) {
                    return Err(TreeError::unsound(format!(
                        "{} leads to nothing else that this could run beside",
                        called(&from.id)
                    )));
                }
                json!({"type": "fork"})
            }
        };
        let Value::Object(more) = more else { return Ok(plan) };
        if matches!(way, Way::Next | Way::Beside) {
            for edge in leaving.iter().filter(|edge| edge.is_plain()) {
                plan.set(edge.end("type"), "fork");
            }
        }
        plan.edges = self.new_edges([(from.id.to_string(), to.id.to_string(), more)]);
        Ok(plan)
    }

    /// How often the loops turn that leave a node stands in the node.
    fn bounded(&self, plan: &mut Plan, step: &Step, most: u32) {
        plan.set(self.path(step.ordinal, "params.max_iterations"), most);
    }

    /// The edges that leave a node are replaced by others.
    pub(super) fn route_node(&self, step: &'a Step, to: &Route) -> Result<Plan, TreeError> {
        let mut plan = Plan::default();
        let from = step.id.as_str();
        let leaving = self.leaving(step);
        let follower = leaving.iter().find(|edge| edge.is_plain()).map(|edge| edge.to.clone());
        let mut wanted: Vec<(String, Value)> = Vec::new();
        let condition =
            |field: &str, operator: &str, value: Value| json!({"field": field, "operator": operator, "value": value});
        match to {
            Route::End => {}
            Route::Next { to } => wanted.push((to.to_string(), json!({}))),
            Route::Loop {
                back,
                field,
                values,
                next,
                most,
            } => {
                self.bounded(&mut plan, step, *most);
                let field = field.as_deref().unwrap_or(DECIDES);
                let values: Vec<&str> = match values.as_slice() {
                    [] => vec![VERIFIED],
                    given => given.iter().map(String::as_str).collect(),
                };
                let until = condition(field, "not_in", values.into());
                wanted.push((
                    back.to_string(),
                    json!({"type": "loop", "priority": 60, "condition": until}),
                ));
                let next = next.as_ref().map(ToString::to_string).or(follower);
                wanted.extend(next.map(|next| (next, json!({}))));
            }
            Route::Branch { field, branches, next } => {
                let field = field.as_deref().unwrap_or(DECIDES);
                for (value, to) in branches {
                    let when = condition(field, "equals", value.as_str().into());
                    wanted.push((to.to_string(), json!({"priority": 60, "condition": when})));
                }
                wanted.extend(next.as_ref().map(|next| (next.to_string(), json!({}))));
            }
            Route::Fork { targets, join: None } if targets.len() > 1 => {
                wanted.extend(targets.iter().map(|to| (to.to_string(), json!({"type": "fork"}))));
            }
            Route::Fork { join: Some(_), .. } => {
                return Err(TreeError::unfit(
                    "where branches of a graph file meet is said by their own edges",
                ));
            }
            Route::Fork { .. } => return Err(TreeError::unsound("branches beside each other are two at least")),
        }
        // Those that are there already, in this very form, stay.
        for edge in &leaving {
            plan.take(edge.whole());
        }
        if let ([edge], [(to, more)]) = (leaving.as_slice(), wanted.as_slice())
            && edge.is_plain()
            && more == &json!({})
        {
            plan.changes.clear();
            plan.set(edge.end("to"), to.as_str());
            self.called_after(&mut plan, edge.index, to);
            return Ok(plan);
        }
        let wanted = wanted.into_iter().filter_map(|(to, more)| match more {
            Value::Object(more) => Some((from.to_owned(), to, more)),
            _ => None,
        });
        plan.edges = self.new_edges(wanted);
        Ok(plan)
    }
}
