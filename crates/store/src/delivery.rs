//! Outbound mail: envelopes, recipients, attempts, local deliveries, forwarding, and what limits sending.

pub mod deliveries;
pub mod delivery_attempts;
pub mod forwarding;
pub mod greylist;
pub mod incidents;
pub mod local_deliveries;
pub mod recipients;
pub mod recoveries;
pub mod senders;
pub mod suppressions;
pub mod sweep;
pub mod unclaimed;
pub mod usage;
