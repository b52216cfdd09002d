//! What the tokenizer and its readers need to know of an element, looked up once for each tag.

/// A set of properties of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ElementTraits(u16);

/// Begins and ends a line.
const BLOCK: u16 = 1;
/// Has neither content nor an end tag.
const VOID: u16 = 1 << 1;
/// Its content is never displayed.
const UNDISPLAYED: u16 = 1 << 2;
/// Shows its text in bold, large or spaced letters.
const EMPHASIS: u16 = 1 << 3;
/// Has an empty line above.
const SPACE_ABOVE: u16 = 1 << 4;
/// Has an empty line below.
const SPACE_BELOW: u16 = 1 << 5;
/// Is a cell of a table.
const CELL: u16 = 1 << 6;
/// Is a table or a part of one: only end tags of tables end it.
const OF_TABLE: u16 = 1 << 7;
/// Can end inside a block that it doesn't contain.
const FORMATTING: u16 = 1 << 8;
/// Ends the one before it.
const ITEM: u16 = 1 << 9;

const PHRASE: u16 = EMPHASIS | FORMATTING;
const HEADING: u16 = BLOCK | EMPHASIS | SPACE_BELOW;
const PARAGRAPH: u16 = BLOCK | SPACE_ABOVE | SPACE_BELOW;
const SECTION: u16 = BLOCK | OF_TABLE | ITEM;

impl ElementTraits {
    /// Returns the traits of the element with this name, in any case.
    pub(super) fn of(name: &str) -> Self {
        let traits = hashify::tiny_map_ignore_case! { name.as_bytes(),
            "address" => BLOCK, "article" => BLOCK, "aside" => BLOCK, "body" => BLOCK, "center" => BLOCK,
            "dir" => BLOCK, "div" => BLOCK, "dl" => BLOCK, "fieldset" => BLOCK, "figure" => BLOCK, "footer" => BLOCK,
            "form" => BLOCK, "h5" => BLOCK, "h6" => BLOCK, "header" => BLOCK, "html" => BLOCK, "main" => BLOCK,
            "nav" => BLOCK, "ol" => BLOCK, "section" => BLOCK, "ul" => BLOCK,
            "dd" => BLOCK | ITEM, "dt" => BLOCK | ITEM, "li" => BLOCK | ITEM,
            "p" => PARAGRAPH, "blockquote" => PARAGRAPH, "hr" => BLOCK | VOID | SPACE_ABOVE,
            "h1" => HEADING, "h2" => HEADING, "h3" => HEADING, "h4" => HEADING, "pre" => BLOCK | EMPHASIS,
            "table" => BLOCK | OF_TABLE, "tbody" => SECTION, "tfoot" => SECTION, "thead" => SECTION, "tr" => SECTION,
            "td" => CELL | OF_TABLE | ITEM, "th" => CELL | OF_TABLE | ITEM, "caption" => OF_TABLE,
            "area" => VOID, "base" => VOID, "br" => VOID, "col" => VOID, "embed" => VOID, "img" => VOID,
            "input" => VOID, "link" => VOID, "meta" => VOID, "source" => VOID, "track" => VOID, "wbr" => VOID,
            "noscript" => UNDISPLAYED, "script" => UNDISPLAYED, "style" => UNDISPLAYED, "template" => UNDISPLAYED,
            "title" => UNDISPLAYED,
            "b" => PHRASE, "big" => PHRASE, "code" => PHRASE, "strong" => PHRASE, "tt" => PHRASE,
            "kbd" => EMPHASIS, "mark" => EMPHASIS, "samp" => EMPHASIS,
            "a" => FORMATTING, "em" => FORMATTING, "font" => FORMATTING, "i" => FORMATTING, "nobr" => FORMATTING,
            "s" => FORMATTING, "small" => FORMATTING, "strike" => FORMATTING, "u" => FORMATTING,
        };
        Self(traits.unwrap_or_default())
    }

    fn has(self, one: u16) -> bool {
        self.0 & one != 0
    }

    /// Returns whether the element begins and ends a line.
    pub(crate) fn is_block(self) -> bool {
        self.has(BLOCK)
    }

    /// Returns whether the element has neither content nor an end tag.
    pub(crate) fn is_void(self) -> bool {
        self.has(VOID)
    }

    /// Returns whether the content of the element is never displayed.
    pub(crate) fn is_undisplayed(self) -> bool {
        self.has(UNDISPLAYED)
    }

    /// Returns whether the element shows its text in bold, large or spaced letters.
    pub(crate) fn is_emphasis(self) -> bool {
        self.has(EMPHASIS)
    }

    /// Returns whether an empty line is above the element.
    pub(super) fn has_space_above(self) -> bool {
        self.has(SPACE_ABOVE)
    }

    /// Returns whether an empty line is below the element.
    pub(super) fn has_space_below(self) -> bool {
        self.has(SPACE_BELOW)
    }

    /// Returns whether the element is a cell of a table.
    pub(crate) fn is_cell(self) -> bool {
        self.has(CELL)
    }

    /// Returns whether the element is a table or a part of one, which only end tags of tables end.
    pub(crate) fn is_of_table(self) -> bool {
        self.has(OF_TABLE)
    }

    /// Returns whether the element belongs to a phrase, and can end inside a block that it doesn't contain.
    pub(crate) fn is_formatting(self) -> bool {
        self.has(FORMATTING)
    }

    /// Returns whether the element ends others of its kind that are open, such as an item of a list.
    pub(crate) fn is_item(self) -> bool {
        self.has(ITEM)
    }
}
