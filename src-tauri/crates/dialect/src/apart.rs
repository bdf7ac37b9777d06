//! Where two programs have changed the same lines of a workflow: by the steps that it is about, so that of each can be said alone
//! whose version holds.

use crate::document::Document;
use crate::text::{Clash, Lines};
use model::{Place, StepId};
use std::collections::BTreeSet;

/// What hangs together of a conflict: places that concern the same steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// The steps, as they are called in the text that both sides have changed and in its order; empty: none, but the file.
    pub steps: Vec<StepId>,
    /// The places, by their positions in [`crate::MergeConflict::clashes`].
    pub clashes: Vec<usize>,
}

impl Document {
    /// Takes the places of a conflict apart. `clashes`: those of changes that were made on this document. In the order of the text.
    pub fn apart(&self, clashes: &[Clash]) -> Vec<Apart> {
        let lines = Lines::of(self.text());
        let steps = self.workflow().steps();
        let spans: Vec<Option<(usize, usize)>> = steps
            .iter()
            .map(|step| {
                let span = self.span(&Place::step(step.ordinal))?;
                // A step that holds others ends where they begin: what is changed in one of them is not its own.
                let next = steps
                    .get(step.ordinal + 1)
                    .filter(|next| next.parent.as_ref() == Some(&step.id));
                let next = next.and_then(|next| self.span(&Place::step(next.ordinal)));
                let end = next.map_or(span.end, |next| next.start.min(span.end));
                // The last line may be the end of the one before it.
                let last = lines.line_of(end.saturating_sub(1).max(span.start));
                Some((lines.line_of(span.start), last))
            })
            .collect();
        let mut parts: Vec<(BTreeSet<usize>, Vec<usize>)> = Vec::new();
        for (n, clash) in clashes.iter().enumerate() {
            let first = clash.line.saturating_sub(1);
            // New lines alone stand between two others and are of no step that is there.
            let count =
                Lines::of(&clash.base).count() - usize::from(clash.base.is_empty() || clash.base.ends_with('\n'));
            let meets = |span: &(usize, usize)| span.0 < first + count && first <= span.1;
            let own = spans
                .iter()
                .enumerate()
                .filter(|(_, span)| span.as_ref().is_some_and(meets));
            let mut own: BTreeSet<usize> = own.map(|(step, _)| step).collect();
            let mut with = vec![n];
            let is_beside = |steps: &BTreeSet<usize>, own: &BTreeSet<usize>| !steps.is_disjoint(own);
            while let Some(at) = parts.iter().position(|(steps, _)| is_beside(steps, &own)) {
                let (steps, clashes) = parts.remove(at);
                own.extend(steps);
                with.extend(clashes);
            }
            with.sort_unstable();
            parts.push((own, with));
        }
        parts.sort_by_key(|(_, clashes)| clashes.first().copied());
        let named = |(own, clashes): (BTreeSet<usize>, Vec<usize>)| Apart {
            steps: own.into_iter().map(|n| steps[n].id.clone()).collect(),
            clashes,
        };
        parts.into_iter().map(named).collect()
    }
}
