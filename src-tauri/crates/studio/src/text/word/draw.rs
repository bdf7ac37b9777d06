//! The text of a part, read in the order in which it stands: all that a document says, and what cannot be drawn named in its place. What is not known
//! here is passed through: the words in it are found all the same.

use crate::text::word::look::{self, HIDDEN, Height, InList, Ink, Marks, Rgb, Style, Styles, Theme, WHITE};
use crate::text::word::numbers::{Counted, Lists};
use crate::text::word::package::{self, Relations, Unread};
use crate::text::word::page::{Block, Cell, Is, Line, Mark, Piece, Row, Wrap};
use crate::text::word::symbol;
use crate::text::word::xml::Element;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// So many bytes of words are drawn, with what is said of them: a page must stay light.
const MOST_WORDS: usize = 4 << 20;
/// No cell goes over more columns.
const WIDEST: usize = 63;
/// Nothing is set in further, in levels of a list.
const DEEPEST: usize = 8;
/// What refers to other parts, or to what is kept outside of the file.
const REFERS: &[&str] = &["id", "embed", "link", "pict", "relid", "href", "dm"];

/// What of a document its parts share, and what was found in them so far.
pub struct Drawer<'d> {
    styles: &'d Styles,
    lists: &'d Lists,
    /// The SHA-256 of each part, by its name as names are compared.
    digests: &'d BTreeMap<String, String>,
    /// Comments by their id, in words.
    comments: BTreeMap<String, String>,
    /// Ids of comments that stand somewhere, and of notes.
    pub commented: BTreeSet<String>,
    pub footnotes: Numbered,
    pub endnotes: Numbered,
    /// References to headers and footers: which pages have it, of the how manieth section, and the id of its relation.
    pub around: Vec<(String, usize, String)>,
    /// So many sections there were so far.
    pub sections: usize,
    /// A picture, another document or something else that prints was named and not drawn.
    pub is_partly: bool,
    /// Some text is filled in from data when the document is opened.
    pub is_filled_in: bool,
    /// There was more than is drawn.
    pub is_full: bool,
    left: usize,
    relations: Rc<Relations>,
    counted: Counted,
    fields: Vec<Field>,
    wraps: Vec<Wrap>,
    /// How letters of the paragraph look that say nothing themselves.
    usual: Marks,
    /// The same of the style of the table in which it stands.
    in_table: Marks,
    /// The same of some of its rows and columns: which of them a cell belongs to is not counted.
    in_parts: Vec<Marks>,
    /// The colours that may be behind what follows; none where that is not known.
    grounds: Vec<Rgb>,
}

/// Ids of notes, each with the how manieth one it is that is referred to.
pub type Numbered = BTreeMap<String, usize>;

/// A field that is open.
#[derive(Default)]
struct Field {
    instruction: String,
    is_told: bool,
}

/// Where a piece of text goes: into a paragraph, and what stands beside it behind that.
#[derive(Default)]
struct Place {
    pieces: Vec<Piece>,
    beside: Vec<Block>,
}

impl<'d> Drawer<'d> {
    pub fn new(styles: &'d Styles, lists: &'d Lists, digests: &'d BTreeMap<String, String>) -> Self {
        Self {
            styles,
            lists,
            digests,
            comments: BTreeMap::new(),
            commented: BTreeSet::new(),
            footnotes: Numbered::new(),
            endnotes: Numbered::new(),
            around: Vec::new(),
            sections: 0,
            is_partly: false,
            is_filled_in: false,
            is_full: false,
            left: MOST_WORDS,
            relations: Rc::default(),
            counted: Counted::default(),
            fields: Vec::new(),
            wraps: Vec::new(),
            usual: Marks::default(),
            in_table: Marks::default(),
            in_parts: Vec::new(),
            grounds: vec![WHITE],
        }
    }

    /// The blocks of a part, or of a note in one.
    pub fn part(&mut self, root: &Element<'_>, relations: &Rc<Relations>) -> Vec<Block> {
        self.relations = Rc::clone(relations);
        self.counted = Counted::default();
        self.wraps.clear();
        self.usual = Marks::default();
        self.in_table = Marks::default();
        self.in_parts.clear();
        self.grounds = vec![WHITE];
        let mut out = Vec::new();
        self.blocks(root, &mut out);
        // A field that does not end says what it is all the same.
        let mut place = Place::default();
        while !self.fields.is_empty() {
            self.tell(&mut place);
            self.fields.pop();
        }
        self.settle(place, &mut out);
        out
    }

    /// Keeps what a comment says, for where it stands.
    pub fn keep_comment(&mut self, comment: &Element<'_>, said: &str) {
        let by = who(comment);
        let id = comment.get("id").unwrap_or_default();
        let told = self.comments.entry(id).or_default();
        // Two of one id are both told.
        told.push_str(&format!("[comment{by}: {said}]"));
    }

    /// A paragraph of its own in which something is named.
    pub fn named(&mut self, what: String) -> Block {
        self.spend(what.len());
        Block::named(on_a_line(&what))
    }

    /// A part of which nothing was read.
    pub fn unread(&mut self, part: Unread) -> Block {
        let mut block = self.named(format!("{} ({})", part.what, part.name));
        if let (Block::Line(line), Some(digest)) = (&mut block, self.digests.get(&part.name)) {
            line.pieces.push(Piece::bytes(digest.clone()));
        }
        block
    }

