//! What the tokenizer and its readers need to know of an element, looked up once for each tag.

/// A set of properties of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ElementTraits(u8);

/// Begins and ends a line.
const BLOCK: u8 = 1;
/// Has neither content nor an end tag.
const VOID: u8 = 1 << 1;
/// Its content is never displayed.
const UNDISPLAYED: u8 = 1 << 2;
/// Shows its text in bold, large or spaced letters.
const EMPHASIS: u8 = 1 << 3;

impl ElementTraits {
    /// Returns the traits of the element with this name, in any case.
    pub(super) fn of(name: &str) -> Self {
        let traits = hashify::tiny_map_ignore_case! { name.as_bytes(),
            "address" => BLOCK, "article" => BLOCK, "aside" => BLOCK, "blockquote" => BLOCK, "body" => BLOCK,
            "center" => BLOCK, "dd" => BLOCK, "dir" => BLOCK, "div" => BLOCK, "dl" => BLOCK, "dt" => BLOCK,
            "fieldset" => BLOCK, "figure" => BLOCK, "footer" => BLOCK, "form" => BLOCK, "h5" => BLOCK, "h6" => BLOCK,
            "header" => BLOCK, "html" => BLOCK, "li" => BLOCK, "main" => BLOCK, "nav" => BLOCK, "ol" => BLOCK,
            "p" => BLOCK, "section" => BLOCK, "table" => BLOCK, "tbody" => BLOCK, "tfoot" => BLOCK, "thead" => BLOCK,
            "tr" => BLOCK, "ul" => BLOCK,
            "h1" => BLOCK | EMPHASIS, "h2" => BLOCK | EMPHASIS, "h3" => BLOCK | EMPHASIS, "h4" => BLOCK | EMPHASIS,
            "pre" => BLOCK | EMPHASIS, "hr" => BLOCK | VOID,
            "area" => VOID, "base" => VOID, "br" => VOID, "col" => VOID, "embed" => VOID, "img" => VOID,
            "input" => VOID, "link" => VOID, "meta" => VOID, "source" => VOID, "track" => VOID, "wbr" => VOID,
            "noscript" => UNDISPLAYED, "script" => UNDISPLAYED, "style" => UNDISPLAYED, "template" => UNDISPLAYED,
            "title" => UNDISPLAYED,
            "b" => EMPHASIS, "big" => EMPHASIS, "code" => EMPHASIS, "kbd" => EMPHASIS, "mark" => EMPHASIS,
            "samp" => EMPHASIS, "strong" => EMPHASIS, "tt" => EMPHASIS,
        };
        Self(traits.unwrap_or_default())
    }

    /// Returns whether the element begins and ends a line.
    pub(crate) fn is_block(self) -> bool {
        self.0 & BLOCK != 0
    }

    /// Returns whether the element has neither content nor an end tag.
    pub(crate) fn is_void(self) -> bool {
        self.0 & VOID != 0
    }

    /// Returns whether the content of the element is never displayed.
    pub(crate) fn is_undisplayed(self) -> bool {
        self.0 & UNDISPLAYED != 0
    }

    /// Returns whether the element shows its text in bold, large or spaced letters.
    pub(crate) fn is_emphasis(self) -> bool {
        self.0 & EMPHASIS != 0
    }
}
