//! Connections: listeners, TLS, host names, the head of a request, slow clients and the limits of each address.

pub mod client;
pub(crate) mod connections;
pub(crate) mod drain;
pub(crate) mod error_stream;
pub(crate) mod head;
pub(crate) mod host;
pub(crate) mod limited_reads;
pub(crate) mod listener;
pub mod listeners;
pub(crate) mod requests;
pub(crate) mod write_timeout;
