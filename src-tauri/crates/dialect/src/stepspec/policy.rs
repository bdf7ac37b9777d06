//! The words of `validation` and `evidence`, and what they ask for (seed 000 "Validation gates", "Evidence").

/// Words that say that there is nothing to do.
const NOTHING: [&str; 4] = ["none", "n/a", "na", "no"];

/// The words of a policy, as a project may name its own checks: `AST + type + lint` is three.
pub fn policy_words(policy: &str) -> impl Iterator<Item = &str> {
    policy
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .filter(|word| !word.is_empty())
}

/// Whether a policy says in so many words that nothing is checked.
pub fn checks_nothing(policy: &str) -> bool {
    let policy = policy.trim().to_lowercase();
    policy.is_empty() || NOTHING.contains(&policy.as_str())
}

/// The checks that a validation policy asks for, in the order in which they are made:
///
/// * `ast`: what was made can be read as what it is (JSON, YAML, Markdown, Python);
/// * `template`: it has the parts of the templates the step names;
/// * `schema`: it holds what its JSON Schema demands;
/// * `typecheck`, `lint`: of source text, as applicable.
///
/// "Format validation" asks for the first, "Template/schema validation" for the first three, "AST + type + lint" for the first and
/// the last two: one of these words means all of them, as the seed has them together. Words are told apart, so that "breakfast" is
/// no `ast`. Other words ask for nothing here; a project may bind them to checks of its own ([`policy_words`]).
pub fn validation_checks(policy: &str) -> Vec<&'static str> {
    if checks_nothing(policy) {
        return Vec::new();
    }
    let (mut format, mut template, mut schema, mut code) = (false, false, false, false);
    for word in policy_words(policy) {
        match word.to_lowercase().as_str() {
            "format" | "formats" | "syntax" => format = true,
            "template" | "templates" => template = true,
            "schema" | "schemas" => schema = true,
            "ast" | "type" | "types" | "typecheck" | "type-check" | "typing" | "lint" | "linting" => code = true,
            _ => {}
        }
    }
    let wanted = [
        ("ast", format || template || schema || code),
        ("template", template),
        ("schema", schema),
        ("typecheck", code),
        ("lint", code),
    ];
    wanted
        .into_iter()
        .filter(|(_, asked)| *asked)
        .map(|(check, _)| check)
        .collect()
}

/// Whether an evidence requirement is understood: a level, or that there is none.
pub fn is_evidence_level(requirement: &str) -> bool {
    let requirement = requirement.trim().to_lowercase();
    requirement.is_empty()
        || NOTHING.contains(&requirement.as_str())
        || ["l0", "l1", "l2"].contains(&requirement.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_seed_name_their_checks() {
        for (policy, checks) in [
            ("", &[][..]),
            ("none", &[]),
            (" N/A ", &[]),
            ("na", &[]),
            ("manual", &[]),
            ("breakfast", &[]),
            ("Format validation", &["ast"]),
            ("Template/schema validation", &["ast", "template", "schema"]),
            ("Schema", &["ast", "schema"]),
            ("AST + type + lint", &["ast", "typecheck", "lint"]),
            ("TYPE", &["ast", "typecheck", "lint"]),
            ("template, lint", &["ast", "template", "typecheck", "lint"]),
        ] {
            assert_eq!(validation_checks(policy), checks, "{policy}");
        }
        assert_eq!(
            policy_words("AST + type-check/ß").collect::<Vec<_>>(),
            ["AST", "type-check", "ß"]
        );
    }

    #[test]
    fn levels_are_l0_l1_and_l2() {
        for known in ["", "L0", "l1", " L2 ", "none", "N/A"] {
            assert!(is_evidence_level(known), "{known}");
        }
        for unknown in ["L3", "high", "L1 L2"] {
            assert!(!is_evidence_level(unknown), "{unknown}");
        }
    }
}
