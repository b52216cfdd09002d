//! The reply corpora, and tables of clients and languages that the corpora lack.
#![allow(clippy::unwrap_used)]

mod clients;
mod corpus;
