//! Files that steps made, ready to be looked at: Markdown rendered and sanitised, text escaped, differences by word.

use crate::gate::view::{ArtifactKind, ArtifactView, ChangesView};
use engine::{Artifact, Digest};
use pulldown_cmark::Options;
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
    let text = (made.bytes <= SHOWN_BYTES)
        .then(|| blobs(&made.digest))
        .flatten()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .filter(|text| !text.contains('\0'));
    let kind = match &text {
        None => ArtifactKind::Binary,
        Some(_) if is_markdown(&made.path) => ArtifactKind::Markdown,
        Some(_) => ArtifactKind::Text,
    };
    let changes = match (&text, earlier) {
        (Some(now), Some((round, digest))) if *digest != made.digest => blobs(digest)
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map(|before| changes(&before, now, &format!("since round {round}"), kind)),
        _ => None,
    };
    let same_since = earlier
        .filter(|(_, digest)| **digest == made.digest)
        .map(|(round, _)| round);
    ArtifactView {
        path: made.path.clone(),
        bytes: made.bytes,
        digest: made.digest.to_string(),
        kind,
        html: text.map(|text| {
            if kind == ArtifactKind::Markdown {
                markdown(&text)
            } else {
                preformatted(&text)
            }
        }),
        changes,
        same_since,
        differs_on_disk,
        was_there: made.was_there,
    }
}

/// Whether a file is shown as a document.
pub fn is_markdown(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    lower.ends_with(".md") || lower.ends_with(".markdown")
}

/// Markdown as sanitised HTML: no script, no style, no remote image, links open outside.
pub fn markdown(text: &str) -> String {
    use pulldown_cmark::{Parser, html};
    let mut rendered = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut rendered, Parser::new_ext(&visible_text(text), OPTIONS));
    sanitised(&rendered)
}

/// What of Markdown is read beyond its core.
pub const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

/// Characters that would act on a screen or turn the reading order are shown as what they are.
pub fn visible_text(text: &str) -> String {
    text.split_inclusive('\n').map(visible_line).collect()
}

/// Nesting that no text has: to read it as a tree costs the square of its depth.
const DEEPEST: usize = 256;

/// Whether elements stand in each other more deeply than [`DEEPEST`].
fn is_too_deep(html: &str) -> bool {
    const ALONE: [&str; 6] = ["br", "hr", "img", "input", "wbr", "col"];
    let mut depth = 0_usize;
    for part in html.split('<').skip(1) {
        let closes = part.starts_with('/');
        let name: String = part.chars().take_while(char::is_ascii_alphanumeric).collect();
        let opens = !name.is_empty() && !ALONE.contains(&name.to_ascii_lowercase().as_str());
        match (closes, opens) {
            (true, _) => depth = depth.saturating_sub(1),
            (false, true) => depth += 1,
            (false, false) => {}
        }
        if depth > DEEPEST {
            return true;
        }
    }
    false
}

/// HTML without anything that could act. What is nested too deeply is shown as the text that it is.
pub fn sanitised(rendered: &str) -> String {
    if is_too_deep(rendered) {
        return format!("<pre>{}</pre>", escape(rendered));
    }
    ammonia::Builder::default()
        .rm_tags(["img"])
        .link_rel(Some("noopener noreferrer"))
        .clean(rendered)
        .to_string()
}

/// The words of a Markdown text, on one line.
pub fn plain(text: &str) -> String {
    use pulldown_cmark::{Event, Parser};
    let mut out = String::new();
    for event in Parser::new(text) {
        match event {
            Event::Text(words) | Event::Code(words) => out.push_str(&words),
            Event::SoftBreak | Event::HardBreak | Event::End(_) if !out.ends_with(' ') => out.push(' '),
            _ => {}
        }
    }
    crate::run::log::visible(out.trim())
}

/// The words of a document's first heading.
pub fn heading(text: &str) -> Option<String> {
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};
    let mut words: Option<String> = None;
    for event in Parser::new(text) {
        match (&mut words, event) {
            (None, Event::Start(Tag::Heading { .. })) => words = Some(String::new()),
            (Some(words), Event::Text(text) | Event::Code(text)) => words.push_str(&text),
            (Some(words), Event::SoftBreak | Event::HardBreak) => words.push(' '),
            (Some(_), Event::End(TagEnd::Heading(_))) => break,
            _ => {}
        }
    }
    words
        .map(|words| crate::run::log::visible(words.trim()))
        .filter(|words| !words.is_empty())
}

/// Text as it is.
pub fn preformatted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(crate::run::log::visible).collect();
    format!("<pre>{}</pre>", escape(&lines.join("\n")))
}

fn visible_line(line: &str) -> String {
    let text = line.trim_end_matches(['\n', '\r']);
    crate::run::log::visible(text) + if line.ends_with('\n') { "\n" } else { "" }
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
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
                    let text = escape(&crate::run::log::visible(text.trim_end_matches(['\n', '\r'])));
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
    fn markdown_is_rendered_without_what_could_act() {
        let html = markdown("# Title\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> [a](javascript:x)\n");
        assert!(html.contains("<h1>Title</h1>"));
        for bad in ["script", "onerror", "javascript", "<img"] {
            assert!(!html.contains(bad), "{bad} in {html}");
        }
    }

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

    #[test]
    fn what_is_nested_without_end_is_shown_as_text() {
        let deep = markdown(&"<div>".repeat(100_000));
        assert!(deep.starts_with("<pre>&lt;div&gt;"), "{}", &deep[..60]);
        let fine = markdown(&"<div>a</div>\n\n- b\n".repeat(500));
        assert!(fine.contains("<li>b</li>"), "{}", &fine[..200]);
    }
}
