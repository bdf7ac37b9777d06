//! Secrets: keys by the form their makers gave them, values under the name of a secret, and long text that looks like chance.

use crate::patterns::{BuiltIn, Look};
use crate::plain::Plain;
use std::ops::Range;
use std::sync::OnceLock;

macro_rules! key {
    ($name:literal, $pattern:literal) => {
        BuiltIn {
            name: $name,
            pattern: concat!(r"(?-u:\b)(?:", $pattern, r")(?-u:\b)"),
            look: whole,
            numbers: false,
            regex: OnceLock::new(),
        }
    };
}

/// The rule for values under the key of a secret.
pub(crate) const NAMED: &str = "named_value";

/// In the order in which they are believed: where two fit the same place, the first counts.
pub(crate) static SECRETS: [BuiltIn; 17] = [
    BuiltIn {
        name: "private_key",
        pattern: "-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
        look: whole,
        numbers: false,
        regex: OnceLock::new(),
    },
    key!(
        "aws_access_key",
        "(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AIPA|ANPA|ANVA|AROA)[A-Z0-9]{16}"
    ),
    key!(
        "github_token",
        "gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{22,255}"
    ),
    key!("gitlab_token", "glpat-[A-Za-z0-9_-]{20,64}"),
    key!("slack_token", "xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
    key!("google_api_key", "AIza[0-9A-Za-z_-]{35}"),
    key!("stripe_key", "[rs]k_(?:live|test)_[0-9A-Za-z]{16,250}"),
    key!("llm_api_key", "sk-(?:proj-|ant-|or-|svcacct-)?[A-Za-z0-9_-]{20,250}"),
    key!("npm_token", "npm_[A-Za-z0-9]{36}"),
    key!("pypi_token", "pypi-[A-Za-z0-9_-]{50,250}"),
    key!("hugging_face_token", "hf_[A-Za-z0-9]{30,64}"),
    key!("sendgrid_key", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    key!("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    BuiltIn {
        name: "slack_webhook",
        pattern: "https://hooks\\.slack\\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,250}",
        look: whole,
        numbers: false,
        regex: OnceLock::new(),
    },
    BuiltIn {
        name: "url_password",
        pattern: r#"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@"'<>]{0,64}:[^\s/@"'<>]{1,128}@"#,
        look: password_of_url,
        numbers: false,
        regex: OnceLock::new(),
    },
    BuiltIn {
        name: "assigned_secret",
        pattern: r#"(?i)(?:tokens?|secrets?|passwords?|passwd|passphrase|api[_-]?keys?|(?:access|private|secret|signing|encryption)[_-]?keys?|credentials?)["']?[ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8}["']?[^\s"'`,;<>(){}\[\]$]{6,96}"#,
        look: assigned,
        numbers: false,
        regex: OnceLock::new(),
    },
    BuiltIn {
        name: "high_entropy",
        pattern: "[A-Za-z0-9+/_-]{32,}={0,2}",
        look: chance,
        numbers: false,
        regex: OnceLock::new(),
    },
];

fn whole(_: &str, place: Range<usize>) -> Look {
    Look::Counts(place)
}

fn password_of_url(text: &str, place: Range<usize>) -> Look {
    let rest = text[place.clone()].split_once("://").map_or("", |(_, rest)| rest);
    let password = rest.split_once(':').map_or("", |(_, password)| password);
    Look::when(!stands_for_another(password.trim_end_matches('@')), place)
}

/// `GITHUB_TOKEN=…`, `"api_key": "…"`: the whole name belongs to it. A value without a digit counts only in the form of an environment
/// file (a name in capitals, then `=`): elsewhere it is a word of prose or a name in a program.
fn assigned(text: &str, place: Range<usize>) -> Look {
    let head = text[..place.start].char_indices().rev();
    let name = head
        .take(64)
        .take_while(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let start = name.last().map_or(place.start, |(at, _)| at);
    let whole = &text[start..place.end];
    let (name, rest) = whole.split_at(whole.find(['=', ':']).unwrap_or(0));
    let value = rest.trim_start_matches([':', '=', '>', ' ', '\t', '"', '\'']);
    let of_environment = rest.starts_with('=') && !name.chars().any(|c| c.is_ascii_lowercase());
    let counts = value.chars().count() >= 6 && !stands_for_another(value) && (of_environment || is_mixed(value));
    Look::when(counts, start..place.end)
}

/// Whether a value under this key of a payload is a secret: the key says so, and the value is one word that mixes letters and digits.
pub(crate) fn is_named(key: &str, value: &str) -> bool {
    const ENDINGS: [&str; 10] = [
        "token",
        "secret",
        "password",
        "passwd",
        "passphrase",
        "apikey",
        "accesskey",
        "privatekey",
        "secretkey",
        "credential",
    ];
    if value.len() > 512 || value.chars().count() < 8 || value.contains(char::is_whitespace) {
        return false;
    }
    let key: String = Plain::small(key).text.chars().filter(|c| c.is_alphanumeric()).collect();
    let key = key.strip_suffix('s').unwrap_or(&key);
    ENDINGS.iter().any(|ending| key.ends_with(ending)) && is_mixed(value) && !stands_for_another(value)
}

fn is_mixed(value: &str) -> bool {
    value.chars().any(|c| c.is_ascii_digit()) && value.chars().any(char::is_alphabetic)
}

/// Whether a value only stands for a secret: `$TOKEN`, `<token>`, `****`, `changeme`, `your-key-here`.
fn stands_for_another(value: &str) -> bool {
    const WORDS: [&str; 9] = [
        "changeme",
        "change-me",
        "placeholder",
        "your-",
        "your_",
        "redacted",
        "xxxx",
        "dummy",
        "example",
    ];
    let first = value.chars().next();
    let small = value.to_lowercase();
    first.is_none_or(|f| matches!(f, '$' | '{' | '<' | '%' | '*' | '•') || value.chars().all(|c| c == f))
        || WORDS.iter().any(|word| small.contains(word))
}

/// Whether text looks like chance: letters of both cases and at least three digits, and nearly as many different characters as chance would
/// give. Digests in hexadecimal do not (they are no secrets and stand everywhere), nor do paths and names in programs. What is longer than
/// 512 characters is content, no key; what follows `sha256-` and the like is a digest.
fn chance(text: &str, place: Range<usize>) -> Look {
    const LEAST_BITS: f64 = 4.5;
    let bytes = &text.as_bytes()[place.clone()];
    let count = |is: fn(&u8) -> bool| bytes.iter().filter(|b| is(b)).count();
    let is_digest = ["sha1-", "sha256-", "sha384-", "sha512-"]
        .iter()
        .any(|d| text[place.clone()].starts_with(d));
    if bytes.len() > 512 || is_digest || count(u8::is_ascii_digit) < 3 {
        return Look::NotInside;
    }
    if count(u8::is_ascii_lowercase) == 0 || count(u8::is_ascii_uppercase) == 0 || bits(bytes) < LEAST_BITS {
        return Look::NotInside;
    }
    Look::Counts(place)
}

/// Shannon's entropy, in bits a byte.
fn bits(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 512 bytes")]
    let length = bytes.len() as f64;
    let share = |count: u32| f64::from(count) / length;
    -counts
        .iter()
        .filter(|c| **c > 0)
        .map(|c| share(*c) * share(*c).log2())
        .sum::<f64>()
}

/// What may be seen of a secret: the name it stands under, or its first characters where those are its maker's.
pub(crate) fn shown(rule: &str, found: &str) -> String {
    match rule {
        "private_key" => found.to_owned(),
        "assigned_secret" => {
            let at = found.find(['=', ':']).unwrap_or(0);
            format!("{}=•••", found[..at].trim_end_matches(['"', '\'', ' ', '\t']))
        }
        "url_password" => format!("{}://•••", found.split_once("://").map_or("", |(scheme, _)| scheme)),
        NAMED => "•••".to_owned(),
        _ if found.chars().count() < 16 => "•••".to_owned(),
        _ => format!("{}•••", found.chars().take(4).collect::<String>()),
    }
}
