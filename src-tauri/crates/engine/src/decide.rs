//! Commands become events, or are refused.
