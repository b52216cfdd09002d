//! Reading the rows of many ids with one prepared statement: it has [`IDS_MAX`] placeholders behind the workspace
//! (`{EACH}` and `{AMONG}`, see [`expand`](crate::dialect::expand)), and a shorter list is padded with NULL, which is no id.
//! One id alone has a text of its own.

use posthouse_domain::id::WorkspaceId;

use crate::{FromRow, Result, Sql, ToValue, Tx, Value, dialect::IDS_MAX};

/// Runs the statement for up to [`IDS_MAX`] ids of a workspace; nothing is asked for none.
///
/// # Errors
/// The store's own.
pub(crate) fn rows<T: FromRow, I: ToValue + PartialEq>(
    tx: &mut Tx,
    sql: &Sql,
    workspace: WorkspaceId,
    ids: &[I],
) -> Result<Vec<T>> {
    match ids {
        [] => Ok(Vec::new()),
        [one] => tx.rows(sql, &[workspace.to_value(), one.to_value()]),
        _ => tx.rows(sql, &parameters(&workspace, ids)),
    }
}

/// The workspace and [`IDS_MAX`] ids, each of them once.
pub(crate) fn parameters<'a, I: ToValue + PartialEq>(workspace: &'a WorkspaceId, ids: &'a [I]) -> Vec<Value<'a>> {
    let mut parameters: Vec<Value<'_>> = Vec::with_capacity(2 + IDS_MAX);
    parameters.push(workspace.to_value());
    let each_once = ids.iter().enumerate().filter(|(at, id)| !ids[..*at].contains(id));
    parameters.extend(each_once.map(|(_, id)| id.to_value()).take(IDS_MAX));
    parameters.resize(1 + IDS_MAX, Value::Null);
    parameters
}
