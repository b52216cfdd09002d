//! Messages between agents, their signatures and their keys.

mod author;
mod disclosure;
mod fixture;
mod keys;
mod messages;
mod service_keys;
mod verifiers;
