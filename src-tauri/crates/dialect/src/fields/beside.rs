//! Fields of one block of which one would pass over the other: two that say who works, a gate beside steps that have their own, a
//! condition of nothing. Where a gate, an agent, a join or a condition would be lost the workflow does not start; the rest is named.

use super::asked::{self, Asked, shortened};
use super::{Shape, elsewhere, slip};
use crate::reading::gate::is_logic;
use crate::reading::{Block, Context};
use crate::tree::{Kind, NodeId};
use model::{Place, Severity};
use std::collections::BTreeSet;

/// What is found at a field of the block that a rule looks at.
pub(super) struct Found {
    /// Keys from that block.
    pub(super) path: Vec<String>,
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) said: String,
    pub(super) help: &'static str,
    /// The name that was meant.
    pub(super) rename: Option<&'static str>,
}

/// What the fields of a block say together.
pub(super) type Rule = fn(&Asked<'_>) -> Vec<Found>;

fn refused(name: &str, said: String, help: &'static str) -> Found {
    Found {
        path: vec![name.to_owned()],
        code: "GH0501",
        severity: Severity::Error,
        said,
        help,
        rename: None,
    }
}

fn idle(name: &str, said: String, help: &'static str) -> Found {
    Found {
        code: "GH0502",
        severity: Severity::Warning,
        ..refused(name, said, help)
    }
}

impl Found {
    fn at(mut self, path: &[&str]) -> Self {
        self.path = path.iter().map(|key| (*key).to_owned()).collect();
        self
    }
}

/// A field that is there and asks for something.
fn asking(asked: &Asked<'_>, name: &str) -> Option<NodeId> {
    asked
        .beside(name)
        .filter(|id| elsewhere::asks_for(asked.context, name, *id))
}

/// The field of a block, as text.
fn text(asked: &Asked<'_>, name: &str) -> Option<String> {
    asked.beside(name).and_then(|id| asked.context.text(id))
}

/// A field of the block in whatever form its name is written (`fail-fast`, `failFast`), with that name.
fn spelled<'a>(asked: &Asked<'a>, name: &str) -> Option<(&'a str, NodeId)> {
    let is_other = |key: &str| key.contains(|c: char| matches!(c, '-' | ' ') || c.is_uppercase());
    let is_it = |key: &str| key == name || is_other(key) && slip::plain(key) == name;
    let found = asked.beside.iter().rev().find(|(key, _)| is_it(key))?;
    (!asked.context.is_null(found.1)).then_some(*found)
}

/// The texts of a field: of a list each, of anything else the one. A list that many blocks share is not looked through without end.
fn texts<'a>(asked: &'a Asked<'_>, name: &str) -> impl Iterator<Item = String> + 'a {
    const MOST: usize = 200;
    let id = asked.beside(name);
    let items = id.and_then(|id| asked.tree().items(id));
    let alone = id.filter(|_| items.is_none());
    let each = items.unwrap_or(&[]).iter().copied().take(MOST).chain(alone);
    let texts = each.filter_map(|id| asked.context.text(id));
    texts.filter(|text| !text.is_empty())
}

fn is_block(asked: &Asked<'_>, name: &str) -> bool {
    asked.beside(name).is_some_and(|id| asked.context.is_map(id))
}

fn inner(context: &Context<'_>, id: NodeId, key: &str) -> Option<NodeId> {
    let found = Block::open(context, id, Place::document()).peek(context, key)?;
    (!context.is_null(found)).then_some(found)
}

const WHO: [&str; 6] = ["agents", "agent", "station", "to_station", "station_id", "template_id"];
const OTHERS: [&str; 3] = ["flow", "flow_id", "workflow"];
const ONE_THING: &str = "This workflow does not start. Keep one of them: write what is to be done besides as one of the detour's `steps`, or as another detour";
const TO_STEPS: &str =
    "This workflow does not start. Write it on those of the detour's `steps` that it is meant for, or remove it";
const TO_STEPS_OR_NOT: &str = "Write it on those of the detour's `steps` that it is meant for, or remove it";

/// A detour does its steps, or another workflow, or what its agents do.
pub(super) fn of_detour(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let steps = asked.beside("steps").and_then(|id| asked.tree().items(id));
    if steps.is_some_and(|steps| !steps.is_empty()) {
        for name in WHO
            .into_iter()
            .chain(OTHERS)
            .filter(|name| asking(asked, name).is_some())
        {
            let said = format!("`{name}` stands beside the `steps` of this detour, which alone would be done");
            found.push(refused(name, said, ONE_THING));
        }
        if asking(asked, "human_gate").is_some() {
            let said = "`human_gate` stands beside the `steps` of this detour: nobody would be asked because of it";
            found.push(refused("human_gate", said.to_owned(), TO_STEPS));
        }
        for name in ["retries", "timeout_seconds"]
            .into_iter()
            .filter(|name| asking(asked, name).is_some())
        {
            let said = format!("`{name}` stands beside the `steps` of this detour: none of them would take it over");
            let help = match name {
                "retries" => TO_STEPS,
                _ => {
                    "This workflow does not start. Write `max_duration_seconds` for all of the detour together, or `timeout_seconds` on each of its `steps`"
                }
            };
            found.push(refused(name, said, help));
        }
        let rest = [
            "role",
            "objective",
            "objective_template",
            "inputs",
            "outputs",
            "terminal",
            "parallel",
            "gate_at",
            "gate_question",
            "gate_asks",
            "on_reject",
        ];
        for name in rest.into_iter().filter(|name| asking(asked, name).is_some()) {
            let said = format!("`{name}` has no effect beside the `steps` of this detour: none of them takes it over");
            found.push(idle(name, said, TO_STEPS_OR_NOT));
        }
        return found;
    }
    let named: Vec<&str> = OTHERS
        .into_iter()
        .filter(|name| asking(asked, name).is_some())
        .collect();
    if let [first, others @ ..] = named.as_slice() {
        for name in others.iter().filter(|name| text(asked, name) != text(asked, first)) {
            let said = format!("`{name}` and `{first}` of this detour name two workflows, and one alone would be run");
            found.push(refused(name, said, ONE_THING));
        }
        for name in WHO.into_iter().filter(|name| asking(asked, name).is_some()) {
            let said =
                format!("`{name}` stands beside `{first}`: either the agent works or that workflow is run, not both");
            found.push(refused(name, said, ONE_THING));
        }
        return found;
    }
    found.extend(of_stations(asked, ONE_THING));
    found
}

