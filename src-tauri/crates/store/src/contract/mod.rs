//! What the contracts demand of files, wherever they come from.
