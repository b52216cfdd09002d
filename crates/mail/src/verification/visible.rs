//! The tokens of HTML that a reader can see.
//!
//! Follows which elements are open as a browser does, as far as that decides where a hidden element ends (HTML Standard,
//! section 13.2.6): an end tag also ends the elements inside, cells and items end the one before, and a stray end tag
//! ends nothing. A hidden element without an end tag hides all that its parent has behind it.

use crate::{
    extract::token::{self, HtmlName, HtmlStartTag, HtmlToken},
    html::hidden::{HidingAttributes, HidingState, OwnHiding},
};

/// Maximum number of open elements that a tag is compared with.
const COMPARED_MAX: usize = 200;

/// Elements that the next one of their kind ends, each in front of those that it ends.
const ENDED: [(&str, &[&str]); 9] = [
    ("li", &["li"]),
    ("dt", &["dt", "dd"]),
    ("dd", &["dt", "dd"]),
    ("td", &["td", "th"]),
    ("th", &["td", "th"]),
    ("tr", &["td", "th", "tr"]),
    ("tbody", &["td", "th", "tr", "thead", "tbody", "tfoot"]),
    ("thead", &["td", "th", "tr", "thead", "tbody", "tfoot"]),
    ("tfoot", &["td", "th", "tr", "thead", "tbody", "tfoot"]),
];

/// Returns the tokens of a document without hidden elements and without text in letters that nobody can read.
pub(super) fn tokens(html: &str) -> impl Iterator<Item = HtmlToken<'_>> {
    let mut open = OpenElements::default();
    token::tokens(html).filter(move |token| open.shows(token))
}

/// The elements whose end tag hasn't been reached, the innermost last.
#[derive(Default)]
struct OpenElements<'a>(Vec<OpenElement<'a>>);

struct OpenElement<'a> {
    name: HtmlName<'a>,
    own: OwnHiding,
    /// What is hidden inside.
    state: HidingState,
}

impl<'a> OpenElements<'a> {
    /// Updates the elements, and returns whether the reader sees what the token does.
    fn shows(&mut self, token: &HtmlToken<'a>) -> bool {
        match token {
            HtmlToken::Text(_) => !self.state().hides_text(),
            HtmlToken::Open(tag) => self.open(tag),
            HtmlToken::Close(name) => self.close(name),
        }
    }

    /// Returns what is hidden inside the innermost element.
    fn state(&self) -> HidingState {
        self.0.last().map_or_else(HidingState::default, |last| last.state)
    }

    fn open(&mut self, tag: &HtmlStartTag<'a>) -> bool {
        let own = own_hiding(tag);
        self.end_implied(&tag.name);
        if tag.name.traits.is_void() || tag.name.traits.is_undisplayed() {
            let is_break = tag.is("br") || tag.is("hr");
            let state = self.state().inside(&own);
            return if is_break { !state.is_removed() } else { !state.hides_images() };
        }
        let state = self.state().inside(&own);
        self.0.push(OpenElement { name: tag.name, own, state });
        !state.is_removed()
    }

    /// Ends the elements that a start tag ends.
    fn end_implied(&mut self, name: &HtmlName<'_>) {
        if !name.traits.is_item() && !name.traits.is_block() {
            return;
        }
        let ended = ENDED.iter().filter(|_| name.traits.is_item()).find(|(start, _)| name.is(start));
        let ended = ended.map_or(&[] as &[&str], |(_, ended)| ended);
        let mut keep = self.0.len();
        for (at, element) in self.0.iter().enumerate().rev().take(COMPARED_MAX) {
            let is_ended = element.name.is("p") || ended.iter().any(|ended| element.name.is(ended));
            if is_ended {
                keep = at;
            } else if is_special(&element.name) {
                break;
            }
        }
        self.0.truncate(keep);
    }

    fn close(&mut self, name: &HtmlName<'a>) -> bool {
        let was_removed = self.state().is_removed();
        let Some(at) = self.ended_by(name) else { return !was_removed };
        let is_removed = self.0[at].state.is_removed();
        if is_special(name) || at + 1 == self.0.len() || !self.0[at + 1..].iter().any(|inner| is_special(&inner.name)) {
            self.0.truncate(at);
        } else {
            // What is inside stays open, without it.
            self.0.remove(at);
            let mut state = at.checked_sub(1).map_or_else(HidingState::default, |outer| self.0[outer].state);
            for inner in &mut self.0[at..] {
                state = state.inside(&inner.own);
                inner.state = state;
            }
        }
        !is_removed
    }

    /// Returns the index of the element that an end tag ends.
    fn ended_by(&self, name: &HtmlName<'_>) -> Option<usize> {
        let is_table_part = name.traits.is_of_table();
        let can_cross = is_special(name) || name.traits.is_formatting();
        for (at, element) in self.0.iter().enumerate().rev().take(COMPARED_MAX) {
            if name.is(element.name.text) {
                return Some(at);
            }
            let is_bound = !is_table_part && element.name.traits.is_of_table();
            if is_bound || !can_cross && is_special(&element.name) {
                return None;
            }
        }
        None
    }
}

/// Returns what the attributes of a tag decide about what is hidden.
fn own_hiding(tag: &HtmlStartTag<'_>) -> OwnHiding {
    if !tag.has_attributes() {
        return OwnHiding::default();
    }
    let mut attributes = HidingAttributes::default();
    tag.attributes().for_each(|(name, value)| attributes.add(name, value));
    OwnHiding::of(tag.name.text, &attributes)
}

/// Returns whether an element ends a phrase: a block, or a part of a table.
fn is_special(name: &HtmlName<'_>) -> bool {
    name.traits.is_block() || name.traits.is_of_table()
}
