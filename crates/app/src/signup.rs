//! Self-signup: agents create a workspace by a proof of work, and a person claims it by a link in a mail. See
//! `docs/reference/signup.md`.

pub mod account;
pub mod agents;
pub mod challenge;
pub mod claim;
pub mod claim_link;
mod claim_mail;
pub mod create;
pub mod expire;
mod home;
mod status;
