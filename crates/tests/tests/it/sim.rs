//! Faults, crashes and interleavings: problems that only occur at the worst moment.

mod crash;
mod failing_writes;
mod interleave;
mod mcp_events_crash;
mod relay;
mod rotate_key;
mod webhook_crash;
