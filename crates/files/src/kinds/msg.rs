//! Mail of Outlook ([MS-OXMSG]): properties in a compound file.

use std::io::{Cursor, Read};

use cfb::CompoundFile;
use posthouse_mail::html;

use super::{
    mail::{attachment, field},
    text::write_lines,
};
use crate::{FileError, FileHints, FileText, limits::STREAM_BYTES_MAX, output::TextWriter};

/// Attachments that are read.
const ATTACHMENTS_MAX: usize = 50;

type Compound<'a> = CompoundFile<Cursor<&'a [u8]>>;

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let mut file = CompoundFile::open(Cursor::new(bytes))
        .map_err(|_| FileError::parse("The file is not a valid mail of Outlook."))?;
    let mut out = TextWriter::default();
    let address = text(&mut file, "", "5D01").or_else(|| text(&mut file, "", "0C1F"));
    let from = [text(&mut file, "", "0C1A"), address.map(|address| format!("<{address}>"))];
    let from: Vec<String> = from.into_iter().flatten().collect();
    let fields = [
        ("from", Some(from.join(" ")).filter(|from| !from.is_empty())),
        ("to", text(&mut file, "", "0E04")),
        ("cc", text(&mut file, "", "0E03")),
        ("subject", text(&mut file, "", "0037")),
    ];
    for (name, value) in fields {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            field(&mut out, name, value.trim_end_matches('\0'));
        }
    }
    out.end_paragraph();
    let body = text(&mut file, "", "1000").filter(|body| !body.trim().is_empty());
    let body = body.or_else(|| {
        let source = stream(&mut file, "/__substg1.0_10130102")?;
        Some(html::to_text(&String::from_utf8_lossy(&source)))
    });
    write_lines(&mut out, body.as_deref().unwrap_or_default());
    let folders: Vec<String> = file
        .read_root_storage()
        .filter(|entry| entry.is_storage() && entry.name().starts_with("__attach_version1.0_"))
        .take(ATTACHMENTS_MAX)
        .map(|entry| format!("/{}", entry.name()))
        .collect();
    for folder in folders {
        let name = text(&mut file, &folder, "3707").or_else(|| text(&mut file, &folder, "3704"));
        let content_type = text(&mut file, &folder, "370E").unwrap_or_default().to_ascii_lowercase();
        if let Some(bytes) = stream(&mut file, &format!("{folder}/__substg1.0_37010102")) {
            let hints = FileHints { filename: name, content_type, rasterizes: false };
            attachment(&mut out, &hints, &bytes, 0);
        }
        if out.is_full() {
            break;
        }
    }
    Ok(out.finish())
}

/// Returns a string property, in Unicode or in the code page of the sender.
fn text(file: &mut Compound<'_>, folder: &str, property: &str) -> Option<String> {
    if let Some(bytes) = stream(file, &format!("{folder}/__substg1.0_{property}001F")) {
        return Some(encoding_rs::UTF_16LE.decode_without_bom_handling(&bytes).0.into_owned());
    }
    let bytes = stream(file, &format!("{folder}/__substg1.0_{property}001E"))?;
    Some(encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes).0.into_owned())
}

fn stream(file: &mut Compound<'_>, path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.open_stream(path).ok()?.take(STREAM_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
