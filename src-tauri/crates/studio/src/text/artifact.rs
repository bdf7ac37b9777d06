//! Files that steps made, ready to be looked at, with what changed by line and by word.

use crate::gate::view::{ArtifactKind, ArtifactView, ChangesView};
use crate::text::compared::Compared;
use crate::text::media::{self, Media};
use crate::text::{document, markdown, safe, word};
use engine::{Artifact, Digest};
use similar::{ChangeTag, DiffTag, InlineChange, TextDiff};
use std::time::{Duration, Instant};

/// Texts above this size are named, not shown: a page must stay light.
const SHOWN_BYTES: u64 = 1 << 20;

/// Two versions are compared for so long: whoever is asked must not wait for it.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is said of versions that were not compared to the end by then.
const CUT_SHORT: &str = "<p><em>These two versions differ in so much that they are compared coarsely: lines that are the same may be marked as \
                         removed and added, and in lines that were changed the words are not marked.</em></p>";

/// What a file holds that can be shown.
pub enum Shown {
    /// A text.
    Text(String),
    /// A Word document.
    Word(word::Drawn),
    /// A PDF document or a picture, which the page draws.
    Drawn {
        /// What it is.
        media: Media,
        /// Text stands before it in the file, which is not drawn.
        is_preceded: bool,
    },
}

impl Shown {
    /// Whether all of it that prints can be shown. Whether it is, of what a page draws only the page knows.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::Word(drawn) => drawn.is_whole,
            Self::Text(_) | Self::Drawn { .. } => true,
        }
    }

    /// The words by which versions are compared, of what has some.
    fn words(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Word(drawn) => Some(&drawn.words),
            Self::Drawn { .. } => None,
        }
    }
}

/// Why a file cannot be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotShown {
    /// In a sentence.
    pub words: &'static str,
    /// In few words, beside its name.
    pub short: &'static str,
}

/// An artifact for display; `earlier` is the version an earlier round showed, with its round.
pub fn view(
    made: &Artifact,
    blobs: &dyn Fn(&Digest) -> Option<Vec<u8>>,
    earlier: Option<(u32, &Digest)>,
    differs_on_disk: bool,
) -> ArtifactView {
    view_again(made, blobs, earlier, differs_on_disk, &Compared::default())
}

/// The same for what is looked at again and again. `compared`: what is known of versions that were compared before.
pub fn view_again(
    made: &Artifact,
    blobs: &dyn Fn(&Digest) -> Option<Vec<u8>>,
    earlier: Option<(u32, &Digest)>,
    differs_on_disk: bool,
    compared: &Compared,
) -> ArtifactView {
    let (round, digest) = earlier.unzip();
    let since = round.map(|round| format!("since round {round}"));
    let view = beside_again(made, blobs, digest, &since.unwrap_or_default(), compared);
    let other = earlier.filter(|(_, before)| **before != made.digest && view.changes.is_none());
    let replaced = other.map(|(round, before)| replaced(made, round, before, blobs(before).map(|held| held.len())));
    let remarks: Vec<String> = replaced.into_iter().chain(view.remark).collect();
    ArtifactView {
        same_since: round.filter(|_| digest == Some(&made.digest)),
        differs_on_disk,
        remark: (!remarks.is_empty()).then(|| remarks.join(" ")),
        ..view
    }
}

/// That a file is another one than an earlier round showed, where what changed cannot be told by its words. `bytes`: how large it was, where that is
/// known.
fn replaced(made: &Artifact, round: u32, before: &Digest, bytes: Option<usize>) -> String {
    let short = |digest: &Digest| digest.as_str().chars().take(12).collect::<String>();
    let was = bytes.map(|bytes| format!("{bytes} bytes, ")).unwrap_or_default();
    format!(
        "This is another file than the one of round {round} ({was}SHA-256 {}…): it has {} bytes now, SHA-256 {}…. What is different \
         in it is not told here.",
        short(before),
        made.bytes,
        short(&made.digest),
    )
}

