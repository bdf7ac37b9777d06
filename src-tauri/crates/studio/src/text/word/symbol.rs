//! Signs that have no letter of their own, and equations on one line.

use crate::text::word::xml::Element;

/// Whether a font prints other signs than the letters that are written.
pub fn is_of_signs(font: &str) -> bool {
    let font = font.to_lowercase();
    [
        "wingdings",
        "webdings",
        "symbol",
        "bookshelf symbol",
        "marlett",
        "mt extra",
        "zapf dingbats",
        "zapfdingbats",
    ]
    .iter()
    .any(|name| font.starts_with(name))
}

/// The letter that a sign of a font looks like; `None` where none is known.
pub fn letter(code: &str, font: &str) -> Option<char> {
    let code = u32::from_str_radix(code, 16).ok()?;
    let is_of_signs = is_of_signs(font);
    let font = font.to_lowercase();
    let code = match code {
        0xf000..=0xf0ff => code - 0xf000,
        0..=0xff if is_of_signs => code,
        0xe000..0xf900 => return None,
        code => return char::from_u32(code).filter(|letter| !letter.is_control()),
    };
    let letter = match (font.as_str(), code) {
        ("wingdings", 0x6f | 0x71 | 0xa8) => '☐',
        ("wingdings", 0xfe) => '☑',
        ("wingdings", 0x78 | 0xfd) => '☒',
        ("wingdings", 0xfc) => '✓',
        ("wingdings", 0xfb) => '✗',
        ("wingdings", 0xe0) => '→',
        ("wingdings 2", 0x52) => '☑',
        ("wingdings 2", 0xa3) => '☐',
        ("wingdings 2", 0x50) => '✓',
        ("wingdings 2", 0x4f) => '✗',
        ("symbol", 0xb7) => '•',
        ("symbol", 0xa3) => '≤',
        ("symbol", 0xb3) => '≥',
        ("symbol", 0xb9) => '≠',
        ("symbol", 0xb1) => '±',
        ("symbol", 0xb4) => '×',
        ("symbol", 0xb8) => '÷',
        ("symbol", 0xae) => '→',
        // Its digits and signs of reckoning stand where others have theirs.
        ("symbol", 0x25 | 0x28 | 0x29 | 0x2b | 0x2c | 0x2e..=0x3e) => char::from_u32(code)?,
        _ => return None,
    };
    Some(letter)
}

/// An equation on one line: what stands above, below and over something says so by a sign.
pub fn equation(element: &Element<'_>) -> String {
    let mut out = String::new();
    for child in element.elements() {
        let part = |name: &str| child.child(name).map(equation).unwrap_or_default();
        let said = |name: &str| {
            let properties = child.elements().find(|one| one.name().ends_with("Pr"));
            properties.and_then(|properties| properties.said(name))
        };
        match child.name() {
            "t" | "delText" => out.push_str(&child.text()),
            "f" => out.push_str(&format!("({})/({})", part("num"), part("den"))),
            "sSup" => out.push_str(&format!("{}^({})", part("e"), part("sup"))),
            "sSub" => out.push_str(&format!("{}_({})", part("e"), part("sub"))),
            "sSubSup" => out.push_str(&format!("{}_({})^({})", part("e"), part("sub"), part("sup"))),
            "sPre" => out.push_str(&format!("_({})^({}){}", part("sub"), part("sup"), part("e"))),
            "rad" => out.push_str(&format!("{}√({})", part("deg"), part("e"))),
            "nary" => {
                let sign = said("chr").unwrap_or_else(|| "∫".to_owned());
                out.push_str(&format!("{sign}_({})^({}) {}", part("sub"), part("sup"), part("e")));
            }
            "d" => {
                let inner: Vec<String> = child.elements().filter(|one| one.name() == "e").map(equation).collect();
                let begins = said("begChr").unwrap_or_else(|| "(".to_owned());
                let ends = said("endChr").unwrap_or_else(|| ")".to_owned());
                let between = said("sepChr").unwrap_or_else(|| "|".to_owned());
                out.push_str(&format!("{begins}{}{ends}", inner.join(&between)));
            }
            "mr" => {
                let cells: Vec<String> = child.elements().filter(|one| one.name() == "e").map(equation).collect();
                out.push_str(&format!("[{}]", cells.join(", ")));
            }
            "ins" | "moveTo" => out.push_str(&format!("[inserted: {}]", equation(child))),
            "del" | "moveFrom" => out.push_str(&format!("[deleted: {}]", equation(child))),
            name if name.ends_with("Pr") && !child.holds_words() => {}
            "" => {
                let inner = equation(child);
                if !inner.is_empty() {
                    out.push_str(&format!("[some programs leave this out: {inner}]"));
                }
            }
            _ => out.push_str(&equation(child)),
        }
    }
    out
}
