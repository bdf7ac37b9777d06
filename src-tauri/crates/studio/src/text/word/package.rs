//! The package of a Word document: a ZIP archive of parts that refer to each other. Anybody may have made it: what is unpacked is counted, and what
//! programs could read in two ways is refused.

use crate::text::word::xml::{self, DAMAGED, Element, LARGE, MOST_NODES};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// So many bytes are unpacked, of one part and of all.
const MOST_OF_A_PART: u64 = 16 << 20;
const MOST: u64 = 32 << 20;
/// and so many to know which versions of a part are the same.
const MOST_HASHED: u64 = 128 << 20;
const MOST_PARTS: usize = 10_000;

const LOCKED: &str =
    "This is a Word document whose parts are locked or packed in an unusual way: it cannot be shown here.";
const TWICE: &str = "This is a Word document that holds two parts of one name, of which every program shows another: it is not shown here.";
const OTHER: &str = "This file is called a Word document and holds something else: it cannot be shown here.";

/// An open package.
pub struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Where each part lies, by its name as parts are compared: in small letters.
    places: BTreeMap<String, usize>,
    types: Types,
    /// Parts that were read.
    read: BTreeSet<String>,
    left: u64,
    nodes: usize,
    /// Something that is printed, as a picture, is kept outside of the file.
    pub fetches: bool,
}

/// A part of which nothing was read although it may hold words.
pub struct Unread {
    pub what: &'static str,
    pub name: String,
    /// It may be seen on paper.
    pub is_printed: bool,
}

/// What kind of thing each part is.
#[derive(Default)]
struct Types {
    by_ending: BTreeMap<String, String>,
    by_name: BTreeMap<String, String>,
}

/// What a part refers to.
#[derive(Debug)]
pub struct Relation {
    /// The last word of its type: `header`, `hyperlink`; empty where it is none of office documents.
    pub kind: String,
    /// The part, or where else it leads.
    pub to: String,
    pub is_outside: bool,
}

/// All that one part refers to, by id.
#[derive(Debug, Default)]
pub struct Relations(BTreeMap<String, Relation>);

impl Relations {
    pub fn by_id(&self, id: &str) -> Option<&Relation> {
        self.0.get(id)
    }

    /// The parts of that kind.
    pub fn of_kind(&self, kind: &str) -> Vec<String> {
        let parts = self.0.values().filter(|one| one.kind == kind && !one.is_outside);
        parts.map(|one| one.to.clone()).collect()
    }
}

