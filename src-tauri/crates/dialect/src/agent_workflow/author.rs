//! Gestures on the steps of an agent workflow. The text is changed first; then each step's `depends_on` and the ways of rejections are
//! made to say what they are to say of the steps as they are called by then, and only where they do not say it already: most of them
//! follow from the order of the file, and a step without an id is called after what it does.

use super::detect::Generation;
use super::{Reading, read};
use crate::document::{Changed, Consequence, Document};
use crate::edit::{
    AFTER, Change, Copied, EditError, Pasted, Put, Sheet, Source, TreeError, gate_changes, leads_back, name_of_copy,
    no_way_back, tree_edit,
};
use crate::form::agent_workflow as form;
use crate::in_tree::TreeReading as _;
use crate::said::{NEW, called};
use crate::sound::sound;
use crate::text::{TextEdit, apply};
use crate::tree::{Budget, Tree};
use model::{Edit, FlowEdit, NewStep, Place, Spot, Step, StepId, Way};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

type Outcome = Result<Changed, TreeError>;

/// A file whose steps are changed.
pub(super) struct Author<'a> {
    reading: &'a Reading,
    source: Source<'a>,
    root: Value,
}

/// A step, whatever it is called: by its position before the gesture, or one of those that come with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    Old(usize),
    New(usize),
}

/// What is to hold of a step once the text is changed.
#[derive(Debug, Clone)]
struct Wanted {
    who: Who,
    /// What it waits for; `None`: what follows from where it stands.
    waits: Option<Vec<Who>>,
    /// The gesture says it of this very step, or of one that it names.
    is_asked: bool,
    /// Where a rejection at it leads; `None`: nowhere that a step of the file is.
    rejected: Option<Who>,
}

/// Where new steps stand in the file.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Before(usize),
    Behind(usize),
}

impl Slot {
    /// The step whose words they take.
    fn beside(self) -> usize {
        match self {
            Self::Before(n) | Self::Behind(n) => n,
        }
    }
}

impl<'a> Author<'a> {
    pub(super) fn of(reading: &'a Reading, name: &'a str, text: &'a str, tree: &'a Tree) -> Self {
        let source = Source { name, text, tree };
        let value = |root| tree.value(text, root, &mut Budget::of(tree));
        Self {
            reading,
            source,
            root: tree.root.map_or(Value::Null, value),
        }
    }

