//! Styles that hide text, and fonts without letters (OASIS OpenDocument 1.3 Part 3, §20.411 and §20.266).

use std::collections::HashMap;

use crate::{
    FileError,
    kinds::symbols::SymbolFont,
    xml::{XmlStep, XmlSteps, XmlTag},
};

/// Styles that a style is based on.
const PARENTS_MAX: usize = 20;

/// A style.
#[derive(Default)]
struct Style {
    parent: Option<String>,
    is_hidden: Option<bool>,
    font: Option<String>,
}

/// The styles of texts and paragraphs.
#[derive(Default)]
pub(super) struct OdfStyles {
    styles: HashMap<String, Style>,
    /// The fonts by the names that the file gives them.
    fonts: HashMap<String, String>,
}

/// How text is shown.
#[derive(Clone, Default)]
pub(super) struct TextForm {
    /// Whether readers don't see it.
    pub(super) is_hidden: bool,
    /// The font, if its characters are no letters.
    pub(super) font: Option<SymbolFont>,
}

impl OdfStyles {
    /// Reads the styles of these parts of a document.
    pub(super) fn parse<'s>(sources: impl IntoIterator<Item = &'s str>) -> Result<Self, FileError> {
        let mut all = Self::default();
        for source in sources {
            let (mut steps, mut style) = (XmlSteps::new(source), None::<(String, Style)>);
            while let Some(step) = steps.next()? {
                match step {
                    XmlStep::Open(tag) => match (&*tag.name(), &mut style) {
                        ("style", _) => style = named(&tag),
                        ("font-face", _) => all.fonts.extend(tag.attribute("name").zip(tag.attribute("font-family"))),
                        ("text-properties", Some((_, style))) => {
                            style.is_hidden = tag.attribute("display").map(|display| display == "none");
                            style.font = tag.attribute("font-name").or_else(|| tag.attribute("font-family"));
                        }
                        _ => {}
                    },
                    XmlStep::Close(name) if name == "style" => all.styles.extend(style.take()),
                    XmlStep::Close(_) | XmlStep::Text(_) => {}
                }
            }
        }
        Ok(all)
    }

    /// Returns the form of text with a style, within text of another form.
    pub(super) fn form(&self, style: Option<&str>, around: &TextForm) -> TextForm {
        let Some(style) = style else { return around.clone() };
        let is_hidden = self.find(style, |style| style.is_hidden).unwrap_or(around.is_hidden);
        let font = match self.find(style, |style| style.font.clone()) {
            Some(font) => SymbolFont::named(self.fonts.get(&font).unwrap_or(&font)),
            None => around.font,
        };
        TextForm { is_hidden, font }
    }

    /// Returns what a style says, or else the nearest one that it is based on.
    fn find<T>(&self, name: &str, property: impl Fn(&Style) -> Option<T>) -> Option<T> {
        let mut style = self.styles.get(name)?;
        for _ in 0..PARENTS_MAX {
            if let Some(found) = property(style) {
                return Some(found);
            }
            style = self.styles.get(style.parent.as_deref()?)?;
        }
        None
    }
}

/// Returns a style of texts or paragraphs with its name.
fn named(tag: &XmlTag<'_>) -> Option<(String, Style)> {
    let is_of_text = matches!(tag.attribute("family")?.as_str(), "text" | "paragraph");
    let style = Style { parent: tag.attribute("parent-style-name"), ..Style::default() };
    is_of_text.then_some((tag.attribute("name")?, style))
}
