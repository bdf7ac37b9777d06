//! What a program may not do, whoever wrote it. The kernel enforces it, where it can.

use std::path::PathBuf;

/// What a program, and all that it starts, is kept from.
///
/// Always, whatever stands here: it gains no rights by what it executes (`sudo`), signals and traces no process that it did not start, and
/// mounts nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// Files and folders of these paths, absolute, cannot be changed, removed, moved or replaced. What is not there cannot be kept from being made.
    pub fixed: Vec<PathBuf>,
    /// Folders below fixed ones that can be changed all the same, but for what is fixed below them.
    pub own: Vec<PathBuf>,
    /// What files and folders of these paths hold is not there for it: files are empty, and so are folders.
    pub hidden: Vec<PathBuf>,
    /// A folder below a hidden one that is there for it all the same, with what lies in it: the way there, and nothing beside it.
    pub desk: Option<PathBuf>,
    /// Symbolic links of these paths, absolute, stay what they are and where they are: what is fixed or hidden lies behind them, and whoever could put
    /// another one in their place would choose what is covered next time. They are no other protection of what they lead to.
    pub links: Vec<PathBuf>,
    /// It reaches no other machine and no server of this one that it has not started itself. Sockets that are files are files.
    pub offline: bool,
    /// What it may use up.
    pub limits: Limits,
}

/// What each of a program's processes may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Memory of one process, in bytes.
    pub memory: u64,
    /// Processes and threads of this person, all together. Does not hold for root.
    pub processes: u64,
    /// The largest file, in bytes.
    pub file: u64,
}

impl Default for Limits {
    /// 4 GiB of memory, 8192 processes, files of 64 GiB.
    fn default() -> Self {
        Self {
            memory: 4 << 30,
            processes: 8192,
            file: 64 << 30,
        }
    }
}

/// What the kernel of this machine enforces of a [`Confinement`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Enforced {
    /// Fixed and hidden files.
    pub files: bool,
    /// That links stay where they are ([`Confinement::links`]).
    pub links: bool,
    /// That no process outside is signalled.
    pub signals: bool,
    /// That no process outside is traced, and nothing is mounted.
    pub outside: bool,
    /// Limits, and the system calls that lead around the rest.
    pub calls: bool,
    /// That what is offline reaches nothing.
    pub network: bool,
}

impl Enforced {
    /// What is not enforced of a confinement, in words for a person; nothing when all is.
    pub fn lacks(self, of: &Confinement) -> Vec<&'static str> {
        let all = [
            (self.files, "protected and secret files"),
            (self.signals, "signals to other programs"),
            (self.outside, "tracing of other programs, and mounting"),
            (self.calls, "limits of memory and processes"),
            (self.network || !of.offline, "the network that is denied"),
        ];
        all.into_iter()
            .filter(|(held, _)| !held)
            .map(|(_, what)| what)
            .collect()
    }
}
