//! The use cases of Posthouse, grouped by feature, with the jobs that run them later and the ports that they need.
//!
//! Nothing here names HTTP, SMTP, configuration files or a concrete adapter.
//!
//! Every function that reads or writes the store fails if a database call fails. An `# Errors` section says only what
//! else can fail.

pub mod access;
pub mod agent_keys;
pub mod agents;
pub mod analysis;
pub mod connectors;
pub mod contacts;
pub mod domains;
pub mod drafts;
pub mod escalation;
pub mod events;
pub mod extraction;
pub mod files;
pub mod forwarding;
pub mod inbound;
pub mod inboxes;
pub mod jobs;
pub mod keyring;
pub mod knowledge;
pub mod lifecycle;
pub mod limits;
pub mod local_model;
pub mod mailbox;
pub mod memory;
pub mod messages;
pub mod metrics;
pub mod model_server;
pub mod next_step;
pub mod outbound;
pub mod people;
pub mod persist;
pub mod ports;
pub mod reply_drafts;
pub mod service;
pub mod settings;
pub mod sign_in_with;
pub mod signing;
pub mod signup;
pub mod telemetry;
pub mod throttle;
pub mod tls;
pub mod webhooks;
pub mod workspaces;

pub use service::{Ports, ReadScope, Service};
