//! The instance key and everything sealed with it.

pub mod context;
pub(crate) mod counted_subject;
pub mod instance_key;
pub mod key_cache;
pub mod key_file;
pub mod proof;
pub mod rotate;
pub mod sealed_link;
pub mod service_keys;
pub mod signer;
