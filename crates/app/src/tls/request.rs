//! A certificate signing request (RFC 2986) with a new key.

use rcgen::{CertificateParams, DistinguishedName, KeyPair};

use super::CertificateError;

/// Generates a key, and returns it in PEM with the signing request for the names in DER. The names are only in the
/// subject alternative names (RFC 8555 §7.4).
///
/// # Errors
/// Returns an error if a name is invalid or the cryptographic library fails.
pub fn request(names: &[String]) -> Result<(String, Vec<u8>), CertificateError> {
    let failed = |error: rcgen::Error| CertificateError::Unusable { cert: names.join(" "), cause: error.to_string() };
    let mut params = CertificateParams::new(names).map_err(failed)?;
    params.distinguished_name = DistinguishedName::new();
    let key = KeyPair::generate().map_err(failed)?;
    let request = params.serialize_request(&key).map_err(failed)?;
    Ok((key.serialize_pem(), request.der().to_vec()))
}
