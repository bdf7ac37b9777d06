//! Steps that are put in with their own texts, in a line: what was copied, and the copy of a step. Changed is what has to be: an id that
//! is taken, what follows them, and what names a step that is not there.

use super::mentions::{self, Mention, Named};
use super::onward::{Onward, linear};
use super::{Author, Plan};
use crate::edit::{Copied, Pasted, Put, Sheet, TreeError, name_of_copy};
use crate::reading::Context;
use crate::said::in_a_row;
use crate::stepwise::read;
use model::{NewStep, Routing, Spot, Step, StepId};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// A step that is put in.
pub(super) struct Part {
    copied: Copied,
    /// What it was called, and what it is called here.
    old: String,
    pub(super) new: String,
    /// Every place in it that names a step.
    mentions: Vec<Mention>,
}

/// How the routing of a part says what follows it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leads {
    /// Not at all: the next one in the file follows.
    Order,
    /// In a field of its routing.
    Key(&'static str),
    /// The flow ends.
    Ended,
    /// Several begin beside each other.
    Fork,
    /// It cannot be kept.
    Anew,
}

/// What follows a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Another part, by its position.
    Part(usize),
    /// What follows all of them.
    Exit,
    /// Nothing, as it is written.
    End,
    /// What its branches say.
    Branches,
}

/// Where parts go: what leads to the first one, and what follows the last one.
struct Slot<'a> {
    plan: Plan,
    behind: Option<&'a Step>,
    exit: Option<String>,
}

impl<'a> Author<'a> {
    /// Steps with texts, each one behind the one before. `Err`: which of them cannot be put in, and why.
    pub(in crate::stepwise) fn paste(&self, given: &[&NewStep], at: &Spot) -> Put<TreeError> {
        let mut parts: Vec<Part> = Vec::with_capacity(given.len());
        for (n, new) in given.iter().enumerate() {
            let text = new.text.as_deref().unwrap_or_default();
            let copied = Copied::read(text, "step", self.list(), self.tree.grammar);
            let part = copied.and_then(|copied| self.part(copied, new.id.as_ref(), &parts));
            parts.push(part.map_err(|error| (n, error))?);
        }
        self.put_in(parts, at, None).map_err(|error| (0, error))
    }

    /// A copy of a step behind it: what followed the step follows the copy.
    pub(super) fn copy(&self, step: &StepId, id: Option<&StepId>) -> Result<Pasted, TreeError> {
        let step = self.step(step)?;
        let map = self
            .root
            .get(self.list())
            .and_then(|list| list.get(step.ordinal)?.as_object());
        let copied = map.and_then(|map| self.source().copied(self.list(), step.ordinal, map));
        let copied = copied.ok_or_else(|| TreeError::unsound("this step is no list of fields"))?;
        let part = self.part(copied, id, &[])?;
        let step_id = step.id.clone();
        self.put_in(vec![part], &Spot::After { step: step_id }, Some(step))
    }

    fn part(&self, copied: Copied, id: Option<&StepId>, before: &[Part]) -> Result<Part, TreeError> {
        let list = self.list();
        let text = |key: &str| {
            copied
                .alone
                .text_of(list, key)
                .map(str::trim)
                .filter(|text| !text.is_empty())
        };
        let own = text("node_id").filter(|_| self.is_graph()).or_else(|| text("id"));
        let named = || text("name").and_then(crate::slug::name_of_file);
        let fits = |id: &str| self.fits(usize::MAX, id).is_ok() && before.iter().all(|part| part.new != id);
        let own = own.filter(|own| !own.chars().any(char::is_control)).map(str::to_owned);
        let old = own.or_else(named).unwrap_or_else(|| "step".to_owned());
        let new = match id {
            Some(id) => {
                self.fits(usize::MAX, id.as_str())?;
                if before.iter().any(|part| part.new == id.as_str()) {
                    return Err(TreeError::unsound(format!("two of the steps would have the id “{id}”")));
                }
                id.to_string()
            }
            None => name_of_copy(&old, self.joint(), fits),
        };
        let alone = Context::new(&copied.alone.text, &copied.alone.tree);
        let mentions = mentions::all(&alone, list).all;
        Ok(Part {
            old,
            new,
            mentions,
            copied,
        })
    }

