//! Contacts, suppressions, allow and block lists.

pub mod change;
pub mod lists;
pub mod suppressions;
