//! Mail of Outlook ([MS-OXMSG]): properties in a compound file, and mail inside of mail.

mod compressed;

use std::io::{Cursor, Read};

use cfb::CompoundFile;
use encoding_rs::Encoding;
use posthouse_mail::{
    html::{self, HtmlText},
    parse,
};

use super::{
    mail::{attachment, field},
    rtf::{self, code_page},
    text::write_lines,
    xlsx::civil_time,
};
use crate::{
    FileError, FileHints, FileText,
    limits::{MAIL_DEPTH_MAX, STREAM_BYTES_MAX},
    output::TextWriter,
};

/// Attachments that are read.
const ATTACHMENTS_MAX: usize = 50;
/// Bytes before the properties of a message, and of one inside of another.
const ROOT_HEADER_BYTES: usize = 32;
const INNER_HEADER_BYTES: usize = 24;
/// Bytes of a property.
const PROPERTY_BYTES: usize = 16;
/// From 1601-01-01, from which Windows counts, to 1970-01-01, in seconds.
const SECONDS_TO_1970: i64 = 11_644_473_600;
const TICKS_PER_SECOND: u64 = 10_000_000;

/// Tags of properties: the id, then the type.
const CODE_PAGE: u32 = 0x3ffd_0003;
const HTML_CODE_PAGE: u32 = 0x3fde_0003;
const SUBMITTED_AT: u32 = 0x0039_0040;
const DELIVERED_AT: u32 = 0x0e06_0040;

type Compound<'a> = CompoundFile<Cursor<&'a [u8]>>;

pub(crate) fn read(bytes: &[u8], depth: usize) -> Result<FileText, FileError> {
    let mut file = CompoundFile::open(Cursor::new(bytes))
        .map_err(|_| FileError::parse("The file is not a valid mail of Outlook."))?;
    let mut out = TextWriter::default();
    write_message(&mut file, "", &mut out, depth);
    Ok(out.finish())
}

/// Writes the message in a storage.
fn write_message(file: &mut Compound<'_>, base: &str, out: &mut TextWriter, depth: usize) {
    let storage = MessageStorage::open(file, base);
    let address = storage.text(file, "5D01").or_else(|| storage.text(file, "0C1F"));
    let from = [storage.text(file, "0C1A"), address.map(|address| format!("<{address}>"))];
    let from: Vec<String> = from.into_iter().flatten().collect();
    let fields = [
        ("from", Some(from.join(" "))),
        ("to", storage.text(file, "0E04")),
        ("cc", storage.text(file, "0E03")),
        ("date", storage.sent_at.map(|seconds| format!("{} UTC", civil_time(seconds)))),
        ("subject", storage.text(file, "0037")),
    ];
    for (name, value) in fields {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            field(out, name, value.trim_end_matches('\0'));
        }
    }
    out.end_paragraph();
    let body = storage.body(file).unwrap_or_default();
    write_lines(out, &body.visible);
    out.hide(&body.hidden);
    let folders = folders(file, base);
    if folders.len() > ATTACHMENTS_MAX {
        out.leave_out();
    }
    for folder in folders.into_iter().take(ATTACHMENTS_MAX) {
        write_attachment(file, &storage, &folder, out, depth);
        if out.is_full() {
            break;
        }
    }
}

/// Returns the storages of the attachments of a message, up to one more than are read.
fn folders(file: &Compound<'_>, base: &str) -> Vec<String> {
    let Ok(entries) = file.read_storage(if base.is_empty() { "/" } else { base }) else { return Vec::new() };
    entries
        .filter(|entry| entry.is_storage() && entry.name().starts_with("__attach_version1.0_"))
        .take(ATTACHMENTS_MAX + 1)
        .map(|entry| format!("{base}/{}", entry.name()))
        .collect()
}

