//! A drawing as one self-contained SVG, light and dark. The report embeds it; no script, no font, no address outside.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::{Direction, Drawing, EdgeKind, EdgePath, GroupBox, NodeBox, Point};

/// How a box is painted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing happened here: a plain box.
    #[default]
    Plain,
    /// Not reached yet.
    Pending,
    /// At work.
    Running,
    /// Finished well.
    Done,
    /// Waits for time or for another.
    Waiting,
    /// Waits for a person.
    Gate,
    /// Finished badly.
    Failed,
    /// Left out.
    Skipped,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Done => "done",
            Self::Waiting => "waiting",
            Self::Gate => "gate",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// What a box says.
#[derive(Clone, Debug, Default)]
pub struct NodeText {
    /// First line: number and name.
    pub title: String,
    /// Second line: the status in words.
    pub sub: String,
    /// How it is painted.
    pub tone: Tone,
}

/// What an edge says.
#[derive(Clone, Debug, Default)]
pub struct EdgeText {
    /// The label; the drawing's own when `None`.
    pub label: Option<String>,
    /// When it was taken, such as `3, 5`; empty when it never was.
    pub numbers: String,
    /// Painted faint: there was a run, and it did not come this way.
    pub dim: bool,
}

/// Gives the texts of a drawing. Status comes from here, never from the drawing.
pub trait Decorate {
    /// The texts of the node with this id.
    fn node(&self, id: &str) -> NodeText;
    /// The texts of the edge with this id.
    fn edge(&self, id: &str) -> EdgeText;
    /// Read out instead of the picture, such as "Flow of Shape a request".
    fn title(&self) -> String;
}

/// The colours in the light and in the dark. They stand on the `<svg>` alone: what a `<use>` shows inherits them from there.
const LIGHT: &str = "\
--paper:#f7f6f3;--surface:#fff;--line:#c9c4ba;--faint:#e2dfd8;--ink:#22211e;--ink-2:#5b5851;--ink-3:#6f6b63;\
--done:#1f7a4d;--running:#1f5fbf;--waiting:#8f5b00;--gate:#6a3fb5;--gate-soft:#efe8fb;--failed:#b3261e;--failed-soft:#fbe7e5";
const DARK: &str = "\
--paper:#191a1c;--surface:#212327;--line:#4a4e55;--faint:#33363b;--ink:#eceae5;--ink-2:#b3b0a8;--ink-3:#9a968d;\
--done:#6fcf9b;--running:#7fb0ff;--waiting:#e6b65c;--gate:#bfa0ff;--gate-soft:#30274a;--failed:#ff8f86;--failed-soft:#43221f";

/// How it is painted. What a `<use>` shows knows no element outside of what it refers to, in browsers that follow SVG 2 (Chromium,
/// Firefox): `.gh` is therefore also the element that it refers to, and no rule may ask for anything around that.
const STYLE: &str = "\
.gh{font-family:Inter,system-ui,'Segoe UI',Cantarell,'Noto Sans',sans-serif;font-variant-numeric:tabular-nums}\
.gh .paper{fill:var(--paper)}\
.gh .box rect{fill:var(--surface);stroke:var(--line);stroke-width:1.25}\
.gh .box .t{font-size:13px;font-weight:600;fill:var(--ink)}.gh .box .s{font-size:11px;fill:var(--ink-3)}\
.gh .pending .t,.gh .skipped .t{fill:var(--ink-2)}.gh .skipped rect{stroke-dasharray:4 3}\
.gh .done rect{stroke:var(--done)}.gh .done .s{fill:var(--done)}\
.gh .running rect{stroke:var(--running);stroke-width:2}.gh .running .s{fill:var(--running)}\
.gh .waiting rect{stroke:var(--waiting)}.gh .waiting .s{fill:var(--waiting)}\
.gh .gate rect{fill:var(--gate-soft);stroke:var(--gate);stroke-width:2}.gh .gate .s{fill:var(--gate)}\
.gh .failed rect{fill:var(--failed-soft);stroke:var(--failed);stroke-width:2}.gh .failed .s{fill:var(--failed)}\
.gh .edge path{fill:none;stroke:var(--ink-3);stroke-width:1.5;stroke-linecap:round}\
.gh .edge polygon{fill:var(--ink-3)}.gh .edge text{font-size:11px;fill:var(--ink-2);text-anchor:middle;\
paint-order:stroke;stroke:var(--paper);stroke-width:6px;stroke-linejoin:round}\
.gh .edge .n{font-weight:650}.gh .depends path{stroke-width:1}.gh .implied path{stroke:var(--line);stroke-dasharray:2 4}\
.gh .implied polygon{fill:var(--line)}\
.gh .detour path{stroke:var(--gate)}.gh .detour polygon,.gh .detour text{fill:var(--gate)}\
.gh .dim path{stroke:var(--line);stroke-width:1.25}.gh .dim polygon{fill:var(--line)}.gh .dim text{fill:var(--ink-3)}\
.gh .taken path{stroke:var(--done);stroke-width:2.5}.gh .taken.implied path{stroke-width:1}.gh .taken polygon{fill:var(--done)}.gh .taken text{fill:var(--done)}\
.gh .taken.detour path{stroke:var(--gate)}.gh .taken.detour polygon,.gh .taken.detour text{fill:var(--gate)}\
.gh .taken.sent path{stroke:var(--gate);stroke-dasharray:6 4}.gh .taken.sent polygon,.gh .taken.sent text{fill:var(--gate)}\
.gh .taken.feedback path{stroke-dasharray:3 3}\
.gh .bar{stroke:var(--gate);stroke-width:4;stroke-linecap:round}\
.gh .fork line{stroke:var(--ink-3);stroke-width:2;stroke-linecap:round}.gh .fork.beside line{stroke-width:5}\
.gh .lane rect{fill:var(--ink);fill-opacity:.03}.gh .lane:nth-of-type(even) rect{fill-opacity:.06}\
.gh .lane text{font-size:12px;font-weight:600;fill:var(--ink-2)}\
.gh .group rect{fill:var(--ink);fill-opacity:.025;stroke:var(--line)}.gh .group text{font-size:12px;font-weight:600;fill:var(--ink-2)}\
.gh .group.gate rect,.gh .group.failed rect{fill:var(--ink);fill-opacity:.025;stroke-width:1.5}";

