//! Test harness of Posthouse; the black-box suite is in `tests/it`.
//!
//! A test begins with a server and ends with giving it back:
//! ```no_run
//! # async fn test() {
//! use posthouse_domain::plan::Plan;
//! use posthouse_tests::TestServer;
//!
//! let server = TestServer::plain().await;
//! let key = server.workspace(Plan::Team).await;
//! let account = server.api(&key).get("/v1/account").await.expect(200);
//! assert_eq!(account["workspace"]["plan"], "team");
//! server.anonymous().get("/v1/account").await.error("unauthorized");
//! server.finish().await;
//! # }
//! ```
//!
//! What the suite may rely on from outside (`scripts/test.sh` sets it):
//! - `POSTHOUSE_TEST_DATABASE`: `sqlite` (the default) or `postgres`, the engine under the service.
//! - `POSTHOUSE_TEST_PG_URL`: an admin URL of a running PostgreSQL cluster; each test makes its own database there.
//! - `POSTHOUSE_CORPORA`: the folder of the mail corpora (default `../shared/data` beside the repository).
//! - `CI=true`: what is missing is a failure instead of a skipped test.
#![allow(clippy::unwrap_used)]

mod audit;
pub mod authority;
pub mod breakpoint;
pub mod certificate;
pub mod clock;
pub mod command;
pub mod dir;
pub mod dns;
pub mod fault;
pub mod fixtures;
pub mod http;
pub mod log;
pub mod mail;
pub mod name_server;
pub mod postgres;
pub mod process;
pub mod server;
pub mod smtp;
pub mod smtp_sink;
pub mod stream;
pub mod webhook_sink;

pub use audit::Allowed;
pub use mail::Letter;
pub use server::{Options, TestServer};
pub use webhook_sink::{Say, WebhookSink};
