//! What a report says of the record it was made of, to be held against that record later.

use crate::run::history::History;
use crate::text::safe;
use engine::RegisterMark;
use std::collections::BTreeSet;
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

/// So many lines of a report are shown.
const SHOWN: usize = 10;

/// What of a report's text is not in the report that would be written now of the same events, a sentence. Anybody can change the text of a
/// file that they send on; what changes by itself (when it was made, how long something waits) differs, too.
pub(crate) fn text(given: &str, now: &str) -> String {
    let known: BTreeSet<String> = lines(now).collect();
    let others: Vec<String> = lines(given).filter(|line| !known.contains(line)).collect();
    if others.is_empty() {
        return "Its text is that of a report which is written now.".to_owned();
    }
    let mut shown: Vec<String> = others
        .iter()
        .take(SHOWN)
        .map(|line| format!("“{}”", safe::shortened(line, 160)))
        .collect();
    let more = others.len().saturating_sub(SHOWN);
    shown.extend((more > 0).then(|| format!("{more} more")));
    format!(
        "Its text is not proved by that: these lines are not in a report which is written now of the same events; look whether they are more than \
         times and who made it: {}",
        shown.join(", ")
    )
}

/// What a page shows, piece by piece, blanks made one; what is no text is left out.
fn lines(html: &str) -> impl Iterator<Item = String> {
    let mut rest = html;
    let pieces = std::iter::from_fn(move || {
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('<') {
                let hidden = ["style", "script"].into_iter().find(|name| {
                    let begins = inside
                        .get(..name.len())
                        .is_some_and(|begin| begin.eq_ignore_ascii_case(name));
                    begins && inside[name.len()..].starts_with(['>', ' '])
                });
                let end = hidden.map_or(">".to_owned(), |name| format!("</{name}>"));
                let at = rest.find(&end).map_or(rest.len(), |at| at + end.len());
                // What stands in attributes is shown, too: as a title, an address, a picture's words.
                let (tag, behind) = rest.split_at(at);
                rest = behind;
                if hidden.is_none() && tag.contains('"') {
                    return Some(tag);
                }
                continue;
            }
            let at = rest.find('<').unwrap_or(rest.len());
            let (piece, behind) = rest.split_at(at);
            rest = behind;
            return Some(piece);
        }
        None
    });
    let plain = pieces.map(|piece| piece.split_whitespace().collect::<Vec<_>>().join(" "));
    plain.filter(|piece| !piece.is_empty())
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

    #[test]
    fn a_changed_text_is_named() {
        let page = "<html><style>a{}</style><body title=\"x\"><p>A ok?</p><p>Ada approved.</p><script>let a = '<p>';</script></body></html>";
        assert_eq!(text(page, page), "Its text is that of a report which is written now.");
        for (from, to, named) in [
            ("A ok?", "Pay Mallory?", "“Pay Mallory?”"),
            ("title=\"x\"", "title=\"y\"", "title=\"y\""),
            ("Ada", "Grace", "“Grace approved.”"),
        ] {
            let said = text(&page.replace(from, to), page);
            assert!(said.contains(named), "{said}");
        }
    }
}
