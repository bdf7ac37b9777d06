//! Two texts as a unified diff with Git's headers.

use super::change::{Change, Kind};
use super::contents::Side;
use gix::bstr::{BStr, ByteSlice};
use gix::diff::blob::unified_diff::{ConsumeHunk, ContextSize, DiffLineKind, HunkHeader};
use gix::diff::blob::{Algorithm, Diff, InternedInput, UnifiedDiff, sources};
use gix::index::entry::Mode;
use std::fmt::Write;
use std::io;

/// How much of a file is looked at to tell whether it is text, as Git does.
const LOOKED_AT: usize = 8000;

/// The paths before and after, from the project's folder.
pub(super) struct Names<'a> {
    pub old: &'a BStr,
    pub new: &'a BStr,
}

/// The part of one file.
pub(super) struct Patch {
    pub text: String,
    pub binary: bool,
    /// Lines.
    pub added: u32,
    pub removed: u32,
}

/// Whether contents are no text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(LOOKED_AT)].contains(&0)
}

/// The difference of two contents. Bytes that are no UTF-8 are replaced.
pub(super) fn between(names: &Names<'_>, change: &Change, old: &[u8], new: &[u8]) -> Patch {
    let mut text = headers(names, change);
    let a = named("a/", names.old, change.old);
    let b = named("b/", names.new, change.new);
    if is_binary(old) || is_binary(new) {
        if old != new {
            let _ = writeln!(text, "Binary files {a} and {b} differ");
        }
        return Patch {
            text,
            binary: true,
            added: 0,
            removed: 0,
        };
    }
    let input = InternedInput::new(sources::byte_lines(old), sources::byte_lines(new));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let (added, removed) = (diff.count_additions(), diff.count_removals());
    if added + removed > 0 {
        let _ = write!(text, "--- {a}\n+++ {b}\n");
        let hunks = UnifiedDiff::new(&diff, &input, Hunks(String::new()), ContextSize::symmetrical(3));
        text.push_str(&hunks.consume().unwrap_or_default());
    }
    Patch {
        text,
        binary: false,
        added,
        removed,
    }
}

fn headers(names: &Names<'_>, change: &Change) -> String {
    let (old, new) = (quoted("a/", names.old), quoted("b/", names.new));
    let mut text = format!("diff --git {old} {new}\n");
    let mode = |mode: Mode| format!("{:06o}", mode.bits());
    let _ = match (change.old.mode(), change.new.mode()) {
        (None, Some(new)) => writeln!(text, "new file mode {}", mode(new)),
        (Some(old), None) => writeln!(text, "deleted file mode {}", mode(old)),
        (Some(old), Some(new)) if old != new => write!(text, "old mode {}\nnew mode {}\n", mode(old), mode(new)),
        _ => Ok(()),
    };
    let verb = match change.kind {
        Kind::Renamed => "rename",
        Kind::Copied => "copy",
        _ => return text,
    };
    let (from, to) = (quoted("", names.old), quoted("", names.new));
    let _ = write!(text, "{verb} from {from}\n{verb} to {to}\n");
    text
}

fn named(side: &str, path: &BStr, contents: Side) -> String {
    match contents {
        Side::Nothing => "/dev/null".to_owned(),
        // Whoever reads the line would take what follows a blank for a date.
        _ if path.contains(&b' ') => format!("{}\t", quoted(side, path)),
        _ => quoted(side, path),
    }
}

/// A path on a line of its own: one that holds a line end, a quote or the like is written as Git writes it.
fn quoted(side: &str, path: &BStr) -> String {
    let path = path.to_str_lossy();
    let plain = |c: char| !c.is_control() && c != '"' && c != '\\';
    if path.chars().all(plain) {
        return format!("{side}{path}");
    }
    let mut text = format!("\"{side}");
    for c in path.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(text, "\\{:03o}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// Writes hunks.
struct Hunks(String);

impl ConsumeHunk for Hunks {
    type Out = String;

    fn consume_hunk(&mut self, header: HunkHeader, lines: &[(DiffLineKind, &[u8])]) -> io::Result<()> {
        let before = range(header.before_hunk_start, header.before_hunk_len);
        let after = range(header.after_hunk_start, header.after_hunk_len);
        let _ = writeln!(self.0, "@@ -{before} +{after} @@");
        for (kind, line) in lines {
            self.0.push(match kind {
                DiffLineKind::Context => ' ',
                DiffLineKind::Add => '+',
                DiffLineKind::Remove => '-',
            });
            self.0.push_str(&line.to_str_lossy());
            if !line.ends_with(b"\n") {
                self.0.push_str("\n\\ No newline at end of file\n");
            }
        }
        Ok(())
    }

    fn finish(self) -> String {
        self.0
    }
}

/// A range of lines as hunks name it: one line without its length, no lines by the line before.
fn range(start: u32, length: u32) -> String {
    match length {
        0 => format!("{},0", start.saturating_sub(1)),
        1 => start.to_string(),
        length => format!("{start},{length}"),
    }
}