    /// `original`: the step that the only part is a copy of.
    fn put_in(&self, parts: Vec<Part>, at: &Spot, original: Option<&'a Step>) -> Result<Pasted, TreeError> {
        let mut said = Vec::new();
        let beside = original.filter(|original| matches!(self.onward(original), Onward::Fork));
        let (plan, index, changes, edges) = match (self.is_graph(), parts.as_slice()) {
            (_, []) => {
                return Ok(Pasted {
                    edits: Vec::new(),
                    said,
                });
            }
            (true, [first, .., last]) | (true, [first @ last]) => {
                let ids: Vec<&str> = parts.iter().map(|part| part.new.as_str()).collect();
                let (plan, behind) = match original {
                    Some(original) => (self.copied_node(original, &first.new), Some(original)),
                    None => self.node_slot(at, &first.new, &last.new)?,
                };
                let mut plan = plan;
                let between = ids
                    .windows(2)
                    .map(|pair| (pair[0].to_owned(), pair[1].to_owned(), Map::new()));
                plan.edges.extend(self.new_edges(between));
                let index = behind.map_or(self.steps().len(), |step| step.ordinal + 1);
                let changes = self.named_anew(&parts, index, &vec![Leads::Order; parts.len()], &mut said);
                let edges = std::mem::take(&mut plan.edges);
                (plan, index, changes, edges)
            }
            (false, [first, ..]) => {
                let slot = match beside {
                    Some(original) => {
                        said.push(format!(
                            "“{}” leads to its copy, and what begins beside each other begins after that",
                            original.name
                        ));
                        let mut plan = Plan::default();
                        plan.set(self.path(original.ordinal, "routing"), linear(Some(&first.new)));
                        let (behind, exit) = (Some(original), None);
                        Slot { plan, behind, exit }
                    }
                    None => self.slot(at, &first.new)?,
                };
                let index = slot.behind.map_or(self.steps().len(), |step| step.ordinal + 1);
                let changes = self.led(&parts, index, slot.exit, beside.is_some(), &mut said);
                (slot.plan, index, changes, Vec::new())
            }
        };
        let mut ids = Plan::default();
        for (n, part) in parts.iter().enumerate() {
            if part.old != part.new || self.copied_id(part).is_none() {
                ids.set(self.path(index + n, self.key_of(part)), part.new.as_str());
            }
        }
        ids.changes.extend(changes.changes);
        let whos: Vec<String> = parts
            .iter()
            .map(|part| part.copied.called(self.list()).to_owned())
            .collect();
        let copied = parts.into_iter().map(|part| part.copied).collect();
        let place = (self.list(), index);
        let (mut sheet, lost) = Sheet::with_copied(self.source(), place, &plan.ordered(), copied, &ids.ordered())?;
        for edge in &edges {
            self.put_edge(&mut sheet, edge)?;
        }
        let lost = whos
            .iter()
            .zip(lost)
            .filter_map(|(who, lost)| Some(format!("“{who}”: {}", lost?)));
        said.extend(lost.filter(|_| original.is_none()));
        let edits = sheet.finish();
        Ok(Pasted { edits, said })
    }

