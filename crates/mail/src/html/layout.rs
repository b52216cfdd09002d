//! What elements do to the layout of text, looked up once for each tag.

/// The separator between the next text and the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    None,
    Space,
    Cell,
    Line,
    Paragraph,
}

/// What else an element does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayoutRole {
    None,
    LineBreak,
    Ruler,
    List,
    NumberedList,
    Item,
    Quote,
    Preformatted,
    Link,
    Image,
}

/// How an element lays out its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementLayout {
    /// The gap that each of its tags produces.
    pub(super) gap: Gap,
    pub(super) role: LayoutRole,
    /// Whether it may be hidden. Only elements with a reliable end tag: otherwise, hiding one could swallow the content
    /// after it.
    pub(super) can_hide: bool,
}

impl ElementLayout {
    const fn new(gap: Gap) -> Self {
        Self { gap, role: LayoutRole::None, can_hide: false }
    }

    const fn hideable(self) -> Self {
        Self { can_hide: true, ..self }
    }

    const fn with(self, role: LayoutRole) -> Self {
        Self { role, ..self }
    }

    /// Returns whether an element of this name has content and an end tag.
    pub(super) fn has_content(self, name: &str) -> bool {
        const VOID: [&str; 9] = ["area", "base", "col", "embed", "input", "link", "meta", "source", "wbr"];
        !matches!(self.role, LayoutRole::LineBreak | LayoutRole::Ruler | LayoutRole::Image)
            && !VOID.iter().any(|void| name.eq_ignore_ascii_case(void))
    }

    /// Returns the layout of the element with this name, in any case.
    pub(super) fn of(name: &str) -> Self {
        use LayoutRole as Role;
        const INLINE: ElementLayout = ElementLayout::new(Gap::None);
        const CELL: ElementLayout = ElementLayout::new(Gap::Cell);
        const BLOCK: ElementLayout = ElementLayout::new(Gap::Line);
        const PARAGRAPH: ElementLayout = ElementLayout::new(Gap::Paragraph);
        let layout = hashify::tiny_map_ignore_case! { name.as_bytes(),
            "a" => INLINE.hideable().with(Role::Link), "img" => INLINE.with(Role::Image),
            "br" => INLINE.with(Role::LineBreak), "b" => INLINE.hideable(), "big" => INLINE.hideable(),
            "em" => INLINE.hideable(), "font" => INLINE.hideable(), "i" => INLINE.hideable(),
            "label" => INLINE.hideable(), "small" => INLINE.hideable(), "span" => INLINE.hideable(),
            "strong" => INLINE.hideable(), "sub" => INLINE.hideable(), "sup" => INLINE.hideable(),
            "u" => INLINE.hideable(), "dir" => INLINE.with(Role::List), "menu" => INLINE.with(Role::List),
            "td" => CELL.hideable(), "th" => CELL.hideable(),
            "li" => BLOCK.with(Role::Item), "hr" => BLOCK.with(Role::Ruler),
            "article" => BLOCK.hideable(), "aside" => BLOCK.hideable(), "center" => BLOCK.hideable(),
            "div" => BLOCK.hideable(), "footer" => BLOCK.hideable(), "header" => BLOCK.hideable(),
            "main" => BLOCK.hideable(), "section" => BLOCK.hideable(), "tbody" => BLOCK.hideable(),
            "tr" => BLOCK.hideable(), "address" => BLOCK, "body" => BLOCK, "caption" => BLOCK, "dd" => BLOCK,
            "details" => BLOCK, "dt" => BLOCK, "fieldset" => BLOCK, "figcaption" => BLOCK, "form" => BLOCK,
            "head" => BLOCK, "html" => BLOCK, "legend" => BLOCK, "nav" => BLOCK, "option" => BLOCK,
            "summary" => BLOCK, "tfoot" => BLOCK, "thead" => BLOCK,
            "p" => PARAGRAPH.hideable(), "h1" => PARAGRAPH.hideable(), "h2" => PARAGRAPH.hideable(),
            "h3" => PARAGRAPH.hideable(), "h4" => PARAGRAPH.hideable(), "h5" => PARAGRAPH.hideable(),
            "h6" => PARAGRAPH.hideable(), "table" => PARAGRAPH.hideable(), "dl" => PARAGRAPH, "figure" => PARAGRAPH,
            "blockquote" => PARAGRAPH.hideable().with(Role::Quote),
            "pre" => PARAGRAPH.hideable().with(Role::Preformatted),
            "ul" => PARAGRAPH.hideable().with(Role::List), "ol" => PARAGRAPH.hideable().with(Role::NumberedList),
        };
        layout.unwrap_or(INLINE)
    }
}
