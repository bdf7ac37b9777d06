//! Whether the arguments of a call are those that its tool wants.

use crate::Spec;
use crate::schema::Schema;
use serde_json::{Map, Value};

/// Why a tool cannot be called with these arguments; `None`: it can. What is required comes first, in the tool's order and the words of
/// the origin (`missing required args: path, content`), then what its schema says. No arguments are an empty object.
pub fn refused(spec: &Spec, args: &Value) -> Option<String> {
    let none = Map::new();
    let given = match args {
        Value::Object(given) => given,
        Value::Null => &none,
        _ => return Some("the arguments of a tool are an object: `name: value` pairs".to_owned()),
    };
    let is_missing = |name: &&String| given.get(*name).is_none_or(Value::is_null);
    let missing: Vec<&str> = spec
        .required_args
        .iter()
        .filter(is_missing)
        .map(String::as_str)
        .collect();
    if !missing.is_empty() {
        return Some(format!("missing required args: {}", missing.join(", ")));
    }
    let schema = match Schema::of(&spec.schema) {
        Ok(schema) => schema,
        Err(why) => {
            return Some(format!(
                "the arguments' schema of `{}` cannot be used: {why}",
                spec.name
            ));
        }
    };
    let faults = schema.faults(&Value::Object(given.clone()));
    let said: Vec<String> = faults
        .iter()
        .map(|fault| match fault.path.is_empty() {
            true => fault.message.clone(),
            false => format!("argument `{}`: {}", fault.path, fault.message),
        })
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Risk;
    use serde_json::json;

    fn spec() -> Spec {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1},
                "content": {"type": "string"},
                "lines": {"type": "array", "items": {"type": "integer"}},
                "mode": {"enum": ["create", "append"]},
            },
            "required": ["path", "content"],
            "additionalProperties": false,
        });
        Spec::new("write", "Writes", Risk::Medium, schema)
    }

    fn said(args: Value) -> String {
        refused(&spec(), &args).unwrap_or_default()
    }

    #[test]
    fn what_is_required_is_missed_first_and_in_order() {
        assert_eq!(said(json!({})), "missing required args: path, content");
        assert_eq!(said(Value::Null), "missing required args: path, content");
        assert_eq!(said(json!({"path": null, "content": 5})), "missing required args: path");
        assert_eq!(said(json!({"path": "a", "content": ""})), "", "empty is not missing");
    }

    #[test]
    fn what_does_not_fit_the_schema_is_named() {
        let fault = said(json!({"path": "a", "content": 5}));
        assert!(
            fault.starts_with("argument `content`: ") && fault.contains("string"),
            "{fault}"
        );
        let fault = said(json!({"path": "a", "content": "b", "lines": [1, "two"]}));
        assert!(fault.starts_with("argument `lines[1]`: "), "{fault}");
        let fault = said(json!({"path": "a", "content": "b", "pth": "c"}));
        assert!(fault.contains("pth"), "{fault}");
        let fault = said(json!({"path": "", "content": "b", "mode": "x"}));
        assert!(
            fault.contains("argument `path`: ") && fault.contains("; argument `mode`: "),
            "{fault}"
        );
        assert!(said(json!(["a"])).contains("object"));
    }

    #[test]
    fn a_schema_that_is_none_refuses_and_does_not_panic() {
        for schema in [
            json!({"type": "no such type"}),
            json!(7),
            json!({"$ref": "http://nowhere.invalid/x"}),
        ] {
            let spec = Spec::new("odd", "", Risk::Low, schema);
            let fault = refused(&spec, &json!({})).expect("it cannot be used");
            assert!(fault.contains("schema of `odd`"), "{fault}");
        }
    }
}
