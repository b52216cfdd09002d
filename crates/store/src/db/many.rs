//! Reads the rows of many IDs with one prepared statement. It has [`IDS_MAX`] placeholders after the workspace
//! (`{EACH}` and `{AMONG}`, see [`expand`](crate::dialect::expand)); a shorter list is padded with NULL, which matches
//! no ID. A single ID has its own text.

use posthouse_domain::WorkspaceId;

use crate::{FromRow, Result, Sql, ToValue, Tx, Value, dialect::IDS_MAX};

/// Runs the statement for the workspace and the IDs; `more` are its parameters after the IDs.
pub(crate) fn rows<T: FromRow, I: ToValue + PartialEq>(
    tx: &mut Tx,
    sql: &Sql,
    workspace: WorkspaceId,
    ids: &[I],
    more: &[Value<'_>],
) -> Result<Vec<T>> {
    match ids {
        [] => Ok(Vec::new()),
        [one] if more.is_empty() => tx.rows(sql, &[workspace.to_value(), one.to_value()]),
        _ => tx.rows(sql, &[parameters(&workspace, ids).as_slice(), more].concat()),
    }
}

/// Returns the workspace and [`IDS_MAX`] IDs without duplicates, padded with NULL.
pub(crate) fn parameters<'a, I: ToValue + PartialEq>(workspace: &'a WorkspaceId, ids: &'a [I]) -> Vec<Value<'a>> {
    let mut parameters: Vec<Value<'_>> = Vec::with_capacity(2 + IDS_MAX);
    parameters.push(workspace.to_value());
    let distinct = ids.iter().enumerate().filter(|(at, id)| !ids[..*at].contains(id));
    parameters.extend(distinct.map(|(_, id)| id.to_value()).take(IDS_MAX));
    parameters.resize(1 + IDS_MAX, Value::Null);
    parameters
}
