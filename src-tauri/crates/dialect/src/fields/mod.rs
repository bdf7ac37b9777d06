//! What becomes of each field that a format knows: one table for each shape of file ([`tables`]), and the pass over a file that
//! holds it against its table.
//!
//! The rule (CONTRACTS "Nothing is passed over in silence"): what a file says is carried out, or it is refused before the run, or
//! it is named. A field in no table is the author's own: it is kept and named in a note, unless its name looks like a slip.
//!
//! | code | what |
//! |---|---|
//! | GH0108, GH0501 | the run would pass over what the file asks for: it does not start |
//! | GH0502 | kept, and without effect on a run; of the author's own names a note |
//! | GH0503 | not known, and nearly the name of a field that is |
//!
//! * `ask`: when a field asks for something that is not carried out; `beside`: fields of one block of which one would pass over the
//!   other; `elsewhere`: names that ask for it where nothing reads them; `people`: names that say that somebody has to agree.
//!   `flow`, `graph`, `detour`, `bmad`, `agent_workflow`, `other`: the tables; `shared`: what they share. `slip`: misspelt names.

mod agent_workflow;
mod ask;
mod asked;
mod beside;
mod bmad;
mod detour;
mod elsewhere;
mod flow;
mod graph;
mod other;
mod people;
mod shared;
mod slip;

use crate::reading::gate::ASKING;
use crate::reading::{Block, Context};
use crate::said::in_a_row;
use crate::tree::{Kind, Node, NodeId, Style, Tree, is_too_large};
use asked::Asked;
use elsewhere::Spot;
pub(crate) use elsewhere::{asks_for, ends_with_failure, is_control, is_gate, is_no, says_no};
use model::{Diagnostic, Edit, Place, Severity};
pub(crate) use other::is_of_later_runbooks;
pub(crate) use people::is_of_people;
use slip::{Guesses, Likeness};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

/// The shapes of files, each with a table of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Config flows and spec flows.
    Flow,
    /// Lists of flows.
    FlowList,
    /// Graph files.
    Graph,
    /// Pipelines.
    Pipeline,
    /// StepSpec workflows.
    StepSpec,
    /// Files that are one StepSpec.
    OneStepSpec,
    /// The workflow files of BMAD.
    Bmad,
    /// Agent workflows.
    AgentWorkflow,
    /// The front matter of runbooks.
    FrontMatter,
}

