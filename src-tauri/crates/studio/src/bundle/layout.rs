//! Whether a file is one ZIP archive and nothing else: its entries lie one behind the other from the first byte on, behind them the list of them, and
//! then it ends. What lies around or between them is shown by no program, or by another one in the place of what was checked.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use zip::ZipArchive;

/// As many files and so long a list of them are read.
const MOST_FILES: u64 = 200_000;
const LONGEST_LIST: u64 = 64 << 20;

/// The end of every archive, without a comment; before it, where the numbers are large, the place of a second one and that itself.
const END: usize = 22;
const PLACE: usize = 20;
const LARGE_END: usize = 56;
/// Of an entry of the list, before its name.
const LISTED: usize = 46;
/// So long at most is what follows the bytes of an entry that was written before its size was known.
const LONGEST_SIZES: usize = 24;
/// How far back an end is looked for that is not the end of the file: a comment can be as long.
const FAR: u64 = (1 << 16) + END as u64;

/// Why a file is no archive, or more than one.
const NO_ARCHIVE: &str = "it is no ZIP archive";
const CUT_OFF: &str =
    "the list of its files, with which a ZIP archive ends, is not there or not whole, as where an end was cut off";
const MORE: &str = "the file holds more than the bundle";

/// Opens an archive that is one and nothing else. In words: why it is none.
pub(super) fn open(file: &File) -> Result<ZipArchive<&File>, String> {
    let failed = |error: io::Error| error.to_string();
    let size = file.metadata().map_err(failed)?.len();
    let why_none = match begins(file) {
        true => CUT_OFF,
        false => NO_ARCHIVE,
    };
    let list = list(file, size, why_none)?;
    let mut archive = ZipArchive::new(file).map_err(|_| why_none.to_owned())?;
    if archive.offset() != 0 || archive.central_directory_start() != list.start {
        return Err(format!("{MORE}: a second list of its files"));
    }
    // Which of them counts every program decides for itself.
    if archive.has_duplicate_names() {
        return Err("it holds two files of one name".to_owned());
    }
    if archive.validate_header_consistency().is_err() {
        return Err("what stands beside its files is not what its list says of them".to_owned());
    }
    nothing_between(file, &mut archive, &list)?;
    Ok(archive)
}

/// Whether a file begins as an archive of files does, however it goes on.
pub(super) fn begins(file: &File) -> bool {
    bytes(file, 0).is_ok_and(|first: [u8; 4]| first == *b"PK\x03\x04")
}

/// Where the list of an archive's files lies, as its last bytes say. Nothing of it is read yet: it may be as long as anybody likes. `why_none`: what
/// is said where there is no list.
fn list(mut file: &File, size: u64, why_none: &str) -> Result<Range<u64>, String> {
    let no_archive = |_| why_none.to_owned();
    let at = size.checked_sub(END as u64).ok_or_else(|| why_none.to_owned())?;
    let end: [u8; END] = bytes(file, at).map_err(no_archive)?;
    if !end.starts_with(b"PK\x05\x06") || number(&end, 20, 2) != 0 {
        let mut last = Vec::new();
        file.seek(SeekFrom::Start(size.saturating_sub(FAR)))
            .and_then(|_| file.take(FAR).read_to_end(&mut last))
            .map_err(no_archive)?;
        return Err(match last.windows(4).any(|four| four == b"PK\x05\x06") {
            true => format!("{MORE}: bytes behind its end"),
            false => why_none.to_owned(),
        });
    }
    let (mut files, mut length, mut start) = (number(&end, 10, 2), number(&end, 12, 4), number(&end, 16, 4));
    let mut until = at;
    if files == 0xFFFF || length == 0xFFFF_FFFF || start == 0xFFFF_FFFF {
        let large = at.checked_sub((PLACE + LARGE_END) as u64);
        let large = large.ok_or_else(|| why_none.to_owned())?;
        let place: [u8; PLACE] = bytes(file, at - PLACE as u64).map_err(no_archive)?;
        let end: [u8; LARGE_END] = bytes(file, large).map_err(no_archive)?;
        let is_there = place.starts_with(b"PK\x06\x07") && number(&place, 8, 8) == large;
        if !is_there || !end.starts_with(b"PK\x06\x06") {
            return Err(why_none.to_owned());
        }
        (files, length, start) = (number(&end, 32, 8), number(&end, 40, 8), number(&end, 48, 8));
        until = large;
    }
    if files > MOST_FILES || length > LONGEST_LIST {
        return Err(format!(
            "it holds more than {MOST_FILES} files, or longer names than any bundle"
        ));
    }
    match start.checked_add(length) == Some(until) {
        true => Ok(start..until),
        false => Err(format!("{MORE}: bytes between its files and its end, or before them")),
    }
}

