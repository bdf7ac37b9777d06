//! What a server answered, reduced to what a reader or an agent wants of it.

use serde::Serialize;
use serde_json::Value;

/// How much of a text is kept, in bytes.
const LONGEST: usize = 64 * 1024;
/// How many signatures and parameters are kept.
const MOST: usize = 100;

/// A place in a text: both from 0, characters in UTF-16 units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character in it.
    pub character: u32,
}

/// From one place up to, and without, another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Range {
    /// Where it begins.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
}

/// How a text is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// As it is.
    Plaintext,
    /// As Markdown.
    Markdown,
}

/// What is known of a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hover {
    /// What is known.
    pub text: String,
    /// How the text is to be shown.
    pub kind: Kind,
    /// The name it is about, where the server says so.
    pub range: Option<Range>,
}

/// What a call may look like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signatures {
    /// Each way to call it.
    pub signatures: Vec<Signature>,
    /// Which of them is meant, from 0.
    pub active_signature: usize,
    /// Which of its parameters is being written, from 0; none where it has none.
    pub active_parameter: Option<usize>,
}

/// One way to call something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// As it is written: `add(a: number, b: number): number`.
    pub text: String,
    /// What it does; empty where nobody wrote it.
    pub documentation: String,
    /// How the documentation is to be shown.
    pub kind: Kind,
    /// Its parameters, in their order.
    pub parameters: Vec<Parameter>,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// As it is written: `a: number`.
    pub text: String,
    /// What it means; empty where nobody wrote it.
    pub documentation: String,
}

/// How many lines a text has; the last may be empty.
pub(super) fn lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |i: &usize| bytes[*i] == b'\n' || bytes[*i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
    (0..bytes.len()).filter(ends).count() + 1
}

/// Reads the answer to `textDocument/hover`; none: nothing is known.
pub(super) fn hover(answer: &Value) -> Result<Option<Hover>, String> {
    if answer.is_null() {
        return Ok(None);
    }
    let contents = answer.get("contents").ok_or("it has no contents")?;
    let (text, kind) = text(contents).ok_or("its contents are no text")?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(Some(Hover {
        text: cut(text),
        kind,
        range: range(&answer["range"]),
    }))
}

/// Reads the answer to `textDocument/signatureHelp`; none: there is no call.
pub(super) fn signatures(answer: &Value) -> Result<Option<Signatures>, String> {
    if answer.is_null() {
        return Ok(None);
    }
    let listed = answer["signatures"].as_array().ok_or("it has no list of signatures")?;
    let signatures: Vec<Signature> = listed.iter().take(MOST).map(signature).collect::<Result<_, _>>()?;
    if signatures.is_empty() {
        return Ok(None);
    }
    let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
    let active = number(&answer["activeSignature"])
        .filter(|n| *n < signatures.len())
        .unwrap_or(0);
    let own = number(&listed[active]["activeParameter"]);
    let parameter = own.or_else(|| number(&answer["activeParameter"])).unwrap_or(0);
    let has = signatures[active].parameters.len();
    Ok(Some(Signatures {
        active_parameter: (parameter < has).then_some(parameter),
        signatures,
        active_signature: active,
    }))
}

fn signature(value: &Value) -> Result<Signature, String> {
    let label = value["label"].as_str().ok_or("a signature has no label")?;
    let (documentation, kind) = text(&value["documentation"]).unwrap_or((String::new(), Kind::Plaintext));
    let parameters = value["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let parameter = |value: &Value| Parameter {
        text: match &value["label"] {
            Value::String(text) => cut(text.clone()),
            pair => utf16_part(label, pair).unwrap_or_default(),
        },
        documentation: text(&value["documentation"])
            .map(|(text, _)| cut(text))
            .unwrap_or_default(),
    };
    Ok(Signature {
        text: cut(label.to_owned()),
        documentation: cut(documentation),
        kind,
        parameters: parameters.iter().take(MOST).map(parameter).collect(),
    })
}

/// The part of a label that two positions in UTF-16 units name.
fn utf16_part(label: &str, pair: &Value) -> Option<String> {
    let at = |i: usize| usize::try_from(pair.get(i)?.as_u64()?).ok();
    let units: Vec<u16> = label.encode_utf16().collect();
    let part = units.get(at(0)?..at(1)?)?;
    Some(cut(String::from_utf16_lossy(part)))
}

