//! Which styles hide a text from a sighted reader.

use std::collections::HashSet;

use crate::lexicon::{EMPTY, step};

/// Bytes of a style attribute that are read.
const STYLE_BYTES_MAX: usize = 2_048;
/// Bytes of style sheets that are read.
const SHEET_BYTES_MAX: usize = 64 * 1024;
/// Rules of style sheets that hide something.
const CLASSES_MAX: usize = 256;
/// Distance from the page in pixels from which a text is off the page.
const OFF_PAGE: f32 = -400.0;
/// Size of letters in pixels or points up to which a text isn't readable.
const UNREADABLE: f32 = 2.0;
/// The same as a part of the usual size.
const UNREADABLE_SHARE: f32 = 0.12;
/// Opacity up to which a text isn't readable.
const FAINT: f32 = 0.1;
/// Largest difference of each color that isn't visible.
const SAME_COLOR: i32 = 12;
/// Factor of a size up to which nothing is seen.
const FLAT: f32 = 0.05;
/// Distance from the page in percent of the window from which a text is off the page.
const OFF_VIEW: f32 = -100.0;
const WHITE: u32 = 0x00ff_ffff;

/// What a style says about whether its text is visible.
#[derive(Debug, Default, Clone)]
pub(crate) struct Look {
    pub(crate) is_hidden: bool,
    pub(crate) background: Option<u32>,
    pub(crate) color: Option<u32>,
    /// Whether this element sets a color or a background.
    is_colored: bool,
    is_cut: bool,
    is_flat: bool,
}

impl Look {
    /// Returns the look of an element in one with these colors.
    pub(crate) fn within(background: Option<u32>, color: Option<u32>) -> Self {
        Self { background, color, ..Self::default() }
    }

    pub(crate) fn set_background(&mut self, value: &str) {
        if let Some(color) = color(value) {
            self.background = Some(color);
            self.is_colored = true;
        }
    }

    pub(crate) fn set_color(&mut self, value: &str) {
        match color(value) {
            Some(color) => {
                self.color = Some(color);
                self.is_colored = true;
            }
            None => self.is_hidden |= is_transparent(value),
        }
    }

    /// Returns whether a text of this look is hidden.
    pub(crate) fn hides(&self) -> bool {
        let is_same =
            self.is_colored && self.color.is_some_and(|color| is_near(color, self.background.unwrap_or(WHITE)));
        self.is_hidden || self.is_cut && self.is_flat || is_same
    }
}

/// Reads a style attribute.
pub(crate) fn look(style: &str, seen: &mut Look) {
    let mut normal = String::with_capacity(style.len().min(STYLE_BYTES_MAX));
    let shown = style.bytes().take(STYLE_BYTES_MAX).filter(u8::is_ascii_graphic);
    normal.extend(shown.map(|byte| char::from(byte.to_ascii_lowercase())));
    for (property, value) in normal.split(';').filter_map(|rule| rule.split_once(':')) {
        declaration(property, value.trim_end_matches("!important"), seen);
    }
}

