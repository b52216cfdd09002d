//! The site: the binary passes it in, because the routes of the product are in crates above this one.

use axum::extract::Request;

use crate::route::{Route, RouteResponse};
use crate::served::{Served, ServedOperation};

/// The route table, and the pages beside it.
pub struct Site {
    /// Every route, in the order of the API reference.
    pub routes: Vec<Route>,
    /// Returns the response to a request that matches no route; `None` for the error of the API.
    pub unmatched: fn(&Request) -> Option<RouteResponse>,
}

impl Site {
    /// Returns what the site serves, without the handlers.
    pub(crate) fn served(&self) -> Served {
        let served = |route: &Route| ServedOperation { operation: route.operation.clone(), protocol: route.protocol };
        Served { operations: self.routes.iter().map(served).collect(), unmatched: self.unmatched }
    }
}
