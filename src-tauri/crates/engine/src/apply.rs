//! Events change the state; nothing else does.
