//! What reading takes that every format of YAML and JSON shares: fields taken by name and type, gates, problems.

mod block;
pub(crate) mod gate;

pub(crate) use block::{Block, Context, texts};
