//! JSON Object Signing and Encryption, as far as signatures of agents and of the service need it: compact JSON Web
//! Signatures (RFC 7515), public keys (RFC 7517, RFC 8037), their thumbprints (RFC 7638) and canonical JSON (RFC 8785).

pub mod canonical;
pub mod jwk;
pub mod jws;
pub mod key;
mod unique;
