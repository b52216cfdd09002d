//! People on call: their confirmation, the escalation settings, and the mails that escalate something. `record` stores
//! what these mails report.

pub mod confirm;
pub mod contact_mail;
pub mod contacts;
mod recipients;
pub(crate) mod record;
pub mod settings;
mod text;
pub mod transmit;
