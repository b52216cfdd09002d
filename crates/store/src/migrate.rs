//! Forward-only, numbered migrations: one portable text each, applied once, under a lock.
//!
//! A text may hold the tokens of [`dialect`] and sections for one engine: a line `-- @sqlite`,
//! `-- @postgres` or `-- @both` begins a section. Each migration and its record commit together. A database that knows
//! more migrations than this binary is refused, for an old binary must not write into a newer schema.

use crate::db::{apart, postgres::PgConnection};
use crate::tx::Connection;
use crate::{DatabaseUrl, Engine, Error, Result, Tx, dialect, instance, p};
use rusqlite::OpenFlags;
use std::{fs::File, path::Path, time::Duration};

/// One step of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// `NNNN_name`, as the file is called.
    pub name: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

/// Lists migration files of `migrations/` in order.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(Migration { name: $name, text: include_str!(concat!("../migrations/", $name, ".sql")) }),*]
    };
}

/// The schema of this binary. A new file is added here; a file that was released is never changed.
#[rustfmt::skip] // One a line: people who add one at the same time must not meet in a line.
pub const MIGRATIONS: &[Migration] = files![
    "0001_initial",
    "0002_drafts",
    "0003_queue",
    "0004_search",
    "0005_contacts",
    "0006_webhooks",
    "0007_stream_tokens",
    "0008_lists",
    "0009_metrics",
    "0010_suspension",
    "0012_domains",
    "0013_message_filters",
    "0014_forwarding",
    "0017_tls",
    "0018_unclaimed_and_draft_lists",
    "0020_policy",
    "0021_search_pairs",
    "0022_signed_envelopes",
    "0023_search_word_pairs",
    "0030_list_require_auth",
    "0034_origins",
    "0035_sending_incidents",
];

crate::statements! {
    APPLIED = "SELECT number, name FROM schema_migrations ORDER BY number";
    RECORD = "INSERT INTO schema_migrations (number, name) VALUES ($1, $2)";
}

/// The record of what was applied.
const RECORDS: &str =
    "CREATE TABLE IF NOT EXISTS schema_migrations (number {I64} NOT NULL PRIMARY KEY, name {TEXT} NOT NULL) {STRICT};";
/// The advisory lock that migrating processes share on PostgreSQL: "posthous" in ASCII.
const LOCK: i64 = 0x706f_7374_686f_7573;
/// How long a process waits for another that migrates the same SQLite file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

impl Migration {
    /// The number at the head of the name.
    #[must_use]
    pub fn number(&self) -> i64 {
        self.name.split('_').next().and_then(|n| n.parse().ok()).unwrap_or(0)
    }

    /// The text for one engine: its sections, tokens replaced.
    #[must_use]
    pub fn text_for(&self, engine: Engine) -> String {
        let mut wanted = true;
        let mut out = String::with_capacity(self.text.len());
        for line in self.text.lines() {
            match line.trim() {
                "-- @both" => wanted = true,
                "-- @sqlite" => wanted = engine == Engine::Sqlite,
                "-- @postgres" => wanted = engine == Engine::Postgres,
                _ if wanted => {
                    out.push_str(line);
                    out.push('\n');
                }
                _ => {}
            }
        }
        dialect::expand(engine, &out).into_owned()
    }
}

/// Applies what is pending and returns the names of it. May be called from anywhere; blocks.
///
/// # Errors
/// [`Error::Schema`] where the database is newer than `migrations` or has others under the same numbers.
pub fn apply(url: &DatabaseUrl, migrations: &[Migration]) -> Result<Vec<&'static str>> {
    apart(|| apply_here(url, migrations))
}

pub(crate) fn apply_here(url: &DatabaseUrl, migrations: &[Migration]) -> Result<Vec<&'static str>> {
    let _turn = turn(url);
    let mut tx = connect(url)?;
    let engine = url.engine();
    if engine == Engine::Postgres {
        // Of the session, and so held over all transactions until the connection closes.
        tx.batch(&format!("SELECT pg_advisory_lock({LOCK})"))?;
    }
    let mut applied = Vec::new();
    // One transaction each; on SQLite the lock is the transaction, so what is pending is looked up inside it.
    loop {
        tx.batch(if engine == Engine::Sqlite { "BEGIN EXCLUSIVE" } else { "BEGIN" })?;
        match apply_next(&mut tx, engine, migrations) {
            Ok(next) => {
                tx.batch("COMMIT")?;
                match next {
                    Some(name) => applied.push(name),
                    None => return Ok(applied),
                }
            }
            Err(error) => {
                let _ = tx.batch("ROLLBACK");
                return Err(error);
            }
        }
    }
}

/// What a database holds before anything is made in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// The id of the store, where it has one.
    pub store_id: Option<String>,
    /// Whether it holds anything that could be missed.
    pub is_used: bool,
}

