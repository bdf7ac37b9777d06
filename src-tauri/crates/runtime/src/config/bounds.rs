//! `limits` and `enforcement`: what the kernel is to hold for a step's programs.

use serde::Deserialize;
use serde::de::{self, Deserializer};
use std::num::NonZeroU64;

/// With less no shell starts.
const LEAST_MEMORY: u64 = 16 << 20;
const UNITS: [(&str, u32); 4] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, expecting = "a block such as `memory: 2GiB`")]
pub(super) struct Raw {
    memory: Option<Memory>,
    processes: Option<NonZeroU64>,
    file: Option<Bytes>,
}

/// Whether a project runs where reading alone keeps a part.
#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Enforcement {
    /// It does, and that is said.
    WherePossible,
    /// It does not.
    Required,
}

impl From<Raw> for process::Limits {
    fn from(raw: Raw) -> Self {
        let usual = Self::default();
        Self {
            memory: raw.memory.map_or(usual.memory, |memory| memory.0),
            processes: raw.processes.map_or(usual.processes, NonZeroU64::get),
            file: raw.file.map_or(usual.file, |bytes| bytes.0),
        }
    }
}

/// A number of bytes: `1048576`, `512MiB`, `2 GiB`.
struct Bytes(u64);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Text(String),
        }
        let wrong = |written: &str| {
            de::Error::custom(format!(
                "`{written}` is no size: write 512MiB, 2GiB or a number of bytes"
            ))
        };
        match Written::deserialize(reader) {
            Ok(Written::Number(bytes)) => Ok(Self(bytes)),
            Ok(Written::Text(text)) => {
                let sized = UNITS.iter().find_map(|(unit, bits)| {
                    let number: u64 = text.trim().strip_suffix(unit)?.trim().parse().ok()?;
                    number.checked_mul(1 << bits)
                });
                sized.map(Self).ok_or_else(|| wrong(&text))
            }
            Err(_) => Err(wrong("it")),
        }
    }
}

/// A size of memory in which programs can start.
struct Memory(u64);

impl<'de> Deserialize<'de> for Memory {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        match Bytes::deserialize(reader)? {
            Bytes(bytes) if bytes < LEAST_MEMORY => Err(de::Error::custom(
                "`memory` is less than 16 MiB, with which no program starts",
            )),
            Bytes(bytes) => Ok(Self(bytes)),
        }
    }
}
