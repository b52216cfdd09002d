//! Messages between agents, their signatures and their keys.

mod service_keys;
