//! Shared log lines.

use posthouse_store::Error;

/// Logs background work that was deferred by a store error. The store itself logs an outage once, so this function logs
/// an outage only at `debug`.
pub fn log_deferred(what: &'static str, error: &Error) {
    if error.is_outage() {
        tracing::debug!(what, cause = error.internal(), "background work deferred");
    } else {
        tracing::warn!(what, cause = error.internal(), "background work deferred");
    }
}