/// An artifact with what changed beside another version of it; `since`: which one that is, in words.
pub fn beside(
    made: &Artifact,
    blobs: &dyn Fn(&Digest) -> Option<Vec<u8>>,
    other: Option<&Digest>,
    since: &str,
) -> ArtifactView {
    beside_again(made, blobs, other, since, &Compared::default())
}

fn beside_again(
    made: &Artifact,
    blobs: &dyn Fn(&Digest) -> Option<Vec<u8>>,
    other: Option<&Digest>,
    since: &str,
    compared: &Compared,
) -> ArtifactView {
    let shown = read(made, blobs);
    let kind = match &shown {
        Err(_) => ArtifactKind::Binary,
        Ok(Shown::Drawn { media: Media::Pdf, .. }) => ArtifactKind::Pdf,
        Ok(Shown::Drawn { .. }) => ArtifactKind::Picture,
        Ok(Shown::Word(_)) => ArtifactKind::Word,
        Ok(Shown::Text(_)) if markdown::is_markdown(&made.path) => ArtifactKind::Markdown,
        Ok(Shown::Text(_)) => ArtifactKind::Text,
    };
    let changes = match (shown.as_ref().ok().and_then(Shown::words), other) {
        (Some(now), Some(digest)) if *digest != made.digest => {
            let compare = || {
                let before = held(&made.path, blobs(digest)?).ok()?;
                Some(changes(before.words()?, now, kind, Instant::now() + PATIENCE))
            };
            compared.of(&made.path, (digest, &made.digest), compare)
        }
        _ => None,
    };
    let changes = changes.map(|changes| ChangesView {
        since: since.to_owned(),
        ..changes
    });
    let remark = match &shown {
        Ok(Shown::Word(drawn)) if !drawn.is_whole => Some(word::PARTLY.to_owned()),
        Ok(Shown::Word(_)) => Some(word::REMARK.to_owned()),
        Ok(Shown::Drawn { media, is_preceded }) => {
            let before = is_preceded.then(|| {
                "Text stands in this file before the PDF document, which is not drawn: a program that reads it as text shows that.".to_owned()
            });
            let said: Vec<String> = before.into_iter().chain(media.misnamed(&made.path)).collect();
            (!said.is_empty()).then(|| said.join(" "))
        }
        Ok(Shown::Text(_)) | Err(_) => None,
    };
    let partly = shown.as_ref().is_ok_and(|shown| !shown.is_whole());
    let (html, written, not_shown) = match shown {
        Ok(Shown::Text(text)) => {
            let is_blank = text.trim().is_empty();
            let html = match kind {
                _ if text.is_empty() => "<p>The file is empty.</p>".to_owned(),
                _ if is_blank => "<p>The file holds only blank lines.</p>".to_owned(),
                ArtifactKind::Markdown => document::html(&text),
                _ => markdown::preformatted(&text),
            };
            let is_drawn = kind == ArtifactKind::Markdown && !is_blank;
            (Some(html), is_drawn.then(|| markdown::preformatted(&text)), None)
        }
        Ok(Shown::Word(drawn)) => (Some(drawn.html), None, None),
        Ok(Shown::Drawn { .. }) => (None, None, None),
        Err(why) => (None, None, Some(why)),
    };
    ArtifactView {
        path: made.path.clone(),
        bytes: made.bytes,
        digest: made.digest.to_string(),
        kind,
        html,
        written,
        not_shown: not_shown.map(|why| why.words.to_owned()),
        not_shown_short: not_shown
            .map(|why| why.short.to_owned())
            .or_else(|| partly.then(|| "not all of it can be drawn".to_owned())),
        partly,
        unseen_before: false,
        remark,
        changes,
        same_since: None,
        differs_on_disk: false,
        was_there: made.was_there,
    }
}

