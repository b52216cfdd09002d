//! Logs: to standard error, as text for people or JSON for machines (operations.md, docs/LOGGING.md).
//!
//! Standard output belongs to the answers of commands. Never logs addresses, bodies or secrets: events name ids.

use posthouse_store::Error;
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::config::Log;

/// Starts logging for the process. A second call changes nothing.
pub fn start(log: &Log) {
    let level: LevelFilter = log.level.parse().unwrap_or(LevelFilter::INFO);
    let layer = if log.json {
        fmt::layer().json().flatten_event(true).with_span_list(false).with_writer(std::io::stderr).boxed()
    } else {
        let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        fmt::layer().with_target(false).with_ansi(terminal).with_writer(std::io::stderr).boxed()
    };
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter(level))).try_init();
}

/// Logs that something is put off because of the store. An outage is told by the store itself, once: whoever meets it stays
/// silent, however often that is.
pub fn put_off(what: &'static str, error: &Error) {
    if error.is_outage() {
        tracing::debug!(what, cause = error.internal(), "put_off");
    } else {
        tracing::warn!(what, cause = error.internal(), "put_off");
    }
}

/// Libraries speak up from warnings on, unless everything is traced.
fn filter(level: LevelFilter) -> Targets {
    let others = if level == LevelFilter::TRACE { level } else { level.min(LevelFilter::WARN) };
    let own = ["posthouse", "posthouse_server", "posthouse_store", "posthouse_domain", "posthouse_mail"];
    Targets::new().with_default(others).with_targets(own.map(|target| (target, level)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn libraries_are_quiet() {
        let filter = filter(LevelFilter::DEBUG);
        assert!(filter.would_enable("posthouse_server::boot", &Level::DEBUG));
        assert!(!filter.would_enable("hyper::proto", &Level::INFO));
        assert!(filter.would_enable("hyper::proto", &Level::WARN));
        assert!(!super::filter(LevelFilter::OFF).would_enable("hyper::proto", &Level::ERROR));
    }
}
