//! The certificate of the listeners: from files that change, from ACME, and for HTTPS.

mod acme;
mod https;
mod reload;
