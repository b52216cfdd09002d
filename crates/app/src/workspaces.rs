//! Workspaces: stop, suspend, report.

pub mod report;
pub mod stop;
pub(crate) mod suppressed;
pub mod suspension;
