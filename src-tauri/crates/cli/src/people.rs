//! `gatehouse people`: who decided with which key, and what is known of the keys.

use crate::arguments::{People, PeopleAct};
use crate::out;
use crate::out::{Exit, Failure};
use crate::project;
use std::path::Path;
use studio::command::Nothing;
use studio::settings::keys;

/// Shows the people of a project, after what is to be kept of one of their keys.
pub fn people(at: Option<&Path>, a: &People) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    match &a.act {
        None => {}
        Some(PeopleAct::Confirm { fingerprint, name }) => {
            if let Some(revoked) = studio.confirm(&fingerprint.concat(), name)?
                && !a.json
            {
                out::line(format!("This takes back that the key is {revoked}."));
                out::line("");
            }
        }
        Some(PeopleAct::Revoke { fingerprint, from, why }) => {
            let from = from.as_deref().map(keys::beginning_of).transpose()?;
            studio.revoke_from(&fingerprint.concat(), from, why)?;
        }
    }
    let view = studio.people(Nothing {})?;
    if a.json {
        out::json(&view);
        return Ok(Exit::Done);
    }
    out::line("your key, to be read out to others:");
    print_key(&view.own.fingerprint);
    for one in &view.people {
        let times = match one.decisions {
            0 => "has not decided here".to_owned(),
            1 => "1 decision here".to_owned(),
            n => format!("{n} decisions here"),
        };
        let seen = one.first_seen.zip(one.last_seen);
        let seen = seen.map(|(first, last)| match (keys::day(first), keys::day(last)) {
            (first, last) if first == last => format!(", on {first}"),
            (first, last) => format!(", from {first} to {last}"),
        });
        out::line("");
        out::line(format!("{}: {times}{}", one.name, seen.unwrap_or_default()));
        out::line(format!("    {}", one.words));
        print_key(&one.fingerprint);
    }
    if view.people.is_empty() {
        out::line("");
        out::line("nobody has decided in this project yet");
    }
    Ok(Exit::Done)
}

/// Four rows of four groups: as much as can be read out in one breath.
fn print_key(fingerprint: &str) {
    let groups: Vec<&str> = fingerprint.split(' ').collect();
    for row in groups.chunks(4) {
        out::line(format!("    {}", row.join(" ")));
    }
}
