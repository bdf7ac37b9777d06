use super::*;
use crate::gate::view::{ArtifactKind, ArtifactView};
use crate::text::artifact;
use engine::Artifact;
use proptest::prelude::*;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const SPACES: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
     xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
     xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\" \
     xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
     xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\" \
     xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\" \
     xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\" \
     xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" \
     xmlns:wps=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\" \
     xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:o=\"urn:schemas-microsoft-com:office:office\" \
     xmlns:zz=\"urn:of-nobody\"";

/// A file that nothing but these parts lie in.
fn packed(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).expect("begun");
        archive.write_all(bytes).expect("written");
    }
    archive.finish().expect("finished").into_inner()
}

/// A part in the vocabularies of a document.
fn root(name: &str, inner: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:{name} {SPACES}>{inner}</w:{name}>")
}

fn relations(all: &[(&str, &str, &str)]) -> String {
    let one = |(id, kind, to): &(&str, &str, &str)| {
        let mode = if to.contains(':') {
            " TargetMode=\"External\""
        } else {
            ""
        };
        format!(
            "<Relationship Id=\"{id}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" Target=\"{to}\"{mode}/>"
        )
    };
    let all: String = all.iter().map(one).collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{all}</Relationships>"
    )
}

const TYPES: &str = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
     <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
     <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
     <Default Extension=\"png\" ContentType=\"image/png\"/>\
     <Default Extension=\"odttf\" ContentType=\"application/vnd.openxmlformats-officedocument.obfuscatedFont\"/>\
     <Default Extension=\"bin\" ContentType=\"application/vnd.ms-office.vbaProject\"/>\
     <Override PartName=\"/word/document.xml\" \
     ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/>\
     <Override PartName=\"/word/charts/chart1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.drawingml.chart+xml\"/>\
     </Types>";

/// A document of these parts, with what each document needs.
fn docx(parts: &[(&str, &str)]) -> Vec<u8> {
    let whole = relations(&[("rId1", "officeDocument", "word/document.xml")]);
    let mut all: Vec<(&str, &[u8])> = vec![
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", whole.as_bytes()),
    ];
    for &(name, text) in parts {
        all.retain(|(known, _)| *known != name);
        all.push((name, text.as_bytes()));
    }
    packed(&all)
}

fn of_body(body: &str) -> Vec<u8> {
    let document = root("document", &format!("<w:body>{body}</w:body>"));
    docx(&[("word/document.xml", &document)])
}

fn drawn(body: &str) -> Drawn {
    read(&of_body(body)).expect("a document")
}

/// A document with parts beside its text: what it refers to, and what these hold.
fn with(body: &str, referred: &[(&str, &str, &str)], parts: &[(&str, &str)]) -> Drawn {
    let document = root("document", &format!("<w:body>{body}</w:body>"));
    let referred = relations(referred);
    let mut all = vec![
        ("word/document.xml", document.as_str()),
        ("word/_rels/document.xml.rels", referred.as_str()),
    ];
    all.extend(parts);
    read(&docx(&all)).expect("a document")
}

fn run(text: &str) -> String {
    format!(
        "<w:r><w:t xml:space=\"preserve\">{}</w:t></w:r>",
        markdown::escape(text)
    )
}

fn p(text: &str) -> String {
    format!("<w:p>{}</w:p>", run(text))
}

/// Lines without which bytes stand behind what they name.
fn named(drawn: &Drawn) -> Vec<String> {
    let shortened = |line: &str| {
        let mut parts = line.split("[SHA-256 ");
        let first = parts.next().unwrap_or_default().to_owned();
        let others = parts.map(|part| part.split_once(']').map_or("", |(_, behind)| behind));
        first + &others.collect::<String>()
    };
    drawn.words.lines().map(shortened).collect()
}

/// The words that a person reads on the page.
fn said(html: &str) -> String {
    let mut out = String::new();
    for part in html.split('<') {
        out.push_str(part.split_once('>').map_or(part, |(_, text)| text));
    }
    let signs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    signs.iter().fold(out, |out, (from, to)| out.replace(from, to))
}

fn lines(drawn: &Drawn) -> Vec<&str> {
    drawn.words.lines().collect()
}

#[test]
fn text_is_drawn_as_what_it_is() {
    let body = "<w:p><w:pPr><w:pStyle w:val=\"Title\"/></w:pPr><w:r><w:t>Agreement</w:t></w:r></w:p>\
         <w:p><w:pPr><w:pStyle w:val=\"Heading2\"/></w:pPr><w:r><w:t>Scope</w:t></w:r></w:p>\
         <w:p><w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr><w:r><w:t>Deep</w:t></w:r></w:p>\
         <w:p><w:r><w:rPr><w:b/><w:i/></w:rPr><w:t>both</w:t></w:r><w:r><w:rPr><w:b w:val=\"0\"/><w:u w:val=\"single\"/></w:rPr>\
         <w:t>under</w:t></w:r>\
         <w:r><w:rPr><w:strike/></w:rPr><w:t>gone</w:t></w:r><w:r><w:tab/><w:t>10</w:t><w:br/></w:r>\
         <w:r><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr><w:t>2</w:t></w:r><w:r><w:br w:type=\"page\"/></w:r></w:p><w:p/>";
    let drawn = drawn(body);
    for part in [
        "<h1>Agreement</h1>",
        "<h2>Scope</h2>",
        "<h3>Deep</h3>",
        "<strong><em>both</em></strong><u>under</u><s>gone</s>",
        "<br><sup>2</sup>",
        "[page break]",
    ] {
        assert!(drawn.html.contains(part), "{part} in {}", drawn.html);
    }
    assert_eq!(lines(&drawn)[..3], ["Agreement", "Scope", "Deep"]);
    assert!(
        drawn.words.contains("bothunder[struck out: gone]\t10\n^2[page break]"),
        "{}",
        drawn.words
    );
    assert_eq!(
        read(&of_body("<w:p/>")).expect("one").html,
        "<p>The document holds no words.</p>"
    );
}