fn write_attachment(
    file: &mut Compound<'_>,
    message: &MessageStorage,
    folder: &str,
    out: &mut TextWriter,
    depth: usize,
) {
    let inside = MessageStorage { base: folder.to_owned(), ..message.clone() };
    let name = ["3707", "3704", "3001"].into_iter().find_map(|property| inside.text(file, property));
    let inner = format!("{folder}/__substg1.0_3701000D");
    if file.is_storage(&inner) {
        out.end_paragraph();
        field(out, "attachment", name.as_deref().unwrap_or("message"));
        if depth < MAIL_DEPTH_MAX {
            write_message(file, &inner, out, depth + 1);
        } else {
            out.leave_out();
        }
        return;
    }
    let content_type = inside.text(file, "370E").unwrap_or_default().to_ascii_lowercase();
    if let Some(bytes) = stream(file, &format!("{folder}/__substg1.0_37010102")) {
        if depth < MAIL_DEPTH_MAX {
            let hints = FileHints { filename: name, content_type, ..FileHints::default() };
            attachment(out, &hints, &bytes, depth);
        } else {
            out.leave_out();
        }
    }
}

/// A storage with the properties of a message or an attachment.
#[derive(Clone)]
struct MessageStorage {
    base: String,
    /// The encoding of strings that aren't Unicode.
    encoding: &'static Encoding,
    /// The encoding of the HTML.
    html_encoding: Option<&'static Encoding>,
    /// Seconds since 1970.
    sent_at: Option<i64>,
}

impl MessageStorage {
    fn open(file: &mut Compound<'_>, base: &str) -> Self {
        let bytes = stream(file, &format!("{base}/__properties_version1.0")).unwrap_or_default();
        let header = if base.is_empty() { ROOT_HEADER_BYTES } else { INNER_HEADER_BYTES };
        let properties = bytes.get(header..).unwrap_or_default().as_chunks::<PROPERTY_BYTES>().0;
        let value = |wanted: u32| {
            let number = |part: &[u8]| part.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
            let found = properties.iter().find(|property| number(&property[..4]) == u64::from(wanted))?;
            Some(number(&found[8..]))
        };
        let encoding = |tag| value(tag).map(|page| code_page((page & 0xffff_ffff) as i64));
        let sent_at = value(SUBMITTED_AT)
            .or_else(|| value(DELIVERED_AT))
            .map(|ticks| i64::try_from(ticks / TICKS_PER_SECOND).unwrap_or_default().saturating_sub(SECONDS_TO_1970));
        let html_encoding = encoding(HTML_CODE_PAGE);
        Self {
            base: base.to_owned(),
            encoding: encoding(CODE_PAGE).or(html_encoding).unwrap_or(encoding_rs::WINDOWS_1252),
            html_encoding,
            sent_at,
        }
    }

    /// Returns a string property, in Unicode or in the code page of the sender.
    fn text(&self, file: &mut Compound<'_>, property: &str) -> Option<String> {
        let base = &self.base;
        if let Some(bytes) = stream(file, &format!("{base}/__substg1.0_{property}001F")) {
            return Some(encoding_rs::UTF_16LE.decode_without_bom_handling(&bytes).0.into_owned());
        }
        let bytes = stream(file, &format!("{base}/__substg1.0_{property}001E"))?;
        Some(self.encoding.decode_without_bom_handling(&bytes).0.into_owned())
    }

    /// Returns the body as plain text, or what its HTML or its RTF shows.
    fn body(&self, file: &mut Compound<'_>) -> Option<HtmlText> {
        let plain = |visible| HtmlText { visible, hidden: String::new() };
        let has_words = |text: &String| !text.trim().is_empty();
        if let Some(text) = self.text(file, "1000").filter(has_words) {
            return Some(plain(text));
        }
        if let Some(source) = stream(file, &format!("{}/__substg1.0_10130102", self.base)) {
            let stated = self.html_encoding.map(|encoding| encoding.decode(&source).0);
            let source = stated.or_else(|| parse::html_of_file(&source)).unwrap_or_default();
            return Some(html::extract(&source));
        }
        if let Some(source) = self.text(file, "1013").filter(has_words) {
            return Some(html::extract(&source));
        }
        let packed = stream(file, &format!("{}/__substg1.0_10090102", self.base))?;
        let text = rtf::read(&compressed::unpack(&packed)?).ok()?;
        Some(HtmlText { visible: text.pages.join("\n"), hidden: text.hidden })
    }
}

fn stream(file: &mut Compound<'_>, path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.open_stream(path).ok()?.take(STREAM_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
