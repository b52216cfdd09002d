//! The black-box suite: one integration binary, so that the harness is linked once.
//!
//! - `routes`: mirrors the URLs of the API, one file per path and verb.
//! - `scenarios`: end-to-end flows.
//! - `regressions`: one file per fixed bug or RFC pitfall, named after its symptom.
//! - `contracts`: rules that hold for everything: permissions, errors, pages, isolation, the layout of the sources.
//! - `harness`: the harness itself.
//! - `limits`: each budget of `limits.*` and `plans.*` at its bound, and fairness under abuse of all of them.
//! - `mcp`: the Model Context Protocol at `/mcp`.
//! - `inbox_fixture`: a server with one inbox, the start of many tests.
//! - `sim`: faults, crashes and interleavings at every moment.
//!
//! It must never sleep, read the wall clock or reach the network outside this machine.
#![allow(clippy::unwrap_used)]

mod contracts;
mod harness;
mod inbox_fixture;
mod limits;
mod mcp;
mod regressions;
mod routes;
mod scenarios;
mod sim;
