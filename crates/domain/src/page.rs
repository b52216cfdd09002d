//! Cursor pagination (API document, conventions; decision 5): opaque, keyset, bound to the filters they were given for.
//!
//! Never an offset: a cursor names the last row of a page by its sort key, so inserts do not shift what follows.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::error::{Code, Refusal};

/// Items of a page when the caller does not say.
pub const LIMIT_DEFAULT: u32 = 25;
/// Most items of a page.
pub const LIMIT_MAX: u32 = 100;
const TAG_BYTES: usize = 8;

/// The place behind the last row of a page: its sort value and its id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The value that the list is sorted by first: milliseconds or a sequence number.
    pub sort: i64,
    /// The id that decides between equal sort values.
    pub id: Uuid,
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// Start behind this place; from the beginning if none.
    pub after: Option<Position>,
    /// Most items.
    pub limit: u32,
}

/// The place behind the last row of a page whose rows are told apart by a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedPosition {
    /// The value that the list is sorted by first.
    pub sort: i64,
    /// The name that decides between equal sort values.
    pub name: String,
}

/// What a cursor carries: the place behind the last row of a page.
pub trait Place: Sized {
    /// The place as bytes.
    fn key(&self) -> Vec<u8>;
    /// The place of such bytes.
    fn of_key(key: &[u8]) -> Option<Self>;
}

impl Place for Position {
    fn key(&self) -> Vec<u8> {
        [self.sort.to_be_bytes().as_slice(), self.id.as_bytes()].concat()
    }

    fn of_key(key: &[u8]) -> Option<Self> {
        let (sort, id) = key.split_at_checked(8)?;
        Some(Self { sort: i64::from_be_bytes(sort.try_into().ok()?), id: Uuid::from_slice(id).ok()? })
    }
}

impl Place for NamedPosition {
    fn key(&self) -> Vec<u8> {
        [self.sort.to_be_bytes().as_slice(), self.name.as_bytes()].concat()
    }

    fn of_key(key: &[u8]) -> Option<Self> {
        let (sort, name) = key.split_at_checked(8)?;
        Some(Self { sort: i64::from_be_bytes(sort.try_into().ok()?), name: String::from_utf8(name.to_vec()).ok()? })
    }
}

/// A page of a list as it was asked for. One row more than is shown is fetched: it says whether there is a next page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paging<P = Position> {
    /// Start behind this place; from the beginning if none.
    pub after: Option<P>,
    filters: String,
    limit: u32,
}

impl<P: Place> Paging<P> {
    /// The page behind a cursor. `filters` names the list and its filters in a stable form.
    ///
    /// # Errors
    /// `invalid_cursor` when it is made up or was given for other filters.
    pub fn new(filters: String, cursor: Option<&str>, limit: u32) -> Result<Self, Refusal> {
        let refusal =
            || Refusal::new(Code::InvalidCursor, "The cursor is not one that this list gave for these filters.");
        let after = cursor.map(|cursor| read(cursor, &filters).ok_or_else(refusal)).transpose()?;
        Ok(Self { after, filters, limit })
    }

    /// How many rows to fetch.
    #[must_use]
    pub fn fetched(&self) -> u32 {
        self.limit + 1
    }

    /// Takes off what was fetched and is not shown; gives the cursor of the next page if there is one.
    pub fn cut<T>(&self, fetched: &mut Vec<T>, place: impl FnOnce(&T) -> P) -> Option<String> {
        let shown = self.limit as usize;
        if fetched.len() <= shown {
            return None;
        }
        fetched.truncate(shown);
        fetched.last().map(|last| write(&place(last), &self.filters))
    }
}

impl Paging {
    /// The page to fetch.
    #[must_use]
    pub fn page(&self) -> Page {
        Page { after: self.after, limit: self.fetched() }
    }
}

fn write(place: &impl Place, filters: &str) -> String {
    let mut bytes = place.key();
    let tag = tag(&bytes, filters);
    bytes.extend_from_slice(&tag);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn read<P: Place>(cursor: &str, filters: &str) -> Option<P> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (key, given) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
    P::of_key(key).filter(|_| tag(key, filters) == *given)
}

/// Binds a cursor to its list. It keeps honest clients from mixing lists up and is no secret: what a cursor reaches is
/// decided by the caller's scope, not by the cursor.
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
    fn a_cursor_comes_back_whole_and_only_for_its_filters() {
        let (here, filters) = (Position { sort: -5, id: Uuid::from_u128(77) }, "messages?labels=a");
        let cursor = write(&here, filters);
        assert_eq!(read(&cursor, filters), Some(here));
        assert_eq!(read::<Position>(&cursor, "messages?labels=b"), None);
        for bad in ["", "abc", "%%%", &cursor[1..], "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
            let refused = Paging::<Position>::new(filters.to_owned(), Some(bad), 1).map_err(|refusal| refusal.code);
            assert_eq!(refused, Err(Code::InvalidCursor));
        }
        let named = NamedPosition { sort: 7, name: "a@b.example".to_owned() };
        let cursor = write(&named, "x");
        assert_eq!(read(&cursor, "x"), Some(named));
        assert_eq!(read::<NamedPosition>(&cursor, "y"), None);
        assert_eq!(read::<NamedPosition>("", "x"), None);
    }

    #[test]
    fn a_page_has_a_next_one_only_if_more_was_fetched_than_is_shown() {
        let place = |n: &u128| Position { sort: 0, id: Uuid::from_u128(*n) };
        let paging = Paging::new("list".to_owned(), None, 2).unwrap();
        assert_eq!(paging.fetched(), 3);
        let (mut all, mut more) = (vec![1, 2], vec![1, 2, 3]);
        assert_eq!((paging.cut(&mut all, place), all.len()), (None, 2));
        let cursor = paging.cut(&mut more, place).unwrap();
        assert_eq!(more, [1, 2]);
        assert_eq!(Paging::new("list".to_owned(), Some(&cursor), 2).unwrap().after, Some(place(&2)));
    }
}