    fn copied_id<'p>(&self, part: &'p Part) -> Option<&'p str> {
        part.copied.alone.text_of(self.list(), self.key_of(part))
    }

    /// Where the id of a part stands.
    fn key_of(&self, part: &Part) -> &'static str {
        match self.is_graph() && part.copied.map.contains_key("node_id") {
            true => "node_id",
            false => "id",
        }
    }

    fn slot(&self, at: &Spot, first: &str) -> Result<Slot<'a>, TreeError> {
        let behind = self.behind(at)?;
        let (plan, routing) = self.leading_to(at, behind, first)?;
        let index = behind.map_or(self.steps().len(), |step| step.ordinal + 1);
        let by_order = || self.steps().get(index).map(|next| next.id.to_string());
        let exit = match routing {
            None => by_order(),
            Some(routing) => routing.get("next").and_then(Value::as_str).map(str::to_owned),
        };
        Ok(Slot { plan, behind, exit })
    }

    /// What a name in a part means: the part itself, another part, or a step of the file.
    fn meant(&self, parts: &[Part], own: usize, to: &str) -> Option<String> {
        let part = companion(parts, own, to).map(|n| parts[n].new.clone());
        part.or_else(|| self.step(&to.into()).ok().map(|step| step.id.to_string()))
    }

    /// How the routing of a part leads on, and what of it cannot be kept.
    fn leads(&self, parts: &[Part], own: usize, is_copy: bool) -> (Leads, Option<&'static str>) {
        let part = &parts[own];
        let Some(routing) = part.copied.map.get("routing").and_then(Value::as_object) else {
            return (Leads::Order, None);
        };
        let has = |key: &str| routing.contains_key(key);
        let ways = |what: fn(&Named) -> bool| part.mentions.iter().filter(move |m| what(&m.what) && of_routing(m));
        let is_there = |m: &&Mention| self.meant(parts, own, &m.to).is_some();
        match routing.get("kind").and_then(Value::as_str).unwrap_or("linear") {
            "terminal" => (Leads::Ended, None),
            "microloop" => match ways(|what| *what == Named::Back).any(|m| is_there(&m)) {
                true => (Leads::Key("next"), None),
                false => (Leads::Anew, Some("the loop")),
            },
            "branch" => {
                let is_way = |what: &Named| matches!(what, Named::Value(_) | Named::Guard);
                let key = match (has("when"), has("next"), has("default")) {
                    (true, true, false) | (false, true, _) | (false, false, false) => "next",
                    (true, ..) | (false, false, true) => "default",
                };
                match ways(is_way).count() == 0 || ways(is_way).any(|m| is_there(&m)) {
                    true => (Leads::Key(key), None),
                    false => (Leads::Anew, Some("the branch")),
                }
            }
            "fork" if is_copy => (Leads::Fork, None),
            "fork" => {
                let among = ways(|what| *what == Named::Branch).filter_map(|m| companion(parts, own, &m.to));
                let among: HashSet<usize> = among.filter(|n| *n != own).collect();
                match among.len() {
                    0 | 1 => (Leads::Anew, Some("what begins beside each other")),
                    _ => (Leads::Fork, None),
                }
            }
            // Whether branches meet at it is known once it is known what follows each part.
            _ => (Leads::Key("next"), None),
        }
    }

    /// What follows each part: what its text says. One that says nothing is followed by the next one, and where none of those that are
    /// come by leads on, the last of them does.
    fn nexts(&self, parts: &[Part], leads: &[Leads], is_copy: bool) -> Vec<Next> {
        let last = parts.len() - 1;
        let in_line = |n: usize| if n < last { Next::Part(n + 1) } else { Next::Exit };
        let to = |n: usize, to: &str| match companion(parts, n, to) {
            Some(part) if part != n => Next::Part(part),
            _ => Next::Exit,
        };
        let own = |n: usize, lead: Leads| match lead {
            Leads::Order => in_line(n),
            Leads::Ended => Next::End,
            Leads::Fork => Next::Branches,
            Leads::Key(key) => self.onward_of(&parts[n], key).map_or(Next::End, |next| to(n, next)),
            Leads::Anew => {
                let is_branch = |m: &&Mention| of_routing(m) && m.what == Named::Branch;
                let branches = parts[n].mentions.iter().filter(is_branch).map(|m| to(n, &m.to));
                let keys = ["next", "default"].into_iter();
                let onward = keys.filter_map(|key| self.onward_of(&parts[n], key));
                let mut onward = onward.map(|next| to(n, next));
                let mut named = branches.chain(onward.clone());
                match named.find(|next| *next != Next::Exit) {
                    Some(among) => among,
                    // A join says no more than a step that leads on.
                    None if is_join(&parts[n]) => onward.next().unwrap_or(Next::End),
                    // Nothing of what it says of what follows is left.
                    None => in_line(n),
                }
            }
        };
        let mut nexts: Vec<Next> = leads.iter().enumerate().map(|(n, lead)| own(n, *lead)).collect();
        let reached = reached(parts, &nexts, 0);
        let mut ways = (0..parts.len()).filter(|n| reached.contains(n));
        if ways.clone().any(|n| nexts[n] == Next::Exit) {
            return nexts;
        }
        let end = ways.clone().rfind(|n| nexts[*n] == Next::End);
        // The copy of a step that leads back leads back.
        let back = || ways.rfind(|n| nexts[*n] != Next::Branches && !is_copy);
        if let Some(end) = end.or_else(back) {
            nexts[end] = Next::Exit;
        }
        nexts
    }

    fn onward_of<'p>(&self, part: &'p Part, key: &str) -> Option<&'p str> {
        let stands = |m: &&Mention| of_routing(m) && m.path.len() == 4 && m.path.last().is_some_and(|last| last == key);
        part.mentions.iter().find(stands).map(|m| m.to.as_str())
    }

    /// The values and conditions by which a part branches, in a row.
    fn lost_ways(&self, part: &Part) -> Option<String> {
        let alone = &part.copied.alone;
        let reading = read(self.name, &alone.text, &alone.tree);
        let ways: Vec<String> = match &reading.workflow.steps().first()?.routing {
            Routing::Branch(branch) => branch.branches.keys().map(|value| format!("“{value}”")).collect(),
            Routing::Guarded { guards, .. } => {
                let labels = guards.iter().filter_map(|guard| guard.condition.label());
                labels.map(|label| format!("“{label}”")).collect()
            }
            _ => Vec::new(),
        };
        in_a_row(&ways)
    }

    /// The changes of parts of a flow once they stand in the file from a position on.
    fn led(&self, parts: &[Part], index: usize, exit: Option<String>, is_copy: bool, said: &mut Vec<String>) -> Plan {
        let found: Vec<_> = (0..parts.len()).map(|n| self.leads(parts, n, is_copy)).collect();
        let mut leads: Vec<Leads> = found.iter().map(|(lead, _)| *lead).collect();
        let mut nexts = self.nexts(parts, &leads, is_copy);
        // Where no branches come along nothing would be waited for.
        let joins = (0..parts.len()).filter(|n| is_join(&parts[*n]));
        let unmet: Vec<usize> = joins.filter(|n| !is_met(parts, &leads, &nexts, *n)).collect();
        if !unmet.is_empty() {
            unmet.iter().for_each(|n| leads[*n] = Leads::Anew);
            nexts = self.nexts(parts, &leads, is_copy);
        }
        for (n, (_, lost)) in found.into_iter().enumerate() {
            let who = parts[n].copied.called(self.list());
            said.extend(lost.map(|what| {
                let with = self.lost_ways(&parts[n]);
                let with = with.map_or_else(String::new, |ways| format!(", with what it says for {ways}"));
                format!("{what} of “{who}” is left out{with}: it leads to no step that is here")
            }));
            if unmet.contains(&n) {
                said.push(format!(
                    "how branches meet at “{who}” is left out: no branches are put in with it"
                ));
            }
        }
        let mut plan = self.named_anew(parts, index, &leads, said);
        for (n, part) in parts.iter().enumerate() {
            let following = || self.steps().get(index).map(|step| step.id.as_str());
            let in_order = parts.get(n + 1).map(|next| next.new.as_str()).or_else(following);
            let to = match nexts[n] {
                Next::Part(next) => Some(parts[next].new.as_str()),
                Next::Exit => exit.as_deref(),
                Next::End => None,
                Next::Branches => continue,
            };
            let whole = self.path(index + n, "routing");
            let is_written = part.copied.map.contains_key("routing");
            match leads[n] {
                Leads::Key(key) => match (to, self.onward_of(part, key)) {
                    (Some(to), own) if own != Some(to) => plan.set(self.path(index + n, &format!("routing.{key}")), to),
                    (None, Some(_)) => plan.take(self.path(index + n, &format!("routing.{key}"))),
                    _ => {}
                },
                Leads::Ended if to.is_none() => {}
                _ if to == in_order && leads[n] != Leads::Order && is_written => plan.take(whole),
                _ if to == in_order => {}
                _ => plan.set(whole, self.leading_on(to)),
            }
        }
        plan
    }

    /// What names a step in the parts names the one that is meant here, or goes.
    fn named_anew(&self, parts: &[Part], index: usize, leads: &[Leads], said: &mut Vec<String>) -> Plan {
        let mut plan = Plan::default();
        for (n, part) in parts.iter().enumerate() {
            for mention in &part.mentions {
                let next = match leads[n] {
                    Leads::Key(key) => mention.path.len() == 4 && mention.path.last().is_some_and(|last| last == key),
                    _ => false,
                };
                if of_routing(mention) && (next || matches!(leads[n], Leads::Anew | Leads::Ended)) {
                    continue;
                }
                let path = Copied::moved(&mention.path, index + n);
                // Of what begins beside each other among the parts nothing begins elsewhere.
                let begins = leads[n] == Leads::Fork && mention.what == Named::Branch && parts.len() > 1;
                // Of what meets only branches that come along are waited for.
                let among = begins || mention.what == Named::From;
                let meant = self.meant(parts, n, &mention.to);
                match meant.filter(|_| !among || companion(parts, n, &mention.to).is_some()) {
                    Some(to) if to == mention.to => {}
                    Some(to) => plan.set(path, to),
                    None => {
                        plan.take(match mention.what {
                            Named::Guard => path[..path.len() - 1].to_vec(),
                            _ => path,
                        });
                        let what = match &mention.what {
                            Named::Rejected => "the way of a rejection".to_owned(),
                            Named::Value(value) => format!("the way for “{value}”"),
                            Named::Guard | Named::Branch | Named::Next | Named::From => "a way".to_owned(),
                            _ => format!("“{}”", mention.path[2..].join(".")),
                        };
                        said.push(format!(
                            "{what} of “{}” is left out: there is no step `{}` here",
                            part.copied.called(self.list()),
                            mention.to
                        ));
                    }
                }
            }
        }
        plan
    }
}