    /// Comments that stand nowhere in the text.
    pub fn astray(&self) -> Vec<Block> {
        let astray = self.comments.iter().filter(|(id, _)| !self.commented.contains(*id));
        astray.map(|(_, said)| Block::named(said.clone())).collect()
    }

    fn blocks(&mut self, around: &Element<'_>, out: &mut Vec<Block>) {
        for child in around.elements() {
            if self.is_full {
                return;
            }
            match child.name() {
                "p" => self.paragraph(child, out),
                "tbl" => self.table(child, out),
                "sectPr" => self.section(child),
                "AlternateContent" => {
                    let (first, others) = branches(child);
                    self.take_note(child);
                    let depth = self.one_of(&others);
                    if let Some(first) = first {
                        self.blocks(first, out);
                    }
                    self.wraps.truncate(depth);
                    let mut place = Place::default();
                    self.others(others, &mut place);
                    self.settle(place, out);
                }
                "sdt" => {
                    let mut place = Place::default();
                    self.bound(child, &mut place);
                    self.settle(place, out);
                    self.blocks(child, out);
                }
                _ if is_property(child) => {}
                name if WITHIN_A_LINE.contains(&name) => {
                    let mut place = Place::default();
                    self.one(child, &mut place);
                    self.settle(place, out);
                }
                _ => {
                    let depth = self.begin(child);
                    let mut place = Place::default();
                    self.strange(child, &mut place);
                    self.settle(place, out);
                    self.blocks(child, out);
                    self.wraps.truncate(depth);
                }
            }
        }
    }

    /// Makes a paragraph of pieces that stand in none.
    fn settle(&mut self, place: Place, out: &mut Vec<Block>) {
        if !place.pieces.is_empty() {
            out.push(Block::Line(Line {
                pieces: place.pieces,
                ..Line::default()
            }));
        }
        out.extend(place.beside);
    }

    fn paragraph(&mut self, paragraph: &Element<'_>, out: &mut Vec<Block>) {
        let properties = paragraph.child("pPr");
        let named = properties.and_then(|said| said.said("pStyle"));
        let (style, id) = self.styles.of_paragraph(named);
        let heading = look::outline(properties).unwrap_or(style.heading);
        let mark = properties.and_then(|said| said.child("rPr"));
        let marks = style.marks.over(self.in_table);
        let usual = match heading {
            // A heading is as bold as its style, and no word of it says so.
            Some(_) => Marks {
                is_bold: None,
                is_italic: None,
                is_underlined: None,
                height: None,
                ..marks
            },
            None => marks,
        };
        let of_mark = Marks::of(mark).or(marks).or(self.styles.usually);
        let is_joined = of_mark.is_hidden == Some(true);
        let (mut number, mut level) = (String::new(), 0);
        if !is_joined {
            (number, level) = self.number(properties, &style, &id);
        }
        let grounds = self.on(look::shaded(properties).or(style.ground));
        let below = std::mem::replace(&mut self.grounds, grounds);
        let before = std::mem::replace(&mut self.usual, usual);
        let mut place = Place::default();
        self.inside(paragraph, &mut place);
        self.usual = before;
        self.grounds = below;
        let is_turned = look::is_turned(properties)
            .or(style.is_turned)
            .or(self.styles.are_turned);
        if is_turned == Some(true) && look::turns(&words_of(paragraph)) {
            let what = "[paragraph printed from right to left] ";
            self.spend(what.len());
            place.pieces.insert(0, Piece::named(what.to_owned()));
        }
        // A paragraph that is hidden whole is not counted.
        if is_joined && !(place.beside.is_empty() && place.pieces.iter().all(is_hidden)) {
            (number, level) = self.number(properties, &style, &id);
            self.add(Is::Named("[end of the paragraph hidden]".to_owned()), &mut place);
        }
        self.spend(number.len());
        for change in mark.into_iter().flat_map(|all| all.elements()) {
            if let Some((what, _)) = change_of(change) {
                let what = format!("[end of the paragraph {what}{}]", who(change));
                self.add(Is::Named(what), &mut place);
            }
        }
        if let Some(section) = properties.and_then(|said| said.child("sectPr")) {
            self.section(section);
        }
        out.push(Block::Line(Line {
            heading,
            number,
            level,
            pieces: place.pieces,
        }));
        out.extend(place.beside);
    }

    /// What is printed in front of a paragraph, and how far it is set in, in levels of its list.
    fn number(&mut self, properties: Option<&Element<'_>>, style: &Style, id: &str) -> (String, usize) {
        let own = InList::of(properties);
        let of_style = &style.in_list;
        let Some(list) = own.list.as_ref().or(of_style.list.as_ref()).filter(|list| *list != "0") else {
            return Default::default();
        };
        let of_list = || self.lists.level_of(list, id, self.styles);
        let level = own.level.or_else(of_list).or(of_style.level).unwrap_or(0);
        let printed = self.lists.printed(list, level, self.styles, &mut self.counted);
        (printed.unwrap_or_default(), level.min(DEEPEST))
    }

