//! Named limits that more than one module of this crate obeys. A limit with one home lives in that home.

/// Largest whole message, in bytes, that is taken or sent unless the operator says otherwise (decision 13).
pub const MESSAGE_BYTES_MAX_DEFAULT: u64 = 26_214_400;

/// Most recipients of one message (decision 13).
pub const RECIPIENTS_MAX: usize = 50;

/// Longest address in bytes: 64 for the local part, one `@`, 255 for the domain (RFC 5321 §4.5.3.1).
pub const ADDRESS_BYTES_MAX: usize = 320;