#[test]
fn clauses_have_the_numbers_with_which_they_are_printed() {
    let level = |at: usize, format: &str, text: &str, more: &str| {
        format!(
            "<w:lvl w:ilvl=\"{at}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"{text}\"/>{more}</w:lvl>"
        )
    };
    let numbering = [
        "<w:abstractNum w:abstractNumId=\"0\">",
        &level(0, "decimal", "%1.", ""),
        &level(1, "lowerLetter", "(%2)", ""),
        &level(2, "lowerRoman", "%1.%2.%3", "<w:isLgl/>"),
        "</w:abstractNum><w:abstractNum w:abstractNumId=\"1\">",
        &level(0, "bullet", "\u{f0b7}", ""),
        "</w:abstractNum><w:abstractNum w:abstractNumId=\"2\">",
        &level(0, "upperRoman", "Article %1", "<w:pStyle w:val=\"Heading1\"/>"),
        &level(1, "decimal", "%1.%2", "<w:pStyle w:val=\"Clause\"/><w:isLgl/>"),
        "</w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>",
        "<w:num w:numId=\"2\"><w:abstractNumId w:val=\"0\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"5\"/></w:lvlOverride></w:num>",
        "<w:num w:numId=\"3\"><w:abstractNumId w:val=\"1\"/></w:num><w:num w:numId=\"4\"><w:abstractNumId w:val=\"2\"/></w:num>",
    ]
    .concat();
    let style = |id: &str, name: &str, more: &str| {
        format!("<w:style w:type=\"paragraph\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/>{more}</w:style>")
    };
    let listed = "<w:pPr><w:numPr><w:numId w:val=\"4\"/></w:numPr></w:pPr>";
    let styles = [
        style("Heading1", "heading 1", listed),
        style("Clause", "Clause", listed),
        style("Sub", "Sub", "<w:basedOn w:val=\"Clause\"/>"),
    ]
    .concat();
    let item = |list: &str, level: usize, text: &str| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr></w:pPr>{}</w:p>",
            run(text)
        )
    };
    let styled =
        |style: &str, text: &str| format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>{}</w:p>", run(text));
    let body = [
        item("1", 0, "A"),
        item("1", 1, "B"),
        item("1", 1, "C"),
        item("1", 0, "D"),
        item("1", 1, "E"),
        item("1", 2, "F"),
        item("2", 0, "G"),
        item("1", 0, "H"),
        item("3", 0, "I"),
        styled("Heading1", "Scope"),
        styled("Clause", "We pay."),
        styled("Clause", "You work."),
        styled("Heading1", "Term"),
        styled("Clause", "It ends."),
        item("0", 0, "none"),
    ]
    .concat();
    let drawn = with(
        &body,
        &[("a", "numbering", "numbering.xml"), ("b", "styles", "styles.xml")],
        &[
            ("word/numbering.xml", &root("numbering", &numbering)),
            ("word/styles.xml", &root("styles", &styles)),
        ],
    );
    assert_eq!(
        lines(&drawn),
        [
            "1. A",
            "(a) B",
            "(b) C",
            "2. D",
            "(a) E",
            "2.1.1 F",
            "5. G",
            "6. H",
            "• I",
            "Article I Scope",
            "1.1 We pay.",
            "1.2 You work.",
            "Article II Term",
            "2.1 It ends.",
            "none",
        ]
    );
    assert!(drawn.html.contains("<h1>Article I\u{2003}Scope</h1>"), "{}", drawn.html);
    // What stands below a clause is set in.
    assert!(
        drawn.html.contains("<p>\u{2003}\u{2003}(a)\u{2003}B</p>"),
        "{}",
        drawn.html
    );
    assert!(!drawn.html.contains("Not drawn"), "{}", drawn.html);
}

#[test]
fn what_was_changed_and_said_stands_with_who_did_it() {
    let at = "w:author=\"Ann Lee\" w:date=\"2026-03-04T10:00:00Z\"";
    let body = format!(
        "<w:p><w:pPr><w:rPr><w:ins {at}/></w:rPr></w:pPr>{}<w:del {at}><w:r><w:delText>10</w:delText></w:r></w:del>\
         <w:ins w:author=\"Bob\">{}</w:ins><w:r><w:commentReference w:id=\"7\"/></w:r></w:p>\
         <w:moveFrom {at}>{}</w:moveFrom>\
         <w:tbl><w:tr><w:trPr><w:del {at}/></w:trPr><w:tc>{}</w:tc></w:tr></w:tbl>",
        run("We pay "),
        run("20"),
        p("moved"),
        p("a row"),
    );
    let comments = format!(
        "<w:comment w:id=\"7\" w:author=\"Cy\" w:date=\"2026-03-05T09:00:00Z\">{}{}</w:comment><w:comment w:id=\"8\">{}</w:comment>",
        p("Too much?"),
        p("I ask."),
        p("Nowhere."),
    );
    let drawn = with(
        &body,
        &[("a", "comments", "comments.xml")],
        &[("word/comments.xml", &root("comments", &comments))],
    );
    let by = "by Ann Lee, 2026-03-04 10:00:00";
    assert_eq!(
        lines(&drawn),
        [
            &*format!(
                "We pay [deleted {by}: 10][inserted by Bob: 20][comment by Cy, 2026-03-05 09:00:00: Too much? ¶ I ask.]\
                 [end of the paragraph inserted {by}]"
            ),
            &*format!("[moved away from here {by}: moved]"),
            &*format!("[row deleted {by}: a row]"),
            "Comments that stand nowhere in the text: [comment: Nowhere.]",
        ]
    );
    for part in ["<del>10</del>", "<ins>20</ins>", "<del>moved</del>", "<del>a row</del>"] {
        assert!(drawn.html.contains(part), "{part} in {}", drawn.html);
    }
}

#[test]
fn tables_keep_the_words_of_cells_that_are_merged() {
    let cell = |properties: &str, inner: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{inner}</w:tc>");
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let inner = format!(
        "<w:tbl>{}</w:tbl><w:p/>",
        row(&[cell("", &p("in")), cell("", &p("side"))])
    );
    let table = [
        row(&[cell("<w:gridSpan w:val=\"2\"/>", &p("Head"))]),
        row(&[
            cell("<w:vMerge w:val=\"restart\"/>", &p("top")),
            cell("", &(p("one") + &p("two"))),
        ]),
        row(&[cell("<w:vMerge/>", &p("covered")), cell("", &inner)]),
    ]
    .concat();
    let drawn = drawn(&format!("<w:tbl><w:tblPr/><w:tblGrid/>{table}</w:tbl>"));
    assert_eq!(
        lines(&drawn),
        [
            "Head",
            "top | one ¶ two",
            "[one cell with the one above] ¶ covered | in | side",
        ]
    );
    assert!(drawn.html.contains("<td colspan=\"2\"><p>Head</p>"), "{}", drawn.html);
    assert_eq!(drawn.html.matches("<table>").count(), 2, "{}", drawn.html);
}

#[test]
fn links_notes_headers_and_footers_are_part_of_it() {
    let body = format!(
        "<w:p><w:hyperlink r:id=\"l\" w:tooltip=\"tip\">{}</w:hyperlink><w:hyperlink r:id=\"s\">{}</w:hyperlink>\
         <w:r><w:footnoteReference w:id=\"2\"/></w:r><w:r><w:footnoteReference w:id=\"1\"/></w:r><w:r><w:endnoteReference w:id=\"9\"/></w:r></w:p>\
         <w:sectPr><w:headerReference w:type=\"first\" r:id=\"h\"/><w:footerReference w:type=\"default\" r:id=\"f\"/></w:sectPr>",
        run("the terms"),
        run("javascript:alert(1)"),
    );
    let notes = format!(
        "<w:footnote w:id=\"0\" w:type=\"separator\"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>\
         <w:footnote w:id=\"1\">{}</w:footnote><w:footnote w:id=\"2\">{}</w:footnote><w:footnote w:id=\"3\">{}</w:footnote>",
        p("second"),
        p("first"),
        p("third"),
    );
    let drawn = with(
        &body,
        &[
            ("l", "hyperlink", "https://example.org/terms"),
            ("s", "hyperlink", "javascript:alert(1)"),
            ("h", "header", "header1.xml"),
            ("f", "footer", "/word/footer1.xml"),
            ("g", "footer", "footer2.xml"),
            ("n", "footnotes", "footnotes.xml"),
        ],
        &[
            ("word/header1.xml", &root("hdr", &p("Draft"))),
            ("word/footer1.xml", &root("ftr", &p("Page"))),
            ("word/footer2.xml", &root("ftr", &p("Lost"))),
            ("word/footnotes.xml", &root("footnotes", &notes)),
        ],
    );
    assert_eq!(
        lines(&drawn),
        [
            "the terms (https://example.org/terms \"tip\")javascript:alert(1)[footnote 1][footnote 2][endnote 1]",
            "Footnotes: [footnote 1] first",
            "[footnote 2] second",
            "[footnote to which nothing refers] third",
            "Endnotes: [endnote 1] [it is not there]",
            "Header of the first page: Draft",
            "Footer: Page",
            "Footer that no page has: Lost",
        ]
    );
    assert!(
        drawn.html.contains("<a href=\"https://example.org/terms\""),
        "{}",
        drawn.html
    );
    assert!(!drawn.html.contains("href=\"javascript"), "{}", drawn.html);
}

