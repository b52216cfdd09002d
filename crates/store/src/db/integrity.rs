//! Full integrity checks by the engines. They read the whole database, so their duration grows with its size.

use crate::db::connection::PgConnection;
use crate::db::read_only::{self, SqliteReadMode};
use crate::{DatabaseUrl, Error, Result};
use std::path::Path;

/// Most problems reported.
const PROBLEMS_MAX: usize = 20;
/// SQLite virtual machine steps between two calls of `progress`: a few milliseconds.
const PROGRESS_STEPS: i32 = 100_000;

/// Selects the tables of the schema.
const TABLES: &str = "SELECT quote_ident(c.relname) FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' ORDER BY c.relname";
/// Selects the schema of amcheck's functions, if the extension is installed.
const AMCHECK: &str = "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = 'amcheck'";
/// Selects the B-tree indexes of the schema.
const INDEXES: &str = "SELECT c.oid, c.relname::text FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
    JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'btree' AND i.indisvalid
    AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname";

/// The result of an integrity check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntegrityReport {
    /// The engine's message for each problem; empty if the check found no problem.
    pub problems: Vec<String>,
    /// The part that couldn't be checked, and why.
    pub skipped: Option<String>,
}

/// Checks every page, row and index that the engine can check. Calls `progress` periodically. Changes nothing; blocks.
///
/// # Errors
/// Fails if the database can't be opened. Damage isn't an error but a problem in the result.
pub fn check(url: &DatabaseUrl, progress: impl FnMut() + Clone + Send + 'static) -> Result<IntegrityReport> {
    let checked = super::thread::on_own_thread(move || match url {
        DatabaseUrl::Sqlite(path) => sqlite(path, progress),
        DatabaseUrl::Postgres(url) => postgres(&mut PgConnection::connect(url)?, progress),
    });
    match checked {
        Err(Error::DatabaseDamaged(cause)) => Ok(IntegrityReport { problems: vec![cause.to_string()], skipped: None }),
        checked => checked,
    }
}

fn sqlite(path: &Path, progress: impl FnMut() + Clone + Send + 'static) -> Result<IntegrityReport> {
    let mode = SqliteReadMode::of(path)?;
    let report = check_sqlite(path, progress.clone());
    let is_sound = report.as_ref().is_ok_and(|report| report.problems.is_empty());
    if is_sound || mode == SqliteReadMode::WithLog || SqliteReadMode::of(path)? == SqliteReadMode::Immutable {
        return report;
    }
    // A service started in the meantime, and may have written to the file while it was read without locks.
    check_sqlite(path, progress)
}

fn check_sqlite(path: &Path, mut progress: impl FnMut() + Send + 'static) -> Result<IntegrityReport> {
    let mut connection = read_only::open_sqlite(path)?;
    connection.busy_timeout(super::sqlite::BUSY_TIMEOUT)?;
    let on_progress = move || {
        progress();
        false
    };
    connection.progress_handler(PROGRESS_STEPS, Some(on_progress))?;
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({PROBLEMS_MAX})"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let problems = lines.iter().flat_map(|text| text.lines()).filter(|line| *line != "ok" && !line.starts_with("***"));
    Ok(IntegrityReport { problems: problems.map(str::to_owned).collect(), skipped: None })
}

/// Reads every table, which verifies page checksums if the server has them enabled, and runs amcheck if it is installed
/// and permitted.
fn postgres(connection: &mut PgConnection, mut progress: impl FnMut()) -> Result<IntegrityReport> {
    let mut integrity = IntegrityReport::default();
    connection.batch("SET default_transaction_read_only = on")?;
    connection.batch("SET enable_seqscan = on; SET enable_indexscan = off; SET enable_indexonlyscan = off")?;
    let tables = connection.client().query(TABLES, &[])?;
    let names: Vec<String> = tables.iter().map(|row| row.get(0)).collect();
    for table in &names {
        progress();
        let read = connection.client().batch_execute(&format!("SELECT count(*) FROM {table}"));
        note(&mut integrity, table, read.map_err(Error::from))?;
    }
    let Some(schema) = connection.client().query_opt(AMCHECK, &[])?.map(|row| row.get::<_, String>(0)) else {
        integrity.skipped = Some(
            "indexes and rows were not compared: the amcheck extension is not installed (as a superuser, run: \
             CREATE EXTENSION amcheck; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO the user of \
             database_url)"
                .to_owned(),
        );
        return Ok(integrity);
    };
    for index in connection.client().query(INDEXES, &[])? {
        progress();
        let (oid, name): (u32, String) = (index.get(0), index.get(1));
        let checked = connection.client().execute(&format!("SELECT {schema}.bt_index_check({oid}::regclass)"), &[]);
        if let Err(error) = &checked
            && error.code() == Some(&postgres::error::SqlState::INSUFFICIENT_PRIVILEGE)
        {
            integrity.skipped = Some("indexes were not checked: the user of database_url can't run amcheck".to_owned());
            break;
        }
        note(&mut integrity, &name, checked.map(|_| ()).map_err(Error::from))?;
    }
    Ok(integrity)
}

fn note(integrity: &mut IntegrityReport, object: &str, checked: Result<()>) -> Result<()> {
    match checked {
        Err(error @ (Error::Unavailable(_) | Error::Overloaded)) => Err(error),
        Err(error) if integrity.problems.len() < PROBLEMS_MAX => {
            integrity.problems.push(format!("{object}: {}", error.internal()));
            Ok(())
        }
        _ => Ok(()),
    }
}
