//! Numbers of the paragraphs of a document (ECMA-376 Part 1, §17.9): they are not in the text, but counted by Word.

use std::collections::{HashMap, HashSet};

use crate::{
    FileError,
    kinds::{numbers::NumberForm, paragraphs::ParagraphLabels},
    xml::{XmlStep, XmlSteps, XmlTag},
};

/// Levels of a list.
const LEVELS: usize = 9;
/// Styles that a style is based on.
const BASES_MAX: usize = 20;
/// Characters of the text around numbers.
const PATTERN_CHARS_MAX: usize = 80;

/// A level of a list.
#[derive(Clone, Default)]
struct Level {
    start: Option<i64>,
    form: NumberForm,
    /// The text with `%1` to `%9` in place of numbers.
    pattern: String,
    /// Whether all its numbers are decimal.
    is_legal: bool,
    /// The paragraph style that has this level.
    style: Option<String>,
}

/// The levels of a list.
type ListLevels = [Level; LEVELS];

/// A use of a list, which may start again.
#[derive(Default)]
struct ListUse {
    list: String,
    starts: HashMap<usize, i64>,
    levels: HashMap<usize, Level>,
}

/// The list of a paragraph style.
#[derive(Clone, Default)]
struct StyleList {
    base: Option<String>,
    use_id: Option<String>,
    level: Option<usize>,
}

/// The list that a paragraph names itself.
#[derive(Clone, Default, PartialEq, Eq)]
struct ParagraphList {
    style: Option<String>,
    use_id: Option<String>,
    level: Option<usize>,
}

impl ParagraphList {
    /// Takes what a tag in the properties of a paragraph says.
    fn add(&mut self, name: &str, tag: &XmlTag<'_>) {
        match name {
            "pStyle" => self.style = tag.attribute("val"),
            "numId" => self.use_id = tag.attribute("val"),
            "ilvl" => self.level = tag.attribute("val").and_then(|level| level.parse().ok()),
            _ => {}
        }
    }
}

/// The numbers of the paragraphs of a document, in their order.
pub(super) struct ParagraphNumbers {
    numbering: Numbering,
    list: ParagraphList,
    /// The number of the paragraph, until its text begins.
    label: Option<String>,
}

impl ParagraphNumbers {
    pub(super) fn new(numbering: Numbering) -> Self {
        Self { numbering, list: ParagraphList::default(), label: None }
    }
}

impl ParagraphLabels for ParagraphNumbers {
    fn open(&mut self, name: &str, tag: &XmlTag<'_>) {
        match name {
            "p" => self.label = None,
            "pPr" => self.list = ParagraphList::default(),
            _ => self.list.add(name, tag),
        }
    }

    fn close(&mut self, name: &str) {
        if name == "pPr" {
            self.label = self.numbering.label(&self.list);
        }
    }

    fn take(&mut self) -> Option<String> {
        self.label.take()
    }
}

/// Counts the numbers of paragraphs.
#[derive(Default)]
pub(super) struct Numbering {
    lists: HashMap<String, ListLevels>,
    uses: HashMap<String, ListUse>,
    styles: HashMap<String, StyleList>,
    counts: HashMap<String, [Option<i64>; LEVELS]>,
    /// The starts that were used.
    started: HashSet<(String, usize)>,
}

impl Numbering {
    /// Reads the lists and the styles of a document.
    pub(super) fn parse(numbering: &str, styles: &str) -> Result<Self, FileError> {
        let mut found = Self::default();
        found.parse_lists(numbering)?;
        found.parse_styles(styles)?;
        Ok(found)
    }

    fn parse_lists(&mut self, source: &str) -> Result<(), FileError> {
        let mut steps = XmlSteps::new(source);
        let (mut list, mut one_use) = (None::<(String, ListLevels)>, None::<(String, ListUse)>);
        let mut level = None::<(usize, Level)>;
        while let Some(step) = steps.next()? {
            match step {
                XmlStep::Open(tag) => match &*tag.name() {
                    "abstractNum" => list = tag.attribute("abstractNumId").map(|id| (id, ListLevels::default())),
                    "num" => one_use = tag.attribute("numId").map(|id| (id, ListUse::default())),
                    "abstractNumId" => {
                        if let Some((_, one_use)) = &mut one_use {
                            one_use.list = tag.attribute("val").unwrap_or_default();
                        }
                    }
                    "lvl" => level = level_of(&tag).map(|at| (at, Level::default())),
                    "lvlOverride" => level = level_of(&tag).map(|at| (at, Level::default())),
                    "startOverride" => {
                        let start = tag.attribute("val").and_then(|start| start.parse().ok());
                        if let (Some((_, one_use)), Some((at, _)), Some(start)) = (&mut one_use, &level, start) {
                            one_use.starts.insert(*at, start);
                        }
                    }
                    name => {
                        if let Some((_, level)) = &mut level {
                            level.add(name, &tag);
                        }
                    }
                },
                XmlStep::Close(name) => match &*name {
                    "lvl" => match (level.take(), &mut one_use, &mut list) {
                        (Some((at, found)), Some((_, one_use)), _) => drop(one_use.levels.insert(at, found)),
                        (Some((at, found)), None, Some((_, levels))) => levels[at] = found,
                        _ => {}
                    },
                    "lvlOverride" => level = None,
                    "abstractNum" => self.lists.extend(list.take()),
                    "num" => self.uses.extend(one_use.take()),
                    _ => {}
                },
                XmlStep::Text(_) => {}
            }
        }
        Ok(())
    }

