//! SMTP listeners, which run the sessions of `posthouse_mail::smtp` (RFC 5321).
//!
//! This module has the sockets, time limits and TLS. The protocol is in the mail crate, and mail is processed in the
//! app crate.

mod client;
mod client_limits;
mod content_budget;
pub mod frontend;
mod inbound;
pub mod listener;
mod proxy;
mod replies;
mod session;
mod submission;
mod timeouts;
mod wire;
