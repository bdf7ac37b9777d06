//! Pictures of the workflows that runs keep: each is laid out once for each way of looking at it.

use crate::lock::lock;
use crate::workflow;
use crate::workflow::drawing::{Drawn, Look};
use engine::{Digest, GatePolicy, GateRules, Limits, RunCreated};
use model::Workflow;
use std::sync::{Arc, Mutex};

/// How many are kept: a handful of runs are looked at, each in one way or two.
const KEPT: usize = 32;

/// The pictures that were looked at last.
#[derive(Default)]
pub struct Pictures(Mutex<Vec<Picture>>);

/// A picture, and what it depends on.
struct Picture {
    source: Digest,
    path: String,
    policy: GatePolicy,
    limits: Limits,
    look: Look,
    drawn: Arc<Drawn>,
}

impl Pictures {
    /// The picture of the workflow of a run that was created from this.
    pub fn of(&self, workflow: &Workflow, created: Option<&RunCreated>, look: &Look) -> Arc<Drawn> {
        let rules = GateRules::of(created);
        let Some(created) = created else {
            return Arc::new(workflow::drawing::picture(workflow, &[], rules, look));
        };
        let fits = |known: &Picture| {
            let text = known.source == created.source && known.path == created.path;
            text && known.look == *look && known.policy == *rules.policy && known.limits == *rules.limits
        };
        let mut kept = lock(&self.0);
        if let Some(at) = kept.iter().position(fits) {
            let known = kept.remove(at);
            let drawn = Arc::clone(&known.drawn);
            kept.push(known);
            return drawn;
        }
        drop(kept);
        let drawn = Arc::new(workflow::drawing::picture(workflow, &[], rules, look));
        let mut kept = lock(&self.0);
        // The one that was not looked at for longest goes.
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Picture {
            source: created.source.clone(),
            path: created.path.clone(),
            policy: rules.policy.clone(),
            limits: *rules.limits,
            look: look.clone(),
            drawn: Arc::clone(&drawn),
        });
        drawn
    }
}
