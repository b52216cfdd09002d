//! Bullets and numbers of paragraphs on slides (ECMA-376 Part 1, §21.1.2.4): a paragraph has its own, or that of the first of
//! its shape, the places of the layout and of the master, and the text styles of the master that has one for its level.

use std::{collections::HashMap, rc::Rc};

use crate::{
    FileError,
    kinds::{numbers::NumberForm, paragraphs::ParagraphLabels},
    xml::{XmlStep, XmlSteps, XmlTag},
};

/// Levels of paragraphs.
const LEVELS: usize = 9;
/// Places of a layout or a master.
const PLACES_MAX: usize = 500;

const BULLET: char = '•';
/// Signs that are the same in every font.
const SIGNS: [char; 16] = ['–', '—', '-', '*', '»', '›', '>', '·', '○', '●', '■', '▪', '□', '►', '✓', '→'];

/// What is shown before a paragraph.
#[derive(Clone, PartialEq, Eq)]
enum Bullet {
    Nothing,
    Sign(char),
    Number { scheme: String, start: i64 },
}

impl Bullet {
    /// Returns what a tag says about the bullet.
    fn of(name: &str, tag: &XmlTag<'_>) -> Option<Self> {
        match name {
            "buNone" => Some(Self::Nothing),
            "buChar" => Some(Self::Sign(tag.attribute("char").and_then(|text| sign(&text)).unwrap_or(BULLET))),
            "buBlip" => Some(Self::Sign(BULLET)),
            "buAutoNum" => {
                let start = tag.attribute("startAt").and_then(|start| start.parse().ok()).unwrap_or(1);
                Some(Self::Number { scheme: tag.attribute("type").unwrap_or_default(), start })
            }
            _ => None,
        }
    }
}

/// Returns the sign of a bullet. Other characters stand for signs of fonts such as Wingdings.
fn sign(text: &str) -> Option<char> {
    text.chars().next().filter(|c| SIGNS.contains(c))
}

/// The bullets of each level.
#[derive(Clone, Default)]
struct ListStyle([Option<Bullet>; LEVELS]);

/// The place for text that a shape fills.
#[derive(Clone, PartialEq, Eq)]
struct Place {
    kind: String,
    index: Option<String>,
}

impl Place {
    fn of(tag: &XmlTag<'_>) -> Self {
        // A place without a type is one for any content.
        Self { kind: tag.attribute("type").unwrap_or_else(|| "obj".to_owned()), index: tag.attribute("idx") }
    }

    /// Returns the kind of text that the place has, which text styles of masters and their places are for.
    fn text_kind(&self) -> TextKind {
        match &*self.kind {
            "title" | "ctrTitle" => TextKind::Title,
            "dt" | "ftr" | "sldNum" | "hdr" => TextKind::Other,
            _ => TextKind::Body,
        }
    }
}

/// The text styles of a master.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum TextKind {
    Title,
    Body,
    Other,
}

/// What a layout or a master says about bullets.
#[derive(Default)]
pub(super) struct SlideStyles {
    places: Vec<(Place, ListStyle)>,
    texts: HashMap<TextKind, ListStyle>,
}

impl SlideStyles {
    /// Reads the styles of a layout or a master.
    pub(super) fn parse(source: &str) -> Result<Self, FileError> {
        let (mut steps, mut found) = (XmlSteps::new(source), Self::default());
        let (mut place, mut lists) = (None::<Place>, ListStyleReader::default());
        while let Some(step) = steps.next()? {
            match step {
                XmlStep::Open(tag) => {
                    let name = tag.name();
                    match &*name {
                        "sp" => place = None,
                        "ph" => place = Some(Place::of(&tag)),
                        name => lists.open(name, &tag),
                    }
                }
                XmlStep::Close(name) => {
                    let Some(style) = lists.close(&name) else { continue };
                    let kind = match &*name {
                        "titleStyle" => TextKind::Title,
                        "bodyStyle" => TextKind::Body,
                        "otherStyle" => TextKind::Other,
                        _ => {
                            let place = place.clone().filter(|_| found.places.len() < PLACES_MAX);
                            found.places.extend(place.map(|place| (place, style)));
                            continue;
                        }
                    };
                    found.texts.insert(kind, style);
                }
                XmlStep::Text(_) => {}
            }
        }
        Ok(found)
    }

    fn find(&self, is_it: impl Fn(&Place) -> bool) -> Option<&ListStyle> {
        self.places.iter().find(|(place, _)| is_it(place)).map(|(_, style)| style)
    }

    /// Returns the style of the place of a layout that a shape fills.
    fn of_layout(&self, place: &Place) -> Option<&ListStyle> {
        let by_index = self.find(|other| place.index.is_some() && other.index == place.index);
        by_index.or_else(|| self.find(|other| other.kind == place.kind))
    }

