//! Names, ids and folders of pipelines: everything that a path is made of (seed 004 "Sanitize name and generate unique
//! pipeline_id"; CONTRACTS "Pipelines").
//!
//! What these functions give consists of `[A-Za-z0-9_-]` alone, so that no path built from it leaves its folder, whatever
//! stood in the name: separators, `..`, NUL, line ends, marks of writing direction.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// What is said of a name that leaves nothing to make an id of (seed 004, verbatim).
pub const NO_NAME: &str = "Pipeline name is required and must contain at least one alphanumeric character";
/// What is said of an id of another shape (seed 004, verbatim).
pub const MALFORMED_ID: &str = "Invalid pipeline_id format";
/// Of a longer sanitised name an id takes the beginning: with date, time and ending the name of the file must stay well
/// under the 255 bytes that file systems allow, with room for the ending of a temporary file beside it.
pub const LONGEST_NAME: usize = 200;
/// Of a longer stage name its folder takes the beginning.
const LONGEST_FOLDER: usize = 100;

/// Why there is no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The name holds no letter and no digit that an id could hold.
    #[error("{NO_NAME}")]
    NoName,
    /// The text is no id.
    #[error("{MALFORMED_ID}")]
    Malformed,
}

/// A name as it stands in ids and paths: lower-cased as Unicode has it, every character outside `[a-z0-9_-]` a hyphen, runs
/// of hyphens one, none at the ends. `None` when no letter and no digit is left (`_` alone names nothing: the error's own
/// words). Never longer in bytes than the lower-cased name; idempotent.
pub fn sanitize(name: &str) -> Option<String> {
    let mut out = String::with_capacity(name.len().min(4096));
    for c in name.chars().flat_map(char::to_lowercase) {
        if matches!(c, 'a'..='z' | '0'..='9' | '_') {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    if out.ends_with('-') {
        out.pop();
    }
    out.bytes().any(|b| b.is_ascii_alphanumeric()).then_some(out)
}

/// Date and time of day on the clock of the person's wall, as an id writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// 0–9999.
    pub year: u16,
    /// 1–12.
    pub month: u8,
    /// 1–31.
    pub day: u8,
    /// 0–23.
    pub hour: u8,
    /// 0–59.
    pub minute: u8,
    /// 0–60.
    pub second: u8,
}

/// The id of a pipeline: `PIPE-{YYYYMMDD}-{name}-{HHmmss}`. A value of this type always has that shape, so that it may be
/// part of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PipelineId(String);

impl PipelineId {
    /// The id of a pipeline created under this name at this time. The name is sanitised; of one over [`LONGEST_NAME`]
    /// characters the beginning counts.
    ///
    /// # Errors
    /// [`IdError::NoName`] when nothing of the name is left.
    pub fn of(name: &str, at: LocalTime) -> Result<Self, IdError> {
        let mut name = sanitize(name).ok_or(IdError::NoName)?;
        // ASCII by now: every byte is a character.
        name.truncate(LONGEST_NAME);
        let name = name.trim_end_matches('-');
        let two = |n: u8| n.min(99);
        Ok(Self(format!(
            "PIPE-{:04}{:02}{:02}-{name}-{:02}{:02}{:02}",
            at.year.min(9999),
            two(at.month),
            two(at.day),
            two(at.hour),
            two(at.minute),
            two(at.second)
        )))
    }

    /// Reads an id: the whole text must match `PIPE-[0-9]{8}-[a-z0-9_-]+-[0-9]{6}`, with nothing before or behind it, no line
    /// end either. Whether date and time exist is not asked (CONTRACTS "Pipelines").
    ///
    /// # Errors
    /// [`IdError::Malformed`] for anything else.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
        let name = |part: &[u8]| {
            part.iter()
                .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
        };
        let fits = (text.as_bytes().strip_prefix(b"PIPE-"))
            // Eight digits, a hyphen, a name of at least one character, a hyphen, six digits.
            .filter(|rest| rest.len() >= 17)
            .is_some_and(|rest| {
                let (date, rest) = rest.split_at(8);
                let (middle, time) = rest.split_at(rest.len() - 6);
                let inner = middle.strip_prefix(b"-").and_then(|rest| rest.strip_suffix(b"-"));
                digits(date) && digits(time) && inner.is_some_and(|inner| !inner.is_empty() && name(inner))
            });
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError::Malformed)
        }
    }

    /// The id as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the pipeline's file, without its folder. An id that somebody else made may be longer than a file's
    /// name can be; no file of that name exists then.
    pub fn file_name(&self) -> String {
        format!("{}.yaml", self.0)
    }

    /// The id in the name of a pipeline's file; `None` for files that are named otherwise.
    pub fn of_file(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        Self::parse(name.strip_suffix(".yaml")?).ok()
    }

    /// The sanitised name in the middle.
    pub fn name(&self) -> &str {
        &self.0[14..self.0.len() - 7]
    }

    /// The day it was created, `YYYYMMDD`.
    pub fn date(&self) -> &str {
        &self.0[5..13]
    }

    /// The time of day it was created, `HHmmss`.
    pub fn time(&self) -> &str {
        &self.0[self.0.len() - 6..]
    }
}

