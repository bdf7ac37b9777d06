//! What a report says of the record it was made of, to be held against that record later.

use crate::run::history::History;
use crate::text::safe;
use engine::RegisterMark;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::fmt;
use std::time::{Duration, Instant};

/// The name of the report's `meta` element that holds it.
pub(crate) const NAME: &str = "gatehouse-record";

/// How far the run and the project's register were, and how the report was made, so that the same can be made again. Written `run=… events=…
/// link=… register=…:… made=… version=… maker=… key=… zone=… left_open=…`, in signs that HTML leaves alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub run: String,
    pub events: u64,
    /// The chain's link of the last event, in hexadecimal digits.
    pub link: String,
    pub register: Option<RegisterMark>,
    /// Absent in reports of earlier versions.
    pub made: Option<Made>,
}

/// When, where and by whom a report was made: nothing of it stands in the record, and the report's text depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Made {
    /// Milliseconds since 1970.
    pub at: i64,
    pub zone: Option<chrono_tz::Tz>,
    /// Of Gatehouse.
    pub version: String,
    /// Empty: nobody has given a name.
    pub maker: String,
    /// The public key of their account, in hexadecimal digits: what the report says of its own account's answers.
    pub key: String,
    /// Nobody carried the run on, which had not ended.
    pub left_open: bool,
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
            made: None,
        })
    }

    /// With how the report was made.
    pub fn made(self, made: Made) -> Self {
        let made = Some(made);
        Self { made, ..self }
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
        let made = || {
            Some(Made {
                at: field("made")?.parse().ok()?,
                zone: field("zone").and_then(|zone| zone.parse().ok()),
                version: field("version")?,
                maker: String::from_utf8(hex::decode(field("maker")?).ok()?).ok()?,
                key: field("key")?,
                left_open: field("left_open").is_some(),
            })
        };
        Some(Self {
            run: field("run")?,
            events: field("events")?.parse().ok()?,
            link: field("link")?,
            register,
            made: made(),
        })
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run={} events={} link={}", self.run, self.events, self.link)?;
        if let Some(mark) = &self.register {
            write!(f, " register={}:{}", mark.entries, mark.head)?;
        }
        let Some(made) = &self.made else {
            return Ok(());
        };
        let (maker, version, key) = (hex::encode(&made.maker), &made.version, &made.key);
        write!(f, " made={} version={version} maker={maker} key={key}", made.at)?;
        if let Some(zone) = made.zone {
            write!(f, " zone={zone}")?;
        }
        match made.left_open {
            true => f.write_str(" left_open=yes"),
            false => Ok(()),
        }
    }
}

/// Around what a check of the record found when the report was made: that may be another thing now.
pub(crate) const CHECK: [&str; 2] = ["<!--check of the record-->", "<!--end of the check-->"];

/// So many differences of a report are shown.
const SHOWN: usize = 10;

/// Texts that have little in common are compared roughly after so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a report's text is not that of the report that is made of the same events in the same way now: what it says, and what that says, in the
/// order of the text. Either is empty where one says something more.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Differences {
    /// In what is made of the record.
    pub record: Vec<(String, String)>,
    /// In what a check of the record found, which may find something else by now.
    pub check: Vec<(String, String)>,
}

impl Differences {
    /// Of a report that is given, beside one made now.
    pub fn between(given: &str, now: &str) -> Self {
        let ((given, given_check), (now, now_check)) = (apart(given), apart(now));
        Self {
            record: differences(&given, &now),
            check: differences(&given_check, &now_check),
        }
    }

    /// Those of the record in words.
    pub fn words(differences: &[(String, String)]) -> String {
        let short = |text: &str| format!("“{}”", safe::shortened(text, 160));
        let one = |(given, now): &(String, String)| match (given.is_empty(), now.is_empty()) {
            (false, true) => format!("it says {}, which is not in that", short(given)),
            (true, false) => format!("it lacks {}", short(now)),
            _ => format!("it says {} in place of {}", short(given), short(now)),
        };
        let mut words: Vec<String> = differences.iter().take(SHOWN).map(one).collect();
        let more = differences.len().saturating_sub(SHOWN);
        words.extend((more > 0).then(|| format!("{more} more")));
        words.join("; ")
    }
}

/// What a page shows, and apart from that what it says of a check of the record.
fn apart(html: &str) -> (Vec<String>, Vec<String>) {
    let [begins, ends] = CHECK;
    let parts = html
        .split_once(begins)
        .and_then(|(before, rest)| rest.split_once(ends).map(|(check, after)| (before, check, after)));
    match parts {
        Some((before, check, after)) => (lines(before).chain(lines(after)).collect(), lines(check).collect()),
        None => (lines(html).collect(), Vec::new()),
    }
}

fn differences(given: &[String], now: &[String]) -> Vec<(String, String)> {
    let until = Instant::now() + PATIENCE;
    let found = capture_diff_slices_deadline(Algorithm::Myers, given, now, Some(until));
    let changed = found.iter().filter(|one| !matches!(one, DiffOp::Equal { .. }));
    let joined = |lines: &[String], range: std::ops::Range<usize>| lines[range].join(" ");
    changed
        .map(|one| (joined(given, one.old_range()), joined(now, one.new_range())))
        .collect()
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
            made: Some(Made {
                at: 1_700_000_000_000,
                zone: Some(chrono_tz::Europe::Paris),
                version: "1.2.3".into(),
                maker: "Ada “<b>” Lund=".into(),
                key: "ef".repeat(32),
                left_open: true,
            }),
        };
        let page = |mark: &Mark| format!("<html><meta name=\"{NAME}\" content=\"{mark}\"><p>run=other</p>");
        assert_eq!(Mark::of_report(&page(&mark)), Some(mark.clone()));
        if let Some(made) = &mut mark.made {
            (made.zone, made.left_open, made.maker) = (None, false, String::new());
        }
        assert_eq!(Mark::of_report(&page(&mark)), Some(mark.clone()));
        (mark.register, mark.made) = (None, None);
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
    fn a_changed_text_is_named_also_where_the_word_stands_elsewhere() {
        let page = "<html><style>a{}</style><body title=\"x\"><!--check of the record--><p>Verified</p><!--end of the check--><p>A ok?</p><b>approved</b>\
                    <p>Ada</p><b>rejected</b><script>let a = '<p>';</script></body></html>";
        assert_eq!(Differences::between(page, page), Differences::default());
        for (from, to, named) in [
            ("A ok?", "Pay Mallory?", "it says “Pay Mallory?” in place of “A ok?”"),
            ("title=\"x\"", "title=\"y\"", "title=\"y\""),
            (">approved", ">rejected", "it says “rejected” in place of “approved”"),
            ("<p>Ada</p>", "", "it lacks “Ada”"),
            (
                "<p>Ada</p>",
                "<p>Ada</p><i>Ada</i>",
                "it says “Ada”, which is not in that",
            ),
        ] {
            let found = Differences::between(&page.replace(from, to), page);
            assert!(Differences::words(&found.record).contains(named), "{found:?}");
            assert_eq!(found.check, []);
        }
        let check = Differences::between(&page.replace("Verified", "Altered"), page);
        assert_eq!(check.record, []);
        assert_eq!(check.check, [("Altered".to_owned(), "Verified".to_owned())]);
        // Without its end it hides nothing.
        let open = Differences::between(&page.replace("<!--end of the check-->", ""), page);
        assert!(!open.record.is_empty(), "{open:?}");
    }
}