/// A station that is named beside agents who are not it never works.
fn of_stations(asked: &Asked<'_>, help: &'static str) -> Vec<Found> {
    let mut workers: BTreeSet<String> = ["agents", "agent", "station"]
        .into_iter()
        .flat_map(|name| texts(asked, name))
        .collect();
    let mut found = Vec::new();
    for name in ["to_station", "station_id"] {
        let Some(station) = text(asked, name).filter(|station| !station.is_empty()) else {
            continue;
        };
        if workers.is_empty() {
            workers.insert(station);
        } else if !workers.contains(&station) {
            let said = format!("`{name}` stands beside another one who works here: `{station}` never would");
            found.push(refused(name, said, help));
        }
    }
    found
}

const IN_AGENTS: &str = "This workflow does not start. List all who work at it in `agents`, or keep one of the two";

/// The same of a step of a detour.
pub(super) fn of_detour_step(asked: &Asked<'_>) -> Vec<Found> {
    of_stations(asked, IN_AGENTS)
}

/// How often a detour is taken.
pub(super) fn uses_of_detour(asked: &Asked<'_>) -> Vec<Found> {
    let number = |name: &str| asked.beside(name).map(|id| asked.context.scalar(id));
    let mut found = Vec::new();
    let is_once = asked
        .beside("one_shot")
        .is_some_and(|id| asked.context.scalar(id) == true);
    for name in ["max_uses", "max_uses_per_run"] {
        if is_once && number(name).is_some_and(|most| most != 1) {
            let said = format!("`{name}` has no effect beside `one_shot`: the detour is taken once");
            found.push(idle(name, said, "Keep one of the two"));
        }
    }
    if let (Some(first), Some(second)) = (number("max_uses"), number("max_uses_per_run"))
        && first != second
        && !is_once
    {
        let said = "`max_uses_per_run` has no effect beside `max_uses`, which says another number";
        found.push(idle("max_uses_per_run", said.to_owned(), "Keep one of the two"));
    }
    found
}

/// What a trigger of a kind reads.
pub(super) fn of_trigger(asked: &Asked<'_>) -> Vec<Found> {
    let kind = text(asked, "condition_type").or_else(|| text(asked, "type"));
    let kind = kind.unwrap_or_else(|| match asked.beside("pattern") {
        Some(_) => "path_pattern".to_owned(),
        None => "field_check".to_owned(),
    });
    let strange: &[&str] = match kind.as_str() {
        "field_check" => &["pattern"],
        "path_pattern" => &["field", "operator", "value", "expression"],
        "stall" => &["pattern", "expression"],
        "iteration_count" => &["pattern", "expression"],
        _ => &[],
    };
    let mut found: Vec<Found> = Vec::new();
    for name in strange.iter().filter(|name| asking(asked, name).is_some()) {
        let said = format!(
            "`{name}` is not asked by a trigger of the kind `{kind}`: the detour would be taken whether it holds or not"
        );
        found.push(refused(name, said, TRIGGER_HELP));
    }
    let counted: &[&str] = match kind.as_str() {
        "stall" => &["stall_count", "stalled", "is_stalled", "stall"],
        "iteration_count" => &["iteration_count", "iterations", "visits"],
        _ => return found,
    };
    if let Some(field) = text(asked, "field").filter(|field| !counted.contains(&field.as_str())) {
        let said = format!("A trigger of the kind `{kind}` asks for no field: `{field}` would be passed over");
        found.push(refused("field", said, TRIGGER_HELP));
    }
    found
}

const TRIGGER_HELP: &str = "This workflow does not start. Make a trigger of its own of it, and write `trigger_mode: all` where both have to hold";

/// Whom a node names itself comes before the station that it asks for, which then never works.
pub(super) fn of_node(asked: &Asked<'_>) -> Vec<Found> {
    let workers: BTreeSet<String> = ["agents", "agent", "station"]
        .into_iter()
        .flat_map(|name| texts(asked, name))
        .collect();
    let overrides = asked.beside("overrides").filter(|id| asked.context.is_map(*id));
    let station = overrides.and_then(|id| inner(asked.context, id, "station_id"));
    let station = station
        .and_then(|id| asked.context.text(id))
        .filter(|station| !station.is_empty());
    let mut found = Vec::new();
    if let Some(station) = station.filter(|station| !workers.is_empty() && !workers.contains(station)) {
        let said = format!("`station_id` stands beside another one who works at this node: `{station}` never would");
        found.push(refused("station_id", said, IN_AGENTS).at(&["overrides", "station_id"]));
    }
    for name in ["type", "kind"] {
        let said = text(asked, name).and_then(|kind| super::ask::unknown_node(&kind));
        found.extend(said.map(|said| idle(name, said, KIND_HELP)));
    }
    found
}

const KIND_HELP: &str = "A person is asked by `human_gate: required`; what comes after a node say its edges. Nothing is lost: the file keeps the word";

/// A stage of a pipeline is done by its agents, or by a script or workflows.
pub(super) fn of_stage(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = works_twice(
        asked,
        &["run", "workflow", "workflows"],
        "Make two stages of it, one that waits for the other",
    );
    found.iter_mut().for_each(|one| one.code = "GH0308");
    found.extend(of_gate(asked));
    found.extend(of_script(asked));
    found.extend(of_no_script(asked));
    found.extend(of_stage_end(asked));
    found
}

