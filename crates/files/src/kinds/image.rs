//! Images, which only OCR can read.

use posthouse_mail::file_type::{FileFormat, ImageFormat};

use crate::{
    FileError, FileText, PageImage,
    limits::{IMAGE_PIXELS_MAX, OCR_PAGES_MAX},
};

/// Entries of a directory of a TIFF that are looked at.
const TIFF_ENTRIES_MAX: usize = 512;
/// Directories of a TIFF that are looked at. Some are of previews.
const TIFF_DIRECTORIES_MAX: usize = 256;
/// Bytes of all pages of a TIFF, each of which is a copy of the file.
const TIFF_PAGES_BYTES_MAX: usize = 96 * 1024 * 1024;
/// Tags of a TIFF: what an image is for, its width and its height.
const SUBFILE_TYPE: u16 = 254;
const WIDTH: u16 = 256;
const HEIGHT: u16 = 257;

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let size = ImageSize::of(bytes).ok_or_else(|| FileError::parse("The file is not a valid image."))?;
    if size.width.saturating_mul(size.height) > IMAGE_PIXELS_MAX {
        return Err(FileError::too_large("The image has too many pixels."));
    }
    let (images, is_truncated) = match Tiff::of(bytes).map(|tiff| tiff.pages()) {
        Some((images, is_cut)) if !images.is_empty() => (images, is_cut),
        _ => (vec![bytes.to_vec()], false),
    };
    let pages = vec![String::new(); images.len()];
    let images = images.into_iter().enumerate().map(|(page, bytes)| PageImage { page, bytes }).collect();
    Ok(FileText { pages, is_paged: true, is_truncated, images, ..FileText::default() })
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
    let tiff = Tiff::of(bytes)?;
    tiff.size(tiff.first()?)
}

/// A TIFF: a list of directories, each of which has an image (TIFF 6.0 §2).
#[derive(Clone, Copy)]
struct Tiff<'b> {
    bytes: &'b [u8],
    is_little: bool,
}

impl<'b> Tiff<'b> {
    fn of(bytes: &'b [u8]) -> Option<Self> {
        let is_tiff = matches!(FileFormat::of(bytes), Some(FileFormat::Image(ImageFormat::Tiff)));
        is_tiff.then_some(Self { bytes, is_little: bytes.starts_with(b"II") })
    }

