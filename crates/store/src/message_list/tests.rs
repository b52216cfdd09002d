//! Every shape of a page walks an index, on the engine whose planner takes orders.

#![allow(clippy::unwrap_used)]
