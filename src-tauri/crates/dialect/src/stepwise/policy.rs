//! What a flow's `policy` says beside its detours: bounds of loops, and when a person is asked for the way on.

use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Escalation, Place, Routing, Step};

/// Bounds the loops that have no bound of their own, and says when a person is asked. `bounded`: which steps have one.
pub(super) fn of_flow(context: &mut Context<'_>, root: &Block, bounded: &[bool], steps: &mut [Step]) -> Escalation {
    let mut found = Escalation::default();
    let Some(id) = root.peek(context, "policy").filter(|id| context.is_map(*id)) else {
        return found;
    };
    let mut policy = Block::open(context, id, root.place("policy"));
    let otherwise = "its loops end as their routing says";
    if let Some(most) = policy.count(context, "max_loop_iterations", otherwise) {
        for (n, step) in steps.iter_mut().enumerate() {
            let own = bounded.get(n).is_some_and(|own| *own);
            match &mut step.routing {
                Routing::Guarded { guards, .. } if !own => guards.iter_mut().for_each(|guard| guard.most = most),
                Routing::Microloop(microloop) if !own => microloop.max_iterations = most,
                _ => {}
            }
        }
    }
    let asks = |context: &mut Context<'_>, block: &mut Block, key: &str| {
        let word = block.text(context, key);
        word.and_then(|word| Escalation::word(&word)).unwrap_or(false)
    };
    if let Some(mut block) = inner(context, &policy, "escalation") {
        found.blocked |= asks(context, &mut block, "on_blocked");
        let streak = block.count(context, "max_unverified_streak", "nobody is asked for it");
        let asked = asks(context, &mut block, "escalate_on_unverified_streak");
        found.unverified = streak.filter(|streak| asked && *streak > 0);
    }
    if let Some(decisions) = inner(context, &policy, "routing_decisions")
        && let Some(mut block) = inner(context, &decisions, "signal_interpretation")
    {
        found.blocked |= asks(context, &mut block, "on_blocked");
        found.stuck |= asks(context, &mut block, "on_unverified_cannot_iterate");
    }
    found
}

fn inner(context: &Context<'_>, block: &Block, key: &str) -> Option<Block> {
    let id = block.peek(context, key).filter(|id| context.is_map(*id))?;
    Some(Block::open(context, id, block.place(key)))
}

/// Whether a flow's step says how often its loop turns.
pub(super) fn has_bound(context: &Context<'_>, step: NodeId) -> bool {
    let step = Block::open(context, step, Place::document());
    let routing = step.peek(context, "routing").filter(|id| context.is_map(*id));
    routing.is_some_and(|id| Block::open(context, id, Place::document()).has(context, "max_iterations"))
}
