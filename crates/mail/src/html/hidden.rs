//! What senders hide from sighted readers: elements that aren't displayed, and characters that show nothing.

use std::borrow::Cow;

use super::entity;

/// Maximum number of bytes of a style attribute that are checked for hiding.
const STYLE_BYTES_MAX: usize = 2_048;
/// Distance in pixels from which a text is off the page.
const OFF_PAGE: f32 = -400.0;
/// Size of letters in pixels or points up to which a text isn't readable.
const UNREADABLE: f32 = 1.0;

/// The attributes of an element that decide whether it hides its content, as written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HidingAttributes<'a> {
    pub(crate) hidden: Option<&'a str>,
    pub(crate) style: Option<&'a str>,
    pub(crate) color: Option<&'a str>,
    pub(crate) bgcolor: Option<&'a str>,
    pub(crate) size: Option<&'a str>,
}

impl<'a> HidingAttributes<'a> {
    /// Adds an attribute with its name in any case. The first attribute of a name counts.
    pub(crate) fn add(&mut self, name: &str, value: &'a str) {
        let place = hashify::tiny_map_ignore_case! { name.as_bytes(),
            "hidden" => &mut self.hidden, "style" => &mut self.style, "color" => &mut self.color,
            "bgcolor" => &mut self.bgcolor, "size" => &mut self.size,
        };
        if let Some(place) = place {
            place.get_or_insert(value);
        }
    }
}

/// What hides the text at a place. The properties that are inherited count on their own, so that an element inside can
/// show its text again: `font-size`, `line-height`, `visibility`, `color` and `mso-hide`. Nothing undoes the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HidingState {
    /// Whether it isn't displayed, whatever is inside.
    is_removed: bool,
    is_invisible: bool,
    is_tiny: bool,
    is_without_lines: bool,
    is_for_others: bool,
    /// The color of the letters if nobody can see it: that of the background, or none.
    blended: Option<HidingColor>,
}

impl HidingState {
    /// Returns the state inside an element at a place of this state.
    pub(crate) fn inside(self, own: &OwnHiding) -> Self {
        Self {
            is_removed: self.is_removed || own.is_removed,
            is_invisible: own.is_invisible.unwrap_or(self.is_invisible),
            is_tiny: own.is_tiny.unwrap_or(self.is_tiny),
            is_without_lines: own.is_without_lines.unwrap_or(self.is_without_lines),
            is_for_others: own.is_for_others.unwrap_or(self.is_for_others),
            blended: own.blended(self.blended),
        }
    }

    /// Returns whether neither the text nor anything inside is shown.
    pub(crate) fn is_removed(self) -> bool {
        self.is_removed
    }

    /// Returns whether text is hidden.
    pub(crate) fn hides_text(self) -> bool {
        self.hides_images() || self.is_tiny || self.is_without_lines || self.blended.is_some()
    }

    /// Returns whether images and fields are hidden. They have sizes and colors of their own.
    pub(crate) fn hides_images(self) -> bool {
        self.is_removed || self.is_invisible || self.is_for_others
    }
}

/// A color in the form that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HidingColor(u64);

impl HidingColor {
    const TRANSPARENT: Self = Self::of_normal("transparent");

    fn of(value: &str) -> Self {
        Self::of_normal(&color(value))
    }

    /// Hashes a color (FNV-1a), so that a state has no lifetime.
    const fn of_normal(value: &str) -> Self {
        let (bytes, mut hash, mut at) = (value.as_bytes(), 0xcbf2_9ce4_8422_2325_u64, 0);
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        Self(hash)
    }
}

/// What the attributes of an element decide about its content; `None` for what it inherits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OwnHiding {
    is_removed: bool,
    is_invisible: Option<bool>,
    is_tiny: Option<bool>,
    is_without_lines: Option<bool>,
    is_for_others: Option<bool>,
    color: Option<HidingColor>,
    background: Option<HidingColor>,
}

impl OwnHiding {
    /// Returns what the attributes of an element of this name decide.
    pub(crate) fn of(name: &str, attributes: &HidingAttributes<'_>) -> Self {
        let mut style = HidingStyle::default();
        style.own.is_removed = attributes.hidden.is_some();
        style.own.color = attributes.color.map(HidingColor::of);
        style.own.background = attributes.bgcolor.map(HidingColor::of);
        // Every size of `font` is one that can be read.
        style.own.is_tiny = attributes.size.filter(|_| name.eq_ignore_ascii_case("font")).map(|_| false);
        if let Some(text) = attributes.style {
            style.read(text);
        }
        style.own_of(name)
    }

