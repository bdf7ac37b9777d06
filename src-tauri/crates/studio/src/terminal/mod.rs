//! The terminals of steps that run here.
//!
//! * `query`: seen and typed into from a window; `screen`: what they show and what keys send.

pub(crate) mod query;
pub(crate) mod screen;
pub(crate) mod view;
