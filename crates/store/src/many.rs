//! Reading the rows of many ids with one prepared statement: its `{IDS}` are [`IDS_MAX`] placeholders behind the
//! workspace, and a shorter list is padded with its last id.

use posthouse_domain::id::WorkspaceId;

use crate::{FromRow, Result, Sql, ToValue, Tx, Value, dialect::IDS_MAX};

/// Runs the statement for up to [`IDS_MAX`] ids of a workspace; nothing is asked for none.
///
/// # Errors
/// The store's own.
pub(crate) fn rows<T: FromRow, I: ToValue>(
    tx: &mut Tx,
    sql: &Sql,
    workspace: WorkspaceId,
    ids: &[I],
) -> Result<Vec<T>> {
    let Some(last) = ids.last() else { return Ok(Vec::new()) };
    let mut parameters: Vec<Value<'_>> = Vec::with_capacity(1 + IDS_MAX);
    parameters.push(workspace.to_value());
    parameters.extend(ids.iter().chain(std::iter::repeat(last)).take(IDS_MAX).map(ToValue::to_value));
    tx.rows(sql, &parameters)
}
