//! What a page draws itself, PDF documents and pictures: told by how a file begins, never by its name.

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
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(Media::Pdf),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Media::Png),
        [0xff, 0xd8, 0xff, ..] => Some(Media::Jpeg),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Media::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Media::Webp),
        _ => None,
    }
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
}
