//! What the service serves: the binary passes it in, because the routes of the product are in crates above this one.

use axum::extract::Request;

use crate::route::{Route, RouteResponse};

/// The route table, and the pages beside it.
pub struct Site {
    /// Every route, in the order of the API reference.
    pub routes: Vec<Route>,
    /// Returns the response to a request that matches no route; `None` for the error of the API.
    pub unmatched: fn(&Request) -> Option<RouteResponse>,
}

impl Site {
    /// Returns whether the errors of a path have the form of OAuth 2.0.
    pub(crate) fn has_oauth_errors(&self, path: &str) -> bool {
        self.routes.iter().any(|route| route.operation.has_oauth_errors && route.operation.path == path)
    }
}
