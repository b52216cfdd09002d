//! DKIM keys and signing (RFC 6376, RFC 8301, RFC 8463), and the formats shared by signing and verification.
//!
//! Never signs with `l=` or SHA-1, and never covers fields that change in transit (RFC 6376 §5.4).

pub(crate) mod canon;
pub(crate) mod cover;
mod key;
pub(crate) mod message;
pub(crate) mod public;
mod sign;
pub(crate) mod signature;
pub(crate) mod tags;

/// Checks that verifiers find in a published record the key of an expected one, so that a signature with it verifies
/// (RFC 6376 §3.6.1).
///
/// # Errors
/// Returns why a signature wouldn't verify.
pub fn check_published_key(published: &str, expected: &str) -> Result<(), &'static str> {
    let (published, expected) = (public::DkimPublicKey::parse(published)?, public::DkimPublicKey::parse(expected)?);
    if published.is_same_key(&expected) { Ok(()) } else { Err("it has another key") }
}

pub use key::{DkimKey, DkimKeyError};
pub use sign::{DkimSignOptions, sign_all};

/// Returns the fields named `name` as a signature covers them: in relaxed canonical form, without line ends, from the
/// top (RFC 6376 §3.4.2).
#[must_use]
pub fn canonical_fields(raw: &[u8], name: &str) -> Vec<Vec<u8>> {
    let message = message::SignedMessage::split(raw);
    let canonical = |field: &message::SignedField<'_>| {
        let mut data = Vec::new();
        canon::push_relaxed(field.name, field.value, &mut data);
        data
    };
    message.named(name).map(canonical).collect()
}
