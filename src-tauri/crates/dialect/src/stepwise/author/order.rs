//! A step that gets another place in the order of the file: which steps lead elsewhere by that.

use super::Author;
use super::onward::Onward;
use crate::document::Consequence;
use crate::said::called;
use model::Step;

impl<'a> Author<'a> {
    /// What moving a step entails. In a plain row of steps nothing but what was asked for.
    pub(super) fn moved(&self, step: &'a Step, to: usize) -> Vec<Consequence> {
        let (steps, at) = (self.steps(), step.ordinal);
        if to >= steps.len() || to == at {
            return Vec::new();
        }
        let mut order: Vec<&Step> = steps.iter().collect();
        order.remove(at);
        order.insert(to, step);
        let begins = order[0];
        let begins = (begins.ordinal != 0)
            .then(|| Consequence::of(&begins.id, format!("the flow begins at {} now", called(&begins.id))));
        if self.is_graph() {
            return begins.into_iter().collect();
        }
        let by_order = |step: &Step| matches!(self.onward(step), Onward::Order);
        let before = at.checked_sub(1).and_then(|n| steps.get(n));
        let behind = to.checked_sub(1).and_then(|n| order.get(n).copied());
        let is_plain = [before, Some(step), behind].into_iter().flatten().all(by_order) && self.naming(step).is_empty();
        if is_plain {
            return Vec::new();
        }
        let mut said: Vec<Consequence> = begins.into_iter().collect();
        for step in steps.iter().filter(|step| by_order(step)) {
            let place = order.iter().position(|other| other.ordinal == step.ordinal);
            let now = place.and_then(|n| order.get(n + 1)).map(|next| called(&next.id));
            let was = steps.get(step.ordinal + 1).map(|next| called(&next.id));
            let who = called(&step.id);
            let news = match (was, now) {
                (was, now) if was == now => None,
                (Some(was), Some(now)) => Some(format!("{who} leads to {now} now instead of {was}")),
                (None, Some(now)) => Some(format!("{who} leads to {now} now instead of ending the flow")),
                (Some(was), None) => Some(format!("the flow ends after {who} now, which led to {was}")),
                (None, None) => None,
            };
            said.extend(news.map(|news| Consequence::of(&step.id, news)));
        }
        said
    }
}
