//! The rules of Posthouse as pure functions and values.
//!
//! This crate does no I/O, reads no clock and draws no random numbers. It doesn't depend on a database, HTTP or an async
//! runtime: callers pass in time, random seeds and the results of queries.

#[macro_use]
pub mod named;

pub mod actor;
pub mod agent;
pub mod agent_key;
pub mod agent_message;
pub mod auth;
pub mod contact;
pub mod daily_limit;
pub mod delivery;
pub mod draft;
pub mod error;
pub mod escalation;
pub mod event;
pub mod forwarding;
pub mod gate;
pub mod greylist;
pub mod id;
pub mod identity;
pub mod inbox;
pub mod job;
pub mod label;
pub mod link_token;
pub mod list;
pub mod mail_domain;
pub mod message;
pub mod metadata;
pub mod metrics;
pub mod pacing;
pub mod page;
pub mod party;
pub mod plan;
pub mod queue;
pub mod quoted_links;
pub mod record;
pub mod reputation;
pub mod reserved_names;
pub mod search;
pub mod secret;
pub mod send;
pub mod sender;
pub mod service_mail;
pub mod signing_key;
pub mod signup;
pub mod stream;
pub mod suppression;
pub mod suspension;
pub mod text;
pub mod thread;
pub mod time;
pub mod time_zone;
pub mod user;
pub mod webhook;
pub mod workspace;
