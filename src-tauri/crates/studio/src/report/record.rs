//! What a report says of the record it was made of, to be held against that record later.

use crate::report::checks::Said;
use crate::run::{history::History, status::Undriven};
use crate::text::safe;
use engine::RegisterMark;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::fmt;
use std::time::{Duration, Instant};

/// The name of the report's `meta` element that holds it.
pub(crate) const NAME: &str = "gatehouse-record";

/// Of a run that waits for a person while nobody carries it on.
const WAITS: &str = "waits";
/// Of one that somebody carried on while it was handed over.
const HANDED_OVER: &str = "handed_over";

/// How far the run and the project's register were, and how the report was made, so that the same can be made again. Written `run=… events=…
/// link=… register=…:… made=… version=… maker=… key=… zone=… inside=… left_open=…`.
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
    /// Nobody carried the run on, which was at work; or somebody did, while it was handed over.
    pub undriven: Option<Undriven>,
    /// The runs inside of which it tells, and how many events of each; reports of earlier versions tell nothing of them.
    pub inside: Option<Vec<(String, u64)>>,
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
        // The page has it as HTML: `zone=Europe&#x2f;Paris`.
        let content = read(content);
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
                inside: field("inside").and_then(|told| {
                    let told = told.split(',').filter(|one| !one.is_empty());
                    let each = told.map(|one| {
                        let (run, events) = one.split_once(':')?;
                        Some((run.to_owned(), events.parse().ok()?))
                    });
                    each.collect()
                }),
                undriven: field("left_open").map(|how| match how.as_str() {
                    WAITS => Undriven::Waits,
                    HANDED_OVER => Undriven::HandedOver,
                    _ => Undriven::LeftOpen,
                }),
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
        if let Some(inside) = &made.inside {
            let told = inside.iter().map(|(run, events)| format!("{run}:{events}"));
            write!(f, " inside={}", told.collect::<Vec<_>>().join(","))?;
        }
        match made.undriven {
            Some(Undriven::LeftOpen) => f.write_str(" left_open=yes"),
            Some(Undriven::Waits) => write!(f, " left_open={WAITS}"),
            Some(Undriven::HandedOver) => write!(f, " left_open={HANDED_OVER}"),
            None => Ok(()),
        }
    }
}

/// Around what a check of the record found when the report was made, and whose keys were known then: both may be another thing now, and for
/// another reader.
pub(crate) const CHECK: [&str; 2] = ["<!--check of the record-->", "<!--end of the check-->"];

/// The tags that stand in there; others would hide something behind what is only noted.
const OF_CHECK: [&str; 12] = [
    "<p>",
    "</p>",
    "<p class=\"muted small\">",
    "<span class=\"chip done\">",
    "<span class=\"chip failed\">",
    "<span class=\"chip waiting\">",
    "<span class=\"muted\">",
    "</span>",
    "<ul>",
    "</ul>",
    "<li>",
    "</li>",
];

/// So many differences of a report are shown, each so long, and so much of what is alike around it.
const SHOWN: usize = 10;
const LONGEST: usize = 160;
const AROUND: usize = 30;

/// Texts that have little in common are compared roughly after so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a report is not the one that is made of the same events in the same way now: what stands there, and what stands in that, in their
/// order. Either is empty where one has something more.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Differences {
    /// In what is made of the record: all of the page, how it looks too, and what stands among checks that no check says.
    pub record: Vec<(String, String)>,
    /// In what a check of the record found, which may find something else by now.
    pub check: Vec<(String, String)>,
}

impl Differences {
    /// Of a report that is given, beside one made now. `said`: what can stand among checks.
    pub fn between(given: &str, now: &str, said: &Said) -> Self {
        let ((given, given_checks), (now, now_checks)) = (apart(given), apart(now));
        let mut record = differences(&given, &now);
        record.extend(strange(&given_checks, &now_checks, said));
        Self {
            record,
            check: differences(&given_checks.concat(), &now_checks.concat()),
        }
    }

