//! One transaction, whichever engine: the only door through which domain data is read and written.
//!
//! Calls are plain and synchronous. A failed statement poisons its unit of work on both engines (PostgreSQL insists on
//! that), so never insert, catch the violation and go on: say ON CONFLICT.

use crate::db::damage::Damage;
use crate::db::postgres::PgConnection;
use crate::dialect::IDS_MAX;
use crate::values::RowFrom;
use crate::{Engine, Error, FromColumn, FromRow, Result, Row, Sql, Value};
use posthouse_domain::event::NewEvent;
use uuid::Uuid;

/// The transaction of one unit of work.
pub struct Tx {
    pub(crate) on: Connection,
    /// The first failed statement of this unit.
    fault: Option<Error>,
    /// Workspaces to wake after the commit.
    wakes: Vec<Uuid>,
    /// Events of this unit that are not in the log yet.
    events: Vec<NewEvent>,
    /// How many statements are still allowed, for units that promised a number.
    statements_left: Option<u32>,
    /// Where damage that this connection meets is noted.
    damage: Damage,
}

/// The connection a transaction runs on; it outlives the transaction.
pub(crate) enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<PgConnection>),
}

impl Tx {
    pub(crate) fn on(on: Connection) -> Self {
        let damage = Damage::default();
        Tx { on, fault: None, wakes: Vec::new(), events: Vec::new(), statements_left: None, damage }
    }

    /// Has damage noted there.
    pub(crate) fn watched(mut self, damage: Damage) -> Self {
        self.damage = damage;
        self
    }

    /// Where damage is noted.
    pub(crate) fn damage(&self) -> &Damage {
        &self.damage
    }

