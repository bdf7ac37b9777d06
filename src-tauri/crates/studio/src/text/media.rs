//! What a page draws itself, PDF documents and pictures: told by how a file begins, never by its name; and whether all of it is there.

use std::ffi::OsStr;
use std::path::Path;

/// Larger ones are named, not drawn, in bytes.
pub const LARGEST: u64 = 32 << 20;

/// What such a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// PDF document.
    Pdf,
    /// Picture.
    Png,
    /// Picture.
    Jpeg,
    /// Picture, which may move.
    Gif,
    /// Picture, which may move.
    Webp,
}

impl Media {
    /// As a browser calls it.
    pub fn name(self) -> &'static str {
        match self {
            Media::Pdf => "application/pdf",
            Media::Png => "image/png",
            Media::Jpeg => "image/jpeg",
            Media::Gif => "image/gif",
            Media::Webp => "image/webp",
        }
    }

    /// Whether the end of a picture is missing: browsers draw what is there of it, and say nothing. Of a GIF file that is not looked for, and a PDF
    /// document without its end says so when it is opened.
    pub fn is_cut_off(self, bytes: &[u8]) -> bool {
        match self {
            Media::Png => !png_ends(bytes),
            Media::Jpeg => !jpeg_ends(bytes),
            Media::Webp => !webp_ends(bytes),
            Media::Pdf | Media::Gif => false,
        }
    }

    /// What is said of such a file that is called otherwise, in a sentence: what is drawn of it may be another thing than a program reads that goes
    /// by its name.
    pub fn misnamed(self, path: &str) -> Option<String> {
        let (what, endings): (&str, &[&str]) = match self {
            Media::Pdf => ("a PDF document", &["pdf"]),
            Media::Png => ("a picture (PNG)", &["png", "apng"]),
            Media::Jpeg => ("a picture (JPEG)", &["jpg", "jpeg", "jpe", "jfif"]),
            Media::Gif => ("a picture (GIF)", &["gif"]),
            Media::Webp => ("a picture (WebP)", &["webp"]),
        };
        let ending = Path::new(path).extension().and_then(OsStr::to_str).unwrap_or_default();
        let is_called_so = endings.iter().any(|one| one.eq_ignore_ascii_case(ending));
        (!is_called_so).then(|| {
            format!("This file begins as {what} and is drawn as one, but is not called one: a program that goes by its name may read something else.")
        })
    }
}

/// What some bytes are by how they begin; `None`: nothing that a page draws.
pub fn of(bytes: &[u8]) -> Option<Media> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Media::Png),
        [0xff, 0xd8, 0xff, ..] => Some(Media::Jpeg),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Media::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Media::Webp),
        _ => pdf_begins(bytes).map(|_| Media::Pdf),
    }
}

/// How a PDF document begins, and how far from the start of a file programs look for that, in bytes.
const PDF: &[u8] = b"%PDF-";
const LOOKED_FOR_IN: usize = 1024;

/// Where a PDF document begins in a file. Text may stand before it, which programs pass over: then it must have what each document ends with, as a
/// text may speak of PDF.
pub fn pdf_begins(bytes: &[u8]) -> Option<usize> {
    let at = place(bytes.get(..LOOKED_FOR_IN).unwrap_or(bytes), PDF)?;
    // An archive may hold one, too.
    let is_text = bytes.get(..at).is_some_and(|before| !before.contains(&0));
    let is_document = at == 0 || (is_text && place(bytes, b"startxref").is_some() && place(bytes, b"%%EOF").is_some());
    is_document.then_some(at)
}

/// Where some bytes stand first among others.
fn place(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|some| some == wanted)
}

/// Whether the end of a PNG file is there: pieces, each with its length, its name, what it holds and a checksum, up to the last one.
fn png_ends(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(8..).unwrap_or_default();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((piece, next)) = length.checked_add(8).and_then(|end| after.split_at_checked(end)) else {
            return false;
        };
        if piece.starts_with(b"IEND") {
            return true;
        }
        rest = next;
    }
    false
}