    /// Returns the color of letters that nobody can see, in an element around which they have this one.
    fn blended(&self, around: Option<HidingColor>) -> Option<HidingColor> {
        let behind = self.background.or(around.filter(|around| *around != HidingColor::TRANSPARENT));
        match self.color.or(around) {
            Some(HidingColor::TRANSPARENT) => Some(HidingColor::TRANSPARENT),
            color => color.filter(|color| Some(*color) == behind),
        }
    }
}

/// Returns the declarations of a style without the comments between them.
fn without_comments(style: &str) -> String {
    let mut out = String::with_capacity(style.len());
    let mut rest = style;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    out + rest
}

/// The declarations of a style that can hide a text.
#[derive(Default)]
struct HidingStyle {
    own: OwnHiding,
    /// Whether it is hidden from Outlook.
    is_for_others: Option<bool>,
    has_lines: Option<bool>,
    /// Whether the element looks like a button or a box.
    is_box: bool,
    is_flat: bool,
    is_cut: bool,
    is_placed: bool,
    is_off_page: bool,
}

impl HidingStyle {
    /// Reads the declarations of a style attribute.
    fn read(&mut self, style: &str) {
        let style = &style[..style.floor_char_boundary(STYLE_BYTES_MAX)];
        let style =
            if style.contains('&') { Cow::Owned(entity::decoded_attribute(style)) } else { Cow::Borrowed(style) };
        let mut normal = String::with_capacity(style.len());
        let shown = style.bytes().filter(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
        normal.extend(shown.map(|byte| char::from(byte.to_ascii_lowercase())));
        if normal.contains("/*") {
            normal = without_comments(&normal);
        }
        for (property, value) in normal.split(';').filter_map(|rule| rule.split_once(':')) {
            let property = property.trim_ascii();
            if property == "font" {
                self.add_font(value);
            } else if value.bytes().any(|byte| byte.is_ascii_whitespace()) {
                let value: String = value.split_ascii_whitespace().collect();
                self.add(property, value.trim_end_matches("!important"));
            } else {
                self.add(property, value.trim_end_matches("!important"));
            }
        }
    }

    fn add(&mut self, property: &str, value: &str) {
        let is_zero = || number(value) == Some(0.0);
        let is_at_most = |most: f32| number(value).is_some_and(|number| number <= most);
        let own = &mut self.own;
        match property {
            "display" => own.is_removed |= value == "none",
            "visibility" if !is_inherited(value) => own.is_invisible = Some(matches!(value, "hidden" | "collapse")),
            "mso-hide" if !is_inherited(value) => self.is_for_others = Some(value == "all"),
            "opacity" | "max-height" | "max-width" | "zoom" => own.is_removed |= is_zero(),
            "transform" => own.is_removed |= is_shrunk(value),
            "scale" => own.is_removed |= is_zero(),
            "clip-path" => own.is_removed |= is_clipped(value),
            "font-size" => own.is_tiny = is_tiny(value).or(own.is_tiny),
            "line-height" if !is_inherited(value) => self.has_lines = Some(!is_zero()),
            "height" | "width" => self.is_flat |= is_zero(),
            "overflow" | "overflow-x" | "overflow-y" => self.is_cut |= matches!(value, "hidden" | "clip"),
            "position" => self.is_placed = matches!(value, "absolute" | "fixed"),
            "left" | "top" | "right" | "bottom" => self.is_off_page |= is_at_most(OFF_PAGE),
            "text-indent" | "margin-left" | "margin-top" => own.is_removed |= is_at_most(OFF_PAGE),
            "clip" => own.is_removed |= is_empty_clip(value),
            "color" if !is_inherited(value) => own.color = Some(HidingColor::of(value)),
            "background-color" | "background" => {
                own.background = Some(HidingColor::of(value));
                self.is_box = true;
            }
            "padding" => self.is_box |= !is_zero(),
            _ => {}
        }
    }

    /// Adds the size and the line height of the shorthand: `italic 400 0/0 Arial`.
    fn add_font(&mut self, value: &str) {
        const SYSTEM_FONTS: [&str; 6] = ["caption", "icon", "menu", "message-box", "small-caption", "status-bar"];
        let mut rest = value.trim_ascii();
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after.trim_ascii_start();
            let is_weight = || word.bytes().all(|byte| byte.is_ascii_digit()) && number(word).is_some_and(|n| n > 0.0);
            let is_size = word.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !is_weight();
            let size = if SYSTEM_FONTS.contains(&word) { "medium" } else { word };
            if !is_size && !SIZES.contains(&size) {
                continue;
            }
            self.add("font-size", size);
            let height = rest.strip_prefix('/').and_then(|height| height.split_ascii_whitespace().next());
            return self.add("line-height", height.unwrap_or("normal"));
        }
    }

