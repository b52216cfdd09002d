//! Durable jobs: what runs later, again, or until it is done (architecture, «Jobs»).

pub mod outbound;
