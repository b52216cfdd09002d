//! Logging to standard error, as text or JSON (`docs/LOGGING.md`).
//!
//! Standard output is for results of commands. Log events name ids, never addresses, bodies or secrets.

use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::config::LogConfig;

/// Starts logging for the process. A second call has no effect.
pub fn start(log: &LogConfig) {
    let level: LevelFilter = log.level.parse().unwrap_or(LevelFilter::INFO);
    let layer = if log.json {
        fmt::layer().json().flatten_event(true).with_span_list(false).with_writer(std::io::stderr).boxed()
    } else {
        let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        fmt::layer().with_target(false).with_ansi(terminal).with_writer(std::io::stderr).boxed()
    };
    let _ = tracing_subscriber::registry().with(layer.with_filter(filter(level))).try_init();
}

/// Limits libraries to warnings, unless the level is `trace`.
fn filter(level: LevelFilter) -> Targets {
    let others = if level == LevelFilter::TRACE { level } else { level.min(LevelFilter::WARN) };
    let own = [
        "posthouse",
        "posthouse_server",
        "posthouse_http",
        "posthouse_pages",
        "posthouse_operations",
        "posthouse_call",
        "posthouse_app",
        "posthouse_api",
        "posthouse_store",
        "posthouse_domain",
        "posthouse_mail",
    ];
    Targets::new().with_default(others).with_targets(own.map(|target| (target, level)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn libraries_log_only_warnings() {
        let filter = filter(LevelFilter::DEBUG);
        assert!(filter.would_enable("posthouse_server::boot", &Level::DEBUG));
        assert!(!filter.would_enable("hyper::proto", &Level::INFO));
        assert!(filter.would_enable("hyper::proto", &Level::WARN));
        assert!(!super::filter(LevelFilter::OFF).would_enable("hyper::proto", &Level::ERROR));
    }
}
