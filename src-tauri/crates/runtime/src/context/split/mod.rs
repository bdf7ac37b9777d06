//! Cuts a file into shards, by lines and by what its language looks like: functions, classes, sections, keys. This is no parser: a file that
//! is broken, or written in a way nobody expects, is cut in odd places, and never left out.
//!
//! A shard shows itself in three tiers: *nano* is its signature or heading (at most 160 bytes), *micro* that and its documentation or first
//! lines (at most 1 200 bytes), *full* all of it. What is longer than 12 000 bytes becomes several shards.

mod braces;
mod json;
mod lines;
mod markdown;
mod python;
mod yaml;

use lines::Lines;
use std::ops::Range;
use store::context::Shard;
use store::digest_of;

/// Raised when the same file is cut in another way than before: what is indexed is then made anew.
pub(super) const VERSION: u32 = 1;

const NANO_BYTES: usize = 160;
/// Longer names are cut: the names of what they hold begin with them.
const NAME_BYTES: usize = 80;
const MICRO_BYTES: usize = 1_200;
const FULL_BYTES: usize = 12_000;
/// What is longer is cut once more where its language nests.
const COARSE_BYTES: usize = 2_000;
/// So many shards has a file at most; the rest is one more.
const MOST_SHARDS: usize = 2_000;

/// A language whose files are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Functions, classes, methods; the rest of the module.
    Python,
    /// Functions, classes, methods, interfaces, types, constants; the rest of the module.
    Typescript,
    /// The same as of TypeScript.
    Javascript,
    /// Keys, and keys in keys where those are long.
    Json,
    /// The same as of JSON.
    Yaml,
    /// Sections by headings.
    Markdown,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Python,
        Self::Typescript,
        Self::Javascript,
        Self::Json,
        Self::Yaml,
        Self::Markdown,
    ];

    /// The word in steps and results (seed 000 `telis_language`).
    pub fn word(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Typescript => "typescript",
            Self::Javascript => "javascript",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Markdown => "markdown",
        }
    }

    /// All words, for a sentence.
    pub fn words() -> String {
        Self::ALL.map(Self::word).join(", ")
    }

    /// The language of a word; usual short forms count.
    pub fn of_word(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        Self::ALL
            .into_iter()
            .find(|language| language.word() == word || language.endings().contains(&word.as_str()))
    }

    /// The language of a file by its ending.
    pub fn of_path(path: &str) -> Option<Self> {
        let (_, ending) = path.rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|language| language.endings().contains(&ending.as_str()))
    }

    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Python => &["py", "pyi"],
            Self::Typescript => &["ts", "tsx", "mts", "cts"],
            Self::Javascript => &["js", "jsx", "mjs", "cjs"],
            Self::Json => &["json", "jsonc", "json5"],
            Self::Yaml => &["yaml", "yml"],
            Self::Markdown => &["md", "markdown", "mdx"],
        }
    }
}

/// A piece of a file.
#[derive(Debug, Default)]
struct Piece {
    kind: &'static str,
    name: String,
    /// Where it stands, in bytes.
    place: Range<usize>,
    /// Its signature or heading; empty: its first line.
    signature: String,
    /// How it begins: documentation and signature; empty: its first lines.
    lead: String,
    /// Its text where that is not simply what stands there.
    text: Option<String>,
}

/// The shards of a file, in its order. `path`: from the project's folder.
pub fn split(path: &str, language: Language, text: &str) -> Vec<Shard> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = Lines::of(text);
    let file = path.rsplit('/').next().unwrap_or(path);
    let mut pieces = match language {
        Language::Python => python::pieces(&lines, file),
        Language::Typescript | Language::Javascript => braces::pieces(&lines, file),
        Language::Json => json::pieces(&lines),
        Language::Yaml => yaml::pieces(&lines),
        Language::Markdown => markdown::pieces(&lines, file),
    };
    pieces.retain(|piece| !piece.text(text).trim().is_empty());
    if pieces.is_empty() && !text.trim().is_empty() {
        pieces.push(whole(file, text));
    }
    if pieces.len() > MOST_SHARDS {
        let rest = pieces[MOST_SHARDS].place.start..text.len();
        pieces.truncate(MOST_SHARDS);
        pieces.push(Piece {
            kind: "rest",
            name: file.to_owned(),
            place: rest,
            ..Piece::default()
        });
    }
    pieces
        .iter()
        .flat_map(|piece| shards(path, language, &lines, piece))
        .collect()
}

fn whole(file: &str, text: &str) -> Piece {
    Piece {
        kind: "document",
        name: file.to_owned(),
        place: 0..text.len(),
        ..Piece::default()
    }
}

impl Piece {
    fn text<'t>(&'t self, whole: &'t str) -> &'t str {
        self.text.as_deref().unwrap_or(&whole[self.place.clone()])
    }
}

fn shards(path: &str, language: Language, lines: &Lines<'_>, piece: &Piece) -> Vec<Shard> {
    let whole = piece.text(lines.text).trim_end();
    let digest = digest_of(whole.as_bytes());
    let first = first_line(whole);
    let signature = if piece.signature.is_empty() {
        first
    } else {
        &piece.signature
    };
    let parts = parts(whole);
    let count = parts.len();
    let shard = |(number, part): (usize, Range<usize>)| {
        let text = &whole[part.clone()];
        // A text put together from several places is where all of them are.
        let place = match piece.text {
            Some(_) => piece.place.clone(),
            None => piece.place.start + part.start..piece.place.start + part.end,
        };
        let (name, nano) = match count {
            1 => (piece.name.clone(), signature.to_owned()),
            _ => {
                let of = format!(" ({} of {count})", number + 1);
                let room = NANO_BYTES.saturating_sub(of.len());
                (
                    format!("{}{of}", piece.name),
                    format!("{}{of}", cut(&one_line(signature), room)),
                )
            }
        };
        let lead = if number == 0 && !piece.lead.is_empty() {
            piece.lead.trim_end()
        } else {
            text
        };
        Shard {
            path: path.to_owned(),
            language: language.word().to_owned(),
            kind: piece.kind.to_owned(),
            name: cut(&one_line(&name), NANO_BYTES).to_owned(),
            first_line: lines.number(place.start),
            last_line: lines.number(place.end.max(place.start + 1) - 1),
            nano: cut(&one_line(&nano), NANO_BYTES).to_owned(),
            micro: cut_lines(lead, MICRO_BYTES).to_owned(),
            full: text.to_owned(),
            digest: digest.clone(),
        }
    };
    parts.into_iter().enumerate().map(shard).collect()
}

/// Places of at most [`FULL_BYTES`], cut at ends of lines where there are any.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    while text.len() - start > FULL_BYTES {
        let end = start + cut_lines(&text[start..], FULL_BYTES).len().max(1);
        parts.push(start..end);
        start = end;
    }
    parts.push(start..text.len());
    parts
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// White space is one space.
fn one_line(text: &str) -> String {
    // What is cut away later need not be read.
    let text = cut(text, 8 * NANO_BYTES);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name, cut where it is very long.
fn short(name: &str) -> String {
    cut(name, NAME_BYTES).to_owned()
}

/// The beginning of a text, in whole characters.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// The beginning of a text, in whole lines where the first one is not longer.
pub(super) fn cut_lines(text: &str, bytes: usize) -> &str {
    let head = cut(text, bytes);
    if head.len() == text.len() {
        return head;
    }
    match head.rfind('\n') {
        Some(end) => &head[..=end],
        None => head,
    }
}
