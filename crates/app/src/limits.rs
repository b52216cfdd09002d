//! Shared resources of the process: threads for CPU-heavy work, storage health, write pressure; the rate limiter
//! and the budgets.

pub mod blocking_pool;
pub mod fixed_window;
pub mod shared_budget;
pub mod storage_health;
pub mod write_pressure;