    fn steps(&self) -> &'a [Step] {
        self.reading.workflow.steps()
    }

    fn step(&self, id: &StepId) -> Result<&'a Step, TreeError> {
        let found = self.reading.workflow.step(id);
        found.ok_or_else(|| EditError::no_step(id).into())
    }

    fn old(&self, id: &StepId) -> Option<Who> {
        self.reading.workflow.step(id).map(|step| Who::Old(step.ordinal))
    }

    /// The steps as they are, with what each waits for, in its order.
    fn as_it_is(&self) -> Vec<Wanted> {
        let one = |step: &Step| Wanted {
            who: Who::Old(step.ordinal),
            waits: Some(step.depends_on.iter().filter_map(|id| self.old(id)).collect()),
            is_asked: false,
            rejected: self.rejected(step),
        };
        self.steps().iter().map(one).collect()
    }

    fn rejected(&self, step: &Step) -> Option<Who> {
        self.old(self.reading.on_reject(step)?)
    }

    /// Whether others wait for a step, or are sent back to it, by its id.
    fn is_named(&self, step: &Step) -> bool {
        let has_number = self.reading.waits[step.ordinal].number.is_some();
        let waits = &self.reading.waits;
        let waited_for = waits
            .iter()
            .any(|waits| waits.named.iter().flatten().any(|id| *id == step.id));
        let sent_back_to = || {
            let mut others = self.steps().iter();
            others.any(|other| self.reading.on_reject(other) == Some(&step.id))
        };
        !has_number && (waited_for || sent_back_to())
    }

    fn sheet(&self) -> Sheet<'a> {
        Sheet::of(self.source)
    }

    /// The list that a step stands in, as keys with dots between, and its position there.
    fn place(&self, step: usize) -> (String, usize) {
        let mut keys = self.reading.way(self.reading.at[step]);
        let at = keys.pop().and_then(|n| n.parse().ok()).unwrap_or_default();
        (keys.join("."), at)
    }

    fn keys(&self, step: usize, field: &str) -> Vec<String> {
        let mut keys = self.reading.way(self.reading.at[step]);
        keys.extend(field.split('.').map(str::to_owned));
        keys
    }

    fn map(&self, step: usize) -> Option<&Map<String, Value>> {
        let keys = self.reading.way(self.reading.at[step]);
        let found = keys.iter().try_fold(&self.root, |here, key| match here {
            Value::Array(list) => list.get(key.parse::<usize>().ok()?),
            other => other.get(key),
        });
        found?.as_object()
    }

    /// Makes what is wanted hold. `gone`: an edge that must not be there afterwards, whatever the groups say.
    fn settle(&self, mut sheet: Sheet<'a>, wanted: &[Wanted], gone: Option<(Who, Who)>) -> Outcome {
        let root = sheet.root();
        let now = again(self.source.name, sheet.text());
        if now.at.len() != wanted.len() {
            return Err(EditError::NotExact {
                path: self.reading.generation.way().join("."),
            }
            .into());
        }
        let position = |who: Who| wanted.iter().position(|one| one.who == who);
        let numbers = self.by_numbers();
        let name = |at: usize| match &now.waits[at].number {
            Some(number) if numbers => number.clone(),
            _ => now.workflow.steps()[at].id.to_string(),
        };
        let mut changes: Vec<Change> = Vec::new();
        for (n, one) in wanted.iter().enumerate() {
            let (step, waits) = (&now.workflow.steps()[n], &now.waits[n]);
            let mut path = now.way(now.at[n]);
            if let Some(wish) = &one.waits {
                let wish: Vec<usize> = wish.iter().filter_map(|who| position(*who)).collect();
                // A name that nobody had before stays as it is.
                let lost: Vec<&StepId> = match one.who {
                    Who::Old(n) => self.steps()[n]
                        .depends_on
                        .iter()
                        .filter(|id| self.old(id).is_none())
                        .collect(),
                    Who::New(_) => Vec::new(),
                };
                let is: HashSet<&StepId> = step.depends_on.iter().filter(|id| !lost.contains(id)).collect();
                let set: HashSet<&StepId> = wish.iter().map(|at| &now.workflow.steps()[*at].id).collect();
                let is_there = |id: &&StepId| now.workflow.step(id).is_some();
                // Whoever waits for a step waits for what that one waits for; what is said of this very step is written all the same.
                let by_others = || {
                    !one.is_asked
                        && self
                            .all_before(&now, wanted, n)
                            .is_superset(&wish.iter().copied().collect())
                };
                // Whoever waits for a group waits for all of it.
                let enough = match now.generation {
                    Generation::Groups => is.iter().all(is_there) && (set.is_subset(&is) || by_others()),
                    Generation::Inside | Generation::Beside => set == is || (is.is_subset(&set) && by_others()),
                };
                let stays = gone.is_some_and(|(from, to)| {
                    let from = position(from).map(|at| &now.workflow.steps()[at].id);
                    to == one.who && from.is_some_and(|from| is.contains(from))
                });
                if !enough || stays {
                    let in_groups = now.generation == Generation::Groups;
                    let by_itself = |at: &&usize| !in_groups || !waits.around.contains(at);
                    let mut names: Vec<String> = wish.iter().filter(by_itself).map(|at| name(*at)).collect();
                    names.extend(lost.iter().map(ToString::to_string));
                    path.push("depends_on".to_owned());
                    changes.extend(self.list(&root, &path, &names, now.generation));
                    path.pop();
                }
            }
            let says = now.on_reject(step);
            let to = one.rejected.and_then(&position).map(|at| &now.workflow.steps()[at].id);
            if says != to && (to.is_some() || one.rejected.is_some()) {
                path.push("on_reject".to_owned());
                let value = to.map(|id| Value::from(id.as_str()));
                changes.push(Change { path, value });
            }
        }
        let (set, mut out): (Vec<Change>, Vec<Change>) = changes.into_iter().partition(|one| one.value.is_some());
        sheet.change(&set)?;
        out.sort_by(|a, b| b.position().cmp(&a.position()));
        sheet.change(&out)?;
        let after = again(self.source.name, sheet.text());
        if let Some((a, b)) = gone {
            let at = |who: Who| position(who).and_then(|at| after.workflow.steps().get(at));
            if let (Some(from), Some(to)) = (at(a), at(b))
                && to.depends_on.contains(&from.id)
            {
                return Err(TreeError::unsound(format!(
                    "{} waits for {} because of the groups that they stand in; change those in the source",
                    self.called(b, &to.id),
                    self.called(a, &from.id)
                )));
            }
        }
        let edits = sheet.finish();
        let text = apply(self.source.text, &edits);
        let before = Document::parse(self.source.name, self.source.text);
        let document = Document::parse(self.source.name, &text);
        sound(&before, &document).map_err(TreeError::from)?;
        let ids = wanted.iter().zip(document.workflow().steps());
        let ids = ids.filter_map(|(one, now)| match one.who {
            Who::Old(n) if self.is_meant(n) && self.steps()[n].id != now.id => {
                Some((self.steps()[n].id.clone(), Some(now.id.clone())))
            }
            _ => None,
        });
        let is_left = |n: usize| wanted.iter().any(|one| one.who == Who::Old(n));
        let gone = self
            .steps()
            .iter()
            .filter(|step| !is_left(step.ordinal) && self.is_meant(step.ordinal));
        // Another one may be called so now.
        let gone = gone.filter(|step| document.workflow().step(&step.id).is_some());
        let gone = gone.map(|step| (step.id.clone(), None));
        Ok(Changed {
            edits,
            ids: ids.chain(gone).collect(),
        })
    }

    /// Whether a step names another one by itself, and does not only wait for it by its place.
    fn names(&self, who: Who, other: usize) -> bool {
        let Who::Old(n) = who else { return false };
        let named = self.reading.waits[n].named.iter().flatten();
        named.filter_map(|id| self.old(id)).any(|who| who == Who::Old(other))
    }

    /// What a step waits for once what is wanted holds: by itself as the text says it, and because of what those wait for.
    fn all_before(&self, now: &Reading, wanted: &[Wanted], step: usize) -> HashSet<usize> {
        let positions: HashMap<Who, usize> = wanted.iter().enumerate().map(|(n, one)| (one.who, n)).collect();
        let own = now.workflow.steps()[step].depends_on.iter();
        let own = own.filter_map(|id| now.workflow.step(id));
        let mut open: Vec<usize> = own.map(|step| step.ordinal).collect();
        let mut all = HashSet::new();
        while let Some(at) = open.pop() {
            if all.insert(at) {
                let wish = wanted[at].waits.iter().flatten();
                open.extend(wish.filter_map(|who| positions.get(who)));
                if now.generation == Generation::Groups {
                    open.extend(&now.waits[at].around);
                }
            }
        }
        all
    }

    /// A step in a sentence about the file as it was. `now`: its id by then.
    fn called(&self, who: Who, now: &StepId) -> String {
        match who {
            Who::Old(n) => called(&self.steps()[n].id),
            Who::New(_) => called(now),
        }
    }

    /// The changes that make a list name these, by its items where only those change.
    fn list(&self, root: &Value, path: &[String], names: &[String], of: Generation) -> Vec<Change> {
        let found = path.iter().try_fold(root, |here, key| match here {
            Value::Array(list) => list.get(key.parse::<usize>().ok()?),
            other => other.get(key),
        });
        let whole = |value: Option<Value>| Change {
            path: path.to_vec(),
            value,
        };
        let value = |name: &str| name.parse::<u64>().map_or_else(|_| Value::from(name), Value::from);
        let list = Value::Array(names.iter().map(|name| value(name)).collect());
        let written = found.and_then(Value::as_array);
        match written {
            _ if names.is_empty() && of == Generation::Groups => found.map(|_| whole(None)).into_iter().collect(),
            Some(written) if written.len() == names.len() => {
                let differ = written.iter().zip(names).enumerate();
                let differ = differ.filter(|(_, (old, new))| text_of(old).as_deref() != Some(new.as_str()));
                let item = |(n, (_, new)): (usize, (&Value, &String))| Change {
                    path: [path, &[n.to_string()]].concat(),
                    value: Some(value(new)),
                };
                differ.map(item).collect()
            }
            Some(written)
                if written.len() + 1 == names.len()
                    && written
                        .iter()
                        .zip(names)
                        .all(|(old, new)| text_of(old).as_deref() == Some(new.as_str())) =>
            {
                vec![Change {
                    path: [path, &[written.len().to_string()]].concat(),
                    value: list.get(written.len()).cloned(),
                }]
            }
            _ => vec![whole(Some(list))],
        }
    }

    /// Of two steps of one id the first is meant.
    fn is_meant(&self, n: usize) -> bool {
        self.reading.workflow.step(&self.steps()[n].id).map(|step| step.ordinal) == Some(n)
    }

    /// Whether steps wait for others by their numbers.
    fn by_numbers(&self) -> bool {
        let all = 0..self.steps().len();
        let named = all.clone().filter_map(|n| self.map(n)?.get("depends_on"));
        let mut names = named.flat_map(texts_of).peekable();
        match names.peek() {
            Some(_) => names.all(|name| super::step::is_number(&name)),
            None => all.clone().all(|n| self.reading.waits[n].number.is_some()),
        }
    }

    pub(super) fn edit(&self, edit: &Edit) -> Outcome {
        let plain = |edit: &Edit| {
            let Source { name, text, tree } = self.source;
            tree_edit(name, text, tree, &self.reading.file_path(edit.place()), edit)
        };
        if let Some(fault) = self.source.tree.broken() {
            return Err(TreeError::Broken(fault.at));
        }
        let place = edit.place();
        let Some(step) = place.step.and_then(|n| self.steps().get(n)) else {
            return plain(edit).map(Changed::from);
        };
        let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
        match (edit, path.as_slice()) {
            (Edit::Remove { .. }, []) => self.remove(step),
            (Edit::Move { to, .. }, []) => self.moved(step, *to),
            (Edit::Set { value, .. }, [key @ ("id" | "step")]) => {
                let named =
                    text_of(value).filter(|_| *key == "id" || self.reading.waits[step.ordinal].number.is_none());
                if let Some(id) = named {
                    self.fits(step.ordinal, id.trim())?;
                }
                self.after(plain(edit)?, &self.as_it_is())
            }
            // What names it by its number or its name goes on doing so.
            (Edit::Remove { .. }, [key @ ("id" | "step")]) if self.is_named(step) => Err(EditError::NotUnderstood {
                path: self.keys(step.ordinal, key).join("."),
                why: "others name the step by its id; write another one in its place".to_owned(),
            }
            .into()),
            (Edit::Set { .. } | Edit::Remove { .. }, ["depends_on", rest @ ..]) if rest.len() < 2 => {
                self.waits(step, edit, rest.first().copied())
            }
            _ => {
                let mut wanted = self.as_it_is();
                // Where its own rejections lead is what is being said.
                if matches!(path.first(), Some(&("on_reject" | "human_gate"))) {
                    wanted[step.ordinal].rejected = None;
                }
                self.after(plain(edit)?, &wanted)
            }
        }
    }

    /// A change of values: what named a step goes on naming it.
    fn after(&self, edits: Vec<TextEdit>, wanted: &[Wanted]) -> Outcome {
        if edits.is_empty() {
            return Ok(Changed::default());
        }
        let mut sheet = self.sheet();
        sheet.took(edits);
        self.settle(sheet, wanted, None)
    }

    /// Whether a step can have an id.
    fn fits(&self, own: usize, id: &str) -> Result<(), TreeError> {
        let refused = |why: String| {
            // A new one has no keys yet.
            let path = (own < self.steps().len()).then(|| self.keys(own, "id").join("."));
            let path = path.unwrap_or_else(|| NEW.to_owned());
            Err(EditError::NotUnderstood { path, why }.into())
        };
        if id.is_empty() || id.chars().any(char::is_control) {
            return refused("an id is one line of text".to_owned());
        }
        if super::step::is_number(id) {
            return refused("a number is no id; it is what others may name the step by besides".to_owned());
        }
        let taken = self
            .steps()
            .iter()
            .any(|step| step.ordinal != own && step.id.as_str() == id);
        match taken {
            true => refused(format!("another step has the id “{id}”")),
            false => Ok(()),
        }
    }

    /// What a step waits for by itself, as its form shows it: by ids.
    fn waits(&self, step: &Step, edit: &Edit, index: Option<&str>) -> Outcome {
        let n = step.ordinal;
        let waits = &self.reading.waits[n];
        let named: Vec<StepId> = waits.named.clone().unwrap_or_default();
        let index = index.map(|at| at.parse::<usize>());
        let missing = || EditError::Missing {
            path: self.keys(n, "depends_on").join("."),
        };
        let index = index.transpose().map_err(|_| missing())?;
        let mut new = named.clone();
        let given = |value: &Value| -> Result<StepId, TreeError> {
            let text = text_of(value).ok_or_else(missing)?;
            let id = StepId::new(text.trim());
            let by_number = self
                .reading
                .waits
                .iter()
                .position(|one| one.number.as_deref() == Some(id.as_str()));
            let other = by_number.map_or_else(|| self.step(&id), |at| Ok(&self.steps()[at]))?;
            if other.ordinal == n {
                return Err(TreeError::unsound("a step cannot wait for itself"));
            }
            Ok(other.id.clone())
        };
        match (edit, index) {
            // What it says by itself goes: the order of the file counts again.
            (Edit::Remove { .. }, None) => {
                let mut sheet = self.sheet();
                sheet.change(&[Change {
                    path: self.keys(n, "depends_on"),
                    value: None,
                }])?;
                let mut wanted = self.as_it_is();
                wanted[n].waits = None;
                return self.settle(sheet, &wanted, None);
            }
            (Edit::Remove { .. }, Some(at)) if at < new.len() => drop(new.remove(at)),
            (Edit::Set { value, .. }, None) => {
                let all = texts_of(value).into_iter().map(|name| given(&name.into()));
                new = all.collect::<Result<_, _>>()?;
            }
            (Edit::Set { value, .. }, Some(at)) if at <= new.len() => {
                let id = given(value)?;
                if at < new.len() {
                    new[at] = id;
                } else if !new.contains(&id) {
                    new.push(id);
                }
            }
            _ => return Err(missing().into()),
        }
        let mut wanted = self.as_it_is();
        let around = match self.reading.generation {
            Generation::Groups => waits.around.clone(),
            _ => Vec::new(),
        };
        let own = new.iter().filter_map(|id| self.old(id));
        wanted[n].waits = Some(own.chain(around.into_iter().map(Who::Old)).collect());
        wanted[n].is_asked = true;
        let left = named.iter().find(|id| !new.contains(id)).and_then(|id| self.old(id));
        self.settle(self.sheet(), &wanted, left.map(|from| (from, Who::Old(n))))
    }

    pub(super) fn flow_edit(&self, edit: &FlowEdit) -> Outcome {
        match edit {
            FlowEdit::Add { step, at } if step.text.is_some() => {
                let pasted = self.paste(&[step], at).map_err(|(_, error)| error)?;
                Ok(Changed::from(pasted.edits))
            }
            FlowEdit::Add { step, at } => self.add(step, at),
            FlowEdit::Duplicate { step, id } => self.copy(self.step(step)?, id.as_ref()),
            FlowEdit::Level { .. } => Err(TreeError::flat()),
            FlowEdit::Connect { from, to, way } => self.connect(self.step(from)?, self.step(to)?, way.as_ref()),
            FlowEdit::Disconnect { from, to, label } => {
                self.disconnect(self.step(from)?, self.step(to)?, label.as_deref())
            }
            FlowEdit::Route { .. } => Err(TreeError::unfit(
                "nothing follows a step by itself; say for each step what it waits for, or move it",
            )),
            FlowEdit::Gate { step, gate } => {
                let step = self.step(step)?;
                let path = |field: &str| self.keys(step.ordinal, field);
                let field = |field: &str| self.map(step.ordinal)?.get(field);
                let mut sheet = self.sheet();
                sheet.change(&gate_changes(&path, &field, gate.as_ref(), &AFTER))?;
                let mut wanted = self.as_it_is();
                if gate.is_none() {
                    wanted[step.ordinal].rejected = None;
                }
                self.settle(sheet, &wanted, None)
            }
        }
    }

    /// The steps that nobody waits for.
    fn ends(&self) -> Vec<Who> {
        let waited: HashSet<&StepId> = self.steps().iter().flat_map(|step| &step.depends_on).collect();
        let ends = self.steps().iter().filter(|step| !waited.contains(&step.id));
        ends.map(|step| Who::Old(step.ordinal)).collect()
    }

    /// Where new steps go, what the first of them waits for, and which steps wait for the last of them in the place of another one.
    /// `many`: how many steps come, one behind the other.
    fn slot(&self, at: &Spot, many: usize) -> Result<(Slot, Vec<Who>, Vec<Wanted>), TreeError> {
        if self.steps().is_empty() {
            return Err(TreeError::unfit(
                "there is no step here that another one could stand behind",
            ));
        }
        let mut wanted = self.as_it_is();
        let last = self.steps().len().saturating_sub(1);
        let instead = |one: &mut Wanted, old: usize| {
            one.is_asked |= self.names(one.who, old);
            for who in one.waits.iter_mut().flatten() {
                if *who == Who::Old(old) {
                    *who = Who::New(many - 1);
                }
            }
        };
        let (slot, waits) = match at {
            Spot::Inside { .. } => return Err(TreeError::unfit("a step holds no other steps")),
            Spot::End => (Slot::Behind(last), self.ends()),
            Spot::Alone => (Slot::Behind(last), Vec::new()),
            Spot::After { step } => {
                let step = self.step(step)?.ordinal;
                wanted.iter_mut().for_each(|one| instead(one, step));
                (Slot::Behind(step), vec![Who::Old(step)])
            }
            Spot::Between { from, to, label } => {
                if label.as_deref() == Some("rejected") {
                    return Err(TreeError::unfit(
                        "nothing can stand on the way of a rejection; lead the rejection to the step itself",
                    ));
                }
                let (from, to) = (self.step(from)?, self.step(to)?);
                if !to.depends_on.contains(&from.id) {
                    return Err(EditError::no_line(&from.id, &to.id).into());
                }
                instead(&mut wanted[to.ordinal], from.ordinal);
                (self.between(from, to), vec![Who::Old(from.ordinal)])
            }
        };
        Ok((slot, waits, wanted))
    }

    /// Between two steps behind the first of them, but where others would wait for what stands there: before the second.
    fn between(&self, from: &Step, to: &Step) -> Slot {
        let (at, waits) = (&self.reading.at, &self.reading.waits);
        let next = from.ordinal + 1;
        let others_wait = match self.reading.generation {
            Generation::Groups => at[from.ordinal].0 != at[to.ordinal].0,
            Generation::Inside | Generation::Beside => next < to.ordinal && waits[next].named.is_none(),
        };
        match others_wait {
            true => Slot::Before(to.ordinal),
            false => Slot::Behind(from.ordinal),
        }
    }

    /// The list that a new step goes into, its position there and among all steps.
    fn place_at(&self, slot: Slot) -> (String, usize, usize) {
        match slot {
            Slot::Before(n) => {
                let (list, index) = self.place(n);
                (list, index, n)
            }
            Slot::Behind(n) => {
                let (list, index) = self.place(n);
                (list, index + 1, n + 1)
            }
        }
    }

    fn add(&self, new: &NewStep, at: &Spot) -> Outcome {
        let (slot, waits, mut wanted) = self.slot(at, 1)?;
        let map = self.body(new, slot.beside())?;
        let (list, index, among) = self.place_at(slot);
        let mut sheet = self.sheet();
        sheet.insert(&list, index, &map)?;
        let one = Wanted {
            who: Who::New(0),
            waits: Some(waits),
            is_asked: true,
            rejected: None,
        };
        wanted.insert(among, one);
        self.settle(sheet, &wanted, None)
    }

    /// Steps with texts, one behind the other; what they wait for is said by their place. `Err`: which of them cannot be put in, and why.
    pub(super) fn paste(&self, given: &[&NewStep], at: &Spot) -> Put<TreeError> {
        let key = self.reading.generation.key();
        let mut copied = Vec::with_capacity(given.len());
        for (n, new) in given.iter().enumerate() {
            let text = new.text.as_deref().unwrap_or_default();
            let read = Copied::read(text, "step", key, self.source.tree.grammar).map_err(|error| (n, error))?;
            copied.push((read, new.id.clone()));
        }
        let slot = self.slot(at, given.len()).map_err(|error| (0, error))?;
        let (slot, mut waits, mut wanted) = slot;
        let (.., among) = self.place_at(slot);
        for n in 0..given.len() {
            let one = Wanted {
                who: Who::New(n),
                waits: Some(std::mem::replace(&mut waits, vec![Who::New(n)])),
                is_asked: true,
                rejected: None,
            };
            wanted.insert(among + n, one);
        }
        let put = self.put(copied, slot, wanted, false).map_err(|error| (0, error))?;
        let edits = put.0.edits;
        Ok(Pasted { edits, said: put.1 })
    }

    /// Entries with their own texts. `is_copy`: what they wait for is what they say, not what their place says. What is said of them
    /// besides.
    fn put(
        &self,
        given: Vec<(Copied, Option<StepId>)>,
        slot: Slot,
        wanted: Vec<Wanted>,
        is_copy: bool,
    ) -> Result<(Changed, Vec<String>), TreeError> {
        let put = self.put_as(given.clone(), slot, wanted.clone(), is_copy, &[])?;
        if put.0.ids.is_empty() {
            return Ok(put);
        }
        // Called after what they do they would take the ids of steps that are there: they get ids that say so.
        let now = again(self.source.name, &apply(self.source.text, &put.0.edits));
        let (.., among) = self.place_at(slot);
        let own = now.workflow.steps().iter().skip(among).take(given.len());
        let own: Vec<StepId> = own.map(|step| step.id.clone()).collect();
        self.put_as(given, slot, wanted, is_copy, &own)
    }

    /// `called`: what they would be called without an id; empty: so they are called.
    fn put_as(
        &self,
        given: Vec<(Copied, Option<StepId>)>,
        slot: Slot,
        mut wanted: Vec<Wanted>,
        is_copy: bool,
        called: &[StepId],
    ) -> Result<(Changed, Vec<String>), TreeError> {
        let key = self.reading.generation.key();
        let (list, index, among) = self.place_at(slot);
        let numbered = self.number(slot.beside());
        let path = |n: usize, field: &str| {
            let mut path: Vec<String> = list.split('.').map(str::to_owned).collect();
            path.extend([(index + n).to_string(), field.to_owned()]);
            path
        };
        let mut ids: Vec<(String, String)> = Vec::with_capacity(given.len());
        let (mut said, mut after) = (Vec::new(), Vec::new());
        for (n, (one, id)) in given.iter().enumerate() {
            let written = |field: &str| one.map.get(field).and_then(text_of);
            let number = written("step").filter(|text| super::step::is_number(text));
            let own = written("id").or_else(|| written("step").filter(|_| number.is_none()));
            let field = if written("id").is_none() && own.is_some() {
                "step"
            } else {
                "id"
            };
            let mut set = |field: &str, value: Option<Value>| {
                let path = path(n, field);
                after.push(Change { path, value });
            };
            if number.is_some() {
                let next = numbered.map(|next| next + n as u64);
                set("step", next.map(Value::from));
            }
            let is_free = |id: &str| self.fits(usize::MAX, id).is_ok() && ids.iter().all(|(_, new)| new != id);
            let copy = |own: &str| name_of_copy(own, if own.contains('_') { "_" } else { "-" }, is_free);
            let new = match (id, &own) {
                (Some(id), _) => Some(self.free(Some(id), "")?),
                (None, Some(own)) => Some(copy(own)),
                (None, None) => called.get(n).map(|own| copy(own.as_str())),
            };
            if let Some(new) = new.as_ref().filter(|new| Some(*new) != own.as_ref()) {
                set(field, Some(new.as_str().into()));
            }
            if one.map.contains_key("depends_on") && !is_copy {
                set("depends_on", None);
            }
            ids.push((own.unwrap_or_default(), new.unwrap_or_default()));
        }
        for (n, (one, _)) in given.iter().enumerate() {
            let Some(to) = one.map.get("on_reject").and_then(Value::as_str) else {
                continue;
            };
            let beside = ids.iter().position(|(old, _)| old == to).map(Who::New);
            let rejected = beside.or_else(|| self.old(&to.into()));
            if rejected.is_none() {
                let path = path(n, "on_reject");
                after.push(Change { path, value: None });
                let who = one.called(key);
                said.push(format!(
                    "the way of a rejection of “{who}” is left out: there is no step `{to}` here"
                ));
            }
            wanted[among + n].rejected = rejected;
        }
        let copied: Vec<Copied> = given.into_iter().map(|(one, _)| one).collect();
        let names: Vec<String> = copied.iter().map(|one| one.called(key).to_owned()).collect();
        let (sheet, lost) = Sheet::with_copied(self.source, (&list, index), &[], copied, &after)?;
        let lost = names.iter().zip(lost);
        said.extend(lost.filter_map(|(called, lost)| Some(format!("“{called}”: {}", lost?))));
        Ok((self.settle(sheet, &wanted, None)?, said))
    }

    fn free(&self, given: Option<&StepId>, title: &str) -> Result<String, TreeError> {
        if let Some(id) = given {
            self.fits(usize::MAX, id.as_str().trim())?;
            return Ok(id.as_str().trim().to_owned());
        }
        let dashes = !self.steps().iter().any(|step| step.id.as_str().contains('_'));
        let joint = if dashes { "-" } else { "_" };
        let stem = crate::slug::name_of_file(title).unwrap_or_else(|| "step".to_owned());
        let stem = match super::step::is_number(&stem) {
            true => format!("step-{stem}"),
            false => stem,
        };
        let stem = stem.replace('-', joint);
        let counted = (2..).map(|n| format!("{stem}{joint}{n}"));
        let mut ids = std::iter::once(stem.clone()).chain(counted);
        Ok(ids.find(|id| self.fits(usize::MAX, id).is_ok()).unwrap_or(stem))
    }

    /// The next number, where steps have numbers.
    fn number(&self, beside: usize) -> Option<u64> {
        self.reading.waits.get(beside)?.number.as_ref()?;
        let numbers = self.reading.waits.iter().filter_map(|one| one.number.as_ref());
        let largest = numbers.filter_map(|number| number.trim().parse::<u64>().ok()).max()?;
        largest.checked_add(1)
    }

    /// The fields of a new step, in the words of the one that it stands behind.
    fn body(&self, new: &NewStep, beside: usize) -> Result<Map<String, Value>, TreeError> {
        let (kind, title) = crate::form::chosen(&form::KINDS, new)?;
        let id = self.free(new.id.as_ref(), title)?;
        let mut map = Map::new();
        match self.number(beside) {
            Some(number) => {
                map.insert("step".to_owned(), number.into());
                map.insert("name".to_owned(), title.into());
            }
            None => {
                map.insert("id".to_owned(), id.as_str().into());
                map.insert("name".to_owned(), title.into());
            }
        }
        let agent = self.steps().get(beside).and_then(|step| step.agents.first());
        map.insert(
            "agent".to_owned(),
            agent.map_or("author", |agent| agent.as_str()).into(),
        );
        if map.contains_key("step") {
            map.insert("task".to_owned(), id.as_str().into());
        }
        map.insert("description".to_owned(), title.into());
        match kind {
            "decision" => drop(map.insert("human_gate".to_owned(), "required".into())),
            "optional" => drop(map.insert("optional".to_owned(), true.into())),
            _ => {}
        }
        let own = |name: &str| !matches!(name, "id" | "step" | "task" | "name" | "depends_on" | "on_reject");
        let given = new.fields.iter().filter(|(name, value)| own(name) && !value.is_null());
        map.extend(given.map(|(name, value)| (name.clone(), value.clone())));
        Ok(map)
    }

    fn copy(&self, step: &Step, id: Option<&StepId>) -> Outcome {
        let n = step.ordinal;
        let (list, index) = self.place(n);
        let copied = self.map(n).and_then(|map| self.source.copied(&list, index, map));
        let copied = copied.ok_or_else(|| EditError::Missing {
            path: self.reading.way(self.reading.at[n]).join("."),
        })?;
        let mut wanted = self.as_it_is();
        for one in &mut wanted {
            if let Some(waits) = one.waits.as_mut().filter(|waits| waits.contains(&Who::Old(n))) {
                waits.push(Who::New(0));
                one.is_asked = self.names(one.who, n);
            }
        }
        let one = Wanted {
            who: Who::New(0),
            ..wanted[n].clone()
        };
        wanted.insert(n + 1, one);
        Ok(self.put(vec![(copied, id.cloned())], Slot::Behind(n), wanted, true)?.0)
    }

    fn connect(&self, from: &Step, to: &Step, way: Option<&Way>) -> Outcome {
        let mut wanted = self.as_it_is();
        match way {
            None | Some(Way::Waits | Way::Next) => {
                if from.ordinal == to.ordinal {
                    return Err(TreeError::unsound("a step cannot wait for itself"));
                }
                if to.depends_on.contains(&from.id) {
                    return Ok(Changed::default());
                }
                let behind = self.reading.workflow.all_dependents(to);
                if behind.iter().any(|other| other.ordinal == from.ordinal) {
                    return Err(TreeError::unsound(format!(
                        "{} waits for {}, so neither could begin",
                        called(&from.id),
                        called(&to.id)
                    )));
                }
                let one = &mut wanted[to.ordinal];
                one.waits.get_or_insert_default().push(Who::Old(from.ordinal));
                one.is_asked = true;
            }
            Some(Way::Rejected) if from.gate.is_some() => {
                if !leads_back(&self.reading.workflow, from, to) {
                    return Err(TreeError::unsound(no_way_back(from, to)));
                }
                let mut sheet = self.sheet();
                sheet.change(&[Change {
                    path: self.keys(from.ordinal, "on_reject"),
                    value: Some(to.id.as_str().into()),
                }])?;
                wanted[from.ordinal].rejected = Some(Who::Old(to.ordinal));
                return self.settle(sheet, &wanted, None);
            }
            Some(Way::Rejected) => {
                let why = format!("nobody is asked at {}; put a gate there first", called(&from.id));
                return Err(TreeError::unsound(why));
            }
            Some(Way::Back { .. }) => {
                return Err(TreeError::unfit(
                    "nothing in an agent workflow leads back; a rejection can",
                ));
            }
            Some(Way::Value { .. }) => {
                return Err(TreeError::unfit(
                    "no step decides by a value which one follows; give a step a condition that says whether it is done",
                ));
            }
            Some(Way::Beside) => {
                return Err(TreeError::unfit(
                    "steps go on beside each other where none waits for the other",
                ));
            }
        }
        self.settle(self.sheet(), &wanted, None)
    }

    fn disconnect(&self, from: &Step, to: &Step, label: Option<&str>) -> Outcome {
        let mut wanted = self.as_it_is();
        let (own, other) = (Who::Old(from.ordinal), Who::Old(to.ordinal));
        if to.depends_on.contains(&from.id) && label != Some("rejected") {
            let waits = wanted[to.ordinal].waits.get_or_insert_default();
            waits.retain(|who| *who != own);
            wanted[to.ordinal].is_asked = true;
            return self.settle(self.sheet(), &wanted, Some((own, other)));
        }
        if wanted[from.ordinal].rejected == Some(other) {
            let mut sheet = self.sheet();
            sheet.change(&[Change {
                path: self.keys(from.ordinal, "on_reject"),
                value: None,
            }])?;
            wanted[from.ordinal].rejected = None;
            return self.settle(sheet, &wanted, None);
        }
        Err(EditError::no_line(&from.id, &to.id).into())
    }

    /// The steps that are left, with what each waits for once one is gone: for what that one waited for.
    fn without(&self, n: usize) -> Vec<Wanted> {
        let mut wanted = self.as_it_is();
        let gone = wanted.remove(n);
        let handed = gone.waits.unwrap_or_default();
        for one in &mut wanted {
            let (waits, who) = (one.waits.get_or_insert_default(), one.who);
            let Some(at) = waits.iter().position(|other| *other == gone.who) else {
                continue;
            };
            let known: HashSet<Who> = waits.iter().copied().chain([who]).collect();
            let fresh = handed.iter().filter(|other| !known.contains(other));
            waits.splice(at..=at, fresh.copied());
        }
        wanted
    }

    fn remove(&self, step: &Step) -> Outcome {
        let n = step.ordinal;
        let group = self.reading.at[n].0;
        let beside = self.reading.at.iter().filter(|(of, _)| *of == group).count();
        if beside < 2 {
            let what = if group.is_some() { "of its group" } else { "there is" };
            let why = format!(
                "{} is the only step {what}; change that in the source",
                called(&step.id)
            );
            return Err(TreeError::unsound(why));
        }
        let mut sheet = self.sheet();
        sheet.change(&[Change {
            path: self.reading.way(self.reading.at[n]),
            value: None,
        }])?;
        self.settle(sheet, &self.without(n), None)
    }

    /// Another place among those of its list. Whoever says nothing of whom they wait for waits for the one that stands before them then.
    fn moved(&self, step: &Step, to: usize) -> Outcome {
        let n = step.ordinal;
        let (Some(target), own) = (self.reading.at.get(to), self.reading.at[n]) else {
            let path = self.reading.way(self.reading.at[n]).join(".");
            return Err(EditError::Missing { path }.into());
        };
        if target.0 != own.0 {
            return Err(TreeError::unfit(
                "that place is in another group; a step is moved among those of its own group",
            ));
        }
        let Source { name, text, tree } = self.source;
        let edit = Edit::Move {
            place: Place::step(n),
            to: target.1,
        };
        let mut sheet = self.sheet();
        sheet.took(tree_edit(name, text, tree, &self.reading.way(own), &edit)?);
        let mut wanted = self.as_it_is();
        for (n, one) in wanted.iter_mut().enumerate() {
            let named = self.reading.waits[n].named.as_ref();
            one.waits = named.map(|ids| ids.iter().filter_map(|id| self.old(id)).collect());
        }
        let one = wanted.remove(n);
        wanted.insert(to, one);
        self.settle(sheet, &wanted, None)
    }

    /// What a change of steps entails besides what it says.
    pub(super) fn flow_entails(&self, edit: &FlowEdit) -> Vec<Consequence> {
        match edit {
            FlowEdit::Add { step, at } if step.text.is_some() => Consequence::of_pasted(self.paste(&[step], at), &[]),
            _ => Vec::new(),
        }
    }

    /// What a change entails besides what it says.
    pub(super) fn entails(&self, edit: &Edit) -> Vec<Consequence> {
        let place = edit.place();
        let step = place.step.and_then(|n| self.steps().get(n));
        let (Edit::Remove { .. }, Some(step), []) = (edit, step, place.path.as_slice()) else {
            return Vec::new();
        };
        Consequence::of_removal(&self.reading.workflow, step)
    }
}

/// What a text is read as, whatever its name says.
fn again(name: &str, text: &str) -> Reading {
    let tree = Tree::read(name, text);
    read(name, text, &tree)
}

/// One text, or one number, as a text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The texts and numbers of a list, or of what stands for one.
fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(text_of).collect(),
        one => text_of(one).into_iter().collect(),
    }
}