/// What says of a stage that its failure ends the pipeline, where the rest goes on.
fn of_stage_end(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = ends(asked);
    // Of one stage it says that what waits for it does not begin, as it is there.
    found.retain(|one| {
        !one.path
            .iter()
            .any(|name| slip::plain(name).starts_with("continue_on_"))
    });
    let (tree, source) = (asked.tree(), asked.context.source());
    let goes_on = || {
        let word = tree.get(source, tree.root?, "error_handling")?;
        Some(asked.context.text(word)?.trim() == GOES_ON)
    };
    match !found.is_empty() && goes_on() == Some(true) {
        true => found,
        false => Vec::new(),
    }
}

/// The fields of a block that say that a failure ends everything, as they are refused in a pipeline that goes on.
fn ends(asked: &Asked<'_>) -> Vec<Found> {
    let says = |(name, id): &&(&str, NodeId)| {
        let text = asked.context.text(*id).unwrap_or_default();
        // That of a stage has no effect, whatever it says.
        slip::plain(name) != "error_handling" && elsewhere::ends_with_failure(name, &text)
    };
    let found = asked.beside.iter().filter(says).map(|(name, _)| {
        let said = format!(
            "`{name}` is not carried out here: with `error_handling: {GOES_ON}` stages that do not wait for the failed one go on"
        );
        refused(name, said, "This workflow does not start. Write `error_handling: halt`, or remove it")
    });
    found.collect()
}

/// The word of a pipeline that goes on after a failure.
const GOES_ON: &str = "skip_dependents";

/// Two words for one gate that differ.
fn of_gate(asked: &Asked<'_>) -> Option<Found> {
    // A block says when, what and whom; `human_gate` beside it says how strongly.
    if is_block(asked, "gate") {
        return None;
    }
    if let Some(word) = text(asked, "gate").filter(|word| is_logic(word)) {
        let said = format!("`gate: {word}` is a gate of logic, at which nobody is asked: it is kept, not carried out");
        let help = "What comes before is waited for as the format has it, all of it. Write `human_gate: required` where a person is to be asked";
        return Some(idle("gate", said, help));
    }
    let word = |name: &str| match text(asked, name).unwrap_or_default().trim().to_lowercase().as_str() {
        "true" | "yes" => "required".to_owned(),
        "false" | "no" | "" => "none".to_owned(),
        word => word.to_owned(),
    };
    let are_two = asking(asked, "gate").is_some()
        && asked.beside.iter().any(|(name, _)| *name == "human_gate")
        && word("gate") != word("human_gate");
    let said = "`gate` stands beside `human_gate`, which alone says whether a person is asked";
    let help = "This workflow does not start. Keep one of the two";
    are_two.then(|| refused("gate", said.to_owned(), help))
}

/// A step of StepSpec is done by its agents, or by a script.
pub(super) fn of_spec(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = works_twice(asked, &["run"], "Make two steps of it, one after the other");
    found.extend(of_gate(asked));
    if asking(asked, "validation_targets").is_some() {
        let said = "`validation_targets` stands beside `inputs`, where nothing reads it: other files would be checked, or none";
        let help = "This workflow does not start. Write it under `inputs`";
        found.push(refused("validation_targets", said.to_owned(), help));
    }
    let settings = asked.beside.iter().map(|(name, _)| *name);
    for name in settings.filter(|name| name.starts_with("telis_") && asking(asked, name).is_some()) {
        let said =
            format!("`{name}` stands beside `inputs`, where nothing reads it: nothing is looked up because of it");
        found.push(idle(name, said, "Write it under `inputs`"));
    }
    found.extend(of_script(asked));
    found.extend(of_no_script(asked));
    found
}

/// Of a field that a rule of its block names wherever it asks for something.
pub(super) fn is_named_by_rule(_: &Asked<'_>) -> bool {
    true
}

/// Another word for what a tool is called with: that is meant.
pub(super) fn of_call(asked: &Asked<'_>) -> Vec<Found> {
    const WORDS: [&str; 4] = ["arguments", "arg", "params", "parameters"];
    let has_args = asked.beside.iter().any(|(name, _)| *name == "args");
    let there: Vec<&str> = WORDS.into_iter().filter(|name| asking(asked, name).is_some()).collect();
    let found = there.iter().map(|name| {
        let said = format!("`{name}` has no effect: what a tool is called with stands in `args`");
        let one = idle(name, said, "Write it in `args`");
        // Of two of them both would have the name.
        let rename = (there.len() == 1 && !has_args).then_some("args");
        Found { rename, ..one }
    });
    found.collect()
}

/// A script that no shell can be given.
fn of_script(asked: &Asked<'_>) -> Option<Found> {
    let said = "`run` holds a character (NUL) that no program can be given: it would fail";
    let help = "Remove the character, which stands as `\\0` or `\\x00` between double quotes";
    let holds = text(asked, "run").is_some_and(|script| script.contains('\0'));
    holds.then(|| refused("run", said.to_owned(), help))
}

/// A script that is none, where nothing else is to be done.
fn of_no_script(asked: &Asked<'_>) -> Option<Found> {
    let others = ["agents", "agent", "workflow", "workflows"];
    let has_other = || others.into_iter().any(|name| texts(asked, name).next().is_some());
    let is_none = text(asked, "run").is_some_and(|script| script.trim().is_empty()) && !has_other();
    let said = "`run` is empty: nothing would be done here";
    let help = "Write the script, or remove the field and name who does the work in `agents`";
    is_none.then(|| refused("run", said.to_owned(), help))
}

