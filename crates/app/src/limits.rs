//! Shared resources of the process: threads for CPU-heavy work, storage health, write pressure; the rate limiter.

pub mod blocking_pool;
pub mod fixed_window;
pub mod storage_health;
pub mod write_pressure;
