//! The bounds of HTML that is shown.

/// Maximum number of nested elements. Browsers stop there, too.
pub const DEPTH_MAX: usize = 512;
/// Maximum number of elements and texts, with the elements that a browser would create again.
pub const NODES_MAX: usize = 50_000;
/// Maximum number of attributes of one element.
pub const ATTRIBUTES_PER_ELEMENT_MAX: usize = 256;
/// Maximum number of attributes of all elements.
pub const ATTRIBUTES_MAX: usize = 100_000;
/// Maximum number of bytes of all attributes.
pub const ATTRIBUTE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Maximum number of bytes of the result, without images of the message.
pub const OUTPUT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Maximum number of bytes of the result for each byte of the input.
pub const OUTPUT_PER_INPUT_MAX: usize = 8;

/// A bound of HTML that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HtmlBound {
    /// [`DEPTH_MAX`].
    Depth,
    /// [`NODES_MAX`].
    Nodes,
    /// [`ATTRIBUTES_PER_ELEMENT_MAX`], [`ATTRIBUTES_MAX`] or [`ATTRIBUTE_BYTES_MAX`].
    Attributes,
    /// [`OUTPUT_PER_INPUT_MAX`] or [`OUTPUT_BYTES_MAX`].
    Output,
}

impl HtmlBound {
    /// Returns the bound as the end of a sentence: "has more than …".
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            HtmlBound::Depth => "more than 512 nested elements",
            HtmlBound::Nodes => "more than 50,000 elements and texts",
            HtmlBound::Attributes => {
                "more than 256 attributes on one element, or 100,000 attributes or 4 MiB of them in all"
            }
            HtmlBound::Output => "more than 4 MiB when it is shown, or more than 8 times the bytes that were received",
        }
    }
}
