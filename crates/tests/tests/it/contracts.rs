//! Laws that hold for everything of a kind: every route, every error, every list, every statement, every source file.

mod documents;
mod errors;
mod house_rules;
mod isolation;
mod openapi;
mod pages;
mod permissions;
mod readme;