#[test]
fn hidden_text_fields_signs_and_equations_are_read() {
    let styles =
        "<w:style w:type=\"character\" w:styleId=\"Gone\"><w:name w:val=\"Gone\"/><w:rPr><w:vanish/></w:rPr></w:style>";
    let body = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:rPr><w:rStyle w:val=\"Gone\"/></w:rPr><w:t>too</w:t></w:r></w:p>\
         <w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> REF clause </w:instrText></w:r>\
         <w:r><w:instrText>\\h </w:instrText></w:r>\
         <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>4.2</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>\
         <w:p><w:fldSimple w:instr=\" PAGE \"><w:r><w:t>3</w:t></w:r></w:fldSimple>\
         <w:fldSimple w:instr=\"DATE\"><w:r><w:t>today</w:t></w:r></w:fldSimple></w:p>\
         <w:p><w:r><w:fldChar w:fldCharType=\"begin\"><w:ffData><w:checkBox><w:default w:val=\"0\"/><w:checked/></w:checkBox></w:ffData></w:fldChar>\
         <w:fldChar w:fldCharType=\"begin\"><w:ffData><w:ddList><w:result w:val=\"1\"/>\
         <w:listEntry w:val=\"Yes\"/><w:listEntry w:val=\"No\"/></w:ddList>\
         </w:ffData></w:fldChar><w:fldChar w:fldCharType=\"end\"/><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>\
         <w:p><w:r><w:sym w:font=\"Wingdings\" w:char=\"F0FE\"/><w:sym w:font=\"Webdings\" w:char=\"F041\"/><w:noBreakHyphen/></w:r>\
         <w:r><w:rPr><w:rFonts w:ascii=\"Wingdings\"/></w:rPr><w:t>o</w:t></w:r></w:p>\
         <w:p><m:oMath><m:f><m:fPr/><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>\
         <m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>\
         <w:p><w:r><w:fldChar w:fldCharType=\"begin\"/><w:instrText>IF without end</w:instrText></w:r></w:p>";
    let drawn = with(
        body,
        &[("s", "styles", "styles.xml")],
        &[("word/styles.xml", &root("styles", styles))],
    );
    assert_eq!(
        lines(&drawn),
        [
            "[hidden text: secrettoo]",
            "[field: REF clause \\h]4.2",
            "[field: PAGE]3[field: DATE]today",
            "☑[chosen: No; of: Yes, No]",
            "☑[symbol F041 of the font Webdings]\u{2011}[printed as signs, not as letters: o]",
            "[equation: (a)/(b)x^(2)]",
            "[field: IF without end]",
        ]
    );
    assert!(said(&drawn.html).contains("[hidden text: secrettoo]"), "{}", drawn.html);
}

