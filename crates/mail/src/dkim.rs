//! DKIM keys and signing (RFC 6376, RFC 8301, RFC 8463), and the formats that signing and verifying share.
//!
//! Never signs with `l=`, never with SHA-1, never covers fields that are changed on the way (RFC 6376 §5.4).

pub(crate) mod canon;
pub(crate) mod cover;
mod key;
pub(crate) mod message;
pub(crate) mod public;
mod sign;
pub(crate) mod signature;
pub(crate) mod tags;

pub use key::{DkimKey, DkimKeyError};
pub use sign::{SignOptions, sign_all};
