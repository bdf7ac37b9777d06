//! Where receipts and transcripts stand (seed 001 "Receipt Schema", "Transcript Format").

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Longest name of a step, an agent or an engine inside a file name, bytes: three of them and the suffixes stay below the
/// 255 that file systems allow.
const LONGEST: usize = 64;

/// Where the folders of runs lie, relative to the project.
pub const RUNS: &str = ".gatehouse/runs/";

/// The folder of a run, relative to the project, with `/`.
pub fn run_folder(run: &str) -> String {
    format!("{RUNS}{}", component(run))
}

/// `<flow>/receipts/<step>-<agent>.json`, relative to the run's directory.
pub fn receipt(flow: &str, step: &str, agent: &str) -> String {
    format!("{}/receipts/{}.json", component(flow), stem(step, agent))
}

/// `<flow>/llm/<step>-<agent>-<engine>.jsonl`; `engine` is the short name (`claude`, not `claude-step`).
pub fn transcript(flow: &str, step: &str, agent: &str, engine: &str) -> String {
    format!(
        "{}/llm/{}-{}.jsonl",
        component(flow),
        stem(step, agent),
        component(engine)
    )
}

/// `<step>-<agent>` as a file name without its extension.
pub(crate) fn stem(step: &str, agent: &str) -> String {
    format!("{}-{}", component(step), component(agent))
}

/// A name as one component of a path. Letters and digits of any script, `-`, `_` and inner dots stay; everything else is
/// written as `%XX` per byte, so that two names never meet and no name leaves its folder. A name that is too long is cut
/// and ends in `~` and the beginning of its SHA-256.
pub fn component(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (i, c) in name.char_indices() {
        let rest = &name[i + c.len_utf8()..];
        let plain = match c {
            '-' | '_' => true,
            // Neither hidden, nor `..`, nor trailing.
            '.' => !out.is_empty() && !rest.is_empty() && !rest.starts_with('.'),
            c => c.is_alphanumeric(),
        };
        if plain {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                // Writing to a String cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    if out.is_empty() {
        return "%".to_owned();
    }
    if out.len() > LONGEST {
        let digest = hex::encode(&Sha256::digest(name.as_bytes())[..6]);
        let keep = LONGEST - 1 - digest.len();
        let end = (0..=keep).rev().find(|i| out.is_char_boundary(*i)).unwrap_or(0);
        out = format!("{}~{digest}", &out[..end]);
    }
    out
}

/// A relative path with `/` that stays inside its folder: not empty, not absolute (on any system), without `..`, NUL or
/// backslash.
pub fn is_inside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    !path.is_empty()
        && !path.starts_with('/')
        && !drive
        && !path.contains(['\0', '\\'])
        && path
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != "..")
}