/// A text box as newer and older programs read it.
fn boxed(newer: &str, older: &str) -> String {
    format!(
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wp:inline><wp:docPr id=\"1\" name=\"Text Box 1\"/><a:graphic>\
         <a:graphicData><wps:wsp><wps:cNvSpPr/><wps:txbx><w:txbxContent>{newer}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic>\
         </wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>{older}</w:txbxContent></v:textbox></v:shape>\
         </w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
}

#[test]
fn a_text_box_is_told_once_and_both_ways_where_they_differ() {
    let once = drawn(&boxed(
        &(p("Clause 1") + &p("Clause 2")),
        &(p("Clause 1") + &p("Clause 2")),
    ));
    assert_eq!(lines(&once), ["[text box: Clause 1 ¶ Clause 2]"]);
    let twice = drawn(&boxed(&p("We pay 10."), &p("We pay 99.")));
    let read = said(&twice.html);
    assert!(read.contains("We pay 10."), "{read}");
    assert!(read.contains("[other programs show here:  We pay 99.]"), "{read}");
    // Which programs show which of the two only they know.
    assert_eq!(
        lines(&twice),
        [
            "[other programs show here:  We pay 99.]",
            "[text box: [some programs show here: We pay 10.]]",
        ]
    );
    // The same words are others where they are deleted or hidden.
    let gone = boxed(&p("We pay."), &format!("<w:p><w:del>{}</w:del></w:p>", run("We pay.")));
    let read = said(&drawn(&gone).html);
    assert!(
        read.contains("[other programs show here:  [deleted: We pay.]]"),
        "{read}"
    );
}

#[test]
fn letters_that_nobody_sees_on_paper_say_so() {
    let styles = "<w:docDefaults><w:rPrDefault><w:rPr><w:vanish w:val=\"0\"/></w:rPr></w:rPrDefault></w:docDefaults>\
         <w:style w:type=\"paragraph\" w:styleId=\"Away\"><w:name w:val=\"Away\"/><w:rPr><w:vanish/></w:rPr></w:style>\
         <w:style w:type=\"character\" w:styleId=\"Word\"><w:name w:val=\"Word\"/></w:style>\
         <w:style w:type=\"character\" w:styleId=\"Gone\"><w:name w:val=\"Gone\"/><w:rPr><w:vanish/></w:rPr></w:style>\
         <w:style w:type=\"table\" w:styleId=\"Grid\"><w:name w:val=\"Grid\"/><w:rPr><w:color w:val=\"FFFFFF\"/></w:rPr></w:style>\
         <w:style w:type=\"character\" w:styleId=\"Signs\"><w:name w:val=\"Signs\"/><w:rPr><w:rFonts w:hAnsi=\"Wingdings 2\"/></w:rPr></w:style>";
    let of = |properties: &str| format!("<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>x</w:t></w:r></w:p>");
    let away = |style: &str| {
        format!(
            "<w:p><w:pPr><w:pStyle w:val=\"Away\"/><w:rPr><w:vanish w:val=\"0\"/></w:rPr></w:pPr>\
             <w:r><w:rPr><w:rStyle w:val=\"{style}\"/></w:rPr><w:t>x</w:t></w:r></w:p>"
        )
    };
    let cases = [
        (of("<w:color w:val=\"FFFFFF\"/>"), "[white letters: x]"),
        (of("<w:color w:val=\"fefef0\"/>"), "[white letters: x]"),
        (
            of("<w:color w:val=\"000000\" w:themeColor=\"background1\"/>"),
            "[white letters: x]",
        ),
        (
            of("<w:color w:val=\"808080\" w:themeColor=\"background1\" w:themeShade=\"80\"/>"),
            "x",
        ),
        (of("<w:color w:val=\"auto\"/><w:sz w:val=\"12\"/>"), "x"),
        (of("<w14:textFill><w14:noFill/></w14:textFill>"), "[white letters: x]"),
        (of("<w:sz w:val=\"2\"/>"), "[tiny letters: x]"),
        (of("<w:w w:val=\"1\"/>"), "[letters pressed together: x]"),
        (
            of("<w:rStyle w:val=\"Signs\"/>"),
            "[printed as signs, not as letters: x]",
        ),
        (
            of("<mc:AlternateContent><mc:Choice Requires=\"w14\"><w:vanish/></mc:Choice></mc:AlternateContent>"),
            "[hidden text: x]",
        ),
        // A style of letters that says nothing of it leaves it as the paragraph has it; two that hide show.
        (away("Word"), "[hidden text: x]"),
        (away("Gone"), "x"),
        // What another vocabulary says of hiding is passed over; a prefix is what it stands for.
        (of("<w:vanish zz:val=\"0\"/>"), "[hidden text: x]"),
        (of("<w:vanish v2:val=\"0\"/>"), "x"),
        (
            format!(
                "<w:tbl><w:tblPr><w:tblStyle w:val=\"Grid\"/></w:tblPr><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>",
                p("x")
            ),
            "[white letters: x]",
        ),
    ];
    let spaces = "xmlns:v2=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
         xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\"";
    for (body, line) in cases {
        let body = format!("<w:sdt {spaces}><w:sdtContent>{body}</w:sdtContent></w:sdt>");
        let drawn = with(
            &body,
            &[("s", "styles", "styles.xml")],
            &[("word/styles.xml", &root("styles", styles))],
        );
        assert_eq!(lines(&drawn), [line], "{body}");
    }
    // A paragraph of a style that is not there has the usual one.
    let usual = "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/><w:rPr><w:vanish/></w:rPr></w:style>";
    let drawn = with(
        &p("x").replace("<w:p>", "<w:p><w:pPr><w:pStyle w:val=\"None\"/></w:pPr>"),
        &[("s", "styles", "styles.xml")],
        &[("word/styles.xml", &root("styles", usual))],
    );
    assert_eq!(lines(&drawn), ["[hidden text: x]"]);
}

#[test]
fn a_paragraph_that_is_hidden_whole_has_no_number() {
    let numbering = "<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><mc:AlternateContent>\
         <mc:Choice Requires=\"w14\"><w:numFmt w:val=\"custom\"/></mc:Choice><mc:Fallback><w:numFmt w:val=\"decimal\"/></mc:Fallback>\
         </mc:AlternateContent><w:lvlText w:val=\"%1.\"/></w:lvl>\
         <w:lvl w:ilvl=\"1\"><w:start w:val=\"1\"/><w:lvlText w:val=\"(%2)\"/><w:rPr><w:color w:val=\"FFFFFF\"/></w:rPr></w:lvl></w:abstractNum>\
         <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>";
    let item = |mark: &str, inner: &str| {
        format!("<w:p><w:pPr><w:numPr><w:numId w:val=\"1\"/></w:numPr><w:rPr>{mark}</w:rPr></w:pPr>{inner}</w:p>")
    };
    let hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r>";
    let body = [
        item("", &run("We pay.")),
        item("<w:vanish/>", hidden),
        item("<w:vanish/>", &run("Term.")),
        item("", hidden),
        item("", &run("Below.")).replace("<w:numPr>", "<w:numPr><w:ilvl w:val=\"1\"/>"),
    ]
    .concat();
    let drawn = with(
        &body,
        &[("a", "numbering", "numbering.xml")],
        &[("word/numbering.xml", &root("numbering", numbering))],
    );
    assert_eq!(
        lines(&drawn),
        [
            "1 [custom]. We pay.",
            "[hidden text: x]",
            "2 [custom]. Term.[end of the paragraph hidden]",
            "3 [custom]. [hidden text: x]",
            "[number that nobody sees: (1)] Below.",
        ]
    );
}

#[test]
fn what_a_field_prints_is_told_from_what_it_is_made_of() {
    let field = |inner: &str| {
        format!("<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>{inner}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>")
    };
    let code = |text: &str| format!("<w:r><w:instrText>{text}</w:instrText></w:r>");
    let result = |text: &str| format!("<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{}", run(text));
    for (inner, line) in [
        // Nothing of it is printed.
        (
            field(&(code("SET x") + &run("not "))),
            "[instruction of a field: not ][field: SET x]",
        ),
        (
            field(&(code("IF ") + &field(&(code("REF y") + &result("1"))) + &code("= 1") + &result("yes"))),
            "[field: REF y][instruction of a field: 1][field: IF = 1]yes",
        ),
        // Each program counts pages itself, whatever stands here.
        (field(&(code("NUMPAGES") + &result("1000"))), "[field: NUMPAGES]1000"),
        (
            field(&(code("PAGEREF _Toc1 \\# &quot;'1000'&quot;") + &result("3"))),
            "[field: PAGEREF _Toc1 \\# \"'1000'\"]3",
        ),
        (field(&(code("PAGEREF _Toc1 \\h") + &result("3"))), "3"),
        (
            field(&(code("HYPERLINK \\l &quot;_Toc1&quot; &quot;https://example.org&quot;") + &result("Scope"))),
            "[field: HYPERLINK \\l \"_Toc1\" \"https://example.org\"]Scope",
        ),
        (
            field(&(code("HYPERLINK \\l &quot;_Toc1&quot;") + &result("Scope"))),
            "Scope",
        ),
    ] {
        assert_eq!(lines(&drawn(&format!("<w:p>{inner}</w:p>"))), [line]);
    }
}

#[test]
fn what_no_page_draws_is_named() {
    let body = "<w:p><w:r><w:drawing><wp:inline><wp:docPr name=\"Picture 1\" descr=\"The &quot;plan&quot;\"/><a:graphic><a:graphicData><pic:pic/>\
         </a:graphicData></a:graphic></wp:inline></w:drawing></w:r><w:r><w:drawing><wp:inline><wp:docPr name=\"Chart 2\"/><a:graphic><a:graphicData>\
         <c:chart r:id=\"c\"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>\
         <w:p><w:r><w:object><v:shape><v:imagedata o:title=\"old\"/></v:shape><o:OLEObject ProgID=\"Excel.Sheet.12\"/></w:object>\
         <w:pict><v:shape><v:textpath string=\"DRAFT\"/></v:shape></w:pict></w:r></w:p><w:altChunk r:id=\"k\"/>";
    let drawn = with(
        body,
        &[("c", "chart", "charts/chart1.xml"), ("k", "aFChunk", "afchunk.html")],
        &[
            ("word/charts/chart1.xml", "<c/>"),
            ("word/media/image1.png", "png"),
            ("word/vbaProject.bin", "macro"),
            ("word/afchunk.html", "<p>Clause 9</p>"),
            ("word/embeddings/sheet.xlsx", "sheet"),
            ("word/fonts/font1.odttf", "font"),
        ],
    );
    assert_eq!(
        named(&drawn),
        [
            "[picture: The \"plan\"][chart: Chart 2]",
            "[picture: old][embedded object: Excel.Sheet.12][text as a picture: DRAFT]",
            "[another document stands here: word/afchunk.html]",
            "Not drawn: another document (word/afchunk.html)",
            "a chart (word/charts/chart1.xml)",
            "an embedded file (word/embeddings/sheet.xlsx)",
            "a font of its own (word/fonts/font1.odttf)",
            "a picture (word/media/image1.png)",
            "macros (word/vbaproject.bin)",
        ]
    );
    assert!(!drawn.html.contains("SHA-256"), "{}", drawn.html);
}

#[test]
fn what_prints_and_is_only_named_leaves_the_document_not_whole() {
    let picture = "<w:p><w:r><w:drawing><wp:inline><wp:docPr name=\"P\"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed=\"i\"/>\
         </pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>";
    let shape = "<w:p><w:r><w:pict><v:shape path=\"m0,0l9,9e\"/></w:pict></w:r></w:p>";
    let filled = boxed("<w:p/>", "<w:p/>").replace(
        "<wps:cNvSpPr/>",
        "<wps:spPr><a:blipFill><a:blip r:embed=\"i\"/></a:blipFill></wps:spPr>",
    );
    for (body, says) in [
        (picture, "[picture: P]"),
        ("<w:altChunk r:id=\"i\"/>", "[another document stands here:"),
        (shape, "[drawing]"),
        (filled.as_str(), "[drawing: Text Box 1]"),
        (
            "<w:p><w:r><w:object><o:OLEObject ProgID=\"Package\"/></w:object></w:r></w:p>",
            "[embedded object: Package]",
        ),
        (
            "<mc:AlternateContent><mc:Choice><w:p/></mc:Choice><mc:Fallback><w:altChunk r:id=\"i\"/></mc:Fallback></mc:AlternateContent>",
            "[other programs show here: [another document stands here]]",
        ),
    ] {
        let drawn = drawn(body);
        assert!(!drawn.is_whole, "{body}");
        assert!(drawn.words.contains(says), "{says} in {}", drawn.words);
    }
    let line = "<w:p><w:r><w:pict><v:rect o:hr=\"t\"/></w:pict></w:r></w:p>";
    for body in [p("x"), boxed(&p("x"), &p("x")), line.to_owned()] {
        assert!(drawn(&body).is_whole, "{body}");
    }
    // A picture that nothing here shows may be the ground of a page; the small one of the first page is none.
    let behind = with(&p("x"), &[], &[("word/media/image1.png", "png")]);
    assert!(!behind.is_whole);
    let outside = with(&p("x"), &[("i", "image", "https://example.org/a.png")], &[]);
    assert!(!outside.is_whole);
    let macros = with(&p("x"), &[], &[("word/vbaProject.bin", "macro")]);
    assert!(
        macros.is_whole && macros.words.contains("macros (word/vbaproject.bin)"),
        "{}",
        macros.words
    );
}

#[test]
fn a_page_says_of_a_document_with_a_picture_that_not_all_of_it_is_shown() {
    let whole = shown("a.docx", &of_body(&p("x")), None);
    let partly = shown("a.docx", &of_body("<w:altChunk r:id=\"i\"/>"), None);
    assert_eq!((whole.partly, whole.remark.as_deref()), (false, Some(REMARK)));
    assert_eq!((partly.partly, partly.remark.as_deref()), (true, Some(PARTLY)));
}

#[test]
fn text_that_is_filled_in_when_it_is_opened_says_so_with_the_data() {
    let body = format!(
        "<w:p>{}<w:sdt><w:sdtPr><w:alias w:val=\"Price\"/><w:dataBinding w:xpath=\"/terms/price\"/></w:sdtPr>\
         <w:sdtContent>{}</w:sdtContent></w:sdt></w:p>",
        run("We pay "),
        run("10"),
    );
    let parts = [("customXml/item1.xml", "<terms unit=\"EUR\"><price>1000</price></terms>")];
    let bound = with(&body, &[("d", "customXml", "../customXml/item1.xml")], &parts);
    assert_eq!(
        lines(&bound),
        [
            "We pay [filled in anew from data in this file: /terms/price]10",
            "Data that fills in parts of this document: terms unit: EUR",
            "price: 1000",
        ]
    );
    let cell = "<w:tbl><w:tr><w:sdt><w:sdtPr><w:dataBinding w:xpath=\"/a\"/></w:sdtPr>\
         <w:sdtContent><w:tc><w:p/></w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>";
    assert_eq!(lines(&drawn(cell)), ["[filled in anew from data in this file: /a] | "]);
    // However it is said that it is.
    let told = "<w:sdtPr><w:dataBinding w:xpath=\"/terms/price\"/></w:sdtPr>";
    let several = format!("<mc:AlternateContent><mc:Choice>{told}</mc:Choice></mc:AlternateContent>");
    let inside = told.replace("<w:dataBinding", "<mc:AlternateContent><mc:Choice><w:dataBinding");
    let inside = inside.replace("</w:sdtPr>", "</mc:Choice></mc:AlternateContent></w:sdtPr>");
    let referred = [("d", "customXml", "../customXml/item1.xml")];
    for said in [several, inside] {
        let body = format!(
            "<w:p><w:sdt>{said}<w:sdtContent>{}</w:sdtContent></w:sdt></w:p>",
            run("10")
        );
        let bound = with(&body, &referred, &parts);
        assert_eq!(
            lines(&bound)[0],
            "[filled in anew from data in this file: /terms/price]10"
        );
        assert!(bound.words.contains("price: 1000"), "{}", bound.words);
    }
    let quoted = with("<w:p><w:fldSimple w:instr=\"CITATION A\"/></w:p>", &referred, &parts);
    assert!(quoted.words.contains("price: 1000"), "{}", quoted.words);
    // Data that nothing prints is no part of the document, unless something else refers to it.
    let beside = with(&p("We pay"), &referred, &parts);
    assert_eq!(lines(&beside), ["We pay"]);
    let both = [referred[0], ("e", "other", "../customXml/item1.xml")];
    assert_eq!(
        named(&with(&p("We pay"), &both, &parts))[1..],
        ["Not drawn: data beside the text (customxml/item1.xml)"]
    );
}

#[test]
fn nothing_in_it_acts_or_hides() {
    let drawn = drawn(&(p("<script>alert(1)</script> & <img src=x onerror=alert(2)>") + &p("a\u{202e}b\u{200b}c")));
    for bad in ["<script", "<img", "\u{202e}", "\u{200b}"] {
        assert!(!drawn.html.contains(bad), "{bad:?} in {}", drawn.html);
    }
    let read = said(&drawn.html);
    assert!(
        read.contains("<script>alert(1)</script> & <img src=x onerror=alert(2)>"),
        "{read}"
    );
    assert!(read.contains("a\u{fffd}b\u{fffd}c"), "{read}");
}

#[test]
fn other_vocabularies_are_read_and_say_nothing_of_what_they_hold() {
    let main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    let document = root("document", &format!("<w:body>{}</w:body>", p("Strict")));
    let strict = document.replace(main, "http://purl.oclc.org/ooxml/wordprocessingml/main");
    let other_prefix = document.replace("w:", "q:").replace("xmlns:w=", "xmlns:q=");
    for text in [&strict, &other_prefix] {
        assert_eq!(
            read(&docx(&[("word/document.xml", text)])).expect("one").words,
            "Strict\n",
            "{text}"
        );
    }
    let wide: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .chain(document.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let whole = relations(&[("rId1", "officeDocument", "word/document.xml")]);
    let wide = packed(&[
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", whole.as_bytes()),
        ("word/document.xml", wide.as_slice()),
    ]);
    let sixteen = read(&wide);
    assert_eq!(sixteen.map(|drawn| drawn.words), Ok("Strict\n".to_owned()));
    // A program passes over the mark, and prints the words or does not.
    let marked = drawn(&format!(
        "<w:p><zz:del w:author=\"Ann\">{}</zz:del><w:r zz:val=\"x\"><w:vertAlign/><w:t>.</w:t></w:r></w:p>",
        run("Without limit")
    ));
    assert_eq!(marked.words, "[some programs leave this out: Without limit].\n");
    assert!(!marked.html.contains("<del"), "{}", marked.html);
}

#[test]
fn a_vocabulary_that_is_only_called_alike_is_none_of_those_that_are_known() {
    for space in [
        "http://schemas.openxmlformats.org/officeDocument/2006/made-up",
        "http://schemas.microsoft.com/office/word/2099/made-up",
        "urn:schemas-microsoft-com:made-up",
    ] {
        for element in ["xPr", "t", "oMath", "AlternateContent", "zz"] {
            let body = format!(
                "<w:p xmlns:q=\"{space}\" mc:Ignorable=\"q\" mc:ProcessContent=\"q:{element}\"><q:{element}>{}</q:{element}></w:p>",
                run("Liable.")
            );
            assert_eq!(
                drawn(&body).words,
                "[some programs leave this out: Liable.]\n",
                "{space} {element}"
            );
        }
    }
    // In one that is known, words are no property, and what another vocabulary has by its name is none of it.
    assert_eq!(
        drawn(&format!("<w:p><a:xPr>{}</a:xPr></w:p>", run("Liable."))).words,
        "Liable.\n"
    );
    let ends = "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/><w:instrText>SET x</w:instrText><a:fldChar fldCharType=\"separate\"/>\
         <w:t>Liable.</w:t></w:r></w:p>";
    assert!(drawn(ends).words.starts_with("[instruction of a field: Liable.]"));
    // What is said of letters is said in their own vocabulary, before any other.
    let looks = "<w:p><w:r><a:rPr/><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r><w:r><zz:q><w:rPr><w:vanish/></w:rPr></zz:q><w:t>y</w:t></w:r></w:p>";
    assert_eq!(drawn(looks).words, "[hidden text: xy]\n");
    assert_eq!(
        drawn("<w:p><w:r><zz:t>Loose.</zz:t></w:r></w:p>").words,
        "[some programs leave this out: Loose.]\n"
    );
}

#[test]
fn both_ways_to_say_something_are_told_with_their_signs() {
    let several = |newer: &str, older: &str| {
        drawn(&format!(
            "<w:p><w:r><mc:AlternateContent><mc:Choice>{newer}</mc:Choice><mc:Fallback>{older}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
        ))
        .words
    };
    let no = several(
        "<w:t>We pay</w:t>",
        "<w:t>We pay</w:t><w:sym w:font=\"Wingdings\" w:char=\"F0FD\"/>",
    );
    assert!(no.contains("[other programs show here: We pay☒]"), "{no}");
    let turned = "<w:bdo w:val=\"rtl\"><w:r><w:t>10</w:t></w:r></w:bdo>";
    let turned = several("<w:r><w:t>10</w:t></w:r>", turned);
    assert!(
        turned.contains("[other programs show here: [printed from right to left: 10]]"),
        "{turned}"
    );
}

#[test]
fn what_is_printed_from_right_to_left_says_so_unless_it_is_written_so() {
    let of = |text: &str| format!("<w:r><w:rPr><w:rtl/></w:rPr><w:t>{text}</w:t></w:r>");
    let paragraph = |text: &str| format!("<w:p><w:pPr><w:bidi/></w:pPr>{}</w:p>", run(text));
    for (body, line) in [
        (
            format!("<w:p>{}</w:p>", of("10 - 20")),
            "[printed from right to left: 10 - 20]",
        ),
        (format!("<w:p>{}</w:p>", of("שלום 10")), "שלום 10"),
        (
            format!("<w:p><w:dir w:val=\"rtl\">{}</w:dir></w:p>", run("10")),
            "[printed from right to left: 10]",
        ),
        (paragraph("Pay 10"), "[paragraph printed from right to left] Pay 10"),
        (paragraph("שלום"), "שלום"),
        (
            format!(
                "<w:tbl><w:tblPr><w:bidiVisual/></w:tblPr><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>",
                p("x")
            ),
            "[columns of this table printed from right to left]",
        ),
    ] {
        assert_eq!(lines(&drawn(&body))[0], line, "{body}");
    }
}

#[test]
fn letters_in_the_colour_of_their_ground_say_so() {
    let of = |properties: &str| format!("<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>x</w:t></w:r></w:p>");
    let red = "<w:color w:val=\"FF0000\"/>";
    let white = "<w:color w:val=\"FFFFFF\"/>";
    let black = |name: &str| format!("<w:{name}><w:shd w:val=\"clear\" w:fill=\"000000\"/></w:{name}>");
    let cell = |properties: &str, inner: &str| format!("<w:tbl><w:tr><w:tc>{properties}{inner}</w:tc></w:tr></w:tbl>");
    let alike = "[letters in the colour of their ground: x]";
    for (body, line) in [
        (of(&format!("{red}<w:highlight w:val=\"red\"/>")), alike),
        (of(&format!("{red}<w:highlight w:val=\"yellow\"/>")), "x"),
        (of(&format!("{red}<w:shd w:val=\"clear\" w:fill=\"FE0101\"/>")), alike),
        (
            of("<w:color w:val=\"000000\"/>").replace("<w:p>", &format!("<w:p>{}", black("pPr"))),
            alike,
        ),
        (cell(&black("tcPr"), &of("<w:color w:val=\"000000\"/>")), alike),
        (cell(&black("tcPr"), &of(white)), "x"),
        (cell(&black("tcPr"), &of("<w:color w:val=\"auto\"/>")), "x"),
        (of(white), "[white letters: x]"),
        // A pattern may be anything.
        (
            of(&format!("{white}<w:shd w:val=\"pct50\" w:fill=\"000000\"/>")),
            "[white letters: x]",
        ),
        (
            of("<w:color w:val=\"4472C4\" w:themeColor=\"accent1\"/>"),
            "[white letters: x]",
        ),
        (of("<w:color w:val=\"FFFFFF\" w:themeColor=\"text1\"/>"), "x"),
    ] {
        let theme = "<a:theme xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:themeElements><a:clrScheme>\
             <a:accent1><a:srgbClr val=\"FFFFFF\"/></a:accent1></a:clrScheme></a:themeElements></a:theme>";
        let drawn = with(&body, &[("t", "theme", "theme.xml")], &[("word/theme.xml", theme)]);
        assert_eq!(named(&drawn)[0], line, "{body}");
    }
}

#[test]
fn rows_that_a_style_prints_so_that_nobody_sees_them_are_named() {
    let style = |ground: &str| {
        format!(
            "<w:style w:type=\"table\" w:styleId=\"T\"><w:name w:val=\"T\"/><w:tblStylePr w:type=\"firstRow\"><w:rPr><w:b/>\
             <w:color w:val=\"FFFFFF\"/></w:rPr>{ground}</w:tblStylePr></w:style>"
        )
    };
    let dark = "<w:tcPr><w:shd w:val=\"clear\" w:fill=\"4472C4\"/></w:tcPr>";
    let table = |cell: &str| {
        format!(
            "<w:tbl><w:tblPr><w:tblStyle w:val=\"T\"/></w:tblPr><w:tr><w:tc>{cell}{}</w:tc></w:tr></w:tbl>",
            p("x")
        )
    };
    let none = "<w:tcPr><w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"auto\"/></w:tcPr>";
    for (ground, cell, lines_of) in [
        ("", "", vec!["[first row of this table: white letters]", "x"]),
        (dark, "", vec!["x"]),
        // The cell takes the dark ground away.
        (
            dark,
            none,
            vec!["[perhaps in white letters, by the style of the table] ¶ x"],
        ),
    ] {
        let styles = root("styles", &style(ground));
        let drawn = with(
            &table(cell),
            &[("s", "styles", "styles.xml")],
            &[("word/styles.xml", &styles)],
        );
        assert_eq!(lines(&drawn), lines_of, "{ground} {cell}");
    }
}

#[test]
fn headers_say_from_which_section_on_they_stand() {
    let section = |id: &str| format!("<w:sectPr><w:headerReference w:type=\"default\" r:id=\"{id}\"/></w:sectPr>");
    let body = format!(
        "<w:p><w:pPr>{}</w:pPr></w:p><w:p><w:pPr>{}</w:pPr></w:p>{}{}",
        section("a"),
        section("b"),
        p("x"),
        section("a")
    );
    let drawn = with(
        &body,
        &[("a", "header", "a.xml"), ("b", "header", "b.xml")],
        &[
            ("word/a.xml", &root("hdr", &p("Draft"))),
            ("word/b.xml", &root("hdr", &p("Final"))),
        ],
    );
    assert_eq!(
        lines(&drawn),
        [
            "x",
            "Header from section 1 on, Header from section 3 on: Draft",
            "Header from section 2 on: Final",
        ]
    );
}

#[test]
fn blanks_around_a_text_stand_only_where_it_keeps_them() {
    let texts = |first: &str, space: &str| format!("<w:p><w:r><w:t{space}>{first}</w:t><w:t>000</w:t></w:r></w:p>");
    assert_eq!(drawn(&texts("10 ", "")).words, "10000\n");
    assert_eq!(drawn(&texts("10 ", " xml:space=\"preserve\"")).words, "10 000\n");
    assert_eq!(drawn(&texts("10 ", " zz:space=\"preserve\"")).words, "10000\n");
}

/// Why a document is not shown.
fn refused(bytes: &[u8]) -> &'static str {
    read(bytes).map(|drawn| drawn.words).expect_err("it is refused")
}

#[test]
fn what_is_no_whole_document_is_refused_with_what_it_is() {
    let good = root("document", &format!("<w:body>{}</w:body>", p("x")));
    let workbook = TYPES.replace("wordprocessingml.document.main+xml", "spreadsheetml.sheet.main+xml");
    let two = relations(&[
        ("a", "officeDocument", "word/document.xml"),
        ("b", "officeDocument", "word/other.xml"),
    ]);
    let same = relations(&[("a", "header", "x.xml"), ("a", "header", "y.xml")]);
    let styled = |all: &[(&str, &str, &str)]| {
        docx(&[
            ("word/document.xml", &good),
            ("word/_rels/document.xml.rels", &relations(all)),
            ("word/styles.xml", &root("styles", "")),
        ])
    };
    let doctype = good.replace("<w:document", "<!DOCTYPE x [<!ENTITY e \"secret\">]><w:document");
    let entity = good.replace("<w:t xml:space=\"preserve\">x", "<w:t>&e;");
    let in_value = good.replace("<w:p>", "<w:p w:x=\"&e;\">");
    let in_space = good.replace("xmlns:zz=\"urn:of-nobody\"", "xmlns:zz=\"urn:of&#45;nobody\"");
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("cut off", of_body(&p("x"))[..200].to_vec(), "damaged"),
        (
            "bytes before it",
            [b"#!/bin/sh\n".as_slice(), &of_body(&p("x"))].concat(),
            "damaged",
        ),
        ("no text", docx(&[]), "damaged"),
        ("no types", packed(&[("word/document.xml", good.as_bytes())]), "damaged"),
        (
            "no body",
            docx(&[("word/document.xml", &root("document", ""))]),
            "damaged",
        ),
        (
            "another root",
            docx(&[("word/document.xml", &root("ftr", &p("x")))]),
            "damaged",
        ),
        (
            "no end",
            docx(&[("word/document.xml", &good.replace("</w:body>", ""))]),
            "damaged",
        ),
        (
            "two roots",
            docx(&[("word/document.xml", &format!("{good}<x/>"))]),
            "damaged",
        ),
        ("unknown prefix", of_body("<y:p/>"), "damaged"),
        (
            "two texts",
            docx(&[("word/document.xml", &good), ("_rels/.rels", &two)]),
            "damaged",
        ),
        (
            "two of one id",
            docx(&[("word/document.xml", &good), ("word/_rels/document.xml.rels", &same)]),
            "damaged",
        ),
        (
            "two looks",
            styled(&[("a", "styles", "styles.xml"), ("b", "styles", "other.xml")]),
            "damaged",
        ),
        (
            "a name by its numbers",
            styled(&[("a", "styles", "style%73.xml")]),
            "damaged",
        ),
        (
            "an attribute twice",
            of_body("<w:p><w:r><w:rPr><w:vanish w:val=\"0\" w:val=\"1\"/></w:rPr></w:r></w:p>"),
            "damaged",
        ),
        ("unknown prefix of an attribute", of_body("<w:p y:x=\"1\"/>"), "damaged"),
        (
            "a workbook",
            docx(&[("word/document.xml", &good), ("[Content_Types].xml", &workbook)]),
            "holds something else",
        ),
        ("doctype", docx(&[("word/document.xml", &doctype)]), "DOCTYPE"),
        ("entity", docx(&[("word/document.xml", &entity)]), "an entity"),
        (
            "entity in a value",
            docx(&[("word/document.xml", &in_value)]),
            "an entity",
        ),
        (
            "namespace by its number",
            docx(&[("word/document.xml", &in_space)]),
            "an entity",
        ),
        (
            "another encoding",
            docx(&[("word/document.xml", &good.replace("UTF-8", "UTF-7"))]),
            "another encoding",
        ),
        (
            "two parts of one name",
            docx(&[("word/document.xml", &good), ("word/Document.xml", &good)]),
            "two parts of one name",
        ),
        (
            "nested",
            of_body(&format!(
                "{}{}{}",
                "<w:sdt>".repeat(200),
                p("x"),
                "</w:sdt>".repeat(200)
            )),
            "without end",
        ),
    ];
    for (what, bytes, why) in cases {
        let said = refused(&bytes);
        assert!(said.starts_with("This ") && said.contains(why), "{what}: {said}");
    }
    // What is nested as people nest is read.
    let deep = drawn(&format!("{}{}{}", "<w:sdt>".repeat(90), p("x"), "</w:sdt>".repeat(90)));
    assert_eq!(deep.words, "x\n");
}

