//! Control models: how a run moves through its workflow. One file each; a step's routing says which rule applies.

pub(crate) mod bars;
pub mod commit;
pub mod dag;
pub(crate) mod detour;
pub(crate) mod feedback;
pub(crate) mod fork;
pub(crate) mod inside;
pub mod mended;
pub(crate) mod parts;
pub mod resume;
pub mod token;
pub(crate) mod way;
pub(crate) mod whether;
