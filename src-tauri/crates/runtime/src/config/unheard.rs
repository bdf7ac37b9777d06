//! Settings that would protect, and that count for nothing as they are written or where they stand: what would have asked a person, or kept a
//! step from something, does not go by as a warning that nobody reads. What else means nothing is a note.

use super::hitl::{HITL, POLICY};
use super::step_settings::KEYS;
use model::cel::nearest;
use model::spelling::bare;
use serde_yaml::Value;

/// The keys of the file.
pub(super) const TOP: &[&str] = &[
    "version",
    "runtime",
    "hitl",
    "agents",
    "routing",
    "try",
    "permissions",
    "limits",
    "enforcement",
    "environment",
    "timezone",
    "pipelines",
    "folders",
    "tools",
    "mcp",
    "language_servers",
    "checks",
    "guardrails",
    "evidence",
    "context",
];
/// Those of them that protect.
const PROTECTING: &[&str] = &["hitl", "permissions", "guardrails", "enforcement"];
/// What is said of calls by their risk.
const RISK: &[&str] = &["medium_requires_approval"];
/// What is said of gates beside the policy and that no other block says.
const OF_GATES: &[&str] = &["four_eyes", "require_conditional"];
/// The blocks that protect and whose names mean nothing else, wherever they stand.
const BLOCKS: &[&str] = &["hitl", "permissions", "guardrails", "risk_policy"];
/// How deep a name is looked for that can mean nothing else.
const DEEPEST: usize = 3;
/// The blocks whose keys are not the author's own names.
const FIXED: [&str; 7] = [
    "runtime",
    "routing",
    "environment",
    "folders",
    "pipelines",
    "tools",
    "evidence",
];

/// The first such setting: what is wrong, beginning with its key, and what to do.
pub(super) fn unheard(whole: &Value) -> Option<(String, String)> {
    merged(whole, "").or_else(|| within(whole)).or_else(|| elsewhere(whole))
}

fn entries(block: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    let map = block.and_then(Value::as_mapping).into_iter();
    map.flatten().filter_map(|(key, value)| Some((key.as_str()?, value)))
}

fn keys(block: Option<&Value>) -> impl Iterator<Item = &str> {
    entries(block).map(|(key, _)| key)
}

/// A merge key, wherever it stands: the reader of YAML takes it for a name.
fn merged(value: &Value, at: &str) -> Option<(String, String)> {
    match value {
        Value::Mapping(map) => map.iter().find_map(|(key, value)| {
            let key = key.as_str()?;
            if key != "<<" {
                return merged(value, &format!("{at}{key}."));
            }
            let said = format!("`{at}<<` would bring in other keys, which is not carried out here");
            let hint = "Write out what it would bring in. A whole block may be an alias (`policy: *ours`).";
            Some((said, hint.to_owned()))
        }),
        Value::Sequence(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(n, value)| merged(value, &format!("{at}{n}.")))
        }
        _ => None,
    }
}

/// A key that means nothing in a block of which each key protects.
fn within(whole: &Value) -> Option<(String, String)> {
    let hitl = whole.get("hitl");
    let policy = hitl.and_then(|hitl| hitl.get("policy"));
    let risk = whole.get("tools").and_then(|tools| tools.get("risk_policy"));
    let blocks = [
        ("hitl", hitl, HITL, "hitl.policy", POLICY),
        ("hitl.policy", policy, POLICY, "hitl", HITL),
        ("tools.risk_policy", risk, RISK, "tools", of_tools()),
    ];
    blocks.into_iter().find_map(|(at, block, known, other, beside)| {
        let key = keys(block).find(|key| !known.contains(key))?;
        let said = format!(
            "`{at}.{key}` means nothing to Gatehouse; known here: {}",
            known.join(", ")
        );
        let meant = like(key, known).map(|meant| format!("{at}.{meant}"));
        let meant = meant.or_else(|| like(key, beside).map(|meant| format!("{other}.{meant}")));
        let hint = meant.map_or_else(
            || "Write the key that is meant, or take it out.".to_owned(),
            |meant| did_you_mean(&meant),
        );
        Some((said, hint))
    })
}

