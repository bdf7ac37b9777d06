//! A session as one that keeps the schema: what breaks it is put aside, under its place, and what must be there has the word that claims least.

use super::breaks::{breaks, places, pointer};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// How often what was found is put aside: each time a part of the document may come to light that was hidden before.
const PASSES: usize = 64;

/// In so many places a document may break the schema.
const MOST: usize = 250_000;

/// The key of `metadata` under which everything is kept that breaks the schema, by JSON pointer.
pub const ASIDE: &str = "not_of_the_schema";

/// What stands where a session says nothing that keeps the schema.
#[derive(Debug, Clone, Copy)]
pub struct Least<'a> {
    /// `session_id`, in the schema's form.
    pub session_id: &'a str,
    /// The project's name.
    pub name: &'a str,
    /// `created_at`, as RFC 3339 has it.
    pub created_at: &'a str,
}

/// The document with what breaks the schema put aside; `None`: so much of it does that nothing would be left to say. Takes time linear in the
/// length.
pub fn keeping(document: &Value, least: Least<'_>) -> Option<Value> {
    let mut kept = document.clone();
    let mut aside = Map::new();
    for _ in 0..PASSES {
        let found = places(&kept, MOST.checked_sub(aside.len())?)?;
        if found.is_empty() {
            break;
        }
        put_aside(&mut kept, found, least, &mut aside);
    }
    if !aside.is_empty()
        && let Some(root) = kept.as_object_mut()
    {
        let metadata = root.entry("metadata").or_insert_with(|| json!({}));
        metadata.as_object_mut()?.insert(ASIDE.to_owned(), Value::Object(aside));
    }
    breaks(&kept).is_empty().then_some(kept)
}

/// Positions of a list by their numbers.
fn order(part: &str) -> (usize, &str) {
    (part.parse().unwrap_or_default(), part)
}

/// Puts aside what stands at these places, or writes the word there that says least. What is taken out of a list or a list of fields leaves its place
/// until all of it is taken: until then the others stand where they stood.
fn put_aside(document: &mut Value, mut found: Vec<Vec<String>>, least: Least<'_>, aside: &mut Map<String, Value>) {
    // From within: what stands in something that goes, too, is put aside for itself.
    found.sort_by(|one, other| {
        let (one, other) = (one.iter(), other.iter());
        other.map(|part| order(part)).cmp(one.map(|part| order(part)))
    });
    found.dedup();
    let mut empty: BTreeMap<Vec<String>, HashSet<String>> = BTreeMap::new();
    for path in found {
        let Some((name, around)) = path.split_last() else {
            continue;
        };
        let Some(within) = at(document, around) else {
            continue;
        };
        let ways: Vec<&str> = around.iter().map(String::as_str).collect();
        let plain = within.is_object().then(|| plain(&ways, name, least)).flatten();
        let removed = match (within, plain) {
            (Value::Object(entries), Some(plain)) => {
                let was = entries.insert(name.clone(), plain);
                if name == "workflow_type" {
                    entries.insert("workflow_type_stated".to_owned(), json!(false));
                }
                was
            }
            (within, _) => child(within, name).map(|there| {
                empty.entry(around.to_vec()).or_default().insert(name.clone());
                there.take()
            }),
        };
        if let Some(removed) = removed {
            let name = free(pointer(&path), aside);
            aside.insert(name, removed);
        }
    }
    // The innermost first: around them nothing has moved yet.
    for (way, names) in empty.into_iter().rev() {
        match at(document, &way) {
            Some(Value::Array(items)) => {
                let mut place = 0..;
                items.retain(|_| {
                    place
                        .next()
                        .is_none_or(|place: usize| !names.contains(&place.to_string()))
                });
            }
            Some(Value::Object(entries)) => entries.retain(|name, _| !names.contains(name)),
            _ => {}
        }
    }
}

/// Of two things that stood in one place the second keeps a name of its own.
fn free(mut pointer: String, aside: &Map<String, Value>) -> String {
    while aside.contains_key(&pointer) {
        pointer.push('+');
    }
    pointer
}

fn at<'v>(document: &'v mut Value, way: &[String]) -> Option<&'v mut Value> {
    way.iter().try_fold(document, |at, part| child(at, part))
}

fn child<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    match value {
        Value::Object(entries) => entries.get_mut(name),
        Value::Array(items) => items.get_mut(name.parse::<usize>().ok()?),
        _ => None,
    }
}

