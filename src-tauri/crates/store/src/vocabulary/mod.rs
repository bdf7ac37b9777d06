//! The log in public words.
