//! Files that `git` reads though they are none of its repository.

use super::held::is_pattern;
use super::needs::Needs;
use super::usage::{self, Part};
use super::word::{Piece, Word};
use crate::need::Kind;

/// A path from a folder that a program was told to begin in.
pub(super) fn joined(folder: Option<&Word>, word: &Word) -> Word {
    let stands_alone =
        word.starts_with("/") || word.starts_with("~") || matches!(word.pieces.first(), Some(Piece::Any(_)));
    match folder.filter(|_| !stands_alone) {
        Some(folder) => {
            let mut path = folder.clone();
            path.pieces.push(Piece::Char('/'));
            path.pieces.extend_from_slice(&word.pieces);
            path.splits |= word.splits;
            path
        }
        None => word.clone(),
    }
}

/// `git diff` and `git grep` of files that are none of the repository's: they are told so (`--no-index`), the files lie outside, or there
/// may be no repository.
pub(super) fn files(needs: &mut Needs, rest: &[Word]) {
    let mut folder: Option<Word> = None;
    let mut words: Vec<Word> = Vec::new();
    for part in usage::parts("git", rest, false) {
        match part {
            Part::Option(name, Some(value)) if name == "-C" => folder = Some(joined(folder.as_ref(), &value)),
            Part::Option(..) => {}
            Part::Operand(word) => words.push(word.clone()),
        }
    }
    let Some((command, given)) = words.split_first() else {
        return;
    };
    let command = command.known().unwrap_or_default();
    let told = given.iter().any(|word| {
        let text = word.rough();
        text.len() > 4 && "--no-index".starts_with(text.as_str())
            || text.len() > 3 && "--untracked".starts_with(text.as_str())
            || text.starts_with("-\u{f8ff}")
    });
    let outside = |word: &&Word| {
        let text = word.rough();
        text.starts_with(['/', '~', '\u{f8ff}']) || text == ".." || text.starts_with("../") || text.contains("/../")
    };
    let there = |word: &Word| joined(folder.as_ref(), word);
    match command.as_str() {
        "diff" => {
            let is_operand = |word: &&Word| !word.starts_with("-") || word.known().as_deref() == Some("-");
            let files: Vec<&Word> = given.iter().filter(is_operand).collect();
            let all = told || files.iter().any(outside);
            // Outside of a repository two files are compared. Inside of one they may be revisions, as what stands before `--` always is.
            let behind = given.iter().skip_while(|word| word.known().as_deref() != Some("--"));
            let behind = behind.filter(is_operand).count();
            let is_pair = files.len() == 2 && (behind == 0 || behind == 2);
            let revisions = files.iter().any(|word| is_revision(&word.rough()));
            let is_file = |text: &str| !is_revision(text) && (!revisions || text.contains(['.', '/']));
            for file in files.iter().filter(|word| all || is_pair && is_file(&word.rough())) {
                needs.tree(Kind::Read, &there(file));
            }
        }
        "grep" => {
            let mut operands: Vec<&Word> = Vec::new();
            let mut is_given = false;
            let parts = usage::parts("git grep", given, true);
            for part in &parts {
                match part {
                    Part::Operand(word) => operands.push(word),
                    Part::Option(name, value) => {
                        is_given |= matches!(name.as_str(), "-e" | "-f");
                        let list = value.as_ref().filter(|_| name == "-f");
                        list.into_iter().for_each(|list| needs.file(Kind::Read, &there(list)));
                    }
                }
            }
            let files = operands.get(usize::from(!is_given)..).unwrap_or_default();
            if told || files.iter().any(outside) {
                files.iter().for_each(|file| needs.tree(Kind::Read, &there(file)));
            }
            if told && !files.iter().any(|word| !word.splits && !is_pattern(word)) {
                needs.tree(Kind::Read, &there(&Word::of(".")));
            }
        }
        _ => {}
    }
}

/// Whether a text names a revision to `git`, as far as it says so itself.
fn is_revision(text: &str) -> bool {
    const BRANCHES: [&str; 6] = ["@", "HEAD", "main", "master", "develop", "trunk"];
    const BEGINNINGS: [&str; 3] = ["origin/", "upstream/", "refs/"];
    let is_name = text.len() >= 7 && text.bytes().all(|c| c.is_ascii_hexdigit());
    let is_version = text
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_name
        || is_version
        || text.ends_with("_HEAD")
        || BRANCHES.contains(&text)
        || BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || text.contains("..")
        || text.contains(['~', '^', ':'])
        || text.contains("@{")
}
