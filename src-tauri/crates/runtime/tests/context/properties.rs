//! What holds for any files.

use crate::Project;
use proptest::prelude::*;
use runtime::context::{Language, Settings, split, tokens};
use serde_json::{Value, json};

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[ \t]{0,6}[a-z]{1,6}",
        prop_oneof![
            Just("\n"),
            Just("\r\n"),
            Just("def f(a"),
            Just("class A:\n"),
            Just("    def g(self):\n"),
            Just("\"\"\""),
            Just("@x\n"),
            Just("\\\n"),
            Just("# h\n"),
            Just("export class A {\n"),
            Just("function f() {"),
            Just("}"),
            Just("`${"),
            Just("/*"),
            Just("*/"),
            Just("// x\n"),
            Just("/[/"),
            Just("'"),
            Just("\""),
            Just("## T\n"),
            Just("```\n"),
            Just("---\n"),
            Just("===\n"),
            Just("- "),
            Just("key: "),
            Just("a:\n"),
            Just("  b: |\n"),
            Just("{\"a\":"),
            Just("[1,"),
            Just("]"),
            Just(","),
            Just(":"),
            Just("\u{feff}"),
        ]
        .prop_map(str::to_owned),
        Just("word ".repeat(900)),
        Just("é".repeat(900)),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn languages() -> impl Strategy<Value = Language> {
    proptest::sample::select(Language::ALL.to_vec())
}

fn projects() -> impl Strategy<Value = Vec<(String, String)>> {
    let path = prop_oneof!["[a-zé' ]{1,8}/[a-z]{1,4}", "[a-z]{1,6}"];
    let ending = proptest::sample::select(vec!["py", "ts", "js", "json", "yaml", "md", "txt"]);
    let file = (path, ending, texts()).prop_map(|(path, ending, text)| (format!("{path}.{ending}"), text));
    proptest::collection::vec(file, 0..6)
}

fn made(files: &[(String, String)]) -> Project {
    let project = Project::with(&[]);
    for (path, text) in files {
        project.write(path, text);
    }
    project
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_cut_into_shards_that_stand_in_it(language in languages(), text in texts()) {
        let shards = split("a", language, &text);
        let lines = u32::try_from(text.lines().count().max(1)).expect("few");
        prop_assert_eq!(shards.is_empty(), text.trim_start_matches('\u{feff}').trim().is_empty());
        for shard in &shards {
            prop_assert!(shard.nano.len() <= 160 && shard.micro.len() <= 1_200 && shard.full.len() <= 12_000, "{shard:?}");
            prop_assert!(1 <= shard.first_line && shard.first_line <= shard.last_line && shard.last_line <= lines, "{shard:?} of {lines}");
            prop_assert!(!shard.name.is_empty() || language != Language::Python, "{shard:?}");
        }
        prop_assert_eq!(shards, split("a", language, &text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_project_is_searched_within_the_budgets_and_the_same_again(
        files in projects(),
        query in prop_oneof!["[a-z]{1,5}( [a-z]{1,5}){0,3}", any::<String>()],
        budgets in (0_usize..60, 0_usize..300, 0_usize..900),
        limit in 1_usize..20,
    ) {
        let mut project = made(&files);
        project.settings = Settings::read(&json!({"budgets": {"nano": budgets.0, "micro": budgets.1, "full": budgets.2}})).expect("settings");
        let inputs = json!({"telis_query": query, "telis_shard_limit": limit, "telis_min_score": 0});
        let payload = project.payload(inputs.clone());
        for phase in payload["phases"].as_array().expect("phases") {
            let shards = phase["shards"].as_array().expect("shards");
            let used: usize = shards.iter().filter_map(|s| s["text"].as_str()).map(tokens).sum();
            prop_assert!(used as u64 <= phase["budget"].as_u64().expect("a budget"), "{phase}");
            prop_assert!(shards.len() <= limit);
            let scores: Vec<f64> = shards.iter().filter_map(|s| s["score"].as_f64()).collect();
            prop_assert!(scores.windows(2).all(|w| w[0] >= w[1]) && scores.iter().all(|s| (0.0..=1.0).contains(s)), "{scores:?}");
        }
        prop_assert_eq!(project.payload(inputs.clone()).to_string(), payload.to_string());
        // Files that came and went leave no trace.
        project.write("gone.md", &format!("# {query}\n{}", "word ".repeat(50)));
        project.payload(inputs.clone());
        std::fs::remove_file(project.root().join("gone.md")).expect("removed");
        prop_assert_eq!(project.payload(inputs.clone()).to_string(), payload.to_string());
        prop_assert_eq!(made(&files).payload_with(&project, inputs).to_string(), payload.to_string());
    }

    #[test]
    fn any_inputs_are_answered_or_refused_in_words(
        key in proptest::sample::select(vec!["query", "language", "document_path", "document_text", "method", "line", "character", "shard_limit", "min_score", "max_phase", "phase_tiers", "other"]),
        value in prop_oneof![any::<String>().prop_map(Value::from), any::<i64>().prop_map(Value::from), Just(json!([])), Just(json!(["nano"])), Just(json!({"a": 1})), Just(json!(true))],
    ) {
        let project = made(&[("a.md".to_owned(), "# A\n".to_owned())]);
        let name = format!("telis_{key}");
        match project.ask(json!({name: value}), None) {
            Ok(resolved) => prop_assert!(resolved.is_some()),
            Err(why) => prop_assert!(why.len() > 10, "{why}"),
        }
    }
}

impl Project {
    /// What this project gives with the settings of another.
    fn payload_with(mut self, other: &Self, inputs: Value) -> Value {
        self.settings = other.settings.clone();
        self.payload(inputs)
    }
}
