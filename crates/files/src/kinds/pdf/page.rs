//! The text of one page, collected while the page is drawn.

use std::{
    collections::HashMap,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use foldhash::fast::FixedState;
use hayro::{
    hayro_interpret::{
        BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
        InterpreterSettings, SoftMask, TransformExt,
        font::{Glyph, GlyphRun},
        hayro_cmap::BfString,
        hayro_syntax::{Pdf, object::Dict, page::Page},
        interpret_page,
    },
    kurbo::{Affine, BezPath, Point, Rect, Shape, Vec2},
};

use super::{
    line::{PageLines, TextPlace},
    order::is_right_to_left,
    replacement::Replacement,
    rows::is_wide,
    structure::{PageStructure, StatedText, Structure},
};
use crate::{
    limits::{IMAGE_PIXELS_MAX, PAGE_FORMS_MAX, PAGE_GLYPHS_MAX},
    output::TextWriter,
};

/// Glyphs that a page with text has at least.
const TEXT_GLYPHS_MIN: usize = 8;
/// The part of a page without text that the images of a scan cover: a receipt is small, and some programs cut a scan in strips.
const SCAN_PART: f64 = 0.1;
/// In units of the font size: how far apart the same text is drawn to look bold, or to have a shadow.
const BOLD_SHIFT: f64 = 0.125;
/// How far a baseline may move within a line, for superscripts.
const LINE_SHIFT: f64 = 0.45;
/// How far a line may move back, for kerning and accents.
const BACK_SHIFT: f64 = 0.9;
/// How far a baseline may move between parts of a line that are not drawn from left to right.
const SAME_BASELINE: f64 = 0.1;
/// How far below its baseline a glyph reaches in a line that runs down.
const BELOW_BASELINE: f64 = 0.12;
/// How far the next glyph is below in a line that runs down.
const DOWN_PITCH: Range<f64> = 0.5..1.3;
/// How far glyphs of a line that runs down are beside each other, and those that begin it.
const COLUMN_WIDTH: f64 = 1.2;
const COLUMN_SHIFT: f64 = 0.3;
/// The character of a hyphen that only a line end shows.
const SOFT_HYPHEN: char = '\u{ad}';

/// What a page shows.
#[derive(Default)]
pub(super) struct PageContent {
    glyphs: usize,
    unreadable: usize,
    /// The part of the page that images cover.
    image_part: f64,
    /// Whether an image has more pixels than are drawn.
    has_huge_image: bool,
    /// Whether drawing the page ended before its end.
    pub(super) is_cut: bool,
}

impl PageContent {
    /// Returns whether the page has text that only OCR can read.
    pub(super) fn is_scan(&self) -> bool {
        let lacks_text = self.glyphs < TEXT_GLYPHS_MIN && self.image_part >= SCAN_PART;
        lacks_text || self.unreadable > self.glyphs.max(TEXT_GLYPHS_MIN)
    }

    /// Returns whether an image of the page can be made at a bounded cost.
    pub(super) fn can_be_drawn(&self) -> bool {
        !self.is_cut && !self.has_huge_image
    }
}

/// The end of a page that draws too much. It unwinds through the interpreter, which has no other way to stop.
struct TooManyForms;

/// Writes the text of a page. A page that draws too much, or that ends the interpreter, is cut there.
pub(super) fn read<'a>(
    page: &Page<'a>,
    pdf: &'a Pdf,
    cache: &InterpreterCache<'a>,
    structure: &mut Structure<'a>,
    out: &mut TextWriter,
) -> PageContent {
    let (width, height) = page.render_dimensions();
    let area = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let transform = page.initial_transform(true).to_kurbo();
    let mut context = Context::new(transform, area, cache, pdf.xref(), InterpreterSettings::default());
    let mut reader = PageReader {
        out,
        structure: structure.of_page(page),
        area,
        content: PageContent::default(),
        last: None,
        lines: PageLines::default(),
        drawn: HashMap::default(),
        forms: 0,
        depth: 0,
        replaced: None,
        is_vertical: false,
        is_hyphenated: false,
    };
    let drawn = catch_unwind(AssertUnwindSafe(|| interpret_page(page, &mut context, &mut reader)));
    reader.end_replacement();
    reader.lines.write(reader.out);
    reader.content.is_cut = drawn.is_err();
    reader.content
}

