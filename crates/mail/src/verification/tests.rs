//! Tests with the corpus of account messages, and tables of pitfalls and languages that the corpus lacks.
#![allow(clippy::unwrap_used)]

mod answers;
mod corpus;
mod events;
mod forms;
mod generated;
mod invitations;
mod islands;
mod kinds;
mod labels;
mod other_codes;
mod payments;
mod places;
mod purpose;
mod stated;
mod things;
mod traps;
mod unseen;
mod urls;
