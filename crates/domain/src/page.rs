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

/// What a cursor belongs to: the list and its filters in a stable text form. A cursor of other filters is refused.
#[derive(Clone, Copy, Debug)]
pub struct Filters<'a>(pub &'a str);

impl Position {
    /// The cursor that the caller gets.
    #[must_use]
    pub fn cursor(&self, filters: Filters<'_>) -> String {
        let mut bytes = Vec::with_capacity(24 + TAG_BYTES);
        bytes.extend_from_slice(&self.sort.to_be_bytes());
        bytes.extend_from_slice(self.id.as_bytes());
        let tag = tag(&bytes, filters);
        bytes.extend_from_slice(&tag);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a cursor that came back.
    ///
    /// # Errors
    /// `invalid_cursor` when it is made up or was given for other filters.
    pub fn parse(cursor: &str, filters: Filters<'_>) -> Result<Self, Refusal> {
        let refusal =
            || Refusal::new(Code::InvalidCursor, "The cursor is not one that this list gave for these filters.");
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refusal())?;
        let bytes: [u8; 24 + TAG_BYTES] = bytes.try_into().map_err(|_| refusal())?;
        let (key, given) = bytes.split_at(24);
        if tag(key, filters) != *given {
            return Err(refusal());
        }
        let (sort, id) = key.split_at(8);
        Ok(Self {
            sort: i64::from_be_bytes(sort.try_into().map_err(|_| refusal())?),
            id: Uuid::from_slice(id).map_err(|_| refusal())?,
        })
    }
}

/// The place behind the last row of a page whose rows are told apart by a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedPosition {
    /// The value that the list is sorted by first.
    pub sort: i64,
    /// The name that decides between equal sort values.
    pub name: String,
}

impl NamedPosition {
    /// The cursor that the caller gets.
    #[must_use]
    pub fn cursor(&self, filters: Filters<'_>) -> String {
        let mut bytes = self.sort.to_be_bytes().to_vec();
        bytes.extend_from_slice(self.name.as_bytes());
        let tag = tag(&bytes, filters);
        bytes.extend_from_slice(&tag);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a cursor that came back.
    ///
    /// # Errors
    /// `invalid_cursor` when it is made up or was given for other filters.
    pub fn parse(cursor: &str, filters: Filters<'_>) -> Result<Self, Refusal> {
        let read = || {
            let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
            let (key, given) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
            let (sort, name) = key.split_at_checked(8)?;
            let name = String::from_utf8(name.to_vec()).ok()?;
            (tag(key, filters) == *given).then_some(Self { sort: i64::from_be_bytes(sort.try_into().ok()?), name })
        };
        read().ok_or_else(|| {
            Refusal::new(Code::InvalidCursor, "The cursor is not one that this list gave for these filters.")
        })
    }
}

/// Binds a cursor to its list. It keeps honest clients from mixing lists up and is no secret: what a cursor reaches is
/// decided by the caller's scope, not by the cursor.
fn tag(key: &[u8], filters: Filters<'_>) -> [u8; TAG_BYTES] {
    let digest = Sha256::new().chain_update(b"posthouse cursor 1").chain_update(key).chain_update(filters.0).finalize();
    let mut tag = [0; TAG_BYTES];
    tag.copy_from_slice(&digest[..TAG_BYTES]);
    tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_whole_and_only_for_its_filters() {
        let here = Position { sort: -5, id: Uuid::from_u128(77) };
        let cursor = here.cursor(Filters("messages?labels=a"));
        let named = NamedPosition { sort: 7, name: "a@b.example".to_owned() };
        let other = named.cursor(Filters("x"));
        assert_eq!(NamedPosition::parse(&other, Filters("x")), Ok(named));
        assert!(NamedPosition::parse(&other, Filters("y")).is_err());
        assert!(NamedPosition::parse("", Filters("x")).is_err());
        assert_eq!(Position::parse(&cursor, Filters("messages?labels=a")), Ok(here));
        assert!(Position::parse(&cursor, Filters("messages?labels=b")).is_err());
        for bad in ["", "abc", "%%%", &cursor[1..], "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(
                Position::parse(bad, Filters("messages?labels=a")).map_err(|r| r.code),
                Err(Code::InvalidCursor)
            );
        }
    }
}
