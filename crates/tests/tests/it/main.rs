//! The black-box suite: one integration binary, so that the harness is linked once.
//!
//! - `routes`: mirrors the URLs of the API, one file per path and verb.
//! - `journeys`: what a user does from end to end.
//! - `symptoms`: one file per bug or RFC trap, named after what was seen.
//! - `contracts`: laws that hold for everything: permissions, errors, pages, statements, the rules of the house.
//! - `harness`: the harness itself.
//! - `desk`: the server with one inbox that many tests begin with.
//! - `sim`: seeded random operations with faults and crashes against a small model.
//!
//! It must never sleep, read the wall clock or reach the network outside this machine.
#![allow(clippy::unwrap_used)]

mod contracts;
mod desk;
mod harness;
mod journeys;
mod routes;
mod sim;
mod symptoms;
