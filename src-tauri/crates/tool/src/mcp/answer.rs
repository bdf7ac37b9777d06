//! What a server says of its tools, and what comes of a call.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// How much of an answer is kept, in bytes.
const LONGEST: usize = 1024 * 1024;

/// A tool of a server, in its own words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tool {
    /// How it is called.
    pub name: String,
    /// What it does; empty where the server does not say.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub schema: Value,
    /// JSON Schema of its structured answer, if it gives one.
    pub output_schema: Option<Value>,
    /// Whether the server says that it changes nothing. Nobody checks that.
    pub read_only: bool,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Called {
    /// Its answer for a reader: all its texts.
    pub text: String,
    /// Its answer as data, if it gives one.
    pub structured: Option<Value>,
    /// What is neither: pictures, sounds, links. Their kind, what they are, and how large; never their bytes.
    pub other: Vec<Value>,
    /// Whether the tool says that it failed; `text` then says why.
    pub is_error: bool,
}

/// Reads one entry of `tools/list`.
pub(super) fn tool(value: &Value) -> Result<Tool, String> {
    let name = value["name"].as_str().filter(|name| !name.trim().is_empty());
    let name = name.ok_or("a tool has no name")?.to_owned();
    let schema = &value["inputSchema"];
    if !schema.is_object() {
        return Err(format!("the tool `{name}` does not say what its arguments are"));
    }
    let annotations = &value["annotations"];
    let described = [&value["description"], &value["title"], &annotations["title"]];
    Ok(Tool {
        description: described
            .into_iter()
            .find_map(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        schema: schema.clone(),
        output_schema: value.get("outputSchema").filter(|s| s.is_object()).cloned(),
        read_only: annotations["readOnlyHint"].as_bool().unwrap_or_default(),
        name,
    })
}

/// Reads the answer to `tools/call`.
pub(super) fn called(answer: &Value) -> Result<Called, String> {
    if !answer.is_object() {
        return Err("it is no object".to_owned());
    }
    let structured = answer.get("structuredContent").filter(|s| s.is_object()).cloned();
    let content = match &answer["content"] {
        Value::Array(content) => content.as_slice(),
        Value::Null if structured.is_some() => &[],
        _ => return Err("it has no contents".to_owned()),
    };
    let mut texts = Vec::new();
    let mut other = Vec::new();
    for item in content {
        match item["type"].as_str() {
            Some("text") => texts.extend(item["text"].as_str()),
            Some("resource") if item["resource"]["text"].is_string() => {
                texts.extend(item["resource"]["text"].as_str());
            }
            Some(kind) => other.push(described(kind, item)),
            None => return Err("a part of its contents says no type".to_owned()),
        }
    }
    let mut text = texts.join("\n");
    let dropped = text.len().saturating_sub(LONGEST);
    if dropped > 0 {
        let mut end = LONGEST;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(&format!("\n[{dropped} more bytes were not kept]"));
    }
    Ok(Called {
        text,
        structured,
        other,
        is_error: answer["isError"].as_bool().unwrap_or_default(),
    })
}

fn described(kind: &str, item: &Value) -> Value {
    let mut about = Map::new();
    about.insert("type".to_owned(), json!(kind));
    let resource = &item["resource"];
    for (key, value) in [
        ("uri", &item["uri"]),
        ("uri", &resource["uri"]),
        ("name", &item["name"]),
        ("description", &item["description"]),
        ("mime_type", &item["mimeType"]),
        ("mime_type", &resource["mimeType"]),
    ] {
        if let Some(text) = value.as_str() {
            about.insert(key.to_owned(), json!(crate::rpc::brief(text)));
        }
    }
    let data = item["data"].as_str().or(resource["blob"].as_str());
    if let Some(data) = data {
        // Base64: three bytes in four characters.
        let padding = data.bytes().rev().take_while(|b| *b == b'=').count();
        about.insert("bytes".to_owned(), json!((data.len() / 4 * 3).saturating_sub(padding)));
    }
    Value::Object(about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_its_texts_its_data_and_what_else_there_is() {
        let answer = json!({
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
                {"type": "resource", "resource": {"uri": "file:///b", "text": "b"}},
                {"type": "resource_link", "uri": "file:///c", "name": "c"},
            ],
            "structuredContent": {"n": 1},
            "isError": true,
        });
        let called = called(&answer).expect("readable");
        assert_eq!((called.text.as_str(), called.is_error), ("a\nb", true));
        assert_eq!(called.structured, Some(json!({"n": 1})));
        assert_eq!(
            called.other[0],
            json!({"type": "image", "mime_type": "image/png", "bytes": 5})
        );
        assert_eq!(
            called.other[1],
            json!({"type": "resource_link", "uri": "file:///c", "name": "c"})
        );
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for answer in [
            json!(null),
            json!("x"),
            json!({}),
            json!({"content": "x"}),
            json!({"content": [{}]}),
        ] {
            assert!(called(&answer).is_err(), "{answer}");
        }
        assert!(called(&json!({"structuredContent": {}})).is_ok());
        assert!(tool(&json!({"name": "x"})).is_err());
        assert!(tool(&json!({"inputSchema": {}})).is_err());
    }

    #[test]
    fn a_long_answer_is_cut() {
        let answer = json!({"content": [{"type": "text", "text": "ü".repeat(LONGEST)}]});
        let text = called(&answer).expect("readable").text;
        assert!(text.len() < LONGEST + 100);
        assert!(text.ends_with("more bytes were not kept]"));
    }
}
