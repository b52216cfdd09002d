//! The receive pipeline: decide about recipients, authenticate, hand over to `mailbox`, apply reports.

mod acquaintances;
pub mod apply_report;
pub mod authenticate;
pub mod exchangers;
pub mod inject;
pub mod receive;
pub mod recipient;
pub mod relabel;
pub mod report_source;
pub mod role_mail;
pub mod screen_client;
