//! The routes of the service itself: probes, ACME challenges and the documentation of the API. The binary adds those of
//! the product.

use crate::{openapi, pages::challenge, pages::health, route::Route};

/// Returns the routes that remain on `http.listen` when it redirects to HTTPS.
#[must_use]
pub fn plaintext() -> Vec<Route> {
    health::routes().into_iter().chain(challenge::routes()).collect()
}

/// Returns the routes, in the order of the API reference.
#[must_use]
pub fn own() -> Vec<Route> {
    plaintext().into_iter().chain(openapi::routes()).collect()
}