/// Who works: entries that name nobody, and numbers.
pub(super) fn of_names(asked: &Asked<'_>) -> Vec<Found> {
    const MOST: usize = 200;
    let mut found = Vec::new();
    let Some(id) = asked.beside("agents") else { return found };
    let items = asked.tree().items(id).unwrap_or(&[]);
    for (n, item) in items.iter().take(MOST).enumerate() {
        let at = n.to_string();
        let context = asked.context;
        let text = context.text(*item);
        // One that holds nothing at all is named where the list is read.
        let is_nobody = text.as_ref().is_some_and(|text| text.trim().is_empty());
        let value = context.scalar(*item);
        if is_nobody {
            let said = format!(
                "Entry {} of `agents` names nobody: whoever is meant would not work",
                n + 1
            );
            let help = "This workflow does not start. Write the name, or remove the entry";
            found.push(refused("agents", said, help).at(&["agents", &at]));
        } else if value.is_number() || value.is_boolean() {
            let text = text.unwrap_or_default();
            let said = format!(
                "Entry {} of `agents` is no name; it is read as the name `{text}`",
                n + 1
            );
            let one = idle(
                "agents",
                said,
                "Write the name of who works, as gatehouse.yaml or the inbox has it",
            );
            found.push(Found { code: "GH0104", ..one }.at(&["agents", &at]));
        }
    }
    found
}

/// Who works, where it could be taken for something else: `agent` beside `agents`, of which a stage of a pipeline reads one alone, and a name that
/// stands twice.
pub(super) fn of_crew(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let twice = texts(asked, "agents").find(|name| !known.insert(name.clone()));
    if let Some(name) = twice {
        let said = format!("`{}` stands twice in `agents`, and works once", asked::shortened(&name));
        let help = "Name everybody once. What somebody is to do a second time is a step of its own";
        found.push(idle("agents", said, help));
    }
    known.extend(texts(asked, "agents"));
    let other = texts(asked, "agent").find(|name| !known.contains(name));
    if let (Some(other), Some(first)) = (other, known.first()) {
        let said = format!(
            "`agent` stands beside `agents`: `{}` works here as well as `{}`",
            asked::shortened(&other),
            asked::shortened(first)
        );
        let help = "Write all of them in `agents`. In a pipeline `agent` would have no effect beside it";
        found.push(Found {
            code: "GH0307",
            severity: Severity::Note,
            ..refused("agent", said, help)
        });
    }
    found
}

/// No run waits for a year, in seconds.
const LONGEST: f64 = 31_536_000.0;

/// A limit or a pause that no work can keep to.
pub(super) fn of_times(asked: &Asked<'_>) -> Vec<Found> {
    let number = |id: NodeId| asked.context.scalar(id).as_f64();
    let mut found = Vec::new();
    if asked
        .beside("timeout_seconds")
        .and_then(number)
        .is_some_and(|limit| (0.0..0.001).contains(&limit))
    {
        let said = "`timeout_seconds: 0` leaves no time: each attempt would be cut off as it begins";
        let help = "Write how many seconds the work may take, or remove it: then the project's limit holds";
        found.push(Found {
            code: "GH0104",
            ..refused("timeout_seconds", said.to_owned(), help)
        });
    }
    if asked
        .beside("timeout_seconds")
        .and_then(number)
        .is_some_and(|limit| limit > LONGEST)
    {
        let said = "`timeout_seconds` is more than a year: it limits nothing";
        let help = "Write how many seconds the work may take, or remove it: then the project's limit holds";
        found.push(idle("timeout_seconds", said.to_owned(), help));
    }
    let pause = asked
        .beside("retries")
        .and_then(|id| inner(asked.context, id, "backoff_seconds"));
    if pause.and_then(number).is_some_and(|pause| pause > LONGEST) {
        let said = "`backoff_seconds` is more than a year: no new attempt would ever be made";
        let one = refused(
            "backoff_seconds",
            said.to_owned(),
            "Write how many seconds a new attempt waits",
        );
        found.push(Found { code: "GH0104", ..one }.at(&["retries", "backoff_seconds"]));
    }
    found
}

/// What front matter says of how a runbook is run, which is said elsewhere.
pub(super) fn of_front_matter(asked: &Asked<'_>) -> Vec<Found> {
    const NO_LIMIT: &str = "a code block has no time limit, and a person none either";
    let mut found = Vec::new();
    let mut say = |name: &str, follows: &str, help: &'static str| {
        let said = format!("`{name}` is kept, not carried out: {follows}");
        found.push(idle(name, said, help));
    };
    for name in ["timeout", "timeout_seconds", "time_limit", "deadline"] {
        if asking(asked, name).is_some() {
            say(
                name,
                NO_LIMIT,
                "Let the block end what takes too long: `timeout 60 make`",
            );
        }
    }
    for name in ["cwd", "working_directory", "workdir"] {
        if asking(asked, name).is_some() {
            let help = "Write `cd` at the beginning of the blocks that it is meant for";
            say(name, "code blocks are executed in the project's folder", help);
        }
    }
    if asking(asked, "shell").is_some() {
        let help = "Call the other shell in the block: `python3 - <<'END'`, `zsh -c '…'`";
        say(
            "shell",
            "the language behind each block says what it is executed with",
            help,
        );
    }
    for name in ["env", "environment"] {
        let id = asking(asked, name).filter(|id| asked.context.is_map(*id) || asked.tree().items(*id).is_some());
        if id.is_some() {
            let help = "Write `export NAME=value` in the blocks that it is meant for";
            say(name, "code blocks are executed without these variables", help);
        }
    }
    let mode = text(asked, "mode").map(|mode| mode.trim().to_lowercase());
    let is_how = |mode: &str| {
        [
            "prompted",
            "prompt",
            "interactive",
            "manual",
            "auto",
            "automatic",
            "execute",
            "dry_run",
            "dry-run",
        ]
        .contains(&mode)
    };
    if mode.is_some_and(|mode| is_how(&mode)) {
        let help = "Start it so: `gatehouse run FILE --prompted` asks a person about every step";
        say("mode", "how a runbook is run is said when it is started", help);
    }
    for name in ["retry", "retries", "max_retries"] {
        if asking(asked, name).is_some() {
            let help = "Write `- FAIL: RETRY 2 STOP` below the step that is to be tried again";
            say(name, "no step is tried again because of it", help);
        }
    }
    for name in ["depends_on", "needs"] {
        if asking(asked, name).is_some() {
            let help = "List the other runbook below a step of its own that comes first";
            say(name, "the run waits for nothing because of it", help);
        }
    }
    found.extend(within_own_blocks(asked));
    found
}

