//! What the HTTP server shows by itself: probes, challenges, the documentation, the dashboard and pages behind links.

pub(crate) mod challenge;
pub mod dashboard;
pub mod docs;
pub(crate) mod health;
pub mod link_page;
pub mod readiness;
pub mod routes;
pub mod style_policy;
