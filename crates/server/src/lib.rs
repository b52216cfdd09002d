//! The Posthouse server: command line, configuration, SMTP listeners, adapters, and starting and stopping the service.

pub mod adapters;
pub mod boot;
pub mod cli;
pub mod config;
pub mod sandbox;
pub mod smtp;
pub mod telemetry;
