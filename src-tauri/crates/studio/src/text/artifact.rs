//! Files that steps made, ready to be looked at, with what changed by line and by word.

use crate::gate::view::{ArtifactKind, ArtifactView, ChangesView};
use crate::text::markdown;
use crate::text::safe;
use engine::{Artifact, Digest};
use similar::{ChangeTag, TextDiff};

/// Files above this size are named, not shown: a page must stay light.
const SHOWN_BYTES: u64 = 1 << 20;

/// An artifact for display; `earlier` is the version an earlier round showed, with its round.
pub fn view(
    made: &Artifact,
    blobs: &dyn Fn(&Digest) -> Option<Vec<u8>>,
    earlier: Option<(u32, &Digest)>,
    differs_on_disk: bool,
) -> ArtifactView {
    let (round, digest) = earlier.unzip();
    let since = round.map(|round| format!("since round {round}"));
    ArtifactView {
        same_since: round.filter(|_| digest == Some(&made.digest)),
        differs_on_disk,
        ..beside(made, blobs, digest, &since.unwrap_or_default())
    }
}

/// An artifact with what changed beside another version of it; `since`: which one that is, in words.
pub fn beside(
    made: &Artifact,
    blobs: &dyn Fn(&Digest) -> Option<Vec<u8>>,
    other: Option<&Digest>,
    since: &str,
) -> ArtifactView {
    let text = (made.bytes <= SHOWN_BYTES)
        .then(|| blobs(&made.digest))
        .flatten()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .filter(|text| !text.contains('\0'));
    let kind = match &text {
        None => ArtifactKind::Binary,
        Some(_) if markdown::is_markdown(&made.path) => ArtifactKind::Markdown,
        Some(_) => ArtifactKind::Text,
    };
    let changes = match (&text, other) {
        (Some(now), Some(digest)) if *digest != made.digest => blobs(digest)
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map(|before| changes(&before, now, since, kind)),
        _ => None,
    };
    ArtifactView {
        path: made.path.clone(),
        bytes: made.bytes,
        digest: made.digest.to_string(),
        kind,
        html: text.map(|text| {
            if kind == ArtifactKind::Markdown {
                markdown::html(&text)
            } else {
                markdown::preformatted(&text)
            }
        }),
        changes,
        same_since: None,
        differs_on_disk: false,
        was_there: made.was_there,
    }
}

/// What changed, Markdown rendered, other text line by line and by word inside changed lines; long unchanged stretches are
/// left out. Lines are counted either way.
fn changes(before: &str, now: &str, since: &str, kind: ArtifactKind) -> ChangesView {
    let diff = TextDiff::from_lines(before, now);
    let (mut added, mut removed) = (0, 0);
    let mut html = String::new();
    for (i, group) in diff.grouped_ops(3).iter().enumerate() {
        if i > 0 {
            html.push_str("<hr>");
        }
        html.push_str("<pre>");
        for op in group {
            for change in diff.iter_inline_changes(op) {
                let tag = match change.tag() {
                    ChangeTag::Equal => None,
                    ChangeTag::Insert => {
                        added += 1;
                        Some("ins")
                    }
                    ChangeTag::Delete => {
                        removed += 1;
                        Some("del")
                    }
                };
                let whole_line = change.iter_strings_lossy().all(|(strong, _)| !strong);
                for (strong, text) in change.iter_strings_lossy() {
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
    let rendered = (kind == ArtifactKind::Markdown)
        .then(|| crate::text::changes::rendered(before, now))
        .flatten();
    ChangesView {
        since: since.to_owned(),
        html: rendered.unwrap_or(html),
        added,
        removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_name_what_came_and_went() {
        let view = changes(
            "one\ntwo words here\nthree\n",
            "one\ntwo other here\nthree\n",
            "since round 1",
            ArtifactKind::Text,
        );
        assert_eq!((view.added, view.removed), (1, 1));
        assert!(
            view.html.contains("<ins>other</ins>") && view.html.contains("<del>words</del>"),
            "{}",
            view.html
        );
    }
}
