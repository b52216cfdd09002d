//! Custom domains, their DKIM keys, and the TLS certificate.

pub mod acme;
pub mod add;
pub mod certificate;
pub mod change;
pub mod check;
pub mod deliverability;
pub mod dkim;
pub mod read;
pub mod reputation;