/// Refuses an archive with bytes before or between its files, between them and the list, or in the list.
fn nothing_between(file: &File, archive: &mut ZipArchive<&File>, list: &Range<u64>) -> Result<(), String> {
    let failed = |error: io::Error| error.to_string();
    let mut places = Vec::with_capacity(archive.len());
    let mut listed = list.start;
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(|error| error.to_string())?;
        let begins = entry.data_start().unwrap_or(u64::MAX);
        let ends = begins.saturating_add(entry.compressed_size());
        let sizes = Sizes {
            crc: entry.crc32(),
            packed: entry.compressed_size(),
            whole: entry.size(),
        };
        let has_sizes = entry.flags().is_using_data_descriptor();
        places.push((entry.header_start(), ends, has_sizes.then_some(sizes)));
        let at = entry.central_header_start();
        let head: [u8; LISTED] = bytes(file, at).map_err(failed)?;
        let mut name = vec![0; number(&head, 28, 2) as usize];
        let mut rest = file;
        rest.read_exact(&mut name).map_err(failed)?;
        // Beside its name a file can have another one, by which some programs know it and others do not: the same in letters of an older time.
        if in_any_letters(&name) != in_any_letters(entry.name_raw()) {
            return Err("it holds a file of two names".to_owned());
        }
        let length: u64 = [28, 30, 32].into_iter().map(|at| number(&head, at, 2)).sum();
        listed = listed.max(at + LISTED as u64 + length);
    }
    places.sort_unstable_by_key(|(begins, ends, _)| (*begins, *ends));
    let (mut at, mut sizes): (u64, Option<Sizes>) = (0, None);
    for (begins, ends, next) in places.into_iter().chain([(list.start, list.end, None)]) {
        let is_next = match begins.checked_sub(at).map(usize::try_from) {
            Some(Ok(0)) => true,
            Some(Ok(between)) if between <= LONGEST_SIZES => {
                let found: [u8; LONGEST_SIZES] = bytes(file, at).map_err(failed)?;
                sizes.is_some_and(|sizes| sizes.are(&found[..between]))
            }
            _ => false,
        };
        if !is_next {
            return Err(format!("{MORE}: bytes before or between its files"));
        }
        (at, sizes) = (ends, next);
    }
    // Behind the last of so many files that are said to be in it the list could go on.
    match listed == list.end {
        true => Ok(()),
        false => Err(format!("{MORE}: bytes in the list of its files")),
    }
}

/// A name without its letters outside of ASCII, of which an older program has others: each row of them is one.
fn in_any_letters(name: &[u8]) -> Vec<u8> {
    let mut plain: Vec<u8> = name
        .iter()
        .map(|byte| if byte.is_ascii() { *byte } else { 0x80 })
        .collect();
    plain.dedup_by(|next, before| *next == 0x80 && *before == 0x80);
    plain
}

/// What the list says of an entry, and what can stand once more behind its bytes.
#[derive(Clone, Copy)]
struct Sizes {
    crc: u32,
    packed: u64,
    whole: u64,
}

impl Sizes {
    /// Whether some bytes say that and nothing else: with a mark before it or without, each size in four bytes or in eight.
    fn are(self, found: &[u8]) -> bool {
        let said = match found.len() {
            12 | 20 => found,
            16 | 24 => match found.strip_prefix(b"PK\x07\x08") {
                Some(said) => said,
                None => return false,
            },
            _ => return false,
        };
        let width = (said.len() - 4) / 2;
        number(said, 0, 4) == u64::from(self.crc)
            && number(said, 4, width) == self.packed
            && number(said, 4 + width, width) == self.whole
    }
}

/// So many bytes of a file.
fn bytes<const N: usize>(mut file: &File, at: u64) -> io::Result<[u8; N]> {
    let mut read = [0; N];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut read)?;
    Ok(read)
}

/// A number in some bytes, the lowest of its own first.
fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    let own = bytes[at..at + length].iter().rev();
    own.fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::in_any_letters;

    #[test]
    fn a_second_name_is_the_same_in_other_letters() {
        let is_same = |second: &[u8], name: &str| in_any_letters(second) == in_any_letters(name.as_bytes());
        assert!(is_same(b"a/report.html", "a/report.html"));
        // In the letters of an old computer.
        assert!(is_same(b"a/\x9Aberblick.md", "a/Überblick.md"));
        for second in [&b"a/report.html"[..], b"a/\x9Aother.html", b"a/b/\x9Areport.html"] {
            assert!(!is_same(second, "a/Üreport.html"), "{second:?}");
        }
    }
}
