//! A model of the elements that a browser has open while it reads HTML (HTML standard, 13.2.4), to count how deep they
//! are and how many it creates, with formatting elements that it creates again in each block until their end tag.

use super::{
    bound::{DEPTH_MAX, HtmlBound, NODES_MAX},
    element::{ELEMENTS, ElementKind, HtmlElement},
};

/// Number of equal formatting elements that are created again (the "Noah's Ark clause").
const EQUAL_MAX: usize = 3;

/// The open elements.
#[derive(Debug)]
pub(super) struct OpenElements {
    stack: Vec<OpenElement>,
    /// How often each element is in `stack` or `pending`, by its number.
    counts: [usize; ELEMENTS],
    /// Formatting elements whose block was closed before them: they are created again before the next text.
    pending: Vec<OpenElement>,
    nodes: usize,
}

#[derive(Debug, Clone)]
struct OpenElement {
    element: HtmlElement,
    /// The start tag of a formatting element, to find equal ones; empty for others.
    tag: Box<str>,
}

impl OpenElement {
    fn is_formatting(&self) -> bool {
        self.element.kind == ElementKind::Formatting
    }
}

impl Default for OpenElements {
    fn default() -> Self {
        Self { stack: Vec::new(), counts: [0; ELEMENTS], pending: Vec::new(), nodes: 0 }
    }
}

impl OpenElements {
    /// Counts a text.
    pub(super) fn text(&mut self) -> Result<(), HtmlBound> {
        self.create_again()?;
        self.create(1)
    }

    /// Counts a tag that is dropped.
    pub(super) fn dropped(&mut self) -> Result<(), HtmlBound> {
        self.create(1)
    }

    /// Opens an element with its start tag.
    pub(super) fn open(&mut self, element: HtmlElement, tag: &str) -> Result<(), HtmlBound> {
        self.create(1)?;
        match element.kind {
            ElementKind::Void if element.name == "hr" => self.close_paragraph(),
            ElementKind::Void => return self.create_again(),
            ElementKind::Inline => self.create_again()?,
            ElementKind::Formatting => return self.open_formatting(element, tag),
            ElementKind::Block | ElementKind::Paragraph => self.close_paragraph(),
            // A page without a doctype keeps the paragraph open.
            ElementKind::Table => {}
            ElementKind::Item => {
                self.close_last(|open| open.kind == ElementKind::Item, |open| open.is_list || open.is_boundary());
                self.close_paragraph();
            }
            ElementKind::Section | ElementKind::Row | ElementKind::Cell => self.close_in_table(element.kind),
        }
        if element.kind == ElementKind::Void { Ok(()) } else { self.push_new(OpenElement { element, tag: "".into() }) }
    }

    /// Closes an element. Returns whether one was open; an end tag without one counts as a node, because looking for it
    /// costs as much.
    pub(super) fn close(&mut self, element: HtmlElement) -> Result<bool, HtmlBound> {
        let is_closed = self.counts[element.number] > 0 && self.close_open(element)?;
        if !is_closed {
            self.dropped()?;
        }
        Ok(is_closed)
    }

    fn close_open(&mut self, element: HtmlElement) -> Result<bool, HtmlBound> {
        let number = element.number;
        if let Some(at) = self.pending.iter().rposition(|open| open.element.number == number) {
            self.pending.remove(at);
            self.counts[number] -= 1;
            return Ok(true);
        }
        let is_of_table =
            matches!(element.kind, ElementKind::Table | ElementKind::Section | ElementKind::Row | ElementKind::Cell);
        for at in (0..self.stack.len()).rev() {
            let open = &self.stack[at];
            if open.element.number == number {
                if open.is_formatting() {
                    // The elements above it stay open, and a browser creates them once more.
                    self.create(self.stack.len() - at)?;
                    self.stack.remove(at);
                    self.counts[number] -= 1;
                } else {
                    self.cut(at);
                }
                return Ok(true);
            }
            if !is_of_table && open.element.is_boundary() {
                break;
            }
        }
        Ok(false)
    }

    fn open_formatting(&mut self, element: HtmlElement, tag: &str) -> Result<(), HtmlBound> {
        if element.name == "a" {
            // A link ends another one.
            self.close_open(element)?;
        }
        self.create_again()?;
        let from = self.stack.iter().rposition(|open| open.element.is_boundary()).map_or(0, |at| at + 1);
        let is_equal = |open: &&OpenElement| open.element.number == element.number && *open.tag == *tag;
        let tag = if self.stack[from..].iter().filter(is_equal).count() < EQUAL_MAX { tag } else { "" };
        self.push_new(OpenElement { element, tag: tag.into() })
    }

    fn push_new(&mut self, open: OpenElement) -> Result<(), HtmlBound> {
        self.counts[open.element.number] += 1;
        self.push(open)
    }

    fn push(&mut self, open: OpenElement) -> Result<(), HtmlBound> {
        self.stack.push(open);
        if self.stack.len() > DEPTH_MAX { Err(HtmlBound::Depth) } else { Ok(()) }
    }

    fn create(&mut self, count: usize) -> Result<(), HtmlBound> {
        self.nodes += count;
        if self.nodes > NODES_MAX { Err(HtmlBound::Nodes) } else { Ok(()) }
    }

    fn create_again(&mut self) -> Result<(), HtmlBound> {
        self.create(self.pending.len())?;
        for open in std::mem::take(&mut self.pending) {
            self.push(open)?;
        }
        Ok(())
    }

    fn close_paragraph(&mut self) {
        self.close_last(|open| open.kind == ElementKind::Paragraph, HtmlElement::is_boundary);
    }

    fn close_in_table(&mut self, kind: ElementKind) {
        let is_ended = |open: HtmlElement| match kind {
            ElementKind::Cell => open.kind == ElementKind::Cell,
            ElementKind::Row => matches!(open.kind, ElementKind::Cell | ElementKind::Row),
            _ => matches!(open.kind, ElementKind::Cell | ElementKind::Row | ElementKind::Section),
        };
        let from = self.stack.iter().rposition(|open| open.element.kind == ElementKind::Table).map_or(0, |at| at + 1);
        if let Some(at) = self.stack[from..].iter().position(|open| is_ended(open.element)) {
            self.cut(from + at);
        }
    }

    /// Closes the last element for which `is_ended` holds, unless one for which `is_end` holds is inside it.
    fn close_last(&mut self, is_ended: impl Fn(HtmlElement) -> bool, is_end: impl Fn(HtmlElement) -> bool) {
        for at in (0..self.stack.len()).rev() {
            if is_ended(self.stack[at].element) {
                return self.cut(at);
            }
            if is_end(self.stack[at].element) {
                return;
            }
        }
    }

    /// Closes the element at a position, and all inside it.
    fn cut(&mut self, at: usize) {
        let mut is_in_cell = false;
        for open in self.stack.drain(at..) {
            is_in_cell |= open.element.is_cell;
            // One with an empty tag is the fourth of its kind.
            if open.is_formatting() && !open.tag.is_empty() && !is_in_cell {
                self.pending.push(open);
            } else {
                self.counts[open.element.number] -= 1;
            }
        }
    }
}
