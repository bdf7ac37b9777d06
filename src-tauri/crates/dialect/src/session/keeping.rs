//! A session as one that keeps the schema: what breaks it is put aside, under its place, and what must be there has the word that claims least.

use super::breaks::{Break, breaks};
use serde_json::{Map, Value, json};

/// How often what was found is put aside: each time a part of the document may come to light that was hidden before.
const PASSES: usize = 64;

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

/// The document with what breaks the schema put aside; `None`: so much of it does that nothing would be left to say.
pub fn keeping(document: &Value, least: Least<'_>) -> Option<Value> {
    let mut kept = document.clone();
    let mut aside = Map::new();
    for _ in 0..PASSES {
        let mut found = breaks(&kept);
        if found.is_empty() {
            break;
        }
        // From behind: what stands later in a list keeps its place while something before it is still to be looked at.
        found.sort_by_key(|one| std::cmp::Reverse(one.path.iter().map(|part| order(part)).collect::<Vec<_>>()));
        for one in &found {
            put_aside(&mut kept, one, least, &mut aside);
        }
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
fn order(part: &str) -> (usize, String) {
    (part.parse().unwrap_or_default(), part.to_owned())
}

fn put_aside(document: &mut Value, found: &Break, least: Least<'_>, aside: &mut Map<String, Value>) {
    let missing = found.missing.as_deref();
    let mut path: Vec<&str> = found.path.iter().map(String::as_str).collect();
    path.extend(missing);
    let Some((name, around)) = path.split_last() else {
        return;
    };
    let within = around.iter().try_fold(document, |at, part| match at {
        Value::Object(entries) => entries.get_mut(*part),
        Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?),
        _ => None,
    });
    let removed = match within {
        Some(Value::Array(items)) => match name.parse::<usize>() {
            Ok(place) if place < items.len() => Some(items.remove(place)),
            _ => None,
        },
        Some(Value::Object(entries)) => match plain(around, name, least) {
            Some(plain) => {
                let was = entries.insert((*name).to_owned(), plain);
                if *name == "workflow_type" {
                    entries.insert("workflow_type_stated".to_owned(), json!(false));
                }
                was
            }
            None => entries.shift_remove(*name),
        },
        _ => None,
    };
    if let Some(removed) = removed {
        let mut pointer = found.pointer();
        // Of two things that stood in one place the second keeps a name of its own.
        while aside.contains_key(&pointer) {
            pointer.push('+');
        }
        aside.insert(pointer, removed);
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
