//! A signing request for a certificate (RFC 2986): a fresh key, and the names.

use rcgen::{CertificateParams, DistinguishedName, KeyPair};

use super::TlsError;

/// A fresh key in PEM, and the request for those names in DER. The names stand nowhere but among the alternative names
/// (RFC 8555 §7.4).
///
/// # Errors
/// When a name is none, or the cryptographic library fails.
pub fn request(names: &[String]) -> Result<(String, Vec<u8>), TlsError> {
    let failed = |error: rcgen::Error| TlsError::Unusable { cert: names.join(" "), cause: error.to_string() };
    let mut params = CertificateParams::new(names).map_err(failed)?;
    params.distinguished_name = DistinguishedName::new();
    let key = KeyPair::generate().map_err(failed)?;
    let request = params.serialize_request(&key).map_err(failed)?;
    Ok((key.serialize_pem(), request.der().to_vec()))
}