/// Whether the end of a JPEG file is there, its own and not that of a small picture inside it.
fn jpeg_ends(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let Some(at) = rest.iter().position(|byte| *byte == 0xff) {
        let from = rest.get(at + 1..).unwrap_or_default();
        let Some((marker, after)) = from.split_first() else {
            return false;
        };
        rest = match *marker {
            0xd9 => return true,
            // In the picture itself: a byte of it, and what parts it.
            0x00 | 0x01 | 0xd0..=0xd8 => after,
            // It may stand several times before a marker.
            0xff => from,
            // A piece with its length, in which anything may stand.
            _ => {
                let length = after.first_chunk::<2>().map(|length| u16::from_be_bytes(*length));
                let next = length.and_then(|length| after.get(usize::from(length)..));
                next.unwrap_or_default()
            }
        };
    }
    false
}

/// Whether as much is there of a WebP file as it says.
fn webp_ends(bytes: &[u8]) -> bool {
    let said = bytes.get(4..).and_then(|after| after.first_chunk::<4>());
    said.is_some_and(|said| u64::from(u32::from_le_bytes(*said)) + 8 <= bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_it_begins_with() {
        let cases: [(&[u8], Option<Media>); 9] = [
            (b"%PDF-1.7\n", Some(Media::Pdf)),
            (b"\x89PNG\r\n\x1a\n\0\0", Some(Media::Png)),
            (b"\xff\xd8\xff\xe0", Some(Media::Jpeg)),
            (b"GIF87a", Some(Media::Gif)),
            (b"GIF89a", Some(Media::Gif)),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Some(Media::Webp)),
            (b"RIFF\x10\0\0\0WAVEfmt ", None),
            (b"<svg/>", None),
            (b"", None),
        ];
        for (bytes, media) in cases {
            assert_eq!(of(bytes), media, "{bytes:?}");
        }
        assert_eq!(Media::Pdf.misnamed("out/Plan.PDF"), None);
        assert_eq!(Media::Jpeg.misnamed("a.b/c.jpeg"), None);
        for path in ["plan.md", "pdf", "a.pdf/deploy", "a.pdf.sh"] {
            assert!(
                Media::Pdf.misnamed(path).is_some_and(|said| said.contains("PDF")),
                "{path}"
            );
        }
        assert_eq!(of(b"\x89PNG\n\x1a\n"), None, "a transfer as text has changed it");
    }

    #[test]
    fn a_document_may_begin_behind_some_text() {
        let document = |before: &str| format!("{before}%PDF-1.4\nstartxref\n9\n%%EOF\n").into_bytes();
        assert_eq!(pdf_begins(&document("")), Some(0));
        assert_eq!(pdf_begins(&document("Pay nothing.\n")), Some(13));
        assert_eq!(of(&document("Pay nothing.\n")), Some(Media::Pdf));
        assert_eq!(of(&document("\0")), None, "an archive");
        assert_eq!(of(&document(&"x".repeat(1020))), None, "programs look no further");
        assert_eq!(of(b"A PDF document begins with %PDF-1.4"), None, "a text");
    }

    #[test]
    fn a_picture_without_its_end_is_cut_off() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x01IDAT!1234\0\0\0\0IEND1234".as_slice();
        // A small picture with an end of its own inside, then a byte 0xff of the picture.
        let jpeg = b"\xff\xd8\xff\xe1\0\x04\xff\xd9\xff\xda\0\x02a\xff\0b\xff\xd9".as_slice();
        let webp = b"RIFF\x06\0\0\0WEBPVP".as_slice();
        for (media, whole) in [(Media::Png, png), (Media::Jpeg, jpeg), (Media::Webp, webp)] {
            assert_eq!(of(whole), Some(media));
            assert!(!media.is_cut_off(whole), "{media:?}");
            for end in 0..whole.len() {
                assert!(media.is_cut_off(&whole[..end]), "{media:?} up to {end}");
            }
            let followed = [whole, b"more"].concat();
            assert!(!media.is_cut_off(&followed), "what follows takes nothing away");
        }
    }
}
