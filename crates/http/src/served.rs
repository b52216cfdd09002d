//! What the service serves, without the handlers, which need the state of the server.

use axum::extract::Request;
use posthouse_app::Service;
use posthouse_call::{ErrorForm, Operation};
use posthouse_domain::Refusal;

use crate::response::route_response::RouteResponse;

/// How a route serves a protocol of its own.
#[derive(Clone, Copy)]
pub struct RouteProtocol {
    /// Writes a refusal as an error of the protocol.
    pub refusal: fn(&Service, &Refusal) -> RouteResponse,
}

/// An operation that has a route.
pub(crate) struct ServedOperation {
    pub(crate) operation: Operation,
    /// How its route serves a protocol of its own.
    pub(crate) protocol: Option<RouteProtocol>,
}

/// All operations that have routes, and the pages beside them.
pub struct Served {
    /// In the order of the API reference.
    pub(crate) operations: Vec<ServedOperation>,
    /// Returns the response to a request that matches no route; `None` for the error of the API.
    pub(crate) unmatched: fn(&Request) -> Option<RouteResponse>,
}

impl Served {
    /// Returns an operation at a path whose errors aren't those of the API.
    pub(crate) fn with_own_errors(&self, path: &str) -> Option<&ServedOperation> {
        let mut all = self.operations.iter();
        all.find(|served| served.operation.path == path && served.operation.error_form != ErrorForm::Api)
    }
}