/// What must be there and says least.
fn plain(around: &[&str], name: &str, least: Least<'_>) -> Option<Value> {
    Some(match (around, name) {
        ([], "session_id") => json!(least.session_id),
        ([], "project_metadata") => json!({
            "name": least.name,
            "workflow_type": "brownfield-service",
            "workflow_type_stated": false,
            "created_at": least.created_at,
        }),
        (["project_metadata"], "name") => json!(least.name),
        (["project_metadata"], "workflow_type") => json!("brownfield-service"),
        (["project_metadata"], "created_at") => json!(least.created_at),
        ([], "workflow_state") => json!({"current_step": 0, "completed_steps": []}),
        (["workflow_state"], "current_step") => json!(0),
        (["workflow_state"], "completed_steps") => json!([]),
        ([], "agent_contexts" | "global_context") => json!({}),
        (["agent_contexts", _], "status") => json!("pending"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(document: Value, aside: Value) {
        let least = Least {
            session_id: "bmad-session-1700000000000-abcdefgh",
            name: "A session",
            created_at: "2026-01-01T00:00:00Z",
        };
        let kept = keeping(&document, least).expect("it can be kept");
        assert_eq!(breaks(&kept), [], "{kept:#}");
        assert_eq!(kept["metadata"][ASIDE], aside, "{kept:#}");
    }

    fn session() -> Value {
        json!({
            "session_id": "bmad-session-1700000000001-abcdefgh",
            "project_metadata": {"name": "P", "workflow_type": "greenfield-ui", "created_at": "2026-01-01T00:00:00Z"},
            "workflow_state": {"current_step": 1, "completed_steps": [1, "two", 3, 4.5]},
            "agent_contexts": {"qa": {"status": "completed"}},
            "global_context": {},
        })
    }

    #[test]
    fn what_breaks_the_schema_is_put_aside_under_its_place() {
        check(
            session(),
            json!({"/workflow_state/completed_steps/1": "two", "/workflow_state/completed_steps/3": 4.5}),
        );
        let mut broken = session();
        broken["workflow_state"] = json!("all done");
        broken["session_id"] = json!("mine");
        broken["agent_contexts"]["qa"]["status"] = json!("resting");
        broken["checkpoints"] = json!([{"id": 7, "timestamp": "yesterday"}]);
        broken["metadata"] = json!([1]);
        check(
            broken,
            json!({
                "/workflow_state": "all done", "/session_id": "mine", "/agent_contexts/qa/status": "resting",
                "/checkpoints/0/id": 7, "/checkpoints/0/timestamp": "yesterday", "/metadata": [1],
            }),
        );
        check(
            json!({"session_id": null, "project_metadata": {}, "workflow_state": {}}),
            json!({"/session_id": null}),
        );
    }

    /// However many places break it, the rest is kept, and each of them stands under its place.
    #[test]
    fn many_breaks_are_put_aside_one_by_one() {
        const MANY: usize = 70_000;
        let mut broken = session();
        let steps = (0..MANY).map(|n| {
            if n % 2 == 0 {
                json!(n)
            } else {
                json!(format!("step {n}"))
            }
        });
        broken["workflow_state"]["completed_steps"] = steps.collect();
        let outputs = (0..MANY).map(|n| (format!("o{n}"), if n % 2 == 0 { json!({}) } else { json!(n) }));
        broken["agent_contexts"]["qa"]["outputs"] = Value::Object(outputs.collect());
        let least = Least {
            session_id: "",
            name: "",
            created_at: "",
        };
        let kept = keeping(&broken, least).expect("it can be kept");
        let steps = kept["workflow_state"]["completed_steps"].as_array().expect("a list");
        assert!(
            steps
                .iter()
                .eq(&(0..MANY).step_by(2).map(|n| json!(n)).collect::<Vec<_>>())
        );
        let outputs = kept["agent_contexts"]["qa"]["outputs"]
            .as_object()
            .expect("a list of fields");
        assert_eq!(outputs.len(), MANY / 2);
        let aside = kept["metadata"][ASIDE].as_object().expect("a list of fields");
        assert_eq!(aside.len(), MANY);
        assert_eq!(aside["/workflow_state/completed_steps/69999"], "step 69999");
        assert_eq!(aside["/agent_contexts/qa/outputs/o3"], 3);
    }

    #[test]
    fn what_keeps_it_stays_as_it_is() {
        let mut whole = session();
        whole["workflow_state"]["completed_steps"] = json!([1]);
        let least = Least {
            session_id: "",
            name: "",
            created_at: "",
        };
        assert_eq!(keeping(&whole, least), Some(whole));
    }
}
