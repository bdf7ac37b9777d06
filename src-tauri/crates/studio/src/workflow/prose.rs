//! The prose of a workflow that is written as a document: rendered section by section, so that a step and its text can be
//! shown beside each other. What could act (scripts, images, styles, addresses that run something) is shown as text, and so is what a drawing would
//! hide: people decide on what the prose says.

use crate::text::document as shown;
use crate::words;
use crate::workflow::view::{DocumentView, SectionView};
use dialect::Document;
use model::{Place, Prose, Step, Workflow};

/// Longer texts are not rendered: the source view shows them.
const LONGEST: usize = 1 << 20;

/// What a step is for as sanitised HTML, where the format is Markdown.
pub fn intent_html(workflow: &Workflow, step: &Step) -> Option<String> {
    let intent = step
        .intent
        .as_deref()
        .filter(|_| workflow.contract().prose == Prose::Markdown)?;
    Some(shown::html(intent))
}

/// The document's sections in the order of the text: what stands before the first step, then each step. `None` where the
/// workflow is no document.
pub fn document(document: &Document) -> Option<DocumentView> {
    let workflow = document.workflow();
    if workflow.contract().prose != Prose::Markdown {
        return None;
    }
    let text = document.text();
    let mut starts: Vec<(usize, &Step)> = workflow
        .steps()
        .iter()
        .filter_map(|step| Some((document.span(&Place::step(step.ordinal))?.start, step)))
        .collect();
    starts.sort_by_key(|(start, _)| *start);
    if text.len() > LONGEST {
        return Some(DocumentView {
            sections: Vec::new(),
            too_long: true,
        });
    }
    let first = starts.first().map_or(text.len(), |(start, _)| *start);
    let preamble = shown::html(after_front_matter(&text[..first]));
    let mut sections = Vec::with_capacity(starts.len() + 1);
    if !preamble.trim().is_empty() {
        sections.push(SectionView {
            step: None,
            html: preamble,
        });
    }
    for (i, (start, step)) in starts.iter().enumerate() {
        let end = starts.get(i + 1).map_or(text.len(), |(next, _)| *next);
        sections.push(SectionView {
            step: Some(words::of_step(step)),
            html: shown::html(&text[*start..end.max(*start)]),
        });
    }
    Some(DocumentView {
        sections,
        too_long: false,
    })
}

/// What follows the block between two lines of `---` at the very beginning.
fn after_front_matter(text: &str) -> &str {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = body.split_inclusive('\n');
    let mut at = match lines.next() {
        Some(first) if first.trim_end() == "---" => first.len(),
        _ => return body,
    };
    for line in lines {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return &body[at..];
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNBOOK: &str = "---\nname: deploy\n---\n\n# Deploy\n\nSee [the wiki](https://example.org).\n\n## 1 Check\n\n\
        <script>alert(1)</script><img src=x onerror=alert(2)>\n\n```bash\nnpm test\n```\n\n- FAIL: GOTO Recover\n\n## Recover\n\n\
        [run](javascript:alert(3)) now \u{1b}[31m\u{202e}live\n";

    #[test]
    fn every_step_has_its_section_and_nothing_in_it_acts() {
        let document = document(&Document::parse("deploy.runbook.md", RUNBOOK)).expect("a document");
        let steps: Vec<Option<&str>> = document
            .sections
            .iter()
            .map(|s| s.step.as_ref().map(|s| s.id.as_str()))
            .collect();
        assert_eq!(steps, [None, Some("1"), Some("Recover")]);
        let all: String = document.sections.iter().map(|s| s.html.as_str()).collect();
        assert!(
            all.contains("<h1>Deploy</h1>") && all.contains("npm test") && all.contains("GOTO Recover"),
            "{all}"
        );
        assert!(!all.contains("name: deploy"), "{all}");
        for bad in ["<script", "<img", "href=\"javascript", "\u{1b}", "\u{202e}"] {
            assert!(!all.contains(bad), "{bad:?} in {all}");
        }
        // Nothing that it says is hidden.
        for told in ["alert(1)", "onerror", "(https://example.org)", "javascript:alert(3)"] {
            assert!(all.contains(told), "{told:?} in {all}");
        }
    }

    #[test]
    fn what_is_no_document_has_no_prose() {
        assert_eq!(document(&Document::parse("a.yaml", "key: a\nsteps: [{id: b}]\n")), None);
    }
}
