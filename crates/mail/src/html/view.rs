//! The HTML of a message with only what mail needs, for a person who views it.
//!
//! One pass without a tree, in linear time and memory. The pass writes each byte of its result itself: allowed elements,
//! allowed attributes in quotes, and escaped text. None of the allowed elements changes how text after it is read (no
//! script, style, comment, SVG or MathML), so a browser finds the same tags again, whatever the input was.
//!
//! The bounds are checked while the pass runs, on a model of the elements that a browser would create (`open.rs`).

use std::collections::HashMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{
    bound::{
        ATTRIBUTE_BYTES_MAX, ATTRIBUTES_MAX, ATTRIBUTES_PER_ELEMENT_MAX, HtmlBound, NODES_MAX, OUTPUT_BYTES_MAX,
        OUTPUT_PER_INPUT_MAX,
    },
    element, entity,
    open::OpenElements,
    tag::{HtmlAttributes, HtmlTag, HtmlTagScanner},
};

/// Maximum number of tags of any kind, also of those that are dropped.
const TAGS_MAX: usize = 4 * NODES_MAX;
/// Bytes of output that even the smallest input may have: the tags around one link.
const OUTPUT_BYTES_MIN: usize = 1024;
/// Number of tags between two checks of whether the work is still wanted.
const TAGS_PER_CHECK: usize = 256;

/// Schemes of links that can be followed.
const LINK_SCHEMES: [&str; 4] = ["http:", "https:", "mailto:", "tel:"];
/// Types of images in `data:` URLs. SVG can contain more than an image.
pub const IMAGE_TYPES: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"];
/// Parts of declarations that load something, or hide what they say from this check.
const STYLE_REFUSED: [&str; 10] = ["url", "expression", "import", "\\", "/*", "image", "src(", "{", "}", "<"];

/// Why HTML isn't shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HtmlViewError {
    /// It is over a bound.
    Bound(HtmlBound),
    /// The caller ended the work.
    Stopped,
}

/// How links and images are shown.
#[derive(Debug)]
pub struct HtmlViewPolicy<'p> {
    /// The path of the page that shows the target of a link, which is in the fragment.
    pub leave_path: &'p str,
    /// The images of the message as `data:` URLs, by `Content-ID` in lower case.
    pub images: &'p HashMap<String, String>,
    /// Maximum number of bytes of all images of the message in the result. Others are left out.
    pub image_bytes_max: usize,
}

/// Returns the HTML with only what mail needs.
///
/// `is_stopped` is called regularly, and ends the work.
///
/// # Errors
/// Returns the bound that the HTML is over, or that the work was ended.
pub fn view(html: &str, policy: &HtmlViewPolicy<'_>, is_stopped: &dyn Fn() -> bool) -> Result<String, HtmlViewError> {
    let mut writer = ViewWriter::new(html.len(), policy);
    let mut tags = HtmlTagScanner::new(html);
    let mut count = 0_usize;
    while let Some((text, tag)) = tags.next() {
        if count.is_multiple_of(TAGS_PER_CHECK) && is_stopped() {
            return Err(HtmlViewError::Stopped);
        }
        count += 1;
        if count > TAGS_MAX {
            return Err(HtmlViewError::Bound(HtmlBound::Nodes));
        }
        writer.text(text).map_err(HtmlViewError::Bound)?;
        match tag {
            Some(HtmlTag::Open { name, attributes }) => writer.open(name, attributes),
            Some(HtmlTag::Close { name }) => writer.close(name),
            None => Ok(()),
        }
        .map_err(HtmlViewError::Bound)?;
    }
    Ok(writer.out)
}

struct ViewWriter<'p> {
    out: String,
    out_bytes_max: usize,
    /// Bytes of `out` that are images of the message.
    image_bytes: usize,
    elements: OpenElements,
    attributes: usize,
    attribute_bytes: usize,
    policy: &'p HtmlViewPolicy<'p>,
}

impl<'p> ViewWriter<'p> {
    fn new(input_bytes: usize, policy: &'p HtmlViewPolicy<'p>) -> Self {
        let relative = input_bytes.saturating_mul(OUTPUT_PER_INPUT_MAX).max(OUTPUT_BYTES_MIN);
        Self {
            out: String::new(),
            out_bytes_max: relative.min(OUTPUT_BYTES_MAX),
            image_bytes: 0,
            elements: OpenElements::default(),
            attributes: 0,
            attribute_bytes: 0,
            policy,
        }
    }

    fn text(&mut self, raw: &str) -> Result<(), HtmlBound> {
        if raw.is_empty() {
            return Ok(());
        }
        if !raw.trim().is_empty() {
            self.elements.text()?;
        }
        push_escaped(&mut self.out, &entity::decoded(raw));
        self.check_output()
    }