    /// The first row, if any.
    ///
    /// # Errors
    /// See [`Tx::rows`].
    pub fn one<T: FromRow>(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<Option<T>> {
        Ok(self.rows(sql, parameters)?.into_iter().next())
    }

    /// The only column of the first row, if there is a row.
    ///
    /// # Errors
    /// See [`Tx::rows`].
    pub fn value<T: FromColumn>(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<Option<T>> {
        Ok(self.one::<(T,)>(sql, parameters)?.map(|(value,)| value))
    }

    /// All rows, in order. The statement's LIMIT is the bound.
    ///
    /// # Errors
    /// Whatever the database says; [`Error::Db`] where the number or kind of the columns is not that of `T`.
    pub fn rows<T: FromRow>(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<Vec<T>> {
        self.count(sql)?;
        let rows = match &mut self.on {
            Connection::Sqlite(connection) => sqlite_rows(connection, sql, parameters),
            Connection::Postgres(connection) => postgres_rows(connection, sql, parameters),
        };
        self.note(sql, rows)
    }

    /// Runs a statement that gives no rows; returns how many rows it changed.
    ///
    /// # Errors
    /// Whatever the database says.
    pub fn exec(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<u64> {
        self.count(sql)?;
        let changed = match &mut self.on {
            Connection::Sqlite(connection) => sqlite_exec(connection, sql, parameters),
            Connection::Postgres(connection) => connection.execute(sql, parameters),
        };
        self.note(sql, changed)
    }

    /// Wakes, after the COMMIT, everybody who waits for `workspace_id`. Carries nothing: the woken look for themselves.
    pub fn wake(&mut self, workspace_id: Uuid) {
        if !self.wakes.contains(&workspace_id) {
            self.wakes.push(workspace_id);
        }
    }

    /// The engine this runs on. Only full-text search has a reason to ask.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self.on {
            Connection::Sqlite(_) => Engine::Sqlite,
            Connection::Postgres(_) => Engine::Postgres,
        }
    }

    /// Prepares a statement without running it, for the test that prepares them all.
    ///
    /// # Errors
    /// Whatever the database says of the text.
    pub fn prepare(&mut self, sql: &Sql) -> Result<()> {
        let widths: &[usize] = if sql.is_by_ids() { &[1 + IDS_MAX, 2] } else { &[0] };
        let prepared = widths.iter().try_for_each(|parameters| match &mut self.on {
            Connection::Sqlite(connection) => {
                check_placeholders(&connection.prepare(sql.told(Engine::Sqlite, *parameters))?)
            }
            Connection::Postgres(connection) => connection.prepare(sql, *parameters).map(|_| ()),
        });
        self.note(sql, prepared)
    }

    /// Runs raw SQL of this crate's own, one or many statements.
    pub(crate) fn batch(&mut self, text: &str) -> Result<()> {
        match &mut self.on {
            Connection::Sqlite(connection) => Ok(connection.execute_batch(text)?),
            Connection::Postgres(connection) => connection.batch(text),
        }
    }

    /// Begins a new unit of work: forgets faults, wakes and events of the last.
    pub(crate) fn renew(&mut self) {
        self.fault = None;
        self.wakes.clear();
        self.events.clear();
        self.statements_left = None;
    }

    /// From here on one statement may be run.
    pub(crate) fn allow_one(&mut self) {
        self.statements_left = Some(1);
    }

    fn count(&mut self, sql: &Sql) -> Result<()> {
        match &mut self.statements_left {
            None => Ok(()),
            Some(0) => self.note(sql, Err(Error::db("a unit of one statement runs a second one"))),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }

    /// The first failure of a statement in this unit.
    pub(crate) fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }

    /// Keeps an event for the end of the unit.
    pub(crate) fn tell(&mut self, event: NewEvent) {
        self.events.push(event);
    }

    pub(crate) fn take_events(&mut self) -> Vec<NewEvent> {
        std::mem::take(&mut self.events)
    }

    pub(crate) fn take_wakes(&mut self) -> Vec<Uuid> {
        std::mem::take(&mut self.wakes)
    }

    fn note<T>(&mut self, sql: &Sql, result: Result<T>) -> Result<T> {
        result.map_err(|error| {
            let error = match error {
                Error::Db(text) => Error::db(format_args!("{}: {text}", sql.name())),
                other => other,
            };
            self.damage.note(&error);
            self.fault.get_or_insert_with(|| error.clone());
            error
        })
    }
}

pub(crate) fn expect_columns<T: FromRow>(found: usize) -> Result<()> {
    if T::COLUMNS == found {
        return Ok(());
    }
    Err(Error::db(format_args!("{} columns are read of a statement that gives {found}", T::COLUMNS)))
}

/// Whether every parameter is written as `$n`, and every number is used.
fn check_placeholders(statement: &rusqlite::Statement<'_>) -> Result<()> {
    let is_numbered = |index: usize| statement.parameter_name(index) == Some(format!("?{index}").as_str());
    let all = (1..=statement.parameter_count()).all(is_numbered);
    if all { Ok(()) } else { Err(Error::db("placeholders must be $1, $2, ...")) }
}

fn sqlite_bind(statement: &mut rusqlite::Statement<'_>, parameters: &[Value<'_>]) -> Result<()> {
    let (last, given) = (statement.parameter_count(), parameters.len());
    if last != given {
        return Err(Error::db(format_args!("{given} parameters are given, ${last} is the last used")));
    }
    (1..).zip(parameters).try_for_each(|(index, value)| Ok(statement.raw_bind_parameter(index, value)?))
}

fn sqlite_rows<T: FromRow>(c: &rusqlite::Connection, sql: &Sql, parameters: &[Value<'_>]) -> Result<Vec<T>> {
    let mut statement = c.prepare_cached(sql.told(Engine::Sqlite, parameters.len()))?;
    expect_columns::<T>(statement.column_count())?;
    sqlite_bind(&mut statement, parameters)?;
    let mut rows = statement.raw_query();
    let mut out = Vec::new();
    while let Some(row) = rows.next()? {
        out.push(T::from_row(&mut Row { from: RowFrom::Sqlite(row), next: 0 })?);
    }
    Ok(out)
}

fn sqlite_exec(c: &rusqlite::Connection, sql: &Sql, parameters: &[Value<'_>]) -> Result<u64> {
    let mut statement = c.prepare_cached(sql.told(Engine::Sqlite, parameters.len()))?;
    sqlite_bind(&mut statement, parameters)?;
    Ok(statement.raw_execute()? as u64)
}

fn postgres_rows<T: FromRow>(c: &mut PgConnection, sql: &Sql, parameters: &[Value<'_>]) -> Result<Vec<T>> {
    let statement = c.prepare(sql, parameters.len())?;
    expect_columns::<T>(statement.columns().len())?;
    let rows = c.query(&statement, parameters)?;
    rows.iter().map(|row| T::from_row(&mut Row { from: RowFrom::Postgres(row), next: 0 })).collect()
}
