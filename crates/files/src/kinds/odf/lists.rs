//! Numbers of list items (OASIS OpenDocument 1.3 Part 3, §5.3 and §16.30): programs count them, they are not in the text.

use std::collections::HashMap;

use crate::{
    FileError,
    kinds::numbers::NumberForm,
    xml::{XmlStep, XmlSteps, XmlTag},
};

/// Levels of a list.
const LEVELS_MAX: usize = 10;
/// Characters before or after a number.
const AFFIX_CHARS_MAX: usize = 20;

/// A level of a style.
#[derive(Clone, Default)]
struct Level {
    form: NumberForm,
    prefix: String,
    suffix: String,
    start: i64,
    /// Levels whose numbers are shown, up to this one.
    shown: usize,
}

/// A list that is being read.
struct OpenList {
    style: Option<String>,
    count: Option<i64>,
}

/// Counts the items of lists.
#[derive(Default)]
pub(super) struct OdfLists {
    styles: HashMap<String, Vec<Level>>,
    open: Vec<OpenList>,
    /// The last number of each style at the outermost level.
    last: HashMap<String, i64>,
    /// The number of an item, until its text begins.
    label: Option<String>,
}

impl OdfLists {
    /// Reads the styles of lists in these parts of a document.
    pub(super) fn parse<'s>(sources: impl IntoIterator<Item = &'s str>) -> Result<Self, FileError> {
        let mut lists = Self::default();
        for source in sources {
            let (mut steps, mut style) = (XmlSteps::new(source), None::<(String, Vec<Level>)>);
            while let Some(step) = steps.next()? {
                match step {
                    XmlStep::Open(tag) => match (&*tag.name(), &mut style) {
                        ("list-style", _) => style = tag.attribute("name").map(|name| (name, Vec::new())),
                        (name, Some((_, levels)))
                            if name.starts_with("list-level-style-") && levels.len() < LEVELS_MAX =>
                        {
                            levels.push(Level::of(name, &tag));
                        }
                        _ => {}
                    },
                    XmlStep::Close(name) if name == "list-style" => lists.styles.extend(style.take()),
                    XmlStep::Close(_) | XmlStep::Text(_) => {}
                }
            }
        }
        Ok(lists)
    }

    pub(super) fn open(&mut self, name: &str, tag: &XmlTag<'_>) {
        match name {
            "list" => {
                let own = tag.attribute("style-name");
                let style = own.or_else(|| self.open.last().and_then(|outer| outer.style.clone()));
                let is_continued = tag.attribute("continue-numbering").as_deref() == Some("true")
                    || tag.attribute("continue-list").is_some();
                let count = style.as_ref().filter(|_| is_continued && self.open.is_empty());
                let count = count.and_then(|style| self.last.get(style)).copied();
                self.open.push(OpenList { style, count });
            }
            "list-item" => {
                let start = tag.attribute("start-value").and_then(|start| start.parse().ok());
                self.label = self.next_label(start);
            }
            _ => self.label = None,
        }
    }

    pub(super) fn close(&mut self, name: &str) {
        self.label = None;
        if name == "list"
            && let Some(OpenList { style: Some(style), count: Some(count) }) = self.open.pop()
            && self.open.is_empty()
        {
            self.last.insert(style, count);
        }
    }

    /// Returns what is shown before the text of an item, once.
    pub(super) fn take_label(&mut self) -> Option<String> {
        self.label.take()
    }

    fn next_label(&mut self, start: Option<i64>) -> Option<String> {
        let at = self.open.len().checked_sub(1)?;
        let levels = self.styles.get(self.open[at].style.as_ref()?)?;
        let level = levels.get(at)?;
        let list = &mut self.open[at];
        list.count = Some(start.or_else(|| list.count.map(|count| count.saturating_add(1))).unwrap_or(level.start));
        if level.form == NumberForm::Bullet {
            return Some(level.form.shown(1));
        }
        let first = (at + 1).saturating_sub(level.shown.max(1));
        let numbers = (first..=at).filter_map(|of| Some(levels.get(of)?.form.shown(self.open[of].count?)));
        let numbers: Vec<String> = numbers.filter(|number| !number.is_empty()).collect();
        let text = format!("{}{}{}", level.prefix, numbers.join("."), level.suffix);
        Some(text).filter(|text| !numbers.is_empty() && !text.trim().is_empty())
    }
}

impl Level {
    fn of(name: &str, tag: &XmlTag<'_>) -> Self {
        let affix = |name: &str| tag.attribute(name).unwrap_or_default().chars().take(AFFIX_CHARS_MAX).collect();
        let number = |name: &str| tag.attribute(name).and_then(|number| number.parse::<i64>().ok()).unwrap_or(1);
        let form = match (name, tag.attribute("num-format").as_deref()) {
            ("list-level-style-number", Some("1")) => NumberForm::Decimal,
            ("list-level-style-number", Some("a")) => NumberForm::Lower,
            ("list-level-style-number", Some("A")) => NumberForm::Upper,
            ("list-level-style-number", Some("i")) => NumberForm::LowerRoman,
            ("list-level-style-number", Some("I")) => NumberForm::UpperRoman,
            ("list-level-style-number", _) => NumberForm::Empty,
            _ => NumberForm::Bullet,
        };
        let shown = usize::try_from(number("display-levels")).unwrap_or(1).min(LEVELS_MAX);
        Self { form, prefix: affix("num-prefix"), suffix: affix("num-suffix"), start: number("start-value"), shown }
    }
}
