//! Reasons why a delivery attempt contacted no server.

use posthouse_domain::Time;

/// The reason why a delivery attempt contacted no server.
pub(super) enum NotAttempted {
    /// A local problem that the operator can fix.
    Later(String),
    /// The stored message can never be sent.
    Never(&'static str),
    /// The destination limit allows no attempt before this time, at this host.
    NotBefore(Time, String),
}
