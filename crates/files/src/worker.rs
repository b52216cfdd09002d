//! The input and output of the process that reads one file: a line of JSON, then bytes.

use serde::{Deserialize, Serialize};

use crate::{FileError, FileHints, FileText, PageImage};

/// Largest line of JSON, in bytes.
pub const HEADER_BYTES_MAX: usize = 256 * 1024;
/// Largest output, in bytes: the text in UTF-8, and the images of pages for OCR.
pub const OUTPUT_BYTES_MAX: usize = 128 * 1024 * 1024;

/// The first line of the output.
#[derive(Debug, Default, Serialize, Deserialize)]
struct OutputHeader {
    error: Option<FileError>,
    is_paged: bool,
    is_truncated: bool,
    language: Option<String>,
    /// Bytes of each page.
    pages: Vec<usize>,
    /// Bytes of the hidden text.
    hidden: usize,
    images: Vec<ImageHeader>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ImageHeader {
    page: usize,
    bytes: usize,
}

/// Returns the input for a file: what is known about it, then its bytes.
#[must_use]
pub fn input(hints: &FileHints, bytes: &[u8]) -> Vec<u8> {
    let mut input = line(hints);
    input.extend_from_slice(bytes);
    input
}

/// Returns what is known about the file, and its bytes; `None` if the input isn't of this form.
#[must_use]
pub fn parse_input(input: &[u8]) -> Option<(FileHints, &[u8])> {
    split(input)
}

/// Returns the output for a result.
#[must_use]
pub fn output(result: Result<FileText, FileError>) -> Vec<u8> {
    let text = match result {
        Ok(text) => text,
        Err(error) => return line(&OutputHeader { error: Some(error), ..OutputHeader::default() }),
    };
    let header = OutputHeader {
        error: None,
        is_paged: text.is_paged,
        is_truncated: text.is_truncated,
        language: text.language,
        pages: text.pages.iter().map(String::len).collect(),
        hidden: text.hidden.len(),
        images: text.images.iter().map(|image| ImageHeader { page: image.page, bytes: image.bytes.len() }).collect(),
    };
    let mut output = line(&header);
    text.pages.iter().for_each(|page| output.extend_from_slice(page.as_bytes()));
    output.extend_from_slice(text.hidden.as_bytes());
    text.images.iter().for_each(|image| output.extend_from_slice(&image.bytes));
    output
}

/// Returns the result in an output; `None` if the output isn't of this form.
#[must_use]
pub fn parse_output(output: &[u8]) -> Option<Result<FileText, FileError>> {
    let (header, mut rest): (OutputHeader, _) = split(output)?;
    if let Some(error) = header.error {
        return Some(Err(error));
    }
    let mut take = |bytes: usize| {
        let (taken, left) = rest.split_at_checked(bytes)?;
        rest = left;
        Some(taken)
    };
    let mut text = FileText {
        is_paged: header.is_paged,
        is_truncated: header.is_truncated,
        language: header.language,
        ..FileText::default()
    };
    for bytes in header.pages {
        text.pages.push(std::str::from_utf8(take(bytes)?).ok()?.to_owned());
    }
    std::str::from_utf8(take(header.hidden)?).ok()?.clone_into(&mut text.hidden);
    for ImageHeader { page, bytes } in header.images {
        text.images.push(PageImage { page, bytes: take(bytes)?.to_owned() });
    }
    (rest.is_empty()).then_some(Ok(text))
}

fn line(header: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(header).unwrap_or_default();
    line.push(b'\n');
    line
}

fn split<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<(T, &'a [u8])> {
    let end = bytes.iter().take(HEADER_BYTES_MAX).position(|byte| *byte == b'\n')?;
    Some((serde_json::from_slice(&bytes[..end]).ok()?, &bytes[end + 1..]))
}
