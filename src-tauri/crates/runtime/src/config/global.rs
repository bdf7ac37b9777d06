//! The part of `context:` that holds for everything the project does: constraints, preferences, quality standards and what it is for
//! (seed 003 `global_context`).
//!
//! ```yaml
//! context:
//!   project_constraints: {budget_level: startup, timeline: normal, team_size: 3, complexity_tolerance: simple}
//!   technical_preferences: {backend_technology: Rust, deployment_target: Docker}
//!   quality_standards: {minimum_test_coverage: 80, code_quality_threshold: 7.5, below: ask}
//!   business_context: {industry_sector: law, regulatory_requirements: [GDPR]}
//! ```
//!
//! A standard that is not written is not held: the defaults of the seed's schema say what a form begins with, and a project that never
//! spoke of test coverage has not asked for any.

use dialect::context::{self, SECTIONS};
use model::Fields;
use serde_json::Value;
use std::sync::Arc;

/// A field of the context that a person fills in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContextField {
    /// Its section.
    pub section: &'static str,
    /// Its key in the section.
    pub key: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What it means, where the label does not say it; empty: it does.
    pub help: &'static str,
    /// How it is filled in.
    pub kind: Kind,
}

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// One line.
    Text,
    /// Several texts.
    Texts,
    /// A number from 0.
    Number {
        /// The highest; absent: there is none.
        most: Option<f64>,
        /// Of whole ones only.
        whole: bool,
        /// What it is counted in, `%`; empty: nothing.
        unit: &'static str,
    },
    /// One of these words, each with what a person reads.
    Choice(&'static [(&'static str, &'static str)]),
}

/// Everything that can be filled in, as the seed lists it. What else stands in the file is left as it is.
pub const FIELDS: [ContextField; 17] = {
    const fn of(
        section: &'static str,
        key: &'static str,
        label: &'static str,
        help: &'static str,
        kind: Kind,
    ) -> ContextField {
        ContextField {
            section,
            key,
            label,
            help,
            kind,
        }
    }
    const fn up_to(most: f64, whole: bool, unit: &'static str) -> Kind {
        Kind::Number {
            most: Some(most),
            whole,
            unit,
        }
    }
    const CONSTRAINTS: &str = SECTIONS[0];
    const PREFERENCES: &str = SECTIONS[1];
    const STANDARDS: &str = SECTIONS[2];
    const BUSINESS: &str = SECTIONS[3];
    [
        of(
            STANDARDS,
            "minimum_test_coverage",
            "Test coverage, at least",
            "Held against what steps report as test_coverage.",
            up_to(100.0, true, "%"),
        ),
        of(
            STANDARDS,
            "code_quality_threshold",
            "Code quality, at least",
            "Held against what steps report as code_quality.",
            up_to(10.0, false, "of 10"),
        ),
        of(
            STANDARDS,
            "below",
            "When a step reports less",
            "Unless you choose, a person decides.",
            Kind::Choice(&[
                ("ask", "A person decides and says why"),
                ("warn", "It is only said"),
                ("fail", "The attempt has failed"),
            ]),
        ),
        of(
            STANDARDS,
            "accessibility_level",
            "Accessibility",
            "",
            Kind::Choice(&[("WCAG-A", "WCAG A"), ("WCAG-AA", "WCAG AA"), ("WCAG-AAA", "WCAG AAA")]),
        ),
        of(
            STANDARDS,
            "security_requirements",
            "Security requirements",
            "",
            Kind::Texts,
        ),
        of(
            CONSTRAINTS,
            "budget_level",
            "Budget",
            "",
            Kind::Choice(&[
                ("startup", "Startup"),
                ("enterprise", "Enterprise"),
                ("unlimited", "Unlimited"),
            ]),
        ),
        of(
            CONSTRAINTS,
            "timeline",
            "Time",
            "",
            Kind::Choice(&[("rush", "Rush"), ("normal", "Normal"), ("extended", "Extended")]),
        ),
        of(
            CONSTRAINTS,
            "team_size",
            "People in the team",
            "",
            Kind::Number {
                most: None,
                whole: true,
                unit: "",
            },
        ),
        of(
            CONSTRAINTS,
            "complexity_tolerance",
            "Complexity",
            "",
            Kind::Choice(&[("simple", "Simple"), ("moderate", "Moderate"), ("complex", "Complex")]),
        ),
        of(
            PREFERENCES,
            "frontend_framework",
            "Framework of the pages",
            "",
            Kind::Text,
        ),
        of(
            PREFERENCES,
            "backend_technology",
            "Language of the services",
            "",
            Kind::Text,
        ),
        of(PREFERENCES, "database_preference", "Database", "", Kind::Text),
        of(PREFERENCES, "deployment_target", "Where it runs", "", Kind::Text),
        of(BUSINESS, "industry_sector", "Field of business", "", Kind::Text),
        of(BUSINESS, "target_market", "For whom", "", Kind::Text),
        of(BUSINESS, "competitive_landscape", "Others in the field", "", Kind::Text),
        of(BUSINESS, "regulatory_requirements", "Laws and rules", "", Kind::Texts),
    ]
};

