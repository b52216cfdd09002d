//! Tests with the corpus of account messages, and tables of pitfalls and languages that the corpus lacks.
#![allow(clippy::unwrap_used)]

mod answers;
mod corpus;
mod forms;
mod generated;
mod islands;
mod kinds;
mod labels;
mod payments;
mod purpose;
mod traps;
mod urls;
