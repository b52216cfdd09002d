//! The command-line client (`docs/guides/command-line.md`).
//!
//! It works with any Posthouse server over HTTP and WebSocket, and knows nothing of store, use cases or server. Values of
//! the API stay JSON, so that a server of another version can be used.

mod api;
mod clock;
mod command;
mod commands;
pub mod deferred;
mod entropy;
mod environment;
mod error;
mod http;
mod inbox;
mod options;
mod output;
mod profiles;
mod scripted;
mod session;
mod signature;
mod stream;

pub use command::{Command, Program, named_command, run};
pub use commands::keys::{LocalKeys, LocalKeysError, LocalStore};
pub use error::{help_of, usage_json};
pub use options::{ClientOptions, LeadingOptions};
