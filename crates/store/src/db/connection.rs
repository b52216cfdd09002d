//! A PostgreSQL connection with its prepared statements.

use crate::db::server::PgServer;
use crate::{Engine, Error, Result, Sql, Value};
use postgres::types::ToSql;
use postgres::{Client, Statement};
use std::collections::HashMap;

/// Prepared statements kept per connection. At the limit, all are dropped and prepared again on use.
const STATEMENTS_MAX: usize = 512;

/// A connection and its prepared statements.
pub(crate) struct PgConnection {
    client: Client,
    prepared: HashMap<String, Statement>,
}

impl PgConnection {
    pub(crate) fn connect(url: &str) -> Result<Self> {
        Ok(PgConnection { client: PgServer::parse(url)?.connect()?, prepared: HashMap::new() })
    }

    pub(crate) fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Returns whether the connection is lost.
    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Drops the prepared statements; they are prepared again on use.
    pub(crate) fn forget_statements(&mut self) {
        self.prepared.clear();
    }

    pub(crate) fn batch(&mut self, text: &str) -> Result<()> {
        Ok(self.client.batch_execute(text)?)
    }

    pub(crate) fn prepare(&mut self, sql: &Sql, parameters: usize) -> Result<Statement> {
        let text = sql.text_for(Engine::Postgres, parameters);
        if let Some(statement) = self.prepared.get(text) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(text)?;
        if self.prepared.len() >= STATEMENTS_MAX {
            self.prepared.clear();
        }
        self.prepared.insert(text.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(crate) fn query(&mut self, statement: &Statement, parameters: &[Value<'_>]) -> Result<Vec<postgres::Row>> {
        check_count(statement, parameters)?;
        Ok(self.client.query(statement, &bind(parameters))?)
    }

    /// Returns the rows one by one, as they arrive.
    pub(crate) fn query_each(
        &mut self,
        statement: &Statement,
        parameters: &[Value<'_>],
    ) -> Result<postgres::RowIter<'_>> {
        check_count(statement, parameters)?;
        Ok(self.client.query_raw(statement, bind(parameters))?)
    }

    pub(crate) fn execute(&mut self, sql: &Sql, parameters: &[Value<'_>]) -> Result<u64> {
        let statement = self.prepare(sql, parameters.len())?;
        check_count(&statement, parameters)?;
        Ok(self.client.execute(&statement, &bind(parameters))?)
    }
}

fn bind<'a>(parameters: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn check_count(statement: &Statement, parameters: &[Value<'_>]) -> Result<()> {
    let (wanted, given) = (statement.params().len(), parameters.len());
    if wanted == given {
        Ok(())
    } else {
        Err(Error::db(format_args!("{given} parameters given, but ${wanted} is the highest used")))
    }
}
