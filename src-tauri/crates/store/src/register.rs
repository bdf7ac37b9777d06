//! The register of a project's runs: one chained entry whenever a run begins, is decided on or ends, with how far the run was and the link
//! of its log. Every signature covers the register as it stood, so that a run that is taken away, a tail that is cut off, or a log that is
//! computed anew contradicts every later decision, also those of other runs.

use crate::entries::{entry_hash, first, last};
use crate::rows::count;
use crate::run_row::unreadable;
use crate::{Error, Finding, FindingKind, Store, excerpt_mark};
use engine::{RegisterMark, RunId};
use rusqlite::{Connection, OptionalExtension, params};

/// A history of an earlier version, which may only be looked at, has none.
pub(crate) fn is_kept(c: &Connection) -> rusqlite::Result<bool> {
    c.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'register'")?
        .exists([])
}

impl Store {
    /// The register as it stands; absent: nothing is entered.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn register(&self) -> Result<Option<RegisterMark>, Error> {
        self.sql(|c| match is_kept(c)? {
            true => Ok(last(c)?.map(|(entries, hash)| RegisterMark {
                entries,
                head: hex::encode(hash),
            })),
            false => Ok(None),
        })
    }

    /// Whether the register is still the one that a signature, or a report, was made over: it has that many entries or more, and the
    /// link of the last of them is the same.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn register_continues(&self, mark: &RegisterMark) -> Result<bool, Error> {
        self.sql(|c| {
            if !is_kept(c)? {
                return Ok(false);
            }
            let n = i64::try_from(mark.entries).unwrap_or(i64::MAX);
            let hash: Option<[u8; 32]> = c
                .prepare_cached("SELECT hash FROM register WHERE n = ?1")?
                .query_row([n], |row| row.get(0))
                .optional()?;
            Ok(hash.is_some_and(|hash| hex::encode(hash) == mark.head))
        })
    }

    /// Checks the register: its own chain, and every entry against the log of its run. Runs whose row in the list cannot be read are named too.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn verify_register(&self) -> Result<Vec<Finding>, Error> {
        self.sql(|c| {
            let snapshot = c.unchecked_transaction()?;
            match is_kept(&snapshot)? {
                true => check(&snapshot),
                false => Ok(Vec::new()),
            }
        })
    }
}

/// Runs that the list of runs has lost, while their logs are there.
pub(crate) fn unlisted(c: &Connection) -> rusqlite::Result<Vec<String>> {
    if !is_kept(c)? {
        return Ok(Vec::new());
    }
    c.prepare(
        "SELECT DISTINCT run_id FROM register WHERE run_id NOT IN (SELECT run_id FROM runs)
         AND EXISTS (SELECT 1 FROM events WHERE events.run_id = register.run_id)",
    )?
    .query_map([], |row| row.get(0))?
    .collect()
}

/// Whether the log of a run is at least as long as the register knows it, and the same. A history without one knows nothing of it.
pub(crate) fn fits(c: &Connection, run: &RunId) -> rusqlite::Result<bool> {
    if !is_kept(c)? {
        return Ok(true);
    }
    let mut entries = c.prepare(
        "SELECT register.link IS events.hash FROM register
         LEFT JOIN events ON events.run_id = register.run_id AND events.seq = register.seq WHERE register.run_id = ?1",
    )?;
    let fits: Vec<bool> = entries
        .query_map([run.as_str()], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(!fits.is_empty() && fits.into_iter().all(|fits| fits))
}

fn check(c: &Connection) -> rusqlite::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut found = |run: &str, message: String| {
        findings.push(Finding {
            kind: FindingKind::Register,
            seq: None,
            subject: run.to_owned(),
            message,
        });
    };
    let mut entries = c.prepare("SELECT n, run_id, seq, link, hash FROM register ORDER BY n")?;
    let mut logged = c.prepare("SELECT hash FROM events WHERE run_id = ?1 AND seq = ?2")?;
    let mut known = c.prepare("SELECT 1 FROM events WHERE run_id = ?1 LIMIT 1")?;
    let mut rows = entries.query([])?;
    let (mut expected, mut previous) = (1, first());
    let mut said: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
    let left_out = excerpt_mark::left_out(c)?;
    while let Some(row) = rows.next()? {
        let (n, run, seq) = (count(row.get(0)?), row.get::<_, String>(1)?, count(row.get(2)?));
        let (link, hash): (Vec<u8>, Vec<u8>) = (row.get(3)?, row.get(4)?);
        if n != expected {
            found(
                &run,
                format!("entry {expected} of the project's register of runs is missing"),
            );
        }
        let hash_is = entry_hash(&previous, n, &run, seq, &link);
        if hash != hash_is {
            found(
                &run,
                format!("entry {n} of the project's register of runs was changed, or one before it"),
            );
        }
        (expected, previous) = (n + 1, hash.try_into().unwrap_or(hash_is));
        let there: Option<Vec<u8>> = logged
            .query_row(params![run, seq as i64], |row| row.get(0))
            .optional()?;
        let is_left_out = !left_out.is_empty() && left_out.contains(&RunId::from(run.as_str()));
        if there.as_ref() == Some(&link) || is_left_out || !said.insert(run.clone()) {
            continue;
        }
        found(
            &run,
            match there {
                Some(_) => {
                    format!("event {seq} of run {run} is not the one that was entered in the project's register")
                }
                None if known.exists([&run])? => {
                    format!(
                        "run {run} had at least {seq} events when it was entered in the project's register; its end was cut off"
                    )
                }
                None => format!("run {run} stands in the project's register and is gone"),
            },
        );
    }
    let is_part = excerpt_mark::is_marked(c)?;
    for run in unlisted(c)? {
        let again = match is_part {
            true => String::new(),
            false => format!("; `gatehouse rebuild {run}` lists it again"),
        };
        found(&run, format!("run {run} is missing from the list of runs{again}"));
    }
    let mut strangers = c.prepare("SELECT run_id FROM runs WHERE run_id NOT IN (SELECT run_id FROM register)")?;
    let strangers = strangers.query_map([], |row| row.get::<_, String>(0))?;
    for run in strangers {
        let run = run?;
        found(&run, format!("run {run} was never entered in the project's register"));
    }
    // The log is not touched by it: the list is written anew from there.
    findings.extend(unreadable(c)?.into_iter().map(|run| Finding {
        kind: FindingKind::Projection,
        seq: None,
        message: format!("the list of runs says of run {run} what no run can be"),
        subject: run,
    }));
    Ok(findings)
}