/// The last glyph.
#[derive(Clone, Copy)]
struct LastGlyph {
    place: GlyphPlace,
    is_wide: bool,
}

/// Where a glyph is.
#[derive(Clone, Copy)]
struct GlyphPlace {
    start: Point,
    end: Point,
    em: Vec2,
    size: f64,
}

impl GlyphPlace {
    /// Returns the place of a glyph; `None` if it has no size.
    fn of(glyph: &Glyph<'_>, transform: Affine) -> Option<Self> {
        let start = transform * Point::ZERO;
        let em = transform * Point::new(1000.0, 0.0) - start;
        let up = transform * Point::new(0.0, 1000.0) - start;
        let size = up.hypot().max(em.hypot() * 0.1);
        let advance = match glyph {
            Glyph::Outline(outline) => outline.advance_width(),
            Glyph::Type3(drawn) => drawn.advance_width(),
        };
        let end = transform * Point::new(f64::from(advance.unwrap_or(500.0)), 0.0);
        (size.is_finite() && size > 0.0).then_some(Self { start, end, em, size })
    }

    /// Returns the direction of the line, of length 1.
    fn direction(self) -> Vec2 {
        self.em / self.em.hypot().max(f64::MIN_POSITIVE)
    }

    /// Returns the place along the line.
    fn along_line(self) -> TextPlace {
        let along = self.direction();
        let (start, end) = (self.start.to_vec2().dot(along), self.end.to_vec2().dot(along));
        TextPlace { start, end, size: self.size, along, baseline: along.cross(self.start.to_vec2()) }
    }

    /// Returns the direction to the next line.
    fn down(self) -> Vec2 {
        let along = self.direction();
        Vec2::new(-along.y, along.x)
    }

    /// Returns the place along a line that runs down, in which the glyph is upright.
    fn along_column(self) -> TextPlace {
        let down = self.down();
        let start = self.start.to_vec2();
        let end = start.dot(down) + BELOW_BASELINE * self.size;
        TextPlace { start: end - self.size, end, size: self.size, along: down, baseline: down.cross(start) }
    }

    /// Returns whether a glyph, of which this one is the next, is above it in a line that runs down: both upright, or one of
    /// them turned, as Latin words are. `reach` is how far the glyphs may be beside each other, in units of the font size.
    fn is_below(self, last: Self, reach: f64) -> bool {
        let size = self.size.max(last.size);
        let is_same = |one: Vec2, other: Vec2| one.dot(other) > 0.999;
        let (down, from, pitch) = if is_same(self.direction(), last.direction()) {
            (self.down(), last.start, DOWN_PITCH)
        } else if is_same(self.direction(), last.down()) {
            (last.down(), last.start, -1.2..1.5)
        } else if is_same(self.down(), last.direction()) {
            (self.down(), last.end, -0.3..1.8)
        } else {
            return false;
        };
        let moved = self.start - from;
        moved.cross(down).abs() <= reach * size && pitch.contains(&(moved.dot(down) / size))
    }

    /// Returns the place of a text that is drawn without glyphs.
    fn of_area(area: Rect) -> Self {
        let (start, end) = (Point::new(area.x0, area.y1), Point::new(area.x1, area.y1));
        Self { start, end, em: Vec2::new(1.0, 0.0), size: area.height().max(1.0) }
    }
}

