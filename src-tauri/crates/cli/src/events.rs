//! `gatehouse events`.

use crate::arguments::{Events, Words};
use crate::out;
use crate::out::{Exit, Failure};
use crate::project;
use std::path::Path;
use std::time::Duration;
use studio::Vocabulary;

/// Prints the events of a run.
pub async fn events(at: Option<&Path>, a: &Events) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let vocabulary = a.vocabulary.map(|words| match words {
        Words::Stepwise => Vocabulary::Stepwise,
        Words::Bmad => Vocabulary::Bmad,
        Words::Native => Vocabulary::Native,
    });
    let mut lines = studio.event_lines(&a.run, vocabulary, 0)?;
    loop {
        let ended = studio.has_ended(&a.run)?;
        lines.new_ones(&studio)?.iter().for_each(out::json);
        if !a.follow || ended || out::is_lost() {
            return Ok(Exit::Done);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