#[test]
fn what_unpacks_without_end_is_refused() {
    let blank = " ".repeat(17 << 20);
    let large = "holds more than can be shown";
    assert!(refused(&of_body(&p(&blank))).contains(large));
    // Each is small enough, all of them are not.
    let blank = root("hdr", &format!("<!--{}-->", &blank[..12 << 20]));
    let document = root("document", &format!("<w:body>{}</w:body>", p("x")));
    let three = [
        ("a", "header", "a.xml"),
        ("b", "header", "b.xml"),
        ("c", "header", "c.xml"),
    ];
    let parts = docx(&[
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &relations(&three)),
        ("word/a.xml", &blank),
        ("word/b.xml", &blank),
        ("word/c.xml", &blank),
    ]);
    assert!(refused(&parts).contains(large));
    // A comment that stands in many places.
    let comments = root(
        "comments",
        &format!("<w:comment w:id=\"1\">{}</w:comment>", p(&"long ".repeat(2_000))),
    );
    let here = "<w:r><w:commentReference w:id=\"1\"/></w:r>".repeat(1_000);
    let document = root("document", &format!("<w:body><w:p>{here}</w:p></w:body>"));
    let many = docx(&[
        ("word/document.xml", &document),
        (
            "word/_rels/document.xml.rels",
            &relations(&[("a", "comments", "comments.xml")]),
        ),
        ("word/comments.xml", &comments),
    ]);
    assert!(refused(&many).contains(large));
}