    fn open(&mut self, name: &str, attributes: &str) -> Result<(), HtmlBound> {
        let Some(element) = element::find(name) else { return self.elements.dropped() };
        let start = self.out.len();
        self.out.push('<');
        self.out.push_str(element.name);
        self.write_attributes(element.name, attributes)?;
        if element.name == "a" {
            self.out.push_str(" target=\"_blank\" rel=\"noopener noreferrer\"");
        }
        self.out.push('>');
        self.elements.open(element, &self.out[start..])?;
        self.check_output()
    }

    fn close(&mut self, name: &str) -> Result<(), HtmlBound> {
        let Some(element) = element::find(name) else { return self.elements.dropped() };
        if self.elements.close(element)? {
            self.out.push_str("</");
            self.out.push_str(element.name);
            self.out.push('>');
        }
        self.check_output()
    }

    fn check_output(&self) -> Result<(), HtmlBound> {
        if self.out.len() - self.image_bytes > self.out_bytes_max { Err(HtmlBound::Output) } else { Ok(()) }
    }

    fn write_attributes(&mut self, element: &str, attributes: &str) -> Result<(), HtmlBound> {
        let (mut seen, mut count) = (0_u64, 0_usize);
        self.attribute_bytes += attributes.len();
        if self.attribute_bytes > ATTRIBUTE_BYTES_MAX {
            return Err(HtmlBound::Attributes);
        }
        for attribute in HtmlAttributes::of(attributes) {
            count += 1;
            self.attributes += 1;
            if count > ATTRIBUTES_PER_ELEMENT_MAX || self.attributes > ATTRIBUTES_MAX {
                return Err(HtmlBound::Attributes);
            }
            let Some(index) = element::attribute(element, attribute.name) else { continue };
            // As in browsers, the first attribute of a name counts.
            if seen & (1 << index) != 0 {
                continue;
            }
            seen |= 1 << index;
            self.write_attribute(element::ATTRIBUTES[index], &entity::decoded_attribute(attribute.value));
        }
        Ok(())
    }

    fn write_attribute(&mut self, name: &'static str, value: &str) {
        match name {
            "style" => self.push_attribute(name, &style(value)),
            "href" => {
                let value = value.trim();
                if LINK_SCHEMES.iter().any(|scheme| scheme_is(value, scheme)) {
                    let target = utf8_percent_encode(value, NON_ALPHANUMERIC);
                    self.push_attribute(name, &format!("{}#{target}", self.policy.leave_path));
                }
            }
            "src" => self.write_image(value.trim()),
            // A background is an image from elsewhere.
            "background" if !is_remote(value) => {}
            name => self.push_attribute(name, value),
        }
    }

    fn write_image(&mut self, value: &str) {
        if scheme_is(value, "cid:") {
            let Some(url) = self.policy.images.get(&value["cid:".len()..].to_lowercase()) else { return };
            // The same image in many places counts each time.
            if self.image_bytes + url.len() <= self.policy.image_bytes_max {
                self.image_bytes += url.len();
                self.push_attribute("src", url);
            }
            return;
        }
        let is_image = |kind: &&str| scheme_is(value, &format!("data:{kind};base64,"));
        if is_remote(value) || IMAGE_TYPES.iter().any(is_image) {
            self.push_attribute("src", value);
        }
    }

    fn push_attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        push_escaped(&mut self.out, value);
        self.out.push('"');
    }
}

/// Appends text or the value of an attribute.
pub(super) fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match escape(c) {
            Some(escaped) => out.push_str(escaped),
            None => out.push(c),
        }
    }
}

/// Returns the number of bytes that [`push_escaped`] writes for a character.
pub(super) fn escaped_bytes(c: char) -> usize {
    escape(c).map_or_else(|| c.len_utf8(), str::len)
}

/// Returns what stands for a character of markup.
const fn escape(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        _ => None,
    }
}

fn scheme_is(value: &str, scheme: &str) -> bool {
    value.trim_start().get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}

fn is_remote(value: &str) -> bool {
    scheme_is(value, "http:") || scheme_is(value, "https:")
}

/// Returns the declarations of an inline style that neither load something nor move the element out of its place.
fn style(value: &str) -> String {
    let mut out = String::new();
    for declaration in value.split(';') {
        let Some((property, _)) = declaration.split_once(':') else { continue };
        let lower = declaration.to_ascii_lowercase();
        if !element::is_property(property.trim()) || STYLE_REFUSED.iter().any(|part| lower.contains(part)) {
            continue;
        }
        if !out.is_empty() {
            out.push(';');
        }
        out.push_str(declaration.trim());
    }
    out
}

#[cfg(test)]
mod tests;
