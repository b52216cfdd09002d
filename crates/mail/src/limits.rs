//! Limits shared by several modules of this crate. A limit that only one module uses is defined in that module.

/// Default for the maximum size of a message, in bytes, in both directions. Operators can change it.
pub const MESSAGE_BYTES_MAX_DEFAULT: u64 = 26_214_400;

/// Maximum number of recipients of one message.
pub const RECIPIENTS_MAX: usize = 50;

/// Maximum length of an address in bytes: 64 for the local part, one for the `@`, 255 for the domain (RFC 5321
/// §4.5.3.1).
pub const ADDRESS_BYTES_MAX: usize = 320;
