//! Paths as they are written: into parts, and which names no tool may touch. Text alone; nothing here looks at the disk.

use super::Refusal;
use permission::{Kind, Need, Policy, Uses};
use std::path::Path;

/// The folder that is Gatehouse's own.
const OWN: &str = ".gatehouse";
/// The folder (or file) that is Git's own: hooks in it are programs, its configuration may hold credentials.
const GITS: &str = ".git";
/// What decides on what tools may do; people write it.
const CONFIGURATION: [&str; 2] = ["gatehouse.yaml", "gatehouse.yml"];

/// Characters that some disks leave out of a name (HFS+), as Git refuses them.
fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// A name as disks see it that tell fewer names apart than this one: without letter case, without what follows `:`, without dots and
/// blanks at the end, without characters that show nothing.
pub(super) fn folded(name: &str) -> String {
    let stream = match name.find(':') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    };
    let visible = stream.chars().filter(|c| !is_ignored(*c));
    // Down first: a capital ẞ is its own capital, and the small one becomes SS.
    let folded: String = visible
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    // `.` and `..` have no other name.
    match folded.trim_end_matches(['.', ' ']) {
        "" => folded,
        trimmed => trimmed.to_owned(),
    }
}

/// The short names under which some disks (FAT, NTFS) also find what begins with `.git`, `.gatehouse` and `.env`.
fn is_short_name(folded: &str) -> bool {
    let numbered = |stem: &str| {
        let rest = folded.strip_prefix(stem).and_then(|r| r.strip_prefix('~'));
        rest.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
    };
    ["git", "gateho", "env"].into_iter().any(numbered)
}

/// The parts of a path, from the project's folder. An absolute path is taken when it lies, as it is written, in one of `roots` (the project's folder
/// by each of its names); `.` and empty parts
/// are left out, and there may be none left: the project's folder itself.
///
/// # Errors
/// It is empty, leads out, goes up on its way, or holds what no path holds.
pub(super) fn parts(written: &str, roots: &[&Path]) -> Result<Vec<String>, Refusal> {
    if written.trim().is_empty() {
        return Err(Refusal::NoPath);
    }
    if written.contains(['\0', '\\']) {
        return Err(Refusal::Unusable(written.to_owned()));
    }
    let outside = || Refusal::Outside(written.to_owned());
    let inside = match Path::new(written).is_absolute() {
        true => {
            let inside = |root: &&Path| Path::new(written).strip_prefix(root).ok()?.to_str();
            roots.iter().find_map(inside).ok_or_else(outside)?
        }
        false => written,
    };
    let bytes = inside.as_bytes();
    // `C:`, whatever follows; and `~/` is a home folder to whoever wrote it.
    let drive = bytes.get(1) == Some(&b':') && bytes[0].is_ascii_alphabetic();
    if drive || inside == "~" || inside.starts_with("~/") {
        return Err(outside());
    }
    let mut parts = Vec::new();
    let mut goes_up = false;
    for part in inside.split('/') {
        match part {
            "" | "." => {}
            // Some disks take `.. ` for it.
            part if folded(part).trim_end() == ".." => {
                drop(parts.pop().ok_or_else(outside)?);
                goes_up = true;
            }
            part => parts.push(part.to_owned()),
        }
    }
    match goes_up {
        true => Err(Refusal::Upwards(written.to_owned())),
        false => Ok(parts),
    }
}

/// Why nobody may touch what lies at these parts, whatever the permissions say. `own`: the folder below `.gatehouse` that may be used.
pub(super) fn reserved(parts: &[String], own: Option<&str>, writes: bool) -> Option<Refusal> {
    let refusal = || Refusal::Reserved(parts.join("/"));
    let mut rest = parts;
    if let Some(own) = own {
        let own: Vec<&str> = own.split('/').filter(|p| !p.is_empty()).collect();
        let is_below = parts.len() >= own.len() && own.iter().zip(parts).all(|(a, b)| a == b);
        if is_below && !own.is_empty() {
            rest = &parts[own.len()..];
        }
    }
    for part in rest {
        let name = folded(part);
        if name == OWN || name == GITS || is_short_name(&name) {
            return Some(refusal());
        }
    }
    match parts {
        [only] if writes && CONFIGURATION.contains(&folded(only).as_str()) => {
            Some(Refusal::Configuration(only.clone()))
        }
        _ => None,
    }
}

