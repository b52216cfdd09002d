//! Images, which only OCR can read.

use crate::{FileError, FileText, PageImage, limits::IMAGE_PIXELS_MAX};

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    if dimensions(bytes).is_some_and(|(width, height)| width.saturating_mul(height) > IMAGE_PIXELS_MAX) {
        return Err(FileError::too_large("The image has too many pixels."));
    }
    let images = vec![PageImage { page: 0, bytes: bytes.to_vec() }];
    Ok(FileText { pages: vec![String::new()], is_paged: true, images, ..FileText::default() })
}

/// Returns width and height, if the header states them. OCR has limits of its own for other images.
fn dimensions(bytes: &[u8]) -> Option<(u64, u64)> {
    let big = |at: usize| Some(u64::from(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?)));
    let little = |at: usize| Some(u64::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    if bytes.starts_with(b"\x89PNG") {
        return Some((big(16)?, big(20)?));
    }
    if bytes.starts_with(b"GIF8") {
        return Some((little(6)?, little(8)?));
    }
    if bytes.starts_with(b"BM") {
        let at =
            |at: usize| Some(u64::from(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?).unsigned_abs()));
        return Some((at(18)?, at(22)?));
    }
    bytes.starts_with(b"\xff\xd8").then(|| jpeg(bytes)).flatten()
}

/// Returns the size in the frame header of a JPEG.
fn jpeg(bytes: &[u8]) -> Option<(u64, u64)> {
    let mut at = 2;
    loop {
        let segment = bytes.get(at..at + 9)?;
        if segment[0] != 0xff {
            return None;
        }
        let is_frame = matches!(segment[1], 0xc0..=0xcf) && !matches!(segment[1], 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            let number = |high: u8, low: u8| u64::from(u16::from_be_bytes([high, low]));
            return Some((number(segment[7], segment[8]), number(segment[5], segment[6])));
        }
        at += 2 + usize::from(u16::from_be_bytes([segment[2], segment[3]])).max(2);
    }
}
