//! Which database: the setting `database_url`. Never shows a password.

use crate::db::server::Server;
use crate::{Engine, Error};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where the database is: `sqlite:PATH`, or `postgres://user:password@host:port/name?options`.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// A file; it is made where it is missing, its directory is not.
    Sqlite(PathBuf),
    /// The whole URL, as PostgreSQL's own clients read it; `sslmode` is disable, prefer, require or verify-full.
    Postgres(String),
}

impl DatabaseUrl {
    /// The engine that serves this URL.
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
            return Server::parse(text).map(|_| DatabaseUrl::Postgres(text.to_owned()));
        }
        let Some(path) = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:")) else {
            return Err(Error::schema("database_url must begin with sqlite:, postgres:// or postgresql://"));
        };
        if path.is_empty() {
            return Err(Error::schema(
                "database_url must have a path behind sqlite:, as in sqlite:/var/lib/posthouse.db",
            ));
        }
        if path.contains(":memory:") || path.contains("mode=memory") {
            return Err(Error::schema("database_url must be a file: what is in memory alone would be lost"));
        }
        Ok(DatabaseUrl::Sqlite(path.into()))
    }
}

/// Without user and password, so that it may be logged.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseUrl::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            DatabaseUrl::Postgres(url) => {
                let rest = url.split_once("://").map_or("", |(_, rest)| rest);
                let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
                write!(f, "postgres://{}", place.split('?').next().unwrap_or_default())
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
    fn urls_are_read_and_shown_without_secrets() {
        let table = [
            ("sqlite:/var/lib/p.db", "sqlite:/var/lib/p.db"),
            ("sqlite://p.db", "sqlite:p.db"),
            ("postgres://u:s%40cret@db:5432/post?sslmode=disable", "postgres://db:5432/post"),
            ("postgres://db/post?sslmode=verify-full&sslrootcert=/a%20b.pem", "postgres://db/post"),
            ("postgresql:///post?host=/run/pg&password=secret", "postgres:///post"),
        ];
        for (text, shown) in table {
            let url: DatabaseUrl = text.parse().unwrap();
            assert_eq!(format!("{url}"), shown);
            assert_eq!(format!("{url:?}"), shown);
        }
        let wrong_tls = ["postgres://db/x?sslmode=verify-ca", "postgres://db/x?sslmode=require&sslrootcert=/a.pem"];
        for text in ["", "mysql://x", "/a/path"].into_iter().chain(wrong_tls) {
            assert!(text.parse::<DatabaseUrl>().is_err(), "{text}");
        }
        let table = [
            ("sqlite:", "must have a path behind sqlite:"),
            ("sqlite::memory:", "must be a file"),
            ("postgres://", "must name a host"),
            ("postgres:///db", "must name a host"),
            ("postgres://h/db?bogus=1", "unknown option `bogus`"),
            ("postgres://u:p@h:port/db", "invalid value for option `port`"),
        ];
        for (text, expected) in table {
            let said = text.parse::<DatabaseUrl>().unwrap_err().to_string();
            assert!(said.contains(expected) && said.contains("must"), "{text}: {said}");
        }
    }
}
