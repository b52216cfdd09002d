//! Runs one statement on each engine.

use postgres::fallible_iterator::FallibleIterator;

use crate::{Engine, Error, FromRow, Result, Row, Sql, Value, db::connection::PgConnection, values::RowSource};

/// Checks that every parameter is written as `$n` and that every number is used.
pub(super) fn check_placeholders(statement: &rusqlite::Statement<'_>) -> Result<()> {
    let is_numbered = |index: usize| statement.parameter_name(index) == Some(format!("?{index}").as_str());
    let all = (1..=statement.parameter_count()).all(is_numbered);
    if all { Ok(()) } else { Err(Error::db("placeholders must be $1, $2, ...")) }
}

fn sqlite_bind(statement: &mut rusqlite::Statement<'_>, parameters: &[Value<'_>]) -> Result<()> {
    let (last, given) = (statement.parameter_count(), parameters.len());
    if last != given {
        return Err(Error::db(format_args!("{given} parameters given, but ${last} is the highest used")));
    }
    (1..).zip(parameters).try_for_each(|(index, value)| Ok(statement.raw_bind_parameter(index, value)?))
}

/// Returns the rows of a statement on SQLite.
pub(super) fn sqlite_rows<T: FromRow>(c: &rusqlite::Connection, sql: &Sql, parameters: &[Value<'_>]) -> Result<Vec<T>> {
    let mut out = Vec::new();
    sqlite_each(c, sql, parameters, &mut |row| {
        out.push(row);
        false
    })?;
    Ok(out)
}

/// Reads rows until `add` returns true.
pub(super) fn sqlite_each<T: FromRow>(
    c: &rusqlite::Connection,
    sql: &Sql,
    parameters: &[Value<'_>],
    add: &mut impl FnMut(T) -> bool,
) -> Result<()> {
    let mut statement = c.prepare_cached(sql.text_for(Engine::Sqlite, parameters.len()))?;
    let names = (0..statement.column_count()).map(|at| statement.column_name(at).unwrap_or_default());
    sql.check_columns(Engine::Sqlite, T::COLUMNS, names)?;
    sqlite_bind(&mut statement, parameters)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        if add(T::from_row(&mut Row { from: RowSource::Sqlite(row), next: 0 })?) {
            break;
        }
    }
    Ok(())
}

/// Runs a statement on SQLite; returns the number of rows changed.
pub(super) fn sqlite_exec(c: &rusqlite::Connection, sql: &Sql, parameters: &[Value<'_>]) -> Result<u64> {
    let mut statement = c.prepare_cached(sql.text_for(Engine::Sqlite, parameters.len()))?;
    sqlite_bind(&mut statement, parameters)?;
    Ok(statement.raw_execute()? as u64)
}

/// Returns the rows of a statement on PostgreSQL.
pub(super) fn postgres_rows<T: FromRow>(c: &mut PgConnection, sql: &Sql, parameters: &[Value<'_>]) -> Result<Vec<T>> {
    let statement = c.prepare(sql, parameters.len())?;
    sql.check_columns(Engine::Postgres, T::COLUMNS, statement.columns().iter().map(|column| column.name()))?;
    let rows = c.query(&statement, parameters)?;
    rows.iter().map(|row| T::from_row(&mut Row { from: RowSource::Postgres(row), next: 0 })).collect()
}

/// Reads rows until `add` returns true. The connection discards the others.
pub(super) fn postgres_each<T: FromRow>(
    c: &mut PgConnection,
    sql: &Sql,
    parameters: &[Value<'_>],
    add: &mut impl FnMut(T) -> bool,
) -> Result<()> {
    let statement = c.prepare(sql, parameters.len())?;
    sql.check_columns(Engine::Postgres, T::COLUMNS, statement.columns().iter().map(|column| column.name()))?;
    let mut rows = c.query_each(&statement, parameters)?;
    while let Some(row) = rows.next()? {
        if add(T::from_row(&mut Row { from: RowSource::Postgres(&row), next: 0 })?) {
            break;
        }
    }
    Ok(())
}
