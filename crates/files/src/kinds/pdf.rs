//! PDF: text by its glyphs in the order in which the page draws them. A page that only shows images is rasterized for OCR.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use hayro::{
    RenderCache, RenderSettings,
    hayro_interpret::{
        BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
        InterpreterSettings, SoftMask, TransformExt,
        font::{Glyph, GlyphRun},
        hayro_cmap::BfString,
        hayro_syntax::{LoadPdfError, Pdf, page::Page},
        interpret_page,
    },
    kurbo::{Affine, BezPath, Point, Rect, Vec2},
    vello_cpu::color::palette::css::WHITE,
};

use crate::{
    FileError, FileErrorCode, FileHints, FileText, PageImage,
    limits::{OCR_PAGES_MAX, OCR_PIXELS_MAX, PAGE_GLYPHS_MAX, PAGES_MAX, VIEW_PIXELS_MAX},
    output::TextWriter,
};

/// Glyphs that a page with text has at least.
const TEXT_GLYPHS_MIN: usize = 8;
/// The part of a page that an image of a scan covers.
const SCAN_PART: f64 = 0.3;
/// Dots per point of a page rasterized for OCR: 200 per inch.
const OCR_SCALE: f64 = 200.0 / 72.0;
/// Dots per point of a page rasterized for a person: 120 per inch.
const VIEW_SCALE: f64 = 120.0 / 72.0;
/// In units of the font size: a gap that separates words.
const WORD_GAP: f64 = 0.16;
/// A gap that separates cells.
const CELL_GAP: f64 = 1.8;
/// How far a baseline may move within a line, for superscripts.
const LINE_SHIFT: f64 = 0.45;
/// How far a line may move back, for kerning and accents.
const BACK_SHIFT: f64 = 0.9;

pub(crate) fn read(hints: &FileHints, bytes: &[u8]) -> Result<FileText, FileError> {
    let pdf = open(bytes)?;
    let cache = InterpreterCache::new();
    let mut out = TextWriter::default();
    let mut scans = Vec::new();
    for (index, page) in pdf.pages().iter().enumerate() {
        if !out.begin_page() {
            break;
        }
        let shown = read_page(page, &pdf, &cache, &mut out);
        if shown.is_scan() {
            scans.push(index);
        }
        if out.is_full() {
            break;
        }
    }
    if pdf.pages().is_empty() {
        return Err(FileError::parse("The file has no pages."));
    }
    let mut text = out.finish();
    text.is_truncated |= scans.len() > OCR_PAGES_MAX;
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
    Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => FileError::new(FileErrorCode::Encrypted, "The file needs a password."),
        LoadPdfError::Invalid => FileError::parse("The file is not a valid PDF."),
    })
}

/// Returns the image of one page for a person. The result has the number of pages, and no image if there is no such page.
pub(crate) fn page_image(bytes: &[u8], index: usize) -> Result<FileText, FileError> {
    let pdf = open(bytes)?;
    let mut found = FileText { is_paged: true, ..FileText::default() };
    if let Some(page) = pdf.pages().get(index).filter(|_| index < PAGES_MAX) {
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

/// What a page shows.
struct PageContent {
    glyphs: usize,
    unreadable: usize,
    has_large_image: bool,
}

impl PageContent {
    /// Returns whether the page has text that only OCR can read.
    fn is_scan(&self) -> bool {
        (self.glyphs < TEXT_GLYPHS_MIN && self.has_large_image) || self.unreadable > self.glyphs.max(TEXT_GLYPHS_MIN)
    }
}

fn read_page<'a>(page: &Page<'a>, pdf: &'a Pdf, cache: &InterpreterCache<'a>, out: &mut TextWriter) -> PageContent {
    let (width, height) = page.render_dimensions();
    let area = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let transform = page.initial_transform(true).to_kurbo();
    let mut context = Context::new(transform, area, cache, pdf.xref(), InterpreterSettings::default());
    let content = PageContent { glyphs: 0, unreadable: 0, has_large_image: false };
    let mut reader = PageReader { out, area, content, last: None, drawn: HashSet::default() };
    interpret_page(page, &mut context, &mut reader);
    reader.content
}

/// Where the last glyph ended.
#[derive(Clone, Copy)]
struct LastGlyph {
    end: Point,
    size: f64,
}

struct PageReader<'o> {
    out: &'o mut TextWriter,
    area: Rect,
    content: PageContent,
    last: Option<LastGlyph>,
    /// Glyphs by character and place, because bold text may be drawn twice.
    drawn: HashSet<(char, i32, i32), FixedState>,
}

impl PageReader<'_> {
    fn glyph(&mut self, glyph: &Glyph<'_>, transform: Affine) {
        let text = match glyph.as_unicode() {
            Some(BfString::Char(c)) if c.is_control() && c != '\t' => return self.content.unreadable += 1,
            Some(text) => text,
            None => return self.content.unreadable += 1,
        };
        let first = match &text {
            BfString::Char(c) => Some(*c),
            BfString::String(text) => text.chars().next(),
        };
        let Some(first) = first else { return };
        let start = transform * Point::ZERO;
        let em = transform * Point::new(1000.0, 0.0) - start;
        let up = transform * Point::new(0.0, 1000.0) - start;
        let size = up.hypot().max(em.hypot() * 0.1);
        if !size.is_finite() || size <= 0.0 || self.content.glyphs >= PAGE_GLYPHS_MAX {
            return;
        }
        let advance = match glyph {
            Glyph::Outline(outline) => outline.advance_width(),
            Glyph::Type3(drawn) => drawn.advance_width(),
        };
        let end = transform * Point::new(f64::from(advance.unwrap_or(500.0)), 0.0);
        let grid = size / 8.0;
        let place = ((start.x / grid) as i32, (start.y / grid) as i32);
        if first != ' ' && !self.drawn.insert((first, place.0, place.1)) {
            return;
        }
        self.separate(start, em, size, first);
        self.last = Some(LastGlyph { end, size });
        self.content.glyphs += usize::from(!first.is_whitespace());
        match &text {
            BfString::Char(c) => self.out.push_char(*c),
            BfString::String(text) => self.out.push(text),
        }
    }

    /// Adds the white space between the last glyph and the next one.
    fn separate(&mut self, start: Point, em: Vec2, size: f64, next: char) {
        let Some(last) = self.last else { return };
        let along = em / em.hypot().max(f64::MIN_POSITIVE);
        let moved = start - last.end;
        let (forward, aside) = (moved.dot(along), moved.cross(along));
        let scale = size.max(last.size);
        if aside.abs() > LINE_SHIFT * scale || forward < -BACK_SHIFT * scale {
            self.out.end_line();
        } else if forward > CELL_GAP * scale {
            if next != ' ' {
                self.out.space();
                self.out.push_char('\t');
            }
        } else if forward > WORD_GAP * scale && next != ' ' {
            self.out.space();
        }
    }
}

impl<'a> Device<'a> for PageReader<'_> {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        for glyph in run.glyphs() {
            self.glyph(glyph, props.transform * glyph.transform());
            if self.out.is_full() {
                return;
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let size = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let shown = props.transform.transform_rect_bbox(size).intersect(self.area);
        self.content.has_large_image |= shown.area() >= self.area.area() * SCAN_PART;
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
