//! The shell of Posthouse: HTTP, SMTP, jobs and the command line around the rules of `posthouse-domain`.

pub mod adapters;
pub mod apart;
pub mod app;
pub mod arrivals;
pub mod boot;
pub mod cli;
pub mod config;
pub mod files;
pub mod http;
pub mod in_flight;
pub mod jobs;
pub mod metrics;
pub mod pacer;
pub mod ports;
pub mod rate_limits;
pub mod readiness;
pub mod rush;
pub mod shortage;
pub mod shutdown;
pub mod smtp;
pub mod streams;
pub mod telemetry;
pub mod tls;
pub mod views;
