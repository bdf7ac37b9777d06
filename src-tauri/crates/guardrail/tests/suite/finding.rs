//! What the built-in rules find and what they pass over.

use super::{found, inputs, rules};
use serde_json::json;

#[test]
fn secrets_are_known_by_their_form() {
    let a = |n| {
        "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8"
            .chars()
            .cycle()
            .take(n)
            .collect::<String>()
    };
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    for (rule, text) in [
        ("aws_access_key", "AKIAIOSFODNN7ABCDEFG".to_owned()),
        ("github_token", format!("ghp_{}", a(36))),
        ("github_token", format!("use github_pat_{} now", a(40))),
        ("gitlab_token", format!("glpat-{}", a(20))),
        ("slack_token", "xoxb-123456789012-abcdefABCDEF".to_owned()),
        ("google_api_key", format!("AIza{}", a(35))),
        ("stripe_key", format!("sk_live_{}", a(24))),
        ("llm_api_key", format!("key is sk-proj-{}", a(40))),
        ("npm_token", format!("npm_{}", a(36))),
        ("jwt", jwt.to_owned()),
        ("url_password", "postgres://app:hunter2@db.example.org/x".to_owned()),
        ("assigned_secret", "export GITHUB_TOKEN=hunterhunter".to_owned()),
        ("assigned_secret", "api_key: 'q1w2e3r4t5'".to_owned()),
        ("assigned_secret", r#"{"client_secret": "q1w2e3r4t5"}"#.to_owned()),
        (
            "private_key",
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----".to_owned(),
        ),
        ("private_key", "-----BEGIN OPENSSH PRIVATE KEY-----".to_owned()),
        (
            "high_entropy",
            "value 7Gq2ZtXw9LmB4vRk8YpD1sHc6NfJ3uEaTq5o end".to_owned(),
        ),
    ] {
        assert_eq!(found(&text), [format!("secret {rule}")], "{text}");
    }
}

#[test]
fn the_key_of_a_value_may_say_that_it_is_a_secret() {
    let report = inputs(
        &json!({"deploy": {"apiKey": "q1w2e3r4t5", "token": "optional", "port": "12345678a"}}),
        &rules("enabled: true"),
    );
    let said: Vec<(&str, &str)> = report
        .violations
        .iter()
        .map(|v| (v.rule.as_str(), v.source.as_str()))
        .collect();
    assert_eq!(said, [("named_value", "deploy.apiKey")]);
}

#[test]
fn what_only_looks_like_it_passes() {
    for text in [
        // Not personal.
        "version 1.2.3, build 20240115, 2024-01-15T10:00:00Z, at 1712345678",
        "git@github.com:gatehouse/gatehouse.git",
        "550e8400-e29b-41d4-a716-446655440000",
        "666-12-3456 and 000-12-3456 and 123-00-4567",
        "4242 4242 4242 4241",
        "order 0004242424242424242",
        "DE88 3704 0044 0532 0130 00",
        "DE88-3704-0044-0532-0130-00",
        // The check digits of each are right, and it is no number of an account or a card: words, parts of a UUID, a table.
        "no95-fix-the-bug-up",
        "be531234-5678-9012-8456-123456789012",
        "12345678-ad52-4000-8000-123456789012",
        "4000 4100\n4200 4302",
        "sums 4000\n4100\n4200\n4302",
        "@scope/package@latest and user@localhost",
        "0.5551234567 and 12-555-123-4567-9",
        // Not secret.
        "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        "sha512-MN58mNfyRd8sBnvFsDQAcCPXTqYIvEgPLZ3kA5tPZzOX9OcCvGz5ObDfs4wkS5hrAgYzzbmkdmeJcB9XnHg9Yw==",
        "src/features/canvas/FarDrawing2.test.ts and /home/someone/projects/gatehouse/ui/src/App.svelte",
        "password: required, token: something_else",
        "GITHUB_TOKEN=$GITHUB_TOKEN and API_KEY=<your-key-here> and SECRET=********",
        "let token = read_token(path); password = config.password",
        "tokens: 12 of 4000",
        "https://example.org:8080/path",
        "risk-management-and-everything-else-that-belongs-to-it",
        // Words inside other words.
        "skillful, a bombastic rapeseed killjoy",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn numbers_are_found_however_they_are_broken() {
    for (rule, text) in [
        ("iban", "DE89 3704 0044\n    0532 0130 00"),
        ("iban", "DE89 3704 0044 \r\n\t0532 0130 00"),
        ("iban", "DE89\t3704\t0044\t0532\t0130\t00"),
        ("iban", "pay DE89-3704-0044-0532-0130-00 today"),
        ("iban", "pay DE89.3704.0044.0532.0130.00. Today"),
        ("iban", "pay DE89-3704-0044-\n  0532-0130-00 today"),
        ("iban", "GB82\u{2011}WEST\u{2011}1234\u{2011}5698\u{2011}7654\u{2011}32"),
        ("credit_card", "paid with 4242 4242\n    4242 4242."),
        ("credit_card", "card: 4242-4242-\n4242-4242"),
    ] {
        assert_eq!(found(text), [format!("pii {rule}")], "{text:?}");
    }
}

#[test]
fn what_is_found_is_shown_cut() {
    let shown = |text: &str| {
        let report = inputs(&json!({"x": text}), &rules("enabled: true"));
        report.violations.iter().map(|v| v.shown.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown("ann@example.org"), ["a•••@example.org"]);
    assert_eq!(shown("212-555-0187"), ["•••87"]);
    assert_eq!(shown("AKIAIOSFODNN7ABCDEFG"), ["AKIA•••"]);
    assert_eq!(shown("MY_PASSWORD=hunterhunter"), ["MY_PASSWORD=•••"]);
    assert_eq!(shown("amqp://me:hunter2@example.org/"), ["amqp://•••"]);
    assert_eq!(shown("we kill it"), ["kill"]);
}

#[test]
fn a_report_that_is_kept_holds_no_secret() {
    let report = inputs(
        &json!({"x": "MY_PASSWORD=hunterhunter 4242424242424242 ann@example.org"}),
        &rules("enabled: true"),
    );
    assert_eq!(report.violations.len(), 3);
    for kept in [serde_json::to_string(&report).expect("JSON"), format!("{report:?}")] {
        for secret in ["hunter", "424242", "ann@"] {
            assert!(!kept.contains(secret), "{kept}");
        }
    }
}
