//! The lines that belong to an item of a list: its own, with the comments that speak of it.

use super::Page;
use crate::text::Span;
use crate::tree::NodeId;

impl Page<'_> {
    /// The bytes of every item: in brackets the item itself; else its lines, from the comment above its dash to the end of its last line,
    /// with the comments below that stand deeper than its dash. Blank lines between items belong to none. `None` where dashes cannot be
    /// told for sure.
    pub(super) fn bodies(&self, items: &[NodeId], flow: bool) -> Option<Vec<Span>> {
        if flow {
            return Some(items.iter().map(|item| self.span(*item)).collect());
        }
        let mut bodies: Vec<Span> = Vec::with_capacity(items.len());
        for item in items {
            let at = self.dash(*item)?;
            let dash = self.line_start(at);
            let depth = self.depth(dash);
            // Comments directly above, back to the item before.
            let floor = bodies.last().map_or(0, |before| before.end);
            let mut start = dash;
            while start > floor {
                let head = without_line_end(&self.text[..start]);
                let line = self.line_start(head.len());
                if line < floor || !is_comment(&head[line..]) || self.depth(line) > depth {
                    break;
                }
                start = line;
            }
            // The last lines of a block scalar are part of it, the line end behind them is not.
            let end = self.line_end(self.span(*item).end.max(dash));
            let mut end = without_line_end(&self.text[..end]).len().max(start);
            while let Some(line) = self.next_line(end)
                && is_comment(&self.text[line..self.line_end(line)])
                && self.depth(line) > depth
            {
                end = self.line_end(line);
            }
            bodies.push(Span { start, end });
        }
        bodies
            .windows(2)
            .all(|pair| pair[0].end <= pair[1].start)
            .then_some(bodies)
    }

    /// Where the blank lines above a line begin, back to `floor`.
    pub(super) fn blank_above(&self, line: usize, floor: usize) -> usize {
        let mut start = line;
        while start > floor {
            let head = without_line_end(&self.text[..start]);
            let above = self.line_start(head.len());
            if above < floor || !head[above..].trim().is_empty() {
                break;
            }
            start = above;
        }
        start
    }

    /// How many blank lines stand directly above an item of a list that is not the first one.
    pub(super) fn blank_lines(&self, bodies: &[Span], item: usize) -> usize {
        let (Some(before), Some(own)) = (item.checked_sub(1).and_then(|n| bodies.get(n)), bodies.get(item)) else {
            return 0;
        };
        let start = self.blank_above(own.start, before.end);
        self.text[start..own.start].lines().count()
    }

    /// Where the line behind the one that ends here begins; `None` at the end of the text.
    pub(super) fn next_line(&self, end: usize) -> Option<usize> {
        match &self.text.as_bytes()[end..] {
            [b'\r', b'\n', ..] => Some(end + 2),
            [b'\r' | b'\n', ..] => Some(end + 1),
            _ => None,
        }
    }

    /// How many blanks a line begins with.
    fn depth(&self, line: usize) -> usize {
        let own = self.text[line..].trim_start_matches('\u{feff}');
        own.len() - own.trim_start_matches([' ', '\t']).len()
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start_matches([' ', '\t']).starts_with('#')
}

pub(super) fn without_line_end(text: &str) -> &str {
    let cut = text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r']));
    cut.unwrap_or(text)
}