    fn table(&mut self, table: &Element<'_>, out: &mut Vec<Block>) {
        let properties = table.child("tblPr");
        let style = properties.and_then(|said| said.said("tblStyle"));
        let style = style.map(|id| self.styles.get(&id)).unwrap_or_default();
        if properties
            .and_then(|said| said.child("bidiVisual"))
            .is_some_and(look::is_on)
        {
            out.push(self.named("[columns of this table printed from right to left]".to_owned()));
        }
        let mut grounds = self.on(look::shaded(properties).or(style.ground));
        for (which, marks) in &style.parts {
            let own = match marks.ground {
                None | Some(Ink::Auto) => grounds.clone(),
                ground => self.on(ground),
            };
            // Where its letters have no colour of their own, they have that of the whole table.
            let ink = marks.ink.or(style.marks.ink).or(self.styles.usually.ink);
            let mut said = Marks { ink, ..*marks }.unusual(&self.styles.theme, &own);
            if marks.is_struck == Some(true) {
                said.push("struck out");
            }
            if !said.is_empty() {
                out.push(self.named(format!("[{which} of this table: {}]", said.join(", "))));
            }
        }
        // What stands in such a row may have the one ground or the other.
        if !grounds.is_empty() {
            let others = style
                .parts
                .values()
                .filter_map(|marks| self.styles.theme.colour(marks.ground?));
            grounds.extend(others);
        }
        let around = std::mem::replace(&mut self.in_table, style.marks);
        let parts = std::mem::replace(&mut self.in_parts, style.parts.into_values().collect());
        let below = std::mem::replace(&mut self.grounds, grounds);
        let mut rows = Vec::new();
        self.rows(table, &mut rows);
        self.in_table = around;
        self.in_parts = parts;
        self.grounds = below;
        out.push(Block::Table(rows));
    }

    /// What is behind something that says so of itself.
    fn on(&self, ground: Option<Ink>) -> Vec<Rgb> {
        match ground {
            None | Some(Ink::Auto) => self.grounds.clone(),
            Some(ground) => self.styles.theme.colour(ground).into_iter().collect(),
        }
    }

    fn rows(&mut self, around: &Element<'_>, rows: &mut Vec<Row>) {
        for child in around.elements() {
            if self.is_full {
                return;
            }
            let depth = self.begin(child);
            match child.name() {
                "tr" => {
                    let properties = child.child("trPr");
                    for said in properties.into_iter().flat_map(|all| all.elements()) {
                        match change_of(said) {
                            Some((what, mark)) => self.say(format!("row {what}{}", who(said)), mark),
                            None if said.name() == "hidden" => self.say("hidden row".to_owned(), Mark::Plain),
                            None => {}
                        }
                    }
                    let mut row = Row::new();
                    self.cells(child, &mut row);
                    rows.push(row);
                }
                _ if is_property(child) => {}
                "p" | "tbl" | "tc" => {
                    let mut blocks = Vec::new();
                    match child.name() {
                        "p" => self.paragraph(child, &mut blocks),
                        "tbl" => self.table(child, &mut blocks),
                        _ => self.blocks(child, &mut blocks),
                    }
                    rows.push(vec![Cell { span: 1, blocks }]);
                }
                name if WITHIN_A_LINE.contains(&name) => rows.extend(self.loose(child).map(|cell| vec![cell])),
                "sdt" => {
                    rows.extend(self.bound_cell(child).map(|cell| vec![cell]));
                    self.rows(child, rows);
                }
                _ => self.rows(child, rows),
            }
            self.wraps.truncate(depth);
        }
    }

    fn cells(&mut self, around: &Element<'_>, row: &mut Row) {
        for child in around.elements() {
            let depth = self.begin(child);
            match child.name() {
                "tc" => {
                    let cell = self.cell(child);
                    row.push(cell);
                }
                _ if is_property(child) => {}
                "p" | "tbl" => {
                    let mut blocks = Vec::new();
                    match child.name() {
                        "p" => self.paragraph(child, &mut blocks),
                        _ => self.table(child, &mut blocks),
                    }
                    row.push(Cell { span: 1, blocks });
                }
                name if WITHIN_A_LINE.contains(&name) => row.extend(self.loose(child)),
                "sdt" => {
                    row.extend(self.bound_cell(child));
                    self.cells(child, row);
                }
                _ => self.cells(child, row),
            }
            self.wraps.truncate(depth);
        }
    }

    /// A cell of what stands in none.
    fn loose(&mut self, element: &Element<'_>) -> Option<Cell> {
        let mut place = Place::default();
        self.one(element, &mut place);
        self.settled(place)
    }

    /// A cell that says of those behind it that they are filled in.
    fn bound_cell(&mut self, control: &Element<'_>) -> Option<Cell> {
        let mut place = Place::default();
        self.bound(control, &mut place);
        self.settled(place)
    }

    fn settled(&mut self, place: Place) -> Option<Cell> {
        let mut blocks = Vec::new();
        self.settle(place, &mut blocks);
        (!blocks.is_empty()).then_some(Cell { span: 1, blocks })
    }

