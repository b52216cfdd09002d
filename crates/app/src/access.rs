//! Authentication and access checks: credentials resolve to callers, and callers load the records they may see.

pub mod actor;
pub mod authenticate;
pub mod authorize;
pub mod connectors;
pub mod credentials;
pub mod file_links;
pub mod new_key;
pub mod task_ids;
pub mod visible;
