//! The lines that are drawn from one step to another, and the one of them that a gesture means.

use super::mentions::{Mention, Named};
use super::onward::Onward;
use super::{Author, EditError, TreeError};
use crate::said::called;
use model::{Routing, Step, StepId};

/// Where a line stands in the file.
#[derive(Debug, Clone)]
pub(super) enum Line {
    /// Nowhere: the next step of the file follows.
    Order,
    /// In a field of the step that it leaves.
    Field(Mention),
    /// In an edge of a graph, by its position.
    Edge(usize),
}

impl<'a> Author<'a> {
    /// The line that is meant: of several the one with this label, or the one without any. Which of two that cannot be told apart is
    /// not guessed.
    pub(super) fn line(&self, from: &'a Step, to: &Step, label: Option<&str>) -> Result<Line, TreeError> {
        let all = self.lines(from, to);
        // A loop that says nothing but how often it may turn is drawn with that.
        let flows = self.reading.workflow.flows_between(from, to);
        let is_bound = |label: &&str| {
            let mut unnamed = flows.iter().filter(|(_, flow)| flow.label.is_none());
            unnamed.any(|(_, flow)| flow.drawn_label().as_deref() == Some(label))
        };
        let own_label = label.filter(|label| !is_bound(label));
        let meant = all.iter().filter(|(own, _)| own.as_deref() == own_label);
        let meant: Vec<&Line> = meant.map(|(_, line)| line).collect();
        let (from, to) = (&from.id, &to.id);
        match (meant.as_slice(), label, all.as_slice()) {
            ([one], ..) => Ok((*one).clone()),
            // The only one there is is meant, whatever it is called.
            ([], None, [(_, one)]) => Ok(one.clone()),
            (_, _, []) if self.is_beside(from, to) => Err(TreeError::unfit(format!(
                "the block “parallel” says what begins after {}; change it in the source",
                called(from)
            ))),
            (_, _, []) => Err(EditError::no_line(from, to).into()),
            ([], Some(label), _) => Err(TreeError::unsound(format!(
                "no line from {} to {} is called “{label}”",
                called(from),
                called(to)
            ))),
            _ => Err(TreeError::unsound(format!(
                "several lines lead from {} to {}, and nothing says which one is meant; change it in the source",
                called(from),
                called(to)
            ))),
        }
    }

    /// Whether a branch of the block `parallel` leads from one step to another.
    fn is_beside(&self, from: &StepId, to: &StepId) -> bool {
        let block = self.mentions().into_iter().filter(|m| m.what == Named::Parallel);
        let named: Vec<String> = block.map(|m| m.to).collect();
        [from, to]
            .iter()
            .all(|id| named.iter().any(|named| named == id.as_str()))
    }

    /// All lines between two steps, each with its label as the model draws it.
    fn lines(&self, from: &'a Step, to: &Step) -> Vec<(Option<String>, Line)> {
        let is_one = |m: &Mention| m.owner == Some(from.ordinal) && m.to == to.id.as_str() && self.is_drawn(from, m);
        let fields = self.mentions().into_iter().filter(is_one);
        let mut all: Vec<_> = fields.map(|m| (self.label(from, &m), Line::Field(m))).collect();
        if self.is_graph() {
            let edges = self.leaving(from).into_iter();
            let edges = edges.filter(|edge| edge.to == to.id.as_str());
            all.extend(edges.map(|edge| (self.label_of(from, edge.index), Line::Edge(edge.index))));
        } else if matches!(from.routing, Routing::Sequence) && self.following(from) == Some(&to.id) {
            all.push((None, Line::Order));
        }
        all
    }

    /// Whether a place of a step that names another one leads there; others say something else of it, or count for nothing beside a
    /// field that comes first.
    fn is_drawn(&self, from: &'a Step, mention: &Mention) -> bool {
        match (&mention.what, &from.routing) {
            (Named::Rejected, _) => from.gate.as_ref().is_some_and(|gate| gate.on_reject.is_some()),
            _ if self.is_graph() => false,
            (Named::Next, _) => match self.onward(from) {
                Onward::Key(key, _) => mention.path.last().is_some_and(|last| last == key),
                Onward::Order | Onward::Ended | Onward::Fork => false,
            },
            (Named::Branch, Routing::Fork(_)) => {
                let targets = self.at(from.ordinal, "routing.fork_targets");
                let listed = targets
                    .and_then(|targets| targets.as_array())
                    .is_some_and(|list| !list.is_empty());
                !listed || mention.path.iter().any(|key| key == "fork_targets")
            }
            (what, routing) => matches!(
                (what, routing),
                (Named::Back, Routing::Microloop(_))
                    | (Named::Value(_), Routing::Branch(_))
                    | (Named::Guard, Routing::Guarded { .. })
            ),
        }
    }

    fn label(&self, from: &Step, mention: &Mention) -> Option<String> {
        match (&mention.what, &from.routing) {
            (Named::Value(value), _) => Some(value.clone()),
            (Named::Rejected, _) => Some("rejected".to_owned()),
            (Named::Guard, Routing::Guarded { guards, .. }) => {
                let n: usize = mention.path.iter().rev().nth(1)?.parse().ok()?;
                guards.get(n)?.condition.label()
            }
            (Named::Next, Routing::Guarded { guards, .. }) if guards.is_empty() => None,
            (Named::Next, Routing::Branch(_) | Routing::Guarded { .. }) => Some("otherwise".to_owned()),
            _ => None,
        }
    }
}
