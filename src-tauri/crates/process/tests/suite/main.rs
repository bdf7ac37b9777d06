//! Programs are started, listened to and ended, with all that they start.

mod commands;
#[cfg(target_os = "linux")]
mod confining;
mod conversations;
#[cfg(target_os = "linux")]
mod daemons;
#[cfg(target_os = "linux")]
#[path = "../../../../../tests/src/looking.rs"]
mod looking;
#[cfg(target_os = "linux")]
mod terminals;

use process::{MARK, Order, Watch};
use std::future::Future;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Ends the command when it has printed this.
struct Until<'a> {
    word: &'a str,
    printed: Mutex<Vec<(&'static str, String)>>,
    seen: Notify,
}

impl<'a> Until<'a> {
    fn new(word: &'a str) -> Self {
        Self {
            word,
            printed: Mutex::default(),
            seen: Notify::new(),
        }
    }
}

impl Watch for Until<'_> {
    fn print(&self, stream: &'static str, text: &str) {
        self.printed
            .lock()
            .expect("nobody panicked")
            .push((stream, text.to_owned()));
        if text.contains(self.word) {
            self.seen.notify_one();
        }
    }

    fn stopped(&self) -> impl Future<Output = ()> + Send {
        self.seen.notified()
    }
}

/// An order for `sh -c script`, marked.
fn order<'a>(arguments: &'a [String], directory: &'a Path, mark: &str) -> Order<'a> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    Order {
        program: "sh",
        arguments,
        directory,
        environment: vec![("PATH".into(), path)],
        mark: mark.to_owned(),
        confinement: std::sync::Arc::default(),
    }
}

fn script(text: &str) -> Vec<String> {
    vec!["-c".to_owned(), text.to_owned()]
}

/// Waits for a number that a script writes into a file.
async fn number(file: &Path) -> u32 {
    let begun = Instant::now();
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        // A number is there when its line is.
        if let (true, Ok(number)) = (text.ends_with('\n'), text.trim().parse()) {
            return number;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{} was not written",
            file.display()
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn alive(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A process that has ended and was not yet collected is no longer at work.
    !status.is_empty()
        && !status
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .trim_start()
            .starts_with('Z')
}

async fn gone(pid: u32) {
    let begun = Instant::now();
    while alive(pid) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "process {pid} is still there"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn the_mark_of_a_whole_finds_its_parts_and_no_neighbour() {
    let folder = tempfile::tempdir().expect("a folder");
    let started = |mark: String, name: &str| {
        let words = script(&format!("echo $$ > {name}; exec sleep 1000"));
        let folder = folder.path().to_owned();
        tokio::spawn(async move {
            let order = order(&words, &folder, &mark);
            process::run(order, process::Talk::default(), &process::Nobody).await
        })
    };
    let whole = format!("whole {}", std::process::id());
    let running = [
        started(whole.clone(), "a"),
        started(process::part_of(&whole, "part"), "b"),
        started(format!("{whole}0"), "c"),
    ];
    let mut pids = Vec::new();
    for name in ["a", "b", "c"] {
        pids.push(number(&folder.path().join(name)).await);
    }
    assert_eq!(process::kill_marked(whole).await, 2);
    gone(pids[0]).await;
    gone(pids[1]).await;
    assert!(alive(pids[2]), "{MARK} of another must not be taken for this one");
    for one in running {
        one.abort();
    }
    gone(pids[2]).await;
}
