//! Tests with the reply corpora, and table tests of clients and languages that the corpora lack.
#![allow(clippy::unwrap_used)]

mod attributions;
mod clients;
mod corpus;
mod generated;
mod layouts;
mod locales;
mod own;