/// What a file holds as it can be shown, or why it cannot.
///
/// # Errors
/// It holds no text and nothing that a page draws, or too much of it.
pub fn read(made: &Artifact, blobs: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Result<Shown, NotShown> {
    if made.bytes > media::LARGEST {
        return Err(NotShown {
            words: "This file is larger than 32 MiB and is not shown here.",
            short: "larger than 32 MiB",
        });
    }
    let bytes = blobs(&made.digest).ok_or(NotShown {
        words: "What this file holds cannot be read here.",
        short: "cannot be read",
    })?;
    held(&made.path, bytes)
}

/// What bytes hold as it can be shown, or what they are.
fn held(path: &str, bytes: Vec<u8>) -> Result<Shown, NotShown> {
    let unread = |words| NotShown {
        words,
        short: "cannot be read",
    };
    if let Some(media) = media::of(&bytes) {
        if media.is_cut_off(&bytes) {
            return Err(NotShown {
                words: "This picture is cut off: its end is missing, so it is not shown here.",
                short: "is cut off",
            });
        }
        let is_preceded = media == Media::Pdf && media::pdf_begins(&bytes) != Some(0);
        return Ok(Shown::Drawn { media, is_preceded });
    }
    if let Some(why) = word::of_older_kind(path, &bytes) {
        return Err(unread(why));
    }
    if word::is_named_so(path) && bytes.starts_with(PACKED) {
        return word::read(&bytes).map(Shown::Word).map_err(unread);
    }
    if bytes.len() as u64 > SHOWN_BYTES {
        return Err(NotShown {
            words: "This file is larger than 1 MiB and is not shown here.",
            short: "larger than 1 MiB",
        });
    }
    text_of(path, bytes).map(Shown::Text)
}

/// How packed files begin.
const PACKED: &[u8] = b"PK\x03\x04";

/// The text that bytes stand for where that is certain, or what they are.
fn text_of(path: &str, bytes: Vec<u8>) -> Result<String, NotShown> {
    const BINARY: NotShown = NotShown {
        words: "This file holds no text: it cannot be shown here.",
        short: "holds no text",
    };
    const UNCERTAIN: NotShown = NotShown {
        words: "This text is written in another encoding than UTF-8 or UTF-16 (perhaps Windows-1252). Which letters its bytes stand for is not \
                certain, so it is not shown here.",
        short: "another encoding",
    };
    if bytes.starts_with(PACKED) {
        return Err(match path.to_ascii_lowercase().ends_with(".xlsx") {
            true => NotShown {
                words: "This is an Excel workbook: it cannot be shown here.",
                short: "Excel workbook",
            },
            false => NotShown {
                words: "This is a packed file (ZIP, Office): it cannot be shown here.",
                short: "packed file",
            },
        });
    }
    let wide = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => Some((rest, u16::from_le_bytes as fn([u8; 2]) -> u16)),
        [0xfe, 0xff, rest @ ..] => Some((rest, u16::from_be_bytes as fn([u8; 2]) -> u16)),
        _ => None,
    };
    let text = match wide {
        Some((rest, unit)) if rest.len().is_multiple_of(2) => {
            let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
            char::decode_utf16(units)
                .collect::<Result<String, _>>()
                .map_err(|_| BINARY)?
        }
        Some(_) => return Err(BINARY),
        None => {
            let is_text = !bytes.contains(&0);
            let text = String::from_utf8(bytes).map_err(|_| match is_text {
                true => UNCERTAIN,
                false => BINARY,
            })?;
            // It only says how the text is encoded.
            text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
        }
    };
    match text.contains('\0') {
        true => Err(BINARY),
        false => Ok(text),
    }
}

