//! Styles of a document of Word, as far as they hide text (ECMA-376 Part 1, §17.7).

use std::collections::{HashMap, HashSet};

use super::is_on;
use crate::{
    FileError,
    xml::{XmlStep, XmlSteps, XmlTag},
};

/// Styles that a style is based on.
const BASES_MAX: usize = 20;

/// A style.
#[derive(Default)]
struct TextStyle {
    base: Option<String>,
    is_hidden: Option<bool>,
}

impl TextStyle {
    /// Takes what a tag of the style says, outside of the formats of the parts of a table.
    fn add(&mut self, name: &str, tag: &XmlTag<'_>) {
        match name {
            "basedOn" => self.base = tag.attribute("val"),
            "vanish" => self.is_hidden = Some(is_on(tag)),
            _ => {}
        }
    }
}

/// The styles that hide text.
#[derive(Default)]
pub(crate) struct TextStyles {
    /// The names of the styles that hide, by themselves or by those that they are based on.
    hidden: HashSet<String>,
    /// The style of paragraphs that name none.
    of_paragraphs: Option<String>,
    /// Whether text is hidden unless a style shows it.
    hides_all: bool,
    /// The names of the styles that show text if all is hidden.
    shown: HashSet<String>,
}

impl TextStyles {
    /// Reads the styles of a document.
    pub(crate) fn parse(source: &str) -> Result<Self, FileError> {
        let mut found = Self::default();
        let (mut steps, mut all) = (XmlSteps::new(source), HashMap::new());
        let (mut style, mut is_default) = (None::<(String, TextStyle)>, false);
        while let Some(step) = steps.next()? {
            match step {
                XmlStep::Open(tag) => match (&*tag.name(), &mut style) {
                    ("style", _) => {
                        style = tag.attribute("styleId").map(|id| (id, TextStyle::default()));
                        let is_of_paragraphs = tag.attribute("type").as_deref() == Some("paragraph");
                        if is_of_paragraphs && tag.attribute("default").is_some_and(|value| value != "0") {
                            found.of_paragraphs = tag.attribute("styleId");
                        }
                    }
                    ("rPrDefault", _) => is_default = true,
                    ("vanish", _) if is_default => found.hides_all = is_on(&tag),
                    (name, Some((_, style))) => style.add(name, &tag),
                    _ => {}
                },
                XmlStep::Close(name) if name == "style" => all.extend(style.take()),
                XmlStep::Close(name) if name == "rPrDefault" => is_default = false,
                XmlStep::Close(_) | XmlStep::Text(_) => {}
            }
        }
        for name in all.keys() {
            match hides(&all, name) {
                Some(true) => drop(found.hidden.insert(name.clone())),
                Some(false) => drop(found.shown.insert(name.clone())),
                None => {}
            }
        }
        Ok(found)
    }

    /// Returns whether the styles of a paragraph and of its run hide its text. The property is one that two styles switch off
    /// again (§17.7.3).
    pub(crate) fn hide(&self, paragraph: Option<&str>, run: Option<&str>) -> bool {
        let paragraph = paragraph.or(self.of_paragraphs.as_deref());
        let styles = || paragraph.into_iter().chain(run);
        let hiding = styles().filter(|name| self.hidden.contains(*name)).count();
        let is_shown = styles().any(|name| self.shown.contains(name));
        hiding % 2 == 1 || (hiding == 0 && self.hides_all && !is_shown)
    }
}

/// Returns what a style says, or else the nearest one that it is based on.
fn hides(styles: &HashMap<String, TextStyle>, name: &str) -> Option<bool> {
    let mut style = styles.get(name)?;
    for _ in 0..BASES_MAX {
        if style.is_hidden.is_some() {
            return style.is_hidden;
        }
        style = styles.get(style.base.as_deref()?)?;
    }
    None
}
