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
}

impl<'a> HidingAttributes<'a> {
    /// Adds an attribute with its name in any case. The first attribute of a name counts.
    pub(crate) fn add(&mut self, name: &str, value: &'a str) {
        let place = hashify::tiny_map_ignore_case! { name.as_bytes(),
            "hidden" => &mut self.hidden, "style" => &mut self.style, "color" => &mut self.color,
            "bgcolor" => &mut self.bgcolor,
        };
        if let Some(place) = place {
            place.get_or_insert(value);
        }
    }
}

/// What the attributes of an element decide about its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hiding {
    /// All of it is hidden.
    Element,
    /// The letters are too small, except those of elements inside that have another size.
    Letters,
    /// The letters have a size of their own that is readable.
    ReadableLetters,
}

/// Returns whether an element hides its content.
pub(crate) fn is_hidden(name: &str, attributes: &HidingAttributes<'_>) -> bool {
    matches!(hiding(name, attributes), Some(Hiding::Element | Hiding::Letters))
}

/// Returns what an element hides.
pub(crate) fn hiding(name: &str, attributes: &HidingAttributes<'_>) -> Option<Hiding> {
    if attributes.hidden.is_some() {
        return Some(Hiding::Element);
    }
    let style = attributes.style?;
    let style = &style[..style.floor_char_boundary(STYLE_BYTES_MAX)];
    let style = if style.contains('&') { Cow::Owned(entity::decoded_attribute(style)) } else { Cow::Borrowed(style) };
    let mut normal = String::with_capacity(style.len());
    let shown = style.bytes().filter(u8::is_ascii_graphic);
    normal.extend(shown.map(|byte| char::from(byte.to_ascii_lowercase())));
    if normal.contains("/*") {
        normal = without_comments(&normal);
    }
    let background = attributes.bgcolor.map(color);
    let mut all = HidingStyle { color: attributes.color.map(color), background, ..HidingStyle::default() };
    for (property, value) in normal.split(';').filter_map(|rule| rule.split_once(':')) {
        all.add(property, value.trim_end_matches("!important"));
    }
    if all.hides(name) { Some(Hiding::Element) } else { all.letters }
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
struct HidingStyle<'s> {
    /// Whether one of them hides on its own.
    hides: bool,
    /// Whether its letters are readable, if it sets their size.
    letters: Option<Hiding>,
    /// Whether it is hidden from Outlook.
    is_for_others: bool,
    /// Whether the element looks like a button or a box.
    is_box: bool,
    is_flat: bool,
    is_cut: bool,
    is_placed: bool,
    is_off_page: bool,
    color: Option<Cow<'s, str>>,
    background: Option<Cow<'s, str>>,
}

impl<'s> HidingStyle<'s> {
    fn add(&mut self, property: &str, value: &'s str) {
        let is_zero = || number(value) == Some(0.0);
        let is_at_most = |most: f32| number(value).is_some_and(|number| number <= most);
        match property {
            "display" => self.hides |= value == "none",
            "visibility" => self.hides |= matches!(value, "hidden" | "collapse"),
            "mso-hide" => self.is_for_others |= value == "all",
            "opacity" | "max-height" | "max-width" | "zoom" => self.hides |= is_zero(),
            "transform" => self.hides |= is_shrunk(value),
            "scale" => self.hides |= is_zero(),
            "clip-path" => self.hides |= is_clipped(value),
            "font-size" => {
                let is_absolute = value.ends_with("px") || value.ends_with("pt");
                let is_relative = value.ends_with('%') || value.ends_with("em") && !value.ends_with("rem");
                if is_zero() || is_absolute && is_at_most(UNREADABLE) {
                    self.letters = Some(Hiding::Letters);
                } else if !is_relative && value != "inherit" {
                    self.letters = Some(Hiding::ReadableLetters);
                }
            }
            "height" | "width" => self.is_flat |= is_zero(),
            "overflow" | "overflow-x" | "overflow-y" => self.is_cut |= matches!(value, "hidden" | "clip"),
            "position" => self.is_placed = matches!(value, "absolute" | "fixed"),
            "left" | "top" | "right" | "bottom" => self.is_off_page |= is_at_most(OFF_PAGE),
            "text-indent" | "margin-left" | "margin-top" => self.hides |= is_at_most(OFF_PAGE),
            "clip" => self.hides |= is_empty_clip(value),
            "color" => self.color = Some(color(value)),
            "background-color" | "background" => {
                self.background = Some(color(value));
                self.is_box = true;
            }
            "padding" => self.is_box |= !is_zero(),
            _ => {}
        }
    }

    fn hides(&self, name: &str) -> bool {
        let is_button = self.is_box || name.eq_ignore_ascii_case("a");
        let is_invisible =
            self.color.as_deref() == Some("transparent") || self.color.is_some() && self.color == self.background;
        self.hides
            || self.is_for_others && !is_button
            || self.is_flat && self.is_cut
            || self.is_placed && self.is_off_page
            || is_invisible
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
