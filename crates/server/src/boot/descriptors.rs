//! The limit of open files: raises it, and divides it between the HTTP connections and everything else.

use posthouse_http::listener::CONNECTIONS_MAX;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Configuration;

/// Descriptors for the database, blobs, listeners, webhooks, DNS and logs.
const RESERVED: usize = 512;

/// Raises the limit of open files to the maximum. Every waiting client uses one, and the usual soft limit is 1,024.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        tracing::warn!(cause = %error, "the limit of open files was not raised");
    }
}

/// Returns how many HTTP connections the limit of open files allows.
pub(super) fn http_connections_max(config: &Configuration) -> usize {
    let limit = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok());
    share_of(limit, config)
}

/// Divides the descriptors. SMTP and deliveries keep theirs, unless that is more than half.
fn share_of(limit: Option<usize>, config: &Configuration) -> usize {
    let Some(limit) = limit else { return CONNECTIONS_MAX };
    // The mail exchanger and submission have as many connections each.
    let others = RESERVED + 2 * config.smtp.connections_max + config.delivery.connections_max;
    limit.saturating_sub(others).max(limit / 2).clamp(1, CONNECTIONS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_has_what_the_others_leave_and_at_least_half() {
        let config = Configuration::loopback();
        let others = RESERVED + 2 * config.smtp.connections_max + config.delivery.connections_max;
        let table = [
            (None, CONNECTIONS_MAX),
            (Some(1_000_000), CONNECTIONS_MAX),
            (Some(20_000), 20_000 - others),
            (Some(1_024), 512),
            (Some(0), 1),
        ];
        for (limit, expected) in table {
            assert_eq!(share_of(limit, &config), expected, "{limit:?}");
        }
    }
}