    /// Returns the style of the place of a master. It has one for each kind of text.
    fn of_master(&self, place: &Place) -> Option<&ListStyle> {
        let by_kind = self.find(|other| other.kind == place.kind);
        by_kind.or_else(|| self.find(|other| other.text_kind() == place.text_kind()))
    }
}

/// Reads the bullets of the levels of a list style.
#[derive(Default)]
struct ListStyleReader {
    style: Option<ListStyle>,
    level: Option<usize>,
}

const LIST_STYLES: [&str; 4] = ["lstStyle", "titleStyle", "bodyStyle", "otherStyle"];

impl ListStyleReader {
    fn open(&mut self, name: &str, tag: &XmlTag<'_>) {
        if LIST_STYLES.contains(&name) {
            self.style = Some(ListStyle::default());
        }
        let Some(style) = &mut self.style else { return };
        if let Some(number) = name.strip_prefix("lvl").and_then(|rest| rest.strip_suffix("pPr")) {
            self.level = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        } else if let (Some(bullet), Some(level)) = (Bullet::of(name, tag), self.level)
            && let Some(known) = style.0.get_mut(level)
        {
            *known = Some(bullet);
        }
    }

    /// Returns the style that ends.
    fn close(&mut self, name: &str) -> Option<ListStyle> {
        if !LIST_STYLES.contains(&name) {
            return None;
        }
        self.level = None;
        self.style.take()
    }
}

/// The bullets of the paragraphs of a slide.
pub(super) struct SlideBullets {
    layout: Rc<SlideStyles>,
    master: Rc<SlideStyles>,
    place: Option<Place>,
    lists: ListStyleReader,
    of_shape: ListStyle,
    level: usize,
    own: Option<Bullet>,
    /// Whether the text of the paragraph has not begun.
    is_start: bool,
    /// The numbers that were counted last on each level, by their scheme.
    counts: [Option<(String, i64)>; LEVELS],
}

impl SlideBullets {
    pub(super) fn new(layout: Rc<SlideStyles>, master: Rc<SlideStyles>) -> Self {
        Self {
            layout,
            master,
            place: None,
            lists: ListStyleReader::default(),
            of_shape: ListStyle::default(),
            level: 0,
            own: None,
            is_start: false,
            counts: Default::default(),
        }
    }

    fn bullet(&self) -> Option<&Bullet> {
        let place = self.place.as_ref();
        let of_layout = place.and_then(|place| self.layout.of_layout(place));
        let of_master = place.and_then(|place| self.master.of_master(place));
        let of_texts = self.master.texts.get(&place.map_or(TextKind::Other, Place::text_kind));
        let styles = [Some(&self.of_shape), of_layout, of_master, of_texts].into_iter().flatten();
        self.own.as_ref().or_else(|| styles.into_iter().find_map(|style| style.0[self.level].as_ref()))
    }
}

impl ParagraphLabels for SlideBullets {
    fn open(&mut self, name: &str, tag: &XmlTag<'_>) {
        match name {
            "sp" | "graphicFrame" => self.place = None,
            "ph" => self.place = Some(Place::of(tag)),
            "txBody" => (self.of_shape, self.counts) = (ListStyle::default(), Default::default()),
            "p" => (self.level, self.own, self.is_start) = (0, None, true),
            "pPr" => {
                let level = tag.attribute("lvl").and_then(|level| level.parse().ok());
                self.level = level.unwrap_or(0).min(LEVELS - 1);
            }
            name => match Bullet::of(name, tag) {
                Some(bullet) if self.lists.style.is_none() => self.own = Some(bullet),
                _ => self.lists.open(name, tag),
            },
        }
    }

    fn close(&mut self, name: &str) {
        if let Some(style) = self.lists.close(name) {
            self.of_shape = style;
        }
    }

    fn take(&mut self) -> Option<String> {
        if !std::mem::take(&mut self.is_start) {
            return None;
        }
        let bullet = self.bullet().cloned();
        let level = self.level;
        match bullet {
            Some(Bullet::Number { scheme, start }) => {
                let before = self.counts[level].take().filter(|(known, _)| *known == scheme);
                let number = before.map_or(start, |(_, number)| number.saturating_add(1));
                self.counts[level + 1..].fill(None);
                let label = numbered(&scheme, number);
                self.counts[level] = Some((scheme, number));
                Some(label)
            }
            Some(Bullet::Sign(sign)) => {
                self.counts[level..].fill(None);
                Some(sign.to_string())
            }
            Some(Bullet::Nothing) | None => {
                self.counts[level..].fill(None);
                None
            }
        }
    }
}

