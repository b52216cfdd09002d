//! What a file is: by its first bytes, and by its name and media type. The lists that everything has that reads files.

/// A format that its first bytes show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFormat {
    /// PDF.
    Pdf,
    /// An archive (ZIP), which is also the container of newer office documents and of books.
    Zip,
    /// A compound file ([MS-CFB]): the container of older office documents, of encrypted ones, and of mail of Outlook.
    Compound,
    /// Rich Text Format.
    Rtf,
    /// An image.
    Image(ImageFormat),
}

/// A format of images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// TIFF.
    Tiff,
    /// WebP.
    WebP,
    /// BMP.
    Bmp,
}

/// What a file should be by its name or, if that has no known ending, by its media type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatedType {
    /// Text without markup, Markdown, and program text.
    Text,
    /// A table with a delimiter.
    Table,
    /// HTML.
    Html,
    /// Rich Text Format.
    Rtf,
    /// A mail (RFC 5322).
    Mail,
    /// A calendar (RFC 5545).
    Calendar,
    /// A format of [`FileFormat`] that isn't text.
    Binary,
}

/// The first bytes of formats.
const FIRST_BYTES: [(&[u8], FileFormat); 12] = [
    (b"%PDF-", FileFormat::Pdf),
    // The first entry, the end of an empty archive, and the first part of a divided one.
    (b"PK\x03\x04", FileFormat::Zip),
    (b"PK\x05\x06", FileFormat::Zip),
    (b"PK\x07\x08", FileFormat::Zip),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileFormat::Compound),
    (b"{\\rtf", FileFormat::Rtf),
    (b"\x89PNG\r\n\x1a\n", FileFormat::Image(ImageFormat::Png)),
    (b"\xff\xd8\xff", FileFormat::Image(ImageFormat::Jpeg)),
    (b"GIF87a", FileFormat::Image(ImageFormat::Gif)),
    (b"GIF89a", FileFormat::Image(ImageFormat::Gif)),
    (b"II*\0", FileFormat::Image(ImageFormat::Tiff)),
    (b"MM\0*", FileFormat::Image(ImageFormat::Tiff)),
];

/// Bytes in which the header of a PDF begins, if something stands before it.
const PDF_HEADER_BYTES_MAX: usize = 1_024;
/// Sizes of the second header of a BMP.
const BMP_HEADER_BYTES: [u32; 7] = [12, 40, 52, 56, 64, 108, 124];

/// Endings of names, and media types or their beginnings, of each type. The first line that fits counts.
const STATED: [(StatedType, &[&str], &[&str]); 7] = [
    (
        StatedType::Binary,
        &[
            "pdf", "docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx", "xltm", "pptx", "pptm", "ppsx", "potx",
            "odt", "ods", "odp", "ott", "ots", "otp", "epub", "msg", "png", "jpg", "jpeg", "gif", "tif", "tiff",
            "webp", "bmp",
        ],
        &[
            "application/pdf",
            "application/vnd.openxmlformats-officedocument.",
            "application/vnd.oasis.opendocument.",
            "application/epub",
            "application/vnd.ms-outlook",
            "image/png",
            "image/jpeg",
            "image/gif",
            "image/tiff",
            "image/webp",
            "image/bmp",
        ],
    ),
    (StatedType::Rtf, &["rtf"], &["application/rtf", "text/rtf"]),
    (StatedType::Mail, &["eml"], &["message/rfc822"]),
    (StatedType::Calendar, &["ics"], &["text/calendar"]),
    (StatedType::Html, &["html", "htm", "xhtml"], &["text/html", "application/xhtml"]),
    (StatedType::Table, &["csv", "tsv"], &["text/csv", "text/tab-separated-values"]),
    (StatedType::Text, &["txt", "text", "md", "markdown", "rst", "adoc", "log"], &["text/"]),
];

