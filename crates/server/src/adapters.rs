//! Implementations of the traits in `posthouse_app::ports`. Only `boot` uses them.

pub mod acme;
pub mod clock;
pub mod dns;
pub mod file_worker;
pub mod http_out;
pub mod smtp_out;
