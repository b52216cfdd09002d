//! Cursor pagination: opaque keyset cursors that are bound to the filters of their list.
//!
//! There are no offsets: a cursor names the last row of a page by its sort key, so inserts don't shift the following
//! pages.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    error::{ErrorCode, Refusal},
    time::Time,
};

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

impl CursorPosition {
    /// Returns the position of a row in a list ordered by time.
    #[must_use]
    pub fn of(time: Time, id: Uuid) -> Self {
        Self { sort: time.millis(), id }
    }
}

/// The part of a list to fetch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageRange {
    /// Start after this position; `None` means at the beginning.
    pub after: Option<CursorPosition>,
    /// The maximum number of items.
    pub limit: u32,
}

impl PageRange {
    /// Returns the sort value before which a page of a list begins that has the newest rows first.
    #[must_use]
    pub fn sort(&self) -> i64 {
        self.after.map_or(i64::MAX, |after| after.sort)
    }

    /// Returns the id before which rows of that sort value begin.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.after.map_or(Uuid::max(), |after| after.id)
    }
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

/// The page of a list that a caller asks for. The list checks the cursor, because it knows its filters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageParameters {
    /// The cursor to continue after.
    pub cursor: Option<String>,
    /// Maximum number of items.
    pub limit: u32,
}

impl PageParameters {
    /// Returns the page of a list with these filters; see [`PageRequest::new`].
    ///
    /// # Errors
    /// Returns `invalid_cursor` if the cursor is malformed or belongs to other filters.
    pub fn of_list<P: CursorKey>(&self, filters: String) -> Result<PageRequest<P>, Refusal> {
        PageRequest::new(filters, self.cursor.as_deref(), self.limit)
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

    /// Returns the page of these rows, which are in the order of the list. Removes the extra row.
    pub fn page_of<T>(&self, mut fetched: Vec<T>, position: impl Fn(&T) -> P) -> Page<T> {
        let has_more = fetched.len() > self.limit as usize;
        fetched.truncate(self.limit as usize);
        let rows: Vec<PageRow<T>> =
            fetched.into_iter().map(|row| PageRow { key: position(&row).key(), row: Some(row) }).collect();
        let end = rows.last().map(|last| last.key.clone()).filter(|_| has_more);
        Page { rows, end, filters: Some(self.filters.clone()) }
    }
}

/// The rows of a page, each with its position, so that the list can continue after any of them.
///
/// Every list is rendered from a page. A page ends early if its rows exceed a budget of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page<T> {
    rows: Vec<PageRow<T>>,
    /// The position after the whole page; `None` at the end of the list.
    end: Option<Vec<u8>>,
    /// What the cursors are bound to; `None` if a cursor is the id of a row.
    filters: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct PageRow<T> {
    key: Vec<u8>,
    /// `None` if there is nothing to show of the row.
    row: Option<T>,
}

impl<T> Page<T> {
    /// Returns a page without rows, at the end of its list.
    #[must_use]
    pub fn empty() -> Self {
        Self { rows: Vec::new(), end: None, filters: None }
    }

    /// Creates a page of a list whose cursors are ids. `end` is the id after which the list continues.
    pub fn by_id(rows: Vec<T>, id: impl Fn(&T) -> Uuid, end: Option<Uuid>) -> Self {
        let keyed = |row| PageRow { key: id(&row).as_bytes().to_vec(), row: Some(row) };
        let end = end.map(|id| id.as_bytes().to_vec());
        Self { rows: rows.into_iter().map(keyed).collect(), end, filters: None }
    }

    /// Removes the last row of a page whose read stopped early: it shows only that the list continues.
    #[must_use]
    pub fn without_last(mut self) -> Self {
        self.rows.pop();
        self.end = self.rows.last().map(|last| last.key.clone());
        self
    }

