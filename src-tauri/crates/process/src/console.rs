//! A person's own terminal, passed through to a program that has one.

use std::any::Any;
use std::fmt;
use tokio::sync::mpsc;

/// What a person does at their terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// Keys, as the terminal sends them.
    Keys(Vec<u8>),
    /// It has another size now.
    Size(Size),
}

/// How large a terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// In characters.
    pub columns: u16,
    /// In characters.
    pub lines: u16,
}

/// Sees what a program writes, as it is written.
pub type Onlooker = Box<dyn FnMut(&[u8]) + Send>;

/// The terminal of a person, lent to one program until this is dropped.
pub struct Console {
    /// How large it is.
    pub size: Size,
    /// What the person does. Where it ends nobody types any more.
    pub typed: mpsc::Receiver<Typed>,
    /// Gets what the program writes, as it is written.
    pub shown: Onlooker,
    /// Gives the terminal back when it is dropped.
    pub lent: Box<dyn Any + Send>,
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