impl FromStr for PipelineId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::parse(text)
    }
}

impl fmt::Display for PipelineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The folder of a stage's outputs: its sanitised name. Never empty and safe on every system: a name without a letter or a
/// digit of ASCII is `stage-` and a digest of the name; one that is a device on Windows (`nul`, `com1`) or could be taken for a
/// pipeline's id gets `stage-` before it; one over 100 characters is cut and ends with a digest. Two names may still
/// mean one folder (`Design`, `design`): the stages of one pipeline get theirs from [`stage_folders`].
pub fn stage_folder(name: &str) -> String {
    let Some(mut folder) = sanitize(name) else {
        return format!("stage-{}", digest(name));
    };
    if folder.len() > LONGEST_FOLDER {
        folder.truncate(LONGEST_FOLDER);
        let kept = folder.trim_end_matches('-').len();
        folder.truncate(kept);
        folder.push('-');
        folder.push_str(&digest(name));
    }
    let looks_like_id = |folder: &str| {
        let rest = folder.strip_prefix("pipe-");
        rest.is_some_and(|rest| PipelineId::parse(&format!("PIPE-{rest}")).is_ok())
    };
    if is_device(&folder) || looks_like_id(&folder) {
        folder.insert_str(0, "stage-");
    }
    folder
}

/// The folders of all stages of a pipeline, in their order; different names never share one. Of the names that mean one
/// folder the one that is written like it keeps it, else the first; the others get a digest of their name behind it, so that
/// their folder stays the same when stages come, go or move. Names that are the same have the same folder.
pub fn stage_folders<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let names: Vec<&str> = names.into_iter().collect();
    let plain: Vec<String> = names.iter().map(|name| stage_folder(name)).collect();
    let mut owner: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, folder) in names.iter().zip(&plain) {
        let owner = owner.entry(folder).or_insert(name);
        if name == folder {
            *owner = name;
        }
    }
    let taken: BTreeSet<&str> = owner.keys().copied().collect();
    let mut given: BTreeMap<&str, String> = BTreeMap::new();
    let mut used: BTreeSet<String> = BTreeSet::new();
    for (name, folder) in names.iter().zip(&plain) {
        if given.contains_key(name) {
            continue;
        }
        let mut own = folder.clone();
        if owner.get(folder.as_str()) != Some(name) {
            own = format!("{folder}-{}", digest(name));
            // Only names made for it come here; the loop ends because each round makes another text.
            while taken.contains(own.as_str()) || used.contains(&own) {
                own.push('x');
            }
            used.insert(own.clone());
        }
        given.insert(name, own);
    }
    names.iter().map(|name| given[name].clone()).collect()
}

/// Names of devices on Windows, with or without an ending, wherever they stand.
fn is_device(folder: &str) -> bool {
    let numbered = |word: &str| {
        folder
            .strip_prefix(word)
            .is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
    };
    matches!(folder, "con" | "prn" | "aux" | "nul" | "conin" | "conout") || numbered("com") || numbered("lpt")
}

