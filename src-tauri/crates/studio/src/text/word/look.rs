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

/// A colour as red, green and blue.
pub type Rgb = [u8; 3];
const BLACK: Rgb = [0; 3];
/// The colour of a page.
pub const WHITE: Rgb = [0xff; 3];

/// With what letters are printed, or what is behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// As the program chooses: letters so that they can be read, behind them what lies below.
    Auto,
    /// With nothing.
    Nothing,
    Rgb(Rgb),
    /// A colour of the theme by its place, lighter or darker by so many parts of 255.
    Theme {
        place: usize,
        tint: Option<u8>,
        shade: Option<u8>,
    },
    Unknown,
}

impl Ink {
    /// What an element says in its attribute `own`, or by the name of a colour in `named`; how that is changed stands in those that begin with
    /// `changed`.
    fn of(element: &Element<'_>, own: &str, named: &str, changed: &str) -> Self {
        let part =
            |what: &str| -> Option<u8> { u8::from_str_radix(&element.get(&format!("{changed}{what}"))?, 16).ok() };
        match element.get(named).filter(|name| name != "none") {
            Some(name) => place_of(&name).map_or(Self::Unknown, |place| Self::Theme {
                place,
                tint: part("Tint"),
                shade: part("Shade"),
            }),
            None => match element.get(own).as_deref() {
                None | Some("auto") => Self::Auto,
                Some(written) => rgb(written).map_or(Self::Unknown, Self::Rgb),
            },
        }
    }
}

/// The colours to which documents refer by name.
#[derive(Debug)]
pub struct Theme([Option<Rgb>; 12]);

impl Default for Theme {
    fn default() -> Self {
        let mut colours = [None; 12];
        colours[0] = Some(BLACK);
        colours[1] = Some(WHITE);
        Self(colours)
    }
}

impl Theme {
    pub fn of(root: &Element<'_>) -> Self {
        let mut theme = Self::default();
        let all = root.child("themeElements").and_then(|all| all.child("clrScheme"));
        for named in all.into_iter().flat_map(|all| all.elements()) {
            let colour = named.elements().next();
            if let (Some(place), Some(colour)) = (place_of(named.name()), colour) {
                theme.0[place] = match colour.val().as_deref() {
                    Some("window") => Some(WHITE),
                    Some("windowText") => Some(BLACK),
                    said => colour.get("lastClr").as_deref().or(said).and_then(rgb),
                };
            }
        }
        theme
    }

    /// The colour that is meant; nothing where it is none, or not known.
    pub fn colour(&self, ink: Ink) -> Option<Rgb> {
        let (place, tint, shade) = match ink {
            Ink::Rgb(rgb) => return Some(rgb),
            Ink::Theme { place, tint, shade } => (place, tint, shade),
            Ink::Auto | Ink::Nothing | Ink::Unknown => return None,
        };
        let of = |part: u8, by: u8| (u16::from(part) * u16::from(by) / 255) as u8;
        let colour = (*self.0.get(place)?)?;
        Some(colour.map(|part| {
            let lighter = tint.map_or(part, |tint| 255 - of(255 - part, tint));
            shade.map_or(lighter, |shade| of(lighter, shade))
        }))
    }

    /// What is said of letters that are printed so where nobody sees them on one of these grounds; on one that is not known where there is none.
    pub fn unseen(&self, ink: Option<Ink>, grounds: &[Rgb]) -> Option<&'static str> {
        const PALE: &str = "white letters";
        let colour = match ink? {
            Ink::Nothing => return Some(PALE),
            ink => self.colour(ink)?,
        };
        let is_pale = are_alike(colour, WHITE);
        let is_unseen = match grounds {
            [] => is_pale,
            grounds => grounds.iter().any(|ground| are_alike(colour, *ground)),
        };
        is_unseen.then_some(match is_pale {
            true => PALE,
            false => "letters in the colour of their ground",
        })
    }
}

/// The place of a colour of the theme.
fn place_of(name: &str) -> Option<usize> {
    Some(match name {
        "dk1" | "tx1" | "dark1" | "text1" => 0,
        "lt1" | "bg1" | "light1" | "background1" => 1,
        "dk2" | "tx2" | "dark2" | "text2" => 2,
        "lt2" | "bg2" | "light2" | "background2" => 3,
        "accent1" => 4,
        "accent2" => 5,
        "accent3" => 6,
        "accent4" => 7,
        "accent5" => 8,
        "accent6" => 9,
        "hlink" | "hyperlink" => 10,
        "folHlink" | "followedHyperlink" => 11,
        _ => return None,
    })
}