    /// Those of the record in words.
    pub fn words(differences: &[(String, String)]) -> String {
        let one = |(given, now): &(String, String)| match (given.is_empty(), now.is_empty()) {
            (false, true) => format!("it says “{}”, which is not in that", shortened(given)),
            (true, false) => format!("it lacks “{}”", shortened(now)),
            _ => {
                let (given, now) = unlike(given, now);
                format!("it says “{given}” in place of “{now}”")
            }
        };
        let mut words: Vec<String> = differences.iter().take(SHOWN).map(one).collect();
        words.extend((differences.len() > SHOWN).then(|| "and more".to_owned()));
        words.join("; ")
    }
}

fn shortened(text: &str) -> String {
    safe::shortened(read(text).trim(), LONGEST)
}

/// A text of a page as it is read there.
fn read(text: &str) -> String {
    let marks = [
        ("&#x27;", "'"),
        ("&#x2f;", "/"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    marks
        .iter()
        .fold(text.to_owned(), |text, (mark, sign)| text.replace(mark, sign))
}

/// Two texts from a little before where they begin to differ.
fn unlike(given: &str, now: &str) -> (String, String) {
    let alike = given.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
    let skipped = alike.saturating_sub(AROUND);
    let cut = |text: &str| -> String {
        let rest: String = text.chars().skip(skipped).collect();
        match skipped {
            0 => shortened(&rest),
            _ => format!("…{}", shortened(&rest)),
        }
    };
    (cut(given), cut(now))
}

/// What stands in a report among checks and is nothing that one says, now or ever, and what it lacks that follows from the record; place by place.
fn strange(given: &[Vec<String>], now: &[Vec<String>], said: &Said) -> Vec<(String, String)> {
    let texts =
        |pieces: &[String]| -> Vec<String> { pieces.iter().map(|piece| read(piece).trim().to_owned()).collect() };
    let mut found = Vec::new();
    for (nth, pieces) in given.iter().enumerate() {
        let now = now.get(nth).map(|now| texts(now)).unwrap_or_default();
        let is_strange = |piece: &&String| match piece.starts_with('<') {
            true => !OF_CHECK.contains(&piece.as_str()),
            false => {
                let text = read(piece);
                !now.iter().any(|now| now == text.trim()) && !said.can_be(&text, &now)
            }
        };
        // One beyond those that are shown tells that there are more: each may take a while.
        let strange = pieces
            .iter()
            .filter(is_strange)
            .take((SHOWN + 1).saturating_sub(found.len()));
        found.extend(strange.map(|piece| (piece.clone(), String::new())));
    }
    let told: Vec<String> = given.iter().flat_map(|pieces| texts(pieces)).collect();
    let lacking = said.always.iter().filter(|one| !told.contains(one));
    found.extend(lacking.map(|one| (String::new(), one.clone())));
    found
}

/// A page piece by piece, and apart from that what it says of checks of the record, place by place.
fn apart(html: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let [begins, ends] = CHECK;
    let (mut page, mut check) = (Vec::new(), Vec::new());
    let mut rest = html;
    while let Some((before, behind)) = rest.split_once(begins) {
        let Some((inside, after)) = behind.split_once(ends) else {
            break;
        };
        page.extend(pieces(before));
        // Where it stands is part of the page: elsewhere nothing is only noted.
        page.push(begins.to_owned());
        check.push(pieces(inside).collect());
        rest = after;
    }
    page.extend(pieces(rest));
    (page, check)
}

/// Tags and what stands between them. Nothing is left out: a style hides as well as a word says.
fn pieces(html: &str) -> impl Iterator<Item = String> {
    let mut rest = html;
    let pieces = std::iter::from_fn(move || {
        let end = match rest.strip_prefix('<') {
            Some(_) => rest.find('>').map_or(rest.len(), |at| at + 1),
            None => rest.find('<').unwrap_or(rest.len()),
        };
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    });
    let pieces = pieces.map(|piece| piece.replace("\r\n", "\n"));
    pieces.filter(|piece| !piece.trim().is_empty())
}

fn differences(given: &[String], now: &[String]) -> Vec<(String, String)> {
    let until = Instant::now() + PATIENCE;
    let found = capture_diff_slices_deadline(Algorithm::Myers, given, now, Some(until));
    let changed = found.iter().filter(|one| !matches!(one, DiffOp::Equal { .. }));
    let joined = |pieces: &[String], range: std::ops::Range<usize>| pieces[range].concat();
    changed
        .map(|one| (joined(given, one.old_range()), joined(now, one.new_range())))
        .collect()
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
                undriven: Some(Undriven::LeftOpen),
                inside: Some(vec![("018f-2".into(), 7), ("018f-3".into(), 1)]),
            }),
        };
        // As the page is made: what HTML writes otherwise is written so, the line in the name of a zone too.
        let page = |mark: &Mark| {
            let mark = mark.to_string().replace('/', "&#x2f;");
            format!("<html><meta name=\"{NAME}\" content=\"{mark}\"><p>run=other</p>")
        };
        assert_eq!(Mark::of_report(&page(&mark)), Some(mark.clone()));
        for undriven in [Some(Undriven::Waits), Some(Undriven::HandedOver), None] {
            if let Some(made) = &mut mark.made {
                (made.zone, made.undriven, made.maker) = (None, undriven, String::new());
            }
            assert_eq!(Mark::of_report(&page(&mark)), Some(mark.clone()));
        }
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
        let between = |given: &str| Differences::between(given, page, &Said::default());
        assert_eq!(between(page), Differences::default());
        for (from, to, named) in [
            ("A ok?", "Pay Mallory?", "it says “Pay Mallory?” in place of “A ok?”"),
            ("title=\"x\"", "title=\"y\"", "title=\"y\""),
            (
                "<p>Ada</p>",
                "<p hidden>Ada</p>",
                "it says “<p hidden>” in place of “<p>”",
            ),
            (
                "a{}",
                "a{}b{display:none}",
                "it says “a{}b{display:none}” in place of “a{}”",
            ),
            ("let a", "let b", "let b"),
            (">approved", ">rejected", "it says “rejected” in place of “approved”"),
            ("<p>Ada</p>", "", "it lacks “<p>Ada</p>”"),
            (
                "<p>Ada</p>",
                "<p>Ada</p><i>Ada</i>",
                "it says “<i>Ada</i>”, which is not in that",
            ),
        ] {
            let found = between(&page.replace(from, to));
            assert!(Differences::words(&found.record).contains(named), "{found:?}");
            assert_eq!(found.check, []);
        }
        let check = between(&page.replace("Verified", "Altered"));
        assert_eq!(check.record, []);
        assert_eq!(check.check, [("Altered".to_owned(), "Verified".to_owned())]);
        // What no check says is no check's.
        let said = between(&page.replace("Verified", "The board has approved it."));
        assert_eq!(
            Differences::words(&said.record),
            "it says “The board has approved it.”, which is not in that"
        );
        // What the record has in any case was taken out.
        let rejected = Said {
            always: vec!["Ann rejected “Pay?”.".to_owned()],
            ..Said::default()
        };
        let lacking = Differences::between(page, page, &rejected);
        assert_eq!(lacking.record, [(String::new(), "Ann rejected “Pay?”.".to_owned())]);
        // No other place is only noted.
        let more = "<p>Ada<!--check of the record--> withdrew it<!--end of the check--></p>";
        let more = between(&page.replace("<p>Ada</p>", more));
        assert_eq!(
            more.record.len(),
            2,
            "as a place of checks, and as what stands in it: {more:?}"
        );
        // What is only noted holds no more than words.
        let table = between(&page.replace("Verified</p>", "Verified</p><table><td>Ada</table>"));
        assert!(Differences::words(&table.record).contains("<table>"), "{table:?}");
        let long = "so it is ".repeat(50);
        let (given, now) = (format!("<p>{long}approved</p>"), format!("<p>{long}rejected</p>"));
        let found = Differences::words(&Differences::between(&given, &now, &Said::default()).record);
        assert!(found.contains("so it is approved” in place of “…"), "{found}");
        // Without its end it hides nothing.
        let open = between(&page.replace("<!--end of the check-->", ""));
        assert!(!open.record.is_empty(), "{open:?}");
    }
}
