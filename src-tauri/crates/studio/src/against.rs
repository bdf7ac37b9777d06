//! What a report says of the record it was made of, to be held against that record later.

use crate::history::History;
use engine::RegisterMark;
use std::fmt;

/// The name of the report's `meta` element that holds it.
pub(crate) const NAME: &str = "gatehouse-record";

/// How far the run and the project's register were. Written `run=… events=… link=… register=…:…`, in signs that HTML leaves alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub run: String,
    pub events: u64,
    /// The chain's link of the last event, in hexadecimal digits.
    pub link: String,
    pub register: Option<RegisterMark>,
}

impl Mark {
    /// Of a run as of an event; `None` of one without events.
    pub fn of_run(history: &History, at: Option<u64>, register: Option<RegisterMark>) -> Option<Self> {
        let last = history.until(at).last()?;
        Some(Self {
            run: history.id().to_string(),
            events: last.seq,
            link: hex::encode(last.hash),
            register,
        })
    }

    /// Of a report's text.
    pub fn of_report(html: &str) -> Option<Self> {
        let (_, rest) = html.split_once(&format!("<meta name=\"{NAME}\" content=\""))?;
        let (content, _) = rest.split_once('"')?;
        let field = |name: &str| {
            let mut words = content.split(' ').filter_map(|word| word.split_once('='));
            words.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
        };
        let register = field("register").and_then(|text| {
            let (entries, head) = text.split_once(':')?;
            Some(RegisterMark {
                entries: entries.parse().ok()?,
                head: head.to_owned(),
            })
        });
        Some(Self {
            run: field("run")?,
            events: field("events")?.parse().ok()?,
            link: field("link")?,
            register,
        })
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run={} events={} link={}", self.run, self.events, self.link)?;
        match &self.register {
            Some(mark) => write!(f, " register={}:{}", mark.entries, mark.head),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_report_says_of_its_record_is_read_back() {
        let mut mark = Mark {
            run: "018f-1".into(),
            events: 12,
            link: "ab".repeat(32),
            register: Some(RegisterMark {
                entries: 3,
                head: "cd".repeat(32),
            }),
        };
        let page = |mark: &Mark| format!("<html><meta name=\"{NAME}\" content=\"{mark}\"><p>run=other</p>");
        assert_eq!(Mark::of_report(&page(&mark)), Some(mark.clone()));
        mark.register = None;
        assert_eq!(Mark::of_report(&page(&mark)), Some(mark));
        for none in [
            "",
            "<html></html>",
            "<meta name=\"gatehouse-record\" content=\"run=x events=many link=y\">",
        ] {
            assert_eq!(Mark::of_report(none), None, "{none}");
        }
    }
}
