//! What senders hide from sighted readers: elements that aren't displayed, and characters that show nothing.

/// Maximum number of bytes of a style attribute that are checked for hiding.
const STYLE_BYTES_MAX: usize = 2_048;
/// Distance in pixels from which a text is off the page.
const OFF_PAGE: f32 = -400.0;
/// Size of letters in pixels or points up to which a text isn't readable.
const UNREADABLE: f32 = 1.0;

/// Returns whether an element hides its content. `attribute` returns the raw value of one of its attributes.
pub(crate) fn is_hidden<'a>(name: &str, attribute: impl Fn(&str) -> Option<&'a str>) -> bool {
    if attribute("hidden").is_some() {
        return true;
    }
    let Some(style) = attribute("style") else { return false };
    let mut all = HidingStyle { color: attribute("color").map(color), ..HidingStyle::default() };
    all.background = attribute("bgcolor").map(color);
    let style: String = style
        .bytes()
        .take(STYLE_BYTES_MAX)
        .filter(|byte| byte.is_ascii_graphic())
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    for (property, value) in style.split(';').filter_map(|rule| rule.split_once(':')) {
        all.add(property, value.trim_end_matches("!important"));
    }
    all.hides(name)
}

/// The declarations of a style that can hide a text.
#[derive(Default)]
struct HidingStyle {
    /// Whether one of them hides on its own.
    hides: bool,
    /// Whether it is hidden from Outlook.
    is_for_others: bool,
    /// Whether the element looks like a button or a box.
    is_box: bool,
    is_flat: bool,
    is_cut: bool,
    is_placed: bool,
    is_off_page: bool,
    color: Option<String>,
    background: Option<String>,
}

impl HidingStyle {
    fn add(&mut self, property: &str, value: &str) {
        let number = number(value);
        let is_zero = number == Some(0.0);
        match property {
            "display" => self.hides |= value == "none",
            "visibility" => self.hides |= matches!(value, "hidden" | "collapse"),
            "mso-hide" => self.is_for_others |= value == "all",
            "opacity" | "max-height" | "max-width" => self.hides |= is_zero,
            "font-size" => {
                let is_absolute = value.ends_with("px") || value.ends_with("pt");
                self.hides |= is_zero || is_absolute && number.is_some_and(|size| size <= UNREADABLE);
            }
            "height" | "width" => self.is_flat |= is_zero,
            "overflow" | "overflow-x" | "overflow-y" => self.is_cut |= matches!(value, "hidden" | "clip"),
            "position" => self.is_placed = matches!(value, "absolute" | "fixed"),
            "left" | "top" | "right" | "bottom" => self.is_off_page |= number.is_some_and(|at| at <= OFF_PAGE),
            "text-indent" | "margin-left" | "margin-top" => self.hides |= number.is_some_and(|at| at <= OFF_PAGE),
            "clip" => self.hides |= is_empty_clip(value),
            "color" => self.color = Some(color(value)),
            "background-color" | "background" => {
                self.background = Some(color(value));
                self.is_box = true;
            }
            "padding" => self.is_box |= !is_zero,
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

/// Returns whether `rect(0,0,0,0)` or `rect(1px,1px,1px,1px)` leaves nothing of an element.
fn is_empty_clip(value: &str) -> bool {
    let Some(sides) = value.strip_prefix("rect(").and_then(|value| value.strip_suffix(')')) else { return false };
    // White space between the sides was removed.
    sides.trim_matches(|c: char| matches!(c, '0' | '1' | 'p' | 'x' | ',')).is_empty()
}

/// Returns a color in the form that is compared: names of white and black and short forms as six digits.
fn color(value: &str) -> String {
    let value = value.trim().to_ascii_lowercase();
    let value = match value.as_str() {
        "white" | "rgb(255,255,255)" => "#ffffff",
        "black" | "rgb(0,0,0)" => "#000000",
        other => other,
    };
    let digits = value.strip_prefix('#').unwrap_or("");
    if digits.len() == 3 {
        digits.chars().fold("#".to_owned(), |all, c| format!("{all}{c}{c}"))
    } else {
        value.to_owned()
    }
}

/// Returns whether a character shows nothing on its own: fillers of preheaders, joiners, marks and control characters.
pub(crate) fn is_filler(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
            | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}')
}
