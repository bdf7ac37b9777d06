//! XML of a package that anybody may have made, as a tree: no definitions, no entities of its own, not without end.

use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{NamespaceResolver, ResolveResult};
use quick_xml::{NsReader, XmlVersion, escape};
use std::borrow::Cow;

/// So many elements and texts are read, of all parts together: an element takes some sixty bytes.
pub const MOST_NODES: usize = 1_000_000;
/// So deeply elements stand in each other. A table in a table takes three of these levels, a text box some ten.
const DEEPEST: usize = 100;

/// Why a document is not shown.
pub const DAMAGED: &str = "This is a Word document that is damaged: it cannot be shown here.";
pub const LARGE: &str = "This is a Word document that holds more than can be shown here.";
const DEEP: &str = "This is a Word document whose parts stand in each other without end: it cannot be shown here.";
const DEFINES: &str = "This is a Word document that defines what its letters stand for (a DOCTYPE or an entity), as no Word document does: it is \
                       not shown here.";
const ENCODED: &str = "This is a Word document in another encoding than UTF-8 or UTF-16. Which letters its bytes stand for is not certain, so it is \
                       not shown here.";

/// An element. Its name and the names of its attributes are asked for without their prefix: the same document is written with other
/// namespaces by other programs, which are told apart by `Space`.
pub struct Element<'a> {
    start: BytesStart<'a>,
    space: Space,
    /// Which attributes are of the vocabulary of the text: a bit for each that names no namespace, in their order.
    of_text: u64,
    nodes: Vec<Node<'a>>,
}

/// In which vocabulary an element is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    /// That of the text of Word documents.
    Main,
    /// That in which something is said in several ways for several programs.
    Compatibility,
    /// Another one of office documents: drawings, equations, what refers to what.
    Office,
    /// Any other one. Programs pass over its elements, and may show what stands in them.
    Strange,
}

impl Space {
    fn of(namespace: &str) -> Self {
        const MAIN: [&str; 2] = [
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            "http://purl.oclc.org/ooxml/wordprocessingml/main",
        ];
        match namespace {
            main if MAIN.contains(&main) => Self::Main,
            "http://schemas.openxmlformats.org/markup-compatibility/2006" => Self::Compatibility,
            office if OFFICE.contains(&office) => Self::Office,
            _ => Self::Strange,
        }
    }

    /// The same for an element of that name: one that is an element of another vocabulary by its name alone is known to no program.
    fn of_element(self, name: &str) -> Self {
        const OF_TEXT: [&str; 20] = [
            "altChunk",
            "commentReference",
            "control",
            "cr",
            "delInstrText",
            "drawing",
            "endnoteReference",
            "fldChar",
            "fldSimple",
            "footnoteReference",
            "hyperlink",
            "instrText",
            "noBreakHyphen",
            "object",
            "pict",
            "sdt",
            "sectPr",
            "softHyphen",
            "subDoc",
            "sym",
        ];
        const OF_COMPATIBILITY: [&str; 3] = ["AlternateContent", "Choice", "Fallback"];
        match self {
            Self::Office if OF_TEXT.contains(&name) => Self::Strange,
            Self::Main | Self::Office if OF_COMPATIBILITY.contains(&name) => Self::Strange,
            space => space,
        }
    }
}