fn declaration(property: &str, value: &str, seen: &mut Look) {
    let number = number(value);
    let is_zero = number == Some(0.0);
    let is_off = is_far(value);
    match property {
        "display" => seen.is_hidden |= value == "none",
        "visibility" => seen.is_hidden |= matches!(value, "hidden" | "collapse"),
        "opacity" => seen.is_hidden |= number.is_some_and(|number| number <= FAINT),
        "font-size" => {
            let is_absolute = value.ends_with("px") || value.ends_with("pt");
            let is_relative = value.ends_with("em") || value.ends_with('%');
            let share = if value.ends_with('%') { 100.0 } else { 1.0 };
            seen.is_hidden |= is_zero
                || is_absolute && number.is_some_and(|number| number <= UNREADABLE)
                || is_relative && number.is_some_and(|number| number / share <= UNREADABLE_SHARE);
        }
        "zoom" => seen.is_hidden |= number.is_some_and(|number| number <= FLAT),
        "line-height" => seen.is_hidden |= is_zero,
        "font" => seen.is_hidden |= value.starts_with("0/") || value.starts_with("0px") || value.starts_with("1px"),
        "max-height" | "max-width" | "height" | "width" => seen.is_flat |= is_zero || number == Some(1.0),
        "overflow" => seen.is_cut |= value == "hidden",
        "left" | "top" | "right" | "bottom" | "text-indent" | "margin-left" | "margin-top" | "margin" => {
            seen.is_hidden |= is_off
        }
        "transform" => {
            seen.is_hidden |= functions(value).any(|(name, argument)| match name {
                "scale" | "scalex" | "scaley" | "scale3d" => number_of(argument).is_some_and(|factor| factor <= FLAT),
                "translate" | "translatex" | "translatey" | "translate3d" => is_far(argument),
                _ => false,
            })
        }
        "clip" => seen.is_hidden |= value.starts_with("rect(0") || value.starts_with("rect(1px,1px"),
        "clip-path" => {
            seen.is_hidden |= value.starts_with("inset(100%")
                || value.starts_with("circle(0")
                || value.starts_with("inset(50%")
                || value.starts_with("polygon(") && value.bytes().filter(u8::is_ascii_digit).all(|digit| digit == b'0')
        }
        "filter" => seen.is_hidden |= value.starts_with("opacity(0"),
        "color" | "-webkit-text-fill-color" => seen.set_color(value),
        "background-color" => seen.set_background(value),
        "background" => seen.set_background(value.split("url(").next().unwrap_or(value)),
        _ => {}
    }
}

/// Returns the functions of a value with their first arguments.
fn functions(value: &str) -> impl Iterator<Item = (&str, &str)> {
    value.split(')').filter_map(|one| {
        let (name, arguments) = one.split_once('(')?;
        Some((name, arguments.split(',').next().unwrap_or(arguments)))
    })
}

fn number_of(value: &str) -> Option<f32> {
    number(value).map(f32::abs)
}

/// Returns whether a distance is off the page.
fn is_far(value: &str) -> bool {
    let is_view = value.ends_with("vw") || value.ends_with("vh") || value.ends_with('%');
    number(value).is_some_and(|number| number <= if is_view { OFF_VIEW } else { OFF_PAGE })
}

fn number(value: &str) -> Option<f32> {
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(value.len());
    value[..end].parse().ok()
}

fn is_transparent(value: &str) -> bool {
    let value = value.trim();
    value == "transparent"
        || (value.starts_with("rgba(") || value.starts_with("hsla("))
            && value
                .trim_end_matches(')')
                .rsplit(',')
                .next()
                .and_then(|alpha| alpha.parse::<f32>().ok())
                .is_some_and(|alpha| alpha <= FAINT)
        || value.len() == 9 && value.starts_with('#') && value.ends_with("00")
}

/// Reads a color without transparency.
fn color(value: &str) -> Option<u32> {
    let value = value.trim();
    if is_transparent(value) {
        return None;
    }
    if let Some(hex) = value.strip_prefix('#') {
        let digits = hex.get(..6).or_else(|| hex.get(..3))?;
        let number = u32::from_str_radix(digits, 16).ok()?;
        let spread = |shift: u32| ((number >> shift) & 15) * 17;
        return Some(if digits.len() == 6 { number } else { spread(8) << 16 | spread(4) << 8 | spread(0) });
    }
    if let Some(parts) = value.strip_prefix("rgb(").or_else(|| value.strip_prefix("rgba(")) {
        let mut all = parts.split([',', ' ', '/', ')']).filter(|part| !part.is_empty()).map(number);
        let mut next = || Some(all.next()??.clamp(0.0, 255.0));
        let (red, green, blue) = (next()?, next()?, next()?);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Each is at most 255.
        return Some((red as u32) << 16 | (green as u32) << 8 | blue as u32);
    }
    if let Some(parts) = value.strip_prefix("hsl(").or_else(|| value.strip_prefix("hsla(")) {
        return lightness(parts);
    }
    let named = match value.to_ascii_lowercase().as_str() {
        "white" | "snow" | "ivory" | "ghostwhite" | "floralwhite" => WHITE,
        "whitesmoke" => 0x00f5_f5f5,
        "black" => 0,
        "red" => 0x00ff_0000,
        "blue" => 0x0000_00ff,
        "navy" => 0x0000_0080,
        "gray" | "grey" => 0x0080_8080,
        "green" => 0x0000_8000,
        "yellow" => 0x00ff_ff00,
        "silver" => 0x00c0_c0c0,
        "orange" => 0x00ff_a500,
        _ => return None,
    };
    Some(named)
}

