//! The route table: every route of the service, once.

use super::{health, route::Route, v1};

/// Every route, in the order of the API document.
#[must_use]
pub fn all() -> Vec<Route> {
    [health::routes(), v1::account::routes(), v1::messages::routes()].into_iter().flatten().collect()
}