    fn parse_styles(&mut self, source: &str) -> Result<(), FileError> {
        let (mut steps, mut style) = (XmlSteps::new(source), None::<(String, StyleList)>);
        while let Some(step) = steps.next()? {
            match step {
                XmlStep::Open(tag) => match (&*tag.name(), &mut style) {
                    ("style", _) => style = tag.attribute("styleId").map(|id| (id, StyleList::default())),
                    ("basedOn", Some((_, style))) => style.base = tag.attribute("val"),
                    ("numId", Some((_, style))) => style.use_id = tag.attribute("val"),
                    ("ilvl", Some((_, style))) => style.level = tag.attribute("val").and_then(|at| at.parse().ok()),
                    _ => {}
                },
                XmlStep::Close(name) if name == "style" => self.styles.extend(style.take()),
                XmlStep::Close(_) | XmlStep::Text(_) => {}
            }
        }
        Ok(())
    }

    /// Counts a paragraph, and returns what Word shows before its text; nothing if it isn't in a list.
    fn label(&mut self, paragraph: &ParagraphList) -> Option<String> {
        let (use_id, level) = self.list_of(paragraph)?;
        let one_use = self.uses.get(&use_id)?;
        let levels = self.lists.get(&one_use.list)?;
        let of = |at: usize| one_use.levels.get(&at).unwrap_or(&levels[at]);
        let counts = self.counts.entry(one_use.list.clone()).or_default();
        let start = |at: usize| one_use.starts.get(&at).copied().or(of(at).start).unwrap_or(1);
        let is_first = one_use.starts.contains_key(&level) && self.started.insert((use_id.clone(), level));
        counts[level] = match counts[level] {
            Some(count) if !is_first => Some(count.saturating_add(1)),
            _ => Some(start(level)),
        };
        counts[level + 1..].fill(None);
        let mut text = String::new();
        if of(level).form == NumberForm::Bullet {
            return Some(NumberForm::Bullet.shown(1));
        }
        let mut pattern = of(level).pattern.chars().peekable();
        while let Some(c) = pattern.next() {
            let named = pattern.peek().and_then(|digit| digit.to_digit(10)).filter(|_| c == '%');
            match named.and_then(|digit| (digit as usize).checked_sub(1)) {
                Some(at) if at < LEVELS => {
                    pattern.next();
                    let form = if of(level).is_legal { NumberForm::Decimal } else { of(at).form };
                    text.push_str(&form.shown(counts[at].unwrap_or_else(|| start(at))));
                }
                _ => text.push(c),
            }
        }
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// Returns the list and the level of a paragraph.
    fn list_of(&self, paragraph: &ParagraphList) -> Option<(String, usize)> {
        let (mut use_id, mut level) = (paragraph.use_id.clone(), paragraph.level);
        let mut style = paragraph.style.clone();
        for _ in 0..BASES_MAX {
            let Some(found) = style.as_ref().and_then(|name| self.styles.get(name)).filter(|_| use_id.is_none()) else {
                break;
            };
            use_id = found.use_id.clone();
            level = level.or(found.level).or_else(|| self.level_of_style(use_id.as_ref()?, style.as_ref()?));
            style = found.base.clone();
        }
        Some((use_id?, level.unwrap_or(0).min(LEVELS - 1)))
    }

    /// Returns the level that a list has for a style.
    fn level_of_style(&self, use_id: &str, style: &str) -> Option<usize> {
        let levels = self.lists.get(&self.uses.get(use_id)?.list)?;
        levels.iter().position(|level| level.style.as_deref() == Some(style))
    }
}

impl Level {
    fn add(&mut self, name: &str, tag: &XmlTag<'_>) {
        let value = || tag.attribute("val").unwrap_or_default();
        match name {
            "start" => self.start = value().parse().ok(),
            "lvlText" => self.pattern = value().chars().take(PATTERN_CHARS_MAX).collect(),
            "isLgl" => self.is_legal = true,
            "pStyle" => self.style = Some(value()),
            "numFmt" => {
                self.form = match &*value() {
                    "decimalZero" => NumberForm::Padded,
                    "lowerLetter" => NumberForm::Lower,
                    "upperLetter" => NumberForm::Upper,
                    "lowerRoman" => NumberForm::LowerRoman,
                    "upperRoman" => NumberForm::UpperRoman,
                    "bullet" => NumberForm::Bullet,
                    "none" => NumberForm::Empty,
                    _ => NumberForm::Decimal,
                }
            }
            _ => {}
        }
    }
}

fn level_of(tag: &XmlTag<'_>) -> Option<usize> {
    tag.attribute("ilvl")?.parse().ok().filter(|level| *level < LEVELS)
}
