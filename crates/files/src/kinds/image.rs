//! Images, which only OCR can read.

use posthouse_mail::file_type::{FileFormat, ImageFormat};

use crate::{FileError, FileText, PageImage, limits::IMAGE_PIXELS_MAX};

/// Entries of a directory of a TIFF that are looked at.
const TIFF_ENTRIES_MAX: usize = 512;

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let size = ImageSize::of(bytes).ok_or_else(|| FileError::parse("The file is not a valid image."))?;
    if size.width.saturating_mul(size.height) > IMAGE_PIXELS_MAX {
        return Err(FileError::too_large("The image has too many pixels."));
    }
    let images = vec![PageImage { page: 0, bytes: bytes.to_vec() }];
    Ok(FileText { pages: vec![String::new()], is_paged: true, images, ..FileText::default() })
}

/// The size in the header of an image, in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ImageSize {
    width: u64,
    height: u64,
}

impl ImageSize {
    /// Returns the size; `None` if the header is damaged.
    fn of(bytes: &[u8]) -> Option<Self> {
        let Some(FileFormat::Image(format)) = FileFormat::of(bytes) else { return None };
        let size = match format {
            ImageFormat::Png => png(bytes),
            ImageFormat::Jpeg => jpeg(bytes),
            ImageFormat::Gif => gif(bytes),
            ImageFormat::Tiff => tiff(bytes),
            ImageFormat::WebP => webp(bytes),
            ImageFormat::Bmp => bmp(bytes),
        }?;
        (size.width > 0 && size.height > 0).then_some(size)
    }

    fn new(width: impl Into<u64>, height: impl Into<u64>) -> Self {
        Self { width: width.into(), height: height.into() }
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn png(bytes: &[u8]) -> Option<ImageSize> {
    let number = |at: usize| Some(u32::from_be_bytes(array(bytes, at)?));
    let is_header = bytes.get(8..16)? == b"\0\0\0\x0dIHDR";
    is_header.then_some(ImageSize::new(number(16)?, number(20)?))
}

fn gif(bytes: &[u8]) -> Option<ImageSize> {
    let number = |at: usize| Some(u16::from_le_bytes(array(bytes, at)?));
    // The screen may be stated as nothing; its images then state their own size.
    bytes.get(12).and_then(|_| Some(ImageSize::new(number(6)?.max(1), number(8)?.max(1))))
}

fn bmp(bytes: &[u8]) -> Option<ImageSize> {
    let short = |at: usize| Some(u16::from_le_bytes(array(bytes, at)?));
    let long = |at: usize| Some(i32::from_le_bytes(array(bytes, at)?).unsigned_abs());
    if bytes.get(14) == Some(&12) {
        return Some(ImageSize::new(short(18)?, short(20)?));
    }
    Some(ImageSize::new(long(18)?, long(22)?))
}

fn webp(bytes: &[u8]) -> Option<ImageSize> {
    let short = |at: usize| Some(u16::from_le_bytes(array(bytes, at)?) & 0x3fff);
    let long = |at: usize| Some(u32::from_le_bytes(array(bytes, at)?));
    match &array::<4>(bytes, 12)? {
        b"VP8 " if bytes.get(23..26)? == b"\x9d\x01\x2a" => Some(ImageSize::new(short(26)?, short(28)?)),
        b"VP8L" if bytes.get(20) == Some(&0x2f) => {
            let packed = long(21)?;
            Some(ImageSize::new((packed & 0x3fff) + 1, (packed >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some(ImageSize::new((long(24)? & 0xff_ffff) + 1, (long(26)? >> 8) + 1)),
        _ => None,
    }
}

/// Returns the size in the first directory of a TIFF.
fn tiff(bytes: &[u8]) -> Option<ImageSize> {
    let is_little = bytes.starts_with(b"II");
    let short = |at: usize| {
        let bytes = array(bytes, at)?;
        Some(if is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    };
    let long = |at: usize| {
        let bytes = array(bytes, at)?;
        Some(if is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    };
    let start = usize::try_from(long(4)?).ok()?;
    let entries = usize::from(short(start)?).min(TIFF_ENTRIES_MAX);
    let value = |tag: u16| {
        let at = (0..entries).map(|entry| start + 2 + entry * 12).find(|at| short(*at) == Some(tag))?;
        if short(at + 2)? == 3 { short(at + 8).map(u32::from) } else { long(at + 8) }
    };
    Some(ImageSize::new(value(256)?, value(257)?))
}

/// Returns the size in the frame header of a JPEG.
fn jpeg(bytes: &[u8]) -> Option<ImageSize> {
    let mut at = 2;
    loop {
        let segment: [u8; 9] = array(bytes, at)?;
        if segment[0] != 0xff {
            return None;
        }
        if segment[1] == 0xff {
            at += 1;
            continue;
        }
        let is_frame = matches!(segment[1], 0xc0..=0xcf) && !matches!(segment[1], 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            let number = |high: u8, low: u8| u16::from_be_bytes([high, low]);
            return Some(ImageSize::new(number(segment[7], segment[8]), number(segment[5], segment[6])));
        }
        at += 2 + usize::from(u16::from_be_bytes([segment[2], segment[3]])).max(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_images_state_their_size() {
        let table: [(&[u8], Option<(u32, u32)>); 15] = [
            (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x03\0\0\0\x02\x08\0\0\0\0", Some((3, 2))),
            (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\0\0\0\0\x02", None),
            (b"\x89PNG\r\n\x1a\n", None),
            (b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc0\0\x0b\x08\0\x02\0\x03\x01", Some((3, 2))),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", None),
            (b"GIF89a\x03\0\x02\0\0\0\0", Some((3, 2))),
            (b"GIF89a", None),
            (b"II*\0\x08\0\0\0\x02\0\0\x01\x03\0\x01\0\0\0\x03\0\0\0\x01\x01\x04\0\x01\0\0\0\x02\0\0\0", Some((3, 2))),
            (b"MM\0*\0\0\0\x08\0\x02\x01\0\0\x03\0\0\0\x01\0\x03\0\0\x01\x01\0\x03\0\0\0\x01\0\x02\0\0", Some((3, 2))),
            (b"II*\0\xff\xff\xff\xff", None),
            (b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x03\0\x02\0", Some((3, 2))),
            (b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x02\x40\0\0", Some((3, 2))),
            (b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x02\0\0\x01\0\0", Some((3, 2))),
            (b"RIFF\0\0\0\0WEBP", None),
            (b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x03\0\0\0\xfe\xff\xff\xff", Some((3, 2))),
        ];
        for (bytes, expected) in table {
            let size = ImageSize::of(bytes).map(|size| (size.width, size.height));
            assert_eq!(size, expected.map(|(width, height)| (width.into(), height.into())), "{bytes:?}");
        }
    }
}
