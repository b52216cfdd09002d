//! The certificate of the listeners: from files that change, by ACME, and HTTPS.

mod acme;
mod https;
mod reload;
