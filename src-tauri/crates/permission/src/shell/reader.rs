//! What reads a script, and what its parts hand each other on the way. A script holds scripts, so that each part may call any other: they do it
//! through [`Reader`], whose methods they are.

use super::needs::{Deferred, Folder, Foreseen, Needs};
use super::own::Body;
use std::rc::Rc;
use tree_sitter::Node;

/// Reads scripts into needs.
pub(super) struct Reader<'n> {
    pub needs: &'n mut Needs,
    pub depth: usize,
    /// How many bodies of functions surround the script at hand.
    pub functions_outside: usize,
    /// Variables that the node at hand sets, once the substitutions in their values have run.
    pub sets: Vec<Sets>,
    /// The shell that runs the script may be another than bash.
    pub posix: bool,
    /// What is known of the whole script from a reading before this one.
    pub foreseen: Foreseen,
}

/// What gives variables a value.
#[derive(Clone)]
pub(super) enum Sets {
    /// A command, to this one.
    Name(String),
    /// A function that is called.
    Body(Body),
}

/// What is still to be looked at.
pub(super) enum Work<'t> {
    Node(Node<'t>, NodeContext<'t>),
    /// The folder is again what it was before a subshell.
    Back(Folder),
    /// What came since may not have happened: another folder than this one is none that is known.
    Perhaps(Folder),
    /// A redirection that the grammar hangs on a whole list: it belongs to the list's last command, in the folder that this one
    /// finds.
    Redirect(Node<'t>),
    /// Commands follow each of which runs when those before it have succeeded.
    Chain,
    /// What came before has succeeded: only so many changes of folder may have failed.
    Sure(usize),
    /// Such commands end; they may have stopped halfway, in this folder or where some of them led.
    Doubt(Folder),
    /// What comes now runs where what came before has failed, maybe without going from this folder to another.
    Else(Folder),
    /// It ends.
    Either,
    /// A function is defined from here on.
    Defined(String),
    /// Variables are the script's own from here on.
    Set(Sets),
    /// What comes now runs in a folder that is not known.
    Adrift,
    /// A function that may be called anywhere: the folder is what it was unless calling it changes it.
    Called(Folder, usize),
    /// A loop ends, which began when the folder had been changed so often: what stands in it may run again where it led.
    Turns(Deferred, usize),
    /// A shell of its own begins: what is set in it is not set behind it.
    Enter,
    /// It ends.
    Leave,
    /// The body of a function begins.
    Begin,
    /// The body of a function ends: what is set in it is set where it is called.
    Body(String),
}

/// What surrounds a node.
#[derive(Clone, Default)]
pub(super) struct NodeContext<'t> {
    /// What its commands read.
    pub input: Input,
    /// Words that stand after a redirection and belong to its last command.
    pub more: Rc<[Node<'t>]>,
    /// It is a line of the script itself, not part of a command and in no subshell, and nothing before it on its line can make the shell drop
    /// the rest of it.
    pub top: bool,
    /// A redirection around the command gives it something else to read: one that the grammar hangs on a whole pipeline or list is its last
    /// command's.
    pub redirected: bool,
    /// Words are variables: an arithmetic expression.
    pub arithmetic: bool,
    /// Words are only compared, never opened.
    pub compared: bool,
}

/// What a command reads from its standard input, as far as the script says.
#[derive(Debug, Clone, Default)]
pub(super) enum Input {
    /// What comes then: a pipe, a file, a terminal.
    #[default]
    Unknown,
    /// This text.
    Text(Rc<str>),
    /// This text, after the shell has replaced parts of it.
    Partly(Rc<str>),
}

/// Where a command stands.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub input: &'c Input,
    /// Its source, shown when it is unclear.
    pub source: &'c str,
    /// Whether a function of the script may be meant.
    pub functions: bool,
    /// How many programs that run programs it stands behind.
    pub level: usize,
}

impl<'c> Call<'c> {
    pub fn new(input: &'c Input, source: &'c str) -> Self {
        Self {
            input,
            source,
            functions: true,
            level: 0,
        }
    }

    /// The same place behind one more program, which knows no functions.
    pub fn behind(self) -> Self {
        Self {
            functions: false,
            level: self.level + 1,
            ..self
        }
    }
}

/// To whom an assignment gives its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// To the script, which has the variable as its own from here on.
    Kept,
    /// To the script, somewhere among other assignments.
    Script,
    /// To the script and what it runs: `export`, `declare`.
    Declared,
    /// To one program.
    Program,
    /// To `read`, which splits a line with it and keeps nothing.
    ToRead,
}
