//! One transaction on either engine: the only way to read and write domain data.
//!
//! Calls are synchronous. A failed statement aborts its unit of work on both engines (PostgreSQL requires this), so
//! don't insert and catch the violation: use ON CONFLICT.

mod run;

use self::run::{check_placeholders, postgres_each, postgres_rows, sqlite_each, sqlite_exec, sqlite_rows};
use crate::db::connection::PgConnection;
use crate::db::damage::DamageState;
use crate::db::statement_timer::StatementTimer;
use crate::db::wakes::JOBS;
use crate::dialect::IDS_MAX;
use crate::{Engine, Error, FromColumn, FromRow, Result, Sql, Value};
use posthouse_domain::{NewEvent, Plans, WorkspaceId};
use std::collections::BTreeMap;
use uuid::Uuid;

/// The transaction of one unit of work.
pub struct Tx {
    pub(crate) on: StoreConnection,
    /// The first statement error in this unit.
    fault: Option<Error>,
    /// Workspaces to wake after the commit.
    wakes: Vec<Uuid>,
    /// Events of this unit that aren't in the log yet.
    events: Vec<NewEvent>,
    /// Changes of this unit to what workspaces store, in bytes.
    stored_bytes: BTreeMap<WorkspaceId, i64>,
    /// The plans that limit what workspaces may store after this unit; `None` means unlimited.
    storage_plans: Option<Box<Plans>>,
    /// Number of statements still allowed, for units limited to a fixed number.
    statements_left: Option<u32>,
    /// Records damage that this connection detects.
    damage: DamageState,
    /// The time limit of a statement, in milliseconds; 0 means no limit.
    statement_ms: u64,
    /// Enforces the limit on SQLite; PostgreSQL has it as a setting of the session.
    timer: Option<StatementTimer>,
}

/// The connection that a transaction runs on. It outlives the transaction.
pub(crate) enum StoreConnection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<PgConnection>),
}

impl Tx {
    pub(crate) fn new(on: StoreConnection) -> Self {
        let damage = DamageState::default();
        let stored_bytes = BTreeMap::new();
        Tx {
            on,
            fault: None,
            wakes: Vec::new(),
            events: Vec::new(),
            stored_bytes,
            storage_plans: None,
            statements_left: None,
            damage,
            statement_ms: 0,
            timer: None,
        }
    }

    /// Limits the time of each statement; `None` leaves it unlimited.
    pub(crate) fn with_statement_limit(mut self, limit_ms: Option<u64>) -> Result<Self> {
        let Some(limit_ms) = limit_ms else { return Ok(self) };
        self.statement_ms = limit_ms;
        match &mut self.on {
            StoreConnection::Sqlite(connection) => {
                self.timer = Some(StatementTimer::install(connection, limit_ms)?);
            }
            StoreConnection::Postgres(connection) => {
                connection.batch(&format!("SET statement_timeout = {limit_ms}"))?;
            }
        }
        Ok(self)
    }

    /// Sets where damage is recorded.
    pub(crate) fn with_damage(mut self, damage: DamageState) -> Self {
        self.damage = damage;
        self
    }

    /// Returns where damage is recorded.
    pub(crate) fn damage(&self) -> &DamageState {
        &self.damage
    }

