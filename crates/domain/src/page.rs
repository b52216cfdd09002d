//! Cursor pagination: opaque keyset cursors that are bound to the filters of their list.
//!
//! There are no offsets: a cursor names the last row of a page by its sort key, so inserts don't shift the following
//! pages.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::error::{ErrorCode, Refusal};

/// The default number of items per page.
pub const LIMIT_DEFAULT: u32 = 25;
/// The maximum number of items per page.
pub const LIMIT_MAX: u32 = 100;
const TAG_BYTES: usize = 8;

/// A position in a list: the sort value and id of the last row of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CursorPosition {
    /// The first sort value: milliseconds or a sequence number.
    pub sort: i64,
    /// The id, which orders rows with equal sort values.
    pub id: Uuid,
}

/// The part of a list to fetch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageRange {
    /// Start after this position; `None` means at the beginning.
    pub after: Option<CursorPosition>,
    /// The maximum number of items.
    pub limit: u32,
}

/// A position in a list whose rows are identified by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedCursorPosition {
    /// The first sort value.
    pub sort: i64,
    /// The name, which orders rows with equal sort values.
    pub name: String,
}

/// A position that a cursor can encode.
pub trait CursorKey: Sized {
    /// Encodes the position.
    fn key(&self) -> Vec<u8>;
    /// Decodes a position.
    fn of_key(key: &[u8]) -> Option<Self>;
}

impl CursorKey for CursorPosition {
    fn key(&self) -> Vec<u8> {
        [self.sort.to_be_bytes().as_slice(), self.id.as_bytes()].concat()
    }

    fn of_key(key: &[u8]) -> Option<Self> {
        let (sort, id) = key.split_at_checked(8)?;
        Some(Self { sort: i64::from_be_bytes(sort.try_into().ok()?), id: Uuid::from_slice(id).ok()? })
    }
}

impl CursorKey for NamedCursorPosition {
    fn key(&self) -> Vec<u8> {
        [self.sort.to_be_bytes().as_slice(), self.name.as_bytes()].concat()
    }

    fn of_key(key: &[u8]) -> Option<Self> {
        let (sort, name) = key.split_at_checked(8)?;
        Some(Self { sort: i64::from_be_bytes(sort.try_into().ok()?), name: String::from_utf8(name.to_vec()).ok()? })
    }
}

/// A requested page of a list. One row more than requested is fetched, to find out whether there is a next page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageRequest<P = CursorPosition> {
    /// Start after this position; `None` means at the beginning.
    pub after: Option<P>,
    filters: String,
    limit: u32,
}

impl<P: CursorKey> PageRequest<P> {
    /// Parses the cursor of a request. `filters` identifies the list and its filters in a stable form.
    ///
    /// # Errors
    /// Returns `invalid_cursor` if the cursor is malformed or belongs to other filters.
    pub fn new(filters: String, cursor: Option<&str>, limit: u32) -> Result<Self, Refusal> {
        let refusal = || {
            Refusal::new(
                ErrorCode::InvalidCursor,
                "The cursor is invalid, or belongs to another list or other filters.",
            )
        };
        let after = cursor.map(|cursor| decode_cursor(cursor, &filters).ok_or_else(refusal)).transpose()?;
        Ok(Self { after, filters, limit })
    }

    /// Returns how many rows to fetch.
    #[must_use]
    pub fn rows_to_fetch(&self) -> u32 {
        self.limit + 1
    }

    /// Removes the extra row and returns the cursor of the next page, if there is one.
    pub fn cut<T>(&self, fetched: &mut Vec<T>, place: impl FnOnce(&T) -> P) -> Option<String> {
        let shown = self.limit as usize;
        if fetched.len() <= shown {
            return None;
        }
        fetched.truncate(shown);
        fetched.last().map(|last| encode_cursor(&place(last), &self.filters))
    }
}

impl PageRequest {
    /// Returns the page to fetch.
    #[must_use]
    pub fn page(&self) -> PageRange {
        PageRange { after: self.after, limit: self.rows_to_fetch() }
    }
}

fn encode_cursor(place: &impl CursorKey, filters: &str) -> String {
    let mut bytes = place.key();
    let tag = tag(&bytes, filters);
    bytes.extend_from_slice(&tag);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn decode_cursor<P: CursorKey>(cursor: &str, filters: &str) -> Option<P> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (key, stored_tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
    P::of_key(key).filter(|_| tag(key, filters) == *stored_tag)
}

/// Binds a cursor to its list. This prevents accidental reuse with another list and is not a security measure: access
/// is checked against the caller's scope, not the cursor.
fn tag(key: &[u8], filters: &str) -> [u8; TAG_BYTES] {
    let digest = Sha256::new().chain_update(b"posthouse cursor 1").chain_update(key).chain_update(filters).finalize();
    let mut tag = [0; TAG_BYTES];
    tag.copy_from_slice(&digest[..TAG_BYTES]);
    tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips_only_with_its_filters() {
        let (here, filters) = (CursorPosition { sort: -5, id: Uuid::from_u128(77) }, "messages?labels=a");
        let cursor = encode_cursor(&here, filters);
        assert_eq!(decode_cursor(&cursor, filters), Some(here));
        assert_eq!(decode_cursor::<CursorPosition>(&cursor, "messages?labels=b"), None);
        for bad in ["", "abc", "%%%", &cursor[1..], "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
            let refused =
                PageRequest::<CursorPosition>::new(filters.to_owned(), Some(bad), 1).map_err(|refusal| refusal.code);
            assert_eq!(refused, Err(ErrorCode::InvalidCursor));
        }
        let named = NamedCursorPosition { sort: 7, name: "a@b.example".to_owned() };
        let cursor = encode_cursor(&named, "x");
        assert_eq!(decode_cursor(&cursor, "x"), Some(named));
        assert_eq!(decode_cursor::<NamedCursorPosition>(&cursor, "y"), None);
        assert_eq!(decode_cursor::<NamedCursorPosition>("", "x"), None);
    }

    #[test]
    fn page_has_a_next_cursor_only_if_an_extra_row_was_fetched() {
        let place = |n: &u128| CursorPosition { sort: 0, id: Uuid::from_u128(*n) };
        let paging = PageRequest::new("list".to_owned(), None, 2).unwrap();
        assert_eq!(paging.rows_to_fetch(), 3);
        let (mut all, mut more) = (vec![1, 2], vec![1, 2, 3]);
        assert_eq!((paging.cut(&mut all, place), all.len()), (None, 2));
        let cursor = paging.cut(&mut more, place).unwrap();
        assert_eq!(more, [1, 2]);
        assert_eq!(PageRequest::new("list".to_owned(), Some(&cursor), 2).unwrap().after, Some(place(&2)));
    }
}