impl<'a> Package<'a> {
    /// Opens a package.
    ///
    /// # Errors
    /// Why it is none that is read, in a sentence.
    pub fn open(bytes: &'a [u8]) -> Result<Self, &'static str> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| DAMAGED)?;
        if archive.len() > MOST_PARTS {
            return Err(LARGE);
        }
        if archive.offset() != 0 {
            return Err(DAMAGED);
        }
        if archive.has_duplicate_names() {
            return Err(TWICE);
        }
        let mut places = BTreeMap::new();
        for (index, name) in archive.file_names().enumerate() {
            let name = name.map_err(|_| DAMAGED)?;
            if places.insert(alike(&name), index).is_some() {
                return Err(TWICE);
            }
        }
        let mut package = Self {
            archive,
            places,
            types: Types::default(),
            read: BTreeSet::new(),
            left: MOST,
            nodes: MOST_NODES,
            fetches: false,
        };
        package.types = package.part("[Content_Types].xml", types)?.ok_or(DAMAGED)?;
        Ok(package)
    }

    /// The part in which a document's text stands.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn main(&mut self) -> Result<String, &'static str> {
        let relations = self.relations("")?;
        let mut found = relations.of_kind("officeDocument");
        let (Some(main), true) = (found.pop(), found.is_empty()) else {
            return Err(DAMAGED);
        };
        let kind = self.kind(&main);
        match kind.contains("word") && kind.ends_with("main+xml") {
            true => Ok(main),
            false => Err(OTHER),
        }
    }

    /// What is made of a part's tree; `None` where it is not there.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn part<T>(&mut self, name: &str, make: impl FnOnce(&Element<'_>) -> T) -> Result<Option<T>, &'static str> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let root = xml::parse(&text, &mut self.nodes)?;
        Ok(Some(make(&root)))
    }

    /// The SHA-256 of each part, by its name as names are compared: of what is not drawn it tells whether it is the same.
    ///
    /// # Errors
    /// A part cannot be unpacked, or all of them hold too much.
    pub fn digests(&mut self) -> Result<BTreeMap<String, String>, &'static str> {
        let mut left = MOST_HASHED;
        let mut bytes = vec![0_u8; 1 << 16];
        let mut found = BTreeMap::new();
        for (name, index) in self.places.iter().filter(|(name, _)| !name.ends_with('/')) {
            let mut entry = self.archive.by_index(*index).map_err(|_| LOCKED)?;
            let mut hash = Sha256::new();
            loop {
                let length = entry.read(&mut bytes).map_err(|_| DAMAGED)?;
                if length == 0 {
                    break;
                }
                left = left.checked_sub(length as u64).ok_or(LARGE)?;
                hash.update(&bytes[..length]);
            }
            found.insert(name.clone(), hex::encode(hash.finalize()));
        }
        Ok(found)
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, &'static str> {
        let name = alike(name);
        let Some(index) = self.places.get(&name) else {
            return Ok(None);
        };
        let entry = self.archive.by_index(*index).map_err(|_| LOCKED)?;
        let most = MOST_OF_A_PART.min(self.left);
        let mut bytes = Vec::new();
        // What an archive says of its sizes is not believed.
        entry.take(most + 1).read_to_end(&mut bytes).map_err(|_| DAMAGED)?;
        let length = bytes.len() as u64;
        if length > most {
            return Err(LARGE);
        }
        self.left -= length;
        self.read.insert(name);
        xml::decoded(bytes).map(Some)
    }

    /// What a part refers to; of the package as a whole where it has no name.
    ///
    /// # Errors
    /// It cannot be read, or says two things of one reference.
    pub fn relations(&mut self, of: &str) -> Result<Relations, &'static str> {
        const PRINTED: [&str; 4] = ["image", "oleObject", "aFChunk", "subDocument"];
        let (folder, file) = of.rsplit_once('/').unwrap_or(("", of));
        let beside = format!("{folder}/_rels/{file}.rels");
        let found = self.part(&beside, |root| {
            let all = root.elements().filter(|one| one.name() == "Relationship");
            let relations = all.map(|one| {
                let said = |name: &str| one.get(name).unwrap_or_default();
                let (to, kind) = (said("Target"), said("Type"));
                let is_outside = said("TargetMode") == "External";
                let relation = Relation {
                    kind: kind_of(&kind).to_owned(),
                    to: if is_outside { to } else { inside(folder, &to) },
                    is_outside,
                };
                (said("Id"), relation)
            });
            let (mut known, mut is_clear) = (BTreeMap::new(), true);
            for (id, relation) in relations {
                is_clear &= known.insert(id, relation).is_none();
            }
            is_clear.then_some(Relations(known))
        })?;
        let found = found.unwrap_or_else(|| Some(Relations::default())).ok_or(DAMAGED)?;
        let mut outside = found.0.values().filter(|one| one.is_outside);
        self.fetches |= outside.any(|one| PRINTED.contains(&one.kind.as_str()));
        Ok(found)
    }

    /// What is made of the one part of that kind; `None` where there is none.
    ///
    /// # Errors
    /// There is more than one, or its name is written by the numbers of its letters: not every program finds the same one. It cannot be read.
    pub fn only<T>(
        &mut self,
        relations: &Relations,
        kind: &str,
        make: impl FnOnce(&Element<'_>) -> T,
    ) -> Result<Option<T>, &'static str> {
        match relations.of_kind(kind).as_slice() {
            [] => Ok(None),
            [part] if !part.contains('%') => self.part(part, make),
            _ => Err(DAMAGED),
        }
    }

    /// What kind of thing a part is said to be, in small letters.
    fn kind(&self, name: &str) -> String {
        let name = alike(name);
        let ending = name.rsplit('.').next().unwrap_or_default();
        let by_name = self.types.by_name.get(&name);
        by_name
            .or_else(|| self.types.by_ending.get(ending))
            .cloned()
            .unwrap_or_default()
    }

    /// Parts that are no part of what prints, by the name as names are compared: the small picture of the first page that a folder shows, and data
    /// from which nothing is filled in. Nearly every document that people write has such data (its sources, what a server keeps of it), and a program
    /// prints it only where a content control or a field asks for it: then all of it is read and told. What anything else refers to as well is not
    /// left out.
    ///
    /// # Errors
    /// What refers to it cannot be read.
    pub fn beside(&mut self, relations: &Relations) -> Result<BTreeSet<String>, &'static str> {
        let whole = self.relations("")?;
        let mut found = BTreeSet::new();
        for part in whole.of_kind("thumbnail") {
            found.insert(alike(&part));
        }
        for part in relations.of_kind("customXml") {
            let described = self.relations(&part)?.of_kind("customXmlProps");
            found.extend(described.iter().map(|part| alike(part)));
            found.insert(alike(&part));
        }
        let all = relations.0.values().chain(whole.0.values());
        let others = all.filter(|one| !one.is_outside && one.kind != "customXml" && one.kind != "thumbnail");
        for other in others {
            found.remove(&alike(&other.to));
        }
        Ok(found)
    }

    /// Parts of which nothing was read although they may hold words, without those that stand `beside` it.
    pub fn unread(&self, beside: &BTreeSet<String>) -> Vec<Unread> {
        let names = self.places.keys();
        let names = names.filter(|name| !self.read.contains(*name) && !beside.contains(*name));
        let named = names.filter_map(|name| {
            let mut is_printed = true;
            let mut not_printed = |what| {
                is_printed = false;
                what
            };
            let what = match self.kind(name) {
                _ if name.ends_with('/') || name.ends_with(".rels") => return None,
                kind if kind.contains("image/") => "a picture",
                kind if SILENT.iter().any(|silent| kind.contains(silent)) => return None,
                kind if kind.contains("obfuscatedfont") || kind.contains("x-font") => not_printed("a font of its own"),
                kind if kind.contains("vbaproject") || kind.contains("vbadata") => not_printed("macros"),
                kind if kind.contains(".chart") => "a chart",
                kind if kind.contains("diagram") => "a diagram",
                kind if kind.contains("glossary") => not_printed("text blocks that can be put in"),
                kind if kind.contains("activex") => "a control",
                _ if name.contains("/embeddings/") => "an embedded file",
                _ if name.contains("/media/") => "a picture",
                _ if name.contains("afchunk") => "another document",
                kind if kind.contains("customxml") || name.starts_with("customxml/") => {
                    not_printed("data beside the text")
                }
                _ => not_printed("a part of another kind"),
            };
            Some(Unread {
                what,
                name: name.clone(),
                is_printed,
            })
        });
        named.collect()
    }
}