/// All vocabularies of office documents that are known here but that of their text. A program processes what stands in elements of one that it does
/// not know, or leaves it out, as the document says: so one that is only called alike is none of them.
const OFFICE: &[&str] = &[
    "http://schemas.openxmlformats.org/package/2006/content-types",
    "http://schemas.openxmlformats.org/package/2006/relationships",
    "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "http://schemas.openxmlformats.org/schemaLibrary/2006/main",
    "http://schemas.openxmlformats.org/drawingml/2006/main",
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "http://schemas.openxmlformats.org/drawingml/2006/chartDrawing",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "http://schemas.openxmlformats.org/drawingml/2006/lockedCanvas",
    "http://schemas.openxmlformats.org/drawingml/2006/compatibility",
    "http://purl.oclc.org/ooxml/officeDocument/math",
    "http://purl.oclc.org/ooxml/officeDocument/relationships",
    "http://purl.oclc.org/ooxml/schemaLibrary/main",
    "http://purl.oclc.org/ooxml/drawingml/main",
    "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing",
    "http://purl.oclc.org/ooxml/drawingml/picture",
    "http://purl.oclc.org/ooxml/drawingml/chart",
    "http://purl.oclc.org/ooxml/drawingml/chartDrawing",
    "http://purl.oclc.org/ooxml/drawingml/diagram",
    "http://purl.oclc.org/ooxml/drawingml/lockedCanvas",
    "http://purl.oclc.org/ooxml/drawingml/compatibility",
    "http://schemas.microsoft.com/office/word/2006/wordml",
    "http://schemas.microsoft.com/office/word/2010/wordml",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingInk",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "http://schemas.microsoft.com/office/word/2012/wordml",
    "http://schemas.microsoft.com/office/word/2012/wordprocessingDrawing",
    "http://schemas.microsoft.com/office/word/2015/wordml/symex",
    "http://schemas.microsoft.com/office/word/2016/wordml/cid",
    "http://schemas.microsoft.com/office/word/2018/wordml",
    "http://schemas.microsoft.com/office/word/2018/wordml/cex",
    "http://schemas.microsoft.com/office/word/2020/wordml/sdtdatahash",
    "http://schemas.microsoft.com/office/word/2023/wordml/word16du",
    "http://schemas.microsoft.com/office/word/2024/wordml/sdtformatlock",
    "http://schemas.microsoft.com/office/drawing/2007/8/2/chart",
    "http://schemas.microsoft.com/office/drawing/2008/diagram",
    "http://schemas.microsoft.com/office/drawing/2010/main",
    "http://schemas.microsoft.com/office/drawing/2010/picture",
    "http://schemas.microsoft.com/office/drawing/2012/chart",
    "http://schemas.microsoft.com/office/drawing/2014/chart",
    "http://schemas.microsoft.com/office/drawing/2014/chartex",
    "http://schemas.microsoft.com/office/drawing/2014/main",
    "http://schemas.microsoft.com/office/drawing/2016/ink",
    "http://schemas.microsoft.com/office/drawing/2016/SVG/main",
    "http://schemas.microsoft.com/office/drawing/2017/model3d",
    "urn:schemas-microsoft-com:vml",
    "urn:schemas-microsoft-com:office:office",
    "urn:schemas-microsoft-com:office:word",
    "urn:schemas-microsoft-com:office:excel",
    "urn:schemas-microsoft-com:office:powerpoint",
];

