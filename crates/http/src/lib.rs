//! The HTTP server: listeners, the route table, authentication, decoding, limits and responses, and the description of
//! the API. The operations are in the crate `posthouse-operations`.

pub mod connection;
pub mod openapi;
pub mod pages;
pub mod prelude;
mod protocol;
pub mod request;
pub mod response;
pub mod route;
mod router;
mod served;
pub mod site;
mod state;
pub mod stream;

pub use state::Api;