    /// Returns the first row, if any.
    ///
    /// # Errors
    /// See [`Tx::rows`].
    pub fn one<T: FromRow>(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<Option<T>> {
        Ok(self.rows(sql, parameters)?.into_iter().next())
    }

    /// Returns the only column of the first row, if any.
    ///
    /// # Errors
    /// See [`Tx::rows`].
    pub fn value<T: FromColumn>(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<Option<T>> {
        Ok(self.one::<(T,)>(sql, parameters)?.map(|(value,)| value))
    }

    /// Returns all rows in order. Bound the result with LIMIT in the statement.
    ///
    /// # Errors
    /// Returns an error if the statement fails, and [`Error::Statement`] if the names or kinds of the columns don't match
    /// `T`.
    pub fn rows<T: FromRow>(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<Vec<T>> {
        self.count(sql)?;
        let _timed = self.timer.as_ref().map(StatementTimer::start);
        let rows = match &mut self.on {
            StoreConnection::Sqlite(connection) => sqlite_rows(connection, sql, parameters),
            StoreConnection::Postgres(connection) => postgres_rows(connection, sql, parameters),
        };
        self.note(sql, rows)
    }

    /// Returns the rows in order, up to the first one for which `is_last` holds. The rows after it aren't read.
    ///
    /// # Errors
    /// See [`Tx::rows`].
    pub fn rows_until<T: FromRow>(
        &mut self,
        sql: &Sql,
        parameters: &[Value<'_>],
        mut is_last: impl FnMut(&T) -> bool,
    ) -> Result<Vec<T>> {
        self.count(sql)?;
        let mut out = Vec::new();
        let mut add = |row: T| {
            let is_last = is_last(&row);
            out.push(row);
            is_last
        };
        let read = match &mut self.on {
            StoreConnection::Sqlite(connection) => sqlite_each(connection, sql, parameters, &mut add),
            StoreConnection::Postgres(connection) => postgres_each(connection, sql, parameters, &mut add),
        };
        self.note(sql, read)?;
        Ok(out)
    }

    /// Runs a statement that returns no rows; returns the number of rows changed.
    ///
    /// # Errors
    /// Returns an error if the statement fails.
    pub fn exec(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<u64> {
        self.count(sql)?;
        let changed = match &mut self.on {
            StoreConnection::Sqlite(connection) => sqlite_exec(connection, sql, parameters),
            StoreConnection::Postgres(connection) => connection.execute(sql, parameters),
        };
        self.note(sql, changed)
    }

    /// Wakes all waiters of `workspace_id` after the COMMIT. Carries no data: waiters read the database again.
    pub fn wake(&mut self, workspace_id: Uuid) {
        if !self.wakes.contains(&workspace_id) {
            self.wakes.push(workspace_id);
        }
    }

    /// Wakes the job runner after the COMMIT, because a job may be due.
    pub(crate) fn wake_jobs(&mut self) {
        self.wake(JOBS);
    }

    /// Returns the engine that this transaction runs on. Only full-text search and locks need it.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self.on {
            StoreConnection::Sqlite(_) => Engine::Sqlite,
            StoreConnection::Postgres(_) => Engine::Postgres,
        }
    }

    /// Prepares a statement without running it and returns the names of its columns, for the tests of all statements.
    ///
    /// # Errors
    /// Returns an error if the database rejects the text.
    pub fn prepare(&mut self, sql: &Sql) -> Result<Vec<String>> {
        let widths: &[usize] = if sql.is_by_ids() { &[1 + IDS_MAX, 2] } else { &[0] };
        let mut prepared = Ok(Vec::new());
        for parameters in widths {
            prepared = prepared.and_then(|_| match &mut self.on {
                StoreConnection::Sqlite(connection) => {
                    let statement = connection.prepare(sql.text_for(Engine::Sqlite, *parameters))?;
                    check_placeholders(&statement)?;
                    Ok(statement.column_names().map(str::to_owned).collect())
                }
                StoreConnection::Postgres(connection) => {
                    let statement = connection.prepare(sql, *parameters)?;
                    Ok(statement.columns().iter().map(|column| column.name().to_owned()).collect())
                }
            });
        }
        self.note(sql, prepared)
    }

    /// Runs raw SQL from this crate, one or more statements.
    pub(crate) fn batch(&mut self, text: &str) -> Result<()> {
        match &mut self.on {
            StoreConnection::Sqlite(connection) => Ok(connection.execute_batch(text)?),
            StoreConnection::Postgres(connection) => connection.batch(text),
        }
    }

    /// Starts a new unit of work: clears errors, wakes, events and counts of the previous one.
    pub(crate) fn renew(&mut self) {
        self.fault = None;
        self.wakes.clear();
        self.events.clear();
        self.stored_bytes.clear();
        self.storage_plans = None;
        self.statements_left = None;
    }

    /// Allows exactly one more statement.
    pub(crate) fn allow_one(&mut self) {
        self.statements_left = Some(1);
    }

    fn count(&mut self, sql: &Sql) -> Result<()> {
        match &mut self.statements_left {
            None => Ok(()),
            Some(0) => self.note(sql, Err(Error::db("a unit limited to one statement ran a second one"))),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }

    /// Returns the first statement error in this unit.
    pub(crate) fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }

    /// Keeps an event until the end of the unit.
    pub(crate) fn append_event(&mut self, event: NewEvent) {
        self.events.push(event);
    }

    pub(crate) fn take_events(&mut self) -> Vec<NewEvent> {
        std::mem::take(&mut self.events)
    }

    /// Counts bytes that the unit stores for a workspace.
    pub(crate) fn add_stored_bytes(&mut self, workspace: WorkspaceId, bytes: u64) {
        *self.stored_bytes.entry(workspace).or_default() += i64::try_from(bytes).unwrap_or(i64::MAX);
    }

    /// Counts bytes that the unit deletes.
    pub(crate) fn subtract_stored_bytes(&mut self, workspace: WorkspaceId, bytes: u64) {
        *self.stored_bytes.entry(workspace).or_default() -= i64::try_from(bytes).unwrap_or(i64::MAX);
    }

    pub(crate) fn take_stored_bytes(&mut self) -> BTreeMap<WorkspaceId, i64> {
        std::mem::take(&mut self.stored_bytes)
    }

    /// Limits what workspaces may store after this unit.
    pub(crate) fn limit_storage(&mut self, plans: Plans) {
        self.storage_plans = Some(Box::new(plans));
    }

    pub(crate) fn storage_plans(&self) -> Option<&Plans> {
        self.storage_plans.as_deref()
    }

    /// Makes the unit fail even if its closure ignores the error, and returns the error.
    pub(crate) fn fail(&mut self, error: Error) -> Error {
        self.fault.get_or_insert_with(|| error.clone());
        error
    }

    pub(crate) fn take_wakes(&mut self) -> Vec<Uuid> {
        std::mem::take(&mut self.wakes)
    }

    fn note<T>(&mut self, sql: &Sql, result: Result<T>) -> Result<T> {
        result.map_err(|error| {
            let error = match error {
                Error::Statement(text) => Error::db(format_args!("{}: {text}", sql.name())),
                Error::StatementTime(_) => Error::StatementTime(self.statement_ms),
                other => other,
            };
            self.damage.record(&error);
            self.fail(error)
        })
    }
}