    fn cell(&mut self, cell: &Element<'_>) -> Cell {
        let properties = cell.child("tcPr");
        let said = |name: &str| properties.and_then(|all| all.child(name));
        let span = properties.and_then(|all| all.said("gridSpan"));
        let span: usize = span.and_then(|span| span.parse().ok()).unwrap_or(1);
        for (name, what, mark) in [
            ("cellIns", "cell inserted", Mark::Inserted),
            ("cellDel", "cell deleted", Mark::Deleted),
        ] {
            if let Some(change) = said(name) {
                self.say(format!("{what}{}", who(change)), mark);
            }
        }
        let goes_on = |name: &str| said(name).is_some_and(|merged| merged.val().as_deref() != Some("restart"));
        let mut blocks = Vec::new();
        for (name, what) in [
            ("vMerge", "[one cell with the one above]"),
            ("hMerge", "[one cell with the one before]"),
        ] {
            if goes_on(name) {
                self.spend(what.len());
                blocks.push(Block::named(what.to_owned()));
            }
        }
        // A cell without a shading of its own has that of its row, and one that says that it has none that of the page.
        let own = look::shaded(properties).map(|own| match own {
            Ink::Auto => Ink::Rgb(WHITE),
            own => own,
        });
        let grounds = self.on(own);
        if own.is_some() {
            let theme = &self.styles.theme;
            let unseen = self.in_parts.iter().find_map(|marks| theme.unseen(marks.ink, &grounds));
            if let Some(what) = unseen {
                blocks.push(self.named(format!("[perhaps in {what}, by the style of the table]")));
            }
        }
        let below = std::mem::replace(&mut self.grounds, grounds);
        self.blocks(cell, &mut blocks);
        self.grounds = below;
        Cell {
            span: span.clamp(1, WIDEST),
            blocks,
        }
    }

    /// Keeps to which headers and footers a section refers.
    fn section(&mut self, section: &Element<'_>) {
        self.sections += 1;
        for reference in section.elements() {
            let what = match reference.name() {
                "headerReference" => "Header",
                "footerReference" => "Footer",
                _ => continue,
            };
            let pages = match reference.get("type").as_deref() {
                Some("first") => " of the first page",
                Some("even") => " of even pages",
                _ => "",
            };
            for id in reference.all("id") {
                self.around.push((format!("{what}{pages}"), self.sections, id));
            }
        }
    }

    fn inside(&mut self, around: &Element<'_>, place: &mut Place) {
        for child in around.elements() {
            if self.is_full {
                return;
            }
            self.one(child, place);
        }
    }

    /// One element within a paragraph.
    fn one(&mut self, child: &Element<'_>, place: &mut Place) {
        match child.name() {
            "r" => {
                let depth = self.wraps.len();
                self.looks(child);
                self.inside(child, place);
                self.wraps.truncate(depth);
            }
            "t" | "delText" => {
                let depth = self.wraps.len();
                // Of a field that has not come to its result nothing is printed.
                if self.fields.iter().any(|field| !field.is_told) {
                    self.say("instruction of a field".to_owned(), Mark::Plain);
                }
                self.add(Is::Text(on_a_line(&child.printed())), place);
                self.wraps.truncate(depth);
            }
            "instrText" | "delInstrText" => match self.fields.last_mut().filter(|field| !field.is_told) {
                Some(field) => field.instruction.push_str(&child.text()),
                None => self.name(format!("[field: {}]", child.text()), place),
            },
            "fldChar" => self.field(child, place),
            "fldSimple" => {
                let instruction = child.get("instr").unwrap_or_default();
                self.is_filled_in |= draws_on_data(&instruction);
                if !is_plain_field(&instruction) {
                    self.name(format!("[field: {}]", instruction.trim()), place);
                }
                self.inside(child, place);
            }
            "tab" | "ptab" => self.add(Is::Tab, place),
            "br" if child.get("type").as_deref() == Some("page") => self.name("[page break]".to_owned(), place),
            "br" | "cr" => self.add(Is::Break, place),
            "noBreakHyphen" => self.add(Is::Text("\u{2011}".to_owned()), place),
            "softHyphen" => self.add(Is::Text("\u{ad}".to_owned()), place),
            "pgNum" => self.name("[page number]".to_owned(), place),
            "dayShort" | "dayLong" | "monthShort" | "monthLong" | "yearShort" | "yearLong" => {
                self.name("[date]".to_owned(), place);
            }
            "sym" => self.add(sign(child), place),
            "footnoteReference" => {
                let number = place_of(&mut self.footnotes, child);
                self.name(format!("[footnote {number}]"), place);
            }
            "endnoteReference" => {
                let number = place_of(&mut self.endnotes, child);
                self.name(format!("[endnote {number}]"), place);
            }
            "commentReference" => {
                let id = child.get("id").unwrap_or_default();
                let said = self.comments.get(&id).cloned();
                self.commented.insert(id);
                self.name(said.unwrap_or_else(|| "[comment that is not there]".to_owned()), place);
            }
            "hyperlink" => self.link(child, place),
            "sdt" => {
                self.bound(child, place);
                self.inside(child, place);
            }
            "AlternateContent" => {
                let (first, others) = branches(child);
                self.take_note(child);
                let depth = self.one_of(&others);
                if let Some(first) = first {
                    self.inside(first, place);
                }
                self.wraps.truncate(depth);
                self.others(others, place);
            }
            "oMath" => self.name(format!("[equation: {}]", symbol::equation(child)), place),
            "drawing" => self.drawing(child, place),
            "txbxContent" => {
                let mut blocks = Vec::new();
                let usual = std::mem::take(&mut self.usual);
                // A box has a colour of its own.
                let below = std::mem::take(&mut self.grounds);
                self.blocks(child, &mut blocks);
                self.usual = usual;
                self.grounds = below;
                place.beside.push(Block::Beside("text box", blocks));
            }
            "p" => self.paragraph(child, &mut place.beside),
            "tbl" => self.table(child, &mut place.beside),
            "sectPr" => self.section(child),
            "rt" => {
                self.add(Is::Text(" (".to_owned()), place);
                self.inside(child, place);
                self.add(Is::Text(")".to_owned()), place);
            }
            "altChunk" | "subDoc" => {
                let to = self.targets(child).join(" ");
                self.omit(format!("[another document stands here: {to}]"), child, place);
            }
            "pic" => self.omit(picture("picture", child.within("cNvPr")), child, place),
            "chart" => self.omit("[chart]".to_owned(), child, place),
            "relIds" => self.omit("[diagram]".to_owned(), child, place),
            "contentPart" => self.omit("[ink]".to_owned(), child, place),
            "imagedata" => self.omit(about("picture", child.get("title")), child, place),
            "fill" if REFERS.iter().any(|name| child.get(name).is_some()) => {
                self.omit("[picture behind it]".to_owned(), child, place);
            }
            "textpath" => self.name(about("text as a picture", child.get("string")), place),
            "OLEObject" => self.omit(about("embedded object", child.get("ProgID")), child, place),
            "control" => self.omit(about("control", child.get("name")), child, place),
            "pict" if is_shape_alone(child) => {
                self.omit("[drawing]".to_owned(), child, place);
                self.inside(child, place);
            }
            _ if is_property(child) => {}
            _ => {
                // What a drawing of an older kind says of itself.
                if let Some(alt) = child.get("alt").filter(|alt| !alt.trim().is_empty()) {
                    self.name(about("drawing", Some(alt)), place);
                }
                let depth = self.begin(child);
                self.strange(child, place);
                self.inside(child, place);
                self.wraps.truncate(depth);
            }
        }
    }

