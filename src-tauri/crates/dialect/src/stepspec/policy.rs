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

/// Words between others in a policy: they name neither a check nor anything else that would be looked at.
const FILLERS: [&str; 71] = [
    "a",
    "against",
    "all",
    "an",
    "and",
    "any",
    "applicable",
    "are",
    "as",
    "at",
    "basic",
    "be",
    "both",
    "by",
    "check",
    "checked",
    "checking",
    "checks",
    "code",
    "correct",
    "document",
    "documents",
    "each",
    "every",
    "file",
    "files",
    "for",
    "full",
    "if",
    "in",
    "is",
    "its",
    "javascript",
    "json",
    "level",
    "markdown",
    "must",
    "needed",
    "none",
    "of",
    "on",
    "only",
    "or",
    "output",
    "outputs",
    "pass",
    "passes",
    "per",
    "plus",
    "policy",
    "possible",
    "python",
    "required",
    "should",
    "source",
    "standard",
    "strict",
    "the",
    "then",
    "to",
    "typescript",
    "using",
    "valid",
    "validate",
    "validated",
    "validates",
    "validation",
    "via",
    "when",
    "where",
    "with",
];
/// What stands between the items of a policy.
const BETWEEN: [&str; 4] = [",", ";", "+", "/"];

/// The items of a policy that name no check, so that nothing looks at what they ask for: neither a word of Gatehouse nor one that the project
/// binds is in them, and not fillers alone. Beside a word that names a check others say more of it; a policy that names nothing at all is one.
pub fn unnamed(policy: &str, is_bound: impl Fn(&str) -> bool) -> Vec<String> {
    if checks_nothing(policy) {
        return Vec::new();
    }
    let names = |item: &str| policy_words(item).any(|word| is_bound(word) || !validation_checks(word).is_empty());
    if !names(policy) {
        return vec![policy.trim().to_owned()];
    }
    let is_filler = |word: &str| FILLERS.contains(&word.to_lowercase().as_str()) || checks_nothing(word);
    let mut alike = policy.to_owned();
    for between in BETWEEN {
        alike = alike.replace(between, "\n");
    }
    let items = alike.split('\n').flat_map(|item| item.split(" and ")).map(str::trim);
    let items = items.filter(|item| !names(item) && !policy_words(item).all(is_filler));
    items
        .map(|item| item.trim_matches(['(', ')', '.']).to_owned())
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
    fn what_names_no_check_is_told_from_what_does() {
        let own = |word: &str| word == "prose";
        for (policy, parts) in [
            ("Format validation, proze", &["proze"][..]),
            ("Format validation, prose", &[]),
            ("Format validation + Prose", &["Prose"]),
            ("Security scan and format validation", &["Security scan"]),
            ("unit tests, lint, licence check", &["unit tests", "licence check"]),
            ("Format validation before handoff", &[]),
            ("well formed JSON, format", &["well formed JSON"]),
            ("AST + type + lint (as applicable)", &[]),
            ("Template/schema validation", &[]),
            ("JSON schema validation of all files", &[]),
            ("prose", &[]),
            (" by hand ", &["by hand"]),
            ("validation", &["validation"]),
            ("none", &[]),
            ("", &[]),
        ] {
            assert_eq!(unnamed(policy, own), parts, "{policy}");
        }
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
