//! Markdown rendered and sanitised, and text escaped for a page.

use crate::text::safe;
use pulldown_cmark::Options;

/// Whether a file is shown as a document.
pub fn is_markdown(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    lower.ends_with(".md") || lower.ends_with(".markdown")
}

/// Markdown as sanitised HTML: no script, no style, no remote image, links open outside.
pub fn html(text: &str) -> String {
    use pulldown_cmark::Parser;
    let mut rendered = String::with_capacity(text.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut rendered, Parser::new_ext(&visible_text(text), OPTIONS));
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
    let clean = ammonia::Builder::default()
        .rm_tags(["img"])
        .add_tags(["tfoot"])
        .add_tag_attributes("details", &["open"])
        .add_allowed_classes("code", &["written"])
        .add_allowed_classes("pre", &["written"])
        .link_rel(Some("noopener noreferrer"))
        .clean(rendered)
        .to_string();
    // What deceives may have been written by its number.
    visible_text(&clean)
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
    safe::visible(out.trim())
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
        .map(|words| safe::visible(words.trim()))
        .filter(|words| !words.is_empty())
}

/// Text as it is.
pub fn preformatted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(safe::visible).collect();
    format!("<pre>{}</pre>", escape(&lines.join("\n")))
}

fn visible_line(line: &str) -> String {
    let text = line.trim_end_matches(['\n', '\r']);
    safe::visible(text) + if line.ends_with('\n') { "\n" } else { "" }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_rendered_without_what_could_act() {
        let page = html("# Title\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> [a](javascript:x)\n");
        assert!(page.contains("<h1>Title</h1>"));
        for bad in ["script", "onerror", "javascript", "<img"] {
            assert!(!page.contains(bad), "{bad} in {page}");
        }
    }

    #[test]
    fn what_is_nested_without_end_is_shown_as_text() {
        let deep = html(&"<div>".repeat(100_000));
        assert!(deep.starts_with("<pre>&lt;div&gt;"), "{}", &deep[..60]);
        let fine = html(&"<div>a</div>\n\n- b\n".repeat(500));
        assert!(fine.contains("<li>b</li>"), "{}", &fine[..200]);
    }
}
