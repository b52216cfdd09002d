//! The names that almost every file of pages uses.

pub use std::sync::Arc;

pub use axum::http::{HeaderValue, StatusCode, header};
pub use posthouse_api::wire::{
    BoundedLine, BoundedList, BoundedText, Cursor, EmptyInput, Problems, choice, object, query,
};
pub use posthouse_app::Service;
pub use posthouse_call::{Method, Operation};
pub use posthouse_domain::{Caller, ErrorCode, InboxId, Permission, Refusal};

pub use crate::{
    Api,
    route::{CallerInput, PageInput, PageOperation, RequestInfo, Route, RouteProtocol, RouteResponse},
};
