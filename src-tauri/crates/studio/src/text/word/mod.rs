//! A Word document (`.docx`) as whoever decides on it reads it: every word of it, the numbers of its clauses, notes, comments, headers, what was
//! inserted and deleted and by whom, and in square brackets what no page draws. How it looks is left out. Anybody may have made it: what is unpacked,
//! how deeply it is nested and how much of it is drawn have limits, and what programs could read in two ways is refused.

mod draw;
mod look;
mod numbers;
mod package;
mod page;
mod symbol;
#[cfg(test)]
mod tests;
mod xml;

use crate::text::markdown;
use draw::{Drawer, Numbered};
use look::{Styles, Theme};
use numbers::Lists;
use package::{Package, Relations};
use page::{Block, Piece};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use xml::{DAMAGED, Element, LARGE};

/// What stands beside a document that is shown.
pub const REMARK: &str =
    "This file is shown as its words; layout, fonts and pictures are not drawn. Save a copy to see it as it prints.";
/// The same of one that holds more than its words.
pub const PARTLY: &str = "Not all of this file can be shown: it holds pictures, drawings, embedded files or other documents, which may say something \
                          and are only named. Save a copy to see it as it prints.";

/// A document that can be shown.
#[derive(Debug)]
pub struct Drawn {
    /// Sanitised HTML.
    pub html: String,
    /// A line for each paragraph and each row of a table, by which versions are compared.
    pub words: String,
    /// Nothing that prints besides is only named: no picture, drawing, embedded file or other document. What such a thing says nobody knows here, so
    /// that a logo counts as a clause would.
    pub is_whole: bool,
}

/// Whether a file is called a Word document.
pub fn is_named_so(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    [".docx", ".docm", ".dotx", ".dotm"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

/// What a file of the older kind is in which programs keep documents, and those that are locked with a password; in a sentence.
pub fn of_older_kind(path: &str, bytes: &[u8]) -> Option<&'static str> {
    if !bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]) {
        return None;
    }
    // It names what lies in it in letters of two bytes.
    let holds = |name: &str| {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes.windows(name.len()).any(|there| there == name)
    };
    if holds("EncryptedPackage") {
        return Some(match is_named_so(path) {
            true => "This Word document is locked with a password: it cannot be shown here.",
            false => "This file is locked with a password: it cannot be shown here.",
        });
    }
    holds("WordDocument")
        .then_some("This is a Word document of the older kind (.doc): it cannot be shown here. Saved as .docx, it can.")
}

/// A document with all that it says.
///
/// # Errors
/// Why it cannot be shown, in a sentence.
pub fn read(bytes: &[u8]) -> Result<Drawn, &'static str> {
    let mut package = Package::open(bytes)?;
    let main = package.main()?;
    let relations = Rc::new(package.relations(&main)?);
    let mut styles = package.only(&relations, "styles", Styles::of)?.unwrap_or_default();
    styles.theme = package.only(&relations, "theme", Theme::of)?.unwrap_or_default();
    let lists = package.only(&relations, "numbering", Lists::of)?.unwrap_or_default();
    let digests = package.digests()?;
    let mut drawer = Drawer::new(&styles, &lists, &digests);
    for part in relations.of_kind("comments") {
        comments(&mut package, &mut drawer, &part)?;
    }
    let body = package.part(&main, |root| {
        let is_one = root.name() == "document" && root.child("body").is_some();
        is_one.then(|| drawer.part(root, &relations))
    })?;
    let mut blocks = body.flatten().ok_or(DAMAGED)?;
    let around = around(&mut package, &mut drawer, &relations)?;
    for (kind, one, title) in [
        ("footnotes", "footnote", "Footnotes:"),
        ("endnotes", "endnote", "Endnotes:"),
    ] {
        let notes = notes(&mut package, &mut drawer, &relations, kind, one)?;
        put(&mut blocks, title, notes);
    }
    blocks.extend(around);
    put(&mut blocks, "Comments that stand nowhere in the text:", drawer.astray());
    if drawer.is_filled_in {
        let data = data(&mut package, &mut drawer, &relations)?;
        put(&mut blocks, "Data that fills in parts of this document:", data);
    }
    let beside = package.beside(&relations)?;
    let unread = package.unread(&beside);
    let is_whole = !drawer.is_partly && !package.fetches && unread.iter().all(|part| !part.is_printed);
    let unread = unread.into_iter().map(|part| drawer.unread(part)).collect();
    put(&mut blocks, "Not drawn:", unread);
    if drawer.is_full {
        return Err(LARGE);
    }
    let is_blank = blocks.iter().all(Block::is_empty);
    Ok(Drawn {
        html: match is_blank {
            true => "<p>The document holds no words.</p>".to_owned(),
            false => markdown::sanitised(&page::html(&blocks)),
        },
        words: page::words(&blocks),
        is_whole,
    })
}

/// Puts a part behind a document, unless it says nothing.
fn put(blocks: &mut Vec<Block>, title: &str, part: Vec<Block>) {
    if !part.iter().all(Block::is_empty) {
        blocks.push(Block::Part(title.to_owned()));
        blocks.extend(part);
    }
}

