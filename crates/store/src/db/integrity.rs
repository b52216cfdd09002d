//! The engines' own checks of a whole database. They read all of it, so they take as long as that does.

use crate::db::postgres::PgConnection;
use crate::{DatabaseUrl, Error, Result};
use rusqlite::OpenFlags;

/// Most problems that are reported.
const PROBLEMS_MAX: usize = 20;
/// Steps of SQLite's machine between two calls of `progress`: a few milliseconds.
const PROGRESS_STEPS: i32 = 100_000;

/// The tables of the schema.
const TABLES: &str = "SELECT quote_ident(c.relname) FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' ORDER BY c.relname";
/// The schema of the functions of amcheck, where it is installed.
const AMCHECK: &str = "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname = 'amcheck'";
/// The B-tree indexes of the schema.
const INDEXES: &str = "SELECT c.oid, c.relname::text FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
    JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'btree' AND i.indisvalid
    AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname";

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Integrity {
    /// The engine's words for each problem; empty when there is none.
    pub problems: Vec<String>,
    /// What could not be checked, and why.
    pub skipped: Option<String>,
}

/// Checks every page, row and index that the engine can check. Calls `progress` now and then. Changes nothing; blocks.
///
/// # Errors
/// Where the database cannot be opened; damage is a problem in the result.
pub fn check(url: &DatabaseUrl, progress: impl FnMut() + Send + 'static) -> Result<Integrity> {
    let checked = super::apart(move || match url {
        DatabaseUrl::Sqlite(path) => sqlite(path, progress),
        DatabaseUrl::Postgres(url) => postgres(&mut PgConnection::connect(url)?, progress),
    });
    match checked {
        Err(Error::Damaged(cause)) => Ok(Integrity { problems: vec![cause.to_string()], skipped: None }),
        checked => checked,
    }
}

fn sqlite(path: &std::path::Path, mut progress: impl FnMut() + Send + 'static) -> Result<Integrity> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = rusqlite::Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(super::sqlite::BUSY_TIMEOUT)?;
    let go_on = move || {
        progress();
        false
    };
    connection.progress_handler(PROGRESS_STEPS, Some(go_on))?;
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({PROBLEMS_MAX})"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let problems = lines.iter().flat_map(|text| text.lines()).filter(|line| *line != "ok" && !line.starts_with("***"));
    Ok(Integrity { problems: problems.map(str::to_owned).collect(), skipped: None })
}

/// Reads every table, which verifies the checksums of its pages where the server keeps them, and has amcheck look where it is
/// installed and allowed.
fn postgres(connection: &mut PgConnection, mut progress: impl FnMut()) -> Result<Integrity> {
    let mut found = Integrity::default();
    connection.batch("SET enable_seqscan = on; SET enable_indexscan = off; SET enable_indexonlyscan = off")?;
    let tables = connection.client().query(TABLES, &[])?;
    let names: Vec<String> = tables.iter().map(|row| row.get(0)).collect();
    for table in &names {
        progress();
        let read = connection.client().batch_execute(&format!("SELECT count(*) FROM {table}"));
        note(&mut found, table, read.map_err(Error::from))?;
    }
    let Some(schema) = connection.client().query_opt(AMCHECK, &[])?.map(|row| row.get::<_, String>(0)) else {
        found.skipped = Some(
            "indexes and rows were not compared: the extension amcheck is not installed (as a superuser: CREATE EXTENSION \
             amcheck; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO the user of database_url)"
                .to_owned(),
        );
        return Ok(found);
    };
    for index in connection.client().query(INDEXES, &[])? {
        progress();
        let (oid, name): (u32, String) = (index.get(0), index.get(1));
        let checked = connection.client().execute(&format!("SELECT {schema}.bt_index_check({oid}::regclass)"), &[]);
        if let Err(error) = &checked
            && error.code() == Some(&postgres::error::SqlState::INSUFFICIENT_PRIVILEGE)
        {
            found.skipped = Some("indexes were not checked: the user of database_url may not run amcheck".to_owned());
            break;
        }
        note(&mut found, &name, checked.map(|_| ()).map_err(Error::from))?;
    }
    Ok(found)
}

fn note(found: &mut Integrity, place: &str, checked: Result<()>) -> Result<()> {
    match checked {
        Err(error @ (Error::Unavailable(_) | Error::Overloaded)) => Err(error),
        Err(error) if found.problems.len() < PROBLEMS_MAX => {
            found.problems.push(format!("{place}: {}", error.internal()));
            Ok(())
        }
        _ => Ok(()),
    }
}