/// Which of these paths the permissions refuse, and by what: under the name it has, and under those that other disks take for the same.
/// What a rule would only ask for goes: a call is asked about as a whole, by its risk.
pub(super) fn denied(policy: &Policy, kind: Kind, paths: &[&[String]]) -> Vec<Option<String>> {
    let need = |path: String| Need::known(kind, &path);
    let pairs: Vec<[Need; 2]> = paths
        .iter()
        .map(|parts| {
            let other: Vec<String> = parts.iter().map(|part| folded(part)).collect();
            [need(parts.join("/")), need(other.join("/"))]
        })
        .collect();
    let uses = Uses {
        needs: pairs.iter().flatten().cloned().collect(),
    };
    let denied = policy.judge(&uses, &[]).denied;
    pairs
        .iter()
        .map(|pair| {
            let hit = denied.iter().find(|d| pair.contains(&d.need));
            hit.map(|d| d.by.clone())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn roots() -> [&'static Path; 2] {
        [Path::new("/home/ann/shop"), Path::new("/mnt/shop")]
    }

    fn read(written: &str) -> Option<String> {
        parts(written, &roots()).ok().map(|parts| parts.join("/"))
    }

    #[test]
    fn paths_inside_are_taken_in_every_way_of_writing() {
        for (written, inside) in [
            ("docs/a.md", "docs/a.md"),
            ("./docs//a.md", "docs/a.md"),
            ("docs/./a.md/", "docs/a.md"),
            (".", ""),
            ("/home/ann/shop/docs/a.md", "docs/a.md"),
            ("/home/ann/shop", ""),
            ("/mnt/shop/a", "a"),
            ("...", "..."),
            ("a..b/..c", "a..b/..c"),
            ("~notes", "~notes"),
        ] {
            assert_eq!(read(written).as_deref(), Some(inside), "{written}");
        }
    }

    #[test]
    fn paths_that_lead_out_are_not() {
        for written in [
            "",
            "  ",
            "..",
            "../a",
            "a/../../b",
            "a/..",
            "a/.. /b",
            "/etc/passwd",
            "/",
            "//etc/passwd",
            "/home/ann/shopping/a",
            "/home/ann/shop/../x",
            "/home/ann",
            "~",
            "~/a",
            "C:/a",
            "c:a",
            "..\\a",
            "a\\..\\..\\b",
            "a\0b",
            "..\u{200c}/a",
            ".\u{200c}./a",
            "..:x/a",
        ] {
            assert_eq!(read(written), None, "{written:?}");
        }
    }

    #[test]
    fn what_goes_up_and_stays_inside_is_not_said_to_lead_out() {
        for written in ["docs/../docs/x", "docs/..", "/home/ann/shop/docs/../x", "a/.. /b"] {
            assert!(
                matches!(parts(written, &roots()), Err(Refusal::Upwards(_))),
                "{written}"
            );
        }
        for written in ["docs/../../x", "../shop/x", "/home/ann/shop/../x"] {
            assert!(
                matches!(parts(written, &roots()), Err(Refusal::Outside(_))),
                "{written}"
            );
        }
    }

    fn is_reserved(path: &str, own: Option<&str>, writes: bool) -> bool {
        let parts: Vec<String> = path.split('/').map(str::to_owned).collect();
        reserved(&parts, own, writes).is_some()
    }

    #[test]
    fn reserved_names_are_known_in_every_disguise() {
        for path in [
            ".git",
            ".git/config",
            ".Git/config",
            ".GIT/hooks/pre-commit",
            "vendor/lib/.git/config",
            ".gatehouse/gatehouse.db",
            ".GateHouse/runs",
            ".git./config",
            ".git /config",
            ".git::$INDEX_ALLOCATION/config",
            ".g\u{200c}it/config",
            "git~1/config",
            "GIT~2",
            "gateho~1/x",
            ".gatehou\u{17f}e/x",
            "\u{feff}.git",
            "env~1",
        ] {
            assert!(is_reserved(path, None, false), "{path:?}");
            assert!(is_reserved(path, None, true), "{path:?}");
        }
        for path in [
            ".gitignore",
            ".github/x.yml",
            "git/config",
            "gatehouse/x",
            ".gatehousekeeping",
            "environment",
        ] {
            assert!(!is_reserved(path, None, true), "{path}");
        }
    }

    #[test]
    fn the_run_s_own_folder_is_open_and_nothing_beside_it() {
        let own = Some(".gatehouse/runs/r1");
        for path in [".gatehouse/runs/r1", ".gatehouse/runs/r1/notes.md"] {
            assert!(!is_reserved(path, own, true), "{path}");
        }
        for path in [
            ".gatehouse/runs/r10/notes.md",
            ".gatehouse/runs",
            ".gatehouse/gatehouse.db",
            ".Gatehouse/runs/r1/notes.md",
            ".gatehouse/runs/r1/.git/config",
        ] {
            assert!(is_reserved(path, own, true), "{path}");
        }
        assert!(is_reserved(".gatehouse/x", Some(""), true));
    }

    #[test]
    fn the_rules_are_read_and_not_written() {
        for path in ["gatehouse.yaml", "Gatehouse.YAML", "gatehouse.yml", "gatehouse.yaml."] {
            assert!(!is_reserved(path, None, false), "{path}");
            assert!(is_reserved(path, None, true), "{path}");
        }
        assert!(
            !is_reserved("samples/gatehouse.yaml", None, true),
            "only the project's own"
        );
    }

    fn is_denied(policy: &Policy, kind: Kind, path: &str) -> bool {
        let parts: Vec<String> = path.split('/').map(str::to_owned).collect();
        denied(policy, kind, &[&parts])[0].is_some()
    }

    #[test]
    fn secrets_and_denied_files_are_known_in_every_disguise() {
        let mut policy = Policy::default();
        policy.write.deny.push("ledger/**".to_owned());
        for path in [
            ".env",
            ".ENV",
            "a/.Env.local",
            ".env.",
            ".env ",
            ".env::$DATA",
            ".e\u{200c}nv",
            "keys/id_rsa",
            "it's/.env",
        ] {
            assert!(is_denied(&policy, Kind::Read, path), "{path:?}");
            assert!(is_denied(&policy, Kind::Write, path), "{path:?}");
        }
        for path in ["ledger/2026.csv", "LEDGER/2026.csv", "ledger./2026.csv"] {
            assert!(is_denied(&policy, Kind::Write, path), "{path:?}");
            assert!(!is_denied(&policy, Kind::Read, path), "{path:?}");
        }
        for path in ["docs/a.md", ".env.example", "it's.md", "a $HOME b.md", "[x]*.md"] {
            assert!(!is_denied(&policy, Kind::Write, path), "{path:?}");
        }
    }

    #[test]
    fn with_the_mode_deny_only_what_is_allowed_goes() {
        let mut policy = Policy {
            mode: permission::Mode::Deny,
            ..Policy::default()
        };
        policy.read.allow.push("docs/**".to_owned());
        assert!(!is_denied(&policy, Kind::Read, "docs/a.md"));
        assert!(is_denied(&policy, Kind::Read, "src/a.rs"));
        assert!(is_denied(&policy, Kind::Write, "docs/a.md"));
    }

    proptest! {
        #[test]
        fn no_path_leads_out(written in "[a.~:/\\\\ \u{200c}\0C]{0,24}") {
            if let Ok(parts) = parts(&written, &roots()) {
                for part in &parts {
                    prop_assert!(!part.is_empty() && !part.contains(['/', '\\', '\0']) && part != "." && part != "..", "{part:?}");
                    prop_assert!(folded(part) != "..", "{:?}", part);
                }
            }
        }

        #[test]
        fn any_disguise_of_a_reserved_name_is_seen(
            cases in prop::collection::vec(any::<bool>(), 10),
            tail in "[. ]{0,3}|:[a-z$]{0,6}",
            at in 0usize..10,
            hidden in prop::sample::select(vec!["", "\u{200c}", "\u{202e}", "\u{feff}"]),
            name in prop::sample::select(vec![".git", ".gatehouse"]),
        ) {
            let mut disguised: String = name.chars().zip(cases.iter().cycle())
                .map(|(c, upper)| if *upper { c.to_ascii_uppercase() } else { c }).collect();
            disguised.insert_str(at.min(name.len()), hidden);
            disguised.push_str(&tail);
            prop_assert!(is_reserved(&format!("a/{disguised}/b"), None, false), "{disguised:?}");
        }

        #[test]
        fn folding_twice_changes_nothing(name in prop_oneof![any::<String>(), "[ẞßİıſK]{1,4}"]) {
            prop_assert_eq!(folded(&folded(&name)), folded(&name));
        }
    }
}