/// A gate in a block of the author's own, `defaults: {human_gate: required}`: no step has it from there.
fn within_own_blocks(asked: &Asked<'_>) -> Vec<Found> {
    /// What is looked into by its own table, or where it is read.
    const READ: [&str; 4] = ["agents", "context", "feedback", "scenarios"];
    let mut found = Vec::new();
    for (name, id) in asked.beside {
        if READ.contains(name) || !asked.context.is_map(*id) {
            continue;
        }
        for (key, value) in Block::open(asked.context, *id, Place::document()).entries() {
            let inner = asked.tree().key(asked.context.source(), key);
            let asks = elsewhere::asks_for(asked.context, inner, value);
            if let Some((said, help)) = elsewhere::in_own_block(Shape::FrontMatter, inner).filter(|_| asks) {
                found.push(refused(inner, said, help).at(&[*name, inner]));
            }
        }
    }
    found
}

fn works_twice(asked: &Asked<'_>, own: &[&str], help: &'static str) -> Vec<Found> {
    let by = ["agents", "agent"]
        .into_iter()
        .find(|name| texts(asked, name).next().is_some());
    let own = own.iter().find(|name| asking(asked, name).is_some());
    match (by, own) {
        (Some(by), Some(own)) => {
            let what = if *own == "run" {
                "the script"
            } else {
                "the other workflow"
            };
            let said = format!("`{own}` stands beside `{by}`: where an agent works, {what} would not be run");
            vec![refused(own, said, help)]
        }
        _ => Vec::new(),
    }
}

/// A condition of what follows, where nothing follows.
pub(super) fn of_onward(asked: &Asked<'_>) -> Vec<Found> {
    if asking(asked, "condition").is_none() || asked.beside.iter().any(|(name, _)| *name == "next_flow") {
        return Vec::new();
    }
    let said = "`condition` stands beside no `next_flow`: nothing would ask it";
    let help = "This workflow does not start. Write which flow follows where it holds (`next_flow`), or remove it";
    vec![Found {
        code: "GH0505",
        ..refused("condition", said.to_owned(), help)
    }]
}

/// What follows a failure follows always.
pub(super) fn of_failure(asked: &Asked<'_>) -> Vec<Found> {
    let Some(failure) = asked.beside("on_failure").filter(|id| asked.context.is_map(*id)) else {
        return Vec::new();
    };
    let has = |key: &str| {
        let value = inner(asked.context, failure, key);
        value.is_some_and(|id| elsewhere::asks_for(asked.context, key, id))
    };
    if !has("condition") || !has("next_flow") {
        return Vec::new();
    }
    let said = "The `condition` of `on_failure` is not asked: the next flow would begin whether it holds or not";
    let help =
        "This workflow does not start. Remove it; the first step of the next flow can ask for it, with `kind: branch`";
    vec![refused("condition", said.to_owned(), help).at(&["on_failure", "condition"])]
}

/// Files that the next flow is not to have.
pub(super) fn passes_nothing(asked: &Asked<'_>) -> Vec<Found> {
    let kept_back = asked
        .beside("pass_artifacts")
        .is_some_and(|id| asked.context.scalar(id) == false);
    if !kept_back {
        return Vec::new();
    }
    let said = "`pass_artifacts: false` is not carried out: all flows of a run work in the same project, and the next one finds what this one made";
    vec![idle(
        "pass_artifacts",
        said.to_owned(),
        "Remove it, or start the other flow in a run of its own",
    )]
}

const DEFAULTS_HELP: &str = "This workflow does not start. Write it on every step that it is meant for (`<<: *name` takes over what several share), or remove it";

/// What steps are to have that do not say it themselves: nobody would be asked because of it, and no agent would work.
pub(super) fn of_defaults(asked: &Asked<'_>) -> Vec<Found> {
    let Some(defaults) = asked.beside("defaults").filter(|id| asked.context.is_map(*id)) else {
        return Vec::new();
    };
    // What steps take over by its name (`<<: *name`) is theirs.
    let nodes = &asked.tree().nodes;
    if nodes
        .iter()
        .any(|node| matches!(node.kind, Kind::Alias { target } if target == defaults))
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    control(asked.context, defaults, &mut vec!["defaults".to_owned()], &mut found);
    for one in &mut found {
        let last = one.path.last().map_or("", String::as_str);
        one.said = format!("`{last}` in `defaults` is not carried out: no step takes it over");
    }
    found
}

/// The fields of a block, and of the blocks in it, that say who works, whom it asks or where it goes.
fn control(context: &Context<'_>, id: NodeId, path: &mut Vec<String>, found: &mut Vec<Found>) {
    const MORE: [&str; 7] = [
        "agent",
        "agents",
        "station",
        "retries",
        "timeout_seconds",
        "routing",
        "on_reject",
    ];
    const DEEPEST: usize = 4;
    for (name, value) in Block::open(context, id, Place::document()).all_fields(context) {
        if !elsewhere::asks_for(context, &name, value) {
            continue;
        }
        path.push(name.clone());
        // Of what holds for everything `context` says nothing that a step would have to heed.
        if name != "context" && (MORE.contains(&name.as_str()) || elsewhere::is_control(&name)) {
            found.push(Found {
                path: path.clone(),
                ..refused(&name, String::new(), DEFAULTS_HELP)
            });
        } else if context.is_map(value) && path.len() < DEEPEST {
            control(context, value, path, found);
        }
        path.pop();
    }
}

