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

/// The fields of one name as a signature covers them, in relaxed canonical form and without line ends, from the top
/// (RFC 6376 §3.4.2).
#[must_use]
pub fn canonical_fields(raw: &[u8], name: &str) -> Vec<Vec<u8>> {
    let message = message::Message::split(raw);
    let canonical = |field: &message::Field<'_>| {
        let mut data = Vec::new();
        canon::push_relaxed(field.name, field.value, &mut data);
        data
    };
    message.named(name).map(canonical).collect()
}
