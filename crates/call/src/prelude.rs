//! The names that almost every file of operations uses.

pub use std::sync::Arc;

pub use posthouse_api::{
    views::PageView,
    wire::{BoundedLine, BoundedList, BoundedText, Cursor, EmptyInput, Limit, Problems, choice, object, paging, query},
};
pub use posthouse_app::Service;
pub use posthouse_domain::{Caller, ErrorCode, InboxId, Permission, Refusal};

pub use crate::{Input, Method, Operation, Outcome, PublicInput};