    /// Returns what the declarations decide about an element of this name.
    fn own_of(mut self, name: &str) -> OwnHiding {
        let is_button = self.is_box || name.eq_ignore_ascii_case("a");
        self.own.is_removed |= self.is_flat && self.is_cut || self.is_placed && self.is_off_page;
        self.own.is_for_others = self.is_for_others.map(|is_for_others| is_for_others && !is_button);
        // Lines without height are over each other, unless what is outside of them is cut off.
        self.own.is_without_lines = self.has_lines.map(|has_lines| !has_lines && self.is_cut);
        self.own
    }
}

/// The sizes of letters that have names.
const SIZES: [&str; 8] = ["xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large"];

/// Returns whether a value is that of the element around.
fn is_inherited(value: &str) -> bool {
    matches!(value, "inherit" | "unset" | "revert" | "revert-layer")
}

/// Returns whether letters of a size can't be read, or `None` if it depends on the size around.
fn is_tiny(value: &str) -> Option<bool> {
    let is_absolute = value.ends_with("px") || value.ends_with("pt");
    let is_relative = ["%", "em", "ex", "ch"].iter().any(|unit| value.ends_with(unit)) && !value.ends_with("rem");
    match number(value) {
        Some(0.0) => Some(true),
        Some(size) if is_absolute && size <= UNREADABLE => Some(true),
        Some(_) => (!is_relative).then_some(false),
        None => (SIZES.contains(&value) || matches!(value, "initial") || value.starts_with("calc")).then_some(false),
    }
}

/// Returns the number at the start of a value.
fn number(value: &str) -> Option<f32> {
    let end = value.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '-' | '+')).unwrap_or(value.len());
    value[..end].parse().ok()
}

/// Returns whether a transformation such as `scale(0)` or `scaleX(0)` leaves nothing of an element.
fn is_shrunk(value: &str) -> bool {
    value.split("scale").skip(1).any(|scale| {
        let factors = scale.trim_start_matches(['x', 'y', '3', 'd']).strip_prefix('(');
        let factors = factors.and_then(|factors| factors.split(')').next());
        factors.is_some_and(|factors| factors.split(',').take(2).any(|factor| number(factor) == Some(0.0)))
    })
}

/// Returns whether a path such as `circle(0)` or `inset(50%)` leaves nothing of an element.
fn is_clipped(value: &str) -> bool {
    /// The inset of all sides in percent from which nothing is left.
    const ALL: f32 = 50.0;
    let of = |shape: &str| value.strip_prefix(shape).and_then(number);
    let is_round = ["circle(", "ellipse("].iter().any(|shape| of(shape) == Some(0.0));
    let inset = of("inset(").filter(|_| value.trim_end_matches(')').ends_with('%') && value.matches('%').count() == 1);
    is_round || inset.is_some_and(|inset| inset >= ALL)
}

/// Returns whether `rect(0,0,0,0)` or `rect(1px,1px,1px,1px)` leaves nothing of an element.
fn is_empty_clip(value: &str) -> bool {
    let Some(sides) = value.strip_prefix("rect(").and_then(|value| value.strip_suffix(')')) else { return false };
    // White space between the sides was removed.
    sides.trim_matches(|c: char| matches!(c, '0' | '1' | 'p' | 'x' | ',')).is_empty()
}

/// Returns a color in the form that is compared: names of white and black and short forms as six digits.
fn color(value: &str) -> Cow<'_, str> {
    let value = value.trim();
    let value = match value.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(value.to_ascii_lowercase()),
        false => Cow::Borrowed(value),
    };
    match &*value {
        "white" | "rgb(255,255,255)" => Cow::Borrowed("#ffffff"),
        "black" | "rgb(0,0,0)" => Cow::Borrowed("#000000"),
        short if short.len() == 4 && short.starts_with('#') => {
            Cow::Owned(short[1..].chars().fold("#".to_owned(), |all, c| format!("{all}{c}{c}")))
        }
        _ => value,
    }
}

/// Returns whether a character shows nothing on its own: fillers of preheaders, joiners, marks and control characters.
pub(crate) fn is_filler(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
            | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}')
}