    /// Replaces the rows. `load` returns one result for each of the first rows, and may leave out rows at the end, if
    /// they don't fit; the page then ends before them. It returns `None` for a row without anything to show.
    ///
    /// # Errors
    /// Returns the error of `load`.
    pub fn try_map<U, E>(self, load: impl FnOnce(Vec<T>) -> Result<Vec<Option<U>>, E>) -> Result<Page<U>, E> {
        let mut keys: Vec<Vec<u8>> = Vec::with_capacity(self.rows.len());
        let mut rows = Vec::with_capacity(self.rows.len());
        for PageRow { key, row } in self.rows {
            if let Some(row) = row {
                keys.push(key);
                rows.push(row);
            }
        }
        let loaded = load(rows)?;
        let is_cut = loaded.len() < keys.len();
        let rows: Vec<PageRow<U>> = keys.into_iter().zip(loaded).map(|(key, row)| PageRow { key, row }).collect();
        let end = if is_cut { rows.last().map(|last| last.key.clone()) } else { self.end };
        Ok(Page { rows, end, filters: self.filters })
    }

    /// Returns the number of rows, including those without anything to show.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether the page has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns each row in order; `None` for a row without anything to show.
    pub fn rows(&self) -> impl Iterator<Item = Option<&T>> {
        self.rows.iter().map(|row| row.row.as_ref())
    }

    /// Returns the rows that are shown, to change them.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.rows.iter_mut().filter_map(|row| row.row.as_mut())
    }

    /// Returns the cursor of the list after the first `count` rows; `None` at the end of the list.
    #[must_use]
    pub fn cursor_after(&self, count: usize) -> Option<String> {
        let key = match count.checked_sub(1) {
            Some(last) if count < self.rows.len() => self.rows.get(last).map(|row| &row.key),
            _ => self.end.as_ref(),
        };
        key.map(|key| match &self.filters {
            Some(filters) => encode_key(key, filters),
            None => Uuid::from_slice(key).unwrap_or_default().to_string(),
        })
    }
}

impl PageRequest {
    /// Returns the page to fetch.
    #[must_use]
    pub fn page(&self) -> PageRange {
        PageRange { after: self.after, limit: self.rows_to_fetch() }
    }
}

fn encode_key(key: &[u8], filters: &str) -> String {
    let mut bytes = key.to_vec();
    bytes.extend_from_slice(&tag(key, filters));
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns a cursor of a position.
#[must_use]
pub fn encode_cursor(position: &impl CursorKey, filters: &str) -> String {
    encode_key(&position.key(), filters)
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
        let position = |n: &u128| CursorPosition { sort: 0, id: Uuid::from_u128(*n) };
        let paging = PageRequest::new("list".to_owned(), None, 2).unwrap();
        assert_eq!(paging.rows_to_fetch(), 3);
        let all = paging.page_of(vec![1, 2], position);
        assert_eq!((all.cursor_after(2), all.len()), (None, 2));
        let more = paging.page_of(vec![1, 2, 3], position);
        assert_eq!(more.rows().flatten().collect::<Vec<_>>(), [&1, &2]);
        for (count, last) in [(1, 1), (2, 2)] {
            let cursor = more.cursor_after(count).unwrap();
            assert_eq!(PageRequest::new("list".to_owned(), Some(&cursor), 2).unwrap().after, Some(position(&last)));
        }
    }

    #[test]
    fn a_page_continues_after_the_last_row_that_was_loaded() {
        let position = |n: &u128| CursorPosition { sort: 0, id: Uuid::from_u128(*n) };
        let paging = PageRequest::new("list".to_owned(), None, 5).unwrap();
        let page = || paging.page_of(vec![1, 2, 3], position);
        let after = |cursor: Option<String>| {
            cursor.map(|cursor| PageRequest::new("list".to_owned(), Some(&cursor), 2).unwrap().after.unwrap())
        };
        let loaded =
            |count: usize| page().try_map(|rows| Ok::<_, ()>(rows.into_iter().take(count).map(Some).collect()));
        assert_eq!(after(loaded(3).unwrap().cursor_after(3)), None);
        assert_eq!(after(loaded(2).unwrap().cursor_after(2)), Some(position(&2)));
        let cut = page().without_last();
        assert_eq!((cut.len(), after(cut.cursor_after(2))), (2, Some(position(&2))));
        let ids = Page::by_id(vec![1_u128, 2], |n| Uuid::from_u128(*n), Some(Uuid::from_u128(9)));
        let expected = [Uuid::from_u128(1), Uuid::from_u128(9)].map(|id| Some(id.to_string()));
        assert_eq!([ids.cursor_after(1), ids.cursor_after(2)], expected);
    }
}