    fn short(self, at: usize) -> Option<u16> {
        let bytes = array(self.bytes, at)?;
        Some(if self.is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    fn long(self, at: usize) -> Option<u32> {
        let bytes = array(self.bytes, at)?;
        Some(if self.is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    /// Returns where the first directory is.
    fn first(self) -> Option<usize> {
        usize::try_from(self.long(4)?).ok()
    }

    /// Returns where a directory states the next one.
    fn link(self, directory: usize) -> Option<usize> {
        Some(directory + 2 + usize::from(self.short(directory)?) * 12)
    }

    fn value(self, directory: usize, tag: u16) -> Option<u32> {
        let entries = usize::from(self.short(directory)?).min(TIFF_ENTRIES_MAX);
        let at = (0..entries).map(|entry| directory + 2 + entry * 12).find(|at| self.short(*at) == Some(tag))?;
        if self.short(at + 2)? == 3 { self.short(at + 8).map(u32::from) } else { self.long(at + 8) }
    }

    fn size(self, directory: usize) -> Option<ImageSize> {
        Some(ImageSize::new(self.value(directory, WIDTH)?, self.value(directory, HEIGHT)?))
    }

    /// Returns a file for each page, and whether pages are left out. Previews are no pages.
    fn pages(self) -> (Vec<Vec<u8>>, bool) {
        let (mut pages, mut seen) = (Vec::new(), Vec::new());
        let mut next = self.first();
        while let Some(directory) = next.filter(|at| *at != 0 && !seen.contains(at)) {
            let Some(size) = self.size(directory) else { return (pages, true) };
            let is_preview = self.value(directory, SUBFILE_TYPE).is_some_and(|kind| kind & 1 == 1);
            if !is_preview {
                let bytes = (pages.len() + 1) * self.bytes.len();
                let is_too_large = size.width.saturating_mul(size.height) > IMAGE_PIXELS_MAX;
                // The first one has room: a file is smaller.
                if pages.len() >= OCR_PAGES_MAX || bytes > TIFF_PAGES_BYTES_MAX || is_too_large {
                    return (pages, true);
                }
                pages.extend(self.page(directory));
            }
            seen.push(directory);
            if seen.len() > TIFF_DIRECTORIES_MAX {
                return (pages, true);
            }
            next = self.link(directory).and_then(|at| self.long(at)).and_then(|at| usize::try_from(at).ok());
        }
        (pages, false)
    }

    /// Returns the file with one directory only.
    fn page(self, directory: usize) -> Option<Vec<u8>> {
        let mut page = self.bytes.to_vec();
        let first = u32::try_from(directory).ok()?;
        let first = if self.is_little { first.to_le_bytes() } else { first.to_be_bytes() };
        page.get_mut(4..8)?.copy_from_slice(&first);
        if let Some(link) = self.link(directory).and_then(|at| page.get_mut(at..at + 4)) {
            link.fill(0);
        }
        Some(page)
    }
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

    /// Returns a TIFF with directories of images of these widths and of this kind each.
    fn tiff_of(directories: &[(u16, u16)]) -> Vec<u8> {
        let mut bytes = b"II*\0\x08\0\0\0".to_vec();
        for (at, (width, kind)) in directories.iter().enumerate() {
            bytes.extend(3_u16.to_le_bytes());
            for (tag, value) in [(SUBFILE_TYPE, *kind), (WIDTH, *width), (HEIGHT, 2)] {
                bytes.extend(
                    [tag.to_le_bytes(), 3_u16.to_le_bytes(), [1, 0], [0, 0], value.to_le_bytes(), [0, 0]].concat(),
                );
            }
            let next = if at + 1 == directories.len() { 0 } else { bytes.len() + 4 };
            bytes.extend(u32::try_from(next).unwrap().to_le_bytes());
        }
        bytes
    }

    #[test]
    fn each_page_of_a_tiff_is_an_image_of_its_own() {
        type Pages = (&'static [(u16, u16)], &'static [u64], bool);
        let table: [Pages; 5] = [
            (&[(3, 0)], &[3], false),
            (&[(3, 0), (4, 1), (5, 0), (6, 2)], &[3, 5, 6], false),
            (&[(9, 0); OCR_PAGES_MAX], &[9; OCR_PAGES_MAX], false),
            (&[(9, 0); OCR_PAGES_MAX + 1], &[9; OCR_PAGES_MAX], true),
            (&[(9, 1)], &[9], false),
        ];
        for (directories, widths, is_cut) in table {
            let read = read(&tiff_of(directories)).expect("an image");
            let sizes = read.images.iter().map(|image| tiff(&image.bytes).expect("a size").width);
            assert_eq!(sizes.collect::<Vec<_>>(), widths);
            assert_eq!((read.pages.len(), read.is_truncated), (widths.len(), is_cut));
            for image in &read.images {
                assert_eq!(Tiff::of(&image.bytes).expect("a TIFF").pages().0.len().max(1), 1);
            }
        }
    }

    #[test]
    fn directories_in_a_circle_end() {
        let mut bytes = tiff_of(&[(3, 0), (4, 0)]);
        let end = bytes.len() - 4;
        bytes[end] = 8;
        assert_eq!(read(&bytes).expect("an image").images.len(), 2);
        bytes[end] = 0xff;
        assert_eq!(read(&bytes).map(|read| (read.images.len(), read.is_truncated)), Ok((2, true)));
    }

    #[test]
    fn headers_of_images_state_their_size() {
        type Header = (&'static [u8], Option<(u32, u32)>);
        let table: [Header; 15] = [
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
