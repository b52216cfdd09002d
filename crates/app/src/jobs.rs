//! Durable background work: the job runner, the job kinds, and the reconciliation sweep that recreates lost jobs.
//!
//! A new kind is a value of [`JobKind`](posthouse_domain::job::JobKind); the compiler then names the places that need
//! its handler, its recovery and its limits. Jobs call use cases, never the other way round.

pub mod analysis;
pub mod certificate;
pub mod definition;
pub mod domain_check;
mod escalation;
mod extraction;
mod forward;
pub mod held_mail;
mod inbox_expiry;
pub mod index;
mod listing_check;
mod local_delivery;
mod on_call_mail;
pub mod outbound;
pub mod reconcile;
pub mod registry;
mod retention;
mod role_notice;
pub mod runner;
mod scheduled_draft;
mod sign_in_mail;
mod signup_expiry;
pub mod webhook_notice;
