//! Test harness of Posthouse. The black-box suite is in `tests/it`.
//!
//! A test starts a server and ends by finishing it:
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
//! The environment of the suite (`scripts/test.sh` sets it):
//!
//! - `POSTHOUSE_TEST_DATABASE`: the engine under the service, `sqlite` (the default) or `postgres`.
//! - `POSTHOUSE_TEST_PG_URL`: an admin URL of a running PostgreSQL cluster, in which each test creates its own
//!   database.
//! - `POSTHOUSE_CORPORA`: the folder of the mail corpora (default `../shared/data` beside the repository).
//! - `CI=true`: a missing dependency fails a test instead of skipping it.
#![allow(clippy::unwrap_used)]

mod audit;
pub mod authority;
pub mod breakpoint;
pub mod browser;
pub mod certificate;
pub mod clock;
pub mod command;
pub mod dir;
pub mod dns;
pub mod document_site;
pub mod fault;
pub mod file_reader;
pub mod fixtures;
pub mod http;
pub mod log;
pub mod mail;
pub mod mcp;
pub mod name_server;
pub mod pipe;
pub mod ports;
pub mod postgres;
pub mod process;
pub mod server;
pub mod smtp;
pub mod smtp_sink;
pub mod stream;
pub mod webhook_sink;

pub use audit::AllowedLeftovers;
pub use document_site::{DocumentSite, SiteAnswer};
pub use mail::TestMessage;
pub use server::{ServerOptions, TestServer};
pub use webhook_sink::{WebhookReply, WebhookSink};
