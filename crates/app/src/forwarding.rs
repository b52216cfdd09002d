//! Automatic forwarding of an inbox's mail to confirmed addresses: the addresses, their confirmation and the forwards.
//!
//! A forward is an outgoing message like any other, with the same gate and limits and its own return path.

pub mod addresses;
pub mod confirm;
mod confirmation_mail;
pub mod pass_on;