enum Node<'a> {
    Element(Element<'a>),
    Text(Cow<'a, str>),
}

impl<'a> Element<'a> {
    /// Its name; empty where office programs know no such element.
    pub fn name(&self) -> &str {
        match self.space {
            Space::Strange => "",
            _ => self.own_name(),
        }
    }

    /// Its name in whatever vocabulary.
    pub fn own_name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// Whether programs know no such element: each passes over it, and shows what stands in it or does not.
    pub fn is_strange(&self) -> bool {
        self.space == Space::Strange
    }

    /// Whether it is an element of the text itself.
    pub fn is_main(&self) -> bool {
        self.space == Space::Main
    }

    /// The elements right in it.
    pub fn elements(&self) -> impl Iterator<Item = &Element<'a>> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// The first element of that name right in it, one of its own vocabulary before others; or in what says it in several ways for several programs,
    /// or in an element that programs pass over, of which they may read what stands in it.
    pub fn child(&self, name: &str) -> Option<&Element<'a>> {
        let named: Vec<&Element<'a>> = self.elements().filter(|one| one.name() == name).collect();
        let own = named.iter().copied().find(|one| one.space == self.space);
        own.or_else(|| named.first().copied()).or_else(|| {
            self.elements().find_map(|one| match one.name() {
                "AlternateContent" => one.elements().find_map(|branch| branch.child(name)),
                _ if one.is_strange() => one.child(name),
                _ => None,
            })
        })
    }

    /// All elements of that name anywhere in it.
    pub fn every(&self, name: &str) -> Vec<&Element<'a>> {
        let mut found = Vec::new();
        for one in self.elements() {
            if one.name() == name {
                found.push(one);
            }
            found.extend(one.every(name));
        }
        found
    }

    /// Whether something that is printed stands in it.
    pub fn holds_words(&self) -> bool {
        const WORDS: [&str; 8] = [
            "t",
            "delText",
            "instrText",
            "sym",
            "drawing",
            "pict",
            "object",
            "altChunk",
        ];
        self.elements()
            .any(|one| WORDS.contains(&one.name()) || one.holds_words())
    }

    /// The first element of that name anywhere in it.
    pub fn within(&self, name: &str) -> Option<&Element<'a>> {
        self.elements().find_map(|element| match element.name() == name {
            true => Some(element),
            false => element.within(name),
        })
    }

    /// The text right in it.
    pub fn text(&self) -> String {
        let texts = self.nodes.iter().filter_map(|node| match node {
            Node::Text(text) => Some(text.as_ref()),
            Node::Element(_) => None,
        });
        texts.collect()
    }

    /// The same as it is printed: blanks around a text of the document are left out, unless it says that it keeps them.
    pub fn printed(&self) -> String {
        let text = self.text();
        match self.is_main() && !self.keeps_blanks() {
            true => text.trim_matches([' ', '\t', '\n', '\r']).to_owned(),
            false => text,
        }
    }

    fn keeps_blanks(&self) -> bool {
        let mut attributes = self.start.attributes();
        let mut known = attributes.with_checks(false).flatten();
        known.any(|one| one.key.into_inner() == "xml:space" && &*one.value == "preserve")
    }

    /// An attribute. In the text itself one of its vocabulary counts, then one without a prefix, and no other: programs pass over those of other
    /// vocabularies. Elsewhere one with the prefix of the element counts before one without any, and any other comes last.
    pub fn get(&self, name: &str) -> Option<String> {
        let own = self.start.name().prefix();
        let mut attributes = self.start.attributes();
        let known = attributes.with_checks(false).flatten();
        let known = known.filter(|one| one.key.as_namespace_binding().is_none());
        let named = known
            .enumerate()
            .filter(|(_, one)| one.key.local_name().into_inner() == name);
        let ranked = named.filter_map(|(at, one)| {
            let rank = match one.key.prefix() {
                _ if self.is_main() && self.is_of_text(at) => 0,
                None => 1,
                Some(_) if self.is_main() => return None,
                prefix if prefix == own => 0,
                Some(_) => 2,
            };
            Some((rank, one))
        });
        let (_, found) = ranked.min_by_key(|(rank, _)| *rank)?;
        let value = found.normalized_value(XmlVersion::Explicit1_0).ok()?;
        Some(value.into_owned())
    }

    fn is_of_text(&self, at: usize) -> bool {
        let bits = u32::try_from(at).ok().and_then(|at| self.of_text.checked_shr(at));
        bits.is_some_and(|bits| bits & 1 == 1)
    }

    /// The attribute `val`, in which most elements say what they say.
    pub fn val(&self) -> Option<String> {
        self.get("val")
    }

    /// What the element of that name right in it says.
    pub fn said(&self, name: &str) -> Option<String> {
        self.child(name)?.val()
    }

    /// What all attributes of that name say, whatever their prefix.
    pub fn all(&self, name: &str) -> Vec<String> {
        let attributes = self.attributes().into_iter();
        attributes
            .filter_map(|(key, value)| (key == name).then_some(value))
            .collect()
    }

    /// All attributes but those that name namespaces.
    pub fn attributes(&self) -> Vec<(String, String)> {
        let mut attributes = self.start.attributes();
        let known = attributes.with_checks(false).flatten();
        let known = known.filter(|one| one.key.as_namespace_binding().is_none());
        let read = known.filter_map(|one| {
            let value = one.normalized_value(XmlVersion::Explicit1_0).ok()?;
            Some((one.key.local_name().into_inner().to_owned(), value.into_owned()))
        });
        read.collect()
    }
}

/// The text of a part.
///
/// # Errors
/// Which letters its bytes stand for is not certain.
pub fn decoded(bytes: Vec<u8>) -> Result<String, &'static str> {
    let unit = match bytes.as_slice() {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes as fn([u8; 2]) -> u16),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes as fn([u8; 2]) -> u16),
        _ => None,
    };
    let text = match unit {
        Some(unit) => {
            let units = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
            char::decode_utf16(units)
                .collect::<Result<String, _>>()
                .map_err(|_| ENCODED)?
        }
        None => {
            let text = String::from_utf8(bytes).map_err(|_| ENCODED)?;
            text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
        }
    };
    match text.contains('\0') {
        true => Err(ENCODED),
        false => Ok(text),
    }
}