impl FileFormat {
    /// Returns the format that the bytes of a file show; `None` for text, and for formats that aren't read. The bytes may be
    /// damaged.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if let Some((_, format)) = FIRST_BYTES.iter().find(|(first, _)| bytes.starts_with(first)) {
            return Some(*format);
        }
        if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return Some(Self::Image(ImageFormat::WebP));
        }
        if is_bmp(bytes) {
            return Some(Self::Image(ImageFormat::Bmp));
        }
        is_pdf_behind_something(bytes).then_some(Self::Pdf)
    }
}

/// Two letters are too few to tell an image from a text.
fn is_bmp(bytes: &[u8]) -> bool {
    let header = bytes.get(14..18).and_then(|size| size.try_into().ok()).map(u32::from_le_bytes);
    bytes.starts_with(b"BM")
        && bytes.get(6..10) == Some(&[0; 4])
        && header.is_some_and(|bytes| BMP_HEADER_BYTES.contains(&bytes))
}

/// Returns whether a PDF begins behind other bytes. A text that only speaks of PDF has no objects.
fn is_pdf_behind_something(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(PDF_HEADER_BYTES_MAX)];
    let Some(start) = head.windows(5).position(|window| window == b"%PDF-") else { return false };
    bytes[start..]
        .windows(7)
        .any(|window| window.strip_prefix(b" 0 obj").is_some_and(|next| b"\n\r <".contains(&next[0])))
}

impl StatedType {
    /// Returns what a file should be; `None` if neither name nor media type is known.
    #[must_use]
    pub fn of(filename: Option<&str>, content_type: &str) -> Option<Self> {
        let ending = filename.and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending.to_ascii_lowercase());
        let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let by_ending =
            STATED.iter().find(|(_, endings, _)| ending.as_deref().is_some_and(|one| endings.contains(&one)));
        let by_type = || STATED.iter().find(|(_, _, types)| types.iter().any(|one| essence.starts_with(one)));
        by_ending.or_else(by_type).map(|(stated, _, _)| *stated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_counts_before_the_media_type() {
        let table = [
            (Some("a.md"), "", Some(StatedType::Text)),
            (Some("a.HTML"), "text/plain", Some(StatedType::Html)),
            (Some("a.pdf"), "text/plain", Some(StatedType::Binary)),
            (Some("notes"), "text/markdown; charset=utf-8", Some(StatedType::Text)),
            (Some("page"), "Text/HTML", Some(StatedType::Html)),
            (Some("a.unknown"), "text/csv", Some(StatedType::Table)),
            (None, "image/png", Some(StatedType::Binary)),
            (None, "application/vnd.oasis.opendocument.text", Some(StatedType::Binary)),
            (Some("invite.ics"), "application/octet-stream", Some(StatedType::Calendar)),
            (Some("a.tar.gz"), "application/gzip", None),
            (Some("pdf"), "", None),
            (None, "", None),
        ];
        for (name, content_type, expected) in table {
            assert_eq!(StatedType::of(name, content_type), expected, "{name:?} {content_type}");
        }
    }

    #[test]
    fn words_are_no_first_bytes() {
        for text in [
            "BMW makes cars, and this is a text.",
            "P4\nis a heading",
            "The file begins with %PDF-1.7 and ends with %%EOF.",
            "II. Chapter",
            "PKWARE made the format.",
            "RIFF raff",
            "",
        ] {
            assert_eq!(FileFormat::of(text.as_bytes()), None, "{text}");
        }
        for (first, format) in FIRST_BYTES {
            assert_eq!(FileFormat::of(first), Some(format));
            assert_eq!(FileFormat::of(&first[..first.len() - 1]), None);
        }
        assert_eq!(FileFormat::of(b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\n1 0 obj\n<<>>"), Some(FileFormat::Pdf));
        let mut bmp = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
        assert_eq!(FileFormat::of(&bmp), Some(FileFormat::Image(ImageFormat::Bmp)));
        bmp[14] = 39;
        assert_eq!(FileFormat::of(&bmp), None);
    }
}
