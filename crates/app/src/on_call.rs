//! People on call: their confirmation, the escalation settings, and the mails that escalate something. The folder
//! `escalation` records the items that these mails report.

pub mod confirm;
pub mod contact_mail;
pub mod contacts;
mod recipients;
pub mod settings;
mod text;
pub mod transmit;