/// Returns a number in a scheme, such as `arabicPeriod` (§20.1.10.61).
fn numbered(scheme: &str, number: i64) -> String {
    let forms = [
        ("alphaLc", NumberForm::Lower),
        ("alphaUc", NumberForm::Upper),
        ("romanLc", NumberForm::LowerRoman),
        ("romanUc", NumberForm::UpperRoman),
    ];
    let form =
        forms.into_iter().find(|(start, _)| scheme.starts_with(start)).map_or(NumberForm::Decimal, |(_, form)| form);
    let shown = form.shown(number);
    if scheme.ends_with("ParenBoth") {
        format!("({shown})")
    } else if scheme.ends_with("ParenR") {
        format!("{shown})")
    } else if scheme.ends_with("Plain") {
        shown
    } else {
        format!("{shown}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kinds::paragraphs, output::TextWriter};

    const MASTER: &str = r#"<p:sldMaster><p:sp><p:nvPr><p:ph type="title"/></p:nvPr></p:sp><p:sp><p:nvPr><p:ph type="body" idx="1"/></p:nvPr>
        <p:txBody><a:lstStyle/></p:txBody></p:sp><p:txStyles><p:titleStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr></p:titleStyle>
        <p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buAutoNum type="alphaLcParenR"/></a:lvl2pPr></p:bodyStyle>
        </p:txStyles></p:sldMaster>"#;
    const LAYOUT: &str = r#"<p:sp><p:nvPr><p:ph type="subTitle" idx="7"/></p:nvPr><p:txBody><a:lstStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr>
        </a:lstStyle></p:txBody></p:sp>"#;

    fn shown(shape: &str) -> String {
        let styles = |source| Rc::new(SlideStyles::parse(source).expect("styles"));
        let mut bullets = SlideBullets::new(styles(LAYOUT), styles(MASTER));
        let mut out = TextWriter::default();
        paragraphs::write_labeled(&format!("<p:sp>{shape}</p:sp>"), &mut out, &mut bullets).expect("a slide");
        out.finish().pages.concat().trim().replace('\n', "|")
    }

    #[test]
    fn paragraphs_have_the_bullets_of_their_place() {
        let p = |properties: &str, text: &str| {
            format!("<a:p><a:pPr {properties}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>")
        };
        let numbered = |scheme: &str| format!(r#"><a:buAutoNum type="{scheme}"/>"#);
        let table = [
            (r#"<p:ph type="body" idx="1"/>"#, p(">", "a"), "• a"),
            (r#"<p:ph idx="4"/>"#, p(">", "a"), "• a"),
            (r#"<p:ph idx="1"/>"#, p("><a:buChar char=\"–\"/>", "a"), "– a"),
            (r#"<p:ph idx="1"/>"#, p("><a:buFont typeface=\"Wingdings\"/><a:buChar char=\"§\"/>", "a"), "• a"),
            (r#"<p:ph type="title"/>"#, p(">", "a"), "a"),
            (r#"<p:ph type="subTitle" idx="7"/>"#, p(">", "a"), "a"),
            (r#"<p:ph type="ftr" idx="9"/>"#, p(">", "a"), "a"),
            ("", p(">", "a"), "a"),
            (r#"<p:ph idx="1"/>"#, p("><a:buNone/>", "a"), "a"),
            (r#"<p:ph idx="1"/>"#, "<a:p/>".to_owned() + &p(">", "a"), "• a"),
            (
                r#"<p:ph idx="1"/>"#,
                [p(">", "a"), p(r#"lvl="1">"#, "b"), p(r#"lvl="1">"#, "c")].concat(),
                "• a|a) b|b) c",
            ),
            (
                "",
                [
                    p(&numbered("arabicPeriod"), "a"),
                    p(&numbered("arabicPeriod"), "b"),
                    p(">", "c"),
                    p(&numbered("arabicPeriod"), "d"),
                ]
                .concat(),
                "1. a|2. b|c|1. d",
            ),
            ("", [p(&numbered("romanUcParenBoth"), "a"), p(&numbered("alphaUcPlain"), "b")].concat(), "(I) a|A b"),
            ("", p(r#"><a:buAutoNum type="arabicParenR" startAt="5"/>"#, "a"), "5) a"),
            (
                "<p:txBody><a:lstStyle><a:lvl1pPr><a:buChar char=\"n\"/></a:lvl1pPr></a:lstStyle>",
                p(">", "a") + "</p:txBody>",
                "• a",
            ),
        ];
        for (place, text, expected) in table {
            assert_eq!(shown(&format!("{place}{text}")), expected, "{place}{text}");
        }
    }
}
