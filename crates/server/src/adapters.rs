//! The real outside world behind the traits of `ports`. Only `boot` names what is in here.

pub mod acme;
pub mod clock;
pub mod dns;
pub mod http_out;
pub mod smtp_out;
