//! The receive pipeline: authenticate, parse, screen, store, apply reports.

pub mod apply_report;
pub mod authenticate;
pub mod conversation;
pub mod exchangers;
pub mod forwards;
pub mod inject;
pub mod parse;
pub mod receive;
pub mod recipient;
pub mod relabel;
pub mod release;
pub mod report_source;
pub mod return_path;
pub mod role_mail;
pub mod screen_client;
pub mod screen_sender;
pub mod store;
pub mod upsert_contacts;
