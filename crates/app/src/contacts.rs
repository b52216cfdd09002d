//! Contacts, suppressions, allow and block lists.

pub mod change;
pub mod lists;
pub mod read;
pub mod suppressions;
