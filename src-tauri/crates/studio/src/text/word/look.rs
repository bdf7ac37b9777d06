//! How the text of a document looks as far as that says something: what is emphasised, struck or hidden, what is a heading, and which style passes
//! it on.

use crate::text::word::symbol;
use crate::text::word::xml::Element;
use std::collections::BTreeMap;

/// So many styles are looked through for what one of them takes over.
const LONGEST_CHAIN: usize = 20;
/// Letters below this size are tiny, in halves of a point,
const TINY: f64 = 8.0;
/// and below this part of their width narrow, in percent.
const NARROW: f64 = 20.0;

/// What is said of letters; nothing where it is not said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    pub is_bold: Option<bool>,
    pub is_italic: Option<bool>,
    pub is_underlined: Option<bool>,
    pub is_struck: Option<bool>,
    pub is_hidden: Option<bool>,
    /// White, almost white or of no colour.
    pub is_white: Option<bool>,
    /// Smaller than anybody reads,
    pub is_tiny: Option<bool>,
    /// and pressed together as much.
    pub is_narrow: Option<bool>,
    /// Printed as signs of a font that has no letters.
    pub is_of_signs: Option<bool>,
    pub height: Option<Height>,
}

/// What is said of hidden text.
pub const HIDDEN: &str = "hidden text";

/// Whether letters stand on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Height {
    Line,
    Above,
    Below,
}

impl Marks {
    /// What properties of a run say.
    pub fn of(properties: Option<&Element<'_>>) -> Self {
        let Some(properties) = properties else {
            return Self::default();
        };
        let is_on = |name: &str| properties.child(name).map(is_on);
        let number = |name: &str| -> Option<f64> { properties.said(name)?.trim_end_matches('%').parse().ok() };
        Self {
            is_bold: is_on("b"),
            is_italic: is_on("i"),
            is_underlined: is_on("u"),
            is_struck: is_on("strike").or_else(|| is_on("dstrike")),
            is_hidden: is_on("vanish"),
            is_white: is_white(properties),
            is_tiny: number("sz").map(|halves| halves < TINY),
            is_narrow: number("w").map(|percent| percent < NARROW),
            is_of_signs: is_of_signs(properties),
            height: properties.said("vertAlign").map(|height| match height.as_str() {
                "superscript" => Height::Above,
                "subscript" => Height::Below,
                _ => Height::Line,
            }),
        }
    }

    /// Whether nobody sees such letters on paper.
    pub fn are_unseen(self) -> bool {
        let unseen = [self.is_hidden, self.is_white, self.is_tiny, self.is_narrow];
        unseen.contains(&Some(true))
    }

    /// These, and where they say nothing what others say.
    pub fn or(self, other: Self) -> Self {
        Self {
            is_bold: self.is_bold.or(other.is_bold),
            is_italic: self.is_italic.or(other.is_italic),
            is_underlined: self.is_underlined.or(other.is_underlined),
            is_struck: self.is_struck.or(other.is_struck),
            is_hidden: self.is_hidden.or(other.is_hidden),
            is_white: self.is_white.or(other.is_white),
            is_tiny: self.is_tiny.or(other.is_tiny),
            is_narrow: self.is_narrow.or(other.is_narrow),
            is_of_signs: self.is_of_signs.or(other.is_of_signs),
            height: self.height.or(other.height),
        }
    }

    /// What a style says on top of that of another kind: of letters on that of their paragraph, of a paragraph on that of its table. What each of
    /// them turns on is off where both do.
    pub fn over(self, other: Self) -> Self {
        let turned = |own: Option<bool>, other: Option<bool>| match (own, other) {
            (Some(own), Some(other)) => Some(own != other),
            (own, other) => own.or(other),
        };
        Self {
            is_bold: turned(self.is_bold, other.is_bold),
            is_italic: turned(self.is_italic, other.is_italic),
            is_struck: turned(self.is_struck, other.is_struck),
            is_hidden: turned(self.is_hidden, other.is_hidden),
            ..self.or(other)
        }
    }
}

/// Whether an element that stands for yes says so.
fn is_on(element: &Element<'_>) -> bool {
    !matches!(element.val().as_deref(), Some("0" | "false" | "off" | "none"))
}

/// See [`Marks::is_white`]. On which ground letters stand is not looked at.
fn is_white(properties: &Element<'_>) -> Option<bool> {
    if let Some(fill) = properties.child("textFill") {
        let said = |name: &str| fill.within(name).and_then(Element::val);
        let is_ground = matches!(said("schemeClr").as_deref(), Some("bg1" | "lt1"));
        return Some(fill.within("noFill").is_some() || is_ground || said("srgbClr").is_some_and(|rgb| is_pale(&rgb)));
    }
    let color = properties.child("color")?;
    Some(match color.get("themeColor").as_deref() {
        Some("background1" | "light1") => color.get("themeShade").is_none(),
        Some(name) if name != "none" => false,
        _ => color.val().is_some_and(|rgb| is_pale(&rgb)),
    })
}