/// What becomes of a field.
#[derive(Clone, Copy)]
pub enum Becomes {
    /// The run does what it says.
    CarriedOut,
    /// It is there to be read, by people or by agents, and asks nothing of a run.
    Read,
    /// It belongs to the named field of the same block and shares what becomes of that.
    PartOf(&'static str),
    /// It is kept; a run goes on as if it were not there. The words say what that means.
    Kept(Severity, &'static str),
    /// Where it asks for what is not carried out, the workflow does not start: see [`Refusal`].
    Refused(Refusal),
}

/// When a field keeps a workflow from starting.
#[derive(Clone, Copy)]
pub struct Refusal {
    /// The code of the error.
    pub code: &'static str,
    asks: fn(&Asked<'_>) -> Option<String>,
    help: &'static str,
}

/// Whether something holds of a field and what stands beside it.
type Holds = fn(&Asked<'_>) -> bool;

/// A field of a block.
#[derive(Clone, Copy)]
pub struct Field {
    /// Its name in the file.
    pub name: &'static str,
    /// What becomes of it.
    pub becomes: Becomes,
    inside: Inside,
    /// Whether nothing but a block is read; texts and lists are not.
    only_block: bool,
    /// Where this holds the run does what the field says, whatever becomes of it elsewhere, or a rule of its block names it.
    unless: Option<Holds>,
    /// Where this does not hold, nothing reads what is carried out elsewhere: it is kept, and the words say what that means.
    only: Option<(Holds, &'static str)>,
}

/// What of a field is looked into.
#[derive(Clone, Copy)]
enum Inside {
    Nothing,
    Block(&'static Level),
    Each(&'static Level),
}

/// The fields of one kind of block.
#[derive(Clone, Copy)]
pub struct Level {
    /// The fields that are known here.
    pub fields: &'static [Field],
    /// Whether a name that is nearly a known one is taken for a slip: not where names are the author's own.
    guesses: bool,
    /// Whether one is named: also where names are the author's own, if a run would do less than is meant.
    slips: bool,
    /// What its fields say together that no run can carry out.
    beside: &'static [beside::Rule],
}

impl Field {
    /// The blocks inside of it that have a table of their own, and whether they stand in a list.
    pub fn inside(&self) -> Option<(&'static Level, bool)> {
        match self.inside {
            Inside::Nothing => None,
            Inside::Block(level) => Some((level, false)),
            Inside::Each(level) => Some((level, true)),
        }
    }

    /// What it means where nothing reads it, of a field that is carried out in some blocks of its kind alone.
    pub fn otherwise(&self) -> Option<&'static str> {
        self.only.map(|(_, otherwise)| otherwise)
    }

    const fn new(name: &'static str, becomes: Becomes) -> Self {
        Self {
            name,
            becomes,
            inside: Inside::Nothing,
            only_block: false,
            unless: None,
            only: None,
        }
    }

    const fn unless(mut self, holds: Holds) -> Self {
        self.unless = Some(holds);
        self
    }

    const fn only(mut self, holds: Holds, otherwise: &'static str) -> Self {
        self.only = Some((holds, otherwise));
        self
    }

    const fn block(mut self, level: &'static Level) -> Self {
        self.inside = Inside::Block(level);
        self
    }

    /// A block and nothing else.
    const fn only_block(mut self, level: &'static Level) -> Self {
        self.only_block = true;
        self.block(level)
    }

    const fn each(mut self, level: &'static Level) -> Self {
        self.inside = Inside::Each(level);
        self
    }
}

const fn done(name: &'static str) -> Field {
    Field::new(name, Becomes::CarriedOut)
}

const fn read(name: &'static str) -> Field {
    Field::new(name, Becomes::Read)
}

const fn part(name: &'static str, of: &'static str) -> Field {
    Field::new(name, Becomes::PartOf(of))
}

/// Kept, and hardly missed.
const fn kept(name: &'static str, follows: &'static str) -> Field {
    Field::new(name, Becomes::Kept(Severity::Note, follows))
}

/// Kept, and probably expected to do something.
const fn idle(name: &'static str, follows: &'static str) -> Field {
    Field::new(name, Becomes::Kept(Severity::Warning, follows))
}

const fn refused(name: &'static str, asks: fn(&Asked<'_>) -> Option<String>, help: &'static str) -> Field {
    let code = "GH0501";
    Field::new(name, Becomes::Refused(Refusal { code, asks, help }))
}

const fn level(fields: &'static [Field]) -> Level {
    Level {
        fields,
        guesses: true,
        slips: true,
        beside: &[],
    }
}

impl Level {
    const fn beside(mut self, rules: &'static [beside::Rule]) -> Self {
        self.beside = rules;
        self
    }

    fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// Every shape of file with its table: the fields of its outermost block, and of the blocks in it.
pub fn tables() -> [(Shape, &'static Level); 9] {
    [
        (Shape::Flow, &flow::ROOT),
        (Shape::FlowList, &flow::LIST),
        (Shape::Graph, &graph::ROOT),
        (Shape::Pipeline, &other::PIPELINE),
        (Shape::StepSpec, &other::STEPSPEC),
        (Shape::OneStepSpec, &other::ONE_STEPSPEC),
        (Shape::Bmad, &bmad::ROOT),
        (Shape::AgentWorkflow, &agent_workflow::ROOT),
        (Shape::FrontMatter, &other::FRONT_MATTER),
    ]
}

/// A part of the way from the root of a file to a block.
#[derive(Debug, Clone, Copy)]
enum Segment {
    Key(&'static str),
    Index(usize),
}

/// Holds a file against the table of its shape. `steps`: under which key its steps stand.
pub(crate) fn check(shape: Shape, text: &str, tree: &Tree, steps: &str) -> Vec<Diagnostic> {
    let Some(root) = tree.root else { return Vec::new() };
    let Some((_, level)) = tables().into_iter().find(|(of, _)| *of == shape) else {
        return Vec::new();
    };
    let mut pass = Pass {
        context: Context::new(text, tree),
        shape,
        steps,
        way: Vec::new(),
        kept: Vec::new(),
        own: None,
        guesses: Guesses::default(),
        ids: OnceCell::new(),
        shared: OnceCell::new(),
    };
    pass.block(level, root);
    if shape == Shape::Graph {
        ask::edges_beside(&mut pass.context, root);
    }
    pass.tags();
    pass.numbers();
    pass.finish()
}

/// Whether a name says of itself that it is the author's own.
fn says_so(name: &str) -> bool {
    name.starts_with("x-") || name.starts_with('_')
}

/// Names of the author's own in a file.
struct Own {
    names: BTreeSet<String>,
    first: Place,
}

/// Fields without effect, of one file and with one and the same consequence.
struct Idle {
    severity: Severity,
    follows: &'static str,
    names: Vec<&'static str>,
    first: Place,
    places: usize,
}

struct Pass<'a> {
    context: Context<'a>,
    shape: Shape,
    steps: &'a str,
    way: Vec<Segment>,
    kept: Vec<Idle>,
    own: Option<Own>,
    guesses: Guesses,
    /// What the steps are called by; gathered where somebody asks, which hardly any file has a reason for.
    ids: OnceCell<HashSet<String>>,
    /// What other parts of the file take over.
    shared: OnceCell<HashSet<NodeId>>,
}

impl<'a> Pass<'a> {
    /// The ids of the steps of a file.
    fn ids_of(&self) -> HashSet<String> {
        let tree = self.context.tree;
        let source = self.context.source();
        let entry = |id: NodeId, wanted: &str| {
            let mut entries = tree.entries(id)?.iter();
            let found = entries.find(|(key, _)| tree.key(source, *key) == wanted);
            found.map(|(_, value)| *value)
        };
        let steps = tree.root.and_then(|root| entry(root, self.steps));
        let steps = steps.and_then(|steps| tree.items(steps));
        let ids = steps.unwrap_or(&[]).iter().filter_map(|step| {
            let id = ["id", "node_id", "name"]
                .into_iter()
                .find_map(|key| entry(*step, key))?;
            Some(self.context.text(id)?.trim().to_owned())
        });
        ids.collect()
    }

    fn block(&mut self, level: &'static Level, id: NodeId) {
        if !self.context.is_map(id) {
            return;
        }
        let block = Block::open(&self.context, id, Place::document());
        let tree = self.context.tree;
        let source = self.context.source();
        let entries: Vec<(&'a str, NodeId)> = block
            .entries()
            .map(|(key, value)| (tree.key(source, key), value))
            .collect();
        self.beside(level, id, &entries);
        let known: Vec<Option<&'static Field>> = entries.iter().map(|(name, _)| level.field(name)).collect();
        for ((name, value), field) in entries.iter().zip(&known) {
            let Some(field) = field else {
                let plain = slip::plain(name);
                let free = !level.guesses;
                // `humanGate` is `human_gate` where that is known, else what that is elsewhere.
                let is_said = self.elsewhere(level, (*name, *name), &entries, *value)
                    // The question of a Jenkins stage is no slip.
                    || !free && plain == "input" && self.of_people(level, (*name, plain.as_str()), &entries, *value)
                    || level.slips && self.unknown(level, name, &known, *value)
                    || plain != *name && self.elsewhere(level, (*name, plain.as_str()), &entries, *value)
                    || !free
                        && elsewhere::near(&plain)
                            .is_some_and(|word| self.elsewhere(level, (*name, word), &entries, *value))
                    || !free && self.of_people(level, (*name, plain.as_str()), &entries, *value)
                    || self.unread(level, (*name, true), &entries, *value);
                // An entry of an agent workflow that nobody does is named as a whole.
                let is_words = self.shape == Shape::AgentWorkflow
                    && self.spot() == Spot::Entry
                    && !entries.iter().any(|(name, _)| name.starts_with("agent"));
                if !is_said && !free && !is_words {
                    self.own(name, *value);
                }
                continue;
            };
            self.becomes(field, &entries, *value);
            self.is_block(field, *value);
            self.swallowed(field, *value);
            match field.inside {
                Inside::Nothing => {
                    if ["description", "inputs", "outputs"].contains(name) {
                        self.unread(level, (*name, false), &entries, *value);
                    }
                }
                Inside::Block(level) => {
                    self.way.push(Segment::Key(field.name));
                    self.block(level, *value);
                    self.way.pop();
                }
                Inside::Each(level) => {
                    self.way.push(Segment::Key(field.name));
                    for (n, item) in self.context.items(*value).unwrap_or(&[]).iter().enumerate() {
                        self.way.push(Segment::Index(n));
                        self.block(level, *item);
                        self.way.pop();
                    }
                    self.way.pop();
                }
            }
        }
    }

    /// Keeps in mind that a name is the author's own. Those of BMAD's files are what their text may ask for (`{name}`); what later runbooks
    /// have is refused where they are read; `x-…` says so itself.
    fn own(&mut self, name: &str, value: NodeId) {
        let is_told = match self.shape {
            Shape::Bmad => self.way.is_empty(),
            Shape::FrontMatter => self.way.is_empty() && is_of_later_runbooks(name),
            _ => false,
        };
        if says_so(name) || is_told || self.context.says_nothing(value) || self.is_shared(value) {
            return;
        }
        let place = self.place(name);
        if self.context.is_named(&place) {
            return;
        }
        let own = self.own.get_or_insert_with(|| Own {
            names: BTreeSet::new(),
            first: place,
        });
        own.names.insert(slip::shown(name));
    }

    /// Says of a value that a tag asks to be read in another way than as the text that stands there.
    fn tags(&mut self) {
        const KNOWN: [&str; 9] = ["str", "int", "float", "bool", "null", "map", "seq", "timestamp", ""];
        let tree = self.context.tree;
        for (id, tag) in tree.tags() {
            let node = tree.node(*id);
            let name = tag.rsplit(['!', ':']).next().unwrap_or_default();
            if KNOWN.contains(&name) {
                continue;
            }
            let place = self.place_of(node);
            let said = format!(
                "The tag `!{}` is not carried out: the value is read as the {} that stands there",
                asked::shortened(name),
                match node.kind {
                    Kind::List { .. } => "list",
                    Kind::Map { .. } => "block of fields",
                    Kind::Scalar { .. } | Kind::Alias { .. } => "text",
                }
            );
            let help = "Write the value itself, without the tag";
            self.context.report("GH0104", Severity::Error, place, said, Some(help));
        }
    }

    /// Says of whole numbers that would be others if they were counted with that they are kept as they are written.
    fn numbers(&mut self) {
        let tree = self.context.tree;
        let source = self.context.source();
        for (id, node) in (0..).zip(&tree.nodes) {
            let Kind::Scalar {
                style: Style::Plain, ..
            } = node.kind
            else {
                continue;
            };
            let text = tree.text(source, id).unwrap_or_default();
            if tree.tag(id).is_some() || !is_too_large(text) {
                continue;
            }
            let said = format!(
                "`{}` is larger than any number that is counted with here: it is kept as text, digit for digit",
                asked::shortened(text)
            );
            let place = self.place_of(node);
            let help = Some("Write it in quotation marks, or a smaller number");
            self.context.report("GH0502", Severity::Note, place, said, help);
        }
    }

    /// Where a value stands.
    fn place_of(&self, node: &Node) -> Place {
        match self.shape {
            // What stands in it is counted from its beginning.
            Shape::FrontMatter => Place::document(),
            _ => Place::document().field(format!("@{}", node.span.start)),
        }
    }

    /// Says what the fields of a block say together that no run can carry out.
    fn beside(&mut self, level: &'static Level, id: NodeId, entries: &[(&str, NodeId)]) {
        let asked = Asked {
            context: &self.context,
            beside: entries,
            name: "",
            id,
        };
        let found: Vec<beside::Found> = level.beside.iter().flat_map(|rule| rule(&asked)).collect();
        for one in found {
            let place = self.place_in(&one.path);
            let mut said = Diagnostic::new(one.code, one.severity, place.clone(), one.said).help(one.help);
            if let Some(to) = one.rename {
                let to = to.to_owned();
                said = said.fix(format!("Change to `{to}`"), Edit::Rename { place, to });
            }
            self.context.push(said);
        }
    }

    /// Says where a text or a list stands for a block that alone would be read.
    fn is_block(&mut self, field: &'static Field, value: NodeId) {
        let is_read = !field.only_block || self.context.is_map(value) || self.context.is_null(value);
        // A context of the author's own words is read by people.
        let is_words = field.name == "context" && self.context.text(value).is_some();
        let is_empty = self.context.tree.items(value).is_some_and(<[NodeId]>::is_empty);
        if is_read || is_words || is_empty {
            return;
        }
        let said = format!(
            "`{}` should be a list of fields; nothing of it would be carried out",
            field.name
        );
        let help = format!("Write `{}:` and below it, indented, one field a line", field.name);
        let found = Diagnostic::new("GH0104", Severity::Error, self.place(field.name), said).help(help);
        self.context.push(found);
    }

    /// Names a line of a text that reads as a field which asks for a gate: it was written one level too deep, and is a word of the text.
    fn swallowed(&mut self, field: &'static Field, value: NodeId) {
        // A script may write such a line.
        if field.name == "run" || !matches!(self.context.tree.node(value).kind, Kind::Scalar { .. }) {
            return;
        }
        let Some(text) = self.context.text(value).filter(|text| text.contains('\n')) else {
            return;
        };
        let asks = |line: &&str| {
            let line = line.trim_start().trim_start_matches("- ");
            line.split_once(':')
                .is_some_and(|(name, asked)| elsewhere::is_gate(name.trim(), asked))
        };
        let Some(line) = text.lines().find(asks) else { return };
        let said = format!(
            "`{}` is a line of the text of `{}` here, and no field: nobody is asked because of it",
            asked::shortened(line.trim()),
            field.name
        );
        let help = "If it is meant as a field, write it in the column of the step's other fields";
        self.context
            .report("GH0502", Severity::Warning, self.place(field.name), said, Some(help));
    }

    fn becomes(&mut self, field: &'static Field, entries: &[(&str, NodeId)], value: NodeId) {
        let place = |pass: &Self| pass.place(field.name);
        let asked = Asked {
            context: &self.context,
            beside: entries,
            name: field.name,
            id: value,
        };
        if field.unless.is_some_and(|holds| holds(&asked)) {
            return;
        }
        let becomes = match field.only {
            Some((holds, otherwise)) if !holds(&asked) => Becomes::Kept(Severity::Warning, otherwise),
            _ => field.becomes,
        };
        match becomes {
            Becomes::CarriedOut | Becomes::Read | Becomes::PartOf(_) => {}
            Becomes::Kept(severity, follows) => {
                if self.context.says_nothing(value) || self.is_shared(value) {
                    return;
                }
                match self.kept.iter_mut().find(|idle| idle.follows == follows) {
                    Some(idle) => {
                        idle.places += 1;
                        if !idle.names.contains(&field.name) {
                            idle.names.push(field.name);
                        }
                    }
                    None => {
                        let first = place(self);
                        self.kept.push(Idle {
                            severity,
                            follows,
                            names: vec![field.name],
                            first,
                            places: 1,
                        });
                    }
                }
            }
            Becomes::Refused(refusal) => {
                let says = match field.name {
                    "kind" => true,
                    // A condition that says no is one that never holds.
                    "condition" | "when" => elsewhere::may_not_hold(&self.context, value),
                    _ => !self.context.says_nothing(value),
                };
                if !says {
                    return;
                }
                let Some(said) = (refusal.asks)(&asked) else { return };
                let place = place(self);
                let found = Diagnostic::new(refusal.code, Severity::Error, place.clone(), said).help(refusal.help);
                let found = match ask::right_word(&asked) {
                    Some(word) => ask::with_word(found, place, word),
                    None => found,
                };
                self.context.push(found);
            }
        }
    }

    /// Whether a part of the outermost block is there to be taken over by others (`*name`, `<<: *name`).
    fn is_shared(&self, value: NodeId) -> bool {
        let targets = || {
            let nodes = self.context.tree.nodes.iter();
            let taken = nodes.filter_map(|node| match node.kind {
                Kind::Alias { target } => Some(target),
                _ => None,
            });
            taken.collect()
        };
        self.way.is_empty() && self.shared.get_or_init(targets).contains(&value)
    }

    /// Whether a name that this block does not have asks for something that it would have elsewhere. `word`: the name in small
    /// letters, with `_` between its words.
    fn elsewhere(
        &mut self,
        level: &'static Level,
        (name, word): (&str, &str),
        entries: &[(&str, NodeId)],
        value: NodeId,
    ) -> bool {
        let spot = self.spot();
        if !elsewhere::is_meant(self.shape, word, spot, !level.guesses) || self.is_shared(value) {
            return false;
        }
        let asked = Asked {
            context: &self.context,
            beside: entries,
            name: "",
            id: value,
        };
        let is_step = |text: &str| self.ids.get_or_init(|| self.ids_of()).contains(text);
        if let Some(said) = elsewhere::asks(self.shape, spot, &asked, (name, word), &is_step) {
            let is_agreement = said.severity == Severity::Error && elsewhere::is_agreement(word, spot);
            let wanted = is_agreement.then(|| people::of_field(&self.context, word, value));
            match wanted {
                Some(Some(wanted)) => {
                    self.nobody_is_asked(level, &[name.to_owned()], entries, &wanted);
                }
                // Each of those whom it names is nobody.
                Some(None) if self.context.tree.items(value).is_some() => {
                    if level.guesses {
                        self.own(name, value);
                    }
                }
                _ => {
                    let found =
                        Diagnostic::new(said.code, said.severity, self.place(name), said.message).help(said.help);
                    self.context.push(found);
                }
            }
            return true;
        }
        // Of these what stands behind them decides whether they are more than the author's own.
        let is_remark = self.shape == Shape::FrontMatter && elsewhere::is_remark(&asked);
        let text = asked.text().unwrap_or_default();
        let is_known = !elsewhere::is_common(word) && !is_remark && !elsewhere::joins(word, &text);
        let is_of_program = elsewhere::is_agreement(word, spot) && elsewhere::is_program(&text.trim().to_lowercase());
        // It asks nobody, and nothing is carried out because of it.
        if is_known && is_of_program && level.guesses {
            self.own(name, value);
        }
        is_known
    }

    /// Whether a name of the author's own says that somebody has to agree, and no gate beside it says so already. `plain`: the name in
    /// small letters, with `_` between its words.
    fn of_people(
        &mut self,
        level: &'static Level,
        (name, plain): (&str, &str),
        entries: &[(&str, NodeId)],
        value: NodeId,
    ) -> bool {
        // The names at the root of BMAD's files are what their text may ask for.
        let is_told = self.shape == Shape::Bmad && self.way.is_empty();
        if says_so(name) || is_told || self.is_shared(value) {
            return false;
        }
        people::wanted(&self.context, self.spot(), plain, value)
            .is_some_and(|wanted| self.nobody_is_asked(level, &[name.to_owned()], entries, &wanted))
    }

    /// Whether a block that nobody reads asks for what is not carried out there, by a name that nobody writes by chance
    /// (`inputs: {human_gate: required}`); where it is one of the author's own on a step (`is_own`), by any that says that somebody has to
    /// agree (`environment: {reviewers: [ada]}`), unless a gate beside it says so.
    fn unread(
        &mut self,
        level: &'static Level,
        (name, is_own): (&str, bool),
        entries: &[(&str, NodeId)],
        value: NodeId,
    ) -> bool {
        /// What tells of a step, and of people with it.
        const ABOUT: [&str; 9] = [
            "annotations",
            "contact",
            "contacts",
            "docs",
            "labels",
            "meta",
            "metadata",
            "notes",
            "tags",
        ];
        // The front matter has a rule of its own.
        let is_told = self.shape == Shape::Bmad && self.way.is_empty() || self.shape == Shape::FrontMatter;
        if is_told || says_so(name) || self.is_shared(value) {
            return false;
        }
        let says_who = is_own && self.spot() == Spot::Entry && !ABOUT.contains(&name);
        let tree = self.context.tree;
        let source = self.context.source();
        let mut blocks: Vec<(Option<usize>, NodeId)> = match tree.items(value) {
            Some(items) => (0..)
                .map(Some)
                .zip(items.iter().copied())
                .take(elsewhere::MOST_NAMES)
                .collect(),
            None => vec![(None, value)],
        };
        blocks.retain(|(_, id)| self.context.is_map(*id));
        let mut is_said = false;
        for (n, id) in blocks {
            let block = Block::open(&self.context, id, Place::document());
            let fields: Vec<(&'a str, NodeId)> = block
                .entries()
                .map(|(key, value)| (tree.key(source, key), value))
                .collect();
            for (inner, value) in fields {
                let unmistakable = elsewhere::in_own_block(self.shape, inner);
                if !says_who && unmistakable.is_none() {
                    continue;
                }
                let index = n.map(|n| n.to_string());
                let path: Vec<String> = [name.to_owned()]
                    .into_iter()
                    .chain(index)
                    .chain([inner.to_owned()])
                    .collect();
                let wanted = people::wanted(&self.context, Spot::Inner, &slip::plain(inner), value);
                is_said |= match (wanted, unmistakable) {
                    (Some(wanted), _) => self.nobody_is_asked(level, &path, entries, &wanted),
                    (None, Some((said, help))) if asks_for(&self.context, inner, value) => {
                        let found = Diagnostic::new("GH0501", Severity::Error, self.place_in(&path), said).help(help);
                        self.context.push(found);
                        true
                    }
                    _ => false,
                };
            }
        }
        is_said
    }

    /// Says of a name that somebody has to agree that nobody would be asked; whether it did: not where a gate beside it says the same. `path`:
    /// the name, or the way to it from the block that `entries` are of.
    fn nobody_is_asked(
        &mut self,
        level: &'static Level,
        path: &[String],
        entries: &[(&str, NodeId)],
        wanted: &people::Wanted,
    ) -> bool {
        // What this block does not read makes nothing good.
        let is_read = |name: &str| level.field(name).is_some();
        let read: Vec<(&str, NodeId)> = entries.iter().copied().filter(|(name, _)| is_read(name)).collect();
        if people::is_said(&self.context, &read, wanted) {
            return false;
        }
        let name = path.last().map_or("", String::as_str);
        let (said, help) = people::said(self.shape, name, wanted);
        let found = Diagnostic::new("GH0501", Severity::Error, self.place_in(path), said).help(help);
        self.context.push(found);
        true
    }

    /// Where the block that is looked at stands.
    fn spot(&self) -> Spot {
        match self.way.as_slice() {
            [] if self.shape == Shape::OneStepSpec => Spot::Entry,
            [] | [Segment::Key("workflow")] => Spot::Root,
            [Segment::Key("context" | "questions" | "run_inputs"), ..] => Spot::Free,
            [.., Segment::Key("condition")] | [.., Segment::Key("triggers"), Segment::Index(_)] => Spot::Condition,
            [.., Segment::Index(_)] => Spot::Entry,
            [.., Segment::Key("when")] => Spot::Condition,
            [.., Segment::Key(_)] => Spot::Inner,
        }
    }

    /// Whether a name that no table has is nearly one that this block knows.
    fn unknown(&mut self, level: &'static Level, name: &str, there: &[Option<&'static Field>], value: NodeId) -> bool {
        let says = |known: &str| asks_for(&self.context, known, value);
        let (known, asks) = match self.guesses.meant(level, name, there) {
            Some(known) => (known, says(known)),
            None => match self.within(level, name, value) {
                Some((known, asks)) => (known, asks && asks_for(&self.context, known, value)),
                None => return false,
            },
        };
        let is_there = there.iter().flatten().any(|field| field.name == known);
        let place = self.place(name);
        self.context.push(slip::found(place, name, known, asks, is_there));
        true
    }

    /// The known field that a longer name was probably meant to be, and whether its value is one that only that field would have.
    fn within(&mut self, level: &'static Level, name: &str, value: NodeId) -> Option<(&'static str, bool)> {
        let (field, likeness) = slip::within(level, name)?;
        let fits = match field.inside {
            Inside::Block(inner) => self.fits(inner, value),
            Inside::Each(inner) => {
                let items = self.context.tree.items(value).unwrap_or(&[]);
                !items.is_empty() && items.iter().all(|item| self.fits(inner, *item))
            }
            Inside::Nothing => self.takes(field.name, value),
        };
        let is_meant = fits && (likeness == Likeness::Close || !matches!(field.inside, Inside::Nothing));
        (is_meant || likeness == Likeness::Close).then_some((field.name, is_meant))
    }

    /// Whether a value is one that a field of control takes: a word of gates, the id of a step, a number. Other values are a person's
    /// notes as often as not.
    fn takes(&self, name: &str, value: NodeId) -> bool {
        let is_step = |id: NodeId| {
            let ids = || self.ids.get_or_init(|| self.ids_of());
            self.context.text(id).is_some_and(|text| ids().contains(text.trim()))
        };
        match name {
            "human_gate" | "gate" => {
                let word = self.context.text(value).map(|text| text.trim().to_lowercase());
                word.is_some_and(|word| ASKING.contains(&word.as_str()) || matches!(word.as_str(), "true" | "yes"))
            }
            "max_iterations" => self
                .context
                .text(value)
                .is_some_and(|text| text.trim().parse::<u32>().is_ok()),
            "next" | "on_reject" | "loop_target" | "fork_point" | "join_point" => is_step(value),
            "depends_on" | "fork_targets" => {
                let items = self.context.tree.items(value).unwrap_or(&[]);
                is_step(value) || !items.is_empty() && items.iter().all(|item| is_step(*item))
            }
            _ => false,
        }
    }

    /// Whether a block has fields, and all of them are known to a table.
    fn fits(&self, level: &'static Level, id: NodeId) -> bool {
        if !self.context.is_map(id) {
            return false;
        }
        let block = Block::open(&self.context, id, Place::document());
        let source = self.context.source();
        let mut names = block
            .entries()
            .map(|(key, _)| self.context.tree.key(source, key))
            .peekable();
        names.peek().is_some() && names.all(|name| level.field(name).is_some())
    }

    /// A field of the block that is looked at.
    fn place(&self, name: &str) -> Place {
        self.place_in(&[name.to_owned()])
    }

    /// The keys from the block that is looked at, as a place.
    fn place_in(&self, path: &[String]) -> Place {
        let word = |segment: &Segment| match segment {
            Segment::Key(key) => (*key).to_owned(),
            Segment::Index(n) => n.to_string(),
        };
        let whole: Vec<String> = self.way.iter().map(word).chain(path.iter().cloned()).collect();
        match whole.as_slice() {
            [list, n, rest @ ..] if list == self.steps => match n.parse() {
                Ok(n) => Place::step(n).path(rest.iter().cloned()),
                Err(_) => Place::document().path(whole),
            },
            _ => Place::document().path(whole),
        }
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        for idle in std::mem::take(&mut self.kept) {
            let found = idle.found();
            self.context.push(found);
        }
        if let Some(own) = self.own.take() {
            self.context.push(own.found());
        }
        self.context.finish()
    }
}

impl Own {
    /// More of them are counted, not named.
    const MOST: usize = 12;

    fn found(self) -> Diagnostic {
        let mut names: Vec<String> = self
            .names
            .iter()
            .take(Self::MOST)
            .map(|name| format!("`{name}`"))
            .collect();
        match self.names.len() - names.len() {
            0 => {}
            more => names.push(format!("{more} more")),
        }
        let said = match names.len() {
            1 => format!(
                "{} is a name of your own: it is kept, and a run goes on as if it were not there",
                in_a_row(&names).unwrap_or_default()
            ),
            _ => format!(
                "{} are names of your own: they are kept, and a run goes on as if they were not there",
                in_a_row(&names).unwrap_or_default()
            ),
        };
        let help = "What is to ask somebody, or to change what is done, needs a name that this format knows. A name that begins with `x-` is not mentioned";
        Diagnostic::new("GH0502", Severity::Note, self.first, said).help(help)
    }
}

impl Idle {
    fn found(self) -> Diagnostic {
        let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
        let list = in_a_row(&names).unwrap_or_default();
        let is = if names.len() == 1 { "is" } else { "are" };
        let often = match self.places - names.len() {
            0 => String::new(),
            _ => format!(" ({} places)", self.places),
        };
        let said = format!("{list} {is} kept, not carried out: {}{often}", self.follows);
        let help = "Nothing is lost: the file keeps it, and a run goes on as if it were not there";
        Diagnostic::new("GH0502", self.severity, self.first, said).help(help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Dialect as _, File};
    use crate::reading::ASKED;
    use std::collections::BTreeSet;

    fn names(level: &'static Level, out: &mut BTreeSet<&'static str>) {
        for field in level.fields {
            out.insert(field.name);
            if let Some((inner, _)) = field.inside() {
                names(inner, out);
            }
        }
    }

    /// What a reader asks for is known: otherwise a field would have an effect and be taken for a slip, or nobody would have decided
    /// what becomes of it.
    #[test]
    fn every_field_that_a_reader_asks_for_stands_in_its_table() {
        let flow = "key: k\nsteps:\n  - {id: a, routing: {kind: microloop, loop_target: a}}\n  - {id: b, routing: {kind: branch, branches: {x: a}}}\n  - {id: c, routing: {kind: branch, when: [{next: a, condition: {field: f}}]}}\n  - {id: d, retries: {max: 1}, teaching_notes: {inputs: [a]}}\n  - {id: e, routing: {kind: odd}}\n";
        let list = "title: t\nin_order: true\nflows: [{key: a, title: t, file: f.yaml, index: 1}]\n";
        let graph = "id: k\nnodes: [{node_id: a, params: {objective: o}, overrides: {station_id: s}, ui: {label: l}}]\nedges: [{from: a, to: a, condition: {field: f}, fork_config: {targets: [a]}}]\n";
        let pipeline = "name: p\nerror_handling: retry\nstages:\n  - {name: a, retries: {max: 1}, depends_on: [b]}\n  - {name: b, agents: [x], agent: y, human_gate: required}\n";
        let stepspec = "format: stepspec\nquestions: [{name: q}]\nsteps:\n  - {id: a, name: A, inputs: {}, tools: [{name: t, risk: low}], retries: {max: 1}, human_gate: required, evidence: L1}\n";
        let one = "format: stepspec\nid: a\nname: A\nphase: p\ninputs: {}\noutputs: [o]\ntools: [{name: t, risk: low}]\nvalidation: none\nretries: {max: 1}\nhuman_gate: required\nevidence: L1\nagent: x\n";
        let bmad = "name: k\ninstructions: i.md\nvariables: {a: b}\n--- # instructions: i.md\n<step n=\"1\"><template-output/></step>\n";
        let agents = "workflow: {id: k}\nparallel_groups:\n  - {group_id: g, synchronization: {type: barrier}, agents: [{agent: a, execution: {timeout: 5m}, retries: {max: 1}}]}\nexecution_strategy: {parallel_execution: {enabled: true}, error_recovery: {max_retries: 1}}\n";
        for (shape, text) in [
            (Shape::Flow, flow),
            (Shape::FlowList, list),
            (Shape::Graph, graph),
            (Shape::Pipeline, pipeline),
            (Shape::StepSpec, stepspec),
            (Shape::OneStepSpec, one),
            (Shape::Bmad, bmad),
            (Shape::AgentWorkflow, agents),
        ] {
            ASKED.with_borrow_mut(BTreeSet::clear);
            let tree = Tree::read("k.yaml", text);
            assert!(tree.broken().is_none(), "{text}");
            match shape {
                Shape::Flow | Shape::FlowList | Shape::Graph => drop(crate::stepwise::read("k.yaml", text, &tree)),
                Shape::Pipeline => drop(crate::pipeline::read("k.yaml", text, &tree)),
                Shape::StepSpec | Shape::OneStepSpec => drop(crate::stepspec::read("k.yaml", text, &tree)),
                Shape::Bmad => drop(crate::bmad::Bmad.read(File::of("k.yaml", text))),
                Shape::AgentWorkflow => {
                    drop(crate::agent_workflow::AgentWorkflow.read(File::of("k.yaml", text)));
                }
                Shape::FrontMatter => unreachable!("front matter is not read by fields"),
            }
            let mut known = BTreeSet::new();
            let (_, root) = tables().into_iter().find(|(of, _)| *of == shape).expect("a table");
            names(root, &mut known);
            let unknown: Vec<String> = ASKED.with_borrow(|asked| {
                let of_others = |name: &&String| !known.contains(name.as_str()) && !OF_OTHERS.contains(&name.as_str());
                asked.iter().filter(of_others).cloned().collect()
            });
            assert_eq!(unknown, Vec::<String>::new(), "{shape:?}");
        }
    }

    /// Asked for to tell the shapes apart, and what stands in free blocks.
    const OF_OTHERS: [&str; 4] = ["nodes", "steps", "targets", "label"];
}