    /// Keeps what follows of all the ways in which something is said, also of those that are not drawn.
    fn take_note(&mut self, several: &Element<'_>) {
        const OMITTED: [&str; 6] = ["altChunk", "subDoc", "OLEObject", "control", "blip", "imagedata"];
        self.is_filled_in |= several.within("dataBinding").is_some();
        self.is_partly |= OMITTED.iter().any(|name| several.within(name).is_some());
    }

    /// Text that stands right in an element which programs do not know.
    fn strange(&mut self, element: &Element<'_>, place: &mut Place) {
        let text = element.text();
        if element.is_strange() && !text.trim().is_empty() {
            self.add(Is::Text(on_a_line(text.trim())), place);
        }
    }

    /// Names what prints and is not drawn, with which bytes it is.
    fn omit(&mut self, what: String, element: &Element<'_>, place: &mut Place) {
        self.is_partly = true;
        self.name(what, place);
        self.bytes(element, place);
    }

    /// Which bytes stand behind an element, and what of it is kept outside of the file.
    fn bytes(&mut self, element: &Element<'_>, place: &mut Place) {
        let mut ids = BTreeSet::new();
        references(element, &mut ids);
        let relations = Rc::clone(&self.relations);
        let (mut inside, mut outside) = (BTreeSet::new(), BTreeSet::new());
        for relation in ids.iter().filter_map(|id| relations.by_id(id)) {
            if !relation.is_outside {
                inside.extend(self.digests.get(&package::alike(&relation.to)).cloned());
            } else if relation.kind != "hyperlink" {
                outside.insert(relation.to.clone());
            }
        }
        for to in outside {
            self.name(format!("[kept outside of this file: {to}]"), place);
        }
        for digest in inside {
            self.add(Is::Bytes(digest), place);
        }
    }

    /// Wraps what follows in what an element says of it; gives how far to go back behind it.
    fn begin(&mut self, element: &Element<'_>) -> usize {
        let depth = self.wraps.len();
        if element.is_strange() {
            self.say("some programs leave this out".to_owned(), Mark::Plain);
        }
        if let Some((what, mark)) = change_of(element) {
            self.say(format!("{what}{}", who(element)), mark);
        }
        if let Some(way) = way_of(element) {
            self.say(way.to_owned(), Mark::Plain);
        }
        depth
    }

    fn say(&mut self, what: String, mark: Mark) {
        self.wrap(Wrap::Said(Rc::from(what), mark));
    }

    /// Nothing is wrapped in the same thing twice: nested, it would get smaller.
    fn wrap(&mut self, wrap: Wrap) {
        if !self.wraps.contains(&wrap) {
            self.wraps.push(wrap);
        }
    }

    /// Wraps what follows, where other programs show something else; gives how far to go back behind it. Which programs show what is not certain:
    /// it depends on which vocabularies they know.
    fn one_of(&mut self, others: &[String]) -> usize {
        let depth = self.wraps.len();
        if !others.is_empty() {
            self.say("some programs show here".to_owned(), Mark::Plain);
        }
        depth
    }

    /// Wraps what follows in how a run looks.
    fn looks(&mut self, run: &Element<'_>) {
        let own = run.child("rPr");
        let style = own
            .and_then(|own| own.said("rStyle"))
            .map(|id| self.styles.get(&id).marks);
        let styled = style.unwrap_or_default().over(self.usual);
        let marks = Marks::of(own).or(styled).or(self.styles.usually);
        let grounds = self.on(marks.ground);
        for what in marks.unusual(&self.styles.theme, &grounds) {
            self.say(what.to_owned(), Mark::Plain);
        }
        if marks.is_turned == Some(true) && look::turns(&words_of(run)) {
            self.say(TURNED.to_owned(), Mark::Plain);
        }
        for (is_so, wrap) in [
            (marks.is_bold, Wrap::Strong),
            (marks.is_italic, Wrap::Emphasis),
            (marks.is_underlined, Wrap::Underline),
            (marks.is_struck, Wrap::Strike),
        ] {
            if is_so == Some(true) {
                self.wrap(wrap);
            }
        }
        match marks.height {
            Some(Height::Above) => self.wrap(Wrap::Above),
            Some(Height::Below) => self.wrap(Wrap::Below),
            Some(Height::Line) | None => {}
        }
    }