/// Looks what is in a database and makes nothing; none where there is no database, or one without our tables. A file of no
/// bytes is none: SQLite would take it for new, and remove a log that lies beside it.
///
/// # Errors
/// Where it cannot be read; [`Error::Damaged`] where it is no database.
pub fn look(url: &DatabaseUrl) -> Result<Option<Holding>> {
    apart(|| {
        let _turn = turn(url);
        let mut tx = match url {
            DatabaseUrl::Sqlite(path) => {
                if path.metadata().map_or(true, |file| file.len() == 0) {
                    return Ok(None);
                }
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let connection = rusqlite::Connection::open_with_flags(path, flags)?;
                connection.busy_timeout(LOCK_TIMEOUT)?;
                Tx::on(Connection::Sqlite(connection))
            }
            DatabaseUrl::Postgres(_) => connect(url)?,
        };
        if tx.value::<i64>(&HAS_TABLES, p![])?.is_none() {
            return Ok(None);
        }
        Ok(Some(Holding { store_id: instance::store_id(&mut tx)?, is_used: instance::is_used(&mut tx)? }))
    })
}

fn apply_next(tx: &mut Tx, engine: Engine, migrations: &[Migration]) -> Result<Option<&'static str>> {
    tx.batch(&dialect::expand(engine, RECORDS))?;
    let known: Vec<(i64, String)> = tx.rows(&APPLIED, p![])?;
    check(&known, migrations)?;
    let Some(next) = migrations.get(known.len()) else {
        return Ok(None);
    };
    let failed = |e: Error| match e {
        Error::Db(text) => Error::schema(format_args!("migration {} failed: {text}", next.name)),
        other => other,
    };
    tx.batch(&next.text_for(engine)).map_err(failed)?;
    tx.exec(&RECORD, p![next.number(), next.name])?;
    tracing::info!(migration = next.name, "schema migrated");
    Ok(Some(next.name))
}

fn check(known: &[(i64, String)], migrations: &[Migration]) -> Result<()> {
    for (at, (number, name)) in known.iter().enumerate() {
        match migrations.get(at) {
            Some(own) if own.name == name => {}
            Some(own) => {
                let text =
                    format!("the database has migration {name} where this version of posthouse has {}", own.name);
                return Err(Error::schema(text));
            }
            None => {
                return Err(Error::schema(format_args!(
                    "the database is newer than this version of posthouse: it has migration {name} (number {number}), \
                     this version knows {}. Install the newer version again, or restore a backup.",
                    migrations.len()
                )));
            }
        }
    }
    Ok(())
}

/// The turn of this process, until it is dropped, where several begin with one SQLite file at the same time. SQLite's own
/// locks do not do: a file cannot be given a write-ahead log while somebody else reads it, and that fails at once, whatever
/// the timeout. The lock is on the directory, for to close the file would let go of SQLite's locks on it. Where the file
/// system has no such locks, there is no turn: one process alone needs none.
fn turn(url: &DatabaseUrl) -> Option<File> {
    let DatabaseUrl::Sqlite(path) = url else { return None };
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(directory).ok().filter(|directory| directory.lock().is_ok())
}

fn connect(url: &DatabaseUrl) -> Result<Tx> {
    match url {
        DatabaseUrl::Sqlite(path) => {
            let connection = rusqlite::Connection::open(path)?;
            connection.busy_timeout(LOCK_TIMEOUT)?;
            connection
                .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")?;
            Ok(Tx::on(Connection::Sqlite(connection)))
        }
        DatabaseUrl::Postgres(url) => Ok(Tx::on(Connection::Postgres(Box::new(PgConnection::connect(url)?)))),
    }
}

/// Tables, columns and indexes of a database as sorted text, for the golden file that is compared in CI.
///
/// # Errors
/// Whatever the database says.
pub fn schema(url: &DatabaseUrl) -> Result<String> {
    apart(|| {
        let mut tx = connect(url)?;
        let lines: Vec<(String,)> = tx.rows(&SCHEMA, p![])?;
        Ok(lines.into_iter().map(|(line,)| line + "\n").collect())
    })
}

/// Whether the first migration was applied.
static HAS_TABLES: crate::Sql = crate::Sql::constant(
    "HAS_TABLES",
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'instance'",
    Some(
        "SELECT CAST(1 AS BIGINT) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'instance'",
    ),
);

/// One line per column and index on PostgreSQL; the statements as kept on SQLite.
static SCHEMA: crate::Sql = crate::Sql::constant(
    "SCHEMA",
    "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name",
    Some(
        "SELECT line FROM (
           SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type
               || CASE WHEN collation_name IS NULL THEN '' ELSE ' COLLATE ' || collation_name END
               || CASE WHEN is_nullable = 'NO' THEN ' NOT NULL' ELSE '' END
               || CASE WHEN column_default IS NULL THEN '' ELSE ' DEFAULT ' || column_default END AS line
             FROM information_schema.columns WHERE table_schema = current_schema()
           UNION ALL
           SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = current_schema()
           UNION ALL
           SELECT 'constraint ' || conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid)
             FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND conrelid <> 0
         ) AS lines ORDER BY line COLLATE \"C\"",
    ),
);
