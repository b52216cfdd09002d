//! The state of the HTTP API: the instance, and state that requests share.

use std::{ops::Deref, sync::Arc};

use posthouse_api::wire::JsonLimits;
use posthouse_app::{Instance, limits::shared_budget::SharedBudget, settings::http::HttpConfig};
use posthouse_domain::{error::Refusal, id::WorkspaceId};

use crate::{
    body_budget::BodyBudget, connections::Connections, dashboard::Dashboard, directory_limits::DirectoryLimits,
    drain::DrainPace, in_flight::InFlightRequests, rate_limits::RequestLimits, readiness::Readiness,
    response_budget::ResponseBudget, route::DocumentVersion, shared_document::SharedDocument, site::Site,
    unknown_keys::UnknownKeys,
};

/// The instance, with the state of HTTP requests.
pub struct Api {
    /// The instance.
    pub instance: Arc<Instance>,
    /// The settings of the API.
    pub(crate) http: HttpConfig,
    /// What the service serves.
    pub(crate) site: Site,
    /// Requests of each API key in the current minute.
    pub(crate) request_limits: RequestLimits,
    /// Requests to the directory in the current minute.
    pub(crate) directory_limits: DirectoryLimits,
    /// Unknown API keys of each client address in the current minute.
    pub unknown_keys: UnknownKeys,
    /// The dashboard's files.
    pub(crate) dashboard: Dashboard,
    /// Open connections.
    pub(crate) connections: Connections,
    /// Open streams of each workspace.
    pub streams: SharedBudget<WorkspaceId>,
    /// Request bodies in memory.
    pub(crate) bodies: BodyBudget,
    /// Responses in memory.
    pub(crate) responses: ResponseBudget,
    /// The sitemap of the public directory.
    pub(crate) sitemap: SharedDocument,
    /// The pace at which refused requests are discarded.
    pub(crate) drains: DrainPace,
    /// Idempotent requests in progress.
    pub(crate) in_flight: InFlightRequests,
    /// The result of the last readiness check.
    pub(crate) readiness: Readiness,
}

impl Api {
    /// Creates the API of an instance.
    #[must_use]
    pub fn new(instance: Arc<Instance>, http: HttpConfig, site: Site) -> Self {
        let bodies = BodyBudget::new(&instance.config.limits);
        let responses = ResponseBudget::new(&instance.config.limits);
        Self {
            instance,
            http,
            site,
            bodies,
            responses,
            sitemap: SharedDocument::default(),
            directory_limits: DirectoryLimits::default(),
            unknown_keys: UnknownKeys::default(),
            dashboard: Dashboard::default(),
            connections: Connections::default(),
            streams: SharedBudget::new(None),
            request_limits: RequestLimits::default(),
            drains: DrainPace::default(),
            in_flight: InFlightRequests::default(),
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
        self.sitemap.read(&self.responses, self.clock.as_ref(), age_ms, build).await
    }

    /// Returns the limits of a JSON document that a client sends, in a body or in a frame.
    pub(crate) fn json_limits(&self) -> JsonLimits {
        let limits = &self.config.limits;
        JsonLimits { values_max: limits.json_values, depth_max: limits.json_depth }
    }
}

/// Use cases need the application, which handlers reach through the API.
impl Deref for Api {
    type Target = Instance;

    fn deref(&self) -> &Instance {
        &self.instance
    }
}