/// Parts of a graph that are drawn as one: what they hold beside the names of their nodes.
pub(super) fn of_subflows(asked: &Asked<'_>) -> Vec<Found> {
    let list = asked.beside("subflows");
    let items = list.and_then(|id| asked.tree().items(id)).unwrap_or(&[]);
    let mut found = Vec::new();
    for (n, item) in items.iter().enumerate() {
        for (name, value) in Block::open(asked.context, *item, Place::document()).all_fields(asked.context) {
            let says_where = matches!(
                name.as_str(),
                "entry_node" | "exit_nodes" | "contained_nodes" | "nodes" | "context"
            );
            let blocks = asked.tree().items(value).unwrap_or(&[]);
            let lists_blocks = blocks.iter().any(|item| asked.context.is_map(*item));
            let asks = lists_blocks || !says_where && elsewhere::is_control(&name);
            if asks && elsewhere::asks_for(asked.context, &name, value) {
                let at = n.to_string();
                let said = match lists_blocks {
                    true => format!(
                        "`{name}` of a subflow is not carried out: what it lists would neither be drawn nor done"
                    ),
                    false => format!(
                        "`{name}` of a subflow is not carried out: its nodes would be done as if it were not there"
                    ),
                };
                let help = "This workflow does not start. Write the nodes and edges among those of the graph, and what is asked on them";
                found.push(refused(&name, said, help).at(&["subflows", &at, &name]));
            }
        }
    }
    found
}

/// Steps that say they stand in a branch, in a flow where nothing forks.
pub(super) fn of_branches(asked: &Asked<'_>) -> Vec<Found> {
    let steps = asked
        .beside("steps")
        .and_then(|id| asked.tree().items(id))
        .unwrap_or(&[]);
    let context = asked.context;
    let forks = |step: &NodeId| {
        let kind = inner(context, *step, "routing").and_then(|routing| inner(context, routing, "kind"));
        kind.and_then(|id| context.text(id)).is_some_and(|kind| kind == "fork")
    };
    if asked.beside("parallel").is_some() || steps.iter().any(forks) {
        return Vec::new();
    }
    let says = |step: NodeId, name: &str| inner(context, step, name).is_some_and(|id| !elsewhere::says_no(context, id));
    let first = |name: &'static str| {
        let at = steps.iter().position(|step| says(*step, name))?;
        let said = format!(
            "`{name}` makes no branches: nothing forks in this flow, and the steps are done one after the other"
        );
        let help = "Write `routing: {kind: fork, fork_targets: […]}` on the step after which the branches begin, or the block `parallel`";
        let found = idle(name, said, help).at(&["steps", &at.to_string(), name]);
        Some(Found {
            code: "GH0115",
            ..found
        })
    };
    ["parallel_branch", "join_point"]
        .into_iter()
        .filter_map(first)
        .collect()
}

/// When a person is asked because steps in a row were not verified: after how many, and whether at all.
pub(super) fn of_escalation(asked: &Asked<'_>) -> Vec<Found> {
    const KEY: &str = "escalate_on_unverified_streak";
    let asks = text(asked, KEY).and_then(|word| model::Escalation::word(&word));
    let streak = asked.beside("max_unverified_streak");
    let counts = streak.and_then(|id| asked.context.scalar(id).as_u64());
    match (asks, counts) {
        (Some(true), None | Some(0)) => {
            let said = format!("`{KEY}` does not say after how many steps: nobody would be asked");
            let help =
                "This workflow does not start. Write `max_unverified_streak` with a number from 1 on, or remove it";
            vec![refused(KEY, said, help)]
        }
        (None, Some(1..)) if asked.beside(KEY).is_none() => {
            let said = "`max_unverified_streak` is counted for nothing: nobody is asked when it is reached";
            let help = "Write `escalate_on_unverified_streak: pause` for a person to be asked, or `continue`";
            let found = idle("max_unverified_streak", said.to_owned(), help);
            // The table says that it is carried out; beside the other one it is.
            vec![Found {
                code: "GH0111",
                ..found
            }]
        }
        _ => Vec::new(),
    }
}

/// Ways on that a routing names under another name.
pub(super) fn of_routing(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let kind = text(asked, "kind");
    if kind.as_deref() == Some("branch") {
        let (next, otherwise) = (text(asked, "next"), text(asked, "default"));
        let is_other = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        if is_other(&next) && is_other(&otherwise) && next != otherwise {
            let passed_over = if asked.beside("when").is_some() {
                "next"
            } else {
                "default"
            };
            let said = "`next` and `default` of this branch lead to different steps, and one alone would be taken";
            let help = "This workflow does not start. Keep the one that is to be taken where nothing else holds";
            found.push(refused(passed_over, said.to_owned(), help));
        }
    }
    if asked.beside("next").is_none() {
        let strange = ["to", "target", "then", "next_step", "next_node"];
        for name in strange.into_iter().filter(|name| asking(asked, name).is_some()) {
            let said = format!("`{name}` is no field of a routing: the run would not go there");
            let mut one = refused(name, said, "This workflow does not start. Write `next`");
            one.rename = (!is_block(asked, name)).then_some("next");
            found.push(one);
        }
    }
    found
}

const JOIN_WORDS: [(&str, Option<&str>); 10] = [
    ("timeout", Some("timeout_seconds")),
    ("fail_fast", None),
    ("min_success", None),
    ("minimum", None),
    ("min", None),
    ("required", None),
    ("required_branches", None),
    ("threshold", None),
    ("quorum_percent", None),
    ("quorum_size", Some("quorum")),
];

/// Words that other tools have for what a fork or its join asks, and that nothing reads here.
pub(super) fn of_policies(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (name, meant) in JOIN_WORDS.into_iter().filter(|(name, _)| asking(asked, name).is_some()) {
        let said =
            format!("`{name}` is no word of a fork or its join: the branches would be counted as if it were not there");
        let help = match name {
            "timeout" => "This workflow does not start. Write `timeout_seconds`, a number",
            "fail_fast" => "This workflow does not start. Write `failure_policy: fail_fast` in the `fork_config`",
            _ => {
                "This workflow does not start. Write `strategy: quorum` and how many branches in `quorum`, or remove it"
            }
        };
        let mut one = refused(name, said, help);
        one.rename = meant.filter(|_| {
            asked
                .beside(name)
                .is_some_and(|id| asked.context.scalar(id).is_number())
        });
        found.push(one);
    }
    // Another word is refused as what follows a failure; that it fails is what a step's own limit does, not this one.
    let fails = text(asked, "on_timeout").is_some_and(|word| matches!(word.trim(), "fail" | "stop" | "halt" | "abort"));
    if fails {
        let said = "`on_timeout` is not carried out: when the time is over the branches that have ended are counted, and the join may be met";
        let help = "This workflow does not start. Ask for all branches (`strategy: all_complete` or `all_verified`), so that a branch that is cut off is a failure, or remove it";
        found.push(refused("on_timeout", said.to_owned(), help));
    }
    for name in ["merge_artifacts", "merge_concerns"] {
        let value = asked.beside(name).map(|id| asked.context.scalar(id));
        let is_usual = |value: &serde_json::Value| {
            *value == true
                || value
                    .as_str()
                    .is_some_and(|word| matches!(word, "all" | "union" | "merge"))
        };
        if value.is_some_and(|value| !is_usual(&value)) {
            let said = format!("`{name}` is not carried out: what every branch made and said is kept");
            let found_here = idle(name, said, "Write `true`, or remove it");
            found.push(Found {
                code: "GH0115",
                ..found_here
            });
        }
    }
    found
}