/// What changed, Markdown rendered, other text line by line and by word inside changed lines. Lines are counted either way. `until`: when what is
/// left is told coarsely.
fn changes(before: &str, now: &str, kind: ArtifactKind, until: Instant) -> ChangesView {
    let diff = TextDiff::configure().deadline(until).diff_lines(before, now);
    let changed = || diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    let count = |lines: usize| u32::try_from(lines).unwrap_or(u32::MAX);
    let rendered = match kind {
        ArtifactKind::Markdown => crate::text::changes::rendered(before, now, until),
        _ => None,
    };
    let is_rendered = rendered.is_some();
    let html = rendered.unwrap_or_else(|| by_lines(&diff, until));
    let html = match kind {
        // Nothing is rendered of what was not compared to the end.
        _ if !html.is_empty() && !is_rendered && Instant::now() >= until => format!("{CUT_SHORT}{html}"),
        _ if !html.is_empty() => html,
        ArtifactKind::Word => {
            "<p>No word is different, and no picture, embedded file or other part that is not drawn: what changed is how it looks, or how it is \
             written down.</p>"
                .to_owned()
        }
        _ => "<p>No word is different: what changed is how the text is written down.</p>".to_owned(),
    };
    ChangesView {
        since: String::new(),
        html,
        added: count(changed().map(|op| op.new_range().len()).sum()),
        removed: count(changed().map(|op| op.old_range().len()).sum()),
    }
}