/// Returns white or black for a color in hue, saturation and lightness that is nearly one of them.
fn lightness(parts: &str) -> Option<u32> {
    let lightness = parts.split([',', ' ', '/', ')']).filter(|part| !part.is_empty()).nth(2).and_then(number)?;
    if lightness >= 96.0 {
        Some(WHITE)
    } else if lightness <= 4.0 {
        Some(0)
    } else {
        None
    }
}

fn is_near(a: u32, b: u32) -> bool {
    let part = |color: u32, shift: u32| i32::from((color >> shift) as u8);
    [16, 8, 0].into_iter().all(|shift| (part(a, shift) - part(b, shift)).abs() <= SAME_COLOR)
}

/// The classes and ids whose elements a style sheet hides.
#[derive(Debug, Default)]
pub(crate) struct HiddenClasses {
    /// The hashes of their selectors.
    names: HashSet<u64>,
    bytes: usize,
}

fn hash(kind: char, name: &str) -> u64 {
    name.chars().fold(step(EMPTY, kind), step)
}

impl HiddenClasses {
    /// Returns whether a class (`.`) or id (`#`) is hidden.
    pub(crate) fn has(&self, kind: char, name: &str) -> bool {
        !self.names.is_empty() && self.names.contains(&hash(kind, name))
    }

    /// Reads a style sheet. Rules inside of `@media` and the like are for some devices only.
    pub(crate) fn read(&mut self, sheet: &str) {
        let mut depth = 0;
        let mut is_conditional = false;
        let mut from = 0;
        let mut selector = "";
        for (at, byte) in sheet.bytes().enumerate().take(SHEET_BYTES_MAX.saturating_sub(self.bytes)) {
            match byte {
                b'{' => {
                    selector = sheet.get(from..at).unwrap_or_default().trim();
                    is_conditional |= depth == 0 && selector.starts_with('@');
                    depth += 1;
                    from = at + 1;
                }
                b'}' => {
                    if depth == 1 && !is_conditional {
                        self.rule(selector, sheet.get(from..at).unwrap_or_default());
                    }
                    depth = (depth - 1).max(0);
                    is_conditional &= depth > 0;
                    from = at + 1;
                }
                _ => {}
            }
        }
        self.bytes += sheet.len().min(SHEET_BYTES_MAX);
    }

    fn rule(&mut self, selectors: &str, declarations: &str) {
        let mut seen = Look::default();
        look(declarations, &mut seen);
        // White letters may be on a dark element.
        if !(seen.is_hidden || seen.is_cut && seen.is_flat || seen.background.is_some() && seen.hides()) {
            return;
        }
        for selector in selectors.split(',').map(str::trim) {
            let Some(at) = selector.rfind(['.', '#']) else { continue };
            let is_simple = !selector.contains([' ', '>', ':', '[', '+', '~']);
            if is_simple && self.names.len() < CLASSES_MAX {
                let kind = if selector[at..].starts_with('.') { '.' } else { '#' };
                self.names.insert(hash(kind, &selector[at + 1..]));
            }
        }
    }
}
