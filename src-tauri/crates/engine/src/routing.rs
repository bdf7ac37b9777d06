//! The routing table of seed 001.