/// The tree of a part. `left`: how many elements and texts may still be read.
///
/// # Errors
/// It is no XML, or more than is read.
pub fn parse<'a>(text: &'a str, left: &mut usize) -> Result<Element<'a>, &'static str> {
    let mut reader = NsReader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut open: Vec<Element<'a>> = Vec::new();
    let mut root: Option<Element<'a>> = None;
    loop {
        let (space, event) = reader.read_resolved_event().map_err(|_| DAMAGED)?;
        let space = match space {
            ResolveResult::Bound(namespace) => Space::of(namespace.into_inner()),
            ResolveResult::Unbound => Space::Strange,
            ResolveResult::Unknown(_) => return Err(DAMAGED),
        };
        let words = match event {
            Event::Start(start) => {
                *left = left.checked_sub(1).ok_or(LARGE)?;
                if open.len() >= DEEPEST {
                    return Err(DEEP);
                }
                if start.attributes_raw().contains('&') && !is_plain(&start) {
                    return Err(DEFINES);
                }
                open.push(Element {
                    of_text: of_text(&start, reader.resolver())?,
                    space: space.of_element(start.local_name().into_inner()),
                    start,
                    nodes: Vec::new(),
                });
                continue;
            }
            Event::End(_) => {
                let closed = open.pop().ok_or(DAMAGED)?;
                match open.last_mut() {
                    Some(around) => around.nodes.push(Node::Element(closed)),
                    None if root.is_none() => root = Some(closed),
                    None => return Err(DAMAGED),
                }
                continue;
            }
            Event::Text(text) => text.xml10_content(),
            Event::CData(text) => text.xml10_content(),
            Event::GeneralRef(name) => match name.resolve_char_ref().map_err(|_| DAMAGED)? {
                Some(letter) => Cow::Owned(letter.to_string()),
                None => Cow::Borrowed(escape::resolve_xml_entity(&name).ok_or(DEFINES)?),
            },
            Event::DocType(_) => return Err(DEFINES),
            Event::Decl(said) => {
                if let Some(encoding) = said.encoding() {
                    let encoding = encoding.map_err(|_| DAMAGED)?.to_ascii_lowercase();
                    // The bytes are read as one of them; others may make other letters of the same ones.
                    if !["utf-8", "utf8", "utf-16"].contains(&encoding.as_str()) {
                        return Err(ENCODED);
                    }
                }
                continue;
            }
            // No program shows them.
            Event::Comment(_) | Event::PI(_) => continue,
            Event::Empty(_) => return Err(DAMAGED),
            Event::Eof => break,
        };
        match open.last_mut() {
            Some(around) if !words.is_empty() => {
                *left = left.checked_sub(1).ok_or(LARGE)?;
                around.nodes.push(Node::Text(words));
            }
            None if !words.trim().is_empty() => return Err(DAMAGED),
            _ => {}
        }
    }
    match open.is_empty() {
        true => root.ok_or(DAMAGED),
        false => Err(DAMAGED),
    }
}

/// See `Element::of_text`: by what prefixes stand for, which any document chooses.
fn of_text(start: &BytesStart<'_>, resolver: &NamespaceResolver) -> Result<u64, &'static str> {
    let (mut found, mut at) = (0, 0_u32);
    for one in start.attributes() {
        // Two of one name are an error.
        let key = one.map_err(|_| DAMAGED)?.key;
        if key.as_namespace_binding().is_some() {
            continue;
        }
        match resolver.resolve_attribute(key).0 {
            ResolveResult::Bound(namespace) if Space::of(namespace.into_inner()) == Space::Main => {
                found |= 1_u64.checked_shl(at).ok_or(LARGE)?;
            }
            ResolveResult::Unknown(_) => return Err(DAMAGED),
            ResolveResult::Bound(_) | ResolveResult::Unbound => {}
        }
        at += 1;
    }
    Ok(found)
}

/// Whether the attributes of an element can be read without definitions. A namespace is compared as it is written.
fn is_plain(start: &BytesStart<'_>) -> bool {
    start.attributes().with_checks(false).all(|one| {
        one.is_ok_and(|one| match one.key.as_namespace_binding() {
            Some(_) => !one.value.contains('&'),
            None => one.normalized_value(XmlVersion::Explicit1_0).is_ok(),
        })
    })
}
