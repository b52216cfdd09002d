//! Responses: their bodies, errors, fields, and the memory that they hold.

pub(crate) mod cors;
pub(crate) mod error;
pub(crate) mod notes;
pub mod oauth;
pub(crate) mod rate_limits;
pub(crate) mod response_budget;
pub(crate) mod route_response;
pub(crate) mod shared_document;