/// `inputs` and `outputs` are lists of paths, and one text is a list of one.
pub(super) fn of_paths(asked: &Asked<'_>) -> Vec<Found> {
    const MOST: usize = 200;
    let mut found = Vec::new();
    for name in ["inputs", "outputs"] {
        let Some(id) = asked.beside(name).filter(|id| !asked.context.says_nothing(*id)) else {
            continue;
        };
        if asked.context.is_map(id) {
            let said = format!("`{name}` is kept, not carried out: no file is known by it, for it is no list of paths");
            let help = "Write one `- path` a line, or `[a.md, b.md]`. Nothing is lost: the file keeps it";
            found.push(idle(name, said, help));
            continue;
        }
        let read_so = |said: String, help: &'static str| Found {
            code: "GH0104",
            ..idle(name, said, help)
        };
        let list = asked.tree().items(id);
        let one = text(asked, name).filter(|text| list.is_none() && text.contains(','));
        if let Some(one) = one {
            let said = format!("`{name}` is one text; it is read as the one path `{}`", shortened(&one));
            found.push(read_so(
                said,
                "Write each on a line of its own (`- path`), or `[a.md, b.md]`",
            ));
        }
        let alone = [id];
        for (n, entry) in list.unwrap_or(&alone).iter().take(MOST).enumerate() {
            let value = asked.context.scalar(*entry);
            if !value.is_number() && !value.is_boolean() {
                continue;
            }
            let path = asked.context.text(*entry).unwrap_or_default();
            let said = format!(
                "`{}` in `{name}` is no text; it is read as the path `{0}`",
                shortened(&path)
            );
            let one = read_so(said, "Write the path of a file");
            found.push(match list {
                Some(_) => one.at(&[name, &n.to_string()]),
                None => one,
            });
        }
    }
    found
}

const RETRY_HELP: &str = "This workflow does not start. Write `retries: {max: 2}`: how often it is tried again";

/// Words that other tools have for how often something is tried again.
pub(super) fn of_retries(asked: &Asked<'_>) -> Vec<Found> {
    const WORDS: [(&str, bool); 7] = [
        ("attempts", false),
        ("max_attempts", false),
        ("maximum", true),
        ("max_retries", true),
        ("count", true),
        ("times", true),
        ("limit", true),
    ];
    const PAUSES: [&str; 4] = ["delay", "delay_seconds", "backoff", "retry_delay_seconds"];
    const GROWTH: [&str; 9] = [
        "strategy",
        "backoff_strategy",
        "backoff_factor",
        "factor",
        "multiplier",
        "exponential",
        "jitter",
        "max_delay",
        "max_backoff_seconds",
    ];
    let mut found = Vec::new();
    for (name, is_max) in WORDS.into_iter().filter(|(name, _)| asking(asked, name).is_some()) {
        if asked.beside("max").is_some() {
            let said = format!("`{name}` has no effect beside `max`");
            found.push(idle(name, said, "Keep `max`: how often it is tried again"));
            continue;
        }
        let said = format!("`{name}` is no field of `retries`: nothing would be tried again because of it");
        let mut one = refused(name, said, RETRY_HELP);
        one.rename = is_max.then_some("max");
        found.push(one);
    }
    for name in PAUSES.into_iter().filter(|name| asking(asked, name).is_some()) {
        let said = format!("`{name}` has no effect: there is no pause between the attempts");
        let (said, help) = match asked.beside("backoff_seconds") {
            Some(_) => (
                format!("`{name}` has no effect beside `backoff_seconds`"),
                "Keep `backoff_seconds`",
            ),
            None => (said, "Write `backoff_seconds`, a number"),
        };
        let is_number = is_number(asked, name) && asked.beside("backoff_seconds").is_none();
        let mut one = idle(name, said, help);
        one.rename = is_number.then_some("backoff_seconds");
        found.push(one);
    }
    for name in GROWTH.into_iter().filter(|name| asking(asked, name).is_some()) {
        let said = format!("`{name}` has no effect: the pause before each attempt is the same");
        found.push(idle(name, said, "Write `backoff_seconds`, or remove it"));
    }
    found
}

fn is_number(asked: &Asked<'_>, name: &str) -> bool {
    let value = asked.beside(name).map(|id| asked.context.scalar(id));
    value.is_some_and(|value| value.is_number())
}

