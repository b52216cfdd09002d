//! Shared resources of the process: threads for CPU-heavy work, storage health, write pressure; the rate limiter, the
//! budgets, and the storage of a workspace.

pub mod blocking_pool;
pub mod confirmations;
pub mod exhausted_log;
pub mod fixed_window;
pub(crate) mod service_mails;
pub mod shared_budget;
pub mod smtp_content;
pub mod storage_health;
pub mod storage_limit;
pub mod write_pressure;