/// A file as a page gets it.
fn shown(path: &str, now: &[u8], before: Option<&[u8]>) -> ArtifactView {
    let made = Artifact {
        path: path.to_owned(),
        digest: "now".into(),
        bytes: now.len() as u64,
        was_there: false,
        executable: None,
    };
    let blobs = |digest: &engine::Digest| match digest.as_str() {
        "now" => Some(now.to_vec()),
        _ => before.map(<[u8]>::to_vec),
    };
    let other = engine::Digest::from("before".to_owned());
    assert_eq!(
        artifact::read(&made, &blobs).is_ok(),
        artifact::view(&made, &blobs, None, false).html.is_some()
    );
    artifact::beside(&made, &blobs, before.map(|_| &other), "since round 1")
}

#[test]
fn a_document_is_shown_with_what_changed_by_word() {
    let before = of_body(&(p("We pay 10 EUR.") + &p("It ends.")));
    let now = of_body(&(p("We pay 20 EUR.") + &p("It ends.")));
    let view = shown("out/Contract.DOCX", &now, Some(&before));
    assert_eq!(view.kind, ArtifactKind::Word);
    assert_eq!((view.not_shown, view.written), (None, None));
    assert!(
        view.remark
            .is_some_and(|remark| remark.starts_with("This file is shown as its words"))
    );
    let changes = view.changes.expect("something changed");
    assert_eq!((changes.added, changes.removed), (1, 1));
    assert!(
        changes.html.contains("<del>10</del>") && changes.html.contains("<ins>20</ins>"),
        "{}",
        changes.html
    );
    let bold = of_body(&(p("We pay 20 EUR.").replace("<w:t ", "<w:rPr><w:b/></w:rPr><w:t ") + &p("It ends.")));
    let looks = shown("a.docx", &bold, Some(&now)).changes.expect("another file");
    assert!(looks.html.contains("No word is different"), "{}", looks.html);
}

