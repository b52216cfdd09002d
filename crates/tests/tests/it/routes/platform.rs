//! `/platform/…`: sign-in by mail, sessions, and what people manage.

mod manage;
mod members;
mod sign_in;
mod sign_up;
mod waiting;

use posthouse_app::settings::DeliveryMode;
use posthouse_tests::{ServerOptions, TestServer};

/// The owner of every test workspace.
const OWNER: &str = "owner@example.org";

/// Starts a server whose mail to other domains is captured.
async fn capturing() -> TestServer {
    TestServer::start(ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture)).await
}
