//! Where a message becomes part of an inbox.

pub mod conversation;
pub mod filing;
pub(crate) mod forwards;
pub mod parse;
pub mod recipient;
pub mod release;
pub mod return_path;
pub mod screen_sender;
pub mod upsert_contacts;
