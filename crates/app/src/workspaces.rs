//! Workspaces: stop, suspend, report.

pub(crate) mod provoked;
pub mod report;
pub mod stop;
pub(crate) mod suppressed;
pub mod suspension;
