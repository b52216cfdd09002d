//! Reads the [`Configuration`] from a file, the environment and the command line.
//!
//! Only this module reads the environment. [`keys()`] declares each key once: parsing, errors and
//! `docs/reference/configuration.md` come from the declarations.

use std::path::{Path, PathBuf};

mod assemble;
mod configuration;
mod key;
mod keys;
mod load;
mod lookup;
mod reference;
mod types;
mod urls;
mod value;

#[cfg(test)]
mod tests;

pub use configuration::{BlobOptions, Configuration, ListenConfig, LogConfig, SetKey, SmtpConfig, ValueSource};
pub use key::{ConfigKey, DefaultValue};
pub use keys::keys;
pub(crate) use load::arguments;
pub use load::{Listeners, Sources, load};
pub use reference::reference;

/// The error for an invalid listener address on the command line.
pub(crate) const INVALID_SOCKET: &str = "must be an IP address and a port, such as \"127.0.0.1:8080\" or \"[::]:25\"";

/// Returns the absolute form of a path, which errors name, without looking at the file system.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
