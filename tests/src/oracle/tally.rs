//! Counting and printing.

use super::case::{Case, Fault, Level};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How many passed, of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Score {
    /// Passed.
    pub passed: usize,
    /// All.
    pub total: usize,
}

/// One file's cases.
#[derive(Debug)]
pub struct FileTally {
    name: String,
    scores: BTreeMap<Level, Score>,
    failures: Vec<(Level, String, Fault)>,
}

/// Everything that was run.
#[derive(Debug, Default)]
pub struct Tally {
    /// By file.
    pub files: Vec<FileTally>,
    /// Formats whose cases were not run, with how many there are.
    pub not_covered: Vec<(String, usize)>,
    /// Totals that do not add up, files that are missing: these fail the oracle as a `must` does.
    pub broken: Vec<String>,
}

impl FileTally {
    /// Nothing counted yet.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            scores: BTreeMap::new(),
            failures: Vec::new(),
        }
    }

    /// Counts one case.
    pub fn count(&mut self, case: &Case, outcome: Result<(), Fault>) {
        let score = self.scores.entry(case.level).or_default();
        score.total += 1;
        match outcome {
            Ok(()) => score.passed += 1,
            Err(fault) => self.failures.push((case.level, case.id.clone(), fault)),
        }
    }

    /// How many cases were counted.
    pub fn total(&self) -> usize {
        self.scores.values().map(|s| s.total).sum()
    }

    /// Cases that did not pass: level, id, why.
    pub fn failures(&self) -> &[(Level, String, Fault)] {
        &self.failures
    }

    fn print(&self, out: &mut String, all: bool) {
        let scores: Vec<String> = Level::ALL
            .iter()
            .filter_map(|level| Some((level, self.scores.get(level)?)))
            .map(|(level, s)| format!("{} {}/{}", level.word(), s.passed, s.total))
            .collect();
        let _ = writeln!(out, "{:<46} {}", self.name, scores.join("   "));
        for (level, id, fault) in self.failures.iter().filter(|(level, ..)| all || *level != Level::May) {
            let _ = writeln!(out, "    {} {id}: {}", level.word(), words(fault));
        }
        if !all {
            self.print_may(out);
        }
    }

    /// What may fail is counted, with one example a kind.
    fn print_may(&self, out: &mut String) {
        let mut kinds: BTreeMap<String, (usize, &str, &Fault)> = BTreeMap::new();
        for (_, id, fault) in self.failures.iter().filter(|(level, ..)| *level == Level::May) {
            let kind = match fault {
                Fault::Differs(_) => "differ from the original".to_owned(),
                Fault::NotImplemented(why) => format!("not implemented: {why}"),
            };
            kinds.entry(kind).or_insert((0, id, fault)).0 += 1;
        }
        for (kind, (count, id, fault)) in kinds {
            let example = match fault {
                Fault::Differs(how) => format!("{id}: {how}"),
                Fault::NotImplemented(_) => id.to_owned(),
            };
            let _ = writeln!(out, "    may: {count} {kind} (for example {example})");
        }
    }
}

fn words(fault: &Fault) -> String {
    match fault {
        Fault::Differs(how) => how.clone(),
        Fault::NotImplemented(why) => format!("not implemented: {why}"),
    }
}

impl Tally {
    /// The sum of one level.
    pub fn score(&self, level: Level) -> Score {
        let mut sum = Score::default();
        for score in self.files.iter().filter_map(|f| f.scores.get(&level)) {
            sum.passed += score.passed;
            sum.total += score.total;
        }
        sum
    }

    /// Whether every `must` passed and every total adds up.
    pub fn holds(&self) -> bool {
        let must = self.score(Level::Must);
        self.broken.is_empty() && must.passed == must.total
    }

    /// What a person reads; the last line is the total. `all` names what may fail case by case, too.
    pub fn print(&self, all: bool) -> String {
        let mut out = String::new();
        for file in &self.files {
            file.print(&mut out, all);
        }
        for (format, cases) in &self.not_covered {
            let _ = writeln!(out, "{:<46} not covered yet: {cases} cases", format!("{format}/"));
        }
        for broken in &self.broken {
            let _ = writeln!(out, "BROKEN: {broken}");
        }
        let scores: Vec<String> = Level::ALL
            .iter()
            .map(|level| (level, self.score(*level)))
            .map(|(level, s)| format!("{} {}/{}", level.word(), s.passed, s.total))
            .collect();
        let _ = writeln!(out, "total: {}", scores.join(", "));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn case(id: &str, level: Level) -> Case {
        Case {
            id: id.into(),
            level,
            body: Value::Null,
        }
    }

    #[test]
    fn a_must_that_fails_fails_everything_and_is_named() {
        let mut file = FileTally::new("stepwise/x.json");
        file.count(&case("a", Level::Must), Ok(()));
        file.count(&case("b", Level::May), Err(Fault::NotImplemented("no navigator")));
        let mut tally = Tally {
            files: vec![file],
            ..Tally::default()
        };
        assert!(tally.holds());
        assert!(tally.print(false).ends_with("total: must 1/1, should 0/0, may 0/1\n"));

        tally.files[0].count(&case("c", Level::Must), Err(Fault::differs("2 instead of 1")));
        assert!(!tally.holds());
        assert!(
            tally.print(false).contains("must c: 2 instead of 1"),
            "{}",
            tally.print(false)
        );
    }

    #[test]
    fn totals_that_do_not_add_up_fail() {
        let tally = Tally {
            broken: vec!["x.json declares 3 cases, 2 were run".into()],
            ..Tally::default()
        };
        assert!(!tally.holds());
        assert!(tally.print(false).contains("declares 3 cases"));
    }
}