/// Whether a colour, written as `FFFFFF`, is hardly seen on paper.
fn is_pale(rgb: &str) -> bool {
    const PALE: u8 = 0xe8;
    let read = u32::from_str_radix(rgb, 16).ok().filter(|_| rgb.len() == 6);
    read.is_some_and(|rgb| rgb.to_be_bytes().iter().skip(1).all(|part| *part >= PALE))
}

/// See [`Marks::is_of_signs`].
fn is_of_signs(properties: &Element<'_>) -> Option<bool> {
    let fonts = properties.child("rFonts")?;
    let are_signs = |name: &str| fonts.get(name).map(|font| symbol::is_of_signs(&font));
    let (ascii, others) = (are_signs("ascii"), are_signs("hAnsi"));
    // A font for other letters alone leaves those of the alphabet as they are.
    let is_said = ascii.is_some() || fonts.get("asciiTheme").is_some();
    match ascii == Some(true) || others == Some(true) {
        true => Some(true),
        false => is_said.then_some(false),
    }
}

/// A list to which a paragraph belongs, and its level, from 0: as far as that is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InList {
    pub list: Option<String>,
    pub level: Option<usize>,
}

impl InList {
    /// What properties of a paragraph say.
    pub fn of(properties: Option<&Element<'_>>) -> Self {
        let said = properties.and_then(|properties| properties.child("numPr"));
        Self {
            list: said.and_then(|said| said.said("numId")),
            level: said.and_then(|said| said.said("ilvl")?.parse().ok()),
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            list: self.list.or(other.list),
            level: self.level.or(other.level),
        }
    }
}

/// What a style says, with what it takes over from others.
#[derive(Debug, Clone, Default)]
pub struct Style {
    pub marks: Marks,
    pub in_list: InList,
    /// Of a heading: its level, from 1.
    pub heading: Option<u8>,
}

/// All styles of a document by their id.
#[derive(Debug, Default)]
pub struct Styles {
    styles: BTreeMap<String, Style>,
    /// That of paragraphs which name none.
    usual: Option<String>,
    /// What holds of letters of which no style says anything.
    pub usually: Marks,
}

impl Styles {
    pub fn of(root: &Element<'_>) -> Self {
        let mut own: BTreeMap<String, (Style, Option<String>)> = BTreeMap::new();
        let mut usual = None;
        for style in root.elements().filter(|one| one.name() == "style") {
            let Some(id) = style.get("styleId") else {
                continue;
            };
            let is_usual = style.get("default").is_some_and(|said| said != "0" && said != "false");
            if is_usual && style.get("type").as_deref() == Some("paragraph") {
                usual = Some(id.clone());
            }
            let paragraph = style.child("pPr");
            let name = style.said("name").unwrap_or_default();
            let said = Style {
                marks: Marks::of(style.child("rPr")),
                in_list: InList::of(paragraph),
                heading: outline(paragraph).unwrap_or_else(|| by_name(&name)),
            };
            own.insert(id, (said, style.said("basedOn")));
        }
        let usually = root.child("docDefaults").and_then(|all| all.child("rPrDefault"));
        let usually = Marks::of(usually.and_then(|all| all.child("rPr")));
        let whole = own.keys().map(|id| {
            let mut whole = Style::default();
            let mut next = Some(id);
            for _ in 0..LONGEST_CHAIN {
                let Some((said, based_on)) = next.and_then(|id| own.get(id)) else {
                    break;
                };
                whole.marks = whole.marks.or(said.marks);
                whole.in_list = whole.in_list.or(said.in_list.clone());
                whole.heading = whole.heading.or(said.heading);
                next = based_on.as_ref();
            }
            (id.clone(), whole)
        });
        Self {
            styles: whole.collect(),
            usual,
            usually,
        }
    }

    /// The style of that id, or what its id says where the document has none.
    pub fn get(&self, id: &str) -> Style {
        self.styles.get(id).cloned().unwrap_or_else(|| Style {
            heading: by_name(id),
            ..Style::default()
        })
    }

    /// The style of a paragraph that names this one, or none, with its id.
    pub fn of_paragraph(&self, named: Option<String>) -> (Style, String) {
        // One that the document does not have is the usual one.
        let known = named.clone().filter(|id| self.styles.contains_key(id));
        let id = known.or_else(|| self.usual.clone()).or(named).unwrap_or_default();
        (self.get(&id), id)
    }
}

/// The level of a heading as properties of a paragraph say it; `Some(None)`: they say that it is none.
pub fn outline(properties: Option<&Element<'_>>) -> Option<Option<u8>> {
    let said: u8 = properties?.said("outlineLvl")?.parse().ok()?;
    Some((said < 9).then(|| (said + 1).min(6)))
}

/// The level of a heading as the name of its style says it.
fn by_name(name: &str) -> Option<u8> {
    let name: String = name.to_lowercase().split_whitespace().collect();
    match name.strip_prefix("heading") {
        Some(level) => level
            .parse::<u8>()
            .ok()
            .filter(|level| (1..=9).contains(level))
            .map(|level| level.min(6)),
        None => (name == "title").then_some(1),
    }
}