/// Parts of these kinds hold no words of a document: how it looks, what is known about it.
const SILENT: &[&str] = &[
    "classificationlabels+xml",
    "theme+xml",
    "themeoverride+xml",
    "fonttable+xml",
    "settings+xml",
    "styles+xml",
    "styleswitheffects+xml",
    "numbering+xml",
    "-properties+xml",
    "customxmlproperties+xml",
    "commentsextended+xml",
    "commentsids+xml",
    "commentsextensible+xml",
    "people+xml",
    "diagramstyle+xml",
    "diagramcolors+xml",
    "diagramlayout+xml",
    "chartstyle+xml",
    "chartcolorstyle+xml",
    "printersettings",
    "keymapcustomizations+xml",
];

/// A part's name as names are compared.
pub fn alike(name: &str) -> String {
    name.trim_start_matches('/').to_lowercase()
}

/// See [`Relation::kind`]: programs follow no reference of another type, whatever its last word is.
fn kind_of(written: &str) -> &str {
    const KNOWN: [&str; 3] = [
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/",
        "http://purl.oclc.org/ooxml/officeDocument/relationships/",
        "http://schemas.openxmlformats.org/package/2006/relationships/metadata/",
    ];
    let known = KNOWN.iter().find_map(|begins| written.strip_prefix(begins));
    known.unwrap_or_default()
}

/// The part to which a reference leads from a folder.
fn inside(folder: &str, to: &str) -> String {
    let mut parts: Vec<&str> = match to.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn types(root: &Element<'_>) -> Types {
    let mut types = Types::default();
    for one in root.elements() {
        let kind = one.get("ContentType").unwrap_or_default().to_lowercase();
        match (one.name(), one.get("Extension"), one.get("PartName")) {
            ("Default", Some(ending), _) => drop(types.by_ending.insert(ending.to_lowercase(), kind)),
            ("Override", _, Some(name)) => drop(types.by_name.insert(alike(&name), kind)),
            _ => {}
        }
    }
    types
}
