//! PDF: text by its glyphs in the order in which the page draws them. A page that only shows images is rasterized for OCR.

mod columns;
mod line;
mod order;
mod page;
mod replacement;
mod rows;
mod structure;
mod words;

use hayro::{
    RenderCache, RenderSettings,
    hayro_interpret::{
        InterpreterCache, InterpreterSettings,
        hayro_syntax::{LoadPdfError, Pdf, page::Page},
    },
    vello_cpu::color::palette::css::WHITE,
};

use self::structure::Structure;
use crate::{
    FileError, FileErrorCode, FileHints, FileText, PageImage,
    limits::{OCR_PAGES_MAX, OCR_PIXELS_MAX, PAGES_MAX, VIEW_PIXELS_MAX},
    output::TextWriter,
};

/// Dots per point of a page rasterized for OCR: 200 per inch.
const OCR_SCALE: f64 = 200.0 / 72.0;
/// Dots per point of a page rasterized for a person: 120 per inch.
const VIEW_SCALE: f64 = 120.0 / 72.0;
/// Pages that are cut. The file is left at the last of them.
const CUT_PAGES_MAX: usize = 4;

pub(crate) fn read(hints: &FileHints, bytes: &[u8]) -> Result<FileText, FileError> {
    let pdf = open(bytes)?;
    let mut cache = InterpreterCache::new();
    let mut structure = Structure::of(&pdf);
    let mut out = TextWriter::default();
    let (mut scans, mut cut, mut is_incomplete) = (Vec::new(), 0, false);
    for (index, page) in pdf.pages().iter().enumerate() {
        if !out.begin_page() {
            break;
        }
        let shown = page::read(page, &pdf, &cache, &mut structure, &mut out);
        match (shown.is_scan(), shown.can_be_drawn()) {
            (true, true) => scans.push(index),
            (true, false) => is_incomplete = true,
            (false, _) => {}
        }
        if shown.is_cut {
            // What was being added to it may be half there.
            cache = InterpreterCache::new();
            (cut, is_incomplete) = (cut + 1, true);
        }
        if out.is_full() || cut >= CUT_PAGES_MAX {
            break;
        }
    }
    if pdf.pages().is_empty() {
        return Err(FileError::parse("The file has no pages."));
    }
    let mut text = out.finish();
    text.is_truncated |= scans.len() > OCR_PAGES_MAX || is_incomplete;
    scans.truncate(OCR_PAGES_MAX);
    text.images = if hints.rasterizes {
        let image = |index| Some(PageImage { page: index, bytes: rasterize(pdf.pages().get(index)?, OCR_RASTER)? });
        scans.into_iter().filter_map(image).collect()
    } else {
        scans.into_iter().map(|page| PageImage { page, bytes: Vec::new() }).collect()
    };
    Ok(text)
}

fn open(bytes: &[u8]) -> Result<Pdf, FileError> {
    let encrypted = || FileError::new(FileErrorCode::Encrypted, "The file needs a password.");
    Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => encrypted(),
        // Some old or unknown encryption ends in other errors.
        LoadPdfError::Invalid if has_encryption(bytes) => encrypted(),
        LoadPdfError::Invalid => FileError::parse("The file is not a valid PDF."),
    })
}

/// Returns whether a trailer refers to an encryption dictionary: `/Encrypt 5 0 R` or `/Encrypt <<`.
fn has_encryption(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"/Encrypt";
    bytes.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME).any(|(at, _)| {
        let rest = bytes[at + NAME.len()..].trim_ascii_start();
        let numbers = rest.iter().take_while(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace()).count();
        rest.starts_with(b"<<") || (numbers >= 4 && rest.get(numbers) == Some(&b'R') && rest[0].is_ascii_digit())
    })
}

/// Returns the image of one page for a person. The result has the number of pages, and no image if there is no such page.
pub(crate) fn page_image(bytes: &[u8], index: usize) -> Result<FileText, FileError> {
    let pdf = open(bytes)?;
    let mut found = FileText { is_paged: true, ..FileText::default() };
    if let Some(page) = pdf.pages().get(index).filter(|_| index < PAGES_MAX) {
        let (mut structure, mut out) = (Structure::of(&pdf), TextWriter::default());
        if !page::read(page, &pdf, &InterpreterCache::new(), &mut structure, &mut out).can_be_drawn() {
            return Err(FileError::too_large("The page draws too much to be shown."));
        }
        let image = rasterize(page, VIEW_RASTER);
        let bytes = image.ok_or_else(|| FileError::parse("The page has a size that can't be shown."))?;
        found.images.push(PageImage { page: index, bytes });
    }
    Ok(found)
}

/// How finely a page is rasterized.
#[derive(Clone, Copy)]
struct Raster {
    /// Dots per point.
    scale: f64,
    /// Most pixels of the image.
    pixels_max: u64,
}

const OCR_RASTER: Raster = Raster { scale: OCR_SCALE, pixels_max: OCR_PIXELS_MAX };
const VIEW_RASTER: Raster = Raster { scale: VIEW_SCALE, pixels_max: VIEW_PIXELS_MAX };

/// Returns the image of a page as PNG; `None` if the page has no size.
fn rasterize(page: &Page<'_>, raster: Raster) -> Option<Vec<u8>> {
    let (width, height) = page.render_dimensions();
    let area = f64::from(width) * f64::from(height);
    let scale = raster.scale.min((raster.pixels_max as f64 / area).sqrt());
    let longest = f64::from(width.max(height)) * scale;
    if !longest.is_finite() || longest < 1.0 || longest > f64::from(u16::MAX) {
        return None;
    }
    let scale = scale as f32;
    let settings = hayro::PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    let cache = RenderCache::new();
    let pixmap = hayro::render(page, &cache, &InterpreterSettings::default(), &RenderSettings::default(), &settings);
    pixmap.into_png().ok()
}

#[cfg(test)]
mod tests;
