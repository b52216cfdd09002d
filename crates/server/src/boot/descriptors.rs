//! Open files of the process. Every connection uses one, and a process without free ones can't open its database files.

use posthouse_app::settings::http::CONNECTIONS_MAX;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::{Configuration, SmtpConfig};

/// Descriptors for the database, blobs, listeners, webhooks, DNS and logs.
const RESERVED: usize = 512;
/// The part of all descriptors that the mail exchanger may use, and again submission: an eighth each.
const SMTP_SHARE: usize = 8;

/// Raises the limit of open files to the maximum, because the usual soft limit is 1,024. Returns the limit, or `None`
/// without one.
pub(super) fn raise_limit() -> Option<usize> {
    let limit = getrlimit(Resource::Nofile);
    let reached = match setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        Ok(()) => limit.maximum,
        Err(error) => {
            tracing::warn!(cause = %error, "the limit of open files was not raised");
            limit.current
        }
    };
    reached.and_then(|descriptors| usize::try_from(descriptors).ok())
}

/// Lowers the maximum of SMTP connections to what the descriptors allow.
pub(super) fn limit_smtp(config: &mut SmtpConfig, descriptors: Option<usize>) {
    let Some(share) = descriptors.map(|all| (all / SMTP_SHARE).max(1)) else { return };
    if share < config.connections_max {
        tracing::warn!(configured = config.connections_max, connections_max = share, "smtp.few_descriptors");
        config.connections_max = share;
    }
}

/// Returns how many HTTP connections the descriptors allow. SMTP and deliveries keep theirs, unless that is more than
/// half.
pub(super) fn http_connections_max(config: &Configuration, descriptors: Option<usize>) -> usize {
    let Some(descriptors) = descriptors else { return CONNECTIONS_MAX };
    // The mail exchanger and submission have as many connections each.
    let others = RESERVED + 2 * config.smtp.connections_max + config.delivery.connections_max;
    descriptors.saturating_sub(others).max(descriptors / 2).clamp(1, CONNECTIONS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smtp_connections_are_at_most_a_share_of_the_descriptors() {
        for (descriptors, configured, connections_max) in [
            (None, 1_000, 1_000),
            (Some(1_048_576), 1_000, 1_000),
            (Some(8_000), 1_000, 1_000),
            (Some(1_024), 1_000, 128),
            (Some(4), 1_000, 1),
        ] {
            let mut config = Configuration::loopback().smtp;
            config.connections_max = configured;
            limit_smtp(&mut config, descriptors);
            assert_eq!(config.connections_max, connections_max, "{descriptors:?}");
        }
    }

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
        for (descriptors, expected) in table {
            assert_eq!(http_connections_max(&config, descriptors), expected, "{descriptors:?}");
        }
    }
}