/// Whether branches meet at a part, as its text says.
fn is_join(part: &Part) -> bool {
    let routing = part.copied.map.get("routing");
    routing.and_then(|routing| routing.get("kind")?.as_str()) == Some("join")
}

/// Whether two branches at least of a fork that is put in lead to a part.
fn is_met(parts: &[Part], leads: &[Leads], nexts: &[Next], join: usize) -> bool {
    let mut forks = (0..parts.len()).filter(|n| leads[*n] == Leads::Fork);
    forks.any(|fork| {
        let is_branch = |m: &&Mention| of_routing(m) && m.what == Named::Branch;
        let branches = parts[fork].mentions.iter().filter(is_branch);
        let heads = branches.filter_map(|m| companion(parts, fork, &m.to));
        let heads: HashSet<usize> = heads.filter(|head| *head != fork).collect();
        let meets = |head: &&usize| reached(parts, nexts, **head).contains(&join);
        heads.iter().filter(meets).count() > 1
    })
}

/// The parts that the ways of the parts lead to, from one of them on, this one included.
fn reached(parts: &[Part], nexts: &[Next], from: usize) -> HashSet<usize> {
    let mut reached = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(n) = open.pop() {
        let ways = parts[n]
            .mentions
            .iter()
            .filter(|m| of_routing(m) && m.what != Named::Next);
        let ways = ways.filter(|m| !matches!(m.what, Named::Join | Named::From));
        let ways = ways.filter_map(|m| companion(parts, n, &m.to));
        let next = match nexts[n] {
            Next::Part(next) => Some(next),
            _ => None,
        };
        open.extend(ways.chain(next).filter(|next| reached.insert(*next)));
    }
    reached
}

/// Whether a place stands in the routing of its step.
fn of_routing(mention: &Mention) -> bool {
    mention.path.get(2).is_some_and(|key| key == "routing")
}

/// The part that a name in a part means.
fn companion(parts: &[Part], own: usize, to: &str) -> Option<usize> {
    match parts[own].old == to {
        true => Some(own),
        false => parts.iter().position(|part| part.old == to),
    }
}
