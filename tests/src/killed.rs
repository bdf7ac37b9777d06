//! Programs that are killed at a boundary between two events of a run, and the loop in which a person would bring the run to its end
//! all the same.

use crate::program;
use crate::project::Project;
use std::fmt;
use std::ops::RangeInclusive;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many programs are started before the run counts as one that does not come to its end.
const MOST: usize = 40;

/// When a program kills itself as `kill -9` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kill {
    /// `BEFORE` the event is durable, or `AFTER`.
    when: &'static str,
    /// Which event of the run.
    seq: u64,
    /// Programs before this one are left alone.
    from: usize,
}

impl fmt::Display for Kill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "killed {} event {}", self.when, self.seq)?;
        match self.from {
            0 => Ok(()),
            from => write!(f, ", from program {from} on"),
        }
    }
}

/// Every boundary of these events of a run; programs before `from` are left alone.
pub fn boundaries(events: RangeInclusive<u64>, from: usize) -> impl Iterator<Item = Kill> {
    events.flat_map(move |seq| ["BEFORE", "AFTER"].map(|when| Kill { when, seq, from }))
}

/// A third of them, before and after events in turn; all where `KILLED_EVERYWHERE` is set: a long run of many programs takes minutes.
pub fn thirds(kills: impl Iterator<Item = Kill>) -> impl Iterator<Item = Kill> {
    let step = match std::env::var_os("KILLED_EVERYWHERE") {
        Some(_) => 1,
        None => 3,
    };
    kills.step_by(step)
}

/// What a person does next.
pub enum Next<T> {
    /// Gives an order.
    Say(Vec<String>),
    /// Gives the same order once more.
    Again,
    /// Nothing: this is what the run came to.
    Done(T),
}

impl<T> Next<T> {
    /// An order in words.
    pub fn say(words: &[&str]) -> Self {
        Self::Say(words.iter().map(|word| (*word).to_owned()).collect())
    }
}

/// Carries a run to its end as a person would: `first` starts it, `next` looks at what came of it and says how to go on. The program in
/// which the event comes up kills itself, once; the next one goes on without it. `codes`: how programs that are not killed may end.
/// Returns what the run came to, and whether anything was killed.
///
/// # Panics
/// A program ends otherwise, or the run does not come to its end.
pub fn carry_out<T>(
    project: &Project,
    first: &[&str],
    codes: &[i32],
    mut kill: Option<Kill>,
    mut next: impl FnMut() -> Next<T>,
) -> (T, bool) {
    let what = kill.map_or_else(|| "undisturbed".to_owned(), |kill| kill.to_string());
    let mut killed = false;
    let mut order: Vec<String> = first.iter().map(|word| (*word).to_owned()).collect();
    for number in 0..MOST {
        let ended = status(project, &order, kill.filter(|kill| number >= kill.from));
        if ended.signal() == Some(9) {
            killed = true;
            kill = None;
        } else {
            let code = ended.code();
            assert!(
                code.is_some_and(|code| codes.contains(&code)),
                "{what}: {order:?}: {ended}"
            );
        }
        match next() {
            Next::Say(words) => order = words,
            Next::Again => {}
            Next::Done(end) => return (end, killed),
        }
    }
    panic!("{what}: the run does not come to its end; the last order was {order:?}");
}

fn status(project: &Project, order: &[String], kill: Option<Kill>) -> ExitStatus {
    let words: Vec<&str> = order.iter().map(String::as_str).collect();
    let mut command = program::command(&project.root, &words).expect("gatehouse is built");
    if let Some(kill) = kill {
        command.env(format!("GATEHOUSE_KILL_{}_EVENT", kill.when), kill.seq.to_string());
    }
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().expect("it can be started")
}

/// Tries every one of them, two at a time: half of the time one program waits for another.
pub fn each(kills: impl IntoIterator<Item = Kill>, check: impl Fn(Kill) + Sync) {
    let kills: Vec<Kill> = kills.into_iter().collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(kill) = kills.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(*kill);
                }
            });
        }
    });
}

/// A run's history is whole: nothing in it was changed.
///
/// # Panics
/// `gatehouse verify` finds something.
pub fn verified(project: &Project, run: &engine::RunId, what: &str) {
    let said = project
        .gatehouse(&["verify", run.as_str()])
        .expect("gatehouse is built");
    assert_eq!(said.code, Some(0), "{what}: {} {}", said.out, said.err);
}