/// A text in any of the forms that the protocol has had for it.
fn text(value: &Value) -> Option<(String, Kind)> {
    match value {
        // A plain string of the old form is Markdown, and so is one in a list.
        Value::String(text) => Some((text.clone(), Kind::Markdown)),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().filter_map(|p| text(p).map(|(text, _)| text)).collect();
            Some((texts.join("\n\n"), Kind::Markdown))
        }
        Value::Object(fields) => {
            let value = fields.get("value")?.as_str()?.to_owned();
            match (
                fields.get("kind").and_then(Value::as_str),
                fields.get("language").and_then(Value::as_str),
            ) {
                (Some("markdown"), _) => Some((value, Kind::Markdown)),
                (Some(_), _) => Some((value, Kind::Plaintext)),
                (None, Some(language)) => Some((fenced(language, &value), Kind::Markdown)),
                (None, None) => Some((value, Kind::Plaintext)),
            }
        }
        _ => None,
    }
}

/// Code as Markdown, between fences that the code does not hold.
fn fenced(language: &str, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{code}\n{fence}")
}

fn range(value: &Value) -> Option<Range> {
    let position = |value: &Value| {
        Some(Position {
            line: u32::try_from(value["line"].as_u64()?).ok()?,
            character: u32::try_from(value["character"].as_u64()?).ok()?,
        })
    };
    Some(Range {
        start: position(&value["start"])?,
        end: position(&value["end"])?,
    })
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let mut end = LONGEST;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(contents: Value) -> Option<(String, Kind)> {
        let hover = hover(&json!({"contents": contents})).expect("readable")?;
        Some((hover.text, hover.kind))
    }

    #[test]
    fn every_form_of_a_hover_is_read() {
        let markdown = |text: &str| Some((text.to_owned(), Kind::Markdown));
        assert_eq!(said(json!({"kind": "markdown", "value": "*a*"})), markdown("*a*"));
        assert_eq!(
            said(json!({"kind": "plaintext", "value": "a"})),
            Some(("a".to_owned(), Kind::Plaintext))
        );
        assert_eq!(said(json!("*a*")), markdown("*a*"));
        assert_eq!(
            said(json!({"language": "ts", "value": "let a"})),
            markdown("```ts\nlet a\n```")
        );
        assert_eq!(
            said(json!([{"language": "ts", "value": "```"}, "b"])),
            markdown("````ts\n```\n````\n\nb")
        );
        assert_eq!(said(json!([])), None);
        assert_eq!(hover(&Value::Null), Ok(None));
        assert!(hover(&json!({"contents": 7})).is_err());
        assert!(hover(&json!("text")).is_err());
        let long = said(json!("ü".repeat(LONGEST))).expect("a text").0;
        assert!(long.len() <= LONGEST + 3);
    }

    #[test]
    fn parameters_are_cut_out_of_a_label_in_utf16_units() {
        let help = json!({
            "signatures": [
                {"label": "f()"},
                {"label": "f(𝔸: a, b: c)", "documentation": "does it",
                 "parameters": [{"label": [2, 7]}, {"label": "b: c", "documentation": {"kind": "markdown", "value": "*b*"}}, {"label": [9, 99]}]},
            ],
            "activeSignature": 1, "activeParameter": 1,
        });
        let help = signatures(&help).expect("readable").expect("signatures");
        assert_eq!((help.active_signature, help.active_parameter), (1, Some(1)));
        let texts: Vec<&str> = help.signatures[1].parameters.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(texts, ["𝔸: a", "b: c", ""]);
        assert_eq!(help.signatures[1].parameters[1].documentation, "*b*");
        let odd = json!({"signatures": [{"label": "f()"}], "activeSignature": 9, "activeParameter": 4});
        let odd = signatures(&odd).expect("readable").expect("signatures");
        assert_eq!((odd.active_signature, odd.active_parameter), (0, None));
        assert_eq!(signatures(&json!({"signatures": []})), Ok(None));
        assert!(signatures(&json!({"signatures": [{}]})).is_err());
    }

    #[test]
    fn lines_end_in_three_ways() {
        assert_eq!(
            [lines(""), lines("a"), lines("a\n"), lines("a\r\nb\rc\nd")],
            [1, 1, 2, 4]
        );
    }
}
