//! The shell of Posthouse: HTTP, SMTP, jobs and the command line around the rules of `posthouse-domain`.

pub mod adapters;
pub mod app;
pub mod boot;
pub mod cli;
pub mod config;
pub mod http;
pub mod metrics;
pub mod ports;
pub mod shutdown;
pub mod telemetry;
pub mod tls;
pub mod views;
