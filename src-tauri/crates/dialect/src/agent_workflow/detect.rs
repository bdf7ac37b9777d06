//! What makes a file an agent workflow: a block `workflow`, and a sequence or groups whose entries name an agent.

use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::Place;

/// Where the entries of a file stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generation {
    /// `workflow: {sequence: […]}`, as the first files of the family have it.
    Inside,
    /// `workflow: {…}` and beside it `sequence: […]`.
    Beside,
    /// `workflow: {…}` and beside it `parallel_groups: [{agents: […]}]`.
    Groups,
}

impl Generation {
    /// What the list of a step is called.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Inside | Self::Beside => "sequence",
            Self::Groups => "agents",
        }
    }

    /// The keys from the root of the file to the list.
    pub(super) fn way(self) -> &'static [&'static str] {
        match self {
            Self::Inside => &["workflow", "sequence"],
            Self::Beside => &["sequence"],
            Self::Groups => &["parallel_groups"],
        }
    }
}

/// The generation of a file and its list; `None`: it has no such list beside a block `workflow`.
pub(super) fn generation(context: &Context<'_>, root: &Block) -> Option<(Generation, NodeId)> {
    let workflow = root.peek(context, "workflow").filter(|id| context.is_map(*id))?;
    let inner = Block::open(context, workflow, Place::document());
    let inside = inner.peek(context, "sequence").map(|id| (Generation::Inside, id));
    let groups = || root.peek(context, "parallel_groups").map(|id| (Generation::Groups, id));
    let beside = || root.peek(context, "sequence").map(|id| (Generation::Beside, id));
    inside.or_else(groups).or_else(beside)
}

/// What a file lacks to be an agent workflow, as the end of a sentence; `None` where it is one.
pub(super) fn lack(context: &Context<'_>, root: &Block) -> Option<String> {
    let Some((generation, list)) = generation(context, root) else {
        return Some("it has no `sequence` and no `parallel_groups` beside its block `workflow`".to_owned());
    };
    let Some(items) = context.tree.items(list) else {
        return Some(format!("its `{}` are not a list", generation.way().join(".")));
    };
    let names_one = |id: &NodeId| {
        let block = Block::open(context, *id, Place::document());
        ["agent", "agents"].iter().any(|key| {
            let held = block.peek(context, key);
            held.is_some_and(|id| context.text(id).is_some_and(|name| !name.trim().is_empty()))
        })
    };
    let found = match generation {
        Generation::Groups => items.iter().any(|group| {
            let block = Block::open(context, *group, Place::document());
            let members = block.peek(context, "agents").and_then(|id| context.tree.items(id));
            members.is_some_and(|members| members.iter().any(names_one))
        }),
        Generation::Inside | Generation::Beside => items.iter().any(names_one),
    };
    (!found).then(|| format!("no entry of its `{}` names an `agent`", generation.way().join(".")))
}