    /// Puts a piece where it belongs, as long as there is room.
    fn add(&mut self, is: Is, place: &mut Place) {
        let said = self.wraps.iter().map(|wrap| match wrap {
            Wrap::Link(what) | Wrap::Said(what, _) => what.len(),
            _ => 1,
        });
        let length = match &is {
            Is::Text(text) | Is::Named(text) | Is::Bytes(text) => text.len(),
            Is::Tab | Is::Break => 1,
        };
        let length = 1 + length + said.sum::<usize>();
        if !self.spend(length) {
            return;
        }
        let mut wraps = self.wraps.clone();
        if matches!(is, Is::Named(_) | Is::Bytes(_)) {
            wraps.retain(|wrap| matches!(wrap, Wrap::Link(_) | Wrap::Said(..)));
        }
        place.pieces.push(Piece { wraps, is });
    }

    /// Whether there was room for so many bytes.
    pub fn spend(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => self.is_full = true,
        }
        !self.is_full
    }

    fn name(&mut self, what: String, place: &mut Place) {
        self.add(Is::Named(on_a_line(&what)), place);
    }

    /// Text that other programs show in the place of what is drawn.
    fn others(&mut self, others: Vec<String>, place: &mut Place) {
        for other in others {
            self.name(format!("[other programs show here: {other}]"), place);
        }
    }

    /// Says that a text is another one as soon as the document is opened.
    fn bound(&mut self, control: &Element<'_>, place: &mut Place) {
        // However it is said, for whichever program.
        let properties = control.elements().filter(|one| one.name() != "sdtContent");
        for binding in properties.flat_map(|one| one.every("dataBinding")) {
            self.is_filled_in = true;
            self.name(filled_in(binding), place);
        }
    }

    /// Where a field begins, where its result does, and where it ends.
    fn field(&mut self, mark: &Element<'_>, place: &mut Place) {
        match mark.get("fldCharType").as_deref() {
            Some("begin") => self.fields.push(Field::default()),
            Some("end") => {
                self.tell(place);
                self.fields.pop();
            }
            _ => self.tell(place),
        }
        let Some(form) = mark.child("ffData") else {
            return;
        };
        if let Some(choice) = form.child("checkBox") {
            let said = choice.child("checked").or_else(|| choice.child("default"));
            let is_on = said.is_some_and(|said| !matches!(said.val().as_deref(), Some("0" | "false" | "off")));
            let sign = if is_on { "☑" } else { "☐" };
            self.add(Is::Text(sign.to_owned()), place);
        }
        if let Some(list) = form.child("ddList") {
            let at = list.said("result").or_else(|| list.said("default"));
            let at: usize = at.and_then(|at| at.parse().ok()).unwrap_or(0);
            let all: Vec<String> = list
                .elements()
                .filter(|one| one.name() == "listEntry")
                .filter_map(Element::val)
                .collect();
            let chosen = all.get(at).cloned().unwrap_or_default();
            self.name(format!("[chosen: {chosen}; of: {}]", all.join(", ")), place);
        }
    }

    /// Names the innermost field once, where it does more than refer to a page or list what stands in the document.
    fn tell(&mut self, place: &mut Place) {
        let Some(field) = self.fields.last_mut().filter(|field| !field.is_told) else {
            return;
        };
        field.is_told = true;
        let instruction = std::mem::take(&mut field.instruction);
        self.is_filled_in |= draws_on_data(&instruction);
        if !instruction.trim().is_empty() && !is_plain_field(&instruction) {
            self.name(format!("[field: {}]", instruction.trim()), place);
        }
    }

    /// Where an element leads.
    fn targets(&self, element: &Element<'_>) -> Vec<String> {
        let found = element.all("id").into_iter();
        found
            .filter_map(|id| Some(self.relations.by_id(&id)?.to.clone()))
            .collect()
    }

    /// A link with its words, where it leads, and what it says where somebody points at it.
    fn link(&mut self, link: &Element<'_>, place: &mut Place) {
        let to = self.targets(link);
        let depth = self.begin(link);
        if let [to] = to.as_slice()
            && ["http://", "https://", "mailto:"]
                .iter()
                .any(|begins| to.starts_with(begins))
        {
            self.wrap(Wrap::Link(Rc::from(to.as_str())));
        }
        self.inside(link, place);
        self.wraps.truncate(depth);
        let words = words_of(link);
        let anchor = link.get("anchor").or_else(|| link.get("docLocation"));
        // Word's own places have names that nobody gave them.
        let anchor = anchor
            .filter(|anchor| !anchor.starts_with('_'))
            .map(|anchor| format!("#{anchor}"));
        let tip = link.get("tooltip").map(|tip| format!("\"{tip}\""));
        let said = to.into_iter().chain(anchor).filter(|to| *to != words.trim()).chain(tip);
        let said: Vec<String> = said.collect();
        if !said.is_empty() {
            self.add(Is::Text(" ".to_owned()), place);
            self.name(format!("({})", said.join(" ")), place);
        }
    }

    /// A drawing, by what it is, with the words in it.
    fn drawing(&mut self, drawing: &Element<'_>, place: &mut Place) {
        let said = drawing.within("docPr");
        let depth = self.wraps.len();
        let is_hidden = said.and_then(|said| said.get("hidden"));
        if matches!(is_hidden.as_deref(), Some("1" | "true" | "on")) {
            self.say("hidden drawing".to_owned(), Mark::Plain);
        }
        let inner = drawing.within("graphicData").and_then(|data| data.elements().next());
        match inner.map(Element::name) {
            Some("pic") => self.omit(picture("picture", said), drawing, place),
            Some("chart") => self.omit(picture("chart", said), drawing, place),
            Some("relIds") => self.omit(picture("diagram", said), drawing, place),
            // A frame around words is told by them.
            Some(_) if is_frame(drawing) => match described(said) {
                None => {}
                Some(_) => self.name(picture("drawing", said), place),
            },
            _ => self.omit(picture("drawing", said), drawing, place),
        }
        if let Some(link) = drawing.within("hlinkClick") {
            let to = self.targets(link).join(" ");
            self.name(format!("({to})"), place);
        }
        match inner {
            Some(inner) if matches!(inner.name(), "pic" | "chart" | "relIds") => self.inside(inner, place),
            _ => self.inside(drawing, place),
        }
        self.wraps.truncate(depth);
    }
}

