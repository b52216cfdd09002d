//! Workspaces: stop, suspend, report.

pub mod report;
pub mod stop;
pub mod suspension;