struct PageReader<'o, 's> {
    out: &'o mut TextWriter,
    structure: PageStructure<'o, 's>,
    area: Rect,
    content: PageContent,
    last: Option<LastGlyph>,
    lines: PageLines,
    /// Where glyphs are, by character and square, because bold text may be drawn twice.
    drawn: HashMap<(char, i32, i32), Point, FixedState>,
    /// Forms that were drawn.
    forms: usize,
    /// Nesting of marked content.
    depth: usize,
    /// The marked content whose text the file states, which replaces that of its glyphs.
    replaced: Option<Replacement>,
    /// Whether the line runs down.
    is_vertical: bool,
    /// Whether the last character was a hyphen that isn't part of the word.
    is_hyphenated: bool,
}

impl PageReader<'_, '_> {
    fn glyph(&mut self, glyph: &Glyph<'_>, transform: Affine) {
        if self.replaced.is_some() {
            return GlyphPlace::of(glyph, transform).into_iter().for_each(|place| self.replaced_glyph(place));
        }
        let text = match glyph.as_unicode() {
            Some(BfString::Char(c)) if c.is_control() && c != '\t' => return self.content.unreadable += 1,
            Some(text) => text,
            None => return self.content.unreadable += 1,
        };
        let Some(place) = GlyphPlace::of(glyph, transform) else { return };
        match &text {
            BfString::Char(c) => self.write(c.encode_utf8(&mut [0; 4]), place),
            BfString::String(text) => self.write(text, place),
        }
    }

    /// A glyph of a content whose text is stated: the first one has the text, and the others its extent.
    fn replaced_glyph(&mut self, place: GlyphPlace) {
        let Some(replaced) = &mut self.replaced else { return };
        match replaced.text.take() {
            Some(text) => self.write(&text, place),
            None => {
                if let Some(last) = &mut self.last {
                    last.place = place;
                    self.lines.extend(place.end.to_vec2().dot(place.direction()));
                }
            }
        }
    }

    /// Something other than glyphs is drawn.
    fn draw_area(&mut self, area: Rect) {
        if let Some(replaced) = &mut self.replaced
            && area.is_finite()
        {
            replaced.area = Some(replaced.area.map_or(area, |before| before.union(area)));
        }
    }

    /// Ends the content whose text is stated. If it had no glyphs, what it shows is where its text is.
    fn end_replacement(&mut self) {
        let Some(Replacement { text: Some(text), area: Some(area), .. }) = self.replaced.take() else { return };
        let shown = area.intersect(self.area);
        if shown.width() > 0.0 || shown.height() > 0.0 {
            self.write(&text, GlyphPlace::of_area(shown));
        }
    }

    /// Writes a text at a place, unless the same one is there already.
    fn write(&mut self, text: &str, place: GlyphPlace) {
        let Some(first) = text.chars().next() else { return };
        if self.content.glyphs >= PAGE_GLYPHS_MAX {
            return;
        }
        if self.is_drawn(first, place) {
            return;
        }
        self.separate(place, first);
        self.last = Some(LastGlyph { place, is_wide: is_wide(first) });
        self.content.glyphs += text.chars().filter(|c| !c.is_whitespace()).count();
        self.is_hyphenated = text.ends_with(SOFT_HYPHEN);
        self.lines.push(text, self.place_of(place), self.out);
    }

    /// Returns whether the same text is this near already, and else notes it.
    fn is_drawn(&mut self, first: char, place: GlyphPlace) -> bool {
        let reach = place.size * BOLD_SHIFT;
        let (x, y) = ((place.start.x / reach).floor() as i32, (place.start.y / reach).floor() as i32);
        let is_near = |x: i32, y: i32| {
            let other = self.drawn.get(&(first, x, y));
            other.is_some_and(|other| (*other - place.start).hypot() <= reach)
        };
        // A text that is that near is in the same square or beside it.
        let mut squares = (-1..=1).flat_map(|right| (-1..=1).map(move |down| (right, down)));
        if squares.any(|(right, down)| is_near(x.saturating_add(right), y.saturating_add(down))) {
            return true;
        }
        self.drawn.insert((first, x, y), place.start);
        false
    }

