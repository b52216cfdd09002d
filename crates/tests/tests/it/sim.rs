//! Faults, crashes and interleavings: what only shows when things happen at the worst moment.

mod crash;
mod failing_writes;
mod interleave;
mod relay;
mod rotate_key;
mod webhook_crash;
