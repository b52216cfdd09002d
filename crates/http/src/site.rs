//! What the service serves: the binary passes it in, because the routes of the product are in crates above this one.

use axum::extract::Request;
use posthouse_call::ErrorForm;

use crate::route::{Route, RouteResponse};

/// The route table, and the pages beside it.
pub struct Site {
    /// Every route, in the order of the API reference.
    pub routes: Vec<Route>,
    /// Returns the response to a request that matches no route; `None` for the error of the API.
    pub unmatched: fn(&Request) -> Option<RouteResponse>,
}

impl Site {
    /// Returns a route of a path whose errors aren't those of the API.
    pub(crate) fn with_own_errors(&self, path: &str) -> Option<&Route> {
        self.routes.iter().find(|route| route.operation.path == path && route.operation.error_form != ErrorForm::Api)
    }
}
