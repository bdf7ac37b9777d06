//! How every format is read, said, completed and changed by gestures: files in, workflows, problems and files out.

mod agent_gestures;
mod agent_reading;
mod agreed;
mod bmad_reading;
mod completing;
mod contradictions;
mod damaged;
mod detours;
mod doing;
mod edits;
mod fields;
mod fixtures;
mod flow_gestures;
mod following;
mod gestures;
mod growth;
#[expect(clippy::disallowed_methods, reason = "a test that cannot look says so")]
#[path = "../../../../../tests/src/looking.rs"]
mod looking;
mod merging;
mod offered;
mod passed_over;
mod pasting;
mod pipeline_properties;
mod pipeline_reading;
mod pipeline_size;
mod pipeline_states;
mod pipeline_writing;
mod properties;
mod reading;
mod real_files;
mod real_flows;
mod renaming;
mod runbook_gestures;
mod runbook_pasting;
mod runbook_properties;
mod runbook_reading;
mod runbook_size;
mod sessions;
mod several_flows;
mod stepspec_properties;
mod stepspec_reading;
mod stepspec_size;
mod untouched;
