//! Where a step or a node has what people edit: files call it otherwise.

/// Keys from a step or a node to one of its fields.
pub(super) type Keys = &'static [&'static str];

/// Where a step or a node has what people edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    /// What a person reads as its name.
    pub(super) name: Keys,
    /// What it is for.
    pub(super) intent: Keys,
}
