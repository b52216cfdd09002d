//! The state of the HTTP API: the service, and state that requests share.

use std::sync::Arc;

use posthouse_api::wire::JsonLimits;
use posthouse_app::{Service, settings::http::HttpConfig};
use posthouse_domain::error::Refusal;

use crate::{
    connection::connections::Connections, connection::drain::DrainPace, pages::dashboard::Dashboard,
    pages::readiness::Readiness, request::body_budget::BodyBudget, response::response_budget::ResponseBudget,
    response::route_response::DocumentVersion, response::shared_document::SharedDocument, served::Served,
};

/// The service, with the state of HTTP requests.
pub struct Api {
    pub service: Arc<Service>,
    /// The settings of the API.
    pub(crate) http: HttpConfig,
    /// What the service serves.
    pub(crate) served: Served,
    /// The dashboard's files.
    pub(crate) dashboard: Dashboard,
    /// Open connections.
    pub(crate) connections: Connections,
    /// Request bodies in memory.
    pub(crate) bodies: BodyBudget,
    /// Responses in memory.
    pub(crate) responses: ResponseBudget,
    /// The sitemap of the public directory.
    pub(crate) sitemap: SharedDocument,
    /// The pace at which refused requests are discarded.
    pub(crate) drains: DrainPace,
    /// The result of the last readiness check.
    pub(crate) readiness: Readiness,
}

impl Api {
    /// Creates the API of a service.
    #[must_use]
    pub fn new(service: Arc<Service>, http: HttpConfig, served: Served) -> Self {
        let bodies = BodyBudget::new(&service.config.limits);
        let responses = ResponseBudget::new(&service.config.limits);
        Self {
            service,
            http,
            served,
            bodies,
            responses,
            sitemap: SharedDocument::default(),
            dashboard: Dashboard::default(),
            connections: Connections::default(),
            drains: DrainPace::default(),
            readiness: Readiness::default(),
        }
    }

    /// Returns the sitemap, which `build` builds unless that happened less than `age_ms` ago.
    ///
    /// # Errors
    /// Returns the error of `build`, or `unavailable` or `rate_limited` if there is no memory for it.
    pub async fn sitemap(
        &self,
        age_ms: i64,
        build: impl Future<Output = Result<Vec<u8>, Refusal>>,
    ) -> Result<DocumentVersion, Refusal> {
        self.sitemap.read(&self.responses, self.service.clock.as_ref(), age_ms, build).await
    }

    /// Returns the limits of a JSON document that a client sends, in a body or in a frame.
    pub(crate) fn json_limits(&self) -> JsonLimits {
        let limits = &self.service.config.limits;
        JsonLimits { values_max: limits.json_values, depth_max: limits.json_depth }
    }
}
