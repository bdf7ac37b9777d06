//! Names as they are held against each other in whatever letters they are written.

/// A name in small letters, without what separates its words: `exit_code`, `exitCode`, `Exit-Code`. What a report says of the work and of the
/// project's standards is heard in any letters, and a setting that is written otherwise is known by it.
pub fn bare(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
