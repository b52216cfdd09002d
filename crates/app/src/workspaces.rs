//! Workspaces: create, stop, suspend, report.

pub mod create;
pub mod owner;
pub mod report;
pub mod stop;
pub mod suspension;