/// Eight hexadecimal digits of FNV-1a over the name's bytes: the same on every machine and in every version, because folders
/// are named by it. Distinct enough for the few names that need it, and no secret.
fn digest(name: &str) -> String {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOON: LocalTime = LocalTime {
        year: 2026,
        month: 3,
        day: 9,
        hour: 12,
        minute: 4,
        second: 5,
    };

    #[test]
    fn names_become_what_ids_hold() {
        for (name, sanitized) in [
            ("Nightly Build", Some("nightly-build")),
            ("  one \t two\r\n", Some("one-two")),
            ("v2.0 (beta)", Some("v2-0-beta")),
            ("../../etc/passwd", Some("etc-passwd")),
            ("keep__both_-_kinds", Some("keep__both_-_kinds")),
            ("ÅNGSTRÖM K\u{212a}", Some("ngstr-m-kk")),
            ("a\0b\u{202e}c\u{200b}d", Some("a-b-c-d")),
            ("e\u{301}t", Some("e-t")),
            ("CON", Some("con")),
            ("", None),
            ("- -", None),
            ("_", None),
            ("日本", None),
            ("٣", None),
        ] {
            assert_eq!(sanitize(name).as_deref(), sanitized, "{name:?}");
        }
    }

    #[test]
    fn an_id_is_made_of_name_and_time() {
        let id = PipelineId::of("Nightly Build", NOON).expect("a name");
        assert_eq!(id.as_str(), "PIPE-20260309-nightly-build-120405");
        assert_eq!(id.file_name(), "PIPE-20260309-nightly-build-120405.yaml");
        assert_eq!(
            (id.name(), id.date(), id.time()),
            ("nightly-build", "20260309", "120405")
        );
        assert_eq!(
            PipelineId::of_file("a/b\\PIPE-20260309-nightly-build-120405.yaml"),
            Some(id)
        );
        assert_eq!(PipelineId::of_file("PIPE-20260309-nightly-build-120405.yml"), None);
        let no_name = PipelineId::of("…", NOON).expect_err("nothing is left");
        assert_eq!(no_name.to_string(), NO_NAME);
    }

    #[test]
    fn a_name_of_any_length_gives_a_name_of_a_file() {
        let long = PipelineId::of(&format!("{}-{}", "x".repeat(199), "y".repeat(4000)), NOON).expect("a name");
        assert_eq!(long.name(), "x".repeat(199));
        assert!(long.file_name().len() < 240);
        let strange = LocalTime {
            year: u16::MAX,
            month: u8::MAX,
            ..NOON
        };
        let id = PipelineId::of("x", strange).expect("a name");
        assert_eq!(id.as_str(), "PIPE-99999909-x-120405");
    }

    #[test]
    fn only_ids_are_read_as_ids() {
        for id in [
            "PIPE-00000000-0-000000",
            "PIPE-20260309-_-----999999",
            "PIPE-20260309-20260309-120405-120405",
        ] {
            assert_eq!(PipelineId::parse(id).map(|id| id.to_string()).as_deref(), Ok(id));
        }
        for text in [
            "",
            "PIPE",
            "PIPE-20260309--120405",
            "PIPE-20260309-120405",
            "PIPE-20260309-a-12040",
            "PIPE-20260309-a-120405\n",
            "PIPE-20260309-a-120405\0",
            "\nPIPE-20260309-a-120405",
            "PIPE-20260309-a\n-120405",
            "PIPE-20260309-../../x-120405",
            "PIPE-20260309-a/b-120405",
            "PIPE-20260309-é-120405",
            "PIPE-20260309-a\u{202e}-120405",
            "PIPE-2026030٩-a-120405",
            "Pipe-20260309-a-120405",
            "PIPE-20260309-a-120405 ",
            "PIPE_20260309-a-120405",
            "PIPE-20260309_a-120405",
            "PIPE-20260309-a_120405",
        ] {
            let refused = PipelineId::parse(text).expect_err(text);
            assert_eq!(refused.to_string(), MALFORMED_ID, "{text:?}");
        }
    }

    #[test]
    fn folders_are_safe_everywhere() {
        assert_eq!(stage_folder("Design Review"), "design-review");
        assert_eq!(stage_folder("test_impl"), "test_impl");
        for device in ["con", "NUL", "Com1", "lpt9", "aux."] {
            assert!(stage_folder(device).starts_with("stage-"), "{device}");
        }
        assert_eq!(stage_folder("console"), "console");
        assert_eq!(stage_folder("com10"), "com10");
        assert_eq!(stage_folder("PIPE-20260309-a-120405"), "stage-pipe-20260309-a-120405");
        let (one, other) = (stage_folder("設計"), stage_folder("実装"));
        assert!(
            one.starts_with("stage-") && other.starts_with("stage-") && one != other,
            "{one} {other}"
        );
        let long = |end: &str| stage_folder(&format!("{}{end}", "s".repeat(5000)));
        assert!(long("a").len() <= 109 && long("a") != long("b"));
    }

    #[test]
    fn stages_of_one_pipeline_never_share_a_folder() {
        let folders = stage_folders(["Design", "design", "DESIGN", "build", "design"]);
        assert_eq!(folders[1], "design");
        assert_eq!(folders[3], "build");
        assert_eq!(folders[4], "design");
        assert!(folders[0].starts_with("design-") && folders[2].starts_with("design-") && folders[0] != folders[2]);
        // A stage that is named like another one's way out.
        let trap = folders[0].clone();
        let caught = stage_folders(["Design", "design", trap.as_str()]);
        assert_eq!(caught[2], trap);
        assert_ne!(caught[0], trap);
        // Moved, they keep theirs.
        let moved = stage_folders(["DESIGN", "build", "Design", "design"]);
        assert_eq!((&moved[0], &moved[2]), (&folders[2], &folders[0]));
    }

    proptest! {
        #[test]
        fn whatever_the_name_the_rest_is_safe(name in ".*") {
            if let Some(sanitized) = sanitize(&name) {
                prop_assert_eq!(sanitize(&sanitized), Some(sanitized.clone()));
                prop_assert!(sanitized.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')));
                prop_assert!(!sanitized.contains("--") && !sanitized.starts_with('-') && !sanitized.ends_with('-'));
                let id = PipelineId::of(&name, NOON).expect("a name");
                prop_assert_eq!(PipelineId::parse(id.as_str()), Ok(id.clone()));
            } else {
                prop_assert_eq!(PipelineId::of(&name, NOON), Err(IdError::NoName));
            }
            let folder = stage_folder(&name);
            prop_assert!(!folder.is_empty() && folder.len() < 150);
            prop_assert!(folder.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')));
        }

        #[test]
        fn different_names_have_different_folders(names in prop::collection::vec("[aA_ -]{0,3}|设|com1|COM1", 0..12)) {
            let folders = stage_folders(names.iter().map(String::as_str));
            for (i, a) in names.iter().enumerate() {
                for (j, b) in names.iter().enumerate() {
                    prop_assert_eq!(a == b, folders[i] == folders[j], "{:?} {:?}", a, b);
                }
            }
        }
    }
}