/// The drawing as an `<svg>` element with its own colours.
pub fn svg(drawing: &Drawing, decorate: &dyn Decorate) -> String {
    pieces(drawing, decorate, &[(0.0, drawing.height)]).concat()
}

/// The drawing as one `<svg>` element for each stretch of its height, `(upper end, lower end)` in its own units: pages of a
/// print. The first one holds the drawing, the others refer to it, so they belong into one page. Only the first is read out.
/// A page that shows it paints it anew by rules about `g.gh` and what is in it.
pub fn pieces(drawing: &Drawing, decorate: &dyn Decorate, stretches: &[(f64, f64)]) -> Vec<String> {
    let width = drawing.width;
    let whole = content(drawing, decorate);
    let title = escape(&decorate.title());
    let style = format!(
        "svg.gh{{{LIGHT}}}@media screen and (prefers-color-scheme:dark){{svg.gh:root,:root:not([data-theme]) svg.gh{{{DARK}}}}}\
         @media screen{{:root[data-theme=dark] svg.gh{{{DARK}}}}}{STYLE}"
    );
    let one = |at: usize, (upper, lower): (f64, f64)| {
        let height = lower - upper;
        let (said, inside) = match (at, stretches.len()) {
            (0, 1) => (
                " role=\"img\"".to_owned(),
                format!("<title>{title}</title><style>{style}</style><g class=\"gh\">{whole}</g>"),
            ),
            (0, _) => (
                " role=\"img\"".to_owned(),
                format!("<title>{title}</title><style>{style}</style><g id=\"gh-drawing\" class=\"gh\">{whole}</g>"),
            ),
            _ => (
                " aria-hidden=\"true\"".to_owned(),
                "<use href=\"#gh-drawing\"/>".to_owned(),
            ),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"gh\"{said} viewBox=\"0 {upper} {width} {height}\" width=\"{width}\" \
             height=\"{height}\">{inside}</svg>"
        )
    };
    stretches
        .iter()
        .enumerate()
        .map(|(at, stretch)| one(at, *stretch))
        .collect()
}

