//! Custom domains, keys that sign, and certificates.

pub mod acme;
pub mod dkim_keys;
pub mod mail_domains;
pub mod signing_keys;
pub mod tls;