/// Words for how often a step is tried again that stand beside its fields.
pub(super) fn retries_of_step(asked: &Asked<'_>) -> Vec<Found> {
    const WORDS: [&str; 3] = ["max_retries", "attempts", "max_attempts"];
    const PAUSES: [&str; 3] = ["retry_delay", "retry_delay_seconds", "backoff_seconds"];
    let has_own = asked.beside("retries").is_some();
    let mut found = Vec::new();
    for name in WORDS.into_iter().filter(|name| asking(asked, name).is_some()) {
        if has_own {
            let said = format!("`{name}` has no effect beside `retries`");
            found.push(idle(name, said, "Keep `retries`: how often it is tried again"));
            continue;
        }
        let said = format!("`{name}` is not carried out here: nothing would be tried again because of it");
        let help = "This workflow does not start. Write `retries: {max: 2}`: how often it is tried again";
        let mut one = refused(name, said, help);
        // Attempts count the first one, too.
        one.rename = (name == "max_retries" && is_number(asked, name)).then_some("retries");
        found.push(one);
    }
    for name in PAUSES.into_iter().filter(|name| asking(asked, name).is_some()) {
        let said = format!("`{name}` has no effect here: how long a new attempt waits is said in `retries`");
        found.push(idle(name, said, "Write `retries: {max: 2, backoff_seconds: 30}`"));
    }
    found
}

/// Words that other tools have for the limit of a step.
pub(super) fn limit_of_step(asked: &Asked<'_>) -> Vec<Found> {
    const WORDS: [&str; 11] = [
        "step_timeout",
        "step_timeout_seconds",
        "timeout",
        "timeout_in_seconds",
        "timeout_ms",
        "timeout_minutes",
        "timeout_secs",
        "time_limit",
        "time_limit_seconds",
        "deadline",
        "max_duration",
    ];
    let mut found = Vec::new();
    let named = WORDS.into_iter().filter_map(|name| spelled(asked, name));
    for (name, _) in named.filter(|(name, id)| elsewhere::asks_for(asked.context, name, *id)) {
        let said = match asked.beside("timeout_seconds") {
            Some(_) => format!("`{name}` has no effect beside `timeout_seconds`"),
            None => {
                format!("`{name}` of a step has no effect: its work may take as long as the project lets it")
            }
        };
        found.push(idle(name, said, "Write `timeout_seconds`, a number"));
    }
    found
}

/// The same in an agent workflow, which has another way to say it.
pub(super) fn limit_of_agent(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = limit_of_step(asked);
    for one in &mut found {
        one.help = "Write `timeout_seconds`, or `execution: {timeout: 5m}`";
    }
    found
}

/// Other words for what becomes of a pipeline when a stage has failed, and for how much of it runs at once.
pub(super) fn of_pipeline(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let pause = asked.beside("retry_delay_seconds").map(|id| asked.context.scalar(id));
    if pause
        .and_then(|pause| pause.as_f64())
        .is_some_and(|pause| pause > LONGEST)
    {
        let said = "`retry_delay_seconds` is more than a year: no new attempt would ever be made";
        let help = "Write how many seconds a new attempt waits";
        let one = refused("retry_delay_seconds", said.to_owned(), help);
        found.push(Found { code: "GH0104", ..one });
    }
    let goes_on = text(asked, "error_handling").is_some_and(|word| word.trim() == GOES_ON);
    if goes_on {
        found.extend(ends(asked));
    }
    for name in ["fail_fast", "halt_on_failure", "stop_on_failure"] {
        let Some((name, id)) = spelled(asked, name) else {
            continue;
        };
        let halts = !elsewhere::says_no(asked.context, id);
        if halts != goes_on {
            let said = format!(
                "`{name}` has no effect: what follows a failure is said by `error_handling` alone, and it says the same"
            );
            found.push(idle(name, said, "Remove it"));
            continue;
        }
        let (follows, help) = match halts {
            true => (
                "stages that do not wait for the failed one would go on",
                "This workflow does not start. Write `error_handling: halt`, or remove it",
            ),
            false => (
                "nothing more would begin after a stage that has failed",
                "This workflow does not start. Write `error_handling: skip_dependents`, or remove it",
            ),
        };
        found.push(refused(
            name,
            format!("`{name}` is not carried out here: {follows}"),
            help,
        ));
    }
    for name in ["max_parallel", "max_concurrency", "concurrency", "parallelism"]
        .into_iter()
        .filter(|name| asking(asked, name).is_some())
    {
        let said = format!("`{name}` has no effect: how many stages run at once is said for the project");
        let help = "Write `runtime: {parallel_stages: 2}` in gatehouse.yaml, or remove it";
        found.push(idle(name, said, help));
    }
    found
}

/// A flow of a list has what its own file says.
pub(super) fn of_listed(asked: &Asked<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for name in ["agents", "agent", "station"]
        .into_iter()
        .filter(|name| asking(asked, name).is_some())
    {
        let said = format!("`{name}` of a listed flow is not carried out: who works is said by the steps in its file");
        let help = "This workflow does not start. Write it on the steps of that file, or remove it";
        found.push(refused(name, said, help));
    }
    for name in ["timeout_seconds", "inputs", "outputs"]
        .into_iter()
        .filter(|name| asking(asked, name).is_some())
    {
        let said = format!("`{name}` of a listed flow has no effect: what its steps have is said in its file");
        found.push(idle(name, said, "Write it on the steps of that file, or remove it"));
    }
    found
}

/// The places that a list gives its flows, where some have none.
pub(super) fn of_indices(asked: &Asked<'_>) -> Vec<Found> {
    let items = asked
        .beside("flows")
        .and_then(|id| asked.tree().items(id))
        .unwrap_or(&[]);
    let context = asked.context;
    let is = |item: NodeId, key: &str| inner(context, item, key).map(|id| context.scalar(id));
    let in_order: Vec<usize> = (0..items.len())
        .filter(|n| {
            let aside =
                is(items[*n], "is_utility") == Some(true.into()) || is(items[*n], "is_sdlc") == Some(false.into());
            !aside
        })
        .collect();
    let without = in_order.iter().find(|n| inner(context, items[**n], "index").is_none());
    let first = in_order.iter().find(|n| inner(context, items[**n], "index").is_some());
    match (first, without) {
        (Some(first), Some(_)) => {
            let said =
                "`index` has no effect: not every flow of the order has one, so they begin in the order of the file";
            let help = "Give every flow an `index`, or none";
            let found = idle("index", said.to_owned(), help).at(&["flows", &first.to_string(), "index"]);
            vec![Found {
                code: "GH0505",
                ..found
            }]
        }
        _ => Vec::new(),
    }
}
