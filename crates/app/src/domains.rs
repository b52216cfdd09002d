//! Custom domains, their DKIM keys, and the TLS certificate.

pub mod acme;
pub mod add;
pub mod certificate;
pub mod change;
pub mod check;
pub mod dkim;
pub mod reputation;
