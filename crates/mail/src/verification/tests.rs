//! The corpus of account mails, and tables of traps and languages that it lacks.
#![allow(clippy::unwrap_used)]

mod corpus;
mod traps;
