//! The doors for mail: listeners and the shell around the sessions of `posthouse_mail::smtp` (RFC 5321).
//!
//! Sockets, time limits and TLS are here; what SMTP means is in the mail crate, what becomes of a mail is in `app`.

mod client;
mod inbound;
pub mod listener;
mod logins;
mod patience;
mod proxy;
mod rates;
mod replies;
mod session;
mod submission;
mod wire;