/// Whether no page shows a piece.
fn is_hidden(piece: &Piece) -> bool {
    let mut wraps = piece.wraps.iter();
    wraps.any(|wrap| matches!(wrap, Wrap::Said(what, _) if &**what == HIDDEN))
}

/// Elements that stand within a paragraph.
const WITHIN_A_LINE: &[&str] = &[
    "background",
    "r",
    "t",
    "delText",
    "instrText",
    "delInstrText",
    "fldSimple",
    "hyperlink",
    "oMath",
    "drawing",
    "pict",
    "object",
    "altChunk",
    "subDoc",
    "ruby",
    "commentReference",
    "footnoteReference",
    "endnoteReference",
];

/// Whether an element says how something looks, and holds no words.
fn is_property(element: &Element<'_>) -> bool {
    let name = element.name();
    let is_called_so = name.ends_with("Pr")
        || name.ends_with("PrChange")
        || name.ends_with("PrEx")
        || matches!(name, "tblGrid" | "fldData");
    is_called_so && !element.holds_words()
}

/// What is said of words that are printed from right to left.
const TURNED: &str = "printed from right to left";

/// In which direction an element has its words printed.
fn way_of(element: &Element<'_>) -> Option<&'static str> {
    let is_way = element.is_main() && matches!(element.name(), "bdo" | "dir");
    is_way.then(|| match element.val().as_deref() {
        Some("rtl") => TURNED,
        _ => "printed from left to right",
    })
}

/// A sign by its place in a font: the letter that it looks like, or what is known of it.
fn sign(element: &Element<'_>) -> Is {
    let said = |name: &str| element.get(name).unwrap_or_default();
    let (code, font) = (said("char"), said("font"));
    match symbol::letter(&code, &font) {
        Some(letter) => Is::Text(letter.to_string()),
        None => Is::Named(on_a_line(&format!("[symbol {code} of the font {font}]"))),
    }
}

/// What is said of a text that is another one as soon as the document is opened.
fn filled_in(binding: &Element<'_>) -> String {
    let from = binding.get("xpath").unwrap_or_default();
    format!("[filled in anew from data in this file: {from}]")
}

/// Whether a drawing is a frame around words, and nothing else in it is seen.
fn is_frame(drawing: &Element<'_>) -> bool {
    let texts = drawing.every("txbxContent").len();
    let others = ["blip", "custGeom", "pic", "chart", "relIds", "contentPart"];
    texts > 0 && drawing.every("wsp").len() <= texts && others.iter().all(|name| drawing.within(name).is_none())
}

/// Whether a drawing of an older kind is a shape of which nothing else is told. A line across the page is none.
fn is_shape_alone(drawing: &Element<'_>) -> bool {
    let told = ["txbxContent", "textpath", "imagedata"];
    let is_line = drawing.elements().all(|one| one.get("hr").is_some());
    !is_line && told.iter().all(|name| drawing.within(name).is_none())
}

/// All ids in an element by which it may refer to a part.
fn references(element: &Element<'_>, out: &mut BTreeSet<String>) {
    let all = element.attributes().into_iter();
    out.extend(all.filter_map(|(key, value)| REFERS.contains(&key.as_str()).then_some(value)));
    for child in element.elements() {
        references(child, out);
    }
}

/// Whether a field prints what stands in the data beside the text: sources that are quoted.
fn draws_on_data(instruction: &str) -> bool {
    let first = instruction.split_whitespace().next().unwrap_or_default();
    ["CITATION", "BIBLIOGRAPHY"]
        .iter()
        .any(|name| first.eq_ignore_ascii_case(name))
}

/// Which change an element records, and how that is marked.
fn change_of(element: &Element<'_>) -> Option<(&'static str, Mark)> {
    // An element of another vocabulary with such a name says nothing of what it holds.
    if !element.is_main() {
        return None;
    }
    match element.name() {
        "ins" => Some(("inserted", Mark::Inserted)),
        "del" => Some(("deleted", Mark::Deleted)),
        "moveTo" => Some(("moved here", Mark::Inserted)),
        "moveFrom" => Some(("moved away from here", Mark::Deleted)),
        _ => None,
    }
}

/// By whom something was written, and when.
fn who(element: &Element<'_>) -> String {
    let author = element.get("author").filter(|author| !author.trim().is_empty());
    let date = element
        .get("date")
        .map(|date| date.trim_end_matches('Z').replace('T', " "));
    let by = author.map(|author| format!(" by {author}"));
    let at = date.map(|date| format!(", {date}"));
    on_a_line(&format!("{}{}", by.unwrap_or_default(), at.unwrap_or_default()))
}

/// Text in which no line ends: where one does, the document says it otherwise.
fn on_a_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The number of a note to which something refers.
fn place_of(notes: &mut Numbered, reference: &Element<'_>) -> usize {
    let next = notes.len() + 1;
    *notes.entry(reference.get("id").unwrap_or_default()).or_insert(next)
}

/// The way in which something is said that is drawn, and the words of the others that are different.
fn branches<'e, 'a>(element: &'e Element<'a>) -> (Option<&'e Element<'a>>, Vec<String>) {
    let mut all = element
        .elements()
        .filter(|one| matches!(one.name(), "Choice" | "Fallback"));
    let first = all.next();
    let drawn = first.map(words_of).unwrap_or_default();
    let squeezed = |words: &str| words.split_whitespace().collect::<String>();
    let known = squeezed(&drawn);
    let others = all.map(words_of).filter(|words| {
        let words = squeezed(words);
        !words.is_empty() && words != known
    });
    (first, others.collect())
}

/// All words in an element, and what of them is changed or hidden.
fn words_of(element: &Element<'_>) -> String {
    let mut out = String::new();
    gather(element, &mut out);
    out
}

fn gather(element: &Element<'_>, out: &mut String) {
    for child in element.elements() {
        let mut said: Vec<&str> = change_of(child).map(|(what, _)| what).into_iter().collect();
        said.extend(way_of(child));
        if child.name() == "r" {
            let marks = Marks::of(child.child("rPr"));
            said.extend(marks.unusual(&Theme::default(), &[WHITE]));
            said.extend((marks.is_struck == Some(true)).then_some("struck out"));
            let is_turned = marks.is_turned == Some(true) && look::turns(&words_of(child));
            said.extend(is_turned.then_some(TURNED));
        }
        if child.is_strange() && (child.holds_words() || !child.text().trim().is_empty()) {
            said.push("some programs leave this out");
        }
        // The same words are others where they are deleted, hidden or turned.
        for what in &said {
            out.push_str(&format!("[{what}: "));
        }
        match child.name() {
            "t" | "delText" | "instrText" | "delInstrText" => out.push_str(&child.printed()),
            "sym" => match sign(child) {
                Is::Text(text) | Is::Named(text) => out.push_str(&text),
                Is::Bytes(_) | Is::Tab | Is::Break => {}
            },
            "noBreakHyphen" => out.push('\u{2011}'),
            "altChunk" | "subDoc" => out.push_str("[another document stands here]"),
            "dataBinding" => out.push_str(&filled_in(child)),
            "textpath" => out.push_str(&child.get("string").unwrap_or_default()),
            "p" | "tab" | "br" | "cr" => out.push(' '),
            _ => {}
        }
        if child.is_strange() {
            out.push_str(child.text().trim());
        }
        gather(child, out);
        said.iter().for_each(|_| out.push(']'));
    }
}

/// Whether a field says no more than what it shows: a page that is referred to, a table of contents, a form to be filled in. What a program counts
/// whenever it draws a page, as the number of it, is another text than stands here.
fn is_plain_field(instruction: &str) -> bool {
    const PLAIN: [&str; 5] = ["PAGEREF", "TOC", "FORMTEXT", "FORMCHECKBOX", "FORMDROPDOWN"];
    const LONGEST: usize = 120;
    let mut words = instruction.split_whitespace();
    let first = words.next().unwrap_or_default().to_uppercase();
    let leads_to_a_heading = first == "HYPERLINK" && words.next() == Some("\\l") && instruction.contains("\"_Toc");
    // A second text between quotation marks is an address, a way of writing a number a text of its own.
    let says_more = instruction.contains("\\#") || (leads_to_a_heading && instruction.matches('"').count() != 2);
    instruction.len() <= LONGEST && !says_more && (PLAIN.contains(&first.as_str()) || leads_to_a_heading)
}

/// A picture, with what its properties say of it.
fn picture(what: &str, said: Option<&Element<'_>>) -> String {
    let name = said.and_then(|said| said.get("name"));
    about(what, described(said).or(name))
}

/// How somebody described a drawing.
fn described(said: Option<&Element<'_>>) -> Option<String> {
    let said = said?;
    let parts = ["title", "descr"].into_iter().filter_map(|name| said.get(name));
    let parts: Vec<String> = parts.filter(|part| !part.trim().is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(": "))
}

fn about(what: &str, said: Option<String>) -> String {
    match said.filter(|said| !said.trim().is_empty()) {
        Some(said) => format!("[{what}: {said}]"),
        None => format!("[{what}]"),
    }
}