fn comments(package: &mut Package<'_>, drawer: &mut Drawer<'_>, part: &str) -> Result<(), &'static str> {
    let relations = Rc::new(package.relations(part)?);
    package.part(part, |root| {
        for comment in root.elements().filter(|one| one.name() == "comment") {
            let said = page::on_one_line(&drawer.part(comment, &relations));
            drawer.keep_comment(comment, &said);
        }
    })?;
    Ok(())
}

/// All headers and footers, each once, with the pages that have it. Where a section names none it has that of the one before.
fn around(
    package: &mut Package<'_>,
    drawer: &mut Drawer<'_>,
    relations: &Relations,
) -> Result<Vec<Block>, &'static str> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for (mut what, section, id) in std::mem::take(&mut drawer.around) {
        let Some(relation) = relations.by_id(&id).filter(|relation| !relation.is_outside) else {
            continue;
        };
        if drawer.sections > 1 {
            what.push_str(&format!(" from section {section} on"));
        }
        let part = relation.to.clone();
        if !known.insert((what.clone(), part.clone())) {
            continue;
        }
        drawer.spend(what.len());
        match places.get(&part) {
            Some(at) => parts[*at].0.push_str(&format!(", {what}")),
            None => {
                places.insert(part.clone(), parts.len());
                parts.push((what, part));
            }
        }
    }
    let others = [("header", "Header"), ("footer", "Footer")]
        .into_iter()
        .flat_map(|(kind, what)| {
            let found = relations.of_kind(kind).into_iter();
            found.map(move |part| (format!("{what} that no page has"), part))
        });
    for (what, part) in others {
        if places.insert(part.clone(), parts.len()).is_none() {
            parts.push((what, part));
        }
    }
    let mut out = Vec::new();
    for (what, part) in parts {
        let relations = Rc::new(package.relations(&part)?);
        let blocks = package.part(&part, |root| drawer.part(root, &relations))?;
        put(&mut out, &format!("{what}:"), blocks.unwrap_or_default());
    }
    Ok(out)
}

/// The footnotes or endnotes in the order in which the text refers to them, then the others.
fn notes(
    package: &mut Package<'_>,
    drawer: &mut Drawer<'_>,
    relations: &Relations,
    kind: &str,
    one: &str,
) -> Result<Vec<Block>, &'static str> {
    let mut found: Vec<(String, Vec<Block>)> = Vec::new();
    for part in relations.of_kind(kind) {
        let relations = Rc::new(package.relations(&part)?);
        package.part(&part, |root| {
            for note in root.elements().filter(|note| note.name() == one) {
                let blocks = drawer.part(note, &relations);
                found.push((note.get("id").unwrap_or_default(), blocks));
            }
        })?;
    }
    let numbers: &Numbered = match kind {
        "footnotes" => &drawer.footnotes,
        _ => &drawer.endnotes,
    };
    let there: BTreeSet<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    let missing = numbers.iter().filter(|(id, _)| !there.contains(id.as_str()));
    let missing: Vec<(usize, Vec<Block>)> = missing
        .map(|(_, number)| (*number, vec![Block::named("[it is not there]".to_owned())]))
        .collect();
    let known = found
        .into_iter()
        .map(|(id, blocks)| (numbers.get(&id).copied().unwrap_or(usize::MAX), blocks));
    let mut all: Vec<(usize, Vec<Block>)> = known.chain(missing).collect();
    all.sort_by_key(|(number, _)| *number);
    let mut out = Vec::new();
    for (number, mut blocks) in all {
        let mark = match number {
            usize::MAX if blocks.iter().all(Block::is_empty) => continue,
            usize::MAX => format!("[{one} to which nothing refers] "),
            number => format!("[{one} {number}] "),
        };
        match blocks.first_mut() {
            Some(Block::Line(line)) => line.pieces.insert(0, Piece::named(mark)),
            _ => blocks.insert(0, Block::named(mark)),
        }
        out.extend(blocks);
    }
    Ok(out)
}

/// What the data says from which parts of a document are filled in.
fn data(package: &mut Package<'_>, drawer: &mut Drawer<'_>, relations: &Relations) -> Result<Vec<Block>, &'static str> {
    let mut parts = relations.of_kind("customXml");
    let whole = package.relations("")?;
    for kind in ["core-properties", "extended-properties", "custom-properties"] {
        parts.extend(whole.of_kind(kind));
    }
    let mut out = Vec::new();
    for part in parts {
        package.part(&part, |root| tell(root, drawer, &mut out))?;
    }
    Ok(out)
}

fn tell(element: &Element<'_>, drawer: &mut Drawer<'_>, out: &mut Vec<Block>) {
    let name = element.own_name();
    let text = element.text();
    if !text.trim().is_empty() {
        out.push(drawer.named(format!("{name}: {}", text.trim())));
    }
    for (key, value) in element.attributes() {
        out.push(drawer.named(format!("{name} {key}: {value}")));
    }
    for child in element.elements() {
        tell(child, drawer, out);
    }
}
