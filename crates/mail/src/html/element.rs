//! The elements, attributes and properties that mail may have when it is shown.

/// How an element changes the elements that are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// Has no content.
    Void,
    /// Is created again after the block that it was opened in.
    Formatting,
    /// Ends a paragraph.
    Block,
    /// Any other element.
    Inline,
    /// `p`.
    Paragraph,
    /// `li`, `dt` or `dd`: ends another one of the same list.
    Item,
    /// `table`.
    Table,
    /// `caption`, `colgroup`, `thead`, `tbody` or `tfoot`.
    Section,
    /// `tr`.
    Row,
    /// `td` or `th`.
    Cell,
}

/// An allowed element.
#[derive(Debug, Clone, Copy)]
pub(super) struct HtmlElement {
    pub(super) name: &'static str,
    pub(super) kind: ElementKind,
    /// Its number, below [`ELEMENTS`]. Equal elements have the same.
    pub(super) number: usize,
    /// Whether items are in it.
    pub(super) is_list: bool,
    /// Whether it is a cell or a caption of a table.
    pub(super) is_cell: bool,
}

impl HtmlElement {
    /// Returns whether an end tag inside the element doesn't close what is around it.
    pub(super) fn is_boundary(self) -> bool {
        self.is_cell || self.kind == ElementKind::Table
    }
}

/// Number of allowed elements.
pub(super) const ELEMENTS: usize = {
    let (mut at, mut sum) = (0, 0);
    while at < KINDS.len() {
        sum += KINDS[at].1.len();
        at += 1;
    }
    sum
};

const KINDS: [(ElementKind, &[&str]); 10] = [
    (ElementKind::Void, &["area", "br", "col", "hr", "img", "wbr"]),
    (
        ElementKind::Formatting,
        &["a", "b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"],
    ),
    (
        ElementKind::Block,
        &[
            "address",
            "article",
            "aside",
            "blockquote",
            "center",
            "details",
            "div",
            "dl",
            "figcaption",
            "figure",
            "footer",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hgroup",
            "main",
            "nav",
            "ol",
            "pre",
            "summary",
            "ul",
        ],
    ),
    (
        ElementKind::Inline,
        &[
            "abbr", "acronym", "bdi", "bdo", "cite", "data", "del", "dfn", "ins", "kbd", "map", "mark", "q", "rp",
            "rt", "rtc", "ruby", "samp", "span", "sub", "sup", "time", "var",
        ],
    ),
    (ElementKind::Paragraph, &["p"]),
    (ElementKind::Item, &["dd", "dt", "li"]),
    (ElementKind::Table, &["table"]),
    (ElementKind::Section, &["caption", "colgroup", "tbody", "tfoot", "thead"]),
    (ElementKind::Row, &["tr"]),
    (ElementKind::Cell, &["td", "th"]),
];

/// Returns an allowed element by its name, in any case.
pub(super) fn find(name: &str) -> Option<HtmlElement> {
    let mut all = KINDS.iter().flat_map(|(kind, names)| names.iter().map(move |name| (*kind, *name))).enumerate();
    let (number, (kind, name)) = all.find(|(_, (_, known))| known.eq_ignore_ascii_case(name))?;
    let is_list = matches!(name, "ul" | "ol" | "dl");
    let is_cell = kind == ElementKind::Cell || name == "caption";
    Some(HtmlElement { name, kind, number, is_list, is_cell })
}

/// The allowed attributes, fewer than 64.
pub(super) const ATTRIBUTES: [&str; 26] = [
    "align",
    "alt",
    "background",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "color",
    "colspan",
    "datetime",
    "dir",
    "face",
    "headers",
    "height",
    "href",
    "lang",
    "rowspan",
    "scope",
    "size",
    "span",
    "src",
    "start",
    "style",
    "title",
    "valign",
    "width",
];

/// Returns the index of an attribute in [`ATTRIBUTES`] if the element may have it.
pub(super) fn attribute(element: &str, name: &str) -> Option<usize> {
    let index = ATTRIBUTES.iter().position(|known| known.eq_ignore_ascii_case(name))?;
    match ATTRIBUTES[index] {
        "href" => element == "a",
        "src" => element == "img",
        _ => true,
    }
    .then_some(index)
}

/// Properties of inline styles. None of them moves an element out of its place.
const PROPERTIES: [&str; 62] = [
    "background",
    "background-color",
    "border",
    "border-bottom",
    "border-bottom-color",
    "border-bottom-style",
    "border-bottom-width",
    "border-collapse",
    "border-color",
    "border-left",
    "border-left-color",
    "border-left-style",
    "border-left-width",
    "border-radius",
    "border-right",
    "border-right-color",
    "border-right-style",
    "border-right-width",
    "border-spacing",
    "border-style",
    "border-top",
    "border-top-color",
    "border-top-style",
    "border-top-width",
    "border-width",
    "box-sizing",
    "clear",
    "color",
    "direction",
    "display",
    "float",
    "font",
    "font-family",
    "font-size",
    "font-style",
    "font-variant",
    "font-weight",
    "height",
    "letter-spacing",
    "line-height",
    "list-style",
    "list-style-type",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "max-height",
    "max-width",
    "min-height",
    "min-width",
    "overflow-wrap",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "table-layout",
    "text-align",
    "text-decoration",
    "vertical-align",
    "width",
];

/// Returns whether inline styles may set a property.
pub(super) fn is_property(name: &str) -> bool {
    PROPERTIES.iter().any(|known| known.eq_ignore_ascii_case(name))
}
