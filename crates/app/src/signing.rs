//! Signing keys of the service: their creation, rotation and publication, and signatures with them. Writes
//! `signing_keys`.
//!
//! Concurrent processes agree on the keys: each generation of a purpose exists once, and every process reads the rows
//! before it signs. A private key is never logged and never leaves this module unsealed.

pub mod agent_copy;
pub mod keys;
mod new_key;
pub mod published;
pub mod sign;
