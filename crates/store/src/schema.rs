//! The schema: its migrations, the tables that they declare, and when the rows of each table end.

pub mod migrate;
pub(crate) mod tables;
pub mod wipe;
pub mod wipe_rules;
pub mod wipe_workspace;

pub use tables::RULES;