    /// Returns whether the next glyph is below the last one in a line that runs down, as in Japanese. Such a line begins with two
    /// glyphs below each other.
    fn runs_down(&mut self, place: GlyphPlace, next: char) -> bool {
        let Some(last) = self.last else { return false };
        let is_begun = self.is_vertical && place.is_below(last.place, COLUMN_WIDTH);
        let begins = || {
            let is_parallel = last.place.down().dot(place.direction()).abs() < 0.5;
            let is_upright = last.is_wide && self.lines.has_one_glyph();
            (if is_parallel { is_upright && is_wide(next) } else { is_upright || is_wide(next) })
                && place.is_below(last.place, COLUMN_SHIFT)
        };
        if !is_begun && !begins() {
            return false;
        }
        if !self.is_vertical && self.lines.has_one_glyph() && last.is_wide {
            self.lines.replace_place(last.place.along_column());
        }
        self.is_vertical = true;
        true
    }

    /// Returns the place of a glyph in its line.
    fn place_of(&self, place: GlyphPlace) -> TextPlace {
        let is_upright = self.lines.direction().is_some_and(|along| along.dot(place.down()) > 0.999);
        if self.is_vertical && is_upright { place.along_column() } else { place.along_line() }
    }

    /// Adds the white space between the last glyph and the next one.
    fn separate(&mut self, place: GlyphPlace, next: char) {
        let Some(LastGlyph { place: last, .. }) = self.last else { return };
        if self.runs_down(place, next) {
            return;
        }
        let along = place.direction();
        let moved = place.start - last.end;
        let (forward, aside) = (moved.dot(along), moved.cross(along));
        let scale = place.size.max(last.size);
        let may_go_back =
            aside.abs() < SAME_BASELINE * scale && (is_right_to_left(next) || self.lines.has_right_to_left());
        if aside.abs() > LINE_SHIFT * scale || (forward < -BACK_SHIFT * scale && !may_go_back) {
            if self.is_hyphenated {
                self.lines.join();
            } else {
                self.lines.end_line();
            }
            self.is_vertical = false;
        } else {
            self.lines.separate(forward, scale, next);
        }
    }
}

impl<'a> Device<'a> for PageReader<'_, '_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, _: &DrawMode) {
        if self.replaced.is_some() {
            self.draw_area(props.transform.transform_rect_bbox(path.bounding_box()));
        }
    }

    /// Each form begins with this, and few other things do.
    fn push_clip_path(&mut self, _: &ClipPath) {
        self.forms += 1;
        if self.forms > PAGE_FORMS_MAX {
            resume_unwind(Box::new(TooManyForms));
        }
    }

    fn push_clip_rect(&mut self, _: &Rect) {}

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
        let area = props.transform.transform_rect_bbox(size);
        self.draw_area(area);
        let pixels = u64::from(image.width()) * u64::from(image.height());
        self.content.has_huge_image |= pixels > IMAGE_PIXELS_MAX;
        self.content.image_part += area.intersect(self.area).area() / self.area.area().max(1.0);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, _: &DrawMode) {
        self.draw_area(props.transform.transform_rect_bbox(*rect));
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        self.depth += 1;
        if self.replaced.is_none() {
            let text = properties.and_then(|properties| self.structure.stated_text(properties));
            self.replaced = text.map(|text| Replacement {
                text: match text {
                    StatedText::Of(text) => Some(text),
                    StatedText::Before => None,
                },
                depth: self.depth,
                area: None,
            });
        }
    }

    fn end_marked_content(&mut self) {
        if self.replaced.as_ref().is_some_and(|replaced| replaced.depth == self.depth) {
            self.end_replacement();
        }
        self.depth = self.depth.saturating_sub(1);
    }
}
