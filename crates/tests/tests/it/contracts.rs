//! Rules that hold for every route, every error, every list, every page and every source file.

mod call_cost;
mod documents;
mod errors;
mod etags;
mod isolation;
mod layout_rules;
mod links;
mod openapi;
mod openapi_document;
mod pages;
pub(crate) mod permissions;
mod readme;