/// A colour that is written as `FFFFFF`.
fn rgb(written: &str) -> Option<Rgb> {
    let read = u32::from_str_radix(written, 16).ok().filter(|_| written.len() == 6)?;
    let [_, red, green, blue] = read.to_be_bytes();
    Some([red, green, blue])
}

/// Whether letters of one colour are hardly seen on the other.
fn are_alike(one: Rgb, other: Rgb) -> bool {
    const ALIKE: u8 = 23;
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= ALIKE)
}

/// What a shading puts behind what it is of, as far as it is said.
pub fn shaded(properties: Option<&Element<'_>>) -> Option<Ink> {
    let shading = properties?.child("shd")?;
    Some(match shading.val().as_deref() {
        Some("nil") => Ink::Auto,
        Some("clear") | None => Ink::of(shading, "fill", "themeFill", "themeFill"),
        Some("solid") => match Ink::of(shading, "color", "themeColor", "theme") {
            Ink::Auto => Ink::Rgb(BLACK),
            ink => ink,
        },
        // A pattern of two colours.
        Some(_) => Ink::Unknown,
    })
}

/// The colour with which a text is marked.
fn highlighted(properties: &Element<'_>) -> Option<Ink> {
    let name = properties.said("highlight").filter(|name| name != "none")?;
    Some(match name.as_str() {
        "black" => Ink::Rgb(BLACK),
        "white" => Ink::Rgb(WHITE),
        "blue" => Ink::Rgb([0, 0, 0xff]),
        "cyan" => Ink::Rgb([0, 0xff, 0xff]),
        "green" => Ink::Rgb([0, 0xff, 0]),
        "magenta" => Ink::Rgb([0xff, 0, 0xff]),
        "red" => Ink::Rgb([0xff, 0, 0]),
        "yellow" => Ink::Rgb([0xff, 0xff, 0]),
        "darkBlue" => Ink::Rgb([0, 0, 0x80]),
        "darkCyan" => Ink::Rgb([0, 0x80, 0x80]),
        "darkGreen" => Ink::Rgb([0, 0x80, 0]),
        "darkMagenta" => Ink::Rgb([0x80, 0, 0x80]),
        "darkRed" => Ink::Rgb([0x80, 0, 0]),
        "darkYellow" => Ink::Rgb([0x80, 0x80, 0]),
        "darkGray" => Ink::Rgb([0x80; 3]),
        "lightGray" => Ink::Rgb([0xc0; 3]),
        _ => Ink::Unknown,
    })
}