/// What belongs to a block that protects, and stands elsewhere or under another name.
fn elsewhere(whole: &Value) -> Option<(String, String)> {
    let mut own = entries(Some(whole)).filter(|(key, _)| !TOP.contains(key));
    let at_top = own.find_map(|(key, value)| {
        let meant = match bare(key).as_str() {
            "policy" => Some("hitl.policy").filter(|_| value.is_mapping()),
            _ => like(key, TOP).filter(|meant| PROTECTING.contains(meant) && may_be(meant, key, value)),
        };
        let meant = meant.map(str::to_owned);
        Some((key.to_owned(), meant.or_else(|| of_gates(key, like))?))
    });
    let in_tools = || {
        let known = of_tools();
        let mut unknown = keys(whole.get("tools")).filter(|key| !known.contains(key));
        unknown.find_map(|key| Some((format!("tools.{key}"), format!("tools.{}", like(key, known)?))))
    };
    let (key, meant) = at_top.or_else(|| astray(whole, whole, "", 1)).or_else(in_tools)?;
    Some((format!("`{key}` means nothing to Gatehouse here"), did_you_mean(&meant)))
}

/// Whether a key that is nearly called like one that protects can be meant for it, by what it holds.
fn may_be(meant: &str, key: &str, value: &Value) -> bool {
    let holds = match meant {
        "enforcement" => value.is_string(),
        _ => value.is_mapping(),
    };
    holds || bare(key) == bare(meant)
}

/// A name that can mean nothing but what protects, in a block that does not hold it: where it stands, and where it would count. Where the same
/// is said there too (of an alias), it counts.
fn astray(whole: &Value, block: &Value, at: &str, depth: usize) -> Option<(String, String)> {
    let is_read_otherwise = |key: &str| at.is_empty() && TOP.contains(&key) && !FIXED.contains(&key);
    let mut open = entries(Some(block)).filter(|(key, _)| !is_read_otherwise(key));
    open.find_map(|(key, value)| {
        let path = format!("{at}{key}");
        match certain(key, value) {
            Some(meant) if said_at(whole, &meant) == Some(value) => None,
            Some(meant) => Some((path, meant)),
            None if depth < DEEPEST => astray(whole, value, &format!("{path}."), depth + 1),
            None => None,
        }
    })
}

/// The whole name of what this key means wherever it stands.
fn certain(key: &str, value: &Value) -> Option<String> {
    let holds = value.as_mapping().is_some_and(|map| !map.is_empty());
    match same(key, BLOCKS).filter(|_| holds) {
        Some("risk_policy") => Some("tools.risk_policy".to_owned()),
        Some(block) => Some(block.to_owned()),
        None if bare(key).ends_with("requiresapproval") => {
            Some("tools.risk_policy.medium_requires_approval".to_owned())
        }
        None => of_gates(key, same),
    }
}

/// What the file says under a whole name.
fn said_at<'v>(whole: &'v Value, name: &str) -> Option<&'v Value> {
    name.split('.').try_fold(whole, |block, key| block.get(key))
}

/// The keys of `tools`.
fn of_tools() -> &'static [&'static str] {
    let tools = KEYS.iter().find(|(block, _)| *block == "tools");
    tools.map(|(_, known)| *known).unwrap_or_default()
}

