//! Forward-only, numbered migrations: one portable text each, applied once, under a lock.
//!
//! A text may contain the tokens of [`dialect`] and sections for one engine. Each section starts with a marker line:
//! `-- @sqlite`, `-- @postgres` or `-- @both`. Each migration commits together with its record. A database with more
//! migrations than this binary knows is rejected, because an old binary must not write to a newer schema.

use crate::{
    DatabaseUrl, Engine, Error, Result, Tx,
    db::{connection::PgConnection, read_only, thread::on_own_thread},
    dialect, instance, p,
    tx::StoreConnection,
};
use rusqlite::OpenFlags;
use std::{fs::File, path::Path, time::Duration};

/// One migration of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The file name without extension, `NNNN_name`.
    pub name: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

pub use crate::tables::MIGRATIONS;

crate::statements! {
    APPLIED = "SELECT number, name FROM schema_migrations ORDER BY number";
    RECORD = "INSERT INTO schema_migrations (number, name) VALUES ($1, $2)";
}

/// The first migration of development builds, which split the schema into many files. Nothing upgrades their databases.
const BEFORE_FIRST_RELEASE: &str = "0001_initial";

crate::row_struct!(AppliedRow { number: i64, name: String });

/// The table that records applied migrations.
const RECORDS_TABLE: &str =
    "CREATE TABLE IF NOT EXISTS schema_migrations (number {I64} NOT NULL PRIMARY KEY, name {TEXT} NOT NULL) {STRICT};";
/// The advisory lock that migrating processes share on PostgreSQL: "posthous" in ASCII.
const LOCK: i64 = 0x706f_7374_686f_7573;
/// How long a process waits for another one that migrates the same SQLite file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

impl Migration {
    /// Returns the number at the start of the name.
    #[must_use]
    pub fn number(&self) -> i64 {
        self.name.split('_').next().and_then(|n| n.parse().ok()).unwrap_or(0)
    }

    /// Returns the text for one engine: its sections, with tokens replaced.
    #[must_use]
    pub fn text_for(&self, engine: Engine) -> String {
        let mut is_included = true;
        let mut out = String::with_capacity(self.text.len());
        for line in self.text.lines() {
            match line.trim() {
                "-- @both" => is_included = true,
                "-- @sqlite" => is_included = engine == Engine::Sqlite,
                "-- @postgres" => is_included = engine == Engine::Postgres,
                _ if is_included => {
                    out.push_str(line);
                    out.push('\n');
                }
                _ => {}
            }
        }
        dialect::expand(engine, &out).into_owned()
    }
}

/// Applies pending migrations and returns their names. Blocks; may be called from any thread.
///
/// # Errors
/// Returns [`Error::Schema`] if the database is newer than `migrations` or has different ones under the same numbers.
pub fn apply(url: &DatabaseUrl, migrations: &[Migration]) -> Result<Vec<&'static str>> {
    on_own_thread(|| apply_here(url, migrations))
}

pub(crate) fn apply_here(url: &DatabaseUrl, migrations: &[Migration]) -> Result<Vec<&'static str>> {
    let _lock = lock_directory(url);
    let mut tx = connect(url)?;
    let engine = url.engine();
    if engine == Engine::Postgres {
        // A session lock: held across all transactions until the connection closes.
        tx.batch(&format!("SELECT pg_advisory_lock({LOCK})"))?;
    }
    let mut applied = Vec::new();
    // One transaction each. On SQLite the transaction is the lock, so pending migrations are looked up inside it.
    loop {
        tx.batch(if engine == Engine::Sqlite { "BEGIN EXCLUSIVE" } else { "BEGIN" })?;
        match apply_next(&mut tx, engine, migrations) {
            Ok(next) => {
                tx.batch("COMMIT")?;
                match next {
                    Some(name) => applied.push(name),
                    None => {
                        // Only the migration of an existing database is logged.
                        if !applied.is_empty() && applied.len() < migrations.len() {
                            tracing::info!(migrations = applied.join(" "), "schema migrated");
                        }
                        return Ok(applied);
                    }
                }
            }
            Err(error) => {
                let _ = tx.batch("ROLLBACK");
                return Err(error);
            }
        }
    }
}

/// What a database contains before anything is created in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingDatabase {
    /// The ID of the store, if it has one.
    pub store_id: Option<String>,
    /// Whether it contains any data.
    pub is_used: bool,
}

/// Inspects a database without creating anything; `None` if it doesn't exist or has no Posthouse tables. An empty file
/// counts as missing: SQLite would treat it as new and remove a write-ahead log next to it.
///
/// # Errors
/// Fails if the database can't be read; returns [`Error::DatabaseDamaged`] if the file isn't a database.
pub fn inspect(url: &DatabaseUrl) -> Result<Option<ExistingDatabase>> {
    on_own_thread(|| {
        let _lock = lock_directory(url);
        let mut tx = match url {
            DatabaseUrl::Sqlite(path) => {
                if !has_content(url) {
                    return Ok(None);
                }
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let connection = rusqlite::Connection::open_with_flags(path, flags)?;
                connection.busy_timeout(LOCK_TIMEOUT)?;
                Tx::new(StoreConnection::Sqlite(connection))
            }
            DatabaseUrl::Postgres(_) => connect(url)?,
        };
        existing(&mut tx)
    })
}

/// Inspects a database without changing any file; [`inspect`] may write the write-ahead log of SQLite into the
/// database.
///
/// # Errors
/// Fails if the database can't be read; returns [`Error::DatabaseDamaged`] if the file isn't a database.
pub fn inspect_read_only(url: &DatabaseUrl) -> Result<Option<ExistingDatabase>> {
    if !has_content(url) {
        return Ok(None);
    }
    on_own_thread(|| existing(&mut read_only::connect(url)?))
}