#[test]
fn changes_tell_what_is_struck_out_and_other_pictures_of_one_name() {
    let words = p("We pay 20 EUR.");
    let struck = words.replace("<w:t ", "<w:rPr><w:strike/></w:rPr><w:t ");
    let changes = |now: &[u8], before: &[u8]| shown("a.docx", now, Some(before)).changes.expect("another file");
    let view = changes(&of_body(&words), &of_body(&struck));
    assert!(
        said(&view.html).contains("[struck out: We pay 20 EUR.]"),
        "{}",
        view.html
    );
    let picture = "<w:p><w:r><w:drawing><wp:inline><wp:docPr name=\"P\"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed=\"i\"/>\
         </pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>";
    let document = root("document", &format!("<w:body>{words}{picture}</w:body>"));
    let with_picture = |to: &str, one: &str, two: &str| {
        docx(&[
            ("word/document.xml", &document),
            ("word/_rels/document.xml.rels", &relations(&[("i", "image", to)])),
            ("word/media/a.png", one),
            ("word/media/b.png", two),
            ("word/media/c.png", "c"),
            ("word/media/d.png", "d"),
        ])
    };
    let before = with_picture("media/a.png", "one", "two");
    // Other bytes, another picture of the same file, and the same picture by another name.
    let bytes = changes(&with_picture("media/a.png", "other", "two"), &before);
    assert!(bytes.added >= 2 && bytes.removed >= 2, "{}", bytes.html);
    let another = changes(&with_picture("media/b.png", "one", "two"), &before);
    assert_eq!((another.added, another.removed), (1, 1), "{}", another.html);
    // What is shown of it ends at no bare title.
    assert!(!another.html.contains("Not drawn:\n"), "{}", another.html);
}