/// Takes the sections out of what stands under `context:`.
///
/// # Errors
/// A sentence about what is wrong, with its place.
pub(super) fn taken(written: &mut Value) -> Result<Option<Arc<Fields>>, String> {
    let taken = context::taken(written);
    if taken.is_empty() {
        return Ok(None);
    }
    match context::fault(&taken) {
        Some(fault) => Err(fault.message),
        None => Ok(Some(Arc::new(taken))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_sections_are_taken_out_and_the_rest_stays() {
        let mut written = json!({"max_phase": 2, "quality_standards": {"minimum_test_coverage": 80, "below": "warn"},
            "business_context": {"industry_sector": "law", "of our own": {"deep": [1]}}, "project_constraints": null});
        let taken = taken(&mut written).expect("sound").expect("there");
        assert_eq!(written, json!({"max_phase": 2}));
        assert_eq!(
            taken.keys().collect::<Vec<_>>(),
            ["quality_standards", "business_context"]
        );
        assert_eq!(taken["business_context"]["of our own"], json!({"deep": [1]}));
        assert_eq!(super::taken(&mut json!({"max_phase": 2})), Ok(None));
        assert_eq!(super::taken(&mut json!(null)), Ok(None));
    }

    #[test]
    fn what_breaks_the_seed_s_schema_is_refused_in_words() {
        let refused = |written: Value| taken(&mut written.clone()).expect_err("refused");
        for (written, said) in [
            (
                json!({"quality_standards": {"minimum_test_coverage": 101}}),
                "`context.quality_standards.minimum_test_coverage`",
            ),
            (
                json!({"quality_standards": {"minimum_test_coverage": "80"}}),
                "`context.quality_standards.minimum_test_coverage`",
            ),
            (
                json!({"quality_standards": {"minimum_coverage": 80}}),
                "`context.quality_standards.minimum_coverage` is no standard",
            ),
            (
                json!({"quality_standards": {"below": "stop"}}),
                "is one of warn, ask, fail",
            ),
            (json!({"quality_standards": [80]}), "`context.quality_standards`"),
            (
                json!({"project_constraints": {"budget_level": "small"}}),
                "`context.project_constraints.budget_level`",
            ),
            (
                json!({"business_context": {"regulatory_requirements": "GDPR"}}),
                "`context.business_context.regulatory_requirements`",
            ),
        ] {
            let why = refused(written);
            assert!(why.contains(said), "{why}");
        }
    }

    #[test]
    fn what_may_follow_is_what_the_machine_knows() {
        let words = engine::Below::ALL.map(engine::Below::word);
        assert!(
            words.iter().all(|word| dialect::context::BELOW.contains(word)),
            "{words:?}"
        );
        assert_eq!(words.len(), dialect::context::BELOW.len());
    }
}
