//! Four eyes: whoever began a run, or carried a part of it out, approves nothing in it, where the project wants it so (`hitl.four_eyes`).
//! No contract asks for it; it is the usual separation of who does the work from who approves it.

use crate::{Answer, Decision, GateOpened, GateReason, Purpose, RunState, WayAction};
use model::Workflow;
use std::iter::successors;

/// Somebody who answers, by all that they are known by.
#[derive(Debug, Clone, Copy)]
pub struct Hand<'a> {
    /// The name that they answer in.
    pub name: &'a str,
    /// The name that their key belongs to, where that is another one.
    pub key_name: Option<&'a str>,
    /// Their public key, in hexadecimal digits.
    pub key: Option<&'a str>,
    /// They answer without having looked (`--yes`).
    pub unseen: bool,
}

impl<'a> From<&'a Decision> for Hand<'a> {
    fn from(decision: &'a Decision) -> Self {
        Self {
            name: &decision.by,
            key_name: decision.key_name.as_deref(),
            key: decision.signature.as_ref().map(|signature| signature.key.as_str()),
            unseen: decision.via == Decision::YES,
        }
    }
}

/// Whether two names are the same person's, however they are written.
pub fn is_same_name(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

impl<'a> Hand<'a> {
    fn names(&self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.name).chain(self.key_name)
    }

    /// Whether this is the person who has this name or this key.
    fn is(&self, name: &str, key: Option<&str>) -> bool {
        let same = |own: &str| !name.trim().is_empty() && is_same_name(own, name);
        self.names().any(same) || key.is_some() && self.key == key
    }
}

impl RunState {
    /// Whether approvals in this run need a second person. Nobody's work is approved in a rehearsal.
    pub fn wants_four_eyes(&self) -> bool {
        self.created
            .as_deref()
            .is_some_and(|created| created.policy.four_eyes && !created.is_rehearsal())
    }

    /// Why it takes somebody else to give this answer, as sentences: what this person did in a run that wants a second one to approve. They
    /// may always ask for changes or reject.
    pub fn wants_another(
        &self,
        workflow: &Workflow,
        opened: &GateOpened,
        (answer, way): (Answer, Option<&str>),
        hand: Hand<'_>,
    ) -> Option<String> {
        if !lets_pass(workflow, opened, (answer, way)) {
            return None;
        }
        self.took_part(hand)
    }

    /// The same of whoever raises evidence.
    pub(crate) fn took_part(&self, hand: Hand<'_>) -> Option<String> {
        let created = self.created.as_deref().filter(|_| self.wants_four_eyes())?;
        let mut begun = successors(Some(created), |created| {
            created.continues.as_deref().map(|earlier| &*earlier.created)
        });
        let began = begun.position(|created| hand.is(&created.by, created.begun_with.as_deref()));
        let mut answers = self.gates.values().flatten().filter_map(|round| {
            let (decision, _) = round.answer.as_ref()?;
            matches!(round.opened.purpose, Purpose::Outcome { .. }).then(|| Hand::from(&**decision))
        });
        let mut is_own = || answers.any(|own| own.names().any(|name| hand.is(name, own.key)));
        let did = match () {
            () if hand.unseen => return Some(UNSEEN.to_owned()),
            () if began == Some(0) => "began this run",
            () if began.is_some() => "began the run that this one goes on from",
            () if is_own() => "carried out a step of this run",
            () => return None,
        };
        Some(format!(
            "You {did}, and the project wants four eyes: somebody else has to approve, with a key of their own (`hitl.four_eyes`)."
        ))
    }
}

const UNSEEN: &str = "`--yes` approves without looking, and the project wants four eyes (`hitl.four_eyes`): somebody else has to look and approve.";

/// Whether an answer lets a run past a gate.
fn lets_pass(workflow: &Workflow, opened: &GateOpened, (answer, way): (Answer, Option<&str>)) -> bool {
    match (&opened.purpose, answer) {
        (Purpose::Approval | Purpose::Tool { .. }, Answer::Approve) => true,
        (Purpose::Way { ways }, Answer::Choose) => {
            let Some(chosen) = ways.iter().find(|one| way == Some(one.id.as_str())) else {
                return false;
            };
            let has_gate = || {
                workflow
                    .step(&opened.instance.step)
                    .is_some_and(|step| step.gate.is_some())
            };
            match opened.why {
                // Along an edge of the file the run comes to its gates.
                GateReason::PastGate | GateReason::Proposal => !chosen.drawn,
                _ => chosen.action == WayAction::LeaveOut && has_gate(),
            }
        }
        _ => false,
    }
}
