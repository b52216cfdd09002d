//! Faults and crashes: what only shows when things break at random moments.

mod crash;
mod failing_writes;
mod relay;
mod rotate_key;
mod webhook_crash;
