//! Whether source text can be read as what its name says it is, by a parser of ours: no program of the machine is needed, and
//! nothing of the file is carried out.

use super::{CheckOutcome, CheckPlace, failed, found};
use std::time::{Duration, Instant};
use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser};

/// The longest time that reading one file may take.
const LONGEST: Duration = Duration::from_secs(10);
/// How many broken places are looked for: whoever mends the first ones sees what is left.
const MOST: usize = 20;

/// A language that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceLanguage {
    /// `.c`, `.h`
    C,
    /// `.go`
    Go,
    /// `.java`
    Java,
    /// `.js`, `.mjs`, `.cjs`, `.jsx`
    JavaScript,
    /// `.rs`
    Rust,
    /// `.ts`, `.mts`, `.cts`
    TypeScript,
    /// `.tsx`
    Tsx,
}

impl SourceLanguage {
    /// The language of files whose names end so (lower case, without the dot); `None`: it cannot be read here.
    pub fn of_ending(ending: &str) -> Option<Self> {
        Some(match ending {
            "c" | "h" => Self::C,
            "go" => Self::Go,
            "java" => Self::Java,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "rs" => Self::Rust,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Rust => "Rust",
            Self::TypeScript | Self::Tsx => "TypeScript",
        }
    }

    fn grammar(self) -> Language {
        match self {
            Self::C => tree_sitter_c::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }
}

/// Whether a text is source of this language.
pub(super) fn check(text: &str, source: SourceLanguage) -> CheckOutcome {
    if text.trim().is_empty() {
        return failed("it is empty");
    }
    let mut parser = Parser::new();
    if parser.set_language(&source.grammar()).is_err() {
        return failed(format!("{} cannot be read by this version of Gatehouse", source.name()));
    }
    let until = Instant::now() + LONGEST;
    let mut late = |_: &ParseState| Instant::now() > until;
    let options = ParseOptions::new().progress_callback(&mut late);
    let mut read = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    let Some(tree) = parser.parse_with_options(&mut read, None, Some(options)) else {
        return failed(format!(
            "it could not be read as {} within {} seconds",
            source.name(),
            LONGEST.as_secs()
        ));
    };
    let mut places = Vec::new();
    broken(tree.root_node(), text, source, &mut places);
    found(places)
}

/// The places at which the text is no source, in their order; parts that are whole are not gone through.
fn broken(root: Node<'_>, text: &str, source: SourceLanguage, places: &mut Vec<CheckPlace>) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let is_broken = node.is_error() || node.is_missing();
        if is_broken {
            places.push(place(node, text, source));
            if places.len() == MOST {
                return;
            }
        }
        if !is_broken && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn place(node: Node<'_>, text: &str, source: SourceLanguage) -> CheckPlace {
    let at = node.start_position();
    let line = text.lines().nth(at.row).unwrap_or_default();
    let before = line.get(..at.column).unwrap_or(line).chars().count();
    let number = |n: usize| u32::try_from(n + 1).ok();
    CheckPlace {
        line: number(at.row),
        column: number(before),
        text: match node.is_missing() {
            true => format!("this is no {}: `{}` is missing", source.name(), node.kind()),
            false => format!("this is no {}: it cannot be read from here on", source.name()),
        },
    }
}
