//! Product rules of Posthouse: values in, values out.
//!
//! This crate never does I/O, reads no clock, draws no random numbers and knows no database, no HTTP and no async runtime.

#[macro_use]
pub mod named;

pub mod actor;
pub mod auth;
pub mod contact;
pub mod delivery;
pub mod draft;
pub mod error;
pub mod event;
pub mod forwarding;
pub mod gate;
pub mod greylist;
pub mod id;
pub mod inbox;
pub mod label;
pub mod list;
pub mod mail_domain;
pub mod message;
pub mod metadata;
pub mod metrics;
pub mod pacing;
pub mod page;
pub mod plan;
pub mod queue;
pub mod reputation;
pub mod search;
pub mod send;
pub mod sender;
pub mod stream;
pub mod suspension;
pub mod text;
pub mod thread;
pub mod time;
pub mod webhook;
pub mod workspace;