/// The whole name of what is said of gates under this one.
fn of_gates(key: &str, alike: fn(&str, &[&'static str]) -> Option<&'static str>) -> Option<String> {
    if let Some(meant) = alike(key, OF_GATES) {
        return Some(format!("hitl.{meant}"));
    }
    alike(key, POLICY).map(|meant| format!("hitl.policy.{meant}"))
}

/// The one of some keys that is the same but for letters and what separates its words.
fn same(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let plain = bare(key);
    known.iter().copied().find(|word| bare(word) == plain)
}

/// The same, or one that is nearly it.
fn like(key: &str, known: &[&'static str]) -> Option<&'static str> {
    same(key, known).or_else(|| {
        let plain: Vec<String> = known.iter().map(|word| bare(word)).collect();
        let near = nearest(&bare(key), plain.iter().map(String::as_str))?;
        let place = plain.iter().position(|word| word == near)?;
        known.get(place).copied()
    })
}

fn did_you_mean(meant: &str) -> String {
    format!("Did you mean `{meant}`?")
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use std::path::Path;

    #[test]
    fn what_would_protect_and_does_not_count_keeps_the_settings_from_being_used() {
        for (text, place, hint) in [
            ("hitl: {four-eyes: true}\n", (1, 8), "`hitl.four_eyes`"),
            ("hitl: {policy: {four_eyes: true}}\n", (1, 17), "`hitl.four_eyes`"),
            (
                "hitl: {conditional_required: true}\n",
                (1, 8),
                "`hitl.policy.conditional_required`",
            ),
            (
                "hitl: {policy: {required_phase: [a]}}\n",
                (1, 17),
                "`hitl.policy.required_phases`",
            ),
            ("hitl: {zzz: 1}\n", (1, 8), "Write the key"),
            ("four_eyes: true\n", (1, 1), "`hitl.four_eyes`"),
            ("policy: {conditional_required: true}\n", (1, 1), "`hitl.policy`"),
            ("HITL: {four_eyes: true}\n", (1, 1), "`hitl`"),
            ("hilt: {four_eyes: true}\n", (1, 1), "`hitl`"),
            ("permission: {mode: ask}\n", (1, 1), "`permissions`"),
            ("Guardrails: {pii: block}\n", (1, 1), "`guardrails`"),
            ("enforcment: required\n", (1, 1), "`enforcement`"),
            ("runtime: {four_eyes: true}\n", (1, 11), "`hitl.four_eyes`"),
            ("tools: {blocklst: [x]}\n", (1, 9), "`tools.blocklist`"),
            ("tools: {risk_policy: {medium: true}}\n", (1, 23), "Write the key"),
            ("human: {four_eyes: true}\n", (1, 9), "`hitl.four_eyes`"),
            ("environment: {hitl: {four_eyes: true}}\n", (1, 15), "`hitl`"),
            ("environment: {permissions: {mode: ask}}\n", (1, 15), "`permissions`"),
            ("settings:\n  guardrails: {enabled: true}\n", (2, 3), "`guardrails`"),
            (
                "gates: {policy: {conditionalRequired: true}}\n",
                (1, 18),
                "`hitl.policy.conditional_required`",
            ),
            (
                "tools: {medium_requires_approval: true}\n",
                (1, 9),
                "`tools.risk_policy.medium_requires_approval`",
            ),
            (
                "risk_policy: {medium_requires_approval: true}\n",
                (1, 1),
                "`tools.risk_policy`",
            ),
            (
                "x: &p {conditional_required: true}\nhitl:\n  policy:\n    <<: *p\n",
                (4, 5),
                "Write out",
            ),
        ] {
            let fault = Config::parse(Path::new("gatehouse.yaml"), text).expect_err(text);
            assert_eq!((fault.line, fault.column), (Some(place.0), Some(place.1)), "{fault}");
            assert!(
                fault.hint.as_ref().is_some_and(|said| said.contains(hint)),
                "{:?}",
                fault.hint
            );
            assert!(
                Config::kept(text).is_ok(),
                "a run that was begun with it goes on: {text}"
            );
        }
    }

    #[test]
    fn names_of_the_author_s_own_and_whole_aliases_are_none_of_it() {
        for text in [
            "agents: {four_eyes: person, permission: person}\n",
            "checks: {hitl: make}\n",
            "x: &p {conditional_required: true}\nhitl: {policy: *p}\n",
            "x: {hitl: &h {policy: {conditional_required: true}, four_eyes: true}}\nhitl: *h\n",
            "code: 1\nrelease: 2\n",
            "hits: 3\npolicy: ours\nproject: {permissions: all, hitl: yes, hits: {a: 1}}\n",
            "tools: {risk_policy: {medium_requires_approval: true}}\n",
        ] {
            let config =
                Config::parse(Path::new("gatehouse.yaml"), text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
            assert_eq!(
                config.limits.conditional_required,
                text.contains("policy: *p") || text.contains("*h"),
                "{text}"
            );
        }
    }
}
