//! People: users, sessions, connectors, sign-ins, people on call, and mail that the service writes to them.

pub mod confirmations;
pub mod connector_clients;
pub mod connectors;
pub mod escalations;
pub mod file_links;
pub mod on_call;
pub mod service_mails;
pub mod sessions;
pub mod sign_ins;
pub mod signups;
pub mod stream_tokens;
pub mod users;