/// Returns the names of the migrations that the database doesn't have yet. It must have been found by
/// [`inspect_read_only`]; nothing is changed.
///
/// # Errors
/// Returns [`Error::Schema`] if the database is newer than `migrations` or has different ones under the same numbers.
pub fn pending(url: &DatabaseUrl, migrations: &[Migration]) -> Result<Vec<&'static str>> {
    on_own_thread(|| {
        let known: Vec<AppliedRow> = read_only::connect(url)?.rows(&APPLIED, p![])?;
        check(&known, migrations)?;
        Ok(migrations.iter().skip(known.len()).map(|migration| migration.name).collect())
    })
}

/// Returns whether there is more than a missing or empty SQLite file.
fn has_content(url: &DatabaseUrl) -> bool {
    match url {
        DatabaseUrl::Sqlite(path) => path.metadata().is_ok_and(|file| file.len() > 0),
        DatabaseUrl::Postgres(_) => true,
    }
}

fn existing(tx: &mut Tx) -> Result<Option<ExistingDatabase>> {
    if tx.value::<i64>(&HAS_TABLES, p![])?.is_none() {
        return Ok(None);
    }
    Ok(Some(ExistingDatabase { store_id: instance::store_id(tx)?, is_used: instance::is_used(tx)? }))
}

fn apply_next(tx: &mut Tx, engine: Engine, migrations: &[Migration]) -> Result<Option<&'static str>> {
    tx.batch(&dialect::expand(engine, RECORDS_TABLE))?;
    let known: Vec<AppliedRow> = tx.rows(&APPLIED, p![])?;
    check(&known, migrations)?;
    let Some(next) = migrations.get(known.len()) else {
        return Ok(None);
    };
    let failed = |e: Error| match e {
        Error::Statement(text) => Error::schema(format_args!("migration {} failed: {text}", next.name)),
        other => other,
    };
    tx.batch(&next.text_for(engine)).map_err(failed)?;
    tx.exec(&RECORD, p![next.number(), next.name])?;
    tracing::debug!(migration = next.name, "migration applied");
    Ok(Some(next.name))
}

fn check(known: &[AppliedRow], migrations: &[Migration]) -> Result<()> {
    for (at, AppliedRow { number, name }) in known.iter().enumerate() {
        match migrations.get(at) {
            Some(own) if own.name == name => {}
            Some(_) if name == BEFORE_FIRST_RELEASE => {
                return Err(Error::schema(
                    "a development build made this database, before the first release. This version can't upgrade it. \
                     Move the data directory away and start with an empty one (with PostgreSQL: an empty database), or \
                     run the build that made it.",
                ));
            }
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

/// Locks the directory of a SQLite file until dropped, for processes that start at the same time. SQLite's own locks
/// don't suffice: switching a file to WAL mode fails immediately, whatever the timeout, while another process reads it.
/// The lock is on the directory because closing the file would release SQLite's locks on it. Returns `None` if the file
/// system doesn't support such locks; a single process doesn't need one.
fn lock_directory(url: &DatabaseUrl) -> Option<File> {
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
            Ok(Tx::new(StoreConnection::Sqlite(connection)))
        }
        DatabaseUrl::Postgres(url) => Ok(Tx::new(StoreConnection::Postgres(Box::new(PgConnection::connect(url)?)))),
    }
}

/// Returns the tables, columns and indexes of a database as sorted text, for comparison with the golden files in
/// `tests/schema/`.
///
/// # Errors
/// Fails if the database can't be read.
pub fn schema(url: &DatabaseUrl) -> Result<String> {
    on_own_thread(|| {
        let mut tx = connect(url)?;
        let lines: Vec<(String,)> = tx.rows(&SCHEMA, p![])?;
        Ok(lines.into_iter().map(|(line,)| line + "\n").collect())
    })
}

/// Returns a row if the first migration was applied.
static HAS_TABLES: crate::Sql = crate::Sql::constant(
    "HAS_TABLES",
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'instance'",
    Some(
        "SELECT CAST(1 AS BIGINT) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'instance'",
    ),
);

/// The stored statements on SQLite; on PostgreSQL one line per table, column, index, constraint, trigger and function.
static SCHEMA: crate::Sql = crate::Sql::constant(
    "SCHEMA",
    "SELECT sql || ';' AS line FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
     ORDER BY tbl_name, type = 'index', name",
    Some(
        "SELECT line FROM (
           SELECT 'column ' || c.relname::text || '.' || a.attname::text || ' ' || format_type(a.atttypid, a.atttypmod)
               || CASE WHEN l.collname IS NULL OR a.attcollation = t.typcollation THEN '' ELSE ' COLLATE ' || l.collname::text END
               || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
               || CASE WHEN d.adbin IS NULL THEN '' ELSE ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END
               || CASE WHEN a.attstorage = t.typstorage THEN '' ELSE ' STORAGE ' || a.attstorage::text END AS line
             FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
             LEFT JOIN pg_collation l ON l.oid = a.attcollation
             LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
             WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
           UNION ALL
           SELECT 'index ' || replace(indexdef, schemaname::text || '.', '') FROM pg_indexes WHERE schemaname = current_schema()
           UNION ALL
           SELECT 'constraint ' || conrelid::regclass::text || ' ' || conname::text || ' ' || pg_get_constraintdef(oid)
             FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND conrelid <> 0 AND contype <> 'n'
           UNION ALL
           SELECT 'trigger ' || c.relname::text || ' ' || g.tgname::text FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
             WHERE c.relnamespace = current_schema()::regnamespace AND NOT g.tgisinternal
           UNION ALL
           SELECT 'function ' || proname::text FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
         ) AS lines ORDER BY line COLLATE \"C\"",
    ),
);
