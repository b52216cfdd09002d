//! The setting `database_url`. It is never displayed with its password.

use crate::db::server::PgServer;
use crate::{Engine, Error};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The database URL: `sqlite:PATH`, or `postgres://user:password@host:port/name?options`.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// A file. It is created if missing; its directory isn't.
    Sqlite(PathBuf),
    /// The whole URL in libpq's format; `sslmode` is `disable`, `prefer`, `require` or `verify-full`.
    Postgres(String),
}

impl DatabaseUrl {
    /// Returns the engine for this URL.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self {
            DatabaseUrl::Sqlite(_) => Engine::Sqlite,
            DatabaseUrl::Postgres(_) => Engine::Postgres,
        }
    }
}

impl FromStr for DatabaseUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return PgServer::parse(text).map(|_| DatabaseUrl::Postgres(text.to_owned()));
        }
        let Some(path) = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:")) else {
            return Err(Error::schema("database_url must begin with sqlite:, postgres:// or postgresql://"));
        };
        if path.is_empty() {
            return Err(Error::schema(
                "database_url must have a path after sqlite:, as in sqlite:/var/lib/posthouse.db",
            ));
        }
        if path.contains(":memory:") || path.contains("mode=memory") {
            return Err(Error::schema("database_url must be a file: an in-memory database loses all data on exit"));
        }
        Ok(DatabaseUrl::Sqlite(path.into()))
    }
}

/// Omits user and password, so that it can be logged.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseUrl::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            DatabaseUrl::Postgres(url) => {
                let rest = url.split_once("://").map_or("", |(_, rest)| rest);
                let address = rest.rsplit_once('@').map_or(rest, |(_, address)| address);
                write!(f, "postgres://{}", address.split('?').next().unwrap_or_default())
            }
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_parsed_and_displayed_without_secrets() {
        let table = [
            ("sqlite:/var/lib/p.db", "sqlite:/var/lib/p.db"),
            ("sqlite://p.db", "sqlite:p.db"),
            ("postgres://u:s%40cret@db:5432/post?sslmode=disable", "postgres://db:5432/post"),
            ("postgres://db/post?sslmode=verify-full&sslrootcert=/a%20b.pem", "postgres://db/post"),
            ("postgresql:///post?host=/run/pg&password=secret", "postgres:///post"),
        ];
        for (text, display) in table {
            let url: DatabaseUrl = text.parse().unwrap();
            assert_eq!(format!("{url}"), display);
            assert_eq!(format!("{url:?}"), display);
        }
        let wrong_tls = ["postgres://db/x?sslmode=verify-ca", "postgres://db/x?sslmode=require&sslrootcert=/a.pem"];
        for text in ["", "mysql://x", "/a/path"].into_iter().chain(wrong_tls) {
            assert!(text.parse::<DatabaseUrl>().is_err(), "{text}");
        }
        let table = [
            ("sqlite:", "must have a path after sqlite:"),
            ("sqlite::memory:", "must be a file"),
            ("postgres://", "must name a host"),
            ("postgres:///db", "must name a host"),
            ("postgres://h/db?bogus=1", "unknown option `bogus`"),
            ("postgres://u:p@h:port/db", "invalid value for option `port`"),
        ];
        for (text, expected) in table {
            let error = text.parse::<DatabaseUrl>().unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("must"), "{text}: {error}");
        }
    }
}