#[test]
fn a_file_that_is_locked_old_or_called_so_says_what_it_is() {
    let of_letters = |name: &str| -> Vec<u8> {
        let begins = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0".iter().copied();
        begins.chain(name.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    for (path, bytes, says) in [
        (
            "a.docx",
            of_letters("EncryptedPackage"),
            "This Word document is locked with a password",
        ),
        (
            "a.xlsx",
            of_letters("EncryptedPackage"),
            "This file is locked with a password",
        ),
        ("a.doc", of_letters("WordDocument"), "of the older kind"),
        ("a.docx", of_letters("Other"), "holds no text"),
        ("a.zip", of_body(&p("x")), "a packed file"),
        ("a.docx", vec![b'x'; (32 << 20) + 1], "larger than 32 MiB"),
        ("a.docx", vec![b'x'; (1 << 20) + 1], "larger than 1 MiB"),
    ] {
        let view = shown(path, &bytes, None);
        assert!(view.html.is_none() && view.kind == ArtifactKind::Binary, "{path}");
        assert_eq!(view.remark, None);
        assert!(
            view.not_shown.as_deref().is_some_and(|why| why.contains(says)),
            "{says}: {:?}",
            view.not_shown
        );
    }
    // What is text is shown as that, whatever it is called.
    assert_eq!(shown("a.docx", b"Pay", None).html.as_deref(), Some("<pre>Pay</pre>"));
}

/// Puts what stands in a line into something that holds it.
fn within_a_line(kind: usize, inner: &str) -> String {
    match kind {
        0 => format!("<w:ins w:author=\"A\">{inner}</w:ins>"),
        1 => format!("<w:moveTo>{inner}</w:moveTo>"),
        2 => format!("<w:hyperlink w:anchor=\"there\">{inner}</w:hyperlink>"),
        3 => format!("<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt>"),
        4 => format!("<w:smartTag>{inner}</w:smartTag>"),
        5 => format!("<zz:strange>{inner}</zz:strange>"),
        6 => format!("<w:fldSimple w:instr=\"QUOTE\">{inner}</w:fldSimple>"),
        7 => format!("<w:bdo w:val=\"rtl\">{inner}</w:bdo>"),
        8 => format!(
            "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>{inner}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"
        ),
        9 => format!("<mc:AlternateContent><mc:Choice/><mc:Fallback>{inner}</mc:Fallback></mc:AlternateContent>"),
        _ => format!("<w:r><w:ruby><w:rt>{inner}</w:rt></w:ruby></w:r>"),
    }
}

/// Puts paragraphs into something that holds them.
fn around_lines(kind: usize, inner: &str) -> String {
    match kind {
        0 => format!("<w:tbl><w:tr><w:tc>{inner}</w:tc></w:tr></w:tbl>"),
        1 => format!("<w:tbl><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>{inner}</w:tc></w:tr></w:tbl>"),
        2 => boxed(inner, inner),
        3 => boxed(&p("other"), inner),
        4 => format!("<w:sdt><w:sdtContent>{inner}</w:sdtContent></w:sdt>"),
        5 => format!("<w:del w:author=\"B\">{inner}</w:del>"),
        6 => format!("<w:tbl>{inner}</w:tbl>"),
        7 => format!("<w:tbl><w:tr>{inner}</w:tr></w:tbl>"),
        _ => format!("<zz:strange>{inner}</zz:strange>"),
    }
}

/// A text in each element that holds one.
fn in_a_run(kind: usize, text: &str) -> String {
    let text = markdown::escape(text);
    match kind {
        0 => format!("<w:r><w:t>{text}</w:t></w:r>"),
        1 => format!("<w:r><w:delText>{text}</w:delText></w:r>"),
        2 => format!("<m:oMath><m:r><m:t>{text}</m:t></m:r></m:oMath>"),
        3 => format!("<w:r><w:rPr><w:vanish/><w:vertAlign w:val=\"subscript\"/></w:rPr><w:t>{text}</w:t></w:r>"),
        4 => format!("<w:r><w:t><![CDATA[{}]]></w:t></w:r>", text.replace('&', "+")),
        5 => format!(
            "<w:r><w:drawing><wp:inline><a:graphic><a:graphicData><zz:x><a:p><a:r>\
             <a:t>{text}</a:t></a:r></a:p></zz:x></a:graphicData></a:graphic></wp:inline>\
             </w:drawing></w:r>"
        ),
        _ => format!("<w:t>{text}</w:t>"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_word_of_a_document_is_missing_from_what_is_shown(
        texts in prop::collection::vec(
            (
                "[a-zé<>&\"'()\\[\\] ]{1,12}",
                0_usize..7,
                prop::collection::vec(0_usize..11, 0..4),
                prop::collection::vec(0_usize..9, 0..3),
            ),
            1..6,
        )
    ) {
        let mut body = String::new();
        let mut wanted = Vec::new();
        for (at, (text, run, inside, around)) in texts.into_iter().enumerate() {
            let text = format!("t{at}{text}.");
            let run_of = in_a_run(run, &text);
            let line = inside.into_iter().fold(run_of, |inner, kind| within_a_line(kind, &inner));
            let block = format!("<w:p>{line}</w:p>");
            body.push_str(&around.into_iter().fold(block, |inner, kind| around_lines(kind, &inner)));
            wanted.push(if run == 4 { markdown::escape(&text).replace('&', "+") } else { text });
        }
        let drawn = drawn(&body);
        let read = said(&drawn.html);
        for text in wanted {
            prop_assert!(read.contains(&text), "{text:?} in {}", drawn.html);
            prop_assert!(drawn.words.contains(&text), "{text:?} in {}", drawn.words);
        }
    }

    #[test]
    fn whatever_byte_of_a_document_is_another_it_is_read_or_refused(at in 0_usize..4_000, other in any::<u8>()) {
        let mut bytes = of_body(&boxed(&p("Clause 1"), &p("Clause 2")));
        let at = at % bytes.len();
        bytes[at] = other;
        let _ = read(&bytes);
    }
}