/// What is drawn, without the element around it.
fn content(drawing: &Drawing, decorate: &dyn Decorate) -> String {
    let mut out = String::with_capacity(4_096 + drawing.nodes.len() * 320 + drawing.edges.len() * 240);
    let (width, height) = (drawing.width, drawing.height);
    // Writing to a String cannot fail.
    let _ = write!(out, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>");
    for lane in &drawing.lanes {
        // Where lanes lie below each other the title has a column of its own.
        let room = match drawing.direction {
            Direction::Right => lane.width - 24.0,
            Direction::Down => drawing.nodes.iter().map(|node| node.x).fold(lane.width, f64::min) - lane.x - 24.0,
        };
        let Line { set, text } = line(&lane.title, room, 12.0);
        let _ = write!(
            out,
            "<g class=\"lane\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\
             <text x=\"{}\" y=\"{}\"{set}>{text}</text></g>",
            escape(&lane.title),
            lane.x,
            lane.y,
            lane.width,
            lane.height,
            lane.x + 12.0,
            lane.y + 19.0
        );
    }
    let nodes: HashSet<&str> = drawing.nodes.iter().map(|node| node.id.as_str()).collect();
    let borders: HashSet<&str> = drawing.groups.iter().map(|group| group.id.as_str()).collect();
    let is_border = |group: &GroupBox| nodes.contains(group.id.as_str());
    let mut groups: Vec<_> = drawing.groups.iter().collect();
    groups.sort_by_key(|group| group.depth);
    for group in groups {
        let (x, y) = (group.x + 16.0, group.y + 24.0);
        // Of a group whose border is a node that node tells what happened.
        let said = match is_border(group) {
            true => decorate.node(&group.id),
            false => NodeText::default(),
        };
        let title = if said.title.is_empty() {
            &group.title
        } else {
            &said.title
        };
        let shown = match said.sub.as_str() {
            "" => title.clone(),
            sub => format!("{title} · {sub}"),
        };
        let Line { set, text } = line(&shown, group.width - 32.0, 12.0);
        let _ = write!(
            out,
            "<g class=\"group {}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"12\"/>\
             <text x=\"{x}\" y=\"{y}\"{set}>{text}</text></g>",
            said.tone.class(),
            escape(&shown),
            group.x,
            group.y,
            group.width,
            group.height
        );
    }
    // Faint edges first: what was taken lies on top, what goes without saying below everything.
    let mut edges: Vec<(u8, &EdgePath, EdgeText)> = drawing
        .edges
        .iter()
        .map(|edge| (edge, decorate.edge(&edge.id)))
        .map(|(edge, text)| {
            (
                match (edge.implied, text.numbers.is_empty(), text.dim) {
                    (true, ..) => 0,
                    (false, true, dim) => 1 + u8::from(!dim),
                    (false, false, _) => 3,
                },
                edge,
                text,
            )
        })
        .collect();
    edges.sort_by_key(|(order, _, _)| *order);
    for (_, edge, text) in &edges {
        write_edge(&mut out, edge, text);
    }
    for fork in &drawing.forks {
        let (class, said) = match fork.beside.is_empty() {
            false => ("fork beside", "Steps beside it may run at the same time"),
            true => ("fork", "What stands behind it waits for all that stands before it"),
        };
        let _ = write!(
            out,
            "<g class=\"{class}\"><title>{said}</title><line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/></g>",
            fork.x1, fork.y1, fork.x2, fork.y2
        );
    }
    for bar in &drawing.bars {
        let _ = write!(
            out,
            "<line class=\"bar\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            bar.x1, bar.y1, bar.x2, bar.y2
        );
    }
    for node in drawing.nodes.iter().filter(|node| !borders.contains(node.id.as_str())) {
        write_node(&mut out, node, &decorate.node(&node.id));
    }
    for (_, edge, text) in &edges {
        write_texts(&mut out, edge, text);
    }
    out
}

fn edge_class(edge: &EdgePath, text: &EdgeText) -> String {
    let mut class = String::from("edge");
    if edge.kind == EdgeKind::Depends {
        class.push_str(" depends");
    }
    if edge.kind == EdgeKind::Detour {
        class.push_str(" detour");
    }
    if edge.kind == EdgeKind::Sent {
        class.push_str(" sent");
    }
    if edge.kind == EdgeKind::Feedback {
        class.push_str(" detour feedback");
    }
    if edge.implied {
        class.push_str(" implied");
    }
    if !text.numbers.is_empty() {
        class.push_str(" taken");
    } else if text.dim {
        class.push_str(" dim");
    }
    class
}

fn write_edge(out: &mut String, edge: &EdgePath, text: &EdgeText) {
    let (x, y) = (edge.arrow.x, edge.arrow.y);
    let _ = write!(
        out,
        "<g class=\"{}\"><path d=\"{}\"/><polygon points=\"0,0 -10,-5 -10,5\" transform=\"translate({x} {y}) rotate({})\"/></g>",
        edge_class(edge, text),
        edge.path,
        edge.arrow.angle_deg
    );
}

fn write_texts(out: &mut String, edge: &EdgePath, text: &EdgeText) {
    let label = text.label.as_deref().or(edge.label.as_deref()).unwrap_or("");
    if edge.implied || label.is_empty() && text.numbers.is_empty() {
        return;
    }
    let _ = write!(out, "<g class=\"{}\">", edge_class(edge, text));
    match edge.label_at {
        Some(at) if !label.is_empty() => {
            let Line { set, text: shown } = line(label, 168.0, 11.0);
            let _ = write!(
                out,
                "<text x=\"{}\" y=\"{}\"{set}><title>{}</title>{shown}</text>",
                at.x,
                at.y + 4.0,
                escape(label)
            );
            if !text.numbers.is_empty() {
                number(out, edge, &text.numbers, below(at, edge.number_at));
            }
        }
        _ => {
            let said = if text.numbers.is_empty() { label } else { &text.numbers };
            number(out, edge, said, 4.0);
        }
    }
    out.push_str("</g>");
}

/// A label and a number closer to each other than this have one place together, px.
const TOGETHER: f64 = 16.0;

/// How far below its place a number is written: above or below the label that it shares it with.
fn below(label: Point, number: Point) -> f64 {
    let is_apart = (label.x - number.x).hypot(label.y - number.y) >= TOGETHER;
    match (is_apart, number.y < label.y) {
        (true, _) => 4.0,
        (false, true) => -4.0,
        (false, false) => 18.0,
    }
}

fn number(out: &mut String, edge: &EdgePath, said: &str, below: f64) {
    let _ = write!(
        out,
        "<text class=\"n\" x=\"{}\" y=\"{}\">{}</text>",
        edge.number_at.x,
        edge.number_at.y + below,
        escape(said)
    );
}

fn write_node(out: &mut String, node: &NodeBox, text: &NodeText) {
    let (x, y) = (node.x, node.y);
    let room = node.width - 24.0;
    let (first, second) = if text.sub.is_empty() {
        (node.height / 2.0 + 5.0, 0.0)
    } else {
        (node.height / 2.0 - 5.0, node.height / 2.0 + 15.0)
    };
    let said = if text.sub.is_empty() {
        text.title.clone()
    } else {
        format!("{}, {}", text.title, text.sub)
    };
    let title = line(&text.title, room, 13.0);
    let _ = write!(
        out,
        "<g class=\"box {}\" transform=\"translate({x} {y})\"><title>{}</title><rect width=\"{}\" height=\"{}\" rx=\"8\"/>\
         <text class=\"t\" x=\"12\" y=\"{first}\"{}>{}</text>",
        text.tone.class(),
        escape(&said),
        node.width,
        node.height,
        title.set,
        title.text
    );
    if !text.sub.is_empty() {
        let Line { set, text } = line(&text.sub, room, 11.0);
        let _ = write!(out, "<text class=\"s\" x=\"12\" y=\"{second}\"{set}>{text}</text>");
    }
    out.push_str("</g>");
}

/// A text of one line that is no wider than its room, whatever letters the reader's machine has: cut and marked where it would be
/// wider, and where it nearly fills the room it is set as wide as it was reckoned.
struct Line {
    /// ` textLength=…`, or nothing.
    set: String,
    text: String,
}

fn line(text: &str, room: f64, size: f64) -> Line {
    let text = shorten(text, room, size);
    let width = width(&text, size);
    let set = match width > room * 0.8 {
        true => format!(
            " textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\"",
            width.min(room)
        ),
        false => String::new(),
    };
    Line {
        set,
        text: escape(&text),
    }
}

/// Cuts a text that would be wider than `room` px at `size` px, and marks the cut.
fn shorten(text: &str, room: f64, size: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - letter_width('…') * size;
    let mut width = 0.0;
    let end = text.char_indices().find(|(_, letter)| {
        width += letter_width(*letter) * size;
        width > room
    });
    let end = end.map_or(text.len(), |(at, _)| at);
    format!("{}…", text[..end].trim_end())
}

fn width(text: &str, size: f64) -> f64 {
    text.chars().map(letter_width).sum::<f64>() * size
}

/// Estimated width of a letter, as a part of the size: that of a sans serif of middle width, half bold.
fn letter_width(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | '’' => 0.29,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' | '“' | '”' | '·' | ' ' => 0.37,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' | '…' => 0.88,
        'A'..='Z' => 0.69,
        _ if (letter as u32) < 0x2e80 => 0.58,
        _ => 1.0,
    }
}

/// Text for element content and quoted attributes. Characters that XML forbids become the replacement character.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
    out
}
