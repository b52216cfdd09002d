//! Durable work behind the answers: the runner, the kinds of jobs, and the sweep that re-creates lost hints.
//!
//! A new kind is one file and one line in [`kind::all`]. Jobs call use-cases and never the other way round.

pub mod certificate;
pub mod domain_check;
mod forward;
pub mod inbox_expiry;
pub mod index;
pub mod kind;
pub mod outbound;
mod retention;
mod role_notice;
pub mod runner;
mod scheduled_draft;
pub mod sweep;
pub mod webhook_notice;
pub mod webhooks;
