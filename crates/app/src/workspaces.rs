//! Workspaces: stop, suspend, report.

mod provoked;
pub mod report;
pub mod stop;
pub(crate) mod suppressed;
pub mod suspension;