/// Line by line, and by word inside changed lines as long as there is time; long unchanged stretches are left out.
fn by_lines(diff: &TextDiff<'_, '_, str>, until: Instant) -> String {
    let mut html = String::new();
    for (i, group) in diff.grouped_ops(3).iter().enumerate() {
        if i > 0 {
            html.push_str("<hr>");
        }
        html.push_str("<pre>");
        for op in group {
            let lines: Vec<InlineChange<'_, str>> = match Instant::now() < until {
                true => diff.iter_inline_changes_deadline(op, Some(until)).collect(),
                false => diff.iter_changes(op).map(InlineChange::from).collect(),
            };
            for line in &lines {
                let tag = match line.tag() {
                    ChangeTag::Equal => None,
                    ChangeTag::Insert => Some("ins"),
                    ChangeTag::Delete => Some("del"),
                };
                let whole_line = line.iter_strings_lossy().all(|(strong, _)| !strong);
                for (strong, text) in line.iter_strings_lossy() {
                    let text = markdown::escape(&safe::visible(text.trim_end_matches(['\n', '\r'])));
                    match tag {
                        Some(tag) if strong || whole_line => html.push_str(&format!("<{tag}>{text}</{tag}>")),
                        _ => html.push_str(&text),
                    }
                }
                html.push('\n');
            }
        }
        html.push_str("</pre>");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str, bytes: &[u8]) -> ArtifactView {
        let made = Artifact {
            path: path.to_owned(),
            digest: "ab".into(),
            bytes: bytes.len() as u64,
            was_there: false,
            executable: None,
        };
        beside(&made, &|_| Some(bytes.to_vec()), None, "")
    }

    #[test]
    fn what_cannot_be_shown_is_named_with_what_it_is() {
        let cases: [(&str, &[u8], &str); 5] = [
            ("a.png", b"\x89PNG\r\n\x1a\n", "is cut off"),
            ("a.docx", b"PK\x03\x04\0", "a Word document that is damaged"),
            ("a.txt", b"Caf\xe9 50 \x80", "another encoding"),
            ("a.bin", b"a\0b", "holds no text"),
            ("a.txt", b"\xff\xfea", "holds no text"),
        ];
        for (path, bytes, says) in cases {
            let view = shown(path, bytes);
            assert!(view.html.is_none() && view.kind == ArtifactKind::Binary, "{path}");
            assert!(
                view.not_shown.as_deref().is_some_and(|why| why.contains(says)),
                "{view:?}"
            );
            assert!(view.not_shown_short.is_some_and(|why| why.len() < 24), "{path}");
        }
    }

    #[test]
    fn what_a_page_draws_is_told_by_what_it_holds_and_has_no_changes() {
        let cases: [(&str, &[u8], ArtifactKind); 4] = [
            ("a.txt", b"%PDF-1.4\n1 0 obj\n", ArtifactKind::Pdf),
            ("a", b"\x89PNG\r\n\x1a\n\0\0\0\0IEND1234", ArtifactKind::Picture),
            ("a.pdf", b"See %PDF-1.4", ArtifactKind::Text),
            ("a.svg", b"<svg/>", ArtifactKind::Text),
        ];
        for (path, bytes, kind) in cases {
            let view = shown(path, bytes);
            assert_eq!((view.kind, view.not_shown), (kind, None), "{path}");
            assert_eq!(view.html.is_some(), kind == ArtifactKind::Text, "{path}");
            assert_eq!(
                view.remark.is_some(),
                kind != ArtifactKind::Text,
                "{path} is not called so"
            );
        }
        assert_eq!(shown("a.pdf", b"%PDF-1.4\n").remark, None);
        let preceded = shown("a.pdf", b"Pay nothing.\n%PDF-1.4\nstartxref\n9\n%%EOF\n");
        assert_eq!(preceded.kind, ArtifactKind::Pdf);
        assert!(
            preceded
                .remark
                .is_some_and(|said| said.contains("before the PDF document")),
            "what is not drawn is named"
        );
        // A version that was a PDF document is not compared as if it had been a text.
        let made = |digest: &str| Artifact {
            path: "a.md".into(),
            digest: digest.into(),
            bytes: 9,
            was_there: false,
            executable: None,
        };
        let blobs = |digest: &Digest| match digest.as_str() {
            "pdf" => Some(b"%PDF-1.4\n".to_vec()),
            _ => Some(b"# Pay\n".to_vec()),
        };
        for (now, other) in [("pdf", "text"), ("text", "pdf")] {
            let view = beside(&made(now), &blobs, Some(&Digest::from(other)), "since round 1");
            assert_eq!(view.changes, None, "{now}");
        }
    }

    #[test]
    fn a_document_that_was_replaced_since_a_round_says_so() {
        let made = Artifact {
            path: "a.pdf".into(),
            digest: "bb22".into(),
            bytes: 9,
            was_there: false,
            executable: None,
        };
        let blobs = |digest: &Digest| match digest.as_str() {
            "aa11" => Some(b"%PDF-1.4 longer\n".to_vec()),
            _ => Some(b"%PDF-1.4\n".to_vec()),
        };
        let since = |before: &str| view(&made, &blobs, Some((2, &Digest::from(before))), false).remark;
        let said = since("aa11").expect("it is another one");
        for part in ["round 2", "16 bytes, SHA-256 aa11", "9 bytes now, SHA-256 bb22"] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(since("bb22"), None, "the same");
        assert_eq!(view(&made, &blobs, None, false).remark, None, "the first round");
    }

    #[test]
    fn what_is_too_large_says_which_limit_it_exceeds() {
        let said = |bytes: u64, content: &[u8]| {
            let made = Artifact {
                path: "a".into(),
                digest: "ab".into(),
                bytes,
                was_there: false,
                executable: None,
            };
            let view = beside(&made, &|_| Some(content.to_vec()), None, "");
            (view.kind, view.not_shown.unwrap_or_default())
        };
        assert_eq!(said(media::LARGEST, b"%PDF-1.7").0, ArtifactKind::Pdf);
        let (kind, why) = said(media::LARGEST + 1, b"%PDF-1.7");
        assert!(kind == ArtifactKind::Binary && why.contains("32 MiB"), "{why}");
        let (kind, why) = said(SHOWN_BYTES + 1, "x".repeat(SHOWN_BYTES as usize + 1).as_bytes());
        assert!(kind == ArtifactKind::Binary && why.contains("1 MiB"), "{why}");
    }

    #[test]
    fn texts_of_two_bytes_a_letter_and_empty_files_are_shown() {
        let same: [&[u8]; 3] = [b"\xff\xfeP\0a\0y\0", b"\xfe\xff\0P\0a\0y", b"\xef\xbb\xbfPay"];
        for bytes in same {
            assert_eq!(shown("a.txt", bytes).html.as_deref(), Some("<pre>Pay</pre>"));
        }
        for path in ["a.txt", "a.md"] {
            let view = shown(path, b"");
            assert_eq!(view.html.as_deref(), Some("<p>The file is empty.</p>"));
            assert_eq!((view.not_shown, view.written), (None, None));
            let blank = shown(path, b"\n \n\n");
            assert_eq!(blank.html.as_deref(), Some("<p>The file holds only blank lines.</p>"));
            assert_eq!((blank.not_shown, blank.written), (None, None));
        }
    }

    #[test]
    fn a_document_can_be_read_as_it_is_written() {
        let view = shown("a.md", b"# Pay <!-- 10 -->\n");
        assert_eq!(view.written.as_deref(), Some("<pre># Pay &lt;!-- 10 --&gt;</pre>"));
        assert!(view.html.is_some_and(|html| html.contains("&lt;!-- 10 --&gt;")));
    }

    #[test]
    fn changes_name_what_came_and_went() {
        let (before, now) = ("one\ntwo words here\nthree\n", "one\ntwo other here\nthree\nfour\n");
        let later = Instant::now() + Duration::from_secs(600);
        let view = changes(before, now, ArtifactKind::Text, later);
        assert_eq!((view.added, view.removed), (2, 1));
        assert!(
            view.html.contains("<ins>other</ins>") && view.html.contains("<del>words</del>"),
            "{}",
            view.html
        );
        assert!(!view.html.contains(CUT_SHORT), "{}", view.html);
    }

    #[test]
    fn what_is_not_compared_to_the_end_says_so_and_lacks_nothing() {
        let (before, now) = ("# A\n\none two\n\nlast\n", "# A\n\none three\n\nlast\n\nmore\n");
        for kind in [ArtifactKind::Text, ArtifactKind::Markdown, ArtifactKind::Word] {
            let view = changes(before, now, kind, Instant::now());
            assert!(view.html.starts_with(CUT_SHORT), "{}", view.html);
            for says in ["<del>one two</del>", "<ins>one three</ins>", "<ins>more</ins>"] {
                assert!(view.html.contains(says), "{says} in {}", view.html);
            }
        }
    }

    /// Block by block each of these would be compared with each, for minutes.
    #[test]
    fn two_long_texts_that_have_little_in_common_are_told_soon() {
        let text = |name: &str, long: usize| {
            let paragraph = |n: usize| {
                let words = (0..long).map(|i| format!("{name}{}", (n * 131 + i * 7919) % 99_991));
                words.collect::<Vec<_>>().join(" ")
            };
            (0..3_500).map(paragraph).collect::<Vec<_>>().join("\n\n")
        };
        let (before, now) = (text("a", 8), text("b", 40));
        for kind in [ArtifactKind::Text, ArtifactKind::Markdown] {
            let begun = Instant::now();
            let view = changes(&before, &now, kind, begun + PATIENCE);
            assert!(view.added > 0 && view.removed > 0);
            assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
        }
    }

    #[test]
    fn versions_that_were_compared_are_not_read_again() {
        let made = Artifact {
            path: "a.md".into(),
            digest: "now".into(),
            bytes: 9,
            was_there: false,
            executable: None,
        };
        let compared = Compared::default();
        let looked = |earlier: Option<&[u8]>, round: u32| {
            let blobs = |digest: &Digest| match digest.as_str() {
                "now" => Some(b"# Pay 20\n".to_vec()),
                _ => earlier.map(<[u8]>::to_vec),
            };
            view_again(&made, &blobs, Some((round, &"before".into())), false, &compared).changes
        };
        assert_eq!(looked(None, 1), None);
        let first = looked(Some(b"# Pay 10\n".as_slice()), 1).expect("it was compared");
        assert_eq!(first.since, "since round 1");
        let again = looked(None, 2).expect("it is known");
        assert_eq!((again.since.as_str(), again.html), ("since round 2", first.html));
    }
}
