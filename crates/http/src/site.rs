//! What the service serves: the product's part of it, which the binary passes in.

use axum::{extract::Request, response::Response};

use crate::route::Route;

/// The route table, and the pages beside it.
pub struct Site {
    /// Every route, in the order of the API reference.
    pub routes: Vec<Route>,
    /// Returns the response to a request that matches no route; `None` for the error of the API.
    pub unmatched: fn(&Request) -> Option<Response>,
}