/// What is said of letters; nothing where it is not said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    pub is_bold: Option<bool>,
    pub is_italic: Option<bool>,
    pub is_underlined: Option<bool>,
    pub is_struck: Option<bool>,
    pub is_hidden: Option<bool>,
    pub ink: Option<Ink>,
    /// What is behind them.
    pub ground: Option<Ink>,
    /// Printed from right to left.
    pub is_turned: Option<bool>,
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
            ink: ink(properties),
            ground: highlighted(properties).or_else(|| shaded(Some(properties))),
            is_turned: is_on("rtl"),
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

    /// What is said of such letters that are not printed as they are read; `grounds`: as with [`Theme::unseen`].
    pub fn unusual(self, theme: &Theme, grounds: &[Rgb]) -> Vec<&'static str> {
        let unseen = theme.unseen(self.ink, grounds);
        let all = [
            (self.is_hidden == Some(true)).then_some(HIDDEN),
            unseen,
            (self.is_tiny == Some(true)).then_some("tiny letters"),
            (self.is_narrow == Some(true)).then_some("letters pressed together"),
            (self.is_of_signs == Some(true)).then_some("printed as signs, not as letters"),
        ];
        all.into_iter().flatten().collect()
    }

    /// Whether nobody sees such letters on paper.
    pub fn are_unseen(self) -> bool {
        let theme = Theme::default();
        let ground = self.ground.and_then(|ground| theme.colour(ground)).unwrap_or(WHITE);
        let flags = [self.is_hidden, self.is_tiny, self.is_narrow];
        flags.contains(&Some(true)) || theme.unseen(self.ink, &[ground]).is_some()
    }

    /// These, and where they say nothing what others say.
    pub fn or(self, other: Self) -> Self {
        Self {
            is_bold: self.is_bold.or(other.is_bold),
            is_italic: self.is_italic.or(other.is_italic),
            is_underlined: self.is_underlined.or(other.is_underlined),
            is_struck: self.is_struck.or(other.is_struck),
            is_hidden: self.is_hidden.or(other.is_hidden),
            ink: self.ink.or(other.ink),
            ground: self.ground.or(other.ground),
            is_turned: self.is_turned.or(other.is_turned),
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
pub fn is_on(element: &Element<'_>) -> bool {
    !matches!(element.val().as_deref(), Some("0" | "false" | "off" | "none"))
}

/// See [`Marks::ink`].
fn ink(properties: &Element<'_>) -> Option<Ink> {
    let Some(fill) = properties.child("textFill") else {
        return Some(Ink::of(properties.child("color")?, "val", "themeColor", "theme"));
    };
    let said = |name: &str| fill.within(name).and_then(Element::val);
    let alpha = said("alpha").and_then(|alpha| alpha.parse::<i64>().ok());
    // Of a hundred thousand parts; which end of them is the one at which nothing is seen programs do not agree on.
    if fill.within("noFill").is_some() || alpha.is_some_and(|alpha| !(10_000..=90_000).contains(&alpha)) {
        return Some(Ink::Nothing);
    }
    let named = said("schemeClr").and_then(|name| place_of(&name));
    let named = named.map(|place| Ink::Theme {
        place,
        tint: None,
        shade: None,
    });
    let written = said("srgbClr").and_then(|written| rgb(&written)).map(Ink::Rgb);
    Some(named.or(written).unwrap_or(Ink::Unknown))
}

/// Whether it is another thing when it is printed from right to left: all but letters of the scripts that are written so.
pub fn turns(text: &str) -> bool {
    let mut letters = text.chars().filter(|letter| letter.is_alphabetic());
    let has_letters = letters.clone().next().is_some();
    match has_letters {
        true => letters.any(|letter| !is_from_right(letter)),
        false => !text.trim().is_empty(),
    }
}

fn is_from_right(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff | 0x1_0800..=0x1_0fff | 0x1_e800..=0x1_eeff
    )
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
    /// Of a paragraph or a table: what is behind it.
    pub ground: Option<Ink>,
    /// Of a paragraph: it is printed from right to left.
    pub is_turned: Option<bool>,
    /// Of a table: how some of its rows and columns look, by which.
    pub parts: BTreeMap<&'static str, Marks>,
}

/// All styles of a document by their id.
#[derive(Debug, Default)]
pub struct Styles {
    styles: BTreeMap<String, Style>,
    /// That of paragraphs which name none.
    usual: Option<String>,
    /// What holds of letters of which no style says anything.
    pub usually: Marks,
    /// The same of paragraphs: they are printed from right to left.
    pub are_turned: Option<bool>,
    pub theme: Theme,
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
                ground: [paragraph, style.child("tcPr"), style.child("tblPr")]
                    .into_iter()
                    .find_map(shaded),
                is_turned: is_turned(paragraph),
                parts: style.elements().filter_map(part).collect(),
            };
            own.insert(id, (said, style.said("basedOn")));
        }
        let default = |name: &str, of: &str| {
            let all = root.child("docDefaults").and_then(|all| all.child(name));
            all.and_then(|all| all.child(of))
        };
        let usually = Marks::of(default("rPrDefault", "rPr"));
        let are_turned = is_turned(default("pPrDefault", "pPr"));
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
                whole.ground = whole.ground.or(said.ground);
                whole.is_turned = whole.is_turned.or(said.is_turned);
                for (which, marks) in &said.parts {
                    let known = whole.parts.entry(*which).or_default();
                    *known = known.or(*marks);
                }
                next = based_on.as_ref();
            }
            (id.clone(), whole)
        });
        Self {
            styles: whole.collect(),
            usual,
            usually,
            are_turned,
            theme: Theme::default(),
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

/// What a style says of some rows or columns of a table, and of which.
fn part(element: &Element<'_>) -> Option<(&'static str, Marks)> {
    if element.name() != "tblStylePr" {
        return None;
    }
    let marks = Marks::of(element.child("rPr"));
    let ground = shaded(element.child("tcPr")).or_else(|| shaded(element.child("tblPr")));
    let which = match element.get("type")?.as_str() {
        "firstRow" => "first row",
        "lastRow" => "last row",
        "firstCol" => "first column",
        "lastCol" => "last column",
        "band1Horz" => "odd rows",
        "band2Horz" => "even rows",
        "band1Vert" => "odd columns",
        "band2Vert" => "even columns",
        "nwCell" => "first cell of the first row",
        "neCell" => "last cell of the first row",
        "swCell" => "first cell of the last row",
        "seCell" => "last cell of the last row",
        _ => "all cells",
    };
    let ground = ground.or(marks.ground);
    Some((which, Marks { ground, ..marks }))
}

/// Whether properties of a paragraph say that it is printed from right to left.
pub fn is_turned(properties: Option<&Element<'_>>) -> Option<bool> {
    properties?.child("bidi").map(is_on)
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
